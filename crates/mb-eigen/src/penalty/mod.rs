//! Spectrum of the penalty (unconstrained) form (s^2 M_p + s C_p + K_p) x = 0.
//!
//! ```text
//! M_p = M + Phi_q^T Xi Phi_q,   C_p, K_p with Theta and Omega alike       gonzalez2017, Eqs. (14), (15), (18)
//! ```
//!
//! Sizes: M_p, C_p, K_p n x n, Phi_q m x n, Xi m x m; r = rank Phi_q. Of the 2n eigenvalues 2 (n - r) approximate
//! those of the mechanism and 2 r are spurious: motion against the penalty forces. They are distinguished by the share
//! of the penalty terms in the kinetic energy of their vectors (penalty_energy.rs); when the groups overlap, a finding
//! says so.
//!
//! [`solve`] gives the whole spectrum, [`physical_eigenpairs`] only the eigenpairs of the mechanism, by inverse iteration from the
//! null space of Phi_q, which for a few degrees of freedom costs a fraction; [`lowest`] gives some of them from sparse
//! matrices. [`least_factors`] finds from the mechanism's own eigenpairs how large the factors must be.

mod assign;
mod continuation;
mod deduplicate;
mod factor;
mod lowest;
mod measure;
mod penalty_energy;
mod physical;
mod split_modes;

use mb_algebra::{Dense, Lu, QuadraticPencil, RankQr, RankTolerance, dense, norms};

use crate::certify::dense::Certifier;
use crate::dense::constraint_basis::ConstraintBasis;
use crate::dense::polish;
use crate::dense::{ReducedEigenvalues, reduced_eigenvalues};
use crate::numeric::check;
use crate::numeric::operator::Operator;
use crate::search::early::Early;
use crate::{Counts, DenseOptions, EigenError, Eigenpair, ExpectedCounts, Finding, Method, Spectrum, tuning};

pub use factor::{ViolationLaw, least_factors};
pub use lowest::lowest;
pub use physical::physical_eigenpairs;

/// The matrices of the penalty form.
#[derive(Clone, Debug, PartialEq)]
pub struct PenaltyPencil {
    /// M_p, n x n.
    pub m: Dense,
    /// C_p, n x n.
    pub c: Dense,
    /// K_p, n x n.
    pub k: Dense,
    /// Jacobian of the constraints that the penalty replaces, m x n.
    pub phi_q: Dense,
    /// Penalty factors Xi, m x m.
    pub xi: Dense,
}

impl PenaltyPencil {
    fn check(&self) -> Result<(), EigenError> {
        let n = self.m.nrows();
        if n == 0 {
            return Err(EigenError::Empty);
        }
        let m = self.phi_q.nrows();
        check::matrix("M_p", &self.m, n, n)?;
        check::matrix("C_p", &self.c, n, n)?;
        check::matrix("K_p", &self.k, n, n)?;
        check::matrix("Phi_q", &self.phi_q, m, n)?;
        check::matrix("Xi", &self.xi, m, m)
    }

    /// The same problem without a word on constraints.
    fn quadratic(&self) -> QuadraticPencil {
        QuadraticPencil {
            m: self.m.clone(),
            c: self.c.clone(),
            k: self.k.clone(),
            phi_q: Dense::zeros(0, self.m.nrows()),
        }
    }
}

/// All 2n eigenvalues, classed as physical, rigid or spurious (penalty).
///
/// `constraint_violation` of the eigenpairs refers to Phi_q; `penalty_share` is set. Errors: shapes, entries that are not
/// finite, an eigensolver that does not converge.
pub fn solve(pencil: &PenaltyPencil, options: &DenseOptions) -> Result<Spectrum, EigenError> {
    pencil.check()?;
    let constraints = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
    let problem = pencil.quadratic();
    let free = ConstraintBasis::unconstrained(problem.m.nrows());
    let centre = cluster_centre(&problem, &constraints);
    let early = Early::keeping(options.keeps_at_interrupt);
    let mut reduced = reduced_eigenvalues(&problem, &free, centre, options)?;
    let mut findings = reported_beforehand(pencil, &constraints);
    let drowned = drowned(pencil, &constraints, &mut findings, &mut reduced);
    findings.append(&mut reduced.findings);
    let raws = &mut reduced.raws;
    let polished = early.step(|| Ok(polish::lowest(&problem, &free, raws, options.refinement)))?;
    findings.extend(polished.unwrap_or_default());
    let pairs = early.finish(|| {
        let mut pairs = Certifier::new(&problem, &free).certify(reduced.raws, options.refinement);
        penalty_energy::classify(pencil, &constraints, &mut pairs, &mut findings);
        pairs
    });
    findings.extend(early.finding());
    let expected = ExpectedCounts::penalty(free.n(), constraints.rank());
    let counts = Counts {
        n: free.n(),
        m: constraints.m(),
        rank: constraints.rank(),
        expected: if drowned {
            expected
        } else {
            expected.without_mass(reduced.infinite, reduced.indeterminate)
        },
        ..Counts::default()
    };
    Ok(Spectrum::assemble(Method::Dense, pairs, counts, findings))
}

/// Whether what has no mass or no stiffness of its own drowned under too stiff a penalty: theory counts it all the same, and no word
/// on it is said but that on the penalty.
fn drowned(
    pencil: &PenaltyPencil,
    constraints: &ConstraintBasis,
    findings: &mut Vec<Finding>,
    reduced: &mut ReducedEigenvalues,
) -> bool {
    let stiff = |findings: &[Finding]| findings.iter().any(|f| matches!(f, Finding::StiffPenalty { .. }));
    if !stiff(findings) && reduced.infinite + reduced.indeterminate > 0 {
        findings.extend(Excess::of(pencil, constraints).filter(Excess::hides_mass).map(|e| e.told()));
    }
    let drowned = stiff(findings);
    if drowned {
        reduced
            .findings
            .retain(|f| !matches!(f, Finding::SingularMass { .. } | Finding::SingularPencil { .. }));
    }
    drowned
}

/// What constraints and penalty have to say before any eigenvalue is known: redundant rows do no harm to a penalty,
/// but change the counts.
fn reported_beforehand(pencil: &PenaltyPencil, constraints: &ConstraintBasis) -> Vec<Finding> {
    let told = constraints.findings().iter().filter(|f| !matches!(f, Finding::NoFreedom)).cloned();
    told.chain(too_stiff(pencil, constraints)).collect()
}

/// A penalty that leaves fewer than seven of sixteen digits.
fn too_stiff(pencil: &PenaltyPencil, constraints: &ConstraintBasis) -> Option<Finding> {
    let excess = Excess::of(pencil, constraints)?;
    (-f64::EPSILON.log10() - excess.digits_lost() < FEWEST_DIGITS).then(|| excess.told())
}

/// How far the penalty exceeds the mechanism: rounding of the size of M_p (or K_p) acts on eigenvalues that Z^T M_p Z
/// and Z^T K_p Z determine, with Z the directions the constraints leave free.
struct Excess {
    ratio: f64,
    /// Z^T M_p Z, in which no penalty is left but its rounding.
    own_mass: Dense,
}

impl Excess {
    /// None without constraints, or without freedom.
    fn of(pencil: &PenaltyPencil, constraints: &ConstraintBasis) -> Option<Self> {
        let free = constraints.null().filter(|free| free.ncols() > 0)?;
        let own = |a: &Dense| dense::mul_transpose(free, &Operator::new(a).apply(free));
        let ratio = |own: &Dense, all: &Dense, least: f64| {
            let (own, all) = (norms::max_abs(own), norms::max_abs(all));
            if own > least * all { all / own } else { 1.0 }
        };
        let own_mass = own(&pencil.m);
        // Every motion has a mass; a mechanism without stiffness has no digits of it to lose.
        let ratio = ratio(&own_mass, &pencil.m, 0.0).max(ratio(&own(&pencil.k), &pencil.k, f64::EPSILON));
        Some(Self { ratio, own_mass })
    }

    fn digits_lost(&self) -> f64 {
        self.ratio.log10()
    }

    fn told(&self) -> Finding {
        Finding::StiffPenalty { ratio: self.ratio, digits_lost: self.digits_lost() }
    }

    /// Whether all free directions have mass of their own beyond the penalty's rounding, so that one found without is a
    /// direction that drowned.
    fn hides_mass(&self) -> bool {
        let relative = tuning::SUM_ROUNDINGS * self.ratio;
        let rank = RankQr::new(&self.own_mass, RankTolerance { relative }).map(|qr| qr.rank());
        rank.is_ok_and(|rank| rank == self.own_mass.nrows())
    }
}

/// Digits below which the penalty is called too stiff.
const FEWEST_DIGITS: f64 = 7.0;

/// Mean of the penalty eigenvalues, -tr((U^T M_p U)^-1 U^T C_p U) / (2 r) with U spanning the rows of Phi_q; 0 without
/// any.
///
/// With Theta = 2 xi omega I it is -xi omega up to the share of the mechanism's own mass.
fn cluster_centre(problem: &QuadraticPencil, constraints: &ConstraintBasis) -> f64 {
    let Some(u) = constraints.row_space() else { return 0.0 };
    let within = |a: &Dense| dense::mul_transpose(&u, &Operator::new(a).apply(&u));
    let Ok(factor) = Lu::new(&within(&problem.m)) else { return 0.0 };
    let rates = factor.solve_mat(&within(&problem.c));
    let trace: f64 = (0..rates.nrows()).map(|i| rates[(i, i)]).sum();
    if rates.nrows() > 0 && trace.is_finite() { -trace / (2.0 * rates.nrows() as f64) } else { 0.0 }
}

/// Sets violation and share, leaves the class alone.
fn measure(pencil: &PenaltyPencil, constraints: &ConstraintBasis, pairs: &mut [Eigenpair]) {
    penalty_energy::measure(pencil, constraints, pairs);
}
