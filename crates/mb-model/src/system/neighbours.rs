//! Which nodes of a mesh are neighbours, and which neighbour of each node the nodes of an element are.
//!
//! ```text
//! neighbours of a node          the nodes of all elements at it, in order
//! slots of an element           for each two of its nodes a and b: which neighbour of a is b
//! ```
//!
//! Found before any number, by marks and without searching, in time linear in the elements.

use super::columns::half_width;
use std::ops::Range;

/// A node that is not among the neighbours of the current one.
const NOT_YET: u32 = u32::MAX;
/// A slot that has to be looked for.
pub(super) const FAR: u8 = u8::MAX;

/// The nodes of an element: numbers of their blocks.
pub(super) type Nodes = [u32; 8];
/// The slots of an element.
pub(super) type Slots = [[u8; 8]; 8];

/// Neighbours of a range of nodes.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// First of the neighbours of each node, and one more.
    first: Vec<usize>,
    all: Vec<u32>,
}

/// Memory to find neighbours with.
#[derive(Debug, Default)]
pub(super) struct Finding {
    /// Which neighbour each node is.
    place: Vec<u32>,
    /// First of the elements at each node, and one more; the elements, with the number of the node among theirs.
    first: Vec<usize>,
    at: Vec<(u32, u32)>,
    here: Vec<u32>,
}

impl Neighbours {
    /// Neighbours of the nodes `own` of `count`, and the slots of the elements (of other nodes [`FAR`]).
    ///
    /// `coupled` says for each element whether it couples its nodes; otherwise each is but its own neighbour.
    pub(super) fn new(
        (own, count): (&Range<usize>, usize),
        elements: &[Nodes],
        coupled: impl Fn(usize) -> bool,
        finding: &mut Finding,
    ) -> (Self, Vec<Slots>) {
        let mut slots = vec![[[FAR; 8]; 8]; elements.len()];
        let mut out = Self { first: vec![0; own.len() + 1], all: Vec::new() };
        if elements.is_empty() {
            return (out, slots);
        }
        finding.sort(own, elements);
        let Finding { place, first, at, here } = finding;
        place.resize(count.max(place.len()), NOT_YET);
        for node in 0..own.len() {
            let at = &at[first[node]..first[node + 1]];
            here.clear();
            let nodes = |element: u32, a: u32| {
                let (nodes, a) = (&elements[element as usize], a as usize);
                if coupled(element as usize) { &nodes[..] } else { &nodes[a..=a] }
            };
            for id in at.iter().flat_map(|(element, a)| nodes(*element, *a)) {
                if place[*id as usize] == NOT_YET {
                    place[*id as usize] = 0;
                    here.push(*id);
                }
            }
            here.sort_unstable();
            for (id, k) in here.iter().zip(0..) {
                place[*id as usize] = k;
            }
            for (element, a) in at {
                let slots = &mut slots[*element as usize][*a as usize];
                for (slot, id) in slots.iter_mut().zip(&elements[*element as usize]) {
                    *slot = u8::try_from(place[*id as usize]).unwrap_or(FAR);
                }
            }
            for id in here.iter() {
                place[*id as usize] = NOT_YET;
            }
            out.all.extend_from_slice(here);
            out.first[node + 1] = out.all.len();
        }
        (out, slots)
    }
    /// The neighbours of node `k` of the range.
    pub(super) fn of(&self, k: usize) -> &[u32] {
        &self.all[self.first[k]..self.first[k + 1]]
    }
}

impl Finding {
    /// `first` and `at`: the elements at each node, in their order.
    fn sort(&mut self, own: &Range<usize>, elements: &[Nodes]) {
        let Self { first, at, .. } = self;
        first.clear();
        first.resize(own.len() + 1, 0);
        let here = |nodes: &Nodes| {
            let nodes = nodes.map(|id| (id as usize).wrapping_sub(own.start)).into_iter().zip(0_u32..);
            nodes.filter(|(node, _)| *node < own.len())
        };
        for nodes in elements {
            here(nodes).for_each(|(node, _)| first[node + 1] += 1);
        }
        for node in 0..own.len() {
            first[node + 1] += first[node];
        }
        at.clear();
        at.resize(first[own.len()], (0, 0));
        for (element, nodes) in elements.iter().enumerate() {
            for (node, a) in here(nodes) {
                at[first[node]] = (half_width(element), a);
                first[node] += 1;
            }
        }
        // Each start has moved to the next one.
        first.copy_within(0..own.len(), 1);
        first[0] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cubes on one another: the four nodes between them have all twelve as neighbours.
    #[test]
    fn neighbours_are_those_of_all_elements_at_a_node() {
        let elements = [[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 8, 9, 10, 11]];
        let mut finding = Finding::default();
        for own in [0..12, 3..9, 5..6] {
            let (near, slots) = Neighbours::new((&own, 12), &elements, |_| true, &mut finding);
            for (k, node) in own.clone().enumerate() {
                let expected: Vec<u32> = match node {
                    0..4 => (0..8).collect(),
                    4..8 => (0..12).collect(),
                    _ => (4..12).collect(),
                };
                assert_eq!(near.of(k), expected);
            }
            for (nodes, slots) in elements.iter().zip(&slots) {
                for (node, slots) in nodes.iter().zip(slots) {
                    let Some(k) = (*node as usize).checked_sub(own.start).filter(|k| *k < own.len()) else {
                        assert_eq!(slots, &[FAR; 8]);
                        continue;
                    };
                    for (slot, id) in slots.iter().zip(nodes) {
                        assert_eq!(near.of(k)[usize::from(*slot)], *id);
                    }
                }
            }
        }
        let (near, slots) = Neighbours::new((&(2..5), 12), &elements, |k| k == 1, &mut finding);
        assert_eq!((near.of(0), near.of(2).len()), (&[2][..], 8));
        assert_eq!(slots[0][3], [FAR, FAR, FAR, 0, FAR, FAR, FAR, FAR]);
    }
}
