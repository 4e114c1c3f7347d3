//! Orthonormal bases of the columns of a matrix, in the Euclidean product.

use mb_algebra::{Dense, interrupt};

use crate::krylov::scalar::{Scalar, norm, subtract};
use crate::numeric::vectors::column_range;
use crate::tuning;

/// Orthonormal basis of the columns, Euclidean; dependent ones dropped. Some columns at a time lose their parts along those before them
/// in products of matrices, twice, and then along each other.
pub(crate) fn orthonormal(against: &Dense, w: Dense) -> Dense {
    let (columns, mut out) = (w.ncols(), w);
    // Those that are kept stand in the first columns.
    let mut kept = 0;
    for from in (0..columns).step_by(tuning::WIDTH) {
        interrupt::check();
        let mut part = column_range(&out, from, (from + tuning::WIDTH).min(columns));
        for pass in 0..2 {
            let before: Vec<f64> = (0..part.ncols()).map(|j| norm(part.col_as_slice(j))).collect();
            for basis in [against.as_ref(), out.as_ref().subcols(0, kept)] {
                let c = f64::adjoint_product(basis, part.as_ref());
                subtract(&mut part, basis, c.as_ref());
            }
            // Only rounding is left of a column that depends on others; the second pass has none of those.
            let least = |j: usize| if pass == 0 { tuning::EPS_3_4 * before[j] } else { 0.0 };
            part = orthonormal_alone(part, least);
        }
        for j in 0..part.ncols() {
            out.col_as_slice_mut(kept).copy_from_slice(part.col_as_slice(j));
            kept += 1;
        }
    }
    column_range(&out, 0, kept)
}

/// Orthonormal basis of a few columns, each made orthogonal twice to those before it; those of which no more than `least` is left are
/// dropped.
fn orthonormal_alone(mut w: Dense, least: impl Fn(usize) -> f64) -> Dense {
    let mut kept = 0;
    for j in 0..w.ncols() {
        let mut column = w.as_ref().subcols(j, 1).to_owned();
        for _ in 0..2 {
            let basis = w.as_ref().subcols(0, kept);
            let c = f64::adjoint_product(basis, column.as_ref());
            subtract(&mut column, basis, c.as_ref());
        }
        let size = norm(column.col_as_slice(0));
        if size > least(j) {
            w.col_as_slice_mut(kept).iter_mut().zip(column.col_as_slice(0)).for_each(|(w, v)| *w = v / size);
            kept += 1;
        }
    }
    column_range(&w, 0, kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::krylov::scalar::start_block;

    #[test]
    fn dependent_columns_of_any_part_are_dropped() {
        let n = 60;
        let against = orthonormal(&Dense::zeros(n, 0), start_block::<f64>(n, 5, 1));
        let fresh = start_block::<f64>(n, 20, 2);
        // Columns 7, 8 and 27 depend on ones before them or on `against`; column 30 is zero.
        let w = Dense::from_fn(n, 31, |i, j| match j {
            7 => fresh[(i, 0)] + fresh[(i, 3)],
            8 => 1e-9 * against[(i, 2)],
            27 => fresh[(i, 1)] - 3.0 * against[(i, 4)],
            30 => 0.0,
            _ => fresh[(i, j % 20)],
        });
        let basis = orthonormal(&against, w);
        // New are 0 to 6, 9 to 19, and 28, which repeats what column 8 would have been.
        assert_eq!(basis.ncols(), 19);
        let gram = f64::adjoint_product(basis.as_ref(), basis.as_ref());
        let cross = f64::adjoint_product(against.as_ref(), basis.as_ref());
        for i in 0..19 {
            for j in 0..19 {
                assert!((gram[(i, j)] - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
        assert!((0..5).all(|i| (0..19).all(|j| cross[(i, j)].abs() < 1e-14)));
    }
}
