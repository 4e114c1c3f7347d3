//! The result of a count: how many eigenvalues a region holds, how many of them were found, and what shows it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where eigenvalues were counted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "region")]
#[non_exhaustive]
pub enum Region {
    /// Modes of an undamped problem with s^2 = -w and w between two limits.
    Interval {
        /// Lower end of w, (rad/s)^2.
        from: f64,
        /// Upper end of w, (rad/s)^2.
        to: f64,
    },
    /// Modes of a problem with proportional damping, by the w of K x = w M x that each has without it.
    Undamped {
        /// Lower end of w, (rad/s)^2.
        from: f64,
        /// Upper end of w, (rad/s)^2.
        to: f64,
    },
    /// Modes of an undamped problem with |s^2| above a limit.
    Above {
        /// The limit, (rad/s)^2.
        limit: f64,
    },
    /// Eigenvalues inside a circle.
    Inside {
        /// Centre in the plane of s, rad/s, or of s^2: real part.
        re: f64,
        /// Imaginary part.
        im: f64,
        /// Radius.
        radius: f64,
        /// Whether centre and radius are in the plane of s^2, (rad/s)^2; +-s then count as one.
        squared: bool,
    },
    /// Eigenvalues outside a circle around zero.
    Outside {
        /// Radius in the plane of s, rad/s, or of s^2.
        radius: f64,
        /// Whether the radius is in the plane of s^2, (rad/s)^2; +-s then count as one.
        squared: bool,
    },
}

/// What shows how many eigenvalues a region holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "proof")]
#[non_exhaustive]
pub enum Proof {
    /// The inertia of the factors (Sylvester's law).
    Inertia,
    /// The phase of the determinant along the circle (argument principle).
    DeterminantPhase,
    /// Eight random vectors, none of which has a component along a missing mode, but for a chance.
    RandomVectors {
        /// The chance.
        chance: f64,
    },
}

/// How many eigenvalues a region holds and how many of them were found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completeness {
    /// Where.
    #[serde(flatten)]
    pub region: Region,
    /// Eigenvalues of the region that were found; returned as far as they were asked for.
    pub found: usize,
    /// Eigenvalues that the region holds.
    pub counted: usize,
    /// What shows it.
    pub by: Proof,
}

impl Completeness {
    /// Whether no eigenvalue of the region is missing.
    pub fn is_complete(&self) -> bool {
        self.found == self.counted
    }

    /// Eigenvalues that the count demands and the search did not find.
    pub fn missing(&self) -> usize {
        self.counted.saturating_sub(self.found)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plane = |squared: bool| if squared { ("s^2", "(rad/s)^2") } else { ("s", "rad/s") };
        match *self {
            Self::Interval { from, to } => write!(f, "w = -s^2 between {from:.6e} and {to:.6e} (rad/s)^2"),
            Self::Undamped { from, to } => {
                write!(f, "w = -s^2 without damping between {from:.6e} and {to:.6e} (rad/s)^2")
            }
            Self::Above { limit } => write!(f, "|s^2| above {limit:.6e} (rad/s)^2"),
            Self::Inside { re, im, radius, squared } => {
                let (what, unit) = plane(squared);
                write!(f, "{what} within {radius:.6e} {unit} of {re:.6e}")?;
                if im == 0.0 { Ok(()) } else { write!(f, " {im:+.6e}i") }
            }
            Self::Outside { radius, squared } => {
                let (what, unit) = plane(squared);
                write!(f, "|{what}| above {radius:.6e} {unit}")
            }
        }
    }
}

impl fmt::Display for Completeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { region, found, counted, by } = self;
        match by {
            Proof::Inertia => write!(f, "The inertia of the factors counts {counted} modes")?,
            Proof::DeterminantPhase => {
                write!(f, "The phase of the determinant counts {counted} eigenvalues")?;
            }
            Proof::RandomVectors { chance } => write!(
                f,
                "Random vectors, in which a missing mode would have shown itself but for a chance of {chance:.0e}, \
                 prove that there are {counted} modes"
            )?,
        }
        write!(f, " with {region}")?;
        if self.is_complete() {
            f.write_str(if *counted == 0 { "." } else { "; all of them were found." })
        } else {
            write!(f, ", but {found} were found.")
        }
    }
}
