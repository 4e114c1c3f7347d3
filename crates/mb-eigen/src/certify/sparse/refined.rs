//! Eigenpairs with poor error bounds, refined in double-double precision and certified again.
//!
//! Together where they are the nearest to a shift whose factors are available, else, and where that does not
//! converge, one by one (in double-double precision). A refined eigenpair is accepted when its bound is narrower and lies within the old one.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use mb_algebra::{Dense, c64, interrupt, norms};
use rayon::prelude::*;

use super::batch::Group;
use super::{Certifier, apply};
use crate::finding::SparseFinding;
use crate::numeric::double_double::{forms_of_rows, sizes_of_forms};
use crate::numeric::vectors::abs;
use crate::pairing::mac;
use crate::problem::Problem;
use crate::problem::condensation::Merged;
use crate::problem::matrix::Matrix;
use crate::problem::uncertified::Uncertified;
use crate::refine;
use crate::refine::{Doubled, Given, Improved};
use crate::transform::factors::Shifted;
use crate::{Eigenpair, Finding, Shape, tuning};

/// Numbers in the vectors of all eigenpairs from which on cores share them out.
const SHARED: usize = 200_000;

/// What the search for the eigenpairs leaves for the refinement of those with poor bounds.
#[derive(Default)]
pub(crate) enum Aid {
    #[default]
    Nothing,
    /// Factors at a shift that the eigenpairs are the nearest to.
    Factors(Shifted),
    /// The same of a problem in fewer coordinates.
    Merged(Arc<Merged>, Shifted),
    /// Eigenpairs that were improved while there were such factors, by the s they had before; those of equal s in the order of the
    /// eigenvalues that they were made of.
    Improved(Vec<(c64, Improved)>),
    /// An interrupt: eigenpairs are measured as they are.
    Interrupted,
}

impl Aid {
    /// Factors of the problem with a shift, where there are some.
    pub(crate) fn factors(self, problem: &Problem<'_>) -> Option<Shifted> {
        match self {
            Self::Factors(near) => Some(near),
            Self::Merged(merged, near) => Some(merged.unfold_factors(problem, near)),
            Self::Nothing | Self::Improved(_) | Self::Interrupted => None,
        }
    }

    /// What is known of each eigenvalue.
    fn of(&mut self, uncertified: &[Uncertified]) -> Vec<Option<Improved>> {
        let Self::Improved(list) = self else { return uncertified.iter().map(|_| None).collect() };
        // Two of a double eigenvalue may have the same s to the last bit: each takes its own, as the order stays.
        let mut left: Vec<_> = std::mem::take(list).into_iter().map(Some).collect();
        let mut take = |approx: &Uncertified| {
            let of_it = |one: &&mut Option<(c64, Improved)>| matches!(one, Some((s, _)) if *s == approx.s);
            Some(left.iter_mut().find(of_it)?.take()?.1)
        };
        uncertified.iter().map(&mut take).collect()
    }
}

/// An eigenvalue measured without double-double precision.
pub(crate) struct First {
    pub(crate) pair: Eigenpair,
    /// What else there is to know of the eigenvalue, where double-double precision is made for its kind; no vectors.
    pub(crate) again: Option<Uncertified>,
    /// Whether the bound is poor.
    pub(crate) poor: bool,
}

/// The results of all, from all cores where there is enough to do.
fn each<A: Send, B: Send>(all: Vec<A>, shared: bool, of: impl Fn(A) -> B + Sync + Send) -> Vec<B> {
    if !shared {
        return all.into_iter().map(of).collect();
    }
    let scope = interrupt::scope_here();
    all.into_par_iter().map(|one| scope.enter(|| of(one))).collect()
}

impl Certifier<'_> {
    /// Measures all eigenvalues, and again those that double-double precision improves.
    pub(super) fn eigenpairs(&self, uncertified: Vec<Uncertified>, mut aid: Aid) -> Vec<Eigenpair> {
        let better = aid.of(&uncertified);
        let first = self.measured_once(uncertified);
        if matches!(aid, Aid::Interrupted) {
            return first.into_iter().map(|first| first.pair).collect();
        }
        self.improved_all(first, better, aid)
    }

    /// Eigenvalues as they are.
    pub(crate) fn measured_once(&self, uncertified: Vec<Uncertified>) -> Vec<First> {
        let shared = self.problem.n * uncertified.len() >= SHARED;
        let first = each(self.groups(uncertified), shared, |group| self.first(group));
        first.into_iter().flatten().collect()
    }

    /// The eigenpairs, those better that double-double precision improves.
    pub(crate) fn improved_each(&self, first: Vec<First>) -> Vec<Eigenpair> {
        let better = first.iter().map(|_| None).collect();
        self.improved_all(first, better, Aid::Nothing)
    }

    fn improved_all(&self, first: Vec<First>, mut better: Vec<Option<Improved>>, aid: Aid) -> Vec<Eigenpair> {
        // Each refinement has factors of its own: large ones are made one after another.
        let side_by_side = !first.iter().any(|first| first.poor) || self.problem.has_small_factors();
        let shared = self.problem.n * first.len() >= SHARED && side_by_side;
        // Converged eigenpairs are only deflated. What is left out must be further from the shift.
        let poor: Vec<bool> = first.iter().map(|first| first.poor).collect();
        // Eigenpairs worth double-double precision from which on they are improved together.
        let several = poor.iter().filter(|poor| **poor).count() >= tuning::NARROW.min(first.len());
        let whole = poor.contains(&true) && several && first.iter().all(|first| first.again.is_some());
        // What is available is taken for all of them: modes of nearly equal w have been distinguished together.
        let reused = matches!(aid, Aid::Improved(_));
        let mut merged = None;
        if whole {
            let given: Vec<Given<'_>> = first.iter().map(|first| Given::of(&first.pair)).collect();
            let (problem, enough) = (self.problem, tuning::SOLVE_ROUNDINGS);
            match aid {
                Aid::Factors(near) => {
                    let together = || refine::refine_together(problem, &near, &given, &poor, enough);
                    better = self.unless_interrupted(together).unwrap_or(better);
                }
                Aid::Merged(of, near) => {
                    let together = || of.improve(problem, &near, &given, &poor, enough);
                    better = self.unless_interrupted(together).unwrap_or(better);
                    merged = Some(of);
                }
                Aid::Nothing | Aid::Improved(_) | Aid::Interrupted => {}
            }
        }
        let found = |(mut first, found): (First, Option<Improved>)| {
            first.poor |= reused && first.again.is_some() && found.as_ref().is_some_and(|found| found.enough);
            (first, found)
        };
        let mut all = first.into_iter().zip(better).map(found);
        let most = if merged.is_some() { tuning::NARROW } else { 1 };
        let mut groups = Vec::new();
        loop {
            let group: Vec<_> = all.by_ref().take(most).collect();
            if group.is_empty() {
                break;
            }
            groups.push(group);
        }
        let pairs = each(groups, shared, |group| {
            let (first, found): (Vec<First>, Vec<Option<Improved>>) = group.into_iter().unzip();
            let found = self.in_all_coordinates(merged.as_deref(), found);
            let pair = |(first, found)| self.improved(first, found);
            first.into_iter().zip(found).map(pair).collect::<Vec<_>>()
        });
        pairs.into_iter().flatten().collect()
    }

    /// Eigenpairs improved in fewer coordinates, or in all of them, with word whether they need no further steps.
    fn in_all_coordinates(
        &self,
        merged: Option<&Merged>,
        found: Vec<Option<Improved>>,
    ) -> Vec<Option<(Doubled, bool)>> {
        let Some(merged) = merged else {
            return found.into_iter().map(|found| found.map(Improved::alone)).collect();
        };
        let there: Vec<&Improved> = found.iter().flatten().collect();
        let mut whole = Vec::new().into_iter();
        if !there.is_empty() {
            whole = merged.whole(self.problem, self.reactions(), &there).into_iter();
        }
        found
            .iter()
            .map(|found| found.as_ref().and_then(|found| Some((whole.next()?, found.enough))))
            .collect()
    }

    /// Some eigenvalues as they are.
    fn first(&self, uncertified: Group) -> Vec<First> {
        let again = |approx: &Uncertified| {
            let plain = approx.left.is_none() && self.problem.symmetric && !approx.rigid && approx.chain == 1;
            plain.then(|| Uncertified {
                right: Shape::default(),
                multipliers: Shape::default(),
                left: None,
                ..*approx
            })
        };
        let again: Vec<_> = uncertified.iter().map(again).collect();
        let pairs = self.measured_side_by_side(uncertified);
        let first = |(pair, again): (Eigenpair, Option<Uncertified>)| {
            let size = pair.value().map_or(0.0, c64::norm);
            let again = again.filter(|_| size > 0.0);
            // Bound relative to |s| above which an eigenpair is worth double-double precision.
            First { poor: again.is_some() && pair.error_bound > tuning::SQRT_EPS * size, pair, again }
        };
        pairs.into_iter().zip(again).map(first).collect()
    }

    /// Which modes of an undamped symmetric problem (M-orthonormal columns of x, one for each w, in increasing order) are poor by
    /// rounding alone.
    pub(crate) fn poor_by_rounding(&self, w: &[f64], x: &Dense) -> Vec<bool> {
        let mut poor = Vec::with_capacity(w.len());
        for (at, w) in w.chunks(tuning::WIDTH).enumerate() {
            let packed = |i: usize| -> [f64; tuning::WIDTH] {
                std::array::from_fn(|k| if k < w.len() { x[(i, at * tuning::WIDTH + k)] } else { 0.0 })
            };
            let packed: Vec<_> = (0..x.nrows()).map(packed).collect();
            let terms = sizes_of_forms(self.problem.k.sparse(), &packed);
            poor.extend(
                // Share of that bound which rounding alone must make for an eigenpair to be improved before it is measured.
                w.iter()
                    .zip(terms)
                    .map(|(w, terms)| self.rounding * terms > tuning::MAINLY * tuning::SQRT_EPS * w.abs()),
            );
            // Slower ones come first.
            if !poor.iter().rev().take(w.len()).any(|poor| *poor) {
                break;
            }
        }
        poor.resize(w.len(), false);
        poor
    }

    /// The eigenpair with a smaller bound from double-double precision, where it has few digits; `found` together with
    /// others, and whether that needs no further steps.
    fn improved(&self, first: First, found: Option<(Doubled, bool)>) -> Eigenpair {
        let First { pair, again, poor } = first;
        let Some(again) = again.filter(|_| poor) else { return pair };
        // The same eigenvalue with other vectors.
        let approx = |s, right, multipliers| Uncertified { s, right, multipliers, ..again.clone() };
        let before = pair.alpha / pair.beta;
        let refined = |s, x: &Shape, l: &Shape| {
            self.unless_interrupted(|| refine::refine(self.problem, &approx(s, x.clone(), l.clone())))
                .flatten()
        };
        let found = match found {
            Some((found, true)) => Some(found),
            Some((found, false)) => refined(found.s, &found.x, &found.l).or(Some(found)),
            None => refined(before, &pair.right, &pair.multipliers),
        };
        let Some(mut found) = found else { return pair };
        let (s, moved) = (found.s, (found.s - before).norm());
        let (right, multipliers) = (std::mem::take(&mut found.x), std::mem::take(&mut found.l));
        let mut better = self.measured(approx(s, right, multipliers), Some(&found));
        // The bound of a start without digits may reach other eigenvalues, whose damping makes them no less near.
        // |cos|^2 between the vectors of a damped eigenpair before and after, below which it has become another one.
        let along = self.problem.undamped() || mac(&pair.right, &better.right) > tuning::MAINLY;
        let same = (s.im > 0.0) == (before.im > 0.0) && moved <= pair.error_bound && along;
        if !same || better.error_bound >= pair.error_bound {
            return pair;
        }
        self.feel(s, &mut better);
        better
    }

    /// Notes what rounding of the entries of K (and C) could do to an eigenpair, where that is more than its bound.
    ///
    /// Where more is known of K than its entries, and these leave the eigenpair fewer than two digits, it is part of the bound.
    pub(super) fn feel(&self, s: c64, pair: &mut Eigenpair) {
        let (p, size, bar, x) = (self.problem, s.norm(), pair.error_bound, &pair.right);
        if p.c.is_zero() && p.rounded_stiffness().is_some() {
            return;
        }
        let real = p.c.is_zero() && x.is_real();
        let (terms, d) = if real { self.felt_real(s, x) } else { self.felt_complex(s, x, pair) };
        let up_to = 0.5 * f64::EPSILON * terms / d;
        if p.knows_zeros() && up_to > tuning::MINOR * size {
            pair.error_bound += up_to;
        }
        let mut felt = self.felt.lock().unwrap_or_else(PoisonError::into_inner);
        if up_to > bar && felt.is_none_or(|(s, before)| up_to / size > before / s) {
            *felt = Some((size, up_to));
        }
    }

    /// |x|^T |K| |x| and |2 s x^T M x|.
    fn felt_real(&self, s: c64, x: &Shape) -> (f64, f64) {
        let x: Vec<[f64; 1]> = x.real_parts().iter().map(|x| [*x]).collect();
        let ([terms], [mass]) =
            (sizes_of_forms(self.problem.k.sparse(), &x), forms_of_rows(self.problem.m.sparse(), &x));
        (terms, 2.0 * s.norm() * mass.abs())
    }

    /// |x|^T (|K| + |s| |C|) |x|, of K that is not known in parts, and |x^T (2 s M + C) x|.
    fn felt_complex(&self, s: c64, x: &[c64], pair: &Eigenpair) -> (f64, f64) {
        let p = self.problem;
        let sizes: Vec<f64> = x.iter().map(|x| abs(*x)).collect();
        let terms = |a: &Matrix| sizes.iter().zip(a.magnitude(&sizes)).map(|(a, b)| a * b).sum::<f64>();
        let form = |a: &Matrix| x.iter().zip(apply(a, x)).map(|(x, y)| x * y).sum::<c64>();
        // The left vector stands over |x^T (2 s M + C) x| where that is not zero.
        let left = norms::two_complex(&pair.left);
        let d = if left > 0.0 && pair.condition.is_finite() {
            norms::two(&sizes).powi(2) / left
        } else {
            (s * form(&p.m) * 2.0 + form(&p.c)).norm()
        };
        // What rounding did to K that is known in parts is in the bound.
        let stiffness = if p.rounded_stiffness().is_some() { 0.0 } else { terms(&p.k) };
        (stiffness + s.norm() * terms(&p.c), d)
    }

    /// A refinement, which eigenpairs can do without.
    pub(crate) fn unless_interrupted<T>(&self, refinement: impl FnOnce() -> T) -> Option<T> {
        interrupt::optional(refinement).map_err(|why| self.ended.get_or_init(|| why)).ok()
    }

    /// What there is to say in addition to the eigenpairs.
    pub(crate) fn findings(&self) -> impl Iterator<Item = Finding> {
        let felt = *self.felt.lock().unwrap_or_else(PoisonError::into_inner);
        let rounded = felt.map(|(s, up_to)| SparseFinding::RoundedStiffness { s, up_to }.into());
        let ended = self.ended.get();
        let ended = ended.map(|why| SparseFinding::RefinementEnded { reason: why.to_string() }.into());
        rounded.into_iter().chain(ended)
    }

    /// Eigenvalues that the search found twice, as the two of a conjugate pair: a count of the pair as two is none.
    pub(crate) fn found_twice(&self) -> usize {
        self.real.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An oscillation along one of two axes.
    fn along(w: f64, axis: usize) -> (c64, Shape) {
        let x = (0..2).map(|i| if i == axis { 1.0 } else { 0.0 }).collect();
        (c64::new(0.0, w), Shape::of_real(x))
    }

    #[test]
    fn two_of_a_double_eigenvalue_take_their_own_vectors() {
        let modes = [along(1.0, 0), along(2.0, 0), along(2.0, 1)];
        let improved = |(s, x): &(c64, Shape)| {
            let pair = Doubled { x: x.clone(), l: Shape::default(), s: *s, residual: Shape::default() };
            (*s, Improved { pair, low: Vec::new(), enough: true })
        };
        let uncertified =
            modes.clone().map(|(s, x)| Uncertified::oscillating(s, x, Shape::default())).to_vec();
        let taken = Aid::Improved(modes.iter().map(improved).collect()).of(&uncertified);
        for (approx, taken) in uncertified.iter().zip(taken) {
            assert_eq!(taken.map(|one| one.pair.x), Some(approx.right.clone()));
        }
    }
}
