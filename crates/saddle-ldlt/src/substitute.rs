//! Forward and backward substitution with the panels of L, one or many right-hand sides.
//!
//! One right-hand side is bound by the bytes of L, read twice. Up to eight are kept row by row, so that each panel is
//! read twice for all of them ([`super::kernel`]).

use std::ops::Range;

use super::kernel;
use super::number::Number;
use super::numeric::Numeric;
use super::panel::block_columns;
use super::subtree_parallel::{self, Halves, Places, halves};
use super::symbolic::{Supernode, Symbolic};
use mb_algebra::{interrupt, side_by_side};

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

    /// Takes up the exchanges of these supernodes.
    pub(super) fn append(&mut self, symbolic: &Symbolic, part: Range<usize>, other: &Self) {
        if !other.perm.is_empty() && self.perm.is_empty() {
            self.perm.extend(0..symbolic.order.len() as u32);
        }
        for s in part.filter(|&s| other.moved[s]) {
            let node = &symbolic.supernodes[s];
            let own = node.first..node.first + node.cols;
            self.moved[s] = true;
            self.perm[own.clone()].copy_from_slice(&other.perm[own]);
        }
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
        let exchanges = Some(&self.pivots.exchanges);
        if let Some(thin) = &self.thin {
            self.pivots.exchanges.apply_all(symbolic, x, front, width);
            thin.forward(x, width);
            if self.pivots.pairs.is_empty() {
                // The division rides along.
                thin.backward(Some(&self.pivots.inverse), x, width);
            } else {
                self.divide(x, width);
                thin.backward(None, x, width);
            }
            self.pivots.exchanges.undo_all(symbolic, x, front, width);
            return;
        }
        forward_all(symbolic, &self.panels, exchanges, x, front, width);
        self.divide(x, width);
        backward_all(symbolic, &self.panels, exchanges, x, front, width);
    }

    /// x <- D^-1 x.
    pub(super) fn divide(&self, x: &mut [T], width: usize) {
        let mut pairs = self.pivots.pairs.iter().peekable();
        let mut k = 0;
        while k < self.pivots.inverse.len() {
            if let Some(&&(_, e)) = pairs.peek().filter(|(at, _)| *at as usize == k) {
                pairs.next();
                let (i11, i22) = (self.pivots.inverse[k], self.pivots.inverse[k + 1]);
                let (first, second) = x[k * width..(k + 2) * width].split_at_mut(width);
                for (a, b) in first.iter_mut().zip(second) {
                    (*a, *b) = (*a * i11 + *b * e, *a * e + *b * i22);
                }
                k += 2;
            } else {
                x[k * width..(k + 1) * width].iter_mut().for_each(|x| *x *= self.pivots.inverse[k]);
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
    interrupt::check();
    among_cores(symbolic, || {
        forward_by(symbolic, large_halves(symbolic), panels, exchanges, x, front, width);
    });
}

fn forward_by<T: Number>(
    symbolic: &Symbolic,
    halves: Option<Halves>,
    panels: &[T],
    exchanges: Option<&Exchanges>,
    x: &mut [T],
    front: &mut [T],
    width: usize,
) {
    let nodes = &symbolic.supernodes;
    let part = |part: Range<usize>, mut x: Places<'_, T>, front: &mut [T]| {
        for s in part {
            down_among(symbolic, s, own_panel(panels, &nodes[s]), exchanges, &mut x, front, width);
        }
    };
    let Some(Halves { second, top }) = halves else {
        return part(0..nodes.len(), Places::whole(x), front);
    };
    let (first, from) = (nodes[second].first, nodes[top].first);
    let (below, above) = x.split_at_mut(from * width);
    let (left, right) = below.split_at_mut(first * width);
    let mut added = vec![T::default(); above.len()];
    let mut other = vec![T::default(); front.len()];
    side_by_side(
        || part(0..second, Places { own: left, first: 0, top: &mut *above, from }, &mut *front),
        || part(second..top, Places { own: right, first, top: &mut added, from }, &mut other),
    );
    above.iter_mut().zip(&added).for_each(|(x, &t)| *x += t);
    part(top..nodes.len(), Places::whole(x), front);
}

/// The halves of a tree whose factors are worth it.
pub(super) fn large_halves(symbolic: &Symbolic) -> Option<Halves> {
    (symbolic.panel_entries >= LARGE).then(|| halves(symbolic)).flatten()
}

/// Runs on one of the cores that share out large block columns, where there are several: to hand each one over from outside
/// would cost more.
pub(super) fn among_cores(symbolic: &Symbolic, work: impl FnOnce() + Send) {
    if symbolic.panel_entries >= LARGE && rayon::current_num_threads() > 1 {
        let scope = interrupt::scope_here();
        rayon::scope(|_| scope.enter(work));
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
        backward_by(symbolic, large_halves(symbolic), panels, exchanges, x, front, width);
    });
}

fn backward_by<T: Number>(
    symbolic: &Symbolic,
    halves: Option<Halves>,
    panels: &[T],
    exchanges: Option<&Exchanges>,
    x: &mut [T],
    front: &mut [T],
    width: usize,
) {
    let nodes = &symbolic.supernodes;
    let part = |part: Range<usize>, (own, first): (&mut [T], usize), top: (&[T], usize), front: &mut [T]| {
        for s in part.rev() {
            up(symbolic, s, own_panel(panels, &nodes[s]), exchanges, (&mut *own, first), top, front, width);
        }
    };
    let Some(Halves { second, top }) = halves else {
        return part(0..nodes.len(), (x, 0), (&[], usize::MAX), front);
    };
    part(top..nodes.len(), (&mut *x, 0), (&[], usize::MAX), front);
    let (first, from) = (nodes[second].first, nodes[top].first);
    let (below, above) = x.split_at_mut(from * width);
    let (left, right) = below.split_at_mut(first * width);
    let above = (&*above, from);
    let mut other = vec![T::default(); front.len()];
    side_by_side(
        || part(0..second, (left, 0), above, &mut *front),
        || part(second..top, (right, first), above, &mut other),
    );
}

/// Backward substitution with one supernode of a part of the tree that begins at place `first`, before what begins at `from`.
#[expect(clippy::too_many_arguments, reason = "a panel with its place, and memory")]
fn up<T: Number>(
    symbolic: &Symbolic,
    s: usize,
    panel: &[T],
    exchanges: Option<&Exchanges>,
    (x, first): (&mut [T], usize),
    top: (&[T], usize),
    front: &mut [T],
    width: usize,
) {
    let node = &symbolic.supernodes[s];
    let (rows, cols) = (node.rows(), node.cols);
    let own = (node.first - first) * width..(node.first - first + cols) * width;
    let front = &mut front[..rows * width];
    front[..cols * width].copy_from_slice(&x[own.clone()]);
    let mut at = cols * width;
    for &(place, length) in &symbolic.runs[node.runs.clone()] {
        let length = length as usize * width;
        subtree_parallel::copy(&mut front[at..at + length], place as usize, (&*x, first), top, width);
        at += length;
    }
    for block in block_columns(panel, rows, cols).rev() {
        let t = &mut front[block.from * width..];
        kernel::backward(block, t, width);
    }
    x[own.clone()].copy_from_slice(&front[..cols * width]);
    if let Some(exchanges) = exchanges {
        exchanges.undo(s, node, width, &mut x[own], &front[..cols * width]);
    }
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
    down_among(symbolic, s, panel, exchanges, &mut Places::whole(x), front, width);
}

/// The same among the rows of a part of the tree.
fn down_among<T: Number>(
    symbolic: &Symbolic,
    s: usize,
    panel: &[T],
    exchanges: Option<&Exchanges>,
    x: &mut Places<'_, T>,
    front: &mut [T],
    width: usize,
) {
    let node = &symbolic.supernodes[s];
    let (rows, cols) = (node.rows(), node.cols);
    let own = (node.first - x.first) * width..(node.first - x.first + cols) * width;
    let front = &mut front[..rows * width];
    let (pivots, below) = front.split_at_mut(cols * width);
    pivots.copy_from_slice(&x.own[own.clone()]);
    if let Some(exchanges) = exchanges {
        exchanges.apply(s, node, width, &x.own[own.clone()], pivots);
    }
    below.fill(T::default());
    for block in block_columns(panel, rows, cols) {
        let t = &mut front[block.from * width..];
        kernel::forward(block, t, width);
    }
    x.own[own].copy_from_slice(&front[..cols * width]);
    let mut from = &front[cols * width..];
    for &(first, length) in &symbolic.runs[node.runs.clone()] {
        let (own, rest) = from.split_at(length as usize * width);
        x.add(first as usize, own, width);
        from = rest;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::refined_solve::System;
    use crate::single_precision::SingleLdl;
    use crate::symmetric_storage::{Half, Stored};
    use crate::{SaddleAnalysis, SaddleOptions, samples};

    fn factored(side: usize) -> (Arc<SaddleAnalysis>, SingleLdl) {
        let (a, g) = samples::cube(side, 0.01);
        let n = a.cols();
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
        let half = Half::of_sum(n, &[(1.0, &a)], &analysis.symbolic.place, |f, x| f * x);
        let system = System::new(Stored::Half(half), g, &analysis.g_cols, &analysis.g_rows);
        let Stored::Half(half) = &system.a else { unreachable!("as made") };
        let factors = SingleLdl::new(&analysis, &system, half).unwrap();
        (analysis, factors)
    }

    #[test]
    fn halves_share_their_ancestors_alone() {
        let (analysis, _) = factored(14);
        let symbolic = &analysis.symbolic;
        let Halves { second, top } = halves(symbolic).unwrap();
        let first_place = |s: usize| symbolic.supernodes[s].first as u32;
        let (middle, from) = (first_place(second), first_place(top));
        for (s, node) in symbolic.supernodes.iter().enumerate() {
            for &(first, length) in &symbolic.runs[node.runs.clone()] {
                assert!(s >= second || first + length <= middle || first >= from, "{s}");
            }
        }
        let entries = |s: usize| symbolic.supernodes[s].panel;
        assert!(4 * entries(second) > entries(top) && 4 * entries(second) < 3 * entries(top));
    }

    #[test]
    fn by_halves_solutions_are_those_of_the_whole_on_one_core_and_two() {
        let (analysis, factors) = factored(14);
        let (symbolic, numeric) = (&analysis.symbolic, &factors.numeric);
        let split = halves(symbolic);
        assert!(split.is_some());
        let (width, size) = (8, symbolic.order.len());
        let b: Vec<f32> = (0..size * width).map(|i| (i * 7 % 23) as f32 - 11.0).collect();
        let exchanges = Some(&numeric.pivots.exchanges);
        let solve = |halves: Option<Halves>| {
            let (mut x, mut front) = (b.clone(), vec![0.0_f32; symbolic.max_rows * width]);
            forward_by(symbolic, halves, &numeric.panels, exchanges, &mut x, &mut front, width);
            let forward = x.clone();
            backward_by(symbolic, halves, &numeric.panels, exchanges, &mut x, &mut front, width);
            (forward, x)
        };
        let whole = solve(None);
        let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let one = pool(1).install(|| solve(split));
        assert_eq!(one, pool(2).install(|| solve(split)));
        for (a, b) in [(&whole.0, &one.0), (&whole.1, &one.1)] {
            let size = a.iter().fold(0.0_f32, |s, x| s.max(x.abs()));
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-4 * size));
        }
        // Backward nothing is added that was not added before: the same numbers go in and come out.
        let backward = |halves: Option<Halves>| {
            let (mut x, mut front) = (b.clone(), vec![0.0_f32; symbolic.max_rows * width]);
            backward_by(symbolic, halves, &numeric.panels, exchanges, &mut x, &mut front, width);
            x
        };
        assert_eq!(backward(None), backward(split));
    }
}
