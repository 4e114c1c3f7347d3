//! The matrices of linearized equations of motion.

use crate::{Dense, Sparse, to_dense, to_sparse};

/// (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0, with n unknowns and m constraint equations.
#[derive(Clone, Debug, PartialEq)]
pub struct QuadraticPencil<A = Dense> {
    /// Mass matrix dr/da, n x n.
    pub m: A,
    /// Damping and gyroscopic matrix dr/dv, n x n.
    pub c: A,
    /// Stiffness matrix dr/dq with the stiffness of the constraint reactions, n x n.
    pub k: A,
    /// Constraint Jacobian, m x n; it has no rows when the motion is free of constraints.
    pub phi_q: A,
}

/// E y' = A y, with E possibly singular.
#[derive(Clone, Debug, PartialEq)]
pub struct DescriptorPencil<A = Dense> {
    /// The matrix before the rate.
    pub e: A,
    /// The matrix before the state.
    pub a: A,
}

impl QuadraticPencil<Dense> {
    /// The same matrices in sparse storage, exact zeros left out.
    pub fn to_sparse(&self) -> QuadraticPencil<Sparse> {
        QuadraticPencil {
            m: to_sparse(&self.m),
            c: to_sparse(&self.c),
            k: to_sparse(&self.k),
            phi_q: to_sparse(&self.phi_q),
        }
    }
}

impl QuadraticPencil<Sparse> {
    /// The same matrices in dense storage.
    pub fn to_dense(&self) -> QuadraticPencil<Dense> {
        QuadraticPencil {
            m: to_dense(&self.m),
            c: to_dense(&self.c),
            k: to_dense(&self.k),
            phi_q: to_dense(&self.phi_q),
        }
    }
}

impl DescriptorPencil<Dense> {
    /// The same matrices in sparse storage, exact zeros left out.
    pub fn to_sparse(&self) -> DescriptorPencil<Sparse> {
        DescriptorPencil { e: to_sparse(&self.e), a: to_sparse(&self.a) }
    }
}

impl DescriptorPencil<Sparse> {
    /// The same matrices in dense storage.
    pub fn to_dense(&self) -> DescriptorPencil<Dense> {
        DescriptorPencil { e: to_dense(&self.e), a: to_dense(&self.a) }
    }
}
