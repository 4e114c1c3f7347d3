//! The tables of the page of a model: what joints hold and carry, outputs, configuration, energy and effective masses.

use crate::moving::whirl_word;
use crate::names::{self, coordinates};
use crate::number::six;
use crate::sentences;
use crate::shares::{NEGATIVE, Shares};
use mb_constraints::ConstraintRank;
use mb_model::{Model, Point};
use mb_report::{Cell, Column, Table};

/// Longer tables of coordinates help nobody.
const MOST: usize = 3000;

/// A number as the tables show it.
pub fn number(x: f64) -> Cell {
    Cell::Number(x, six(x))
}

/// A number, or a dash where there is none.
pub fn optional(x: Option<f64>) -> Cell {
    x.map_or_else(|| Cell::Number(f64::NAN, "-".to_owned()), number)
}

/// A count.
pub fn whole(n: usize) -> Cell {
    Cell::Number(n as f64, n.to_string())
}

/// Columns by name and unit.
pub fn columns(list: &[(&str, &str)]) -> Vec<Column> {
    list.iter().map(|(name, unit)| Column::new(name, unit)).collect()
}

/// The tables that have rows, and a note on those that are too long: `elsewhere` says where they are.
pub fn kept(list: impl IntoIterator<Item = Table>, elsewhere: &str) -> (Vec<Table>, Option<String>) {
    let (kept, long): (Vec<Table>, Vec<Table>) =
        list.into_iter().filter(|table| !table.rows.is_empty()).partition(|table| table.rows.len() <= MOST);
    let told = |table: &Table| format!("{} ({} rows)", table.title, table.rows.len());
    let told: Vec<String> = long.iter().map(told).collect();
    let note = format!("tables of more than {MOST} rows are left out, {elsewhere}: {}", told.join(", "));
    (kept, (!told.is_empty()).then_some(note))
}

/// Rows of constraints by joint, with those that are redundant.
pub fn joints(model: &Model, rank: &ConstraintRank) -> Table {
    let mut rows: Vec<(String, usize, Vec<usize>)> = Vec::new();
    for member in model.members().iter().filter(|m| m.rows > 0) {
        let own = member.row..member.row + member.rows;
        let redundant =
            rank.redundant.iter().enumerate().filter(|(_, r)| own.contains(&r.row)).map(|(i, _)| i);
        match rows.last_mut() {
            Some(last) if last.0 == member.owner => {
                last.1 += member.rows;
                last.2.extend(redundant);
            }
            _ => rows.push((member.owner.clone(), member.rows, redundant.collect())),
        }
    }
    let told = |index: &usize| {
        let row = &rank.redundant[*index];
        let why = if row.depends_on.is_empty() {
            "does nothing in this configuration".to_owned()
        } else {
            format!("follows from {}", row.depends_on.join(", "))
        };
        format!("{} {why}", row.name)
    };
    let row = |(owner, count, redundant): (String, usize, Vec<usize>)| {
        let words = redundant.iter().map(told).collect::<Vec<_>>().join("; ");
        vec![Cell::Words(owner), whole(count), whole(redundant.len()), Cell::Words(words)]
    };
    Table {
        title: "Constraints by joint".to_owned(),
        note: "Rows remove a freedom each, unless they are redundant.".to_owned(),
        columns: columns(&[("joint", ""), ("rows", ""), ("redundant", ""), ("why", "")]),
        rows: rows.into_iter().map(row).collect(),
    }
}

/// Forces and moments of joints and rods at the operating point.
pub fn reactions(model: &Model, point: &Point) -> Table {
    let row = |reaction: &mb_model::Reaction| {
        let wrench = model.wrench(reaction, point);
        // Rounding compared with the largest component.
        let cut = 1e-14 * wrench.force.iter().chain(&wrench.moment).fold(0.0_f64, |m, x| m.max(x.abs()));
        let cell = |x: &f64| Cell::Number(*x, six(if x.abs() <= cut { 0.0 } else { *x }));
        let mut out = vec![Cell::Words(reaction.owner.clone())];
        out.extend(wrench.force.iter().chain(&wrench.moment).map(cell));
        out
    };
    let names = ["F_x", "F_y", "F_z"].map(|n| (n, "N"));
    let moments = ["M_x", "M_y", "M_z"].map(|n| (n, "N m"));
    let heads: Vec<(&str, &str)> = [("joint", "")].into_iter().chain(names).chain(moments).collect();
    Table {
        title: "Reactions by joint".to_owned(),
        note: "Force and moment on the body of the joint's first place, about that place, in ground axes."
            .to_owned(),
        columns: columns(&heads),
        rows: model.reactions().iter().map(row).collect(),
    }
}

/// Values of the outputs.
pub fn outputs(model: &Model, point: &Point) -> Table {
    let values = model.outputs(point);
    let row = |(sensor, value): (&mb_model::model::Sensor, &f64)| {
        vec![Cell::Words(sensor.name.clone()), number(*value)]
    };
    Table {
        title: "Outputs".to_owned(),
        note: String::new(),
        columns: columns(&[("output", ""), ("value", "")]),
        rows: model.sensors().iter().zip(&values).map(row).collect(),
    }
}

/// Names, values and units of the configuration, with the rotation vectors of bodies in space.
pub fn configuration(model: &Model, point: &Point) -> Table {
    let row = |(name, x, shown, unit): (String, f64, String, &str)| {
        vec![Cell::Words(name), Cell::Number(x, shown), Cell::Words(unit.to_owned())]
    };
    Table {
        title: "Configuration".to_owned(),
        note: String::new(),
        columns: columns(&[("coordinate", ""), ("value", ""), ("unit", "")]),
        rows: coordinates(model, &point.q).into_iter().map(row).collect(),
    }
}

/// Names, values and units of the speeds of a motion.
pub fn speeds(model: &Model, point: &Point) -> Table {
    let row = |(name, x, shown, unit): (String, f64, String, String)| {
        vec![Cell::Words(name), Cell::Number(x, shown), Cell::Words(unit)]
    };
    Table {
        title: "Speeds".to_owned(),
        note: "Rates of the coordinates in the motion about which the modes are.".to_owned(),
        columns: columns(&[("rate", ""), ("value", ""), ("unit", "")]),
        rows: names::speeds(model, &point.v).into_iter().map(row).collect(),
    }
}

/// The column of the sense of whirl, and its cell of one mode: the number of `--json`, shown as a word.
pub fn whirl_column() -> Column {
    Column::new("whirl", "")
}

/// As [`whirl_column`] has it; empty where a mode does not circle.
pub fn whirl(sense: Option<f64>) -> Cell {
    Cell::Number(sense.unwrap_or(f64::NAN), whirl_word(sense).to_owned())
}

/// Shares of the energy of each mode by body, those of at least a percent; `number_of` gives the row of an eigenpair in the table of
/// modes, none of those that have none.
pub fn energy(shares: &Shares, number_of: impl Fn(usize) -> Option<usize>) -> Table {
    let mut rows = Vec::new();
    if let Some(energy) = &shares.energy {
        for mode in &energy.modes {
            let Some(line) = number_of(mode.eigenpair) else { continue };
            let kinds = [&mode.kinetic, &mode.strain, &mode.dissipation];
            for (body, name) in energy.groups.iter().enumerate() {
                let share = |kind: &Option<Vec<f64>>| kind.as_ref().map(|shares| 100.0 * shares[body]);
                if kinds.iter().any(|kind| share(kind).is_some_and(|x| x.abs() >= 1.0)) {
                    let cell = |kind| match share(kind) {
                        Some(x) => Cell::Number(x, format!("{:.1}", (10.0 * x).round() / 10.0 + 0.0)),
                        None => optional(None),
                    };
                    let mut row = vec![whole(line), Cell::Words(name.clone())];
                    row.extend(kinds.map(cell));
                    rows.push(row);
                }
            }
        }
    }
    Table {
        title: "Energy by body".to_owned(),
        note: format!(
            "Which body moves, deforms and dissipates in each mode; bodies below one percent are left out.{}",
            if shares.has_negative() {
                format!(" {} The drawing colours them as none.", sentences::one(NEGATIVE))
            } else {
                String::new()
            }
        ),
        columns: columns(&[
            ("mode", ""),
            ("body", ""),
            ("kinetic", "%"),
            ("strain", "%"),
            ("dissipated", "%"),
        ]),
        rows,
    }
}

/// Effective masses by direction; `number_of` as in [`energy`].
pub fn participation(shares: &Shares, number_of: impl Fn(usize) -> Option<usize>) -> Table {
    let mut heads = vec![Column::new("mode", "")];
    let mut rows = Vec::new();
    if let Some(found) = &shares.participation {
        heads.extend(found.directions.iter().map(|d| Column::new(&format!("m_{}", d.name), "kg")));
        for mode in found.modes.iter().filter(|_| !found.directions.is_empty()) {
            let Some(line) = number_of(mode.eigenpair) else { continue };
            let mut row = vec![whole(line)];
            for (mass, direction) in mode.effective_mass.iter().zip(&found.directions) {
                // What is rounding compared with the mass in that direction is shown as none.
                let small = |m: f64| if m.abs() <= 1e-12 * direction.total { 0.0 } else { m };
                row.push(mass.map_or_else(|| optional(None), |m| Cell::Number(m, six(small(m)))));
            }
            rows.push(row);
        }
    }
    Table { title: "Effective mass by direction".to_owned(), note: String::new(), columns: heads, rows }
}
