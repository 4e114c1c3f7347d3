//! What is measured of eigenpairs of (x, e), and the eigenpairs of x that they become.
//!
//! ```text
//! share = |e^H Xi e| / (|e^H Xi e| + |x^H M x|),   violation = |e| / (|Phi_q| |x|), rows of Phi_q at length one
//! ```
//!
//! Sizes: x n, e m.

use mb_algebra::{Dense, PenaltyBlocks, c64, dense, norms, sparse};

use crate::numeric::vectors::norm_bound;
use crate::problem::matrix::Matrix;
use crate::{Class, Eigenpair, Shape, SpuriousOrigin};

/// What distinguishes motion of the mechanism from that against the penalty.
pub(super) struct Measure<'a> {
    blocks: &'a PenaltyBlocks,
    m: &'a Matrix<'a>,
    /// Reciprocal lengths of the rows of Phi_q; zero for rows of zeros.
    by: Vec<f64>,
    /// Bound of the norm of Phi_q with rows of length one.
    norm: f64,
    /// Whether eigenpairs keep their left vectors.
    keeps_left: bool,
}

impl<'a> Measure<'a> {
    pub(super) fn new(blocks: &'a PenaltyBlocks, m: &'a Matrix<'a>, keeps_left: bool) -> Self {
        let mut squares = vec![0.0_f64; blocks.phi_q.rows()];
        for (v, (i, _)) in &blocks.phi_q {
            squares[i] += v * v;
        }
        let by: Vec<f64> =
            squares.into_iter().map(|s| if s > 0.0 { s.sqrt().recip() } else { 0.0 }).collect();
        let unit = sparse::mul(&sparse::diagonal(&by), &blocks.phi_q);
        Self { blocks, m, by, norm: norm_bound(&unit), keeps_left }
    }

    /// Eigenpairs of (x, e) as eigenpairs of x; what is measured of one holds for its conjugate.
    pub(super) fn each_on_coordinates(&self, pairs: Vec<Eigenpair>) -> Vec<Eigenpair> {
        let mut out: Vec<Eigenpair> = Vec::with_capacity(pairs.len());
        let mut before: Option<(c64, Shape)> = None;
        for pair in pairs {
            let of = before.take().filter(|(alpha, right)| {
                let opposite = |(x, y): (&c64, &c64)| *x == y.conj();
                pair.alpha == alpha.conj() && right.iter().zip(&pair.right).all(opposite)
            });
            if let (Some(_), Some(last)) = (of, out.last()) {
                let conjugate = last.conjugate();
                out.push(conjugate);
            } else {
                before = Some((pair.alpha, pair.right.clone()));
                out.push(self.on_coordinates(pair));
            }
        }
        out
    }

    /// The share of the penalty in the energy of (x, e); none where there is none.
    pub(super) fn share(&self, z: &[c64]) -> Option<f64> {
        let (x, e) = z.split_at(self.blocks.m.rows());
        // x^H M x of a symmetric part: that of the real parts and that of the imaginary ones.
        let parts = Dense::from_fn(x.len(), 2, |i, k| [x[i].re, x[i].im][k]);
        let mx = self.m.mul(&parts);
        let form = |k: usize| -> f64 {
            parts.col_as_slice(k).iter().zip(mx.col_as_slice(k)).map(|(x, mx)| x * mx).sum()
        };
        let without = form(0) + form(1);
        let xe = dense::matvec_complex(&self.blocks.xi, e);
        let with: c64 = e.iter().zip(&xe).map(|(e, xe)| e.conj() * xe).sum();
        let sum = with.norm() + without.abs();
        (sum > 0.0).then(|| with.norm() / sum)
    }

    /// An eigenpair of (x, e) as one of x: length one, left vector to match, share and violation of e.
    fn on_coordinates(&self, mut pair: Eigenpair) -> Eigenpair {
        let n = self.blocks.m.rows();
        let share = self.share(&pair.right);
        let mut e = Vec::new();
        pair.right.edit(|x| e = x.split_off(n));
        pair.left.edit(|y| y.truncate(n));
        let size = norms::two_complex(&pair.right);
        pair.penalty_share = share;
        let square: f64 = e.iter().zip(&self.by).map(|(e, by)| e.norm_sqr() * by * by).sum();
        pair.constraint_violation = if square > 0.0 { square.sqrt() / (self.norm * size) } else { 0.0 };
        if pair.penalty_share.is_some_and(|share| share > 0.5) {
            pair.class = Class::Spurious { origin: SpuriousOrigin::Penalty };
        }
        if !self.keeps_left {
            pair = pair.without_left();
        }
        pair.right.edit(|x| x.iter_mut().for_each(|x| *x /= size));
        pair.left.edit(|y| y.iter_mut().for_each(|y| *y *= size));
        (pair.multipliers, pair.left_multipliers) = (Shape::default(), Shape::default());
        pair
    }
}
