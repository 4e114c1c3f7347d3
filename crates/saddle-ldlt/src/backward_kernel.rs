//! The backward pass over whole tiles with named registers: x <- x - L21^T t2 for real numbers.
//!
//! A column of a tile has four numbers, each times a row of t2 that stays in registers, added up in x. Left to itself the
//! compiler lays these sums across the registers and shuffles the rows: a third of the speed, and less in single precision.
//! Here a register holds right-hand sides of one row, W of them in one or two. Sizes: as in [`super::kernel`].

use pulp::Simd;

use super::panel::TILE;

macro_rules! upward {
    ($name:ident, $number:ty, $many:ident, $lanes:ident, $read:ident, $write:ident, $splat:ident, $minus:ident) => {
        /// Whether W right-hand sides fill one or two registers; x is changed only then. `below` has four rows for each
        /// tile, `x` a row for each column.
        #[inline(always)]
        pub(super) fn $name<S: Simd, const W: usize>(
            simd: S,
            tiles: &[$number],
            x: &mut [[$number; W]],
            below: &[[$number; W]],
        ) -> bool {
            #[inline(always)]
            fn pass<S: Simd, const P: usize>(
                simd: S,
                tiles: &[$number],
                x: &mut [S::$many],
                below: &[S::$many],
            ) {
                let (x, groups) = (x.as_chunks_mut::<P>().0, below.as_chunks::<P>().0.as_chunks::<TILE>().0);
                for (group, tile) in groups.iter().zip(tiles.chunks_exact(TILE * x.len())) {
                    // By value: read through the reference they would be read again for each column.
                    let group = *group;
                    for (x, column) in x.iter_mut().zip(tile.as_chunks::<TILE>().0) {
                        let mut sum = *x;
                        for (l, row) in column.iter().zip(&group) {
                            let l = simd.$splat(*l);
                            for (sum, t) in sum.iter_mut().zip(row) {
                                *sum = simd.$minus(l, *t, *sum);
                            }
                        }
                        *x = sum;
                    }
                }
            }
            if S::IS_SCALAR {
                return false;
            }
            let (x, below) = (S::$write(x.as_flattened_mut()).0, S::$read(below.as_flattened()).0);
            match W {
                _ if W == S::$lanes => pass::<S, 1>(simd, tiles, x, below),
                _ if W == 2 * S::$lanes => pass::<S, 2>(simd, tiles, x, below),
                _ => return false,
            }
            true
        }
    };
}

upward!(double, f64, f64s, F64_LANES, as_simd_f64s, as_mut_simd_f64s, splat_f64s, negate_mul_add_f64s);
upward!(single, f32, f32s, F32_LANES, as_simd_f32s, as_mut_simd_f32s, splat_f32s, negate_mul_add_f32s);
