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
//! never parted. How V is kept is the business of a [`Store`]: as it is ([`super::basis`]), or on two levels where T
//! belongs to a quadratic problem ([`super::toar`]).

use faer::Mat;
use mb_algebra::{DenseC, c64, interrupt};

use super::scalar::{Scalar, norm, product, put};
use super::schur::Schur;
use super::{Ritz, RitzComplex, Wanted};
use crate::EigenError;
use crate::error::at;
use crate::tuning;

/// The vectors of a basis, orthonormal, and the operator.
pub(super) trait Store<T: Scalar> {
    /// Length of the vectors.
    fn length(&self) -> usize;
    /// Vectors kept.
    fn filled(&self) -> usize;
    /// Appends what T makes of `width` vectors that are the same on every machine; the number of new directions.
    fn start(&mut self, width: usize, salt: u64) -> Result<usize, EigenError>;
    /// Applies T to the last vectors W, those from `from` on, and appends what is new: T W = V C + Q R. Returns C and R.
    fn extend(&mut self, from: usize) -> Result<(Mat<T>, Mat<T>), EigenError>;
    /// Takes V U in place of the first vectors, as many as U has rows; those behind them stay.
    fn truncate(&mut self, u: &Mat<T>);
    /// V Y for the first vectors, as many as Y has rows.
    fn combine(&self, y: &DenseC) -> DenseC;
}

/// Basis with its projection.
struct Basis<'a, T, S> {
    store: &'a mut S,
    h: Mat<T>,
    /// B, r x done.
    b: Mat<T>,
    done: usize,
}

/// Vectors a search keeps at most: what is wanted, and a block to go on with before and after the last check.
pub(super) fn columns<T: Scalar>(wanted: &Wanted, n: usize) -> usize {
    limit::<T>(wanted, n) + 2 * wanted.block.clamp(1, n.max(1))
}

/// One more, so that a conjugate pair is not parted at the end.
fn count<T: Scalar>(wanted: &Wanted) -> usize {
    if T::REAL { wanted.count + 1 } else { wanted.count }
}

fn limit<T: Scalar>(wanted: &Wanted, n: usize) -> usize {
    Wanted { count: count::<T>(wanted), ..*wanted }.dimension(n)
}

/// Largest |theta| of any operator.
pub(super) fn solve<T: Scalar, S: Store<T>>(
    store: &mut S,
    wanted: &Wanted,
) -> Result<RitzComplex, EigenError> {
    let n = store.length();
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
    let (count, limit) = (count::<T>(wanted), limit::<T>(wanted, n));
    let block = wanted.block.clamp(1, n);
    let mut basis = Basis::new(store, limit + 2 * block);
    let mut fresh = 0_u64;
    let mut looked = 0;
    let (ordered, converged) = loop {
        if basis.width() == 0 && basis.done > limit {
            // Invariant and full: everything in it has converged, and there is no room to look outside it.
            let ordered = basis.schur()?;
            let all = ordered.schur.size();
            break (ordered, all);
        }
        if basis.width() == 0 {
            let salt = wanted.salt.wrapping_add(fresh << 32);
            fresh += 1;
            out.applications += block;
            let new = basis.store.start(block, salt)?;
            if new == 0 {
                out.exhausted = true;
                let ordered = basis.schur()?;
                let all = ordered.schur.size();
                break (ordered, all);
            }
            basis.b = Mat::zeros(new, basis.done);
        }
        out.applications += basis.width();
        basis.step()?;
        let full = basis.store.filled() > limit;
        if basis.width() == 0 || (basis.done < count && !full) {
            continue;
        }
        // A look costs the cube of the basis, the vectors since the last one their length times the basis each.
        // A Schur form takes about so many times the cube of its size, where a step takes its columns times their length times the size.
        if !full && (out.applications - looked) * n < tuning::WIDTH * basis.done * basis.done {
            continue;
        }
        looked = out.applications;
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
    let (values, y) = ordered.eigenpairs(count);
    out.values = values;
    out.estimates = (0..ordered.schur.size()).map(|i| ordered.schur.value(i)).collect();
    out.vectors = basis.store.combine(&y);
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
    fn eigenpairs(&self, count: usize) -> (Vec<c64>, DenseC) {
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

impl<'a, T: Scalar, S: Store<T>> Basis<'a, T, S> {
    fn new(store: &'a mut S, columns: usize) -> Self {
        Self { store, h: Mat::zeros(columns, columns), b: Mat::zeros(0, 0), done: 0 }
    }

    /// Vectors T has not been applied to.
    fn width(&self) -> usize {
        self.store.filled() - self.done
    }

    /// Applies the operator to the current block.
    fn step(&mut self) -> Result<(), EigenError> {
        interrupt::check();
        let (from, width) = (self.done, self.width());
        let (c, r) = self.store.extend(from)?;
        for i in 0..width {
            for j in 0..from {
                self.h[(from + i, j)] = self.b[(i, j)];
            }
        }
        self.done += width;
        for j in 0..width {
            for i in 0..self.done {
                self.h[(i, from + j)] = c[(i, j)];
            }
        }
        let mut b = Mat::zeros(r.nrows(), self.done);
        put(&mut b, from, r.as_ref());
        self.b = b;
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
        let k = self.done;
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
        self.store.truncate(&u);
        self.done = keep;
    }
}
