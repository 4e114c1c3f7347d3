//! Count of the eigenvalues inside a circle by the argument principle.
//!
//! ```text
//! number inside = 1 / (2 pi) times the change of arg det S(tau) along the circle,  S = [a M + b C + K, Phi_q^T; Phi_q, 0]
//! change of arg det S(tau) - sum_j arg(tau - tau_j)  =  2 pi (number inside - number of the tau_j inside)
//! ```
//!
//! The phase of det S is that of D in L D L^T or in L D W^T, without keeping L and W; how it is followed along the circle stands in
//! [`super::winding`]. This is a count, no enclosure: an eigenvalue so near to the circle that rounding decides would
//! be on either side, and where rounding of the entries of S could make it singular on the circle there is no count.
//!
//! The largest eigenvalues are counted from outside, where a regular leading matrix says how many there are in all
//! (N): with r found, ln det S - sum_j ln(tau - tau_j) - (N - r) ln tau does not turn around zero along a circle that
//! leaves none but them outside.
//!
//! It costs one complex elimination a point, dozens of them, and is made where the
//! estimate is within [`SparseOptions::count_operations`]; elsewhere the result says that it is unproved.
//!
//! [`SparseOptions::count_operations`]: crate::sparse::SparseOptions

use mb_algebra::c64;

use super::winding;
use super::winding::Circle;
use crate::EigenError;
use crate::certify::error_bound::sensitivity;
use crate::certify::sparse::SparsePoint;
use crate::finding::{Completeness, Proof, Region, SparseFinding};
use crate::search::non_hermitian::General;
use crate::search::set::Set;
use crate::transform::shift_invert::Form;
use crate::tuning;

const NOT_CLOSED: &str = "rounding of the determinants along the border of the region searched leaves open how many eigenvalues it holds";
const CROWDED: &str = "so many eigenvalues lie next to the region searched, or the matrix is so nearly singular along its border, that the \
    determinants which a count may take are not enough";
const COSTLY: &str =
    "a count of the eigenvalues in the region searched would take more operations than allowed";
const ON_BORDER: &str = "an eigenvalue lies on the border of the region in which they are counted";
const LONG_CHAINS: &str = "zero is an eigenvalue with more vectors in a chain than are followed, so that the eigenvalues around it are not counted";
const UNDETERMINED: &str = "rounding of the matrices' entries to double precision could move eigenvalues into the region searched or out of it; \
    smaller ratios between the stiffest and the softest parts leave more digits";

/// A count of `missing` more eigenvalues than were found; less than none at all are no count.
pub(crate) fn outcome(region: Region, found: usize, missing: f64) -> Result<Completeness, &'static str> {
    let counted = found as f64 + missing;
    if counted < 0.0 {
        return Err(NOT_CLOSED);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of eigenvalues")]
    let counted = counted as usize;
    Ok(Completeness { region, found, counted, by: Proof::DeterminantPhase })
}

impl General<'_> {
    /// Counts the eigenvalues in the circle around the shift that holds all within `needed`; what came out, where it
    /// was to be shown.
    pub(crate) fn count_inside(
        &self,
        set: &Set,
        shift: c64,
        needed: f64,
    ) -> Result<Option<SparseFinding>, EigenError> {
        self.told(|| self.counted(set, shift, needed))
    }

    /// Counts the eigenvalues beyond the circle around zero that leaves the `count` largest modes of a set outside,
    /// where the leading matrix is regular: all eigenvalues are finite, and as many as `degree` says.
    pub(crate) fn count_outside(
        &self,
        set: &Set,
        smallest: f64,
        degree: usize,
    ) -> Result<Option<SparseFinding>, EigenError> {
        self.told(|| self.counted_outside(set, smallest, degree))
    }

    fn told(
        &self,
        count: impl FnOnce() -> Result<Result<Completeness, &'static str>, EigenError>,
    ) -> Result<Option<SparseFinding>, EigenError> {
        if !self.options.prove_complete {
            return Ok(None);
        }
        let unproved =
            |reason: &str| SparseFinding::Unproved { reason: format!("{reason}{}", self.remedy(reason)) };
        let counted = self.early.step(count)?;
        Ok(counted.map(|counted| counted.map_or_else(unproved, SparseFinding::Completeness)))
    }

    /// What to do about a count that failed.
    fn remedy(&self, reason: &str) -> &'static str {
        match reason {
            // It names its own.
            UNDETERMINED => "",
            ON_BORDER => "; ask for one mode more or less, which moves it",
            _ if self.problem.n <= self.options.expert.all_limit => {
                "; ask for fewer modes or a narrower band, or for all eigenvalues, which needs no count"
            }
            _ => "; ask for fewer modes or a narrower band",
        }
    }

    fn counted(
        &self,
        set: &Set,
        shift: c64,
        needed: f64,
    ) -> Result<Result<Completeness, &'static str>, EigenError> {
        let Some(circle) = self.circle(set, shift, needed) else {
            return Ok(Err(LONG_CHAINS));
        };
        let missing = match self.missing(&circle, needed)? {
            Ok(missing) => missing,
            Err(reason) => return Ok(Err(reason)),
        };
        let found = circle.known.iter().filter(|tau| (*tau - shift).norm() < circle.radius).count();
        let (re, im, radius, squared) = (shift.re, shift.im, circle.radius, self.form == Form::Squared);
        Ok(outcome(Region::Inside { re, im, radius, squared }, found, missing))
    }

    fn counted_outside(
        &self,
        set: &Set,
        smallest: f64,
        degree: usize,
    ) -> Result<Result<Completeness, &'static str>, EigenError> {
        let size = |tau: &c64| tau.norm();
        // Values of a multiple eigenvalue may lie on either side of the last one that is returned.
        let last =
            // Gap between the circle and the eigenvalues needed, relative, below which others may be as near to it from outside, and are
            // not distinguished from those inside.
            set.tau.iter().map(size).filter(|t| *t >= smallest * (1.0 - tuning::EPS_1_4)).fold(smallest, f64::min);
        let next = set.tau.iter().map(size).filter(|t| *t < last).fold(0.0, f64::max);
        let radius = if next > 0.0 { 0.5 * (last + next) } else { last * (1.0 - tuning::SLIGHT) };
        let rest = degree.saturating_sub(set.tau.len());
        let circle = Circle { centre: c64::new(0.0, 0.0), radius, known: set.tau.clone(), rest };
        let missing = match self.missing(&circle, last)? {
            Ok(inside) => -inside,
            Err(reason) => return Ok(Err(reason)),
        };
        let (found, squared) =
            (set.tau.iter().filter(|t| t.norm() > radius).count(), self.form == Form::Squared);
        Ok(outcome(Region::Outside { radius, squared }, found, missing))
    }

    /// How many eigenvalues more than expected are inside; why that cannot be reported.
    fn missing(&self, circle: &Circle, near: f64) -> Result<Result<f64, &'static str>, EigenError> {
        let operations = self.problem.elimination_operations()?;
        let points = winding::FEWEST_POINTS;
        if operations * points as f64 > self.options.expert.count_operations {
            return Ok(Err(COSTLY));
        }
        let affordable = (self.options.expert.count_operations / operations).max(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
        let left = affordable.min(1e6) as usize;
        if !self.is_sure_on(circle) {
            return Ok(Err(UNDETERMINED));
        }
        let logarithm = |tau: c64| {
            let (a, b) = self.form.coefficients(tau);
            self.problem.ln_determinant(a, b)
        };
        let Some(turns) = winding::turns(circle, left, logarithm)? else {
            return Ok(Err(CROWDED));
        };
        let missing = turns.round();
        if (turns - missing).abs() > tuning::CLEAR {
            return Ok(Err(NOT_CLOSED));
        }
        if missing != 0.0 && (circle.radius - near).abs() < tuning::EPS_1_4 * near {
            return Ok(Err(ON_BORDER));
        }
        Ok(Ok(missing))
    }

    /// Whether no change of the entries by rounding makes the matrix singular on the circle, where the nearest eigenvalues known are and
    /// across.
    fn is_sure_on(&self, circle: &Circle) -> bool {
        let off = |tau: &c64| ((tau - circle.centre).norm() - circle.radius).abs();
        let nearest = circle.known.iter().copied().min_by(|a, b| off(a).total_cmp(&off(b)));
        let angle = nearest.map_or(0.0, |tau| (tau - circle.centre).arg());
        [angle, angle + 2.5].iter().all(|angle| {
            let tau = circle.centre + c64::from_polar(circle.radius, *angle);
            let (a, b) = self.form.coefficients(tau);
            let s = if self.form == Form::Squared { tau.sqrt() } else { tau };
            let Ok(factors) = self.problem.factor(a, b) else { return false };
            let rounding = self.problem.rounding();
            let point = SparsePoint { problem: self.problem, rounding, s, factors };
            // Share of the change of entries that would make the matrix singular which rounding may reach on the circle.
            // Leading directions of the inverse that are followed there.
            sensitivity(&point, tuning::FEW_STEPS).is_some_and(|found| found <= tuning::PARTLY)
        })
    }

    /// A circle around the shift through the gap behind the eigenvalues needed; none where zeros have chains that were
    /// not followed.
    fn circle(&self, set: &Set, shift: c64, needed: f64) -> Option<Circle> {
        let mut known = set.tau.clone();
        if let Some(zeros) = &self.zeros {
            zeros.projectors.as_ref()?;
            let (simple, double) = (zeros.own.simple[0].x.ncols(), zeros.own.double[0].x.ncols());
            let each = if self.form == Form::Squared { 1 } else { 2 };
            known.extend(std::iter::repeat_n(c64::new(0.0, 0.0), simple + each * double));
        }
        let mut distances: Vec<f64> = known.iter().map(|tau| (tau - shift).norm()).collect();
        distances.sort_by(f64::total_cmp);
        // The values of a defective eigenvalue are no gap to put the circle through: rounding parts them by a share of
        // the eigenvalue itself, however near the shift is.
        let mut needed = needed;
        let parted = tuning::CBRT_EPS * (shift.norm() + needed);
        let mut next = f64::INFINITY;
        for distance in distances {
            if distance > needed * (1.0 + tuning::EPS_1_4) + parted {
                next = distance;
                break;
            }
            needed = needed.max(distance);
        }
        let mut radius =
            if next.is_finite() { 0.5 * (needed + next) } else { needed * (1.0 + tuning::SLIGHT) + parted };
        // A circle that holds zero anyway need not stay off it.
        if self.zeros.is_none() && shift.norm() > needed {
            // Where zeros were not sought, the circle stays off them by this fraction of the way.
            radius = radius.min(((1.0 - tuning::CLEAR) * shift.norm()).max(0.5 * (needed + shift.norm())));
        }
        (radius > 0.0).then_some(Circle { centre: shift, radius, known, rest: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::krylov::BuiltIn;
    use crate::options::{SparseExpert, SparseOptions};
    use crate::problem::Problem;
    use mb_algebra::{Dense, QuadraticPencil, Sparse, dense, sparse, to_sparse};

    /// Springs with one damper, one end held: eigenvalues that are no multiples of each other.
    fn sample(n: usize) -> QuadraticPencil<Sparse> {
        let k = Dense::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let c = Dense::from_fn(n, n, |i, j| if i == j && i % 3 == 1 { 0.2 } else { 0.0 });
        QuadraticPencil { m: dense::identity(n), c, k, phi_q: dense::from_rows(&[&vec![1.0; n][..]]) }
            .to_sparse()
    }

    fn told(pencil: &QuadraticPencil<Sparse>, point: c64, without: Option<usize>) -> Completeness {
        let options = SparseOptions::default();
        let problem = Problem::new(pencil, &options).unwrap();
        let mut run = General::new(&problem, &options, &BuiltIn);
        let shifted = run.factor(point).unwrap();
        let mut set = run.nearest(&shifted, 8).unwrap();
        let mut distances: Vec<f64> = set.tau.iter().map(|tau| (tau - shifted.tau).norm()).collect();
        distances.sort_by(f64::total_cmp);
        if let Some(without) = without {
            set.tau.remove(without);
        }
        run.counted(&set, shifted.tau, distances[5]).unwrap().unwrap()
    }

    #[test]
    fn an_eigenvalue_left_out_is_missed() {
        for pencil in [sample(12), unsymmetric(12)] {
            each_eigenvalue_left_out_is_missed(&pencil);
        }
    }

    /// A pencil of oscillators with these eigenvalues and their conjugates; a set of those known.
    fn oscillators(values: &[c64], known: &[c64]) -> (QuadraticPencil<Sparse>, Set) {
        let n = values.len();
        let diagonal =
            |of: &dyn Fn(&c64) -> f64| sparse::diagonal(&values.iter().map(of).collect::<Vec<_>>());
        let (c, k) = (diagonal(&|s| -2.0 * s.re), diagonal(&|s| s.norm_sqr()));
        (
            QuadraticPencil { m: sparse::identity(n), c, k, phi_q: sparse::zeros(0, n) },
            Set::of_values(n, known),
        )
    }

    /// Of a double eigenvalue a thousandth beyond the circle one is known; the other turns the phase by half a circle
    /// there and back.
    #[test]
    fn a_double_eigenvalue_near_the_circle_is_not_counted() {
        let (near, far) = (c64::new(-1.96, 23.13), c64::new(-1.97, 23.2));
        let values = [near, near, far, far];
        let upper = [near, near, far, far, near.conj(), near.conj(), far.conj()];
        let (pencil, known) = oscillators(&values, &upper);
        let options = SparseOptions::default();
        let problem = Problem::new(&pencil, &options).unwrap();
        let run = General::new(&problem, &options, &BuiltIn);
        let centre = c64::new(-10.3, 10.1);
        let needed = (near.conj() - centre).norm();
        let told = run.counted(&known, centre, needed).unwrap();
        assert!(matches!(told, Ok(Completeness { found: 6, counted: 6, .. })), "{told:?}");
    }

    /// Of a fourfold eigenvalue -4 that rounding parts by 2e-7, seen from a place 4e-4 away.
    #[test]
    fn a_circle_does_not_part_the_values_of_one_eigenvalue() {
        let value = c64::new(-4.0, 0.0);
        let values = [-3e-8, 3e-8, 3.1e-8, -1.9e-7].map(|off| value + off);
        let (pencil, known) = oscillators(&[value, value], &values);
        let options = SparseOptions::default();
        let problem = Problem::new(&pencil, &options).unwrap();
        let run = General::new(&problem, &options, &BuiltIn);
        let shift = value + 4e-4;
        let told = run.counted(&known, shift, (values[1] - shift).norm()).unwrap();
        assert!(matches!(told, Ok(Completeness { found: 4, counted: 4, .. })), "{told:?}");
    }

    #[test]
    fn eigenvalues_outside_are_counted_from_all_of_them() {
        let values: Vec<c64> = [1.0, 1.0, 1.0, 0.9, 0.6, 0.2].map(|w| c64::new(-0.1 * w, w)).to_vec();
        let known: Vec<c64> = values[..4].iter().flat_map(|s| [*s, s.conj()]).collect();
        let options = SparseOptions::default();
        for left_out in [0, 2] {
            let (pencil, set) = oscillators(&values, &known[left_out..]);
            let problem = Problem::new(&pencil, &options).unwrap();
            let run = General::new(&problem, &options, &BuiltIn);
            let told = run.counted_outside(&set, values[0].norm(), 2 * values.len()).unwrap();
            assert!(
                matches!(told, Ok(Completeness { counted: 6, found, .. }) if found + left_out == 6),
                "{told:?}"
            );
        }
    }

    /// Two eigenvalues at one place, three hundredths beyond the circle, turn the phase by a full circle where the
    /// first steps do not look.
    #[test]
    fn two_eigenvalues_just_outside_are_not_counted() {
        let options = SparseOptions::default();
        for place in 0..60 {
            let outside = c64::from_polar(1.03, 0.11 * f64::from(place)) + c64::new(0.0, 9.0);
            let mut blocks = vec![c64::new(-0.1, 9.2), c64::new(-0.2, 8.5), outside, outside];
            blocks.push(c64::new(-1.0, 40.0));
            let (pencil, known) = oscillators(&blocks, &blocks[..2]);
            let problem = Problem::new(&pencil, &options).unwrap();
            let run = General::new(&problem, &options, &BuiltIn);
            let told = run.counted(&known, c64::new(0.0, 9.0), 1.0 / (1.0 + tuning::SLIGHT)).unwrap();
            assert!(
                matches!(told, Ok(Completeness { found: 2, counted: 2, .. }) | Err(_)),
                "{place}: {told:?}"
            );
        }
    }

    fn unsymmetric(n: usize) -> QuadraticPencil<Sparse> {
        let mut pencil = sample(n);
        let skew = |i: usize, j: usize| if i + 1 == j { 0.3 } else { 0.0 };
        pencil.c = sparse::add(1.0, &pencil.c, 1.0, &to_sparse(&Dense::from_fn(n, n, skew)));
        pencil
    }

    fn each_eigenvalue_left_out_is_missed(pencil: &QuadraticPencil<Sparse>) {
        for point in [c64::new(0.1, 0.0), c64::new(-0.05, 1.3), c64::new(0.2, 0.4)] {
            let count = told(pencil, point, None);
            assert!(count.is_complete() && count.found >= 6, "{count}");
            // The first ones are the nearest.
            for without in 0..3 {
                assert_eq!(told(pencil, point, Some(without)).missing(), 1);
            }
        }
    }

    #[test]
    fn what_is_not_counted_is_said() {
        let pencil = unsymmetric(6);
        let options =
            SparseOptions::from(SparseExpert { count_operations: 0.0, dense_limit: 0, ..Default::default() });
        let found =
            crate::sparse::solve(&pencil, &crate::sparse::Request::Lowest { count: 1 }, &options).unwrap();
        let unproved = |f: &crate::Finding| {
            matches!(f, crate::Finding::Sparse { detail: SparseFinding::Unproved { .. } })
        };
        assert!(found.findings.iter().any(unproved), "{:?}", found.findings);
    }
}
