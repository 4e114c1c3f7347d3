//! Matrices and Taylor coefficients against values computed separately.
//!
//! Paper: [palomba2019] Eqs. (20)-(22).
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use mb_algebra::{Dense, norms};
use mb_gallery::models::ErlsArm;
use mb_gallery::{Computed, Table};
use mb_parametric::{
    EigenpairSeries, ExpandOptions, ModelSeries, MultiIndexSet, PointRule, StartingEigenpair, expand,
    model_series,
};

use super::arm::{self, PAIRS};
use crate::answers::Answers;

/// The expansion the paper makes: everything frozen but angles and speeds.
pub(super) fn literal(arm: &ErlsArm, order: usize) -> Result<ModelSeries, String> {
    let point = arm::printed_point(arm)?;
    let set = MultiIndexSet::total(4, order).map_err(|e| e.to_string())?;
    model_series(arm, &point, &arm::variables(arm), &set, &PointRule::Frozen).map_err(|e| e.to_string())
}

/// Norms, traces and entries of M, C and K.
pub(super) fn matrices() -> Answers {
    let mut answers = Answers::default();
    for (name, arm) in arm::sets() {
        let pencil = literal(&arm, 1).and_then(|s| s.pencil.evaluate(&[0.0; 4]).map_err(|e| e.to_string()));
        let row = format!("parameters={name}");
        for (letter, pick) in [("M", 0), ("C", 1), ("K", 2)] {
            let matrix = pencil.as_ref().map(|p| [&p.m, &p.c, &p.k][pick]);
            let mut put = |what: &str, f: &dyn Fn(&Dense) -> f64| {
                let answer = matrix.map(|a| Computed::Real(f(a))).map_err(Clone::clone);
                answers.put(&row, &format!("{letter} {what}"), answer);
            };
            put("norm", &norms::frobenius);
            put("trace", &|a| (0..a.nrows()).map(|i| a[(i, i)]).sum());
            for (i, j) in [(9, 22), (11, 21), (21, 10)] {
                put(&format!("[{i},{j}]"), &|a| a[(i, j)]);
            }
        }
    }
    answers
}

/// Coefficients of the three eigenvalues to order 4.
pub(super) fn coefficients(table: &Table) -> Answers {
    let mut answers = Answers::default();
    for (name, arm) in arm::sets() {
        let series = literal(&arm, 4).and_then(|s| eigenpairs(&s));
        for row in &table.rows {
            let Some(term) = row.label.strip_prefix(&format!("parameters={name},term=")) else { continue };
            let sigma: Vec<u8> = term.split(' ').filter_map(|e| e.parse().ok()).collect();
            for (i, pair) in PAIRS.iter().enumerate() {
                let one = series.as_ref().map_err(Clone::clone).and_then(|list| {
                    let number = list[i].set().number(&sigma).ok_or("no such term")?;
                    let c = list[i].eigenvalue_coefficients()[number];
                    Ok(Computed::Complex { re: c.re, im: c.im })
                });
                answers.put(&row.label, pair, one);
            }
        }
    }
    answers
}

/// The three elastic eigenpairs of a model's series, over the same set.
pub(super) fn eigenpairs(series: &ModelSeries) -> Result<Vec<EigenpairSeries>, String> {
    let zero = vec![0.0; series.variables.len()];
    let centre = series.pencil.evaluate(&zero).map_err(|e| e.to_string())?;
    let expand_one = |pair: mb_parametric::RefinedEigenpair| {
        let start = StartingEigenpair { s: pair.s, vector: pair.vector };
        expand(&series.pencil, &start, series.pencil.set(), &ExpandOptions::default())
            .map_err(|e| e.to_string())
    };
    arm::elastic_pairs(&centre)?.into_iter().map(expand_one).collect()
}

/// Share of the direction of one vector in another: |a^H b|^2 / (a^H a b^H b).
pub(super) fn mac(a: &[mb_algebra::c64], b: &[mb_algebra::c64]) -> f64 {
    let dot = |x: &[mb_algebra::c64], y: &[mb_algebra::c64]| -> mb_algebra::c64 {
        x.iter().zip(y).map(|(x, y)| x.conj() * y).sum()
    };
    dot(a, b).norm_sqr() / (dot(a, a).re * dot(b, b).re)
}
