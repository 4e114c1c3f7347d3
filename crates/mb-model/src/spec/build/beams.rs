//! Beams in space: what their table says, their nodes among the bodies, and places on them.

use super::expand::{Entries, Entry};
use super::links::{MAX_ELEMENTS, node_number};
use super::solids::{SolidPart, unit, unturned};
use super::spots::Spot;
use super::{Builder, Outcome, check_name};
use crate::beam::{BeamData, BeamMaterial, BeamNode, Shear};
use crate::element::rotation::{about, cross, dot, from_columns, product, turned};
use crate::element::{AxialStrain, BeamStation, Data, Interpolation};
use crate::spec::error::Problems;
use crate::spec::nearest::nearest;
use crate::spec::{AxialStrainSpec, BeamElementSpec, BeamSpec, Fault, NameFault, PlaceRef, ShearSpec};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// Part of the length below which a marker is the node there.
const AT_NODE: f64 = 1e-9;
/// Sine of the angle below which a direction is along the beam.
const ALONG: f64 = 1e-6;

/// Ends of elements as parts of the length, and the numbers of those that have names.
type Parts<P> = (Vec<P>, Vec<(String, usize)>);

/// A beam.
#[derive(Clone, Debug)]
pub(super) struct BeamPart<P> {
    data: BeamData<P>,
    /// What every node is.
    spots: Vec<Spot<P>>,
    /// The natural shape.
    stations: Vec<BeamStation<P>>,
    /// Nodes with names.
    markers: BTreeMap<String, usize>,
}

/// The centre line and how the section stands on it.
struct Shape<P> {
    start: Vector3<P>,
    /// Axes at the first end: along, y, z.
    axes: [Vector3<P>; 3],
    length: P,
    /// Unit vector about which an arc turns, and its angle.
    arc: Option<(Vector3<P>, P)>,
    twist: P,
}

impl<P: Data> Shape<P> {
    /// The section at the part `x` (0 to 1) of the length.
    fn station(&self, x: P) -> BeamStation<P> {
        let [along, y, z] = self.axes;
        let mut at = self.start + along * (self.length * x);
        let mut euler = from_columns([along, y, z]);
        if self.twist != P::zero() {
            euler = product(about(along.into(), self.twist * x), euler);
        }
        if let Some((axis, angle)) = self.arc {
            let radius = self.length / angle;
            let (s, c) = (angle * x).sin_cos();
            at = self.start + along * (radius * s) + cross(&axis, &along) * (radius * (P::one() - c));
            euler = product(about(axis.into(), angle * x), euler);
        }
        BeamStation { at: at.into(), euler }
    }
}

impl<P: Data> Builder<P> {
    /// Reads all beams; their nodes stand among the bodies in space. A faulty one is kept as a placeholder.
    pub(super) fn read_beams(&mut self, entries: &Entries<'_>, problems: &mut Problems) {
        for e in &entries.beams {
            let part = problems.keep(self.read_beam(e)).ok_or_else(|| {
                let origin = BeamStation { at: [P::zero(); 3], euler: unturned() };
                self.solids.push(SolidPart::node(e.name.clone(), &origin));
                self.solids.len() - 1
            });
            self.beams.push(part);
        }
    }
    fn read_beam(&mut self, e: &Entry<'_, BeamSpec>) -> Outcome<BeamPart<P>> {
        let spec = e.spec;
        let ends = [self.beam_end(e, "from", &spec.from)?, self.beam_end(e, "to", &spec.to)?];
        let shape = self.shape(e, ends)?;
        let count = self.scope.whole(&spec.elements, e.loops()).map_err(|f| e.problem("elements", f))?;
        let elements = usize::try_from(count).ok().filter(|_| (1..=MAX_ELEMENTS).contains(&count));
        let Some(elements) = elements else {
            return Err(e.problem("elements", Fault::ElementCount { count, most: MAX_ELEMENTS }));
        };
        let data = self.beam_data(e)?;
        let (parts, named) = self.stations_of(e, shape.length, elements)?;
        let step = data.interpolation.nodes() - 1;
        let last = parts.len() - 1;
        let mut stations = Vec::with_capacity(last * step + 1);
        for k in 0..last {
            stations.push(shape.station(parts[k]));
            if step == 2 {
                stations.push(shape.station((parts[k] + parts[k + 1]).scale(0.5)));
            }
        }
        stations.push(shape.station(parts[last]));
        let count = stations.len();
        let mut spots = Vec::with_capacity(count);
        for (k, station) in stations.iter().enumerate() {
            let attached = match k {
                0 => ends[0],
                k if k + 1 == count => ends[1],
                _ => Spot::Somewhere,
            };
            spots.push(if matches!(attached, Spot::Solid(..)) {
                attached
            } else {
                self.solids.push(SolidPart::node(format!("{}[{}]", e.name, k + 1), station));
                Spot::Solid(self.solids.len() - 1, [P::zero(); 3])
            });
        }
        let markers = named.into_iter().map(|(name, k)| (name, k * step)).collect();
        Ok(BeamPart { data, spots, stations, markers })
    }
    /// Where elements end: equally spaced, and at markers.
    fn stations_of(&self, e: &Entry<'_, BeamSpec>, length: P, elements: usize) -> Outcome<Parts<P>> {
        let mut parts: Vec<P> =
            (0..=elements).map(|k| P::cst(k as f64).scale(1.0 / elements as f64)).collect();
        let mut named: Vec<(String, usize)> = Vec::new();
        for (name, at) in &e.spec.markers {
            let key = format!("markers.{name}");
            check_name(name).map_err(|f| e.problem(&key, f))?;
            if ["start", "end"].contains(&name.as_str()) || node_number(name).is_some() {
                let fault = Fault::IllegalName { name: name.clone(), reason: NameFault::Reserved };
                return Err(e.problem(&key, fault));
            }
            let s = self.value(e, &key, at)?;
            let x = s / length;
            if !(-AT_NODE..=1.0 + AT_NODE).contains(&x.value()) {
                let fault = Fault::BeyondLink { at: s.value(), length: length.value() };
                return Err(e.problem(&key, fault));
            }
            let next = parts.partition_point(|p| p.value() < x.value() - AT_NODE);
            let at_node = parts.get(next).is_some_and(|p| p.value() <= x.value() + AT_NODE);
            if !at_node {
                for (_, other) in named.iter_mut().filter(|(_, other)| *other >= next) {
                    *other += 1;
                }
                parts.insert(next, x);
            } else if next > 0 && next + 1 < parts.len() {
                parts[next] = x;
            }
            named.push((name.clone(), next));
        }
        Ok((parts, named))
    }
    /// Coordinates, or a place of a body in space.
    fn beam_end(&self, e: &Entry<'_, BeamSpec>, key: &'static str, place: &PlaceRef) -> Outcome<Spot<P>> {
        if let PlaceRef::Name(text) = place {
            let text = self.filled(e, key, text)?;
            let base = text.split_once('.').map_or(text.as_str(), |(base, _)| base);
            if let Some(n) = self.names.get(base).filter(|n| n.table == "beam" && n.index >= self.beams.len())
            {
                let later = entries_later(n.index, self.beams.len(), base);
                return Err(e.problem(key, later));
            }
        }
        match self.definite(e, key, place)? {
            spot @ Spot::Ground(_) => Ok(spot),
            spot @ Spot::Solid(..) if self.start_is_given(spot) => Ok(spot),
            spot @ Spot::Solid(..) => {
                Err(e.problem(key, Fault::UnknownStart { key: "at", thing: self.thing(spot) }))
            }
            other => {
                let PlaceRef::Name(name) = place else { return Ok(other) };
                let wanted = "spatial-body, its marker, or a node of a beam";
                let found = match other {
                    Spot::Point(_) => "point",
                    Spot::Link(..) => "flexible-link",
                    Spot::Node(..) => "solid",
                    _ => "body",
                };
                Err(e.problem(key, Fault::WrongReference { name: name.clone(), found, wanted }))
            }
        }
    }
    fn shape(&self, e: &Entry<'_, BeamSpec>, ends: [Spot<P>; 2]) -> Outcome<Shape<P>> {
        let [a, b] = ends.map(|s| Vector3::from(self.position_of(s)));
        let chord = b - a;
        let Some(straight) = unit(chord) else {
            let fault = Fault::NotPositive { quantity: "distance of its ends", value: 0.0 };
            return Err(e.problem("to", fault));
        };
        let chord_length = dot(&chord, &chord).sqrt();
        let (mut along, mut length, mut arc) = (straight, chord_length, None);
        if let Some(through) = &e.spec.through {
            let c = Vector3::from(self.triple(e, "through", through)?);
            let (to_a, to_b) = (a - c, b - c);
            let across = cross(&to_b, &to_a);
            let size = |v: &Vector3<P>| dot(v, v).sqrt();
            if size(&across).value() <= ALONG * size(&to_a).value() * size(&to_b).value() {
                return Err(e.problem("through", Fault::NoArc));
            }
            // The arc turns by twice what the inscribed angle at c falls short of half a turn.
            let axis = unit(across).unwrap_or(across);
            let inscribed = size(&across).atan2(dot(&to_a, &to_b));
            let angle = (P::cst(core::f64::consts::PI) - inscribed).scale(2.0);
            let half = angle.scale(0.5);
            let radius = chord_length / half.sin().scale(2.0);
            length = radius * angle;
            along = turned(about(axis.into(), -half), &straight);
            arc = Some((axis, angle));
        }
        let mut least = 0;
        for i in 1..3 {
            if along[i].value().abs() < along[least].value().abs() {
                least = i;
            }
        }
        let mut nearby = [P::zero(); 3];
        nearby[least] = P::one();
        let y = match &e.spec.y {
            Some(y) => self.direction(e, "y", "y", y)?,
            None => Vector3::from(nearby),
        };
        let across = y - along * dot(&along, &y);
        let Some(y) = unit(across).filter(|_| dot(&across, &across).value() > ALONG * ALONG) else {
            return Err(e.problem("y", Fault::ZeroDirection { key: "part of y across the beam" }));
        };
        let twist = self.value_or_zero(e, "twist", e.spec.twist.as_ref())?;
        Ok(Shape { start: a, axes: [along, y, cross(&along, &y)], length, arc, twist })
    }
    fn beam_data(&self, e: &Entry<'_, BeamSpec>) -> Outcome<BeamData<P>> {
        let spec = e.spec;
        let density = self.positive(e, "density", "density", &spec.density)?;
        let youngs_modulus = self.positive(e, "youngs_modulus", "Young's modulus", &spec.youngs_modulus)?;
        let shear_modulus = match (&spec.poissons_ratio, &spec.shear_modulus) {
            (Some(_), Some(_)) => {
                let (first, second) = ("poissons_ratio", "shear_modulus");
                return Err(e.problem(second, Fault::Exclusive { first, second }));
            }
            (Some(nu), None) => {
                let nu = self.value(e, "poissons_ratio", nu)?;
                if nu.value() <= -1.0 || nu.value() > 0.5 {
                    return Err(e.problem("poissons_ratio", Fault::PoissonsRatio { value: nu.value() }));
                }
                youngs_modulus / (P::one() + nu).scale(2.0)
            }
            (None, Some(g)) => self.positive(e, "shear_modulus", "shear modulus", g)?,
            (None, None) => {
                let kind = "a beam without `shear_modulus`".to_owned();
                return Err(e.problem("", Fault::KeyNeeded { key: "poissons_ratio", kind }));
            }
        };
        let material = BeamMaterial { density, youngs_modulus, shear_modulus };
        let section = self.beam_section(e, material.poissons_ratio())?;
        if spec.shear == ShearSpec::Rigid && spec.section.shear_factors.is_some() {
            let (first, second) = ("shear", "shear_factors");
            return Err(e.problem("section.shear_factors", Fault::Exclusive { first, second }));
        }
        let damping = spec.damping.as_ref();
        let data = BeamData {
            alpha: self.not_negative(
                e,
                "damping.alpha",
                "damping",
                damping.and_then(|d| d.alpha.as_ref()),
            )?,
            beta: self.not_negative(e, "damping.beta", "damping", damping.and_then(|d| d.beta.as_ref()))?,
            interpolation: match spec.element {
                BeamElementSpec::Quadratic => Interpolation::Quadratic,
                BeamElementSpec::Linear => Interpolation::Linear,
            },
            axial_strain: match spec.axial_strain {
                AxialStrainSpec::Exact => AxialStrain::Exact,
                AxialStrainSpec::GreenLagrange => AxialStrain::GreenLagrange,
            },
            shear: match spec.shear {
                ShearSpec::Flexible => Shear::Flexible,
                ShearSpec::Rigid => Shear::Rigid,
            },
            ..BeamData::new(section, material)
        };
        // Products of sound numbers can still overflow, or vanish.
        let law = data.law();
        let [force, moment] =
            [("axial or shear stiffness", law.force), ("torsion or bending stiffness", law.moment)];
        let mass = ("mass per length", [data.mass_per_length(); 3]);
        let inertia = ("moment of inertia per length", data.inertia_per_length());
        for (quantity, values) in [force, moment, mass, inertia] {
            for x in values {
                if !x.is_finite() {
                    let fault = Fault::NotFinite { text: quantity.to_owned(), value: x.value() };
                    return Err(e.problem("section", fault));
                }
                if x.value() <= 0.0 {
                    return Err(e.problem("section", Fault::NotPositive { quantity, value: x.value() }));
                }
            }
        }
        Ok(data)
    }
    /// Adds the elements of a beam.
    pub(super) fn beam(&mut self, k: usize, e: &Entry<'_, BeamSpec>) {
        let Ok(part) = &self.beams[k] else { return };
        let nodes: Vec<_> = part
            .spots
            .iter()
            .zip(&part.stations)
            .map(|(spot, station)| {
                let local = if let Spot::Solid(_, local) = spot { *local } else { [P::zero(); 3] };
                BeamNode {
                    block: self.block_of(*spot),
                    local,
                    body: self.start_euler(*spot),
                    station: *station,
                }
            })
            .collect();
        let data = part.data;
        self.model.add_beam_elements(&e.owner(), &data, &nodes);
    }

    /// The place of a reference on beam `k`.
    pub(super) fn beam_spot(&self, k: usize, name: &str, place: Option<&str>) -> Result<Spot<P>, Fault> {
        let part = match &self.beams[k] {
            Ok(part) => part,
            Err(node) => return Ok(Spot::Solid(*node, [P::zero(); 3])),
        };
        let nodes = part.spots.len();
        let Some(text) = place else { return Err(Fault::WhereOnBeam { beam: name.to_owned() }) };
        let node = match (text, part.markers.get(text), node_number(text)) {
            ("start", ..) => 0,
            ("end", ..) => nodes - 1,
            (_, Some(node), _) => *node,
            (_, None, Some(node)) if (1..=nodes).contains(&node) => node - 1,
            (_, None, Some(node)) => return Err(Fault::NoSuchNode { node, nodes }),
            (_, None, None) => {
                let known = part.markers.keys().map(String::as_str).chain(["start", "end"]);
                let nearest = nearest(text, known);
                let (beam, place) = (name.to_owned(), text.to_owned());
                return Err(Fault::UnknownBeamPlace { beam, place, nearest });
            }
        };
        Ok(part.spots[node])
    }
}

/// The fault of a beam that is attached to one further down, or to itself.
fn entries_later(index: usize, own: usize, name: &str) -> Fault {
    if index == own {
        Fault::SameThing { thing: format!("beam '{name}' itself") }
    } else {
        Fault::LaterBeam { beam: name.to_owned() }
    }
}
