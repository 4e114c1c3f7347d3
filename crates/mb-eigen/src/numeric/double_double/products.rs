//! Sums of products A (x + low) of matrices and several columns, entry by entry in double-double precision.

use mb_algebra::compensated::{product_error, two_sum};
use mb_algebra::{Dense, Sparse};
use pulp::{Arch, Simd, WithSimd};

use super::Twofold;

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
                        let (next, of_sum) = two_sum(sum[k], product);
                        lost[k] += of_sum + error;
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
