//! Displacements that answer a violation of the constraints.
//!
//! ```text
//! [B  Phi_q^T] [q]   [ -R_0 W t ]
//! [Phi_q   0 ] [l] = [    d     ],     N^T R_0^T q = 0
//! ```
//!
//! B is K (what stays at rest under the violation d) or M (what moves off with it). Where B is singular on the null
//! space of Phi_q, with null directions N and the rate terms W = C N_1, M N_2 + C X_1 of their chains, t says how far
//! the violation drives a free motion: the eigenvalue then sits on top of that motion's chain. Sizes: q n x r, l m x
//! r, t p x r for r independent violations d.

use mb_algebra::{Dense, Lu, dense};

use crate::EigenError;
use crate::dense::Chains;
use crate::dense::constraint_basis::ConstraintBasis;
use crate::error::at;
use crate::numeric::vectors::{Block, columns};

/// One column for every violation.
pub(crate) struct Response {
    /// Displacements, n x r.
    pub(crate) q: Dense,
    /// Multipliers, m x r.
    pub(crate) l: Dense,
    /// Drive on the free motions, p x r.
    pub(crate) drive: Dense,
    /// B q + Phi_q^T l + R_0 W t, which should vanish, n x r.
    pub(crate) rest: Dense,
}

impl Response {
    /// Answers the violations in the columns of `d`, m x r.
    pub(crate) fn new(
        base: &Dense,
        basis: &ConstraintBasis,
        chains: &Chains,
        border: &Dense,
        d: &Dense,
    ) -> Result<Self, EigenError> {
        let n = basis.n();
        let particular: Vec<Vec<f64>> = columns(d).map(|d| basis.particular(d)).collect();
        let mut q = dense::from_columns(n, &particular);
        let r = q.ncols();
        let p = border.ncols();
        let mut drive = Dense::zeros(p, r);
        let null = basis.null().cloned().unwrap_or_else(|| dense::identity(n));
        let free = null.ncols();
        if free > 0 && r > 0 {
            let reduced = basis.reduce(base);
            let force = dense::mul_transpose(&null, &dense::mul(base, &q));
            let directions = chains.directions();
            let matrix = dense::vstack(&[
                &dense::hstack(&[&reduced, border]),
                &dense::hstack(&[&dense::transpose(&directions), &Dense::zeros(p, p)]),
            ]);
            let rhs = Dense::from_fn(free + p, r, |i, j| if i < free { -force[(i, j)] } else { 0.0 });
            let lu = Lu::new(&matrix).map_err(at("Answer to a violation of the constraints"))?;
            let solution = lu.solve_mat(&rhs);
            let z = Dense::from_fn(free, r, |i, j| solution[(i, j)]);
            drive = Dense::from_fn(p, r, |i, j| solution[(free + i, j)]);
            q = dense::add(1.0, &q, 1.0, &dense::mul(&null, &z));
        }
        let force = dense::mul(base, &q);
        let block: Vec<_> = columns(&force).map(crate::numeric::vectors::complex).collect();
        let multipliers = basis.multipliers(&Block::new(n, &block), r);
        let l = Dense::from_fn(basis.m(), r, |i, j| multipliers[j][i].re);
        let reaction =
            basis.phi_q().map_or_else(|| Dense::zeros(n, r), |phi_q| dense::mul_transpose(phi_q, &l));
        let balanced = dense::add(1.0, &force, 1.0, &reaction);
        let driven = dense::mul(&null, &dense::mul(border, &drive));
        let rest = dense::add(1.0, &balanced, 1.0, &driven);
        Ok(Self { q, l, drive, rest })
    }
}
