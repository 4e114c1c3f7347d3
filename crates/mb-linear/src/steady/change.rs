//! What the blocks of the linearization do along a motion, in a first instant: exact derivatives by time.
//!
//! ```text
//! M a' + Phi_q^T lambda' = -(K v + C a + r_t),   Phi_q a' = -(Phi''_q v + Phi''_v a + Phi''_t)
//! dX/dt = X_q v + X_v a + X_a a' + X_lambda lambda' + X_t
//! ```
//!
//! The first line is the equations of motion differentiated once. M, C and K of the second are those in terms of
//! coordinates and their true rates (`turning.rs`), so that the terms of turning bodies change too:
//!
//! ```text
//! C~ = C + M T,             dC~ = dC + dM T + M T'
//! K~ = K + C T + M T',      dK~ = dK + dC T + C T' + dM T' + M T''
//! dPhi_q = d(Phi')/dq + Phi_q T
//! ```

use crate::error::LinearError;
use crate::point::Instant;
use crate::turning::crosses;
use mb_algebra::{Dense, dense};
use mb_constraints::Saddle;
use mb_model::Model;
use mb_model::system::Blocks;

/// The blocks at a point of a motion and their derivatives by time.
#[derive(Debug)]
pub(super) struct Change {
    /// M, C~, K~.
    pub(super) now: [Dense; 3],
    /// Their derivatives.
    pub(super) rates: [Dense; 3],
    pub(super) phi_q: Dense,
    pub(super) phi_q_rate: Dense,
    /// a', nv numbers.
    pub(super) a_rate: Vec<f64>,
}

impl Change {
    pub(super) fn new(model: &Model, at: &Instant) -> Result<Self, LinearError> {
        let point = at.point();
        let Blocks { m, c, k, phi_q } = model.dense_blocks(point);
        let sum = |a: Vec<f64>, b: Vec<f64>| -> Vec<f64> { a.iter().zip(&b).map(|(a, b)| a + b).collect() };
        let minus = |a: Vec<f64>| -> Vec<f64> { a.iter().map(|x| -x).collect() };
        let forces = sum(dense::matvec(&k, &point.v), dense::matvec(&c, &point.a));
        let forces = minus(sum(forces, model.residual_t(point)));
        let by_q = model.phi_ddot_q(point).to_dense();
        let by_v = model.phi_ddot_v(point).to_dense();
        let rows = sum(dense::matvec(&by_q, &point.v), dense::matvec(&by_v, &point.a));
        let rows = minus(sum(rows, model.phi_ddot_t(point)));
        let (a_rate, lambda_rate) = Saddle::dense(&m, &phi_q)?.solve(&forces, &rows);
        let d = model.block_rates(point, &a_rate, &lambda_rate);
        let (dm, dc, dk) = (d.m.to_dense(), d.c.to_dense(), d.k.to_dense());
        let [t, t1, t2] = [&point.v, &point.a, &a_rate].map(|w| crosses(model, w).to_dense());
        let mul = |a: &Dense, b: &Dense| dense::mul(a, b);
        let c_rate = &(&dc + &mul(&dm, &t)) + &mul(&m, &t1);
        let k_rate = &(&(&(&dk + &mul(&dc, &t)) + &mul(&c, &t1)) + &mul(&dm, &t1)) + &mul(&m, &t2);
        let c_now = &c + &mul(&m, &t);
        let k_now = &(&k + &mul(&c, &t)) + &mul(&m, &t1);
        let phi_q_rate = &model.phi_dot_q(&point.q, &point.v, point.t).to_dense() + &mul(&phi_q, &t);
        Ok(Self { now: [m, c_now, k_now], rates: [dm, c_rate, k_rate], phi_q, phi_q_rate, a_rate })
    }
}
