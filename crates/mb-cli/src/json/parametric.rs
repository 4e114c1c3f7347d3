//! The document of `mb parametric`, on the standard output and in files.

use super::parts::{ModelView, Named, SteadyView, complex};
use super::{Head, text};
use crate::commands::parametric::Parametric;
use crate::commands::parametric::tables::notes;
use crate::names;
use crate::parametric::expansion::{Expanded, Piece, Value, first_order, frequency_and_damping, held};
use crate::parametric::{ExpandedGroup, Expansion, GroupValue, Place, quantity};
use mb_algebra::c64;
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    /// False where speeds make them eigenvalues of an instant.
    exponents: bool,
    /// The frame of the exponents, where they are those of a steady motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    steady: Option<SteadyView>,
    variables: Vec<VariableView>,
    pieces: Vec<PieceView>,
    tolerances: Option<Vec<ToleranceView>>,
    evaluations: Vec<EvaluationView>,
    notes: Vec<String>,
}

/// The polynomials about one centre.
#[derive(Serialize)]
struct PieceView {
    centre: Vec<f64>,
    region: Option<Vec<[f64; 2]>>,
    point: PointView,
    order: usize,
    exponents: Vec<Vec<u8>>,
    modes: Vec<ModeView>,
    groups: Vec<GroupView>,
}

/// Modes expanded together.
#[derive(Serialize)]
struct GroupView {
    modes: Vec<usize>,
    gap: f64,
    region_error: Option<f64>,
    mean: Vec<[f64; 2]>,
    matrix: Vec<Vec<Vec<[f64; 2]>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<Vec<Vec<Vec<[f64; 2]>>>>,
}

#[derive(Serialize)]
struct ToleranceView {
    number: usize,
    natural_frequency_hz: f64,
    frequency_worst_case: f64,
    frequency_independent: f64,
    damping_ratio: f64,
    damping_worst_case: f64,
    damping_independent: f64,
    curvature: Option<f64>,
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
    groups: Vec<GroupValueView>,
    mac: Vec<Vec<f64>>,
    rank_change: Option<RankChangeView>,
}

/// A group at one point.
#[derive(Serialize)]
struct GroupValueView {
    modes: Vec<usize>,
    mean: [f64; 2],
    mean_error: Option<f64>,
    values: Vec<[f64; 2]>,
    errors: Vec<Option<f64>>,
    outside: bool,
}

/// A configuration on the way in which constraints depend on each other.
#[derive(Serialize)]
struct RankChangeView {
    at: String,
    rows: Vec<String>,
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
    let numbers = expansion.numbers();
    let evaluations = found.evaluations.iter().map(|at| EvaluationView {
        given: at.given.clone(),
        distance: at.distance.clone(),
        modes: numbers.iter().zip(&at.values).map(|(number, value)| value_view(*number, value)).collect(),
        groups: expansion.piece(&at.distance).groups.iter().zip(&at.groups).map(group_value).collect(),
        mac: at.mac.clone(),
        rank_change: at
            .rank_change
            .as_ref()
            .map(|(at, rows)| RankChangeView { at: at.clone(), rows: rows.clone() }),
    });
    let piece = |piece: &Piece| PieceView {
        centre: piece.values.clone(),
        region: piece.region.as_ref().map(|r| {
            let ends = r.iter().zip(&expansion.values);
            ends.map(|(r, x)| r.map(|d| x + d)).collect()
        }),
        point: point(&found.place, expansion, piece, vectors),
        order: piece.order,
        exponents: piece.set.iter().map(<[u8]>::to_vec).collect(),
        modes: piece.modes.iter().map(|m| mode(expansion, m, vectors)).collect(),
        groups: piece.groups.iter().map(|g| group(g, vectors)).collect(),
    };
    let tolerances = found
        .tolerances
        .as_ref()
        .map(|list| expansion.pieces[0].modes.iter().filter_map(|mode| tolerance(mode, list)).collect());
    text(&Document {
        head: Head::of("parametric"),
        model: ModelView::new(&found.place.loaded, &expansion.rank),
        exponents: !found.place.setting.instant,
        steady: steady(expansion),
        variables: variables(&found.place, expansion),
        pieces: expansion.pieces.iter().map(piece).collect(),
        tolerances,
        evaluations: evaluations.collect(),
        notes: mb_analysis::sentences::all(&notes(found)),
    })
}

fn value_view(number: usize, value: &Value) -> ValueView {
    let [natural_frequency_hz, damping_ratio] = frequency_and_damping(value.s);
    ValueView {
        number,
        re: value.s.re,
        im: value.s.im,
        natural_frequency_hz,
        damping_ratio,
        error: finite(value.error),
        outside: !value.trusted,
    }
}

fn group(group: &ExpandedGroup, vectors: bool) -> GroupView {
    let series = &group.kept;
    let rows = |a: &mb_algebra::DenseC| -> Vec<Vec<[f64; 2]>> {
        let row = |i: usize| (0..a.ncols()).map(|j| [a[(i, j)].re, a[(i, j)].im]).collect();
        (0..a.nrows()).map(row).collect()
    };
    let columns = |x: &Vec<Vec<c64>>| x.iter().map(|column| complex(column)).collect();
    GroupView {
        modes: group.numbers.clone(),
        gap: series.gap(),
        region_error: group.region_error.and_then(finite),
        mean: complex(&series.mean_coefficients()),
        matrix: series.matrix_coefficients().iter().map(rows).collect(),
        space: vectors.then(|| series.space_coefficients().iter().map(columns).collect()),
    }
}

fn group_value((group, value): (&ExpandedGroup, &GroupValue)) -> GroupValueView {
    GroupValueView {
        modes: group.numbers.clone(),
        mean: [value.mean.re, value.mean.im],
        mean_error: finite(value.mean_error),
        values: complex(&value.values),
        errors: value.errors.iter().map(|e| finite(*e)).collect(),
        outside: !value.trusted,
    }
}

fn tolerance(mode: &Expanded, tolerances: &[f64]) -> Option<ToleranceView> {
    let spreads = mode.full.tolerance_spreads(tolerances).ok()?;
    Some(ToleranceView {
        number: mode.number,
        natural_frequency_hz: spreads.frequency_hz.value,
        frequency_worst_case: spreads.frequency_hz.worst_case,
        frequency_independent: spreads.frequency_hz.independent,
        damping_ratio: spreads.damping_ratio.value,
        damping_worst_case: spreads.damping_ratio.worst_case,
        damping_independent: spreads.damping_ratio.independent,
        curvature: spreads.curvature,
    })
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// The frame of a steady motion.
pub(super) fn steady(expansion: &Expansion) -> Option<SteadyView> {
    Some(expansion.steady.as_ref()?.site.steady()?.into())
}

/// The view of the point of expansion.
pub(super) fn point(place: &Place, expansion: &Expansion, piece: &Piece, polynomials: bool) -> PointView {
    let model = &place.loaded.model;
    let series = &piece.point;
    let at = series.centre();
    let coordinates = model.coordinates().names();
    let rows = (0..model.nc()).map(|i| model.row_name(i)).collect();
    let kept = |list: &[Vec<f64>]| polynomials.then(|| piece.kept(list));
    PointView {
        rule: match (place.setting.frozen, &expansion.steady) {
            (true, _) => "frozen",
            (false, Some(_)) => "steady",
            (false, None) => "balanced",
        },
        held: held(place).into_iter().map(|[coordinate, input]| HeldView { coordinate, input }).collect(),
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
    let coefficients = mode.kept.eigenvalue_coefficients();
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
    let all = |list: &[Vec<c64>]| vectors.then(|| list.iter().map(|v| complex(v)).collect());
    ModeView {
        number: mode.number,
        re: s.re,
        im: s.im,
        natural_frequency_hz,
        damping_ratio,
        sensitivities: mode.full.sensitivities().into_iter().enumerate().map(sensitivity).collect(),
        region_error: mode.region_error.and_then(finite),
        eigenvalue: complex(coefficients),
        vector: all(mode.kept.vector_coefficients()),
        multipliers: all(mode.kept.multiplier_coefficients()),
    }
}
