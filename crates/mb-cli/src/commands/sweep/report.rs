//! What a sweep found, in words.

use super::{Row, Sweep};
use crate::names::count;
use crate::render::{Column, Style, Table, six, summary, tiny};
use mb_analysis::sweep::{CaseMode, Verdict};
use std::fmt::Write as _;

/// Crossings and failures that are listed; the files have all.
const LISTED: usize = 20;

pub(super) fn words(found: &Sweep, style: Style) -> String {
    let [name, file] = &found.model;
    let mut out = format!("{} {}\n", style.bold(name), style.dim(&format!("({file})")));
    let rows: Vec<(usize, &Row)> =
        found.rows.iter().enumerate().filter_map(|(k, row)| Some((k, row.as_ref()?))).collect();
    let of =
        |verdict| rows.iter().filter(|(_, row)| row.case().is_some_and(|c| c.verdict == verdict)).count();
    let failed: Vec<_> = rows.iter().filter_map(|(k, row)| Some((*k, row.message()?))).collect();
    let _ = writeln!(
        out,
        "{} of {}: {} stable, {} that neither grow nor decay, {} unstable, {} failed\n",
        count(rows.len(), "case", "cases"),
        found.design.names.join(", "),
        of(Verdict::Stable),
        of(Verdict::Marginal),
        of(Verdict::Unstable),
        failed.len()
    );
    out.push_str(&modes(found, &rows).render(style));
    if !found.boundary.crossings.is_empty() {
        let _ = writeln!(out, "\n{}", style.bold("stability changes at"));
        out.push_str(&crossings(found).render(style));
    }
    let mut notes: Vec<String> = found.taken.note().into_iter().collect();
    let more = found.boundary.crossings.len().saturating_sub(LISTED);
    if more > 0 {
        notes.push(format!("{more} more places where stability changes stand in the JSON document"));
    }
    for (k, message) in failed.iter().take(LISTED) {
        let values = found.design.names.iter().zip(&found.design.points[*k]);
        let at: Vec<String> = values.map(|(name, x)| format!("{name} = {}", six(*x))).collect();
        notes.push(format!("case {} ({}) failed: {message}", k + 1, at.join(", ")));
    }
    let short = rows.iter().filter(|(_, row)| row.case().is_some_and(|c| !c.complete)).count();
    if short > 0 {
        notes.push(format!(
            "{} with eigenvalues missing that theory or a count demands",
            count(short, "case", "cases")
        ));
    }
    let part = rows.iter().filter(|(_, row)| row.case().is_some_and(|c| !c.whole)).count();
    if part > 0 {
        let cases = count(part, "case", "cases");
        notes.push(format!("{cases} of a large model: stability is judged by the lowest modes alone"));
    }
    out.push_str(&summary::notes(&notes, style));
    out
}

/// The range of every mode over the cases.
fn modes(found: &Sweep, rows: &[(usize, &Row)]) -> Table {
    let mut table = Table::new(vec![
        Column::number("mode", ""),
        Column::number("f_n least", "Hz"),
        Column::number("largest", "Hz"),
        Column::number("zeta least", ""),
        Column::number("largest", ""),
        Column::number("largest error", "rad/s"),
    ]);
    for j in 0..found.count {
        let all: Vec<&CaseMode> =
            rows.iter().filter_map(|(_, row)| row.case()).filter_map(|case| case.modes.get(j)).collect();
        if all.is_empty() {
            break;
        }
        let range = |of: &dyn Fn(&CaseMode) -> f64| {
            let least = all.iter().map(|m| of(m)).fold(f64::INFINITY, f64::min);
            [least, all.iter().map(|m| of(m)).fold(f64::NEG_INFINITY, f64::max)].map(six)
        };
        let [low, high] = range(&CaseMode::natural_frequency_hz);
        let clear = |m: &CaseMode| if m.re.abs() <= m.error { 0.0 } else { m.damping_ratio() };
        let [least, most] = range(&clear);
        let error = all.iter().map(|m| m.error).fold(0.0, f64::max);
        table.row(vec![(j + 1).to_string(), low, high, least, most, tiny(error)]);
    }
    table
}

fn crossings(found: &Sweep) -> Table {
    let mut columns: Vec<Column> = found.design.names.iter().map(|name| Column::number(name, "")).collect();
    columns.extend([Column::number("within", ""), Column::number("frequency", "Hz")]);
    let mut table = Table::new(columns);
    for crossing in found.boundary.crossings.iter().take(LISTED) {
        let [a, b] = crossing.between.map(|k| &found.design.points[k]);
        let edge = a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        let mut row: Vec<String> = crossing.at.iter().map(|x| six(*x)).collect();
        row.extend([tiny(crossing.within * edge), six(crossing.frequency_hz)]);
        table.row(row);
    }
    table
}
