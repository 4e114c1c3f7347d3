//! Branches of periodic motions: bifurcations against closed forms and characteristic values.

use crate::mathieu::{SHAKEN, characteristic};
use crate::support::start;
use mb_model::spec::Value;
use mb_model::{Model, ModelSpec};
use mb_periodic::{
    Bifurcation, Branch, BranchOptions, Family, OrbitOptions, ParameterJet, Period, PeriodicError,
    find_orbit, floquet, follow_branch, parameter,
};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// Models over a parameter of a file.
pub(crate) struct Of {
    spec: ModelSpec,
    name: &'static str,
    period: fn(f64) -> f64,
}

impl Of {
    pub(crate) fn new(text: &str, name: &'static str, period: fn(f64) -> f64) -> Self {
        Self { spec: ModelSpec::from_toml(text).unwrap(), name, period }
    }
    pub(crate) fn followed(&self, range: [f64; 2], points: usize) -> Branch {
        let model = self.model(range[0]).unwrap();
        let period = Period::Given((self.period)(range[0]));
        let orbit = find_orbit(&model, &start(&model), period, &OrbitOptions::default()).unwrap();
        let options = BranchOptions {
            range,
            points,
            // Of order nine: what more steps change is far below what is asked for.
            steps: orbit.steps.min(32),
            inputs: Vec::new(),
            watch: mb_algebra::Watch::default(),
        };
        let branch = follow_branch(self, &orbit, &options).unwrap();
        assert!(branch.ended.is_none(), "{:?}", branch.ended);
        assert!((branch.points.last().unwrap().p - range[1]).abs() < 1e-9);
        branch
    }
}

impl Family for Of {
    fn model(&self, p: f64) -> Result<Model, PeriodicError> {
        let mut spec = self.spec.clone();
        spec.set_parameter(self.name, Value::Number(p)).unwrap();
        Ok(spec.build().unwrap())
    }
    fn jets(&self, p: f64) -> Result<Model<ParameterJet>, PeriodicError> {
        Ok(self.spec.build_with(&BTreeMap::from([(self.name.to_owned(), parameter(p))])).unwrap())
    }
    fn period(&self, p: f64) -> Result<Option<f64>, PeriodicError> {
        Ok(Some((self.period)(p)))
    }
}

/// A hanging pendulum on a shaken pivot doubles its period at a characteristic value of Mathieu's equation.
#[test]
fn a_period_doubling_is_at_a_characteristic_value() {
    let branch = Of::new(SHAKEN, "a", |_| PI).followed([1.5, 2.2], 6);
    let exact = characteristic(1.0, "even, 2 pi", 0);
    let found: Vec<_> = branch.bifurcations.iter().map(|b| b.0).collect();
    assert_eq!(found, [Bifurcation::PeriodDoubling]);
    let off = branch.bifurcations[0].1.p - exact;
    assert!(off.abs() < 1e-9, "{off:e}");
}

const PUSHED: &str = r#"
units = "SI"
name = "pushed pendulum"
gravity = [0, -9.81]
[parameters]
W = 3.6
[[body]]
name = "rod"
mass = 2.0
inertia = 0.5
center_of_mass = [0, -0.8]
at = [0, 0]
angle = 0
[[joint]]
name = "pin"
type = "revolute"
a = "rod"
b = [0, 0]
[[torsion-spring]]
name = "friction"
a = "rod"
b = "ground"
stiffness = 0
damping = 0.2
[[torque]]
name = "motor"
on = "rod"
magnitude = "0.8*sin(W*t)"
"#;

/// The resonance of a pendulum leans over: two folds. The tangent finds them; a multiplier, which the tangent knows nothing of, is one there.
#[test]
fn the_resonance_of_a_pendulum_folds_twice() {
    let family = Of::new(PUSHED, "W", |w| TAU / w);
    let branch = family.followed([3.6, 2.0], 10);
    let folds: Vec<_> = branch.bifurcations.iter().filter(|b| b.0 == Bifurcation::Fold).collect();
    assert_eq!(folds.len(), 2, "{:?}", branch.bifurcations.iter().map(|b| (b.0, b.1.p)).collect::<Vec<_>>());
    for (_, at) in &folds {
        let nearest = at.multipliers.iter().map(|m| (m - 1.0).norm()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-7, "{nearest:e}");
    }
    // Between the folds are three motions, the middle one unstable.
    let (low, high) = (folds[0].1.p.min(folds[1].1.p), folds[0].1.p.max(folds[1].1.p));
    assert!(high - low > 1e-3);
    let between: Vec<_> = branch.points.iter().filter(|b| b.turn < 0.0).collect();
    assert!(!between.is_empty());
    for point in &between {
        assert!(point.p > low - 1e-9 && point.p < high + 1e-9 && point.multipliers[0].norm() > 1.0);
    }
    // What the branch says are motions of their own, found apart from it.
    for point in [between[0], between[between.len() / 2], between[between.len() - 1]] {
        let model = family.model(point.p).unwrap();
        let orbit =
            find_orbit(&model, &point.state, Period::Given(point.period), &OrbitOptions::default()).unwrap();
        let alone = floquet(&orbit).unwrap();
        assert!((alone.multipliers[0].value - point.multipliers[0]).norm() < 1e-8);
    }
}

const DRIVEN: &str = r#"
units = "SI"
name = "driven pendulum"
gravity = [0, -9.81]
[parameters]
A = 1.0
[[body]]
name = "p"
mass = 1.0
inertia = 0.1
center_of_mass = [0, -0.5]
at = [0, 0]
angle = 0
[[joint]]
name = "pin"
type = "revolute"
a = "p"
b = "ground"
[[torsion-spring]]
name = "d"
a = "ground"
b = "p"
damping = 0.15
[[torque]]
name = "push"
on = "p"
magnitude = "A*cos(2.75*t)"
"#;

/// A driven pendulum loses its symmetry where det(M - 1) changes its sign and the parameter does not turn, beyond two folds: equations are singular
/// there, and another branch crosses. Every such change between two motions has its branching, at the same place however far apart motions are.
#[test]
fn every_change_of_the_sign_of_the_determinant_has_its_branching() {
    let family = Of::new(DRIVEN, "A", |_| TAU / 2.75);
    let mut places: Vec<Vec<f64>> = Vec::new();
    for points in [20, 33] {
        let branch = family.followed([0.1, 5.0], points);
        assert!(branch.not_located.is_empty(), "{:?}", branch.not_located);
        let found: Vec<f64> =
            branch.bifurcations.iter().filter(|b| b.0 == Bifurcation::Branching).map(|b| b.1.p).collect();
        let mut expected = 0;
        for pair in branch.points.windows(2) {
            let sign = |k: usize| pair[k].multipliers.iter().map(|m| m - 1.0).product::<mb_algebra::c64>().re;
            if (sign(0) * sign(1) < 0.0) != (pair[0].turn * pair[1].turn < 0.0) {
                let (low, high) = (pair[0].p.min(pair[1].p), pair[0].p.max(pair[1].p));
                assert!(low < found[expected] && found[expected] < high, "{low} {high} {found:?}");
                expected += 1;
            }
        }
        assert_eq!(found.len(), expected);
        places.push(found);
    }
    assert!(!places[0].is_empty());
    for (a, b) in places[0].iter().zip(&places[1]) {
        assert!((a - b).abs() < 1e-6 * a, "{places:?}");
    }
}
