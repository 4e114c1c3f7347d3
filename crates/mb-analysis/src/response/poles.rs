//! Poles of a response: those of the system, and with structural damping those of K (1 + i eta).

use mb_algebra::c64;
use mb_eigen::{Eigenpair, Spectrum};
use mb_response::{Response, ResponseError, lossy_poles};

/// Damping ratio that rounding of a dense eigenvalue makes, whose error no bound gives.
pub(super) const ROUNDING: f64 = 1e-9;
/// Of the slowest pole without structural damping: what is slower with it is a free motion.
const FREE: f64 = 0.3;

/// Poles that samples gather at, rad/s, and with structural damping its own poles; these none where `all` is false, as not all of
/// the spectrum's are known.
///
/// # Errors
/// Failures of the eigenanalysis.
pub fn poles_of(
    response: &Response,
    spectrum: &Spectrum,
    all: bool,
) -> Result<(Vec<c64>, Option<Vec<c64>>), ResponseError> {
    let known = known(spectrum);
    let loss = response.plant().loss;
    if loss == 0.0 {
        return Ok((known, None));
    }
    let own = if all { Some(moving(lossy_poles(response)?, &known)) } else { None };
    let values = match &own {
        // Free motions have no structural damping.
        Some(own) => own.iter().copied().chain(known.into_iter().filter(|s| s.norm() == 0.0)).collect(),
        // To first order in the loss factor: half of eta |s| against the motion.
        None => known.iter().map(|s| s - 0.5 * loss * s.im.abs()).collect(),
    };
    Ok((values, own))
}

/// The eigenvalues of the motion, those whose real part is none for sure undamped.
fn known(spectrum: &Spectrum) -> Vec<c64> {
    let value = |pair: &Eigenpair| {
        let s = pair.value()?;
        // The bound of a wide one says nothing of a damping that can be seen.
        let undamped = s.re.abs() <= pair.error_bound.min(ROUNDING * s.norm());
        Some(if undamped { c64::new(0.0, s.im) } else { s })
    };
    spectrum.motion().filter_map(value).collect()
}

/// Poles with structural damping without what rounding makes of free motions, which have no stiffness to lose; `known`: the same
/// without the damping, free motions as zeros.
fn moving(mut poles: Vec<c64>, known: &[c64]) -> Vec<c64> {
    let slowest = known.iter().map(|s| s.norm()).filter(|size| *size > 0.0).fold(f64::INFINITY, f64::min);
    if known.iter().any(|s| s.norm() == 0.0) {
        poles.retain(|s| s.norm() > FREE * slowest);
    }
    for s in poles.iter_mut().filter(|s| s.re.abs() <= ROUNDING * s.norm()) {
        s.re = 0.0;
    }
    poles
}

/// The largest real part that is surely positive, of the poles with structural damping where these are known, 1/s.
pub fn growing(lossy: Option<&[c64]>, spectrum: &Spectrum) -> Option<f64> {
    if let Some(lossy) = lossy {
        return lossy.iter().filter(|s| s.re > ROUNDING * s.norm()).map(|s| s.re).reduce(f64::max);
    }
    let pairs = spectrum.motion();
    let grows = pairs.filter_map(|p| p.value().filter(|s| s.re > p.error_bound.max(ROUNDING * s.norm())));
    grows.map(|s| s.re).reduce(f64::max)
}
