//! Forms Y^T (A X + B Z) of left and right null vectors, and what counts as zero in them, in whatever units.
//!
//! ```text
//! W = |Y|^T (|A| |X| + |B| |Z|) + rounding of the vectors / u^(3/4) + rounding of K in the vectors / u^(3/4)
//! r G c,  G = Y^T (A X + B Z),  r W c about one:      singular values of r G c below u^(3/4) are zero
//! ```
//!
//! A norm of A says nothing where pressures stand next to displacements: the mass that a constant pressure has is 1e-14 of the masses of the
//! structure around it, and all the same nothing cancels in it. A component of x is known to rounding of the largest one in
//! coordinates of one size ([`super::departure::units`]), which W includes. Sizes: X, Z n x p, Y n x q, W and G q x p.

use mb_algebra::{Dense, norms};

use super::departure;
use crate::krylov::Scalar;
use crate::krylov::scalar::{norm, product};
use crate::numeric::equilibrated;
use crate::numeric::vectors::magnitudes;
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::tuning;

/// G with the factors r and c.
pub(super) struct Form {
    gram: Dense,
    /// r G c.
    pub(super) even: Dense,
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl Form {
    /// Of `terms` A, X and left vectors Y of a problem; `moved_by`: the sizes of what a change of all entries of K by one of theirs adds to
    /// G, where the vectors move with K.
    pub(super) fn new(
        problem: &Problem,
        terms: &[(&Matrix, &Dense)],
        left: &Dense,
        moved_by: Option<&Dense>,
    ) -> Self {
        let (n, p, q) = (problem.n, terms.first().map_or(0, |(_, x)| x.ncols()), left.ncols());
        let [of_rows, of_columns] = departure::units(problem);
        let sizes = magnitudes(left);
        let (mut moved, mut moved_terms) = (Dense::zeros(n, p), Dense::zeros(n, p));
        let mut weights = Dense::zeros(q, p);
        for (a, x) in terms {
            moved += a.mul(x);
            let sizes_x = magnitudes(x);
            let weight_of = |i: usize| -> f64 {
                let force = a.magnitude_transpose(sizes.col_as_slice(i));
                force.iter().zip(&of_columns).map(|(f, d)| f * d).sum()
            };
            let of_left: Vec<f64> = (0..q).map(weight_of).collect();
            for j in 0..p {
                let of_column = a.magnitude(sizes_x.col_as_slice(j));
                moved_terms.col_as_slice_mut(j).iter_mut().zip(of_column).for_each(|(t, v)| *t += v);
                let largest = largest(sizes_x.col_as_slice(j), &of_columns);
                for i in 0..q {
                    weights[(i, j)] += largest * of_left[i];
                }
            }
        }
        let terms = f64::adjoint_product(sizes.as_ref(), moved_terms.as_ref());
        let largest_left: Vec<f64> = (0..q).map(|i| largest(sizes.col_as_slice(i), &of_rows)).collect();
        for j in 0..p {
            let sum: f64 = moved_terms.col_as_slice(j).iter().zip(&of_rows).map(|(f, d)| f * d).sum();
            for i in 0..q {
                let of_rounding = weights[(i, j)] + largest_left[i] * sum;
                let of_stiffness = moved_by.map_or(0.0, |by| tuning::SUM_ROUNDINGS * by[(i, j)]);
                weights[(i, j)] =
                    terms[(i, j)] + (tuning::SOLVE_ROUNDINGS * of_rounding + of_stiffness) / tuning::EPS_3_4;
            }
        }
        let gram = f64::adjoint_product(left.as_ref(), moved.as_ref());
        let [mut rows, mut columns] = equilibrated::of_both_sides(&weights);
        let mut even = equilibrated::scaled_apart(&gram, &rows, &columns);
        let acts = |i: usize, j: usize| even[(i, j)].abs() > tuning::EPS_3_4;
        let rows_act: Vec<bool> = (0..q).map(|i| (0..p).any(|j| acts(i, j))).collect();
        let columns_act: Vec<bool> = (0..p).map(|j| (0..q).any(|i| acts(i, j))).collect();
        even = Dense::from_fn(q, p, |i, j| if rows_act[i] && columns_act[j] { even[(i, j)] } else { 0.0 });
        as_the_others(&mut rows, &rows_act);
        as_the_others(&mut columns, &columns_act);
        Self { gram, even, rows, columns }
    }

    /// |G_jj| of vectors turned by these factors.
    pub(super) fn along(&self, [of_right, of_left]: [&Dense; 2]) -> Vec<f64> {
        let turned = |j: usize| {
            let sum = |i: usize| -> f64 {
                (0..self.gram.ncols()).map(|k| self.gram[(i, k)] * of_right[(k, j)]).sum()
            };
            (0..self.gram.nrows()).map(|i| of_left[(i, j)] * sum(i)).sum::<f64>().abs()
        };
        (0..of_right.ncols().min(of_left.ncols())).map(turned).collect()
    }

    /// The factors of the columns of X and Y that give the singular vectors `of` of the scaled form, at length one.
    pub(super) fn turns(&self, [x, y]: [&Dense; 2], of: [&Dense; 2]) -> [Dense; 2] {
        let turn = |vectors: &Dense, factors: &[f64], of: &Dense| {
            let mut by = Dense::from_fn(of.nrows(), of.ncols(), |i, j| factors[i] * of[(i, j)]);
            let turned = product(vectors.as_ref(), by.as_ref());
            for j in 0..by.ncols() {
                let length = norm(turned.col_as_slice(j)).max(f64::MIN_POSITIVE);
                by.col_as_slice_mut(j).iter_mut().for_each(|v| *v /= length);
            }
            by
        };
        [turn(x, &self.columns, of[0]), turn(y, &self.rows, of[1])]
    }
}

/// Gives vectors on which nothing acts the mean factor of the others. Their weights are rounding, and vectors of a null space that are turned
/// with factors of rounding come out parallel.
fn as_the_others(factors: &mut [f64], act: &[bool]) {
    let others: Vec<f64> = factors.iter().zip(act).filter(|(_, acts)| **acts).map(|(f, _)| f.ln()).collect();
    let mean = (others.iter().sum::<f64>() / others.len().max(1) as f64).exp();
    factors.iter_mut().zip(act).filter(|(_, acts)| !**acts).for_each(|(f, _)| *f = mean);
}

/// The largest component in coordinates of one size.
fn largest(x: &[f64], units: &[f64]) -> f64 {
    norms::max_abs_vec(&x.iter().zip(units).map(|(x, d)| x / d).collect::<Vec<f64>>())
}
