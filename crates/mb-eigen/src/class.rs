//! What an eigenvalue stands for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What an eigenvalue stands for; decided on (alpha, beta), vectors and structure, never on a magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Class {
    /// Motion of the mechanism with a finite nonzero eigenvalue.
    Physical,
    /// Exact zero: rigid-body motion or a mechanism's free motion.
    Rigid,
    /// An eigenvalue the formulation adds to those of the mechanism.
    Spurious {
        /// Where it comes from.
        origin: SpuriousOrigin,
    },
    /// beta = 0: a constraint, a multiplier or a direction without mass.
    Infinite,
    /// alpha = beta = 0: every s is an eigenvalue, because the pencil is singular.
    Indeterminate,
}

/// Where a spurious eigenvalue comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpuriousOrigin {
    /// Motion against penalty forces.
    Penalty,
    /// Phi_q or Phi_q^T moved from A to E.
    TransferredJacobian,
}

impl Class {
    /// Whether the eigenvalue belongs to the mechanism itself: physical or rigid.
    pub fn is_motion(self) -> bool {
        matches!(self, Self::Physical | Self::Rigid)
    }

    /// Place in a table: motion first, what the formulation adds last.
    pub(crate) fn order(self) -> u8 {
        match self {
            Self::Rigid => 0,
            Self::Physical => 1,
            Self::Spurious { .. } => 2,
            Self::Infinite => 3,
            Self::Indeterminate => 4,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Physical => "physical",
            Self::Rigid => "rigid",
            Self::Infinite => "infinite",
            Self::Indeterminate => "indeterminate",
            Self::Spurious { origin: SpuriousOrigin::Penalty } => "spurious (penalty)",
            Self::Spurious { origin: SpuriousOrigin::TransferredJacobian } => {
                "spurious (transferred Jacobian)"
            }
        })
    }
}
