//! Numbers of finite eigenvalues of matrices as written, without rounding: all arithmetic modulo a prime.
//!
//! ```text
//! B [V_1 V_2] = [B V_1  0],   [U_1; U_2] A V_2 = [R; 0],   R regular:   A - s B  ->  U_2 (A - s B) V_1
//! (s^2 M + s C + K, Phi^T; Phi, 0)  ->  s [I 0 0; 0 M 0; 0 0 0] - [0 I 0; -K -C -Phi^T; Phi 0 0]
//! ```
//!
//! Every level takes as many infinite eigenvalues out of a regular pencil as V_2 has columns, until B is regular (Van
//! Dooren, Linear Algebra Appl. 27, 1979, section 3); over a finite field every rank in it is exact. An entry is a whole number times a power
//! of two, and powers of two have inverses modulo an odd prime, so that no entry is rounded. Where the prime divides the
//! leading coefficient of the determinant its degree comes out smaller, never larger: the larger of two primes' counts is
//! taken. Sizes: M, C, K n x n, Phi r x n, A and B N x N, N = 2 n + r. Costs about N^3 operations a level.

use mb_algebra::Dense;

use crate::tuning;

/// Two primes below 2^31, so that a product and a sum stay below 2^63; without any structure of powers of two.
const PRIMES: [u64; 2] = [1_999_999_973, 1_818_033_947];

/// The degree of det(s^2 M + s C + K, Phi^T; Phi, 0) as written; none where that is zero for all s, or too large to count.
pub(crate) fn finite_eigenvalues([m, c, k]: [&Dense; 3], phi: &Dense) -> Option<usize> {
    let (n, r) = (k.nrows(), phi.nrows());
    let size = 2 * n + r;
    count(size, |residue| {
        let entry = |a: &Dense, i: usize, j: usize| residue(a[(i, j)]);
        let (mut a, mut b) = (vec![vec![0; size]; size], vec![vec![0; size]; size]);
        for j in 0..n {
            (a[n + j][j], b[j][j]) = (residue(1.0), residue(1.0));
            for i in 0..n {
                a[j][n + i] = residue(-k[(i, j)]);
                a[n + j][n + i] = residue(-c[(i, j)]);
                b[n + j][n + i] = entry(m, i, j);
            }
            for i in 0..r {
                a[j][2 * n + i] = entry(phi, i, j);
                a[2 * n + i][n + j] = residue(-phi[(i, j)]);
            }
        }
        [a, b]
    })
}

/// A matrix by columns.
type Columns = Vec<Vec<u64>>;

fn count(size: usize, pair: impl Fn(&dyn Fn(f64) -> u64) -> [Columns; 2]) -> Option<usize> {
    // Largest N: tenths of a second.
    if size > tuning::DENSE_UP_TO {
        return None;
    }
    let counts = [modulo::<{ PRIMES[0] }>(&pair), modulo::<{ PRIMES[1] }>(&pair)];
    counts.into_iter().flatten().max()
}

fn modulo<const P: u64>(pair: impl Fn(&dyn Fn(f64) -> u64) -> [Columns; 2]) -> Option<usize> {
    let powers = Field::<P>::powers_of_two();
    let [a, b] = pair(&|v| Field::<P>::residue(v, &powers));
    Field::<P>::finite(a, b)
}

/// Digits of a number after the first.
const DIGITS: u32 = f64::MANTISSA_DIGITS - 1;

/// Whole numbers modulo a prime, which the compiler knows: it divides by it with a product.
struct Field<const P: u64>;

impl<const P: u64> Field<P> {
    fn times(a: u64, b: u64) -> u64 {
        a * b % P
    }

    fn power(mut base: u64, mut exponent: u64) -> u64 {
        let mut out = 1;
        while exponent > 0 {
            if exponent % 2 == 1 {
                out = Self::times(out, base);
            }
            base = Self::times(base, base);
            exponent /= 2;
        }
        out
    }

    fn inverse(a: u64) -> u64 {
        Self::power(a, P - 2)
    }

    /// 2^(e - 1075) for every exponent e that a number may have as written.
    fn powers_of_two() -> Vec<u64> {
        let smallest = Self::inverse(Self::power(2, 1075));
        std::iter::successors(Some(smallest), |x| Some(2 * x % P)).take(0x800).collect()
    }

    /// A finite number as written: whole 2^(e - 1075), e at least one.
    fn residue(v: f64, powers_of_two: &[u64]) -> u64 {
        let bits = v.to_bits();
        let (biased, fraction) = (((bits >> DIGITS) & 0x7ff) as u16, bits & ((1 << DIGITS) - 1));
        let (whole, e) = if biased > 0 { (fraction | 1 << DIGITS, biased) } else { (fraction, 1) };
        let size = if whole > 0 { Self::times(whole % P, powers_of_two[usize::from(e)]) } else { 0 };
        if v < 0.0 && size > 0 { P - size } else { size }
    }

    /// x - by y.
    fn subtract(x: &mut [u64], by: u64, y: &[u64]) {
        let negative = P - by;
        // Columns of mechanisms have few entries.
        x.iter_mut().zip(y).filter(|(_, y)| **y != 0).for_each(|(x, y)| *x = (*x + negative * y) % P);
    }

    /// Finite eigenvalues of A z = s B z; none where the pencil is singular.
    fn finite(mut a: Columns, mut b: Columns) -> Option<usize> {
        loop {
            let kept = Self::eliminate_columns(&mut a, &mut b);
            if kept == b.len() {
                return Some(kept);
            }
            let mut null = a.split_off(kept);
            b.truncate(kept);
            Self::eliminate_rows(&mut null, &mut a, &mut b)?;
        }
    }

    /// Column operations that leave nothing of the last columns of B; how many columns come before these.
    fn eliminate_columns(a: &mut Columns, b: &mut Columns) -> usize {
        let rows = b.first().map_or(0, Vec::len);
        let mut kept = 0;
        for i in 0..rows {
            let Some(pivot) = (kept..b.len()).find(|&j| b[j][i] != 0) else { continue };
            a.swap(kept, pivot);
            b.swap(kept, pivot);
            let inverse = Self::inverse(b[kept][i]);
            for j in kept + 1..b.len() {
                let by = Self::times(b[j][i], inverse);
                if by != 0 {
                    for x in [&mut *a, &mut *b] {
                        let (left, right) = x.split_at_mut(j);
                        Self::subtract(&mut right[0], by, &left[kept]);
                    }
                }
            }
            kept += 1;
        }
        kept
    }

    /// Row operations that leave nothing of `null` below its first rows, as many as it has columns, which are left out of A and B.
    /// None where its columns depend on each other.
    fn eliminate_rows(null: &mut Columns, a: &mut Columns, b: &mut Columns) -> Option<()> {
        let count = null.len();
        for first in 0..count {
            let pivot = (first..null[first].len()).find(|&i| null[first][i] != 0)?;
            for column in null.iter_mut().chain(a.iter_mut()).chain(b.iter_mut()) {
                column.swap(first, pivot);
            }
            let inverse = Self::inverse(null[first][first]);
            let by: Vec<u64> = null[first][first + 1..].iter().map(|v| Self::times(*v, inverse)).collect();
            for column in null[first..].iter_mut().chain(a.iter_mut()).chain(b.iter_mut()) {
                let top = column[first];
                if top != 0 {
                    Self::subtract(&mut column[first + 1..], top, &by);
                }
            }
        }
        for column in a.iter_mut().chain(b.iter_mut()) {
            column.drain(..count);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::dense;

    fn checked<const P: u64>() {
        let powers = Field::<P>::powers_of_two();
        let residue = |v: f64| Field::<P>::residue(v, &powers);
        for v in [0.0, 1.0, -3.0, 0.1, 1e300, -1e-300, f64::MIN_POSITIVE, 5e-324] {
            // 2^k v, k with a whole product, and as many halvings.
            assert_eq!(Field::<P>::times(residue(v), 2), residue(2.0 * v), "{v}");
            assert_eq!((residue(v) + residue(-v)) % P, 0, "{v}");
        }
        assert_eq!(residue(-7.0), P - 7);
        assert_eq!(Field::<P>::times(residue(0.375), 8), 3);
    }

    #[test]
    fn a_residue_is_that_of_the_number_as_written() {
        checked::<{ PRIMES[0] }>();
        checked::<{ PRIMES[1] }>();
    }

    #[test]
    fn a_last_digit_makes_an_eigenvalue_finite() {
        // s c x + x = 0 on the null directions of M: c = 1 1; 1 1 + e.
        let (zero, none) = (dense::zeros(2, 2), dense::zeros(0, 2));
        let c = |e: f64| dense::from_rows(&[&[1.0, 1.0], &[1.0, 1.0 + e]]);
        let count = |m: &Dense, e: f64| finite_eigenvalues([m, &c(e), &dense::identity(2)], &none);
        assert_eq!(count(&zero, 0.0), Some(1));
        assert_eq!(count(&zero, f64::EPSILON), Some(2));
        assert_eq!(count(&dense::diagonal(&[1.0, 0.0]), 0.0), Some(3));
        assert_eq!(count(&dense::identity(2), 0.0), Some(4));
    }

    #[test]
    fn constraint_rows_take_two_each_and_singular_pencils_are_none() {
        let (one, zero) = (dense::identity(3), dense::zeros(3, 3));
        let phi = dense::from_rows(&[&[0.1, 0.7, -0.3]]);
        assert_eq!(finite_eigenvalues([&one, &zero, &one], &phi), Some(4));
        let half = dense::diagonal(&[1.0, 1.0, 0.0]);
        assert_eq!(finite_eigenvalues([&half, &zero, &half], &dense::zeros(0, 3)), None);
        // A Jordan chain of length three of the infinite eigenvalue and one finite eigenvalue.
        let b = dense::from_rows(&[
            &[0.0, 1.0, 0.0, 0.0],
            &[0.0, 0.0, 1.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 0.3],
        ]);
        let (zero, none) = (dense::zeros(4, 4), dense::zeros(0, 4));
        assert_eq!(finite_eigenvalues([&zero, &b, &dense::identity(4)], &none), Some(1));
        assert_eq!(finite_eigenvalues([&zero, &b, &b], &none), None);
    }
}
