//! Campbell diagrams: steady motions and their modes over a speed.
//!
//! ```text
//! speed -> model -> steady motion near that of the neighbour -> M, C, K in the frame -> eigenpairs, each identified by its vectors
//! ```
//!
//! Where M, C and K are polynomials in the speed ([`mb_linear::steady::SteadyFamily`]) a few speeds are linearized, and the others read
//! from them.
//!
//! All eigenvalues are seen from one frame. Lines of so many per revolution are cut by the modes at critical speeds, which are
//! solved for (`critical.rs`); where eigenvalues grow, the ends of the range of speeds are solved for too (`unstable.rs`, `search.rs`), and
//! between samples modes that come close to each other are followed more finely, so that narrow ranges are found.

#[cfg(test)]
mod branches;
mod critical;
#[cfg(test)]
mod ended;
mod follow;
mod kept;
mod newton;
mod path;
mod search;
mod stop;
mod unstable;
mod words;

pub use critical::{Critical, Unsolved};
pub use follow::ModePoint;
pub use unstable::Unstable;
pub use words::Note;

use crate::error::AnalysisError;
use crate::settle::StartOptions;
use crate::steps::Steps;
use follow::Follow;
use mb_algebra::Stopped;
use mb_linear::{Frame, FrameChoice};
use mb_model::ModelSpec;
use mb_parametric::Journal;
use path::{Look, Path};

/// What the speed is.
#[derive(Clone, Debug, PartialEq)]
pub enum SpeedOf {
    /// A parameter of the model, in whose terms steady rotations or velocities are written.
    Parameter(String),
    /// The speed of everything behind the joint of this name, rad/s.
    Joint(String),
    /// The velocity of this number; the others follow.
    Velocity(usize),
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct CampbellOptions {
    /// Number of speeds, two at least.
    pub samples: usize,
    /// Number of modes: those of lowest frequency at either end are followed.
    pub modes: usize,
    /// Lines of so many per revolution.
    pub lines: Vec<f64>,
    /// The frame that eigenvalues are seen from.
    pub frame: FrameChoice,
    /// Where the search for the configuration starts at the first speed.
    pub start: StartOptions,
}

impl Default for CampbellOptions {
    fn default() -> Self {
        Self {
            samples: 101,
            modes: 10,
            lines: vec![1.0, 2.0, 3.0],
            frame: FrameChoice::Automatic,
            start: StartOptions::default(),
        }
    }
}

/// Polynomials in the speed that the blocks of a linearization are read from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    /// Their degree: one less than the speeds that they go through.
    pub degree: usize,
    /// What they miss other speeds by, relative to the diagonals of the blocks.
    pub missed: f64,
    /// Number of these other speeds.
    pub checks: usize,
}

/// What ended the work before its end, and what is missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Early {
    /// Why.
    pub why: Stopped,
    /// Number of speeds that were asked for; followed were those of [`Campbell::speeds`].
    pub samples: usize,
}

/// Modes of steady motions over a speed.
#[derive(Clone, Debug)]
pub struct Campbell {
    /// The speeds that were asked for, or of work that was ended those that were reached: the last ones of the range.
    pub speeds: Vec<f64>,
    /// Angular velocity in rad/s that lines of so many per revolution belong to, at each speed.
    pub turns: Vec<f64>,
    /// The frame that eigenvalues are seen from; none where nothing turns at any speed.
    pub frame: Option<Frame>,
    /// By mode, then by speed; none where a mode is not among those that were found. Modes by rising frequency at the last
    /// speed.
    pub modes: Vec<Vec<Option<ModePoint>>>,
    /// Where modes cut the lines, by rising speed; of work that was ended those that were solved for.
    pub critical: Vec<Critical>,
    /// Critical speeds that were not solved for, because work was ended or a mode was lost.
    pub unsolved: Vec<Unsolved>,
    /// Ranges of speeds at which disturbances grow. Ends that were not solved for are enclosed by neighbouring speeds.
    pub unstable: Vec<Unstable>,
    /// The largest change of a linearization along its orbit, with what polynomials between speeds miss others by.
    pub deviation: f64,
    /// Number of speeds whose whole orbit was checked; at others that were linearized three of its phases were.
    pub shown: usize,
    /// Polynomials that speeds between those linearized are read from; none where all were linearized.
    pub between: Option<Between>,
    /// Whether all modes of every speed were computed, so that what grows cannot hide among those that were not.
    pub complete: bool,
    /// Ranges of growth narrower than this are found by chance only.
    pub resolution: f64,
    /// What the motion passes on the way from rest to the fastest speed, in sentences: zeros of eigenvalues, other branches, an end.
    pub passed: Vec<String>,
    /// What ended the work before its end.
    pub early: Option<Early>,
}

/// Follows steady motions and their modes over a speed.
///
/// Work that is ended in a scope ([`mb_algebra::interrupt`]) once a speed is known keeps what it has ([`Campbell::early`]). The answers of
/// eigenvalue problems are steps of `journal`, from which a later run with the same arguments takes them.
///
/// # Errors
/// A model that cannot be built at some speed, no steady motion there ([`AnalysisError::AtSpeed`]), an eigenanalysis that
/// fails, or speeds that are not on one branch ([`AnalysisError::BranchLeft`]).
pub fn campbell(
    spec: &ModelSpec,
    speed: &SpeedOf,
    [from, to]: [f64; 2],
    options: &CampbellOptions,
    journal: &mut dyn Journal,
) -> Result<Campbell, AnalysisError> {
    Steps::with(journal, |steps| diagram(spec, speed, [from, to], options, steps))
}

fn diagram(
    spec: &ModelSpec,
    speed: &SpeedOf,
    [from, to]: [f64; 2],
    options: &CampbellOptions,
    steps: &Steps<'_>,
) -> Result<Campbell, AnalysisError> {
    let samples = options.samples.max(2);
    let at = |k: usize| from + (to - from) * k as f64 / (samples - 1) as f64;
    let speeds: Vec<f64> = (0..samples).map(at).collect();
    let path = Path::new(spec, speed, &speeds, options, steps)?;
    // Where all modes are computed anyway all are followed, so that nothing grows unseen.
    let followed = if path.is_small() { usize::MAX } else { options.modes };
    let mut follow = Follow::new(&path, followed);
    // From the last speed, where modes that are double at rest are apart.
    for (done, k) in (0..samples).rev().enumerate() {
        let whole = k == 0 || k + 1 == samples || k == samples / 2;
        let look = if whole { Look::Shown } else { Look::Between };
        if done == 0 {
            // There is nothing to keep yet.
            follow.go(speeds[k], look)?;
        } else if path.unless_ended(|| follow.go(speeds[k], look)).transpose()?.is_none() {
            break;
        }
    }
    follow.rise();
    path.unless_ended(|| follow.complete_from_below()).transpose()?;
    let reached = follow.speeds();
    let one_branch = || reached.windows(2).try_for_each(|pair| path.is_one_branch(pair[0], pair[1]));
    path.unless_ended(one_branch).transpose()?;
    let asked = samples;
    let samples = follow.into_samples();
    let step = (to - from).abs() / (asked - 1) as f64;
    let (mut unstable, resolution) = unstable::find(&path, &samples, step)?;
    let grown: Vec<usize> = unstable.iter().filter_map(|u| u.mode).collect();
    let kept = samples.lowest(options.modes, &grown);
    let (mut critical, mut unsolved) = critical::find(&path, &samples, &options.lines, &kept, options.modes)?;
    let met = critical.iter().map(|c| c.mode).chain(unsolved.iter().map(|u| u.mode));
    let mut kept: Vec<usize> = kept.iter().copied().chain(met).collect();
    kept.sort_unstable();
    kept.dedup();
    let number = |mode: usize| kept.iter().position(|k| *k == mode);
    for range in &mut unstable {
        range.mode = range.mode.and_then(number);
    }
    let numbers = critical.iter_mut().map(|c| &mut c.mode).chain(unsolved.iter_mut().map(|u| &mut u.mode));
    numbers.for_each(|mode| *mode = number(*mode).unwrap_or(*mode));
    let samples = samples.of_modes(&kept);
    let (deviation, shown) = path.certificate();
    let modes = samples.modes();
    Ok(Campbell {
        turns: samples.list.iter().map(|s| s.turn).collect(),
        speeds: samples.list.iter().map(|s| s.w).collect(),
        frame: path.frame(),
        modes,
        critical,
        unstable,
        deviation,
        shown,
        between: path.between(),
        complete: path.is_small(),
        resolution,
        unsolved,
        passed: path.passed(),
        early: path.ended().map(|why| Early { why, samples: asked }),
    })
}
