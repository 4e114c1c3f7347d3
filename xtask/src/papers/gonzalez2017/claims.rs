//! Statements of Secs. 3 and 5.1 as numbers: errors of the formulations, and what happens at the singular point.
//!
//! Paper: [gonzalez2017] Sec. 5.1.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_gallery::Computed;

use super::errata;
use super::measure::statements;
use super::results::{Linkage, Measured, Results};
use crate::answers::{Answer, Answers, count};

/// The answers to the table of claims.
pub(crate) fn answers(results: &Results) -> Answers {
    let mut answers = Answers::default();
    let mut put = |claim: &str, answer: Answer| answers.put(&format!("claim={claim}"), "value", answer);
    for (damped, c) in [(false, 0), (true, 1)] {
        put(&format!("UCS error, c = {c}"), largest(results, damped, 2));
        put(&format!("RCS error, c = {c}"), largest(results, damped, 1));
    }
    let singular = &results.singular;
    put("rank lost at the singular point", singular.rank_lost.clone().map(count));
    put(
        "s_2 with other multipliers at the singular point",
        errata::change_by_multipliers().map(Computed::Real),
    );
    put("independent velocities at the singular point", singular.velocities.clone().map(count));
    put(
        "velocities found with the angle as the independent coordinate",
        singular.angle_alone_accepted.clone().map(|accepted| count(usize::from(accepted))),
    );
    put("pairs found after a new selection", singular.eigenpairs[0].clone().map(|p| count(p.len())));
    for (claim, found) in statements::linkages() {
        put(claim, found.map(Computed::Real));
    }
    answers
}

/// Largest distance of a family's eigenvalue from MCS's, over all N.
fn largest(results: &Results, damped: bool, family: usize) -> Answer {
    let distance = |linkage: &Linkage| -> Measured<f64> {
        let (exact, s) = (linkage.families[0].s.clone()?, linkage.families[family].s.clone()?);
        Ok(s.distance(exact))
    };
    let distances: Measured<Vec<f64>> = results.linkages(damped).map(distance).collect();
    // f64::max would drop a NaN; total order keeps it, and then no claim holds.
    match distances?.into_iter().max_by(f64::total_cmp) {
        Some(largest) => Ok(Computed::Real(largest)),
        None => Err("no linkage was computed".to_owned()),
    }
}
