//! Free turns of a steady motion: displacements that lead to another steady motion of the same kind, so that s = 0 exactly.
//!
//! One is the motion itself a moment later, y = v, where no constraint moves. Where the equations hold as well after everything
//! has turned about the axis of the frame, which is shown at turned points, y = W x (p - c) is another, and the spin of bodies in
//! the frame is their difference. In theory
//!
//! ```text
//! r = (K + C S + M S^2) y + Phi_q^T l = 0
//! ```
//!
//! Rounding of the terms of that sum, which may be far larger than the sum, leaves an r, and the zero eigenvalues, which come in
//! chains, are off by its eigenvalue. What is left is therefore taken out of the stiffness, a change within the
//! rounding of its terms:
//!
//! ```text
//! K <- K - r y^T,   of a symmetric K: K - r y^T - y r^T + (y . r) y y^T,   |y| = 1
//! ```

use super::frames::in_plane;
use super::generator::Generator;
use super::scale::GOLDEN;
use super::search::Field;
use super::{STEADY, SteadyMotion};
use crate::point::force_scale;
use mb_algebra::{Dense, dense, norms};
use mb_constraints::minimum_norm_multipliers;
use mb_model::{BlockKind, Model, Point};

/// Share of the largest force and of the largest entry of K up to which what is left is rounding.
const ROUNDING: f64 = 1e-11;

/// Turned points that are looked at.
const PHASES: u32 = 5;

impl SteadyMotion {
    /// K (n x n, in the frame) without what rounding leaves of it along the free turns.
    pub(crate) fn freed(&self, model: &Model, k: Dense, phi_q: &Dense) -> Dense {
        let point = &self.point;
        if model.phi_t(&point.q, point.t).iter().any(|x| *x != 0.0) {
            return k;
        }
        let mut free = vec![point.v.clone()];
        free.extend(self.turn_of_all(model));
        let rows = mb_algebra::to_sparse(phi_q);
        let size = norms::max_abs(&k);
        let mut done: Vec<Vec<f64>> = Vec::new();
        let mut k = k;
        for mut y in free {
            for other in &done {
                let part = dense::dot(&y, other);
                for (y, o) in y.iter_mut().zip(other) {
                    *y -= part * o;
                }
            }
            let length = norms::two(&y);
            if length <= STEADY * norms::two(&point.v) {
                continue;
            }
            for y in &mut y {
                *y /= length;
            }
            let Ok((_, r)) = minimum_norm_multipliers(&rows, &dense::matvec(&k, &y)) else { continue };
            if norms::max_abs_vec(&r) > ROUNDING * size {
                continue;
            }
            let symmetric = dense::is_symmetric(&k, ROUNDING).is_ok();
            let along = dense::dot(&y, &r);
            k = Dense::from_fn(k.nrows(), k.ncols(), |i, j| {
                let other = if symmetric { y[i] * r[j] - along * y[i] * y[j] } else { 0.0 };
                k[(i, j)] - r[i] * y[j] - other
            });
            done.push(y);
        }
        k
    }
    /// The turn of everything that the frame carries about its axis, where the equations hold after it as well.
    fn turn_of_all(&self, model: &Model) -> Option<Vec<f64>> {
        let rate = self.frame.rate().filter(|rate| rate.iter().any(|x| *x != 0.0))?;
        let point = &self.point;
        let mut turn = Field::new(model, point, rate)?.of_frame(model, &point.q);
        for b in model.coordinates().blocks() {
            // Angles in the plane turn along; those of joints in space do not, nor do the elastic ones of a link.
            match b.kind {
                BlockKind::PlanarPose => turn[b.v + 2] = rate[2],
                BlockKind::Angle if in_plane(model) => turn[b.v] = rate[2],
                _ => {}
            }
        }
        let carried = Point { v: turn.clone(), ..point.clone() };
        let s = Generator::of_frame(model, &carried, rate);
        let speed = s.speeds().fold(0.0, f64::max);
        let forces = force_scale(model, point);
        for phase in 1..=PHASES {
            let time = std::f64::consts::TAU * GOLDEN * f64::from(phase) / speed;
            let mut there = Point { q: s.along(&carried, time).q, ..point.clone() };
            there.v = s.carried_vector(time, &point.v);
            there.a = s.carried_vector(time, &point.a);
            there.lambda = vec![0.0; model.nc()];
            let missing: Vec<f64> = model.residual(&there).iter().map(|x| -x).collect();
            let rows = model.phi_q(&there.q, there.t).to_sparse();
            let (_, rest) = minimum_norm_multipliers(&rows, &missing).ok()?;
            let broken = norms::max_abs_vec(&model.phi(&there.q, there.t));
            if norms::max_abs_vec(&rest) > ROUNDING * forces || broken > ROUNDING {
                return None;
            }
        }
        Some(turn)
    }
}
