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
//! reaches them or no output sees them.

use crate::direct::Response;
use crate::error::ResponseError;
use mb_algebra::{Dense, QuadraticPencil, RankQr, RankTolerance, c64, dense, to_dense};
use mb_eigen::DenseOptions;

/// Distance up to which a pole and a zero are one, relative to the pole and to the largest of all.
const SAME: f64 = 1e-8;

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
    // A point off the axis and of the size of the eigenvalues.
    let size = poles.iter().chain(&zeros).fold(0.0_f64, |m, (s, _)| m.max(s.norm())).max(1.0);
    let mut cancelled = Vec::new();
    poles.retain(|(p, bound)| {
        let near = |(z, other): &(c64, f64)| {
            let errors = if bound.is_finite() && other.is_finite() { bound + other } else { 0.0 };
            (z - p).norm() <= SAME * p.norm() + 1e-3 * SAME * size + errors.min(1e-3 * p.norm())
        };
        match zeros.iter().position(near) {
            Some(k) => {
                cancelled.push(*p);
                zeros.remove(k);
                false
            }
            None => true,
        }
    });
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
