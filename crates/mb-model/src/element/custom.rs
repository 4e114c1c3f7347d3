//! Elements from outside this crate, behind a trait object.

use super::{Data, Dependence, ElementLaw, Local, Place};
use crate::outline::Stroke;
use mb_scalar::Dual;
use std::fmt::Debug;

/// The object-safe face of [`ElementLaw`]; implemented for every law, never by hand.
///
/// Rust has no trait objects with generic methods, so there is one method per scalar of the
/// closed list that elements are evaluated in ([`super::Tower`]).
#[expect(missing_docs, reason = "one method per scalar, each the method of ElementLaw of that name")]
pub trait CustomElement<P: Data>: Debug + Send + Sync {
    fn rows_0(&self) -> usize;
    fn velocity_rows_0(&self) -> usize;
    fn row_axis_0(&self, i: usize) -> String;
    fn inputs_0(&self) -> usize;
    fn dependence_0(&self) -> Dependence;
    fn outline_0(&self) -> Option<(Stroke, Vec<Place<P>>)>;
    fn residual_0(&self, at: &Local<'_, P>, out: &mut [P]);
    fn residual_1(&self, at: &Local<'_, Dual<P>>, out: &mut [Dual<P>]);
    fn residual_2(&self, at: &Local<'_, Dual<Dual<P>>>, out: &mut [Dual<Dual<P>>]);
    fn residual_3(&self, at: &Local<'_, Dual<Dual<Dual<P>>>>, out: &mut [Dual<Dual<Dual<P>>>]);
    fn phi_0(&self, at: &Local<'_, P>, out: &mut [P]);
    fn phi_1(&self, at: &Local<'_, Dual<P>>, out: &mut [Dual<P>]);
    fn phi_2(&self, at: &Local<'_, Dual<Dual<P>>>, out: &mut [Dual<Dual<P>>]);
    fn phi_3(&self, at: &Local<'_, Dual<Dual<Dual<P>>>>, out: &mut [Dual<Dual<Dual<P>>>]);
    fn rates_0(&self, at: &Local<'_, P>, out: &mut [P]);
    fn rates_1(&self, at: &Local<'_, Dual<P>>, out: &mut [Dual<P>]);
    fn rates_2(&self, at: &Local<'_, Dual<Dual<P>>>, out: &mut [Dual<Dual<P>>]);
    fn rates_3(&self, at: &Local<'_, Dual<Dual<Dual<P>>>>, out: &mut [Dual<Dual<Dual<P>>>]);
    fn potential_0(&self, at: &Local<'_, P>) -> P;
    fn potential_1(&self, at: &Local<'_, Dual<P>>) -> Dual<P>;
    fn potential_2(&self, at: &Local<'_, Dual<Dual<P>>>) -> Dual<Dual<P>>;
    fn potential_3(&self, at: &Local<'_, Dual<Dual<Dual<P>>>>) -> Dual<Dual<Dual<P>>>;
}

impl<P: Data, L: ElementLaw<P> + Debug + Send + Sync> CustomElement<P> for L {
    fn rows_0(&self) -> usize {
        self.rows()
    }
    fn velocity_rows_0(&self) -> usize {
        self.velocity_rows()
    }
    fn row_axis_0(&self, i: usize) -> String {
        self.row_axis(i)
    }
    fn inputs_0(&self) -> usize {
        self.inputs()
    }
    fn dependence_0(&self) -> Dependence {
        self.dependence()
    }
    fn outline_0(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        self.outline()
    }
    fn residual_0(&self, at: &Local<'_, P>, out: &mut [P]) {
        self.residual(at, out);
    }
    fn residual_1(&self, at: &Local<'_, Dual<P>>, out: &mut [Dual<P>]) {
        self.residual(at, out);
    }
    fn residual_2(&self, at: &Local<'_, Dual<Dual<P>>>, out: &mut [Dual<Dual<P>>]) {
        self.residual(at, out);
    }
    fn residual_3(&self, at: &Local<'_, Dual<Dual<Dual<P>>>>, out: &mut [Dual<Dual<Dual<P>>>]) {
        self.residual(at, out);
    }
    fn phi_0(&self, at: &Local<'_, P>, out: &mut [P]) {
        self.phi(at, out);
    }
    fn phi_1(&self, at: &Local<'_, Dual<P>>, out: &mut [Dual<P>]) {
        self.phi(at, out);
    }
    fn phi_2(&self, at: &Local<'_, Dual<Dual<P>>>, out: &mut [Dual<Dual<P>>]) {
        self.phi(at, out);
    }
    fn phi_3(&self, at: &Local<'_, Dual<Dual<Dual<P>>>>, out: &mut [Dual<Dual<Dual<P>>>]) {
        self.phi(at, out);
    }
    fn rates_0(&self, at: &Local<'_, P>, out: &mut [P]) {
        self.rates(at, out);
    }
    fn rates_1(&self, at: &Local<'_, Dual<P>>, out: &mut [Dual<P>]) {
        self.rates(at, out);
    }
    fn rates_2(&self, at: &Local<'_, Dual<Dual<P>>>, out: &mut [Dual<Dual<P>>]) {
        self.rates(at, out);
    }
    fn rates_3(&self, at: &Local<'_, Dual<Dual<Dual<P>>>>, out: &mut [Dual<Dual<Dual<P>>>]) {
        self.rates(at, out);
    }
    fn potential_0(&self, at: &Local<'_, P>) -> P {
        self.potential(at)
    }
    fn potential_1(&self, at: &Local<'_, Dual<P>>) -> Dual<P> {
        self.potential(at)
    }
    fn potential_2(&self, at: &Local<'_, Dual<Dual<P>>>) -> Dual<Dual<P>> {
        self.potential(at)
    }
    fn potential_3(&self, at: &Local<'_, Dual<Dual<Dual<P>>>>) -> Dual<Dual<Dual<P>>> {
        self.potential(at)
    }
}
