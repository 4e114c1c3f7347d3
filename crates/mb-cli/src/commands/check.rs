//! `mb check`: is the model what you meant?
//!
//! Degrees of freedom and redundant constraints at the assembled start, the equilibrium, and
//! the free motions: modes with s = 0, which meet no stiffness.

use crate::Answer;
use crate::args::CheckArgs;
use crate::failure::{Failure, NUMERICS};
use crate::flow::{self, FreeMotion, Settled, Start};
use crate::json;
use crate::names;
use crate::progress::Progress;
use crate::render::{Style, six, summary, tiny};
use crate::source::{Loaded, Text, load};
use mb_constraints::ConstraintRank;
use mb_linear::LinearError;
use mb_model::{Block, BlockKind, Model};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Parts of a zero mode's vector below this share of the largest are not named.
const DOMINANT: f64 = 0.1;
/// Free motions that are listed in words; the document has all.
const LISTED: usize = 40;

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

/// Everything the command found.
#[derive(Debug)]
pub struct Check {
    /// The model.
    pub loaded: Loaded,
    /// What it has.
    pub parts: Vec<Part>,
    /// The assembled start.
    pub start: Start,
    /// Rank of the constraints there.
    pub rank: ConstraintRank,
    /// The equilibrium, or why there is none.
    pub settled: Result<Settled, Failure>,
    /// Zero modes at the equilibrium.
    pub rigid: Option<Vec<RigidMode>>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// The verdict.
    pub verdict: String,
    /// Exit code.
    pub code: u8,
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model or the request; a start that cannot be assembled.
pub fn run(text: &Text, args: &CheckArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    let found = analyse(text, args, progress)?;
    let text = if args.json { json::check::document(&found) } else { render(&found, style) };
    Ok(Answer { text, complaint: String::new(), code: found.code })
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &CheckArgs, progress: Progress) -> Result<Check, Failure> {
    let loaded = load(text, &args.model)?;
    let model = &loaded.model;
    let mut options = crate::start::options(model, &args.start)?;
    options.watch = progress.watch();
    let start = flow::assembled_start(model, &options)?;
    let rank = flow::rank_at(model, &start.q, options.time)?;
    let settled = flow::settle(model, &options).map_err(Failure::from);
    let mut notes = summary::redundancy_notes(&rank);
    let mut rigid = None;
    if let Ok(settled) = &settled {
        match flow::free_motions(model, &settled.operating_point()) {
            Ok(found) => rigid = Some(rigid_modes(model, &found)),
            Err(e) => notes.push(format!("the zero modes could not be found: {e}")),
        }
        if let Ok(there) = flow::rank(model, settled.equilibrium.point())
            && there.rank() != rank.rank()
        {
            notes.push(format!(
                "the rank of the constraints is {} at the start and {} at the equilibrium: one of them is a singular configuration",
                rank.rank(),
                there.rank()
            ));
        }
    }
    notes.extend(summary::moved_note(model, &start));
    let (verdict, code) = verdict(&rank, &settled);
    Ok(Check { parts: parts(model), start, rank, settled, rigid, notes, verdict, code, loaded })
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
fn rigid_modes(model: &Model, found: &[FreeMotion]) -> Vec<RigidMode> {
    let coordinates = names_by_body(model);
    let mode = |motion: &FreeMotion| {
        let moving = motion.amplitudes.iter().map(|(i, a)| (coordinates[*i].clone(), a.abs()));
        let mut dominant: Vec<(String, f64)> = moving.filter(|(_, a)| *a > DOMINANT).collect();
        dominant.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut told = HashSet::new();
        dominant.retain(|(name, _)| told.insert(name.clone()));
        RigidMode { dominant, drifting: motion.drifting }
    };
    found.iter().map(mode).collect()
}

fn verdict(rank: &ConstraintRank, settled: &Result<Settled, Failure>) -> (String, u8) {
    match settled {
        Err(Failure::Linear(e @ LinearError::NoEquilibrium { .. })) => {
            (format!("no equilibrium, so there is nothing to linearize at. {e}"), NUMERICS)
        }
        Err(e) => (e.to_string(), e.exit_code()),
        Ok(_) if rank.degrees_of_freedom() == 0 => {
            ("a structure without freedom to move: it has no modes".to_owned(), 0)
        }
        Ok(_) => {
            let redundant = rank.redundant.len();
            let but = if redundant == 0 {
                String::new()
            } else {
                format!(
                    ", with {}",
                    names::count(redundant, "redundant constraint row", "redundant constraint rows")
                )
            };
            (format!("ready for `mb modes`{but}"), 0)
        }
    }
}

fn render(found: &Check, style: Style) -> String {
    let model = &found.loaded.model;
    let mut out = summary::heading(&found.loaded, &found.rank, style);
    let parts: Vec<String> =
        found.parts.iter().map(|p| names::count(p.count, &p.kind, &plural(&p.kind))).collect();
    let _ = writeln!(out, "{}", parts.join(", "));
    let decision = &found.rank.decision;
    let figure = |x: Option<f64>| x.map_or_else(|| "none".to_owned(), tiny);
    let _ = writeln!(
        out,
        "rank: smallest pivot kept {}, largest dropped {}",
        figure(decision.smallest_kept),
        figure(decision.largest_dropped)
    );
    let start = match found.start.violation {
        Some((row, violation)) if violation > 1e-9 => format!(
            "{} is violated by {}; assembly moves it by {}",
            model.row_name(row),
            six(violation),
            six(found.start.moved)
        ),
        Some(_) => "satisfies the constraints".to_owned(),
        None => "nothing to assemble, there are no constraints".to_owned(),
    };
    let _ = writeln!(out, "start: {start}");
    if !found.start.not_kept.is_empty() {
        let _ = writeln!(
            out,
            "start: the constraints do not allow the given values of {}",
            found.start.not_kept.join(", ")
        );
    }
    if let Ok(settled) = &found.settled {
        out.push_str(&summary::equilibrium_line(settled, style));
    }
    if let Some(rigid) = &found.rigid {
        let _ = writeln!(
            out,
            "free motions (s = 0): {}",
            if rigid.is_empty() { "none".to_owned() } else { rigid.len().to_string() }
        );
        for mode in rigid.iter().take(LISTED) {
            let coordinates: Vec<String> =
                mode.dominant.iter().take(6).map(|(c, a)| format!("{c} ({a:.2})")).collect();
            let more = mode.dominant.len().saturating_sub(6);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let drifts = if mode.drifting { "" } else { ", comes to rest by damping" };
            let _ = writeln!(out, "  {}{more}{drifts}", coordinates.join(", "));
        }
        if rigid.len() > LISTED {
            let _ = writeln!(out, "  and {} more (--json lists all)", rigid.len() - LISTED);
        }
    }
    let list = |what: &str, names: &[String]| {
        if names.is_empty() { format!("{what}: none\n") } else { format!("{what}: {}\n", names.join(", ")) }
    };
    out.push_str(&list("inputs", model.inputs()));
    let outputs: Vec<String> = model.sensors().iter().map(|s| s.name.clone()).collect();
    out.push_str(&list("outputs", &outputs));
    out.push_str(&summary::notes(&found.notes, style));
    let verdict = if found.code == 0 { found.verdict.clone() } else { style.red(&found.verdict) };
    let _ = writeln!(out, "{} {verdict}", style.bold("verdict:"));
    out
}

fn plural(kind: &str) -> String {
    if kind.ends_with("body") { format!("{}ies", kind.trim_end_matches('y')) } else { format!("{kind}s") }
}
