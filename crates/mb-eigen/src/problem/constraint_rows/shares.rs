//! How multipliers are shared among rows that depend on each other.
//!
//! ```text
//! Phi_q = D^-1 W U,  U independent rows at length one:   l = D^-1 W (W^T D^-2 W)^-1 l_U
//! ```
//!
//! is the shortest l that reacts as l_U. U are long rows (numeric/long_rows.rs), which need not be those that the factorization keeps:
//! with these U_0 = V U, l_U = V^T l_0. Sizes: D m x m, W m x r, U r x n, V r x r.

use mb_algebra::{Dense, RowDependence, Scatter, Sparse, SparseCholesky, Triplets, c64, sparse};

use crate::error::at;
use crate::krylov::Scalar;
use crate::numeric::long_rows::{LongRows, is_large};
use crate::{EigenError, tuning};

/// An entry of W: a row, the place of the one kept, and the number.
type Entry = (usize, usize, f64);

/// D^-1 W with the factors of W^T D^-2 W.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    /// m x r by rows.
    w: Sparse,
    gram: SparseCholesky,
    /// V^T; none where U are the rows that the factorization keeps.
    exchanged: Option<Sparse>,
}

impl Shares {
    /// `scale`: D, one over the lengths of the rows; none where no row depends on others.
    pub(super) fn new(
        kept: &[usize],
        dependences: &[RowDependence],
        scale: &[f64],
    ) -> Result<Option<Self>, EigenError> {
        if dependences.is_empty() || kept.is_empty() {
            return Ok(None);
        }
        let place = |of: &usize| kept.binary_search(of).ok();
        let entries = dependences.iter().flat_map(|RowDependence { row, combination }| {
            combination.iter().filter_map(move |(of, by)| Some((*row, place(of)?, *by)))
        });
        let entries: Vec<Entry> = entries.collect();
        let all = |kept: &[usize], entries: &[Entry]| {
            let own = kept.iter().enumerate().map(|(j, row)| (*row, j, 1.0));
            own.chain(entries.iter().copied()).collect::<Vec<_>>()
        };
        let long = long(kept, dependences, &entries, scale);
        let (unit, exchanged) = match long {
            None => (all(kept, &entries), None),
            Some((kept_now, entries)) => {
                let unit = all(&kept_now, &entries);
                let mut v = Triplets::new(kept.len(), kept.len());
                for (row, j, by) in &unit {
                    if let Some(i) = place(row) {
                        v.add(*j, i, *by);
                    }
                }
                (unit, Some(v.to_sparse().to_csr()))
            }
        };
        let mut w = Triplets::new(scale.len(), kept.len());
        for (row, j, by) in unit {
            w.add(row, j, by / scale[row]);
        }
        let w = w.to_sparse().to_csr();
        let gram = sparse::mul(&sparse::transpose(&w).to_csr(), &w);
        let gram = SparseCholesky::new(&gram).map_err(at("Multipliers of minimum norm"))?;
        Ok(Some(Self { w, gram, exchanged }))
    }

    /// l of all rows as given, from those of the independent rows at length one.
    pub(super) fn of<T: Scalar>(&self, l: &[T]) -> Vec<T> {
        let real = |part: &dyn Fn(c64) -> f64| -> Vec<f64> {
            let own: Vec<f64> = l.iter().map(|l| part(l.complex())).collect();
            let own = self.exchanged.as_ref().map_or_else(|| own.clone(), |v| sparse::matvec(v, &own));
            sparse::matvec(&self.w, &self.gram.solve(&own))
        };
        let re = real(&|l| l.re);
        if T::REAL {
            return re.into_iter().map(T::real).collect();
        }
        let im = real(&|l| l.im);
        re.into_iter().zip(im).map(|(re, im)| T::from_complex(c64::new(re, im))).collect()
    }

    /// Of numbers g by row the h with g . l = h . l_0 for all l made of l_0, and the part of g that is such an l itself: the rest of g
    /// reads what the rows leave open.
    pub(super) fn transposed(&self, g: &[f64]) -> [Vec<f64>; 2] {
        let transposed = |a: &Sparse, x: &[f64]| sparse::matvec(&sparse::transpose(a).to_csr(), x);
        let shared = self.gram.solve(&transposed(&self.w, g));
        let determined = sparse::matvec(&self.w, &shared);
        [self.exchanged.as_ref().map_or_else(|| shared.clone(), |v| transposed(v, &shared)), determined]
    }
}

/// Long rows in the places of those kept, and the entries of W for the others; none where those kept are long enough.
fn long(
    kept: &[usize],
    dependences: &[RowDependence],
    entries: &[Entry],
    scale: &[f64],
) -> Option<(Vec<usize>, Vec<Entry>)> {
    if !entries.iter().any(|(row, j, by)| is_large(*by, scale[*row], scale[kept[*j]])) {
        return None;
    }
    // Those that no other depends on stay.
    let mut columns: Vec<usize> = entries.iter().map(|(_, j, _)| *j).collect();
    columns.sort_unstable();
    columns.dedup();
    let rows: Vec<usize> = dependences.iter().map(|dependence| dependence.row).collect();
    // Entries up to which a dense array of them, and some exchanges, take no time.
    if rows.len() * columns.len() > tuning::SHARED_WORK {
        return None;
    }
    let mut unit = Dense::zeros(rows.len(), columns.len());
    for (row, j, by) in entries {
        if let (Some(i), Ok(j)) = (rows.iter().position(|other| other == row), columns.binary_search(j)) {
            unit[(i, j)] += by;
        }
    }
    let mut found = LongRows { kept: columns.iter().map(|j| kept[*j]).collect(), dropped: rows, unit };
    found.exchange(scale);
    let mut now = kept.to_vec();
    columns.iter().zip(&found.kept).for_each(|(j, row)| now[*j] = *row);
    let places = (0..columns.len()).flat_map(|j| (0..found.dropped.len()).map(move |i| (i, j)));
    let entry = |(i, j): (usize, usize)| (found.dropped[i], columns[j], found.unit[(i, j)]);
    Some((now, places.map(entry).filter(|(_, _, by)| *by != 0.0).collect()))
}

#[cfg(test)]
mod tests {
    use super::super::Rows;
    use mb_algebra::{Dense, RankTolerance, dense, to_sparse};

    #[test]
    fn rows_in_all_units_share_the_reaction_by_their_length() {
        // Row 1 is a sum of rows 0 and 2, row 4 one of rows 3 and 5, in units of their own; any choice of four independent ones.
        for [a, b] in [[1e10, 1.0], [1e-12, 1e9], [1.0, 1e16], [1e-15, 1e-15], [1e13, 1e-13]] {
            let phi = dense::from_rows(&[
                &[1.0, 0.0, 0.0, 0.0],
                &[a, a, 0.0, 0.0],
                &[0.0, b, 0.0, 0.0],
                &[0.0, 0.0, 1.0, 0.0],
                &[0.0, 0.0, a, b],
                &[0.0, 0.0, 0.0, 1.0],
            ]);
            let rows = Rows::new(&to_sparse(&phi), RankTolerance::default()).unwrap();
            assert_eq!(rows.rank, 4, "{a:e} {b:e}");
            let own = Dense::from_fn(4, 1, |i, _| [3.0, -5.0, 2.0, 7.0][i]);
            let force = dense::matvec_transpose(
                &mb_algebra::to_dense(rows.independent.sparse()),
                own.col_as_slice(0),
            );
            let l = rows.multipliers(&own);
            let l = l.col_as_slice(0);
            let rest = dense::matvec_transpose(&phi, l);
            assert!(
                rest.iter().zip(&force).all(|(r, f)| (r - f).abs() < 1e-9),
                "{a:e} {b:e}: {rest:?} {force:?}"
            );
            // Nothing shorter: orthogonal to what has no effect.
            let size = mb_algebra::norms::two(l);
            for idle in [[a, -1.0, a / b, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, a, -1.0, b]] {
                let form: f64 = idle.iter().zip(l).map(|(x, l)| x * l).sum();
                let length = mb_algebra::norms::two(&idle);
                assert!(form.abs() < 1e-9 * length * size, "{a:e} {b:e}: {form:e} {l:?}");
            }
        }
    }
}
