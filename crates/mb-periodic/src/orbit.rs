//! Periodic motions by multiple shooting with exact derivatives.
//!
//! ```text
//! y_{k+1} = flow(y_k, T / m),   y_m = y_0 (turned by whole turns; of what rolls moved by a displacement, too)
//! dy_{k+1} = S_k dy_k + f_k dT / m + c_k,   c_k the gap at the end of part k
//! (S_{m-1} .. S_0 - 1) dy_0 + g dT = -c,   f_0 . (y_0 - y_start) = 0 where T is unknown
//! ```
//!
//! The parts are condensed to the start; the system of the start is solved by singular values, the shortest step that leaves a
//! thousandth of the gap, so that families of periodic motions (of what keeps its energy) are met at their nearest member. The
//! whole is repeated with twice the steps until the monodromy matrix does not change; what it changed last is the estimate
//! of the error of integration.

use crate::arc::{Arc, Frame, follow};
use crate::closing::{in_frame, whole_turns};
use crate::decayed::{Decayed, decayed};
use crate::dynamics::{Dynamics, State};
use crate::error::PeriodicError;
use crate::geometry::difference;
use crate::group::Displacement;
use crate::least_period;
use crate::resolution::Resolution;
use crate::step::Stepper;
use crate::symmetry::Symmetries;
use crate::time_dependence::{check_period, is_autonomous};
use mb_algebra::{Dense, Watch, c64, dense, norms};
use mb_model::Model;
use std::f64::consts::TAU;

/// The period of the motion that is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Period {
    /// This many seconds.
    Given(f64),
    /// About this many seconds; for models that do not depend on time.
    About(f64),
}

impl Period {
    /// The number, s.
    pub fn seconds(self) -> f64 {
        let (Self::Given(t) | Self::About(t)) = self;
        t
    }
}

/// How a periodic motion is looked for.
#[derive(Clone, Debug)]
pub struct OrbitOptions {
    /// Parts of the period that are integrated apart.
    pub parts: usize,
    /// Steps of the period to begin with; doubled until the monodromy matrix is settled.
    pub steps: usize,
    /// Most steps of the period.
    pub most_steps: usize,
    /// Change of the monodromy matrix by doubling the steps, relative to its norm, that is small enough.
    pub tolerance: f64,
    /// Most steps of Newton's method at each number of steps.
    pub most_iterations: usize,
    /// Velocity indices of coordinates that keep the value of the start; for families of periodic motions.
    pub hold: Vec<usize>,
    /// Constant inputs of the model; zero when empty.
    pub inputs: Vec<f64>,
    /// Whether multipliers many decades below the others are resolved, at about twice the cost where there are some.
    pub decayed: bool,
    /// What ends the work from outside.
    pub watch: Watch,
}

impl Default for OrbitOptions {
    /// Four parts, 32 to 8192 steps, to 1e-12, 40 iterations.
    fn default() -> Self {
        Self {
            parts: 4,
            steps: 32,
            most_steps: 8192,
            tolerance: 1e-12,
            most_iterations: 40,
            hold: Vec::new(),
            inputs: Vec::new(),
            decayed: false,
            watch: Watch::default(),
        }
    }
}

/// A periodic motion with its linearization over one period.
#[derive(Clone, Debug)]
pub struct Orbit {
    /// Period, s.
    pub period: f64,
    /// True when the model does not depend on time along the motion.
    pub autonomous: bool,
    /// Whole turns that coordinates make in a period, by velocity index.
    pub turns: Vec<i32>,
    /// Where the motion comes back to, of models with velocity rows: its start moved by this.
    pub displacement: Displacement,
    /// Directions of the ignorable motions at the start, in its coordinates, one column each.
    pub ignorable: Dense,
    /// Their multipliers, of magnitude one.
    pub ignorable_multipliers: Vec<c64>,
    /// States at the ends of the steps, the first at the start and the last one period later.
    pub states: Vec<State>,
    /// Coordinates of the states near the start.
    pub frame: Frame,
    /// Monodromy matrix in these coordinates, as many rows as a state has coordinates.
    pub monodromy: Dense,
    /// What doubling the steps changed in it last.
    pub change: Dense,
    /// Direction of the motion at the start.
    pub flow: Vec<f64>,
    /// The largest gap that is left at the ends of the parts, in the coordinates of states.
    pub defect: f64,
    /// What doubling the steps changed in the start and the period last, in the coordinates of states and relative.
    pub moved: f64,
    /// Steps in the period.
    pub steps: usize,
    /// Steps of Newton's method in all.
    pub iterations: usize,
    /// Steps with all directions, in all: the cost.
    pub carried: usize,
    /// Largest |Phi| and |Phi'| at the ends of the steps.
    pub violation: [f64; 2],
    /// How often the least period goes into the given one, or the one found first; one where time matters or the motion is steady.
    pub returns: usize,
    /// Multipliers of vibrations so fast that the most steps allowed do not resolve them: those of the smallest magnitude found.
    pub unresolved: usize,
    /// The smallest multipliers, where they are asked for and many decades below the others.
    pub decayed: Vec<Decayed>,
}

/// One pass over all parts.
pub(crate) struct Pass {
    pub(crate) frames: Vec<Frame>,
    pub(crate) maps: Vec<Dense>,
    pub(crate) gaps: Vec<Vec<f64>>,
    pub(crate) flows: Vec<Vec<f64>>,
    pub(crate) arcs: Vec<Arc>,
    /// How far held coordinates are from where they are to be.
    pub(crate) held: Vec<f64>,
    /// Orthonormal basis of the ignorable directions at the end, which the gap there is free of.
    pub(crate) ignorable: Dense,
}

impl Pass {
    /// The largest gap, and departure of what is held.
    pub(crate) fn gap(&self) -> f64 {
        self.gaps.iter().map(|g| norms::max_abs_vec(g)).fold(norms::max_abs_vec(&self.held), f64::max)
    }
}

/// Looks for a periodic motion.
pub(crate) struct Search<'m, 'o> {
    pub(crate) model: &'m Model,
    pub(crate) options: &'o OrbitOptions,
    pub(crate) stepper: Stepper<'m>,
    pub(crate) unknown: bool,
    pub(crate) period: f64,
    pub(crate) nodes: Vec<State>,
    /// The start, on the constraints: it gives the phase, and the values of held coordinates.
    pub(crate) origin: State,
    pub(crate) turns: Vec<i32>,
    pub(crate) symmetries: Option<Symmetries>,
    pub(crate) displacement: Displacement,
    pub(crate) iterations: usize,
    pub(crate) carried: usize,
}

/// Most coordinates and rows: the matrix of a step is dense.
const MOST: usize = 600;

/// How often steps are halved where Newton's method does not converge with coarse ones.
const AGAIN: usize = 3;

/// Finds a periodic motion near the one that begins at `start`.
///
/// # Errors
/// [`PeriodicError`].
pub fn find_orbit(
    model: &Model,
    start: &State,
    period: Period,
    options: &OrbitOptions,
) -> Result<Orbit, PeriodicError> {
    let size = model.nv() + model.nc();
    if size > MOST {
        return Err(PeriodicError::TooLarge { size, most: MOST });
    }
    let inputs =
        if options.inputs.is_empty() { vec![0.0; model.inputs().len()] } else { options.inputs.clone() };
    let mut orbit = found(model, start, period, options, &inputs)?;
    if orbit.autonomous && norms::two(&orbit.flow) > 0.0 {
        orbit.returns = least_period::returns(model, &inputs, &orbit)?;
        if orbit.returns > 1 && matches!(period, Period::About(_)) {
            let (k, from) = (orbit.returns, orbit.states[0].clone());
            let about = Period::About(orbit.period / k as f64);
            orbit = match found(model, &from, about, options, &inputs) {
                Ok(short) if least_period::is_same(model, &inputs, &short, &orbit, k)? => {
                    Orbit { returns: k, ..short }
                }
                Err(e @ PeriodicError::Stopped(_)) => return Err(e),
                _ => Orbit { returns: 1, ..orbit },
            };
        }
    }
    // Which of the smallest are of vibrations that are not resolved, and which have decayed, is not seen.
    if options.decayed && orbit.unresolved == 0 {
        let dynamics = Dynamics::new(model, &inputs, start)?;
        orbit.decayed = decayed(&mut Stepper::new(dynamics)?, &orbit, options)?;
    }
    Ok(orbit)
}

/// [`find_orbit`] of the period nearest to the one that is asked for.
fn found(
    model: &Model,
    start: &State,
    period: Period,
    options: &OrbitOptions,
    inputs: &[f64],
) -> Result<Orbit, PeriodicError> {
    let dynamics = Dynamics::new(model, inputs, start)?;
    let mut search = Search {
        model,
        options,
        stepper: Stepper::new(dynamics)?,
        unknown: matches!(period, Period::About(_)),
        period: period.seconds(),
        nodes: Vec::new(),
        origin: start.clone(),
        turns: vec![0; model.nv()],
        symmetries: None,
        displacement: Displacement::identity(model),
        iterations: 0,
        carried: 0,
    };
    search.begin(start, options.steps)?;
    search.settled(start)
}

impl Search<'_, '_> {
    pub(crate) fn rate(&self) -> f64 {
        TAU / self.period
    }
    /// The first states of all parts, along the motion from the start; whole turns are those of this motion.
    fn begin(&mut self, start: &State, steps: usize) -> Result<(), PeriodicError> {
        let (mut q, mut v) = (start.q.clone(), start.v.clone());
        self.stepper.dynamics.hold(start.t, &mut q, &mut v)?;
        self.origin = State { t: start.t, q: q.clone(), v: v.clone() };
        let parts = self.options.parts.max(1);
        let mut steps = (steps / parts).max(2);
        loop {
            let mut nodes = vec![State { t: start.t, q: q.clone(), v: v.clone() }];
            let mut way = Vec::new();
            let mut outcome = Ok(());
            for k in 0..parts {
                let watch = &self.options.watch;
                match follow(&mut self.stepper, &nodes[k], self.period / parts as f64, steps, None, watch) {
                    Ok(arc) => {
                        way.extend(arc.states);
                        nodes.push(arc.end);
                    }
                    Err(e) => {
                        outcome = Err(e);
                        break;
                    }
                }
            }
            match outcome {
                Err(PeriodicError::StepFails { .. }) if steps * parts * 2 <= self.options.most_steps => {
                    steps *= 2;
                }
                Err(e) => return Err(e),
                Ok(()) => {
                    let rate = self.rate();
                    self.symmetries = Some(Symmetries::along(&mut self.stepper.dynamics, &way, rate)?);
                    if let Some(end) = nodes.pop() {
                        self.turns = whole_turns(self.model, &end, &nodes[0]);
                    }
                    self.nodes = nodes;
                    return Ok(());
                }
            }
        }
    }
    pub(crate) fn pass(&mut self, steps: usize) -> Result<Pass, PeriodicError> {
        let (m, rate) = (self.nodes.len(), self.rate());
        let frames: Vec<Frame> = self
            .nodes
            .iter()
            .map(|node| Frame::new(&self.stepper.dynamics, node, rate))
            .collect::<Result<_, _>>()?;
        let off = difference(self.model, &self.nodes[0].q, &self.origin.q);
        let held = self.options.hold.iter().map(|i| off[*i]).collect();
        let ignorable = Dense::zeros(0, 0);
        let (maps, gaps, flows, arcs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut pass = Pass { frames, maps, gaps, flows, arcs, held, ignorable };
        let duration = self.period / m as f64;
        for k in 0..m {
            let start = self.nodes[k].clone();
            let directions = Some(pass.frames[k].directions());
            let arc =
                follow(&mut self.stepper, &start, duration, steps / m, directions, &self.options.watch)?;
            self.carried += steps / m;
            let (frame, gap) = if k + 1 < m {
                let frame = pass.frames[k + 1].clone();
                let gap = frame.gap(&self.stepper.dynamics, &arc.end, &self.nodes[k + 1]);
                (frame, gap)
            } else {
                let (frame, gap, ignorable) = self.close(&pass.frames[0], &arc.end)?;
                pass.ignorable = ignorable;
                (frame, gap)
            };
            pass.gaps.push(gap);
            if let Some(directions) = &arc.directions {
                pass.maps.push(frame.coordinates_of(directions));
            }
            let a = self.stepper.dynamics.acceleration(arc.end.t, &arc.end.q, &arc.end.v)?;
            pass.flows.push(frame.coordinates(&arc.end.v, &a));
            pass.arcs.push(arc);
        }
        Ok(pass)
    }
    /// Size of motions, in the coordinates of states.
    pub(crate) fn scale(&self, pass: &Pass) -> f64 {
        let speed =
            pass.arcs.iter().flat_map(|a| &a.states).map(|s| norms::max_abs_vec(&s.v)).fold(0.0, f64::max);
        let way = speed / self.rate();
        if way > 0.0 { way } else { 1e-3 }
    }
    /// Doubles the steps until the monodromy matrix is settled.
    fn settled(mut self, start: &State) -> Result<Orbit, PeriodicError> {
        let parts = self.nodes.len();
        let mut steps = self.options.steps.max(2 * parts).div_ceil(parts) * parts;
        let mut last: Option<(Dense, Frame, State, f64)> = None;
        let (mut smallest, mut again, period) = (f64::INFINITY, 0, self.period);
        loop {
            let more = 2 * steps <= self.options.most_steps;
            let pass = match self.converge(steps) {
                Ok(pass) => pass,
                Err(PeriodicError::StepFails { .. }) if more && last.is_none() => {
                    steps *= 2;
                    continue;
                }
                // In case the steps were too coarse: first from where they have led, then from the start again.
                Err(PeriodicError::NotFound { .. }) if more && last.is_none() && again < AGAIN => {
                    again += 1;
                    steps *= 2;
                    if again > 1 {
                        self.period = period;
                        self.begin(start, steps)?;
                    }
                    continue;
                }
                Err(e) => return Err(e),
            };
            let resolution = self.resolution(&pass, steps)?;
            if resolution.steps > steps {
                (steps, last) = (resolution.steps, None);
                continue;
            }
            let mut monodromy = dense::identity(pass.gaps[0].len());
            for map in &pass.maps {
                monodromy = dense::mul(map, &monodromy);
            }
            if last.is_none() {
                self.check(&pass)?;
            }
            let Some((before, frame, start, period)) = &last else {
                last = Some((monodromy, pass.frames[0].clone(), self.nodes[0].clone(), self.period));
                steps *= 2;
                continue;
            };
            let change = &monodromy - &in_frame(before, frame, &pass.frames[0]);
            let size = norms::frobenius(&change);
            let whole = norms::frobenius(&monodromy).max(1.0);
            let gap = pass.frames[0].gap(&self.stepper.dynamics, &self.nodes[0], start);
            let moved =
                norms::max_abs_vec(&gap).max((self.period - period).abs() * self.rate() * self.scale(&pass));
            let stalled = size > 0.5 * smallest && size <= 1e-9 * whole;
            if size <= self.options.tolerance * whole || stalled || !more {
                let orbit = self.finish(pass, monodromy, change, moved, steps)?;
                return Ok(Orbit { unresolved: resolution.unresolved, ..orbit });
            }
            smallest = smallest.min(size);
            last = Some((monodromy, pass.frames[0].clone(), self.nodes[0].clone(), self.period));
            steps *= 2;
        }
    }
    fn resolution(&mut self, pass: &Pass, steps: usize) -> Result<Resolution, PeriodicError> {
        let states: Vec<State> = pass.arcs.iter().flat_map(|a| a.states.iter().cloned()).collect();
        let (period, most) = (self.period, self.options.most_steps);
        Resolution::of(&mut self.stepper.dynamics, &states, period, steps, most)
    }
    fn check(&self, pass: &Pass) -> Result<(), PeriodicError> {
        let states: Vec<State> = pass.arcs.iter().flat_map(|a| a.states.iter().cloned()).collect();
        let inputs = self.stepper.dynamics.inputs();
        check_period(self.model, inputs, &states, self.period, &self.turns, &self.displacement)
    }
    fn finish(
        mut self,
        pass: Pass,
        monodromy: Dense,
        change: Dense,
        moved: f64,
        steps: usize,
    ) -> Result<Orbit, PeriodicError> {
        let defect = pass.gaps.iter().map(|g| norms::max_abs_vec(g)).fold(0.0, f64::max);
        let mut states: Vec<State> = Vec::with_capacity(steps + 1);
        for arc in pass.arcs {
            states.pop();
            states.extend(arc.states);
        }
        let autonomous = is_autonomous(self.model, self.stepper.dynamics.inputs(), &states);
        let start = states[0].clone();
        let a = self.stepper.dynamics.acceleration(start.t, &start.q, &start.v)?;
        let frame = pass.frames[0].clone();
        let flow = frame.coordinates(&start.v, &a);
        let mut violation = [0.0_f64; 2];
        for s in &states {
            violation[0] = violation[0].max(norms::max_abs_vec(&self.model.phi(&s.q, s.t)));
            violation[1] = violation[1].max(norms::max_abs_vec(&self.model.phi_dot(&s.q, &s.v, s.t)));
        }
        let (ignorable, ignorable_multipliers) = match &self.symmetries {
            Some(s) => (s.directions(self.model, &frame, &start), s.multipliers(&self.displacement)?),
            None => (Dense::zeros(frame.size(), 0), Vec::new()),
        };
        let displacement = self.displacement;
        let (period, turns, iterations, carried) = (self.period, self.turns, self.iterations, self.carried);
        Ok(Orbit {
            period,
            autonomous,
            turns,
            displacement,
            ignorable,
            ignorable_multipliers,
            states,
            frame,
            monodromy,
            change,
            flow,
            defect,
            moved,
            steps,
            iterations,
            carried,
            violation,
            returns: 1,
            unresolved: 0,
            decayed: Vec::new(),
        })
    }
}

/// An orthogonal matrix whose first column has the direction of `f`: a reflection.
pub(crate) fn completed(f: &[f64]) -> Dense {
    let n = f.len();
    let length = norms::two(f);
    let sign = if f[0] < 0.0 { -1.0 } else { 1.0 };
    let mut u: Vec<f64> = f.iter().map(|x| x / length).collect();
    u[0] += sign;
    let square = dense::dot(&u, &u);
    // -sign (1 - 2 u u^T / u^T u) takes the first unit vector to f.
    Dense::from_fn(n, n, |i, j| -sign * (f64::from(u8::from(i == j)) - 2.0 * u[i] * u[j] / square))
}
