//! Flexible links: what their table says, their coordinates and elements, and places on them.

use super::expand::{Entries, Entry, Head};
use super::spots::Spot;
use super::{BodyPart, Builder, LinkPart, Outcome};
use crate::element::{Data, ElasticAxis};
use crate::link::{LinkData, LinkStation};
use crate::spec::error::Problems;
use crate::spec::nearest::nearest;
use crate::spec::{
    ElasticDampingSpec, Fault, FlexibleLinkSpec, NameFault, ReferenceSpec, SectionSpec, Value,
};
use core::f64::consts::PI;
use std::collections::BTreeMap;

/// Most elements of one link; beyond it a slip of the pen is likelier than a model.
pub(super) const MAX_ELEMENTS: i64 = 1_000_000;

impl<P: Data> Builder<P> {
    /// Reads all flexible links; their frames stand among the bodies. A faulty one is kept as a
    /// placeholder.
    pub(super) fn read_links(&mut self, entries: &Entries<'_>, problems: &mut Problems) {
        for e in &entries.flexible_links {
            let frame = problems.keep(self.read_link_frame(e));
            let zero = [P::zero(); 2];
            let (given, given_angle) = frame.unwrap_or((Some(zero), Some(P::zero())));
            self.bodies.push(BodyPart {
                block: None,
                fixed: false,
                given,
                given_angle,
                start: given.unwrap_or(zero),
                start_angle: given_angle.unwrap_or_else(P::zero),
                guessed: false,
                velocity: [P::zero(); 3],
                mass: P::zero(),
                inertia: P::zero(),
                center_of_mass: zero,
                alpha: P::zero(),
                markers: BTreeMap::new(),
            });
            let mut part = problems.keep(self.read_link(e)).unwrap_or_else(|| LinkPart {
                faulty: true,
                markers: e.spec.markers.keys().map(|k| (k.clone(), P::zero())).collect(),
                ..LinkPart::placeholder()
            });
            part.body = self.bodies.len() - 1;
            self.flexible.push(part);
        }
    }
    fn read_link_frame(&self, e: &Entry<'_, FlexibleLinkSpec>) -> Outcome<(Option<[P; 2]>, Option<P>)> {
        let at = e.spec.at.as_ref().map(|at| self.pair(e, "at", at)).transpose()?;
        Ok((at, e.spec.angle.as_ref().map(|a| self.value(e, "angle", a)).transpose()?))
    }
    fn read_link(&self, e: &Entry<'_, FlexibleLinkSpec>) -> Outcome<LinkPart<P>> {
        let spec = e.spec;
        let length = self.positive(e, "length", "length", &spec.length)?;
        let count = self.scope.whole(&spec.elements, e.loops()).map_err(|f| e.problem("elements", f))?;
        let elements = usize::try_from(count).ok().filter(|_| (1..=MAX_ELEMENTS).contains(&count));
        let Some(elements) = elements else {
            return Err(e.problem("elements", Fault::ElementCount { count, most: MAX_ELEMENTS }));
        };
        let density = self.positive(e, "density", "density", &spec.density)?;
        let modulus = self.positive(e, "youngs_modulus", "Young's modulus", &spec.youngs_modulus)?;
        let [area, second_moment] = self.section(e, &spec.section, "the section of a flexible link")?;
        let (alpha, beta) = match &spec.damping {
            None => (None, None),
            Some(ElasticDampingSpec { alpha, beta }) => (alpha.as_ref(), beta.as_ref()),
        };
        let data = LinkData {
            length,
            elements,
            mass_per_length: density * area,
            axial: modulus * area,
            bending: modulus * second_moment,
            alpha: self.not_negative(e, "damping.alpha", "damping", alpha)?,
            beta: self.not_negative(e, "damping.beta", "damping", beta)?,
            geometric_stiffness: spec.geometric_stiffness,
        };
        Self::sound_products(e, [area, data.mass_per_length, data.axial, data.bending])?;
        let mut markers = BTreeMap::new();
        for (name, at) in &spec.markers {
            let key = format!("markers.{name}");
            super::check_name(name).map_err(|f| e.problem(&key, f))?;
            if ["start", "end"].contains(&name.as_str()) || node_number(name).is_some() {
                let fault = Fault::IllegalName { name: name.clone(), reason: NameFault::Reserved };
                return Err(e.problem(&key, fault));
            }
            let s = self.value(e, &key, at)?;
            // Rounding of an expression for the far end is forgiven.
            let slack = 1e-12 * length.value();
            if !(-slack..=length.value() + slack).contains(&s.value()) {
                let fault = Fault::BeyondLink { at: s.value(), length: length.value() };
                return Err(e.problem(&key, fault));
            }
            markers.insert(name.clone(), s);
        }
        let reference = self.reference(e, elements + 1)?;
        Ok(LinkPart { body: 0, link: None, data, reference, markers, faulty: false })
    }
    /// Checks area, mass per length, axial and bending stiffness: products of sound numbers can still overflow, or vanish.
    pub(super) fn sound_products(e: &Head, products: [P; 4]) -> Outcome<()> {
        let names = [
            ("section", "area"),
            ("density", "mass per length"),
            ("youngs_modulus", "axial stiffness"),
            ("youngs_modulus", "bending stiffness"),
        ];
        for ((key, quantity), x) in names.into_iter().zip(products) {
            if !x.is_finite() {
                let fault = Fault::NotFinite { text: quantity.to_owned(), value: x.value() };
                return Err(e.problem(key, fault));
            }
            if x.value() <= 0.0 {
                return Err(e.problem(key, Fault::NotPositive { quantity, value: x.value() }));
            }
        }
        Ok(())
    }
    /// Area and second moment of a section.
    pub(super) fn section(&self, e: &Head, s: &SectionSpec, of: &str) -> Outcome<[P; 2]> {
        let of_beams = [
            ("web", s.web.is_some()),
            ("flange", s.flange.is_some()),
            ("second_moments", s.second_moments.is_some()),
            ("torsion", s.torsion.is_some()),
            ("shear_factors", s.shear_factors.is_some()),
        ];
        if let Some((key, _)) = of_beams.into_iter().find(|(_, there)| *there) {
            let fault = Fault::KeyNotFor { key, kind: of.to_owned() };
            return Err(e.problem(&format!("section.{key}"), fault));
        }
        let keys: [(&'static str, &Option<Value>); 6] = [
            ("radius", &s.radius),
            ("inner_radius", &s.inner_radius),
            ("width", &s.width),
            ("height", &s.height),
            ("area", &s.area),
            ("second_moment", &s.second_moment),
        ];
        let kinds: [(&str, &[usize]); 3] =
            [("a circular section", &[0, 1]), ("a rectangular section", &[2, 3]), ("a section", &[4, 5])];
        let there = |i: usize| keys[i].1.is_some();
        let path = |i: usize| format!("section.{}", keys[i].0);
        let Some((kind, own)) = kinds.iter().find(|(_, own)| own.iter().any(|i| there(*i))) else {
            return Err(
                e.problem("section", Fault::KeyNeeded { key: "radius", kind: "a section".to_owned() })
            );
        };
        if let Some(other) = (0..6).find(|i| there(*i) && !own.contains(i)) {
            let first = keys[own.iter().copied().find(|i| there(*i)).unwrap_or(0)].0;
            return Err(e.problem(&path(other), Fault::Exclusive { first, second: keys[other].0 }));
        }
        let needed = |i: usize, quantity: &'static str| {
            let (key, value) = keys[i];
            let value = value
                .as_ref()
                .ok_or_else(|| e.problem("section", Fault::KeyNeeded { key, kind: (*kind).to_owned() }))?;
            self.positive(e, &path(i), quantity, value)
        };
        match own[0] {
            0 => {
                let r = needed(0, "radius")?;
                let inner = self.not_negative(e, &path(1), "inner radius", s.inner_radius.as_ref())?;
                if inner.value() >= r.value() {
                    let fault = Fault::NotPositive {
                        quantity: "thickness (radius less inner radius)",
                        value: r.value() - inner.value(),
                    };
                    return Err(e.problem(&path(1), fault));
                }
                let (r2, i2) = (r * r, inner * inner);
                Ok([(r2 - i2).scale(PI), (r2 * r2 - i2 * i2).scale(PI / 4.0)])
            }
            2 => {
                let (b, h) = (needed(2, "width")?, needed(3, "height")?);
                Ok([b * h, (b * h * h * h).scale(1.0 / 12.0)])
            }
            _ => Ok([needed(4, "area")?, needed(5, "second moment of area")?]),
        }
    }
    /// The reference conditions, checked to hold the frame and nothing more.
    fn reference(&self, e: &Entry<'_, FlexibleLinkSpec>, nodes: usize) -> Outcome<Vec<(usize, ElasticAxis)>> {
        use ElasticAxis::{Rotation, X, Y};
        let list = match &e.spec.reference {
            ReferenceSpec::Tangent => return Ok(vec![(1, X), (1, Y), (1, Rotation)]),
            ReferenceSpec::Chord => return Ok(vec![(1, X), (1, Y), (nodes, Y)]),
            ReferenceSpec::Conditions(list) => list,
        };
        let problem = |fault| e.problem("reference", fault);
        let mut held = Vec::with_capacity(list.len());
        for text in list {
            let text = self.filled(e, "reference", text)?;
            let unknown = || Fault::UnknownCondition { text: text.clone() };
            let (node, axis) = text.split_once('.').ok_or_else(|| problem(unknown()))?;
            let node = match node {
                "start" => 1,
                "end" => nodes,
                other => node_number(other).ok_or_else(|| problem(unknown()))?,
            };
            if !(1..=nodes).contains(&node) {
                return Err(problem(Fault::NoSuchNode { node, nodes }));
            }
            let axis = [X, Y, Rotation].into_iter().find(|a| a.name() == axis);
            held.push((node, axis.ok_or_else(|| problem(unknown()))?));
        }
        let free = free_motions(&held);
        if !free.is_empty() {
            return Err(problem(Fault::FrameNotHeld { free }));
        }
        if held.len() > 3 {
            return Err(problem(Fault::FrameOverHeld { count: held.len() }));
        }
        Ok(held)
    }

    /// Adds the coordinates of all flexible links.
    pub(super) fn add_link_blocks(&mut self, entries: &Entries<'_>) {
        for (part, e) in self.flexible.iter_mut().zip(&entries.flexible_links) {
            let body = &mut self.bodies[part.body];
            let start = [body.start[0], body.start[1], body.start_angle];
            let link = self.model.add_link_blocks(e.name.clone(), start, &part.data);
            body.block = Some(link.frame);
            part.link = Some(link);
        }
    }
    pub(super) fn flexible_link(&mut self, k: usize, e: &Entry<'_, FlexibleLinkSpec>) {
        let part = &self.flexible[k];
        if let (Some(link), false) = (part.link, part.faulty) {
            self.model.add_link_elements(e.owner(), &link, &part.data, &part.reference);
        }
    }

    /// The place of a reference on link `k`.
    pub(super) fn link_spot(&self, k: usize, name: &str, place: Option<&str>) -> Result<Spot<P>, Fault> {
        let part = &self.flexible[k];
        let nodes = part.data.elements + 1;
        let station = match place {
            None => LinkStation::Frame,
            Some("start") => LinkStation::Node(1),
            // A placeholder has not the nodes of the link it stands for.
            Some("end") if part.faulty => LinkStation::Node(1),
            Some("end") => LinkStation::Node(nodes),
            Some(text) => match (part.markers.get(text), node_number(text)) {
                (Some(s), _) => LinkStation::Arc(*s),
                (None, Some(_)) if part.faulty => LinkStation::Node(1),
                (None, Some(node)) if (1..=nodes).contains(&node) => LinkStation::Node(node),
                (None, Some(node)) => return Err(Fault::NoSuchNode { node, nodes }),
                (None, None) => {
                    let known = part.markers.keys().map(String::as_str).chain(["start", "end"]);
                    let nearest = nearest(text, known);
                    let (link, place) = (name.to_owned(), text.to_owned());
                    return Err(Fault::UnknownLinkPlace { link, place, nearest });
                }
            },
        };
        Ok(Spot::Link(k, station))
    }
}

impl<P: Data> LinkPart<P> {
    /// What stands for a faulty link until the faults are reported.
    fn placeholder() -> Self {
        let data = LinkData {
            length: P::one(),
            elements: 1,
            mass_per_length: P::one(),
            axial: P::one(),
            bending: P::one(),
            alpha: P::zero(),
            beta: P::zero(),
            geometric_stiffness: true,
        };
        Self { body: 0, link: None, data, reference: Vec::new(), markers: BTreeMap::new(), faulty: true }
    }
}

/// The number in `node12`.
pub(super) fn node_number(text: &str) -> Option<usize> {
    let digits = text.strip_prefix("node")?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(usize::MAX))
}

/// The rigid motions of the elastic field that some conditions leave free.
///
/// Along the link the field moves with every ux; across it as a + b s with every uy = a + b s
/// and every rotation b.
fn free_motions(held: &[(usize, ElasticAxis)]) -> Vec<String> {
    let mut free = Vec::new();
    if !held.iter().any(|(_, axis)| *axis == ElasticAxis::X) {
        free.push("translation along the link".to_owned());
    }
    let across = |(node, axis): &(usize, ElasticAxis)| (*axis == ElasticAxis::Y).then_some(*node);
    let turned = held.iter().any(|(_, axis)| *axis == ElasticAxis::Rotation);
    let Some(node) = held.iter().find_map(across) else {
        free.push("translation across the link".to_owned());
        if !turned {
            free.push("rotation".to_owned());
        }
        return free;
    };
    if !turned && held.iter().filter_map(across).all(|other| other == node) {
        free.push(format!("rotation about node {node}"));
    }
    free
}

#[cfg(test)]
mod tests {
    use super::ElasticAxis::{Rotation, X, Y};
    use super::*;

    #[test]
    fn free_motions_are_the_null_space_of_the_conditions() {
        let free = |held: &[(usize, ElasticAxis)]| free_motions(held).join("; ");
        assert_eq!(free(&[(1, X), (1, Y), (1, Rotation)]), "");
        assert_eq!(free(&[(1, X), (1, Y), (9, Y)]), "");
        assert_eq!(free(&[(5, Rotation), (2, Y), (7, X)]), "");
        assert_eq!(free(&[(1, X), (4, Y), (4, Y)]), "rotation about node 4");
        assert_eq!(free(&[(1, X), (4, Rotation)]), "translation across the link");
        assert_eq!(free(&[]), "translation along the link; translation across the link; rotation");
    }
    #[test]
    fn node_numbers_are_digits_after_the_word() {
        assert_eq!(node_number("node12"), Some(12));
        assert!(["node", "node1a", "nod1", "Node1", "node-1"].iter().all(|t| node_number(t).is_none()));
    }
}
