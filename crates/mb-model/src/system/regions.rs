//! The columns of a model in regions of about equal work, each with the elements that have entries in it.
//!
//! A core that assembles a region writes no other columns, so that cores need not wait for each other. Elements on
//! the border of regions are evaluated in each, but only for the columns of that region.

use crate::element::Data;
use crate::model::{Member, Model};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements looked at by one core at a time.
const CHUNK: usize = 4096;

/// A region of columns.
#[derive(Clone, Debug)]
pub(super) struct Region<'a> {
    pub(super) columns: Range<usize>,
    /// The blocks of coordinates with these columns.
    pub(super) blocks: Range<usize>,
    /// Indices of the elements with coordinates among them, in their order.
    pub(super) members: &'a [usize],
}

/// Regions of columns and their elements.
#[derive(Debug)]
pub(super) struct Regions {
    columns: Vec<Range<usize>>,
    /// The blocks of coordinates with these columns.
    blocks: Vec<Range<usize>>,
    /// First of the elements of each region, and one more.
    first: Vec<usize>,
    /// Elements of each region, in their order.
    members: Vec<usize>,
}

impl Regions {
    /// Entries that elements give to one region, about: few enough to stay in the caches of a core.
    pub(super) const ENTRIES: usize = 1 << 18;

    /// The regions of a model, cut between its blocks of coordinates, with the elements that are `wanted`.
    pub(super) fn of<P: Data>(model: &Model<P>, wanted: impl Fn(&Member<P>) -> bool + Sync) -> Self {
        let blocks = model.coordinates().blocks();
        let entries: Vec<AtomicUsize> = blocks.iter().map(|_| AtomicUsize::new(0)).collect();
        model.members().par_iter().with_min_len(CHUNK).filter(|m| wanted(m)).for_each(|m| {
            for id in &m.wires.blocks {
                let own = m.wires.v_index.len() * blocks[id.0].kind.nv();
                entries[id.0].fetch_add(own, Ordering::Relaxed);
            }
        });
        let (mut columns, mut blocks_of) = (Vec::new(), Vec::new());
        let mut region_of = Vec::with_capacity(blocks.len());
        let (mut start, mut first_block, mut here) = (0, 0, 0);
        for (k, (block, entries)) in blocks.iter().zip(entries).enumerate() {
            if here >= Self::ENTRIES {
                columns.push(start..block.v);
                blocks_of.push(first_block..k);
                (start, first_block, here) = (block.v, k, 0);
            }
            here += entries.into_inner();
            region_of.push(columns.len());
        }
        columns.push(start..model.nv());
        blocks_of.push(first_block..blocks.len());

        // Elements with their regions, in the order of the elements.
        let pairs: Vec<Vec<(usize, usize)>> = model
            .members()
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, members)| {
                let mut pairs = Vec::with_capacity(2 * members.len());
                for (m, k) in members.iter().zip(chunk * CHUNK..).filter(|(m, _)| wanted(m)) {
                    let own = pairs.len();
                    for id in &m.wires.blocks {
                        let pair = (region_of[id.0], k);
                        if !pairs[own..].contains(&pair) {
                            pairs.push(pair);
                        }
                    }
                }
                pairs
            })
            .collect();
        let mut first = vec![0_usize; columns.len() + 1];
        for (region, _) in pairs.iter().flatten() {
            first[region + 1] += 1;
        }
        for region in 0..columns.len() {
            first[region + 1] += first[region];
        }
        let mut next = first.clone();
        let mut members = vec![0; first[columns.len()]];
        for (region, member) in pairs.iter().flatten() {
            members[next[*region]] = *member;
            next[*region] += 1;
        }
        Self { columns, blocks: blocks_of, first, members }
    }
    /// A model as one region.
    pub(super) fn one<P: Data>(model: &Model<P>) -> Self {
        let count = model.members().len();
        let (columns, blocks) = (0..model.nv(), 0..model.coordinates().blocks().len());
        let [columns, blocks] = [columns, blocks].map(|all| std::iter::once(all).collect());
        Self { columns, blocks, first: vec![0, count], members: (0..count).collect() }
    }
    /// The regions in the order of their columns.
    pub(super) fn all(&self) -> Vec<Region<'_>> {
        let members = self.first.windows(2).map(|cut| &self.members[cut[0]..cut[1]]);
        let places = self.columns.iter().cloned().zip(self.blocks.iter().cloned());
        places.zip(members).map(|((columns, blocks), members)| Region { columns, blocks, members }).collect()
    }
}
