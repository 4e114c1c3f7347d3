//! A quadratic pencil with constraints whose matrices are polynomials of parameters.
//!
//! ```text
//! (s^2 M(x) + s C(x) + K(x)) phi + Phi_q(x)^T l = 0,   Phi_q(x) phi = 0
//! ```
//!
//! with M, C, K n x n (not necessarily symmetric) and Phi_q m x n.

use crate::storage::Storage;
use crate::{MatrixSeries, MultiIndexSet, ParametricError};
use mb_algebra::{Dense, DescriptorPencil, QuadraticPencil, Sparse};

/// What the coefficients say about the terms that are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// The matrices are these polynomials: every other coefficient is zero, and an eigenpair
    /// can be expanded to any order.
    Polynomial,
    /// The matrices have further terms: an eigenpair can be expanded to the terms that are
    /// here and no further.
    Truncated,
}

/// The series of M, C, K and Phi_q over one set of multi-indices.
#[derive(Clone, Debug)]
pub struct PencilSeries<A: Storage = Dense> {
    matrices: QuadraticPencil<MatrixSeries<A>>,
    completeness: Completeness,
    /// Coefficients without their zeros; `None` for a zero matrix.
    sparse: QuadraticPencil<Vec<Option<Sparse>>>,
}

impl<A: Storage> PencilSeries<A> {
    /// Checks shapes and sets: `c` and `k` as `m`, `phi_q` with as many columns (and no rows
    /// for motion free of constraints).
    ///
    /// Errors: [`ParametricError::ShapeMismatch`], [`ParametricError::SetsDiffer`].
    pub fn new(
        matrices: QuadraticPencil<MatrixSeries<A>>,
        completeness: Completeness,
    ) -> Result<Self, ParametricError> {
        let (n, nc) = (matrices.m.nrows(), matrices.phi_q.nrows());
        let all = [
            ("M", &matrices.m, n),
            ("C", &matrices.c, n),
            ("K", &matrices.k, n),
            ("Phi_q", &matrices.phi_q, nc),
        ];
        for (matrix, series, expected_rows) in all {
            check_shape(matrix, (series.nrows(), series.ncols()), (expected_rows, n))?;
            if series.set() != matrices.m.set() {
                return Err(ParametricError::SetsDiffer { matrix });
            }
        }
        let sparse = QuadraticPencil {
            m: nonzeros(&matrices.m),
            c: nonzeros(&matrices.c),
            k: nonzeros(&matrices.k),
            phi_q: nonzeros(&matrices.phi_q),
        };
        Ok(Self { matrices, completeness, sparse })
    }

    /// The series of a descriptor problem, s E(x) y = A(x) y with E and A of size N.
    ///
    /// It is the quadratic problem with M = 0, C = E and K = -A, so that every function here
    /// takes it: the right vectors are states y, the left ones satisfy z^T (s E - A) = 0.
    /// Multipliers, if any, are part of y. E may be singular; infinite eigenvalues have no series.
    ///
    /// Errors: as [`PencilSeries::new`].
    pub fn descriptor(
        series: DescriptorPencil<MatrixSeries<A>>,
        completeness: Completeness,
    ) -> Result<Self, ParametricError> {
        let size = series.e.nrows();
        let set = series.e.set().clone();
        let minus = |a: &A| A::sum(-1.0, a, 0.0, a);
        let k = series.a.coefficients().iter().map(minus).collect();
        let k = MatrixSeries::new(series.a.set().clone(), k)?;
        let m = MatrixSeries::constant(set.clone(), &A::zero(size, size))?;
        let phi_q = MatrixSeries::constant(set, &A::zero(0, size))?;
        Self::new(QuadraticPencil { m, c: series.e, k, phi_q }, completeness)
    }

    /// Number of unknowns n.
    pub fn nv(&self) -> usize {
        self.matrices.m.nrows()
    }

    /// Number of constraint equations.
    pub fn nc(&self) -> usize {
        self.matrices.phi_q.nrows()
    }

    /// The multi-indices of the coefficients.
    pub fn set(&self) -> &MultiIndexSet {
        self.matrices.m.set()
    }

    /// The series of the matrices.
    pub fn matrices(&self) -> &QuadraticPencil<MatrixSeries<A>> {
        &self.matrices
    }

    /// Whether terms beyond the set are zero or unknown.
    pub fn completeness(&self) -> Completeness {
        self.completeness
    }

    /// The matrices at the distance `d` from the expansion point.
    ///
    /// Errors: `d` of another length than the number of parameters, or not finite.
    pub fn evaluate(&self, d: &[f64]) -> Result<QuadraticPencil<A>, ParametricError> {
        let QuadraticPencil { m, c, k, phi_q } = &self.matrices;
        Ok(QuadraticPencil {
            m: m.evaluate(d)?,
            c: c.evaluate(d)?,
            k: k.evaluate(d)?,
            phi_q: phi_q.evaluate(d)?,
        })
    }

    /// The pencil whose right eigenvectors are the conjugated left ones of this one: M, C and K
    /// transposed.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let QuadraticPencil { m, c, k, phi_q } = &self.matrices;
        let matrices =
            QuadraticPencil { m: m.transpose(), c: c.transpose(), k: k.transpose(), phi_q: phi_q.clone() };
        let sparse = QuadraticPencil {
            m: nonzeros(&matrices.m),
            c: nonzeros(&matrices.c),
            k: nonzeros(&matrices.k),
            phi_q: self.sparse.phi_q.clone(),
        };
        Self { matrices, completeness: self.completeness, sparse }
    }

    /// The matrices at the expansion point.
    pub(crate) fn centre(&self) -> QuadraticPencil<A> {
        let QuadraticPencil { m, c, k, phi_q } = &self.matrices;
        QuadraticPencil {
            m: m.coefficients()[0].clone(),
            c: c.coefficients()[0].clone(),
            k: k.coefficients()[0].clone(),
            phi_q: phi_q.coefficients()[0].clone(),
        }
    }

    /// The coefficients without their zeros.
    pub(crate) fn sparse(&self) -> &QuadraticPencil<Vec<Option<Sparse>>> {
        &self.sparse
    }
}

/// Compares a shape with the expected one.
pub(crate) fn check_shape(
    matrix: &'static str,
    (rows, cols): (usize, usize),
    (expected_rows, expected_cols): (usize, usize),
) -> Result<(), ParametricError> {
    if (rows, cols) == (expected_rows, expected_cols) {
        return Ok(());
    }
    Err(ParametricError::ShapeMismatch { matrix, expected_rows, expected_cols, rows, cols })
}

/// The coefficients in sparse storage.
fn nonzeros<A: Storage>(series: &MatrixSeries<A>) -> Vec<Option<Sparse>> {
    series.coefficients().iter().map(A::nonzeros).collect()
}
