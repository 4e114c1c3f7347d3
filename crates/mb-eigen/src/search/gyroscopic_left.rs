//! Left vectors of gyroscopic problems.
//!
//! With real symmetric M and K and C^T = -C the transposed conjugate of S(s) = s^2 M + s C + K is S(-s*), so that
//!
//! ```text
//! S(s) x = -Phi^T l  for s  ==>  x^H S(-s*) = -l^H Phi
//! ```
//!
//! and eigenvalues come in pairs s, -s* (Lancaster, Lambda-Matrices and Vibrating Systems, section 7.7). The left
//! vector of an eigenvalue on the imaginary axis is its right one; an eigenvalue near it has that of its mirror
//! image. No second search is needed.

use mb_algebra::{DenseC, c64};

use super::set::Set;
use crate::krylov::scalar::pick;
use crate::problem::Problem;
use crate::tuning;

/// Left vectors and multipliers of the set's eigenvalues; none where an image is missing or eigenvalues meet on the
/// axis.
pub(crate) fn left_vectors(problem: &Problem, set: &Set) -> Option<(DenseC, DenseC)> {
    let mut taken = vec![false; set.tau.len()];
    let mut images = Vec::with_capacity(set.tau.len());
    for (j, tau) in set.tau.iter().enumerate() {
        let size = tau.norm();
        // An eigenvalue nearer to the imaginary axis than this part of its size lies on it but for rounding.
        let own = tau.re.abs() <= tuning::SQRT_EPS * size;
        let apart = |i: usize| (set.tau[i] + tau.conj()).norm();
        let free = (0..set.tau.len()).filter(|&i| i != j && !taken[i]);
        let image = if own { Some(j) } else { free.min_by(|&a, &b| apart(a).total_cmp(&apart(b))) };
        // Two eigenvalues are each other's images to this part of their size.
        let image = image.filter(|&i| own || apart(i) <= tuning::CBRT_EPS * size)?;
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
        // What must be left of the products of a left and a right vector: less says that two eigenvalues meet on the axis.
        (inertia + spin).norm() > tuning::CBRT_EPS * (inertia.norm() + spin.norm())
    });
    separate.then(|| (left, pick(&set.l, &images)))
}

#[cfg(test)]
mod tests {
    use mb_algebra::{Dense, QuadraticPencil, dense};

    use super::*;
    use crate::krylov::BuiltIn;
    use crate::options::SparseOptions;
    use crate::search::non_hermitian::General;

    /// Two planes of masses on springs, spinning, their sum held; above the lowest critical speed some stiffnesses are negative.
    fn spinning(masses: usize, spin: f64) -> QuadraticPencil<mb_algebra::Sparse> {
        let n = 2 * masses;
        let k = Dense::from_fn(n, n, |i, j| match (i % 2 == j % 2, (i / 2).abs_diff(j / 2)) {
            (true, 0) => 2.0 + 0.1 * (i % 2) as f64 - spin * spin,
            (true, 1) => -1.0,
            _ => 0.0,
        });
        let c = Dense::from_fn(n, n, |i, j| match (i / 2 == j / 2, i % 2, j % 2) {
            (true, 0, 1) => -2.0 * spin,
            (true, 1, 0) => 2.0 * spin,
            _ => 0.0,
        });
        QuadraticPencil { m: dense::identity(n), c, k, phi_q: dense::from_rows(&[&vec![1.0; n][..]]) }
            .to_sparse()
    }

    #[test]
    fn mirrored_vectors_are_left_ones() {
        let options = SparseOptions::default();
        for spin in [0.1, 0.5, 1.9] {
            let pencil = spinning(9, spin);
            let problem = Problem::new(&pencil, &options).unwrap();
            let mut run = General::new(&problem, &options, &BuiltIn);
            let transposed = problem.transposed();
            assert!(problem.is_gyroscopic());
            let shifted = run.factor(c64::new(0.3, 1.1)).unwrap();
            let set = run.nearest(&shifted, 6).unwrap();
            let (y, mu) = left_vectors(&problem, &set).unwrap();
            let phi = mb_algebra::to_dense(problem.rows.independent.sparse());
            for (j, tau) in set.tau.iter().enumerate() {
                // S(s)^H y + Phi^T mu by the transposed problem at s*.
                let s = tau.conj();
                let [m, c, k] = [&transposed.m, &transposed.c, &transposed.k].map(|a| a.mul(&pick(&y, &[j])));
                let back = |i: usize| (0..phi.nrows()).map(|r| phi[(r, i)] * mu[(r, j)]).sum::<c64>();
                let rest = (0..problem.n).map(|i| s * s * m[(i, 0)] + s * c[(i, 0)] + k[(i, 0)] + back(i));
                let worst = rest.map(c64::norm).fold(0.0, f64::max);
                let size = y.col_as_slice(j).iter().map(|v| v.norm()).fold(0.0, f64::max);
                assert!(worst < 1e-8 * size, "{spin} {tau}: {worst:e}");
            }
        }
        // A damper in addition to the spin: eigenvalues have no images any more.
        let mut pencil = spinning(4, 0.5);
        pencil.c = mb_algebra::sparse::add(1.0, &pencil.c, 0.1, &pencil.m);
        let problem = Problem::new(&pencil, &options).unwrap();
        assert!(!problem.is_gyroscopic());
    }
}
