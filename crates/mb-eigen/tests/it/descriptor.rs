//! The descriptor form: counts, vectors and the cross-check by QZ.

use mb_algebra::{QuadraticPencil, c64, dense, norms};
use mb_eigen::descriptor::{self, DescriptorStructure, Transferred};
use mb_eigen::{Class, DenseOptions, Finding, Spectrum, SpuriousOrigin, pairing};

use crate::{quadratic, systems};

const TRANSFERRED: Class = Class::Spurious { origin: SpuriousOrigin::TransferredJacobian };

fn structure(pencil: &QuadraticPencil, transferred: Transferred) -> DescriptorStructure {
    DescriptorStructure { pencil: pencil.clone(), transferred }
}

fn both_ways(pencil: &QuadraticPencil, transferred: Transferred) -> (Spectrum, Spectrum) {
    let structure = structure(pencil, transferred);
    let options = DenseOptions::default();
    let by_structure = descriptor::solve(&structure, &options).unwrap();
    let (m, n) = pencil.phi_q.shape();
    let by_qz = descriptor::solve_qz(&structure.to_pencil().unwrap(), n, m, &options).unwrap();
    (by_structure, by_qz)
}

/// The claim of a zero or infinite eigenvalue on E and A themselves: A y = 0 or E y = 0, or, in a chain, only that the
/// vector given is the proper one.
fn assert_vectors(spectrum: &Spectrum, structure: &DescriptorStructure) {
    let pencil = structure.to_pencil().unwrap();
    for pair in &spectrum.eigenpairs {
        assert!(pair.backward_error < 1e-13, "{:?} {:e}", pair.class, pair.backward_error);
        let zeros = vec![c64::new(0.0, 0.0); pair.right.len()];
        let (matrix, y) = match pair.class {
            // y = (q, v, l): at infinity the displacement part vanishes and the vector is a velocity.
            Class::Infinite => (&pencil.e, [&zeros[..], &pair.right, &pair.multipliers].concat()),
            Class::Spurious { .. } => (&pencil.a, [&pair.right[..], &zeros, &pair.multipliers].concat()),
            _ => continue,
        };
        let rest = norms::two_complex(&dense::matvec_complex(matrix, &y));
        let size = norms::frobenius(matrix) * norms::two_complex(&y);
        if pair.chain <= 2 || pair.class == Class::Infinite {
            assert!(rest <= 1e-12 * size, "{:?}: {:e}", pair.class, rest / size);
        }
    }
}

#[test]
fn every_variant_has_the_counts_of_theory() {
    let systems = [
        systems::pendulum(1.0, 2.0, 9.81, false),
        systems::pendulum(1.0, 2.0, 9.81, true),
        systems::trolley(2.0, 1.0, 0.5, 9.81),
        systems::four_bar(1, 0.0).0,
        systems::four_bar(2, 1.0).0,
    ];
    for pencil in &systems {
        let exact = quadratic::solve(pencil).motion_values();
        let (m, n) = pencil.phi_q.shape();
        for transferred in Transferred::ALL {
            let (ours, qz) = both_ways(pencil, transferred);
            assert_eq!(ours.eigenpairs.len(), 2 * n + m);
            let (zeros, found) = (transferred.count() * m, ours.counts.found);
            assert_eq!((found.spurious_transferred, found.infinite), (zeros, 3 * m - zeros));
            assert!(ours.findings.is_empty(), "{:?}", ours.findings);
            assert_vectors(&ours, &structure(pencil, transferred));
            assert_eq!(qz.eigenpairs.len(), 2 * n + m);
            assert_eq!(qz.counts.found, found, "{transferred:?} {n} {:?}", qz.findings);
            let matched = pairing::match_values(&exact, &qz.motion_values());
            // A double zero is spread by the square root of rounding, a triple one (with a moved Jacobian) by the cube root.
            assert!(
                matched.iter().all(|&(i, _, d)| d < if exact[i].norm() > 0.0 { 1e-6 } else { 1e-4 }),
                "{matched:?}"
            );
            assert!(pairing::match_values(&exact, &ours.motion_values()).iter().all(|m| m.2 == 0.0));
        }
    }
}

#[test]
fn a_true_zero_is_distinguished_from_those_of_the_moved_jacobian_by_subspace() {
    let pencil = systems::trolley(2.0, 1.0, 0.5, 9.81);
    for transferred in Transferred::ALL {
        let spectrum = descriptor::solve(&structure(&pencil, transferred), &DenseOptions::default()).unwrap();
        assert_eq!(spectrum.of_class(Class::Rigid).count(), 2);
        for pair in spectrum.of_class(Class::Rigid) {
            // Trolley and bob move along together.
            assert!((pair.right[0] - pair.right[1]).norm() < 1e-14 && pair.constraint_violation < 1e-15);
        }
        for pair in spectrum.of_class(TRANSFERRED) {
            let pure =
                pair.right.iter().all(|z| z.norm() == 0.0) && norms::two_complex(&pair.multipliers) > 0.0;
            assert!(pure || pair.constraint_violation > 0.1);
        }
    }
}

#[test]
fn redundant_rows_make_indeterminate_eigenvalues() {
    let mut pencil = systems::trolley(2.0, 1.0, 0.5, 9.81);
    pencil.phi_q = dense::vstack(&[&pencil.phi_q, &dense::scale(-2.0, &pencil.phi_q)]);
    for transferred in Transferred::ALL {
        let (ours, qz) = both_ways(&pencil, transferred);
        let zeros = transferred.count();
        for spectrum in [&ours, &qz] {
            let found = spectrum.counts.found;
            assert_eq!(
                (found.infinite, found.spurious_transferred, found.indeterminate),
                (3 - zeros, zeros, 1)
            );
            assert_eq!(found.motion(), 4);
            assert!(
                spectrum.findings.iter().any(|f| matches!(f, Finding::RedundantConstraints { rank: 1, .. }))
            );
        }
        assert_vectors(&ours, &structure(&pencil, transferred));
    }
}

#[test]
fn no_constraints_leave_a_plain_state_space() {
    let pencil = systems::chain(3, 1.0, 2.0, true);
    let (ours, qz) = both_ways(&pencil, Transferred::default());
    assert_eq!((ours.eigenpairs.len(), qz.counts.found.physical), (6, 6));
}

#[test]
fn stiffless_constraint_directions_keep_vectors_of_their_own() {
    // A free mass in the plane held at x = 0 with no stiffness at all, both Jacobians moved.
    let pencil = QuadraticPencil {
        m: dense::identity(2),
        c: dense::zeros(2, 2),
        k: dense::zeros(2, 2),
        phi_q: dense::from_rows(&[&[1.0, 0.0]]),
    };
    let both = Transferred { phi_q: true, phi_q_t: true };
    let spectrum = descriptor::solve(&structure(&pencil, both), &DenseOptions::default()).unwrap();
    let spurious: Vec<_> = spectrum.of_class(TRANSFERRED).collect();
    assert_eq!(spurious.len(), 2);
    assert!(spurious.iter().all(|pair| pair.chain == 1));
    assert_eq!(spurious.iter().filter(|pair| pair.constraint_violation > 0.5).count(), 1);
    assert_vectors(&spectrum, &structure(&pencil, both));
}

#[test]
fn sizes_are_checked() {
    let pencil =
        structure(&systems::pendulum(1.0, 1.0, 9.81, false), Transferred::default()).to_pencil().unwrap();
    let wrong = descriptor::solve_qz(&pencil, 2, 2, &DenseOptions::default()).unwrap_err();
    assert_eq!(wrong, mb_eigen::EigenError::DescriptorSize { n: 2, m: 2, expected: 6, rows: 5 });
}
