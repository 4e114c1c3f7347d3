//! The augmented L D L^T as a solver of the scaled system.

use std::sync::Arc;

use super::assembly::Source;
use super::checked::{ScaledSolve, System};
use super::half::{Half, Stored};
use super::kernel::{WIDTH, padded};
use super::number::Number;
use super::numeric::{Numeric, Stop, Workspace};
use super::passes::by_width;
use super::{SaddleAnalysis, SaddleError};
use crate::AlgebraError;

/// Factors of S [A + g G^T G, G^T; G, 0] S without the rows of G in `dropped`.
#[derive(Clone, Debug)]
pub(super) struct AugmentedLdl<T> {
    analysis: Arc<SaddleAnalysis>,
    dropped: Vec<bool>,
    pub(super) numeric: Numeric<T>,
    /// Memory of another factorization, once there has been one.
    again: Option<Box<Workspace<T>>>,
}

impl<T: Number> AugmentedLdl<T> {
    /// `a` stands in for the A of `system` (of its pattern or less), with the same scaling.
    pub(super) fn new(
        analysis: &Arc<SaddleAnalysis>,
        system: &System<T>,
        a: &Half<T>,
        dropped: &[bool],
    ) -> Result<Self, AlgebraError> {
        let source = Source::of(analysis, &system.scaling, dropped);
        let made = Numeric::new(analysis, a, &source);
        let numeric = made.map_err(|stop| refused(stop, system.unknowns() + system.constraints()))?;
        Ok(Self { analysis: Arc::clone(analysis), dropped: dropped.to_vec(), numeric, again: None })
    }

    /// Factors the A and G that `system` holds now, in the memory of these factors; false where A is not held by one half.
    pub(super) fn renew(&mut self, system: &System<T>) -> Result<bool, AlgebraError> {
        let Self { analysis, dropped, numeric, again } = self;
        let Stored::Half(a) = &system.a else { return Ok(false) };
        let source = Source::of(analysis, &system.scaling, dropped);
        let again = again.get_or_insert_with(|| Box::new(Workspace::new(&analysis.symbolic)));
        numeric
            .renew(&analysis.symbolic, a, &source, again)
            .map(|()| true)
            .map_err(|stop| refused(stop, system.unknowns() + system.constraints()))
    }
}

impl<T: Number> AugmentedLdl<T> {
    /// The unknown at each place of the order of elimination.
    pub(super) fn order(&self) -> &[u32] {
        &self.analysis.symbolic.order
    }

    /// Adds what G x = g asks of right-hand sides in the order of elimination, `lanes` a row, as [`augment`] does; columns of g, not
    /// scaled, none for zero.
    pub(super) fn ask(&self, system: &System<T>, x: &mut [T], lanes: usize, g: &[&[T]]) {
        let (analysis, scaling) = (&*self.analysis, &system.scaling);
        let weight = analysis.options.augmentation;
        if weight == 0.0 || g.is_empty() {
            return;
        }
        let mut at = 0;
        for (j, &place) in analysis.symbolic.place.iter().enumerate().take(system.unknowns()) {
            for &r in analysis.g_cols.row(j) {
                let r = r as usize;
                if analysis.augmented[r] && !self.dropped[r] {
                    let factor = weight * scaling.by_col[at] * scaling.rows[r];
                    let own = &mut x[place as usize * lanes..];
                    own.iter_mut().zip(g).for_each(|(x, g)| *x += g[r].scaled(factor));
                }
                at += 1;
            }
        }
    }

    /// Solves for right-hand sides in the order of elimination, `lanes` of them, with what they ask of G x in them ([`Self::ask`]).
    pub(super) fn substitute(&self, system: &System<T>, x: &mut [T], lanes: usize) {
        let symbolic = &self.analysis.symbolic;
        let mut front = system.pool.any(symbolic.max_rows * lanes);
        self.numeric.substitute(symbolic, x, &mut front, lanes);
        system.pool.give(front);
    }
}

impl<T: Number> ScaledSolve<T> for AugmentedLdl<T> {
    fn solve(&self, system: &System<T>, b: &mut [T], width: usize, _transposed: bool) -> bool {
        let analysis = &*self.analysis;
        augment(analysis, system, b, width, |r| self.dropped[r]);
        ordered(analysis, system, b, width, |x, lanes| self.substitute(system, x, lanes));
        true
    }

    fn in_order(&self) -> Option<&Self> {
        Some(self)
    }

    fn augmented_ldl(&mut self) -> Option<&mut Self> {
        Some(self)
    }
}

/// What stopped a factorization of `size` rows, told.
pub(super) fn refused(stop: Stop, size: usize) -> AlgebraError {
    match stop {
        Stop::Memory => AlgebraError::OutOfMemory { size },
        Stop::Pattern(col) => SaddleError::PatternChanged { col: col as usize }.into(),
        Stop::NonFinite(row) => SaddleError::NonFinitePivot { row: row as usize }.into(),
    }
}

/// Right-hand sides, as many as are taken at once, brought into the order of elimination, changed and brought back.
pub(super) fn ordered<T: Number>(
    analysis: &SaddleAnalysis,
    system: &System<T>,
    b: &mut [T],
    width: usize,
    substitute: impl Fn(&mut [T], usize),
) {
    let order = &analysis.symbolic.order;
    for from in (0..width).step_by(WIDTH) {
        let part = WIDTH.min(width - from);
        let lanes = padded(part);
        let mut ordered = system.pool.any(order.len() * lanes);
        by_width!(part, w => gather(&mut ordered, lanes, order, &b[from..], width, w));
        substitute(&mut ordered, lanes);
        by_width!(part, w => scatter(&ordered, lanes, order, &mut b[from..], width, w));
        system.pool.give(ordered);
    }
}

/// Rows of `lanes` numbers in the order of elimination: the first `part` of each row of `b`, then zeros.
#[inline(always)]
fn gather<T: Number>(to: &mut [T], lanes: usize, order: &[u32], b: &[T], width: usize, part: usize) {
    for (row, &u) in to.chunks_exact_mut(lanes).zip(order) {
        let at = u as usize * width;
        let (own, rest) = row.split_at_mut(part);
        own.copy_from_slice(&b[at..at + part]);
        rest.fill(T::default());
    }
}

/// The reverse.
#[inline(always)]
fn scatter<T: Number>(from: &[T], lanes: usize, order: &[u32], b: &mut [T], width: usize, part: usize) {
    for (row, &u) in from.chunks_exact(lanes).zip(order) {
        let at = u as usize * width;
        b[at..at + part].copy_from_slice(&row[..part]);
    }
}

/// Adds what A + g G^T G asks of right-hand sides: (A + g G^T G) x + G^T l = f + g G^T (G x).
pub(super) fn augment<T: Number>(
    analysis: &SaddleAnalysis,
    system: &System<T>,
    b: &mut [T],
    width: usize,
    dropped: impl Fn(usize) -> bool,
) {
    let weight = analysis.options.augmentation;
    if weight == 0.0 {
        return;
    }
    let (top, low) = b.split_at_mut(system.unknowns() * width);
    // As a rule nothing is asked of G x.
    if low.iter().all(|l| *l == T::default()) {
        return;
    }
    let mut at = 0;
    for (j, top) in top.chunks_exact_mut(width).enumerate() {
        for &r in analysis.g_cols.row(j) {
            let r = r as usize;
            if analysis.augmented[r] && !dropped(r) {
                let factor = weight * system.scaling.by_col[at];
                let low = &low[r * width..(r + 1) * width];
                top.iter_mut().zip(low).for_each(|(t, l)| *t += l.scaled(factor));
            }
            at += 1;
        }
    }
}
