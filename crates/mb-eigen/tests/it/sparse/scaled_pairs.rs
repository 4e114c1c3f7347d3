//! Descriptor pairs with rows and columns in units of their own and in any order: eigenvalues, counts and proofs are those of the pair before.
//!
//! Powers of two round nothing, so that both pairs have the same eigenvalues to the last bit.

use mb_algebra::{
    Dense, DescriptorPencil, QuadraticPencil, Sparse, Transferred, c64, dense, norms, sparse, to_sparse,
};
use mb_eigen::sparse::{Request, SparseOptions, solve_descriptor};
use mb_eigen::{Class, EigenError, Spectrum};

use super::agreement::{assert_contained, krylov};
use super::random::{KINDS, Kind, Numbers, problem};

/// R A S with powers of two up to 2^spread and down to its inverse, rows and columns in other orders.
fn hidden(pencil: &DescriptorPencil<Sparse>, spread: i32, seed: u64) -> DescriptorPencil<Sparse> {
    let size = pencil.e.rows();
    let mut numbers = Numbers::new(seed);
    let mut unit = || (f64::from(spread) * numbers.next()).round().exp2();
    let [rows, columns]: [Vec<f64>; 2] = [(); 2].map(|()| (0..size).map(|_| unit()).collect());
    // Orders with steps that are prime and larger than any size here.
    let order = |i: usize, step: usize| (i * step + 5) % size;
    let mixed = |a: &Sparse| {
        let a = mb_algebra::to_dense(a);
        to_sparse(&Dense::from_fn(size, size, |i, j| {
            let (p, q) = (order(i, 101), order(j, 103));
            rows[p] * a[(p, q)] * columns[q]
        }))
    };
    DescriptorPencil { e: mixed(&pencil.e), a: mixed(&pencil.a) }
}

/// |s E y - A y| by components over their terms, the largest.
fn residual(pencil: &DescriptorPencil<Sparse>, s: c64, y: &[c64]) -> f64 {
    let (e, a) = (sparse::matvec_complex(&pencil.e, y), sparse::matvec_complex(&pencil.a, y));
    let rest: Vec<c64> = e.iter().zip(&a).map(|(e, a)| s * e - a).collect();
    let size = s.norm() * norms::frobenius(&pencil.e) + norms::frobenius(&pencil.a);
    norms::two_complex(&rest) / (size * norms::two_complex(y))
}

fn is_proved(spectrum: &Spectrum) -> bool {
    spectrum.completeness().any(mb_eigen::sparse::Completeness::is_complete)
}

#[test]
fn a_mechanism_is_found_in_any_order_and_units() {
    let (n, m) = (24, 4);
    for kind in KINDS.into_iter().filter(|kind| *kind != Kind::SingularMass) {
        let known = problem(kind, n, m, 3).to_dense().to_descriptor(Transferred::default()).to_sparse();
        for (spread, seed) in [(8, 1), (15, 2), (30, 3)] {
            let what = format!("{kind:?}, 2^{spread}");
            let pair = hidden(&known, spread, seed);
            let options = SparseOptions { left_vectors: true, ..krylov() };
            let transposed =
                DescriptorPencil { e: sparse::transpose(&pair.e), a: sparse::transpose(&pair.a) };
            let requests = [
                Request::Lowest { count: 5 },
                Request::Largest { count: 2 },
                Request::NearPoint { s: c64::new(-0.5, 60.0), count: 3 },
                Request::All,
            ];
            for request in requests {
                let before = solve_descriptor(&known, &request, &options).unwrap();
                let found = solve_descriptor(&pair, &request, &options).unwrap();
                assert_eq!(found.counts, before.counts, "{what} {request:?}");
                assert_contained(&found.eigenpairs, &before.eigenpairs, &what);
                assert_eq!(is_proved(&found), is_proved(&before), "{what} {request:?}: {:?}", found.findings);
                for found in &found.eigenpairs {
                    let s = found.value().unwrap();
                    assert!(residual(&pair, s, &found.right) < 1e-12, "{what}: {s}");
                    assert!(residual(&transposed, s.conj(), &found.left) < 1e-10, "{what}: {s}");
                }
            }
        }
    }
}

/// Consistent masses, two constraints with the same coordinates, and a coordinate that nothing but a constraint holds to the others.
#[test]
fn masses_that_are_coupled_and_constraints_alike_are_told_apart() {
    let m = dense::from_rows(&[
        &[4.0, 1.0, 0.0, 0.0],
        &[1.0, 4.0, 1.0, 0.0],
        &[0.0, 1.0, 2.0, 0.0],
        &[0.0, 0.0, 0.0, 3.0],
    ]);
    let k = dense::from_rows(&[
        &[9.0, -4.0, 0.0, 0.0],
        &[-4.0, 8.0, -4.0, 0.0],
        &[0.0, -4.0, 5.0, 0.0],
        &[0.0, 0.0, 0.0, 0.0],
    ]);
    let phi_q = dense::from_rows(&[&[1.0, 0.0, 2.0, -1.0], &[1.0, 0.0, -3.0, 1.0]]);
    let pencil = QuadraticPencil { m, c: dense::zeros(4, 4), k, phi_q };
    let known = pencil.to_descriptor(Transferred::default()).to_sparse();
    let before = solve_descriptor(&known, &Request::All, &SparseOptions::default()).unwrap();
    for seed in 0..20 {
        let pair = hidden(&known, 25, seed);
        let found = solve_descriptor(&pair, &Request::All, &SparseOptions::default()).unwrap();
        assert_eq!(found.counts, before.counts, "{seed}");
        assert_contained(&found.eigenpairs, &before.eigenpairs, "alike");
    }
}

/// Constraints on velocities, of index 2: s^2 + 2 s + 5 for two equal masses that move as one, a zero for what the velocities do not hold.
#[test]
fn constraints_on_velocities_are_counted_in_any_units() {
    let one = dense::identity(2);
    let none = dense::zeros(2, 2);
    let g = dense::from_rows(&[&[1.0, -1.0]]);
    let e = dense::vstack(&[
        &dense::hstack(&[&one, &none, &dense::zeros(2, 1)]),
        &dense::hstack(&[&none, &one, &dense::zeros(2, 1)]),
        &dense::zeros(1, 5),
    ]);
    let a = dense::vstack(&[
        &dense::hstack(&[&none, &one, &dense::zeros(2, 1)]),
        &dense::hstack(&[&dense::scale(-5.0, &one), &dense::scale(-2.0, &one), &dense::transpose(&g)]),
        &dense::hstack(&[&dense::zeros(1, 2), &g, &dense::zeros(1, 1)]),
    ]);
    let known = DescriptorPencil { e: to_sparse(&e), a: to_sparse(&a) };
    for (spread, seed) in [(0, 0), (8, 1), (20, 2), (30, 3), (30, 4)] {
        let found = solve_descriptor(&hidden(&known, spread, seed), &Request::All, &SparseOptions::default())
            .unwrap();
        let what = format!("2^{spread}, {seed}: {:?}", found.findings);
        assert_eq!((found.counts.found.infinite, found.counts.found.indeterminate), (2, 0), "{what}");
        let exact = [c64::new(-1.0, 2.0), c64::new(-1.0, -2.0), c64::new(0.0, 0.0)];
        let values = found.motion_values();
        assert_eq!(values.len(), 3, "{what}");
        for (i, j, distance) in mb_eigen::pairing::match_values(&values, &exact) {
            assert!(
                distance <= found.eigenpairs[i].error_bound + 1e-14 * exact[j].norm(),
                "{what}: {values:?}"
            );
        }
    }
}

/// Of a pair whose algebraic equations are no constraints of a mechanism the message speaks of E, and of no mass.
#[test]
fn largest_of_a_singular_pair_are_refused_for_what_they_are() {
    let states = 300;
    let e: Vec<f64> = (0..2 * states).map(|i| if i < states { 1.0 } else { 0.0 }).collect();
    let mut a = Dense::zeros(2 * states, 2 * states);
    for i in 0..states {
        (a[(i, i)], a[(i, states + i)]) = (-((i + 1) as f64), -1.0);
        (a[(states + i, i)], a[(states + i, states + i)]) = (-2.0, 1.0);
    }
    let known = DescriptorPencil { e: sparse::diagonal(&e), a: to_sparse(&a) };
    for pair in [hidden(&known, 15, 4), known] {
        let error = solve_descriptor(&pair, &Request::Largest { count: 2 }, &krylov()).unwrap_err();
        assert!(matches!(error, EigenError::NoLargest { matrix: "E", .. }), "{error}");
        assert!(!error.to_string().contains("mass"), "{error}");
        // x_i' = -(i + 1) x_i - z_i, 0 = z_i - 2 x_i.
        let found = solve_descriptor(&pair, &Request::Lowest { count: 3 }, &krylov()).unwrap();
        assert!(is_proved(&found), "{:?}", found.findings);
        for (i, pair) in found.eigenpairs.iter().enumerate() {
            let error = (pair.value().unwrap() + (i + 3) as f64).norm();
            assert!(pair.class == Class::Physical && error <= pair.error_bound, "{i}: {error:e}");
        }
    }
}
