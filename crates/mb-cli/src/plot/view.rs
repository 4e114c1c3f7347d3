//! The strokes of a model in a picture: at rest, with the marks of the ground, and moved over it.

use super::glyph;
use super::scene::{Scene, bounds};
use super::surface::{self, Face};
use super::svg::{Point, Svg};
use mb_model::{OutlinePlace, OutlineStroke, Stroke};

/// Room for the words above, for the bar of scale below, for the axes near it, and around the picture.
const WORDS: f64 = 50.0;
const SCALE: f64 = 14.0;
const AXES: f64 = 34.0;
const MARGIN: f64 = 26.0;
/// What reaches further than the model stays this far from the sides of the picture, below its words and above its bar of scale.
const FRAME: [Point; 2] = [[8.0, 64.0], [8.0, 28.0]];

/// From metres to the drawing, y downwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Units of the drawing in a metre.
    pub(super) scale: f64,
    center: Point,
    middle: Point,
    /// Upper left and lower right corner of what is free for the drawing.
    frame: [Point; 2],
}

impl View {
    /// The view that shows all points of a scene in a picture of a size.
    ///
    /// A model may look like a point, as a bar seen from its end: widths that are round-off of its longest side do not set
    /// the scale.
    pub(super) fn new(points: impl Iterator<Item = [f64; 2]>, size: [f64; 2], scene: &Scene<'_>) -> Self {
        let (side, below) = (scene.side(), if scene.planar { SCALE } else { AXES });
        let [lo, hi] = bounds(points);
        let room = [size[0] - 2.0 * MARGIN, size[1] - WORDS - below - 2.0 * MARGIN];
        let least = 1e-9 * side;
        let fit = |k: usize| if hi[k] - lo[k] > least { room[k] / (hi[k] - lo[k]) } else { f64::INFINITY };
        let scale = match fit(0).min(fit(1)) {
            scale if scale.is_finite() => scale,
            _ if side > 0.0 => room[0].min(room[1]) / side,
            _ => 1.0,
        };
        Self {
            scale,
            center: [0, 1].map(|k| 0.5 * (lo[k] + hi[k])),
            middle: [0.5 * size[0], WORDS + MARGIN + 0.5 * room[1]],
            frame: [FRAME[0], [size[0] - FRAME[1][0], size[1] - FRAME[1][1]]],
        }
    }
    /// Where a point is drawn.
    pub(super) fn at(&self, p: [f64; 2]) -> Point {
        [
            self.middle[0] + self.scale * (p[0] - self.center[0]),
            self.middle[1] - self.scale * (p[1] - self.center[1]),
        ]
    }
    fn map(&self, points: &[[f64; 2]]) -> Vec<Point> {
        points.iter().map(|p| self.at(*p)).collect()
    }
}

/// Draws the ground and the model at rest.
pub(super) fn at_rest(svg: &mut Svg, scene: &Scene<'_>, view: &View) {
    ground(svg, scene, view);
    let extent = view.scale * scene.bounds().iter().flatten().fold(0.0_f64, |a, x| a.max(x.abs()));
    let reach = extent.clamp(20.0, 60.0);
    svg.begin("rest");
    surface::draw(svg, faces(scene, view, &scene.rest.at, &scene.rest.near));
    let drawn = scene.strokes.iter().zip(&scene.rest.at).zip(&scene.lanes);
    for ((stroke, rest), lane) in drawn.filter(|((stroke, _), _)| !is_wall(stroke)) {
        if stroke.stroke == Stroke::Slider {
            glyph::rail(svg, &view.map(rest), reach, view.frame);
        }
        glyph::stroke(svg, stroke.stroke, &view.map(rest), *lane);
    }
    svg.end();
}

/// Draws what moves at other positions.
pub(super) fn moved(
    svg: &mut Svg,
    scene: &Scene<'_>,
    view: &View,
    class: &str,
    at: &[Vec<[f64; 2]>],
    near: &[Vec<f64>],
) {
    svg.begin(class);
    surface::draw(svg, faces(scene, view, at, near));
    for ((stroke, at), lane) in scene.strokes.iter().zip(at).zip(&scene.lanes) {
        if stroke.places.iter().any(|p| !p.is_ground()) && !is_wall(stroke) {
            glyph::stroke(svg, stroke.stroke, &view.map(at), *lane);
        }
    }
    svg.end();
}

/// All faces of solids.
fn faces(scene: &Scene<'_>, view: &View, at: &[Vec<[f64; 2]>], near: &[Vec<f64>]) -> Vec<Face> {
    let mut out = Vec::new();
    for (i, stroke) in scene.strokes.iter().enumerate() {
        if stroke.stroke != Stroke::Faces {
            continue;
        }
        let points = view.map(&at[i]);
        for (corners, near) in points.as_chunks::<4>().0.iter().zip(near[i].chunks_exact(4)) {
            out.push(Face { nearness: near.iter().sum(), corners: *corners });
        }
    }
    out
}

/// True of a clamp in the ground, which is part of the ground.
fn is_wall(stroke: &OutlineStroke) -> bool {
    stroke.stroke == Stroke::Clamp && stroke.places.iter().take(2).any(OutlinePlace::is_ground)
}

/// Marks of the ground, each place once.
fn ground(svg: &mut Svg, scene: &Scene<'_>, view: &View) {
    let mut marked: Vec<[f64; 2]> = Vec::new();
    svg.begin("ground");
    for (_, rest) in scene.strokes.iter().zip(&scene.rest.at).filter(|(stroke, _)| is_wall(stroke)) {
        marked.extend(&rest[..2]);
        glyph::wall(svg, view.at(rest[0]), rest.get(2).map(|p| view.at(*p)).as_ref());
    }
    for (stroke, rest) in scene.strokes.iter().zip(&scene.rest.at) {
        for (place, at) in stroke.places.iter().zip(rest) {
            if place.is_ground() && stroke.stroke != Stroke::Slider && !marked.contains(at) {
                marked.push(*at);
                glyph::ground(svg, view.at(*at));
            }
        }
    }
    svg.end();
}
