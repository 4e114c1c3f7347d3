//! Settings of the direct method.

use mb_algebra::{QuadraticPencil, RankTolerance, Sparse, norms};

use crate::EigenError;
use crate::options::Solver;

/// The factor k on constraints and multipliers; yang2012, Eq. (3.7).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scaling {
    /// k = c = max |K^|, Step 3 of the paper. At least the largest entry of a^2 M, so that systems without stiffness
    /// are scaled too.
    #[default]
    LargestEntry,
    /// k = c = the infinity norm of a^2 M + K, the c of (3.3). At least one.
    InfinityNorm,
    /// This k, positive.
    Given(f64),
    /// k = 1: the constraints as they are.
    Unscaled,
}

impl Scaling {
    /// k for a problem at the shift a, rad/s.
    ///
    /// Errors: [`EigenError::BadSetting`] for a given k that is not positive and finite.
    pub fn factor(self, pencil: &QuadraticPencil<Sparse>, shift: f64) -> Result<f64, EigenError> {
        let square = shift * shift;
        let k = match self {
            Self::LargestEntry => {
                let stiffness = norms::max_abs(&pencil.k).max(norms::max_abs(&pencil.phi_q));
                stiffness.max(square * norms::max_abs(&pencil.m))
            }
            Self::InfinityNorm => {
                let mut sums = vec![0.0; pencil.k.rows()];
                let shifted = mb_algebra::sparse::add(1.0, &pencil.k, square, &pencil.m);
                for (value, (row, _)) in &shifted {
                    sums[row] += value.abs();
                }
                sums.into_iter().fold(0.0, f64::max)
            }
            Self::Given(k) if k.is_finite() && k > 0.0 => k,
            Self::Given(value) => {
                let (setting, needed) = ("Scaling::Given", "positive and finite");
                return Err(EigenError::BadSetting { setting, value, needed });
            }
            Self::Unscaled => 1.0,
        };
        Ok(if k > 0.0 { k } else { 1.0 })
    }
}

/// How the shifted matrix K_ is factored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Factorization {
    /// LU with row exchanges; a singular matrix moves the shift.
    #[default]
    Pivoted,
    /// LU without exchanges, pivots below `perturbation` times the largest entry replaced, as fast parallel solvers
    /// do. Only to show what it does to unscaled multipliers.
    Static {
        /// Usual: 1e-13.
        perturbation: f64,
    },
}

/// Settings of the direct method; tolerances are relative and free of units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectOptions {
    /// Default [`Scaling::LargestEntry`].
    pub scaling: Scaling,
    /// a in rad/s; the modes nearest to it are found. None for an automatic one, near zero by a distance that finds the
    /// lowest modes and is regular for free bodies and mechanisms. The paper takes 1 to 10. Default none.
    pub shift: Option<f64>,
    /// The Krylov method. Default [`Solver::BuiltIn`].
    pub solver: Solver,
    /// Default [`Factorization::Pivoted`].
    pub factorization: Factorization,
    /// Steps of iterative refinement of every solve. Default 1; zero leaves what the factors give.
    pub refinements: usize,
    /// Whether zeros are found as a null space first and taken out of the iteration. Default true.
    pub deflate_zeros: bool,
    /// Whether the condition numbers are computed. Default true.
    pub condition: bool,
    /// Residual of a converged Ritz pair relative to |1 / r_|. Default 1e-10.
    pub tolerance: f64,
    /// Columns the operator is applied to at once. Default 1, as Arnoldi's method has it.
    pub block: usize,
    /// Largest Krylov basis; none for twice the count and a block. Default none.
    pub subspace: Option<usize>,
    /// Restarts. Default 60.
    pub restarts: usize,
    /// Rank of Phi_q, decided on rows scaled to length one. Default 1e-10.
    pub constraint_rank: RankTolerance,
}

impl Default for DirectOptions {
    fn default() -> Self {
        Self {
            scaling: Scaling::default(),
            shift: None,
            solver: Solver::default(),
            factorization: Factorization::default(),
            refinements: 1,
            deflate_zeros: true,
            condition: true,
            tolerance: 1e-10,
            block: 1,
            subspace: None,
            restarts: 60,
            constraint_rank: RankTolerance::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::dense;

    fn pencil(stiffness: f64) -> QuadraticPencil<Sparse> {
        QuadraticPencil {
            m: dense::diagonal(&[3.0, 5.0]),
            c: dense::zeros(2, 2),
            k: dense::scale(stiffness, &dense::from_rows(&[&[2.0, -1.0], &[-1.0, 1.0]])),
            phi_q: dense::from_rows(&[&[0.5, 0.0]]),
        }
        .to_sparse()
    }

    #[test]
    fn both_rules_of_the_paper_and_their_floors() {
        let shift = 2.0;
        let k = |scaling: Scaling, stiffness| scaling.factor(&pencil(stiffness), shift).unwrap();
        assert!((k(Scaling::LargestEntry, 1e9) - 2e9).abs() < 1.0);
        assert!((k(Scaling::InfinityNorm, 1e9) - (3e9 + 12.0)).abs() < 1.0);
        // Without stiffness the inertia at the shift is all there is: 4 * 5.
        assert!((k(Scaling::LargestEntry, 0.0) - 20.0).abs() < 1e-12);
        assert!((k(Scaling::InfinityNorm, 0.0) - 20.0).abs() < 1e-12);
        assert!((k(Scaling::Given(7.0), 1e9) - 7.0).abs() < 1e-15);
        assert!(Scaling::Given(0.0).factor(&pencil(1.0), shift).is_err());
    }
}
