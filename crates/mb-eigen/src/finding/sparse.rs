//! What a sparse analysis did and found in addition to the eigenvalues.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Completeness;
use crate::krylov::Remark;

/// Something to know of a result of a sparse analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "sparse")]
#[non_exhaustive]
pub enum SparseFinding {
    /// Fewer modes converged than were asked for.
    Converged {
        /// Modes that converged.
        found: usize,
        /// Modes asked for.
        wanted: usize,
        /// Searches made, each from other start vectors with the converged modes taken out.
        searches: usize,
        /// Restarts in all.
        restarts: usize,
        /// Vectors of the largest basis, which was doubled twice where a search came back short.
        basis: usize,
    },
    /// ARPACK-NG's information code of one search.
    Arpack {
        /// Routine that returned it.
        routine: String,
        /// The code.
        info: i32,
        /// What it means.
        meaning: String,
        /// Eigenpairs of that search that converged.
        converged: usize,
        /// Eigenpairs it wanted.
        wanted: usize,
    },
    /// The built-in driver answered one search in place of the one asked for.
    BuiltInInstead {
        /// What the other cannot do.
        reason: String,
    },
    /// More modes were asked for than exist.
    FewerExist {
        /// Modes asked for.
        wanted: usize,
        /// Modes with a finite eigenvalue.
        exist: usize,
        /// n - r, what theory allows at most.
        dof: usize,
    },
    /// Modes found twice, by searches from different shifts; each is returned once.
    Repeated {
        /// How many were left out.
        modes: usize,
    },
    /// Eigenpairs that the search called converged, but that leave too much of the equations to be eigenvalues; they are
    /// not returned.
    Dropped {
        /// How many.
        eigenvalues: usize,
        /// The smallest backward error among them, or violation of the constraints where that is larger.
        backward_error: f64,
    },
    /// Fewer modes are returned than were asked for and found: some were found twice, or are no eigenvalues.
    Lost {
        /// Modes left out.
        lost: usize,
        /// Modes returned.
        found: usize,
        /// Modes asked for.
        wanted: usize,
    },
    /// The search was interrupted and returns what it had found.
    EndedEarly {
        /// Why it ended.
        reason: String,
    },
    /// The search was over, and the refinement of eigenvalues with wide error bounds was interrupted.
    RefinementEnded {
        /// Why it ended.
        reason: String,
    },
    /// A count of the eigenvalues of a region.
    Completeness(Completeness),
    /// Of an unstable system some growing modes are not among those asked for.
    GrowingNotShown {
        /// Growing modes there are at least, by the signs of the stiffness on the directions the constraints leave free or by all
        /// eigenvalues; those whose bounds reach across the imaginary axis do not count.
        counted: usize,
        /// How many of them are among the modes returned.
        shown: usize,
    },
    /// Modes that are not among those returned may grow, and were not counted.
    GrowthUnknown {
        /// What in the matrices can feed energy into a motion.
        reason: String,
        /// Unknowns up to which all eigenvalues are computed to count them.
        most: usize,
    },
    /// An eigenvalue has more modes than the number asked for leaves room for.
    MultipleCut {
        /// The eigenvalue s, rad/s; one of a conjugate pair: real part.
        re: f64,
        /// Imaginary part.
        im: f64,
        /// Modes found that agree with it within 1e-6 of s^2.
        found: usize,
        /// How many of them are returned.
        returned: usize,
    },
    /// Completeness rests on the order in which a Krylov method finds eigenvalues, and was not proved.
    Unproved {
        /// Why eigenvalues were not counted.
        reason: String,
    },
    /// Error bounds of modes reach across what divides those asked for from the others.
    Undecided {
        /// What is not determined.
        reason: String,
    },
    /// The largest eigenvalues were found without a shift, by solves with the leading matrix.
    WithoutShift {
        /// Right-hand sides solved.
        solves: usize,
        /// Worst relative residual among them.
        worst_residual: f64,
    },
    /// A shift lay on an eigenvalue, or its matrix could not be factored, and was moved.
    ShiftMoved {
        /// First shift, real part of s^2 or s.
        from_re: f64,
        /// Imaginary part.
        from_im: f64,
        /// Shift used.
        to_re: f64,
        /// Imaginary part.
        to_im: f64,
    },
    /// The shift used, and what the solves with it were worth.
    Shift {
        /// s^2 for undamped problems, s otherwise: real part.
        re: f64,
        /// Imaginary part.
        im: f64,
        /// Factorizations of all shifts tried.
        factorizations: usize,
        /// Right-hand sides solved.
        solves: usize,
        /// Worst relative residual among them.
        worst_residual: f64,
    },
    /// A band holds no modes.
    EmptyBand {
        /// Lower end, Hz.
        from_hz: f64,
        /// Upper end, Hz.
        to_hz: f64,
        /// Only modes with at most this damping ratio were asked for; none for no limit.
        max_damping_ratio: Option<f64>,
    },
    /// How far from the imaginary axis a band of a damped problem was searched.
    BandCovered {
        /// Damping ratio up to which all modes of the band are returned.
        damping_ratio: f64,
    },
    /// Eigenpairs were found in double-double precision: their bounds speak of the matrices as given, whose entries are
    /// rounded themselves.
    RoundedStiffness {
        /// |s| of the eigenpair most sensitive to it, rad/s.
        s: f64,
        /// Change of s, rad/s, when every entry of K is off by half a unit in its last place and all of them act together.
        up_to: f64,
    },
    /// Factors in single precision led to the modes: half of the time and of the memory. Residuals, the solutions that give
    /// the modes returned, and their bounds have double precision.
    ShortFactors {
        /// Vectors corrected with them.
        corrections: usize,
    },
    /// A factorization method failed and the next one was taken.
    FactorizationFellBack {
        /// Methods that failed, and why.
        failed: String,
        /// Method used.
        used: String,
    },
}

impl From<Remark> for SparseFinding {
    fn from(remark: Remark) -> Self {
        match remark {
            Remark::Arpack { routine, info, meaning, converged, wanted } => Self::Arpack {
                routine: routine.to_owned(),
                info,
                meaning: meaning.to_owned(),
                converged,
                wanted,
            },
            Remark::BuiltInInstead { reason } => Self::BuiltInInstead { reason: reason.to_owned() },
        }
    }
}

impl From<SparseFinding> for crate::Finding {
    fn from(detail: SparseFinding) -> Self {
        Self::Sparse { detail }
    }
}

impl From<Completeness> for crate::Finding {
    fn from(count: Completeness) -> Self {
        SparseFinding::Completeness(count).into()
    }
}

impl SparseFinding {
    /// In words, of shifts and factors; nothing of the others.
    fn of_factors(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WithoutShift { solves, worst_residual } => write!(
                f,
                "No shift: {solves} right-hand sides solved with the leading matrix, worst residual {worst_residual:.1e}."
            ),
            Self::ShiftMoved { from_re, from_im, to_re, to_im } => write!(
                f,
                "The shift {from_re:.6e} {from_im:+.6e}i lies on an eigenvalue or gives a singular matrix; it was \
                 moved to {to_re:.6e} {to_im:+.6e}i."
            ),
            Self::Shift { re, im, factorizations, solves, worst_residual } => write!(
                f,
                "Shift {re:.6e} {im:+.6e}i; {factorizations} factorizations, {solves} right-hand sides, worst residual \
                 {worst_residual:.1e}."
            ),
            Self::RoundedStiffness { s, up_to } => write!(
                f,
                "Error bounds hold for the matrices as given. Rounding of the entries of K to double precision, were it at its \
                 worst in all of them together, could itself move the eigenvalue at {s:.6} rad/s by {up_to:.1e} rad/s."
            ),
            Self::ShortFactors { corrections } => write!(
                f,
                "Factors in single precision led to the modes, by {corrections} corrected vectors; residuals, the last \
                 solutions and the error bounds have double precision."
            ),
            Self::FactorizationFellBack { failed, used } => {
                write!(
                    f,
                    "The first factorization of the shifted matrix did not pass its check ({failed}), and another one did ({used}): \
                     the error bounds hold, and nothing is to be done but where time or memory is short."
                )
            }
            _ => Ok(()),
        }
    }
}

/// An eigenvalue of more modes than are returned, in words.
fn cut(re: f64, im: f64, found: usize, returned: usize) -> String {
    let others = found.saturating_sub(returned);
    let are = if returned == 1 { "is" } else { "are" };
    format!(
        "The eigenvalue s = {re:.6e} {im:+.6e}i rad/s has at least {found} modes, of which {returned} {are} returned and {others} left out, \
         because no more were asked for: ask for {others} more to see those."
    )
}

impl fmt::Display for SparseFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converged { found, wanted, searches, restarts, basis } => write!(
                f,
                "Converged: {found} of {wanted} modes. To get the rest, {searches} searches with {restarts} restarts and \
                 bases of up to {basis} vectors were made. A shift nearer to the wanted modes, more restarts or a \
                 larger subspace may find them."
            ),
            Self::Arpack { routine, info, meaning, converged, wanted } => write!(
                f,
                "ARPACK-NG's {routine} returned info = {info} in one search: {meaning}; {converged} of {wanted} eigenpairs \
                 converged in it."
            ),
            Self::BuiltInInstead { reason } => {
                write!(f, "The built-in solver answered one search, because {reason}.")
            }
            Self::FewerExist { wanted, exist, dof } => write!(
                f,
                "{wanted} modes were asked for, but only {exist} {} a finite eigenvalue ({}).",
                if *exist == 1 { "has" } else { "have" },
                if *dof == 1 {
                    "1 degree of freedom".to_owned()
                } else {
                    format!("{dof} degrees of freedom")
                }
            ),
            Self::Repeated { modes } => {
                if *modes == 1 {
                    f.write_str("1 mode was found twice and is returned once.")
                } else {
                    write!(f, "{modes} modes were found twice and are returned once.")
                }
            }
            Self::Dropped { eigenvalues, backward_error } => write!(
                f,
                "{eigenvalues} eigenvalues that the search called converged are left out: what they leave of the equations is {backward_error:.1e} \
                 of its terms or more, so they are rounding."
            ),
            Self::Lost { lost, found, wanted } => write!(
                f,
                "Returned: {found} of {wanted} modes asked for. Of those found {lost} are left out, because they were found twice or \
                 solve no more than some of the equations."
            ),
            Self::EndedEarly { reason } => write!(
                f,
                "The search ended early, because {reason}: the error bounds of the eigenvalues returned hold, but others are missing or \
                 were not searched for."
            ),
            Self::RefinementEnded { reason } => write!(
                f,
                "The refinement of eigenvalues with wide error bounds ended early, because {reason}: all bounds hold, but refinement makes \
                 them narrower."
            ),
            Self::Completeness(count) => count.fmt(f),
            Self::GrowingNotShown { counted, shown } => {
                let grow = if *counted == 1 { "mode grows" } else { "modes grow" };
                let are = if *shown == 1 { "is" } else { "are" };
                write!(
                    f,
                    "UNSTABLE: {counted} {grow}, of which {shown} {are} among those returned (at least so many: those whose \
                     error bounds reach across the imaginary axis do not count). Ask for more of the lowest \
                     modes, or for those near a point of the positive real axis, to see the others."
                )
            }
            Self::GrowthUnknown { reason, most } => write!(
                f,
                "Whether modes that are not among those returned grow is unknown: {reason}, and growing modes of more than {most} unknowns are \
                 not counted. Ask for all eigenvalues, or for those near the frequencies in question, to see them."
            ),
            Self::MultipleCut { re, im, found, returned } => f.write_str(&cut(*re, *im, *found, *returned)),
            Self::Unproved { reason } => {
                write!(f, "That no eigenvalue is missing is likely but not proved: {reason}.")
            }
            Self::Undecided { reason } => {
                write!(f, "The digits of the matrices do not determine what is asked for: {reason}.")
            }
            Self::EmptyBand { from_hz, to_hz, max_damping_ratio } => {
                let damped = max_damping_ratio.map(|most| format!(" and a damping ratio of at most {most}"));
                let damped = damped.unwrap_or_default();
                write!(f, "No mode has a frequency between {from_hz} and {to_hz} Hz{damped}.")
            }
            Self::BandCovered { damping_ratio } => write!(
                f,
                "The band was searched for modes with a damping ratio up to {damping_ratio:.3}; more strongly damped \
                 ones may exist."
            ),
            _ => self.of_factors(f),
        }
    }
}
