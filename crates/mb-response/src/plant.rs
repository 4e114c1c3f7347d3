//! The matrices of a system with inputs and outputs, and their form without multipliers in the outputs.
//!
//! ```text
//! (s^2 M + s C + (1 + i eta) K) x + Phi_q^T l = F u,   Phi_q x = 0
//! y = (Y_q + s Y_v + s^2 Y_a) x + Y_l l + D u
//! ```
//!
//! Constraint rows that follow from others are left out: U has independent rows of about length one that span what those of Phi_q do. The
//! rank is decided once, with the numbers on both sides of the cut; rows that depend on each other but for the rounding of a
//! configuration would make equations that are singular but for that rounding. Outputs that read multipliers are rewritten, with Y_U l_U those of
//! the shortest multipliers l and U z = Y_U^T,
//!
//! ```text
//! Y_l l = z^T U^T l_U = z^T F u - z^T (s^2 M + s C + (1 + i eta) K) x
//! ```
//!
//! so that all outputs are polynomials of s in x alone and their adjoint problem has the constraints of the system itself.

use crate::error::ResponseError;
use mb_algebra::{Dense, QuadraticPencil, Sparse, dense, norms, sparse};
use mb_eigen::{ConstraintRows, Finding};
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use std::sync::Arc;

/// Asymmetry of a matrix, relative, that is rounding.
pub(crate) const ASYMMETRY: f64 = 1e-12;

/// A system with inputs and outputs.
#[derive(Clone, Debug)]
pub struct Plant {
    /// M, C, K (n x n) and Phi_q (m x n).
    pub pencil: QuadraticPencil<Sparse>,
    /// F, n x inputs.
    pub f: Dense,
    /// Y_q, outputs x n.
    pub by_q: Dense,
    /// Y_v, outputs x n.
    pub by_v: Dense,
    /// Y_a, outputs x n.
    pub by_a: Dense,
    /// Y_l, outputs x m.
    pub by_lambda: Dense,
    /// D, outputs x inputs.
    pub feedthrough: Dense,
    /// Loss factor eta of structural damping, K (1 + i eta) at positive frequencies; zero for none.
    pub loss: f64,
}

impl Plant {
    /// Outputs that read displacements alone; `f` n x inputs, `by_q` outputs x n.
    pub fn displacement(pencil: QuadraticPencil<Sparse>, f: Dense, by_q: Dense) -> Self {
        let (n, m, ny, nu) = (pencil.m.rows(), pencil.phi_q.rows(), by_q.nrows(), f.ncols());
        let none = || Dense::zeros(ny, n);
        let (by_lambda, feedthrough) = (Dense::zeros(ny, m), Dense::zeros(ny, nu));
        Self { pencil, f, by_q, by_v: none(), by_a: none(), by_lambda, feedthrough, loss: 0.0 }
    }
    /// Unknowns n.
    pub fn n(&self) -> usize {
        self.pencil.m.rows()
    }
    /// Constraint rows m.
    pub fn m(&self) -> usize {
        self.pencil.phi_q.rows()
    }
    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.f.ncols()
    }
    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.by_q.nrows()
    }

    /// Refuses matrices that do not fit each other and entries that are not finite.
    pub(crate) fn check(&self) -> Result<(), ResponseError> {
        let (n, m, ny, nu) = (self.n(), self.m(), self.outputs(), self.inputs());
        let sparse = [("M", &self.pencil.m, n), ("C", &self.pencil.c, n), ("K", &self.pencil.k, n)];
        for (matrix, a, rows) in sparse.into_iter().chain([("Phi_q", &self.pencil.phi_q, m)]) {
            fits(matrix, a.shape(), (rows, n))?;
            if sparse::first_non_finite(a).is_some() {
                return Err(ResponseError::NonFinite { matrix });
            }
        }
        for (matrix, a, shape) in [
            ("F", &self.f, (n, nu)),
            ("Y_q", &self.by_q, (ny, n)),
            ("Y_v", &self.by_v, (ny, n)),
            ("Y_a", &self.by_a, (ny, n)),
            ("Y_l", &self.by_lambda, (ny, m)),
            ("D", &self.feedthrough, (ny, nu)),
        ] {
            fits(matrix, a.shape(), shape)?;
            if dense::first_non_finite(a).is_some() {
                return Err(ResponseError::NonFinite { matrix });
            }
        }
        if self.loss.is_finite() { Ok(()) } else { Err(ResponseError::NonFinite { matrix: "eta" }) }
    }

    /// The same with independent constraint rows and outputs without multipliers.
    pub(crate) fn reduced(mut self) -> Result<Reduced, ResponseError> {
        let (n, ny) = (self.n(), self.outputs());
        let rows = ConstraintRows::new(&self.pencil.phi_q)?;
        let (phi, r) = (rows.independent(), rows.independent().rows());
        let (mut lossy, mut undetermined) = (Dense::zeros(ny, n), vec![0.0; ny]);
        let reads = |o: &usize| (0..self.m()).any(|j| self.by_lambda[(*o, j)] != 0.0);
        let reading: Vec<usize> = (0..ny).filter(reads).collect();
        if !reading.is_empty() && r > 0 {
            let identity = sparse::identity(n);
            let analysis = Arc::new(SaddleAnalysis::new(&identity, phi, &SaddleOptions::default())?);
            let factor = SaddleFactor::new(&analysis, &identity, phi)?;
            let [mt, ct, kt] = [&self.pencil.m, &self.pencil.c, &self.pencil.k].map(sparse::transpose);
            for o in reading {
                let read = rows.reading(&dense::row(&self.by_lambda, o));
                undetermined[o] = read.undetermined;
                let (z, _) = factor.solve(&vec![0.0; n], &read.independent)?;
                let [by_m, by_c, by_k] = [&mt, &ct, &kt].map(|a| sparse::matvec(a, &z));
                for j in 0..n {
                    self.by_q[(o, j)] -= by_k[j];
                    self.by_v[(o, j)] -= by_c[j];
                    self.by_a[(o, j)] -= by_m[j];
                    lossy[(o, j)] = -self.loss * by_k[j];
                }
                for (j, x) in dense::matvec_transpose(&self.f, &z).into_iter().enumerate() {
                    self.feedthrough[(o, j)] += x;
                }
            }
        }
        self.by_lambda = Dense::zeros(ny, r);
        self.pencil.phi_q = phi.clone();
        Ok(Reduced { plant: self, lossy, undetermined, rows: rows.findings().to_vec() })
    }

    /// True when M, C and K are symmetric to rounding.
    pub(crate) fn symmetric(&self) -> bool {
        [&self.pencil.m, &self.pencil.c, &self.pencil.k]
            .iter()
            .all(|a| norms_of(a) == 0.0 || sparse::is_symmetric(a, ASYMMETRY).is_ok())
    }

    /// The symmetric parts of M, C and K; none where these are symmetric to the last digit.
    pub(crate) fn mirrored(&self) -> Option<QuadraticPencil<Sparse>> {
        let p = &self.pencil;
        if [&p.m, &p.c, &p.k].iter().all(|a| sparse::is_symmetric(a, 0.0).is_ok()) {
            return None;
        }
        Some(self.symmetric_parts())
    }

    /// (A + A^T) / 2 of M, C and K.
    pub(crate) fn symmetric_parts(&self) -> QuadraticPencil<Sparse> {
        let p = &self.pencil;
        let half = |a: &Sparse| sparse::add(0.5, a, 0.5, &sparse::transpose(a));
        QuadraticPencil { m: half(&p.m), c: half(&p.c), k: half(&p.k), phi_q: p.phi_q.clone() }
    }
}

/// A plant with independent constraint rows, whose outputs read no multipliers.
pub(crate) struct Reduced {
    pub(crate) plant: Plant,
    /// The imaginary part of Y_q that structural damping gives, outputs x n.
    pub(crate) lossy: Dense,
    /// By output the share that reads how rows share a reaction between them, which nothing determines.
    pub(crate) undetermined: Vec<f64>,
    /// What is known of the constraint rows.
    pub(crate) rows: Vec<Finding>,
}

fn norms_of(a: &Sparse) -> f64 {
    norms::max_abs_vec(a.data())
}

fn fits(
    matrix: &'static str,
    (rows, cols): (usize, usize),
    (expected_rows, expected_cols): (usize, usize),
) -> Result<(), ResponseError> {
    if (rows, cols) == (expected_rows, expected_cols) {
        Ok(())
    } else {
        Err(ResponseError::Shape { matrix, rows, cols, expected_rows, expected_cols })
    }
}
