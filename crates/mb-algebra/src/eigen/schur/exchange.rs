//! Neighbouring diagonal blocks of a real Schur form change places (Bai and Demmel, 1993).

use super::block::{Block, householder};
use super::double_shift::{negligible_size, standardize};

const EPS: f64 = f64::EPSILON;
type Small = [[f64; 4]; 4];

/// Rows of the diagonal block of `t` that begins at `at`.
pub(super) fn rows_at(t: &Block, at: usize) -> usize {
    if at + 1 < t.size() && t[(at + 1, at)] != 0.0 { 2 } else { 1 }
}

/// Brings the diagonal block that begins at `from` up to row `to`, where another one begins, and multiplies `v` by the
/// transformation from the right. A pair that turns into two real eigenvalues on the way sends the first of them on.
///
/// Returns whether it arrived: an exchange that rounding spoils is not done, and ends the way.
pub(super) fn move_up(t: &mut Block, v: &mut Block, from: usize, to: usize) -> bool {
    let mut here = from;
    while here > to {
        let rows = rows_at(t, here);
        let before = if here >= to + 2 && t[(here - 1, here - 2)] != 0.0 { 2 } else { 1 };
        if !exchange(t, v, here - before, before, rows) {
            return false;
        }
        here -= before;
    }
    true
}

/// Exchanges the blocks of `p` and `q` rows that begin at row `at`; false where rounding errors would be too large.
fn exchange(t: &mut Block, v: &mut Block, at: usize, p: usize, q: usize) -> bool {
    let (n, m) = (t.size(), p + q);
    let mut d = Small::default();
    for (i, row) in d.iter_mut().enumerate().take(m) {
        for (j, value) in row.iter_mut().enumerate().take(m) {
            *value = t[(at + i, at + j)];
        }
    }
    let turn = orthogonal(&d, p, q);
    let size = d.iter().flatten().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    let allowed = (10.0 * EPS * size).max(negligible_size(n));
    let turned = product(&product(&transposed(&turn), &d), &turn);
    if turned.iter().take(m).skip(q).flat_map(|row| &row[..q]).any(|x| x.is_nan() || x.abs() > allowed) {
        return false;
    }
    for j in at..n {
        let column = &mut t.column_mut(j)[at..at + m];
        let old = [0, 1, 2, 3].map(|i| if i < m { column[i] } else { 0.0 });
        for (k, value) in column.iter_mut().enumerate() {
            *value = (0..m).map(|i| turn[i][k] * old[i]).sum();
        }
    }
    turn_columns(t, &turn, at, m, at + m);
    turn_columns(v, &turn, at, m, n);
    for i in q..m {
        for j in 0..q {
            t[(at + i, at + j)] = 0.0;
        }
    }
    for (rows, place) in [(q, at), (p, at + q)] {
        if rows == 2 {
            standardize(t, Some(v), place, true);
        }
    }
    true
}

/// Columns `at` to `at + m` times `turn`, in the first `rows` rows.
fn turn_columns(a: &mut Block, turn: &Small, at: usize, m: usize, rows: usize) {
    for i in 0..rows {
        let old = [0, 1, 2, 3].map(|j| if j < m { a[(i, at + j)] } else { 0.0 });
        for k in 0..m {
            a[(i, at + k)] = (0..m).map(|j| old[j] * turn[j][k]).sum();
        }
    }
}

/// An orthogonal matrix whose first q columns span the invariant subspace of the lower block: that of [-X; I] with
/// T11 X - X T22 = T12.
fn orthogonal(d: &Small, p: usize, q: usize) -> Small {
    let x = sylvester(d, p, q);
    let m = p + q;
    let mut span = [[0.0; 2]; 4];
    for j in 0..q {
        for i in 0..p {
            span[i][j] = -x[i * q + j];
        }
        span[p + j][j] = 1.0;
    }
    let mut turn = Small::default();
    (0..4).for_each(|i| turn[i][i] = 1.0);
    for j in 0..q {
        let column: Vec<f64> = (j..m).map(|i| span[i][j]).collect();
        let (v, tau, _) = householder(&column);
        for k in j..q {
            let sum: f64 = tau * (j..m).map(|i| v[i - j] * span[i][k]).sum::<f64>();
            (j..m).for_each(|i| span[i][k] -= sum * v[i - j]);
        }
        for row in turn.iter_mut().take(m) {
            let sum: f64 = tau * (j..m).map(|i| v[i - j] * row[i]).sum::<f64>();
            (j..m).for_each(|i| row[i] -= sum * v[i - j]);
        }
    }
    turn
}

/// X of T11 X - X T22 = T12 by rows, up to a common factor that keeps it in range; by elimination with complete pivoting.
fn sylvester(d: &Small, p: usize, q: usize) -> [f64; 4] {
    let count = p * q;
    let (mut a, mut b) = (Small::default(), [0.0; 4]);
    for i in 0..p {
        for j in 0..q {
            let row = i * q + j;
            b[row] = d[i][p + j];
            (0..p).for_each(|l| a[row][l * q + j] += d[i][l]);
            (0..q).for_each(|l| a[row][i * q + l] -= d[p + l][p + j]);
        }
    }
    let size = d.iter().flatten().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    // Pivots below rounding stand for eigenvalues that agree: the exchange is then hardly a turn at all.
    let least = (EPS * size).max(negligible_size(4));
    let mut order = [0, 1, 2, 3];
    for k in 0..count {
        let (mut row, mut col) = (k, k);
        for i in k..count {
            for j in k..count {
                if a[i][j].abs() > a[row][col].abs() {
                    (row, col) = (i, j);
                }
            }
        }
        a.swap(k, row);
        b.swap(k, row);
        for line in &mut a {
            line.swap(k, col);
        }
        order.swap(k, col);
        if a[k][k].abs() < least {
            a[k][k] = least;
        }
        for i in k + 1..count {
            let factor = a[i][k] / a[k][k];
            (k + 1..count).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    let mut x = [0.0; 4];
    for k in (0..count).rev() {
        let sum: f64 = (k + 1..count).map(|j| a[k][j] * x[order[j]]).sum();
        x[order[k]] = (b[k] - sum) / a[k][k];
    }
    x
}

fn product(a: &Small, b: &Small) -> Small {
    let mut out = Small::default();
    for (line, left) in out.iter_mut().zip(a) {
        for (j, value) in line.iter_mut().enumerate() {
            *value = left.iter().zip(b).map(|(x, row)| x * row[j]).sum();
        }
    }
    out
}

fn transposed(a: &Small) -> Small {
    let mut out = Small::default();
    for (i, row) in a.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            out[j][i] = *value;
        }
    }
    out
}
