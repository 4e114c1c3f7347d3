//! Lower triangles by block columns, each from its own first row on: half the memory of a square.
//!
//! Block column b holds columns `b W .. (b + 1) W` with the rows from `b W` on, by columns; W = [`tuning::CACHED`] is wide enough for
//! products of matrices at full speed. A triangle of up to W columns is a square.

use super::tuning;

/// Entries of a triangle of this size.
pub(super) fn entries(size: usize) -> usize {
    // Columns of a block column.
    let whole = size / tuning::CACHED;
    block_start(size, whole) + (size - whole * tuning::CACHED).pow(2)
}

/// Where block column b begins.
pub(super) fn block_start(size: usize, b: usize) -> usize {
    b * tuning::CACHED * size - tuning::CACHED * tuning::CACHED * (b * b.saturating_sub(1) / 2)
}

/// Where column k begins, and the first row it has.
#[inline]
pub(super) fn column(size: usize, k: usize) -> (usize, usize) {
    if size <= tuning::CACHED {
        return (k * size, 0);
    }
    let b = k / tuning::CACHED;
    let first = b * tuning::CACHED;
    (block_start(size, b) + (k - first) * (size - first), first)
}

/// Moves the triangle at the front of `area` to its end, column by column without what lies above the diagonal; its
/// entries there, size (size + 1) / 2.
pub(super) fn push<T: Copy>(area: &mut [T], size: usize) -> usize {
    let mut to = area.len();
    for k in (0..size).rev() {
        let (start, first) = column(size, k);
        let diagonal = start + k - first;
        to -= size - k;
        // Never to the left, and what is overwritten has been moved.
        area.copy_within(diagonal..diagonal + size - k, to);
    }
    area.len() - to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_lie_behind_each_other() {
        for size in [0, 1, 7, tuning::CACHED, tuning::CACHED + 1, 3 * tuning::CACHED + 5] {
            let mut next = 0;
            for k in 0..size {
                let (start, first) = column(size, k);
                assert_eq!(
                    (start, first),
                    (next, if size <= tuning::CACHED { 0 } else { k - k % tuning::CACHED })
                );
                next += size - first;
            }
            assert_eq!(next, entries(size));
        }
    }

    #[test]
    fn the_lower_triangle_moves_to_the_end() {
        for (size, room) in
            [(1, 0), (2, 0), (3, 2), (5, 11), (tuning::CACHED + 40, 0), (2 * tuning::CACHED + 3, 9)]
        {
            let mut area = vec![(0, 0); entries(size) + room];
            let lower: Vec<(usize, usize)> = (0..size).flat_map(|k| (k..size).map(move |i| (i, k))).collect();
            for &(i, k) in &lower {
                let (start, first) = column(size, k);
                area[start + i - first] = (i, k);
            }
            let kept = push(&mut area, size);
            assert_eq!(area[area.len() - kept..], lower);
        }
    }
}
