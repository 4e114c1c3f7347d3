//! Surfaces of solids: the faces turned towards the viewer, far ones first, so that near ones cover them.
//!
//! Exact for convex solids; where faces of a solid that is bent round itself overlap in a cycle, one of them is drawn wrong.

use super::svg::{Point, Svg};

/// A face with how near it is.
pub(super) struct Face {
    pub(super) nearness: f64,
    pub(super) corners: [Point; 4],
}

/// Draws the faces turned towards the viewer.
pub(super) fn draw(svg: &mut Svg, mut faces: Vec<Face>) {
    faces.retain(|face| looks_here(&face.corners));
    faces.sort_by(|a, b| a.nearness.total_cmp(&b.nearness));
    for face in &faces {
        svg.polyline(&face.corners, true, "face");
    }
}

/// Corners go round anticlockwise as seen from outside; in the drawing y points down.
fn looks_here([a, b, c, d]: &[Point; 4]) -> bool {
    (c[0] - a[0]) * (d[1] - b[1]) - (c[1] - a[1]) * (d[0] - b[0]) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_that_look_away_are_hidden_and_near_ones_cover_far_ones() {
        let square = |x: f64| [[x, 0.0], [x, 1.0], [x + 1.0, 1.0], [x + 1.0, 0.0]];
        let mut away = square(7.0);
        away.reverse();
        let faces = vec![
            Face { nearness: 2.0, corners: square(3.0) },
            Face { nearness: 1.0, corners: square(5.0) },
            Face { nearness: 3.0, corners: away },
        ];
        // Anticlockwise with y upwards is down, right, up with y downwards.
        let mut svg = Svg::new(1.0, 1.0, "");
        draw(&mut svg, faces);
        let text = svg.finish();
        let (far, near) = (text.find("M5 0"), text.find("M3 0"));
        assert!(far.is_some() && far < near && !text.contains("M8 0"), "{text}");
    }
}
