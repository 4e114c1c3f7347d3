//! Steady motions with velocity rows: rolling straight ahead, rolling in a circle.
//!
//! The system on the admissible velocities (`velocity_rows.rs`) is made of orthogonal projections, so that along the orbit of a
//! generator it turns with E = exp(S t) as M, C and K do:
//!
//! ```text
//! E^T X(t) E = X(0) for its three matrices,   E^T N(t) E = N(0) for the projector on the position rows
//! ```
//!
//! with multipliers solved for at every point. These are the very matrices whose eigenvalues are computed, so that their changes
//! are what the error bounds need. Frames that are checked: the ground's, those of the bodies, and those in which a body that
//! moves on a circle stands still, W = v x a / |v|^2.

use super::elements::Elements;
use super::frames::{rate_of, rates};
use super::generator::{Generator, length};
use super::holding::multipliers;
use super::scale::{self, Scale};
use super::{Deviation, FrameChoice, STEADY, Unsteady, body_of};
use crate::error::LinearError;
use crate::point::Instant;
use crate::velocity_rows::{Admissible, Left, Unreduced};
use mb_algebra::{Dense, RankQr, RankTolerance, to_sparse};
use mb_model::system::Blocks;
use mb_model::{BlockKind, Model, Point};

/// What shows a motion to be steady, with the system at its point.
pub(super) struct Shown {
    pub(super) deviation: Deviation,
    pub(super) system: Admissible,
}

/// Looks for the frame of a steady motion of a model with velocity rows.
pub(super) struct RollingOrbit<'a> {
    pub(super) model: &'a Model,
    pub(super) at: &'a Instant,
    /// The model's own blocks there.
    pub(super) blocks: Blocks<Dense>,
    pub(super) scale: &'a Scale,
    pub(super) phases: u32,
    /// The size of the forces at work.
    pub(super) forces: f64,
}

impl RollingOrbit<'_> {
    /// The frame wanted, or the first of those checked in which the system is constant.
    ///
    /// # Errors
    /// [`LinearError::NotSteady`] of the frame in which it changes least, [`LinearError::HoldingRows`].
    pub(super) fn search(&self, wanted: &FrameChoice) -> Result<(Generator, Shown), LinearError> {
        let (model, point) = (self.model, self.at.point());
        let rates = match wanted {
            FrameChoice::Ground => vec![[0.0; 3]],
            FrameChoice::Body(name) => vec![rate_of(model, point, name)?],
            FrameChoice::Automatic => {
                let mut rates = rates(model, point);
                rates.splice(1..1, circles(model, point));
                rates
            }
        };
        let mut least: Option<Unsteady> = None;
        for rate in rates {
            let s = Generator::of_frame(model, point, rate);
            match self.check(&s)? {
                Ok(shown) => return Ok((s, shown)),
                Err(why) if least.as_ref().is_none_or(|l| why.share() < l.share()) => least = Some(why),
                Err(_) => {}
            }
        }
        let why = least.unwrap_or_else(|| Unsteady::changes(String::new(), 0.0, 0.0));
        Err(LinearError::NotSteady(Box::new(why)))
    }
    fn check(&self, s: &Generator) -> Result<Result<Shown, Unsteady>, LinearError> {
        let (model, point) = (self.model, self.at.point());
        if let Err(unsteady) = super::carried_by(model, point, self.scale, s) {
            return Ok(Err(unsteady));
        }
        let start = Unreduced::of(model, point, Some(s), self.blocks.clone());
        let first = Admissible::of(&start, point, None)?;
        if first.holding > STEADY {
            return Err(holding_rows(model, first.rank));
        }
        let n = model.nv();
        let rank = RankQr::new(&start.blocks.phi_q, RankTolerance::default())?.rank();
        let before = match first.carried(&start, STEADY)? {
            Ok(blocks) => blocks,
            Err(left) => return Ok(Err(breaks(model, &left, 0.0))),
        };
        // What the blocks are off by from the start moves eigenvalues as what they change along the orbit does.
        let mut largest = first.rounding.clone();
        let (mut relative, mut points) = (0.0_f64, 0);
        for time in scale::times(self.scale, s, self.phases) {
            let mut there = s.along(point, time);
            if let Err(unsteady) = super::constraints_hold(model, &there, self.scale.speed, time) {
                return Ok(Err(unsteady));
            }
            let (lambda, rest) = multipliers(model, &there)?;
            there.lambda = lambda;
            if let Some((i, worst)) = mb_constraints::largest(&rest)
                && (worst.is_nan() || worst > STEADY * self.forces)
            {
                return Ok(Err(Unsteady::changes(body_of(model, i), worst / self.forces, time)));
            }
            let now = Unreduced::new(model, &there, Some(s)).turned_back(s, time);
            let lost = rank.saturating_sub(RankQr::new(&now.blocks.phi_q, RankTolerance::default())?.rank());
            if lost > 0 {
                return Ok(Err(Unsteady::breaks("the position constraints".to_owned(), 1.0, time)));
            }
            let now = match first.carried(&now, STEADY)? {
                Ok(blocks) => blocks,
                Err(left) => return Ok(Err(breaks(model, &left, time))),
            };
            let mut worst = (0, 0.0);
            for order in 0..3 {
                let unit = self.scale.unit(order);
                for j in 0..n {
                    for i in 0..n {
                        let off = (now[order][(i, j)] - before[order][(i, j)]).abs();
                        let rounding = first.rounding[order][(i, j)];
                        largest[order][(i, j)] = largest[order][(i, j)].max(rounding + off);
                        // Rounding at both points, of weights next to the forces of inertia of a slow motion, is no change; it is in the bounds.
                        let of_weights = if order == 2 { first.of_multipliers(i, j) } else { 0.0 };
                        let off = if off <= 2.0 * rounding.max(of_weights) { 0.0 } else { off };
                        let share = off * unit / (self.scale.full[i] * self.scale.full[j]);
                        // A NaN is taken too.
                        if share > worst.1 || share.is_nan() {
                            worst = (i, share);
                        }
                    }
                }
            }
            if worst.1.is_nan() || worst.1 > STEADY {
                return Ok(Err(Unsteady::changes(body_of(model, worst.0), worst.1, time)));
            }
            relative = relative.max(worst.1);
            points += 1;
        }
        // On coordinates that rows hold the projections may make up for what an element changes.
        let uneven = Elements::along(model, point, self.scale, s).on_all();
        let free = |i: usize| (0..self.blocks.phi_q.nrows()).all(|row| self.blocks.phi_q[(row, i)] == 0.0);
        if let Some(uneven) = uneven.filter(|u| free(u.coordinate)) {
            return Ok(Err(uneven.refusal(model)));
        }
        let deviation = Deviation::full(largest.map(|x| to_sparse(&x)), relative, points);
        Ok(Ok(Shown { deviation, system: first }))
    }
}

fn breaks(model: &Model, left: &Left, time: f64) -> Unsteady {
    let velocity = model.velocity_rows();
    let mut of_kind = (0..velocity.len()).filter(|i| velocity[*i] != left.position);
    let name = of_kind.nth(left.row).map_or_else(String::new, |i| model.row_name(i));
    Unsteady::breaks(name, left.share, time)
}

/// The velocity rows whose part of A the position rows and other velocity rows have already, so that they hold the configuration.
fn holding_rows(model: &Model, rank: usize) -> LinearError {
    let velocity = model.velocity_rows();
    let names: Vec<String> =
        (0..velocity.len()).filter(|i| velocity[*i]).map(|i| model.row_name(i)).collect();
    LinearError::HoldingRows { rank, count: names.len(), names }
}

/// The rates of frames in which a body that moves on a circle stands still, each once.
fn circles(model: &Model, point: &Point) -> Vec<[f64; 3]> {
    let mut out: Vec<[f64; 3]> = Vec::new();
    for b in model.coordinates().blocks() {
        if !matches!(b.kind, BlockKind::Pose | BlockKind::SpatialPoint) {
            continue;
        }
        let of = |x: &[f64]| [x[b.v], x[b.v + 1], x[b.v + 2]];
        let (v, a) = (of(&point.v), of(&point.a));
        let (speed, pull) = (length(v), length(a));
        if speed == 0.0 || pull == 0.0 {
            continue;
        }
        let cross = [v[1] * a[2] - v[2] * a[1], v[2] * a[0] - v[0] * a[2], v[0] * a[1] - v[1] * a[0]];
        let rate = cross.map(|x| x / (speed * speed));
        let off = |w: &[f64; 3]| length([w[0] - rate[0], w[1] - rate[1], w[2] - rate[2]]);
        if out.iter().all(|w| off(w) > 1e-9 * length(rate)) {
            out.push(rate);
        }
    }
    out
}
