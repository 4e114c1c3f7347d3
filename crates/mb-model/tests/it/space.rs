//! A model with every element in space, at a point where nothing vanishes by chance.

use mb_model::coordinates::BlockKind;
use mb_model::element::{
    Bushing, Coincident, Distance, Drive, Driven, Effort, Force, ForceFrame, Hinge, HingeSpring, Joint,
    JointFrame, Locked, Moment, Motor, Slide, SpatialBody, Spring,
};
use mb_model::law::{Term, TimeLaw, TimeLeaf};
use mb_model::sensor::{Quantity, Reading};
use mb_model::{BlockId, Element, Model, Wiring};

fn linear(rate: f64) -> TimeLaw {
    let leaf = |x| Box::new(Term::Leaf(x));
    TimeLaw(Term::Product(leaf(TimeLeaf::Number(rate)), leaf(TimeLeaf::Time)))
}

/// Every mask of rotations, with one of the translations.
pub(crate) fn masks() -> Vec<Locked> {
    let bits = |n: usize| [n & 1 == 1, n & 2 == 2, n & 4 == 4];
    (1..8).map(|n| Locked { rotation: bits(n), translation: bits(8 - n) }).collect()
}

struct Maker {
    model: Model,
}

impl Maker {
    fn frame(&self, w: &mut Wiring, id: BlockId, k: f64) -> JointFrame {
        let place = self.model.place_in_space(w, id, [0.3 * k, -0.2, 0.5 - k]);
        JointFrame::new(place, self.model.attitude(w, id), [0.9, 0.3 * k, -0.2, 0.1 + k])
    }
    fn add(&mut self, owner: &str, inputs: &[usize], make: impl Fn(&Self, &mut Wiring) -> Element) {
        let mut w = Wiring::default();
        let element = make(self, &mut w);
        self.model.add_element(owner, element, w.into_blocks(), inputs.to_vec());
    }
}

/// The model: two bodies in space and one in the plane, joined by everything.
pub(crate) fn model() -> Model {
    let mut m = Model::new("space", [0.4, 1.1, -9.8]);
    let a = m.add_block("a", BlockKind::Pose, &[0.1, 0.2, -0.3, 0.8, 0.36, 0.48, 0.0]);
    let b = m.add_block("b", BlockKind::Pose, &[-0.4, 0.9, 0.2, 0.5, -0.1, 0.7, 0.5]);
    let c = m.add_block("c", BlockKind::PlanarPose, &[0.2, 1.6, -0.4]);
    let input = m.add_input("motor");
    let mut x = Maker { model: m };
    for (id, com) in [(a, [0.1, -0.2, 0.3]), (b, [0.0; 3])] {
        x.add("body", &[], |x, w| {
            let (q, v) = w.slot(id, x.model.coordinates().block(id));
            let inertia = [[0.4, 0.02, -0.03], [0.02, 0.5, 0.05], [-0.03, 0.05, 0.3]];
            Element::SpatialBody(Box::new(SpatialBody {
                q,
                v,
                mass: 1.4,
                inertia,
                center_of_mass: com,
                alpha: 0.3,
            }))
        });
    }
    for locked in masks() {
        x.add("joint", &[], |x, w| {
            Element::Joint(Box::new(Joint { a: x.frame(w, a, 0.4), b: x.frame(w, b, 0.7), locked }))
        });
    }
    x.add("mixed", &[], |x, w| {
        let locked = Locked::FIXED;
        Element::Joint(Box::new(Joint { a: x.frame(w, a, 0.2), b: x.frame(w, c, 0.1), locked }))
    });
    x.add("bar", &[], |x, w| {
        Element::Distance(Distance { a: x.frame(w, a, 0.1).place, b: x.frame(w, b, 0.9).place, length: 1.2 })
    });
    x.add("pin", &[], |x, w| {
        Element::Coincident(Coincident { a: x.frame(w, a, 0.1).place, b: x.frame(w, c, 0.9).place })
    });
    x.add("angle", &[], |x, w| {
        let hinge = Hinge { a: x.frame(w, a, 0.4), b: x.frame(w, b, 0.7) };
        Element::Drive(Drive { quantity: Driven::Rotation(Box::new(hinge)), law: linear(0.8) })
    });
    x.add("stroke", &[], |x, w| {
        let slide = Slide { a: x.frame(w, a, 0.4), b: x.frame(w, b, 0.7) };
        Element::Drive(Drive { quantity: Driven::Displacement(Box::new(slide)), law: linear(0.3) })
    });
    x.add("spring", &[], |x, w| {
        let (a, b) = (x.frame(w, a, 0.8).place, x.frame(w, b, 0.2).place);
        Element::Spring(Spring { a, b, stiffness: 12.0, natural_length: 0.7, damping: 0.9 })
    });
    x.add("bushing", &[], |x, w| {
        let matrix = |k: f64| {
            std::array::from_fn(|i| std::array::from_fn(|j| (1.0 + k * (7 * i + 3 * j) as f64).sin()))
        };
        Element::Bushing(Box::new(Bushing {
            a: x.frame(w, a, 0.5),
            b: x.frame(w, b, 0.3),
            stiffness: matrix(0.7),
            damping: matrix(1.3),
            preload: [0.4, -0.3, 0.2, 0.5, 0.1, -0.7],
        }))
    });
    x.add("twist", &[], |x, w| {
        let hinge = Hinge { a: x.frame(w, a, 0.4), b: x.frame(w, b, 0.7) };
        Element::HingeSpring(Box::new(HingeSpring {
            hinge,
            stiffness: 3.0,
            natural_angle: 0.2,
            damping: 0.6,
        }))
    });
    x.add("motor", &[input], |x, w| {
        let effort = Effort::Torque(Hinge { a: x.frame(w, a, 0.1), b: x.frame(w, c, 0.7) });
        Element::Motor(Box::new(Motor { effort, magnitude: linear(0.9), has_input: true }))
    });
    x.add("ram", &[], |x, w| {
        let effort = Effort::Force(Slide { a: x.frame(w, a, 0.1), b: x.frame(w, c, 0.7) });
        Element::Motor(Box::new(Motor { effort, magnitude: linear(1.9), has_input: false }))
    });
    x.add("moment", &[], |x, w| {
        let (on, from) = (x.model.attitude(w, a), x.model.attitude(w, b));
        let direction = [0.3, -0.5, 0.8];
        Element::Moment(Moment { on, from, direction, frame: on, magnitude: linear(0.5), has_input: false })
    });
    x.add("follower", &[], |x, w| {
        let frame = ForceFrame::Follower(x.model.attitude(w, b));
        let (place, direction) = (x.frame(w, b, 0.6).place, [0.2, 0.6, -0.9]);
        Element::Force(Force { place, direction, magnitude: linear(2.0), frame, has_input: false })
    });
    let mut w = Wiring::default();
    let hinge = Hinge { a: x.frame(&mut w, a, 0.4), b: x.frame(&mut w, b, 0.7) };
    let quantity = Quantity::Rotation(hinge);
    let blocks = w.into_blocks();
    for reading in
        [Reading::Value(quantity.clone()), Reading::Rate(quantity.clone()), Reading::Acceleration(quantity)]
    {
        x.model.add_sensor("angle", reading, blocks.clone());
    }
    let slide = Slide { a: hinge.a, b: hinge.b };
    x.model.add_sensor("stroke", Reading::Rate(Quantity::Displacement(slide)), blocks);
    crate::workshop::add_reactions(&mut x.model);
    x.model
}
