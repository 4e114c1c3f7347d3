//! What the text says of the arm, its path and the expansion, read back from what the tables are computed with.
//!
//! Paper: [palomba2019] Secs. 2.3, 4, Appendix A.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::collections::BTreeMap;

use mb_algebra::c64;
use mb_eigen::DenseOptions;
use mb_gallery::Computed;
use mb_gallery::models::ErlsArm;
use mb_model::ModelSource;

use super::path::{Sample, samples};
use super::{arm, figures, timing};
use crate::answers::{Answers, count};

/// The answers to the table of the text's numbers.
pub(super) fn answers() -> Answers {
    let mut answers = Answers::default();
    let arm = ErlsArm::table_2();
    let path = samples(lengths(&arm));
    let last = path.len() - 1;
    let tip = |s: &Sample| (0..2).map(|i| arm.links[i].length * s.q[i].cos()).sum::<f64>();
    let free = arm.model::<f64>(&BTreeMap::new()).map(|m| count(m.initial_point().q.len()));
    let mut put = |item: &str, value: Result<Computed, String>| {
        answers.put(&format!("item={item}"), "value", value);
    };
    put("degrees of freedom", free.map_err(|e| e.to_string()));
    put("rigid coordinates", Ok(count(arm::angles(&arm).len())));
    put("elastic coordinates", Ok(count(arm.first_angle())));
    put("elements of the first link", Ok(count(arm.links[0].elements)));
    put("elements of the second link", Ok(count(arm.links[1].elements)));
    let file = arm.file().map_err(|e| e.to_string());
    put("flexible links", file.as_ref().map(|f| count(f.erls_links.len())).map_err(Clone::clone));
    put("revolute joints", file.map(|f| count(f.torques.len())));
    let [nodes, freedoms] = element(&arm);
    put("nodes of an element", Ok(Computed::Real(nodes)));
    put("degrees of freedom of an element", Ok(Computed::Real(freedoms)));
    put("length of the path", Ok(Computed::Real((tip(&path[0]) - tip(&path[last])).abs())));
    put("duration of the path", Ok(Computed::Real(path[last].t - path[0].t)));
    put("sample time", Ok(Computed::Real(path[1].t - path[0].t)));
    put("operating points", Ok(count(path.len())));
    put("order of the expansion", Ok(count(timing::ORDER)));
    put("variables of the expansion", Ok(count(arm::variables(&arm).len())));
    put("pairs compared", Ok(count(arm::PAIRS.len())));
    answers
}

/// Nodes and degrees of freedom of a finite element: those by which a link with one element more is larger, at both ends.
fn element(arm: &ErlsArm) -> [f64; 2] {
    let mut longer = arm.clone();
    longer.links[0].elements += 1;
    let [own, other] = [arm, &longer].map(|a| a.build::<f64>(&BTreeMap::new()));
    let blocks = |names: &[String]| names.iter().filter(|n| n.starts_with("link 1")).count();
    let added = other.initial_point().q.len() - own.initial_point().q.len();
    let per_node = blocks(&own.coordinates().names()) / arm.links[0].elements;
    // An element has the node it adds and the one where it begins.
    [(added / per_node + 1) as f64, (added + per_node) as f64]
}

fn lengths(arm: &ErlsArm) -> [f64; 2] {
    [arm.links[0].length, arm.links[1].length]
}

/// All eigenvalues at the printed operating point, 1/s.
pub(super) fn eigenvalues() -> Result<Vec<c64>, String> {
    let arm = ErlsArm::recovered();
    let model = arm.model::<f64>(&BTreeMap::new()).map_err(|e| e.to_string())?;
    let pencil = figures::matrices(&model, &arm::printed_point(&arm)?);
    let spectrum = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).map_err(|e| e.to_string())?;
    Ok(spectrum.eigenpairs.iter().filter_map(mb_eigen::Eigenpair::value).collect())
}

/// Largest distance of a conjugate from the nearest eigenvalue, relative.
pub(super) fn unpaired(list: &[c64]) -> f64 {
    let miss = |s: &c64| list.iter().map(|t| (s.conj() - t).norm()).fold(f64::INFINITY, f64::min) / s.norm();
    list.iter().map(miss).fold(0.0, f64::max)
}

/// How fast the tip rises or falls at the printed operating point, m/s: the rigid links and the last node's deflection.
pub(super) fn vertical_speed() -> Result<f64, String> {
    let arm = ErlsArm::table_2();
    let point = arm::printed_point(&arm)?;
    let rigid = arm::angles(&arm).into_iter().zip(&arm.links);
    let rigid: f64 = rigid.map(|(k, link)| link.length * point.q[k].cos() * point.v[k]).sum();
    // The last node's coordinates x, y, theta stand before the angles.
    Ok((rigid + point.v[arm.first_angle() - 2]).abs())
}
