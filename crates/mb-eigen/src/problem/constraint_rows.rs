//! The constraint rows of a large problem: unit length, independent ones, multipliers of minimum norm.
//!
//! ```text
//! D Phi_q = rows of length one
//! ```
//!
//! A row with an unknown that no other remaining row touches is independent of those; taking such rows away one
//! after the other (they cannot be part of any dependence) leaves a core that is small or empty in mechanisms
//! without redundancy. The core falls into connected parts. Small parts are decided by dense QR with pivoting as in the
//! dense analysis, large ones by elimination (elimination.rs). Redundant rows are left out of the factorization and named; multipliers are
//! then made of minimum norm, with the combinations W of all rows in the independent ones:
//!
//! ```text
//! Phi_q = D^-1 W U,  U the independent rows at length one:   l = D^-1 W (W^T D^-2 W)^-1 l_U
//! ```

use faer::{Mat, MatRef};
use mb_algebra::{
    Dense, RankQr, RankTolerance, Scatter, Sparse, SparseCholesky, Triplets, c64, norms, sparse,
};

use super::elimination::{Dependence, Elimination};
use super::matrix::Matrix;
use crate::error::at;
use crate::krylov::Scalar;
use crate::{EigenError, Finding};

/// Share of a row's length an entry must have to make its row independent of the others.
const PEEL: f64 = 1e-2;
/// Parts of up to this many entries are decided densely.
const DENSE_PART: usize = 300_000;
/// Pivots between the tolerance and this deserve a word.
const SUSPICIOUS: f64 = 1e-7;

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
    /// The r independent rows at length one.
    pub(crate) independent: Matrix<'static>,
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
        let mut search = Search { unit: &unit, tolerance, dependences: Vec::new(), findings: Vec::new() };
        for part in search.parts() {
            search.decide(&part)?;
        }
        let Search { dependences, mut findings, .. } = search;
        let mut redundant: Vec<usize> = dependences.iter().map(|dependence| dependence.row).collect();
        redundant.sort_unstable();
        let kept: Vec<usize> = (0..m).filter(|i| redundant.binary_search(i).is_err()).collect();
        let rank = kept.len();
        if rank < m {
            findings.push(Finding::RedundantConstraints { rows: redundant, rank, constraints: m });
        }
        if rank >= n && n > 0 {
            findings.push(Finding::NoFreedom);
        }
        let shares = Shares::new(&kept, &dependences, &scale)?;
        let some = (rank < m).then(|| Matrix::owned(select(&unit, &kept), 0.0));
        let unit = Matrix::owned(unit, 0.0);
        let independent = some.unwrap_or_else(|| unit.clone());
        Ok(Self { m, rank, given, unit, independent, scale, kept, shares, findings })
    }

    /// Multipliers of the rows as given from those of the independent rows at length one; of minimum norm.
    pub(crate) fn multipliers<T: Scalar>(&self, l: &Mat<T>) -> Mat<T> {
        let mut out = Mat::<T>::zeros(self.m, l.ncols());
        self.multipliers_into(l.as_ref(), &mut out);
        out
    }

    /// The same into the first columns of an array with m rows that holds anything.
    pub(crate) fn multipliers_into<T: Scalar>(&self, l: MatRef<'_, T>, out: &mut Mat<T>) {
        for j in (0..l.ncols()).filter(|_| self.m > 0) {
            let column = out.col_as_slice_mut(j);
            let Some(shares) = &self.shares else {
                column.fill(T::default());
                for (i, &row) in self.kept.iter().enumerate() {
                    column[row] = l[(i, j)].times(self.scale[row]);
                }
                continue;
            };
            let own: Vec<T> = (0..l.nrows()).map(|i| l[(i, j)]).collect();
            column.copy_from_slice(&shares.of(&own));
        }
    }

    /// Indices of the independent rows.
    pub(crate) fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// The independent rows as given, r x n by rows.
    pub(crate) fn kept_as_given(&self) -> Matrix<'static> {
        Matrix::owned(select(self.given.sparse(), &self.kept), 0.0)
    }

    /// Length of a row as given.
    pub(crate) fn length(&self, row: usize) -> f64 {
        self.scale[row].recip()
    }

    /// Multipliers of the independent rows at length one from those of the rows as given.
    pub(crate) fn independent_multipliers(&self, l: &[f64]) -> Vec<f64> {
        self.kept.iter().map(|&row| l[row] / self.scale[row]).collect()
    }

    /// Multipliers as they would stand before rows of length one.
    pub(crate) fn to_unit<T: Scalar>(&self, l: &[T]) -> Vec<T> {
        l.iter().zip(&self.scale).map(|(l, scale)| l.times(scale.recip())).collect()
    }
}

/// The search for dependences.
struct Search<'a> {
    unit: &'a Sparse,
    tolerance: RankTolerance,
    /// In rows of length one.
    dependences: Vec<Dependence>,
    findings: Vec<Finding>,
}

impl Search<'_> {
    /// Connected parts of the core.
    fn parts(&self) -> Vec<Vec<usize>> {
        let (m, n) = self.unit.shape();
        let by_column = self.unit.to_csc();
        let mut touching: Vec<usize> =
            by_column.outer_iterator().map(|c| c.data().iter().filter(|v| **v != 0.0).count()).collect();
        let mut present = vec![true; m];
        let mut lonely: Vec<usize> = (0..n).filter(|&j| touching[j] == 1).collect();
        while let Some(column) = lonely.pop() {
            let Some(entries) = by_column.outer_view(column) else { continue };
            let Some((row, value)) = entries.iter().find(|(row, v)| present[*row] && **v != 0.0) else {
                continue;
            };
            if value.abs() < PEEL {
                continue;
            }
            present[row] = false;
            let Some(row) = self.unit.outer_view(row) else { continue };
            for (column, _) in row.iter().filter(|(_, v)| **v != 0.0) {
                touching[column] -= 1;
                if touching[column] == 1 {
                    lonely.push(column);
                }
            }
        }
        let mut parts = Vec::new();
        for first in 0..m {
            if !present[first] {
                continue;
            }
            present[first] = false;
            let mut part = vec![first];
            let mut next = 0;
            while next < part.len() {
                if let Some(row) = self.unit.outer_view(part[next]) {
                    for (column, _) in row.iter().filter(|(_, v)| **v != 0.0) {
                        let Some(entries) = by_column.outer_view(column) else { continue };
                        for (other, _) in entries.iter().filter(|(_, v)| **v != 0.0) {
                            if present[other] {
                                present[other] = false;
                                part.push(other);
                            }
                        }
                    }
                }
                next += 1;
            }
            part.sort_unstable();
            parts.push(part);
        }
        parts
    }

    fn decide(&mut self, part: &[usize]) -> Result<(), EigenError> {
        let rows = select(self.unit, part);
        let mut columns: Vec<usize> = rows.indices().to_vec();
        columns.sort_unstable();
        columns.dedup();
        if part.len() * columns.len() <= DENSE_PART {
            self.decide_dense(part, &rows, &columns)
        } else {
            self.decide_large(part, &rows);
            Ok(())
        }
    }

    fn decide_dense(&mut self, part: &[usize], rows: &Sparse, columns: &[usize]) -> Result<(), EigenError> {
        let mut a = Dense::zeros(part.len(), columns.len());
        for (i, row) in rows.outer_iterator().enumerate() {
            for (j, v) in row.iter() {
                a[(i, columns.binary_search(&j).unwrap_or(0))] = *v;
            }
        }
        // A row of length one beside the part makes the cut relative to one.
        let qr = RankQr::new(&a, self.tolerance).map_err(at("Rank of the constraint Jacobian"))?;
        let decision = qr.decision();
        let (kept, dropped) =
            (decision.smallest_kept.unwrap_or(1.0), decision.largest_dropped.unwrap_or(0.0));
        self.tell_uncertain(qr.rank(), kept, dropped);
        let (picked, dropped) = qr.pivots().split_at(qr.rank());
        let w = qr.dependence();
        for (d, &row) in dropped.iter().enumerate() {
            let combination = picked.iter().enumerate().map(|(i, &row)| (part[row], w[(d, i)]));
            self.dependences.push(Dependence { row: part[row], combination: combination.collect() });
        }
        Ok(())
    }

    fn decide_large(&mut self, part: &[usize], rows: &Sparse) {
        let found = Elimination::new(rows, self.tolerance.relative);
        let rank = part.len() - found.dependences.len();
        self.tell_uncertain(rank, found.smallest_kept, found.largest_dropped);
        self.dependences.extend(found.dependences.into_iter().map(|dependence| Dependence {
            row: part[dependence.row],
            combination: dependence.combination.into_iter().map(|(row, by)| (part[row], by)).collect(),
        }));
    }

    fn tell_uncertain(&mut self, rank: usize, smallest_kept: f64, largest_dropped: f64) {
        if smallest_kept < SUSPICIOUS || largest_dropped > 1e3 * f64::EPSILON {
            self.findings.push(Finding::UncertainConstraintRank { rank, smallest_kept, largest_dropped });
        }
    }
}

/// D^-1 W with the factors of W^T D^-2 W.
#[derive(Clone, Debug)]
struct Shares {
    /// m x r by rows.
    w: Sparse,
    gram: SparseCholesky,
}

impl Shares {
    /// `scale`: D, one over the lengths of the rows; none where no row depends on others.
    fn new(kept: &[usize], dependences: &[Dependence], scale: &[f64]) -> Result<Option<Self>, EigenError> {
        if dependences.is_empty() || kept.is_empty() {
            return Ok(None);
        }
        let mut w = Triplets::new(scale.len(), kept.len());
        let mut add = |row: usize, of: usize, by: f64| {
            if let Ok(j) = kept.binary_search(&of) {
                w.add(row, j, by / scale[row]);
            }
        };
        for &row in kept {
            add(row, row, 1.0);
        }
        for Dependence { row, combination } in dependences {
            for &(of, by) in combination {
                add(*row, of, by);
            }
        }
        let w = w.to_sparse().to_csr();
        let gram = sparse::mul(&sparse::transpose(&w).to_csr(), &w);
        let gram = SparseCholesky::new(&gram).map_err(at("Multipliers of minimum norm"))?;
        Ok(Some(Self { w, gram }))
    }

    /// l of all rows as given, from those of the independent rows at length one.
    fn of<T: Scalar>(&self, l: &[T]) -> Vec<T> {
        let real = |part: &dyn Fn(c64) -> f64| -> Vec<f64> {
            let solved = self.gram.solve(&l.iter().map(|l| part(l.complex())).collect::<Vec<f64>>());
            sparse::matvec(&self.w, &solved)
        };
        let re = real(&|l| l.re);
        if T::REAL {
            return re.into_iter().map(T::real).collect();
        }
        let im = real(&|l| l.im);
        re.into_iter().zip(im).map(|(re, im)| T::from_complex(c64::new(re, im))).collect()
    }
}

/// Some rows of a matrix stored by rows.
pub(crate) fn select(a: &Sparse, rows: &[usize]) -> Sparse {
    let mut out = Triplets::new(rows.len(), a.cols());
    for (i, &row) in rows.iter().enumerate() {
        if let Some(row) = a.outer_view(row) {
            row.iter().for_each(|(j, v)| out.add(i, j, *v));
        }
    }
    out.to_sparse().to_csr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{dense, to_sparse};

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
