//! The saddle-point system of constrained mechanics, also where constraints are redundant.
//!
//! ```text
//! [ A    Phi_q^T ] [ x ]   [ f ]
//! [ Phi_q    0   ] [ y ] = [ g ]
//! ```
//!
//! A is n x n (mass, stiffness or identity), Phi_q m x n, y the multipliers. Multipliers and
//! constraint rows are scaled by k = max |A| so that both blocks are of one magnitude
//! (`yang2012` Eq. (3.7)). Small systems are solved by LU, and where that is singular (redundant
//! rows, zero modes) by the shortest least-squares solution of the scaled system. Of more rows than coordinates the
//! independent ones are taken first. Large systems go
//! through the sparse LDL^T of [`saddle_ldlt`], whose ordering knows dense rows and
//! constraints, of the symmetric part of A:
//!
//! ```text
//! x <- x + S^-1 (b - (S + N) x),   S with (A + A^T)/2, N = (A - A^T)/2
//! ```
//!
//! The stiffness of bodies that turn differs from its transpose by the unbalanced moments, which vanish at the
//! equilibrium, so that few such steps are needed. Where they do not converge (follower loads that matter as much as
//! stiffness) sparse LU takes over, with a slight regularization -eps k^2 I of the lower right block, removed again by
//! refinement. Where the LDL^T declines (A is singular along motions that nothing holds), those motions are left alone (module
//! `free`).

use mb_algebra::{AlgebraError, Dense, Lu, RankTolerance, Sparse, SparseLu, Svd, norms, sparse, to_dense};
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};

use crate::free::WithFreeMotions;
use crate::patterns::SaddlePatterns;
use crate::rank::independent_rows;
use std::sync::Arc;

/// Up to this many unknowns dense factors are used.
pub const DENSE_UP_TO: usize = 400;

/// Below this reciprocal condition the LU answer is replaced by the shortest solution.
const SINGULAR_BELOW: f64 = 1e-14;

/// A factored saddle-point system.
#[derive(Debug)]
pub struct Saddle {
    n: usize,
    m: usize,
    /// Scale of multipliers and constraint rows.
    k: f64,
    factor: Factor,
}

#[derive(Debug)]
enum Factor {
    Lu(Box<Lu>),
    /// Of D A D, with the diagonal of D: powers of two that leave the largest entries of all rows near one.
    Equilibrated(Box<Lu>, Vec<f64>),
    /// Shortest solution by singular values.
    Shortest(Box<Svd>),
    /// Checked at every solve; the blocks are kept for the case that a check fails.
    Ldl {
        factor: Box<SaddleFactor>,
        a: Sparse,
        phi_q: Sparse,
        /// Whether A is more than its symmetric part.
        skew: bool,
    },
    Sparse {
        lu: Box<SparseLu>,
        matrix: Sparse,
        constraints: usize,
    },
    /// A leaves free motions without stiffness.
    Free(Box<WithFreeMotions>),
    /// With the independent ones of more rows than coordinates, whose indices stand beside it; the multipliers of the others are zero.
    Independent(Box<Saddle>, Vec<usize>),
}

/// The LDL^T with the symmetric part of A, if there is one, and whether A is more than that part.
fn symmetric_factor(
    a: &Sparse,
    phi_q: &Sparse,
    patterns: Option<&mut SaddlePatterns>,
) -> Option<(SaddleFactor, bool)> {
    let skew = sparse::is_symmetric(a, SYMMETRIC_WITHIN).is_err();
    let part = if skew { &sparse::add(0.5, a, 0.5, &sparse::transpose(a)) } else { a };
    let analysis = match patterns {
        Some(patterns) => patterns.analysis(part, phi_q).ok()?,
        None => Arc::new(SaddleAnalysis::new(part, phi_q, &SaddleOptions::default()).ok()?),
    };
    SaddleFactor::new(&analysis, part, phi_q).ok().map(|factor| (factor, skew))
}

/// Asymmetry of a stiffness that is rounding, relative to its entries.
const SYMMETRIC_WITHIN: f64 = 1e-13;

/// Steps by the symmetric part, and the share of the last residual that each has to come below.
const SYMMETRIC_STEPS: usize = 40;
const SYMMETRIC_RATE: f64 = 0.5;

/// Residual relative to the forces on the right-hand side, and to those of the multipliers, at which steps by the symmetric part may end.
const SYMMETRIC_ENOUGH: f64 = 1e-10;

/// Steps by the symmetric part of A; none where they do not converge.
fn by_symmetric_part(
    factor: &SaddleFactor,
    a: &Sparse,
    phi_q: &Sparse,
    f: &[f64],
    g: &[f64],
) -> Option<Solution> {
    let (mut x, mut y) = factor.solve(f, g).ok()?;
    let begin = norms::max_abs_vec(f);
    let mut last = f64::INFINITY;
    for _ in 0..SYMMETRIC_STEPS {
        let held = sparse::matvec_transpose(phi_q, &y);
        let product = sparse::matvec(a, &x);
        let residual: Vec<f64> =
            f.iter().zip(product.iter().zip(&held)).map(|(f, (p, h))| f - p - h).collect();
        let size = norms::max_abs_vec(&residual);
        if size <= SYMMETRIC_ENOUGH * begin.max(norms::max_abs_vec(&held)) {
            return Some((x, y));
        }
        if size > SYMMETRIC_RATE * last || size.is_nan() {
            return None;
        }
        last = size;
        let (dx, dy) = factor.solve(&residual, &vec![0.0; g.len()]).ok()?;
        x.iter_mut().zip(dx).for_each(|(x, d)| *x += d);
        y.iter_mut().zip(dy).for_each(|(y, d)| *y += d);
    }
    None
}

/// x and y.
type Solution = (Vec<f64>, Vec<f64>);

impl Saddle {
    /// Factors the system of dense blocks.
    ///
    /// # Errors
    /// Entries that are not finite.
    pub fn dense(a: &Dense, phi_q: &Dense) -> Result<Self, AlgebraError> {
        let (n, m) = (a.nrows(), phi_q.nrows());
        let k = scale(norms::max_abs(a), norms::max_abs(phi_q));
        let mut full = Dense::zeros(n + m, n + m);
        for j in 0..n {
            for i in 0..n {
                full[(i, j)] = a[(i, j)];
            }
            for i in 0..m {
                full[(n + i, j)] = k * phi_q[(i, j)];
                full[(j, n + i)] = k * phi_q[(i, j)];
            }
        }
        let factor = match well_conditioned(&full)? {
            Some(factor) => factor,
            None => Factor::Shortest(Box::new(Svd::new(&full)?)),
        };
        Ok(Self { n, m, k, factor })
    }
    /// Factors the system of sparse blocks; small ones as dense ones.
    ///
    /// # Errors
    /// Entries that are not finite; a system singular beyond redundant constraints.
    pub fn sparse(a: &Sparse, phi_q: &Sparse) -> Result<Self, AlgebraError> {
        Self::factored(a, phi_q, None)
    }
    /// As [`Self::sparse`] with ordering and symbolic factorization of `patterns` where they fit, for the many systems of
    /// an iteration; else these are replaced.
    ///
    /// # Errors
    /// As [`Self::sparse`].
    pub fn sparse_again(
        a: &Sparse,
        phi_q: &Sparse,
        patterns: &mut SaddlePatterns,
    ) -> Result<Self, AlgebraError> {
        Self::factored(a, phi_q, Some(patterns))
    }
    fn factored(
        a: &Sparse,
        phi_q: &Sparse,
        patterns: Option<&mut SaddlePatterns>,
    ) -> Result<Self, AlgebraError> {
        let (n, m) = (a.rows(), phi_q.rows());
        if n + m <= DENSE_UP_TO {
            return Self::dense(&to_dense(a), &to_dense(phi_q));
        }
        if m > n {
            let kept = independent_rows(phi_q)?;
            let inner = Self::factored(a, &sparse::select_rows(phi_q, &kept), patterns)?;
            return Ok(Self { n, m, k: 1.0, factor: Factor::Independent(Box::new(inner), kept) });
        }
        if let Some((factor, skew)) = symmetric_factor(a, phi_q, patterns) {
            let factor = Factor::Ldl { factor: Box::new(factor), a: a.clone(), phi_q: phi_q.clone(), skew };
            return Ok(Self { n, m, k: 1.0, factor });
        }
        match Self::sparse_lu(a, phi_q) {
            Err(error @ AlgebraError::Singular { .. }) => match WithFreeMotions::new(a, phi_q) {
                Some(free) => Ok(Self { n, m, k: 1.0, factor: Factor::Free(Box::new(free)) }),
                None => Err(error),
            },
            other => other,
        }
    }

    /// Factors the regularized system by sparse LU.
    fn sparse_lu(a: &Sparse, phi_q: &Sparse) -> Result<Self, AlgebraError> {
        let (n, m) = (a.rows(), phi_q.rows());
        let k = scale(norms::max_abs(a), norms::max_abs(phi_q));
        let scaled = sparse::scale(k, phi_q);
        let transposed = sparse::transpose(&scaled);
        let size = [n, m];
        let matrix = sparse::blocks(&[&[Some(a), Some(&transposed)], &[Some(&scaled), None]], &size, &size);
        let slight = sparse::diagonal(&vec![-1e-10 * k; m]);
        let regular =
            sparse::blocks(&[&[Some(a), Some(&transposed)], &[Some(&scaled), Some(&slight)]], &size, &size);
        let lu = Box::new(SparseLu::new(&regular)?);
        Ok(Self { n, m, k, factor: Factor::Sparse { lu, matrix, constraints: m } })
    }
    /// True when the system was singular and solutions are shortest ones.
    pub fn is_singular(&self) -> bool {
        matches!(self.factor, Factor::Shortest(_) | Factor::Free(_))
    }
    /// x (n numbers) and y (m numbers) for the right-hand sides f and g.
    pub fn solve(&self, f: &[f64], g: &[f64]) -> Solution {
        let rhs: Vec<f64> = f.iter().copied().chain(g.iter().map(|g| g * self.k)).collect();
        debug_assert_eq!(rhs.len(), self.n + self.m);
        let undetermined = || (vec![f64::NAN; self.n], vec![f64::NAN; self.m]);
        let mut x = match &self.factor {
            Factor::Free(free) => return free.solve(f, g).unwrap_or_else(undetermined),
            Factor::Independent(inner, kept) => {
                let (x, own) = inner.solve(f, &kept.iter().map(|i| g[*i]).collect::<Vec<_>>());
                let mut y = vec![0.0; self.m];
                kept.iter().zip(own).for_each(|(i, own)| y[*i] = own);
                return (x, y);
            }
            Factor::Lu(lu) => lu.solve(&rhs),
            Factor::Equilibrated(lu, d) => {
                let scaled = |x: &[f64]| -> Vec<f64> { x.iter().zip(d).map(|(x, d)| x * d).collect() };
                scaled(&lu.solve(&scaled(&rhs)))
            }
            Factor::Shortest(svd) => svd.min_norm_solve(&rhs, RankTolerance { relative: 1e-12 }),
            Factor::Sparse { lu, matrix, constraints } => refine(lu, matrix, &rhs, *constraints),
            Factor::Ldl { factor, a, phi_q, skew } => {
                let found =
                    if *skew { by_symmetric_part(factor, a, phi_q, f, g) } else { factor.solve(f, g).ok() };
                return found.unwrap_or_else(|| match Self::sparse_lu(a, phi_q) {
                    Ok(lu) => lu.solve(f, g),
                    Err(_) => WithFreeMotions::new(a, phi_q)
                        .and_then(|free| free.solve(f, g))
                        .unwrap_or_else(undetermined),
                });
            }
        };
        let y = x.split_off(self.n).iter().map(|y| y * self.k).collect();
        (x, y)
    }
}

/// k with k |Phi_q| about |A|; one where either is zero.
fn scale(a: f64, phi_q: f64) -> f64 {
    if a > 0.0 && phi_q > 0.0 { a / phi_q } else { 1.0 }
}

/// LU factors of a symmetric pattern; none where it is singular in all units.
///
/// Of lengths in mm rotations have stiffnesses a million times those of translations, which alone can make a matrix look singular: where the
/// condition is poor, rows and columns are brought to one size.
fn well_conditioned(full: &Dense) -> Result<Option<Factor>, AlgebraError> {
    let factored = |a: &Dense| match Lu::new(a) {
        Ok(lu) => Ok(Some((lu.rcond(), lu)).filter(|(rcond, _)| *rcond > SINGULAR_BELOW)),
        Err(AlgebraError::Singular { .. } | AlgebraError::NonFiniteResult { .. }) => Ok(None),
        Err(other) => Err(other),
    };
    let plain = factored(full)?;
    let before = plain.as_ref().map_or(0.0, |(rcond, _)| *rcond);
    if before <= POOR {
        let d = equilibrium(full);
        let scaled = Dense::from_fn(full.nrows(), full.ncols(), |i, j| d[i] * full[(i, j)] * d[j]);
        if let Some((_, lu)) = factored(&scaled)?.filter(|(rcond, _)| *rcond > before) {
            return Ok(Some(Factor::Equilibrated(Box::new(lu), d)));
        }
    }
    Ok(plain.map(|(_, lu)| Factor::Lu(Box::new(lu))))
}

/// Reciprocal condition below which half of the digits are lost, unless it is the units that make it.
const POOR: f64 = 1e-8;

/// Sweeps of [`equilibrium`], each of which halves the range of sizes on a logarithmic scale.
const SWEEPS: usize = 6;

/// Powers of two d with max_j |d_i A_ij d_j| near one for all rows (Ruiz 2001).
fn equilibrium(a: &Dense) -> Vec<f64> {
    let mut d = vec![1.0; a.nrows()];
    for _ in 0..SWEEPS {
        let sizes: Vec<f64> = (0..a.ncols())
            .map(|j| {
                a.col_as_slice(j).iter().zip(&d).fold(0.0_f64, |s, (x, di)| s.max((x * di).abs())) * d[j]
            })
            .collect();
        for (d, size) in d.iter_mut().zip(sizes) {
            if size > 0.0 && size.is_finite() {
                *d *= (-0.5 * size.log2()).round().exp2();
            }
        }
    }
    d
}

/// Iterative refinement against the matrix without the regularization.
fn refine(lu: &SparseLu, matrix: &Sparse, rhs: &[f64], constraints: usize) -> Vec<f64> {
    let mut x = lu.solve(rhs);
    let steps = if constraints > 0 { 4 } else { 1 };
    let mut last = f64::INFINITY;
    for _ in 0..steps {
        let product = sparse::matvec(matrix, &x);
        let residual: Vec<f64> = rhs.iter().zip(&product).map(|(b, p)| b - p).collect();
        let size = norms::max_abs_vec(&residual);
        if size == 0.0 || size >= last {
            break;
        }
        last = size;
        for (x, d) in x.iter_mut().zip(lu.solve(&residual)) {
            *x += d;
        }
    }
    x
}
