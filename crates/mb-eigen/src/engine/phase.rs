//! The phase of the determinant around a circle, from points that were computed outside.
//!
//! ```text
//! change of ln det S(tau) - sum_j ln(tau - tau_j) around the circle = 2 pi i (number inside - number of the tau_j inside)
//! ```
//!
//! by the rule of [`crate::completeness::steps`]; the points are given, other than those of [`crate::completeness::winding`]. They come in
//! pairs, a place and a point ahead of it for the slope; the first places are at equal distances around the circle.

use mb_algebra::c64;
use mb_algebra::sorted::ascending;

use crate::completeness::steps::{AHEAD, FIRST, Node, Smooth, turned};
use crate::completeness::winding::Circle;
use crate::tuning;

const UNPAIRED: &str = "the determinants of the engine do not show how fast the phase turns";

/// Eigenvalues inside beyond those known; why that cannot be reported.
///
/// `points`: places with ln |det| + i arg det, each followed by one ahead of it, the first ones at equal distances; `known`: eigenvalues
/// in the same units.
pub(crate) fn turns(
    centre: c64,
    radius: f64,
    points: &[(c64, c64)],
    known: &[c64],
) -> Result<f64, &'static str> {
    if points.len() < 2 * FIRST {
        return Err("the engine computed too few determinants around the eigenvalues");
    }
    let on = |(at, _): &(c64, c64)| ((at - centre).norm() - radius).abs() <= tuning::SQRT_EPS * radius;
    if !points.iter().all(on) {
        return Err("the determinants of the engine are not those of one circle");
    }
    let full = std::f64::consts::TAU;
    let angle = |at: c64| (at - centre).arg();
    let left = |(at, whole): &(c64, c64)| whole - known.iter().map(|tau| (at - tau).ln()).sum::<c64>();
    let node = |pair: &[(c64, c64)]| {
        let by = (angle(pair[1].0) - angle(pair[0].0)).rem_euclid(full);
        // No further ahead than that of the first places.
        let near = by > 0.0 && by <= AHEAD * (1.0 + tuning::MINOR) * full / FIRST as f64;
        near.then(|| Node::measured(angle(pair[0].0), left(&pair[0]), left(&pair[1]), by))
    };
    let (pairs, []) = points.as_chunks::<2>() else { return Err(UNPAIRED) };
    let nodes: Option<Vec<Node>> = pairs.iter().map(|pair| node(pair)).collect();
    let nodes = nodes.ok_or(UNPAIRED)?;
    let smooth = Smooth::of(&nodes[..FIRST]);
    let mut nodes: Vec<Node> = nodes.iter().map(|node| smooth.less(node)).collect();
    ascending(&mut nodes, |node| node.angle);
    nodes.extend(nodes.first().map(Node::again));
    let circle = Circle { centre, radius, known: known.to_vec(), rest: 0 };
    let mut sum = 0.0;
    for ends in nodes.windows(2) {
        // Steps of the angle as short as those that are allowed of the phase: eight places at least.
        if ends[1].angle - ends[0].angle > tuning::QUIET {
            return Err("the determinants of the engine leave part of the circle out");
        }
        let step = turned(&ends[0], &ends[1]).filter(|_| circle.is_fine(ends[0].angle, ends[1].angle));
        sum += step.ok_or(
            "so many eigenvalues lie next to the region searched that the determinants which the engine computed are not enough; \
             ask for fewer modes or a narrower band",
        )?;
    }
    let turns = sum / full;
    if (turns - turns.round()).abs() > tuning::CLEAR {
        return Err(
            "rounding of the determinants along the border of the region searched leaves open how many eigenvalues it holds; \
             ask for one mode more or less, which moves it",
        );
    }
    Ok(turns.round())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(eigenvalues: &[c64], centre: c64, radius: f64, count: usize) -> Vec<(c64, c64)> {
        let full = std::f64::consts::TAU;
        let of = |angle: f64| {
            let at = centre + c64::from_polar(radius, angle);
            let whole = eigenvalues.iter().map(|eigenvalue| (at - eigenvalue).ln()).sum::<c64>();
            // The phase of a determinant is known up to turns.
            (at, c64::new(whole.re, whole.im - full * (whole.im / full).round()))
        };
        // Sixteen first, and others between them.
        let order = |k: usize| if k < 16 { k * count / 16 } else { k - 16 + (k - 16) / (count / 16 - 1) + 1 };
        let angles = (0..count).map(|k| 0.05 + full * order(k) as f64 / count as f64);
        angles.flat_map(|angle| [of(angle), of(angle + 3e-3)]).collect()
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

    /// Eigenvalues in a dense line behind the circle: their number turns the phase by whole turns between two points.
    #[test]
    fn a_dense_line_behind_the_circle_hides_nothing() {
        let line = (0..600).map(|k| c64::new(-1e-3, 1.3 + 0.01 * f64::from(k)));
        let inside = [c64::new(-0.1, 0.5), c64::new(-0.1, 0.4)];
        let eigenvalues: Vec<c64> = inside.into_iter().chain(line).collect();
        let (centre, radius) = (c64::new(0.0, 0.0), 1.0);
        for count in [16, 32, 64, 128, 256] {
            let points = points(&eigenvalues, centre, radius, count);
            for known in 0..=2 {
                let found = turns(centre, radius, &points, &eigenvalues[..known]);
                let right = (2 - known) as f64;
                assert!(found.is_err() || found == Ok(right), "{count} {known}: {found:?}");
                assert!(count < 256 || found == Ok(right), "{count} {known}: {found:?}");
            }
        }
    }

    #[test]
    fn what_turns_too_fast_is_no_count() {
        let eigenvalues = [c64::new(0.0, 0.0), c64::new(1.02, 0.0)];
        let centre = c64::new(0.0, 0.0);
        let points = points(&eigenvalues, centre, 1.0, 32);
        assert!(turns(centre, 1.0, &points, &eigenvalues[..1]).is_err());
        assert!(turns(centre, 1.0, &points[..32], &eigenvalues).is_err());
        assert!(turns(centre, 1.1, &points, &eigenvalues).is_err());
    }
}
