//! The ladder of methods: factor, try on a known solution, take the next method when that fails.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::augmented_lu::AugmentedLu;
use super::checked::{Checked, ScaledSolve, System, accept};
use super::fallback::Fallback;
use super::half::{Half, Stored};
use super::later::Later;
use super::ldl::AugmentedLdl;
use super::pivots::Summary;
use super::redundant::Dependent;
use super::scaling::{LEAST, Scaling};
use super::single::REFINEMENTS;
use super::{BlockError, FactorReport, Inertia, Method, SaddleAnalysis, SaddleError, SaddleOptions};
use crate::{AlgebraError, Sparse, interrupt};

/// An unknown's pivot below this multiple of the numbers it is the difference of has no certain sign.
const NEAR_SINGULAR: f64 = 1e-13;

/// Growth from which on factors by LU are only good enough when their trial is as good as one can be.
const LARGE_GROWTH: f64 = 1e6;
const STRICT: f64 = 1e-13;
/// Backward error of the trial above which L D L^T without exchanges between blocks gives way to a robust method: refinement has
/// come to a halt far above rounding, and other right-hand sides may fare worse.
const HEALTHY: f64 = 1e-12;

/// Factors of one matrix by the first method that passed its trial, with those behind it for solutions it misses.
#[derive(Debug)]
pub(super) struct Factored<T: Fallback> {
    pub(super) analysis: Arc<SaddleAnalysis>,
    pub(super) options: SaddleOptions,
    pub(super) system: System<T>,
    pub(super) solver: Box<dyn ScaledSolve<T>>,
    pub(super) dependent: Dependent,
    pub(super) later: Later<T>,
    pub(super) inertia: Option<Inertia>,
    pub(super) report: FactorReport,
    /// Whether a solution without refinement has been seen to need it.
    pub(super) spoiled: AtomicBool,
}

/// A method's factors before the trial.
struct Candidate<T: Fallback> {
    solver: Box<dyn ScaledSolve<T>>,
    inertia: Option<Inertia>,
    summary: Summary,
}

impl<T: Fallback> Factored<T> {
    /// Tries the methods from `first` on. `a` and `g` fit the analysis and are finite.
    pub(super) fn new(
        analysis: &Arc<SaddleAnalysis>,
        a: Stored<T>,
        g: Sparse,
        first: Method,
    ) -> Result<Self, AlgebraError> {
        let mut system = System::new(a, g, &analysis.g_cols, &analysis.g_rows);
        let mut dependent = None;
        let mut failed: Vec<(Method, AlgebraError)> = Vec::new();
        let mut options = analysis.options.clone();
        let mut reserve = None;
        let ladder =
            [Method::AugmentedLdl, Method::SingleLdl, Method::ThresholdLdl, Method::AugmentedLu, Method::Lu];
        for method in ladder {
            if method < first.min(Method::Lu) {
                continue;
            }
            interrupt::check();
            let made = match method {
                Method::AugmentedLdl => match &system.a {
                    Stored::Half(a) => {
                        let made = augmented(analysis, &system, a, &mut dependent);
                        match in_even_scales(analysis, &system, made.as_ref().ok(), dependent.as_ref()) {
                            None => made,
                            Some((even, again, found)) => {
                                (system, dependent) = (even, found);
                                Ok(again)
                            }
                        }
                    }
                    Stored::Pair { .. } => continue,
                },
                Method::SingleLdl => match (&system.a, short_of_memory(&failed)) {
                    (Stored::Half(a), Some(short)) => match single(analysis, &system, a) {
                        // What is told is the lack of memory, for double precision.
                        None => return Err(short),
                        Some(made) => {
                            options.max_refinements = REFINEMENTS;
                            made
                        }
                    },
                    _ => continue,
                },
                Method::ThresholdLdl if matches!(system.a, Stored::Pair { .. }) => continue,
                Method::AugmentedLu => augmented_lu(analysis, &system, &mut dependent),
                _ => match robust(method, analysis, &system, &mut dependent) {
                    Some(made) => made,
                    None => continue,
                },
            };
            let tried = made.and_then(|candidate| {
                if method == Method::AugmentedLdl && !options.trial {
                    let (x, l, error) = (Vec::new(), Vec::new(), BlockError::default());
                    return Ok((candidate, Checked { x, l, error, refinements: 0 }));
                }
                let found = trial(&system, &*candidate.solver, &options)?;
                if method == Method::AugmentedLu && candidate.summary.growth > LARGE_GROWTH {
                    // Refinement has mended what it could; exchanges over the whole matrix give more.
                    return accept(Some(found), STRICT.min(options.tolerance))
                        .map(|found| (candidate, found));
                }
                Ok((candidate, found))
            });
            match tried {
                Ok((candidate, found)) if method == Method::AugmentedLdl && found.error.worst() > HEALTHY => {
                    let BlockError { displacement, constraint } = found.error;
                    let error =
                        SaddleError::ResidualTooLarge { displacement, constraint, tolerance: HEALTHY };
                    failed.push((method, error.into()));
                    reserve = Some((candidate, found, dependent.clone()));
                }
                Ok((candidate, found)) => {
                    return Ok(Self::finish(
                        analysis, system, options, method, failed, candidate, &found, dependent,
                    ));
                }
                Err(error) if matches!(method, Method::AugmentedLdl) && is_memory(&error) => {
                    failed.push((method, error));
                }
                Err(error) if is_final(&error) => return Err(error),
                Err(error) => failed.push((method, error)),
            }
            // The robust methods need more memory, not less.
            if let (Method::SingleLdl, Some(short)) = (method, short_of_memory(&failed)) {
                return Err(short);
            }
            if failed.iter().any(|(method, e)| is_singular(*method, e)) {
                break;
            }
        }
        if let Some((candidate, found, dependent)) = reserve {
            let method = Method::AugmentedLdl;
            failed.retain(|(other, _)| *other != method);
            return Ok(Self::finish(analysis, system, options, method, failed, candidate, &found, dependent));
        }
        let singular = failed.iter().find_map(|(_, error)| match error {
            AlgebraError::Saddle(SaddleError::Singular { .. }) => Some(error.clone()),
            _ => None,
        });
        Err(singular.unwrap_or_else(|| SaddleError::AllMethodsFailed { attempts: failed }.into()))
    }

    #[expect(clippy::too_many_arguments, reason = "what the ladder has gathered")]
    fn finish(
        analysis: &Arc<SaddleAnalysis>,
        system: System<T>,
        options: SaddleOptions,
        method: Method,
        failed: Vec<(Method, AlgebraError)>,
        candidate: Candidate<T>,
        trial: &Checked<T>,
        dependent: Option<Dependent>,
    ) -> Self {
        let dependent = dependent.unwrap_or_else(|| Dependent::none(system.constraints()));
        let report = report(analysis, method, failed, &candidate.summary, trial, &dependent);
        let later = Later::behind(method, matches!(system.a, Stored::Half(_)));
        let Candidate { solver, inertia, .. } = candidate;
        let (analysis, spoiled) = (Arc::clone(analysis), AtomicBool::new(false));
        Self { analysis, options, system, solver, dependent, later, inertia, report, spoiled }
    }

    /// The furthest method that a solution had to take because those before it missed its residual.
    pub(super) fn later_method(&self) -> Option<Method> {
        self.later.used()
    }

    /// Solves for `width` right-hand sides, row by row, with the transposed matrix on demand; `g` empty for zero.
    pub(super) fn solve(
        &self,
        f: &[T],
        g: &[T],
        width: usize,
        transposed: bool,
    ) -> Result<Checked<T>, AlgebraError> {
        let (system, options) = (&self.system, &self.options);
        let found = system.solve(&*self.solver, options, f, g, width, transposed);
        let mut found = match accept(found, options.tolerance) {
            Ok(found) => found,
            Err(error) => {
                if let Some((row, residual)) = self.dependent.contradiction(g, options.tolerance) {
                    return Err(SaddleError::Inconsistent { row, residual }.into());
                }
                if !options.trial {
                    return Err(error);
                }
                let (analysis, dropped) = (&self.analysis, &self.dependent.dropped);
                let found = self.later.solve(analysis, system, options, dropped, (f, g), width, transposed);
                found.ok_or(error)?
            }
        };
        self.dependent.minimize(&mut found.l, width);
        Ok(found)
    }

    /// One right-hand side; checks its lengths and that it is finite.
    pub(super) fn solve_one(&self, f: &[T], g: &[T]) -> Result<(Vec<T>, Vec<T>), AlgebraError> {
        self.checked_one(f, g).map(|found| (found.x, found.l))
    }

    pub(super) fn checked_one(&self, f: &[T], g: &[T]) -> Result<Checked<T>, AlgebraError> {
        assert_eq!(f.len(), self.system.unknowns(), "saddle-point solve: right-hand side of wrong length");
        assert_eq!(g.len(), self.system.constraints(), "saddle-point solve: right-hand side of wrong length");
        let bad = f.iter().chain(g).position(|x| !x.size().is_finite());
        if let Some(row) = bad {
            return Err(AlgebraError::NonFinite { row, col: 0 });
        }
        self.solve(f, g, 1, false)
    }
}

/// Whether the matrix is singular beyond doubt.
fn is_singular(method: Method, error: &AlgebraError) -> bool {
    match error {
        AlgebraError::Saddle(SaddleError::SingularThreshold) => true,
        AlgebraError::Saddle(SaddleError::Singular { .. }) => method == Method::AugmentedLu,
        _ => false,
    }
}

/// Ratio of scales from which on rows may look parallel for it.
const UNEVEN: f64 = 1e3;

/// The factors in even scales, where fewer rows depend on others there or are in doubt.
fn in_even_scales<T: Fallback>(
    analysis: &Arc<SaddleAnalysis>,
    system: &System<T>,
    made: Option<&Candidate<T>>,
    dependent: Option<&Dependent>,
) -> Option<(System<T>, Candidate<T>, Option<Dependent>)> {
    let (made, dependent) = (made?, dependent?);
    if system.scaling.spread(&analysis.g_cols) < UNEVEN {
        return None;
    }
    let even = Scaling::new(&system.a, &system.g, &analysis.g_cols, &analysis.g_rows, LEAST);
    let even = System::with_scaling(system.a.clone(), system.g.clone(), even);
    let Stored::Half(a) = &even.a else { return None };
    let mut found = None;
    let again = augmented(analysis, &even, a, &mut found).ok()?;
    let n = system.unknowns();
    let doubts = |c: &Candidate<T>| c.summary.doubtful.iter().filter(|(u, _)| *u as usize >= n).count();
    let rows = found.as_ref().map_or(0, |d| d.rows.len());
    let better = match rows.cmp(&dependent.rows.len()) {
        Ordering::Less => true,
        Ordering::Equal => doubts(&again) < doubts(made) && again.inertia.is_some() >= made.inertia.is_some(),
        Ordering::Greater => false,
    };
    better.then_some((even, again, found))
}

/// Whether memory is what is short.
fn is_memory(error: &AlgebraError) -> bool {
    matches!(error, AlgebraError::Saddle(SaddleError::OutOfMemory { .. }))
}

/// The lack of memory that the first method met.
fn short_of_memory(failed: &[(Method, AlgebraError)]) -> Option<AlgebraError> {
    failed.iter().map(|(_, error)| error).find(|error| is_memory(error)).cloned()
}

/// Factors in single precision, where there is memory for them; `None` where there is not.
fn single<T: Fallback>(
    analysis: &Arc<SaddleAnalysis>,
    system: &System<T>,
    a: &Half<T>,
) -> Option<Result<Candidate<T>, AlgebraError>> {
    analysis.check_memory(size_of::<f32>()).ok()?;
    let made = T::single(analysis, system, a)?;
    Some(made.map(|solver| Candidate { solver, inertia: None, summary: Summary::default() }))
}

/// Errors that another method would not mend.
fn is_final(error: &AlgebraError) -> bool {
    matches!(
        error,
        AlgebraError::Saddle(SaddleError::OutOfMemory { .. } | SaddleError::PatternChanged { .. })
    )
}

fn augmented<T: Fallback>(
    analysis: &Arc<SaddleAnalysis>,
    system: &System<T>,
    a: &Half<T>,
    dependent: &mut Option<Dependent>,
) -> Result<Candidate<T>, AlgebraError> {
    analysis.check_memory(size_of::<T>())?;
    let n = system.unknowns();
    let mut dropped = vec![false; system.constraints()];
    let mut ldl = AugmentedLdl::new(analysis, system, a, &dropped)?;
    let suspect = |s: &Summary| !s.null.is_empty() || s.doubtful.iter().any(|(u, _)| *u as usize >= n);
    if suspect(&ldl.numeric.pivots.summary) {
        let found = Dependent::find(analysis, &system.g, &system.scaling)?;
        let null = &ldl.numeric.pivots.summary.null;
        let same = null.len() == found.rows.len() && null.iter().all(|&u| found.dropped[u as usize - n]);
        dropped.clone_from(&found.dropped);
        *dependent = Some(found);
        if !same || !ldl.numeric.pivots.summary.weak.is_empty() {
            drop(ldl);
            ldl = AugmentedLdl::new(analysis, system, a, &dropped)?;
        }
    }
    let summary = ldl.numeric.pivots.summary.clone();
    if let Some(&unknown) = summary.singular.first() {
        return Err(SaddleError::Singular { unknown: unknown as usize }.into());
    }
    // A row that is null now depends on others only through A: the matrix is singular.
    let lost = summary.null.iter().find(|&&u| !dropped[u as usize - n]);
    if let Some(&row) = lost {
        return Err(SaddleError::LostPivot { row: row as usize }.into());
    }
    let certain = summary.weak.is_empty() && near_singular(&summary, n).next().is_none();
    let inertia = certain_inertia(&summary, system.constraints()).filter(|_| certain);
    Ok(Candidate { solver: Box::new(ldl), inertia, summary })
}

/// The inertia that the pivots show, where it is possible with that many rows of G.
pub(super) fn certain_inertia(summary: &Summary, constraints: usize) -> Option<Inertia> {
    let zero = summary.null.len();
    let inertia = Inertia { positive: summary.positive - summary.negative, negative: summary.negative, zero };
    let independent = constraints - zero;
    (inertia.positive >= independent && inertia.negative >= independent).then_some(inertia)
}

/// LU on the fronts: twice the memory, dependent rows as in [`augmented`].
fn augmented_lu<T: Fallback>(
    analysis: &Arc<SaddleAnalysis>,
    system: &System<T>,
    dependent: &mut Option<Dependent>,
) -> Result<Candidate<T>, AlgebraError> {
    analysis.check_memory(2 * size_of::<T>())?;
    let n = system.unknowns();
    let mut dropped =
        dependent.as_ref().map_or_else(|| vec![false; system.constraints()], |d| d.dropped.clone());
    let mut lu = AugmentedLu::new(analysis, system, &dropped)?;
    let suspect = |s: &Summary| {
        s.growth > LARGE_GROWTH
            || s.weak.iter().any(|u| *u as usize >= n)
            || s.doubtful.iter().any(|(u, _)| *u as usize >= n)
    };
    if dependent.is_none() && suspect(&lu.numeric.summary) {
        let found = Dependent::find(analysis, &system.g, &system.scaling)?;
        if found.dropped != dropped {
            dropped.clone_from(&found.dropped);
            drop(lu);
            lu = AugmentedLu::new(analysis, system, &dropped)?;
        }
        *dependent = Some(found);
    }
    let summary = lu.numeric.summary.clone();
    if let (Some(&unknown), true) = (summary.singular.first(), summary.growth <= LARGE_GROWTH) {
        return Err(SaddleError::Singular { unknown: unknown as usize }.into());
    }
    Ok(Candidate { solver: Box::new(lu), inertia: None, summary })
}

pub(super) fn near_singular(summary: &Summary, n: usize) -> impl Iterator<Item = (usize, f64)> {
    let small =
        summary.doubtful.iter().filter(move |(u, ratio)| (*u as usize) < n && *ratio <= NEAR_SINGULAR);
    small.map(|&(u, ratio)| (u as usize, ratio))
}

fn robust<T: Fallback>(
    method: Method,
    analysis: &Arc<SaddleAnalysis>,
    system: &System<T>,
    dependent: &mut Option<Dependent>,
) -> Option<Result<Candidate<T>, AlgebraError>> {
    if dependent.is_none() {
        match Dependent::find(analysis, &system.g, &system.scaling) {
            Ok(found) => *dependent = Some(found),
            Err(error) => return Some(Err(error)),
        }
    }
    let dropped = dependent.as_ref().map_or(&[][..], |d| &d.dropped);
    let made = T::robust(method, system, dropped)?;
    Some(made.map(|(solver, inertia)| Candidate { solver, inertia, summary: Summary::default() }))
}

/// Solves for a known solution whose entries differ, so that errors cannot cancel.
pub(super) fn trial<T: Fallback>(
    system: &System<T>,
    solver: &dyn ScaledSolve<T>,
    options: &SaddleOptions,
) -> Result<Checked<T>, AlgebraError> {
    let known = |scale: &[f64], sign: f64| -> Vec<T> {
        let size = |i: usize| sign * (1.0 + (i % 7) as f64 / 8.0);
        scale.iter().enumerate().map(|(i, s)| T::from_real(s * size(i))).collect()
    };
    let (x, l) = (known(&system.scaling.unknowns, -1.0), known(&system.scaling.rows, -1.0));
    let (mut f, mut g) = (vec![T::default(); x.len()], vec![T::default(); l.len()]);
    let mut found = None;
    for transposed in [true, false] {
        // Where A is symmetric one way is the other.
        if transposed && !matches!(system.a, Stored::Pair { .. }) {
            continue;
        }
        f.fill(T::default());
        g.fill(T::default());
        system.subtract(&x, &l, &mut f, &mut g, 1, transposed);
        found = Some(accept(system.solve(solver, options, &f, &g, 1, transposed), options.tolerance)?);
    }
    found.map_or_else(|| accept(None, options.tolerance), Ok)
}

fn report<T: Fallback>(
    analysis: &SaddleAnalysis,
    method: Method,
    failed: Vec<(Method, AlgebraError)>,
    summary: &Summary,
    trial: &Checked<T>,
    dependent: &Dependent,
) -> FactorReport {
    let entries = match method {
        Method::AugmentedLdl | Method::SingleLdl => Some(analysis.symbolic.panel_entries),
        Method::AugmentedLu => Some(2 * analysis.symbolic.panel_entries),
        Method::ThresholdLdl | Method::Lu | Method::DenseLu | Method::Shortest => None,
    };
    FactorReport {
        method,
        failed,
        factor_nonzeros: entries,
        fill: entries.map(|e| e as f64 / analysis.entries.max(1) as f64),
        trial: trial.error,
        trial_refinements: trial.refinements,
        redundant: dependent.rows.clone(),
        minimum_norm: dependent.minimum_norm(),
        near_singular: near_singular(summary, analysis.unknowns).collect(),
        replaced_pivots: summary.weak.len(),
        pivot_pairs: summary.pairs,
        growth: summary.growth,
    }
}

#[cfg(test)]
mod tests;
