//! The determinant of a pencil as a polynomial with integer coefficients.
//!
//! ```text
//! f(t) = det [2^(2a) t^2 M + 2^a t C + K, Phi^T; Phi, 0] 2^b,   s = 2^a t
//! ```
//!
//! at t = 0, 1, 2, .. by elimination without fractions (Bareiss, Math. Comp. 22, 1968) and Newton's interpolation. Entries are doubles,
//! hence integers times powers of two. Sizes: n unknowns, r independent rows.

use num_bigint::{BigInt, Sign};

use super::dyadic::Dyadic;
use super::polynomial::Polynomial;

type Matrix = Vec<Vec<Dyadic>>;

/// Multiplies every entry with a power of two of its row and column, so that all of them become integers of few bits; the row and column
/// factors move no eigenvalue.
fn whole(a: &[Matrix]) -> Vec<Vec<Vec<BigInt>>> {
    let n = a[0].len();
    // Rows, then columns, start at their lowest bit.
    let lowest = |v: &Dyadic| v.m.trailing_zeros().map(|z| v.e + i64::try_from(z).unwrap_or(0));
    let mut rows = vec![0_i64; n];
    let mut columns = vec![0_i64; n];
    for _ in 0..4 {
        for i in 0..n {
            let least = a.iter().flat_map(|a| (0..n).filter_map(move |j| lowest(&a[i][j]).map(|e| (j, e))));
            if let Some(e) = least.map(|(j, e)| e - columns[j]).min() {
                rows[i] = e;
            }
        }
        for j in 0..n {
            let least = a.iter().flat_map(|a| (0..n).filter_map(move |i| lowest(&a[i][j]).map(|e| (i, e))));
            if let Some(e) = least.map(|(i, e)| e - rows[i]).min() {
                columns[j] = e;
            }
        }
    }
    let entry = |v: &Dyadic, i: usize, j: usize| {
        let up = v.e - rows[i] - columns[j];
        if up >= 0 { &v.m << u64::try_from(up).unwrap_or(0) } else { &v.m >> u64::try_from(-up).unwrap_or(0) }
    };
    a.iter().map(|a| (0..n).map(|i| (0..n).map(|j| entry(&a[i][j], i, j)).collect()).collect()).collect()
}

/// Bareiss: every division is exact.
fn determinant(mut a: Vec<Vec<BigInt>>) -> BigInt {
    let n = a.len();
    let mut before = BigInt::from(1);
    let mut negative = false;
    for k in 0..n {
        let Some(pivot) = (k..n).filter(|i| a[*i][k].sign() != Sign::NoSign).min_by_key(|i| a[*i][k].bits())
        else {
            return BigInt::ZERO;
        };
        if pivot != k {
            a.swap(pivot, k);
            negative = !negative;
        }
        let (top, rest) = a.split_at_mut(k + 1);
        let row = &top[k];
        for other in rest {
            let by = std::mem::take(&mut other[k]);
            for j in k + 1..n {
                let value = &row[k] * &other[j] - &by * &row[j];
                other[j] = value / &before;
            }
        }
        before.clone_from(&a[k][k]);
    }
    if negative { -before } else { before }
}

/// f and a; `[m, c, k]` n x n, `phi` of independent rows r x n.
pub(crate) fn of_pencil([m, c, k]: [&Matrix; 3], phi: &Matrix) -> (Polynomial, i64) {
    let (n, r) = (k.len(), phi.len());
    // A unit of time in which mass and stiffness are of one size.
    let largest = |a: &Matrix| a.iter().flatten().map(Dyadic::log2).fold(f64::NEG_INFINITY, f64::max);
    let unit = 0.5 * (largest(k) - largest(m));
    #[expect(clippy::cast_possible_truncation, reason = "a logarithm")]
    let unit = if unit.is_finite() { unit.round() as i64 } else { 0 };
    let scaled = |v: &Dyadic, e: i64| Dyadic { m: v.m.clone(), e: v.e + e };
    let size = n + r;
    let matrix = |a: &Matrix, e: i64, border: bool| -> Matrix {
        let entry = |i: usize, j: usize| match (i < n, j < n) {
            (true, true) => scaled(&a[i][j], e),
            (false, true) if border => phi[i - n][j].clone(),
            (true, false) if border => phi[j - n][i].clone(),
            _ => Dyadic::zero(),
        };
        (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect()
    };
    let parts = whole(&[matrix(m, 2 * unit, false), matrix(c, unit, false), matrix(k, 0, true)]);
    // No power of t above twice the number of rows with mass and once that of the others appears.
    let degree = 2 * n;
    let mut values: Vec<BigInt> = (0..=degree)
        .map(|t| {
            let t = BigInt::from(t);
            let at = |i: usize, j: usize| (&parts[0][i][j] * &t + &parts[1][i][j]) * &t + &parts[2][i][j];
            determinant((0..size).map(|i| (0..size).map(|j| at(i, j)).collect()).collect())
        })
        .collect();
    // Differences: f(t) = sum_k d_k binom(t, k), d_k / k! brought to one denominator.
    for k in 1..=degree {
        for i in (k..=degree).rev() {
            let less = values[i - 1].clone();
            values[i] -= less;
        }
    }
    let mut out = vec![BigInt::ZERO];
    // degree! f = sum_k d_k (degree! / k!) t (t - 1) .. (t - k + 1), by Horner from the last one.
    let mut factor = BigInt::from(1);
    for k in (0..=degree).rev() {
        // out <- out (t - k) + d_k degree! / k!
        let mut next = vec![BigInt::ZERO; out.len() + 1];
        for (at, v) in out.iter().enumerate() {
            next[at + 1] += v;
            next[at] -= v * k;
        }
        next[0] += &values[k] * &factor;
        out = next;
        factor *= k.max(1);
    }
    (Polynomial::new(out), unit)
}

/// Rows that no combination of those before them is, exactly.
pub(crate) fn independent(phi: &Matrix) -> Vec<usize> {
    let mut kept: Vec<(Vec<BigInt>, usize)> = Vec::new();
    let mut out = Vec::new();
    for (at, row) in phi.iter().enumerate() {
        let least = row.iter().filter(|v| !v.is_zero()).map(|v| v.e).min();
        let Some(least) = least else { continue };
        let mut row: Vec<BigInt> =
            row.iter().map(|v| &v.m << u64::try_from((v.e - least).max(0)).unwrap_or(0)).collect();
        for (other, lead) in &kept {
            let by = row[*lead].clone();
            let with = other[*lead].clone();
            for (v, o) in row.iter_mut().zip(other) {
                *v = &*v * &with - &by * o;
            }
        }
        if let Some(lead) = row.iter().position(|v| v.sign() != Sign::NoSign) {
            kept.push((row, lead));
            out.push(at);
        }
    }
    out
}
