//! Block Krylov-Schur for any operator T, in real or complex arithmetic.
//!
//! ```text
//! T V = V H + Q B,   V^H V = I,   H k x k,  B r x k
//! H = U S U^H with the wanted theta first;  restart with V U_1, S_11, B U_1
//! Ritz pairs: S y = theta y, x = V U y, |T x - theta x| = |B U y|
//! ```
//!
//! Stewart, SIAM J. Matrix Anal. 23 (2002); the block form needs no change but B with as many rows as the block.
//! A Schur vector counts as converged when its column of B U is below the tolerance times |theta|, which is
//! safe for nearly defective theta where eigenvectors are not. Real operators keep a real basis: conjugates are
//! never parted. Sizes: V n x k.

use faer::Mat;
use mb_algebra::{DenseC, c64};

use super::expansion::{Expansion, Indefinite, expand};
use super::scalar::{Scalar, norm, product, put, start_block};
use super::schur::Schur;
use super::{Operator, Ritz, RitzComplex, Wanted};
use crate::EigenError;
use crate::error::at;

/// Basis with its projection.
struct Basis<T> {
    v: Mat<T>,
    h: Mat<T>,
    /// B, r x done.
    b: Mat<T>,
    done: usize,
    filled: usize,
}

/// Largest |theta| of any operator.
pub(super) fn solve<T: Scalar>(
    operator: &dyn Operator<T>,
    wanted: &Wanted,
) -> Result<RitzComplex, EigenError> {
    let n = operator.size();
    let mut out = Ritz {
        values: Vec::new(),
        vectors: DenseC::zeros(n, 0),
        estimates: Vec::new(),
        exhausted: n == 0,
        applications: 0,
        restarts: 0,
        remarks: Vec::new(),
    };
    if n == 0 || wanted.count == 0 {
        return Ok(out);
    }
    // One more, so that a conjugate pair is not parted at the end.
    let count = if T::REAL { wanted.count + 1 } else { wanted.count };
    let limit = Wanted { count, ..*wanted }.dimension(n);
    let block = wanted.block.clamp(1, n);
    let mut basis = Basis::new(n, limit + 2 * block);
    let mut fresh = 0_u64;
    let (ordered, converged) = loop {
        if basis.filled == basis.done && basis.filled > limit {
            // Invariant and full: everything in it has converged, and there is no room to look beside it.
            let ordered = basis.schur()?;
            let all = ordered.schur.size();
            break (ordered, all);
        }
        if basis.filled == basis.done {
            let salt = wanted.salt.wrapping_add(fresh << 32);
            fresh += 1;
            let start = operator.apply(&start_block(n, block, salt))?;
            out.applications += block;
            let next = basis.orthonormalize(start)?;
            if next.q.ncols() == 0 {
                out.exhausted = true;
                let ordered = basis.schur()?;
                let all = ordered.schur.size();
                break (ordered, all);
            }
            basis.b = Mat::zeros(next.q.ncols(), basis.done);
            put(&mut basis.v, basis.filled, next.q.as_ref());
            basis.filled += next.q.ncols();
        }
        let width = basis.filled - basis.done;
        basis.step(operator)?;
        out.applications += width;
        let full = basis.filled > limit;
        if basis.filled == basis.done || (basis.done < count && !full) {
            continue;
        }
        let ordered = basis.schur()?;
        let converged = basis.converged(&ordered.schur, wanted.tolerance);
        if ordered.whole(converged) >= wanted.count {
            break (ordered, converged);
        }
        if full {
            if out.restarts >= wanted.restarts {
                break (ordered, converged);
            }
            out.restarts += 1;
            basis.restart(&ordered, count, block);
        }
    };
    let count = ordered.whole(converged.min(count));
    let (values, y) = ordered.pairs(count);
    let v = DenseC::from_fn(n, basis.done, |i, j| basis.v[(i, j)].complex());
    out.values = values;
    out.estimates = (0..ordered.schur.size()).map(|i| ordered.schur.value(i)).collect();
    out.vectors = product(v.as_ref(), y.as_ref());
    for j in 0..count {
        let size = norm(out.vectors.col_as_slice(j)).max(f64::MIN_POSITIVE);
        out.vectors.col_as_slice_mut(j).iter_mut().for_each(|z| *z /= size);
    }
    Ok(out)
}

/// A Schur form whose values come in groups that must not be parted.
struct Ordered {
    schur: Schur,
    /// Whether H is real.
    real: bool,
    groups: Vec<usize>,
}

impl Ordered {
    /// The largest number of leading values up to `count` that parts no group.
    fn whole(&self, count: usize) -> usize {
        let mut sum = 0;
        for group in &self.groups {
            if sum + group > count {
                break;
            }
            sum += group;
        }
        sum
    }

    /// Values and vectors of the projected problem; real values are real, conjugates exactly conjugate.
    fn pairs(&self, count: usize) -> (Vec<c64>, DenseC) {
        let mut y = self.schur.vectors(count);
        let mut values: Vec<c64> = (0..count).map(|i| self.schur.value(i)).collect();
        let mut i = 0;
        for &group in &self.groups {
            if i + group > count {
                break;
            }
            if group == 2 {
                let z = (values[i] + values[i + 1].conj()) * 0.5;
                (values[i], values[i + 1]) = (z, z.conj());
                let column: Vec<c64> = y.col_as_slice(i).iter().map(c64::conj).collect();
                y.col_as_slice_mut(i + 1).copy_from_slice(&column);
            } else if self.real {
                values[i].im = 0.0;
                let column = y.col_as_slice_mut(i);
                let largest = column.iter().copied().max_by(|a, b| a.norm().total_cmp(&b.norm()));
                let turn = largest.map_or(c64::new(1.0, 0.0), |z| z.conj() / z.norm().max(f64::MIN_POSITIVE));
                for z in column.iter_mut() {
                    *z = c64::new((*z * turn).re, 0.0);
                }
            }
            i += group;
        }
        (values, y)
    }
}

impl<T: Scalar> Basis<T> {
    fn new(n: usize, columns: usize) -> Self {
        Self {
            v: Mat::zeros(n, columns),
            h: Mat::zeros(columns, columns),
            b: Mat::zeros(0, 0),
            done: 0,
            filled: 0,
        }
    }

    fn orthonormalize(&self, w: Mat<T>) -> Result<Expansion<T>, EigenError> {
        let v = self.v.as_ref().subcols(0, self.filled);
        expand(v, w, None).map_err(|Indefinite| EigenError::IndefiniteMetric)
    }

    /// Applies the operator to the current block.
    fn step(&mut self, operator: &dyn Operator<T>) -> Result<(), EigenError> {
        let (from, width) = (self.done, self.filled - self.done);
        let w = operator.apply(&self.v.as_ref().subcols(from, width).to_owned())?;
        let next = self.orthonormalize(w)?;
        for i in 0..width {
            for j in 0..from {
                self.h[(from + i, j)] = self.b[(i, j)];
            }
        }
        for j in 0..width {
            for i in 0..self.filled {
                self.h[(i, from + j)] = next.c[(i, j)];
            }
        }
        let rows = next.q.ncols();
        self.done = self.filled;
        let mut b = Mat::zeros(rows, self.done);
        put(&mut b, from, next.r.as_ref());
        self.b = b;
        put(&mut self.v, self.filled, next.q.as_ref());
        self.filled += rows;
        Ok(())
    }

    /// Schur form of H, largest |theta| first, conjugates together.
    fn schur(&self) -> Result<Ordered, EigenError> {
        let k = self.done;
        let h = Mat::from_fn(k, k, |i, j| self.h[(i, j)]);
        let failed = || {
            let algorithm = "The QR iteration of the projected problem";
            at("Projected eigenvalue problem")(mb_algebra::AlgebraError::NoConvergence { algorithm, size: k })
        };
        let mut schur = Schur::new(&h).ok_or_else(failed)?;
        schur.sort_by_key(|z| -z.norm());
        let groups = if T::REAL { schur.pair_conjugates() } else { vec![1; k] };
        Ok(Ordered { schur, groups, real: T::REAL })
    }

    /// Leading Schur vectors that have converged.
    fn converged(&self, schur: &Schur, tolerance: f64) -> usize {
        let (rows, k) = self.b.shape();
        let b = DenseC::from_fn(rows, k, |i, j| self.b[(i, j)].complex());
        let bu = product(b.as_ref(), schur.u.as_ref());
        (0..k).take_while(|&j| norm(bu.col_as_slice(j)) <= tolerance * schur.value(j).norm()).count()
    }

    /// Keeps the best Schur vectors and moves the current block behind them.
    fn restart(&mut self, ordered: &Ordered, count: usize, block: usize) {
        let (k, width) = (self.done, self.filled - self.done);
        let room = k.saturating_sub(2 * block).max(1);
        let keep = (count + k.saturating_sub(count) / 2).min(room);
        let keep = ordered.whole(keep);
        let u: Mat<T> = ordered.schur.basis(keep);
        let small = Mat::from_fn(k, k, |i, j| self.h[(i, j)]);
        let h = T::adjoint_product(u.as_ref(), product(small.as_ref(), u.as_ref()).as_ref());
        for j in 0..keep {
            for i in 0..keep {
                self.h[(i, j)] = h[(i, j)];
            }
        }
        self.b = product(self.b.as_ref(), u.as_ref());
        let kept = product(self.v.as_ref().subcols(0, k), u.as_ref());
        let next = self.v.as_ref().subcols(k, width).to_owned();
        put(&mut self.v, 0, kept.as_ref());
        put(&mut self.v, keep, next.as_ref());
        self.done = keep;
        self.filled = keep + width;
    }
}
