//! Points of motion: everything a residual is evaluated at.

use mb_scalar::Real;

/// Configuration, velocities, accelerations, multipliers, time and inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Point<P = f64> {
    /// Configuration, nq numbers.
    pub q: Vec<P>,
    /// Velocities, nv numbers.
    pub v: Vec<P>,
    /// Accelerations, nv numbers.
    pub a: Vec<P>,
    /// Multipliers, one for each constraint row.
    pub lambda: Vec<P>,
    /// Time in s.
    pub t: P,
    /// Inputs.
    pub u: Vec<P>,
}

impl<P: Real> Point<P> {
    /// The point at rest in `q` with multipliers `lambda` and inputs zero, at t = 0.
    pub fn at_rest(q: Vec<P>, lambda: Vec<P>, nv: usize, inputs: usize) -> Self {
        let zero = vec![P::zero(); nv];
        Self { q, v: zero.clone(), a: zero, lambda, t: P::zero(), u: vec![P::zero(); inputs] }
    }
}
