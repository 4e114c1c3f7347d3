//! How far eigenvalues move because penalties give way under the reactions at rest.
//!
//! ```text
//! Phi_i = lambda_i / (alpha_i omega^2) at the equilibrium of the penalty system:   K d + Phi_q^T mu = 0,   Phi_q d = Phi
//! ds = -(y^H (s^2 dM + s dC + dK) x + y^H dPhi_q^T l + m^H dPhi_q x) / (y^H (2 s M + C) x)
//! ```
//!
//! x, l and y, m are the right and left vectors of the mechanism with their multipliers; d before a matrix is its change from the
//! equilibrium of the mechanism to the displaced point q + d, lambda + mu.

use mb_algebra::{Sparse, c64, sparse};
use mb_constraints::Saddle;
use mb_eigen::Eigenpair;
use mb_linear::OperatingPoint;
use mb_model::Model;
use mb_model::system::LinearizedBlocks;

/// The largest share of itself that one of the eigenvalues moves by, with `factors` by row and the frequency `omega` of violations, rad/s; of
/// values nearer to zero than the smallest that is none, a share of that one. Zero without reactions, in motion, and where the equations of the
/// displacement have no solution.
pub(crate) fn moved(
    model: &Model,
    at: &OperatingPoint,
    pairs: &[Eigenpair],
    factors: &[f64],
    omega: f64,
) -> f64 {
    let point = at.point();
    if at.steady().is_some() || model.has_velocity_rows() || point.lambda.iter().all(|l| *l == 0.0) {
        return 0.0;
    }
    let before = model.blocks(point);
    let Ok(saddle) = Saddle::sparse(&before.k, &before.phi_q) else { return 0.0 };
    let given: Vec<f64> =
        point.lambda.iter().zip(factors).map(|(l, alpha)| l / (alpha * omega * omega)).collect();
    let (d, mu) = saddle.solve(&vec![0.0; model.nv()], &given);
    if d.iter().chain(&mu).any(|x| !x.is_finite()) {
        return 0.0;
    }
    let mut displaced = point.clone();
    displaced.q = model.coordinates().retract(&point.q, &d);
    displaced.lambda.iter_mut().zip(&mu).for_each(|(l, mu)| *l += mu);
    let after = model.blocks(&displaced);
    let change = |of: fn(&LinearizedBlocks) -> &Sparse| sparse::add(1.0, of(&after), -1.0, of(&before));
    let [m, c, k, phi_q] = [
        change(|blocks| &blocks.m),
        change(|blocks| &blocks.c),
        change(|blocks| &blocks.k),
        change(|blocks| &blocks.phi_q),
    ];
    let n = model.nv();
    let known = |pair: &&Eigenpair| {
        let sizes = [pair.right.len() == n, pair.left.len() == n || pair.left.is_empty()];
        pair.class.is_motion() && sizes == [true; 2] && pair.multipliers.len() == phi_q.rows()
    };
    let sizes = || pairs.iter().filter(known).filter_map(|pair| pair.value().map(c64::norm));
    let floor = sizes().filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    let of_pair = |pair: &Eigenpair| -> Option<f64> {
        let s = pair.value()?;
        // A symmetric problem has no left vectors of its own.
        let (y, m_left) = if pair.left.is_empty() {
            (conjugate(&pair.right), conjugate(&pair.multipliers))
        } else {
            (pair.left.to_vec(), pair.left_multipliers.to_vec())
        };
        let form = |a: &Sparse| inner(&y, &sparse::matvec_complex(a, &pair.right));
        let rows = inner(&sparse::matvec_complex(&phi_q, &y), &pair.multipliers)
            + inner(&m_left, &sparse::matvec_complex(&phi_q, &pair.right));
        let slope = 2.0 * s * form(&before.m) + form(&before.c);
        let ds = -(s * s * form(&m) + s * form(&c) + form(&k) + rows) / slope;
        ds.is_finite().then(|| ds.norm() / s.norm().max(floor))
    };
    pairs.iter().filter(known).filter_map(of_pair).fold(0.0, f64::max)
}

/// y^H x.
fn inner(y: &[c64], x: &[c64]) -> c64 {
    y.iter().zip(x).map(|(y, x)| y.conj() * x).sum()
}

fn conjugate(x: &[c64]) -> Vec<c64> {
    x.iter().map(c64::conj).collect()
}
