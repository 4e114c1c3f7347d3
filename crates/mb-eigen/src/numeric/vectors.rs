//! Blocks of complex vectors, kept as a real and an imaginary matrix so that real matrices apply fast.

use mb_algebra::{Dense, c64, dense, norms};

/// The complex zero.
pub(crate) const ZERO: c64 = c64::new(0.0, 0.0);

/// N complex vectors of length n as columns.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    re: Dense,
    /// Absent when all vectors are real.
    im: Option<Dense>,
}

impl Block {
    /// From N vectors of length n.
    pub(crate) fn new(n: usize, columns: &[Vec<c64>]) -> Self {
        let count = columns.len();
        let re = Dense::from_fn(n, count, |i, j| columns[j][i].re);
        let complex = columns.iter().flatten().any(|z| z.im != 0.0);
        let im = complex.then(|| Dense::from_fn(n, count, |i, j| columns[j][i].im));
        Self { re, im }
    }

    /// The image under a real linear map of columns.
    pub(crate) fn through(&self, map: impl Fn(&Dense) -> Dense) -> Self {
        Self { re: map(&self.re), im: self.im.as_ref().map(map) }
    }

    /// A V.
    pub(crate) fn apply(&self, a: &Dense) -> Self {
        self.through(|v| dense::mul(a, v))
    }

    /// Magnitudes of the entries, n x N.
    pub(crate) fn magnitudes(&self) -> Dense {
        match &self.im {
            None => self.re.map(|v| v.abs()),
            Some(im) => {
                let size = |i, j| abs(c64::new(self.re[(i, j)], im[(i, j)]));
                Dense::from_fn(self.re.nrows(), self.re.ncols(), size)
            }
        }
    }

    /// Entry i of vector j.
    pub(crate) fn get(&self, i: usize, j: usize) -> c64 {
        c64::new(self.re[(i, j)], self.im.as_ref().map_or(0.0, |im| im[(i, j)]))
    }

    /// Vector j.
    pub(crate) fn column(&self, j: usize) -> Vec<c64> {
        (0..self.re.nrows()).map(|i| self.get(i, j)).collect()
    }
}

/// Magnitudes of all entries of a matrix.
pub(crate) fn magnitudes(a: &Dense) -> Dense {
    a.map(|v| v.abs())
}

/// |z| without the guard against overflow, for entries of vectors of length about one.
pub(crate) fn abs(z: c64) -> f64 {
    z.norm_sqr().sqrt()
}

/// y^H x.
pub(crate) fn inner(y: &[c64], x: &[c64]) -> c64 {
    y.iter().zip(x).map(|(y, x)| y.conj() * x).sum()
}

/// A real vector as a complex one.
pub(crate) fn complex(x: &[f64]) -> Vec<c64> {
    x.iter().map(|&v| c64::new(v, 0.0)).collect()
}

/// Entrywise conjugate.
pub(crate) fn conjugate(x: &[c64]) -> Vec<c64> {
    x.iter().map(c64::conj).collect()
}

/// Multiplies by a number.
pub(crate) fn scale(x: &mut [c64], by: c64) {
    for z in x {
        *z *= by;
    }
}

/// Scales to 2-norm one with the largest entry real and positive; leaves a zero vector alone.
///
/// Among entries of nearly equal size the first one sets the phase, so that rounding does not.
pub(crate) fn normalize(x: &mut [c64]) {
    let norm = norms::two_complex(x);
    if norm == 0.0 {
        return;
    }
    let largest = x.iter().map(c64::norm_sqr).fold(0.0, f64::max);
    let Some(pivot) = x.iter().copied().find(|z| z.norm_sqr() >= 0.999 * largest) else { return };
    let real = x.iter().all(|z| z.im == 0.0);
    let by =
        if real { c64::new(pivot.re.signum() / norm, 0.0) } else { pivot.conj() / (pivot.norm() * norm) };
    scale(x, by);
}

/// Columns of a matrix.
pub(crate) fn columns(a: &Dense) -> impl Iterator<Item = &[f64]> {
    (0..a.ncols()).map(move |j| a.col_as_slice(j))
}

/// Some columns from a start to the end.
pub(crate) fn column_range(a: &Dense, from: usize, to: usize) -> Dense {
    Dense::from_fn(a.nrows(), to - from, |i, j| a[(i, from + j)])
}

/// A bound of the 2-norm of a matrix that is cheap: the smaller of the Frobenius norm and
/// sqrt(|A|_1 |A|_inf).
pub(crate) fn norm_bound<A: norms::Norms>(a: &A) -> f64 {
    let frobenius = norms::frobenius(a);
    let mixed = norms::one(a).sqrt() * norms::inf(a).sqrt();
    if mixed.is_finite() { frobenius.min(mixed) } else { frobenius }
}
