//! Residuals of the scaled system for blocks of right-hand sides, compiled for this processor.

use pulp::{Simd, WithSimd};

use super::number::Number;
use super::refined_solve::System;
use super::symmetric_storage::{Half, Stored};

/// [`System::subtract`], compiled for this processor.
pub(super) struct Subtract<'a, T: Number> {
    pub(super) system: &'a System<T>,
    pub(super) x: &'a [T],
    pub(super) l: &'a [T],
    pub(super) f: &'a mut [T],
    pub(super) g: &'a mut [T],
    pub(super) width: usize,
    pub(super) transposed: bool,
}

impl<T: Number> WithSimd for Subtract<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // All wide instructions there are come with fused ones.
        if S::IS_SCALAR { self.by_width::<false>() } else { self.by_width::<true>() }
    }
}

impl<T: Number> Subtract<'_, T> {
    #[inline(always)]
    fn by_width<const F: bool>(self) {
        // Numbers known when compiled make the inner loops a few instructions.
        match self.width {
            1 => self.run::<1, F>(),
            2 => self.run::<2, F>(),
            3 => self.run::<3, F>(),
            4 => self.run::<4, F>(),
            5 => self.run::<5, F>(),
            6 => self.run::<6, F>(),
            7 => self.run::<7, F>(),
            8 => self.run::<8, F>(),
            _ => self.any_width(),
        }
    }

    #[inline(always)]
    fn run<const W: usize, const F: bool>(self) {
        let chunks = |x| -> &[[T; W]] { <[T]>::as_chunks(x).0 };
        let (x, l) = (chunks(self.x), chunks(self.l));
        let (f, g) = (self.f.as_chunks_mut::<W>().0, self.g.as_chunks_mut::<W>().0);
        match &self.system.a {
            Stored::Half(a) => subtract_half::<T, W, F>(a, x, f),
            Stored::Pair { lower, upper } => {
                let [lower, upper] = if self.transposed { [upper, lower] } else { [lower, upper] };
                subtract_pair::<T, W, F>(lower, upper, x, f);
            }
        }
        let (start, rows, values) = parts(&self.system.g);
        for (j, (x, f)) in x.iter().zip(f).enumerate() {
            for (&r, &value) in rows[start[j]..start[j + 1]].iter().zip(&values[start[j]..start[j + 1]]) {
                (0..W).for_each(|k| f[k] -= l[r][k].scaled(value));
                (0..W).for_each(|k| g[r][k] -= x[k].scaled(value));
            }
        }
    }

    #[inline(always)]
    fn any_width(self) {
        let Self { system, x, l, f, g, width, transposed } = self;
        let own = |i: usize| i * width..(i + 1) * width;
        system.a.for_each(|i, j, value| {
            let (i, j) = if transposed { (j, i) } else { (i, j) };
            subtract_multiple(&mut f[own(i)], value, &x[own(j)]);
        });
        let (start, rows, values) = parts(&system.g);
        for (j, (x, f)) in x.chunks_exact(width).zip(f.chunks_exact_mut(width)).enumerate() {
            for (&r, &value) in rows[start[j]..start[j + 1]].iter().zip(&values[start[j]..start[j + 1]]) {
                let own = r * width..(r + 1) * width;
                let value = T::from_real(value);
                subtract_multiple(f, value, &l[own.clone()]);
                subtract_multiple(&mut g[own], value, x);
            }
        }
    }
}

/// f -= A x for W columns, each entry read once for both its places.
#[inline(always)]
fn subtract_half<T: Number, const W: usize, const F: bool>(a: &Half<T>, x: &[[T; W]], f: &mut [[T; W]]) {
    for (j, own) in x.iter().enumerate() {
        let (rows, values) = a.column(j);
        let mut sum = [T::default(); W];
        for (&i, &value) in rows.iter().zip(values) {
            let i = i as usize;
            if i == j {
                (0..W).for_each(|k| sum[k] = sum[k].plus::<F>(value, own[k]));
                continue;
            }
            let (f, x) = (&mut f[i], &x[i]);
            (0..W).for_each(|k| f[k] = f[k].minus::<F>(value, own[k]));
            (0..W).for_each(|k| sum[k] = sum[k].plus::<F>(value, x[k]));
        }
        (0..W).for_each(|k| f[j][k] -= sum[k]);
    }
}

/// The same with the halves of a matrix of any kind.
#[inline(always)]
fn subtract_pair<T: Number, const W: usize, const F: bool>(
    lower: &Half<T>,
    upper: &Half<T>,
    x: &[[T; W]],
    f: &mut [[T; W]],
) {
    for (j, own) in x.iter().enumerate() {
        let (rows, values) = lower.column(j);
        for (&i, &value) in rows.iter().zip(values) {
            let f = &mut f[i as usize];
            (0..W).for_each(|k| f[k] = f[k].minus::<F>(value, own[k]));
        }
        let (cols, values) = upper.column(j);
        let mut sum = [T::default(); W];
        for (&i, &value) in cols.iter().zip(values).filter(|(i, _)| **i as usize != j) {
            let x = &x[i as usize];
            (0..W).for_each(|k| sum[k] = sum[k].plus::<F>(value, x[k]));
        }
        (0..W).for_each(|k| f[j][k] -= sum[k]);
    }
}

/// to -= value x.
#[inline(always)]
fn subtract_multiple<T: Number>(to: &mut [T], value: T, x: &[T]) {
    for (t, &x) in to.iter_mut().zip(x) {
        *t -= value * x;
    }
}

/// Where the columns start, rows and values of a matrix by columns that owns its parts.
pub(super) fn parts<T>(a: &sprs::CsMat<T>) -> (&[usize], &[usize], &[T]) {
    (a.indptr().into_raw_storage(), a.indices(), a.data())
}
