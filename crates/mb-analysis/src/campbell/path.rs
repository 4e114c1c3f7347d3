//! Steady motions over a speed, each from the nearest one that is known.

use super::{CampbellOptions, SpeedOf};
use crate::error::AnalysisError;
use crate::settle::{StartOptions, settle};
use mb_algebra::{QuadraticPencil, Sparse, sparse};
use mb_constraints::simulate::{StartPolicy, consistent_start};
use mb_constraints::{AssemblyOptions, assemble};
use mb_linear::steady::{Looks, Spin, fastest_turn, spinning, steady_near_looked};
use mb_linear::{Frame, FrameChoice, Instant, LinearError, OperatingPoint, linearize_sparse};
use mb_model::spec::Value;
use mb_model::{Model, ModelSpec, Point};
use std::cell::{Cell, RefCell};

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
    named: RefCell<Option<Frame>>,
    deviation: Cell<f64>,
    shown: Cell<usize>,
    small: bool,
}

/// The linearization at one speed.
pub(super) struct Stop {
    pub(super) model: Model,
    pub(super) at: OperatingPoint,
    pub(super) pencil: QuadraticPencil<Sparse>,
    /// Angular velocity that lines of so many per revolution belong to, rad/s.
    pub(super) turn: f64,
    /// Whether eigenvalues come in fours, s, -s and their conjugates: K symmetric and C skew.
    pub(super) reversible: bool,
}

/// Entries of C + C^T and K - K^T beside the largest up to which a system is reversible.
const REVERSIBLE: f64 = 1e-12;

impl<'a> Path<'a> {
    pub(super) fn new(
        spec: &'a ModelSpec,
        speed: &'a SpeedOf,
        speeds: &[f64],
        options: &'a CampbellOptions,
    ) -> Result<Self, AnalysisError> {
        let mut path = Self {
            spec,
            speed,
            start: &options.start,
            frame: options.frame.clone(),
            known: RefCell::default(),
            named: RefCell::default(),
            deviation: Cell::new(0.0),
            shown: Cell::new(0),
            small: false,
        };
        // One frame for all: that of the last speed, or of the first where the last stands still.
        let fastest = |k: &f64| if *k == 0.0 { None } else { Some(*k) };
        let chosen = speeds.iter().rev().find_map(fastest).unwrap_or(speeds[0]);
        let stop = path.at(chosen, Looks::Shown)?;
        path.small = stop.model.nv() + stop.model.nc() <= SMALL;
        path.frame = match stop.at.steady().map(mb_linear::SteadyMotion::frame) {
            Some(Frame::Ground) => FrameChoice::Ground,
            Some(Frame::Body { name, .. }) => FrameChoice::Body(name.clone()),
            _ => path.frame,
        };
        Ok(path)
    }
    pub(super) fn is_small(&self) -> bool {
        self.small
    }
    pub(super) fn frame(&self) -> Option<Frame> {
        self.named.borrow().clone()
    }
    pub(super) fn certificate(&self) -> (f64, usize) {
        (self.deviation.get(), self.shown.get())
    }
    /// The steady motion at a speed with its linearization.
    pub(super) fn at(&self, w: f64, looks: Looks) -> Result<Stop, AnalysisError> {
        self.stop(w, looks).map_err(|source| AnalysisError::AtSpeed { speed: w, source: Box::new(source) })
    }
    fn stop(&self, w: f64, looks: Looks) -> Result<Stop, AnalysisError> {
        let model = self.model(w)?;
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
        let lin = linearize_sparse(&model, &at);
        let pencil = lin.pencil();
        let reversible = is_its_transpose(&pencil.k, 1.0) && is_its_transpose(&pencil.c, -1.0);
        Ok(Stop { model, at, pencil, turn: rate, reversible })
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
        let failure = match steady_near_looked(model, &start, &self.frame, looks, &self.near(w, &start.q)) {
            Ok(Some(found)) => return Ok((found.at, turn)),
            Ok(None) => None,
            Err(error) => Some(error),
        };
        // A motion of another kind may be steady as it is.
        let Point { q, v, t, u, .. } = start;
        let at = Instant::of_motion(model, q, v, t, u, 1e-9)
            .and_then(|at| OperatingPoint::of_instant(model, &at, &self.frame));
        match (at, failure) {
            (Ok(at), _) => Ok((at, turn)),
            (Err(_), Some(error)) | (Err(error), None) => Err(error.into()),
        }
    }
}

fn values(q: &[f64]) -> Vec<(usize, f64)> {
    q.iter().copied().enumerate().collect()
}

/// Whether X is its own transpose times `sign`, up to rounding.
fn is_its_transpose(x: &Sparse, sign: f64) -> bool {
    let size = x.data().iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let off = sparse::add(1.0, x, -sign, &sparse::transpose(x));
    off.data().iter().all(|x| x.abs() <= REVERSIBLE * size)
}
