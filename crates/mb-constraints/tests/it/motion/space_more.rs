//! Bodies in space: overconstrained, many, and with Euler parameters that drift.

use super::{TIGHT, direct, distance, evaluated, explicit, options, run, size};
use mb_constraints::simulate::StepControl;
use mb_constraints::{ConstraintMethod, accelerations, constraint_rank};
use mb_gallery::models::{PendulumMotion, SpatialFourBar, spatial_chain};
use mb_model::{Model, Point};

/// A parallelogram of four revolute joints in space: 20 constraints of rank 17 on 18 velocities.
fn overconstrained() -> Model {
    let (x, z) = (f64::sin(1.0), -f64::cos(1.0));
    let text = format!(
        r#"
        units = "SI"
        name = "parallelogram in space"
        gravity = [0, 0, -9.81]
        spatial-body = [
            {{ name = "left", mass = 1, inertia = [0.02, 0.09, 0.08], at = [{a}, 0, {b}], markers = {{ top = [{ma}, 0, {mb}], end = [{a}, 0, {b}] }} }},
            {{ name = "right", mass = 1, inertia = [0.02, 0.09, 0.08], at = [{c}, 0, {b}], markers = {{ top = [{ma}, 0, {mb}], end = [{a}, 0, {b}] }} }},
            {{ name = "bar", mass = 2, inertia = [0.02, 0.09, 0.08], at = [{d}, 0, {z}], markers = {{ l = [-0.5, 0, 0], r = [0.5, 0, 0] }} }},
        ]
        joint = [
            {{ name = "A", type = "revolute", a = "left.top", b = [0, 0, 0], axis = [0, 1, 0] }},
            {{ name = "B", type = "revolute", a = "right.top", b = [1, 0, 0], axis = [0, 1, 0] }},
            {{ name = "C", type = "revolute", a = "bar.l", b = "left.end", axis = [0, 1, 0] }},
            {{ name = "D", type = "revolute", a = "bar.r", b = "right.end", axis = [0, 1, 0] }},
        ]
        "#,
        a = x / 2.0,
        b = z / 2.0,
        ma = -x / 2.0,
        mb = -z / 2.0,
        c = 1.0 + x / 2.0,
        d = 0.5 + x,
    );
    Model::from_toml(&text).expect("a linkage that moves")
}

/// Three redundant rows change nothing: every method gives the motion of the pendulum that the
/// linkage is, x'' = -w^2 sin x with w^2 = (1/2 + 1/2 + 2) g / (2 (0.09 + 1/4) + 2).
#[test]
fn overconstrained_linkages_move_as_their_one_degree_of_freedom() {
    let model = overconstrained();
    let rank = constraint_rank(&model, model.initial(), 0.0, mb_algebra::RankTolerance::default()).unwrap();
    assert_eq!((rank.rows, rank.rank(), rank.degrees_of_freedom()), (20, 17, 1));
    let exact = PendulumMotion { frequency: (3.0 * 9.81 / 2.68_f64).sqrt(), angle: 1.0, speed: 0.0 };
    for method in ConstraintMethod::all() {
        let motion = run(&model, &[0.0; 18], &options(2.0, 0.1, explicit(method.clone(), TIGHT)));
        let allowed = match method {
            ConstraintMethod::Penalty(_) => 1e-4,
            ConstraintMethod::AugmentedLagrangian(_) => 1e-6,
            _ => 1e-9,
        };
        for i in 0..motion.len() {
            let (x, _) = exact.at(motion.times[i]).unwrap();
            let q = motion.q_at(i);
            let found = [q[0] - 0.5 * x.sin(), q[2] + 0.5 * x.cos()];
            assert!(size(&found) < allowed, "{method} {} {found:?}", motion.times[i]);
        }
    }
}

/// Twenty links are beyond the dense path: accelerations of each method by sparse factors are those
/// of the saddle-point system, and so is a short motion.
#[test]
fn sparse_factors_agree_with_dense_ones() {
    for links in [14, 20] {
        let mut model = spatial_chain(links).unwrap().build().unwrap();
        // Out of balance.
        model.gravity = [1.0, 2.0, -9.81];
        let spin: Vec<f64> =
            (0..model.nv()).map(|i| if i % 6 == 3 + (i / 6) % 2 { 0.4 } else { 0.0 }).collect();
        let v = mb_constraints::assemble_velocities(&model, model.initial(), &spin, 0.0).unwrap();
        let point = Point { v: v.clone(), ..model.initial_point() };
        let (a, lambda) = accelerations(&model, &point).unwrap();
        assert!(size(&a) > 0.1);
        for method in ConstraintMethod::all() {
            let (ours, multipliers) = evaluated(&model, &method, model.initial(), &v);
            let allowed = match method {
                ConstraintMethod::Penalty(_) | ConstraintMethod::AugmentedLagrangian(_) => 1e-4,
                _ => 1e-9,
            };
            assert!(distance(&ours, &a) < allowed * size(&a), "{links} {method} {:e}", distance(&ours, &a));
            let off = distance(&multipliers, &lambda) / size(&lambda);
            assert!(off < 10.0 * allowed, "{links} {method} {off:e}");
        }
    }
}

/// Nothing holds the length of Euler parameters in the standard method: it drifts, and no
/// constraint function, mass or force feels it; corrections bring it back to one.
#[test]
fn length_of_euler_parameters_is_no_violation() {
    let model = SpatialFourBar::default().spec().unwrap().build().unwrap();
    let by = |method| {
        let v = model.initial_velocity().to_vec();
        run(&model, &v, &options(2.0, 0.1, explicit(method, StepControl::default())))
    };
    let longest = |q: &[f64]| {
        q.chunks(7)
            .fold(0.0_f64, |worst, q| worst.max((q[3..].iter().map(|p| p * p).sum::<f64>() - 1.0).abs()))
    };
    let (standard, corrected) = (by(ConstraintMethod::Standard), by(direct()));
    let last = standard.q_at(standard.len() - 1);
    assert!(longest(last) > 1e-10, "{:e}", longest(last));
    assert!(longest(corrected.q_at(corrected.len() - 1)) < 1e-14);
    // The same state with its lengths made one has the same violation and accelerations.
    let mut q = last.to_vec();
    model.coordinates().normalize(&mut q);
    assert!(distance(&model.phi(&q, 0.0), &model.phi(last, 0.0)) < 1e-14);
    let v = standard.v_at(standard.len() - 1);
    let of = |q: &[f64]| evaluated(&model, &ConstraintMethod::Standard, q, v).0;
    let (a, b) = (of(&q), of(last));
    assert!(distance(&a, &b) < 1e-6 * longest(last).max(1e-7) * size(&a) + 1e-11 * size(&a));
}
