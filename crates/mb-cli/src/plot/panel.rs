//! The picture of one mode.

use super::glyph;
use super::label;
use super::scene::{Motion, Scene, bounds};
use super::surface::{self, Face};
use super::svg::{Point, Svg};
use crate::render::modes::Line;
use mb_model::Stroke;
use std::f64::consts::{PI, TAU};

/// Largest displacement relative to the larger side of the model.
const AMPLITUDE: f64 = 0.12;
/// Share of the motion out of phase above which several phases are drawn.
const COMPLEX: f64 = 0.02;
/// Phases of a complex mode.
const PHASES: usize = 8;
/// Points of a path.
const PATH: usize = 36;
/// Room for the words above, and around the picture.
const WORDS: f64 = 50.0;
const MARGIN: f64 = 26.0;

/// A mode ready to be drawn.
pub(super) struct Panel<'a> {
    scene: &'a Scene<'a>,
    line: &'a Line<'a>,
    motion: Motion,
    amplitude: f64,
    /// Phases drawn, with the class of their group.
    phases: Vec<(f64, &'static str)>,
    /// Whether points move on paths worth drawing.
    paths: bool,
}

/// From metres to the drawing, y downwards.
#[derive(Clone, Copy, Debug)]
struct View {
    scale: f64,
    center: Point,
    middle: Point,
}

impl View {
    fn at(&self, p: [f64; 2]) -> Point {
        [
            self.middle[0] + self.scale * (p[0] - self.center[0]),
            self.middle[1] - self.scale * (p[1] - self.center[1]),
        ]
    }
}

impl<'a> Panel<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, line: &'a Line<'a>) -> Self {
        let motion = scene.motion(&line.pair.right);
        let oscillates = line.pair.value().is_some_and(|s| s.im != 0.0);
        let complex = oscillates && motion.phase_spread() > COMPLEX;
        let phases = if complex {
            let other = (1..PHASES).map(|k| (TAU * k as f64 / PHASES as f64, "moved faint"));
            other.chain([(0.0, "moved")]).collect()
        } else if oscillates {
            vec![(PI, "moved ghost"), (0.0, "moved")]
        } else {
            vec![(0.0, "moved")]
        };
        let [lo, hi] = scene.bounds();
        let extent = (hi[0] - lo[0]).max(hi[1] - lo[1]);
        let extent = if extent > 0.0 { extent } else { 1.0 };
        let amplitude = if motion.largest > 0.0 { AMPLITUDE * extent / motion.largest } else { 0.0 };
        let motion = if complex { motion } else { motion.in_phase() };
        Self { scene, line, motion, amplitude, phases, paths: complex }
    }

    pub(super) fn number(&self) -> usize {
        self.line.number
    }

    pub(super) fn title(&self) -> String {
        label::title(self.line)
    }

    /// Positions of the places of a stroke at a phase, m.
    fn moved(&self, stroke: usize, phase: f64) -> Vec<[f64; 2]> {
        let rest = &self.scene.rest[stroke];
        let steps = self.motion.at(stroke, phase, self.amplitude);
        rest.iter().zip(steps).map(|(p, d)| [p[0] + d[0], p[1] + d[1]]).collect()
    }

    /// The view that shows the model at rest and at every phase.
    fn view(&self, size: [f64; 2]) -> View {
        let count = self.scene.strokes.len();
        let phases = (0..4).map(|k| TAU * f64::from(k) / 4.0);
        let moved = phases.flat_map(|phase| (0..count).flat_map(move |i| self.moved(i, phase)));
        let [lo, hi] = bounds(self.scene.rest.iter().flatten().copied().chain(moved));
        let room = [size[0] - 2.0 * MARGIN, size[1] - WORDS - 2.0 * MARGIN];
        let fit = |k: usize| if hi[k] > lo[k] { room[k] / (hi[k] - lo[k]) } else { f64::INFINITY };
        let scale = fit(0).min(fit(1));
        View {
            scale: if scale.is_finite() { scale } else { 1.0 },
            center: [0, 1].map(|k| 0.5 * (lo[k] + hi[k])),
            middle: [0.5 * size[0], WORDS + MARGIN + 0.5 * room[1]],
        }
    }

    /// Draws the panel into a corner of the drawing.
    pub(super) fn draw(&self, svg: &mut Svg, size: [f64; 2]) {
        svg.frame([6.0, 4.0], [size[0] - 12.0, size[1] - 10.0]);
        svg.text([18.0, 25.0], "title", &self.title());
        svg.text([18.0, 42.0], "small", &label::subtitle(self.line));
        let view = self.view(size);
        let extent = view.scale * self.scene.bounds().iter().flatten().fold(0.0_f64, |a, x| a.max(x.abs()));
        let reach = extent.clamp(20.0, 60.0);
        let map = |points: &[[f64; 2]]| -> Vec<Point> { points.iter().map(|p| view.at(*p)).collect() };
        self.ground(svg, &view);
        svg.begin("rest");
        surface::draw(svg, self.faces(|i| map(&self.scene.rest[i])));
        for (stroke, rest) in self.scene.strokes.iter().zip(&self.scene.rest) {
            if stroke.stroke == Stroke::Slider {
                glyph::rail(svg, &map(rest), reach);
            }
            glyph::stroke(svg, stroke.stroke, &map(rest));
        }
        svg.end();
        if self.motion.largest == 0.0 {
            svg.text([18.0, size[1] - 16.0], "small", "no point that is drawn moves in this mode");
            return;
        }
        if self.paths {
            self.draw_paths(svg, &view);
        }
        for (phase, class) in &self.phases {
            svg.begin(class);
            surface::draw(svg, self.faces(|i| map(&self.moved(i, *phase))));
            for (i, stroke) in self.scene.strokes.iter().enumerate() {
                if self.moves(i) {
                    glyph::stroke(svg, stroke.stroke, &map(&self.moved(i, *phase)));
                }
            }
            svg.end();
        }
    }

    /// All faces of solids, where `at` gives the points of a stroke.
    fn faces(&self, at: impl Fn(usize) -> Vec<Point>) -> Vec<Face> {
        let mut out = Vec::new();
        for (i, stroke) in self.scene.strokes.iter().enumerate() {
            if stroke.stroke != Stroke::Faces {
                continue;
            }
            let (points, near) = (at(i), &self.scene.nearness[i]);
            for (corners, near) in points.as_chunks::<4>().0.iter().zip(near.chunks_exact(4)) {
                out.push(Face { nearness: near.iter().sum(), corners: *corners });
            }
        }
        out
    }

    /// Whether a stroke has a place that moves.
    fn moves(&self, stroke: usize) -> bool {
        self.scene.strokes[stroke].places.iter().any(|p| !p.is_ground())
    }

    /// Marks of the ground, each place once.
    fn ground(&self, svg: &mut Svg, view: &View) {
        let mut marked: Vec<[f64; 2]> = Vec::new();
        svg.begin("ground");
        for (stroke, rest) in self.scene.strokes.iter().zip(&self.scene.rest) {
            for (place, at) in stroke.places.iter().zip(rest) {
                if place.is_ground() && stroke.stroke != Stroke::Slider && !marked.contains(at) {
                    marked.push(*at);
                    glyph::ground(svg, view.at(*at));
                }
            }
        }
        svg.end();
    }

    /// The paths of the moving places.
    fn draw_paths(&self, svg: &mut Svg, view: &View) {
        let mut drawn: Vec<[f64; 2]> = Vec::new();
        for (i, stroke) in self.scene.strokes.iter().enumerate() {
            for (k, place) in stroke.places.iter().enumerate() {
                let rest = self.scene.rest[i][k];
                if place.is_ground() || drawn.contains(&rest) {
                    continue;
                }
                drawn.push(rest);
                let at = |j: usize| view.at(self.moved(i, TAU * j as f64 / PATH as f64)[k]);
                let path: Vec<Point> = (0..PATH).map(at).collect();
                svg.polyline(&path, true, "path");
            }
        }
    }
}
