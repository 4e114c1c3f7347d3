//! The document of `mb modes`.

use super::parts::{ModelView, SiteView, complex};
use super::{Head, text};
use crate::args::ModesArgs;
use crate::commands::matrix_modes::MatrixModes;
use crate::commands::modes::Modes;
use crate::flow::{Comparison, FormulationSpectrum};
use crate::matrices::MatrixFile;
use mb_analysis::request::words;
use mb_eigen::modal::{EnergyShares, Participation};
use mb_eigen::{Class, Counts, Eigenpair, Finding, Method};
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    #[serde(flatten)]
    site: SiteView,
    formulations: Vec<FormulationView>,
    comparisons: Vec<ComparisonView>,
    usable: bool,
    /// Rows of a singular configuration, where first derivatives do not determine the spectrum.
    #[serde(skip_serializing_if = "Option::is_none")]
    undetermined_by: Option<Vec<String>>,
    /// False for the eigenvalues of an instant, which are no rates of growth.
    exponents: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    energy: Option<EnergyShares>,
    #[serde(skip_serializing_if = "Option::is_none")]
    participation: Option<ParticipationView>,
}

#[derive(Serialize)]
struct ParticipationView {
    directions: Vec<DirectionView>,
    modes: Vec<ParticipationOfMode>,
}

#[derive(Serialize)]
struct DirectionView {
    name: String,
    total: f64,
    constrained: f64,
    sum: f64,
}

#[derive(Serialize)]
struct ParticipationOfMode {
    eigenpair: usize,
    factor: Vec<Option<[f64; 2]>>,
    effective_mass: Vec<Option<f64>>,
}

impl From<&Participation> for ParticipationView {
    fn from(found: &Participation) -> Self {
        let directions = found.directions.iter().zip(found.sums());
        let modes = found.modes.iter().map(|mode| ParticipationOfMode {
            eigenpair: mode.eigenpair,
            factor: mode.factor.iter().map(|f| f.map(|f| [f.re, f.im])).collect(),
            effective_mass: mode.effective_mass.clone(),
        });
        Self {
            directions: directions
                .map(|(d, sum)| DirectionView {
                    name: d.name.clone(),
                    total: d.total,
                    constrained: d.constrained,
                    sum,
                })
                .collect(),
            modes: modes.collect(),
        }
    }
}

/// The document of matrices: no model, no equilibrium.
#[derive(Serialize)]
struct MatrixDocument {
    #[serde(flatten)]
    head: Head,
    matrices: Vec<MatrixView>,
    formulations: Vec<FormulationView>,
    comparisons: Vec<ComparisonView>,
    usable: bool,
}

#[derive(Serialize)]
struct MatrixView {
    letter: &'static str,
    file: String,
    format: String,
    rows: usize,
    columns: usize,
    entries: usize,
    repeated_entries: usize,
}

/// Which vectors stand in the document.
#[derive(Clone, Copy, Debug)]
pub struct Vectors {
    right: bool,
    left: bool,
}

impl Vectors {
    /// Both of a whole spectrum of a model; of parts and of matrices, which may be large, those asked for.
    fn of(result: &FormulationSpectrum, model: bool, args: &ModesArgs) -> Self {
        let both = model && result.request.is_none();
        Self { right: both || args.output.vectors, left: both || args.output.left }
    }
}

#[derive(Serialize)]
struct FormulationView {
    name: String,
    request: Option<String>,
    reselected: Option<String>,
    penalty_factor: Option<f64>,
    penalty_violation: Option<f64>,
    method: Option<Method>,
    counts: Counts,
    findings: Vec<FindingView>,
    eigenpairs: Vec<EigenpairView>,
}

#[derive(Serialize)]
struct FindingView {
    #[serde(flatten)]
    finding: Finding,
    message: String,
}

#[derive(Serialize)]
struct EigenpairView {
    re: Option<f64>,
    im: Option<f64>,
    alpha: [f64; 2],
    beta: f64,
    damped_frequency_hz: Option<f64>,
    natural_frequency_hz: Option<f64>,
    damping_ratio: Option<f64>,
    class: Class,
    backward_error: f64,
    error_bound: f64,
    /// False where the bound is as large as the eigenvalue.
    determined: bool,
    condition: f64,
    constraint_violation: f64,
    penalty_share: Option<f64>,
    chain: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    whirl: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<Vec<[f64; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multipliers: Option<Vec<[f64; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<Vec<[f64; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_multipliers: Option<Vec<[f64; 2]>>,
}

impl EigenpairView {
    fn new(p: &Eigenpair, whirl: Option<f64>, vectors: Vectors) -> Self {
        let value = p.value();
        Self {
            re: value.map(|s| s.re),
            im: value.map(|s| s.im),
            alpha: [p.alpha.re, p.alpha.im],
            beta: p.beta,
            damped_frequency_hz: p.frequency_hz(),
            natural_frequency_hz: p.natural_frequency_hz(),
            damping_ratio: p.damping_ratio(),
            class: p.class,
            backward_error: p.backward_error,
            error_bound: p.error_bound,
            determined: p.is_determined(),
            condition: p.condition,
            constraint_violation: p.constraint_violation,
            penalty_share: p.penalty_share,
            chain: p.chain,
            whirl,
            right: vectors.right.then(|| complex(&p.right)),
            multipliers: vectors.right.then(|| complex(&p.multipliers)),
            left: vectors.left.then(|| complex(&p.left)),
            left_multipliers: vectors.left.then(|| complex(&p.left_multipliers)),
        }
    }
}

#[derive(Serialize)]
struct ComparisonView {
    reference: String,
    other: String,
    matches: Vec<MatchView>,
    unmatched_reference: Vec<usize>,
    unmatched_other: Vec<usize>,
}

#[derive(Serialize)]
struct MatchView {
    reference: usize,
    other: usize,
    difference: f64,
}

impl FormulationView {
    fn new(result: &FormulationSpectrum, vectors: Vectors) -> Self {
        let findings = result.spectrum.findings.iter();
        Self {
            name: result.name.clone(),
            request: result.request.as_ref().map(words),
            reselected: result.reselected.clone(),
            penalty_factor: result.penalty_factor,
            penalty_violation: result.penalty_violation,
            method: result.spectrum.method,
            counts: result.spectrum.counts,
            findings: findings.map(|f| FindingView { finding: f.clone(), message: f.to_string() }).collect(),
            eigenpairs: result
                .spectrum
                .eigenpairs
                .iter()
                .enumerate()
                .map(|(i, p)| EigenpairView::new(p, result.whirl_of(i), vectors))
                .collect(),
        }
    }
}

impl ComparisonView {
    fn new(reference: &FormulationSpectrum, other: &FormulationSpectrum, c: &Comparison) -> Self {
        let matches = c.matches.iter();
        Self {
            reference: reference.name.clone(),
            other: other.name.clone(),
            matches: matches
                .map(|m| MatchView { reference: m.reference, other: m.other, difference: m.difference })
                .collect(),
            unmatched_reference: c.unmatched_reference.clone(),
            unmatched_other: c.unmatched_other.clone(),
        }
    }
}

/// The document.
pub fn document(found: &Modes, args: &ModesArgs) -> String {
    let view = |r: &FormulationSpectrum| FormulationView::new(r, Vectors::of(r, true, args));
    let others = found.results.iter().skip(1).zip(&found.comparisons);
    text(&Document {
        head: Head::of("modes"),
        model: ModelView::new(&found.loaded, &found.rank),
        site: SiteView::new(&found.loaded, &found.site),
        formulations: found.results.iter().map(view).collect(),
        comparisons: others.map(|(o, c)| ComparisonView::new(&found.results[0], o, c)).collect(),
        usable: found.results.iter().all(is_right),
        undetermined_by: found.results.iter().find_map(|r| match r.spectrum.undetermined()? {
            Finding::UndeterminedByConstraints { rows, .. } => Some(rows.clone()),
            _ => None,
        }),
        exponents: found.exponents,
        energy: found.shares.energy.clone(),
        participation: found.shares.participation.as_ref().map(ParticipationView::from),
    })
}

/// Whether nothing is missing and nothing is left open.
fn is_right(found: &FormulationSpectrum) -> bool {
    !found.spectrum.falls_short() && !found.spectrum.leaves_open()
}

/// The document of matrices from files.
pub fn of_matrices(found: &MatrixModes, args: &ModesArgs) -> String {
    let file = |f: &MatrixFile| MatrixView {
        letter: f.letter,
        file: f.path.clone(),
        format: f.format.clone(),
        rows: f.rows,
        columns: f.cols,
        entries: f.entries,
        repeated_entries: f.repeated,
    };
    text(&MatrixDocument {
        head: Head::of("modes"),
        matrices: found.matrices.files.iter().map(file).collect(),
        formulations: vec![FormulationView::new(&found.result, Vectors::of(&found.result, false, args))],
        comparisons: Vec::new(),
        usable: is_right(&found.result),
    })
}
