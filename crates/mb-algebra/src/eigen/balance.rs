//! Balancing: A' = D^-1 A D with D of powers of two, so that rows and columns have like norms.
//!
//! State matrices mix displacements and velocities, hence entries of order one and of order omega^2; the QR
//! iteration has errors relative to the largest. Balancing (Parlett and Reinsch, 1969) with the 2-norm and the
//! diagonal counted (James, Langou and Lowery, 2014, algorithm 3) makes no rounding errors and does not spoil
//! matrices whose scaling is good already.

use crate::{Dense, dense, norms};

/// A balance counts as better below this fraction of the old sum of norms.
const GAIN: f64 = 0.95;
/// Sweeps; three or four are usual.
const MAX_SWEEPS: usize = 30;

/// The balanced matrix and the diagonal of D, powers of two; `a` n x n.
pub fn balance(a: &Dense) -> (Dense, Vec<f64>) {
    let n = a.nrows();
    let (mut a, mut d) = (a.clone(), vec![1.0; n]);
    for _ in 0..MAX_SWEEPS {
        let mut changed = false;
        for i in 0..n {
            let (mut col, mut row) = (norms::two(a.col_as_slice(i)), norms::two(&dense::row(&a, i)));
            if col == 0.0 || row == 0.0 {
                continue;
            }
            let (before, mut factor) = (col + row, 1.0_f64);
            while col < row / 2.0 && factor < 1e150 {
                (col, row, factor) = (col * 2.0, row / 2.0, factor * 2.0);
            }
            while col >= row * 2.0 && factor > 1e-150 {
                (col, row, factor) = (col / 2.0, row * 2.0, factor / 2.0);
            }
            if col + row >= GAIN * before {
                continue;
            }
            changed = true;
            d[i] *= factor;
            a.col_as_slice_mut(i).iter_mut().for_each(|v| *v *= factor);
            for j in 0..n {
                a[(i, j)] /= factor;
            }
        }
        if !changed {
            break;
        }
    }
    (a, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_come_to_like_norms() {
        let a = dense::from_rows(&[&[1.0, 1e8, 0.0], &[1e-8, 2.0, 1e4], &[0.0, 1e-4, 3.0]]);
        let (balanced, d) = balance(&a);
        for i in 0..3 {
            let (col, row) = (norms::two(balanced.col_as_slice(i)), norms::two(&dense::row(&balanced, i)));
            assert!(col < 4.0 * row && row < 4.0 * col);
            for j in 0..3 {
                let back = balanced[(i, j)] * d[i] / d[j];
                assert!((back - a[(i, j)]).abs() <= 0.0, "scaling by powers of two is exact");
            }
        }
        assert!(norms::max_abs(&balanced) < 10.0);
    }

    #[test]
    fn a_balanced_matrix_stays() {
        let a = dense::from_rows(&[&[1.0, 2.0], &[-2.0, 1.0]]);
        assert_eq!(balance(&a), (a.clone(), vec![1.0, 1.0]));
        let triangular = dense::from_rows(&[&[0.0, 1e6], &[0.0, 0.0]]);
        assert_eq!(balance(&triangular).0, triangular);
    }
}
