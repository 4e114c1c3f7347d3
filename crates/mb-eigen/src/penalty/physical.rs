//! The eigenpairs of the mechanism alone, from the null space of Phi_q.
//!
//! ```text
//! start   (s^2 R^T M_p R + s R^T C_p R + R^T K_p R) z = 0,   x = R z   (R^T M_p R = R^T M R: the penalty drops out)
//! then    inverse iteration on s^2 M_p + s C_p + K_p
//! ```
//!
//! The start differs from the penalty problem's own eigenpair by the error of the penalty (1e-6 rad/s in gonzalez2017), so
//! one factorization with two solves is enough. Sizes: R n x (n - r). Where the iteration leaves its start, or two starts
//! end at the same eigenvalue (an eigenvalue of the mechanism among the penalty eigenvalues), or the start is an exact
//! zero that the penalty problem does not share, the whole spectrum is computed instead.

use mb_algebra::{QuadraticPencil, c64, dense, norms};

use super::deduplicate::one_eigenvalue;
use super::{PenaltyPencil, drowned, measure, reported_beforehand};
use crate::certify::dense::Certifier;
use crate::dense::constraint_basis::ConstraintBasis;
use crate::dense::polish::System;
use crate::dense::{Kind, Raw, reduced_eigenvalues};
use crate::numeric::vectors;
use crate::pairing::mac;
use crate::{
    Class, Counts, DenseOptions, EigenError, Eigenpair, ExpectedCounts, Finding, Method, Spectrum, tuning,
};

/// The 2 (n - r) physical and rigid eigenvalues of a penalty problem.
///
/// The counts expect no spurious eigenvalue: they are not computed. Errors as [`super::solve`].
pub fn physical_eigenpairs(pencil: &PenaltyPencil, options: &DenseOptions) -> Result<Spectrum, EigenError> {
    pencil.check()?;
    let constraints = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
    let problem = pencil.quadratic();
    let free = ConstraintBasis::unconstrained(problem.m.nrows());
    let mut start = reduced_eigenvalues(&problem, &constraints, 0.0, options)?;
    let system = System::new(&problem, &free);
    let mut raws = Vec::with_capacity(start.raws.len());
    for raw in &start.raws {
        let Some(found) = follow(&system, raw) else { return from_all(pencil, options) };
        raws.push(found);
    }
    let mut pairs = Certifier::new(&problem, &free).certify(raws, options.refinement);
    if found_twice(&problem, &pairs) {
        return from_all(pencil, options);
    }
    measure(pencil, &constraints, &mut pairs);
    // Penalty share from which on the other eigenvalues must be seen before an eigenvalue is called motion of the mechanism.
    if pairs.iter().any(|pair| pair.penalty_share.is_some_and(|share| share > tuning::MINOR)) {
        return from_all(pencil, options);
    }
    let mut findings = reported_beforehand(pencil, &constraints);
    let drowned = drowned(pencil, &constraints, &mut findings, &mut start);
    findings.append(&mut start.findings);
    let expected = ExpectedCounts::minimal(free.n(), constraints.rank());
    let counts = Counts {
        n: free.n(),
        m: constraints.m(),
        rank: constraints.rank(),
        expected: if drowned { expected } else { expected.without_mass(start.infinite, start.indeterminate) },
        ..Counts::default()
    };
    Ok(Spectrum::assemble(Method::InverseIteration, pairs, counts, findings))
}

/// The penalty problem's own eigenvalue next to a start; none when there is no such eigenvalue.
fn follow(system: &System<'_>, start: &Raw) -> Option<Raw> {
    match start.kind {
        Kind::Ordinary => {
            // The reduced problem may be symmetric where the whole one is not.
            let left = start.left.clone().unwrap_or_else(|| vectors::conjugate(&start.right));
            let (found, _) = system.iterate(&Raw { left: Some(left), ..start.clone() });
            // |cos|^2 between start and result below which the iteration has left its eigenvalue.
            let near = mac(&found.right, &start.right) > tuning::MAINLY;
            let upper = !start.mirror || found.value().im > 0.0;
            // Backward error that ends the iteration as converged.
            (near && upper && system.backward_error(&found) <= tuning::EPS_3_4).then_some(found)
        }
        // Exact zeros, infinities and indeterminate eigenvalues must be exact for the penalty problem too.
        _ => (system.structural_error(start) <= tuning::EPS_3_4).then(|| start.clone()),
    }
}

/// Whether two starts ended at the same eigenvalue.
fn found_twice(problem: &QuadraticPencil, pairs: &[Eigenpair]) -> bool {
    let moving = |pair: &&Eigenpair| pair.class == Class::Physical && pair.alpha.im >= 0.0;
    let ordinary: Vec<&Eigenpair> = pairs.iter().filter(moving).collect();
    let products = |x: &[c64]| [&problem.m, &problem.c].map(|a| dense::matvec_complex(a, x));
    let again =
        // Distance, relative to |s|, within which two eigenpairs may be one eigenvalue whatever their bounds.
        |(i, a): (usize, &&Eigenpair)| ordinary[..i].iter().any(|b| one_eigenvalue(a, b, tuning::SQRT_EPS, products));
    ordinary.iter().enumerate().any(again)
}

/// The physical part of the whole spectrum.
fn from_all(pencil: &PenaltyPencil, options: &DenseOptions) -> Result<Spectrum, EigenError> {
    let all = super::solve(pencil, options)?;
    let pairs =
        all.eigenpairs.into_iter().filter(|pair| !matches!(pair.class, Class::Spurious { .. })).collect();
    let findings = all
        .findings
        .into_iter()
        .filter(|f| !matches!(f, Finding::CountMismatch { .. } | Finding::PoorAccuracy { .. }));
    let mut counts = all.counts;
    counts.expected.spurious_penalty = 0;
    Ok(Spectrum::assemble(all.method, pairs, counts, findings.collect()))
}

impl System<'_> {
    /// Homogeneous residual of a structural eigenvalue over the norm of the matrix that should vanish on it.
    fn structural_error(&self, raw: &Raw) -> f64 {
        let mut x = raw.right.clone();
        vectors::normalize(&mut x);
        let rest = norms::two_complex(&self.homogeneous(raw.alpha, raw.beta, &x));
        rest / self.scale(raw.alpha.norm(), raw.beta).max(f64::MIN_POSITIVE)
    }
}
