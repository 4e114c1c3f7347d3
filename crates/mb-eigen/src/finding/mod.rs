//! Facts worth reporting that are no failures.

mod completeness;
mod sparse;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use completeness::{Completeness, Proof, Region};
pub use sparse::SparseFinding;

/// Something found on the way that the reader of a result should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "finding")]
#[non_exhaustive]
pub enum Finding {
    /// Constraint rows that depend on the others.
    RedundantConstraints {
        /// Rows of Phi_q, from 0, that follow from the remaining ones (one possible choice).
        rows: Vec<usize>,
        /// r = rank Phi_q.
        rank: usize,
        /// m, the number of rows.
        constraints: usize,
    },
    /// The rank of Phi_q is close to a guess.
    UncertainConstraintRank {
        /// Rank decided on.
        rank: usize,
        /// Smallest pivot kept, for rows of length one.
        smallest_kept: f64,
        /// Largest pivot dropped.
        largest_dropped: f64,
    },
    /// The penalty terms are so large that few digits of the mechanism's own eigenvalues are left.
    StiffPenalty {
        /// Size of the penalty matrices relative to the mechanism's own on its free directions.
        ratio: f64,
        /// Decimal digits lost, of about 16.
        digits_lost: f64,
    },
    /// The constraints leave no free direction.
    NoFreedom,
    /// The mass matrix has a null space on the null space of `Phi_q`.
    SingularMass {
        /// Its dimension.
        directions: usize,
        /// Infinite eigenvalues that it causes.
        infinite: usize,
    },
    /// Eigenvalues that count as infinite, because changes of the entries as small as the last digit make them so, but are finite and
    /// fast as the entries are written.
    InfiniteByRounding {
        /// How many such eigenvalues there are, or may be.
        eigenvalues: usize,
        /// The damping of their directions relative to its terms, where it is known.
        dropped: Option<f64>,
        /// The smallest of other directions without mass that counts.
        kept: Option<f64>,
        /// |s| below which none of them lies, rad/s.
        beyond: Option<f64>,
    },
    /// The mass matrix is symmetric but not positive definite on the admissible directions.
    IndefiniteMass,
    /// A direction has very little stiffness, but more than the tolerance for zero.
    NearlyZeroStiffness {
        /// |K x| relative to |K| |x|.
        relative: f64,
        /// Tolerance for zero.
        tolerance: f64,
    },
    /// The entries as written do not make these eigenvalues zero, but changes of them as small as the last digit would.
    ZeroByRounding {
        /// Directions that count as without stiffness.
        directions: usize,
        /// The relative change of the entries that makes K x zero.
        relative: f64,
    },
    /// A direction has very little mass, but more than the tolerance for zero.
    NearlySingularMass {
        /// |M x| relative to |M| |x|.
        relative: f64,
        /// Tolerance for zero.
        tolerance: f64,
    },
    /// Zero (or infinity) has longer chains of generalized vectors than two.
    LongChain {
        /// Whether it is the infinite eigenvalue.
        at_infinity: bool,
    },
    /// Directions with neither mass, damping nor stiffness: any s is an eigenvalue there.
    SingularPencil {
        /// Indeterminate eigenvalues counted.
        indeterminate: usize,
    },
    /// An infinite or indeterminate eigenvalue was distinguished from the finite ones by magnitude, not by structure.
    ClassifiedByMagnitude {
        /// Largest |beta| / |alpha| among those called infinite, in scaled units.
        largest_infinite: f64,
        /// Smallest |beta| / |alpha| among those called finite, in scaled units.
        smallest_finite: f64,
    },
    /// Number of eigenvalues of a class differs from theory.
    CountMismatch {
        /// Class or group.
        class: CountedClass,
        /// By theory, with r = rank Phi_q.
        expected: usize,
        /// Found.
        found: usize,
    },
    /// Physical and penalty eigenvalues cannot be distinguished cleanly.
    PenaltyOverlap {
        /// Largest share of penalty energy among eigenvalues called physical, if there are any.
        largest_physical: Option<f64>,
        /// Smallest share of penalty energy among eigenvalues called spurious, if there are any.
        smallest_spurious: Option<f64>,
    },
    /// An eigenpair's backward error is far above rounding.
    PoorAccuracy {
        /// Index into the spectrum's eigenpairs.
        pair: usize,
        /// Homogeneous backward error.
        backward_error: f64,
    },
    /// Inverse iteration could not improve an eigenpair.
    PolishStalled {
        /// Real part, rad/s.
        re: f64,
        /// Imaginary part, rad/s.
        im: f64,
        /// Backward error reached.
        backward_error: f64,
    },
    /// At a singular configuration the stiffness depends on which multipliers are taken: the eigenvalues are those of the smallest ones
    /// and have no error bounds.
    UndeterminedByConstraints {
        /// Constraint rows whose multipliers are not determined, by owner and axis.
        rows: Vec<String>,
        /// What the eigenvalues are with other sets of multipliers; none where that was not computed.
        range: Option<MultiplierRange>,
    },
    /// Links turn whose elements leave out the stiffening by the forces of the motion: the eigenvalues have no error bounds.
    StiffeningLeftOut {
        /// The links in the user's words.
        links: Vec<String>,
        /// The fastest of them, rad/s.
        speed: f64,
    },
    /// Error bounds as wide as the eigenvalues: of those not one digit is known.
    UndeterminedEigenvalues {
        /// How many; a conjugate pair counts as one.
        eigenvalues: usize,
        /// The widest of the bounds, rad/s.
        widest: f64,
    },
    /// Reported by the sparse analyses.
    Sparse {
        /// What was found.
        detail: SparseFinding,
    },
}

/// Groups of eigenvalues that theory counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedClass {
    /// Physical and rigid together.
    Motion,
    /// Infinite.
    Infinite,
    /// Indeterminate.
    Indeterminate,
    /// Spurious by penalty.
    SpuriousPenalty,
    /// Spurious by a transferred Jacobian.
    SpuriousTransferred,
}

impl fmt::Display for CountedClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Motion => "physical and rigid",
            Self::Infinite => "infinite",
            Self::Indeterminate => "indeterminate",
            Self::SpuriousPenalty => "spurious penalty",
            Self::SpuriousTransferred => "spurious transferred-Jacobian",
        })
    }
}

impl Finding {
    /// The count of a region, where it is one.
    pub fn completeness(&self) -> Option<&Completeness> {
        match self {
            Self::Sparse { detail: SparseFinding::Completeness(count) } => Some(count),
            _ => None,
        }
    }

    /// Whether it says that eigenvalues are not there which theory, a count or the request demands, or that others stand in
    /// their place.
    pub fn falls_short(&self) -> bool {
        match self {
            Self::CountMismatch { .. } => true,
            Self::Sparse { detail: SparseFinding::Completeness(count) } => !count.is_complete(),
            Self::Sparse { detail } => {
                matches!(
                    detail,
                    SparseFinding::Converged { .. }
                        | SparseFinding::Lost { .. }
                        | SparseFinding::EndedEarly { .. }
                )
            }
            _ => false,
        }
    }

    /// Whether it says that the digits of the matrices do not determine which eigenvalues are asked for, or that the constraints do not
    /// determine them.
    pub fn leaves_open(&self) -> bool {
        matches!(
            self,
            Self::Sparse { detail: SparseFinding::Undecided { .. } } | Self::UndeterminedByConstraints { .. }
        )
    }
}

/// A rank that is uncertain, with what another one would mean.
fn uncertain_rank(rank: usize, smallest_kept: f64, largest_dropped: f64) -> String {
    let [other, freedom] =
        if smallest_kept < crate::tuning::SQRT_EPS { ["smaller", "more"] } else { ["larger", "less"] };
    format!(
        "The rank {rank} of the constraint Jacobian is uncertain: the smallest pivot kept is {smallest_kept:.1e}, the largest \
         dropped {largest_dropped:.1e}. With a rank {other} by one there is one degree of freedom {freedom}."
    )
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RedundantConstraints { rows, rank, constraints } => write!(
                f,
                "Of {constraints} constraint rows {rank} are independent; rows {rows:?} (from 0) follow from the others, \
                 and the multipliers are those of minimum norm."
            ),
            Self::UncertainConstraintRank { rank, smallest_kept, largest_dropped } => {
                f.write_str(&uncertain_rank(*rank, *smallest_kept, *largest_dropped))
            }
            Self::StiffPenalty { ratio, digits_lost } => {
                write!(f, "The penalty terms are {ratio:.1e} times the mechanism's own matrices, so that ")?;
                if *digits_lost < 15.5 {
                    write!(f, "about {digits_lost:.0} of 16 digits of its eigenvalues are lost; ")?;
                } else {
                    f.write_str("no digit of its eigenvalues is left; ")?;
                }
                let smaller = 10.0_f64.powf(digits_lost - 8.0);
                write!(f, "penalty factors smaller by {smaller:.0e} would leave half of them.")
            }
            Self::UndeterminedByConstraints { rows, range } => {
                f.write_str(&undetermined_by(rows))?;
                range.as_ref().map_or(Ok(()), |range| write!(f, " {range}"))
            }
            Self::NoFreedom => f.write_str("The constraints leave no free direction, so there is no motion."),
            Self::SingularMass { directions, infinite } => write!(
                f,
                "The mass matrix has a null space of dimension {directions} on the null space of Phi_q; it causes {}.",
                infinite_eigenvalues(*infinite)
            ),
            Self::InfiniteByRounding { .. } => f.write_str(&infinite_by_rounding(self)),
            Self::IndefiniteMass => {
                f.write_str("The mass matrix is not positive definite on the null space of Phi_q.")
            }
            Self::NearlyZeroStiffness { relative, tolerance } => write!(
                f,
                "A direction has a stiffness of only {relative:.1e} of what cancels in it (zero is below \
                 {tolerance:.1e}); its eigenvalue may be a zero blurred by rounding."
            ),
            Self::ZeroByRounding { directions, relative } => {
                f.write_str(&zero_by_rounding(*directions, *relative))
            }
            Self::NearlySingularMass { relative, tolerance } => write!(
                f,
                "A direction has a mass of only {relative:.1e} of what cancels in it (zero is below \
                 {tolerance:.1e}); its eigenvalue may be an infinity blurred by rounding."
            ),
            Self::LongChain { at_infinity } => write!(
                f,
                "The eigenvalue {} has a chain of more than two generalized vectors; those beyond two are found \
                 only to the accuracy of a root of rounding.",
                if *at_infinity { "infinity" } else { "zero" }
            ),
            Self::SingularPencil { indeterminate } => write!(
                f,
                "The pencil is singular: {indeterminate} eigenvalues are indeterminate, and the others depend on \
                 the deflation of the singular part."
            ),
            Self::ClassifiedByMagnitude { largest_infinite, smallest_finite } => write!(
                f,
                "Infinite eigenvalues were distinguished from finite ones by magnitude: beta/alpha is at most \
                 {largest_infinite:.1e} for the former and at least {smallest_finite:.1e} for the latter."
            ),
            Self::CountMismatch { class, expected, found } => {
                write!(f, "Theory counts {expected} {class} eigenvalues, but {found} were found.")
            }
            Self::PenaltyOverlap { largest_physical, smallest_spurious } => {
                let share = |share: &Option<f64>| share.map_or("none".to_owned(), |s| format!("{s:.1e}"));
                write!(
                    f,
                    "Physical and penalty eigenvalues overlap: the share of penalty energy is at most {} among the \
                     former and at least {} among the latter, so the split is not certain. Another frequency omega of the \
                     penalty form moves the latter, which lie near -omega, away from the former.",
                    share(largest_physical),
                    share(smallest_spurious)
                )
            }
            Self::PoorAccuracy { pair, backward_error } => {
                write!(
                    f,
                    "Eigenpair {pair} has a backward error of {backward_error:.1e}, far above rounding."
                )
            }
            Self::UndeterminedEigenvalues { eigenvalues, widest } => {
                f.write_str(&undetermined(*eigenvalues, *widest))
            }
            Self::Sparse { detail } => detail.fmt(f),
            Self::StiffeningLeftOut { links, speed } => f.write_str(&stiffening_left_out(links, *speed)),
            Self::PolishStalled { re, im, backward_error } => write!(
                f,
                "Inverse iteration could not improve the eigenvalue {re:.6e} {im:+.6e}i beyond a backward error of \
                 {backward_error:.1e}."
            ),
        }
    }
}

/// Their number with the noun.
fn infinite_eigenvalues(number: usize) -> String {
    if number == 1 { "1 infinite eigenvalue".to_owned() } else { format!("{number} infinite eigenvalues") }
}

/// The words of [`Finding::InfiniteByRounding`].
fn infinite_by_rounding(finding: &Finding) -> String {
    let &Finding::InfiniteByRounding { eigenvalues, dropped, kept, beyond } = finding else {
        return String::new();
    };
    let which = match eigenvalues {
        1 => "one eigenvalue is infinite, as it counts here, or finite".to_owned(),
        many => format!("{many} eigenvalues are infinite, as they count here, or finite"),
    };
    let part = |value: Option<f64>, text: &dyn Fn(f64) -> String| value.map(text).unwrap_or_default();
    format!(
        "The last digits of the matrices decide whether {which}{}{}{}.",
        part(beyond, &|s| format!(" above {s:.1e} rad/s")),
        part(dropped, &|c| format!(": the damping of directions without mass there is {c:.1e} of its terms")),
        part(kept, &|c| format!(", and the least that counts is {c:.1e}")),
    )
}

/// The sentence on constraints that do not determine a spectrum.
fn undetermined_by(rows: &[String]) -> String {
    format!(
        "THE SPECTRUM IS NOT DETERMINED by the first derivatives of the constraints: the configuration is singular, the \
         forces of {} may be any multiple of a set that balances itself, and the stiffness depends on which is taken. The \
         values hold for the smallest forces and have no error bounds; another start, or a description without angle \
         coordinates, may be regular.",
        rows.join(", ")
    )
}

/// That error bounds are as wide as their eigenvalues.
fn undetermined(eigenvalues: usize, widest: f64) -> String {
    let up_to =
        if widest.is_finite() { format!("up to {widest:.1e} rad/s") } else { "some have none".to_owned() };
    format!(
        "The error bounds of {eigenvalues} eigenvalues are as large as the eigenvalues ({up_to}): the digits of the matrices do not \
         determine them. Stiffnesses or masses many powers of ten apart, or many equal eigenvalues with few modes, are the usual cause."
    )
}

/// The sentence on links without centrifugal stiffness.
fn stiffening_left_out(links: &[String], speed: f64) -> String {
    format!(
        "CENTRIFUGAL STIFFNESS IS MISSING: the equivalent rigid-link system ({}, at up to {speed:.4} rad/s) leaves out terms of \
         second order in the displacements, of the size of that speed squared in the square of a frequency. The values have no \
         error bounds, and growth among them need not be real; a `flexible-link` or a `beam` has these terms.",
        links.join(", ")
    )
}

/// What eigenvalues are as multipliers change by sets that balance themselves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiplierRange {
    /// The largest change of a multiplier, N or N m.
    pub change: f64,
    /// Least and largest value of the largest real part, 1/s.
    pub growth: [f64; 2],
    /// Least and largest value of the lowest natural frequency, Hz.
    pub frequency_hz: [f64; 2],
}

impl fmt::Display for MultiplierRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { change, growth: [least, most], frequency_hz: [from, to] } = self;
        write!(
            f,
            "With forces that differ from these by up to {change:.4} N (N m) the largest real part lies between {least:.4} and \
             {most:.4} 1/s, and the lowest natural frequency between {from:.4} and {to:.4} Hz."
        )
    }
}

/// The sentence on directions whose stiffness the digits of K do not tell from zero.
fn zero_by_rounding(directions: usize, relative: f64) -> String {
    let which = match directions {
        1 => "the stiffness of one direction is".to_owned(),
        many => format!("the stiffnesses of {many} directions are"),
    };
    format!(
        "The digits of K do not determine whether {which} zero: K x = 0 holds but for changes of the entries of \
         {relative:.1e}. Such eigenvalues count as zero; where a spring far stiffer than the others hides soft ones, a \
         constraint in its place or a smaller stiffness keeps their digits."
    )
}
