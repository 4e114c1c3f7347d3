//! What reads multipliers of constraint rows, in terms of those of independent rows.
//!
//! ```text
//! U = T Phi_kept,   l the shortest multipliers with Phi_q^T l = U^T l_U:   g . l = h . l_U
//! ```
//!
//! Sizes: Phi_q m x n, U r x n, g and l m, h and l_U r.

use mb_algebra::{RankTolerance, Sparse, norms};

use super::Rows;
use crate::{EigenError, Finding};

/// The constraint rows of a system by independent ones of about length one.
#[derive(Clone, Debug)]
pub struct ConstraintRows(Rows);

/// What g . l is, of the shortest multipliers l.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// h.
    pub independent: Vec<f64>,
    /// Length of the part of g that reads how rows that depend on each other share a reaction, which nothing but the choice of the shortest
    /// multipliers determines, over the length of g.
    pub undetermined: f64,
}

impl ConstraintRows {
    /// Decides the rank of Phi_q.
    ///
    /// # Errors
    /// Entries that are not finite.
    pub fn new(phi_q: &Sparse) -> Result<Self, EigenError> {
        Rows::new(phi_q, RankTolerance::default()).map(Self)
    }

    /// U, r x n by rows: they span what the rows of Phi_q do.
    pub fn independent(&self) -> &Sparse {
        self.0.independent.sparse()
    }

    /// Redundant rows, and a rank that is uncertain with the numbers on both sides of the cut.
    pub fn findings(&self) -> &[Finding] {
        &self.0.findings
    }

    /// g . l.
    pub fn reading(&self, g: &[f64]) -> Reading {
        let rows = &self.0;
        if rows.rank == 0 {
            // Rows that are all zero have no reactions.
            return Reading { independent: Vec::new(), undetermined: 0.0 };
        }
        let Some(shares) = &rows.shares else {
            return Reading { independent: rows.basis.own_violations(g), undetermined: 0.0 };
        };
        let [mut own, determined] = shares.transposed(g);
        own.iter_mut().zip(&rows.kept).for_each(|(h, &row)| *h *= rows.length(row));
        let rest: Vec<f64> = g.iter().zip(&determined).map(|(g, part)| g - part).collect();
        let size = norms::two(g);
        let undetermined = if size > 0.0 { norms::two(&rest) / size } else { 0.0 };
        Reading { independent: rows.basis.own_violations(&own), undetermined }
    }
}

#[cfg(test)]
mod tests {
    use super::ConstraintRows;
    use mb_algebra::{Dense, dense, to_sparse};

    /// Row 2 is row 0 in another unit, but for rounding; row 3 nearly depends on rows 0 and 1.
    #[test]
    fn a_reading_is_that_of_the_shortest_multipliers() {
        for unit in [1e-3, 2.0, 1e3] {
            let off = 1e-13 * unit;
            let phi = dense::from_rows(&[
                &[1.0, 2.0, 0.0, 0.0],
                &[0.0, 3.0, 1.0, 0.0],
                &[unit, 2.0 * unit, off, 0.0],
                &[1.0, 5.0, 1.0, 1e-5],
            ]);
            let rows = ConstraintRows::new(&to_sparse(&phi)).unwrap();
            assert_eq!(rows.independent().rows(), 3);
            let own = [0.4, -1.3, 0.7];
            let column = Dense::from_fn(3, 1, |i, _| own[i]);
            let l = rows.0.multipliers(&column);
            for (g, undetermined) in [
                // The whole reaction of both rows is determined, the difference of their shares is not.
                ([1.0, 0.0, unit, 0.0], 0.0),
                ([unit, 0.0, -1.0, 0.0], 1.0),
                ([0.0, 1.0, 0.0, 0.0], 0.0),
                ([1.0, 0.0, 0.0, 0.0], unit / 1.0_f64.hypot(unit)),
            ] {
                let exact: f64 = g.iter().zip(l.col_as_slice(0)).map(|(g, l)| g * l).sum();
                let found = rows.reading(&g);
                let value: f64 = found.independent.iter().zip(own).map(|(h, l)| h * l).sum();
                let size: f64 = g.iter().zip(l.col_as_slice(0)).map(|(g, l)| (g * l).abs()).sum();
                assert!((value - exact).abs() <= 1e-9 * size, "{unit} {g:?}: {value} {exact}");
                assert!((found.undetermined - undetermined).abs() < 1e-9, "{unit} {g:?}: {found:?}");
            }
        }
    }
}
