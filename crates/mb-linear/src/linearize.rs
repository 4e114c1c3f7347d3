//! Linearization at an operating point: the exact blocks all formulations start from.
//!
//! ```text
//! M da + C dv + K dq + Phi_q^T dlambda = F du,   Phi_q dq = 0
//! ```
//!
//! with K = d(M a)/dq + d(Phi_q^T lambda)/dq - df/dq, C = -df/dv. Where bodies in space turn,
//! angular velocities are not rates of coordinates; the blocks then hold for the changes of the
//! coordinates and their true rates (see the module `turning`), so that C and K have more terms
//! than the model's own derivatives. In motion the rates of the constraints enter too:
//!
//! ```text
//! Phi_q dv + Phi'_q dq = 0,   Phi_q da + Phi''_v dv + Phi''_q dq = 0
//! ```
//!
//! Paper: [gonzalez2017] Eqs. (7)-(10).
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use crate::point::{OperatingPoint, PointKind};
use crate::turning::Turning;
use mb_algebra::{Dense, QuadraticPencil, Sparse, StiffnessParts};
use mb_model::Model;

/// Derivatives of the constraint rates, m x n each; absent at rest, where they vanish.
#[derive(Clone, Debug)]
pub struct ConstraintRates<A = Dense> {
    /// d(Phi')/dq.
    pub phi_dot_q: A,
    /// d(Phi'')/dq.
    pub phi_ddot_q: A,
    /// d(Phi'')/dv.
    pub phi_ddot_v: A,
}

/// The blocks of the linearized equations of motion.
#[derive(Clone, Debug)]
pub struct LinearizedSystem<A = Dense> {
    /// Mass matrix M, n x n.
    pub m: A,
    /// Damping matrix C, n x n.
    pub c: A,
    /// Stiffness matrix K with the constraint-reaction stiffness, n x n.
    pub k: A,
    /// K as a sum whose large part is exact, where elements tell such a part apart (flexible links) and storage is sparse.
    pub k_parts: Option<StiffnessParts<A>>,
    /// Constraint Jacobian Phi_q, m x n.
    pub phi_q: A,
    /// Input matrix F, n x inputs.
    pub f: A,
    /// Derivatives of the constraint rates, for a point of a motion.
    pub rates: Option<ConstraintRates<A>>,
}

/// A linearized system with sparse blocks.
pub type SparseSystem = LinearizedSystem<Sparse>;

impl LinearizedSystem<Dense> {
    /// Number of velocities n.
    pub fn n(&self) -> usize {
        self.m.nrows()
    }
    /// Number of constraint rows m.
    pub fn constraints(&self) -> usize {
        self.phi_q.nrows()
    }
    /// (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0.
    pub fn pencil(&self) -> QuadraticPencil<Dense> {
        QuadraticPencil { m: self.m.clone(), c: self.c.clone(), k: self.k.clone(), phi_q: self.phi_q.clone() }
    }
}

impl LinearizedSystem<Sparse> {
    /// (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0.
    pub fn pencil(&self) -> QuadraticPencil<Sparse> {
        QuadraticPencil { m: self.m.clone(), c: self.c.clone(), k: self.k.clone(), phi_q: self.phi_q.clone() }
    }
}

/// Linearizes at a verified point, with dense blocks.
pub fn linearize(model: &Model, at: &OperatingPoint) -> LinearizedSystem<Dense> {
    let point = at.point();
    let blocks = model.dense_blocks(point);
    let rates = (at.kind() == PointKind::Motion).then(|| ConstraintRates {
        phi_dot_q: model.phi_dot_q(&point.q, &point.v, point.t).to_dense(),
        phi_ddot_q: model.phi_ddot_q(point).to_dense(),
        phi_ddot_v: model.phi_ddot_v(point).to_dense(),
    });
    let f = if model.inputs().is_empty() {
        Dense::zeros(model.nv(), 0)
    } else {
        model.input_matrix(point).to_dense()
    };
    let (m, c, k, phi_q) = (blocks.m, blocks.c, blocks.k, blocks.phi_q);
    let lin = LinearizedSystem { m, c, k, k_parts: None, phi_q, f, rates };
    match Turning::dense(model, point) {
        Some(turning) => turning.of(lin),
        None => lin,
    }
}

/// Linearizes at a verified point, with sparse blocks: time and memory linear in the elements.
pub fn linearize_sparse(model: &Model, at: &OperatingPoint) -> SparseSystem {
    let point = at.point();
    let (blocks, k_parts) = model.blocks_in_parts(point);
    let rates = (at.kind() == PointKind::Motion).then(|| ConstraintRates {
        phi_dot_q: model.phi_dot_q(&point.q, &point.v, point.t).to_sparse(),
        phi_ddot_q: model.phi_ddot_q(point).to_sparse(),
        phi_ddot_v: model.phi_ddot_v(point).to_sparse(),
    });
    let f = model.input_matrix(point).to_sparse();
    let (m, c, k, phi_q) = (blocks.m, blocks.c, blocks.k, blocks.phi_q);
    let lin = LinearizedSystem { m, c, k, k_parts, phi_q, f, rates };
    match Turning::sparse(model, point) {
        Some(turning) => turning.of(lin),
        None => lin,
    }
}
