//! Equilibria and eigenvalues beyond the printed digits, against values computed separately.

use mb_gallery::Computed;

use super::results::{FAMILIES, Results};
use crate::answers::Answers;

/// The answers to the table of separately computed values.
pub(crate) fn answers(results: &Results) -> Answers {
    let mut answers = Answers::default();
    for linkage in &results.linkages {
        let row = format!("c={},N={}", u8::from(linkage.damped), linkage.loops);
        answers.put(&row, "phi_0", linkage.phi.clone().map(Computed::Real));
        answers.put(&row, "phi_p", linkage.penalty_phi.clone().map(Computed::Real));
        for (name, family) in FAMILIES.into_iter().zip(&linkage.families) {
            let column = if name == "UCS" { "s_p" } else { "s_1" };
            answers.put_by(&row, column, name, family.s.clone().map(Computed::from));
        }
    }
    answers
}
