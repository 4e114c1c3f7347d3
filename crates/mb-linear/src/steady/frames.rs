//! Frames that have a name, the ground's and those of the bodies, the one that the velocities say, and what is not symmetric in each.

use super::elements::Elements;
use super::full::{FullOrbit, Refused};
use super::generator::{Generator, in_ground, length};
use super::scale::Scale;
use super::search::{cross, place, velocity};
use super::verdict::Asymmetric;
use super::{BLOCKS_UP_TO, Deviation, Frame, FrameChoice, STEADY, Unsteady};
use crate::error::LinearError;
use crate::point::Instant;
use mb_algebra::{Dense, RankTolerance, Svd, dense};
use mb_model::{Block, BlockKind, Carried, Model, Point, SteadyRotation};

/// Angular velocities this near, relative to the largest, are one.
const SAME_RATE: f64 = 1e-9;

/// Angular velocities in rad/s (ground's axes) of the ground, of the bodies, of points that turn as one, and of those that the model says
/// turn about an axis, each once.
pub(super) fn rates(model: &Model, point: &Point) -> Vec<[f64; 3]> {
    let all: Vec<[f64; 3]> = turns(model, point)
        .map(|(_, rate)| rate)
        .chain(of_points(model, point))
        .chain(of_rotations(model, point))
        .collect();
    let fastest = all.iter().map(|rate| length(*rate)).fold(0.0, f64::max);
    each_once(std::iter::once([0.0; 3]).chain(all), |_| SAME_RATE * fastest)
}

/// Angular velocities without those that come as near to an earlier one as is allowed for it.
fn each_once(all: impl IntoIterator<Item = [f64; 3]>, allowed: impl Fn([f64; 3]) -> f64) -> Vec<[f64; 3]> {
    let mut out: Vec<[f64; 3]> = Vec::new();
    for rate in all {
        let off = |a: &[f64; 3]| length(std::array::from_fn(|i| a[i] - rate[i]));
        if out.iter().all(|a| off(a) > allowed(*a)) {
            out.push(rate);
        }
    }
    out
}

/// Velocities of points that differ from those of a rigid body by more than this share of the largest are not its own.
const RIGID: f64 = 1e-6;

/// The angular velocity of everything that moves where its positions have the velocities of a rigid body, as those of masses and
/// of solids that nothing else turns with: W of least squares,
///
/// ```text
/// sum (|r|^2 I - r r^T) W = sum r x u,   r and u: places and velocities less their means
/// ```
fn of_points(model: &Model, point: &Point) -> Option<[f64; 3]> {
    let moving: Vec<[[f64; 3]; 2]> = (model.coordinates().blocks().iter())
        .filter(|b| matches!(b.kind, BlockKind::PlanarPoint | BlockKind::SpatialPoint))
        .map(|b| [place(b, &point.q), velocity(b, &point.v)])
        .filter(|[_, u]| length(*u) > 0.0)
        .collect();
    let count = moving.len() as f64;
    let mean: [[f64; 3]; 2] =
        std::array::from_fn(|k| std::array::from_fn(|i| moving.iter().map(|m| m[k][i]).sum::<f64>() / count));
    let (mut j, mut l) = (Dense::zeros(3, 3), vec![0.0; 3]);
    let relative = |m: &[[f64; 3]; 2]| -> [[f64; 3]; 2] {
        std::array::from_fn(|k| std::array::from_fn(|i| m[k][i] - mean[k][i]))
    };
    for [r, u] in moving.iter().map(relative) {
        let moment = cross(r, u);
        for a in 0..3 {
            l[a] += moment[a];
            j[(a, a)] += r.iter().map(|x| x * x).sum::<f64>();
            for b in 0..3 {
                j[(a, b)] -= r[a] * r[b];
            }
        }
    }
    let w = Svd::new(&j).ok()?.min_norm_solve(&l, RankTolerance::default());
    let rate = [w[0], w[1], w[2]];
    let fastest = moving.iter().map(|m| length(m[1])).fold(0.0, f64::max);
    let off = |[r, u]: [[f64; 3]; 2]| {
        let turned = cross(rate, r);
        length(std::array::from_fn(|i| u[i] - turned[i]))
    };
    let rigid = length(rate) > 0.0 && moving.iter().map(relative).all(|m| off(m) <= RIGID * fastest);
    rigid.then_some(rate)
}

/// The angular velocities about the axes of the model's own rotations that the points they carry have, a single one too:
///
/// ```text
/// W = n (n, r x u) / |n x r|^2,   u = W x r,   r: places less one of the axis n
/// ```
fn of_rotations(model: &Model, point: &Point) -> Vec<[f64; 3]> {
    let rate = |rotation: &SteadyRotation| -> Option<[f64; 3]> {
        let Carried::Blocks { blocks, axis, through } = &rotation.carries else { return None };
        let n = *axis;
        let moving: Vec<[[f64; 3]; 2]> = (blocks.iter().map(|b| model.coordinates().block(*b)))
            .filter(|b| matches!(b.kind, BlockKind::PlanarPoint | BlockKind::SpatialPoint))
            .map(|b| {
                let place = place(b, &point.q);
                [std::array::from_fn(|i| place[i] - through[i]), velocity(b, &point.v)]
            })
            .filter(|[_, u]| length(*u) > 0.0)
            .collect();
        let [r, u] = *moving.first()?;
        let arm = cross(n, r);
        let speed = arm.iter().zip(&u).map(|(a, u)| a * u).sum::<f64>() / length(arm).powi(2);
        let rate = n.map(|n| n * speed);
        let off = |[r, u]: &[[f64; 3]; 2]| {
            let turned = cross(rate, *r);
            length(std::array::from_fn(|i| u[i] - turned[i])) > RIGID * length(*u)
        };
        (speed.is_finite() && speed != 0.0 && !moving.iter().any(off)).then_some(rate)
    };
    model.steady_rotations().iter().filter_map(rate).collect()
}

/// What turns as a frame could, with its angular velocity (rad/s, ground's axes): the bodies, and in the plane absolute angles,
/// which equivalent rigid links have in place of a body.
pub(super) fn turns<'a>(
    model: &'a Model,
    point: &'a Point,
) -> impl Iterator<Item = (&'a Block, [f64; 3])> + use<'a> {
    let blocks = model.coordinates().blocks();
    let plane = in_plane(model);
    blocks.iter().filter_map(move |b| match b.kind {
        BlockKind::Pose | BlockKind::PlanarPose => Some((b, in_ground(b, point))),
        BlockKind::Angle if plane => Some((b, [0.0, 0.0, point.v[b.v]])),
        _ => None,
    })
}

/// The frame of all blocks with v' = S v by least squares in its rate; each row counts by what [`super::carried_by`] allows it.
fn frame_of_velocities(model: &Model, point: &Point, scale: &Scale) -> Result<Generator, LinearError> {
    let ground = Generator::of_frame(model, point, [0.0; 3]);
    let allowed = |i: usize| (scale.speed * scale.velocity[i]).max(scale.acceleration[i] / STEADY);
    let rows: Vec<usize> = (0..model.nv()).filter(|i| allowed(*i) > 0.0).collect();
    let weighted = |x: &[f64]| -> Vec<f64> { rows.iter().map(|i| x[*i] / allowed(*i)).collect() };
    let units: Vec<Generator> = units_of_one_frame(model, point).collect();
    let columns: Vec<Vec<f64>> = units.iter().map(|unit| weighted(&unit.times(&point.v))).collect();
    let carried = ground.times(&point.v);
    let wanted = weighted(&point.a.iter().zip(&carried).map(|(a, c)| a - c).collect::<Vec<f64>>());
    let matrix = dense::from_columns(rows.len(), &columns);
    let rates = Svd::new(&matrix)?.min_norm_solve(&wanted, RankTolerance::default());
    Ok(units.iter().zip(rates).fold(ground, |s, (unit, rate)| s.plus(rate, unit)))
}

/// What one radian per second about each axis that a frame may turn about, z alone in the plane, adds to a generator.
pub(super) fn units_of_one_frame(model: &Model, point: &Point) -> impl Iterator<Item = Generator> {
    let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let ground = Generator::of_frame(model, point, [0.0; 3]);
    let unit = move |axis| Generator::of_frame(model, point, axis).plus(-1.0, &ground);
    axes.into_iter().take(if in_plane(model) { 1 } else { 3 }).map(unit)
}

/// Whether nothing of the model moves in space.
pub(super) fn in_plane(model: &Model) -> bool {
    let blocks = model.coordinates().blocks();
    !blocks.iter().any(|b| matches!(b.kind, BlockKind::Pose | BlockKind::SpatialPoint))
}

/// The angular velocity of a body by name.
pub(super) fn rate_of(model: &Model, point: &Point, name: &str) -> Result<[f64; 3], LinearError> {
    match turns(model, point).find(|(b, _)| b.name == name) {
        Some((_, rate)) => Ok(rate),
        None => Err(LinearError::NoSuchBody {
            name: name.to_owned(),
            known: turns(model, point).map(|(b, _)| b.name.clone()).collect(),
        }),
    }
}

/// Refuses the frame of a body that there is not.
///
/// # Errors
/// [`LinearError::NoSuchBody`].
pub fn check_frame(model: &Model, point: &Point, frame: &FrameChoice) -> Result<(), LinearError> {
    match frame {
        FrameChoice::Body(name) => rate_of(model, point, name).map(|_| ()),
        FrameChoice::Automatic | FrameChoice::Ground => Ok(()),
    }
}

impl FullOrbit<'_> {
    /// The frame wanted, or the first of the ground and the bodies, in which the linearization is constant; else why it is not
    /// in the frame where it changes least.
    pub(super) fn search(
        &self,
        at: &Instant,
        wanted: &FrameChoice,
    ) -> Result<Result<(Generator, Deviation), Refused>, LinearError> {
        let (model, point) = (self.model, at.point());
        let rates = match wanted {
            FrameChoice::Ground => vec![[0.0; 3]],
            FrameChoice::Body(name) => vec![rate_of(model, point, name)?],
            FrameChoice::Automatic => rates(model, point),
        };
        let mut least: Option<Unsteady> = None;
        let mut certain = true;
        for rate in rates {
            let s = Generator::of_frame(model, point, rate);
            match self.check(&s)? {
                Ok(deviation) => return Ok(Ok((s, deviation))),
                Err(refused) => {
                    certain &= refused.certain;
                    if least.as_ref().is_none_or(|least| refused.why.share() < least.share()) {
                        least = Some(refused.why);
                    }
                }
            }
        }
        // Smaller models are searched on a basis, where each block may have a frame of its own.
        if *wanted == FrameChoice::Automatic && model.nv() > BLOCKS_UP_TO {
            let s = frame_of_velocities(model, point, self.scale)?;
            match self.check(&s)? {
                Ok(deviation) => return Ok(Ok((s, deviation))),
                Err(refused) => certain &= refused.certain,
            }
        }
        let why = least.unwrap_or_else(|| Unsteady::changes(String::new(), 0.0, 0.0));
        Ok(Err(Refused { why, certain }))
    }

    /// A refusal with what is not symmetric in each of the named frames, of which one must have nothing: the weight, where the frame turns
    /// about another axis than its own, or else the force that changes most.
    pub(super) fn naming(&self, why: Unsteady) -> Unsteady {
        let forces = self.model.members().iter().filter(|m| m.rows == 0);
        let entries: usize = forces.map(|m| m.wires.v_index.len().pow(2)).sum();
        if entries > MOST_ENTRIES || why.in_frame_asked {
            return why;
        }
        // The nodes of a shaft that sags turn about axes of their own.
        let rates = each_once(rates(self.model, self.point), |rate| ONE_AXIS * length(rate));
        let worst = |rate: &[f64; 3]| {
            let s = Generator::of_frame(self.model, self.point, *rate);
            let frame = Frame::of(self.model, self.point, &s).to_string();
            let weight = across(self.model.gravity, *rate);
            if weight > ONE_AXIS {
                return Some(Asymmetric { frame, owner: "the weight".to_owned(), share: weight });
            }
            let uneven = Elements::along(self.model, self.point, self.scale, &s).on_all()?;
            let owner = self.model.members()[uneven.member].owner.clone();
            Some(Asymmetric { frame, owner, share: uneven.share })
        };
        Unsteady { asymmetric: rates.iter().take(MOST_FRAMES).filter_map(worst).collect(), ..why }
    }
}

/// Share of gravity across an axis of rotation; 0 without either.
fn across(gravity: [f64; 3], rate: [f64; 3]) -> f64 {
    let sizes = length(gravity) * length(rate);
    if sizes > 0.0 { length(cross(gravity, rate)) / sizes } else { 0.0 }
}

/// Share by which axes of rotation differ that a refusal takes for one.
const ONE_AXIS: f64 = 1e-2;

/// Most entries of elements that are kept to name one: so many hundred bytes at most.
const MOST_ENTRIES: usize = 1_000_000;

/// Most frames that are spoken of.
const MOST_FRAMES: usize = 3;
