//! The linear system of implicit steps, made and factored again and again in the same memory.
//!
//! ```text
//! [ A    Phi_q^T ] [ x ]   [ f ]
//! [ Phi_q    0   ] [ l ] = [ g ],    A = (M b + C g) T^-1 + K
//! ```
//!
//! Up to [`DENSE_UP_TO`] unknowns by LU with row exchanges, multipliers and constraint rows scaled to the magnitude of A; beyond
//! by the sparse L D L^T of the symmetric part of A, whose pattern is that of the model throughout: one analysis serves the run,
//! and the skew part is brought in step by step. Where a pivot is below its threshold or a solution fails its check (redundant constraints,
//! singular configurations, follower loads that matter as much as stiffness), [`Saddle`] takes over for that matrix, with memory of its own.

use super::increment::InverseTangent;
use crate::error::ConstraintError;
use crate::method::Square;
use crate::saddle::{DENSE_UP_TO, Saddle};
use mb_algebra::{Sparse, norms, sparse, to_dense};
use mb_model::system::SteppingTerms;
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use std::sync::Arc;

/// Pivots below this part of the largest entry are left to [`Saddle`], which knows shortest solutions.
const DOUBTFUL: f64 = 1e-11;

/// Asymmetry that is rounding, relative to the largest entry.
const SYMMETRIC_WITHIN: f64 = 1e-13;

/// Backward error of a solution above which it is refined: far below what an iteration is to gain.
const REFINE_ABOVE: f64 = 1e-12;

/// Steps by the symmetric part, the share of the last residual that each has to come below, and the residual relative to the
/// forces at which they may end.
const STEPS: usize = 40;
const RATE: f64 = 0.5;
const ENOUGH: f64 = 1e-10;

/// A and Phi_q with their factors.
#[derive(Debug)]
pub(super) struct StepSystem {
    a: Sparse,
    phi_q: Sparse,
    factors: Factors,
    /// Takes over where the factors are in doubt.
    careful: Option<Saddle>,
}

#[derive(Debug)]
enum Factors {
    Dense(Box<DenseFactors>),
    Sparse(Box<SparseFactors>),
}

#[derive(Debug)]
struct DenseFactors {
    lu: Square,
    rhs: Vec<f64>,
    /// Scale of multipliers and constraint rows.
    k: f64,
}

#[derive(Debug)]
struct SparseFactors {
    /// The symmetric part of A; its factors, once there was a matrix.
    part: Sparse,
    analysis: Option<Arc<SaddleAnalysis>>,
    factor: Option<SaddleFactor>,
    /// Whether A is more than that part.
    skew: bool,
    residual: Vec<f64>,
    none: Vec<f64>,
    dx: Vec<f64>,
    dl: Vec<f64>,
}

impl StepSystem {
    /// Room for A (n x n) and Phi_q (m x n) of these patterns.
    pub(super) fn new(a: &Sparse, phi_q: &Sparse) -> Self {
        let (n, m) = (a.cols(), phi_q.rows());
        let factors = if n + m <= DENSE_UP_TO {
            Factors::Dense(Box::new(DenseFactors { lu: Square::new(n + m), rhs: vec![0.0; n + m], k: 1.0 }))
        } else {
            Factors::Sparse(Box::new(SparseFactors {
                part: a.clone(),
                analysis: None,
                factor: None,
                skew: false,
                residual: vec![0.0; n],
                none: vec![0.0; m],
                dx: vec![0.0; n],
                dl: vec![0.0; m],
            }))
        };
        Self { a: a.clone(), phi_q: phi_q.clone(), factors, careful: None }
    }
    /// Room for the system of shortest steps: the identity for A.
    pub(super) fn plain(n: usize, phi_q: &Sparse) -> Self {
        Self::new(&sparse::identity(n), phi_q)
    }
    /// Factors the system of a step; `weights` are b and g.
    pub(super) fn factor(
        &mut self,
        terms: &SteppingTerms,
        inverse: &InverseTangent,
        [b, g]: [f64; 2],
    ) -> Result<(), ConstraintError> {
        for (a, (m, c)) in self.a.data_mut().iter_mut().zip(terms.m.iter().zip(&terms.c)) {
            *a = b * m + g * c;
        }
        inverse.multiply(terms.pattern(), self.a.data_mut());
        for (a, k) in self.a.data_mut().iter_mut().zip(&terms.k) {
            *a += k;
        }
        if let Factors::Sparse(s) = &mut self.factors {
            s.take_symmetric(&self.a, terms.facing());
        }
        self.factor_plain(&terms.phi_q)
    }
    /// Factors the present A with these entries of Phi_q.
    pub(super) fn factor_plain(&mut self, phi_q: &[f64]) -> Result<(), ConstraintError> {
        self.phi_q.data_mut().copy_from_slice(phi_q);
        self.careful = None;
        let sound = match &mut self.factors {
            Factors::Dense(d) => d.factor(&self.a, &self.phi_q),
            Factors::Sparse(s) => s.factor(&self.phi_q),
        };
        if !sound {
            self.careful = Some(self.carefully()?);
        }
        Ok(())
    }
    fn carefully(&self) -> Result<Saddle, ConstraintError> {
        Ok(match &self.factors {
            Factors::Dense(_) => Saddle::dense(&to_dense(&self.a), &to_dense(&self.phi_q))?,
            Factors::Sparse(_) => Saddle::sparse(&self.a, &self.phi_q)?,
        })
    }
    /// Solves for x (n numbers) and l (m numbers); numbers that are none where no method could.
    pub(super) fn solve(&mut self, f: &[f64], g: &[f64], x: &mut [f64], l: &mut [f64]) {
        if self.careful.is_none() {
            let solved = match &mut self.factors {
                Factors::Dense(d) => {
                    d.solve(f, g, x, l);
                    true
                }
                Factors::Sparse(s) => s.solve(&self.a, &self.phi_q, f, g, x, l),
            };
            if solved {
                return;
            }
            self.careful = self.carefully().ok();
        }
        match &self.careful {
            Some(saddle) => {
                let found = saddle.solve(f, g);
                x.copy_from_slice(&found.0);
                l.copy_from_slice(&found.1);
            }
            None => x.fill(f64::NAN),
        }
    }
}

impl DenseFactors {
    /// False where a pivot is in doubt.
    fn factor(&mut self, a: &Sparse, phi_q: &Sparse) -> bool {
        let (n, m) = (a.cols(), phi_q.rows());
        let (large, rows) = (norms::max_abs_vec(a.data()), norms::max_abs_vec(phi_q.data()));
        self.k = if large > 0.0 && rows > 0.0 { large / rows } else { 1.0 };
        let full = self.lu.input();
        full.fill(0.0);
        for j in 0..n {
            let (rows, values) = column(a, j);
            for (i, value) in rows.iter().zip(values) {
                full[j * (n + m) + i] = *value;
            }
            let (rows, values) = column(phi_q, j);
            for (r, value) in rows.iter().zip(values) {
                full[j * (n + m) + n + r] = self.k * value;
                full[(n + r) * (n + m) + j] = self.k * value;
            }
        }
        self.lu.factor(DOUBTFUL)
    }
    fn solve(&mut self, f: &[f64], g: &[f64], x: &mut [f64], l: &mut [f64]) {
        let (top, low) = self.rhs.split_at_mut(f.len());
        top.copy_from_slice(f);
        for (to, g) in low.iter_mut().zip(g) {
            *to = self.k * g;
        }
        self.lu.solve(&mut self.rhs);
        let (top, low) = self.rhs.split_at(f.len());
        x.copy_from_slice(top);
        for (l, y) in l.iter_mut().zip(low) {
            *l = self.k * y;
        }
    }
}

impl SparseFactors {
    /// The symmetric part of A, with the place of each entry across the diagonal.
    fn take_symmetric(&mut self, a: &Sparse, facing: &[usize]) {
        let (values, mut skew) = (a.data(), 0.0_f64);
        for (part, (x, y)) in
            self.part.data_mut().iter_mut().zip(values.iter().zip(facing.iter().map(|k| values[*k])))
        {
            *part = 0.5 * (x + y);
            skew = skew.max((x - y).abs());
        }
        self.skew = skew > SYMMETRIC_WITHIN * norms::max_abs_vec(values);
    }
    /// False where the factors are in doubt.
    fn factor(&mut self, phi_q: &Sparse) -> bool {
        if let Some(factor) = &mut self.factor {
            if let Ok(true) = factor.refactor(&self.part, phi_q) {
                return true;
            }
            self.factor = None;
        }
        if self.analysis.is_none() {
            let options =
                SaddleOptions { trial: false, refine_above: REFINE_ABOVE, ..SaddleOptions::default() };
            self.analysis = SaddleAnalysis::new(&self.part, phi_q, &options).ok().map(Arc::new);
        }
        let made = self.analysis.as_ref().map(|analysis| SaddleFactor::new(analysis, &self.part, phi_q));
        self.factor = made.and_then(Result::ok);
        self.factor.is_some()
    }
    /// False where the solution does not pass its check.
    fn solve(
        &mut self,
        a: &Sparse,
        phi_q: &Sparse,
        f: &[f64],
        g: &[f64],
        x: &mut [f64],
        l: &mut [f64],
    ) -> bool {
        let Some(factor) = &self.factor else { return false };
        if factor.solve_into(f, g, x, l).is_err() {
            return false;
        }
        if !self.skew {
            return true;
        }
        let begin = norms::max_abs_vec(f);
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            // f - A x - Phi_q^T l, and the largest force of the multipliers.
            self.residual.copy_from_slice(f);
            let mut held = 0.0_f64;
            for (j, x) in x.iter().enumerate() {
                let (rows, values) = column(phi_q, j);
                let own: f64 = rows.iter().zip(values).map(|(r, p)| p * l[*r]).sum();
                held = held.max(own.abs());
                self.residual[j] -= own;
                let (rows, values) = column(a, j);
                for (i, a) in rows.iter().zip(values) {
                    self.residual[*i] -= a * x;
                }
            }
            let size = norms::max_abs_vec(&self.residual);
            if size <= ENOUGH * begin.max(held) {
                return true;
            }
            if size > RATE * last || size.is_nan() {
                return false;
            }
            last = size;
            if factor.solve_into(&self.residual, &self.none, &mut self.dx, &mut self.dl).is_err() {
                return false;
            }
            x.iter_mut().zip(&self.dx).for_each(|(x, d)| *x += d);
            l.iter_mut().zip(&self.dl).for_each(|(l, d)| *l += d);
        }
        false
    }
}

/// Rows and values of a column.
fn column(a: &Sparse, j: usize) -> (&[usize], &[f64]) {
    let start = a.indptr();
    let start = start.into_raw_storage();
    let own = start[j]..start[j + 1];
    (&a.indices()[own.clone()], &a.data()[own])
}
