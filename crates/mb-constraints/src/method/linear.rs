//! Linear systems of the methods: dense without allocating, sparse with one symbolic analysis.
//!
//! ```text
//! dense:   M = L L^T,  W = L^-1 Phi_q^T = Q R P^T,
//!          a = L^-T ((I - Q1 Q1^T) L^-1 f + (W^T)^+ gamma),   lambda = W^+ (L^-1 f - L^T a)
//! ```
//!
//! Where M alone is singular, M + c Phi_q^T Phi_q takes its place and f + c Phi_q^T gamma that of
//! f, which changes neither a nor lambda. No square of Phi_q is formed, and the pivots of R decide
//! the rank. Sparse systems are those of the module `sparse_system`.

use super::DENSE_MOTION_UP_TO;
use super::sparse_system::SparseSystem;
use crate::error::ConstraintError;
use mb_algebra::in_place::{EnvelopeCholesky, Orthogonal};
use mb_algebra::{AlgebraError, RankTolerance, Sparse};
use mb_model::Model;
use mb_model::system::MotionTerms;

/// Rows that keep less than this share of their length next to the others count as dependent when
/// accelerations are solved for; above the violation that an integration leaves.
const MOTION_CUTOFF: RankTolerance = RankTolerance { relative: 1e-6 };

/// A row that keeps this share of its length next to the others is no error of the integration.
const CLEARLY_INDEPENDENT: f64 = 0.05;

/// The linear systems of one model.
#[derive(Debug)]
pub(super) enum System {
    Dense(Box<DenseSystem>),
    Sparse(Box<SparseSystem>),
}

impl System {
    /// Storage and terms for a model, dense or sparse by its size.
    pub(super) fn new(model: &Model) -> Result<(Self, MotionTerms), ConstraintError> {
        if model.nv() + model.nc() <= DENSE_MOTION_UP_TO {
            return Ok((Self::Dense(Box::new(DenseSystem::new(model))), MotionTerms::dense(model)));
        }
        let terms = MotionTerms::sparse(model);
        let system = SparseSystem::new(&terms)?;
        Ok((Self::Sparse(Box::new(system)), terms))
    }
    /// Counts no more than so many rows as independent, until one more is so clearly.
    pub(super) fn limit_rank(&mut self, most: usize) {
        if let Self::Dense(s) = self {
            s.most = most;
            s.orthogonal.limit_rank(most);
        }
    }
    /// Factors [M Phi_q^T; Phi_q 0] and returns the rank of Phi_q.
    pub(super) fn factor(&mut self, terms: &MotionTerms) -> Result<usize, ConstraintError> {
        match self {
            Self::Dense(s) => s.factor(terms),
            Self::Sparse(s) => s.factor(terms, true),
        }
    }
    /// M a + Phi_q^T lambda = f, Phi_q a = gamma with the last [`Self::factor`].
    pub(super) fn solve(
        &mut self,
        f: &[f64],
        gamma: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), ConstraintError> {
        match self {
            Self::Dense(s) => s.solve(f, gamma, a, lambda),
            Self::Sparse(s) => s.solve(f, gamma, a, lambda)?,
        }
        Ok(())
    }
    /// Factors Phi_q for shortest solutions, in the mass matrix or the identity.
    pub(super) fn factor_weight(
        &mut self,
        terms: &MotionTerms,
        mass: bool,
        cutoff: f64,
    ) -> Result<usize, ConstraintError> {
        match self {
            Self::Dense(s) => s.factor_weight(terms, mass, RankTolerance { relative: cutoff }),
            Self::Sparse(s) => s.factor(terms, mass),
        }
    }
    /// The shortest d with Phi_q d = b, with the last [`Self::factor_weight`].
    pub(super) fn shortest(&mut self, b: &[f64], d: &mut [f64]) -> Result<(), ConstraintError> {
        match self {
            Self::Dense(s) => s.shortest(b, d),
            Self::Sparse(s) => s.shortest(b, d)?,
        }
        Ok(())
    }
    /// Factors M + alpha Phi_q^T Phi_q.
    pub(super) fn factor_penalty(&mut self, terms: &MotionTerms, alpha: f64) -> Result<(), ConstraintError> {
        match self {
            Self::Dense(s) => s.factor_penalty(terms, alpha),
            Self::Sparse(s) => s.factor_penalty(terms, alpha),
        }
    }
    /// Solves with the last [`Self::factor_penalty`].
    pub(super) fn solve_penalty(&mut self, x: &mut [f64]) -> Result<(), ConstraintError> {
        match self {
            Self::Dense(s) => s.cholesky.solve(x),
            Self::Sparse(s) => s.solve_penalty(x)?,
        }
        Ok(())
    }
    /// The first constraint row that counts as dependent; none where it is not known.
    pub(super) fn dropped_row(&self) -> Option<usize> {
        match self {
            Self::Dense(s) => s.orthogonal.pivots().get(s.orthogonal.rank()).copied(),
            Self::Sparse(_) => None,
        }
    }
    /// The constraint row that depends most on the others and the share of its length that it
    /// keeps next to them; none where it is not known.
    pub(super) fn weakest_row(&self) -> Option<(usize, f64)> {
        match self {
            Self::Dense(s) if s.orthogonal.rank() > 0 => {
                let last = s.orthogonal.pivots()[s.orthogonal.rank() - 1];
                Some((last, s.orthogonal.smallest_share()))
            }
            _ => None,
        }
    }
}

/// y += scale Phi_q^T x.
pub(super) fn add_transpose(terms: &MotionTerms, scale: f64, x: &[f64], y: &mut [f64]) {
    if let Some(pattern) = terms.phi_q_pattern() {
        for (j, y) in y.iter_mut().enumerate() {
            let (rows, values) = sparse_column(pattern, &terms.phi_q, j);
            *y += scale * rows.iter().zip(values).map(|(i, a)| a * x[*i]).sum::<f64>();
        }
    } else if terms.m > 0 {
        for (y, column) in y.iter_mut().zip(terms.phi_q.chunks_exact(terms.m)) {
            *y += scale * column.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        }
    }
}
/// y += scale Phi_q x.
pub(super) fn add_product(terms: &MotionTerms, scale: f64, x: &[f64], y: &mut [f64]) {
    if let Some(pattern) = terms.phi_q_pattern() {
        for (j, x) in x.iter().enumerate() {
            let (rows, values) = sparse_column(pattern, &terms.phi_q, j);
            for (i, a) in rows.iter().zip(values) {
                y[*i] += scale * a * x;
            }
        }
    } else if terms.m > 0 {
        for (x, column) in x.iter().zip(terms.phi_q.chunks_exact(terms.m)) {
            for (y, a) in y.iter_mut().zip(column) {
                *y += scale * a * x;
            }
        }
    }
}

/// (Phi_q^T Phi_q)_jj and M_jj.
pub(super) fn column_measures(terms: &MotionTerms, j: usize) -> (f64, f64) {
    let square = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
    match (terms.phi_q_pattern(), terms.mass_pattern()) {
        (Some(phi_q), Some(mass)) => {
            let (rows, values) = sparse_column(mass, &terms.mass, j);
            let own = rows.iter().position(|i| *i == j).map_or(0.0, |k| values[k]);
            (square(sparse_column(phi_q, &terms.phi_q, j).1), own)
        }
        _ => (square(&terms.phi_q[j * terms.m..(j + 1) * terms.m]), terms.mass[j * terms.n + j]),
    }
}

pub(super) fn sparse_column<'a>(
    pattern: &'a Sparse,
    values: &'a [f64],
    j: usize,
) -> (&'a [usize], &'a [f64]) {
    let start = pattern.indptr().into_raw_storage();
    let range = start[j]..start[j + 1];
    (&pattern.indices()[range.clone()], &values[range])
}

/// Dense factors; nothing here allocates after [`DenseSystem::new`].
#[derive(Debug)]
pub(super) struct DenseSystem {
    n: usize,
    m: usize,
    cholesky: EnvelopeCholesky,
    orthogonal: Orthogonal,
    /// True once M alone was not positive definite.
    augmented: bool,
    /// c of M + c Phi_q^T Phi_q; zero for M alone.
    c: f64,
    matrix: Vec<f64>,
    phi_q: Vec<f64>,
    force: Vec<f64>,
    y: Vec<f64>,
    /// True when the last weight was the identity.
    identity: bool,
    /// Rows that count as independent at most.
    most: usize,
}

impl DenseSystem {
    fn new(model: &Model) -> Self {
        let (n, m) = (model.nv(), model.nc());
        Self {
            n,
            m,
            cholesky: EnvelopeCholesky::new(n),
            orthogonal: Orthogonal::new(n, m),
            augmented: false,
            c: 0.0,
            matrix: vec![0.0; n * n],
            phi_q: vec![0.0; n * m],
            force: vec![0.0; n],
            y: vec![0.0; n.max(m)],
            identity: false,
            most: m,
        }
    }
    /// M + c Phi_q^T Phi_q into `matrix`.
    fn augment(&mut self, terms: &MotionTerms, c: f64) {
        let (n, m) = (self.n, self.m);
        self.matrix.copy_from_slice(&terms.mass);
        for j in 0..n {
            let right = &terms.phi_q[j * m..(j + 1) * m];
            if right.iter().all(|x| *x == 0.0) {
                continue;
            }
            for i in 0..=j {
                let left = &terms.phi_q[i * m..(i + 1) * m];
                let sum: f64 = left.iter().zip(right).map(|(a, b)| a * b).sum();
                self.matrix[i + n * j] += c * sum;
            }
        }
    }
    fn factor_mass(&mut self, terms: &MotionTerms) -> Result<(), ConstraintError> {
        if !self.augmented {
            self.c = 0.0;
            match self.cholesky.factor(&terms.mass) {
                Err(AlgebraError::NotPositiveDefinite { .. }) => self.augmented = true,
                other => return Ok(other?),
            }
        }
        let square = |x: &[f64]| x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        let (mass, phi) = (square(&terms.mass), square(&terms.phi_q));
        self.c = if mass > 0.0 && phi > 0.0 { mass / (phi * phi) } else { 1.0 };
        self.factor_augmented(terms, self.c)
    }
    fn factor_augmented(&mut self, terms: &MotionTerms, c: f64) -> Result<(), ConstraintError> {
        self.augment(terms, c);
        let Self { cholesky, matrix, .. } = self;
        Ok(cholesky.factor(matrix)?)
    }
    /// W = L^-1 Phi_q^T, or Phi_q^T, and its factors.
    fn orthogonalize(&mut self, terms: &MotionTerms, identity: bool, tolerance: RankTolerance) -> usize {
        let (n, m) = (self.n, self.m);
        let Self { cholesky, orthogonal, .. } = self;
        let w = orthogonal.input();
        for (j, column) in terms.phi_q.chunks_exact(m.max(1)).enumerate() {
            for (i, x) in column.iter().enumerate() {
                w[i * n + j] = *x;
            }
        }
        if !identity {
            for column in w.chunks_exact_mut(n.max(1)) {
                cholesky.solve_lower(column);
            }
        }
        self.identity = identity;
        let rank = self.orthogonal.factor(tolerance);
        if rank == self.most && self.orthogonal.share_beyond() > CLEARLY_INDEPENDENT {
            // From the next state on: here the row hardly holds anything yet.
            self.most += 1;
            self.orthogonal.limit_rank(self.most);
        }
        rank
    }
    fn factor(&mut self, terms: &MotionTerms) -> Result<usize, ConstraintError> {
        self.factor_mass(terms)?;
        if self.c > 0.0 {
            self.phi_q.copy_from_slice(&terms.phi_q);
        }
        Ok(self.orthogonalize(terms, false, MOTION_CUTOFF))
    }
    fn factor_weight(
        &mut self,
        terms: &MotionTerms,
        mass: bool,
        tolerance: RankTolerance,
    ) -> Result<usize, ConstraintError> {
        if mass {
            self.factor_mass(terms)?;
        }
        Ok(self.orthogonalize(terms, !mass, tolerance))
    }
    fn solve(&mut self, f: &[f64], gamma: &[f64], a: &mut [f64], lambda: &mut [f64]) {
        let m = self.m;
        self.force.copy_from_slice(f);
        if self.c > 0.0 && m > 0 {
            for (f, column) in self.force.iter_mut().zip(self.phi_q.chunks_exact(m)) {
                *f += self.c * column.iter().zip(gamma).map(|(p, g)| p * g).sum::<f64>();
            }
        }
        let rank = self.orthogonal.rank();
        self.cholesky.solve_lower(&mut self.force);
        self.orthogonal.apply_transpose(&mut self.force);
        self.orthogonal.solve_transpose(gamma, &mut self.y);
        a.copy_from_slice(&self.force);
        a[..rank].copy_from_slice(&self.y[..rank]);
        for (f, y) in self.force[..rank].iter_mut().zip(&self.y) {
            *f -= y;
        }
        self.orthogonal.solve(&self.force, lambda);
        self.orthogonal.apply(a);
        self.cholesky.solve_lower_transpose(a);
    }
    fn shortest(&mut self, b: &[f64], d: &mut [f64]) {
        let rank = self.orthogonal.rank();
        d.fill(0.0);
        self.orthogonal.solve_transpose(b, &mut self.y);
        d[..rank].copy_from_slice(&self.y[..rank]);
        self.orthogonal.apply(d);
        if !self.identity {
            self.cholesky.solve_lower_transpose(d);
        }
    }
    fn factor_penalty(&mut self, terms: &MotionTerms, alpha: f64) -> Result<(), ConstraintError> {
        self.factor_augmented(terms, alpha)
    }
}
