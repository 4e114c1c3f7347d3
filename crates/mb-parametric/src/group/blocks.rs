//! Verbs for tall blocks of k columns and small k x k matrices.

use crate::vectors::{axpy, zeros};
use mb_algebra::{DenseC, c64, norms};

/// Columns of a tall block.
pub(super) type Tall = Vec<Vec<c64>>;

/// X S.
pub(super) fn times(x: &Tall, s: &DenseC) -> Tall {
    let n = x.first().map_or(0, Vec::len);
    (0..s.ncols())
        .map(|j| {
            let mut out = zeros(n);
            for (i, column) in x.iter().enumerate() {
                if s[(i, j)] != c64::ZERO {
                    axpy(&mut out, s[(i, j)], column);
                }
            }
            out
        })
        .collect()
}

/// `out += factor X`.
pub(super) fn add(out: &mut Tall, factor: c64, x: &Tall) {
    for (o, x) in out.iter_mut().zip(x) {
        axpy(o, factor, x);
    }
}

/// X^H Y, k x k.
pub(super) fn inner(x: &Tall, y: &Tall) -> DenseC {
    let dot = |a: &[c64], b: &[c64]| a.iter().zip(b).map(|(a, b)| a.conj() * b).sum::<c64>();
    DenseC::from_fn(x.len(), y.len(), |i, j| dot(&x[i], &y[j]))
}

/// Largest magnitude.
pub(super) fn largest(x: &DenseC) -> f64 {
    norms::max_abs(x)
}

/// Makes the columns of (x; w) orthonormal and returns R with the old ones = new ones R; none when
/// they depend on each other.
pub(super) fn orthonormalize(x: &mut Tall, w: &mut Tall) -> Option<DenseC> {
    let k = x.len();
    let mut r = DenseC::zeros(k, k);
    for j in 0..k {
        let whole = norms::two_complex(&x[j]).hypot(norms::two_complex(&w[j]));
        // Twice is enough.
        for _ in 0..2 {
            for i in 0..j {
                let dot = |a: &[c64], b: &[c64]| a.iter().zip(b).map(|(a, b)| a.conj() * b).sum::<c64>();
                let overlap = dot(&x[i], &x[j]) + dot(&w[i], &w[j]);
                r[(i, j)] += overlap;
                for tall in [&mut *x, &mut *w] {
                    let (before, after) = tall.split_at_mut(j);
                    axpy(&mut after[0], -overlap, &before[i]);
                }
            }
        }
        let size = norms::two_complex(&x[j]).hypot(norms::two_complex(&w[j]));
        if size.is_nan() || size <= 1e-13 * whole {
            return None;
        }
        r[(j, j)] = c64::from(size);
        for z in x[j].iter_mut().chain(&mut w[j]) {
            *z /= size;
        }
    }
    Some(r)
}

/// R^-1 for an upper triangular R.
pub(super) fn inverse_upper(r: &DenseC) -> DenseC {
    let k = r.nrows();
    let mut out = DenseC::zeros(k, k);
    for j in 0..k {
        for i in (0..=j).rev() {
            let mut sum = if i == j { c64::ONE } else { c64::ZERO };
            for m in i + 1..=j {
                sum -= r[(i, m)] * out[(m, j)];
            }
            out[(i, j)] = sum / r[(i, i)];
        }
    }
    out
}
