//! What every answer begins with: the model, where it is, what is redundant.

use super::{Column, Style, Table, six, tiny};
use crate::flow::{self, Moving, Settled, Site, Start};
use crate::names;
use crate::source::Loaded;
pub use mb_analysis::names::coordinates;
pub use mb_analysis::number::rounding;
use mb_constraints::ConstraintRank;
use mb_linear::Stability;
use mb_model::{Model, Point};
use std::fmt::Write as _;

/// Configurations up to this many numbers are shown with the modes.
const SHORT: usize = 12;

/// Name, file and sizes of the model.
pub fn heading(loaded: &Loaded, rank: &ConstraintRank, style: Style) -> String {
    let mut out = style.bold(&loaded.model.name);
    let _ = write!(out, " {}", style.dim(&format!("({})", loaded.file)));
    if !loaded.set.is_empty() {
        let set: Vec<String> = loaded.set.iter().map(ToString::to_string).collect();
        let _ = write!(out, " with {}", set.join(", "));
    }
    let _ = writeln!(
        out,
        "\n{}, {} of rank {}, {}",
        names::count(rank.velocities, "coordinate", "coordinates"),
        names::count(rank.rows, "constraint row", "constraint rows"),
        rank.rank(),
        names::count(rank.degrees_of_freedom(), "degree of freedom", "degrees of freedom"),
    );
    out
}

/// How the equilibrium was found, and whether it is stable.
pub fn equilibrium_line(settled: &Settled, style: Style) -> String {
    let e = &settled.equilibrium;
    let how = match &settled.start {
        None if e.found_by == "given" => "as given".to_owned(),
        _ => format!("by {} in {}", e.found_by, names::count(e.iterations, "iteration", "iterations")),
    };
    let directions = |n| names::count(n, "direction", "directions");
    let stability = match settled.stability {
        Stability::Unstable { directions: n } => style.red(&format!("unstable in {}", directions(n))),
        Stability::Neutral { directions: n } => format!("neutral in {}", directions(n)),
        other => other.to_string(),
    };
    let t = e.point().t;
    let when = if t == 0.0 { String::new() } else { format!(" at t = {} s", six(t)) };
    let elsewhere = matches!(settled.stability, Stability::Unstable { .. })
        && settled.start.is_some()
        && e.found_by == "Newton";
    let hint = if elsewhere {
        "  (stable ones: --strategy relaxation slides to one, mb equilibrium --find-all 20 searches)\n"
    } else {
        ""
    };
    format!("equilibrium{when}: {stability}; {how}, residual {}\n{hint}", tiny(e.residual))
}

/// Where the model was linearized: the line, and configuration and speeds when they are short.
pub fn site(model: &Model, site: &Site, style: Style) -> String {
    let mut out = site_line(site, style);
    out.push_str(&short_configuration(model, &site.point().q, style));
    if matches!(site, Site::Motion(_)) && model.nv() <= SHORT {
        out.push_str(&speeds(model, &site.point().v, style));
    }
    out
}

/// Where the model was linearized, in one line.
pub fn site_line(site: &Site, style: Style) -> String {
    match site {
        Site::Rest(settled) => equilibrium_line(settled, style),
        Site::Motion(moving) => motion_line(moving),
    }
}

fn motion_line(moving: &Moving) -> String {
    let point = moving.at.point();
    let steady = moving.at.steady().is_some();
    let when = match (point.t, moving.after) {
        (0.0, _) => String::new(),
        (t, 0.0) => format!(" at t = {} s", six(t)),
        (t, after) => format!(" at t = {} s, {} s after the start", six(t), six(after)),
    };
    let still = point.v.iter().all(|v| *v == 0.0);
    let what = match (still, steady) {
        (true, _) => "released from rest",
        (false, true) => "steady motion",
        (false, false) => "an instant of a motion",
    };
    let how = match moving.found {
        Some((n, moved)) => format!(
            "found by Newton in {}, {} from the start",
            names::count(n, "iteration", "iterations"),
            six(moved)
        ),
        None => "accelerations and reactions solved for".to_owned(),
    };
    let solved =
        moving.solved.iter().map(|s| format!("solved for: {} = {}{}\n", s.name, six(s.value), s.unit));
    format!("{what}{when}: {how}, residual {}\n{}", tiny(moving.residual), solved.collect::<String>())
}

/// What shows that a motion is steady.
pub fn steadiness(site: &Site) -> Option<String> {
    let motion = site.steady()?;
    let deviation = motion.deviation();
    Some(format!(
        "the motion is steady: at {} of its orbit the linearization in {} is the same within {} of its entries; the error \
         bounds contain that",
        names::count(deviation.points, "other point", "other points"),
        motion.frame(),
        tiny(deviation.relative)
    ))
}

/// What velocity rows mean for the eigenvalues, and contacts that would have to pull.
pub fn rolling(model: &Model, site: &Site) -> Vec<String> {
    let mut out = lost_contacts(model, site.point());
    let rows = model.velocity_rows().iter().filter(|v| **v).count();
    if rows > 0 {
        let named = names::count(rows, "velocity row", "velocity rows");
        let independent = mb_analysis::independent_velocity_rows(model, site.point()).unwrap_or(rows);
        let each = if independent < rows {
            format!(
                ", {independent} of them independent of the others and of the position rows: each of these"
            )
        } else {
            ": each".to_owned()
        };
        out.push(format!(
            "{named} without slip{each} takes away one eigenvalue, the infinite one of a direction in which velocities are not free"
        ));
    }
    out
}

/// Contacts that would have to pull.
pub fn lost_contacts(model: &Model, point: &Point) -> Vec<String> {
    let lost = mb_linear::lost_contacts(model, point).into_iter();
    lost.map(|c| {
        if !c.determined {
            return format!(
                "the normal force of {} is not determined, as its row depends on others; the smallest multipliers would have the plane pull with {} N",
                c.owner,
                six(-c.normal_force)
            );
        }
        format!(
            "CONTACT LOST: the plane of {} would have to pull with {} N; the wheel lifts off there, and the results hold only while it does not",
            c.owner,
            six(-c.normal_force)
        )
    })
    .collect()
}

/// Which state was taken, where the model has speeds of its own that an equilibrium ignores.
pub fn own_speeds(model: &Model, site: &Site) -> Option<String> {
    let Site::Rest(_) = site else { return None };
    flow::speeds_aside(model, "--moving takes them")
}

/// The same of an equilibrium.
pub fn speeds_aside(model: &Model) -> Option<String> {
    flow::speeds_aside(model, "`mb modes --moving` takes them, and --spin JOINT=SPEED finds a steady motion")
}

/// The speeds by coordinate name.
pub fn speeds(model: &Model, v: &[f64], style: Style) -> String {
    let mut table = Table::new(vec![Column::words(""), Column::number("", ""), Column::words("")]);
    for (name, _, shown, unit) in names::speeds(model, v) {
        table.row(vec![name, shown, style.dim(&unit)]);
    }
    table.render(style)
}

/// The configuration, when it is short.
pub fn short_configuration(model: &Model, q: &[f64], style: Style) -> String {
    if q.len() > SHORT {
        return style.dim("  (the configuration: mb equilibrium)\n");
    }
    configuration(model, q, style)
}

/// The configuration by coordinate name.
pub fn configuration(model: &Model, q: &[f64], style: Style) -> String {
    let mut table = Table::new(vec![Column::words(""), Column::number("", ""), Column::words("")]);
    for (name, _, shown, unit) in coordinates(model, q) {
        table.row(vec![name, shown, style.dim(unit)]);
    }
    table.render(style)
}

/// Gravity that nothing feels, start values that were not kept, and a start that had to be assembled first.
pub fn start_notes(model: &Model, start: Option<&Start>) -> Vec<String> {
    let mut notes: Vec<String> = mb_analysis::check::idle_gravity(model).into_iter().collect();
    let Some(start) = start else { return notes };
    if let Some((row, violation)) = start.violation.filter(|(_, v)| *v > 1e-9) {
        notes.push(format!(
            "the start violated {} by {}; it was assembled first, which moved it by {}{}",
            model.row_name(row),
            six(violation),
            six(start.moved),
            furthest(model, &start.before, &start.q)
        ));
        notes.extend(moved_note(model, &start.before, &start.q));
    }
    if !start.not_kept.is_empty() {
        notes.push(format!("the constraints do not allow the given values of {}", start.not_kept.join(", ")));
    }
    notes
}

/// Share of the model's size that assembly may move something by without a warning.
const FAR: f64 = 0.1;

/// What assembly moves furthest, where that is more than a tenth of the size of the model: another place may be meant.
pub fn moved_note(model: &Model, before: &[f64], after: &[f64]) -> Option<String> {
    let (name, distance) = furthest_part(model, before, after)?;
    let size = model.extent(after);
    (distance > FAR * size).then(|| {
        format!(
            "warning: assembly moves {name} by {} m, more than a tenth of the model's size ({} m): is the start what you meant?",
            six(distance),
            six(size)
        )
    })
}

/// What assembly moves furthest, in parentheses after how far it moves the coordinates; empty where no place moves.
pub fn furthest(model: &Model, before: &[f64], after: &[f64]) -> String {
    furthest_part(model, before, after)
        .map_or_else(String::new, |(name, way)| format!(" ({name} by {} m)", six(way)))
}

/// The thing that assembly moves furthest, with its way in m; none where no place moves.
pub fn furthest_part(model: &Model, before: &[f64], after: &[f64]) -> Option<(String, f64)> {
    let way = |b: &mb_model::Block| {
        (b.q..b.q + b.kind.positions()).map(|k| (after[k] - before[k]).powi(2)).sum::<f64>().sqrt()
    };
    let moved = model.coordinates().blocks().iter().map(|b| (b, way(b))).filter(|(_, way)| *way > 0.0);
    // Of those that move equally far the first.
    moved
        .reduce(|most, other| if other.1 > most.1 { other } else { most })
        .map(|(b, way)| (b.name.clone(), way))
}

/// Redundant constraints by name.
pub fn redundancy_notes(rank: &ConstraintRank) -> Vec<String> {
    let mut notes: Vec<String> = rank
        .redundant
        .iter()
        .map(|r| {
            if r.depends_on.is_empty() {
                format!("redundant: {} does nothing in this configuration", r.name)
            } else {
                format!("redundant: {} follows from {}", r.name, r.depends_on.join(", "))
            }
        })
        .collect();
    if !notes.is_empty() {
        notes.push("with redundant constraints the multipliers are the shortest ones".to_owned());
    }
    if rank.decision.gap() > 1e-4 {
        notes.push(format!(
            "the rank {} is not certain: the smallest pivot kept is {}, the largest dropped {}",
            rank.rank(),
            rank.decision.smallest_kept.map_or_else(|| "none".to_owned(), tiny),
            rank.decision.largest_dropped.map_or_else(|| "none".to_owned(), tiny),
        ));
    }
    notes
}

/// Notes, one a line.
pub fn notes(list: &[String], style: Style) -> String {
    let mut out = String::new();
    for note in list {
        let _ = writeln!(out, "{} {}", style.yellow("note:"), mb_analysis::sentences::one(note));
    }
    out
}
