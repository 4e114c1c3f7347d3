//! Small verbs for complex vectors and real sparse matrices.

use mb_algebra::{Sparse, c64};

/// The zero vector.
pub(crate) fn zeros(n: usize) -> Vec<c64> {
    vec![c64::ZERO; n]
}

/// `out += factor * x`.
pub(crate) fn axpy(out: &mut [c64], factor: c64, x: &[c64]) {
    for (o, x) in out.iter_mut().zip(x) {
        *o += factor * x;
    }
}

/// `x^T y`, without conjugation.
pub(crate) fn dot(x: &[c64], y: &[c64]) -> c64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// `out += A x`.
pub(crate) fn add_matvec(out: &mut [c64], a: &Sparse, x: &[c64]) {
    for (value, (row, col)) in a {
        out[row] += x[col] * *value;
    }
}

/// `out += A^T x`.
pub(crate) fn add_matvec_transpose(out: &mut [c64], a: &Sparse, x: &[c64]) {
    for (value, (row, col)) in a {
        out[col] += x[row] * *value;
    }
}

/// True when every entry is finite.
pub(crate) fn is_finite(x: &[c64]) -> bool {
    x.iter().all(|z| z.re.is_finite() && z.im.is_finite())
}
