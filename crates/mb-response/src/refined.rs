//! Solutions as sums of two vectors, refined with residuals in double-double precision.
//!
//! ```text
//! S (x, l) = (F, 0),  x = x_1 + x_2,  l = l_1 + l_2;    r = (F, 0) - S (x, l),  S (dx, dl) = r,  (x, l) <- (x, l) + (dx, dl)
//! |fl(r) - r| <= u |r| + (N u)^2 (|P| |x| + |Phi_q|^T |l| + |F|)
//! ```
//!
//! One factorization of condition number kappa gains the factor u kappa in every step (Wilkinson; Demmel and others, ACM Trans. Math.
//! Softw. 32 (2006)). The factors s^2 of M and s of C are not rounded either. Sizes: n unknowns, m constraint rows, k columns.

use crate::accurate::{Sums, WIDE, row_sums};
use mb_algebra::compensated::{product_error, two_sum};
use mb_algebra::{DenseC, QuadraticPencil, Sparse, c64};

/// Columns that are summed at once: real and imaginary part of both vectors of each.
const TOGETHER: usize = WIDE / 4;

/// A number as the sum of two.
#[derive(Clone, Copy, Debug, Default)]
struct Twofold {
    high: f64,
    low: f64,
}

impl Twofold {
    fn add(self, other: Self) -> Self {
        let (high, error) = two_sum(self.high, other.high);
        let (high, low) = two_sum(high, error + (self.low + other.low));
        Self { high, low }
    }

    fn times(self, other: Self) -> Self {
        let product = self.high * other.high;
        let error = product_error(self.high, other.high, product);
        let (high, low) = two_sum(product, error + (self.high * other.low + self.low * other.high));
        Self { high, low }
    }

    fn negative(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }

    fn of(x: f64) -> Self {
        Self { high: x, low: 0.0 }
    }
}

/// Real and imaginary part.
type Complex = [Twofold; 2];

fn times([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a.times(c).add(b.times(d).negative()), a.times(d).add(b.times(c))]
}

fn of([re, im]: [f64; 2]) -> Complex {
    [Twofold::of(re), Twofold::of(im)]
}

/// Takes a number from a complex sum.
fn less(sum: &mut Complex, [re, im]: Complex) {
    *sum = [sum[0].add(re.negative()), sum[1].add(im.negative())];
}

/// Residuals of one column in both blocks of rows.
pub(crate) type Residual = (Vec<c64>, Vec<c64>);

/// (x, l) of k columns, each a sum of two.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// n x k.
    pub(crate) x: [DenseC; 2],
    /// m x k.
    pub(crate) l: [DenseC; 2],
}

impl Solution {
    pub(crate) fn new(x: DenseC, l: DenseC) -> Self {
        let zero = |a: &DenseC| DenseC::zeros(a.nrows(), a.ncols());
        let (x_low, l_low) = (zero(&x), zero(&l));
        Self { x: [x, x_low], l: [l, l_low] }
    }

    /// Adds a correction.
    pub(crate) fn add(&mut self, dx: &DenseC, dl: &DenseC) {
        for (parts, d) in [(&mut self.x, dx), (&mut self.l, dl)] {
            let [high, low] = parts;
            for j in 0..d.ncols() {
                let columns = high.col_as_slice_mut(j).iter_mut().zip(low.col_as_slice_mut(j));
                for ((high, low), d) in columns.zip(d.col_as_slice(j)) {
                    let (re, re_low) = two_sum(high.re, low.re + d.re);
                    let (im, im_low) = two_sum(high.im, low.im + d.im);
                    (*high, *low) = (c64::new(re, im), c64::new(re_low, im_low));
                }
            }
        }
    }
}

/// Columns j.. of both parts packed by rows.
fn packed([high, low]: &[DenseC; 2], first: usize) -> Vec<[f64; WIDE]> {
    let mut out = vec![[0.0; WIDE]; high.nrows()];
    for c in 0..TOGETHER.min(high.ncols() - first) {
        let columns = high.col_as_slice(first + c).iter().zip(low.col_as_slice(first + c));
        for (out, (high, low)) in out.iter_mut().zip(columns) {
            out[4 * c..4 * c + 4].copy_from_slice(&[high.re, high.im, low.re, low.im]);
        }
    }
    out
}

/// The sum of the column c of those that are packed.
fn sum_of((sum, lost): &Sums, c: usize) -> Complex {
    let part = |k: usize| {
        let both = |k: usize| {
            let (high, low) = two_sum(sum[k], lost[k]);
            Twofold { high, low }
        };
        both(4 * c + k).add(both(4 * c + k + 2))
    };
    [part(0), part(1)]
}

/// The matrices of S at one s, by rows.
pub(crate) struct Equations {
    terms: Vec<(Complex, Sparse)>,
    phi: Sparse,
    transposed: Sparse,
}

impl Equations {
    /// s^2 M + s C + (1 + i loss) K with Phi_q.
    pub(crate) fn new(s: c64, loss: f64, p: &QuadraticPencil<Sparse>) -> Self {
        let s = of([s.re, s.im]);
        let terms = [(times(s, s), &p.m), (s, &p.c), (of([1.0, loss]), &p.k)];
        let zero = |f: &Complex| f.iter().all(|x| x.high == 0.0);
        let terms = terms.into_iter().filter(|(f, a)| !zero(f) && a.nnz() > 0);
        Self {
            terms: terms.map(|(f, a)| (f, a.to_csr())).collect(),
            phi: p.phi_q.to_csr(),
            transposed: p.phi_q.transpose_view().to_csr(),
        }
    }

    /// (F, 0) - S (x, l) by column, rounded once.
    pub(crate) fn residuals(&self, f: &DenseC, solution: &Solution) -> Vec<Residual> {
        let mut out = Vec::with_capacity(f.ncols());
        for first in (0..f.ncols()).step_by(TOGETHER) {
            let (x, l) = (packed(&solution.x, first), packed(&solution.l, first));
            let images: Vec<_> = self.terms.iter().map(|(_, a)| row_sums(a, &x)).collect();
            let (reactions, violations) = (row_sums(&self.transposed, &l), row_sums(&self.phi, &x));
            for c in 0..TOGETHER.min(f.ncols() - first) {
                let row = |(i, f): (usize, &c64)| {
                    let mut sum = of([f.re, f.im]);
                    for ((factor, _), image) in self.terms.iter().zip(&images) {
                        less(&mut sum, times(*factor, sum_of(&image[i], c)));
                    }
                    less(&mut sum, sum_of(&reactions[i], c));
                    c64::new(sum[0].high, sum[1].high)
                };
                let rows = f.col_as_slice(first + c).iter().enumerate().map(row).collect();
                let constraint = |sums: &Sums| {
                    let [re, im] = sum_of(sums, c);
                    c64::new(-re.high, -im.high)
                };
                out.push((rows, violations.iter().map(constraint).collect()));
            }
        }
        out
    }
}

/// Residuals as two blocks of columns.
pub(crate) fn blocks(residuals: &[Residual], n: usize, m: usize) -> (DenseC, DenseC) {
    let k = residuals.len();
    (DenseC::from_fn(n, k, |i, j| residuals[j].0[i]), DenseC::from_fn(m, k, |i, j| residuals[j].1[i]))
}
