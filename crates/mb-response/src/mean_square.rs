//! Mean squares of outputs over a band of frequencies, for inputs with a density S_u(f) per Hz, one-sided.
//!
//! ```text
//! E y^2 = integral of |H|^2 S_u df
//! ```
//!
//! by Gauss-Kronrod rules of 7 and 15 nodes, the difference of which is the estimate of the error. It sees a resonance only where the
//! nodes are not far apart against the distance to its pole, so that intervals are graded beforehand: an interval [a, b] has
//!
//! ```text
//! b - a <= d + 2 g,   d half-width |re s| / 2 pi of a resonance, g distance of [a, b] from its centre |im s| / 2 pi
//! ```
//!
//! for every pole. With the interval on [-1, 1] all poles are then outside of the ellipse of Bernstein with the sum 3.7 of its half-axes, in
//! which the rules of degree 13 and 22 converge as 3.7^-14 = 1e-8 and 3.7^-23 = 1e-13 (Trefethen, SIAM Review 50, 2008, theorem 4.5): the
//! estimate is that of a series that converges, not of samples that miss a resonance. Intervals are halved where the tolerance asks
//! for it. A resonance of damping ratio z costs about 2 log_3(1 / z) intervals.

use crate::error::ResponseError;
use mb_algebra::c64;
use std::f64::consts::TAU;

/// Intervals of an integral at most.
const INTERVALS: usize = 20_000;
/// Lengths of graded intervals over what they may be, so that rounding splits none of them again.
const SLACK: f64 = 1.0 + 1e-9;
/// Half-width of a resonance at least, relative to its frequency: the rounding of that frequency.
const NARROWEST: f64 = 1e-15;
/// Nodes of the rule of Kronrod, positive half (QUADPACK, qk15).
const NODES: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_55,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_82,
];
const GAUSS: [f64; 4] =
    [0.129_484_966_168_869_7, 0.279_705_391_489_276_67, 0.381_830_050_505_118_9, 0.417_959_183_673_469_4];

/// A mean square over a band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanSquare {
    /// Integral of |H|^2 S_u df.
    pub value: f64,
    /// Estimate of the error of the integration, and what the bounds of H add.
    pub error: f64,
    /// Evaluations of H.
    pub evaluations: usize,
}

/// Densities of the outputs at a frequency in Hz, each with the bound of its error.
pub type Densities<'a> = dyn FnMut(f64) -> Result<Vec<(f64, f64)>, ResponseError> + 'a;

/// Integrals of the densities over the band in Hz, one for each of the `outputs`, which are their names.
///
/// `corners`: frequencies in Hz at which the densities have corners. `poles`: those of H, rad/s. `tolerance` is relative; what the bounds of
/// the densities add is no error that smaller intervals mend, so that an output which is rounding alone is zero within its bound.
///
/// # Errors
/// What `densities` fails with; [`ResponseError::Unsettled`].
pub fn mean_squares(
    densities: &mut Densities<'_>,
    [from, to]: [f64; 2],
    corners: &[f64],
    poles: &[c64],
    tolerance: f64,
    outputs: &[String],
) -> Result<Vec<MeanSquare>, ResponseError> {
    let mut evaluations = 0;
    let mut parts = Vec::new();
    for [from, to] in graded([from, to], corners, poles) {
        parts.push(rule(densities, from, to, &mut evaluations)?);
    }
    loop {
        let sums: Vec<Sums> = (0..outputs.len())
            .map(|o| parts.iter().fold(Sums::default(), |sum, part| sum.plus(&part.sums[o])))
            .collect();
        // More than the rounding of a sum with that many terms is not asked for.
        let rounding = |s: &Sums| f64::EPSILON * s.value.abs() * (parts.len() as f64).sqrt();
        let allowed = |s: &Sums| tolerance * s.value + s.bounds + rounding(s);
        let left: Vec<usize> = (0..outputs.len()).filter(|o| sums[*o].error > allowed(&sums[*o])).collect();
        let Some(first) = left.first() else {
            let found = |s: &Sums| MeanSquare {
                value: s.value,
                error: s.error + s.bounds + rounding(s),
                evaluations,
            };
            return Ok(sums.iter().map(found).collect());
        };
        if parts.len() >= INTERVALS {
            let (output, error) = (outputs[*first].clone(), sums[*first].error);
            return Err(ResponseError::Unsettled { output, error, evaluations });
        }
        let share = (parts.len() as f64).recip();
        let coarse = |part: &Part| left.iter().any(|o| part.sums[*o].error > share * allowed(&sums[*o]));
        let mut finer = Vec::with_capacity(parts.len() + 1);
        for part in &parts {
            if coarse(part) {
                let middle = 0.5 * (part.from + part.to);
                finer.push(rule(densities, part.from, middle, &mut evaluations)?);
                finer.push(rule(densities, middle, part.to, &mut evaluations)?);
            } else {
                finer.push(part.clone());
            }
        }
        parts = finer;
    }
}

/// Intervals of the band that end at corners and resonances, short near poles.
fn graded([from, to]: [f64; 2], corners: &[f64], poles: &[c64]) -> Vec<[f64; 2]> {
    let resonances: Vec<[f64; 2]> = poles
        .iter()
        .filter(|p| p.im >= 0.0)
        .map(|p| [p.im / TAU, p.re.abs().max(NARROWEST * p.im) / TAU])
        .collect();
    let inner = corners.iter().copied().chain(resonances.iter().map(|r| r[0]));
    let mut ends: Vec<f64> = inner.filter(|f| *f > from && *f < to).collect();
    ends.extend([from, to]);
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    let mut waiting: Vec<[f64; 2]> = ends.windows(2).rev().map(|p| [p[0], p[1]]).collect();
    let mut out = Vec::new();
    while let Some([a, b]) = waiting.pop() {
        let length = b - a;
        let excess = |[centre, width]: &[f64; 2]| {
            let gap = (a - centre).max(centre - b).max(0.0);
            length / (width + 2.0 * gap)
        };
        let worst = resonances.iter().map(|r| (r[0], excess(r))).max_by(|x, y| x.1.total_cmp(&y.1));
        match worst {
            Some((centre, excess)) if excess > SLACK => {
                // The farther part is then as long as twice its distance from a pole at the end.
                let third = length / 3.0;
                let cut = if centre <= 0.5 * (a + b) { a + third } else { b - third };
                if cut > a && cut < b {
                    waiting.extend([[cut, b], [a, cut]]);
                } else {
                    out.push([a, b]);
                }
            }
            _ => out.push([a, b]),
        }
    }
    out
}

#[derive(Clone, Debug)]
struct Part {
    from: f64,
    to: f64,
    /// By output.
    sums: Vec<Sums>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    value: f64,
    error: f64,
    bounds: f64,
}

impl Sums {
    fn plus(self, other: &Self) -> Self {
        Self {
            value: self.value + other.value,
            error: self.error + other.error,
            bounds: self.bounds + other.bounds,
        }
    }
}

/// Both rules on one interval.
fn rule(
    densities: &mut Densities<'_>,
    from: f64,
    to: f64,
    evaluations: &mut usize,
) -> Result<Part, ResponseError> {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    // `error` holds the sum of the coarse rule until the end.
    let mut sums: Vec<Sums> = Vec::new();
    for (k, node) in NODES.iter().enumerate() {
        let places: &[f64] = if *node == 0.0 { &[0.0] } else { &[-1.0, 1.0] };
        for sign in places {
            let found = densities(middle + sign * node * half)?;
            *evaluations += 1;
            sums.resize(found.len(), Sums::default());
            for (sum, (value, bound)) in sums.iter_mut().zip(found) {
                sum.value += half * KRONROD[k] * value;
                sum.bounds += half * KRONROD[k] * bound;
                if k % 2 == 1 {
                    sum.error += half * GAUSS[k / 2] * value;
                }
            }
        }
    }
    for sum in &mut sums {
        sum.error = (sum.value - sum.error).abs();
    }
    Ok(Part { from, to, sums })
}
