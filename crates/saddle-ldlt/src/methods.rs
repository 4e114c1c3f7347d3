//! Factors of one matrix: made, tried on a known solution, and by another method when that fails.
//!
//! Symmetric matrices: L D L^T with pivoting restricted to the front; in single precision, where memory is short; with delayed
//! pivots, which always ends. Unsymmetric matrices: L U with pivoting restricted to the front, and over the whole matrix.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::augmented_lu::AugmentedLu;
use super::fallback::Fallback;
use super::ldl::AugmentedLdl;
use super::pivots::Summary;
use super::redundant::Dependent;
use super::refined_solve::{Checked, ScaledSolve, System, accept};
use super::single_precision::REFINEMENTS;
use super::solve_fallback::Later;
use super::symmetric_storage::{Half, Stored};
use super::tuning;
use super::{BlockError, FactorReport, Inertia, Method, SaddleAnalysis, SaddleError, SaddleOptions};
use mb_algebra::{AlgebraError, Sparse, interrupt};

/// Growth from which on factors by LU are only good enough when their trial is as good as one can be.
const LARGE_GROWTH: f64 = 1e6;

/// Ratio of scales from which on independent rows may look parallel for it.
const UNEVEN: f64 = 1e3;

/// Factors of one matrix by the first method that passed its trial, with the one behind it for solutions it misses.
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
    entries: Option<usize>,
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
        let (methods, last): (&[Method], _) = match &a {
            Stored::Half(_) => {
                (&[Method::AugmentedLdl, Method::SingleLdl, Method::DelayedLdl], Method::DelayedLdl)
            }
            Stored::Pair { .. } => (&[Method::AugmentedLu, Method::Lu], Method::Lu),
        };
        let mut system = System::new(a, g, &analysis.g_cols, &analysis.g_rows);
        let mut dependent = None;
        let mut failed: Vec<(Method, AlgebraError)> = Vec::new();
        let mut options = analysis.options.clone();
        for &method in methods.iter().filter(|method| **method >= first.min(last)) {
            interrupt::check();
            let made = match method {
                Method::AugmentedLdl => symmetric(analysis, &mut system, &mut dependent, AugmentedLdl::new),
                Method::DelayedLdl => symmetric(analysis, &mut system, &mut dependent, AugmentedLdl::delayed),
                Method::SingleLdl => match (&system.a, short_of_memory(&failed)) {
                    (Stored::Half(a), Some(short)) => {
                        options.max_refinements = REFINEMENTS;
                        // What is reported is the lack of memory, for double precision.
                        single(analysis, &system, a).ok_or(short)?
                    }
                    _ => continue,
                },
                Method::AugmentedLu => augmented_lu(analysis, &system, &mut dependent),
                Method::Lu => lu(analysis, &system, &mut dependent),
            };
            match made.and_then(|candidate| Self::tried(method, &system, &options, candidate)) {
                Ok((candidate, found)) => {
                    return Ok(Self::finish(
                        analysis, system, options, method, failed, candidate, &found, dependent,
                    ));
                }
                Err(error) if method == Method::AugmentedLdl && is_memory(&error) => {
                    failed.push((method, error));
                }
                Err(error) if is_final(method, &error) => return Err(error),
                Err(error) => failed.push((method, error)),
            }
            // The methods behind need more memory, not less.
            if let (Method::SingleLdl, Some(short)) = (method, short_of_memory(&failed)) {
                return Err(short);
            }
        }
        let singular = failed.iter().find_map(|(_, error)| match error {
            AlgebraError::Saddle(SaddleError::Singular { .. }) => Some(error.clone()),
            _ => None,
        });
        Err(singular.unwrap_or_else(|| SaddleError::AllMethodsFailed { attempts: failed }.into()))
    }

    /// A candidate with its trial solution, where that is good enough for its method.
    fn tried(
        method: Method,
        system: &System<T>,
        options: &SaddleOptions,
        candidate: Candidate<T>,
    ) -> Result<(Candidate<T>, Checked<T>), AlgebraError> {
        if method == Method::AugmentedLdl && !options.trial {
            let (x, l, error) = (Vec::new(), Vec::new(), BlockError::default());
            return Ok((candidate, Checked { x, l, error, refinements: 0 }));
        }
        let found = trial(system, &*candidate.solver, options)?;
        let tolerance = match method {
            // Backward error of the trial above which L D L^T without delayed pivots is made again with them: refinement has come to a
            // halt far above rounding, and other right-hand sides may fare worse.
            Method::AugmentedLdl => tuning::HEALTHY,
            // Refinement has mended what it could; exchanges over the whole matrix give more.
            Method::AugmentedLu if candidate.summary.growth > LARGE_GROWTH => tuning::SOLVED,
            _ => options.tolerance,
        };
        accept(Some(found), tolerance.min(options.tolerance)).map(|found| (candidate, found))
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
        let report = report(analysis, method, failed, &candidate, trial, &dependent);
        let Candidate { solver, inertia, .. } = candidate;
        let later = Later::behind(method);
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
    let (entries, summary) = (Some(analysis.symbolic.panel_entries), Summary::default());
    Some(made.map(|solver| Candidate { solver, inertia: None, entries, summary }))
}

/// Errors that another method would not mend.
fn is_final(method: Method, error: &AlgebraError) -> bool {
    match error {
        AlgebraError::Saddle(SaddleError::OutOfMemory { .. } | SaddleError::PatternChanged { .. }) => true,
        // Both have looked at whole fronts.
        AlgebraError::Saddle(SaddleError::Singular { .. }) => {
            matches!(method, Method::AugmentedLu | Method::DelayedLdl)
        }
        _ => false,
    }
}

/// Makes factors without the rows of G that are left out.
type Make<T> =
    fn(&Arc<SaddleAnalysis>, &System<T>, &Half<T>, &[bool]) -> Result<AugmentedLdl<T>, AlgebraError>;

/// L D L^T of a symmetric matrix by `make`; rows of G that depend on others are sought where a pivot gives reason to.
fn symmetric<T: Fallback>(
    analysis: &Arc<SaddleAnalysis>,
    system: &mut System<T>,
    dependent: &mut Option<Dependent>,
    make: Make<T>,
) -> Result<Candidate<T>, AlgebraError> {
    analysis.check_memory(size_of::<T>())?;
    let n = system.unknowns();
    let without = |system: &System<T>, dropped: &[bool]| match &system.a {
        Stored::Half(a) => make(analysis, system, a, dropped),
        Stored::Pair { .. } => unreachable!("L D L^T is of symmetric matrices"),
    };
    let mut dropped =
        dependent.as_ref().map_or_else(|| vec![false; system.constraints()], |d| d.dropped.clone());
    let mut made = without(system, &dropped);
    let suspect = match &made {
        Ok(ldl) => {
            let found = &ldl.numeric.pivots.summary;
            !found.null.is_empty() || found.doubtful.iter().any(|(u, _)| *u as usize >= n)
        }
        Err(error) => matches!(error, AlgebraError::Saddle(SaddleError::LostPivot { .. })),
    };
    if dependent.is_none() && suspect {
        // In uneven scales independent rows may look parallel.
        let uneven = system.scaling.spread(&analysis.g_cols) >= UNEVEN;
        if uneven {
            system.even_out(analysis);
        }
        let found = Dependent::find(analysis, &system.g, &system.scaling)?;
        // A row that is null already is as good as one left out.
        let same = made.as_ref().is_ok_and(|ldl| {
            let null = &ldl.numeric.pivots.summary.null;
            null.len() == found.rows.len() && null.iter().all(|&u| found.dropped[u as usize - n])
        });
        let changed = uneven || !found.rows.is_empty();
        dropped.clone_from(&found.dropped);
        *dependent = Some(found);
        if uneven || (changed && !same) {
            drop(made);
            made = without(system, &dropped);
        }
    }
    let ldl = made?;
    let summary = ldl.numeric.pivots.summary.clone();
    // A row that is null now depends on others only through A: the matrix is singular.
    let null = summary.singular.iter().chain(&summary.null);
    if let Some(&row) = null.clone().find(|&&u| (u as usize) < n || !dropped[u as usize - n]) {
        return Err(match ldl.moves_freely(system, row) {
            Some(unknown) => SaddleError::Singular { unknown }.into(),
            None => SaddleError::LostPivot { row: row as usize }.into(),
        });
    }
    let certain = near_singular(&summary, n).next().is_none();
    let inertia = certain_inertia(&summary, system.constraints()).filter(|_| certain);
    let entries = Some(ldl.symbolic().panel_entries);
    Ok(Candidate { solver: Box::new(ldl), inertia, entries, summary })
}

/// The inertia that the pivots show, where it is possible with that many rows of G.
pub(super) fn certain_inertia(summary: &Summary, constraints: usize) -> Option<Inertia> {
    let zero = summary.null.len();
    let inertia = Inertia { positive: summary.positive - summary.negative, negative: summary.negative, zero };
    let independent = constraints - zero;
    (inertia.positive >= independent && inertia.negative >= independent).then_some(inertia)
}

/// LU on the fronts: twice the memory, dependent rows as in [`symmetric`].
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
    let entries = Some(2 * analysis.symbolic.panel_entries);
    Ok(Candidate { solver: Box::new(lu), inertia: None, entries, summary })
}

pub(super) fn near_singular(summary: &Summary, n: usize) -> impl Iterator<Item = (usize, f64)> {
    let small =
        // An unknown's pivot below this multiple of the numbers it is the difference of has no certain sign.
        summary.doubtful.iter().filter(move |(u, ratio)| (*u as usize) < n && *ratio <= tuning::SOLVED);
    small.map(|&(u, ratio)| (u as usize, ratio))
}

/// LU with exchanges over the whole matrix.
fn lu<T: Fallback>(
    analysis: &Arc<SaddleAnalysis>,
    system: &System<T>,
    dependent: &mut Option<Dependent>,
) -> Result<Candidate<T>, AlgebraError> {
    if dependent.is_none() {
        *dependent = Some(Dependent::find(analysis, &system.g, &system.scaling)?);
    }
    let dropped = dependent.as_ref().map_or(&[][..], |d| &d.dropped);
    let (entries, summary) = (None, Summary::default());
    T::lu(system, dropped).map(|solver| Candidate { solver, inertia: None, entries, summary })
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
    candidate: &Candidate<T>,
    trial: &Checked<T>,
    dependent: &Dependent,
) -> FactorReport {
    let Candidate { entries, summary, .. } = candidate;
    FactorReport {
        method,
        failed,
        factor_nonzeros: *entries,
        fill: entries.map(|e| e as f64 / analysis.entries.max(1) as f64),
        trial: trial.error,
        trial_refinements: trial.refinements,
        redundant: dependent.rows.clone(),
        minimum_norm: dependent.minimum_norm(),
        near_singular: near_singular(summary, analysis.unknowns).collect(),
        replaced_pivots: summary.weak.len(),
        delayed_pivots: summary.delayed,
        pivot_pairs: summary.pairs,
        growth: summary.growth,
    }
}

#[cfg(test)]
mod tests;
