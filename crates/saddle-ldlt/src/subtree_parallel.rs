//! Two halves of the elimination tree side by side in substitutions; in factorizations they are those of [`super::numeric`].
//!
//! ```text
//! | first half | second half | what both end in |      places, children before parents
//! ```
//!
//! Subtrees share nothing but the rows of their common ancestors. Forward, the first half adds to those rows themselves and the
//! second one to a copy, which is added when both are done; backward both only read them. Sums are the same on one core and on
//! two. The separators near the root, of some block columns each, are shared out one by one ([`super::kernel`]).

use super::number::Number;
use super::symbolic::Symbolic;

/// Largest part of the entries below the common ancestors that one half may have.
const LARGER: f64 = 0.75;
/// Smallest part of all entries that both halves together are worth it with.
const WORTH: f64 = 0.5;

/// Supernodes where the second half and the common ancestors begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halves {
    pub(super) second: usize,
    pub(super) top: usize,
}

/// Where the tree falls apart in halves; none where one branch has nearly everything.
pub(super) fn halves(symbolic: &Symbolic) -> Option<Halves> {
    let nodes = &symbolic.supernodes;
    let mut top = nodes.len();
    while top > 0 {
        let root = top - 1;
        let below = nodes[root].panel;
        if (below as f64) < WORTH * symbolic.panel_entries as f64 {
            return None;
        }
        let children = &symbolic.children[nodes[root].children.clone()];
        let larger = |second: usize| nodes[second].panel.max(below - nodes[second].panel);
        // Behind each child but the last one, which stands right before its parent, a cut is possible.
        let cuts = children.iter().map(|&c| c as usize + 1).filter(|&second| second < root);
        if let Some(second) = cuts.min_by_key(|&second| larger(second))
            && larger(second) as f64 <= LARGER * below as f64
        {
            return Some(Halves { second, top: root });
        }
        top = root;
    }
    None
}

/// Rows of a part of the tree, and of what follows both halves; `width` numbers each.
pub(super) struct Places<'a, T> {
    /// Rows from place `first` on.
    pub(super) own: &'a mut [T],
    pub(super) first: usize,
    /// Rows from place `from` on.
    pub(super) top: &'a mut [T],
    pub(super) from: usize,
}

impl<'a, T: Number> Places<'a, T> {
    /// All rows.
    pub(super) fn whole(x: &'a mut [T]) -> Self {
        Self { own: x, first: 0, top: &mut [], from: usize::MAX }
    }

    /// Adds `rows` to those from place `at` on.
    #[inline]
    pub(super) fn add(&mut self, at: usize, rows: &[T], width: usize) {
        let add = |to: &mut [T], rows: &[T]| to.iter_mut().zip(rows).for_each(|(x, &t)| *x += t);
        // A run may begin in a half and end in what follows it.
        let inside = self.from.saturating_sub(at).saturating_mul(width).min(rows.len());
        let (own, top) = rows.split_at(inside);
        if !own.is_empty() {
            add(&mut self.own[(at - self.first) * width..], own);
        }
        if !top.is_empty() {
            add(&mut self.top[(at.max(self.from) - self.from) * width..], top);
        }
    }
}

/// Copies the rows from place `at` on, of a part that begins at `first` and what begins at `from`.
#[inline]
pub(super) fn copy<T: Copy>(
    to: &mut [T],
    at: usize,
    (own, first): (&[T], usize),
    (top, from): (&[T], usize),
    width: usize,
) {
    let inside = from.saturating_sub(at).saturating_mul(width).min(to.len());
    let (low, high) = to.split_at_mut(inside);
    if !low.is_empty() {
        low.copy_from_slice(&own[(at - first) * width..][..low.len()]);
    }
    if !high.is_empty() {
        high.copy_from_slice(&top[(at.max(from) - from) * width..][..high.len()]);
    }
}
