//! How many eigenvalues of each kind theory demands, and how many were found.
//!
//! ```text
//! minimal      2 (n - r) physical and rigid                                   gonzalez2017, Eq. (6)
//! redundant    the same, 3 r from the constraints, m - r indeterminate        Eqs. (8), (9)
//!                infinite 3 r; with one of Phi_q, Phi_q^T in E: r zeros and 2 r infinite;
//!                with both: 2 r zeros and r infinite
//! penalty      the same, 2 r spurious                                         Eq. (14)
//! ```
//!
//! Sizes: n coordinates, m constraint rows, r = rank Phi_q. The paper counts with r = m.
//! Directions without mass turn eigenvalues of motion into infinite ones; they are counted by the structure of M and C.

use serde::{Deserialize, Serialize};

use crate::{Class, CountedClass, Eigenpair, Finding, SpuriousOrigin};

/// Eigenvalues by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCounts {
    /// Physical.
    pub physical: usize,
    /// Rigid.
    pub rigid: usize,
    /// Infinite.
    pub infinite: usize,
    /// Indeterminate.
    pub indeterminate: usize,
    /// Spurious by penalty.
    pub spurious_penalty: usize,
    /// Spurious by a transferred Jacobian.
    pub spurious_transferred: usize,
}

impl ClassCounts {
    /// Counts the eigenpairs of a list.
    pub fn of(pairs: &[Eigenpair]) -> Self {
        let mut counts = Self::default();
        for pair in pairs {
            *match pair.class {
                Class::Physical => &mut counts.physical,
                Class::Rigid => &mut counts.rigid,
                Class::Infinite => &mut counts.infinite,
                Class::Indeterminate => &mut counts.indeterminate,
                Class::Spurious { origin: SpuriousOrigin::Penalty } => &mut counts.spurious_penalty,
                Class::Spurious { origin: SpuriousOrigin::TransferredJacobian } => {
                    &mut counts.spurious_transferred
                }
            } += 1;
        }
        counts
    }

    /// Physical and rigid together.
    pub fn motion(&self) -> usize {
        self.physical + self.rigid
    }
}

/// What theory demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpectedCounts {
    /// Physical and rigid together.
    pub motion: usize,
    /// Infinite.
    pub infinite: usize,
    /// Indeterminate.
    pub indeterminate: usize,
    /// Spurious by penalty.
    pub spurious_penalty: usize,
    /// Spurious by a transferred Jacobian.
    pub spurious_transferred: usize,
}

impl ExpectedCounts {
    /// Minimal coordinates: 2 (n - r).
    pub fn minimal(n: usize, rank: usize) -> Self {
        Self { motion: 2 * (n - rank), ..Self::default() }
    }

    /// Descriptor form; `transferred` counts how many of Phi_q and Phi_q^T stand in E (0, 1 or 2).
    pub fn descriptor(n: usize, m: usize, rank: usize, transferred: usize) -> Self {
        let zeros = transferred.min(2) * rank;
        Self {
            infinite: 3 * rank - zeros,
            spurious_transferred: zeros,
            indeterminate: m - rank,
            ..Self::minimal(n, rank)
        }
    }

    /// Penalty form: 2 r spurious.
    pub fn penalty(n: usize, rank: usize) -> Self {
        Self { spurious_penalty: 2 * rank, ..Self::minimal(n, rank) }
    }

    /// Turns eigenvalues of motion into infinite or indeterminate ones, as directions without mass demand.
    pub(crate) fn without_mass(mut self, infinite: usize, indeterminate: usize) -> Self {
        self.motion = self.motion.saturating_sub(infinite + indeterminate);
        self.infinite += infinite;
        self.indeterminate += indeterminate;
        self
    }

    /// All eigenvalues.
    pub fn total(&self) -> usize {
        self.motion + self.infinite + self.indeterminate + self.spurious_penalty + self.spurious_transferred
    }
}

/// Sizes of the problem, and the eigenvalues demanded and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Coordinates n.
    pub n: usize,
    /// Constraint rows m.
    pub m: usize,
    /// r = rank Phi_q.
    pub rank: usize,
    /// By theory.
    pub expected: ExpectedCounts,
    /// In the result.
    pub found: ClassCounts,
}

impl Counts {
    /// Every class whose count differs from theory.
    pub fn mismatches(&self) -> Vec<Finding> {
        let (e, f) = (&self.expected, &self.found);
        [
            (CountedClass::Motion, e.motion, f.motion()),
            (CountedClass::Infinite, e.infinite, f.infinite),
            (CountedClass::Indeterminate, e.indeterminate, f.indeterminate),
            (CountedClass::SpuriousPenalty, e.spurious_penalty, f.spurious_penalty),
            (CountedClass::SpuriousTransferred, e.spurious_transferred, f.spurious_transferred),
        ]
        .into_iter()
        .filter(|(_, expected, found)| expected != found)
        .map(|(class, expected, found)| Finding::CountMismatch { class, expected, found })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_descriptor_form_has_one_eigenvalue_per_row() {
        for (n, m, rank) in [(5, 4, 4), (5, 4, 3), (3, 0, 0), (4, 4, 4)] {
            for transferred in 0..=2 {
                assert_eq!(ExpectedCounts::descriptor(n, m, rank, transferred).total(), 2 * n + m);
            }
            assert_eq!(ExpectedCounts::penalty(n, rank).total(), 2 * n);
        }
    }

    #[test]
    fn a_missing_eigenvalue_is_reported() {
        let counts = Counts {
            n: 2,
            m: 1,
            rank: 1,
            expected: ExpectedCounts::minimal(2, 1),
            found: ClassCounts { physical: 1, ..ClassCounts::default() },
        };
        let expected = Finding::CountMismatch { class: CountedClass::Motion, expected: 2, found: 1 };
        assert_eq!(counts.mismatches(), [expected]);
    }
}
