//! The generator from the conditions that it has to meet in a first instant, by linear least squares.
//!
//! With R a basis of the admissible displacements (Phi_q R = 0) and X = M, C~:
//!
//! ```text
//! R^T (dX/dt + S^T X + X S) = 0,   R^T (dK~/dt + S^T K~ + K~ S) R = 0,   (dPhi_q/dt + Phi_q S) R = 0
//! S v = a,   S a = a'
//! ```
//!
//! All are linear in S. They are made free of units by the sizes g of the diagonals of M w^2, C w and K, with w the fastest
//! speed of the motion. K is compared on the admissible displacements alone: a change of the rows of Phi, or of the
//! multipliers where rows depend on each other, changes the rest of it. Where the conditions leave S open it is the one
//! nearest to a given one.

use super::change::Change;
use super::generator::Generator;
use super::scale::Scale;
use crate::error::LinearError;
use mb_algebra::{Dense, RankTolerance, Sparse, Svd, dense, norms, sparse};
use mb_model::{Model, Point};

/// Singular values of the conditions below this share of the largest leave S open: the square root of rounding, since
/// data are as good as that where they come from formulas.
const OPEN: f64 = 1e-8;

/// S and S^T.
fn both(s: &Generator) -> (Sparse, Sparse) {
    let s = s.sparse();
    let transposed = sparse::transpose(&s);
    (s, transposed)
}

/// What the conditions say of one generator: numbers without unit, per radian of the motion.
pub(super) struct Conditions<'a> {
    pub(super) change: &'a Change,
    pub(super) point: &'a Point,
    pub(super) r: &'a Dense,
    pub(super) scale: &'a Scale,
}

impl Conditions<'_> {
    /// What is left of every condition.
    pub(super) fn residual(&self, s: &Generator) -> Vec<f64> {
        let (change, r, scale) = (self.change, self.r, self.scale);
        let (s_sparse, transposed) = both(s);
        let mut out = Vec::new();
        for (order, (x, rate)) in change.now.iter().zip(&change.rates).enumerate() {
            let changed = dense::add_sparse_mul(rate.clone(), 1.0, &transposed, x);
            let left = dense::mul_transpose(r, &dense::add_mul_sparse(changed, 1.0, x, &s_sparse));
            // M and C by half, K on both sides.
            let (left, columns) =
                if order == 2 { (dense::mul(&left, r), &scale.reduced) } else { (left, &scale.full) };
            let unit = scale.unit(order) / scale.speed;
            for j in 0..left.ncols() {
                for i in 0..left.nrows() {
                    out.push(left[(i, j)] * unit / (scale.reduced[i] * columns[j]));
                }
            }
        }
        let rows = dense::add_mul_sparse(change.phi_q_rate.clone(), 1.0, &change.phi_q, &s_sparse);
        let rows = dense::mul(&rows, r);
        for i in 0..rows.nrows() {
            let size = norms::two(&dense::row(&change.phi_q, i)) * scale.speed;
            if size > 0.0 {
                out.extend((0..rows.ncols()).map(|j| rows[(i, j)] / size));
            }
        }
        let (v, a) = (s.times(&self.point.v), s.times(&self.point.a));
        let second = scale.speed * scale.speed;
        for i in 0..v.len() {
            out.push((v[i] - self.point.a[i]) / (scale.speed * scale.velocity[i]));
            out.push((a[i] - change.a_rate[i]) / (second * scale.velocity[i]));
        }
        out
    }
    /// The generator nearest to `from` among those that meet the conditions best, from the span of `units`.
    pub(super) fn nearest(&self, from: &Generator, units: &[Generator]) -> Result<Generator, LinearError> {
        let base = self.residual(from);
        let columns: Vec<Vec<f64>> = units
            .iter()
            .map(|u| {
                let moved = self.residual(&from.plus(self.scale.speed, u));
                moved.iter().zip(&base).map(|(a, b)| a - b).collect()
            })
            .collect();
        let matrix = dense::from_columns(base.len(), &columns);
        let wanted: Vec<f64> = base.iter().map(|x| -x).collect();
        let found = Svd::new(&matrix)?.min_norm_solve(&wanted, RankTolerance { relative: OPEN });
        let mut s = from.clone();
        for (unit, x) in units.iter().zip(found) {
            s = s.plus(x * self.scale.speed, unit);
        }
        Ok(s)
    }
    /// The body whose equations change fastest in the frame of `s`, and by what share of themselves in a second.
    pub(super) fn fastest(&self, model: &Model, s: &Generator) -> (String, f64) {
        let (s_sparse, transposed) = both(s);
        let mut worst = (0, 0.0);
        for (order, (x, rate)) in self.change.now.iter().zip(&self.change.rates).enumerate() {
            let changed = dense::add_sparse_mul(rate.clone(), 1.0, &transposed, x);
            let left = dense::add_mul_sparse(changed, 1.0, x, &s_sparse);
            let unit = self.scale.unit(order);
            for j in 0..left.ncols() {
                for i in 0..left.nrows() {
                    let share = left[(i, j)].abs() * unit / (self.scale.full[i] * self.scale.full[j]);
                    if share > worst.1 {
                        worst = (i, share);
                    }
                }
            }
        }
        (super::body_of(model, worst.0), worst.1)
    }
}
