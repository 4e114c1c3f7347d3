//! Lists of indices, one list per row or column, in two flat arrays.

use sprs::CsMat;

/// Lists of 32-bit indices: list k is `index[start[k]..start[k + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Csr {
    start: Vec<usize>,
    index: Vec<u32>,
}

impl Csr {
    pub(super) fn with_capacity(lists: usize, entries: usize) -> Self {
        let mut start = Vec::with_capacity(lists + 1);
        start.push(0);
        Self { start, index: Vec::with_capacity(entries) }
    }

    /// The columns of a matrix stored by columns, or the rows of one stored by rows.
    pub(super) fn of<T>(a: &CsMat<T>) -> Self {
        let start = a.proper_indptr().into_owned();
        Self { start, index: a.indices().iter().map(|&i| i as u32).collect() }
    }

    #[cfg(test)]
    pub(super) fn from_rows(rows: &[Vec<u32>]) -> Self {
        let mut out = Self::with_capacity(rows.len(), 0);
        for row in rows {
            out.index.extend(row);
            out.end_row();
        }
        out
    }

    /// Lists from pairs (list, index), in the order given.
    pub(super) fn from_pairs(lists: usize, pairs: &[(u32, u32)]) -> Self {
        let mut start = vec![0_usize; lists + 1];
        for &(list, _) in pairs {
            start[list as usize + 1] += 1;
        }
        for list in 0..lists {
            start[list + 1] += start[list];
        }
        let mut next = start.clone();
        let mut index = vec![0; pairs.len()];
        for &(list, value) in pairs {
            index[next[list as usize]] = value;
            next[list as usize] += 1;
        }
        Self { start, index }
    }

    /// List g holds, in order, the positions k with `group[k] == g`.
    pub(super) fn grouped(lists: usize, group: &[u32]) -> Self {
        let mut start = vec![0_usize; lists + 1];
        for &g in group {
            start[g as usize + 1] += 1;
        }
        for list in 0..lists {
            start[list + 1] += start[list];
        }
        let mut next = start.clone();
        let mut index = vec![0; group.len()];
        for (k, &g) in group.iter().enumerate() {
            index[next[g as usize]] = k as u32;
            next[g as usize] += 1;
        }
        Self { start, index }
    }

    /// Columns from rows or rows from columns; `lists` is their number.
    pub(super) fn transposed(&self, lists: usize) -> Self {
        let mut start = vec![0_usize; lists + 1];
        for &i in &self.index {
            start[i as usize + 1] += 1;
        }
        for list in 0..lists {
            start[list + 1] += start[list];
        }
        let mut next = start.clone();
        let mut index = vec![0; self.index.len()];
        for list in 0..self.len() {
            for &i in self.row(list) {
                index[next[i as usize]] = list as u32;
                next[i as usize] += 1;
            }
        }
        Self { start, index }
    }

    /// The union with the transpose, for a square pattern.
    pub(super) fn symmetrized(&self) -> Self {
        let other = self.transposed(self.len());
        let mut out = Self::with_capacity(self.len(), self.index.len() + self.index.len() / 2);
        for j in 0..self.len() {
            let first = out.index.len();
            out.index.extend(self.row(j));
            out.index.extend(other.row(j));
            out.index[first..].sort_unstable();
            let mut kept = first;
            for k in first..out.index.len() {
                if kept == first || out.index[kept - 1] != out.index[k] {
                    out.index[kept] = out.index[k];
                    kept += 1;
                }
            }
            out.index.truncate(kept);
            out.end_row();
        }
        out
    }

    /// Number of lists.
    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Number of indices in all lists.
    pub(super) fn entries(&self) -> usize {
        self.index.len()
    }

    pub(super) fn row(&self, list: usize) -> &[u32] {
        &self.index[self.start[list]..self.start[list + 1]]
    }

    /// Where the lists start, and all indices.
    pub(super) fn parts(&self) -> (&[usize], &[u32]) {
        (&self.start, &self.index)
    }

    /// Adds an index to the list being built.
    pub(super) fn push(&mut self, index: u32) {
        self.index.push(index);
    }

    /// Closes the list being built.
    pub(super) fn end_row(&mut self) {
        self.start.push(self.index.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_gives_the_same_lists() {
        let a = Csr::from_rows(&[vec![0, 2], vec![], vec![1, 2]]);
        assert_eq!(a.transposed(3), Csr::from_rows(&[vec![0], vec![2], vec![0, 2]]));
        assert_eq!(a.transposed(3).transposed(3), a);
        assert_eq!(a.symmetrized(), Csr::from_rows(&[vec![0, 2], vec![2], vec![0, 1, 2]]));
    }

    #[test]
    fn groups_keep_the_order() {
        let g = Csr::grouped(2, &[1, 0, 1]);
        assert_eq!((g.row(0), g.row(1)), (&[1][..], &[0, 2][..]));
        assert_eq!(Csr::from_pairs(3, &[(2, 1), (0, 4), (2, 3)]).row(2), [1, 3]);
    }
}
