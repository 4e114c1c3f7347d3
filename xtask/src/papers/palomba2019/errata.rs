//! What cannot stand as printed, each by a number that proves it.
//!
//! Paper: [palomba2019] Table 2, Eqs. (A1), (A3).
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::collections::BTreeMap;

use mb_gallery::models::{ErlsArm, ErlsLink};
use mb_gallery::{Computed, Table};
use mb_model::ModelSource;

use super::appendix::{self, Pose};
use super::arm;
use crate::answers::Answers;

/// The answers to the table.
pub(super) fn answers() -> Answers {
    let mut answers = Answers::default();
    let poses = Table::load("palomba2019/appendix-symbols")
        .map_err(|e| e.to_string())
        .and_then(|table| appendix::poses(&table));
    let mut put = |place: &str, value: Result<Computed, String>| {
        answers.put(&format!("place={place}"), "value", value);
    };
    for (place, symbol, nodes) in [
        ("K11, (3,3) (6,6) (9,9)", "k8", &[1, 2, 3][..]),
        ("K11, (12,12)", "k8", &[4]),
        ("K11, (15,15) (18,18)", "k16", &[5, 6]),
        ("K11, (21,21)", "k16", &[7]),
    ] {
        let multiple = poses.as_ref().map_err(Clone::clone).and_then(|poses| multiple(poses, symbol, nodes));
        put(place, multiple.map(Computed::Real));
    }
    put("Eq. (A1)", third_coordinate().map(Computed::Real));
    let powers = powers_of_the_metre();
    let power = |k: usize| powers.clone().map(|p| Computed::Real(p[k]));
    put("Table 2, alpha", power(0));
    put("Table 2, beta", power(1));
    answers
}

/// Which multiple of a symbol the rotations of nodes have on the diagonal; all of them the same at all poses.
fn multiple(poses: &[Pose], symbol: &str, nodes: &[usize]) -> Result<f64, String> {
    let mut found: Option<f64> = None;
    for pose in poses {
        for node in nodes {
            let ratio = pose.ratio(&format!("K_{0}_{0}", 3 * node), symbol)?;
            if found.is_some_and(|other| (other - ratio).abs() > 1e-10) {
                return Err(format!("node {node} has another multiple"));
            }
            found = Some(ratio);
        }
    }
    found.ok_or_else(|| "no pose".to_owned())
}

/// The place among the coordinates, from 1, of the rotation of the first node: the one on which a couple there works.
fn third_coordinate() -> Result<f64, String> {
    let model = ErlsArm::table_2().model::<f64>(&BTreeMap::new()).map_err(|e| e.to_string())?;
    let names = model.coordinates().names();
    let of_node: Vec<usize> = (0..names.len()).filter(|i| names[*i].starts_with("link 1 node 1")).collect();
    match of_node.as_slice() {
        [_, _, rotation] => Ok(*rotation as f64 + 1.0),
        _ => Err(format!("the first node has {} coordinates", of_node.len())),
    }
}

/// By which power of the unit of length the entries of C over those of M, and of C over those of K, change: the powers of
/// the metre in the units of alpha and beta, where alpha M and beta K are added to C.
fn powers_of_the_metre() -> Result<[f64; 2], String> {
    let metres = ErlsArm { damping: [0.0; 2], ..ErlsArm::table_2() };
    let per_metre = 10.0_f64;
    // kg/m, N/m^2 = kg/(m s^2), m^2, m^4, m/s^2 with ten units of length to a metre.
    let units = ErlsArm {
        links: metres.links.iter().map(|l| ErlsLink { length: per_metre * l.length, ..*l }).collect(),
        line_density: metres.line_density / per_metre,
        modulus: metres.modulus / per_metre,
        area: metres.area * per_metre.powi(2),
        second_moment: metres.second_moment * per_metre.powi(4),
        gravity: metres.gravity * per_metre,
        ..metres.clone()
    };
    let ratios = |arm: &ErlsArm| -> Result<[f64; 2], String> {
        let model = arm.model::<f64>(&BTreeMap::new()).map_err(|e| e.to_string())?;
        let mut point = model.initial_point();
        for (k, [q, qd]) in arm::angles(arm).into_iter().zip([[1.2, 0.9], [-1.1, -0.8]]) {
            (point.q[k], point.v[k]) = (q, qd);
        }
        let blocks = model.dense_blocks(&point);
        // An entry between translations.
        let c = blocks.c[(0, 1)];
        Ok([c / blocks.m[(0, 0)], c / blocks.k[(0, 0)]])
    };
    let (own, other) = (ratios(&metres)?, ratios(&units)?);
    Ok([0, 1].map(|k| (other[k] / own[k]).log10()))
}
