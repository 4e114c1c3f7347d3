//! Tables 1 and 4 and the text: the parameters, read back from the models that are analysed.
//!
//! ```text
//! density = 1^T M 1 / (A L),   1 a translation of everything
//! ```
//!
//! Paper: [yang2012] Tables 1, 4, Sec. 3.
//!
//! [yang2012]: mb_eigen::direct

use std::collections::{BTreeMap, BTreeSet};

use mb_algebra::{norms, to_dense};
use mb_eigen::direct::{Augmented, Scaling};
use mb_gallery::Computed;
use mb_gallery::models::{BeamCantilever, BeamFourBar};
use mb_model::spec::{BeamSpec, Value};
use mb_model::{ModelError, ModelSpec};

use super::system::{Measured, SHIFTS, System, Systems};
use crate::answers::Answers;

/// What both tables have in common.
struct Material {
    parameters: BTreeMap<String, f64>,
    density: f64,
    poisson: f64,
    damping: f64,
    /// m^2.
    area: f64,
    /// m^4.
    second_moment: f64,
}

/// The answers to Table 1.
pub(super) fn cantilever() -> Answers {
    let mut answers = Answers::default();
    let found = material(BeamCantilever::default().spec(), 200.0);
    material_answers(&mut answers, &found, "inertia moment");
    let size = found.map(|m| {
        let [side, length] = ["b", "L"].map(|p| m.parameters.get(p).copied().unwrap_or(f64::NAN));
        Computed::Word(format!("{side}*{side}*{length}"))
    });
    answers.put("item=size", "value", size);
    answers
}

/// The answers to Table 4.
pub(super) fn linkage() -> Answers {
    let mut answers = Answers::default();
    let found = material(BeamFourBar::default().spec(), 100.0 + 100.0 + 50.0 * 6.0_f64.sqrt());
    material_answers(&mut answers, &found, "moment of inertia");
    let gravity = found.map(|m| Computed::Real(m.parameters.get("g").copied().unwrap_or(f64::NAN)));
    answers.put("item=gravity", "value", gravity);
    answers
}

/// The answers to the table of the text's numbers.
pub(super) fn setup(systems: &Systems) -> Answers {
    let mut answers = Answers::default();
    let mut put = |item: &str, value: Measured<Computed>| {
        answers.put(&format!("item={item}"), "value", value);
    };
    let ends = [SHIFTS[0], SHIFTS[SHIFTS.len() - 1]];
    put("frequency shift", Ok(Computed::Word(format!("{}~{}", ends[0], ends[1]))));
    for (table, system) in [("Table 2", &systems.free), ("Table 3", &systems.tense)] {
        put(&format!("tension of {table}"), system.as_ref().map(pull).map_err(Clone::clone));
    }
    put("joints of the linkage", joints());
    put("k over c", system_scale(&systems.linkage));
    answers
}

/// The force along the cantilever that its tip takes, N: what the reaction of the clamp balances.
fn pull(system: &System) -> Computed {
    let model = &system.model;
    let mut point = model.initial_point();
    point.q.clone_from(&system.q);
    let moved = model.coordinates().translation(0);
    // All other forces are inner ones: the residual less the multipliers' share is what the load leaves.
    point.lambda.fill(0.0);
    let along: f64 = model.residual(&point).iter().zip(&moved).map(|(r, x)| r * x).sum();
    Computed::Real(0.0 - along)
}

/// The kind of all joints of the linkage.
fn joints() -> Measured<Computed> {
    let spec = BeamFourBar::default().spec().map_err(|e| e.to_string())?;
    let kinds: BTreeSet<String> =
        spec.joints.iter().map(|j| format!("{:?}", j.kind).to_lowercase()).collect();
    Ok(Computed::Word(kinds.into_iter().collect::<Vec<_>>().join(", ")))
}

/// The factor that scales constraints over the largest entry of the matrix.
fn system_scale(system: &Measured<System>) -> Measured<Computed> {
    let system = system.as_ref().map_err(Clone::clone)?;
    let k = Scaling::LargestEntry.factor(&system.pencil, 0.0).map_err(|e| e.to_string())?;
    let augmented = Augmented::new(&system.pencil).map_err(|e| e.to_string())?;
    let largest = norms::max_abs(&to_dense(&augmented.k));
    Ok(Computed::Real(k / largest))
}

fn material_answers(answers: &mut Answers, found: &Measured<Material>, moment: &str) {
    let mut put = |item: &str, of: &dyn Fn(&Material) -> f64| {
        let value = found.as_ref().map(|m| Computed::Real(of(m))).map_err(Clone::clone);
        answers.put(&format!("item={item}"), "value", value);
    };
    put("density", &|m| m.density);
    put("Young's modulus", &|m| m.parameters.get("E").copied().unwrap_or(f64::NAN));
    put("Poisson's ratio", &|m| m.poisson);
    put("beta damping", &|m| m.damping);
    put("area", &|m| m.area);
    put(moment, &|m| m.second_moment);
}

/// Reads a model of beams with the total length `length`, m.
fn material(spec: Result<ModelSpec, ModelError>, length: f64) -> Measured<Material> {
    let spec = spec.map_err(|e| e.to_string())?;
    let parameters = spec.parameter_values().map_err(|e| e.to_string())?;
    let model = spec.build().map_err(|e| e.to_string())?;
    let moved = model.coordinates().translation(0);
    let m = model.dense_blocks(&model.initial_point()).m;
    let mass: f64 =
        (0..m.nrows()).map(|i| moved[i] * (0..m.ncols()).map(|j| m[(i, j)] * moved[j]).sum::<f64>()).sum();
    let section = &spec.beams.first().ok_or("no beam")?.section;
    let area = evaluated(&spec, section.area.as_ref())?;
    let second_moment = evaluated(&spec, section.second_moments.as_ref().map(|m| &m[0]))?;
    let poisson = spec.beams.first().map(poisson).ok_or("no beam")??;
    let damping = spec.beams.iter().filter(|b| b.damping.is_some()).count() as f64;
    Ok(Material { density: mass / (area * length), parameters, poisson, damping, area, second_moment })
}

/// A number of the section as the model evaluates it.
fn evaluated(spec: &ModelSpec, value: Option<&Value>) -> Measured<f64> {
    const WANTED: &str = "of_the_section";
    let mut spec = spec.clone();
    spec.parameters.insert(WANTED.to_owned(), value.ok_or("the section has no such number")?.clone());
    let all = spec.parameter_values().map_err(|e| e.to_string())?;
    all.get(WANTED).copied().ok_or_else(|| "no value".to_owned())
}

/// Poisson's ratio of a beam's material.
fn poisson(beam: &BeamSpec) -> Measured<f64> {
    match &beam.poissons_ratio {
        Some(Value::Number(x)) => Ok(*x),
        Some(other) => Err(format!("Poisson's ratio is {other}")),
        None => Err("no Poisson's ratio".to_owned()),
    }
}
