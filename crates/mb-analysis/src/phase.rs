//! The phase of a motion: how much of it is in one phase, and which.

use mb_algebra::c64;

/// The factor of modulus one that makes most of the motion real: half the angle of the sum of squares, turned back.
pub fn turn<'a>(amplitudes: impl Iterator<Item = &'a c64>) -> c64 {
    let sum: c64 = amplitudes.map(|z| z * z).sum();
    c64::from_polar(1.0, -0.5 * sum.arg())
}

/// The share of the motion that is a quarter of a period behind: 0 for an oscillation in one phase.
pub fn spread<'a>(amplitudes: impl Iterator<Item = &'a c64> + Clone) -> f64 {
    let turn = turn(amplitudes.clone());
    let (mut with, mut behind) = (0.0, 0.0);
    for z in amplitudes.map(|z| z * turn) {
        with += z.re * z.re;
        behind += z.im * z.im;
    }
    if with > 0.0 { f64::sqrt(behind / with) } else { 0.0 }
}
