//! How far from singular P is off a block of the basis that holds all lower modes.
//!
//! ```text
//! B = span of the first vectors of V, B' its complement in X;   P = [P_1, P_12; P_21, P_2],   S = P_2 - P_21 P_1^-1 P_12
//! Re conj(u) x* P_2 x >= d |x|_X^2,              d, u by m <= mu = tau + rho (`definite.rs`, `turning.rs`)
//! Re conj(u) x* S x >= beta |x|_X^2,             beta = d - largest eigenvalue of the Hermitian part of conj(u) T
//! T = L^T E_r^T P_1^-1 E_l L
//! ```
//!
//! Every eigenvalue of X^-1 M but those of the p modes counted below Lambda is at most tau = 1 / (Lambda + sigma). rho is the
//! norm of what X^-1 M Phi of their approximations has outside their span; where Phi^T M Phi > tau + rho, Weyl's inequality leaves at
//! most tau + rho for the complement. Of symmetric M, C and K neither the sign nor the kind of C is used: i w C is skew-Hermitian and
//! i eta K too. So is K_k, what is skew in K. The couplings P_21 and P_12 act through the images X^-1 M B, X^-1 C B, X^-1 C^T B, .. with the
//! factors E_r on the right and E_l on the left; L L^T is the Gram matrix of these images outside B.

use super::space::Space;
use super::{Unproved, rank_factor};
use mb_algebra::{Dense, DenseC, LuComplex, SymmetricEigen, c64, dense};

/// The part of the coupling left out of its factor, relative.
const LEFT_OUT: f64 = 1e-26;
/// Shares of d up to which a norm serves for the largest eigenvalue, and the norm of a square.
const NEGLIGIBLE: f64 = 0.05;
const SMALL: f64 = 0.3;

/// A block with its coupling to the rest.
#[derive(Debug)]
pub(super) struct Block {
    size: usize,
    /// L by image, each `size` x rank, of images times their scale.
    factors: Vec<Dense>,
    /// Sizes of the factors of the images at omega^2 = sigma, so that scaled images are of one size.
    scales: Vec<f64>,
    /// Norm of what L leaves out.
    rest: f64,
}

impl Block {
    /// The first `size` vectors.
    pub(super) fn new(space: &Space<'_>, size: usize) -> Result<Self, Unproved> {
        let images = space.images_of_v();
        let k = space.v.ncols();
        let (g, errors) = space.outside(size, &images);
        let chosen: Vec<usize> = (0..images.len()).flat_map(|a| (0..size).map(move |j| a * k + j)).collect();
        let omega = space.sigma.sqrt();
        let both = [false, true].map(|left| space.factors(c64::new(omega, 0.0), space.sigma.into(), left));
        let scales: Vec<f64> = both[0].iter().zip(&both[1]).map(|(r, l)| r.norm().max(l.norm())).collect();
        let scale = |c: usize| scales[c / size.max(1)];
        let g = dense::select_columns(&g, &chosen);
        let g = Dense::from_fn(g.nrows(), g.ncols(), |i, c| scale(c) * g[(i, c)]);
        let gram = dense::symmetric_part(&dense::mul_transpose(&g, &space.x_times(&g)));
        let error =
            chosen.iter().enumerate().map(|(c, j)| (scale(c) * errors[*j]).powi(2)).sum::<f64>().sqrt();
        let (factor, rest) = rank_factor(&gram, LEFT_OUT)?;
        let part = |a: usize| Dense::from_fn(size, factor.ncols(), |j, c| factor[(a * size + j, c)]);
        let factors = (0..images.len()).map(part).collect();
        Ok(Self { size, factors, scales, rest: rest + error })
    }

    /// Factors of scaled images.
    fn scaled(&self, factors: &[c64]) -> Vec<c64> {
        factors.iter().zip(&self.scales).map(|(f, scale)| f / *scale).collect()
    }

    /// E L with these factors of the scaled images, `size` x rank.
    fn coupled(&self, factors: &[c64]) -> DenseC {
        let rank = self.factors.first().map_or(0, Dense::ncols);
        DenseC::from_fn(self.size, rank, |j, c| {
            factors.iter().zip(&self.factors).map(|(f, l)| f * l[(j, c)]).sum()
        })
    }

    /// beta for the reduced matrix P of all of V with its factors, with the factors of the images on the right, and on the left where P is
    /// not symmetric; none where it is not positive.
    pub(super) fn beta(
        &self,
        (right, left): (&[c64], Option<&[c64]>),
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
        let (right, left) = (self.scaled(right), left.map(|left| self.scaled(left)));
        let coupled = self.coupled(&right);
        let (t, lengths) = match &left {
            None => {
                let solved = lu.solve_mat(&coupled);
                (dense::mul_complex(&coupled.transpose().to_owned(), &solved), 2.0 * frobenius(&solved))
            }
            Some(left) => {
                let solved = lu.solve_mat(&self.coupled(left));
                let lengths = frobenius(&solved) + frobenius(&lu.solve_transpose_mat(&coupled));
                (dense::mul_complex(&coupled.transpose().to_owned(), &solved), lengths)
            }
        };
        // What the factor leaves out: norms of the inverse from its condition, with a margin for the estimate.
        let rest = right.iter().chain(left.iter().flatten()).map(|f| f.norm()).sum::<f64>() * self.rest;
        let inverse = 10.0 * (self.size as f64).sqrt() / (lu.rcond() * lu.norm_one());
        let slack = rest * lengths + rest * rest * inverse;
        let beta = d - largest(&t, u, left.is_some(), d)? - slack;
        (beta.is_finite() && beta > 0.02 * d).then_some(beta)
    }
}

fn frobenius(a: &DenseC) -> f64 {
    (0..a.ncols()).flat_map(|j| a.col_as_slice(j)).map(c64::norm_sqr).sum::<f64>().sqrt()
}

/// A bound of the largest eigenvalue of H, the Hermitian part of conj(u) T, close where it matters to `d`: the norm |H|, or with one product
/// |H^2|^1/2, or the eigenvalue. Norms are those of Frobenius.
fn largest(t: &DenseC, u: c64, unsymmetric: bool, d: f64) -> Option<f64> {
    let rank = t.nrows();
    let h = DenseC::from_fn(rank, rank, |i, j| {
        if unsymmetric {
            0.5 * (u.conj() * t[(i, j)] + (u.conj() * t[(j, i)]).conj())
        } else {
            // Of a symmetric T it is the real part.
            c64::new(0.5 * (u.conj() * (t[(i, j)] + t[(j, i)])).re, 0.0)
        }
    });
    let whole = frobenius(&h);
    if whole <= NEGLIGIBLE * d || rank == 0 {
        return Some(whole);
    }
    let rounding = 1e-13 * frobenius(t);
    let square = frobenius(&dense::mul_complex(&h, &h)).sqrt() + rounding;
    if square <= SMALL * d {
        return Some(square);
    }
    // [A, -B; B, A] has the eigenvalues of A + i B, each twice.
    let n = if unsymmetric { 2 * rank } else { rank };
    let real = Dense::from_fn(n, n, |i, j| {
        let own = h[(i % rank, j % rank)];
        if (i < rank) == (j < rank) {
            own.re
        } else if i < rank {
            -own.im
        } else {
            own.im
        }
    });
    Some(SymmetricEigen::new(&real).ok()?.values.last().copied()?.max(0.0) + rounding)
}
