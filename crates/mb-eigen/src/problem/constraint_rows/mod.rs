//! The constraint rows of a large problem: unit length, independent ones, multipliers of minimum norm.
//!
//! ```text
//! D Phi_q = rows of length one
//! ```
//!
//! Redundant rows ([`RowRank`]) are left out of the factorization and named; multipliers are then made of minimum norm (module `shares`).
//! Independent rows that nearly depend on each other give way to others that span the same (module `row_basis`).

mod readings;
mod row_basis;
mod shares;

use faer::{Mat, MatRef};
use mb_algebra::{Dense, RankTolerance, RowDependence, RowRank, Sparse, norms, sparse};

use self::row_basis::RowBasis;
use self::shares::Shares;
use super::matrix::Matrix;
use crate::error::at;
use crate::krylov::Scalar;
use crate::numeric::dependence;
use crate::{EigenError, Finding, tuning};

pub use readings::{ConstraintRows, Reading};

/// The constraint Jacobian, prepared.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// Rows m as given.
    pub(crate) m: usize,
    /// r.
    pub(crate) rank: usize,
    /// The matrix as given.
    pub(crate) given: Matrix<'static>,
    /// All rows at length one.
    pub(crate) unit: Matrix<'static>,
    /// r rows of length one that span what the independent rows do.
    pub(crate) independent: Matrix<'static>,
    /// How they are made of these.
    basis: RowBasis,
    /// One over the row lengths.
    scale: Vec<f64>,
    /// Indices of the independent rows.
    kept: Vec<usize>,
    /// How multipliers are shared among rows that depend on each other; none where all are independent.
    shares: Option<Shares>,
    pub(crate) findings: Vec<Finding>,
}

impl Rows {
    /// Prepares an m x n Jacobian.
    pub(crate) fn new(phi_q: &Sparse, tolerance: RankTolerance) -> Result<Self, EigenError> {
        let (m, n) = phi_q.shape();
        let given = Matrix::owned(phi_q.to_csr(), 0.0);
        let scale: Vec<f64> = given
            .sparse()
            .outer_iterator()
            .map(|row| {
                let length = norms::two(row.data());
                if length > 0.0 { length.recip() } else { 1.0 }
            })
            .collect();
        let mut unit = given.sparse().clone();
        for (mut row, scale) in unit.outer_iterator_mut().zip(&scale) {
            row.iter_mut().for_each(|(_, v)| *v *= scale);
        }
        let found = RowRank::new(&unit, tolerance).map_err(at("Rank of the constraint Jacobian"))?;
        let mut findings = Vec::new();
        // Pivots between the tolerance and this deserve a word.
        let open = || found.dependences.iter().any(|of| departs(given.sparse(), &scale, of));
        if found.smallest_kept < tuning::SQRT_EPS || dependence::is_open(found.largest_dropped, open) {
            let RowRank { smallest_kept, largest_dropped, .. } = found;
            let rank = m - found.dependences.len();
            findings.push(Finding::UncertainConstraintRank { rank, smallest_kept, largest_dropped });
        }
        let redundant: Vec<usize> = found.dependences.iter().map(|dependence| dependence.row).collect();
        let kept: Vec<usize> = (0..m).filter(|i| redundant.binary_search(i).is_err()).collect();
        let rank = kept.len();
        if rank < m {
            findings.push(Finding::RedundantConstraints { rows: redundant, rank, constraints: m });
        }
        if rank >= n && n > 0 {
            findings.push(Finding::NoFreedom);
        }
        let shares = Shares::new(&kept, &found.dependences, &scale)?;
        let among = |row: &usize| kept.binary_search(row).ok();
        let nearly: Vec<RowDependence> = found
            .nearly
            .iter()
            .filter_map(|RowDependence { row, combination }| {
                let combination = combination.iter().filter_map(|(j, y)| Some((among(j)?, *y))).collect();
                Some(RowDependence { row: among(row)?, combination })
            })
            .collect();
        let scales = kept.iter().map(|&row| scale[row]).collect();
        let (basis, independent) =
            RowBasis::new(&sparse::select_rows(given.sparse(), &kept), scales, &nearly);
        let (unit, independent) = (Matrix::owned(unit, 0.0), Matrix::owned(independent, 0.0));
        Ok(Self { m, rank, given, unit, independent, basis, scale, kept, shares, findings })
    }

    /// Multipliers of the rows as given from those of [`Rows::independent`]; of minimum norm.
    pub(crate) fn multipliers<T: Scalar>(&self, l: &Mat<T>) -> Mat<T> {
        let mut out = Mat::<T>::zeros(self.m, l.ncols());
        self.multipliers_into(l.as_ref(), &mut out);
        out
    }

    /// The same into the first columns of an array with m rows that holds anything.
    pub(crate) fn multipliers_into<T: Scalar>(&self, l: MatRef<'_, T>, out: &mut Mat<T>) {
        for j in (0..l.ncols()).filter(|_| self.m > 0) {
            let own: Vec<T> = (0..l.nrows()).map(|i| l[(i, j)]).collect();
            let mut own = self.basis.given_multipliers(&own);
            let column = out.col_as_slice_mut(j);
            if self.rank == 0 {
                // Rows that are all zero have no reactions.
                column.fill(T::default());
                continue;
            }
            let Some(shares) = &self.shares else {
                column.copy_from_slice(&own);
                continue;
            };
            own.iter_mut().zip(&self.kept).for_each(|(l, &row)| *l = l.times(self.length(row)));
            column.copy_from_slice(&shares.of(&own));
        }
    }

    /// Indices of the independent rows.
    pub(crate) fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// The independent rows as given, r x n by rows.
    pub(crate) fn kept_as_given(&self) -> Matrix<'static> {
        Matrix::owned(sparse::select_rows(self.given.sparse(), &self.kept), 0.0)
    }

    /// Length of a row as given.
    pub(crate) fn length(&self, row: usize) -> f64 {
        self.scale[row].recip()
    }

    /// Multipliers of [`Rows::independent`] from those of the independent rows as given.
    pub(crate) fn independent_multipliers<T: Scalar>(&self, kept: &[T]) -> Vec<T> {
        self.basis.own_multipliers(kept)
    }

    /// What violates [`Rows::independent`] from what violates the rows as given, m x p.
    pub(crate) fn independent_violations(&self, e: &Dense) -> Dense {
        let mut out = Dense::zeros(self.rank, e.ncols());
        for j in 0..e.ncols() {
            let e = e.col_as_slice(j);
            let kept: Vec<f64> = self.kept.iter().map(|&row| e[row]).collect();
            out.col_as_slice_mut(j).copy_from_slice(&self.basis.own_violations(&kept));
        }
        out
    }

    /// Multipliers as they would stand before rows of length one.
    pub(crate) fn to_unit<T: Scalar>(&self, l: &[T]) -> Vec<T> {
        l.iter().zip(&self.scale).map(|(l, scale)| l.times(scale.recip())).collect()
    }
}

/// Whether a row that counts as redundant is none as written; `scale`: one over the lengths of the rows.
fn departs(given: &Sparse, scale: &[f64], RowDependence { row, combination }: &RowDependence) -> bool {
    let others = combination.iter().map(|(j, y)| (*j, -y));
    let all: Vec<(usize, f64)> = std::iter::once((*row, 1.0)).chain(others).collect();
    let rows = all.iter().map(|(i, by)| {
        let entries = given
            .outer_view(*i)
            .into_iter()
            .flat_map(|row| row.iter().map(|(j, v)| (j, *v)).collect::<Vec<_>>());
        (by * scale[*i], entries)
    });
    dependence::departs(given.cols(), rows, |place| scale[all[place].0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{Scatter, SparseCholesky, Triplets, dense, to_sparse};

    #[test]
    fn a_chain_of_joints_is_peeled_away() {
        // Row i ties unknowns i and i + 1.
        let n = 2000;
        let mut t = Triplets::new(n - 1, n);
        for i in 0..n - 1 {
            t.add(i, i, 3.0);
            t.add(i, i + 1, -3.0);
        }
        let rows = Rows::new(&t.to_sparse(), RankTolerance::default()).unwrap();
        assert_eq!((rows.rank, rows.findings.len()), (n - 1, 0));
    }

    #[test]
    fn redundant_rows_are_named_and_multipliers_shortest() {
        let phi = dense::from_rows(&[&[0.0, 1.0, 0.0], &[0.0, 2.0, 0.0], &[5.0, 0.0, 1.0]]);
        let rows = Rows::new(&to_sparse(&phi), RankTolerance::default()).unwrap();
        assert_eq!(rows.rank, 2);
        assert!(matches!(&rows.findings[0], Finding::RedundantConstraints { rows, .. } if rows.len() == 1));
        // Phi^T l = (0, 5, 0): shortest l = (1, 2, 0).
        let l = Dense::from_fn(2, 1, |i, _| if rows.kept[i] < 2 { 5.0 } else { 0.0 });
        let l = rows.multipliers(&l);
        assert!((l[(0, 0)] - 1.0).abs() < 1e-14 && (l[(1, 0)] - 2.0).abs() < 1e-14, "{l:?}");
    }

    #[test]
    fn every_node_clamped_four_times_over_has_the_rank_of_its_unknowns() {
        // Each unknown held, then differences of neighbours, then sums of three, then held again in another unit.
        let n = 363;
        let mut t = Triplets::new(4 * n, n);
        for i in 0..n {
            t.add(i, i, 1.0);
            for (k, by) in [(0, 1.0), (1, -1.0)] {
                t.add(n + i, (i + k) % n, by);
            }
            for k in 0..3 {
                t.add(2 * n + i, (i + 7 * k) % n, 0.5);
            }
            t.add(3 * n + i, i, 1e3);
        }
        let phi = t.to_sparse();
        let rows = Rows::new(&phi, RankTolerance::default()).unwrap();
        assert_eq!(rows.rank, n, "{:?}", rows.findings);
        // Multipliers of all rows exert the same forces as those of the independent ones, and no dependence has a share in them:
        // they are Phi z for some z.
        let own = Dense::from_fn(n, 1, |i, _| (1.0 + i as f64).sin());
        let l = rows.multipliers(&own);
        let forces =
            |a: &Sparse, l: &Dense| sparse::matvec(&sparse::transpose(a).to_csr(), l.col_as_slice(0));
        let (all, few) = (forces(&phi.to_csr(), &l), forces(rows.independent.sparse(), &own));
        assert!(all.iter().zip(&few).all(|(a, b)| (a - b).abs() < 1e-10));
        let gram = sparse::mul(&sparse::transpose(&phi).to_csr(), &phi.to_csr());
        let z = SparseCholesky::new(&gram).unwrap().solve(&all);
        let shortest = sparse::matvec(&phi.to_csr(), &z);
        assert!(shortest.iter().zip(l.col_as_slice(0)).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    /// (1, 1, 1) and (1 + d, 1 - d, 1).
    #[test]
    fn a_row_that_is_none_of_the_others_as_written_is_not_dropped_in_silence() {
        let uncertain = |d: f64| {
            let phi = dense::from_rows(&[&[1.0, 1.0, 1.0], &[1.0 + d, 1.0 - d, 1.0]]);
            let rows = Rows::new(&to_sparse(&phi), RankTolerance::default()).unwrap();
            assert_eq!(rows.rank, 1);
            rows.findings.iter().any(|finding| matches!(finding, Finding::UncertainConstraintRank { .. }))
        };
        assert!(uncertain(2.0_f64.powi(-45)) && uncertain(2.0_f64.powi(-38)));
        assert!(!uncertain(f64::EPSILON) && !uncertain(0.0));
    }

    #[test]
    fn a_large_loop_has_one_dependence() {
        // Ties around a ring: each unknown in two rows, so nothing peels; the rows sum to zero.
        for n in [50, 900] {
            let mut t = Triplets::new(n, n);
            for i in 0..n {
                t.add(i, i, 1.0);
                t.add(i, (i + 1) % n, -1.0);
            }
            let rows = Rows::new(&t.to_sparse(), RankTolerance::default()).unwrap();
            assert_eq!(rows.rank, n - 1, "n = {n}: {:?}", rows.findings);
            // Multipliers of minimum norm have no share of the dependence (1, .., 1).
            let l = rows.multipliers(&Dense::from_fn(n - 1, 1, |i, _| (i as f64).cos()));
            assert!(l.col_as_slice(0).iter().sum::<f64>().abs() < 1e-10);
        }
    }
}
