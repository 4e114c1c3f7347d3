//! Bounds of eigenvalues of a sparse problem that lie together.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mb_algebra::{DenseC, Sparse, c64};

use super::{Certifier, Kinds, apply, column, with_partners};
use crate::certify::error_bound;
use crate::certify::error_bound::{Column, Estimate, Factored, Solved, Source, sensitivity};
use crate::numeric::vectors::{abs, inner};
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::transform::factors::{Effort, ShiftSolve};
use crate::{EigenError, Eigenpair};

impl Certifier<'_> {
    /// Eigenpairs with the bounds of their clusters, conjugates and opposites behind their partners.
    pub(super) fn together(&self, mut kinds: Vec<Kinds>, mut pairs: Vec<Eigenpair>) -> Vec<Eigenpair> {
        let p = self.problem;
        let undamped = p.symmetric && p.undamped();
        let aligned: Vec<(f64, f64)> =
            if undamped { Vec::new() } else { pairs.iter().map(|pair| self.alignment(pair)).collect() };
        // Of undamped symmetric problems x^T M x > 0 says that the mass is definite where it matters.
        let definite = |pair: &Eigenpair| pair.right.is_real() && self.mass(pair) > 0.0;
        let semisimple =
            undamped && pairs.iter().zip(&kinds).all(|(pair, kind)| kind.rigid || definite(pair));
        let estimate = |(j, pair): (usize, &Eigenpair)| {
            let (alignment, astray) = aligned.get(j).copied().unwrap_or((1.0, 0.0));
            Estimate {
                s: pair.value().unwrap_or_default(),
                bound: error_bound::of_both(pair, astray, self.rounding),
                alignment,
                astray,
                fixed: kinds[j].rigid,
                mirror: kinds[j].mirror,
                opposite: kinds[j].opposite,
            }
        };
        let estimates: Vec<Estimate> = pairs.iter().enumerate().map(estimate).collect();
        let (bounds, real) = error_bound::together(&estimates, &pairs, semisimple, self);
        pairs.iter_mut().zip(bounds).for_each(|(pair, bound)| pair.error_bound = bound);
        for j in real {
            pairs[j].alpha.im = 0.0;
            if std::mem::take(&mut kinds[j].mirror) {
                self.real.fetch_add(1, Ordering::Relaxed);
            }
        }
        let pairs = pairs.into_iter().map(|pair| self.kept(pair)).collect();
        with_partners(kinds, pairs)
    }

    /// x^T M x of a real vector.
    fn mass(&self, pair: &Eigenpair) -> f64 {
        let x: &[c64] = &pair.right;
        inner(x, &apply(&self.problem.m, x)).re
    }

    /// |y^H (2 s M + C) x| over its size, and the first-order bound of the left vector; of an eigenpair without left vector that of the conjugate,
    /// which is as good as the right one.
    fn alignment(&self, pair: &Eigenpair) -> (f64, f64) {
        let (p, s) = (self.problem, pair.value().unwrap_or_default());
        let x: &[c64] = &pair.right;
        let conjugate = crate::numeric::vectors::conjugate(x);
        let y: &[c64] = if pair.left.length() == 0 { &conjugate } else { &pair.left };
        let sizes: Vec<f64> = x.iter().map(|x| abs(*x)).collect();
        let (mx, m) = p.m.with_magnitude(x, &sizes);
        let (cx, c) = p.c.with_magnitude(x, &sizes);
        let damping = inner(y, &cx);
        let slope = s * inner(y, &mx) * 2.0 + damping;
        let sum = |of: &[f64]| -> f64 { y.iter().zip(of).map(|(y, size)| abs(*y) * size).sum() };
        let aligned = error_bound::alignment(slope.norm(), 2.0 * s.norm() * sum(&m), sum(&c), damping.norm());
        let rest = if pair.left.length() == 0 { 0.0 } else { self.left_residual(pair, s, &sizes) };
        (aligned, if rest > 0.0 { 2.0 * rest / slope.norm() } else { 0.0 })
    }

    /// |x|^T |Q(s)^H y + Phi^T mu|, without what is rounding of the residual.
    fn left_residual(&self, pair: &Eigenpair, s: c64, sizes: &[f64]) -> f64 {
        let p = self.problem;
        let (y, mu, bar) = (column(&pair.left), &pair.left_multipliers, s.conj());
        let abs_of = |v: &[c64]| v.iter().map(|v| abs(*v)).collect::<Vec<f64>>();
        let own = abs_of(&pair.left);
        let [m, c, k] = [&p.m, &p.c, &p.k].map(|a| (a.mul_transpose(&y), a.magnitude_transpose(&own)));
        let react = p.rows.given.mul_transpose(&column(mu));
        let reactions = p.rows.given.magnitude_transpose(&abs_of(mu));
        let rest = |i: usize| {
            let whole = bar * (bar * m.0[(i, 0)] + c.0[(i, 0)]) + k.0[(i, 0)] + react[(i, 0)];
            let terms = s.norm() * (s.norm() * m.1[i] + c.1[i]) + k.1[i] + reactions[i];
            (whole.norm() - self.rounding * terms).max(0.0)
        };
        sizes.iter().enumerate().map(|(i, x)| x * rest(i)).sum()
    }
}

impl Source for Certifier<'_> {
    fn column(&self, pair: &Eigenpair, s: c64) -> Column {
        let (p, size) = (self.problem, s.norm());
        let x: &[c64] = &pair.right;
        let sizes: Vec<f64> = x.iter().map(|x| abs(*x)).collect();
        let [(m, m_size), (c, c_size), (k, k_size)] = [&p.m, &p.c, &p.k].map(|a| a.with_magnitude(x, &sizes));
        let react = p.rows.given.mul_transpose(&column(&pair.multipliers));
        let l: Vec<f64> = pair.multipliers.iter().map(|l| abs(*l)).collect();
        let reactions = p.rows.given.magnitude_transpose(&l);
        let rest = (0..p.n).map(|i| {
            let g = size * (size * m_size[i] + c_size[i]) + k_size[i] + reactions[i];
            abs(s * (s * m[i] + c[i]) + k[i] + react[(i, 0)]) + self.rounding * g
        });
        let rest = rest.collect();
        Column { m, c, rest }
    }

    fn sensitivity(&self, s: c64, directions: usize) -> Option<f64> {
        let factors = self.problem.factor(s * s, s).ok()?;
        sensitivity(&SparsePoint { problem: self.problem, rounding: self.rounding, s, factors }, directions)
    }

    fn ln_determinant(&self, s: c64) -> Result<Option<c64>, EigenError> {
        self.problem.ln_determinant(s * s, s)
    }
}

/// The saddle-point matrix of a sparse problem at one point.
pub(crate) struct SparsePoint<'a> {
    pub(crate) problem: &'a Problem<'a>,
    /// A few roundings.
    pub(crate) rounding: f64,
    pub(crate) s: c64,
    pub(crate) factors: Arc<dyn ShiftSolve<c64>>,
}

impl Factored for SparsePoint<'_> {
    fn size(&self) -> usize {
        self.problem.n
    }

    fn solve(&self, f: &DenseC, adjoint: bool) -> Option<Solved> {
        let conjugate = |a: &DenseC| DenseC::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].conj());
        let right = if adjoint { conjugate(f) } else { f.clone() };
        let solved = self.factors.solve(&right, adjoint, Effort::Krylov).ok()?;
        let (x, l) =
            if adjoint { (conjugate(&solved.x), conjugate(&solved.l)) } else { (solved.x, solved.l) };
        let finite = |a: &DenseC| (0..a.ncols()).all(|j| a.col_as_slice(j).iter().all(|z| z.is_finite()));
        (finite(&x) && finite(&l)).then_some(Solved { x, l })
    }

    fn rounding(&self, x: &[f64], l: &[f64]) -> [Vec<f64>; 2] {
        let (p, size) = (self.problem, self.s.norm());
        let [m, c, k] = [&p.m, &p.c, &p.k].map(|a| a.magnitude(x));
        let react = p.rows.independent.magnitude_transpose(l);
        let force = |i: usize| self.rounding * (size * (size * m[i] + c[i]) + k[i] + react[i]);
        let violations = p.rows.independent.magnitude(x).into_iter().map(|v| v * self.rounding).collect();
        [(0..p.n).map(force).collect(), violations]
    }

    fn residual(&self, f: &DenseC, solved: &Solved) -> DenseC {
        let (p, s) = (self.problem, self.s);
        let [m, c, k] = [&p.m, &p.c, &p.k].map(|a| a.mul(&solved.x));
        let react = p.rows.independent.mul_transpose(&solved.l);
        DenseC::from_fn(f.nrows(), f.ncols(), |i, j| {
            f[(i, j)] - s * (s * m[(i, j)] + c[(i, j)]) - k[(i, j)] - react[(i, j)]
        })
    }

    fn sizes(&self) -> Vec<f64> {
        let (p, size) = (self.problem, self.s.norm());
        let [m, c, k] = [&p.m, &p.c, &p.k].map(Matrix::sparse);
        let entry = |a: &Sparse, i: usize| a.get(i, i).map_or(0.0, |v| v.abs());
        let all = (0..p.n).map(|i| size * (size * entry(m, i) + entry(c, i)) + entry(k, i));
        all.map(|g| (self.rounding * g).sqrt()).collect()
    }
}
