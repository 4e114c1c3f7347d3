//! The constraint rows of a large problem: unit length, independent ones, multipliers without effect.
//!
//! ```text
//! D Phi_q = rows of length one;   Y^T Phi_q = 0,  Y^T Y = I,  m x (m - r): multipliers without effect
//! ```
//!
//! A row with an unknown that no other remaining row touches is independent of those; taking such rows away one
//! after the other (they cannot be part of any dependence) leaves a core that is small or empty in mechanisms
//! without redundancy. The core falls into connected parts. Small parts are decided by dense QR with pivoting as in the
//! dense analysis. Large ones by the eigenvectors of D Phi_q Phi_q^T D to zero, found by Lanczos with a shift: there a
//! dependence closer than 1e-8 counts as exact, since squaring costs half the digits.
//! Redundant rows are left out of the factorization and named; multipliers are then made of minimum norm.

use faer::{Mat, MatRef};
use mb_algebra::saddle;
use mb_algebra::{
    Dense, RankQr, RankTolerance, Scatter, Sparse, SparseCholesky, Triplets, dense, norms, sparse,
};

use super::matrix::Matrix;
use crate::error::at;
use crate::krylov::{BuiltIn, KrylovDriver, Scalar, SymmetricOperator, Wanted};
use crate::{EigenError, Finding};

/// Share of a row's length an entry must have to make its row independent of the others.
const PEEL: f64 = 1e-2;
/// Parts of up to this many entries are decided densely.
const DENSE_PART: usize = 300_000;
/// |Y^T D Phi_q| at which a large part counts as dependent.
const DEPENDENT: f64 = 1e-8;
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
    /// Y for the rows as given.
    idle: Dense,
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
        let mut search =
            Search { unit: &unit, tolerance, redundant: Vec::new(), idle: Vec::new(), findings: Vec::new() };
        for part in search.parts() {
            search.decide(&part)?;
        }
        let Search { mut redundant, idle, mut findings, .. } = search;
        redundant.sort_unstable();
        let kept: Vec<usize> = (0..m).filter(|i| redundant.binary_search(i).is_err()).collect();
        let rank = kept.len();
        if rank < m {
            findings.push(Finding::RedundantConstraints { rows: redundant, rank, constraints: m });
        }
        if rank >= n && n > 0 {
            findings.push(Finding::NoFreedom);
        }
        let idle = orthonormal(m, &idle, &scale)?;
        let some = (rank < m).then(|| Matrix::owned(select(&unit, &kept), 0.0));
        let unit = Matrix::owned(unit, 0.0);
        let independent = some.unwrap_or_else(|| unit.clone());
        Ok(Self { m, rank, given, unit, independent, scale, kept, idle, findings })
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
            if self.rank < self.m {
                column.fill(T::default());
            }
            for (i, &row) in self.kept.iter().enumerate() {
                column[row] = l[(i, j)].times(self.scale[row]);
            }
            for y in crate::numeric::vectors::columns(&self.idle) {
                let share = y.iter().zip(column.iter()).fold(T::default(), |s, (y, l)| s + l.times(*y));
                column.iter_mut().zip(y).for_each(|(l, y)| *l -= share.times(*y));
            }
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
    redundant: Vec<usize>,
    /// Dependences of unit rows, not orthonormal.
    idle: Vec<Vec<(usize, f64)>>,
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
            self.decide_large(part, &rows)
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
        if kept < SUSPICIOUS || dropped > 1e3 * f64::EPSILON {
            self.findings.push(Finding::UncertainConstraintRank {
                rank: qr.rank(),
                smallest_kept: kept,
                largest_dropped: dropped,
            });
        }
        let (picked, dropped) = qr.pivots().split_at(qr.rank());
        let w = qr.dependence();
        for (d, &row) in dropped.iter().enumerate() {
            self.redundant.push(part[row]);
            let mut y = vec![(part[row], 1.0)];
            y.extend(picked.iter().enumerate().map(|(i, &row)| (part[row], -w[(d, i)])));
            self.idle.push(y);
        }
        Ok(())
    }

    fn decide_large(&mut self, part: &[usize], rows: &Sparse) -> Result<(), EigenError> {
        let size = part.len();
        let shift = 1e-9;
        let gram = sparse::mul(rows, &sparse::transpose(rows));
        let factor = SparseCholesky::new(&sparse::add(1.0, &gram, shift, &sparse::identity(size)))
            .map_err(at("Dependence of constraint rows"))?;
        let operator = Gram { factor, size };
        let mut count = 8;
        let null = loop {
            let wanted =
                Wanted { count, tolerance: 1e-10, block: 4, subspace: None, restarts: 100, salt: 0x9a };
            let ritz = BuiltIn.symmetric(&operator, None, &wanted)?;
            let image = Matrix::new(rows, 0.0).mul_transpose(&ritz.vectors);
            let lengths: Vec<f64> = crate::numeric::vectors::columns(&image).map(norms::two).collect();
            let null: Vec<usize> = (0..lengths.len()).filter(|&j| lengths[j] <= DEPENDENT).collect();
            if null.len() < lengths.len() || ritz.exhausted || count >= size {
                break crate::krylov::scalar::pick(&ritz.vectors, &null);
            }
            count *= 2;
        };
        if null.ncols() == 0 {
            return Ok(());
        }
        let qr = RankQr::new(&null, RankTolerance { relative: 0.0 })
            .map_err(at("Dependence of constraint rows"))?;
        self.redundant.extend(qr.pivots()[..null.ncols()].iter().map(|&i| part[i]));
        for y in crate::numeric::vectors::columns(&null) {
            self.idle.push(part.iter().copied().zip(y.iter().copied()).collect());
        }
        Ok(())
    }
}

/// (D Phi_q Phi_q^T D + shift)^-1 in the Euclidean inner product.
struct Gram {
    factor: SparseCholesky,
    size: usize,
}

impl SymmetricOperator for Gram {
    fn size(&self) -> usize {
        self.size
    }

    fn apply(&self, v: MatRef<'_, f64>, _gv: MatRef<'_, f64>) -> Result<Dense, EigenError> {
        Ok(self.factor.solve_mat(&v.to_owned()))
    }

    fn metric(&self, v: &Dense) -> Dense {
        v.clone()
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

/// Orthonormal basis of dependences of the rows as given, from those of unit rows.
fn orthonormal(m: usize, idle: &[Vec<(usize, f64)>], scale: &[f64]) -> Result<Dense, EigenError> {
    // Rows of zeros carry no multiplier: nothing is to be shared out.
    let idle: Vec<&Vec<(usize, f64)>> = idle.iter().filter(|entries| entries.len() > 1).collect();
    // The dependences, their scaled copy, its factors and the basis.
    let needed = 4 * 8 * idle.len() as u64 * m as u64;
    let available = saddle::memory_for(needed, None).unwrap_or(u64::MAX);
    if needed > available {
        return Err(EigenError::OutOfMemory {
            what: "Constraint rows that depend on others",
            needed,
            available,
        });
    }
    if idle.is_empty() {
        return Ok(Dense::zeros(m, 0));
    }
    let mut y = Dense::zeros(idle.len(), m);
    for (i, entries) in idle.iter().enumerate() {
        for &(j, v) in *entries {
            y[(i, j)] = v * scale[j];
        }
    }
    let largest: Vec<f64> = (0..idle.len()).map(|i| norms::two(&dense::row(&y, i))).collect();
    let y = Dense::from_fn(idle.len(), m, |i, j| y[(i, j)] / largest[i]);
    let qr = RankQr::new(&y, RankTolerance { relative: 0.0 }).map_err(at("Multipliers of minimum norm"))?;
    Ok(qr.row_space())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::to_sparse;

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
            let y = rows.idle.col_as_slice(0);
            assert!(y.iter().all(|v| (v.abs() * (n as f64).sqrt() - 1.0).abs() < 1e-6));
        }
    }
}
