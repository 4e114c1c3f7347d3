//! The augmented L D L^T as a solver of the scaled system.

use std::sync::Arc;

use super::assembly::Source;
use super::block_passes::by_width;
use super::kernel::padded;
use super::number::Number;
use super::numeric::{Numeric, Stop, Workspace};
use super::refined_solve::{ScaledSolve, System};
use super::substitute::backward_all;
use super::symbolic::Symbolic;
use super::symmetric_storage::{Half, Stored};
use super::tuning;
use super::{SaddleAnalysis, SaddleError, delayed};
use mb_algebra::AlgebraError;

/// Factors of S [A + g G^T G, G^T; G, 0] S without the rows of G in `dropped`.
#[derive(Clone, Debug)]
pub(super) struct AugmentedLdl<T> {
    analysis: Arc<SaddleAnalysis>,
    dropped: Vec<bool>,
    pub(super) numeric: Numeric<T>,
    /// The structure of the factors where pivots may have been delayed; elsewhere that of the analysis.
    reordered: Option<Box<Symbolic>>,
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
        let made = Numeric::new(analysis, a, &source).map(|numeric| (numeric, None));
        Self::of(analysis, system, dropped, made)
    }

    /// The same by threshold pivoting, with pivots delayed ([`delayed`]).
    pub(super) fn delayed(
        analysis: &Arc<SaddleAnalysis>,
        system: &System<T>,
        a: &Half<T>,
        dropped: &[bool],
    ) -> Result<Self, AlgebraError> {
        let source = Source::of(analysis, &system.scaling, dropped);
        let made = delayed::factor(analysis, a, &source, analysis.options.threshold);
        let made = made.map(|found| (found.numeric, Some(Box::new(found.symbolic))));
        Self::of(analysis, system, dropped, made)
    }

    fn of(
        analysis: &Arc<SaddleAnalysis>,
        system: &System<T>,
        dropped: &[bool],
        made: Result<(Numeric<T>, Option<Box<Symbolic>>), Stop>,
    ) -> Result<Self, AlgebraError> {
        let refuse = |stop| refused(stop, system.unknowns() + system.constraints());
        let (numeric, reordered) = made.map_err(refuse)?;
        let (analysis, dropped) = (Arc::clone(analysis), dropped.to_vec());
        Ok(Self { analysis, dropped, numeric, reordered, again: None })
    }

    /// Factors the A and G that `system` holds now, in the memory of these factors; false where A is not held by one half, and where
    /// pivots are to be delayed.
    pub(super) fn renew(&mut self, system: &System<T>) -> Result<bool, AlgebraError> {
        let Self { analysis, dropped, numeric, reordered, again } = self;
        let Stored::Half(a) = &system.a else { return Ok(false) };
        if reordered.is_some() {
            return Ok(false);
        }
        let source = Source::of(analysis, &system.scaling, dropped);
        let again = again.get_or_insert_with(|| Box::new(Workspace::new(&analysis.symbolic)));
        match numeric.renew(&analysis.symbolic, a, &source, again) {
            Ok(()) => Ok(true),
            Err(Stop::Lost(_)) => Ok(false),
            Err(stop) => Err(refused(stop, system.unknowns() + system.constraints())),
        }
    }
}

impl<T: Number> AugmentedLdl<T> {
    /// The unknown at each place of the order of elimination.
    pub(super) fn order(&self) -> &[u32] {
        &self.symbolic().order
    }

    /// The structure of the factors.
    pub(super) fn symbolic(&self) -> &Symbolic {
        self.reordered.as_deref().unwrap_or(&self.analysis.symbolic)
    }

    /// The unknown that moves most in the null vector of a null pivot, that of `row`, of factors with delayed pivots; `None` where
    /// multipliers alone make it up, and for other factors.
    ///
    /// S P^T L^-T e_k = P^T L D e_k = 0 for a zero d_k.
    pub(super) fn moves_freely(&self, system: &System<T>, row: u32) -> Option<usize> {
        let symbolic = self.reordered.as_deref()?;
        let mut x = vec![T::default(); symbolic.order.len()];
        x[symbolic.place[row as usize] as usize] = T::UNIT;
        let mut front = vec![T::default(); symbolic.max_rows];
        backward_all(symbolic, &self.numeric.panels, None, &mut x, &mut front, 1);
        let (mut most, mut found, mut whole) = (0.0, None, 0.0_f64);
        for (x, &u) in x.iter().zip(&symbolic.order) {
            let size = x.size();
            whole = whole.max(size);
            if (u as usize) < system.unknowns() && size > most {
                (most, found) = (size, Some(u as usize));
            }
        }
        // Part of a null vector that counts as rounding.
        found.filter(|_| most > tuning::HALF_THE_DIGITS * whole)
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
        for (j, &place) in self.symbolic().place.iter().enumerate().take(system.unknowns()) {
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
        let symbolic = self.symbolic();
        let mut front = system.pool.any(symbolic.max_rows * lanes);
        self.numeric.substitute(symbolic, x, &mut front, lanes);
        system.pool.give(front);
    }
}

impl<T: Number> ScaledSolve<T> for AugmentedLdl<T> {
    fn solve(&self, system: &System<T>, b: &mut [T], width: usize, _transposed: bool) -> bool {
        let analysis = &*self.analysis;
        augment(analysis, system, b, width, |r| self.dropped[r]);
        ordered(self.order(), system, b, width, |x, lanes| self.substitute(system, x, lanes));
        true
    }

    fn in_order(&self) -> Option<&Self> {
        Some(self)
    }

    fn augmented_ldl(&mut self) -> Option<&mut Self> {
        Some(self)
    }
}

/// What stopped a factorization of `size` rows, as an error.
pub(super) fn refused(stop: Stop, size: usize) -> AlgebraError {
    match stop {
        Stop::Memory => AlgebraError::OutOfMemory { size },
        Stop::Pattern(col) => SaddleError::PatternChanged { col: col as usize }.into(),
        Stop::Lost(row) => SaddleError::LostPivot { row: row as usize }.into(),
        Stop::NonFinite(row) => SaddleError::NonFinitePivot { row: row as usize }.into(),
    }
}

/// Right-hand sides, as many as are taken at once, brought into the order of elimination, changed and brought back.
pub(super) fn ordered<T: Number>(
    order: &[u32],
    system: &System<T>,
    b: &mut [T],
    width: usize,
    substitute: impl Fn(&mut [T], usize),
) {
    for from in (0..width).step_by(tuning::WIDTH) {
        let part = tuning::WIDTH.min(width - from);
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
