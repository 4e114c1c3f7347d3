//! Growing modes, reported whatever part of the spectrum was asked for.
//!
//! The signs of the matrices say that no mode grows, or how many do. Where they do not tell, all eigenvalues of a problem small enough for a
//! dense eigensolver are computed, and those to the right of the imaginary axis by more than their bounds are counted; of a larger one the
//! report says that growth is unknown, and what may feed it.
//!
//! ```text
//! d/dt (v^T M v + q^T K q) / 2 = -v^T (C + C^T) v / 2       M > 0 and K symmetric; a skew part of C does no work
//! K >= 0, C + C^T >= 0             no mode grows
//! C = C^T >= 0                     as many modes grow as K has negative eigenvalues, all with real s
//! ```
//!
//! Lancaster, Lambda-Matrices and Vibrating Systems, section 7.7; Merkin, Introduction to the Theory of Stability, chapter 6.

use mb_algebra::{QuadraticPencil, Sparse};

use crate::dense;
use crate::dense::Raw;
use crate::finding::SparseFinding;
use crate::numeric::vanishing::is_semidefinite_on;
use crate::options::SparseOptions;
use crate::problem::Problem;
use crate::problem::proportional::Proportional;
use crate::{DenseOptions, Eigenpair, Spectrum, tuning};

/// Operations of a factorization that counts negative eigenvalues of K, a second at most.
const WORTH: f64 = 1e9;

/// Unknowns up to which all eigenvalues are computed where signs do not tell: a companion matrix of 400 rows, a third of a second.
const MOST: usize = 2 * tuning::SMALL;

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

/// Counts the growing modes by the signs of the matrices, of a small problem by its eigenvalues where signs do not tell, and says how many are
/// not among those returned; of a larger one it says what may make them grow.
pub(crate) fn report(
    spectrum: &mut Spectrum,
    pencil: &QuadraticPencil<Sparse>,
    problem: &Problem<'_>,
    options: &SparseOptions,
) {
    if is_dominant(problem) || spectrum.eigenpairs.len() >= problem.most_eigenvalues(false) {
        return;
    }
    match by_signs(problem) {
        Ok(counted) => return not_shown(spectrum, counted),
        Err(reason) if problem.n > MOST.min(options.expert.all_limit) => {
            let unknown = SparseFinding::GrowthUnknown { reason: reason.to_owned(), most: MOST };
            return spectrum.findings.push(unknown.into());
        }
        Err(_) => {}
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

/// Whether [`report`] computes all eigenvalues, for any part of them that is asked for.
pub(crate) fn computes_all(problem: &Problem<'_>, options: &SparseOptions) -> bool {
    problem.n <= MOST.min(options.expert.all_limit) && !is_dominant(problem) && by_signs(problem).is_err()
}

/// Growing modes by the signs of the matrices, or what can feed energy into a motion so that these do not tell.
///
/// # Errors
/// What feeds energy.
fn by_signs(problem: &Problem<'_>) -> Result<usize, &'static str> {
    if !problem.m.symmetric {
        return Err("the mass matrix is not symmetric");
    }
    if !problem.k.symmetric {
        return Err("the stiffness matrix is not symmetric, so that its forces can do work in a cycle");
    }
    let (c, phi) = (problem.c.sparse(), problem.rows.independent.sparse());
    let dissipative = Proportional::of(problem).is_some_and(Proportional::is_dissipative)
        || is_dominant_matrix(c)
        || is_semidefinite_on(&problem.c.working(), phi);
    if !dissipative {
        return Err("the damping matrix puts energy into some motions");
    }
    // Operations that the answer is worth; stiffnesses of larger problems are taken for positive semidefinite, as those of structures are.
    if problem.factor_operations() > WORTH {
        return Ok(0);
    }
    if is_semidefinite_on(problem.k.for_factors(), phi) {
        return Ok(0);
    }
    // Modes that grow more slowly than this shift are not counted.
    let shift = tuning::FIRST_SHIFT * problem.frequency_squared();
    match problem.without_damping().quick_negative(shift) {
        Some(counted) if problem.n > MOST && (counted == 0 || problem.c.symmetric) => Ok(counted),
        Some(_) => Err(
            "the stiffness matrix has negative eigenvalues beside gyroscopic forces, which can steady some motions",
        ),
        None => Err("the signs of the eigenvalues of the stiffness matrix were not determined"),
    }
}

/// Whether M, K and C are symmetric with dominant diagonals that are not negative, so that nothing feeds energy in: a check of the entries,
/// which passes over most structures and costs nothing.
fn is_dominant(problem: &Problem<'_>) -> bool {
    problem.symmetric && [&problem.m, &problem.c, &problem.k].iter().all(|a| is_dominant_matrix(a.sparse()))
}

/// Whether each diagonal entry is at least as large as the others of its row together, by size.
fn is_dominant_matrix(a: &Sparse) -> bool {
    a.outer_iterator().enumerate().all(|(i, row)| {
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
}
