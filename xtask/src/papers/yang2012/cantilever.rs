//! The cantilever without and with tension.
//!
//! Paper: [yang2012] Tables 2, 3, Eqs. (4.1), (4.2).
//!
//! [yang2012]: mb_eigen::direct

use mb_gallery::models::BeamCantilever;
use mb_gallery::{Computed, Table};

use super::system::{MODES, Measured, System, put_unscaled, unscaled};
use crate::answers::Answers;

/// The answers to the rows of a model (`model 1` of beams, `model 2` of solids) in one of the two tables, and to the
/// analytical column where the table has it.
pub(super) fn answers(table: &Table, system: &Measured<System>, model: &str) -> Answers {
    let mut answers = Answers::default();
    let tension = system.as_ref().map_or(0.0, |s| s.tension);
    let continuum = BeamCantilever { tension, ..BeamCantilever::default() }.continuum_hz(MODES / 2);
    let raw = unscaled(system);
    for (mode, row) in table.rows.iter().enumerate() {
        let exact = continuum.get(mode / 2).copied().ok_or_else(|| "no such eigenvalue".to_owned());
        let found = system.as_ref().map_err(Clone::clone).and_then(|s| s.hz(mode));
        if table.column("analytical").is_some() {
            answers.put(&row.label, "analytical", exact.clone().map(Computed::Real));
        }
        answers.put(&row.label, &format!("{model}, scaled"), found.clone().map(Computed::Real));
        // From values of four decimals, as the paper has it.
        let rounded = |x: f64| (x * 1e4).round() / 1e4;
        let error = found.and_then(|f| exact.map(|e| 100.0 * (rounded(f) - rounded(e)) / rounded(e)));
        answers.put(&row.label, &format!("error of {model}"), error.map(Computed::Real));
        put_unscaled(&mut answers, &row.label, &format!("{model}, unscaled"), &raw, mode);
    }
    answers
}
