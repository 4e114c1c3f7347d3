//! Improving an eigenpair to rounding, and deciding whether it is simple.
//!
//! Newton's method on (A(s) phi + Phi_q^T l, Phi_q phi, c^H phi - 1) with the bordered system.
//! It matters before a series is formed: an error e of the eigenpair becomes an error of about
//! k e / gap^k in degree k.
//!
//! With the left vector y scaled to y^H A'(s) phi = 1 the condition number is that of Tisseur,
//! Lin. Alg. Appl. 309 (2000) 339:
//!
//! ```text
//! kappa = |y| |phi| (|s|^2 |M| + |s| |C| + |K|) / |s|,   A'(s) = 2 s M + C
//! ```

use crate::bordered::{Bordered, Sizes, newton_rhs};
use crate::storage::Storage;
use crate::vectors::{dot, is_finite};
use crate::{ParametricError, pencil_series::check_shape};
use mb_algebra::sorted::ascending;
use mb_algebra::{
    AlgebraError, Dense, QuadraticPencil, RankQr, RankTolerance, RowRank, c64, norms, sparse, to_dense,
};

/// An eigenvalue and a right eigenvector to start from; multipliers are not needed.
#[derive(Clone, Debug, PartialEq)]
pub struct StartingEigenpair {
    /// Eigenvalue, rad/s.
    pub s: c64,
    /// Right eigenvector, length n, of any size and phase.
    pub vector: Vec<c64>,
}

impl StartingEigenpair {
    /// The oscillating eigenpairs of an eigensolver, one of each conjugate two, with a positive imaginary part
    /// above `above` (rad/s), by rising imaginary part.
    pub fn oscillations<'a>(pairs: impl IntoIterator<Item = (c64, &'a [c64])>, above: f64) -> Vec<Self> {
        let kept = pairs.into_iter().filter(|(s, _)| s.im > above.max(0.0));
        let mut out: Vec<Self> = kept.map(|(s, x)| Self { s, vector: x.to_vec() }).collect();
        ascending(&mut out, |a| a.s.im);
        out
    }
}

/// How a starting eigenpair is improved and checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolishOptions {
    /// Newton steps allowed. Default 20.
    pub max_iterations: usize,
    /// Eigenvalues closer than this, relative to |s|, are not simple. Default 1e-6: an
    /// eigensolver leaves 1e-8 of a doubled defective one.
    pub minimum_gap: f64,
}

impl Default for PolishOptions {
    fn default() -> Self {
        Self { max_iterations: 20, minimum_gap: 1e-6 }
    }
}

/// A simple eigenpair to rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct RefinedEigenpair {
    /// Eigenvalue, rad/s.
    pub s: c64,
    /// Right eigenvector phi of unit 2-norm, in the phase of the start.
    pub vector: Vec<c64>,
    /// Multipliers l.
    pub multipliers: Vec<c64>,
    /// z = conj(y) of the left eigenvector y: z^T A(s) + mu^T Phi_q = 0, Phi_q z = 0, scaled to
    /// z^T A'(s) phi = 1.
    pub left: Vec<c64>,
    /// Left multipliers mu.
    pub left_multipliers: Vec<c64>,
    /// Estimated distance to the nearest other eigenvalue, rad/s; good when it is small
    /// against |s|.
    pub gap: f64,
    /// Relative change of the eigenvalue per relative change of M, C, K; infinite at s = 0.
    pub condition: f64,
    /// Newton steps done.
    pub iterations: usize,
}

/// Further steps with the factors at hand that cost about as much as new factors and the steps with those.
const CHORD_STEPS: f64 = 5.0;
/// Steps above this size say nothing about the next ones.
const LONG: f64 = 1e-2;
/// A factor is used for eigenpairs up to this share of the distance to the next eigenvalue away: one refinement then leaves rounding.
const NEAR: f64 = 1e-8;
/// The same where nothing but the left vector is still to be found with it, by several refinements.
const NEAR_ENOUGH: f64 = 1e-2;

/// Improves an eigenpair of the pencil until rounding stops it.
///
/// Errors: shapes that do not fit, [`ParametricError::BadStart`],
/// [`ParametricError::RedundantConstraints`], [`ParametricError::NotSimple`],
/// [`ParametricError::NotConverged`], [`ParametricError::StartTooFar`].
pub fn polish<A: Storage>(
    pencil: &QuadraticPencil<A>,
    start: &StartingEigenpair,
    options: &PolishOptions,
) -> Result<RefinedEigenpair, ParametricError> {
    CheckedPencil::new(pencil)?.polish(start, options)
}

/// A pencil that has been checked, with the sizes of its blocks: for the many modes of one.
#[derive(Clone, Copy, Debug)]
pub struct CheckedPencil<'a, A> {
    pencil: &'a QuadraticPencil<A>,
    sizes: Sizes,
}

impl<'a, A: Storage> CheckedPencil<'a, A> {
    /// Checks shapes, values and the rank of the constraints.
    ///
    /// Errors: shapes that do not fit, entries that are not finite, [`ParametricError::RedundantConstraints`].
    pub fn new(pencil: &'a QuadraticPencil<A>) -> Result<Self, ParametricError> {
        check_pencil(pencil)?;
        Ok(Self { pencil, sizes: Sizes::of(pencil) })
    }

    /// As [`polish`].
    ///
    /// Errors: those of it but for the pencil itself.
    pub fn polish(
        &self,
        start: &StartingEigenpair,
        options: &PolishOptions,
    ) -> Result<RefinedEigenpair, ParametricError> {
        self.improved(start, options, NEAR_ENOUGH).map(|(pair, _)| pair)
    }
}

/// As [`polish`], with the factors of the bordered system at the eigenpair found, in the gauge
/// phi^H x = 0.
pub(crate) fn polish_factored<'a, A: Storage>(
    pencil: &'a QuadraticPencil<A>,
    start: &StartingEigenpair,
    options: &PolishOptions,
) -> Result<(RefinedEigenpair, Bordered<'a, A>), ParametricError> {
    CheckedPencil::new(pencil)?.improved(start, options, NEAR)
}

impl<'a, A: Storage> CheckedPencil<'a, A> {
    /// The eigenpair, with factors made at it or at most at this share of the distance to the next one away.
    fn improved(
        &self,
        start: &StartingEigenpair,
        options: &PolishOptions,
        reach: f64,
    ) -> Result<(RefinedEigenpair, Bordered<'a, A>), ParametricError> {
        let pencil = self.pencil;
        let (mut s, mut phi) = (start.s, checked_start(pencil, start)?);
        let mut l = vec![c64::ZERO; pencil.phi_q.size().0];
        let mut bordered = self.factored(s, &phi, None)?;
        let mut factored_at = s;
        // Before the first step, because the steps lead anywhere when the pair is not simple.
        let first = self.simplicity(&bordered, s, &phi, None, options)?;
        // The gap is that of the present factors, if it was found for them.
        let (mut left, mut gap) = (first.left, Some(first.gap));
        let mut last = f64::INFINITY;
        for iterations in 1..=options.max_iterations {
            let step = bordered.solve(&newton_rhs(pencil, s, &phi, &l));
            if !(is_finite(&step.x) && is_finite(&step.l) && is_finite(&step.t)) {
                return Err(ParametricError::NotConverged { iterations, step: f64::INFINITY });
            }
            let ds = step.t[0];
            s += ds;
            l.iter_mut().zip(&step.l).for_each(|(l, d)| *l += d);
            phi.iter_mut().zip(&step.x).for_each(|(x, d)| *x += d);
            let size = norms::two_complex(&phi);
            phi.iter_mut().chain(&mut l).for_each(|x| *x /= size);
            let relative = if s == ds { 1.0 } else { ds.norm() / s.norm() };
            let now = norms::two_complex(&step.x).max(relative);
            let stalled = now > 0.5 * last;
            if now <= 8.0 * f64::EPSILON || stalled {
                // Next to where it was factored the distance to the next eigenvalue is the same.
                let moved = (s - factored_at).norm();
                let around = gap.unwrap_or_else(|| bordered.gap());
                let near = moved <= reach * around;
                bordered = if near {
                    bordered.moved(s, &phi, &phi, Some(&left)).map_err(|error| not_simple(error, s))?
                } else {
                    self.factored(s, &phi, Some(&left))?
                };
                let judged = self.simplicity(&bordered, s, &phi, near.then_some(around - moved), options)?;
                if !near {
                    factored_at = s;
                }
                // A stall is the end when what is left is rounding.
                let rounding = ds.norm() <= 10.0 * judged.uncertainty && norms::two_complex(&step.x) < 1e-8;
                if stalled && now > 1e-9 && !rounding {
                    (last, left, gap) = (now, judged.left, Some(judged.gap));
                    continue;
                }
                if (s - start.s).norm() > 0.5 * judged.gap {
                    return Err(ParametricError::StartTooFar { start: start.s, found: s, gap: judged.gap });
                }
                let Simplicity { left, left_multipliers, gap, condition, .. } = judged;
                let (vector, multipliers) = (phi, l);
                let pair = RefinedEigenpair {
                    s,
                    vector,
                    multipliers,
                    left,
                    left_multipliers,
                    gap,
                    condition,
                    iterations,
                };
                return Ok((pair, bordered));
            }
            if now > LONG || chord_steps(now, last) > CHORD_STEPS {
                let moved = (s - factored_at).norm();
                gap = gap.filter(|gap| moved <= NEAR_ENOUGH * gap).map(|gap| gap - moved);
                (bordered, factored_at) = (self.factored(s, &phi, Some(&left))?, s);
            }
            last = now;
        }
        Err(ParametricError::NotConverged { iterations: options.max_iterations, step: last })
    }
    /// Refuses an eigenvalue that another one is too close to, or that rounding cannot distinguish from
    /// another one; `known` is the distance to the next one where it has been found nearby.
    fn simplicity(
        &self,
        bordered: &Bordered<'_, A>,
        s: c64,
        phi: &[c64],
        known: Option<f64>,
        options: &PolishOptions,
    ) -> Result<Simplicity, ParametricError> {
        // Factors of another place nearby have to be refined with.
        let (left, left_multipliers) =
            if known.is_some() { bordered.left_refined(0) } else { bordered.left(0) };
        // The matrices are real, so the conjugate is an eigenvalue too: a free body's double zero,
        // split by rounding, shows in this distance only.
        let conjugate = if s.im == 0.0 { f64::INFINITY } else { 2.0 * s.im.abs() };
        // The other root with this vector, of a d^2 + d = 0 with a = z^T M phi: what a defective pair is split into.
        let mut inertia = vec![c64::ZERO; phi.len()];
        self.pencil.m.add_product(c64::ONE, phi, &mut inertia);
        let partner = dot(&left, &inertia).norm().recip();
        let gap = known.unwrap_or_else(|| bordered.gap()).min(conjugate).min(partner);
        let product = norms::two_complex(&left) * norms::two_complex(phi);
        let absolute = product * self.sizes.frobenius(s);
        let (condition, uncertainty) = (absolute / s.norm(), f64::EPSILON * absolute);
        let close = gap <= options.minimum_gap * s.norm() || gap <= 10.0 * uncertainty;
        if close || !absolute.is_finite() {
            let condition = if condition.is_nan() { f64::INFINITY } else { condition };
            return Err(ParametricError::NotSimple { s, gap, condition });
        }
        Ok(Simplicity { left, left_multipliers, gap, condition, uncertainty })
    }

    /// The bordered system in the gauge phi^H x = 0; a singular one means a repeated eigenvalue.
    fn factored(
        &self,
        s: c64,
        phi: &[c64],
        left: Option<&[c64]>,
    ) -> Result<Bordered<'a, A>, ParametricError> {
        Bordered::measured(self.pencil, &self.sizes, s, [phi, phi], left)
            .map_err(|error| not_simple(error, s))
    }
}

/// How many more steps with the same factors leave rounding, after steps of the sizes `last` and `now`:
///
/// ```text
/// log(eps / now) / log(now / last)
/// ```
///
/// The first step with factors at the start shrinks an error e to about e^2, and each further one by a factor of e.
fn chord_steps(now: f64, last: f64) -> f64 {
    let rate = if last.is_finite() { now / last } else { now };
    (f64::EPSILON / now).ln() / rate.ln()
}

/// What the bordered system says about an eigenvalue.
struct Simplicity {
    left: Vec<c64>,
    left_multipliers: Vec<c64>,
    gap: f64,
    condition: f64,
    uncertainty: f64,
}

fn not_simple(error: AlgebraError, s: c64) -> ParametricError {
    match error {
        AlgebraError::Singular { .. } => ParametricError::NotSimple { s, gap: 0.0, condition: f64::INFINITY },
        other => other.into(),
    }
}

/// Checks the start; its vector scaled to unit size.
fn checked_start<A: Storage>(
    pencil: &QuadraticPencil<A>,
    start: &StartingEigenpair,
) -> Result<Vec<c64>, ParametricError> {
    let n = pencil.m.size().0;
    if start.vector.len() != n {
        let (what, expected, found) = ("the starting eigenvector", n, start.vector.len());
        return Err(ParametricError::WrongLength { what, expected, found });
    }
    let size = norms::two_complex(&start.vector);
    if size == 0.0 || !size.is_finite() || !is_finite(&[start.s]) {
        return Err(ParametricError::BadStart);
    }
    Ok(start.vector.iter().map(|x| x / size).collect())
}

/// Coordinates and constraint rows in all up to which the rank is decided by a dense factorization.
const DENSE_RANK_UP_TO: usize = 400;

/// Checks shapes, values and the rank of the constraints.
pub(crate) fn check_pencil<A: Storage>(pencil: &QuadraticPencil<A>) -> Result<(), ParametricError> {
    let (n, nc) = (pencil.m.size().0, pencil.phi_q.size().0);
    let all = [("M", &pencil.m, n), ("C", &pencil.c, n), ("K", &pencil.k, n), ("Phi_q", &pencil.phi_q, nc)];
    for (matrix, a, rows) in all {
        check_shape(matrix, a.size(), (rows, n))?;
        if let Some((row, col)) = a.not_finite() {
            return Err(AlgebraError::NonFinite { row, col }.into());
        }
    }
    let Some(phi_q) = pencil.phi_q.nonzeros().filter(|_| n + nc > DENSE_RANK_UP_TO) else {
        return dense_rank(&pencil.phi_q);
    };
    let lengths: Vec<f64> = phi_q.to_csr().outer_iterator().map(|row| norms::two(row.data())).collect();
    let by: Vec<f64> = lengths.iter().map(|l| if *l > 0.0 { l.recip() } else { 0.0 }).collect();
    let unit = sparse::mul(&sparse::diagonal(&by), &phi_q);
    let redundant: Vec<usize> =
        RowRank::new(&unit, RankTolerance::default())?.dependences.iter().map(|d| d.row).collect();
    full_rank(nc, redundant)
}

/// Refuses dependent rows of a small Jacobian.
fn dense_rank<A: Storage>(phi_q: &A) -> Result<(), ParametricError> {
    let (nc, n) = phi_q.size();
    if nc == 0 {
        return Ok(());
    }
    let phi_q = phi_q.nonzeros().map_or_else(|| Dense::zeros(nc, n), |a| to_dense(&a));
    let qr = RankQr::new(&phi_q, RankTolerance::default())?;
    full_rank(nc, if qr.rank() < nc { qr.redundant_rows() } else { Vec::new() })
}

fn full_rank(constraints: usize, redundant: Vec<usize>) -> Result<(), ParametricError> {
    if redundant.is_empty() {
        return Ok(());
    }
    Err(ParametricError::RedundantConstraints { rank: constraints - redundant.len(), constraints, redundant })
}
