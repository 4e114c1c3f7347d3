//! Equations of the paper that cannot stand as printed, each by a count that proves it.
//!
//! Paper: [flores2018] Eqs. (4), (10), (15), (16), (18), (20), (21).
//!
//! [flores2018]: ../../../../docs/references.bib

use mb_algebra::RankTolerance;
use mb_constraints::method::AugmentedLagrangian;
use mb_constraints::{ConstraintMethod, ForwardDynamics, constraint_rank};
use mb_model::Model;

use super::runs::{Case, Lengths, Loop, Measured, Study, model, words};
use crate::answers::{Answers, count};

/// The answers to the table of errata.
pub(super) fn answers(study: &mut Study) -> Answers {
    let mut answers = Answers::default();
    let mut put = |place: &str, value: Measured<usize>| {
        answers.put(&format!("place={place}"), "value", value.map(count));
    };
    let built = model(&Lengths::Adopted.linkage());
    let of = |f: fn(&Model) -> usize| built.as_ref().map(f).map_err(Clone::clone);
    put("Eq. (4), second form", of(Model::nc));
    put("Eq. (10)", endings_with_equality(study));
    put("Eq. (15)", of(|m| m.nv() - m.nc()));
    put("Eqs. (16), (18)", rank_lost_by_a_joint_stated_twice());
    put("Eq. (20)", of(Model::nq));
    answers
}

/// At how many reported states the last change of the augmented Lagrangian iteration equals the tolerance.
fn endings_with_equality(study: &mut Study) -> Measured<usize> {
    let case = Case { lengths: Lengths::Adopted, method: 3, calls: Loop::Continuous, long: false };
    let model = model(&case.lengths.linkage())?;
    let usual = AugmentedLagrangian::default();
    let mut dynamics = held(&model, usual)?;
    let motion = study.run(case).as_ref().map_err(Clone::clone)?;
    let mut equal = 0;
    for i in 0..motion.len() {
        let (t, q, v) = (motion.times[i], motion.q_at(i), motion.v_at(i));
        dynamics.evaluate(t, q, v).map_err(words)?;
        let last = dynamics.acceleration().to_vec();
        let iterations = dynamics.diagnostics().iterations;
        // The iterate before, by a cap: a tolerance of zero is not allowed.
        let capped =
            AugmentedLagrangian { max_iterations: iterations - 1, tolerance: f64::MIN_POSITIVE, ..usual };
        let mut before = held(&model, capped)?;
        before.evaluate(t, q, v).map_err(words)?;
        let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
        let change = norm(&mut last.iter().zip(before.acceleration()).map(|(a, b)| a - b));
        let allowed = usual.tolerance * norm(&mut last.iter().copied());
        if change > allowed {
            return Err(format!("the iteration ended at t = {t} s above its tolerance"));
        }
        // Exactly so: an equality, as printed, is one of floating-point numbers.
        equal += usize::from(change.to_bits() == allowed.to_bits());
    }
    Ok(equal)
}

fn held(model: &Model, method: AugmentedLagrangian) -> Measured<ForwardDynamics<'_>> {
    ForwardDynamics::new(model, &ConstraintMethod::AugmentedLagrangian(method), &[]).map_err(words)
}

/// Rows minus rank of D when a spherical joint stands in the model twice.
fn rank_lost_by_a_joint_stated_twice() -> Measured<usize> {
    let model = with_joint_twice()?;
    let rank = constraint_rank(&model, model.initial(), 0.0, RankTolerance::default()).map_err(words)?;
    Ok(rank.rows - rank.rank())
}

/// The linkage with the spherical joint A stated twice.
pub(super) fn with_joint_twice() -> Measured<Model> {
    let mut spec = Lengths::Adopted.linkage().spec().map_err(words)?;
    let mut again = spec.joints.iter().find(|j| j.name == "A").ok_or("no joint A")?.clone();
    "A-again".clone_into(&mut again.name);
    spec.joints.push(again);
    spec.build().map_err(words)
}
