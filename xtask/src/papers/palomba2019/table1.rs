//! Table 1: how many terms the polynomials have.
//!
//! Paper: [palomba2019] Table 1.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use mb_gallery::Table;
use mb_parametric::MultiIndexSet;

use crate::answers::{Answers, count};

/// The sizes of the sets the program makes.
pub(super) fn answers(table: &Table) -> Answers {
    let mut answers = Answers::default();
    for row in &table.rows {
        let Some(rigid) = row.label.strip_prefix("n_r=").and_then(|n| n.parse::<usize>().ok()) else {
            continue;
        };
        for (kind, parameters) in [("static", rigid), ("dynamic", 2 * rigid)] {
            for order in 1..=5 {
                let size = MultiIndexSet::total(parameters, order).map(|set| count(set.len()));
                answers.put(&row.label, &format!("{kind} t={order}"), size.map_err(|e| e.to_string()));
            }
        }
    }
    answers
}
