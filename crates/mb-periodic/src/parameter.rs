//! Derivatives of the equations by a parameter of the model, exact: the model in jets of first order in it.

use mb_model::{Model, Point};
use mb_scalar::jet::{DynJet, Monomials};

/// The scalar that a model is made in to be differentiated by a parameter.
pub type ParameterJet = DynJet<70>;

/// The value and the first power of one variable.
fn table() -> &'static Monomials {
    Monomials::new(&[vec![0], vec![1]]).unwrap_or_else(|e| unreachable!("{e}"))
}

/// A parameter with the value `p`, to make a model with.
pub fn parameter(p: f64) -> ParameterJet {
    ParameterJet::variable(table(), 0, p)
}

/// Derivatives by the parameter at constant positions, velocities, accelerations and multipliers.
#[derive(Debug)]
pub(crate) struct ByParameter<'m> {
    model: &'m Model<ParameterJet>,
    table: &'static Monomials,
}

impl<'m> ByParameter<'m> {
    pub(crate) fn new(model: &'m Model<ParameterJet>) -> Self {
        Self { model, table: table() }
    }
    fn constant(&self, x: f64) -> ParameterJet {
        ParameterJet::from_coefficients(self.table, &[x, 0.0])
    }
    fn lifted(&self, point: &Point) -> Point<ParameterJet> {
        let of = |list: &[f64]| list.iter().map(|x| self.constant(*x)).collect();
        Point {
            q: of(&point.q),
            v: of(&point.v),
            a: of(&point.a),
            lambda: of(&point.lambda),
            t: self.constant(point.t),
            u: of(&point.u),
        }
    }
    fn slopes(&self, list: &[ParameterJet]) -> Vec<f64> {
        list.iter().map(|x| x.coefficients(self.table)[1]).collect()
    }
    /// Of the residual and of Phi''.
    pub(crate) fn equations(&self, point: &Point) -> (Vec<f64>, Vec<f64>) {
        let at = self.lifted(point);
        (self.slopes(&self.model.residual(&at)), self.slopes(&self.model.phi_ddot(&at)))
    }
    /// Of Phi and Phi'.
    pub(crate) fn constraints(&self, q: &[f64], v: &[f64], t: f64) -> (Vec<f64>, Vec<f64>) {
        let of = |list: &[f64]| -> Vec<ParameterJet> { list.iter().map(|x| self.constant(*x)).collect() };
        let (q, v, t) = (of(q), of(v), self.constant(t));
        (self.slopes(&self.model.phi(&q, t)), self.slopes(&self.model.phi_dot(&q, &v, t)))
    }
}
