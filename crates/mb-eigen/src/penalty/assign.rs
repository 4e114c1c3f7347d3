//! Which of the eigenpairs that steps led to are eigenvalues of the mechanism, each its own, and the search for the others.
//!
//! ```text
//! likeness   |z_0^H M' z|^2 / (z_0^H M' z_0  z^H M' z), summed over the starts at one eigenvalue of the constrained problem
//! lack       2 |mu|^T |D(s)^-1 q| or 2 |q|_(Xi^-1) |y|_M' on top of the bound,   q = D(s) e - l,  D(s) = s^2 Xi + s Xi Theta + Xi Omega
//! ```
//!
//! The lack is the residual of the penalty's own rows as a violation: a start without violations (e = 0) leaves l there, which the
//! weight of e does not feel, but the mechanism gives way by D^-1 l all the same. At an eigenvalue of the penalty
//! alone D is singular; there q moves the eigenvalue no further than in the metric of the masses. Where eigenvalues of
//! the penalty lie near one of the mechanism steps lead anywhere between them; then the eigenvalues nearest to the
//! start are sought with all of the problem, and the likest ones taken. Sizes: z, y n + m, mu m.

use mb_algebra::sorted::descending;
use mb_algebra::{DenseC, PenaltyBlocks, QuadraticPencil, Sparse, c64};

use super::deduplicate::one_eigenvalue;
use super::measure::Measure;
use crate::numeric::vectors::{ZERO, inner};
use crate::options::{Shift, SparseExpert, SparseOptions};
use crate::pairing::mac;
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::problem::uncertified::Uncertified;
use crate::refine::Springs;
use crate::request::Request;
use crate::sparse::solve::solve_with;
use crate::{Class, EigenError, Eigenpair, tuning};

/// The penalty problem and what is measured of its eigenpairs.
pub(super) struct Settling<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) blocks: &'a PenaltyBlocks,
    pub(super) springs: &'a Springs,
    pub(super) measure: &'a Measure<'a>,
    pub(super) options: &'a SparseOptions,
}

/// One eigenpair for each start, none where it was found twice or is no eigenvalue of the mechanism; and whether any was in
/// doubt.
pub(super) struct Settled {
    pub(super) eigenpairs: Vec<Option<Eigenpair>>,
    pub(super) doubtful: bool,
}

impl Settling<'_> {
    /// The eigenpairs that steps led to from `starts`, and others in the place of those that are none of theirs.
    pub(super) fn settle(
        &self,
        starts: &[Uncertified],
        mut found: Vec<Eigenpair>,
    ) -> Result<Settled, EigenError> {
        let lacks: Vec<f64> = found.iter_mut().map(|pair| self.widen(pair)).collect();
        let mut kept: Vec<Option<Eigenpair>> = vec![None; starts.len()];
        let (mut poor, mut wrong) = (vec![false; starts.len()], vec![false; starts.len()]);
        for i in 0..starts.len() {
            let pair = &found[i];
            let own = starts[i].rigid
                // Backward error above which an eigenpair is rejected.
                || (pair.backward_error <= tuning::CBRT_EPS
                    && self.is_motion(pair)
                    // Likeness of start and result below which steps have left their eigenvalue.
                    && self.likeness(&starts[i], &pair.right) > tuning::MAINLY);
            wrong[i] = !own || kept.iter().flatten().any(|other| self.one_eigenvalue(other, pair));
            // Lack relative to |s| above which a search does better.
            poor[i] = !starts[i].rigid && lacks[i] > tuning::CBRT_EPS * pair.value().map_or(0.0, c64::norm);
            if !wrong[i] && !poor[i] {
                kept[i] = Some(pair.clone());
            }
        }
        let doubtful = wrong.contains(&true);
        for first in 0..starts.len() {
            let s = starts[first].s;
            let open = |i: &usize| (wrong[*i] || poor[*i]) && kept[*i].is_none();
            if !open(&first) {
                continue;
            }
            let group: Vec<usize> = (0..starts.len())
                .filter(|&i| (starts[i].s - s).norm() <= tuning::SQRT_EPS * s.norm())
                .collect();
            let lacking: Vec<usize> = group.iter().copied().filter(open).collect();
            let mut likest = self.search(starts, &group, lacking.len(), &kept)?.into_iter();
            for i in lacking {
                // What has a wide bound alone is better than nothing.
                kept[i] = likest.next().or_else(|| (!wrong[i]).then(|| found[i].clone()));
                wrong[i] = false;
                poor[i] = false;
            }
        }
        Ok(Settled { eigenpairs: kept, doubtful })
    }

    /// Adds the lack to the bound of an eigenpair; how much that is, in rad/s.
    fn widen(&self, pair: &mut Eigenpair) -> f64 {
        let Some(s) = pair.value().filter(|s| s.norm() > 0.0 && pair.condition.is_finite()) else {
            return 0.0;
        };
        let e = &pair.right[self.blocks.m.rows()..];
        let mut rest = self.springs.force(s, e);
        rest.iter_mut().zip(pair.multipliers.iter()).for_each(|(q, l)| *q -= l);
        if rest.iter().all(|q| *q == ZERO) {
            return 0.0;
        }
        let response = if self.springs.is_cheap() { self.springs.response(s, &rest) } else { None };
        let lack = response.map_or(f64::INFINITY, |lack| {
            lack.iter().zip(pair.left_multipliers.iter()).map(|(e, mu)| e.norm() * mu.norm()).sum()
        });
        // What is small needs no second bound.
        // Lack relative to |s| above which the metric of the masses may bound it closer.
        let in_metric = if lack > tuning::EPS_3_4 * s.norm() {
            self.springs.in_metric(&rest) * self.energy(&pair.left)
        } else {
            f64::INFINITY
        };
        let added = 2.0 * lack.min(in_metric);
        pair.error_bound += added;
        added
    }

    /// Whether less than half of the energy is the penalty's.
    fn is_motion(&self, pair: &Eigenpair) -> bool {
        self.measure.share(&pair.right).is_none_or(|share| share <= 0.5)
    }

    /// sqrt(z^H M' z); infinite where M' is not definite for it.
    fn energy(&self, z: &[c64]) -> f64 {
        let square = inner(z, &times(&self.problem.m, z)).re;
        if square >= 0.0 { square.sqrt() } else { f64::INFINITY }
    }

    fn likeness(&self, start: &Uncertified, z: &[c64]) -> f64 {
        let form = |z: &[c64]| -> (Vec<c64>, f64) {
            let mz = times(&self.problem.m, z);
            let own = inner(z, &mz).re;
            (mz, own)
        };
        let ((mz, own), (_, before)) = (form(z), form(&start.right));
        // Without a metric the angle between the motions has to do.
        if !(own > 0.0 && before > 0.0) {
            let n = self.blocks.m.rows();
            return mac(&start.right[..n], &z[..n]);
        }
        inner(&start.right, &mz).norm_sqr() / (own * before)
    }

    /// Whether two eigenpairs are one eigenvalue found twice.
    fn one_eigenvalue(&self, a: &Eigenpair, b: &Eigenpair) -> bool {
        // Distance, relative to |s|, within which two eigenpairs may be one eigenvalue whatever their bounds.
        one_eigenvalue(a, b, tuning::EPS_3_4, |z| [&self.problem.m, &self.problem.c].map(|a| times(a, z)))
    }

    /// The `count` eigenvalues likest to the starts of a group, without those that are known.
    fn search(
        &self,
        starts: &[Uncertified],
        group: &[usize],
        count: usize,
        known: &[Option<Eigenpair>],
    ) -> Result<Vec<Eigenpair>, EigenError> {
        let start = &starts[group[0]];
        let options = SparseOptions {
            prove_complete: false,
            left_vectors: true,
            // Distance of the shift of a search from the start, relative.
            expert: SparseExpert {
                shift: Shift::At(start.s * (1.0 + tuning::EPS_1_4)),
                ..self.options.expert
            },
            ..*self.options
        };
        let whole: QuadraticPencil<Sparse> = self.blocks.to_constrained();
        // Eigenvalues sought near each start.
        let mut around = tuning::WIDTH + 2 * group.len();
        let mut best: Vec<(f64, Eigenpair)> = Vec::new();
        for _ in 0..tuning::FEW_STEPS {
            let request = Request::NearPoint { s: start.s, count: around };
            let found = match solve_with(&whole, None, None, &request, &options, true) {
                Ok(found) => found,
                Err(error @ EigenError::OutOfMemory { .. }) => return Err(error),
                Err(_) => break,
            };
            let exhausted = found.eigenpairs.len() < around;
            best.clear();
            for mut pair in found.eigenpairs {
                let fits = pair.class == Class::Physical && (pair.alpha.im > 0.0) == start.mirror;
                if !fits || pair.backward_error > tuning::CBRT_EPS || !self.is_motion(&pair) {
                    continue;
                }
                let likeness: f64 = group.iter().map(|&i| self.likeness(&starts[i], &pair.right)).sum();
                // Likeness that the best of the eigenvalues around a start has at least: below, no eigenvalue is the one of the
                // mechanism.
                if likeness < tuning::PARTLY {
                    continue;
                }
                self.widen(&mut pair);
                if !known.iter().flatten().any(|other| self.one_eigenvalue(other, &pair)) {
                    best.push((likeness, pair));
                }
            }
            if best.len() >= count || exhausted {
                break;
            }
            around *= 4;
        }
        descending(&mut best, |a| a.0);
        best.truncate(count);
        Ok(best.into_iter().map(|(_, pair)| pair).collect())
    }
}

fn times(a: &Matrix<'_>, z: &[c64]) -> Vec<c64> {
    if a.is_zero() {
        return vec![ZERO; z.len()];
    }
    a.mul(&DenseC::from_fn(z.len(), 1, |i, _| z[i])).col_as_slice(0).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::sparse::Certifier;
    use mb_algebra::{dense, to_sparse};
    use proptest::prelude::*;

    proptest! {
        /// Two masses tied by a spring: an eigenvalue of the constrained problem does not determine its violation, but
        /// the bound reaches the eigenvalue that the penalty moved, and no further than a few times as far.
        #[test]
        fn the_lack_of_a_start_without_violations_covers_the_eigenvalue_next_to_it(
            masses in prop::array::uniform2(1.0_f64..9.0),
            springs in prop::array::uniform2(1.0_f64..9.0),
            power in 12..30_i32,
        ) {
            let (xi, square) = (f64::from(power).exp2(), 256.0);
            let one = dense::identity(1);
            let blocks = PenaltyBlocks {
                m: to_sparse(&dense::diagonal(&masses)),
                c: to_sparse(&dense::zeros(2, 2)),
                k: to_sparse(&dense::diagonal(&springs)),
                phi_q: to_sparse(&dense::from_rows(&[&[1.0, -1.0]])),
                xi: dense::scale(xi, &one),
                theta: dense::zeros(1, 1),
                omega: dense::scale(square, &one),
                k_parts: None,
            };
            let w = (springs[0] + springs[1]) / (masses[0] + masses[1]);
            // To first order the tie gives way by l / (Xi (omega^2 - w)).
            let l = w * masses[0] - springs[0];
            let moved = l * l / (xi * (square - w)) / (masses[0] + masses[1]) / (2.0 * w.sqrt());
            prop_assume!(moved > 1e-12 && moved < 1e-3 * w.sqrt());
            let options = SparseOptions::default();
            let held = Problem::of([&blocks.m, &blocks.c, &blocks.k], &blocks.phi_q, &options).unwrap();
            let stiffness = dense::scale(xi * square, &one);
            let problem = held.with_violations([&blocks.xi, &dense::zeros(1, 1), &stiffness], &options).unwrap();
            let one = c64::new(1.0, 0.0);
            let s = c64::new(0.0, w.sqrt());
            let start = Uncertified::oscillating(s, vec![one, one, ZERO].into(), vec![l * one].into());
            let (springs, measure) = (Springs::new(&blocks), Measure::new(&blocks, &held.m, true));
            let settling =
                Settling { problem: &problem, blocks: &blocks, springs: &springs, measure: &measure, options: &options };
            let mut pair = Certifier::new(&problem, true).certify_alone(vec![start]).remove(0);
            prop_assert!(pair.error_bound < moved);
            settling.widen(&mut pair);
            prop_assert!(pair.error_bound > moved && pair.error_bound < 4.0 * moved, "{:e} of {moved:e}", pair.error_bound);
        }
    }
}
