//! How far the series reach, how wrong they are, and what improves them.

use crate::erls;
use crate::systems::{free, nearest, polynomial, random_system, solve};
use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_gallery::models::ErlsArm;
use mb_parametric::{
    EigenpairSeries, ExpandOptions, MultiIndexSet, PencilSeries, PolishOptions, SeriesSource,
    StartingEigenpair, eigenvalues_at, expand, polish,
};
use proptest::prelude::*;

/// Two oscillators of stiffness 4 + x and 4.2 - x (about x = 0), joined by a spring e:
/// w^2 = 4.1 + e +- sqrt((x - 0.1)^2 + e^2), which meet at x = 0.1 +- i e.
fn veering(e: f64) -> PencilSeries {
    let at = |sigma: [u8; 1], a: Dense| (sigma.to_vec(), a);
    let terms = QuadraticPencil {
        m: vec![at([0], dense::identity(2))],
        c: vec![at([0], Dense::zeros(2, 2))],
        k: vec![
            at([0], dense::from_rows(&[[4.0 + e, -e], [-e, 4.2 + e]])),
            at([1], dense::diagonal(&[1.0, -1.0])),
        ],
        phi_q: free(2, 1),
    };
    polynomial(1, 1, &terms)
}

fn oscillations(pencil: &PencilSeries, parameters: usize) -> Vec<StartingEigenpair> {
    let mut all = solve(&pencil.evaluate(&vec![0.0; parameters]).unwrap());
    all.retain(|pair| pair.s.im > 0.1);
    all.sort_by(|a, b| a.s.im.total_cmp(&b.s.im));
    all
}

fn both(pencil: &PencilSeries, order: usize) -> Vec<EigenpairSeries> {
    let set = MultiIndexSet::total(1, order).unwrap();
    let starts = oscillations(pencil, 1);
    starts.iter().map(|start| expand(pencil, start, &set, &ExpandOptions::default()).unwrap()).collect()
}

#[test]
fn two_modes_meet_where_their_formula_says() {
    for e in [0.2, 0.5] {
        let modes = both(&veering(e), 8);
        let exact = c64::new(0.1, e);
        let point = modes[0].meeting(&modes[1], &[1.0]).unwrap().unwrap();
        let off = (point.t - exact).norm().min((point.t - exact.conj()).norm());
        assert!(off < 0.03 * e && point.is_settled(), "{e}: {point:?}");
        // The root test of either one agrees with the second pair.
        for mode in &modes {
            let reach = mode.radius(&[1.0]).unwrap().eigenvalue.unwrap();
            assert!((reach / exact.norm() - 1.0).abs() < 0.3, "{e}: {reach}");
        }
        // In units of half a direction the distance doubles.
        let half = modes[0].meeting(&modes[1], &[0.5]).unwrap().unwrap();
        assert!((half.distance() / point.distance() - 2.0).abs() < 1e-9);
    }
}

#[test]
fn an_oscillator_meets_its_conjugate_where_its_stiffness_is_gone() {
    // w^2 = 4 + x, alone.
    let at = |x: f64| dense::diagonal(&[x]);
    let terms = QuadraticPencil {
        m: vec![(vec![0], at(1.0))],
        c: vec![(vec![0], at(0.0))],
        k: vec![(vec![0], at(4.0)), (vec![1], at(1.0))],
        phi_q: free(1, 1),
    };
    let modes = both(&polynomial(1, 1, &terms), 8);
    let point = modes[0].meeting_conjugate(&[1.0]).unwrap().unwrap();
    assert!((point.t + 4.0).norm() < 1e-10 && point.uncertainty == 0.0, "{point:?}");
}

#[test]
fn the_arm_reaches_as_far_as_its_third_and_fourth_pairs_stay_apart() {
    let arm = ErlsArm::recovered();
    let source = erls::moving(&arm, &erls::angles_and_speeds(&arm)[..2]);
    let set = MultiIndexSet::total(2, 8).unwrap();
    let pencil = source.series(&[0.0, 0.0], &set).unwrap();
    let modes: Vec<EigenpairSeries> = erls::elastic(&source)
        .iter()
        .map(|start| expand(&pencil, start, &set, &ExpandOptions::default()).unwrap())
        .collect();
    // One angle against the other: the notes give .585 +- .466i for the difference.
    let point = modes[1].meeting(&modes[2], &[0.5, -0.5]).unwrap().unwrap();
    assert!((point.distance() / 0.748 - 1.0).abs() < 0.1, "{point:?}");
    let reach = modes[2].radius(&[0.5, -0.5]).unwrap().eigenvalue.unwrap();
    assert!((reach / point.distance() - 1.0).abs() < 0.5, "{reach}");
    // Both links together: the deflections turn with them, but gravity and the held torque matter.
    let together = modes[1].meeting(&modes[2], &[0.5, 0.5]).unwrap();
    assert!(together.is_none_or(|p| p.distance() > 2.0), "{together:?}");
}

#[test]
fn outside_the_radius_the_answer_is_flagged() {
    let modes = both(&veering(0.2), 8);
    for (d, inside) in [(0.05, true), (-0.1, true), (0.4, false), (-3.0, false)] {
        let at = modes[0].evaluate(&[d], 6).unwrap();
        assert_eq!(at.trusted, inside, "{d}: {at:?}");
        let share = at.share.unwrap();
        assert!((share * 0.05_f64.sqrt() / f64::abs(d) - 1.0).abs() < 0.35, "{d}: {share}");
    }
}

/// Exact eigenvalue next to a start.
fn exact(pencil: &QuadraticPencil<Dense>, s: c64, vector: &[c64]) -> c64 {
    let start = StartingEigenpair { s, vector: vector.to_vec() };
    polish(pencil, &start, &PolishOptions::default()).unwrap().s
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The quotient never leaves a larger error than the series had.
    #[test]
    fn the_corrected_value_is_never_worse(pencil in random_system(), angle in 0.0..6.3_f64, order in 1_usize..=5) {
        let Some(start) = oscillations(&pencil, 2).pop() else {
            return Err(TestCaseError::reject("no oscillation"));
        };
        let set = MultiIndexSet::total(2, 8).unwrap();
        let options = ExpandOptions { left: true, ..ExpandOptions::default() };
        let mode = expand(&pencil, &start, &set, &options).unwrap();
        let direction = [angle.cos(), angle.sin()];
        let radius = mode.radius(&direction).unwrap();
        let reach = radius.eigenvalue.unwrap().min(radius.vector.unwrap()).min(1.0);
        for share in [0.1, 0.3, 0.6] {
            let d = direction.map(|x| x * share * reach);
            let matrices = pencil.evaluate(&d).unwrap();
            let plain = mode.evaluate(&d, order).unwrap();
            let better = mode.evaluate_corrected(&d, order, &matrices).unwrap();
            let s = nearest(&matrices, better.at.s);
            let (before, after) = ((plain.s - s).norm(), (better.at.s - s).norm());
            prop_assert!(after <= before + 1e-11 * s.norm(), "{} {}: {:e} {:e}", share, order, before, after);
            if better.applied && after > 1e-11 {
                prop_assert!(after < before, "{} {}: {:e} {:e}", share, order, before, after);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Estimates of errors along random ways of the arm, well inside its region: within 0.3 and 3.
    #[test]
    fn effectivities_on_random_ways_of_the_arm(
        way in prop::array::uniform4(-1.0..1.0_f64), share in 0.25..1.0_f64, order in 1_usize..=3,
    ) {
        let arm = ErlsArm::recovered();
        let source = erls::moving(&arm, &erls::angles_and_speeds(&arm));
        let set = MultiIndexSet::total(4, 5).unwrap();
        let pencil = source.series(&[0.0; 4], &set).unwrap();
        let half = [0.2, 0.2, 0.8, 0.8];
        let d: Vec<f64> = way.iter().zip(half).map(|(x, h)| x * h * share).collect();
        let matrices = source.matrices(&d).unwrap();
        for start in erls::elastic(&source) {
            let options = ExpandOptions { left: true, ..ExpandOptions::default() };
            let mode = expand(&pencil, &start, &set, &options).unwrap();
            let at = mode.evaluate(&d, order).unwrap();
            let s = exact(&matrices, at.s, &at.vector);
            let error = (at.s - s).norm();
            prop_assume!(error > 1e-7 * s.norm());
            prop_assert!(at.trusted, "{:?}", at.share);
            prop_assert!((0.3..3.0).contains(&(at.error / error)), "{}: next terms {}", order, at.error / error);
            let corrected = mode.evaluate_corrected(&d, order, &matrices).unwrap();
            let after = (corrected.at.s - s).norm();
            prop_assert!(after <= 1.001 * error, "{:e} after {:e}, {:?}", after, error, corrected.applied);
            if corrected.applied {
                let two_sided = corrected.before / error;
                prop_assert!((0.3..3.0).contains(&two_sided), "{}: two-sided {}", order, two_sided);
            }
        }
    }
}

/// A way on which the next terms almost cancel.
#[test]
fn terms_that_cancel_do_not_hide_the_error() {
    let arm = ErlsArm::recovered();
    let source = erls::moving(&arm, &erls::angles_and_speeds(&arm)[..2]);
    let pencil = source.series(&[0.0; 2], &MultiIndexSet::total(2, 5).unwrap()).unwrap();
    let d = [-0.131, 0.1605];
    let matrices = source.matrices(&d).unwrap();
    for start in erls::elastic(&source) {
        let mode = expand(&pencil, &start, pencil.set(), &ExpandOptions::default()).unwrap();
        for order in 1..=3 {
            let at = mode.evaluate(&d, order).unwrap();
            let error = (at.s - exact(&matrices, at.s, &at.vector)).norm();
            let effectivity = at.error / error;
            assert!((0.3..3.0).contains(&effectivity), "{order}: {} {effectivity}", start.s);
        }
    }
}

#[test]
fn tolerances_make_the_spreads_that_formulas_say() {
    // m s^2 + c s + k with m = 2, c = 0.4, k = 8: f = sqrt(k/m) / 2 pi, xi = c / (2 sqrt(k m)).
    let unit = |k: usize| (0..3).map(|j| u8::from(j == k)).collect::<Vec<u8>>();
    let at = |x: f64| dense::diagonal(&[x]);
    let affine = |value: f64, k: usize| vec![(vec![0; 3], at(value)), (unit(k), at(1.0))];
    let terms =
        QuadraticPencil { m: affine(2.0, 0), c: affine(0.4, 1), k: affine(8.0, 2), phi_q: free(1, 3) };
    let pencil = polynomial(3, 1, &terms);
    let start = StartingEigenpair { s: c64::new(-0.1, 2.0), vector: vec![c64::ONE] };
    let set = MultiIndexSet::total(3, 3).unwrap();
    let mode = expand(&pencil, &start, &set, &ExpandOptions::default()).unwrap();
    let tolerances = [0.02, 0.05, 0.1];
    let spreads = mode.tolerance_spreads(&tolerances).unwrap();
    let frequency = (8.0_f64 / 2.0).sqrt() / std::f64::consts::TAU;
    let damping = 0.4 / (2.0 * (8.0_f64 * 2.0).sqrt());
    let relative = [[-0.5 * 0.01, 0.0, 0.5 * 0.0125], [-0.5 * 0.01, 0.125, -0.5 * 0.0125]];
    for (spread, value, shares) in
        [(&spreads.frequency_hz, frequency, relative[0]), (&spreads.damping_ratio, damping, relative[1])]
    {
        assert!((spread.value - value).abs() < 1e-12 * value);
        for (found, share) in spread.shares.iter().zip(shares) {
            assert!((found - value * share).abs() < 1e-12 * value, "{found} {share}");
        }
        let sum: f64 = shares.iter().map(|x| x.abs()).sum();
        let squares: f64 = shares.iter().map(|x| x * x).sum();
        assert!((spread.worst_case - value * sum).abs() < 1e-12 * value);
        assert!((spread.independent - value * squares.sqrt()).abs() < 1e-12 * value);
    }
    assert!(spreads.curvature.unwrap() < 0.05);
    // Derivatives at another point are those of the formula there.
    let d = [0.01, 0.02, -0.03];
    let found = mode.sensitivities_at(&d).unwrap();
    let h = 1e-5;
    for k in 0..3 {
        let shifted = |sign: f64| {
            let mut x = d;
            x[k] += sign * h;
            mode.eigenvalue(&x).unwrap()
        };
        let difference = (shifted(1.0) - shifted(-1.0)) / (2.0 * h);
        assert!((found[k] - difference).norm() < 1e-8, "{k}: {} {difference}", found[k]);
    }
}

#[test]
fn many_points_give_the_values_of_single_ones() {
    let modes = both(&veering(0.5), 4);
    let points: Vec<[f64; 1]> = (0..1200).map(|i| [0.3 * f64::from(i) / 1200.0]).collect();
    let all = eigenvalues_at(&modes, &points).unwrap();
    for (d, values) in points.iter().zip(&all) {
        for (s, mode) in values.iter().zip(&modes) {
            assert_eq!(*s, mode.eigenvalue(d).unwrap());
        }
    }
    // Series over different terms do not share their monomials.
    let mixed = [modes[0].clone(), both(&veering(0.5), 2)[1].clone()];
    let few = eigenvalues_at(&mixed, &points[..3]).unwrap();
    assert_eq!(few[2][1], mixed[1].eigenvalue(&points[2]).unwrap());
    assert!(eigenvalues_at(&modes, &[[f64::NAN]]).is_err());
}
