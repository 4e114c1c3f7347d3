//! Damped problems with springs 1e14 times as stiff as others, or masses 1e-21 of others: bounds against the zeros of the determinant in
//! exact arithmetic.

use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_eigen::{Class, DenseOptions, Finding, pairing};

use crate::covered::exact::rational;

/// A spring, a dashpot or a penalty of the value `by` between two coordinates, or one and the ground.
fn between(a: &mut Dense, i: usize, j: Option<usize>, by: f64) {
    a[(i, i)] += by;
    if let Some(j) = j {
        a[(j, j)] += by;
        a[(i, j)] -= by;
        a[(j, i)] -= by;
    }
}

/// Beam elements in a row, deflection and slope at every node: M and K.
fn beam(elements: usize, rigidity: f64, mass: f64, length: f64) -> [Dense; 2] {
    let (n, h) = (2 * (elements + 1), length);
    let [me, ke] = rational::families::beam_element(h);
    let [mut m, mut k] = [0; 2].map(|_| Dense::zeros(n, n));
    for e in 0..elements {
        for i in 0..4 {
            for j in 0..4 {
                m[(2 * e + i, 2 * e + j)] += me[i][j] * mass * h / 420.0;
                k[(2 * e + i, 2 * e + j)] += ke[i][j] * rigidity / h.powi(3);
            }
        }
    }
    [m, k]
}

/// A chain of masses between springs, held at the first.
fn chain(masses: &[f64], stiffness: f64) -> QuadraticPencil {
    let n = masses.len();
    let mut k = Dense::zeros(n, n);
    (0..n).for_each(|i| between(&mut k, i, i.checked_sub(1), stiffness));
    QuadraticPencil { m: dense::diagonal(masses), c: Dense::zeros(n, n), k, phi_q: dense::zeros(0, n) }
}

/// All eigenvalues within their bounds, these below a hundred-thousandth, from which on eigenvalues are solved anew, and nothing called
/// undetermined.
fn assert_narrow_and_true(pencil: &QuadraticPencil, what: &str) {
    let problem = rational::problem(pencil, "graded").unwrap();
    let found = mb_eigen::dense::solve(pencil, &DenseOptions::default()).unwrap();
    let open = |f: &Finding| matches!(f, Finding::UndeterminedEigenvalues { .. });
    assert!(!found.findings.iter().any(open), "{what}: {:?}", found.findings);
    let values: Vec<c64> = found.eigenpairs.iter().filter_map(mb_eigen::Eigenpair::value).collect();
    let exact: Vec<c64> = problem.exact.iter().map(|(s, _)| *s).collect();
    assert_eq!(values.len(), exact.len(), "{what}");
    for (i, j, distance) in pairing::match_values(&values, &exact) {
        let pair = &found.eigenpairs[i];
        assert!(distance <= pair.error_bound + problem.exact[j].1, "{what}: {} for {}", values[i], exact[j]);
        if pair.class == Class::Physical {
            assert!(
                pair.error_bound <= 1e-5 * values[i].norm(),
                "{what}: {} {:e}",
                values[i],
                pair.error_bound
            );
            // What was solved anew; others keep the vectors of the companion matrix.
            let anew = pair.error_bound < 1e-12 * values[i].norm();
            assert!(!anew || pair.backward_error < 1e-12, "{what}: {} {:e}", values[i], pair.backward_error);
        }
    }
}

#[test]
fn a_damped_beam_whose_slope_a_penalty_holds() {
    let [m, k] = beam(2, 0.25, 0.5, 0.0625);
    let kept: Vec<usize> = (1..6).collect();
    for power in [14, 30, 47, 60] {
        let [m, mut k] = [&m, &k].map(|a| dense::select_columns(&dense::select_rows(a, &kept), &kept));
        let mut c = Dense::zeros(5, 5);
        between(&mut c, 0, Some(3), 8.0);
        between(&mut c, 1, Some(2), 0.25);
        between(&mut k, 3, None, f64::from(power).exp2() * 4096.0);
        let mut pencil = QuadraticPencil { m, c, k, phi_q: dense::zeros(0, 5) };
        assert_narrow_and_true(&pencil, &format!("penalty 2^{power}"));
        // A force that follows the motion makes K unsymmetric.
        pencil.k[(1, 4)] += 3.0;
        assert_narrow_and_true(&pencil, &format!("unsymmetric, penalty 2^{power}"));
    }
}

#[test]
fn masses_of_no_weight_beside_others() {
    for power in [30, 50, 70] {
        let light = f64::from(-power).exp2();
        let mut pencil = chain(&[3.0, light, 5.0, 2.0], 1024.0);
        between(&mut pencil.c, 1, None, 0.5);
        between(&mut pencil.c, 2, Some(3), 64.0);
        assert_narrow_and_true(&pencil, &format!("mass 2^-{power}"));
        // The first two tied to each other by a constraint, in its own units.
        pencil.phi_q = dense::from_rows(&[&[1024.0, 0.0, -1024.0, 0.0]]);
        assert_narrow_and_true(&pencil, &format!("tied, mass 2^-{power}"));
    }
}

/// Without its spring to the ground the chain drifts: one zero, and one more eigenvalue where dashpots hold it.
#[test]
fn a_free_chain_with_a_light_mass_and_a_penalty() {
    for held in [false, true] {
        let mut pencil = chain(&[1.0, 2.0, 1e-20, 4.0, 1.0], 256.0);
        pencil.k[(0, 0)] -= 256.0;
        between(&mut pencil.k, 3, Some(4), 2.0_f64.powi(60));
        between(&mut pencil.c, 1, Some(2), 2.0);
        if held {
            between(&mut pencil.c, 0, None, 0.5);
        }
        assert_narrow_and_true(&pencil, &format!("free, held by a dashpot: {held}"));
    }
}
