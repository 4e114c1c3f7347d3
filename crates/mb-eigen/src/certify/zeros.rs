//! Zeros that the digits of K leave open.
//!
//! ```text
//! e = |y^T (K x + Phi^T l)| / (|y|^T (|K| |x| + |Phi|^T |l|))
//! ```
//!
//! e is the relative change of the entries that makes the form zero, and its error is of second order in the errors of x and y. Where K as
//! written has the zero, e is far below rounding in double-double precision; where rounding has made it, or has hidden
//! a soft spring behind a stiff one, e is about a unit in the last place of the entries. Where nothing but the rounding of the vectors
//! meets entries of K, as in a body that turns about an axis on which nothing acts, e says nothing, and the form is of second order:
//!
//! ```text
//! |y^T (K x + Phi^T l)| <= (8 u)^2 |K| |x| |y|
//! ```
//!
//! Sizes: x, y n, l m.

use mb_algebra::{Dense, c64, norms};

use crate::numeric::{double_double, vectors};
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::problem::uncertified::Uncertified;
use crate::{Class, Eigenpair, Finding};

/// A zero of K as written leaves this much where its vectors have ten digits.
const WRITTEN: f64 = 1e-6 * f64::EPSILON;

/// 8 u: the rounding of the entries of vectors of length one.
const OF_VECTORS: f64 = 4.0 * f64::EPSILON;

/// Whether K as written has the zero (see the module).
fn is_written(problem: &Problem, x: &[c64], y: &[c64], form: f64, terms: f64) -> bool {
    let lengths = norms::two_complex(x) * norms::two_complex(y);
    form <= WRITTEN * terms || form <= OF_VECTORS * OF_VECTORS * problem.k.norm * lengths
}

/// What is to be said of the eigenpairs that count as zero, in addition to those that are known whatever the digits.
pub(crate) fn by_rounding(problem: &Problem, pairs: &[Eigenpair]) -> Option<Finding> {
    let rigid = pairs.iter().filter(|pair| pair.class == Class::Rigid);
    let open: Vec<(usize, f64)> =
        rigid.filter_map(|pair| relative(problem, pair).map(|e| (pair.chain, e))).collect();
    let largest = open.iter().map(|(_, e)| *e).reduce(f64::max)?;
    // Two eigenvalues with one vector are one direction.
    let of_chains = open.iter().filter(|(chain, _)| *chain == 2).count();
    let directions = open.len() - of_chains + of_chains.div_ceil(2);
    let directions = directions.saturating_sub(problem.least_zeros);
    (directions > 0).then_some(Finding::ZeroByRounding { directions, relative: largest })
}

/// e where it is open; none too where the left vector is not known.
fn relative(problem: &Problem, pair: &Eigenpair) -> Option<f64> {
    let left = if pair.left.is_empty() { problem.k.symmetric.then_some(&pair.right)? } else { &pair.left };
    let (form, terms) = parts(problem, &problem.rows.given, [&pair.right, left, &pair.multipliers]);
    (terms > 0.0 && !is_written(problem, &pair.right, left, form, terms)).then(|| form / terms)
}

/// Numerator and denominator of e for x, y and l of the rows `phi`.
fn parts(problem: &Problem, phi: &Matrix, [x, y, l]: [&[c64]; 3]) -> (f64, f64) {
    let form = double_double::bilinear_sparse(problem.k.sparse(), x, y)
        + double_double::bilinear_sparse(phi.sparse(), y, l);
    let sizes = |v: &[c64]| v.iter().map(|v| v.norm()).collect::<Vec<f64>>();
    let (own, reactions) = (problem.k.magnitude(&sizes(x)), phi.magnitude_transpose(&sizes(l)));
    let terms = own.iter().zip(&reactions).zip(sizes(y)).map(|((k, r), y)| y * (k + r)).sum();
    (form.norm(), terms)
}

/// How far from zero an eigenvalue that counts as zero may be for all that the digits of K say:
///
/// ```text
/// m s^2 + c s + d = 0 has a root with |s| <= sqrt(|d| / |m|),   d = y^T K x + half a unit in the last place of its terms
/// ```
///
/// Zero where K as written has the zero.
pub(crate) fn reach(problem: &Problem, approx: &Uncertified) -> f64 {
    let x: &[c64] = &approx.right;
    let y = approx.left.as_ref().map_or(x, |(y, _)| y);
    let (form, terms) = parts(problem, &problem.rows.given, [x, y, &approx.multipliers]);
    if is_written(problem, x, y, form, terms) {
        return 0.0;
    }
    let mass = double_double::bilinear_sparse(problem.m.sparse(), x, y).norm();
    ((form + 0.5 * f64::EPSILON * terms) / mass).sqrt()
}

/// What is to be said of the null space of a symmetric K, and the w up to which its digits do not distinguish modes from zero: what half a unit
/// in the last place of each entry can make of x^T K x.
///
/// `x`: n x z, M-orthonormal; `l`: multipliers of the independent rows at length one.
pub(crate) fn of_space(problem: &Problem, x: &Dense, l: &Dense) -> Option<(Finding, f64)> {
    let (mut largest, mut width) = (0.0_f64, 0.0_f64);
    let mut directions = 0_usize;
    for j in 0..x.ncols() {
        let (x, l) = (vectors::complex(x.col_as_slice(j)), vectors::complex(l.col_as_slice(j)));
        let (form, terms) = parts(problem, &problem.rows.independent, [&x, &x, &l]);
        if !is_written(problem, &x, &x, form, terms) {
            (largest, directions) = (largest.max(form / terms), directions + 1);
            width = width.max(form + 0.5 * f64::EPSILON * terms);
        }
    }
    let directions = directions.saturating_sub(problem.least_zeros);
    (directions > 0).then_some((Finding::ZeroByRounding { directions, relative: largest }, width))
}
