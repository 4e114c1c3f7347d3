//! Small oscillations about the rest of the damped linkage: linearized, simulated, and by the energies.
//!
//! Simulated: released at rest near the equilibrium, once on either side. Half the difference of the two motions has no
//! term of second order in the amplitude, and three of its values a time h apart satisfy
//!
//! ```text
//! x(t + h) = 2 exp(re s h) cos(im s h) x(t) - exp(2 re s h) x(t - h)
//! ```
//!
//! whose two coefficients are found by least squares.

use std::ops::ControlFlow;

use mb_constraints::method::CoordinatePartitioning;
use mb_constraints::simulate::{End, StepControl, simulate};
use mb_constraints::{ConstraintMethod, NullSpaceMethod};
use mb_eigen::DenseOptions;
use mb_gallery::models::{Eigenvalue, SpatialFourBar};
use mb_linear::formulation::minimal::minimal;
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize};

use super::exact::turned;
use super::runs::{Measured, model, options, words};

/// Dashpot next to the spring, N s/m.
const DAMPING: f64 = 5.0;
/// Amplitude, rad.
const AMPLITUDE: f64 = 1e-4;
/// Time between samples and at the end, s.
const SAMPLE: f64 = 0.1;
const UNTIL: f64 = 4.0;

/// The oscillating eigenvalue by three ways, rad/s.
pub(super) struct Eigenvalues {
    pub(super) closed: Eigenvalue,
    pub(super) linearized: Eigenvalue,
    pub(super) simulated: Eigenvalue,
}

/// Measures all three.
pub(super) fn eigenvalues() -> Measured<Eigenvalues> {
    let bar = SpatialFourBar { damping: DAMPING, ..SpatialFourBar::default() };
    let theta = bar.equilibrium(std::f64::consts::PI).ok_or("no equilibrium of the hanging crank")?;
    let [closed, _] = bar.eigenvalues(theta).ok_or("the linkage does not close")?;
    Ok(Eigenvalues { closed, linearized: linearized(&bar, theta)?, simulated: simulated(&bar, theta)? })
}

fn linearized(bar: &SpatialFourBar, theta: f64) -> Measured<Eigenvalue> {
    let model = model(bar)?;
    let start = bar.configuration(theta).ok_or("the linkage does not close")?;
    let rest = Equilibrium::solve(&model, &start, &EquilibriumOptions::default()).map_err(words)?;
    let lin = linearize(&model, &OperatingPoint::from(&rest));
    let system = minimal(&model, &lin, &NullSpaceMethod::Qr).map_err(words)?;
    let spectrum = mb_eigen::dense::solve(&system.pencil(), &DenseOptions::default()).map_err(words)?;
    let s = spectrum.motion_values().into_iter().find(|s| s.im > 0.0).ok_or("no oscillation")?;
    Ok(Eigenvalue { re: s.re, im: s.im })
}

fn simulated(bar: &SpatialFourBar, theta: f64) -> Measured<Eigenvalue> {
    let (up, down) = (released(bar, theta, AMPLITUDE)?, released(bar, theta, -AMPLITUDE)?);
    let x: Vec<f64> = up.iter().zip(&down).map(|(a, b)| 0.5 * (a - b)).collect();
    // Least squares of x[k+1] = a x[k] + b x[k-1].
    let (mut pp, mut pq, mut qq, mut pr, mut qr) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for w in x.windows(3) {
        pp += w[1] * w[1];
        pq += w[1] * w[0];
        qq += w[0] * w[0];
        pr += w[1] * w[2];
        qr += w[0] * w[2];
    }
    let determinant = pp * qq - pq * pq;
    let (a, b) = ((pr * qq - qr * pq) / determinant, (qr * pp - pr * pq) / determinant);
    let re = 0.5 * (-b).ln() / SAMPLE;
    let im = (0.5 * a / (-b).sqrt()).acos() / SAMPLE;
    if re.is_finite() && im.is_finite() {
        Ok(Eigenvalue { re, im })
    } else {
        Err("the samples do not oscillate".to_owned())
    }
}

/// The crank's angle from its rest at the samples.
fn released(bar: &SpatialFourBar, theta: f64, by: f64) -> Measured<Vec<f64>> {
    let model = model(bar)?;
    let start = bar.configuration(theta + by).ok_or("the linkage does not close")?;
    let method = ConstraintMethod::CoordinatePartitioning(CoordinatePartitioning::default());
    let control = StepControl { relative: 1e-13, absolute: 1e-15, max_step: None };
    let options = options(UNTIL, SAMPLE, method, control);
    let rest = vec![0.0; model.nv()];
    let found =
        simulate(&model, 0.0, &start, &rest, &options, &mut |_| ControlFlow::Continue(())).map_err(words)?;
    if let End::Failed(why) = &found.end {
        return Err(words(why));
    }
    let wrap = |x: f64| x - (x / std::f64::consts::TAU).round() * std::f64::consts::TAU;
    Ok(turned(&found).into_iter().map(|angle| wrap(angle - theta)).collect())
}
