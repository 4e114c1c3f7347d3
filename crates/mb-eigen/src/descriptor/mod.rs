//! Spectrum of the redundant (descriptor) form E y' = A y, y = (q, v, lambda).
//!
//! ```text
//! E = [I 0 0; 0 M 0; 0 0 0],   A = [0 I 0; -K -C -Phi_q^T; -Phi_q 0 0]
//! Phi_q moved to E:    third block row of E is [Phi_q 0 0], of A zero
//! Phi_q^T moved to E:  third block column of E is [0; Phi_q^T; 0], of A zero
//! ```
//!
//! gonzalez2017, Eqs. (8)-(10). Sizes: n coordinates, m constraint rows, r = rank Phi_q, 2n + m eigenvalues: 2 (n - r)
//! of the mechanism, 3 r that the form adds (infinite, or zero for each Jacobian moved), m - r indeterminate ones
//! where rows depend on each other, because the pencil is then singular.
//!
//! [`solve`] uses that structure: the eigenvalues of the mechanism come from [`crate::dense`], the others are known
//! with their vectors (spurious.rs). [`solve_qz`] sees only E and A and is the cross-check for small problems.

mod qz;
mod response;
mod spurious;

use mb_algebra::{DescriptorPencil, QuadraticPencil};

use crate::dense::constraint_basis::ConstraintBasis;
use crate::numeric::check;
use crate::search::early::Early;
use crate::sparse::SparseFinding;
use crate::{DenseOptions, EigenError, ExpectedCounts, Finding, Method, Spectrum, dense};

pub use mb_algebra::Transferred;
pub use qz::solve_qz;

/// The blocks of a descriptor pencil and the place of the Jacobians.
#[derive(Clone, Debug, PartialEq)]
pub struct DescriptorStructure {
    /// M, C, K n x n, Phi_q m x n.
    pub pencil: QuadraticPencil,
    /// Which Jacobians stand in E.
    pub transferred: Transferred,
}

impl DescriptorStructure {
    /// E and A, (2n + m) x (2n + m).
    ///
    /// Errors: shapes that do not fit, entries that are not finite.
    pub fn to_pencil(&self) -> Result<DescriptorPencil, EigenError> {
        check::quadratic(&self.pencil)?;
        Ok(self.pencil.to_descriptor(self.transferred))
    }
}

/// All 2n + m eigenvalues by structure.
///
/// Physical and rigid eigenpairs are those of the mechanical problem, certified there. Spurious, infinite and
/// indeterminate ones carry their vectors in the same terms: `right` is the displacement part (the velocity part where
/// the eigenvalue is infinite), `multipliers` the third part of y; pure multiplier directions have `right` zero. Their
/// chain lengths are those of a mass matrix that is regular on the null space of Phi_q. Errors as [`dense::solve`].
pub fn solve(structure: &DescriptorStructure, options: &DenseOptions) -> Result<Spectrum, EigenError> {
    let pencil = &structure.pencil;
    check::quadratic(pencil)?;
    let basis = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
    let early = Early::keeping(options.keeps_at_interrupt);
    let motion = dense::on_basis(pencil, &basis, options)?;
    beside(structure, &basis, motion, options, &early)
}

/// As [`solve`], with the eigenpairs `motion` of the mechanical problem, in all coordinates, that are known already.
///
/// # Errors
/// Shapes, entries that are not finite, factorizations.
pub fn solve_beside(
    structure: &DescriptorStructure,
    motion: Spectrum,
    options: &DenseOptions,
) -> Result<Spectrum, EigenError> {
    check::quadratic(&structure.pencil)?;
    let basis = ConstraintBasis::new(&structure.pencil.phi_q, options.constraint_rank)?;
    let early = Early::keeping(options.keeps_at_interrupt);
    beside(structure, &basis, motion, options, &early)
}

/// The eigenvalues of the mechanism with those that the form adds.
fn beside(
    structure: &DescriptorStructure,
    basis: &ConstraintBasis,
    motion: Spectrum,
    options: &DenseOptions,
    early: &Early,
) -> Result<Spectrum, EigenError> {
    let ends_early = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::EndedEarly { .. } });
    if motion.findings.iter().any(ends_early) {
        return Ok(motion);
    }
    let Some(spurious) = early.step(|| spurious::eigenpairs(structure, basis, options))? else {
        let findings = motion.findings.into_iter().chain(early.finding()).collect();
        return Ok(Spectrum::partial(Method::Dense, motion.eigenpairs, motion.counts, findings));
    };
    let mut pairs = motion.eigenpairs;
    pairs.extend(spurious);
    let mut counts = motion.counts;
    // Massless directions lose their eigenvalues to infinity in either form.
    let lost = ExpectedCounts::minimal(basis.n(), basis.rank()).motion - counts.expected.motion;
    counts.expected = ExpectedCounts {
        motion: counts.expected.motion,
        ..ExpectedCounts::descriptor(basis.n(), basis.m(), basis.rank(), structure.transferred.count())
    };
    let indeterminate = motion.counts.expected.indeterminate;
    counts.expected.indeterminate += indeterminate;
    counts.expected.infinite += lost - indeterminate;
    let findings = motion.findings.into_iter().filter(|f| !matches!(f, Finding::CountMismatch { .. }));
    Ok(Spectrum::assemble(Method::Dense, pairs, counts, findings.collect()))
}
