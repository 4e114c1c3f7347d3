//! Spectrum of (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0 by elimination of the constraints.
//!
//! ```text
//! M_r = R_0^T M R_0, C_r, K_r alike;   (s^2 M_r + s C_r + K_r) z = 0,   x = R_0 z,
//! l = -(Phi_q^T)^+ (s^2 M + s C + K) x
//! ```
//!
//! R_0 is an orthonormal basis of the null space of Phi_q, which is rank-revealing, so that redundant rows are found
//! and named. gonzalez2017, Eqs. (2)-(6): the minimal coordinate set, whose 2 (n - r) eigenvalues are the exact
//! spectrum. Sizes: n coordinates, m constraint rows, r = rank Phi_q.
//!
//! Zeros and infinities are found first, as null directions of K_r and M_r (kernel.rs, chains.rs). Undamped
//! symmetric problems take symmetric.rs, or congruence.rs where modes are further apart than the digits of double precision,
//! large ones with damping of low rank secular.rs, those without mass whose chains at infinity are long first_order.rs, the
//! others companion.rs. Where that leaves poor bounds of small problems, determinant.rs solves them anew with more digits.
//! Every eigenvalue is certified on the matrices as given (certify/dense.rs).

mod apart;
mod chains;
mod common_null;
mod companion;
mod completed;
mod congruence;
pub(crate) mod constraint_basis;
mod deflation;
mod determinant;
mod finite_count;
mod first_order;
mod kernel;
mod known_pairs;
mod known_zeros;
mod left_vectors;
pub(crate) mod polish;
mod qz;
mod raw;
mod reducible;
mod refined;
mod secular;
mod staircase;
mod standard;
mod symmetric;
mod without_zeros;

use mb_algebra::{Dense, QuadraticPencil, dense, norms};

use crate::certify::dense::Certifier;
use crate::dense::constraint_basis::ConstraintBasis;
use crate::numeric::{check, equilibrated};
use crate::problem::units::Units;
use crate::search::early::Early;
use crate::{
    Counts, DenseOptions, EigenError, ExpectedCounts, Finding, Method, Refinement, Spectrum, tuning,
};

pub(crate) use chains::{Chains, End};
use common_null::CommonNull;
pub(crate) use companion::Matrices;
use companion::{Candidates, Symmetry};
pub(crate) use finite_count::{FiniteCount, finite_eigenvalues};
pub(crate) use kernel::{Given, Kernel};
pub use known_pairs::{TurningPair, solve_with_known};
pub use known_zeros::solve_with_zeros;
pub(crate) use raw::{Kind, Raw};
pub use without_zeros::{WithoutZeros, ZeroChain};

/// All 2 (n - r) eigenvalues of a constrained quadratic problem.
///
/// `pencil`: M, C, K n x n, Phi_q m x n (no rows when unconstrained). Rows of Phi_q may depend on each other, M may be
/// singular; both are reported as findings. Errors: shapes that do not fit, entries that are not finite, an eigensolver
/// that does not converge.
pub fn solve(pencil: &QuadraticPencil, options: &DenseOptions) -> Result<Spectrum, EigenError> {
    check::quadratic(pencil)?;
    let basis = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
    let rank = |rows: &Dense| {
        let basis = ConstraintBasis::new(rows, options.constraint_rank)?;
        Ok((basis.rank(), basis.smallest_pivot()))
    };
    let Some(units) = Units::of_dense(pencil, basis.rank(), rank)? else {
        return on_basis(pencil, &basis, options);
    };
    let even = units.dense(pencil);
    let basis = ConstraintBasis::new(&even.phi_q, options.constraint_rank)?;
    let mut found = on_basis(&even, &basis, options)?;
    units.give_back(&mut found);
    Ok(found)
}

/// The same with the null space of Phi_q given by the caller, for example by coordinate selection.
///
/// `null_space`: n x (n - r), independent columns, Phi_q R = 0 to 1e-8; it is made orthonormal. Errors as [`solve`],
/// [`EigenError::NotANullSpace`], [`EigenError::IncompleteNullSpace`].
pub fn solve_with_null_space(
    pencil: &QuadraticPencil,
    null_space: &Dense,
    options: &DenseOptions,
) -> Result<Spectrum, EigenError> {
    check::quadratic(pencil)?;
    let basis = ConstraintBasis::with_null_space(&pencil.phi_q, null_space, options.constraint_rank)?;
    on_basis(pencil, &basis, options)
}

/// As [`solve`], but only the eigenvalues that `choose` marks are certified and returned; all of them where it is not
/// to choose.
pub(crate) fn solve_some(
    pencil: &QuadraticPencil,
    options: &DenseOptions,
    choose: &dyn Fn(&[Raw]) -> Option<Vec<bool>>,
) -> Result<Spectrum, EigenError> {
    check::quadratic(pencil)?;
    let basis = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
    on_basis_some(pencil, &basis, options, choose)
}

/// Solves and certifies on a basis of the admissible directions.
pub(crate) fn on_basis(
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    options: &DenseOptions,
) -> Result<Spectrum, EigenError> {
    on_basis_some(pencil, basis, options, &|_| None)
}

fn on_basis_some(
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    options: &DenseOptions,
    choose: &dyn Fn(&[Raw]) -> Option<Vec<bool>>,
) -> Result<Spectrum, EigenError> {
    let early = Early::keeping(options.keeps_at_interrupt);
    let options = &DenseOptions { keeps_at_interrupt: false, ..*options };
    let mut reduced = reduced_eigenvalues(pencil, basis, 0.0, options)?;
    // From here on there are eigenvalues to keep: what is skipped makes bounds narrower or counts.
    let all = 2 * (basis.n() - basis.rank());
    let theory = early.step(|| Ok(reduced.finite_count(pencil, basis)))?;
    let theory = theory.unwrap_or(FiniteCount { roots: all, open: None });
    let mut findings = basis.findings().to_vec();
    findings.append(&mut reduced.findings);
    findings.extend(theory.open.clone());
    let proved = reduced.raws.iter().any(|raw| raw.bound.is_some());
    if !proved {
        let polished =
            early.step(|| Ok(polish::lowest(pencil, basis, &mut reduced.raws, options.refinement)))?;
        findings.extend(polished.unwrap_or_default());
    }
    let chosen = choose(&reduced.raws);
    if let Some(chosen) = &chosen {
        let mut chosen = chosen.iter();
        reduced.raws.retain(|_| chosen.next() == Some(&true));
    }
    let raws = reduced.raws;
    let mut pairs = early.finish(|| Certifier::new(pencil, basis).certify(raws, options.refinement));
    if proved {
        findings.extend(crate::certify::rounded::felt_most(pencil, &pairs));
    } else if options.refinement != Refinement::None {
        let refined = early.step(|| refined::refine(pencil, basis.rank(), options, &mut pairs))?;
        findings.extend(refined.into_iter().flatten());
    }
    if chosen.is_none() && !proved {
        early.step(|| reducible::refine(pencil, basis, options, &mut pairs))?;
        let anew = early.step(|| Ok(determinant::solve(pencil, basis, &theory, &pairs)))?;
        if let Some(anew) = anew.flatten() {
            pairs = anew;
            findings.extend(crate::certify::rounded::felt_most(pencil, &pairs));
        }
    }
    if !proved {
        crate::certify::coupled::widen(pencil, &mut pairs);
    }
    findings.extend(early.finding());
    if options.most_zeros.is_some() {
        crate::certify::rounded::widen(pencil, &mut pairs);
    }
    let counts = Counts {
        n: basis.n(),
        m: basis.m(),
        rank: basis.rank(),
        expected: ExpectedCounts::minimal(basis.n(), basis.rank())
            .without_mass(all.saturating_sub(theory.roots + reduced.indeterminate), reduced.indeterminate),
        ..Counts::default()
    };
    Ok(if chosen.is_some() || early.ended() {
        Spectrum::partial(Method::Dense, pairs, counts, findings)
    } else {
        Spectrum::assemble(Method::Dense, pairs, counts, findings)
    })
}

/// Eigenvalues of the reduced problem with vectors in the given coordinates, not certified.
#[derive(Debug, Default)]
pub(crate) struct ReducedEigenvalues {
    pub(crate) raws: Vec<Raw>,
    pub(crate) findings: Vec<Finding>,
    /// Infinite eigenvalues that the structure of M and C demands.
    pub(crate) infinite: usize,
    /// Indeterminate eigenvalues that the common null space demands.
    pub(crate) indeterminate: usize,
}

impl ReducedEigenvalues {
    /// How many finite eigenvalues there are; findings of what is open move there.
    fn finite_count(&mut self, pencil: &QuadraticPencil, basis: &ConstraintBasis) -> FiniteCount {
        let is_open = |finding: &Finding| matches!(finding, Finding::InfiniteByRounding { .. });
        let open = self.findings.iter().find(|finding| is_open(finding)).cloned();
        self.findings.retain(|finding| !is_open(finding));
        let all = 2 * (basis.n() - basis.rank());
        let found = FiniteCount { roots: all.saturating_sub(self.infinite + self.indeterminate), open };
        if self.infinite == 0 || self.indeterminate > 0 {
            return found;
        }
        found.beside(finite_count::written(pencil, basis))
    }
}

/// Eigenvalues on the directions of a basis; `shift` as in [`companion::solve`].
pub(crate) fn reduced_eigenvalues(
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    shift: f64,
    options: &DenseOptions,
) -> Result<ReducedEigenvalues, EigenError> {
    if let Some((even, basis, d)) = in_one_size(pencil, basis, options)? {
        let mut out = in_even_units(&even, &basis, shift, options)?;
        out.raws.iter_mut().for_each(|raw| raw.in_units(&d));
        return Ok(out);
    }
    in_even_units(pencil, basis, shift, options)
}

/// A problem in coordinates of one size, the basis there, and their units from the left and from the right.
type InOneSize = (QuadraticPencil, ConstraintBasis, [Vec<f64>; 2]);

/// The problem in coordinates of one size, the basis there, and their units; none where it stays as it is, and where the rank of
/// the constraints is another in other units.
fn in_one_size(
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    options: &DenseOptions,
) -> Result<Option<InOneSize>, EigenError> {
    let Some(d) = equilibrated::of_pencil(pencil) else { return Ok(None) };
    let even = equilibrated::pencil(pencil, &d);
    let basis = basis.in_units(&even.phi_q, options.constraint_rank)?;
    Ok(basis.map(|basis| (even, basis, d)))
}

/// The same in the present coordinates.
fn in_even_units(
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    shift: f64,
    options: &DenseOptions,
) -> Result<ReducedEigenvalues, EigenError> {
    let reduced = Matrices::reduced(pencil, basis);
    let lift = basis.null();
    let mut out = solve_reduced(pencil, &reduced, Lifts { right: lift, left: None }, shift, options)?;
    out.raws = Raw::lifted(out.raws, lift, None);
    Ok(out)
}

impl Matrices {
    /// The matrices of a problem on a basis of the admissible directions.
    fn reduced(pencil: &QuadraticPencil, basis: &ConstraintBasis) -> Self {
        Self { m: cleaned(&pencil.m, basis), c: cleaned(&pencil.c, basis), k: cleaned(&pencil.k, basis) }
    }
}

/// R_0^T A R_0, exactly zero where nothing but the rounding of that product is left.
fn cleaned(a: &Dense, basis: &ConstraintBasis) -> Dense {
    Given { a, lift: basis.null(), lift_left: None }.cleaned(&basis.reduce(a), tuning::SUM_ROUNDINGS).0
}

/// R_0 and L_0: absent means the identity, an absent left one the right one.
#[derive(Clone, Copy)]
struct Lifts<'a> {
    right: Option<&'a Dense>,
    left: Option<&'a Dense>,
}

impl<'a> Lifts<'a> {
    /// A matrix as given, looked at on these directions.
    fn of(self, a: &'a Dense) -> Given<'a> {
        Given { a, lift: self.right, lift_left: self.left }
    }
}

/// Null directions of the mass matrix.
fn massless(
    pencil: &QuadraticPencil,
    reduced: &Matrices,
    lifts: Lifts<'_>,
    options: &DenseOptions,
) -> Result<Kernel, EigenError> {
    let found = Kernel::find(&reduced.m, lifts.of(&pencil.m), options.mass_tolerance)?;
    let light = found.dim() > 0 || found.nearly.is_some();
    let regular = light && symmetric::mass_is_regular(&reduced.m, &reduced.k);
    Ok(if regular { Kernel::empty(reduced.m.nrows()) } else { found })
}

/// Null directions of the stiffness matrix: none where K as written is positive definite, though a change of its last digits would make
/// some, and its modes can be computed with all the digits that this takes.
fn stiffless(
    pencil: &QuadraticPencil,
    reduced: &Matrices,
    lifts: Lifts<'_>,
    massless: usize,
    options: &DenseOptions,
) -> Result<Kernel, EigenError> {
    let (k, most) = (&reduced.k, options.most_zeros);
    let found = Kernel::find_most(k, lifts.of(&pencil.k), options.zero_tolerance, most)?;
    let by_rounding = found.open > 0 && found.open == found.dim() && most.is_none() && massless == 0;
    let definite = by_rounding && is_small_and_undamped(pencil, reduced) && congruence::is_definite(k);
    Ok(if definite { Kernel::empty(k.nrows()) } else { found })
}

/// Whether a problem is undamped and without constraints, its matrices as given, and small enough for double-double precision.
fn is_small_and_undamped(pencil: &QuadraticPencil, reduced: &Matrices) -> bool {
    let n = pencil.m.nrows();
    let symmetric = |a: &Dense| check::asymmetry(a) == 0.0;
    // Unknowns up to which all products and rotations take a second.
    n <= tuning::SMALL
        && reduced.m.nrows() == n
        && pencil.phi_q.nrows() == 0
        && norms::max_abs(&pencil.c) == 0.0
        && symmetric(&pencil.m)
        && symmetric(&pencil.k)
}

/// Whether the modes of M and K as given are further apart than double precision.
pub(crate) fn spreads_wide(pencil: &QuadraticPencil) -> bool {
    let found = symmetric::modes(&pencil.m, &pencil.k);
    found.is_ok_and(|modes| modes.is_some_and(|modes| congruence::is_wide(modes.w.into_iter())))
}

/// Eigenvalues of L_0^T (M, C, K) R_0 in reduced coordinates.
fn solve_reduced(
    pencil: &QuadraticPencil,
    reduced: &Matrices,
    lifts: Lifts<'_>,
    shift: f64,
    options: &DenseOptions,
) -> Result<ReducedEigenvalues, EigenError> {
    let size = reduced.m.nrows();
    if size == 0 {
        return Ok(ReducedEigenvalues::default());
    }
    let massless = massless(pencil, reduced, lifts, options)?;
    let stiffless = stiffless(pencil, reduced, lifts, massless.dim(), options)?;
    if massless.dim() > 0
        && stiffless.dim() > 0
        && let Some(common) = CommonNull::find(pencil, reduced, lifts, options)?
    {
        return common.deflate(pencil, reduced, lifts, shift, options);
    }
    let mut findings = Vec::new();
    if let Some(relative) = stiffless.nearly {
        findings.push(Finding::NearlyZeroStiffness { relative, tolerance: options.zero_tolerance });
    }
    if stiffless.worst > 0.0 {
        findings.push(Finding::ZeroByRounding { directions: stiffless.dim(), relative: stiffless.worst });
    }
    if let Some(relative) = massless.nearly {
        findings.push(Finding::NearlySingularMass { relative, tolerance: options.mass_tolerance });
    }
    let Matrices { m, c, k } = reduced;
    let (damping, [size_m, size_k]) = (lifts.of(&pencil.c), [&pencil.m, &pencil.k].map(norms::frobenius));
    let zeros = Chains::split(&stiffless, k, [c, m], damping, size_m, options.zero_tolerance, End::Zero)?;
    let mut at_infinity =
        Chains::split(&massless, m, [c, k], damping, size_k, options.mass_tolerance, End::Infinity)?;
    if !zeros.regular {
        findings.push(Finding::LongChain { at_infinity: false });
    }
    if massless.dim() > 0 {
        findings
            .push(Finding::SingularMass { directions: massless.dim(), infinite: at_infinity.eigenvalues() });
    }
    findings.extend(at_infinity.by_rounding());
    let mut infinite = at_infinity.eigenvalues();
    let long = !at_infinity.regular;
    if long {
        at_infinity = Chains::none(size);
    }
    let without_mass = norms::max_abs(&reduced.m) == 0.0 && norms::max_abs(&reduced.c) > 0.0;
    let Candidates { raws, findings: more } = if long && without_mass {
        first_order::solve(reduced, &zeros)?
    } else {
        dispatch(pencil, reduced, [&zeros, &at_infinity], long, shift, options, &mut findings)?
    };
    findings.extend(more);
    if long && !findings.contains(&Finding::LongChain { at_infinity: true }) {
        // Longer chains were followed by rank decisions.
        infinite = raws.iter().filter(|raw| raw.kind == Kind::Infinite).count();
    }
    for finding in &mut findings {
        if let Finding::SingularMass { infinite: told, .. } = finding {
            *told = infinite;
        }
    }
    Ok(ReducedEigenvalues { raws, findings, infinite, indeterminate: 0 })
}

/// Symmetric path when it applies, companion form otherwise; `long`: M is singular with Jordan chains of the infinite
/// eigenvalue that are not known.
fn dispatch(
    pencil: &QuadraticPencil,
    reduced: &Matrices,
    [zeros, at_infinity]: [&Chains; 2],
    long: bool,
    shift: f64,
    options: &DenseOptions,
    findings: &mut Vec<Finding>,
) -> Result<Candidates, EigenError> {
    let symmetric = |a: &Dense, given: &Dense| {
        let size = norms::max_abs(a);
        // What a reduction leaves of a matrix relative to its norm when nothing is left.
        let rounding = if size > 0.0 { tuning::MANY_ROUNDINGS * norms::frobenius(given) / size } else { 0.0 };
        // By the entries of the matrix as given, and of one that was reduced from two sides.
        check::asymmetry(given) <= options.symmetry_tolerance
            && dense::is_symmetric(a, options.symmetry_tolerance.max(rounding)).is_ok()
    };
    let symmetric_mass = symmetric(&reduced.m, &pencil.m);
    let symmetric_stiffness = symmetric(&reduced.k, &pencil.k);
    if symmetric_mass && norms::max_abs(&reduced.c) == 0.0 && symmetric_stiffness && !long {
        if let Some(raws) = symmetric::solve(&reduced.m, &reduced.k, zeros, at_infinity)? {
            let w = raws.iter().filter(|raw| raw.kind == Kind::Ordinary).map(|raw| raw.value().norm_sqr());
            if at_infinity.eigenvalues() == 0
                && congruence::is_wide(w)
                && is_small_and_undamped(pencil, reduced)
                && let Some(raws) = congruence::solve(&reduced.m, &reduced.k, zeros.eigenvalues() / 2)
            {
                return Ok(Candidates { raws, findings: Vec::new() });
            }
            return Ok(Candidates { raws, findings: Vec::new() });
        }
        if at_infinity.regular {
            findings.push(Finding::IndefiniteMass);
        }
    }
    let symmetry = match symmetric_mass {
        false => Symmetry::None,
        true if symmetric_stiffness && symmetric(&reduced.c, &pencil.c) => Symmetry::All,
        true => Symmetry::Mass,
    };
    let regular = zeros.eigenvalues() == 0 && at_infinity.eigenvalues() == 0;
    if symmetry == Symmetry::All
        && regular
        && let Some(raws) = secular::solve(pencil, reduced)?
    {
        return Ok(Candidates { raws, findings: Vec::new() });
    }
    companion::solve(reduced, zeros, at_infinity, symmetry, shift)
}
