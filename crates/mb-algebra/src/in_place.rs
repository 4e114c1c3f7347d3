//! Small dense factors that are computed again and again without allocating.
//!
//! For time stepping: storage is taken once, [`EnvelopeCholesky::factor`] and
//! [`Orthogonal::factor`] overwrite it. Matrices are slices by columns.
//!
//! - [`EnvelopeCholesky`]: A = L L^T by rows, from the first nonzero of each row on, so that
//!   the block-diagonal mass matrix of free bodies costs its blocks only.
//! - [`Orthogonal`]: W P = Q R with pivoting and, where rows are dependent, a second
//!   triangularization of R^T; gives shortest least-squares solutions with W and W^T
//!   (Golub and Van Loan, Matrix Computations, section 5.4.7).

mod envelope;
mod orthogonal;

pub use envelope::EnvelopeCholesky;
pub use orthogonal::Orthogonal;

/// x . y
#[inline]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    // Four sums side by side: a single one waits for every addition.
    let mut sums = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in xs.zip(ys) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// y += a x
#[inline]
fn add_multiple(y: &mut [f64], a: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}
