//! A model with one of everything, at a point where nothing vanishes by chance.

use mb_model::coordinates::BlockKind;
use mb_model::element::{
    AngleOf, AngleOfLine, Coincident, Dependence, Distance, Drive, Driven, ElementLaw, Force, ForceFrame,
    LineForm, Local, OnLine, Place, PlanarBody, PointMass, RelativeAngle, Rod, Spring, Torque, TorsionSpring,
};
use mb_model::law::{Function, Term, TimeLaw, TimeLeaf};
use mb_model::sensor::{Component, EnergyKind, Quantity, ReactionAxes, Reading};
use mb_model::{Element, Model, Point, Wiring};
use mb_scalar::Lift;

/// A spherical pendulum with a spring, in a spatial pose: written outside the crate.
#[derive(Debug)]
struct Gyro {
    mass: f64,
    inertia: [f64; 3],
    arm: [f64; 3],
    stiffness: f64,
}

/// Euler parameters applied to a vector.
fn rotate<S: Lift<f64>>(p: &[S], x: [f64; 3]) -> [S; 3] {
    let x = x.map(S::lift);
    let two = S::cst(2.0);
    let cross = |a: [S; 3], b: [S; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let e = [p[1], p[2], p[3]];
    let t = cross(e, x).map(|c| two * c);
    let u = cross(e, t);
    [x[0] + p[0] * t[0] + u[0], x[1] + p[0] * t[1] + u[1], x[2] + p[0] * t[2] + u[2]]
}

impl ElementLaw<f64> for Gyro {
    fn rows(&self) -> usize {
        3
    }
    fn dependence(&self) -> Dependence {
        Dependence::EVERYTHING
    }
    fn inputs(&self) -> usize {
        1
    }
    fn residual<S: Lift<f64>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let (m, k) = (S::lift(self.mass), S::lift(self.stiffness));
        let tip = rotate(&at.q[3..7], self.arm);
        for i in 0..3 {
            out[i] += m * (at.a[i] - at.gravity[i]) + k * (at.q[i] + tip[i]);
        }
        // J w' + w x J w in body axes.
        let j = self.inertia.map(S::lift);
        let w = [at.v[3], at.v[4], at.v[5]];
        let h = [j[0] * w[0], j[1] * w[1], j[2] * w[2]];
        out[3] += j[0] * at.a[3] + w[1] * h[2] - w[2] * h[1] - at.u[0];
        out[4] += j[1] * at.a[4] + w[2] * h[0] - w[0] * h[2];
        out[5] += j[2] * at.a[5] + w[0] * h[1] - w[1] * h[0];
    }
    fn phi<S: Lift<f64>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let tip = rotate(&at.q[3..7], self.arm);
        for i in 0..3 {
            out[i] = at.q[i] + tip[i] - S::cst(0.3) * at.t.sin();
        }
    }
}

fn sine(amplitude: f64, rate: f64) -> TimeLaw {
    let leaf = |x| Box::new(Term::Leaf(TimeLeaf::Number(x)));
    let angle = Term::Product(leaf(rate), Box::new(Term::Leaf(TimeLeaf::Time)));
    TimeLaw(Term::Product(leaf(amplitude), Box::new(Term::Call(Function::Sin, vec![angle]))))
}

/// The model with one of everything.
#[expect(clippy::too_many_lines, reason = "a list, one entry per element")]
pub(crate) fn model() -> Model {
    let mut m = Model::new("workshop", [0.4, -9.8, 1.1]);
    let p = m.add_block("P", BlockKind::PlanarPoint, &[0.9, 0.2]);
    let r = m.add_block("R", BlockKind::PlanarPoint, &[1.7, -0.3]);
    let phi = m.add_block("phi", BlockKind::Angle, &[0.4]);
    let b = m.add_block("body", BlockKind::PlanarPose, &[-0.5, 0.6, 0.7]);
    let c = m.add_block("other", BlockKind::PlanarPose, &[0.2, 1.6, -0.4]);
    let s = m.add_block("gyro", BlockKind::Pose, &[0.1, 0.2, -0.3, 0.8, 0.36, 0.48, 0.0]);
    let u = [m.add_input("push"), m.add_input("twist"), m.add_input("spin")];
    let ground = Place::Ground([0.1, -0.2, 0.0]);

    let mut add = |owner: &str, make: &dyn Fn(&Model, &mut Wiring) -> Element, inputs: &[usize]| {
        let mut w = Wiring::default();
        let element = make(&m, &mut w);
        m.add_element(owner, element, w.into_blocks(), inputs.to_vec());
    };
    let at = |m: &Model, w: &mut Wiring, id, local| m.place(w, id, local);
    add(
        "mass",
        &|m, w| {
            let (slot, _) = w.slot(p, m.coordinates().block(p));
            Element::PointMass(PointMass { slot, mass: 1.3, alpha: 0.2 })
        },
        &[],
    );
    add(
        "rod",
        &|m, w| {
            Element::Rod(Rod { ends: [at(m, w, p, [0.0; 2]), at(m, w, r, [0.0; 2])], mass: 2.0, alpha: 0.1 })
        },
        &[],
    );
    add(
        "body",
        &|m, w| {
            let (slot, _) = w.slot(b, m.coordinates().block(b));
            Element::PlanarBody(PlanarBody {
                slot,
                mass: 1.5,
                inertia: 0.3,
                center_of_mass: [0.2, -0.4],
                alpha: 0.3,
            })
        },
        &[],
    );
    add(
        "other",
        &|m, w| {
            let (slot, _) = w.slot(c, m.coordinates().block(c));
            Element::PlanarBody(PlanarBody {
                slot,
                mass: 0.8,
                inertia: 0.1,
                center_of_mass: [0.0; 2],
                alpha: 0.0,
            })
        },
        &[],
    );
    add(
        "spring",
        &|m, w| {
            let (a, b) = (at(m, w, r, [0.0; 2]), at(m, w, b, [0.3, 0.1]));
            Element::Spring(Spring { a, b, stiffness: 12.0, natural_length: 0.7, damping: 0.9 })
        },
        &[],
    );
    add(
        "torsion",
        &|m, w| {
            let (a, b) = (m.angle(w, b), m.angle(w, c));
            Element::TorsionSpring(TorsionSpring { a, b, stiffness: 3.0, natural_angle: 0.2, damping: 0.4 })
        },
        &[],
    );
    add(
        "follower",
        &|m, w| {
            let place = at(m, w, b, [0.5, 0.5]);
            let frame = ForceFrame::Follower(m.attitude(w, b));
            Element::Force(Force {
                place,
                direction: [0.6, 0.8, 0.0],
                magnitude: sine(2.0, 1.5),
                frame,
                has_input: true,
            })
        },
        &u[..1],
    );
    add(
        "torque",
        &|m, w| {
            let (on, from) = (m.angle(w, b), m.angle(w, phi));
            Element::Torque(Torque { on, from, magnitude: sine(1.0, 0.5), has_input: true })
        },
        &u[1..2],
    );
    add(
        "pin",
        &|m, w| Element::Coincident(Coincident { a: at(m, w, b, [0.1, 0.9]), b: at(m, w, c, [-0.6, 0.2]) }),
        &[],
    );
    add(
        "bar",
        &|m, w| {
            Element::Distance(Distance { a: at(m, w, p, [0.0; 2]), b: at(m, w, c, [0.3, 0.3]), length: 1.1 })
        },
        &[],
    );
    add(
        "lock",
        &|m, w| Element::RelativeAngle(RelativeAngle { a: m.angle(w, b), b: AngleOf::Ground, offset: 0.3 }),
        &[],
    );
    add(
        "slot",
        &|m, w| {
            let (point, base) = (at(m, w, r, [0.0; 2]), at(m, w, c, [0.2, 0.0]));
            Element::OnLine(OnLine { point, base, frame: m.angle(w, c), axis: [0.8, 0.6] })
        },
        &[],
    );
    for form in [LineForm::Sine, LineForm::Cosine, LineForm::Cross] {
        add(
            "phi",
            &move |m, w| {
                let (a, b) = (at(m, w, p, [0.0; 2]), at(m, w, b, [0.1, 0.1]));
                Element::AngleOfLine(AngleOfLine { angle: m.angle(w, phi), a, b, length: 0.9, form })
            },
            &[],
        );
    }
    add(
        "drive angle",
        &|m, w| {
            let quantity = Driven::Angle { a: m.angle(w, c), b: AngleOf::Ground };
            Element::Drive(Drive { quantity, law: sine(0.5, 2.0) })
        },
        &[],
    );
    add(
        "drive y",
        &|m, w| {
            let quantity = Driven::Coordinate { place: at(m, w, b, [0.2, 0.3]), axis: 1 };
            Element::Drive(Drive { quantity, law: sine(0.4, 3.0) })
        },
        &[],
    );
    add(
        "drive length",
        &|m, w| {
            let quantity = Driven::Distance { a: at(m, w, p, [0.0; 2]), b: ground };
            Element::Drive(Drive { quantity, law: sine(0.8, 1.0) })
        },
        &[],
    );
    add(
        "gyro",
        &|m, w| {
            w.slot(s, m.coordinates().block(s));
            Element::custom(Gyro {
                mass: 1.2,
                inertia: [0.2, 0.5, 0.4],
                arm: [0.3, -0.2, 0.5],
                stiffness: 40.0,
            })
        },
        &u[2..],
    );
    let mut w = Wiring::default();
    let quantity = Quantity::Distance { a: m.place(&mut w, p, [0.0; 2]), b: m.place(&mut w, b, [0.4, 0.4]) };
    let blocks = w.into_blocks();
    m.add_sensor("length", Reading::Value(quantity.clone()), blocks.clone());
    m.add_sensor("rate", Reading::Rate(quantity.clone()), blocks.clone());
    m.add_sensor("acceleration", Reading::Acceleration(quantity), blocks);
    m.add_sensor("pull", Reading::Multiplier(2), Vec::new());
    add_reactions(&mut m);
    m
}

/// Every component of every reaction in both axes, the energies, and a violation.
pub(crate) fn add_reactions(m: &mut Model) {
    for reaction in m.reactions() {
        for (moment, axes) in [false, true].into_iter().zip([ReactionAxes::Ground, ReactionAxes::Joint]) {
            for axis in 0..3 {
                let name = format!("{} {moment} {axis}", reaction.owner);
                let reaction = reaction.clone();
                m.add_reaction_sensor(name, Component { reaction, moment, axis, axes });
            }
        }
    }
    for kind in [EnergyKind::Kinetic, EnergyKind::Potential, EnergyKind::Total] {
        m.add_sensor("energy", Reading::Energy(kind), Vec::new());
    }
    m.add_sensor("violation", Reading::Violation(m.nc() - 1), Vec::new());
}

/// A reproducible point with all parts nonzero.
pub(crate) fn point(m: &Model) -> Point {
    let wave = |n: usize, k: f64| (0..n).map(|i| (1.0 + k * (i + 1) as f64).sin()).collect::<Vec<_>>();
    Point {
        q: m.initial().to_vec(),
        v: wave(m.nv(), 1.3),
        a: wave(m.nv(), 0.7),
        lambda: wave(m.nc(), 2.1),
        t: 0.6,
        u: wave(m.inputs().len(), 0.9),
    }
}
