//! Answers for symmetric problems with proportional damping, C = a M + b K: eigenpairs from the modes of the undamped problem, certified on
//! the matrices as given.
//!
//! ```text
//! K x + Phi_q^T l = w M x:   s^2 + (a + b w) s + w = 0,   x and (1 + s b) l
//! ```
//!
//! What C as given deviates from a M + b K by, rounding of its entries, stands in the residuals and so in the error bounds.

use mb_algebra::c64;

use super::outcome::finished;
use super::solve::{Found, undamped_by};
use crate::certify::sparse::{Aid, Certifier, First};
use crate::certify::zeros;
use crate::completeness::growth;
use crate::krylov::KrylovDriver;
use crate::numeric::double_double::bilinear_sparse;
use crate::options::{SparseExpert, SparseOptions};
use crate::problem::Problem;
use crate::problem::modes::Modes;
use crate::problem::proportional::Proportional;
use crate::problem::uncertified::Uncertified;
use crate::refine::Given;
use crate::request::Request;
use crate::search::proportional::Asked;
use crate::search::selection;
use crate::transform::factors::Shifted;
use crate::{EigenError, Shape, Spectrum, refine, tuning};

/// The eigenvalues that a request asks for; none where the undamped problem does not determine them.
pub(super) fn solve(
    problem: &Problem,
    by: &Proportional,
    request: &Request,
    options: &SparseOptions,
    driver: &dyn KrylovDriver,
    keeps_left: bool,
) -> Result<Option<Spectrum>, EigenError> {
    let asked = Asked { by, request };
    let undamped = problem.without_damping();
    // Vectors are as good as one step of inverse iteration from here makes them: what they lack counts in the first order.
    let tolerance = options.expert.tolerance.min(tuning::SOLVE_ROUNDINGS);
    let options = SparseOptions { expert: SparseExpert { tolerance, ..options.expert }, ..*options };
    let found = match undamped_by(&undamped, &options, driver, &|run| run.proportional(asked)) {
        Ok(found) => found,
        Err(
            EigenError::IndefiniteMetric | EigenError::NoRegularShift { .. } | EigenError::NoLargest { .. },
        ) => None,
        Err(error) => return Err(error),
    };
    let Some(Found { early, method, modes, mut findings, aid, growing }) = found else { return Ok(None) };
    let Some((places, uncertified)) = eigenvalues(problem, asked, &modes) else { return Ok(None) };
    findings.extend(early.finding());
    let certify = || {
        let certifier = Certifier::new(problem, keeps_left);
        let heads: Vec<Uncertified> = uncertified.iter().map(Uncertified::head).collect();
        let mut first = certifier.measured_once(uncertified);
        let pairs = if early.ended() {
            first.into_iter().map(|first| first.pair).collect()
        } else {
            let origin = Origin { asked, undamped: &undamped, modes: &modes, places: &places };
            improve(&origin, problem, &certifier, aid, &heads, &mut first);
            certifier.improved_each(first)
        };
        let pairs = certifier.certify_others(heads, pairs.into_iter().map(Some).collect());
        let mut spectrum = finished(problem, method, &certifier, pairs, findings);
        selection::keep(&mut spectrum, request, false);
        if let Some(growing) = growing {
            growth::not_shown(&mut spectrum, growing);
        }
        spectrum
    };
    Ok(Some(early.finish(certify)))
}

/// The eigenvalues of some modes that a request may ask for, with the modes they are of; none where C leaves in doubt what the second ones of rigid modes are.
fn eigenvalues(problem: &Problem, asked: Asked<'_>, modes: &Modes) -> Option<(Vec<usize>, Vec<Uncertified>)> {
    let rigid = |j: usize| j < modes.rigid;
    let part = |a: &mb_algebra::Dense| a.as_ref().subcols(0, modes.rigid).to_owned();
    let open =
        zeros::of_space(problem, &part(&modes.x), &part(&modes.l)).map_or(0.0, |(_, width)| width.sqrt());
    let mut all: Vec<(c64, usize)> = Vec::new();
    for (j, w) in modes.w.iter().enumerate() {
        all.extend(asked.values(*w, rigid(j)).into_iter().map(|s| (s, j)));
    }
    let margin = |&(s, j): &(c64, usize)| {
        // Error of a w that is allowed for before it is certified, half of the digits; what counts as zero is within `open` of it.
        if rigid(j) { open } else { asked.by.moved(modes.w[j], s, tuning::SQRT_EPS * modes.w[j].abs()) }
    };
    if let Request::Band { .. } = *asked.request {
        // Others have no frequency, but zeros do.
        all.retain(|(s, j)| s.im > 0.0 || (rigid(*j) && *s == c64::default()));
    } else {
        let count = asked.request.count().unwrap_or(all.len());
        selection::about_first(&mut all, count, |(s, _)| selection::distance(asked.request, *s), margin);
    }
    // Both zeros of a rigid mode stand as one that is double.
    let double = asked.by.of_mass() == 0.0;
    all.dedup_by(|one, before| double && rigid(one.1) && one.1 == before.1);
    let l = problem.rows.multipliers(&modes.l);
    let none = mb_algebra::c64::default();
    let places = all.iter().map(|(_, j)| *j).collect();
    let uncertified: Option<Vec<Uncertified>> = all
        .into_iter()
        .map(|(s, j)| {
            let (x, own) = (modes.x.col_as_slice(j), l.col_as_slice(j));
            let zero = rigid(j) && s == none;
            if zero && double && is_damped(problem, x) {
                return None;
            }
            let multipliers = if zero {
                Shape::of_real(own.to_vec())
            } else {
                let by = asked.by.reaction(s);
                own.iter().map(|l| by * l).collect()
            };
            Some(Uncertified {
                rigid: zero,
                mirror: !asked.each() && s.im > 0.0,
                chain: if zero && double { 2 } else { 1 },
                curvature: if zero && double { curvature(problem, x) } else { 0.0 },
                ..Uncertified::simple(s, Shape::of_real(x.to_vec()), multipliers)
            })
        })
        .collect();
    Some((places, uncertified?))
}

/// Whether C as given damps a rigid mode by more than rounding of its entries.
fn is_damped(problem: &Problem, x: &[f64]) -> bool {
    let z = crate::numeric::vectors::complex(x);
    let sizes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let terms: f64 = problem.c.magnitude(&sizes).iter().zip(&sizes).map(|(c, x)| c * x).sum();
    bilinear_sparse(problem.c.sparse(), &z, &z).norm() > tuning::FEW_ROUNDINGS * terms
}

/// x^T M x over x^T x.
fn curvature(problem: &Problem, x: &[f64]) -> f64 {
    let mx = problem.m.mul(&mb_algebra::Dense::from_fn(x.len(), 1, |i, _| x[i]));
    let mass: f64 = x.iter().zip(mx.col_as_slice(0)).map(|(x, m)| x * m).sum();
    mass / x.iter().map(|x| x * x).sum::<f64>()
}

/// Where eigenpairs are from: which mode each of them is of.
struct Origin<'a> {
    asked: Asked<'a>,
    undamped: &'a Problem<'a>,
    modes: &'a Modes,
    places: &'a [usize],
}

/// Improves eigenpairs by the factors of the undamped problem: first modes that were not solved to rounding, as what breaks off in a small
/// Krylov space, then eigenpairs whose bounds are poor, in double-double precision.
fn improve(
    origin: &Origin<'_>,
    problem: &Problem,
    certifier: &Certifier<'_>,
    aid: Aid,
    heads: &[Uncertified],
    pairs: &mut [First],
) {
    let rough =
        |i: &usize| !heads[*i].rigid && pairs[*i].pair.backward_error > tuning::TWICE * problem.rounding();
    let rough: Vec<usize> = (0..pairs.len()).filter(rough).collect();
    if rough.is_empty() && !pairs.iter().any(|first| first.poor) {
        return;
    }
    let Some(near) = aid.factors(origin.undamped) else { return };
    if !rough.is_empty() {
        solve_to_rounding(origin, certifier, &near, heads, (&rough, pairs));
    }
    let poor: Vec<usize> = (0..pairs.len()).filter(|&i| pairs[i].poor).collect();
    let start = |&i: &usize| {
        let pair = &pairs[i].pair;
        let (right, multipliers) = (pair.right.clone(), pair.multipliers.clone());
        let s = pair.value().unwrap_or_default();
        Uncertified { s, right, multipliers, ..heads[i].head() }
    };
    let starts: Vec<Uncertified> = poor.iter().map(start).collect();
    let refined = || refine::refine_damped(problem, None, &near, &starts);
    let Some(found) = certifier.unless_interrupted(refined) else { return };
    for ((i, start), found) in poor.into_iter().zip(starts).zip(found) {
        let Some((found, true)) = found else { continue };
        let pair = certifier.certify_found(&start, &found);
        let (before, after) = (start.s, pair.value().unwrap_or_default());
        let old = &pairs[i].pair;
        if pair.error_bound < old.error_bound && (after - before).norm() <= old.error_bound {
            pairs[i] = First { pair, again: None, poor: false };
        }
    }
}

/// Puts eigenpairs of modes with residuals of rounding in the place of some with larger ones.
fn solve_to_rounding(
    origin: &Origin<'_>,
    certifier: &Certifier<'_>,
    near: &Shifted,
    heads: &[Uncertified],
    (rough, pairs): (&[usize], &mut [First]),
) {
    let Origin { asked, undamped, modes, places } = *origin;
    // Rigid ones are deflated, which a step would amplify.
    let known = modes.uncertified(undamped);
    let given: Vec<Given<'_>> = known.iter().map(Given::of_uncertified).collect();
    let mut wanted = vec![false; given.len()];
    for i in rough {
        wanted[places[*i]] = true;
    }
    let together = || refine::refine_together(undamped, near, &given, &wanted, tuning::SOLVE_ROUNDINGS);
    let Some(found) = certifier.unless_interrupted(together) else { return };
    for &i in rough {
        let Some(better) = &found[places[i]] else { continue };
        let by = asked.by.reaction(heads[i].s);
        let multipliers = better.pair.l.iter().map(|l| by * l).collect();
        let approx = Uncertified { right: better.pair.x.clone(), multipliers, ..heads[i].head() };
        if let Some(first) = certifier.measured_once(vec![approx]).pop()
            && first.pair.error_bound < pairs[i].pair.error_bound
        {
            pairs[i] = first;
        }
    }
}
