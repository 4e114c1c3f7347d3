//! A subspace of the admissible motions, orthonormal in X = K + sigma M, and the solutions X^-1 b that measure residuals.
//!
//! ```text
//! X g + Phi_q^T l = b,  Phi_q g = 0          |b|_* = |g|_X, the norm of b as a functional on the admissible motions
//! ```
//!
//! X is positive definite there, which the inertia of its factor shows. One factor serves all solutions.

use super::Unproved;
use super::parts::Parts;
use crate::direct::Response;
use mb_algebra::{Dense, Sparse, c64, dense, interrupt, sparse};
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use std::sync::Arc;

/// What is left of a vector outside the basis, relative, below which it is no new direction: the rounding of its constraints
/// would grow by the inverse of this.
const DEPENDENT: f64 = 1e-5;

/// Solutions X^-1 b of the columns of a block.
#[derive(Clone, Debug)]
pub(super) struct Images {
    /// g, n x columns.
    pub(super) g: Dense,
    /// l, m x columns.
    pub(super) l: Dense,
    /// Bound of the error of each g in the norm of X.
    pub(super) error: Vec<f64>,
}

impl Images {
    fn append(&mut self, other: &Self) {
        self.g = dense::hstack(&[&self.g, &other.g]);
        self.l = dense::hstack(&[&self.l, &other.l]);
        self.error.extend(&other.error);
    }

    fn rotate(&mut self, q: &Dense) {
        self.g = dense::mul(&self.g, q);
        self.l = dense::mul(&self.l, q);
        let sums = |j: usize| (0..q.nrows()).map(|i| self.error[i] * q[(i, j)].abs()).sum();
        self.error = (0..q.ncols()).map(sums).collect();
    }
}

/// A matrix A of P beside M and X, with its images on both sides.
#[derive(Debug)]
pub(super) struct Coupling {
    /// The factor of A in P is s to this power.
    pub(super) power: i32,
    a: Sparse,
    /// X^-1 A V.
    pub(super) right: Images,
    /// X^-1 A^T V; none where A is symmetric.
    pub(super) left: Option<(Sparse, Images)>,
}

impl Coupling {
    fn images(&self) -> impl Iterator<Item = &Images> {
        std::iter::once(&self.right).chain(self.left.as_ref().map(|(_, images)| images))
    }

    fn sides(&mut self) -> impl Iterator<Item = (&Sparse, &mut Images)> {
        let left = self.left.as_mut().map(|(a, images)| (&*a, images));
        std::iter::once((&self.a, &mut self.right)).chain(left)
    }
}

/// Largest backward error of a correction, whose right-hand side is rounding: its size is an estimate all the same.
const CORRECTION: f64 = 1e-3;

/// The basis and its images.
#[derive(Debug)]
pub(super) struct Space<'a> {
    pub(super) response: &'a Response,
    pub(super) parts: Arc<Parts<'a>>,
    /// sigma, (rad/s)^2.
    pub(super) sigma: f64,
    x: Sparse,
    /// Phi_q, of independent rows.
    pub(super) phi: Sparse,
    analysis: Arc<SaddleAnalysis>,
    factor: SaddleFactor,
    pub(super) factorizations: usize,
    /// V, n x k.
    pub(super) v: Dense,
    /// X V.
    pub(super) xv: Dense,
    /// Inputs, then the columns of the outputs.
    pub(super) given: Images,
    /// X^-1 M V.
    pub(super) of_m: Images,
    /// C, without damping and gyroscopic terms left out, and K_k.
    pub(super) couplings: Vec<Coupling>,
}

impl<'a> Space<'a> {
    /// The factor of X and the images of the given columns; V is empty.
    pub(super) fn new(
        response: &'a Response,
        parts: &Arc<Parts<'a>>,
        sigma: f64,
        given: &Dense,
    ) -> Result<Self, Unproved> {
        let p = &parts.symmetric;
        let (n, m) = (response.plant.n(), response.plant.m());
        let terms = [(1.0, &p.k), (sigma, &p.m)];
        let pattern = sparse::add(1.0, &sparse::add(1.0, &p.k, 1.0, &p.m), 1.0, &p.c);
        let analysed = |phi: &Sparse| {
            let options = SaddleOptions { tolerance: CORRECTION, ..SaddleOptions::default() };
            SaddleAnalysis::new(&pattern, phi, &options).map(Arc::new)
        };
        let (phi, analysis, factorizations) = (p.phi_q.clone(), analysed(&p.phi_q)?, 1);
        let factor = SaddleFactor::of_sum(&analysis, &terms, &phi)?;
        let inertia = match factor.inertia() {
            Some(inertia) => inertia,
            None => SaddleFactor::full_inertia(&analysis, &terms, &phi)?,
        };
        if [inertia.positive, inertia.negative, inertia.zero] != [n, m, 0] {
            return Err(Unproved::Stiffness);
        }
        let x = sparse::add(1.0, &p.k, sigma, &p.m);
        let empty = |rows: usize| Dense::zeros(rows, 0);
        let none = || Images { g: empty(n), l: empty(m), error: Vec::new() };
        let mut out = Self {
            response,
            parts: Arc::clone(parts),
            sigma,
            x,
            phi,
            analysis,
            factor,
            factorizations,
            v: empty(n),
            xv: empty(n),
            given: none(),
            of_m: none(),
            couplings: Vec::new(),
        };
        out.given = out.images(given)?;
        Ok(out)
    }

    /// X.
    pub(super) fn x(&self) -> &Sparse {
        &self.x
    }

    /// True without any damping.
    pub(super) fn is_undamped(&self) -> bool {
        self.parts.symmetric.c.data().iter().all(|x| *x == 0.0)
    }

    /// Whether a sum of M, C and K is positive definite on the admissible motions, by inertia.
    pub(super) fn is_definite(&mut self, terms: &[(f64, &Sparse)]) -> Result<bool, Unproved> {
        self.factorizations += 1;
        let inertia = SaddleFactor::full_inertia(&self.analysis, terms, &self.phi)?;
        Ok([inertia.positive, inertia.negative, inertia.zero] == [self.x.rows(), self.phi.rows(), 0])
    }

    /// Without any vector.
    pub(super) fn clear(&mut self) {
        let n = self.v.nrows();
        (self.v, self.xv) = (Dense::zeros(n, 0), Dense::zeros(n, 0));
        self.of_m = Images { g: Dense::zeros(n, 0), l: Dense::zeros(self.phi.rows(), 0), error: Vec::new() };
        self.couplings.clear();
    }

    /// Eigenvalues omega^2 below `lambda`, counted by inertia.
    pub(super) fn count_below(&mut self, lambda: f64) -> Result<usize, Unproved> {
        let p = &self.parts.symmetric;
        let terms = [(1.0, &p.k), (-lambda, &p.m)];
        let inertia = SaddleFactor::full_inertia(&self.analysis, &terms, &self.phi)?;
        self.factorizations += 1;
        let (n, m) = (p.k.rows(), self.phi.rows());
        let below = n
            .checked_sub(inertia.positive)
            .filter(|below| inertia.negative == m + below && inertia.zero == 0);
        below.ok_or(Unproved::Count)
    }

    /// X^-1 B, refined once.
    pub(super) fn images(&self, b: &Dense) -> Result<Images, Unproved> {
        let phi = &self.phi;
        let (mut g, mut l) = self.factor.solve_block(b)?;
        let mut rest = b.clone();
        for j in 0..b.ncols() {
            interrupt::check();
            let x = sparse::matvec(&self.x, g.col_as_slice(j));
            let forces = sparse::matvec_transpose(phi, l.col_as_slice(j));
            for (i, r) in rest.col_as_slice_mut(j).iter_mut().enumerate() {
                *r -= x[i] + forces[i];
            }
        }
        let (dg, dl) = self.factor.solve_block(&rest)?;
        g = &g + &dg;
        l = &l + &dl;
        // The correction has the size of the error before it.
        let sizes = self.x_times(&dg);
        let norm =
            |a: &Dense, b: &Dense, j: usize| dense::dot(a.col_as_slice(j), b.col_as_slice(j)).max(0.0).sqrt();
        let own = self.x_times(&g);
        let error = (0..g.ncols()).map(|j| 2.0 * norm(&dg, &sizes, j) + 1e-14 * norm(&g, &own, j)).collect();
        Ok(Images { g, l, error })
    }

    /// X A.
    pub(super) fn x_times(&self, a: &Dense) -> Dense {
        times(&self.x, a)
    }

    /// Adds the directions of the candidates that are not in the span of V yet, with their images; returns how many.
    pub(super) fn add(&mut self, candidates: &Dense) -> Result<usize, Unproved> {
        let n = self.v.nrows();
        let first = self.v.ncols();
        let mut columns: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for j in 0..candidates.ncols() {
            interrupt::check();
            let mut w = candidates.col_as_slice(j).to_vec();
            let before = dense::dot(&w, &sparse::matvec(&self.x, &w)).max(0.0).sqrt();
            for _ in 0..2 {
                let shares = dense::matvec_transpose(&self.xv, &w);
                let span = dense::matvec(&self.v, &shares);
                w.iter_mut().zip(span).for_each(|(w, s)| *w -= s);
                for (v, xv) in &columns {
                    let share = dense::dot(xv, &w);
                    w.iter_mut().zip(v).for_each(|(w, v)| *w -= share * v);
                }
            }
            let image = sparse::matvec(&self.x, &w);
            let after = dense::dot(&w, &image).max(0.0).sqrt();
            if !(after > DEPENDENT * before && after > 0.0) {
                continue;
            }
            let unit = |a: Vec<f64>| a.into_iter().map(|a| a / after).collect::<Vec<f64>>();
            columns.push((unit(w), unit(image)));
        }
        let (_, xv): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        // What was left of a vector may be small compared with what the constraints were met for: met again, by projection in X.
        let added = self.images(&dense::from_columns(n, &xv))?.g;
        let m_images = self.images(&times(&self.parts.symmetric.m, &added))?;
        self.v = dense::hstack(&[&self.v, &added]);
        self.xv = dense::hstack(&[&self.xv, &self.x_times(&added)]);
        self.of_m.append(&m_images);
        let mut couplings = std::mem::take(&mut self.couplings);
        for coupling in &mut couplings {
            for (a, images) in coupling.sides() {
                images.append(&self.images(&times(a, &added))?);
            }
        }
        self.couplings = couplings;
        Ok(self.v.ncols() - first)
    }

    /// V becomes V Q, Q orthogonal, and the images with it.
    pub(super) fn rotate(&mut self, q: &Dense) {
        self.v = dense::mul(&self.v, q);
        self.xv = self.x_times(&self.v);
        self.of_m.rotate(q);
        for (_, images) in self.couplings.iter_mut().flat_map(Coupling::sides) {
            images.rotate(q);
        }
    }

    /// Prepares the images of C and K_k, where these do not vanish.
    pub(super) fn couple(&mut self) -> Result<(), Unproved> {
        let parts = Arc::clone(&self.parts);
        let mut wanted = Vec::new();
        if !(self.is_undamped() && parts.gyroscopic.is_none()) {
            wanted.push((1, parts.whole[1].as_ref().clone(), parts.gyroscopic.is_some()));
        }
        wanted.extend(parts.circulatory.clone().map(|k| (0, k, true)));
        self.couplings = wanted
            .into_iter()
            .map(|(power, a, unsymmetric)| {
                let image = |a: &Sparse| self.images(&times(a, &self.v));
                let right = image(&a)?;
                let transposed = unsymmetric.then(|| sparse::transpose(&a));
                let left = transposed.map(|a| image(&a).map(|images| (a, images))).transpose()?;
                Ok(Coupling { power, a, right, left })
            })
            .collect::<Result<_, Unproved>>()?;
        Ok(())
    }

    /// Images of V: of M, then by coupling those on the right and on the left.
    pub(super) fn images_of_v(&self) -> Vec<&Images> {
        std::iter::once(&self.of_m).chain(self.couplings.iter().flat_map(Coupling::images)).collect()
    }

    /// The factors with which these images are summed to X^-1 P V less its part in V, or X^-1 P^T V where `left`; `of_m` is that of M.
    pub(super) fn factors(&self, s: c64, of_m: c64, left: bool) -> Vec<c64> {
        let mut out = vec![of_m];
        let zero = c64::new(0.0, 0.0);
        for coupling in &self.couplings {
            let factor = s.powi(coupling.power);
            match (&coupling.left, left) {
                (None, _) => out.push(factor),
                (Some(_), false) => out.extend([factor, zero]),
                (Some(_), true) => out.extend([zero, factor]),
            }
        }
        out
    }

    /// Images side by side without what lies in the span of the first `block` vectors, and the bounds
    /// of their errors.
    pub(super) fn outside(&self, block: usize, columns: &[&Images]) -> (Dense, Vec<f64>) {
        let all: Vec<&Dense> = columns.iter().map(|c| &c.g).collect();
        let mut g = dense::hstack(&all);
        let first: Vec<usize> = (0..block).collect();
        let (v, xv) = (dense::select_columns(&self.v, &first), dense::select_columns(&self.xv, &first));
        for _ in 0..2 {
            g = &g - &dense::mul(&v, &dense::mul_transpose(&xv, &g));
        }
        (g, columns.iter().flat_map(|c| c.error.clone()).collect())
    }
}

/// A B with A sparse.
pub(super) fn times(a: &Sparse, b: &Dense) -> Dense {
    let columns: Vec<Vec<f64>> = (0..b.ncols()).map(|j| sparse::matvec(a, b.col_as_slice(j))).collect();
    dense::from_columns(a.rows(), &columns)
}
