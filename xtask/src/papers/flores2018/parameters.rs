//! Tables 1 and 2 and everything else the study assumes, each number with its provenance.
//!
//! Paper: [flores2018] Sec. 3, Tables 1, 2.
//!
//! [flores2018]: ../../../../docs/references.bib

use mb_constraints::ConstraintMethod;
use mb_constraints::simulate::{Integrator, SimulationOptions, StepControl};
use mb_gallery::Computed;
use mb_gallery::models::SpatialFourBar;

use super::runs::{EVERY, Lengths, Measured, UNTIL, model};
use crate::answers::Answers;

/// Table 1: the bodies, from the linkage that is simulated.
pub(super) fn table1() -> Answers {
    let mut answers = Answers::default();
    let bar = Lengths::Adopted.linkage();
    let lengths = [bar.crank, bar.coupler(), bar.rocker];
    for (k, body) in ["crank", "coupler", "rocker"].into_iter().enumerate() {
        let row = format!("body={body}");
        let mut put = |column: &str, x: f64| answers.put(&row, column, Ok(Computed::Real(x)));
        put("length", lengths[k]);
        put("mass", bar.mass[k]);
        for axis in ["I_xi", "I_eta", "I_zeta"] {
            put(axis, bar.inertia[k]);
        }
    }
    answers
}

/// Table 2: the defaults that every run of the study uses.
pub(super) fn table2() -> Answers {
    let mut answers = Answers::default();
    let mut put = |parameter: &str, value: f64| {
        answers.put(&format!("parameter={parameter}"), "value", Ok(Computed::Real(value)));
    };
    let control = StepControl::default();
    // The pair and the control of ode45, which the integrator says it is.
    let integrator = match SimulationOptions::default().integrator {
        Integrator::DormandPrince { .. } => "ode45",
        Integrator::GeneralizedAlpha(_) => "another",
    };
    put("final time of simulation", UNTIL);
    put("reporting time step", EVERY);
    put("relative tolerance", control.relative);
    put("absolute tolerance", control.absolute);
    for method in ConstraintMethod::all() {
        match method {
            ConstraintMethod::Baumgarte(m) => {
                put("Baumgarte, alpha", m.alpha);
                put("Baumgarte, beta", m.beta);
            }
            ConstraintMethod::Penalty(m) => {
                put("penalty, alpha", m.alpha);
                put("penalty, omega", m.omega);
                put("penalty, mu", m.mu);
            }
            _ => {}
        }
    }
    answers.put("parameter=integrator algorithm", "value", Ok(Computed::Word(integrator.to_owned())));
    answers
}

/// Every number of the model, of both linkages, as the program reads it.
pub(super) fn provenance() -> Answers {
    let mut answers = Answers::default();
    for (name, lengths) in Lengths::ALL {
        let bar = lengths.linkage();
        let found = numbers(&bar);
        for (k, quantity) in QUANTITIES.into_iter().enumerate() {
            let value = found.as_ref().map(|list| Computed::Real(list[k])).map_err(Clone::clone);
            answers.put(&format!("quantity={quantity}"), name, value);
        }
    }
    answers
}

/// All numbers of the model.
const QUANTITIES: [&str; 17] = [
    "crank",
    "coupler",
    "rocker",
    "distance of the pivots along y",
    "mass of the crank",
    "mass of the coupler",
    "mass of the rocker",
    "inertia of the crank",
    "inertia of the coupler",
    "inertia of the rocker",
    "place of the crank's mass centre",
    "spring, stiffness",
    "spring, natural length",
    "gravity along z",
    "crank speed about x",
    "coupler spin",
    "augmented Lagrangian, relative tolerance",
];

/// The values of [`QUANTITIES`], from the built model where they live there.
fn numbers(bar: &SpatialFourBar) -> Measured<[f64; QUANTITIES.len()]> {
    let model = model(bar)?;
    // Body by body: place and Euler parameters; velocity of the mass centre and angular velocity.
    let (q, v) = (model.initial(), model.initial_velocity());
    let iterated = ConstraintMethod::all().into_iter().find_map(|m| match m {
        ConstraintMethod::AugmentedLagrangian(m) => Some(m.tolerance),
        _ => None,
    });
    Ok([
        bar.crank,
        bar.coupler(),
        bar.rocker,
        bar.distance,
        bar.mass[0],
        bar.mass[1],
        bar.mass[2],
        bar.inertia[0],
        bar.inertia[1],
        bar.inertia[2],
        q[2] / bar.crank,
        bar.stiffness,
        bar.natural_length,
        model.gravity[2],
        v[3],
        // The coupler's line is the z-axis of its body.
        v[11],
        iterated.ok_or("the methods lack the augmented Lagrangian")?,
    ])
}
