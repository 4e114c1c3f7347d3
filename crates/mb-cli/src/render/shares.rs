//! Energy by body and effective masses of the modes.

use super::modes::Line;
use super::{Column, Style, Table, six};
use mb_eigen::modal::{EnergyShares, Participation};
use std::fmt::Write as _;

/// Shares below this are not shown, unless they are all a mode has.
const SMALL: f64 = 0.01;
/// Most bodies that are shown of a mode.
const BODIES: usize = 8;

fn percent(share: f64) -> String {
    // Rounding makes -0.0 of small negative ones.
    format!("{:.1}", (1000.0 * share).round() / 10.0 + 0.0)
}

fn frequency(line: &Line<'_>) -> String {
    line.pair.natural_frequency_hz().map_or_else(|| "-".to_owned(), six)
}

/// The largest shares of each mode by body.
pub fn energy(energy: &EnergyShares, lines: &[Line<'_>], style: Style) -> String {
    let mut table = Table::new(vec![
        Column::number("mode", ""),
        Column::number("f_n", "Hz"),
        Column::words("body"),
        Column::number("kinetic", "%"),
        Column::number("strain", "%"),
        Column::number("dissipated", "%"),
    ]);
    let mut hidden = false;
    for mode in &energy.modes {
        let Some(line) = lines.iter().find(|line| line.index == mode.eigenpair) else { continue };
        let kinds = [&mode.kinetic, &mode.strain, &mode.dissipation];
        let share = |kind: &Option<Vec<f64>>, body: usize| kind.as_ref().map_or(0.0, |shares| shares[body]);
        let largest = |body: usize| kinds.iter().map(|kind| share(kind, body).abs()).fold(0.0, f64::max);
        let mut bodies: Vec<usize> = (0..energy.groups.len()).collect();
        bodies.sort_by(|a, b| largest(*b).total_cmp(&largest(*a)));
        let all = bodies.len();
        bodies.retain(|body| largest(*body) >= SMALL);
        bodies.truncate(BODIES);
        hidden |= bodies.len() < all;
        for (at, &body) in bodies.iter().enumerate() {
            let first = at == 0;
            let cell = |kind: &Option<Vec<f64>>| {
                kind.as_ref().map_or_else(|| "-".to_owned(), |shares| percent(shares[body]))
            };
            table.row(vec![
                if first { line.number.to_string() } else { String::new() },
                if first { frequency(line) } else { String::new() },
                energy.groups[body].clone(),
                cell(kinds[0]),
                cell(kinds[1]),
                cell(kinds[2]),
            ]);
        }
    }
    let mut out = format!("\n{}\n", style.bold("energy by body"));
    out.push_str(&table.render(style));
    if hidden {
        let _ = writeln!(out, "  bodies below {} % are left out, and more than {BODIES}", percent(SMALL));
    }
    out
}

/// The effective mass of each mode by direction, with the sums and what the constraints let move.
pub fn participation(found: &Participation, lines: &[Line<'_>], style: Style) -> String {
    let mut out = format!("\n{}\n", style.bold("effective mass by direction"));
    if found.directions.is_empty() {
        out.push_str("  no coordinate translates\n");
        return out;
    }
    let mut columns = vec![Column::number("mode", ""), Column::number("f_n", "Hz")];
    for direction in &found.directions {
        columns.push(Column::number(&format!("m_{}", direction.name), "kg"));
        columns.push(Column::number("share", "%"));
    }
    let mut table = Table::new(columns);
    let masses = |cells: &mut Vec<String>, direction: usize, mass: Option<f64>| {
        let movable = found.directions[direction].constrained;
        // What is rounding compared with the mass in that direction is none.
        let mass = mass.map(|m| if m.abs() <= 1e-12 * found.directions[direction].total { 0.0 } else { m });
        cells.push(mass.map_or_else(|| "-".to_owned(), six));
        let share = mass.filter(|_| movable > 1e-12 * found.directions[direction].total);
        cells.push(share.map_or_else(|| "-".to_owned(), |m| percent(m / movable)));
    };
    for mode in &found.modes {
        let Some(line) = lines.iter().find(|line| line.index == mode.eigenpair) else { continue };
        let mut cells = vec![line.number.to_string(), frequency(line)];
        for (direction, mass) in mode.effective_mass.iter().enumerate() {
            masses(&mut cells, direction, *mass);
        }
        table.row(cells);
    }
    let mut cells = vec!["sum".to_owned(), String::new()];
    for (direction, sum) in found.sums().into_iter().enumerate() {
        masses(&mut cells, direction, Some(sum));
    }
    table.row(cells);
    out.push_str(&table.render(style));
    for direction in &found.directions {
        let _ = writeln!(
            out,
            "  {}: the constraints let {} kg move, of {} kg",
            direction.name,
            six(if direction.constrained.abs() <= 1e-12 * direction.total {
                0.0
            } else {
                direction.constrained
            }),
            six(direction.total)
        );
    }
    out
}
