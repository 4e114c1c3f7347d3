//! How far from singular P is off a block of the basis that holds all lower modes.
//!
//! ```text
//! B = span of the first vectors of V, B' its complement in X;   P = [P_1, P_12; P_12^T, P_2],   S = P_2 - P_12^T P_1^-1 P_12
//! Re conj(u) x* P_2 x >= d |x|_X^2,              d, u by m <= mu = tau + rho (`definite.rs`)
//! Re conj(u) x* S x >= beta |x|_X^2,             beta = d - largest eigenvalue of Re conj(u) T,   T = L^T E^T P_1^-1 E L
//! ```
//!
//! Every eigenvalue of X^-1 M but those of the p modes counted below Lambda is at most tau = 1 / (Lambda + sigma). rho is the
//! norm of what X^-1 M Phi of their approximations has outside their span; where Phi^T M Phi > tau + rho, Weyl's inequality leaves at
//! most tau + rho for the complement. Only M, C and K symmetric is used, neither the sign nor the kind of C: i w C is
//! skew-Hermitian and i eta K too. The coupling P_12 acts through X^-1 M B and X^-1 C B together with B, whose Gram matrix is L L^T.

use super::space::Space;
use super::{Unproved, rank_factor};
use mb_algebra::{Dense, DenseC, LuComplex, SymmetricEigen, c64, dense};

/// The part of the coupling left out of its factor, relative.
const LEFT_OUT: f64 = 1e-26;

/// A block with its coupling to the rest.
#[derive(Debug)]
pub(super) struct Block {
    size: usize,
    /// L, (images of the block) x rank: those of M first.
    factor: Dense,
    /// Norm of what L leaves out.
    rest: f64,
    damped: bool,
}

impl Block {
    /// The first `size` vectors.
    pub(super) fn new(space: &Space<'_>, size: usize) -> Result<Self, Unproved> {
        let mut columns = vec![&space.of_m];
        columns.extend(space.of_c.as_ref());
        let damped = columns.len() == 2;
        let k = space.v.ncols();
        let (g, errors) = space.outside(size, &columns);
        let chosen: Vec<usize> = (0..size).chain((0..size).filter(|_| damped).map(|j| k + j)).collect();
        let g = dense::select_columns(&g, &chosen);
        let gram = dense::symmetric_part(&dense::mul_transpose(&g, &space.x_times(&g)));
        let error = chosen.iter().map(|j| errors[*j] * errors[*j]).sum::<f64>().sqrt();
        let (factor, rest) = rank_factor(&gram, LEFT_OUT)?;
        Ok(Self { size, factor, rest: rest + error, damped })
    }

    /// beta at s = i omega for the reduced matrix P of all of V with its factors; none where it is not positive.
    pub(super) fn beta(
        &self,
        s: c64,
        of_m: c64,
        (reduced, whole): (&DenseC, &LuComplex),
        (d, u): (f64, c64),
    ) -> Option<f64> {
        if self.size == 0 {
            return Some(d);
        }
        let own;
        let lu = if self.size == reduced.nrows() {
            whole
        } else {
            own = LuComplex::new(&DenseC::from_fn(self.size, self.size, |i, j| reduced[(i, j)])).ok()?;
            &own
        };
        let coupled = DenseC::from_fn(self.size, self.factor.ncols(), |j, col| {
            let m = of_m * self.factor[(j, col)];
            if self.damped { m + s * self.factor[(self.size + j, col)] } else { m }
        });
        let solved = lu.solve_mat(&coupled);
        let t = dense::mul_complex(&coupled.transpose().to_owned(), &solved);
        let real = Dense::from_fn(t.nrows(), t.ncols(), |i, j| 0.5 * (u.conj() * (t[(i, j)] + t[(j, i)])).re);
        let size = |a: &DenseC| {
            (0..a.ncols()).flat_map(|j| a.col_as_slice(j)).map(c64::norm_sqr).sum::<f64>().sqrt()
        };
        let frobenius =
            (0..real.ncols()).flat_map(|j| real.col_as_slice(j)).map(|x| x * x).sum::<f64>().sqrt();
        // What the factor leaves out: norms of the inverse from its condition, with a margin for the estimate.
        let rest = (of_m.norm() + s.norm()) * self.rest;
        let inverse = 10.0 * (self.size as f64).sqrt() / (lu.rcond() * lu.norm_one());
        let slack = 2.0 * rest * size(&solved) + rest * rest * inverse;
        let largest = if frobenius <= 0.05 * d || real.ncols() == 0 {
            frobenius
        } else {
            SymmetricEigen::new(&real).ok()?.values.last().copied()?.max(0.0) + 1e-13 * size(&t)
        };
        let beta = d - largest - slack;
        (beta.is_finite() && beta > 0.02 * d).then_some(beta)
    }
}
