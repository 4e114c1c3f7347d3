//! Damped, gyroscopic and unsymmetric problems, and symmetric ones with an indefinite mass matrix.
//!
//! 1. Factor the shifted matrix at a small real shift; find the zeros with their chains and take their invariant
//!    subspace out of the operator ([`crate::null_space::deflate`], [`crate::transform::shift_invert`]).
//! 2. Krylov-Schur for the theta = 1 / (tau - tau_0) of largest magnitude, real arithmetic for a real shift.
//! 3. One refined application of the operator to every Ritz vector removes what the infinite eigenvalues left and
//!    gives the multipliers.
//! 4. Repeated eigenvalues of symmetric problems get real vectors where they have such ([`real_shapes`]). Left vectors: conjugates of the right ones for symmetric matrices; right ones of the mirrored eigenvalue for gyroscopic
//!    problems ([`super::gyroscopic_left`]); otherwise a second run on the transposed problem with the same factors. Vectors of one cluster are made biorthonormal (palomba2019, Eqs. (17), (18)).
//! 5. Newton's step on the two-sided Rayleigh quotient of the matrices as given.

use mb_algebra::{AlgebraError, DenseC, c64};

use super::biorthonormal::biorthonormalize;
use super::early::Early;
use super::gyroscopic_left;
use super::real_shapes;
use super::set::Set;
use super::tally;
use super::tally::Tally;
use crate::error::only_here;
use crate::krylov::scalar::{norm, pick};
use crate::krylov::{KrylovDriver, RitzComplex, Wanted};
use crate::null_space::deflate::Zeros;
use crate::options::{Shift, SparseOptions};
use crate::problem::Problem;
use crate::transform::shift_invert::{Deflated, Form, LinearForm, Projector, Solver};
use crate::{EigenError, Finding, tuning};

/// Where a factorization is tried again when a shift fails, relative to the shift.
const STEPS_ASIDE: [f64; 4] = [0.0, 1e-7, 1e-4, 1e-2];

/// Right vectors only.
pub(crate) struct Side {
    pub(crate) tau: Vec<c64>,
    pub(crate) x: DenseC,
    pub(crate) l: DenseC,
    pub(crate) exhausted: bool,
}

/// Factors at one shift.
#[derive(Clone)]
pub(crate) struct Shifted {
    pub(crate) tau: c64,
    pub(crate) solver: Solver,
}

/// One analysis.
pub(crate) struct General<'a> {
    pub(crate) problem: &'a Problem<'a>,
    /// Absent for symmetric matrices.
    pub(crate) transposed: Option<Problem<'a>>,
    /// Whether eigenvalues come mirrored at the imaginary axis, with left vectors of one as right ones of the other.
    mirrors: bool,
    pub(crate) options: &'a SparseOptions,
    pub(crate) driver: &'a dyn KrylovDriver,
    pub(crate) form: Form,
    pub(crate) gamma: f64,
    pub(crate) zeros: Option<Zeros>,
    pub(crate) findings: Vec<Finding>,
    /// Whether eigenvalues may be counted along a contour.
    pub(crate) counts: bool,
    /// Whether it was interrupted.
    pub(crate) early: Early,
    /// Columns in addition to the usual ones in a block: one does not see more members of a multiple eigenvalue than it has
    /// columns, but by rounding.
    pub(crate) wider: usize,
    tally: Tally,
}

/// A hundredth of the way from a shift on an eigenvalue to the next one.
///
/// Of a multiple eigenvalue one vector is found with a theta near 1 / eps, the others with what rounding leaves of it: none of those
/// within [`tuning::CBRT_EPS`] is the next one, and where nothing else was found, everything else may be lost.
fn off_eigenvalue(at: c64, set: &Set) -> Option<c64> {
    let mut distances: Vec<f64> = set.tau.iter().map(|tau| (tau - at).norm()).collect();
    distances.sort_by(f64::total_cmp);
    let first = *distances.first()?;
    // Values this close to a shift on one of them, relative to the shift, may be the same eigenvalue.
    let far = |d: &&f64| **d > (tuning::GAP * first).max(tuning::CBRT_EPS * at.norm());
    let next = distances.iter().find(far).copied();
    let alone = next.is_none() && first * tuning::GAP < at.norm();
    // A shift within this fraction of itself from an eigenvalue lies on it, where other theta are so much smaller or were not found.
    let on = first < tuning::SLIGHT * at.norm() && (next.is_some() || alone);
    on.then(|| at + tuning::MINOR * next.unwrap_or(tuning::MINOR * at.norm()))
}

impl<'a> General<'a> {
    pub(crate) fn new(
        problem: &'a Problem<'a>,
        options: &'a SparseOptions,
        driver: &'a dyn KrylovDriver,
    ) -> Self {
        let symmetric = problem.m.symmetric && problem.c.symmetric && problem.k.symmetric;
        let transposed = (!symmetric).then(|| problem.transposed());
        Self {
            problem,
            mirrors: transposed.is_some() && problem.is_gyroscopic(),
            transposed,
            options,
            driver,
            form: Form::of(problem),
            gamma: problem.frequency_squared().sqrt(),
            zeros: None,
            findings: Vec::new(),
            counts: true,
            early: Early::new(options),
            wider: 0,
            tally: Tally::default(),
        }
    }

    /// The same settings for part of a request, on another thread.
    pub(crate) fn part(&self) -> Self {
        let mut out = Self::new(self.problem, self.options, self.driver);
        out.zeros.clone_from(&self.zeros);
        out.early.clone_from(&self.early);
        out
    }

    /// Factors at a shift tau; near it where the matrix is singular, which is reported.
    pub(crate) fn factor(&mut self, tau: c64) -> Result<Shifted, EigenError> {
        let floor =
            tuning::CBRT_EPS * if self.form == Form::Squared { self.gamma * self.gamma } else { self.gamma };
        let scale = tau.norm().max(floor);
        let mut last = AlgebraError::Singular { index: 0, pivot: 0.0 };
        for step in STEPS_ASIDE {
            let moved = tau + step * scale;
            let (a, b) = self.form.coefficients(moved);
            self.tally.factorizations += 1;
            let solver = if moved.im == 0.0 {
                self.problem.factor(a.re, b.re).map(Solver::Real)
            } else {
                self.problem.factor(a, b).map(Solver::Complex)
            };
            match solver {
                Ok(solver) => {
                    if step != 0.0 {
                        self.findings.push(tally::moved(tau, moved));
                    }
                    return Ok(Shifted { tau: moved, solver });
                }
                Err(error) => last = only_here(error)?,
            }
        }
        let s = if self.form == Form::Squared { tau.sqrt() } else { tau };
        Err(EigenError::NoRegularShift { re: s.re, im: s.im, others: STEPS_ASIDE.len() - 1, source: last })
    }

    /// The `count` tau nearest to the shift near zero, with left vectors.
    ///
    /// From near the shift where that lies on one of them though its matrix could be factored: of the others nothing but the
    /// rounding of its own theta is left there.
    pub(crate) fn nearest(&mut self, shifted: &Shifted, count: usize) -> Result<Set, EigenError> {
        let at = shifted.tau;
        let tau = match self.nearest_from(shifted, count) {
            Ok(set) => {
                let Some(tau) = off_eigenvalue(at, &set) else { return Ok(self.with_conjugates(set, at)) };
                tau
            }
            // So near to an eigenvalue that the factors give no solution.
            // Where to look from, relative to a shift at which no solution is right.
            Err(EigenError::Algebra { .. }) if at.norm() > 0.0 => at * (1.0 + tuning::EPS_1_4),
            Err(error) => return Err(error),
        };
        let moved = self.factor(tau)?;
        self.findings.push(tally::moved(at, moved.tau));
        let mut set = self.nearest_from(&moved, count)?;
        set.reach -= (moved.tau - at).norm();
        Ok(self.with_conjugates(set, moved.tau))
    }

    pub(super) fn nearest_from(&mut self, shifted: &Shifted, count: usize) -> Result<Set, EigenError> {
        let problem = self.problem;
        let projectors = self.zeros.as_ref().and_then(|zeros| zeros.projectors.clone());
        let [right, left] = [0, 1].map(|side| projectors.as_ref().map(|both| &both[side]));
        let tolerance = self.options.expert.tolerance;
        let right = self.side(problem, shifted, count, right, false, tolerance)?;
        let reach = if right.exhausted {
            f64::INFINITY
        } else {
            right.tau.iter().map(|tau| (tau - shifted.tau).norm()).fold(0.0, f64::max)
        };
        let Side { tau, x, l, exhausted } = right;
        let mut set = Set { tau, x, l, left: None, reach, exhausted, without_left: 0 };
        if self.transposed.is_none() {
            real_shapes::choose(problem, self.form, &mut set);
        }
        if self.mirrors {
            set.left = gyroscopic_left::left_vectors(problem, &set);
        }
        if let (Some(transposed), None) = (self.transposed.clone(), &set.left) {
            let more = set.tau.len() + 2;
            // Residual of a converged left eigenpair where only certificates need it. The application that follows gains further digits.
            let tolerance =
                if self.options.left_vectors { tolerance } else { tolerance.max(tuning::SQRT_EPS) };
            let left = self.side(&transposed, shifted, more, left, true, tolerance)?;
            self.match_left(&transposed, shifted.tau, &mut set, &left)?;
        }
        biorthonormalize(problem, self.form, shifted.tau, &mut set);
        Ok(set)
    }

    /// Right eigenvectors of the problem or its transpose.
    fn side(
        &mut self,
        problem: &Problem,
        shifted: &Shifted,
        count: usize,
        projector: Option<&Projector>,
        transposed: bool,
        tolerance: f64,
    ) -> Result<Side, EigenError> {
        let operator = LinearForm {
            problem,
            form: self.form,
            tau: shifted.tau,
            gamma: self.gamma,
            solver: shifted.solver.clone(),
            transposed,
        };
        let deflated = Deflated { inner: &operator, projector };
        let numbers = if matches!(shifted.solver, Solver::Complex(_)) { 2 } else { 1 };
        let (form, driver) = (self.form, self.driver);
        let ritz = self.runs(count, operator.length(), numbers, tolerance, |wanted| {
            match (&shifted.solver, form) {
                (Solver::Real(_), Form::Companion) => driver.real_pairs(&deflated, wanted),
                (Solver::Complex(_), Form::Companion) => driver.complex_pairs(&deflated, wanted),
                (Solver::Real(_), _) => driver.real(&deflated, wanted),
                (Solver::Complex(_), _) => driver.complex(&deflated, wanted),
            }
        })?;
        Self::polish(&deflated, &ritz)
    }

    /// Runs of a driver on vectors of one length, counted; the basis grows while too few eigenpairs converge. `numbers`: real ones in an entry.
    ///
    /// Refuses a basis that does not fit in memory. That of the companion form is kept on two levels, with vectors of length n.
    pub(super) fn runs(
        &mut self,
        count: usize,
        length: usize,
        numbers: usize,
        tolerance: f64,
        run: impl Fn(&Wanted) -> Result<RitzComplex, EigenError>,
    ) -> Result<RitzComplex, EigenError> {
        let count = count.min(length);
        let mut wanted = Wanted {
            count,
            tolerance,
            block: self.block_of(count),
            subspace: self.options.expert.subspace,
            restarts: self.options.expert.restarts,
            salt: 0,
        };
        loop {
            self.tally.searches += 1;
            wanted.salt = 0x9e10 + self.tally.searches as u64;
            let basis = wanted.dimension(length);
            self.tally.largest_basis = self.tally.largest_basis.max(basis);
            self.problem.check_basis(basis, numbers * self.problem.n)?;
            let mut ritz = run(&wanted)?;
            self.findings.extend(self.tally.ran(&mut ritz));
            let enough = ritz.exhausted || ritz.values.len() >= count;
            // Clusters converge where the basis has room for all of their members.
            if enough || basis == length || !wanted.enlarge(self.options.expert.subspace, length) {
                return Ok(ritz);
            }
        }
    }

    /// Columns of a block of the next search.
    pub(crate) fn block_of(&self, count: usize) -> usize {
        self.options.expert.block.unwrap_or_else(|| block_size(self.problem.n, count)) + self.wider
    }

    /// Purifies Ritz vectors by one more application and takes the multipliers.
    fn polish(operator: &Deflated<'_>, ritz: &RitzComplex) -> Result<Side, EigenError> {
        let (n, shift) = (operator.inner.problem.n, operator.inner.tau);
        let kept: Vec<usize> = (0..ritz.values.len()).filter(|&j| ritz.values[j].norm() > 0.0).collect();
        let theta: Vec<c64> = kept.iter().map(|&j| ritz.values[j]).collect();
        let z = pick(&ritz.vectors, &kept);
        let (mut better, mut l) = operator.apply_refined(&z)?;
        divide(&mut better, &theta);
        divide(&mut l, &theta);
        for j in 0..theta.len() {
            let size = norm(&better.col_as_slice(j)[..n]).max(f64::MIN_POSITIVE);
            better.col_as_slice_mut(j).iter_mut().for_each(|v| *v /= size);
            l.col_as_slice_mut(j).iter_mut().for_each(|v| *v /= size);
        }
        let true_ones = Self::confirmed(operator, &better, &theta);
        let better = pick(&better, &true_ones);
        Ok(Side {
            tau: true_ones.iter().map(|&j| shift + theta[j].inv()).collect(),
            x: better.as_ref().subrows(0, n).to_owned(),
            l: pick(&l, &true_ones),
            // What rounding made of infinite eigenvalues comes behind all finite ones.
            exhausted: ritz.exhausted || true_ones.len() < theta.len(),
        })
    }

    /// Columns that one more application returns. Rounding can turn infinite eigenvalues (directions without mass)
    /// into finite ones whose theta is a square root of rounding; T moves their vectors elsewhere. Purified vectors come in.
    fn confirmed(operator: &Deflated<'_>, vectors: &DenseC, theta: &[c64]) -> Vec<usize> {
        let (n, inner) = (operator.inner.problem.n, operator.inner);
        let scale = if inner.form == Form::Squared { inner.gamma * inner.gamma } else { inner.gamma };
        let mut spurious = Vec::new();
        for (j, theta) in theta.iter().enumerate() {
            // |theta| in units of the scale of frequencies below which an eigenpair is confirmed by one more application.
            if theta.norm() * scale > tuning::SLIGHT {
                continue;
            }
            let before = pick(vectors, &[j]);
            // A right-hand side of rounding alone has no solution worth its name: that is an answer too.
            let moved = operator.apply_refined(&before).map_or(f64::INFINITY, |(after, _)| {
                let (a, b) = (&before.col_as_slice(0)[..n], &after.col_as_slice(0)[..n]);
                let by = theta.inv();
                norm(&a.iter().zip(b).map(|(a, b)| a - b * by).collect::<Vec<_>>()) / norm(a)
            });
            // Change of its displacements, relative, above which it is rounding.
            if moved.is_nan() || moved > tuning::EPS_1_4 {
                spurious.push(j);
            }
        }
        (0..theta.len()).filter(|j| !spurious.contains(j)).collect()
    }

    /// What was done, for the result.
    pub(crate) fn report(&mut self, shifted: &Shifted) {
        let work = match &shifted.solver {
            Solver::Real(solver) => solver.work(),
            Solver::Complex(solver) => solver.work(),
        };
        self.findings.extend(self.tally.at_shift(shifted.tau, &work));
    }

    /// Says why there are fewer eigenvalues than asked for.
    pub(crate) fn report_shortfall(&mut self, found: usize, wanted: usize, exhausted: bool) {
        self.findings.extend(self.tally.shortfall(found, wanted, exhausted, self.problem.dof()));
    }

    /// The shift the options name.
    pub(crate) fn given_shift(&self) -> Option<c64> {
        match self.options.expert.shift {
            Shift::Automatic => None,
            Shift::At(s) => Some(self.form.tau(s)),
        }
    }
}

/// Column j over the number j.
pub(crate) fn divide(a: &mut DenseC, by: &[c64]) {
    for (j, by) in by.iter().enumerate() {
        let inverse = by.inv();
        a.col_as_slice_mut(j).iter_mut().for_each(|v| *v *= inverse);
    }
}

/// Columns solved at once.
fn block_size(n: usize, count: usize) -> usize {
    let by_size = if n <= 2_000 { 2 } else { 4 };
    by_size.min(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_on_a_double_eigenvalue_moves_away_from_both_of_its_values() {
        let at = c64::new(-0.02, 0.3);
        let moved =
            |tau: &[c64]| off_eigenvalue(at, &Set::of_values(1, tau)).map(|to| (to - at).norm() / at.norm());
        let values = [at + 1e-17, at + 1e-10];
        // Nothing else was found, or the next is far.
        assert!(moved(&values).unwrap() > 1e-5);
        assert!((moved(&[values[0], values[1], at * 1.5]).unwrap() - 0.005).abs() < 1e-12);
        // Near all of them.
        assert_eq!(moved(&[at * 1.1, at * 1.1, at * 1.5]), None);
    }
}
