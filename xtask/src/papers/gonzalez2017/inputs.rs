//! What Secs. 4 and 5 print of the two models and of the penalty, read back from what the tables are computed with.
//!
//! Nothing is read from a list of parameters: each number is measured on the built model.
//!
//! ```text
//! linkage, one loop:   Phi of a rod of length zero = -l^2      r_x(B1 at (x, 0)) = k (x - l0)
//!                      1^T M 1 = (2/3 + 1) m                   C at B1, along the diagonal = c
//! pendulum, n_p = 1:   K_xx = E A / l,  K_yy = 12 E I / l^3,  hence r^2 = l^2 K_yy / (3 K_xx)
//!                      1^T M 1 = 2 rho A l
//! ```
//!
//! Paper: [gonzalez2017] Secs. 4.1, 4.2, 5, 5.1, 5.2.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use std::f64::consts::PI;

use mb_constraints::NullSpaceMethod;
use mb_gallery::Computed;
use mb_gallery::models::{FlexibleDoublePendulum, singular_four_bar};
use mb_linear::formulation::minimal::minimal;
use mb_linear::formulation::unconstrained::{Factor, Penalty};
use mb_linear::linearize;
use mb_model::{BlockKind, Model, Point};

use super::measure::spectra::words;
use super::measure::{four_bar, linkage, penalty, pendulum};
use super::results::Measured;
use crate::answers::Answers;

/// The answers to the table of inputs.
pub(crate) fn answers() -> Answers {
    let mut answers = Answers::default();
    let mut put =
        |item: &str, value: Measured<Computed>| answers.put(&format!("item={item}"), "value", value);
    let read: [(&[&str], Measured<Vec<f64>>); 5] = [
        (
            &[
                "rod, length",
                "rod, mass",
                "gravity along y",
                "spring, stiffness",
                "spring, natural length",
                "damper",
            ],
            of_linkage(),
        ),
        (
            &["penalty of the linkage, alpha", "penalty of the linkage, xi", "penalty of the linkage, omega"],
            of(&penalty()),
        ),
        (
            &["singular case, stiffness", "singular case, gravity along x", "singular case, gravity along y"],
            of_singular(),
        ),
        (&["link, length", "link, density", "link, Young's modulus", "link, radius"], of_pendulum()),
        (
            &[
                "penalty of the pendulum, alpha",
                "penalty of the pendulum, xi",
                "penalty of the pendulum, omega",
            ],
            of(&pendulum::factors()),
        ),
    ];
    for (items, values) in read {
        for (k, item) in items.iter().enumerate() {
            put(item, values.as_ref().map(|list| Computed::Real(list[k])).map_err(Clone::clone));
        }
    }
    put("independent coordinate", independent_coordinate().map(Computed::Word));
    answers
}

/// alpha, xi, omega of a scalar penalty.
fn of(penalty: &Penalty) -> Measured<Vec<f64>> {
    match (&penalty.xi, &penalty.theta, &penalty.omega) {
        (Factor::Scalar(alpha), Factor::Scalar(theta), Factor::Scalar(squared)) => {
            let omega = squared.sqrt();
            Ok(vec![*alpha, theta / (2.0 * omega), omega])
        }
        _ => Err("the penalty is not proportional to a single number".to_owned()),
    }
}

/// Kinetic energy, twice, of everything moving along x with 1 m/s.
fn moved(model: &Model, at: &Point) -> f64 {
    let along = model.coordinates().translation(0);
    let m = model.mass(at).to_dense();
    let n = m.nrows();
    (0..n).map(|i| along[i] * (0..n).map(|j| m[(i, j)] * along[j]).sum::<f64>()).sum()
}

/// Index of the row of constraints whose name has these words.
fn row(model: &Model, name: &str) -> Measured<usize> {
    let found = (0..model.nc()).find(|i| model.row_name(*i).contains(name));
    found.ok_or_else(|| format!("no constraint row has the name `{name}`"))
}

/// Stiffness and natural length of the spring from A0 to B1, and how B1 resists moving along it, N s/m.
fn diagonal(model: &Model) -> [f64; 3] {
    let mut at = model.initial_point();
    // B0 anywhere, B1 on the x-axis through A0.
    let mut pulled = |x: f64| {
        at.q = vec![0.0, 1.0, x, 0.0, 0.0];
        model.applied_residual(&at)[2]
    };
    let (short, long) = (pulled(2.0), pulled(3.0));
    let stiffness = long - short;
    [stiffness, 2.0 - short / stiffness, model.damping(&at).to_dense()[(2, 2)]]
}

fn of_linkage() -> Measured<Vec<f64>> {
    let model = four_bar(1, true).spec().and_then(|spec| spec.build()).map_err(words)?;
    let together = model.phi(&vec![0.0; model.nq()], 0.0);
    let lengths = [row(&model, "crank0")?, row(&model, "coupler1")?].map(|i| (-together[i]).sqrt());
    if lengths[0].to_bits() != lengths[1].to_bits() {
        return Err(format!("the rods have the lengths {} and {} m", lengths[0], lengths[1]));
    }
    let mass = moved(&model, &model.initial_point()) / (2.0 / 3.0 + 1.0);
    let [stiffness, natural, damper] = diagonal(&model);
    Ok(vec![lengths[0], mass, model.gravity[1], stiffness, natural, damper])
}

fn of_singular() -> Measured<Vec<f64>> {
    let model = singular_four_bar().and_then(|(spec, _)| spec.build()).map_err(words)?;
    let mut weightless = model.clone();
    weightless.gravity = [0.0; 3];
    Ok(vec![diagonal(&weightless)[0], model.gravity[0], model.gravity[1]])
}

fn of_pendulum() -> Measured<Vec<f64>> {
    let pendulum = FlexibleDoublePendulum {
        elements: 1,
        geometric_stiffness: false,
        ..FlexibleDoublePendulum::default()
    };
    let model = pendulum.spec().and_then(|spec| spec.build()).map_err(words)?;
    let mut at = model.initial_point();
    let blocks = model.coordinates().blocks();
    for block in blocks.iter().filter(|b| b.kind == BlockKind::PlanarPose) {
        at.q[block.q] = 0.0;
        at.q[block.q + 1] = 0.0;
    }
    // Both frames at the origin: what is left of the hinge is the line from one end of the upper link to the other.
    let apart = model.phi(&at.q, 0.0);
    let length = apart[row(&model, "joint 'P1' (x)")?].hypot(apart[row(&model, "joint 'P1' (y)")?]);
    let node = blocks.iter().rfind(|b| b.kind == BlockKind::ElasticNode).ok_or("the links have no nodes")?.v;
    let k = model.dense_blocks(&at).k;
    let (along, across) = (k[(node, node)], k[(node + 1, node + 1)]);
    let radius = length * (across / (3.0 * along)).sqrt();
    let area = PI * radius * radius;
    Ok(vec![length, moved(&model, &at) / (2.0 * area * length), along * length / area, radius])
}

/// Name of the coordinate that the minimal formulation of the linkages keeps.
fn independent_coordinate() -> Measured<String> {
    let prepared = linkage::prepare(&four_bar(1, false))?;
    let angle = NullSpaceMethod::CoordinateSelection(Some(vec![prepared.phi]));
    let system =
        minimal(&prepared.model, &linearize(&prepared.model, &prepared.at), &angle).map_err(words)?;
    let kept = system.basis.independent.ok_or("the basis is no selection of coordinates")?;
    match kept.as_slice() {
        [one] => {
            let name = prepared.model.coordinate_name(*one);
            Ok(name.split('.').next().unwrap_or_default().to_owned())
        }
        others => Err(format!("{} independent coordinates where there is one", others.len())),
    }
}
