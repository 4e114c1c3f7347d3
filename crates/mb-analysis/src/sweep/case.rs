//! One case of a sweep: the state of a model, its modes, whether a disturbance grows.

use crate::error::AnalysisError;
use crate::site::{MotionOptions, site};
use crate::{FormulationSpectrum, StartOptions, part, spectrum};
use mb_algebra::sorted::ascending;
use mb_constraints::NullSpaceMethod;
use mb_eigen::sparse::{Request, SparseFinding, SparseOptions};
use mb_eigen::{Class, Eigenpair, Finding};
use mb_linear::Formulation;
use mb_linear::steady::Looks;
use mb_model::Model;

/// What is solved for in every case.
#[derive(Clone, Debug)]
pub struct CaseOptions {
    /// Where the search for the equilibrium starts.
    pub start: StartOptions,
    /// A motion in place of an equilibrium.
    pub motion: Option<MotionOptions>,
    /// Number of modes that are kept.
    pub count: usize,
}

/// One in so many cases of a design has its motion checked in full.
const IN_FULL: usize = 16;

/// How thoroughly the steady motion of a case is checked; `case`: its number in the design, none between cases. Neighbours of cases that
/// are checked in full are checked as those of a family, but where functions of place from outside may change anywhere.
pub fn looks(model: &Model, case: Option<usize>) -> Looks {
    let full = model.has_functions_of_place() || case.is_some_and(|k| k.is_multiple_of(IN_FULL));
    if full { Looks::Shown } else { Looks::Sampled }
}

/// Whether a small disturbance grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every eigenvalue lies left of the imaginary axis by more than its error bound.
    Stable,
    /// None grows as far as is known, and at least one does not decay or is not known to, as those that were not computed.
    Marginal,
    /// One lies right of the imaginary axis by more than its error bound.
    Unstable,
}

impl Verdict {
    /// The word for tables and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Marginal => "marginal",
            Self::Unstable => "unstable",
        }
    }
}

/// One mode: an eigenvalue, or the one of a conjugate pair with positive imaginary part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaseMode {
    /// Real part of the eigenvalue, 1/s.
    pub re: f64,
    /// Imaginary part, rad/s.
    pub im: f64,
    /// Error bound of the eigenvalue, rad/s.
    pub error: f64,
    /// Whether it is the exact zero of a free motion.
    pub rigid: bool,
}

impl CaseMode {
    /// |s| / (2 pi), Hz.
    pub fn natural_frequency_hz(&self) -> f64 {
        self.re.hypot(self.im) / std::f64::consts::TAU
    }

    /// -Re s / |s|; zero where s is.
    pub fn damping_ratio(&self) -> f64 {
        let size = self.re.hypot(self.im);
        if size > 0.0 { -self.re / size } else { 0.0 }
    }
}

/// What one case has.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The lowest modes, by |s|; at most as many as were asked for.
    pub modes: Vec<CaseMode>,
    /// The eigenvalue with the largest real part among all that were computed, free motions apart; none without one.
    pub rightmost: Option<CaseMode>,
    /// Whether a disturbance grows, by all eigenvalues that were computed.
    pub verdict: Verdict,
    /// False where eigenvalues are missing that theory, a count or the request demands.
    pub complete: bool,
    /// Whether all eigenvalues were computed, not only the lowest.
    pub whole: bool,
}

/// Solves one case: all modes by dense matrices where the model is small, the lowest by sparse ones where it is large.
///
/// # Errors
/// As [`site`], [`spectrum`] and [`part::of_model`]; [`AnalysisError::Undetermined`] at singular configurations.
pub fn solve(model: &Model, options: &CaseOptions) -> Result<Case, AnalysisError> {
    let site = site(model, &options.start, options.motion.as_ref())?;
    let crate::State::Lasting(at) = site.state() else {
        return Err(AnalysisError::OnlyAtRest { what: "the modes of a sweep" });
    };
    let whole = model.nv() + model.nc() <= part::DENSE_UP_TO;
    let found = if whole {
        spectrum(model, &at, &Formulation::Minimal(NullSpaceMethod::Qr))?
    } else {
        let request = Request::Lowest { count: options.count };
        part::with_growing(part::of_model(model, &at, request, &SparseOptions::default())?, &site)
    };
    if let Some(finding) = found.spectrum.undetermined() {
        return Err(AnalysisError::Undetermined { reason: finding.to_string() });
    }
    Ok(case(&found, options.count, whole))
}

fn case(found: &FormulationSpectrum, count: usize, whole: bool) -> Case {
    let upper = |pair: &&Eigenpair| pair.class.is_motion() && pair.alpha.im >= 0.0;
    let mode = |pair: &Eigenpair| {
        let s = pair.value()?;
        Some(CaseMode { re: s.re, im: s.im, error: pair.error_bound, rigid: pair.class == Class::Rigid })
    };
    let mut modes: Vec<CaseMode> = found.spectrum.eigenpairs.iter().filter(upper).filter_map(mode).collect();
    ascending(&mut modes, CaseMode::natural_frequency_hz);
    let rightmost = modes.iter().filter(|m| !m.rigid).copied().max_by(|a, b| a.re.total_cmp(&b.re));
    let told = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::GrowingNotShown { .. } });
    let grows = modes.iter().any(|m| !m.rigid && m.re > m.error) || found.spectrum.findings.iter().any(told);
    let verdict = if grows {
        Verdict::Unstable
    } else if whole && modes.iter().all(|m| m.re < -m.error) {
        Verdict::Stable
    } else {
        Verdict::Marginal
    };
    modes.truncate(count);
    Case { modes, rightmost, verdict, complete: !found.spectrum.falls_short(), whole }
}
