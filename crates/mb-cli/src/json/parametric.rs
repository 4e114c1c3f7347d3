//! The document of `mb parametric`, on the standard output and in files.

use super::parts::{ModelView, Named, complex};
use super::{Head, text};
use crate::commands::parametric::Parametric;
use crate::names;
use crate::parametric::expansion::{Expanded, first_order, frequency_and_damping};
use crate::parametric::{Expansion, Place, quantity};
use mb_algebra::c64;
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    point: PointView,
    order: usize,
    variables: Vec<VariableView>,
    exponents: Vec<Vec<u8>>,
    modes: Vec<ModeView>,
    evaluations: Vec<EvaluationView>,
}

/// Where the model is expanded.
#[derive(Serialize)]
pub(super) struct PointView {
    rule: &'static str,
    held: Vec<HeldView>,
    configuration: Named,
    speeds: Named,
    accelerations: Named,
    multipliers: Named,
    inputs: Named,
    time: f64,
    /// Polynomials of the displacement from the configuration and of the inputs, in files only.
    #[serde(skip_serializing_if = "Option::is_none")]
    displacements: Option<Vec<Vec<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_polynomials: Option<Vec<Vec<f64>>>,
}

#[derive(Serialize)]
struct HeldView {
    coordinate: String,
    input: String,
}

/// One variable.
#[derive(Serialize)]
pub(super) struct VariableView {
    name: String,
    kind: &'static str,
    unit: &'static str,
    value: f64,
    region: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct ModeView {
    number: usize,
    re: f64,
    im: f64,
    natural_frequency_hz: f64,
    damping_ratio: f64,
    sensitivities: Vec<SensitivityView>,
    region_error: Option<f64>,
    eigenvalue: Vec<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vector: Option<Vec<Vec<[f64; 2]>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multipliers: Option<Vec<Vec<[f64; 2]>>>,
}

#[derive(Serialize)]
struct SensitivityView {
    variable: String,
    eigenvalue: Option<[f64; 2]>,
    natural_frequency_hz: Option<f64>,
    damping_ratio: Option<f64>,
    radius: Option<f64>,
}

#[derive(Serialize)]
struct EvaluationView {
    given: String,
    distance: Vec<f64>,
    modes: Vec<ValueView>,
}

#[derive(Serialize)]
struct ValueView {
    number: usize,
    re: f64,
    im: f64,
    natural_frequency_hz: f64,
    damping_ratio: f64,
    error: Option<f64>,
    outside: bool,
}

/// The document; `vectors` for everything that is needed to evaluate modes elsewhere.
pub fn document(found: &Parametric, vectors: bool) -> String {
    let expansion = &found.expansion;
    let modes = expansion.modes.iter().map(|m| mode(expansion, m, vectors)).collect();
    let evaluations = found.evaluations.iter().map(|at| EvaluationView {
        given: at.given.clone(),
        distance: at.distance.clone(),
        modes: expansion
            .modes
            .iter()
            .zip(&at.values)
            .zip(&at.outside)
            .map(|((mode, (s, error)), outside)| {
                let [natural_frequency_hz, damping_ratio] = frequency_and_damping(*s);
                ValueView {
                    number: mode.number,
                    re: s.re,
                    im: s.im,
                    natural_frequency_hz,
                    damping_ratio,
                    error: finite(*error),
                    outside: *outside,
                }
            })
            .collect(),
    });
    text(&Document {
        head: Head::of("parametric"),
        model: ModelView::new(&found.place.loaded, &expansion.rank),
        point: point(&found.place, expansion, vectors),
        order: expansion.order,
        variables: variables(&found.place, expansion),
        exponents: expansion.exponents().into_iter().map(<[u8]>::to_vec).collect(),
        modes,
        evaluations: evaluations.collect(),
    })
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// The view of the point of expansion.
pub(super) fn point(place: &Place, expansion: &Expansion, polynomials: bool) -> PointView {
    let model = &place.loaded.model;
    let series = &expansion.series.point;
    let at = series.centre();
    let coordinates = model.coordinates().names();
    let rows = (0..model.nc()).map(|i| model.row_name(i)).collect();
    let kept = |list: &[Vec<f64>]| polynomials.then(|| list.iter().take(expansion.terms).cloned().collect());
    PointView {
        rule: if place.frozen { "frozen" } else { "balanced" },
        held: expansion
            .held(place)
            .into_iter()
            .map(|[coordinate, input]| HeldView { coordinate, input })
            .collect(),
        configuration: Named::new(names::configuration(model), &at.q),
        speeds: Named::new(coordinates.clone(), &at.v),
        accelerations: Named::new(coordinates, &at.a),
        multipliers: Named::new(rows, &at.lambda),
        inputs: Named::new(model.inputs().to_vec(), &at.u),
        time: at.t,
        displacements: kept(series.displacement_coefficients()),
        input_polynomials: kept(series.input_coefficients()),
    }
}

/// The views of the variables.
pub(super) fn variables(place: &Place, expansion: &Expansion) -> Vec<VariableView> {
    let all = expansion.variables.iter().zip(&expansion.names).zip(&expansion.values).enumerate();
    all.map(|(i, ((variable, name), value))| VariableView {
        name: name.clone(),
        kind: quantity::kind(variable),
        unit: quantity::unit(&place.loaded.model, variable),
        value: *value,
        region: expansion.region.as_ref().map(|r| r[i].map(|d| value + d)),
    })
    .collect()
}

fn mode(expansion: &Expansion, mode: &Expanded, vectors: bool) -> ModeView {
    let coefficients = &mode.series.eigenvalue_coefficients()[..expansion.terms];
    let s = coefficients[0];
    let [natural_frequency_hz, damping_ratio] = frequency_and_damping(s);
    let sensitivity = |(i, ds): (usize, Option<c64>)| {
        let change = ds.map(|ds| first_order(s, ds));
        SensitivityView {
            variable: expansion.names[i].clone(),
            eigenvalue: ds.map(|z| [z.re, z.im]),
            natural_frequency_hz: change.map(|c| c[0]),
            damping_ratio: change.map(|c| c[1]),
            radius: finite(mode.reach[i]),
        }
    };
    let kept =
        |list: &[Vec<c64>]| vectors.then(|| list.iter().take(expansion.terms).map(|v| complex(v)).collect());
    ModeView {
        number: mode.number,
        re: s.re,
        im: s.im,
        natural_frequency_hz,
        damping_ratio,
        sensitivities: mode.series.sensitivities().into_iter().enumerate().map(sensitivity).collect(),
        region_error: mode.region_error.and_then(finite),
        eigenvalue: complex(coefficients),
        vector: kept(mode.series.vector_coefficients()),
        multipliers: kept(mode.series.multiplier_coefficients()),
    }
}
