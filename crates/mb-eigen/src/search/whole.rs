//! What a request asks of a spectrum of which all is known.

use crate::completeness::growth;
use crate::finding::SparseFinding;
use crate::request::Request;
use crate::search::selection;
use crate::{ClassCounts, Eigenpair, Spectrum, tuning};

/// Keeps what a request asks for, and says what is left out of the growing modes and that fewer exist than are wanted, with the degrees of
/// freedom there are.
pub(crate) fn keep_asked(spectrum: &mut Spectrum, request: &Request, undamped: bool, dof: usize) {
    let counted = growth::count(&spectrum.eigenpairs);
    let modes = selection::keep_asked(spectrum, request, undamped);
    growth::not_shown(spectrum, counted);
    if let (Some(wanted), Some(modes)) = (request.count(), modes)
        && wanted > modes
    {
        spectrum.findings.push(SparseFinding::FewerExist { wanted, exist: modes, dof }.into());
    }
}

impl Spectrum {
    /// Keeps of a spectrum of which all is known the modes that a request asks for; the places they had. What there is to say of the cut
    /// is a finding, as of a search that had the same request.
    pub fn keep_asked(&mut self, request: &Request, dof: usize) -> Vec<usize> {
        if *request == Request::All {
            return (0..self.eigenpairs.len()).collect();
        }
        let before = self.eigenpairs.clone();
        keep_asked(self, request, self.is_mirrored(), dof);
        // What is kept is in the order that it had.
        let mut kept = self.eigenpairs.iter().peekable();
        (0..before.len()).filter(|i| kept.next_if(|pair| **pair == before[*i]).is_some()).collect()
    }

    /// Keeps the eigenpairs at these places, given in increasing order.
    pub fn keep_places(&mut self, places: &[usize]) {
        let mut at = 0;
        self.eigenpairs.retain(|_| {
            at += 1;
            places.binary_search(&(at - 1)).is_ok()
        });
        self.counts.found = ClassCounts::of(&self.eigenpairs);
        self.report_poor_accuracy();
    }

    /// Whether with every eigenvalue s of the motion -s is one, as without damping.
    fn is_mirrored(&self) -> bool {
        let moving = || self.motion().filter_map(Eigenpair::value);
        moving().all(|s| moving().any(|other| (other + s).norm() <= tuning::SQRT_EPS * s.norm()))
    }
}

#[cfg(test)]
mod tests {
    use crate::sparse::{Request, SparseFinding, SparseOptions, solve};
    use crate::{Finding, Spectrum};
    use mb_algebra::{QuadraticPencil, c64, sparse};

    /// How many findings say what is cut, and that there is no more.
    fn of_cut(spectrum: &Spectrum) -> [usize; 3] {
        let count = |is: fn(&SparseFinding) -> bool| {
            let of = |f: &&Finding| matches!(f, Finding::Sparse { detail } if is(detail));
            spectrum.findings.iter().filter(of).count()
        };
        [
            count(|f| matches!(f, SparseFinding::MultipleCut { .. })),
            count(|f| matches!(f, SparseFinding::FewerExist { .. })),
            count(|f| matches!(f, SparseFinding::EmptyBand { .. })),
        ]
    }

    /// Masses on springs of their own: s = +-i w, and with dampers -d +- i (w^2 - d^2)^1/2.
    #[test]
    fn the_part_of_a_whole_spectrum_is_what_a_request_gives() {
        let squares: Vec<f64> = (0..12).map(|k| f64::from(1 + k / 2)).collect();
        for damping in [0.0, 0.05] {
            let pencil = QuadraticPencil {
                m: sparse::identity(12),
                c: sparse::diagonal(&[damping; 12]),
                k: sparse::diagonal(&squares),
                phi_q: sparse::zeros(0, 12),
            };
            let whole = solve(&pencil, &Request::All, &SparseOptions::default()).unwrap();
            for request in [
                Request::Lowest { count: 3 },
                Request::Lowest { count: 20 },
                Request::NearFrequency { hz: 0.3, count: 4 },
                Request::NearPoint { s: c64::new(0.0, 1.5), count: 2 },
                Request::Band { from_hz: 0.2, to_hz: 0.33, max_damping_ratio: None },
                Request::Band { from_hz: 5.0, to_hz: 6.0, max_damping_ratio: None },
                Request::Largest { count: 2 },
            ] {
                let asked = solve(&pencil, &request, &SparseOptions::default()).unwrap();
                let mut part = whole.clone();
                let places = part.keep_asked(&request, 12);
                assert_eq!(part.eigenpairs.len(), asked.eigenpairs.len(), "{damping} {request:?}");
                assert_eq!(of_cut(&part), of_cut(&asked), "{damping} {request:?}");
                for ((pair, place), other) in part.eigenpairs.iter().zip(places).zip(&asked.eigenpairs) {
                    assert_eq!(*pair, whole.eigenpairs[place]);
                    let off = (pair.value().unwrap() - other.value().unwrap()).norm();
                    assert!(off <= pair.error_bound + other.error_bound, "{damping} {request:?}: {off:e}");
                }
            }
        }
    }
}
