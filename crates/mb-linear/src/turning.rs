//! Velocities that are not rates of coordinates: bodies in space that turn.
//!
//! The velocity w of a body in space is the angular velocity in its own axes, while a small change
//! of its configuration is a rotation d by body axes. Along a motion the two are tied by
//!
//! ```text
//! dw = d' + w x d,   dw' = d'' + w x d' + w' x d
//! ```
//!
//! and so dv = x' + T x, da = x'' + T x' + T' x for a change x of the whole configuration, with
//! T = [w x] on the rotations of bodies in space and zero elsewhere. Put into any linear form
//! A da + B dv + C dx it gives A x'' + (B + A T) x' + (C + B T + A T') x: equations in x and its
//! true rates. At rest T = T' = 0.

use crate::instant::ConstraintRates;
use mb_algebra::dense::add_mul_sparse;
use mb_algebra::{Dense, Scatter, Sparse, Triplets, sparse};
use mb_model::{BlockKind, Model, Point};

/// T and T' at a point: two entries in a column at most, so that products with dense matrices take them one by one.
#[derive(Clone, Debug)]
pub(crate) struct Turning {
    rate: Sparse,
    change: Sparse,
}

/// [w x] on the rotations of every body in space; none when all are zero.
pub(crate) fn crosses(model: &Model, v: &[f64]) -> Triplets {
    let mut out = Triplets::new(model.nv(), model.nv());
    for block in model.coordinates().blocks() {
        if block.kind == BlockKind::Pose {
            let i = block.v + 3;
            for k in 0..3 {
                let (a, b) = (i + (k + 1) % 3, i + (k + 2) % 3);
                // Row a of w x d has w_b d_k, row b has -w_a d_k.
                for (row, value) in [(a, v[b]), (b, -v[a])] {
                    if value != 0.0 {
                        out.add(row, i + k, value);
                    }
                }
            }
        }
    }
    out
}

impl Turning {
    /// None where nothing turns.
    pub(crate) fn new(model: &Model, point: &Point) -> Option<Self> {
        let [rate, change] = [crosses(model, &point.v), crosses(model, &point.a)];
        let turns = !(rate.is_empty() && change.is_empty());
        turns.then(|| Self { rate: rate.to_sparse(), change: change.to_sparse() })
    }
    /// B + A T and C + B T + A T'.
    pub(crate) fn applied(&self, a: &Dense, b: Dense, c: Dense) -> (Dense, Dense) {
        let second = add_mul_sparse(add_mul_sparse(c, 1.0, &b, &self.rate), 1.0, a, &self.change);
        (add_mul_sparse(b, 1.0, a, &self.rate), second)
    }
    /// The same of sparse blocks.
    pub(crate) fn applied_sparse(&self, a: &Sparse, b: &Sparse, c: &Sparse) -> (Sparse, Sparse) {
        let plus = |x: &Sparse, y: &Sparse| sparse::add(1.0, x, 1.0, y);
        let second = plus(&plus(c, &sparse::mul(b, &self.rate)), &sparse::mul(a, &self.change));
        (plus(b, &sparse::mul(a, &self.rate)), second)
    }
    /// The derivatives of the constraint rates in terms of coordinates and their true rates.
    pub(crate) fn of_rates(&self, phi_q: &Dense, rates: ConstraintRates) -> ConstraintRates {
        let ConstraintRates { phi_dot_q, phi_ddot_q, phi_ddot_v } = rates;
        let (phi_ddot_v, phi_ddot_q) = self.applied(phi_q, phi_ddot_v, phi_ddot_q);
        let phi_dot_q = add_mul_sparse(phi_dot_q, 1.0, phi_q, &self.rate);
        ConstraintRates { phi_dot_q, phi_ddot_q, phi_ddot_v }
    }
}
