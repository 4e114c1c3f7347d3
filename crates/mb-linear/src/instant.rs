//! Linearization at an instant of any motion: matrices that hold there and then.
//!
//! ```text
//! M da + C dv + K dq + Phi_q^T dlambda = F du
//! Phi_q dq = 0,   Phi_q dv + Phi'_q dq = 0,   Phi_q da + Phi''_v dv + Phi''_q dq = 0
//! ```
//!
//! A small disturbance starts as these equations say. What becomes of it the next instants decide, so that there is no way from
//! here to a spectrum of exponents: the eigenvalues of the frozen matrices depend on the coordinates and are no rates
//! of growth.

use crate::error::{LinearError, no_velocity_rows};
use crate::linearize::inputs;
use crate::point::Instant;
use crate::turning::Turning;
use mb_algebra::{Dense, QuadraticPencil, RankTolerance, dense};
use mb_constraints::{NullSpace, NullSpaceMethod};
use mb_model::Model;
use mb_model::system::Blocks;

/// Derivatives of the constraint rates, m x n each.
#[derive(Clone, Debug)]
pub struct ConstraintRates<A = Dense> {
    /// d(Phi')/dq.
    pub phi_dot_q: A,
    /// d(Phi'')/dq.
    pub phi_ddot_q: A,
    /// d(Phi'')/dv.
    pub phi_ddot_v: A,
}

/// The blocks of the linearized equations at an instant.
#[derive(Clone, Debug)]
pub struct InstantSystem {
    /// Mass matrix M, n x n.
    pub m: Dense,
    /// Damping matrix C, n x n.
    pub c: Dense,
    /// Stiffness matrix K with the constraint-reaction stiffness, n x n.
    pub k: Dense,
    /// Constraint Jacobian Phi_q, m x n.
    pub phi_q: Dense,
    /// Input matrix F, n x inputs.
    pub f: Dense,
    /// Derivatives of the constraint rates.
    pub rates: ConstraintRates,
}

/// Linearizes at an instant of a motion.
pub fn linearize_instant(model: &Model, at: &Instant) -> InstantSystem {
    let point = at.point();
    let Blocks { m, mut c, mut k, phi_q } = model.dense_blocks(point);
    let mut rates = ConstraintRates {
        phi_dot_q: model.phi_dot_q(&point.q, &point.v, point.t).to_dense(),
        phi_ddot_q: model.phi_ddot_q(point).to_dense(),
        phi_ddot_v: model.phi_ddot_v(point).to_dense(),
    };
    if let Some(turning) = Turning::new(model, point) {
        (c, k) = turning.applied(&m, c, k);
        rates = turning.of_rates(&phi_q, rates);
    }
    InstantSystem { m, c, k, phi_q, f: inputs(model, point), rates }
}

/// The equations of an instant on its degrees of freedom, M_r z'' + C_r z' + K_r z = F_r u, for z = B dq with a constant B.
///
/// ```text
/// dq = R dz,   dv = R dz' + D dz,   da = R dz'' + E1 dz' + E0 dz
/// M_r = R^T M R,   C_r = R^T (C R + M E1),   K_r = R^T (K R + C D + M E0)
/// ```
#[derive(Clone, Debug)]
pub struct InstantMinimal {
    /// M_r, d x d.
    pub m: Dense,
    /// C_r, d x d.
    pub c: Dense,
    /// K_r, d x d.
    pub k: Dense,
    /// F_r, d x inputs.
    pub f: Dense,
    /// R and its complement.
    pub basis: NullSpace,
    /// What the change of R adds.
    pub motion: MotionTerms,
}

impl InstantMinimal {
    /// Degrees of freedom d.
    pub fn dof(&self) -> usize {
        self.m.nrows()
    }
    /// The frozen matrices as a problem of their own. Its eigenvalues depend on the choice of coordinates and are no
    /// rates at which a disturbance of the motion grows.
    pub fn frozen(&self) -> QuadraticPencil<Dense> {
        let (m, c, k) = (self.m.clone(), self.c.clone(), self.k.clone());
        QuadraticPencil { m, c, k, phi_q: Dense::zeros(0, self.dof()) }
    }
}

/// Reduces the equations of an instant to its degrees of freedom; `model` gives the names in messages.
///
/// # Errors
/// As [`crate::formulation::minimal::minimal`].
pub fn minimal_of_instant(
    model: &Model,
    lin: &InstantSystem,
    method: &NullSpaceMethod,
) -> Result<InstantMinimal, LinearError> {
    no_velocity_rows(model, "minimal form of an instant", "Simulate the motion, or ask for a steady one.")?;
    let basis = NullSpace::new(&lin.phi_q, method, RankTolerance::default(), |i| model.coordinate_name(i))?;
    let r = &basis.r;
    let motion = MotionTerms::new(&lin.rates, &basis);
    let m_r = dense::mul(&lin.m, r);
    let c_r = &dense::mul(&lin.c, r) + &dense::mul(&lin.m, &motion.e1);
    let k_r = &dense::mul(&lin.k, r) + &dense::mul(&lin.c, &motion.d);
    let k_r = &k_r + &dense::mul(&lin.m, &motion.e0);
    let [m, c, k] = [m_r, c_r, k_r].map(|x| dense::mul_transpose(r, &x));
    let f = dense::mul_transpose(r, &lin.f);
    Ok(InstantMinimal { m, c, k, f, basis, motion })
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
