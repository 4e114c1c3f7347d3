//! QR with pivoting and shortest least-squares solutions.

use super::{add_multiple, dot};
use crate::RankTolerance;

/// W P = Q R of an n x m matrix, its rank r decided, in storage that is used again.
///
/// Columns are picked by what the picked ones leave of them relative to their own length (or, with
/// [`Orthogonal::with_common_scale`], to the longest), so that the rank does not depend on their
/// units: column k counts as dependent when less than `relative` times its length is left. When r < m, R^T = Z [T; 0] is made too, and solutions are
/// the shortest ones.
#[derive(Clone, Debug)]
pub struct Orthogonal {
    n: usize,
    m: usize,
    rank: usize,
    /// Reflectors below and R on and above the diagonal, by columns n x m.
    w: Vec<f64>,
    tau: Vec<f64>,
    pivots: Vec<usize>,
    /// Squares of the columns' lengths at the start and of what is left of them.
    lengths: Vec<f64>,
    left: Vec<f64>,
    /// Reflectors and T of R^T, by columns m x r.
    z: Vec<f64>,
    z_tau: Vec<f64>,
    work: Vec<f64>,
    smallest: f64,
    common: bool,
    /// Columns that are picked at most.
    most: usize,
    /// Largest share of its length that a column kept that was not picked.
    beyond: f64,
}

impl Orthogonal {
    /// Storage for n x m.
    pub fn new(n: usize, m: usize) -> Self {
        let size = n.min(m);
        Self {
            n,
            m,
            rank: 0,
            w: vec![0.0; n * m],
            tau: vec![0.0; size],
            pivots: (0..m).collect(),
            lengths: vec![0.0; m],
            left: vec![0.0; m],
            z: vec![0.0; m * size],
            z_tau: vec![0.0; size],
            work: vec![0.0; m.max(n)],
            smallest: 1.0,
            common: false,
            most: size,
            beyond: 0.0,
        }
    }
    /// As [`Self::new`], but columns are measured against the longest of all: the longest is
    /// picked first.
    pub fn with_common_scale(n: usize, m: usize) -> Self {
        Self { common: true, ..Self::new(n, m) }
    }
    /// Columns that are picked at most, however independent the rest is, until this is called again. Columns that depend on
    /// others only where a motion is exact would else be picked for its errors.
    pub fn limit_rank(&mut self, most: usize) {
        self.most = most.min(self.n).min(self.m);
    }
    /// The matrix to be factored, by columns n x m: fill it, then call [`Self::factor`].
    pub fn input(&mut self) -> &mut [f64] {
        &mut self.w
    }
    /// Factors the matrix in [`Self::input`] and returns its rank; entries must be finite.
    pub fn factor(&mut self, tolerance: RankTolerance) -> usize {
        let (n, m) = (self.n, self.m);
        for (k, column) in self.w.chunks_exact(n.max(1)).take(m).enumerate() {
            self.lengths[k] = dot(column, column);
            self.left[k] = self.lengths[k];
            self.pivots[k] = k;
        }
        if self.common {
            let longest = self.lengths.iter().copied().fold(0.0, f64::max);
            self.lengths.fill(longest);
        }
        self.rank = 0;
        self.smallest = 1.0;
        let cut = tolerance.relative * tolerance.relative;
        for k in 0..self.most {
            let ratio = |i: usize| if self.lengths[i] > 0.0 { self.left[i] / self.lengths[i] } else { 0.0 };
            let (mut best, mut size) = (k, ratio(k));
            for i in k + 1..m {
                // A clear lead only, so that equal candidates keep the order of the rows.
                if ratio(i) > 1.000_001 * size {
                    (best, size) = (i, ratio(i));
                }
            }
            self.swap(k, best);
            let fresh = dot(&self.w[k * n + k..(k + 1) * n], &self.w[k * n + k..(k + 1) * n]);
            if fresh <= cut * self.lengths[k] || fresh == 0.0 {
                break;
            }
            self.smallest = self.smallest.min((fresh / self.lengths[k]).sqrt());
            let (head, tail) = self.w.split_at_mut((k + 1) * n);
            let pivot = &mut head[k * n + k..];
            self.tau[k] = reflector(pivot, fresh);
            for (i, column) in tail.chunks_exact_mut(n).enumerate() {
                let part = &mut column[k..];
                reflect(pivot, self.tau[k], part);
                let i = k + 1 + i;
                self.left[i] -= part[0] * part[0];
                // Cancellation: what is left must be measured again.
                if self.left[i] < 1e-6 * self.lengths[i] {
                    self.left[i] = dot(&part[1..], &part[1..]);
                }
            }
            self.rank = k + 1;
        }
        let left = self.left.iter().zip(&self.lengths).skip(self.rank);
        let shares = left.map(|(left, length)| if *length > 0.0 { left.max(0.0) / length } else { 0.0 });
        self.beyond = shares.fold(0.0, f64::max).sqrt();
        if self.rank < m {
            self.complete();
        }
        self.rank
    }
    fn swap(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        let n = self.n;
        let (head, tail) = self.w.split_at_mut(b * n);
        head[a * n..(a + 1) * n].swap_with_slice(&mut tail[..n]);
        self.pivots.swap(a, b);
        self.lengths.swap(a, b);
        self.left.swap(a, b);
    }
    /// R^T = Z [T; 0].
    fn complete(&mut self) {
        let (n, m, r) = (self.n, self.m, self.rank);
        for j in 0..r {
            for i in 0..m {
                self.z[j * m + i] = if i >= j { self.w[i * n + j] } else { 0.0 };
            }
        }
        for k in 0..r {
            let (head, tail) = self.z.split_at_mut((k + 1) * m);
            let pivot = &mut head[k * m + k..];
            let size = dot(pivot, pivot);
            self.z_tau[k] = reflector(pivot, size);
            for column in tail.chunks_exact_mut(m).take(r - k - 1) {
                reflect(pivot, self.z_tau[k], &mut column[k..]);
            }
        }
    }
    /// Rank r.
    pub fn rank(&self) -> usize {
        self.rank
    }
    /// Columns in the order they were picked; those from the rank on depend on the others.
    pub fn pivots(&self) -> &[usize] {
        &self.pivots
    }
    /// The smallest share of its own length that a picked column had left; one when none was.
    pub fn smallest_share(&self) -> f64 {
        self.smallest
    }
    /// The largest share of its own length that a column had left that was not picked; zero when all were.
    pub fn share_beyond(&self) -> f64 {
        self.beyond
    }
    /// x <- Q^T x for n numbers.
    pub fn apply_transpose(&self, x: &mut [f64]) {
        for k in 0..self.rank {
            reflect(&self.w[k * self.n + k..(k + 1) * self.n], self.tau[k], &mut x[k..]);
        }
    }
    /// x <- Q x for n numbers.
    pub fn apply(&self, x: &mut [f64]) {
        for k in (0..self.rank).rev() {
            reflect(&self.w[k * self.n + k..(k + 1) * self.n], self.tau[k], &mut x[k..]);
        }
    }
    /// The first r numbers y of Q^T x, for the shortest least-squares solution x of W^T x = b.
    ///
    /// b has m numbers; x = Q [y; 0].
    pub fn solve_transpose(&mut self, b: &[f64], y: &mut [f64]) {
        let (n, m, r) = (self.n, self.m, self.rank);
        for (w, k) in self.work.iter_mut().zip(&self.pivots) {
            *w = b[*k];
        }
        if r == m {
            for i in 0..r {
                let column = &self.w[i * n..i * n + i];
                y[i] = (self.work[i] - dot(column, &y[..i])) / self.w[i * n + i];
            }
            return;
        }
        for k in 0..r {
            reflect(&self.z[k * m + k..(k + 1) * m], self.z_tau[k], &mut self.work[k..m]);
        }
        y[..r].copy_from_slice(&self.work[..r]);
        for i in (0..r).rev() {
            y[i] /= self.z[i * m + i];
            let value = y[i];
            add_multiple(&mut y[..i], -value, &self.z[i * m..i * m + i]);
        }
    }
    /// The shortest l (m numbers) with R P^T l = c, c of r numbers: the least-squares solution of
    /// W l = Q [c; anything].
    pub fn solve(&mut self, c: &[f64], l: &mut [f64]) {
        let (n, m, r) = (self.n, self.m, self.rank);
        self.work[..r].copy_from_slice(&c[..r]);
        if r == m {
            for i in (0..r).rev() {
                let value = self.work[i] / self.w[i * n + i];
                self.work[i] = value;
                add_multiple(&mut self.work[..i], -value, &self.w[i * n..i * n + i]);
            }
        } else {
            // R = [T^T 0] Z^T
            for i in 0..r {
                let column = &self.z[i * m..i * m + i];
                self.work[i] = (self.work[i] - dot(column, &self.work[..i])) / self.z[i * m + i];
            }
            self.work[r..m].fill(0.0);
            for k in (0..r).rev() {
                reflect(&self.z[k * m + k..(k + 1) * m], self.z_tau[k], &mut self.work[k..m]);
            }
        }
        for (value, k) in self.work.iter().zip(&self.pivots) {
            l[*k] = *value;
        }
    }
}

/// Turns x into (beta, v_1, ..) with (I - tau [1; v] [1; v]^T) x = beta e_1; |x|^2 is given.
fn reflector(x: &mut [f64], square: f64) -> f64 {
    let beta = -square.sqrt().copysign(x[0]);
    let inverse = 1.0 / (x[0] - beta);
    let tau = (beta - x[0]) / beta;
    for v in &mut x[1..] {
        *v *= inverse;
    }
    x[0] = beta;
    tau
}

/// y <- (I - tau [1; v] [1; v]^T) y, v behind the first number of `x`.
#[inline]
fn reflect(x: &[f64], tau: f64, y: &mut [f64]) {
    let Some((first, rest)) = y.split_first_mut() else { return };
    let v = &x[1..];
    let s = tau * (*first + dot(v, rest));
    *first -= s;
    add_multiple(rest, -s, v);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Svd, dense};

    fn columns(columns: &[&[f64]]) -> (crate::Dense, Vec<f64>) {
        let a = dense::from_columns(columns[0].len(), columns);
        let flat = columns.iter().flat_map(|c| c.iter().copied()).collect();
        (a, flat)
    }
    fn check(list: &[&[f64]], rank: usize) {
        let (a, flat) = columns(list);
        let (n, m) = a.shape();
        let mut ours = Orthogonal::new(n, m);
        ours.input().copy_from_slice(&flat);
        assert_eq!(ours.factor(RankTolerance { relative: 1e-8 }), rank);
        let svd = Svd::new(&a).unwrap();
        let transposed = Svd::new(&dense::transpose(&a)).unwrap();
        // W l = c
        let c: Vec<f64> = (0..n).map(|i| 0.3 + 0.7 * i as f64 - 0.2 * (i * i) as f64).collect();
        let mut turned = c.clone();
        ours.apply_transpose(&mut turned);
        let mut l = vec![0.0; m];
        ours.solve(&turned, &mut l);
        let known = svd.min_norm_solve(&c, RankTolerance { relative: 1e-8 });
        let size = crate::norms::max_abs_vec(&known).max(1.0);
        assert!(l.iter().zip(&known).all(|(x, k)| (x - k).abs() < 1e-13 * size), "{l:?} {known:?}");
        // W^T x = b
        let b: Vec<f64> = (0..m).map(|i| 1.0 - 0.4 * i as f64).collect();
        let mut x = vec![0.0; n];
        ours.solve_transpose(&b, &mut x);
        ours.apply(&mut x);
        let known = transposed.min_norm_solve(&b, RankTolerance { relative: 1e-8 });
        let size = crate::norms::max_abs_vec(&known).max(1.0);
        assert!(x.iter().zip(&known).all(|(x, k)| (x - k).abs() < 1e-13 * size), "{x:?} {known:?}");
    }

    #[test]
    fn solutions_are_those_of_the_singular_values() {
        check(&[&[1.0, 2.0, -1.0, 0.5], &[0.3, -1.0, 2.0, 4.0]], 2);
        check(&[&[1.0, 2.0, -1.0], &[2.0, 4.0, -2.0], &[0.0, 1.0, 1.0]], 2);
        check(&[&[1.0, 2.0], &[0.5, -1.0], &[3.0, 0.1]], 2);
        check(&[&[0.0, 0.0], &[0.5, -1.0]], 1);
        check(&[&[10.0, 20.0, -10.0], &[0.1, 0.4, -0.2]], 2);
    }

    #[test]
    fn dependent_columns_come_last() {
        let (_, flat) = columns(&[&[1.0, 0.0, 0.0], &[1e-9, 0.0, 0.0], &[0.0, 1e-6, 1e-6]]);
        let mut ours = Orthogonal::new(3, 3);
        ours.input().copy_from_slice(&flat);
        assert_eq!(ours.factor(RankTolerance { relative: 1e-6 }), 2);
        assert_eq!(ours.pivots()[2], 1);
        assert!(ours.smallest_share() > 0.9);
    }
    #[test]
    fn no_more_columns_are_picked_than_allowed() {
        let list: [&[f64]; 3] = [&[1.0, 0.0, 0.0], &[1.0, 0.2, 0.0], &[0.0, 0.0, 1.0]];
        let (_, flat) = columns(&list);
        let mut ours = Orthogonal::new(3, 3);
        for (most, beyond) in [(3, 0.0), (2, 0.2 / 1.04_f64.sqrt())] {
            ours.limit_rank(most);
            ours.input().copy_from_slice(&flat);
            assert_eq!(ours.factor(RankTolerance { relative: 1e-8 }), most);
            assert!((ours.share_beyond() - beyond).abs() < 1e-12, "{}", ours.share_beyond());
        }
    }
}
