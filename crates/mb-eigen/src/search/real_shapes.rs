//! Real shapes of repeated eigenvalues.
//!
//! Of a repeated eigenvalue a Krylov method gives any basis of the space of its vectors, and with damping a complex
//! one, though in symmetric problems with proportional damping the space is that of real shapes: two pictures of one
//! circling motion in the place of two planes of bending.
//!
//! ```text
//! W = [Re X, Im X] (n x 2g),  W^T W = V S V^T:  real shapes span the space if no more than g of S are there
//! R = W V_g S_g^(-1/2),  R^T M R = U D U^T,  shapes R U,  X Z = R U,  multipliers L Z
//! ```
//!
//! Left alone: simple eigenvalues, spaces that have no real basis (circling motions of a spinning body, other
//! damping), eigenvalues that agree only roughly, because their vectors are each their own.

use mb_algebra::{Dense, DenseC, LuComplex, SymmetricEigen, c64};

use super::biorthonormal::clusters;
use super::set::Set;
use crate::krylov::scalar::{Scalar, pick, product};
use crate::problem::Problem;
use crate::transform::shift_invert::Form;
use crate::tuning;

/// Gives the clusters of a symmetric problem real vectors, orthogonal by M, where they have such.
pub(crate) fn choose(problem: &Problem, form: Form, set: &mut Set) {
    let fast = problem.frequency_squared();
    // A vector of tau + d in the place of one of tau leaves d (2 s M + C) x of |s|^2 |M| + |K|, or d M x for tau = s^2.
    let width = |i: usize| {
        let size = set.tau[i].norm();
        let rounding = match form {
            Form::Squared => size + fast,
            Form::First | Form::Companion => 0.5 * (size * size + fast) / size,
        };
        // Backward error that vectors get when they are mixed with those of a value nearby, up to which the two are one eigenvalue but
        // for rounding.
        // Values further apart, relative to their size, are two eigenvalues whatever the backward error says.
        (tuning::MANY_ROUNDINGS * rounding).min(tuning::CBRT_EPS * size)
    };
    for cluster in clusters(&set.tau, width).into_iter().filter(|cluster| cluster.len() > 1) {
        let x = pick(&set.x, &cluster);
        let Some((shapes, z)) = real_basis(problem, &x) else { continue };
        let l = product(pick(&set.l, &cluster).as_ref(), z.as_ref());
        for (i, &j) in cluster.iter().enumerate() {
            let column = set.x.col_as_slice_mut(j).iter_mut().zip(shapes.col_as_slice(i));
            column.for_each(|(x, real)| *x = c64::new(*real, 0.0));
            set.l.col_as_slice_mut(j).copy_from_slice(l.col_as_slice(i));
        }
    }
}

/// Real vectors R (n x g) that span the space of X, and Z (g x g) with X Z = R.
pub(crate) fn real_basis(problem: &Problem, x: &DenseC) -> Option<(Dense, DenseC)> {
    let (n, g) = (x.nrows(), x.ncols());
    let parts = Dense::from_fn(n, 2 * g, |i, j| if j < g { x[(i, j)].re } else { x[(i, j - g)].im });
    let gram = f64::adjoint_product(parts.as_ref(), parts.as_ref());
    let SymmetricEigen { values, vectors } = SymmetricEigen::new(&gram).ok()?;
    let (largest, smallest, beyond) = (values[2 * g - 1], values[g], values[g - 1]);
    // Share of what the further directions of W have of the first ones, squared, where real shapes span the space; and of the smallest of
    // the first ones, below which the vectors are not independent.
    if beyond > tuning::EPS_3_4 * largest || smallest < tuning::SQRT_EPS * largest {
        return None;
    }
    let main = Dense::from_fn(2 * g, g, |i, j| vectors[(i, g + j)] / values[g + j].sqrt());
    let span = product(parts.as_ref(), main.as_ref());
    let mass = f64::adjoint_product(span.as_ref(), problem.m.mul(&span).as_ref());
    let turned = product(span.as_ref(), SymmetricEigen::new(&mass).ok()?.vectors.as_ref());
    let complex = DenseC::from_fn(n, g, |i, j| c64::new(turned[(i, j)], 0.0));
    let lu = LuComplex::new(&c64::adjoint_product(x.as_ref(), x.as_ref())).ok()?;
    let right = c64::adjoint_product(x.as_ref(), complex.as_ref());
    let columns: Vec<Vec<c64>> = (0..g).map(|j| lu.solve(right.col_as_slice(j))).collect();
    Some((turned, DenseC::from_fn(g, g, |i, j| columns[j][i])))
}
