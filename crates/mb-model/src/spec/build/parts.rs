//! Points, bodies, rods and angles: coordinates and inertia.

use super::expand::{Entries, Entry, Head};
use super::spots::Spot;
use super::start::{between, norm, rod_end};
use super::{BodyPart, Builder, Outcome, PointPart};
use crate::coordinates::BlockKind;
use crate::element::{AngleOfLine, Data, Distance, Element, LineForm, PlanarBody, PointMass, Rod};
use crate::model::Wiring;
use crate::spec::error::Problems;
use crate::spec::{AngleForm, AngleSpec, BodySpec, DampingSpec, Fault, PointSpec, RodSpec, Value};
use std::collections::BTreeMap;

impl<P: Data> Builder<P> {
    /// Reads all points and bodies; a faulty one is kept as a placeholder.
    pub(super) fn read_parts(&mut self, entries: &Entries<'_>, problems: &mut Problems) {
        for e in &entries.points {
            let part = problems.keep(self.read_point(e)).unwrap_or(PointPart {
                block: None,
                fixed: e.spec.fixed,
                given: Some([P::zero(); 2]),
                start: [P::zero(); 2],
                velocity: [P::zero(); 2],
                mass: P::zero(),
                alpha: P::zero(),
            });
            self.points.push(part);
        }
        for e in &entries.bodies {
            let zero = [P::zero(); 2];
            let part = problems.keep(self.read_body(e)).unwrap_or(BodyPart {
                block: None,
                fixed: e.spec.fixed,
                given: Some(zero),
                given_angle: Some(P::zero()),
                start: zero,
                start_angle: P::zero(),
                guessed: false,
                velocity: [P::zero(); 3],
                mass: P::zero(),
                inertia: P::zero(),
                center_of_mass: zero,
                alpha: P::zero(),
                markers: e.spec.markers.keys().map(|k| (k.clone(), zero)).collect(),
            });
            self.bodies.push(part);
        }
    }
    pub(super) fn alpha(&self, e: &Head, damping: Option<&DampingSpec>) -> Outcome<P> {
        self.not_negative(e, "damping.alpha", "damping", damping.map(|d| &d.alpha))
    }
    fn given(&self, e: &Head, at: Option<&[Value; 2]>) -> Outcome<Option<[P; 2]>> {
        at.map(|at| self.pair(e, "at", at)).transpose()
    }
    /// The velocity at the start; what is fixed has none.
    fn velocity(&self, e: &Head, fixed: bool, kind: &str, velocity: Option<&[Value; 2]>) -> Outcome<[P; 2]> {
        let v = velocity.map_or(Ok([P::zero(); 2]), |v| self.pair(e, "velocity", v))?;
        if fixed && v.iter().any(|x| *x != P::zero()) {
            return Err(e.problem("", Fault::KeyNotFor { key: "velocity", kind: kind.to_owned() }));
        }
        Ok(v)
    }
    fn read_point(&self, e: &Entry<'_, PointSpec>) -> Outcome<PointPart<P>> {
        let given = self.given(e, e.spec.at.as_ref())?;
        if e.spec.fixed && given.is_none() {
            return Err(e.problem("", Fault::KeyNeeded { key: "at", kind: "a fixed point".to_owned() }));
        }
        Ok(PointPart {
            block: None,
            fixed: e.spec.fixed,
            given,
            start: given.unwrap_or([P::zero(); 2]),
            velocity: self.velocity(e, e.spec.fixed, "a fixed point", e.spec.velocity.as_ref())?,
            mass: self.not_negative(e, "mass", "mass", e.spec.mass.as_ref())?,
            alpha: self.alpha(e, e.spec.damping.as_ref())?,
        })
    }
    fn read_body(&self, e: &Entry<'_, BodySpec>) -> Outcome<BodyPart<P>> {
        let spec = e.spec;
        let zero = [P::zero(); 2];
        if !spec.fixed {
            for (key, value) in [("mass", &spec.mass), ("inertia", &spec.inertia)] {
                if value.is_none() {
                    return Err(e.problem("", Fault::BodyNeeds { key }));
                }
            }
        }
        let mut markers = BTreeMap::new();
        for (name, at) in &spec.markers {
            let key = format!("markers.{name}");
            super::check_name(name).map_err(|f| e.problem(&key, f))?;
            markers.insert(name.clone(), self.pair(e, &key, at)?);
        }
        let given = self.given(e, spec.at.as_ref())?;
        let given_angle = spec.angle.as_ref().map(|a| self.value(e, "angle", a)).transpose()?;
        let v = self.velocity(e, spec.fixed, "a fixed body", spec.velocity.as_ref())?;
        let spin = self.value_or_zero(e, "angular_velocity", spec.angular_velocity.as_ref())?;
        if spec.fixed && spin != P::zero() {
            let kind = "a fixed body".to_owned();
            return Err(e.problem("", Fault::KeyNotFor { key: "angular_velocity", kind }));
        }
        Ok(BodyPart {
            block: None,
            fixed: spec.fixed,
            given,
            given_angle,
            start: given.unwrap_or(zero),
            start_angle: given_angle.unwrap_or_else(P::zero),
            guessed: false,
            velocity: [v[0], v[1], spin],
            mass: self.not_negative(e, "mass", "mass", spec.mass.as_ref())?,
            inertia: self.not_negative(e, "inertia", "moment of inertia", spec.inertia.as_ref())?,
            center_of_mass: match &spec.center_of_mass {
                Some(c) => self.pair(e, "center_of_mass", c)?,
                None => zero,
            },
            alpha: self.alpha(e, spec.damping.as_ref())?,
            markers,
        })
    }

    /// Adds the coordinates of everything that moves. Angles get their start later, with their
    /// lines.
    pub(super) fn add_blocks(&mut self, entries: &Entries<'_>) {
        for (p, e) in self.points.iter_mut().zip(&entries.points) {
            if !p.fixed {
                let id = self.model.add_block(e.name.clone(), BlockKind::PlanarPoint, &p.start);
                self.model.set_initial_velocity(id, &p.velocity);
                p.block = Some(id);
            }
        }
        for (b, e) in self.bodies.iter_mut().zip(&entries.bodies) {
            if !b.fixed {
                let start = [b.start[0], b.start[1], b.start_angle];
                let id = self.model.add_block(e.name.clone(), BlockKind::PlanarPose, &start);
                self.model.set_initial_velocity(id, &b.velocity);
                b.block = Some(id);
            }
        }
        self.add_solid_blocks();
        self.add_mesh_blocks(entries);
        self.add_link_blocks(entries);
        for e in &entries.angles {
            let start = self.angle_start(e);
            self.angles.push(self.model.add_block(e.name.clone(), BlockKind::Angle, &[start]));
        }
        self.add_erls_blocks(entries);
    }
    /// The angle given, or that of the line; faults are reported with the element.
    fn angle_start(&self, e: &Entry<'_, AngleSpec>) -> P {
        if let Some(value) = &e.spec.initial {
            return self.value(e, "initial", value).unwrap_or_else(|_| P::zero());
        }
        match (self.definite(e, "from", &e.spec.from), self.definite(e, "to", &e.spec.to)) {
            (Ok(a), Ok(b)) => {
                let d = between(self.start_of(a), self.start_of(b));
                if norm(d).value() > 0.0 { d[1].atan2(d[0]) } else { P::zero() }
            }
            _ => P::zero(),
        }
    }

    pub(super) fn point_mass(&mut self, k: usize, e: &Entry<'_, PointSpec>) {
        let part = self.points[k];
        let Some(id) = part.block.filter(|_| e.spec.mass.is_some()) else { return };
        let mut wiring = Wiring::default();
        let (slot, _) = wiring.slot(id, self.model.coordinates().block(id));
        let element = Element::PointMass(PointMass { slot, mass: part.mass, alpha: part.alpha });
        self.add(e, element, wiring, Vec::new());
    }
    pub(super) fn body(&mut self, k: usize, e: &Entry<'_, BodySpec>) {
        let part = &self.bodies[k];
        let Some(id) = part.block else { return };
        let mut wiring = Wiring::default();
        let (slot, _) = wiring.slot(id, self.model.coordinates().block(id));
        let element = Element::PlanarBody(PlanarBody {
            slot,
            mass: part.mass,
            inertia: part.inertia,
            center_of_mass: part.center_of_mass,
            alpha: part.alpha,
        });
        self.add(e, element, wiring, Vec::new());
    }
    pub(super) fn rod(&mut self, e: &Entry<'_, RodSpec>) -> Outcome<()> {
        let ends = [self.rod_point(e, 0)?, self.rod_point(e, 1)?];
        let [a, b] = ends;
        if a == b {
            return Err(e.problem("ends", Fault::SameThing { thing: self.thing(a) }));
        }
        let mass = self.not_negative(e, "mass", "mass", Some(&e.spec.mass))?;
        let alpha = self.alpha(e, e.spec.damping.as_ref())?;
        let mut length = None;
        if e.spec.rigid {
            let l = self.length_or_start(e, e.spec.length.as_ref(), a, b)?;
            self.check_length(e, a, b, l)?;
            if let (Spot::Point(i), Spot::Point(j)) = (a, b) {
                self.rod_lengths.insert([i.min(j), i.max(j)], l);
            }
            length = Some(l);
        } else if e.spec.length.is_some() {
            let kind = "a rod with rigid = false".to_owned();
            return Err(e.problem("length", Fault::KeyNotFor { key: "length", kind }));
        }
        if ends.iter().all(|s| self.block_of(*s).is_none()) {
            return Err(e.problem("", Fault::NothingMoves));
        }
        let mut wiring = Wiring::default();
        let [a, b] = ends.map(|s| self.place(&mut wiring, s));
        self.add(e, Element::Rod(Rod { ends: [a, b], mass, alpha }), wiring.clone(), Vec::new());
        if let Some(length) = length {
            self.add(e, Element::Distance(Distance { a, b, length }), wiring, Vec::new());
        }
        Ok(())
    }
    fn rod_point(&self, e: &Entry<'_, RodSpec>, i: usize) -> Outcome<Spot<P>> {
        let spot = self.definite(e, "ends", &rod_end(e, i))?;
        if matches!(spot, Spot::Point(_)) {
            return Ok(spot);
        }
        let name = self.filled(e, "ends", &e.spec.ends[i])?;
        let found = match spot {
            Spot::Link(..) => "flexible-link",
            Spot::Solid(i, _) if i >= self.own_solids => "beam",
            Spot::Node(..) => "solid",
            _ => "body",
        };
        Err(e.problem("ends", Fault::WrongReference { name, found, wanted: "point" }))
    }
    /// The length of a key, or the distance at the start.
    pub(super) fn length_or_start(
        &self,
        e: &Head,
        length: Option<&Value>,
        a: Spot<P>,
        b: Spot<P>,
    ) -> Outcome<P> {
        if let Some(value) = length {
            return self.positive(e, "length", "length", value);
        }
        if let Some(open) = [a, b].into_iter().find(|s| !self.start_is_given(*s)) {
            return Err(e.problem("", Fault::UnknownStart { key: "length", thing: self.thing(open) }));
        }
        let length = self.distance_of(a, b);
        if self.lengths.sound && length.value() <= 0.0 {
            let fault = Fault::NotPositive { quantity: "distance at the start", value: 0.0 };
            return Err(e.problem("", fault));
        }
        Ok(length)
    }
    /// The length of the rod between two points.
    fn rod_length(&self, a: Spot<P>, b: Spot<P>) -> Option<P> {
        let (Spot::Point(i), Spot::Point(j)) = (a, b) else { return None };
        self.rod_lengths.get(&[i.min(j), i.max(j)]).copied()
    }
    pub(super) fn angle(&mut self, k: usize, e: &Entry<'_, AngleSpec>) -> Outcome<()> {
        let a = self.definite(e, "from", &e.spec.from)?;
        let b = self.definite(e, "to", &e.spec.to)?;
        if a == b {
            return Err(e.problem("to", Fault::SameThing { thing: self.thing(a) }));
        }
        if let Some(value) = &e.spec.initial {
            self.value(e, "initial", value)?;
        }
        let form = match e.spec.form {
            AngleForm::Sine => LineForm::Sine,
            AngleForm::Cosine => LineForm::Cosine,
            AngleForm::Cross => LineForm::Cross,
        };
        let length = match (form, &e.spec.length) {
            (LineForm::Cross, Some(value)) => self.positive(e, "length", "length", value)?,
            // The cross form does not use it.
            (LineForm::Cross, None) => P::one(),
            (_, given) => match (self.rod_length(a, b), given) {
                (Some(length), None) => length,
                _ => self.length_or_start(e, given.as_ref(), a, b)?,
            },
        };
        let id = self.angles[k];
        let mut wiring = Wiring::default();
        let angle = self.model.angle(&mut wiring, id);
        let (a, b) = (self.place(&mut wiring, a), self.place(&mut wiring, b));
        self.add(e, Element::AngleOfLine(AngleOfLine { angle, a, b, length, form }), wiring, Vec::new());
        Ok(())
    }

    /// Reports points and bodies that can move without mass and without a joint to hold them.
    pub(super) fn check_inertia(&self, entries: &Entries<'_>, problems: &mut Problems) {
        let mut sure = vec![false; self.model.coordinates().blocks().len()];
        for m in self.model.members() {
            let massive = match &m.element {
                Element::PointMass(p) => p.mass.value() > 0.0,
                Element::Rod(r) => r.mass.value() > 0.0,
                Element::PlanarBody(b) => b.mass.value() > 0.0 && b.inertia.value() > 0.0,
                Element::SpatialBody(b) => b.is_massive(),
                Element::BeamInertia(_) | Element::BrickInertia(_) => true,
                _ => m.rows > 0,
            };
            for id in m.wires.blocks.iter().filter(|_| massive) {
                sure[id.0] = true;
            }
        }
        let unsure = |block: Option<crate::BlockId>| block.is_some_and(|id| !sure[id.0]);
        for (part, e) in self.points.iter().zip(&entries.points) {
            if unsure(part.block) {
                problems.keep::<()>(Err(e.problem("", Fault::NoInertia)));
            }
        }
        for (part, e) in self.bodies.iter().zip(&entries.bodies) {
            if unsure(part.block) {
                let key = if part.mass.value() > 0.0 { "inertia" } else { "mass" };
                problems.keep::<()>(Err(e.problem(key, Fault::NoInertia)));
            }
        }
        for (part, e) in self.solids.iter().zip(&entries.spatial_bodies) {
            if unsure(part.block) {
                problems.keep::<()>(Err(e.problem("inertia", Fault::NoInertia)));
            }
        }
    }
}
