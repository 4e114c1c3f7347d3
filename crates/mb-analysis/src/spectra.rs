//! From an operating point to the eigenpairs of each formulation.

use super::zeros::{MOVED, ModelZeros, NEAR, settle_at_rest, settle_counted};
use super::{determined, moving, part, velocity_rows};
use crate::error::AnalysisError;
use mb_algebra::{
    Dense, QuadraticPencil, RankTolerance, Sparse, Stopped, dense, interrupt, norms, to_dense, to_sparse,
};
use mb_constraints::{ConstraintRank, NullSpaceMethod, constraint_rank, tolerance_of_rank};
use mb_eigen::dense::TurningPair;
use mb_eigen::descriptor::DescriptorStructure;
use mb_eigen::penalty::PenaltyPencil;
use mb_eigen::sparse::{Request, SparseFinding, SparseOptions, settle_lost};
use mb_eigen::{Class, Counts, DenseOptions, EigenError, Eigenpair, Spectrum, descriptor, penalty};
use mb_linear::formulation::minimal::minimal_reselecting;
use mb_linear::formulation::unconstrained::{
    Factor, Penalty, penalty_equilibrium, unconstrained, unconstrained_near,
};
use mb_linear::steady::{FreePair, SecondZeros};
use mb_linear::{
    Formulation, FreeAmong, FreeDirections, LinearizedSystem, OperatingPoint, SteadyMotion,
    least_free_directions, linearize, most_free_directions,
};
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
    /// The sense of eigenpair `index` as in `whirl`; none where it has none.
    pub fn whirl_of(&self, index: usize) -> Option<f64> {
        self.whirl.get(index).copied().flatten()
    }
    /// Keeps of a whole spectrum what a request asks for; the places that the eigenpairs had.
    pub fn keep_asked(&mut self, request: &Request, dof: usize) -> Vec<usize> {
        let places = self.spectrum.keep_asked(request, dof);
        self.follow(&places, request);
        places
    }
    /// Keeps of a whole spectrum the eigenpairs at these places, in increasing order, as those that a request asks for.
    pub(crate) fn keep_places(&mut self, places: &[usize], request: &Request) {
        self.spectrum.keep_places(places);
        self.follow(places, request);
    }
    fn follow(&mut self, places: &[usize], request: &Request) {
        self.request = Some(*request);
        if !self.whirl.is_empty() {
            self.whirl = places.iter().map(|i| self.whirl_of(*i)).collect();
        }
    }
    /// The spectrum of a formulation whose work was ended before anything was known of it.
    pub fn ended(name: String, why: Stopped) -> Self {
        let findings = vec![SparseFinding::EndedEarly { reason: why.to_string() }.into()];
        Self::new(
            name,
            Spectrum { eigenpairs: Vec::new(), counts: Counts::default(), findings, method: None },
        )
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
    whole(model, at, formulation, false)
}

/// As [`spectrum`]; an interrupt ([`mb_algebra::interrupt`]) that comes when the eigenvalues of a minimal form are known leaves them with their
/// error bounds, and a finding that says so.
///
/// # Errors
/// As [`spectrum`].
pub fn spectrum_kept(
    model: &Model,
    at: &OperatingPoint,
    formulation: &Formulation,
) -> Result<FormulationSpectrum, AnalysisError> {
    whole(model, at, formulation, true)
}

fn whole(
    model: &Model,
    at: &OperatingPoint,
    formulation: &Formulation,
    keeps: bool,
) -> Result<FormulationSpectrum, AnalysisError> {
    if !matches!(formulation, Formulation::Minimal(_)) {
        check_size(model, MOST_ROWS_WITH_SPURIOUS)?;
    }
    let (lin, known) = Known::of(model, at, linear(model, at)?);
    of_linear_kept(model, at, &lin, &known, formulation, keeps)
}

/// Eigenvalues of a steady motion that are known with their vectors, whatever the digits of its matrices are.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Free turns and shifts: what the minimal form has exact zeros of.
    pub(crate) zeros: ModelZeros,
    /// Those that go round in the frame.
    pub(crate) pairs: Vec<TurningPair>,
    /// Which of them are zeros twice, where velocity rows are.
    pub(crate) second: SecondZeros,
    /// What the zeros have changed of K, n x n: rounding of its terms, which may be much beside an entry that is small.
    pub(crate) changed: Option<Dense>,
}

impl Known {
    /// Nothing of n coordinates.
    pub(crate) fn nothing(n: usize) -> Self {
        Self {
            zeros: ModelZeros::nothing(n),
            pairs: Vec::new(),
            second: SecondZeros::default(),
            changed: None,
        }
    }
    /// By how much entries of M, C and K may be off, n x n each: what a steady motion changes along its orbit, and what the zeros have
    /// changed.
    pub(crate) fn off(&self, at: &OperatingPoint, n: usize) -> [Dense; 3] {
        let mut off = at.steady().map_or_else(
            || std::array::from_fn(|_| Dense::zeros(n, n)),
            |motion| motion.deviation().in_all_coordinates(),
        );
        if let Some(changed) = &self.changed {
            off[2] = Dense::from_fn(n, n, |i, j| off[2][(i, j)] + changed[(i, j)].abs());
        }
        off
    }
    /// Of a motion with its linearization, which is given back without what rounding leaves of the zeros.
    pub(crate) fn of(model: &Model, at: &OperatingPoint, lin: LinearizedSystem) -> (LinearizedSystem, Self) {
        let Some(motion) = at.steady() else {
            let damped = norms::max_abs(&lin.c) > 0.0;
            let known = if damped { part::free_directions(model, at) } else { None };
            let free = known.and_then(|known| free_at_rest(model, &known));
            let Some(free) = free else {
                let none = Self::nothing(lin.n());
                return (lin, none);
            };
            let zeros = ModelZeros::at_rest(free, &to_sparse(&lin.c));
            let none = Self::nothing(0);
            return (lin, Self { zeros, ..none });
        };
        let before = lin.k.clone();
        let (lin, zeros) = motion.freed(model, lin);
        // A motion itself is free wherever pairs are.
        if zeros.ncols() == 0 {
            let none = Self::nothing(lin.n());
            return (lin, none);
        }
        let [m, c, k, phi_q] = [&lin.m, &lin.c, &lin.k, &lin.phi_q].map(to_sparse);
        let pairs = turning_pairs(model, motion, [&m, &c, &k], &phi_q);
        let changed = Some(dense::add(1.0, &before, -1.0, &lin.k));
        let mut zeros = ModelZeros::of(zeros, [&c, &k, &phi_q]);
        let mut second = SecondZeros::default();
        if model.has_velocity_rows() {
            second = motion.second_zeros(model);
            zeros.twice_at_least(second.count());
        }
        (lin, Self { zeros, pairs, second, changed })
    }
}

/// All directions without stiffness at rest, n x k, where the geometry knows them; none where there are none.
///
/// Beside them slow rates of damped motions have no digits of their own: in undamped problems zeros are apart by symmetry. Velocity rows leave
/// fewer velocities than displacements, and zeros of their own.
pub(crate) fn free_at_rest(model: &Model, (free, among): &(FreeDirections, FreeAmong)) -> Option<Dense> {
    if model.has_velocity_rows() || among.most == 0 {
        return None;
    }
    free.columns(among, usize::MAX).map(|z| to_dense(&z))
}

/// Free shifts and turns across the axis of the frame.
pub(crate) fn turning_pairs(
    model: &Model,
    motion: &SteadyMotion,
    blocks: [&Sparse; 3],
    phi_q: &Sparse,
) -> Vec<TurningPair> {
    let pairs = motion.free_pairs(model, blocks, phi_q).into_iter();
    pairs.map(|FreePair { directions, rate }| TurningPair { directions, rate }).collect()
}

/// As [`spectrum`], of a given linearization with what is known of it.
pub(crate) fn of_linear(
    model: &Model,
    at: &OperatingPoint,
    lin: &LinearizedSystem,
    known: &Known,
    formulation: &Formulation,
) -> Result<FormulationSpectrum, AnalysisError> {
    of_linear_kept(model, at, lin, known, formulation, false)
}

fn of_linear_kept(
    model: &Model,
    at: &OperatingPoint,
    lin: &LinearizedSystem,
    known: &Known,
    formulation: &Formulation,
    keeps_at_interrupt: bool,
) -> Result<FormulationSpectrum, AnalysisError> {
    let empty =
        Spectrum { eigenpairs: Vec::new(), counts: Counts::default(), findings: Vec::new(), method: None };
    let mut out = FormulationSpectrum::new(formulation.to_string(), empty);
    let most_zeros = most_free_directions(model, at);
    let options = DenseOptions { most_zeros, keeps_at_interrupt, ..DenseOptions::default() };
    let named = |source| AnalysisError::Eigen { formulation: formulation.to_string(), source };
    // Penalties move zeros, or the equilibrium.
    let unconstrained = matches!(formulation, Formulation::Unconstrained(_));
    let mut widened = false;
    let whole = DenseOptions { keeps_at_interrupt: false, ..options };
    let beside = || beside_known(at, lin, known, &whole).map_err(named);
    let solved = match formulation {
        Formulation::Minimal(method) => {
            let (system, reselected) = minimal_reselecting(model, lin, method)?;
            if reselected.is_some() {
                let automatic = Formulation::Minimal(NullSpaceMethod::CoordinateSelection(None));
                out.name = automatic.to_string();
            }
            out.reselected = reselected;
            let beside = beside()?;
            widened = beside.is_some();
            beside.map_or_else(|| minimal_pairs(&lin.pencil(), &system.basis.r, &options), Ok)
        }
        Formulation::Redundant(transferred) => {
            let structure = DescriptorStructure { pencil: lin.pencil(), transferred: *transferred };
            let beside = beside()?;
            widened = beside.is_some();
            match beside {
                Some(motion) => descriptor::solve_beside(&structure, motion, &options),
                None => descriptor::solve(&structure, &options),
            }
        }
        Formulation::Unconstrained(factors) => {
            out.penalty_factor = factor(factors);
            let pencil = penalty_pencil(model, at, lin, factors, &mut out.penalty_violation)?;
            let constraint_rank =
                tolerance_of_rank(&lin.phi_q, &pencil.phi_q).map_err(|e| AnalysisError::Linear(e.into()))?;
            let options = DenseOptions { constraint_rank, keeps_at_interrupt, ..DenseOptions::default() };
            penalty::solve(&pencil, &options)
        }
    };
    out.spectrum = solved.map_err(named)?;
    let mut settle = || -> Result<(), AnalysisError> {
        velocity_rows::settle(model, at, &mut out.spectrum);
        if at.steady().is_none() && !unconstrained {
            known.zeros.settle(&mut out.spectrum, NEAR);
        }
        if at.steady().is_none() && most_zeros.is_none() && !unconstrained {
            settle_at_rest(model, at, &sparse_pencil(lin), &mut out.spectrum);
        }
        if at.steady().is_none() && most_zeros.is_some_and(|most| most > 0) && !unconstrained {
            settle_counted(least_free_directions(model, at), &mut out.spectrum);
        }
        let lost = |pair: &Eigenpair| pair.class == Class::Physical && !pair.is_determined();
        let has_lost = model.has_parts() || out.spectrum.eigenpairs.iter().any(lost);
        if at.steady().is_none() && !unconstrained && has_lost {
            let part::PartProblem { pencil, parts, options, .. } =
                part::problem(model, at, &SparseOptions::default())?;
            settle_lost(&pencil, parts.as_ref(), &options, &mut out.spectrum);
        }
        if let Some(motion) = at.steady() {
            if widened {
                moving::couple(&mut out.spectrum, motion);
            } else {
                let QuadraticPencil { m, c, k, .. } = &sparse_pencil(lin);
                moving::widen(&mut out.spectrum, motion, [m, c, k]);
            }
            known.zeros.settle(&mut out.spectrum, if unconstrained { MOVED } else { NEAR });
            out.whirl = moving::whirl(model, &out.spectrum, motion);
        }
        determined::settle(model, at, &mut out.spectrum)
    };
    // What was solved is not lost on the last steps.
    if keeps_at_interrupt { interrupt::finish(settle) } else { settle() }?;
    Ok(out)
}

/// Pairs in addition to those that are known, with what a steady motion changes along its orbit in their error bounds; none without zeros
/// that are known.
fn beside_known(
    at: &OperatingPoint,
    lin: &LinearizedSystem,
    known: &Known,
    options: &DenseOptions,
) -> Result<Option<Spectrum>, EigenError> {
    let zeros = &known.zeros.directions;
    if zeros.ncols() == 0 {
        return Ok(None);
    }
    let off = known.off(at, lin.n());
    let found = mb_eigen::dense::solve_with_known(&lin.pencil(), zeros, &known.pairs, &off, options)?;
    Ok(found.filter(|spectrum| known.zeros.allow(spectrum)))
}

fn sparse_pencil(lin: &LinearizedSystem) -> QuadraticPencil<Sparse> {
    let [m, c, k, phi_q] = [&lin.m, &lin.c, &lin.k, &lin.phi_q].map(to_sparse);
    QuadraticPencil { m, c, k, phi_q }
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
