//! A Krylov basis of a quadratic problem on two levels: TOAR, the two-level orthogonal Arnoldi method, by blocks.
//!
//! ```text
//! V = [Q U_1; Q U_2],   Q^H Q = I,   U_1^H U_1 + U_2^H U_2 = I        Q n x r,  U_i r x k
//! T (x, v) = (a_0 x + a_1 v + a_2 w, b_0 x + b_1 v + b_2 w),   w = A (x, v)
//! ```
//!
//! A step adds to Q what is new in w, at most as many columns as the block has, and works on coefficients for the rest: after
//! k vectors Q has about k + 2 blocks' columns of length n, where the vectors themselves would fill 2 n x k. Both levels are
//! orthogonalized twice, so that the method is as stable as Arnoldi's on the linear form. A restart with V S leaves
//! coefficients U_i S of low rank: the halves of an invariant subspace of k vectors span k + 2 blocks' directions again,
//! found by orthogonalization with pivoting, both halves scaled to one size.
//!
//! Pairs that are known (zeros, with their chains) are kept out by P = I - Z D^T. The halves of Z are the first columns of Q and
//! stay there, so that P acts on coefficients alone.
//!
//! Lu, Su, Bai, SIAM J. Matrix Anal. Appl. 37 (2016): the method and its stability; Campos and Roman, SIAM J. Sci. Comput.
//! 38 (2016): restarts, locking and deflation for polynomial problems. Sizes: n rows, r <= k + 3 blocks and twice the known eigenpairs.

use faer::{Mat, MatRef};
use mb_algebra::{DenseC, interrupt};

use super::SecondOrder;
use super::gram_schmidt::{Expansion, Indefinite, expand};
use super::krylov_schur::Store;
use super::scalar::{Scalar, combine, hstack, norm, product, put, real_map, start_block, subtract};
use crate::EigenError;
use crate::tuning;

/// v / x of the first vectors: no eigenvector is orthogonal to (x, this x) by the structure of a problem.
const SECOND_HALF: f64 = 0.754_877_666_246_692_7;

/// Z and D in terms of Q.
struct Known<T> {
    /// Halves of Z: coefficients of the first columns of Q, held x p.
    z: [Mat<T>; 2],
    /// Halves of D^T, times the columns of Q: p x room.
    dual: [Mat<T>; 2],
}

/// The vectors of a basis on two levels.
pub(super) struct TwoLevel<'a, T: Scalar> {
    operator: &'a dyn SecondOrder<T>,
    /// Q, n x room.
    q: Mat<T>,
    /// Columns of Q in use.
    rank: usize,
    /// First columns of Q, which hold what is known.
    held: usize,
    /// [U_1; U_2], 2 room x columns.
    u: Mat<T>,
    filled: usize,
    known: Option<Known<T>>,
}

impl<'a, T: Scalar> TwoLevel<'a, T> {
    /// Room for so many vectors.
    pub(super) fn new(
        operator: &'a dyn SecondOrder<T>,
        columns: usize,
        block: usize,
    ) -> Result<Self, EigenError> {
        let n = operator.size() / 2;
        let mut out = Self {
            operator,
            q: Mat::zeros(n, 0),
            rank: 0,
            held: 0,
            u: Mat::zeros(0, columns),
            filled: 0,
            known: None,
        };
        let left_out = operator.left_out();
        let pairs = left_out.map_or(0, |(z, _)| z.ncols());
        out.reserve((columns + 2 * block + 2 * pairs).min(n));
        if let Some((z, _)) = left_out {
            // v of a zero without a chain is zero; of the others it may be of any size.
            let half = |at: usize| {
                let part = z.subrows(at * n, n);
                Mat::from_fn(n, pairs, |i, j| T::real(part[(i, j)]))
            };
            // Some columns at a time: their products with those before them are products of matrices.
            let both = hstack(half(0).as_ref(), half(1).as_ref());
            let mut coefficients = Mat::zeros(2 * pairs, 2 * pairs);
            for from in (0..2 * pairs).step_by(tuning::WIDTH) {
                interrupt::check();
                let width = tuning::WIDTH.min(2 * pairs - from);
                let before = out.rank;
                let next = out.append(both.as_ref().subcols(from, width).to_owned())?;
                let mut to = coefficients.as_mut().subcols_mut(from, width);
                to.as_mut().subrows_mut(0, before).copy_from(&next.c);
                to.subrows_mut(before, out.rank - before).copy_from(&next.r);
            }
            out.held = out.rank;
            let coefficients =
                |at: usize| coefficients.as_ref().subrows(0, out.rank).subcols(at * pairs, pairs).to_owned();
            let room = out.q.ncols();
            out.known = Some(Known {
                z: [coefficients(0), coefficients(1)],
                dual: [Mat::zeros(pairs, room), Mat::zeros(pairs, room)],
            });
            out.measure(0);
        }
        Ok(out)
    }

    /// Room for so many columns of Q.
    fn reserve(&mut self, columns: usize) {
        let room = self.q.ncols();
        if columns <= room {
            return;
        }
        let mut q = Mat::zeros(self.q.nrows(), columns);
        put(&mut q, 0, self.q.as_ref().subcols(0, self.rank));
        let mut u = Mat::zeros(2 * columns, self.u.ncols());
        for half in 0..2 {
            let from = self.u.as_ref().subrows(half * room, self.rank);
            u.as_mut().subrows_mut(half * columns, self.rank).copy_from(from);
        }
        (self.q, self.u) = (q, u);
        if let Some(known) = &mut self.known {
            for dual in &mut known.dual {
                let mut wider = Mat::zeros(dual.nrows(), columns);
                put(&mut wider, 0, dual.as_ref().subcols(0, self.rank));
                *dual = wider;
            }
        }
    }

    /// Adds to Q what is new in W.
    fn append(&mut self, w: Mat<T>) -> Result<Expansion<T>, EigenError> {
        let q = self.q.as_ref().subcols(0, self.rank);
        let next = expand(q, w, None).map_err(|Indefinite| EigenError::IndefiniteMetric)?;
        let before = self.rank;
        self.reserve(before + next.q.ncols());
        put(&mut self.q, before, next.q.as_ref());
        self.rank += next.q.ncols();
        self.measure(before);
        Ok(next)
    }

    /// D^T Q for the columns of Q from `from` on.
    fn measure(&mut self, from: usize) {
        let (Some(known), Some((_, d))) = (&mut self.known, self.operator.left_out()) else { return };
        let (n, new) = (self.q.nrows(), self.q.as_ref().subcols(from, self.rank - from));
        for (half, dual) in known.dual.iter_mut().enumerate() {
            let more = real_map(new, |q| f64::adjoint_product(d.subrows(half * n, n), q.as_ref()));
            put(dual, from, more.as_ref());
        }
    }

    /// Coefficients of P z; each half has `rank` rows.
    fn project(&self, halves: &mut [Mat<T>; 2]) {
        let Some(known) = &self.known else { return };
        for _ in 0..2 {
            let part =
                |i: usize| product(known.dual[i].as_ref().subcols(0, halves[i].nrows()), halves[i].as_ref());
            let share = part(0) + part(1);
            for (half, z) in halves.iter_mut().zip(&known.z) {
                let step = product(z.as_ref(), share.as_ref());
                for j in 0..step.ncols() {
                    let to = half.col_as_slice_mut(j);
                    to.iter_mut().zip(step.col_as_slice(j)).for_each(|(to, s)| *to -= *s);
                }
            }
        }
    }

    /// Coefficients of P T P z, stacked as in `u`.
    fn image(&mut self, mut halves: [Mat<T>; 2]) -> Result<Mat<T>, EigenError> {
        self.project(&mut halves);
        let vectors = |half: &Mat<T>| product(self.q.as_ref().subcols(0, self.rank), half.as_ref());
        let w = self.operator.direction(&vectors(&halves[0]), &vectors(&halves[1]))?;
        let before = self.rank;
        let next = self.append(w)?;
        let width = halves[0].ncols();
        let by = self.operator.halves();
        let entry = |of: &[T; 3], i: usize, j: usize| {
            if i < before {
                of[0] * halves[0][(i, j)] + of[1] * halves[1][(i, j)] + of[2] * next.c[(i, j)]
            } else {
                of[2] * next.r[(i - before, j)]
            }
        };
        let mut image =
            [0, 1].map(|half: usize| Mat::from_fn(self.rank, width, |i, j| entry(&by[half], i, j)));
        self.project(&mut image);
        Ok(self.stacked(&image))
    }

    fn stacked(&self, halves: &[Mat<T>; 2]) -> Mat<T> {
        let (room, width) = (self.q.ncols(), halves[0].ncols());
        let mut out = Mat::zeros(2 * room, width);
        for (at, half) in halves.iter().enumerate() {
            out.as_mut().subrows_mut(at * room, half.nrows()).copy_from(half);
        }
        out
    }

    /// U_i of the vectors `from..to`.
    fn half(&self, at: usize, from: usize, to: usize) -> MatRef<'_, T> {
        self.u.as_ref().subcols(from, to - from).subrows(at * self.q.ncols(), self.rank)
    }

    fn keep(&mut self, image: Mat<T>) -> Result<Expansion<T>, EigenError> {
        let u = self.u.as_ref().subcols(0, self.filled);
        let next = expand(u, image, None).map_err(|Indefinite| EigenError::IndefiniteMetric)?;
        put(&mut self.u, self.filled, next.q.as_ref());
        self.filled += next.q.ncols();
        Ok(next)
    }

    /// Takes out of Q what no vector has a share of; what is known stays.
    fn compress(&mut self) {
        let (held, inside) = (self.held, self.rank - self.held);
        let halves = [0, 1].map(|at| self.half(at, 0, self.filled).subrows(held, inside).to_owned());
        let size = |a: &Mat<T>| (0..a.ncols()).map(|j| norm(a.col_as_slice(j)).powi(2)).sum::<f64>().sqrt();
        let (first, second) = (size(&halves[0]), size(&halves[1]));
        let by = if second > 0.0 { first.max(f64::MIN_POSITIVE) / second } else { 1.0 };
        let scaled = Mat::from_fn(inside, self.filled, |i, j| halves[1][(i, j)].times(by));
        let turn = range(hstack(halves[0].as_ref(), scaled.as_ref()));
        let left = turn.ncols();
        if left == inside {
            return;
        }
        let room = self.q.ncols();
        for (at, half) in halves.iter().enumerate() {
            let new = T::adjoint_product(turn.as_ref(), half.as_ref());
            for j in 0..self.filled {
                let column = &mut self.u.col_as_slice_mut(j)[at * room + held..at * room + self.rank];
                column[..left].copy_from_slice(new.col_as_slice(j));
                column[left..].fill(T::default());
            }
        }
        let n = self.q.nrows();
        // Rows of Q that are multiplied at once when it is compressed.
        for first in (0..n).step_by(tuning::ROWS) {
            let rows = tuning::ROWS.min(n - first);
            let mut panel = self.q.as_mut().subrows_mut(first, rows).subcols_mut(held, inside);
            let new = product(panel.as_ref(), turn.as_ref());
            panel.as_mut().subcols_mut(0, left).copy_from(&new);
        }
        if let Some(known) = &mut self.known {
            for dual in &mut known.dual {
                let new = product(dual.as_ref().subcols(held, inside), turn.as_ref());
                put(dual, held, new.as_ref());
            }
        }
        self.rank = held + left;
    }
}

impl<T: Scalar> Store<T> for TwoLevel<'_, T> {
    fn length(&self) -> usize {
        self.operator.size()
    }

    fn filled(&self) -> usize {
        self.filled
    }

    fn start(&mut self, width: usize, salt: u64) -> Result<usize, EigenError> {
        let next = self.append(start_block(self.q.nrows(), width, salt))?;
        let kept = next.c.nrows();
        let entry = |i: usize, j: usize| if i < kept { next.c[(i, j)] } else { next.r[(i - kept, j)] };
        let x = Mat::from_fn(self.rank, width, entry);
        let v = Mat::from_fn(self.rank, width, |i, j| entry(i, j).times(SECOND_HALF));
        let image = self.image([x, v])?;
        Ok(self.keep(image)?.q.ncols())
    }

    fn extend(&mut self, from: usize) -> Result<(Mat<T>, Mat<T>), EigenError> {
        let halves = [0, 1].map(|at| self.half(at, from, self.filled).to_owned());
        let image = self.image(halves)?;
        self.keep(image).map(|next| (next.c, next.r))
    }

    fn truncate(&mut self, s: &Mat<T>) {
        let (done, keep) = s.shape();
        let kept = product(self.u.as_ref().subcols(0, done), s.as_ref());
        let next = self.u.as_ref().subcols(done, self.filled - done).to_owned();
        put(&mut self.u, 0, kept.as_ref());
        put(&mut self.u, keep, next.as_ref());
        self.filled = keep + next.ncols();
        self.compress();
    }

    fn combine(&self, y: &DenseC) -> DenseC {
        let n = self.q.nrows();
        let mut out = DenseC::zeros(2 * n, y.ncols());
        for at in 0..2 {
            let coefficients = combine(self.half(at, 0, y.nrows()), y);
            // Complex coefficients of vectors that may be real.
            let part = combine(self.q.as_ref().subcols(0, self.rank), &coefficients);
            out.as_mut().subrows_mut(at * n, n).copy_from(&part);
        }
        out
    }
}

/// An orthonormal basis of what the columns of A span, those of least length left out: Gram-Schmidt with pivoting.
fn range<T: Scalar>(mut a: Mat<T>) -> Mat<T> {
    let (rows, columns) = a.shape();
    let mut q = Mat::<T>::zeros(rows, rows.min(columns));
    let mut lengths: Vec<f64> = (0..columns).map(|j| norm(a.col_as_slice(j))).collect();
    // Directions of the coefficients below this fraction of the largest are rounding, as that of the solves is.
    let enough = tuning::MANY_ROUNDINGS * lengths.iter().copied().fold(0.0, f64::max);
    let mut rank = 0;
    while rank < q.ncols() {
        let Some(best) = (0..columns).max_by(|&i, &j| lengths[i].total_cmp(&lengths[j])) else { break };
        // A NaN ends it too.
        if lengths[best].is_nan() || lengths[best] <= enough {
            break;
        }
        let mut next = Mat::zeros(rows, 1);
        next.col_as_slice_mut(0).copy_from_slice(a.col_as_slice(best));
        for _ in 0..2 {
            let length = norm(next.col_as_slice(0)).recip();
            next.col_as_slice_mut(0).iter_mut().for_each(|x| *x = x.times(length));
            let before = q.as_ref().subcols(0, rank);
            let share = T::adjoint_product(before, next.as_ref());
            subtract(&mut next, before, share.as_ref());
        }
        let length = norm(next.col_as_slice(0)).recip();
        next.col_as_slice_mut(0).iter_mut().for_each(|x| *x = x.times(length));
        let share = T::adjoint_product(next.as_ref(), a.as_ref());
        subtract(&mut a, next.as_ref(), share.as_ref());
        put(&mut q, rank, next.as_ref());
        rank += 1;
        for (j, length) in lengths.iter_mut().enumerate() {
            *length = if j == best { 0.0 } else { norm(a.col_as_slice(j)) };
        }
        // It is in the basis, whatever rounding has left of it.
        a.col_as_slice_mut(best).fill(T::default());
    }
    q.as_ref().subcols(0, rank).to_owned()
}

#[cfg(test)]
mod tests;
