//! Descriptor and state-space systems have the same transfer function; in motion the reduced one against differences.

use crate::support::{FourBar, four_bar};
use mb_algebra::c64;
use mb_constraints::simulate::{StartPolicy, consistent_start};
use mb_linear::{
    Equilibrium, EquilibriumOptions, Instant, OperatingPoint, descriptor, descriptor_of_instant, linearize,
    linearize_instant,
};
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
    m.add_sensor("x", Reading::Value(quantity.clone()), blocks.clone());
    m.add_sensor("vx", Reading::Rate(quantity.clone()), blocks.clone());
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
    let full = descriptor(&model, &at, &lin).unwrap();
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

/// At a point of a motion the reduced system is the derivative of accelerations and outputs with respect to the
/// independent coordinate and its speed.
#[test]
fn reduction_in_motion_is_the_derivative_of_the_motion() {
    let model = instrumented();
    let (t, inputs) = (0.0, vec![1.3, -0.4]);
    let at = |x: Option<(usize, f64, f64)>| {
        let (mut q, mut v) = (model.initial().to_vec(), vec![0.0; model.nv()]);
        v[6] = 2.0;
        let mut hold = vec![6];
        if let Some((i, place, speed)) = x {
            (q[i], v[i], hold) = (place, speed, vec![i]);
        }
        let there = consistent_start(&model, &q, &v, t, StartPolicy::Assemble, &hold).unwrap();
        Instant::of_motion(&model, there.q, there.v, t, inputs.clone(), 1e-9).unwrap()
    };
    let centre = at(None);
    assert!(!centre.is_rest());
    let lin = linearize_instant(&model, &centre);
    let state = descriptor_of_instant(&model, &centre, &lin).unwrap().to_state_space().unwrap();
    assert_eq!(state.order(), 2);
    let i = model.coordinates().names().iter().position(|name| *name == state.states[0]).unwrap();
    let (z, rate) = (centre.point().q[i], centre.point().v[i]);
    let h = 1e-4;
    for column in 0..2 {
        let moved = |h: f64| {
            let there = if column == 0 { (i, z + h, rate) } else { (i, z, rate + h) };
            let point = at(Some(there)).point().clone();
            let mut all = vec![point.a[i]];
            all.extend(model.outputs(&point));
            all
        };
        let (p, m, pp, mm) = (moved(h), moved(-h), moved(2.0 * h), moved(-2.0 * h));
        let difference = |k: usize| (8.0 * (p[k] - m[k]) - (pp[k] - mm[k])) / (12.0 * h);
        let known = [state.a[(1, column)], state.c[(0, column)], state.c[(1, column)], state.c[(2, column)]];
        for (k, known) in known.into_iter().chain([state.c[(3, column)]]).enumerate() {
            let found = difference(k);
            assert!((found - known).abs() < 1e-7 * (1.0 + known.abs()), "{column} {k}: {found} {known}");
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

/// Modes from 1 to 1e6 rad/s, two of which no input reaches: the slow ones of a stiff model stay, against the
/// sum of the modes.
#[test]
fn minimal_realization_of_a_stiff_model_keeps_its_slow_modes() {
    use mb_algebra::{Dense, dense};
    use mb_linear::StateSpace;
    let (n, zeta) = (9, 1e-3);
    let frequency = |k: usize| 10.0_f64.powf(0.75 * k as f64);
    let share = |k: usize| if k == 3 || k == 6 { 0.0 } else { 1.0 + 0.1 * k as f64 };
    let diagonal = |of: &dyn Fn(usize) -> f64| Dense::from_fn(n, n, |i, j| if i == j { of(i) } else { 0.0 });
    let stiffness = diagonal(&|k| -frequency(k).powi(2));
    let damping = diagonal(&|k| -2.0 * zeta * frequency(k));
    let zero = dense::zeros(n, n);
    let force = Dense::from_fn(n, 1, |i, _| share(i));
    let state = StateSpace {
        a: dense::vstack(&[
            &dense::hstack(&[&zero, &dense::identity(n)]),
            &dense::hstack(&[&stiffness, &damping]),
        ]),
        b: dense::vstack(&[&dense::zeros(n, 1), &force]),
        c: dense::hstack(&[&dense::transpose(&force), &dense::zeros(1, n)]),
        d: dense::zeros(1, 1),
        states: (0..2 * n).map(|k| format!("z{k}")).collect(),
        inputs: vec!["u".into()],
        outputs: vec!["y".into()],
    };
    let small = state.minimal(1e-10).unwrap();
    assert_eq!(small.order(), 2 * (n - 2));
    for k in 0..n {
        let s = c64::new(0.0, 1.01 * frequency(k));
        let modes = (0..n).map(|k| {
            let w = frequency(k);
            c64::new(share(k).powi(2), 0.0) / (s * s + 2.0 * zeta * w * s + w * w)
        });
        let exact: c64 = modes.sum();
        let found = small.transfer(s).unwrap()[(0, 0)];
        assert!((found - exact).norm() < 1e-5 * exact.norm(), "{k}: {found} {exact}");
    }
}

/// Two masses on a spring that move freely along their line, and a third that nothing pushes: the chain of zeros of the free motion, which
/// rounding tears apart, stays.
#[test]
fn minimal_realization_keeps_a_free_motion() {
    use mb_linear::StateSpace;
    let model = Model::from_toml(
        "units = 'SI'
        name = 'free chain'
        gravity = [0, 0]
        point = [{ name = 'a', at = [0, 0], mass = 1 }, { name = 'b', at = [1, 0], mass = 2 }, { name = 'c', at = [5, 0], mass = 3 }]
        spring = [{ name = 's', a = 'a', b = 'b', stiffness = 1e7, damping = 3, natural_length = 1 }]
        force = [{ name = 'push', at = 'a', direction = [1, 0], input = 'F' }]
        output = [{ name = 'x', quantity = 'x', of = 'b' }]",
    )
    .unwrap();
    let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).unwrap();
    let at = OperatingPoint::from(&rest);
    let full: StateSpace =
        descriptor(&model, &at, &linearize(&model, &at)).unwrap().to_state_space().unwrap();
    let small = full.minimal(1e-10).unwrap();
    assert_eq!((full.order(), small.order()), (12, 4));
    for w in [1.0, 1e2, 3e3, 5e3] {
        // (k + c s) / (s^2 (m_a m_b s^2 + (m_a + m_b) (k + c s)))
        let s = c64::new(0.0, w);
        let spring = 1e7 + 3.0 * s;
        let exact = spring / (s * s * (2.0 * s * s + 3.0 * spring));
        let found = small.transfer(s).unwrap()[(0, 0)];
        assert!((found - exact).norm() < 1e-7 * exact.norm(), "{w}: {found} {exact}");
    }
}
