//! MCS: velocity projection onto the admissible motions.
//!
//! ```text
//! dq = R z,   Phi_q R = 0
//! M_r = R^T M R,   C_r = R^T C R,   K_r = R^T K R,   F_r = R^T F
//! ```
//!
//! R is constant, at rest and in the frame that moves along with a steady motion: there Phi_q is constant, and the terms that
//! a changing basis would bring are those of the frame, which C and K have already. The term dR^T/dz (M a - f) of the paper is
//! R^T d(Phi_q^T lambda)/dq R: it is the constraint-reaction stiffness, in K. For an instant of any motion there is
//! [`crate::minimal_of_instant`].
//!
//! Paper: [gonzalez2017] Eqs. (2)-(6), (16).
//! Fails: `SelectionFails` where the chosen coordinates do not determine the others.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use crate::error::LinearError;
use crate::linearize::LinearizedSystem;
use mb_algebra::{Dense, QuadraticPencil, RankTolerance, dense};
use mb_constraints::{NullSpace, NullSpaceMethod};
use mb_model::Model;

/// M_r z'' + C_r z' + K_r z = F_r u.
#[derive(Clone, Debug)]
pub struct MinimalSystem {
    /// Reduced mass matrix, d x d.
    pub m: Dense,
    /// Reduced damping matrix, d x d.
    pub c: Dense,
    /// Reduced stiffness matrix, d x d.
    pub k: Dense,
    /// Reduced input matrix, d x inputs.
    pub f: Dense,
    /// The basis R and its complement.
    pub basis: NullSpace,
}

impl MinimalSystem {
    /// Degrees of freedom d.
    pub fn dof(&self) -> usize {
        self.m.nrows()
    }
    /// The reduced matrices as a problem without constraints.
    pub fn pencil(&self) -> QuadraticPencil<Dense> {
        QuadraticPencil {
            m: self.m.clone(),
            c: self.c.clone(),
            k: self.k.clone(),
            phi_q: Dense::zeros(0, self.dof()),
        }
    }
}

/// Reduces a linearized system to its degrees of freedom.
///
/// `model` gives the names in messages.
///
/// # Errors
/// [`mb_constraints::ConstraintError::SelectionFails`] for a selection of coordinates that fails
/// here; `minimal_reselecting` chooses again instead.
pub fn minimal(
    model: &Model,
    lin: &LinearizedSystem,
    method: &NullSpaceMethod,
) -> Result<MinimalSystem, LinearError> {
    let basis = NullSpace::new(&lin.phi_q, method, RankTolerance::default(), |i| model.coordinate_name(i))?;
    Ok(project(lin, basis))
}

/// As [`minimal`], but a selection that fails is replaced by an automatic one.
///
/// The second value says whether that happened, with the message of the failure.
///
/// # Errors
/// Entries that are not finite.
pub fn minimal_reselecting(
    model: &Model,
    lin: &LinearizedSystem,
    method: &NullSpaceMethod,
) -> Result<(MinimalSystem, Option<String>), LinearError> {
    match minimal(model, lin, method) {
        Err(LinearError::Constraint(e @ mb_constraints::ConstraintError::SelectionFails { .. })) => {
            let system = minimal(model, lin, &NullSpaceMethod::CoordinateSelection(None))?;
            Ok((system, Some(e.to_string())))
        }
        other => other.map(|system| (system, None)),
    }
}

fn project(lin: &LinearizedSystem, basis: NullSpace) -> MinimalSystem {
    let r = &basis.r;
    let reduced = |x: &Dense| dense::mul_transpose(r, &dense::mul(x, r));
    let f = dense::mul_transpose(r, &lin.f);
    MinimalSystem { m: reduced(&lin.m), c: reduced(&lin.c), k: reduced(&lin.k), f, basis }
}
