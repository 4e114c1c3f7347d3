//! Factors and inverse of a small complex matrix in double-double precision, with what rounding may have done to its determinant.
//!
//! ```text
//! P A P_c + E = L U,   |E| <= 4 (n + 2) u |L| |U| + the error of A's entries          (u = 2^-100)
//! det A = det(L U) det(I - X E),   X = (L U)^-1
//! prod_i (1 - t_i) <= |det(I - X E)| <= prod_i (1 + t_i),   t = |X| |E| 1
//! ```
//!
//! Pivots are the largest of all entries left. Higham, Accuracy and Stability of Numerical Algorithms, Theorem 9.3, with complex operations
//! that err by 4 u at most; the product bounds are those of Hadamard and of Ostrowski for dominant rows. Sizes: n x n.

use mb_algebra::{Dense, c64};

use crate::numeric::double_double::complex::Complex;
use crate::numeric::double_double::number::UNIT;
use crate::tuning;

/// A square matrix by columns.
#[derive(Clone, Debug)]
pub(super) struct Square {
    pub(super) size: usize,
    entries: Vec<Complex>,
}

impl Square {
    pub(super) fn from_fn(size: usize, entry: impl Fn(usize, usize) -> Complex) -> Self {
        let entries = (0..size).flat_map(|j| (0..size).map(move |i| (i, j)));
        Self { size, entries: entries.map(|(i, j)| entry(i, j)).collect() }
    }

    fn at(&self, i: usize, j: usize) -> Complex {
        self.entries[j * self.size + i]
    }

    fn set(&mut self, i: usize, j: usize, value: Complex) {
        self.entries[j * self.size + i] = value;
    }

    fn swap_rows(&mut self, i: usize, j: usize) {
        if i != j {
            (0..self.size).for_each(|k| self.entries.swap(k * self.size + i, k * self.size + j));
        }
    }

    fn swap_columns(&mut self, i: usize, j: usize) {
        if i != j {
            (0..self.size).for_each(|k| self.entries.swap(i * self.size + k, j * self.size + k));
        }
    }

    /// Column j, below row k, less `by` times column k < j.
    fn subtract(&mut self, j: usize, k: usize, by: Complex) {
        let (n, by) = (self.size, -by);
        let (before, after) = self.entries.split_at_mut(j * n);
        let source = &before[k * n + k + 1..(k + 1) * n];
        after[k + 1..n].iter_mut().zip(source).for_each(|(t, s)| *t = *t + *s * by);
    }
}

/// What one elimination gives.
pub(super) struct Factors {
    /// ln |det|, and how far the logarithm of the exact determinant may lie above and below; the latter infinite where it may vanish.
    pub(super) ln_determinant: f64,
    pub(super) above: f64,
    pub(super) below: f64,
    /// The inverse, rounded, by columns.
    pub(super) inverse: Vec<Vec<c64>>,
}

impl Factors {
    /// None where a pivot is zero or out of range; `error`: the errors of the entries.
    pub(super) fn new(mut a: Square, error: &Dense) -> Option<Self> {
        let n = a.size;
        let (mut rows, mut columns): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).collect());
        let mut pivots = Vec::with_capacity(n);
        for k in 0..n {
            let places = (k..n).flat_map(|j| (k..n).map(move |i| (i, j)));
            let rough = |p: &(usize, usize)| {
                let z = a.at(p.0, p.1);
                z.re.high.abs() + z.im.high.abs()
            };
            let (i, j) = places.max_by(|p, q| rough(p).total_cmp(&rough(q)))?;
            a.swap_rows(k, i);
            a.swap_columns(k, j);
            rows.swap(k, i);
            columns.swap(k, j);
            let pivot = a.at(k, k);
            let usable = pivot.rounded().is_finite() && size(pivot) > f64::MIN_POSITIVE.sqrt();
            if !usable {
                return None;
            }
            let inverse = pivot.inverse();
            pivots.push(inverse);
            for i in k + 1..n {
                a.set(i, k, a.at(i, k) * inverse);
            }
            for j in k + 1..n {
                let by = a.at(k, j);
                if !by.is_zero() {
                    a.subtract(j, k, by);
                }
            }
        }
        let logs = || (0..n).map(|k| size(a.at(k, k)).ln());
        let ln_determinant: f64 = logs().sum();
        let rounding = n as f64 * f64::EPSILON * (1.0 + logs().map(f64::abs).sum::<f64>());
        let done = row_sums(&a);
        let inverse = inverse(&a, &pivots);
        // X in the order of the pivots takes E in it too.
        let by_row: Vec<f64> = (0..n)
            .map(|i| {
                let given: f64 = (0..n).map(|j| error[(rows[i], j)]).sum();
                given + 4.0 * (n + 2) as f64 * UNIT * done[i]
            })
            .collect();
        let moved: Vec<f64> =
            (0..n).map(|i| (0..n).map(|j| size(inverse.at(i, j)) * by_row[j]).sum::<f64>()).collect();
        // X itself errs by |X| |E| |X| to first order, and the logarithms by rounding.
        let t = |t: f64| if t < tuning::MAINLY { t / (1.0 - t) } else { f64::INFINITY };
        let above: f64 = moved.iter().map(|m| t(*m).ln_1p()).sum::<f64>() + rounding;
        let below: f64 = moved.iter().map(|m| -(-t(*m).min(1.0)).ln_1p()).sum::<f64>() + rounding;
        let mut out = vec![vec![c64::new(0.0, 0.0); n]; n];
        for (j, row) in rows.iter().enumerate() {
            for (i, column) in columns.iter().enumerate() {
                out[*row][*column] = inverse.at(i, j).rounded();
            }
        }
        Some(Self { ln_determinant, above, below, inverse: out })
    }
}

fn size(z: Complex) -> f64 {
    z.rounded().norm()
}

/// |L| |U| 1 of factors in one matrix.
fn row_sums(a: &Square) -> Vec<f64> {
    let n = a.size;
    let of_u: Vec<f64> = (0..n).map(|i| (i..n).map(|j| size(a.at(i, j))).sum()).collect();
    (0..n).map(|i| of_u[i] + (0..i).map(|k| size(a.at(i, k)) * of_u[k]).sum::<f64>()).collect()
}

/// U^-1 L^-1; `pivots`: inverses of those of U.
fn inverse(a: &Square, pivots: &[Complex]) -> Square {
    let n = a.size;
    let mut out = Square::from_fn(n, |i, j| Complex::from(f64::from(u8::from(i == j))));
    for j in 0..n {
        let mut x = out.entries[j * n..(j + 1) * n].to_vec();
        for k in j..n {
            let by = -x[k];
            if by.is_zero() {
                continue;
            }
            let column = &a.entries[k * n..(k + 1) * n];
            x[k + 1..].iter_mut().zip(&column[k + 1..]).for_each(|(x, l)| *x = *x + *l * by);
        }
        for k in (0..n).rev() {
            x[k] = x[k] * pivots[k];
            let by = -x[k];
            let column = &a.entries[k * n..(k + 1) * n];
            x[..k].iter_mut().zip(&column[..k]).for_each(|(x, u)| *x = *x + *u * by);
        }
        out.entries[j * n..(j + 1) * n].copy_from_slice(&x);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn determinant_and_inverse_of_a_nearly_singular_matrix_have_their_digits() {
        // [1 1; 1 1 + e] with e = 2^-60 has the determinant e and the inverse [1 + e, -1; -1, 1] / e.
        let e = 2.0_f64.powi(-60);
        let a = Square::from_fn(2, |i, j| {
            let one = Complex::from(1.0);
            if i + j == 2 { one + Complex::from(e) } else { one }
        });
        let found = Factors::new(a, &Dense::zeros(2, 2)).unwrap();
        assert!((found.ln_determinant - e.ln()).abs() < tuning::MANY_ROUNDINGS * e.ln().abs());
        assert!(found.above < tuning::SQRT_EPS && found.below < tuning::SQRT_EPS);
        assert!((found.inverse[0][0] * e - 1.0).norm() < tuning::FEW_ROUNDINGS);
        assert!((found.inverse[1][0] * e + 1.0).norm() < tuning::FEW_ROUNDINGS);
    }

    #[test]
    fn a_determinant_that_may_vanish_has_no_lower_bound() {
        let a = Square::from_fn(2, |i, j| Complex::from(if i + j == 2 { 1.5 } else { 1.0 }));
        let found = Factors::new(a, &Dense::from_fn(2, 2, |_, _| 0.5)).unwrap();
        assert!(found.below.is_infinite());
    }
}
