//! What is asked of a large problem, in the user's words.

use mb_algebra::c64;

use crate::EigenError;

/// Which eigenvalues are wanted. A conjugate pair, +-s of an undamped problem, or the double zero of a body that drifts counts as one
/// mode, any other real eigenvalue as one by itself: two of an overdamped coordinate, and of a critically damped one
/// two or one as rounding leaves its double eigenvalue real or not. A descriptor pair that hides its form does not
/// show that it is undamped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// The modes of smallest |s|, rigid ones included.
    Lowest {
        /// How many modes.
        count: usize,
    },
    /// The modes whose s lies nearest to i 2 pi hz.
    NearFrequency {
        /// Frequency, Hz.
        hz: f64,
        /// How many modes.
        count: usize,
    },
    /// The eigenvalues nearest to a point of the complex plane; each counts for itself.
    NearPoint {
        /// The point, rad/s.
        s: c64,
        /// How many eigenvalues.
        count: usize,
    },
    /// All modes whose frequency |Im s| / (2 pi) lies in a band.
    Band {
        /// Lower end, Hz.
        from_hz: f64,
        /// Upper end, Hz.
        to_hz: f64,
        /// Only modes with at most this damping ratio |Re s| / |s|, growing or decaying; none for no limit. Without
        /// a limit a damped problem is searched to the damping named in [`crate::sparse::SparseFinding::BandCovered`], or whatever it
        /// is where damping is proportional to mass and stiffness.
        max_damping_ratio: Option<f64>,
    },
    /// The modes of largest |s| with a finite s: 2 / max |s| bounds the step of central differences, and the largest
    /// |Re s| or |s| that of other explicit methods. Refused where a free direction has no mass.
    Largest {
        /// How many modes.
        count: usize,
    },
    /// Everything, by the dense path: time grows with the third power of n.
    All,
}

impl Request {
    /// Checks counts and numbers.
    pub(crate) fn check(&self) -> Result<(), EigenError> {
        let bad = |setting, value, needed| Err(EigenError::BadSetting { setting, value, needed });
        match *self {
            Self::NearFrequency { hz, .. } if !(hz.is_finite() && hz >= 0.0) => {
                bad("NearFrequency.hz", hz, "finite and not negative")
            }
            Self::NearPoint { s, .. } if !s.is_finite() => bad("NearPoint.s", s.norm(), "finite"),
            Self::Band { from_hz, .. } if !(from_hz.is_finite() && from_hz >= 0.0) => {
                bad("Band.from_hz", from_hz, "finite and not negative")
            }
            Self::Band { from_hz, to_hz, .. } if !(to_hz.is_finite() && to_hz >= from_hz) => {
                bad("Band.to_hz", to_hz, "finite and not below from_hz")
            }
            Self::Band { max_damping_ratio: Some(zeta), .. } if !(0.0..1.0).contains(&zeta) => {
                bad("Band.max_damping_ratio", zeta, "at least 0 and below 1")
            }
            _ => Ok(()),
        }
    }

    /// The same with a count of which multiples are numbers: more than any problem has.
    pub(crate) fn bounded(&self) -> Self {
        const MOST: usize = usize::MAX / 64;
        let mut own = *self;
        match &mut own {
            Self::Lowest { count }
            | Self::Largest { count }
            | Self::NearFrequency { count, .. }
            | Self::NearPoint { count, .. } => *count = (*count).min(MOST),
            Self::Band { .. } | Self::All => {}
        }
        own
    }

    /// Modes or eigenvalues asked for, where the request names a number.
    pub(crate) fn count(&self) -> Option<usize> {
        match *self {
            Self::Lowest { count }
            | Self::Largest { count }
            | Self::NearFrequency { count, .. }
            | Self::NearPoint { count, .. } => Some(count),
            Self::Band { .. } | Self::All => None,
        }
    }
}
