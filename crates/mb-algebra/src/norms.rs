//! Norms of vectors and matrices. An entry that is NaN makes every norm NaN.

use crate::{Dense, DenseC, Sparse, c64};

/// Euclidean norm of a vector, scaled so that it neither overflows nor underflows.
pub fn two(x: &[f64]) -> f64 {
    scaled_two(x.iter().copied())
}

/// Euclidean norm of a complex vector, scaled so that it neither overflows nor underflows.
pub fn two_complex(x: &[c64]) -> f64 {
    scaled_two(x.iter().flat_map(|z| [z.re, z.im]))
}

/// Largest magnitude in a vector.
pub fn max_abs_vec(x: &[f64]) -> f64 {
    // Several maxima side by side: one alone waits for itself at every entry.
    let (eights, rest) = x.as_chunks::<8>();
    let (mut most, mut whole) = ([0.0_f64; 8], true);
    for eight in eights {
        for (most, v) in most.iter_mut().zip(eight) {
            *most = if v.abs() > *most { v.abs() } else { *most };
            whole &= !v.is_nan();
        }
    }
    if whole { largest(most.into_iter().chain(rest.iter().map(|v| v.abs()))) } else { f64::NAN }
}

/// Sum of the magnitudes in a vector.
pub fn one_vec(x: &[f64]) -> f64 {
    x.iter().map(|v| v.abs()).sum()
}

/// Matrices whose norms are known.
pub trait Norms {
    /// Largest column sum of magnitudes.
    fn norm_one(&self) -> f64;
    /// Largest row sum of magnitudes.
    fn norm_inf(&self) -> f64;
    /// Square root of the sum of squares.
    fn norm_frobenius(&self) -> f64;
    /// Largest magnitude of an entry.
    fn norm_max_abs(&self) -> f64;
}

/// Largest column sum of magnitudes.
pub fn one<A: Norms>(a: &A) -> f64 {
    a.norm_one()
}

/// Largest row sum of magnitudes.
pub fn inf<A: Norms>(a: &A) -> f64 {
    a.norm_inf()
}

/// Square root of the sum of squares, scaled so that it neither overflows nor underflows.
pub fn frobenius<A: Norms>(a: &A) -> f64 {
    a.norm_frobenius()
}

/// Largest magnitude of an entry.
pub fn max_abs<A: Norms>(a: &A) -> f64 {
    a.norm_max_abs()
}

impl Norms for Dense {
    fn norm_one(&self) -> f64 {
        largest((0..self.ncols()).map(|j| one_vec(self.col_as_slice(j))))
    }

    fn norm_inf(&self) -> f64 {
        let entries = (0..self.ncols()).flat_map(|j| self.col_as_slice(j).iter().enumerate());
        row_sums(self.nrows(), entries.map(|(i, v)| (i, v.abs())))
    }

    fn norm_frobenius(&self) -> f64 {
        scaled_two((0..self.ncols()).flat_map(|j| self.col_as_slice(j).iter().copied()))
    }

    fn norm_max_abs(&self) -> f64 {
        largest((0..self.ncols()).map(|j| max_abs_vec(self.col_as_slice(j))))
    }
}

impl Norms for DenseC {
    fn norm_one(&self) -> f64 {
        largest((0..self.ncols()).map(|j| self.col_as_slice(j).iter().map(|z| z.norm()).sum()))
    }

    fn norm_inf(&self) -> f64 {
        let entries = (0..self.ncols()).flat_map(|j| self.col_as_slice(j).iter().enumerate());
        row_sums(self.nrows(), entries.map(|(i, z)| (i, z.norm())))
    }

    fn norm_frobenius(&self) -> f64 {
        scaled_two((0..self.ncols()).flat_map(|j| self.col_as_slice(j).iter().flat_map(|z| [z.re, z.im])))
    }

    fn norm_max_abs(&self) -> f64 {
        largest((0..self.ncols()).flat_map(|j| self.col_as_slice(j).iter().map(|z| z.norm())))
    }
}

impl Norms for Sparse {
    fn norm_one(&self) -> f64 {
        row_sums(self.cols(), self.iter().map(|(v, (_, col))| (col, v.abs())))
    }

    fn norm_inf(&self) -> f64 {
        row_sums(self.rows(), self.iter().map(|(v, (row, _))| (row, v.abs())))
    }

    fn norm_frobenius(&self) -> f64 {
        two(self.data())
    }

    fn norm_max_abs(&self) -> f64 {
        max_abs_vec(self.data())
    }
}

/// Largest of non-negative numbers, 0 of none; NaN wins.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

fn row_sums(rows: usize, entries: impl Iterator<Item = (usize, f64)>) -> f64 {
    let mut sums = vec![0.0; rows];
    for (row, value) in entries {
        sums[row] += value;
    }
    largest(sums.into_iter())
}

/// Plain sum of squares when it is safe, else a second pass scaled by the largest magnitude.
fn scaled_two(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let sum: f64 = values.clone().map(|v| v * v).sum();
    if sum.is_nan() || (sum > 1e-280 && sum < 1e300) {
        return sum.sqrt();
    }
    let scale = largest(values.clone().map(f64::abs));
    if scale == 0.0 || scale.is_infinite() {
        return scale;
    }
    scale * values.map(|v| (v / scale).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dense, to_sparse};

    #[test]
    fn the_two_norm_is_safe_at_both_ends() {
        for scale in [1e-300, 1.0, 1e300] {
            let norm = two(&[3.0 * scale, -4.0 * scale]);
            assert!((norm / (5.0 * scale) - 1.0).abs() < 1e-15);
        }
        assert!(two(&[0.0, 0.0]).abs() < f64::MIN_POSITIVE);
        assert!(two(&[1.0, f64::NAN]).is_nan());
        assert!(two(&[1.0, f64::INFINITY]).is_infinite());
        assert!((two_complex(&[c64::new(3.0, 4.0)]) - 5.0).abs() < 1e-15);
    }

    #[test]
    fn matrix_norms_of_both_storages_agree_with_the_definitions() {
        let a = dense::from_rows(&[&[1.0, -7.0], &[-2.0, 3.0]]);
        let s = to_sparse(&a);
        for (d, s, expected) in [
            (one(&a), one(&s), 10.0),
            (inf(&a), inf(&s), 8.0),
            (frobenius(&a), frobenius(&s), 63_f64.sqrt()),
            (max_abs(&a), max_abs(&s), 7.0),
        ] {
            assert!((d - expected).abs() < 1e-14 && (s - expected).abs() < 1e-14);
        }
        assert!(max_abs(&dense::from_rows(&[&[f64::NAN, 1.0]])).is_nan());
        for place in [3, 9, 17] {
            let mut x = vec![-1.0; 20];
            x[place] = f64::NAN;
            assert!(max_abs_vec(&x).is_nan());
            x[place] = -2.0;
            assert!(max_abs_vec(&x) > 1.5);
        }
    }
}
