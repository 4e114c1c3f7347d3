//! What `mb parametric` prints.

use super::{Evaluated, Parametric};
use crate::names;
use crate::parametric::expansion::{Piece, first_order, frequency_and_damping, held};
use crate::parametric::{Expansion, quantity};
use crate::render::{Column, Style, Table, six, summary, tiny};
use mb_algebra::c64;
use mb_model::Model;
use std::fmt::Write as _;

/// Everything in words and tables.
pub(super) fn render(found: &Parametric, style: Style) -> String {
    let (expansion, loaded) = (&found.expansion, &found.place.loaded);
    let model = &loaded.model;
    let mut out = summary::heading(loaded, &expansion.rank, style);
    if let Some(settled) = &expansion.settled {
        out.push_str(&summary::equilibrium_line(settled, style));
    }
    if let Some(steady) = &expansion.steady {
        out.push_str(&summary::site_line(&steady.site, style));
    }
    for [coordinate, input] in held(&found.place) {
        let _ = writeln!(out, "{coordinate} is held by {input}");
    }
    out.push('\n');
    out.push_str(&variables_table(expansion, model, style));
    let several = expansion.pieces.len() > 1;
    for (i, piece) in expansion.pieces.iter().enumerate() {
        let variables = names::count(expansion.names.len(), "variable", "variables");
        let terms = names::count(piece.set.len(), "term", "terms");
        let told = format!(
            "polynomials of order {} in {variables}, {terms} for each number{}",
            piece.order,
            expansion.seen_from()
        );
        let which = if several {
            let at: Vec<String> = expansion
                .names
                .iter()
                .zip(&piece.values)
                .map(|(n, x)| format!("{n} = {}", six(*x)))
                .collect();
            format!("centre {} of {}, {}: ", i + 1, expansion.pieces.len(), at.join(", "))
        } else {
            String::new()
        };
        let _ = writeln!(out, "\n{}", style.bold(&format!("{which}{told}")));
        if !piece.modes.is_empty() {
            out.push_str(&modes_table(piece, style));
            out.push('\n');
            out.push_str(&sensitivities_table(expansion, piece, style));
        }
        if !piece.groups.is_empty() {
            out.push('\n');
            out.push_str(&groups_table(piece, style));
        }
    }
    if let Some(tolerances) = &found.tolerances {
        out.push('\n');
        out.push_str(&tolerance_table(&expansion.pieces[0], tolerances, style));
    }
    for at in &found.evaluations {
        let _ = writeln!(out, "\n{}", style.bold(&format!("at {}", at.given)));
        if !at.values.is_empty() {
            out.push_str(&evaluation_table(expansion, at, style));
        }
        out.push_str(&group_values(expansion, at, style));
    }
    out.push_str(&summary::notes(&notes(found), style));
    out
}

/// What has to be said in addition to the tables.
pub(crate) fn notes(found: &Parametric) -> Vec<String> {
    let expansion = &found.expansion;
    let start = expansion.settled.as_ref().and_then(|s| s.start.as_ref());
    let mut notes: Vec<String> = found.early.iter().cloned().collect();
    notes.extend(summary::start_notes(&found.place.loaded.model, start));
    notes.extend(left_notes(found));
    notes.extend(found.place.notes(&expansion.variables));
    notes.extend(expansion.steadiness());
    if found.place.setting.frozen {
        notes.push(
            "the operating point is frozen: away from the point of expansion it is no equilibrium".to_owned(),
        );
    }
    for (at, rows) in found.evaluations.iter().filter_map(|e| e.rank_change.as_ref()) {
        notes.push(format!(
            "on the way there, at {at}, the constraints lose rank ({}): polynomials do not reach beyond",
            rows.join(", ")
        ));
    }
    let outside = |e: &Evaluated| e.values.iter().any(|v| !v.trusted) || e.groups.iter().any(|g| !g.trusted);
    if found.evaluations.iter().any(outside) {
        notes.push(
            "modes marked `outside` lie beyond the reach of their polynomials: the values mean nothing"
                .to_owned(),
        );
    }
    notes
}

/// Coordinates that did not stay where `--about` gave them.
fn left_notes(found: &Parametric) -> Vec<String> {
    let Some(settled) = &found.expansion.settled else { return Vec::new() };
    let left = found.place.origin().left(&settled.equilibrium.point().q);
    let told = |(name, given, there): &(String, f64, f64)| {
        format!(
            "--about gave {name} = {}, where the model is not in equilibrium: the point of expansion is the equilibrium found from there, with {name} = {}; a coordinate stays where it is given when it is a variable that --hold holds",
            six(*given),
            six(*there)
        )
    };
    left.iter().map(told).collect()
}

fn variables_table(expansion: &Expansion, model: &Model, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::words("variable"),
        Column::number("value", ""),
        Column::words(""),
        Column::number("from", ""),
        Column::number("to", ""),
    ]);
    for (i, (name, variable)) in expansion.names.iter().zip(&expansion.variables).enumerate() {
        let value = expansion.values[i];
        let end = |k: usize| expansion.region.as_ref().map_or_else(String::new, |r| six(value + r[i][k]));
        table.row(vec![name.clone(), six(value), style.dim(quantity::unit(model, variable)), end(0), end(1)]);
    }
    table.render(style)
}

fn modes_table(piece: &Piece, style: Style) -> String {
    let judged = piece.region.is_some();
    let mut columns = vec![
        Column::number("mode", ""),
        Column::number("re", "1/s"),
        Column::number("im", "rad/s"),
        Column::number("f_n", "Hz"),
        Column::number("zeta", ""),
    ];
    if judged {
        columns.push(Column::number("error in the region", "of |s|"));
    }
    let mut table = Table::new(columns);
    for mode in &piece.modes {
        let s = mode.kept.eigenvalue_coefficients()[0];
        let [frequency, damping] = shown(s);
        let noise = |x: f64| if x.abs() <= 1e-12 * s.norm() { 0.0 } else { x };
        let mut row =
            vec![mode.number.to_string(), six(noise(s.re)), six(noise(s.im)), six(frequency), six(damping)];
        if let Some(error) = mode.region_error {
            row.push(relative(error, s));
        }
        table.row(row);
    }
    table.render(style)
}

/// The groups at the point of expansion: mean, spread of the values, distance to the next mode.
fn groups_table(piece: &Piece, style: Style) -> String {
    let mut columns = vec![
        Column::words("group"),
        Column::number("mean re", "1/s"),
        Column::number("im", "rad/s"),
        Column::number("f_n", "Hz"),
        Column::number("spread", "of |s|"),
        Column::number("next mode", "rad/s off"),
    ];
    if piece.region.is_some() {
        columns.push(Column::number("error in the region", "of |s|"));
    }
    let mut table = Table::new(columns);
    for (k, group) in piece.groups.iter().enumerate() {
        let Ok(at) = piece.group(k, &piece.centre) else { continue };
        let size = at.mean.norm();
        let noise = |x: f64| if x.abs() <= 1e-12 * size { 0.0 } else { x };
        let spread = at.values.iter().map(|s| (s - at.mean).norm()).fold(0.0, f64::max);
        let mut row = vec![
            group.name(),
            six(noise(at.mean.re)),
            six(noise(at.mean.im)),
            six(shown(at.mean)[0]),
            tiny(noise(spread) / size.max(f64::MIN_POSITIVE)),
            tiny(group.full.gap()),
        ];
        if let Some(error) = group.region_error {
            row.push(relative(error, at.mean));
        }
        table.row(row);
    }
    table.render(style)
}

/// The values of the groups at one point.
fn group_values(expansion: &Expansion, at: &Evaluated, style: Style) -> String {
    if at.groups.is_empty() {
        return String::new();
    }
    let mut table = Table::new(vec![
        Column::words("group"),
        Column::number("f_n", "Hz"),
        Column::number("zeta", ""),
        Column::number("error", "of |s|"),
        Column::words(""),
    ]);
    for (group, found) in expansion.piece(&at.distance).groups.iter().zip(&at.groups) {
        for (s, error) in found.values.iter().zip(&found.errors) {
            let [frequency, damping] = shown(*s);
            let word = if found.trusted { String::new() } else { style.red("outside") };
            table.row(vec![group.name(), six(frequency), six(damping), relative(*error, *s), word]);
        }
    }
    table.render(style)
}

/// Frequency and damping, of which rounding is zero.
fn shown(s: c64) -> [f64; 2] {
    let [frequency, damping] = frequency_and_damping(s);
    [frequency, if s.re.abs() <= 1e-12 * s.norm() { 0.0 } else { damping }]
}

/// First-order changes by mode and variable, and how far the polynomial reaches.
fn sensitivities_table(expansion: &Expansion, piece: &Piece, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::number("mode", ""),
        Column::words("variable"),
        Column::number("df_n/dx", "Hz per unit"),
        Column::number("f_n per x", "% per %"),
        Column::number("dzeta/dx", "per unit"),
        Column::number("reach", "of x"),
    ]);
    for mode in &piece.modes {
        let s = mode.full.eigenvalue_coefficients()[0];
        for (i, ds) in mode.full.sensitivities().into_iter().enumerate() {
            let [df, dzeta] = ds.map_or([f64::NAN; 2], |ds| first_order(s, ds));
            let [frequency, _] = frequency_and_damping(s);
            let x = piece.values[i];
            let percent = df * x / frequency;
            // Changes that drown in rounding are none: over the value of the variable, or over the reach about zero.
            let cut = |value: f64, size: f64| if value.abs() <= 1e-12 * size { 0.0 } else { value };
            let near = Some(mode.reach[i]).filter(|r| r.is_finite()).unwrap_or_default();
            let scale = x.abs().max(near);
            let cut = |value: f64, size: f64| if scale > 0.0 { cut(value, size) } else { value };
            table.row(vec![
                mode.number.to_string(),
                expansion.names[i].clone(),
                six(cut(df, frequency / scale)),
                if x == 0.0 { "-".to_owned() } else { six(cut(percent, 1.0)) },
                six(cut(dzeta, 1.0 / scale)),
                reach(mode.reach[i]),
            ]);
        }
    }
    table.render(style)
}

/// What the tolerances of the variables make of frequency and damping, to first order.
fn tolerance_table(piece: &Piece, tolerances: &[f64], style: Style) -> String {
    let mut table = Table::new(vec![
        Column::number("mode", ""),
        Column::number("f_n", "Hz"),
        Column::number("worst case", "Hz"),
        Column::number("independent", "Hz"),
        Column::number("zeta", ""),
        Column::number("worst case", ""),
        Column::number("independent", ""),
    ]);
    for mode in &piece.modes {
        let Ok(spreads) = mode.full.tolerance_spreads(tolerances) else { continue };
        let (f, zeta) = (&spreads.frequency_hz, &spreads.damping_ratio);
        let spread = |x: f64| format!("±{}", six(x));
        table.row(vec![
            mode.number.to_string(),
            six(f.value),
            spread(f.worst_case),
            spread(f.independent),
            six(shown(mode.full.eigenvalue_coefficients()[0])[1]),
            spread(zeta.worst_case),
            spread(zeta.independent),
        ]);
    }
    table.render(style)
}

fn evaluation_table(expansion: &Expansion, at: &Evaluated, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::number("mode", ""),
        Column::number("f_n", "Hz"),
        Column::number("zeta", ""),
        Column::number("error", "of |s|"),
        Column::words(""),
    ]);
    for (number, value) in expansion.numbers().into_iter().zip(&at.values) {
        let [frequency, damping] = shown(value.s);
        let word = if value.trusted { String::new() } else { style.red("outside") };
        table.row(vec![
            number.to_string(),
            six(frequency),
            six(damping),
            relative(value.error, value.s),
            word,
        ]);
    }
    table.render(style)
}

/// An error relative to the eigenvalue.
fn relative(error: f64, s: c64) -> String {
    if error.is_finite() { tiny(error / s.norm()) } else { "unbounded".to_owned() }
}

/// A distance of convergence; more than anyone asks for is shown as all.
fn reach(distance: f64) -> String {
    if distance.is_nan() {
        "-".to_owned()
    } else if distance > 1e12 {
        "all".to_owned()
    } else {
        // An estimate within a tenth or two.
        tiny(distance)
    }
}
