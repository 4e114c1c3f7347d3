//! The penalty system at rest with its blocks kept apart, for large models.
//!
//! With the violations e = Phi as coordinates of their own it is a constrained system like any other,
//!
//! ```text
//! diag(M, Xi),  diag(C, Xi Theta),  diag(K, Xi Omega),   [Phi_q  -I] [q; e] = 0
//! ```
//!
//! so that nothing of the size of Xi meets the entries of M and K, and no product Phi_q^T Xi Phi_q fills a sparse matrix.
//! Its multipliers are the penalty forces. Sizes: n coordinates, m constraint rows.

use super::{Matrices, Penalty, PenaltyPoint};
use crate::error::LinearError;
use mb_algebra::{Dense, Lu, PenaltyBlocks, dense, norms, sparse, to_sparse};
use mb_constraints::Saddle;
use mb_model::{Model, Point};

/// The blocks at an equilibrium of the penalty system, in time linear in the elements.
///
/// M_p = M + Phi_q^T Xi Phi_q, C_p = C + Phi_q^T Xi Theta Phi_q, K_p = K + Phi_q^T Xi Omega Phi_q, as
/// [`super::unconstrained`] forms them.
///
/// # Errors
/// [`LinearError::BadPenalty`]; [`LinearError::NotOnMotion`] when the point moves or is not in balance.
pub fn unconstrained_blocks(
    model: &Model,
    at: &PenaltyPoint,
    penalty: &Penalty,
) -> Result<PenaltyBlocks, LinearError> {
    let matrices = Matrices::new(penalty, model.nc())?;
    let point = &at.point;
    let fail = |equation, residual: f64, tolerance| {
        let expected = "an equilibrium of the penalty system";
        Err(LinearError::NotOnMotion { expected, equation, residual, tolerance })
    };
    if let Some(i) = point.v.iter().position(|v| *v != 0.0) {
        return fail(model.coordinate_name(i), point.v[i], 0.0);
    }
    let rates = model.phi_t(&point.q, point.t);
    if let Some(i) = rates.iter().position(|rate| *rate != 0.0) {
        return fail(model.row_name(i), rates[i], 0.0);
    }
    super::check_balance(model, point)?;
    let (blocks, k_parts) = model.blocks_in_parts(point);
    let Matrices { xi, theta, omega } = matrices;
    let (m, c, k, phi_q) = (blocks.m, blocks.c, blocks.k, blocks.phi_q);
    Ok(PenaltyBlocks { m, c, k, phi_q, xi, theta, omega, k_parts })
}

/// Newton's correction (dq, dw) of the penalty system at rest, with `stiffness` = Xi Omega.
///
/// ```text
/// K dq + Phi_q^T dw = -r,   Phi_q dq - de = (Xi Omega)^-1 w - Phi,   Xi Omega de = dw
/// ```
///
/// # Errors
/// A singular Xi Omega; those of the saddle-point factor.
pub(super) fn correction(
    model: &Model,
    point: &Point,
    stiffness: &Dense,
) -> Result<(Vec<f64>, Vec<f64>), LinearError> {
    let (n, m) = (model.nv(), model.nc());
    let (k, phi_q) = model.static_blocks(point);
    let (own, slack) = (to_sparse(stiffness), sparse::scale(-1.0, &sparse::identity(m)));
    let k = sparse::blocks(&[&[Some(&k), None], &[None, Some(&own)]], &[n, m], &[n, m]);
    let rows = sparse::blocks(&[&[Some(&phi_q), Some(&slack)]], &[m], &[n, m]);
    let force = model.residual(point).into_iter().map(|r| -r).chain(std::iter::repeat_n(0.0, m));
    let phi = model.phi(&point.q, point.t);
    let lack: Vec<f64> =
        Lu::new(stiffness)?.solve(&point.lambda).iter().zip(&phi).map(|(e, phi)| e - phi).collect();
    let (mut dq, dw) = Saddle::sparse(&k, &rows)?.solve(&force.collect::<Vec<f64>>(), &lack);
    dq.truncate(n);
    Ok((dq, dw))
}

/// The same by a dense matrix, [K Phi_q^T; Xi Omega Phi_q  -I], with dw counted in the unit of K over that of Phi_q and each row
/// divided by its largest entry: factors that differ by many powers of ten make none of it singular.
///
/// # Errors
/// Entries that are not finite.
pub(super) fn dense_correction(
    model: &Model,
    point: &Point,
    stiffness: &Dense,
) -> Result<(Vec<f64>, Vec<f64>), LinearError> {
    let (n, m) = (model.nv(), model.nc());
    let blocks = model.dense_blocks(point);
    let force = model.residual(point);
    let lack = dense::matvec(stiffness, &model.phi(&point.q, point.t));
    let unit = norms::max_abs(&blocks.k) / norms::max_abs(&blocks.phi_q);
    let unit = if unit > 0.0 && unit.is_finite() { unit } else { 1.0 };
    let mut full = Dense::zeros(n + m, n + m);
    let p = dense::mul(stiffness, &blocks.phi_q);
    for j in 0..n {
        for i in 0..n {
            full[(i, j)] = blocks.k[(i, j)];
        }
        for i in 0..m {
            full[(j, n + i)] = unit * blocks.phi_q[(i, j)];
            full[(n + i, j)] = p[(i, j)];
        }
    }
    for i in 0..m {
        full[(n + i, n + i)] = -unit;
    }
    let mut rhs: Vec<f64> =
        force.iter().map(|r| -r).chain((0..m).map(|i| point.lambda[i] - lack[i])).collect();
    for (i, rhs) in rhs.iter_mut().enumerate() {
        let largest = (0..n + m).fold(0.0_f64, |most, j| most.max(full[(i, j)].abs()));
        if largest > 0.0 {
            (0..n + m).for_each(|j| full[(i, j)] /= largest);
            *rhs /= largest;
        }
    }
    let mut dq = super::solve_or_shortest(&full, &rhs)?;
    let dw = dq.split_off(n).into_iter().map(|w| unit * w).collect();
    Ok((dq, dw))
}
