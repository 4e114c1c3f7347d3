//! Violation of the constraints, by owner and axis.

use mb_algebra::Sparse;
use mb_model::{Model, Point};

/// One violated row.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Index of the row.
    pub row: usize,
    /// Owner and axis.
    pub name: String,
    /// Phi, in the unit of the row.
    pub position: f64,
    /// Phi' = Phi_q v + Phi_t.
    pub velocity: f64,
    /// Phi'' along v and a.
    pub acceleration: f64,
}

/// Every row's violation at a point of motion.
pub fn violations(model: &Model, point: &Point) -> Vec<Violation> {
    let position = model.phi(&point.q, point.t);
    let velocity = model.phi_dot(&point.q, &point.v, point.t);
    let acceleration = model.phi_ddot(point);
    (0..model.nc())
        .map(|row| Violation {
            row,
            name: model.row_name(row),
            position: position[row],
            velocity: velocity[row],
            acceleration: acceleration[row],
        })
        .collect()
}

/// Units in the last place of the coordinates that a constraint may be violated by.
const LAST_PLACES: f64 = 8.0;

/// What each row may be violated by: the change that a step of `tolerance` can make in it, and what rounding of coordinates of these sizes
/// makes of it. No numbers of this precision are nearer to an assembled configuration.
///
/// ```text
/// |Phi_i| <= tolerance max(max_j |Phi_q,ij|, 1e-3) + 8 u sum_j |Phi_q,ij| |x_j|
/// ```
///
/// `sizes`: of the coordinates, nv numbers.
pub fn allowed_violations(phi_q: &Sparse, sizes: &[f64], tolerance: f64) -> Vec<f64> {
    let mut reach = vec![1e-3_f64; phi_q.rows()];
    let mut rounding = vec![0.0; phi_q.rows()];
    for (value, (row, col)) in phi_q {
        reach[row] = reach[row].max(value.abs());
        rounding[row] += value.abs() * sizes[col];
    }
    let unit = LAST_PLACES * 0.5 * f64::EPSILON;
    reach.iter().zip(&rounding).map(|(reach, rounding)| tolerance * reach + unit * rounding).collect()
}

/// Index and magnitude of the largest number of a list; none when it is empty.
pub fn largest(values: &[f64]) -> Option<(usize, f64)> {
    values.iter().map(|x| x.abs()).enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
}
