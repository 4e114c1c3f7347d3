//! Velocity transformation: bases of the admissible velocities.
//!
//! ```text
//! v = R z',   Phi_q R = 0,   B R = I,   R is n x (n - r),  B is (n - r) x n
//! ```
//!
//! R by one of the methods the paper names. B says what the independent velocities are:
//! z' = B v. With a constant B the basis R(q) is a smooth function of the configuration, and
//!
//! ```text
//! S y:   Phi_q (S y) = y,   B (S y) = 0
//! ```
//!
//! gives its derivative: dR z' = -S d(Phi_q) R z'.
//!
//! Paper: [gonzalez2017] Eq. (2), Sec. 3.1.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use crate::error::ConstraintError;
use crate::rank::normalized_rows;
use mb_algebra::{AlgebraError, Dense, Lu, RankQr, RankTolerance, Svd, SymmetricEigen, dense, norms};
use std::sync::OnceLock;

/// Below this reciprocal condition of the dependent block a selection is refused.
pub const SELECTION_CONDITION: f64 = 1e-10;

/// Pivot ratio, or reciprocal velocity ratio, from which on the condition is checked.
const SUSPICIOUS: f64 = 1e-4;

/// How the basis R is found.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum NullSpaceMethod {
    /// Some coordinates are independent, R = [I; -Phi_d^-1 Phi_i]. `None` lets pivoting choose.
    CoordinateSelection(Option<Vec<usize>>),
    /// The last columns of Q in Phi_q^T P = Q R.
    #[default]
    Qr,
    /// Right singular vectors of zero singular values.
    Svd,
    /// Orthonormal completion of the rows of Phi_q.
    GramSchmidt,
    /// Eigenvectors of Phi_q^T Phi_q to the eigenvalue zero. Squares the condition: the basis
    /// is good to the square root of what the others reach.
    ZeroEigenvalue,
}

impl std::fmt::Display for NullSpaceMethod {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::CoordinateSelection(_) => "coordinate-selection",
            Self::Qr => "qr",
            Self::Svd => "svd",
            Self::GramSchmidt => "gram-schmidt",
            Self::ZeroEigenvalue => "zero-eigenvalue",
        })
    }
}

/// A basis of the admissible velocities at one configuration.
#[derive(Clone, Debug)]
pub struct NullSpace {
    /// R, n x (n - r).
    pub r: Dense,
    /// Rank of Phi_q.
    pub rank: usize,
    /// The independent coordinates, where the basis is a selection of them; z' = v there.
    pub independent: Option<Vec<usize>>,
    particular: Particular,
}

#[derive(Clone, Debug)]
enum Particular {
    /// Square dependent block Phi_d, full row rank.
    Block { lu: Lu, dependent: Vec<usize> },
    /// Shortest solution, then B S = 0 restored. Its singular values are computed when it is first asked for; none where they do not converge.
    Shortest { phi_q: Box<Dense>, svd: OnceLock<Option<Box<Svd>>>, tolerance: RankTolerance },
}

impl Particular {
    fn shortest(phi_q: &Dense, tolerance: RankTolerance) -> Result<Self, AlgebraError> {
        match dense::first_non_finite(phi_q) {
            Some((row, col, _)) => Err(AlgebraError::NonFinite { row, col }),
            None => Ok(Self::Shortest { phi_q: Box::new(phi_q.clone()), svd: OnceLock::new(), tolerance }),
        }
    }
}

impl NullSpace {
    /// Finds a basis at the constraint Jacobian `phi_q` (m x n).
    ///
    /// `name` gives the name of a coordinate, for messages.
    ///
    /// # Errors
    /// [`ConstraintError::SelectionFails`] when a given selection has the wrong size or does
    /// not determine the other coordinates; entries that are not finite.
    pub fn new(
        phi_q: &Dense,
        method: &NullSpaceMethod,
        tolerance: RankTolerance,
        name: impl Fn(usize) -> String,
    ) -> Result<Self, ConstraintError> {
        match method {
            NullSpaceMethod::CoordinateSelection(Some(given)) => selected(phi_q, given, tolerance, name),
            NullSpaceMethod::CoordinateSelection(None) => {
                let qr = RankQr::new(&normalized_rows(phi_q), tolerance)?;
                let (_, independent) = qr.partition_columns()?;
                selected(phi_q, &independent, tolerance, name)
            }
            NullSpaceMethod::Qr => {
                let qr = RankQr::new(&normalized_rows(phi_q), tolerance)?;
                Self::orthonormal(phi_q, qr.null_space(), qr.rank(), tolerance)
            }
            NullSpaceMethod::Svd => {
                let svd = Svd::new(&normalized_rows(phi_q))?;
                let rank = svd.rank(tolerance).rank;
                Self::orthonormal(phi_q, svd.null_space(tolerance), rank, tolerance)
            }
            NullSpaceMethod::GramSchmidt => {
                let (basis, rank) = gram_schmidt(&normalized_rows(phi_q), tolerance);
                Self::orthonormal(phi_q, basis, rank, tolerance)
            }
            NullSpaceMethod::ZeroEigenvalue => {
                let scaled = normalized_rows(phi_q);
                let eigen = SymmetricEigen::new(&dense::mul_transpose(&scaled, &scaled))?;
                // Squared singular values: the cut stays above their rounding, n eps.
                let largest = eigen.values.last().copied().unwrap_or(0.0);
                let cut = largest * tolerance.relative.max(1e-13 * phi_q.ncols() as f64);
                let zeros: Vec<usize> = (0..phi_q.ncols()).filter(|i| eigen.values[*i] <= cut).collect();
                let rank = phi_q.ncols() - zeros.len();
                Self::orthonormal(phi_q, dense::select_columns(&eigen.vectors, &zeros), rank, tolerance)
            }
        }
    }
    fn orthonormal(
        phi_q: &Dense,
        r: Dense,
        rank: usize,
        tolerance: RankTolerance,
    ) -> Result<Self, ConstraintError> {
        Ok(Self { r, rank, independent: None, particular: Particular::shortest(phi_q, tolerance)? })
    }
    /// Degrees of freedom n - r.
    pub fn dof(&self) -> usize {
        self.r.ncols()
    }
    /// B x, the independent velocities of x.
    pub fn independent_part(&self, x: &[f64]) -> Vec<f64> {
        match &self.independent {
            Some(index) => index.iter().map(|i| x[*i]).collect(),
            None => dense::matvec_transpose(&self.r, x),
        }
    }
    /// S y: the velocities with Phi_q (S y) = y and no independent part; not a number where singular values do not converge.
    pub fn particular(&self, y: &[f64]) -> Vec<f64> {
        match &self.particular {
            Particular::Block { lu, dependent } => {
                let mut x = vec![0.0; self.r.nrows()];
                for (i, value) in dependent.iter().zip(lu.solve(y)) {
                    x[*i] = value;
                }
                x
            }
            Particular::Shortest { phi_q, svd, tolerance } => {
                let Some(svd) = svd.get_or_init(|| Svd::new(phi_q).ok().map(Box::new)) else {
                    return vec![f64::NAN; self.r.nrows()];
                };
                let mut x = svd.min_norm_solve(y, *tolerance);
                let back = dense::matvec(&self.r, &self.independent_part(&x));
                x.iter_mut().zip(back).for_each(|(x, b)| *x -= b);
                x
            }
        }
    }
    /// S Y, column by column.
    pub fn particular_mat(&self, y: &Dense) -> Dense {
        let columns: Vec<Vec<f64>> = (0..y.ncols()).map(|j| self.particular(&dense::column(y, j))).collect();
        dense::from_columns(self.r.nrows(), &columns)
    }
}

/// R = [I; -Phi_d^-1 Phi_i] for the given independent coordinates.
fn selected(
    phi_q: &Dense,
    independent: &[usize],
    tolerance: RankTolerance,
    name: impl Fn(usize) -> String,
) -> Result<NullSpace, ConstraintError> {
    let (m, n) = phi_q.shape();
    let fails = |reciprocal_condition: f64| -> ConstraintError {
        let rank = RankQr::new(&normalized_rows(phi_q), tolerance).map_or(0, |qr| qr.rank());
        let selection = independent.iter().map(|i| name(*i)).collect();
        ConstraintError::SelectionFails { selection, reciprocal_condition, rank, dof: n - rank }
    };
    let dependent: Vec<usize> = (0..n).filter(|i| !independent.contains(i)).collect();
    if dependent.len() + independent.len() != n || dependent.len() > m {
        return Err(fails(0.0));
    }
    let mut r = Dense::zeros(n, independent.len());
    for (j, i) in independent.iter().enumerate() {
        r[(*i, j)] = 1.0;
    }
    let phi_i = dense::select_columns(phi_q, independent);
    let phi_d = dense::select_columns(phi_q, &dependent);
    if dependent.len() == m {
        // Full row rank: one square factorization serves R and S.
        let Ok(lu) = Lu::new(&phi_d) else { return Err(fails(0.0)) };
        place_dependent(&mut r, &dependent, &lu.solve_mat(&phi_i));
        // The condition estimate costs as much as the factorization, so it is asked for only
        // where a pivot or a velocity ratio gives reason.
        let (low, high) = lu.pivot_range();
        let growth = norms::max_abs(&r);
        if low <= SUSPICIOUS * high || growth.is_nan() || growth * SUSPICIOUS >= 1.0 {
            let reciprocal = lu.rcond();
            if reciprocal.is_nan() || reciprocal < SELECTION_CONDITION {
                return Err(fails(reciprocal));
            }
        }
        let (rank, independent) = (m, Some(independent.to_vec()));
        return Ok(NullSpace { r, rank, independent, particular: Particular::Block { lu, dependent } });
    }
    // Redundant rows: least squares on the dependent columns, which must be independent.
    let svd = Svd::new(&normalized_rows(phi_q))?;
    let rank = svd.rank(tolerance).rank;
    let block = Svd::new(&phi_d)?;
    let reciprocal = block.condition().recip();
    if rank != dependent.len() || reciprocal.is_nan() || reciprocal < SELECTION_CONDITION {
        return Err(fails(if rank == dependent.len() { reciprocal } else { 0.0 }));
    }
    let columns: Vec<Vec<f64>> =
        (0..independent.len()).map(|j| block.min_norm_solve(&dense::column(&phi_i, j), tolerance)).collect();
    place_dependent(&mut r, &dependent, &dense::from_columns(dependent.len(), &columns));
    let particular = Particular::shortest(phi_q, tolerance)?;
    Ok(NullSpace { r, rank, independent: Some(independent.to_vec()), particular })
}

/// Writes -x into the dependent rows of R.
fn place_dependent(r: &mut Dense, dependent: &[usize], x: &Dense) {
    for j in 0..x.ncols() {
        for (k, i) in dependent.iter().enumerate() {
            r[(*i, j)] = -x[(k, j)];
        }
    }
}

/// Orthonormal completion: rows of Phi_q first, then the unit vectors that stick out most.
fn gram_schmidt(scaled: &Dense, tolerance: RankTolerance) -> (Dense, usize) {
    let (m, n) = scaled.shape();
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(n);
    let reduce = |x: &mut Vec<f64>, basis: &[Vec<f64>]| {
        for _ in 0..2 {
            for b in basis {
                let along = dense::dot(b, x);
                x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
            }
        }
        norms::two(x)
    };
    for i in 0..m {
        let mut row = dense::row(scaled, i);
        let length = reduce(&mut row, &basis);
        if length > tolerance.relative {
            for x in &mut row {
                *x /= length;
            }
            basis.push(row);
        }
    }
    let rank = basis.len();
    // What each unit vector has outside the span so far, squared; updated as vectors join.
    let mut outside: Vec<f64> =
        (0..n).map(|j| 1.0 - basis.iter().map(|b| b[j] * b[j]).sum::<f64>()).collect();
    while basis.len() < n {
        let pick = (0..n).max_by(|a, b| outside[*a].total_cmp(&outside[*b])).unwrap_or(0);
        let mut unit = vec![0.0; n];
        unit[pick] = 1.0;
        let length = reduce(&mut unit, &basis);
        for x in &mut unit {
            *x /= length;
        }
        outside.iter_mut().zip(&unit).for_each(|(o, u)| *o -= u * u);
        basis.push(unit);
    }
    (dense::from_columns(n, &basis[rank..]), rank)
}
