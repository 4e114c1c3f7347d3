//! The picture of one mode.

use super::equilibrium::{axes, bar};
use super::label;
use super::scene::{Motion, Scene};
use super::svg::{Point, Svg};
use super::tags;
use super::view::{self, View};
use crate::render::modes::Line;
use std::f64::consts::{PI, TAU};

/// Largest displacement relative to the larger side of the model.
const AMPLITUDE: f64 = 0.12;
/// Share of the motion out of phase above which several phases are drawn.
const COMPLEX: f64 = 0.02;
/// Phases of a complex mode.
const PHASES: usize = 8;
/// Points of a path.
const PATH: usize = 36;
/// Share of a displacement that is nothing to see.
const UNSEEN: f64 = 1e-9;
/// Share of a displacement in the plane of the drawing below which the picture looks still: of 22 units, a quarter is little more than
/// two widths of a line.
const LITTLE_SEEN: f64 = 0.25;

/// A mode ready to be drawn.
pub(super) struct Panel<'a> {
    scene: &'a Scene<'a>,
    line: &'a Line<'a>,
    whirl: Option<f64>,
    motion: Motion,
    amplitude: f64,
    /// Phases drawn, with the class of their group.
    phases: Vec<(f64, &'static str)>,
    /// Whether points move on paths worth drawing.
    paths: bool,
}

impl<'a> Panel<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, line: &'a Line<'a>, whirl: Option<f64>) -> Self {
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
        let amplitude = if motion.largest > 0.0 { AMPLITUDE * scene.extent() / motion.largest } else { 0.0 };
        let motion = if complex { motion } else { motion.in_phase() };
        Self { scene, line, whirl, motion, amplitude, phases, paths: complex }
    }

    pub(super) fn number(&self) -> usize {
        self.line.number
    }

    pub(super) fn title(&self) -> String {
        label::title(self.line)
    }

    /// Positions of the places of a stroke at a phase, m.
    fn moved(&self, stroke: usize, phase: f64) -> Vec<[f64; 2]> {
        let rest = &self.scene.rest.at[stroke];
        let steps = self.motion.at(stroke, phase, self.amplitude);
        rest.iter()
            .zip(steps)
            .map(|(p, d)| {
                let d = self.scene.look.seen(d);
                [p[0] + d[0], p[1] + d[1]]
            })
            .collect()
    }

    /// Positions of the places of all strokes at a phase, m.
    fn all_moved(&self, phase: f64) -> Vec<Vec<[f64; 2]>> {
        (0..self.scene.strokes.len()).map(|i| self.moved(i, phase)).collect()
    }

    /// The view that shows the model at rest and at every phase.
    fn view(&self, size: [f64; 2]) -> View {
        let phases = (0..4).map(|k| TAU * f64::from(k) / 4.0);
        let moved = phases.flat_map(|phase| self.all_moved(phase)).flatten();
        View::new(self.scene.rest.at.iter().flatten().copied().chain(moved), size, self.scene)
    }

    /// Draws the panel into a corner of the drawing.
    pub(super) fn draw(&self, svg: &mut Svg, size: [f64; 2], names: bool) {
        svg.frame([6.0, 4.0], [size[0] - 12.0, size[1] - 10.0]);
        svg.text([18.0, 25.0], "title", &self.title());
        svg.text([18.0, 42.0], "small", &label::subtitle(self.line, self.whirl));
        let view = self.view(size);
        view::at_rest(svg, self.scene, &view);
        let Motion { largest, largest_seen, .. } = self.motion;
        if largest_seen > UNSEEN * largest {
            if self.paths {
                self.draw_paths(svg, &view);
            }
            for (phase, class) in &self.phases {
                view::moved(svg, self.scene, &view, class, &self.all_moved(*phase), &self.scene.rest.near);
            }
        }
        let words = if largest_seen > LITTLE_SEEN * largest {
            None
        } else if largest_seen > UNSEEN * largest {
            Some("most of the motion is along the line of sight")
        } else if largest > 0.0 {
            Some("all points that are drawn move along the line of sight")
        } else {
            Some("no point that is drawn moves in this mode")
        };
        if let Some(words) = words {
            svg.text([18.0, 58.0], "small", words);
        }
        if names {
            tags::draw(svg, self.scene, &view, size);
        }
        bar(svg, &view, size);
        if !self.scene.planar {
            axes(svg, &self.scene.look, [size[0] - 50.0, size[1] - 36.0]);
        }
    }

    /// The paths of the moving places.
    fn draw_paths(&self, svg: &mut Svg, view: &View) {
        let mut drawn: Vec<[f64; 2]> = Vec::new();
        for (i, stroke) in self.scene.strokes.iter().enumerate() {
            for (k, place) in stroke.places.iter().enumerate() {
                let rest = self.scene.rest.at[i][k];
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
