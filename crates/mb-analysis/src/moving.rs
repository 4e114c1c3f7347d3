//! Eigenvalues of a steady motion, and the eigenvalues of an instant of any other.
//!
//! What the linearization changes along the orbit of a steady motion moves its eigenvalues by, to first order,
//!
//! ```text
//! |ds| <= |y|^T (|s|^2 |dG2| + |s| |dG1| + |dG0|) |x|,   y^H (2 s M + C) x = 1
//! ```
//!
//! with x and y in the coordinates of the changes, and by what modes do to each other with them (`couple`). That is part of the error bound of each, and so is what the rounding of the sums in the
//! entries of M, C and K makes in their place: forces of inertia and of reactions balance each other in K, so that what is left of them along a
//! mode may be far smaller.

use super::spectra::FormulationSpectrum;
use crate::error::AnalysisError;
use mb_algebra::{Sparse, c64};
use mb_constraints::NullSpaceMethod;
use mb_eigen::{Class, DenseOptions, Eigenpair, Finding, Spectrum};
use mb_linear::steady::Whirl;
use mb_linear::{Instant, SteadyMotion, linearize_instant, minimal_of_instant};
use mb_model::Model;

/// What rounding leaves open of an entry that is a sum of a few terms, as those in a frame that turns are.
fn rounding(entry: f64) -> f64 {
    2.0 * f64::EPSILON * entry.abs()
}

/// |y|^T (|s|^2 |M| + |s| |C| + |K|) |x| times the rounding of an entry.
fn of_rounding([m, c, k]: [&Sparse; 3], s: c64, x: &[c64], y: &[c64]) -> f64 {
    let s = s.norm();
    let form = |a: &Sparse| -> f64 { a.iter().map(|(v, (i, j))| v.abs() * y[i].norm() * x[j].norm()).sum() };
    rounding(s * s * form(m) + s * form(c) + form(k))
}

/// Adds to the error bounds what the linearization changes along the motion, and what rounding of the entries of `blocks`, M, C and K, does.
pub(crate) fn widen(spectrum: &mut Spectrum, motion: &SteadyMotion, blocks: [&Sparse; 3]) {
    let deviation = motion.deviation();
    for pair in spectrum.eigenpairs.iter_mut().filter(|p| p.class.is_motion()) {
        let Some(s) = pair.value() else { continue };
        let own = pair.chain == 1 && pair.condition.is_finite() && !pair.left.is_empty();
        pair.error_bound += if own {
            deviation.of_eigenvalue(s, &pair.right, &pair.left)
                + of_rounding(blocks, s, &pair.right, &pair.left)
        } else if matches!(pair.class, Class::Rigid) && is_rounding(motion) {
            // An exact zero of the null space: a free turn or drift, which rounding does not move.
            0.0
        } else {
            // Two that share a vector part by the square root of a change.
            deviation.relative.sqrt() * s.norm()
        };
    }
    couple(spectrum, motion);
    undetermined_again(spectrum);
}

/// Adds to the error bounds what modes do to each other by way of what the linearization changes along the motion, where that is more than
/// rounding.
pub(crate) fn couple(spectrum: &mut Spectrum, motion: &SteadyMotion) {
    if is_rounding(motion) {
        return;
    }
    let own = |p: &&mut Eigenpair| p.class.is_motion() && p.value().is_some() && !p.left.is_empty();
    let mut pairs: Vec<&mut Eigenpair> = spectrum.eigenpairs.iter_mut().filter(own).collect();
    let vectors: Vec<[Vec<c64>; 2]> = pairs.iter().map(|p| [p.right.to_vec(), p.left.to_vec()]).collect();
    let parts = pairs.iter().zip(&vectors);
    let parts: Vec<_> = parts.filter_map(|(p, [x, y])| Some((p.value()?, &x[..], &y[..]))).collect();
    let moved = motion.deviation().of_couplings(&parts);
    pairs.iter_mut().zip(moved).for_each(|(pair, moved)| pair.error_bound += moved);
    undetermined_again(spectrum);
}

/// Whether what changes along the motion is no more than rounding of its points.
pub(crate) fn is_rounding(motion: &SteadyMotion) -> bool {
    motion.deviation().relative <= ROUNDING
}

/// What the spectrum says of bounds as wide as their eigenvalues, after bounds have become wider.
fn undetermined_again(spectrum: &mut Spectrum) {
    let wide = |pair: &&Eigenpair| pair.alpha.im >= 0.0 && !pair.is_determined();
    let bounds: Vec<f64> = spectrum.eigenpairs.iter().filter(wide).map(|pair| pair.error_bound).collect();
    let Some(widest) = bounds.iter().copied().reduce(f64::max) else { return };
    let now = Finding::UndeterminedEigenvalues { eigenvalues: bounds.len(), widest };
    let said = |f: &&mut Finding| matches!(f, Finding::UndeterminedEigenvalues { .. });
    match spectrum.findings.iter_mut().find(said) {
        Some(finding) => *finding = now,
        None => spectrum.findings.push(now),
    }
}

/// The sense of every oscillating mode, of a motion seen from the ground in which something spins.
pub(crate) fn whirl(model: &Model, spectrum: &Spectrum, motion: &SteadyMotion) -> Vec<Option<f64>> {
    let Some(whirl) = Whirl::of(model, motion) else { return Vec::new() };
    let one = |pair: &Eigenpair| -> Option<f64> {
        let s = pair.value().filter(|s| pair.class.is_motion() && s.im.abs() > pair.error_bound)?;
        whirl.sense(&pair.right).map(|sense| sense * s.im.signum())
    };
    spectrum.eigenpairs.iter().map(one).collect()
}

/// Orbits flatter than this share of a circle are straight lines to the eye.
const FLAT: f64 = 0.01;

/// The sense of a mode in a word, of a number from -1 (circles against the spin) to 1 (with it).
pub fn whirl_word(sense: Option<f64>) -> &'static str {
    match sense {
        Some(x) if x > FLAT => "forward",
        Some(x) if x < -FLAT => "backward",
        Some(_) => "straight",
        None => "",
    }
}

/// Changes along an orbit up to this share of the diagonals are rounding of the points of the orbit, a few hundred radians
/// from the first.
const ROUNDING: f64 = 1e-11;

/// The eigenvalues of the frozen matrices of an instant, shapes in all coordinates.
///
/// # Errors
/// [`AnalysisError::TooLarge`]; a basis that fails; [`AnalysisError::Eigen`].
pub fn of_instant(
    model: &Model,
    at: &Instant,
    method: &NullSpaceMethod,
) -> Result<FormulationSpectrum, AnalysisError> {
    super::check_size(model, super::MOST_ROWS)?;
    let system = minimal_of_instant(model, &linearize_instant(model, at), method)?;
    let name = format!("minimal/{method}");
    let mut spectrum = mb_eigen::dense::solve(&system.frozen(), &DenseOptions::default())
        .map_err(|source| AnalysisError::Eigen { formulation: name.clone(), source })?;
    let r = &system.basis.r;
    let full = |z: &[c64]| -> Vec<c64> {
        (0..r.nrows()).map(|i| (0..z.len()).map(|j| z[j] * r[(i, j)]).sum()).collect()
    };
    for pair in &mut spectrum.eigenpairs {
        let Eigenpair { right, left, .. } = &pair;
        let (right, left) = (full(right), full(left));
        (pair.right, pair.left) = (right.into(), left.into());
        // Bounds of eigenvalues of these matrices say nothing about the motion.
        pair.error_bound = f64::INFINITY;
    }
    spectrum.findings.clear();
    let counts = &mut spectrum.counts;
    (counts.n, counts.m) = (model.nv(), model.nc());
    counts.rank = model.nv() - system.dof();
    Ok(FormulationSpectrum::new(name, spectrum))
}
