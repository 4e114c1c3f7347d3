//! The direct method: eigenvalues of a constrained system with its multipliers as unknowns.
//!
//! ```text
//! (r^2 M^ + r C^ + K^) y = 0,   M^ = [M 0; 0 0], C^ = [C 0; 0 0], K^ = [K Phi_q^T; Phi_q 0],  y = (x, l)      (2.6), (2.7)
//! scale     l = k l^, constraints times k:   K^ = [K k Phi_q^T; k Phi_q 0]                                     (3.7)
//! shift     r = r_ + a:   M_ = M^,  C_ = 2 a M^ + C^,  K_ = a^2 M^ + a C^ + K^                                 (2.8)
//! enlarge   r_ [-C_ -M_; I 0] Y = [K_ 0; 0 I] Y,   Y = (y, r_ y)                                              (2.9)
//! Arnoldi   on the inverse of the second matrix times the first; its eigenvalues are 1 / r_
//! back      r = r_ + a,  l = k l^
//! ```
//!
//! C. Yang, D. Cao, Z. Zhao, Z. Zhang, G. Ren, Journal of Applied Mathematics 2012, sections 2 and 3. Every step stands for itself:
//! [`Augmented`] holds the matrices and scales, shifts and enlarges them, [`Scaling`] chooses k, [`condition`] says
//! what the scaling is worth, [`solve`] runs them all. Sizes: n unknowns, m constraint rows, form (2.9) 2 (n + m); of
//! its eigenvalues 2 (n - m) are finite and 4 m infinite, in m chains of four.
//!
//! The results are those of the unscaled, unshifted problem, with the certificates of the sparse analyses
//! ([`crate::sparse`]). Redundant rows are left out and named. Rigid-body and mechanism modes are found as a null space
//! first and taken out of the iteration. [`crate::sparse::solve`] works on displacements instead, with half the
//! length and without infinite eigenvalues: prefer it for results; this module is the published method.
//!
//! Paper: [yang2012] Eqs. (2.9), (3.7).
//!
//! [yang2012]: self
//!
//! ```
//! use mb_algebra::{QuadraticPencil, dense};
//! use mb_eigen::direct::{DirectOptions, solve};
//!
//! // Two masses on stiff springs, the first one held by a constraint in metres: K is 1e12 times as large as Phi_q.
//! let k = 1e12;
//! let pencil = QuadraticPencil {
//!     m: dense::identity(2),
//!     c: dense::zeros(2, 2),
//!     k: dense::from_rows(&[&[2.0 * k, -k], &[-k, k]]),
//!     phi_q: dense::from_rows(&[&[1.0, 0.0]]),
//! };
//! let analysis = solve(&pencil.to_sparse(), 1, &DirectOptions::default())?;
//! let eigenpair = &analysis.spectrum.eigenpairs[0];
//! let s = eigenpair.value().expect("a physical eigenvalue is finite");
//! assert!((s.im - k.sqrt()).abs() <= eigenpair.error_bound);
//! // Scaling took the condition number from 1e24 to a few units.
//! let [before, after] = analysis.condition.expect("asked for by default");
//! assert!(before.value > 1e23 && after.value < 100.0);
//! # Ok::<(), mb_eigen::EigenError>(())
//! ```

mod arnoldi;
mod augmented;
mod condition;
mod factored;
mod operator;
mod options;
mod solve;

pub use augmented::Augmented;
pub use condition::{Condition, condition};
pub use options::{DirectOptions, Factorization, Scaling};
pub use solve::{DirectAnalysis, solve};
