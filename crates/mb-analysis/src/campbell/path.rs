//! Steady motions over a speed, each from the nearest one that is known.

use super::follow::Found;
use super::kept;
use super::stop::Stop;
use super::{Between, CampbellOptions, SpeedOf};
use crate::branch::{FromRest, from_rest};
use crate::error::AnalysisError;
use crate::settle::{StartOptions, settle};
use crate::sought::check_known;
use crate::spectra::Known;
use crate::steps::{Numbers, Steps};
use crate::zeros::ModelZeros;
use mb_algebra::{Dense, QuadraticPencil, Stopped, interrupt, to_dense, to_sparse};
use mb_constraints::simulate::{StartPolicy, consistent_start};
use mb_constraints::{AssemblyOptions, assemble};
use mb_linear::steady::{
    Crossing, Looks, SecondZeros, Spin, SteadyFamily, fastest_turn, spinning, steady_near_looked,
};
use mb_linear::{
    Frame, FrameChoice, Instant, LinearError, LinearizedSystem, OperatingPoint, linearize, linearize_sparse,
};
use mb_model::spec::Value;
use mb_model::{Model, ModelSpec, Point};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Coordinates and constraint rows in all up to which all modes of every speed are computed by dense matrices.
const SMALL: usize = 60;

/// A family of steady motions.
pub(super) struct Path<'a> {
    spec: &'a ModelSpec,
    speed: &'a SpeedOf,
    start: &'a StartOptions,
    frame: FrameChoice,
    /// Speed and configuration of what is known.
    known: RefCell<Vec<(f64, Vec<f64>)>>,
    /// The first speed, and how it was reached from rest, where that passes zeros of eigenvalues or an end.
    passed: RefCell<Option<(f64, FromRest)>>,
    named: RefCell<Option<Frame>>,
    deviation: Cell<f64>,
    shown: Cell<usize>,
    small: bool,
    /// What is known of all speeds between some.
    family: Option<Family>,
    /// Speeds that were linearized, by their bits, and how they were checked.
    stops: RefCell<HashMap<u64, (Look, Rc<Stop>)>>,
    /// Entries of their blocks.
    entries: Cell<usize>,
    /// Why work was ended.
    ended: Cell<Option<Stopped>>,
    /// The modes found, in the order in which they are asked for.
    steps: &'a Steps<'a>,
}

/// How a speed is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Look {
    /// Between others: by polynomials where they are known, else linearized.
    Between,
    /// Linearized.
    Direct,
    /// Linearized, and shown to be steady along the whole orbit.
    Shown,
}

/// Speeds whose linearizations are polynomials in the speed.
struct Family {
    of: SteadyFamily,
    model: Rc<Model>,
    /// Of the speeds that it goes through.
    turns: Vec<f64>,
    /// Free turns and shifts, the same at all speeds.
    zeros: ModelZeros,
    second: SecondZeros,
    /// The most that the zeros have changed of K at the speeds that were linearized, by entry.
    changed: Option<Dense>,
}

/// Most entries of blocks that are kept for speeds that come again.
const KEPT: usize = 2_000_000;

/// Where the range is linearized, in addition to its ends and its middle, before polynomials are trusted between: shares of it without a common
/// measure.
const CHECKS: [f64; 3] = [0.118_034, 0.381_966, 0.763_932];

/// Least number of speeds from which on polynomials are tried.
const ENOUGH: usize = 5;

impl<'a> Path<'a> {
    pub(super) fn new(
        spec: &'a ModelSpec,
        speed: &'a SpeedOf,
        speeds: &[f64],
        options: &'a CampbellOptions,
        steps: &'a Steps<'a>,
    ) -> Result<Self, AnalysisError> {
        let mut path = Self {
            spec,
            speed,
            start: &options.start,
            frame: options.frame.clone(),
            known: RefCell::default(),
            passed: RefCell::default(),
            named: RefCell::default(),
            deviation: Cell::new(0.0),
            shown: Cell::new(0),
            small: false,
            family: None,
            stops: RefCell::default(),
            entries: Cell::new(0),
            ended: Cell::new(None),
            steps,
        };
        // One frame for all: that of the last speed, or of the first where the last stands still.
        let fastest = |k: &f64| if *k == 0.0 { None } else { Some(*k) };
        let chosen = speeds.iter().rev().find_map(fastest).unwrap_or(speeds[0]);
        let stop = path.at(chosen, Look::Shown)?;
        path.small = stop.model.nv() + stop.model.nc() <= SMALL;
        path.frame = match stop.at.steady().map(|motion| motion.frame().choice()) {
            Some(FrameChoice::Automatic) | None => path.frame,
            Some(named) => named,
        };
        path.family = path.polynomials(speeds);
        Ok(path)
    }
    pub(super) fn is_small(&self) -> bool {
        self.small
    }
    /// Does a step of the work; none where that or an earlier one was ended from outside.
    pub(super) fn unless_ended<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        if self.ended.get().is_some() {
            return None;
        }
        interrupt::attempt(work).map_err(|why| self.ended.set(Some(why))).ok()
    }
    /// The modes of a step that was kept, else those that are computed, which are kept.
    pub(super) fn kept(
        &self,
        compute: impl FnOnce() -> Result<Found, AnalysisError>,
    ) -> Result<Found, AnalysisError> {
        // What an end from outside has cut short unwinds.
        let whole = || {
            interrupt::check();
            true
        };
        self.steps.next(compute, Numbers { written: kept::written, read: kept::read }, whole)
    }
    /// Why steps of the work are missing.
    pub(super) const fn ended(&self) -> Option<Stopped> {
        self.ended.get()
    }
    pub(super) fn frame(&self) -> Option<Frame> {
        self.named.borrow().clone()
    }
    pub(super) fn certificate(&self) -> (f64, usize) {
        (self.deviation.get(), self.shown.get())
    }
    /// How solutions are checked: polynomials are checked by a linearization, neighbours without them by the whole orbit.
    pub(super) const fn at_solutions(&self) -> Look {
        if self.family.is_some() { Look::Direct } else { Look::Shown }
    }
    /// What speeds between those linearized rest on.
    pub(super) fn between(&self) -> Option<Between> {
        let of = &self.family.as_ref()?.of;
        Some(Between { degree: of.degree(), missed: of.missed(), checks: of.checks() })
    }
    /// The polynomials through the ends of the range and its middle, where the model is the same function of the state at all speeds.
    fn polynomials(&self, speeds: &[f64]) -> Option<Family> {
        let same = match self.speed {
            SpeedOf::Parameter(name) => self.spec.only_sets_speeds(name),
            SpeedOf::Joint(_) | SpeedOf::Velocity(_) => true,
        };
        let moving: Vec<f64> = speeds.iter().copied().filter(|w| *w != 0.0).collect();
        let [first, .., last] = moving[..] else { return None };
        if !same || moving.len() < ENOUGH || (first < 0.0) != (last < 0.0) {
            return None;
        }
        let stops = |speeds: &[f64], look: Look| -> Option<Vec<Rc<Stop>>> {
            speeds.iter().map(|w| self.at(*w, look).ok()).collect()
        };
        let through = [first, speeds[speeds.len() / 2], last];
        let others = CHECKS.map(|share| first + share * (last - first));
        let (nodes, checks) = (stops(&through, Look::Shown)?, stops(&others, Look::Direct)?);
        let model = Rc::clone(&nodes[0].model);
        let of = SteadyFamily::through(
            &model,
            &motions(&through, &nodes),
            &motions(&others, &checks),
            self.small,
        )?;
        self.deviation.set(self.deviation.get().max(of.deviation()));
        let turns = nodes.iter().map(|s| s.turn).collect();
        let sizes = |k: &Dense| Dense::from_fn(k.nrows(), k.ncols(), |i, j| k[(i, j)].abs());
        let changed = nodes.iter().filter_map(|s| s.known.changed.as_ref().map(sizes));
        let changed = changed.reduce(|a, b| larger(&a, &b));
        let Known { zeros, second, .. } = nodes[0].known.clone();
        Some(Family { of, model, turns, zeros, second, changed })
    }
    /// The steady motion at a speed with its linearization.
    pub(super) fn at(&self, w: f64, look: Look) -> Result<Rc<Stop>, AnalysisError> {
        if let Some((known, stop)) = self.stops.borrow().get(&w.to_bits())
            && *known >= look
        {
            return Ok(Rc::clone(stop));
        }
        let stop = match self.family.as_ref().filter(|f| look == Look::Between && f.of.covers(w)) {
            Some(family) => family.stop(w, self.small),
            None => self.stop(w, look).map_err(|source| {
                let source = Box::new(source);
                AnalysisError::AtSpeed { speed: w, source }
            })?,
        };
        let stop = Rc::new(stop);
        let QuadraticPencil { m, c, k, phi_q } = &stop.pencil;
        let entries = self.entries.get() + [m, c, k, phi_q].iter().map(|x| x.nnz()).sum::<usize>();
        if entries <= KEPT {
            self.entries.set(entries);
            self.stops.borrow_mut().insert(w.to_bits(), (look, Rc::clone(&stop)));
        }
        Ok(stop)
    }
    fn stop(&self, w: f64, look: Look) -> Result<Stop, AnalysisError> {
        let looks = if look == Look::Shown { Looks::Shown } else { Looks::Sampled };
        let model = Rc::new(self.model(w)?);
        let (at, rate) = self.point(&model, w, looks)?;
        self.known.borrow_mut().push((w, at.point().q.clone()));
        if let Some(motion) = at.steady() {
            let relative = motion.deviation().relative;
            self.deviation.set(self.deviation.get().max(relative));
            self.shown.set(self.shown.get() + usize::from(looks == Looks::Shown));
            let mut named = self.named.borrow_mut();
            if named.is_none() {
                *named = Some(motion.frame().clone());
            }
        }
        if model.nv() + model.nc() > SMALL {
            let pencil = linearize_sparse(&model, &at).into_pencil().0;
            return Ok(Stop::new(model, at, pencil, rate));
        }
        let (lin, known) = Known::of(&model, &at, linearize(&model, &at));
        let [m, c, k, phi_q] = [&lin.m, &lin.c, &lin.k, &lin.phi_q].map(to_sparse);
        Ok(Stop::new(model, at, QuadraticPencil { m, c, k, phi_q }, rate).with_blocks(Some(lin), known))
    }
    fn model(&self, w: f64) -> Result<Model, AnalysisError> {
        let SpeedOf::Parameter(name) = self.speed else { return Ok(self.spec.build()?) };
        let mut spec = self.spec.clone();
        spec.set_parameter(name, Value::Number(w))?;
        Ok(spec.build()?)
    }
    /// The configuration to look from: the nearest one that is known, else the start.
    fn near(&self, w: f64, start: &[f64]) -> Vec<f64> {
        let known = self.known.borrow();
        let nearest = known.iter().min_by(|a, b| (a.0 - w).abs().total_cmp(&(b.0 - w).abs()));
        nearest.map_or_else(|| start.to_vec(), |(_, q)| q.clone())
    }
    /// Whether Newton's method stays on the branch that begins at rest on the way from the nearest speed known. Where another one splits off,
    /// the two are apart by as much as the configuration has changed since, so that the way must be a small part of that.
    fn is_safe(&self, w: f64, spins: &[Spin]) -> bool {
        let known = self.known.borrow();
        let nearest = known.iter().map(|(k, _)| *k).min_by(|a, b| (a - w).abs().total_cmp(&(b - w).abs()));
        let Some(nearest) = nearest else { return false };
        let passed = self.passed.borrow();
        let Some((first, branch)) = passed.as_ref().and_then(|(w, p)| Some((w, p.branch()?))) else {
            return true;
        };
        let grows_alone = matches!(spins, [one] if one.speed.total_cmp(&w).is_eq());
        let apart = |c: &Crossing| {
            [c.share, -c.share].iter().all(|c| (w - nearest).abs() <= BESIDE * (nearest - c * first).abs())
        };
        !branch.has_split() || grows_alone && branch.crossings.iter().filter(|c| c.left).all(apart)
    }
    /// What is passed on the way from rest to the last speed, in sentences; with a start given that it is another way.
    pub(super) fn passed(&self) -> Vec<String> {
        if !self.start.given.is_empty() {
            return vec!["the motions are those near the configuration given; growing speeds may lead to others from rest".to_owned()];
        }
        self.passed.borrow().as_ref().map_or_else(Vec::new, |(_, passed)| passed.notes())
    }
    /// Makes the motion that growing speeds lead to from rest known at a speed. Neighbours follow from there, unless branches split: near
    /// that speed Newton's method lands on either of them.
    fn start_from_rest(
        &self,
        model: &Model,
        start: &Point,
        spins: &[Spin],
        w: f64,
        looks: Looks,
    ) -> Result<(), AnalysisError> {
        let (found, told) = from_rest(model, self.start, spins, &self.frame)?;
        let first = self.known.borrow().is_empty();
        if let Some(found) = found {
            let q = found.at.point().q.clone();
            // The branch has been turned by rounding along what is free; a step from the start itself has not.
            let direct = steady_near_looked(model, start, &self.frame, looks, &start.q).ok().flatten();
            let direct = direct.map(|found| found.at.point().q.clone());
            let same = direct.filter(|direct| coincide(direct, &q));
            self.known.borrow_mut().push((w, same.unwrap_or(q)));
        }
        let passes = told.branch().is_some_and(|b| !b.crossings.is_empty() || b.ends.is_some());
        if first && passes {
            *self.passed.borrow_mut() = Some((w, told));
        }
        Ok(())
    }
    fn configuration(&self, w: f64) -> Result<Vec<f64>, AnalysisError> {
        Ok(self.at(w, Look::Between)?.at.point().q.clone())
    }
    /// Refuses the two ends of an enclosure of a solution with different configurations.
    pub(super) fn is_continuous(&self, a: f64, b: f64) -> Result<(), AnalysisError> {
        if moved(&self.configuration(a)?, &self.configuration(b)?) > MUCH {
            Err(AnalysisError::BranchLeft { from: a, to: b })
        } else {
            Ok(())
        }
    }
    /// Refuses speeds between which the configuration is not continuous: halved as long as it moves much, it comes to move less.
    pub(super) fn is_one_branch(&self, mut a: f64, mut b: f64) -> Result<(), AnalysisError> {
        let apart = NARROW * (b - a).abs();
        let (mut of_a, mut of_b) = (self.configuration(a)?, self.configuration(b)?);
        while moved(&of_a, &of_b) > MUCH {
            if (b - a).abs() <= apart {
                return Err(AnalysisError::BranchLeft { from: a, to: b });
            }
            let middle = 0.5 * (a + b);
            let there = self.configuration(middle)?;
            if moved(&of_a, &there) > moved(&there, &of_b) {
                (b, of_b) = (middle, there);
            } else {
                (a, of_a) = (middle, there);
            }
        }
        Ok(())
    }
    /// The steady motion, and the angular velocity that one revolution is of.
    fn point(&self, model: &Model, w: f64, looks: Looks) -> Result<(OperatingPoint, f64), AnalysisError> {
        // Velocities are those of the start, where a shaft is straight, and follow its configuration from there.
        let q = self.start.configuration(model);
        let options = AssemblyOptions::default();
        let q = assemble(model, &q, self.start.time, &options).map_err(LinearError::from)?.q;
        let inputs = if self.start.inputs.is_empty() {
            vec![0.0; model.inputs().len()]
        } else {
            self.start.inputs.clone()
        };
        let mut start = Point { q, t: self.start.time, u: inputs, ..model.initial_point() };
        if let SpeedOf::Parameter(_) = self.speed {
            check_known(model, "a Campbell diagram over a parameter")?;
        }
        let spins = match self.speed {
            SpeedOf::Joint(joint) => vec![Spin::behind(joint.clone(), w)],
            SpeedOf::Parameter(_) => Spin::of_model(model),
            SpeedOf::Velocity(_) => Vec::new(),
        };
        let first = spins.first().map(|s| s.speed.abs());
        if spins.is_empty() {
            let (mut v, mut hold) = (model.initial_velocity().to_vec(), Vec::new());
            if let SpeedOf::Velocity(i) = self.speed {
                v[*i] = w;
                hold.push(*i);
            }
            let there = consistent_start(model, &start.q, &v, start.t, StartPolicy::Assemble, &hold)
                .map_err(LinearError::from)?;
            (start.q, start.v) = (there.q, there.v);
        } else {
            start.v = spinning(model, &start, &spins)?.0;
        }
        if start.v.iter().all(|v| *v == 0.0) {
            let rest = StartOptions { given: values(&self.near(w, &start.q)), ..self.start.clone() };
            let settled = settle(model, &rest).or_else(|_| settle(model, self.start))?;
            return Ok((settled.operating_point(), 0.0));
        }
        let turn = first.unwrap_or_else(|| fastest_turn(model, &start));
        if !spins.is_empty() && self.start.given.is_empty() && !self.is_safe(w, &spins) {
            self.start_from_rest(model, &start, &spins, w, looks)?;
        }
        let failure = match steady_near_looked(model, &start, &self.frame, looks, &self.near(w, &start.q)) {
            Ok(Some(found)) => return Ok((found.at, turn)),
            Ok(None) => None,
            Err(error) => Some(error),
        };
        // A motion of another kind may be steady as it is.
        let Point { q, v, t, u, .. } = start;
        let at = Instant::of_motion(model, q, v, t, u, 1e-9)
            .and_then(|at| OperatingPoint::of_instant_looked(model, &at, &self.frame, looks));
        match (at, failure) {
            (Ok(at), _) => Ok((at, turn)),
            (Err(_), Some(error)) | (Err(error), None) => Err(error.into()),
        }
    }
}

/// The larger entries of two matrices of one size.
fn larger(a: &Dense, b: &Dense) -> Dense {
    Dense::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].max(b[(i, j)]))
}

impl Family {
    /// The linearization at a speed.
    fn stop(&self, w: f64, small: bool) -> Stop {
        let (at, pencil) = (self.of.motion(&self.model, w), self.of.pencil(w));
        let turn = self.of.value(w, &self.turns);
        let lin = small.then(|| {
            let [m, c, k, phi_q] = [&pencil.m, &pencil.c, &pencil.k, &pencil.phi_q].map(to_dense);
            let f = Dense::zeros(m.nrows(), 0);
            LinearizedSystem { m, c, k, k_parts: None, phi_q, f }
        });
        // The rates of pairs are other ones at every speed.
        let (zeros, second, changed) = (self.zeros.clone(), self.second.clone(), self.changed.clone());
        let known = Known { zeros, pairs: Vec::new(), second, changed };
        Stop::new(Rc::clone(&self.model), at, pencil, turn).with_blocks(lin, known)
    }
}

/// The motions of stops with their speeds.
fn motions<'a>(speeds: &[f64], stops: &'a [Rc<Stop>]) -> Vec<(f64, &'a OperatingPoint)> {
    speeds.iter().copied().zip(stops.iter().map(|s| &s.at)).collect()
}

/// Difference of two configurations, relative to the larger one, up to which they are one but for rounding.
const COINCIDE: f64 = 1e-9;

fn coincide(a: &[f64], b: &[f64]) -> bool {
    moved(a, b) <= COINCIDE
}

/// Share of the distance to where branches split that Newton's method goes at once.
const BESIDE: f64 = 0.1;

/// Difference of neighbouring configurations from which on it is asked whether they are on one branch, and the share of the distance of two
/// speeds at which they are not where it has not become less.
const MUCH: f64 = 0.05;
const NARROW: f64 = 1e-6;

/// The difference of two configurations, relative to the larger one.
fn moved(a: &[f64], b: &[f64]) -> f64 {
    let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0_f64, |a, x| a.max(x.abs()));
    let size = largest(&mut a.iter().chain(b).copied());
    if size > 0.0 { largest(&mut a.iter().zip(b).map(|(a, b)| a - b)) / size } else { 0.0 }
}

fn values(q: &[f64]) -> Vec<(usize, f64)> {
    q.iter().copied().enumerate().collect()
}
