//! Multipliers of minimum norm where rows depend on each other.
//!
//! With long rows kept as in numeric/long_rows.rs, (I + W W^T)^-1 W = W (I + W^T W)^-1 is of rank many rows, however many depend on them.
//! Sizes: W d x k.

use mb_algebra::{Cholesky, Dense, RankQr, dense};

use crate::EigenError;
use crate::error::at;
use crate::numeric::long_rows::LongRows;

/// Rows that depend on others, in units as given.
#[derive(Clone, Debug)]
pub(super) struct Redundancy {
    /// Rows kept, k of them, and the d that depend on them.
    kept: Vec<usize>,
    dropped: Vec<usize>,
    w: Dense,
    /// Of I + W^T W.
    factor: Cholesky,
}

impl Redundancy {
    /// `scale`: what brings each row to length one.
    pub(super) fn new(qr: &RankQr, scale: &[f64]) -> Result<Option<Self>, EigenError> {
        let (kept, dropped) = qr.pivots().split_at(qr.rank());
        if dropped.is_empty() {
            return Ok(None);
        }
        let mut rows = LongRows { kept: kept.to_vec(), dropped: dropped.to_vec(), unit: qr.dependence() };
        rows.exchange(scale);
        let LongRows { kept, dropped, unit } = rows;
        let w = Dense::from_fn(dropped.len(), kept.len(), |i, j| {
            unit[(i, j)] * scale[kept[j]] / scale[dropped[i]]
        });
        let gram = dense::add(1.0, &dense::identity(kept.len()), 1.0, &dense::mul_transpose(&w, &w));
        let factor = Cholesky::new(&gram).map_err(at("Minimum-norm multipliers"))?;
        Ok(Some(Self { kept, dropped, w, factor }))
    }

    /// The shortest multipliers that react as those given.
    pub(super) fn shorten(&self, l: &mut [f64]) {
        let of = |rows: &[usize]| -> Vec<f64> { rows.iter().map(|row| l[*row]).collect() };
        let (mut y, given) = (of(&self.kept), of(&self.dropped));
        y.iter_mut().zip(dense::matvec_transpose(&self.w, &given)).for_each(|(y, of)| *y += of);
        let l_d = dense::matvec(&self.w, &self.factor.solve(&y));
        let shift = dense::matvec_transpose(&self.w, &l_d);
        for ((&row, y), shift) in self.kept.iter().zip(y).zip(shift) {
            l[row] = y - shift;
        }
        for (&row, value) in self.dropped.iter().zip(l_d) {
            l[row] = value;
        }
    }

    /// Multipliers without effect, l_k = -W^T l_d, one column for every row that depends on others.
    pub(super) fn idle(&self, m: usize) -> Dense {
        let mut out = Dense::zeros(m, self.dropped.len());
        for (j, &row) in self.dropped.iter().enumerate() {
            out[(row, j)] = 1.0;
            for (i, &kept) in self.kept.iter().enumerate() {
                out[(kept, j)] = -self.w[(j, i)];
            }
        }
        out
    }
}
