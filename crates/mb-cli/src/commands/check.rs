//! `mb check`: is the model what you meant?
//!
//! Degrees of freedom and redundant constraints at the assembled start, the equilibrium, and
//! the free motions: modes with s = 0, which meet no stiffness.

use crate::Answer;
use crate::args::CheckArgs;
use crate::failure::{Failure, NUMERICS};
use crate::flow::{self, FormulationSpectrum, Settled, Start, part};
use crate::json;
use crate::names;
use crate::render::{Style, six, summary, tiny};
use crate::source::{Loaded, Text, load};
use mb_algebra::{dense, norms};
use mb_constraints::{ConstraintRank, NullSpaceMethod};
use mb_eigen::pairing::mac;
use mb_eigen::sparse::{Request, SparseOptions};
use mb_eigen::{Class, Eigenpair, Spectrum};
use mb_linear::{Formulation, LinearError};
use mb_model::{Block, BlockKind, Model, Point};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Parts of a zero mode's vector below this share of the largest are not named.
const DOMINANT: f64 = 0.1;
/// Parts of the loads below this share of the largest push along no free motion.
const PUSH: f64 = 1e-8;

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
pub fn run(text: &Text, args: &CheckArgs, style: Style) -> Result<Answer, Failure> {
    let found = analyse(text, args)?;
    let text = if args.json { json::check::document(&found) } else { render(&found, style) };
    Ok(Answer { text, complaint: String::new(), code: found.code })
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &CheckArgs) -> Result<Check, Failure> {
    let loaded = load(text, &args.model)?;
    let model = &loaded.model;
    let options = crate::start::options(model, &args.start)?;
    let start = flow::assembled_start(model, &options)?;
    let rank = flow::rank_at(model, &start.q, options.time)?;
    let settled = flow::settle(model, &options).map_err(Failure::from);
    let mut notes = summary::redundancy_notes(&rank);
    let mut rigid = None;
    if let Ok(settled) = &settled {
        match lowest_or_all(model, settled) {
            Ok(result) => rigid = Some(rigid_modes(model, &result.spectrum)),
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
    if let Err(Failure::Linear(LinearError::NoEquilibrium { .. })) = &settled {
        notes.extend(pushed_motion(model, &start, &options));
    }
    let (verdict, code) = verdict(&rank, &settled);
    Ok(Check { parts: parts(model), start, rank, settled, rigid, notes, verdict, code, loaded })
}

/// Says along which free motion of the unloaded model at its start the loads push, where they do.
fn pushed_motion(model: &Model, start: &Start, options: &flow::StartOptions) -> Option<String> {
    let unloaded = model.under_loads(0.0);
    let given = start.q.iter().copied().enumerate().collect();
    let there = flow::StartOptions { given, solve: false, ..options.clone() };
    let settled = flow::settle(&unloaded, &there).ok()?;
    let found = lowest_or_all(&unloaded, &settled).ok()?;
    let point = Point { lambda: vec![0.0; model.nc()], ..settled.equilibrium.point().clone() };
    let load = model.residual(&point);
    // The part of the loads in the space of the free motions, whose vectors are made orthonormal.
    let mut space: Vec<Vec<f64>> = Vec::new();
    let mut push = vec![0.0; model.nv()];
    for pair in found.spectrum.of_class(Class::Rigid) {
        let mut x: Vec<f64> = pair.right.iter().map(|z| z.re).collect();
        let length = norms::two(&x);
        for y in &space {
            let along = dense::dot(&x, y);
            add(&mut x, y, -along);
        }
        let left = norms::two(&x);
        if left > 1e-6 * length {
            for x in &mut x {
                *x /= left;
            }
            add(&mut push, &x, dense::dot(&x, &load));
            space.push(x);
        }
    }
    let size = norms::max_abs_vec(&push);
    if size.is_nan() || size <= PUSH * norms::max_abs_vec(&load) {
        return None;
    }
    let moved: Vec<String> = dominant(&names_by_body(model), &push)
        .iter()
        .take(6)
        .map(|(name, amplitude)| format!("{name} ({amplitude:.2})"))
        .collect();
    Some(format!("the loads push along a motion that nothing holds at the start: {}", moved.join(", ")))
}

fn add(x: &mut [f64], y: &[f64], by: f64) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += by * y);
}

/// Modes among which the free motions are: all, or of a large model those of lowest frequency.
fn lowest_or_all(model: &Model, settled: &Settled) -> Result<FormulationSpectrum, Failure> {
    if model.nv() + model.nc() > part::DENSE_UP_TO {
        let request = Request::Lowest { count: part::LOWEST };
        return Ok(part::of_model(model, &settled.operating_point(), request, &SparseOptions::default())?);
    }
    Ok(flow::spectrum(model, &settled.operating_point(), &Formulation::Minimal(NullSpaceMethod::Qr))?)
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

/// The zero modes with vectors of their own.
fn rigid_modes(model: &Model, spectrum: &Spectrum) -> Vec<RigidMode> {
    let coordinates = names_by_body(model);
    let mut distinct: Vec<&Eigenpair> = Vec::new();
    for pair in spectrum.of_class(Class::Rigid) {
        // The second root of a double zero comes with the same vector.
        if distinct.iter().all(|d| mac(&d.right, &pair.right) < 1.0 - 1e-9) {
            distinct.push(pair);
        }
    }
    // Motions that go on and those that damping stops are not mixed.
    let mut out = Vec::new();
    for drifting in [true, false] {
        let vectors = distinct.iter().filter(|pair| (pair.chain > 1) == drifting);
        let vectors: Vec<Vec<f64>> = vectors.map(|pair| pair.right.iter().map(|z| z.re).collect()).collect();
        let modes = separated(vectors).into_iter();
        out.extend(modes.map(|x| RigidMode { dominant: dominant(&coordinates, &x), drifting }));
    }
    out
}

/// The coordinates that move most in `x`, with their amplitudes, the largest 1.
fn dominant(coordinates: &[String], x: &[f64]) -> Vec<(String, f64)> {
    let largest = x.iter().fold(f64::MIN_POSITIVE, |m, a| m.max(a.abs()));
    let mut dominant: Vec<(String, f64)> = coordinates
        .iter()
        .zip(x)
        .map(|(c, a)| (c.clone(), a.abs() / largest))
        .filter(|(_, amplitude)| *amplitude > DOMINANT)
        .collect();
    dominant.sort_by(|a, b| b.1.total_cmp(&a.1));
    // Of a beam's nodes the one that moves most.
    let mut told = HashSet::new();
    dominant.retain(|(name, _)| told.insert(name.clone()));
    dominant
}

/// Other vectors of the same span, each with an entry 1 where all others have 0, so that bodies that move by themselves
/// are told apart: Gauss-Jordan elimination with complete pivoting.
fn separated(mut vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for done in 0..vectors.len() {
        let entries = vectors.iter().enumerate().skip(done);
        let entries = entries.flat_map(|(v, x)| x.iter().enumerate().map(move |(i, a)| (v, i, a.abs())));
        let Some((v, i, size)) = entries.max_by(|a, b| a.2.total_cmp(&b.2)) else { break };
        if size == 0.0 {
            break;
        }
        vectors.swap(done, v);
        let scale = vectors[done][i];
        vectors[done].iter_mut().for_each(|a| *a /= scale);
        let pivot = vectors[done].clone();
        for (_, x) in vectors.iter_mut().enumerate().filter(|(v, _)| *v != done) {
            let factor = x[i];
            x.iter_mut().zip(&pivot).for_each(|(a, p)| *a -= factor * p);
        }
    }
    vectors
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
        for mode in rigid {
            let coordinates: Vec<String> =
                mode.dominant.iter().take(6).map(|(c, a)| format!("{c} ({a:.2})")).collect();
            let more = mode.dominant.len().saturating_sub(6);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let drifts = if mode.drifting { "" } else { ", comes to rest by damping" };
            let _ = writeln!(out, "  {}{more}{drifts}", coordinates.join(", "));
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
