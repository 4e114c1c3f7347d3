//! Arnoldi's method on the form (2.9), and the way back to displacements and multipliers.
//!
//! Asked for more eigenvalues than the 2 (n - r) finite ones, Arnoldi's method returns infinite ones that rounding has
//! made finite, of any size, and calls them converged. So it is never asked for more, and an eigenpair is taken only when one
//! further application of T returns its displacements and these satisfy the constraints.

use mb_algebra::{DenseC, c64};

use super::operator::StateOperator;
use crate::EigenError;
use crate::krylov::scalar::{norm, pick};
use crate::krylov::{KrylovDriver, Operator, Wanted};
use crate::search::non_hermitian::Side;

/// Change of the displacements under T and violation of the constraints, relative, above which an eigenpair is rounding.
const SPURIOUS: f64 = 1e-5;

/// What a run gave.
pub(crate) struct Run {
    /// r of the Ritz values as they came.
    pub(crate) ritz: Vec<c64>,
    /// Values and vectors; multipliers of the independent rows at length one.
    pub(crate) side: Side,
    /// Eigenpairs of Arnoldi's method that are none of the problem.
    pub(crate) dropped: usize,
}

/// The eigenvalues nearest to the shift.
pub(crate) fn run(
    operator: &StateOperator<'_>,
    driver: &dyn KrylovDriver,
    wanted: &Wanted,
) -> Result<Run, EigenError> {
    let mut ritz = driver.real(operator, wanted)?;
    let (n, size) = (operator.factored.unknowns, operator.factored.size());
    ritz.keep(|theta| theta.norm() > 0.0);
    let theta = ritz.values;
    let once = applied(operator, &ritz.vectors, &theta)?;
    let twice = applied(operator, &once, &theta)?;
    let change = |j: usize| {
        let (a, b) = (&once.col_as_slice(j)[..n], &twice.col_as_slice(j)[..n]);
        let difference: Vec<c64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        let (rest, length) = (norm(&difference), norm(b));
        if length > 0.0 { rest / length } else { f64::INFINITY }
    };
    let rows = &operator.problem.rows;
    let displacements = DenseC::from_fn(n, theta.len(), |i, j| twice[(i, j)]);
    let violation = rows.unit.mul(&displacements);
    let admissible =
        |j: usize| norm(violation.col_as_slice(j)) <= SPURIOUS * norm(displacements.col_as_slice(j));
    let kept: Vec<usize> = (0..theta.len()).filter(|&j| change(j) <= SPURIOUS && admissible(j)).collect();
    let vectors = pick(&twice, &kept);
    let mut x = DenseC::zeros(n, kept.len());
    let mut l = DenseC::zeros(size - n, kept.len());
    for j in 0..kept.len() {
        let y = &vectors.col_as_slice(j)[..size];
        let by = norm(&y[..n]).recip();
        x.col_as_slice_mut(j).iter_mut().zip(y).for_each(|(x, y)| *x = y * by);
        // l = k l^ belongs to the row as given.
        let given: Vec<c64> = y[n..].iter().map(|l| l * (by * operator.factored.scale)).collect();
        l.col_as_slice_mut(j).copy_from_slice(&rows.independent_multipliers(&given));
    }
    let value = |theta: &c64| theta.inv() + operator.shift;
    Ok(Run {
        ritz: theta.iter().map(value).collect(),
        dropped: theta.len() - kept.len(),
        side: Side { tau: kept.iter().map(|&j| value(&theta[j])).collect(), x, l, exhausted: ritz.exhausted },
    })
}

/// T Z over theta.
fn applied(operator: &StateOperator<'_>, z: &DenseC, theta: &[c64]) -> Result<DenseC, EigenError> {
    let mut w = operator.apply_complex(z)?;
    debug_assert_eq!(w.nrows(), Operator::<f64>::size(operator));
    for (j, theta) in theta.iter().enumerate() {
        let by = theta.inv();
        w.col_as_slice_mut(j).iter_mut().for_each(|v| *v *= by);
    }
    Ok(w)
}
