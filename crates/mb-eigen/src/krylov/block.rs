//! The next block of a symmetric Krylov basis, in the memory of the basis.
//!
//! ```text
//! W = V C + Q R,   V^T G Q = 0,   Q^T G Q = I
//! pass   [C; S] = [V, W]^T G W,  W <- (W - V C) R^-1,  R^T R = S - C^T C
//! ```
//!
//! Two passes leave rounding where the first one's R is no worse than [`CONDITION`] and no column loses more than [`CANCELLED`] of its
//! length (twice is enough: Giraud, Langou, Rozloznik, van den Eshof, Numer. Math. 101, 2005; Cholesky QR twice: Yamamoto, Nakatsukasa,
//! Yanagisawa, Fukaya, ETNA 44, 2015). A pass reads V twice; one that has nothing left to do reads it once. Other blocks go
//! to [`expand`], which tells dependent columns. Sizes: V n x k, W n x p; nothing of length n is asked of the
//! system but there.

use faer::{Mat, MatMut, MatRef};
use mb_algebra::Dense;

use super::SymmetricOperator;
use super::expansion::{Expansion, Indefinite, expand};
use super::scalar::{Scalar, product};

/// Least pivot of the Gram matrix of columns of length one.
const CONDITION: f64 = 1e-8;
/// Squared share of its length that projection may leave of a column.
const CANCELLED: f64 = 1e-8;
/// What a second pass may find where the first one has left rounding alone.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// What it may find where it leaves rounding itself.
const SMALL: f64 = 1e-4;
/// Passes before [`expand`] takes over.
const PASSES: usize = 4;
/// Rows worked on at once.
const ROWS: usize = 512;

/// C, R and how many columns of the basis Q takes.
pub(super) struct Block {
    /// k x p.
    pub(super) c: Dense,
    /// r x p.
    pub(super) r: Dense,
}

/// Orthonormalizes the columns `k..k + p` of `v`, which hold W, against those before and among themselves; they hold Q afterwards, its
/// r <= p columns first, and `force` holds G Q.
pub(super) fn orthonormalize(
    operator: &dyn SymmetricOperator,
    v: &mut Dense,
    k: usize,
    p: usize,
    force: &mut Dense,
) -> Result<Block, Indefinite> {
    let mut c = Dense::zeros(k, p);
    let mut r = mb_algebra::dense::identity(p);
    for pass in 0..PASSES {
        operator.metric_into(v.as_ref().subcols(k, p), force);
        let gram = f64::adjoint_product(v.as_ref().subcols(0, k + p), force.as_ref());
        if pass > 0 && leaves(&gram, k) <= ROUNDING {
            return Ok(Block { c, r });
        }
        let Some(step) = factor(&gram, k) else { break };
        let last = pass > 0 && leaves(&gram, k) <= SMALL;
        let (old, new) = v.as_mut().split_at_col_mut(k);
        update(old.as_ref(), new.subcols_mut(0, p), gram.as_ref().subrows(0, k), step.inverse.as_ref());
        let share = product(gram.as_ref().subrows(0, k), r.as_ref());
        c = Dense::from_fn(k, p, |i, j| c[(i, j)] + share[(i, j)]);
        r = product(step.r.as_ref(), r.as_ref());
        if last {
            operator.metric_into(v.as_ref().subcols(k, p), force);
            return Ok(Block { c, r });
        }
    }
    carefully(operator, v, k, p, force, &c, &r)
}

/// The largest of C and S - I, relative to the columns' lengths.
fn leaves(gram: &Dense, k: usize) -> f64 {
    let p = gram.ncols();
    let entry = |i: usize, j: usize| {
        let one = if i == k + j { 1.0 } else { 0.0 };
        (gram[(i, j)] - one).abs()
    };
    let all = (0..p).flat_map(|j| (0..k + p).map(move |i| (i, j)));
    all.map(|(i, j)| entry(i, j)).fold(0.0, |worst, x| if x.is_nan() { f64::INFINITY } else { worst.max(x) })
}

/// R and its inverse.
struct Factor {
    r: Dense,
    inverse: Dense,
}

/// The Cholesky factor of S - C^T C; none where it would lose too many digits.
fn factor(gram: &Dense, k: usize) -> Option<Factor> {
    let p = gram.ncols();
    let c = gram.as_ref().subrows(0, k);
    let inside = f64::adjoint_product(c, c);
    let left = |i: usize, j: usize| 0.5 * (gram[(k + i, j)] + gram[(k + j, i)]) - inside[(i, j)];
    let lengths: Vec<f64> = (0..p).map(|j| left(j, j).max(0.0).sqrt()).collect();
    if !(0..p).all(|j| left(j, j) > CANCELLED * gram[(k + j, j)]) {
        return None;
    }
    let mut r = Dense::zeros(p, p);
    for j in 0..p {
        for i in 0..=j {
            let sum: f64 = (0..i).map(|l| r[(l, i)] * r[(l, j)]).sum();
            let rest = left(i, j) / (lengths[i] * lengths[j]) - sum;
            if i < j {
                r[(i, j)] = rest / r[(i, i)];
            } else if rest > CONDITION {
                r[(j, j)] = rest.sqrt();
            } else {
                return None;
            }
        }
    }
    for j in 0..p {
        (0..=j).for_each(|i| r[(i, j)] *= lengths[j]);
    }
    let mut inverse = Dense::zeros(p, p);
    for j in 0..p {
        inverse[(j, j)] = r[(j, j)].recip();
        for i in (0..j).rev() {
            let sum: f64 = (i + 1..=j).map(|l| r[(i, l)] * inverse[(l, j)]).sum();
            inverse[(i, j)] = -sum / r[(i, i)];
        }
    }
    Some(Factor { r, inverse })
}

/// W <- (W - V C) R^-1, some rows at a time.
fn update(v: MatRef<'_, f64>, mut w: MatMut<'_, f64>, c: MatRef<'_, f64>, inverse: MatRef<'_, f64>) {
    let (n, p) = w.shape();
    let mut rest = Dense::zeros(ROWS.min(n), p);
    for first in (0..n).step_by(ROWS) {
        let length = ROWS.min(n - first);
        let mut rest = rest.as_mut().subrows_mut(0, length);
        rest.copy_from(w.as_ref().subrows(first, length));
        f64::gemm(rest.as_mut(), true, v.subrows(first, length), c, -1.0);
        f64::gemm(w.as_mut().subrows_mut(first, length), false, rest.as_ref(), inverse, 1.0);
    }
}

/// The same by [`expand`], from what the passes have left of W.
fn carefully(
    operator: &dyn SymmetricOperator,
    v: &mut Dense,
    k: usize,
    p: usize,
    force: &mut Dense,
    c: &Dense,
    r: &Dense,
) -> Result<Block, Indefinite> {
    let (old, new) = (v.as_ref().subcols(0, k), v.as_ref().subcols(k, p));
    let mut w = product(new, r.as_ref());
    f64::gemm(w.as_mut(), true, old, c.as_ref(), 1.0);
    let map = |w: &Mat<f64>| operator.metric(w);
    let Expansion { c, q, gq, r } = expand(old, w, Some(&map))?;
    super::scalar::put(v, k, q.as_ref());
    *force = gq.unwrap_or_else(|| operator.metric(&q));
    Ok(Block { c, r })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EigenError;
    use crate::krylov::scalar::{put, start_block};
    use mb_algebra::dense;

    /// The metric diag(1, 2, 3, 1, ..).
    struct Weights(usize);

    impl SymmetricOperator for Weights {
        fn size(&self) -> usize {
            self.0
        }

        fn apply(&self, v: MatRef<'_, f64>, _gv: MatRef<'_, f64>) -> Result<Dense, EigenError> {
            Ok(v.to_owned())
        }

        fn metric(&self, v: &Dense) -> Dense {
            Dense::from_fn(v.nrows(), v.ncols(), |i, j| (1 + i % 3) as f64 * v[(i, j)])
        }
    }

    /// Orthonormalizes W behind five columns; the worst errors of Q and of W = V C + Q R, and the columns of Q.
    fn errors(w: impl Fn(&Dense) -> Dense) -> (f64, f64, usize) {
        let (n, p) = (700, 4);
        let operator = Weights(n);
        let mut v = Dense::zeros(n, 5 + p);
        put(&mut v, 0, start_block::<f64>(n, 5, 1).as_ref());
        let mut force = Dense::zeros(n, 5);
        let first = orthonormalize(&operator, &mut v, 0, 5, &mut force).unwrap_or_else(|_| unreachable!());
        assert_eq!(first.r.nrows(), 5);
        let w = w(&v);
        put(&mut v, 5, w.as_ref());
        let mut force = Dense::zeros(n, p);
        let found = orthonormalize(&operator, &mut v, 5, p, &mut force).unwrap_or_else(|_| unreachable!());
        let r = found.r.nrows();
        let all = v.as_ref().subcols(0, 5 + r).to_owned();
        let gram = dense::mul_transpose(&all, &operator.metric(&all));
        let unit = dense::add(1.0, &gram, -1.0, &dense::identity(5 + r));
        let q = all.as_ref().subcols(5, r).to_owned();
        let same = dense::add(1.0, &force, -1.0, &operator.metric(&q));
        let whole = dense::add(
            1.0,
            &product(v.as_ref().subcols(0, 5), found.c.as_ref()),
            1.0,
            &dense::mul(&q, &found.r),
        );
        let rest = dense::add(1.0, &whole, -1.0, &w);
        let size = mb_algebra::norms::max_abs;
        ((size(&unit)).max(size(&same)), size(&rest) / size(&w), r)
    }

    #[test]
    fn blocks_come_out_orthonormal_whatever_they_are_like() {
        let random = start_block::<f64>(700, 4, 2);
        let inside = |v: &Dense, share: f64| {
            let along = product(v.as_ref().subcols(0, 5), start_block::<f64>(5, 4, 3).as_ref());
            dense::add(1.0, &along, share, &random)
        };
        // Little beside the basis; columns alike; two that depend on others.
        for share in [1.0, 1e-3, 1e-7] {
            let (unit, rest, columns) = errors(|v| inside(v, share));
            assert!(unit < 4e-15 && rest < 1e-14 && columns == 4, "{share}: {unit:e} {rest:e} {columns}");
        }
        for apart in [1e-2, 1e-6] {
            let alike = |_: &Dense| {
                Dense::from_fn(700, 4, |i, j| {
                    random[(i, 0)] + if j > 0 { apart * random[(i, j)] } else { 0.0 }
                })
            };
            let (unit, rest, columns) = errors(alike);
            assert!(unit < 4e-15 && rest < 1e-14 && columns == 4, "{apart}: {unit:e} {rest:e} {columns}");
        }
        let (unit, rest, columns) =
            errors(|v| Dense::from_fn(700, 4, |i, j| if j < 2 { random[(i, 0)] } else { v[(i, j)] }));
        assert!(unit < 4e-15 && rest < 1e-13 && columns == 1, "{unit:e} {rest:e} {columns}");
    }
}
