//! The matrices of linearized equations of motion.

use serde::{Deserialize, Serialize};

use crate::{Dense, Sparse, dense, sparse, to_dense, to_sparse};

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

/// A stiffness matrix as a sum K = exact + rounded, of which only the second part has errors of rounding.
///
/// Fine meshes of slender links have entries, 12 EI / h^3, that exceed the stiffness of their low modes by h^-4 and more, so
/// that K itself, rounded to double precision, no longer determines these modes. The sum does, and who needs only some
/// digits takes [`Self::sum`].
#[derive(Clone, Debug, PartialEq)]
pub struct StiffnessParts<A = Sparse> {
    /// Large entries that all are multiples of one power of two, and exact; n x n.
    pub exact: A,
    /// The rest, n x n; each entry has the error of a few roundings of its own size.
    pub rounded: A,
}

impl StiffnessParts<Sparse> {
    /// K, each entry rounded.
    pub fn sum(&self) -> Sparse {
        sparse::add(1.0, &self.exact, 1.0, &self.rounded)
    }
}

/// E y' = A y, with E possibly singular.
#[derive(Clone, Debug, PartialEq)]
pub struct DescriptorPencil<A = Dense> {
    /// The matrix before the rate.
    pub e: A,
    /// The matrix before the state.
    pub a: A,
}

/// The blocks of a penalty form, which takes Phi_q^T (Xi (Phi'' + Theta Phi' + Omega Phi)) in place of reactions, kept apart.
///
/// ```text
/// M_p = M + Phi_q^T Xi Phi_q,   C_p = C + Phi_q^T Xi Theta Phi_q,   K_p = K + Phi_q^T Xi Omega Phi_q
/// ```
#[derive(Clone, Debug)]
pub struct PenaltyBlocks {
    /// Mass matrix M, n x n.
    pub m: Sparse,
    /// Damping matrix C, n x n.
    pub c: Sparse,
    /// Stiffness matrix K with the reaction stiffness of the penalty forces, n x n.
    pub k: Sparse,
    /// Jacobian of the constraints that the penalty replaces, m x n.
    pub phi_q: Sparse,
    /// Xi, m x m.
    pub xi: Dense,
    /// Theta, m x m.
    pub theta: Dense,
    /// Omega, m x m.
    pub omega: Dense,
    /// K as a sum whose large part is exact, where it is known.
    pub k_parts: Option<StiffnessParts>,
}

impl PenaltyBlocks {
    /// The same problem with the violations e = Phi_q x as unknowns of their own, n + m unknowns and m constraint rows.
    ///
    /// ```text
    /// diag(M, Xi),  diag(C, Xi Theta),  diag(K, Xi Omega),   [Phi_q  -I] [x; e] = 0
    /// ```
    ///
    /// Nothing of the size of Xi meets the entries of M and K, and no product fills a sparse matrix; the multipliers are
    /// the penalty forces.
    pub fn to_constrained(&self) -> QuadraticPencil<Sparse> {
        let (n, m) = (self.m.rows(), self.phi_q.rows());
        let size = [n, m];
        let beside = |a: &Sparse, by: &Dense| {
            let own = to_sparse(by);
            sparse::blocks(&[&[Some(a), None], &[None, Some(&own)]], &size, &size)
        };
        let less = sparse::scale(-1.0, &sparse::identity(m));
        QuadraticPencil {
            m: beside(&self.m, &self.xi),
            c: beside(&self.c, &dense::mul(&self.xi, &self.theta)),
            k: beside(&self.k, &dense::mul(&self.xi, &self.omega)),
            phi_q: sparse::blocks(&[&[Some(&self.phi_q), Some(&less)]], &[m], &size),
        }
    }
}

/// Which Jacobian blocks of a descriptor pencil stand in E instead of A.
///
/// Moving one trades infinite eigenvalues for zeros (`gonzalez2017` Sec. 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Transferred {
    /// Phi_q of the constraint rows: the constraints are imposed on velocities, Phi_q q' = 0.
    pub phi_q: bool,
    /// Phi_q^T of the dynamic rows: the unknown is the impulse of the reactions, Phi_q^T mu'.
    pub phi_q_t: bool,
}

impl Transferred {
    /// All four variants.
    pub const ALL: [Self; 4] = [
        Self { phi_q: false, phi_q_t: false },
        Self { phi_q: true, phi_q_t: false },
        Self { phi_q: false, phi_q_t: true },
        Self { phi_q: true, phi_q_t: true },
    ];

    /// Number of blocks moved.
    pub fn count(self) -> usize {
        usize::from(self.phi_q) + usize::from(self.phi_q_t)
    }
}

impl std::fmt::Display for Transferred {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match (self.phi_q, self.phi_q_t) {
            (false, false) => "descriptor",
            (true, false) => "jacobian-in-e",
            (false, true) => "transpose-in-e",
            (true, true) => "both-in-e",
        })
    }
}

impl QuadraticPencil<Dense> {
    /// The descriptor pencil E y' = A y with y = (q, v, multipliers), (2n + m) x (2n + m).
    ///
    /// ```text
    /// E = [I 0 0; 0 M 0; 0 0 0],   A = [0 I 0; -K -C -Phi_q^T; -Phi_q 0 0]
    /// ```
    ///
    /// with Phi_q, Phi_q^T or both in E instead where `transferred` says so. The blocks must fit
    /// together (panics where an entry is missing).
    pub fn to_descriptor(&self, transferred: Transferred) -> DescriptorPencil<Dense> {
        let Self { m: mass, c, k, phi_q } = self;
        let (m, n) = phi_q.shape();
        let size = 2 * n + m;
        let (mut e, mut a) = (Dense::zeros(size, size), Dense::zeros(size, size));
        for j in 0..n {
            e[(j, j)] = 1.0;
            a[(j, n + j)] = 1.0;
            for i in 0..n {
                e[(n + i, n + j)] = mass[(i, j)];
                a[(n + i, j)] = -k[(i, j)];
                a[(n + i, n + j)] = -c[(i, j)];
            }
            for i in 0..m {
                let phi = phi_q[(i, j)];
                if transferred.phi_q {
                    e[(2 * n + i, j)] = phi;
                } else {
                    a[(2 * n + i, j)] = -phi;
                }
                if transferred.phi_q_t {
                    e[(n + j, 2 * n + i)] = phi;
                } else {
                    a[(n + j, 2 * n + i)] = -phi;
                }
            }
        }
        DescriptorPencil { e, a }
    }

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
