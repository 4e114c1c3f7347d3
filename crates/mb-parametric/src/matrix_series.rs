//! Matrices that are polynomials of parameters.
//!
//! ```text
//! A(x0 + d) = sum over sigma of A[sigma] d^sigma        (palomba2019, Eq. 20)
//! ```
//!
//! The coefficients include `1 / sigma!`.

use crate::storage::Storage;
use crate::{MultiIndexSet, ParametricError};
use mb_algebra::Dense;
use mb_scalar::jet::Jet;

/// Coefficient matrices of one shape over a set of multi-indices, dense or sparse.
///
/// ```
/// use mb_algebra::dense::from_rows;
/// use mb_parametric::{MatrixSeries, MultiIndexSet};
///
/// // A(d) = [1 d; d 2 + d^2]
/// let set = MultiIndexSet::total(1, 2)?;
/// let terms = [
///     from_rows(&[[1.0, 0.0], [0.0, 2.0]]),
///     from_rows(&[[0.0, 1.0], [1.0, 0.0]]),
///     from_rows(&[[0.0, 0.0], [0.0, 1.0]]),
/// ];
/// let a = MatrixSeries::new(set, terms.to_vec())?;
/// assert_eq!(a.evaluate(&[3.0])?, from_rows(&[[1.0, 3.0], [3.0, 11.0]]));
/// # Ok::<(), mb_parametric::ParametricError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixSeries<A: Storage = Dense> {
    set: MultiIndexSet,
    coefficients: Vec<A>,
}

impl<A: Storage> MatrixSeries<A> {
    /// A series from its coefficients, in the order of the set.
    ///
    /// Errors: a number of coefficients other than the size of the set, shapes that differ,
    /// values that are not finite.
    pub fn new(set: MultiIndexSet, coefficients: Vec<A>) -> Result<Self, ParametricError> {
        if coefficients.len() != set.len() {
            let (expected, found) = (set.len(), coefficients.len());
            return Err(ParametricError::WrongLength { what: "the list of coefficients", expected, found });
        }
        let (expected_rows, expected_cols) = coefficients[0].size();
        for (number, a) in coefficients.iter().enumerate() {
            let (rows, cols) = a.size();
            if (rows, cols) != (expected_rows, expected_cols) {
                let matrix = "A coefficient";
                return Err(ParametricError::ShapeMismatch {
                    matrix,
                    expected_rows,
                    expected_cols,
                    rows,
                    cols,
                });
            }
            if let Some((row, col)) = a.not_finite() {
                let term = set.exponents(number).to_vec();
                return Err(ParametricError::NonFiniteCoefficient { term, row, col });
            }
        }
        Ok(Self { set, coefficients })
    }

    /// A series with the given terms and zero elsewhere.
    ///
    /// Errors: as [`MatrixSeries::new`]; a term outside the set is
    /// [`ParametricError::BeyondMatrices`]. Of a term given twice the sum is taken.
    pub fn from_terms(
        set: MultiIndexSet,
        rows: usize,
        cols: usize,
        terms: &[(&[u8], &A)],
    ) -> Result<Self, ParametricError> {
        let mut coefficients = vec![A::zero(rows, cols); set.len()];
        for (sigma, a) in terms {
            let Some(number) = set.number(sigma) else {
                return Err(ParametricError::BeyondMatrices { term: sigma.to_vec() });
            };
            if a.size() != (rows, cols) {
                return Err(ParametricError::ShapeMismatch {
                    matrix: "A coefficient",
                    expected_rows: rows,
                    expected_cols: cols,
                    rows: a.size().0,
                    cols: a.size().1,
                });
            }
            coefficients[number] = A::sum(1.0, &coefficients[number], 1.0, a);
        }
        Self::new(set, coefficients)
    }

    /// A matrix that does not depend on the parameters.
    pub fn constant(set: MultiIndexSet, a: &A) -> Result<Self, ParametricError> {
        let zero = vec![0; set.parameters()];
        let (rows, cols) = a.size();
        Self::from_terms(set, rows, cols, &[(&zero, a)])
    }

    /// Number of rows.
    pub fn nrows(&self) -> usize {
        self.coefficients[0].size().0
    }

    /// Number of columns.
    pub fn ncols(&self) -> usize {
        self.coefficients[0].size().1
    }

    /// The multi-indices, in the order of the coefficients.
    pub fn set(&self) -> &MultiIndexSet {
        &self.set
    }

    /// The coefficients, in the order of the set.
    pub fn coefficients(&self) -> &[A] {
        &self.coefficients
    }

    /// The coefficient of `d^sigma`, if it is kept.
    pub fn coefficient(&self, sigma: &[u8]) -> Option<&A> {
        self.set.number(sigma).map(|number| &self.coefficients[number])
    }

    /// The matrix at the distance `d` from the expansion point.
    ///
    /// Errors: `d` of another length than the number of parameters, or not finite.
    pub fn evaluate(&self, d: &[f64]) -> Result<A, ParametricError> {
        let monomials = self.set.monomials(d)?;
        let mut out = self.coefficients[0].clone();
        for (a, factor) in self.coefficients.iter().zip(monomials).skip(1) {
            if factor != 0.0 {
                out = A::sum(1.0, &out, factor, a);
            }
        }
        Ok(out)
    }

    /// This series plus the product of two others over the same set.
    pub(crate) fn plus_product(mut self, a: &Self, b: &Self) -> Result<Self, ParametricError> {
        let is_zero = |x: &A| x.norm_max_abs() == 0.0;
        for (number, splits) in self.set.splits().iter().enumerate() {
            for &(alpha, beta) in splits {
                let (x, y) = (&a.coefficients[alpha], &b.coefficients[beta]);
                if !(is_zero(x) || is_zero(y)) {
                    self.coefficients[number] = A::sum(1.0, &self.coefficients[number], 1.0, &x.product(y));
                }
            }
        }
        Self::new(self.set, self.coefficients)
    }

    /// The series of the transposed matrix.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let coefficients = self.coefficients.iter().map(A::transposed).collect();
        Self { set: self.set.clone(), coefficients }
    }
}

impl MatrixSeries<Dense> {
    /// The complete series of a matrix whose entries are jets.
    pub fn from_jets<const P: usize, const N: usize>(
        rows: usize,
        cols: usize,
        entry: impl Fn(usize, usize) -> Jet<P, N>,
    ) -> Result<Self, ParametricError> {
        let set = MultiIndexSet::total(P, Jet::<P, N>::ORDER)?;
        let mut coefficients = vec![Dense::zeros(rows, cols); N];
        for i in 0..rows {
            for j in 0..cols {
                for (a, x) in coefficients.iter_mut().zip(entry(i, j).0) {
                    a[(i, j)] = x;
                }
            }
        }
        Self::new(set, coefficients)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_scalar::Real;

    #[test]
    fn jets_become_coefficient_matrices() {
        type J = Jet<2, 15>;
        let (x, y) = (J::variable(0, 0.3), J::variable(1, 2.0));
        let entry = |i: usize, j: usize| [[x.sin(), x * y], [y.recip(), J::constant(1.0)]][i][j];
        let series = MatrixSeries::from_jets(2, 2, entry).unwrap();
        for (number, sigma) in J::INDEX.iter().enumerate() {
            assert_eq!(series.set().exponents(number), sigma, "both number monomials alike");
        }
        let d = [0.02, -0.05];
        let a = series.evaluate(&d).unwrap();
        let (x, y): (f64, f64) = (0.3 + d[0], 2.0 + d[1]);
        let exact = [[x.sin(), x * y], [1.0 / y, 1.0]];
        for i in 0..2 {
            for j in 0..2 {
                // The first neglected term is about (d / y)^5 / y.
                assert!((a[(i, j)] - exact[i][j]).abs() < 1e-8, "{i} {j}");
                assert!((entry(i, j).evaluate(d) - a[(i, j)]).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn wrong_shapes_and_values_are_refused() {
        let set = MultiIndexSet::total(1, 1).unwrap();
        let (a, b) = (Dense::zeros(2, 2), Dense::zeros(2, 1));
        assert!(matches!(
            MatrixSeries::new(set.clone(), vec![a.clone()]),
            Err(ParametricError::WrongLength { expected: 2, found: 1, .. })
        ));
        assert!(matches!(
            MatrixSeries::new(set.clone(), vec![a.clone(), b]),
            Err(ParametricError::ShapeMismatch { cols: 1, .. })
        ));
        let mut bad = a.clone();
        bad[(1, 0)] = f64::NAN;
        assert_eq!(
            MatrixSeries::new(set.clone(), vec![a.clone(), bad]).unwrap_err(),
            ParametricError::NonFiniteCoefficient { term: vec![1], row: 1, col: 0 }
        );
        assert_eq!(
            MatrixSeries::from_terms(set, 2, 2, &[(&[2], &a)]).unwrap_err(),
            ParametricError::BeyondMatrices { term: vec![2] }
        );
    }
}
