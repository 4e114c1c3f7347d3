//! LU factors of the whole bordered matrix.

use super::{Core, Frame};
use crate::storage::Backend;
use mb_algebra::{AlgebraError, Dense, DenseC, LuComplex, Scatter, c64};

/// Entries added into a dense complex matrix.
struct Into(DenseC);

impl Scatter<c64> for Into {
    fn add(&mut self, row: usize, col: usize, value: c64) {
        self.0[(row, col)] += value;
    }
}

/// The factors, (n + m + k)^2 numbers.
pub(crate) fn dense_core(frame: &Frame<'_, Dense>) -> Result<Core, AlgebraError> {
    let (n, nc) = (frame.p.m.nrows(), frame.p.phi_q.nrows());
    let (last, total) = (n + nc, n + nc + frame.columns.len());
    let mut matrix = Into(DenseC::zeros(total, total));
    let [_, _, b] = frame.size;
    frame.scatter_pencil(&mut matrix);
    for (j, column) in frame.columns.iter().enumerate() {
        for (i, z) in column.iter().enumerate() {
            matrix.0[(i, last + j)] = z / b;
        }
    }
    let scale = frame.size[0] / b;
    for (i, (row, corner)) in frame.rows.iter().zip(frame.corner).enumerate() {
        for (j, z) in row.iter().enumerate() {
            matrix.0[(last + i, j)] = *z;
        }
        for (j, z) in corner.iter().enumerate() {
            matrix.0[(last + i, last + j)] = z * scale;
        }
    }
    Ok(Core::Dense(LuComplex::new(&matrix.0)?))
}

impl<A: Backend> Frame<'_, A> {
    /// The scaled blocks A(s), Phi_q and Phi_q^T.
    pub(super) fn scatter_pencil(&self, out: &mut impl Scatter<c64>) {
        let [a, p, _] = self.size;
        let n = self.p.m.size().0;
        self.p.m.scatter(self.s * self.s / a, [0, 0], false, out);
        self.p.c.scatter(self.s / a, [0, 0], false, out);
        self.p.k.scatter(c64::from(1.0 / a), [0, 0], false, out);
        self.p.phi_q.scatter(c64::from(1.0 / p), [n, 0], false, out);
        self.p.phi_q.scatter(c64::from(1.0 / p), [0, n], true, out);
    }
}
