//! Numeric factorization by the multifrontal method (Duff and Reid, ACM Trans. Math. Softw. 9, 1983).
//!
//! Each supernode assembles its columns of the scaled, augmented matrix and the update matrices of its children,
//! eliminates its pivots ([`super::front`]) and leaves the Schur complement of the rows below on a stack, by its
//! lower triangle. Panels and stack share one array whose size is known beforehand, the largest sum in use at a time:
//!
//! ```text
//! | panels of L, packed | front's panel | ... | front's Schur complement | stack of update matrices |
//! ```
//!
//! Panels grow from the left, the stack from the right.

use super::assembly::{Source, Work};
use super::front::{Eliminator, Oddity};
use super::half::Half;
use super::number::Number;
use super::panel::pack;
use super::substitute::{Exchanges, down};
use super::symbolic::Symbolic;
use super::thin::Thin;
use super::trapezoid;

/// Factors in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct Numeric<T> {
    /// All panels, packed; each holds the unit lower triangle of its pivots and the rows below. None where `thin` has them.
    pub(super) panels: Vec<T>,
    /// L by columns, where that takes less.
    pub(super) thin: Option<Thin<T>>,
    /// D^-1: diagonal by place, zero at null pivots.
    pub(super) inverse: Vec<T>,
    /// Pairs of D^-1: first place and entry off the diagonal.
    pub(super) pairs: Vec<(u32, T)>,
    pub(super) exchanges: Exchanges,
    pub(super) summary: Summary,
}

/// Memory of the front in work: assembly and elimination.
#[derive(Clone, Debug)]
pub(super) struct Workspace<T>(Work, Eliminator<T>);

impl<T: Number> Workspace<T> {
    /// For factors with their stack.
    pub(super) fn new(symbolic: &Symbolic) -> Self {
        Self(Work::new(symbolic, symbolic.work_entries), Eliminator::default())
    }
}

/// What was met on the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// Multipliers (n + r) whose row of G depends on others.
    pub(super) null: Vec<u32>,
    /// Unknowns whose pivot was zero.
    pub(super) singular: Vec<u32>,
    /// Multipliers whose pivot was replaced.
    pub(super) weak: Vec<u32>,
    /// Unknowns and multipliers with a pivot made by cancellation, and how small it was.
    pub(super) doubtful: Vec<(u32, f64)>,
    pub(super) positive: usize,
    pub(super) negative: usize,
    /// Pivots of two rows.
    pub(super) pairs: usize,
    /// Largest magnitude in L.
    pub(super) growth: f64,
}

impl Summary {
    /// Forgets everything.
    fn clear(&mut self) {
        for list in [&mut self.null, &mut self.singular, &mut self.weak] {
            list.clear();
        }
        self.doubtful.clear();
        (self.positive, self.negative, self.pairs, self.growth) = (0, 0, 0, 0.0);
    }
}

/// Why the elimination stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// Memory was refused.
    Memory,
    /// An entry of this unknown's column lies outside the analysed pattern.
    Pattern(u32),
    /// A pivot of this supernode's first unknown is not finite.
    NonFinite(u32),
}

impl<T: Number> Numeric<T> {
    pub(super) fn new(symbolic: &Symbolic, a: &Half<T>, source: &Source<'_>) -> Result<Self, Stop> {
        let mut out = Self::empty(symbolic, symbolic.work_entries)?;
        out.eliminate_all(symbolic, a, source, &mut Workspace::new(symbolic))?;
        out.thin = Thin::of(symbolic, &out.panels, &out.exchanges);
        out.panels.truncate(if out.thin.is_some() { 0 } else { symbolic.panel_entries });
        out.panels.shrink_to_fit();
        Ok(out)
    }

    /// Factors another matrix in the memory at hand; from the first time on that of the stack is kept too.
    pub(super) fn renew(
        &mut self,
        symbolic: &Symbolic,
        a: &Half<T>,
        source: &Source<'_>,
        work: &mut Workspace<T>,
    ) -> Result<(), Stop> {
        let more = symbolic.work_entries.saturating_sub(self.panels.len());
        self.panels.try_reserve_exact(more).map_err(|_| Stop::Memory)?;
        self.panels.resize(symbolic.work_entries, T::default());
        // Panels that come again are used as they are: to look for their zeros would take memory each time.
        self.thin = None;
        self.pairs.clear();
        // Another matrix may have more pairs and exchanges.
        self.pairs.reserve(symbolic.order.len() / 2);
        self.exchanges.clear(symbolic);
        self.summary.clear();
        work.0.restart(self.panels.len());
        work.1.growth = 0.0;
        self.eliminate_all(symbolic, a, source, work)
    }

    fn eliminate_all(
        &mut self,
        symbolic: &Symbolic,
        a: &Half<T>,
        source: &Source<'_>,
        work: &mut Workspace<T>,
    ) -> Result<(), Stop> {
        for (s, node) in symbolic.supernodes.iter().enumerate() {
            let kept = self.eliminate(symbolic, s, node.panel, (a, source), work)?;
            debug_assert_eq!(kept, node.entries());
        }
        self.summary.growth = work.1.growth;
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
        let mut out = Self::empty(symbolic, symbolic.work_without_panels)?;
        let mut work = Workspace::new(symbolic);
        work.0.restart(out.panels.len());
        let mut front = vec![T::default(); symbolic.max_rows * width];
        for s in 0..symbolic.supernodes.len() {
            let kept = out.eliminate(symbolic, s, 0, (a, source), &mut work)?;
            down(symbolic, s, &out.panels[..kept], Some(&out.exchanges), x, &mut front, width);
        }
        out.panels = Vec::new();
        out.summary.growth = work.1.growth;
        Ok(out)
    }

    fn empty(symbolic: &Symbolic, panels: usize) -> Result<Self, Stop> {
        let size = symbolic.order.len();
        Ok(Self {
            panels: zeros(panels)?,
            thin: None,
            inverse: vec![T::default(); size],
            pairs: Vec::new(),
            exchanges: Exchanges::none(symbolic),
            summary: Summary::default(),
        })
    }

    /// Eliminates one supernode; its packed panel is left at `start`. Returns the number of entries.
    fn eliminate(
        &mut self,
        symbolic: &Symbolic,
        s: usize,
        start: usize,
        (a, source): (&Half<T>, &Source<'_>),
        Workspace(work, eliminator): &mut Workspace<T>,
    ) -> Result<usize, Stop> {
        let node = &symbolic.supernodes[s];
        let (rows, cols, below) = (node.rows(), node.cols, node.below);
        let own = work.top - trapezoid::entries(below);
        let (left, right) = self.panels.split_at_mut(own);
        let panel = &mut left[start..start + rows * cols];
        let (schur, stack) = right.split_at_mut(trapezoid::entries(below));
        panel.fill(T::default());
        schur.fill(T::default());
        work.start(symbolic, node, a.size());
        work.assemble(symbolic, node, a, source, panel, true)?;
        let taken = work.extend_add(symbolic, node, panel, schur, stack);
        eliminator.eliminate(panel, rows, &work.multiplier, &mut work.sums);
        eliminator.update_below(panel, rows, cols, schur);
        let kept = pack(panel, rows, cols, &mut eliminator.scratch);
        // In the place of the children's update matrices.
        let end = work.top + taken;
        work.top = end - trapezoid::push(&mut self.panels[own..end], below);
        work.leave_sums(cols);
        self.record(symbolic, s, eliminator)?;
        Ok(kept)
    }

    fn record(&mut self, symbolic: &Symbolic, s: usize, done: &Eliminator<T>) -> Result<(), Stop> {
        let node = &symbolic.supernodes[s];
        if done.moved {
            self.exchanges.record(symbolic, s, &done.perm);
        }
        let unknown = |k: usize| symbolic.order[node.first + done.perm[k] as usize];
        for &(k, oddity) in &done.odd {
            match oddity {
                Oddity::Null => self.summary.null.push(unknown(k)),
                Oddity::Singular => self.summary.singular.push(unknown(k)),
                Oddity::Weak => self.summary.weak.push(unknown(k)),
            }
        }
        self.summary.doubtful.extend(done.doubtful.iter().map(|&(k, ratio)| (unknown(k), ratio)));
        let mut k = 0;
        while k < node.cols {
            self.inverse[node.first + k] = done.inverse[k];
            if !done.inverse[k].size().is_finite() {
                return Err(Stop::NonFinite(unknown(k)));
            }
            if done.e[k] == T::default() {
                self.summary.positive += usize::from(done.inverse[k] != T::default());
                self.summary.negative += usize::from(done.inverse[k].is_negative());
                k += 1;
            } else {
                // Bunch and Kaufman take pairs with negative determinant only: one eigenvalue of each sign.
                self.pairs.push((node.first as u32 + k as u32, done.inverse_e[k]));
                self.inverse[node.first + k + 1] = done.inverse[k + 1];
                if !done.inverse_e[k].size().is_finite() {
                    return Err(Stop::NonFinite(unknown(k)));
                }
                self.summary.positive += 2;
                self.summary.negative += 1;
                self.summary.pairs += 1;
                k += 2;
            }
        }
        Ok(())
    }
}

/// So many zeros, whose memory the system gives when it is first written to.
pub(super) fn zeros<T: Number>(length: usize) -> Result<Vec<T>, Stop> {
    // A request that is refused is told; the one that follows would end the program.
    Vec::<T>::new().try_reserve_exact(length).map_err(|_| Stop::Memory)?;
    Ok(vec![T::default(); length])
}
