//! Assembly of inconsistent starts, held coordinates, contradictions, velocities, accelerations.

use crate::support::{chain, lock, parallelogram};
use mb_algebra::norms;
use mb_constraints::{
    AssemblyOptions, ConstraintError, accelerations, assemble, assemble_velocities, violations,
};
use mb_model::{BlockId, Model, Point};
use std::f64::consts::FRAC_PI_2;

#[test]
fn an_open_chain_is_closed_from_a_rough_start() {
    // 150 bodies go through the sparse factors, 3 through the dense ones.
    for n in [3, 150] {
        let model = chain(n, 1.05);
        let done = assemble(&model, model.initial(), 0.0, &AssemblyOptions::default()).unwrap();
        assert!(done.violation < 1e-12 && done.iterations > 0 && done.moved > 0.0, "{n}: {}", done.violation);
    }
}

#[test]
fn an_assembled_start_is_left_alone_and_held_coordinates_stay() {
    let model = parallelogram(0.8);
    let done = assemble(&model, model.initial(), 0.0, &AssemblyOptions::default()).unwrap();
    assert_eq!((done.iterations, done.q), (0, model.initial().to_vec()));
    let mut start = model.initial().to_vec();
    start[0] += 0.2;
    let hold = AssemblyOptions { hold: vec![0], ..AssemblyOptions::default() };
    let held = assemble(&model, &start, 0.0, &hold).unwrap();
    assert!((held.q[0] - start[0]).abs() < 1e-15);
    assert!(norms::max_abs_vec(&model.phi(&held.q, 0.0)) < 1e-12);
}

#[test]
fn contradictory_constraints_are_named() {
    let mut model = chain(2, 1.0);
    lock(&mut model, "up", BlockId(0), 0.3);
    lock(&mut model, "down", BlockId(0), -0.2);
    let error = assemble(&model, model.initial(), 0.0, &AssemblyOptions::default()).unwrap_err();
    assert!(matches!(error, ConstraintError::NotAssembled { .. }));
    let text = error.to_string();
    assert!(text.contains("joint 'down' (angle) depends on joint 'up' (angle)"), "{text}");
}

#[test]
fn velocities_and_accelerations_satisfy_their_constraints() {
    let model = parallelogram(0.8);
    let q = model.initial().to_vec();
    let v = assemble_velocities(&model, &q, &[1.0, -2.0, 0.5], 0.0).unwrap();
    let mut point = Point { q, v, ..model.initial_point() };
    (point.a, point.lambda) = accelerations(&model, &point).unwrap();
    let residual = norms::max_abs_vec(&model.residual(&point));
    assert!(residual < 1e-12, "{residual:e}");
    for v in violations(&model, &point) {
        assert!(v.velocity.abs() < 1e-13 && v.acceleration.abs() < 1e-12, "{v:?}");
    }
    // Pure translation on a circle: the coupler does not turn.
    assert!(point.v[2].abs() < 1e-13 && point.a[2].abs() < 1e-12);
}

/// Pins of a universal joint that are nearly parallel: the derivative promises more than a turn, and a whole step would leap into
/// another branch. The nearest configuration is a quarter turn less their angle away.
#[test]
fn far_starts_come_to_the_nearest_configuration() {
    for along in [0.05_f64, 0.2, 0.7] {
        let model = Model::from_toml(&format!(
            r#"
            units = "SI"
            name = "cardan"
            joint = [{{ name = "U", type = "universal", a = "b", b = "ground", axis = [1, 0, 0], axis_a = [1, {along}, 0] }}]
            [[spatial-body]]
            name = "b"
            mass = 1
            inertia = [0.1, 0.1, 0.1]
            at = [0, 0, 0]
            "#
        ))
        .unwrap();
        let done = assemble(&model, model.initial(), 0.0, &AssemblyOptions::default()).unwrap();
        let nearest = FRAC_PI_2 - along.atan();
        let turned = 2.0 * done.q[3].abs().acos();
        assert!((turned - nearest).abs() < 1e-9, "{along}: {turned} for {nearest}");
        assert!(done.moved < 1.2 * nearest, "{along}: {} for {nearest}", done.moved);
    }
}
