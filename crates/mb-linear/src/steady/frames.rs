//! Frames that have a name, the ground's and those of the bodies, and what is not symmetric in each.

use super::full::FullOrbit;
use super::generator::{Generator, in_ground, length};
use super::scale::{self, Scale};
use super::tiles::{Tiled, Tiling};
use super::verdict::Asymmetric;
use super::{Deviation, Frame, FrameChoice, STEADY, Unsteady};
use crate::error::LinearError;
use crate::point::Instant;
use mb_model::{BlockKind, Model, Point};
use std::collections::BTreeSet;

/// Angular velocities in rad/s (ground's axes) of the ground and of the bodies, each once.
pub(super) fn named_rates(model: &Model, point: &Point, scale: &Scale) -> Vec<[f64; 3]> {
    let mut out = vec![[0.0; 3]];
    for block in model.coordinates().blocks() {
        let rate = in_ground(block, point);
        let off = |a: &[f64; 3]| length([a[0] - rate[0], a[1] - rate[1], a[2] - rate[2]]);
        if out.iter().all(|a| off(a) > 1e-9 * scale.speed) {
            out.push(rate);
        }
    }
    out
}

/// The angular velocity of a body by name.
pub(super) fn rate_of(model: &Model, point: &Point, name: &str) -> Result<[f64; 3], LinearError> {
    let turns = |k: BlockKind| matches!(k, BlockKind::Pose | BlockKind::PlanarPose);
    let blocks = model.coordinates().blocks();
    let bodies = || blocks.iter().filter(|b| turns(b.kind));
    match bodies().find(|b| b.name == name) {
        Some(block) => Ok(in_ground(block, point)),
        None => Err(LinearError::NoSuchBody {
            name: name.to_owned(),
            known: bodies().map(|b| b.name.clone()).collect(),
        }),
    }
}

/// Refuses the frame of a body that there is not.
pub(crate) fn check_frame(model: &Model, point: &Point, frame: &FrameChoice) -> Result<(), LinearError> {
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
    ) -> Result<Result<(Generator, Deviation), Unsteady>, LinearError> {
        let (model, point) = (self.model, at.point());
        let rates = match wanted {
            FrameChoice::Ground => vec![[0.0; 3]],
            FrameChoice::Body(name) => vec![rate_of(model, point, name)?],
            FrameChoice::Automatic => named_rates(model, point, self.scale),
        };
        let mut least: Option<Unsteady> = None;
        for rate in rates {
            let s = Generator::of_frame(model, point, rate);
            match self.check(&s)? {
                Ok(deviation) => return Ok(Ok((s, deviation))),
                Err(why) if least.as_ref().is_none_or(|l| why.share() < l.share()) => least = Some(why),
                Err(_) => {}
            }
        }
        Ok(Err(least.unwrap_or_else(|| Unsteady::changes(String::new(), 0.0, 0.0))))
    }

    /// A refusal with the forces that are not symmetric in each of the named frames: one of them has to be, in all.
    pub(super) fn naming(&self, why: Unsteady) -> Unsteady {
        let owners: BTreeSet<&str> =
            self.model.members().iter().filter(|m| m.rows == 0).map(|m| m.owner.as_str()).collect();
        if owners.len() > MOST_OWNERS {
            return why;
        }
        let rates = named_rates(self.model, self.point, self.scale);
        let worst = |rate: &[f64; 3]| {
            let s = Generator::of_frame(self.model, self.point, *rate);
            let all = owners.iter().map(|owner| (self.asymmetry(owner, &s), *owner));
            let (share, owner) = all.filter(|x| x.0 > STEADY).max_by(|a, b| a.0.total_cmp(&b.0))?;
            let frame = Frame::of(self.model, self.point, &s).to_string();
            Some(Asymmetric { frame, owner: owner.to_owned(), share })
        };
        Unsteady { asymmetric: rates.iter().take(MOST_FRAMES).filter_map(worst).collect(), ..why }
    }
    /// By what share the blocks of one owner's forces change along the orbit of `s`.
    fn asymmetry(&self, owner: &str, s: &Generator) -> f64 {
        let alone = self.model.forces_of(owner);
        let point = Point { lambda: Vec::new(), ..self.point.clone() };
        let tiling = Tiling::new(s);
        let tiled = |point: &Point, like: Option<&[Tiled; 3]>| -> [Tiled; 3] {
            let b = alone.blocks(point);
            let mut k = 0;
            [&b.m, &b.c, &b.k].map(|x| {
                k += 1;
                tiling.tiled(x, like.map(|l| &l[k - 1]))
            })
        };
        let first = tiled(&point, None);
        let mut largest = first.clone();
        let mut worst = 0.0_f64;
        for time in scale::times(self.scale, s, 2) {
            let mut now = tiled(&s.along(&point, time), Some(&first));
            let rotations = s.tile_rotations(time);
            for (order, x) in now.iter_mut().enumerate() {
                Tiling::turned(x, &rotations);
                let unit = self.scale.unit(order);
                worst = worst
                    .max(tiling.compare(&first[order], x, unit, &self.scale.full, &mut largest[order]).1);
            }
        }
        worst
    }
}

/// Most owners of forces that are looked at one by one.
const MOST_OWNERS: usize = 200;

/// Most frames that are spoken of.
const MOST_FRAMES: usize = 3;
