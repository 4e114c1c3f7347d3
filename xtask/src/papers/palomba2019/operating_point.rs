//! Appendix A.2: does the printed operating point satisfy the equations of motion?
//!
//! ```text
//! |r_i| / sum over j of |dr_i/dz_j| h_j
//! ```
//!
//! with z all printed numbers and h half a unit of their last places.
//!
//! Paper: [palomba2019] Table 2.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::collections::BTreeMap;

use mb_gallery::models::ErlsArm;
use mb_gallery::{Computed, Table};
use mb_model::ModelSource;

use super::arm;
use crate::answers::Answers;

/// The printed point as the expansion takes it.
pub(super) fn printed(table: &Table) -> Answers {
    let mut answers = Answers::default();
    let point = arm::printed_point(&ErlsArm::recovered());
    let columns = point
        .as_ref()
        .map(|p| [("q", [p.q.clone(), p.u.clone()].concat()), ("qd", p.v.clone()), ("qdd", p.a.clone())]);
    for (name, list) in columns.into_iter().flatten() {
        let rows = table.rows.iter().filter(|row| row.cell(name).is_some());
        for (row, x) in rows.zip(list) {
            answers.put(&row.label, name, Ok(Computed::Real(x)));
        }
    }
    answers
}

/// The residual of every equation for the recovered parameters.
pub(super) fn answers(table: &Table) -> Answers {
    let mut answers = Answers::default();
    let misfits = Table::load("palomba2019/operating-point")
        .map_err(|e| e.to_string())
        .and_then(|point| misfits(&point, &ErlsArm::recovered()));
    let rows = table.rows.iter().filter(|row| row.cell("residual").is_some());
    for (i, row) in rows.enumerate() {
        let one = misfits.as_ref().map_err(Clone::clone).and_then(|list| {
            list.get(i).map(|x| Computed::Real(*x)).ok_or_else(|| "no such equation".to_owned())
        });
        answers.put(&row.label, "residual", one);
    }
    answers
}

/// The residual of every equation in units of what the printed digits leave open.
pub(super) fn misfits(table: &Table, arm: &ErlsArm) -> Result<Vec<f64>, String> {
    let model = arm.model::<f64>(&BTreeMap::new()).map_err(|e| e.to_string())?;
    let point = arm::printed_point(arm)?;
    let r = model.residual(&point);
    let halves = |name: &str| -> Result<Vec<f64>, String> {
        Ok(arm::column(table, name)?.into_iter().map(|(_, half)| half).collect())
    };
    let mut q = halves("q")?;
    let u = q.split_off(q.len() - model.inputs().len());
    let blocks = model.dense_blocks(&point);
    let inputs = model.input_matrix(&point).to_dense();
    let parts = [(&blocks.k, q), (&blocks.c, halves("qd")?), (&blocks.m, halves("qdd")?), (&inputs, u)];
    let open = |i: usize| -> f64 {
        parts.iter().map(|(a, h)| h.iter().enumerate().map(|(j, h)| a[(i, j)].abs() * h).sum::<f64>()).sum()
    };
    Ok(r.iter().enumerate().map(|(i, r)| r.abs() / open(i)).collect())
}
