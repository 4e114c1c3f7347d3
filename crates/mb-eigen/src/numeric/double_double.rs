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

use mb_algebra::compensated::product_error;
use mb_algebra::{Dense, Sparse, c64};
use pulp::{Arch, Simd, WithSimd};

pub(crate) use self::block::{forms_of_rows, row_products, sizes_of_forms};

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
        let sum = self.sum + value;
        let part = sum - self.sum;
        self.lost += (self.sum - (sum - part)) + (value - part) + rest;
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
    fn halves(self) -> (f64, f64) {
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
        let mut sums = vec![Twofold::default(); if transposed { a.ncols() } else { a.nrows() }];
        for j in 0..a.ncols() {
            for (i, v) in a.col_as_slice(j).iter().enumerate().filter(|(_, v)| **v != 0.0) {
                let (to, from) = if transposed { (j, i) } else { (i, j) };
                sums[to].add_product(*v, self.high[from]);
                sums[to].lost += v * self.low[from];
            }
        }
        let (high, low) = sums.into_iter().map(Twofold::halves).unzip();
        Self { high, low }
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

/// A product with a matrix by rows: A (x + low), x and low of as many columns as all others.
pub(crate) struct Term<'a> {
    pub(crate) a: &'a Sparse,
    pub(crate) x: &'a Dense,
    /// Zero where absent.
    pub(crate) low: Option<&'a Dense>,
}

/// The sum of products A (x + low), each entry in double-double precision and rounded at the end; several columns at
/// once cost little more than one. All A have as many rows.
pub(crate) fn sum_of_products(terms: &[Term<'_>]) -> Dense {
    let Some(first) = terms.first() else { return Dense::zeros(0, 0) };
    if terms.iter().all(|term| term.a.nnz() < term.x.nrows()) {
        return one_by_one(terms);
    }
    let mut out = Dense::zeros(first.a.rows(), first.x.ncols());
    Sums::default().of_columns(terms, &(0..first.x.ncols()).collect::<Vec<_>>(), &mut out);
    out
}

/// Such sums, one after the other in the same memory.
#[derive(Default)]
pub(crate) struct Sums {
    /// Columns packed by rows.
    packed: Vec<Vec<[f64; SIDE]>>,
    sums: Vec<[f64; SIDE]>,
}

impl Sums {
    /// The sum of products for some columns of every x and low, into the first columns of `out`.
    pub(crate) fn of_columns(&mut self, terms: &[Term<'_>], columns: &[usize], out: &mut Dense) {
        let Self { packed, sums } = self;
        let vectors: Vec<&Dense> = terms.iter().flat_map(|term| [Some(term.x), term.low]).flatten().collect();
        packed.resize_with(packed.len().max(vectors.len()), Vec::new);
        sums.resize(out.nrows(), [0.0; SIDE]);
        for (part, columns) in columns.chunks(SIDE).enumerate() {
            for (rows, x) in packed.iter_mut().zip(&vectors) {
                // Lanes beyond the columns in work are not used.
                rows.resize(x.nrows(), [0.0; SIDE]);
                for (k, &j) in columns.iter().enumerate().filter(|_| x.nrows() > 0) {
                    rows.iter_mut().zip(x.col_as_slice(j)).for_each(|(row, x)| row[k] = *x);
                }
            }
            let mut next = packed.iter().map(|rows| &rows[..]);
            let mut take = || next.next().unwrap_or_default();
            let terms: Vec<Packed<'_>> = terms
                .iter()
                .map(|term| Packed { a: term.a, x: take(), low: term.low.map(|_| take()) })
                .collect();
            Arch::new().dispatch(Products { terms: &terms, sums });
            for k in 0..columns.len() {
                let to = out.col_as_slice_mut(part * SIDE + k);
                to.iter_mut().zip(&*sums).for_each(|(to, sum)| *to = sum[k]);
            }
        }
    }
}

/// The same where so few entries are read again for every column sooner than columns are packed.
fn one_by_one(terms: &[Term<'_>]) -> Dense {
    let Some(first) = terms.first() else { return Dense::zeros(0, 0) };
    let entry = |i: usize, k: usize| {
        let mut sum = Twofold::default();
        for term in terms {
            let row = term.a.outer_view(i);
            for (j, a) in row.iter().flat_map(|row| row.iter()) {
                sum.add_product(*a, term.x[(j, k)]);
                sum.lost += term.low.map_or(0.0, |low| a * low[(j, k)]);
            }
        }
        sum.value()
    };
    Dense::from_fn(first.a.rows(), first.x.ncols(), entry)
}

/// Columns side by side.
const SIDE: usize = 4;

/// A term with its columns packed by rows.
struct Packed<'a> {
    a: &'a Sparse,
    x: &'a [[f64; SIDE]],
    low: Option<&'a [[f64; SIDE]]>,
}

/// Products of several columns, to be computed with the instructions of this processor.
struct Products<'a> {
    terms: &'a [Packed<'a>],
    sums: &'a mut [[f64; SIDE]],
}

impl Products<'_> {
    #[inline(always)]
    fn run(self, product_error: impl Fn(f64, f64, f64) -> f64) {
        let starts: Vec<_> = self.terms.iter().map(|term| term.a.proper_indptr()).collect();
        for (i, out) in self.sums.iter_mut().enumerate() {
            let (mut sum, mut lost) = ([0.0; SIDE], [0.0; SIDE]);
            for (term, starts) in self.terms.iter().zip(&starts) {
                let own = starts[i]..starts[i + 1];
                for (&j, &a) in term.a.indices()[own.clone()].iter().zip(&term.a.data()[own]) {
                    let x = &term.x[j];
                    let mut rest = [0.0; SIDE];
                    if let Some(low) = term.low {
                        let low = &low[j];
                        (0..SIDE).for_each(|k| rest[k] = a * low[k]);
                    }
                    for k in 0..SIDE {
                        let product = a * x[k];
                        let error = product_error(a, x[k], product) + rest[k];
                        let next = sum[k] + product;
                        let part = next - sum[k];
                        lost[k] += (sum[k] - (next - part)) + (product - part) + error;
                        sum[k] = next;
                    }
                }
            }
            (0..SIDE).for_each(|k| out[k] = sum[k] + lost[k]);
        }
    }
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        // Registers that wide come with products and sums in one rounding.
        if S::F64_LANES >= 4 {
            self.run(|a, b, product| a.mul_add(b, -product));
        } else {
            self.run(product_error);
        }
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
    fn products_side_by_side_are_those_one_by_one() {
        let k = 2.0_f64.powi(60);
        let stiff = mb_algebra::to_sparse(&mb_algebra::dense::from_rows(&[[k, -k, 0.5], [0.0, 3.0, 0.0]]));
        let soft = mb_algebra::to_sparse(&mb_algebra::dense::from_rows(&[[1.0], [-2.0]])).to_csr();
        let (stiff, e) = (stiff.to_csr(), f64::EPSILON);
        for columns in [1, 3, 4, 6] {
            let at = |i: usize, j: usize| if i < 2 { 1.0 + e * (j + i) as f64 } else { 1.0 };
            let x = Dense::from_fn(3, columns, at);
            let low = Dense::from_fn(3, columns, |i, j| if i == 0 { e * e * j as f64 } else { 0.0 });
            let l = Dense::from_fn(1, columns, |_, j| j as f64);
            let terms = [Term { a: &stiff, x: &x, low: Some(&low) }, Term { a: &soft, x: &l, low: None }];
            // Some columns, in memory that has been used.
            let whole = sum_of_products(&terms);
            let (mut sums, mut some) = (Sums::default(), Dense::zeros(2, columns));
            let order: Vec<usize> = (0..columns).rev().chain([0]).take(columns).collect();
            sums.of_columns(&terms, &(0..columns).collect::<Vec<_>>(), &mut some);
            sums.of_columns(&terms, &order, &mut some);
            assert!(order.iter().enumerate().all(|(k, &j)| some.col_as_slice(k) == whole.col_as_slice(j)));
            for (found, j) in
                [whole, one_by_one(&terms)].iter().flat_map(|found| (0..columns).map(move |j| (found, j)))
            {
                assert_eq!(found.ncols(), columns);
                // The first two numbers differ by e, and by a low part.
                let exact = [k * (e * e * j as f64 - e) + 0.5 + l[(0, j)], 3.0 * at(1, j) - 2.0 * l[(0, j)]];
                for (i, exact) in exact.into_iter().enumerate() {
                    assert!(
                        (found[(i, j)] - exact).abs() <= 4.0 * e * exact.abs().max(1.0),
                        "{columns}: {} {exact}",
                        found[(i, j)]
                    );
                }
            }
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
