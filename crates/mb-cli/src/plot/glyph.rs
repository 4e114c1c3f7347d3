//! How each kind of thing looks. Sizes are those of the drawing, whatever the size of the model.

use super::svg::{Point, Svg};
use mb_model::{CIRCLE, Stroke};
use std::f64::consts::TAU;

const PIN: f64 = 3.6;
const DOT: f64 = 3.2;
/// Windings of a spring and their height.
const TEETH: usize = 7;
const TOOTH: f64 = 5.0;
/// Half the length of a wall, half the side of a weld.
const WALL: f64 = 11.0;
const WELD: f64 = 4.2;
/// Radius of a spiral at its start, and how much it grows in a turn.
const SPIRAL: [f64; 2] = [4.6, 4.0];
/// Radii of the rings of a bushing.
const RINGS: [f64; 2] = [8.0, 4.2];
/// Radius of the ring of a torsional damper.
const VANE: f64 = 10.0;

/// Half the distance of two springs or dampers side by side, and its share of their length at most.
const LANE: f64 = 7.0;
const LANE_SHARE: f64 = 0.16;

/// Draws a stroke through its points; a spring or damper in a lane beside the line between its ends, held there by bars.
pub(super) fn stroke(svg: &mut Svg, kind: Stroke, points: &[Point], lane: i32) {
    let beside = match points {
        [a, b] if lane != 0 => lane_of(*a, *b, lane).inspect(|ends| {
            svg.polyline(&[*a, ends[0]], false, "thin");
            svg.polyline(&[*b, ends[1]], false, "thin");
        }),
        _ => None,
    };
    let points = beside.as_ref().map_or(points, |ends| ends.as_slice());
    match (kind, points) {
        (Stroke::Bar, _) => {
            svg.polyline(points, false, "");
            for end in points {
                svg.circle(*end, PIN, "joint");
            }
        }
        (Stroke::Body, [center, ..]) => {
            let hull = hull(points);
            if hull.len() > 1 {
                svg.polyline(&hull, hull.len() > 2, "body");
            }
            svg.circle(*center, DOT, "dot");
        }
        (Stroke::Wheel, [center, rim @ ..]) => {
            for circle in rim.chunks_exact(CIRCLE) {
                svg.polyline(circle, true, "body");
                // Three spokes show how it turns.
                for k in 0..3 {
                    svg.polyline(&[*center, circle[k * CIRCLE / 3]], false, "thin");
                }
            }
        }
        (Stroke::Curve, _) => svg.curve(points, ""),
        (Stroke::Spring, [a, b]) => svg.polyline(&zigzag(*a, *b), false, "thin"),
        (Stroke::Damper, [a, b]) => damper(svg, *a, *b),
        (Stroke::Bushing, [a, b]) => {
            let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
            svg.polyline(points, false, "thin");
            for radius in RINGS {
                svg.circle(middle, radius, "joint");
            }
        }
        (Stroke::Link, _) => svg.polyline(points, false, ""),
        (Stroke::Pin, [a, ..]) => svg.circle(*a, PIN, "joint"),
        (Stroke::Clamp, [at, _, further @ ..]) => weld(svg, *at, further.first()),
        (Stroke::TorsionSpring, [at, ..]) => svg.polyline(&spiral(*at), false, "thin"),
        (Stroke::TorsionDamper, [at, ..]) => rotary_damper(svg, *at),
        (Stroke::Slider, [point, line @ ..]) => slider(svg, *point, direction(line)),
        (Stroke::Mass, [at, ..]) => svg.circle(*at, DOT, "dot"),
        // A load is a cause, not a part; its place is drawn by what it acts on. Faces are drawn together (surface.rs).
        _ => {}
    }
}

/// The ends of a line so many half distances beside the one from a to b.
fn lane_of(a: Point, b: Point, lane: i32) -> Option<[Point; 2]> {
    let d = [b[0] - a[0], b[1] - a[1]];
    let [x, y] = unit(d)?;
    let side = f64::from(lane) * LANE.min(LANE_SHARE * d[0].hypot(d[1]));
    Some([a, b].map(|p| [p[0] - side * y, p[1] + side * x]))
}

/// Direction of a line by two of its points, of length one.
fn direction(line: &[Point]) -> Option<Point> {
    let [a, b] = line else { return None };
    unit([b[0] - a[0], b[1] - a[1]])
}

fn unit(d: Point) -> Option<Point> {
    let length = d[0].hypot(d[1]);
    (length > 1e-9).then(|| [d[0] / length, d[1] / length])
}

/// The line that a slider slides on, inside a frame of two corners.
pub(super) fn rail(svg: &mut Svg, points: &[Point], reach: f64, frame: [Point; 2]) {
    let [point, line @ ..] = points else { return };
    if let Some(ends) = direction(line).and_then(|along| inside(*point, along, reach, frame)) {
        svg.polyline(&ends, false, "rail");
    }
}

/// The part inside a frame of the line that reaches as far both ways from a point; none where all of it is outside.
fn inside(at: Point, along: Point, reach: f64, frame: [Point; 2]) -> Option<[Point; 2]> {
    let (mut from, mut to) = (-reach, reach);
    for k in 0..2 {
        let sides = frame.map(|corner| corner[k] - at[k]);
        if along[k] == 0.0 {
            // Along a side: inside all the way or nowhere.
            if sides[0] > 0.0 || sides[1] < 0.0 {
                return None;
            }
            continue;
        }
        let [a, b] = sides.map(|side| side / along[k]);
        (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
    }
    (from < to).then(|| [from, to].map(|s| [at[0] + s * along[0], at[1] + s * along[1]]))
}

/// A block that slides.
fn slider(svg: &mut Svg, at: Point, along: Option<Point>) {
    let [x, y] = along.unwrap_or([1.0, 0.0]);
    let corner = |s: f64, t: f64| [at[0] + s * x - t * y, at[1] + s * y + t * x];
    svg.polyline(
        &[corner(-8.0, -5.0), corner(8.0, -5.0), corner(8.0, 5.0), corner(-8.0, 5.0)],
        true,
        "joint",
    );
}

/// A place held by the ground.
pub(super) fn ground(svg: &mut Svg, at: Point) {
    let [x, y] = [at[0], at[1] + 8.0];
    svg.polyline(&[[x - 8.0, y], at, [x + 8.0, y]], true, "");
    for k in 0..4 {
        let left = x - 7.0 + 5.0 * f64::from(k);
        svg.polyline(&[[left, y], [left - 4.0, y + 5.0]], false, "");
    }
}

/// A place clamped in the ground: a hatched wall across the direction of what it holds.
pub(super) fn wall(svg: &mut Svg, at: Point, further: Option<&Point>) {
    let [x, y] = towards(at, further).unwrap_or([0.0, -1.0]);
    // Along the wall, and into it.
    let point = |s: f64, t: f64| [at[0] - s * y - t * x, at[1] + s * x - t * y];
    svg.polyline(&[point(-WALL, 0.0), point(WALL, 0.0)], false, "wall");
    for k in 0..5 {
        let s = WALL * (0.45 * f64::from(k) - 0.8);
        svg.polyline(&[point(s, 0.0), point(s - 4.5, 6.0)], false, "");
    }
}

/// Two parts clamped to each other: a square along one of them.
fn weld(svg: &mut Svg, at: Point, further: Option<&Point>) {
    let [x, y] = towards(at, further).unwrap_or([1.0, 0.0]);
    let corner = |s: f64, t: f64| [at[0] + WELD * (s * x - t * y), at[1] + WELD * (s * y + t * x)];
    svg.polyline(&[corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], true, "dot");
}

fn towards(at: Point, further: Option<&Point>) -> Option<Point> {
    further.and_then(|p| unit([p[0] - at[0], p[1] - at[1]]))
}

/// A point by its angle in turns and its distance.
fn around(at: Point, turns: f64, radius: f64) -> Point {
    let (sin, cos) = (TAU * turns).sin_cos();
    [at[0] + radius * cos, at[1] - radius * sin]
}

/// A spiral about a point (of Archimedes), around the mark of the pin, with its end led away.
fn spiral(at: Point) -> Vec<Point> {
    const STEPS: u32 = 24;
    let point = |turns, radius| around(at, turns, radius);
    let mut out: Vec<Point> = (0..=STEPS * 7 / 4)
        .map(|k| f64::from(k) / f64::from(STEPS))
        .map(|turns| point(turns + 0.5, SPIRAL[0] + turns * SPIRAL[1]))
        .collect();
    out.push(point(0.25, SPIRAL[0] + 1.75 * SPIRAL[1] + 4.0));
    out
}

/// A vane in an open ring.
fn rotary_damper(svg: &mut Svg, at: Point) {
    let point = |turns, radius| around(at, turns, radius);
    let ring: Vec<Point> = (0..=24).map(|k| point(0.125 + f64::from(k) / 32.0, VANE)).collect();
    svg.polyline(&ring, false, "thin");
    svg.polyline(&[point(0.0, PIN), point(0.0, VANE + 3.0)], false, "thin");
    svg.polyline(&[point(0.07, VANE - 2.5), point(-0.07, VANE - 2.5)], false, "thin");
}

/// A spring between two points.
fn zigzag(a: Point, b: Point) -> Vec<Point> {
    let d = [b[0] - a[0], b[1] - a[1]];
    let Some([x, y]) = unit(d) else { return vec![a, b] };
    let length = d[0].hypot(d[1]);
    // Straight ends; a short spring has low teeth.
    let (lead, tooth) = (0.18 * length, TOOTH.min(0.12 * length));
    let at = |s: f64, t: f64| [a[0] + s * x - t * y, a[1] + s * y + t * x];
    let mut out = vec![a, at(lead, 0.0)];
    let pitch = (length - 2.0 * lead) / (2 * TEETH) as f64;
    for k in 0..2 * TEETH {
        let side = if k % 2 == 0 { tooth } else { -tooth };
        out.push(at(lead + pitch * (k as f64 + 0.5), side));
    }
    out.extend([at(length - lead, 0.0), b]);
    out
}

/// A cylinder with a piston between two points.
fn damper(svg: &mut Svg, a: Point, b: Point) {
    let d = [b[0] - a[0], b[1] - a[1]];
    let Some([x, y]) = unit(d) else { return };
    let length = d[0].hypot(d[1]);
    let half = TOOTH.min(0.12 * length);
    let at = |s: f64, t: f64| [a[0] + s * length * x - t * half * y, a[1] + s * length * y + t * half * x];
    svg.polyline(&[a, at(0.4, 0.0)], false, "thin");
    svg.polyline(&[at(0.62, 1.0), at(0.4, 1.0), at(0.4, -1.0), at(0.62, -1.0)], false, "thin");
    svg.polyline(&[at(0.54, 0.8), at(0.54, -0.8)], false, "thin");
    svg.polyline(&[at(0.54, 0.0), b], false, "thin");
}

/// The convex hull of points, counterclockwise; two points when all lie on a line (Andrew's monotone chain, 1979).
fn hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    let half = |points: &mut dyn Iterator<Item = &Point>| {
        let mut out: Vec<Point> = Vec::new();
        for p in points {
            while let [.., a, b] = out.as_slice() {
                let turn = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
                // Half a unit of area is nothing to see.
                if turn > 0.5 {
                    break;
                }
                out.pop();
            }
            out.push(*p);
        }
        out
    };
    let (mut below, mut above) = (half(&mut sorted.iter()), half(&mut sorted.iter().rev()));
    if sorted.len() < 2 {
        return sorted;
    }
    // The ends belong to both halves.
    below.pop();
    above.pop();
    below.extend(above);
    below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_leaves_inner_points_out() {
        let square = [[0.0, 0.0], [10.0, 0.0], [5.0, 5.0], [10.0, 10.0], [0.0, 10.0]];
        let found = hull(&square);
        assert!(found.len() == 4 && !found.contains(&[5.0, 5.0]), "{found:?}");
        assert_eq!(hull(&[[0.0, 0.0], [4.0, 4.0], [2.0, 2.0]]), [[0.0, 0.0], [4.0, 4.0]]);
        assert_eq!(hull(&[[1.0, 1.0], [1.0, 1.0]]), [[1.0, 1.0]]);
    }

    #[test]
    fn the_line_of_a_slider_ends_at_the_frame() {
        let frame = [[0.0, 60.0], [300.0, 200.0]];
        let ends = |at, along| inside(at, along, 50.0, frame);
        assert_eq!(ends([100.0, 70.0], [0.0, 1.0]), Some([[100.0, 60.0], [100.0, 120.0]]));
        assert_eq!(ends([290.0, 100.0], [-1.0, 0.0]), Some([[300.0, 100.0], [240.0, 100.0]]));
        assert_eq!(ends([100.0, 130.0], [0.6, 0.8]), Some([[70.0, 90.0], [130.0, 170.0]]));
        assert_eq!((ends([100.0, 5.0], [0.0, 1.0]), ends([100.0, 50.0], [1.0, 0.0])), (None, None));
    }

    #[test]
    fn a_spring_ends_where_it_is_held() {
        let path = zigzag([1.0, 2.0], [21.0, 2.0]);
        assert_eq!((path.first(), path.last()), (Some(&[1.0, 2.0]), Some(&[21.0, 2.0])));
        assert!(path.iter().all(|p| (p[1] - 2.0).abs() <= TOOTH && p[0] >= 1.0 && p[0] <= 21.0));
        assert_eq!(zigzag([1.0, 1.0], [1.0, 1.0]).len(), 2);
    }
}
