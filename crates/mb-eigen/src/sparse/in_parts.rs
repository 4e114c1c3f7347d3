//! Eigenpairs of a whole spectrum without digits, and error bounds of one that hold for the model whose K is known as a sum with an exact part.
//!
//! A decomposition of all modes at once leaves the lowest ones of slender parts no digits, and of two equal ones a refinement finds the same:
//! those are solved for again by the sparse search.
//!
//! The dense path takes K with its entries rounded, and its bounds hold for these. Of flexible links the bending entries, 12 EI / h^3, are
//! far larger than the stiffness of the low modes, so that rounding of K moves these by more than their bound:
//!
//! ```text
//! |ds| <= u |y|^T |K| |x| / |y^H (2 s M + C) x|,   u half a unit in the last place
//! ```
//!
//! The lowest modes that lose digits so are solved for again by the sparse search, which keeps the sum; the bounds of all others take |ds| in.
//! Sizes: M, C, K n x n, Phi_q m x n.

use mb_algebra::{QuadraticPencil, Sparse, StiffnessParts, c64};

use super::solve::solve_with;
use crate::certify::rounded::moved;
use crate::finding::SparseFinding;
use crate::options::{SparseExpert, SparseOptions};
use crate::request::Request;
use crate::{Class, Eigenpair, Finding, Spectrum, tuning};

/// Solves again for the lowest physical modes of a whole spectrum of `pencil` that have lost their digits, and makes the error bounds of the
/// others hold for the sum K = `parts` where K is known as one; n x n each.
///
/// `options` have what is known of the model. Findings that say that bounds leave rounding of K out are removed where they do not any more.
pub fn settle_lost(
    pencil: &QuadraticPencil<Sparse>,
    parts: Option<&StiffnessParts>,
    options: &SparseOptions,
    spectrum: &mut Spectrum,
) {
    // Only searches of undamped problems refine what they find beyond double precision.
    if parts.is_none() && pencil.c.data().iter().any(|v| *v != 0.0) {
        return;
    }
    let n = pencil.k.rows();
    let half = if parts.is_some() { 0.5 * f64::EPSILON } else { 0.0 };
    let physical = |pair: &Eigenpair| pair.class == Class::Physical && pair.right.len() == n;
    let felt = |pair: &Eigenpair| match pair.value() {
        Some(s) if half > 0.0 && physical(pair) => half * moved(pencil, s, pair),
        _ => 0.0,
    };
    let felt: Vec<f64> = spectrum.eigenpairs.iter().map(felt).collect();
    let better = match lost_modes(&spectrum.eigenpairs, &felt) {
        0 => Vec::new(),
        count => from_the_sum(pencil, parts, options, count),
    };
    let mut known = vec![false; felt.len()];
    for pair in better {
        let Some(s) = pair.value() else { continue };
        let distance = |i: usize| spectrum.eigenpairs[i].value().map_or(f64::INFINITY, |t| (t - s).norm());
        let reach = |i: usize| spectrum.eigenpairs[i].error_bound + felt[i];
        // Places where this eigenvalue may be, and is known worse.
        let open = (0..felt.len()).filter(|i| {
            let is_there = distance(*i) <= reach(*i) + pair.error_bound && pair.error_bound < reach(*i);
            is_there && physical(&spectrum.eigenpairs[*i]) && !known[*i]
        });
        let Some(i) = open.min_by(|a, b| distance(*a).total_cmp(&distance(*b))) else { continue };
        spectrum.eigenpairs[i] = pair;
        known[i] = true;
    }
    for (i, pair) in spectrum.eigenpairs.iter_mut().enumerate().filter(|(i, _)| !known[*i]) {
        if felt[i] > pair.error_bound {
            pair.error_bound += felt[i];
        }
    }
    if known.contains(&true) {
        spectrum.sort_again();
    }
    if parts.is_none() {
        return;
    }
    let held = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::RoundedStiffness { .. } });
    spectrum.findings.retain(|f| !held(f));
}

/// Modes up to the fastest one without digits, or that rounding of K moves by more than its bound and by more than a share of |s|, at most
/// [`tuning::SMALL`].
fn lost_modes(pairs: &[Eigenpair], felt: &[f64]) -> usize {
    let size = |pair: &Eigenpair| pair.value().map_or(f64::INFINITY, c64::norm);
    let loses = |(pair, felt): (&Eigenpair, &f64)| {
        let open = pair.class == Class::Physical && !pair.is_determined();
        let moves = *felt > pair.error_bound && *felt > tuning::LOST_DIGITS * size(pair);
        (open || moves).then(|| size(pair))
    };
    let Some(fastest) = pairs.iter().zip(felt).filter_map(loses).reduce(f64::max) else { return 0 };
    let up_to = pairs.iter().filter(|pair| pair.class.is_motion() && size(pair) <= fastest).count();
    // The distance to neighbours that are known narrows a bound.
    (up_to.div_ceil(2) + tuning::NARROW).min(tuning::SMALL)
}

/// Physical eigenpairs of the sum among the lowest modes, those that have digits.
fn from_the_sum(
    pencil: &QuadraticPencil<Sparse>,
    parts: Option<&StiffnessParts>,
    options: &SparseOptions,
    count: usize,
) -> Vec<Eigenpair> {
    let expert = SparseExpert { dense_limit: 0, ..options.expert };
    let options = SparseOptions { expert, prove_complete: false, left_vectors: true, ..*options };
    let found = solve_with(pencil, parts, None, &Request::Lowest { count }, &options, true);
    let pairs = found.map_or_else(|_| Vec::new(), |spectrum| spectrum.eigenpairs);
    pairs.into_iter().filter(|pair| pair.class == Class::Physical && pair.is_determined()).collect()
}
