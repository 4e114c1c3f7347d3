//! Panels of L as substitutions read them: without the empty triangle above their pivots, and in one piece.
//!
//! A front is eliminated as one array of `rows` x `cols`. What is kept of it are block columns of [`tuning::BLOCK`] columns,
//! each from its own first row on: a fifth less memory than the whole array for solids, and a fifth fewer bytes to read
//! in every solution. A block column is its unit lower triangle, by columns, and then its rows below in tiles of [`TILE`] rows,
//! each tile by columns; the last tile has the rows that are left. Sums of a few rows stay in the processor's registers
//! while a tile is read from its first number to its last; by columns, 48 places in memory would be read side by side, which
//! takes four times as long.

use super::tuning;

/// Rows of a tile.
pub(super) const TILE: usize = 4;

/// One block column: columns `from..from + cols` of the panel with the rows from `from` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockColumn<'a, T> {
    pub(super) from: usize,
    pub(super) cols: usize,
    /// Rows of the block column; the first `cols` of them hold a unit lower triangle.
    pub(super) rows: usize,
    /// cols x cols by columns; what is above the diagonal has no meaning.
    pub(super) triangle: &'a [T],
    /// The rows below, tile by tile.
    pub(super) tiles: &'a [T],
}

impl<'a, T> BlockColumn<'a, T> {
    /// `entries`: the triangle and the tiles.
    pub(super) fn new(from: usize, rows: usize, cols: usize, entries: &'a [T]) -> Self {
        let (triangle, tiles) = entries.split_at(cols * cols);
        Self { from, cols, rows, triangle, tiles }
    }
}

/// Entries kept of a panel.
pub(super) fn packed_entries(rows: usize, cols: usize) -> usize {
    let whole = cols / tuning::BLOCK;
    offset(rows, whole) + (cols - whole * tuning::BLOCK) * (rows - whole * tuning::BLOCK)
}

/// Entries before block column `at`.
fn offset(rows: usize, at: usize) -> usize {
    at * tuning::BLOCK * rows - tuning::BLOCK * tuning::BLOCK * (at * at.saturating_sub(1) / 2)
}

/// Writes the entries to keep of a panel, `rows` x `cols`, to `to`, which has room for just so many, in their new order.
pub(super) fn pack<T: Copy>(panel: &[T], rows: usize, cols: usize, to: &mut [T]) {
    if cols == 1 {
        return to.copy_from_slice(&panel[..rows]);
    }
    for at in 0..cols.div_ceil(tuning::BLOCK) {
        let from = at * tuning::BLOCK;
        let (width, length, start) = (tuning::BLOCK.min(cols - from), rows - from, offset(rows, at));
        tile(&panel[from * rows + from..], rows, width, &mut to[start..start + width * length]);
    }
}

/// Brings a block column that is kept by columns, `stride` numbers from each to the next, into its order by tiles.
pub(super) fn tile<T: Copy>(columns: &[T], stride: usize, cols: usize, to: &mut [T]) {
    let rows = to.len() / cols;
    let (triangle, tiles) = to.split_at_mut(cols * cols);
    for (to, from) in triangle.chunks_exact_mut(cols).zip(columns.chunks(stride)) {
        to.copy_from_slice(&from[..cols]);
    }
    for (tile, first) in tiles.chunks_mut(TILE * cols).zip((cols..rows).step_by(TILE)) {
        if rows - first >= TILE {
            for (to, from) in tile.as_chunks_mut::<TILE>().0.iter_mut().zip(columns.chunks(stride)) {
                to.copy_from_slice(&from[first..first + TILE]);
            }
        } else {
            let left = rows - first;
            for (to, from) in tile.chunks_exact_mut(left).zip(columns.chunks(stride)) {
                to.copy_from_slice(&from[first..rows]);
            }
        }
    }
}

/// The block columns of a packed panel, first to last.
pub(super) fn block_columns<T>(
    panel: &[T],
    rows: usize,
    cols: usize,
) -> impl DoubleEndedIterator<Item = BlockColumn<'_, T>> {
    (0..cols.div_ceil(tuning::BLOCK)).map(move |at| {
        let from = at * tuning::BLOCK;
        let (width, length) = (tuning::BLOCK.min(cols - from), rows - from);
        let start = offset(rows, at);
        BlockColumn::new(from, length, width, &panel[start..start + width * length])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_panels_keep_the_rows_from_the_diagonal_blocks_on() {
        let sizes =
            [(5, 3), (7, 1), (48, 48), (51, 48), (200, 48), (130, 96), (260, 100), (145, 145), (9, 2)];
        for (rows, cols) in sizes {
            let whole: Vec<usize> = (0..rows * cols).collect();
            let kept = packed_entries(rows, cols);
            let mut panel = vec![usize::MAX; kept];
            pack(&whole, rows, cols, &mut panel);
            let mut seen = 0;
            for block in block_columns(&panel, rows, cols) {
                assert_eq!(block.rows, rows - block.from);
                for j in 0..block.cols {
                    let column = &whole[(block.from + j) * rows + block.from..(block.from + j + 1) * rows];
                    assert_eq!(block.triangle[j * block.cols..(j + 1) * block.cols], column[..block.cols]);
                    for (i, &entry) in column.iter().enumerate().skip(block.cols) {
                        let (tile, row) = ((i - block.cols) / TILE, (i - block.cols) % TILE);
                        let height = TILE.min(block.rows - block.cols - tile * TILE);
                        assert_eq!(block.tiles[tile * TILE * block.cols + j * height + row], entry);
                    }
                }
                seen += block.triangle.len() + block.tiles.len();
            }
            assert_eq!(seen, kept);
        }
    }
}
