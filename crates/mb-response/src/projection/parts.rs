//! The symmetric and the skew parts of the matrices.
//!
//! ```text
//! P = s^2 M + s (C_s + C_k) + (1 + i eta) (K_s + K_k),   M = M^T,  C_s = C_s^T,  C_k = -C_k^T, ..
//! ```
//!
//! C_k are gyroscopic terms, K_k circulatory ones. C_k and K_k are what C_s and K_s leave of the matrices, so that the sums are those
//! matrices but for the rounding of a difference of two entries that are one another's mirror image.

use super::Unproved;
use crate::direct::Response;
use crate::plant::ASYMMETRY;
use mb_algebra::{QuadraticPencil, Sparse, sparse};
use std::borrow::Cow;

/// M, C_s and K_s with what is skew.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    /// M, C_s, K_s and Phi_q.
    pub(super) symmetric: Cow<'a, QuadraticPencil<Sparse>>,
    /// C_k; none where it vanishes.
    pub(super) gyroscopic: Option<Sparse>,
    /// K_k; none where it vanishes.
    pub(super) circulatory: Option<Sparse>,
    /// M, C and K of the projected problem.
    pub(super) whole: [Cow<'a, Sparse>; 3],
}

impl<'a> Parts<'a> {
    /// Refuses an unsymmetric M, and K_k beside structural damping: i eta x* K_k x is real, and of any sign.
    pub(super) fn new(response: &'a Response) -> Result<Self, Unproved> {
        if response.symmetric {
            let p = response.factored();
            let whole = [&p.m, &p.c, &p.k].map(Cow::Borrowed);
            return Ok(Self { symmetric: Cow::Borrowed(p), gyroscopic: None, circulatory: None, whole });
        }
        let p = &response.plant.pencil;
        if sparse::is_symmetric(&p.m, ASYMMETRY).is_err() {
            return Err(Unproved::Unsymmetric { what: "the mass matrix" });
        }
        let symmetric = response.plant.symmetric_parts();
        let rest = |a: &Sparse, symmetric: &Sparse| {
            let rest = sparse::add(1.0, a, -1.0, symmetric);
            rest.data().iter().any(|x| *x != 0.0).then_some(rest)
        };
        let (gyroscopic, circulatory) = (rest(&p.c, &symmetric.c), rest(&p.k, &symmetric.k));
        if circulatory.is_some() && response.plant.loss != 0.0 {
            return Err(Unproved::Unsymmetric { what: "the stiffness beside structural damping" });
        }
        let whole = [Cow::Owned(symmetric.m.clone()), Cow::Borrowed(&p.c), Cow::Borrowed(&p.k)];
        Ok(Self { symmetric: Cow::Owned(symmetric), gyroscopic, circulatory, whole })
    }

    /// Whether anything is skew.
    pub(super) fn is_skew(&self) -> bool {
        self.gyroscopic.is_some() || self.circulatory.is_some()
    }
}
