//! Two spectra of one model side by side, matched by assignment.

use crate::FormulationSpectrum;
use mb_eigen::pairing::match_values;
use mb_eigen::sparse::Request;
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
    /// Keeps of whole spectra, the first of which is the reference of the others, what a request asks for: of the reference its modes, of the
    /// others their partners and what they have there besides. So a mode at an end of a band, or the last of a number, is the same one in
    /// all of them.
    pub fn keep_asked(results: &mut [FormulationSpectrum], between: &mut [Self], request: &Request, dof: usize) {
        let Some((reference, others)) = results.split_first_mut() else { return };
        let kept = reference.keep_asked(request, dof);
        for (other, comparison) in others.iter_mut().zip(between) {
            let mut asked = other.spectrum.clone();
            let own = asked.keep_asked(request, dof);
            let wanted = |i: &usize| match comparison.matches.iter().find(|m| m.other == *i) {
                Some(m) => kept.binary_search(&m.reference).is_ok(),
                None => own.binary_search(i).is_ok(),
            };
            let places: Vec<usize> = (0..other.spectrum.eigenpairs.len()).filter(wanted).collect();
            other.keep_places(&places, request);
            comparison.renumber(&kept, &places);
        }
    }
    /// The same with the places that eigenpairs have once these are kept, in increasing order.
    fn renumber(&mut self, reference: &[usize], other: &[usize]) {
        let places = |list: &[usize], all: &[usize]| -> Vec<usize> {
            list.iter().filter_map(|i| all.binary_search(i).ok()).collect()
        };
        self.matches = std::mem::take(&mut self.matches)
            .into_iter()
            .filter_map(|m| {
                let at = |i: usize, all: &[usize]| all.binary_search(&i).ok();
                Some(Match { reference: at(m.reference, reference)?, other: at(m.other, other)?, ..m })
            })
            .collect();
        self.unmatched_reference = places(&self.unmatched_reference, reference);
        self.unmatched_other = places(&self.unmatched_other, other);
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
