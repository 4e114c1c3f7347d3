//! Powers of two that bring the entries of a saddle point to one size.

use mb_algebra::Sparse;

use super::outline::Outline;
use super::scaled::{Lines, ScaledMatrix};
use crate::transform::shift_invert::Form;

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
    /// Of an outline and the independent rows of Phi, r x n.
    pub(crate) fn of(outline: &Outline, independent: &Sparse) -> Self {
        let gamma = reciprocal(outline.frequency_squared().sqrt()).recip();
        let size = |i: usize| {
            let [m, c, k] = outline.diagonal(i).map(f64::abs);
            k.max(gamma * c).max(gamma * gamma * m)
        };
        let d: Vec<f64> = (0..outline.n()).map(|i| reciprocal(size(i).sqrt())).collect();
        let row =
            |row: sprs::CsVecView<'_, f64>| row.iter().fold(0.0_f64, |s, (j, v)| s.max((v * d[j]).abs()));
        let r = independent.to_csr().outer_iterator().map(|line| reciprocal(row(line))).collect();
        Self { gamma, d, r }
    }

    /// The matrices of a form by name, from the independent rows `phi` and the lines of M, C and K.
    pub(crate) fn matrices<'a>(
        &'a self,
        form: Form,
        phi: &'a Sparse,
        [m, c, k]: [Box<dyn Lines + 'a>; 3],
    ) -> Vec<(&'static str, ScaledMatrix<'a>)> {
        let size = self.d.len() + self.r.len();
        let coupling = Some((phi, &self.r[..], phi.to_csc()));
        let mut out = vec![("K", ScaledMatrix { leading: k, unit: 1.0, d: &self.d, coupling, size })];
        let mut leading = |name, leading, power| out.push((name, self.without_rows(leading, power)));
        match form {
            Form::Squared => leading("M", m, 2),
            Form::First => leading("M", c, 1),
            Form::Companion => {
                leading("C", c, 1);
                leading("M", m, 2);
            }
        }
        out
    }

    /// A matrix without constraint rows, by a power of g.
    pub(crate) fn without_rows<'a>(&'a self, leading: Box<dyn Lines + 'a>, power: i32) -> ScaledMatrix<'a> {
        let (unit, size) = (self.gamma.powi(power), self.d.len() + self.r.len());
        ScaledMatrix { leading, unit, d: &self.d, coupling: None, size }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{ForEngine, Prepared};
    use crate::options::SparseOptions;
    use crate::request::Request;
    use mb_algebra::{QuadraticPencil, dense, sparse, to_sparse};

    #[test]
    fn entries_are_scaled_without_rounding() {
        let pencil = QuadraticPencil {
            m: sparse::diagonal(&[1.0 / 3.0, 7e5]),
            c: sparse::zeros(2, 2),
            k: to_sparse(&dense::from_rows(&[&[1e9 / 3.0, -2.0], &[-2.0, 0.7]])),
            phi_q: to_sparse(&dense::from_rows(&[&[3.0, -1.0], &[6.0, -2.0]])),
        };
        let request = Request::Lowest { count: 1 };
        let prepared = Prepared::new(&pencil, None, &request, &SparseOptions::default()).unwrap();
        let scaling = &prepared.scaling;
        let (name, mut k) = prepared.matrices().unwrap().remove(0);
        assert_eq!((name, prepared.task.rank, k.size()), ("K", 1, 3));
        let mut at = |i: usize, j: usize| {
            let mut row = Vec::new();
            k.row(i, &mut row).unwrap();
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
