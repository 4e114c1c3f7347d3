//! The documents of `mb orbit` and `mb floquet`.

use super::parts::ModelView;
use super::{Head, text};
use crate::commands::periodic::Found;
use crate::failure::Failure;
use crate::flow;
use crate::names;
use mb_model::Point;
use mb_periodic::{Dynamics, Multiplier};
use serde::Serialize;
use std::collections::BTreeMap;

type Named = serde_json::Map<String, serde_json::Value>;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    orbit: OrbitView,
    operating_point: PointView,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<Vec<StateView>>,
    stability: String,
    multipliers: Vec<MultiplierView>,
    trivial_residual: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignorable_residual: Option<f64>,
    monodromy_change: f64,
}

#[derive(Serialize)]
struct OrbitView {
    period: f64,
    period_given: bool,
    turns: BTreeMap<String, i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    displacement: Option<DisplacementView>,
    returns: usize,
    steps: usize,
    iterations: usize,
    defect: f64,
    moved: f64,
    position_violation: f64,
    velocity_violation: f64,
}

/// Where the motion comes back to: displacement of the origin, m, and rotation vector, rad.
#[derive(Serialize)]
struct DisplacementView {
    shift: [f64; 3],
    turn: [f64; 3],
}

#[derive(Serialize)]
struct PointView {
    configuration: Named,
    velocities: Named,
    accelerations: Named,
    multipliers: Named,
    inputs: Named,
    time: f64,
}

#[derive(Serialize)]
struct StateView {
    time: f64,
    configuration: Vec<f64>,
    velocities: Vec<f64>,
}

#[derive(Serialize)]
struct MultiplierView {
    value: [f64; 2],
    magnitude: f64,
    error_estimate: Option<f64>,
    condition: Option<f64>,
    exponent: Option<[f64; 2]>,
    class: String,
}

impl MultiplierView {
    fn new(m: &Multiplier) -> Self {
        Self {
            value: [m.value.re, m.value.im],
            magnitude: m.value.norm(),
            error_estimate: m.error.is_finite().then_some(m.error),
            condition: m.condition.is_finite().then_some(m.condition),
            exponent: m.exponent.map(|s| [s.re, s.im]),
            class: m.class.to_string(),
        }
    }
}

fn named(names: impl IntoIterator<Item = String>, values: &[f64]) -> Named {
    names.into_iter().zip(values).map(|(name, x)| (name, serde_json::Value::from(*x))).collect()
}

fn document(command: &'static str, found: &Found, states: bool) -> Result<String, Failure> {
    let (model, orbit) = (&found.loaded.model, &found.orbit);
    let start = &orbit.states[0];
    let at = Point { q: start.q.clone(), t: start.t, ..model.initial_point() };
    let rank = flow::rank(model, &at)?;
    let point = Dynamics::new(model, &found.inputs, start)?.point(start.t, &start.q, &start.v)?;
    let speeds = || model.coordinates().names();
    let view = Document {
        head: Head::of(command),
        model: ModelView::new(&found.loaded, &rank),
        orbit: OrbitView {
            period: orbit.period,
            period_given: !orbit.autonomous,
            turns: (0..model.nv())
                .filter(|i| orbit.turns[*i] != 0)
                .map(|i| (model.coordinate_name(i), orbit.turns[i]))
                .collect(),
            displacement: (orbit.ignorable.ncols() > 0).then(|| DisplacementView {
                shift: orbit.displacement.shift,
                turn: orbit.displacement.turn(),
            }),
            returns: orbit.returns,
            steps: orbit.steps,
            iterations: orbit.iterations,
            defect: orbit.defect,
            moved: orbit.moved,
            position_violation: orbit.violation[0],
            velocity_violation: orbit.violation[1],
        },
        operating_point: PointView {
            configuration: named(names::configuration(model), &point.q),
            velocities: named(speeds(), &point.v),
            accelerations: named(speeds(), &point.a),
            multipliers: named((0..model.nc()).map(|i| model.row_name(i)), &point.lambda),
            inputs: named(model.inputs().iter().cloned(), &point.u),
            time: start.t,
        },
        states: states.then(|| {
            let of = |s: &mb_periodic::State| StateView {
                time: s.t,
                configuration: s.q.clone(),
                velocities: s.v.clone(),
            };
            orbit.states.iter().map(of).collect()
        }),
        stability: found.floquet.stability.to_string(),
        multipliers: found.floquet.multipliers.iter().map(MultiplierView::new).collect(),
        trivial_residual: found.floquet.trivial_residual,
        ignorable_residual: found.floquet.ignorable_residual,
        monodromy_change: found.floquet.change,
    };
    Ok(text(&view))
}

/// The document of `mb orbit`: the motion at every step, and what `--at` reads.
///
/// # Errors
/// A model whose accelerations cannot be computed.
pub fn orbit(found: &Found) -> Result<String, Failure> {
    document("orbit", found, true)
}

/// The document of `mb floquet`.
///
/// # Errors
/// As [`orbit`].
pub fn floquet(found: &Found) -> Result<String, Failure> {
    document("floquet", found, false)
}
