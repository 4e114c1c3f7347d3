//! The response as text: how it was found, peaks, zeros, mean squares.

use super::Found;
use crate::flow::response::{AtAll, Root, gain_in_words, product_in_words, upper_roots};
use crate::render::{Column, Style, Table, six, summary, tiny};
use mb_algebra::c64;
use mb_response::{Sample, SweptPoint};
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

/// Relative errors that are told from smaller ones: these depend on the order in which a processor sums.
const DIGITS: (f64, &str) = (1e-12, "<1e-12");
/// The same of root mean squares, whose bounds come from integrals and norms of matrices.
const DIGITS_OF_MEANS: (f64, &str) = (1e-6, "<1e-6");

/// An error over the size of the value, or that it is below what is told.
fn relative(error: f64, size: f64, (least, below): (f64, &str)) -> String {
    if error == 0.0 {
        return "0".to_owned();
    }
    let share = error / size;
    if share < least {
        below.to_owned()
    } else if share.is_finite() {
        tiny(share)
    } else {
        "-".to_owned()
    }
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
        Column::number("relative error", ""),
        Column::words(""),
    ]);
    let points = &found.response.sweep.points;
    let listed = found.request.sweep.only.is_some();
    for at in found.entries() {
        // The turns by frequency, of those at poles of other responses too.
        let sampled = points.iter().filter_map(|p| p.sample.as_ref().or(p.partly.as_ref()));
        let own: Vec<&Sample> = sampled.filter(|s| s.value[at].is_finite()).collect();
        let turns = mb_response::phases(&own, at, &found.response.infinite_at(at));
        let phases: Vec<(f64, f64)> = own.iter().map(|s| s.omega).zip(turns).collect();
        let phase = |omega: f64, h: c64| {
            let raw = h.arg().to_degrees();
            let near = phases.iter().min_by(|a, b| (a.0 - omega).abs().total_cmp(&(b.0 - omega).abs()));
            let turned = |(w, p): &(f64, f64)| {
                let itself = (w - omega).abs() <= f64::EPSILON * omega;
                if itself { *p } else { raw + 360.0 * ((p - raw) / 360.0).round() }
            };
            let phase = near.map_or(raw, turned);
            format!("{:.2}", (phase * 100.0).round() / 100.0 + 0.0)
        };
        let last = points.len().saturating_sub(1);
        let sampled = points.iter().enumerate().filter(|(k, _)| listed || *k == 0 || *k == last);
        let value = |p: &SweptPoint| {
            let sample = p.sample.as_ref().or(p.partly.as_ref());
            sample.map(|s| (s.value[at], s.bound[at])).filter(|(h, _)| h.is_finite())
        };
        let sampled = sampled.map(|(_, p)| (p.omega, 0.0, value(p), ""));
        let peaks = found.peaks(at).map(|p| (p.omega, 0.5 * (p.within[1] - p.within[0]), p.value, "peak"));
        let mut rows: Vec<_> = sampled.chain(peaks).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (omega, half, value, word) in rows {
            let mut row = vec![found.name(at), six(omega / TAU), tiny(half / TAU)];
            row.extend(match value {
                // What is zero within its bound has neither level nor phase.
                Some((h, bound)) if h.norm() <= bound && bound > 0.0 => {
                    [format!("<{}", tiny(h.norm() + bound)), "-".to_owned(), "-".to_owned(), "-".to_owned()]
                }
                Some((h, bound)) => {
                    let size = h.norm();
                    let decibels =
                        if size > 0.0 { format!("{:.2}", 20.0 * size.log10()) } else { "-".to_owned() };
                    [six(size), decibels, phase(omega, h), relative(bound, size, DIGITS)]
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
    for Root { word, s, paired } in upper_roots(zeros) {
        let sign = if paired { "±" } else { "" };
        table.row(vec![word.to_owned(), six(s.re), format!("{sign}{}", six(s.im)), six(s.im / TAU)]);
    }
    format!("{}  gain {}; {}\n", table.render(style), gain_in_words(zeros), product_in_words(zeros))
}

fn mean_squares(found: &Found) -> Table {
    let mut table = Table::new(vec![
        Column::words("output"),
        Column::number("in the band", ""),
        Column::number("relative error", ""),
        Column::number("at all frequencies", ""),
        Column::number("relative error", ""),
    ]);
    for (name, random) in found.response.outputs.iter().zip(&found.response.random) {
        // Half of the relative error of the square.
        let root = |value: f64, error: f64| {
            let rms = value.max(0.0).sqrt();
            [six(rms), relative(0.5 * error, value, DIGITS_OF_MEANS)]
        };
        let mut row = vec![name.clone()];
        row.extend(root(random.band.value, random.band.error));
        row.extend(match &random.all {
            AtAll::Known(v) => root(v.value, v.bound),
            AtAll::Infinite(_) => ["infinite", "-"].map(str::to_owned),
            AtAll::Unknown(_) => ["-", "-"].map(str::to_owned),
        });
        table.row(row);
    }
    table
}
