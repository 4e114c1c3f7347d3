//! QR iteration with one double shift at a time, for blocks that fit into the cache (Francis, 1961; Golub and Van Loan, section
//! 7.5), with the tests for negligible entries of Ahues and Tisseur (LAPACK Working Note 122).

use super::block::{Block, Reflection};
use crate::c64;

const EPS: f64 = f64::EPSILON;
/// Entries of this size count as zero in a matrix of n rows whose largest entry is about one.
pub(super) fn negligible_size(n: usize) -> f64 {
    f64::MIN_POSITIVE / EPS * n as f64
}

/// Steps without a deflation after which shifts are chosen by another rule: the usual ones can cycle.
const PATIENCE: usize = 10;
/// Steps for each row; two are usual.
const STEPS: usize = 30;

/// Reduces Hessenberg `h` to real Schur form, and multiplies `z` by the transformation from the right.
///
/// Returns how many leading rows did not converge: 0 after success. With `full` all of the Schur form is right, otherwise its
/// diagonal blocks alone.
pub(super) fn double_shift(h: &mut Block, mut z: Option<&mut Block>, full: bool) -> usize {
    let n = h.size();
    let (mut end, mut tries) = (n, 0);
    for _ in 0..STEPS * n.max(10) + n {
        if end == 0 {
            break;
        }
        let start = split(|i, j| h[(i, j)], n, 0, end);
        if start > 0 {
            h[(start, start - 1)] = 0.0;
        }
        if end - start <= 2 {
            if end - start == 2 {
                standardize(h, z.as_deref_mut(), start, full);
            }
            (end, tries) = (start, 0);
            continue;
        }
        tries += 1;
        let shifts = if tries % PATIENCE == 0 {
            exceptional(h, start, end, tries / PATIENCE)
        } else {
            of_corner(h, end)
        };
        sweep(h, z.as_deref_mut(), start..end, shifts, full);
    }
    end
}

/// First row of the lowest block that ends at `end` and no negligible entry below the diagonal divides.
pub(super) fn split(at: impl Fn(usize, usize) -> f64, n: usize, from: usize, end: usize) -> usize {
    (from + 1..end).rev().find(|i| negligible(&at, n, *i, from..end)).unwrap_or(from)
}

/// Whether the entry below the diagonal in row `i` may be set to zero.
fn negligible(at: impl Fn(usize, usize) -> f64, n: usize, i: usize, active: std::ops::Range<usize>) -> bool {
    let small = negligible_size(n);
    let below = at(i, i - 1).abs();
    if below <= small {
        return true;
    }
    let mut size = at(i - 1, i - 1).abs() + at(i, i).abs();
    if size == 0.0 {
        if i >= active.start + 2 {
            size += at(i - 1, i - 2).abs();
        }
        if i + 1 < active.end {
            size += at(i + 1, i).abs();
        }
    }
    if below > EPS * size {
        return false;
    }
    let above = at(i - 1, i).abs();
    let (large, little) = (below.max(above), below.min(above));
    let (own, gap) = (at(i, i).abs(), (at(i, i) - at(i - 1, i - 1)).abs());
    let sum = own.max(gap) + large;
    little * (large / sum) <= (EPS * (own.min(gap) * (own.max(gap) / sum))).max(small)
}

/// Both eigenvalues of a 2 x 2 matrix; where they are real, twice the one nearer to `d`.
fn of_two([a, b, c, d]: [f64; 4]) -> [c64; 2] {
    let scale = a.abs() + b.abs() + c.abs() + d.abs();
    if scale == 0.0 {
        return [c64::new(0.0, 0.0); 2];
    }
    let [a, b, c, d] = [a, b, c, d].map(|x| x / scale);
    let half = f64::midpoint(a, d);
    let determinant = (a - half) * (d - half) - b * c;
    let root = determinant.abs().sqrt();
    if determinant >= 0.0 {
        let s = c64::new(half, root) * scale;
        return [s, s.conj()];
    }
    let near = if (half + root - d).abs() <= (half - root - d).abs() { half + root } else { half - root };
    [c64::new(near * scale, 0.0); 2]
}

/// Shifts of the lowest 2 x 2 block of rows below `end`.
pub(super) fn of_corner(h: &Block, end: usize) -> [c64; 2] {
    of_two([h[(end - 2, end - 2)], h[(end - 2, end - 1)], h[(end - 1, end - 2)], h[(end - 1, end - 1)]])
}

/// Shifts that end a cycle (Wilkinson), by turns at the lower and the upper end.
fn exceptional(h: &Block, start: usize, end: usize, turn: usize) -> [c64; 2] {
    let (own, size) = if turn % 2 == 1 {
        (h[(start, start)], h[(start + 1, start)].abs() + h[(start + 2, start + 1)].abs())
    } else {
        (h[(end - 1, end - 1)], h[(end - 1, end - 2)].abs() + h[(end - 2, end - 3)].abs())
    };
    cycle_breaker(own, size)
}

/// Shifts about `own`, away from it by about `size`.
pub(super) fn cycle_breaker(own: f64, size: f64) -> [c64; 2] {
    let corner = 0.75 * size + own;
    of_two([corner, -0.4375 * size, size, corner])
}

/// First column of (H - s1 I)(H - s2 I) up to a factor, for H from row `m` on.
pub(super) fn first_column(h: &Block, m: usize, rows: usize, [s1, s2]: [c64; 2]) -> [f64; 3] {
    let (own, below, above) = (h[(m, m)], h[(m + 1, m)], h[(m, m + 1)]);
    let size = (own - s2.re).abs() + s2.im.abs() + below.abs();
    if size == 0.0 {
        return [0.0; 3];
    }
    let share = below / size;
    let first = share * above + (own - s1.re) * ((own - s2.re) / size) - s1.im * (s2.im / size);
    let second = share * (own + h[(m + 1, m + 1)] - s1.re - s2.re);
    let third = if rows > 2 { share * h[(m + 2, m + 1)] } else { 0.0 };
    [first, second, third]
}

/// One sweep over the rows of `active`, three at least.
fn sweep(
    h: &mut Block,
    mut z: Option<&mut Block>,
    active: std::ops::Range<usize>,
    shifts: [c64; 2],
    full: bool,
) {
    let (n, start, end) = (h.size(), active.start, active.end);
    let (low, high) = if full { (0, n) } else { (start, end) };
    // Two neighbouring small entries below the diagonal let the sweep begin between them.
    let begins = |m: &usize| {
        let m = *m;
        let v = first_column(h, m, 3, shifts);
        let rest = h[(m, m - 1)].abs() * (v[1].abs() + v[2].abs());
        let near = h[(m - 1, m - 1)].abs() + h[(m, m)].abs() + h[(m + 1, m + 1)].abs();
        rest <= EPS * v[0].abs() * near
    };
    let begin = (start + 1..end - 2).rev().find(begins).unwrap_or(start);
    for k in begin..end - 1 {
        let rows = (end - k).min(3);
        let p = if k == begin {
            let p = Reflection::of(&first_column(h, k, rows, shifts)[..rows]);
            if k > start {
                h[(k, k - 1)] *= 1.0 - p.tau;
            }
            p
        } else {
            annihilate(h, k, rows)
        };
        h.reflect_rows(&p, k, k..high);
        h.reflect_cols(&p, k, low..(k + 4).min(end));
        if let Some(z) = z.as_deref_mut() {
            z.reflect_cols(&p, k, 0..n);
        }
    }
}

/// The reflection that brings column k - 1 below row k to zero; done in that column already.
pub(super) fn annihilate(h: &mut Block, k: usize, rows: usize) -> Reflection {
    let column = &mut h.column_mut(k - 1)[k..k + rows];
    let p = Reflection::of(column);
    column.fill(0.0);
    column[0] = p.beta;
    p
}

/// Turns the 2 x 2 diagonal block at `at` to upper triangular, or to equal diagonal entries with others of opposite sign.
pub(super) fn standardize(h: &mut Block, z: Option<&mut Block>, at: usize, full: bool) {
    let block = [h[(at, at)], h[(at, at + 1)], h[(at + 1, at)], h[(at + 1, at + 1)]];
    let ([a, b, c, d], turn) = standard_two(block);
    let n = h.size();
    if full {
        h.rotate_rows(turn, at, at + 2..n);
        h.rotate_cols(turn, at, 0..at);
    }
    h[(at, at)] = a;
    h[(at, at + 1)] = b;
    h[(at + 1, at)] = c;
    h[(at + 1, at + 1)] = d;
    if let Some(z) = z {
        z.rotate_cols(turn, at, 0..n);
    }
}

/// Standard Schur form of a 2 x 2 matrix [a, b; c, d], and cosine and sine of the rotation (Bai and Demmel, 1993; LAPACK dlanv2).
fn standard_two([a, b, c, d]: [f64; 4]) -> ([f64; 4], (f64, f64)) {
    let opposite = |x: f64, y: f64| x.is_sign_negative() != y.is_sign_negative();
    let gap = a - d;
    if c == 0.0 || (gap == 0.0 && b != 0.0 && opposite(b, c)) {
        return ([a, b, c, d], (1.0, 0.0));
    }
    if b == 0.0 {
        return ([d, -c, 0.0, a], (0.0, 1.0));
    }
    let p = 0.5 * gap;
    let large = b.abs().max(c.abs());
    let little = b.abs().min(c.abs()) * if opposite(b, c) { -1.0 } else { 1.0 };
    let scale = p.abs().max(large);
    let z = p / scale * p + large / scale * little;
    if z >= 4.0 * EPS * scale {
        // Two real eigenvalues, apart.
        let z = p + p.signum() * scale.sqrt() * z.sqrt();
        let tau = c.hypot(z);
        return ([d + z, b - c, 0.0, d - large / z * little], (z / tau, c / tau));
    }
    // A pair, or two real ones that nearly agree: equal diagonal entries first.
    let sigma = b + c;
    let tau = sigma.hypot(gap);
    let cs = (0.5 * (1.0 + sigma.abs() / tau)).sqrt();
    let sn = -(p / (tau * cs)) * sigma.signum();
    let (aa, bb) = (a * cs + b * sn, b * cs - a * sn);
    let (cc, dd) = (c * cs + d * sn, d * cs - c * sn);
    let (a, b, c, d) = (aa * cs + cc * sn, bb * cs + dd * sn, cc * cs - aa * sn, dd * cs - bb * sn);
    let half = f64::midpoint(a, d);
    if c == 0.0 {
        return ([half, b, c, half], (cs, sn));
    }
    if b == 0.0 {
        return ([half, -c, 0.0, half], (-sn, cs));
    }
    if opposite(b, c) {
        return ([half, b, c, half], (cs, sn));
    }
    let (above, below) = (b.abs().sqrt(), c.abs().sqrt());
    let root = c.signum() * above * below;
    let size = (b + c).abs().sqrt();
    let (cs1, sn1) = (above / size, below / size);
    ([half + root, b - c, 0.0, half - root], (cs * cs1 - sn * sn1, cs * sn1 + sn * cs1))
}
