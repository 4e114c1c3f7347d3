//! Rows of length one that span what the independent constraint rows span, where these nearly depend on each other.
//!
//! ```text
//! u_i = (row_i - sum_j y_j row_j) / |row_i - sum_j y_j row_j|,   j the rows before i in the order of elimination
//! U = T Phi,   Phi^T l = U^T l'  with  l = T^T l'
//! ```
//!
//! A row that differs from a combination of others by d of its length makes the complement Phi A^-1 Phi^T of a factorization have
//! a pivot of size d^2. The difference is formed here in double-double precision, from rows as given and with any numbers y, so that U
//! spans the rows as given but for the rounding of its own entries. Sizes: U and Phi r x n, T r x r.

use mb_algebra::{RowDependence, Scatter, Sparse, Triplets, norms};

use crate::krylov::Scalar;
use crate::numeric::double_double::Twofold;

/// Share of the largest entry below which what rounding of y leaves in a column is no entry.
const NO_ENTRY: f64 = 0.25 * f64::EPSILON;

/// A row of T with more than its diagonal.
#[derive(Clone, Debug)]
struct Combined {
    row: usize,
    by: f64,
    others: Vec<(usize, f64)>,
}

/// T: one over the lengths of the rows, and the rows that are combined with others, in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct RowBasis {
    scale: Vec<f64>,
    combined: Vec<Combined>,
}

impl RowBasis {
    /// The basis with its rows; `given`: r independent rows, `scale`: one over their lengths, `nearly`: of these, with combinations of
    /// rows at length one.
    pub(super) fn new(given: &Sparse, scale: Vec<f64>, nearly: &[RowDependence]) -> (Self, Sparse) {
        let mut combined = Vec::with_capacity(nearly.len());
        let mut made: Vec<Option<Vec<(usize, f64)>>> = vec![None; scale.len()];
        for RowDependence { row, combination } in nearly {
            let others: Vec<(usize, f64)> = combination.iter().map(|(j, y)| (*j, -y * scale[*j])).collect();
            let rest = rest(given, (*row, scale[*row]), &others);
            let size = norms::two(&rest.iter().map(|(_, v)| *v).collect::<Vec<_>>());
            // A power of two, by which nothing is rounded, and what is left of the length.
            let by = if size > 0.0 { size.log2().round().exp2().recip() } else { 1.0 };
            made[*row] = Some(rest.into_iter().map(|(j, v)| (j, v * by)).collect());
            let others = others.into_iter().map(|(j, y)| (j, y * by)).collect();
            combined.push(Combined { row: *row, by: scale[*row] * by, others });
        }
        let mut out = Triplets::new(given.rows(), given.cols());
        for (i, made) in made.into_iter().enumerate() {
            let plain = || {
                given
                    .outer_view(i)
                    .map_or_else(Vec::new, |row| row.iter().map(|(j, v)| (j, v * scale[i])).collect())
            };
            for (j, v) in made.unwrap_or_else(plain) {
                out.add(i, j, v);
            }
        }
        (Self { scale, combined }, out.to_sparse().to_csr())
    }

    /// T^T l': multipliers of the rows as given.
    pub(super) fn given_multipliers<T: Scalar>(&self, l: &[T]) -> Vec<T> {
        let mut out: Vec<T> = l.iter().zip(&self.scale).map(|(l, scale)| l.times(*scale)).collect();
        for Combined { row, by, .. } in &self.combined {
            out[*row] = l[*row].times(*by);
        }
        for Combined { row, others, .. } in &self.combined {
            for (j, y) in others {
                out[*j] += l[*row].times(*y);
            }
        }
        out
    }

    /// T^-T l: multipliers of U from those of the rows as given.
    pub(super) fn own_multipliers<T: Scalar>(&self, l: &[T]) -> Vec<T> {
        let mut rest = l.to_vec();
        let mut out: Vec<Option<T>> = vec![None; l.len()];
        // Later rows have shares of earlier ones.
        for Combined { row, by, others } in self.combined.iter().rev() {
            let own = rest[*row].times(by.recip());
            for (j, y) in others {
                rest[*j] -= own.times(*y);
            }
            out[*row] = Some(own);
        }
        let plain =
            |(i, own): (usize, Option<T>)| own.unwrap_or_else(|| rest[i].times(self.scale[i].recip()));
        out.into_iter().enumerate().map(plain).collect()
    }

    /// T e: what violates U from what violates the rows as given.
    pub(super) fn own_violations<T: Scalar>(&self, e: &[T]) -> Vec<T> {
        let mut out: Vec<T> = e.iter().zip(&self.scale).map(|(e, scale)| e.times(*scale)).collect();
        for Combined { row, by, others } in &self.combined {
            out[*row] = others.iter().fold(e[*row].times(*by), |sum, (j, y)| sum + e[*j].times(*y));
        }
        out
    }
}

/// `by` times a row plus others, in double-double precision; entries that are not zero.
fn rest(given: &Sparse, own: (usize, f64), others: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut sums: Vec<(usize, Twofold)> = Vec::new();
    let mut place = std::collections::HashMap::new();
    for (row, by) in std::iter::once(&own).chain(others).filter(|(_, by)| *by != 0.0) {
        let Some(row) = given.outer_view(*row) else { continue };
        for (j, v) in row.iter() {
            let at = *place.entry(j).or_insert_with(|| {
                sums.push((j, Twofold::default()));
                sums.len() - 1
            });
            sums[at].1.add_product(*by, *v);
        }
    }
    let all: Vec<(usize, f64)> = sums.into_iter().map(|(j, sum)| (j, sum.value())).collect();
    let largest = all.iter().fold(0.0_f64, |most, (_, v)| most.max(v.abs()));
    all.into_iter().filter(|(_, v)| v.abs() > NO_ENTRY * largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{RankTolerance, RowRank, dense, to_sparse};

    /// Of rows e_1, e_1 + d e_2 and e_1 + d e_2 + d^2 e_3 in other lengths the span is that of e_1, e_2 and e_3.
    #[test]
    fn rows_that_nearly_repeat_others_give_way_to_what_they_differ_by() {
        let d = 2.0_f64.powi(-12);
        let rows = [[3.0, 0.0, 0.0, 0.0], [1.0, d, 0.0, 0.0], [0.5, 0.5 * d, 0.5 * d * d, 0.0]];
        let given = to_sparse(&dense::from_rows(&[&rows[0], &rows[1], &rows[2]])).to_csr();
        let lengths = rows.map(|row| norms::two(&row));
        let scale: Vec<f64> = lengths.iter().map(|length| length.recip()).collect();
        let mut unit = given.clone();
        for (mut row, scale) in unit.outer_iterator_mut().zip(&scale) {
            row.iter_mut().for_each(|(_, v)| *v *= scale);
        }
        let found = RowRank::new(&unit, RankTolerance::default()).unwrap();
        assert_eq!(found.nearly.len(), 2, "{found:?}");
        let (basis, own) = RowBasis::new(&given, scale, &found.nearly);
        // Each stands along an axis but for d, and none along the fourth.
        let own = mb_algebra::to_dense(&own);
        for i in 0..3 {
            let row: Vec<f64> = (0..4).map(|j| own[(i, j)].abs()).collect();
            let largest = row.iter().copied().fold(0.0, f64::max);
            assert!(row.iter().filter(|v| **v > 1.01 * d * largest).count() == 1 && row[3] == 0.0, "{row:?}");
        }
        // The same force from both multipliers, the way back, and violations of what is seen by both.
        let l = [0.25, -2.0, 1.5];
        let of_given = basis.given_multipliers(&l);
        let force = |rows: &dyn Fn(usize, usize) -> f64, l: &[f64], j: usize| -> f64 {
            l.iter().enumerate().map(|(i, l)| rows(i, j) * l).sum()
        };
        let size = of_given.iter().fold(0.0_f64, |most, l| most.max(l.abs()));
        for j in 0..4 {
            let (a, b) = (force(&|i, j| own[(i, j)], &l, j), force(&|i, j| rows[i][j], &of_given, j));
            assert!((a - b).abs() <= 8.0 * f64::EPSILON * size, "{a} {b}");
        }
        let back = basis.own_multipliers(&of_given);
        assert!(back.iter().zip(&l).all(|(a, b)| (a - b).abs() <= 8.0 * f64::EPSILON * size), "{back:?}");
        // x = (1, 2, 4, 8) / 4: sums of few bits, without rounding.
        let x = [0.25, 0.5, 1.0, 2.0];
        let seen = |i: usize| (0..4).map(|j| rows[i][j] * x[j]).sum::<f64>();
        let violations = basis.own_violations(&[seen(0), seen(1), seen(2)]);
        for (i, violation) in violations.iter().enumerate() {
            let own: f64 = (0..4).map(|j| own[(i, j)] * x[j]).sum();
            let size = violations.iter().fold(1.0 / (d * d), |most: f64, v| most.max(v.abs()));
            assert!((violation - own).abs() <= 8.0 * f64::EPSILON * size, "{violation} {own}");
        }
    }
}
