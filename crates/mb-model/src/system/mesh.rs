//! K or C of a mesh of hexahedra, straight into the columns of a sparse matrix.
//!
//! ```text
//! rows of a node's three columns: those of all nodes it shares an element with, three each
//! entries of an element:          3 x 3 blocks, each at a place in the column that the pattern tells
//! ```
//!
//! Which nodes are neighbours is known before any number, so that nothing needs sorting: the matrix is laid out once, and
//! every element adds its blocks where they belong. What other elements have in these columns is added last. A region
//! of columns adds up in the order of the elements whatever other regions do.

use super::bricks::{BrickSweep, NODES, brick};
use super::columns::{Columns, half_width};
use super::matrices::By;
use super::regions::Region;
use super::workers::share_out;
use crate::element::BrickStrain;
use crate::model::Model;
use crate::state::Point;
use mb_algebra::Sparse;
use std::ops::Range;

/// A row that is not among the neighbours of the node at hand.
const NOT_YET: u32 = u32::MAX;
/// A place that has to be looked for.
const FAR: u16 = u16::MAX;

/// The columns of a region: entries of hexahedra by their pattern, those of other elements by their sums.
#[derive(Debug)]
pub(super) struct Meshed {
    blocks: Range<usize>,
    /// Hexahedra with entries in the columns, in their order.
    members: Vec<usize>,
    /// For each of them, which neighbour of each of its nodes each of its nodes is.
    slots: Vec<[[u16; 8]; 8]>,
    /// First of the neighbours of each block of coordinates, and one more.
    first: Vec<usize>,
    /// First rows of the neighbours of each, in order.
    neighbours: Vec<u32>,
    /// Whether the other elements have no entries but where hexahedra have some.
    plain: Vec<bool>,
    /// What the other elements have.
    others: Columns,
    /// Entries in each column.
    counts: Vec<usize>,
}

/// Memory to find neighbours with.
#[derive(Debug, Default)]
pub(super) struct Finding {
    /// Which neighbour the node is whose rows begin here.
    place: Vec<u32>,
    /// First of the elements at each block, and one more; the elements, with the number of the block among their nodes.
    first: Vec<usize>,
    at: Vec<(usize, usize)>,
    here: Vec<u32>,
}

impl Meshed {
    /// The pattern of a region's columns for the `wanted` hexahedra; `others` are the sums of the other elements.
    pub(super) fn new(
        model: &Model,
        region: &Region<'_>,
        wanted: impl Fn(&BrickStrain) -> bool,
        others: Columns,
        finding: &mut Finding,
    ) -> Self {
        let wanted = |k: &usize| brick(&model.members()[*k]).is_some_and(&wanted);
        let members: Vec<usize> = region.members.iter().copied().filter(wanted).collect();
        let blocks = region.blocks.clone();
        let mut out = Self {
            slots: vec![[[FAR; 8]; 8]; members.len()],
            members,
            first: vec![0; blocks.len() + 1],
            neighbours: Vec::new(),
            plain: vec![true; blocks.len()],
            blocks,
            counts: others.counts.clone(),
            others,
        };
        if !out.members.is_empty() {
            out.find(model, finding);
            out.count(model, region.columns.start);
        }
        out
    }
    /// `neighbours` and `slots`.
    fn find(&mut self, model: &Model, finding: &mut Finding) {
        let Finding { place, first, at, here } = finding;
        place.resize(model.nv(), NOT_YET);
        first.clear();
        first.resize(self.blocks.len() + 1, 0);
        let own = |k: usize| {
            let ids = model.members()[k].wires.blocks.iter().enumerate();
            ids.filter(|(_, id)| self.blocks.contains(&id.0)).map(|(a, id)| (a, id.0 - self.blocks.start))
        };
        for k in &self.members {
            own(*k).for_each(|(_, b)| first[b + 1] += 1);
        }
        for b in 0..self.blocks.len() {
            first[b + 1] += first[b];
        }
        at.clear();
        at.resize(first[self.blocks.len()], (0, 0));
        for (local, k) in self.members.iter().enumerate() {
            for (a, b) in own(*k) {
                at[first[b]] = (local, a);
                first[b] += 1;
            }
        }
        // Each start has moved to the next one.
        let mut start = 0;
        for (b, end) in first[..self.blocks.len()].iter().enumerate() {
            here.clear();
            for (local, _) in &at[start..*end] {
                let rows = &model.members()[self.members[*local]].wires.v_index;
                for row in rows.iter().step_by(3) {
                    if place[*row] == NOT_YET {
                        place[*row] = 0;
                        here.push(half_width(*row));
                    }
                }
            }
            here.sort_unstable();
            for (row, k) in here.iter().zip(0..) {
                place[*row as usize] = k;
            }
            for (local, a) in &at[start..*end] {
                let rows = &model.members()[self.members[*local]].wires.v_index;
                for (slot, row) in self.slots[*local][*a].iter_mut().zip(rows.iter().step_by(3)) {
                    *slot = u16::try_from(place[*row]).unwrap_or(FAR);
                }
            }
            for row in here.iter() {
                place[*row as usize] = NOT_YET;
            }
            self.neighbours.extend_from_slice(here);
            self.first[b + 1] = self.neighbours.len();
            start = *end;
        }
    }
    /// `counts` and `plain`.
    fn count(&mut self, model: &Model, column: usize) {
        let (mut col, mut other) = (0, 0);
        for (b, block) in model.coordinates().blocks()[self.blocks.clone()].iter().enumerate() {
            let near = &self.neighbours[self.first[b]..self.first[b + 1]];
            debug_assert_eq!(block.v, column + col);
            for _ in 0..block.kind.nv() {
                let rows = &self.others.rows[other..other + self.others.counts[col]];
                other += rows.len();
                if !near.is_empty() {
                    let outside = rows.iter().filter(|row| !among(near, **row)).count();
                    self.counts[col] = 3 * near.len() + outside;
                    self.plain[b] &= outside == 0;
                }
                col += 1;
            }
            self.plain[b] &= near.len() < usize::from(FAR);
        }
    }
    /// Writes the columns; `starts` tells where each begins in the matrix, and one more, `rows` and `values` are theirs.
    fn fill(
        &self,
        (model, by, point): (&Model, By, &Point),
        starts: &[usize],
        rows: &mut [usize],
        values: &mut [f64],
        sweep: &mut BrickSweep,
    ) {
        if self.members.is_empty() {
            rows.iter_mut().zip(&self.others.rows).for_each(|(at, row)| *at = *row as usize);
            values.copy_from_slice(&self.others.values);
            return;
        }
        let blocks = &model.coordinates().blocks()[self.blocks.clone()];
        let column = blocks.first().map_or(0, |block| block.v);
        let range = |col: usize| starts[col] - starts[0]..starts[col + 1] - starts[0];
        let mut other = 0;
        for (b, block) in blocks.iter().enumerate() {
            let near = &self.neighbours[self.first[b]..self.first[b + 1]];
            for col in block.v - column..block.v - column + block.kind.nv() {
                let others = &self.others.rows[other..other + self.others.counts[col]];
                other += others.len();
                lay_out(&mut rows[range(col)], near, others);
            }
        }
        // Written before it is read: memory read first is mapped twice.
        values.fill(0.0);
        let rows = &*rows;
        for (k, slots) in self.members.iter().zip(&self.slots) {
            let member = &model.members()[*k];
            let Some(brick) = brick(member) else { continue };
            sweep.take(&member.wires, point);
            let ids = &member.wires.blocks;
            let mut nodes = (0..ids.len()).filter(|a| self.blocks.contains(&ids[*a].0));
            loop {
                let (mut group, mut len) = ([0; NODES], 0);
                for (place, node) in group.iter_mut().zip(nodes.by_ref()) {
                    *place = node;
                    len += 1;
                }
                if len == 0 {
                    break;
                }
                sweep.sweep(brick, by, &group[..len]);
                for (lane, a) in group[..len].iter().enumerate() {
                    let plain = self.plain[ids[*a].0 - self.blocks.start];
                    for axis in 0..3 {
                        let range = range(member.wires.v_index[3 * a + axis] - column);
                        let (rows, values) = (&rows[range.clone()], &mut values[range]);
                        for (row, slot) in slots[*a].iter().enumerate() {
                            let at = if plain {
                                3 * usize::from(*slot)
                            } else {
                                place(rows, member.wires.v_index[3 * row])
                            };
                            let entries = sweep.entries(row, lane, axis);
                            for (value, entry) in values[at..at + 3].iter_mut().zip(entries) {
                                *value += entry;
                            }
                        }
                    }
                }
            }
        }
        let mut other = 0;
        for (col, count) in self.others.counts.iter().enumerate() {
            let (rows, values) = (&rows[range(col)], &mut values[range(col)]);
            for k in other..other + count {
                values[place(rows, self.others.rows[k] as usize)] += self.others.values[k];
            }
            other += count;
        }
    }
    /// The matrix (CSC) with the columns of all regions, in their order.
    pub(super) fn join(model: &Model, by: By, point: &Point, parts: Vec<Self>) -> Sparse {
        let n = model.nv();
        if parts.iter().all(|part| part.members.is_empty()) {
            return Columns::join(n, parts.into_iter().map(|part| part.others).collect());
        }
        let mut starts = Vec::with_capacity(n + 1);
        let mut entries = 0;
        starts.push(0);
        for count in parts.iter().flat_map(|p| &p.counts) {
            entries += count;
            starts.push(entries);
        }
        let (mut rows, mut values) = (vec![0_usize; entries], vec![0.0; entries]);
        let (mut rest, mut rest_of_values) = (&mut rows[..], &mut values[..]);
        let mut pieces = Vec::with_capacity(parts.len());
        let mut column = 0;
        for part in parts {
            let starts = &starts[column..=column + part.counts.len()];
            column += part.counts.len();
            let count = starts[starts.len() - 1] - starts[0];
            let (here, after) = rest.split_at_mut(count);
            let (values_here, values_after) = rest_of_values.split_at_mut(count);
            (rest, rest_of_values) = (after, values_after);
            pieces.push((part, starts, here, values_here));
        }
        share_out(pieces, |sweep: &mut BrickSweep, (part, starts, rows, values)| {
            part.fill((model, by, point), starts, rows, values, sweep);
        });
        Sparse::new_csc((n, n), starts, rows, values)
    }
}

/// Whether a row is one of three of a neighbour.
fn among(near: &[u32], row: u32) -> bool {
    let k = near.partition_point(|first| *first <= row);
    k > 0 && row - near[k - 1] < 3
}
/// Where a row stands among those of a column.
fn place(rows: &[usize], row: usize) -> usize {
    rows.partition_point(|r| *r < row)
}
/// The rows of a column: three of each neighbour, and the others that are not among them.
fn lay_out(rows: &mut [usize], near: &[u32], others: &[u32]) {
    let mut others = others.iter().filter(|row| !among(near, **row)).map(|row| *row as usize).peekable();
    let mut rows = rows.iter_mut();
    let mut put = |row: usize| {
        if let Some(place) = rows.next() {
            *place = row;
        }
    };
    for first in near {
        let first = *first as usize;
        while let Some(other) = others.next_if(|other| *other < first) {
            put(other);
        }
        (first..first + 3).for_each(&mut put);
    }
    others.for_each(put);
}
