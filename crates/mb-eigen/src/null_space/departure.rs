//! How far K x + Phi_q^T l is from zero: by components, on equilibrated K, not by its norm.
//!
//! A column of K that is small beside the others, as that of a soft spring in a model of stiff parts, is no rounding of theirs
//! ([`crate::numeric::vanishing`]). Sizes: x n x p, l r x p.

use mb_algebra::{Dense, norms};

use crate::numeric::vanishing;
use crate::problem::Problem;

/// |K x + Phi^T l| over |K| |x| that is rounding of x.
const WHOLE: f64 = 4.0 * f64::EPSILON;

/// The relative change of the entries that makes each column a null vector with its multipliers.
///
/// Without mass, where pairs E, A come in with entries of one size, it is the whole of K x that counts: in a chain rounding moves x towards
/// x_1, in rows of which |K| |x| knows nothing.
pub(crate) fn of_columns(problem: &Problem, x: &Dense, l: &Dense) -> Vec<f64> {
    let phi = &problem.rows.independent;
    let (kx, react) = (problem.k.mul(x), phi.mul_transpose(l));
    let [rows, columns] = if problem.k.symmetric {
        let d = vanishing::scales(problem.k.sparse());
        [d.clone(), d]
    } else {
        vanishing::scales_apart(problem.k.sparse())
    };
    let sizes = |v: &[f64]| v.iter().map(|v| v.abs()).collect::<Vec<f64>>();
    let of = |j: usize| {
        let sum = |(a, b): (&f64, &f64)| a + b;
        let column = x.col_as_slice(j);
        let rest: Vec<f64> = kx.col_as_slice(j).iter().zip(react.col_as_slice(j)).map(sum).collect();
        let own = problem.k.magnitude(&sizes(column));
        let terms: Vec<f64> =
            own.iter().zip(&phi.magnitude_transpose(&sizes(l.col_as_slice(j)))).map(sum).collect();
        if problem.m.is_zero() {
            let (rest, nothing) = (norms::two(&rest), WHOLE * problem.k.norm * norms::two(column));
            return if rest <= nothing { 0.0 } else { rest / norms::two(&terms) };
        }
        let largest = column.iter().zip(&columns).map(|(x, d)| x.abs() / d).fold(0.0, f64::max);
        let rows: Vec<f64> = rows.iter().map(|d| largest / d).collect();
        vanishing::departure(&rest, &terms, &rows, vanishing::NOTHING)
    };
    (0..x.ncols()).map(of).collect()
}
