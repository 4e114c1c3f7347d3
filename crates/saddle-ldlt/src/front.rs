//! Elimination of the pivots of one front: [A11 A21^T; A21 A22] -> L11, L21, D and A22 - L21 D L21^T.
//!
//! The pivotal columns are eliminated in blocks of up to [`tuning::BLOCK`] columns: each diagonal block by Bunch and
//! Kaufman ([`super::bunch_kaufman`]), then the rows below by a triangular solve; the other columns are updated by halves
//! (recursive, right-looking), so that nearly all work is products of matrices. Exchanges never leave a block.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

use super::bunch_kaufman::{Block, Pivot, inverse_pair};
use super::number::Number;
use super::tuning;
use mb_algebra::{interrupt, side_by_side};

/// The same for an unknown: only what acts as a zero. Larger pivots, however doubtful, give a small residual.
const NOISE_UNKNOWN: f64 = 1e-19;

/// Products of fewer multiplications are done in place.
const SMALL: usize = 1500;

/// Symmetric updates of so many rows are done as a square: the triangle above costs less than two more products.
const SQUARE: usize = 96;

/// Products of so many multiplications, a millisecond or more, are cut in two, for two cores where one is idle; always, so that
/// sums do not depend on the number of cores.
const SHARED: usize = 1 << 25;

/// Pivots of the front being eliminated and memory kept between fronts.
#[derive(Clone, Debug, Default)]
pub(super) struct Eliminator<T> {
    block: Block<T>,
    product: Vec<T>,
    noise: Vec<f64>,
    /// D of this front: its diagonal, and what couples a pair (at its first row).
    pub(super) d: Vec<T>,
    pub(super) e: Vec<T>,
    /// D^-1 in the same form; zero at null pivots.
    pub(super) inverse: Vec<T>,
    pub(super) inverse_e: Vec<T>,
    /// Pivotal row now at each place.
    pub(super) perm: Vec<u32>,
    pub(super) moved: bool,
    /// Places (after exchanges) of pivots whose columns are nothing but rounding noise.
    pub(super) null: Vec<usize>,
    /// Place of a pivot that is noise while its column is not: it takes exchanges beyond its block.
    pub(super) lost: Option<usize>,
    /// Place and ratio to the magnitudes summed into them of small accepted pivots.
    pub(super) doubtful: Vec<(usize, f64)>,
    /// Largest magnitude in L below the diagonal blocks.
    pub(super) growth: f64,
}

impl<T: Number> Eliminator<T> {
    /// Eliminates the pivotal columns of `panel` (`rows` rows, by columns); `sums` has `rows` entries.
    ///
    /// `multiplier` says for each pivotal column whether it is a multiplier's. The front has no meaning where a pivot is lost.
    pub(super) fn eliminate(&mut self, panel: &mut [T], rows: usize, multiplier: &[bool], sums: &mut [f64]) {
        let cols = multiplier.len();
        self.noise.clear();
        self.noise.extend(
            // A multiplier's column is taken for noise below this multiple of the magnitudes summed into its diagonal entry: its row of G
            // depends on those before.
            multiplier.iter().map(|&m| if m { tuning::CANCELLED * T::ROUNDING } else { NOISE_UNKNOWN }),
        );
        self.begin(cols);
        if cols > 0 {
            self.columns(panel, rows, 0, cols, sums);
        }
    }

    /// Begins a front with so many candidates for pivots.
    pub(super) fn begin(&mut self, cols: usize) {
        for list in [&mut self.d, &mut self.e, &mut self.inverse, &mut self.inverse_e] {
            list.clear();
            list.resize(cols, T::default());
        }
        self.perm.clear();
        self.perm.extend(0..cols as u32);
        self.moved = false;
        self.null.clear();
        self.lost = None;
        self.doubtful.clear();
    }

    /// Eliminates columns `from..to`, which are up to date, in the front and in the rows below.
    fn columns(&mut self, panel: &mut [T], rows: usize, from: usize, to: usize, sums: &mut [f64]) {
        // A large front takes longer than an interrupt may wait.
        interrupt::check();
        // Columns eliminated with exchanges among them.
        if to - from <= tuning::BLOCK {
            self.leaf(panel, rows, from, to, sums);
            return;
        }
        let blocks = (to - from).div_ceil(tuning::BLOCK);
        let middle = from + (to - from).div_ceil(blocks) * (blocks / 2);
        self.columns(panel, rows, from, middle, sums);
        self.update_columns(panel, rows, from..middle, middle..to);
        self.columns(panel, rows, middle, to, sums);
    }

    /// Columns `onto` -= L D L^T of the columns `done` before them.
    pub(super) fn update_columns(
        &mut self,
        panel: &mut [T],
        rows: usize,
        done: Range<usize>,
        onto: Range<usize>,
    ) {
        if done.is_empty() || onto.is_empty() {
            return;
        }
        let (first, to, cols) = (onto.start, onto.end, onto.len());
        let (left, right) = panel.split_at_mut(first * rows);
        let left = &left[done.start * rows..done.end * rows];
        let left = MatRef::from_column_major_slice(left, rows, done.len());
        let right = MatMut::from_column_major_slice_mut(&mut right[..cols * rows], rows, cols);
        self.times_d(left.subrows(first, cols), done.start);
        let product = MatRef::from_column_major_slice(&self.product, cols, done.len());
        let (square, below) = right.subrows_mut(first, rows - first).split_at_row_mut(cols);
        subtract_lower(square, left.subrows(first, cols), product);
        subtract(below, left.subrows(to, rows - to), product);
    }

    /// Into `self.product`: L D, for rows of L given by columns that start at place `from`.
    fn times_d(&mut self, l: MatRef<'_, T>, from: usize) {
        let (rows, cols) = (l.nrows(), l.ncols());
        self.product.clear();
        self.product.reserve(rows * cols);
        for k in 0..cols {
            let place = from + k;
            let column = l.col(k).try_as_col_major().map_or(&[][..], |c| c.as_slice());
            let d = self.d[place];
            let before = if place > 0 { self.e[place - 1] } else { T::default() };
            let after = self.e[place];
            if after != T::default() && k + 1 < cols {
                let next = l.col(k + 1).try_as_col_major().map_or(&[][..], |c| c.as_slice());
                self.product.extend(column.iter().zip(next).map(|(&x, &y)| x * d + y * after));
            } else if before != T::default() && k > 0 {
                let last = l.col(k - 1).try_as_col_major().map_or(&[][..], |c| c.as_slice());
                self.product.extend(column.iter().zip(last).map(|(&x, &y)| x * d + y * before));
            } else {
                self.product.extend(column.iter().map(|&x| x * d));
            }
        }
    }

    /// Lower triangle of `schur` ([`packed_lower`]) -= L21 D L21^T, of the first `cols` columns and the rows from `first` on.
    pub(super) fn update_below(
        &mut self,
        panel: &[T],
        rows: usize,
        cols: usize,
        first: usize,
        schur: &mut [T],
    ) {
        let below = rows - first;
        if below == 0 || cols == 0 {
            return;
        }
        let l = MatRef::from_column_major_slice(&panel[..rows * cols], rows, cols).subrows(first, below);
        let mut from = 0;
        while from < cols {
            // Columns of L D formed at a time for the update of the rows below.
            let mut to = (from + tuning::CACHED).min(cols);
            if to < cols && self.e[to - 1] != T::default() {
                to += 1;
            }
            let part = l.subcols(from, to - from);
            self.times_d(part, from);
            let product = MatRef::from_column_major_slice(&self.product, below, to - from);
            let mut rest = &mut *schur;
            for first in (0..below).step_by(tuning::CACHED) {
                let (rows, wide) = (below - first, tuning::CACHED.min(below - first));
                let (block, others) = rest.split_at_mut(rows * wide);
                let block = MatMut::from_column_major_slice_mut(block, rows, wide);
                let (square, low) = block.split_at_row_mut(wide);
                let factor = product.subrows(first, wide);
                subtract_lower(square, part.subrows(first, wide), factor);
                subtract(low, part.subrows(first + wide, rows - wide), factor);
                rest = others;
            }
            from = to;
        }
    }

    /// One block of columns with exchanges among them.
    fn leaf(&mut self, panel: &mut [T], rows: usize, from: usize, to: usize, sums: &mut [f64]) {
        let size = to - from;
        let mut block = std::mem::take(&mut self.block);
        block.factor(&panel[from * rows + from..], rows, size, &mut sums[from..to], &self.noise[from..to]);
        if block.moved {
            self.moved = true;
            exchange(panel, rows, from, &block.perm, &mut self.perm);
        }
        let own = &mut panel[from * rows..to * rows];
        for k in 0..size {
            let column = &mut own[k * rows + from..k * rows + to];
            column[k] = T::UNIT;
            column[k + 1..].copy_from_slice(&block.l[k * size + k + 1..(k + 1) * size]);
        }
        solve_below(own, rows, to, size, &block.l);
        self.divide(own, rows, from, to, &block, sums);
        self.block = block;
    }

    /// The rows below hold L D: records D and divides by it.
    fn divide(
        &mut self,
        own: &mut [T],
        rows: usize,
        from: usize,
        to: usize,
        block: &Block<T>,
        sums: &mut [f64],
    ) {
        let (top, low) = sums.split_at_mut(to);
        let mut growth = self.growth;
        let mut k = 0;
        while k < to - from {
            let place = from + k;
            if block.kind[k] == Pivot::PairFirst {
                let (d1, e, d2) = (block.d[k], block.e[k], block.d[k + 1]);
                let (i11, i21, i22) = inverse_pair(d1, e, d2);
                (self.d[place], self.e[place], self.d[place + 1]) = (d1, e, d2);
                (self.inverse[place], self.inverse_e[place], self.inverse[place + 1]) = (i11, i21, i22);
                let (first, second) = own[k * rows..(k + 2) * rows].split_at_mut(rows);
                for ((x, y), sum) in first[to..].iter_mut().zip(&mut second[to..]).zip(&mut *low) {
                    let (w1, w2) = (*x, *y);
                    (*x, *y) = (w1 * i11 + w2 * i21, w1 * i21 + w2 * i22);
                    growth = growth.max(x.size()).max(y.size());
                    *sum += (w1 * *x).size() + (w2 * *y).size();
                }
                k += 2;
                continue;
            }
            let column = &mut own[k * rows + to..(k + 1) * rows];
            let d = block.d[k];
            if block.kind[k] == Pivot::Noise {
                let largest = column.iter().fold(0.0_f64, |m, x| m.max(x.size()));
                let others = low.iter().fold(0.0_f64, |m, &s| m.max(s));
                let noise = tuning::CANCELLED * T::ROUNDING * (top[place] * others).sqrt().max(top[place]);
                let unknown = self.noise[from + block.perm[k] as usize] == NOISE_UNKNOWN;
                if unknown || largest > noise {
                    self.lost = Some(place);
                } else {
                    self.null.push(place);
                }
                column.fill(T::default());
                self.d[place] = T::UNIT;
                k += 1;
                continue;
            }
            // A pivot accepted, but smaller than this multiple of the magnitudes summed into it, is reported.
            if d.size() <= tuning::DOUBTFUL * top[place] {
                self.doubtful.push((place, d.size() / top[place]));
            }
            let inverse = d.inverse();
            (self.d[place], self.inverse[place]) = (d, inverse);
            let factor = inverse.size();
            for (x, sum) in column.iter_mut().zip(&mut *low) {
                let w = *x;
                *x = w * inverse;
                let size = w.size();
                *sum += size * size * factor;
                growth = growth.max(size * factor);
            }
            k += 1;
        }
        self.growth = growth;
    }
}

/// Applies the exchanges of a block that starts at `from` to the rest of the panel and to the list of rows.
fn exchange<T: Number>(panel: &mut [T], rows: usize, from: usize, perm: &[u32], all: &mut [u32]) {
    let size = perm.len();
    let mut old = [0; tuning::BLOCK];
    old[..size].copy_from_slice(&all[from..from + size]);
    for (k, &p) in perm.iter().enumerate() {
        all[from + k] = old[p as usize];
    }
    let mut saved = [T::default(); tuning::BLOCK];
    let saved = &mut saved[..size];
    for column in panel[..from * rows].chunks_exact_mut(rows) {
        saved.copy_from_slice(&column[from..from + size]);
        for (k, &p) in perm.iter().enumerate() {
            column[from + k] = saved[p as usize];
        }
    }
    for row in from + size..rows {
        for (k, value) in saved.iter_mut().enumerate() {
            *value = panel[(from + k) * rows + row];
        }
        for (k, &p) in perm.iter().enumerate() {
            panel[(from + k) * rows + row] = saved[p as usize];
        }
    }
}

/// Rows `to..rows` of the columns `own` times L^-T, L (unit lower, size x size, by columns).
fn solve_below<T: Number>(own: &mut [T], rows: usize, to: usize, size: usize, l: &[T]) {
    let below = rows - to;
    if below * size * size <= 4 * SMALL {
        for j in 0..size {
            let (done, rest) = own.split_at_mut((j + 1) * rows);
            let source = &done[j * rows + to..];
            for k in j + 1..size {
                let factor = l[j * size + k];
                if factor != T::default() {
                    let target = &mut rest[(k - j - 1) * rows + to..(k - j) * rows];
                    for (t, &s) in target.iter_mut().zip(source) {
                        *t -= s * factor;
                    }
                }
            }
        }
        return;
    }
    let own = MatMut::from_column_major_slice_mut(own, rows, size).subrows_mut(to, below);
    solve_rows(MatRef::from_column_major_slice(l, size, size), own);
}

/// x <- x L^-T, L unit lower triangular.
pub(super) fn solve_rows<T: Number>(l: MatRef<'_, T>, x: MatMut<'_, T>) {
    let (rows, size) = x.shape();
    if rows * size * size / 2 < SHARED {
        return solve_unit_lower_triangular_in_place(l, x.transpose_mut(), Par::Seq);
    }
    let (top, bottom) = x.split_at_row_mut(half(rows));
    side_by_side(|| solve_rows(l, top), || solve_rows(l, bottom));
}

/// dst -= a b^T; large ones by halves of the longer side.
pub(super) fn subtract<T: Number>(dst: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    let (rows, cols) = dst.shape();
    if rows == 0 || cols == 0 {
        return;
    }
    if rows * cols * a.ncols() < SHARED {
        return matmul(dst, Accum::Add, a, b.transpose(), T::default() - T::UNIT, Par::Seq);
    }
    if rows >= cols {
        let ((top, bottom), (upper, lower)) = (dst.split_at_row_mut(half(rows)), a.split_at_row(half(rows)));
        side_by_side(|| subtract(top, upper, b), || subtract(bottom, lower, b));
    } else {
        let ((left, right), (first, last)) = (dst.split_at_col_mut(half(cols)), b.split_at_row(half(cols)));
        side_by_side(|| subtract(left, a, first), || subtract(right, a, last));
    }
}

/// Half of a length that is long, a multiple of what the kernels of the products take at once.
fn half(length: usize) -> usize {
    // Rows the kernels of the products take at once, or a part of them.
    (length / 2).next_multiple_of(4 * (tuning::BLOCK / 2))
}

/// Lower triangle of dst -= a b^T, of symmetric a b^T. The entries above it may change too: nobody reads them.
pub(super) fn subtract_lower<T: Number>(mut dst: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    let (rows, inner) = (dst.nrows(), a.ncols());
    if rows * rows * inner > SMALL {
        if rows <= SQUARE {
            return subtract(dst, a, b);
        }
        let middle = (rows / 2).next_multiple_of(tuning::BLOCK / 2);
        let (top, bottom) = dst.split_at_row_mut(middle);
        let (a, low) = (a.subrows(0, middle), a.subrows(middle, rows - middle));
        let (b, b_low) = (b.subrows(0, middle), b.subrows(middle, rows - middle));
        let (left, right) = bottom.split_at_col_mut(middle);
        let triangles = || {
            subtract_lower(top.subcols_mut(0, middle), a, b);
            subtract_lower(right, low, b_low);
        };
        if rows * rows * inner < 2 * SHARED {
            subtract(left, low, b);
            triangles();
        } else {
            side_by_side(triangles, || subtract(left, low, b));
        }
        return;
    }
    for k in 0..inner {
        let Some(left) = a.col(k).try_as_col_major() else { continue };
        let left = left.as_slice();
        for j in 0..rows {
            let factor = b[(j, k)];
            let Some(target) = dst.as_mut().col_mut(j).try_as_col_major_mut() else { continue };
            for (t, &x) in target.as_slice_mut()[j..].iter_mut().zip(&left[j..]) {
                *t -= x * factor;
            }
        }
    }
}

#[cfg(test)]
mod tests;
