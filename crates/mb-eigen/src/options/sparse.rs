//! Settings of the sparse analyses.

use mb_algebra::{RankTolerance, c64};

use crate::EigenError;
use crate::krylov::{ArpackNg, BuiltIn, KrylovDriver};
use crate::tuning;

/// The Krylov method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Block Lanczos and block Krylov-Schur of this crate: re-entrant, always there. The default everywhere, so that
    /// answers do not depend on what is installed.
    #[default]
    BuiltIn,
    /// ARPACK-NG of the system, on the same operators and with the same counts and certificates. Where the machine has none, asking
    /// for it is [`EigenError::NoArpack`].
    Arpack,
}

impl Solver {
    /// The driver, or the error that says how to get it.
    pub fn driver(self) -> Result<Box<dyn KrylovDriver>, EigenError> {
        match self {
            Self::BuiltIn => Ok(Box::new(BuiltIn)),
            Self::Arpack => Ok(Box::new(ArpackNg::load()?)),
        }
    }
}

/// Whether symmetry may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Structure {
    /// Looks at the matrices.
    #[default]
    Detect,
    /// M, C and K are symmetric: an entry that is not is an error.
    Symmetric,
    /// Treats the problem as unsymmetric whatever the matrices say.
    General,
}

/// Where the operator is inverted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shift {
    /// From the matrices: near zero by a distance that finds rigid motions without loss of digits, then moved to
    /// where the first Ritz values say. Never on zero, which free bodies and mechanisms make singular.
    #[default]
    Automatic,
    /// At this s, rad/s. Moved by a trifle, and reported, when it lies on an eigenvalue.
    At(c64),
}

/// Settings of the sparse analyses. Three are a matter of what is wanted; what decides how it is computed is
/// [`SparseExpert`], whose defaults suit every problem of the randomized test suite.
///
/// ```
/// use mb_algebra::c64;
/// use mb_eigen::sparse::{Shift, SparseExpert, SparseOptions};
///
/// let wanted = SparseOptions { left_vectors: true, ..Default::default() };
/// let tuned = SparseOptions { expert: SparseExpert { shift: Shift::At(c64::new(0.0, 30.0)), ..Default::default() }, ..wanted };
/// assert!(tuned.prove_complete && tuned.left_vectors);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseOptions {
    /// Whether symmetric results are proved complete by inertia counts, which cost one more factorization for
    /// `Lowest`; bands are always counted. Default true.
    pub prove_complete: bool,
    /// Whether eigenpairs keep their left vectors and multipliers, biorthonormal where eigenvalues are semisimple; otherwise
    /// both are empty. Error bounds and conditions need left vectors of unsymmetric problems, but only a few of their digits:
    /// without this their search ends sooner, and no memory is spent on them afterwards. Default false.
    pub left_vectors: bool,
    /// Bytes the factors or the Krylov basis may take; what is needed is estimated before. None for what the system
    /// reports as available. Default none.
    pub memory_limit: Option<u64>,
    /// How the answer is computed.
    pub expert: SparseExpert,
}

impl Default for SparseOptions {
    fn default() -> Self {
        Self {
            prove_complete: true,
            left_vectors: false,
            memory_limit: None,
            expert: SparseExpert::default(),
        }
    }
}

impl From<SparseExpert> for SparseOptions {
    fn from(expert: SparseExpert) -> Self {
        Self { expert, ..Self::default() }
    }
}

/// Settings of the sparse analyses for experts; tolerances are relative and free of units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseExpert {
    /// Default [`Solver::BuiltIn`].
    pub solver: Solver,
    /// Default [`Structure::Detect`].
    pub structure: Structure,
    /// Default [`Shift::Automatic`].
    pub shift: Shift,
    /// Residual of a converged Ritz pair relative to |theta| = 1 / |s - shift|. Default 1e-10; one further
    /// application of the operator then takes the vectors to rounding.
    pub tolerance: f64,
    /// Right-hand sides solved at once; none for a choice by size. Default none.
    pub block: Option<usize>,
    /// Largest Krylov basis; none for twice the count and a block. Default none.
    pub subspace: Option<usize>,
    /// Restarts of one run. Default 60.
    pub restarts: usize,
    /// As [`DenseOptions::most_zeros`](crate::DenseOptions::most_zeros). Default none.
    pub most_zeros: Option<usize>,
    /// At least so many directions have no stiffness, whatever the entries of K have been rounded to. Default 0.
    pub least_zeros: usize,
    /// A direction has no stiffness when every component of K x + Phi_q^T l is at most this fraction of that of
    /// |K| |x| + |Phi_q|^T |l|, in equilibrated coordinates and unless K is proved positive definite. Default 1e-13.
    pub zero_tolerance: f64,
    /// Rank of Phi_q, decided on rows scaled to length one. Default 1e-10.
    pub constraint_rank: RankTolerance,
    /// Asymmetry up to which a matrix counts as symmetric, of each pair of entries relative to them and to sqrt(|a_ii a_jj|). Default 1e-12.
    pub symmetry_tolerance: f64,
    /// Problems of up to this many unknowns go to the dense path when more than a third of all modes is asked
    /// for, and up to 40 where they are damped or unsymmetric; of these, larger ones too, up to [`Self::all_limit`], where a search and
    /// its proof would take longer by estimate, or where all eigenvalues are needed to see whether modes grow. Default 400; zero for never.
    pub dense_limit: usize,
    /// Largest n of a request for everything, whose memory grows with n^2. Default 4000.
    pub all_limit: usize,
    /// Operations a count of the eigenvalues inside a contour may take, by estimate: the proof that a damped problem has no
    /// further eigenvalue near the ones returned ([`crate::sparse::Region::Inside`]), or none larger than they are
    /// ([`crate::sparse::Region::Outside`]). With `prove_complete`. Default 5e9, a fraction of a second.
    pub count_operations: f64,
    /// Operations of a factorization from which on the lowest modes of an undamped symmetric problem are sought with factors
    /// in single precision first ([`crate::sparse::SparseFinding::ShortFactors`]); infinite for never. Default 1e10, where
    /// they begin to save time.
    pub single_from: f64,
    /// Whether a search that is interrupted ([`mb_algebra::interrupt`]) returns the eigenpairs found so far, with their error bounds
    /// and [`crate::sparse::SparseFinding::EndedEarly`], once it has any. Default false: the interrupt ends the call.
    pub keeps_at_interrupt: bool,
}

impl Default for SparseExpert {
    fn default() -> Self {
        Self {
            solver: Solver::default(),
            structure: Structure::default(),
            shift: Shift::default(),
            tolerance: tuning::TOLERANCE,
            block: None,
            subspace: None,
            restarts: tuning::STEPS,
            most_zeros: None,
            least_zeros: 0,
            zero_tolerance: 1e-13,
            constraint_rank: RankTolerance::default(),
            symmetry_tolerance: tuning::SYMMETRY,
            dense_limit: tuning::DENSE_UP_TO,
            all_limit: 4000,
            count_operations: 5e9,
            single_from: 1e10,
            keeps_at_interrupt: false,
        }
    }
}
