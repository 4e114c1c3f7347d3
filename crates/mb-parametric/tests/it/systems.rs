//! Systems to expand, and an independent way of solving them.

use mb_algebra::{Dense, GeneralEigen, Lu, QuadraticPencil, RankQr, RankTolerance, c64, dense};
use mb_parametric::{Completeness, MatrixSeries, MultiIndexSet, PencilSeries, StartingEigenpair};
use proptest::prelude::*;

/// A pencil from its terms (multi-index, matrix), which are all there is.
pub(crate) fn polynomial(
    parameters: usize,
    degree: usize,
    terms: &QuadraticPencil<Vec<(Vec<u8>, Dense)>>,
) -> PencilSeries {
    let set = MultiIndexSet::total(parameters, degree).unwrap();
    let series = |terms: &[(Vec<u8>, Dense)]| {
        let (rows, cols) = terms[0].1.shape();
        let list: Vec<(&[u8], &Dense)> = terms.iter().map(|(sigma, a)| (sigma.as_slice(), a)).collect();
        MatrixSeries::from_terms(set.clone(), rows, cols, &list).unwrap()
    };
    let matrices = QuadraticPencil {
        m: series(&terms.m),
        c: series(&terms.c),
        k: series(&terms.k),
        phi_q: series(&terms.phi_q),
    };
    PencilSeries::new(matrices, Completeness::Polynomial).unwrap()
}

/// No constraints on `n` unknowns, for a set of `p` parameters.
pub(crate) fn free(n: usize, p: usize) -> Vec<(Vec<u8>, Dense)> {
    vec![(vec![0; p], Dense::zeros(0, n))]
}

/// All finite eigenpairs by another route: null space of Phi_q, then the companion matrix.
/// Needs a regular reduced mass matrix.
pub(crate) fn solve(p: &QuadraticPencil<Dense>) -> Vec<StartingEigenpair> {
    let n = p.m.nrows();
    let r = if p.phi_q.nrows() == 0 {
        dense::identity(n)
    } else {
        RankQr::new(&p.phi_q, RankTolerance::default()).unwrap().null_space()
    };
    let dof = r.ncols();
    let reduced = |a: &Dense| dense::mul_transpose(&r, &dense::mul(a, &r));
    let mass = Lu::new(&reduced(&p.m)).unwrap();
    let (minus_k, minus_c) = (mass.solve_mat(&reduced(&p.k)), mass.solve_mat(&reduced(&p.c)));
    let companion = Dense::from_fn(2 * dof, 2 * dof, |i, j| match (i < dof, j < dof) {
        (true, true) => 0.0,
        (true, false) => f64::from(u8::from(j == i + dof)),
        (false, true) => -minus_k[(i - dof, j)],
        (false, false) => -minus_c[(i - dof, j - dof)],
    });
    let eigen = GeneralEigen::new(&companion, false).unwrap();
    let pair = |(k, &s): (usize, &c64)| {
        let eta = &eigen.right.col_as_slice(k)[..dof];
        StartingEigenpair { s, vector: dense::matvec_complex(&r, eta) }
    };
    eigen.values.iter().enumerate().map(pair).collect()
}

/// The eigenvalue of `p` nearest to `s`.
pub(crate) fn nearest(p: &QuadraticPencil<Dense>, s: c64) -> c64 {
    let distance = |a: &c64| (a - s).norm();
    solve(p).into_iter().map(|pair| pair.s).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap()
}

/// Random unsymmetric systems of 4 unknowns in 2 parameters, of degree 2, with one constraint
/// that moves with the parameters. Mass and stiffness are dominated by their diagonals.
pub(crate) fn random_system() -> impl Strategy<Value = PencilSeries> {
    prop::collection::vec(-1.0..1.0_f64, 4 * 6 * 16).prop_map(|numbers| {
        let set = MultiIndexSet::total(2, 2).unwrap();
        let terms = |which: usize, rows: usize, diagonal: [f64; 4], size: f64| -> Vec<(Vec<u8>, Dense)> {
            let entry = |term: usize, i: usize, j: usize| {
                let x = size * numbers[(which * 6 + term) * 16 + 4 * i + j];
                if term == 0 && i == j { x + diagonal[i] } else { x }
            };
            let list = set.iter().enumerate();
            list.map(|(term, sigma)| (sigma.to_vec(), Dense::from_fn(rows, 4, |i, j| entry(term, i, j))))
                .collect()
        };
        let all = QuadraticPencil {
            m: terms(0, 4, [2.0, 3.0, 1.0, 2.0], 0.2),
            c: terms(1, 4, [0.1, 0.2, 0.1, 0.3], 0.2),
            k: terms(2, 4, [2.0, 10.0, 9.0, 30.0], 0.6),
            phi_q: terms(3, 1, [1.0, 0.0, 0.0, 0.0], 0.4),
        };
        polynomial(2, 2, &all)
    })
}
