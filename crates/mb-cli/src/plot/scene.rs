//! The places of a model and how a mode moves them.

use super::look::Look;
use mb_algebra::c64;
use mb_analysis::drawing::lanes;
use mb_analysis::phase;
use mb_model::{Model, OutlineStroke};

/// The model at its operating point.
pub(super) struct Scene<'a> {
    pub(super) model: &'a Model,
    pub(super) q: &'a [f64],
    pub(super) strokes: Vec<OutlineStroke>,
    /// Lanes of springs and dampers that lie on each other.
    pub(super) lanes: Vec<i32>,
    /// Whether everything lies in the plane of the drawing.
    pub(super) planar: bool,
    /// From where it is seen.
    pub(super) look: Look,
    /// Whether a view was asked for.
    asked: bool,
    /// The larger side of the model at rest along an axis, m; zero for a single place.
    side: f64,
    /// At the operating point.
    pub(super) rest: Posture,
}

/// Where the places of each stroke are.
#[derive(Clone, Debug)]
pub(super) struct Posture {
    /// In the drawing, m.
    pub(super) at: Vec<Vec<[f64; 2]>>,
    /// How far towards the reader, m.
    pub(super) near: Vec<Vec<f64>>,
}

/// Displacements of the places of each stroke, per unit of the mode shape.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub(super) steps: Vec<Vec<[c64; 3]>>,
    /// Largest displacement, and the largest in the plane of the drawing.
    pub(super) largest: f64,
    pub(super) largest_seen: f64,
}

impl<'a> Scene<'a> {
    /// A model in the plane is seen in its plane, whatever the view.
    pub(super) fn new(model: &'a Model, q: &'a [f64], view: Option<&Look>) -> Self {
        let strokes = model.outline();
        let planar = model.is_planar();
        let look = if planar { Look::from_above() } else { view.cloned().unwrap_or_else(Look::isometric) };
        let rest = Posture { at: Vec::new(), near: Vec::new() };
        let mut scene = Self {
            model,
            q,
            strokes,
            lanes: Vec::new(),
            planar,
            look,
            asked: view.is_some(),
            side: 0.0,
            rest,
        };
        let places = scene.places(q);
        scene.side = side(&places);
        scene.lanes = lanes(&scene.strokes, &places);
        scene.rest = scene.posture(&places);
        scene
    }

    /// What a legend says of the view.
    pub(super) fn view_words(&self, long: bool) -> String {
        match (self.planar, self.asked) {
            (true, false) => String::new(),
            (true, true) => "; seen in its plane".to_owned(),
            (false, _) => format!("; {}", self.look.words(long)),
        }
    }

    /// Positions of the places of each stroke at a configuration, m.
    pub(super) fn places(&self, q: &[f64]) -> Vec<Vec<[f64; 3]>> {
        let of = |s: &OutlineStroke| s.places.iter().map(|p| self.model.place_at(p, q)).collect();
        self.strokes.iter().map(of).collect()
    }

    /// The places as the drawing shows them.
    pub(super) fn posture(&self, places: &[Vec<[f64; 3]>]) -> Posture {
        let at = |p: &Vec<[f64; 3]>| p.iter().map(|p| self.look.seen(*p)).collect();
        let near = |p: &Vec<[f64; 3]>| p.iter().map(|p| self.look.nearness(*p)).collect();
        Posture { at: places.iter().map(at).collect(), near: places.iter().map(near).collect() }
    }

    /// How the mode shape `x` (n numbers) moves the places.
    pub(super) fn motion(&self, x: &[c64]) -> Motion {
        let part = |of: fn(&c64) -> f64| x.iter().map(of).collect::<Vec<f64>>();
        let (re, im) = (part(|z| z.re), part(|z| z.im));
        let step = |s: &OutlineStroke| -> Vec<[c64; 3]> {
            let moves = |p, x: &[f64]| self.model.place_step(p, self.q, x);
            let both = |p| (moves(p, &re), moves(p, &im));
            s.places.iter().map(both).map(|(a, b)| [0, 1, 2].map(|k| c64::new(a[k], b[k]))).collect()
        };
        let steps: Vec<Vec<[c64; 3]>> = self.strokes.iter().map(step).collect();
        let size = |d: &[c64; 3]| d.iter().map(c64::norm_sqr).sum::<f64>();
        let size_seen = |d: &[c64; 3]| {
            [d.map(|z| z.re), d.map(|z| z.im)]
                .map(|d| self.look.seen(d))
                .iter()
                .flatten()
                .map(|x| x * x)
                .sum()
        };
        let largest = steps.iter().flatten().map(size).fold(0.0, f64::max).sqrt();
        let largest_seen = steps.iter().flatten().map(size_seen).fold(0.0, f64::max).sqrt();
        Motion { steps, largest, largest_seen }
    }

    /// The larger side of the model at rest along an axis, m, from wherever it is seen; one for a single place.
    pub(super) fn extent(&self) -> f64 {
        if self.side > 0.0 { self.side } else { 1.0 }
    }

    /// The same, zero for a single place.
    pub(super) fn side(&self) -> f64 {
        self.side
    }

    /// Lower left and upper right corner of the model at rest.
    pub(super) fn bounds(&self) -> [[f64; 2]; 2] {
        bounds(self.rest.at.iter().flatten().copied())
    }
}

impl Motion {
    /// The share of the motion that is a quarter of a period behind: 0 for an oscillation in one phase.
    pub(super) fn phase_spread(&self) -> f64 {
        phase::spread(self.steps.iter().flatten().flatten())
    }

    /// The same motion turned so that most of it is real.
    pub(super) fn in_phase(mut self) -> Self {
        let turn = phase::turn(self.steps.iter().flatten().flatten());
        self.steps.iter_mut().flatten().flatten().for_each(|z| *z *= turn);
        self
    }

    /// Displacements of one stroke at a phase, m.
    pub(super) fn at(&self, stroke: usize, phase: f64, amplitude: f64) -> impl Iterator<Item = [f64; 3]> {
        let turn = c64::from_polar(amplitude, phase);
        self.steps[stroke].iter().map(move |d| d.map(|z| (z * turn).re))
    }
}

/// The longest side of the box around points along the axes; zero around nothing.
fn side(places: &[Vec<[f64; 3]>]) -> f64 {
    let along = |k: usize| {
        let (lo, hi) = places
            .iter()
            .flatten()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| (lo.min(p[k]), hi.max(p[k])));
        hi - lo
    };
    [0, 1, 2].map(along).into_iter().fold(0.0, f64::max)
}

/// Corners of the box around points; a unit square around nothing.
pub(super) fn bounds(points: impl Iterator<Item = [f64; 2]>) -> [[f64; 2]; 2] {
    let start = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    let out = points
        .fold(start, |[lo, hi], p| [[lo[0].min(p[0]), lo[1].min(p[1])], [hi[0].max(p[0]), hi[1].max(p[1])]]);
    if out[0][0].is_finite() { out } else { [[-0.5; 2], [0.5; 2]] }
}
