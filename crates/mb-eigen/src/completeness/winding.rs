//! Winding number of a determinant along a circle, with the eigenvalues known divided out.
//!
//! ```text
//! change of ln det S(tau) - sum_j ln(tau - tau_j) - N ln(tau - c) along the circle
//!     = 2 pi i (number inside - number of the tau_j inside - N)
//! ```
//!
//! The first step measures how fast the phase turns, and steps are cut, at uneven points, until none changes the logarithm by more than
//! an eighth of a turn, in its phase and in its magnitude. Two eigenvalues next to the circle turn the phase by a full circle between two
//! points, which is not seen; but of three points at uneven distances one is much nearer to them than another, and the magnitude shows it.
//! Ahlfors, Complex Analysis, section 4.5.2.

use mb_algebra::c64;

use crate::EigenError;

/// Largest change of the logarithm in a step, of both its parts.
const QUIET: f64 = std::f64::consts::FRAC_PI_4;
/// Where a step is cut.
const CUT: f64 = 0.381_966_011_250_105_1;
/// First steps at least and at most.
const STEPS: [usize; 2] = [4, 48];
/// Halvings of a first step.
const DEPTH: usize = 12;
/// Angle over which the first step measures the slope.
const PROBE: f64 = 1e-3;
/// Fewest points of a circle at which the determinant is needed.
pub(crate) const FEWEST_POINTS: usize = 2 * STEPS[0] + 1;

/// A circle, and the eigenvalues known.
pub(crate) struct Circle {
    pub(crate) centre: c64,
    pub(crate) radius: f64,
    pub(crate) known: Vec<c64>,
    /// How many others are expected inside (N).
    pub(crate) rest: usize,
}

/// Eigenvalues inside beyond those known and expected, as the turns of the phase, which close to a whole number; none when `left`
/// determinants are not enough.
///
/// `ln_determinant` at a point of the circle, up to multiples of 2 pi i; none where rounding leaves it in doubt.
pub(crate) fn turns(
    circle: &Circle,
    left: usize,
    ln_determinant: impl Fn(c64) -> Result<Option<c64>, EigenError>,
) -> Result<Option<f64>, EigenError> {
    let full = std::f64::consts::TAU;
    let left = std::cell::Cell::new(left);
    let logarithm = |angle: f64| -> Result<Option<c64>, EigenError> {
        if left.get() == 0 {
            return Ok(None);
        }
        left.set(left.get() - 1);
        let off = c64::from_polar(circle.radius, angle);
        let tau = circle.centre + off;
        let Some(whole) = ln_determinant(tau)? else { return Ok(None) };
        let known: c64 = circle.known.iter().map(|known| (tau - known).ln()).sum();
        Ok(Some(whole - known - off.ln() * circle.rest as f64))
    };
    // Half a circle does where the other half is its mirror image.
    let mirrored = |tau: &c64| tau.im == 0.0 || circle.known.iter().any(|other| *other == tau.conj());
    let half = circle.centre.im == 0.0 && circle.known.iter().all(mirrored);
    let whole = if half { 0.5 * full } else { full };
    let start = 0.05;
    let first = if half { 0.0 } else { start };
    let (Some(at), Some(beside)) = (logarithm(first)?, logarithm(first + PROBE)?) else {
        return Ok(None);
    };
    let slope = (wrapped((beside - at).im) / PROBE).abs();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
    let least = (slope * whole / QUIET).min(1e6) as usize;
    let steps = least.clamp(STEPS[0], STEPS[1]);
    // Every part changes the phase by QUIET at most and takes a point, and every step is cut once.
    if least.max(2 * steps - 1) > left.get() {
        return Ok(None);
    }
    let mut open: Vec<(f64, c64, f64, c64, usize)> = Vec::new();
    let mut before = (first, at);
    for step in 1..=steps {
        // Steps of different lengths.
        let share = step as f64 / steps as f64;
        let bent = share + 0.3 / (steps * steps) as f64 * (step * (steps - step)) as f64 / steps as f64;
        let angle = first + whole * bent;
        let closed = step == steps && !half;
        let next = if closed { Some(at) } else { logarithm(angle)? };
        let Some(next) = next else { return Ok(None) };
        open.push((before.0, before.1, angle, next, DEPTH));
        before = (angle, next);
    }
    let mut sum = 0.0;
    while let Some((from, start, to, end, depth)) = open.pop() {
        // Each of the others takes a point at least.
        if open.len() >= left.get() {
            return Ok(None);
        }
        let cut = from + CUT * (to - from);
        let Some(middle) = logarithm(cut)? else { return Ok(None) };
        let (one, two) = (step(start, middle), step(middle, end));
        if is_quiet(one) && is_quiet(two) {
            sum += one.im + two.im;
        } else if depth == 0 {
            return Ok(None);
        } else {
            open.push((from, start, cut, middle, depth - 1));
            open.push((cut, middle, to, end, depth - 1));
        }
    }
    Ok(Some(if half { 2.0 * sum / full } else { sum / full }))
}

/// From one logarithm to the next, the phase in -pi..pi.
fn step(from: c64, to: c64) -> c64 {
    c64::new((to - from).re, wrapped((to - from).im))
}

fn is_quiet(step: c64) -> bool {
    step.re.abs() <= QUIET && step.im.abs() <= QUIET
}

/// The angle in -pi..pi.
fn wrapped(angle: f64) -> f64 {
    let full = std::f64::consts::TAU;
    angle - full * (angle / full).round()
}
