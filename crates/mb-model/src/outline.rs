//! What to draw of a model: strokes through places that move with the coordinates.
//!
//! ```
//! use mb_model::{ModelSpec, Stroke};
//!
//! let model = ModelSpec::from_toml(r#"
//!     units = "SI"
//!     name = "pendulum"
//!     point = [{ name = "O", at = [0, 0], fixed = true }, { name = "P", at = [0, -2] }]
//!     rod = [{ name = "OP", ends = ["O", "P"], mass = 1 }]
//! "#)?.build()?;
//! let outline = model.outline();
//! let bar = outline.iter().find(|s| s.stroke == Stroke::Bar).expect("the rod is drawn as a bar");
//! assert_eq!(model.place_at(&bar.places[1], model.initial()), [0.0, -2.0, 0.0]);
//! // A step of the coordinates moves its free end and not the pin.
//! assert_eq!(model.place_step(&bar.places[1], model.initial(), &[0.5, 0.0]), [0.5, 0.0, 0.0]);
//! assert!(bar.places[0].is_ground());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An element says how it is drawn in [`crate::element::ElementLaw::outline`]; a rigid body is drawn by the points that
//! others attach to, which only the model knows, as it does where angles are held (`rotations`). Places of equivalent rigid
//! links depend on a whole chain of links and have strokes of their own (`erls`).

mod erls;
mod rotations;
mod slides;

use crate::coordinates::BlockKind;
use crate::element::{Element, Place};
use crate::model::Model;
use mb_scalar::{Dual, Lift};
use nalgebra::{Matrix3, Vector3};
use std::collections::{HashMap, HashSet};

/// Radius of gyration about its line, relative to its half length, up to which a body in space is drawn as a line.
const SLENDER: f64 = 0.03;
/// Largest radius that such a body is drawn with, likewise: links of a mechanism stay links.
const STOUT: f64 = 0.25;

/// Points of a circle of [`Stroke::Wheel`].
pub const CIRCLE: usize = 24;

/// How a thing is drawn through its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// A rigid straight bar between two places.
    Bar,
    /// A rigid body: its centre of mass, then the points others attach to.
    Body,
    /// A flexible member: a smooth curve through all places, in order.
    Curve,
    /// Faces of a solid: the four corners of each, in order round it.
    Faces,
    /// A spring between two places.
    Spring,
    /// A damper between two places.
    Damper,
    /// A bushing: springs in all relative motions of two places, which may be one.
    Bushing,
    /// Two places held together by a pin.
    Pin,
    /// Two places held together without any rotation; then a place further along one of the things held, where there is one,
    /// which gives the clamp a direction.
    Clamp,
    /// A torsional spring about two places that are one.
    TorsionSpring,
    /// A torsional damper about two places that are one.
    TorsionDamper,
    /// A massless link between two places.
    Link,
    /// A place that slides on a line: the place, then the line's base and a second place of it where the line has a
    /// direction of its own, near the base: it is no part of what carries the line.
    Slider,
    /// What rolls, as its body: its centre, then circles of [`CIRCLE`] points about it, each in order round it: one of a wheel, three
    /// across each other of a ball.
    Wheel,
    /// A mass concentrated in a place.
    Mass,
    /// A load on a place.
    Load,
}

/// Where a place is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spot {
    /// A place in the local coordinates of its element.
    Place(Place),
    /// A place of an element of an equivalent rigid link, by a number without unit: see [`crate::element::Erls::spot`].
    Erls(f64),
}

/// A place of an element of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutlinePlace {
    /// Index of the element in [`Model::members`], whose coordinates the place counts in.
    pub member: usize,
    /// The place.
    pub spot: Spot,
}

impl OutlinePlace {
    /// True for places of the ground, which do not move.
    pub fn is_ground(&self) -> bool {
        matches!(self.spot, Spot::Place(Place::Ground(_)))
    }
    /// The place; none on an equivalent rigid link.
    fn plain(&self) -> Option<&Place> {
        match &self.spot {
            Spot::Place(place) => Some(place),
            Spot::Erls(_) => None,
        }
    }
}

/// One thing to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlineStroke {
    /// Whose it is, such as `rod 'OP'`.
    pub owner: String,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Through which places.
    pub places: Vec<OutlinePlace>,
}

impl Model {
    /// What to draw, in the order of the elements. A rod's constant length is a link between the same places as its bar: the
    /// bar is enough.
    pub fn outline(&self) -> Vec<OutlineStroke> {
        let mut out: Vec<OutlineStroke> =
            (0..self.members().len()).flat_map(|member| self.strokes_of(member)).collect();
        let bars = out.iter().filter(|s| s.stroke == Stroke::Bar).map(|s| s.owner.clone());
        let bars: HashSet<String> = bars.collect();
        out.retain(|s| s.stroke != Stroke::Link || !bars.contains(&s.owner));
        rotations::clamp(self, &mut out);
        self.own_wheels(&mut out);
        // The points of each body that others attach to; of a wheel its centre, as the circle is the body itself, and of a slider no
        // direction.
        let own = |s: &&OutlineStroke| s.stroke != Stroke::Body;
        let attaches = |s: &OutlineStroke| match s.stroke {
            Stroke::Wheel => 1,
            Stroke::Slider => slides::JOINED,
            _ => s.places.len(),
        };
        let mut attached: HashMap<usize, Vec<OutlinePlace>> = HashMap::new();
        for place in out.iter().filter(own).flat_map(|s| &s.places[..attaches(s).min(s.places.len())]) {
            if let Some(body) = self.body_of(place) {
                attached.entry(body).or_default().push(*place);
            }
        }
        let round: HashSet<usize> = out
            .iter()
            .filter(|s| s.stroke == Stroke::Wheel)
            .filter_map(|s| self.body_of(s.places.first()?))
            .collect();
        for body in out.iter_mut().filter(|s| s.stroke == Stroke::Body) {
            let Some(own) = body.places.first().and_then(|p| self.body_of(p)) else { continue };
            let center = body.places.len();
            for place in attached.get(&own).into_iter().flatten() {
                let near = |p: &OutlinePlace| self.coincide(p, place);
                if !body.places[center..].iter().any(near) {
                    body.places.push(*place);
                }
            }
            if round.contains(&own) {
                // The wheel shows the size of its body and how it turns.
                continue;
            }
            if let Some(first) = body.places.first().copied()
                && body.places.iter().all(|p| self.coincide(p, &first))
            {
                body.places.extend(self.size_of(&first));
            } else {
                let girth = self.girth(&body.places);
                body.places.extend(girth);
            }
        }
        rotations::direct(self, &mut out);
        rotations::add_torsion_springs(self, &mut out);
        slides::shorten(self, &mut out);
        out
    }

    /// What the element of a member draws by itself.
    pub(crate) fn strokes_of(&self, member: usize) -> impl Iterator<Item = OutlineStroke> {
        let m = &self.members()[member];
        let of = move |(stroke, places): (Stroke, Vec<Spot>)| {
            let places = places.into_iter().map(|spot| OutlinePlace { member, spot }).collect();
            OutlineStroke { owner: m.owner.clone(), stroke, places }
        };
        let plain = m.element.outline().map(|(s, places)| (s, places.into_iter().map(Spot::Place).collect()));
        let linked = if let Element::Erls(erls) = &m.element { erls::strokes(erls) } else { Vec::new() };
        // A spring with damping of its own is a spring and a damper side by side.
        let damper = match &m.element {
            Element::Spring(s) if s.stiffness != 0.0 && s.damping != 0.0 => {
                Some((Stroke::Damper, vec![Spot::Place(s.a), Spot::Place(s.b)]))
            }
            _ => None,
        };
        plain.into_iter().chain(linked).chain(damper).map(of)
    }

    /// Makes wheels parts of the bodies that roll on them.
    fn own_wheels(&self, strokes: &mut [OutlineStroke]) {
        let bodies: HashMap<usize, String> = strokes
            .iter()
            .filter(|s| s.stroke == Stroke::Body)
            .filter_map(|s| Some((self.body_of(s.places.first()?)?, s.owner.clone())))
            .collect();
        for wheel in strokes.iter_mut().filter(|s| s.stroke == Stroke::Wheel) {
            let body = wheel.places.first().and_then(|p| bodies.get(&self.body_of(p)?));
            if let Some(owner) = body {
                wheel.owner.clone_from(owner);
            }
        }
    }

    /// Points of a body's own axes at its radius of gyration, for a body that nothing else gives a size.
    fn size_of(&self, center: &OutlinePlace) -> Vec<OutlinePlace> {
        let (radius, places): (f64, Vec<Place>) = match &self.members()[center.member].element {
            Element::PlanarBody(body) => {
                let radius = (body.inertia / body.mass).sqrt();
                let [x, y] = body.center_of_mass;
                let at = |x| Place::OnPlanarBody { q: body.slot, v: body.slot, local: [x, y] };
                (radius, vec![at(x + radius), at(x - radius)])
            }
            Element::SpatialBody(body) => {
                let trace: f64 = (0..3).map(|k| body.inertia[k][k]).sum();
                let radius = (0.5 * trace / body.mass).sqrt();
                let at = |k: usize, by: f64| {
                    let mut local = body.center_of_mass;
                    local[k] += by;
                    Place::OnBody { q: body.q, v: body.v, local }
                };
                (radius, (0..3).flat_map(|k| [at(k, radius), at(k, -radius)]).collect())
            }
            _ => return Vec::new(),
        };
        if !(radius.is_finite() && radius > 0.0) {
            return Vec::new();
        }
        let of = |place| OutlinePlace { member: center.member, spot: Spot::Place(place) };
        places.into_iter().map(of).collect()
    }

    /// Points of a body in space at its radius of gyration about the line on which its places lie, as the line alone would
    /// not show how the body turns about it, at most a quarter of its half length away; none where the places span more than a line, and of slender bodies.
    fn girth(&self, places: &[OutlinePlace]) -> Vec<OutlinePlace> {
        let Some(center) = places.first() else { return Vec::new() };
        let Element::SpatialBody(body) = &self.members()[center.member].element else { return Vec::new() };
        let origin = Vector3::from(body.center_of_mass);
        let arms = places.iter().filter_map(|p| match p.plain() {
            Some(Place::OnBody { local, .. }) => Some(Vector3::from(*local) - origin),
            _ => None,
        });
        let arms: Vec<Vector3<f64>> = arms.collect();
        let longest = arms.iter().max_by(|a, b| a.norm().total_cmp(&b.norm())).copied().unwrap_or_default();
        let (length, axis) = (longest.norm(), longest.normalize());
        // r^2 m = n . J n
        let moment = axis.dot(&(Matrix3::from(body.inertia) * axis));
        let radius = (moment / body.mass).sqrt();
        let on_line = arms.iter().all(|arm| arm.cross(&axis).norm() <= 1e-9 * length);
        if !(on_line && radius.is_finite() && radius > SLENDER * length) {
            return Vec::new();
        }
        let drawn = radius.min(STOUT * length);
        let least = (0..3).min_by(|i, j| axis[*i].abs().total_cmp(&axis[*j].abs())).unwrap_or(0);
        let across = axis.cross(&Vector3::ith(least, 1.0)).normalize();
        let of = |way: Vector3<f64>| OutlinePlace {
            member: center.member,
            spot: Spot::Place(Place::OnBody { q: body.q, v: body.v, local: (origin + drawn * way).into() }),
        };
        [across, axis.cross(&across), -across, -axis.cross(&across)].map(of).to_vec()
    }

    /// Whether two places are one point at the start.
    fn coincide(&self, a: &OutlinePlace, b: &OutlinePlace) -> bool {
        let (a, b) = (self.place_at(a, self.initial()), self.place_at(b, self.initial()));
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs()))
    }

    /// First configuration index of the rigid body that a place belongs to.
    fn body_of(&self, place: &OutlinePlace) -> Option<usize> {
        place.plain()?.body().map(|q| self.members()[place.member].wires.q_index[q])
    }

    /// Position of a place in m at the configuration `q` (nq numbers).
    pub fn place_at(&self, place: &OutlinePlace, q: &[f64]) -> [f64; 3] {
        let wires = &self.members()[place.member].wires;
        let local: Vec<f64> = wires.q_index.iter().map(|i| q[*i]).collect();
        match &place.spot {
            Spot::Place(place) => place.position(&local).into(),
            Spot::Erls(at) => self.on_erls(place.member, *at, &local),
        }
    }

    /// How far a place moves, in m, along the step `d` of the coordinates (nv numbers), to first order.
    pub fn place_step(&self, place: &OutlinePlace, q: &[f64], d: &[f64]) -> [f64; 3] {
        let wires = &self.members()[place.member].wires;
        let local: Vec<f64> = wires.q_index.iter().map(|i| q[*i]).collect();
        let step: Vec<f64> = wires.v_index.iter().map(|i| d[*i]).collect();
        match &place.spot {
            Spot::Place(place) => place.velocity(&local, &step).into(),
            // The coordinates of these links are linear: a step of them is added to them.
            Spot::Erls(at) => {
                let moving: Vec<Dual<f64>> =
                    local.iter().zip(&step).map(|(q, d)| Dual::new(*q, *d)).collect();
                self.on_erls(place.member, *at, &moving).map(|x| x.eps)
            }
        }
    }

    /// A place of an element of an equivalent rigid link at its local coordinates, m.
    fn on_erls<S: Lift<f64>>(&self, member: usize, at: f64, q: &[S]) -> [S; 3] {
        let Element::Erls(erls) = &self.members()[member].element else { return [S::zero(); 3] };
        let [x, y] = erls.spot(at, q);
        [x, y, S::zero()]
    }

    /// True when no body moves in space, so that a drawing in x and y shows all.
    pub fn is_planar(&self) -> bool {
        let in_space = |kind| matches!(kind, BlockKind::Pose | BlockKind::SpatialPoint);
        !self.coordinates().blocks().iter().any(|b| in_space(b.kind))
    }
}
