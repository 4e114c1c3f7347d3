//! Table 1: coordinates, equilibrium angle, eigenvalue and elapsed times for N = 1 to 20.
//!
//! Paper: [gonzalez2017] Table 1.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_gallery::Computed;

use super::results::{FAMILIES, Results};
use crate::answers::{Answers, count};

/// The answers to Table 1.
pub(crate) fn answers(results: &Results) -> Answers {
    let mut answers = Answers::default();
    for linkage in results.linkages(false) {
        let row = format!("N={}", linkage.loops);
        answers.put(&row, "n", linkage.coordinates.clone().map(count));
        answers.put(&row, "phi_0", linkage.phi.clone().map(Computed::Real));
        for (name, family) in FAMILIES.into_iter().zip(&linkage.families) {
            answers.put_by(&row, "s_1", name, family.s.clone().map(Computed::from));
            answers.put(&row, &format!("t_{name}"), family.elapsed_ms.clone().map(Computed::Real));
        }
    }
    answers
}
