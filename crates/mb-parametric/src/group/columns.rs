//! The linear system of every degree of a group, column by column.
//!
//! With T = S[0] upper triangular, X = X[0], W1 = X T / omega, column j of the unknowns
//! (X[sigma], L[sigma], S[sigma]) satisfies
//!
//! ```text
//! A(t_jj) x_j + Phi_q^T l_j + (M X (t_jj + T) + C X) s_j
//!     = r_j - sum over i < j (M x_i (T^2)_ij + C x_i T_ij + M X s_i T_ij)
//! Phi_q x_j = h_j
//! (X + W1 conj(t_jj) / omega)^H x_j + W1^H X s_j / omega = g_j - sum over i < j W1^H x_i T_ij / omega
//! ```
//!
//! a bordered system with a border as wide as the group. It is regular exactly when the group has
//! no eigenvalue in common with the rest (Kressner, Numer. Math. 114 (2009) 355). One
//! factorization for each column serves all degrees.

use super::blocks::{Tall, inner, times};
use super::start::{Invariant, scaled};
use crate::ParametricError;
use crate::bordered::{Bordered, Parts};
use crate::storage::Storage;
use crate::vectors::{axpy, dot, zeros};
use mb_algebra::dense::mul_complex;
use mb_algebra::{AlgebraError, DenseC, QuadraticPencil, c64};

/// Eigenvalues of the rest closer than this, relative to the group's, are part of it.
const LEAST_GAP: f64 = 1e-6;

/// The factored systems of all columns.
pub(super) struct Columns<'a, A: Storage> {
    factors: Vec<Bordered<'a, A>>,
    t: DenseC,
    t2: DenseC,
    /// M X.
    mx: Tall,
    /// W1 / omega.
    w1: Tall,
    gap: f64,
}

/// Changes of (X, L, S).
pub(super) struct Change {
    pub(super) x: Tall,
    pub(super) l: Tall,
    pub(super) s: DenseC,
}

impl<'a, A: Storage> Columns<'a, A> {
    pub(super) fn new(p: &'a QuadraticPencil<A>, pair: &Invariant) -> Result<Self, ParametricError> {
        let (n, k) = (p.m.size().0, pair.x.len());
        let image = |a: &A, x: &[c64]| {
            let mut out = zeros(n);
            a.add_product(c64::ONE, x, &mut out);
            out
        };
        let mx: Tall = pair.x.iter().map(|x| image(&p.m, x)).collect();
        let cx: Tall = pair.x.iter().map(|x| image(&p.c, x)).collect();
        let mxt = times(&mx, &pair.s);
        let omega = pair.omega;
        let w1 = times(&pair.x, &scaled(&pair.s, 1.0 / (omega * omega)));
        let corner = inner(&w1, &pair.x);
        let lost = || ParametricError::GroupNotSeparate { centre: mean(&pair.s), count: k };
        let mut factors = Vec::with_capacity(k);
        let mut gap = f64::INFINITY;
        for j in 0..k {
            let t = pair.s[(j, j)];
            let column = |i: usize| {
                let mut out = mxt[i].clone();
                axpy(&mut out, t, &mx[i]);
                axpy(&mut out, c64::ONE, &cx[i]);
                out
            };
            let row = |i: usize| -> Vec<c64> {
                pair.x[i].iter().zip(&w1[i]).map(|(x, w)| x.conj() + t * w.conj()).collect()
            };
            let corner: Vec<Vec<c64>> = (0..k).map(|i| (0..k).map(|m| corner[(i, m)]).collect()).collect();
            let columns = (0..k).map(column).collect();
            let rows = (0..k).map(row).collect();
            let factor = Bordered::of_blocks(p, t, columns, rows, corner, &pair.x, None).map_err(
                |error| match error {
                    AlgebraError::Singular { .. } => lost(),
                    other => other.into(),
                },
            )?;
            gap = gap.min(factor.gap());
            factors.push(factor);
        }
        if gap <= LEAST_GAP * omega {
            return Err(lost());
        }
        let t2 = mul_complex(&pair.s, &pair.s);
        Ok(Self { factors, t: pair.s.clone(), t2, mx, w1, gap })
    }

    /// Estimated distance to the nearest eigenvalue outside the group, rad/s.
    pub(super) fn gap(&self) -> f64 {
        self.gap
    }

    /// The unknowns for right-hand sides r (n x k), h (m x k), g (k x k).
    pub(super) fn solve(&self, p: &QuadraticPencil<A>, r: &Tall, h: &Tall, g: &DenseC) -> Change {
        let k = self.factors.len();
        let mut out = Change { x: Vec::new(), l: Vec::new(), s: DenseC::zeros(k, k) };
        for (j, factor) in self.factors.iter().enumerate() {
            let mut f = r[j].clone();
            let mut gauge: Vec<c64> = (0..k).map(|i| g[(i, j)]).collect();
            for i in 0..j {
                p.m.add_product(-self.t2[(i, j)], &out.x[i], &mut f);
                p.c.add_product(-self.t[(i, j)], &out.x[i], &mut f);
                for m in 0..k {
                    axpy(&mut f, -self.t[(i, j)] * out.s[(m, i)], &self.mx[m]);
                }
                for (m, value) in gauge.iter_mut().enumerate() {
                    let row: Vec<c64> = self.w1[m].iter().map(c64::conj).collect();
                    *value -= self.t[(i, j)] * dot(&row, &out.x[i]);
                }
            }
            let found = factor.solve(&Parts { x: f, l: h[j].clone(), t: gauge });
            for (i, s) in found.t.into_iter().enumerate() {
                out.s[(i, j)] = s;
            }
            out.x.push(found.x);
            out.l.push(found.l);
        }
        out
    }

    /// Newton's step from an eigenpair.
    pub(super) fn newton(&self, p: &QuadraticPencil<A>, pair: &Invariant) -> Change {
        let (n, nc, k) = (p.m.size().0, p.phi_q.size().0, pair.x.len());
        let v = times(&pair.x, &pair.s);
        let u = times(&v, &pair.s);
        let minus = -c64::ONE;
        let mut r: Tall = vec![zeros(n); k];
        let mut h: Tall = vec![zeros(nc); k];
        for j in 0..k {
            p.m.add_product(minus, &u[j], &mut r[j]);
            p.c.add_product(minus, &v[j], &mut r[j]);
            p.k.add_product(minus, &pair.x[j], &mut r[j]);
            p.phi_q.add_product_transposed(minus, &pair.l[j], &mut r[j]);
            p.phi_q.add_product(minus, &pair.x[j], &mut h[j]);
        }
        self.solve(p, &r, &h, &DenseC::zeros(k, k))
    }
}

/// The mean of the eigenvalues.
pub(super) fn mean(s: &DenseC) -> c64 {
    let k = s.nrows();
    (0..k).map(|i| s[(i, i)]).sum::<c64>() / k as f64
}
