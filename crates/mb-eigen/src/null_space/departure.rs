//! How far K x + Phi_q^T l is from zero on equilibrated K, D_r (K x + Phi_q^T l) and D_c^-1 x, never in the units given.
//!
//! A column of K that is small next to the others, as that of a soft spring in a model of stiff parts, is no rounding of theirs
//! ([`crate::numeric::vanishing`]). Sizes: x n x p, l r x p.

use mb_algebra::{Dense, norms};

use crate::numeric::vanishing;
use crate::problem::Problem;
use crate::tuning;

/// One column: what is left, the terms it is left of, and x, in units of one size.
struct Force {
    rest: Vec<f64>,
    terms: Vec<f64>,
    x: Vec<f64>,
}

/// Factors of the rows of K, and those of its columns, that bring its entries to one size; components of x are in units of the latter.
pub(super) fn units(problem: &Problem) -> [Vec<f64>; 2] {
    if problem.k.symmetric {
        let d = vanishing::scales(problem.k.sparse());
        return [d.clone(), d];
    }
    vanishing::scales_apart(problem.k.sparse())
}

fn forces(problem: &Problem, x: &Dense, l: &Dense) -> impl Iterator<Item = Force> {
    let phi = &problem.rows.independent;
    let (kx, react) = (problem.k.mul(x), phi.mul_transpose(l));
    let [rows, columns] = units(problem);
    let sizes = |v: &[f64]| v.iter().map(|v| v.abs()).collect::<Vec<f64>>();
    (0..x.ncols()).map(move |j| {
        let both = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).zip(&rows).map(|((a, b), d)| (a + b) * d).collect()
        };
        let (column, l) = (x.col_as_slice(j), l.col_as_slice(j));
        Force {
            rest: both(kx.col_as_slice(j), react.col_as_slice(j)),
            terms: both(&problem.k.magnitude(&sizes(column)), &phi.magnitude_transpose(&sizes(l))),
            x: column.iter().zip(&columns).map(|(x, d)| x / d).collect(),
        }
    })
}

/// The relative change of the entries that makes each column a null vector with its multipliers.
pub(crate) fn by_components(problem: &Problem, x: &Dense, l: &Dense) -> Vec<f64> {
    let of = |Force { rest, terms, x }: Force| {
        let rows = vec![norms::max_abs_vec(&x); rest.len()];
        vanishing::departure(&rest, &terms, &rows, tuning::SUM_ROUNDINGS)
    };
    forces(problem, x, l).map(of).collect()
}

/// |K x + Phi^T l| / | |K| |x| + |Phi|^T |l| | of every column: of vectors that rounding has moved along their chains, or along soft modes
/// near them, no single component says much.
pub(crate) fn as_a_whole(problem: &Problem, x: &Dense, l: &Dense) -> Vec<f64> {
    // Entries of equilibrated K are near one.
    let size = (problem.k.sparse().nnz() as f64).sqrt();
    let of = |Force { rest, terms, x }: Force| {
        // |K x + Phi^T l| over |K| |x| that is rounding of x.
        let (rest, nothing) = (norms::two(&rest), tuning::FEW_ROUNDINGS * size * norms::two(&x));
        if rest <= nothing { 0.0 } else { rest / norms::two(&terms) }
    };
    forces(problem, x, l).map(of).collect()
}
