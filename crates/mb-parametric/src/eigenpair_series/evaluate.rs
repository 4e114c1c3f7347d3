//! Values of the series and what they say about their own error.

use super::EigenpairSeries;
use crate::ParametricError;
use crate::vectors::{axpy, zeros};
use mb_algebra::{c64, norms};

/// Terms below this share of the first are rounding.
const ROUNDING: f64 = 2e-15;

/// Magnitudes of the homogeneous parts at a point, by degree.
pub(super) struct Terms {
    pub(super) s: Vec<f64>,
    pub(super) vector: Vec<f64>,
}

/// Where the error estimate of an [`Evaluation`] comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorBasis {
    /// The sum of the terms that were expanded but not used, and the extrapolated rest.
    NextTerms,
    /// The two-sided Rayleigh quotient was taken; see [`EigenpairSeries::evaluate_corrected`].
    TwoSided,
    /// All terms were used; the missing ones are extrapolated from the last as a geometric
    /// series.
    Extrapolated,
}

/// An eigenpair at a point, summed to some order.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The point: distance from the expansion point.
    pub d: Vec<f64>,
    /// Order of the sum.
    pub order: usize,
    /// Eigenvalue, rad/s.
    pub s: c64,
    /// Right vector in the series' gauge.
    pub vector: Vec<c64>,
    /// Multipliers.
    pub multipliers: Vec<c64>,
    /// Estimated error of `s`, rad/s: an estimate, not a bound. Within a factor of three when
    /// three or more expanded degrees are left unused; without any (`order` equal to the
    /// series') it can be ten times too small or a hundred times too large. Infinite where the
    /// terms do not fall off, so that the sum means nothing, and where an order 0 series gives
    /// no hint.
    pub error: f64,
    /// Where `error` comes from.
    pub basis: ErrorBasis,
    /// The larger of the next two homogeneous terms of `s`, rad/s; none where fewer than two
    /// degrees were expanded and not used.
    pub next_term: Option<f64>,
    /// Distance as a share of the estimated radius of convergence in this direction, eigenvalue
    /// and vector; 0 at the centre, none where there are fewer than three degrees to estimate from.
    pub share: Option<f64>,
    /// Whether the point lies where the series can be trusted: inside the estimated radius of
    /// convergence and with an error below a tenth of |s|. Outside, the value is an extrapolation
    /// whose `error` is all there is to say for it.
    pub trusted: bool,
}

impl EigenpairSeries {
    /// The eigenvalue at the distance `d` from the expansion point, all terms summed.
    ///
    /// Errors: `d` of another length than the number of parameters, or not finite.
    pub fn eigenvalue(&self, d: &[f64]) -> Result<c64, ParametricError> {
        Ok(self.eigenvalue_from(&self.set.monomials(d)?))
    }

    /// As [`EigenpairSeries::eigenvalue`] from the values of the monomials, which several eigenpairs
    /// over one set share ([`crate::MultiIndexSet::monomials_into`]).
    pub fn eigenvalue_from(&self, monomials: &[f64]) -> c64 {
        // Small terms first.
        self.s.iter().zip(monomials).rev().map(|(c, x)| c * x).sum()
    }

    /// The eigenpair at the distance `d` from the expansion point, summed to `order`, with an
    /// estimate of its error.
    ///
    /// Errors: `order` above what was expanded; `d` of another length than the number of
    /// parameters, or not finite.
    pub fn evaluate(&self, d: &[f64], order: usize) -> Result<Evaluation, ParametricError> {
        if order > self.order() {
            let (requested, available) = (order, self.order());
            return Err(ParametricError::OrderNotExpanded { requested, available });
        }
        let monomials = self.set.monomials(d)?;
        let used = self.set.homogeneous(order).end;
        let sum = |list: &[Vec<c64>]| {
            let mut out = zeros(list[0].len());
            for (coefficient, x) in list.iter().zip(&monomials).take(used).rev() {
                axpy(&mut out, c64::from(*x), coefficient);
            }
            out
        };
        let terms = self.terms(&monomials);
        let (error, basis) = self.truncation_error(&monomials, order, &terms);
        let next_term = (order + 2 <= self.order()).then(|| terms.s[order + 1].max(terms.s[order + 2]));
        let share = self.share(&monomials, &terms);
        let s = self.eigenvalue_from(&monomials[..used]);
        let near = share.is_none_or(|x| x < 1.0);
        Ok(Evaluation {
            d: d.to_vec(),
            order,
            s,
            vector: sum(&self.vectors),
            multipliers: sum(&self.multipliers),
            error,
            basis,
            next_term,
            share,
            trusted: near && error <= 0.1 * s.norm(),
        })
    }

    /// The parts of `s` of all degrees.
    pub(super) fn parts(&self, monomials: &[f64]) -> Vec<c64> {
        (0..=self.order()).map(|degree| self.homogeneous(monomials, degree)).collect()
    }

    /// The part of `s` of one degree.
    fn homogeneous(&self, monomials: &[f64], degree: usize) -> c64 {
        let range = self.set.homogeneous(degree);
        self.s[range.clone()].iter().zip(&monomials[range]).map(|(c, x)| c * x).sum()
    }

    /// Magnitudes of the parts of each degree.
    pub(super) fn terms(&self, monomials: &[f64]) -> Terms {
        let part = |k: usize| {
            let mut part = zeros(self.vectors[0].len());
            for number in self.set.homogeneous(k) {
                axpy(&mut part, c64::from(monomials[number]), &self.vectors[number]);
            }
            norms::two_complex(&part)
        };
        let order = self.order();
        Terms {
            s: (0..=order).map(|k| self.homogeneous(monomials, k).norm()).collect(),
            vector: (0..=order).map(part).collect(),
        }
    }

    /// Estimates the error of the sum to `order`.
    fn truncation_error(&self, monomials: &[f64], order: usize, terms: &Terms) -> (f64, ErrorBasis) {
        let term = |degree| self.homogeneous(monomials, degree);
        let unused: c64 = (order + 1..=self.order()).map(term).sum();
        let basis = if order < self.order() { ErrorBasis::NextTerms } else { ErrorBasis::Extrapolated };
        // The terms left may cancel by chance; those beyond the last one do not cancel it too.
        let last = if order < self.order() { terms.s[self.order()] } else { 0.0 };
        ((unused.norm() + self.missing(terms)).max(0.5 * last), basis)
    }

    /// Sum of the terms of `s` beyond the last.
    fn missing(&self, Terms { s, vector }: &Terms) -> f64 {
        if self.set.parameters() == 0 { 0.0 } else { beyond(s, vector) }
    }
}

/// Sum of the terms beyond the last, from the magnitudes of those of each degree: as if they fell off geometrically like the
/// last ones, or like those of a companion, whichever fall more slowly: both end at the same branch point, and the low
/// degrees of the terms themselves may hide it.
pub(crate) fn beyond(terms: &[f64], companion: &[f64]) -> f64 {
    let order = terms.len() - 1;
    if order == 0 {
        return f64::INFINITY;
    }
    // Single terms may (almost) vanish: the largest of the last few stands for all of them.
    let window = match order {
        1 => 1,
        2 if terms[1] > 0.0 => 1,
        2..=5 => 2,
        _ => 3,
    };
    // Rounding does not fall off.
    let rounding = |list: &[f64]| largest(list, list.len() - 1, window) <= ROUNDING * list[0];
    if rounding(terms) {
        return largest(terms, order, window);
    }
    let hidden = if rounding(companion) { 0.0 } else { fall_off(companion, window) };
    let ahead = fall_off(terms, window).max(hidden);
    let fall = ahead.powf(1.0 / window as f64);
    if fall < 1.0 { largest(terms, order, window) * ahead / (1.0 - fall) } else { f64::INFINITY }
}

/// The largest of `window` terms that end with term `last`.
fn largest(terms: &[f64], last: usize, window: usize) -> f64 {
    terms[(last + 1).saturating_sub(window)..=last].iter().copied().fold(0.0, f64::max)
}

/// The largest of the last `window` terms relative to the largest of as many before them.
fn fall_off(terms: &[f64], window: usize) -> f64 {
    let last = terms.len() - 1;
    ratio(largest(terms, last, window), largest(terms, last - window, window))
}

/// a / b, with 0 / 0 = 0.
fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}
