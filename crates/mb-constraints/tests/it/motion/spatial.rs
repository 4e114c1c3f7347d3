//! The spatial four-bar of the paper. [flores2018, Sec. 3]

use super::{TIGHT, direct, distance, evaluated, explicit, iterated, options, partitioning, size};
use mb_constraints::ConstraintMethod;
use mb_constraints::method::Baumgarte;
use mb_constraints::simulate::{End, GeneralizedAlpha, Integrator, StepControl, Trajectory, simulate};
use mb_gallery::models::SpatialFourBar;
use mb_model::Model;
use std::ops::ControlFlow;

fn run(model: &Model, until: f64, integrator: Integrator) -> Trajectory {
    let options = options(until, 0.02, integrator);
    let motion = simulate(model, 0.0, model.initial(), model.initial_velocity(), &options, &mut |_| {
        ControlFlow::Continue(())
    })
    .expect("a linkage that moves");
    assert_eq!(motion.end, End::Finished, "{}", options.integrator.method_name());
    super::no_departure(&motion, &options.integrator.method_name());
    motion
}

fn four_bar() -> Model {
    SpatialFourBar::default().spec().expect("a linkage that moves").build().expect("a linkage that moves")
}

/// Crank angle from the height and side of the tip A, counted up over whole turns.
fn turned(motion: &Trajectory) -> f64 {
    let mut total = 0.0;
    let mut last = 0.0;
    for i in 0..motion.len() {
        // The crank's middle is at half its length times (0, -sin, cos).
        let q = motion.q_at(i);
        let angle = (-q[1]).atan2(q[2]);
        let mut step = angle - last;
        step -= (step / std::f64::consts::TAU).round() * std::f64::consts::TAU;
        total += step;
        last = angle;
    }
    total
}

/// The motion is that of the one coordinate of the linkage, integrated on its own.
#[test]
fn coordinate_partitioning_is_the_minimal_motion() {
    let bar = SpatialFourBar::default();
    let motion = run(&four_bar(), 1.0, explicit(partitioning(), TIGHT));
    // Classical Runge-Kutta steps of the closed form, with Richardson's extrapolation.
    let minimal = |n: usize| {
        let h = 1.0 / n as f64;
        let (mut x, mut w) = (0.0, bar.speed);
        for _ in 0..n {
            let a = |x: f64, w: f64| bar.acceleration(x, w).unwrap();
            let (k1, l1) = (w, a(x, w));
            let (k2, l2) = (w + 0.5 * h * l1, a(x + 0.5 * h * k1, w + 0.5 * h * l1));
            let (k3, l3) = (w + 0.5 * h * l2, a(x + 0.5 * h * k2, w + 0.5 * h * l2));
            let (k4, l4) = (w + h * l3, a(x + h * k3, w + h * l3));
            x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            w += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        }
        x
    };
    let (coarse, fine) = (minimal(4000), minimal(8000));
    let exact = fine + (fine - coarse) / 15.0;
    assert!((turned(&motion) - exact).abs() < 1e-9, "{} {exact}", turned(&motion));
}

/// Who grows, who stays, who is at rounding; and the counts of the integrator's own control.
#[test]
fn claims_of_the_paper() {
    let model = four_bar();
    let by = |method| run(&model, 5.0, explicit(method, StepControl::default()));
    let [standard, baumgarte, penalty, iterated, direct, _] = ConstraintMethod::all().map(by);
    let at = |m: &Trajectory, i: usize| m.records[i].violation;
    assert!(at(&standard, 250) > 8.0 * at(&standard, 125));
    assert!(standard.violation().0 > 1e3 * baumgarte.violation().0);
    for bounded in [&baumgarte, &penalty, &iterated] {
        assert!(bounded.violation().0 < 1e-12);
    }
    assert!(direct.violation().1 < 1e-16 && direct.statistics.most_iterations <= 3);
    // Cost: standard < Baumgarte < penalty.
    let cost = |m: &Trajectory| m.statistics.evaluations;
    assert!(cost(&standard) < cost(&baumgarte) && cost(&baumgarte) < cost(&penalty));
    assert!(cost(&iterated) > cost(&baumgarte));
    for (motion, notes) in
        [(standard, 3091), (baumgarte, 3433), (penalty, 3775), (iterated, 3775), (direct, 3564)]
    {
        let ratio = motion.statistics.evaluations as f64 / f64::from(notes);
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
    }
}

/// In space too the augmented Lagrangian method is Baumgarte's.
#[test]
fn augmented_lagrangian_is_baumgarte_in_space() {
    let model = four_bar();
    let mut q = model.initial().to_vec();
    model.coordinates().retract_in_place(&mut q, &vec![1e-4; model.nv()]);
    let v = model.initial_velocity();
    let (a, _) = evaluated(&model, &iterated(), &q, v);
    let feedback = Baumgarte { alpha: 10.0, beta: 10.0 };
    let (b, _) = evaluated(&model, &ConstraintMethod::Baumgarte(feedback), &q, v);
    assert!(distance(&a, &b) < 5e-9 * size(&b), "{:e}", distance(&a, &b) / size(&b));
}

/// Halving the implicit step divides its error by four, with rotations in space.
#[test]
fn implicit_steps_are_of_second_order_in_space() {
    let model = four_bar();
    let direct = direct();
    let exact = run(&model, 0.4, explicit(direct, TIGHT));
    let error = |step| {
        let alpha = GeneralizedAlpha { step, spectral_radius: 0.9, ..Default::default() };
        let motion = run(&model, 0.4, Integrator::GeneralizedAlpha(alpha));
        assert!(motion.violation().0 < 1e-18);
        distance(&motion.q, &exact.q)
    };
    let order = (error(4e-3) / error(2e-3)).log2();
    assert!((order - 2.0).abs() < 0.15, "{order}");
}
