//! What a residual of the equations of motion is small or large against.

use crate::model::Model;
use crate::state::Point;

/// Units in the last place of the coordinates that a balance of forces may be off by.
const LAST_PLACES: f64 = 8.0;

impl Model {
    /// The size of the forces at work at a point.
    ///
    /// In an unloaded model all forces are rounding; there the scale is what a millionth of a unit of displacement or acceleration
    /// would take.
    pub fn force_scale(&self, point: &Point) -> f64 {
        let (m, k) = self.largest_entries(point);
        self.largest_force(point).max(1e-6 * (m + k)).max(f64::MIN_POSITIVE)
    }

    /// What 8 units in the last place of every coordinate and multiplier can add up to in each equation: nv forces.
    ///
    /// ```text
    /// rho_i = 8 (eps / 2) ( sum_j |K_ij| |q_j| + sum_r |(Phi_q)_ri lambda_r| )
    /// ```
    pub fn rounding_of_forces(&self, point: &Point) -> Vec<f64> {
        let size = self.coordinates().sizes(&point.q);
        let mut out = vec![0.0; self.nv()];
        let mut first = 0;
        self.static_blocks_by_columns(point, |k, phi_q| {
            for (value, (i, j)) in k {
                out[i] += value.abs() * size[first + j];
            }
            for (value, (row, j)) in phi_q {
                out[first + j] += (value * point.lambda[row]).abs();
            }
            first += k.cols();
        });
        for x in &mut out {
            *x *= LAST_PLACES * 0.5 * f64::EPSILON;
        }
        out
    }
}
