//! Two spectra of one model side by side, matched by assignment.

use mb_eigen::pairing::match_values;
use mb_eigen::{Eigenpair, Spectrum};

/// An eigenpair of one spectrum and its partner in the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// Index of the eigenpair in the reference spectrum.
    pub reference: usize,
    /// Index of the eigenpair in the other spectrum.
    pub other: usize,
    /// Distance of the two eigenvalues, rad/s.
    pub difference: f64,
}

/// How the motion of one spectrum is found again in another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The matched eigenpairs, in the order of the reference.
    pub matches: Vec<Match>,
    /// Eigenpairs of the reference without a partner.
    pub unmatched_reference: Vec<usize>,
    /// Physical and rigid eigenpairs of the other spectrum without a partner.
    pub unmatched_other: Vec<usize>,
}

impl Comparison {
    /// Matches the physical and rigid eigenpairs of two spectra with the least total distance.
    pub fn new(reference: &Spectrum, other: &Spectrum) -> Self {
        let motion = |s: &Spectrum| -> (Vec<usize>, Vec<_>) {
            let finite = |(i, p): (usize, &Eigenpair)| {
                p.class.is_motion().then(|| p.value()).flatten().map(|s| (i, s))
            };
            s.eigenpairs.iter().enumerate().filter_map(finite).unzip()
        };
        let (a, values_a) = motion(reference);
        let (b, values_b) = motion(other);
        let matches: Vec<Match> = match_values(&values_a, &values_b)
            .into_iter()
            .map(|(i, j, difference)| Match { reference: a[i], other: b[j], difference })
            .collect();
        let without = |all: Vec<usize>, pick: fn(&Match) -> usize| -> Vec<usize> {
            all.into_iter().filter(|i| matches.iter().all(|m| pick(m) != *i)).collect()
        };
        let (unmatched_reference, unmatched_other) = (without(a, |m| m.reference), without(b, |m| m.other));
        Self { matches, unmatched_reference, unmatched_other }
    }
    /// The partner of an eigenpair of the reference.
    pub fn partner(&self, reference: usize) -> Option<&Match> {
        self.matches.iter().find(|m| m.reference == reference)
    }
    /// The largest difference; none without matches.
    pub fn largest(&self) -> Option<f64> {
        self.matches.iter().map(|m| m.difference).reduce(f64::max)
    }
}
