//! Names and units of coordinates.

use crate::number::{rounding, six};
use mb_model::{BlockKind, Model};

/// Names of the configuration numbers, nq of them: `crank.x`.
///
/// They are those of the velocities, except for spatial poses with their Euler parameters.
pub fn configuration(model: &Model) -> Vec<String> {
    model.coordinates().configuration_names()
}

/// Units of the configuration numbers; empty where they have none.
pub fn units(model: &Model) -> Vec<&'static str> {
    let mut out = Vec::with_capacity(model.nq());
    for block in model.coordinates().blocks() {
        out.extend((0..block.kind.nq()).map(|i| match (block.kind, i) {
            (BlockKind::PlanarPoint | BlockKind::SpatialPoint, _)
            | (BlockKind::PlanarPose | BlockKind::ElasticNode | BlockKind::Displacement, 0 | 1)
            | (BlockKind::Pose, 0..3) => "m",
            (
                BlockKind::PlanarPose | BlockKind::ElasticNode | BlockKind::Displacement | BlockKind::Angle,
                _,
            ) => "rad",
            _ => "",
        }));
    }
    out
}

/// Velocity index of configuration number `i`, where there is one.
pub fn velocity_index(model: &Model, i: usize) -> Option<usize> {
    model.coordinates().velocity_index(i)
}

/// Configuration number of velocity `i`, where it has one; the rotations of a pose have none.
pub fn configuration_index(model: &Model, i: usize) -> Option<usize> {
    let block = model.coordinates().blocks().iter().rev().find(|b| b.v <= i)?;
    let within = i - block.v;
    (block.kind.is_linear() || within < 3).then_some(block.q + within)
}

/// Units of the displacements along the tangent, nv of them; empty where they have none.
pub fn velocity_units(model: &Model) -> Vec<&'static str> {
    let units = units(model);
    (0..model.nv()).map(|i| configuration_index(model, i).map_or("rad", |k| units[k])).collect()
}

/// The rotation vector of a body in space in rad, of length pi at most: the axis in the ground's axes, its length the angle.
///
/// `block` is one of [`mb_model::BlockKind::Pose`], whose configuration `q` has the position and Euler parameters p of any length:
///
/// ```text
/// n angle = 2 atan2(|(p1, p2, p3)|, p0) (p1, p2, p3) / |(p1, p2, p3)|,   p with p0 >= 0
/// ```
pub fn rotation_vector(q: &[f64], block: &mb_model::Block) -> [f64; 3] {
    let p = &q[block.q + 3..block.q + 7];
    let sign = if p[0] < 0.0 { -1.0 } else { 1.0 };
    let length = p[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
    let by = if length > 0.0 { 2.0 * length.atan2(p[0].abs()) / length } else { 0.0 };
    [1, 2, 3].map(|k| sign * by * p[k])
}

/// Name, value, the value as it is shown, and unit of each coordinate; then the rotation vectors of bodies in space, which
/// Euler parameters do not show.
pub fn coordinates(model: &Model, q: &[f64]) -> Vec<(String, f64, String, &'static str)> {
    let noise = rounding(q);
    let named = configuration(model).into_iter().zip(units(model)).zip(q);
    let mut out: Vec<_> = named.map(|((name, unit), x)| (name, *x, six(noise(*x)), unit)).collect();
    for block in model.coordinates().blocks().iter().filter(|b| b.kind == BlockKind::Pose) {
        let turn = rotation_vector(q, block);
        let noise = rounding(&turn);
        let about = |(axis, x)| (format!("{} turned about {axis}", block.name), x, six(noise(x)), "rad");
        out.extend(["x", "y", "z"].into_iter().zip(turn).map(about));
    }
    out
}

/// Name, value, the value as it is shown, and unit of the rate of each coordinate.
pub fn speeds(model: &Model, v: &[f64]) -> Vec<(String, f64, String, String)> {
    let noise = rounding(v);
    let named = model.coordinates().names().into_iter().zip(velocity_units(model)).zip(v);
    named
        .map(|((name, unit), x)| {
            let unit = if unit.is_empty() { "1/s".to_owned() } else { format!("{unit}/s") };
            (format!("d({name})/dt"), *x, six(noise(*x)), unit)
        })
        .collect()
}
