//! The cantilever of solid elements: near the paper's model 2, and its error against the mesh.
//!
//! ```text
//! bending stiffness of elements of displacements alone = EI (1 + (G/E) (l/h)^2),   l their length, h the height of the section
//! ```
//!
//! Paper: [yang2012] Tables 2, 3, Sec. 4.1.
//!
//! [yang2012]: mb_eigen::direct

use mb_gallery::models::SolidCantilever;
use mb_gallery::{Computed, Table};
use mb_model::spec::SolidElementSpec;

use super::system::{Measured, System};
use crate::answers::Answers;

/// The cantilever of the mesh near model 2, without and under tension.
pub(super) struct Solids {
    free: Measured<System>,
    tense: Measured<System>,
}

impl Solids {
    /// Builds, balances and linearizes both.
    pub(super) fn measure() -> Self {
        let of = |name, tension| {
            let model = SolidCantilever { tension, ..SolidCantilever::default() };
            System::new(name, tension, model.spec())
        };
        Self { free: of("solid cantilever", 0.0), tense: of("solid cantilever, F = 1e10 N", 1e10) }
    }

    /// The answers to the rows of the solid model in Table 2, or in Table 3.
    pub(super) fn answers(&self, table: &Table, under_tension: bool) -> Answers {
        let system = if under_tension { &self.tense } else { &self.free };
        super::cantilever::answers(table, system, "model 2")
    }

    /// The frequencies beside those of a separate calculation.
    pub(super) fn separate(&self, table: &Table) -> Answers {
        let mut answers = Answers::default();
        for row in &table.rows {
            let system = if row.label.contains("under tension") { &self.tense } else { &self.free };
            let mode = row.label.rsplit_once("mode=").and_then(|(_, m)| m.parse::<usize>().ok());
            let value = match (system, mode) {
                (Ok(system), Some(mode)) => system.hz(2 * (mode - 1)),
                (Err(error), _) => Err(error.clone()),
                (_, None) => continue,
            };
            answers.put(&row.label, "frequency", value.map(Computed::Real));
        }
        answers
    }
}

/// The first frequency of a mesh of elements without Poisson's ratio, Hz.
fn first(element: SolidElementSpec, across: u32, along: u32) -> Measured<f64> {
    let mass = mb_model::spec::SolidMassSpec::Consistent;
    let model = SolidCantilever { across, along, element, mass, ..SolidCantilever::default() };
    System::new("solid cantilever", 0.0, model.spec())?.hz(0)
}

/// The errors against the mesh.
pub(super) fn meshes() -> Answers {
    use SolidElementSpec::{Enhanced, Full};
    let mut answers = Answers::default();
    let exact = first(Enhanced, 2, 80);
    let against = |found: &Measured<f64>| -> Measured<f64> { Ok(found.clone()? / exact.clone()?) };
    for (name, element, across, meshes) in [
        ("displacements alone", Full, 2, &[10, 20, 40][..]),
        ("enhanced", Enhanced, 2, &[10, 20, 40]),
        ("enhanced", Enhanced, 1, &[20]),
    ] {
        for along in meshes {
            let ratio = against(&first(element, across, *along));
            let mesh = format!("{across} x {across} x {along}");
            let error = ratio.clone().map(|r| Computed::Real((r - 1.0).abs()));
            answers.put(&format!("claim={name}, {mesh}, mode 1"), "value", error);
            if element == Full {
                // l/h = 20/along; G/E = 1/2.
                let excess = ratio.map(|r| (r * r - 1.0) / (0.5 * (20.0 / f64::from(*along)).powi(2)));
                let off = excess.map(|e| Computed::Real((e - 1.0).abs()));
                answers.put(&format!("claim=parasitic shear, {mesh}"), "value", off);
            }
        }
    }
    answers
}
