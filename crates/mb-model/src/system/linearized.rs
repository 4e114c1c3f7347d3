//! All blocks of the linearization in one pass over the elements.

use super::PARALLEL_FROM;
use super::matrices::By;
use super::sweep::Scratch;
use crate::element::Data;
use crate::model::{Member, Model};
use crate::state::Point;
use mb_algebra::{Dense, Scatter, Sparse, Triplets};
use rayon::prelude::*;

/// M, C, K (nv x nv) and Phi_q (nc x nv) at one point.
///
/// ```text
/// M da + C dv + K dq + Phi_q^T dlambda = F du,   Phi_q dq = 0
/// ```
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
        let triplets = self.block_triplets(point);
        Blocks {
            m: triplets.m.to_sparse(),
            c: triplets.c.to_sparse(),
            k: triplets.k.to_sparse(),
            phi_q: triplets.phi_q.to_sparse(),
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
        self.blocks_of(self.members(), point, &mut out);
        out
    }
}

impl<P: Data> Model<P> {
    /// The blocks as triplets in the model's own scalar; large models use all cores.
    pub fn block_triplets(&self, point: &Point<P>) -> Blocks<Triplets<P>> {
        let (n, m) = (self.nv(), self.nc());
        let part = |members: &[Member<P>]| {
            let mut out = Blocks {
                m: Triplets::new(n, n),
                c: Triplets::new(n, n),
                k: Triplets::new(n, n),
                phi_q: Triplets::new(m, n),
            };
            self.blocks_of(members, point, &mut out);
            out
        };
        if self.members().len() < PARALLEL_FROM {
            return part(self.members());
        }
        let parts: Vec<_> = self.members().par_chunks(PARALLEL_FROM / 4).map(part).collect();
        let mut out = part(&[]);
        for p in parts {
            out.m.append(p.m);
            out.c.append(p.c);
            out.k.append(p.k);
            out.phi_q.append(p.phi_q);
        }
        out
    }
    /// Adds the blocks of some elements, in one pass on this thread.
    fn blocks_of<A: Scatter<P>>(&self, members: &[Member<P>], point: &Point<P>, out: &mut Blocks<A>) {
        let mut s = Scratch::default();
        for m in members {
            let depends = m.element.dependence();
            if depends.a || depends.v || depends.q {
                s.d1.gather(&m.wires, point, self.gravity);
                self.sweep_residual(By::Acceleration, &mut s.d1, m, point, &mut out.m);
                self.sweep_residual(By::Velocity, &mut s.d1, m, point, &mut out.c);
                self.sweep_residual(By::Configuration, &mut s.d1, m, point, &mut out.k);
            }
            let lambda = &point.lambda[m.row..m.row + m.rows];
            if m.wires.linear && lambda.iter().any(|l| *l != P::zero()) {
                sweep_constraint(&mut s, m, point, &mut out.k, &mut out.phi_q);
            } else {
                self.reaction_stiffness_of(&mut s, m, &point.q, point.t, &point.lambda, &mut out.k);
                self.phi_q_of(&mut s, m, &point.q, point.t, &mut out.phi_q);
            }
        }
    }
}

/// Reaction stiffness and Jacobian of one element from the same sweep: the first derivative
/// stands beside the second.
fn sweep_constraint<P: Data, A: Scatter<P>>(
    s: &mut Scratch<P>,
    m: &Member<P>,
    point: &Point<P>,
    k: &mut A,
    phi_q: &mut A,
) {
    let lambda = &point.lambda[m.row..m.row + m.rows];
    let f = &mut s.d2;
    f.gather_q(&m.wires, &point.q, point.t);
    for (j, col) in m.wires.v_index.iter().enumerate() {
        f.q[j].eps.re = P::one();
        for (i, row) in m.wires.v_index.iter().enumerate().skip(j) {
            f.q[i].re.eps = P::one();
            f.phi(m);
            f.q[i].re.eps = P::zero();
            let mut second = P::zero();
            for (r, (l, x)) in lambda.iter().zip(&f.out).enumerate() {
                second += *l * x.eps.eps;
                if i == j && x.eps.re != P::zero() {
                    phi_q.add(m.row + r, *col, x.eps.re);
                }
            }
            if second != P::zero() {
                k.add(*row, *col, second);
                if i != j {
                    k.add(*col, *row, second);
                }
            }
        }
        f.q[j].eps.re = P::zero();
    }
}
