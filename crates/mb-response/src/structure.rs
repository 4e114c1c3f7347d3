//! The irreducible blocks of a square matrix by its pattern alone, rows and columns in orders of their own.
//!
//! ```text
//! P Z Q = [Z_11 Z_12 ..; 0 Z_22 ..; ..],   det Z = +- det Z_11 det Z_22 ..
//! ```
//!
//! A maximum matching of rows with columns puts an entry on every place of the diagonal. With a row as the node of its column, the strongly
//! connected parts of the pattern are the blocks, and no other order of rows and columns has smaller ones (Dulmage and Mendelsohn; Duff,
//! Erisman and Reid, Direct Methods for Sparse Matrices, chapter 6).

use mb_algebra::graph::strong_parts;

/// Rows and columns of a block, each in increasing order.
pub(crate) type Block = [Vec<usize>; 2];

/// The blocks of an n x n matrix; none where no order has entries on the whole diagonal: then the determinant vanishes whatever the
/// entries are.
pub(crate) fn blocks(n: usize, entry: impl Fn(usize, usize) -> bool) -> Option<Vec<Block>> {
    let pattern: Vec<Vec<usize>> = (0..n).map(|i| (0..n).filter(|&j| entry(i, j)).collect()).collect();
    // The row of each column.
    let mut row_of: Vec<Option<usize>> = vec![None; n];
    for row in 0..n {
        if !matched(row, &pattern, &mut row_of, &mut vec![false; n]) {
            return None;
        }
    }
    let row_of: Vec<usize> = row_of.into_iter().flatten().collect();
    let next: Vec<Vec<usize>> = row_of.iter().map(|row| pattern[*row].clone()).collect();
    let with_rows = |columns: Vec<usize>| {
        let mut rows: Vec<usize> = columns.iter().map(|j| row_of[*j]).collect();
        rows.sort_unstable();
        [rows, columns]
    };
    Some(strong_parts(&next).into_iter().map(with_rows).collect())
}

/// Finds a column for a row, others giving way to their next (Kuhn's augmenting paths).
fn matched(row: usize, pattern: &[Vec<usize>], row_of: &mut [Option<usize>], seen: &mut [bool]) -> bool {
    // What is free comes first, the diagonal before all, so that blocks of symmetric matrices keep their order.
    let free = |j: &&usize| row_of[**j].is_none();
    let own = pattern[row].iter().find(|j| **j == row && free(j));
    if let Some(&j) = own.or_else(|| pattern[row].iter().find(free)) {
        row_of[j] = Some(row);
        return true;
    }
    for &j in &pattern[row] {
        if std::mem::replace(&mut seen[j], true) {
            continue;
        }
        let moves = row_of[j].is_none_or(|other| matched(other, pattern, row_of, seen));
        if moves {
            row_of[j] = Some(row);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain from its first unknown to its last one, bordered by the input (last column) and the output (last row): the places beside the
    /// diagonal are blocks of their own.
    #[test]
    fn a_chain_from_end_to_end_has_blocks_of_one() {
        let n = 30;
        let entry = |i: usize, j: usize| match (i < n, j < n) {
            (true, true) => i.abs_diff(j) <= 1,
            (true, false) => i == 0,
            (false, true) => j == n - 1,
            (false, false) => false,
        };
        let found = blocks(n + 1, entry).unwrap();
        assert_eq!(found.len(), n + 1);
        for k in 1..n {
            assert!(found.contains(&[vec![k], vec![k - 1]]), "{k}: {found:?}");
        }
        // Beside the input and the output the rest of the chain is one block.
        let inner = |i: usize, j: usize| match (i < n, j < n) {
            (true, true) => i.abs_diff(j) <= 1,
            (true, false) => i == 4,
            (false, true) => j == 6,
            (false, false) => false,
        };
        let mut sizes: Vec<usize> =
            blocks(n + 1, inner).unwrap().iter().map(|[rows, _]| rows.len()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, 1, 1, 4, n - 7]);
    }

    #[test]
    fn a_pattern_that_is_singular_whatever_its_entries_has_none() {
        // Two rows with one column between them.
        assert_eq!(blocks(3, |i, j| if i < 2 { j == 0 } else { true }), None);
        assert_eq!(blocks(0, |_, _| true), Some(Vec::new()));
    }
}
