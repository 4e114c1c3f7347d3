//! Elimination of constraints against closed forms.

use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_eigen::{Class, DenseOptions, Finding, Refinement, Spectrum};

use crate::systems;

pub(crate) fn solve(pencil: &QuadraticPencil) -> Spectrum {
    mb_eigen::dense::solve(pencil, &DenseOptions::default()).unwrap()
}

/// Every expected eigenvalue is met within its own error bound by a different pair.
pub(crate) fn assert_eigenvalues(spectrum: &Spectrum, expected: &[c64]) {
    let mut left: Vec<_> = spectrum.motion().collect();
    assert_eq!(left.len(), expected.len(), "{:?}", spectrum.motion_values());
    for s in expected {
        let (at, pair) = left
            .iter()
            .enumerate()
            .min_by(|a, b| (a.1.value().unwrap() - s).norm().total_cmp(&(b.1.value().unwrap() - s).norm()))
            .unwrap();
        let error = (pair.value().unwrap() - s).norm();
        assert!(error <= pair.error_bound, "{s}: error {error:e}, bound {:e}", pair.error_bound);
        assert!(pair.backward_error < 1e-14, "{s}: backward error {:e}", pair.backward_error);
        left.remove(at);
    }
}

pub(crate) fn imaginary(frequencies: &[f64]) -> Vec<c64> {
    frequencies.iter().flat_map(|&w| [c64::new(0.0, w), c64::new(0.0, -w)]).collect()
}

#[test]
fn grounded_chain() {
    for n in [1, 2, 7, 40] {
        let spectrum = solve(&systems::chain(n, 2.0, 50.0, true));
        assert_eigenvalues(&spectrum, &imaginary(&systems::chain_frequencies(n, 2.0, 50.0, true)));
        assert!(spectrum.eigenpairs.iter().all(|p| p.class == Class::Physical && p.error_bound < 1e-12));
        assert!(spectrum.findings.is_empty(), "{:?}", spectrum.findings);
    }
}

#[test]
fn free_chain_has_an_exact_double_zero() {
    for n in [1, 2, 7, 40] {
        let spectrum = solve(&systems::chain(n, 2.0, 50.0, false));
        assert_eigenvalues(&spectrum, &imaginary(&systems::chain_frequencies(n, 2.0, 50.0, false)));
        let rigid: Vec<_> = spectrum.of_class(Class::Rigid).collect();
        assert_eq!(rigid.len(), 2);
        for pair in rigid {
            assert_eq!((pair.value(), pair.chain), (Some(c64::new(0.0, 0.0)), 2));
            assert!(pair.condition.is_infinite() && pair.damping_ratio().is_none());
        }
        assert!(spectrum.findings.is_empty(), "{:?}", spectrum.findings);
    }
}

#[test]
fn hanging_and_upright_pendulum() {
    let root = (9.81_f64 / 0.7).sqrt();
    let hanging = solve(&systems::pendulum(3.0, 0.7, 9.81, false));
    assert_eigenvalues(&hanging, &imaginary(&[root]));
    let upright = solve(&systems::pendulum(3.0, 0.7, 9.81, true));
    assert_eigenvalues(&upright, &[c64::new(root, 0.0), c64::new(-root, 0.0)]);
    for pair in hanging.eigenpairs.iter().chain(&upright.eigenpairs) {
        // The rod's tension does not change to first order.
        assert!(pair.multipliers[0].norm() < 1e-14 && pair.constraint_violation < 1e-15);
    }
    assert_eq!((hanging.counts.rank, hanging.counts.found.physical), (1, 2));
}

#[test]
fn a_mechanism_with_a_true_zero_mode() {
    let spectrum = solve(&systems::trolley(2.0, 1.0, 0.5, 9.81));
    let w = (1.5_f64 * 9.81 / 0.5).sqrt();
    assert_eigenvalues(&spectrum, &[imaginary(&[w]), vec![c64::new(0.0, 0.0); 2]].concat());
    assert_eq!(spectrum.counts.found.rigid, 2);
}

#[test]
fn four_bar_linkages_follow_their_single_angle() {
    for loops in [1, 5, 20] {
        for damper in [0.0, 1.0] {
            let (pencil, root) = systems::four_bar(loops, damper);
            let spectrum = solve(&pencil);
            assert_eigenvalues(&spectrum, &[root, root.conj()]);
            assert!(spectrum.eigenpairs.iter().all(|pair| pair.error_bound < 1e-11));
        }
    }
}

#[test]
fn redundant_rows_are_named_and_change_nothing() {
    let mut pencil = systems::pendulum(1.0, 2.0, 9.81, false);
    let row = dense::row(&pencil.phi_q, 0);
    let triple: Vec<f64> = row.iter().map(|v| 3.0 * v).collect();
    pencil.phi_q = dense::from_rows(&[row, triple, vec![0.0, 0.0]]);
    let spectrum = solve(&pencil);
    assert_eigenvalues(&spectrum, &imaginary(&[(9.81_f64 / 2.0).sqrt()]));
    assert!(spectrum.findings.iter().any(|f| matches!(f,
        Finding::RedundantConstraints { rows, rank: 1, constraints: 3 } if rows.contains(&2))));
    assert_eq!(spectrum.counts.rank, 1);
}

#[test]
fn gyroscopic_pairs() {
    // m x'' + 2 m w y' - m w^2 x + k x = 0 and its partner: s = +-i (sqrt(k/m) +- w), a disc seen from a rotating frame.
    let (m, k, w) = (2.0, 18.0, 1.0);
    let c = dense::from_rows(&[&[0.0, -2.0 * m * w], &[2.0 * m * w, 0.0]]);
    let stiffness = dense::scale(k - m * w * w, &dense::identity(2));
    let spectrum = solve(&systems::free(dense::scale(m, &dense::identity(2)), c, stiffness));
    assert_eigenvalues(&spectrum, &imaginary(&[3.0 - w, 3.0 + w]));
}

#[test]
fn critical_damping_is_defective_and_the_error_bound_says_so() {
    // (s + 3)^2 in one coordinate, and the same hidden in two coupled ones.
    let one = systems::free(dense::identity(1), dense::diagonal(&[6.0]), dense::diagonal(&[9.0]));
    assert_eigenvalues(&solve(&one), &[c64::new(-3.0, 0.0); 2]);
    let turn = dense::from_rows(&[&[0.6, 0.8], &[-0.8, 0.6]]);
    let both = |d: &[f64]| dense::mul_transpose(&turn, &dense::mul(&dense::diagonal(d), &turn));
    let two = systems::free(both(&[1.0, 1.0]), both(&[6.0, 2.0]), both(&[9.0, 5.0]));
    let spectrum = solve(&two);
    assert_eigenvalues(
        &spectrum,
        &[c64::new(-3.0, 0.0), c64::new(-3.0, 0.0), c64::new(-1.0, 2.0), c64::new(-1.0, -2.0)],
    );
    for pair in &spectrum.eigenpairs {
        let defective = pair.value().unwrap().re < -2.0;
        assert_eq!(pair.condition > 1e6, defective, "{} {}", pair.value().unwrap(), pair.condition);
        assert!(pair.error_bound < 1e-6);
    }
}

#[test]
fn a_damper_to_the_ground_splits_the_double_zero() {
    let spectrum =
        solve(&systems::free(dense::diagonal(&[2.0]), dense::diagonal(&[5.0]), dense::zeros(1, 1)));
    assert_eigenvalues(&spectrum, &[c64::new(0.0, 0.0), c64::new(-2.5, 0.0)]);
    assert_eq!((spectrum.counts.found.rigid, spectrum.counts.found.physical), (1, 1));
    assert!(spectrum.eigenpairs.iter().all(|pair| pair.chain == 1 && pair.condition.is_finite()));
}

#[test]
fn internally_damped_free_chain_keeps_its_double_zero() {
    let mut pencil = systems::chain(5, 1.0, 4.0, false);
    pencil.c = dense::scale(0.1, &pencil.k);
    let spectrum = solve(&pencil);
    let expected: Vec<c64> = systems::chain_frequencies(5, 1.0, 4.0, false)
        .iter()
        .flat_map(|&w| {
            // s^2 + 0.1 w^2 s + w^2 = 0.
            let root = c64::new(0.25 * 0.01 * w.powi(4) - w * w, 0.0).sqrt();
            [-0.05 * w * w + root, -0.05 * w * w - root]
        })
        .collect();
    assert_eigenvalues(&spectrum, &expected);
    assert_eq!(spectrum.counts.found.rigid, 2);
}

#[test]
fn massless_coordinates_are_classed_not_refused() {
    // A massless node between two springs: k1 k2 / (k1 + k2) acts on the mass.
    let k = dense::from_rows(&[&[3.0, -3.0], &[-3.0, 9.0]]);
    let pencil = systems::free(dense::diagonal(&[2.0, 0.0]), Dense::zeros(2, 2), k.clone());
    let spectrum = solve(&pencil);
    assert_eigenvalues(&spectrum, &imaginary(&[1.0]));
    assert_eq!(spectrum.counts.found.infinite, 2);
    assert!(spectrum.findings.contains(&Finding::SingularMass { directions: 1, infinite: 2 }));
    assert!(
        spectrum.of_class(Class::Infinite).all(|pair| pair.value().is_none() && pair.backward_error < 1e-15)
    );

    // A damper at the massless node: one infinite eigenvalue, one more finite eigenvalue.
    let damped = systems::free(dense::diagonal(&[2.0, 0.0]), dense::diagonal(&[0.0, 4.0]), k);
    let spectrum = solve(&damped);
    assert_eq!((spectrum.counts.found.infinite, spectrum.counts.found.motion()), (1, 3));
    for pair in spectrum.motion() {
        let s = pair.value().unwrap();
        // det: (2 s^2 + 3)(4 s + 9) - 9 = 0.
        let residual = (s * s * 2.0 + 3.0) * (s * 4.0 + 9.0) - 9.0;
        assert!(residual.norm() < 1e-13, "{s}: {residual}");
    }
    assert!(spectrum.counts.mismatches().is_empty());
}

#[test]
fn a_coordinate_nothing_acts_on_is_indeterminate() {
    let spectrum =
        solve(&systems::free(dense::diagonal(&[1.0, 0.0]), Dense::zeros(2, 2), dense::diagonal(&[4.0, 0.0])));
    assert_eigenvalues(&spectrum, &imaginary(&[2.0]));
    assert_eq!(spectrum.counts.found.indeterminate, 2);
    assert!(spectrum.findings.contains(&Finding::SingularPencil { indeterminate: 2 }));
}

#[test]
fn a_long_chain_at_infinity_is_followed() {
    // M nilpotent: s^2 M + I has determinant one, so that all four eigenvalues are infinite, in one chain.
    let m = dense::from_rows(&[&[0.0, 1.0], &[0.0, 0.0]]);
    let spectrum = solve(&systems::free(m, Dense::zeros(2, 2), dense::identity(2)));
    assert_eq!((spectrum.counts.found.infinite, spectrum.counts.expected.infinite), (4, 4));
    assert!(spectrum.eigenpairs.iter().all(|pair| pair.class == Class::Infinite && pair.chain == 4));
    let told = |f: &Finding| matches!(f, Finding::LongChain { .. } | Finding::ClassifiedByMagnitude { .. });
    assert!(!spectrum.findings.iter().any(told), "{:?}", spectrum.findings);
}

#[test]
fn a_singular_pencil_without_common_null_direction_is_reported() {
    // det [0 1; 0 s] = 0 for every s.
    let c = dense::from_rows(&[&[0.0, 0.0], &[0.0, 1.0]]);
    let k = dense::from_rows(&[&[0.0, 1.0], &[0.0, 0.0]]);
    let spectrum = solve(&systems::free(Dense::zeros(2, 2), c, k));
    assert_eq!(spectrum.eigenpairs.len(), 4);
    assert!(!spectrum.findings.is_empty(), "{:?}", spectrum.counts);
}

#[test]
fn full_constraints_leave_nothing() {
    let mut pencil = systems::chain(2, 1.0, 1.0, true);
    pencil.phi_q = dense::identity(2);
    let spectrum = solve(&pencil);
    assert!(spectrum.eigenpairs.is_empty() && spectrum.findings.contains(&Finding::NoFreedom));
}

#[test]
fn polishing_restores_the_low_eigenvalues_of_a_stiff_chain() {
    // Soft ground springs under a stiff chain: the mean motion has sqrt(2 k_soft / (n m)) to first order.
    let n = 30;
    let mut pencil = systems::chain(n, 1.0, 1e10, false);
    for i in [0, n - 1] {
        pencil.k[(i, i)] += 1.0;
    }
    let bound = |refinement| {
        let options = DenseOptions { refinement, ..DenseOptions::default() };
        let spectrum = mb_eigen::dense::solve(&pencil, &options).unwrap();
        let first = &spectrum.eigenpairs[0];
        assert!(first.class == Class::Physical && first.value().unwrap().re == 0.0);
        (first.value().unwrap().im, first.error_bound)
    };
    let (plain, wide) = bound(Refinement::None);
    let (polished, narrow) = bound(Refinement::InverseIteration { lowest: 3 });
    let rough = (2.0 / n as f64).sqrt();
    assert!((polished - rough).abs() < 1e-6 * rough, "{polished} {rough}");
    assert!((plain - polished).abs() <= wide + narrow, "{plain} {polished} {wide:e} {narrow:e}");
    assert!(narrow <= wide, "{narrow:e} {wide:e}");
}

#[test]
fn bad_input_is_named() {
    use mb_eigen::EigenError;
    let good = systems::chain(2, 1.0, 1.0, true);
    let with = |change: fn(&mut QuadraticPencil)| {
        let mut pencil = good.clone();
        change(&mut pencil);
        mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap_err()
    };
    assert!(matches!(
        with(|p| p.k[(1, 0)] = f64::NAN),
        EigenError::NonFinite { matrix: "K", row: 1, col: 0, .. }
    ));
    assert!(matches!(with(|p| p.c = Dense::zeros(3, 3)), EigenError::Shape { matrix: "C", rows: 3, .. }));
    assert!(matches!(
        with(|p| p.phi_q = Dense::zeros(1, 3)),
        EigenError::Shape { matrix: "Phi_q", cols: 3, .. }
    ));
    assert_eq!(
        with(|p| *p = systems::free(Dense::zeros(0, 0), Dense::zeros(0, 0), Dense::zeros(0, 0))),
        EigenError::Empty
    );
}

/// One dashpot across coordinates without mass: of C = c v v^T as written the last digits decide on its rank.
#[test]
fn a_dashpot_across_massless_coordinates_is_one_rate_and_what_its_last_digits_make_is_said() {
    let pencil = |v: [f64; 3], c: f64| QuadraticPencil {
        m: dense::diagonal(&[1.0, 0.0, 0.0]),
        c: Dense::from_fn(3, 3, |i, j| c * (v[i.min(j)] * v[i.max(j)])),
        k: dense::diagonal(&[4.0, 5.0, 6.0]),
        phi_q: dense::zeros(0, 3),
    };
    let open = |pencil: &QuadraticPencil| {
        let found = mb_eigen::dense::solve(pencil, &DenseOptions::default()).unwrap();
        assert_eq!(found.motion().count(), 3, "{:?}", found.findings);
        assert!(found.counts.mismatches().is_empty());
        let open = |f: &Finding| match f {
            Finding::InfiniteByRounding { eigenvalues, beyond, .. } => Some((*eigenvalues, beyond.unwrap())),
            _ => None,
        };
        found.findings.iter().find_map(open)
    };
    // Whole numbers: the rank is one as written.
    assert_eq!(open(&pencil([1.0, 2.0, -3.0], 0.5)), None);
    let rounded = pencil([0.7, 0.3, 1.1], 0.1);
    let (eigenvalues, beyond) = open(&rounded).unwrap();
    assert_eq!(eigenvalues, 1);
    assert!(beyond > 1e13 && beyond < 1e18, "{beyond}");
}
