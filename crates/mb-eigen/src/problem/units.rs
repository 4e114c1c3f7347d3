//! Matrices as written, in units in which the constraint rows show their rank.
//!
//! ```text
//! x = D z,   D M D, D C D, D K D with diagonals of one size,   Phi_q D
//! ```
//!
//! Rows of Phi_q that differ in a coordinate of a small unit alone follow from each other in the units given, for all that a tolerance can
//! say: [1e6, -1e6, 0] and [1e6, -1e6, 1e-6]. Where they are independent beyond doubt in units of one size, the problem is solved there. D
//! holds powers of two, so that no entry is rounded and the eigenvalues are those of the matrices given. Sizes: n x n, Phi_q m x n.

use mb_algebra::{Dense, QuadraticPencil, RankTolerance, RowRank, Sparse, c64};

use crate::error::at;
use crate::numeric::equilibrated;
use crate::{EigenError, Shape, Spectrum, tuning};

/// Ratio of units below which no tolerance hides a row.
const EVEN: f64 = 16384.0;

/// The diagonal of D.
pub(crate) struct Units(Vec<f64>);

impl Units {
    /// The units in which the diagonals of K, C and M are of one size; none where those given nearly are.
    ///
    /// ```text
    /// d_i^2 (|K_ii| + tau^(1/2) |C_ii| + tau |M_ii|) about one,   tau = geometric mean of K_ii / M_ii
    /// ```
    fn of_diagonals([m, c, k]: [&[f64]; 3]) -> Option<Self> {
        let ratios = k.iter().zip(m).map(|(k, m)| (k / m).abs().ln()).filter(|x| x.is_finite());
        let ratios: Vec<f64> = ratios.collect();
        let tau = (ratios.iter().sum::<f64>() / ratios.len().max(1) as f64).exp();
        let sizes = (0..k.len()).map(|i| k[i].abs() + tau.sqrt() * c[i].abs() + tau * m[i].abs());
        let unit = |size: f64| {
            if size > 0.0 && size.is_finite() { (-0.5 * size.log2()).round().exp2() } else { 1.0 }
        };
        let d: Vec<f64> = sizes.map(unit).collect();
        let (low, high) = d.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), d| (l.min(*d), h.max(*d)));
        (high > EVEN * low && high.is_finite()).then_some(Self(d))
    }

    /// The units in which a sparse problem has more independent constraint rows, beyond doubt, than in those given; none where there are
    /// no such units.
    pub(crate) fn of_sparse(
        pencil: &QuadraticPencil<Sparse>,
        tolerance: RankTolerance,
    ) -> Result<Option<Self>, EigenError> {
        let n = pencil.k.rows();
        let fits =
            [&pencil.m, &pencil.c, &pencil.k].iter().all(|a| a.shape() == (n, n)) && pencil.phi_q.cols() == n;
        // What does not fit or is not finite is refused by the search itself.
        if pencil.phi_q.rows() < 2 || !fits || pencil.phi_q.data().iter().any(|x| !x.is_finite()) {
            return Ok(None);
        }
        let diagonal =
            |a: &Sparse| -> Vec<f64> { (0..a.rows()).map(|i| a.get(i, i).copied().unwrap_or(0.0)).collect() };
        let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(diagonal);
        let Some(units) = Self::of_diagonals([&m, &c, &k]) else { return Ok(None) };
        let rank = |rows: &Sparse| {
            RowRank::new(&at_length_one(rows), tolerance).map_err(at("Rank of the constraint Jacobian"))
        };
        let (given, even) = (rank(&pencil.phi_q)?, rank(&units.of_columns(&pencil.phi_q))?);
        let more = even.dependences.len() < given.dependences.len();
        Ok((more && even.smallest_kept >= tuning::SQRT_EPS).then_some(units))
    }

    /// The same of a dense problem, whose rank in other units `rank` gives with the smallest pivot kept.
    pub(crate) fn of_dense(
        pencil: &QuadraticPencil,
        given: usize,
        rank: impl FnOnce(&Dense) -> Result<(usize, f64), EigenError>,
    ) -> Result<Option<Self>, EigenError> {
        if given == pencil.phi_q.nrows() {
            return Ok(None);
        }
        let diagonal = |a: &Dense| -> Vec<f64> { (0..a.nrows()).map(|i| a[(i, i)]).collect() };
        let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(diagonal);
        let Some(units) = Self::of_diagonals([&m, &c, &k]) else { return Ok(None) };
        let (even, smallest_kept) = rank(&equilibrated::with_columns(&pencil.phi_q, &units.0))?;
        Ok((even > given && smallest_kept >= tuning::SQRT_EPS).then_some(units))
    }

    /// A D.
    fn of_columns(&self, a: &Sparse) -> Sparse {
        let mut a = a.to_csr();
        for mut row in a.outer_iterator_mut() {
            row.iter_mut().for_each(|(j, v)| *v *= self.0[j]);
        }
        a
    }

    /// The problem in these units.
    pub(crate) fn sparse(&self, pencil: &QuadraticPencil<Sparse>) -> QuadraticPencil<Sparse> {
        let both = |a: &Sparse| {
            let mut a = self.of_columns(a);
            for (i, mut row) in a.outer_iterator_mut().enumerate() {
                row.iter_mut().for_each(|(_, v)| *v *= self.0[i]);
            }
            a
        };
        let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(both);
        QuadraticPencil { m, c, k, phi_q: self.of_columns(&pencil.phi_q) }
    }

    /// The same of a dense problem.
    pub(crate) fn dense(&self, pencil: &QuadraticPencil) -> QuadraticPencil {
        equilibrated::pencil(pencil, &[self.0.clone(), self.0.clone()])
    }

    /// Vectors in the units given, at length one, with their multipliers.
    pub(crate) fn give_back(&self, spectrum: &mut Spectrum) {
        for pair in &mut spectrum.eigenpairs {
            self.given(&mut pair.right, &mut pair.multipliers);
            self.given(&mut pair.left, &mut pair.left_multipliers);
        }
    }

    fn given(&self, x: &mut Shape, l: &mut Shape) {
        *x = match x.real() {
            Some(real) => Shape::of_real(real.iter().zip(&self.0).map(|(x, d)| x * d).collect()),
            None => x.iter().zip(&self.0).map(|(x, d)| x * d).collect(),
        };
        let length = x.iter().map(c64::norm_sqr).sum::<f64>().sqrt();
        if length > 0.0 && length.is_finite() {
            let by = c64::new(length.recip(), 0.0);
            x.scale(by);
            l.scale(by);
        }
    }
}

/// Rows at length one; rows of zeros stay.
fn at_length_one(rows: &Sparse) -> Sparse {
    let mut unit = rows.to_csr();
    for mut row in unit.outer_iterator_mut() {
        let length = mb_algebra::norms::two(row.data());
        if length > 0.0 {
            row.iter_mut().for_each(|(_, v)| *v /= length);
        }
    }
    unit
}

#[cfg(test)]
mod tests {
    use mb_algebra::{Dense, QuadraticPencil, to_sparse};

    use crate::options::SparseOptions;
    use crate::sparse::{self, Request};
    use crate::{DenseOptions, dense};

    /// Four masses between five springs, with x_1 = x_2 and x_3 = 0 written as x_1 - x_2 = 0 and x_1 - x_2 + x_3 = 0: 1 and the root of 2 rad/s
    /// in any units.
    #[test]
    fn rows_that_differ_in_a_small_unit_are_independent() {
        let k =
            [[2.0, -1.0, 0.0, 0.0], [-1.0, 2.0, -1.0, 0.0], [0.0, -1.0, 2.0, -1.0], [0.0, 0.0, -1.0, 2.0]];
        let phi_q = [[1.0, -1.0, 0.0, 0.0], [1.0, -1.0, 1.0, 0.0]];
        for unit in [1e2_f64, 1e5, 1e7, 1e10] {
            let u = [unit, unit, unit.recip(), 1.0];
            let even = |a: &dyn Fn(usize, usize) -> f64| Dense::from_fn(4, 4, |i, j| u[i] * a(i, j) * u[j]);
            let pencil = QuadraticPencil {
                m: even(&|i, j| f64::from(u8::from(i == j))),
                c: Dense::zeros(4, 4),
                k: even(&|i, j| k[i][j]),
                phi_q: Dense::from_fn(2, 4, |i, j| phi_q[i][j] * u[j]),
            };
            let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(to_sparse);
            let entries = QuadraticPencil { m, c, k, phi_q: to_sparse(&pencil.phi_q) };
            let both = [
                dense::solve(&pencil, &DenseOptions::default()).unwrap(),
                sparse::solve(&entries, &Request::All, &SparseOptions::default()).unwrap(),
            ];
            for found in both {
                assert_eq!(found.counts.rank, 2, "{unit:e}: {:?}", found.findings);
                let mut values: Vec<_> = found.motion().map(|pair| (pair.value().unwrap(), pair)).collect();
                values.sort_by(|a, b| a.0.im.total_cmp(&b.0.im));
                let exact = [-(2.0_f64.sqrt()), -1.0, 1.0, 2.0_f64.sqrt()];
                assert_eq!(values.len(), exact.len());
                for ((s, pair), exact) in values.into_iter().zip(exact) {
                    assert!(
                        (s.im - exact).hypot(s.re) <= pair.error_bound && pair.error_bound < 1e-12,
                        "{unit:e}: {s}"
                    );
                    // x_1 = x_2 in the units given too.
                    let x = pair.right.as_slice();
                    assert!((x[0] - x[1]).norm() <= 1e-12 * x[0].norm(), "{unit:e}: {x:?}");
                }
            }
        }
    }
}
