//! Fig. 3: what the methods cost, in evaluations and in elapsed time, in both loops.
//!
//! Paper: [flores2018] Fig. 3.
//!
//! [flores2018]: ../../../../docs/references.bib

use mb_gallery::Computed;

use super::draw::{Bars, bars};
use super::runs::{Case, Lengths, Loop, METHODS, Measured, Study, elapsed};
use crate::answers::{Answers, count};

fn cases() -> impl Iterator<Item = (&'static str, &'static str, Case)> {
    Loop::ALL.into_iter().flat_map(|(calls_name, calls)| {
        METHODS.into_iter().enumerate().map(move |(method, name)| {
            (calls_name, name, Case { lengths: Lengths::Adopted, method, calls, long: false })
        })
    })
}

/// Counts, and elapsed times relative to the standard method in the same loop.
pub(super) fn answers(study: &mut Study) -> Answers {
    let mut answers = Answers::default();
    let mut first = Err(String::new());
    for (calls, name, case) in cases() {
        let row = format!("loop={calls},method={name}");
        let s = study.of(case, |m| m.statistics);
        let of = |n: usize| Ok(count(n));
        answers.put(&row, "evaluations", s.clone().and_then(|s| of(s.evaluations)));
        answers.put(&row, "steps", s.and_then(|s| of(s.steps)));
        let time = elapsed(case);
        if case.method == 0 {
            first.clone_from(&time);
        }
        let ratio = match (&time, &first) {
            (Ok(time), Ok(first)) => Ok(Computed::Real(time / first)),
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
        };
        answers.put(&row, "time over standard", ratio);
    }
    answers
}

/// Evaluations of the right-hand side as bars.
pub(super) fn picture(study: &mut Study) -> Measured<String> {
    let mut groups: Vec<Bars> =
        METHODS.into_iter().map(|name| Bars { title: name.to_owned(), values: Vec::new() }).collect();
    for (calls, _, case) in cases() {
        let evaluations = study.of(case, |m| m.statistics.evaluations)?;
        groups[case.method].values.push((calls, evaluations));
    }
    Ok(bars("Evaluations of the right-hand side in 5 s", &groups))
}
