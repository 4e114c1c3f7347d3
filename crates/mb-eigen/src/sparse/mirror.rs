//! Left vectors of gyroscopic problems.
//!
//! With real symmetric M and K and C^T = -C the transposed conjugate of S(s) = s^2 M + s C + K is S(-s*), so that
//!
//! ```text
//! S(s) x = -Phi^T l  for s  ==>  x^H S(-s*) = -l^H Phi
//! ```
//!
//! and roots come in pairs s, -s* (Lancaster, Lambda-Matrices and Vibrating Systems, section 7.7). The left vector of a root
//! on the imaginary axis is its right one; a root beside it has that of its mirror image. No second search is needed.

use mb_algebra::{DenseC, c64};

use super::general::Set;
use super::problem::Problem;
use crate::krylov::scalar::pick;

/// A root nearer to the imaginary axis than this part of its size lies on it but for rounding.
const ON_AXIS: f64 = 1e-9;
/// Two roots are each other's images to this part of their size.
const IMAGE: f64 = 1e-6;
/// What must be left of the products of a left and a right vector: less says that two roots meet on the axis.
const MEETING: f64 = 1e-6;

/// Whether M and K are symmetric and C is skew; `transposed` is the transposed problem.
pub(crate) fn holds(problem: &Problem, transposed: &Problem) -> bool {
    problem.m.symmetric && problem.k.symmetric && problem.c.is_skew(&transposed.c)
}

/// Left vectors and multipliers of the set's roots; none where an image is missing or roots meet on the axis.
pub(crate) fn left_vectors(problem: &Problem, set: &Set) -> Option<(DenseC, DenseC)> {
    let mut taken = vec![false; set.tau.len()];
    let mut images = Vec::with_capacity(set.tau.len());
    for (j, tau) in set.tau.iter().enumerate() {
        let size = tau.norm();
        let own = tau.re.abs() <= ON_AXIS * size;
        let apart = |i: usize| (set.tau[i] + tau.conj()).norm();
        let free = (0..set.tau.len()).filter(|&i| i != j && !taken[i]);
        let image = if own { Some(j) } else { free.min_by(|&a, &b| apart(a).total_cmp(&apart(b))) };
        let image = image.filter(|&i| own || apart(i) <= IMAGE * size)?;
        taken[image] = true;
        images.push(image);
    }
    let left = pick(&set.x, &images);
    let (mx, cx) = (problem.m.mul(&set.x), problem.c.mul(&set.x));
    let separate = (0..set.tau.len()).all(|j| {
        let dot = |a: &DenseC| -> c64 {
            left.col_as_slice(j).iter().zip(a.col_as_slice(j)).map(|(y, x)| y.conj() * x).sum()
        };
        let (inertia, spin) = (2.0 * set.tau[j] * dot(&mx), dot(&cx));
        (inertia + spin).norm() > MEETING * (inertia.norm() + spin.norm())
    });
    separate.then(|| (left, pick(&set.l, &images)))
}
