//! Outputs that have no derivative where they are linearized: the distance of two places that coincide.
//!
//! ```text
//! d = |b - a|,   dd = (b - a) . (db - da) / d
//! ```
//!
//! grows with |db - da| in every direction where a = b. Places that joints hold together coincide up to rounding alone, which then is the
//! direction, so that what is shorter than rounding counts as no distance.

use crate::error::LinearError;
use mb_algebra::{Dense, dense, norms};
use mb_model::sensor::{Quantity, Reading};
use mb_model::{Model, Point};

/// Distance over the size of the coordinates that is what rounding and the assembly of constraints leave.
const NO_DISTANCE: f64 = 1e-12;

/// Refuses outputs, by index, that read the distance of two places that coincide, and others whose derivatives `maps` (outputs x any) are not
/// finite.
pub(crate) fn check(
    model: &Model,
    point: &Point,
    outputs: impl IntoIterator<Item = usize>,
    maps: &[&Dense],
) -> Result<(), LinearError> {
    for (o, sensor) in outputs.into_iter().filter_map(|o| Some((o, model.sensors().get(o)?))) {
        let name = || sensor.name.clone();
        if let Reading::Value(read) | Reading::Rate(read) | Reading::Acceleration(read) = &sensor.reading
            && let Quantity::Distance { a, b } = read
        {
            let q: Vec<f64> = sensor.wires.q_index.iter().map(|i| point.q[*i]).collect();
            let places = [a, b].map(|place| place.position(&q));
            let sizes = places.iter().flat_map(|p| [p.x, p.y, p.z]).chain(q.iter().copied());
            let size = sizes.fold(0.0_f64, |most, x| most.max(x.abs()));
            if read.eval(&q) <= NO_DISTANCE * size {
                return Err(LinearError::PlacesCoincide { name: name() });
            }
        }
        let finite = |a: &&Dense| norms::max_abs_vec(&dense::row(a, o)).is_finite();
        if !maps.iter().all(finite) {
            return Err(LinearError::OutputNotFinite { name: name() });
        }
    }
    Ok(())
}
