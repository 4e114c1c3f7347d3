//! Problems of arbitrary entries, and their eigenvalues from the determinant in exact arithmetic.
//!
//! No formula for the eigenvalues is needed: the determinant of the matrices as written is a polynomial with integer coefficients
//! (determinant.rs), whose zeros are isolated with a proof (polynomial.rs). Families (families.rs) are what ordinary use and the
//! literature bring: units, penalties, small masses, Jordan chains, constraint rows that nearly depend on each other.

mod determinant;
mod dyadic;
pub(crate) mod families;
mod polynomial;

use mb_algebra::{Dense, QuadraticPencil, c64, norms};
use num_bigint::Sign;

use super::{Known, Problem};
use dyadic::Dyadic;
pub(crate) use families::numbered;
use polynomial::{Polynomial, Zero};

/// The problem with its finite eigenvalues; none where the pencil is singular or its zeros could not be isolated.
pub(crate) fn problem(pencil: &QuadraticPencil, kind: &'static str) -> Option<Problem> {
    let exactly = |a: &Dense| -> Vec<Vec<Dyadic>> {
        (0..a.nrows()).map(|i| (0..a.ncols()).map(|j| Dyadic::new(a[(i, j)])).collect()).collect()
    };
    let [m, c, k, rows] = [&pencil.m, &pencil.c, &pencil.k, &pencil.phi_q].map(exactly);
    let independent = determinant::independent(&rows);
    let phi = independent.iter().map(|i| rows[*i].clone()).collect();
    let (polynomial, unit) = determinant::of_pencil([&m, &c, &k], &phi);
    if polynomial.is_zero() {
        return None;
    }
    let zeros = polynomial.0.iter().take_while(|a| a.sign() == Sign::NoSign).count();
    let mut exact: Vec<Known> = vec![(c64::new(0.0, 0.0), 0.0); zeros];
    let rest = Polynomial::new(polynomial.0[zeros..].to_vec());
    #[expect(clippy::cast_possible_truncation, reason = "a logarithm")]
    let unit = f64::powi(2.0, unit as i32);
    let even = rest.0.iter().skip(1).step_by(2).all(|a| a.sign() == Sign::NoSign);
    if even {
        let squares = Polynomial::new(rest.0.iter().step_by(2).cloned().collect());
        for zero in squares.zeros()? {
            exact.extend(eigenvalues_of_square(&zero, unit));
        }
    } else {
        for zero in rest.zeros()? {
            let s = value(&zero) * unit;
            exact.extend(std::iter::repeat_n((s, error(&zero, s)), zero.multiplicity));
        }
    }
    let finite = exact.iter().all(|(s, error)| s.is_finite() && error.is_finite());
    finite.then(|| Problem {
        pencil: pencil.to_sparse(),
        exact,
        kind,
        rank: independent.len(),
        penalty: None,
    })
}

/// A zero rounded to double precision; a real one has no imaginary part.
fn value(zero: &Zero) -> c64 {
    let im = if zero.is_real() { 0.0 } else { zero.centre.im.value() };
    c64::new(zero.centre.re.value(), im)
}

/// The radius of the disc and the rounding of its centre.
fn error(zero: &Zero, s: c64) -> f64 {
    (zero.log2_radius - zero.centre.log2()).exp2() * s.norm() + 4.0 * f64::EPSILON * s.norm()
}

/// +-sqrt of a zero of the polynomial in t^2.
fn eigenvalues_of_square(zero: &Zero, unit: f64) -> Vec<Known> {
    let square = value(zero);
    let s = match (square.im == 0.0, square.re < 0.0) {
        (true, true) => c64::new(0.0, (-square.re).sqrt()),
        (true, false) => c64::new(square.re.sqrt(), 0.0),
        _ => square.sqrt(),
    } * unit;
    let known = (s, error(zero, s));
    [known, (-s, known.1)]
        .into_iter()
        .flat_map(|known| std::iter::repeat_n(known, zero.multiplicity))
        .collect()
}

/// The largest entry, for scales of other matrices.
fn size(a: &Dense) -> f64 {
    norms::max_abs(a)
}
