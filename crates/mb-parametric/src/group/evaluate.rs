//! Values of a group's series.

use super::blocks::{Tall, add, largest, times};
use super::columns::mean;
use super::schur::eigenpairs;
use crate::bordered::{residual, size_of};
use crate::storage::Storage;
use crate::{MultiIndexSet, ParametricError};
use mb_algebra::{AlgebraError, DenseC, QuadraticPencil, c64, norms};

/// The coefficients of X, L and S over a set of multi-indices.
#[derive(Clone, Debug)]
pub struct GroupSeries {
    set: MultiIndexSet,
    s: Vec<DenseC>,
    x: Vec<Tall>,
    l: Vec<Tall>,
    gap: f64,
    basis: Tall,
}

/// The eigenpairs of a group at a point.
#[derive(Clone, Debug)]
pub struct GroupEvaluation {
    /// Eigenvalues, rad/s, sorted by imaginary and then by real part.
    pub values: Vec<c64>,
    /// Right vectors of unit size, in the order of the values; (almost) parallel where the values
    /// are (almost) defective.
    pub vectors: Vec<Vec<c64>>,
    /// Multipliers that go with them.
    pub multipliers: Vec<Vec<c64>>,
    /// The mean of the values, rad/s: the group's best known number.
    pub mean: c64,
    /// Estimated error of each value, rad/s: its change by the terms that were expanded and not
    /// used, and by a rest that falls like the last terms. Larger than that of the mean where values
    /// are close, as their sensitivity is. Infinite where the terms do not fall off.
    pub errors: Vec<f64>,
    /// Estimated error of the mean, rad/s.
    pub mean_error: f64,
}

impl GroupSeries {
    pub(super) fn new(
        set: MultiIndexSet,
        s: Vec<DenseC>,
        x: Vec<Tall>,
        l: Vec<Tall>,
        gap: f64,
        basis: Tall,
    ) -> Self {
        Self { set, s, x, l, gap, basis }
    }

    /// The multi-indices of the coefficients.
    pub fn set(&self) -> &MultiIndexSet {
        &self.set
    }

    /// Number of eigenvalues k.
    pub fn count(&self) -> usize {
        self.s[0].nrows()
    }

    /// Coefficients of S, k x k each, in the order of the set; the first is upper triangular.
    pub fn matrix_coefficients(&self) -> &[DenseC] {
        &self.s
    }

    /// Coefficients of X: for each term k columns of length n.
    pub fn space_coefficients(&self) -> &[Vec<Vec<c64>>] {
        &self.x
    }

    /// The space at the expansion point, which the gauge refers to: k columns of length n.
    pub fn basis(&self) -> &[Vec<c64>] {
        &self.basis
    }

    /// Estimated distance from the group to the nearest other eigenvalue at the expansion point,
    /// rad/s.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// Coefficients of the mean of the eigenvalues, which is a polynomial whatever they do.
    pub fn mean_coefficients(&self) -> Vec<c64> {
        self.s.iter().map(mean).collect()
    }

    /// The group at the distance `d` from the expansion point, summed to `order`.
    ///
    /// Errors: `order` above what was expanded; `d` of another length than the number of
    /// parameters, or not finite.
    pub fn evaluate(&self, d: &[f64], order: usize) -> Result<GroupEvaluation, ParametricError> {
        let available = self.set.order();
        if order > available {
            return Err(ParametricError::OrderNotExpanded { requested: order, available });
        }
        let monomials = self.set.monomials(d)?;
        let used = self.set.homogeneous(order).end;
        let s = self.sum(&monomials, 0..used);
        let tall = |list: &[Tall]| {
            let mut out: Tall = list[0].iter().map(|c| vec![c64::ZERO; c.len()]).collect();
            for (x, coefficient) in monomials.iter().zip(list).take(used).rev() {
                add(&mut out, c64::from(*x), coefficient);
            }
            out
        };
        let (x, l) = (tall(&self.x), tall(&self.l));
        let size = self.count();
        let failed = || AlgebraError::NoConvergence { algorithm: "The QR iteration", size };
        let pairs = eigenpairs(&s).ok_or_else(failed)?;
        // What all terms and the extrapolated rest would change.
        let rest = self.rest(&monomials);
        let whole = self.sum(&monomials, 0..self.set.len());
        let better: Vec<c64> = eigenpairs(&whole).ok_or_else(failed)?.into_iter().map(|p| p.0).collect();
        let mut found: Vec<(c64, Vec<c64>, Vec<c64>, f64)> = pairs
            .into_iter()
            .map(|(value, y)| {
                let column = DenseC::from_fn(size, 1, |i, _| y[i]);
                let (mut vector, mut multipliers) =
                    (times(&x, &column).remove(0), times(&l, &column).remove(0));
                let length = norms::two_complex(&vector);
                if length > 0.0 {
                    vector.iter_mut().chain(&mut multipliers).for_each(|z| *z /= length);
                }
                let change = better.iter().map(|b| (b - value).norm()).fold(f64::INFINITY, f64::min);
                // A value among others moves by less than the root of the change of S.
                let near = better.iter().filter(|b| (*b - value).norm() < 100.0 * rest).count().max(1);
                let reach = largest(&whole).max(rest);
                let spread = reach * (rest / reach.max(f64::MIN_POSITIVE)).powf(1.0 / near as f64);
                (value, vector, multipliers, change + if rest > 0.0 { spread } else { 0.0 })
            })
            .collect();
        found.sort_by(|a, b| a.0.im.total_cmp(&b.0.im).then(a.0.re.total_cmp(&b.0.re)));
        let mean_value = mean(&s);
        let mut out = GroupEvaluation {
            values: Vec::new(),
            vectors: Vec::new(),
            multipliers: Vec::new(),
            mean: mean_value,
            errors: Vec::new(),
            mean_error: (mean(&whole) - mean_value).norm() + rest,
        };
        for (value, vector, multipliers, error) in found {
            out.values.push(value);
            out.vectors.push(vector);
            out.multipliers.push(multipliers);
            out.errors.push(error);
        }
        Ok(out)
    }

    /// Largest residual of the pairs at a point with the exact matrices there, relative to
    /// (|s|^2 |M| + |s| |C| + |K|) |phi| + |Phi_q| |l|.
    pub fn backward_error<A: Storage>(&self, at: &GroupEvaluation, exact: &QuadraticPencil<A>) -> f64 {
        let mut worst = 0.0_f64;
        for ((s, phi), l) in at.values.iter().zip(&at.vectors).zip(&at.multipliers) {
            let r = residual(exact, *s, phi, l);
            let jacobian = norms::frobenius(&exact.phi_q);
            let scale = size_of(exact, *s, norms::frobenius) * norms::two_complex(phi)
                + jacobian * norms::two_complex(l);
            worst = worst.max(norms::two_complex(&r.x) / scale.max(f64::MIN_POSITIVE));
            if jacobian > 0.0 {
                worst = worst.max(norms::two_complex(&r.l) / jacobian);
            }
        }
        worst
    }

    fn sum(&self, monomials: &[f64], range: std::ops::Range<usize>) -> DenseC {
        let k = self.count();
        DenseC::from_fn(k, k, |i, j| {
            range.clone().rev().map(|number| self.s[number][(i, j)] * monomials[number]).sum()
        })
    }

    /// Size of the terms of S beyond the last, as if they fell off like the last ones.
    fn rest(&self, monomials: &[f64]) -> f64 {
        let order = self.set.order();
        if order == 0 {
            return if self.set.parameters() == 0 { 0.0 } else { f64::INFINITY };
        }
        let size = |degree: usize| largest(&self.sum(monomials, self.set.homogeneous(degree)));
        let last = if order > 1 { size(order).max(size(order - 1)) } else { size(order) };
        if last == 0.0 {
            return 0.0;
        }
        let before = match order {
            1 => largest(&self.sum(monomials, 0..1)),
            2 | 3 => size(1),
            _ => size(order - 2).max(size(order - 3)),
        };
        let fall = if order > 3 { (last / before).sqrt() } else { last / before };
        if fall < 1.0 { last * fall / (1.0 - fall) } else { f64::INFINITY }
    }
}
