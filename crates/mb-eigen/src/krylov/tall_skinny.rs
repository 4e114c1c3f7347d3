//! Products of a basis with few columns, bound by the memory of the basis.
//!
//! ```text
//! gram   C = V^T W                     V n x k, W n x p, C k x p
//! take   W <- (W - V C) R              R p x p, upper triangular
//! ```
//!
//! Some rows of W stay in the nearest cache while V goes by once; a general product would first copy V into another order. Sums are
//! taken over blocks of rows in their order, on the calling thread; `pulp` picks the instructions.

#![expect(clippy::inline_always, reason = "what pulp compiles for a processor must be in one piece")]

use std::ops::Range;

use crate::tuning;

use faer::{ColMut, ColRef, MatMut, MatRef};
use mb_algebra::Dense;
use pulp::{Arch, Simd, WithSimd};

/// C = V^T W; columns of both in one piece each.
pub(crate) fn gram(v: MatRef<'_, f64>, w: MatRef<'_, f64>) -> Dense {
    assert_eq!(v.nrows(), w.nrows(), "vectors of one length");
    let mut out = Dense::zeros(v.ncols(), w.ncols());
    Arch::new().dispatch(Gram { v: &columns(v), w: &columns(w), out: &mut out });
    out
}

/// W <- (W - V C) R, where there is an R; columns of V and W in one piece each.
pub(crate) fn take(v: MatRef<'_, f64>, mut w: MatMut<'_, f64>, c: MatRef<'_, f64>, r: Option<&Dense>) {
    assert_eq!(v.nrows(), w.nrows(), "vectors of one length");
    assert_eq!(c.shape(), (v.ncols(), w.ncols()), "a coefficient for every two columns");
    let count = w.ncols();
    let to = w.as_mut().col_iter_mut().filter_map(ColMut::try_as_col_major_mut);
    let mut w: Vec<&mut [f64]> = to.map(ColMut::as_slice_mut).collect();
    assert_eq!(w.len(), count, "vectors in one piece each");
    Arch::new().dispatch(Take { v: &columns(v), w: &mut w, c, r });
}

fn columns(a: MatRef<'_, f64>) -> Vec<&[f64]> {
    let out: Vec<&[f64]> = a.col_iter().filter_map(ColRef::try_as_col_major).map(ColRef::as_slice).collect();
    assert_eq!(out.len(), a.ncols(), "vectors in one piece each");
    out
}

struct Gram<'a> {
    v: &'a [&'a [f64]],
    w: &'a [&'a [f64]],
    out: &'a mut Dense,
}

impl WithSimd for Gram<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { v, w, out } = self;
        let n = w.first().map_or(0, |w| w.len());
        // Rows worked on at once.
        for first in (0..n).step_by(tuning::ROWS) {
            let rows = first..n.min(first + tuning::ROWS);
            let (pairs, last) = v.as_chunks::<2>();
            for (i, pair) in pairs.iter().enumerate() {
                lines(simd, 2 * i, pair, w, &rows, out);
            }
            if let [single] = last {
                lines(simd, v.len() - 1, &[*single], w, &rows, out);
            }
        }
    }
}

/// Adds the products of some columns of V, from the i-th on, with all of W.
#[inline(always)]
fn lines<S: Simd, const A: usize>(
    simd: S,
    i: usize,
    v: &[&[f64]; A],
    w: &[&[f64]],
    rows: &Range<usize>,
    out: &mut Dense,
) {
    let (quads, last) = w.as_chunks::<4>();
    for (j, quad) in quads.iter().enumerate() {
        products(simd, (i, 4 * j), v, quad, rows, out);
    }
    for (j, single) in last.iter().enumerate() {
        products(simd, (i, 4 * quads.len() + j), v, &[*single], rows, out);
    }
}

/// A times B sums of products over some rows, side by side.
#[inline(always)]
fn products<S: Simd, const A: usize, const B: usize>(
    simd: S,
    (i, j): (usize, usize),
    v: &[&[f64]; A],
    w: &[&[f64]; B],
    rows: &Range<usize>,
    out: &mut Dense,
) {
    let v = v.map(|v| S::as_simd_f64s(&v[rows.clone()]));
    let w = w.map(|w| S::as_simd_f64s(&w[rows.clone()]));
    let mut sums = [[simd.splat_f64s(0.0); B]; A];
    for at in 0..v[0].0.len() {
        let v = v.map(|v| v.0[at]);
        for (b, w) in w.iter().enumerate() {
            let w = w.0[at];
            for (sums, v) in sums.iter_mut().zip(v) {
                sums[b] = simd.mul_add_e_f64s(v, w, sums[b]);
            }
        }
    }
    for (a, (sums, v)) in sums.iter().zip(v).enumerate() {
        for (b, (sum, w)) in sums.iter().zip(w).enumerate() {
            let rest: f64 = v.1.iter().zip(w.1).map(|(v, w)| v * w).sum();
            out[(i + a, j + b)] += simd.reduce_sum_f64s(*sum) + rest;
        }
    }
}

struct Take<'a, 'b> {
    v: &'a [&'a [f64]],
    w: &'a mut [&'b mut [f64]],
    c: MatRef<'a, f64>,
    r: Option<&'a Dense>,
}

impl WithSimd for Take<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { v, w, c, r } = self;
        let n = w.first().map_or(0, |w| w.len());
        for first in (0..n).step_by(tuning::ROWS) {
            let rows = first..n.min(first + tuning::ROWS);
            let (quads, last) = v.as_chunks::<4>();
            for (i, quad) in quads.iter().enumerate() {
                subtract(simd, 4 * i, quad, w, c, &rows);
            }
            for (i, single) in last.iter().enumerate() {
                subtract(simd, 4 * quads.len() + i, &[*single], w, c, &rows);
            }
            let Some(r) = r else { continue };
            // From the last column on, which no other one is made of.
            for j in (0..w.len()).rev() {
                let (before, own) = w.split_at_mut(j);
                let own = &mut own[0][rows.clone()];
                for x in &mut *own {
                    *x *= r[(j, j)];
                }
                for (i, other) in before.iter().enumerate() {
                    add(simd, own, &other[rows.clone()], r[(i, j)]);
                }
            }
        }
    }
}

/// All of W less multiples of some columns of V, from the i-th on.
#[inline(always)]
fn subtract<S: Simd, const A: usize>(
    simd: S,
    i: usize,
    v: &[&[f64]; A],
    w: &mut [&mut [f64]],
    c: MatRef<'_, f64>,
    rows: &Range<usize>,
) {
    let v = v.map(|v| S::as_simd_f64s(&v[rows.clone()]));
    let (pairs, single) = w.as_chunks_mut::<2>();
    for (j, [first, second]) in pairs.iter_mut().enumerate() {
        let by: [[f64; 2]; A] = std::array::from_fn(|a| [c[(i + a, 2 * j)], c[(i + a, 2 * j + 1)]]);
        let wide = by.map(|by| by.map(|by| simd.splat_f64s(by)));
        let (first, first_rest) = S::as_mut_simd_f64s(&mut first[rows.clone()]);
        let (second, second_rest) = S::as_mut_simd_f64s(&mut second[rows.clone()]);
        for (at, (x, y)) in first.iter_mut().zip(second).enumerate() {
            let (mut one, mut other) = (*x, *y);
            for (v, by) in v.iter().zip(wide) {
                let v = v.0[at];
                one = simd.negate_mul_add_e_f64s(v, by[0], one);
                other = simd.negate_mul_add_e_f64s(v, by[1], other);
            }
            (*x, *y) = (one, other);
        }
        for (at, (x, y)) in first_rest.iter_mut().zip(second_rest).enumerate() {
            for (v, by) in v.iter().zip(by) {
                *x -= v.1[at] * by[0];
                *y -= v.1[at] * by[1];
            }
        }
    }
    if let [own] = single {
        let j = c.ncols() - 1;
        for (a, v) in v.iter().enumerate() {
            add_parts(simd, &mut own[rows.clone()], *v, -c[(i + a, j)]);
        }
    }
}

/// to += by x.
#[inline(always)]
fn add<S: Simd>(simd: S, to: &mut [f64], x: &[f64], by: f64) {
    add_parts(simd, to, S::as_simd_f64s(x), by);
}

#[inline(always)]
fn add_parts<S: Simd>(simd: S, to: &mut [f64], x: (&[S::f64s], &[f64]), by: f64) {
    let (to, rest) = S::as_mut_simd_f64s(to);
    let wide = simd.splat_f64s(by);
    to.iter_mut().zip(x.0).for_each(|(to, x)| *to = simd.mul_add_e_f64s(*x, wide, *to));
    rest.iter_mut().zip(x.1).for_each(|(to, x)| *to += by * x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::krylov::scalar::{Scalar, product, start_block};
    use mb_algebra::{dense, norms};

    #[test]
    fn products_are_those_of_dense_matrices_for_all_widths() {
        for (n, k, p) in [(3, 1, 1), (513, 2, 4), (1030, 7, 3), (700, 4, 5), (64, 0, 2), (1, 3, 8)] {
            let (v, w) = (start_block::<f64>(n, k, 1), start_block::<f64>(n, p, 2));
            let c = gram(v.as_ref(), w.as_ref());
            let rest = dense::add(1.0, &c, -1.0, &f64::adjoint_product(v.as_ref(), w.as_ref()));
            assert!(norms::max_abs(&rest) < 1e-13, "{n} {k} {p}");
            let r = Dense::from_fn(p, p, |i, j| if i <= j { 1.0 + (i + 2 * j) as f64 } else { 0.0 });
            let less = dense::add(1.0, &w, -1.0, &product(v.as_ref(), c.as_ref()));
            for r in [None, Some(&r)] {
                let mut got = w.clone();
                take(v.as_ref(), got.as_mut(), c.as_ref(), r);
                let whole = r.map_or_else(|| less.clone(), |r| dense::mul(&less, r));
                let rest = dense::add(1.0, &got, -1.0, &whole);
                assert!(norms::max_abs(&rest) <= 1e-14 * norms::max_abs(&whole), "{n} {k} {p}");
            }
        }
    }
}
