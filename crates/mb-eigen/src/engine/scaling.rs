//! Powers of two that bring the entries of a saddle point to one size.

use mb_algebra::Sparse;

use super::scaled::ScaledMatrix;
use crate::problem::Problem;
use crate::problem::matrix::Matrix;

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

    /// [D K D, D Phi^T R; R Phi D, 0].
    pub(crate) fn saddle<'a>(&'a self, problem: &'a Problem<'_>) -> ScaledMatrix<'a> {
        let phi = problem.rows.independent.sparse();
        let coupling = Some((phi, &self.r[..], phi.to_csc()));
        let leading = problem.k.sparse();
        ScaledMatrix { leading, unit: 1.0, d: &self.d, coupling, size: problem.n + problem.rows.rank }
    }

    /// [g^power D A D, 0; 0, 0].
    pub(crate) fn leading<'a>(
        &'a self,
        problem: &Problem<'_>,
        a: &'a Matrix<'_>,
        power: i32,
    ) -> ScaledMatrix<'a> {
        let size = problem.n + problem.rows.rank;
        let unit = self.gamma.powi(power);
        ScaledMatrix { leading: a.sparse(), unit, d: &self.d, coupling: None, size }
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
        assert_eq!((problem.rows.rank, k.size()), (1, 3));
        let at = |i: usize, j: usize| {
            let mut row = Vec::new();
            k.row(i, &mut row);
            assert!(row.is_sorted_by(|a, b| a.0 < b.0));
            row.iter().find(|entry| entry.0 == j).unwrap().1
        };
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
