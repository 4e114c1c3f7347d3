//! Coordinates of one size: every decision on ranks and zeros is taken on equilibrated matrices.
//!
//! ```text
//! D (M, C, K) D,   Phi_q D,   x = D z,   D diagonal, powers of two
//! ```
//!
//! Metres, millimetres and radians stand side by side, and a decision by norms would take the small units for zeros. No entry
//! is rounded, so that the eigenvalues are those of the matrices given, to the last bit. With |K_ii| + tau |M_ii| on the
//! diagonal D_ii is its inverse square root, after which no entry of a positive semi-definite matrix is larger than the diagonal (van der
//! Sluis, Numer. Math. 14, 1969: within a factor of n the best condition a diagonal can reach); sweeps by square roots of the
//! largest entries serve the other matrices (Ruiz, RAL-TR-2001-034). Sizes: n x n.

use mb_algebra::{Dense, QuadraticPencil, dense, norms};

use super::check;
use crate::tuning;

/// Largest entry of a row, in units of one, up to which the row is left alone: powers of two reach no better than a factor
/// of two of it on both sides.
const LEVEL: f64 = 4.0;
/// Quotient of the largest and the smallest factor up to which a problem stays as it is: no norm hides sixteen times in each
/// factor.
const EVEN: f64 = 16.0;

/// Factors of two that bring the largest entries of a symmetric pattern of magnitudes to about one.
///
/// `diagonal`: n numbers; `rows(d)`: the largest d_i |a_ij| d_j of every row. Rows of zeros keep the factor one.
pub(crate) fn scales(diagonal: &[f64], rows: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let root =
        |size: f64| if size > 0.0 && size.is_finite() { (-0.5 * size.log2()).round().exp2() } else { 1.0 };
    let mut d: Vec<f64> = diagonal.iter().map(|size| root(*size)).collect();
    // Sweeps over rows; the logarithm of what is left halves in each.
    for _ in 0..tuning::SWEEPS {
        let largest = rows(&d);
        let uneven = |size: f64| size > 0.0 && !(LEVEL.recip()..=LEVEL).contains(&size);
        if !largest.iter().any(|size| uneven(*size)) {
            break;
        }
        d.iter_mut().zip(largest).filter(|(_, size)| uneven(*size)).for_each(|(d, size)| *d *= root(size));
    }
    d
}

/// The largest d_i |a_ij| d_j or d_i |a_ji| d_j of every row of a sum of dense matrices with factors.
pub(crate) fn largest_of_rows(terms: &[(f64, &Dense)], d: &[f64]) -> Vec<f64> {
    let (mut out, mut sizes) = (vec![0.0_f64; d.len()], vec![0.0_f64; d.len()]);
    for (by, a) in terms {
        for (j, dj) in d.iter().enumerate() {
            // Rows and columns alike: where rounding has left a_ij and not a_ji, a factor that follows one of them alone
            // blows up the other.
            for ((size, largest), (a, di)) in
                sizes.iter_mut().zip(&mut out).zip(a.col_as_slice(j).iter().zip(d))
            {
                *size = by * a.abs() * di * dj;
                *largest = if *size > *largest { *size } else { *largest };
            }
            out[j] = out[j].max(norms::max_abs_vec(&sizes));
        }
    }
    out
}

/// Factors of two for rows and columns that bring the largest entries of both to about one: D_r A D_c.
///
/// Each side has its own, so that what an unsymmetric matrix has of a coordinate's forces does not bound the size of its motion. Matrices
/// that are symmetric but for rounding take the same on both sides.
pub(crate) fn of_both_sides(a: &Dense) -> [Vec<f64>; 2] {
    if check::is_symmetric_to_rounding(a) {
        let diagonal: Vec<f64> = (0..a.nrows()).map(|i| a[(i, i)].abs()).collect();
        let d = scales(&diagonal, |d| largest_of_rows(&[(1.0, a)], d));
        return [d.clone(), d];
    }
    scales_apart([a.nrows(), a.ncols()], |rows, columns| {
        let (mut of_rows, mut of_columns) = (vec![0.0_f64; a.nrows()], vec![0.0_f64; a.ncols()]);
        for (j, dj) in columns.iter().enumerate() {
            for (i, (a, di)) in a.col_as_slice(j).iter().zip(rows).enumerate() {
                let size: f64 = a.abs() * di * dj;
                of_rows[i] = of_rows[i].max(size);
                of_columns[j] = of_columns[j].max(size);
            }
        }
        [of_rows, of_columns]
    })
}

/// Diagonals from both sides by sweeps with square roots of the largest entries of rows and columns, which `largest` gives for the present ones.
pub(crate) fn scales_apart(
    size: [usize; 2],
    largest: impl Fn(&[f64], &[f64]) -> [Vec<f64>; 2],
) -> [Vec<f64>; 2] {
    let half =
        |size: f64| if size > 0.0 && size.is_finite() { (-0.5 * size.log2()).round().exp2() } else { 1.0 };
    let [mut rows, mut columns] = size.map(|size| vec![1.0; size]);
    // Rows and columns wait for each other.
    for _ in 0..tuning::SWEEPS {
        let by = largest(&rows, &columns).map(|sizes| sizes.into_iter().map(half).collect::<Vec<f64>>());
        // Sweeps that change nothing would follow.
        if by.iter().flatten().all(|by| by.total_cmp(&1.0).is_eq()) {
            break;
        }
        rows.iter_mut().zip(&by[0]).for_each(|(d, by)| *d *= by);
        columns.iter_mut().zip(&by[1]).for_each(|(d, by)| *d *= by);
    }
    [rows, columns]
}

/// D for a pencil, from the left and from the right; none where its coordinates are of one size already.
///
/// Both are the same, but where neither constraints nor a symmetric mass matrix would lose by two of them: displacements next to pressures
/// have forces of another kind, and no one diagonal brings these to one size.
pub(crate) fn of_pencil(pencil: &QuadraticPencil) -> Option<[Vec<f64>; 2]> {
    let n = pencil.m.nrows();
    // The unit of time in which stiffness and mass of a coordinate are equal in the geometric mean. What rounding leaves on the diagonal
    // of K where there is no stiffness, squares of it among them, is none: a mean with it would weigh masses against noise.
    let ratios: Vec<f64> = (0..n).map(|i| (pencil.k[(i, i)] / pencil.m[(i, i)]).abs()).collect();
    let largest = ratios.iter().copied().filter(|x| x.is_finite()).fold(0.0, f64::max);
    let logs: Vec<f64> =
        ratios.into_iter().filter(|x| x.is_finite() && *x > tuning::NOISE * largest).map(f64::ln).collect();
    let tau = if logs.is_empty() { 1.0 } else { (logs.iter().sum::<f64>() / logs.len() as f64).exp() };
    let terms = [(1.0, &pencil.k), (tau.sqrt(), &pencil.c), (tau, &pencil.m)];
    let diagonal: Vec<f64> =
        (0..n).map(|i| terms.iter().map(|(by, a)| by * a[(i, i)].abs()).sum::<f64>()).collect();
    let apart = || {
        let sum =
            Dense::from_fn(n, n, |i, j| terms.iter().map(|(by, a)| by * a[(i, j)].abs()).fold(0.0, f64::max));
        let sizes = || (0..n).flat_map(|j| sum.col_as_slice(j)).copied().filter(|x| *x > 0.0);
        // Entries of like size need no two-sided units, which may part without end where entries are few.
        let least = sizes().fold(f64::INFINITY, f64::min);
        (least < tuning::SQRT_EPS * sizes().fold(0.0, f64::max)).then_some(sum)
    };
    let unsymmetric = pencil.phi_q.nrows() == 0 && !check::is_symmetric_to_rounding(&pencil.m);
    let both = if let Some(sum) = unsymmetric.then(apart).flatten() {
        of_both_sides(&sum)
    } else {
        let d = scales(&diagonal, |d| largest_of_rows(&terms, d));
        [d.clone(), d]
    };
    let range =
        |d: &[f64]| d.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), d| (low.min(*d), high.max(*d)));
    let ranges = both.each_ref().map(|d| range(d));
    let usable = ranges.iter().all(|(low, high)| *low > 0.0 && high.is_finite());
    (usable && ranges.iter().any(|(low, high)| *high > EVEN * low)).then_some(both)
}

/// D A D.
pub(crate) fn scaled(a: &Dense, d: &[f64]) -> Dense {
    scaled_apart(a, d, d)
}

/// D_r A D_c.
pub(crate) fn scaled_apart(a: &Dense, rows: &[f64], columns: &[f64]) -> Dense {
    Dense::from_fn(a.nrows(), a.ncols(), |i, j| rows[i] * a[(i, j)] * columns[j])
}

/// A D.
pub(crate) fn with_columns(a: &Dense, d: &[f64]) -> Dense {
    Dense::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * d[j])
}

/// The pencil in the coordinates z, its rows times the first of the two.
pub(crate) fn pencil(given: &QuadraticPencil, [rows, d]: &[Vec<f64>; 2]) -> QuadraticPencil {
    QuadraticPencil {
        m: scaled_apart(&given.m, rows, d),
        c: scaled_apart(&given.c, rows, d),
        k: scaled_apart(&given.k, rows, d),
        phi_q: if given.phi_q.nrows() > 0 { with_columns(&given.phi_q, d) } else { dense::zeros(0, d.len()) },
    }
}
