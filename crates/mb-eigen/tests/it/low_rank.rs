//! Damping of low rank: the structured route against QZ on the first-order form, which knows no structure.

use mb_algebra::{Dense, DescriptorPencil, QuadraticPencil, dense};
use mb_eigen::{Class, DenseOptions, Finding, Spectrum, SpuriousOrigin, descriptor, pairing, penalty};
use proptest::prelude::*;

use crate::{stiff, systems};

const SPURIOUS: Class = Class::Spurious { origin: SpuriousOrigin::Penalty };

/// Every eigenvalue by QZ on E y' = A y, with n = k and no constraints.
fn unstructured(pencil: &QuadraticPencil) -> Spectrum {
    let free = QuadraticPencil { phi_q: Dense::zeros(0, pencil.m.nrows()), ..pencil.clone() };
    let first: DescriptorPencil = free.to_descriptor(descriptor::Transferred::default());
    descriptor::solve_qz(&first, free.m.nrows(), 0, &DenseOptions::default()).unwrap()
}

/// Whether both spectra hold the same eigenvalues within their bounds.
fn agree(a: &Spectrum, b: &Spectrum) {
    assert_eq!(a.eigenpairs.len(), b.eigenpairs.len());
    for (i, j, distance) in pairing::match_spectra(&a.eigenpairs, &b.eigenpairs) {
        let bound = a.eigenpairs[i].error_bound + b.eigenpairs[j].error_bound;
        assert!(
            distance <= bound,
            "{:?} {:?}: {distance:e} > {bound:e}",
            a.eigenpairs[i].value(),
            b.eigenpairs[j].value()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn chains_with_a_few_dampers_have_the_eigenvalues_qz_finds(
        n in 60_usize..64,
        dampers in prop::collection::vec((0_usize..60, 1e-3_f64..30.0, -1_i32..2), 1..4),
        masses in prop::collection::vec(0.5_f64..2.0, 80),
    ) {
        let mut pencil = systems::chain(n, 1.0, 1e3, true);
        for i in 0..n {
            pencil.m[(i, i)] = masses[i];
        }
        for (i, constant, to) in dampers {
            // To the ground, to the next mass, or a negative one to the ground.
            let constant = if to < 0 { -constant } else { constant };
            pencil.c[(i, i)] += constant;
            if to > 0 && i + 1 < n {
                pencil.c[(i + 1, i + 1)] += constant;
                pencil.c[(i, i + 1)] -= constant;
                pencil.c[(i + 1, i)] -= constant;
            }
        }
        let structured = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap();
        // Ten roundings for each of the 2 n states, which is what a backward stable method leaves.
        let most = 10.0 * (2 * n) as f64 * f64::EPSILON;
        let worst = structured.eigenpairs.iter().map(|pair| pair.backward_error).fold(0.0, f64::max);
        prop_assert!(worst < most, "{worst:e}");
        prop_assert!(structured.counts.mismatches().is_empty());
        agree(&structured, &unstructured(&pencil));
    }
}

#[test]
fn penalty_form_of_links_with_proportional_damping() {
    let mut pencil = stiff::pendulum::flexible_pendulum(12).to_dense();
    // The last one overdamps most modes, which the companion form takes.
    for (mass, stiffness) in [(0.3, 0.0), (0.0, 1e-6), (0.1, 1e-3_f64)] {
        pencil.c = dense::add(mass, &pencil.m, stiffness, &pencil.k);
        let form = systems::penalty(&pencil, 1e7, 0.9, 10.0);
        let all = penalty::solve(&form, &DenseOptions::default()).unwrap();
        assert!(all.counts.mismatches().is_empty());
        // There the penalty's own eigenvalues, which nearly coincide, are as good as that form leaves them.
        let most = if stiffness > 1e-4 { 1e-6 } else { 1e-13 };
        let worst = all.eigenpairs.iter().map(|pair| pair.backward_error).fold(0.0, f64::max);
        assert!(worst < most, "{mass} {stiffness}: {worst:e}");
        let unconstrained = QuadraticPencil {
            m: form.m.clone(),
            c: form.c.clone(),
            k: form.k.clone(),
            phi_q: Dense::zeros(0, form.m.nrows()),
        };
        agree(&all, &unstructured(&unconstrained));
    }
}

#[test]
fn penalty_form_of_flexible_links() {
    let pencil = stiff::pendulum::flexible_pendulum(12).to_dense();
    let form = systems::penalty(&pencil, 1e7, 0.9, 10.0);
    let all = penalty::solve(&form, &DenseOptions::default()).unwrap();
    let found = all.counts.found;
    assert_eq!((found.spurious_penalty, found.physical), (20, 2 * (pencil.m.nrows() - 10)));
    assert!(all.counts.mismatches().is_empty());
    // Modes of the mechanism near the penalty's own frequency blur the split; nothing else is reported.
    assert!(all.findings.iter().all(|f| matches!(f, Finding::PenaltyOverlap { .. })), "{:?}", all.findings);
    assert!(all.eigenpairs.iter().all(|pair| pair.backward_error < 1e-13));
    assert!(all.of_class(SPURIOUS).all(|pair| pair.value().unwrap().re < -8.0));
    // The same eigenvalues as those followed one by one from the constrained problem.
    let followed = penalty::physical_eigenpairs(&form, &DenseOptions::default()).unwrap();
    let physical: Vec<_> = all.motion().cloned().collect();
    for (i, j, distance) in pairing::match_spectra(&physical, &followed.eigenpairs) {
        let bound = physical[i].error_bound + followed.eigenpairs[j].error_bound;
        assert!(distance <= bound, "{:?}: {distance:e} > {bound:e}", physical[i].value());
    }
}

#[test]
fn repeated_and_defective_eigenvalues_are_found_all_the_same() {
    // Two equal chains, one damper each: every eigenvalue twice.
    let single = {
        let mut pencil = systems::chain(32, 1.0, 400.0, true);
        pencil.c[(3, 3)] = 0.5;
        pencil
    };
    let twice = |a: &Dense| {
        let zero = Dense::zeros(32, 32);
        dense::vstack(&[&dense::hstack(&[a, &zero]), &dense::hstack(&[&zero, a])])
    };
    let double = systems::free(twice(&single.m), twice(&single.c), twice(&single.k));
    let options = DenseOptions::default();
    let (one, two) = (
        mb_eigen::dense::solve(&single, &options).unwrap(),
        mb_eigen::dense::solve(&double, &options).unwrap(),
    );
    assert_eq!((one.eigenpairs.len(), two.eigenpairs.len()), (64, 128));
    for pair in &one.eigenpairs {
        let s = pair.value().unwrap();
        let near = two.eigenpairs.iter().filter(|p| (p.value().unwrap() - s).norm() < 1e-9 * s.norm());
        assert_eq!(near.count(), 2, "{s}");
    }
    // A critically damped mass next to a chain: s = -7 twice, to the square root of rounding.
    let mut pencil = systems::chain(64, 1.0, 100.0, true);
    for j in 1..64 {
        (pencil.k[(0, j)], pencil.k[(j, 0)]) = (0.0, 0.0);
    }
    (pencil.k[(0, 0)], pencil.c[(0, 0)]) = (49.0, 14.0);
    let spectrum = mb_eigen::dense::solve(&pencil, &options).unwrap();
    let near: Vec<_> =
        spectrum.eigenpairs.iter().filter(|p| (p.value().unwrap() + 7.0).norm() < 1e-6).collect();
    assert_eq!(near.len(), 2);
    assert!(near.iter().all(|p| (p.value().unwrap() + 7.0).norm() <= p.error_bound));
}
