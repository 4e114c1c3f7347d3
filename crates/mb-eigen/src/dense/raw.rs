//! An eigenvalue as the reduced problem gives it, before it is certified.

use mb_algebra::{Dense, c64};

use crate::numeric::vectors;
use crate::numeric::vectors::ZERO;

/// What the structure says of an eigenvalue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// From a matrix eigensolver.
    Ordinary,
    /// Exact zero from the null space of the stiffness.
    Zero,
    /// Exact infinity.
    Infinite,
    /// Common null space of all matrices.
    Indeterminate,
}

/// An eigenvalue with vectors of any length and phase.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub(crate) alpha: c64,
    pub(crate) beta: f64,
    pub(crate) right: Vec<c64>,
    /// Absent when it is the conjugate of the right vector (symmetric matrices).
    pub(crate) left: Option<Vec<c64>>,
    pub(crate) kind: Kind,
    /// The conjugate eigenvalue belongs to the spectrum too and is not listed.
    pub(crate) mirror: bool,
    /// Length of the chain the eigenvalue belongs to.
    pub(crate) chain: usize,
    /// For chain 2: |y^H (second-order coefficient) x| for the vectors as they stand here.
    pub(crate) curvature: f64,
    /// Distance to the eigenvalue where the solver proved one; value and bound are then kept as they are.
    pub(crate) bound: Option<f64>,
}

impl Raw {
    /// A finite eigenvalue s from an eigensolver.
    pub(crate) fn finite(s: c64, right: Vec<c64>, left: Option<Vec<c64>>, mirror: bool) -> Self {
        let beta = s.norm().hypot(1.0).recip();
        Self {
            alpha: s * beta,
            beta,
            right,
            left,
            kind: Kind::Ordinary,
            mirror,
            chain: 1,
            curvature: 0.0,
            bound: None,
        }
    }

    /// An eigenvalue known by structure, with real vectors.
    pub(crate) fn structural(
        kind: Kind,
        right: &[f64],
        left: Option<&[f64]>,
        chain: usize,
        curvature: f64,
    ) -> Self {
        let (alpha, beta) = match kind {
            Kind::Zero | Kind::Ordinary => (ZERO, 1.0),
            Kind::Infinite => (c64::new(1.0, 0.0), 0.0),
            Kind::Indeterminate => (ZERO, 0.0),
        };
        Self {
            alpha,
            beta,
            right: vectors::complex(right),
            left: left.map(vectors::complex),
            kind,
            mirror: false,
            chain,
            curvature,
            bound: None,
        }
    }

    /// Carries the vectors to other coordinates: x = lift z, y = lift_left w.
    pub(crate) fn lifted(raws: Vec<Self>, lift: Option<&Dense>, lift_left: Option<&Dense>) -> Vec<Self> {
        let Some(lift) = lift else { return raws };
        let lift_left = lift_left.unwrap_or(lift);
        let rights: Vec<_> = raws.iter().map(|raw| raw.right.clone()).collect();
        let lefts: Vec<_> = raws.iter().filter_map(|raw| raw.left.clone()).collect();
        let rights = vectors::Block::new(lift.ncols(), &rights).apply(lift);
        let lefts = vectors::Block::new(lift_left.ncols(), &lefts).apply(lift_left);
        let mut at = 0;
        let mut out = raws;
        for (j, raw) in out.iter_mut().enumerate() {
            raw.right = rights.column(j);
            if raw.left.is_some() {
                raw.left = Some(lefts.column(at));
                at += 1;
            }
        }
        out
    }

    /// Carries the vectors from equilibrated coordinates to those given: x = D_c z, y = D_r w.
    pub(crate) fn in_units(&mut self, [rows, columns]: &[Vec<f64>; 2]) {
        for (vector, d) in [(Some(&mut self.right), columns), (self.left.as_mut(), rows)] {
            vector.into_iter().flatten().zip(d).for_each(|(x, d)| *x *= *d);
        }
    }

    /// s = alpha / beta, zero where it is not finite.
    pub(crate) fn value(&self) -> c64 {
        if self.beta > 0.0 { self.alpha / self.beta } else { ZERO }
    }
}
