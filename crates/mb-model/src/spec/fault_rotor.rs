//! What can be wrong with the tables of rotors, in the user's words.

/// A fault of a bearing or a steady rotation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RotorFault {
    /// A table of a bearing with less than two rows.
    #[error("the table has one row; between two speeds at least it can be read")]
    OneRow,
    /// Speeds of a table that do not rise.
    #[error("the speed {speed} rad/s does not follow {before} rad/s; speeds of a table rise from row to row")]
    NotRising {
        /// Speed of the row, rad/s.
        speed: f64,
        /// That of the row before, rad/s.
        before: f64,
    },
    /// A speed outside the table.
    #[error("the table has no values at {speed} rad/s: it reaches from {first} to {last} rad/s")]
    OutsideTable {
        /// The speed, rad/s.
        speed: f64,
        /// The first of the table, rad/s.
        first: f64,
        /// The last of the table, rad/s.
        last: f64,
    },
    /// A direction along the axis.
    #[error("`x` lies along `axis`, so it gives no direction across it")]
    AlongAxis,
    /// An unknown speed that is sought from zero.
    #[error("an unknown speed is sought from another one than zero: at rest nothing depends on it")]
    SoughtFromRest,
    /// A value that is held, and no unknown speed.
    #[error("a value is held, and no speed is unknown")]
    NothingSought,
    /// Something to hold that the model does not have.
    #[error("the model has no coordinate or output `{name}`")]
    NothingToHold {
        /// The name.
        name: String,
        /// The one that may be meant.
        nearest: Option<String>,
    },
}

impl RotorFault {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::OneRow => {
                "give `stiffness` and `damping` without `table` where they are constant".to_owned()
            }
            Self::OutsideTable { .. } => "add rows for such speeds".to_owned(),
            Self::SoughtFromRest => {
                "write `\"?\"`, or an estimate of the speed after the question mark".to_owned()
            }
            Self::NothingSought => "write `speed = \"?\"` in one of the steady-rotations".to_owned(),
            Self::NothingToHold { nearest, .. } => {
                return nearest.as_ref().map(|nearest| format!("did you mean `{nearest}`?"));
            }
            Self::NotRising { .. } | Self::AlongAxis => return None,
        })
    }
}
