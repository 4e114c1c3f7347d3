//! Aggressive early deflation (Braman, Byers and Mathias, 2002, part II): the Schur form of a window at the lower end shows which
//! eigenvalues have converged already, wherever they stand in it, and gives the shifts of the next sweep.
//!
//! The search brings every eigenvalue that has not converged to the top of the window once, so it ends after as many steps as
//! the window has rows; the blocks are not sorted any further.

use super::Work;
use super::block::{Block, householder};
use super::double_shift::{double_shift, negligible_size};
use super::exchange::{move_up, rows_at};
use crate::c64;

const EPS: f64 = f64::EPSILON;

/// What a window gave.
pub(super) struct Window {
    /// Rows that converged, at the lower end.
    pub deflated: usize,
    /// Eigenvalues of the rest, pairs side by side.
    pub shifts: Vec<c64>,
}

impl Work {
    /// Looks for converged eigenvalues in the lowest `size` of the rows of `start..end`, and splits them off.
    pub(super) fn deflate(&mut self, start: usize, end: usize, size: usize) -> Window {
        let from = end - size;
        let n = self.t.nrows();
        let mut spike = if from > start { self.t[(from, from - 1)] } else { 0.0 };
        let (mut w, mut v) = (Block::taken(&self.t, from, size), Block::identity(size));
        for j in 0..size {
            w.column_mut(j)[(j + 2).min(size)..].fill(0.0);
        }
        let stuck = double_shift(&mut w, Some(&mut v), true);
        let rest = converged(&mut w, &mut v, spike, stuck, negligible_size(n));
        let shifts = eigenvalues(&w, stuck..rest);
        if rest == 0 {
            spike = 0.0;
        }
        if rest < size || spike == 0.0 {
            if rest > 1 && spike != 0.0 {
                to_hessenberg(&mut w, &mut v, rest);
            }
            if from > start {
                self.t[(from, from - 1)] = spike * v[(0, 0)];
            }
            w.put(&mut self.t, from);
            self.transform(from, start, end, &v);
        }
        Window { deflated: size - rest, shifts }
    }
}

/// Moves eigenvalues that have not converged up to row `top` and returns where the converged ones begin.
fn converged(w: &mut Block, v: &mut Block, spike: f64, mut top: usize, small: f64) -> usize {
    let mut rest = w.size();
    while top < rest {
        let last = rest - 1;
        let pair = last > top && w[(last, last - 1)] != 0.0;
        let first = if pair { last - 1 } else { last };
        let mut size = w[(last, last)].abs();
        let mut reach = v[(0, last)].abs();
        if pair {
            size += w[(last, first)].abs().sqrt() * w[(first, last)].abs().sqrt();
            reach = reach.max(v[(0, first)].abs());
        }
        if size == 0.0 {
            size = spike.abs();
        }
        if spike.abs() * reach <= (EPS * size).max(small) {
            rest = first;
        } else if move_up(w, v, first, top) {
            top += rows_at(w, top);
        } else {
            break;
        }
    }
    rest
}

/// Eigenvalues of the quasi-triangular rows of `rows`.
pub(super) fn eigenvalues(w: &Block, rows: std::ops::Range<usize>) -> Vec<c64> {
    let mut out = Vec::with_capacity(rows.len());
    let mut i = rows.start;
    while i < rows.end {
        let s = w[(i, i)];
        if i + 1 < rows.end && w[(i + 1, i)] != 0.0 {
            let root = w[(i + 1, i)].abs().sqrt() * w[(i, i + 1)].abs().sqrt();
            out.extend([c64::new(s, root), c64::new(s, -root)]);
            i += 2;
        } else {
            out.push(c64::new(s, 0.0));
            i += 1;
        }
    }
    out
}

/// Turns the spike of the first `rest` rows, the first row of `v`, to its first entry, and these rows back to Hessenberg form.
fn to_hessenberg(w: &mut Block, v: &mut Block, rest: usize) {
    let spike: Vec<f64> = (0..rest).map(|j| v[(0, j)]).collect();
    let (x, tau, _) = householder(&spike);
    reflect(w, v, &x, tau, 0, rest, 0);
    for k in 0..rest.saturating_sub(2) {
        let (x, tau, beta) = householder(&w.column(k)[k + 1..rest]);
        reflect(w, v, &x, tau, k + 1, rest, k + 1);
        let column = &mut w.column_mut(k)[k + 1..rest];
        column.fill(0.0);
        column[0] = beta;
    }
}

/// I - tau x x^T on rows and columns `from..rest`, on the rows from column `first` on.
fn reflect(w: &mut Block, v: &mut Block, x: &[f64], tau: f64, from: usize, rest: usize, first: usize) {
    if tau == 0.0 {
        return;
    }
    let n = w.size();
    for j in first..n {
        let part = &mut w.column_mut(j)[from..rest];
        let sum: f64 = tau * part.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        part.iter_mut().zip(x).for_each(|(a, b)| *a -= sum * b);
    }
    for (a, rows) in [(w, rest), (v, n)] {
        let mut sums = vec![0.0; rows];
        for (j, factor) in x.iter().enumerate() {
            sums.iter_mut().zip(a.column(from + j)).for_each(|(sum, value)| *sum += factor * value);
        }
        for (j, factor) in x.iter().enumerate() {
            let factor = tau * factor;
            a.column_mut(from + j).iter_mut().zip(&sums).for_each(|(value, sum)| *value -= factor * sum);
        }
    }
}

/// Shifts of the lowest `count` rows of `active`, where a window gave too few.
pub(super) fn of_corner(work: &Work, active: std::ops::Range<usize>, count: usize) -> Vec<c64> {
    let mut corner = Block::taken(&work.t, active.end - count, count);
    for j in 0..count {
        corner.column_mut(j)[(j + 2).min(count)..].fill(0.0);
    }
    let stuck = double_shift(&mut corner, None, false);
    eigenvalues(&corner, stuck..count)
}
