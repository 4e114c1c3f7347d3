//! Symbolic factorization: elimination tree, supernodes, structure of L, stack of the multifrontal method.
//!
//! The structure of a vertex is that of its later neighbours and of its children in the elimination tree
//! (Liu, SIAM J. Matrix Anal. Appl. 11, 1990). Vertices of equal structure make a supernode, stored as a dense
//! panel; small supernodes are merged with their parents at the price of some zeros (Ashcraft and Grimes, ACM
//! Trans. Math. Softw. 15, 1989). Children are eliminated in the order that keeps the stack of update matrices
//! lowest (Liu, ACM Trans. Math. Softw. 12, 1986).

use std::ops::Range;

use super::elimination_tree::{Tree, piece};
use super::packed_lower;
use super::panel::packed_entries;
use super::sequence::Sequence;

/// Panel of columns `first..first + cols` of L; its rows are those columns and then `below` others.
#[derive(Clone, Debug)]
pub(super) struct Supernode {
    pub(super) first: usize,
    pub(super) cols: usize,
    pub(super) below: usize,
    /// Its rows below the pivots: a range of [`Symbolic::runs`].
    pub(super) runs: Range<usize>,
    /// Offset of its packed panel among all panels ([`super::panel`]).
    pub(super) panel: usize,
    /// Its children, last eliminated first: a range of [`Symbolic::children`].
    pub(super) children: Range<usize>,
}

impl Supernode {
    /// Rows of the panel.
    pub(super) fn rows(&self) -> usize {
        self.cols + self.below
    }

    /// Entries left on the stack: the lower triangle of its update matrix.
    pub(super) fn left(&self) -> usize {
        self.below * (self.below + 1) / 2
    }

    /// Entries kept of the panel.
    pub(super) fn entries(&self) -> usize {
        packed_entries(self.rows(), self.cols)
    }

    /// Multiplications and additions of its elimination: the sum of squares of the column lengths.
    pub(super) fn operations(&self) -> f64 {
        (0..self.cols).map(|j| ((self.rows() - j) as f64).powi(2)).sum()
    }
}

/// Structure of the factors.
#[derive(Clone, Debug)]
pub(super) struct Symbolic {
    /// In the order of elimination, children before parents.
    pub(super) supernodes: Vec<Supernode>,
    /// Rows below the pivots as runs (first place, number of places), ascending in each supernode.
    pub(super) runs: Vec<(u32, u32)>,
    /// Children of the supernodes, by number.
    pub(super) children: Vec<u32>,
    /// Unknown (j, or n + r for a multiplier) at each place.
    pub(super) order: Vec<u32>,
    /// Place of each unknown.
    pub(super) place: Vec<u32>,
    /// Entries of all panels.
    pub(super) panel_entries: usize,
    /// Most entries in use at one time: panels, the front in work and the stack of update matrices.
    pub(super) work_entries: usize,
    /// Largest number of rows of a panel.
    pub(super) max_rows: usize,
    /// Multiplications and additions of the factorization, the sum of squares of the column lengths.
    pub(super) flops: f64,
}

impl Symbolic {
    pub(super) fn new(sequence: &Sequence) -> Self {
        let mut tree = Tree::new(sequence);
        tree.amalgamate();
        Self::expand(&tree, sequence)
    }

    /// Numbers the places, child by child, and turns structures into runs of places.
    fn expand(tree: &Tree, sequence: &Sequence) -> Self {
        let (post, children) = tree.postorder();
        let (order, place) = tree.number(sequence, &post);
        let (mut supernodes, mut runs) = (Vec::with_capacity(post.len()), Vec::new());
        let mut sorted: Vec<(u32, u32)> = Vec::new();
        let (mut first, mut panel, mut flops) = (0, 0, 0.0);
        let mut max_rows = 0;
        let mut stack = Vec::<u32>::new();
        let mut child_list = Vec::with_capacity(post.len());
        for &id in &post {
            let node = &tree.nodes[id as usize];
            sorted.clear();
            sorted.extend(tree.structure[node.structure.clone()].iter().map(|&v| {
                let members = sequence.members.row(v as usize);
                (place[members[0] as usize], members.len() as u32)
            }));
            sorted.sort_unstable();
            let (mut left, mut grown) = (node.cols, children[id as usize]);
            while left > 0 {
                let cols = piece(left);
                left -= cols;
                let (below, start) = (left + node.below, runs.len());
                let others = (left > 0).then_some(((first + cols) as u32, left as u32));
                for (at, length) in others.into_iter().chain(sorted.iter().copied()) {
                    match runs[start..].last_mut() {
                        Some((run, run_length)) if *run + *run_length == at => *run_length += length,
                        _ => runs.push((at, length)),
                    }
                }
                let first_child = child_list.len();
                child_list.extend((0..grown).filter_map(|_| stack.pop()));
                // The next piece takes up what this one leaves.
                grown = 1;
                stack.push(supernodes.len() as u32);
                let node = Supernode {
                    first,
                    cols,
                    below,
                    runs: start..runs.len(),
                    panel,
                    children: first_child..child_list.len(),
                };
                first += cols;
                max_rows = max_rows.max(node.rows());
                panel += node.entries();
                flops += node.operations();
                supernodes.push(node);
            }
        }
        runs.shrink_to_fit();
        let mut out = Self {
            supernodes,
            runs,
            children: child_list,
            order,
            place,
            panel_entries: panel,
            work_entries: 0,
            max_rows,
            flops,
        };
        out.work_entries = out.work_of(0..out.supernodes.len(), |node| node.panel + node.entries());
        out
    }

    /// Most entries in use at one time while these supernodes, with all below them, are eliminated: the front in work, the
    /// stack of update matrices, and `further` of them.
    pub(super) fn work_of(&self, part: Range<usize>, further: impl Fn(&Supernode) -> usize) -> usize {
        let (mut most, mut held) = (0, 0);
        for node in &self.supernodes[part] {
            most =
                most.max(further(node) + held + node.rows() * node.cols + packed_lower::entries(node.below));
            let children = &self.children[node.children.clone()];
            held -= children.iter().map(|&c| self.supernodes[c as usize].left()).sum::<usize>();
            held += node.left();
        }
        most
    }
}
