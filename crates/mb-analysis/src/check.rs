//! Is the model what was meant: what it has, its degrees of freedom, redundant constraints, equilibrium and free motions.

use crate::determined;
use crate::error::AnalysisError;
use crate::free::{FreeMotion, free_motions};
use crate::settle::{Settled, Start, StartOptions, assembled_start, settle};
use crate::spectra::{rank, rank_at};
use mb_algebra::sorted::descending;
use mb_constraints::ConstraintRank;
use mb_eigen::Finding;
use mb_linear::{Equilibrium, OperatingPoint};
use mb_model::{Block, BlockKind, Model};
use std::collections::HashSet;

/// Parts of a zero mode's vector below this share of the largest are not named.
const DOMINANT: f64 = 0.1;

/// A zero mode with the coordinates that move in it.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidMode {
    /// Coordinates with their amplitudes, the largest one; of the nodes of a beam, the one that moves most, as `beam.x`.
    pub dominant: Vec<(String, f64)>,
    /// True when the motion goes on at constant speed: the zero is double with one vector.
    pub drifting: bool,
}

/// A kind of thing in the model and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// `body`, `rod`, `joint` ...
    pub kind: String,
    /// How many.
    pub count: usize,
}

/// What a check finds.
#[derive(Debug)]
pub struct Checked {
    /// What the model has.
    pub parts: Vec<Part>,
    /// The assembled start.
    pub start: Start,
    /// Rank of the constraints there.
    pub rank: ConstraintRank,
    /// The equilibrium, or why there is none.
    pub settled: Result<Settled, AnalysisError>,
    /// Zero modes at the equilibrium, or why they could not be found; without an equilibrium those of the start without loads, and none
    /// where that is no state of rest.
    pub rigid: Option<Result<Vec<RigidMode>, AnalysisError>>,
    /// Rank of the constraints at the equilibrium, where it is another one than at the start: one of the two is a singular
    /// configuration.
    pub other_rank: Option<usize>,
    /// The finding that the spectrum at the equilibrium is not determined; none where it is.
    pub undetermined: Option<Finding>,
    /// Why gravity has no effect, where it acts across the plane in which everything moves.
    pub idle_gravity: Option<String>,
}

/// Checks a model.
///
/// # Errors
/// A start that cannot be assembled. No equilibrium is a result.
pub fn check(model: &Model, options: &StartOptions) -> Result<Checked, AnalysisError> {
    let start = assembled_start(model, options)?;
    let first = rank_at(model, &start.q, options.time)?;
    let settled = settle(model, options);
    let (mut other_rank, mut undetermined) = (None, None);
    let rigid;
    if let Ok(settled) = &settled {
        rigid = Some(free_motions(model, &settled.operating_point()).map(|found| rigid_modes(model, &found)));
        let there = rank(model, settled.equilibrium.point()).map(|r| r.rank());
        other_rank = there.ok().filter(|r| *r != first.rank());
        undetermined = determined::undetermined(model, &settled.operating_point())?;
    } else {
        let unloaded = model.under_loads(0.0);
        let rest = Equilibrium::verify(&unloaded, start.q.clone(), &options.equilibrium());
        rigid = rest.ok().map(|rest| {
            let found = free_motions(&unloaded, &OperatingPoint::from(&rest));
            found.map(|found| rigid_modes(model, &found))
        });
    }
    let (parts, idle_gravity) = (parts(model), idle_gravity(model));
    Ok(Checked { parts, start, rank: first, settled, rigid, other_rank, undetermined, idle_gravity })
}

/// What is to be said of gravity that nothing in the model feels.
pub fn idle_gravity(model: &Model) -> Option<String> {
    let planar =
        |b: &Block| matches!(b.kind, BlockKind::PlanarPoint | BlockKind::PlanarPose | BlockKind::Angle);
    let [x, y, z] = model.gravity;
    let across = x == 0.0 && y == 0.0 && z != 0.0 && model.coordinates().blocks().iter().all(planar);
    across.then(|| {
        format!("gravity = [0, 0, {z}] acts across the plane in which everything moves and has no effect; along y it is [0, {z}]")
    })
}

/// Counts what the model has, by the first word of the owners' names.
fn parts(model: &Model) -> Vec<Part> {
    let blocks = model.coordinates().blocks().iter().map(|b| match b.kind {
        BlockKind::Pose if beam_of(b).is_some() => "beam node".to_owned(),
        BlockKind::PlanarPoint => "moving point".to_owned(),
        BlockKind::PlanarPose | BlockKind::Pose => "moving body".to_owned(),
        BlockKind::SpatialPoint => "solid node".to_owned(),
        BlockKind::Angle => "angle".to_owned(),
        BlockKind::ElasticNode => "elastic node".to_owned(),
        BlockKind::Displacement => "displaced node".to_owned(),
        BlockKind::Vector(_) => "elastic block".to_owned(),
    });
    // What is held of a solid is named after it: `solid 'block' node 12`.
    let named = |owner: &'_ str| owner.match_indices('\'').nth(1).map_or(owner.len(), |(i, _)| i + 1);
    let mut owners: Vec<&str> = model.members().iter().map(|m| &m.owner[..named(&m.owner)]).collect();
    owners.dedup();
    owners.sort_unstable();
    owners.dedup();
    let kinds = owners.into_iter().filter_map(|o| o.split(" '").next()).map(str::to_owned);
    let mut out: Vec<Part> = Vec::new();
    for kind in
        blocks.chain(kinds.filter(|k| !matches!(k.as_str(), "point" | "body" | "spatial-body" | "angle")))
    {
        match out.iter_mut().find(|p| p.kind == kind) {
            Some(part) => part.count += 1,
            None => out.push(Part { kind, count: 1 }),
        }
    }
    out
}

/// The beam that a block is a node of.
fn beam_of(block: &Block) -> Option<&str> {
    block.name.rsplit_once('[').map(|(beam, _)| beam).filter(|_| block.kind == BlockKind::Pose)
}

/// Names of the velocities, with one name for an axis of all nodes of a beam.
fn names_by_body(model: &Model) -> Vec<String> {
    let blocks = model.coordinates().blocks().iter();
    let names = blocks.flat_map(|b| {
        let body = beam_of(b).unwrap_or(&b.name);
        (0..b.kind.nv()).map(move |i| format!("{body}.{}", b.kind.axis(i)))
    });
    names.collect()
}

/// The free motions by name; of the nodes of a beam the one that moves most.
pub(crate) fn rigid_modes(model: &Model, found: &[FreeMotion]) -> Vec<RigidMode> {
    let coordinates = names_by_body(model);
    let mode = |motion: &FreeMotion| {
        let moving = motion.amplitudes.iter().map(|(i, a)| (coordinates[*i].clone(), a.abs()));
        let mut dominant: Vec<(String, f64)> = moving.filter(|(_, a)| *a > DOMINANT).collect();
        descending(&mut dominant, |a| a.1);
        let mut told = HashSet::new();
        dominant.retain(|(name, _)| told.insert(name.clone()));
        RigidMode { dominant, drifting: motion.drifting }
    };
    found.iter().map(mode).collect()
}
