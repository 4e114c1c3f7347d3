//! Bilinear forms as if computed in double-double working precision.
//!
//! ```text
//! y^T A x,   error <= u |y^T A x| + (N u)^2 |y|^T |A| |x|
//! ```
//!
//! Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26 (2005), algorithm 5.3 (Dot2), with the error of a product by Dekker,
//! Numer. Math. 18 (1971). The plain form of a stiff problem's low mode loses all digits by which |y|^T |A| |x| exceeds
//! the form; this one keeps them as long as x itself has them. Sizes: A n x n with N entries. Entries above 1e300 overflow
//! on the way to NaN, which the caller has to refuse. A dense A is summed in several sums side by side, by
//! instructions that `pulp` picks when the program runs.

#![expect(clippy::inline_always, reason = "what pulp compiles for a processor must be in one piece")]

mod block;
pub(crate) mod complex;
pub(crate) mod number;
mod products;

use mb_algebra::compensated::{product_error, two_sum};
use mb_algebra::{Dense, Sparse, c64};
use pulp::{Arch, Simd, WithSimd};

pub(crate) use self::block::{forms_of_rows, row_products, sizes_of_forms};
pub(crate) use self::products::{Sums, Term, sum_of_products};

/// Sums side by side at most.
const MOST: usize = 16;

/// A sum with what rounding took from it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Twofold {
    sum: f64,
    lost: f64,
}

impl Twofold {
    /// Adds a b.
    #[inline(always)]
    pub(crate) fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product, product_error(a, b, product));
    }

    /// Adds `value` and, less carefully, `rest`.
    #[inline(always)]
    pub(crate) fn add(&mut self, value: f64, rest: f64) {
        let (sum, lost) = two_sum(self.sum, value);
        self.lost += lost + rest;
        self.sum = sum;
    }

    /// Adds another sum times a number.
    #[inline(always)]
    pub(crate) fn add_scaled(&mut self, other: Self, by: f64) {
        self.add_product(other.sum, by);
        self.lost += other.lost * by;
    }

    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        self.sum + self.lost
    }

    /// The value and what its rounding took from it.
    pub(crate) fn halves(self) -> (f64, f64) {
        let value = self.value();
        (value, (self.sum - value) + self.lost)
    }
}

/// A vector as the sum of two.
#[derive(Clone, Debug)]
pub(crate) struct TwoVectors {
    pub(crate) high: Vec<f64>,
    pub(crate) low: Vec<f64>,
}

impl TwoVectors {
    pub(crate) fn new(high: Vec<f64>) -> Self {
        let low = vec![0.0; high.len()];
        Self { high, low }
    }

    /// D x for a diagonal of powers of two, without an error.
    pub(crate) fn scaled(mut self, d: &[f64]) -> Self {
        for part in [&mut self.high, &mut self.low] {
            part.iter_mut().zip(d).for_each(|(x, d)| *x *= d);
        }
        self
    }

    /// x - d.
    pub(crate) fn subtract(&mut self, d: &[f64]) {
        for ((high, low), d) in self.high.iter_mut().zip(&mut self.low).zip(d) {
            let mut sum = Twofold { sum: *high, lost: *low };
            sum.add(-d, 0.0);
            (*high, *low) = sum.halves();
        }
    }

    /// A x, or A^T x where `transposed`, in double-double precision.
    pub(crate) fn product(&self, a: &Dense, transposed: bool) -> Self {
        Arch::new().dispatch(Image { a, x: self, transposed })
    }
}

/// A x or A^T x of a vector as the sum of two, to be computed with the instructions of this processor.
struct Image<'a> {
    a: &'a Dense,
    x: &'a TwoVectors,
    transposed: bool,
}

impl WithSimd for Image<'_> {
    type Output = TwoVectors;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> TwoVectors {
        // Registers that wide come with products and sums in one rounding.
        if S::F64_LANES >= 4 {
            self.sums(|a, b, product| a.mul_add(b, -product))
        } else {
            self.sums(product_error)
        }
    }
}

impl Image<'_> {
    /// With the error of a product by `error`.
    #[inline(always)]
    fn sums(&self, error: impl Fn(f64, f64, f64) -> f64) -> TwoVectors {
        let Self { a, x, transposed } = *self;
        let mut sums = vec![Twofold::default(); if transposed { a.ncols() } else { a.nrows() }];
        for j in 0..a.ncols() {
            for (i, v) in a.col_as_slice(j).iter().enumerate().filter(|(_, v)| **v != 0.0) {
                let (to, from) = if transposed { (j, i) } else { (i, j) };
                let product = v * x.high[from];
                sums[to].add(product, error(*v, x.high[from], product));
                sums[to].lost += v * x.low[from];
            }
        }
        let (high, low) = sums.into_iter().map(Twofold::halves).unzip();
        TwoVectors { high, low }
    }
}

/// inner^T A outer of a dense matrix, nothing conjugated.
pub(crate) fn bilinear_dense(a: &Dense, inner: &[c64], outer: &[c64]) -> c64 {
    let complex = inner.iter().any(|z| z.im != 0.0);
    let re = inner.iter().map(|z| z.re).collect();
    let im = if complex { inner.iter().map(|z| z.im).collect() } else { Vec::new() };
    Arch::new().dispatch(Form { a, inner, parts: [re, im], outer })
}

/// A dense form, to be computed with the instructions of this processor.
struct Form<'a> {
    a: &'a Dense,
    inner: &'a [c64],
    /// Real and imaginary parts of `inner`; the latter empty where all are zero.
    parts: [Vec<f64>; 2],
    outer: &'a [c64],
}

/// Sums side by side with what rounding took from each.
struct Lanes<S: Simd> {
    simd: S,
    sum: S::f64s,
    lost: S::f64s,
}

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        Self { simd, sum: simd.splat_f64s(0.0), lost: simd.splat_f64s(0.0) }
    }

    /// Adds a b. Multiplying and adding in one rounding gives the error of a product at once.
    #[inline(always)]
    fn add_products(&mut self, a: S::f64s, b: S::f64s) {
        let simd = self.simd;
        let product = simd.mul_f64s(a, b);
        let error = simd.mul_add_f64s(a, b, simd.neg_f64s(product));
        let sum = simd.add_f64s(self.sum, product);
        let part = simd.sub_f64s(sum, self.sum);
        let before = simd.sub_f64s(self.sum, simd.sub_f64s(sum, part));
        let rest = simd.add_f64s(before, simd.add_f64s(simd.sub_f64s(product, part), error));
        self.lost = simd.add_f64s(self.lost, rest);
        self.sum = sum;
    }

    /// Adds other sums times a number.
    #[inline(always)]
    fn add_scaled(&mut self, other: &Self, by: f64) {
        let by = self.simd.splat_f64s(by);
        self.add_products(other.sum, by);
        self.lost = self.simd.mul_add_f64s(other.lost, by, self.lost);
    }

    #[inline(always)]
    fn total(&self) -> f64 {
        let (mut sums, mut lost) = ([0.0; MOST], [0.0; MOST]);
        self.simd.partial_store_f64s(&mut sums[..S::F64_LANES], self.sum);
        self.simd.partial_store_f64s(&mut lost[..S::F64_LANES], self.lost);
        let mut out = Twofold::default();
        sums.iter().zip(&lost).take(S::F64_LANES).for_each(|(sum, lost)| out.add(*sum, *lost));
        out.value()
    }
}

impl WithSimd for Form<'_> {
    type Output = c64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> c64 {
        let Self { a, inner, parts, outer } = self;
        // Registers that wide come with products and sums in one rounding.
        if !(4..=MOST).contains(&S::F64_LANES) {
            let column = |j: usize| a.col_as_slice(j).iter().copied().enumerate();
            return bilinear((0..a.ncols()).map(column), inner, outer);
        }
        let load = |list: &[f64]| simd.partial_load_f64s(list);
        let [re_inner, im_inner] = parts.map(|p| p.chunks(S::F64_LANES).map(load).collect::<Vec<_>>());
        let (mut re, mut im) = (Lanes::new(simd), Lanes::new(simd));
        for (j, by) in outer.iter().enumerate().take(a.ncols()) {
            let column = a.col_as_slice(j).chunks(S::F64_LANES);
            let mut line_re = Lanes::new(simd);
            if im_inner.is_empty() {
                for (part, x) in column.zip(&re_inner) {
                    line_re.add_products(load(part), *x);
                }
            } else {
                let mut line_im = Lanes::new(simd);
                for ((part, x), y) in column.zip(&re_inner).zip(&im_inner) {
                    let part = load(part);
                    line_re.add_products(part, *x);
                    line_im.add_products(part, *y);
                }
                re.add_scaled(&line_im, -by.im);
                im.add_scaled(&line_im, by.re);
            }
            re.add_scaled(&line_re, by.re);
            im.add_scaled(&line_re, by.im);
        }
        c64::new(re.total(), im.total())
    }
}

/// inner^T A^T outer of a sparse matrix in either storage, that is outer^T A inner where its lines are rows; nothing conjugated.
pub(crate) fn bilinear_sparse(a: &Sparse, inner: &[c64], outer: &[c64]) -> c64 {
    Arch::new().dispatch(Lines { a, inner, outer })
}

/// A sparse form, to be computed with the instructions of this processor.
struct Lines<'a> {
    a: &'a Sparse,
    inner: &'a [c64],
    outer: &'a [c64],
}

impl WithSimd for Lines<'_> {
    type Output = c64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> c64 {
        let Self { a, inner, outer } = self;
        let rows = a.outer_iterator().map(|row| {
            let (index, value) = row.into_raw_storage();
            index.iter().copied().zip(value.iter().copied())
        });
        // Registers that wide come with products and sums in one rounding.
        let fused = S::F64_LANES >= 4;
        if !fused || inner.iter().chain(outer).any(|z| z.im != 0.0) {
            return bilinear(rows, inner, outer);
        }
        let mut form = Twofold::default();
        for (row, by) in rows.zip(outer) {
            let mut line = Twofold::default();
            for (index, value) in row {
                let (x, product) = (inner[index].re, value * inner[index].re);
                line.add(product, value.mul_add(x, -product));
            }
            let product = line.sum * by.re;
            form.add(product, line.sum.mul_add(by.re, -product) + line.lost * by.re);
        }
        c64::new(form.value(), 0.0)
    }
}

/// The sum over lines, of a matrix with few entries, of outer_line (sum over the line's entries of value inner_index), nothing conjugated.
///
/// With the rows of A as lines it is outer^T A inner, with the columns inner^T A outer.
pub(crate) fn bilinear<L>(lines: impl Iterator<Item = L>, inner: &[c64], outer: &[c64]) -> c64
where
    L: Iterator<Item = (usize, f64)>,
{
    let complex = inner.iter().any(|z| z.im != 0.0);
    let (mut re, mut im) = (Twofold::default(), Twofold::default());
    for (line, by) in lines.zip(outer) {
        let (mut line_re, mut line_im) = (Twofold::default(), Twofold::default());
        for (index, value) in line {
            line_re.add_product(value, inner[index].re);
            if complex {
                line_im.add_product(value, inner[index].im);
            }
        }
        re.add_scaled(line_re, by.re);
        im.add_scaled(line_re, by.im);
        if complex {
            re.add_scaled(line_im, -by.im);
            im.add_scaled(line_im, by.re);
        }
    }
    c64::new(re.value(), im.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_and_its_error_are_exact() {
        let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        // (1 + e)(1 - e) = 1 - e^2.
        assert!((product_error(a, b, a * b) + f64::EPSILON * f64::EPSILON).abs() <= 0.0);
        assert!(product_error(3.0, 5.0, 15.0).abs() <= 0.0);
    }

    #[test]
    fn sums_side_by_side_are_those_one_after_the_other() {
        for n in [1, 3, 4, 7, 23] {
            let a = Dense::from_fn(n, n, |i, j| ((i * 31 + j * 17) % 23) as f64 / 7.0 - 1.6);
            let vector = |by: f64, turn: f64| -> Vec<c64> {
                (0..n).map(|i| c64::new((by * i as f64).sin(), turn * (by * i as f64).cos())).collect()
            };
            for turn in [0.0, 1.0] {
                let (y, x) = (vector(0.7, turn), vector(1.3, turn));
                let lines = (0..n).map(|j| a.col_as_slice(j).iter().copied().enumerate());
                let (one, side) = (bilinear(lines, &y, &x), bilinear_dense(&a, &y, &x));
                assert!((one - side).norm() <= 4.0 * f64::EPSILON * one.norm(), "{n}: {one} {side}");
            }
        }
    }

    #[test]
    fn sparse_forms_are_those_of_dense_matrices() {
        let n = 19;
        let a =
            Dense::from_fn(
                n,
                n,
                |i, j| if (i + 2 * j) % 3 == 0 { (i * 31 + j * 17) as f64 - 150.0 } else { 0.0 },
            );
        let sparse = mb_algebra::to_sparse(&a).to_csr();
        for turn in [0.0, 1.0] {
            let vector = |by: f64| -> Vec<c64> {
                (0..n).map(|i| c64::new((by * i as f64).sin(), turn * (by * i as f64).cos())).collect()
            };
            let (y, x) = (vector(0.7), vector(1.3));
            let (one, other) = (bilinear_sparse(&sparse, &x, &y), bilinear_dense(&a, &y, &x));
            assert!((one - other).norm() <= 4.0 * f64::EPSILON * one.norm(), "{one} {other}");
        }
    }

    #[test]
    fn forms_that_cancel_keep_their_digits() {
        // A stiff spring k between two masses and a soft one of stiffness 1 on the first, moved together by x: the form
        // is x^2 whatever k. x of few bits makes it exact.
        let (k, x) = (2.0_f64.powi(60), 1.25);
        let rows = [vec![(0, k), (1, -k)], vec![(0, -k), (1, k)], vec![(2, 1.0)]];
        let u = [c64::new(x, 0.5), c64::new(x, 0.5), c64::new(x, 0.0)];
        let form = bilinear(rows.iter().map(|row| row.iter().copied()), &u, &u);
        assert_eq!(form, c64::new(x * x, 0.0));
        let dense = |u: &[c64]| {
            let a = mb_algebra::dense::from_rows(&[[k, -k, 0.0], [-k, k, 0.0], [0.0, 0.0, 1.0]]);
            bilinear_dense(&a, u, u)
        };
        assert_eq!(dense(&u), c64::new(x * x, 0.0));
        // The same with a difference in the last bit: k e^2 is added to it.
        let e = f64::EPSILON;
        let u = [c64::new(1.0 + e, 0.0), c64::new(1.0, 0.0), c64::new(x, 0.0)];
        let form = bilinear(rows.iter().map(|row| row.iter().copied()), &u, &u);
        assert!((form.re - (k * e * e + x * x)).abs() <= 0.0);
        assert!((dense(&u).re - (k * e * e + x * x)).abs() <= 0.0);
    }
}
