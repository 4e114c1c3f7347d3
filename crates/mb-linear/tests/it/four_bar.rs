//! The N-loop four-bar linkage: equilibrium and the three families against its closed form.

use crate::support::{FourBar, closed_form, four_bar, frequencies};
use mb_constraints::NullSpaceMethod;
use mb_linear::formulation::minimal::{minimal, minimal_reselecting};
use mb_linear::formulation::unconstrained::{Penalty, penalty_equilibrium, unconstrained};
use mb_linear::{
    Equilibrium, EquilibriumOptions, LinearError, OperatingPoint, Stability, linearize, stability,
};

const G: f64 = 9.81;

fn linkage(loops: usize, damping: f64) -> FourBar {
    FourBar { loops, stiffness: 25.0, damping, gravity: [0.0, -G, 0.0], angle: 2.0 }
}

#[test]
fn equilibrium_and_minimal_system_meet_the_closed_form() {
    for loops in [1, 5, 10, 20] {
        let model = four_bar(linkage(loops, 1.0));
        let e = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).unwrap();
        let phi = e.q()[model.nq() - 1];
        let [mass, slope, curvature, damping] = closed_form(loops, 25.0, 1.0, G, phi);
        assert!(slope.abs() < 1e-11 * loops as f64, "N = {loops}: V' = {slope:e}");
        assert_eq!(stability(&model, &e).unwrap(), Stability::Stable);
        let lin = linearize(&model, &OperatingPoint::from(&e));
        let last = vec![model.nv() - 1];
        let r = minimal(&model, &lin, &NullSpaceMethod::CoordinateSelection(Some(last))).unwrap();
        for (what, got, want) in
            [("M", r.m[(0, 0)], mass), ("K", r.k[(0, 0)], curvature), ("C", r.c[(0, 0)], damping)]
        {
            assert!((got - want).abs() < 1e-11 * want.abs(), "N = {loops} {what}: {got} {want}");
        }
    }
}

#[test]
fn all_bases_give_the_same_frequency() {
    let model = four_bar(linkage(3, 0.0));
    let e = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).unwrap();
    let lin = linearize(&model, &OperatingPoint::from(&e));
    let [mass, _, curvature, _] = closed_form(3, 25.0, 0.0, G, e.q()[model.nq() - 1]);
    for method in [
        NullSpaceMethod::CoordinateSelection(None),
        NullSpaceMethod::Qr,
        NullSpaceMethod::Svd,
        NullSpaceMethod::GramSchmidt,
        NullSpaceMethod::ZeroEigenvalue,
    ] {
        let r = minimal(&model, &lin, &method).unwrap();
        let w = frequencies(&r.k, &r.m);
        let error = (w[0] - (curvature / mass).sqrt()).abs();
        assert!(w.len() == 1 && error < 1e-12, "{method}: {error:e}");
    }
}

#[test]
fn penalty_system_is_close_at_its_own_equilibrium_only() {
    let model = four_bar(linkage(1, 0.0));
    let e = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).unwrap();
    let penalty = Penalty::scalar(1e6, 1.0, 10.0);
    let at = penalty_equilibrium(&model, e.point(), &penalty).unwrap();
    assert!(at.violation > 1e-8 && at.violation < 1e-6);
    let system = unconstrained(&model, &at, &penalty).unwrap();
    // The physical motion along R has almost the reduced stiffness.
    let lin = linearize(&model, &OperatingPoint::from(&e));
    let r = minimal(&model, &lin, &NullSpaceMethod::Qr).unwrap();
    let reduced =
        mb_algebra::dense::mul_transpose(&r.basis.r, &mb_algebra::dense::mul(&system.k, &r.basis.r));
    assert!((reduced[(0, 0)] - r.k[(0, 0)]).abs() < 1e-4);
    // At the constrained equilibrium H3 does not vanish, and that is refused.
    let wrong = mb_linear::formulation::unconstrained::PenaltyPoint {
        point: mb_model::Point { lambda: vec![0.0; model.nc()], ..e.point().clone() },
        violation: 0.0,
        iterations: 0,
    };
    assert!(matches!(unconstrained(&model, &wrong, &penalty), Err(LinearError::NotOnMotion { .. })));
}

#[test]
fn singular_configuration_needs_a_new_selection_and_shortest_multipliers() {
    let data = FourBar { loops: 1, stiffness: 0.0, damping: 0.0, gravity: [G, 0.0, 0.0], angle: 0.0 };
    let model = four_bar(data);
    let e = Equilibrium::verify(&model, model.initial().to_vec(), &EquilibriumOptions::default()).unwrap();
    // Two rods carry half of their own and of the coupler's weight each: lambda = g/2.
    for (lambda, want) in e.lambda().iter().zip([G / 2.0, G / 2.0, 0.0, 0.0]) {
        assert!((lambda - want).abs() < 1e-12, "{:?}", e.lambda());
    }
    let lin = linearize(&model, &OperatingPoint::from(&e));
    let phi = NullSpaceMethod::CoordinateSelection(Some(vec![4]));
    let failure = minimal(&model, &lin, &phi).unwrap_err().to_string();
    assert!(failure.contains("phi.angle") && failure.contains("2 degrees of freedom"), "{failure}");
    let (system, reason) = minimal_reselecting(&model, &lin, &phi).unwrap();
    assert_eq!((system.dof(), reason), (2, Some(failure)));
    let w = frequencies(&system.k, &system.m);
    // M = [4 1; 1 4]/6, K = g I: w^2 = 6 g / 5 and 2 g.
    assert!((w[0] - (1.2 * G).sqrt()).abs() < 1e-12 && (w[1] - (2.0 * G).sqrt()).abs() < 1e-12);
}
