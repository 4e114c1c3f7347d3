//! Table 6: the features of the three families, each word the outcome of a measurement.
//!
//! Paper: [gonzalez2017] Table 6.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_gallery::Computed;

use super::results::{FAMILIES, Linkage, Measured, Results};
use crate::answers::Answers;

/// Errors below this are round-off of the eigenvalue solver, in rad/s.
const EXACT_BELOW: f64 = 1e-9;
/// An explicit run follows the exact solution when it deviates by less than this, relative to the amplitude.
const FOLLOWS_BELOW: f64 = 1e-6;
/// How much faster a family must be than the others to earn the second mark.
const CLEARLY_FASTER: f64 = 2.0;

fn put(answers: &mut Answers, feature: &str, words: [Measured<String>; 3]) {
    for (name, word) in FAMILIES.into_iter().zip(words) {
        answers.put(&format!("feature={feature}"), name, word.map(Computed::Word));
    }
}

/// The marks for efficiency, which follow from elapsed times.
pub(crate) fn efficiency_answers(results: &Results) -> Answers {
    let mut answers = Answers::default();
    put(&mut answers, "Efficiency (n ~ m)", efficiency(results));
    put(&mut answers, "Efficiency (n >> m)", marked(results.features.many_coordinates_ms.clone()));
    answers
}

/// The answers to the rows of Table 6 that no clock decides.
pub(crate) fn answers(results: &Results) -> Answers {
    let mut answers = Answers::default();
    let mut put = |feature: &str, words| put(&mut answers, feature, words);
    put(
        "Forward dynamics with explicit integration",
        results.features.explicit_run.clone().map(|run| Ok(yes_no(run?.is_some_and(|d| d < FOLLOWS_BELOW)))),
    );
    put("Exact eigenvalues", [0, 1, 2].map(|family| exact(results, family)));
    put("Spurious eigenvalues", FAMILIES.map(|family| spurious(results, family)));
    put("Handles singular configurations", singular(results));
    put("Degrades sparsity", sparsity(results));
    answers
}

fn yes_no(yes: bool) -> String {
    if yes { "Yes" } else { "No" }.to_owned()
}

/// Two marks to a family clearly faster than every family with one mark; all alike get one.
fn efficiency(results: &Results) -> [Measured<String>; 3] {
    let Some(linkage) = results.linkages(false).max_by_key(|l| l.loops) else {
        return FAMILIES.map(|_| Err("no linkage was computed".to_owned()));
    };
    let times: Measured<Vec<f64>> = linkage.families.iter().map(|f| f.elapsed_ms.clone()).collect();
    marked(times.map(|t| [t[0], t[1], t[2]]))
}

fn marked(times: Measured<[f64; 3]>) -> [Measured<String>; 3] {
    match times {
        Ok(times) => marks(times).map(|mark| Ok(mark.to_owned())),
        Err(why) => FAMILIES.map(|_| Err(why.clone())),
    }
}

fn marks(times: [f64; 3]) -> [&'static str; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
    // The first gap wide enough splits the fast from the others.
    let split = (0..2).find(|&i| times[order[i]] * CLEARLY_FASTER <= times[order[i + 1]]);
    let mut marks = ["✓"; 3];
    if let Some(last_fast) = split {
        for &family in &order[..=last_fast] {
            marks[family] = "✓✓";
        }
    }
    marks
}

fn exact(results: &Results, family: usize) -> Measured<String> {
    let error = |linkage: &Linkage| -> Measured<f64> {
        Ok(linkage.families[family].s.clone()?.distance(linkage.closed_form.clone()?))
    };
    let errors: Measured<Vec<f64>> = results.linkages.iter().map(error).collect();
    let errors = errors?;
    Ok(yes_no(!errors.is_empty() && errors.iter().all(|&e| e < EXACT_BELOW)))
}

fn spurious(results: &Results, family: &str) -> Measured<String> {
    let counted = results.counted.iter().filter(|c| c.formulation == family).max_by_key(|c| c.loops);
    let classes = counted.ok_or_else(|| "no spectrum was counted".to_owned())?.classes.clone()?;
    Ok(yes_no(classes.infinite + classes.zero + classes.penalty > 0))
}

/// MCS keeps the coordinates it was given (the angle); RCS and UCS have none to select.
fn singular(results: &Results) -> [Measured<String>; 3] {
    let singular = &results.singular;
    let found = |family: usize| Ok(yes_no(singular.eigenpairs[family].is_ok()));
    [singular.angle_alone_accepted.clone().map(yes_no), found(1), found(2)]
}

fn sparsity(results: &Results) -> [Measured<String>; 3] {
    match &results.features.density {
        Ok(density) => density.families.map(|share| {
            let word = if share <= density.model {
                "No"
            } else if share > 0.5 {
                "Yes"
            } else {
                "Moderately"
            };
            Ok(word.to_owned())
        }),
        Err(why) => FAMILIES.map(|_| Err(why.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::marks;

    #[test]
    fn the_second_mark_needs_a_clear_lead() {
        assert_eq!(marks([1.0, 6.0, 8.0]), ["✓✓", "✓", "✓"]);
        assert_eq!(marks([1.0, 1.5, 1.9]), ["✓", "✓", "✓"]);
        assert_eq!(marks([5.0, 1.0, 1.5]), ["✓", "✓✓", "✓✓"]);
    }
}
