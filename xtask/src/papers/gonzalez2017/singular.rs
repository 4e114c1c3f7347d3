//! The singular equilibrium of Sec. 5.1, Fig. 4: angle and both eigenvalue pairs.
//!
//! Paper: [gonzalez2017] Sec. 5.1, Fig. 4.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_gallery::Computed;

use super::results::{FAMILIES, Results};
use crate::answers::Answers;

const ROW: &str = "case=N=1, k=0";

/// The answers to the singular case.
pub(crate) fn answers(results: &Results) -> Answers {
    let mut answers = Answers::default();
    let singular = &results.singular;
    answers.put(ROW, "phi_0", singular.phi.clone().map(Computed::Real));
    for (name, pairs) in FAMILIES.into_iter().zip(&singular.eigenpairs) {
        for (index, column) in ["s_1", "s_2"].into_iter().enumerate() {
            answers.put_by(ROW, column, name, pairs.clone().map(|p| p[index].into()));
        }
    }
    answers
}
