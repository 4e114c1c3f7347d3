//! Where a model is linearized: at rest, or at a point of a motion.

use super::branch::{FromRest, from_rest};
use super::settle::{Settled, Start, StartOptions, settle};
use super::sought::{Solved, check_known, held, sought};
use crate::error::AnalysisError;
use crate::names;
use crate::number::six;
use mb_algebra::norms;
use mb_constraints::method::DirectCorrection;
use mb_constraints::simulate::{
    End, Integrator, SimulationOptions, StartPolicy, StepControl, consistent_start, simulate,
};
use mb_constraints::{AssemblyOptions, ConstraintMethod, assemble, largest};
use mb_linear::steady::{Looks, Reason, Sought, Spin, SteadySearch, spinning, steady_near};
use mb_linear::{FrameChoice, Instant, LinearError, OperatingPoint, SteadyMotion, check_frame};
use mb_model::{Model, Point};
use std::ops::ControlFlow;

/// What may be left of an equation of motion, relative to the forces at work.
const TOLERANCE: f64 = 1e-9;

/// Tolerances of the way to a later point.
const ON_THE_WAY: StepControl = StepControl { relative: 1e-10, absolute: 1e-12, max_step: None };

/// Motions this near to each other, relative to the configuration, are one.
const SAME: f64 = 1e-6;

/// A point of a motion that is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionOptions {
    /// Speeds: index of the velocity, value. The others start as the model says.
    pub velocities: Vec<(usize, f64)>,
    /// Accelerations that are claimed: index, value. The others follow.
    pub accelerations: Vec<(usize, f64)>,
    /// Multipliers that are claimed: row, value. The others follow.
    pub multipliers: Vec<(usize, f64)>,
    /// Time in s by which the point comes later than the start; the motion is integrated.
    pub after: f64,
    /// What turns; in place of the model's own speeds and steady rotations.
    pub spins: Vec<Spin>,
    /// Which of these speeds and of the inputs are unknown, and what is to have which value instead.
    pub sought: Sought,
    /// The frame to see a steady motion from.
    pub frame: FrameChoice,
    /// An instant is wanted, whether the motion is steady or not.
    pub instant: bool,
    /// The branch is asked for also where the model is built in steady motion.
    pub branch: bool,
    /// How thoroughly a steady motion is checked.
    pub looks: Looks,
}

impl MotionOptions {
    /// The rotations asked for and what is unknown; those of the model's tables where no speeds are asked for.
    pub(crate) fn turning(&self, model: &Model) -> (Vec<Spin>, Sought) {
        if !(self.spins.is_empty() && self.velocities.is_empty()) {
            return (self.spins.clone(), self.sought.clone());
        }
        let mut sought = Sought::of_model(model);
        sought.inputs.clone_from(&self.sought.inputs);
        // The last value given for a name counts, as for all options.
        sought.holds.retain(|(held, _)| !self.sought.holds.iter().any(|(own, _)| own == held));
        sought.holds.extend(self.sought.holds.iter().copied());
        (Spin::of_model(model), sought)
    }
}

/// What a linearization is taken at: a state that lasts and has exponents, or an instant that has none.
#[derive(Clone, Debug)]
pub enum State {
    /// Rest or a steady motion.
    Lasting(OperatingPoint),
    /// An instant of any motion.
    Instant(Instant),
}

impl State {
    /// (q, v, a, lambda, u, t).
    pub fn point(&self) -> &Point {
        match self {
            Self::Lasting(at) => at.point(),
            Self::Instant(at) => at.point(),
        }
    }
    /// The steady motion.
    pub fn steady(&self) -> Option<&SteadyMotion> {
        match self {
            Self::Lasting(at) => at.steady(),
            Self::Instant(_) => None,
        }
    }
}

/// A verified point of a motion.
#[derive(Clone, Debug)]
pub struct Moving {
    /// The point.
    pub at: State,
    /// What became of the start.
    pub start: Start,
    /// What is left of the equations of motion, largest entry.
    pub residual: f64,
    /// Time from the start to the point, s.
    pub after: f64,
    /// Newton steps to a steady motion near the start, and how far it is; none where the start itself is on one.
    pub found: Option<(usize, f64)>,
    /// The branch that the motion is on, where speeds of what turns are asked for and no configuration is.
    pub branch: Option<FromRest>,
    /// Speeds and inputs that were unknown.
    pub solved: Vec<Solved>,
}

/// Where a model is linearized.
#[derive(Clone, Debug)]
pub enum Site {
    /// An equilibrium.
    Rest(Box<Settled>),
    /// A point of a motion.
    Motion(Box<Moving>),
}

impl Site {
    /// What the linearization is taken at.
    pub fn state(&self) -> State {
        match self {
            Self::Rest(settled) => State::Lasting(settled.operating_point()),
            Self::Motion(moving) => moving.at.clone(),
        }
    }
    /// The steady motion.
    pub fn steady(&self) -> Option<&SteadyMotion> {
        match self {
            Self::Rest(_) => None,
            Self::Motion(moving) => moving.at.steady(),
        }
    }
    /// (q, v, a, lambda, u, t).
    pub fn point(&self) -> &Point {
        match self {
            Self::Rest(settled) => settled.equilibrium.point(),
            Self::Motion(moving) => moving.at.point(),
        }
    }
    /// What became of the start; none when it was only verified.
    pub fn start(&self) -> Option<&Start> {
        match self {
            Self::Rest(settled) => settled.start.as_ref(),
            Self::Motion(moving) => Some(&moving.start),
        }
    }
}

/// Whether tables of the model say that it turns.
pub fn rotates(model: &Model) -> bool {
    model.steady_rotations().iter().any(|r| r.is_sought || r.speed != 0.0)
}

/// The velocities (nv) that a motion of the model starts with at `q`: those of its steady rotations where it has some, else its
/// own.
///
/// # Errors
/// Rotations that cannot be, or whose speeds are unknown.
pub fn own_velocities(model: &Model, q: &[f64], t: f64) -> Result<Vec<f64>, AnalysisError> {
    if !rotates(model) {
        return Ok(model.initial_velocity().to_vec());
    }
    check_known(model, "the start of a motion in time")?;
    let there = Point { q: q.to_vec(), t, ..model.initial_point() };
    Ok(spinning(model, &there, &Spin::of_model(model))?.0)
}

/// Speeds of a model's own that the state of rest leaves aside, in words that end with what takes them; none where there are none.
pub fn speeds_aside(model: &Model, taken_by: &str) -> Option<String> {
    let first = own_speeds(model, &[])?;
    Some(format!("the model has speeds ({first} per second); this is the state of rest, {taken_by}"))
}

/// Speeds of a model's own by coordinate, without those of the velocities `taken`: the first three in words.
pub fn own_speeds(model: &Model, taken: &[usize]) -> Option<String> {
    let names = model.coordinates().names();
    let own = names.iter().zip(model.initial_velocity()).enumerate();
    let own = own.filter(|(i, (_, v))| **v != 0.0 && !taken.contains(i));
    let own: Vec<String> = own.map(|(_, (name, v))| format!("{name} {}", six(*v))).collect();
    match own.as_slice() {
        [] => None,
        [a, b, c, _, ..] => Some(format!("{a}, {b}, {c} and more")),
        few => Some(few.join(", ")),
    }
}

/// The equilibrium, or the point of a motion when one is asked for or the model's own steady rotations make one.
///
/// # Errors
/// As [`settle`] and [`moving`].
pub fn site(
    model: &Model,
    start: &StartOptions,
    motion: Option<&MotionOptions>,
) -> Result<Site, AnalysisError> {
    Ok(match motion {
        None if rotates(model) => Site::Motion(Box::new(moving(model, start, &MotionOptions::default())?)),
        None => Site::Rest(Box::new(settle(model, start)?)),
        Some(motion) => Site::Motion(Box::new(moving(model, start, motion)?)),
    })
}

/// A point of a motion: positions and speeds assembled (or only verified), accelerations and multipliers solved for.
///
/// # Errors
/// [`AnalysisError::Linear`]: no assembly, speeds that contradict the constraints, claimed accelerations or multipliers that
/// leave a residual, by coordinate, or break a constraint, by joint; a motion that is not steady, unless an instant is
/// asked for; [`AnalysisError::NotReached`] when the motion ends before the time asked for.
pub fn moving(model: &Model, start: &StartOptions, motion: &MotionOptions) -> Result<Moving, AnalysisError> {
    // A wrong name is said before anything is searched for.
    check_frame(model, &model.initial_point(), &motion.frame)?;
    let (before, mut v) = (start.configuration(model), model.initial_velocity().to_vec());
    let mut q = before.clone();
    // What assembly does to the start is reported, wherever it is done.
    let violation = if start.solve { largest(&model.phi(&q, start.time)) } else { None };
    let moved = |q: &[f64]| norms::two(&q.iter().zip(&before).map(|(a, b)| a - b).collect::<Vec<_>>());
    let mut hold: Vec<usize> =
        start.given.iter().filter_map(|(i, _)| names::velocity_index(model, *i)).collect();
    let (spins, unknown) = motion.turning(model);
    held(&unknown).for_each(|(i, value)| q[i] = value);
    for (i, value) in &motion.velocities {
        v[*i] = *value;
        hold.push(*i);
    }
    let mut t = start.time;
    if !spins.is_empty() || !unknown.is_empty() {
        if start.solve {
            q = assemble(model, &q, t, &AssemblyOptions::default()).map_err(LinearError::from)?.q;
        }
        if !unknown.is_empty() {
            let moved = moved(&q);
            let outcome = Start { q, before, violation, moved, not_kept: Vec::new() };
            return sought(model, start, motion, (&spins, &unknown), outcome);
        }
        let there = Point { q: q.clone(), t, ..model.initial_point() };
        let (turning, given) = spinning(model, &there, &spins)?;
        v = turning;
        hold.extend(given);
    }
    let mut missed = Vec::new();
    if start.solve {
        let there =
            consistent_start(model, &q, &v, t, StartPolicy::Assemble, &hold).map_err(LinearError::from)?;
        missed = not_kept(model, start, motion, &there.q, &there.v);
        (q, v) = (there.q, there.v);
    }
    let moved = moved(&q);
    let outcome = Start { q: q.clone(), before, violation, moved, not_kept: missed };
    let inputs = if start.inputs.is_empty() { vec![0.0; model.inputs().len()] } else { start.inputs.clone() };
    if motion.after > 0.0 {
        (q, v) = later(model, &q, &v, t, &inputs, motion.after)?;
        t += motion.after;
    }
    let made = Instant::of_motion(model, q.clone(), v.clone(), t, inputs.clone(), TOLERANCE);
    let searched = start.solve && motion.after == 0.0;
    let claims = !motion.accelerations.is_empty() || !motion.multipliers.is_empty();
    // Accelerations that balance the forces of a fine mesh are rounding of its coordinates; a steady motion has those of its frame.
    if let Err(LinearError::NotOnMotion { .. }) = &made
        && searched
        && !motion.instant
        && !claims
    {
        let there = Point { q, v, t, u: inputs, ..model.initial_point() };
        if let Ok(Some(found)) = steady_near(model, &there, &motion.frame) {
            let residual = largest(&model.residual(found.at.point())).map_or(0.0, |(_, x)| x);
            let steps = Some((found.iterations, found.moved));
            let at = State::Lasting(found.at);
            return Ok(Moving {
                at,
                start: outcome,
                residual,
                after: 0.0,
                found: steps,
                branch: None,
                solved: Vec::new(),
            });
        }
    }
    let mut at = made?;
    if !motion.accelerations.is_empty() || !motion.multipliers.is_empty() {
        let mut claimed = at.point().clone();
        for (i, value) in &motion.accelerations {
            claimed.a[*i] = *value;
        }
        for (i, value) in &motion.multipliers {
            claimed.lambda[*i] = *value;
        }
        at = Instant::declared(model, claimed, TOLERANCE)?;
    }
    let residual = largest(&model.residual(at.point())).map_or(0.0, |(_, x)| x);
    let (at, found, branch) = if motion.instant {
        (State::Instant(at), None, None)
    } else {
        let near = lasting(model, &at, motion, searched);
        let follows = searched && !spins.is_empty() && start.given.is_empty() && motion.velocities.is_empty();
        let followed =
            if follows { followed(model, start, motion, &spins, &at, near.as_ref().ok())? } else { None };
        match followed {
            Some((Some(found), branch)) if branch.shown => {
                (State::Lasting(found.at), Some((found.iterations, found.moved)), Some(branch))
            }
            other => {
                let (at, found) = near?;
                (State::Lasting(at), found, other.map(|(_, branch)| branch))
            }
        }
    };
    let residual = largest(&model.residual(at.point())).map_or(residual, |(_, x)| x);
    Ok(Moving { at, start: outcome, residual, after: motion.after, found, branch, solved: Vec::new() })
}

/// A steady motion, with Newton steps and the way to it where the start is on none.
type Near = (OperatingPoint, Option<(usize, f64)>);

/// What is followed from rest to the speeds asked for, with its branch. A model that is built in steady motion is taken as it is: then only
/// the branch is reported, where it is asked for. None where the motion found near the start `at` is the one to take.
fn followed(
    model: &Model,
    start: &StartOptions,
    motion: &MotionOptions,
    spins: &[Spin],
    at: &Instant,
    near: Option<&Near>,
) -> Result<Option<(Option<SteadySearch>, FromRest)>, AnalysisError> {
    let q = &at.point().q;
    let same = |a: &[f64], b: &[f64]| distance(a, b) <= SAME * (1.0 + norms::two(q));
    let as_built = near.is_some_and(|(found, _)| same(&found.point().q, q));
    if as_built && !motion.branch {
        return Ok(None);
    }
    let (followed, mut branch) = from_rest(model, start, spins, &motion.frame)?;
    let found =
        |found: &SteadySearch| near.is_some_and(|(near, _)| same(&near.point().q, &found.at.point().q));
    let again = followed.as_ref().is_some_and(found);
    branch.shown = again || !as_built;
    // The motion found near the start is the same one.
    Ok(Some((followed.filter(|_| branch.shown && !again), branch)))
}

/// The steady motion through a point, or near it where the search is allowed.
fn lasting(model: &Model, at: &Instant, motion: &MotionOptions, searched: bool) -> Result<Near, LinearError> {
    let unsteady = match OperatingPoint::of_instant_looked(model, at, &motion.frame, motion.looks) {
        Err(LinearError::NotSteady(why)) if searched => LinearError::NotSteady(why),
        other => return Ok((other?, None)),
    };
    let starts = |e: &LinearError| matches!(e, LinearError::NotSteady(why) if matches!(why.reason, Reason::Accelerates { .. }));
    match steady_near(model, at.point(), &motion.frame) {
        Ok(Some(found)) => Ok((found.at, Some((found.iterations, found.moved)))),
        // Forces are in balance near by, and the motion there is not steady for a reason of its own.
        Err(LinearError::NotSteady(why)) if starts(&unsteady) => Err(LinearError::NotSteady(why)),
        // What is wrong with the motion asked for says more than how Newton ended.
        Ok(None) | Err(LinearError::NotSteady(_) | LinearError::NotOnMotion { .. }) => Err(unsteady),
        Err(other) => Err(other),
    }
}

/// Positions and speeds `after` seconds later.
fn later(
    model: &Model,
    q: &[f64],
    v: &[f64],
    t: f64,
    inputs: &[f64],
    after: f64,
) -> Result<(Vec<f64>, Vec<f64>), AnalysisError> {
    let until = t + after;
    let method = ConstraintMethod::DirectCorrection(DirectCorrection::default());
    let options = SimulationOptions {
        until,
        every: after,
        inputs: inputs.to_vec(),
        start: StartPolicy::Keep,
        integrator: Integrator::DormandPrince { method, control: ON_THE_WAY, restart: false },
        ..SimulationOptions::default()
    };
    let motion =
        simulate(model, t, q, v, &options, &mut |_| ControlFlow::Continue(())).map_err(LinearError::from)?;
    match motion.end {
        End::Failed(failure) => Err(LinearError::from(failure).into()),
        End::Finished => {
            let last = motion.point(motion.len() - 1);
            let there = consistent_start(model, &last.q, &last.v, until, StartPolicy::Assemble, &[])
                .map_err(LinearError::from)?;
            Ok((there.q, there.v))
        }
        End::Interrupted | End::Event(_) => {
            let reached = motion.times.last().copied().unwrap_or(t);
            Err(AnalysisError::NotReached { after, reached: reached - t })
        }
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    norms::two(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>())
}

/// Names of given values that the constraints did not let stand.
fn not_kept(
    model: &Model,
    start: &StartOptions,
    motion: &MotionOptions,
    q: &[f64],
    v: &[f64],
) -> Vec<String> {
    let known = names::configuration(model);
    let lost = |found: f64, value: f64| (found - value).abs() > 1e-9 * (1.0 + value.abs());
    let places = start.given.iter().filter(|(i, value)| lost(q[*i], *value)).map(|(i, _)| known[*i].clone());
    let speeds = motion.velocities.iter().filter(|(i, value)| lost(v[*i], *value));
    places.chain(speeds.map(|(i, _)| format!("the speed of {}", model.coordinate_name(*i)))).collect()
}
