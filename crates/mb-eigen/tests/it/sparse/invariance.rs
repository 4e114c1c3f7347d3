//! Eigenvalues do not depend on how the same problem is written down.

use mb_algebra::{Dense, QuadraticPencil, Sparse, c64, dense, norms, to_dense, to_sparse};
use mb_eigen::direct::{self, DirectOptions};
use mb_eigen::sparse::{Request, solve};
use mb_eigen::{Eigenpair, pairing};
use proptest::prelude::*;

use super::agreement::krylov;
use super::random::{KINDS, problem};

const COUNT: usize = 5;

fn by_krylov(pencil: &QuadraticPencil<Sparse>) -> Vec<Eigenpair> {
    solve(pencil, &Request::Lowest { count: COUNT }, &krylov()).unwrap().eigenpairs
}

fn by_direct(pencil: &QuadraticPencil<Sparse>) -> Vec<Eigenpair> {
    direct::solve(pencil, COUNT, &DirectOptions::default()).unwrap().spectrum.eigenpairs
}

/// Equal eigenvalues within both bounds, and shapes that are the same once `back` has brought one to the other.
fn assert_same(
    a: &[Eigenpair],
    b: &[Eigenpair],
    back: &dyn Fn(&[c64]) -> Vec<c64>,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.len(), b.len());
    for (i, j, distance) in pairing::match_spectra(a, b) {
        let (s, bound) = (a[i].value().unwrap(), a[i].error_bound + b[j].error_bound);
        prop_assert!(distance <= bound, "{s}: {distance:e}, bounds {bound:e}");
        prop_assert_eq!(a[i].class, b[j].class);
        let alone = a.iter().all(|o| {
            let apart = (o.value().unwrap() - s).norm();
            apart == 0.0 || apart > 1e-3 * s.norm()
        });
        if alone && s.im != 0.0 {
            let mac = pairing::mac(&a[i].right, &back(&b[j].right));
            prop_assert!(mac > 1.0 - 1e-8, "{s}: MAC {mac}");
        }
    }
    Ok(())
}

fn permuted(pencil: &QuadraticPencil<Sparse>, order: &[usize]) -> QuadraticPencil<Sparse> {
    let both = |a: &Sparse| {
        let a = to_dense(a);
        to_sparse(&Dense::from_fn(a.nrows(), a.ncols(), |i, j| a[(order[i], order[j])]))
    };
    let phi = to_dense(&pencil.phi_q);
    let phi = Dense::from_fn(phi.nrows(), phi.ncols(), |i, j| phi[(i, order[j])]);
    QuadraticPencil { m: both(&pencil.m), c: both(&pencil.c), k: both(&pencil.k), phi_q: to_sparse(&phi) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rows_of_the_constraints_may_have_any_length(
        kind in 0..KINDS.len(),
        seed in 1..50_u64,
        lengths in prop::collection::vec(-6.0..6.0_f64, 4),
    ) {
        let pencil = problem(KINDS[kind], 24, 4, seed);
        let phi = to_dense(&pencil.phi_q);
        let scaled = Dense::from_fn(4, 24, |i, j| 10_f64.powf(lengths[i]) * phi[(i, j)]);
        let scaled = QuadraticPencil { phi_q: to_sparse(&scaled), ..pencil.clone() };
        let same = |x: &[c64]| x.to_vec();
        let (a, b) = (by_krylov(&pencil), by_krylov(&scaled));
        assert_same(&a, &b, &same)?;
        // Multipliers carry the inverse scale: the reaction Phi_q^T l is the same.
        for (i, j, _) in pairing::match_spectra(&a, &b) {
            let turn = a[i].right.iter().zip(&b[j].right).map(|(a, b)| b.conj() * a).sum::<c64>();
            if (turn.norm() - 1.0).abs() > 1e-8 {
                continue;
            }
            let size = norms::two_complex(&a[i].multipliers);
            for row in 0..4 {
                let back = b[j].multipliers[row] * turn * 10_f64.powf(lengths[row]);
                let apart = (back - a[i].multipliers[row]).norm();
                prop_assert!(apart <= 1e-6 * size + 1e-6, "row {row}: {apart:e} of {size:e}");
            }
        }
    }

    #[test]
    fn the_basis_of_the_multipliers_does_not_matter(
        kind in 0..KINDS.len(),
        seed in 1..50_u64,
        mix in prop::collection::vec(-1.0..1.0_f64, 16),
    ) {
        let pencil = problem(KINDS[kind], 24, 4, seed);
        let turn = Dense::from_fn(4, 4, |i, j| mix[4 * i + j] + if i == j { 3.0 } else { 0.0 });
        let mixed = dense::mul(&turn, &to_dense(&pencil.phi_q));
        let mixed = QuadraticPencil { phi_q: to_sparse(&mixed), ..pencil.clone() };
        let same = |x: &[c64]| x.to_vec();
        assert_same(&by_krylov(&pencil), &by_krylov(&mixed), &same)?;
        assert_same(&by_krylov(&pencil), &by_direct(&mixed), &same)?;
    }

    #[test]
    fn the_order_of_the_unknowns_does_not_matter(
        kind in 0..KINDS.len(),
        seed in 1..50_u64,
        order in Just((0..24_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let pencil = problem(KINDS[kind], 24, 4, seed);
        let shuffled = permuted(&pencil, &order);
        let back = |x: &[c64]| {
            let mut out = x.to_vec();
            order.iter().zip(x).for_each(|(&to, x)| out[to] = *x);
            out
        };
        assert_same(&by_krylov(&pencil), &by_krylov(&shuffled), &back)?;
        assert_same(&by_direct(&pencil), &by_direct(&shuffled), &back)?;
    }
}
