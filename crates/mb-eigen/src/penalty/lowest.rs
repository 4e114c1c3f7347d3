//! The lowest eigenpairs of the mechanism in a large penalty problem.
//!
//! ```text
//! start    (s^2 M + s C + K) x + Phi_q^T l = 0,  Phi_q x = 0                     (sparse::solve)
//! problem  (s^2 M' + s C' + K') z + [Phi_q -I]^T l = 0,  [Phi_q -I] z = 0,  z = (x, e)
//!          M' = diag(M, Xi),  C' = diag(C, Xi Theta),  K' = diag(K, Xi Omega)
//! ```
//!
//! With the violations e = Phi_q x as unknowns the penalty problem is a constrained one: l is the penalty force, nothing of
//! the size of Xi is added to M and K, and no matrix fills. The constrained problem differs from it by the error of the
//! penalty, so that every eigenpair starts next to its own eigenvalue, to which steps lead (steps.rs): one factorization
//! and two solves are the rule. Eigenpairs of symmetric problems are improved first with residuals in double-double
//! precision: stiffnesses far above that of the mode leave the factors few digits, and the steps would end there.
//! Where nothing but the penalty damps, all eigenpairs go together, with the factors that the constrained problem was
//! solved with (`refine/damped.rs`), else one by one in the certificate.
//!
//! Where an eigenvalue of the mechanism lies among those of the penalty, the eigenvalues around it are searched
//! (settled.rs), and the finding of [`super::solve`] says so.
//! Sizes: M, C, K n x n, Phi_q m x n, Xi, Theta, Omega m x m, z of length n + m.

use mb_algebra::{DenseC, PenaltyBlocks, QuadraticPencil, c64};

use super::assign::{Settled, Settling};
use super::continuation::follow;
use super::measure::Measure;
use super::split_modes::parted;
use crate::certify::sparse::Certifier;
use crate::finding::{Completeness, SparseFinding};
use crate::numeric::check;
use crate::numeric::vectors::ZERO;
use crate::options::{SparseExpert, SparseOptions};
use crate::problem::Problem;
use crate::problem::uncertified::Uncertified;
use crate::refine;
use crate::refine::{Doubled, Springs};
use crate::request::Request;
use crate::sparse::choice::goes_dense;
use crate::sparse::outcome::counts;
use crate::sparse::solve::{solve_with, undamped};
use crate::{Class, EigenError, Eigenpair, Finding, Method, Spectrum, tuning};

/// The `count` modes of the mechanism with the smallest |s| in the penalty problem, with their conjugates.
///
/// Which modes these are is decided, and proved where the options ask for it, on the constrained problem. Vectors have
/// length n, multipliers are left out as in [`super::solve`]; `penalty_share` is set. Errors as [`crate::sparse::solve`].
pub fn lowest(blocks: &PenaltyBlocks, count: usize, options: &SparseOptions) -> Result<Spectrum, EigenError> {
    // Part of the constrained modes would be no start for all of these.
    let options =
        &SparseOptions { expert: SparseExpert { keeps_at_interrupt: false, ..options.expert }, ..*options };
    let m = blocks.phi_q.rows();
    for (name, a) in [("Xi", &blocks.xi), ("Theta", &blocks.theta), ("Omega", &blocks.omega)] {
        check::matrix(name, a, m, m)?;
    }
    let held = Problem::of([&blocks.m, &blocks.c, &blocks.k], &blocks.phi_q, options)?
        .with_parts(blocks.k_parts.as_ref(), options)?;
    let springs = Springs::new(blocks);
    let problem = held.with_violations(springs.matrices(), options)?;
    // Left vectors distinguish eigenvalues.
    let certifier = Certifier::new(&problem, true);
    let request = Request::Lowest { count }.bounded();
    let started: Option<Started> =
        if problem.symmetric { from_undamped(&held, blocks, &springs, &request, options)? } else { None };
    let (starts, known, mut findings) = if let Some((starts, found, findings)) = started {
        let known = known(&certifier, &starts, &found);
        (starts, known, findings)
    } else {
        // An unsymmetric eigenvalue is followed with both of its vectors.
        let both = !problem.symmetric;
        let constrained = QuadraticPencil {
            m: blocks.m.clone(),
            c: blocks.c.clone(),
            k: blocks.k.clone(),
            phi_q: blocks.phi_q.clone(),
        };
        let start = solve_with(&constrained, blocks.k_parts.as_ref(), None, &request, options, both)?;
        let mut starts = of_pairs(&problem, &start.eigenpairs);
        parted(&held, &blocks.xi, &mut starts);
        let known = vec![None; starts.len()];
        (starts, known, start.findings)
    };
    findings.retain(|f| !of_the_constrained(f));
    let pairs = certified(&problem, &certifier, &starts, known)?;
    if problem.symmetric && held.undamped() && held.rounded_stiffness().is_none() {
        findings.extend(certifier.findings());
    }
    let measure = Measure::new(blocks, &held.m, options.left_vectors);
    let settling = Settling { problem: &problem, blocks, springs: &springs, measure: &measure, options };
    let Settled { eigenpairs: pairs, doubtful } = settling.settle(&starts, pairs)?;
    let sought = starts.len();
    let (uncertified, pairs): (Vec<Uncertified>, Vec<Option<Eigenpair>>) =
        starts.into_iter().zip(pairs).filter(|(_, pair)| pair.is_some()).unzip();
    let found = uncertified.len();
    let pairs = measure.each_on_coordinates(certifier.certify_others(uncertified, pairs));
    if let Some(overlap) = overlap(&pairs, doubtful) {
        // Which eigenvalues are the lowest of the mechanism was decided without the penalty's.
        let reason = "eigenvalues of the penalty lie among those of the mechanism".to_owned();
        findings.extend([overlap, SparseFinding::Unproved { reason }.into()]);
    }
    if found < sought {
        let fewer = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::FewerExist { .. } });
        findings.retain(|f| !fewer(f));
        let lost = sought - found;
        findings.push(SparseFinding::Lost { lost, found, wanted: count }.into());
    }
    Ok(Spectrum::partial(Method::InverseIteration, pairs, counts(&held), findings))
}

/// Eigenvalues of the undamped constrained problem, extended, those of the penalty problem next to them, and what
/// there is to say; none where the problem is of another kind, or that way fails.
fn from_undamped(
    held: &Problem<'_>,
    blocks: &PenaltyBlocks,
    springs: &Springs,
    request: &Request,
    options: &SparseOptions,
) -> Result<Option<Started>, EigenError> {
    let fits = held.symmetric && held.undamped() && held.dof() > 0 && request.count() != Some(0);
    if !fits || !springs.is_cheap() || goes_dense(held, request, options) {
        return Ok(None);
    }
    let driver = options.expert.solver.driver()?;
    // What went wrong is reported by the whole way.
    // Steps in double-double precision follow, which what the search has beyond that would save nothing.
    let search = SparseOptions {
        // Residual, relative, of undamped eigenpairs that are improved together from then on: their squares are the errors of their
        // eigenvalues.
        expert: SparseExpert { tolerance: options.expert.tolerance.max(tuning::SLIGHT), ..options.expert },
        ..*options
    };
    let Ok(found) = undamped(held, request, &search, driver.as_ref()) else { return Ok(None) };
    let Some(near) = found.aid.factors(held) else { return Ok(None) };
    // Of two opposite eigenvalues each has its own under penalties, which damp.
    let uncertified = found.modes.uncertified(held).into_iter().flat_map(|approx| {
        let one = Uncertified { opposite: false, ..approx };
        let other = approx.opposite.then(|| Uncertified { s: -one.s, ..one.clone() });
        std::iter::once(one).chain(other)
    });
    let mut uncertified: Vec<Uncertified> = uncertified.collect();
    parted(held, &blocks.xi, &mut uncertified);
    let moving: Vec<Uncertified> = uncertified.iter().filter(|approx| !approx.rigid).cloned().collect();
    let mut better = refine::refine_damped(held, Some(springs), &near, &moving).into_iter();
    let improved =
        uncertified.iter().map(|approx| if approx.rigid { None } else { better.next().flatten() }).collect();
    let (n, size) = (held.n, held.n + held.rows.m);
    let starts = uncertified.into_iter().map(|approx| extended(held, (n, size), approx)).collect();
    Ok(Some((starts, improved, found.findings)))
}

/// Eigenvalues of the constrained problem with e = 0, those of the penalty problem where they were found with word
/// whether they need no further steps, and what there is to say.
type Started = (Vec<Uncertified>, Vec<Option<(Doubled, bool)>>, Vec<Finding>);

/// The eigenpairs that need no further steps.
fn known(
    certifier: &Certifier<'_>,
    uncertified: &[Uncertified],
    found: &[Option<(Doubled, bool)>],
) -> Vec<Option<Eigenpair>> {
    let certify = |(approx, found): (&Uncertified, &Option<(Doubled, bool)>)| {
        let (found, _) = found.as_ref().filter(|(_, enough)| *enough)?;
        // Bound relative to |s| of an eigenpair that is as good as its entries have digits.
        Some(certifier.certify_found(approx, found)).filter(|pair| within(pair, tuning::CBRT_EPS))
    };
    uncertified.iter().zip(found).map(certify).collect()
}

/// Whether a bound is that small compared with |s|.
fn within(pair: &Eigenpair, share: f64) -> bool {
    pair.error_bound <= share * pair.value().map_or(0.0, c64::norm)
}

/// Starts from pairs of the constrained problem.
fn of_pairs(problem: &Problem<'_>, pairs: &[Eigenpair]) -> Vec<Uncertified> {
    let mut uncertified = Vec::with_capacity(pairs.len());
    let mut second_of_chain = false;
    for pair in pairs.iter().filter(|pair| pair.alpha.im >= 0.0) {
        if pair.chain == 2 {
            second_of_chain = !second_of_chain;
            if !second_of_chain {
                continue;
            }
        }
        let s = pair.value().unwrap_or(ZERO);
        let approx = Uncertified {
            left: (!problem.symmetric && pair.class != Class::Rigid)
                .then(|| (pair.left.clone(), pair.left_multipliers.clone())),
            rigid: pair.class == Class::Rigid,
            mirror: s.im > 0.0,
            chain: pair.chain,
            curvature: 1.0,
            ..Uncertified::simple(s, pair.right.clone(), pair.multipliers.clone())
        };
        uncertified.push(extended(problem, (pair.right.len(), problem.n), approx));
    }
    uncertified
}

/// Words on modes of the constrained problem that are not true of the eigenvalues returned.
fn of_the_constrained(finding: &Finding) -> bool {
    let details =
        |d: &SparseFinding| matches!(d, SparseFinding::MultipleCut { .. } | SparseFinding::Shift { .. });
    matches!(finding, Finding::Sparse { detail } if details(detail))
        || finding.completeness().is_some_and(Completeness::is_complete)
        || matches!(finding, Finding::NearlyZeroStiffness { .. } | Finding::NoFreedom)
}

/// Says where eigenvalues left their starts, or cannot be distinguished from penalty eigenvalues.
fn overlap(found: &[Eigenpair], doubtful: bool) -> Option<Finding> {
    let largest = found.iter().filter_map(|pair| pair.penalty_share).reduce(f64::max);
    // Share of the penalty in the energy from which on an eigenvalue is not clearly motion of the mechanism.
    let unsure = doubtful || largest.is_some_and(|share| share > tuning::CLEAR);
    unsure.then_some(Finding::PenaltyOverlap { largest_physical: largest, smallest_spurious: None })
}

/// The eigenvalues of the penalty problem next to `starts`, with their certificates; `known` where these are made.
///
/// In symmetric problems the certificate improves a start with residuals in double-double precision, which leads to
/// the eigenvalue itself; what is left unsure then, and everything where left vectors differ, follows the steps of steps.rs.
/// A start that these do not lead away from stays, and its bound says how far it may be off.
fn certified(
    problem: &Problem<'_>,
    certifier: &Certifier<'_>,
    starts: &[Uncertified],
    mut known: Vec<Option<Eigenpair>>,
) -> Result<Vec<Eigenpair>, EigenError> {
    let open: Vec<usize> = (0..starts.len()).filter(|&i| known[i].is_none() && !starts[i].rigid).collect();
    if problem.symmetric {
        let pairs = certifier.certify_alone(open.iter().map(|&i| starts[i].clone()).collect());
        for (&i, pair) in open.iter().zip(pairs) {
            // A start that was good enough as it is knows nothing of its violations yet.
            let moved = pair.right[problem.n - problem.rows.m..].iter().any(|e| *e != ZERO);
            // Bound relative to |s| up to which an eigenvalue needs no further steps.
            known[i] = Some(pair).filter(|pair| moved && within(pair, tuning::SQRT_EPS));
        }
    }
    let mut uncertified: Vec<Uncertified> = Vec::new();
    let open: Vec<usize> = (0..starts.len()).filter(|&i| known[i].is_none()).collect();
    for &i in &open {
        let found = if starts[i].rigid { None } else { follow(problem, &starts[i])? };
        uncertified.push(found.unwrap_or_else(|| starts[i].clone()));
    }
    for (i, pair) in open.into_iter().zip(certifier.certify_alone(uncertified)) {
        known[i] = Some(pair);
    }
    Ok(known.into_iter().flatten().collect())
}

/// An eigenvalue of the constrained problem as a start for the penalty problem: x without violations, from n to `size`
/// numbers.
fn extended(problem: &Problem<'_>, (n, size): (usize, usize), mut approx: Uncertified) -> Uncertified {
    if approx.rigid {
        // A motion without resistance needs no reaction: it is a zero of both problems. One that needs a reaction is not,
        // and its bound says so.
        let x = DenseC::from_fn(problem.n, 1, |i, _| approx.right.get(i).copied().unwrap_or(ZERO));
        let mx = problem.m.mul(&x);
        approx.curvature = (0..n).map(|i| (approx.right[i].conj() * mx[(i, 0)]).re).sum();
    }
    approx.right.edit(|x| x.resize(size, ZERO));
    if let Some((left, _)) = &mut approx.left {
        left.edit(|y| y.resize(size, ZERO));
    }
    approx
}
