//! The phase of the determinant around a circle, from points that were computed outside.
//!
//! ```text
//! change of ln det S(tau) - sum_j ln(tau - tau_j) around the circle = 2 pi i (number inside - number of the tau_j inside)
//! ```
//!
//! as in [`crate::completeness::winding`], whose steps are cut until they are quiet; here the points are given, and no step between
//! neighbours may change phase or magnitude by more than an eighth of a turn. Two eigenvalues next to the circle, which turn the phase by a full
//! circle between two points, show in the magnitude, as steps come in pairs of uneven lengths.

use mb_algebra::c64;
use mb_algebra::sorted::ascending;

use crate::tuning;

/// The angle in -pi..pi.
fn wrapped(angle: f64) -> f64 {
    let full = std::f64::consts::TAU;
    angle - full * (angle / full).round()
}

/// Eigenvalues inside beyond those known; why that cannot be reported.
///
/// `points`: places with ln |det| + i arg det, in any order; `known`: eigenvalues in the same units.
pub(crate) fn turns(
    centre: c64,
    radius: f64,
    points: &[(c64, c64)],
    known: &[c64],
) -> Result<f64, &'static str> {
    if points.is_empty() {
        return Err("the engine computed too few determinants around the eigenvalues");
    }
    let on = |(at, _): &(c64, c64)| ((at - centre).norm() - radius).abs() <= tuning::SQRT_EPS * radius;
    if !points.iter().all(on) {
        return Err("the determinants of the engine are not those of one circle");
    }
    let angle = |at: c64| (at - centre).arg();
    let mut list: Vec<(f64, c64)> = points
        .iter()
        .map(|(at, whole)| (angle(*at), whole - known.iter().map(|tau| (at - tau).ln()).sum::<c64>()))
        .collect();
    ascending(&mut list, |a| a.0);
    let count = list.len();
    let full = std::f64::consts::TAU;
    let length = |i: usize| (list[(i + 1) % count].0 - list[i].0).rem_euclid(full);
    // Steps of the angle as short as those that are allowed of the phase: eight points at least.
    if (0..count).any(|i| length(i) > tuning::QUIET) {
        return Err("the determinants of the engine leave part of the circle out");
    }
    let mut sum = 0.0;
    for i in 0..count {
        let (from, to) = (list[i].1, list[(i + 1) % count].1);
        let (size, phase) = ((to - from).re, wrapped((to - from).im));
        if !(size.abs() <= tuning::QUIET && phase.abs() <= tuning::QUIET) {
            return Err(
                "the determinant turns too fast along the circle for the points that the engine computed",
            );
        }
        sum += phase;
    }
    let turns = sum / full;
    if (turns - turns.round()).abs() > tuning::CLEAR {
        return Err("the phase of the determinant does not close along the circle");
    }
    Ok(turns.round())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(eigenvalues: &[c64], centre: c64, radius: f64, count: usize) -> Vec<(c64, c64)> {
        let of = |k: usize| {
            let at = centre + c64::from_polar(radius, 0.05 + std::f64::consts::TAU * k as f64 / count as f64);
            let whole = eigenvalues.iter().map(|eigenvalue| (at - eigenvalue).ln()).sum::<c64>();
            // The phase of a determinant is known up to turns.
            (at, c64::new(whole.re, wrapped(whole.im)))
        };
        (0..count).map(of).collect()
    }

    #[test]
    fn each_eigenvalue_left_out_is_missed() {
        let eigenvalues =
            [c64::new(-0.1, 1.0), c64::new(-0.1, 1.0), c64::new(-0.3, 1.4), c64::new(-2.0, 5.0)];
        let (centre, radius) = (c64::new(0.0, 1.1), 0.8);
        let points = points(&eigenvalues, centre, radius, 48);
        assert!(turns(centre, radius, &points, &eigenvalues).is_ok_and(|found| found == 0.0));
        for left_out in 0..3 {
            let known: Vec<c64> = eigenvalues
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != left_out)
                .map(|(_, eigenvalue)| *eigenvalue)
                .collect();
            let found = turns(centre, radius, &points, &known);
            assert!(found == Ok(1.0), "{found:?}");
        }
    }

    #[test]
    fn what_turns_too_fast_is_no_count() {
        let eigenvalues = [c64::new(0.0, 0.0), c64::new(1.02, 0.0)];
        let centre = c64::new(0.0, 0.0);
        let points = points(&eigenvalues, centre, 1.0, 16);
        assert!(turns(centre, 1.0, &points, &eigenvalues[..1]).is_err());
        assert!(turns(centre, 1.0, &points[..8], &eigenvalues).is_err());
        assert!(turns(centre, 1.1, &points, &eigenvalues).is_err());
    }
}
