//! First values of eigenvalues of which nothing is known but those beside them.
//!
//! ```text
//! eigenvalues within |s| < r   =   mean of Re(s p' / p) over the circle,   less the part of those known
//! ```
//!
//! The mean is that of four points, two of them conjugates of the others: an estimate, for starts only. Annuli are halved, in logarithms,
//! until their radii differ by a factor of two or nothing is left in them. Where the determinant may vanish for all that its digits say, as far
//! out as M alone counts and is singular, or so near to zero that K is, nothing lies further. Bini and Noferini, Linear Algebra Appl. 439 (2013),
//! section 4, take the radii from the sizes of the coefficients, which say little where a matrix holds entries of all sizes.

use std::f64::consts::{FRAC_PI_4, TAU};

use mb_algebra::c64;

use super::function::Function;

/// Powers of two between which eigenvalues are looked for.
const RANGE: [f64; 2] = [-400.0, 400.0];
/// The same of two circles next to each other: further ones could lie where a singular M or K leaves the slope no digits.
const STEP: f64 = 4.0;

/// `count` values beside those known, real ones and both of every pair; `about`: a size of |s| to start from.
pub(super) fn find(function: &Function, known: &[c64], count: usize, about: f64) -> Option<Vec<c64>> {
    let within = |log: f64| -> Option<f64> {
        let of = |angle: f64| {
            let s = c64::from_polar(log.exp2(), angle);
            let others: c64 = known.iter().map(|z| (s - z).inv()).sum();
            Some((s * (function.at(s)?.slope - others)).re)
        };
        let mean = 0.5 * (of(FRAC_PI_4)? + of(3.0 * FRAC_PI_4)?);
        mean.is_finite().then_some(mean)
    };
    let first = about.log2().floor();
    let (mut low, mut high) = (first, first);
    let whole = count as f64;
    while within(low).is_some_and(|inside| inside >= 0.5) && low > RANGE[0] {
        low -= STEP;
    }
    while within(high).is_some_and(|inside| inside < whole - 0.5) && high < RANGE[1] {
        high += STEP;
    }
    let mut out = Vec::with_capacity(count);
    let mut open = vec![((low, 0.0_f64), (high, whole))];
    while let Some(((low, inside), (high, all))) = open.pop() {
        let between = all.round() - inside.round();
        if between < 1.0 {
            continue;
        }
        if high - low <= 1.0 {
            let radius = (0.5 * (low + high)).exp2();
            let mut angle = 0.4 + out.len() as f64;
            let mut left = between;
            while left > 0.5 {
                out.push(c64::from_polar(radius, angle));
                angle += TAU / between;
                left -= 1.0;
            }
            continue;
        }
        let middle = 0.5 * (low + high);
        let beyond = if middle > first { all } else { inside };
        let half = within(middle).map_or(beyond, |half| half.clamp(inside, all));
        open.push(((low, inside), (middle, half)));
        open.push(((middle, half), (high, all)));
    }
    (out.len() == count).then_some(out)
}
