//! The four-bar linkage with the identified geometry.
//!
//! Paper: [yang2012] Table 5.
//!
//! [yang2012]: mb_eigen::direct

use mb_gallery::models::BeamFourBar;
use mb_gallery::{Computed, Table};
use mb_model::spec::{AxialStrainSpec, BeamElementSpec};

use super::system::{Measured, System, put_unscaled, unscaled};
use crate::answers::Answers;

/// The answers to the table.
pub(super) fn answers(table: &Table, system: &Measured<System>) -> Answers {
    let mut answers = Answers::default();
    let fine = BeamFourBar {
        element: BeamElementSpec::Quadratic,
        axial_strain: AxialStrainSpec::Exact,
        elements: 8,
        ..BeamFourBar::default()
    };
    let fine = System::new("four-bar linkage, refined", 0.0, fine.spec());
    let raw = unscaled(system);
    for (mode, row) in table.rows.iter().enumerate() {
        let of = |s: &Measured<System>| s.as_ref().map_err(Clone::clone).and_then(|s| s.hz(mode));
        let found = of(system);
        answers.put(&row.label, "scaled", found.clone().map(Computed::Real));
        answers.put(&row.label, "ABAQUS", of(&fine).map(Computed::Real));
        let abaqus = table.number(&row.label, "ABAQUS").map(|p| p.re().value());
        let rounded = |x: f64| (x * 1e4).round() / 1e4;
        let error = abaqus
            .ok_or_else(|| "no printed value".to_owned())
            .and_then(|a| found.map(|f| 100.0 * (rounded(f) - a) / a));
        answers.put(&row.label, "error", error.map(Computed::Real));
        put_unscaled(&mut answers, &row.label, "unscaled", &raw, mode);
    }
    answers
}
