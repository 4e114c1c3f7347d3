//! Random problems whose eigenvalues are known in closed form, what is asked of them, and whether the answers are true.
//!
//! ```text
//! blocks     R^T B diag(D_1, D_2, ..) R with blocks D_i of integer coefficients and integer R, B of determinant one
//! chains     two planes of N masses m between anchors held by constraints, springs k, with w_j = 2 sqrt(k/m) sin(j pi / (2 (N + 1))):
//!            s^2 + (a + b w_j^2 + 2 i W) s + w_j^2 + i c = 0 and its conjugate
//! joined     the same with every mass in two halves, which constraints tie to each other or against each other
//! lattices   the same as chains with w^2 a sum over two or three axes, one to three coordinates a node
//! penalties  pairs of masses tied by penalties, det of two by two, mixed as blocks are
//! rational   arbitrary entries; the zeros of the determinant in exact arithmetic
//! ```
//!
//! The matrices are exact in double precision. a and b are damping in proportion to M and K, W a spin (Coriolis forces), c
//! circulatory forces, which make K unsymmetric and some eigenvalues grow. Coordinates of the blocks that constraints
//! hold at zero come last in front of R, and B leaves their equations alone.

pub(crate) mod asked;
mod blocks;
mod chains;
pub(crate) mod claims;
mod joined;
mod lattices;
mod penalties;
pub(crate) mod rational;

use mb_algebra::{PenaltyBlocks, QuadraticPencil, Sparse, c64, norms};

pub(crate) use blocks::blocks;
pub(crate) use chains::chains;
pub(crate) use joined::joined;
pub(crate) use lattices::{large_lattices, lattices, small_lattices};
pub(crate) use penalties::penalties;
#[cfg(test)]
pub(crate) use penalties::resonant_penalties;

/// An eigenvalue, and how far rounding of its formula may have moved it.
pub(crate) type Known = (c64, f64);

/// A problem with its finite eigenvalues.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) pencil: QuadraticPencil<Sparse>,
    pub(crate) exact: Vec<Known>,
    pub(crate) kind: &'static str,
    /// Rank of Phi_q.
    pub(crate) rank: usize,
    pub(crate) penalty: Option<Penalty>,
}

/// The same with penalties in place of the constraints.
#[derive(Clone, Debug)]
pub(crate) struct Penalty {
    pub(crate) blocks: PenaltyBlocks,
    /// The eigenvalues of the mechanism as the penalties leave them.
    pub(crate) physical: Vec<Known>,
    /// Eigenvalues of the penalties.
    pub(crate) spurious: Vec<Known>,
    /// Which of the eigenvalues of the mechanism share their energy with one of the penalty, so that either may stand
    /// for it.
    pub(crate) mixed: Vec<usize>,
}

impl Problem {
    /// Whether all eigenvalues are +-sqrt(-w) of K x = w M x with symmetric matrices.
    pub(crate) fn is_undamped(&self) -> bool {
        let symmetric = |a: &Sparse| a.iter().all(|(v, (i, j))| a.get(j, i) == Some(v) || *v == 0.0);
        norms::max_abs(&self.pencil.c) == 0.0 && symmetric(&self.pencil.m) && symmetric(&self.pencil.k)
    }
}

fn z(re: f64, im: f64) -> c64 {
    c64::new(re, im)
}

/// Eigenvalues of s^2 + b s + c with what rounding of b and c does to them.
fn quadratic_eigenvalues(b: c64, c: c64) -> [Known; 2] {
    let d = (b * b - 4.0 * c).sqrt();
    let d = if (b.conj() * d).re < 0.0 { -d } else { d };
    let first = -0.5 * (b + d);
    let second = if c == z(0.0, 0.0) { c } else { c / first };
    [first, second].map(|s| {
        let change = 8.0 * f64::EPSILON * (b.norm() * s.norm() + c.norm() + s.norm_sqr());
        // Next to each other roots move with the square root.
        (s, if change > 0.0 { (change / d.norm()).min(2.0 * change.sqrt()) } else { 0.0 })
    })
}
