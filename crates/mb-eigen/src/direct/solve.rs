//! All steps together.

use mb_algebra::{AlgebraError, QuadraticPencil, Sparse, c64};

use super::arnoldi;
use super::condition;
use super::condition::Condition;
use super::factored::Factored;
use super::operator::StateOperator;
use super::options::{DirectOptions, Factorization};
use crate::certify::sparse::Certifier;
use crate::error::only_here;
use crate::finding::SparseFinding;
use crate::krylov::{KrylovDriver, Wanted};
use crate::options::{Shift, SparseExpert, SparseOptions};
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::search::biorthonormal::biorthonormalize;
use crate::search::non_hermitian::General;
use crate::search::non_hermitian_requests::{Around, Counting};
use crate::search::set::Set;
use crate::sparse::outcome;
use crate::transform::shift_invert::Form;
use crate::{EigenError, Method, Spectrum};

/// Where a factorization is tried again when a shift fails, relative to the shift.
const STEPS_ASIDE: [f64; 4] = [0.0, 1e-4, 1e-3, 1e-2];
/// A shift nearer to an eigenvalue than this, relative, costs the others their digits.
const TOO_NEAR: f64 = 1e-6;

/// The result of the direct method.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectAnalysis {
    /// Modes of the unscaled, unshifted problem, classed and certified as those of [`crate::sparse::solve`].
    pub spectrum: Spectrum,
    /// k.
    pub scaling: f64,
    /// a, rad/s.
    pub shift: f64,
    /// r = r_ + a of all Ritz values called converged, nearest to the shift first, before any correction: what the paper's
    /// procedure gives. rad/s.
    pub ritz: Vec<c64>,
    /// Ritz values among them that one further application did not confirm; they are not in the spectrum.
    pub dropped: usize,
    /// Condition numbers of K_ for k = 1 and for k.
    pub condition: Option<[Condition; 2]>,
    /// 2 (n + r): eigenvalues of the form (2.9).
    pub order: usize,
    /// 4 r: the infinite ones among them that constraints cause.
    pub infinite: usize,
    /// Pivots a factorization without exchanges replaced.
    pub replaced_pivots: usize,
}

/// The `count` modes nearest to the shift, or of smallest |r| where the shift is automatic. A conjugate pair is one mode.
///
/// `pencil`: M, C, K n x n, Phi_q m x n, in either storage. Errors: shapes, entries that are not finite, settings out of
/// range, a pencil that is singular at every shift tried, memory.
pub fn solve(
    pencil: &QuadraticPencil<Sparse>,
    count: usize,
    options: &DirectOptions,
) -> Result<DirectAnalysis, EigenError> {
    if let Some(value) = options.shift.filter(|a| !a.is_finite()) {
        return Err(EigenError::BadSetting { setting: "DirectOptions.shift", value, needed: "finite" });
    }
    let settings = SparseOptions::from(SparseExpert {
        solver: options.solver,
        shift: options.shift.map_or(Shift::Automatic, |a| Shift::At(c64::new(a, 0.0))),
        tolerance: options.tolerance,
        constraint_rank: options.constraint_rank,
        ..Default::default()
    });
    let problem = Problem::new(pencil, &settings)?;
    let rank = problem.rows.rank;
    let mut out = DirectAnalysis {
        spectrum: outcome::part_of(&problem, None, Vec::new(), problem.rows.findings.clone()),
        scaling: options.scaling.factor(pencil, options.shift.unwrap_or(0.0))?,
        shift: options.shift.unwrap_or(0.0),
        ritz: Vec::new(),
        dropped: 0,
        condition: None,
        order: 2 * (problem.n + rank),
        infinite: super::Augmented::infinite_by_theory(rank),
        replaced_pivots: 0,
    };
    if problem.dof() == 0 {
        return Ok(out);
    }
    let driver = options.solver.driver()?;
    let mut general = General::new(&problem, &settings, driver.as_ref());
    general.form = Form::Companion;
    // The paper's method counts nothing.
    general.counts = false;
    if options.deflate_zeros || options.shift.is_none() {
        let beside_zero = general.start()?;
        out.shift = options.shift.unwrap_or(beside_zero.tau.re);
        if !options.deflate_zeros {
            general.zeros = None;
        }
    }
    out.scaling = options.scaling.factor(pencil, out.shift)?;
    let direct = Direct { pencil, rows: problem.rows.kept_as_given(), options, driver: driver.as_ref() };
    let factored = direct.factor(&mut general, &mut out)?;
    out.replaced_pivots = factored.replaced;
    if options.condition {
        out.condition = Some(condition::of(&factored)?);
    }
    let shift = c64::new(out.shift, 0.0);
    let point = if options.shift.is_some() { shift } else { c64::new(0.0, 0.0) };
    let uncertified =
        general.around_with(shift, Around::new(point, count, Counting::Modes), |general, ask| {
            direct.nearest(general, &factored, &mut out, ask)
        })?;
    let mut findings = problem.rows.findings.clone();
    findings.append(&mut general.findings);
    let pairs = Certifier::new(&problem, true).certify(uncertified);
    if pairs.len() < problem.expected_eigenvalues() {
        let reason = "the direct method does not count eigenvalues".to_owned();
        findings.push(SparseFinding::Unproved { reason }.into());
    }
    findings.extend(crate::certify::zeros::by_rounding(&problem, &pairs));
    out.spectrum = outcome::part_of(&problem, Method::Direct, pairs, findings);
    out.spectrum.report_poor_accuracy();
    Ok(out)
}

/// What stays the same during an analysis.
struct Direct<'a> {
    pencil: &'a QuadraticPencil<Sparse>,
    rows: Matrix<'static>,
    options: &'a DirectOptions,
    driver: &'a dyn KrylovDriver,
}

impl Direct<'_> {
    /// Factors at the shift, or near it where that lies on an eigenvalue; the shift used and its k go to the result.
    fn factor(&self, general: &mut General<'_>, out: &mut DirectAnalysis) -> Result<Factored, EigenError> {
        let wanted = out.shift;
        let scale = wanted.abs().max(1e-6 * general.gamma);
        let mut last = AlgebraError::Singular { index: 0, pivot: 0.0 };
        for step in STEPS_ASIDE {
            let shift = wanted + step * scale;
            let k = self.options.scaling.factor(self.pencil, shift)?;
            let made = Factored::new(
                general.problem,
                &self.rows,
                k,
                shift,
                self.options.factorization,
                self.options.refinements,
            );
            let factored = match made {
                Ok(factored) => factored,
                Err(error) => {
                    last = only_here(error)?;
                    continue;
                }
            };
            let pivoted = self.options.factorization == Factorization::Pivoted;
            let growth = operator(general, &factored, shift, false).growth()?;
            let near = !growth.is_finite() || growth * scale * TOO_NEAR > 1.0;
            if pivoted && near {
                continue;
            }
            if step != 0.0 {
                let (from_re, to_re) = (wanted, shift);
                let moved = SparseFinding::ShiftMoved { from_re, from_im: 0.0, to_re, to_im: 0.0 };
                general.findings.push(moved.into());
            }
            (out.shift, out.scaling) = (shift, k);
            return Ok(factored);
        }
        Err(EigenError::NoRegularShift { re: wanted, im: 0.0, others: STEPS_ASIDE.len() - 1, source: last })
    }

    /// The `ask` eigenvalues nearest to the shift near zero, with left vectors.
    fn nearest(
        &self,
        general: &mut General<'_>,
        factored: &Factored,
        out: &mut DirectAnalysis,
        ask: usize,
    ) -> Result<Set, EigenError> {
        let zeros = general.zero_eigenvalues().iter().map(|approx| approx.chain).sum::<usize>();
        let finite = (2 * general.problem.dof()).saturating_sub(zeros);
        let count = ask.min(finite);
        let wanted = Wanted {
            count,
            tolerance: self.options.tolerance,
            block: self.options.block.max(1),
            subspace: self.options.subspace,
            restarts: self.options.restarts,
            salt: 0xd1,
        };
        let right = operator(general, factored, out.shift, false);
        let run = arnoldi::run(&right, self.driver, &wanted)?;
        (out.ritz, out.dropped) = (run.ritz, run.dropped);
        let side = run.side;
        let all = side.tau.len() >= finite || (side.exhausted && out.dropped == 0);
        let shift = c64::new(out.shift, 0.0);
        let reach = side.tau.iter().map(|tau| (tau - shift).norm()).fold(0.0, f64::max);
        let mut set = Set {
            tau: side.tau,
            x: side.x,
            l: side.l,
            left: None,
            reach: if all { f64::INFINITY } else { reach },
            exhausted: all,
            without_left: 0,
        };
        if let Some(transposed) = general.transposed.clone() {
            let more = Wanted { count: (count + 2).min(finite), ..wanted };
            let left = arnoldi::run(&operator(general, factored, out.shift, true), self.driver, &more)?;
            general.match_left(&transposed, shift, &mut set, &left.side)?;
        }
        biorthonormalize(general.problem, Form::Companion, shift, &mut set);
        Ok(set)
    }
}

/// T, of the transposed problem on demand, without the zeros that are known.
fn operator<'a>(
    general: &'a General<'_>,
    factored: &'a Factored,
    shift: f64,
    transposed: bool,
) -> StateOperator<'a> {
    let other = general.transposed.as_ref().unwrap_or(general.problem);
    let (own, other) = if transposed { (other, general.problem) } else { (general.problem, other) };
    let mut operator =
        StateOperator { problem: own, factored, shift, unit: general.gamma, transposed, projector: None };
    if let Some(zeros) = &general.zeros {
        let (right, left) =
            if transposed { (&zeros.mirrored, &zeros.own) } else { (&zeros.own, &zeros.mirrored) };
        if zeros.projectors.is_some() {
            operator.projector = operator.projector_for(right, left, other);
        }
    }
    operator
}
