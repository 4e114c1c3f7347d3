//! The document of `mb modes`.

use super::parts::{EquilibriumView, ModelView, complex};
use super::{Head, text};
use crate::commands::modes::Modes;
use crate::flow::{Comparison, FormulationSpectrum};
use mb_eigen::{Class, Counts, Eigenpair, Finding};
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    equilibrium: EquilibriumView,
    formulations: Vec<FormulationView>,
    comparisons: Vec<ComparisonView>,
}

#[derive(Serialize)]
struct FormulationView {
    name: String,
    reselected: Option<String>,
    penalty_violation: Option<f64>,
    counts: Counts,
    findings: Vec<FindingView>,
    pairs: Vec<PairView>,
}

#[derive(Serialize)]
struct FindingView {
    #[serde(flatten)]
    finding: Finding,
    message: String,
}

#[derive(Serialize)]
struct PairView {
    re: Option<f64>,
    im: Option<f64>,
    alpha: [f64; 2],
    beta: f64,
    damped_frequency_hz: Option<f64>,
    natural_frequency_hz: Option<f64>,
    damping_ratio: Option<f64>,
    class: Class,
    backward_error: f64,
    error_bar: f64,
    condition: f64,
    constraint_violation: f64,
    penalty_share: Option<f64>,
    chain: usize,
    right: Vec<[f64; 2]>,
    multipliers: Vec<[f64; 2]>,
    left: Vec<[f64; 2]>,
    left_multipliers: Vec<[f64; 2]>,
}

impl From<&Eigenpair> for PairView {
    fn from(p: &Eigenpair) -> Self {
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
            error_bar: p.error_bar,
            condition: p.condition,
            constraint_violation: p.constraint_violation,
            penalty_share: p.penalty_share,
            chain: p.chain,
            right: complex(&p.right),
            multipliers: complex(&p.multipliers),
            left: complex(&p.left),
            left_multipliers: complex(&p.left_multipliers),
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
    fn new(result: &FormulationSpectrum) -> Self {
        let findings = result.spectrum.findings.iter();
        Self {
            name: result.formulation.to_string(),
            reselected: result.reselected.clone(),
            penalty_violation: result.penalty_violation,
            counts: result.spectrum.counts,
            findings: findings.map(|f| FindingView { finding: f.clone(), message: f.to_string() }).collect(),
            pairs: result.spectrum.pairs.iter().map(PairView::from).collect(),
        }
    }
}

impl ComparisonView {
    fn new(reference: &FormulationSpectrum, other: &FormulationSpectrum, c: &Comparison) -> Self {
        let matches = c.matches.iter();
        Self {
            reference: reference.formulation.to_string(),
            other: other.formulation.to_string(),
            matches: matches
                .map(|m| MatchView { reference: m.reference, other: m.other, difference: m.difference })
                .collect(),
            unmatched_reference: c.unmatched_reference.clone(),
            unmatched_other: c.unmatched_other.clone(),
        }
    }
}

/// The document.
pub fn document(found: &Modes) -> String {
    let others = found.results.iter().skip(1).zip(&found.comparisons);
    text(&Document {
        head: Head::of("modes"),
        model: ModelView::new(&found.loaded, &found.rank),
        equilibrium: EquilibriumView::new(&found.loaded, &found.settled),
        formulations: found.results.iter().map(FormulationView::new).collect(),
        comparisons: others.map(|(o, c)| ComparisonView::new(&found.results[0], o, c)).collect(),
    })
}
