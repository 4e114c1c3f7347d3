//! Null vectors of singular upper quasi-triangular matrices, by back substitution.
//!
//! With M = beta S - alpha T singular at one diagonal block, set the unknown there to one and substitute
//! upwards. Pivots below the rounding error of M are replaced by it, so that repeated eigenvalues give a vector with a backward
//! error of the order of rounding (LAPACK Users' Guide, xTGEVC) instead of a division by zero.

use crate::c64;

const ZERO: c64 = c64::new(0.0, 0.0);
/// Entries above this are scaled down: a chain of tiny pivots would overflow.
const LARGE: f64 = 1e100;

/// x with M x = 0 up to rounding for M of norm one, zero beyond the singular block at `at`, largest entry of order one or more.
///
/// `entry(i, j)` gives M for i <= j and within 2 x 2 diagonal blocks; `pair_starts[i]` says whether such a
/// block starts at i; `at` is the first index of its block; `least` stands for pivots below it, which are zero up to rounding.
pub(crate) fn null_vector(
    at: usize,
    pair_starts: &[bool],
    least: f64,
    entry: impl Fn(usize, usize) -> c64,
) -> Vec<c64> {
    let mut x = vec![ZERO; pair_starts.len()];
    if pair_starts[at] {
        // Orthogonal to the larger row of the singular 2 x 2 block.
        let (upper, lower) = ([entry(at, at), entry(at, at + 1)], [entry(at + 1, at), entry(at + 1, at + 1)]);
        let size = |row: &[c64; 2]| row[0].norm().hypot(row[1].norm());
        let row = if size(&upper) >= size(&lower) { upper } else { lower };
        let scale = size(&row);
        if scale > 0.0 {
            (x[at], x[at + 1]) = (row[1] / scale, -row[0] / scale);
        } else {
            x[at] = c64::new(1.0, 0.0);
        }
        eliminate(&mut x, at, at, &entry);
        eliminate(&mut x, at, at + 1, &entry);
    } else {
        x[at] = c64::new(1.0, 0.0);
        eliminate(&mut x, at, at, &entry);
    }
    // Above `i`, x holds the right-hand side; from `i` on, the solution.
    let mut i = at;
    while i > 0 {
        let first = if i > 1 && pair_starts[i - 2] { i - 2 } else { i - 1 };
        if first + 2 == i {
            let m = [
                [entry(first, first), entry(first, first + 1)],
                [entry(first + 1, first), entry(first + 1, first + 1)],
            ];
            let solution = solve_two(m, [x[first], x[first + 1]], least);
            [x[first], x[first + 1]] = solution;
        } else {
            x[first] /= guarded(entry(first, first), least);
        }
        let largest = x[first..i].iter().map(|z| z.norm()).fold(0.0, f64::max);
        if largest > LARGE {
            for z in &mut x {
                *z /= largest;
            }
        }
        for j in first..i {
            eliminate(&mut x, first, j, &entry);
        }
        i = first;
    }
    x
}

/// Moves column `j` times x_j to the right-hand side of the rows above `end`.
fn eliminate(x: &mut [c64], end: usize, j: usize, entry: impl Fn(usize, usize) -> c64) {
    let xj = x[j];
    if xj != ZERO {
        for (row, value) in x[..end].iter_mut().enumerate() {
            *value -= entry(row, j) * xj;
        }
    }
}

fn guarded(pivot: c64, least: f64) -> c64 {
    if pivot.norm() < least { c64::new(least, 0.0) } else { pivot }
}

/// A 2 x 2 system by elimination with complete pivoting.
fn solve_two(m: [[c64; 2]; 2], b: [c64; 2], least: f64) -> [c64; 2] {
    let (mut row, mut col) = (0, 0);
    for (i, line) in m.iter().enumerate() {
        for (j, value) in line.iter().enumerate() {
            if value.norm() > m[row][col].norm() {
                (row, col) = (i, j);
            }
        }
    }
    let (other_row, other_col) = (1 - row, 1 - col);
    let pivot = guarded(m[row][col], least);
    let factor = m[other_row][col] / pivot;
    let rest = guarded(m[other_row][other_col] - factor * m[row][other_col], least);
    let mut x = [ZERO; 2];
    x[other_col] = (b[other_row] - factor * b[row]) / rest;
    x[col] = (b[row] - m[row][other_col] * x[other_col]) / pivot;
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_by_two_systems_with_any_pivot() {
        let c = |re: f64, im: f64| c64::new(re, im);
        for m in [
            [[c(4.0, 1.0), c(1.0, 0.0)], [c(0.0, 1.0), c(2.0, 0.0)]],
            [[c(0.0, 0.0), c(1.0, 0.0)], [c(3.0, 1.0), c(2.0, 0.0)]],
            [[c(0.0, 0.0), c(5.0, 0.0)], [c(3.0, 1.0), c(0.0, 0.0)]],
            [[c(1.0, 0.0), c(1.0, 0.0)], [c(1.0, 1.0), c(7.0, 0.0)]],
        ] {
            let exact = [c(1.0, -2.0), c(0.5, 3.0)];
            let b = [m[0][0] * exact[0] + m[0][1] * exact[1], m[1][0] * exact[0] + m[1][1] * exact[1]];
            let x = solve_two(m, b, f64::EPSILON);
            assert!((x[0] - exact[0]).norm() < 1e-14 && (x[1] - exact[1]).norm() < 1e-14);
        }
    }

    #[test]
    fn a_chain_of_tiny_pivots_does_not_overflow() {
        let n = 60;
        let entry = |i: usize, j: usize| c64::new(if j == i + 1 { 1.0 } else { 0.0 }, 0.0);
        let x = null_vector(n - 1, &vec![false; n], f64::EPSILON, entry);
        assert!(x.iter().all(|z| z.is_finite()));
        assert!(x[0].norm() > 1e15 * x[1].norm());
    }
}
