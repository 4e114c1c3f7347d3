//! Mechanisms of public collections: Andrews' squeezer, the simple pendulum, the N-four-bar, Bricard's loop, a governor, a
//! heavy top, a spatial and a flexible slider-crank.

use super::{TIGHT, direct, distance, explicit, iterated, options, partitioning, size};
use mb_algebra::RankTolerance;
use mb_constraints::method::{AugmentedLagrangian, Penalty};
use mb_constraints::simulate::{
    End, GeneralizedAlpha, Integrator, SimulationOptions, StepControl, Trajectory, simulate,
};
use mb_constraints::{ConstraintMethod, constraint_rank};
use mb_gallery::Table;
use mb_gallery::models::{
    SimplePendulum, TurningFourBar, andrews_squeezer, bricard, bricard_vertices, flexible_slider_crank,
    flyball_governor, heavy_top, spatial_slider_crank,
};
use mb_model::spec::{JointKind, MotionSpec};
use mb_model::{Model, ModelSpec};
use std::ops::ControlFlow;

fn go(model: &Model, options: &SimulationOptions) -> Trajectory {
    simulate(model, 0.0, model.initial(), model.initial_velocity(), options, &mut |_| {
        ControlFlow::Continue(())
    })
    .expect("a mechanism that moves")
}

fn tolerance(relative: f64) -> StepControl {
    StepControl { relative, absolute: 1e-2 * relative, max_step: None }
}

/// Values of a fixture by name.
fn value(table: &Table, quantity: &str) -> f64 {
    table.number(&format!("quantity={quantity}"), "value").expect("a row of the fixture").re().value()
}

const ANGLES: [&str; 7] = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"];

/// The test set's angles from the absolute ones of the seven bodies, or their rates.
fn relative_angles(model: &Model, all: &[f64]) -> [f64; 7] {
    let names = model.coordinates().names();
    let of = |body: &str| {
        let name = format!("{body}.angle");
        all[names.iter().position(|n| *n == name).expect("a body")]
    };
    let [k1, k2, k3, k4, k5, k6, k7] = ["K1", "K2", "K3", "K4", "K5", "K6", "K7"].map(of);
    [k1, k2 - k1, k3, k4 - k5, k5, k6 - k7, k7]
}

/// All angles, speeds, accelerations and multipliers of the reference state at 0.03 s, which the
/// mechanism reaches after two and a half turns; and its start.
#[test]
fn andrews_squeezer_reaches_its_reference_state() {
    let model = andrews_squeezer().unwrap().build().unwrap();
    let (start, end) = (Table::load("andrews/start").unwrap(), Table::load("andrews/reference").unwrap());
    let closures: Vec<usize> =
        (0..model.nc()).filter(|i| model.row_name(*i).starts_with("joint 'C")).collect();
    for method in [ConstraintMethod::Standard, direct(), partitioning()] {
        let motion = go(&model, &options(0.03, 0.001, explicit(method.clone(), TIGHT)));
        assert_eq!(motion.end, End::Finished, "{method}");
        super::no_departure(&motion, "squeezer");
        let first = motion.point(0);
        let a = relative_angles(&model, &first.a);
        for (k, name) in ANGLES.iter().enumerate() {
            // Only beta and theta begin to move.
            let expected = if k < 2 { value(&start, &format!("{name}''")) } else { 0.0 };
            assert!((a[k] - expected).abs() < 1e-9 * value(&start, "beta''"), "{method} {name} {}", a[k]);
        }
        for (k, row) in closures[..2].iter().enumerate() {
            let expected = value(&start, &format!("lambda_{}", k + 1));
            assert!((first.lambda[*row] / expected - 1.0).abs() < 1e-9, "{method}");
        }
        let last = motion.point(motion.len() - 1);
        let found = [&last.q, &last.v, &last.a].map(|x| relative_angles(&model, x));
        for (level, values) in ["", "'", "''"].iter().zip(found) {
            // Speeds and accelerations carry the errors of the angles times speeds of 1e3 rad/s.
            let allowed = [5e-9, 5e-9, 5e-6][level.len()];
            for (name, x) in ANGLES.iter().zip(values) {
                let expected = value(&end, &format!("{name}{level}"));
                let error =
                    (x - expected).abs() / expected.abs().max(if level.is_empty() { 1.0 } else { 1e3 });
                assert!(error < allowed, "{method}: {name}{level} {x} {error:e}");
            }
        }
        for (k, row) in closures.iter().enumerate() {
            let expected = value(&end, &format!("lambda_{}", k + 1));
            assert!(
                (last.lambda[*row] - expected).abs() < 1e-6 * value(&end, "lambda_1").abs(),
                "{method} {k}"
            );
        }
    }
}

/// Largest error of the angles at 0.03 s, relative to one radian.
fn squeezer_error(method: ConstraintMethod, relative: f64) -> f64 {
    let model = andrews_squeezer().and_then(|s| s.build()).expect("a mechanism that moves");
    let end = Table::load("andrews/reference").expect("a fixture");
    let motion = go(&model, &options(0.03, 0.03, explicit(method, tolerance(relative))));
    assert_eq!(motion.end, End::Finished);
    let found = relative_angles(&model, motion.q_at(motion.len() - 1));
    ANGLES.iter().zip(found).map(|(name, x)| (x - value(&end, name)).abs()).fold(0.0, f64::max)
}

/// The penalty method is off by its factor, an error that falls as 1 / alpha; iterated, it reaches the
/// reference. The factor is relative to masses of 0.006 to 0.07 kg: beyond 1e6 times these the rounding of
/// M + alpha Phi_q^T Phi_q is larger than what is gained. [flores2018, Eqs. (3)-(10)]
#[test]
fn andrews_squeezer_by_penalties() {
    let penalty = |alpha: f64| Penalty { alpha, ..Penalty::default() };
    let [coarse, fine, finest] =
        [1e3, 1e4, 1e5].map(|alpha| squeezer_error(ConstraintMethod::Penalty(penalty(alpha)), 1e-9));
    assert!((coarse / fine / 10.0 - 1.0).abs() < 0.05, "{coarse:e} {fine:e}");
    assert!((fine / finest / 10.0 - 1.0).abs() < 0.05, "{fine:e} {finest:e}");
    let iterated = |alpha: f64| {
        let iterated = AugmentedLagrangian { penalty: penalty(alpha), ..Default::default() };
        squeezer_error(ConstraintMethod::AugmentedLagrangian(iterated), 1e-9)
    };
    let (moderate, large) = (iterated(1e3), iterated(1e7));
    assert!(moderate < 1e-8, "{moderate:e}");
    assert!(large > 10.0 * moderate && large < 1e-5, "{large:e}");
}

/// Ten seconds of large swings against elliptic functions, and the rod's force against both.
#[test]
fn simple_pendulum_is_exact() {
    let model = SimplePendulum.spec().unwrap().build().unwrap();
    for method in [ConstraintMethod::Standard, direct(), partitioning()] {
        let motion = go(&model, &options(10.0, 0.5, explicit(method.clone(), TIGHT)));
        for i in 0..motion.len() {
            let ([x, y], tension) = SimplePendulum.at(motion.times[i]).unwrap();
            assert!(distance(motion.q_at(i), &[x, y]) < 2e-9, "{method}");
            // The rod pulls the mass towards the pin; its place a is the pin's.
            let force = model.outputs(&motion.point(i))[2];
            assert!((force.abs() - tension.abs()).abs() < 1e-6, "{method} {force} {tension}");
        }
    }
}

/// Largest departure from the exact motion.
fn departure(bar: TurningFourBar, until: f64, integrator: Integrator) -> f64 {
    let model = bar.spec().and_then(|s| s.build()).expect("a linkage that moves");
    let motion = go(&model, &options(until, 0.1, integrator));
    assert_eq!(motion.end, End::Finished);
    super::no_departure(&motion, "four-bar");
    (0..motion.len())
        .map(|i| distance(motion.q_at(i), &bar.at(motion.times[i]).expect("a motion")))
        .fold(0.0, f64::max)
}

/// Through all configurations in line within ten seconds, where N constraints depend on the others:
/// direct correction and coordinate partitioning stay on the branch of the parallelogram at every
/// tolerance, at the price of its root in each passage; the augmented Lagrangian above its noise
/// floor, and so does the implicit integrator.
#[test]
fn four_bars_pass_their_singular_configurations() {
    for loops in [1, 2] {
        let bar = TurningFourBar { loops, ..TurningFourBar::default() };
        for method in [direct(), partitioning()] {
            for relative in [1e-6, 1e-9] {
                let found = departure(bar, 10.0, explicit(method.clone(), tolerance(relative)));
                assert!(found < 3.0 * f64::sqrt(relative), "{loops} {method} {found:e}");
            }
        }
        let iterated = departure(bar, 10.0, explicit(iterated(), tolerance(1e-6)));
        assert!(iterated < 3e-3, "{loops} {iterated:e}");
        let alpha = GeneralizedAlpha { step: 2e-3, ..Default::default() };
        let implicit = departure(bar, 10.0, Integrator::GeneralizedAlpha(alpha));
        assert!(implicit < 2e-3, "{loops} {implicit:e}");
    }
}

/// At small tolerances the steps do not leap over the configuration in line but go through it. There the
/// augmented Lagrangian enforces a row that keeps the share s of its length only up to
/// 1 - (1 + alpha s^2 / m)^-k in k iterations: where alpha k is moderate the linkage passes freely over a stretch of
/// about the root of m / (alpha k), as wide as the branches need to stay apart, and keeps to its own; where it is large, the
/// violation left by rounding and by the iteration, divided by s, turns it into the other.
#[test]
fn augmented_lagrangian_with_a_moderate_penalty_passes_at_small_tolerances() {
    let iterated = |alpha: f64| {
        let penalty = Penalty { alpha, ..Penalty::default() };
        ConstraintMethod::AugmentedLagrangian(AugmentedLagrangian { penalty, ..Default::default() })
    };
    let bar = TurningFourBar::default();
    for relative in [1e-7, 1e-9] {
        let found = departure(bar, 10.0, explicit(iterated(1e3), tolerance(relative)));
        assert!(found < 1e-2, "{relative:e} {found:e}");
    }
}

/// Forty loops are beyond the dense path: sparse factors and sparse partitioning pass as well.
#[test]
fn forty_loops_pass_by_sparse_factors() {
    let bar = TurningFourBar { loops: 40, ..TurningFourBar::default() };
    for method in [direct(), partitioning()] {
        let found = departure(bar, 3.0, explicit(method.clone(), StepControl::default()));
        assert!(found < 2e-3, "{method} {found:e}");
    }
}

/// Whatever the method, the configuration in line is noted with a rod that depends there.
#[test]
fn singular_passages_are_noted() {
    let bar = TurningFourBar::default();
    let model = bar.spec().unwrap().build().unwrap();
    for method in ConstraintMethod::all() {
        let motion = go(&model, &options(4.0, 0.1, explicit(method.clone(), StepControl::default())));
        let first = motion.singular.first().unwrap_or_else(|| panic!("{method}"));
        // In line at the first time at which the tips are at the height of the pins.
        let q = bar.at(first.time).unwrap();
        assert!(q[1].abs() < 0.3 && first.share < 0.05, "{method} {first:?} {}", q[1]);
        assert!(model.row_name(first.row).contains("rod"), "{method}");
    }
    // A pendulum has no such configuration.
    let pendulum = SimplePendulum.spec().unwrap().build().unwrap();
    assert!(go(&pendulum, &options(2.0, 0.1, explicit(direct(), TIGHT))).singular.is_empty());
}

/// The standard method cannot pass at small tolerances, and says where and which constraint.
#[test]
fn what_cannot_pass_says_why() {
    let model = TurningFourBar::default().spec().unwrap().build().unwrap();
    let motion = go(&model, &options(4.0, 0.1, explicit(ConstraintMethod::Standard, tolerance(1e-9))));
    let End::Failed(failure) = &motion.end else { panic!("{:?}", motion.end) };
    let words = failure.to_string();
    assert!(words.contains("coupler") && words.contains("depend"), "{words}");
    let last = *motion.times.last().unwrap();
    assert!((last - 2.65).abs() < 0.1, "{last}");
}

/// The loop of six hinges moves although the count of its constraints forbids it: every method that
/// holds redundant rows runs, the angles stay on their closed curve, the energy is kept, and the
/// methods agree.
#[test]
fn bricards_loop_moves_on_its_closed_curve() {
    let model = bricard().unwrap().build().unwrap();
    let rank = constraint_rank(&model, model.initial(), 0.0, RankTolerance::default()).unwrap();
    assert_eq!((rank.velocities, rank.rows, rank.rank(), rank.redundant.len()), (30, 30, 29, 1));
    assert!(rank.redundant[0].name.contains("hinge") && rank.redundant[0].depends_on.len() > 5);
    let mut ends: Vec<Vec<f64>> = Vec::new();
    for method in ConstraintMethod::all() {
        // What each promises: the violation it leaves, and the energy that its penalties or its noise take.
        let (angles, energy, relative) = match &method {
            ConstraintMethod::Penalty(_) => (1e-4, 1e-2, 1e-9),
            ConstraintMethod::AugmentedLagrangian(_) => (1e-6, 1e-3, 1e-6),
            ConstraintMethod::Standard | ConstraintMethod::Baumgarte(_) => (1e-6, 1e-6, 1e-9),
            _ => (1e-9, 1e-6, 1e-9),
        };
        let control = StepControl { relative, absolute: 1e-11, max_step: None };
        let motion = go(&model, &options(1.2, 0.1, explicit(method.clone(), control)));
        assert_eq!(motion.end, End::Finished, "{method}");
        assert!(motion.energy_drift() < energy, "{method}: {:e}", motion.energy_drift());
        super::no_departure(&motion, "bricard");
        for i in 0..motion.len() {
            let p = bricard_vertices(motion.q_at(i));
            let edge = |k: usize| -> [f64; 3] { std::array::from_fn(|x| p[(k + 1) % 6][x] - p[k % 6][x]) };
            let cosine = |k: usize| (0..3).map(|x| edge(k)[x] * edge(k + 1)[x]).sum::<f64>();
            let [a, b] = [cosine(0), cosine(1)];
            let off: Vec<f64> = (0..6).map(|k| cosine(k) - if k % 2 == 0 { a } else { b }).collect();
            assert!(size(&off) < angles, "{method} {}: {off:?}", motion.times[i]);
            assert!((a + b + a * b).abs() < angles, "{method} {}: {a} {b}", motion.times[i]);
        }
        ends.push(motion.q_at(motion.len() - 1).to_vec());
    }
    // It has moved, and all came to the same place.
    assert!(distance(&ends[0], model.initial()) > 0.5);
    for (end, method) in ends.iter().zip(ConstraintMethod::all()) {
        let allowed = match method {
            ConstraintMethod::Penalty(_) => 1e-2,
            ConstraintMethod::AugmentedLagrangian(_) => 1e-3,
            _ => 1e-5,
        };
        assert!(distance(end, &ends[4]) < allowed, "{method}: {:e}", distance(end, &ends[4]));
    }
}

/// Largest distance of outputs at the end of a run from the reference state of a fixture.
fn at_reference(model: &Model, fixture: &str, names: &[&str], until: f64, method: ConstraintMethod) -> f64 {
    let table = Table::load(fixture).expect("a fixture");
    let motion = go(model, &options(until, until, explicit(method, TIGHT)));
    assert_eq!(motion.end, End::Finished);
    let found = model.outputs(&motion.point(motion.len() - 1));
    let off = |(name, x): (&&str, f64)| (x - value(&table, &format!("{name} at {until} s"))).abs();
    names.iter().zip(found).map(off).fold(0.0, f64::max)
}

/// The point P3 of the benchmark against a calculation in the loop's one coordinate.
#[test]
fn bricards_loop_reaches_its_reference_state() {
    let model = bricard().unwrap().build().unwrap();
    for method in [direct(), partitioning()] {
        for until in [0.5, 1.0] {
            let off = at_reference(&model, "bricard/reference", &["x", "y", "z"], until, method.clone());
            assert!(off < 2e-8, "{method} {until}: {off:e}");
        }
    }
}

/// The mass centre against a calculation of the axis alone.
#[test]
fn heavy_top_reaches_its_reference_state() {
    let model = heavy_top().unwrap().build().unwrap();
    for method in [direct(), partitioning()] {
        for until in [1.0, 2.0] {
            let off = at_reference(&model, "heavy-top/reference", &["x", "y", "z"], until, method.clone());
            assert!(off < 1e-8, "{method} {until}: {off:e}");
        }
    }
}

/// Slider and shaft against a calculation in two coordinates and an angular momentum.
#[test]
fn flyball_governor_reaches_its_reference_state() {
    let model = flyball_governor().unwrap().build().unwrap();
    for (until, method) in [(0.1, partitioning()), (0.5, direct())] {
        let off =
            at_reference(&model, "flyball-governor/reference", &["slider", "turn"], until, method.clone());
        assert!(off < 1e-9, "{method} {until}: {off:e}");
    }
}

/// Slider and crank against the integral of the crank's angle that the energy gives.
#[test]
fn spatial_slider_crank_reaches_its_reference_state() {
    let model = spatial_slider_crank().unwrap().build().unwrap();
    assert_eq!((model.nv(), model.nc()), (18, 17));
    for method in [direct(), partitioning()] {
        for until in [0.5, 1.0] {
            let names = ["slider", "turn"];
            let off = at_reference(&model, "spatial-slider-crank/reference", &names, until, method.clone());
            assert!(off < 1e-9, "{method} {until}: {off:e}");
        }
    }
}

/// Slider and middle of the elastic rod against a calculation in the rod's coordinates alone, both with two elements.
#[test]
fn flexible_slider_crank_reaches_its_reference_state() {
    let mut spec = flexible_slider_crank().unwrap();
    spec.set_parameter("n", 2.0).unwrap();
    let model = spec.build().unwrap();
    // The rod starts as a rigid one.
    let mut v = model.initial_velocity().to_vec();
    for (name, speed) in [("rod.y", 150.0 * 0.15), ("rod.angle", -150.0 * 0.15 / 0.3)] {
        v[model.coordinates().names().iter().position(|n| n == name).unwrap()] = speed;
    }
    let options = options(0.005, 0.001, explicit(direct(), tolerance(1e-7)));
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    let motion = simulate(&model, 0.0, model.initial(), &v, &options, go_on).unwrap();
    assert_eq!(motion.end, End::Finished);
    let table = Table::load("flexible-slider-crank/reference").unwrap();
    for (i, time) in [(2, "0.002"), (5, "0.005")] {
        let found = model.outputs(&motion.point(i));
        for (name, x) in ["slider", "middle-x", "middle-y"].iter().zip(found) {
            let off = (x - value(&table, &format!("{name} at {time} s"))).abs();
            assert!(off < 1e-8, "{name} {time}: {off:e}");
        }
    }
}

/// A redundant row is independent by the violation that a step leaves: the column picked for it was the motion itself, and the loop
/// jumped along it.
#[test]
fn partitioning_picks_no_column_for_a_row_that_the_violation_alone_makes_independent() {
    let model = bricard().unwrap().build().unwrap();
    for relative in [1e-5, 1e-6, 1e-7] {
        let control = StepControl { relative, absolute: 1e-9, max_step: None };
        let ends = [direct(), partitioning()].map(|method| {
            let motion = go(&model, &options(2.0, 0.02, explicit(method.clone(), control)));
            assert_eq!(motion.end, End::Finished, "{method} {relative:e}");
            motion.q_at(motion.len() - 1).to_vec()
        });
        let off = distance(&ends[0], &ends[1]);
        assert!(off < 1e-4, "{relative:e}: {off:e}");
    }
}

/// Redundant rows are independent of the others a little near the constraints, where the stages of a step are: they
/// must neither shorten the steps nor pass for singular configurations.
#[test]
fn redundant_rows_ask_for_nothing_beside_the_constraints() {
    let control = StepControl { relative: 1e-6, absolute: 1e-9, max_step: None };
    let run = |spec: &ModelSpec, method: &ConstraintMethod| {
        go(&spec.build().unwrap(), &options(2.0, 0.02, explicit(method.clone(), control)))
    };
    let whole = bricard().unwrap();
    // The same loop with a last hinge that leaves the redundant row out.
    let mut free = bricard().unwrap();
    let hinge = free.joints.iter_mut().find(|j| j.name == "hinge5").unwrap();
    hinge.kind = JointKind::Generic;
    hinge.free = Some(vec![MotionSpec::RotationY, MotionSpec::RotationZ]);
    assert_eq!(free.build().unwrap().nc() + 1, whole.build().unwrap().nc());
    for method in ConstraintMethod::all() {
        let motion = run(&whole, &method);
        // It does come near to a configuration in which two rows are nearly alike.
        assert!(
            motion.singular.iter().all(|passage| passage.share > 1e-2),
            "{method}: {:?}",
            motion.singular
        );
        if matches!(method, ConstraintMethod::Penalty(_) | ConstraintMethod::AugmentedLagrangian(_)) {
            continue;
        }
        // Method by method: that of Baumgarte, whose feedback acts on the violation of the stages, takes twice the steps of the
        // others in both loops.
        let [with, without] = [motion, run(&free, &method)].map(|motion| motion.statistics.steps);
        assert!(with <= without, "{method}: {with} steps, {without} without the redundant row");
    }
}

/// The same loop by the implicit integrator, which holds the redundant row by its shortest multipliers.
#[test]
fn bricards_loop_by_the_implicit_integrator() {
    let model = bricard().unwrap().build().unwrap();
    let alpha = GeneralizedAlpha { step: 2e-3, ..Default::default() };
    let motion = go(&model, &options(1.0, 0.1, Integrator::GeneralizedAlpha(alpha)));
    assert_eq!(motion.end, End::Finished);
    let precise = go(&model, &options(1.0, 0.1, explicit(direct(), tolerance(1e-9))));
    let last = motion.len() - 1;
    assert!(distance(motion.q_at(last), precise.q_at(last)) < 1e-3);
}
