//! From a request to the method that answers it.

use std::sync::Arc;

use mb_algebra::{Cholesky, Dense, QuadraticPencil, Sparse, StiffnessParts, c64};

use super::memory;
use crate::certify::sparse::{Aid, Certifier};
use crate::certify::zeros;
use crate::completeness::growth;
use crate::dense::Raw;
use crate::finding::SparseFinding;
use crate::krylov::KrylovDriver;
use crate::options::{SparseOptions, Structure};
use crate::problem::Problem;
use crate::problem::condensation::Merged;
use crate::problem::modes::Modes;
use crate::problem::uncertified::Uncertified;
use crate::request::Request;
use crate::search::from_undamped;
use crate::search::hermitian::Symmetric;
use crate::search::non_hermitian::General;
use crate::search::selection;
use crate::{Class, Counts, DenseOptions, EigenError, Eigenpair, ExpectedCounts, Finding, Spectrum, dense};

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
    solve_with(pencil, None, request, options, options.left_vectors)
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
    solve_with(pencil, parts, request, options, options.left_vectors)
}

/// [`solve_in_parts`]; `keeps_left`: left vectors stay, with as many digits as the options ask for.
pub(crate) fn solve_with(
    pencil: &QuadraticPencil<Sparse>,
    parts: Option<&StiffnessParts>,
    request: &Request,
    options: &SparseOptions,
    keeps_left: bool,
) -> Result<Spectrum, EigenError> {
    request.check()?;
    let driver = options.expert.solver.driver()?;
    memory::keep_for_vectors_of(pencil.k.rows());
    let problem = Problem::new(pencil, options)?.with_parts(parts, options)?;
    if problem.dof() == 0 || request.count() == Some(0) {
        return Ok(finish(&problem, Vec::new(), problem.rows.findings.clone(), keeps_left));
    }
    if goes_dense(&problem, request, options) {
        return dense(pencil, &problem, request, options, keeps_left);
    }
    let mut findings = problem.rows.findings.clone();
    if problem.symmetric && problem.undamped() {
        match undamped(&problem, request, options, driver.as_ref()) {
            Ok(Found { uncertified, findings, aid }) => {
                let mut spectrum = finish_with(&problem, uncertified, findings, keeps_left, aid);
                selection::keep(&mut spectrum, request, true);
                let tolerance = options.expert.zero_tolerance;
                let blurred = blurred_zero(&problem, &spectrum);
                let told = |relative| Finding::NearlyZeroStiffness { relative, tolerance };
                spectrum.findings.extend(blurred.map(told));
                return Ok(spectrum);
            }
            Err(EigenError::IndefiniteMetric) => findings.push(Finding::IndefiniteMass),
            Err(error @ (EigenError::NoRegularShift { .. } | EigenError::NoLargest { .. })) => {
                return singular(pencil, &problem, request, options, keeps_left, error);
            }
            Err(error) => return Err(error),
        }
    }
    let mut run = General::new(&problem, options, driver.as_ref());
    match general(&mut run, request) {
        Ok(uncertified) => {
            findings.append(&mut run.findings);
            if !matches!(request, Request::Lowest { .. }) {
                let mut spectrum = finish(&problem, uncertified, findings, keeps_left);
                selection::keep(&mut spectrum, request, problem.undamped());
                growth::report(&mut spectrum, pencil, &problem, options);
                return Ok(spectrum);
            }
            let certifier = Certifier::new(&problem, keeps_left);
            let mut heads: Vec<Uncertified> = uncertified.iter().map(Uncertified::head).collect();
            let mut first = certifier.measured_once(uncertified);
            from_undamped::improve(&problem, &certifier, options, driver.as_ref(), &mut heads, &mut first);
            let pairs = certifier.improved_each(first).into_iter().map(Some).collect();
            let pairs = certifier.certify_others(heads, pairs);
            let mut spectrum = finished(&problem, &certifier, pairs, findings);
            selection::keep(&mut spectrum, request, problem.undamped());
            growth::report(&mut spectrum, pencil, &problem, options);
            Ok(spectrum)
        }
        Err(error @ (EigenError::NoRegularShift { .. } | EigenError::NoLargest { .. })) => {
            singular(pencil, &problem, request, options, keeps_left, error)
        }
        Err(error) => Err(error),
    }
}

/// Eigenvalues of an undamped symmetric problem before they are certified.
pub(crate) struct Found {
    pub(crate) uncertified: Vec<Uncertified>,
    pub(crate) findings: Vec<Finding>,
    /// What the search has left.
    pub(crate) aid: Aid,
}

/// The eigenvalues of an undamped symmetric problem that a request asks for.
pub(crate) fn undamped(
    problem: &Problem,
    request: &Request,
    options: &SparseOptions,
    driver: &dyn KrylovDriver,
) -> Result<Found, EigenError> {
    let found = merged(problem, request, options, driver);
    let (modes, told, aid) = if let Some(found) = found {
        found
    } else {
        let mut run = Symmetric::new(problem, options, driver);
        (symmetric(&mut run, request)?, run.findings, run.aid)
    };
    let mut findings = problem.rows.findings.clone();
    findings.extend(told);
    Ok(Found { uncertified: modes.uncertified(problem), findings, aid })
}

/// The modes in fewer coordinates, where many are tied to each other; what went wrong there the whole problem reports.
fn merged(
    problem: &Problem,
    request: &Request,
    options: &SparseOptions,
    driver: &dyn KrylovDriver,
) -> Option<(Modes, Vec<Finding>, Aid)> {
    let merged = Arc::new(Merged::of(problem, options)?);
    let mut run = Symmetric::new(&merged.problem, options, driver);
    let modes = symmetric(&mut run, request).ok()?;
    let (findings, aid) = (run.findings, run.aid);
    let modes = merged.unfold(problem, &modes);
    let aid = match aid {
        Aid::Factors(near) => Aid::Merged(merged, near),
        _ => Aid::Nothing,
    };
    Some((modes, findings, aid))
}

/// Coordinates up to which damped and unsymmetric problems go to the dense path whatever is asked for.
const TINY: usize = 40;
/// Where a problem that is singular near one shift is tried for being singular everywhere: in units of the frequency that makes |M| and |K|
/// equal, a real number that no model has reason to have as an eigenvalue.
const ELSEWHERE: f64 = 0.7;
/// Backward error, or violation of the constraints, above which an eigenpair is rejected.
const NO_EIGENVALUE: f64 = 1e-6;
/// The same where the error bound is as large as the eigenvalue, so that the eigenpair adds no information.
const NO_DIGIT: f64 = 1e-8;

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
        Request::NearFrequency { hz, count } => run.near_frequency(tau * hz, count),
        Request::NearPoint { s, count } => run.near_point(s, count),
        Request::Band { from_hz, to_hz, max_damping_ratio } => {
            run.band(tau * from_hz, tau * to_hz, max_damping_ratio)
        }
        Request::Largest { count } => run.largest(count),
        Request::All => run.lowest(2 * run.problem.dof()),
    }
}

/// The smallest relative stiffness among the eigenvalues that are not zero, but no further from it than their error
/// bounds.
fn blurred_zero(problem: &Problem, spectrum: &Spectrum) -> Option<f64> {
    let within = |pair: &&Eigenpair| {
        let nonzero = pair.value().filter(|s| s.norm() > 0.0);
        pair.class == Class::Physical && nonzero.is_some_and(|s| s.norm() <= pair.error_bound)
    };
    let relative = |pair: &Eigenpair| problem.k.relative_form(&pair.right.real_parts());
    spectrum.eigenpairs.iter().filter(within).map(relative).reduce(f64::min)
}

/// Certifies eigenvalues.
fn finish(
    problem: &Problem,
    uncertified: Vec<Uncertified>,
    findings: Vec<Finding>,
    keeps_left: bool,
) -> Spectrum {
    finish_with(problem, uncertified, findings, keeps_left, Aid::Nothing)
}

/// The same, with what the search for the eigenvalues has left.
pub(crate) fn finish_with(
    problem: &Problem,
    uncertified: Vec<Uncertified>,
    findings: Vec<Finding>,
    keeps_left: bool,
    aid: Aid,
) -> Spectrum {
    let certifier = Certifier::new(problem, keeps_left);
    let pairs = certifier.certify_with(uncertified, aid);
    finished(problem, &certifier, pairs, findings)
}

/// The result, without rejected eigenpairs.
pub(crate) fn finished(
    problem: &Problem,
    certifier: &Certifier<'_>,
    mut pairs: Vec<Eigenpair>,
    mut findings: Vec<Finding>,
) -> Spectrum {
    findings.extend(certifier.findings());
    // Of both kinds of equations.
    let left_over = |pair: &Eigenpair| pair.backward_error.max(pair.constraint_violation);
    let worst =
        |pair: &Eigenpair| left_over(pair) > if pair.is_determined() { NO_EIGENVALUE } else { NO_DIGIT };
    let dropped = pairs.iter().filter(|pair| worst(pair)).count();
    if dropped > 0 {
        let errors = pairs.iter().filter(|pair| worst(pair)).map(left_over);
        let backward_error = errors.fold(f64::INFINITY, f64::min);
        findings.push(SparseFinding::Dropped { eigenvalues: dropped, backward_error }.into());
        pairs.retain(|pair| !worst(pair));
    }
    let modes = drop_repeated(problem, &mut pairs) + drop_surplus(2 * problem.dof(), &mut pairs);
    if modes > 0 {
        findings.push(SparseFinding::Repeated { modes }.into());
    }
    findings.extend(zeros::by_rounding(problem, &pairs));
    part_of(problem, pairs, findings)
}

/// Part of the spectrum of a problem, with what theory counts and what the digits of the matrices leave open of that.
pub(crate) fn part_of(problem: &Problem, pairs: Vec<Eigenpair>, mut findings: Vec<Finding>) -> Spectrum {
    let counts = counts(problem);
    findings.extend(problem.open_eigenvalues());
    Spectrum::partial(pairs, counts, findings)
}

/// Where more finite eigenvalues were found than can exist, some of them are found twice: leaves out those whose bounds are widest
/// for their size, with their conjugates; how many modes.
fn drop_surplus(most: usize, pairs: &mut Vec<Eigenpair>) -> usize {
    let mut modes = 0;
    while pairs.iter().filter(|pair| pair.class.is_motion()).count() > most {
        let width = |pair: &Eigenpair| pair.error_bound / pair.value().map_or(f64::INFINITY, c64::norm);
        let physical = pairs.iter().filter(|pair| pair.class == Class::Physical);
        let Some(worst) = physical.max_by(|a, b| width(a).total_cmp(&width(b))) else { break };
        let both = [worst.value(), worst.value().map(|s| s.conj())];
        let mut left = if worst.alpha.im == 0.0 { 1 } else { 2 };
        pairs.retain(|pair| {
            let drop = both.contains(&pair.value()) && pair.class == Class::Physical && left > 0;
            left -= usize::from(drop);
            !drop
        });
        modes += 1;
    }
    modes
}

/// Share of a vector, squared and in the metric of the mass, in the span of others, from which on it is no mode of its own; those of
/// different modes are orthogonal.
const SAME_MODES: f64 = 0.5;

/// Leaves out what several searches have found again of the modes of an undamped symmetric problem; how many modes.
///
/// Of a multiple eigenvalue any vectors of its space may have been found: each is held against the span of those with narrower bounds that
/// may belong to the same eigenvalue.
fn drop_repeated(problem: &Problem, pairs: &mut Vec<Eigenpair>) -> usize {
    if !(problem.symmetric && problem.undamped()) {
        return 0;
    }
    let form = |x: &Eigenpair, y: &Eigenpair| {
        crate::numeric::double_double::bilinear_sparse(problem.m.sparse(), &x.right, &y.right).re
    };
    // A mode has the eigenvalues s and -s with one vector, which are two even where their error bounds reach each other.
    let upper_half = |s: c64| s.im > 0.0 || (s.im == 0.0 && s.re > 0.0);
    let near = |a: &Eigenpair, b: &Eigenpair| {
        let physical = a.class == Class::Physical && b.class == Class::Physical;
        let (Some(s), Some(t)) = (a.value(), b.value()) else { return false };
        physical && upper_half(s) == upper_half(t) && (s - t).norm() <= a.error_bound + b.error_bound
    };
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by(|i, j| pairs[*i].error_bound.total_cmp(&pairs[*j].error_bound));
    let mut kept: Vec<usize> = Vec::new();
    let mut repeated = vec![false; pairs.len()];
    for i in order {
        let own = &pairs[i];
        let others: Vec<&Eigenpair> =
            kept.iter().map(|j| &pairs[*j]).filter(|other| near(own, other)).collect();
        let gram = Dense::from_fn(others.len(), others.len(), |p, q| form(others[p], others[q]));
        let along: Vec<f64> = others.iter().map(|other| form(other, own)).collect();
        let of_all = Cholesky::new(&gram).map_or(0.0, |gram| {
            let shares = gram.solve(&along);
            shares.iter().zip(&along).map(|(share, along)| share * along).sum::<f64>()
        });
        // Where these depend on each other, as poor ones may, each of them says as much for itself.
        let of_each = along.iter().enumerate().map(|(p, along)| along * along / gram[(p, p)]);
        let inside = of_each.fold(of_all, f64::max);
        repeated[i] = !others.is_empty() && inside > SAME_MODES * form(own, own);
        if !repeated[i] {
            kept.push(i);
        }
    }
    let is_upper = |pair: &Eigenpair| pair.value().is_some_and(upper_half);
    let modes = pairs.iter().zip(&repeated).filter(|(pair, repeated)| **repeated && is_upper(pair)).count();
    let mut kept = repeated.iter().map(|repeated| !repeated);
    pairs.retain(|_| kept.next().unwrap_or(true));
    modes
}

pub(crate) fn counts(problem: &Problem) -> Counts {
    Counts {
        n: problem.n,
        m: problem.rows.m,
        rank: problem.rows.rank,
        expected: ExpectedCounts { motion: problem.expected_eigenvalues(), ..ExpectedCounts::default() },
        ..Counts::default()
    }
}

/// Whether the dense path is quicker and takes the request.
pub(crate) fn goes_dense(problem: &Problem, request: &Request, options: &SparseOptions) -> bool {
    let small = problem.n <= options.expert.dense_limit && options.expert.structure != Structure::General;
    // Of so few damped coordinates all eigenvalues take less time than some with a proof that none is missing.
    let tiny = small && problem.n <= TINY && !(problem.symmetric && problem.undamped());
    match *request {
        Request::All => true,
        Request::Lowest { count }
        | Request::Largest { count }
        | Request::NearFrequency { count, .. }
        | Request::NearPoint { count, .. } => tiny || (small && 3 * count >= problem.dof()),
        Request::Band { .. } => false,
    }
}

/// Where no shift near what is asked for is regular, or the leading matrix is singular, small problems still have the dense path, which
/// distinguishes indeterminate and infinite eigenvalues from the others; of large ones that are regular elsewhere it is reported.
fn singular(
    pencil: &QuadraticPencil<Sparse>,
    problem: &Problem,
    request: &Request,
    options: &SparseOptions,
    keeps_left: bool,
    error: EigenError,
) -> Result<Spectrum, EigenError> {
    if problem.n <= options.expert.dense_limit {
        return dense(pencil, problem, request, options, keeps_left);
    }
    let EigenError::NoRegularShift { re, im, .. } = error else { return Err(error) };
    let s = ELSEWHERE * problem.frequency_squared().sqrt();
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
    Ok(part_of(problem, Vec::new(), findings))
}

/// The whole spectrum by the dense path, and what the request asks of it.
fn dense(
    pencil: &QuadraticPencil<Sparse>,
    problem: &Problem,
    request: &Request,
    options: &SparseOptions,
    keeps_left: bool,
) -> Result<Spectrum, EigenError> {
    let bytes = 8 * 24 * problem.n * problem.n;
    if problem.n > options.expert.all_limit {
        return Err(EigenError::TooLarge { size: problem.n, bytes, limit: options.expert.all_limit });
    }
    let settings = DenseOptions {
        constraint_rank: options.expert.constraint_rank,
        symmetry_tolerance: options.expert.symmetry_tolerance,
        most_zeros: options.expert.most_zeros,
        ..DenseOptions::default()
    };
    let undamped = problem.undamped();
    let some = |raws: &[Raw]| {
        if undamped { selection::oscillations(raws, request, 2 * problem.dof()) } else { None }
    };
    let mut spectrum = dense::solve_some(&pencil.to_dense(), &settings, &some)?;
    if !keeps_left {
        spectrum.eigenpairs = spectrum.eigenpairs.into_iter().map(Eigenpair::without_left).collect();
    }
    if *request == Request::All {
        return Ok(spectrum);
    }
    let counted = growth::count(&spectrum.eigenpairs);
    let modes = selection::keep_asked(&mut spectrum, request, undamped);
    growth::not_shown(&mut spectrum, counted);
    spectrum.findings.retain(|finding| !matches!(finding, Finding::PoorAccuracy { .. }));
    if let (Some(wanted), Some(modes)) = (request.count(), modes)
        && wanted > modes
    {
        let dof = problem.dof();
        spectrum.findings.push(SparseFinding::FewerExist { wanted, exist: modes, dof }.into());
    }
    Ok(spectrum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;
    use mb_algebra::{dense, sparse};

    #[test]
    fn vectors_that_break_the_constraints_are_no_modes() {
        // Two masses on springs of their own, tied to each other: the mode of both, and one of the first alone.
        let pencil = QuadraticPencil {
            m: sparse::diagonal(&[1.0, 1.0]),
            c: sparse::zeros(2, 2),
            k: sparse::diagonal(&[4.0, 4.0]),
            phi_q: mb_algebra::to_sparse(&dense::from_rows(&[&[1.0, -1.0]])),
        };
        let problem = Problem::new(&pencil, &SparseOptions::default()).unwrap();
        let approx = |x: [f64; 2]| {
            let shape = |of: &[f64]| Shape::of_real(of.to_vec());
            Uncertified::oscillating(c64::new(0.0, 2.0), shape(&x), shape(&[0.0]))
        };
        let found = finish(&problem, vec![approx([1.0, 1.0]), approx([1.0, 0.0])], Vec::new(), false);
        assert_eq!(found.eigenpairs.len(), 2);
        assert!(found.eigenpairs.iter().all(|pair| pair.constraint_violation < 1e-15));
        let dropped = |f: &Finding| {
            matches!(f, Finding::Sparse { detail: SparseFinding::Dropped { eigenvalues: 2, .. } })
        };
        assert!(found.findings.iter().any(dropped), "{:?}", found.findings);
    }

    #[test]
    fn a_third_vector_in_the_plane_of_a_double_eigenvalue_is_no_mode() {
        let pencil = QuadraticPencil {
            m: sparse::diagonal(&[1.0, 1.0, 1.0]),
            c: sparse::zeros(3, 3),
            k: sparse::diagonal(&[4.0, 4.0, 9.0]),
            phi_q: sparse::zeros(0, 3),
        };
        let problem = Problem::new(&pencil, &SparseOptions::default()).unwrap();
        let none = || Shape::of_real(Vec::new());
        let approx = |s: f64, x: [f64; 3]| {
            Uncertified::oscillating(c64::new(0.0, s), Shape::of_real(x.to_vec()), none())
        };
        // At 60 degrees to each other: no two of them are one mode.
        let half = 0.75_f64.sqrt();
        let plane = [[1.0, 0.0, 0.0], [0.5, half, 0.0], [-0.5, half, 0.0]];
        let mut uncertified: Vec<Uncertified> = plane.into_iter().map(|x| approx(2.0, x)).collect();
        uncertified.push(approx(3.0, [0.0, 0.0, 1.0]));
        let found = finish(&problem, uncertified, Vec::new(), false);
        assert_eq!(found.eigenpairs.len(), 6);
        let told =
            |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::Repeated { modes: 1 } });
        assert!(found.findings.iter().any(told), "{:?}", found.findings);
    }
}
