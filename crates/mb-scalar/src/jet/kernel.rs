//! Ring operations and elementary functions of truncated series, degree by degree, on slices.
//!
//! ```text
//! (a b)_d = sum over k of a_k b_(d-k)
//! q = a / b:     b_0 q_d = a_d - sum over k = 1..d of b_k q_(d-k)
//! r = sqrt(a):   2 r_0 r_d = a_d - sum over k = 1..d-1 of r_k r_(d-k)
//! ```
//!
//! with `a_d` the homogeneous part of degree `d`. With `D = sum x_k d/dx_k` (degree `d` is
//! multiplied by `d`):
//!
//! ```text
//! e = exp(a):    D e = (D a) e
//! s, c = sin, cos(a):   D s = (D a) c,   D c = -(D a) s
//! l = ln(a):     a D l = D a
//! p = atan2(y, x):   (x^2 + y^2) D p = x D y - y D x
//! ```
//!
//! All hold for any set of monomials that contains, with one, its divisors: the terms left out
//! then never act on those kept.

use core::ops::Range;

/// How the monomials of a set are numbered and multiplied: graded, degree after degree.
pub(super) trait Table {
    /// Highest total degree.
    fn order(&self) -> usize;
    /// Where the coefficients of one degree stand.
    fn range(&self, degree: usize) -> Range<usize>;
    /// `out += factor * a_da * b_db`; `out` is the part of degree `da + db` alone.
    fn add_parts(&self, out: &mut [f64], factor: f64, a: &[f64], da: usize, b: &[f64], db: usize);
    /// `out += x * monomial i * b`, as far as it is kept.
    fn add_row(&self, out: &mut [f64], x: f64, i: usize, b: &[f64]);
}

/// The parts below a degree, and the part of that degree.
fn split<'a>(t: &impl Table, x: &'a mut [f64], degree: usize) -> (&'a [f64], &'a mut [f64]) {
    let range = t.range(degree);
    let (lower, rest) = x.split_at_mut(range.start);
    (lower, &mut rest[..range.len()])
}

/// Writes a b to `out`.
#[inline]
pub(super) fn mul(t: &impl Table, a: &[f64], b: &[f64], out: &mut [f64]) {
    for (o, x) in out.iter_mut().zip(b) {
        *o = a[0] * x;
    }
    for (i, &x) in a.iter().enumerate().skip(1) {
        // Constants and plain variables are mostly zeros. A non-finite factor still shows,
        // because the first row is always formed.
        if x != 0.0 {
            t.add_row(out, x, i, b);
        }
    }
}

/// Replaces a by a / b.
pub(super) fn div(t: &impl Table, a: &mut [f64], b: &[f64]) {
    a[0] /= b[0];
    for d in 1..=t.order() {
        let (lower, part) = split(t, a, d);
        for k in 1..=d {
            t.add_parts(part, -1.0, b, k, lower, d - k);
        }
        for x in part {
            *x /= b[0];
        }
    }
}

/// Replaces a by its square root.
pub(super) fn sqrt(t: &impl Table, a: &mut [f64]) {
    a[0] = a[0].sqrt();
    for d in 1..=t.order() {
        let (lower, part) = split(t, a, d);
        for k in 1..d {
            t.add_parts(part, -1.0, lower, k, lower, d - k);
        }
        for x in part {
            *x /= 2.0 * lower[0];
        }
    }
}

/// Adds the part of one degree of `factor * (D a) b`; it needs `b` below that degree only.
fn add_euler(t: &impl Table, part: &mut [f64], factor: f64, a: &[f64], b: &[f64], degree: usize) {
    for k in 1..=degree {
        t.add_parts(part, factor * k as f64, a, k, b, degree - k);
    }
}

/// Writes sine and cosine of a.
pub(super) fn sin_cos(t: &impl Table, a: &[f64], s: &mut [f64], c: &mut [f64]) {
    (s[0], c[0]) = a[0].sin_cos();
    for d in 1..=t.order() {
        let (s_lower, s_part) = split(t, s, d);
        let (c_lower, c_part) = split(t, c, d);
        add_euler(t, s_part, 1.0 / d as f64, a, c_lower, d);
        add_euler(t, c_part, -1.0 / d as f64, a, s_lower, d);
    }
}

/// Writes the exponential of a to `e`, zero before.
pub(super) fn exp(t: &impl Table, a: &[f64], e: &mut [f64]) {
    e[0] = a[0].exp();
    for d in 1..=t.order() {
        let (lower, part) = split(t, e, d);
        add_euler(t, part, 1.0 / d as f64, a, lower, d);
    }
}

/// Writes the natural logarithm of a to `l`, zero before; `w` is scratch.
pub(super) fn ln(t: &impl Table, a: &[f64], w: &mut [f64], l: &mut [f64]) {
    w.copy_from_slice(a);
    for d in 0..=t.order() {
        w[t.range(d)].iter_mut().for_each(|x| *x *= d as f64);
    }
    l[0] = a[0].ln();
    solve_euler(t, a, w, l);
}

/// Writes atan2(y, x) to `p`, zero before; `h` is x^2 + y^2, `w` is scratch, zero before.
pub(super) fn atan2(t: &impl Table, y: &[f64], x: &[f64], h: &[f64], w: &mut [f64], p: &mut [f64]) {
    for d in 1..=t.order() {
        let part = &mut w[t.range(d)];
        add_euler(t, part, 1.0, y, x, d);
        add_euler(t, part, -1.0, x, y, d);
    }
    p[0] = y[0].atan2(x[0]);
    solve_euler(t, h, w, p);
}

/// Solves `h D p = w` for the degrees above 0, given `p_0`; `w` is used up.
fn solve_euler(t: &impl Table, h: &[f64], w: &mut [f64], p: &mut [f64]) {
    for d in 1..=t.order() {
        let right = &mut w[t.range(d)];
        let (lower, part) = split(t, p, d);
        for k in 1..d {
            t.add_parts(right, -(k as f64), lower, k, h, d - k);
        }
        for (p, w) in part.iter_mut().zip(right) {
            *p = *w / (h[0] * d as f64);
        }
    }
}

/// An integer power by squaring, so that powers of a series with value 0 are exact.
pub(super) fn powi<T: crate::Real>(x: T, n: i32) -> T {
    let mut power = T::one();
    let mut square = x;
    let mut left = n.unsigned_abs();
    while left > 0 {
        if left & 1 == 1 {
            power *= square;
        }
        left >>= 1;
        if left > 0 {
            square *= square;
        }
    }
    if n < 0 { power.recip() } else { power }
}
