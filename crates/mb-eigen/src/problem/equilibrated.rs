//! A descriptor pair with rows and columns of one size, and its large entries on the diagonal.
//!
//! ```text
//! P D_r E D_c,  P D_r A D_c;   y = D_c y~,  w = D_r P^T w~;   largest of g |E| and |A| near one in every row and column
//! ```
//!
//! States in metres, newtons and volts stand side by side, and decisions on ranks and zeros compare entries. D_r and D_c are
//! powers of two, so that no entry is rounded and the eigenvalues are those of the pair given, to the last bit; for
//! matrices of symmetric magnitudes D_r = D_c. g is the unit of frequency in which E and A are equally large in the
//! geometric mean. Rows of pairs that are not symmetric are put where the product of the diagonal is largest
//! ([`crate::numeric::matching`]): factors take their pivots near there. Ruiz, RAL-TR-2001-034 (simultaneous scaling by square roots of the largest entries). Sizes: N x N.

use mb_algebra::{DescriptorPencil, Sparse, c64, sparse};

use crate::numeric::matching;
use crate::tuning;

/// The scaled pair with the diagonals of D_r and D_c, the former in the order given.
pub(crate) struct Equilibrated {
    pub(crate) pencil: DescriptorPencil<Sparse>,
    rows: Vec<f64>,
    columns: Vec<f64>,
    /// Which row of the pair given each row is.
    order: Vec<usize>,
}

impl Equilibrated {
    pub(crate) fn new(pencil: &DescriptorPencil<Sparse>) -> Self {
        let size = pencil.e.rows();
        let (mut rows, mut columns) = (vec![0.0_f64; size], vec![0.0_f64; size]);
        let entries = |x: &Sparse| -> Vec<(usize, usize, f64)> {
            x.iter().filter(|(v, _)| **v != 0.0).map(|(v, (i, j))| (i, j, v.abs().log2())).collect()
        };
        let (e, a) = (entries(&pencil.e), entries(&pencil.a));
        // Sweeps: the logarithm of what is left halves in each, but for what the unit of frequency moves.
        for _ in 0..tuning::SWEEPS {
            let after = |list: &[(usize, usize, f64)]| -> Vec<(usize, usize, f64)> {
                list.iter().map(|&(i, j, v)| (i, j, v + rows[i] + columns[j])).collect()
            };
            let (e, a) = (after(&e), after(&a));
            let unit = unit(e.iter().map(|(.., v)| *v), a.iter().map(|(.., v)| *v));
            let (mut row, mut column) = (vec![f64::NEG_INFINITY; size], vec![f64::NEG_INFINITY; size]);
            for (i, j, v) in e.into_iter().map(|(i, j, v)| (i, j, v + unit)).chain(a) {
                (row[i], column[j]) = (row[i].max(v), column[j].max(v));
            }
            let half = |largest: f64| if largest.is_finite() { (largest / 2.0).round() } else { 0.0 };
            rows.iter_mut().zip(row).for_each(|(d, largest)| *d -= half(largest));
            columns.iter_mut().zip(column).for_each(|(d, largest)| *d -= half(largest));
        }
        let power = |d: Vec<f64>| d.into_iter().map(f64::exp2).collect::<Vec<f64>>();
        let (rows, columns) = (power(rows), power(columns));
        let scaled = |x: &Sparse| {
            let mut x = x.to_csr();
            for (i, mut row) in x.outer_iterator_mut().enumerate() {
                row.iter_mut().for_each(|(j, v)| *v *= rows[i] * columns[j]);
            }
            x
        };
        let pencil = DescriptorPencil { e: scaled(&pencil.e), a: scaled(&pencil.a) };
        let symmetric = [&pencil.e, &pencil.a].into_iter().all(sparse::is_symmetric_to_rounding);
        let order = if symmetric { None } else { large_diagonal(&pencil) };
        let Some(order) = order else { return Self { pencil, rows, columns, order: (0..size).collect() } };
        let placed = |x: &Sparse| sparse::select_rows(x, &order);
        let pencil = DescriptorPencil { e: placed(&pencil.e), a: placed(&pencil.a) };
        Self { pencil, rows, columns, order }
    }

    /// y of y~.
    pub(crate) fn right(&self, y: &[c64]) -> Vec<c64> {
        y.iter().zip(&self.columns).map(|(y, by)| y * by).collect()
    }

    /// w of w~.
    pub(crate) fn left(&self, w: &[c64]) -> Vec<c64> {
        let mut out = vec![c64::default(); w.len()];
        w.iter().zip(&self.order).for_each(|(w, i)| out[*i] = w * self.rows[*i]);
        out
    }
}

/// log2 g of the logarithms of the entries of E and A: by the largest entries alone, one that is out of place would be as good as a unit of
/// time.
fn unit(e: impl Iterator<Item = f64>, a: impl Iterator<Item = f64>) -> f64 {
    let (e, a): (Vec<f64>, Vec<f64>) = (e.collect(), a.collect());
    if e.is_empty() || a.is_empty() {
        return 0.0;
    }
    let mean = |list: Vec<f64>| list.iter().sum::<f64>() / list.len() as f64;
    mean(a) - mean(e)
}

/// The rows in the order of the diagonal with the largest product of max(g |E|, |A|); none where every one has a zero.
fn large_diagonal(pencil: &DescriptorPencil<Sparse>) -> Option<Vec<usize>> {
    let size = pencil.e.rows();
    let logs =
        |x: &Sparse| x.iter().filter(|(v, _)| **v != 0.0).map(|(v, _)| v.abs().log2()).collect::<Vec<f64>>();
    let g = unit(logs(&pencil.e).into_iter(), logs(&pencil.a).into_iter()).exp2();
    let mut rows = vec![Vec::new(); size];
    for (x, by) in [(&pencil.e, g), (&pencil.a, 1.0)] {
        x.iter().for_each(|(v, (i, j))| rows[i].push((j, by * v)));
    }
    let columns = matching::largest_product(&rows)?;
    let mut order = vec![0; size];
    columns.into_iter().enumerate().for_each(|(i, j)| order[j] = i);
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{Dense, to_dense, to_sparse};

    #[test]
    fn entries_come_to_one_size_by_powers_of_two() {
        let unit = |i: usize| 10.0_f64.powf(3.0 * i as f64 - 4.0);
        let entry =
            |i: usize, j: usize| if (i + 2 * j) % 3 == 1 { 0.0 } else { (1.0 + (i * j) as f64) * unit(i) };
        let pencil = DescriptorPencil {
            e: to_sparse(&Dense::from_fn(4, 4, |i, j| 1e5 * entry(i, j))),
            a: to_sparse(&Dense::from_fn(4, 4, |i, j| entry(i, j + 1))),
        };
        let scaled = Equilibrated::new(&pencil);
        let (given, found) = (to_dense(&pencil.a), to_dense(&scaled.pencil.a));
        for i in 0..4 {
            let largest = (0..4).map(|j| found[(i, j)]).fold(0.0, f64::max);
            assert!((0.05..=20.0).contains(&largest), "row {i}: {largest}");
            for j in 0..4 {
                let of = scaled.order[i];
                let by = scaled.rows[of] * scaled.columns[j];
                assert!((found[(i, j)] - given[(of, j)] * by).abs() == 0.0 && by.log2().fract() == 0.0);
            }
        }
    }

    #[test]
    fn frequencies_far_from_one_are_taken_as_a_unit() {
        // q' = v, 2 v' = -3e12 q in units that hide the frequency of the states.
        let (up, down) = (2.0_f64.powi(15), 2.0_f64.powi(-12));
        let pair = |e: [[f64; 2]; 2], a: [[f64; 2]; 2]| DescriptorPencil {
            e: to_sparse(&Dense::from_fn(2, 2, |i, j| e[i][j])),
            a: to_sparse(&Dense::from_fn(2, 2, |i, j| a[i][j])),
        };
        let pencil = pair([[up, 0.0], [0.0, 2.0 * down]], [[0.0, up], [-3e12 * down, 0.0]]);
        let Equilibrated { pencil, .. } = Equilibrated::new(&pencil);
        for entries in [&pencil.e, &pencil.a] {
            let sizes: Vec<f64> = entries.iter().map(|(v, _)| v.abs()).filter(|v| *v > 0.0).collect();
            let [one, other] = sizes[..] else { panic!("{sizes:?}") };
            assert!((1.0 / 64.0..=64.0).contains(&(one / other)), "{one:e} {other:e}");
        }
    }
}
