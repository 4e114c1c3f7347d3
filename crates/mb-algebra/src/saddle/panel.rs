//! Panels of L without the empty triangle above their pivots.
//!
//! A front is eliminated as one array of `rows` x `cols`. What is kept of it are block columns of [`BLOCK`] columns,
//! each from its own first row on: a fifth less memory than the whole array for solids, and a fifth fewer bytes to read
//! in every solution.

/// Columns of a block column; the last one of a panel may have fewer.
pub(super) const BLOCK: usize = 48;

/// One block column: columns `from..from + cols` of the panel with the rows from `from` on, by columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockColumn<'a, T> {
    pub(super) from: usize,
    pub(super) cols: usize,
    /// Rows of the block column; the first `cols` of them hold a unit lower triangle.
    pub(super) rows: usize,
    pub(super) entries: &'a [T],
}

/// Entries kept of a panel.
pub(super) fn packed_entries(rows: usize, cols: usize) -> usize {
    let whole = cols / BLOCK;
    offset(rows, whole) + (cols - whole * BLOCK) * (rows - whole * BLOCK)
}

/// Entries before block column `at`.
fn offset(rows: usize, at: usize) -> usize {
    at * BLOCK * rows - BLOCK * BLOCK * (at * at.saturating_sub(1) / 2)
}

/// Moves the entries to keep to the front of the array; returns how many they are.
pub(super) fn pack<T: Copy>(panel: &mut [T], rows: usize, cols: usize) -> usize {
    let mut to = cols.min(BLOCK) * rows;
    for k in BLOCK..cols {
        let from = k - k % BLOCK;
        panel.copy_within(k * rows + from..(k + 1) * rows, to);
        to += rows - from;
    }
    to
}

/// The block columns of a packed panel, first to last.
pub(super) fn block_columns<T>(
    panel: &[T],
    rows: usize,
    cols: usize,
) -> impl DoubleEndedIterator<Item = BlockColumn<'_, T>> {
    (0..cols.div_ceil(BLOCK)).map(move |at| {
        let from = at * BLOCK;
        let (width, length) = (BLOCK.min(cols - from), rows - from);
        let start = offset(rows, at);
        BlockColumn { from, cols: width, rows: length, entries: &panel[start..start + width * length] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_panels_keep_the_rows_from_the_diagonal_blocks_on() {
        for (rows, cols) in [(5, 3), (48, 48), (200, 48), (130, 96), (260, 100), (145, 145)] {
            let whole: Vec<usize> = (0..rows * cols).collect();
            let mut panel = whole.clone();
            let kept = pack(&mut panel, rows, cols);
            assert_eq!(kept, packed_entries(rows, cols));
            let mut seen = 0;
            for block in block_columns(&panel[..kept], rows, cols) {
                assert_eq!(block.rows, rows - block.from);
                for j in 0..block.cols {
                    let column = &block.entries[j * block.rows..(j + 1) * block.rows];
                    let start = (block.from + j) * rows;
                    assert_eq!(column, &whole[start + block.from..start + rows]);
                }
                seen += block.entries.len();
            }
            assert_eq!(seen, kept);
        }
    }
}
