//! What can be wrong with contacts without slip, in the user's words.

/// A fault of a rolling wheel or of a knife edge.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RollingFault {
    /// The axle of a disc stands along the normal of its plane.
    #[error(
        "at the start the disc lies flat on its plane: its axle is along the normal, and it has no lowest point"
    )]
    Flat,
    /// The heading of a knife edge stands along the normal of its plane.
    #[error(
        "at the start the heading of the edge is along the normal of its plane, so that nothing is across it"
    )]
    Upright,
    /// The profile runs along the normal.
    #[error("`ahead` is along the normal of the plane, so that the profile has no direction")]
    AheadUpright,
}

impl RollingFault {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Flat => {
                "`axle` is in the axes of the wheel's body, `normal` in those of the plane's".to_owned()
            }
            Self::AheadUpright => "`ahead` and `normal` are in the axes of the plane's body".to_owned(),
            Self::Upright => {
                "`heading` is in the axes of the edge's body, `normal` in those of the plane's".to_owned()
            }
        })
    }
}
