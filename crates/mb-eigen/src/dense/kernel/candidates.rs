//! Candidates of null directions of an equilibrated matrix, and their compression in double-double precision.
//!
//! ```text
//! [A U; V^T 0] [X; T] = [0; I]:   A X + U T = 0,   V^T X = I
//! ```
//!
//! V and U are what pivoted QR leaves of A and of A^T below a tolerance far above rounding; X t with T t small are near null
//! vectors, with the accuracy of elimination (Govaerts, Numerical Methods for Bifurcations of Dynamical Equilibria, section
//! 3.2). Sizes: A k x k, U, V, X k x p, T p x p.

use mb_algebra::{Dense, Lu, RankQr, RankTolerance, Svd, dense, norms};

use crate::EigenError;
use crate::error::at;
use crate::numeric::double_double::TwoVectors;
use crate::numeric::vectors;
use crate::tuning;

/// Share of the candidate below which a correction is beyond the 32 digits of double-double precision, and so are those that would follow.
const LAST: f64 = 1.0 / (1_u128 << 110) as f64;

/// A compressed onto the candidates: A V + U T = 0 with the singular values of T in sight, smallest first.
pub(super) struct Candidates {
    pub(super) right: Vec<TwoVectors>,
    pub(super) left: Vec<TwoVectors>,
}

impl Candidates {
    fn new(right: &Dense, left: &Dense) -> Self {
        let of = |a: &Dense| vectors::columns(a).map(|x| TwoVectors::new(x.to_vec())).collect();
        Self { right: of(right), left: of(left) }
    }
}

/// An estimate from above by inverse iteration, cheap and good to a small factor; 0 when A is exactly singular.
pub(super) fn smallest_singular_value(a: &Dense) -> f64 {
    let k = a.nrows();
    if k == 1 {
        return a[(0, 0)].abs();
    }
    let Ok(lu) = Lu::new(a) else { return 0.0 };
    // A start vector without symmetry, so that it is not orthogonal to a symmetric or alternating null vector.
    let mut x: Vec<f64> = (0..k).map(|i| 1.0 + ((i * i * 7 + 3 * i) % 11) as f64 / 7.0).collect();
    let mut estimate = f64::INFINITY;
    for step in 0..4 {
        let norm = norms::two(&x);
        if !(norm > 0.0 && norm.is_finite()) {
            return 0.0;
        }
        for v in &mut x {
            *v /= norm;
        }
        x = if step % 2 == 0 { lu.solve(&x) } else { lu.solve_transpose(&x) };
        estimate = estimate.min(norms::two(&x).recip());
    }
    if estimate.is_nan() { 0.0 } else { estimate }
}

/// Approximate right and left null directions, k x p each.
pub(super) fn candidates(a: &Dense, scale: f64) -> Result<(Dense, Dense), EigenError> {
    // Candidates: pivots below this fraction of the norm of the equilibrated matrix.
    let relative = RankTolerance { relative: (tuning::EPS_2_3 * scale / norms::max_abs(a)).min(1.0) };
    let right = RankQr::new(a, relative).map_err(at("Null directions"))?;
    let left = RankQr::new(&dense::transpose(a), relative).map_err(at("Null directions"))?;
    // Both count the same singular values; where the pivots disagree the larger set is the safe one.
    let p = (a.nrows() - right.rank()).max(a.nrows() - left.rank());
    let last = |qr: &RankQr| -> Dense {
        let full = dense::hstack(&[&qr.row_space(), &qr.null_space()]);
        vectors::column_range(&full, full.ncols() - p, full.ncols())
    };
    Ok((last(&right), last(&left)))
}

/// [A U; V^T 0] [X; T] = [0; I] and its transpose; null directions are X t with T t small, smallest first.
///
/// `rest`: A x, or A^T y, of the matrix as given, in double-double precision. It corrects X and Y by the same factors,
/// and Y^T A X, which T is but for signs, has digits where rounding leaves T none.
pub(super) fn compress(
    a: &Dense,
    v: &Dense,
    u: &Dense,
    rest: impl Fn(&TwoVectors, bool) -> Vec<f64>,
) -> Result<Candidates, EigenError> {
    let (k, p) = v.shape();
    if p == k {
        // Everything is small against the matrix as given: there is nothing to compress on.
        let svd = Svd::new(a).map_err(at("Null directions"))?;
        let order: Vec<usize> = (0..k).rev().collect();
        let sorted = |a: &Dense| dense::select_columns(a, &order);
        return Ok(Candidates::new(&sorted(&svd.v), &sorted(&svd.u)));
    }
    let size = norms::max_abs(a);
    let mut bordered = Dense::zeros(k + p, k + p);
    for j in 0..k {
        bordered.col_as_slice_mut(j)[..k].copy_from_slice(a.col_as_slice(j));
        for i in 0..p {
            bordered[(k + i, j)] = v[(j, i)] * size;
            bordered[(j, k + i)] = u[(j, i)] * size;
        }
    }
    let Ok(lu) = Lu::new(&bordered) else { return Ok(Candidates::new(v, u)) };
    let solve = |b: &[f64], transposed: bool| if transposed { lu.solve_transpose(b) } else { lu.solve(b) };
    let correct = |list: &mut [TwoVectors], transposed: bool| {
        for x in list {
            // Corrections of a candidate on the matrix as given, before and after the candidates are turned into singular vectors: each
            // gains the digits that the factors have, of which 32 are wanted.
            for _ in 0..tuning::ATTEMPTS {
                let mut b = rest(x, transposed);
                b.resize(k + p, 0.0);
                let by = solve(&b, transposed);
                x.subtract(&by[..k]);
                if norms::max_abs_vec(&by[..k]) <= LAST * norms::max_abs_vec(&x.high) {
                    break;
                }
            }
        }
    };
    let start = |transposed: bool| -> Vec<TwoVectors> {
        let unit = |j: usize| (0..k + p).map(|i| if i == k + j { size } else { 0.0 }).collect::<Vec<f64>>();
        let mut list: Vec<TwoVectors> =
            (0..p).map(|j| TwoVectors::new(solve(&unit(j), transposed)[..k].to_vec())).collect();
        correct(&mut list, transposed);
        list
    };
    let (right, left) = (start(false), start(true));
    let images: Vec<Vec<f64>> = right.iter().map(|x| rest(x, false)).collect();
    let t = Dense::from_fn(p, p, |i, j| left[i].high.iter().zip(&images[j]).map(|(y, ax)| y * ax).sum());
    let svd = Svd::new(&t).map_err(at("Null directions"))?;
    let turned = |list: &[TwoVectors], turn: &Dense, transposed: bool| {
        let column = |j: usize| {
            let entry = |i: usize| list.iter().enumerate().map(|(c, x)| x.high[i] * turn[(c, j)]).sum();
            TwoVectors::new((0..k).map(entry).collect())
        };
        let mut out: Vec<TwoVectors> = (0..p).rev().map(column).collect();
        correct(&mut out, transposed);
        out
    };
    Ok(Candidates { right: turned(&right, &svd.v, false), left: turned(&left, &svd.u, true) })
}
