//! Steady motions near a start: configuration and reactions for given speeds, by Newton.
//!
//! All velocities belong to one frame that turns with the rate W about a point c, and bodies in it may turn about axes of
//! their own:
//!
//! ```text
//! p' = W x (p - c),   w = A^T W + own,   v' = a = S v
//! M a + Phi_q^T lambda - f(q, v) = 0,   Phi = 0
//! ```
//!
//! Seen from the frame that is a problem of statics, with the stiffness of the linearization in that frame:
//!
//! ```text
//! [ K + C S + M S^2   Phi_q^T ] [ dq      ]     [ r   ]
//! [ Phi_q             0       ] [ dlambda ] = - [ Phi ]
//! ```
//!
//! A step along the motion itself changes nothing, so that K is singular along it: the coordinate that moves fastest is held. Where Newton does not come from the start to the
//! whole speed it goes there in steps.

use super::FrameChoice;
use super::frames::rates;
use super::generator::{Generator, length, of_block, positions};
use super::scale::PHASES;
use crate::error::LinearError;
use crate::linearize::in_frame;
use crate::point::{Instant, OperatingPoint};
use mb_algebra::{Sparse, dense, norms, sparse};
use mb_constraints::{Saddle, SaddlePatterns, largest, minimum_norm_multipliers};
use mb_model::system::Blocks;
use mb_model::{Block, BlockKind, Model, Point};

/// What Newton did.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadySearch {
    /// The steady motion found.
    pub at: OperatingPoint,
    /// Newton steps in all.
    pub iterations: usize,
    /// Distance from the start, norm of the changes of coordinates.
    pub moved: f64,
}

/// Most Newton steps at one speed.
const MOST: usize = 40;

/// Residual relative to the forces at work at which Newton has arrived.
pub(super) const ARRIVED: f64 = 1e-11;
/// Residual over that size from which on it may be rounding.
const NEARLY: f64 = 1e-7;

/// Largest turn of a Newton step, rad.
const LARGEST_TURN: f64 = 0.3;

/// Velocities that differ from those of a frame by more than this share of the largest are not its own.
const FITS: f64 = 1e-6;

/// Newton steps after which nothing is left but the balance of power.
const STEPS_UNBALANCED: usize = 3;

/// A turn along the motion, rad, and the change of the power of the forces in it, relative to both, that is none.
const STEP_ALONG: f64 = 1e-3;
const HARDLY: f64 = 1e-2;

/// Smallest step of the speed, as a share of the whole.
const SMALLEST: f64 = 1.0 / 256.0;

/// The velocities of a steady motion as a function of the configuration.
pub(super) struct Field {
    pub(super) rate: [f64; 3],
    pub(super) centre: [f64; 3],
    /// Whether the frame carries a block; the others are at rest.
    pub(super) carried: Vec<bool>,
    /// Velocities of blocks compared with those of the frame: of bodies in space in their own axes.
    pub(super) own: Vec<f64>,
}

impl Field {
    /// The frame with the angular velocity `rate` that has the velocities of `start`; none where it has not.
    pub(super) fn new(model: &Model, start: &Point, rate: [f64; 3]) -> Option<Self> {
        let blocks = model.coordinates().blocks();
        let speed = length(rate);
        let placed = |b: &&Block| positions(b.kind) > 0;
        let moves = |b: &&Block| length(velocity(b, &start.v)) > 0.0;
        if speed == 0.0 {
            // Straight motion; what turns belongs to a frame that does.
            let turns = blocks.iter().any(|b| length(of_block(b, &start.v)) > 0.0);
            let carried = vec![true; blocks.len()];
            let out = Self { rate, centre: [0.0; 3], carried, own: start.v.clone() };
            return (!turns || !blocks.iter().filter(placed).any(|b| moves(&b))).then_some(out);
        }
        // W x c of a block.
        let offset = |b: &Block| -> [f64; 3] {
            let turned = cross(rate, place(b, &start.q));
            let v = velocity(b, &start.v);
            let planar = positions(b.kind) == 2;
            std::array::from_fn(|i| if planar && i == 2 { 0.0 } else { turned[i] - v[i] })
        };
        let absolute = |b: &&Block| placed(b) && b.kind != BlockKind::Displacement;
        let moving: Vec<[f64; 3]> = blocks.iter().filter(absolute).filter(moves).map(offset).collect();
        let all: Vec<[f64; 3]> = blocks.iter().filter(absolute).map(offset).collect();
        let known = if moving.is_empty() { &all } else { &moving };
        let mean: [f64; 3] =
            std::array::from_fn(|i| known.iter().map(|o| o[i]).sum::<f64>() / known.len().max(1) as f64);
        let size = all.iter().map(|o| length(*o)).fold(norms::max_abs_vec(&start.v), f64::max);
        // Displacements count from a place that turns along: W x u alone.
        let own = |b: &Block| if b.kind == BlockKind::Displacement { [0.0; 3] } else { mean };
        let fits = |b: &Block| length(std::array::from_fn(|i| offset(b)[i] - own(b)[i])) <= FITS * size;
        let mut carried = vec![true; blocks.len()];
        for (block, carried) in blocks.iter().zip(&mut carried).filter(|(b, _)| placed(b)) {
            *carried = fits(block);
            let rests = start.v[block.v..block.v + block.kind.nv()].iter().all(|v| *v == 0.0);
            if !*carried && !rests {
                return None;
            }
        }
        let centre = cross(mean, rate).map(|x| x / (speed * speed));
        let mut out = Self { rate, centre, carried, own: vec![0.0; model.nv()] };
        let frame = out.of_frame(model, &start.q);
        out.own = start.v.iter().zip(frame).map(|(v, c)| v - c).collect();
        // What is left of positions is rounding.
        for b in blocks.iter().filter(placed) {
            out.own[b.v..b.v + positions(b.kind)].fill(0.0);
        }
        Some(out)
    }
    /// The velocities in the configuration `q`, at a share of the speeds.
    fn velocities(&self, model: &Model, q: &[f64], share: f64) -> Vec<f64> {
        let all = self.own.iter().zip(self.of_frame(model, q)).map(|(own, frame)| own + frame);
        all.map(|x| x * share).collect()
    }
    /// The velocities that the frame alone gives what it carries.
    pub(super) fn of_frame(&self, model: &Model, q: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; model.nv()];
        let blocks = model.coordinates().blocks().iter().zip(&self.carried);
        for b in blocks.filter(|(_, carried)| **carried).map(|(b, _)| b) {
            let p = place(b, q);
            let centre = if b.kind == BlockKind::Displacement { [0.0; 3] } else { self.centre };
            let arm = std::array::from_fn(|i| p[i] - centre[i]);
            let carried = cross(self.rate, arm);
            for i in 0..positions(b.kind) {
                out[b.v + i] += carried[i];
            }
            if b.kind == BlockKind::Pose {
                let turned = super::generator::in_body(b, q, self.rate);
                for i in 0..3 {
                    out[b.v + 3 + i] += turned[i];
                }
            }
        }
        out
    }
    /// The frame that turns everything with the angular velocity `rate` about the origin.
    pub(super) fn about(model: &Model, rate: [f64; 3]) -> Self {
        let carried = vec![true; model.coordinates().blocks().len()];
        Self { rate, centre: [0.0; 3], carried, own: vec![0.0; model.nv()] }
    }
    /// A turn about another axis through the centre of this frame.
    pub(super) fn turned_about(&self, axis: [f64; 3]) -> Self {
        Self {
            rate: axis,
            centre: self.centre,
            carried: self.carried.clone(),
            own: vec![0.0; self.own.len()],
        }
    }
    /// The point of the motion in the configuration `q`, with multipliers.
    pub(super) fn point(
        &self,
        model: &Model,
        start: &Point,
        q: Vec<f64>,
        lambda: Vec<f64>,
        share: f64,
    ) -> Point {
        let v = self.velocities(model, &q, share);
        let mut point = Point { q, v, lambda, ..start.clone() };
        point.a = self.generator(model, &point, share).times(&point.v);
        point
    }
    pub(super) fn generator(&self, model: &Model, point: &Point, share: f64) -> Generator {
        Generator::of_frame(model, point, self.rate.map(|x| x * share))
    }
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

pub(super) fn place(b: &Block, q: &[f64]) -> [f64; 3] {
    let mut out = [0.0; 3];
    let n = positions(b.kind);
    out[..n].copy_from_slice(&q[b.q..b.q + n]);
    out
}

pub(super) fn velocity(b: &Block, v: &[f64]) -> [f64; 3] {
    let mut out = [0.0; 3];
    let n = positions(b.kind);
    out[..n].copy_from_slice(&v[b.v..b.v + n]);
    out
}

/// How thoroughly a steady motion is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Looks {
    /// In as many phases as show it.
    #[default]
    Shown,
    /// In three phases in all, and one of each speed: between neighbours of one family of motions that are shown.
    Sampled,
}

impl Looks {
    pub(crate) const fn phases(self) -> u32 {
        match self {
            Self::Shown => PHASES,
            Self::Sampled => 3,
        }
    }
}

/// The steady motion near a start with its speeds: in the ground's frame, or in one that turns with a body.
///
/// `start` has configuration, velocities, time and inputs; velocities must be those of one turning frame, with bodies that
/// turn in it about axes of their own.
///
/// # Errors
/// [`LinearError::NoSteadyMotion`] names the equation that cannot be met, [`LinearError::NotSteady`] what changes along the
/// motion found; none where no frame has the velocities of the start.
pub fn steady_near(
    model: &Model,
    start: &Point,
    frame: &FrameChoice,
) -> Result<Option<SteadySearch>, LinearError> {
    steady_near_looked(model, start, frame, Looks::Shown, &start.q)
}

/// As [`steady_near`], checked as thoroughly as is said, with Newton's method from the configuration `guess` (nq numbers); the
/// velocities are those that `start` has in its own.
///
/// # Errors
/// As [`steady_near`].
pub fn steady_near_looked(
    model: &Model,
    start: &Point,
    frame: &FrameChoice,
    looks: Looks,
    guess: &[f64],
) -> Result<Option<SteadySearch>, LinearError> {
    if model.has_velocity_rows() {
        // Newton's problem of statics knows no rows of velocities.
        return Ok(None);
    }
    let mut failure = None;
    for rate in rates(model, start) {
        let Some(field) = Field::new(model, start, rate) else { continue };
        match newton(model, start, &field, frame, looks, guess) {
            Ok(found) => return Ok(Some(found)),
            Err(LinearError::Algebra(e)) => return Err(LinearError::Algebra(e)),
            Err(other) => failure = failure.or(Some(other)),
        }
    }
    failure.map_or(Ok(None), Err)
}

/// Newton at the whole speed, or in steps of it.
fn newton(
    model: &Model,
    start: &Point,
    field: &Field,
    frame: &FrameChoice,
    looks: Looks,
    guess: &[f64],
) -> Result<SteadySearch, LinearError> {
    let (mut q, mut lambda, mut iterations) = (guess.to_vec(), None, 0);
    let (mut share, mut step) = (0.0, 1.0);
    while share < 1.0 {
        let next = f64::min(share + step, 1.0);
        match at_speed(model, start, field, q.clone(), lambda.clone(), next) {
            Ok((there, used)) => {
                iterations += used;
                share = next;
                (q, lambda) = (there.q, Some(there.lambda));
            }
            Err(failure) => {
                iterations += MOST;
                step *= 0.5;
                // Slower motions have the same lack of power.
                let lacks = matches!(failure, LinearError::NoSteadyMotion { power: Some(_), .. });
                if step < SMALLEST || lacks {
                    return Err(failure);
                }
            }
        }
    }
    let point = field.point(model, start, q, lambda.unwrap_or_default(), 1.0);
    let moved: Vec<f64> = point.q.iter().zip(&start.q).map(|(a, b)| a - b).collect();
    let at =
        OperatingPoint::looked_at(model, &Instant::declared(model, point, 1e-9)?, frame, looks.phases())?;
    Ok(SteadySearch { at, iterations, moved: norms::two(&moved) })
}

/// The configuration and multipliers at a share of the speeds that Newton's method finds from `q`, and its steps.
pub(super) fn at_speed(
    model: &Model,
    start: &Point,
    field: &Field,
    q: Vec<f64>,
    lambda: Option<Vec<f64>>,
    share: f64,
) -> Result<(Point, usize), LinearError> {
    let none = vec![0.0; model.nc()];
    let mut point = field.point(model, start, q, none, share);
    point.lambda = if let Some(lambda) = lambda {
        lambda
    } else {
        let free: Vec<f64> = model.residual(&point).iter().map(|x| -x).collect();
        minimum_norm_multipliers(&model.phi_q(&point.q, point.t).to_sparse(), &free)?.0
    };
    let (mut iteration, mut patterns) = (0, SaddlePatterns::default());
    // Where Newton has arrived, with what is left there; the step after that leaves rounding.
    let mut arrival: Option<(Point, f64)> = None;
    let (held, mut worst, mut unbalanced) = (fastest(model, &start.v), (0, 0.0), 0);
    loop {
        let (residual, phi) = (model.residual(&point), model.phi(&point.q, point.t));
        let size = norms::max_abs_vec(&residual);
        let arrived = has_arrived(model, &point, &residual) && norms::max_abs_vec(&phi) <= ARRIVED;
        if let Some((before, left)) = arrival {
            return Ok((if arrived && size <= left { point } else { before }, iteration - 1));
        }
        if arrived && iteration == 0 {
            return Ok((point, 0));
        }
        arrival = arrived.then(|| (point.clone(), size));
        // Of numbers that are none those of the step before are given.
        worst = largest(&residual).filter(|(_, x)| x.is_finite()).unwrap_or(worst);
        let held_rows = norms::max_abs_vec(&phi) <= ARRIVED;
        let keeps = keeps_power(model, start, field, (&point, &residual), share);
        let balance = lacking(model, &point, &residual, held).filter(|_| !arrived && held_rows && keeps);
        unbalanced = if balance.is_some() { unbalanced + 1 } else { 0 };
        if !size.is_finite() || iteration == MOST || unbalanced > STEPS_UNBALANCED {
            let (i, residual) = worst;
            return Err(LinearError::NoSteadyMotion {
                equation: model.coordinate_name(i),
                iterations: iteration,
                residual,
                power: balance,
            });
        }
        let Blocks { m, c, k, phi_q } = model.blocks(&point);
        let k = in_frame(model, &point, &field.generator(model, &point, share), [&m, &c, &k])[1].clone();
        let k = pinned(model, &k, &start.v);
        let minus = |x: &[f64]| -> Vec<f64> { x.iter().map(|x| -x).collect() };
        // Without what is left of the balance of power, which would move everything along the motion where no step changes it.
        let mut rest = minus(&residual);
        if let Some(held) = held.filter(|held| point.v[*held].abs() > 0.0 && keeps) {
            rest[held] += dense::dot(&point.v, &residual) / point.v[held];
        }
        let (mut dq, mut dl) = Saddle::sparse_again(&k, &phi_q, &mut patterns)?.solve(&rest, &minus(&phi));
        let part = within_a_turn(model, &dq);
        if part < 1.0 {
            dq.iter_mut().chain(&mut dl).for_each(|x| *x *= part);
        }
        let q = model.coordinates().retract(&point.q, &dq);
        let lambda = point.lambda.iter().zip(&dl).map(|(l, d)| l + d).collect();
        point = field.point(model, start, q, lambda, share);
        model.coordinates().normalize(&mut point.q);
        iteration += 1;
    }
}

/// Whether a step along the motion leaves what the forces give it, P = -v^T r, as it is, so that no configuration near by balances it; a drive
/// gives what they take.
fn keeps_power(
    model: &Model,
    start: &Point,
    field: &Field,
    (point, residual): (&Point, &[f64]),
    share: f64,
) -> bool {
    let taken = dense::dot(&point.v, residual).abs();
    let terms: f64 = point.v.iter().zip(residual).map(|(v, r)| (v * r).abs()).sum();
    let turn = model.coordinates().largest_turn(&point.v);
    let driven = || model.phi_t(&point.q, point.t).iter().any(|x| *x != 0.0);
    if taken <= ARRIVED * terms || turn == 0.0 || driven() {
        return false;
    }
    let power = |by: f64| {
        let step: Vec<f64> = point.v.iter().map(|v| by * v).collect();
        let q = model.coordinates().retract(&point.q, &step);
        let there = field.point(model, start, q, point.lambda.clone(), share);
        dense::dot(&there.v, &model.residual(&there))
    };
    // A turn and its opposite, so that their squares, by which a step leaves the orbit, do not count.
    let by = STEP_ALONG / turn;
    (power(by) - power(-by)).abs() <= HARDLY * STEP_ALONG * taken
}

/// What the forces give the motion, W, where nothing else is left of the equations of motion.
///
/// A step changes nothing along the motion: the coordinate that is held ([`pinned`]) keeps what is left of the balance of power, which is met
/// by itself or not at all. `residual`: nv numbers.
fn lacking(model: &Model, point: &Point, residual: &[f64], held: Option<usize>) -> Option<f64> {
    let held = held?;
    let mut others = residual.to_vec();
    others[held] = 0.0;
    has_arrived(model, point, &others).then(|| -point.v[held] * residual[held])
}

/// Whether what is left of the equations of motion is rounding.
pub(super) fn has_arrived(model: &Model, point: &Point, residual: &[f64]) -> bool {
    let forces = model.force_scale(point);
    let size = norms::max_abs_vec(residual);
    // Stiff beams leave more by the rounding of their coordinates than a share of the forces.
    let rounding = || {
        let own = model.rounding_of_forces(point);
        residual.iter().zip(own).all(|(r, own)| r.abs() <= ARRIVED * forces + own)
    };
    size <= ARRIVED * forces || (size <= NEARLY * forces && rounding())
}

/// The part of a Newton step that turns nothing by more than is allowed at once.
pub(super) fn within_a_turn(model: &Model, dq: &[f64]) -> f64 {
    let turn = model.coordinates().largest_turn(dq);
    if turn > LARGEST_TURN { LARGEST_TURN / turn } else { 1.0 }
}

/// The coordinate that turns fastest, or else moves fastest; none at rest.
pub(super) fn fastest(model: &Model, v: &[f64]) -> Option<usize> {
    let mut fastest: Option<(bool, f64, usize)> = None;
    for b in model.coordinates().blocks() {
        for i in 0..b.kind.nv() {
            let this = (b.kind.turns(i), v[b.v + i].abs(), b.v + i);
            if this.1 > 0.0 && fastest.is_none_or(|f| (this.0, this.1) > (f.0, f.1)) {
                fastest = Some(this);
            }
        }
    }
    fastest.map(|(_, _, i)| i)
}

/// K with a spring on the coordinate that turns fastest, or else moves fastest.
///
/// K v = 0 along the motion, and the forces do no work on it; then the step has no part in that coordinate, and the others
/// are those of K alone.
pub(super) fn pinned(model: &Model, k: &Sparse, v: &[f64]) -> Sparse {
    let Some(i) = fastest(model, v) else { return k.clone() };
    let size = k.data().iter().fold(f64::MIN_POSITIVE, |a, x| a.max(x.abs()));
    let mut spring = mb_algebra::Triplets::new(k.rows(), k.cols());
    mb_algebra::Scatter::add(&mut spring, i, i, size);
    sparse::add(1.0, k, 1.0, &spring.to_sparse())
}
