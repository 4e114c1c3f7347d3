//! Blocks of right-hand sides in columns, brought to rows and back a few at a time.

use faer::{ColRef, Mat, MatMut, MatRef};

use super::fallback::Fallback;
use super::methods::Factored;
use super::tuning;

use super::block_passes::{by_rows, into_columns};
use mb_algebra::AlgebraError;

/// F, and G where it is not zero.
pub(super) type Right<'a, T> = (MatRef<'a, T>, Option<MatRef<'a, T>>);

impl<T: Fallback> Factored<T> {
    /// Right-hand sides in the columns of F and G, which is zero where absent; A^T in place of A when `transposed`.
    pub(super) fn solve_many(
        &self,
        f: &Mat<T>,
        g: Option<&Mat<T>>,
        transposed: bool,
    ) -> Result<(Mat<T>, Mat<T>), AlgebraError> {
        let mut x = Mat::zeros(self.system.unknowns(), f.ncols());
        let mut l = Mat::zeros(self.system.constraints(), f.ncols());
        let right = (f.as_ref(), g.map(Mat::as_ref));
        self.solve_many_into(right, transposed, x.as_mut(), Some(l.as_mut()))?;
        Ok((x, l))
    }

    /// The same into X, of the shape of F, and where asked for L, m x p.
    pub(super) fn solve_many_into(
        &self,
        (f, g): Right<'_, T>,
        transposed: bool,
        mut x: MatMut<'_, T>,
        mut l: Option<MatMut<'_, T>>,
    ) -> Result<(), AlgebraError> {
        let (n, m, p) = (self.system.unknowns(), self.system.constraints(), f.ncols());
        assert_eq!(f.nrows(), n, "saddle-point solve: right-hand side of wrong length");
        assert_eq!(x.shape(), (n, p), "saddle-point solve: solution of wrong shape");
        let g = g.filter(|_| m > 0);
        assert!(g.is_none_or(|g| g.shape() == (m, p)), "saddle-point solve: right-hand side of wrong shape");
        for first in (0..p).step_by(tuning::WIDTH) {
            let width = tuning::WIDTH.min(p - first);
            let l = l.as_mut().filter(|_| m > 0).map(|l| {
                assert_eq!(l.shape(), (m, p), "saddle-point solve: multipliers of wrong shape");
                l.as_mut().subcols_mut(first, width)
            });
            let right = (f.subcols(first, width), g.map(|g| g.subcols(first, width)));
            self.solve_few(right, first, transposed, x.as_mut().subcols_mut(first, width), l)?;
        }
        Ok(())
    }

    /// At most [`tuning::WIDTH`] right-hand sides; columns are counted from `first` where one is named.
    pub(super) fn solve_few(
        &self,
        (f, g): Right<'_, T>,
        first: usize,
        transposed: bool,
        x: MatMut<'_, T>,
        l: Option<MatMut<'_, T>>,
    ) -> Result<(), AlgebraError> {
        let (pool, width) = (&self.system.pool, f.ncols());
        let by_rows = |f: MatRef<'_, T>| {
            let mut rows = pool.any(f.nrows() * width);
            let columns = f.col_iter().filter_map(ColRef::try_as_col_major);
            let columns: Vec<&[T]> = columns.map(ColRef::as_slice).collect();
            assert_eq!(columns.len(), width, "saddle-point solve: columns in one piece each");
            by_rows(&columns, first, &mut rows).map(|()| rows)
        };
        let rows = by_rows(f)?;
        let lower = g.map_or_else(|| Ok(Vec::new()), by_rows)?;
        let found = self.solve(&rows, &lower, width, transposed)?;
        pool.give(rows);
        pool.give(lower);
        into_columns(&found.x, x);
        if let Some(l) = l {
            into_columns(&found.l, l);
        }
        pool.give(found.x);
        pool.give(found.l);
        Ok(())
    }
}
