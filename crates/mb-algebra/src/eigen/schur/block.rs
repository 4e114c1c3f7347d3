//! Small square matrices by columns, with reflections and rotations of neighbouring rows and columns.

use std::ops::{Index, IndexMut, Range};

use crate::Dense;

/// A square matrix that fits into the cache: a diagonal block taken out of a large one, or a transformation of it.
#[derive(Clone, Debug)]
pub(super) struct Block {
    n: usize,
    data: Vec<f64>,
}

impl Index<(usize, usize)> for Block {
    type Output = f64;
    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[j * self.n + i]
    }
}

impl IndexMut<(usize, usize)> for Block {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[j * self.n + i]
    }
}

/// P = I - tau v v^T with P x = beta e1, for up to three rows; v begins with one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reflection {
    /// The vector, zero beyond its length.
    pub v: [f64; 3],
    /// The factor; zero for the identity.
    pub tau: f64,
    /// What is left in the first row.
    pub beta: f64,
    len: usize,
}

impl Reflection {
    /// The reflection of `x`, two or three numbers, onto the first axis.
    pub(super) fn of(x: &[f64]) -> Self {
        let (v, tau, beta) = householder(x);
        let mut out = [0.0; 3];
        out[..x.len()].copy_from_slice(&v);
        Self { v: out, tau, beta, len: x.len() }
    }
}

/// v with v_1 = 1, tau and beta of the reflection of `x` onto the first axis (Golub and Van Loan, section 5.1).
pub(super) fn householder(x: &[f64]) -> (Vec<f64>, f64, f64) {
    // By the largest entry, so that squares neither overflow nor vanish.
    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let mut v: Vec<f64> = x.iter().map(|value| if largest > 0.0 { value / largest } else { 0.0 }).collect();
    let rest: f64 = v[1..].iter().map(|value| value * value).sum();
    if rest == 0.0 {
        v.fill(0.0);
        v[0] = 1.0;
        return (v, 0.0, x[0]);
    }
    let beta = -v[0].signum() * (v[0] * v[0] + rest).sqrt();
    let tau = (beta - v[0]) / beta;
    let pivot = v[0] - beta;
    v[1..].iter_mut().for_each(|value| *value /= pivot);
    v[0] = 1.0;
    (v, tau, beta * largest)
}

impl Block {
    pub(super) fn zeros(n: usize) -> Self {
        Self { n, data: vec![0.0; n * n] }
    }

    pub(super) fn identity(n: usize) -> Self {
        let mut out = Self::zeros(n);
        (0..n).for_each(|i| out[(i, i)] = 1.0);
        out
    }

    /// The diagonal block of `a` of size `n` from row `at` on.
    pub(super) fn taken(a: &Dense, at: usize, n: usize) -> Self {
        let mut out = Self::zeros(n);
        for j in 0..n {
            out.column_mut(j).copy_from_slice(&a.col_as_slice(at + j)[at..at + n]);
        }
        out
    }

    /// Puts it in place of the diagonal block of `a` from row `at` on.
    pub(super) fn put(&self, a: &mut Dense, at: usize) {
        for j in 0..self.n {
            a.col_as_slice_mut(at + j)[at..at + self.n].copy_from_slice(self.column(j));
        }
    }

    pub(super) fn dense(&self) -> Dense {
        Dense::from_fn(self.n, self.n, |i, j| self[(i, j)])
    }

    pub(super) fn size(&self) -> usize {
        self.n
    }

    pub(super) fn column(&self, j: usize) -> &[f64] {
        &self.data[j * self.n..][..self.n]
    }

    pub(super) fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.data[j * self.n..][..self.n]
    }

    /// P from the left, on the rows from `i` on.
    pub(super) fn reflect_rows(&mut self, p: &Reflection, i: usize, cols: Range<usize>) {
        if p.tau == 0.0 {
            return;
        }
        let [_, v1, v2] = p.v;
        for column in self.data[cols.start * self.n..cols.end * self.n].chunks_exact_mut(self.n) {
            if p.len == 3 {
                let x = &mut column[i..i + 3];
                let sum = p.tau * (x[0] + v1 * x[1] + v2 * x[2]);
                x[0] -= sum;
                x[1] -= sum * v1;
                x[2] -= sum * v2;
            } else {
                let x = &mut column[i..i + 2];
                let sum = p.tau * (x[0] + v1 * x[1]);
                x[0] -= sum;
                x[1] -= sum * v1;
            }
        }
    }

    /// P from the right, on the columns from `j` on.
    pub(super) fn reflect_cols(&mut self, p: &Reflection, j: usize, rows: Range<usize>) {
        if p.tau == 0.0 {
            return;
        }
        let [_, v1, v2] = p.v;
        let n = self.n;
        let (first, rest) = self.data[j * n..(j + p.len) * n].split_at_mut(n);
        let (second, third) = rest.split_at_mut(n);
        let pairs = first[rows.clone()].iter_mut().zip(&mut second[rows.clone()]);
        if p.len == 3 {
            for ((x, y), z) in pairs.zip(&mut third[rows]) {
                let sum = p.tau * (*x + v1 * *y + v2 * *z);
                *x -= sum;
                *y -= sum * v1;
                *z -= sum * v2;
            }
        } else {
            for (x, y) in pairs {
                let sum = p.tau * (*x + v1 * *y);
                *x -= sum;
                *y -= sum * v1;
            }
        }
    }

    /// Rows i and i + 1 become c r1 + s r2 and c r2 - s r1.
    pub(super) fn rotate_rows(&mut self, (c, s): (f64, f64), i: usize, cols: Range<usize>) {
        for column in self.data[cols.start * self.n..cols.end * self.n].chunks_exact_mut(self.n) {
            let (x, y) = (column[i], column[i + 1]);
            column[i] = c * x + s * y;
            column[i + 1] = c * y - s * x;
        }
    }

    /// The same of columns j and j + 1.
    pub(super) fn rotate_cols(&mut self, (c, s): (f64, f64), j: usize, rows: Range<usize>) {
        let n = self.n;
        let (first, second) = self.data[j * n..(j + 2) * n].split_at_mut(n);
        for (a, b) in first[rows.clone()].iter_mut().zip(&mut second[rows]) {
            let (x, y) = (*a, *b);
            *a = c * x + s * y;
            *b = c * y - s * x;
        }
    }
}
