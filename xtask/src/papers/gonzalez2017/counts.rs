//! Physical and spurious eigenvalues of each formulation (Secs. 3.1 to 3.3), by class.
//!
//! Paper: [gonzalez2017] Secs. 3.1 to 3.3.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use super::results::Results;
use crate::answers::{Answers, count};

/// The answers to the table of counts.
pub(crate) fn answers(results: &Results) -> Answers {
    let mut answers = Answers::default();
    for counted in &results.counted {
        let row = format!("formulation={},N={}", counted.formulation, counted.loops);
        let mut put = |column: &str, of: fn(&super::results::Classes) -> usize| {
            answers.put(&row, column, counted.classes.as_ref().map(|c| count(of(c))).map_err(Clone::clone));
        };
        put("physical", |c| c.physical);
        put("infinite", |c| c.infinite);
        put("zero", |c| c.zero);
        put("penalty", |c| c.penalty);
    }
    answers
}
