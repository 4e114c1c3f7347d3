//! How many finite eigenvalues there are, by rank decisions alone.
//!
//! ```text
//! second order   2 k less the eigenvalues of the null directions of M and their chains
//! E y' = A y     what the staircase at infinity leaves (staircase.rs)
//! ```
//!
//! Where directions count as without mass the matrices as written are counted as well, without rounding. Where chains of the
//! second-order problem are longer than two its companion form is counted. Sizes: k free directions, E and A
//! N x N. Costs dense factorizations.

use mb_algebra::{Dense, DescriptorPencil, QuadraticPencil, dense, norms};

use super::chains::{Chains, End};
use super::common_null::CommonNull;
use super::constraint_basis::ConstraintBasis;
use super::staircase::Staircase;
use super::{Lifts, Matrices, massless};
use crate::numeric::{check, residues};
use crate::{DenseOptions, EigenError, Finding};

/// How many finite eigenvalues there are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FiniteCount {
    pub(crate) roots: usize,
    /// Others that the digits of the matrices leave open ([`Finding::InfiniteByRounding`]).
    pub(crate) open: Option<Finding>,
}

impl FiniteCount {
    /// The count by rank decisions next to that of the matrices as written, where it is known. Eigenvalues that exist as written and not by
    /// rank decisions are left open, those that exist by rank decisions alone are rounding.
    pub(crate) fn beside(self, written: Option<usize>) -> Self {
        let Some(written) = written else { return self };
        let Self { roots, open } = self;
        let more = written.saturating_sub(roots);
        let known = open.unwrap_or(Finding::InfiniteByRounding {
            eigenvalues: 0,
            dropped: None,
            kept: None,
            beyond: None,
        });
        let open = match known {
            Finding::InfiniteByRounding { dropped, kept, beyond, .. } if more > 0 => {
                Some(Finding::InfiniteByRounding { eigenvalues: more, dropped, kept, beyond })
            }
            _ => None,
        };
        Self { roots: roots.min(written), open }
    }
}

impl From<usize> for FiniteCount {
    fn from(roots: usize) -> Self {
        Self { roots, open: None }
    }
}

/// Finite eigenvalues of a constrained second-order problem; none where the pencil is singular in a way that only QZ
/// sees.
pub(crate) fn finite_eigenvalues(
    pencil: &QuadraticPencil,
    options: &DenseOptions,
) -> Result<Option<FiniteCount>, EigenError> {
    check::quadratic(pencil)?;
    let basis = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
    let count = |pencil: &QuadraticPencil, basis: &ConstraintBasis| {
        let reduced = Matrices::reduced(pencil, basis);
        on_directions(pencil, &reduced, Lifts { right: basis.null(), left: None }, options)
    };
    let found = match super::in_one_size(pencil, &basis, options)? {
        Some((even, basis, _)) => count(&even, &basis)?,
        None => count(pencil, &basis)?,
    };
    let massless = |found: &FiniteCount| found.roots < 2 * (basis.n() - basis.rank());
    Ok(found.map(|found| if massless(&found) { found.beside(written(pencil, &basis)) } else { found }))
}

/// The same as the entries are written ([`residues`]).
pub(super) fn written(pencil: &QuadraticPencil, basis: &ConstraintBasis) -> Option<usize> {
    residues::finite_eigenvalues([&pencil.m, &pencil.c, &pencil.k], &basis.independent_rows())
}

fn on_directions(
    pencil: &QuadraticPencil,
    reduced: &Matrices,
    lifts: Lifts<'_>,
    options: &DenseOptions,
) -> Result<Option<FiniteCount>, EigenError> {
    let size = reduced.m.nrows();
    if size == 0 {
        return Ok(Some(0.into()));
    }
    let massless = massless(pencil, reduced, lifts, options)?;
    if massless.dim() == 0 {
        return Ok(Some((2 * size).into()));
    }
    if let Some(common) = CommonNull::find(pencil, reduced, lifts, options)? {
        let inner = common.left_over(reduced, lifts, options)?;
        let lifts = Lifts { right: Some(&inner.lift_right), left: Some(&inner.lift_left) };
        return on_directions(pencil, &inner.matrices, lifts, options);
    }
    let (given, size_k) = (lifts.of(&pencil.c), norms::frobenius(&pencil.k));
    let rates = [&reduced.c, &reduced.k];
    let at_infinity =
        Chains::split(&massless, &reduced.m, rates, given, size_k, options.mass_tolerance, End::Infinity)?;
    if at_infinity.regular {
        let roots = (2 * size).saturating_sub(at_infinity.eigenvalues());
        return Ok(Some(FiniteCount { roots, open: at_infinity.by_rounding() }));
    }
    let (e, a) = if massless.dim() == size {
        (reduced.c.clone(), dense::scale(-1.0, &reduced.k))
    } else {
        let (one, none) = (dense::identity(size), Dense::zeros(size, size));
        let below = dense::hstack(&[&dense::scale(-1.0, &reduced.k), &dense::scale(-1.0, &reduced.c)]);
        let e = dense::vstack(&[&dense::hstack(&[&one, &none]), &dense::hstack(&[&none, &reduced.m])]);
        (e, dense::vstack(&[&dense::hstack(&[&none, &one]), &below]))
    };
    Ok(of_pair(&DescriptorPencil { e, a })?.map(FiniteCount::from))
}

/// Finite eigenvalues of E y' = A y; none where the pair is singular.
fn of_pair(pair: &DescriptorPencil) -> Result<Option<usize>, EigenError> {
    Ok(Staircase::new(&pair.a, &pair.e)?.map(|stairs| stairs.b.nrows()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::Transferred;

    fn pendulum() -> QuadraticPencil {
        QuadraticPencil {
            m: dense::diagonal(&[2.0, 2.0]),
            c: dense::zeros(2, 2),
            k: dense::diagonal(&[1e9, 1e9]),
            phi_q: dense::from_rows(&[&[0.0, 1e-3]]),
        }
    }

    #[test]
    fn chains_of_a_descriptor_pair_are_followed() {
        for transferred in Transferred::ALL {
            let pair = pendulum().to_descriptor(transferred);
            // Every Jacobian moved to E turns an infinite eigenvalue into a zero.
            assert_eq!(of_pair(&pair).unwrap(), Some(2 + transferred.count()));
        }
    }

    #[test]
    fn a_pair_without_mass_counts_what_is_damped() {
        let zero = dense::zeros(3, 3);
        let pencil = |c: &[f64], k: &[f64]| QuadraticPencil {
            m: zero.clone(),
            c: dense::diagonal(c),
            k: dense::diagonal(k),
            phi_q: dense::zeros(0, 3),
        };
        let count = |pencil: &QuadraticPencil| {
            finite_eigenvalues(pencil, &DenseOptions::default()).unwrap().map(|count| count.roots)
        };
        assert_eq!(count(&pencil(&[1.0, 2.0, 0.0], &[5.0, 0.0, 7.0])), Some(2));
        // One direction with nothing: indeterminate, the others stay.
        assert_eq!(count(&pencil(&[1.0, 2.0, 0.0], &[5.0, 0.0, 0.0])), Some(2));
        // C = N nilpotent: s N + I has no finite eigenvalue.
        let nilpotent = dense::from_rows(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[0.0, 0.0, 0.0]]);
        let chain = QuadraticPencil { c: nilpotent, ..pencil(&[0.0; 3], &[1.0; 3]) };
        assert_eq!(count(&chain), Some(0));
    }

    #[test]
    fn a_massless_coordinate_on_a_spring_loses_two_eigenvalues() {
        let mut pencil = pendulum();
        let count = |pencil: &QuadraticPencil| finite_eigenvalues(pencil, &DenseOptions::default()).unwrap();
        assert_eq!(count(&pencil), Some(2.into()));
        pencil.phi_q = dense::zeros(0, 2);
        pencil.m = dense::diagonal(&[2.0, 0.0]);
        assert_eq!(count(&pencil), Some(2.into()));
        pencil.c = dense::diagonal(&[0.0, 4.0]);
        assert_eq!(count(&pencil), Some(3.into()));
    }
}
