//! All blocks of the linearization in one pass over the elements.

use super::matrices::By;
use super::sweep::Scratch;
use crate::element::Data;
use crate::model::Model;
use crate::state::Point;
use mb_algebra::{Dense, Scatter, Sparse, Triplets};

/// M, C, K (nv x nv) and Phi_q (nc x nv) at one point.
///
///     M da + C dv + K dq + Phi_q^T dlambda = F du,   Phi_q dq = 0
#[derive(Clone, Debug)]
pub struct Blocks<A> {
    /// Mass matrix.
    pub m: A,
    /// Damping matrix.
    pub c: A,
    /// Stiffness matrix with the constraint-reaction stiffness.
    pub k: A,
    /// Constraint Jacobian.
    pub phi_q: A,
}

/// The blocks as sparse matrices.
pub type LinearizedBlocks = Blocks<Sparse>;

impl Model<f64> {
    /// The blocks as sparse matrices; time and memory linear in the number of elements.
    pub fn blocks(&self, point: &Point) -> LinearizedBlocks {
        Blocks {
            m: self.mass(point).to_sparse(),
            c: self.damping(point).to_sparse(),
            k: self.stiffness(point).to_sparse(),
            phi_q: self.phi_q(&point.q, point.t).to_sparse(),
        }
    }
    /// The blocks as dense matrices, for small models: elements add straight into place.
    pub fn dense_blocks(&self, point: &Point) -> Blocks<Dense> {
        let (n, m) = (self.nv(), self.nc());
        let mut out = Blocks {
            m: Dense::zeros(n, n),
            c: Dense::zeros(n, n),
            k: Dense::zeros(n, n),
            phi_q: Dense::zeros(m, n),
        };
        self.blocks_into(point, &mut out);
        out
    }
}

impl<P: Data> Model<P> {
    /// The blocks as triplets in the model's own scalar.
    pub fn block_triplets(&self, point: &Point<P>) -> Blocks<Triplets<P>> {
        let (n, m) = (self.nv(), self.nc());
        let mut out = Blocks {
            m: Triplets::new(n, n),
            c: Triplets::new(n, n),
            k: Triplets::new(n, n),
            phi_q: Triplets::new(m, n),
        };
        self.blocks_into(point, &mut out);
        out
    }
    /// Adds the blocks of every element, in one pass on this thread.
    pub fn blocks_into<A: Scatter<P>>(&self, point: &Point<P>, out: &mut Blocks<A>) {
        let mut s = Scratch::default();
        for m in self.members() {
            self.residual_by(By::Acceleration, &mut s, m, point, &mut out.m);
            self.residual_by(By::Velocity, &mut s, m, point, &mut out.c);
            self.residual_by(By::Configuration, &mut s, m, point, &mut out.k);
            self.reaction_stiffness_of(&mut s, m, &point.q, point.t, &point.lambda, &mut out.k);
            self.phi_q_of(&mut s, m, &point.q, point.t, &mut out.phi_q);
        }
    }
}
