//! Numeric factorization by the multifrontal method (Duff and Reid, ACM Trans. Math. Softw. 9, 1983).
//!
//! Each supernode assembles its columns of the scaled, augmented matrix and the update matrices of its children,
//! eliminates its pivots ([`super::front`]) and leaves the Schur complement of the rows below on a stack, by its
//! lower triangle. Panels, front and stack share one array whose size is known beforehand, the largest sum in use at a time:
//!
//! ```text
//! | panels of L, packed | free | front's panel | front's Schur complement | stack of update matrices |
//! | panels of all                 | front and stack of the second half | front and stack of the first half |
//! ```
//!
//! Panels grow from the left, the stack from the right. Large trees that fall apart in halves ([`super::subtree_parallel`]) have them
//! eliminated side by side where there are two cores and memory for two stacks (second line); what the second half leaves then
//! moves to the end, on top of what the first one left. Every front is the same on one core and on two, to the last bit.

use std::ops::Range;

use super::SaddleAnalysis;
use super::assembly::{Source, Work};
use super::available::memory_for;
use super::column_factor::Thin;
use super::front::Eliminator;
use super::number::Number;
use super::packed_lower;
use super::panel::pack;
use super::pivots::Pivots;
use super::substitute::{among_cores, down, large_halves};
use super::subtree_parallel::Halves;
use super::symbolic::{Supernode, Symbolic};
use super::symmetric_storage::Half;
use mb_algebra::{interrupt, memory, side_by_side};

/// Factors in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct Numeric<T> {
    /// All panels, packed; each holds the unit lower triangle of its pivots and the rows below. None where `column_factor` has them.
    pub(super) panels: Vec<T>,
    /// L by columns, where that takes less.
    pub(super) thin: Option<Thin<T>>,
    pub(super) pivots: Pivots<T>,
}

/// Memory of the front in work: assembly and elimination.
#[derive(Clone, Debug)]
pub(super) struct Workspace<T>(Work, Eliminator<T>);

impl<T: Number> Workspace<T> {
    /// For factors with their stack.
    pub(super) fn new(symbolic: &Symbolic) -> Self {
        Self(Work::new(symbolic), Eliminator::default())
    }
}

/// Why the elimination stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// Memory was refused.
    Memory,
    /// An entry of this unknown's column lies outside the analysed pattern.
    Pattern(u32),
    /// The pivot of this row is not finite.
    NonFinite(u32),
    /// The pivot of this row is noise in its front, and its column is not.
    Lost(u32),
}

/// The matrix to factor.
type Given<'a, T> = (&'a Half<T>, &'a Source<'a>);

impl<T: Number> Numeric<T> {
    pub(super) fn new(analysis: &SaddleAnalysis, a: &Half<T>, source: &Source<'_>) -> Result<Self, Stop> {
        let symbolic = &analysis.symbolic;
        let halves = large_halves(symbolic)
            .map(|halves| TwoStacks::new(symbolic, halves))
            .filter(|two| rayon::current_num_threads() > 1 && two.fit(analysis, size_of::<T>()));
        Self::by(symbolic, halves.as_ref(), (a, source))
    }

    /// With two halves side by side, where asked for.
    fn by(symbolic: &Symbolic, halves: Option<&TwoStacks>, given: Given<'_, T>) -> Result<Self, Stop> {
        let mut out = Self::empty(symbolic, halves.map_or(symbolic.work_entries, |two| two.entries))?;
        let mut work = Workspace::new(symbolic);
        let mut done = Ok(());
        among_cores(symbolic, || {
            let rest = match halves {
                Some(two) => out.eliminate_halves(symbolic, two, given, &mut work).map(|()| two.halves.top),
                None => Ok(0),
            };
            let count = symbolic.supernodes.len();
            done = rest.and_then(|rest| out.eliminate_part(symbolic, rest..count, given, &mut work));
        });
        done?;
        out.thin = Thin::of(symbolic, &out.panels, &out.pivots.exchanges);
        out.panels.truncate(if out.thin.is_some() { 0 } else { symbolic.panel_entries });
        out.panels.shrink_to_fit();
        Ok(out)
    }

    /// Factors another matrix in the memory already allocated; from the first time on that of the stack is kept too.
    pub(super) fn renew(
        &mut self,
        symbolic: &Symbolic,
        a: &Half<T>,
        source: &Source<'_>,
        work: &mut Workspace<T>,
    ) -> Result<(), Stop> {
        let more = symbolic.work_entries.saturating_sub(self.panels.len());
        memory::ask(|| self.panels.try_reserve_exact(more)).map_err(|_| Stop::Memory)?;
        self.panels.resize(symbolic.work_entries, T::default());
        // Panels that come again are used as they are: to look for their zeros would take memory each time.
        self.thin = None;
        self.pivots.clear(symbolic);
        work.0.restart();
        work.1.growth = 0.0;
        self.eliminate_part(symbolic, 0..symbolic.supernodes.len(), (a, source), work)
    }

    /// Eliminates these supernodes, on top of the stack that those before them left.
    fn eliminate_part(
        &mut self,
        symbolic: &Symbolic,
        part: Range<usize>,
        given: Given<'_, T>,
        work: &mut Workspace<T>,
    ) -> Result<(), Stop> {
        for s in part {
            let node = &symbolic.supernodes[s];
            let (panels, area) = self.panels.split_at_mut(node.panel + node.entries());
            eliminate(symbolic, s, (&mut panels[node.panel..], area), given, work, &mut self.pivots)?;
        }
        self.pivots.summary.growth = self.pivots.summary.growth.max(work.1.growth);
        Ok(())
    }

    /// Eliminates both halves and leaves their update matrices on one stack.
    fn eliminate_halves(
        &mut self,
        symbolic: &Symbolic,
        two: &TwoStacks,
        given: Given<'_, T>,
        work: &mut Workspace<T>,
    ) -> Result<(), Stop> {
        let (nodes, Halves { second, top }) = (&symbolic.supernodes, two.halves);
        let size = self.panels.len();
        let (left, right) = self.panels.split_at_mut(nodes[top].panel);
        let (first_panels, second_panels) = left.split_at_mut(nodes[second].panel);
        let own = right.len() - two.stacks[0];
        let (right, first_area) = right.split_at_mut(own);
        let second_area = &mut right[own - two.stacks[1]..];
        let mut beside = Workspace::new(symbolic);
        let mut other = Pivots::none(symbolic);
        let half = |part: Range<usize>,
                    panels: &mut [T],
                    area: &mut [T],
                    work: &mut Workspace<T>,
                    pivots: &mut Pivots<T>| {
            let start = nodes[part.start].panel;
            for s in part {
                let at = nodes[s].panel - start;
                let panel = &mut panels[at..at + nodes[s].entries()];
                eliminate(symbolic, s, (panel, &mut *area), given, work, pivots)?;
            }
            pivots.summary.growth = work.1.growth;
            Ok(())
        };
        let (one, two_done) = side_by_side(
            || half(0..second, first_panels, first_area, &mut *work, &mut self.pivots),
            || half(second..top, second_panels, second_area, &mut beside, &mut other),
        );
        one?;
        two_done?;
        self.pivots.append(symbolic, second..top, other);
        let (end, left) = (size - two.stacks[0], beside.0.held);
        self.panels.copy_within(end - left..end, size - work.0.held - left);
        work.0.append(&beside.0);
        Ok(())
    }

    /// Eliminates without keeping L; `x` holds `width` right-hand sides in the order of elimination, row by row, and
    /// is carried through the forward substitution.
    pub(super) fn without_factors(
        symbolic: &Symbolic,
        a: &Half<T>,
        source: &Source<'_>,
        x: &mut [T],
        width: usize,
    ) -> Result<Self, Stop> {
        let nodes = &symbolic.supernodes;
        let mut out = Self::empty(symbolic, symbolic.work_of(0..nodes.len(), Supernode::entries))?;
        let mut work = Workspace::new(symbolic);
        let mut front = vec![T::default(); symbolic.max_rows * width];
        for (s, node) in nodes.iter().enumerate() {
            let (panel, area) = out.panels.split_at_mut(node.entries());
            eliminate(symbolic, s, (&mut *panel, area), (a, source), &mut work, &mut out.pivots)?;
            down(symbolic, s, panel, Some(&out.pivots.exchanges), x, &mut front, width);
        }
        out.panels = Vec::new();
        out.pivots.summary.growth = work.1.growth;
        Ok(out)
    }

    fn empty(symbolic: &Symbolic, entries: usize) -> Result<Self, Stop> {
        Ok(Self { panels: zeros(entries)?, thin: None, pivots: Pivots::none(symbolic) })
    }
}

/// Room for two halves of the tree side by side.
struct TwoStacks {
    halves: Halves,
    /// Entries of front and stack of each half.
    stacks: [usize; 2],
    /// Entries in all.
    entries: usize,
}

impl TwoStacks {
    fn new(symbolic: &Symbolic, halves: Halves) -> Self {
        let Halves { second, top } = halves;
        let stacks = [0..second, second..top].map(|part| symbolic.work_of(part, |_| 0));
        let below = symbolic.supernodes[top].panel + stacks[0] + stacks[1];
        Self { halves, stacks, entries: symbolic.work_entries.max(below) }
    }

    /// Whether numbers of `width` bytes fit in the memory that there is.
    fn fit(&self, analysis: &SaddleAnalysis, width: usize) -> bool {
        let more = (self.entries - analysis.symbolic.work_entries) * width;
        let needed = analysis.bytes(width) + more as u64;
        memory_for(needed, analysis.options.memory_limit).is_none_or(|available| needed <= available)
    }
}

/// Eliminates one supernode: its packed panel goes to `packed`, front and stack are at the end of `area`.
fn eliminate<T: Number>(
    symbolic: &Symbolic,
    s: usize,
    (packed, area): (&mut [T], &mut [T]),
    (a, source): Given<'_, T>,
    Workspace(work, eliminator): &mut Workspace<T>,
    pivots: &mut Pivots<T>,
) -> Result<(), Stop> {
    interrupt::check();
    let node = &symbolic.supernodes[s];
    let (rows, cols, below) = (node.rows(), node.cols, node.below);
    let end = area.len() - work.held;
    let own = end - packed_lower::entries(below);
    let (left, right) = area.split_at_mut(own);
    let panel = &mut left[own - rows * cols..];
    let (schur, stack) = right.split_at_mut(packed_lower::entries(below));
    panel.fill(T::default());
    schur.fill(T::default());
    work.start(symbolic, node, a.size());
    work.assemble(symbolic, node, a, source, panel, true)?;
    let taken = work.extend_add(symbolic, node, panel, schur, stack);
    eliminator.eliminate(panel, rows, &work.multiplier, &mut work.sums);
    eliminator.update_below(panel, rows, cols, cols, schur);
    pack(panel, rows, cols, packed);
    // In the place of the children's update matrices.
    work.held = work.held - taken + packed_lower::push(&mut area[own..end + taken], below);
    work.leave_sums(cols);
    pivots.record(symbolic, s, eliminator)
}

/// So many zeros, whose memory the system gives when it is first written to.
pub(super) fn zeros<T: Number>(length: usize) -> Result<Vec<T>, Stop> {
    // A request that is refused is reported; the one that follows would end the program.
    memory::ask(|| Vec::<T>::new().try_reserve_exact(length)).map_err(|_| Stop::Memory)?;
    Ok(vec![T::default(); length])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refined_solve::System;
    use crate::subtree_parallel::halves;
    use crate::symmetric_storage::Stored;
    use crate::{SaddleOptions, samples};

    #[test]
    fn halves_side_by_side_give_the_factors_of_one_after_the_other() {
        // The last one lies far inside the spectrum: signs of both kinds, pairs and exchanges.
        for shift in [0.0, 3.1] {
            let (a, g) = samples::cube(13, 0.01 - shift);
            let analysis = SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap();
            let symbolic = &analysis.symbolic;
            let half = Half::of_sum(a.cols(), &[(1.0, &a)], &symbolic.place, |f, x| f * x);
            let system = System::new(Stored::Half(half), g, &analysis.g_cols, &analysis.g_rows);
            let Stored::Half(half) = &system.a else { unreachable!("as made") };
            let dropped = vec![false; analysis.constraints()];
            let source = Source::of(&analysis, &system.scaling, &dropped);
            let given = (half, &source);
            let whole = Numeric::by(symbolic, None, given).unwrap();
            assert!(shift == 0.0 || (whole.pivots.summary.pairs > 0 && whole.pivots.summary.negative > 200));
            let two = TwoStacks::new(symbolic, halves(symbolic).unwrap());
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let found = pool.install(|| Numeric::by(symbolic, Some(&two), given)).unwrap();
                assert_eq!(found.panels, whole.panels);
                let (own, other) = (&found.pivots, &whole.pivots);
                assert_eq!((&own.inverse, &own.pairs), (&other.inverse, &other.pairs));
                assert_eq!(own.exchanges.places(), other.exchanges.places());
                assert_eq!(own.summary, other.summary);
            }
        }
    }

    #[test]
    fn memory_for_two_stacks_is_asked_for() {
        let (a, g) = samples::cube(13, 0.01);
        let needed = SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap().bytes(size_of::<f64>());
        let fits = |memory_limit: Option<u64>| {
            let options = SaddleOptions { memory_limit, ..SaddleOptions::default() };
            let analysis = SaddleAnalysis::new(&a, &g, &options).unwrap();
            let mut two = TwoStacks::new(&analysis.symbolic, halves(&analysis.symbolic).unwrap());
            assert!(two.entries >= analysis.symbolic.work_entries);
            two.entries = analysis.symbolic.work_entries + 1000;
            two.fit(&analysis, size_of::<f64>())
        };
        assert!(fits(None) && fits(Some(needed + 8000)) && !fits(Some(needed + 7999)));
    }
}
