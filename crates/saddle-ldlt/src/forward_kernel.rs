//! The forward pass over whole tiles with named registers: t2 <- t2 - L21 x for real numbers.
//!
//! The sums of a tile's four rows stay in registers while its columns are read. Where the right-hand sides of a row fill one
//! register these are four chains of operations, each waiting for the one before: half of what the processor can do. Columns of
//! even and of odd number have sums of their own there, which makes eight chains, and the factor is still read from its first
//! number to its last: of two tiles side by side, eight chains as well, memory is read at half of that speed. Sizes: as in
//! [`super::kernel`].

use pulp::Simd;

use super::panel::TILE;

macro_rules! downward {
    ($name:ident, $number:ty, $many:ident, $lanes:ident, $read:ident, $write:ident, $splat:ident, $plus:ident, $minus:ident) => {
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
            let (pairs, last) = x.as_chunks::<2>();
            let groups = below.as_chunks_mut::<TILE>().0;
            for (group, tile) in groups.iter_mut().zip(tiles.chunks_exact(TILE * x.len())) {
                let (mut even, mut odd) = (*group, [simd.$splat(0.0); TILE]);
                let (columns, single) = tile.as_chunks::<{ 2 * TILE }>();
                for (columns, [first, second]) in columns.iter().zip(pairs) {
                    for k in 0..TILE {
                        take(&mut even[k], columns[k], *first);
                    }
                    for k in 0..TILE {
                        take(&mut odd[k], columns[TILE + k], *second);
                    }
                }
                if let [x] = last {
                    for k in 0..TILE {
                        take(&mut even[k], single[k], *x);
                    }
                }
                for k in 0..TILE {
                    group[k] = simd.$plus(even[k], odd[k]);
                }
            }
            true
        }
    };
}

downward!(
    double,
    f64,
    f64s,
    F64_LANES,
    as_simd_f64s,
    as_mut_simd_f64s,
    splat_f64s,
    add_f64s,
    negate_mul_add_f64s
);
downward!(
    single,
    f32,
    f32s,
    F32_LANES,
    as_simd_f32s,
    as_mut_simd_f32s,
    splat_f32s,
    add_f32s,
    negate_mul_add_f32s
);
