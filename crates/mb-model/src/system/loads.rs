//! The same model under a part of its loads.

use crate::element::{Data, Element};
use crate::law::{Term, TimeLaw, TimeLeaf};
use crate::model::Model;
use crate::state::Point;

impl<P: Data> Model<P> {
    /// What [`Self::under_loads`] scales: gravity, forces, loads on faces, torques and motors as nv numbers of the equations of motion.
    pub fn applied_loads(&self, point: &Point<P>) -> Vec<P> {
        let nothing = [P::zero(); 3];
        let heavy = self.gravity.iter().any(|g| *g != P::zero());
        let parts = self.numbers(|s, m, out| {
            let mut residual = |gravity| {
                s.value.gather(&m.wires, point, gravity);
                s.value.residual(m);
                s.value.out.clone()
            };
            if is_load(&m.element) {
                out.extend(residual(self.gravity).into_iter().map(|r| -r));
            } else if heavy {
                let without = residual(nothing);
                out.extend(
                    without.into_iter().zip(residual(self.gravity)).map(|(without, with)| without - with),
                );
            } else {
                out.extend(m.wires.v_index.iter().map(|_| P::zero()));
            }
        });
        self.added_up(parts)
    }
    /// The model with gravity and the magnitudes of all forces, loads on faces, torques and motors times `factor`.
    ///
    /// Springs with their preloads, drives and inputs stay; so do the loads of elements from outside.
    pub fn under_loads(&self, factor: P) -> Self {
        let mut out = self.clone();
        out.gravity = self.gravity.map(|g| g * factor);
        for member in out.members_mut() {
            match &mut member.element {
                Element::Force(f) => scale(&mut f.magnitude, factor),
                Element::Torque(t) => scale(&mut t.magnitude, factor),
                Element::Moment(m) => scale(&mut m.magnitude, factor),
                Element::FaceLoad(f) => scale(&mut f.magnitude, factor),
                Element::Motor(m) => scale(&mut m.magnitude, factor),
                _ => {}
            }
        }
        out
    }
}

impl Model {
    /// What one m/s^2 of gravity along an axis (0, 1, 2 for x, y, z) adds to the equations of motion: nv numbers, exact.
    ///
    /// ```text
    /// f = -dr/dg,   which is M times a unit acceleration of everything along the axis
    /// ```
    ///
    /// also where no coordinates say how that moves, as those of links that count from other links.
    pub fn unit_weight(&self, point: &Point, axis: usize) -> Vec<f64> {
        let parts = self.numbers(|s, m, out| {
            s.d1.gather(&m.wires, point, self.gravity);
            s.d1.gravity[axis].eps = 1.0;
            s.d1.residual(m);
            out.extend(s.d1.out.iter().map(|x| -x.eps));
        });
        self.added_up(parts)
    }
}

/// Whether an element exerts nothing but a load, which vanishes with its magnitude.
fn is_load<P: Data>(element: &Element<P>) -> bool {
    use Element::{FaceLoad, Force, Moment, Motor, Torque};
    matches!(element, Force(_) | Torque(_) | Moment(_) | FaceLoad(_) | Motor(_))
}

fn scale<P: Data>(law: &mut TimeLaw<P>, factor: P) {
    let number = Term::Leaf(TimeLeaf::Number(factor));
    law.0 = Term::Product(Box::new(number), Box::new(law.0.clone()));
}
