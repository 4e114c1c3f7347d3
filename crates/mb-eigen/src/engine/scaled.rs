//! A scaled saddle point that is read row by row, so that no second copy of K, M or C is made.
//!
//! ```text
//! K~ = [D K D, D Phi^T R; R Phi D, 0],   M~ = [g^2 D M D, 0; 0, 0],   C~ = [g D C D, 0; 0, 0]
//! ```
//!
//! All of the diagonal is in the pattern. Sizes: n + r square.

use mb_algebra::Sparse;

/// One of the matrices of [`super::Prepared::matrices`].
#[derive(Debug)]
pub struct ScaledMatrix<'a> {
    /// n x n; its outer vectors are the rows.
    pub(super) leading: &'a Sparse,
    /// A power of g.
    pub(super) unit: f64,
    /// D.
    pub(super) d: &'a [f64],
    /// Rows of Phi, their diagonal R, and Phi by columns; none where the rest is zero.
    pub(super) coupling: Option<(&'a Sparse, &'a [f64], Sparse)>,
    /// n + r.
    pub(super) size: usize,
}

impl ScaledMatrix<'_> {
    /// Number of rows and of columns, n + r.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Replaces `into` by the entries of row `i`, from 0, as (column, value), the columns ascending.
    pub fn row(&self, i: usize, into: &mut Vec<(usize, f64)>) {
        into.clear();
        let n = self.d.len();
        if i >= n {
            if let Some((phi, r, _)) = &self.coupling
                && let Some(row) = phi.outer_view(i - n)
            {
                into.extend(row.iter().map(|(j, v)| (j, r[i - n] * v * self.d[j])));
            }
            into.push((i, 0.0));
            return;
        }
        if let Some(row) = self.leading.outer_view(i) {
            into.extend(row.iter().map(|(j, v)| (j, self.unit * (self.d[i] * v * self.d[j]))));
        }
        if let Err(at) = into.binary_search_by_key(&i, |(j, _)| *j) {
            into.insert(at, (i, 0.0));
        }
        if let Some((_, r, columns)) = &self.coupling
            && let Some(column) = columns.outer_view(i)
        {
            into.extend(column.iter().map(|(k, v)| (n + k, r[k] * v * self.d[i])));
        }
    }
}
