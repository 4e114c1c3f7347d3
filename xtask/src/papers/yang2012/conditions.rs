//! Condition numbers of K^, the scale c, and the condition number against k.
//!
//! ```text
//! cond(k) = O(max(k, c) max(1/k, c/k^2)) by (3.9);   with the block 1/c of the inverse: max(k, c) max(1, c/k, (c/k)^2) / c
//! ```
//!
//! Paper: [yang2012] Eqs. (3.5), (3.6), (3.9).
//!
//! [yang2012]: mb_eigen::direct

use mb_algebra::{Dense, Lu, Svd, dense, to_dense};
use mb_eigen::direct::{Augmented, Scaling, condition};
use mb_gallery::models::BeamFourBar;
use mb_gallery::{Computed, Table};

use super::system::{Measured, SHIFT, System, Systems};
use crate::answers::Answers;

/// Condition numbers of the unshifted K^, of beams and of the small solid, the c of both definitions, and what scaling gains.
pub(super) fn answers(table: &Table, systems: &Systems) -> Answers {
    let mut answers = Answers::default();
    for (name, system) in systems.all() {
        put_conditions(&mut answers, name, system);
        let system = system.as_ref().map_err(Clone::clone);
        let norm = system
            .clone()
            .and_then(|s| Scaling::InfinityNorm.factor(&s.pencil, 0.0).map_err(|e| e.to_string()));
        let mut put = |by: &str, x: Measured<f64>| {
            answers.put_by(&format!("quantity={name}, c"), "c", by, x.map(Computed::Real));
        };
        put("largest element", system.map(|s| s.c));
        put("infinity norm", norm);
    }
    for (name, tension) in [("Table 2, model 2", 0.0), ("Table 3, model 2", 1e10)] {
        put_conditions(&mut answers, name, &super::solid::slender(tension));
    }
    put_decreases(&mut answers, table);
    answers
}

/// The condition numbers of one system, unscaled and scaled.
fn put_conditions(answers: &mut Answers, name: &str, system: &Measured<System>) {
    let both = system.as_ref().map_err(Clone::clone).and_then(|s| {
        condition(&s.pencil, s.c, 0.0).map_err(|e| e.to_string()).map(|list| list.map(|c| c.value))
    });
    for (k, what) in ["unscaled", "scaled"].into_iter().enumerate() {
        let value = both.clone().map(|b| Computed::Real(b[k]));
        answers.put(&format!("quantity={name}, condition number, {what}"), "value", value);
    }
}

/// cond(k)/cond(c) for k = c times a power of ten.
pub(super) fn sweep(table: &Table, systems: &Systems) -> Answers {
    let mut answers = Answers::default();
    for row in &table.rows {
        let Some(ratio) = row.label.strip_prefix("k/c=").and_then(|x| x.parse::<f64>().ok()) else {
            continue;
        };
        for (name, system) in [("cantilever", &systems.free), ("linkage", &systems.linkage)] {
            let value = system.as_ref().map_err(Clone::clone).and_then(|s| Ok(at(s, ratio)? / at(s, 1.0)?));
            answers.put(&row.label, name, value.map(Computed::Real));
        }
    }
    answers
}

/// The condition number for k = ratio times c.
pub(super) fn at(system: &System, ratio: f64) -> Measured<f64> {
    let both = condition(&system.pencil, ratio * system.c, 0.0).map_err(|e| e.to_string())?;
    Ok(both[1].value)
}

/// What is scaled where only one of both is.
#[derive(Clone, Copy)]
pub(super) enum Side {
    /// The columns of the multipliers.
    Multipliers,
    /// The rows of the constraints.
    Constraints,
}

/// The condition number with multipliers or constraints alone scaled by c, over that with both.
pub(super) fn one_sided(system: &System, side: Side) -> Measured<f64> {
    let augmented = Augmented::new(&system.pencil).map_err(|e| e.to_string())?;
    let both = to_dense(&augmented.scaled(system.c).k);
    let n = augmented.unknowns;
    let by = |i: usize| if i < n { 1.0 } else { system.c };
    // What stays unscaled is divided by c again, and multiplied in the inverse.
    let other = |i: usize, j: usize| match side {
        Side::Multipliers => by(i),
        Side::Constraints => by(j),
    };
    let single = Dense::from_fn(both.nrows(), both.ncols(), |i, j| both[(i, j)] / other(i, j));
    let lu = Lu::new(&both).map_err(|e| e.to_string())?;
    let inverse = lu.solve_mat(&dense::identity(both.nrows()));
    let weighed = Dense::from_fn(both.nrows(), both.ncols(), |i, j| inverse[(i, j)] * other(j, i));
    let norm = |a: &Dense| -> Measured<f64> {
        Ok(Svd::new(a).map_err(|e| e.to_string())?.s.first().copied().unwrap_or(0.0))
    };
    Ok(norm(&single)? * norm(&weighed)? / (norm(&both)? * norm(&inverse)?))
}

/// The condition number of K^ over that of K_ at the shift, both scaled, of the linkage without gravity, which moves freely.
pub(super) fn shift_gain() -> Measured<f64> {
    let free = BeamFourBar { gravity: 0.0, ..BeamFourBar::default() };
    let system = System::new("linkage without gravity", 0.0, free.spec())?;
    let scaled = |shift| -> Measured<f64> {
        let both = condition(&system.pencil, system.c, shift).map_err(|e| e.to_string())?;
        Ok(both[1].value.min(f64::MAX))
    };
    Ok(scaled(0.0)? / scaled(SHIFT)?)
}

/// By which power of c the scaling lowers the condition number: from the printed numbers, and from ours.
fn put_decreases(answers: &mut Answers, table: &Table) {
    let cases = [
        ("Table 2", "Table 2, condition number", "Table 2, c"),
        ("Table 2, model 2", "Table 2, model 2, condition number", "Table 2, c"),
        ("Table 3", "Table 3, condition number", "Table 3, c"),
        ("Table 3, model 2", "Table 3, model 2, condition number", "Table 3, c"),
        ("Table 5", "Table 5, condition number", "Table 5, c"),
    ];
    for (name, cond, c) in cases {
        let printed = |row: &str, column: &str| -> Measured<f64> {
            let number = table.number(&format!("quantity={row}"), column);
            number.map(|p| p.re().value()).ok_or_else(|| format!("`{row}` is not in the table"))
        };
        let ours = |row: &str, column: &str| -> Measured<f64> {
            let by = if column == "c" { "largest element" } else { "" };
            match answers.get(&format!("quantity={row}"), column, by) {
                Some(Ok(Computed::Real(x))) => Ok(*x),
                _ => Err(format!("`{row}` was not computed")),
            }
        };
        let power = |of: &dyn Fn(&str, &str) -> Measured<f64>| -> Measured<f64> {
            let [before, after] = ["unscaled", "scaled"].map(|what| of(&format!("{cond}, {what}"), "value"));
            Ok((before? / after?).ln() / of(c, "c")?.ln())
        };
        let (by_printed, by_ours) = (power(&printed), power(&ours));
        let row = format!("quantity={name}, decrease");
        answers.put_by(&row, "power of c", "printed numbers", by_printed.map(Computed::Real));
        answers.put_by(&row, "power of c", "ours", by_ours.map(Computed::Real));
    }
}
