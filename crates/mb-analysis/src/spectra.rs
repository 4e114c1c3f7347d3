//! From an operating point to the eigenpairs of each formulation.

use super::{moving, velocity_rows};
use crate::error::AnalysisError;
use mb_algebra::{Dense, QuadraticPencil, RankTolerance, to_sparse};
use mb_constraints::{ConstraintRank, NullSpaceMethod, constraint_rank, tolerance_of_rank};
use mb_eigen::descriptor::DescriptorStructure;
use mb_eigen::penalty::PenaltyPencil;
use mb_eigen::sparse::Request;
use mb_eigen::{DenseOptions, EigenError, Spectrum, descriptor, penalty};
use mb_linear::formulation::minimal::minimal_reselecting;
use mb_linear::formulation::unconstrained::{
    Factor, Penalty, penalty_equilibrium, unconstrained, unconstrained_near,
};
use mb_linear::{Formulation, LinearizedSystem, OperatingPoint, linearize, most_free_directions};
use mb_model::{Model, Point};

/// Most coordinates and constraint rows in all for the dense analysis of the minimal system.
pub const MOST_ROWS: usize = 6000;

/// The same where every added eigenvalue has its vectors too (redundant and unconstrained form).
pub const MOST_ROWS_WITH_SPURIOUS: usize = 2000;

/// Refuses a model that is too large for dense matrices.
///
/// # Errors
/// [`AnalysisError::TooLarge`].
pub fn check_size(model: &Model, most: usize) -> Result<(), AnalysisError> {
    let (n, m) = (model.nv(), model.nc());
    if n + m > most { Err(AnalysisError::TooLarge { n, m, most }) } else { Ok(()) }
}

/// Rank of the constraints at a point.
///
/// # Errors
/// Entries that are not finite; memory.
pub fn rank(model: &Model, point: &Point) -> Result<ConstraintRank, AnalysisError> {
    rank_at(model, &point.q, point.t)
}

/// Rank of the constraints at a configuration.
///
/// # Errors
/// As [`rank`].
pub fn rank_at(model: &Model, q: &[f64], t: f64) -> Result<ConstraintRank, AnalysisError> {
    constraint_rank(model, q, t, RankTolerance::default()).map_err(|e| AnalysisError::Linear(e.into()))
}

/// The eigenpairs of one formulation.
#[derive(Clone, Debug)]
pub struct FormulationSpectrum {
    /// Which: a stable name such as `minimal/qr`.
    pub name: String,
    /// Its eigenpairs, counts and findings.
    pub spectrum: Spectrum,
    /// The part that was asked for; none when it is the whole spectrum.
    pub request: Option<Request>,
    /// Why a given selection of coordinates was replaced, when it was.
    pub reselected: Option<String>,
    /// Penalty factor of the unconstrained formulation; the largest where each row has its own.
    pub penalty_factor: Option<f64>,
    /// Largest constraint violation at the penalty system's own equilibrium.
    pub penalty_violation: Option<f64>,
    /// By eigenpair, from -1 (circles against the spin) to 1 (with it); empty where nothing spins before the ground.
    pub whirl: Vec<Option<f64>>,
}

impl FormulationSpectrum {
    /// A whole spectrum.
    pub fn new(name: String, spectrum: Spectrum) -> Self {
        Self {
            name,
            spectrum,
            request: None,
            reselected: None,
            penalty_factor: None,
            penalty_violation: None,
            whirl: Vec::new(),
        }
    }
}

/// The linearized system at an operating point, with dense blocks.
///
/// # Errors
/// [`AnalysisError::TooLarge`].
pub fn linear(model: &Model, at: &OperatingPoint) -> Result<LinearizedSystem, AnalysisError> {
    check_size(model, MOST_ROWS)?;
    Ok(linearize(model, at))
}

/// Eigenpairs of one formulation at rest or in steady motion.
///
/// # Errors
/// [`AnalysisError::TooLarge`]; [`AnalysisError::Linear`] when the penalty system has no equilibrium near by;
/// [`AnalysisError::Eigen`].
pub fn spectrum(
    model: &Model,
    at: &OperatingPoint,
    formulation: &Formulation,
) -> Result<FormulationSpectrum, AnalysisError> {
    if !matches!(formulation, Formulation::Minimal(_)) {
        check_size(model, MOST_ROWS_WITH_SPURIOUS)?;
    }
    let lin = linear(model, at)?;
    let zeros = known_zeros(model, at, &lin);
    of_linear(model, at, &lin, &zeros, formulation)
}

/// Free turns and shifts of a steady motion, n x any: what the minimal form has exact zeros of.
pub(crate) fn known_zeros(model: &Model, at: &OperatingPoint, lin: &LinearizedSystem) -> Dense {
    let Some(motion) = at.steady() else { return Dense::zeros(lin.n(), 0) };
    motion.free_directions(model, &to_sparse(&lin.k), &to_sparse(&lin.phi_q))
}

/// As [`spectrum`], of a given linearization with its known zeros.
pub(crate) fn of_linear(
    model: &Model,
    at: &OperatingPoint,
    lin: &LinearizedSystem,
    zeros: &Dense,
    formulation: &Formulation,
) -> Result<FormulationSpectrum, AnalysisError> {
    let empty = Spectrum {
        eigenpairs: Vec::new(),
        counts: mb_eigen::Counts::default(),
        findings: Vec::new(),
        method: None,
    };
    let mut out = FormulationSpectrum::new(formulation.to_string(), empty);
    let options = DenseOptions { most_zeros: most_free_directions(model, at), ..DenseOptions::default() };
    let named = |source| AnalysisError::Eigen { formulation: formulation.to_string(), source };
    let mut widened = false;
    let solved = match formulation {
        Formulation::Minimal(method) => {
            let (system, reselected) = minimal_reselecting(model, lin, method)?;
            if reselected.is_some() {
                let automatic = Formulation::Minimal(NullSpaceMethod::CoordinateSelection(None));
                out.name = automatic.to_string();
            }
            out.reselected = reselected;
            let beside = beside_zeros(at, lin, zeros, &options).map_err(named)?;
            widened = beside.is_some();
            beside.map_or_else(|| minimal_pairs(&lin.pencil(), &system.basis.r, &options), Ok)
        }
        Formulation::Redundant(transferred) => {
            let structure = DescriptorStructure { pencil: lin.pencil(), transferred: *transferred };
            descriptor::solve(&structure, &options)
        }
        Formulation::Unconstrained(factors) => {
            out.penalty_factor = factor(factors);
            let pencil = penalty_pencil(model, at, lin, factors, &mut out.penalty_violation)?;
            let constraint_rank =
                tolerance_of_rank(&lin.phi_q, &pencil.phi_q).map_err(|e| AnalysisError::Linear(e.into()))?;
            penalty::solve(&pencil, &DenseOptions { constraint_rank, ..DenseOptions::default() })
        }
    };
    out.spectrum = solved.map_err(named)?;
    velocity_rows::settle(model, at, &mut out.spectrum);
    if let Some(motion) = at.steady() {
        if !widened {
            moving::widen(&mut out.spectrum, motion);
        }
        out.whirl = moving::whirl(model, &out.spectrum, motion);
    }
    Ok(out)
}

/// Pairs in addition to the zeros of what can be ignored in a steady motion, with what it changes along its orbit in their error bounds; none
/// without such zeros.
fn beside_zeros(
    at: &OperatingPoint,
    lin: &LinearizedSystem,
    zeros: &Dense,
    options: &DenseOptions,
) -> Result<Option<Spectrum>, EigenError> {
    match at.steady().filter(|_| zeros.ncols() > 0) {
        Some(motion) => {
            let off = motion.deviation().in_all_coordinates();
            mb_eigen::dense::solve_with_zeros(&lin.pencil(), zeros, &off, options)
        }
        None => Ok(None),
    }
}

/// Pairs on the basis that the formulation found, in all coordinates.
fn minimal_pairs(
    pencil: &QuadraticPencil,
    r: &Dense,
    options: &DenseOptions,
) -> Result<Spectrum, EigenError> {
    if r.ncols() == 0 {
        return mb_eigen::dense::solve(pencil, options);
    }
    mb_eigen::dense::solve_with_null_space(pencil, r, options)
}

/// The penalty factor, the largest of those by row.
pub(crate) fn factor(penalty: &Penalty) -> Option<f64> {
    match &penalty.xi {
        Factor::Scalar(alpha) => Some(*alpha),
        Factor::PerConstraint(factors) => factors.iter().copied().reduce(f64::max),
        Factor::Full(_) => None,
    }
}

/// The penalty system at its own equilibrium; in steady motion at the motion of the mechanism, from which it differs by
/// what the penalties give way.
fn penalty_pencil(
    model: &Model,
    at: &OperatingPoint,
    lin: &LinearizedSystem,
    factors: &Penalty,
    violation: &mut Option<f64>,
) -> Result<PenaltyPencil, AnalysisError> {
    let system = if at.steady().is_some() {
        unconstrained_near(lin, factors)?
    } else {
        let at = penalty_equilibrium(model, at.point(), factors)?;
        *violation = Some(at.violation);
        unconstrained(model, &at, factors)?
    };
    Ok(PenaltyPencil { m: system.m, c: system.c, k: system.k, phi_q: system.phi_q, xi: system.xi })
}
