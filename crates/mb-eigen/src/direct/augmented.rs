//! The matrices with multipliers among the unknowns, scaled, shifted and enlarged.

use mb_algebra::{DescriptorPencil, Lu, QuadraticPencil, RankTolerance, Sparse, Svd, dense, sparse};

use crate::EigenError;
use crate::error::at;

/// M^, C^, K^ of yang2012, Eq. (2.6): (n + m) x (n + m), by columns.
///
/// Each step returns new matrices, so that all of them can be looked at.
#[derive(Clone, Debug)]
pub struct Augmented {
    /// \[M 0; 0 0\].
    pub m: Sparse,
    /// \[C 0; 0 0\].
    pub c: Sparse,
    /// \[K Phi_q^T; Phi_q 0\].
    pub k: Sparse,
    /// n.
    pub unknowns: usize,
    /// m.
    pub multipliers: usize,
}

impl Augmented {
    /// From M, C, K (n x n) and Phi_q (m x n).
    ///
    /// Errors: shapes that do not fit, entries that are not finite.
    pub fn new(pencil: &QuadraticPencil<Sparse>) -> Result<Self, EigenError> {
        let (n, m) = (pencil.m.rows(), pencil.phi_q.rows());
        if n == 0 {
            return Err(EigenError::Empty);
        }
        for (name, a, rows) in
            [("M", &pencil.m, n), ("C", &pencil.c, n), ("K", &pencil.k, n), ("Phi_q", &pencil.phi_q, m)]
        {
            crate::problem::matrix::check(name, a, rows, n)?;
        }
        let sizes = [n, m];
        let corner = |a: &Sparse| sparse::blocks(&[&[Some(a), None], &[None, None]], &sizes, &sizes);
        let transposed = sparse::transpose(&pencil.phi_q);
        let k = sparse::blocks(
            &[&[Some(&pencil.k), Some(&transposed)], &[Some(&pencil.phi_q), None]],
            &sizes,
            &sizes,
        );
        Ok(Self { m: corner(&pencil.m), c: corner(&pencil.c), k, unknowns: n, multipliers: m })
    }

    /// Constraints and multipliers times k; yang2012, Eq. (3.7). Eigenvalues and displacements stay, multipliers become
    /// l / k.
    pub fn scaled(&self, k: f64) -> Self {
        let mut out = self.clone();
        for (col, mut column) in out.k.outer_iterator_mut().enumerate() {
            for (row, value) in column.iter_mut() {
                if (row >= self.unknowns) != (col >= self.unknowns) {
                    *value *= k;
                }
            }
        }
        out
    }

    /// The problem in r_ = r - a, a in rad/s; yang2012, Eq. (2.8).
    pub fn shifted(&self, shift: f64) -> Self {
        let damped = sparse::add(shift * shift, &self.m, shift, &self.c);
        Self {
            m: self.m.clone(),
            c: sparse::add(2.0 * shift, &self.m, 1.0, &self.c),
            k: sparse::add(1.0, &damped, 1.0, &self.k),
            ..*self
        }
    }

    /// r E Y = A Y with E = \[-C -M; I 0\], A = \[K 0; 0 I\], 2 (n + m); yang2012, Eq. (2.9).
    pub fn state_space(&self) -> DescriptorPencil<Sparse> {
        let size = self.unknowns + self.multipliers;
        let (identity, sizes) = (sparse::identity(size), [size, size]);
        let (c, m) = (sparse::scale(-1.0, &self.c), sparse::scale(-1.0, &self.m));
        DescriptorPencil {
            e: sparse::blocks(&[&[Some(&c), Some(&m)], &[Some(&identity), None]], &sizes, &sizes),
            a: sparse::blocks(&[&[Some(&self.k), None], &[None, Some(&identity)]], &sizes, &sizes),
        }
    }

    /// Infinite eigenvalues of the form (2.9) that r independent constraints cause: 4 r.
    pub fn infinite_by_theory(rank: usize) -> usize {
        4 * rank
    }

    /// Infinite eigenvalues of the form (2.9), counted as zeros of T = A^-1 E: what T loses on its range, on the range of
    /// T there, and so on (their chains are of length four where M is regular). Dense, for at most a few hundred
    /// unknowns; K must be regular, so shift first.
    ///
    /// Errors: a singular K.
    pub fn count_infinite(&self) -> Result<usize, EigenError> {
        let step = "Counting infinite eigenvalues";
        let pencil = self.state_space().to_dense();
        let lu = Lu::new(&pencil.a).map_err(at(step))?;
        let mut t = lu.solve_mat(&pencil.e);
        let (size, tolerance) = (t.nrows(), RankTolerance { relative: 1e-12 });
        // T on its range, then on the range of that, until nothing more goes to zero.
        loop {
            let svd = Svd::new(&t).map_err(at(step))?;
            if svd.rank(tolerance).rank == t.nrows() {
                return Ok(size - t.nrows());
            }
            let range = svd.range(tolerance);
            t = dense::mul_transpose(&range, &dense::mul(&t, &range));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{c64, to_dense};

    fn pencil() -> QuadraticPencil<Sparse> {
        QuadraticPencil {
            m: dense::diagonal(&[2.0, 3.0, 1.0]),
            c: dense::from_rows(&[&[0.5, 0.2, 0.0], &[-0.2, 0.0, 0.0], &[0.0, 0.0, 0.1]]),
            k: dense::from_rows(&[&[5.0, -1.0, 0.0], &[-1.0, 4.0, -2.0], &[0.0, -2.0, 3.0]]),
            phi_q: dense::from_rows(&[&[1.0, 0.0, -2.0]]),
        }
        .to_sparse()
    }

    /// E r Y - A Y for Y = (y, r y).
    fn rest(pencil: &DescriptorPencil<Sparse>, r: c64, y: &[c64]) -> f64 {
        let state: Vec<c64> = y.iter().copied().chain(y.iter().map(|v| v * r)).collect();
        let (e, a) = (sparse::matvec_complex(&pencil.e, &state), sparse::matvec_complex(&pencil.a, &state));
        e.iter().zip(&a).map(|(e, a)| (e * r - a).norm()).fold(0.0, f64::max)
    }

    #[test]
    fn every_step_keeps_the_eigenvalues() {
        let pencil = pencil();
        let dense_pencil = pencil.to_dense();
        let exact = crate::dense::solve(&dense_pencil, &crate::DenseOptions::default()).unwrap();
        let (k, shift) = (37.0, 1.5);
        let plain = Augmented::new(&pencil).unwrap();
        for pair in exact.motion() {
            let s = pair.value().unwrap();
            let y: Vec<c64> = pair.right.iter().chain(&pair.multipliers).copied().collect();
            assert!(rest(&plain.state_space(), s, &y) < 1e-13);
            let scaled: Vec<c64> =
                pair.right.iter().copied().chain(pair.multipliers.iter().map(|l| l / k)).collect();
            let system = plain.scaled(k).shifted(shift).state_space();
            assert!(rest(&system, s - shift, &scaled) < 1e-12);
        }
        assert_eq!(plain.shifted(shift).count_infinite().unwrap(), Augmented::infinite_by_theory(1));
    }

    #[test]
    fn scaling_touches_constraints_only() {
        let plain = Augmented::new(&pencil()).unwrap();
        let (k, scaled) = (to_dense(&plain.k), to_dense(&plain.scaled(8.0).k));
        for i in 0..4 {
            for j in 0..4 {
                let factor = if (i == 3) == (j == 3) { 1.0 } else { 8.0 };
                assert!((scaled[(i, j)] - factor * k[(i, j)]).abs() < 1e-15);
            }
        }
    }
}
