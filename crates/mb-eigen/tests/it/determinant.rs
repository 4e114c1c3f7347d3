//! Counts against the exact determinant of integer problems.
//!
//! det [s^2 M + s C + K, Phi_q^T; Phi_q, 0] is a polynomial with integer coefficients: its degree is the number of finite
//! eigenvalues, its order at zero the number of zeros, and if it vanishes the pencil is singular.

use mb_algebra::{Dense, QuadraticPencil};
use mb_eigen::{DenseOptions, Finding};
use proptest::prelude::*;

type Polynomial = Vec<i64>;

fn times(a: &[i64], b: &[i64]) -> Polynomial {
    let mut out = vec![0; (a.len() + b.len()).saturating_sub(1)];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] += x * y;
        }
    }
    out
}

/// Expansion along the first row.
fn determinant(rows: &[Vec<Polynomial>]) -> Polynomial {
    let Some((first, rest)) = rows.split_first() else { return vec![1] };
    let mut out: Polynomial = Vec::new();
    for (j, entry) in first.iter().enumerate() {
        let minor: Vec<Vec<Polynomial>> = rest
            .iter()
            .map(|row| row.iter().enumerate().filter(|(k, _)| *k != j).map(|(_, p)| p.clone()).collect())
            .collect();
        let term = times(entry, &determinant(&minor));
        out.resize(out.len().max(term.len()), 0);
        let sign = if j % 2 == 0 { 1 } else { -1 };
        for (o, t) in out.iter_mut().zip(term) {
            *o += sign * t;
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn finite_zero_and_infinite_eigenvalues_are_counted_right(
        n in 1..5_usize,
        m in 0..3_usize,
        entries in prop::collection::vec(prop_oneof![2 => Just(0_i8), 3 => -2..3_i8], 64),
        symmetric in any::<bool>(),
    ) {
        let m = m.min(n - 1);
        let entry = |at: usize, i: usize, j: usize| i64::from(entries[16 * at + 4 * i + j]);
        let square = |at: usize, i: usize, j: usize| {
            if symmetric { entry(at, i.max(j), i.min(j)) } else { entry(at, i, j) }
        };
        let dense = |at: usize| Dense::from_fn(n, n, |i, j| square(at, i, j) as f64);
        let phi_q = Dense::from_fn(m, n, |i, j| entry(3, i, j) as f64);
        let p = QuadraticPencil { m: dense(0), c: dense(1), k: dense(2), phi_q };
        let spectrum = mb_eigen::dense::solve(&p, &DenseOptions::default()).unwrap();
        prop_assume!(spectrum.counts.rank == m);
        let rows: Vec<Vec<Polynomial>> = (0..n + m)
            .map(|i| {
                (0..n + m)
                    .map(|j| match (i < n, j < n) {
                        (true, true) => vec![square(2, i, j), square(1, i, j), square(0, i, j)],
                        (true, false) => vec![entry(3, j - n, i)],
                        (false, true) => vec![entry(3, i - n, j)],
                        (false, false) => vec![0],
                    })
                    .collect()
            })
            .collect();
        let polynomial = determinant(&rows);
        let found = spectrum.counts.found;
        let findings = &spectrum.findings;
        let Some(degree) = polynomial.iter().rposition(|&c| c != 0) else {
            let told = found.indeterminate > 0
                || findings.iter().any(|f| matches!(f, Finding::LongChain { .. } | Finding::SingularPencil { .. }));
            prop_assert!(told, "singular, but {found:?} {findings:?}");
            return Ok(());
        };
        let zeros = polynomial.iter().take_while(|&&c| c == 0).count();
        prop_assert_eq!(found.motion(), degree, "{:?}", findings);
        prop_assert_eq!(found.infinite, 2 * (n - m) - degree);
        prop_assert_eq!(found.indeterminate, 0);
        prop_assert!(spectrum.counts.mismatches().is_empty());
        // Chains at zero longer than two are reported, not followed: their eigenvalues are only near zero.
        if !findings.contains(&Finding::LongChain { at_infinity: false }) {
            prop_assert_eq!(found.rigid, zeros, "{:?} {:?}", polynomial, findings);
        }
    }
}
