//! Static stability: the sign of the stiffness along the admissible motions.
//!
//! ```text
//! K_r = R^T K R,   Phi_q R = 0
//! ```
//!
//! For forces with a potential an equilibrium is stable when K_r is positive definite; the
//! number of negative eigenvalues is the number of unstable directions.

use super::Equilibrium;
use crate::error::LinearError;
use mb_algebra::{RankTolerance, SymmetricEigen, dense};
use mb_constraints::{NullSpace, NullSpaceMethod};
use mb_model::Model;

/// Stability of an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// K_r is positive definite.
    Stable,
    /// K_r has `directions` negative eigenvalues.
    Unstable {
        /// Number of unstable directions.
        directions: usize,
    },
    /// K_r has zero eigenvalues and no negative ones: a free motion, or a higher-order case.
    Neutral {
        /// Number of directions without stiffness.
        directions: usize,
    },
    /// K is not symmetric (follower loads), so its sign does not decide; the eigenvalues of
    /// the linearized system do.
    Undecided,
}

impl std::fmt::Display for Stability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stable => f.write_str("stable"),
            Self::Unstable { directions: 1 } => f.write_str("unstable in 1 direction"),
            Self::Unstable { directions } => write!(f, "unstable in {directions} directions"),
            Self::Neutral { directions: 1 } => f.write_str("neutral in 1 direction"),
            Self::Neutral { directions } => write!(f, "neutral in {directions} directions"),
            Self::Undecided => f.write_str("undecided by stiffness (loads without a potential)"),
        }
    }
}

/// Tells whether an equilibrium is stable, from the dense reduced stiffness.
///
/// # Errors
/// Entries that are not finite.
pub fn stability(model: &Model, equilibrium: &Equilibrium) -> Result<Stability, LinearError> {
    let blocks = model.dense_blocks(equilibrium.point());
    let basis = NullSpace::new(&blocks.phi_q, &NullSpaceMethod::Qr, RankTolerance::default(), |i| {
        model.coordinate_name(i)
    })?;
    let k_r = dense::mul_transpose(&basis.r, &dense::mul(&blocks.k, &basis.r));
    if dense::is_symmetric(&k_r, 1e-9).is_err() {
        return Ok(Stability::Undecided);
    }
    let values = SymmetricEigen::new(&dense::symmetric_part(&k_r))?.values;
    // Zero is what rounding in K can make of it.
    let cut = 1e-10 * mb_algebra::norms::max_abs(&blocks.k);
    let negative = values.iter().filter(|x| **x < -cut).count();
    let zero = values.iter().filter(|x| x.abs() <= cut).count();
    Ok(match (negative, zero) {
        (0, 0) => Stability::Stable,
        (0, directions) => Stability::Neutral { directions },
        (directions, _) => Stability::Unstable { directions },
    })
}
