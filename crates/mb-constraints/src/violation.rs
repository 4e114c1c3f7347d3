//! Violation of the constraints, by owner and axis.

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

/// Index and magnitude of the largest number of a list; none when it is empty.
pub fn largest(values: &[f64]) -> Option<(usize, f64)> {
    values.iter().map(|x| x.abs()).enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
}
