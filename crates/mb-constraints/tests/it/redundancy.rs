//! Redundant and stationary constraints are found and named.

use crate::support::{chain, lock, parallelogram};
use mb_algebra::{RankTolerance, norms};
use mb_constraints::{MinimumNorm, constraint_rank, minimum_norm_multipliers};
use mb_model::BlockId;
use std::borrow::Cow;

#[test]
fn the_third_link_of_a_parallelogram_is_redundant() {
    let model = parallelogram(1.1);
    let rank = constraint_rank(&model, model.initial(), 0.0, RankTolerance::default()).unwrap();
    assert_eq!((rank.velocities, rank.rows, rank.rank(), rank.degrees_of_freedom()), (3, 3, 2, 1));
    assert_eq!(rank.redundant.len(), 1);
    assert_eq!(rank.redundant[0].name, "link 2 (length)");
    assert_eq!(rank.redundant[0].depends_on, ["link 0 (length)", "link 1 (length)"]);
    assert!(rank.decision.gap() < 1e-12);
}

#[test]
fn a_constraint_given_twice_names_its_twin_only() {
    let mut model = chain(3, 1.0);
    lock(&mut model, "first", BlockId(1), 0.3);
    lock(&mut model, "second", BlockId(1), 0.3);
    let rank = constraint_rank(&model, model.initial(), 0.0, RankTolerance::default()).unwrap();
    assert_eq!(rank.redundant.len(), 1);
    assert_eq!(rank.redundant[0].name, "joint 'second' (angle)");
    assert_eq!(rank.redundant[0].depends_on, ["joint 'first' (angle)"]);
}

/// The weight of the coupler is shared by three parallel links: the shortest multipliers share it
/// evenly about the middle, and the choice leaves nothing of the applied force.
#[test]
fn multipliers_of_redundant_constraints_are_the_shortest() {
    let model = parallelogram(core::f64::consts::FRAC_PI_2);
    let point = model.initial_point();
    let applied: Vec<f64> = model.applied_residual(&point).iter().map(|x| -x).collect();
    let phi_q = model.phi_q(&point.q, 0.0).to_sparse();
    let (lambda, rest) = minimum_norm_multipliers(&phi_q, &applied).unwrap();
    assert!(norms::max_abs_vec(&rest) < 1e-12, "{rest:?}");
    // Vertical links push up along y: 2 (l0 + l1 + l2) = -m g, moments about x = 0 vanish:
    // l1 + 2 l2 = 0. Shortest: the part along (1, -2, 1) is zero.
    let free = lambda[0] - 2.0 * lambda[1] + lambda[2];
    assert!(free.abs() < 1e-12, "{lambda:?}");
    assert!((2.0 * lambda.iter().sum::<f64>() + 9.81).abs() < 1e-12);
}

/// Rows that are factored once serve all forces: twice the weight has twice the multipliers, to the last bit.
#[test]
fn factored_rows_serve_several_forces() {
    let model = parallelogram(1.1);
    let point = model.initial_point();
    let phi_q = model.phi_q(&point.q, 0.0).to_sparse();
    let factors = MinimumNorm::new(Cow::Borrowed(&phi_q)).unwrap();
    let applied = model.applied_residual(&point);
    let alone = minimum_norm_multipliers(&phi_q, &applied).unwrap();
    for by in [1.0, 2.0] {
        let times = |x: &[f64]| x.iter().map(|x| by * x).collect::<Vec<f64>>();
        assert_eq!(factors.solve(&times(&applied)), (times(&alone.0), times(&alone.1)), "{by}");
    }
}
