//! Descriptor and state-space systems have the same transfer function.

use crate::support::{FourBar, four_bar};
use mb_algebra::c64;
use mb_linear::formulation::redundant::descriptor;
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize};
use mb_model::element::{AngleOf, Force, ForceFrame, Torque};
use mb_model::law::TimeLaw;
use mb_model::sensor::{Quantity, Reading};
use mb_model::{BlockId, Element, Model, Wiring};

/// The two-loop linkage with a force and a torque as inputs and every kind of output.
fn instrumented() -> Model {
    let data = FourBar { loops: 2, stiffness: 25.0, damping: 0.7, gravity: [0.0, -9.81, 0.0], angle: 2.0 };
    let mut m = four_bar(data);
    let inputs = [m.add_input("push"), m.add_input("twist")];
    let mut w = Wiring::default();
    let place = m.place(&mut w, BlockId(1), [0.0; 2]);
    let force = Force {
        place,
        direction: [0.6, 0.8, 0.0],
        magnitude: TimeLaw::constant(0.0),
        frame: ForceFrame::Ground,
        has_input: true,
    };
    m.add_element("force 'push'", Element::Force(force), w.into_blocks(), vec![inputs[0]]);
    let mut w = Wiring::default();
    let on = m.angle(&mut w, BlockId(3));
    let torque = Torque { on, from: AngleOf::Ground, magnitude: TimeLaw::constant(0.0), has_input: true };
    m.add_element("torque 'twist'", Element::Torque(torque), w.into_blocks(), vec![inputs[1]]);
    let mut w = Wiring::default();
    let quantity = Quantity::Coordinate { place: m.place(&mut w, BlockId(0), [0.0; 2]), axis: 0 };
    let blocks = w.into_blocks();
    m.add_sensor("x", Reading::Value(quantity), blocks.clone());
    m.add_sensor("vx", Reading::Rate(quantity), blocks.clone());
    m.add_sensor("ax", Reading::Acceleration(quantity), blocks);
    m.add_sensor("tension", Reading::Multiplier(1), vec![]);
    m
}

#[test]
fn reduction_keeps_the_transfer_function() {
    let model = instrumented();
    let e = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).unwrap();
    let at = OperatingPoint::from(&e);
    let lin = linearize(&model, &at);
    let full = descriptor(&model, at.point(), &lin).unwrap();
    let state = full.to_state_space().unwrap();
    let minimal = state.minimal(1e-9).unwrap();
    assert_eq!((full.states.len(), state.order(), minimal.order()), (2 * model.nv() + model.nc(), 2, 2));
    assert_eq!(full.outputs, ["x", "vx", "ax", "tension"]);
    for s in [c64::new(0.0, 0.5), c64::new(0.3, 2.0), c64::new(-1.0, 40.0)] {
        let (a, b, c) = (full.transfer(s).unwrap(), state.transfer(s).unwrap(), minimal.transfer(s).unwrap());
        for i in 0..4 {
            for j in 0..2 {
                assert!(
                    (a[(i, j)] - b[(i, j)]).norm() < 1e-10 * (1.0 + a[(i, j)].norm()),
                    "({i}, {j}) at {s}"
                );
                assert!(
                    (a[(i, j)] - c[(i, j)]).norm() < 1e-9 * (1.0 + a[(i, j)].norm()),
                    "({i}, {j}) at {s}"
                );
            }
        }
        // The outputs are derivatives of one another.
        for j in 0..2 {
            assert!((a[(1, j)] - s * a[(0, j)]).norm() < 1e-10 * (1.0 + a[(1, j)].norm()));
            assert!((a[(2, j)] - s * a[(1, j)]).norm() < 1e-9 * (1.0 + a[(2, j)].norm()));
        }
    }
}

/// Two equal independent pendulums driven by one input: half of the states are unreachable.
#[test]
fn minimal_realization_drops_what_no_input_reaches() {
    use mb_algebra::dense;
    use mb_linear::StateSpace;
    let a = dense::from_rows(&[
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [-4.0, 0.0, 0.0, 0.0],
        [0.0, -4.0, 0.0, 0.0],
    ]);
    let state = StateSpace {
        a,
        b: dense::from_rows(&[[0.0], [0.0], [1.0], [1.0]]),
        c: dense::from_rows(&[[1.0, 0.0, 0.0, 0.0]]),
        d: dense::zeros(1, 1),
        states: ["p", "q", "p'", "q'"].map(String::from).to_vec(),
        inputs: vec!["u".into()],
        outputs: vec!["y".into()],
    };
    let small = state.minimal(1e-10).unwrap();
    assert_eq!((small.order(), small.states.as_slice()), (2, &["x1".to_owned(), "x2".to_owned()][..]));
    let s = c64::new(0.1, 1.3);
    let exact = c64::new(1.0, 0.0) / (s * s + 4.0);
    assert!((small.transfer(s).unwrap()[(0, 0)] - exact).norm() < 1e-13);
}
