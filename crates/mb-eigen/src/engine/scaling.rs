//! Powers of two that bring the entries of a saddle point to one size.

use mb_algebra::{Scatter, Sparse, Triplets};

use crate::problem::Problem;

/// The diagonals D and R and the unit of frequency g, all powers of two.
#[derive(Clone, Debug)]
pub(crate) struct Scaling {
    /// g, rad/s.
    pub(crate) gamma: f64,
    /// D, n.
    pub(crate) d: Vec<f64>,
    /// R, r.
    pub(crate) r: Vec<f64>,
}

/// The power of two nearest to 1 / x by its logarithm; one for zero.
fn reciprocal(x: f64) -> f64 {
    if x > 0.0 && x.is_finite() { (-x.log2()).round().clamp(-500.0, 500.0).exp2() } else { 1.0 }
}

impl Scaling {
    pub(crate) fn of(problem: &Problem<'_>) -> Self {
        let gamma = reciprocal(problem.frequency_squared().sqrt()).recip();
        let entry = |a: &Sparse, i: usize| a.get(i, i).copied().unwrap_or(0.0).abs();
        let size = |i: usize| {
            let k = entry(problem.k.sparse(), i);
            let (c, m) = (entry(problem.c.sparse(), i), entry(problem.m.sparse(), i));
            k.max(gamma * c).max(gamma * gamma * m)
        };
        let d: Vec<f64> = (0..problem.n).map(|i| reciprocal(size(i).sqrt())).collect();
        let row =
            |row: sprs::CsVecView<'_, f64>| row.iter().fold(0.0_f64, |s, (j, v)| s.max((v * d[j]).abs()));
        let rows = problem.rows.independent.sparse().to_csr();
        let r = rows.outer_iterator().map(|line| reciprocal(row(line))).collect();
        Self { gamma, d, r }
    }

    /// [D K D, D Phi^T R; R Phi D, 0] with all of the diagonal in the pattern.
    pub(crate) fn saddle(&self, problem: &Problem<'_>) -> Sparse {
        let (n, rank) = (problem.n, problem.rows.rank);
        let phi = problem.rows.independent.sparse();
        let k = problem.k.sparse();
        let mut out = Triplets::with_capacity(n + rank, n + rank, k.nnz() + 2 * phi.nnz() + n + rank);
        for (value, (i, j)) in k {
            out.add(i, j, self.d[i] * value * self.d[j]);
        }
        for (value, (i, j)) in phi {
            let value = self.r[i] * value * self.d[j];
            out.add(n + i, j, value);
            out.add(j, n + i, value);
        }
        (0..n + rank).for_each(|i| out.add(i, i, 0.0));
        out.to_sparse()
    }

    /// [g^power D A D, 0; 0, 0] with all of the diagonal in the pattern.
    pub(crate) fn leading(&self, problem: &Problem<'_>, a: &Sparse, power: i32) -> Sparse {
        let size = problem.n + problem.rows.rank;
        let unit = self.gamma.powi(power);
        let mut out = Triplets::with_capacity(size, size, a.nnz() + size);
        for (value, (i, j)) in a {
            out.add(i, j, unit * (self.d[i] * value * self.d[j]));
        }
        (0..size).for_each(|i| out.add(i, i, 0.0));
        out.to_sparse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::SparseOptions;
    use mb_algebra::{QuadraticPencil, dense, sparse, to_sparse};

    #[test]
    fn entries_are_scaled_without_rounding() {
        let pencil = QuadraticPencil {
            m: sparse::diagonal(&[1.0 / 3.0, 7e5]),
            c: sparse::zeros(2, 2),
            k: to_sparse(&dense::from_rows(&[&[1e9 / 3.0, -2.0], &[-2.0, 0.7]])),
            phi_q: to_sparse(&dense::from_rows(&[&[3.0, -1.0], &[6.0, -2.0]])),
        };
        let problem = Problem::new(&pencil, &SparseOptions::default()).unwrap();
        let scaling = Scaling::of(&problem);
        let k = scaling.saddle(&problem);
        assert_eq!((problem.rows.rank, k.rows()), (1, 3));
        let at = |i: usize, j: usize| *k.get(i, j).unwrap();
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            let back = at(i, j) / scaling.d[i] / scaling.d[j];
            assert_eq!(back.to_bits(), pencil.k.get(i, j).unwrap().to_bits());
        }
        assert!((0.5..=2.0).contains(&at(0, 0)) && at(2, 2) == 0.0);
        assert_eq!(at(2, 0).to_bits(), at(0, 2).to_bits());
        let powers = scaling.d.iter().chain(&scaling.r).chain([&scaling.gamma]);
        assert!(powers.into_iter().all(|x| x.log2().fract() == 0.0));
    }
}
