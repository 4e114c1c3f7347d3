//! The paper's way: the shortest solution of the system without the gauge row.
//!
//! ```text
//! S = [A(s0)  Phi_q^T  A'(s0) phi0; Phi_q  0  0],   (phi, l, s)[sigma] = -S^+ r[sigma]
//! ```
//!
//! S has one row less than columns and, at a simple eigenvalue, full row rank; its null vector is
//! (phi0, l0, 0), so that the corrections come out orthogonal to it, as with the bordered system
//! and the gauge phi0^H phi = 1 (without constraints). Slower, and rounding leaves some of phi0
//! in the vectors: kept for comparison.
//!
//! By the singular values of the real form [Re -Im; Im Re], dense.
//!
//! Paper: [palomba2019] Eq. (28).
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use super::{Frame, Parts, positive, size_of, slope_times};
use crate::ParametricError;
use crate::storage::Storage;
use mb_algebra::{Dense, QuadraticPencil, RankTolerance, Scatter, Svd, c64, norms};

/// Singular values below this fraction of the largest count as zero.
const RANK: f64 = 1e-14;

/// The singular values and vectors of S.
pub(crate) struct PseudoInverse {
    n: usize,
    nc: usize,
    size: [f64; 3],
    svd: Svd,
}

/// Complex entries into the real form.
struct RealForm {
    matrix: Dense,
    rows: usize,
    cols: usize,
}

impl Scatter<c64> for RealForm {
    fn add(&mut self, row: usize, col: usize, value: c64) {
        let (r, c) = (row + self.rows, col + self.cols);
        self.matrix[(row, col)] += value.re;
        self.matrix[(r, c)] += value.re;
        self.matrix[(row, c)] -= value.im;
        self.matrix[(r, col)] += value.im;
    }
}

impl PseudoInverse {
    /// Errors: [`ParametricError::NotSimple`] where S has not full row rank.
    pub(crate) fn new<A: Storage>(
        p: &QuadraticPencil<A>,
        s: c64,
        phi: &[c64],
    ) -> Result<Self, ParametricError> {
        let (n, nc) = (p.m.size().0, p.phi_q.size().0);
        let column = slope_times(p, s, phi);
        let largest = column.iter().map(|z| z.norm()).fold(0.0, f64::max);
        let size =
            [positive(size_of(p, s, norms::max_abs)), positive(norms::max_abs(&p.phi_q)), positive(largest)];
        let (rows, cols) = (n + nc, n + nc + 1);
        let mut form = RealForm { matrix: Dense::zeros(2 * rows, 2 * cols), rows, cols };
        let frame = Frame { p, s, columns: &[], rows: &[], corner: &[], size, vectors: &[], left: None };
        frame.scatter_pencil(&mut form);
        for (i, z) in column.iter().enumerate() {
            form.add(i, n + nc, z / size[2]);
        }
        let svd = Svd::new(&form.matrix)?;
        let smallest = svd.s.last().copied().unwrap_or(1.0) / svd.s.first().copied().unwrap_or(1.0);
        if smallest.is_nan() || smallest <= RANK {
            return Err(ParametricError::NotSimple { s, gap: 0.0, condition: f64::INFINITY });
        }
        Ok(Self { n, nc, size, svd })
    }

    /// The shortest (x, l, t); the gauge's part of the right-hand side is not checked.
    pub(crate) fn solve(&self, rhs: &Parts) -> Parts {
        let [a, p, b] = self.size;
        let last = self.n + self.nc;
        let scaled: Vec<c64> = rhs.x.iter().map(|z| z / a).chain(rhs.l.iter().map(|z| z / p)).collect();
        let real: Vec<f64> = scaled.iter().map(|z| z.re).chain(scaled.iter().map(|z| z.im)).collect();
        let y = self.svd.min_norm_solve(&real, RankTolerance { relative: RANK });
        let at = |i: usize| c64::new(y[i], y[last + 1 + i]);
        Parts {
            x: (0..self.n).map(at).collect(),
            l: (self.n..last).map(|i| at(i) * (a / p)).collect(),
            t: vec![at(last) * (a / b)],
        }
    }
}
