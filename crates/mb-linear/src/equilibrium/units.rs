//! Sizes of steps that are the same in every system of units.
//!
//! ```text
//! |d| = sqrt(sum (d_i / u_i)^2),   u_i = the extent of the model for positions and displacements, 1 rad for angles
//! ```

use mb_algebra::{Sparse, norms};
use mb_model::{BlockKind, Model, Point};

/// How far a search that goes downhill comes, compared with the reach of its start, before it is taken to run away along a motion
/// that nothing holds.
const FAR: f64 = 1e3;

/// What each velocity of a model counts in, at the configuration where a search began.
pub(crate) struct Units {
    length: f64,
    each: Vec<f64>,
}

impl Units {
    /// The units of a model at the configuration `q` (nq).
    pub(crate) fn new(model: &Model, q: &[f64]) -> Self {
        let length = model.extent(q);
        Self { length, each: model.coordinates().units(length) }
    }
    /// u (nv).
    pub(crate) fn each(&self) -> &[f64] {
        &self.each
    }
    /// d_i / u_i (nv).
    pub(crate) fn relative(&self, d: &[f64]) -> Vec<f64> {
        d.iter().zip(&self.each).map(|(d, u)| d / u).collect()
    }
    /// The length of a step.
    pub(crate) fn two(&self, d: &[f64]) -> f64 {
        norms::two(&self.relative(d))
    }
    /// The largest component of a step.
    pub(crate) fn largest(&self, d: &[f64]) -> f64 {
        norms::max_abs_vec(&self.relative(d))
    }
    /// The largest of some forces and moments (nv), forces times the extent.
    pub(crate) fn largest_moment(&self, force: &[f64]) -> f64 {
        force.iter().zip(&self.each).fold(0.0, |most, (f, u)| most.max(f.abs() * u))
    }
    /// What moments are small or large against: the largest at work, and what a millionth of a unit of displacement or acceleration
    /// would take, since in an unloaded model all of them are rounding.
    pub(crate) fn moment_scale(&self, model: &Model, point: &Point) -> f64 {
        let largest = |a: &Sparse| {
            a.iter().fold(0.0_f64, |most, (x, (i, j))| most.max(x.abs() * self.each[i] * self.each[j]))
        };
        let floor =
            1e-6 * (largest(&model.mass(point).to_sparse()) + largest(&model.stiffness(point).to_sparse()));
        model.largest_force_in(point, &self.each).max(floor).max(f64::MIN_POSITIVE)
    }
    /// The largest coordinate of a configuration `q` (nq): positions and displacements by the extent.
    fn largest_coordinate(&self, model: &Model, q: &[f64]) -> f64 {
        let of = |kind: BlockKind, i: usize, x: f64| {
            let length = i < kind.positions()
                || matches!(kind, BlockKind::ElasticNode | BlockKind::Displacement) && !kind.turns(i);
            if length { x.abs() / self.length } else { x.abs() }
        };
        let all = model.coordinates().blocks().iter().flat_map(|b| {
            let own = &q[b.q..b.q + b.kind.nq()];
            own.iter().enumerate().map(move |(i, x)| of(b.kind, i, *x))
        });
        all.fold(0.0, f64::max)
    }
    /// What steps at a configuration compare with: one more than the largest coordinate.
    pub(crate) fn reach(&self, model: &Model, q: &[f64]) -> f64 {
        1.0 + self.largest_coordinate(model, q)
    }
    /// Whether a search from `start` ran away to `q` (nq).
    pub(crate) fn ran_away(&self, model: &Model, start: &[f64], q: &[f64]) -> bool {
        self.largest_coordinate(model, q) > FAR * self.reach(model, start)
    }
}
