//! The same model under a part of its loads.

use crate::element::{Data, Element};
use crate::law::{Term, TimeLaw, TimeLeaf};
use crate::model::Model;

impl<P: Data> Model<P> {
    /// Whether there is anything that [`Self::under_loads`] changes.
    pub fn has_loads(&self) -> bool {
        let load = |element: &Element<P>| {
            matches!(
                element,
                Element::Force(_)
                    | Element::Torque(_)
                    | Element::Moment(_)
                    | Element::FaceLoad(_)
                    | Element::Motor(_)
            )
        };
        self.gravity.iter().any(|g| *g != P::zero()) || self.members().iter().any(|m| load(&m.element))
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

fn scale<P: Data>(law: &mut TimeLaw<P>, factor: P) {
    let number = Term::Leaf(TimeLeaf::Number(factor));
    law.0 = Term::Product(Box::new(number), Box::new(law.0.clone()));
}
