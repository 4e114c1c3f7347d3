//! Eigenpairs of lightly damped problems whose error bounds are not tight, from those of the undamped problem.
//!
//! ```text
//! K x = w M x,  Phi_q x = 0,   (x^T M x) s^2 + (x^T C x) s + w x^T M x = 0:  a start for (s^2 M + s C + K) x + Phi_q^T l = 0
//! ```
//!
//! Lanczos in the inner product of M keeps digits of slow modes that the Krylov method for s loses compared with stiffnesses 1e12 times as
//! large, and its factors refine all eigenpairs at once in double-double precision (refine/damped.rs). The refined eigenpairs
//! replace those with poor bounds: each available eigenpair with a tight bound must coincide with one of them, within its bound,
//! and the remaining ones replace those whose bounds cover all of them. Where an eigenpair with a tight bound coincides with none,
//! nothing is replaced. Sizes: n unknowns.

use mb_algebra::c64;
use mb_algebra::sorted::ascending;

use crate::Eigenpair;
use crate::certify::sparse::{Certifier, First};
use crate::krylov::KrylovDriver;
use crate::numeric::vectors::ZERO;
use crate::options::SparseOptions;
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::problem::uncertified::Uncertified;
use crate::refine;
use crate::request::Request;
use crate::sparse::solve::{Found, undamped};
use crate::tuning;

/// Replaces eigenpairs with poor bounds by refined ones among those of smallest |s|; `heads`: what is known of each in addition to its vectors.
pub(crate) fn improve(
    problem: &Problem,
    certifier: &Certifier<'_>,
    options: &SparseOptions,
    driver: &dyn KrylovDriver,
    heads: &mut [Uncertified],
    pairs: &mut [First],
) {
    let oscillates =
        |approx: &Uncertified| approx.mirror && !approx.rigid && approx.left.is_none() && approx.chain == 1;
    // Bound relative to |s| from which on it is uninformative.
    let told = |i: &usize| within(&pairs[*i].pair, tuning::CLEAR);
    // A bound of the size of s leaves open whether there is an eigenvalue at all.
    let (known, blind): (Vec<usize>, Vec<usize>) = (0..pairs.len()).partition(told);
    let fits = problem.symmetric && known.iter().all(|&i| oscillates(&heads[i]));
    if !fits || !pairs.iter().any(|first| first.poor) || blind.iter().any(|&i| heads[i].rigid) {
        return;
    }
    let search = || from_undamped(problem, certifier, options, driver, heads.len());
    let Some(mut found) = certifier.unless_interrupted(search).flatten() else { return };
    let mut better = Vec::with_capacity(pairs.len());
    for i in known {
        let Some(at) = found.iter().position(|other| same(&pairs[i].pair, other)) else { return };
        better.push((i, found.swap_remove(at)));
    }
    ascending(&mut found, size);
    better.extend(blind.into_iter().zip(found));
    for (i, pair) in better {
        if pairs[i].poor {
            pairs[i] = First { pair, again: None, poor: false };
            (heads[i].mirror, heads[i].opposite) = (true, false);
        }
    }
}

/// |s|.
fn size(pair: &Eigenpair) -> f64 {
    pair.value().map_or(0.0, c64::norm)
}

fn within(pair: &Eigenpair, share: f64) -> bool {
    pair.error_bound <= share * size(pair)
}

/// Whether two eigenpairs are of one eigenvalue.
fn same(pair: &Eigenpair, other: &Eigenpair) -> bool {
    let (s, t) = (pair.value().unwrap_or(ZERO), other.value().unwrap_or(ZERO));
    (s - t).norm() <= pair.error_bound + other.error_bound + tuning::EPS_3_4 * s.norm()
}

/// The `count` eigenvalues next to the slowest undamped modes, all with narrow bounds; none where that is not so.
fn from_undamped(
    problem: &Problem,
    certifier: &Certifier<'_>,
    options: &SparseOptions,
    driver: &dyn KrylovDriver,
    count: usize,
) -> Option<Vec<Eigenpair>> {
    let other = problem.without_damping();
    let Found { modes, aid, .. } = undamped(&other, &Request::Lowest { count }, options, driver).ok()?;
    let near = aid.factors(&other)?;
    let starts: Option<Vec<Uncertified>> =
        modes.uncertified(&other).into_iter().map(|approx| damped(problem, approx)).collect();
    let starts = starts.filter(|starts| starts.len() == count)?;
    let found = refine::refine_damped(problem, None, &near, &starts);
    let certify = |(start, found): (Uncertified, Option<(refine::Doubled, bool)>)| {
        let (found, _) = found.filter(|(_, enough)| *enough)?;
        // Bound relative to |s| of an eigenpair that takes the place of a poor one.
        Some(certifier.certify_found(&start, &found)).filter(|pair| within(pair, tuning::CBRT_EPS))
    };
    starts.into_iter().zip(found).map(certify).collect()
}

/// The eigenvalue of an undamped mode with the damping it has for itself; none where it does not oscillate.
fn damped(problem: &Problem, approx: Uncertified) -> Option<Uncertified> {
    let x = approx.right.real_parts();
    let form = |a: &Matrix| -> f64 {
        let rows = a.sparse().outer_iterator().zip(x.iter());
        rows.map(|(row, own)| own * row.iter().map(|(j, a)| a * x[j]).sum::<f64>()).sum()
    };
    let half = 0.5 * form(&problem.c) / form(&problem.m);
    let square = (approx.s * approx.s).re + half * half;
    let s = c64::new(-half, (-square).sqrt());
    (approx.mirror && s.is_finite() && s.im > 0.0).then_some(Uncertified { s, ..approx })
}
