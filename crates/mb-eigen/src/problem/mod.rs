//! The matrices of a large problem, checked and prepared, and their combinations at a shift.

pub(crate) mod condensation;
pub(crate) mod constraint_rows;
pub(crate) mod equilibrated;
mod factors;
pub(crate) mod finite_count;
pub(crate) mod matrix;
pub(crate) mod modes;
pub(crate) mod proportional;
pub(crate) mod uncertified;
pub(crate) mod units;

use std::sync::{Arc, OnceLock};

use mb_algebra::{Dense, QuadraticPencil, Sparse, StiffnessParts, sparse, to_sparse};
use saddle_ldlt::SaddleAnalysis;

use crate::dense::FiniteCount;
use crate::options::{SparseOptions, Structure};
use crate::problem::constraint_rows::Rows;
use crate::problem::matrix::{Matrix, check, check_symmetric};
use crate::{DenseOptions, EigenError, Finding, dense, tuning};

/// Operations of an elimination up to which finite eigenvalues are counted although few of them are wanted.
const COUNT_OPERATIONS: f64 = 1e9;

/// (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0.
#[derive(Clone, Debug)]
pub(crate) struct Problem<'a> {
    pub(crate) n: usize,
    pub(crate) m: Matrix<'a>,
    pub(crate) c: Matrix<'a>,
    pub(crate) k: Matrix<'a>,
    /// K as a sum, exact and rounded part, where it is known as one.
    parts: Option<[Matrix<'a>; 2]>,
    pub(crate) rows: Rows,
    /// Whether M, C and K may all be treated as symmetric.
    pub(crate) symmetric: bool,
    /// Bytes that may be used; none for what the system has.
    memory_limit: Option<u64>,
    analysis: OnceLock<Arc<SaddleAnalysis>>,
    finite: OnceLock<Option<FiniteCount>>,
    definite: OnceLock<bool>,
    /// [`SparseExpert::most_zeros`](crate::sparse::SparseExpert::most_zeros).
    most_zeros: Option<usize>,
    /// [`SparseExpert::least_zeros`](crate::sparse::SparseExpert::least_zeros).
    pub(crate) least_zeros: usize,
    /// [`KnownZeros::still`](crate::sparse::KnownZeros::still).
    pub(crate) still: Option<Arc<Sparse>>,
}

impl<'a> Problem<'a> {
    /// Checks shapes, entries and declared symmetry.
    pub(crate) fn new(
        pencil: &'a QuadraticPencil<Sparse>,
        options: &SparseOptions,
    ) -> Result<Self, EigenError> {
        Self::of([&pencil.m, &pencil.c, &pencil.k], &pencil.phi_q, options)
    }

    /// The same for [M, C, K] and Phi_q.
    pub(crate) fn of(
        [m, c, k]: [&'a Sparse; 3],
        phi_q: &Sparse,
        options: &SparseOptions,
    ) -> Result<Self, EigenError> {
        let n = m.rows();
        if n == 0 {
            return Err(EigenError::Empty);
        }
        let square = [("M", m), ("C", c), ("K", k)];
        for (name, a) in square {
            check(name, a, n, n)?;
        }
        check("Phi_q", phi_q, phi_q.rows(), n)?;
        if options.expert.structure == Structure::Symmetric {
            for (matrix, a) in square {
                check_symmetric(matrix, a, options.expert.symmetry_tolerance)?;
            }
        }
        let [m, c, k] = square.map(|(_, a)| Matrix::new(a, options.expert.symmetry_tolerance));
        let symmetric =
            options.expert.structure != Structure::General && m.symmetric && c.symmetric && k.symmetric;
        let rows = Rows::new(phi_q, options.expert.constraint_rank)?;
        let memory_limit = options.memory_limit;
        Ok(Self {
            n,
            m,
            c,
            k,
            parts: None,
            rows,
            symmetric,
            memory_limit,
            analysis: OnceLock::new(),
            finite: OnceLock::new(),
            definite: OnceLock::new(),
            most_zeros: options.expert.most_zeros,
            least_zeros: options.expert.least_zeros,
            still: None,
        })
    }

    /// The same problem with directions without stiffness that are known.
    pub(crate) fn with_still(self, still: Option<&Sparse>) -> Result<Self, EigenError> {
        let Some(still) = still else { return Ok(self) };
        check("Directions without stiffness", still, self.n, still.cols())?;
        Ok(Self { still: Some(Arc::new(still.to_csc())), ..self })
    }

    /// The same problem with K known as a sum.
    pub(crate) fn with_parts(
        self,
        parts: Option<&'a StiffnessParts>,
        options: &SparseOptions,
    ) -> Result<Self, EigenError> {
        let Some(StiffnessParts { exact, rounded }) = parts else { return Ok(self) };
        check("K, exact part", exact, self.n, self.n)?;
        check("K, rounded part", rounded, self.n, self.n)?;
        let parts = Some([exact, rounded].map(|a| Matrix::new(a, options.expert.symmetry_tolerance)));
        Ok(Self { parts, ..self })
    }

    /// The problem with the violations e = Phi_q x as unknowns of their own, held by springs in place of the constraints
    /// ([`PenaltyBlocks::to_constrained`](mb_algebra::PenaltyBlocks::to_constrained)).
    ///
    /// `springs`: Xi, Xi Theta and Xi Omega, m x m. Nothing that is known of M, C and K is found again.
    pub(crate) fn with_violations(
        &self,
        springs: [&Dense; 3],
        options: &SparseOptions,
    ) -> Result<Problem<'static>, EigenError> {
        let (n, rows, tolerance) = (self.n, self.rows.m, options.expert.symmetry_tolerance);
        let springs = springs.map(to_sparse);
        for (name, a) in ["Xi", "Xi Theta", "Xi Omega"].into_iter().zip(&springs) {
            check(name, a, rows, rows)?;
            if options.expert.structure == Structure::Symmetric {
                check_symmetric(name, a, tolerance)?;
            }
        }
        let [xi, damping, stiffness] = &springs;
        let less = sparse::scale(-1.0, &sparse::identity(rows));
        let phi_q = sparse::blocks(&[&[Some(self.rows.given.sparse()), Some(&less)]], &[rows], &[n, rows]);
        let (m, c) = (self.m.with_block(xi, tolerance), self.c.with_block(damping, tolerance));
        let k = self.k.with_block(stiffness, tolerance);
        let symmetric =
            options.expert.structure != Structure::General && m.symmetric && c.symmetric && k.symmetric;
        let parts = self.parts.as_ref().map(|[exact, rounded]| {
            let none = sparse::zeros(rows, rows);
            [exact.with_block(&none, tolerance), rounded.with_block(stiffness, tolerance)]
        });
        Ok(Problem {
            n: n + rows,
            m,
            c,
            k,
            parts,
            rows: Rows::new(&phi_q, options.expert.constraint_rank)?,
            symmetric,
            memory_limit: self.memory_limit,
            analysis: OnceLock::new(),
            finite: OnceLock::new(),
            definite: OnceLock::new(),
            most_zeros: None,
            least_zeros: 0,
            still: None,
        })
    }

    /// An undamped problem in other coordinates, with M, K, what rounding took from K, and other rows.
    pub(crate) fn in_coordinates(
        &self,
        [m, k]: [Sparse; 2],
        lost: Option<Sparse>,
        rows: Rows,
        options: &SparseOptions,
    ) -> Problem<'static> {
        let n = m.rows();
        let [m, k] = [m, k].map(|a| Matrix::owned(a, options.expert.symmetry_tolerance));
        Problem {
            n,
            symmetric: self.symmetric && m.symmetric && k.symmetric,
            m,
            c: Matrix::owned(sparse::zeros(n, n), 0.0),
            parts: lost.map(|lost| [k.clone(), Matrix::owned(lost, options.expert.symmetry_tolerance)]),
            k,
            rows,
            memory_limit: self.memory_limit,
            analysis: OnceLock::new(),
            finite: OnceLock::new(),
            definite: OnceLock::new(),
            most_zeros: self.most_zeros,
            least_zeros: self.least_zeros,
            still: None,
        }
    }

    /// The terms of K: one, or the two parts.
    pub(crate) fn stiffness(&self) -> &[Matrix<'a>] {
        self.parts.as_ref().map_or(std::slice::from_ref(&self.k), |parts| &parts[..])
    }

    /// The part of K with the errors of rounding that its entries have, where K is known in parts.
    pub(crate) fn rounded_stiffness(&self) -> Option<&Matrix<'a>> {
        self.parts.as_ref().map(|[_, rounded]| rounded)
    }

    /// The problem of the left eigenvectors.
    pub(crate) fn transposed(&self) -> Self {
        let [m, c, k] = [&self.m, &self.c, &self.k].map(Matrix::transposed);
        let parts = self.parts.as_ref().map(|parts| parts.each_ref().map(Matrix::transposed));
        Self { m, c, k, parts, still: None, ..self.clone() }
    }

    /// The problem without C; order and structure of the factors stay.
    pub(crate) fn without_damping(&self) -> Self {
        let c = Matrix::owned(sparse::zeros(self.n, self.n), 0.0);
        Self { c, finite: OnceLock::new(), ..self.clone() }
    }

    /// Whether K is positive definite on the admissible directions beyond all rounding: then nothing is rigid and
    /// nothing grows. Not proved of larger problems, of which it may be known.
    pub(crate) fn has_definite_stiffness(&self) -> bool {
        let phi = self.rows.independent.sparse();
        let proved =
            || self.k.symmetric && crate::numeric::vanishing::is_definite_on(self.k.for_factors(), phi);
        // Unknowns up to which a proof of definiteness can say that a direction in question is not rigid: it leaves less than 1e-13 of
        // |K|, and rounding of the proof is n^2 u, which is 1e-12 here.
        self.most_zeros == Some(0) || (self.n <= tuning::SMALL && *self.definite.get_or_init(proved))
    }

    /// Whether M has no negative eigenvalue on the admissible directions, without which inertias at two shifts do not count the modes between
    /// them unless K is positive definite; of a model it is known.
    pub(crate) fn has_semidefinite_mass(&self) -> bool {
        self.knows_zeros()
            || crate::numeric::vanishing::is_semidefinite_on(
                self.m.for_factors(),
                self.rows.independent.sparse(),
            )
    }

    /// Whether that is known from more than the entries of K.
    pub(crate) fn knows_zeros(&self) -> bool {
        self.most_zeros.is_some()
    }

    /// The most directions without stiffness there can be.
    pub(crate) fn most_zeros(&self) -> usize {
        self.most_zeros.unwrap_or(self.n)
    }

    /// Whether there is no damping or gyroscopic matrix.
    pub(crate) fn undamped(&self) -> bool {
        self.c.is_zero()
    }

    /// Whether M and K are symmetric and C is skew.
    pub(crate) fn is_gyroscopic(&self) -> bool {
        self.m.symmetric && self.k.symmetric && self.c.is_skew()
    }

    /// n - r.
    pub(crate) fn dof(&self) -> usize {
        self.n.saturating_sub(self.rows.rank)
    }

    /// n - r less the coordinates without any mass: modes that surely exist where the pencil is regular.
    pub(crate) fn surely(&self) -> usize {
        let massless = self.m.sparse().outer_iterator().filter(|line| line.data().iter().all(|v| *v == 0.0));
        self.dof().saturating_sub(massless.count())
    }

    /// Most finite eigenvalues there can be: 2 (n - r), and where `much` of the spectrum is wanted the number that
    /// rank decisions find of a small problem and the determinant of a large one. What a Krylov method finds beyond
    /// that is rounding.
    pub(crate) fn most_eigenvalues(&self, much: bool) -> usize {
        let most = 2 * self.dof();
        if !much {
            return most;
        }
        self.finite
            .get_or_init(|| self.finite_eigenvalues())
            .as_ref()
            .map_or(most, |finite| finite.roots.min(most))
    }

    /// Finite eigenvalues, where they have been counted.
    pub(crate) fn counted_eigenvalues(&self) -> Option<usize> {
        self.finite.get()?.as_ref().map(|finite| finite.roots)
    }

    /// Others that the digits of the matrices leave open, where they have been counted.
    pub(crate) fn open_eigenvalues(&self) -> Option<Finding> {
        self.finite.get()?.as_ref()?.open.clone()
    }

    fn finite_eigenvalues(&self) -> Option<FiniteCount> {
        // Largest n of which finite eigenvalues are counted by rank decisions, with dense matrices.
        if self.n > tuning::DENSE_UP_TO {
            return finite_count::count(self).map(FiniteCount::from);
        }
        let dense = |a: &Matrix| mb_algebra::to_dense(a.sparse());
        let [m, c, k] = [&self.m, &self.c, &self.k].map(dense);
        let pencil = QuadraticPencil { m, c, k, phi_q: dense(&self.rows.kept_as_given()) };
        // A count that fails is no reason to give up the search.
        dense::finite_eigenvalues(&pencil, &DenseOptions::default()).ok().flatten()
    }

    /// Finite eigenvalues by theory: 2 (n - r), less what coordinates without mass take away where there are some and
    /// counting is worth its operations.
    pub(crate) fn expected_eigenvalues(&self) -> usize {
        let affordable = || {
            let operations = self.analysis().map_or(f64::INFINITY, |a| a.estimate().flops);
            self.n <= tuning::DENSE_UP_TO || operations <= COUNT_OPERATIONS
        };
        self.most_eigenvalues(self.finite.get().is_some() || (self.surely() < self.dof() && affordable()))
    }

    /// The square of the unit of frequency that makes |M| and |K| equal, an upper scale of |s|^2.
    pub(crate) fn frequency_squared(&self) -> f64 {
        frequency_squared([self.m.norm, self.c.norm, self.k.norm])
    }

    /// A few roundings of a sum as long as the longest row of K.
    pub(crate) fn rounding(&self) -> f64 {
        let longest = self.k.sparse().outer_iterator().map(|row| row.nnz()).max().unwrap_or(0);
        f64::EPSILON * (4.0 + (longest as f64).sqrt())
    }

    /// The smallest positive K_ii / M_ii, a guess at the order of the lowest w where some coordinates stand for motion as a
    /// whole, as the angle of a floating frame does; elsewhere it is far too large.
    pub(crate) fn softest(&self) -> Option<f64> {
        let entry = |a: &Matrix, i: usize| a.sparse().get(i, i).copied().unwrap_or(0.0);
        softest((0..self.n).map(|i| (entry(&self.k, i), entry(&self.m, i))))
    }

    /// Whether some coordinate with mass has a stiffness K_ii of at most `w` M_ii.
    pub(crate) fn has_softer(&self, w: f64) -> bool {
        let entry = |a: &Matrix, i: usize| a.sparse().get(i, i).copied().unwrap_or(0.0);
        (0..self.n).any(|i| {
            let m = entry(&self.m, i);
            m > 0.0 && entry(&self.k, i).abs() <= w * m
        })
    }

    /// a M + b C + c K by columns.
    pub(crate) fn combine(&self, a: f64, b: f64, c: f64) -> Sparse {
        let add = if self.symmetric_matrices() { sparse::add_symmetric } else { sparse::add };
        let [of_m, of_c, of_k] = [&self.m, &self.c, &self.k].map(Matrix::for_factors);
        let mk = add(a, of_m, c, of_k);
        if self.c.is_zero() { mk } else { add(1.0, &mk, b, of_c) }
    }

    /// The terms of a M + b C + c K that are not zero.
    fn terms<T: Copy>(&self, factors: [T; 3]) -> Vec<(T, &Sparse)> {
        let [a, b, c] = factors;
        let all = [(c, &self.k), (a, &self.m), (b, &self.c)];
        all.into_iter().filter(|(_, x)| !x.is_zero()).map(|(f, x)| (f, x.for_factors())).collect()
    }
}

/// The square of the unit of frequency that makes M and K equally large, from the sizes of M, C and K; that of C where one is missing.
pub(crate) fn frequency_squared([m, c, k]: [f64; 3]) -> f64 {
    let square = match (m > 0.0, k > 0.0) {
        (true, true) => k / m,
        (true, false) => (c / m).powi(2),
        (false, true) if c > 0.0 => (k / c).powi(2),
        _ => 1.0,
    };
    if square > 0.0 && square.is_finite() { square } else { 1.0 }
}

/// The smallest positive K_ii / M_ii of pairs (K_ii, M_ii).
pub(crate) fn softest(pairs: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    pairs.filter(|&(k, m)| k > 0.0 && m > 0.0).map(|(k, m)| k / m).reduce(f64::min)
}
