//! Undamped symmetric problems: real arithmetic throughout.
//!
//! ```text
//! K x = w M x,   s = +-i sqrt(w) for w > 0,   s = +-sqrt(-w) for w < 0
//! ```
//!
//! M symmetric positive definite on what remains after the directions without mass are condensed,
//! x = (B - N (N^T K N)^-1 N^T K B) c with N their basis and B its complement, which is exact because no inertia acts
//! on them. Zero directions of K are deflated before the eigensolver sees the matrix. gonzalez2017, Eq. (6) with
//! C_r = 0.
//!
//! Where w spans many decades (axial next to pendulum motion of flexible links: eleven) the metric is not M but
//!
//! ```text
//! M x = mu (K + tau M) x,   w = 1 / mu - tau,   tau = sqrt(w_min w_max) roughly
//! ```
//!
//! The errors of w are then of order u (w + tau)^2 / tau instead of u w_max, which leaves the low modes their digits and
//! the eigenpairs a backward error of rounding in K as in M (Ericsson and Ruhe, Math. Comp. 35, 1980; Parlett, The Symmetric
//! Eigenvalue Problem, section 15.4). Sizes: k x k. Does not apply when N^T K N is singular or M is indefinite; the companion form then does.

use mb_algebra::{Cholesky, Dense, Lu, RankQr, RankTolerance, SymmetricEigen, c64, dense, norms};

use super::chains::Chains;
use super::raw::{Kind, Raw};
use crate::EigenError;
use crate::error::at;
use crate::tuning;

/// Solves an undamped symmetric problem; none when M is not positive definite where it should be.
///
/// `zeros` and `massless` are the null directions of K and M.
pub(crate) fn solve(
    m: &Dense,
    k: &Dense,
    zeros: &Chains,
    massless: &Chains,
) -> Result<Option<Vec<Raw>>, EigenError> {
    let (m, k) = (dense::symmetric_part(m), dense::symmetric_part(k));
    if massless.double.ncols() == 0 {
        return positive_definite(&m, &k, &zeros.double);
    }
    if !massless.regular {
        return Ok(None);
    }
    let Some(condensed) = Condensed::new(&m, &k, &massless.double)? else { return Ok(None) };
    let null = dense::mul_transpose(&condensed.complement, &zeros.double);
    let Some(raws) = positive_definite(&condensed.m, &condensed.k, &null)? else { return Ok(None) };
    let mut raws = Raw::lifted(raws, Some(&condensed.lift), None);
    raws.extend(massless.raws(Kind::Infinite));
    Ok(Some(raws))
}

/// The problem without its massless directions.
struct Condensed {
    m: Dense,
    k: Dense,
    complement: Dense,
    lift: Dense,
}

impl Condensed {
    fn new(m: &Dense, k: &Dense, massless: &Dense) -> Result<Option<Self>, EigenError> {
        let exact = RankTolerance { relative: 0.0 };
        let complement = RankQr::new(&dense::transpose(massless), exact)
            .map_err(at("Condensing massless directions"))?
            .null_space();
        let knn = dense::mul_transpose(massless, &dense::mul(k, massless));
        let kb = dense::mul(k, &complement);
        let Ok(lu) = Lu::new(&knn) else { return Ok(None) };
        let follow = lu.solve_mat(&dense::mul_transpose(massless, &kb));
        let lift = dense::add(1.0, &complement, -1.0, &dense::mul(massless, &follow));
        let k = dense::symmetric_part(&dense::mul_transpose(&complement, &dense::mul(k, &lift)));
        let m = dense::symmetric_part(&dense::mul_transpose(&complement, &dense::mul(m, &complement)));
        Ok(Some(Self { m, k, complement, lift }))
    }
}

/// K x = w M x with the null directions of K given (any basis).
fn positive_definite(m: &Dense, k: &Dense, null: &Dense) -> Result<Option<Vec<Raw>>, EigenError> {
    if m.nrows() == 0 {
        return Ok(Some(Vec::new()));
    }
    let Some(Solved { modes, zero }) = solved(m, k, null)? else { return Ok(None) };
    let mut raws = raws(&modes.w, &modes.x);
    for x in crate::numeric::vectors::columns(&zero) {
        // M-orthonormal: x^T M x = 1.
        let raw = Raw::structural(Kind::Zero, x, None, 2, 1.0);
        raws.extend([raw.clone(), raw]);
    }
    Ok(Some(raws))
}

/// w and vectors of K x = w M x.
pub(crate) struct Modes {
    /// k numbers, ascending.
    pub(crate) w: Vec<f64>,
    /// k x k, M-orthonormal.
    pub(crate) x: Dense,
}

/// All modes of a problem without null directions; none when M is not positive definite.
pub(crate) fn modes(m: &Dense, k: &Dense) -> Result<Option<Modes>, EigenError> {
    Ok(solved(m, k, &Dense::zeros(m.nrows(), 0))?.map(|solved| solved.modes))
}

struct Solved {
    modes: Modes,
    /// M-orthonormal null directions of K.
    zero: Dense,
}

/// Chooses between M and K + tau M as the metric.
fn solved(m: &Dense, k: &Dense, null: &Dense) -> Result<Option<Solved>, EigenError> {
    if let Some(tau) = middle(m, k) {
        let metric = dense::add(1.0, k, tau, m);
        if let Ok(factor) = Cholesky::new(&metric) {
            let mut solved = in_metric(&factor, m, null)?;
            if solved.modes.w.iter().any(|&mu| mu <= 0.0) {
                return plain(m, k, null);
            }
            let scale: Vec<f64> = solved.modes.w.iter().map(|mu| mu.sqrt().recip()).collect();
            scale_columns(&mut solved.modes.x, &scale);
            scale_columns(&mut solved.zero, &vec![tau.sqrt(); null.ncols()]);
            solved.modes.w.iter_mut().for_each(|mu| *mu = mu.recip() - tau);
            solved.modes.reverse();
            return Ok(Some(solved));
        }
    }
    plain(m, k, null)
}

/// M as the metric; none when it is not positive definite.
fn plain(m: &Dense, k: &Dense, null: &Dense) -> Result<Option<Solved>, EigenError> {
    let Ok(factor) = Cholesky::new(m) else { return Ok(None) };
    in_metric(&factor, k, null).map(Some)
}

/// tau, the geometric mean of the extreme w, where these lie decades apart; none where they do not.
///
/// K_ii / M_ii are Rayleigh quotients, hence between the extremes.
fn middle(m: &Dense, k: &Dense) -> Option<f64> {
    let quotients: Vec<f64> =
        (0..m.nrows()).map(|i| (k[(i, i)] / m[(i, i)]).abs()).filter(|q| q.is_finite()).collect();
    let largest = quotients.iter().copied().fold(0.0, f64::max);
    let smallest =
        quotients.iter().copied().filter(|q| *q > tuning::MANY_ROUNDINGS * largest).fold(largest, f64::min);
    // Quotient of the extreme w from which on the metric is K + tau M.
    (largest > tuning::GAP * smallest).then(|| (largest * smallest).sqrt())
}

/// Whether M is positive definite beyond doubt although some direction is light compared with its largest entries.
///
/// A penalty of 1e7 compared with millimetres of a link's length makes a mass 1e-13 of |M|: distinguished from rounding by its stiffness,
/// since w = 1e10 tau is a mode like others, while rounding would stand at 1e16. w_max by the power method on
/// M^-1 (K + tau M).
pub(crate) fn mass_is_regular(m: &Dense, k: &Dense) -> bool {
    let symmetric = |a: &Dense| dense::is_symmetric(a, tuning::SYMMETRY).is_ok();
    if !(symmetric(m) && symmetric(k)) {
        return false;
    }
    let Some(tau) = middle(m, k) else { return false };
    let metric = dense::add(1.0, k, tau, m);
    let (Ok(factor), true) = (Cholesky::new(m), Cholesky::new(&metric).is_ok()) else { return false };
    // No symmetry of a structure is one of this vector.
    let mut x: Vec<f64> = (0..m.nrows()).map(|i| 1.0 + ((i * i * 7 + 3 * i) % 11) as f64 / 7.0).collect();
    let mut largest = 0.0_f64;
    // Steps of the power method; a factor of ten does no harm.
    for _ in 0..tuning::ATTEMPTS {
        let y = factor.solve(&dense::matvec(&metric, &x));
        let (before, after) = (norms::two(&x), norms::two(&y));
        largest = largest.max(after / before);
        x = y.iter().map(|v| v / after).collect();
    }
    // w_max over tau up to which a light direction has mass.
    largest.is_finite() && largest <= (1.0 / tuning::EPS_3_4) * tau
}

/// A x = v B x with B = L L^T, for a null space of K given: vectors B-orthonormal, its part apart.
fn in_metric(factor: &Cholesky, a: &Dense, null: &Dense) -> Result<Solved, EigenError> {
    let half = factor.solve_lower(a);
    let standard = dense::symmetric_part(&factor.solve_lower(&dense::transpose(&half)));
    let step = at("Symmetric eigenvalue problem");
    if null.ncols() == 0 {
        let eigen = SymmetricEigen::new(&standard).map_err(step)?;
        let x = factor.solve_lower_transpose(&eigen.vectors);
        let zero = Dense::zeros(a.nrows(), 0);
        return Ok(Solved { modes: Modes { w: eigen.values, x }, zero });
    }
    let whitened = RankQr::new(&dense::mul_transpose(null, factor.l()), RankTolerance { relative: 0.0 })
        .map_err(at("Deflation of zero eigenvalues"))?;
    let (zero, rest) = (whitened.row_space(), whitened.null_space());
    let deflated = dense::symmetric_part(&dense::mul_transpose(&rest, &dense::mul(&standard, &rest)));
    let eigen = SymmetricEigen::new(&deflated).map_err(step)?;
    let x = factor.solve_lower_transpose(&dense::mul(&rest, &eigen.vectors));
    Ok(Solved { modes: Modes { w: eigen.values, x }, zero: factor.solve_lower_transpose(&zero) })
}

impl Modes {
    /// The other order.
    fn reverse(&mut self) {
        self.w.reverse();
        let last = self.x.ncols();
        self.x = Dense::from_fn(self.x.nrows(), last, |i, j| self.x[(i, last - 1 - j)]);
    }
}

fn scale_columns(a: &mut Dense, by: &[f64]) {
    for (j, by) in by.iter().enumerate() {
        a.col_as_slice_mut(j).iter_mut().for_each(|v| *v *= by);
    }
}

/// Two eigenvalues for every w.
fn raws(values: &[f64], vectors: &Dense) -> Vec<Raw> {
    let mut out = Vec::with_capacity(2 * values.len());
    for (&w, x) in values.iter().zip(crate::numeric::vectors::columns(vectors)) {
        let x = crate::numeric::vectors::complex(x);
        let size = w.abs().sqrt();
        if w > 0.0 {
            out.push(Raw::finite(c64::new(0.0, size), x, None, true));
        } else {
            out.push(Raw::finite(c64::new(size, 0.0), x.clone(), None, false));
            out.push(Raw::finite(c64::new(-size, 0.0), x, None, false));
        }
    }
    out
}
