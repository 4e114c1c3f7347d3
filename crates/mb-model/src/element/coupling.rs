//! A coupling of motions: gears, racks, belts, screws, differentials, ropes.
//!
//! ```text
//! Phi = f_1 x_1 + f_2 x_2 + ... - sum,   x_i a quantity of the configuration, f_i its factor
//! ```
//!
//! The rotation of a joint in space is known up to whole turns only. Where f_i = n_i g with whole numbers n_i for all rotations,
//! Phi is known up to multiples of 2 pi g, and the one nearest to zero is taken: the row holds through any number of turns.

use super::{Data, ElementLaw, Local, Quantity};
use mb_scalar::Lift;

/// A sum of quantities with factors that stays what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling<P = f64> {
    /// Factors and quantities; the products have one unit.
    pub terms: Vec<(P, Quantity<P>)>,
    /// What the sum is.
    pub sum: P,
    /// g, the largest number of which the factors of all rotations of joints in space are whole multiples; zero where there is
    /// no such rotation.
    pub step: f64,
}

impl<P: Data> ElementLaw<P> for Coupling<P> {
    fn rows(&self) -> usize {
        1
    }
    fn row_axis(&self, _: usize) -> String {
        "coupling".to_owned()
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let mut phi = -S::lift(self.sum);
        for (factor, quantity) in &self.terms {
            phi += quantity.eval(at.q).times(*factor);
        }
        if self.step > 0.0 {
            let turn = core::f64::consts::TAU * self.step;
            phi -= S::cst(turn * (phi.value() / turn).round());
        }
        out[0] = phi;
    }
}
