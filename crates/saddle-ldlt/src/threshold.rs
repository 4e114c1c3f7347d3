//! Elimination of one front by threshold pivoting over all its columns; what finds no pivot is left for the parent.
//!
//! A pivot is taken where elimination with it is stable in every row i of the front, those below the candidates included:
//!
//! ```text
//! one row     |w_i| <= |d| / u          or   |w_i|^2 / |d|             <= max(1, s_i) / u
//! two rows    |D^-1 [w_i v_i]| <= 1 / u  or   |D^-1| max(w_i, v_i)^2    <= max(1, s_i) / u
//! ```
//!
//! s_i sums the magnitudes that made the diagonal entry of row i, entries of the scaled matrix are of size one. The left
//! tests are those of Duff and Reid (ACM Trans. Math. Softw. 9, 1983): L stays small. The right ones bound the growth of what is
//! left, which alone decides on stability, so that definite matrices never delay a pivot. Pairs are those of Bunch and Kaufman
//! (Math. Comp. 31, 1977): a column and the row of its largest entry. In a root all rows are candidates, and a pivot among
//! the largest entries always passes; what remains there without is noise, and null.
//!
//! Columns are eliminated in panels of [`tuning::BLOCK`], whose columns alone are up to date; those that fail go behind the others and
//! have another turn, at last with all of them in one panel.

use super::bunch_kaufman::inverse_pair;
use super::front::Eliminator;
use super::number::Number;
use super::tuning;

/// Growth below which a pivot of one row is taken without a look at others, as by Bunch and Kaufman.
const GOOD: f64 = 1.57;

/// Least |1 - d_1 d_2 / e^2|, relative to its terms, of a pair: the digits that its determinant keeps.
const REGULAR: f64 = 1e-2;

/// Growth that a pivot among the largest entries of a root keeps: 1 / (1 - 0.64).
const ROOT: f64 = 2.8;

/// What became of a candidate.
enum Choice {
    /// Its column is rounding noise.
    Null,
    /// A pivot of one row, in this place.
    One(usize),
    /// A pivot of two rows: the candidate and the one in this place.
    Pair(usize),
    /// None passes.
    Fails,
}

/// A front: the lower trapezoid of the candidates' columns.
#[derive(Debug)]
pub(super) struct Candidates<'a, T> {
    /// `rows` x `cols` by columns; L where eliminated.
    pub(super) panel: &'a mut [T],
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// Place in the order of elimination of each row.
    pub(super) places: &'a mut [u32],
    /// Magnitudes summed into the diagonal of each row.
    pub(super) sums: &'a mut [f64],
    /// Candidates eliminated, the first ones.
    pub(super) done: usize,
}

/// Memory of the columns in question.
#[derive(Debug, Default)]
pub(super) struct Scratch<T> {
    first: Vec<T>,
    second: Vec<T>,
}

impl<T: Number> Candidates<'_, T> {
    /// Eliminates what can be; D, what is odd and what is doubtful go to `to`. `u`: the threshold, at most 1/2.
    pub(super) fn eliminate(&mut self, u: f64, to: &mut Eliminator<T>, scratch: &mut Scratch<T>) {
        to.begin(self.cols);
        let limit = if self.rows == self.cols { (1.0 / u).max(ROOT) } else { 1.0 / u };
        // Columns of a panel.
        let mut width = tuning::BLOCK;
        while self.done < self.cols {
            let before = self.done;
            let all = self.cols - self.done;
            let mut end = self.cols;
            while self.done < end {
                let (from, last) = (self.done, (self.done + width).min(end));
                self.eliminate_panel(last, limit, to, scratch);
                to.update_columns(self.panel, self.rows, from..self.done, last..self.cols);
                // The others get their turn before those that failed.
                let failed = last - self.done;
                for k in 0..failed.min(end - last) {
                    self.exchange(self.done + k, end - 1 - k);
                }
                end -= failed;
            }
            if width >= all {
                return;
            }
            let left = self.cols - self.done;
            width = if self.done - before > left { tuning::BLOCK } else { left.max(tuning::BLOCK) };
        }
    }

    /// Eliminates columns up to `end`, all up to date, among each other until none passes.
    fn eliminate_panel(&mut self, end: usize, limit: f64, to: &mut Eliminator<T>, scratch: &mut Scratch<T>) {
        loop {
            let before = self.done;
            let mut at = self.done;
            while at < end {
                match self.choose(at, end, limit, scratch) {
                    Choice::Null => {
                        self.exchange(self.done, at);
                        self.set_null(to);
                    }
                    Choice::One(p) => {
                        self.exchange(self.done, p);
                        self.eliminate_one(end, to);
                    }
                    Choice::Pair(partner) => {
                        self.exchange(self.done, at);
                        let partner = if partner == self.done { at } else { partner };
                        self.exchange(self.done + 1, partner);
                        self.eliminate_pair(end, to);
                    }
                    Choice::Fails => at += 1,
                }
                at = at.max(self.done);
            }
            if self.done == before || self.done == end {
                return;
            }
        }
    }

    /// Rows and columns a and b of the candidates change places.
    fn exchange(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        let (a, b, rows) = (a.min(b), a.max(b), self.rows);
        self.places.swap(a, b);
        self.sums.swap(a, b);
        for column in self.panel[..a * rows].chunks_exact_mut(rows) {
            column.swap(a, b);
        }
        let (left, right) = self.panel.split_at_mut(b * rows);
        let (first, between) = left[a * rows..].split_at_mut(rows);
        std::mem::swap(&mut first[a], &mut right[b]);
        for (j, column) in between.chunks_exact_mut(rows).enumerate() {
            std::mem::swap(&mut first[a + 1 + j], &mut column[b]);
        }
        first[b + 1..].swap_with_slice(&mut right[b + 1..rows]);
    }

    /// Entries of column `at` in the rows from the first candidate left on.
    fn gather(&self, at: usize, to: &mut Vec<T>) {
        to.clear();
        to.extend((self.done..at).map(|j| self.panel[j * self.rows + at]));
        to.extend_from_slice(&self.panel[at * self.rows + at..(at + 1) * self.rows]);
    }

    fn choose(&self, at: usize, end: usize, limit: f64, scratch: &mut Scratch<T>) -> Choice {
        let Scratch { first, second } = scratch;
        self.gather(at, first);
        let own = at - self.done;
        if self.is_noise(own, first) {
            return Choice::Null;
        }
        let alone = self.growth_of_one(own, first);
        if alone <= GOOD.min(limit) {
            return Choice::One(at);
        }
        let mut partner = (own, 0.0);
        for (k, x) in first[..end - self.done].iter().enumerate().filter(|(k, _)| *k != own) {
            if x.size() > partner.1 {
                partner = (k, x.size());
            }
        }
        let mut best = (alone, Choice::One(at));
        let partner = partner.0;
        if partner != own {
            self.gather(partner + self.done, second);
            let other = self.growth_of_one(partner, second);
            if other < best.0 {
                best = (other, Choice::One(partner + self.done));
            }
            let both = self.growth_of_pair([own, partner], [first, second]);
            if both < best.0 {
                best = (both, Choice::Pair(partner + self.done));
            }
        }
        if best.0 <= limit { best.1 } else { Choice::Fails }
    }

    /// Whether a column is rounding noise of the numbers it is made of.
    fn is_noise(&self, own: usize, column: &[T]) -> bool {
        let noise = tuning::CANCELLED * T::ROUNDING;
        let sums = &self.sums[self.done..];
        let sum = sums[own];
        column.iter().zip(sums).all(|(w, other)| w.size() <= noise * sum.max((sum * other).sqrt()))
    }

    fn growth_of_one(&self, own: usize, column: &[T]) -> f64 {
        let by = column[own].size().recip();
        if !by.is_finite() {
            return f64::INFINITY;
        }
        let mut worst = 0.0;
        for (k, (w, sum)) in column.iter().zip(&self.sums[self.done..]).enumerate() {
            let l = w.size() * by;
            if l > worst && k != own {
                worst = l.min(l * w.size() / sum.max(1.0)).max(worst);
            }
        }
        worst
    }

    fn growth_of_pair(&self, [one, two]: [usize; 2], [first, second]: [&[T]; 2]) -> f64 {
        let (d1, e, d2) = (first[one], first[two], second[two]);
        let ratio = d1 * e.inverse() * (d2 * e.inverse());
        if (ratio - T::UNIT).size() <= REGULAR * ratio.size().max(1.0) {
            return f64::INFINITY;
        }
        let (i11, i21, i22) = inverse_pair(d1, e, d2);
        let norm = i11.size().max(i22.size()) + i21.size();
        if !norm.is_finite() {
            return f64::INFINITY;
        }
        let mut worst = 0.0;
        for (k, ((&w, &v), sum)) in first.iter().zip(second).zip(&self.sums[self.done..]).enumerate() {
            if k == one || k == two {
                continue;
            }
            let l = (w * i11 + v * i21).size().max((w * i21 + v * i22).size());
            if l > worst {
                let size = w.size().max(v.size());
                worst = l.min(norm * size * size / sum.max(1.0)).max(worst);
            }
        }
        worst
    }

    /// The next candidate's column is dropped: a zero of D, whose inverse counts as zero.
    fn set_null(&mut self, to: &mut Eliminator<T>) {
        let k = self.done;
        let column = &mut self.panel[k * self.rows + k..(k + 1) * self.rows];
        column.fill(T::default());
        column[0] = T::UNIT;
        to.null.push(k);
        self.done += 1;
    }

    /// Eliminates the next candidate in the columns up to `end`.
    fn eliminate_one(&mut self, end: usize, to: &mut Eliminator<T>) {
        let (k, rows) = (self.done, self.rows);
        let (left, right) = self.panel.split_at_mut((k + 1) * rows);
        let column = &mut left[k * rows..];
        let d = column[k];
        let inverse = d.inverse();
        (to.d[k], to.inverse[k]) = (d, inverse);
        let ratio = d.size() / self.sums[k];
        if ratio <= tuning::DOUBTFUL {
            to.doubtful.push((k, ratio));
        }
        for j in k + 1..end {
            let l = column[j] * inverse;
            if l == T::default() {
                continue;
            }
            let target = &mut right[(j - k - 1) * rows..(j - k) * rows];
            target[j..].iter_mut().zip(&column[j..]).for_each(|(t, &w)| *t -= w * l);
        }
        column[k] = T::UNIT;
        for (x, sum) in column[k + 1..].iter_mut().zip(&mut self.sums[k + 1..]) {
            let l = *x * inverse;
            *sum += (*x * l).size();
            to.growth = to.growth.max(l.size());
            *x = l;
        }
        self.done += 1;
    }

    /// Eliminates the next two candidates as a pair in the columns up to `end`.
    fn eliminate_pair(&mut self, end: usize, to: &mut Eliminator<T>) {
        let (k, rows) = (self.done, self.rows);
        let (left, right) = self.panel.split_at_mut((k + 2) * rows);
        let (first, second) = left[k * rows..].split_at_mut(rows);
        let (d1, e, d2) = (first[k], first[k + 1], second[k + 1]);
        let (i11, i21, i22) = inverse_pair(d1, e, d2);
        (to.d[k], to.e[k], to.d[k + 1]) = (d1, e, d2);
        (to.inverse[k], to.inverse_e[k], to.inverse[k + 1]) = (i11, i21, i22);
        let product = self.sums[k] * self.sums[k + 1];
        let ratio = ((d1 * d2 - e * e).size() / product).sqrt();
        if ratio <= tuning::DOUBTFUL {
            to.doubtful.push((k, ratio));
        }
        for j in k + 2..end {
            let (w, v) = (first[j], second[j]);
            let (l1, l2) = (w * i11 + v * i21, w * i21 + v * i22);
            let target = &mut right[(j - k - 2) * rows..(j - k - 1) * rows];
            for ((t, &w), &v) in target[j..].iter_mut().zip(&first[j..]).zip(&second[j..]) {
                *t -= w * l1 + v * l2;
            }
        }
        (first[k], first[k + 1], second[k + 1]) = (T::UNIT, T::default(), T::UNIT);
        let below = first[k + 2..].iter_mut().zip(&mut second[k + 2..]);
        for ((x, y), sum) in below.zip(&mut self.sums[k + 2..]) {
            let (w, v) = (*x, *y);
            (*x, *y) = (w * i11 + v * i21, w * i21 + v * i22);
            *sum += (w * *x).size() + (v * *y).size();
            to.growth = to.growth.max(x.size()).max(y.size());
        }
        self.done += 2;
    }
}
