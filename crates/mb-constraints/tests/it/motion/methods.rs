//! One state, several methods: what must agree, and how.

use super::{distance, evaluated, linkage, size};
use crate::support::parallelogram;
use mb_constraints::method::{AugmentedLagrangian, Baumgarte, CorrectionWeight, DirectCorrection, Penalty};
use mb_constraints::{ConstraintError, ConstraintMethod, ForwardDynamics, accelerations};
use mb_model::Point;

/// On the constraints all methods have the accelerations of the saddle-point solve, the penalty
/// method up to 1 / alpha.
#[test]
fn methods_agree_on_the_constraints() {
    let (model, q, v) = linkage();
    let point = Point { q: q.clone(), v: v.clone(), ..model.initial_point() };
    let (a, lambda) = accelerations(&model, &point).unwrap();
    for method in ConstraintMethod::all() {
        let (ours, multipliers) = evaluated(&model, &method, &q, &v);
        let allowed = match method {
            ConstraintMethod::Penalty(_) => 1e-5,
            ConstraintMethod::AugmentedLagrangian(_) => 1e-6,
            _ => 1e-11,
        };
        assert!(distance(&ours, &a) < allowed * size(&a), "{method}");
        assert!(distance(&multipliers, &lambda) < 10.0 * allowed * size(&lambda), "{method}");
    }
}

/// Off the constraints the augmented Lagrangian method is Baumgarte's with alpha = mu omega and
/// beta = omega. [flores2018, Eqs. (2), (9)]
#[test]
fn augmented_lagrangian_is_baumgarte() {
    let (model, mut q, mut v) = linkage();
    for (i, x) in q.iter_mut().enumerate() {
        *x += 1e-4 * f64::from(u32::try_from(i % 3).unwrap());
    }
    v[2] += 1e-3;
    for mu in [1.0, 0.4] {
        let penalty = Penalty { mu, ..Penalty::default() };
        let iterated = AugmentedLagrangian { penalty, tolerance: 1e-8, ..Default::default() };
        let (a, _) = evaluated(&model, &ConstraintMethod::AugmentedLagrangian(iterated), &q, &v);
        let baumgarte = Baumgarte { alpha: mu * penalty.omega, beta: penalty.omega };
        let (b, _) = evaluated(&model, &ConstraintMethod::Baumgarte(baumgarte), &q, &v);
        assert!(distance(&a, &b) < 5e-9 * size(&b), "{:e}", distance(&a, &b) / size(&b));
    }
}

/// A tolerance below the rounding of the iteration ends at the cap, and that is said.
#[test]
fn the_cap_on_iterations_is_reported() {
    let (model, q, v) = linkage();
    let strict = AugmentedLagrangian { tolerance: 1e-30, max_iterations: 5, ..Default::default() };
    let method = ConstraintMethod::AugmentedLagrangian(strict);
    let mut dynamics = ForwardDynamics::new(&model, &method, &[]).unwrap();
    dynamics.evaluate(0.0, &q, &v).unwrap();
    let found = dynamics.diagnostics();
    assert!(!found.converged && found.iterations == 5 && dynamics.capped() == 1);
}

/// Redundant rows: the multipliers are the shortest ones and the rank is one less.
#[test]
fn redundant_rows_get_the_shortest_multipliers() {
    let model = parallelogram(0.7);
    let (q, v) = (model.initial().to_vec(), vec![0.0; 3]);
    let point = Point { q: q.clone(), v: v.clone(), ..model.initial_point() };
    let (a, lambda) = accelerations(&model, &point).unwrap();
    let mut dynamics = ForwardDynamics::new(&model, &ConstraintMethod::Standard, &[]).unwrap();
    dynamics.evaluate(0.0, &q, &v).unwrap();
    assert_eq!(dynamics.diagnostics().rank, Some(2));
    assert!(distance(dynamics.acceleration(), &a) < 1e-12);
    assert!(distance(dynamics.multipliers(), &lambda) < 1e-11);
}

/// A correction removes the violation in a few iterations; in the mass the heavy end moves less.
#[test]
fn corrections_remove_the_violation() {
    let (model, q, v) = linkage();
    let mut moved = Vec::new();
    for weight in [CorrectionWeight::Identity, CorrectionWeight::Mass] {
        let method = ConstraintMethod::DirectCorrection(DirectCorrection { weight, ..Default::default() });
        let mut dynamics = ForwardDynamics::new(&model, &method, &[]).unwrap();
        let (mut q, mut v) = (q.clone(), v.clone());
        q[0] += 1e-3;
        v[1] += 1e-2;
        let start = q.clone();
        let report = dynamics.correct(0.0, &mut q, &mut v).unwrap();
        assert!(report.converged && report.iterations <= 4, "{report:?}");
        assert!(size(&model.phi(&q, 0.0)) < 1e-12);
        assert!(size(&model.phi_dot(&q, &v, 0.0)) < 1e-11);
        // The step lies in the range of W^-1 Phi_q^T: it does no work on admissible motions.
        let d: Vec<f64> = q.iter().zip(&start).map(|(a, b)| a - b).collect();
        moved.push(d);
    }
    assert!(distance(&moved[0], &moved[1]) > 1e-5);
}

#[test]
fn parameters_out_of_range_are_refused() {
    let (model, ..) = linkage();
    let bad = [
        ConstraintMethod::Baumgarte(Baumgarte { alpha: -1.0, beta: 1.0 }),
        ConstraintMethod::Penalty(Penalty { alpha: f64::NAN, ..Default::default() }),
        ConstraintMethod::DirectCorrection(DirectCorrection { cutoff: 2.0, ..Default::default() }),
    ];
    for method in bad {
        let found = ForwardDynamics::new(&model, &method, &[]).unwrap_err();
        assert!(matches!(found, ConstraintError::MethodParameter { .. }), "{found}");
    }
    assert_eq!(Baumgarte::critical(0.2), Baumgarte::default());
}
