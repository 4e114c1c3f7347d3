//! Index tables of a truncated multivariate polynomial, computed at compile time.
//!
//! Monomials `x^sigma`, `|sigma| <= order`, are numbered in graded order: by degree, and within
//! a degree with the higher power of the earlier variable first. For two variables and order 2:
//!
//! ```text
//! 1,  x0, x1,  x0^2, x0 x1, x1^2
//! ```
//!
//! so coefficient `1 + k` belongs to variable `k`, and raising the order only appends.
//! There are `C(p + order, order)` of them.

use super::kernel::Table;
use core::ops::Range;

/// No order above this fits the table of degrees.
const DEGREES: usize = 64;

/// The tables of `P` variables and `N` coefficients.
pub(crate) struct Tables<const P: usize, const N: usize> {
    /// Highest total degree kept.
    pub(crate) order: usize,
    /// Exponents of each monomial.
    pub(crate) index: [[u8; P]; N],
    /// Total degree of each monomial.
    pub(crate) degree: [u8; N],
    /// Degree `d` is stored in `start[d]..start[d + 1]`.
    pub(crate) start: [usize; DEGREES],
    /// Number of the product of two monomials; meaningful where the degrees add up to at
    /// most `order`. Within a row the meaningful entries are the leading ones.
    pub(crate) product: [[u16; N]; N],
}

/// n over k.
const fn binomial(n: usize, k: usize) -> usize {
    let mut value = 1;
    let mut i = 0;
    while i < k {
        value = value * (n - i) / (i + 1);
        i += 1;
    }
    value
}

/// Order of the complete polynomial in `p` variables that has `n` coefficients.
const fn order_of(p: usize, n: usize) -> usize {
    let mut order = 0;
    while order + 2 < DEGREES {
        let count = binomial(p + order, p);
        if count == n {
            return order;
        }
        assert!(count < n && p > 0, "the number of coefficients N of a Jet<P, N> must be C(P + order, P)");
        order += 1;
    }
    panic!("the order of a Jet is too high")
}

/// Number of a multi-index in graded order.
pub(crate) const fn rank<const P: usize>(sigma: &[u8; P]) -> usize {
    let mut rest = 0;
    let mut k = 0;
    while k < P {
        rest += sigma[k] as usize;
        k += 1;
    }
    if rest == 0 {
        return 0;
    }
    // All monomials of lower degree come first: C(p + d - 1, p).
    let mut number = binomial(P + rest - 1, P);
    k = 0;
    while k + 1 < P {
        rest -= sigma[k] as usize;
        // Indices with the same powers before k and a higher one at k.
        if rest > 0 {
            number += binomial(P - k - 2 + rest, P - k - 1);
        }
        k += 1;
    }
    number
}

/// The multi-index after `sigma` in graded order.
const fn successor<const P: usize>(mut sigma: [u8; P]) -> [u8; P] {
    if P == 0 {
        return sigma;
    }
    let last = sigma[P - 1];
    sigma[P - 1] = 0;
    let mut k = P - 1;
    while k > 0 {
        k -= 1;
        if sigma[k] > 0 {
            sigma[k] -= 1;
            sigma[k + 1] = last + 1;
            return sigma;
        }
    }
    // `sigma` was the last of its degree: the next one is x0^(degree + 1).
    sigma[0] = last + 1;
    sigma
}

impl<const P: usize, const N: usize> Tables<P, N> {
    /// Builds every table; a wrong `N` stops the compilation.
    pub(crate) const fn new() -> Self {
        let order = order_of(P, N);
        assert!(N <= u16::MAX as usize + 1, "a Jet has too many coefficients");
        let (index, degree) = Self::indices();
        let mut start = [N; DEGREES];
        let mut d = 0;
        while d <= order {
            start[d] = if d == 0 { 0 } else { binomial(P + d - 1, P) };
            d += 1;
        }
        Self { order, index, degree, start, product: Self::products(&index, &degree, order) }
    }

    /// Exponents and degrees.
    const fn indices() -> ([[u8; P]; N], [u8; N]) {
        let mut index = [[0_u8; P]; N];
        let mut degree = [0_u8; N];
        let mut i = 1;
        while i < N {
            index[i] = successor(index[i - 1]);
            let mut k = 0;
            while k < P {
                degree[i] += index[i][k];
                k += 1;
            }
            i += 1;
        }
        (index, degree)
    }

    /// The multiplication table, built from multiplications by one variable.
    #[expect(clippy::cast_possible_truncation, reason = "the constructor asserts that N - 1 fits u16")]
    const fn products(index: &[[u8; P]; N], degree: &[u8; N], order: usize) -> [[u16; N]; N] {
        let mut step = [[0_u16; P]; N]; // number of x_k times monomial i
        let mut i = 0;
        while i < N && (degree[i] as usize) < order {
            let mut k = 0;
            while k < P {
                let mut sigma = index[i];
                sigma[k] += 1;
                step[i][k] = rank(&sigma) as u16;
                k += 1;
            }
            i += 1;
        }
        let mut product = [[0_u16; N]; N];
        i = 0;
        while i < N {
            product[i][0] = i as u16;
            let mut j = 1;
            while j < N && degree[i] as usize + degree[j] as usize <= order {
                // Monomial j is x_k times an earlier one.
                let mut k = 0;
                while index[j][k] == 0 {
                    k += 1;
                }
                let mut parent = index[j];
                parent[k] -= 1;
                product[i][j] = step[product[i][rank(&parent)] as usize][k];
                j += 1;
            }
            i += 1;
        }
        product
    }
}

impl<const P: usize, const N: usize> Table for Tables<P, N> {
    #[inline]
    fn order(&self) -> usize {
        self.order
    }
    #[inline]
    fn range(&self, degree: usize) -> Range<usize> {
        self.start[degree]..self.start[degree + 1]
    }
    #[inline]
    fn add_parts(&self, out: &mut [f64], factor: f64, a: &[f64], da: usize, b: &[f64], db: usize) {
        let offset = self.start[da + db];
        let columns = self.range(db);
        for i in self.range(da) {
            let row = &self.product[i];
            let x = factor * a[i];
            for j in columns.clone() {
                out[usize::from(row[j]) - offset] += x * b[j];
            }
        }
    }
    #[inline]
    fn add_row(&self, out: &mut [f64], x: f64, i: usize, b: &[f64]) {
        let columns = self.start[self.order - usize::from(self.degree[i]) + 1];
        for (target, b) in self.product[i][..columns].iter().zip(b) {
            out[usize::from(*target)] += x * b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const P: usize, const N: usize>(order: usize) {
        let tables = Tables::<P, N>::new();
        assert_eq!(tables.order, order);
        for i in 0..N {
            assert_eq!(rank(&tables.index[i]), i);
            let degree = usize::from(tables.degree[i]);
            assert!(tables.start[degree] <= i && i < tables.start[degree + 1]);
            for j in 0..tables.start[order - degree + 1] {
                let sum: Vec<u8> = (0..P).map(|k| tables.index[i][k] + tables.index[j][k]).collect();
                assert_eq!(tables.index[usize::from(tables.product[i][j])].as_slice(), sum, "{i} times {j}");
            }
        }
    }

    #[test]
    fn numbers_follow_the_documented_order() {
        let expected = [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]];
        assert_eq!(Tables::<2, 6>::new().index, expected);
    }

    #[test]
    fn products_of_monomials_add_exponents() {
        check::<0, 1>(0);
        check::<1, 21>(20);
        check::<2, 6>(2);
        check::<2, 45>(8);
        check::<3, 20>(3);
        check::<4, 70>(4);
        check::<6, 210>(4);
    }
}
