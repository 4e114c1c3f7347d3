//! Small mechanisms built element by element.

use mb_model::element::{Coincident, Distance, Place, PlanarBody, RelativeAngle};
use mb_model::{BlockId, BlockKind, Element, Model, Wiring};

/// A parallelogram of three equal links pinned at (0,0), (1,0), (2,0) below a coupler: one degree
/// of freedom and one redundant distance.
pub(crate) fn parallelogram(angle: f64) -> Model {
    let mut m = Model::new("parallelogram", [0.0, -9.81, 0.0]);
    let (sin, cos) = angle.sin_cos();
    let coupler = m.add_block("coupler", BlockKind::PlanarPose, &[cos, sin, 0.0]);
    add_body(&mut m, "coupler", coupler, 1.0, 0.2);
    for i in 0..3_i32 {
        let x = f64::from(i);
        let mut w = Wiring::default();
        let b = m.place(&mut w, coupler, [x, 0.0]);
        let link = Distance { a: Place::Ground([x, 0.0, 0.0]), b, length: 1.0 };
        m.add_element(format!("link {i}"), Element::Distance(link), w.into_blocks(), vec![]);
    }
    m
}

/// Adds the inertia of a body.
pub(crate) fn add_body(m: &mut Model, name: &str, id: BlockId, mass: f64, inertia: f64) {
    let mut w = Wiring::default();
    let (slot, _) = w.slot(id, m.coordinates().block(id));
    let body = PlanarBody { slot, mass, inertia, center_of_mass: [0.0; 2], alpha: 0.0 };
    m.add_element(format!("body '{name}'"), Element::PlanarBody(body), w.into_blocks(), vec![]);
}

/// A chain of `n` bodies of length one pinned to each other and to the ground; the start has every
/// body at the given spacing, which closes the joints only for spacing one.
pub(crate) fn chain(n: usize, spacing: f64) -> Model {
    let mut m = Model::new("chain", [0.0, -9.81, 0.0]);
    let mut last: Option<BlockId> = None;
    for i in 0..n {
        let id = m.add_block(format!("link{i}"), BlockKind::PlanarPose, &[i as f64 * spacing, 0.1, 0.2]);
        add_body(&mut m, &format!("link{i}"), id, 1.0, 0.1);
        let mut w = Wiring::default();
        let a = m.place(&mut w, id, [0.0, 0.0]);
        let b = match last {
            Some(id) => m.place(&mut w, id, [1.0, 0.0]),
            None => Place::Ground([0.0; 3]),
        };
        let pin = Coincident { a, b };
        m.add_element(format!("joint 'pin{i}'"), Element::Coincident(pin), w.into_blocks(), vec![]);
        last = Some(id);
    }
    m
}

/// Fixes the angle of block `id` to `offset`.
pub(crate) fn lock(m: &mut Model, name: &str, id: BlockId, offset: f64) {
    let mut w = Wiring::default();
    let a = m.angle(&mut w, id);
    let b = mb_model::element::AngleOf::Ground;
    let element = Element::RelativeAngle(RelativeAngle { a, b, offset });
    m.add_element(format!("joint '{name}'"), element, w.into_blocks(), vec![]);
}
