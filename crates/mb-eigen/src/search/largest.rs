//! The largest finite eigenvalues, which bound the step of an explicit time integration.
//!
//! 1. Factor the mass matrix with the constraints ([M, Phi_q^T; Phi_q, 0]; the damping matrix where there is no mass);
//!    where it is singular on the admissible directions the largest eigenvalues are infinite and the request is refused.
//! 2. Lanczos or Krylov-Schur for the largest theta of the operators of [`crate::transform::mass_inverse`], to a tolerance near rounding,
//!    because a further application does not purify as it does with a shift.
//! 3. Symmetric problems: what is clustered at the upper end and has not converged is sought with a shift above it;
//!    then the inertia of K - t M and K + t M proves that no |w| above t is missing (n - r less the negative ones
//!    is the number of w above t, for M positive definite on the admissible directions).

use mb_algebra::sorted::descending;
use std::sync::Arc;

use mb_algebra::c64;

use super::biorthonormal::biorthonormalize;
use super::hermitian::{Place, Symmetric};
use super::non_hermitian::{General, Side, divide};
use super::non_hermitian_requests::Counting;
use super::selection;
use super::set::Set;
use super::tally::fell_back;
use crate::finding::{Completeness, Proof, Region, SparseFinding};
use crate::krylov::RitzReal;
use crate::krylov::scalar::{norm, pick};
use crate::problem::Problem;
use crate::problem::modes::Modes;
use crate::problem::uncertified::Uncertified;
use crate::transform::factors::{Effort, ShiftSolve, Work};
use crate::transform::mass_inverse::{Forward, ForwardSymmetric};
use crate::transform::shift_invert::Form;
use crate::transform::shift_invert_symmetric::Known;
use crate::{EigenError, Finding, tuning};

impl Symmetric<'_> {
    /// The `count` modes of largest |s|.
    pub(crate) fn largest(&mut self, count: usize) -> Result<Modes, EigenError> {
        let problem = self.problem;
        let solver = leading(problem, Form::Squared)?;
        if solver.negative().is_some_and(|negative| negative > 0) {
            return Err(EigenError::IndefiniteMetric);
        }
        if count >= problem.dof() {
            return self.largest_of_all(count);
        }
        let (mut known, mut modes) = (Known::none(problem.n), Modes::none(problem));
        let (mut top, mut fastest) = (None, 0.0_f64);
        let mut exhausted = count == 0;
        // One more than wanted shows the gap in which the modes are counted.
        // Rounds of asking for what is missing.
        for _ in 0..tuning::ROUNDS {
            if exhausted || modes.w.len() > count {
                break;
            }
            let mut ritz = self.forward(solver.as_ref(), &known, count + 1 - modes.w.len())?;
            fastest = ritz.values.iter().map(|w| w.abs()).fold(fastest, f64::max);
            exhausted = ritz.exhausted | without_zeros(&mut ritz, fastest);
            top = upper_end(&ritz.estimates, count).or(top);
            let found = self.forward_polish(solver.as_ref(), &known, &ritz)?;
            if found.w.is_empty() {
                break;
            }
            known.add(problem, &found.x);
            modes.append(found);
        }
        if let (Some(sigma), false) = (top, exhausted || modes.w.len() >= count) {
            let mut shifted = self.factor(sigma)?;
            let wanted = count + 1 - modes.w.len();
            let found = self.nearest(&mut shifted, &known, wanted, None, Place::Here)?;
            known.add(problem, &found.modes.x);
            modes.append(found.modes);
        }
        // All others are zeros, or slow beyond what their share of the largest shows.
        if exhausted && modes.w.len() < count {
            if problem.n <= self.options.expert.all_limit {
                return self.largest_of_all(count);
            }
            exhausted = false;
        }
        modes.sort_by(|w| -w.abs());
        if self.options.prove_complete {
            self.prove_largest(solver.as_ref(), &mut known, &mut modes, count)?;
        }
        report_work(&solver.work(), &mut self.findings);
        self.report_shortfall(modes.w.len(), count, exhausted);
        self.findings.extend(selection::reported_of_squares(&modes.w, count));
        modes.truncate(count);
        if self.options.prove_complete {
            // What is counted as growing lies this far below zero, relative to |K| / |M|: a hundred times what rounding of K makes of a
            // rigid mode.
            let below = self.below(-tuning::SOLVE_ROUNDINGS * problem.frequency_squared())?;
            self.report_growing(below.map(|(_, counted)| counted), &modes);
        }
        Ok(modes)
    }

    /// All modes, the `count` largest of which are kept: without a shift zeros, and what rounding makes of constraints, cannot be
    /// distinguished from slow modes.
    fn largest_of_all(&mut self, count: usize) -> Result<Modes, EigenError> {
        let dof = self.problem.dof();
        let mut modes = self.lowest(dof)?;
        let mut order: Vec<usize> = (0..modes.w.len()).collect();
        descending(&mut order, |&i| modes.w[i].abs());
        order.truncate(count);
        order.sort_by_key(|&j| j >= modes.rigid);
        let all = modes.w.len() == dof;
        modes.select(&order);
        self.report_shortfall(modes.w.len(), count, all);
        Ok(modes)
    }

    fn forward(
        &mut self,
        solver: &dyn ShiftSolve<f64>,
        known: &Known,
        count: usize,
    ) -> Result<RitzReal, EigenError> {
        if known.x.ncols() >= self.problem.dof() {
            return Ok(RitzReal::none(self.problem.n));
        }
        let operator = ForwardSymmetric { problem: self.problem, solver, known };
        // Residual of a Ritz pair relative to |theta| at most.
        let tolerance = self.options.expert.tolerance.min(tuning::EPS_3_4);
        self.lanczos(&operator, count, None, self.options.expert.restarts, tolerance)
    }

    /// w by the Rayleigh quotient, multipliers from one more application.
    fn forward_polish(
        &self,
        solver: &dyn ShiftSolve<f64>,
        known: &Known,
        ritz: &RitzReal,
    ) -> Result<Modes, EigenError> {
        let problem = self.problem;
        let mut x = ritz.vectors.clone();
        known.project(&mut x);
        let solution = solver.solve(&problem.k.mul(&x), false, Effort::Final)?;
        let (mut x, mut l) = (solution.x, solution.l);
        let mut w = Vec::with_capacity(ritz.values.len());
        known.project(&mut x);
        let (mx, kx) = (problem.m.mul(&x), problem.k.mul(&x));
        for (j, theta) in ritz.values.iter().enumerate() {
            let dot = |a: &[f64]| a.iter().zip(x.col_as_slice(j)).map(|(a, x)| a * x).sum::<f64>();
            let (mass, work) = (dot(mx.col_as_slice(j)), dot(kx.col_as_slice(j)));
            w.push(work / mass);
            let by = mass.sqrt().recip();
            x.col_as_slice_mut(j).iter_mut().for_each(|x| *x *= by);
            // M x' + Phi^T l' = K x and x' = theta x: l = -l' for x, in the scale of x' / |x'|.
            let by = -by * theta;
            l.col_as_slice_mut(j).iter_mut().for_each(|l| *l *= by);
        }
        Ok(Modes { w, x, l, rigid: 0 })
    }

    /// Counts the modes with |w| above a point between the `count`-th and the next, and searches for what is missing.
    fn prove_largest(
        &mut self,
        solver: &dyn ShiftSolve<f64>,
        known: &mut Known,
        modes: &mut Modes,
        count: usize,
    ) -> Result<(), EigenError> {
        // Error of a w before it is certified, relative to |K| / |M|.
        let rounding = tuning::SOLVE_ROUNDINGS * self.problem.frequency_squared();
        let Some(t) = gap(&modes.w, count, rounding) else {
            let reason =
                "the last of the modes is as slow compared with the fastest ones as rounding of K makes any";
            self.findings.push(SparseFinding::Unproved { reason: reason.to_owned() }.into());
            return Ok(());
        };
        let (Some((above, low)), Some((below, negative))) = (self.below(t)?, self.below(-t)?) else {
            return Ok(());
        };
        let counted = self.problem.dof().saturating_sub(low) + negative;
        let outside = |modes: &Modes| modes.w.iter().filter(|w| **w > above || **w < below).count();
        for _ in 0..tuning::ROUNDS {
            let missing = counted.saturating_sub(outside(modes));
            if missing == 0 {
                break;
            }
            let mut ritz = self.forward(solver, known, missing)?;
            without_zeros(&mut ritz, modes.w.first().map_or(0.0, |w| w.abs()));
            let found = self.forward_polish(solver, known, &ritz)?;
            if found.w.is_empty() {
                break;
            }
            known.add(self.problem, &found.x);
            modes.append(found);
        }
        modes.sort_by(|w| -w.abs());
        let found = outside(modes);
        let above = above.max(-below);
        let region = Region::Above { limit: above };
        self.findings.push(Completeness { region, found, counted, by: Proof::Inertia }.into());
        Ok(())
    }
}

/// Leaves out values that are rounding compared with the fastest w; whether there were any.
fn without_zeros(ritz: &mut RitzReal, fastest: f64) -> bool {
    // Values of w or s^2 below this fraction of the largest are what rounding makes of zeros; of s where velocities are kept, its
    // eigenvalue. A shift separates them and slow modes.
    ritz.keep(|w| w.abs() > tuning::EPS_2_3 * fastest)
}

/// A point below the first `count` |w|, in the gap to the next one where there is one; `rounding`: how far a w may be from its place.
fn gap(w: &[f64], count: usize, rounding: f64) -> Option<f64> {
    let last = w.get(count.min(w.len()).checked_sub(1)?)?.abs();
    let below = |w: f64| w - (tuning::CBRT_EPS * w).max(rounding);
    match w.get(count) {
        Some(next) if next.abs() + rounding < below(last) => Some(0.5 * (last + next.abs())),
        // The next mode coincides with the last one: count it too.
        Some(next) => Some(below(next.abs())),
        None => Some(below(last)),
    }
    .filter(|t| *t > 0.0)
}

/// A shift beyond the largest w, from Ritz values by |theta|; none without any.
fn upper_end(theta: &[f64], count: usize) -> Option<f64> {
    let (first, last) = (*theta.first()?, theta.get(count.min(theta.len()).checked_sub(1)?)?.abs());
    (first != 0.0)
        .then(|| first + first.signum() * (0.5 * (first.abs() - last)).max(tuning::CBRT_EPS * first.abs()))
}

impl General<'_> {
    /// The `count` modes of largest |s|. Completeness rests on the order in which a Krylov method finds theta, and on a count of the
    /// eigenvalues beyond the last one where that is affordable; what it misses is sought with wider blocks.
    pub(crate) fn largest(&mut self, count: usize) -> Result<Vec<Uncertified>, EigenError> {
        let solver = leading(self.problem, self.form)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        if count >= self.problem.dof() {
            return self.largest_of_all(count);
        }
        // A conjugate pair is one mode of two values.
        let per_mode = if self.form == Form::Squared { 1 } else { 2 };
        let degree = if self.form == Form::Companion { 2 * self.problem.dof() } else { self.problem.dof() };
        let mut ask = per_mode * count + 1;
        let mut looks = tuning::FEW_STEPS;
        let small = self.problem.n <= self.options.expert.all_limit;
        let (set, told) = loop {
            let set = self.forward_set(&solver, ask)?;
            // All others are zeros, or slow beyond what their share of the largest shows, or repeated as no block shows: where the
            // leading matrix is regular there are as many tau as the degree.
            if set.exhausted && small && self.candidates(&set, Counting::Modes).len() < count {
                return self.largest_of_all(count);
            }
            let mut sizes: Vec<f64> =
                self.candidates(&set, Counting::Modes).iter().map(|c| c.s.norm()).collect();
            sizes.sort_by(|a, b| b.total_cmp(a));
            let last = sizes
                .get(count.min(sizes.len()).wrapping_sub(1))
                .map(|s| self.form.tau(c64::new(*s, 0.0)).norm());
            let told = match last {
                Some(last) => self.count_outside(&set, last, degree)?,
                None => None,
            };
            if ask >= degree {
                break (set, told);
            }
            let looked = self.another_look(told.as_ref(), &set, |_| true, &mut looks);
            let Some(missing) = looked else { break (set, told) };
            ask = (ask + per_mode * missing).min(degree);
        };
        let mut candidates = self.candidates(&set, Counting::Modes);
        report_work(&solver.work(), &mut self.findings);
        self.report_shortfall(candidates.len(), count, set.tau.len() >= degree);
        self.findings.extend(told.map(Finding::from));
        let fastest = candidates.iter().map(|c| c.s.norm()).fold(0.0, f64::max);
        // Digits that a value has before it is certified, relative to the fastest one.
        selection::about_first(&mut candidates, count, |c| -c.s.norm(), |_| tuning::EPS_3_4 * fastest);
        Ok(candidates.iter().map(|c| self.approx(&set, *c, Counting::Modes)).collect())
    }

    /// The `ask` largest tau with vectors from both sides. Zeros are left out; those that are found come behind all others, which
    /// exhausts these.
    fn forward_set(&mut self, solver: &Arc<dyn ShiftSolve<f64>>, ask: usize) -> Result<Set, EigenError> {
        let (problem, zero) = (self.problem, c64::new(0.0, 0.0));
        let right = self.forward_side(problem, solver, ask, false)?.without_zeros(self.form);
        let Side { tau, x, l, exhausted } = right;
        let mut set = Set { tau, x, l, left: None, reach: 0.0, exhausted, without_left: 0 };
        if let Some(transposed) = self.transposed.clone() {
            let left = self.forward_side(&transposed, solver, set.tau.len() + 2, true)?;
            self.match_left(&transposed, zero, &mut set, &left)?;
        }
        biorthonormalize(problem, self.form, zero, &mut set);
        Ok(set)
    }

    /// All eigenvalues, the `count` largest modes of which are kept: see the symmetric case.
    fn largest_of_all(&mut self, count: usize) -> Result<Vec<Uncertified>, EigenError> {
        let all = 2 * self.problem.dof();
        let mut uncertified = self.lowest(all)?;
        // It was not asked for by the user.
        let fewer = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::FewerExist { .. } });
        let exhausted = self.findings.iter().any(fewer) || uncertified.len() >= all;
        self.findings.retain(|finding| !fewer(finding));
        self.report_shortfall(uncertified.len(), count, exhausted);
        selection::about_first(
            &mut uncertified,
            count,
            |approx| -approx.s.norm(),
            |approx| tuning::EPS_3_4 * approx.s.norm(),
        );
        Ok(uncertified)
    }

    /// Right eigenvectors of the problem or its transpose, largest |tau| first.
    fn forward_side(
        &mut self,
        problem: &Problem,
        solver: &Arc<dyn ShiftSolve<f64>>,
        count: usize,
        transposed: bool,
    ) -> Result<Side, EigenError> {
        let operator =
            Forward { problem, form: self.form, gamma: self.gamma, solver: Arc::clone(solver), transposed };
        let tolerance = self.options.expert.tolerance.min(tuning::EPS_3_4);
        let (form, driver) = (self.form, self.driver);
        let mut ritz = self.runs(count, operator.length(), 1, tolerance, |wanted| match form {
            Form::Companion => driver.real_pairs(&operator, wanted),
            Form::Squared | Form::First => driver.real(&operator, wanted),
        })?;
        let zeros = ritz.keep(|tau| tau.norm() > 0.0);
        let tau = ritz.values;
        let (mut better, mut l) = operator.apply_refined(&ritz.vectors)?;
        divide(&mut better, &tau);
        let n = problem.n;
        for j in 0..tau.len() {
            let size = norm(&better.col_as_slice(j)[..n]).max(f64::MIN_POSITIVE);
            better.col_as_slice_mut(j).iter_mut().for_each(|v| *v /= size);
            l.col_as_slice_mut(j).iter_mut().for_each(|v| *v /= size);
        }
        let exhausted = ritz.exhausted || zeros;
        Ok(Side { tau, x: better.as_ref().subrows(0, n).to_owned(), l, exhausted })
    }
}

impl Side {
    /// Without values that are rounding compared with the fastest one, behind which there are no others.
    fn without_zeros(self, form: Form) -> Self {
        let fastest = self.tau.iter().map(|tau| tau.norm()).fold(0.0, f64::max);
        // Rounding parts the zeros of a chain.
        let least = fastest * if form == Form::Squared { tuning::EPS_2_3 } else { tuning::EPS_2_3.sqrt() };
        let kept: Vec<usize> = (0..self.tau.len()).filter(|&j| self.tau[j].norm() > least).collect();
        if kept.len() == self.tau.len() {
            return self;
        }
        let tau = kept.iter().map(|&j| self.tau[j]).collect();
        Self { tau, x: pick(&self.x, &kept), l: pick(&self.l, &kept), exhausted: true }
    }
}

/// Factors of the leading matrix with the constraints, or why there are no largest eigenvalues.
fn leading(problem: &Problem, form: Form) -> Result<Arc<dyn ShiftSolve<f64>>, EigenError> {
    let (name, matrix) = if form == Form::First { ("damping", &problem.c) } else { ("mass", &problem.m) };
    problem.factor_leading(matrix).map_err(|source| EigenError::NoLargest { matrix: name, source })
}

/// What the solves with the leading matrix were worth.
fn report_work(work: &Work, findings: &mut Vec<crate::Finding>) {
    findings.extend(fell_back(work));
    let (solves, worst_residual) = (work.solves, work.worst_residual);
    findings.push(SparseFinding::WithoutShift { solves, worst_residual }.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_of_counting_lies_below_the_wanted_modes() {
        let t = gap(&[-9.0, 5.0, 1.0], 2, 0.0).unwrap();
        assert!(t < 5.0 && t > 1.0);
        assert!(gap(&[-9.0, 5.0, 5.0], 2, 0.0).unwrap() < 5.0);
        assert!(gap(&[3.0], 2, 0.0).unwrap() < 3.0);
        assert_eq!((gap(&[], 2, 0.0), gap(&[0.0], 1, 0.0)), (None, None));
    }

    #[test]
    fn the_shift_for_the_rest_lies_beyond_the_largest() {
        assert!(upper_end(&[8.0, 6.0], 2).unwrap() > 8.0);
        assert!(upper_end(&[-8.0, 8.0], 2).unwrap() < -8.0);
        assert_eq!(upper_end(&[], 3), None);
    }

    /// Free and held pairs of masses, stiffnesses 2^25 and 768: the slowest of the largest modes lies 4e-9 of the fastest above zero.
    #[test]
    fn modes_near_the_rounding_of_stiff_ones_are_counted_below_it() {
        use crate::options::{SparseExpert, SparseOptions};
        use mb_algebra::{QuadraticPencil, sparse, to_sparse};
        let stiff = 25.0_f64.exp2();
        let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
        for ground in [0.125, 0.25, 1.0, 1e-7] {
            let pair = |k: f64, ground: f64| [[k + ground, -k], [-k, k]];
            let blocks = [pair(stiff, ground), pair(768.0, 0.0)];
            let entry = |i: usize, j: usize| if i / 2 == j / 2 { blocks[i / 2][i % 2][j % 2] } else { 0.0 };
            let pencil = QuadraticPencil {
                m: sparse::identity(4),
                c: sparse::zeros(4, 4),
                k: to_sparse(&mb_algebra::Dense::from_fn(4, 4, entry)),
                phi_q: sparse::zeros(0, 4),
            };
            let request = crate::sparse::Request::Largest { count: 3 };
            let found = crate::sparse::solve(&pencil, &request, &options).unwrap();
            // w = ground / 2 but for terms of ground^2 / stiff.
            let slowest = 0.5 * ground;
            for count in found.completeness() {
                let Region::Above { limit } = count.region else { continue };
                let counted = 2 + usize::from(slowest > limit);
                assert_eq!(count.counted, counted, "{ground} {count}");
            }
        }
    }
}
