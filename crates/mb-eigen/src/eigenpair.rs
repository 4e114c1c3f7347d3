//! One eigenvalue with its vectors and its certificate.

use mb_algebra::c64;

use crate::{Class, Shape};

/// An eigenvalue s = alpha / beta of (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0, with n unknowns and m
/// constraints.
///
/// Vectors: x has 2-norm one and its largest entry is real and positive. Where s is finite and y^H (2 s M + C) x
/// does not vanish, the left vector is scaled to make it one (the biorthonormality of palomba2019, Eqs. (17)-(18),
/// written for the quadratic problem); elsewhere it has 2-norm one. The multipliers belong to the finite form of
/// the equation; where beta = 0 they belong to (alpha^2 M + alpha beta C + beta^2 K) x + Phi_q^T l = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenpair {
    /// Numerator of s in rad/s; |alpha|^2 + beta^2 = 1, or alpha = 0 where the eigenvalue is indeterminate.
    pub alpha: c64,
    /// Denominator of s, not negative.
    pub beta: f64,
    /// Displacements x, n.
    pub right: Shape,
    /// Multipliers l, m; of minimum norm where constraint rows depend on each other.
    pub multipliers: Shape,
    /// y, n: y^H (s^2 M + s C + K) + mu^H Phi_q = 0, Phi_q y = 0. Empty, as `left_multipliers`, where a sparse analysis was
    /// not asked for left vectors ([`crate::sparse::SparseOptions::left_vectors`]).
    pub left: Shape,
    /// mu, m, of the left vector.
    pub left_multipliers: Shape,
    /// Norm of (alpha^2 M + alpha beta C + beta^2 K) x + Phi_q^T l over the norms of its terms, on the matrices as
    /// given; rows of Phi_q are taken at length one.
    pub backward_error: f64,
    /// |Phi_q x| / (|Phi_q| |x|), rows of Phi_q taken at length one.
    pub constraint_violation: f64,
    /// Condition number of the eigenvalue with respect to relative changes of M, C, K, measured as an angle in the
    /// plane of (alpha, beta) with s in units of sqrt(|K| / |M|); infinite where the eigenvalue is defective.
    pub condition: f64,
    /// Distance in rad/s within which the exact eigenvalue of the given matrices lies; infinite where s is not finite.
    pub error_bound: f64,
    /// Length of the chain of generalized vectors the eigenvalue belongs to as far as the structure shows: 1 where it
    /// has a vector of its own, 2 where it shares it with a second eigenvalue (a body free to drift).
    pub chain: usize,
    /// Share of the penalty terms in the kinetic energy of x; only for penalty problems.
    pub penalty_share: Option<f64>,
    /// What the eigenvalue stands for.
    pub class: Class,
}

impl Eigenpair {
    /// s = alpha / beta in rad/s; none where it is infinite or indeterminate.
    pub fn value(&self) -> Option<c64> {
        (self.beta > 0.0).then(|| self.alpha / self.beta)
    }

    /// |Im s| / (2 pi), the frequency at which a damped motion oscillates.
    pub fn frequency_hz(&self) -> Option<f64> {
        self.value().map(|s| s.im.abs() / std::f64::consts::TAU)
    }

    /// |s| / (2 pi), the undamped natural frequency of a pair.
    pub fn natural_frequency_hz(&self) -> Option<f64> {
        self.value().map(|s| s.norm() / std::f64::consts::TAU)
    }

    /// -Re s / |s|: below 0 unstable, below 1 oscillating, 1 for a real decaying eigenvalue; none at zero and infinity.
    pub fn damping_ratio(&self) -> Option<f64> {
        self.value().filter(|s| s.norm() > 0.0).map(|s| 0.0 - s.re / s.norm())
    }

    /// Whether the error bound leaves the eigenvalue a digit: false where it is as large as |s|, so that neither the value nor whether it grows
    /// is known. True for what is zero, infinite or indeterminate by structure.
    pub fn is_determined(&self) -> bool {
        self.class != Class::Physical
            || self.value().is_none_or(|s| self.error_bound == 0.0 || self.error_bound < s.norm())
    }

    /// The eigenpair without its left vector.
    pub(crate) fn without_left(mut self) -> Self {
        (self.left, self.left_multipliers) = (Shape::default(), Shape::default());
        self
    }

    /// The eigenpair with conjugate eigenvalue and vectors.
    pub fn conjugate(&self) -> Self {
        Self {
            alpha: self.alpha.conj(),
            right: self.right.conjugate(),
            multipliers: self.multipliers.conjugate(),
            left: self.left.conjugate(),
            left_multipliers: self.left_multipliers.conjugate(),
            ..*self
        }
    }
}
