//! The cantilever of solid elements: near the paper's model 2, and its error against the mesh.
//!
//! ```text
//! bending stiffness of elements of displacements alone = EI (1 + (G/E) (l/h)^2),   l their length, h the height of the section
//! ```
//!
//! Paper: [yang2012] Tables 2, 3, Sec. 4.1.
//!
//! [yang2012]: mb_eigen::direct

use mb_gallery::models::{BeamCantilever, SolidCantilever};
use mb_gallery::{Computed, Table};
use mb_model::spec::{SolidElementSpec, SolidMassSpec};

use super::system::{Measured, System};
use crate::answers::{Answers, count};

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

    /// The frequencies against those of a separate calculation.
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

/// The mesh with one element across whose frequencies come near model 2, small enough for dense matrices.
pub(super) fn slender(tension: f64) -> Measured<System> {
    let model =
        SolidCantilever { across: 1, mass: SolidMassSpec::Consistent, tension, ..SolidCantilever::default() };
    System::new("slender solid cantilever", tension, model.spec())
}

/// Frequencies of the meshes near the printed ones, and how many printed digits each meets: of six, those that round alike.
pub(super) fn search(table: &Table) -> Answers {
    const PRINTED: [[&str; 3]; 2] = [["0.2208", "1.3701", "3.7803"], ["0.2906", "1.4611", "3.8602"]];
    let mut answers = Answers::default();
    for row in &table.rows {
        let key = |name: &str| {
            let own = row.label.split(',').find_map(|part| part.strip_prefix(&format!("{name}=")));
            own.unwrap_or_default().to_owned()
        };
        let mass = if key("mass") == "lumped" { SolidMassSpec::Lumped } else { SolidMassSpec::Consistent };
        let (Ok(across), Ok(along)) = (key("across").parse(), key("along").parse()) else { continue };
        let mut met: Measured<usize> = Ok(0);
        for (tension, printed, name) in [(0.0, PRINTED[0], ""), (1e10, PRINTED[1], ", tension")] {
            let model = SolidCantilever { across, along, mass, tension, ..SolidCantilever::default() };
            let system = System::new("solid cantilever", tension, model.spec());
            for (k, printed) in printed.into_iter().enumerate() {
                // Of double modes the first.
                let found = system.as_ref().map_err(Clone::clone).and_then(|s| s.hz(2 * k));
                met = met.and_then(|met| {
                    let printed: mb_gallery::Printed = printed.parse().map_err(|e| format!("{e}"))?;
                    Ok(met + usize::from(printed.accepts(&Computed::Real(found.clone()?))))
                });
                answers.put(&row.label, &format!("mode {}{name}", k + 1), found.map(Computed::Real));
            }
        }
        answers.put(&row.label, "printed digits met", met.map(count));
    }
    answers
}

/// The first frequency of a mesh of elements without Poisson's ratio, Hz.
fn first(element: SolidElementSpec, across: u32, along: u32) -> Measured<f64> {
    let mass = SolidMassSpec::Consistent;
    let model = SolidCantilever { across, along, element, mass, ..SolidCantilever::default() };
    System::new("solid cantilever", 0.0, model.spec())?.hz(0)
}

/// Difference of the first frequency of a converged mesh from that of Euler and Bernoulli, %.
pub(super) fn converged_error() -> Measured<f64> {
    let beam = BeamCantilever::default().continuum_hz(1);
    let exact = beam.first().ok_or("no such root")?;
    Ok(100.0 * (first(SolidElementSpec::Enhanced, 2, 80)? / exact - 1.0))
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
