//! Forward and backward substitution with the panels of L, one or many right-hand sides.
//!
//! One right-hand side is bound by the bytes of L, read twice. Many are kept row by row, so that each panel is
//! read twice for all of them.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_unit_lower_triangular_in_place, solve_unit_upper_triangular_in_place,
};
use faer::{Accum, MatMut, MatRef, Par};

use super::number::Number;
use super::numeric::Numeric;
use super::symbolic::{Supernode, Symbolic};

/// Right-hand sides taken at once.
pub(super) const WIDTH: usize = 32;

/// Panels with fewer entries are multiplied in place when there are many right-hand sides.
const SMALL: usize = 256;

impl<T: Number> Numeric<T> {
    /// Solves in place; `x` is in the order of elimination.
    pub(super) fn substitute(&self, symbolic: &Symbolic, x: &mut [T]) {
        let longest = symbolic.supernodes.iter().map(Supernode::rows).max().unwrap_or(0);
        let mut front = vec![T::default(); longest];
        for (s, node) in symbolic.supernodes.iter().enumerate() {
            let (rows, cols) = (node.rows(), node.cols);
            let (pivots, below) = front[..rows].split_at_mut(cols);
            pivots.copy_from_slice(&x[node.first..node.first + cols]);
            self.permute(s, node, 1, &x[node.first..node.first + cols], pivots);
            below.fill(T::default());
            forward(&self.panels[node.panel..node.panel + rows * cols], &mut front[..rows], cols);
            x[node.first..node.first + cols].copy_from_slice(&front[..cols]);
            let mut from = &front[cols..rows];
            for &(first, length) in &symbolic.runs[node.runs.clone()] {
                let (own, rest) = from.split_at(length as usize);
                for (x, &t) in x[first as usize..].iter_mut().zip(own) {
                    *x += t;
                }
                from = rest;
            }
        }
        self.divide(x, 1);
        for (s, node) in symbolic.supernodes.iter().enumerate().rev() {
            let (rows, cols) = (node.rows(), node.cols);
            let front = &mut front[..rows];
            front[..cols].copy_from_slice(&x[node.first..node.first + cols]);
            let mut at = cols;
            for &(first, length) in &symbolic.runs[node.runs.clone()] {
                let (first, length) = (first as usize, length as usize);
                front[at..at + length].copy_from_slice(&x[first..first + length]);
                at += length;
            }
            backward(&self.panels[node.panel..node.panel + rows * cols], front, cols);
            x[node.first..node.first + cols].copy_from_slice(&front[..cols]);
            self.permute_back(s, node, 1, &mut x[node.first..node.first + cols], &front[..cols]);
        }
    }

    /// As [`Numeric::substitute`] for `width` right-hand sides, row by row.
    pub(super) fn substitute_block(&self, symbolic: &Symbolic, x: &mut [T], width: usize) {
        let longest = symbolic.supernodes.iter().map(Supernode::rows).max().unwrap_or(0);
        let mut front = vec![T::default(); longest * width];
        for (s, node) in symbolic.supernodes.iter().enumerate() {
            let (rows, cols) = (node.rows(), node.cols);
            let own = node.first * width..(node.first + cols) * width;
            let (pivots, below) = front[..rows * width].split_at_mut(cols * width);
            pivots.copy_from_slice(&x[own.clone()]);
            self.permute(s, node, width, &x[own.clone()], pivots);
            let panel = &self.panels[node.panel..node.panel + rows * cols];
            below.fill(T::default());
            if panel.len() < SMALL {
                forward_small(panel, &mut front[..rows * width], cols, width);
            } else {
                let panel = MatRef::from_column_major_slice(panel, rows, cols);
                let mut pivots = MatMut::from_row_major_slice_mut(pivots, cols, width);
                solve_unit_lower_triangular_in_place(panel.subrows(0, cols), pivots.as_mut(), Par::Seq);
                if node.below > 0 {
                    let below = MatMut::from_row_major_slice_mut(below, node.below, width);
                    let l = panel.subrows(cols, node.below);
                    matmul(below, Accum::Replace, l, pivots.as_ref(), T::default() - T::UNIT, Par::Seq);
                }
            }
            x[own].copy_from_slice(&front[..cols * width]);
            let mut from = &front[cols * width..rows * width];
            for &(first, length) in &symbolic.runs[node.runs.clone()] {
                let (own, rest) = from.split_at(length as usize * width);
                for (x, &t) in x[first as usize * width..].iter_mut().zip(own) {
                    *x += t;
                }
                from = rest;
            }
        }
        self.divide(x, width);
        for (s, node) in symbolic.supernodes.iter().enumerate().rev() {
            let (rows, cols) = (node.rows(), node.cols);
            let own = node.first * width..(node.first + cols) * width;
            let front = &mut front[..rows * width];
            front[..cols * width].copy_from_slice(&x[own.clone()]);
            let mut at = cols * width;
            for &(first, length) in &symbolic.runs[node.runs.clone()] {
                let (first, length) = (first as usize * width, length as usize * width);
                front[at..at + length].copy_from_slice(&x[first..first + length]);
                at += length;
            }
            let panel = &self.panels[node.panel..node.panel + rows * cols];
            if panel.len() < SMALL {
                backward_small(panel, front, cols, width);
            } else {
                let panel = MatRef::from_column_major_slice(panel, rows, cols);
                let (pivots, below) = front.split_at_mut(cols * width);
                let mut pivots = MatMut::from_row_major_slice_mut(pivots, cols, width);
                if node.below > 0 {
                    let below = MatRef::from_row_major_slice(below, node.below, width);
                    let l = panel.subrows(cols, node.below).transpose();
                    matmul(pivots.as_mut(), Accum::Add, l, below, T::default() - T::UNIT, Par::Seq);
                }
                let l = panel.subrows(0, cols).transpose();
                solve_unit_upper_triangular_in_place(l, pivots, Par::Seq);
            }
            x[own.clone()].copy_from_slice(&front[..cols * width]);
            self.permute_back(s, node, width, &mut x[own], &front[..cols * width]);
        }
    }

    /// Brings the pivots' rows into the order of their exchanges; `x` and `to` hold the same on entry.
    fn permute(&self, s: usize, node: &Supernode, width: usize, x: &[T], to: &mut [T]) {
        if self.moved[s] {
            for (k, row) in to.chunks_exact_mut(width).enumerate() {
                let from = self.perm[node.first + k] as usize - node.first;
                row.copy_from_slice(&x[from * width..(from + 1) * width]);
            }
        }
    }

    fn permute_back(&self, s: usize, node: &Supernode, width: usize, x: &mut [T], from: &[T]) {
        if self.moved[s] {
            for (k, row) in from.chunks_exact(width).enumerate() {
                let to = self.perm[node.first + k] as usize - node.first;
                x[to * width..(to + 1) * width].copy_from_slice(row);
            }
        }
    }

    /// x <- D^-1 x.
    fn divide(&self, x: &mut [T], width: usize) {
        let mut pairs = self.pairs.iter().peekable();
        let mut k = 0;
        while k < self.inverse.len() {
            if let Some(&&(_, e)) = pairs.peek().filter(|(at, _)| *at as usize == k) {
                pairs.next();
                let (i11, i22) = (self.inverse[k], self.inverse[k + 1]);
                let (first, second) = x[k * width..(k + 2) * width].split_at_mut(width);
                for (a, b) in first.iter_mut().zip(second) {
                    (*a, *b) = (*a * i11 + *b * e, *a * e + *b * i22);
                }
                k += 2;
            } else {
                x[k * width..(k + 1) * width].iter_mut().for_each(|x| *x *= self.inverse[k]);
                k += 1;
            }
        }
    }
}

/// t <- [L11^-1 t1; t2 - L21 L11^-1 t1] for one column.
fn forward<T: Number>(panel: &[T], t: &mut [T], cols: usize) {
    let rows = t.len();
    let mut j = 0;
    // Four columns in one pass over t.
    while j + 4 <= cols {
        let (c0, rest) = panel[j * rows..].split_at(rows);
        let (c1, rest) = rest.split_at(rows);
        let (c2, c3) = rest.split_at(rows);
        let x0 = t[j];
        let x1 = t[j + 1] - c0[j + 1] * x0;
        let x2 = t[j + 2] - c0[j + 2] * x0 - c1[j + 2] * x1;
        let x3 = t[j + 3] - c0[j + 3] * x0 - c1[j + 3] * x1 - c2[j + 3] * x2;
        (t[j + 1], t[j + 2], t[j + 3]) = (x1, x2, x3);
        let from = j + 4;
        let columns = c0[from..].iter().zip(&c1[from..rows]).zip(&c2[from..rows]).zip(&c3[from..rows]);
        for (t, (((&a, &b), &c), &d)) in t[from..].iter_mut().zip(columns) {
            *t -= a * x0 + b * x1 + c * x2 + d * x3;
        }
        j = from;
    }
    while j < cols {
        let x = t[j];
        for (t, &l) in t[j + 1..].iter_mut().zip(&panel[j * rows + j + 1..(j + 1) * rows]) {
            *t -= l * x;
        }
        j += 1;
    }
}

/// t1 <- L11^-T (t1 - L21^T t2) for one column.
fn backward<T: Number>(panel: &[T], t: &mut [T], cols: usize) {
    let rows = t.len();
    for j in (0..cols).rev() {
        let dot = dot(&panel[j * rows + j + 1..(j + 1) * rows], &t[j + 1..]);
        t[j] -= dot;
    }
}

/// Sum of a_i b_i in eight parts, which the processor adds side by side.
fn dot<T: Number>(a: &[T], b: &[T]) -> T {
    let mut parts = [T::default(); 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: T = a8.remainder().iter().zip(b8.remainder()).fold(T::default(), |s, (&x, &y)| s + x * y);
    for (x, y) in a8.zip(b8) {
        for (p, (&x, &y)) in parts.iter_mut().zip(x.iter().zip(y)) {
            *p += x * y;
        }
    }
    parts.into_iter().fold(tail, |s, p| s + p)
}

fn forward_small<T: Number>(panel: &[T], t: &mut [T], cols: usize, width: usize) {
    let rows = t.len() / width;
    for j in 0..cols {
        let (done, rest) = t.split_at_mut((j + 1) * width);
        let x = &done[j * width..];
        for (row, &l) in rest.chunks_exact_mut(width).zip(&panel[j * rows + j + 1..(j + 1) * rows]) {
            for (t, &x) in row.iter_mut().zip(x) {
                *t -= l * x;
            }
        }
    }
}

fn backward_small<T: Number>(panel: &[T], t: &mut [T], cols: usize, width: usize) {
    let rows = t.len() / width;
    for j in (0..cols).rev() {
        let (before, rest) = t.split_at_mut((j + 1) * width);
        let x = &mut before[j * width..];
        for (row, &l) in rest.chunks_exact(width).zip(&panel[j * rows + j + 1..(j + 1) * rows]) {
            for (x, &t) in x.iter_mut().zip(row) {
                *x -= l * t;
            }
        }
    }
}
