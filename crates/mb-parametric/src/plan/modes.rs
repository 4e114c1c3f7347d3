//! What is expanded about one centre: single eigenpairs and groups, and how wrong they are.

use crate::eigenpair_series::{EigenpairSeries, ExpandOptions, expand_all};
use crate::group::{GroupSeries, apart, expand_group, group_values};
use crate::polish::{StartingEigenpair, polish};
use crate::storage::Storage;
use crate::{MultiIndexSet, ParametricError, PencilSeries, PolishOptions};
use mb_algebra::{QuadraticPencil, c64};

/// Where modes begin: eigenpairs one by one, and the values of groups.
#[derive(Clone, Debug)]
pub(super) struct Starts {
    pub(super) eigenpairs: Vec<StartingEigenpair>,
    pub(super) groups: Vec<Vec<c64>>,
}

/// Modes over one set of terms.
#[derive(Clone, Debug)]
pub(super) struct Modes {
    pub(super) eigenpairs: Vec<EigenpairSeries>,
    pub(super) groups: Vec<GroupSeries>,
}

/// Exact eigenvalues at a point, in the order of the modes.
#[derive(Clone, Debug)]
pub(super) struct Values {
    simple: Vec<c64>,
    groups: Vec<Vec<c64>>,
}

/// The size that an error of a group is relative to: its largest value.
fn size_of(values: &[c64]) -> f64 {
    values.iter().map(|s| s.norm()).fold(f64::MIN_POSITIVE, f64::max)
}

impl Modes {
    pub(super) fn expanded<A: Storage>(
        pencil: &PencilSeries<A>,
        starts: &Starts,
        set: &MultiIndexSet,
        options: &ExpandOptions,
    ) -> Result<Self, ParametricError> {
        let pairs: Result<_, _> = expand_all(pencil, &starts.eigenpairs, set, options).into_iter().collect();
        let groups: Result<_, _> =
            starts.groups.iter().map(|values| expand_group(pencil, values, set)).collect();
        Ok(Self { eigenpairs: pairs?, groups: groups? })
    }

    pub(super) fn restricted(&self, set: &MultiIndexSet) -> Result<Self, ParametricError> {
        let pairs: Result<_, _> = self.eigenpairs.iter().map(|series| series.restricted(set)).collect();
        let groups: Result<_, _> = self.groups.iter().map(|series| series.restricted(set)).collect();
        Ok(Self { eigenpairs: pairs?, groups: groups? })
    }

    /// The largest relative errors that the terms themselves give for the sums to orders 0 to `most`, and how far the point
    /// lies towards the end of convergence (1 there).
    pub(super) fn errors(&self, d: &[f64], most: usize) -> Result<(Vec<f64>, f64), ParametricError> {
        let (mut largest, mut share) = (vec![0.0_f64; most + 1], 0.0_f64);
        for series in &self.eigenpairs {
            let best = series.evaluate(d, series.order())?;
            let size = best.s.norm().max(f64::MIN_POSITIVE);
            share = share.max(best.share.unwrap_or(0.0));
            let parts = series.along(d)?;
            let mut sum = c64::ZERO;
            for (part, largest) in parts.iter().zip(&mut largest) {
                sum += part;
                *largest = largest.max(((sum - best.s).norm() + best.error) / size);
            }
        }
        for series in &self.groups {
            for (order, largest) in largest.iter_mut().enumerate() {
                let at = series.evaluate(d, order)?;
                let error = at.errors.iter().copied().fold(0.0, f64::max) / size_of(&at.values);
                *largest = largest.max(error);
            }
            let at = series.evaluate(d, series.order())?;
            if at.mean_error.is_infinite() {
                share = share.max(1.0);
            }
        }
        Ok((largest, share))
    }

    /// Estimated relative error of these, judged by the same with all terms that were expanded.
    pub(super) fn error_beside(&self, full: &Self, d: &[f64]) -> Result<f64, ParametricError> {
        let mut largest = 0.0_f64;
        for (kept, all) in self.eigenpairs.iter().zip(&full.eigenpairs) {
            let best = all.evaluate(d, all.order())?;
            let off = (kept.eigenvalue(d)? - best.s).norm();
            largest = largest.max((off + best.error) / best.s.norm().max(f64::MIN_POSITIVE));
        }
        for (kept, all) in self.groups.iter().zip(&full.groups) {
            let (at, best) = (kept.evaluate(d, kept.order())?, all.evaluate(d, all.order())?);
            let error = best.errors.iter().copied().fold(0.0, f64::max);
            largest = largest.max((apart(&at.values, &best.values) + error) / size_of(&best.values));
        }
        Ok(largest)
    }

    /// The exact eigenvalues with the matrices at a distance.
    pub(super) fn exact<A: Storage>(
        &self,
        d: &[f64],
        pencil: &QuadraticPencil<A>,
        options: &PolishOptions,
    ) -> Result<Values, ParametricError> {
        let pair = |series: &EigenpairSeries| {
            let at = series.evaluate(d, series.order())?;
            Ok(polish(pencil, &StartingEigenpair { s: at.s, vector: at.vector }, options)?.s)
        };
        let group = |series: &GroupSeries| group_values(pencil, &series.evaluate(d, series.order())?.values);
        let simple: Result<_, ParametricError> = self.eigenpairs.iter().map(pair).collect();
        let groups: Result<_, ParametricError> = self.groups.iter().map(group).collect();
        Ok(Values { simple: simple?, groups: groups? })
    }

    /// The largest relative error of the sums to `order` at a distance where the eigenvalues are known.
    pub(super) fn off(&self, d: &[f64], order: usize, exact: &Values) -> Result<f64, ParametricError> {
        let mut largest = 0.0_f64;
        for (series, s) in self.eigenpairs.iter().zip(&exact.simple) {
            let at = series.evaluate(d, order.min(series.order()))?;
            largest = largest.max((at.s - s).norm() / s.norm().max(f64::MIN_POSITIVE));
        }
        for (series, values) in self.groups.iter().zip(&exact.groups) {
            let at = series.evaluate(d, order.min(series.order()))?;
            largest = largest.max(apart(&at.values, values) / size_of(values));
        }
        Ok(largest)
    }

    /// How slowly the terms fall at a distance: the last two degrees relative to the first.
    pub(super) fn tail(&self, d: &[f64]) -> Result<f64, ParametricError> {
        let share = |parts: &[f64]| {
            let last = parts.iter().rev().take(2).copied().fold(0.0, f64::max);
            last / parts[0].max(f64::MIN_POSITIVE)
        };
        let mut largest = 0.0_f64;
        for series in &self.eigenpairs {
            let parts: Vec<f64> = series.along(d)?.iter().map(|x| x.norm()).collect();
            largest = largest.max(share(&parts));
        }
        for series in &self.groups {
            largest = largest.max(share(&series.along(d)?));
        }
        Ok(largest)
    }

    /// The largest relative change of an eigenvalue when of the first `used` terms of the set only those that are `kept` are
    /// summed; `monomials` as the set has them.
    pub(super) fn without(
        &self,
        monomials: &[f64],
        used: usize,
        kept: &impl Fn(usize) -> bool,
    ) -> Result<f64, ParametricError> {
        let mut largest = 0.0_f64;
        for series in &self.eigenpairs {
            let list = series.eigenvalue_coefficients();
            let sum: c64 = (0..used).filter(|&i| !kept(i)).map(|i| list[i] * monomials[i]).sum();
            largest = largest.max(sum.norm() / list[0].norm().max(f64::MIN_POSITIVE));
        }
        for series in &self.groups {
            let first = &series.matrix_coefficients()[0];
            let values: Vec<c64> = (0..first.nrows()).map(|i| first[(i, i)]).collect();
            largest = largest.max(series.moved_without(monomials, kept, used)? / size_of(&values));
        }
        Ok(largest)
    }
}
