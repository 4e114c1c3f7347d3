//! The response as text: how it was found, peaks, zeros, mean squares.

use super::Found;
use crate::render::{Column, Style, Table, six, summary, tiny};
use mb_algebra::c64;
use mb_response::Sample;
use std::f64::consts::TAU;
use std::fmt::Write as _;

pub(super) fn render(found: &Found, style: Style) -> String {
    let mut out = summary::heading(&found.loaded, &found.rank, style);
    out.push_str(&summary::site_line(&found.site, style));
    let _ = writeln!(out, "{}", found.method());
    let listed = found.request.sweep.only.is_some();
    let title = if listed { "At the frequencies asked for" } else { "Ends of the band and peaks" };
    let _ = writeln!(out, "\n{}", style.bold(title));
    out.push_str(&values(found).render(style));
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
    out.push_str(&summary::notes(&found.notes(), style));
    out
}

/// Values at the frequencies asked for, or at the ends of the band and at the peaks, by response.
fn values(found: &Found) -> Table {
    let mut table = Table::new(vec![
        Column::words("response"),
        Column::number("f", "Hz"),
        Column::number("±", "Hz"),
        Column::number("magnitude", ""),
        Column::number("dB", ""),
        Column::number("phase", "deg"),
        Column::number("error", ""),
        Column::words(""),
    ]);
    let samples: Vec<&Sample> = found.samples().collect();
    let listed = found.request.sweep.only.is_some();
    for at in found.entries() {
        let last = samples.len().saturating_sub(1);
        let sampled = samples.iter().enumerate().filter(|(k, _)| listed || *k == 0 || *k == last);
        let sampled = sampled.map(|(_, s)| (s.omega, 0.0, Some((s.value[at], s.bound[at])), ""));
        let peaks = found.peaks(at).map(|p| (p.omega, 0.5 * (p.within[1] - p.within[0]), p.value, "peak"));
        let mut rows: Vec<_> = sampled.chain(peaks).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (omega, half, value, word) in rows {
            let mut row = vec![found.name(at), six(omega / TAU), tiny(half / TAU)];
            row.extend(match value {
                Some((h, bound)) => {
                    let size = h.norm();
                    let decibels =
                        if size > 0.0 { format!("{:.2}", 20.0 * size.log10()) } else { "-".to_owned() };
                    let phase = format!("{:.2}", h.arg().to_degrees() + 0.0);
                    [six(size), decibels, phase, tiny(bound)]
                }
                None => ["infinite", "-", "-", "-"].map(str::to_owned),
            });
            row.push(word.to_owned());
            table.row(row);
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
