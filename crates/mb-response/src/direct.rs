//! H at one frequency by a factorization, with a bound of its rounding.
//!
//! ```text
//! P = s^2 M + s C + (1 + i eta) K,  S = [P, Phi_q^T; Phi_q, 0],  W = Y_q + s Y_v + s^2 Y_a,  s = i omega
//! S (x, l) = (F, 0),  H = W x + D;      S^T (z, mu) = (W^T, 0)
//! ```
//!
//! The error of H in exact arithmetic is (z, mu)^T r with the residual r = (F, 0) - S (x, l) of the computed solution. It is
//! bounded by
//!
//! ```text
//! |dH| <= 2 |z|^T (|r| + g (|P| |x| + |Phi_q|^T |l| + |F|)) + 2 |mu|^T (|Phi_q x| + g |Phi_q| |x|) + g |W| |x|
//! ```
//!
//! where g covers the rounding of a row's sum and the factor 2 the error of the computed adjoint z. The bound holds for the
//! matrices as given. Where it reaches |H| the system has an undamped pole there.

use crate::bounds::{Terms, rounding};
use crate::error::ResponseError;
use crate::plant::Plant;
use mb_algebra::saddle::{SaddleAnalysis, SaddleError, SaddleFactorComplex, SaddleLuComplex, SaddleOptions};
use mb_algebra::{AlgebraError, Dense, DenseC, QuadraticPencil, Sparse, c64, dense, sparse};
use std::sync::Arc;

/// H at one frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// omega, rad/s.
    pub omega: f64,
    /// H, outputs x inputs.
    pub value: DenseC,
    /// Bound of |dH| by entry, outputs x inputs.
    pub bound: Dense,
}

/// A system prepared for its response.
#[derive(Debug)]
pub struct Response {
    pub(crate) plant: Plant,
    /// Imaginary part of Y_q, from structural damping in outputs that read multipliers.
    pub(crate) lossy: Dense,
    /// M, C and K are symmetric to a tolerance.
    pub(crate) symmetric: bool,
    /// Their symmetric parts, where they are not symmetric to the last digit.
    mirrored: Option<QuadraticPencil<Sparse>>,
    pub(crate) analysis: Arc<SaddleAnalysis>,
    /// Rounding of a sum over the longest row.
    pub(crate) rounding: f64,
}

enum Factors {
    Symmetric(SaddleFactorComplex),
    General(SaddleLuComplex),
}

impl Response {
    /// Checks the matrices and analyses their structure.
    ///
    /// # Errors
    /// Shapes that do not fit, entries that are not finite; memory.
    pub fn new(plant: Plant) -> Result<Self, ResponseError> {
        plant.check()?;
        let (plant, lossy) = plant.without_multipliers()?;
        let symmetric = plant.symmetric();
        let mirrored = if symmetric { plant.mirrored() } else { None };
        let p = mirrored.as_ref().unwrap_or(&plant.pencil);
        let pattern = [&p.m, &p.c].iter().fold(p.k.clone(), |sum, a| sparse::add(1.0, &sum, 1.0, a));
        let analysis = Arc::new(SaddleAnalysis::new(&pattern, &p.phi_q, &SaddleOptions::default())?);
        let rounding = rounding(&[&pattern, &sparse::transpose(&pattern), &p.phi_q]);
        Ok(Self { plant, lossy, symmetric, mirrored, analysis, rounding })
    }

    /// The system, its outputs without multipliers.
    pub fn plant(&self) -> &Plant {
        &self.plant
    }

    /// Operations of one factorization, by estimate.
    pub fn operations(&self) -> f64 {
        4.0 * self.analysis.estimate().flops + 4e3 * (self.plant.n() + self.plant.m()) as f64
    }

    /// W = Y_q + s Y_v + s^2 Y_a transposed, n x outputs.
    pub(crate) fn outputs_at(&self, s: c64) -> DenseC {
        let p = &self.plant;
        DenseC::from_fn(p.n(), p.outputs(), |j, o| {
            c64::new(p.by_q[(o, j)], self.lossy[(o, j)]) + s * p.by_v[(o, j)] + s * s * p.by_a[(o, j)]
        })
    }

    /// The matrices that are factored: symmetric to the last digit where they are to a tolerance. Weak entries, as of the
    /// rotation of an averaged face, may be all asymmetry, and no symmetric factor takes them; residuals are those of the
    /// matrices as given.
    pub(crate) fn factored(&self) -> &QuadraticPencil<Sparse> {
        self.mirrored.as_ref().unwrap_or(&self.plant.pencil)
    }

    /// The factors of M, C and K in P.
    fn terms<'a>(&self, s: c64, p: &'a QuadraticPencil<Sparse>) -> [(c64, &'a Sparse); 3] {
        [(s * s, &p.m), (s, &p.c), (c64::new(1.0, self.plant.loss), &p.k)]
    }

    /// H at s = i omega, omega in rad/s.
    ///
    /// # Errors
    /// [`ResponseError::Pole`] where the response is infinite to rounding; [`ResponseError::BadFrequency`]; memory.
    pub fn direct(&self, omega: f64) -> Result<Sample, ResponseError> {
        self.transfer(c64::new(0.0, omega))
    }

    /// H at any s in rad/s, with its bound; `omega` of the sample is Im s.
    ///
    /// # Errors
    /// As [`Response::direct`].
    pub fn transfer(&self, s: c64) -> Result<Sample, ResponseError> {
        let omega = s.im;
        if !(s.re.is_finite() && omega.is_finite()) {
            return Err(ResponseError::BadFrequency { omega });
        }
        let (terms, phi) = (self.terms(s, self.factored()), &self.plant.pencil.phi_q);
        let at_pole = |e: AlgebraError| match e {
            AlgebraError::Saddle(SaddleError::Singular { .. } | SaddleError::ResidualTooLarge { .. })
            | AlgebraError::Singular { .. } => ResponseError::Pole { omega },
            other => other.into(),
        };
        let factors = if self.symmetric {
            SaddleFactorComplex::of_sum(&self.analysis, &terms, phi).map(Factors::Symmetric)
        } else {
            SaddleLuComplex::of_sum(&self.analysis, &terms, phi).map(Factors::General)
        };
        let factors = factors.map_err(at_pole)?;
        let f = dense::to_complex(&self.plant.f);
        let w = self.outputs_at(s);
        let ((x, l), (z, mu)) = match &factors {
            Factors::Symmetric(factor) => (factor.solve_block(&f), factor.solve_block(&w)),
            Factors::General(factor) => (factor.solve_block(&f), factor.solve_block_transposed(&w)),
        }
        .transposed()
        .map_err(at_pole)?;
        let given = self.terms(s, &self.plant.pencil);
        let sums = Terms::new(&given, phi);
        let residuals: Vec<_> = (0..f.ncols())
            .map(|i| sums.residual(f.col_as_slice(i), x.col_as_slice(i), l.col_as_slice(i), self.rounding))
            .collect();
        let d = &self.plant.feedthrough;
        let mut value = DenseC::zeros(d.nrows(), d.ncols());
        let mut bound = Dense::zeros(d.nrows(), d.ncols());
        for o in 0..d.nrows() {
            let (z, mu) = (z.col_as_slice(o), mu.col_as_slice(o));
            for (i, (rows, constraints)) in residuals.iter().enumerate() {
                let products = w.col_as_slice(o).iter().zip(x.col_as_slice(i));
                let (sum, size) = products
                    .fold((c64::new(d[(o, i)], 0.0), d[(o, i)].abs()), |(sum, size), (w, x)| {
                        (sum + w * x, size + w.norm() * x.norm())
                    });
                value[(o, i)] = sum;
                bound[(o, i)] = 2.0 * (weighted(z, rows) + weighted(mu, constraints)) + self.rounding * size;
            }
        }
        let lost = |o: usize, i: usize| !(bound[(o, i)].is_finite() && value[(o, i)].is_finite());
        let infinite = (0..d.nrows()).any(|o| (0..d.ncols()).any(|i| lost(o, i)));
        if infinite { Err(ResponseError::Pole { omega }) } else { Ok(Sample { omega, value, bound }) }
    }
}

/// sum |z_i| r_i.
fn weighted(z: &[c64], r: &[f64]) -> f64 {
    z.iter().zip(r).map(|(z, r)| z.norm() * r).sum()
}

/// Two results as one.
trait Transposed<T, E> {
    fn transposed(self) -> Result<(T, T), E>;
}

impl<T, E> Transposed<T, E> for (Result<T, E>, Result<T, E>) {
    fn transposed(self) -> Result<(T, T), E> {
        Ok((self.0?, self.1?))
    }
}
