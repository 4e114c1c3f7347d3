//! Quadratic forms of some vectors side by side in double-double precision, and the products of a row in plain numbers.
//!
//! ```text
//! x_k^T A x_k in double-double precision,   A x_k and |A| |x_k| row by row,   k = 1..W
//! ```
//!
//! One after the other each vector goes through the whole matrix, and the sums of a row wait for each other. Side by side an
//! entry is read once for all vectors, and W sums share wide registers. The numbers are those of one vector alone, to the
//! last bit. Nothing of length n is written: products are made again where they are used, which costs less than their way
//! through memory. Sizes: A n x n by rows, x_k of length n.

#![expect(clippy::inline_always, reason = "what pulp compiles for a processor must be in one piece")]

use mb_algebra::Sparse;
use mb_algebra::compensated::{self, product_error};
use pulp::{Arch, Simd, WithSimd};

use super::Twofold;

/// x_k^T A x_k of W vectors, packed by rows, with a square matrix by rows; in double-double precision.
pub(crate) fn forms_of_rows<const W: usize>(a: &Sparse, x: &[[f64; W]]) -> [f64; W] {
    Arch::new().dispatch(Forms { a, x })
}

/// |x_k|^T |A| |x_k|, in plain numbers.
pub(crate) fn sizes_of_forms<const W: usize>(a: &Sparse, x: &[[f64; W]]) -> [f64; W] {
    Arch::new().dispatch(Sizes { a, x })
}

/// Row i of A x and of |A| |x|.
#[inline(always)]
pub(crate) fn row_products<const W: usize>(a: &Sparse, i: usize, x: &[[f64; W]]) -> ([f64; W], [f64; W]) {
    let starts = a.proper_indptr();
    let own = starts[i]..starts[i + 1];
    let (mut sum, mut size) = ([0.0; W], [0.0; W]);
    for (&j, &a) in a.indices()[own.clone()].iter().zip(&a.data()[own]) {
        let x = &x[j];
        for k in 0..W {
            let product = a * x[k];
            sum[k] += product;
            size[k] += product.abs();
        }
    }
    (sum, size)
}

struct Forms<'a, const W: usize> {
    a: &'a Sparse,
    x: &'a [[f64; W]],
}

impl<const W: usize> Forms<'_, W> {
    #[inline(always)]
    fn run(self, error: impl Fn(f64, f64, f64) -> f64) -> [f64; W] {
        let Self { a, x } = self;
        let starts = a.proper_indptr();
        let mut forms = [Twofold::default(); W];
        for (own, by) in starts.windows(2).zip(x) {
            let own = own[0]..own[1];
            let (sum, lost) = compensated::row(&a.indices()[own.clone()], &a.data()[own], x, &error);
            for k in 0..W {
                let product = sum[k] * by[k];
                forms[k].add(product, error(sum[k], by[k], product) + lost[k] * by[k]);
            }
        }
        forms.map(Twofold::value)
    }
}

impl<const W: usize> WithSimd for Forms<'_, W> {
    type Output = [f64; W];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> [f64; W] {
        // Registers that wide come with products and sums in one rounding.
        if S::F64_LANES >= 4 {
            self.run(|a, b, product| a.mul_add(b, -product))
        } else {
            self.run(product_error)
        }
    }
}

struct Sizes<'a, const W: usize> {
    a: &'a Sparse,
    x: &'a [[f64; W]],
}

impl<const W: usize> WithSimd for Sizes<'_, W> {
    type Output = [f64; W];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> [f64; W] {
        let mut out = [0.0; W];
        for (i, own) in self.x.iter().enumerate() {
            let (_, size) = row_products(self.a, i, self.x);
            (0..W).for_each(|k| out[k] += own[k].abs() * size[k]);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use mb_algebra::{Dense, c64, to_sparse};

    use super::{forms_of_rows, row_products, sizes_of_forms};
    use crate::numeric::double_double::bilinear_sparse;

    #[test]
    fn side_by_side_is_one_after_the_other() {
        let n = 17;
        let entry = |i: usize, j: usize| {
            if (i + 2 * j).is_multiple_of(3) { ((i * 31 + j * 17) % 23) as f64 / 7.0 - 1.6 } else { 0.0 }
        };
        let dense = Dense::from_fn(n, n, |i, j| entry(i.min(j), i.max(j)));
        let a = to_sparse(&dense).to_csr();
        let x: Vec<[f64; 3]> =
            (0..n).map(|i| std::array::from_fn(|k| ((k + 1) as f64 * 0.7 * i as f64).sin())).collect();
        let (forms, sizes) = (forms_of_rows(&a, &x), sizes_of_forms(&a, &x));
        for k in 0..3 {
            let one: Vec<c64> = x.iter().map(|x| c64::new(x[k], 0.0)).collect();
            assert_eq!(forms[k].to_bits(), bilinear_sparse(&a, &one, &one).re.to_bits());
            let mut whole = 0.0;
            for i in 0..n {
                let (sums, sizes) = row_products(&a, i, &x);
                let terms = || (0..n).map(|j| dense[(i, j)] * x[j][k]);
                let size: f64 = terms().map(f64::abs).sum();
                assert!((sizes[k] - size).abs() <= 4.0 * f64::EPSILON * size);
                assert!((sums[k] - terms().sum::<f64>()).abs() <= 8.0 * f64::EPSILON * size);
                whole += x[i][k].abs() * size;
            }
            assert!((sizes[k] - whole).abs() <= 32.0 * f64::EPSILON * whole);
        }
    }

    #[test]
    fn forms_that_cancel_keep_their_digits() {
        // A stiff spring k between two masses and a soft one of stiffness 1 on a third: the form of (x, x, y) is y^2.
        let k = 2.0_f64.powi(60);
        let a = to_sparse(&mb_algebra::dense::from_rows(&[[k, -k, 0.0], [-k, k, 0.0], [0.0, 0.0, 1.0]]));
        let forms = forms_of_rows(&a.to_csr(), &[[1.25, 0.5], [1.25, 0.5], [1.5, 3.0]]);
        assert!(forms.iter().zip([2.25, 9.0]).all(|(form, exact)| form.to_bits() == f64::to_bits(exact)));
    }
}
