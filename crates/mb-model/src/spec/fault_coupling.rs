//! What can be wrong with couplings, in the user's words.

/// A fault of a coupling.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CouplingFault {
    /// Less than two terms.
    #[error("a coupling has two terms or more, and this one has {found}")]
    Few {
        /// Terms there are.
        found: usize,
    },
    /// A factor of zero.
    #[error("the factor of '{of}' is zero, so that it is not coupled")]
    Zero {
        /// What the term is of.
        of: String,
    },
    /// Factors of rotations without a ratio of whole numbers.
    #[error(
        "the factors of '{of}' and '{other}', {factor} and {other_factor}, stand in no ratio of whole numbers up to {most}: \
         a rotation in space is known up to whole turns only, so the coupling would not hold after one"
    )]
    NoRatio {
        /// One rotation.
        of: String,
        /// The other.
        other: String,
        /// Its factor.
        factor: f64,
        /// The other's.
        other_factor: f64,
        /// The largest whole number that is looked at.
        most: f64,
    },
}

impl CouplingFault {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Few { .. } => {
                "write `terms = [{ quantity = \"angle\", of = \"JOINT\", factor = 20 }, ...]`".to_owned()
            }
            Self::Zero { .. } => "leave the term out, or give a factor".to_owned(),
            Self::NoRatio { .. } => {
                "give numbers of teeth, or radii with few digits; bodies in the plane take any ratio"
                    .to_owned()
            }
        })
    }
}
