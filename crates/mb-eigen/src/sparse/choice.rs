//! Which method answers a request, by estimates of the time that each of them takes.
//!
//! Times are those of one core with wide vector registers, measured for 120 damped, gyroscopic and unsymmetric problems of 72 to 400 unknowns, of which 3 to 85
//! modes were asked for: lattices of masses in one and two dimensions, and shafts of beam elements in bearings. Where the modes
//! of a shaft are far apart a search takes a quarter of the time that it does among those of a lattice, and a dense solution three times as
//! long, which is not known beforehand: the constants lie between. The method that they choose takes 1.08 times as long as the quicker one in
//! the mean, and 2.5 times at most.

use mb_algebra::{QuadraticPencil, Sparse, c64, sparse};

use crate::completeness::growth;
use crate::options::{SparseOptions, Structure};
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::problem::proportional::Proportional;
use crate::request::Request;
use crate::{dense, tuning};

/// Eigenvalues of a companion matrix of N rows with their vectors, bounds and classes, in s by N^3 and N^2: 0.12 s for N = 300, 1.6 s for 800.
const DENSE: [f64; 2] = [2.5e-9, 620e-9];
/// What constraints add to that, in s by (n + r)^3 for r rows: their basis, the matrices on it, factors of all for bounds of clusters. Chains
/// of bodies with n + r = 435 and 875 take 0.1 and 1 s.
const BORDERED: f64 = 1.3e-9;
/// A search with a basis of d vectors, in s by d^3: its Schur forms.
const SCHUR: f64 = 8e-9;
/// Restarts of a search, five to eight.
const RESTARTS: f64 = 6.6;
/// An operation of solves and products of a search, s.
const OPERATION: f64 = 0.1e-9;
/// The same of an elimination at a point of a circle, with what goes through memory.
const ELIMINATION: f64 = 0.06e-9;
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
    let of_count = if options.prove_complete { count_time(problem, request, count, options) } else { 0.0 };
    // Where signs do not tell whether modes grow, all eigenvalues of few coordinates are computed besides.
    search_time(problem, count) + of_count > dense_time(problem) || growth::computes_all(problem, options)
}

/// Seconds for all eigenvalues.
fn dense_time(problem: &Problem<'_>) -> f64 {
    let rows = 2.0 * problem.dof() as f64;
    let bordered = if problem.rows.rank > 0 { (problem.n + problem.rows.rank) as f64 } else { 0.0 };
    rows * rows * (DENSE[0] * rows + DENSE[1]) + BORDERED * bordered.powi(3)
}

/// Seconds of a search for some damped modes.
///
/// A basis of d vectors serves 2 `count` eigenvalues. A restart takes the complex Schur form of d rows, and half of the vectors anew: a
/// solve each, and products with all others. Left vectors take a second search, but not where they mirror the right ones.
fn search_time(problem: &Problem<'_>, count: usize) -> f64 {
    let sides = if problem.symmetric || problem.is_gyroscopic() { 1.0 } else { 2.0 };
    let basis = (4 * count + 2 * tuning::WIDTH) as f64;
    let (n, entries) = (problem.n as f64, problem.factor_entries() as f64);
    let vectors = RESTARTS * 0.5 * basis * (4.0 * entries + 8.0 * n * basis);
    sides * (SCHUR * basis.powi(3) + OPERATION * vectors)
}

/// Seconds of the count of eigenvalues that proves a search complete.
fn count_time(problem: &Problem<'_>, request: &Request, count: usize, options: &SparseOptions) -> f64 {
    let each = problem.elimination_operations().unwrap_or(0.0);
    let points = match request {
        // Around all eigenvalues but the largest the phase turns by half a circle for each of them, in steps that are cut once.
        Request::Largest { .. } => 4.0 * problem.dof() as f64,
        _ => POINTS[0] + POINTS[1] * count as f64,
    };
    // An elimination without symmetry is one of the same time.
    let sides = if problem.symmetric { 1.0 } else { 2.0 };
    ELIMINATION / sides * (each * points).min(options.expert.count_operations)
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
    let below = |s: f64| undamped.negative(-s * s);
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

#[cfg(test)]
mod tests {
    use super::goes_dense;
    use crate::options::SparseOptions;
    use crate::problem::Problem;
    use crate::request::Request;
    use mb_algebra::{Dense, QuadraticPencil, dense};

    /// A chain of n masses with a damper at one end; `work`: what its forces do in a cycle.
    fn chain(n: usize, work: f64) -> QuadraticPencil<mb_algebra::Sparse> {
        let k = Dense::from_fn(n, n, |i, j| match (i.abs_diff(j), i < j) {
            (0, _) => 2.0,
            (1, above) => -1.0 + if above { work } else { -work },
            _ => 0.0,
        });
        let c = Dense::from_fn(n, n, |i, j| f64::from(i + j == 0));
        QuadraticPencil { m: dense::identity(n), c, k, phi_q: dense::zeros(0, n) }.to_sparse()
    }

    /// Few modes of a chain are searched for, many are not; where forces may feed modes all of them are needed anyway, of up to 200
    /// coordinates.
    #[test]
    fn few_modes_are_searched_for_where_signs_say_that_none_grows() {
        let options = SparseOptions::default();
        for (n, work, count, expected) in [
            (150, 0.0, 3, false),
            (150, 0.0, 45, true),
            (150, 1e-3, 3, true),
            (250, 1e-3, 3, false),
            (30, 0.0, 1, true),
        ] {
            let pencil = chain(n, work);
            let problem = Problem::new(&pencil, &options).unwrap();
            let found = goes_dense(&problem, &Request::Lowest { count }, &options);
            assert_eq!(found, expected, "{n} {work} {count}");
        }
    }
}
