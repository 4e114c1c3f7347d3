//! Values of a group's series.

use super::blocks::{Tall, add, largest, times};
use super::columns::mean;
use super::schur::{eigenpairs, schur};
use super::shift::{apart, shift};
use crate::bordered::{residual, size_of};
use crate::eigenpair_series::beyond;
use crate::journal::{Reader, Writer};
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

    /// Writes all coefficients; the set stands elsewhere.
    pub fn write(&self, out: &mut Writer) {
        out.count(self.s.len());
        for s in &self.s {
            out.complex_square(s);
        }
        for columns in self.x.iter().chain(&self.l) {
            out.complex_lists(columns);
        }
        out.number(self.gap).complex_lists(&self.basis);
    }

    /// Reads a series over `set` that was written; none where it has another number of terms.
    pub fn read(from: &mut Reader<'_>, set: &MultiIndexSet) -> Option<Self> {
        let terms = from.count().filter(|n| *n == set.len())?;
        let s = (0..terms).map(|_| from.complex_square()).collect::<Option<Vec<_>>>()?;
        let x = (0..terms).map(|_| from.complex_lists()).collect::<Option<Vec<_>>>()?;
        let l = (0..terms).map(|_| from.complex_lists()).collect::<Option<Vec<_>>>()?;
        let (gap, basis) = (from.number()?, from.complex_lists()?);
        Some(Self { set: set.clone(), s, x, l, gap, basis })
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

    /// Highest total degree.
    pub fn order(&self) -> usize {
        self.set.order()
    }

    /// The same series with the terms of a smaller set; what is kept does not change.
    ///
    /// Errors: as [`crate::EigenpairSeries::restricted`].
    pub fn restricted(&self, set: &MultiIndexSet) -> Result<Self, ParametricError> {
        let numbers = self.set.numbers_of(set)?;
        Ok(Self {
            set: set.clone(),
            s: numbers.iter().map(|&i| self.s[i].clone()).collect(),
            x: numbers.iter().map(|&i| self.x[i].clone()).collect(),
            l: numbers.iter().map(|&i| self.l[i].clone()).collect(),
            gap: self.gap,
            basis: self.basis.clone(),
        })
    }

    /// The eigenvalues at a distance from the expansion point by those terms that are `kept`, rad/s; the largest distance
    /// of theirs from those by the terms of `all`.
    pub(crate) fn moved_without(
        &self,
        monomials: &[f64],
        kept: impl Fn(usize) -> bool,
        all: usize,
    ) -> Result<f64, ParametricError> {
        let with = schur_values(&self.sum(monomials, 0..all))?;
        let without = schur_values(&self.sum_of(monomials, &(0..all).filter(|i| kept(*i))))?;
        Ok(apart(&with, &without))
    }

    /// Magnitudes of the homogeneous parts of S at a distance from the expansion point, by degree.
    ///
    /// Errors: `d` of another length than the number of parameters, or not finite.
    pub fn along(&self, d: &[f64]) -> Result<Vec<f64>, ParametricError> {
        let monomials = self.set.monomials(d)?;
        Ok((0..=self.order()).map(|k| largest(&self.sum(&monomials, self.set.homogeneous(k)))).collect())
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
        let (_, t) = schur(&whole).ok_or_else(failed)?;
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
                // The value that all terms make of it, and how far the rest may move that one.
                let off = |i: &usize| (t[(*i, *i)] - value).norm();
                let better = (0..size).min_by(|i, j| off(i).total_cmp(&off(j))).unwrap_or(0);
                (value, vector, multipliers, off(&better) + shift(&t, better, rest))
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

    /// The group at the distance `d`, all terms of this one summed; judged by `full`, the same group with all terms that were
    /// expanded, of which this one keeps some.
    ///
    /// Errors: as [`GroupSeries::evaluate`].
    pub fn evaluate_beside(&self, full: &Self, d: &[f64]) -> Result<GroupEvaluation, ParametricError> {
        let mut at = self.evaluate(d, self.order())?;
        let best = full.evaluate(d, full.order())?;
        for (value, error) in at.values.iter().zip(&mut at.errors) {
            let off = |i: &usize| (best.values[*i] - value).norm();
            let nearest = (0..best.values.len()).min_by(|i, j| off(i).total_cmp(&off(j))).unwrap_or(0);
            *error = off(&nearest) + best.errors[nearest];
        }
        at.mean_error = (at.mean - best.mean).norm() + best.mean_error;
        Ok(at)
    }

    /// Largest residual of the eigenpairs at a point with the exact matrices there, relative to
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
        self.sum_of(monomials, &range)
    }

    /// The sum of some terms of S, small ones first.
    fn sum_of(&self, monomials: &[f64], terms: &(impl DoubleEndedIterator<Item = usize> + Clone)) -> DenseC {
        let k = self.count();
        DenseC::from_fn(k, k, |i, j| {
            terms.clone().rev().map(|number| self.s[number][(i, j)] * monomials[number]).sum()
        })
    }

    /// Size of the terms of S beyond the last, as if they fell off like the last ones.
    fn rest(&self, monomials: &[f64]) -> f64 {
        if self.set.parameters() == 0 {
            return 0.0;
        }
        let sizes: Vec<f64> =
            (0..=self.order()).map(|k| largest(&self.sum(monomials, self.set.homogeneous(k)))).collect();
        beyond(&sizes, &sizes)
    }
}

/// The eigenvalues of a small matrix.
fn schur_values(s: &DenseC) -> Result<Vec<c64>, ParametricError> {
    let size = s.nrows();
    let (_, t) = schur(s).ok_or(AlgebraError::NoConvergence { algorithm: "The QR iteration", size })?;
    Ok((0..size).map(|i| t[(i, i)]).collect())
}
