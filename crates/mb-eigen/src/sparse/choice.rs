//! Which method answers a request, by estimates of the operations that each of them takes.

use mb_algebra::{QuadraticPencil, Sparse, c64, sparse};

use crate::options::{SparseOptions, Structure};
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::problem::proportional::Proportional;
use crate::request::Request;
use crate::{dense, tuning};

/// Operations of the real Schur form of a matrix of n rows with its vectors, in n^3: Golub and Van Loan, Matrix Computations, section 7.5.6.
const SCHUR: f64 = 25.0;
/// Restarts of a search among eigenvalues as dense as those of a lattice, five to eight. With it searches for a sixth of all modes take as
/// long as dense matrices, as they do for lattices of 289 and 400 masses.
const RESTARTS: f64 = 6.6;
/// Points of a circle at which determinants are needed, at least, and for each mode inside.
const POINTS: [f64; 2] = [100.0, 16.0];

/// Whether so much is asked for that all eigenvalues by the dense path take less time than some of any problem; of few damped coordinates
/// they do whatever is asked for.
pub(crate) fn takes_all(problem: &Problem<'_>, request: &Request, options: &SparseOptions) -> bool {
    if *request == Request::All {
        return true;
    }
    let expert = &options.expert;
    if problem.n > expert.dense_limit.min(expert.all_limit) || expert.structure == Structure::General {
        return false;
    }
    let undamped = problem.symmetric && problem.undamped();
    request.count().is_some_and(|count| 3 * count >= problem.dof())
        || (!undamped && problem.n <= tuning::TINY)
}

/// Whether the dense path is quicker and takes the request.
pub(crate) fn goes_dense(problem: &Problem<'_>, request: &Request, options: &SparseOptions) -> bool {
    let expert = &options.expert;
    if takes_all(problem, request, options) {
        return true;
    }
    let undamped = problem.symmetric && problem.undamped();
    let never = expert.dense_limit == 0 || expert.structure == Structure::General;
    if never || undamped || problem.n > expert.all_limit {
        return false;
    }
    let count = match *request {
        Request::Band { from_hz, to_hz, max_damping_ratio } => {
            modes_around(problem, [from_hz, to_hz], max_damping_ratio, options)
        }
        _ => request.count().unwrap_or(0),
    };
    let of_count =
        if options.prove_complete { count_operations(problem, request, count, options) } else { 0.0 };
    search_operations(problem, count) + of_count > SCHUR * (2.0 * problem.dof() as f64).powi(3)
}

/// Operations of a search for some damped modes.
///
/// A basis of d vectors serves 2 `count` eigenvalues. A restart takes the complex Schur form of d rows, and half of the vectors anew: a
/// solve each, and products with all others.
fn search_operations(problem: &Problem<'_>, count: usize) -> f64 {
    let sides = if problem.symmetric { 1.0 } else { 2.0 };
    let basis = (4 * count + 2 * tuning::WIDTH) as f64;
    let (n, entries) = (problem.n as f64, problem.factor_entries() as f64);
    sides * RESTARTS * (4.0 * SCHUR * basis.powi(3) + 0.5 * basis * (4.0 * entries + 8.0 * n * basis))
}

/// Operations of the count of eigenvalues that proves a search complete.
fn count_operations(problem: &Problem<'_>, request: &Request, count: usize, options: &SparseOptions) -> f64 {
    let each = problem.elimination_operations().unwrap_or(0.0);
    let points = match request {
        // Around all eigenvalues but the largest the phase turns by half a circle for each of them, in steps that are cut once.
        Request::Largest { .. } => 4.0 * problem.dof() as f64,
        _ => POINTS[0] + POINTS[1] * count as f64,
    };
    (each * points).min(options.expert.count_operations)
}

/// Modes about a band, by the inertia of the problem without damping and of the symmetric parts of its matrices: an estimate. All of them
/// where that is in doubt.
fn modes_around(
    problem: &Problem<'_>,
    [from_hz, to_hz]: [f64; 2],
    max_damping_ratio: Option<f64>,
    options: &SparseOptions,
) -> usize {
    let (from, to) = (std::f64::consts::TAU * from_hz, std::f64::consts::TAU * to_hz);
    let zeta = max_damping_ratio.unwrap_or(tuning::BAND_DAMPING);
    let half = |a: &Matrix| sparse::add(0.5, a.sparse(), 0.5, a.transposed().sparse());
    let undamped = if problem.m.symmetric && problem.k.symmetric {
        problem.without_damping()
    } else {
        problem.in_coordinates([half(&problem.m), half(&problem.k)], None, problem.rows.clone(), options)
    };
    modes_in_disc(&undamped, disc(from, to, zeta)).unwrap_or(problem.dof())
}

/// The disc that holds a band up to a damping ratio: its centre and radius, rad/s.
pub(crate) fn disc(from: f64, to: f64, zeta: f64) -> (c64, f64) {
    let slope = zeta / (1.0 - zeta * zeta).sqrt();
    let radius = (0.5 * (to - from)).hypot(to * slope) * (1.0 + tuning::SQRT_EPS);
    (c64::new(0.0, 0.5 * (from + to)), radius)
}

/// Modes of an undamped problem with |s| as large as those of a disc.
pub(crate) fn modes_in_disc(undamped: &Problem<'_>, (centre, radius): (c64, f64)) -> Option<usize> {
    let (from, to) = (centre.norm() - radius, centre.norm() + radius);
    let below = |s: f64| undamped.quick_negative(-s * s);
    let slower = if from > 0.0 { below(from)? } else { 0 };
    below(to)?.checked_sub(slower)
}

/// Whether an undamped problem of a few matrices as written has modes further apart than double precision, so that searches lose the lowest
/// and the dense path does not.
pub(super) fn spreads_wide(
    pencil: &QuadraticPencil<Sparse>,
    problem: &Problem<'_>,
    options: &SparseOptions,
) -> bool {
    let expert = &options.expert;
    let given = problem.rows.given.sparse().rows() == 0 && expert.most_zeros.is_none();
    let small = problem.n <= expert.dense_limit.min(tuning::SMALL) && expert.structure != Structure::General;
    let undamped = problem.symmetric && (problem.undamped() || Proportional::of(problem).is_some());
    given && small && undamped && dense::spreads_wide(&pencil.to_dense())
}
