//! The next block of a symmetric Krylov basis, in the memory of the basis.
//!
//! ```text
//! W = V C + Q R,   V^T G Q = 0,   Q^T G Q = I
//! first  W <- W - V_n V_n^T G W               V_n: the columns of V that Lanczos' recurrence leaves something along
//! look   z^T W R^-1,  z = sum_j +-G v_j       what else there is along V, to the root of k times it
//! pass   [C; S] = [V, W]^T G W,  W <- (W - V C) R^-1,  R^T R = S - C^T C
//! ```
//!
//! Where the look finds no more than [`tuning::EPS_3_4`], or [`tuning::MINOR`] of the residual that is asked for, the block is left
//! at that: rounding comes back after some steps, when Ritz values have converged, and eigenpairs and residuals lose as many digits by it as T does
//! (Simon, Linear Algebra Appl. 61, 1984; Grimes, Lewis, Simon, SIAM J. Matrix Anal. 15, 1994). One mixture shows a converged
//! direction smaller than it is where signs cancel, so that the share must be small. A pass leaves rounding u of what W was
//! before it: along V u sum_i |w_i| |R^-1|_ij, [`tuning::SUM_ROUNDINGS`] at most where nothing but that loss was left to take, so that one
//! pass does; without V_n two do (twice is enough: Giraud, Langou, Rozloznik, van den Eshof, Numer. Math. 101, 2005). Cholesky QR
//! is done twice too (Yamamoto, Nakatsukasa, Yanagisawa, Fukaya, ETNA 44, 2015), the second time in the block alone. A pass reads
//! V twice. Blocks whose R is worse than [`tuning::SQRT_EPS`], or that lose more than [`tuning::SQRT_EPS`] of a column, go to [`expand`],
//! which finds dependent columns. Sizes: V n x k, W n x p; nothing of length n is asked of the system but there.

use faer::{Mat, MatRef};
use mb_algebra::Dense;

use super::SymmetricOperator;
use super::gram_schmidt::{Expansion, Indefinite, expand};
use super::scalar::{Scalar, product};
use super::tall_skinny::{gram, take};
use crate::tuning;

/// Where W comes from a recurrence that leaves nothing but V_n and rounding.
#[derive(Clone, Copy)]
pub(super) struct Recurrence<'a> {
    /// How many columns of V, from the last on, are V_n.
    pub(super) near: usize,
    /// z.
    pub(super) mixture: &'a [f64],
    /// The residual of Ritz pairs that is asked for, relative to |theta|.
    pub(super) tolerance: f64,
}

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
    recurrence: Option<Recurrence<'_>>,
    force: &mut Dense,
) -> Result<Block, Indefinite> {
    let mut c = Dense::zeros(k, p);
    let mut r = mb_algebra::dense::identity(p);
    if let Some(recurrence) = recurrence {
        let near = recurrence.near;
        operator.metric_into(v.as_ref().subcols(k, p), force);
        let from = k - near;
        let share = gram(v.as_ref().subcols(from, near), force.as_ref());
        let (old, new) = v.as_mut().split_at_col_mut(k);
        take(old.as_ref().subcols(from, near), new.subcols_mut(0, p), share.as_ref(), None);
        c.as_mut().subrows_mut(from, near).copy_from(&share);
        if let Some(step) = unseen(operator, v, k, p, recurrence, force) {
            let (old, new) = v.as_mut().split_at_col_mut(k);
            let none = Dense::zeros(0, p);
            take(old.as_ref().subcols(0, 0), new.subcols_mut(0, p), none.as_ref(), Some(&step.inverse));
            r = product(step.r.as_ref(), r.as_ref());
            operator.metric_into(v.as_ref().subcols(k, p), force);
            if let Some(r) = within(operator, v, k, p, force, &r) {
                return Ok(Block { c, r });
            }
        }
    }
    // Passes before [`expand`] takes over.
    for pass in 0..tuning::ATTEMPTS {
        operator.metric_into(v.as_ref().subcols(k, p), force);
        let whole = gram(v.as_ref().subcols(0, k + p), force.as_ref());
        // What a second pass may find where the first one has left rounding alone.
        if pass > 0 && leaves(&whole, k) <= tuning::FEW_ROUNDINGS {
            return Ok(Block { c, r });
        }
        let Some(step) = factor(&whole, k) else { break };
        let (old, new) = v.as_mut().split_at_col_mut(k);
        let along = whole.as_ref().subrows(0, k);
        take(old.as_ref(), new.subcols_mut(0, p), along, Some(&step.inverse));
        let share = product(along, r.as_ref());
        c = Dense::from_fn(k, p, |i, j| c[(i, j)] + share[(i, j)]);
        r = product(step.r.as_ref(), r.as_ref());
        // Roundings along the basis that need no second pass.
        // What it may find where it leaves rounding itself.
        if step.loss * f64::EPSILON <= tuning::SUM_ROUNDINGS
            || (pass > 0 && leaves(&whole, k) <= tuning::EPS_1_4)
        {
            operator.metric_into(v.as_ref().subcols(k, p), force);
            if let Some(r) = within(operator, v, k, p, force, &r) {
                return Ok(Block { c, r });
            }
        }
    }
    carefully(operator, v, k, p, force, &c, &r)
}

/// The Cholesky factor of the Gram matrix of W, where a mixture of the basis shows nothing along it.
fn unseen(
    operator: &dyn SymmetricOperator,
    v: &Dense,
    k: usize,
    p: usize,
    Recurrence { mixture, tolerance, .. }: Recurrence<'_>,
    force: &mut Dense,
) -> Option<Factor> {
    let w = v.as_ref().subcols(k, p);
    operator.metric_into(w, force);
    let step = factor(&gram(w, force.as_ref()), 0)?;
    let seen = gram(MatRef::from_column_major_slice(mixture, v.nrows(), 1), w);
    let level = product(seen.as_ref(), step.inverse.as_ref());
    // What may be left along the basis, by the look at one mixture of it.
    let least = tuning::EPS_3_4.min(tuning::MINOR * tolerance);
    (0..p).all(|j| level[(0, j)].abs() <= least).then_some(step)
}

/// Makes a block orthonormal that nearly is; R, or none where it is not.
fn within(
    operator: &dyn SymmetricOperator,
    v: &mut Dense,
    k: usize,
    p: usize,
    force: &mut Dense,
    r: &Dense,
) -> Option<Dense> {
    let own = gram(v.as_ref().subcols(k, p), force.as_ref());
    let off = leaves(&own, 0);
    if off <= tuning::FEW_ROUNDINGS {
        return Some(r.clone());
    }
    let step = factor(&own, 0).filter(|_| off <= tuning::EPS_1_4)?;
    let (old, new) = v.as_mut().split_at_col_mut(k);
    let none = Dense::zeros(0, p);
    take(old.as_ref().subcols(0, 0), new.subcols_mut(0, p), none.as_ref(), Some(&step.inverse));
    operator.metric_into(v.as_ref().subcols(k, p), force);
    Some(product(step.r.as_ref(), r.as_ref()))
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
    /// Roundings along V that dividing by R leaves of those of W.
    loss: f64,
}

/// The Cholesky factor of S - C^T C; none where it would lose too many digits.
fn factor(gram: &Dense, k: usize) -> Option<Factor> {
    let p = gram.ncols();
    let c = gram.as_ref().subrows(0, k);
    let inside = f64::adjoint_product(c, c);
    let left = |i: usize, j: usize| 0.5 * (gram[(k + i, j)] + gram[(k + j, i)]) - inside[(i, j)];
    let lengths: Vec<f64> = (0..p).map(|j| left(j, j).max(0.0).sqrt()).collect();
    // Squared share of its length that projection may leave of a column.
    if !(0..p).all(|j| left(j, j) > tuning::SQRT_EPS * gram[(k + j, j)]) {
        return None;
    }
    let mut r = Dense::zeros(p, p);
    for j in 0..p {
        for i in 0..=j {
            let sum: f64 = (0..i).map(|l| r[(l, i)] * r[(l, j)]).sum();
            let rest = left(i, j) / (lengths[i] * lengths[j]) - sum;
            if i < j {
                r[(i, j)] = rest / r[(i, i)];
            // Least pivot of the Gram matrix of columns of length one.
            } else if rest > tuning::SQRT_EPS {
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
    let length = |i: usize| gram[(k + i, i)].max(0.0).sqrt();
    let loss = |j: usize| (0..=j).map(|i| length(i) * inverse[(i, j)].abs()).sum::<f64>();
    let loss = (0..p).map(loss).fold(0.0, f64::max);
    Some(Factor { r, inverse, loss })
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

    const TOLERANCE: f64 = 1e-10;

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
    fn errors(near: Option<usize>, w: impl Fn(&Dense) -> Dense) -> (f64, f64, usize) {
        let (n, p) = (700, 4);
        let operator = Weights(n);
        let mut v = Dense::zeros(n, 5 + p);
        put(&mut v, 0, start_block::<f64>(n, 5, 1).as_ref());
        let mut force = Dense::zeros(n, 5);
        let first =
            orthonormalize(&operator, &mut v, 0, 5, None, &mut force).unwrap_or_else(|_| unreachable!());
        assert_eq!(first.r.nrows(), 5);
        let mixture: Vec<f64> = (0..n).map(|i| (0..5).map(|j| force[(i, j)]).sum()).collect();
        let recurrence = near.map(|near| Recurrence { near, mixture: &mixture, tolerance: TOLERANCE });
        let w = w(&v);
        put(&mut v, 5, w.as_ref());
        let mut force = Dense::zeros(n, p);
        let found = orthonormalize(&operator, &mut v, 5, p, recurrence, &mut force)
            .unwrap_or_else(|_| unreachable!());
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
        for near in [None, Some(2), Some(5)] {
            // One pass leaves its few roundings, sums of products some of their own; without a pass there is what a look overlooks.
            let most = match near {
                None => 4e-15,
                Some(2) => 4.0 * tuning::SUM_ROUNDINGS,
                Some(_) => 3.0 * tuning::EPS_3_4,
            };
            // Little next to the basis; columns alike; two that depend on others.
            for share in [1.0, 1e-3, 1e-7] {
                let (unit, rest, columns) = errors(near, |v| inside(v, share));
                assert!(unit < most && rest < 1e-14 && columns == 4, "{share}: {unit:e} {rest:e} {columns}");
            }
            for apart in [1e-2, 1e-6] {
                let alike = |_: &Dense| {
                    Dense::from_fn(700, 4, |i, j| {
                        random[(i, 0)] + if j > 0 { apart * random[(i, j)] } else { 0.0 }
                    })
                };
                let (unit, rest, columns) = errors(near, alike);
                assert!(unit < most && rest < 1e-14 && columns == 4, "{apart}: {unit:e} {rest:e} {columns}");
            }
            let (unit, rest, columns) = errors(near, |v| {
                Dense::from_fn(700, 4, |i, j| if j < 2 { random[(i, 0)] } else { v[(i, j)] })
            });
            assert!(unit < most && rest < 1e-13 && columns == 1, "{unit:e} {rest:e} {columns}");
        }
    }
}
