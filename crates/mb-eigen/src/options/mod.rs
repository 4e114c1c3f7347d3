//! Settings of the analyses.

mod sparse;

use mb_algebra::RankTolerance;

use crate::tuning;

pub use sparse::{Shift, Solver, SparseExpert, SparseOptions, Structure};

/// What is done to eigenvalues after the matrix eigensolver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refinement {
    /// Nothing.
    None,
    /// Two-sided Rayleigh quotient on the original matrices: nearly free, removes most of what the reduction of
    /// a stiff problem costs the low eigenvalues.
    RayleighQuotient,
    /// Inverse iteration on the original saddle-point matrix for the eigenvalues of smallest magnitude, the
    /// Rayleigh quotient for the others. One factorization of size n + r per eigenvalue.
    InverseIteration {
        /// How many eigenvalues; a conjugate pair counts as one.
        lowest: usize,
    },
}

/// Settings of the dense analyses; every tolerance is relative and free of units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DenseOptions {
    /// Rank of Phi_q, decided on rows scaled to length one. Default 1e-10.
    pub constraint_rank: RankTolerance,
    /// A direction x of the null space of Phi_q has no stiffness when every component of the rest of K x is at most this
    /// fraction of that of |K| |x|, in equilibrated coordinates and unless K is proved positive definite; such eigenvalues are exactly
    /// zero. Default 16 units in the last place: what rounding of the entries may have done. Where no basis of the constraints
    /// mixes coordinates, a change of each entry by four units in the last place must suffice as well.
    pub zero_tolerance: f64,
    /// The most directions without stiffness there can be, where more is known of K >= 0 than its entries show; zero says that it is
    /// positive definite on the null space of Phi_q. Default none.
    pub most_zeros: Option<usize>,
    /// The same for the mass matrix: such eigenvalues are infinite. Default as for stiffness.
    pub mass_tolerance: f64,
    /// Asymmetry of the reduced M and K, relative to their largest entry, up to which they count as symmetric.
    /// Default 1e-12.
    pub symmetry_tolerance: f64,
    /// Default [`Refinement::RayleighQuotient`].
    pub refinement: Refinement,
    /// Whether an interrupt ([`mb_algebra::interrupt`]) that comes when the eigenvalues are known, in their certification or refinement, leaves
    /// them with their error bounds ([`crate::sparse::SparseFinding::EndedEarly`]) in place of unwinding. In the decomposition there is nothing
    /// to keep. Default false.
    pub keeps_at_interrupt: bool,
}

impl Default for DenseOptions {
    fn default() -> Self {
        Self {
            constraint_rank: RankTolerance::default(),
            // What a few roundings in the making of every entry can do to A x, relative to |A| |x|.
            zero_tolerance: tuning::SUM_ROUNDINGS,
            most_zeros: None,
            mass_tolerance: tuning::SUM_ROUNDINGS,
            symmetry_tolerance: tuning::SYMMETRY,
            refinement: Refinement::RayleighQuotient,
            keeps_at_interrupt: false,
        }
    }
}
