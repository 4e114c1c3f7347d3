//! Poles, zeros and gain of one transfer function.
//!
//! ```text
//! zeros:  [s^2 M_r + s C_r + K_r, -F_r; s^2 Y_a + s Y_v + Y_q, D] (z, u) = 0        on the null space of Phi_q, x = R z
//! H(s) = gain prod (s - z_j) / prod (s - p_k)
//! ```
//!
//! The pencil of the zeros (Rosenbrock's system matrix in second-order form) has a singular leading matrix; its finite
//! eigenvalues are separated from infinite ones by the quadratic solver of mb-eigen. The gain follows from H at a
//! point off all eigenvalues. Pairs of a pole and a zero that agree within their errors are cancelled: no input
//! reaches them or no output sees them. The residue of H there is the distance of the pair times what the other factors are, below its
//! rounding. Pairs that are only near each other stay: close to the axis, even a small distance is seen at the frequency of the pole.

use crate::direct::Response;
use crate::error::ResponseError;
use mb_algebra::{Dense, QuadraticPencil, RankQr, RankTolerance, c64, dense, to_dense};
use mb_eigen::DenseOptions;

/// Errors above this share of a pole are no measure of what rounding moves it by.
const KNOWN: f64 = 1e-8;
/// Rounding of a pole and a zero beside their errors, relative.
const ROUNDING: f64 = 1e-14;
/// Without a measure of the errors: change of H on the axis that a cancelled pair makes, distance over |re p|, and the distances over |p|
/// between which it is looked at: what solvers leave of a well-conditioned eigenvalue, and what they leave of others.
const CHANGE: f64 = 1e-6;
const BETWEEN: [f64; 2] = [1e-12, 1e-8];

/// A transfer function by its eigenvalues.
#[derive(Clone, Debug, PartialEq)]
pub struct Zeros {
    /// Poles that input and output share, rad/s.
    pub poles: Vec<c64>,
    /// Zeros, rad/s.
    pub zeros: Vec<c64>,
    /// Poles with a zero in the same place.
    pub cancelled: Vec<c64>,
    /// Factor before the products, in units of output over input and rad/s.
    pub gain: f64,
}

/// Poles, zeros and gain from input `input` to output `output`, dense: time grows with the third power of n.
///
/// # Errors
/// [`ResponseError::NoZeros`] where H vanishes for every s; failures of eigenanalyses.
pub fn zeros(response: &Response, output: usize, input: usize) -> Result<Zeros, ResponseError> {
    let plant = &response.plant;
    let p = &plant.pencil;
    let r = RankQr::new(&to_dense(&p.phi_q), RankTolerance::default())?.null_space();
    let reduced = |a: &mb_algebra::Sparse| dense::mul_transpose(&r, &dense::mul(&to_dense(a), &r));
    let [m, c, k] = [&p.m, &p.c, &p.k].map(reduced);
    let dof = r.ncols();
    let no_rows = || Dense::zeros(0, dof);
    let pencil = QuadraticPencil { m: m.clone(), c: c.clone(), k: k.clone(), phi_q: no_rows() };
    let options = DenseOptions::default();
    let finite = |found: mb_eigen::Spectrum| -> Vec<(c64, f64)> {
        found.eigenpairs.iter().filter_map(|pair| pair.value().map(|s| (s, pair.error_bound))).collect()
    };
    let mut poles = finite(mb_eigen::dense::solve(&pencil, &options)?);
    let f = dense::mul_transpose(&r, &plant.f);
    let row = |y: &Dense| dense::mul(&dense::from_rows(&[dense::row(y, output)]), &r);
    let bordered = |a: &Dense, y: &Dense, border: bool| {
        let y = row(y);
        Dense::from_fn(dof + 1, dof + 1, |i, j| match (i < dof, j < dof) {
            (true, true) => a[(i, j)],
            (false, true) => y[(0, j)],
            (true, false) if border => -f[(i, input)],
            (false, false) if border => plant.feedthrough[(output, input)],
            _ => 0.0,
        })
    };
    let system = QuadraticPencil {
        m: bordered(&m, &plant.by_a, false),
        c: bordered(&c, &plant.by_v, false),
        k: bordered(&k, &plant.by_q, true),
        phi_q: Dense::zeros(0, dof + 1),
    };
    let mut zeros = finite(mb_eigen::dense::solve(&system, &options)?);
    let mut cancelled = Vec::new();
    poles.retain(|(p, bound)| {
        let errors = |other: f64| {
            let (sum, size) = (bound + other, p.norm());
            if sum <= KNOWN * size {
                sum + ROUNDING * size
            } else {
                (CHANGE * p.re.abs()).clamp(BETWEEN[0] * size, BETWEEN[1] * size)
            }
        };
        let nearest =
            zeros.iter().enumerate().min_by(|a, b| (a.1.0 - p).norm().total_cmp(&(b.1.0 - p).norm()));
        match nearest.filter(|(_, (z, other))| (z - p).norm() <= errors(*other)).map(|(k, _)| k) {
            Some(k) => {
                cancelled.push(*p);
                zeros.remove(k);
                false
            }
            None => true,
        }
    });
    // A point off the axis and of the size of the eigenvalues.
    let middle = poles.iter().chain(&zeros).map(|(s, _)| s.norm()).filter(|x| *x > 0.0);
    let (sum, count) = middle.fold((0.0, 0.0), |(sum, count), x| (sum + x.ln(), count + 1.0));
    let unit = if count > 0.0 { f64::exp(sum / count) } else { 1.0 };
    let s = c64::new(1.3 * unit, 0.4 * unit);
    let lossless = plant.loss == 0.0;
    let sample = response.transfer(s)?;
    let value = sample.value[(output, input)];
    if value.norm() <= sample.bound[(output, input)] || !lossless {
        return Err(ResponseError::NoZeros);
    }
    let scaled = |list: &[(c64, f64)]| list.iter().map(|(z, _)| (s - z).ln()).sum::<c64>();
    let gain = (value.ln() + scaled(&poles) - scaled(&zeros)).exp();
    let values = |list: Vec<(c64, f64)>| list.into_iter().map(|(s, _)| s).collect();
    Ok(Zeros { poles: values(poles), zeros: values(zeros), cancelled, gain: gain.re })
}
