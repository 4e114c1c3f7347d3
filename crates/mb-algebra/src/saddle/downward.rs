//! The forward pass over whole tiles with named registers: t2 <- t2 - L21 x for real numbers.
//!
//! The sums of a tile's four rows stay in registers while its columns are read. Where the right-hand sides of a row fill one
//! register these are four chains of operations, each waiting for the one before: half of what the processor can do. Two tiles
//! are read side by side there, which makes eight chains; every sum has its terms in the same order. Sizes: as in
//! [`super::kernel`].

use pulp::Simd;

use super::panel::TILE;

macro_rules! downward {
    ($name:ident, $number:ty, $many:ident, $lanes:ident, $read:ident, $write:ident, $splat:ident, $minus:ident) => {
        /// Whether W right-hand sides fill one register; `below` is changed only then. `tiles` holds all tiles of four rows, `x`
        /// a row for each of their columns, `below` four rows for each tile.
        #[inline(always)]
        pub(super) fn $name<S: Simd, const W: usize>(
            simd: S,
            tiles: &[$number],
            x: &[[$number; W]],
            below: &mut [[$number; W]],
        ) -> bool {
            if S::IS_SCALAR || W != S::$lanes {
                return false;
            }
            let (x, below) = (S::$read(x.as_flattened()).0, S::$write(below.as_flattened_mut()).0);
            let take = |sum: &mut S::$many, l: $number, x: S::$many| {
                *sum = simd.$minus(simd.$splat(l), x, *sum);
            };
            let size = TILE * x.len();
            let mut groups = below.as_chunks_mut::<TILE>().0.chunks_exact_mut(2);
            let mut pairs = tiles.chunks_exact(2 * size);
            for (group, pair) in (&mut groups).zip(&mut pairs) {
                let [mut upper, mut lower] = [group[0], group[1]];
                let (first, second) = pair.split_at(size);
                let columns = first.as_chunks::<TILE>().0.iter().zip(second.as_chunks::<TILE>().0);
                for ((first, second), x) in columns.zip(x) {
                    for k in 0..TILE {
                        take(&mut upper[k], first[k], *x);
                    }
                    for k in 0..TILE {
                        take(&mut lower[k], second[k], *x);
                    }
                }
                (group[0], group[1]) = (upper, lower);
            }
            for (group, tile) in groups.into_remainder().iter_mut().zip(pairs.remainder().chunks_exact(size))
            {
                let mut sums = *group;
                for (column, x) in tile.as_chunks::<TILE>().0.iter().zip(x) {
                    for k in 0..TILE {
                        take(&mut sums[k], column[k], *x);
                    }
                }
                *group = sums;
            }
            true
        }
    };
}

downward!(double, f64, f64s, F64_LANES, as_simd_f64s, as_mut_simd_f64s, splat_f64s, negate_mul_add_f64s);
downward!(single, f32, f32s, F32_LANES, as_simd_f32s, as_mut_simd_f32s, splat_f32s, negate_mul_add_f32s);
