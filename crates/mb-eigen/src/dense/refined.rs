//! Eigenpairs of symmetric problems, damped or not, with poor error bounds, in double-double precision.
//!
//! A slender beam, a penalty or a coordinate in small units leaves K with entries far above the stiffness of its low modes, and a
//! dense solver errs by rounding of the former. The refinement of sparse eigenpairs (`refine`) gives them the digits that
//! the matrices as given have; one refinement serves both. A refined eigenpair is accepted when its bound is narrower, and none where two
//! have become the same. Sizes: vectors of length n.

use mb_algebra::{QuadraticPencil, c64, norms};

use crate::certify::sparse::Certifier;
use crate::numeric::check;
use crate::options::{SparseExpert, SparseOptions, Structure};
use crate::pairing::mac;
use crate::problem::Problem;
use crate::problem::uncertified::Uncertified;
use crate::{Class, DenseOptions, EigenError, Eigenpair, Finding, tuning};

/// Replaces eigenpairs with poor bounds by refined ones, and says what rounding of the matrices could change in these; `pairs`: of each two conjugate or opposite ones both, behind each other.
pub(super) fn refine(
    pencil: &QuadraticPencil,
    rank: usize,
    options: &DenseOptions,
    pairs: &mut [Eigenpair],
) -> Result<Vec<Finding>, EigenError> {
    let undamped = norms::max_abs(&pencil.c) == 0.0;
    let symmetric = [&pencil.m, &pencil.c, &pencil.k].iter().all(|a| check::is_symmetric_to_rounding(a));
    let partner = |i: usize| {
        let other = pairs.get(i + 1).map(|other| other.alpha);
        other == Some(pairs[i].alpha.conj()) || (undamped && other == Some(-pairs[i].alpha))
    };
    let poor: Vec<usize> = (0..pairs.len()).filter(|&i| is_poor(&pairs[i]) && partner(i)).collect();
    if poor.is_empty() || !symmetric {
        return Ok(Vec::new());
    }
    let settings = SparseOptions::from(SparseExpert {
        structure: Structure::Symmetric,
        constraint_rank: options.constraint_rank,
        symmetry_tolerance: options.symmetry_tolerance,
        ..Default::default()
    });
    let sparse = pencil.to_sparse();
    let problem = Problem::new(&sparse, &settings)?;
    if problem.rows.rank != rank {
        return Ok(Vec::new());
    }
    let certifier = Certifier::new(&problem, true);
    let mut better: Vec<(usize, Vec<Eigenpair>)> = Vec::new();
    for i in poor {
        let approx = if undamped { approx(&problem, &pairs[i]) } else { damped(&pairs[i]) };
        let found = certifier.certify(vec![approx]);
        if found.first().is_some_and(|found| found.error_bound < pairs[i].error_bound) {
            better.push((i, found));
        }
    }
    // An iteration that converges to a known eigenpair adds none.
    let value = |pair: &Eigenpair| pair.alpha / pair.beta;
    let merged = |(i, found): &(usize, Vec<Eigenpair>)| {
        let found = &found[0];
        let same = |other: &Eigenpair| {
            let near = (value(other) - value(found)).norm() <= other.error_bound + found.error_bound;
            // |cos|^2 between two vectors that are one.
            near && mac(&other.right, &found.right) > tuning::MAINLY
        };
        let others = |j: usize| j != *i && better.iter().all(|(k, _)| *k != j) && upper(&pairs[j]);
        better.iter().any(|(k, other)| k != i && same(&other[0]))
            || (0..pairs.len()).any(|j| others(j) && same(&pairs[j]))
    };
    let distinct: Vec<bool> = better.iter().map(|of| !merged(of)).collect();
    for ((i, found), _) in better.into_iter().zip(distinct).filter(|(_, distinct)| *distinct) {
        for (at, found) in (i..).zip(found) {
            let class = pairs[at].class;
            pairs[at] = Eigenpair { class, ..found };
        }
    }
    Ok(certifier.findings().collect())
}

/// The one of two conjugate or opposite ones that stands first.
fn upper(pair: &Eigenpair) -> bool {
    let physical = pair.class == Class::Physical && pair.chain == 1 && pair.beta > 0.0;
    physical && (pair.alpha.im > 0.0 || (pair.alpha.im == 0.0 && pair.alpha.re > 0.0))
}

fn is_poor(pair: &Eigenpair) -> bool {
    // Bound relative to |s| above which an eigenpair is worth double-double precision, that of sparse eigenpairs.
    upper(pair) && pair.error_bound > tuning::SQRT_EPS * (pair.alpha / pair.beta).norm()
}

/// One of two conjugate eigenpairs of a damped problem before it is certified.
fn damped(pair: &Eigenpair) -> Uncertified {
    let s = pair.alpha / pair.beta;
    Uncertified { mirror: true, ..Uncertified::simple(s, pair.right.clone(), pair.multipliers.clone()) }
}

/// The eigenpair of an undamped problem before it is certified.
fn approx(problem: &Problem, pair: &Eigenpair) -> Uncertified {
    let given: c64 = pair.alpha / pair.beta;
    // A bound that reaches zero says nothing of the sign of s^2: where M > 0 and K >= 0 it is negative.
    let s = if pair.error_bound >= given.norm() { c64::new(0.0, given.norm()) } else { given };
    let x = pair.right.real_parts();
    let mx = problem.m.sparse().outer_iterator().map(|row| row.iter().map(|(j, m)| m * x[j]).sum::<f64>());
    let mass: f64 = mx.zip(x.iter()).map(|(m, x)| m * x).sum();
    let oscillates = s.im > 0.0;
    Uncertified {
        mirror: oscillates,
        opposite: !oscillates,
        curvature: mass / norms::two(&x).powi(2),
        ..Uncertified::simple(s, pair.right.clone(), pair.multipliers.clone())
    }
}
