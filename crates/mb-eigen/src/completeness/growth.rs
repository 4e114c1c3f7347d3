//! Growing modes, reported whatever part of the spectrum was asked for.
//!
//! A symmetric problem with M > 0, K > 0 and C >= 0 has none. Of other problems small enough for a dense eigensolver all eigenvalues are
//! computed, and those to the right of the imaginary axis by more than their bounds are counted.

use mb_algebra::{QuadraticPencil, Sparse};

use crate::dense;
use crate::dense::Raw;
use crate::finding::SparseFinding;
use crate::options::SparseOptions;
use crate::problem::Problem;
use crate::{DenseOptions, Eigenpair, Spectrum, tuning};

/// Whether a mode grows, beyond its error; one of a conjugate pair.
fn grows(pair: &Eigenpair) -> bool {
    pair.class.is_motion() && pair.value().is_some_and(|s| s.re > pair.error_bound && s.im >= 0.0)
}

/// Growing modes among some eigenpairs.
pub(crate) fn count(pairs: &[Eigenpair]) -> usize {
    pairs.iter().filter(|pair| grows(pair)).count()
}

/// Says how many of the growing modes are not among those returned.
pub(crate) fn not_shown(spectrum: &mut Spectrum, counted: usize) {
    let shown = count(&spectrum.eigenpairs);
    if shown < counted {
        spectrum.findings.push(SparseFinding::GrowingNotShown { counted, shown }.into());
    }
}

/// Counts the growing modes of a small problem that may have some, and says how many are not among those returned.
pub(crate) fn report(
    spectrum: &mut Spectrum,
    pencil: &QuadraticPencil<Sparse>,
    problem: &Problem<'_>,
    options: &SparseOptions,
) {
    // Unknowns up to which all eigenvalues are computed: a companion matrix of 300 rows, a tenth of a second.
    if problem.n > tuning::SMALL.min(options.expert.all_limit) || is_dissipative(problem) {
        return;
    }
    let settings = DenseOptions {
        constraint_rank: options.expert.constraint_rank,
        symmetry_tolerance: options.expert.symmetry_tolerance,
        ..DenseOptions::default()
    };
    let right = |raws: &[Raw]| Some(raws.iter().map(|raw| raw.beta > 0.0 && raw.alpha.re > 0.0).collect());
    // What is asked for has been answered: no word on the others where these cannot be computed.
    if let Ok(all) = dense::solve_some(&pencil.to_dense(), &settings, &right) {
        not_shown(spectrum, count(&all.eigenpairs));
    }
}

/// Whether M, K and C are symmetric with dominant diagonals that are not negative, so that nothing feeds energy in: a check of the entries,
/// which passes over most structures and costs nothing.
fn is_dissipative(problem: &Problem<'_>) -> bool {
    problem.symmetric
        && [&problem.m, &problem.c, &problem.k].iter().all(|a| {
            a.sparse().outer_iterator().enumerate().all(|(i, row)| {
                let (mut diagonal, mut others) = (0.0, 0.0);
                for (j, v) in row.iter() {
                    if i == j {
                        diagonal = *v;
                    } else {
                        others += v.abs();
                    }
                }
                diagonal >= others
            })
        })
}
