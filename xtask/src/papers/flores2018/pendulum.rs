//! Drift of the energy of a pendulum over ten thousand swings with its rod held by projection.
//!
//! The rod swings a radian to either side. Its period is 2 pi / omega over the arithmetic-geometric mean of 1 and
//! cos(A / 2), so reports a period apart see the same phase and the drift alone.

use mb_constraints::ConstraintMethod;
use mb_constraints::method::DirectCorrection;
use mb_constraints::simulate::StepControl;
use mb_gallery::models::RodPendulum;

use super::runs::{Measured, largest, motion, options, words};

const SWINGS: f64 = 10_000.0;
const AMPLITUDE: f64 = 1.0;
const PENDULUM: RodPendulum = RodPendulum { length: 1.5, mass: 2.0, gravity: 9.81, upright: false };

/// What becomes of the energy.
pub(super) struct Drift {
    /// Largest distance from a straight line through the start, relative to the drift at the end.
    pub(super) bend: f64,
    /// Drift at the end, relative to the energy of the swing, over steps times relative tolerance.
    pub(super) share: f64,
    /// Largest Phi^T Phi.
    pub(super) violation: f64,
}

/// Period, s.
fn period() -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * AMPLITUDE).cos());
    while (a - b).abs() > 1e-15 {
        (a, b) = (f64::midpoint(a, b), (a * b).sqrt());
    }
    std::f64::consts::TAU / PENDULUM.eigenvalues()[0].im / a
}

/// Runs and measures.
pub(super) fn drift() -> Measured<Drift> {
    let mut spec = PENDULUM.spec();
    let (s, c) = AMPLITUDE.sin_cos();
    let end = spec.points.iter_mut().find(|p| p.name == "P").ok_or("the rod has no end P")?;
    end.at = Some([(PENDULUM.length * s).into(), (-PENDULUM.length * c).into()]);
    let model = spec.build().map_err(words)?;
    let method = ConstraintMethod::DirectCorrection(DirectCorrection::default());
    let control = StepControl::default();
    let motion = motion(&model, &options(SWINGS * period(), period(), method, control))?;
    let last = motion.records.last().map_or(f64::NAN, |r| r.drift);
    let reports = motion.len() - 1;
    let line = |i: usize| last * i as f64 / reports as f64;
    let apart = motion.records.iter().enumerate().map(|(i, r)| (r.drift - line(i)).abs());
    // m g L / 2 (1 - cos A), the fall of the mass centre.
    let swing = 0.5 * PENDULUM.mass * PENDULUM.gravity * PENDULUM.length * (1.0 - c);
    let allowed = motion.statistics.steps as f64 * control.relative;
    Ok(Drift {
        bend: largest(apart) / last.abs(),
        share: last.abs() / swing / allowed,
        violation: motion.violation().0,
    })
}
