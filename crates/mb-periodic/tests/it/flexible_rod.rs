//! A slider-crank with an elastic connecting rod at constant speed, against simulated neighbours of its motion: another integrator
//! with other equations, and differences in place of derivatives.

use crate::support::{model, start};
use mb_algebra::{dense, norms};
use mb_constraints::ConstraintMethod;
use mb_constraints::method::DirectCorrection;
use mb_constraints::simulate::{End, Integrator, SimulationOptions, StartPolicy, StepControl, simulate};
use mb_periodic::{Dynamics, OrbitOptions, Period, State, find_orbit};
use std::f64::consts::TAU;
use std::ops::ControlFlow;

const CRANK: &str = r#"
units = "SI"
name = "slider-crank with an elastic rod"
gravity = [0, 0]
parameters = { W = 5 }
body = [
    { name = "crank", mass = 1, inertia = 0.02, at = [0, 0], angle = 0, angular_velocity = "W", markers = { pin = [0.1, 0] } },
    { name = "slider", mass = 0.3, inertia = 0.01, at = [0.5, 0], angle = 0 },
]
flexible-link = [{ name = "rod", length = 0.4, elements = 1, density = 1500, youngs_modulus = 2e6, section = { radius = 0.01 }, at = [0.1, 0], angle = 0, damping = { alpha = 1.0, beta = 1e-3 } }]
joint = [
    { name = "main", type = "revolute", a = "crank", b = [0, 0] },
    { name = "crankpin", type = "revolute", a = "rod.start", b = "crank.pin" },
    { name = "wrist", type = "revolute", a = "slider", b = "rod.end" },
    { name = "guide", type = "prismatic", a = "slider", b = [0, 0], axis = [1, 0] },
]
drive = [{ name = "motor", quantity = "angle", of = "crank", law = "W*t" }]
"#;

#[test]
fn an_elastic_rod_returns_as_simulated() {
    let w = 5.0;
    let model = model(CRANK, &[("W", w)]);
    let period = TAU / w;
    let options = OrbitOptions { steps: 24, most_steps: 48, tolerance: 1e-7, ..OrbitOptions::default() };
    let orbit = find_orbit(&model, &start(&model), Period::Given(period), &options).unwrap();
    let begin = &orbit.states[0];
    let dynamics = Dynamics::new(&model, &[], begin).unwrap();
    let control = StepControl { relative: 1e-9, absolute: 1e-11, max_step: None };
    let method = ConstraintMethod::DirectCorrection(DirectCorrection::default());
    let later = |from: &State| -> State {
        let options = SimulationOptions {
            until: period,
            every: period,
            start: StartPolicy::Keep,
            integrator: Integrator::DormandPrince { method: method.clone(), control, restart: false },
            ..SimulationOptions::default()
        };
        let motion =
            simulate(&model, 0.0, &from.q, &from.v, &options, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(matches!(motion.end, End::Finished));
        let last = motion.len() - 1;
        let mut q = motion.q_at(last).to_vec();
        // The crank has made a whole turn; in the plane configuration and velocities have the same numbers.
        q.iter_mut().zip(&orbit.turns).for_each(|(x, turns)| *x -= TAU * f64::from(*turns));
        State { t: 0.0, q, v: motion.v_at(last).to_vec() }
    };
    let gap = norms::max_abs_vec(&orbit.frame.gap(&dynamics, &later(begin), begin));
    assert!(gap < 1e-8, "the motion does not return: {gap:e}");
    let size = orbit.monodromy.nrows();
    assert!(size >= 4);
    let (h, k) = (2e-4, size - 1);
    let beside = |way: f64| {
        let y: Vec<f64> = (0..size).map(|i| if i == k { way } else { 0.0 }).collect();
        let from = orbit.frame.moved(&dynamics, begin, &y).unwrap();
        orbit.frame.gap(&dynamics, &later(&from), begin)
    };
    let [more, less] = [h, -h].map(beside);
    let exact = dense::column(&orbit.monodromy, k);
    let largest = norms::max_abs(&orbit.monodromy);
    for i in 0..size {
        let slope = (more[i] - less[i]) / (2.0 * h);
        assert!((slope - exact[i]).abs() < 1e-5 * largest, "{i}: {slope} {}", exact[i]);
    }
}
