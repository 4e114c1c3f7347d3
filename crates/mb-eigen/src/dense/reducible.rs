//! Eigenvalues of a reducible problem from its irreducible blocks.
//!
//! ```text
//! P^T (s^2 M + s C + K) P = [Q_11 Q_12 ..; 0 Q_22 ..; ..],   det Q = det Q_11 det Q_22 ..
//! ```
//!
//! Where rows and columns in one order make all three matrices block triangular, the eigenvalues are those of the diagonal blocks, exactly, and
//! their bounds are those of the blocks: an eigenvalue that several blocks share, in a chain of the whole, has the bound of a simple one in
//! each. Blocks are the strongly connected parts of the joint pattern (Duff, Erisman and Reid, Direct Methods for Sparse
//! Matrices, chapter 6). Only problems without constraints whose bounds are poor are split. Sizes: n x n, blocks n_i x n_i.

use mb_algebra::graph::strong_parts;
use mb_algebra::{Dense, QuadraticPencil, c64, dense};

use super::constraint_basis::ConstraintBasis;
use super::polish::System;
use super::{Raw, solve};
use crate::certify::dense::Certifier;
use crate::numeric::vectors;
use crate::options::Refinement;
use crate::{Class, DenseOptions, EigenError, Eigenpair, tuning};

/// Puts the eigenvalues of the blocks in the place of those of the whole, where these are poor and as many.
pub(super) fn refine(
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    options: &DenseOptions,
    pairs: &mut Vec<Eigenpair>,
) -> Result<(), EigenError> {
    let n = pencil.m.nrows();
    let physical = |pair: &&Eigenpair| pair.class == Class::Physical;
    let poor = |pair: &Eigenpair| {
        // Bound relative to |s| above which an eigenvalue is worth its block.
        pair.value()
            .is_some_and(|s| pair.error_bound.is_nan() || pair.error_bound > tuning::SQRT_EPS * s.norm())
    };
    // Unknowns up to which every vector has factors of its own.
    if n > tuning::SMALL || pencil.phi_q.nrows() > 0 || !pairs.iter().filter(physical).any(poor) {
        return Ok(());
    }
    let blocks = blocks(pencil);
    if blocks.len() < 2 {
        return Ok(());
    }
    let mut known: Vec<(c64, f64)> = Vec::new();
    for block in &blocks {
        let part = |a: &Dense| Dense::from_fn(block.len(), block.len(), |i, j| a[(block[i], block[j])]);
        let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(part);
        let phi_q = dense::zeros(0, block.len());
        let found = solve(&QuadraticPencil { m, c, k, phi_q }, options)?;
        // A block that is singular makes the whole so, and counts that differ say that something is missing.
        if found.falls_short() || found.counts.found.indeterminate > 0 {
            return Ok(());
        }
        known.extend(
            found.eigenpairs.iter().filter(physical).filter_map(|p| Some((p.value()?, p.error_bound))),
        );
    }
    let widest = |list: &mut dyn Iterator<Item = f64>| list.fold(0.0, f64::max);
    let before = widest(&mut pairs.iter().filter(physical).map(|pair| pair.error_bound));
    let better = widest(&mut known.iter().map(|(_, bound)| *bound)) < before;
    if !better || known.len() != pairs.iter().filter(physical).count() {
        return Ok(());
    }
    let system = System::new(pencil, basis);
    let mut raws = Vec::new();
    let mut bounds = Vec::new();
    for &(s, bound) in known.iter().filter(|(s, _)| s.im >= 0.0) {
        let Some((x, y)) = vectors_at(&system, s, n) else { return Ok(()) };
        raws.push(Raw::finite(s, x, Some(y), s.im > 0.0));
        bounds.extend(std::iter::repeat_n(bound, if s.im > 0.0 { 2 } else { 1 }));
    }
    let mut found = Certifier::new(pencil, basis).certify(raws, Refinement::None);
    if found.len() != bounds.len() {
        return Ok(());
    }
    for (pair, bound) in found.iter_mut().zip(bounds) {
        (pair.class, pair.error_bound) = (Class::Physical, bound);
    }
    pairs.retain(|pair| pair.class != Class::Physical);
    pairs.append(&mut found);
    Ok(())
}

/// Right and left vectors of an eigenvalue known to rounding.
fn vectors_at(system: &System<'_>, s: c64, n: usize) -> Option<(Vec<c64>, Vec<c64>)> {
    // On the eigenvalue the matrix may be exactly singular.
    let aside = s * (1.0 + 4.0 * f64::EPSILON);
    let (lu, _) = system.factor(s).or_else(|| system.factor(aside))?;
    // No symmetry of a structure is one of this vector.
    let mut x: Vec<c64> =
        (0..n).map(|i| c64::new(1.0 + ((i * i * 7 + 3 * i) % 11) as f64 / 7.0, 0.0)).collect();
    let mut y = x.clone();
    // Steps of inverse iteration at an eigenvalue known.
    for _ in 0..tuning::FEW_STEPS {
        x = lu.solve(&x);
        y = vectors::conjugate(&lu.solve_transpose(&vectors::conjugate(&y)));
        vectors::normalize(&mut x);
        vectors::normalize(&mut y);
    }
    x.iter().chain(&y).all(|z| z.is_finite()).then_some((x, y))
}

/// The strongly connected parts of the pattern of M, C and K together, each in increasing order.
fn blocks(pencil: &QuadraticPencil) -> Vec<Vec<usize>> {
    let n = pencil.m.nrows();
    let entry = |i: usize, j: usize| [&pencil.m, &pencil.c, &pencil.k].iter().any(|a| a[(i, j)] != 0.0);
    let next: Vec<Vec<usize>> = (0..n).map(|i| (0..n).filter(|&j| entry(i, j)).collect()).collect();
    strong_parts(&next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_in_any_order_of_rows() {
        // 0 <-> 3, 3 -> 1, 1 -> 2.
        let mut k = dense::identity(4);
        (k[(0, 3)], k[(3, 0)], k[(3, 1)], k[(1, 2)]) = (1.0, 2.0, 3.0, 4.0);
        let pencil =
            QuadraticPencil { m: dense::identity(4), c: dense::zeros(4, 4), k, phi_q: dense::zeros(0, 4) };
        assert_eq!(blocks(&pencil), [vec![0, 3], vec![1], vec![2]]);
    }

    /// s x = A x, A triangular after a permutation, three eigenvalues many times over with entries above the diagonal.
    #[test]
    fn a_triangular_matrix_has_the_eigenvalues_of_its_diagonal() {
        let n = 18;
        let value = |i: usize| -1.0 - (i % 3) as f64;
        let entry = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Equal => value(i),
            std::cmp::Ordering::Less => ((7 * i + 5 * j) % 41) as f64 - 20.0,
            std::cmp::Ordering::Greater => 0.0,
        };
        let place = |i: usize| (5 * i) % n;
        let a = Dense::from_fn(n, n, |i, j| entry(place(i), place(j)));
        let pencil = QuadraticPencil {
            m: dense::zeros(n, n),
            c: dense::identity(n),
            k: dense::scale(-1.0, &a),
            phi_q: dense::zeros(0, n),
        };
        let found = solve(&pencil, &DenseOptions::default()).unwrap();
        let mut values: Vec<f64> = found.motion_values().iter().map(|s| s.re).collect();
        values.sort_by(f64::total_cmp);
        let mut exact: Vec<f64> = (0..n).map(value).collect();
        exact.sort_by(f64::total_cmp);
        assert_eq!(values.len(), n);
        assert!(values.iter().zip(&exact).all(|(s, t)| (s - t).abs() < 1e-14), "{values:?}");
        for pair in found.motion() {
            assert!(pair.error_bound < 1e-13 && pair.backward_error < 1e-12, "{pair:?}");
        }
    }
}
