//! A forced van der Pol oscillator that falls out of step: a Neimark-Sacker bifurcation, where by Liouville's formula the mean square
//! of x is one.
//!
//! ```text
//! x'' - mu (1 - x^2) x' + x = F cos(w t),   |m|^2 = exp(mu times the integral of 1 - x^2 over a period) of a complex pair m
//! ```

use mb_model::coordinates::BlockKind;
use mb_model::element::{Dependence, Element, ElementLaw, Local};
use mb_model::{Data, Model};
use mb_periodic::{
    Bifurcation, BranchOptions, Family, OrbitOptions, ParameterJet, Period, PeriodicError, State, find_orbit,
    floquet, follow_branch, parameter,
};
use mb_scalar::Lift;
use std::f64::consts::TAU;

const MU: f64 = 0.4;
const RATE: f64 = 1.3;

#[derive(Debug)]
struct Forced<P> {
    force: P,
}

impl<P: Data> ElementLaw<P> for Forced<P> {
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: true, a: true, ..Dependence::NOTHING }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let (x, v) = (at.q[0], at.v[0]);
        out[0] += at.a[0] - (S::one() - x * x) * v.scale(MU) + x - at.t.scale(RATE).cos().times(self.force);
    }
}

fn made<P: Data>(force: P) -> Model<P> {
    let mut model = Model::new("forced van der Pol", [P::zero(); 3]);
    let x = model.add_block("x", BlockKind::Vector(1), &[P::zero()]);
    model.add_element("oscillator", Element::custom(Forced { force }), vec![x], vec![]);
    model
}

struct OverForce;

impl Family for OverForce {
    fn model(&self, p: f64) -> Result<Model, PeriodicError> {
        Ok(made(p))
    }
    fn jets(&self, p: f64) -> Result<Model<ParameterJet>, PeriodicError> {
        Ok(made(parameter(p)))
    }
    fn period(&self, _: f64) -> Result<Option<f64>, PeriodicError> {
        Ok(Some(TAU / RATE))
    }
}

#[test]
fn a_forced_oscillator_falls_out_of_step_where_its_mean_square_is_one() {
    let range = [1.6, 0.8];
    let start = State { t: 0.0, q: vec![-1.8], v: vec![0.5] };
    let period = Period::Given(TAU / RATE);
    let orbit = find_orbit(&made(range[0]), &start, period, &OrbitOptions::default()).unwrap();
    let steps = orbit.steps;
    let options =
        BranchOptions { range, points: 5, steps, inputs: Vec::new(), watch: mb_algebra::Watch::default() };
    let branch = follow_branch(&OverForce, &orbit, &options).unwrap();
    assert!(branch.ended.is_none(), "{:?}", branch.ended);
    let kinds: Vec<Bifurcation> = branch.bifurcations.iter().map(|b| b.0).collect();
    assert_eq!(kinds, [Bifurcation::NeimarkSacker]);
    let at = &branch.bifurcations[0].1;
    // The motion there, found apart from the branch.
    let alone = find_orbit(&made(at.p), &at.state, period, &OrbitOptions::default()).unwrap();
    let n = alone.states.len() - 1;
    let mean = alone.states[..n].iter().map(|s| s.q[0] * s.q[0]).sum::<f64>() / n as f64;
    assert!((mean - 1.0).abs() < 1e-9, "mean square {mean}");
    let pair = floquet(&alone).unwrap().multipliers;
    assert!(pair[0].value.im.abs() > 0.1 && (pair[0].value.norm() - 1.0).abs() < 1e-9, "{pair:?}");
    // In step above, out of step below.
    for point in &branch.points {
        assert_eq!(point.multipliers[0].norm() < 1.0, point.p > at.p, "{}", point.p);
    }
}
