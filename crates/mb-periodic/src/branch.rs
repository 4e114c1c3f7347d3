//! Periodic motions followed over a parameter, with folds, period doublings and Neimark-Sacker bifurcations solved for.
//!
//! ```text
//! c(y, T, p) = flow_T(y; p) - y = 0,   f . (y - y_last) = 0 where T is unknown,   t . (u - u_last) = s,   u = (y / L, w0 T, p / range)
//! ```
//!
//! Of what rolls c is what the displaced start is missed by: the displacement takes up what is ignorable of it (`closing.rs`), and in
//! place of these components of c stand those of the start, which stays where it was along them.
//!
//! L is the size of the last motion, so that steps are shares of what it is: a resonance grows by orders of magnitude on the way. The pseudo-arclength s goes through folds, where p turns round. Derivatives by the parameter are exact: the model in jets of it
//! ([`crate::parameter()`]); that of a given period T(p) is one of differences of an expression, and steers Newton's method
//! alone. A bifurcation is where a test function changes its sign: the component of the tangent along p (fold), the product of mu + 1
//! over all multipliers (period doubling), |mu| - 1 of a complex pair (Neimark-Sacker), and the product of mu - 1 where p does not
//! turn (branching). It is solved for in s by regula falsi, each trial a periodic motion of its own; one that is not found is listed with
//! the values of p on both sides.

use crate::arc::{Frame, follow};
use crate::bifurcation::Bifurcation;
use crate::closing::{close, shifted, without};
use crate::dynamics::{Dynamics, State};
use crate::error::PeriodicError;
use crate::group::Displacement;
use crate::known::Known;
use crate::orbit::Orbit;
use crate::parameter::ParameterJet;
use crate::step::{Directions, Stepper};
use crate::symmetry::Symmetries;
use mb_algebra::{Dense, GeneralEigen, Lu, Watch, c64, dense, norms};
use mb_model::Model;

/// Models over a parameter.
pub trait Family {
    /// The model at a value of the parameter.
    ///
    /// # Errors
    /// A value that the model does not allow.
    fn model(&self, p: f64) -> Result<Model, PeriodicError>;
    /// The same in jets of the parameter.
    ///
    /// # Errors
    /// As [`Self::model`].
    fn jets(&self, p: f64) -> Result<Model<ParameterJet>, PeriodicError>;
    /// The period in s, where it is given.
    ///
    /// # Errors
    /// An expression that has no value.
    fn period(&self, p: f64) -> Result<Option<f64>, PeriodicError>;
}

/// How a branch is followed.
#[derive(Clone, Debug)]
pub struct BranchOptions {
    /// The parameter at the start and at the end.
    pub range: [f64; 2],
    /// About this many points, if nothing turns.
    pub points: usize,
    /// Steps of the period.
    pub steps: usize,
    /// Constant inputs.
    pub inputs: Vec<f64>,
    /// What ends the work from outside.
    pub watch: Watch,
}

/// A periodic motion on a branch.
#[derive(Clone, Debug)]
pub struct BranchPoint {
    /// The parameter.
    pub p: f64,
    /// Period, s.
    pub period: f64,
    /// The start.
    pub state: State,
    /// Multipliers, the largest first, without the trivial one of models that do not depend on time.
    pub multipliers: Vec<c64>,
    /// Component of the tangent along the parameter; it changes its sign at folds.
    pub turn: f64,
}

/// A branch of periodic motions.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The motions in their order.
    pub points: Vec<BranchPoint>,
    /// Bifurcations in their order, each with the motion there.
    pub bifurcations: Vec<(Bifurcation, BranchPoint)>,
    /// Bifurcations that a test function shows between two values of the parameter, and that were not solved for.
    pub not_located: Vec<(Bifurcation, [f64; 2])>,
    /// Why it ended before the end of the range, where it did.
    pub ended: Option<PeriodicError>,
}

/// A motion with all that a step along the branch needs.
#[derive(Clone, Debug)]
pub(crate) struct At {
    pub(crate) p: f64,
    period: f64,
    state: State,
    frame: Frame,
    gap: Vec<f64>,
    map: Dense,
    by_p: Vec<f64>,
    flow: Vec<f64>,
    pub(crate) tangent: Vec<f64>,
    pub(crate) multipliers: Vec<c64>,
    known: Known,
    displacement: Displacement,
    /// Its largest velocity over w0.
    size: f64,
    /// L that the tangent is in.
    scale: f64,
}

pub(crate) struct Follower<'f> {
    family: &'f dyn Family,
    options: &'f BranchOptions,
    turns: Vec<i32>,
    autonomous: bool,
    rate: f64,
}

/// Steps of Newton's method, and the change of u at which it ends.
const MOST_ITERATIONS: usize = 12;
const ENOUGH: f64 = 1e-11;

/// Size below which a motion counts as at rest.
const SMALLEST: f64 = 1e-3;

/// Shortest step, relative to the first.
const SHORTEST: f64 = 1e-4;

/// Follows periodic motions from `orbit`, one at the beginning of the range.
///
/// # Errors
/// A start that is none, [`PeriodicError::Steady`]; later failures end the branch ([`Branch::ended`]).
pub fn follow_branch(
    family: &dyn Family,
    orbit: &Orbit,
    options: &BranchOptions,
) -> Result<Branch, PeriodicError> {
    let rate = orbit.frame.rate;
    let follower =
        Follower { family, options, turns: orbit.turns.clone(), autonomous: orbit.autonomous, rate };
    let mut first = follower.at(options.range[0], orbit.period, &orbit.states[0], &orbit.displacement)?;
    if first.known.flow_is_ignorable {
        return Err(PeriodicError::Steady);
    }
    let ahead = follower.unit(&first);
    first.tangent = follower.tangent(&first, &ahead)?;
    let mut branch = Branch {
        points: vec![first.point()],
        bifurcations: Vec::new(),
        not_located: Vec::new(),
        ended: None,
    };
    if let Err(e) = follower.go(first, &mut branch) {
        branch.ended = Some(e);
    }
    Ok(branch)
}

impl At {
    pub(crate) fn point(&self) -> BranchPoint {
        BranchPoint {
            p: self.p,
            period: self.period,
            state: self.state.clone(),
            multipliers: self.multipliers.clone(),
            turn: self.tangent.last().copied().unwrap_or(0.0),
        }
    }
    /// With the tangent, of length one, in its own size.
    fn rescaled(mut self) -> Self {
        let by = self.scale / self.size;
        self.tangent[..self.gap.len()].iter_mut().for_each(|x| *x *= by);
        let length = norms::two(&self.tangent);
        self.tangent.iter_mut().for_each(|x| *x /= length);
        self.scale = self.size;
        self
    }
}

impl Follower<'_> {
    pub(crate) fn range(&self) -> f64 {
        self.options.range[1] - self.options.range[0]
    }
    /// The unknown that is the parameter.
    fn unit(&self, at: &At) -> Vec<f64> {
        let mut out = vec![0.0; at.gap.len() + 1 + usize::from(self.autonomous)];
        if let Some(last) = out.last_mut() {
            *last = 1.0;
        }
        out
    }
    /// One period from a state, with all directions and the parameter.
    fn at(
        &self,
        p: f64,
        period: f64,
        state: &State,
        displacement: &Displacement,
    ) -> Result<At, PeriodicError> {
        self.options.watch.look()?;
        let (model, jets) = (self.family.model(p)?, self.family.jets(p)?);
        let period = self.family.period(p)?.unwrap_or(period);
        let dynamics = Dynamics::new(&model, &self.options.inputs, state)?.with_parameter(&jets);
        let mut state = state.clone();
        let rows = dynamics.hold(state.t, &mut state.q, &mut state.v)?;
        let frame = Frame::new(&dynamics, &state, self.rate)?;
        let n = model.nv();
        let zeros = || Dense::zeros(n, 1);
        let alone = Directions { x: zeros(), v: zeros(), parameter: true };
        let alone = dynamics.on_constraints(&rows, (state.t, &state.q, &state.v), alone);
        let own = frame.directions();
        let directions = Directions {
            x: dense::hstack(&[&own.x, &alone.x]),
            v: dense::hstack(&[&own.v, &alone.v]),
            parameter: true,
        };
        let mut stepper = Stepper::new(dynamics)?;
        let steps = self.options.steps;
        let arc = follow(&mut stepper, &state, period, steps, Some(directions), &self.options.watch)?;
        let symmetries = Symmetries::along(&mut stepper.dynamics, &arc.states, self.rate)?;
        let begin = shifted(&model, &state, &self.turns, period);
        let mut displacement = displacement.clone();
        let (there, gap, ignorable) =
            close(&stepper.dynamics, Some(&symmetries), &mut displacement, (&frame, &begin), &arc.end)?;
        let speed = arc.states.iter().map(|s| norms::max_abs_vec(&s.v)).fold(0.0, f64::max);
        let amplitude = (speed / self.rate).max(SMALLEST);
        let whole = arc
            .directions
            .map_or_else(|| Dense::zeros(gap.len(), gap.len() + 1), |d| there.coordinates_of(&d));
        let size = gap.len();
        let own: Vec<usize> = (0..size).collect();
        let map = dense::select_columns(&whole, &own);
        let a = stepper.dynamics.acceleration(arc.end.t, &arc.end.q, &arc.end.v)?;
        let flow = there.coordinates(&arc.end.v, &a);
        let mut by_p = dense::column(&whole, size);
        let h = 1e-6 * self.range().abs();
        if let (Some(more), Some(less)) = (self.family.period(p + h)?, self.family.period(p - h)?) {
            let slope = (more - less) / (2.0 * h);
            by_p.iter_mut().zip(&flow).for_each(|(x, f)| *x += slope * f);
        }
        let known = Known::of(&flow, self.autonomous, self.rate, &ignorable);
        let mut out = At {
            p,
            period,
            state,
            frame,
            gap,
            map,
            by_p,
            flow,
            tangent: Vec::new(),
            multipliers: Vec::new(),
            known,
            displacement,
            size: amplitude,
            scale: amplitude,
        };
        out.multipliers = Self::multipliers(&out)?;
        Ok(out)
    }
    fn multipliers(at: &At) -> Result<Vec<c64>, PeriodicError> {
        let others = at.known.others(at.gap.len())?;
        let matrix = dense::mul_transpose(&others, &dense::mul(&at.map, &others));
        if matrix.nrows() == 0 {
            return Ok(Vec::new());
        }
        let mut values = GeneralEigen::values(&matrix)?;
        values.sort_by(|a, b| b.norm().total_cmp(&a.norm()).then(b.im.total_cmp(&a.im)));
        Ok(values)
    }
    /// The matrix of Newton's method: closing, phase, and a last row.
    fn matrix(&self, at: &At, last: &[f64]) -> Dense {
        let size = at.gap.len();
        let n = last.len();
        let mut out = Dense::zeros(n, n);
        let u = &at.known.ignorable;
        let closes = &at.map - &dense::identity(size);
        let along = dense::mul_transpose(u, &closes);
        let closes = &(&closes - &dense::mul(u, &along)) + &dense::mul(u, &dense::transpose(u));
        let (flow, by_p) = (without(u, &at.flow), without(u, &at.by_p));
        for i in 0..size {
            for j in 0..size {
                out[(i, j)] = at.scale * closes[(i, j)];
            }
            if self.autonomous {
                out[(i, size)] = flow[i] / self.rate;
            }
            out[(i, n - 1)] = by_p[i] * self.range();
        }
        if self.autonomous {
            let length = norms::two(&at.flow).max(1e-300);
            for j in 0..size {
                out[(size, j)] = at.scale * at.flow[j] / length;
            }
        }
        for j in 0..n {
            out[(n - 1, j)] = last[j];
        }
        out
    }
    /// A tangent of another motion in the frame of this one, as a row.
    pub(crate) fn row(at: &At, base: &At, tangent: &[f64]) -> Vec<f64> {
        let size = at.gap.len();
        let turned = base.frame.coordinates_of(&at.frame.directions());
        let mut out = dense::matvec_transpose(&turned, &tangent[..size]);
        out.extend_from_slice(&tangent[size..]);
        out
    }
    /// The unit tangent that goes on in the direction of a row.
    fn tangent(&self, at: &At, row: &[f64]) -> Result<Vec<f64>, PeriodicError> {
        let mut rhs = vec![0.0; row.len()];
        if let Some(last) = rhs.last_mut() {
            *last = 1.0;
        }
        let mut t = Lu::new(&self.matrix(at, row))?.solve(&rhs);
        let length = norms::two(&t);
        for x in &mut t {
            *x /= length;
        }
        Ok(t)
    }
    /// u of a motion less that of another.
    pub(crate) fn way(&self, at: &At, base: &At) -> Result<Vec<f64>, PeriodicError> {
        let model = self.family.model(at.p)?;
        let dynamics = Dynamics::new(&model, &self.options.inputs, &at.state)?;
        let mut out: Vec<f64> =
            base.frame.gap(&dynamics, &at.state, &base.state).iter().map(|x| x / base.scale).collect();
        if self.autonomous {
            out.push((at.period - base.period) * self.rate);
        }
        out.push((at.p - base.p) / self.range());
        Ok(out)
    }
    /// A motion changed by du.
    fn changed(&self, at: &At, du: &[f64]) -> Result<At, PeriodicError> {
        let size = at.gap.len();
        let p = at.p + du[du.len() - 1] * self.range();
        let period = if self.autonomous { at.period + du[size] / self.rate } else { at.period };
        let y: Vec<f64> = du[..size].iter().map(|x| at.scale * x).collect();
        let (x, v) = at.frame.change(&y);
        let model = self.family.model(p)?;
        let q = model.coordinates().retract(&at.state.q, &x);
        let v = at.state.v.iter().zip(v).map(|(a, b)| a + b).collect();
        let state = State { t: at.state.t, q, v };
        Ok(At { scale: at.scale, ..self.at(p, period, &state, &at.displacement)? })
    }
    /// The motion at the distance `s` along `row` from a base; gives the steps of Newton's method too.
    pub(crate) fn corrected(&self, base: &At, row: &[f64], s: f64) -> Result<(At, usize), PeriodicError> {
        let start: Vec<f64> = base.tangent.iter().map(|t| s * t).collect();
        self.corrected_from(base, row, s, &start)
    }
    /// The same from a first du of the base.
    pub(crate) fn corrected_from(
        &self,
        base: &At,
        row: &[f64],
        s: f64,
        start: &[f64],
    ) -> Result<(At, usize), PeriodicError> {
        let mut at = self.changed(base, start)?;
        let mut last = f64::INFINITY;
        for iteration in 1..=MOST_ITERATIONS {
            let here = Self::row(&at, base, row);
            let way = self.way(&at, base)?;
            // What is ignorable has nothing left to close: the start stays where it was along it.
            let u = &at.known.ignorable;
            let moved = dense::matvec_transpose(
                &base.frame.coordinates_of(&at.frame.directions()),
                &way[..at.gap.len()],
            );
            let back = dense::matvec(u, &dense::matvec_transpose(u, &moved));
            let mut rhs: Vec<f64> = at.gap.iter().zip(back).map(|(x, b)| -x - at.scale * b).collect();
            if self.autonomous {
                let size = at.gap.len();
                let length = norms::two(&at.flow).max(1e-300);
                rhs.push(-at.scale * dense::dot(&at.flow, &way[..size]) / length);
            }
            rhs.push(s - dense::dot(row, &way));
            let du = Lu::new(&self.matrix(&at, &here))?.solve(&rhs);
            let size = norms::max_abs_vec(&du);
            if size <= ENOUGH || (size <= 1e-8 && size > 0.3 * last) {
                at.tangent = self.tangent(&at, &Self::row(&at, base, &base.tangent))?;
                return Ok((at, iteration));
            }
            if !size.is_finite() || (iteration > 3 && size > last) || size > 1.0 {
                break;
            }
            last = size;
            at = self.changed(&at, &du)?;
        }
        let size = norms::max_abs_vec(&at.gap);
        Err(PeriodicError::NotFound {
            period: at.period,
            iterations: MOST_ITERATIONS,
            coordinate: "the motion".to_owned(),
            defect: size,
        })
    }
    fn go(&self, first: At, branch: &mut Branch) -> Result<(), PeriodicError> {
        let whole = 1.0 / self.options.points.max(1) as f64;
        let mut step = whole;
        let mut base = first;
        let most = 20 * self.options.points + 50;
        while branch.points.len() < most {
            let (next, iterations) = match self.corrected(&base, &base.tangent, step) {
                Ok(found) => found,
                Err(e @ PeriodicError::Stopped(_)) => return Err(e),
                Err(e) => {
                    step *= 0.5;
                    if step < SHORTEST * whole {
                        return Err(e);
                    }
                    continue;
                }
            };
            // A tangent that bends away is a step too long, or a leap to another branch.
            if dense::dot(&Self::row(&next, &base, &base.tangent), &next.tangent) < 0.5
                && step > 2.0 * SHORTEST * whole
            {
                step *= 0.5;
                continue;
            }
            let at = (next.p - self.options.range[0]) / self.range();
            if !(0.0..=1.0).contains(&at) {
                // The end of the range, by the parameter itself.
                let goal = if at > 1.0 { self.options.range[1] } else { self.options.range[0] };
                let row = self.unit(&base);
                let (end, _) = self.corrected(&base, &row, (goal - base.p) / self.range())?;
                self.bifurcations(&base, &end, branch)?;
                branch.points.push(end.point());
                return Ok(());
            }
            self.bifurcations(&base, &next, branch)?;
            branch.points.push(next.point());
            base = next.rescaled();
            if iterations <= 4 {
                step = (1.5 * step).min(2.0 * whole);
            }
        }
        Ok(())
    }
}
