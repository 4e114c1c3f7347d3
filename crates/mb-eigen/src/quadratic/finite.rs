//! How many finite roots there are, by rank decisions alone.
//!
//! ```text
//! second order   2 k less the roots of the null directions of M and their chains
//! E y' = A y     dimension of V*:  V_0 = R^N,  V_(i+1) = {x: A x in E V_i};   regular when E x != 0 on V*
//! ```
//!
//! The sequence (Wong, J. Differential Equations 16, 1974; Berger, Ilchmann, Trenn, Linear Algebra Appl. 436, 2012) ends after as
//! many steps as the longest chain at infinity has members; rows and columns are scaled before. Where chains of the second-order problem are longer
//! than two the sequence counts its companion form. Sizes: k free directions, E and A N x N. Costs dense factorizations.

use mb_algebra::{Dense, DescriptorPencil, QuadraticPencil, RankQr, RankTolerance, dense, norms};

use super::chains::Chains;
use super::common_null::CommonNull;
use super::{Lifts, Matrices, massless};
use crate::constraints::ConstraintBasis;
use crate::error::at;
use crate::{DenseOptions, EigenError, check};

/// Rank decisions of the sequence, on scaled matrices.
const RANK: RankTolerance = RankTolerance { relative: 1e-10 };
/// Sweeps of scaling.
const SWEEPS: usize = 4;

/// Finite roots of a constrained second-order problem; none where the pencil is singular in a way that only QZ sees.
pub(crate) fn finite_roots(
    pencil: &QuadraticPencil,
    options: &DenseOptions,
) -> Result<Option<usize>, EigenError> {
    check::quadratic(pencil)?;
    let basis = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
    let reduced = Matrices::reduced(pencil, &basis);
    on_directions(pencil, &reduced, Lifts { right: basis.null(), left: None }, options)
}

fn on_directions(
    pencil: &QuadraticPencil,
    reduced: &Matrices,
    lifts: Lifts<'_>,
    options: &DenseOptions,
) -> Result<Option<usize>, EigenError> {
    let size = reduced.m.nrows();
    if size == 0 {
        return Ok(Some(0));
    }
    let massless = massless(pencil, reduced, lifts, options)?;
    if massless.dim() == 0 {
        return Ok(Some(2 * size));
    }
    if let Some(common) = CommonNull::find(reduced)? {
        let inner = common.left_over(reduced, lifts, options)?;
        let lifts = Lifts { right: Some(&inner.lift_right), left: Some(&inner.lift_left) };
        return on_directions(pencil, &inner.matrices, lifts, options);
    }
    let sizes = [&pencil.c, &pencil.k].map(norms::frobenius::<Dense>);
    let at_infinity = Chains::split(&massless, &reduced.m, &reduced.c, &reduced.k, sizes)?;
    if at_infinity.regular {
        return Ok(Some((2 * size).saturating_sub(at_infinity.roots())));
    }
    let (e, a) = if massless.dim() == size {
        (reduced.c.clone(), dense::scale(-1.0, &reduced.k))
    } else {
        let (one, none) = (dense::identity(size), Dense::zeros(size, size));
        let below = dense::hstack(&[&dense::scale(-1.0, &reduced.k), &dense::scale(-1.0, &reduced.c)]);
        let e = dense::vstack(&[&dense::hstack(&[&one, &none]), &dense::hstack(&[&none, &reduced.m])]);
        (e, dense::vstack(&[&dense::hstack(&[&none, &one]), &below]))
    };
    of_pair(&DescriptorPencil { e, a })
}

/// Finite roots of E y' = A y; none where the pair is singular.
fn of_pair(pair: &DescriptorPencil) -> Result<Option<usize>, EigenError> {
    let step = at("Number of finite roots");
    let (e, a) = scaled(pair);
    let mut space = dense::identity(e.nrows());
    loop {
        let image = dense::mul(&e, &space);
        // Rows that vanish on E V, from the null space of its transpose.
        let across = RankQr::new(&dense::transpose(&image), RANK).map_err(&step)?;
        let outside = dense::mul_transpose(&across.null_space(), &a);
        let next = RankQr::new(&outside, RANK).map_err(&step)?.null_space();
        if next.ncols() == space.ncols() {
            return Ok((across.rank() == space.ncols()).then_some(space.ncols()));
        }
        if next.ncols() == 0 {
            return Ok(Some(0));
        }
        space = next;
    }
}

/// D_r (g E) D_c and D_r A D_c with entries of order one; changes no number of roots.
fn scaled(pair: &DescriptorPencil) -> (Dense, Dense) {
    let size = pair.e.nrows();
    let (large_e, large_a) = (norms::max_abs(&pair.e), norms::max_abs(&pair.a));
    let gamma = if large_e > 0.0 && large_a > 0.0 { large_a / large_e } else { 1.0 };
    let (mut e, mut a) = (dense::scale(gamma, &pair.e), pair.a.clone());
    let by = |largest: f64| if largest > 0.0 { largest.sqrt().recip() } else { 1.0 };
    for _ in 0..SWEEPS {
        let entry = |i: usize, j: usize| e[(i, j)].abs().max(a[(i, j)].abs());
        let rows: Vec<f64> =
            (0..size).map(|i| by((0..size).map(|j| entry(i, j)).fold(0.0, f64::max))).collect();
        let columns: Vec<f64> =
            (0..size).map(|j| by((0..size).map(|i| entry(i, j)).fold(0.0, f64::max))).collect();
        let scale = |x: &Dense| Dense::from_fn(size, size, |i, j| x[(i, j)] * rows[i] * columns[j]);
        (e, a) = (scale(&e), scale(&a));
    }
    (e, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::Transferred;

    fn pendulum() -> QuadraticPencil {
        QuadraticPencil {
            m: dense::diagonal(&[2.0, 2.0]),
            c: dense::zeros(2, 2),
            k: dense::diagonal(&[1e9, 1e9]),
            phi_q: dense::from_rows(&[&[0.0, 1e-3]]),
        }
    }

    #[test]
    fn chains_of_a_descriptor_pair_are_followed() {
        for transferred in Transferred::ALL {
            let pair = pendulum().to_descriptor(transferred);
            // Every Jacobian moved to E turns an infinite root into a zero.
            assert_eq!(of_pair(&pair).unwrap(), Some(2 + transferred.count()));
        }
    }

    #[test]
    fn a_pair_without_mass_counts_what_is_damped() {
        let zero = dense::zeros(3, 3);
        let pencil = |c: &[f64], k: &[f64]| QuadraticPencil {
            m: zero.clone(),
            c: dense::diagonal(c),
            k: dense::diagonal(k),
            phi_q: dense::zeros(0, 3),
        };
        let count = |pencil: &QuadraticPencil| finite_roots(pencil, &DenseOptions::default()).unwrap();
        assert_eq!(count(&pencil(&[1.0, 2.0, 0.0], &[5.0, 0.0, 7.0])), Some(2));
        // One direction with nothing: indeterminate, the others stay.
        assert_eq!(count(&pencil(&[1.0, 2.0, 0.0], &[5.0, 0.0, 0.0])), Some(2));
        // C = N nilpotent: s N + I has no finite root.
        let nilpotent = dense::from_rows(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[0.0, 0.0, 0.0]]);
        let chain = QuadraticPencil { c: nilpotent, ..pencil(&[0.0; 3], &[1.0; 3]) };
        assert_eq!(count(&chain), Some(0));
    }

    #[test]
    fn a_massless_coordinate_on_a_spring_loses_two_roots() {
        let mut pencil = pendulum();
        assert_eq!(finite_roots(&pencil, &DenseOptions::default()).unwrap(), Some(2));
        pencil.phi_q = dense::zeros(0, 2);
        pencil.m = dense::diagonal(&[2.0, 0.0]);
        assert_eq!(finite_roots(&pencil, &DenseOptions::default()).unwrap(), Some(2));
        pencil.c = dense::diagonal(&[0.0, 4.0]);
        assert_eq!(finite_roots(&pencil, &DenseOptions::default()).unwrap(), Some(3));
    }
}
