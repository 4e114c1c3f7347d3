//! The operating point as a polynomial.

use crate::{MultiIndexSet, ParametricError};
use mb_model::Point;
use mb_model::coordinates::Coordinates;

/// The series of (q, v, a, lambda, u); the time is that of the centre.
#[derive(Clone, Debug)]
pub struct PointSeries {
    set: MultiIndexSet,
    coordinates: Coordinates,
    centre: Point,
    /// Along the tangent from the centre, then v, a, lambda, u: one list for each term.
    terms: [Vec<Vec<f64>>; 5],
}

impl PointSeries {
    pub(super) fn new(
        set: MultiIndexSet,
        coordinates: Coordinates,
        centre: Point,
        terms: [Vec<Vec<f64>>; 5],
    ) -> Self {
        Self { set, coordinates, centre, terms }
    }

    /// The point of expansion, in equilibrium where that was asked for.
    pub fn centre(&self) -> &Point {
        &self.centre
    }

    /// Displacements along the tangent from the centre, nv numbers for each term of the set.
    pub fn displacement_coefficients(&self) -> &[Vec<f64>] {
        &self.terms[0]
    }

    /// Speeds, nv numbers for each term of the set.
    pub fn speed_coefficients(&self) -> &[Vec<f64>] {
        &self.terms[1]
    }

    /// Inputs, for each term of the set.
    pub fn input_coefficients(&self) -> &[Vec<f64>] {
        &self.terms[4]
    }

    /// The operating point at the distance `d` from the centre.
    ///
    /// # Errors
    /// `d` of another length than the number of variables, or not finite.
    pub fn evaluate(&self, d: &[f64]) -> Result<Point, ParametricError> {
        let monomials = self.set.monomials(d)?;
        let [delta, v, a, lambda, u] = [0, 1, 2, 3, 4].map(|part| {
            let list: &[Vec<f64>] = &self.terms[part];
            let mut sum = vec![0.0; list[0].len()];
            for (term, x) in list.iter().zip(&monomials).rev() {
                for (s, c) in sum.iter_mut().zip(term) {
                    *s += c * x;
                }
            }
            sum
        });
        let q = self.coordinates.retract(&self.centre.q, &delta);
        Ok(Point { q, v, a, lambda, t: self.centre.t, u })
    }
}
