//! Statements of Secs. 2 and 3 on the methods themselves, each by runs or by the matrices of the linkage.
//!
//! ```text
//! D^+ = D^T (D D^T)^-1:   D D^+ D = D,  D^+ D D^+ = D^+,  D^+ D and D D^+ symmetric
//! ```
//!
//! Paper: [flores2018] Secs. 2, 3, Eqs. (2), (6), (9), (16) to (20).
//!
//! [flores2018]: ../../../../docs/references.bib

use mb_algebra::{Dense, Lu, dense, norms};
use mb_constraints::method::{
    AugmentedLagrangian, Baumgarte, CorrectionTime, CorrectionWeight, DirectCorrection, Penalty,
};
use mb_constraints::simulate::{StepControl, Trajectory};
use mb_constraints::{ConstraintMethod, ForwardDynamics};
use mb_gallery::Computed;
use mb_model::Model;

use super::claims::later_over_earlier;
use super::runs::{EVERY, Lengths, Measured, TIGHT, UNTIL, largest, model, motion, options, words};
use super::{errata, identities};
use crate::answers::Answers;

/// The answers to the table of the methods.
pub(super) fn answers() -> Answers {
    let mut answers = Answers::default();
    let mut put = |claim: &str, value: Measured<f64>| {
        answers.put(&format!("claim={claim}"), "value", value.map(Computed::Real));
    };
    let built = model(&Lengths::Adopted.linkage());
    let built = built.as_ref().map_err(Clone::clone);
    let with = |f: &dyn Fn(&Model) -> Measured<f64>| built.clone().and_then(f);
    put("Baumgarte, positive parameters are stable", with(&stable));
    put("Baumgarte, improper choice", with(&improper));
    put("penalty, larger alpha", with(&larger_alpha));
    put(
        "penalty, magnitude by omega",
        with(&|m| over(m, &penalty(1e7, 20.0, 1.0), &penalty(1e7, 10.0, 1.0))),
    );
    put(
        "penalty, changes of sign by omega and mu",
        with(&|m| Ok(turns(m, &penalty(1e7, 100.0, 0.1))? / turns(m, &penalty(1e7, 10.0, 1.0))?)),
    );
    let iterated = || ConstraintMethod::AugmentedLagrangian(AugmentedLagrangian::default());
    put(
        "oscillates around zero, Baumgarte",
        with(&|m| turns(m, &ConstraintMethod::Baumgarte(Baumgarte::default()))),
    );
    put("oscillates around zero, penalty", with(&|m| turns(m, &penalty(1e7, 10.0, 1.0))));
    put("oscillates around zero, augmented Lagrangian", with(&|m| turns(m, &iterated())));
    put("penalty, redundant constraints", with(&|m| stated_twice(m, &penalty(1e7, 10.0, 1.0))));
    put("augmented Lagrangian, redundant constraints", with(&|m| stated_twice(m, &iterated())));
    let bar = Lengths::Adopted.linkage();
    put(
        "penalty, singular configurations",
        identities::loss_near_the_limit(&bar, 1e-6, &penalty(1e7, 10.0, 1.0)),
    );
    put(
        "augmented Lagrangian, singular configurations",
        identities::loss_near_the_limit(&bar, 1e-6, &iterated()),
    );
    put("augmented Lagrangian, size of the system", with(&|m| Ok(m.nv() as f64 / (m.nv() + m.nc()) as f64)));
    put("Moore-Penrose inverse, Eq. (17)", with(&|m| moore_penrose(m)));
    put("more massive bodies are moved less", with(&weighted));
    answers
}

fn penalty(alpha: f64, omega: f64, mu: f64) -> ConstraintMethod {
    ConstraintMethod::Penalty(Penalty { alpha, omega, mu })
}

fn run(model: &Model, until: f64, method: &ConstraintMethod) -> Measured<Trajectory> {
    motion(model, &options(until, EVERY, method.clone(), StepControl::default()))
}

/// Largest Phi^T Phi of the second 25 s over that of the first, the worst of several positive parameters.
fn stable(model: &Model) -> Measured<f64> {
    let pairs = [(1.0, 1.0), (5.0, 5.0), (20.0, 20.0), (2.0, 10.0), (10.0, 2.0)];
    let found: Measured<Vec<f64>> = pairs
        .into_iter()
        .map(|(alpha, beta)| {
            let method = ConstraintMethod::Baumgarte(Baumgarte { alpha, beta });
            Ok(later_over_earlier(&run(model, 10.0 * UNTIL, &method)?))
        })
        .collect();
    Ok(largest(found?))
}

/// Largest Phi^T Phi in 50 s with alpha = beta = 0.01 over that with 5.
fn improper(model: &Model) -> Measured<f64> {
    let of = |x: f64| {
        let method = ConstraintMethod::Baumgarte(Baumgarte { alpha: x, beta: x });
        Ok(run(model, 10.0 * UNTIL, &method)?.violation().0)
    };
    let weak: Measured<f64> = of(0.01);
    Ok(weak? / of(5.0)?)
}

/// Largest |Phi| with alpha = 1e8 over that with 1e7, at tolerances far below that.
fn larger_alpha(model: &Model) -> Measured<f64> {
    let of = |alpha: f64| -> Measured<f64> {
        Ok(motion(model, &options(UNTIL, EVERY, penalty(alpha, 10.0, 1.0), TIGHT))?.violation().0.sqrt())
    };
    Ok(of(1e8)? / of(1e7)?)
}

/// Largest |Phi| with one method over that with another.
fn over(model: &Model, one: &ConstraintMethod, other: &ConstraintMethod) -> Measured<f64> {
    Ok((run(model, UNTIL, one)?.violation().0 / run(model, UNTIL, other)?.violation().0).sqrt())
}

/// How often the row that is violated most changes its sign.
fn turns(model: &Model, method: &ConstraintMethod) -> Measured<f64> {
    let found = run(model, UNTIL, method)?;
    let phi: Vec<Vec<f64>> = (0..found.len()).map(|i| model.phi(found.q_at(i), found.times[i])).collect();
    let most = |row: usize| phi.iter().map(|p| p[row].abs()).fold(0.0, f64::max);
    let row = (0..model.nc()).max_by(|a, b| most(*a).total_cmp(&most(*b))).ok_or("no constraints")?;
    Ok(phi.windows(2).filter(|w| w[0][row] * w[1][row] < 0.0).count() as f64)
}

/// Largest distance of the positions after 5 s from those of the linkage whose joint A is stated once.
fn stated_twice(model: &Model, method: &ConstraintMethod) -> Measured<f64> {
    let (once, twice) = (run(model, UNTIL, method)?, run(&errata::with_joint_twice()?, UNTIL, method)?);
    let last = once.len() - 1;
    let apart: Vec<f64> = once.q_at(last).iter().zip(twice.q_at(last)).map(|(a, b)| a - b).collect();
    Ok(norms::max_abs_vec(&apart))
}

/// Largest departure from the four equations of the Moore-Penrose inverse, relative to the terms.
fn moore_penrose(model: &Model) -> Measured<f64> {
    let d = model.phi_q(model.initial(), 0.0).to_dense();
    let t = dense::transpose(&d);
    let lu = Lu::new(&dense::mul(&d, &t)).map_err(words)?;
    // D^+ = ((D D^T)^-1 D)^T, since D D^T is symmetric.
    let rows: Vec<Vec<f64>> = (0..d.ncols()).map(|j| lu.solve(&dense::column(&d, j))).collect();
    let inverse = dense::from_rows(&rows);
    let (left, right) = (dense::mul(&inverse, &d), dense::mul(&d, &inverse));
    let apart = |a: &Dense, b: &Dense| norms::max_abs(&dense::add(1.0, a, -1.0, b)) / norms::max_abs(b);
    Ok(largest([
        apart(&dense::mul(&right, &d), &d),
        apart(&dense::mul(&left, &inverse), &inverse),
        apart(&dense::transpose(&left), &left),
        apart(&dense::transpose(&right), &right),
    ]))
}

/// How far one correction moves the coupler, weighted by the masses over unweighted, for the same violation.
fn weighted(model: &Model) -> Measured<f64> {
    let mut q = model.initial().to_vec();
    let step: Vec<f64> = (0..model.nv()).map(|i| 1e-3 * ((7 * i) % 5) as f64 - 2e-3).collect();
    model.coordinates().retract_in_place(&mut q, &step);
    let moved = |weight: CorrectionWeight| -> Measured<f64> {
        let when = CorrectionTime::EveryStep;
        let method = ConstraintMethod::DirectCorrection(DirectCorrection {
            when,
            weight,
            ..DirectCorrection::default()
        });
        let mut dynamics = ForwardDynamics::new(model, &method, &[]).map_err(words)?;
        let (mut corrected, mut v) = (q.clone(), model.initial_velocity().to_vec());
        dynamics.correct(0.0, &mut corrected, &mut v).map_err(words)?;
        // The coupler is the second body; a body has seven coordinates.
        Ok((7..10).map(|i| (corrected[i] - q[i]).powi(2)).sum::<f64>().sqrt())
    };
    Ok(moved(CorrectionWeight::Mass)? / moved(CorrectionWeight::Identity)?)
}
