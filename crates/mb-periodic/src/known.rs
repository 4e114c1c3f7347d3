//! The directions whose multipliers are known beforehand: that of the motion, and those of what is ignorable.

use crate::error::PeriodicError;
use crate::orbit::{Orbit, completed};
use mb_algebra::{Dense, RankTolerance, Svd, dense, norms};

/// Orthonormal directions of known multipliers.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Of the motion, of length one, where it moves and the model does not depend on time.
    pub(crate) flow: Option<Vec<f64>>,
    /// True where the motion is itself a combination of ignorable ones.
    pub(crate) flow_is_ignorable: bool,
    /// Of what is ignorable, size x s, orthonormal.
    pub(crate) ignorable: Dense,
}

/// Share of a direction outside of the span of others below which it belongs to that span.
const SAME: f64 = 1e-7;

impl Known {
    pub(crate) fn new(orbit: &Orbit) -> Self {
        Self::of(&orbit.flow, orbit.autonomous, orbit.frame.rate, &orbit.ignorable)
    }
    /// Of the direction of a motion and those of what is ignorable, size x s.
    pub(crate) fn of(motion: &[f64], autonomous: bool, rate: f64, ignorable: &Dense) -> Self {
        let size = motion.len();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for j in 0..ignorable.ncols() {
            columns.extend(beside(&columns, dense::column(ignorable, j)));
        }
        let moves = size > 0 && autonomous && norms::two(motion) > 1e-9 * rate * 1e-3;
        let flow = moves.then(|| dense::column(&completed(motion), 0));
        let flow_is_ignorable = flow.as_ref().is_some_and(|f| beside(&columns, f.clone()).is_none());
        Self { flow, flow_is_ignorable, ignorable: dense::from_columns(size, &columns) }
    }
    /// What a matrix takes out of the subspace of the ignorable ones.
    pub(crate) fn ignorable_residual(&self, m: &Dense) -> Option<f64> {
        let q = &self.ignorable;
        (q.ncols() > 0).then(|| {
            let there = dense::mul(m, q);
            norms::frobenius(&(&there - &dense::mul(q, &dense::mul_transpose(q, &there))))
        })
    }
    /// Orthonormal basis of what is orthogonal to all of them.
    pub(crate) fn others(&self, size: usize) -> Result<Dense, PeriodicError> {
        let own = self.flow.iter().filter(|_| !self.flow_is_ignorable);
        if self.ignorable.ncols() == 0 {
            return Ok(match own.clone().next() {
                Some(f) => dense::select_columns(&completed(f), &(1..size).collect::<Vec<_>>()),
                None => dense::identity(size),
            });
        }
        let mut rows: Vec<Vec<f64>> =
            (0..self.ignorable.ncols()).map(|j| dense::column(&self.ignorable, j)).collect();
        rows.extend(own.cloned());
        Ok(Svd::new(&dense::from_rows(&rows))?.null_space(RankTolerance { relative: SAME }))
    }
}

/// The part of a vector orthogonal to orthonormal ones, of length one; none where hardly anything is left.
fn beside(columns: &[Vec<f64>], mut x: Vec<f64>) -> Option<Vec<f64>> {
    let whole = norms::two(&x);
    for _ in 0..2 {
        for q in columns {
            let along = dense::dot(q, &x);
            x.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
        }
    }
    let length = norms::two(&x);
    (whole > 0.0 && length > SAME * whole).then(|| x.iter().map(|x| x / length).collect())
}
