//! What Secs. 2 and 3 print of the linkage and of the penalty, measured on the built model and on the methods.
//!
//! ```text
//! joint with five rows: revolute, its axis the turn of one body that the rows allow;  with three rows: spherical
//! r_z(rocker, B at (0, y, h)) = k (h - l0)   on the line through O, without weight
//! ```
//!
//! Paper: [flores2018] Secs. 2, 3, Fig. 1.
//!
//! [flores2018]: ../../../../docs/references.bib

use mb_algebra::{Dense, RankTolerance, Svd};
use mb_constraints::ConstraintMethod;
use mb_gallery::Computed;
use mb_model::{BlockKind, Model};

use super::runs::{Lengths, Measured, model, words};
use crate::answers::{Answers, count};

/// The joints of the linkage.
const JOINTS: [&str; 4] = ["O", "A", "B", "C"];

/// The answers to the table of the text's numbers.
pub(super) fn answers() -> Answers {
    let mut answers = Answers::default();
    let bar = Lengths::Adopted.linkage();
    let built = model(&bar);
    let of = |f: &dyn Fn(&Model) -> Measured<f64>| {
        built.as_ref().map_err(Clone::clone).and_then(f).map(Computed::Real)
    };
    let mut put =
        |item: &str, value: Measured<Computed>| answers.put(&format!("item={item}"), "value", value);
    let joints = |m: &Model, wanted: usize| JOINTS.iter().filter(|j| rows(m, j).len() == wanted).count();
    put("moving bodies", of(&|m| Ok(bodies(m).len() as f64)));
    put("revolute joints", of(&|m| Ok(joints(m, 5) as f64)));
    put("spherical joints", of(&|m| Ok(joints(m, 3) as f64)));
    put("axis of the crank, out of x", of(&|m| Ok(axis(m, "O", 0)?[1].hypot(axis(m, "O", 0)?[2]))));
    put("axis of the rocker, out of the xy plane", of(&|m| Ok(axis(m, "C", 2)?[2].abs())));
    put("axis of the rocker, angle with y", of(&|m| Ok(with_y(axis(m, "C", 2)?))));
    put("start, crank out of z", of(&|m| Ok(m.initial()[0].hypot(m.initial()[1]))));
    put(
        "start, coupler and rocker out of the yz plane",
        of(&|m| Ok(bodies(m)[1..].iter().map(|b| m.initial()[b.0].abs()).fold(0.0, f64::max))),
    );
    let spring = built.as_ref().map_err(Clone::clone).map(|m| spring(m, 0.5 * bar.rocker));
    put("spring, stiffness", spring.clone().map(|s| Computed::Real(s[0])));
    put("spring, natural length", spring.map(|s| Computed::Real(s[1])));
    put("crank speed at the start", of(&|m| Ok(m.initial_velocity()[3])));
    for method in ConstraintMethod::all() {
        if let ConstraintMethod::Penalty(p) = method {
            put("penalty, typical alpha", Ok(Computed::Real(p.alpha)));
            put("penalty, typical omega", Ok(Computed::Real(p.omega)));
            put("penalty, typical mu", Ok(Computed::Real(p.mu)));
        }
    }
    put("methods compared", Ok(count(super::runs::METHODS.len())));
    answers
}

/// First position and first velocity of each body.
fn bodies(model: &Model) -> Vec<(usize, usize)> {
    let blocks = model.coordinates().blocks().iter();
    blocks.filter(|b| b.kind == BlockKind::Pose).map(|b| (b.q, b.v)).collect()
}

/// The constraint rows of a joint.
fn rows(model: &Model, joint: &str) -> Vec<usize> {
    let name = format!("joint '{joint}'");
    (0..model.nc()).filter(|i| model.row_name(*i).starts_with(&name)).collect()
}

/// The axis about which the rows of a joint let a body turn, in ground axes, of length one.
fn axis(model: &Model, joint: &str, body: usize) -> Measured<[f64; 3]> {
    let phi_q = model.phi_q(model.initial(), 0.0).to_dense();
    let (place, first) = bodies(model)[body];
    let rows = rows(model, joint);
    let own = Dense::from_fn(rows.len(), 6, |i, j| phi_q[(rows[i], first + j)]);
    let svd = Svd::new(&own).map_err(words)?;
    if svd.rank(RankTolerance::default()).rank != 5 {
        return Err(format!("joint {joint} does not leave one motion"));
    }
    let turn = [3, 4, 5].map(|i| svd.v[(i, 5)]);
    let size = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
    // Angular velocities are in the axes of the body.
    let e: Vec<f64> = model.initial()[place + 3..place + 7].to_vec();
    Ok(turned(&e, turn.map(|x| x / size)))
}

/// A vector of the body in ground axes, by its Euler parameters: x + 2 e x (e x x + e0 x).
fn turned(e: &[f64], x: [f64; 3]) -> [f64; 3] {
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let axis = [e[1], e[2], e[3]];
    let inner = cross(axis, x);
    let outer = cross(axis, [0, 1, 2].map(|i| inner[i] + e[0] * x[i]));
    [0, 1, 2].map(|i| x[i] + 2.0 * outer[i])
}

/// Angle with the y-axis, degrees.
fn with_y(axis: [f64; 3]) -> f64 {
    axis[0].hypot(axis[2]).atan2(axis[1].abs()).to_degrees()
}

/// Stiffness and natural length, from the force on the rocker whose tip B is `half` above its middle.
fn spring(model: &Model, half: f64) -> [f64; 2] {
    let mut weightless = model.clone();
    weightless.gravity = [0.0; 3];
    let (place, speed) = bodies(model)[2];
    let force = |height: f64| {
        let mut at = weightless.initial_point();
        at.q[place..place + 3].copy_from_slice(&[0.0, 0.0, height - half]);
        weightless.applied_residual(&at)[speed + 2]
    };
    let (short, long) = (force(1.0), force(2.0));
    [long - short, 1.0 - short / (long - short)]
}
