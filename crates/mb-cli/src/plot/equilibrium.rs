//! Equilibria and steady motions as SVG: the loaded model over the model before it is loaded.
//!
//! ```text
//! drawn at   p_0 + f (p - p_0),   p_0 and p the place before and in equilibrium
//! ```
//!
//! `f` is one where the displacement can be seen; small displacements are drawn larger by a round factor, which the
//! legend says. Lengths along the axes are true, so that a bar of a round length gives the scale.

use super::look::Look;
use super::scene::{Posture, Scene};
use super::svg::{Point, Svg};
use super::tags;
use super::view::{self, View};
use super::{ACROSS, HEADING, PANEL, headed};
use crate::failure::Failure;
use crate::picture;
use crate::render::six;
use mb_model::Model;
use std::path::Path;

/// Size of a picture that stands alone.
const LARGE: Point = [720.0, 520.0];
/// Most pictures of a sheet.
const MOST: usize = 12;
/// Displacements of at least this share of the model are drawn as they are.
const SEEN: f64 = 0.05;
/// Share of the model that smaller ones are drawn at, at most.
const DRAWN: f64 = 0.12;
/// Displacements below this share of the model are none.
const NONE: f64 = 1e-13;
/// Length of the bar of scale, and of the axes, at most.
const BAR: f64 = 110.0;
const AXIS: f64 = 20.0;

/// What is drawn.
pub struct EquilibriumPlot<'a> {
    /// The model.
    pub model: &'a Model,
    /// Configuration before it is loaded.
    pub before: &'a [f64],
    /// What that configuration is, such as `as built`.
    pub before_is: &'a str,
    /// What the pictures show, such as `in equilibrium`.
    pub after_is: &'a str,
    /// The equilibria, each in a picture of its own.
    pub pictures: Vec<Picture<'a>>,
    /// Where the model comes from.
    pub source: String,
    /// By how much displacements are enlarged; none to choose it by their size.
    pub scale: Option<f64>,
    /// From where a model in space is seen; none for isometric.
    pub view: Option<Look>,
    /// Whether names are written near bodies.
    pub names: bool,
}

/// One equilibrium.
pub struct Picture<'a> {
    /// The words above.
    pub title: String,
    /// Its configuration.
    pub q: &'a [f64],
    /// Configurations passed on the way, drawn faintly.
    pub passed: Vec<&'a [f64]>,
}

/// The largest displacement of a configuration.
#[derive(Clone, Debug)]
struct Largest {
    size: f64,
    /// Whose place it is.
    owner: String,
}

impl EquilibriumPlot<'_> {
    /// Writes the sheet.
    ///
    /// # Errors
    /// [`Failure::Unwritable`].
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        picture::write(path, &self.sheet())
    }

    fn sheet(&self) -> String {
        let scene = Scene::new(self.model, self.before, self.view.as_ref());
        let drawn = &self.pictures[..self.pictures.len().min(MOST)];
        let before = scene.places(self.before);
        let largest: Vec<Largest> = drawn.iter().map(|p| largest(&scene, &before, p.q)).collect();
        let factor = self.factor(&scene, &largest);
        let over = Over { scene: &scene, before: &before, factor, names: self.names };
        let (panel, across) =
            if drawn.len() == 1 { (LARGE, 1) } else { (PANEL, drawn.len().clamp(1, ACROSS)) };
        let down = drawn.len().div_ceil(across).max(1);
        let (width, height) = (panel[0] * across as f64, HEADING + panel[1] * down as f64);
        let told = if drawn.len() < self.pictures.len() {
            format!(", {} of {} equilibria", drawn.len(), self.pictures.len())
        } else {
            String::new()
        };
        let below = [&*format!("{}{told}", self.source), &*self.legend(&scene, factor)];
        let mut svg = headed([width, height], &self.model.name, below);
        for (i, (picture, largest)) in drawn.iter().zip(&largest).enumerate() {
            let at = [panel[0] * (i % across) as f64, HEADING + panel[1] * (i / across) as f64];
            svg.begin_at(at);
            over.draw(&mut svg, picture, largest, panel);
            svg.end();
        }
        svg.finish()
    }

    /// By how much displacements are enlarged in all pictures.
    fn factor(&self, scene: &Scene<'_>, largest: &[Largest]) -> f64 {
        let share = largest.iter().map(|l| l.size).fold(0.0, f64::max) / scene.extent();
        match self.scale {
            Some(scale) => scale,
            None if share >= SEEN || share <= NONE => 1.0,
            None => round_below(DRAWN / share).max(1.0),
        }
    }

    fn legend(&self, scene: &Scene<'_>, factor: f64) -> String {
        let moved = match plain(factor).as_str() {
            "1" => "displacements to scale".to_owned(),
            times => format!("displacements drawn {times} times as large"),
        };
        let view = scene.view_words(false);
        format!("grey: {}, blue: {}, {moved}{view}", self.before_is, self.after_is)
    }
}

/// The model before it is loaded, and by how much displacements from there are enlarged.
struct Over<'a> {
    scene: &'a Scene<'a>,
    before: &'a [Vec<[f64; 3]>],
    factor: f64,
    names: bool,
}

impl Over<'_> {
    fn posture(&self, q: &[f64]) -> Posture {
        self.scene.posture(&enlarged(self.before, &self.scene.places(q), self.factor))
    }

    fn draw(&self, svg: &mut Svg, picture: &Picture<'_>, largest: &Largest, size: Point) {
        let scene = self.scene;
        let passed: Vec<Posture> = picture.passed.iter().map(|q| self.posture(q)).collect();
        let there = self.posture(picture.q);
        let all = passed.iter().chain([&there, &scene.rest]).flat_map(|p| p.at.iter().flatten().copied());
        let view = View::new(all, size, scene);
        svg.frame([6.0, 4.0], [size[0] - 12.0, size[1] - 10.0]);
        svg.text([18.0, 25.0], "title", &picture.title);
        let words = if largest.size <= NONE * scene.extent() {
            "no place that is drawn is displaced".to_owned()
        } else {
            format!("largest displacement {} m ({})", six(largest.size), largest.owner)
        };
        svg.text([18.0, 42.0], "small", &words);
        view::at_rest(svg, scene, &view);
        for p in &passed {
            view::moved(svg, scene, &view, "moved faint", &p.at, &p.near);
        }
        view::moved(svg, scene, &view, "moved", &there.at, &there.near);
        if self.names {
            tags::draw(svg, scene, &view, size);
        }
        bar(svg, &view, size);
        if !scene.planar {
            axes(svg, &scene.look, [size[0] - 50.0, size[1] - 36.0]);
        }
    }
}

/// The place that is displaced most.
fn largest(scene: &Scene<'_>, before: &[Vec<[f64; 3]>], q: &[f64]) -> Largest {
    let mut out = Largest { size: 0.0, owner: String::new() };
    for ((stroke, a), b) in scene.strokes.iter().zip(before).zip(scene.places(q)) {
        for (a, b) in a.iter().zip(b) {
            let size = (0..3).map(|k| (b[k] - a[k]).powi(2)).sum::<f64>().sqrt();
            if size > out.size {
                out = Largest { size, owner: stroke.owner.clone() };
            }
        }
    }
    out
}

fn enlarged(before: &[Vec<[f64; 3]>], after: &[Vec<[f64; 3]>], factor: f64) -> Vec<Vec<[f64; 3]>> {
    let place = |a: &[f64; 3], b: &[f64; 3]| [0, 1, 2].map(|k| a[k] + factor * (b[k] - a[k]));
    let stroke = |(a, b): (&Vec<[f64; 3]>, &Vec<[f64; 3]>)| {
        a.iter().zip(b).map(|(a, b)| place(a, b)).collect::<Vec<_>>()
    };
    before.iter().zip(after).map(stroke).collect()
}

/// The largest of 1, 2 and 5 times a power of ten that is not above `x`, a positive number.
fn round_below(x: f64) -> f64 {
    let decade = 10_f64.powf(x.log10().floor());
    let of = |by: f64| by * decade;
    // The logarithm may be a rounding off.
    [of(10.0), of(5.0), of(2.0), of(1.0)].into_iter().find(|round| *round <= x).unwrap_or(of(0.5))
}

/// A factor or a length without zeros at its end.
fn plain(x: f64) -> String {
    if (1e-3..1e6).contains(&x) { format!("{x}") } else { format!("{x:e}") }
}

/// A bar of a round length.
pub(super) fn bar(svg: &mut Svg, view: &View, size: Point) {
    let length = round_below(BAR.min(0.3 * size[0]) / view.scale);
    let (x, y) = (18.0, size[1] - 20.0);
    let end = x + length * view.scale;
    svg.begin("ground");
    svg.polyline(&[[x, y - 4.0], [x, y], [end, y], [end, y - 4.0]], false, "");
    svg.end();
    svg.text([end + 6.0, y + 1.0], "small", &format!("{} m", plain(length)));
}

/// The directions of the axes in space.
pub(super) fn axes(svg: &mut Svg, look: &Look, at: Point) {
    svg.begin("ground");
    let unit = |k: usize| {
        let mut e = [0.0; 3];
        e[k] = 1.0;
        look.seen(e)
    };
    let end = |k: usize, by: f64| [at[0] + by * unit(k)[0], at[1] - by * unit(k)[1]];
    // An axis that points at the reader is a point.
    let shown = |k: &usize| unit(*k)[0].hypot(unit(*k)[1]) > 0.1;
    for k in (0..3).filter(shown) {
        svg.polyline(&[at, end(k, AXIS)], false, "");
    }
    svg.end();
    for k in (0..3).filter(shown) {
        let name = ["x", "y", "z"][k];
        let [x, y] = end(k, AXIS + 7.0);
        svg.text([x - 3.0, y + 3.0], "small", name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_round_and_not_too_large() {
        for (x, round) in [(1.0, 1.0), (1.9, 1.0), (2.0, 2.0), (49.0, 20.0), (1000.0, 1000.0), (0.07, 0.05)] {
            let found = round_below(x);
            assert!((found / round - 1.0).abs() < 1e-12, "{x}: {found}");
        }
        assert_eq!((plain(200.0), plain(0.5), plain(2e7)), ("200".into(), "0.5".into(), "2e7".into()));
    }

    #[test]
    fn displacements_are_enlarged_from_where_a_place_was() {
        let (a, b) = (vec![vec![[1.0, 2.0, 3.0]]], vec![vec![[1.5, 2.0, 2.0]]]);
        assert_eq!(enlarged(&a, &b, 2.0), [[[2.0, 2.0, 1.0]]]);
        assert_eq!(enlarged(&a, &b, 1.0), b);
    }
}
