//! The places of a model and how a mode moves them.

use mb_algebra::c64;
use mb_analysis::phase;
use mb_model::{Model, OutlineStroke};

/// The model at its operating point.
pub(super) struct Scene<'a> {
    pub(super) model: &'a Model,
    pub(super) q: &'a [f64],
    pub(super) strokes: Vec<OutlineStroke>,
    /// Whether everything lies in the plane of the drawing.
    pub(super) planar: bool,
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
    pub(super) steps: Vec<Vec<[c64; 2]>>,
    /// Largest displacement.
    pub(super) largest: f64,
}

impl<'a> Scene<'a> {
    pub(super) fn new(model: &'a Model, q: &'a [f64]) -> Self {
        let strokes = model.outline();
        let planar = model.is_planar();
        let rest = Posture { at: Vec::new(), near: Vec::new() };
        let mut scene = Self { model, q, strokes, planar, rest };
        scene.rest = scene.posture(&scene.places(q));
        scene
    }

    /// Positions of the places of each stroke at a configuration, m.
    pub(super) fn places(&self, q: &[f64]) -> Vec<Vec<[f64; 3]>> {
        let of = |s: &OutlineStroke| s.places.iter().map(|p| self.model.place_at(p, q)).collect();
        self.strokes.iter().map(of).collect()
    }

    /// The places as the drawing shows them.
    pub(super) fn posture(&self, places: &[Vec<[f64; 3]>]) -> Posture {
        let at = |p: &Vec<[f64; 3]>| p.iter().map(|p| seen(self.planar, *p)).collect();
        let near = |p: &Vec<[f64; 3]>| p.iter().map(|p| nearness(*p)).collect();
        Posture { at: places.iter().map(at).collect(), near: places.iter().map(near).collect() }
    }

    /// How the mode shape `x` (n numbers) moves the places.
    pub(super) fn motion(&self, x: &[c64]) -> Motion {
        let part = |of: fn(&c64) -> f64| x.iter().map(of).collect::<Vec<f64>>();
        let (re, im) = (part(|z| z.re), part(|z| z.im));
        let step = |s: &OutlineStroke| -> Vec<[c64; 2]> {
            let seen = |p, x: &[f64]| seen(self.planar, self.model.place_step(p, self.q, x));
            let both = |p| (seen(p, &re), seen(p, &im));
            s.places.iter().map(both).map(|(a, b)| [0, 1].map(|k| c64::new(a[k], b[k]))).collect()
        };
        let steps: Vec<Vec<[c64; 2]>> = self.strokes.iter().map(step).collect();
        let size = |d: &[c64; 2]| d[0].norm_sqr() + d[1].norm_sqr();
        let largest = steps.iter().flatten().map(size).fold(0.0, f64::max).sqrt();
        Motion { steps, largest }
    }

    /// The larger side of the model at rest, m; one for a single place.
    pub(super) fn extent(&self) -> f64 {
        let [lo, hi] = self.bounds();
        let extent = (hi[0] - lo[0]).max(hi[1] - lo[1]);
        if extent > 0.0 { extent } else { 1.0 }
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

    /// Displacements of one stroke at a phase.
    pub(super) fn at(&self, stroke: usize, phase: f64, amplitude: f64) -> impl Iterator<Item = [f64; 2]> {
        let turn = c64::from_polar(amplitude, phase);
        self.steps[stroke].iter().map(move |d| d.map(|z| (z * turn).re))
    }
}

/// A vector as the drawing shows it: its x and y in the plane, isometric with z upwards in space.
///
/// Lengths along the axes are true in both.
pub(super) fn seen(planar: bool, [x, y, z]: [f64; 3]) -> [f64; 2] {
    if planar {
        return [x, y];
    }
    let (sin, cos) = std::f64::consts::FRAC_PI_6.sin_cos();
    [cos * (x + y), z + sin * (y - x)]
}

/// Component of a place in space towards the reader, who looks from the direction (1, -1, 1), times sqrt 3.
fn nearness([x, y, z]: [f64; 3]) -> f64 {
    x - y + z
}

/// Corners of the box around points; a unit square around nothing.
pub(super) fn bounds(points: impl Iterator<Item = [f64; 2]>) -> [[f64; 2]; 2] {
    let start = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    let out = points
        .fold(start, |[lo, hi], p| [[lo[0].min(p[0]), lo[1].min(p[1])], [hi[0].max(p[0]), hi[1].max(p[1])]]);
    if out[0][0].is_finite() { out } else { [[-0.5; 2], [0.5; 2]] }
}
