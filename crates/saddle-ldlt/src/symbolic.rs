//! Symbolic factorization: elimination tree, supernodes, structure of L, stack of the multifrontal method.
//!
//! The structure of a vertex is that of its later neighbours and of its children in the elimination tree
//! (Liu, SIAM J. Matrix Anal. Appl. 11, 1990). Vertices of equal structure make a supernode, stored as a dense
//! panel; small supernodes are merged with their parents at the price of some zeros (Ashcraft and Grimes, ACM
//! Trans. Math. Softw. 15, 1989). Children are eliminated in the order that keeps the stack of update matrices
//! lowest (Liu, ACM Trans. Math. Softw. 12, 1986).

use std::ops::Range;

use super::packed_lower;
use super::panel::packed_entries;
use super::sequence::Sequence;
use super::tuning;

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

/// A supernode while the structure is found: vertices, structure and tree.
struct Node {
    /// First and last vertex of the list linked by `next`.
    head: u32,
    tail: u32,
    cols: usize,
    below: usize,
    structure: Range<usize>,
    zeros: f64,
    parent: u32,
    alive: bool,
}

const NONE: u32 = u32::MAX;

/// Columns of a front. Wider supernodes are eliminated piece by piece: a front holds its pivots' columns as a rectangle, and
/// half of a square one would be empty after what its children left on the stack, where most memory is in use.
const PIECE: usize = 480;

/// Columns of the next piece of a supernode with so many left.
fn piece(left: usize) -> usize {
    if left < PIECE + PIECE / 2 { left } else { PIECE }
}

impl Symbolic {
    pub(super) fn new(sequence: &Sequence) -> Self {
        let mut tree = Tree::new(sequence);
        tree.amalgamate();
        tree.expand(sequence)
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

struct Tree {
    nodes: Vec<Node>,
    /// Vertex after this one in the same supernode.
    next: Vec<u32>,
    /// Structures of the supernodes, as vertices.
    structure: Vec<u32>,
}

impl Tree {
    /// Maximal supernodes and their structures.
    fn new(sequence: &Sequence) -> Self {
        let count = sequence.members.len();
        let weight = |v: u32| sequence.members.row(v as usize).len();
        let mut nodes: Vec<Node> = Vec::with_capacity(count);
        let mut next = vec![NONE; count];
        let mut structure: Vec<u32> = Vec::with_capacity(sequence.later.entries());
        let mut first_child = vec![NONE; count];
        let mut sibling: Vec<u32> = Vec::with_capacity(count);
        let mut seen = vec![NONE; count];
        for k in 0..count {
            let own = k as u32;
            seen[k] = own;
            let start = structure.len();
            let mut smallest = NONE;
            let mut add = |structure: &mut Vec<u32>, w: u32| {
                if seen[w as usize] != own {
                    seen[w as usize] = own;
                    smallest = smallest.min(w);
                    structure.push(w);
                }
            };
            sequence.later.row(k).iter().for_each(|&w| add(&mut structure, w));
            let mut child = first_child[k];
            let (mut best, mut children) = (NONE, 0);
            while child != NONE {
                children += 1;
                let range = nodes[child as usize].structure.clone();
                let longer =
                    |c: u32| nodes[c as usize].structure.len() > nodes[best as usize].structure.len();
                if best == NONE || longer(child) {
                    best = child;
                }
                for at in range {
                    let w = structure[at];
                    add(&mut structure, w);
                }
                child = sibling[child as usize];
            }
            let length = structure.len() - start;
            // A wide child gains nothing by more columns: apart, its front is gone before the next one.
            // Columns from which on a supernode is not merged with others where branches meet: the products are as fast as they get, and
            // a larger front only takes more memory.
            let alone = children == 1 || nodes.get(best as usize).is_none_or(|c| c.cols < tuning::CACHED);
            let extends = best != NONE && nodes[best as usize].structure.len() == length + 1 && alone;
            let id = if extends {
                let node = &mut nodes[best as usize];
                next[node.tail as usize] = own;
                node.tail = own;
                node.cols += weight(own);
                node.below -= weight(own);
                // The new list replaces the old one, in its place when nothing lies between.
                let old = node.structure.clone();
                structure.copy_within(start.., old.start);
                node.structure = old.start..old.start + length;
                structure.truncate(if old.end == start { old.start + length } else { start });
                best
            } else {
                let below = structure[start..].iter().map(|&w| weight(w)).sum();
                nodes.push(Node {
                    head: own,
                    tail: own,
                    cols: weight(own),
                    below,
                    structure: start..start + length,
                    zeros: 0.0,
                    parent: NONE,
                    alive: true,
                });
                sibling.push(NONE);
                nodes.len() as u32 - 1
            };
            // `parent` holds the vertex until all supernodes are known.
            nodes[id as usize].parent = smallest;
            if smallest != NONE {
                sibling[id as usize] = first_child[smallest as usize];
                first_child[smallest as usize] = id;
            }
        }
        let mut node_of = vec![NONE; count];
        for (id, node) in nodes.iter().enumerate() {
            let mut v = node.head;
            while v != NONE {
                node_of[v as usize] = id as u32;
                v = next[v as usize];
            }
        }
        for node in &mut nodes {
            if node.parent != NONE {
                node.parent = node_of[node.parent as usize];
            }
        }
        Self { nodes, next, structure }
    }

    /// Supernodes, children before parents: by last vertex.
    fn upwards(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = (0..self.nodes.len() as u32).collect();
        ids.sort_unstable_by_key(|&id| self.nodes[id as usize].tail);
        ids
    }

    /// Merges supernodes into their parents where that adds few zeros.
    fn amalgamate(&mut self) {
        let upwards = self.upwards();
        let mut first_child = vec![NONE; self.nodes.len()];
        let mut sibling = vec![NONE; self.nodes.len()];
        let mut candidates: Vec<u32> = Vec::new();
        for &id in &upwards {
            candidates.clear();
            let mut child = first_child[id as usize];
            while child != NONE {
                candidates.push(child);
                child = sibling[child as usize];
            }
            // Children closest to the parent's size first.
            candidates.sort_unstable_by_key(|&c| (std::cmp::Reverse(self.nodes[c as usize].below), c));
            first_child[id as usize] = NONE;
            for &c in &candidates {
                if !self.merge(c, id) {
                    sibling[c as usize] = first_child[id as usize];
                    first_child[id as usize] = c;
                    continue;
                }
                // Its children become the parent's; they have had their chance.
                let mut child = first_child[c as usize];
                while child != NONE {
                    let after = sibling[child as usize];
                    self.nodes[child as usize].parent = id;
                    sibling[child as usize] = first_child[id as usize];
                    first_child[id as usize] = child;
                    child = after;
                }
            }
            let parent = self.nodes[id as usize].parent;
            if parent != NONE {
                sibling[id as usize] = first_child[parent as usize];
                first_child[parent as usize] = id;
            }
        }
    }

    /// Merges `child` into `parent` if the zeros are few.
    fn merge(&mut self, child: u32, parent: u32) -> bool {
        let (c, p) = (&self.nodes[child as usize], &self.nodes[parent as usize]);
        if c.cols >= tuning::CACHED {
            return false;
        }
        let missing = c.cols as f64 * ((p.cols + p.below) as f64 - c.below as f64);
        let cols = c.cols + p.cols;
        let zeros = c.zeros + p.zeros + missing;
        let total = cols as f64 * ((cols + 1) as f64 / 2.0 + p.below as f64);
        let allowed = match cols {
            0..=8 => 0.8,
            9..=16 => 0.4,
            17..=32 => 0.2,
            33..=64 => 0.1,
            _ => 0.03,
        };
        if zeros > allowed * total {
            return false;
        }
        let (head, tail) = (c.head, c.tail);
        self.nodes[child as usize].alive = false;
        let p = &mut self.nodes[parent as usize];
        self.next[tail as usize] = p.head;
        p.head = head;
        p.cols = cols;
        p.zeros = zeros;
        true
    }

    /// Numbers the places, child by child, and turns structures into runs of places.
    fn expand(self, sequence: &Sequence) -> Symbolic {
        let (post, children) = self.postorder();
        let (order, place) = self.number(sequence, &post);
        let (mut supernodes, mut runs) = (Vec::with_capacity(post.len()), Vec::new());
        let mut sorted: Vec<(u32, u32)> = Vec::new();
        let (mut first, mut panel, mut flops) = (0, 0, 0.0);
        let mut max_rows = 0;
        let mut stack = Vec::<u32>::new();
        let mut child_list = Vec::with_capacity(post.len());
        for &id in &post {
            let node = &self.nodes[id as usize];
            sorted.clear();
            sorted.extend(self.structure[node.structure.clone()].iter().map(|&v| {
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
        let mut out = Symbolic {
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

    /// Unknown at each place and place of each unknown.
    fn number(&self, sequence: &Sequence, post: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let size = sequence.members.entries();
        let mut order = Vec::with_capacity(size);
        for &id in post {
            let mut v = self.nodes[id as usize].head;
            while v != NONE {
                order.extend(sequence.members.row(v as usize));
                v = self.next[v as usize];
            }
        }
        let mut place = vec![0_u32; size];
        for (k, &unknown) in order.iter().enumerate() {
            place[unknown as usize] = k as u32;
        }
        (order, place)
    }

    /// Supernodes in postorder and the number of children of each; children with the highest peak above what
    /// they leave on the stack go first.
    fn postorder(&self) -> (Vec<u32>, Vec<usize>) {
        let upwards = self.upwards();
        let count = self.nodes.len();
        let mut parents = vec![NONE; count];
        let mut children_count = vec![0_usize; count];
        let mut live = 0;
        for &id in &upwards {
            let node = &self.nodes[id as usize];
            if node.alive {
                live += 1;
                parents[id as usize] = node.parent;
                if node.parent != NONE {
                    children_count[node.parent as usize] += 1;
                }
            }
        }
        let mut start = vec![0_usize; count + 1];
        for id in 0..count {
            start[id + 1] = start[id] + children_count[id];
        }
        let mut filled = start.clone();
        let mut children = vec![0_u32; start[count]];
        let mut roots = Vec::new();
        for &id in upwards.iter().filter(|&&id| self.nodes[id as usize].alive) {
            let parent = parents[id as usize];
            if parent == NONE {
                roots.push(id);
            } else {
                children[filled[parent as usize]] = id;
                filled[parent as usize] += 1;
            }
        }
        let left = |id: u32| {
            let below = self.nodes[id as usize].below;
            below * (below + 1) / 2
        };
        let mut peak = vec![0_usize; count];
        for &id in upwards.iter().filter(|&&id| self.nodes[id as usize].alive) {
            let own = &mut children[start[id as usize]..start[id as usize + 1]];
            own.sort_by_key(|&c| (std::cmp::Reverse(peak[c as usize] - left(c)), c));
            let mut held = 0;
            let mut highest = 0;
            for &c in own.iter() {
                highest = highest.max(held + peak[c as usize]);
                held += left(c);
            }
            // The first piece of its front on top of what the children left.
            let node = &self.nodes[id as usize];
            let cols = piece(node.cols);
            let below = node.below + node.cols - cols;
            let front = cols * (cols + below) + packed_lower::entries(below);
            peak[id as usize] = highest.max(held + front);
        }
        let mut post = Vec::with_capacity(live);
        let mut visit: Vec<(u32, usize)> = Vec::new();
        for root in roots {
            visit.push((root, 0));
            while let Some((id, done)) = visit.last_mut() {
                let at = start[*id as usize] + *done;
                if at < start[*id as usize + 1] {
                    *done += 1;
                    visit.push((children[at], 0));
                } else {
                    post.push(*id);
                    visit.pop();
                }
            }
        }
        (post, children_count)
    }
}
