//! Options, estimates and reports of saddle-point factorizations.

use mb_algebra::AlgebraError;

use super::Method;

/// How the rows are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrderingChoice {
    /// Minimum degree, and nested dissection when that promises to pay.
    #[default]
    Automatic,
    /// Minimum degree only.
    MinimumDegree,
    /// Nested dissection only.
    NestedDissection,
}

/// Options of the analysis and of the factorizations made with it.
#[derive(Clone, Debug, PartialEq)]
pub struct SaddleOptions {
    /// How the rows are ordered.
    pub ordering: OrderingChoice,
    /// Rows of G with at most this many entries enter g G^T G, which couples all their unknowns. Default 40.
    pub augment_up_to: usize,
    /// g, relative to the scaled A. Default 1.
    pub augmentation: f64,
    /// Bytes the factorization may take; `None` asks the system what is available.
    pub memory_limit: Option<u64>,
    /// Largest backward error of a solution, in each block of rows. Default 1e-10.
    pub tolerance: f64,
    /// A solution is refined while its backward error is above this. Default 1e-14; zero refines always once.
    pub refine_above: f64,
    /// Largest number of refinement steps. Default 4.
    pub max_refinements: usize,
    /// Whether the augmented L D L^T is tried on a known solution before it is given out. Default true; without the
    /// trial the check of each solution says what the factors are worth, which serves where one is asked for: a
    /// solution that misses the tolerance is then refused, and not sought by other methods.
    pub trial: bool,
    /// Least size of a delayed pivot relative to its column, above 0 and at most 1/2: L has no entries above one over it where
    /// growth is at stake. Default 0.01, as usual (Duff and Pralet, SIAM J. Matrix Anal. Appl. 27, 2005).
    pub threshold: f64,
    /// Skip the methods before this one: for comparisons and tests. The last one that there is for a matrix is tried all the same.
    pub first_method: Method,
}

impl Default for SaddleOptions {
    fn default() -> Self {
        Self {
            ordering: OrderingChoice::Automatic,
            augment_up_to: 40,
            augmentation: 1.0,
            memory_limit: None,
            tolerance: 1e-10,
            refine_above: 1e-14,
            max_refinements: 4,
            trial: true,
            threshold: 0.01,
            first_method: Method::AugmentedLdl,
        }
    }
}

/// What a factorization will cost, known before it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactorEstimate {
    /// Multiplications and additions of the factorization (of real numbers; four times that for complex ones).
    pub flops: f64,
    /// Entries of the factor, stored zeros included.
    pub factor_nonzeros: usize,
    /// Peak of memory in bytes for real numbers: factor, stack of update matrices and work space.
    pub bytes: u64,
    /// The method the estimate is for.
    pub method: Method,
    /// Whether the order came from nested dissection.
    pub nested_dissection: bool,
    /// Supernodes of the factor.
    pub supernodes: usize,
}

/// Numbers of eigenvalues of the saddle-point matrix by sign.
///
/// With r independent constraints, A on the null space of G has `positive` - r positive and `negative` - r
/// negative ones; r = m - `zero` when A is regular there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inertia {
    /// Positive eigenvalues.
    pub positive: usize,
    /// Negative eigenvalues.
    pub negative: usize,
    /// Zero eigenvalues: one for each dependent row of G, and for each null direction of a singular matrix.
    pub zero: usize,
}

/// Backward errors of a solution, separately for the two blocks of rows.
///
/// Each is the largest |r_i| / (|S_i| |x| + |b_i|) of its rows, with sums of magnitudes along the scaled row, the
/// largest magnitudes of the scaled unknowns and of the scaled multipliers. The constraint rows count |f| / |A| as
/// part of |x|: it is what the constraints hold back. Where x or l is zero but for rounding, |f| / |A| or |f| / |G| stands for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlockError {
    /// Rows of A x + G^T l = f.
    pub displacement: f64,
    /// Rows of G x = g.
    pub constraint: f64,
}

impl BlockError {
    /// The larger of both; NaN counts as infinite.
    pub fn worst(&self) -> f64 {
        if self.displacement.is_nan() || self.constraint.is_nan() {
            f64::INFINITY
        } else {
            self.displacement.max(self.constraint)
        }
    }
}

/// A row of G that depends on others.
#[derive(Clone, Debug, PartialEq)]
pub struct RedundantRow {
    /// The row left out, from 0.
    pub row: usize,
    /// Rows k and coefficients y_k with sum_k y_k G_k = 0, the row itself with 1; small ones left out.
    pub combination: Vec<(usize, f64)>,
}

/// What a factorization did.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorReport {
    /// The method whose factors are used.
    pub method: Method,
    /// Methods that failed before, and why.
    pub failed: Vec<(Method, AlgebraError)>,
    /// Entries of the factor, stored zeros included; `None` for [`Method::Lu`].
    pub factor_nonzeros: Option<usize>,
    /// Entries of the factor per entry of the lower triangle of S.
    pub fill: Option<f64>,
    /// Errors of the trial solution after refinement; zero without a trial.
    pub trial: BlockError,
    /// Steps of refinement the trial took.
    pub trial_refinements: usize,
    /// Rows of G that depend on others.
    pub redundant: Vec<RedundantRow>,
    /// Whether multipliers of dependent rows are given the values of minimum norm; otherwise zero.
    pub minimum_norm: bool,
    /// Unknowns whose pivot lost all its digits, with its ratio to the numbers it is the difference of: S is
    /// singular to working precision, as at a shift on an eigenvalue. The inertia is not given then.
    pub near_singular: Vec<(usize, f64)>,
    /// Multipliers whose pivot had to be replaced, in L U.
    pub replaced_pivots: usize,
    /// Candidates for pivots that were delayed, counted in each front that they left.
    pub delayed_pivots: usize,
    /// Pivots of two rows.
    pub pivot_pairs: usize,
    /// Largest magnitude in L, which multiplies rounding errors.
    pub growth: f64,
}
