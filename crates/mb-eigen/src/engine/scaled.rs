//! A scaled saddle point that is read row by row, so that no second copy of K, M or C is made.
//!
//! ```text
//! K~ = [D K D, D Phi^T R; R Phi D, 0],   M~ = [g^2 D M D, 0; 0, 0],   C~ = [g D C D, 0; 0, 0]
//! ```
//!
//! All of the diagonal is in the pattern. Sizes: n + r square.

use std::{fmt, io};

use mb_algebra::Sparse;

/// A square matrix that is read line by line, forwards.
pub trait Lines {
    /// Replaces `into` by the entries of line `i`, from 0, as (place in it, value), the places ascending. Lines are read in their order,
    /// and from the first again.
    ///
    /// # Errors
    /// Of the place where lines wait.
    fn line(&mut self, i: usize, into: &mut Vec<(usize, f64)>) -> io::Result<()>;
}

/// The outer vectors of the storage.
impl Lines for &Sparse {
    fn line(&mut self, i: usize, into: &mut Vec<(usize, f64)>) -> io::Result<()> {
        into.clear();
        if let Some(line) = self.outer_view(i) {
            into.extend(line.iter().map(|(j, v)| (j, *v)));
        }
        Ok(())
    }
}

/// One of the matrices of [`super::ForEngine::matrices`].
pub struct ScaledMatrix<'a> {
    /// n x n; its lines are the rows.
    pub(super) leading: Box<dyn Lines + 'a>,
    /// A power of g.
    pub(super) unit: f64,
    /// D.
    pub(super) d: &'a [f64],
    /// Rows of Phi, their diagonal R, and Phi by columns; none where the rest is zero.
    pub(super) coupling: Option<(&'a Sparse, &'a [f64], Sparse)>,
    /// n + r.
    pub(super) size: usize,
}

impl fmt::Debug for ScaledMatrix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScaledMatrix").field("size", &self.size).finish_non_exhaustive()
    }
}

impl ScaledMatrix<'_> {
    /// Number of rows and of columns, n + r.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Replaces `into` by the entries of row `i`, from 0, as (column, value), the columns ascending. Rows are read as [`Lines`] are.
    ///
    /// # Errors
    /// As [`Lines::line`].
    pub fn row(&mut self, i: usize, into: &mut Vec<(usize, f64)>) -> io::Result<()> {
        let n = self.d.len();
        if i >= n {
            into.clear();
            if let Some((phi, r, _)) = &self.coupling
                && let Some(row) = phi.outer_view(i - n)
            {
                into.extend(row.iter().map(|(j, v)| (j, r[i - n] * v * self.d[j])));
            }
            into.push((i, 0.0));
            return Ok(());
        }
        self.leading.line(i, into)?;
        for (j, v) in &mut *into {
            *v = self.unit * (self.d[i] * *v * self.d[*j]);
        }
        if let Err(at) = into.binary_search_by_key(&i, |(j, _)| *j) {
            into.insert(at, (i, 0.0));
        }
        if let Some((_, r, columns)) = &self.coupling
            && let Some(column) = columns.outer_view(i)
        {
            into.extend(column.iter().map(|(k, v)| (n + k, r[k] * v * self.d[i])));
        }
        Ok(())
    }
}
