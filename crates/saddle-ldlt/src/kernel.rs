//! Inner loops of the substitutions, compiled for this processor.
//!
//! ```text
//! forward    t1 <- L11^-1 t1,  t2 <- t2 - L21 t1          L11 unit lower, cols x cols
//! backward   t1 <- L11^-T (t1 - L21^T t2)                 L21 (rows - cols) x cols
//! ```
//!
//! on a block column of L and W right-hand sides kept row by row, W = 1, 2, 4 or 8. A tile of four rows of L21 is read once, in
//! the order of memory: forward the sums of its rows stay in registers, backward its rows of t2. Complex sums are kept in two
//! parts, re(L) t and im(L) t: products of a real number with neighbours in memory, which the processor takes at once,
//! where complex products would be shuffled; fewer rows fit in the registers then. `pulp` picks the instructions when the program
//! runs; products and sums are fused where the processor does that.

use pulp::{Arch, Scalar, Simd, WithSimd};

use super::number::Number;
use super::panel::{BlockColumn, TILE};
use super::tuning;
use mb_algebra::side_by_side;

/// Products of a block column below which plain instructions do.
const SMALL: usize = 128;

/// Entries of a block column, half a megabyte or more, that two cores share.
const SHARED: usize = 1 << 16;

/// The width of the kernel for so many right-hand sides, at most [`tuning::WIDTH`].
pub(super) fn padded(width: usize) -> usize {
    width.next_power_of_two()
}

/// One substitution with a block column; `t` holds its rows, `width` numbers each.
pub(super) fn forward<T: Number>(l: BlockColumn<'_, T>, t: &mut [T], width: usize) {
    let BlockColumn { cols, triangle, tiles, .. } = l;
    let (x, below) = t.split_at_mut(cols * width);
    let whole = Down { cols, triangle, tiles, x, below, width };
    // Where a panel is tiny, choosing the instructions costs more than they save.
    if cols * l.rows * width < SMALL {
        return whole.run::<_, false>(Scalar);
    }
    let Some(middle) = middle(l) else { return wide(whole) };
    let Down { x, below, .. } = whole;
    wide(Down { cols, triangle, tiles: &[], x, below: &mut [], width });
    // The rows below share nothing but what they are computed from.
    let mut copy = [T::default(); tuning::BLOCK * tuning::WIDTH];
    let copy = &mut copy[..cols * width];
    copy.copy_from_slice(x);
    let (upper, lower) = below.split_at_mut(middle * width);
    let (first, second) = tiles.split_at(middle * cols);
    side_by_side(
        || wide(Down { cols, triangle: &[], tiles: first, x, below: upper, width }),
        || wide(Down { cols, triangle: &[], tiles: second, x: copy, below: lower, width }),
    );
}

/// As [`forward`], with the transpose.
pub(super) fn backward<T: Number>(l: BlockColumn<'_, T>, t: &mut [T], width: usize) {
    let BlockColumn { cols, triangle, tiles, .. } = l;
    let (x, below) = t.split_at_mut(cols * width);
    let whole = Up { cols, triangle, tiles, x, below, width };
    if cols * l.rows * width < SMALL {
        return whole.run::<_, false>(Scalar);
    }
    let Some(middle) = middle(l) else { return wide(whole) };
    let Up { x, below, .. } = whole;
    let mut other = [T::default(); tuning::BLOCK * tuning::WIDTH];
    let other = &mut other[..cols * width];
    let (upper, lower) = below.split_at(middle * width);
    let (first, second) = tiles.split_at(middle * cols);
    let (mine, theirs) = (&mut *x, &mut *other);
    side_by_side(
        || wide(Up { cols, triangle: &[], tiles: first, x: mine, below: upper, width }),
        || wide(Up { cols, triangle: &[], tiles: second, x: theirs, below: lower, width }),
    );
    x.iter_mut().zip(&*other).for_each(|(x, other)| *x += *other);
    wide(Up { cols, triangle, tiles: &[], x, below: &[], width });
}

/// Where a large block column's rows below are cut in two, always, so that sums do not depend on the number of cores.
fn middle<T: Copy>(l: BlockColumn<'_, T>) -> Option<usize> {
    let rows = l.rows - l.cols;
    (l.tiles.len() >= SHARED).then(|| (rows / 2).next_multiple_of(TILE))
}

/// One pass over a block column.
trait Pass: Sized {
    /// Right-hand sides: 1, 2, 4 or 8.
    fn width(&self) -> usize;

    /// The pass for `W` right-hand sides, products and sums fused where `F`.
    fn fixed<S: Simd, const W: usize, const F: bool>(self, simd: S);

    #[inline(always)]
    fn run<S: Simd, const F: bool>(self, simd: S) {
        match self.width() {
            1 => self.fixed::<S, 1, F>(simd),
            2 => self.fixed::<S, 2, F>(simd),
            4 => self.fixed::<S, 4, F>(simd),
            _ => self.fixed::<S, 8, F>(simd),
        }
    }
}

/// The pass by the widest instructions there are.
fn wide(pass: impl Pass) {
    Arch::new().dispatch(Wide(pass));
}

struct Wide<P>(P);

impl<P: Pass> WithSimd for Wide<P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // All wide instructions there are come with fused ones.
        if S::IS_SCALAR { self.0.run::<S, false>(simd) } else { self.0.run::<S, true>(simd) }
    }
}

/// x <- L11^-1 x, where there is a triangle, and below <- below - L21 x.
struct Down<'a, T> {
    cols: usize,
    triangle: &'a [T],
    tiles: &'a [T],
    x: &'a mut [T],
    below: &'a mut [T],
    width: usize,
}

impl<T: Number> Pass for Down<'_, T> {
    fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    fn fixed<S: Simd, const W: usize, const F: bool>(self, simd: S) {
        let (x, below) = (self.x.as_chunks_mut::<W>().0, self.below.as_chunks_mut::<W>().0);
        solve_triangle::<T, W, F>(self.cols, self.triangle, x);
        match (W, T::COMPLEX) {
            (1, _) => one_down::<T, F>(self.tiles, x.as_flattened(), below.as_flattened_mut()),
            (_, false) => tiles_down::<T, S, W, 4, F>(simd, self.tiles, x, below),
            (2 | 4, true) => tiles_down::<T, S, W, 2, F>(simd, self.tiles, x, below),
            (_, true) => tiles_down::<T, S, W, 1, F>(simd, self.tiles, x, below),
        }
    }
}

/// x <- x - L21^T below, and L11^-T x where there is a triangle.
struct Up<'a, T> {
    cols: usize,
    triangle: &'a [T],
    tiles: &'a [T],
    x: &'a mut [T],
    below: &'a [T],
    width: usize,
}

impl<T: Number> Pass for Up<'_, T> {
    fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    fn fixed<S: Simd, const W: usize, const F: bool>(self, simd: S) {
        let (x, below) = (self.x.as_chunks_mut::<W>().0, self.below.as_chunks::<W>().0);
        if W == 1 {
            one_up::<T, F>(self.tiles, x.as_flattened_mut(), below.as_flattened());
        } else {
            tiles_up::<T, S, W, F>(simd, self.tiles, x, below);
        }
        solve_transposed::<T, W, F>(self.cols, self.triangle, x);
    }
}

/// t -= l x.
#[inline(always)]
fn subtract<T: Number, const W: usize, const F: bool>(t: &mut [T; W], l: T, x: &[T; W]) {
    let mut sum = Sum::of(t);
    sum.subtract::<F>(l, x);
    *t = sum.value();
}

/// t - sum of products l x for W right-hand sides: re(l) x and im(l) x apart.
#[derive(Clone, Copy)]
struct Sum<T, const W: usize> {
    parts: [[T; W]; 2],
}

impl<T: Number, const W: usize> Sum<T, W> {
    #[inline(always)]
    fn of(t: &[T; W]) -> Self {
        Self { parts: [*t, [T::default(); W]] }
    }

    #[inline(always)]
    fn subtract<const F: bool>(&mut self, l: T, x: &[T; W]) {
        let [first, second] = &mut self.parts;
        if T::COMPLEX {
            let [re, im] = l.parts();
            (0..W).for_each(|k| first[k] = first[k].minus_scaled::<F>(x[k], re));
            (0..W).for_each(|k| second[k] = second[k].minus_scaled::<F>(x[k], im));
        } else {
            (0..W).for_each(|k| first[k] = first[k].minus::<F>(l, x[k]));
        }
    }

    #[inline(always)]
    fn value(&self) -> [T; W] {
        let [first, second] = &self.parts;
        if T::COMPLEX { std::array::from_fn(|k| first[k] + second[k].turned()) } else { *first }
    }
}

#[inline(always)]
fn solve_triangle<T: Number, const W: usize, const F: bool>(cols: usize, triangle: &[T], x: &mut [[T; W]]) {
    for (j, column) in triangle.chunks_exact(cols).enumerate() {
        let (done, rest) = x.split_at_mut(j + 1);
        let x = done[j];
        for (t, &l) in rest.iter_mut().zip(&column[j + 1..]) {
            subtract::<T, W, F>(t, l, &x);
        }
    }
}

#[inline(always)]
fn solve_transposed<T: Number, const W: usize, const F: bool>(cols: usize, triangle: &[T], x: &mut [[T; W]]) {
    for (j, column) in triangle.chunks_exact(cols).enumerate().rev() {
        let (x, rest) = x[j..].split_at_mut(1);
        let mut sum = Sum::of(&x[0]);
        for (t, &l) in rest.iter().zip(&column[j + 1..]) {
            sum.subtract::<F>(l, t);
        }
        x[0] = sum.value();
    }
}

/// The rows below, R of a tile at a time over all columns.
#[inline(always)]
fn tiles_down<T: Number, S: Simd, const W: usize, const R: usize, const F: bool>(
    simd: S,
    tiles: &[T],
    x: &[[T; W]],
    below: &mut [[T; W]],
) {
    let (groups, rest) = below.as_chunks_mut::<TILE>();
    let (whole, last) = tiles.split_at(groups.len() * TILE * x.len());
    let done = T::downward(simd, whole, x, groups.as_flattened_mut());
    let left = if done { &mut [] } else { groups };
    for (group, tile) in left.iter_mut().zip(whole.chunks_exact(TILE * x.len())) {
        for (at, rows) in group.as_chunks_mut::<R>().0.iter_mut().enumerate() {
            let mut sums: [Sum<T, W>; R] = std::array::from_fn(|i| Sum::of(&rows[i]));
            for (x, column) in x.iter().zip(tile.as_chunks::<TILE>().0) {
                for i in 0..R {
                    sums[i].subtract::<F>(column[at * R + i], x);
                }
            }
            (0..R).for_each(|i| rows[i] = sums[i].value());
        }
    }
    if !rest.is_empty() {
        for (x, column) in x.iter().zip(last.chunks_exact(rest.len())) {
            for (t, &l) in rest.iter_mut().zip(column) {
                subtract::<T, W, F>(t, l, x);
            }
        }
    }
}

/// x -= L21^T below, tile by tile.
#[inline(always)]
fn tiles_up<T: Number, S: Simd, const W: usize, const F: bool>(
    simd: S,
    tiles: &[T],
    x: &mut [[T; W]],
    below: &[[T; W]],
) {
    let (groups, rest) = below.as_chunks::<TILE>();
    let (whole, last) = tiles.split_at(groups.len() * TILE * x.len());
    if !T::upward(simd, whole, x, groups.as_flattened()) {
        for (group, tile) in groups.iter().zip(whole.chunks_exact(TILE * x.len())) {
            for (x, column) in x.iter_mut().zip(tile.as_chunks::<TILE>().0) {
                let mut sum = Sum::of(x);
                for i in 0..TILE {
                    sum.subtract::<F>(column[i], &group[i]);
                }
                *x = sum.value();
            }
        }
    }
    if !rest.is_empty() {
        for (x, column) in x.iter_mut().zip(last.chunks_exact(rest.len())) {
            let mut sum = Sum::of(x);
            for (t, &l) in rest.iter().zip(column) {
                sum.subtract::<F>(l, t);
            }
            *x = sum.value();
        }
    }
}

/// The rows below for one right-hand side: the rows of a tile side by side.
#[inline(always)]
fn one_down<T: Number, const F: bool>(tiles: &[T], x: &[T], below: &mut [T]) {
    let (groups, rest) = below.as_chunks_mut::<TILE>();
    let mut tiles = tiles.chunks_exact(TILE * x.len());
    for (group, tile) in groups.iter_mut().zip(&mut tiles) {
        let mut sums = *group;
        for (&x, column) in x.iter().zip(tile.as_chunks::<TILE>().0) {
            (0..TILE).for_each(|i| sums[i] = sums[i].minus::<F>(column[i], x));
        }
        *group = sums;
    }
    if !rest.is_empty() {
        for (&x, column) in x.iter().zip(tiles.remainder().chunks_exact(rest.len())) {
            rest.iter_mut().zip(column).for_each(|(t, &l)| *t -= l * x);
        }
    }
}

/// x -= L21^T below for one right-hand side: four parts of each sum, which the processor adds side by side.
#[inline(always)]
fn one_up<T: Number, const F: bool>(tiles: &[T], x: &mut [T], below: &[T]) {
    let (groups, rest) = below.as_chunks::<TILE>();
    let mut tiles = tiles.chunks_exact(TILE * x.len());
    if !groups.is_empty() {
        let mut parts = [[T::default(); TILE]; tuning::BLOCK];
        let parts = &mut parts[..x.len()];
        for (group, tile) in groups.iter().zip(&mut tiles) {
            for (sums, column) in parts.iter_mut().zip(tile.as_chunks::<TILE>().0) {
                (0..TILE).for_each(|i| sums[i] = sums[i].plus::<F>(column[i], group[i]));
            }
        }
        for (x, [a, b, c, d]) in x.iter_mut().zip(parts) {
            *x -= (*a + *b) + (*c + *d);
        }
    }
    if !rest.is_empty() {
        for (x, column) in x.iter_mut().zip(tiles.remainder().chunks_exact(rest.len())) {
            rest.iter().zip(column).for_each(|(&t, &l)| *x -= l * t);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::tile;

    /// y with L y = t in the pivots' rows, t2 - L21 y below; and t1 <- L11^-T (t1 - L21^T t2).
    fn agree_with_the_formula<T: Number>(of: fn(f64, f64) -> T) {
        for (rows, cols) in [(1, 1), (6, 3), (13, 5), (48, 48), (61, 48), (130, 20), (52, 2), (1500, 48)] {
            let entry = |i: usize, j: usize| {
                let part = |by: usize| ((by * i + 3 * j) % 11) as f64 / 64.0 - 0.05;
                of(part(7), part(5))
            };
            let entries: Vec<T> = (0..rows * cols).map(|k| entry(k % rows, k / rows)).collect();
            let mut packed = entries.clone();
            tile(&entries, rows, cols, &mut packed);
            let l = BlockColumn::new(0, rows, cols, &packed);
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
                        assert!(rest < 1e-12 * T::ROUNDING, "{rows} {cols} {width} {i}");
                    }
                    for j in 0..cols {
                        let terms = (j + 1..rows).fold(zero, |s, i| s + entry(i, j) * at(&up, i));
                        assert!(
                            (at(&up, j) + terms - at(&t, j)).size() < 1e-12 * T::ROUNDING,
                            "{rows} {cols} {width} {j}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn all_widths_agree_with_the_formula() {
        agree_with_the_formula::<f64>(|re, _| re);
        #[expect(clippy::cast_possible_truncation, reason = "that is the point")]
        agree_with_the_formula::<f32>(|re, _| re as f32);
        agree_with_the_formula::<mb_algebra::c64>(mb_algebra::c64::new);
    }
}
