//! Damped, gyroscopic and unsymmetric problems: first companion form.
//!
//! ```text
//! A z = sigma B z,   A = [0 I; -K -C],   B = [I 0; 0 M],   z = (x, sigma x),   w = (.., y)
//! ```
//!
//! in units of time in which |M| = |K| (Fan, Lin, Van Dooren, SIAM J. Matrix Anal. 26, 2004), after x is scaled so
//! that M = I when M is positive definite. Exact zeros and infinities known from the structure are deflated:
//! with Z and W orthonormal bases of their right and left deflating subspaces, the rest of the spectrum belongs to
//! W_c^T (A - sigma B) Z_c on the complements. What remains is a standard problem when B is regular; when it is
//! not, QZ gives alpha and beta and nothing is divided. gonzalez2017, Eq. (6); palomba2019, Eqs. (12)-(16).
//! Sizes: M, C, K k x k, the companion 2k x 2k.

use mb_algebra::{Cholesky, Dense, Lu, c64, dense, norms};

use super::chains::Chains;
use super::deflation::deflated;
use super::left_vectors::{biorthonormal_lefts, conjugate_lefts};
use super::raw::{Kind, Raw};
use super::standard::interleaved;
use crate::numeric::vectors;
use crate::{EigenError, Finding};

/// Quadratic problem with real k x k matrices in any coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Matrices {
    pub(crate) m: Dense,
    pub(crate) c: Dense,
    pub(crate) k: Dense,
}

impl Matrices {
    pub(crate) fn size(&self) -> usize {
        self.m.nrows()
    }

    /// The unit of frequency that makes |M| = |K|; a substitute where some of the three norms vanish.
    pub(crate) fn frequency(m: f64, c: f64, k: f64) -> f64 {
        let gamma = match (m > 0.0, k > 0.0) {
            (true, true) => (k / m).sqrt(),
            (true, false) => c / m,
            (false, true) => k / c,
            (false, false) => 1.0,
        };
        if gamma > 0.0 && gamma.is_finite() { gamma } else { 1.0 }
    }

    /// The problem in delta = (s - s_0) / spread, for M = I: delta^2 I + delta (C + 2 s_0 I) / spread + Q(s_0) / spread^2.
    ///
    /// spread^2 is the geometric mean of the magnitudes of the eigenvalues of Q(s_0): a group of eigenvalues around
    /// s_0 then comes out spread over order one, whatever the others are.
    fn about(self, origin: f64) -> (Self, f64) {
        if origin == 0.0 {
            return (self, 1.0);
        }
        let one = dense::identity(self.size());
        let damping = dense::add(1.0, &self.c, 2.0 * origin, &one);
        let stiffness = dense::add(1.0, &dense::add(1.0, &self.k, origin, &self.c), origin * origin, &one);
        let log = Lu::new(&stiffness).map_or(0.0, |lu| lu.sign_and_log_determinant().1);
        let spread = (0.5 * log / self.size() as f64).exp();
        if !(spread > 0.0 && spread.is_finite()) {
            return (self, 1.0);
        }
        let moved = Self {
            m: one,
            c: dense::scale(spread.recip(), &damping),
            k: dense::scale(spread.powi(-2), &stiffness),
        };
        (moved, spread)
    }

    /// gamma^2 M, gamma C, K over their largest norm.
    pub(super) fn scaled(&self, gamma: f64) -> Self {
        let (m, c) = (dense::scale(gamma * gamma, &self.m), dense::scale(gamma, &self.c));
        let size = norms::frobenius(&m).max(norms::frobenius(&c)).max(norms::frobenius(&self.k));
        let by = if size > 0.0 { size.recip() } else { 1.0 };
        Self { m: dense::scale(by, &m), c: dense::scale(by, &c), k: dense::scale(by, &self.k) }
    }
}

/// Which of the three matrices are symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symmetry {
    /// M is not.
    None,
    /// M is, but C or K is not.
    Mass,
    /// M, C and K.
    All,
}

/// Eigenvalues of the reduced problem with the findings of the way.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) raws: Vec<Raw>,
    pub(crate) findings: Vec<Finding>,
}

/// Solves a quadratic problem whose zero and infinite eigenvalues are known as chains.
///
/// `shift` is a real number, rad/s, around which many eigenvalues cluster, 0 when none is known: the eigensolver then
/// works on distances from it, which resolves the cluster and takes fewer iterations. It has no effect where
/// eigenvalues are known.
pub(crate) fn solve(
    given: &Matrices,
    zeros: &Chains,
    massless: &Chains,
    symmetry: Symmetry,
    shift: f64,
) -> Result<Candidates, EigenError> {
    let k = given.size();
    let norm = norms::frobenius::<Dense>;
    let gamma = Matrices::frequency(norm(&given.m), norm(&given.c), norm(&given.k));
    let scaled = given.scaled(gamma);
    let factor = if symmetry != Symmetry::None && massless.eigenvalues() == 0 {
        Cholesky::new(&scaled.m).ok()
    } else {
        None
    };
    let mut candidates = Candidates::default();
    candidates.raws.extend(zeros.raws(Kind::Zero));
    candidates.raws.extend(massless.raws(Kind::Infinite));
    let mut problem = match &factor {
        Some(factor) => whitened(&scaled, factor),
        None => scaled,
    };
    let (mut origin, mut unit) = (0.0, gamma);
    let mut complex_symmetric = false;
    let rest = if candidates.raws.is_empty() && (factor.is_some() || k == 0) {
        let spread;
        (problem, spread) = problem.about(shift / gamma);
        (origin, unit) = (shift, gamma * spread);
        let all = symmetry == Symmetry::All;
        let raws = interleaved(&companion(&problem), !all)?;
        complex_symmetric = all;
        raws
    } else {
        let (a, b) = pencil(&problem);
        let (right, left) = deflating(&problem, zeros, massless, factor.as_ref(), gamma);
        let found = deflated(&a, &b, &right, &left, factor.is_some(), &mut candidates.findings)?;
        if let Some(mut rest) = found {
            // Left vectors of the companion matrix may have lost what the right ones of a symmetric problem have.
            complex_symmetric = symmetry == Symmetry::All && factor.is_some();
            if complex_symmetric {
                for raw in &mut rest {
                    raw.left = None;
                }
            }
            rest
        } else {
            candidates.raws.clear();
            if zeros.eigenvalues() > 0 {
                candidates.findings.push(Finding::LongChain { at_infinity: false });
            }
            super::qz::solve(&a, &b, &mut candidates.findings)?
        }
    };
    // x is the better half of z = (x, sigma x), y the second half of w.
    let halves: Vec<Vec<c64>> = rest
        .iter()
        .map(
            |raw| {
                if raw.alpha.norm() <= raw.beta { raw.right[..k].to_vec() } else { raw.right[k..].to_vec() }
            },
        )
        .collect();
    let mut rest = rest;
    if complex_symmetric {
        conjugate_lefts(&problem, &mut rest, &halves);
    } else {
        for raw in &mut rest {
            raw.left = raw.left.as_ref().map(|w| w[k..].to_vec());
        }
        biorthonormal_lefts(&problem, &mut rest, &halves);
    }
    let lefts: Vec<Vec<c64>> = rest.iter().filter_map(|raw| raw.left.clone()).collect();
    let rights = back(k, &halves, factor.as_ref());
    let mut lefts = back(k, &lefts, factor.as_ref()).into_iter();
    for (raw, right) in rest.into_iter().zip(rights) {
        let left = raw.left.as_ref().and_then(|_| lefts.next());
        candidates.raws.push(if raw.kind == Kind::Ordinary {
            Raw::finite(raw.value() * unit + origin, right, left, raw.mirror)
        } else {
            Raw { right, left, ..raw }
        });
    }
    Ok(candidates)
}

/// x = L^-T z for a list of vectors.
fn back(k: usize, list: &[Vec<c64>], factor: Option<&Cholesky>) -> Vec<Vec<c64>> {
    let Some(factor) = factor else { return list.to_vec() };
    let block = vectors::Block::new(k, list).through(|z| factor.solve_lower_transpose(z));
    (0..list.len()).map(|j| block.column(j)).collect()
}

/// L^-1 (M, C, K) L^-T, M = I.
fn whitened(problem: &Matrices, factor: &Cholesky) -> Matrices {
    let both = |a: &Dense| {
        let half = factor.solve_lower(a);
        dense::transpose(&factor.solve_lower(&dense::transpose(&half)))
    };
    Matrices { m: dense::identity(problem.size()), c: both(&problem.c), k: both(&problem.k) }
}

/// [0 I; -K -C] for M = I.
fn companion(problem: &Matrices) -> Dense {
    let k = problem.size();
    let mut a = Dense::zeros(2 * k, 2 * k);
    for j in 0..k {
        a[(j, k + j)] = 1.0;
        for i in 0..k {
            a[(k + i, j)] = -problem.k[(i, j)];
            a[(k + i, k + j)] = -problem.c[(i, j)];
        }
    }
    a
}

/// A = [0 I; -K -C], B = [I 0; 0 M].
fn pencil(problem: &Matrices) -> (Dense, Dense) {
    let k = problem.size();
    let mut b = Dense::identity(2 * k, 2 * k);
    for j in 0..k {
        b.col_as_slice_mut(k + j)[k..].copy_from_slice(problem.m.col_as_slice(j));
    }
    (companion(problem), b)
}

/// Bases of the right deflating subspace Z and the left one W = [B Z_0, A Z_inf] of the known eigenvalues.
fn deflating(
    problem: &Matrices,
    zeros: &Chains,
    massless: &Chains,
    factor: Option<&Cholesky>,
    gamma: f64,
) -> (Dense, Dense) {
    let k = problem.size();
    let carry = |a: &Dense| factor.map_or_else(|| a.clone(), |f| dense::mul_transpose(f.l(), a));
    let stack = |top: &Dense, bottom: &Dense| dense::vstack(&[top, bottom]);
    let nothing = |a: &Dense| Dense::zeros(k, a.ncols());
    // Generalized vectors scale with the unit of frequency: x_1 belongs to s, gamma x_1 to sigma.
    let (s, d, g) =
        (carry(&zeros.simple), carry(&zeros.double), dense::scale(gamma, &carry(&zeros.generalized)));
    let z0 = dense::hstack(&[&stack(&s, &nothing(&s)), &stack(&d, &nothing(&d)), &stack(&g, &d)]);
    let w0 = dense::hstack(&[
        &stack(&s, &nothing(&s)),
        &stack(&d, &nothing(&d)),
        &stack(&g, &dense::mul(&problem.m, &d)),
    ]);
    let (s, d, g) = (&massless.simple, &massless.double, dense::scale(gamma.recip(), &massless.generalized));
    let z1 = dense::hstack(&[&stack(&nothing(s), s), &stack(&nothing(d), d), &stack(d, &g)]);
    let w1 = dense::mul(&companion(problem), &z1);
    (dense::hstack(&[&z0, &z1]), dense::hstack(&[&w0, &w1]))
}
