//! P A P^T = L D L^T of a small dense block, by Bunch and Kaufman (Math. Comp. 31, 1977).
//!
//! D has blocks of one or two rows; exchanges stay inside the block. A is real or complex symmetric (no
//! conjugation). With each diagonal entry goes the sum of magnitudes that made it: a pivot far below that sum is
//! rounding noise, not a number.

use super::number::Number;

/// (1 + sqrt 17) / 8 bounds the growth of one elimination step best.
const ALPHA: f64 = 0.640_388_203_202_208;

/// What became of one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pivot {
    /// A pivot of one row.
    One,
    /// First row of a pivot of two rows.
    PairFirst,
    /// Second row of a pivot of two rows.
    PairSecond,
    /// The whole column is rounding noise within the block; D holds one for now.
    Noise,
}

/// Factors of the block: L below the diagonal (unit diagonal), D apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Block<T> {
    size: usize,
    /// By columns; only the strict lower triangle of L counts.
    pub(super) l: Vec<T>,
    /// Diagonal of D.
    pub(super) d: Vec<T>,
    /// `e[k]` couples k and k + 1 for a pair that starts at k.
    pub(super) e: Vec<T>,
    pub(super) kind: Vec<Pivot>,
    /// Row of the block now at each place.
    pub(super) perm: Vec<u32>,
    /// Whether `perm` is not the identity.
    pub(super) moved: bool,
}

impl<T: Number> Block<T> {
    /// Factors the lower triangle of the block starting at `a[0]`, stored by columns at distance `stride`.
    ///
    /// `sums`: for each row the magnitudes summed into its diagonal entry; updated and exchanged with the rows.
    /// `noise`: a column not larger than this many times those, for its row, is taken for rounding errors.
    pub(super) fn factor(&mut self, a: &[T], stride: usize, size: usize, sums: &mut [f64], noise: &[f64]) {
        self.size = size;
        self.l.clear();
        for k in 0..size {
            self.l.extend_from_slice(&a[k * stride..k * stride + size]);
        }
        self.d.clear();
        self.d.resize(size, T::UNIT);
        self.e.clear();
        self.e.resize(size, T::default());
        self.kind.clear();
        self.kind.resize(size, Pivot::One);
        self.perm.clear();
        self.perm.extend(0..size as u32);
        self.moved = false;
        let mut k = 0;
        while k < size {
            let (largest, row) = self.largest_below(k);
            let own = self.l[k * size + k].size();
            let allowed = noise[self.perm[k] as usize];
            if own <= allowed * sums[k] && is_noise(k, largest, sums, allowed) {
                self.kind[k] = Pivot::Noise;
                self.l[k * size + k..(k + 1) * size].fill(T::default());
                k += 1;
                continue;
            }
            let (step, with) = self.choose(k, own, largest, row);
            self.exchange(k + step - 1, with, sums);
            if step == 1 {
                self.eliminate_one(k, sums);
            } else {
                self.eliminate_pair(k, sums);
            }
            k += step;
        }
    }

    /// Largest magnitude below the diagonal of column k, and its row.
    fn largest_below(&self, k: usize) -> (f64, usize) {
        let column = &self.l[k * self.size..(k + 1) * self.size];
        let mut found = (0.0, k);
        for (i, &x) in column.iter().enumerate().skip(k + 1) {
            let x = x.size();
            if x > found.0 || x.is_nan() {
                found = (x, i);
            }
        }
        found
    }

    /// Rows of the pivot (1 or 2) and the row to bring to its last place.
    fn choose(&self, k: usize, own: f64, largest: f64, row: usize) -> (usize, usize) {
        // What is not a number stays where it is: it is refused with the solution, and there may be no row to exchange it with.
        if own >= ALPHA * largest || row == k {
            return (1, k);
        }
        let size = self.size;
        let across = (k..row).map(|j| self.l[j * size + row].size());
        let down = (row + 1..size).map(|i| self.l[row * size + i].size());
        let other = across.chain(down).fold(0.0, f64::max);
        if own * other >= ALPHA * largest * largest {
            (1, k)
        } else if self.l[row * size + row].size() >= ALPHA * other {
            (1, row)
        } else {
            (2, row)
        }
    }

    /// Exchanges rows and columns `a < b`, in L too.
    fn exchange(&mut self, a: usize, b: usize, sums: &mut [f64]) {
        if a == b {
            return;
        }
        let n = self.size;
        let (a, b) = (a.min(b), a.max(b));
        self.moved = true;
        self.perm.swap(a, b);
        sums.swap(a, b);
        self.l.swap(a * n + a, b * n + b);
        for j in 0..a {
            self.l.swap(j * n + a, j * n + b);
        }
        for j in a + 1..b {
            self.l.swap(a * n + j, j * n + b);
        }
        for i in b + 1..n {
            self.l.swap(a * n + i, b * n + i);
        }
    }

    fn eliminate_one(&mut self, k: usize, sums: &mut [f64]) {
        let n = self.size;
        let pivot = self.l[k * n + k];
        self.d[k] = pivot;
        let inverse = pivot.inverse();
        let (left, right) = self.l.split_at_mut((k + 1) * n);
        let column = &mut left[k * n..];
        for j in k + 1..n {
            let w = column[j];
            if w == T::default() {
                continue;
            }
            let l = w * inverse;
            sums[j] += (w * l).size();
            let target = &mut right[(j - k - 1) * n..(j - k) * n];
            for (t, &c) in target[j..].iter_mut().zip(&column[j..]) {
                *t -= c * l;
            }
            // The rows below still need the unscaled column.
            column[j] = l;
        }
    }

    fn eliminate_pair(&mut self, k: usize, sums: &mut [f64]) {
        let n = self.size;
        let (d1, e, d2) = (self.l[k * n + k], self.l[k * n + k + 1], self.l[(k + 1) * n + k + 1]);
        (self.d[k], self.e[k], self.d[k + 1]) = (d1, e, d2);
        (self.kind[k], self.kind[k + 1]) = (Pivot::PairFirst, Pivot::PairSecond);
        let (i11, i21, i22) = inverse_pair(d1, e, d2);
        self.l[k * n + k + 1] = T::default();
        let (left, right) = self.l.split_at_mut((k + 2) * n);
        let (first, second) = left[k * n..].split_at_mut(n);
        for j in k + 2..n {
            let (w1, w2) = (first[j], second[j]);
            let (l1, l2) = (w1 * i11 + w2 * i21, w1 * i21 + w2 * i22);
            sums[j] += (w1 * l1).size() + (w2 * l2).size();
            let target = &mut right[(j - k - 2) * n..(j - k - 1) * n];
            for ((t, &c1), &c2) in target[j..].iter_mut().zip(&first[j..]).zip(&second[j..]) {
                *t -= c1 * l1 + c2 * l2;
            }
            (first[j], second[j]) = (l1, l2);
        }
    }
}

/// Whether a column with this largest entry below the diagonal is noise.
fn is_noise(k: usize, largest: f64, sums: &[f64], noise: f64) -> bool {
    let others = sums[k + 1..].iter().fold(0.0_f64, |s, &x| s.max(x));
    largest <= noise * (sums[k] * others).sqrt().max(sums[k])
}

/// Inverse of [d1, e; e, d2] as (1,1), (2,1), (2,2); scaled by e, the largest entry, against overflow.
pub(super) fn inverse_pair<T: Number>(d1: T, e: T, d2: T) -> (T, T, T) {
    let by_e = e.inverse();
    let (a, b) = (d1 * by_e, d2 * by_e);
    let scale = (a * b - T::UNIT).inverse() * by_e;
    (b * scale, T::default() - scale, a * scale)
}
