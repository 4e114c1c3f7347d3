//! Matrices that are polynomials of parameters.
//!
//! ```text
//! A(x0 + d) = sum over sigma of A[sigma] d^sigma        (palomba2019, Eq. 20)
//! ```
//!
//! The coefficients include `1 / sigma!`.

use crate::{MultiIndexSet, ParametricError};
use mb_algebra::{Dense, dense};
use mb_scalar::jet::Jet;

/// Dense coefficient matrices, all of one shape, over a set of multi-indices.
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
pub struct MatrixSeries {
    set: MultiIndexSet,
    coefficients: Vec<Dense>,
}

impl MatrixSeries {
    /// A series from its coefficients, in the order of the set.
    ///
    /// Errors: a number of coefficients other than the size of the set, shapes that differ,
    /// values that are not finite.
    pub fn new(set: MultiIndexSet, coefficients: Vec<Dense>) -> Result<Self, ParametricError> {
        if coefficients.len() != set.len() {
            let (expected, found) = (set.len(), coefficients.len());
            return Err(ParametricError::WrongLength { what: "the list of coefficients", expected, found });
        }
        let (expected_rows, expected_cols) = coefficients[0].shape();
        for (number, a) in coefficients.iter().enumerate() {
            let (rows, cols) = a.shape();
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
            if let Some((row, col, _)) = dense::first_non_finite(a) {
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
        terms: &[(&[u8], &Dense)],
    ) -> Result<Self, ParametricError> {
        let mut coefficients = vec![Dense::zeros(rows, cols); set.len()];
        for (sigma, a) in terms {
            let Some(number) = set.number(sigma) else {
                return Err(ParametricError::BeyondMatrices { term: sigma.to_vec() });
            };
            if a.shape() != (rows, cols) {
                return Err(ParametricError::ShapeMismatch {
                    matrix: "A coefficient",
                    expected_rows: rows,
                    expected_cols: cols,
                    rows: a.nrows(),
                    cols: a.ncols(),
                });
            }
            coefficients[number] = dense::add(1.0, &coefficients[number], 1.0, a);
        }
        Self::new(set, coefficients)
    }

    /// A matrix that does not depend on the parameters.
    pub fn constant(set: MultiIndexSet, a: &Dense) -> Result<Self, ParametricError> {
        let zero = vec![0; set.parameters()];
        Self::from_terms(set, a.nrows(), a.ncols(), &[(&zero, a)])
    }

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

    /// Number of rows.
    pub fn nrows(&self) -> usize {
        self.coefficients[0].nrows()
    }

    /// Number of columns.
    pub fn ncols(&self) -> usize {
        self.coefficients[0].ncols()
    }

    /// The multi-indices, in the order of the coefficients.
    pub fn set(&self) -> &MultiIndexSet {
        &self.set
    }

    /// The coefficients, in the order of the set.
    pub fn coefficients(&self) -> &[Dense] {
        &self.coefficients
    }

    /// The coefficient of `d^sigma`, if it is kept.
    pub fn coefficient(&self, sigma: &[u8]) -> Option<&Dense> {
        self.set.number(sigma).map(|number| &self.coefficients[number])
    }

    /// The matrix at the distance `d` from the expansion point.
    ///
    /// Errors: `d` of another length than the number of parameters, or not finite.
    pub fn evaluate(&self, d: &[f64]) -> Result<Dense, ParametricError> {
        let mut out = Dense::zeros(self.nrows(), self.ncols());
        for (a, factor) in self.coefficients.iter().zip(self.set.monomials(d)?) {
            for j in 0..self.ncols() {
                for (o, x) in out.col_as_slice_mut(j).iter_mut().zip(a.col_as_slice(j)) {
                    *o += factor * x;
                }
            }
        }
        Ok(out)
    }

    /// The series of the transposed matrix.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let coefficients = self.coefficients.iter().map(dense::transpose).collect();
        Self { set: self.set.clone(), coefficients }
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
