//! The penalty form: counts, shares, the fast path.

use mb_algebra::{Dense, PenaltyBlocks, QuadraticPencil, c64, dense, to_sparse};
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_eigen::sparse::SparseOptions;
use mb_eigen::{Class, DenseOptions, EigenError, Finding, Spectrum, SpuriousOrigin, pairing};

use crate::{quadratic, stiff, systems};

const SPURIOUS: Class = Class::Spurious { origin: SpuriousOrigin::Penalty };

fn both_ways(pencil: &PenaltyPencil) -> (Spectrum, Spectrum) {
    let options = DenseOptions::default();
    (penalty::solve(pencil, &options).unwrap(), penalty::physical_eigenpairs(pencil, &options).unwrap())
}

#[test]
fn four_bar_with_the_parameters_of_the_paper() {
    for loops in [1, 5, 20] {
        for damper in [0.0, 1.0] {
            let (pencil, root) = systems::four_bar(loops, damper);
            let (n, m) = (pencil.m.nrows(), pencil.phi_q.nrows());
            let (all, physical) = both_ways(&systems::penalty(&pencil, 1e6, 1.0, 10.0));
            assert_eq!((all.counts.found.spurious_penalty, all.counts.found.physical), (2 * m, 2 * (n - m)));
            assert!(all.findings.is_empty(), "{:?}", all.findings);
            for spectrum in [&all, &physical] {
                let found = spectrum.motion_values();
                let matched = pairing::match_values(&[root, root.conj()], &found);
                // The penalty's own error, bounded in the paper by 3e-6.
                assert!(matched.iter().all(|m| m.2 < 3e-6), "{matched:?}");
                assert!(spectrum.motion().all(|pair| pair.penalty_share.unwrap() < 1e-6));
            }
            assert!(all.of_class(SPURIOUS).all(|pair| pair.penalty_share.unwrap() > 0.999));
            let (a, b): (Vec<_>, Vec<_>) =
                (all.motion().cloned().collect(), physical.motion().cloned().collect());
            for (i, j, distance) in pairing::match_spectra(&a, &b) {
                assert!(distance <= a[i].error_bound + b[j].error_bound, "{distance:e}");
                assert!(b[j].backward_error < 1e-15);
            }
        }
    }
}

#[test]
fn pendulum_both_ways_up() {
    for up in [false, true] {
        let pencil = systems::pendulum(1.0, 2.0, 9.81, up);
        let exact = quadratic::solve(&pencil).motion_values();
        let (all, physical) = both_ways(&systems::penalty(&pencil, 1e7, 1.0, 10.0));
        for spectrum in [&all, &physical] {
            assert!(pairing::match_values(&exact, &spectrum.motion_values()).iter().all(|m| m.2 < 1e-5));
        }
        assert_eq!(all.counts.found.spurious_penalty, 2);
    }
}

#[test]
fn a_true_zero_mode_stays_an_exact_zero() {
    let pencil = systems::trolley(2.0, 1.0, 0.5, 9.81);
    let (all, physical) = both_ways(&systems::penalty(&pencil, 1e6, 1.0, 10.0));
    for spectrum in [&all, &physical] {
        assert_eq!((spectrum.counts.found.rigid, spectrum.counts.found.physical), (2, 2));
        assert!(spectrum.counts.mismatches().is_empty());
    }
}

#[test]
fn redundant_rows_change_the_counts_not_the_eigenvalues() {
    let mut pencil = systems::pendulum(1.0, 2.0, 9.81, false);
    pencil.phi_q = dense::vstack(&[&pencil.phi_q, &pencil.phi_q]);
    let (all, physical) = both_ways(&systems::penalty(&pencil, 1e7, 1.0, 10.0));
    for spectrum in [&all, &physical] {
        assert_eq!((spectrum.counts.rank, spectrum.counts.found.physical), (1, 2));
        assert!(spectrum.findings.iter().any(|f| matches!(f, Finding::RedundantConstraints { rank: 1, .. })));
    }
    assert_eq!(all.counts.found.spurious_penalty, 2);
}

#[test]
fn overlapping_groups_are_reported() {
    // A weak penalty: mass 1 and alpha 1, so that the groups have no names.
    let mut pencil = systems::chain(2, 1.0, 1.0, true);
    pencil.phi_q = dense::from_rows(&[&[1.0, 0.3]]);
    let weak = systems::penalty(&pencil, 1.0, 0.0, 1.2);
    let (all, physical) = both_ways(&weak);
    for spectrum in [&all, &physical] {
        assert!(
            spectrum.findings.iter().any(|f| matches!(f, Finding::PenaltyOverlap { .. })),
            "{:?}",
            spectrum.findings
        );
    }
    assert_eq!(all.eigenpairs.len(), 4);
}

#[test]
fn a_penalty_too_stiff_reports_the_digits_it_costs() {
    let lost = |alpha: f64| {
        let pencil = systems::penalty(&systems::pendulum(1.0, 2.0, 9.81, false), alpha, 1.0, 10.0);
        let (all, physical) = both_ways(&pencil);
        let digits = |findings: &[Finding]| {
            findings.iter().find_map(|f| match f {
                Finding::StiffPenalty { digits_lost, .. } => Some(*digits_lost),
                _ => None,
            })
        };
        assert_eq!(digits(&all.findings), digits(&physical.findings));
        digits(&all.findings)
    };
    assert_eq!(lost(1e6), None);
    let (stiff, stiffer) = (lost(1e10).unwrap(), lost(1e12).unwrap());
    assert!((stiffer - stiff - 2.0).abs() < 1e-3, "a hundred times the penalty costs two digits");
    assert!(stiffer > 11.0 && stiffer < 15.0, "{stiffer}");
}

#[test]
fn one_constraint_coordinate_gives_the_penalty_eigenvalue_itself() {
    // x free on a spring, y held by the penalty alone: (1 + alpha) s^2 + 2 xi omega alpha s + omega^2 alpha = 0.
    let (alpha, omega) = (1e4, 10.0);
    let pencil = mb_algebra::QuadraticPencil {
        m: dense::identity(2),
        c: dense::zeros(2, 2),
        k: dense::diagonal(&[4.0, 0.0]),
        phi_q: dense::from_rows(&[&[0.0, 1.0]]),
    };
    let (all, physical) = both_ways(&systems::penalty(&pencil, alpha, 0.5, omega));
    let b = omega * alpha;
    let root = (c64::new(b * b - 4.0 * (1.0 + alpha) * omega * omega * alpha, 0.0).sqrt() - b)
        / (2.0 * (1.0 + alpha));
    let spurious: Vec<_> = all.of_class(SPURIOUS).map(|pair| pair.value().unwrap()).collect();
    let error = |m: &(usize, usize, f64)| m.2;
    assert!(pairing::match_values(&[root, root.conj()], &spurious).iter().all(|m| error(m) < 1e-13));
    let two = [c64::new(0.0, 2.0), c64::new(0.0, -2.0)];
    assert!(pairing::match_values(&two, &physical.motion_values()).iter().all(|m| error(m) < 1e-14));
}

#[test]
fn sizes_are_checked() {
    let mut pencil = systems::penalty(&systems::pendulum(1.0, 2.0, 9.81, false), 1e6, 1.0, 10.0);
    pencil.xi = dense::identity(3);
    let error = penalty::solve(&pencil, &DenseOptions::default()).unwrap_err();
    assert!(matches!(error, mb_eigen::EigenError::Shape { matrix: "Xi", rows: 3, expected_rows: 1, .. }));
}

/// The blocks of [`systems::penalty`].
fn blocks(pencil: &QuadraticPencil, alpha: f64, xi: f64, omega: f64) -> PenaltyBlocks {
    let one = dense::identity(pencil.phi_q.nrows());
    PenaltyBlocks {
        m: to_sparse(&pencil.m),
        c: to_sparse(&pencil.c),
        k: to_sparse(&pencil.k),
        phi_q: to_sparse(&pencil.phi_q),
        xi: dense::scale(alpha, &one),
        theta: dense::scale(2.0 * xi * omega, &one),
        omega: dense::scale(omega * omega, &one),
        k_parts: None,
    }
}

/// The lowest modes by constrained sparse matrices against the whole spectrum of the dense penalty problem.
#[test]
fn the_lowest_pairs_are_those_of_the_whole_spectrum() {
    let links = stiff::pendulum::flexible_pendulum(12).to_dense();
    let mut damped = links.clone();
    damped.c = dense::add(0.05, &links.m, 1e-5, &links.k);
    let mut turning = links.clone();
    for (i, j) in [(0, 3), (7, 30), (31, 60)] {
        turning.c[(i, j)] += 40.0;
        turning.c[(j, i)] -= 40.0;
    }
    for (pencil, symmetric) in [(links, true), (damped, true), (turning, false)] {
        let whole =
            penalty::solve(&systems::penalty(&pencil, 1e7, 1.0, 10.0), &DenseOptions::default()).unwrap();
        let asked = SparseOptions { left_vectors: true, ..SparseOptions::default() };
        let some = penalty::lowest(&blocks(&pencil, 1e7, 1.0, 10.0), 5, &asked).unwrap();
        assert_eq!((some.eigenpairs.len(), some.counts.found.physical), (10, 10), "{:?}", some.findings);
        for pair in some.eigenpairs.iter().filter(|pair| pair.alpha.im > 0.0) {
            let s = pair.value().unwrap();
            let other = whole.nearest(s).unwrap();
            let bound = pair.error_bound + other.error_bound;
            let distance = (other.value().unwrap() - s).norm();
            assert!(distance <= bound, "{s}: {distance:e} > {bound:e}");
            assert!(pair.backward_error < 1e-13, "{:e}", pair.backward_error);
            assert!(pairing::mac(&pair.right, &other.right) > 1.0 - 1e-9);
            assert!(symmetric == (pairing::mac(&pair.left, &conjugates(&pair.right)) > 1.0 - 1e-12));
            assert!(pairing::mac(&pair.left, &other.left) > 1.0 - 1e-9);
            let (a, b) = (pair.penalty_share.unwrap(), other.penalty_share.unwrap());
            assert!((a - b).abs() < 1e-6 * b.max(1e-3), "{a:e} {b:e}");
            let (a, b) = (pair.constraint_violation, other.constraint_violation);
            assert!((a - b).abs() < 1e-6 * b.max(1e-6), "{a:e} {b:e}");
        }
    }
}

fn conjugates(x: &[c64]) -> Vec<c64> {
    x.iter().map(c64::conj).collect()
}

#[test]
fn a_mode_among_the_penalty_eigenvalues_is_not_called_sure() {
    // The third mode of the pendulum has 9.4 rad/s; a weak penalty with eigenvalues at the same place mixes with it.
    let links = stiff::pendulum::flexible_pendulum(12).to_dense();
    let found = penalty::lowest(&blocks(&links, 30.0, 0.02, 9.4), 4, &SparseOptions::default()).unwrap();
    assert!(
        found.findings.iter().any(|f| matches!(f, Finding::PenaltyOverlap { .. })),
        "{:?}",
        found.findings
    );
}

#[test]
fn blocks_of_wrong_shape_are_refused() {
    let links = stiff::pendulum::flexible_pendulum(3).to_dense();
    let wrong = PenaltyBlocks { theta: dense::identity(3), ..blocks(&links, 1e7, 1.0, 10.0) };
    let found = penalty::lowest(&wrong, 4, &SparseOptions::default());
    assert!(matches!(found, Err(EigenError::Shape { matrix: "Theta", .. })), "{found:?}");
}

/// Motion that drowns compared with the penalty is not what theory counts.
#[test]
fn eigenvalues_lost_in_too_stiff_a_penalty_are_reported_as_missing() {
    let links = stiff::pendulum::flexible_pendulum(4).to_dense();
    let mut lost = 0;
    for alpha in [1e7, 1e9, 1e10, 1e11, 1e12, 1e14, 1e17, 1e20] {
        let form = systems::penalty(&links, alpha, 1.0, 10.0);
        let all = penalty::solve(&form, &DenseOptions::default()).unwrap();
        let stiff = all.findings.iter().any(|f| matches!(f, Finding::StiffPenalty { .. }));
        assert!(stiff || alpha < 1e13, "{alpha:e}: {:?}", all.findings);
        let found = all.counts.found;
        if found.indeterminate + found.infinite > 0 {
            lost += 1;
            assert!(stiff && !all.counts.mismatches().is_empty(), "{alpha:e}: {:?}", all.counts);
        }
        let unfounded =
            |f: &Finding| matches!(f, Finding::SingularMass { .. } | Finding::SingularPencil { .. });
        assert!(!all.findings.iter().any(unfounded), "{alpha:e}: {:?}", all.findings);
    }
    assert!(lost > 1);
}

/// A direction that has no mass by itself is none that drowned.
#[test]
fn massless_directions_near_a_penalty_are_counted_as_theory_does() {
    let mut links = stiff::pendulum::flexible_pendulum(4).to_dense();
    let n = links.m.nrows();
    for a in [&mut links.m, &mut links.c, &mut links.k] {
        *a = Dense::from_fn(n + 1, n + 1, |i, j| if i < n && j < n { a[(i, j)] } else { 0.0 });
    }
    links.k[(n, n)] = 5.0;
    links.phi_q = dense::hstack(&[&links.phi_q, &Dense::zeros(10, 1)]);
    let form = systems::penalty(&links, 1e7, 1.0, 10.0);
    let all = penalty::solve(&form, &DenseOptions::default()).unwrap();
    assert_eq!((all.counts.found.infinite, all.counts.mismatches().len()), (2, 0), "{:?}", all.findings);
    assert!(all.findings.iter().any(|f| matches!(f, Finding::SingularMass { directions: 1, .. })));
}

/// Two pairs of masses, each tied by a row, alike but for the share of the tie in them: one eigenvalue of the mechanism, two of the
/// penalty problem, each with its own vector.
#[test]
fn modes_that_a_penalty_parts_are_found_each() {
    use mb_algebra::{PenaltyBlocks, dense, to_sparse};
    for damping in [0.0, 1.0 / 64.0] {
        let (square, xi) = (256.0, 2.0_f64.powi(16));
        let m = dense::diagonal(&[1.0, 3.0, 2.0, 2.0]);
        let k = dense::diagonal(&[5.0, 3.0, 1.0, 7.0]);
        let phi_q = dense::from_rows(&[&[1.0, -1.0, 0.0, 0.0], &[0.0, 0.0, 1.0, -1.0]]);
        let c = dense::scale(damping, &m);
        let all = |v: f64| dense::diagonal(&[v, v]);
        let blocks = PenaltyBlocks {
            m: to_sparse(&m),
            c: to_sparse(&c),
            k: to_sparse(&k),
            phi_q: to_sparse(&phi_q),
            xi: all(xi),
            theta: all(damping),
            omega: all(square),
            k_parts: None,
        };
        // A w^2 - B w + C of two tied masses; the smaller eigenvalue without cancellation.
        let tied = |[m1, m2]: [f64; 2], [k1, k2]: [f64; 2]| {
            let y = xi * square;
            let a = m1 * m2 + xi * (m1 + m2);
            let b = k1 * (m2 + xi) + k2 * (m1 + xi) + y * (m1 + m2);
            let c = k1 * k2 + y * (k1 + k2);
            2.0 * c / (b + (b * b - 4.0 * a * c).sqrt())
        };
        let exact = [tied([1.0, 3.0], [5.0, 3.0]), tied([2.0, 2.0], [1.0, 7.0])];
        let options = mb_eigen::sparse::SparseOptions::from(mb_eigen::sparse::SparseExpert {
            dense_limit: 0,
            ..Default::default()
        });
        let found = mb_eigen::penalty::lowest(&blocks, 2, &options).unwrap();
        assert!(!found.falls_short(), "{:?}", found.findings);
        let mut sizes: Vec<(f64, f64)> = found
            .eigenpairs
            .iter()
            .filter(|pair| pair.alpha.im > 0.0)
            .map(|pair| (pair.value().unwrap().im, pair.error_bound))
            .collect();
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut exact = exact.map(|w: f64| (w - 0.25 * damping * damping).sqrt());
        exact.sort_by(f64::total_cmp);
        assert_eq!(sizes.len(), 2, "{sizes:?}");
        for ((im, bound), exact) in sizes.iter().zip(&exact) {
            assert!((im - exact).abs() <= bound + 1e-15, "{sizes:?} for {exact}");
        }
    }
}
