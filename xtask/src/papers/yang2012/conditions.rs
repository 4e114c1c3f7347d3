//! Condition numbers of K^, the scale c, and the condition number against k.
//!
//! ```text
//! cond(k) = O(max(k, c) max(1/k, c/k^2)) by (3.9);   with the block 1/c of the inverse: max(k, c) max(1, c/k, (c/k)^2) / c
//! ```
//!
//! Paper: [yang2012] Eqs. (3.5), (3.6), (3.9).
//!
//! [yang2012]: mb_eigen::direct

use mb_algebra::{Dense, Lu, Svd, dense, to_dense};
use mb_eigen::direct::{Augmented, Scaling, condition};
use mb_gallery::{Computed, Table};

use super::system::{Measured, System, Systems};
use crate::answers::Answers;

/// Condition numbers of the unshifted K^, of beams and of the small solid, and the c of both definitions.
pub(super) fn answers(systems: &Systems) -> Answers {
    let mut answers = Answers::default();
    for (name, system) in systems.all() {
        put_conditions(&mut answers, name, system);
        let system = system.as_ref().map_err(Clone::clone);
        let norm = system
            .clone()
            .and_then(|s| Scaling::InfinityNorm.factor(&s.pencil, 0.0).map_err(|e| e.to_string()));
        let mut put = |by: &str, x: Measured<f64>| {
            answers.put_by(&format!("quantity={name}, c"), "c", by, x.map(Computed::Real));
        };
        put("largest element", system.map(|s| s.c));
        put("infinity norm", norm);
    }
    for (name, tension) in [("Table 2, model 2", 0.0), ("Table 3, model 2", 1e10)] {
        put_conditions(&mut answers, name, &super::solid::slender(tension));
    }
    answers
}

/// The condition numbers of one system, unscaled and scaled.
fn put_conditions(answers: &mut Answers, name: &str, system: &Measured<System>) {
    let both = system.as_ref().map_err(Clone::clone).and_then(|s| {
        condition(&s.pencil, s.c, 0.0).map_err(|e| e.to_string()).map(|list| list.map(|c| c.value))
    });
    for (k, what) in ["unscaled", "scaled"].into_iter().enumerate() {
        let value = both.clone().map(|b| Computed::Real(b[k]));
        answers.put(&format!("quantity={name}, condition number, {what}"), "value", value);
    }
}

/// cond(k)/cond(c) for k = c times a power of ten.
pub(super) fn sweep(table: &Table, systems: &Systems) -> Answers {
    let mut answers = Answers::default();
    for row in &table.rows {
        let Some(ratio) = row.label.strip_prefix("k/c=").and_then(|x| x.parse::<f64>().ok()) else {
            continue;
        };
        for (name, system) in [("cantilever", &systems.free), ("linkage", &systems.linkage)] {
            let value = system.as_ref().map_err(Clone::clone).and_then(|s| Ok(at(s, ratio)? / at(s, 1.0)?));
            answers.put(&row.label, name, value.map(Computed::Real));
        }
    }
    answers
}

/// The condition number for k = ratio times c.
pub(super) fn at(system: &System, ratio: f64) -> Measured<f64> {
    let both = condition(&system.pencil, ratio * system.c, 0.0).map_err(|e| e.to_string())?;
    Ok(both[1].value)
}

/// The condition number with multipliers alone scaled by c, over that with both.
pub(super) fn one_sided(system: &System) -> Measured<f64> {
    let augmented = Augmented::new(&system.pencil).map_err(|e| e.to_string())?;
    let both = to_dense(&augmented.scaled(system.c).k);
    let n = augmented.unknowns;
    let by = |i: usize| if i < n { 1.0 } else { system.c };
    // Only columns: the rows of the constraints are divided by c again, and so are the columns of the inverse multiplied.
    let single = Dense::from_fn(both.nrows(), both.ncols(), |i, j| both[(i, j)] / by(i));
    let lu = Lu::new(&both).map_err(|e| e.to_string())?;
    let inverse = lu.solve_mat(&dense::identity(both.nrows()));
    let weighed = Dense::from_fn(both.nrows(), both.ncols(), |i, j| inverse[(i, j)] * by(j));
    let norm = |a: &Dense| -> Measured<f64> {
        Ok(Svd::new(a).map_err(|e| e.to_string())?.s.first().copied().unwrap_or(0.0))
    };
    Ok(norm(&single)? * norm(&weighed)? / (norm(&both)? * norm(&inverse)?))
}
