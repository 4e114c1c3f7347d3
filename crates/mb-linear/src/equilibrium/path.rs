//! Equilibria along growing loads, up to full load or to where the structure buckles.
//!
//! ```text
//! Phi_q^T lambda - f(q; s) = 0,   Phi(q) = 0,   loads s times the given ones, 0 < s <= 1
//! ```
//!
//! Gravity and all given forces grow together, followers included; each step starts at the equilibrium of the step before. The first is under
//! a thousandth of the loads, or under less where it is unstable there: what buckles before that is stable under less, and what is
//! unstable without loads, or under the smallest, is not.
//! A step is halved where Newton's method fails. Where the number of unstable directions grows along the path, the load
//! factor is found by bisection: a perfect column stays straight beyond it, and only the count shows it. Where the steps
//! become negligible the path has a limit point: the structure snaps through, and no equilibrium nearby carries more.
//!
//! Newton's method may find an equilibrium beyond a limit point, on another branch. So a step from q_1 to q_2 counts only
//! where the tangents at both ends agree with it,
//!
//! ```text
//! |q_2 - (q_1 (+) dq/ds|_1 (s_2 - s_1))|,  |q_1 - (q_2 (+) dq/ds|_2 (s_1 - s_2))|  <=  |q_2 - q_1| / 2,
//! [K Phi_q^T; Phi_q 0] [dq/ds; dlambda/ds] = [dr/ds; 0] with the opposite sign
//! ```
//!
//! which near a limit point lets a step cover three quarters of what is left, and never a jump.
//!
//! Newton's method fails near a bifurcation too, where K is nearly singular along the path. There the tangent of the path stays
//! bounded, which at a limit point it does not: before one is reported, wider steps along tangents are tried, under the same rule.

use super::{Equilibrium, EquilibriumOptions, Stability, Strategy, stability};
use crate::error::LinearError;
use mb_algebra::{Stopped, norms};
use mb_constraints::{Saddle, SaddlePatterns};
use mb_model::{InsideOut, Model};

/// Load factor at which the directions are first counted, and the smallest at which they are where they are unstable before.
const BEGIN: f64 = 1e-3;
const SMALLEST: f64 = 1e-6;

/// Share of a step by which its tangents may be off.
const DISAGREEMENT: f64 = 0.5;

/// Resolutions beyond the last step that the first step over a place from which no short one leads on goes.
const NEAREST: f64 = 4.0;

/// Share of the interval of buckling to which its upper end is found where Newton's method fails in between.
const NARROWED: f64 = 0.1;

/// Steps below this, relative to the configuration, are rounding.
const NEGLIGIBLE: f64 = 1e-9;

/// Options of [`load_path`].
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPathOptions {
    /// Steps from no load to full load, if none has to be halved.
    pub steps: usize,
    /// Width to which the load factor of buckling, or of a limit point, is found, relative to it.
    pub resolution: f64,
    /// How each step is solved; its strategy is Newton's method whatever is said here.
    pub solve: EquilibriumOptions,
}

impl Default for LoadPathOptions {
    /// Ten steps, factors to 1e-6.
    fn default() -> Self {
        Self { steps: 10, resolution: 1e-6, solve: EquilibriumOptions::default() }
    }
}

/// An equilibrium under a part of the loads.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadStep {
    /// Part of the loads.
    pub factor: f64,
    /// The equilibrium.
    pub equilibrium: Equilibrium,
    /// Whether it is stable.
    pub stability: Stability,
}

/// How a path ends.
#[derive(Clone, Debug, PartialEq)]
pub enum PathEnd {
    /// At full load.
    FullLoad,
    /// Here the equilibrium loses stability: more directions are unstable beyond.
    Buckling {
        /// Load factor, the middle of the interval in which it is.
        factor: f64,
        /// Unstable directions just beyond.
        directions: usize,
        /// The last factor whose equilibrium is known not to have buckled and the first that has, where they are further apart than the
        /// resolution: between them no sign of the stiffness is known, or Newton's method finds nothing on the path.
        between: Option<[f64; 2]>,
    },
    /// No equilibrium nearby carries more.
    LimitPoint {
        /// Largest load factor reached.
        factor: f64,
    },
    /// It was stopped from outside; what was followed so far holds.
    Stopped {
        /// Largest load factor reached.
        factor: f64,
        /// Why.
        why: Stopped,
    },
    /// Just beyond, an element of a solid is inside out.
    InsideOut {
        /// Largest load factor reached.
        factor: f64,
        /// The element with the smallest volume beyond.
        worst: Box<InsideOut>,
    },
}

/// Equilibria along growing loads.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPath {
    /// The steps, in order of the load factor; all before the end.
    pub steps: Vec<LoadStep>,
    /// How it ends.
    pub end: PathEnd,
}

/// A second opinion on an equilibrium of a loaded model whose stability by stiffness is the given one.
pub type Judge<'a> = &'a dyn Fn(&Model, &Equilibrium, Stability) -> Stability;

/// Follows the equilibrium from the configuration `start` while the loads grow.
///
/// # Errors
/// [`LinearError::NoEquilibrium`] when not even a thousandth of the loads has an equilibrium near the start; those of
/// the assembly.
pub fn load_path(model: &Model, start: &[f64], options: &LoadPathOptions) -> Result<LoadPath, LinearError> {
    load_path_judged(model, start, options, &|_, _, found| found)
}

/// As [`load_path`]; `judge` has the last word on the stability of each step.
///
/// # Errors
/// As [`load_path`].
pub fn load_path_judged(
    model: &Model,
    start: &[f64],
    options: &LoadPathOptions,
    judge: Judge<'_>,
) -> Result<LoadPath, LinearError> {
    let mut follower = Follower::new(model, options, judge);
    let first = follower.first(start)?;
    follower.baseline = unstable(first.stability);
    let mut path = LoadPath { steps: vec![first], end: PathEnd::FullLoad };
    let whole = follower.whole;
    // Grows back after a step that was halved without reason; within a bracket it only shrinks.
    let (mut step, mut bracketed, mut jumped) = (whole, false, false);
    while let Some(last) = path.steps.last().filter(|last| last.factor < 1.0) {
        if let Err(why) = follower.solve.watch.look() {
            path.end = PathEnd::Stopped { factor: last.factor, why };
            break;
        }
        let factor = (last.factor + step).min(1.0);
        let width = factor - last.factor;
        let resolution = options.resolution * factor;
        match follower.attempt(last, factor, last.equilibrium.q()) {
            Ok(Attempt::Step(next)) if follower.buckled(&next) => {
                if width <= resolution {
                    path.end = follower.buckling(&path.steps, &next);
                    break;
                }
                (step, bracketed) = (0.5 * width, true);
            }
            Ok(Attempt::Step(next)) => {
                if let Some(worst) = model.inside_out(next.equilibrium.q()).into_iter().next() {
                    if width <= resolution {
                        path.end = PathEnd::InsideOut { factor: last.factor, worst: Box::new(worst) };
                        break;
                    }
                    (step, bracketed) = (0.5 * width, true);
                    continue;
                }
                path.steps.push(next);
                step = match (bracketed, jumped) {
                    (true, _) => 0.5 * width,
                    (false, true) => width,
                    (false, false) => whole.min(2.0 * step),
                };
                jumped = false;
            }
            Ok(Attempt::Jump) if width > resolution => (step, jumped) = (0.5 * width, true),
            // Why is seen at the next turn.
            Err(_) if follower.solve.watch.look().is_err() => {}
            Err(LinearError::NoEquilibrium { .. }) if width > resolution => {
                (step, bracketed) = (0.5 * width, true);
            }
            Ok(Attempt::Jump) | Err(LinearError::NoEquilibrium { .. }) => {
                let factor = last.factor;
                match follower.beyond(&path.steps)? {
                    Some((from, next)) if follower.buckled(&next) => {
                        let next = follower.narrowed(&mut path.steps, &from, next)?;
                        path.end = follower.buckling(&path.steps, &next);
                        break;
                    }
                    Some((_, next)) => {
                        path.steps.push(next);
                        (step, bracketed, jumped) = (whole, false, false);
                    }
                    // Why is seen at the next turn.
                    None if follower.solve.watch.look().is_err() => {}
                    None => {
                        path.end = PathEnd::LimitPoint { factor };
                        break;
                    }
                }
            }
            Err(other) => return Err(other),
        }
        if step < 0.25 * resolution {
            // The bracket closed without the other side being met again: what was met there was no end.
            (step, bracketed) = (whole, false);
        }
    }
    Ok(path)
}

/// What a step ended in.
enum Attempt {
    /// An equilibrium further along the path.
    Step(LoadStep),
    /// An equilibrium of another branch.
    Jump,
}

/// What follows a path.
struct Follower<'a> {
    model: &'a Model,
    solve: EquilibriumOptions,
    judge: Judge<'a>,
    patterns: SaddlePatterns,
    resolution: f64,
    /// The longest step.
    whole: f64,
    /// Unstable directions at the start.
    baseline: usize,
}

impl<'a> Follower<'a> {
    fn new(model: &'a Model, options: &LoadPathOptions, judge: Judge<'a>) -> Self {
        let watch = options.solve.watch.clone().or_within(10 * super::budget(model));
        Self {
            model,
            solve: EquilibriumOptions { strategy: Strategy::Newton, watch, ..options.solve.clone() },
            judge,
            patterns: SaddlePatterns::default(),
            resolution: options.resolution,
            whole: 1.0 / options.steps.max(1) as f64,
            baseline: 0,
        }
    }

    /// The equilibrium under `factor` times the loads that Newton's method finds from a configuration.
    fn at(&mut self, factor: f64, from: &[f64]) -> Result<LoadStep, LinearError> {
        let loaded = self.model.under_loads(factor);
        // Relative to full load: under a small part of it rounding of stiff members is a larger share.
        let solve = EquilibriumOptions { tolerance: self.solve.tolerance / factor, ..self.solve.clone() };
        // An interrupt ends the step, and the path keeps those before it.
        solve.watch.scope(|| {
            let equilibrium =
                Equilibrium::search(&loaded, from, &solve, &mut self.patterns, |found, _| Ok(found))?;
            let stability = (self.judge)(&loaded, &equilibrium, stability(&loaded, &equilibrium)?);
            Ok(LoadStep { factor, equilibrium, stability })
        })?
    }

    /// The equilibrium that the path begins with: under [`BEGIN`] times the loads, or the smallest part of that under which fewer directions are
    /// known to be unstable.
    fn first(&mut self, start: &[f64]) -> Result<LoadStep, LinearError> {
        let mut first = self.at(BEGIN, start)?;
        let (mut factor, mut from) = (BEGIN, first.equilibrium.q().to_vec());
        while unstable(first.stability) > 0 && factor > 2.0 * SMALLEST {
            factor *= 0.1;
            let Ok(less) = self.at(factor, &from) else { break };
            from = less.equilibrium.q().to_vec();
            let is_known = matches!(less.stability, Stability::Stable | Stability::Unstable { .. });
            if is_known && unstable(less.stability) < unstable(first.stability) {
                first = less;
            }
        }
        Ok(first)
    }

    /// A step from `last` with Newton's method begun at `from`.
    fn attempt(&mut self, last: &LoadStep, factor: f64, from: &[f64]) -> Result<Attempt, LinearError> {
        let next = self.at(factor, from)?;
        let continuous = is_continuous(self.model, last, &next)?;
        Ok(if continuous { Attempt::Step(next) } else { Attempt::Jump })
    }

    /// The same with Newton's method begun where the tangent at `along` leads; none where it finds nothing on the path.
    fn foreseen(
        &mut self,
        last: &LoadStep,
        along: &LoadStep,
        factor: f64,
    ) -> Result<Option<LoadStep>, LinearError> {
        let from = predicted(self.model, along, factor)?;
        match self.attempt(last, factor, &from) {
            Ok(Attempt::Step(next)) => {
                Ok(Some(next).filter(|next| self.model.inside_out(next.equilibrium.q()).is_empty()))
            }
            Ok(Attempt::Jump)
            | Err(
                LinearError::NoEquilibrium { .. }
                | LinearError::TurnedOver { .. }
                | LinearError::Constraint(_),
            ) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// An equilibrium of the path beyond its last step, from which no short step leads on, and the step that it is continuous with.
    ///
    /// Near a bifurcation what is rounding in the loads grows along the direction that buckles as 1 / (s* - s), and in the tangent as its
    /// square. So each step of the path is tried, the last one first, with as much beyond the last one as it is before.
    fn beyond(&mut self, steps: &[LoadStep]) -> Result<Option<(LoadStep, LoadStep)>, LinearError> {
        let (Some(last), whole) = (steps.last(), self.whole) else { return Ok(None) };
        for from in steps.iter().rev().take_while(|from| last.factor - from.factor <= whole) {
            let width = (last.factor - from.factor).max(NEAREST * self.resolution * last.factor);
            if self.solve.watch.look().is_err() {
                break;
            }
            if let Some(next) = self.foreseen(from, from, (last.factor + width).min(1.0))? {
                return Ok(Some((from.clone(), next)));
            }
        }
        Ok(None)
    }

    /// The first equilibrium that has buckled and is continuous with `from`, as near to the last step as one is found; steps that have not are
    /// added.
    fn narrowed(
        &mut self,
        steps: &mut Vec<LoadStep>,
        from: &LoadStep,
        mut upper: LoadStep,
    ) -> Result<LoadStep, LinearError> {
        // Up to here nothing was found that has buckled.
        let mut lower = steps.last().map_or(0.0, |last| last.factor);
        while let Some(last) = steps.last() {
            let open = upper.factor - lower;
            let enough = (self.resolution * upper.factor).max(NARROWED * (upper.factor - last.factor));
            if open <= enough || self.solve.watch.look().is_err() {
                break;
            }
            let middle = lower + 0.5 * open;
            let next = match self.foreseen(from, from, middle)? {
                None => self.foreseen(from, &upper, middle)?,
                found => found,
            };
            match next {
                Some(next) if self.buckled(&next) => upper = next,
                Some(next) => {
                    lower = middle;
                    steps.push(next);
                }
                None => lower = middle,
            }
        }
        Ok(upper)
    }

    fn buckled(&self, step: &LoadStep) -> bool {
        unstable(step.stability) > self.baseline
    }

    /// Buckling between the last step whose stability is known and one that has buckled.
    fn buckling(&self, steps: &[LoadStep], beyond: &LoadStep) -> PathEnd {
        let decided = steps.iter().rfind(|step| step.stability != Stability::Undecided);
        let between = [decided.map_or(0.0, |step| step.factor), beyond.factor];
        PathEnd::Buckling {
            factor: 0.5 * (between[0] + between[1]),
            directions: unstable(beyond.stability),
            between: (between[1] - between[0] > self.resolution * between[1]).then_some(between),
        }
    }
}

/// Whether the tangents at both ends agree with the step between them.
fn is_continuous(model: &Model, a: &LoadStep, b: &LoadStep) -> Result<bool, LinearError> {
    let step = distance(a.equilibrium.q(), b.equilibrium.q());
    if step <= NEGLIGIBLE * (1.0 + norms::two(b.equilibrium.q())) {
        return Ok(true);
    }
    for (from, to) in [(a, b), (b, a)] {
        let q = predicted(model, from, to.factor)?;
        let off = distance(&q, to.equilibrium.q());
        // Not `<=`, so that a NaN is a disagreement.
        if off.is_nan() || off > DISAGREEMENT * step {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where the tangent of the path at `from` leads to under `factor` times the loads.
fn predicted(model: &Model, from: &LoadStep, factor: f64) -> Result<Vec<f64>, LinearError> {
    let point = from.equilibrium.point();
    let (k, phi_q) = model.under_loads(from.factor).static_blocks(point);
    // The residual is linear in the loads, and zero at `from`.
    let rest: Vec<f64> = model.under_loads(factor).residual(point).iter().map(|r| -r).collect();
    let (dq, _) = Saddle::sparse(&k, &phi_q)?.solve(&rest, &vec![0.0; model.nc()]);
    Ok(model.coordinates().retract(&point.q, &dq))
}

/// Euler parameters of neighbouring equilibria have the same sign: Newton's method does not change it.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

fn unstable(stability: Stability) -> usize {
    match stability {
        Stability::Unstable { directions } => directions,
        _ => 0,
    }
}
