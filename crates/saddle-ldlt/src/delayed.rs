//! Multifrontal factorization with delayed pivots (Duff and Reid, ACM Trans. Math. Softw. 9, 1983).
//!
//! ```text
//! front of a supernode:   | delayed by its children | its own columns | rows below |
//! what it leaves:                                | failed | rows below |
//! ```
//!
//! A candidate that finds no stable pivot in its front ([`super::threshold`]) goes to the parent's, where more rows are
//! candidates; in a root all of them are. So the factorization always ends, with the inertia of the matrix to rounding, and
//! zeros of D where that is singular. The order of elimination and the structure of the factors are known at the end only: they
//! come with them, as a structure of their own, so that substitutions are those of [`super::substitute`]. Fronts have their own
//! memory each. Sizes: as in [`super::numeric`], and d more rows and columns in a front with d delayed candidates.

use std::ops::Range;

use mb_algebra::memory;

use super::SaddleAnalysis;
use super::assembly::{Source, Work};
use super::available::memory_for;
use super::front::Eliminator;
use super::number::Number;
use super::numeric::{Numeric, Stop, zeros};
use super::packed_lower;
use super::panel::{pack, packed_entries};
use super::pivots::{Pivots, Summary};
use super::substitute::among_cores;
use super::symbolic::{Supernode, Symbolic};
use super::symmetric_storage::Half;
use super::threshold::{Candidates, Scratch};

/// Factors with the structure that they took.
pub(super) struct Delayed<T> {
    pub(super) numeric: Numeric<T>,
    pub(super) symbolic: Symbolic,
}

/// What a front leaves for its parent: the lower triangle by columns of its rows that are not eliminated.
struct Update<T> {
    /// Places of candidates that failed; the other rows are those below of the supernode.
    failed: Vec<u32>,
    sums: Vec<f64>,
    values: Vec<T>,
}

/// Thresholds that make sense.
const THRESHOLDS: std::ops::RangeInclusive<f64> = 1e-8..=0.5;

/// Factors S with pivots of the threshold `u`, above 0 and at most 1/2.
pub(super) fn factor<T: Number>(
    analysis: &SaddleAnalysis,
    a: &Half<T>,
    source: &Source<'_>,
    u: f64,
) -> Result<Delayed<T>, Stop> {
    let symbolic = &analysis.symbolic;
    let u = u.clamp(*THRESHOLDS.start(), *THRESHOLDS.end());
    let mut state = State::new(analysis)?;
    let mut done = Ok(());
    among_cores(symbolic, || {
        done = (0..symbolic.supernodes.len()).try_for_each(|s| state.eliminate(s, a, source, u));
    });
    done?;
    Ok(state.finish())
}

/// The factors so far.
struct State<'a, T> {
    analysis: &'a SaddleAnalysis,
    work: Work,
    eliminator: Eliminator<T>,
    scratch: Scratch<T>,
    stack: Vec<Update<T>>,
    /// Entries on the stack.
    held: usize,
    panels: Vec<T>,
    nodes: Vec<Supernode>,
    /// Rows below of all supernodes, by their places in the analysed order.
    below: Vec<u32>,
    /// Places in the analysed order, as eliminated.
    eliminated: Vec<u32>,
    inverse: Vec<T>,
    pairs: Vec<(u32, T)>,
    summary: Summary,
}

impl<'a, T: Number> State<'a, T> {
    fn new(analysis: &'a SaddleAnalysis) -> Result<Self, Stop> {
        let symbolic = &analysis.symbolic;
        let size = symbolic.order.len();
        let mut panels = Vec::new();
        memory::ask(|| panels.try_reserve_exact(symbolic.panel_entries)).map_err(|_| Stop::Memory)?;
        Ok(Self {
            analysis,
            work: Work::new(symbolic),
            eliminator: Eliminator::default(),
            scratch: Scratch::default(),
            stack: Vec::new(),
            held: 0,
            panels,
            nodes: Vec::with_capacity(symbolic.supernodes.len()),
            below: Vec::new(),
            eliminated: Vec::with_capacity(size),
            inverse: Vec::with_capacity(size),
            pairs: Vec::new(),
            summary: Summary::default(),
        })
    }

    /// Eliminates supernode s with what its children delayed.
    fn eliminate(&mut self, s: usize, a: &Half<T>, source: &Source<'_>, u: f64) -> Result<(), Stop> {
        let symbolic = &self.analysis.symbolic;
        let node = &symbolic.supernodes[s];
        let children = &symbolic.children[node.children.clone()];
        let updates = self.stack.split_off(self.stack.len() - children.len());
        let delayed: Vec<u32> = updates.iter().flat_map(|update| &update.failed).copied().collect();
        let (rows, cols) = (delayed.len() + node.rows(), delayed.len() + node.cols);
        let below = rows - cols;
        self.check_memory(rows * cols + packed_lower::entries(below))?;
        let mut panel: Vec<T> = zeros(rows * cols)?;
        let mut schur: Vec<T> = zeros(packed_lower::entries(below))?;
        self.work.start_delayed(symbolic, node, &delayed);
        self.work.assemble(symbolic, node, a, source, &mut panel, true)?;
        // The one pushed last is that of the first child in the list.
        for (update, &child) in updates.iter().rev().zip(children) {
            let own = symbolic.runs[symbolic.supernodes[child as usize].runs.clone()].iter().copied();
            let runs: Vec<(u32, u32)> = update.failed.iter().map(|&p| (p, 1)).chain(own).collect();
            let from = (&update.sums[..], &update.values[..]);
            self.work.add_update(&runs, from, (&mut panel, cols), (&mut schur, below));
            self.held -= update.values.len();
        }
        drop(updates);
        let (places, sums) = self.work.front();
        let mut front = Candidates { panel: &mut panel, rows, cols, places, sums, done: 0 };
        front.eliminate(u, &mut self.eliminator, &mut self.scratch);
        let done = front.done;
        self.eliminator.update_below(&panel, rows, done, cols, &mut schur);
        self.record(node, (rows, done), &panel)?;
        self.leave(done..cols, rows, &panel, &schur)
    }

    /// Refuses more memory than there is.
    fn check_memory(&self, front: usize) -> Result<(), Stop> {
        let more = (front * size_of::<T>()) as u64;
        let whole = ((self.panels.len() + self.held) * size_of::<T>()) as u64 + more;
        // What the analysis asked for is there.
        if whole <= self.analysis.bytes(size_of::<T>()) {
            return Ok(());
        }
        let limit = self.analysis.options.memory_limit;
        let needed = if limit.is_some() { whole } else { more };
        memory_for(needed, limit)
            .is_none_or(|available| needed <= available)
            .then_some(())
            .ok_or(Stop::Memory)
    }

    /// Keeps the first `done` columns of a front with `rows` rows.
    fn record(&mut self, node: &Supernode, (rows, done): (usize, usize), panel: &[T]) -> Result<(), Stop> {
        let order = &self.analysis.symbolic.order;
        let (places, first) = (&self.work.front().0[..], self.eliminated.len());
        let unknowns = self.analysis.unknowns;
        let unknown = |k: usize| order[places[k] as usize];
        let (found, to) = (&self.eliminator, &mut self.summary);
        for &k in &found.null {
            let row = unknown(k);
            if (row as usize) < unknowns { to.singular.push(row) } else { to.null.push(row) }
        }
        to.doubtful.extend(found.doubtful.iter().map(|&(k, ratio)| (unknown(k), ratio)));
        to.growth = to.growth.max(found.growth);
        let mut k = 0;
        while k < done {
            let (d, e) = (found.inverse[k], found.inverse_e[k]);
            let pair = found.e[k] != T::default();
            if !(d.size().is_finite() && e.size().is_finite()) {
                return Err(Stop::NonFinite(unknown(k)));
            }
            self.inverse.push(d);
            if pair {
                let other = found.inverse[k + 1];
                self.pairs.push(((first + k) as u32, e));
                self.inverse.push(other);
                to.pairs += 1;
                to.positive += 2;
                to.negative += match ((d * other - e * e).is_negative(), d.is_negative()) {
                    (true, _) => 1,
                    (false, negative) => 2 * usize::from(negative),
                };
            } else {
                to.positive += usize::from(d != T::default());
                to.negative += usize::from(d.is_negative());
            }
            k += 1 + usize::from(pair);
        }
        self.eliminated.extend_from_slice(&places[..done]);
        let start = self.below.len();
        self.below.extend_from_slice(&places[done..]);
        let at = self.panels.len();
        let entries = packed_entries(rows, done);
        memory::ask(|| self.panels.try_reserve(entries)).map_err(|_| Stop::Memory)?;
        self.panels.resize(at + entries, T::default());
        if done > 0 {
            pack(&panel[..rows * done], rows, done, &mut self.panels[at..]);
        }
        self.nodes.push(Supernode {
            first,
            cols: done,
            below: rows - done,
            runs: start..self.below.len(),
            panel: at,
            children: node.children.clone(),
        });
        Ok(())
    }

    /// Leaves the candidates `failed` of a front and its rows below to the parent.
    fn leave(&mut self, failed: Range<usize>, rows: usize, panel: &[T], schur: &[T]) -> Result<(), Stop> {
        let (places, sums) = self.work.front();
        let below = rows - failed.end;
        let left = rows - failed.start;
        let root = below == 0;
        if let (true, Some(&place)) = (root, places[failed.clone()].first()) {
            // Only what is no number fails there.
            return Err(Stop::NonFinite(self.analysis.symbolic.order[place as usize]));
        }
        let mut values = Vec::new();
        memory::ask(|| values.try_reserve_exact(left * (left + 1) / 2)).map_err(|_| Stop::Memory)?;
        for k in failed.clone() {
            values.extend_from_slice(&panel[k * rows + k..(k + 1) * rows]);
        }
        for k in 0..below {
            let (start, first) = packed_lower::column(below, k);
            values.extend_from_slice(&schur[start + k - first..start + below - first]);
        }
        self.held += values.len();
        self.summary.delayed += failed.len();
        self.stack.push(Update {
            failed: places[failed.clone()].to_vec(),
            sums: sums[failed.start..].to_vec(),
            values,
        });
        Ok(())
    }

    /// The factors, in the order of elimination that they took.
    fn finish(self) -> Delayed<T> {
        let analysed = &self.analysis.symbolic;
        let size = analysed.order.len();
        let mut now = vec![0_u32; size];
        for (k, &place) in self.eliminated.iter().enumerate() {
            now[place as usize] = k as u32;
        }
        let order: Vec<u32> = self.eliminated.iter().map(|&place| analysed.order[place as usize]).collect();
        let mut place = vec![0_u32; size];
        for (k, &unknown) in order.iter().enumerate() {
            place[unknown as usize] = k as u32;
        }
        let (mut supernodes, mut runs) = (self.nodes, Vec::<(u32, u32)>::new());
        for node in &mut supernodes {
            let start = runs.len();
            for &row in &self.below[node.runs.clone()] {
                let at = now[row as usize];
                match runs[start..].last_mut() {
                    Some((first, length)) if *first + *length == at => *length += 1,
                    _ => runs.push((at, 1)),
                }
            }
            node.runs = start..runs.len();
        }
        let mut panels = self.panels;
        panels.shrink_to_fit();
        let symbolic = Symbolic {
            panel_entries: panels.len(),
            work_entries: panels.len(),
            max_rows: supernodes.iter().map(Supernode::rows).max().unwrap_or(0),
            flops: supernodes.iter().map(Supernode::operations).sum(),
            children: analysed.children.clone(),
            supernodes,
            runs,
            order,
            place,
        };
        let mut pivots = Pivots::none(&symbolic);
        (pivots.inverse, pivots.pairs, pivots.summary) = (self.inverse, self.pairs, self.summary);
        Delayed { numeric: Numeric { panels, thin: None, pivots }, symbolic }
    }
}
