//! Factors of chains and trees by columns, without the zeros of their panels.
//!
//! ```text
//! forward    x_i <- x_i - l_ij x_j  for i > j,  j upwards
//! backward   x_j <- d_j^-1 x_j - sum_i l_ij x_i,  j downwards
//! ```
//!
//! Supernodes of some columns are worth their zeros in the elimination, whose products are dense. Where two or three entries of a
//! column are all there is, substitutions spend their time on the zeros and on the way in and out of panels: by columns, with the
//! rows of right-hand sides in registers, they take a third of it, and the factor half of the memory. Sizes: L of N rows with e
//! entries below the diagonal, e <= [`FEW`] N.

use pulp::{Arch, Simd, WithSimd};

use super::number::Number;
use super::panel::{TILE, block_columns};
use super::substitute::Exchanges;
use super::symbolic::Symbolic;
use super::tuning;

/// Entries of a column below the diagonal, in the mean, up to which panels do not pay.
const FEW: usize = 6;
/// Rows below which nothing is to be gained.
const SMALL: usize = 500;

/// L below its diagonal, by columns.
#[derive(Clone, Debug)]
pub(super) struct Thin<T> {
    start: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<T>,
}

impl<T: Number> Thin<T> {
    /// Takes the entries of the panels that are not zero, for right-hand sides whose rows are exchanged already; none where they
    /// are too many.
    pub(super) fn of(symbolic: &Symbolic, panels: &[T], exchanges: &Exchanges) -> Option<Self> {
        let size = symbolic.order.len();
        // Entries of panels in a row from which on they are not looked through for zeros.
        if size < SMALL || symbolic.panel_entries > (tuning::BLOCK / 2) * size {
            return None;
        }
        let mut out = Self {
            start: Vec::with_capacity(size + 1),
            rows: Vec::with_capacity(3 * size),
            values: Vec::with_capacity(3 * size),
        };
        out.start.push(0);
        let moved = exchanges.places();
        let mut places: Vec<u32> = Vec::with_capacity(symbolic.max_rows);
        for node in &symbolic.supernodes {
            let (rows, cols) = (node.rows(), node.cols);
            places.clear();
            places.extend(node.first as u32..(node.first + cols) as u32);
            for &(first, length) in &symbolic.runs[node.runs.clone()] {
                places.extend(first..first + length);
            }
            if !moved.is_empty() {
                // A panel's own rows lie in their new order, those of other supernodes in the old one.
                places[cols..].iter_mut().for_each(|place| *place = moved[*place as usize]);
            }
            let panel = &panels[node.panel..node.panel + node.entries()];
            for block in block_columns(panel, rows, cols) {
                let (own, below) = places[block.from..].split_at(block.cols);
                for j in 0..block.cols {
                    let column = &block.triangle[j * block.cols + j + 1..(j + 1) * block.cols];
                    out.extend(&own[j + 1..], column.iter().copied());
                    for (at, rows) in below.chunks(TILE).enumerate() {
                        let tile = &block.tiles[at * TILE * block.cols..][j * rows.len()..];
                        out.extend(rows, tile.iter().copied());
                    }
                    out.start.push(out.rows.len() as u32);
                }
            }
            if out.rows.len() > FEW * size {
                return None;
            }
        }
        Some(out)
    }

    fn extend(&mut self, rows: &[u32], values: impl Iterator<Item = T>) {
        for (&row, value) in rows.iter().zip(values) {
            if value != T::default() {
                self.rows.push(row);
                self.values.push(value);
            }
        }
    }

    /// x <- L^-1 x for `width` right-hand sides row by row: 1, 2, 4 or 8.
    pub(super) fn forward(&self, x: &mut [T], width: usize) {
        Arch::new().dispatch(Pass { thin: self, x, width, way: Way::Down });
    }

    /// x <- L^-T D^-1 x, of a diagonal D whose inverse has these numbers; of D = I without them.
    pub(super) fn backward(&self, inverse: Option<&[T]>, x: &mut [T], width: usize) {
        Arch::new().dispatch(Pass { thin: self, x, width, way: Way::Up(inverse) });
    }

    #[inline(always)]
    fn column(&self, j: usize) -> impl Iterator<Item = (&u32, &T)> {
        let own = self.start[j] as usize..self.start[j + 1] as usize;
        self.rows[own.clone()].iter().zip(&self.values[own])
    }
}

/// Which substitution.
#[derive(Clone, Copy)]
enum Way<'a, T> {
    Down,
    /// With D^-1 on the way.
    Up(Option<&'a [T]>),
}

/// One substitution, compiled for this processor.
struct Pass<'a, T> {
    thin: &'a Thin<T>,
    x: &'a mut [T],
    width: usize,
    way: Way<'a, T>,
}

impl<T: Number> WithSimd for Pass<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // All wide instructions there are come with fused ones.
        if S::IS_SCALAR { self.by_width::<false>() } else { self.by_width::<true>() }
    }
}

impl<T: Number> Pass<'_, T> {
    #[inline(always)]
    fn by_width<const F: bool>(self) {
        match self.width {
            1 => self.run::<1, F>(),
            2 => self.run::<2, F>(),
            4 => self.run::<4, F>(),
            _ => self.run::<8, F>(),
        }
    }

    #[inline(always)]
    fn run<const W: usize, const F: bool>(self) {
        let Self { thin, x, way, .. } = self;
        let x = x.as_chunks_mut::<W>().0;
        match way {
            Way::Down => {
                for j in 0..x.len() {
                    let own = x[j];
                    for (&i, &l) in thin.column(j) {
                        let t = &mut x[i as usize];
                        (0..W).for_each(|k| t[k] = t[k].minus::<F>(l, own[k]));
                    }
                }
            }
            Way::Up(inverse) => {
                for j in (0..x.len()).rev() {
                    let mut sum = x[j];
                    if let Some(inverse) = inverse {
                        let by = inverse[j];
                        for x in &mut sum {
                            *x *= by;
                        }
                    }
                    for (&i, &l) in thin.column(j) {
                        let t = &x[i as usize];
                        (0..W).for_each(|k| sum[k] = sum[k].minus::<F>(l, t[k]));
                    }
                    x[j] = sum;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::factor::prepare;
    use super::super::ldl::AugmentedLdl;
    use super::super::refined_solve::System;
    use super::super::symmetric_storage::Stored;
    use super::super::{SaddleAnalysis, SaddleOptions};
    use mb_algebra::{Dense, Scatter, Triplets, to_sparse};

    /// A chain of bars with joints, indefinite, so that rows are exchanged.
    fn chain(bars: usize) -> (mb_algebra::Sparse, mb_algebra::Sparse) {
        let (mut a, mut g) = (Triplets::new(2 * bars, 2 * bars), Triplets::new(bars + 1, 2 * bars));
        for bar in 0..bars {
            let (left, right) = (2 * bar, 2 * bar + 1);
            let own = if bar % 3 == 0 { 1e-9 } else { 1.0 - (bar % 7) as f64 };
            a.add(left, left, own);
            a.add(right, right, 2.0 - own);
            a.add(left, right, -1.5);
            a.add(right, left, -1.5);
            g.add(bar, left, 1.0);
            g.add(bar + 1, right, -1.0);
        }
        (a.to_sparse(), g.to_sparse())
    }

    #[test]
    fn columns_without_zeros_and_panels_give_the_same() {
        let (a, g) = chain(400);
        let options = SaddleOptions { augmentation: 0.0, ..SaddleOptions::default() };
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &options).unwrap());
        let (a, g) = prepare(&analysis, &[(1.0, &a)], &g, |f, x| f * x).unwrap();
        let system = System::new(Stored::Half(a), g, &analysis.g_cols, &analysis.g_rows);
        let Stored::Half(a) = &system.a else { unreachable!() };
        let mut ldl = AugmentedLdl::new(&analysis, &system, a, &[false; 401]).unwrap();
        assert!(ldl.numeric.thin.is_some() && ldl.numeric.pivots.summary.pairs > 0);
        let size = ldl.order().len();
        for width in [1, 2, 4, 8] {
            let b: Vec<f64> = (0..size * width).map(|i| (i % 11) as f64 - 5.0).collect();
            let mut thin = b.clone();
            ldl.substitute(&system, &mut thin, width);
            let mut again = ldl.clone();
            again.renew(&system).unwrap();
            assert!(again.numeric.thin.is_none());
            let mut whole = b;
            again.substitute(&system, &mut whole, width);
            let largest = whole.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (x, y) in thin.iter().zip(&whole) {
                assert!((x - y).abs() <= 1e-9 * largest, "{width}: {x:e} {y:e}");
            }
        }
        ldl.renew(&system).unwrap();
    }

    #[test]
    fn dense_panels_stay() {
        let a = to_sparse(&Dense::from_fn(520, 520, |i, j| if i == j { 999.0 } else { 1.0 }));
        let g = to_sparse(&Dense::zeros(0, 520));
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
        let (a, g) = prepare(&analysis, &[(1.0, &a)], &g, |f, x| f * x).unwrap();
        let system = System::new(Stored::Half(a), g, &analysis.g_cols, &analysis.g_rows);
        let Stored::Half(a) = &system.a else { unreachable!() };
        let ldl = AugmentedLdl::new(&analysis, &system, a, &[]).unwrap();
        assert!(ldl.numeric.thin.is_none() && !ldl.numeric.panels.is_empty());
    }
}
