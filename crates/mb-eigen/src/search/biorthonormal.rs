//! Left and right vectors of clusters, made biorthonormal.
//!
//! ```text
//! G = [y_i^H ((s_i + s_j) M + C) x_j],  Y <- Y G^-H      (y_i^H M x_j for tau = s^2 up to a factor)
//! ```
//!
//! palomba2019, Eqs. (17), (18). Vectors of simple eigenvalues are scaled when they are certified. Left alone where G
//! is singular, as at defective eigenvalues. Sizes: G g x g for a cluster of g values.

use mb_algebra::{DenseC, LuComplex, c64};

use super::set::Set;
use crate::krylov::scalar::{Scalar, pick, product};
use crate::problem::Problem;
use crate::transform::shift_invert::Form;
use crate::tuning;

/// Makes left and right vectors of one cluster biorthonormal: y_i^H ((s_i + s_j) M + C) x_j = delta_ij, which is
/// y_i^H M x_j for tau = s^2 up to a factor.
pub(crate) fn biorthonormalize(problem: &Problem, form: Form, shift: c64, set: &mut Set) {
    // Values closer than this fraction of their distance from the shift belong to one cluster.
    let width = |i: usize| tuning::SQRT_EPS * (set.tau[i] - shift).norm();
    for cluster in clusters(&set.tau, width).into_iter().filter(|cluster| cluster.len() > 1) {
        let x = pick(&set.x, &cluster);
        let (mut y, mut mu) = match &set.left {
            Some((y, mu)) => (pick(y, &cluster), pick(mu, &cluster)),
            None => (conjugate(&x), conjugate(&pick(&set.l, &cluster))),
        };
        let (mx, cx) = (problem.m.mul(&x), problem.c.mul(&x));
        let (my, cy) =
            (c64::adjoint_product(y.as_ref(), mx.as_ref()), c64::adjoint_product(y.as_ref(), cx.as_ref()));
        let g = cluster.len();
        let gram = DenseC::from_fn(g, g, |i, j| match form {
            Form::Squared => my[(i, j)],
            Form::First => cy[(i, j)],
            Form::Companion => (set.tau[cluster[i]] + set.tau[cluster[j]]) * my[(i, j)] + cy[(i, j)],
        });
        let Ok(lu) = LuComplex::new(&gram) else { continue };
        if lu.rcond() < tuning::SQRT_EPS {
            continue;
        }
        // Y <- Y G^-H.
        let mut inverse = DenseC::zeros(g, g);
        for j in 0..g {
            let unit: Vec<c64> = (0..g).map(|i| c64::new(f64::from(u8::from(i == j)), 0.0)).collect();
            let column = lu.solve(&unit);
            for (i, v) in column.iter().enumerate() {
                inverse[(j, i)] = v.conj();
            }
        }
        y = product(y.as_ref(), inverse.as_ref());
        mu = product(mu.as_ref(), inverse.as_ref());
        if set.left.is_none() {
            set.left = Some((conjugate(&set.x), conjugate(&set.l)));
        }
        if let Some((all_y, all_mu)) = &mut set.left {
            for (i, &j) in cluster.iter().enumerate() {
                all_y.col_as_slice_mut(j).copy_from_slice(y.col_as_slice(i));
                all_mu.col_as_slice_mut(j).copy_from_slice(mu.col_as_slice(i));
            }
        }
    }
}

/// Indices of values that lie together, each cluster as wide a step as its first value (the last of the list) allows.
pub(crate) fn clusters(tau: &[c64], width: impl Fn(usize) -> f64) -> Vec<Vec<usize>> {
    let mut open: Vec<usize> = (0..tau.len()).collect();
    let mut out = Vec::new();
    while let Some(first) = open.pop() {
        let close = width(first);
        let mut cluster = vec![first];
        open.retain(|&j| {
            let near = cluster.iter().any(|&i| (tau[i] - tau[j]).norm() <= close);
            if near {
                cluster.push(j);
            }
            !near
        });
        out.push(cluster);
    }
    out
}

fn conjugate(a: &DenseC) -> DenseC {
    DenseC::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].conj())
}
