//! Table 2: the eigenvalue of the damped linkage for N = 1 to 20.
//!
//! Paper: [gonzalez2017] Table 2.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_gallery::Computed;

use super::results::{FAMILIES, Results};
use crate::answers::Answers;

/// The answers to Table 2.
pub(crate) fn answers(results: &Results) -> Answers {
    let mut answers = Answers::default();
    for linkage in results.linkages(true) {
        let row = format!("N={}", linkage.loops);
        for (name, family) in FAMILIES.into_iter().zip(&linkage.families) {
            answers.put_by(&row, "s_1", name, family.s.clone().map(Computed::from));
        }
    }
    answers
}
