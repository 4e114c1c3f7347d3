//! Shifts and turns of a whole free motion across the axis of the frame that it is seen from: the ground's directions go round there, so that
//! they are disturbances with s = +-i w, w the rate of the frame, whatever the digits of the matrices are.
//!
//! ```text
//! y = a cos(w t) - b sin(w t),   b = n x a,   K Z + C Z J + M Z J^2 + Phi_q^T l = 0,   Z = [a b],   J = [0 w; -w 0]
//! ```
//!
//! n is the axis of the frame. A shift a takes everything along; a turn about a displaces positions by a x (p - c), c the
//! centre of the frame. That the motion is one of the same kind after it is shown at displaced points, as for what stands still in the frame (`free`).

use super::displaced::{Displaced, LEFT, ROUNDING};
use super::free::{factored, shift, slack};
use super::generator::length;
use super::search::{Field, cross};
use super::{STEADY, SteadyMotion};
use mb_algebra::{Dense, Sparse, dense, norms, sparse};
use mb_model::{BlockKind, Model};

/// Two displacements of everything that turn into each other in the frame of a steady motion.
#[derive(Clone, Debug, PartialEq)]
pub struct FreePair {
    /// [a b], n x 2.
    pub directions: Dense,
    /// w, rad/s.
    pub rate: f64,
}

impl SteadyMotion {
    /// Shifts and turns across the axis of the frame after which the motion is one of the same kind; `m`, `c`, `k` (n x n) and `phi_q`
    /// (m x n) are those of the motion in its frame. None in the ground's frame, where they are zeros.
    pub fn free_pairs(&self, model: &Model, [m, c, k]: [&Sparse; 3], phi_q: &Sparse) -> Vec<FreePair> {
        let Some(rate) = self.frame.rate().filter(|rate| length(*rate) > 0.0) else { return Vec::new() };
        if model.has_velocity_rows() {
            return Vec::new();
        }
        let w = length(rate);
        let n = rate.map(|x| x / w);
        let least = (0..3).min_by(|i, j| n[*i].abs().total_cmp(&n[*j].abs())).unwrap_or(0);
        let mut unit = [0.0; 3];
        unit[least] = 1.0;
        let across = cross(n, unit);
        let a = across.map(|x| x / length(across));
        let b = cross(n, a);
        let sizes = [m, c, k].map(norms_of);
        let size = sizes[2] + w * sizes[1] + w * w * sizes[0];
        let forced = |y: &[f64], z: &[f64], sign: f64| -> Vec<f64> {
            let (of_k, of_c, of_m) = (sparse::matvec(k, y), sparse::matvec(c, z), sparse::matvec(m, y));
            (0..y.len()).map(|i| of_k[i] + sign * w * of_c[i] - w * w * of_m[i]).collect()
        };
        let rows = norms_of(phi_q);
        let largest = |y: &[f64]| norms::max_abs_vec(y);
        // What Newton's method has left of the motion itself is left of displacements too.
        let Some(displaced) = Displaced::new(model, &self.point, self.forces) else { return Vec::new() };
        let factors = factored(phi_q);
        let holds = |force: Vec<f64>, y: &[f64]| {
            let rest = factors.as_ref().map(|factors| largest(&factors.solve(&force).1));
            let moved = largest(&sparse::matvec(phi_q, y));
            rest.is_some_and(|rest| rest <= ROUNDING * size * largest(y) + LEFT * displaced.force())
                && moved <= ROUNDING * rows * largest(y)
        };
        let mut out: Vec<FreePair> = Vec::new();
        let mut take = |pair: [Vec<f64>; 2], turn: [[f64; 3]; 2]| {
            let [y, z] = &pair;
            if largest(y) == 0.0 || !holds(forced(y, z, -1.0), y) || !holds(forced(z, y, 1.0), z) {
                return;
            }
            let leads = |y: &[f64], rate| displaced.leads_on(y, rate, slack(y, size));
            if leads(y, turn[0]) && leads(z, turn[1]) {
                let directions = dense::from_columns(model.nv(), &pair);
                out.push(FreePair { directions, rate: w });
            }
        };
        take([shift(model, a), shift(model, b)], [[0.0; 3]; 2]);
        let only_in_space = |kind| matches!(kind, BlockKind::Pose | BlockKind::SpatialPoint);
        if model.coordinates().blocks().iter().all(|b| only_in_space(b.kind))
            && let Some(field) = Field::new(model, &self.point, rate)
        {
            let turn = |axis| field.turned_about(axis).of_frame(model, &self.point.q);
            take([turn(a), turn(b)], [a, b]);
        }
        independent(out)
    }
}

/// The pairs without those that others make: of one point a turn is a shift.
fn independent(pairs: Vec<FreePair>) -> Vec<FreePair> {
    let mut out: Vec<FreePair> = Vec::new();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for pair in pairs {
        let mut added = Vec::new();
        for j in 0..2 {
            let y = dense::column(&pair.directions, j);
            let mut rest = y.clone();
            for other in basis.iter().chain(&added) {
                let part = dense::dot(&rest, other);
                rest.iter_mut().zip(other).for_each(|(r, o)| *r -= part * o);
            }
            let size = norms::two(&rest);
            if size > STEADY * norms::two(&y) {
                added.push(rest.iter().map(|r| r / size).collect::<Vec<f64>>());
            }
        }
        if added.len() == 2 {
            basis.append(&mut added);
            out.push(pair);
        }
    }
    out
}

fn norms_of(a: &Sparse) -> f64 {
    a.data().iter().fold(0.0_f64, |largest, x| largest.max(x.abs()))
}
