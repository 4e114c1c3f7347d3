//! How large a model is, and the units in which its coordinates are of one size.
//!
//! Steps and corrections have components in metres and in radians. A norm of them means the same in every system of units
//! where lengths count by the extent of the model.

use crate::coordinates::{BlockKind, Coordinates};
use crate::model::Model;

/// Least extent compared with the largest coordinate of a position: what is less is rounding of places that coincide.
const COINCIDE: f64 = 1e-9;

impl Model {
    /// The diagonal of the box around all positions and all places of elements at the configuration `q` (nq), in m; one where all
    /// are in one place.
    pub fn extent(&self, q: &[f64]) -> f64 {
        let mut corners = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let mut take = |axis: usize, x: f64| {
            corners[0][axis] = corners[0][axis].min(x);
            corners[1][axis] = corners[1][axis].max(x);
        };
        for block in self.coordinates().blocks() {
            for axis in 0..block.kind.positions() {
                take(axis, q[block.q + axis]);
            }
        }
        // Fixed points, nodes and rods stretch a model of one body.
        for place in (0..self.members().len()).flat_map(|m| self.strokes_of(m)).flat_map(|s| s.places) {
            for (axis, x) in self.place_at(&place, q).into_iter().enumerate() {
                take(axis, x);
            }
        }
        let [low, high] = corners;
        let diagonal = (0..3).map(|k| (high[k] - low[k]).max(0.0).powi(2)).sum::<f64>().sqrt();
        let furthest = low.iter().chain(&high).filter(|x| x.is_finite()).fold(0.0_f64, |m, x| m.max(x.abs()));
        if diagonal > COINCIDE * furthest { diagonal } else { 1.0 }
    }
}

impl Coordinates {
    /// What a change along each velocity counts in (nv): `length` for positions and displacements, one for angles and for
    /// coordinates of unknown kind.
    pub fn units(&self, length: f64) -> Vec<f64> {
        let unit = |kind: BlockKind, i: usize| {
            if kind.turns(i) || matches!(kind, BlockKind::Vector(_)) { 1.0 } else { length }
        };
        self.blocks().iter().flat_map(|b| (0..b.kind.nv()).map(move |i| unit(b.kind, i))).collect()
    }
}
