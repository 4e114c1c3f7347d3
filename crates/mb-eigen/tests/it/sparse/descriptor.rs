//! Descriptor pairs by sparse matrices: the form of a mechanism is found, its eigenvalues are those of the mechanism,
//! counts agree.

use mb_algebra::{DescriptorPencil, Scatter, Sparse, Transferred, c64, norms, sparse};
use mb_eigen::sparse::{Request, SparseExpert, SparseOptions, Structure, solve_descriptor};
use mb_eigen::{Class, EigenError, ExpectedCounts, Finding};
use proptest::prelude::*;

use super::agreement::{assert_contained, exact, krylov, proved_in_interval};
use super::random::{KINDS, Kind, problem};

fn pair(kind: Kind, n: usize, m: usize, seed: u64) -> DescriptorPencil<Sparse> {
    problem(kind, n, m, seed).to_dense().to_descriptor(Transferred::default()).to_sparse()
}

/// |s E y - A y| over its terms, for y as for left vectors.
fn residual(pencil: &DescriptorPencil<Sparse>, s: c64, y: &[c64]) -> f64 {
    let (e, a) = (sparse::matvec_complex(&pencil.e, y), sparse::matvec_complex(&pencil.a, y));
    let rest: Vec<c64> = e.iter().zip(&a).map(|(e, a)| s * e - a).collect();
    let size = s.norm() * norms::frobenius(&pencil.e) + norms::frobenius(&pencil.a);
    norms::two_complex(&rest) / (size * norms::two_complex(y))
}

#[test]
fn a_mechanism_in_descriptor_form_has_its_own_eigenvalues() {
    for kind in KINDS {
        let (n, m) = (24, 4);
        let pencil = pair(kind, n, m, 3);
        let all = exact(&problem(kind, n, m, 3));
        let asked = SparseOptions { left_vectors: true, ..krylov() };
        let found = solve_descriptor(&pencil, &Request::Lowest { count: 5 }, &asked).unwrap();
        let what = format!("{kind:?}");
        let motion: Vec<_> = all.motion().cloned().collect();
        assert_contained(&found.eigenpairs, &motion, &what);
        let transposed =
            DescriptorPencil { e: sparse::transpose(&pencil.e), a: sparse::transpose(&pencil.a) };
        for pair in &found.eigenpairs {
            let s = pair.value().unwrap();
            assert_eq!(pair.right.len(), 2 * n + m, "{what}");
            assert!((norms::two_complex(&pair.right) - 1.0).abs() < 1e-12, "{what}");
            // Double zeros share a vector, of which the rate is zero.
            assert!(residual(&pencil, s, &pair.right) < 1e-12, "{what}: {s}");
            assert!(residual(&transposed, s.conj(), &pair.left) < 1e-10, "{what}: {s}");
            if pair.chain == 1 {
                let e = sparse::matvec_complex(&pencil.e, &pair.right);
                let form: c64 = pair.left.iter().zip(&e).map(|(w, e)| w.conj() * e).sum();
                assert!((form - 1.0).norm() < 1e-6, "{what}: {s} {form}");
            }
        }
        let undamped = matches!(kind, Kind::Undamped | Kind::FreeFree | Kind::SingularMass);
        assert_eq!(proved_in_interval(&found), undamped, "{what}: {:?}", found.findings);
    }
}

#[test]
fn infinite_eigenvalues_are_counted_by_theory() {
    let (n, m) = (24, 4);
    let pencil = pair(Kind::Damped, n, m, 5);
    let some = solve_descriptor(&pencil, &Request::Lowest { count: 3 }, &krylov()).unwrap();
    assert_eq!(some.counts.expected, ExpectedCounts::descriptor(n, m, m, 0));
    let all = solve_descriptor(&pencil, &Request::All, &krylov()).unwrap();
    assert_eq!((all.counts.found.infinite, all.counts.expected.infinite), (3 * m, 3 * m));
    assert!(all.counts.mismatches().is_empty() && all.eigenpairs.len() == 2 * (n - m));
    assert!(all.eigenpairs.iter().all(|pair| pair.class == Class::Physical && pair.right.len() == 2 * n + m));
    // A row twice: one multiplier without effect.
    let mut twice = problem(Kind::Damped, n, m, 5).to_dense();
    twice.phi_q = mb_algebra::dense::vstack(&[&twice.phi_q, &twice.phi_q]);
    let twice = twice.to_descriptor(Transferred::default()).to_sparse();
    let found = solve_descriptor(&twice, &Request::Lowest { count: 3 }, &krylov()).unwrap();
    assert_eq!(found.counts.expected, ExpectedCounts::descriptor(n, 2 * m, m, 0));
}

#[test]
fn declared_symmetry_is_checked_under_the_names_given() {
    let mut pencil = pair(Kind::Undamped, 8, 2, 1);
    let options = SparseOptions {
        expert: SparseExpert { structure: Structure::Symmetric, ..krylov().expert },
        ..krylov()
    };
    let request = Request::Lowest { count: 2 };
    let error = solve_descriptor(&pencil, &request, &options).unwrap_err();
    assert!(matches!(error, EigenError::NotSymmetric { matrix: "A", .. }), "{error}");
    pencil.e = sparse::add(1.0, &pencil.e, 1.0, &pencil.a);
    let error = solve_descriptor(&pencil, &request, &options).unwrap_err();
    assert!(matches!(error, EigenError::NotSymmetric { matrix: "E", .. }), "{error}");
}

#[test]
fn pairs_of_other_forms_are_counted_by_rank() {
    // The same mechanism with its states in another order and a balance of forces added to the first rate, which hides the form: chains
    // of infinite eigenvalues are followed.
    let (n, m) = (12, 3);
    let known = pair(Kind::Damped, n, m, 7);
    let size = 2 * n + m;
    let turned = |a: &Sparse| {
        let dense = mb_algebra::to_dense(a);
        let to = |i: usize| (i + 5) % size;
        let added = |i: usize, j: usize| if i == 0 { dense[(n, j)] } else { 0.0 };
        let entry = |i: usize, j: usize| dense[(to(i), to(j))] + added(to(i), to(j));
        mb_algebra::to_sparse(&mb_algebra::Dense::from_fn(size, size, entry))
    };
    let pencil = DescriptorPencil { e: turned(&known.e), a: turned(&known.a) };
    let request = Request::Lowest { count: 3 };
    let found = solve_descriptor(&pencil, &request, &krylov()).unwrap();
    let expected = ExpectedCounts { motion: 2 * (n - m), infinite: 3 * m, ..ExpectedCounts::default() };
    assert_eq!((found.counts.expected, found.counts.n), (expected, size));
    let form = solve_descriptor(&known, &request, &krylov()).unwrap();
    assert_contained(&found.eigenpairs, &form.eigenpairs, "turned");
}

#[test]
fn infinite_eigenvalues_of_a_hidden_mechanism_do_not_come_out_as_finite_ones() {
    let (n, m) = (12, 3);
    let size = 2 * n + m;
    for kind in KINDS {
        let what = format!("{kind:?}");
        let known = pair(kind, n, m, 7);
        // Rows and columns in units of their own, and in another order.
        let mixed = |a: &Sparse| {
            let dense = mb_algebra::to_dense(a);
            let (to, unit) =
                (|i: usize| (i * 5 + 2) % size, |i: usize| f64::powf(10.0, (i % 7) as f64 - 3.0));
            let entry = |i: usize, j: usize| dense[(to(i), to(j))] * unit(i) * unit(j + 3);
            mb_algebra::to_sparse(&mb_algebra::Dense::from_fn(size, size, entry))
        };
        let pencil = DescriptorPencil { e: mixed(&known.e), a: mixed(&known.a) };
        let all = solve_descriptor(&known, &Request::All, &krylov()).unwrap();
        let found = solve_descriptor(&pencil, &Request::All, &krylov()).unwrap();
        let told = |f: &Finding| {
            matches!(f, Finding::LongChain { at_infinity: true } | Finding::ClassifiedByMagnitude { .. })
        };
        assert!(!found.findings.iter().any(told), "{what}: {:?}", found.findings);
        assert!(found.counts.mismatches().is_empty(), "{what}: {:?}", found.counts);
        assert_eq!(found.eigenpairs.len(), all.eigenpairs.len(), "{what}");
        assert_contained(&found.eigenpairs, &all.eigenpairs, &what);
        let largest = Request::Largest { count: 1 };
        let largest = solve_descriptor(&pencil, &largest, &SparseOptions::default()).unwrap();
        let top =
            all.eigenpairs.iter().filter_map(mb_eigen::Eigenpair::value).map(c64::norm).fold(0.0, f64::max);
        let first = largest.eigenpairs[0].value().unwrap().norm();
        assert!((first - top).abs() <= 1e-6 * top, "{what}: {first} for {top}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Weierstrass form: eigenvalues -1, -2, .. on the diagonal of A, nilpotent blocks in E; then mixed from both
    /// sides, in units that leave a few digits between the smallest pivots and rounding.
    #[test]
    fn chains_at_infinity_of_any_pair_are_followed(
        chains in prop::collection::vec(1..4_usize, 1..6),
        finite in 1..9_usize,
        numbers in prop::collection::vec(-1.0..1.0_f64, 2 * 28 * 28),
        spread in 0..4_i32,
    ) {
        let size = finite + chains.iter().sum::<usize>();
        let [mut e, mut a] = [0; 2].map(|_| mb_algebra::Dense::zeros(size, size));
        for i in 0..finite {
            (e[(i, i)], a[(i, i)]) = (1.0, -1.0 - i as f64);
        }
        let mut at = finite;
        for length in &chains {
            for i in at..at + length {
                a[(i, i)] = 1.0;
                if i > at {
                    e[(i - 1, i)] = f64::from(4 * spread).exp2();
                }
            }
            at += length;
        }
        // Rows whose diagonal outweighs the rest by one at least: condition 5 at most. What is worse may be reported as undecided.
        let mixing = |from: usize| mb_algebra::Dense::from_fn(size, size, |i, j| {
            2.0 * numbers[from + i * size + j] / size as f64 + if i == j { 3.0 } else { 0.0 }
        });
        let (left, right) = (mixing(0), mixing(28 * 28));
        let mixed = |x: &mb_algebra::Dense| {
            mb_algebra::to_sparse(&mb_algebra::dense::mul(&left, &mb_algebra::dense::mul(x, &right)))
        };
        let pair = DescriptorPencil { e: mixed(&e), a: mixed(&a) };
        let found = solve_descriptor(&pair, &Request::All, &SparseOptions::default()).unwrap();
        let told = |f: &Finding| {
            matches!(f, Finding::LongChain { .. } | Finding::ClassifiedByMagnitude { .. } | Finding::CountMismatch { .. })
        };
        prop_assert!(!found.findings.iter().any(told), "{:?}", found.findings);
        prop_assert_eq!(found.eigenpairs.len(), finite);
        prop_assert_eq!(found.counts.found.infinite, size - finite);
        for pair in &found.eigenpairs {
            let s = pair.value().unwrap();
            let far = (1..=finite).map(|i| (s + i as f64).norm()).fold(f64::INFINITY, f64::min);
            prop_assert!(far <= pair.error_bound, "{s}, bound {:e}", pair.error_bound);
        }
    }
}

#[test]
fn constraint_rows_may_have_any_sign_and_unit() {
    let (n, m) = (24, 4);
    let known = pair(Kind::Damped, n, m, 3);
    let mut a = mb_algebra::to_dense(&known.a);
    for j in 0..n {
        a[(2 * n, j)] *= -1.0;
        a[(2 * n + 1, j)] *= 8.0;
    }
    let pencil = DescriptorPencil { e: known.e.clone(), a: mb_algebra::to_sparse(&a) };
    let asked = SparseOptions { left_vectors: true, ..krylov() };
    let request = Request::Lowest { count: 4 };
    let found = solve_descriptor(&pencil, &request, &asked).unwrap();
    let form = solve_descriptor(&known, &request, &asked).unwrap();
    assert_eq!(found.counts, form.counts);
    assert_contained(&found.eigenpairs, &form.eigenpairs, "signs");
    let transposed = DescriptorPencil { e: sparse::transpose(&pencil.e), a: sparse::transpose(&pencil.a) };
    for pair in &found.eigenpairs {
        let s = pair.value().unwrap();
        assert!(residual(&pencil, s, &pair.right) < 1e-12, "{s}");
        assert!(residual(&transposed, s.conj(), &pair.left) < 1e-10, "{s}");
    }
}

#[test]
fn a_large_pair_is_counted_by_its_zero_rows() {
    // Decaying states with one algebraic state each: x_i' = -(i + 1) x_i - z_i, 0 = z_i - 2 x_i, hence s = -(i + 3).
    let states = 600;
    let e: Vec<f64> = (0..2 * states).map(|i| if i < states { 1.0 } else { 0.0 }).collect();
    let mut a = mb_algebra::Triplets::new(2 * states, 2 * states);
    for i in 0..states {
        a.add(i, i, -((i + 1) as f64));
        a.add(i, states + i, -1.0);
        a.add(states + i, i, -2.0);
        a.add(states + i, states + i, 1.0);
    }
    let pencil = DescriptorPencil { e: sparse::diagonal(&e), a: a.to_sparse() };
    let found = solve_descriptor(&pencil, &Request::Lowest { count: 4 }, &krylov()).unwrap();
    let expected = ExpectedCounts { motion: states, infinite: states, ..ExpectedCounts::default() };
    assert_eq!(found.counts.expected, expected);
    for (i, pair) in found.eigenpairs.iter().enumerate() {
        let error = (pair.value().unwrap() + (i + 3) as f64).norm();
        assert!(error <= pair.error_bound && error < 1e-9, "{i}: {error:e}");
    }
}

/// A free mass and two on springs, in another order and in units of their own: the chain of zeros does not come out a third time.
#[test]
fn a_chain_of_zeros_in_a_hidden_mechanism_has_two_eigenvalues() {
    let diagonal = |d: &[f64]| mb_algebra::dense::diagonal(d);
    for rate in [1.0, 1e5] {
        let pencil = mb_algebra::QuadraticPencil {
            m: diagonal(&[3.0, 1.0, 2.0]),
            c: mb_algebra::dense::zeros(3, 3),
            k: diagonal(&[0.0, 4.0 * rate * rate, 18.0 * rate * rate]),
            phi_q: mb_algebra::dense::zeros(0, 3),
        };
        let known = pencil.to_descriptor(Transferred::default()).to_sparse();
        let mixed = |a: &Sparse| {
            let dense = mb_algebra::to_dense(a);
            let unit = |i: usize| f64::from([3_i32, -9, 0, 7, -4, 10][i % 6]).exp2();
            let entry =
                |i: usize, j: usize| dense[((i * 5 + 2) % 6, (j * 5 + 4) % 6)] * unit(i) * unit(j + 3);
            mb_algebra::to_sparse(&mb_algebra::Dense::from_fn(6, 6, entry))
        };
        let pair = DescriptorPencil { e: mixed(&known.e), a: mixed(&known.a) };
        for options in [krylov(), SparseOptions::default()] {
            let found = solve_descriptor(&pair, &Request::Lowest { count: 6 }, &options).unwrap();
            let values: Vec<c64> = found.motion_values();
            let exact = [0.0, 0.0, 2.0, -2.0, 3.0, -3.0].map(|w| c64::new(0.0, w * rate));
            assert!(values.len() == 6, "{rate}: {values:?} {:?}", found.findings);
            for (i, j, distance) in mb_eigen::pairing::match_values(&values, &exact) {
                let bound = found.eigenpairs[i].error_bound;
                assert!(distance <= bound + 1e-14 * exact[j].norm(), "{rate}: {values:?}, bound {bound:e}");
            }
        }
    }
}

/// Masses in a row, free to drift, with dampers between: a double zero and oscillations, in an order and units that hide the form.
#[test]
fn a_hidden_body_that_drifts_has_a_double_zero() {
    for (n, damping) in [(2, 0.0), (2, 1.0), (3, 0.25)] {
        let k = mb_algebra::Dense::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 if i == 0 || i + 1 == n => 3.0,
            0 => 6.0,
            1 => -3.0,
            _ => 0.0,
        });
        let c = mb_algebra::dense::scale(damping, &k);
        let m = mb_algebra::dense::identity(n);
        let pencil = mb_algebra::QuadraticPencil { m, c, k, phi_q: mb_algebra::Dense::zeros(0, n) };
        let known = pencil.to_descriptor(Transferred::default());
        let size = 2 * n;
        let mixed = |a: &mb_algebra::Dense| {
            let unit = |i: usize| f64::exp2(((7 * i) % 11) as f64 - 5.0);
            let entry = |i: usize, j: usize| a[((i + 3) % size, (j + 1) % size)] * unit(i) * unit(j + 4);
            mb_algebra::to_sparse(&mb_algebra::Dense::from_fn(size, size, entry))
        };
        let hidden = DescriptorPencil { e: mixed(&known.e), a: mixed(&known.a) };
        let found = solve_descriptor(&hidden, &Request::Lowest { count: 2 }, &krylov()).unwrap();
        let what = format!("n = {n}, damping {damping}: {:?}", found.findings);
        let rigid: Vec<_> = found.of_class(Class::Rigid).collect();
        assert!(rigid.len() == 2 && rigid.iter().all(|pair| pair.chain == 2), "{what}");
        let all: Vec<_> = exact(&pencil.to_sparse()).motion().cloned().collect();
        assert_contained(&found.eigenpairs, &all, &what);
        assert!(found.eigenpairs.len() > 2, "{what}");
    }
}
