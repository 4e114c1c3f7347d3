//! The columns of a model in regions of about equal work, each with the elements that have entries in it.
//!
//! A core that assembles a region writes no other columns, so that cores need not wait for each other. Elements on
//! the border of regions are evaluated in each, but only for the columns of that region.

use crate::element::Data;
use crate::model::Model;
use std::ops::Range;

/// Regions of columns and their elements.
#[derive(Debug)]
pub(super) struct Regions {
    columns: Vec<Range<usize>>,
    /// First of the elements of each region, and one more.
    first: Vec<usize>,
    /// Elements of each region, in their order.
    members: Vec<usize>,
}

impl Regions {
    /// Entries that elements give to one region, about: few enough to stay in the caches of a core.
    pub(super) const ENTRIES: usize = 1 << 18;

    /// The regions of a model, cut between its blocks of coordinates.
    pub(super) fn of<P: Data>(model: &Model<P>) -> Self {
        let blocks = model.coordinates().blocks();
        let mut entries = vec![0_usize; blocks.len()];
        for m in model.members() {
            for id in &m.wires.blocks {
                entries[id.0] += m.wires.v_index.len() * blocks[id.0].kind.nv();
            }
        }
        let mut columns = Vec::new();
        let mut region_of = Vec::with_capacity(blocks.len());
        let (mut start, mut here) = (0, 0);
        for (block, entries) in blocks.iter().zip(entries) {
            if here >= Self::ENTRIES {
                columns.push(start..block.v);
                (start, here) = (block.v, 0);
            }
            here += entries;
            region_of.push(columns.len());
        }
        columns.push(start..model.nv());

        let mut first = vec![0_usize; columns.len() + 1];
        each_region(model, &region_of, columns.len(), |region, _| first[region + 1] += 1);
        for region in 0..columns.len() {
            first[region + 1] += first[region];
        }
        let mut next = first.clone();
        let mut members = vec![0; first[columns.len()]];
        each_region(model, &region_of, columns.len(), |region, member| {
            members[next[region]] = member;
            next[region] += 1;
        });
        Self { columns, first, members }
    }
    /// The regions: columns, and indices of the elements with coordinates among them.
    pub(super) fn all(&self) -> Vec<(Range<usize>, &[usize])> {
        let members = self.first.windows(2).map(|cut| &self.members[cut[0]..cut[1]]);
        self.columns.iter().cloned().zip(members).collect()
    }
}

/// Calls `visit` with the regions of every element, each once.
fn each_region<P: Data>(
    model: &Model<P>,
    region_of: &[usize],
    regions: usize,
    mut visit: impl FnMut(usize, usize),
) {
    let mut last = vec![usize::MAX; regions];
    for (k, m) in model.members().iter().enumerate() {
        for id in &m.wires.blocks {
            let region = region_of[id.0];
            if last[region] != k {
                last[region] = k;
                visit(region, k);
            }
        }
    }
}
