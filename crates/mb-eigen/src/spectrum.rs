//! All eigenvalues of a problem.

use mb_algebra::{QuadraticPencil, Sparse, c64};

use crate::finding::{Completeness, SparseFinding};
use crate::{Class, Counts, Eigenpair, Finding, Method, tuning};

/// Eigenpairs with their counts and what was found on the way.
///
/// Order: rigid, physical, spurious, infinite, indeterminate; within a class by |s|; conjugates are neighbours, the
/// one with positive imaginary part first.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// The eigenpairs.
    pub eigenpairs: Vec<Eigenpair>,
    /// Sizes, eigenvalues demanded by theory, eigenvalues found.
    pub counts: Counts,
    /// What the reader should know.
    pub findings: Vec<Finding>,
    /// The method that computed it; none where no coordinate was left to compute anything of.
    pub method: Option<Method>,
}

impl Spectrum {
    /// Physical and rigid eigenpairs.
    pub fn motion(&self) -> impl Iterator<Item = &Eigenpair> {
        self.eigenpairs.iter().filter(|pair| pair.class.is_motion())
    }

    /// The counts of regions, proofs that no eigenvalue of them is missing or is.
    pub fn completeness(&self) -> impl Iterator<Item = &Completeness> {
        self.findings.iter().filter_map(Finding::completeness)
    }

    /// Whether eigenvalues are missing that theory, a count or the request demands ([`Finding::falls_short`]).
    pub fn falls_short(&self) -> bool {
        self.findings.iter().any(Finding::falls_short)
    }

    /// Whether the digits of the matrices do not determine which eigenvalues are asked for ([`Finding::leaves_open`]).
    pub fn leaves_open(&self) -> bool {
        self.findings.iter().any(Finding::leaves_open)
    }

    /// The finding that the constraints do not determine the spectrum ([`Finding::UndeterminedByConstraints`]); none where they do.
    pub fn undetermined(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| matches!(finding, Finding::UndeterminedByConstraints { .. }))
    }

    /// Eigenpairs of one class.
    pub fn of_class(&self, class: Class) -> impl Iterator<Item = &Eigenpair> {
        self.eigenpairs.iter().filter(move |pair| pair.class == class)
    }

    /// Finite values of the physical and rigid eigenpairs, rad/s.
    pub fn motion_values(&self) -> Vec<c64> {
        self.motion().filter_map(Eigenpair::value).collect()
    }

    /// The eigenpair of a class whose value lies nearest to `s`.
    pub fn nearest(&self, s: c64) -> Option<&Eigenpair> {
        self.eigenpairs
            .iter()
            .filter_map(|pair| pair.value().map(|value| ((value - s).norm(), pair)))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, pair)| pair)
    }

    /// Assembles part of a spectrum: sorts and counts; what theory demands is that of the whole.
    pub(crate) fn partial(
        method: impl Into<Option<Method>>,
        pairs: Vec<Eigenpair>,
        mut counts: Counts,
        findings: Vec<Finding>,
    ) -> Self {
        let pairs = sorted(with_rounding(pairs));
        counts.found = crate::ClassCounts::of(&pairs);
        let mut out = Self { eigenpairs: pairs, counts, findings: Vec::new(), method: method.into() };
        out.report_once(findings);
        out.report_undetermined();
        out
    }

    /// Assembles a result: sorts, counts, compares with theory.
    pub(crate) fn assemble(
        method: impl Into<Option<Method>>,
        pairs: Vec<Eigenpair>,
        mut counts: Counts,
        mut findings: Vec<Finding>,
    ) -> Self {
        let pairs = sorted(with_rounding(pairs));
        counts.found = crate::ClassCounts::of(&pairs);
        findings.extend(counts.mismatches());
        let mut out = Self { eigenpairs: pairs, counts, findings: Vec::new(), method: method.into() };
        out.report_once(findings);
        out.report_poor_accuracy();
        out.report_undetermined();
        out
    }

    /// Adds findings, each of them once: several searches may have come upon the same.
    fn report_once(&mut self, findings: impl IntoIterator<Item = Finding>) {
        for finding in findings {
            if !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }
    }

    /// Says how many bounds are as wide as their eigenvalues, and takes back that a count was complete: it counts values that may lie
    /// anywhere in the region, or outside of it.
    fn report_undetermined(&mut self) {
        let wide = |pair: &&Eigenpair| pair.alpha.im >= 0.0 && !pair.is_determined();
        let bounds: Vec<f64> = self.eigenpairs.iter().filter(wide).map(|pair| pair.error_bound).collect();
        let Some(widest) = bounds.iter().copied().reduce(f64::max) else { return };
        let eigenvalues = bounds.len();
        self.report_once([Finding::UndeterminedEigenvalues { eigenvalues, widest }]);
        let complete = |finding: &Finding| finding.completeness().is_some_and(Completeness::is_complete);
        if self.findings.iter().any(complete) {
            self.findings.retain(|finding| !complete(finding));
            let reason = "eigenvalues whose error bounds are as wide as they are large make a count of them mean nothing; \
                 smaller ratios between the stiffest and the softest parts leave more digits";
            self.findings.push(SparseFinding::Unproved { reason: reason.to_owned() }.into());
        }
    }

    /// Takes eigenpairs, by their places, for zeros, which they are known to be otherwise than from the digits of the matrices: value and error
    /// bound are zero, and what was said of these values is not any more. Of a conjugate pair both are given or none.
    pub fn take_for_zeros(&mut self, places: &[usize]) {
        for place in places {
            let pair = &mut self.eigenpairs[*place];
            (pair.alpha, pair.beta, pair.class, pair.error_bound) =
                (c64::new(0.0, 0.0), 1.0, Class::Rigid, 0.0);
        }
        self.sort_again();
    }

    /// Order, counts and what is said of digits, after eigenpairs have changed.
    pub(crate) fn sort_again(&mut self) {
        self.eigenpairs = sorted(std::mem::take(&mut self.eigenpairs));
        self.counts.found = crate::ClassCounts::of(&self.eigenpairs);
        self.findings.retain(|finding| !matches!(finding, Finding::UndeterminedEigenvalues { .. }));
        self.report_poor_accuracy();
        self.report_undetermined();
    }

    /// Widens the error bounds where C of the `pencil` is a rounded sum, by the part of it (n x n) that the sum has `lost`: they then
    /// hold for the matrices that were added.
    pub fn widen_for_sum(&mut self, pencil: &QuadraticPencil<Sparse>, lost: &Sparse) {
        crate::certify::rounded::widen_for_sum(pencil, lost, &mut self.eigenpairs);
        self.findings.retain(|finding| !matches!(finding, Finding::UndeterminedEigenvalues { .. }));
        self.report_undetermined();
    }

    /// A finding for every eigenpair whose backward error is far above rounding, in place of earlier ones: they name eigenpairs by number.
    pub(crate) fn report_poor_accuracy(&mut self) {
        self.findings.retain(|finding| !matches!(finding, Finding::PoorAccuracy { .. }));
        for (pair, found) in self.eigenpairs.iter().enumerate() {
            // Conjugates share their figures: one finding for both.
            // Backward errors above this are reported as [`Finding::PoorAccuracy`].
            if found.backward_error > tuning::SQRT_EPS && found.alpha.im >= 0.0 {
                let backward_error = found.backward_error;
                self.findings.push(Finding::PoorAccuracy { pair, backward_error });
            }
        }
    }
}

/// Bounds of the eigenvalues as they stand in double precision: alpha is rounded, and so is s = alpha / beta.
fn with_rounding(mut pairs: Vec<Eigenpair>) -> Vec<Eigenpair> {
    for pair in &mut pairs {
        pair.error_bound += pair.value().map_or(0.0, |s| f64::EPSILON * s.norm());
    }
    pairs
}

/// Sorts eigenvalues with Im s >= 0 and puts the conjugates behind them.
///
/// Input: of every conjugate pair of complex eigenvalues both members, adjacent, positive imaginary part first.
fn sorted(pairs: Vec<Eigenpair>) -> Vec<Eigenpair> {
    let mut groups: Vec<Vec<Eigenpair>> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        match groups.last_mut() {
            Some(group) if group.len() == 1 && pair.alpha.im < 0.0 && group[0].alpha == pair.alpha.conj() => {
                group.push(pair);
            }
            _ => groups.push(vec![pair]),
        }
    }
    let key = |group: &[Eigenpair]| {
        let first = &group[0];
        let size = first.value().map_or(f64::INFINITY, c64::norm);
        (first.class.order(), size, -first.alpha.re)
    };
    groups.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    });
    groups.into_iter().flatten().collect()
}
