//! The penalty form: counts, shares, the fast path.

use mb_algebra::{c64, dense};
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_eigen::{Class, DenseOptions, Finding, Spectrum, SpuriousOrigin, pairing};

use crate::{quadratic, systems};

const SPURIOUS: Class = Class::Spurious { origin: SpuriousOrigin::Penalty };

fn both_ways(pencil: &PenaltyPencil) -> (Spectrum, Spectrum) {
    let options = DenseOptions::default();
    (penalty::solve(pencil, &options).unwrap(), penalty::physical_pairs(pencil, &options).unwrap())
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
                assert!(distance <= a[i].error_bar + b[j].error_bar, "{distance:e}");
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
fn redundant_rows_change_the_counts_not_the_roots() {
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
fn overlapping_groups_are_told() {
    // A weak penalty: mass 1 beside alpha 1, so that the groups have no names.
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
    assert_eq!(all.pairs.len(), 4);
}

#[test]
fn a_penalty_too_stiff_tells_the_digits_it_costs() {
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
fn one_constraint_coordinate_gives_the_penalty_root_itself() {
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
