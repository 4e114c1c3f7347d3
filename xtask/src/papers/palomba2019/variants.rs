//! The arm from its model file with other data, and its polynomials of order 5, and a separate calculation.
//!
//! Paper: [palomba2019] Sec. 4.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::collections::BTreeMap;
use std::f64::consts::PI;

use mb_algebra::c64;
use mb_gallery::models::ErlsArm;
use mb_gallery::{Computed, Table};
use mb_model::spec::TorqueSpec;
use mb_model::{ModelSpec, Point};
use mb_parametric::{
    MovingModel, MultiIndexSet, PointRule, SeriesSource, Variable, balanced_point, model_series,
};

use super::arm::{self, PAIRS};
use super::exact::eigenpairs;
use crate::answers::Answers;

/// Angle, speed and acceleration of a link: rad, rad/s, rad/s^2.
type Pose = [f64; 3];

/// One arm.
struct Variant {
    name: &'static str,
    /// Parameters of the file that have other values.
    set: Vec<(&'static str, f64)>,
    pose: Vec<Pose>,
    /// Elements of the links, where there are three; lengths 0.5, 0.4, 0.3 m.
    three: Option<[usize; 3]>,
}

/// The middle of the paper's path.
const MIDDLE: [Pose; 2] = [[1.2607, 0.8915, 0.6792], [-1.0914, -0.8640, 0.8368]];

fn variants() -> Vec<Variant> {
    let plain = |name, set: &[(&'static str, f64)], pose: &[Pose]| Variant {
        name,
        set: set.to_vec(),
        pose: pose.to_vec(),
        three: None,
    };
    let still = MIDDLE.map(|[q, ..]| [q, 0.0, 0.0]);
    let [outer, inner]: [f64; 2] = [0.02, 0.018];
    let tube = [
        ("A", PI * (outer.powi(2) - inner.powi(2))),
        ("J", PI * (outer.powi(4) - inner.powi(4)) / 4.0),
        ("rho_l", 7850.0 * PI * (outer.powi(2) - inner.powi(2))),
        ("E", 2.06e11),
    ];
    let flat = [("A", 4e-4), ("J", 0.04 * 0.01_f64.powi(3) / 12.0), ("rho_l", 2710.0 * 4e-4)];
    let away = MIDDLE.iter().zip([[0.05, 0.1], [-0.04, 0.2]]);
    let displaced: Vec<Pose> = away.map(|([q, v, a], [dq, dv])| [q + dq, v + dv, *a]).collect();
    vec![
        plain("paper", &[], &MIDDLE),
        plain("static midpoint", &[], &still),
        plain("long and short", &[("L1", 0.9), ("L2", 0.3)], &MIDDLE),
        plain("short and long", &[("L1", 0.35), ("L2", 0.7)], &[[0.7, -1.1, 3.0], [-0.4, 2.0, -1.5]]),
        plain("flat bar", &flat, &MIDDLE),
        plain("steel tube", &tube, &[[2.0, 1.5, -2.0], [0.5, -0.3, 0.4]]),
        plain("payload", &[("mE", 0.5)], &MIDDLE),
        plain(
            "payload, damped",
            &[("mE", 1.2), ("alpha", 3.0), ("beta", 2e-5)],
            &[[0.4, -0.9, 0.7], [-1.2, 1.6, -0.8]],
        ),
        Variant {
            name: "three links",
            set: vec![("mE", 0.3)],
            pose: vec![[1.0, 0.6, 0.4], [0.2, -0.5, 0.3], [-0.8, 0.9, -0.7]],
            three: Some([3, 2, 2]),
        },
        plain("displaced", &[], &displaced),
    ]
}

impl Variant {
    /// The model file with these data.
    fn spec(&self) -> Result<ModelSpec, String> {
        let mut spec = ErlsArm::recovered().file().map_err(|e| e.to_string())?;
        for (name, value) in &self.set {
            spec.set_parameter(name, *value).map_err(|e| e.to_string())?;
        }
        if let Some(elements) = self.three {
            let [_, lower] = spec.erls_links.as_mut_slice() else {
                return Err("the arm has two links".into());
            };
            let mut third = lower.clone();
            lower.payload = None;
            (third.name, third.base) = ("third".to_owned(), "lower".into());
            spec.erls_links.push(third);
            for (k, link) in spec.erls_links.iter_mut().enumerate() {
                (link.length, link.elements) = ([0.5, 0.4, 0.3][k].into(), (elements[k] as f64).into());
            }
            spec.torques.push(TorqueSpec {
                name: "motor-3".to_owned(),
                on: "third".to_owned(),
                from: Some("lower.end".to_owned()),
                input: Some("u3".to_owned()),
                ..TorqueSpec::default()
            });
            spec.outputs.clear();
        }
        Ok(spec)
    }

    /// The dynamic equilibrium, and the numbers of the angles.
    fn centre(&self, spec: &ModelSpec) -> Result<(Point, Vec<usize>), String> {
        let model = spec.build().map_err(|e| e.to_string())?;
        let names = model.coordinates().names();
        let angles: Vec<usize> = (0..names.len())
            .filter(|i| names[*i].rsplit_once('.').is_some_and(|(_, what)| what == "angle"))
            .collect();
        let mut start = model.initial_point();
        for (&k, [q, v, a]) in angles.iter().zip(&self.pose) {
            (start.q[k], start.v[k], start.a[k]) = (*q, *v, *a);
        }
        let motors: Vec<usize> = (0..angles.len()).collect();
        let point = balanced_point(&model, &start, &angles, &motors).map_err(|e| e.to_string())?;
        Ok((point, angles))
    }

    /// The three lowest elastic eigenvalues.
    fn eigenvalues(&self) -> Result<Vec<c64>, String> {
        let spec = self.spec()?;
        let (point, angles) = self.centre(&spec)?;
        let held = PointRule::Balanced { holding: (0..angles.len()).collect() };
        let variables: Vec<Variable> = angles.into_iter().map(Variable::Coordinate).collect();
        let source = MovingModel::new(&spec, &point, &variables, held);
        let pencil = source.matrices(&vec![0.0; variables.len()]).map_err(|e| e.to_string())?;
        Ok(arm::elastic_pairs(&pencil)?.into_iter().map(|pair| pair.s).collect())
    }
}

/// The answers to the table.
pub(super) fn answers(table: &Table) -> Answers {
    let mut answers = Answers::default();
    let mut found: BTreeMap<&str, Result<Vec<c64>, String>> = BTreeMap::new();
    for variant in variants() {
        found.insert(variant.name, variant.eigenvalues());
    }
    let far = order_5();
    for row in &table.rows {
        let Some((variant, pair)) =
            row.label.strip_prefix("variant=").and_then(|rest| rest.rsplit_once(",pair="))
        else {
            continue;
        };
        let Some(k) = PAIRS.iter().position(|name| *name == pair) else { continue };
        let of = |list: &Result<Vec<c64>, String>| {
            let list = list.as_ref().map_err(Clone::clone)?;
            let s = list.get(k).ok_or("no such pair")?;
            Ok(Computed::Complex { re: s.re, im: s.im })
        };
        if let Some(list) = found.get(variant) {
            answers.put(&row.label, "s", of(list));
        }
        if row.cell("order 5").is_some() {
            answers.put(&row.label, "order 5", of(&far));
        }
    }
    answers
}

/// The polynomials of order 5 of the arm of the file, at the displaced point.
fn order_5() -> Result<Vec<c64>, String> {
    let paper = Variant { name: "paper", set: Vec::new(), pose: MIDDLE.to_vec(), three: None };
    let spec = paper.spec()?;
    let (point, angles) = paper.centre(&spec)?;
    let set = MultiIndexSet::total(4, 5).map_err(|e| e.to_string())?;
    let variables: Vec<Variable> = angles
        .iter()
        .copied()
        .map(Variable::Coordinate)
        .chain(angles.iter().copied().map(Variable::Speed))
        .collect();
    let held = PointRule::Balanced { holding: vec![0, 1] };
    let series = model_series(&spec, &point, &variables, &set, &held).map_err(|e| e.to_string())?;
    let at = |pair: &mb_parametric::EigenpairSeries| {
        pair.evaluate(&[0.05, -0.04, 0.1, 0.2], 5).map(|value| value.s).map_err(|e| e.to_string())
    };
    eigenpairs(&series)?.iter().map(at).collect()
}
