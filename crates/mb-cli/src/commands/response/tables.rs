//! The response as text: how it was found, peaks, zeros, mean squares.

use super::Found;
use crate::args::ResponseArgs;
use crate::flow::response::Drive;
use crate::names;
use crate::render::{Column, Style, Table, six, summary, tiny};
use mb_algebra::c64;
use mb_response::{How, Sample};
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// Peaks shown of each response.
const MOST: usize = 20;

pub(super) fn render(found: &Found, args: &ResponseArgs, style: Style) -> String {
    let mut out = summary::heading(&found.loaded, &found.rank, style);
    out.push_str(&summary::site_line(&found.site, style));
    out.push_str(&how(found));
    let _ = writeln!(out, "\n{}", style.bold("Ends of the band and peaks"));
    out.push_str(&peaks(found).render(style));
    for (o, i, zeros) in &found.zeros {
        let _ = writeln!(out, "\n{}", style.bold(&format!("Poles and zeros of {}", found.name((*o, *i)))));
        match zeros {
            Ok(zeros) => out.push_str(&roots(zeros, style)),
            Err(why) => {
                let _ = writeln!(out, "  {why}");
            }
        }
    }
    if !found.response.random.is_empty() {
        let _ = writeln!(out, "\n{}", style.bold("Random inputs: root mean squares of the outputs"));
        out.push_str(&mean_squares(found).render(style));
    }
    out.push_str(&summary::notes(&notes(found, args), style));
    out
}

/// One sentence on frequencies, method and bound.
fn how(found: &Found) -> String {
    let sweep = &found.response.sweep;
    let ratio = |s: &Sample| {
        let entries = found.entries().into_iter().filter(|at| s.value[*at].norm() > 0.0);
        entries.map(|at| s.bound[at] / s.value[at].norm()).fold(0.0, f64::max)
    };
    let worst = found.samples().map(ratio).fold(0.0, f64::max);
    let method = match &sweep.how {
        How::Direct => "each solved for itself".to_owned(),
        How::Unproved { why } => format!("each solved for itself (no error bound of a projection: {why})"),
        How::Projection { modes, vectors, direct } => {
            let rest =
                if *direct > 0 { format!(", {direct} of them solved for itself") } else { String::new() };
            format!(
                "by projection on {vectors} vectors with {}{rest}; {}",
                names::count(*modes, "mode", "modes"),
                names::count(sweep.factorizations, "factorization", "factorizations")
            )
        }
    };
    format!(
        "{}, {method}; error bounds at most {} of the value\n",
        names::count(sweep.points.len(), "frequency", "frequencies"),
        tiny(worst)
    )
}

/// Values at the ends of the band and at local maxima, by response.
fn peaks(found: &Found) -> Table {
    let mut table = Table::new(vec![
        Column::words("response"),
        Column::number("f", "Hz"),
        Column::number("magnitude", ""),
        Column::number("dB", ""),
        Column::number("phase", "deg"),
        Column::number("error", ""),
        Column::words(""),
    ]);
    let samples: Vec<&Sample> = found.samples().collect();
    for at in found.entries() {
        let size = |k: usize| samples[k].value[at].norm();
        let last = samples.len().saturating_sub(1);
        let mut chosen: Vec<usize> =
            (1..last).filter(|k| size(*k) > size(k - 1) && size(*k) >= size(k + 1)).collect();
        chosen.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
        chosen.truncate(MOST);
        chosen.extend([0, last]);
        chosen.sort_unstable();
        chosen.dedup();
        for k in chosen.into_iter().filter(|k| *k < samples.len()) {
            let value = samples[k].value[at];
            let decibels =
                if value.norm() > 0.0 { format!("{:.2}", 20.0 * value.norm().log10()) } else { "-".into() };
            table.row(vec![
                found.name(at),
                six(samples[k].omega / TAU),
                six(value.norm()),
                decibels,
                format!("{:.2}", value.arg().to_degrees() + 0.0),
                tiny(samples[k].bound[at]),
                if k == 0 || k == last { String::new() } else { "peak".to_owned() },
            ]);
        }
    }
    table
}

fn roots(zeros: &mb_response::Zeros, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::words(""),
        Column::number("re", "1/s"),
        Column::number("im", "rad/s"),
        Column::number("f", "Hz"),
    ]);
    let lists = [("pole", &zeros.poles), ("zero", &zeros.zeros), ("cancelled", &zeros.cancelled)];
    for (word, list) in lists {
        let mut upper: Vec<&c64> = list.iter().filter(|s| s.im >= 0.0).collect();
        upper.sort_by(|a, b| a.norm().total_cmp(&b.norm()));
        for s in upper {
            let sign = if s.im > 0.0 { "±" } else { "" };
            table.row(vec![word.to_owned(), six(s.re), format!("{sign}{}", six(s.im)), six(s.im / TAU)]);
        }
    }
    format!("{}  gain {}\n", table.render(style), six(zeros.gain))
}

fn mean_squares(found: &Found) -> Table {
    let mut table = Table::new(vec![
        Column::words("output"),
        Column::number("in the band", ""),
        Column::number("error", ""),
        Column::number("at all frequencies", ""),
        Column::number("error", ""),
    ]);
    for (name, random) in found.response.outputs.iter().zip(&found.response.random) {
        // Of an eigenvalue: half of the relative error.
        let root = |value: f64, error: f64| {
            let rms = value.max(0.0).sqrt();
            [six(rms), tiny(if rms > 0.0 { 0.5 * error / rms } else { error.sqrt() })]
        };
        let mut row = vec![name.clone()];
        row.extend(root(random.band.value, random.band.error));
        row.extend(random.all.map_or_else(|| ["-".to_owned(), "-".to_owned()], |v| root(v.value, v.bound)));
        table.row(row);
    }
    table
}

fn notes(found: &Found, args: &ResponseArgs) -> Vec<String> {
    let mut out = Vec::new();
    let response = &found.response;
    if let Some(real) = response.growing() {
        out.push(format!(
            "the system is unstable (an eigenvalue has the real part {} 1/s): no motion settles to this response",
            six(real)
        ));
    } else if !response.all_poles {
        out.push("stability was not looked at beyond the band".to_owned());
    }
    let lost: Vec<String> =
        response.sweep.points.iter().filter(|p| p.sample.is_none()).map(|p| six(p.omega / TAU)).collect();
    if !lost.is_empty() {
        out.push(format!(
            "no value at {} Hz: an undamped pole lies there and the response is infinite",
            lost.join(", ")
        ));
    }
    if let Drive::Base(_) = found.request.drive {
        out.push("outputs are relative to the moving base".to_owned());
    }
    if args.loss > 0.0 {
        out.push(format!(
            "structural damping K (1 + {} i), weight and reactions in K included",
            six(args.loss)
        ));
    }
    out.extend(summary::steadiness(&found.site));
    out.extend(summary::own_speeds(&found.loaded.model, &found.site));
    out
}
