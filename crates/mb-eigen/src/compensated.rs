//! Bilinear forms as if computed in doubled working precision.
//!
//! ```text
//! y^T A x,   error <= u |y^T A x| + (N u)^2 |y|^T |A| |x|
//! ```
//!
//! Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26 (2005), algorithm 5.3 (Dot2), with the error of a product by Dekker,
//! Numer. Math. 18 (1971). The plain form of a stiff problem's low mode loses all digits by which |y|^T |A| |x| exceeds
//! the form; this one keeps them as long as x itself has them. Sizes: A n x n with N entries. Entries above 1e300 overflow
//! on the way to NaN, which the caller has to refuse. A dense A is summed in four sums side by side, which wait for each
//! other's roundings at the same time.

use mb_algebra::{Dense, c64};

/// Sums side by side.
const LANES: usize = 4;

/// A sum with what rounding took from it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Twofold {
    sum: f64,
    lost: f64,
}

impl Twofold {
    /// Adds a b.
    pub(crate) fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product, product_error(a, b, product));
    }

    /// Adds `value` and, less carefully, `rest`.
    pub(crate) fn add(&mut self, value: f64, rest: f64) {
        let sum = self.sum + value;
        let part = sum - self.sum;
        self.lost += (self.sum - (sum - part)) + (value - part) + rest;
        self.sum = sum;
    }

    /// Adds another sum times a number.
    pub(crate) fn add_scaled(&mut self, other: Self, by: f64) {
        self.add_product(other.sum, by);
        self.lost += other.lost * by;
    }

    pub(crate) fn value(self) -> f64 {
        self.sum + self.lost
    }
}

/// Sums side by side with what rounding took from each.
#[derive(Clone, Copy, Debug, Default)]
struct Lanes {
    sum: [f64; LANES],
    lost: [f64; LANES],
}

impl Lanes {
    /// Adds a b, whose halves are known, entry by entry.
    #[inline]
    fn add_products(&mut self, a: &Halved, b: &Halved) {
        for l in 0..LANES {
            let product = a.whole[l] * b.whole[l];
            let error = a.low[l] * b.low[l]
                - (((product - a.high[l] * b.high[l]) - a.low[l] * b.high[l]) - a.high[l] * b.low[l]);
            let sum = self.sum[l] + product;
            let part = sum - self.sum[l];
            self.lost[l] += (self.sum[l] - (sum - part)) + (product - part) + error;
            self.sum[l] = sum;
        }
    }

    fn total(&self) -> Twofold {
        let mut out = Twofold::default();
        for l in 0..LANES {
            out.add(self.sum[l], self.lost[l]);
        }
        out
    }
}

/// Numbers with their halves of at most 26 bits.
#[derive(Clone, Copy, Debug)]
struct Halved {
    whole: [f64; LANES],
    high: [f64; LANES],
    low: [f64; LANES],
}

impl Halved {
    #[inline]
    fn new(whole: [f64; LANES]) -> Self {
        let mut out = Self { whole, high: [0.0; LANES], low: [0.0; LANES] };
        for l in 0..LANES {
            (out.high[l], out.low[l]) = halves(whole[l]);
        }
        out
    }
    /// Of a list, the last ones filled up with zeros.
    fn of(list: impl ExactSizeIterator<Item = f64>) -> Vec<Self> {
        let list: Vec<f64> = list.collect();
        list.chunks(LANES).map(|part| Self::new(filled(part))).collect()
    }
}

/// As many numbers as lanes, zeros where there are no more.
#[inline]
fn filled(part: &[f64]) -> [f64; LANES] {
    if let Ok(all) = part.try_into() {
        return all;
    }
    let mut out = [0.0; LANES];
    out[..part.len()].copy_from_slice(part);
    out
}

/// inner^T A outer of a dense matrix, nothing conjugated.
pub(crate) fn bilinear_dense(a: &Dense, inner: &[c64], outer: &[c64]) -> c64 {
    let complex = inner.iter().any(|z| z.im != 0.0);
    let inner_re = Halved::of(inner.iter().map(|z| z.re));
    let inner_im = if complex { Halved::of(inner.iter().map(|z| z.im)) } else { Vec::new() };
    let (mut re, mut im) = (Twofold::default(), Twofold::default());
    for (j, by) in outer.iter().enumerate().take(a.ncols()) {
        let (mut line_re, mut line_im) = (Lanes::default(), Lanes::default());
        for (k, part) in a.col_as_slice(j).chunks(LANES).enumerate() {
            let part = Halved::new(filled(part));
            line_re.add_products(&part, &inner_re[k]);
            if complex {
                line_im.add_products(&part, &inner_im[k]);
            }
        }
        let line = line_re.total();
        re.add_scaled(line, by.re);
        im.add_scaled(line, by.im);
        if complex {
            let line = line_im.total();
            re.add_scaled(line, -by.im);
            im.add_scaled(line, by.re);
        }
    }
    c64::new(re.value(), im.value())
}

/// a b - fl(a b).
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)
}

/// Two numbers of at most 26 bits with sum a.
fn halves(a: f64) -> (f64, f64) {
    let shifted = 134_217_729.0 * a;
    let high = shifted - (shifted - a);
    (high, a - high)
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
        // The same with a difference in the last bit: k e^2 appears beside it.
        let e = f64::EPSILON;
        let u = [c64::new(1.0 + e, 0.0), c64::new(1.0, 0.0), c64::new(x, 0.0)];
        let form = bilinear(rows.iter().map(|row| row.iter().copied()), &u, &u);
        assert!((form.re - (k * e * e + x * x)).abs() <= 0.0);
        assert!((dense(&u).re - (k * e * e + x * x)).abs() <= 0.0);
    }
}
