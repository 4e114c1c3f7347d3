//! Likeness of modes by their left and right vectors.
//!
//! ```text
//! MAC_ij = |z_i^T ((s_i + s_j) M + C) phi_j|^2 / (|z_i^T A'(s_i) phi_i| |z_j^T A'(s_j) phi_j|)
//! ```
//!
//! with A'(s) = 2 s M + C. At one point it is 1 for i = j and 0 otherwise, exactly, for any
//! matrices: left and right states of different eigenvalues are orthogonal in this product. Unlike
//! the MAC of right vectors alone it does not depend on units and distinguishes complex modes; it
//! may exceed 1.
//!
//! Between different points the matrices of the second one are taken.

use crate::bordered::slope_times;
use crate::polish::RefinedEigenpair;
use crate::storage::Storage;
use crate::vectors::{dot, zeros};
use mb_algebra::{Dense, QuadraticPencil, c64};

/// An eigenvalue with its right vector and conjugated left one.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Eigenvalue, rad/s.
    pub s: c64,
    /// Right vector phi, length n.
    pub right: &'a [c64],
    /// z = conj(y) of the left vector y.
    pub left: &'a [c64],
}

impl<'a> From<&'a RefinedEigenpair> for Shape<'a> {
    fn from(pair: &'a RefinedEigenpair) -> Self {
        Self { s: pair.s, right: &pair.vector, left: &pair.left }
    }
}

/// The left-right MAC of two modes with the matrices of a point (see the module).
///
/// Zero when a mode is orthogonal to itself, as a defective one is.
pub fn left_right_mac<A: Storage>(p: &QuadraticPencil<A>, a: &Shape<'_>, b: &Shape<'_>) -> f64 {
    let own = |x: &Shape<'_>| dot(x.left, &slope_times(p, x.s, x.right)).norm();
    let mut image = zeros(b.right.len());
    p.m.add_product(a.s + b.s, b.right, &mut image);
    p.c.add_product(c64::ONE, b.right, &mut image);
    let cross = dot(a.left, &image).norm_sqr();
    let size = own(a) * own(b);
    if size > 0.0 && cross.is_finite() { cross / size } else { 0.0 }
}

/// The left-right MAC of all modes of one list with all of another, a.len() x b.len().
pub fn left_right_mac_matrix<A: Storage>(
    p: &QuadraticPencil<A>,
    a: &[RefinedEigenpair],
    b: &[RefinedEigenpair],
) -> Dense {
    Dense::from_fn(a.len(), b.len(), |i, j| left_right_mac(p, &(&a[i]).into(), &(&b[j]).into()))
}
