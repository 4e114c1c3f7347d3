//! What rounding of the entries of K may have made of eigenvalues of a model of which more is known than its entries.
//!
//! ```text
//! |ds| <= u |x|^T |K| |x| / |x^T (2 s M + C) x|,   u half a unit in the last place, x^H for y^T of left vectors that are not known
//! ```
//!
//! Bounds hold for the matrices as given. Where the geometry shows which zeros K has, its entries are known to be rounded, and a
//! bound that leaves their rounding out would give digits to an eigenvalue that has none.
//!
//! Where C is the rounded sum of matrices that were given apart, what the sum has lost is known, and the bounds are to hold for what was
//! given:
//!
//! ```text
//! |ds| <= |s| |y|^T |L| |x| / |y^H (2 s M + C) x|     L the lost part of C, to first order and taken twice
//! ```
//!
//! Sizes: M, C, K, L n x n.

use mb_algebra::sorted::ascending;
use mb_algebra::{QuadraticPencil, Sparse, c64};

use crate::finding::SparseFinding;
use crate::{Class, Eigenpair, Finding, tuning};

/// Widens the bounds of the eigenvalues of a pencil that rounding of K may have moved far.
pub(crate) fn widen(pencil: &QuadraticPencil, pairs: &mut [Eigenpair]) {
    let pencil = pencil.to_sparse();
    let size = |pair: &Eigenpair| pair.value().map_or(f64::INFINITY, c64::norm);
    let physical = |pair: &Eigenpair| pair.class == Class::Physical && pair.right.len() == pencil.k.rows();
    let mut order: Vec<usize> = (0..pairs.len()).filter(|i| physical(&pairs[*i])).collect();
    ascending(&mut order, |i| size(&pairs[*i]));
    let mut unmoved = 0;
    for i in order {
        let pair = &mut pairs[i];
        let Some(s) = pair.value() else { break };
        let up_to = 0.5 * f64::EPSILON * moved(&pencil, s, pair);
        // Share of |s| from which on rounding of K counts in the bound: fewer than two digits are left.
        if up_to.is_finite() && up_to > tuning::MINOR * s.norm() {
            pair.error_bound += up_to;
            unmoved = 0;
        } else {
            unmoved += 1;
        }
        // Eigenvalues in a row, by size, that do not feel it, after which larger ones are not looked at.
        if unmoved > 2 * tuning::WIDTH {
            break;
        }
    }
}

/// Widens bounds by what the sum that made C has lost.
pub(crate) fn widen_for_sum(pencil: &QuadraticPencil<Sparse>, lost: &Sparse, pairs: &mut [Eigenpair]) {
    for pair in pairs.iter_mut().filter(|pair| pair.right.len() == pencil.k.rows()) {
        let Some(s) = pair.value().filter(|s| s.norm() > 0.0) else { continue };
        let moved = s.norm() * moved_by(pencil, lost, s, pair);
        // A defective eigenvalue has no first order, and a bound without end says so.
        if moved > 0.0 || moved.is_nan() {
            pair.error_bound += if moved.is_nan() { f64::INFINITY } else { tuning::TWICE * moved };
        }
    }
}

/// |y|^T |K| |x| / |y^H (2 s M + C) x|, x^H for y^H of left vectors that are not known.
pub(crate) fn moved(pencil: &QuadraticPencil<Sparse>, s: c64, pair: &Eigenpair) -> f64 {
    moved_by(pencil, &pencil.k, s, pair)
}

/// The same with |A| in place of |K|.
fn moved_by(pencil: &QuadraticPencil<Sparse>, a: &Sparse, s: c64, pair: &Eigenpair) -> f64 {
    let x = &pair.right;
    let y = if pair.left.len() == x.len() { &pair.left } else { x };
    let terms: f64 = a.iter().map(|(v, (i, j))| y[i].norm() * v.abs() * x[j].norm()).sum();
    let product = |a: &Sparse| a.iter().map(|(v, (i, j))| y[i].conj() * x[j] * *v).sum::<c64>();
    terms / (s * 2.0 * product(&pencil.m) + product(&pencil.c)).norm()
}

/// What rounding of the entries of K could do to the eigenvalue that feels it most, where it leaves less than half of the digits.
pub(crate) fn felt_most(pencil: &QuadraticPencil, pairs: &[Eigenpair]) -> Option<Finding> {
    let pencil = pencil.to_sparse();
    let physical = |pair: &&Eigenpair| pair.class == Class::Physical && pair.alpha.im >= 0.0;
    let felt = pairs.iter().filter(physical).filter_map(|pair| {
        let s = pair.value()?;
        let up_to = 0.5 * f64::EPSILON * moved(&pencil, s, pair);
        (up_to > tuning::SQRT_EPS * s.norm()).then_some((s.norm(), up_to))
    });
    let (s, up_to) = felt.max_by(|(s, a), (t, b)| (a / s).total_cmp(&(b / t)))?;
    Some(SparseFinding::RoundedStiffness { s, up_to }.into())
}
