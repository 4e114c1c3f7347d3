//! What the text says of Figs. 3-5 and of its two sets of numbers, as inequalities.
//!
//! Paper: [palomba2019] Sec. 4.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use mb_gallery::{Computed, Table};

use super::figures::{Errors, Figures, Measures, largest};
use super::{arm, operating_point};
use crate::answers::{Answer, Answers};

/// The answers to the table of claims.
pub(super) fn answers(figures: &Figures) -> Answers {
    let mut answers = Answers::default();
    let mut put = |claim: &str, answer: Answer| answers.put(&format!("claim={claim}"), "value", answer);
    let measured =
        |f: &dyn Fn(&Measures) -> f64| figures.0.as_ref().map(|m| Computed::Real(f(m))).map_err(Clone::clone);
    put("frequency error of order 4", measured(&|m| over_pairs(&m.literal[3], |e| &e.frequency)));
    put("damping error of order 4", measured(&|m| over_pairs(&m.literal[3], |e| &e.damping)));
    put("loss of MAC at order 4", measured(&|m| over_pairs(&m.literal[3], |e| &e.mac)));
    put(
        "largest error in the tails",
        measured(&|m| m.literal[3].iter().map(tail_share).fold(f64::MAX, f64::min)),
    );
    let anywhere = |m: &Measures| {
        [Errors::frequency_of, Errors::damping_of, Errors::mac_of].map(|f| over_pairs(&m.literal[3], f))
    };
    put("largest error anywhere", measured(&|m| largest(&anywhere(m))));
    put("reduction of the computation time", reduction());
    put("balanced, frequency error of order 4", measured(&|m| over_pairs(&m.balanced[3], |e| &e.frequency)));
    put("balanced, damping error of order 4", measured(&|m| over_pairs(&m.balanced[3], |e| &e.damping)));
    put(
        "literal against the motion, order 5",
        measured(&|m| over_pairs(&m.literal_in_motion[4], |e| &e.frequency)),
    );
    put("static, frequency error of order 4", measured(&|m| over_pairs(&m.at_rest[3], |e| &e.frequency)));
    put("static, damping error of order 4", measured(&|m| over_pairs(&m.at_rest[3], |e| &e.damping)));
    put("terms of the reduced set", measured(&|m| m.reduced_terms as f64));
    put("reduced set, frequency error", measured(&|m| over_pairs(&m.reduced, |e| &e.frequency)));
    put("reduced set, damping error", measured(&|m| over_pairs(&m.reduced, |e| &e.damping)));
    put("Table 2 at the printed operating point", table_2_misfit());
    answers
}

/// Percent of the first printed time that the second one saves.
fn reduction() -> Answer {
    let table = Table::load("palomba2019/timing").map_err(|e| e.to_string())?;
    let time = |work: &str| -> Result<f64, String> {
        let printed = table.number(&format!("work={work}"), "time").ok_or("the time is not there")?;
        Ok(printed.re().value())
    };
    Ok(Computed::Real(100.0 * (1.0 - time("polynomials at 51 points")? / time("51 eigenproblems")?)))
}

/// The largest error of three pairs.
fn over_pairs(row: &[Errors; 3], pick: fn(&Errors) -> &Vec<f64>) -> f64 {
    let all: Vec<f64> = row.iter().map(|errors| largest(pick(errors))).collect();
    largest(&all)
}

/// Largest error in the first and last quarter of the path, relative to the largest between.
fn tail_share(errors: &Errors) -> f64 {
    let list = &errors.frequency;
    let quarter = list.len() / 4;
    let tails = largest(&list[..quarter]).max(largest(&list[list.len() - quarter..]));
    tails / largest(&list[quarter..list.len() - quarter])
}

/// The worst equation with the rounded parameters, in units of what the digits leave open.
fn table_2_misfit() -> Answer {
    let table = Table::load("palomba2019/operating-point").map_err(|e| e.to_string())?;
    let [_, (_, arm)] = arm::sets();
    Ok(Computed::Real(largest(&operating_point::misfits(&table, &arm)?)))
}
