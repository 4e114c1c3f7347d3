//! Infinite eigenvalues of a linear pencil in chains of any length, taken out before an eigensolver sees it.
//!
//! ```text
//! A z = sigma B z,   B [V_1 V_2] = [B V_1  0],   [U_1 U_2]^T A V_2 = [R; 0],   R regular
//!
//! [U_1 U_2]^T (A - sigma B) [V_1 V_2] = [ A_t - sigma B_t   R ]      A_t = U_1^T A V_1,  A' = U_2^T A V_1,  B alike
//!                                       [ A'  - sigma B'    0 ]
//!
//! finite eigenvalues   those of A' z' = sigma B' z',   z = V_1 z' - V_2 R^-1 (A_t - sigma B_t) z',   w = U_2 w'
//! infinite ones  B V_2 = 0; a null vector d of B' stands above V_2 R^-1 B_t d in its chain
//! ```
//!
//! Every level takes out as many infinite eigenvalues as V_2 has columns, the levels end with a regular B', and there
//! are as many of them as the longest chain has members: three for the constraints of a mechanism in descriptor form,
//! which rounding spreads over large finite values in QZ. All transformations are orthogonal, so that the first level
//! leaves out rounding of A and B after their scaling; where R has small singular values its range is known less well,
//! rounding of the next level is larger by their reciprocal, and where pivots lie in that range the widest gap between
//! them decides on the rank. Van Dooren, Linear Algebra Appl. 27 (1979), section 3, on the infinite eigenvalues of a
//! regular pencil. Sizes: A, B N x N, a level of r unknowns with k null directions U_1 and V_2 r x k, R k x k.

use mb_algebra::sorted::ascending;
use mb_algebra::{AlgebraError, Dense, Lu, RankQr, RankTolerance, c64, dense, norms};

use crate::EigenError;
use crate::error::at;
use crate::numeric::vectors::complex;
use crate::tuning;

/// A pencil without its infinite eigenvalues.
pub(crate) struct Staircase {
    /// A of the last level, in units of `unit`.
    pub(crate) a: Dense,
    /// B of the last level, regular.
    pub(crate) b: Dense,
    /// sigma = unit sigma' with sigma' an eigenvalue of the last level.
    pub(crate) unit: f64,
    scaling: Scaling,
    levels: Vec<Level>,
}

/// One level with what leads back to the one above it.
struct Level {
    /// V_1, V_2.
    kept: Dense,
    null: Dense,
    /// U_2.
    rest: Dense,
    /// A_t, B_t, R.
    a_top: Dense,
    b_top: Dense,
    r: Lu,
}

impl Staircase {
    /// Takes the infinite eigenvalues out of A z = sigma B z; none where the pencil is singular, as far as rounding shows
    /// from rounding.
    pub(crate) fn new(a: &Dense, b: &Dense) -> Result<Option<Self>, EigenError> {
        let step = at("Infinite eigenvalues of a pencil");
        let scaling = Scaling::new(a, b);
        let (mut a, mut b) = (scaling.apply(a, 1.0), scaling.apply(b, scaling.unit));
        let size = [&a, &b].map(norms::max_abs::<Dense>);
        let mut rounding = f64::EPSILON * (a.nrows() as f64).sqrt();
        let mut levels = Vec::new();
        while b.nrows() > 0 {
            // Rounding of a level that its decisions allow for.
            // Pivots of scaled matrices below this fraction of the largest are rounding.
            // Singular values above this fraction are not.
            let noise =
                (tuning::SUM_ROUNDINGS / f64::EPSILON * rounding).clamp(tuning::EPS_2_3, tuning::CBRT_EPS);
            // A whole matrix that is rounding may be as large as this.
            if norms::max_abs(&b) <= noise.min(tuning::SQRT_EPS) * size[1] {
                b = Dense::zeros(b.nrows(), b.ncols());
            }
            let image = decided(&b, noise).map_err(&step)?;
            let (kept, null) = (image.row_space(), image.null_space());
            let count = null.ncols();
            if count == 0 {
                break;
            }
            let driven = dense::mul(&a, &null);
            let across = decided(&dense::transpose(&driven), tuning::EPS_2_3).map_err(&step)?;
            let least = across.pivot_magnitudes().into_iter().fold(f64::INFINITY, f64::min);
            if norms::max_abs(&driven) <= tuning::EPS_2_3 * size[0] || across.rank() < count {
                return Ok(None);
            }
            rounding *= (size[0] / least).max(1.0);
            let (range, rest) = (across.row_space(), across.null_space());
            let (av, bv) = (dense::mul(&a, &kept), dense::mul(&b, &kept));
            let r = Lu::new(&dense::mul_transpose(&range, &driven)).map_err(&step)?;
            levels.push(Level {
                a_top: dense::mul_transpose(&range, &av),
                b_top: dense::mul_transpose(&range, &bv),
                r,
                kept,
                null,
                rest: rest.clone(),
            });
            (a, b) = (dense::mul_transpose(&rest, &av), dense::mul_transpose(&rest, &bv));
        }
        Ok(Some(Self { a, b, unit: scaling.unit, scaling, levels }))
    }

    /// Number of infinite eigenvalues.
    pub(crate) fn infinite(&self) -> usize {
        self.levels.iter().map(|level| level.null.ncols()).sum()
    }

    /// The right vector of the pencil given from one of the last level, N numbers; `sigma` in units of `unit`.
    pub(crate) fn right(&self, z: &[c64], sigma: c64) -> Vec<c64> {
        let mut z = z.to_vec();
        for level in self.levels.iter().rev() {
            let (a, b) = (dense::matvec_complex(&level.a_top, &z), dense::matvec_complex(&level.b_top, &z));
            let force: Vec<c64> = a.iter().zip(&b).map(|(a, b)| sigma * b - a).collect();
            let part = |f: fn(&c64) -> f64| level.r.solve(&force.iter().map(f).collect::<Vec<_>>());
            let (re, im) = (part(|f| f.re), part(|f| f.im));
            let answer: Vec<c64> = re.into_iter().zip(im).map(|(re, im)| c64::new(re, im)).collect();
            let own = dense::matvec_complex(&level.null, &answer);
            z = dense::matvec_complex(&level.kept, &z).into_iter().zip(own).map(|(z, v)| z + v).collect();
        }
        scaled(z, &self.scaling.columns)
    }

    /// The left vector of the pencil given from one of the last level, N numbers.
    pub(crate) fn left(&self, w: &[c64]) -> Vec<c64> {
        let up = |w: Vec<c64>, level: &Level| dense::matvec_complex(&level.rest, &w);
        scaled(self.levels.iter().rev().fold(w.to_vec(), up), &self.scaling.rows)
    }

    /// Null vectors of B, N numbers each, longest chain first, with the lengths of their chains.
    pub(crate) fn chains(&self) -> Vec<(Vec<c64>, usize)> {
        let Some(first) = self.levels.first() else { return Vec::new() };
        let mut found: Vec<(Vec<f64>, usize)> = Vec::new();
        for length in (1..=self.levels.len()).rev() {
            // What carries chains of this length at least, in terms of the first level's null vectors.
            let mut open: Vec<Vec<f64>> = self.bottoms(length);
            let new = open.len().saturating_sub(found.len());
            for (v, _) in &found {
                for d in &mut open {
                    remove(d, v);
                }
            }
            for _ in 0..new {
                ascending(&mut open, |a| norms::two(a));
                let Some(mut v) = open.pop() else { break };
                unit(&mut v);
                for d in &mut open {
                    remove(d, &v);
                }
                found.push((v, length));
            }
        }
        let lift = |v: Vec<f64>| scaled(complex(&dense::matvec(&first.null, &v)), &self.scaling.columns);
        found.into_iter().map(|(v, length)| (lift(v), length)).collect()
    }

    /// Ends of the chains that reach up to a level (counted from one), as shares of the first level's null vectors.
    fn bottoms(&self, level: usize) -> Vec<Vec<f64>> {
        let top = &self.levels[level - 1];
        let below: Vec<&Level> = self.levels[..level - 1].iter().rev().collect();
        let count = top.null.ncols();
        (0..count)
            .map(|j| {
                let mut share: Vec<f64> = (0..count).map(|i| f64::from(u8::from(i == j))).collect();
                let mut null = &top.null;
                for level in &below {
                    share = level.r.solve(&dense::matvec(&level.b_top, &dense::matvec(null, &share)));
                    unit(&mut share);
                    null = &level.null;
                }
                share
            })
            .collect()
    }
}

/// The rank where pivots up to `noise` times the largest may be rounding: the widest gap at or below that decides.
fn decided(a: &Dense, noise: f64) -> Result<RankQr, AlgebraError> {
    let qr = RankQr::new(a, RankTolerance { relative: tuning::EPS_2_3 })?;
    let pivots = qr.pivot_magnitudes();
    let first = pivots.first().copied().unwrap_or(0.0);
    let next = |i: usize| pivots.get(i).copied().unwrap_or(0.0).max(f64::EPSILON * first);
    if qr.rank() == 0 || pivots[qr.rank() - 1] > noise * first {
        return Ok(qr);
    }
    let open = (1..=qr.rank()).filter(|&i| next(i) <= noise * first);
    let Some(rank) = open.max_by(|&i, &j| (pivots[i - 1] / next(i)).total_cmp(&(pivots[j - 1] / next(j))))
    else {
        return Ok(qr);
    };
    RankQr::new(a, RankTolerance { relative: (pivots[rank - 1] * next(rank)).sqrt() / first })
}

/// D_r A D_c and D_r (unit B) D_c with entries of order one, which changes no number of eigenvalues.
struct Scaling {
    rows: Vec<f64>,
    columns: Vec<f64>,
    unit: f64,
}

impl Scaling {
    fn new(a: &Dense, b: &Dense) -> Self {
        let size = a.nrows();
        let (large_a, large_b) = (norms::max_abs(a), norms::max_abs(b));
        let unit = if large_a > 0.0 && large_b > 0.0 { large_a / large_b } else { 1.0 };
        let mut out = Self { rows: vec![1.0; size], columns: vec![1.0; size], unit };
        let by = |largest: f64| if largest > 0.0 { largest.sqrt().recip() } else { 1.0 };
        // Sweeps of scaling.
        for _ in 0..tuning::ATTEMPTS {
            let (mut rows, mut columns) = (vec![0.0_f64; size], vec![0.0_f64; size]);
            for j in 0..size {
                for i in 0..size {
                    let entry = a[(i, j)].abs().max(unit * b[(i, j)].abs()) * out.rows[i] * out.columns[j];
                    (rows[i], columns[j]) = (rows[i].max(entry), columns[j].max(entry));
                }
            }
            out.rows.iter_mut().zip(rows).for_each(|(d, largest)| *d *= by(largest));
            out.columns.iter_mut().zip(columns).for_each(|(d, largest)| *d *= by(largest));
        }
        out
    }

    fn apply(&self, x: &Dense, unit: f64) -> Dense {
        Dense::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] * unit * self.rows[i] * self.columns[j])
    }
}

/// D x.
fn scaled(mut x: Vec<c64>, by: &[f64]) -> Vec<c64> {
    x.iter_mut().zip(by).for_each(|(x, by)| *x *= by);
    x
}

/// d - v v^T d, twice, for v of length one.
fn remove(d: &mut [f64], v: &[f64]) {
    for _ in 0..2 {
        let share: f64 = d.iter().zip(v).map(|(d, v)| d * v).sum();
        d.iter_mut().zip(v).for_each(|(d, v)| *d -= share * v);
    }
}

/// v at length one.
fn unit(v: &mut [f64]) {
    let length = norms::two(v).max(f64::MIN_POSITIVE);
    for v in v {
        *v /= length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A matrix with entries between -1 and 1 from a list of numbers, heavy on its diagonal.
    fn mixing(numbers: &[f64], size: usize) -> Dense {
        Dense::from_fn(size, size, |i, j| numbers[i * size + j] + if i == j { 3.0 } else { 0.0 })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn finite_eigenvalues_and_chains_of_a_mixed_pencil_come_back(
            chains in prop::collection::vec(1..5_usize, 1..4),
            finite in prop::collection::vec(-4.0..4.0_f64, 0..5),
            numbers in prop::collection::vec(-1.0..1.0_f64, 2 * 17 * 17),
        ) {
            // Weierstrass form: eigenvalues on the diagonal of A, nilpotent blocks in B; then mixed from both sides.
            let size = finite.len() + chains.iter().sum::<usize>();
            let (mut a, mut b) = (Dense::zeros(size, size), Dense::zeros(size, size));
            for (i, value) in finite.iter().enumerate() {
                (a[(i, i)], b[(i, i)]) = (*value, 1.0);
            }
            let mut at = finite.len();
            for length in &chains {
                for i in at..at + length {
                    a[(i, i)] = 1.0;
                    if i > at {
                        b[(i - 1, i)] = 1.0;
                    }
                }
                at += length;
            }
            let (left, right) = (mixing(&numbers, size), mixing(&numbers[17 * 17..], size));
            let mixed = |x: &Dense| dense::mul(&left, &dense::mul(x, &right));
            let (a, b) = (mixed(&a), mixed(&b));
            let stairs = Staircase::new(&a, &b).unwrap().expect("a regular pencil");
            prop_assert_eq!(stairs.b.nrows(), finite.len());
            prop_assert_eq!(stairs.infinite(), chains.iter().sum::<usize>());
            let mut expected = chains;
            expected.sort_by(|x, y| y.cmp(x));
            let found = stairs.chains();
            prop_assert_eq!(found.iter().map(|(_, length)| *length).collect::<Vec<_>>(), expected);
            for (x, _) in &found {
                let rest = norms::two_complex(&dense::matvec_complex(&b, x));
                prop_assert!(rest <= 1e-10 * norms::frobenius(&b) * norms::two_complex(x), "{:e}", rest);
            }
            let mut values = Vec::new();
            for raw in crate::dense::standard::regular(&stairs.a, &stairs.b).unwrap() {
                let sigma = raw.value() * stairs.unit;
                let z = stairs.right(&raw.right, raw.value());
                let w = stairs.left(&raw.left.unwrap());
                let transposed = |x: &Dense| dense::transpose(x);
                for (a, b, z, s) in [(a.clone(), b.clone(), z, sigma), (transposed(&a), transposed(&b), w, sigma.conj())] {
                    let (az, bz) = (dense::matvec_complex(&a, &z), dense::matvec_complex(&b, &z));
                    let rest: Vec<c64> = az.iter().zip(&bz).map(|(a, b)| a - s * b).collect();
                    let size = (norms::frobenius(&a) + s.norm() * norms::frobenius(&b)) * norms::two_complex(&z);
                    prop_assert!(norms::two_complex(&rest) <= 1e-10 * size, "{}", s);
                }
                values.push(sigma);
                if raw.mirror {
                    values.push(sigma.conj());
                }
            }
            // Close eigenvalues may come as a pair near them.
            let sum: c64 = values.iter().sum();
            let near = |s: &c64| finite.iter().map(|value| (s - value).norm()).fold(f64::INFINITY, f64::min);
            prop_assert!((sum - finite.iter().sum::<f64>()).norm() < 1e-7, "{:?} for {:?}", values, finite);
            prop_assert!(values.iter().all(|s| near(s) < 1e-3), "{:?} for {:?}", values, finite);
        }
    }

    #[test]
    fn a_singular_pencil_has_no_staircase() {
        // A common null vector, and one that only the second level shows.
        let (a, b) = (dense::diagonal(&[1.0, 0.0]), dense::diagonal(&[2.0, 0.0]));
        assert!(Staircase::new(&a, &b).unwrap().is_none());
        let a = dense::from_rows(&[&[0.0, 1.0], &[0.0, 0.0]]);
        let b = dense::from_rows(&[&[0.0, 0.0], &[0.0, 1.0]]);
        assert!(Staircase::new(&a, &b).unwrap().is_none());
    }
}
