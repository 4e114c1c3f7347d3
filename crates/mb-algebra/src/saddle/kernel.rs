//! Inner loops of the substitutions, compiled for the processor at hand.
//!
//! ```text
//! forward    t1 <- L11^-1 t1,  t2 <- t2 - L21 t1          L11 unit lower, cols x cols
//! backward   t1 <- L11^-T (t1 - L21^T t2)                 L21 (rows - cols) x cols
//! ```
//!
//! on a block column of L and W right-hand sides kept row by row, W = 1, 2, 4 or 8. Sums of four rows or columns and
//! W right-hand sides stay in registers, so that every entry of L is read once. Complex sums are kept in two parts, re(L) t and
//! im(L) t: products of a real number with neighbours in memory, which the processor takes at once, where complex products
//! would be shuffled; fewer rows fit in the registers then. `pulp` picks the instructions when the program runs.

use pulp::{Arch, Simd, WithSimd};

use super::number::Number;
use super::panel::BlockColumn;

/// Right-hand sides the kernels take at most.
pub(super) const NARROW: usize = 8;

/// The width of the kernel for so many right-hand sides, at most [`NARROW`].
pub(super) fn padded(width: usize) -> usize {
    width.next_power_of_two()
}

/// One substitution with a block column; `t` holds its rows, `width` numbers each.
pub(super) fn forward<T: Number>(l: BlockColumn<'_, T>, t: &mut [T], width: usize) {
    dispatch(l, t, width, true);
}

/// As [`forward`], with the transpose.
pub(super) fn backward<T: Number>(l: BlockColumn<'_, T>, t: &mut [T], width: usize) {
    dispatch(l, t, width, false);
}

fn dispatch<T: Number>(l: BlockColumn<'_, T>, t: &mut [T], width: usize, down: bool) {
    // Where a panel is tiny, choosing the instructions costs more than they save.
    if l.entries.len() * width < 128 {
        return by_width(l, t, width, down);
    }
    Arch::new().dispatch(Step { l, t, width, down });
}

struct Step<'a, T> {
    l: BlockColumn<'a, T>,
    t: &'a mut [T],
    width: usize,
    down: bool,
}

impl<T: Number> WithSimd for Step<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        by_width(self.l, self.t, self.width, self.down);
    }
}

#[inline(always)]
fn by_width<T: Number>(l: BlockColumn<'_, T>, t: &mut [T], width: usize, down: bool) {
    match width {
        1 => step::<T, 1>(l, t, down),
        2 => step::<T, 2>(l, t, down),
        4 => step::<T, 4>(l, t, down),
        _ => step::<T, 8>(l, t, down),
    }
}

#[inline(always)]
fn step<T: Number, const W: usize>(l: BlockColumn<'_, T>, t: &mut [T], down: bool) {
    let t = &mut t.as_chunks_mut::<W>().0[..l.rows];
    if down {
        solve_triangle(l, t);
        match (W, T::COMPLEX) {
            (1, _) => columns_down(l, t),
            (_, false) => rows_down::<T, W, 4>(l, t),
            (2 | 4, true) => rows_down::<T, W, 2>(l, t),
            (_, true) => rows_down::<T, W, 1>(l, t),
        }
    } else {
        match (W, T::COMPLEX) {
            (1, _) | (_, false) => columns_up::<T, W, 4>(l, t),
            (2 | 4, true) => columns_up::<T, W, 2>(l, t),
            (_, true) => columns_up::<T, W, 1>(l, t),
        }
        solve_transposed(l, t);
    }
}

#[inline(always)]
fn subtract<T: Number, const W: usize>(t: &mut [T; W], l: T, x: &[T; W]) {
    let mut sum = Sum::zero();
    sum.add(l, x);
    sum.subtract_from(t);
}

/// A sum of products l x for W right-hand sides: re(l) x and im(l) x apart.
#[derive(Clone, Copy)]
struct Sum<T, const W: usize> {
    parts: [[T; W]; 2],
}

impl<T: Number, const W: usize> Sum<T, W> {
    #[inline(always)]
    fn zero() -> Self {
        Self { parts: [[T::default(); W]; 2] }
    }

    #[inline(always)]
    fn add(&mut self, l: T, x: &[T; W]) {
        let [first, second] = &mut self.parts;
        if T::COMPLEX {
            let [re, im] = l.parts();
            (0..W).for_each(|k| first[k] += x[k].scaled(re));
            (0..W).for_each(|k| second[k] += x[k].scaled(im));
        } else {
            (0..W).for_each(|k| first[k] += l * x[k]);
        }
    }

    #[inline(always)]
    fn subtract_from(&self, t: &mut [T; W]) {
        let [first, second] = &self.parts;
        for k in 0..W {
            t[k] -= if T::COMPLEX { first[k] + second[k].turned() } else { first[k] };
        }
    }
}

#[inline(always)]
fn solve_triangle<T: Number, const W: usize>(l: BlockColumn<'_, T>, t: &mut [[T; W]]) {
    for j in 0..l.cols {
        let (done, rest) = t[..l.cols].split_at_mut(j + 1);
        let x = done[j];
        for (t, &l) in rest.iter_mut().zip(&l.entries[j * l.rows + j + 1..j * l.rows + l.cols]) {
            subtract(t, l, &x);
        }
    }
}

#[inline(always)]
fn solve_transposed<T: Number, const W: usize>(l: BlockColumn<'_, T>, t: &mut [[T; W]]) {
    for j in (0..l.cols).rev() {
        let mut x = t[j];
        for (t, &l) in t[j + 1..l.cols].iter().zip(&l.entries[j * l.rows + j + 1..j * l.rows + l.cols]) {
            subtract(&mut x, l, t);
        }
        t[j] = x;
    }
}

/// The rows below, R at a time over all columns.
#[inline(always)]
fn rows_down<T: Number, const W: usize, const R: usize>(l: BlockColumn<'_, T>, t: &mut [[T; W]]) {
    let (x, below) = t.split_at_mut(l.cols);
    let (groups, rest) = below.as_chunks_mut::<R>();
    let mut row = l.cols;
    for group in groups {
        let mut sums = [Sum::<T, W>::zero(); R];
        for (x, column) in x.iter().zip(l.entries.chunks_exact(l.rows)) {
            let l = &column[row..row + R];
            for i in 0..R {
                sums[i].add(l[i], x);
            }
        }
        for i in 0..R {
            sums[i].subtract_from(&mut group[i]);
        }
        row += R;
    }
    for t in rest {
        for (x, column) in x.iter().zip(l.entries.chunks_exact(l.rows)) {
            subtract(t, column[row], x);
        }
        row += 1;
    }
}

/// The rows below for one right-hand side: four columns in one pass.
#[inline(always)]
fn columns_down<T: Number, const W: usize>(l: BlockColumn<'_, T>, t: &mut [[T; W]]) {
    let (x, below) = t.split_at_mut(l.cols);
    let below = below.as_flattened_mut();
    let mut columns = l.entries.chunks_exact(l.rows).map(|column| &column[l.cols..]);
    let (fours, rest) = x.as_chunks::<4>();
    for x in fours {
        let [Some(a), Some(b), Some(c), Some(d)] = std::array::from_fn(|_| columns.next()) else { return };
        let [x0, x1, x2, x3] = x.map(|x| x[0]);
        for ((((t, &a), &b), &c), &d) in below.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *t -= a * x0 + b * x1 + (c * x2 + d * x3);
        }
    }
    for (x, column) in rest.iter().zip(columns) {
        for (t, &l) in below.iter_mut().zip(column) {
            *t -= l * x[0];
        }
    }
}

/// t1 -= L21^T t2, R columns in one pass; R is four for one right-hand side.
#[inline(always)]
fn columns_up<T: Number, const W: usize, const R: usize>(l: BlockColumn<'_, T>, t: &mut [[T; W]]) {
    let (x, below) = t.split_at_mut(l.cols);
    let below = &*below;
    let mut columns = l.entries.chunks_exact(l.rows).map(|column| &column[l.cols..]);
    let (groups, rest) = x.as_chunks_mut::<R>();
    for x in groups {
        let own: [&[T]; R] = std::array::from_fn(|_| columns.next().unwrap_or_default());
        if let (1, &[a, b, c, d]) = (W, &own[..]) {
            let sums = dots(a, b, c, d, below.as_flattened());
            x.as_flattened_mut().iter_mut().zip(sums).for_each(|(x, sum)| *x -= sum);
        } else {
            let sums = sums_of(own, below);
            (0..R).for_each(|i| sums[i].subtract_from(&mut x[i]));
        }
    }
    for (x, column) in rest.iter_mut().zip(columns) {
        for (t, &l) in below.iter().zip(column) {
            subtract(x, l, t);
        }
    }
}

#[inline(always)]
fn sums_of<T: Number, const W: usize, const R: usize>(columns: [&[T]; R], t: &[[T; W]]) -> [Sum<T, W>; R] {
    let mut sums = [Sum::zero(); R];
    let columns = columns.map(|column| &column[..t.len()]);
    for (row, t) in t.iter().enumerate() {
        for i in 0..R {
            sums[i].add(columns[i][row], t);
        }
    }
    sums
}

/// Four scalar products, each summed in four parts which the processor adds side by side.
#[inline(always)]
fn dots<T: Number>(a: &[T], b: &[T], c: &[T], d: &[T], t: &[T]) -> [T; 4] {
    let mut parts = [[T::default(); 4]; 4];
    let fours = |x: &[T]| x.as_chunks::<4>().0.len();
    let count = fours(t);
    let chunk = |x: &[T], i: usize| -> [T; 4] { std::array::from_fn(|k| x[4 * i + k]) };
    for i in 0..count {
        let t = chunk(t, i);
        let columns = [chunk(a, i), chunk(b, i), chunk(c, i), chunk(d, i)];
        for j in 0..4 {
            for k in 0..4 {
                parts[j][k] += columns[j][k] * t[k];
            }
        }
    }
    let mut sums = parts.map(|p| (p[0] + p[1]) + (p[2] + p[3]));
    for i in 4 * count..t.len() {
        for (sum, column) in sums.iter_mut().zip([a, b, c, d]) {
            *sum += column[i] * t[i];
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y with L y = t in the pivots' rows, t2 - L21 y below; and t1 <- L11^-T (t1 - L21^T t2).
    fn agree_with_the_formula<T: Number>(of: fn(f64, f64) -> T) {
        for (rows, cols) in [(1, 1), (6, 3), (13, 5), (48, 48), (61, 48), (130, 20)] {
            let entry = |i: usize, j: usize| {
                let part = |by: usize| ((by * i + 3 * j) % 11) as f64 / 64.0 - 0.05;
                of(part(7), part(5))
            };
            let entries: Vec<T> = (0..rows * cols).map(|k| entry(k % rows, k / rows)).collect();
            let l = BlockColumn { from: 0, cols, rows, entries: &entries };
            for width in [1, 2, 4, 8] {
                let t: Vec<T> =
                    (0..rows * width).map(|k| of((k % 17) as f64 - 8.0, (k % 13) as f64 - 6.0)).collect();
                let mut down = t.clone();
                forward(l, &mut down, width);
                let mut up = t.clone();
                backward(l, &mut up, width);
                for k in 0..width {
                    let at = |t: &[T], i: usize| t[i * width + k];
                    let zero = T::default();
                    for i in 0..rows {
                        let terms = (0..i.min(cols)).fold(zero, |s, j| s + entry(i, j) * at(&down, j));
                        let rest = (at(&down, i) + terms - at(&t, i)).size();
                        assert!(rest < 1e-12, "{rows} {cols} {width} {i}");
                    }
                    for j in 0..cols {
                        let terms = (j + 1..rows).fold(zero, |s, i| s + entry(i, j) * at(&up, i));
                        assert!((at(&up, j) + terms - at(&t, j)).size() < 1e-12, "{rows} {cols} {width} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn all_widths_agree_with_the_formula() {
        agree_with_the_formula::<f64>(|re, _| re);
        agree_with_the_formula::<crate::c64>(crate::c64::new);
    }
}
