//! LU factorization of a matrix of any kind by the multifrontal method, on the pattern and order of a symmetric one.
//!
//! ```text
//! P A = L D W^T  front by front ([`super::front_lu`]), L and W in panels of the same shape
//! A x = b:    L y = P b,  W^T x = D^-1 y;      A^T x = b:  W y = b,  L^T P x = D^-1 y
//! ```
//!
//! Twice the operations and the memory of L D L^T. It fails where the pivots of a front, without the rows of later ones, are
//! singular while the matrix is not; a trial shows that, and an LU with exchanges over the whole matrix takes over.

use super::assembly::{Source, Work};
use super::front_lu::{LuEliminator, update_below};
use super::number::Number;
use super::numeric::{Stop, zeros};
use super::packed_lower;
use super::panel::pack;
use super::pivots::Summary;
use super::substitute::{Exchanges, backward_all, down, forward_all};
use super::symbolic::{Supernode, Symbolic};
use super::symmetric_storage::Half;
use mb_algebra::interrupt;

/// Factors in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct NumericLu<T> {
    /// All panels of L and of W, packed.
    panels: [Vec<T>; 2],
    /// D^-1 by place.
    inverse: Vec<T>,
    exchanges: Exchanges,
    pub(super) summary: Summary,
    /// Whether P is an odd permutation.
    odd: bool,
}

impl<T: Number> NumericLu<T> {
    /// `halves`: the lower half of A by columns and the upper one by rows.
    pub(super) fn new(symbolic: &Symbolic, halves: [&Half<T>; 2], source: &Source<'_>) -> Result<Self, Stop> {
        let mut out = Self::empty(symbolic, symbolic.work_entries)?;
        let mut work = (Work::new(symbolic), LuEliminator::default());
        for (s, node) in symbolic.supernodes.iter().enumerate() {
            out.eliminate(symbolic, s, node.panel, (halves, source), &mut work)?;
        }
        for panels in &mut out.panels {
            panels.truncate(symbolic.panel_entries);
            panels.shrink_to_fit();
        }
        out.close(&work.1);
        Ok(out)
    }

    /// Eliminates without keeping L and W; `x` are `width` right-hand sides of A and of A^T in the order of elimination, row by
    /// row, and are carried through L^-1 P and W^-1.
    pub(super) fn without_factors(
        symbolic: &Symbolic,
        halves: [&Half<T>; 2],
        source: &Source<'_>,
        x: [&mut [T]; 2],
        width: usize,
    ) -> Result<Self, Stop> {
        let room = symbolic.work_of(0..symbolic.supernodes.len(), Supernode::entries);
        let mut out = Self::empty(symbolic, room)?;
        let mut work = (Work::new(symbolic), LuEliminator::default());
        let mut front = vec![T::default(); symbolic.max_rows * width];
        let [right, left] = x;
        for (s, node) in symbolic.supernodes.iter().enumerate() {
            out.eliminate(symbolic, s, 0, (halves, source), &mut work)?;
            let ([l, w], kept) = (&out.panels, node.entries());
            down(symbolic, s, &l[..kept], Some(&out.exchanges), right, &mut front, width);
            down(symbolic, s, &w[..kept], None, left, &mut front, width);
        }
        out.panels = [Vec::new(), Vec::new()];
        out.close(&work.1);
        Ok(out)
    }

    fn empty(symbolic: &Symbolic, panels: usize) -> Result<Self, Stop> {
        Ok(Self {
            panels: [zeros(panels)?, zeros(panels)?],
            inverse: vec![T::default(); symbolic.order.len()],
            exchanges: Exchanges::none(symbolic),
            summary: Summary::default(),
            odd: false,
        })
    }

    fn close(&mut self, done: &LuEliminator<T>) {
        self.summary.growth = done.growth;
        self.odd = !done.exchanges.is_multiple_of(2);
    }

    /// Eliminates one supernode; its packed panels are left at `start`.
    fn eliminate(
        &mut self,
        symbolic: &Symbolic,
        s: usize,
        start: usize,
        (halves, source): ([&Half<T>; 2], &Source<'_>),
        (work, eliminator): &mut (Work, LuEliminator<T>),
    ) -> Result<(), Stop> {
        interrupt::check();
        let node = &symbolic.supernodes[s];
        let (rows, cols, below) = (node.rows(), node.cols, node.below);
        let end = self.panels[0].len() - work.held;
        let own = end - packed_lower::entries(below);
        work.start(symbolic, node, halves[0].size());
        let mut taken = 0;
        let mut parts = Vec::with_capacity(2);
        for (side, (panels, half)) in self.panels.iter_mut().zip(halves).enumerate() {
            let (left, right) = panels.split_at_mut(own);
            let panel = &mut left[own - rows * cols..];
            let (schur, stack) = right.split_at_mut(packed_lower::entries(below));
            panel.fill(T::default());
            schur.fill(T::default());
            work.assemble(symbolic, node, half, source, panel, side == 0)?;
            taken = work.extend_add(symbolic, node, panel, schur, stack);
            parts.push((panel, schur));
        }
        let [(lower, below_lower), (upper, below_upper)] = &mut parts[..] else { return Ok(()) };
        // The row of a constraint left out is that of the identity.
        let unknowns = halves[0].size();
        for (k, &unknown) in symbolic.order[node.first..node.first + cols].iter().enumerate() {
            if (unknown as usize).checked_sub(unknowns).is_some_and(|r| source.dropped[r]) {
                lower[k * rows + k] = T::UNIT;
            }
        }
        eliminator.eliminate(lower, upper, rows, &work.multiplier, &mut work.sums);
        update_below([lower, upper], rows, cols, [below_lower, below_upper]);
        eliminator.finish(upper, rows);
        work.held -= taken;
        for panels in &mut self.panels {
            let (left, front) = panels.split_at_mut(own - rows * cols);
            pack(front, rows, cols, &mut left[start..start + node.entries()]);
            // In the place of the children's update matrices.
            packed_lower::push(&mut panels[own..end + taken], below);
        }
        work.held += node.left();
        work.leave_sums(cols);
        self.record(symbolic, s, eliminator)
    }

    fn record(&mut self, symbolic: &Symbolic, s: usize, done: &LuEliminator<T>) -> Result<(), Stop> {
        let node = &symbolic.supernodes[s];
        if done.moved {
            self.exchanges.record(symbolic, s, &done.perm);
        }
        let unknown = |k: usize| symbolic.order[node.first + k];
        self.summary.weak.extend(done.weak.iter().map(|&k| unknown(k)));
        self.summary.singular.extend(done.singular.iter().map(|&k| unknown(k)));
        self.summary.doubtful.extend(done.doubtful.iter().map(|&(k, ratio)| (unknown(k), ratio)));
        for (k, &inverse) in done.inverse.iter().enumerate() {
            if !inverse.size().is_finite() {
                return Err(Stop::NonFinite(unknown(k)));
            }
            self.inverse[node.first + k] = inverse;
        }
        Ok(())
    }

    /// Solves in place, with the transposed matrix on demand; `x` is in the order of elimination, `width` right-hand sides
    /// row by row: 1, 2, 4 or 8.
    pub(super) fn substitute(&self, symbolic: &Symbolic, x: &mut [T], width: usize, transposed: bool) {
        let [l, w] = &self.panels;
        let exchanges = Some(&self.exchanges);
        let front = &mut vec![T::default(); symbolic.max_rows * width];
        if transposed {
            forward_all(symbolic, w, None, x, front, width);
            self.divide(x, width);
            backward_all(symbolic, l, exchanges, x, front, width);
        } else {
            forward_all(symbolic, l, exchanges, x, front, width);
            self.divide(x, width);
            backward_all(symbolic, w, None, x, front, width);
        }
    }

    /// x <- D^-1 x.
    pub(super) fn divide(&self, x: &mut [T], width: usize) {
        for (row, &inverse) in x.chunks_exact_mut(width).zip(&self.inverse) {
            for x in row {
                *x *= inverse;
            }
        }
    }

    /// Pivots as their inverses, and whether the exchanges change the sign of the determinant.
    pub(super) fn determinant(&self) -> (&[T], bool) {
        (&self.inverse, self.odd)
    }
}
