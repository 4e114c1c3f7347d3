//! Real Schur form A = Z T Z^T of a dense matrix: T quasi-triangular, Z orthogonal.
//!
//! Hessenberg form by the library faer, then QR iteration: sweeps with many shifts ([`sweep`]) and aggressive early deflation
//! ([`deflation`]), as in LAPACK's dhseqr; small blocks by single double shifts ([`double_shift`]). Each loop has a bound that
//! depends on the size alone, and the iteration looks at [`crate::interrupt`] once a step.

mod block;
mod deflation;
mod double_shift;
mod exchange;
mod sweep;
#[cfg(test)]
mod tests;
mod vectors;

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::evd::hessenberg::{HessenbergParams, hessenberg_in_place, hessenberg_in_place_scratch};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_right_in_place_scratch,
    apply_block_householder_sequence_on_the_right_in_place_with_conj,
};
use faer::linalg::matmul::matmul;
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Accum, Auto, Conj, Par, Spec};

use crate::{Dense, c64, dense, interrupt, norms};
use block::Block;

/// Blocks up to this size take single double shifts within the cache.
const SMALL: usize = 75;
/// Rows of a window that converge at once, in hundredths, from which on the next window is looked at before a sweep.
const NIBBLE: usize = 14;
/// Windows without a deflation after which they grow.
const PATIENCE: usize = 5;
/// Sweeps without a deflation after which shifts are chosen by another rule.
const EXCEPTIONAL: usize = 6;
/// Steps for each row; one or two are usual, and a step of many shifts counts as one.
const STEPS: usize = 30;

/// A real Schur form.
pub(super) struct RealSchur {
    /// Quasi-triangular: 2 x 2 diagonal blocks have equal diagonal entries and complex eigenvalues. Without Z, its diagonal
    /// blocks alone are right. Scaled by a power of two.
    t: Dense,
    /// Orthogonal; none if eigenvalues alone were asked for.
    z: Option<Dense>,
    /// Eigenvalues of T along its diagonal, the one of a pair with positive imaginary part first.
    values: Vec<c64>,
    /// A = scale Z T Z^T.
    scale: f64,
}

impl RealSchur {
    /// The Schur form of a square matrix of finite numbers; none if the iteration does not converge within its steps.
    pub(super) fn new(a: &Dense, vectors: bool) -> Option<Self> {
        let n = a.nrows();
        // By a power of two to entries about one: exact, and no product overflows.
        let largest = norms::max_abs(a);
        let scale = if largest > 0.0 { power_of_two(largest) } else { 1.0 };
        let mut work = Work { t: a.map(|value| value / scale), z: vectors.then(|| dense::identity(n)) };
        if n > 2 {
            work = interrupt::aside(14.0 / 3.0 * interrupt::cube(n), move || {
                work.hessenberg();
                work
            });
        }
        if !work.iterate() {
            return None;
        }
        let Work { t, z } = work;
        let values = diagonal_values(&t);
        Some(Self { t, z, values, scale })
    }

    /// Eigenvalues of A.
    pub(super) fn values(&self) -> Vec<c64> {
        self.values.iter().map(|s| s * self.scale).collect()
    }

    /// Right eigenvectors of A as real columns, a pair as its real and imaginary part side by side.
    pub(super) fn right(&self) -> Dense {
        self.turned(&vectors::right(&self.t, &self.values))
    }

    /// Left eigenvectors y, A^T y = conj(s) y, in the same form.
    pub(super) fn left(&self) -> Dense {
        self.turned(&vectors::left(&self.t, &self.values))
    }

    /// Z X; X itself without Z.
    fn turned(&self, x: &Dense) -> Dense {
        self.z.as_ref().map_or_else(|| x.clone(), |z| dense::mul(z, x))
    }
}

/// 2^k with largest / 2^k in [1, 2), for normal numbers.
fn power_of_two(largest: f64) -> f64 {
    f64::from_bits(largest.to_bits() & (0x7ff_u64 << 52)).max(f64::MIN_POSITIVE)
}

/// A Hessenberg matrix on its way to Schur form.
struct Work {
    t: Dense,
    z: Option<Dense>,
}

impl Work {
    /// Brings T to Hessenberg form, three rows at least.
    fn hessenberg(&mut self) {
        let Self { t, z } = self;
        let n = t.nrows();
        let size = recommended_block_size::<f64>(n - 1, n - 1);
        let mut householder = Dense::zeros(size, n - 1);
        let params: Spec<HessenbergParams, f64> = <HessenbergParams as Auto<f64>>::auto().into();
        let scratch = StackReq::any_of(&[
            hessenberg_in_place_scratch::<f64>(n, size, Par::Seq, params),
            apply_block_householder_sequence_on_the_right_in_place_scratch::<f64>(n - 1, size, n - 1),
        ]);
        let mut buffer = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut buffer);
        hessenberg_in_place(t.as_mut(), householder.as_mut(), Par::Seq, stack, params);
        if let Some(z) = z {
            apply_block_householder_sequence_on_the_right_in_place_with_conj(
                t.as_ref().submatrix(1, 0, n - 1, n - 1),
                householder.as_ref(),
                Conj::No,
                z.as_mut().submatrix_mut(1, 1, n - 1, n - 1),
                Par::Seq,
                stack,
            );
        }
        for j in 0..n {
            t.col_as_slice_mut(j)[(j + 2).min(n)..].fill(0.0);
        }
    }

    /// Brings T to Schur form; false if the steps do not suffice.
    fn iterate(&mut self) -> bool {
        let n = self.t.nrows();
        let (mut end, mut idle, mut size) = (n, 0, 0);
        for _ in 0..STEPS * n.max(10) {
            interrupt::check();
            if end == 0 {
                return true;
            }
            let t = &self.t;
            let start = double_shift::split(|i, j| t[(i, j)], n, 0, end);
            if start > 0 {
                self.t[(start, start - 1)] = 0.0;
            }
            if end - start <= SMALL {
                if !self.finish_block(start, end) {
                    return false;
                }
                (end, idle) = (start, 0);
                continue;
            }
            let rows = end - start;
            // A window that spans a third of the rows costs no more than a sweep.
            let wanted = if idle < PATIENCE { window_size(rows) } else { 2 * size };
            size = wanted.min(rows / 3);
            let found = self.deflate(start, end, size);
            end -= found.deflated;
            idle = if found.deflated > 0 { 0 } else { idle + 1 };
            if 100 * found.deflated > NIBBLE * size || end - start <= SMALL {
                continue;
            }
            let pairs = self.shifts(start, end, idle, found.shifts);
            self.sweep(start, end, &pairs);
        }
        end == 0
    }

    /// Pairs of shifts for the rows `start..end`: eigenvalues of the window, those of the corner, or ones that end a cycle.
    fn shifts(&self, start: usize, end: usize, idle: usize, found: Vec<c64>) -> Vec<[c64; 2]> {
        let count = shift_count(end - start);
        let corner = self.t[(end - 1, end - 1)];
        if idle > 0 && idle.is_multiple_of(EXCEPTIONAL) {
            let below = |i: usize| self.t[(i, i - 1)].abs() + self.t[(i - 1, i - 2)].abs();
            let pair = |k: usize| {
                let row = end - 1 - 2 * k;
                double_shift::cycle_breaker(self.t[(row, row)], below(row))
            };
            return (0..count / 2).map(pair).collect();
        }
        let found =
            if 2 * found.len() < count { deflation::of_corner(self, start..end, count) } else { found };
        let pairs = sweep::pairs(&found, count / 2, corner);
        if pairs.is_empty() { vec![[c64::new(corner, 0.0); 2]] } else { pairs }
    }

    /// Schur form of the diagonal block of the rows `start..end`.
    fn finish_block(&mut self, start: usize, end: usize) -> bool {
        let mut block = Block::taken(&self.t, start, end - start);
        for j in 0..end - start {
            block.column_mut(j)[(j + 2).min(end - start)..].fill(0.0);
        }
        if self.z.is_none() {
            let done = double_shift::double_shift(&mut block, None, false) == 0;
            block.put(&mut self.t, start);
            return done;
        }
        let mut turn = Block::identity(end - start);
        let done = double_shift::double_shift(&mut block, Some(&mut turn), true) == 0;
        block.put(&mut self.t, start);
        self.transform(start, start, end, &turn);
        done
    }

    /// The rest of T, and Z, after an orthogonal transformation of the rows and columns from `at` on has been done within them.
    /// Without Z, nothing outside of the rows `start..end` is asked for.
    fn transform(&mut self, at: usize, start: usize, end: usize, turn: &Block) {
        let size = turn.size();
        if size == 1 {
            return;
        }
        let n = self.t.nrows();
        let turn = turn.dense();
        let (top, right) = if self.z.is_some() { (0, n) } else { (start, end) };
        if at + size < right {
            let mut part = self.t.as_mut().submatrix_mut(at, at + size, size, right - at - size);
            let mut new = Dense::zeros(size, right - at - size);
            matmul(new.as_mut(), Accum::Replace, turn.transpose(), part.as_ref(), 1.0, Par::Seq);
            part.copy_from(&new);
        }
        if top < at {
            let mut part = self.t.as_mut().submatrix_mut(top, at, at - top, size);
            let mut new = Dense::zeros(at - top, size);
            matmul(new.as_mut(), Accum::Replace, part.as_ref(), turn.as_ref(), 1.0, Par::Seq);
            part.copy_from(&new);
        }
        if let Some(z) = &mut self.z {
            let mut part = z.as_mut().submatrix_mut(0, at, n, size);
            let mut new = Dense::zeros(n, size);
            matmul(new.as_mut(), Accum::Replace, part.as_ref(), turn.as_ref(), 1.0, Par::Seq);
            part.copy_from(&new);
        }
    }
}

/// Eigenvalues of the diagonal blocks of a standard Schur form.
fn diagonal_values(t: &Dense) -> Vec<c64> {
    let n = t.nrows();
    let mut out = Vec::with_capacity(n);
    while out.len() < n {
        let i = out.len();
        let s = t[(i, i)];
        if i + 1 < n && t[(i + 1, i)] != 0.0 {
            let root = t[(i + 1, i)].abs().sqrt() * t[(i, i + 1)].abs().sqrt();
            out.extend([c64::new(s, root), c64::new(s, -root)]);
        } else {
            out.push(c64::new(s, 0.0));
        }
    }
    out
}

/// Shifts of a sweep over so many rows (LAPACK iparmq).
fn shift_count(rows: usize) -> usize {
    let count = match rows {
        0..150 => 10,
        150..590 => rows / rows.ilog2() as usize,
        590..3000 => 64,
        3000..6000 => 128,
        _ => 256,
    };
    count / 2 * 2
}

/// Rows of a window for so many active ones.
fn window_size(rows: usize) -> usize {
    let count = shift_count(rows);
    if rows <= 500 { count } else { 3 * count / 2 }
}
