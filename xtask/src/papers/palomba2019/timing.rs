//! Elapsed times: eigenproblems at all samples against polynomials at all samples.
//!
//! Paper: [palomba2019] Sec. 4.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::collections::BTreeMap;

use mb_eigen::DenseOptions;
use mb_gallery::Computed;
use mb_gallery::models::ErlsArm;
use mb_model::ModelSource;
use mb_parametric::{MultiIndexSet, PointRule, model_series};

use super::arm;
use super::exact::eigenpairs;
use super::figures::{in_motion, matrices};
use super::path::{SAMPLES, samples};
use crate::answers::Answers;
use crate::papers::timing::timed;

/// Order of the paper's polynomials.
pub(super) const ORDER: usize = 4;

/// The times in seconds, and the share saved.
pub(super) fn answers() -> Answers {
    let mut answers = Answers::default();
    let measured = measure(&ErlsArm::recovered());
    let mut put = |row: &str, of: &dyn Fn([f64; 2]) -> f64| {
        let answer = measured.as_ref().map(|t| Computed::Real(of(*t))).map_err(Clone::clone);
        answers.put(&format!("work={row}"), "time", answer);
    };
    put("51 eigenproblems", &|[solved, _]| solved);
    put("polynomials at 51 points", &|[_, evaluated]| evaluated);
    answers
}

/// Seconds for the eigenproblems, matrices given, and for three eigenvalues and vectors by polynomials.
fn measure(arm: &ErlsArm) -> Result<[f64; 2], String> {
    let model = arm.model::<f64>(&BTreeMap::new()).map_err(|e| e.to_string())?;
    let path = samples([arm.links[0].length, arm.links[1].length]);
    let points = path.iter().map(|s| in_motion(arm, &model, s)).collect::<Result<Vec<_>, _>>()?;
    let pencils: Vec<_> = points.iter().map(|p| matrices(&model, p)).collect();
    let solve = || -> Result<usize, String> {
        let mut found = 0;
        for pencil in &pencils {
            found += mb_eigen::dense::solve(pencil, &DenseOptions::default())
                .map_err(|e| e.to_string())?
                .eigenpairs
                .len();
        }
        Ok(found)
    };
    let (_, solved) = timed(solve)?;
    let set = MultiIndexSet::total(4, ORDER).map_err(|e| e.to_string())?;
    let held = PointRule::Balanced { holding: vec![0, 1] };
    let series = model_series(arm, &points[SAMPLES / 2], &arm::variables(arm), &set, &held);
    let series = eigenpairs(&series.map_err(|e| e.to_string())?)?;
    let mid = path[SAMPLES / 2];
    let distances: Vec<[f64; 4]> = path
        .iter()
        .map(|s| [s.q[0] - mid.q[0], s.q[1] - mid.q[1], s.qd[0] - mid.qd[0], s.qd[1] - mid.qd[1]])
        .collect();
    let evaluate = || -> Result<f64, String> {
        let mut sum = 0.0;
        for d in &distances {
            for pair in &series {
                sum += pair.evaluate(d, ORDER).map_err(|e| e.to_string())?.s.re;
            }
        }
        Ok(sum)
    };
    let (_, evaluated) = timed(evaluate)?;
    Ok([solved * 1e-3, evaluated * 1e-3])
}
