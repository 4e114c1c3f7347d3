//! Modes of one eigenvalue that penalties part.
//!
//! A penalty moves a mode in proportion to l^H Xi^-1 l (factor.rs). Of several modes at one s any basis is as good for the constrained
//! problem; the penalty problem has eigenvalues near s whose vectors diagonalize that form, and starts between them
//! lead to either:
//!
//! ```text
//! X^T M X = I,   Re(L^H Xi^-1 L) = U D U^T,   X <- X U,  L <- L U
//! ```
//!
//! Sizes: X n x g, L m x g, Xi m x m.

use mb_algebra::{Dense, DenseC, Lu, SymmetricEigen, c64, dense};

use crate::krylov::scalar::product;
use crate::problem::Problem;
use crate::problem::uncertified::Uncertified;
use crate::search::real_shapes::real_basis;
use crate::tuning;

/// Turns the vectors of eigenvalues with several modes to those that penalties part.
///
/// For spaces that real shapes span, in symmetric problems; others stay.
pub(super) fn parted(held: &Problem<'_>, xi: &Dense, uncertified: &mut [Uncertified]) {
    let n = held.n;
    let fits = |approx: &Uncertified| !approx.rigid && approx.left.is_none();
    let Ok(factor) = Lu::new(xi) else { return };
    let mut done = vec![false; uncertified.len()];
    for first in 0..uncertified.len() {
        let near = |approx: &Uncertified| {
            let s = uncertified[first].s;
            // Distance, relative to |s|, within which modes of the constrained problem stand at one eigenvalue.
            (approx.s - s).norm() <= tuning::SQRT_EPS * s.norm()
                && approx.opposite == uncertified[first].opposite
        };
        let group: Vec<usize> = (first..uncertified.len())
            .filter(|&j| !done[j] && near(&uncertified[j]) && fits(&uncertified[j]))
            .collect();
        for &j in &group {
            done[j] = true;
        }
        if group.len() < 2 {
            continue;
        }
        let g = group.len();
        let m = held.rows.m;
        let x = DenseC::from_fn(n, g, |i, j| uncertified[group[j]].right[i]);
        let l = DenseC::from_fn(m, g, |i, j| uncertified[group[j]].multipliers[i]);
        let Some((x, z)) = real_basis(held, &x) else { continue };
        let l = product(l.as_ref(), z.as_ref());
        let re = Dense::from_fn(m, g, |i, j| l[(i, j)].re);
        let im = Dense::from_fn(m, g, |i, j| l[(i, j)].im);
        let Ok(mass) = SymmetricEigen::new(&dense::mul_transpose(&x, &held.m.mul(&x))) else { continue };
        if mass.values.iter().any(|v| *v <= 0.0) {
            continue;
        }
        let own = Dense::from_fn(g, g, |i, j| mass.vectors[(i, j)] / mass.values[j].sqrt());
        let form = |l: &Dense| {
            let l = dense::mul(l, &own);
            dense::mul_transpose(&l, &factor.solve_mat(&l))
        };
        let sum = dense::add(1.0, &form(&re), 1.0, &form(&im));
        let even = Dense::from_fn(g, g, |i, j| 0.5 * (sum[(i, j)] + sum[(j, i)]));
        let Ok(turn) = SymmetricEigen::new(&even) else { continue };
        let by = dense::mul(&own, &turn.vectors);
        let (x, re, im) = (dense::mul(&x, &by), dense::mul(&re, &by), dense::mul(&im, &by));
        for (j, &at) in group.iter().enumerate() {
            let right: Vec<c64> = (0..n).map(|i| c64::new(x[(i, j)], 0.0)).collect();
            let l: Vec<c64> = (0..m).map(|i| c64::new(re[(i, j)], im[(i, j)])).collect();
            let rest: Vec<c64> = (n..uncertified[at].right.len()).map(|i| uncertified[at].right[i]).collect();
            uncertified[at].right = right.into_iter().chain(rest).collect::<Vec<c64>>().into();
            uncertified[at].multipliers = l.into();
        }
    }
}
