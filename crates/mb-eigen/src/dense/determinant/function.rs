//! The determinant of a problem, its logarithmic derivative and its null vectors near a zero.
//!
//! ```text
//! S(s) = [s^2 M + s C + K, Phi^T; Phi, 0],   p(s) = det S(s) = p_N s^N + ..,   N <= 2 (n - r)
//! p' / p = tr(S^-1 S'),   S^-1 = x y^H / (y^H S' x (s - s_0)) + .. near a simple zero s_0
//! ```
//!
//! s is a pair of doubles, and the entries of D S D, with powers of two D that bring them to about one, are formed and eliminated in
//! double-double precision (factors.rs). Sizes: M, C, K n x n, Phi r independent rows.

use std::f64::consts::LN_2;

use mb_algebra::{Dense, QuadraticPencil, c64};

use super::factors::{Factors, Square};
use crate::dense::constraint_basis::ConstraintBasis;
use crate::numeric::double_double::complex::Complex;
use crate::numeric::double_double::number::UNIT;
use crate::numeric::equilibrated::{largest_of_rows, scales};
use crate::numeric::vectors::inner;
use crate::tuning;
use mb_algebra::norms;

/// M, C, K and the rows of Phi, each in a matrix of n + r rows.
pub(super) struct Function {
    n: usize,
    /// Of s^2, s and 1, the last with the constraints.
    parts: [Dense; 3],
    border: Dense,
}

/// The determinant at one point.
pub(super) struct Point {
    /// The least and the most that ln |p| may be.
    pub(super) least: f64,
    pub(super) most: f64,
    /// p' / p.
    pub(super) slope: c64,
    /// (D S D)^-1 by columns, and D.
    inverse: Vec<Vec<c64>>,
    d: Vec<f64>,
}

impl Function {
    pub(super) fn new(pencil: &QuadraticPencil, basis: &ConstraintBasis) -> Self {
        let rows = basis.independent_rows();
        let (n, all) = (pencil.m.nrows(), pencil.m.nrows() + rows.nrows());
        let padded =
            |a: &Dense| Dense::from_fn(all, all, |i, j| if i < n && j < n { a[(i, j)] } else { 0.0 });
        let border = Dense::from_fn(all, all, |i, j| match (i < n, j < n) {
            (true, false) => rows[(j - n, i)],
            (false, true) => rows[(i - n, j)],
            _ => 0.0,
        });
        Self { n, parts: [&pencil.m, &pencil.c, &pencil.k].map(padded), border }
    }

    /// p at s; none where S is singular to the precision of the arithmetic.
    pub(super) fn at(&self, s: c64) -> Option<Point> {
        let z = Complex::from(s);
        let (Factors { ln_determinant, above, below, inverse }, d) =
            self.factors([z * z, z, Complex::from(1.0)])?;
        let [m, c, _] = &self.parts;
        let mut slope = c64::new(0.0, 0.0);
        for j in 0..self.n {
            for i in 0..self.n {
                slope += inverse[i][j] * (s * (2.0 * m[(i, j)]) + c[(i, j)]) * (d[i] * d[j]);
            }
        }
        let usable = below.is_finite() && slope.is_finite() && ln_determinant.is_finite();
        let ln = ln_determinant - twice_ln(&d);
        usable.then_some(Point { least: ln - below, most: ln + above, slope, inverse, d })
    }

    /// Factors of D (a M + b C + c K + ..) D, and D.
    fn factors(&self, weights: [Complex; 3]) -> Option<(Factors, Vec<f64>)> {
        let size = weights.map(|w| w.rounded().norm());
        let all = self.border.nrows();
        let mut terms: Vec<(f64, &Dense)> = size.into_iter().zip(&self.parts).collect();
        terms.push((1.0, &self.border));
        let diagonal: Vec<f64> =
            (0..all).map(|i| terms.iter().map(|(by, a)| by * a[(i, i)].abs()).sum()).collect();
        let d = scales(&diagonal, |d| largest_of_rows(&terms, d));
        let magnitude = |i: usize, j: usize| {
            terms.iter().map(|(by, a)| by * a[(i, j)].abs()).sum::<f64>() * (d[i] * d[j])
        };
        // A square, a product and two sums of each entry.
        let error = Dense::from_fn(all, all, |i, j| 16.0 * UNIT * magnitude(i, j));
        let entry = |i: usize, j: usize| {
            let sum = weights.iter().zip(&self.parts).filter(|(_, a)| a[(i, j)] != 0.0);
            let sum = sum.fold(Complex::from(self.border[(i, j)]), |sum, (w, a)| sum + w.times(a[(i, j)]));
            sum.times(d[i] * d[j])
        };
        Factors::new(Square::from_fn(all, entry), &error).map(|factors| (factors, d))
    }

    /// Right and left null vectors near a zero, the one after `taken` others where several zeros lie together.
    pub(super) fn vectors(&self, at: &Point, taken: usize) -> [Vec<c64>; 2] {
        let rows: Vec<Vec<c64>> = (0..at.inverse.len())
            .map(|i| at.inverse.iter().map(|column| column[i].conj()).collect())
            .collect();
        [leading(&at.inverse, taken), leading(&rows, taken)]
            .map(|v| v.iter().zip(&at.d).take(self.n).map(|(v, d)| v * d).collect())
    }
}

/// 2 sum of ln d for powers of two.
fn twice_ln(d: &[f64]) -> f64 {
    2.0 * LN_2 * d.iter().map(|d| d.log2().round()).sum::<f64>()
}

/// The longest of some vectors, or what is left of the longest after `taken` such; the one before where nothing is.
fn leading(list: &[Vec<c64>], taken: usize) -> Vec<c64> {
    let mut list = list.to_vec();
    let longest = |list: &[Vec<c64>]| {
        let size = |i: &usize| norms::two_complex(&list[*i]);
        (0..list.len()).max_by(|i, j| size(i).total_cmp(&size(j))).map(|i| list[i].clone())
    };
    let mut best = longest(&list).unwrap_or_default();
    for _ in 0..taken {
        let square = inner(&best, &best).re;
        for v in &mut list {
            let by = inner(&best, v) / square;
            v.iter_mut().zip(&best).for_each(|(v, b)| *v -= b * by);
        }
        let next = longest(&list).unwrap_or_default();
        // A second direction of a multiple eigenvalue stands out as the first does; that of a chain, and all others, do not.
        if inner(&next, &next).re <= tuning::SQRT_EPS * square {
            break;
        }
        best = next;
    }
    best
}
