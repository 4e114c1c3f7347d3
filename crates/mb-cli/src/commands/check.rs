//! `mb check`: is the model what you meant?
//!
//! Degrees of freedom and redundant constraints at the assembled start, the equilibrium, and
//! the free motions: modes with s = 0, which meet no stiffness.

use crate::Answer;
use crate::args::CheckArgs;
use crate::failure::{Failure, NUMERICS};
use crate::flow::check::{Part, RigidMode};
use crate::flow::{self, Settled, Start};
use crate::json;
use crate::names;
use crate::progress::Progress;
use crate::render::{Style, six, summary, tiny};
use crate::source::{Loaded, Text, load};
use mb_constraints::ConstraintRank;
use mb_linear::LinearError;
use std::fmt::Write as _;

/// Free motions that are listed in words; the document has all.
const LISTED: usize = 40;

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
    /// Zero modes at the equilibrium; without one, those of the start without loads.
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
    let checked = flow::check::check(model, &options)?;
    let mut notes = summary::redundancy_notes(&checked.rank);
    let rigid = checked.rigid.and_then(|found| match found {
        Ok(modes) => Some(modes),
        Err(e) => {
            notes.push(format!("the zero modes could not be found: {e}"));
            None
        }
    });
    if let Some(there) = checked.other_rank {
        notes.push(format!(
            "the rank of the constraints is {} at the start and {there} at the equilibrium: one of them is a singular configuration",
            checked.rank.rank()
        ));
    }
    notes.extend(checked.idle_gravity);
    let (start, rank, parts) = (checked.start, checked.rank, checked.parts);
    let settled = checked.settled.map_err(Failure::from);
    notes.extend(summary::moved_note(model, &start.before, &start.q));
    notes.extend(flow::speeds_aside(model, "mb modes --moving takes them"));
    let (verdict, code) = match checked.undetermined {
        Some(finding) => (format!("nothing to linearize at. {finding}"), NUMERICS),
        None => verdict(&rank, &settled),
    };
    Ok(Check { loaded, parts, start, rank, settled, rigid, notes, verdict, code })
}

fn verdict(rank: &ConstraintRank, settled: &Result<Settled, Failure>) -> (String, u8) {
    match settled {
        Err(Failure::Linear(
            e @ (LinearError::NoEquilibrium { .. }
            | LinearError::Falls { .. }
            | LinearError::Turns { .. }
            | LinearError::TurnedOver { .. }),
        )) => (format!("nothing to linearize at. {e}"), NUMERICS),
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
            "{} is violated by {}; assembly moves the coordinates by {}{}",
            model.row_name(row),
            six(violation),
            six(found.start.moved),
            summary::furthest(model, &found.start.before, &found.start.q)
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
        let at = if found.settled.is_ok() { "" } else { " at the start without its loads" };
        let _ = writeln!(
            out,
            "free motions{at} (s = 0): {}",
            if rigid.is_empty() { "none".to_owned() } else { rigid.len().to_string() }
        );
        for mode in rigid.iter().take(LISTED) {
            let coordinates: Vec<String> =
                mode.dominant.iter().take(6).map(|(c, a)| format!("{c} ({a:.2})")).collect();
            let more = mode.dominant.len().saturating_sub(6);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let drifts = match (mode.drifting, model.has_velocity_rows()) {
                (true, _) => "",
                (false, false) => ", comes to rest by damping",
                (false, true) => ", does not drift: rows without slip, or damping, take its speed",
            };
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
