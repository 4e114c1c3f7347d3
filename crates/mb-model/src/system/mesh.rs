//! K, C or M of a mesh of hexahedra, straight into the columns of a sparse matrix.
//!
//! ```text
//! rows of a node's three columns: those of all nodes it shares an element with, three each, of M the one along the axis
//! entries of an element:          3 x 3 blocks, of M diagonal ones, each at a place in the column that the pattern gives
//! ```
//!
//! Which nodes are neighbours is known before any number, so that nothing needs sorting: the matrix is laid out once, and
//! every element adds its blocks where they belong. What other elements have in these columns is added last. A region
//! of columns adds up in the order of the elements whatever other regions do.

use super::bricks::{BrickSweep, MassSweep, brick, inertia};
use super::columns::{Columns, half_width};
use super::looked_after;
use super::matrices::By;
use super::neighbours::{FAR, Finding, Neighbours, Nodes, Slots};
use super::regions::Region;
use super::workers::share_out;
use crate::element::{BrickInertia, BrickStrain, MassForm, NODES};
use crate::model::{Member, Model};
use crate::state::Point;
use mb_algebra::Sparse;
use std::ops::Range;

/// What a hexahedron has in a matrix.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// Blocks of 3 x 3.
    Elastic(&'a BrickStrain),
    /// Diagonal blocks.
    Inertia(&'a BrickInertia),
}

/// What a member has in the matrix by `by`, if it is part of a hexahedron.
fn part(member: &Member, by: By) -> Option<Part<'_>> {
    match by {
        By::Configuration => brick(member).map(Part::Elastic),
        By::Velocity => {
            let elastic = brick(member).filter(|e| e.beta != 0.0).map(Part::Elastic);
            elastic.or_else(|| inertia(member).filter(|m| m.alpha != 0.0).map(Part::Inertia))
        }
        By::Acceleration => inertia(member).map(Part::Inertia),
        By::Input => None,
    }
}

/// The columns of a region: entries of hexahedra by their pattern, those of other elements by their sums.
#[derive(Debug)]
pub(super) struct Meshed {
    /// What the residual is differentiated by.
    by: By,
    blocks: Range<usize>,
    /// Parts of hexahedra with entries in the columns, in their order; their nodes and slots.
    members: Vec<usize>,
    nodes: Vec<Nodes>,
    slots: Vec<Slots>,
    /// Of the blocks of coordinates.
    near: Neighbours,
    /// What is known of each of them.
    node: Vec<Node>,
    /// What the other elements have.
    others: Columns,
    /// Entries in each column.
    counts: Vec<usize>,
}

/// The columns of a block of coordinates.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// First of its columns in the region.
    column: u32,
    /// Rows of a neighbour in each: three, or one.
    rows: u8,
    /// Whether slots give the places: the other elements have no entries but where hexahedra have some.
    plain: bool,
}

/// What a thread needs to fill regions.
#[derive(Debug, Default)]
pub(super) struct Filling {
    elastic: BrickSweep,
    mass: MassSweep,
}

impl Meshed {
    /// The pattern of a region's columns of the matrix by `by`, if there are to be hexahedra in it; `others` are the
    /// sums of the other elements.
    pub(super) fn new(
        model: &Model,
        region: &Region<'_>,
        by: Option<By>,
        others: Columns,
        finding: &mut Finding,
    ) -> Self {
        let wanted = by.into_iter().flat_map(|by| {
            let members = region.members.iter().map(|k| (*k, &model.members()[*k]));
            members.filter_map(move |(k, member)| part(member, by).map(|part| (k, member, part)))
        });
        let (mut members, mut nodes, mut coupled) = (Vec::new(), Vec::new(), Vec::new());
        let mut node = vec![Node { column: 0, rows: 1, plain: true }; region.blocks.len()];
        for (k, member, part) in wanted {
            members.push(k);
            let ids = &member.wires.blocks;
            nodes.push(std::array::from_fn(|a| half_width(ids[a].0)));
            coupled.push(!matches!(part, Part::Inertia(m) if m.form == MassForm::Lumped));
            if matches!(part, Part::Elastic(_)) {
                for id in ids.iter().filter(|id| region.blocks.contains(&id.0)) {
                    node[id.0 - region.blocks.start].rows = 3;
                }
            }
        }
        let (blocks, count) = (region.blocks.clone(), model.coordinates().blocks().len());
        let (near, slots) = Neighbours::new((&blocks, count), &nodes, |k| coupled[k], finding);
        let (by, counts) = (by.unwrap_or(By::Configuration), others.counts.clone());
        let mut out = Self { by, blocks, members, nodes, slots, near, node, others, counts };
        out.count(model, region.columns.start);
        out
    }
    /// `counts` and `node`.
    fn count(&mut self, model: &Model, column: usize) {
        if self.members.is_empty() {
            return;
        }
        let mut other = 0;
        let all = model.coordinates().blocks();
        for (k, block) in all[self.blocks.clone()].iter().enumerate() {
            let (near, node) = (self.near.of(k), &mut self.node[k]);
            node.column = half_width(block.v - column);
            node.plain = near.len() < usize::from(FAR);
            for axis in 0..block.kind.nv() {
                let col = block.v - column + axis;
                let others = &self.others.rows[other..other + self.others.counts[col]];
                other += others.len();
                if !near.is_empty() {
                    let pattern = Pattern { model, near, rows: node.rows, axis };
                    let outside = others.iter().filter(|row| !pattern.has(**row)).count();
                    self.counts[col] = usize::from(node.rows) * near.len() + outside;
                    node.plain &= outside == 0;
                }
            }
        }
    }
    /// Writes the columns; `starts` says where each begins in the matrix, and one more, `rows` and `values` are theirs.
    fn fill(
        &self,
        (model, point): (&Model, &Point),
        starts: &[usize],
        rows: &mut [usize],
        values: &mut [f64],
        filling: &mut Filling,
    ) {
        if self.members.is_empty() {
            rows.iter_mut().zip(&self.others.rows).for_each(|(at, row)| *at = *row as usize);
            values.copy_from_slice(&self.others.values);
            return;
        }
        self.lay_out(model, starts, rows);
        // Written before it is read: memory read first is mapped twice.
        values.fill(0.0);
        let mut columns = Places { starts, rows, values };
        let blocks = model.coordinates().blocks();
        for (k, member) in looked_after(&self.members).enumerate() {
            let member = &model.members()[*member];
            match part(member, self.by) {
                Some(Part::Elastic(brick)) => {
                    let nodes = self.nodes[k].iter().map(|id| &blocks[*id as usize]);
                    filling.elastic.take(brick, nodes, point);
                    self.add_elastic(k, member, brick, &mut filling.elastic, &mut columns);
                }
                Some(Part::Inertia(inertia)) => {
                    self.add_inertia(k, member, inertia, &mut filling.mass, &mut columns);
                }
                None => {}
            }
        }
        let mut other = 0;
        for (col, count) in self.others.counts.iter().enumerate() {
            for k in other..other + count {
                columns.add(col, self.others.rows[k] as usize, self.others.values[k]);
            }
            other += count;
        }
    }
    /// The rows of all columns.
    fn lay_out(&self, model: &Model, starts: &[usize], rows: &mut [usize]) {
        let range = |col: usize| starts[col] - starts[0]..starts[col + 1] - starts[0];
        let mut other = 0;
        for (k, block) in model.coordinates().blocks()[self.blocks.clone()].iter().enumerate() {
            let (near, Node { column, rows: each, .. }) = (self.near.of(k), self.node[k]);
            for axis in 0..block.kind.nv() {
                let col = column as usize + axis;
                let others = &self.others.rows[other..other + self.others.counts[col]];
                other += others.len();
                if axis > 0 && each == 3 && self.node[k].plain {
                    // As in the column before.
                    rows.copy_within(range(col - 1), range(col).start);
                } else {
                    Pattern { model, near, rows: each, axis }.lay_out(&mut rows[range(col)], others);
                }
            }
        }
    }
    /// Nodes of an element with columns in the region: their number among those of the element.
    fn own(&self, k: usize) -> impl Iterator<Item = (usize, &Node)> {
        let nodes = self.nodes[k].iter().enumerate();
        nodes.filter_map(|(a, id)| Some((a, self.node.get((*id as usize).checked_sub(self.blocks.start)?)?)))
    }
    fn add_elastic(
        &self,
        k: usize,
        member: &Member,
        brick: &BrickStrain,
        sweep: &mut BrickSweep,
        columns: &mut Places<'_>,
    ) {
        let mut own = self.own(k);
        loop {
            let (mut group, mut len) = ([(0, None); NODES], 0);
            for (place, (a, node)) in group.iter_mut().zip(own.by_ref()) {
                *place = (a, Some(node));
                len += 1;
            }
            if len == 0 {
                return;
            }
            sweep.sweep(brick, self.by, &group.map(|(a, _)| a)[..len]);
            for (lane, (a, node)) in group[..len].iter().enumerate() {
                let (Some(node), slots) = (node, &self.slots[k][*a]) else { continue };
                let first = node.column as usize;
                if node.plain {
                    for (axis, column) in columns.three(first).into_iter().enumerate() {
                        for (row, slot) in slots.iter().enumerate() {
                            let at = 3 * usize::from(*slot);
                            for (value, entry) in
                                column[at..at + 3].iter_mut().zip(sweep.entries(row, lane, axis))
                            {
                                *value += entry;
                            }
                        }
                    }
                    continue;
                }
                for axis in 0..3 {
                    for row in 0..8 {
                        let rows = member.wires.v_index[3 * row]..;
                        for (row, entry) in rows.zip(sweep.entries(row, lane, axis)) {
                            columns.add(first + axis, row, entry);
                        }
                    }
                }
            }
        }
    }
    fn add_inertia(
        &self,
        k: usize,
        member: &Member,
        inertia: &BrickInertia,
        sweep: &mut MassSweep,
        columns: &mut Places<'_>,
    ) {
        let entries = sweep.entries(inertia, self.by);
        let lumped = inertia.form == MassForm::Lumped;
        for (a, node) in self.own(k) {
            let (first, each, slots) = (node.column as usize, usize::from(node.rows), &self.slots[k][a]);
            let coupled = if lumped { a..a + 1 } else { 0..8 };
            for (axis, entries) in entries.iter().enumerate() {
                if node.plain {
                    let column = columns.column(first + axis);
                    let offset = if each == 3 { axis } else { 0 };
                    for row in coupled.clone() {
                        column[each * usize::from(slots[row]) + offset] += entries[row][a];
                    }
                    continue;
                }
                for row in coupled.clone() {
                    columns.add(first + axis, member.wires.v_index[3 * row + axis], entries[row][a]);
                }
            }
        }
    }
    /// The matrix (CSC) with the columns of consecutive regions.
    pub(super) fn join(model: &Model, point: &Point, parts: Vec<Self>) -> Sparse {
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
        share_out(pieces, |filling: &mut Filling, (part, starts, rows, values)| {
            part.fill((model, point), starts, rows, values, filling);
        });
        Sparse::new_csc((n, column), starts, rows, values)
    }
}

/// The columns of a region while they are filled.
struct Places<'a> {
    starts: &'a [usize],
    rows: &'a [usize],
    values: &'a mut [f64],
}

impl Places<'_> {
    fn range(&self, col: usize) -> Range<usize> {
        self.starts[col] - self.starts[0]..self.starts[col + 1] - self.starts[0]
    }
    /// The values of a column.
    fn column(&mut self, col: usize) -> &mut [f64] {
        let range = self.range(col);
        &mut self.values[range]
    }
    /// The entries of three columns with as many entries each.
    fn three(&mut self, col: usize) -> [&mut [f64]; 3] {
        let range = self.range(col);
        let (first, rest) = self.values[range.start..].split_at_mut(range.len());
        let (second, rest) = rest.split_at_mut(range.len());
        [first, second, &mut rest[..range.len()]]
    }
    /// Adds to the entry in a row that the column has.
    fn add(&mut self, col: usize, row: usize, value: f64) {
        let range = self.range(col);
        let place = self.rows[range.clone()].partition_point(|r| *r < row);
        self.values[range][place] += value;
    }
}

/// The rows that hexahedra have in a column.
struct Pattern<'a> {
    model: &'a Model,
    /// The neighbours.
    near: &'a [u32],
    /// Rows of each: all three, or the one along the axis of the column.
    rows: u8,
    axis: usize,
}

impl Pattern<'_> {
    /// The rows of a neighbour.
    fn of(&self, id: u32) -> Range<usize> {
        let v = self.model.coordinates().blocks()[id as usize].v;
        if self.rows == 3 { v..v + 3 } else { v + self.axis..v + self.axis + 1 }
    }
    /// Whether a row is one of them.
    fn has(&self, row: u32) -> bool {
        let row = row as usize;
        let k = self.near.partition_point(|id| self.of(*id).start <= row);
        k > 0 && self.of(self.near[k - 1]).contains(&row)
    }
    /// Writes them, and between them the others that are not among them.
    fn lay_out(&self, rows: &mut [usize], others: &[u32]) {
        let mut others = others.iter().filter(|row| !self.has(**row)).map(|row| *row as usize).peekable();
        let mut rows = rows.iter_mut();
        let mut put = |row: usize| {
            if let Some(place) = rows.next() {
                *place = row;
            }
        };
        for id in self.near {
            let own = self.of(*id);
            while let Some(other) = others.next_if(|other| *other < own.start) {
                put(other);
            }
            own.for_each(&mut put);
        }
        others.for_each(put);
    }
}
