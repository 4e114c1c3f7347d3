//! Elimination of the pivots of one front of an unsymmetric matrix.
//!
//! ```text
//! [P 0; 0 I] [F11 F12; F21 F22] = [L11 0; L21 I] [D 0; 0 S] [W11^T W21^T; 0 I],    S = F22 - L21 D W21^T
//! ```
//!
//! L11 and W11 are unit lower triangular, so that both sides have the shape of the panels of L D L^T: the upper side is held
//! transposed. Rows are exchanged among the pivots of the front with threshold pivoting, the diagonal preferred (Duff, Erisman
//! and Reid, Direct Methods for Sparse Matrices, chapter 5); a pivot that is rounding noise within its front is replaced by a
//! small number (Li and Demmel, ACM Trans. Math. Softw. 29, 2003), which refinement must mend or the trial shows.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

use super::front::{solve_rows, subtract, subtract_lower};
use super::number::Number;
use super::tuning;

/// Triangular solves of fewer multiplications are done in place.
const SMALL: usize = 6000;

/// A diagonal entry is the pivot when it is not smaller than this fraction of the largest candidate.
const THRESHOLD: f64 = 0.1;

/// An unknown's column that is smaller than this multiple of the magnitudes summed into its diagonal is noise.
const NOISE: f64 = 1e-18;

/// Pivots of the front being eliminated and memory kept between fronts.
#[derive(Clone, Debug, Default)]
pub(super) struct LuEliminator<T> {
    /// Pivots of this front; their inverses.
    pub(super) d: Vec<T>,
    pub(super) inverse: Vec<T>,
    /// Pivotal row now at each place.
    pub(super) perm: Vec<u32>,
    pub(super) moved: bool,
    /// Exchanges of two rows so far, over all fronts.
    pub(super) exchanges: usize,
    /// Places of pivots that were replaced.
    pub(super) weak: Vec<usize>,
    /// The same of unknowns in a front without rows below: nothing is left that could hold them.
    pub(super) singular: Vec<usize>,
    /// Place and ratio to the magnitudes summed into them of small pivots of a front without rows below.
    pub(super) doubtful: Vec<(usize, f64)>,
    /// Largest magnitude in L and W.
    pub(super) growth: f64,
}

impl<T: Number> LuEliminator<T> {
    /// Eliminates the pivotal columns of `lower` (`rows` rows, by columns) and the pivotal rows, held as the columns of
    /// `upper`, whose triangle at the top is F11 above the diagonal, transposed. `sums` has `rows` entries.
    ///
    /// On return `lower` holds L11 and L21 and `upper` W11 and W21 D: [`update_below`] needs them so, and
    /// [`LuEliminator::finish`] divides.
    pub(super) fn eliminate(
        &mut self,
        lower: &mut [T],
        upper: &mut [T],
        rows: usize,
        multiplier: &[bool],
        sums: &mut [f64],
    ) {
        let cols = multiplier.len();
        for list in [&mut self.d, &mut self.inverse] {
            list.clear();
            list.resize(cols, T::default());
        }
        self.perm.clear();
        self.perm.extend(0..cols as u32);
        (self.moved, self.growth) = (false, self.growth.max(1.0));
        self.weak.clear();
        self.singular.clear();
        self.doubtful.clear();
        if cols == 0 {
            return;
        }
        for k in 0..cols {
            for i in 0..k {
                lower[k * rows + i] = upper[i * rows + k];
            }
        }
        self.square(lower, upper, rows, multiplier, sums);
        // W11 = (D^-1 U11)^T next to L11.
        for k in 0..cols {
            let inverse = self.inverse[k];
            upper[k * rows + k] = T::UNIT;
            for i in k + 1..cols {
                upper[k * rows + i] = lower[i * rows + k] * inverse;
            }
        }
        for k in 0..cols {
            lower[k * rows + k] = T::UNIT;
        }
        solve_below(lower, upper, rows, cols);
        solve_below(upper, lower, rows, cols);
        // L21 = (L21 D) D^-1, and what goes into the diagonal of the rows below.
        for k in 0..cols {
            let inverse = self.inverse[k];
            let left = &mut lower[k * rows + cols..(k + 1) * rows];
            let right = &upper[k * rows + cols..(k + 1) * rows];
            let factor = inverse.size();
            for ((l, w), sum) in left.iter_mut().zip(right).zip(&mut sums[cols..]) {
                *l *= inverse;
                self.growth = self.growth.max(l.size()).max(w.size() * factor);
                *sum += l.size() * w.size();
            }
        }
    }

    /// F11 = P^T L11 U11 in place at the top of `lower`.
    fn square(
        &mut self,
        lower: &mut [T],
        upper: &mut [T],
        rows: usize,
        multiplier: &[bool],
        sums: &mut [f64],
    ) {
        let cols = multiplier.len();
        let mut from = 0;
        while from < cols {
            // Columns eliminated one after the other.
            let to = (from + (tuning::BLOCK / 2)).min(cols);
            for k in from..to {
                self.pivot([lower, upper], rows, k, multiplier, sums);
                let (own, rest) = lower.split_at_mut((k + 1) * rows);
                let column = &mut own[k * rows + k + 1..k * rows + cols];
                let inverse = self.inverse[k];
                for x in column.iter_mut() {
                    *x *= inverse;
                }
                for j in 0..to - k - 1 {
                    let target = &mut rest[j * rows..j * rows + cols];
                    let factor = target[k];
                    if factor != T::default() {
                        for (t, &l) in target[k + 1..].iter_mut().zip(&*column) {
                            *t -= l * factor;
                        }
                    }
                }
            }
            if to < cols {
                let (done, rest) = lower.split_at_mut(to * rows);
                let done = MatRef::from_column_major_slice(&done[from * rows..], rows, to - from);
                let rest =
                    MatMut::from_column_major_slice_mut(&mut rest[..(cols - to) * rows], rows, cols - to);
                let (above, below) = rest.subrows_mut(from, cols - from).split_at_row_mut(to - from);
                let mut above = above;
                solve_unit_lower_triangular_in_place(done.subrows(from, to - from), above.as_mut(), Par::Seq);
                let left = done.subrows(to, cols - to);
                matmul(below, Accum::Add, left, above.as_ref(), T::default() - T::UNIT, Par::Seq);
            }
            from = to;
        }
    }

    /// Chooses the pivot of column k, which is up to date, and brings its row to place k.
    fn pivot(
        &mut self,
        [lower, upper]: [&mut [T]; 2],
        rows: usize,
        k: usize,
        multiplier: &[bool],
        sums: &[f64],
    ) {
        let cols = multiplier.len();
        let column = &lower[k * rows + k..k * rows + cols];
        let (mut largest, mut at) = (0.0, 0);
        for (i, x) in column.iter().enumerate() {
            let size = x.size();
            if size > largest || size.is_nan() {
                (largest, at) = (size, i);
            }
        }
        let own = column[0].size();
        if at > 0 && own < THRESHOLD * largest {
            let other = k + at;
            for j in 0..cols {
                lower.swap(j * rows + k, j * rows + other);
            }
            let (first, second) = upper.split_at_mut(other * rows);
            first[k * rows + cols..(k + 1) * rows].swap_with_slice(&mut second[cols..rows]);
            self.perm.swap(k, other);
            self.moved = true;
            self.exchanges += 1;
        }
        let pivot = lower[k * rows + k];
        // What was summed into the diagonal: by the children, and by the pivots before in this front.
        let mut sum = sums[k];
        for j in 0..k {
            let (l, u) = (lower[j * rows + k], lower[k * rows + j]);
            sum += l.size() * u.size();
        }
        let mut d = pivot;
        // Among the last pivots of all a small one is a property of the matrix, elsewhere of the current pivots.
        if rows == cols && sum > 0.0 && pivot.size() <= tuning::DOUBTFUL * sum {
            self.doubtful.push((k, pivot.size() / sum));
        }
        let noise = if multiplier[k] { tuning::CANCELLED } else { NOISE };
        if pivot.size() <= noise * sum || pivot == T::default() {
            let scale = if sum > 0.0 { sum } else { 1.0 };
            let sign = if multiplier[k] { -1.0 } else { 1.0 };
            // Replaces a multiplier's pivot that is noise while its column is not, relative to the magnitudes summed into it.
            d = T::from_real(sign * tuning::HALF_THE_DIGITS * scale);
            let last = rows == cols && !multiplier[k];
            if last { &mut self.singular } else { &mut self.weak }.push(k);
        }
        lower[k * rows + k] = d;
        (self.d[k], self.inverse[k]) = (d, d.inverse());
    }

    /// W21 = (W21 D) D^-1.
    pub(super) fn finish(&self, upper: &mut [T], rows: usize) {
        let cols = self.inverse.len();
        for (column, &inverse) in upper.chunks_exact_mut(rows).zip(&self.inverse) {
            column[cols..].iter_mut().for_each(|w| *w *= inverse);
        }
    }
}

/// Lower triangle of S -= L21 (W21 D)^T, and that of S^T -= (W21 D) L21^T; both [`packed_lower`]s.
pub(super) fn update_below<T: Number>(panels: [&[T]; 2], rows: usize, cols: usize, schur: [&mut [T]; 2]) {
    let below = rows - cols;
    if below == 0 || cols == 0 {
        return;
    }
    let [l, w] = panels.map(|panel| MatRef::from_column_major_slice(panel, rows, cols).subrows(cols, below));
    for (schur, (left, right)) in schur.into_iter().zip([(l, w), (w, l)]) {
        let mut rest = schur;
        for first in (0..below).step_by(tuning::CACHED) {
            let (rows, wide) = (below - first, tuning::CACHED.min(below - first));
            let (block, others) = rest.split_at_mut(rows * wide);
            let block = MatMut::from_column_major_slice_mut(block, rows, wide);
            let (square, low) = block.split_at_row_mut(wide);
            let factor = right.subrows(first, wide);
            subtract_lower(square, left.subrows(first, wide), factor);
            subtract(low, left.subrows(first + wide, rows - wide), factor);
            rest = others;
        }
    }
}

/// Rows below of `own` times T^-T, T the unit lower triangle at the top of `other`.
fn solve_below<T: Number>(own: &mut [T], other: &[T], rows: usize, cols: usize) {
    let below = rows - cols;
    if below * cols * cols <= SMALL {
        for j in 0..cols {
            let (done, rest) = own.split_at_mut((j + 1) * rows);
            let source = &done[j * rows + cols..];
            for k in j + 1..cols {
                let factor = other[j * rows + k];
                if factor != T::default() {
                    let target = &mut rest[(k - j - 1) * rows + cols..(k - j) * rows];
                    target.iter_mut().zip(source).for_each(|(t, &s)| *t -= s * factor);
                }
            }
        }
    } else {
        let own = MatMut::from_column_major_slice_mut(own, rows, cols).subrows_mut(cols, rows - cols);
        let other = MatRef::from_column_major_slice(other, rows, cols).subrows(0, cols);
        solve_rows(other, own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed_lower;
    use mb_algebra::{Dense, dense, norms};

    /// P F, restored from the factors, against F with its rows exchanged.
    #[test]
    fn the_factors_and_the_complement_give_the_front() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for (rows, cols) in [(1, 1), (5, 2), (7, 7), (60, 50), (90, 30), (330, 60)] {
            let f = Dense::from_fn(rows, rows, |_, _| next());
            let panel = |of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
                (0..rows * cols).map(|at| of(at % rows, at / rows)).collect()
            };
            let mut lower = panel(&|i, j| if i >= j { f[(i, j)] } else { 0.0 });
            let mut upper = panel(&|i, j| if i > j { f[(j, i)] } else { 0.0 });
            let below = rows - cols;
            let mut schur = [false, true].map(|transposed| {
                let mut out = vec![0.0; packed_lower::entries(below)];
                for k in 0..below {
                    let (start, first) = packed_lower::column(below, k);
                    for i in k..below {
                        let at = if transposed { (cols + k, cols + i) } else { (cols + i, cols + k) };
                        out[start + i - first] = f[at];
                    }
                }
                out
            });
            let mut sums = vec![0.0; rows];
            let mut done = LuEliminator::default();
            done.eliminate(&mut lower, &mut upper, rows, &vec![false; cols], &mut sums);
            let [first, second] = &mut schur;
            update_below([&lower, &upper], rows, cols, [first, second]);
            done.finish(&mut upper, rows);
            assert!(done.weak.is_empty());
            let triangle = |panel: &[f64]| {
                Dense::from_fn(rows, cols, |i, j| match i.cmp(&j) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => 1.0,
                    std::cmp::Ordering::Greater => panel[j * rows + i],
                })
            };
            let scaled = Dense::from_fn(rows, cols, |i, j| triangle(&lower)[(i, j)] * done.d[j]);
            let product = dense::mul(&scaled, &dense::transpose(&triangle(&upper)));
            let complement = |i: usize, j: usize| {
                let (panel, i, j) = if i >= j { (&schur[0], i, j) } else { (&schur[1], j, i) };
                let (start, first) = packed_lower::column(below, j - cols);
                panel[start + i - cols - first]
            };
            let row = |i: usize| if i < cols { done.perm[i] as usize } else { i };
            let rest = Dense::from_fn(rows, rows, |i, j| {
                let left = if i >= cols && j >= cols { complement(i, j) } else { 0.0 };
                product[(i, j)] + left - f[(row(i), j)]
            });
            assert!(norms::max_abs(&rest) < 1e-11 * rows as f64, "{rows} {cols}: {}", norms::max_abs(&rest));
        }
    }
}
