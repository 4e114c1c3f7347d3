//! The shortest multipliers that balance forces: Phi_q^T lambda = c for many c of the same rows.
//!
//! ```text
//! lambda <- lambda + solve(c - Phi_q^T lambda)
//! ```
//!
//! The rows are factored once: by QR with pivoting where they are independent beyond doubt, by singular values where they are not, and
//! where they are many as part of a saddle-point system. Sizes: Phi_q m x n, c n numbers.

use mb_algebra::compensated::add_product;
use mb_algebra::{AlgebraError, Dense, RankQr, RankTolerance, Scatter, Sparse, Svd, Triplets, norms, sparse};

use crate::saddle::{DENSE_UP_TO, Saddle};
use std::borrow::Cow;

/// Up to this many coordinates that the constraint rows touch, their shortest multipliers come from singular values whatever the number
/// of rows m: about 20 m times its square operations.
const FEW_COLUMNS: usize = 100;

/// Most corrections of multipliers.
const MOST_CORRECTIONS: usize = 4;

/// Share of the largest multiplier below which a corrected one is zero: rounding of rounding.
const NOTHING: f64 = f64::EPSILON * f64::EPSILON;

/// Pivots above this share of the largest are those of independent rows.
const INDEPENDENT: f64 = 1e-6;

/// Factored rows of a Jacobian.
#[derive(Debug)]
pub struct MinimumNorm<'a> {
    phi_q: Cow<'a, Sparse>,
    /// The coordinates that the rows know.
    columns: Vec<usize>,
    factor: Factor,
}

#[derive(Debug)]
enum Factor {
    /// No rows.
    Empty,
    /// Of rows that are independent beyond doubt there is one solution; singular values take some times as long.
    Qr(Box<RankQr>),
    Svd(Box<Svd>),
    /// x = c - Phi_q^T lambda with Phi_q x = 0.
    Saddle(Box<Saddle>),
}

impl<'a> MinimumNorm<'a> {
    /// Factors the rows.
    ///
    /// # Errors
    /// Entries that are not finite.
    pub fn new(phi_q: Cow<'a, Sparse>) -> Result<Self, AlgebraError> {
        let (m, n) = (phi_q.rows(), phi_q.cols());
        // Of a long shaft with one disc the rows know few of the coordinates.
        let mut columns: Vec<usize> =
            if n + m <= DENSE_UP_TO { (0..n).collect() } else { phi_q.iter().map(|(_, (_, j))| j).collect() };
        columns.sort_unstable();
        columns.dedup();
        let place = |j: usize| columns.partition_point(|c| *c < j);
        let factor = if m == 0 {
            Factor::Empty
        } else if columns.len() + m <= DENSE_UP_TO || columns.len() <= FEW_COLUMNS {
            let mut rows = Dense::zeros(m, columns.len());
            for (value, (i, j)) in &*phi_q {
                rows[(i, place(j))] += value;
            }
            let qr = RankQr::new(&rows, RankTolerance { relative: INDEPENDENT })?;
            if qr.rank() == m { Factor::Qr(Box::new(qr)) } else { Factor::Svd(Box::new(Svd::new(&rows)?)) }
        } else {
            let mut rows = Triplets::with_capacity(m, columns.len(), phi_q.nnz());
            for (value, (i, j)) in &*phi_q {
                rows.add(i, place(j), *value);
            }
            Factor::Saddle(Box::new(Saddle::sparse(&sparse::identity(columns.len()), &rows.to_sparse())?))
        };
        Ok(Self { phi_q, columns, factor })
    }
    /// Phi_q.
    pub fn rows(&self) -> &Sparse {
        &self.phi_q
    }
    /// The shortest least-squares solution lambda of Phi_q^T lambda = c, and what remains of c.
    pub fn solve(&self, c: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let known = |c: &[f64]| self.columns.iter().map(|j| c[*j]).collect::<Vec<f64>>();
        let lambda = match &self.factor {
            Factor::Empty => Vec::new(),
            Factor::Qr(qr) => self.refined(c, |c| qr.solve_transpose(&known(c))),
            Factor::Svd(svd) => {
                self.refined(c, |c| svd.min_norm_solve_transposed(&known(c), RankTolerance::default()))
            }
            Factor::Saddle(saddle) => {
                self.refined(c, |c| saddle.solve(&known(c), &vec![0.0; self.phi_q.rows()]).1)
            }
        };
        let rest = self.residual_of(c, &lambda);
        (lambda, rest)
    }
    /// A solution of Phi_q^T lambda = c by `solve`, corrected by the residual in double-double precision.
    ///
    /// Each correction gains the digits that `solve` has, so that multipliers far smaller than the largest have digits of their own and those that
    /// nothing loads are zero: stiffnesses of reactions are products of them, and their rounding would make free motions stiff.
    fn refined(&self, c: &[f64], solve: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
        let mut lambda = solve(c);
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CORRECTIONS {
            let correction = solve(&self.residual_of(c, &lambda));
            let size = norms::max_abs_vec(&correction);
            // What is left cannot be carried, or is not a number.
            if size == 0.0 || size.is_nan() || size > 0.5 * last {
                break;
            }
            last = size;
            lambda.iter_mut().zip(&correction).for_each(|(x, d)| *x += d);
        }
        let least = NOTHING * norms::max_abs_vec(&lambda);
        for x in lambda.iter_mut().filter(|x| x.abs() < least) {
            *x = 0.0;
        }
        lambda
    }

    /// c - Phi_q^T lambda, every entry summed in double-double precision.
    fn residual_of(&self, c: &[f64], lambda: &[f64]) -> Vec<f64> {
        let (mut sum, mut lost) = (c.to_vec(), vec![0.0; c.len()]);
        for (value, (i, j)) in &*self.phi_q {
            add_product([&mut sum[j], &mut lost[j]], *value, -lambda[i]);
        }
        // Products beyond the range of numbers lose what cannot be said.
        sum.iter().zip(&lost).map(|(s, l)| if l.is_finite() { s + l } else { *s }).collect()
    }
}

/// The shortest least-squares solution lambda of Phi_q^T lambda = c, and what remains of c; [`MinimumNorm`] for several of the same rows.
///
/// Paper: `gonzalez2017` Sec. 5.1 (pseudo-inversion at the singular configuration).
///
/// # Errors
/// Entries that are not finite.
pub fn minimum_norm_multipliers(phi_q: &Sparse, c: &[f64]) -> Result<(Vec<f64>, Vec<f64>), AlgebraError> {
    Ok(MinimumNorm::new(Cow::Borrowed(phi_q))?.solve(c))
}
