//! From a request to the method that answers it.

use std::sync::Arc;

use mb_algebra::{QuadraticPencil, Sparse, StiffnessParts, c64};

use super::memory;
use crate::certify::sparse::{Aid, Certifier, Root};
use crate::completeness::growth;
use crate::dense::{Kind, Raw};
use crate::finding::SparseFinding;
use crate::krylov::KrylovDriver;
use crate::options::{SparseOptions, Structure};
use crate::problem::Problem;
use crate::problem::condensation::Merged;
use crate::request::Request;
use crate::search::from_undamped;
use crate::search::hermitian::{Modes, Symmetric};
use crate::search::multiplicity_cut;
use crate::search::non_hermitian::General;
use crate::{
    Class, Counts, DenseOptions, EigenError, Eigenpair, ExpectedCounts, Finding, Shape, Spectrum, dense,
};

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
///     assert!((s - c64::new(0.0, exact)).norm() <= mode.error_bar + 1e-15);
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
/// `parts`: n x n each, their sum is `pencil.k` but for one rounding of each entry. Bars of pairs of symmetric problems that
/// needed doubled precision then hold for the model behind the matrices, rounding of their entries included; without parts
/// they hold for the matrices as given. Errors as [`solve`].
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
    let driver = options.solver.driver()?;
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
            Ok(Found { roots, findings, aid }) => {
                let mut spectrum = finish_with(&problem, roots, findings, keeps_left, aid);
                keep_band(&mut spectrum, request);
                tell_lost(&mut spectrum, request);
                let tolerance = options.zero_tolerance;
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
        Ok(roots) => {
            findings.append(&mut run.findings);
            if !matches!(request, Request::Lowest { .. }) {
                let mut spectrum = finish(&problem, roots, findings, keeps_left);
                keep_band(&mut spectrum, request);
                tell_lost(&mut spectrum, request);
                growth::report(&mut spectrum, pencil, &problem, options);
                return Ok(spectrum);
            }
            let certifier = Certifier::new(&problem, keeps_left);
            let mut heads: Vec<Root> = roots.iter().map(Root::head).collect();
            let mut first = certifier.measured_once(roots);
            from_undamped::improve(&problem, &certifier, options, driver.as_ref(), &mut heads, &mut first);
            let pairs = certifier.improved_each(first).into_iter().map(Some).collect();
            let pairs = certifier.certify_others(heads, pairs);
            let mut spectrum = finished(&problem, &certifier, pairs, findings);
            tell_lost(&mut spectrum, request);
            growth::report(&mut spectrum, pencil, &problem, options);
            Ok(spectrum)
        }
        Err(error @ (EigenError::NoRegularShift { .. } | EigenError::NoLargest { .. })) => {
            singular(pencil, &problem, request, options, keeps_left, error)
        }
        Err(error) => Err(error),
    }
}

/// Roots of an undamped symmetric problem before they are certified.
pub(crate) struct Found {
    pub(crate) roots: Vec<Root>,
    pub(crate) findings: Vec<Finding>,
    /// What the search has left.
    pub(crate) aid: Aid,
}

/// The roots of an undamped symmetric problem that a request asks for.
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
    let (roots, cut) = roots(problem, &modes, request);
    findings.extend(cut);
    Ok(Found { roots, findings, aid })
}

/// The modes in fewer coordinates, where many are tied to each other; what went wrong there is told by the whole problem.
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
        Aid::Factors(beside) => Aid::Merged(merged, beside),
        _ => Aid::Nothing,
    };
    Some((modes, findings, aid))
}

/// Coordinates up to which damped and unsymmetric problems go to the dense path whatever is asked for.
const TINY: usize = 40;
/// Distance from an end of a band, relative to its upper end, at which an eigenvalue lies on it: rounding of the end and of 2 pi.
const EDGE: f64 = 4.0 * f64::EPSILON;
/// Bound of a mode beside a band, relative to its width, from which on it is open what the band holds: what a plot of it would show.
const BLURRED: f64 = 1e-3;
/// Width of a band relative to its upper end that counts at least.
const NARROWEST: f64 = 1e-6;
/// Backward error, or violation of the constraints, above which a pair is none of the problem.
const NO_ROOT: f64 = 1e-6;

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

fn general(run: &mut General<'_>, request: &Request) -> Result<Vec<Root>, EigenError> {
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

/// The smallest relative stiffness among the roots that are not zero, but no further from it than their error bars.
fn blurred_zero(problem: &Problem, spectrum: &Spectrum) -> Option<f64> {
    let within = |pair: &&Eigenpair| {
        let nonzero = pair.value().filter(|s| s.norm() > 0.0);
        pair.class == Class::Physical && nonzero.is_some_and(|s| s.norm() <= pair.error_bar)
    };
    let relative = |pair: &Eigenpair| problem.k.relative_form(&pair.right.real_parts());
    spectrum.pairs.iter().filter(within).map(relative).reduce(f64::min)
}

/// Certifies roots.
fn finish(problem: &Problem, roots: Vec<Root>, findings: Vec<Finding>, keeps_left: bool) -> Spectrum {
    finish_with(problem, roots, findings, keeps_left, Aid::Nothing)
}

/// The same, with what the search for the roots has left.
fn finish_with(
    problem: &Problem,
    roots: Vec<Root>,
    findings: Vec<Finding>,
    keeps_left: bool,
    aid: Aid,
) -> Spectrum {
    let certifier = Certifier::new(problem, keeps_left);
    let pairs = certifier.certify_with(roots, aid);
    finished(problem, &certifier, pairs, findings)
}

/// Where pairs were left out that were counted among those asked for, fewer converged; what was said of their number is not true of
/// what is there.
fn tell_lost(spectrum: &mut Spectrum, request: &Request) {
    let dropped = spectrum.findings.iter().find_map(|finding| match finding {
        Finding::Sparse { detail: SparseFinding::Dropped { roots, .. } } => Some(*roots),
        _ => None,
    });
    let Some(dropped) = dropped else { return };
    let each = matches!(request, Request::NearPoint { .. });
    // One of two conjugates, of two opposite roots and of a double zero.
    let second = |i: usize, pair: &Eigenpair| {
        let before = i.checked_sub(1).and_then(|i| spectrum.pairs.get(i));
        before.is_some_and(|other| {
            let opposite = pair.alpha == -other.alpha && other.alpha.re > 0.0;
            (pair.alpha.im < 0.0 && pair.alpha == other.alpha.conj()) || opposite
        })
    };
    let chained = spectrum.pairs.iter().filter(|pair| pair.class == Class::Rigid && pair.chain == 2).count();
    let modes = spectrum.pairs.iter().enumerate().filter(|(i, pair)| each || !second(*i, pair)).count();
    let found = if each { modes } else { modes - chained / 2 };
    let wanted = request.count().unwrap_or(found + dropped);
    if found >= wanted {
        return;
    }
    spectrum.findings.retain(|finding| {
        let Finding::Sparse { detail } = finding else { return true };
        !matches!(
            detail,
            SparseFinding::Complete { .. }
                | SparseFinding::CompleteAbove { .. }
                | SparseFinding::CompleteInside { .. }
                | SparseFinding::CompleteOutside { .. }
                | SparseFinding::FewerExist { .. }
        )
    });
    spectrum.findings.push(SparseFinding::Lost { lost: dropped, found, wanted }.into());
}

/// The result, without what turned out to be no pair.
fn finished(
    problem: &Problem,
    certifier: &Certifier<'_>,
    mut pairs: Vec<Eigenpair>,
    mut findings: Vec<Finding>,
) -> Spectrum {
    findings.extend(certifier.findings());
    // Of both kinds of equations.
    let left_over = |pair: &Eigenpair| pair.backward_error.max(pair.constraint_violation);
    let worst = |pair: &Eigenpair| left_over(pair) > NO_ROOT;
    let dropped = pairs.iter().filter(|pair| worst(pair)).count();
    if dropped > 0 {
        let errors = pairs.iter().filter(|pair| worst(pair)).map(left_over);
        let backward_error = errors.fold(f64::INFINITY, f64::min);
        findings.push(SparseFinding::Dropped { roots: dropped, backward_error }.into());
        pairs.retain(|pair| !worst(pair));
    }
    Spectrum::partial(pairs, counts(problem), findings)
}

pub(crate) fn counts(problem: &Problem) -> Counts {
    Counts {
        n: problem.n,
        m: problem.rows.m,
        rank: problem.rows.rank,
        expected: ExpectedCounts { motion: problem.expected_roots(), ..ExpectedCounts::default() },
        ..Counts::default()
    }
}

/// The roots of symmetric modes, one for each.
pub(crate) fn roots_of(problem: &Problem, modes: &Modes) -> Vec<Root> {
    let l = problem.rows.multipliers(&modes.l);
    let mut mx = mb_algebra::Dense::zeros(problem.n, 1);
    let mut out = Vec::with_capacity(modes.w.len());
    for (j, &w) in modes.w.iter().enumerate() {
        let rigid = j < modes.rigid;
        let x = modes.x.col_as_slice(j);
        problem.m.mul_into(modes.x.as_ref().subcols(j, 1), mx.as_mut());
        let mass: f64 = x.iter().zip(mx.col_as_slice(0)).map(|(x, m)| x * m).sum();
        let square: f64 = x.iter().map(|x| x * x).sum();
        let s = if rigid { c64::new(0.0, 0.0) } else { multiplicity_cut::root(w) };
        out.push(Root {
            s,
            right: Shape::of_real(x.to_vec()),
            multipliers: Shape::of_real(l.col_as_slice(j).to_vec()),
            left: None,
            rigid,
            mirror: !rigid && w > 0.0,
            opposite: !rigid && w <= 0.0,
            chain: if rigid { 2 } else { 1 },
            curvature: mass / square,
        });
    }
    out
}

/// The roots of symmetric modes that a request asks for, and what there is to say of those it leaves out.
fn roots(problem: &Problem, modes: &Modes, request: &Request) -> (Vec<Root>, Vec<Finding>) {
    let out = roots_of(problem, modes);
    let Request::NearPoint { s, count } = *request else { return (out, Vec::new()) };
    // Every root counts for itself: split the pairs and keep the nearest.
    let mut single: Vec<Root> = out
        .into_iter()
        .flat_map(|root| {
            if root.rigid {
                return vec![root];
            }
            let one = Root { mirror: false, opposite: false, ..root };
            let other = Root { s: -one.s, ..one.clone() };
            vec![one, other]
        })
        .collect();
    single.sort_by(|a, b| (a.s - s).norm().total_cmp(&(b.s - s).norm()));
    let mut taken = 0;
    let kept = single.iter().take_while(|root| {
        let keep = taken < count;
        taken += root.chain;
        keep
    });
    let kept = kept.count();
    let s: Vec<c64> = single.iter().map(|root| root.s).collect();
    single.truncate(kept);
    (single, multiplicity_cut::told(&s[..kept], &s[kept..]))
}

/// Whether the dense path is quicker and takes the request.
pub(crate) fn goes_dense(problem: &Problem, request: &Request, options: &SparseOptions) -> bool {
    let small = problem.n <= options.dense_limit && options.structure != Structure::General;
    // Of so few damped coordinates all roots take less time than some with a proof that none is missing.
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

/// Where no shift is regular, or the leading matrix is singular, small problems still have the dense path, which tells
/// indeterminate and infinite roots from the others.
fn singular(
    pencil: &QuadraticPencil<Sparse>,
    problem: &Problem,
    request: &Request,
    options: &SparseOptions,
    keeps_left: bool,
    error: EigenError,
) -> Result<Spectrum, EigenError> {
    if problem.n > options.dense_limit {
        return Err(error);
    }
    dense(pencil, problem, request, options, keeps_left)
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
    if problem.n > options.all_limit {
        return Err(EigenError::TooLarge { size: problem.n, bytes, limit: options.all_limit });
    }
    let settings = DenseOptions {
        constraint_rank: options.constraint_rank,
        symmetry_tolerance: options.symmetry_tolerance,
        ..DenseOptions::default()
    };
    let undamped = problem.undamped();
    let some = |raws: &[Raw]| if undamped { oscillations(raws, request, 2 * problem.dof()) } else { None };
    let mut spectrum = dense::solve_some(&pencil.to_dense(), &settings, &some)?;
    if !keeps_left {
        spectrum.pairs = spectrum.pairs.into_iter().map(Eigenpair::without_left).collect();
    }
    if *request == Request::All {
        return Ok(spectrum);
    }
    let wanted = request.count();
    let (kept, modes, cut) = choose(&spectrum.pairs, request, undamped);
    spectrum.findings.extend(cut);
    let counted = growth::count(&spectrum.pairs);
    let mut index = 0;
    spectrum.pairs.retain(|_| {
        index += 1;
        kept[index - 1]
    });
    growth::not_shown(&mut spectrum, counted);
    keep_band(&mut spectrum, request);
    spectrum.findings.retain(|finding| !matches!(finding, Finding::PoorAccuracy { .. }));
    if let Some(wanted) = wanted.filter(|wanted| *wanted > modes) {
        let dof = problem.dof();
        spectrum.findings.push(SparseFinding::FewerExist { wanted, exist: modes, dof }.into());
    }
    spectrum.counts.found = crate::ClassCounts::of(&spectrum.pairs);
    Ok(spectrum)
}

/// Marks the roots that have a chance to be asked for, one mode more than are, where all roots are conjugate pairs on the
/// imaginary axis and double zeros, `expected` in all; none where a request or the roots are of another kind.
fn oscillations(raws: &[Raw], request: &Request, expected: usize) -> Option<Vec<bool>> {
    let count = match *request {
        Request::All | Request::Band { .. } | Request::NearPoint { .. } => return None,
        Request::Lowest { count } | Request::Largest { count } | Request::NearFrequency { count, .. } => {
            count
        }
    };
    let zero = |raw: &Raw| raw.kind == Kind::Zero && raw.chain == 2;
    let roots: usize = raws.iter().map(|raw| if raw.mirror { 2 } else { 1 }).sum();
    if roots != expected || !raws.iter().all(|raw| raw.mirror || zero(raw)) {
        return None;
    }
    let key = |raw: &Raw| match *request {
        Request::NearFrequency { hz, .. } => (raw.value().im.abs() - std::f64::consts::TAU * hz).abs(),
        Request::Largest { .. } => -raw.value().norm(),
        _ => raw.value().norm(),
    };
    let mut order: Vec<usize> = (0..raws.len()).collect();
    order.sort_by(|&i, &j| key(&raws[i]).total_cmp(&key(&raws[j])));
    // A double zero stands as two roots behind each other.
    let (mut left, mut chosen) = (2 * (count + 1), vec![false; raws.len()]);
    for i in order {
        if left == 0 {
            break;
        }
        chosen[i] = true;
        left = left.saturating_sub(if raws[i].mirror { 2 } else { 1 });
    }
    Some(chosen)
}

/// Whether a request for a band asks for an eigenvalue: one whose damped frequency is in the band, or may be for all that its error bound
/// says, and whose damping ratio is no larger than asked for. All are in the band of other requests.
fn in_band(s: c64, error: f64, request: &Request) -> bool {
    let Request::Band { from_hz, to_hz, max_damping_ratio } = *request else { return true };
    let tau = std::f64::consts::TAU;
    // The ends are given in Hz, whose product with 2 pi is rounded.
    let slack = EDGE * tau * to_hz + if error.is_finite() { error } else { 0.0 };
    // A root that only grows or decays has no frequency.
    if s.im == 0.0 && s.re != 0.0 {
        return false;
    }
    let omega = s.im.abs();
    let light = max_damping_ratio.is_none_or(|most| -s.re <= most * s.norm());
    omega >= tau * from_hz - slack && omega <= tau * to_hz + slack && light
}

/// Takes out what is outside a band once its eigenvalues have all their digits.
fn keep_band(spectrum: &mut Spectrum, request: &Request) {
    let Request::Band { from_hz, to_hz, max_damping_ratio } = *request else { return };
    let inside = |pair: &Eigenpair| pair.value().is_none_or(|s| in_band(s, pair.error_bar, request));
    spectrum.pairs.retain(inside);
    spectrum.counts.found = crate::ClassCounts::of(&spectrum.pairs);
    let width = std::f64::consts::TAU * (to_hz - from_hz).max(NARROWEST * to_hz);
    let open = |pair: &Eigenpair| {
        let outside = pair.value().is_some_and(|s| !in_band(s, 0.0, request));
        outside && pair.error_bar > BLURRED * width
    };
    if spectrum.pairs.iter().any(open) {
        let reason = "error bounds of some modes reach across the ends of the band: the digits of the matrices do not say whether \
                      these lie in it";
        spectrum.findings.push(SparseFinding::Unproved { reason: reason.to_owned() }.into());
    }
    let empty = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::EmptyBand { .. } });
    if spectrum.pairs.is_empty() && !spectrum.findings.iter().any(empty) {
        spectrum.findings.push(SparseFinding::EmptyBand { from_hz, to_hz, max_damping_ratio }.into());
    }
}

/// Marks the pairs a request asks for; the number of modes among them, and what there is to say of those left out.
fn choose(pairs: &[Eigenpair], request: &Request, undamped: bool) -> (Vec<bool>, usize, Vec<Finding>) {
    let tau = std::f64::consts::TAU;
    let mut kept = vec![false; pairs.len()];
    let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
    let each = matches!(request, Request::NearPoint { .. });
    let key = |s: c64| match *request {
        Request::NearFrequency { hz, .. } => (s - c64::new(0.0, tau * hz)).norm(),
        Request::NearPoint { s: point, .. } => (s - point).norm(),
        Request::Largest { .. } => -s.norm(),
        _ => s.norm(),
    };
    let mut i = 0;
    while i < pairs.len() {
        let (Some(s), true) = (pairs[i].value(), pairs[i].class.is_motion()) else {
            i += 1;
            continue;
        };
        let next = pairs.get(i + 1).and_then(Eigenpair::value);
        // Conjugates are neighbours; so are +-s of undamped problems and the two zeros of a chain.
        let together = !each
            && match next {
                Some(next) if s.im > 0.0 => next == s.conj(),
                Some(next) if pairs[i].class == Class::Rigid => pairs[i].chain == 2 && next == s,
                Some(next) => undamped && (next + s).norm() <= 1e-9 * s.norm(),
                None => false,
            };
        let members = if together { vec![i, i + 1] } else { vec![i] };
        i += members.len();
        if in_band(s, pairs[members[0]].error_bar, request) {
            groups.push((key(s), members));
        }
    }
    groups.sort_by(|a, b| a.0.total_cmp(&b.0));
    let s: Vec<c64> = groups.iter().filter_map(|(_, members)| pairs[members[0]].value()).collect();
    groups.truncate(request.count().unwrap_or(groups.len()));
    let cut = multiplicity_cut::told(&s[..groups.len()], &s[groups.len()..]);
    for (_, members) in &groups {
        for &i in members {
            kept[i] = true;
        }
    }
    (kept, groups.len(), cut)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let root = |x: [f64; 2]| {
            let shape = |of: &[f64]| Shape::of_real(of.to_vec());
            Root::oscillating(c64::new(0.0, 2.0), shape(&x), shape(&[0.0]))
        };
        let found = finish(&problem, vec![root([1.0, 1.0]), root([1.0, 0.0])], Vec::new(), false);
        assert_eq!(found.pairs.len(), 2);
        assert!(found.pairs.iter().all(|pair| pair.constraint_violation < 1e-15));
        let dropped =
            |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::Dropped { roots: 2, .. } });
        assert!(found.findings.iter().any(dropped), "{:?}", found.findings);
    }
}
