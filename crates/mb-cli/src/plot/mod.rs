//! Mode shapes and equilibria as SVG.
//!
//! Of a mode shape: the moved mechanism over the undeformed one, in the plane, or from a direction where bodies move in space.
//!
//! A mode moves a place by Re(a d e^(i phi)), d the image of the mode shape, to first order in the amplitude a, which is
//! chosen by the size of the picture. Of an oscillation in one phase both ends of the swing are drawn; of a complex mode
//! eight phases and the paths of the points.

mod equilibrium;
mod glyph;
pub(crate) mod label;
mod look;
mod panel;
mod scene;
mod surface;
mod svg;
mod tags;
mod view;

pub use equilibrium::{EquilibriumPlot, Picture};
pub use look::Look;

use crate::failure::Failure;
use crate::outfile::Group;
use crate::picture::PictureFormat;
use crate::render::modes::Line;
use mb_eigen::Class;
use mb_model::Model;
use panel::Panel;
use scene::Scene;
use std::path::Path;
use svg::{Point, Svg};

/// Width and height of the picture of one mode.
const PANEL: [f64; 2] = [360.0, 320.0];
/// Pictures side by side in a sheet.
const ACROSS: usize = 3;
/// Height of a sheet's heading.
const HEADING: f64 = 62.0;
/// Width of a letter of the heading and of the small lines, about.
const LETTERS: [f64; 2] = [9.6, 5.9];

/// What is drawn.
pub struct Plot<'a> {
    /// The model.
    pub model: &'a Model,
    /// The configuration of the operating point.
    pub q: &'a [f64],
    /// Lines of the mode table.
    pub lines: Vec<Line<'a>>,
    /// The sense in which modes go round, by the places of their eigenpairs; empty where none has one.
    pub whirl: &'a [Option<f64>],
    /// Where the modes come from: file and formulation, and of a motion the frame that they are seen from.
    pub source: String,
    /// Most modes drawn.
    pub most: usize,
    /// How the files of a folder are kept.
    pub format: PictureFormat,
    /// From where a model in space is seen; none for isometric.
    pub view: Option<Look>,
    /// Whether names are written near bodies.
    pub names: bool,
}

impl Plot<'_> {
    /// Writes a sheet where the name of the file asks for a picture, otherwise a folder with one file for each mode.
    ///
    /// # Errors
    /// As [`PictureFormat::write`].
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let scene = Scene::new(self.model, self.q, self.view.as_ref());
        let panels: Vec<Panel<'_>> = self
            .drawn()
            .map(|line| Panel::new(&scene, line, self.whirl.get(line.index).copied().flatten()))
            .collect();
        if let Some(format) = PictureFormat::of(path) {
            return format.write(path, &self.sheet(&scene, &panels));
        }
        let mut group = Group::new(path)?;
        for panel in &panels {
            let mut svg = Svg::new(PANEL[0], PANEL[1], &panel.title());
            panel.draw(&mut svg, PANEL, self.names);
            self.format.write_one(&mut group, &format!("mode-{:02}", panel.number()), &svg.finish())?;
        }
        group.finish()
    }

    /// The lines to draw: the second of a double zero has the picture of the first.
    fn drawn(&self) -> impl Iterator<Item = &Line<'_>> {
        let repeats = |i: usize| {
            i.checked_sub(1).is_some_and(|before| {
                let (a, b) = (self.lines[before].pair, self.lines[i].pair);
                b.class == Class::Rigid && b.chain > 1 && a.right == b.right
            })
        };
        let lines = self.lines.iter().enumerate().filter(move |(i, _)| !repeats(*i));
        lines.map(|(_, line)| line).take(self.most)
    }

    fn sheet(&self, scene: &Scene<'_>, panels: &[Panel<'_>]) -> String {
        let across = panels.len().clamp(1, ACROSS);
        let down = panels.len().div_ceil(across).max(1);
        let (width, height) = (PANEL[0] * across as f64, HEADING + PANEL[1] * down as f64);
        let told = if panels.len() < self.lines.len() {
            format!(", {} of {} modes", panels.len(), self.lines.len())
        } else {
            String::new()
        };
        let view = scene.view_words(true);
        let legend = format!("grey: at rest, blue: moved, not to scale{view}");
        let mut svg = headed([width, height], &self.model.name, [&format!("{}{told}", self.source), &legend]);
        if panels.is_empty() {
            svg.text([16.0, HEADING + 30.0], "title", "no modes");
        }
        for (i, panel) in panels.iter().enumerate() {
            let at = [PANEL[0] * (i % across) as f64, HEADING + PANEL[1] * (i / across) as f64];
            svg.begin_at(at);
            panel.draw(&mut svg, PANEL, self.names);
            svg.end();
        }
        svg.finish()
    }
}

/// A sheet of this size with the name of the model above and two lines below it, without their middles where they are wider.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of letters between 30 and 200"
)]
fn headed(size: Point, name: &str, below: [&str; 2]) -> Svg {
    let most = LETTERS.map(|letter| ((size[0] - 32.0) / letter) as usize);
    let mut svg = Svg::new(size[0], size[1], name);
    svg.short_text([16.0, 22.0], "heading", name, most[0]);
    svg.short_text([16.0, 39.0], "small", below[0], most[1]);
    svg.short_text([16.0, 55.0], "small", below[1], most[1]);
    svg
}
