//! Which branch a steady motion is on: the one that begins at rest, one that splits off from it, or another.
//!
//! Where something turns by given speeds ([`Spin`]) and no start configuration is given, the motion is followed from rest while all speeds
//! grow together ([`mb_linear::steady::steady_from_rest`]), so that of several motions with the same speeds the one is taken that running up
//! slowly leads to.

use crate::error::AnalysisError;
use crate::number::six;
use crate::settle::{StartOptions, settle};
use crate::spectra::spectrum;
use mb_constraints::{AssemblyOptions, NullSpaceMethod, assemble};
use mb_eigen::Spectrum;
use mb_linear::steady::{Branch, Crossing, Spin, SteadySearch, spinning, steady_from_rest};
use mb_linear::{Formulation, FrameChoice, LinearError, OperatingPoint};
use mb_model::{Carried, Model, Point};

/// How a steady motion with given speeds was come by.
#[derive(Clone, Debug, PartialEq)]
pub struct FromRest {
    /// What was followed, and what it passed.
    pub reached: Reached,
    /// Speeds that grow: what turns, rad/s.
    pub speeds: Vec<(String, f64)>,
    /// False where the model is built in steady motion, which is taken as it is, and growing speeds lead from rest to another one.
    pub shown: bool,
}

/// How far the branch from rest was followed.
#[derive(Clone, Debug, PartialEq)]
pub enum Reached {
    /// To the speeds asked for.
    Whole(Branch),
    /// To a fold before; the motion is on another branch, found by Newton's method from the start.
    Ends(Branch),
    /// Not at all, and why; the motion was found by Newton's method from the start.
    Not(String),
}

impl FromRest {
    /// The branch in words.
    pub fn name(&self) -> &'static str {
        match &self.reached {
            _ if !self.shown => "as built, not the one that growing speeds lead to from rest",
            Reached::Whole(branch) if branch.has_split() => "split off from the branch from rest",
            Reached::Whole(_) => "from rest",
            Reached::Ends(_) => "none that is connected with rest by growing speeds",
            Reached::Not(_) => "not known",
        }
    }
    /// What was passed on the way.
    pub fn branch(&self) -> Option<&Branch> {
        match &self.reached {
            Reached::Whole(branch) | Reached::Ends(branch) => Some(branch),
            Reached::Not(_) => None,
        }
    }
    /// The speeds at a share of them, in words.
    fn speeds_at(&self, share: f64) -> String {
        let one = |(who, speed): &(String, f64)| format!("{who} {}", six(share * speed));
        format!("{} rad/s", self.speeds.iter().map(one).collect::<Vec<_>>().join(", "))
    }
    /// The largest of the speeds, rad/s.
    fn fastest(&self) -> f64 {
        self.speeds.iter().map(|(_, speed)| speed.abs()).fold(0.0, f64::max)
    }
    fn crossing(&self, c: &Crossing) -> String {
        let bound = c.error * self.fastest();
        let what = match (c.below, c.above) {
            (below, above) if above == below + 1 => {
                "a real eigenvalue of the branch passes through zero".to_owned()
            }
            (below, above) => format!(
                "real eigenvalues of the branch pass through zero ({below} directions of negative stiffness below, {above} above)"
            ),
        };
        let then = if c.left {
            "; disturbances grow beyond, and another branch splits off there, which growing speeds lead to; a mirrored one may exist"
        } else if c.above > c.below {
            "; no branch was found near by that could be followed in its place: others may exist farther away"
        } else {
            ""
        };
        format!("at {} (error bound {bound:.1e}) {what}{then}", self.speeds_at(c.share))
    }
    /// What is to be known about the branch, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut out: Vec<String> =
            self.branch().into_iter().flat_map(|b| &b.crossings).map(|c| self.crossing(c)).collect();
        if !self.shown {
            out.push("the model is built in steady motion with these speeds, which is shown; a start configuration near another one leads to it".to_owned());
        }
        match &self.reached {
            Reached::Whole(branch) if !branch.watched => out.push(
                "eigenvalues that pass through zero between rest and these speeds may have been missed: rounding hides signs of the \
                 stiffness, or it is unsymmetric and large"
                    .to_owned(),
            ),
            Reached::Whole(branch) if branch.crossings.is_empty() => out.push(
                "no real eigenvalue passes through zero between rest and these speeds; other steady motions that are not connected \
                 with rest may exist; a start configuration near one leads to it"
                    .to_owned(),
            ),
            Reached::Whole(_) => {}
            Reached::Ends(branch) => {
                let share = branch.ends.map_or(0.0, |[share, _]| share);
                out.push(format!(
                    "the branch from rest ends at {}: beyond it, no steady motion near by was found. The one shown was found from the model \
                     as built, and may be one of several",
                    self.speeds_at(share)
                ));
            }
            Reached::Not(why) => out.push(format!(
                "the branch from rest was not followed ({why}): the motion was found from the model as built, and may be one of several"
            )),
        }
        out
    }
}

/// Coordinates and constraint rows in all up to which a motion is followed from rest.
const FOLLOWED_UP_TO: usize = 2000;

/// The same up to which eigenvalues show whether a branch is left.
const JUDGED_UP_TO: usize = 300;

/// The motion with these speeds that is followed from rest; none where it has to be found otherwise.
pub(crate) fn from_rest(
    model: &Model,
    start: &StartOptions,
    spins: &[Spin],
    frame: &FrameChoice,
) -> Result<(Option<SteadySearch>, FromRest), AnalysisError> {
    let speeds = spins.iter().map(|s| (named(model, s), s.speed)).collect();
    let told = |reached| FromRest { reached, speeds, shown: true };
    if model.nv() + model.nc() > FOLLOWED_UP_TO {
        let why = format!("more than {FOLLOWED_UP_TO} coordinates and rows");
        return Ok((None, told(Reached::Not(why))));
    }
    let options = AssemblyOptions::default();
    let built =
        assemble(model, &start.configuration(model), start.time, &options).map_err(LinearError::from)?.q;
    let q = match settle(model, start) {
        Ok(settled) => settled.equilibrium.q().to_vec(),
        // A drive that turns: rest is where nothing moves at this time.
        Err(AnalysisError::Moving { .. }) => built.clone(),
        Err(error) => return Ok((None, told(Reached::Not(first_sentence(&error.to_string()))))),
    };
    let inputs = if start.inputs.is_empty() { vec![0.0; model.inputs().len()] } else { start.inputs.clone() };
    let mut rest = Point { q, t: start.time, u: inputs, ..model.initial_point() };
    rest.v = spinning(model, &rest, spins)?.0;
    let grows = |at: &OperatingPoint| grows(model, at);
    match steady_from_rest(model, &rest, frame, &built, &grows) {
        Ok(Some((Some(found), branch))) => Ok((Some(found), told(Reached::Whole(branch)))),
        Ok(Some((None, branch))) => Ok((None, told(Reached::Ends(branch)))),
        Ok(None) => Ok((None, told(Reached::Not("no frame carries these speeds".to_owned())))),
        Err(LinearError::Algebra(e)) => Err(LinearError::Algebra(e).into()),
        Err(error) => Ok((None, told(Reached::Not(first_sentence(&error.to_string()))))),
    }
}

/// Whether disturbances of a motion grow by more than their error bounds; none where it is too large to ask, or the eigenvalues fail.
fn grows(model: &Model, at: &OperatingPoint) -> Option<bool> {
    if model.nv() + model.nc() > JUDGED_UP_TO {
        return None;
    }
    let found = spectrum(model, at, &Formulation::Minimal(NullSpaceMethod::Qr)).ok()?;
    Some(largest_growth(&found.spectrum).is_some_and(|(re, bound)| re > bound))
}

/// The largest real part of the eigenvalues of a motion and its error bound, 1/s; none where there are none.
pub fn largest_growth(spectrum: &Spectrum) -> Option<(f64, f64)> {
    let real = spectrum.motion().filter_map(|p| p.value().map(|s| (s.re, p.error_bound)));
    real.max_by(|a, b| a.0.total_cmp(&b.0))
}

fn first_sentence(text: &str) -> String {
    text.split(". ").next().unwrap_or(text).trim_end_matches('.').to_owned()
}

/// What turns, as it is called in the model.
fn named(model: &Model, spin: &Spin) -> String {
    match &spin.carries {
        Carried::Joint(joint) => joint.clone(),
        Carried::Blocks { blocks, .. } => {
            blocks.first().map_or_else(String::new, |b| model.coordinates().block(*b).name.clone())
        }
    }
}
