//! The three families of linear systems of one model.
//!
//! | family | unknowns | module |
//! | --- | --- | --- |
//! | minimal (MCS) | n - r independent velocities | [`minimal`] |
//! | redundant (RCS) | q, v and the multipliers | [`redundant`] |
//! | unconstrained (UCS) | q, with penalties for the constraints | [`unconstrained`] |
//!
//! Paper: [gonzalez2017] Sec. 2-3.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

pub mod minimal;
pub mod redundant;
pub mod unconstrained;

use mb_constraints::NullSpaceMethod;
use redundant::Transferred;
use unconstrained::Penalty;

/// A formulation with its options, as data; `Display` gives its stable name.
#[derive(Clone, Debug, PartialEq)]
pub enum Formulation {
    /// MCS by this basis of the admissible velocities.
    Minimal(NullSpaceMethod),
    /// RCS with these blocks moved from A to E.
    Redundant(Transferred),
    /// UCS with this penalty.
    Unconstrained(Penalty),
}

impl std::fmt::Display for Formulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Minimal(method) => write!(f, "minimal/{method}"),
            Self::Redundant(transferred) => write!(f, "redundant/{transferred}"),
            Self::Unconstrained(_) => write!(f, "unconstrained/penalty"),
        }
    }
}
