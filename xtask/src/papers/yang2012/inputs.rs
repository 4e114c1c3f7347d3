//! Tables 1 and 4: the parameters, read back from the models that are analysed.
//!
//! ```text
//! density = 1^T M 1 / (A L),   1 a translation of everything
//! ```
//!
//! Paper: [yang2012] Tables 1, 4.
//!
//! [yang2012]: mb_eigen::direct

use std::collections::BTreeMap;

use mb_gallery::Computed;
use mb_gallery::models::{BeamCantilever, BeamFourBar};
use mb_model::spec::BeamSpec;
use mb_model::{ModelError, ModelSpec};

use super::system::Measured;
use crate::answers::Answers;

/// What both tables have in common.
struct Material {
    parameters: BTreeMap<String, f64>,
    density: f64,
    poisson: f64,
    damping: f64,
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

fn material_answers(answers: &mut Answers, found: &Measured<Material>, moment: &str) {
    let side = |m: &Material| m.parameters.get("b").copied().unwrap_or(f64::NAN);
    let mut put = |item: &str, of: &dyn Fn(&Material) -> f64| {
        let value = found.as_ref().map(|m| Computed::Real(of(m))).map_err(Clone::clone);
        answers.put(&format!("item={item}"), "value", value);
    };
    put("density", &|m| m.density);
    put("Young's modulus", &|m| m.parameters.get("E").copied().unwrap_or(f64::NAN));
    put("Poisson's ratio", &|m| m.poisson);
    put("beta damping", &|m| m.damping);
    put("area", &|m| side(m).powi(2));
    put(moment, &|m| side(m).powi(4) / 12.0);
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
    let side = parameters.get("b").copied().ok_or("no side of the section")?;
    let poisson = spec.beams.first().map(poisson).ok_or("no beam")??;
    let damping = spec.beams.iter().filter(|b| b.damping.is_some()).count() as f64;
    Ok(Material { density: mass / (side * side * length), parameters, poisson, damping })
}

/// Poisson's ratio of a beam's material.
fn poisson(beam: &BeamSpec) -> Measured<f64> {
    match &beam.poissons_ratio {
        Some(mb_model::spec::Value::Number(x)) => Ok(*x),
        Some(other) => Err(format!("Poisson's ratio is {other}")),
        None => Err("no Poisson's ratio".to_owned()),
    }
}
