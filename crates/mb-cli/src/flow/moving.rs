//! Eigenpairs at a point of a motion, where constraints that change along it bring terms of their own.
//!
//! ```text
//! dq = R z,  dv = R z' + D z,  da = R z'' + E1 z' + E0 z
//! (s^2 M_r + s C_r + K_r) z = 0,   C_r = R^T (C R + M E1),  K_r = R^T (K R + C D + M E0)
//! ```
//!
//! The coefficients are those of the instant. Where D, E1 and E0 vanish the matrices with the constraints kept in them
//! say the same, and every formulation may be used. How much a motion that is not steady changes its eigenvalues is
//! told as |ds/dt| / |s|^2: the share of itself by which a value changes within one radian of its own vibration.

use super::spectra::{FormulationSpectrum, spectrum};
use crate::failure::{Failure, RequestError};
use mb_algebra::{RankTolerance, Svd, c64, dense};
use mb_constraints::{AssemblyOptions, assemble, assemble_velocities};
use mb_eigen::{DenseOptions, EigenError, Spectrum, quadratic};
use mb_linear::formulation::minimal::{MinimalSystem, minimal};
use mb_linear::{Formulation, LinearError, LinearizedSystem, OperatingPoint, PointKind};
use mb_model::{Model, Point};

/// Terms of a changing basis below this share of the speeds are rounding.
const ROUNDING: f64 = 1e-11;

/// Time between the neighbours of a point, relative to the time of its fastest speed or slowest root.
const APART: f64 = 1e-4;

/// True when the basis of the admissible displacements does not change along the motion.
pub(super) fn is_fixed(system: &MinimalSystem, point: &Point) -> bool {
    let Some(terms) = &system.motion else { return true };
    let largest = |x: &[f64]| x.iter().fold(1.0_f64, |a, x| a.max(x.abs()));
    let (speed, acceleration) = (largest(&point.v), largest(&point.a));
    let size = mb_algebra::norms::max_abs;
    size(&terms.d) <= ROUNDING * speed
        && size(&terms.e1) <= ROUNDING * speed
        && size(&terms.e0) <= ROUNDING * (speed * speed).max(acceleration)
}

/// Refuses a formulation that keeps the constraints in matrices with no room for their change.
///
/// # Errors
/// [`RequestError::ConstraintsChange`].
pub(super) fn check_fixed(
    model: &Model,
    at: &OperatingPoint,
    lin: &LinearizedSystem,
    option: &str,
) -> Result<(), Failure> {
    if at.kind() == PointKind::Equilibrium || lin.constraints() == 0 {
        return Ok(());
    }
    let system = minimal(model, lin, &mb_constraints::NullSpaceMethod::Qr)?;
    if is_fixed(&system, at.point()) {
        return Ok(());
    }
    Err(RequestError::ConstraintsChange { option: option.to_owned() }.into())
}

/// Eigenpairs of the minimal system with its terms of motion, shapes in all coordinates.
///
/// Left vectors have no multipliers: the constraints of the adjoint equations are others.
pub(super) fn pairs(lin: &LinearizedSystem, system: &MinimalSystem) -> Result<Spectrum, EigenError> {
    let mut spectrum = quadratic::solve(&system.pencil(), &DenseOptions::default())?;
    let Some(terms) = &system.motion else { return Ok(spectrum) };
    let r = &system.basis.r;
    let rows = Svd::new(&dense::transpose(&lin.phi_q)).ok();
    let times = |a: &mb_algebra::Dense, x: &[c64]| -> Vec<c64> {
        let part = |f: fn(&c64) -> f64| dense::matvec(a, &x.iter().map(f).collect::<Vec<_>>());
        part(|z| z.re).into_iter().zip(part(|z| z.im)).map(|(re, im)| c64::new(re, im)).collect()
    };
    for pair in &mut spectrum.pairs {
        let z = std::mem::take(&mut pair.right);
        let mut x = times(r, &z);
        // Length one, the largest entry real and positive, as everywhere.
        let length = x.iter().map(c64::norm_sqr).sum::<f64>().sqrt();
        let top = x
            .iter()
            .copied()
            .fold(c64::new(0.0, 0.0), |a, b| if b.norm() > a.norm() * (1.0 + 1e-9) { b } else { a });
        let scale = if length > 0.0 { top.conj() / top.norm() / length } else { c64::new(1.0, 0.0) };
        for x in &mut x {
            *x *= scale;
        }
        // y^H (2 s M_r + C_r) z stays one.
        let back = c64::new(1.0, 0.0) / scale.conj();
        pair.left = times(r, &pair.left).into_iter().map(|y| y * back).collect();
        pair.multipliers = vec![c64::new(0.0, 0.0); lin.constraints()].into();
        if let (Some(s), Some(rows)) = (pair.value(), &rows) {
            let z: Vec<c64> = z.iter().map(|z| z * scale).collect();
            let sum = |terms: &[(c64, &[c64])]| -> Vec<c64> {
                (0..x.len()).map(|i| terms.iter().map(|(f, v)| f * v[i]).sum()).collect()
            };
            let one = c64::new(1.0, 0.0);
            let (d, e1, e0) = (times(&terms.d, &z), times(&terms.e1, &z), times(&terms.e0, &z));
            let speed = sum(&[(s, &x), (one, &d)]);
            let acceleration = sum(&[(s * s, &x), (s, &e1), (one, &e0)]);
            let force = sum(&[
                (-one, &times(&lin.m, &acceleration)),
                (-one, &times(&lin.c, &speed)),
                (-one, &times(&lin.k, &x)),
            ]);
            let solve = |f: fn(&c64) -> f64| {
                let part: Vec<f64> = force.iter().map(f).collect();
                rows.min_norm_solve(&part, RankTolerance::default())
            };
            let both = solve(|z| z.re).into_iter().zip(solve(|z| z.im));
            pair.multipliers = both.map(|(re, im)| c64::new(re, im)).collect();
        }
        pair.right = x.into();
    }
    let counts = &mut spectrum.counts;
    counts.n = lin.n();
    counts.m = lin.constraints();
    counts.rank = lin.n() - system.dof();
    Ok(spectrum)
}

/// The point `h` seconds along the motion, to second order, back on the constraints.
fn neighbour(model: &Model, at: &Point, h: f64) -> Result<OperatingPoint, LinearError> {
    let step: Vec<f64> = at.v.iter().zip(&at.a).map(|(v, a)| h * v + 0.5 * h * h * a).collect();
    let q = model.coordinates().retract(&at.q, &step);
    let v: Vec<f64> = at.v.iter().zip(&at.a).map(|(v, a)| v + h * a).collect();
    let t = at.t + h;
    let q = assemble(model, &q, t, &AssemblyOptions::default())?.q;
    let v = assemble_velocities(model, &q, &v, t)?;
    OperatingPoint::of_motion(model, q, v, t, at.u.clone(), 1e-7)
}

/// |ds/dt| / |s|^2 of the motion's roots, by differences of the spectra just before and after, in the order of the pairs
/// of `result`; none for roots at zero and where no partner is found. What the error bars allow counts as no change.
///
/// # Errors
/// Those of the two neighbouring points.
pub fn changes(
    model: &Model,
    at: &OperatingPoint,
    formulation: &Formulation,
    result: &FormulationSpectrum,
) -> Result<Vec<Option<f64>>, Failure> {
    let point = at.point();
    let values = || result.spectrum.motion().filter_map(mb_eigen::Eigenpair::value).map(c64::norm);
    let slowest = values().filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    let speed = point.v.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let fastest = speed.max(if slowest.is_finite() { slowest } else { 0.0 }).max(1e-3);
    let h = APART / fastest;
    let mut sides = Vec::new();
    for sign in [-1.0, 1.0] {
        let there = neighbour(model, point, sign * h)?;
        sides.push(spectrum(model, &there, formulation)?.spectrum);
    }
    let one = |pair: &mb_eigen::Eigenpair| -> Option<f64> {
        let s = pair.value().filter(|s| pair.class.is_motion() && s.norm() > pair.error_bar)?;
        let near = |side: &Spectrum| {
            let pair = side.nearest(s)?;
            pair.value().map(|s| (s, pair.error_bar))
        };
        let ((before, bar), (after, other)) = (near(&sides[0])?, near(&sides[1])?);
        let change = ((after - before).norm() - bar - other).max(0.0);
        let rate = change / (2.0 * h * s.norm_sqr());
        rate.is_finite().then_some(rate)
    };
    Ok(result.spectrum.pairs.iter().map(one).collect())
}
