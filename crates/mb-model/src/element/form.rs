//! The constant part of an element's stiffness, with entries of twice the digits.
//!
//! ```text
//! r_i = factor unit_i sum_j matrix_ij unit_j q_j,   matrix of small numbers, unit 1 or a length
//! ```
//!
//! Bending of a slender element of length h has entries 12 EI / h^3. What carries a structure of N such elements is N^4 times
//! less and comes out right only where the entries cancel for rigid motion far beyond the sixteenth digit. The numbers of this
//! form are known exactly, hence its entries to any digits; everything else an element resists with is smaller.

/// Entries as multiples of a power of two, and what they leave.
pub(crate) type SplitEntries = [[(f64, f64); 4]; 4];

/// A constant quadratic form of four local coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ConstantForm {
    /// The local coordinates.
    pub(crate) at: [usize; 4],
    /// Their units.
    pub(crate) unit: [f64; 4],
    /// The matrix in these units, symmetric.
    pub(crate) matrix: &'static [[f64; 4]; 4],
    /// Its factor.
    pub(crate) factor: f64,
}

impl ConstantForm {
    /// Entry (i, j) as a sum of two numbers, to 32 digits.
    fn entry(&self, i: usize, j: usize) -> (f64, f64) {
        // The order of the factors is that of the upper triangle, so that the form stays symmetric to the last bit.
        let (i, j) = (i.min(j), i.max(j));
        let value = times((self.factor, 0.0), self.matrix[i][j]);
        times(times(value, self.unit[i]), self.unit[j])
    }
    /// The largest magnitude of an entry.
    pub(crate) fn largest(&self) -> f64 {
        let all = (0..4).flat_map(|i| (0..4).map(move |j| (i, j)));
        all.map(|(i, j)| self.entry(i, j).0.abs()).fold(0.0, f64::max)
    }
    /// The entries, each as a multiple of `grid` and the rest. `grid` is a power of two above 2^-50 of the largest.
    pub(crate) fn entries(&self, grid: f64) -> SplitEntries {
        let split = |(high, low): (f64, f64)| {
            let coarse = (high / grid).round_ties_even() * grid;
            (coarse, (high - coarse) + low)
        };
        core::array::from_fn(|i| core::array::from_fn(|j| split(self.entry(i, j))))
    }
}

/// (a + b) c as a sum of two numbers.
fn times((a, b): (f64, f64), c: f64) -> (f64, f64) {
    let product = a * c;
    let error = a.mul_add(c, -product) + b * c;
    let sum = product + error;
    (sum, error - (sum - product))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: [[f64; 4]; 4] =
        [[12.0, 6.0, -12.0, 6.0], [6.0, 4.0, -6.0, 2.0], [-12.0, -6.0, 12.0, -6.0], [6.0, 2.0, -6.0, 4.0]];

    #[test]
    fn entries_have_twice_the_digits() {
        let h = 0.1_f64 / 3.0;
        let form =
            ConstantForm { at: [0, 1, 2, 3], unit: [1.0, h, 1.0, h], matrix: &MATRIX, factor: 1e16 / 7.0 };
        let grid = (form.largest().log2().floor() - 44.0).exp2();
        let split = form.entries(grid);
        for i in 0..4 {
            for j in 0..4 {
                let (high, low) = split[i][j];
                assert!((high / grid).fract() == 0.0 && low.abs() <= 0.5 * grid, "{i} {j}");
                assert_eq!(split[i][j], split[j][i]);
            }
        }
        // 12 h = 2 (6 h), and 4 h h = 12 h h / 3.
        let close = |a: (f64, f64), b: (f64, f64), by: f64| {
            let difference = b.0.mul_add(-by, a.0) + (a.1 - by * b.1);
            assert!(difference.abs() <= 1e-30 * a.0.abs(), "{a:?} {b:?}");
        };
        close(times(form.entry(0, 0), h), form.entry(0, 1), 2.0);
        close(times(times(form.entry(0, 0), h), h), form.entry(1, 1), 3.0);
    }
}
