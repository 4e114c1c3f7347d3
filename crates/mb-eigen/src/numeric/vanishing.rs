//! What counts as zero: one rule for stiffness and mass, dense and sparse.
//!
//! ```text
//! x is in the null space of A    iff   |A x|_i <= tol (|A| |x|)_i for every i
//!                                 or    |x^T A x| <= 16 u |x|^T |A| |x|, A symmetric, x an eigenvector far below the others
//! A has no null space            if    D A D - c I = L L^T succeeds,   c = gamma_(n+1) tr(D A D) + doubt
//! ```
//!
//! The first is what rounding of each entry of A, and of x, can do to A x (Oettli and Prager, Numer. Math. 6, 1964). No norm of A
//! appears in it: it says the same in all units, and of a slender beam, a stiff link and a small mass. A component
//! that is rounding of x itself is held against the largest components instead (Arioli, Demmel and Duff, SIAM
//! J. Matrix Anal. 10, 1989, section 2, omega_2). The second is what rounding of the entries can do to the eigenvalue: what stiff
//! directions lose to it bends soft ones, whose own entries are smaller. The third proves A positive definite, rounding of the factorization
//! included (Rump, BIT 46, 2006, Theorem 2.3; gamma_k = k u / (1 - k u)); D equilibrates. Sizes: A n x n.

use mb_algebra::{Cholesky, Dense, Sparse, SparseCholesky, dense, sparse};

use super::equilibrated;
use crate::tuning;

/// The same where x and A x are known in double-double precision on directions that are rounded: less than the smallest
/// change of an entry that can be written.
pub(crate) const NOTHING_DOUBLED: f64 = f64::EPSILON / 16.0;

/// The largest |A x|_i / (|A| |x|)_i: the relative change of the entries of A that makes x a null vector.
///
/// `rest`: A x; `terms`: |A| |x|; `rows`: the largest entry of each row of A times the largest component of x, in coordinates of one
/// size; `nothing`: a component this small compared with the largest entry of its row times the largest
/// component of x is rounding of x, whatever stands in |A| |x| (Arioli, Demmel and Duff): [`tuning::SUM_ROUNDINGS`],
/// [`NOTHING_DOUBLED`] or half the digits below a unit roundoff.
pub(crate) fn departure(rest: &[f64], terms: &[f64], rows: &[f64], nothing: f64) -> f64 {
    let of = |((rest, terms), row): ((&f64, &f64), &f64)| {
        if rest.abs() <= nothing * row { 0.0 } else { rest.abs() / terms.max(f64::MIN_POSITIVE) }
    };
    rest.iter().zip(terms).zip(rows).map(of).fold(0.0, f64::max)
}

/// Whether an equilibrated symmetric matrix is positive definite whatever rounding did: that of its factorization, and errors of
/// its entries with a 2-norm of at most `doubt`.
pub(crate) fn is_definite(a: &Dense, doubt: f64) -> bool {
    let n = a.nrows();
    let positive = (0..n).all(|i| a[(i, i)] > 0.0);
    if !positive || dense::is_symmetric(a, tuning::SYMMETRY).is_err() {
        return false;
    }
    let trace: f64 = (0..n).map(|i| a[(i, i)]).sum();
    // Two more than in the theorem: rounding of the trace and of the subtraction.
    let unit = (n + 3) as f64 * 0.5 * f64::EPSILON;
    let c = unit / (1.0 - unit) * trace + doubt;
    let mut moved = a.clone();
    for i in 0..n {
        moved[(i, i)] -= c;
    }
    Cholesky::new(&moved).is_ok()
}

/// The diagonal D that brings the entries of a square matrix to one size.
pub(crate) fn scales(a: &Sparse) -> Vec<f64> {
    let diagonal: Vec<f64> = (0..a.rows()).map(|i| a.get(i, i).copied().unwrap_or(0.0).abs()).collect();
    let largest = |d: &[f64]| {
        let mut out = vec![0.0_f64; d.len()];
        for (v, (i, j)) in a {
            let size = v.abs() * d[i] * d[j];
            out[i] = out[i].max(size);
            out[j] = out[j].max(size);
        }
        out
    };
    equilibrated::scales(&diagonal, largest)
}

/// The diagonals that bring the entries of any square matrix to one size from both sides.
pub(crate) fn scales_apart(a: &Sparse) -> [Vec<f64>; 2] {
    equilibrated::scales_apart([a.rows(), a.cols()], |rows, columns| {
        let (mut of_rows, mut of_columns) = (vec![0.0_f64; a.rows()], vec![0.0_f64; a.cols()]);
        for (v, (i, j)) in a {
            let size = v.abs() * rows[i] * columns[j];
            (of_rows[i], of_columns[j]) = (of_rows[i].max(size), of_columns[j].max(size));
        }
        [of_rows, of_columns]
    })
}

/// Whether a symmetric matrix K is positive definite on the null space of Phi whatever rounding did, by
///
/// ```text
/// x^T K x = x^T (K + G) x   for Phi x = 0,   G = Phi^T Phi with rows as large as the entries of K they meet
/// ```
///
/// `doubt` in units of one: the error of forming and of equilibrating K + G, 4 u sum_j |K + G|_ij. With G singular values of K on
/// other directions do not count. Sizes: K n x n, Phi r x n.
pub(crate) fn is_definite_on(k: &Sparse, phi: &Sparse) -> bool {
    is_above(k, phi, 1.0)
}

/// Whether a symmetric matrix has no negative eigenvalue on the null space of Phi beyond what rounding of its factorization and of its
/// entries makes. Sizes as in [`is_definite_on`].
pub(crate) fn is_semidefinite_on(a: &Sparse, phi: &Sparse) -> bool {
    let diagonal = || a.iter().all(|(v, (i, j))| if i == j { *v >= 0.0 } else { *v == 0.0 });
    diagonal() || is_above(a, phi, -1.0)
}

/// Whether K + G - sign c I has a Cholesky factorization, equilibrated, with the c of [`is_definite_on`].
fn is_above(k: &Sparse, phi: &Sparse, sign: f64) -> bool {
    let n = k.rows();
    let d = scales(k);
    let even = |a: &Sparse, rows: &dyn Fn(usize) -> f64| {
        let mut a = a.to_csr();
        for (i, mut row) in a.outer_iterator_mut().enumerate() {
            row.iter_mut().for_each(|(j, v)| *v *= rows(i) * d[j]);
        }
        a
    };
    let mut whole = even(k, &|i| d[i]);
    let mut size = whole.map(|v| v.abs());
    if phi.nnz() > 0 {
        let reactions = even(phi, &|_| 1.0);
        let lengths: Vec<f64> = reactions
            .outer_iterator()
            .map(|row| row.iter().fold(0.0_f64, |s, (_, v)| s.max(v.abs())))
            .collect();
        let unit = |i: usize| if lengths[i] > 0.0 { (-lengths[i].log2()).round().exp2() } else { 1.0 };
        let reactions = even(phi, &unit);
        let magnitudes = reactions.map(|v| v.abs());
        let gram = |a: &Sparse| sparse::mul(&sparse::transpose(a).to_csr(), a);
        (whole, size) = (
            sparse::add(1.0, &whole, 1.0, &gram(&reactions)),
            sparse::add(1.0, &size, 1.0, &gram(&magnitudes)),
        );
    }
    let sums = sparse::matvec(&size, &vec![1.0; n]);
    let doubt = 2.0 * f64::EPSILON * sums.into_iter().fold(0.0, f64::max);
    let trace: f64 = (0..n).map(|i| whole.get(i, i).copied().unwrap_or(0.0)).sum();
    let unit = (n + 3) as f64 * 0.5 * f64::EPSILON;
    let c = unit / (1.0 - unit) * trace + doubt;
    let moved = sparse::add(1.0, &whole, -sign * c, &sparse::identity(n));
    SparseCholesky::new(&moved).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::to_sparse;

    /// A chain of `n` unit masses in units of u^i for coordinate i, on a spring of stiffness `ground`.
    fn chain(n: usize, unit: f64, ground: f64) -> Dense {
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 if i == 0 => 1.0 + ground,
            0 if i + 1 == n => 1.0,
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        Dense::from_fn(n, n, |i, j| unit.powf((i + j) as f64) * entry(i, j))
    }

    #[test]
    fn a_chain_is_definite_in_all_units_unless_it_is_free() {
        for n in [2, 7, 20] {
            for unit in [1.0, 8.0, 0.125] {
                for (ground, held) in
                    [(1.0, true), (1e-6, true), (0.0, false), (-1e-6, false), (1e-17, false)]
                {
                    let a = chain(n, unit, ground);
                    let d: Vec<f64> = (0..n).map(|i| unit.powf(-(i as f64))).collect();
                    assert_eq!(is_definite(&equilibrated::scaled(&a, &d), 0.0), held, "{n} {unit} {ground}");
                    let none = sparse::zeros(0, n);
                    assert_eq!(is_definite_on(&to_sparse(&a), &none), held, "{n} {unit} {ground}");
                }
            }
        }
    }

    #[test]
    fn a_free_chain_held_by_a_row_is_definite_on_what_is_left() {
        let k = to_sparse(&chain(6, 4.0, 0.0));
        let row = |at: usize| to_sparse(&Dense::from_fn(1, 6, |_, j| if j == at { 1e-9 } else { 0.0 }));
        assert!(is_definite_on(&k, &row(0)) && is_definite_on(&k, &row(5)));
        // The rotation of two ends against each other holds no translation.
        let across = Dense::from_fn(1, 6, |_, j| {
            if j == 0 {
                1.0
            } else if j == 5 {
                -4.0_f64.powi(5)
            } else {
                0.0
            }
        });
        assert!(!is_definite_on(&k, &to_sparse(&across)));
    }

    #[test]
    fn what_rounding_does_is_measured_by_components() {
        // A stiff spring compared with a soft one: of 1e9 - 1e9 nothing is left, of 1e-9 - 0.9e-9 a tenth.
        assert!(departure(&[1e-8, 0.0], &[2e9, 2e-9], &[1e9, 1e-9], tuning::SUM_ROUNDINGS) < 1e-16);
        assert!(departure(&[1e-8, 1e-10], &[2e9, 2e-9], &[1e9, 1e-9], tuning::SUM_ROUNDINGS) > 1e-2);
        // What is multiplied by rounding of x is held against the largest components.
        assert!(departure(&[0.0, 1e-17], &[1.0, 1e-17], &[1.0, 1.0], tuning::SUM_ROUNDINGS) < 1e-15);
    }
}
