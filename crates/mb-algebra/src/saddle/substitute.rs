//! Forward and backward substitution with the panels of L, one or many right-hand sides.
//!
//! One right-hand side is bound by the bytes of L, read twice. Up to eight are kept row by row, so that each panel is
//! read twice for all of them ([`super::kernel`]).

use super::kernel;
use super::number::Number;
use super::numeric::Numeric;
use super::panel::block_columns;
use super::symbolic::{Supernode, Symbolic};

/// Entries of factors that have large block columns.
const LARGE: usize = 1 << 22;

/// Exchanges of pivots' rows inside supernodes.
#[derive(Clone, Debug)]
pub(super) struct Exchanges {
    /// Place each row of the pivots of an exchanged supernode came from; empty when nothing was exchanged.
    perm: Vec<u32>,
    /// Supernodes whose pivots were exchanged.
    moved: Vec<bool>,
}

impl Exchanges {
    /// Forgets all exchanges, with room for any.
    pub(super) fn clear(&mut self, symbolic: &Symbolic) {
        self.moved.fill(false);
        if self.perm.is_empty() {
            self.perm.extend(0..symbolic.order.len() as u32);
        }
    }

    pub(super) fn none(symbolic: &Symbolic) -> Self {
        Self { perm: Vec::new(), moved: vec![false; symbolic.supernodes.len()] }
    }

    /// Where each row went, of factors made once; empty when nothing was exchanged.
    pub(super) fn places(&self) -> Vec<u32> {
        let mut out = vec![0; self.perm.len()];
        for (to, &from) in self.perm.iter().enumerate() {
            out[from as usize] = to as u32;
        }
        out
    }

    /// Row `perm[k]` of the pivots of supernode s went to place k.
    pub(super) fn record(&mut self, symbolic: &Symbolic, s: usize, perm: &[u32]) {
        self.moved[s] = true;
        if self.perm.is_empty() {
            self.perm = (0..symbolic.order.len() as u32).collect();
        }
        let first = symbolic.supernodes[s].first;
        for (k, &p) in perm.iter().enumerate() {
            self.perm[first + k] = first as u32 + p;
        }
    }

    /// Brings the pivots' rows into the order of their exchanges; `x` and `to` hold the same on entry.
    fn apply<T: Number>(&self, s: usize, node: &Supernode, width: usize, x: &[T], to: &mut [T]) {
        if self.moved[s] {
            for (k, row) in to.chunks_exact_mut(width).enumerate() {
                let from = self.perm[node.first + k] as usize - node.first;
                row.copy_from_slice(&x[from * width..(from + 1) * width]);
            }
        }
    }

    /// All exchanges at once; a supernode's rows are its own, whatever was done before with others.
    fn apply_all<T: Number>(&self, symbolic: &Symbolic, x: &mut [T], front: &mut [T], width: usize) {
        self.each_moved(symbolic, |s, node| {
            let own = &mut x[node.first * width..(node.first + node.cols) * width];
            let old = &mut front[..own.len()];
            old.copy_from_slice(own);
            self.apply(s, node, width, old, own);
        });
    }

    /// The reverse.
    fn undo_all<T: Number>(&self, symbolic: &Symbolic, x: &mut [T], front: &mut [T], width: usize) {
        self.each_moved(symbolic, |s, node| {
            let own = &mut x[node.first * width..(node.first + node.cols) * width];
            let old = &mut front[..own.len()];
            old.copy_from_slice(own);
            self.undo(s, node, width, own, old);
        });
    }

    fn each_moved(&self, symbolic: &Symbolic, mut act: impl FnMut(usize, &Supernode)) {
        for (s, node) in symbolic.supernodes.iter().enumerate().filter(|(s, _)| self.moved[*s]) {
            act(s, node);
        }
    }

    /// The reverse.
    fn undo<T: Number>(&self, s: usize, node: &Supernode, width: usize, x: &mut [T], from: &[T]) {
        if self.moved[s] {
            for (k, row) in from.chunks_exact(width).enumerate() {
                let to = self.perm[node.first + k] as usize - node.first;
                x[to * width..(to + 1) * width].copy_from_slice(row);
            }
        }
    }
}

impl<T: Number> Numeric<T> {
    /// Solves in place; `x` is in the order of elimination, `width` right-hand sides row by row: 1, 2, 4 or 8.
    /// `front`: memory for `width` times the rows of the largest front.
    pub(super) fn substitute(&self, symbolic: &Symbolic, x: &mut [T], front: &mut [T], width: usize) {
        let exchanges = Some(&self.exchanges);
        if let Some(thin) = &self.thin {
            self.exchanges.apply_all(symbolic, x, front, width);
            thin.forward(x, width);
            self.divide(x, width);
            thin.backward(x, width);
            self.exchanges.undo_all(symbolic, x, front, width);
            return;
        }
        forward_all(symbolic, &self.panels, exchanges, x, front, width);
        self.divide(x, width);
        backward_all(symbolic, &self.panels, exchanges, x, front, width);
    }

    /// x <- D^-1 x.
    pub(super) fn divide(&self, x: &mut [T], width: usize) {
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

/// x <- L^-1 P x with all panels.
pub(super) fn forward_all<T: Number>(
    symbolic: &Symbolic,
    panels: &[T],
    exchanges: Option<&Exchanges>,
    x: &mut [T],
    front: &mut [T],
    width: usize,
) {
    among_cores(symbolic, || {
        for (s, node) in symbolic.supernodes.iter().enumerate() {
            down(symbolic, s, own_panel(panels, node), exchanges, x, front, width);
        }
    });
}

/// Runs on one of the cores that share out large block columns, where there are several: to hand each one over from outside
/// would cost more.
fn among_cores(symbolic: &Symbolic, work: impl FnOnce() + Send) {
    if symbolic.panel_entries >= LARGE && rayon::current_num_threads() > 1 {
        rayon::scope(|_| work());
    } else {
        work();
    }
}

/// x <- P^T L^-T x with all panels.
pub(super) fn backward_all<T: Number>(
    symbolic: &Symbolic,
    panels: &[T],
    exchanges: Option<&Exchanges>,
    x: &mut [T],
    front: &mut [T],
    width: usize,
) {
    among_cores(symbolic, || {
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
            for block in block_columns(own_panel(panels, node), rows, cols).rev() {
                let t = &mut front[block.from * width..];
                kernel::backward(block, t, width);
            }
            x[own.clone()].copy_from_slice(&front[..cols * width]);
            if let Some(exchanges) = exchanges {
                exchanges.undo(s, node, width, &mut x[own], &front[..cols * width]);
            }
        }
    });
}

fn own_panel<'a, T>(panels: &'a [T], node: &Supernode) -> &'a [T] {
    &panels[node.panel..node.panel + node.entries()]
}

/// Forward substitution with one supernode; `front` is memory for its rows.
pub(super) fn down<T: Number>(
    symbolic: &Symbolic,
    s: usize,
    panel: &[T],
    exchanges: Option<&Exchanges>,
    x: &mut [T],
    front: &mut [T],
    width: usize,
) {
    let node = &symbolic.supernodes[s];
    let (rows, cols) = (node.rows(), node.cols);
    let own = node.first * width..(node.first + cols) * width;
    let front = &mut front[..rows * width];
    let (pivots, below) = front.split_at_mut(cols * width);
    pivots.copy_from_slice(&x[own.clone()]);
    if let Some(exchanges) = exchanges {
        exchanges.apply(s, node, width, &x[own.clone()], pivots);
    }
    below.fill(T::default());
    for block in block_columns(panel, rows, cols) {
        let t = &mut front[block.from * width..];
        kernel::forward(block, t, width);
    }
    x[own].copy_from_slice(&front[..cols * width]);
    let mut from = &front[cols * width..];
    for &(first, length) in &symbolic.runs[node.runs.clone()] {
        let (own, rest) = from.split_at(length as usize * width);
        for (x, &t) in x[first as usize * width..].iter_mut().zip(own) {
            *x += t;
        }
        from = rest;
    }
}
