//! An eigenvalue with its vectors before it is certified.

use mb_algebra::c64;

use crate::Shape;

/// An eigenvalue before it is certified.
#[derive(Clone, Debug)]
pub(crate) struct Uncertified {
    /// Zero where `rigid`.
    pub(crate) s: c64,
    pub(crate) right: Shape,
    /// Multipliers of the rows as given.
    pub(crate) multipliers: Shape,
    /// y and mu; absent when they are the conjugates of x and l.
    pub(crate) left: Option<(Shape, Shape)>,
    pub(crate) rigid: bool,
    /// The conjugate eigenvalue is to be added.
    pub(crate) mirror: bool,
    /// -s is an eigenvalue with the same vectors (undamped symmetric problems with w < 0).
    pub(crate) opposite: bool,
    /// Length of the chain at zero; |y^H (second-order coefficient) x| for a chain of two and unit vectors.
    pub(crate) chain: usize,
    pub(crate) curvature: f64,
}

impl Uncertified {
    /// s of a mode with s^2 = -w: on the upper half of the imaginary axis, or positive.
    pub(crate) fn of_square(w: f64) -> c64 {
        let size = w.abs().sqrt();
        if w > 0.0 { c64::new(0.0, size) } else { c64::new(size, 0.0) }
    }

    /// Whether s is not corrected by a quotient: it is zero, or one of a chain.
    pub(crate) fn stays(&self) -> bool {
        self.rigid || self.chain > 1 || self.s == c64::new(0.0, 0.0)
    }

    /// A simple eigenvalue of a symmetric problem that stands for itself alone.
    pub(crate) fn simple(s: c64, right: Shape, multipliers: Shape) -> Self {
        let (left, rigid, mirror, opposite, chain, curvature) = (None, false, false, false, 1, 0.0);
        Self { s, right, multipliers, left, rigid, mirror, opposite, chain, curvature }
    }

    /// The same for one above the real axis, with its conjugate.
    #[cfg(test)]
    pub(crate) fn oscillating(s: c64, right: Shape, multipliers: Shape) -> Self {
        Self { mirror: true, curvature: 1.0, ..Self::simple(s, right, multipliers) }
    }

    /// The eigenvalue without its vectors.
    pub(crate) fn head(&self) -> Self {
        // Whether left vectors are others than the right ones stays known.
        let left = self.left.as_ref().map(|_| (Shape::default(), Shape::default()));
        Self { right: Shape::default(), multipliers: Shape::default(), left, ..*self }
    }
}
