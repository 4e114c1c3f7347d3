//! From a request to the method that answers it.

use std::sync::Arc;

use mb_algebra::{Dense, QuadraticPencil, Sparse, StiffnessParts, c64};

use super::choice::{goes_dense, spreads_wide, takes_all};
use super::in_parts::settle_lost;
use super::outcome::{blurred_zero, finish, finish_with, finished, part_of};
use super::{memory, proportional};
use crate::certify::sparse::{Aid, Certifier};
use crate::completeness::growth;
use crate::dense::{Raw, TurningPair};
use crate::finding::SparseFinding;
use crate::krylov::KrylovDriver;
use crate::options::SparseOptions;
use crate::problem::Problem;
use crate::problem::condensation::Merged;
use crate::problem::modes::Modes;
use crate::problem::proportional::Proportional;
use crate::problem::uncertified::Uncertified;
use crate::problem::units::Units;
use crate::request::Request;
use crate::search::early::Early;
use crate::search::from_undamped;
use crate::search::hermitian::Symmetric;
use crate::search::non_hermitian::General;
use crate::search::non_hermitian_requests::Counting;
use crate::search::{selection, whole};
use crate::transform::shift_invert::Form;
use crate::{Class, DenseOptions, EigenError, Eigenpair, Finding, Method, Spectrum, dense, tuning};

/// Some eigenvalues of a sparse constrained problem.
///
/// `pencil`: M, C, K n x n, Phi_q m x n, in either storage. Rows of Phi_q may depend on each other, M may be singular
/// or indefinite; both are reported as findings. Errors: shapes that do not fit, entries that are not finite (named by
/// position), asymmetry where symmetry was declared, settings out of range, a singular pencil, memory.
///
/// ```
/// use mb_algebra::{QuadraticPencil, Scatter, Triplets, c64};
/// use mb_eigen::sparse::{self, Request, SparseOptions};
///
/// // 500 masses of 1 kg between springs of 1 N/m, both ends held: s_j = i 2 sin(j pi / (2 (n + 1))).
/// let n = 500;
/// let mut m = Triplets::new(n, n);
/// let mut k = Triplets::new(n, n);
/// for i in 0..n {
///     m.add(i, i, 1.0);
///     k.add(i, i, 2.0);
///     if i > 0 {
///         k.add(i, i - 1, -1.0);
///         k.add(i - 1, i, -1.0);
///     }
/// }
/// let none = |rows: usize| Triplets::new(rows, n).to_sparse();
/// let pencil = QuadraticPencil { m: m.to_sparse(), c: none(n), k: k.to_sparse(), phi_q: none(0) };
///
/// let spectrum = sparse::solve(&pencil, &Request::Lowest { count: 4 }, &SparseOptions::default())?;
/// for j in 1..=4 {
///     let exact = 2.0 * (f64::from(j) * std::f64::consts::PI / (2.0 * 501.0)).sin();
///     let mode = spectrum.nearest(c64::new(0.0, exact)).expect("four modes and their conjugates");
///     let s = mode.value().expect("a vibration is finite");
///     // The closed form is rounded too.
///     assert!((s - c64::new(0.0, exact)).norm() <= mode.error_bound + 1e-15);
/// }
/// assert!(!spectrum.falls_short());
/// # Ok::<(), mb_eigen::EigenError>(())
/// ```
pub fn solve(
    pencil: &QuadraticPencil<Sparse>,
    request: &Request,
    options: &SparseOptions,
) -> Result<Spectrum, EigenError> {
    let Some(units) = Units::of_sparse(pencil, options.expert.constraint_rank)? else {
        return solve_with(pencil, None, None, request, options, options.left_vectors);
    };
    let even = units.sparse(pencil);
    let mut found = solve_with(&even, None, None, request, options, options.left_vectors)?;
    units.give_back(&mut found);
    Ok(found)
}

/// As [`solve`], with K known as a sum whose large part is exact.
///
/// `parts`: n x n each, their sum is `pencil.k` but for one rounding of each entry. Bounds of eigenpairs of symmetric
/// problems that needed double-double precision then hold for the model behind the matrices, rounding of their entries
/// included; without parts they hold for the matrices as given. Errors as [`solve`].
pub fn solve_in_parts(
    pencil: &QuadraticPencil<Sparse>,
    parts: Option<&StiffnessParts>,
    request: &Request,
    options: &SparseOptions,
) -> Result<Spectrum, EigenError> {
    solve_with(pencil, parts, None, request, options, options.left_vectors)
}

/// Zeros of a problem that are known otherwise than from its entries.
pub struct KnownZeros<'a> {
    /// n x k and independent: as those of [`crate::dense::solve_with_zeros`].
    pub directions: &'a Dense,
    /// Pairs that are known besides, as those of [`crate::dense::solve_with_known`], and by how much entries of M, C and K may be off,
    /// n x n each; asked for where dense matrices are taken.
    pub others: &'a Others<'a>,
    /// n x k, independent: directions with K x = 0 and Phi_q x = 0, whatever the entries of K have been rounded to, which then need no search;
    /// all of [`SparseExpert::least_zeros`](super::SparseExpert::least_zeros), or more of them than are asked for. None where
    /// they are not known.
    pub still: Option<&'a Sparse>,
}

/// What [`KnownZeros::others`] says of matrices.
pub type Others<'a> = dyn Fn(&QuadraticPencil<Sparse>) -> (Vec<TurningPair>, [Dense; 3]) + 'a;

/// Unknowns up to which dense matrices answer what a search does not: as many as the program takes without a request.
const INSTEAD: usize = 1000;

/// As [`solve_in_parts`], with the zeros that are known as such; whether the error bounds contain what the entries are off by.
///
/// Where dense matrices are taken these zeros are exact and those of their chains are taken apart. In large problems
/// [`SparseExpert::least_zeros`](super::SparseExpert::least_zeros) says how many there are. Errors as [`solve`].
pub fn solve_with_zeros(
    pencil: &QuadraticPencil<Sparse>,
    parts: Option<&StiffnessParts>,
    known: &KnownZeros<'_>,
    request: &Request,
    options: &SparseOptions,
) -> Result<(Spectrum, bool), EigenError> {
    let search = || solve_with(pencil, parts, known.still, request, options, options.left_vectors);
    if known.directions.ncols() == 0 {
        return Ok((search()?, false));
    }
    request.check()?;
    let request = &request.bounded();
    let problem = Problem::new(pencil, options)?;
    let asks = problem.dof() > 0 && request.count() != Some(0);
    let whole = || -> Result<Option<(Spectrum, bool)>, EigenError> {
        let settings = dense_options(options);
        let (pairs, off) = (known.others)(pencil);
        let whole = dense::solve_with_known(&pencil.to_dense(), known.directions, &pairs, &off, &settings)?;
        Ok(whole.map(|whole| (asked_of(whole, &problem, request, options.left_vectors), true)))
    };
    if asks
        && problem.n <= options.expert.all_limit
        && goes_dense(&problem, request, options)
        && let Some(found) = whole()?
    {
        return Ok(found);
    }
    let mut found = search()?;
    let ended = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::EndedEarly { .. } });
    let open = |pair: &Eigenpair| pair.class == Class::Physical && !pair.is_determined();
    // Rounding parts the zeros of a chain by more than a search for others bears.
    if asks
        && problem.n <= INSTEAD
        && options.expert.dense_limit > 0
        && (found.falls_short() || found.eigenpairs.iter().any(open))
        && !found.findings.iter().any(ended)
    {
        let early = Early::new(options);
        if let Some(found) = early.step(whole)?.flatten() {
            return Ok(found);
        }
        found.findings.extend(early.finding());
    }
    Ok((found, false))
}

/// [`solve_in_parts`]; `still`: as [`KnownZeros::still`]; `keeps_left`: left vectors stay, with as many digits as the options ask for.
pub(crate) fn solve_with(
    pencil: &QuadraticPencil<Sparse>,
    parts: Option<&StiffnessParts>,
    still: Option<&Sparse>,
    request: &Request,
    options: &SparseOptions,
    keeps_left: bool,
) -> Result<Spectrum, EigenError> {
    request.check()?;
    let request = &request.bounded();
    let driver = options.expert.solver.driver()?;
    memory::keep_for_vectors_of(pencil.k.rows());
    let problem = Problem::new(pencil, options)?.with_parts(parts, options)?.with_still(still)?;
    if problem.dof() == 0 || request.count() == Some(0) {
        return Ok(finish(&problem, None, Vec::new(), problem.rows.findings.clone(), keeps_left));
    }
    let wide = || parts.is_none() && spreads_wide(pencil, &problem, options);
    let damping = Proportional::of(&problem);
    if let Some(by) = damping.filter(|_| !(takes_all(&problem, request, options) || wide())) {
        let found = proportional::solve(&problem, &by, request, options, driver.as_ref(), keeps_left)?;
        if let Some(spectrum) = found {
            return Ok(spectrum);
        }
    }
    if goes_dense(&problem, request, options) || wide() {
        return dense(pencil, parts, &problem, request, options, keeps_left);
    }
    let mut findings = problem.rows.findings.clone();
    if problem.symmetric && problem.undamped() {
        match undamped(&problem, request, options, driver.as_ref()) {
            Ok(Found { early, method, modes, mut findings, aid, .. }) => {
                let uncertified = modes.uncertified(&problem);
                findings.extend(early.finding());
                let aid = if early.ended() { Aid::Interrupted } else { aid };
                let certify = || finish_with(&problem, method, uncertified, findings, keeps_left, aid);
                let mut spectrum = early.finish(certify);
                selection::keep(&mut spectrum, request, true);
                let tolerance = options.expert.zero_tolerance;
                let blurred = blurred_zero(&problem, &spectrum);
                let told = |relative| Finding::NearlyZeroStiffness { relative, tolerance };
                spectrum.findings.extend(blurred.map(told));
                return Ok(spectrum);
            }
            Err(EigenError::IndefiniteMetric) => findings.push(Finding::IndefiniteMass),
            Err(error @ (EigenError::NoRegularShift { .. } | EigenError::NoLargest { .. })) => {
                return singular(pencil, parts, &problem, request, options, keeps_left, error);
            }
            Err(error) => return Err(error),
        }
    }
    let mut run = General::new(&problem, options, driver.as_ref());
    match general(&mut run, request) {
        Ok(uncertified) => {
            findings.append(&mut run.findings);
            findings.extend(run.early.finding());
            let certify = || {
                let improves = matches!(request, Request::Lowest { .. }) && !run.early.ended();
                let mut spectrum = if improves {
                    improved(
                        &problem,
                        Method::of(run.form),
                        uncertified,
                        findings,
                        options,
                        driver.as_ref(),
                        keeps_left,
                    )
                } else {
                    let aid = if run.early.ended() { Aid::Interrupted } else { Aid::Nothing };
                    finish_with(&problem, Method::of(run.form), uncertified, findings, keeps_left, aid)
                };
                selection::keep(&mut spectrum, request, problem.undamped());
                selection::count_known_zeros(&mut spectrum.findings, problem.least_zeros);
                if !run.early.ended() {
                    growth::report(&mut spectrum, pencil, &problem, options);
                }
                spectrum
            };
            Ok(run.early.finish(certify))
        }
        Err(error @ (EigenError::NoRegularShift { .. } | EigenError::NoLargest { .. })) => {
            singular(pencil, parts, &problem, request, options, keeps_left, error)
        }
        Err(error) => Err(error),
    }
}

/// Certifies eigenvalues of lightly damped problems, some of them by way of the undamped one.
fn improved(
    problem: &Problem,
    method: Method,
    uncertified: Vec<Uncertified>,
    findings: Vec<Finding>,
    options: &SparseOptions,
    driver: &dyn KrylovDriver,
    keeps_left: bool,
) -> Spectrum {
    let certifier = Certifier::new(problem, keeps_left);
    let mut heads: Vec<Uncertified> = uncertified.iter().map(Uncertified::head).collect();
    let mut first = certifier.measured_once(uncertified);
    from_undamped::improve(problem, &certifier, options, driver, &mut heads, &mut first);
    let pairs = certifier.improved_each(first).into_iter().map(Some).collect();
    let pairs = certifier.certify_others(heads, pairs);
    finished(problem, method, &certifier, pairs, findings)
}

/// Eigenvalues of an undamped symmetric problem before they are certified.
pub(crate) struct Found {
    /// Whether the search was interrupted.
    pub(crate) early: Early,
    pub(crate) method: Method,
    pub(crate) modes: Modes,
    pub(crate) findings: Vec<Finding>,
    /// What the search has left.
    pub(crate) aid: Aid,
    /// Modes of a damped problem that grow, where they have been counted.
    pub(crate) growing: Option<usize>,
}

/// A search for modes of an undamped symmetric problem; none where it does not answer what is asked.
type Search<'a> = dyn Fn(&mut Symmetric<'_>) -> Result<Option<Modes>, EigenError> + 'a;

/// The modes of an undamped symmetric problem that a request asks for.
pub(crate) fn undamped(
    problem: &Problem,
    request: &Request,
    options: &SparseOptions,
    driver: &dyn KrylovDriver,
) -> Result<Found, EigenError> {
    let found = undamped_by(problem, options, driver, &|run| symmetric(run, request).map(Some))?;
    found.ok_or(EigenError::IndefiniteMetric)
}

/// The modes of an undamped symmetric problem that a search finds.
pub(super) fn undamped_by(
    problem: &Problem,
    options: &SparseOptions,
    driver: &dyn KrylovDriver,
    search: &Search<'_>,
) -> Result<Option<Found>, EigenError> {
    let mut found = merged(problem, options, driver, search);
    if found.is_none() {
        let mut run = Symmetric::new(problem, options, driver);
        found = search(&mut run)?.map(|modes| Found::of(run, modes));
    }
    if let Some(found) = &mut found {
        found.findings.splice(0..0, problem.rows.findings.iter().cloned());
    }
    Ok(found)
}

impl Found {
    fn of(run: Symmetric<'_>, modes: Modes) -> Self {
        let Symmetric { early, method, findings, aid, growing, .. } = run;
        Self { early, method, modes, findings, aid, growing }
    }
}

/// The modes in fewer coordinates, where many are tied to each other; what went wrong there the whole problem reports.
fn merged(
    problem: &Problem,
    options: &SparseOptions,
    driver: &dyn KrylovDriver,
    search: &Search<'_>,
) -> Option<Found> {
    let merged = Arc::new(Merged::of(problem, options)?);
    let mut run = Symmetric::new(&merged.problem, options, driver);
    let modes = search(&mut run).ok()??;
    let mut found = Found::of(run, merged.unfold(problem, &modes));
    if found.method == Method::Lanczos {
        found.method = Method::CondensedLanczos;
    }
    found.aid = match found.aid {
        Aid::Factors(near) => Aid::Merged(merged, near),
        _ => Aid::Nothing,
    };
    Some(found)
}

fn symmetric(run: &mut Symmetric<'_>, request: &Request) -> Result<Modes, EigenError> {
    let tau = std::f64::consts::TAU;
    match *request {
        Request::Lowest { count } => run.lowest(count),
        Request::NearFrequency { hz, count } => run.near(c64::new(0.0, tau * hz), count, false),
        Request::NearPoint { s, count } => run.near(s, count, true),
        Request::Band { from_hz, to_hz, .. } => run.band(from_hz, to_hz),
        Request::Largest { count } => run.largest(count),
        Request::All => run.lowest(run.problem.dof()),
    }
}

fn general(run: &mut General<'_>, request: &Request) -> Result<Vec<Uncertified>, EigenError> {
    let tau = std::f64::consts::TAU;
    match *request {
        Request::Lowest { count } => run.lowest(count),
        Request::NearFrequency { hz, count } => run.near(c64::new(0.0, tau * hz), count, Counting::Modes),
        Request::NearPoint { s, count } => run.near(s, count, Counting::Eigenvalues),
        Request::Band { from_hz, to_hz, max_damping_ratio } => {
            run.band(tau * from_hz, tau * to_hz, max_damping_ratio)
        }
        Request::Largest { count } => run.largest(count),
        Request::All => run.lowest(2 * run.problem.dof()),
    }
}

/// Where no shift near what is asked for is regular, or the leading matrix is singular, small problems still have the dense path, which
/// distinguishes indeterminate and infinite eigenvalues from the others; of large ones that are regular elsewhere it is reported.
fn singular(
    pencil: &QuadraticPencil<Sparse>,
    parts: Option<&StiffnessParts>,
    problem: &Problem,
    request: &Request,
    options: &SparseOptions,
    keeps_left: bool,
    error: EigenError,
) -> Result<Spectrum, EigenError> {
    if problem.n <= options.expert.dense_limit {
        return dense(pencil, parts, problem, request, options, keeps_left);
    }
    let EigenError::NoRegularShift { re, im, .. } = error else { return Err(error) };
    // Where a problem that is singular near one shift is tried for being singular everywhere: in units of the frequency that makes |M|
    // and |K| equal, a real number that no model has reason to have as an eigenvalue.
    let s = tuning::MAINLY * problem.frequency_squared().sqrt();
    if problem.factor(s * s, s).is_err() {
        return Err(error);
    }
    // How many eigenvalues the digits leave open, where they can be counted.
    problem.most_eigenvalues(true);
    let reason = format!(
        "near s = {re:.6e} {im:+.6e}i rad/s the matrix of the equations is singular to rounding, though it is not elsewhere, so that \
         eigenvalues there have no digits; ask for the lowest modes, or for those near another point"
    );
    let mut findings = problem.rows.findings.clone();
    findings.push(SparseFinding::Undecided { reason }.into());
    Ok(part_of(problem, Method::of(Form::of(problem)), Vec::new(), findings))
}

/// The whole spectrum by the dense path, and what the request asks of it.
fn dense(
    pencil: &QuadraticPencil<Sparse>,
    parts: Option<&StiffnessParts>,
    problem: &Problem,
    request: &Request,
    options: &SparseOptions,
    keeps_left: bool,
) -> Result<Spectrum, EigenError> {
    let bytes = 8 * 24 * problem.n * problem.n;
    if problem.n > options.expert.all_limit {
        return Err(EigenError::TooLarge { size: problem.n, bytes, limit: options.expert.all_limit });
    }
    let keeps_at_interrupt = options.expert.keeps_at_interrupt;
    let settings = DenseOptions { keeps_at_interrupt, ..dense_options(options) };
    let undamped = problem.undamped();
    let some = |raws: &[Raw]| {
        if undamped { selection::oscillations(raws, request, 2 * problem.dof()) } else { None }
    };
    let mut spectrum = dense::solve_some(&pencil.to_dense(), &settings, &some)?;
    settle_lost(pencil, parts, options, &mut spectrum);
    Ok(asked_of(spectrum, problem, request, keeps_left))
}

/// The options of the dense path.
fn dense_options(options: &SparseOptions) -> DenseOptions {
    DenseOptions {
        constraint_rank: options.expert.constraint_rank,
        symmetry_tolerance: options.expert.symmetry_tolerance,
        most_zeros: options.expert.most_zeros,
        ..DenseOptions::default()
    }
}

/// What a request asks of the whole spectrum.
fn asked_of(mut spectrum: Spectrum, problem: &Problem, request: &Request, keeps_left: bool) -> Spectrum {
    if !keeps_left {
        spectrum.eigenpairs = spectrum.eigenpairs.into_iter().map(Eigenpair::without_left).collect();
    }
    if *request == Request::All {
        return spectrum;
    }
    whole::keep_asked(&mut spectrum, request, problem.undamped(), problem.dof());
    spectrum
}
