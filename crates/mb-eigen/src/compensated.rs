//! Bilinear forms as if computed in doubled working precision.
//!
//! ```text
//! y^T A x,   error <= u |y^T A x| + (N u)^2 |y|^T |A| |x|
//! ```
//!
//! Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26 (2005), algorithm 5.3 (Dot2), with the error of a product by Dekker,
//! Numer. Math. 18 (1971). The plain form of a stiff problem's low mode loses all digits by which |y|^T |A| |x| exceeds
//! the form; this one keeps them as long as x itself has them. Sizes: A n x n with N entries. Entries above 1e300 overflow
//! on the way to NaN, which the caller has to refuse.

use mb_algebra::c64;

/// A sum with what rounding took from it.
#[derive(Clone, Copy, Debug, Default)]
struct Twofold {
    sum: f64,
    lost: f64,
}

impl Twofold {
    /// Adds a b.
    fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product, product_error(a, b, product));
    }

    /// Adds `value` and, less carefully, `rest`.
    fn add(&mut self, value: f64, rest: f64) {
        let sum = self.sum + value;
        let part = sum - self.sum;
        self.lost += (self.sum - (sum - part)) + (value - part) + rest;
        self.sum = sum;
    }

    /// Adds another sum times a number.
    fn add_scaled(&mut self, other: Self, by: f64) {
        self.add_product(other.sum, by);
        self.lost += other.lost * by;
    }

    fn value(self) -> f64 {
        self.sum + self.lost
    }
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

/// The sum over lines of outer_line (sum over the line's entries of value inner_index), nothing conjugated.
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
    fn forms_that_cancel_keep_their_digits() {
        // A stiff spring k between two masses and a soft one of stiffness 1 on the first, moved together by x: the form
        // is x^2 whatever k. x of few bits makes it exact.
        let (k, x) = (2.0_f64.powi(60), 1.25);
        let rows = [vec![(0, k), (1, -k)], vec![(0, -k), (1, k)], vec![(2, 1.0)]];
        let u = [c64::new(x, 0.5), c64::new(x, 0.5), c64::new(x, 0.0)];
        let form = bilinear(rows.iter().map(|row| row.iter().copied()), &u, &u);
        assert_eq!(form, c64::new(x * x, 0.0));
        // The same with a difference in the last bit: k e^2 appears beside it.
        let e = f64::EPSILON;
        let u = [c64::new(1.0 + e, 0.0), c64::new(1.0, 0.0), c64::new(x, 0.0)];
        let form = bilinear(rows.iter().map(|row| row.iter().copied()), &u, &u);
        assert!((form.re - (k * e * e + x * x)).abs() <= 0.0);
    }
}
