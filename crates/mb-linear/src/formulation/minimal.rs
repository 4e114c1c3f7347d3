//! MCS: velocity projection onto the admissible motions.
//!
//! ```text
//! v = R z' + (driven part),   H1 = R^T (M a - f) = 0
//! ```
//!
//! with every term of the derivative of H1, at rest and in motion. With B R = I for a constant
//! B (see [`NullSpace`]) and S the particular solution of the constraints,
//!
//! ```text
//! dq = R dz
//! dv = R dz' + D dz,                 D  = -S Phi'_q R                  (dR/dz z')
//! da = R dz'' + E1 dz' + E0 dz,      E1 = -S Phi''_v R                 (d(R' z')/dz')
//!                                    E0 = -S (Phi''_q R + Phi''_v D)   (dR/dz z'' + d(R' z')/dz)
//!
//! M_r = R^T M R,   C_r = R^T (C R + M E1),   K_r = R^T (K R + C D + M E0),   F_r = R^T F
//! ```
//!
//! The term dR^T/dz (M a - f) of the paper is R^T d(Phi_q^T lambda)/dq R: it is the
//! constraint-reaction stiffness, already in K. At rest D = E0 = E1 = 0 and Eq. (16) remains.
//!
//! Paper: [gonzalez2017] Eqs. (2)-(6), (16).
//! Fails: `SelectionFails` where the chosen coordinates do not determine the others.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use crate::error::LinearError;
use crate::linearize::{ConstraintRates, LinearizedSystem};
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
    /// D: dv = R dz' + D dz (n x d); absent at rest.
    pub motion: Option<MotionTerms>,
}

/// The terms that the change of R adds in motion, n x d each.
#[derive(Clone, Debug)]
pub struct MotionTerms {
    /// dv per dz.
    pub d: Dense,
    /// da per dz'.
    pub e1: Dense,
    /// da per dz.
    pub e0: Dense,
}

impl MotionTerms {
    /// From the constraint rates, which must vanish for dq = R dz to stay on the constraints.
    pub(crate) fn new(rates: &ConstraintRates, basis: &NullSpace) -> Self {
        let r = &basis.r;
        let negative = |a: Dense| dense::scale(-1.0, &a);
        let d = negative(basis.particular_mat(&dense::mul(&rates.phi_dot_q, r)));
        let e1 = negative(basis.particular_mat(&dense::mul(&rates.phi_ddot_v, r)));
        let change = &dense::mul(&rates.phi_ddot_q, r) + &dense::mul(&rates.phi_ddot_v, &d);
        let e0 = negative(basis.particular_mat(&change));
        Self { d, e1, e0 }
    }
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
/// The second value tells whether that happened, with the message of the failure.
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
    let m_r = dense::mul(&lin.m, r);
    let mut c_r = dense::mul(&lin.c, r);
    let mut k_r = dense::mul(&lin.k, r);
    let motion = lin.rates.as_ref().map(|rates| MotionTerms::new(rates, &basis));
    if let Some(terms) = &motion {
        c_r = &c_r + &dense::mul(&lin.m, &terms.e1);
        k_r = &(&k_r + &dense::mul(&lin.c, &terms.d)) + &dense::mul(&lin.m, &terms.e0);
    }
    MinimalSystem {
        m: dense::mul_transpose(r, &m_r),
        c: dense::mul_transpose(r, &c_r),
        k: dense::mul_transpose(r, &k_r),
        f: dense::mul_transpose(r, &lin.f),
        basis,
        motion,
    }
}
