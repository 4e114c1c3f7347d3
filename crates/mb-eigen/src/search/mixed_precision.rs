//! The lowest modes of large undamped problems with factors in single precision.
//!
//! ```text
//! z = P (L D L^T)^-1 P (K x - w M x),   P = I - Phi^T (Phi Phi^T)^-1 Phi
//! ```
//!
//! A factorization in single precision takes half of the time and of the memory of one in double. Its solutions, of a few
//! digits, correct vectors whose residuals are formed in double precision ([`crate::krylov::davidson`]); P takes the reactions
//! away and holds the vectors to the constraints. The last application, which gives w, vectors and multipliers to all
//! digits, is refined with the same factors. Whatever does not fit gives way to factors in double precision: free bodies
//! and mechanisms, coordinates without mass, unstable systems, slender bodies in which single precision has no
//! right digit. Sizes: x n, Phi r x n (independent rows at length one).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mb_algebra::{Dense, SparseCholesky, sparse};
use saddle_ldlt::{Method, SaddleSingle};

use super::hermitian::Symmetric;
use super::selection;
use crate::EigenError;
use crate::certify::sparse::{Aid, Certifier};
use crate::completeness::inertia::Released;
use crate::error::at;
use crate::finding::SparseFinding;
use crate::krylov::davidson::{Corrected, Lowest, basis_columns, lowest};
use crate::options::{Shift, Solver};
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::problem::modes::Modes;
use crate::refine;
use crate::refine::{Given, Improved};
use crate::transform::factors::Shifted;
use crate::transform::factors::{Effort, ShiftSolve, Solution, Work};
use crate::tuning;

/// Unknowns for each mode asked for: of a large part of the spectrum Krylov bases have less to orthogonalize.
const MANY: usize = 200;

const SOLVE: &str = "Solve with the shifted saddle-point matrix in single precision";

/// Factors in single precision as a solver of full precision.
pub(crate) struct ShortSolve {
    factor: SaddleSingle,
    solves: AtomicUsize,
}

impl ShortSolve {
    pub(crate) fn new(factor: SaddleSingle) -> Self {
        Self { factor, solves: AtomicUsize::new(0) }
    }

    /// Whether all eigenvalues of the matrix on the null space of `Phi_q` are positive, by the inertia of the factors, which
    /// refinement confirms.
    fn definite(&self) -> bool {
        let constraints = self.factor.constraints();
        self.factor.inertia().is_some_and(|signs| signs.negative == constraints)
    }

    /// Solutions of a few digits.
    fn rough(&self, f: &Dense) -> Dense {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        self.factor.rough_block(f)
    }

    /// Corrections of available solutions.
    fn correct(&self, f: &Dense, tolerance: f64) -> Result<Solution<f64>, EigenError> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        let (x, l) = self.factor.correct_block(f, tolerance).map_err(at(SOLVE))?;
        Ok(Solution { x, l })
    }
}

impl ShiftSolve<f64> for ShortSolve {
    fn solve(&self, f: &Dense, _transposed: bool, _effort: Effort) -> Result<Solution<f64>, EigenError> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        let (x, l) = self.factor.solve_block(f).map_err(at(SOLVE))?;
        Ok(Solution { x, l })
    }

    /// What it takes to trust the signs of these factors is better spent on those that prove the modes complete.
    fn negative(&self) -> Option<usize> {
        None
    }

    fn work(&self) -> Work {
        Work {
            solves: self.solves.load(Ordering::Relaxed),
            worst_residual: self.factor.trial().worst(),
            failed: Vec::new(),
            method: Method::SingleLdl.to_string(),
        }
    }
}

/// P = I - Phi^T (Phi Phi^T)^-1 Phi.
struct Projection {
    /// Factors of Phi Phi^T; none without constraints.
    gram: Option<SparseCholesky>,
    rows: Matrix<'static>,
}

impl Projection {
    fn new(problem: &Problem<'_>) -> Option<Self> {
        let rows = problem.rows.independent.clone();
        let gram = if problem.rows.rank > 0 {
            Some(SparseCholesky::new(&sparse::mul(rows.sparse(), &sparse::transpose(rows.sparse()))).ok()?)
        } else {
            None
        };
        Some(Self { gram, rows })
    }

    /// V <- P V; (Phi Phi^T)^-1 Phi V, r x p. Of a residual it takes the reactions away, which single precision would leave
    /// a part of.
    fn allow(&self, v: &mut Dense) -> Dense {
        let Some(gram) = &self.gram else { return Dense::zeros(0, v.ncols()) };
        let by = gram.solve_mat(&self.rows.mul(v));
        let outside = self.rows.mul_transpose(&by);
        for j in 0..v.ncols() {
            v.col_as_slice_mut(j).iter_mut().zip(outside.col_as_slice(j)).for_each(|(v, o)| *v -= o);
        }
        by
    }
}

/// The same factors as a solver of a few digits, which is what corrections of available solutions need; constraints are kept to
/// all digits.
struct FewDigits {
    solver: Arc<ShortSolve>,
    projection: Arc<Projection>,
}

impl ShiftSolve<f64> for FewDigits {
    fn solve(&self, f: &Dense, _transposed: bool, _effort: Effort) -> Result<Solution<f64>, EigenError> {
        let mut f = f.clone();
        let held = self.projection.allow(&mut f);
        // Backward error of corrections in double-double precision: what a solution gets wrong is relative to |S| |d|, and may not be
        // more than the residual S d, which of the slowest modes is less by the condition of S.
        let Solution { mut x, mut l } = self.solver.correct(&f, tuning::SQRT_EPS)?;
        self.projection.allow(&mut x);
        l += held;
        Ok(Solution { x, l })
    }

    fn negative(&self) -> Option<usize> {
        None
    }

    fn work(&self) -> Work {
        self.solver.work()
    }
}

/// K x = w M x on the null space of `Phi_q`.
pub(crate) struct Allowed<'a> {
    problem: &'a Problem<'a>,
    solver: &'a ShortSolve,
    projection: Arc<Projection>,
}

impl<'a> Allowed<'a> {
    /// None where the constraints cannot be taken out.
    pub(crate) fn new(problem: &'a Problem<'a>, solver: &'a ShortSolve) -> Option<Self> {
        let projection = Arc::new(Projection::new(problem)?);
        Some(Self { problem, solver, projection })
    }

    /// Whether the shift of the factors lies below all eigenvalues.
    pub(crate) fn definite(&self) -> bool {
        self.solver.definite()
    }

    /// S^-1 M applied once more to the eigenpairs found, to all digits, which gives w, vectors, and multipliers as
    /// [`Symmetric::polish`] does. With r = K x - w M x = P r - Phi^T l_0,
    ///
    /// ```text
    /// x' = (w - sigma) S^-1 M x = x - d,   l = l_0 - e,   S d + Phi^T e = P r,  Phi d = 0
    /// ```
    ///
    /// d is small, and a few of its digits are all digits of x'.
    fn applied_once(&self, found: &Lowest, sigma: f64) -> Option<Modes> {
        let problem = self.problem;
        let (x, mx) = (&found.vectors, problem.m.mul(&found.vectors));
        let mut r = problem.k.mul(x);
        for (j, w) in found.values.iter().enumerate() {
            r.col_as_slice_mut(j).iter_mut().zip(mx.col_as_slice(j)).for_each(|(r, m)| *r -= w * m);
        }
        let held = self.projection.allow(&mut r);
        // Backward error of the corrections, themselves about 1e-10 of what they correct.
        let Solution { x: d, l: e } = self.solver.correct(&r, tuning::CBRT_EPS).ok()?;
        // An eigenpair that came up below others late has not been looked at; the last one is only there for its w.
        let md = problem.m.mul(&d);
        let square =
            |j: usize| d.col_as_slice(j).iter().zip(md.col_as_slice(j)).map(|(d, m)| d * m).sum::<f64>();
        // Length of the last correction, of vectors of length one, above which an eigenpair has not converged.
        if !(0..d.ncols() - 1).all(|j| square(j) <= tuning::SQRT_EPS * tuning::SQRT_EPS) {
            return None;
        }
        let mut modes = Modes { w: Vec::new(), x: x.clone(), l: held, rigid: 0 };
        for j in 0..d.ncols() {
            modes.x.col_as_slice_mut(j).iter_mut().zip(d.col_as_slice(j)).for_each(|(x, d)| *x -= d);
            let e = (0..problem.rows.rank).map(|i| e[(i, j)]);
            modes.l.col_as_slice_mut(j).iter_mut().zip(e).for_each(|(l, e)| *l = -*l - e);
        }
        let after = problem.m.mul(&modes.x);
        for (j, w) in found.values.iter().enumerate() {
            let dot = |a: &Dense| -> f64 {
                a.col_as_slice(j).iter().zip(modes.x.col_as_slice(j)).map(|(a, x)| a * x).sum()
            };
            let (work, mass) = ((w - sigma) * dot(&mx), dot(&after));
            modes.w.push(sigma + work / mass);
            let by = mass.sqrt().recip();
            modes.x.col_as_slice_mut(j).iter_mut().for_each(|x| *x *= by);
            modes.l.col_as_slice_mut(j).iter_mut().for_each(|l| *l *= by);
        }
        Some(modes)
    }
}

impl Corrected for Allowed<'_> {
    fn size(&self) -> usize {
        self.problem.n
    }

    fn metric(&self, v: &Dense) -> Dense {
        self.problem.m.mul(v)
    }

    fn stiffness(&self, v: &Dense) -> Dense {
        self.problem.k.mul(v)
    }

    fn correction(&self, r: &Dense) -> Dense {
        let mut r = r.clone();
        self.projection.allow(&mut r);
        let mut z = self.solver.rough(&r);
        self.projection.allow(&mut z);
        z
    }

    fn allow(&self, v: &mut Dense) {
        self.projection.allow(v);
    }
}

impl Symmetric<'_> {
    /// The `count` modes of smallest |s| by factors in single precision; none where they do not serve.
    pub(crate) fn lowest_in_short(&mut self, count: usize) -> Result<Option<Modes>, EigenError> {
        if !self.short_is_worth(count) {
            return Ok(None);
        }
        let problem = self.problem;
        if problem.check_basis(basis_columns(count + 1), problem.n).is_err() {
            return Ok(None);
        }
        // Distance of the shift below zero, relative to |K| / |M|: keeps the condition within what single precision stands.
        let sigma = -tuning::CBRT_EPS * problem.frequency_squared();
        self.tally.factorizations += 1;
        // What went wrong, memory included, is reported by the factorization that follows.
        let Ok(solver) = problem.factor_short(-sigma) else { return Ok(None) };
        // One more than wanted shows the gap in which the modes are counted.
        let Some(operator) = Allowed::new(problem, &solver) else { return Ok(None) };
        let Some(found) = lowest(&operator, count, self.options.expert.tolerance)? else { return Ok(None) };
        let slowest = found.values[0];
        let energy = problem.k.relative_form(found.vectors.col_as_slice(0));
        // Smallest w that counts as a mode in motion, relative to the shift.
        if slowest <= tuning::CBRT_EPS * sigma.abs() || energy <= self.options.expert.zero_tolerance {
            return Ok(None);
        }
        let Some(mut modes) = operator.applied_once(&found, sigma) else { return Ok(None) };
        let projection = Arc::clone(&operator.projection);
        self.tally.searches += 1;
        modes.sort_by(f64::abs);
        let (corrections, beyond) = (found.corrections, found.beyond);
        drop(found);
        self.findings.push(SparseFinding::ShortFactors { corrections }.into());
        let solver = Arc::new(solver);
        let few = FewDigits { solver: Arc::clone(&solver), projection: Arc::clone(&projection) };
        let early = self.early.clone();
        early.step(|| {
            self.improve_poor(Shifted { sigma, solver: Arc::new(few) }, &modes, count);
            Ok(())
        })?;
        let proves = self.options.prove_complete;
        let witness = || {
            let allowed = Allowed { problem, solver: &solver, projection };
            Ok(self.witnessed(&allowed, sigma, &modes, count, beyond))
        };
        let proved = proves && early.step(witness)?.unwrap_or(false);
        let mut place = Released::held(Shifted { sigma, solver });
        if proves && !proved {
            early.step(|| self.prove_lowest(&mut place, &mut modes, count, beyond))?;
        }
        self.report(&place);
        self.report_shortfall(modes.w.len(), count, false);
        self.findings.extend(selection::reported_of_squares(&modes.w, count));
        modes.truncate(count);
        Ok(Some(modes))
    }

    /// Improves the modes that rounding will leave few digits, in double-double precision, while there are factors:
    /// those that come after are made for the count alone, and one for each mode would take more time than all else.
    fn improve_poor(&mut self, factors: Shifted, modes: &Modes, count: usize) {
        let problem = self.problem;
        let wanted = count.min(modes.w.len());
        let poor = Certifier::new(problem, false).poor_by_rounding(&modes.w[..wanted], &modes.x);
        let Some(mut last) = poor.iter().rposition(|poor| *poor) else { return };
        // Converged modes between them are deflated, and modes of nearly equal w stay together.
        let close = |j: usize| modes.w[j] - modes.w[j - 1] <= tuning::SLIGHT * modes.w[j];
        while last + 1 < wanted && close(last + 1) {
            last += 1;
        }
        let mut modes = modes.clone();
        modes.truncate(last + 1);
        let uncertified = modes.uncertified(problem);
        drop(modes);
        let given: Vec<Given<'_>> = uncertified.iter().map(Given::of_uncertified).collect();
        let found =
            refine::refine_together(problem, &factors, &given, &vec![true; given.len()], tuning::EPS_2_3);
        // The last to hold the factors must be the count, which frees them.
        drop(factors);
        let improved = uncertified.iter().zip(found);
        let improved =
            improved.filter_map(|(approx, found)| Some((approx.s, Improved { low: Vec::new(), ..found? })));
        self.aid = Aid::Improved(improved.collect());
    }

    fn short_is_worth(&self, count: usize) -> bool {
        let options = self.options;
        let automatic = options.expert.solver == Solver::BuiltIn
            && options.expert.shift == Shift::Automatic
            && options.expert.block.is_none()
            && options.expert.subspace.is_none();
        automatic
            && count > 0
            && count.saturating_mul(MANY) <= self.problem.dof()
            && self.problem.factor_operations() >= options.expert.single_from
            && self.problem.surely() == self.problem.dof()
    }
}
