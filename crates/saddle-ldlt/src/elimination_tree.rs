//! The elimination tree of supernodes: their structures, small ones merged with their parents, the order of children.

use std::ops::Range;

use super::packed_lower;
use super::sequence::Sequence;
use super::tuning;

/// A supernode while the structure is found: vertices, structure and tree.
pub(super) struct Node {
    /// First and last vertex of the list linked by `next`.
    pub(super) head: u32,
    pub(super) tail: u32,
    pub(super) cols: usize,
    pub(super) below: usize,
    pub(super) structure: Range<usize>,
    pub(super) zeros: f64,
    pub(super) parent: u32,
    pub(super) alive: bool,
}

const NONE: u32 = u32::MAX;

/// Columns of a front. Wider supernodes are eliminated piece by piece: a front holds its pivots' columns as a rectangle, and
/// half of a square one would be empty after what its children left on the stack, where most memory is in use.
const PIECE: usize = 480;

/// Columns of the next piece of a supernode with so many left.
pub(super) fn piece(left: usize) -> usize {
    if left < PIECE + PIECE / 2 { left } else { PIECE }
}

/// Supernodes with their parents.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// Vertex after this one in the same supernode.
    next: Vec<u32>,
    /// Structures of the supernodes, as vertices.
    pub(super) structure: Vec<u32>,
}

impl Tree {
    /// Maximal supernodes and their structures.
    pub(super) fn new(sequence: &Sequence) -> Self {
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
    pub(super) fn amalgamate(&mut self) {
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

    /// Unknown at each place and place of each unknown.
    pub(super) fn number(&self, sequence: &Sequence, post: &[u32]) -> (Vec<u32>, Vec<u32>) {
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
    pub(super) fn postorder(&self) -> (Vec<u32>, Vec<usize>) {
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
