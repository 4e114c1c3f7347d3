//! The surface around the points of a rigid body.

use std::collections::BTreeSet;

/// Most points checked; of more, those farthest in 26 directions.
const MOST: usize = 24;
/// Points nearer to a plane than this share of the body's size lie on it.
const FLAT: f64 = 1e-6;

/// Triangles of the convex hull of points, by their indices.
///
/// A triangle is on the hull when no two points lie on different sides of its plane. Points of one plane give all triangles
/// between them, which cover the polygon; points of a line give none. Cost: n^4 of at most 24 points.
pub(crate) fn hull(points: &[[f64; 3]]) -> Vec<[usize; 3]> {
    let chosen = chosen(points);
    let size = (0..3).map(|k| spread(points, k)).fold(0.0, f64::max);
    let mut out = Vec::new();
    for (x, &i) in chosen.iter().enumerate() {
        for (y, &j) in chosen.iter().enumerate().skip(x + 1) {
            for &k in chosen.iter().skip(y + 1) {
                let normal = cross(less(points[j], points[i]), less(points[k], points[i]));
                let length = dot(normal, normal).sqrt();
                // Twice the area of a triangle that is no line.
                if length <= FLAT * size * size || !length.is_finite() {
                    continue;
                }
                let sides = chosen.iter().map(|p| dot(normal, less(points[*p], points[i])) / length);
                let [low, high] = sides.fold([0.0_f64; 2], |[low, high], s| [low.min(s), high.max(s)]);
                if low >= -FLAT * size || high <= FLAT * size {
                    out.push([i, j, k]);
                }
            }
        }
    }
    out
}

/// Edges of a hull by the indices of its points: sides of its triangles that end a plane face.
///
/// A side is inside a face when the points of its plane lie on both sides of it, for each plane it lies in.
pub(crate) fn edges(points: &[[f64; 3]], triangles: &[[usize; 3]]) -> Vec<[usize; 2]> {
    let size = (0..3).map(|k| spread(points, k)).fold(0.0, f64::max);
    let used: BTreeSet<usize> = triangles.iter().flatten().copied().collect();
    let mut out = BTreeSet::new();
    for t in triangles {
        let normal = cross(less(points[t[1]], points[t[0]]), less(points[t[2]], points[t[0]]));
        let long = dot(normal, normal).sqrt();
        for k in 0..3 {
            let (a, b, c) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            // In the plane, away from the side.
            let side = cross(normal, less(points[b], points[a]));
            let inwards = dot(side, less(points[c], points[a]));
            let opposite = used.iter().any(|p| {
                let d = less(points[*p], points[a]);
                dot(normal, d).abs() <= FLAT * size * long
                    && dot(side, d) * inwards < -FLAT * inwards * inwards
            });
            if !opposite {
                out.insert([a.min(b), a.max(b)]);
            }
        }
    }
    out.into_iter().collect()
}

/// Indices of the points that the hull is made of.
fn chosen(points: &[[f64; 3]]) -> Vec<usize> {
    if points.len() <= MOST {
        return (0..points.len()).collect();
    }
    let mut out = Vec::new();
    let axis = [-1.0, 0.0, 1.0];
    for x in axis {
        for y in axis {
            for z in axis {
                let far = |p: &[f64; 3]| dot(*p, [x, y, z]);
                let best = (0..points.len()).max_by(|a, b| far(&points[*a]).total_cmp(&far(&points[*b])));
                out.extend(best);
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn spread(points: &[[f64; 3]], k: usize) -> f64 {
    let start = [f64::INFINITY, f64::NEG_INFINITY];
    let [low, high] = points.iter().fold(start, |[a, b], p| [a.min(p[k]), b.max(p[k])]);
    (high - low).max(0.0)
}

fn less(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tetrahedron_has_four_faces_and_an_inner_point_none() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.2, 0.2]];
        let found = hull(&points);
        assert!(found.len() == 4 && found.iter().flatten().all(|i| *i != 4), "{found:?}");
    }

    #[test]
    fn a_polygon_is_covered_and_a_line_has_no_surface() {
        assert_eq!(hull(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), [[0, 1, 2]]);
        assert!(hull(&[[0.0; 3], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]]).is_empty());
        assert!(hull(&[]).is_empty());
    }

    #[test]
    fn a_box_has_twelve_edges_and_no_diagonals() {
        let corners = (0..8).map(|i| [f64::from(i & 1), f64::from(i >> 1 & 1), 2.0 * f64::from(i >> 2)]);
        let points: Vec<[f64; 3]> = corners.collect();
        let found = edges(&points, &hull(&points));
        assert_eq!(found.len(), 12);
        // Corners of an edge differ in one axis.
        assert!(found.iter().all(|[a, b]| (a ^ b).is_power_of_two()), "{found:?}");
    }

    #[test]
    fn of_many_points_the_outer_ones_count() {
        let ring = (0..200).map(|i| {
            let a = f64::from(i) * 0.1;
            [a.cos(), a.sin(), f64::from(i % 2)]
        });
        let points: Vec<[f64; 3]> = ring.collect();
        let found = hull(&points);
        assert!(!found.is_empty() && found.len() < 400, "{}", found.len());
    }
}
