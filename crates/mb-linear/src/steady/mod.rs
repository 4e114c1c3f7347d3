//! Steady motions: what in motion has exponents.
//!
//! A disturbance x of a motion obeys equations whose coefficients change with the motion, as a rule. Their eigenvalues at one
//! instant are no exponents: those of matrices that merely turn stay the same and are still not the rates at which anything
//! grows. A motion is steady (a relative equilibrium) when one constant generator S carries it and its linearization along:
//!
//! ```text
//! x = exp(S t) y,   M y'' + (C + 2 M S) y' + (K + C S + M S^2) y + Phi_q^T l = 0,   Phi_q y = 0
//! ```
//!
//! with constant matrices, whose eigenvalues are the exponents in the frame that moves with S. [`steady`] searches for S: the
//! ground's frame where that is admissible, else the one of a body, else the frame that exact derivatives by time ask for
//! (`conditions`). Whichever it is, the whole orbit shows it (`orbit`); the first derivative at one instant proves nothing.
//!
//! In frames that turn with different speeds the same exponents differ by i times combinations of these speeds.

mod branch;
mod change;
mod conditions;
mod deviation;
mod displaced;
mod elements;
mod family;
mod frames;
mod free;
mod free_pairs;
mod full;
mod generator;
mod holding;
mod orbit;
mod ports;
mod rest;
mod rolling;
mod rows;
mod scale;
mod search;
mod sought;
mod spin;
mod tiles;
mod velocities;
mod verdict;
mod whirl;

pub use branch::{Branch, Crossing, steady_from_rest};
pub use deviation::Deviation;
pub use family::SteadyFamily;
pub use free::{SecondZeros, lasting};
pub use free_pairs::FreePair;
pub use generator::Generator;
pub(crate) use generator::positions;
pub use rest::free_at_rest;
pub use search::{Looks, SteadySearch, steady_near, steady_near_looked};
pub use sought::{Sought, steady_sought};
pub use spin::{Spin, fastest_turn, spinning};
pub use velocities::SteadyVelocities;
pub use verdict::{Asymmetric, Frame, Reason, Unsteady};
pub use whirl::Whirl;

use crate::error::LinearError;
use crate::point::Instant;
use crate::velocity_rows::Admissible;
use change::Change;
use conditions::Conditions;
pub use frames::check_frame;
use frames::{rate_of, rates, units_of_one_frame};
use full::{FullOrbit, Refused};
use mb_algebra::{Dense, RankTolerance, Sparse};
use mb_constraints::{NullSpace, NullSpaceMethod};
use mb_model::system::LinearizedBlocks;
use mb_model::{BlockKind, Model, Point};
use orbit::Orbit;
pub(crate) use scale::PHASES;
use scale::Scale;
use std::sync::Arc;

/// A point of a motion that is steady, with the frame in which its linearization is constant.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyMotion {
    point: Point,
    generator: Generator,
    frame: Frame,
    deviation: Deviation,
    /// Times in s at which the orbit was checked.
    times: Vec<f64>,
    /// The size of the forces at work.
    forces: f64,
    /// The system on the admissible velocities, where there are velocity rows and it was checked along the orbit.
    system: Option<Arc<Admissible>>,
}

impl SteadyMotion {
    /// (q, v, a, lambda, u, t).
    pub fn point(&self) -> &Point {
        &self.point
    }
    /// S.
    pub fn generator(&self) -> &Generator {
        &self.generator
    }
    /// The frame in words.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }
    /// The system on the admissible velocities in the frame, with its own weight; none where it has to be made.
    pub(crate) fn system(&self) -> Option<&Admissible> {
        self.system.as_deref()
    }
    /// By how much the linearization changes along the orbit: the certificate of steadiness.
    pub fn deviation(&self) -> &Deviation {
        &self.deviation
    }
}

/// The model's own M, C, K and Phi_q at a point: dense ones with velocity rows.
enum Blocks {
    Sparse(LinearizedBlocks),
    Dense(mb_model::system::Blocks<Dense>),
}

/// Which frame is wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FrameChoice {
    /// The ground's where it is admissible, else that of the first body whose is, else any.
    #[default]
    Automatic,
    /// That of the ground.
    Ground,
    /// That of a body, by name.
    Body(String),
}

impl FrameChoice {
    /// The frame that a word names: `ground` or a body; chosen where there is none.
    pub fn named(word: Option<&str>) -> Self {
        match word {
            None => Self::Automatic,
            Some("ground") => Self::Ground,
            Some(body) => Self::Body(body.to_owned()),
        }
    }
}

/// Most velocities of a model whose blocks may each have a frame of their own.
const BLOCKS_UP_TO: usize = 120;

/// The steady motion through a point, or why there is none.
///
/// # Errors
/// [`LinearError::NotSteady`] names the body whose equations change, or the equation that does not hold, along the orbit of
/// the best frame; [`LinearError::NoSuchBody`]; entries that are not finite.
pub fn steady(model: &Model, at: &Instant, frame: &FrameChoice) -> Result<SteadyMotion, LinearError> {
    looked_at(model, at, frame, scale::PHASES)
}

/// As [`steady`], checked in so many phases in all, where they are fewer than [`PHASES`]: enough between neighbours of one family
/// of motions that are shown, where a change comes with the parameter and not with the phase alone.
pub(crate) fn looked_at(
    model: &Model,
    at: &Instant,
    frame: &FrameChoice,
    phases: u32,
) -> Result<SteadyMotion, LinearError> {
    if let Some((owner, why)) = model.unsteady_laws().first() {
        let reason = Reason::GivenInTime { owner: (*owner).to_owned(), why };
        return Err(LinearError::NotSteady(Box::new(Unsteady::of(reason))));
    }
    let point = at.point();
    let (blocks, diagonals) = if model.has_velocity_rows() {
        let blocks = model.dense_blocks(point);
        let diagonals =
            [&blocks.m, &blocks.c, &blocks.k].map(|x| (0..x.nrows()).map(|i| x[(i, i)]).collect());
        (Blocks::Dense(blocks), diagonals)
    } else {
        let blocks = model.blocks(point);
        let diagonals = [&blocks.m, &blocks.c, &blocks.k].map(diagonal);
        (Blocks::Sparse(blocks), diagonals)
    };
    let scale = Scale::new(model, point, &diagonals);
    if point.v.iter().all(|v| *v == 0.0) {
        let rests = point.a.iter().zip(&scale.acceleration).all(|(a, rounded)| a.abs() <= *rounded);
        let body = mb_constraints::largest(&point.a).map_or_else(String::new, |(i, _)| body_of(model, i));
        let reason = if rests { Reason::Rests } else { Reason::Starts { body } };
        return Err(LinearError::NotSteady(Box::new(Unsteady::of(reason))));
    }
    let fastest = mb_algebra::norms::max_abs_vec(&point.v);
    if let Some((owner, _)) = model.uneven_ways(point).iter().find(|(_, speed)| *speed > STEADY * fastest) {
        let reason = Reason::Uneven { owner: (*owner).to_owned() };
        return Err(LinearError::NotSteady(Box::new(Unsteady::of(reason))));
    }
    let forces = at.forces();
    let blocks = match blocks {
        Blocks::Sparse(blocks) => blocks,
        Blocks::Dense(blocks) => {
            let orbit = rolling::RollingOrbit { model, at, blocks, scale: &scale, phases, forces };
            let (generator, rolling::Shown { deviation, system }) = orbit.search(frame)?;
            let times = scale::times(&scale, &generator, phases);
            let frame = Frame::of(model, point, &generator);
            let (point, system) = (point.clone(), Some(Arc::new(system)));
            return Ok(SteadyMotion { point, generator, frame, deviation, times, forces, system });
        }
    };
    let full = FullOrbit::new(model, point, blocks, &scale, phases, forces)?;
    let (generator, deviation) = match full.search(at, frame)? {
        Ok(found) => found,
        Err(Refused { why, certain })
            if model.nv() + model.nc() > DENSE_UP_TO || (certain && model.nv() > BLOCKS_UP_TO) =>
        {
            return Err(LinearError::NotSteady(Box::new(full.naming(why))));
        }
        Err(_) => on_basis(&full, at, frame, scale.clone())?,
    };
    let times = scale::times(&scale, &generator, phases);
    let frame = Frame::of(model, point, &generator);
    Ok(SteadyMotion { point: point.clone(), generator, frame, deviation, times, forces, system: None })
}

/// Coordinates and constraint rows in all up to which frames are sought on a basis of the admissible displacements, by
/// dense matrices, where none is found on all coordinates.
const DENSE_UP_TO: usize = 2000;

/// Share of themselves by which equations may change. What is below enters the error bounds of every eigenvalue; it is
/// ten times the square root of rounding, so that data computed from formulas pass.
const STEADY: f64 = 1e-7;

fn diagonal(x: &Sparse) -> Vec<f64> {
    (0..x.rows()).map(|i| x.get(i, i).copied().unwrap_or(0.0)).collect()
}

/// The frame found on a basis of the admissible displacements, or a refusal that names what is not symmetric.
fn on_basis(
    full: &FullOrbit<'_>,
    at: &Instant,
    frame: &FrameChoice,
    scale: Scale,
) -> Result<(Generator, Deviation), LinearError> {
    found_on_basis(full.model, at, frame, scale).map_err(|e| match e {
        LinearError::NotSteady(why) => LinearError::NotSteady(Box::new(full.naming(*why))),
        other => other,
    })
}

fn found_on_basis(
    model: &Model,
    at: &Instant,
    frame: &FrameChoice,
    scale: Scale,
) -> Result<(Generator, Deviation), LinearError> {
    let change = Change::new(model, at)?;
    let name = |i| model.coordinate_name(i);
    let basis = NullSpace::new(&change.phi_q, &NullSpaceMethod::Qr, RankTolerance::default(), name)?;
    let scale = scale.on_basis(&change.now, &basis.r);
    Search { model, at, change: &change, r: &basis.r, scale: &scale }.run(frame)
}

/// v' = S v, or the body whose velocity is not carried.
fn carried_by(model: &Model, point: &Point, scale: &Scale, s: &Generator) -> Result<(), Unsteady> {
    let carried = s.times(&point.v);
    let change = |i: usize| (point.a[i] - carried[i]).abs();
    let beyond = |i: usize| {
        let change = change(i);
        if change <= scale.acceleration[i] { 0.0 } else { change / (scale.speed * scale.velocity[i]) }
    };
    let off: Vec<f64> = (0..carried.len()).map(beyond).collect();
    match mb_constraints::largest(&off) {
        Some((i, worst)) if worst.is_nan() || worst > STEADY => {
            let (body, unit) = (body_of(model, i), unit_of(model, i));
            Err(Unsteady::accelerates(body, worst * scale.speed, change(i), unit))
        }
        _ => Ok(()),
    }
}

/// The unit of velocity `i`; none for numbers without further meaning.
fn unit_of(model: &Model, i: usize) -> &'static str {
    let block = model.coordinates().blocks().iter().find(|b| (b.v..b.v + b.kind.nv()).contains(&i));
    match block {
        Some(b) if b.kind.turns(i - b.v) => "rad/s",
        Some(b) if matches!(b.kind, BlockKind::Vector(_)) => "",
        _ => "m/s",
    }
}

/// Phi = Phi' = Phi'' = 0 at a point of an orbit, or the row that does not hold there.
fn constraints_hold(model: &Model, there: &Point, speed: f64, time: f64) -> Result<(), Unsteady> {
    for (values, unit) in [
        (model.phi(&there.q, there.t), 1.0),
        (model.phi_dot(&there.q, &there.v, there.t), speed.max(1.0)),
        (model.phi_ddot(there), (speed * speed).max(1.0)),
    ] {
        if let Some((row, worst)) = mb_constraints::largest(&values)
            && (worst.is_nan() || worst > STEADY * unit)
        {
            return Err(Unsteady::breaks(model.row_name(row), worst / unit, time));
        }
    }
    Ok(())
}

/// Everything the search for a frame uses.
struct Search<'a> {
    model: &'a Model,
    at: &'a Instant,
    change: &'a Change,
    r: &'a Dense,
    scale: &'a Scale,
}

impl Search<'_> {
    fn run(&self, wanted: &FrameChoice) -> Result<(Generator, Deviation), LinearError> {
        let point = self.at.point();
        let orbit =
            Orbit { model: self.model, at: self.at, change: self.change, r: self.r, scale: self.scale };
        let of_rate = |rate| Generator::of_frame(self.model, point, rate);
        let named = |rate| -> Result<(Generator, Deviation), LinearError> {
            let s = of_rate(rate);
            let asked = |why| LinearError::NotSteady(Box::new(Unsteady { in_frame_asked: true, ..why }));
            let found = orbit.check(&s)?.map_err(asked)?;
            Ok((s, found))
        };
        match wanted {
            FrameChoice::Ground => return named([0.0; 3]),
            FrameChoice::Body(name) => return named(rate_of(self.model, point, name)?),
            FrameChoice::Automatic => {}
        }
        for rate in rates(self.model, point) {
            let s = of_rate(rate);
            if let Ok(deviation) = orbit.check(&s)? {
                return Ok((s, deviation));
            }
        }
        let conditions = Conditions { change: self.change, point, r: self.r, scale: self.scale };
        let ground = of_rate([0.0; 3]);
        // One frame for all first; then one for each block.
        let mut spans = vec![units_of_one_frame(self.model, point).collect::<Vec<_>>()];
        if self.model.nv() <= BLOCKS_UP_TO {
            spans.push(Generator::units(self.model));
        }
        let mut last = None;
        for units in spans.iter().filter(|u| !u.is_empty()) {
            let s = conditions.nearest(&ground, units)?;
            match orbit.check(&s)? {
                Ok(deviation) => return Ok((s, deviation)),
                Err(why) => last = last.or(Some((s, why))),
            }
        }
        let why = match last {
            Some((s, why)) => why.or_faster(conditions.fastest(self.model, &s)),
            None => Unsteady::changes(String::new(), 0.0, 0.0),
        };
        Err(LinearError::NotSteady(Box::new(why)))
    }
}

/// The body that velocity `i` belongs to.
fn body_of(model: &Model, i: usize) -> String {
    let bodies = model.coordinates().bodies();
    bodies.into_iter().find(|b| b.velocities.contains(&i)).map_or_else(String::new, |b| b.name)
}
