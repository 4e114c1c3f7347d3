//! Equivalent rigid links: what their table says, their coordinates and elements, and joints between them.

use super::expand::{Entries, Entry, Head};
use super::links::{MAX_ELEMENTS, node_number};
use super::passive::Closure;
use super::spots::Orientation;
use super::{Builder, ErlsPart, Outcome};
use crate::element::{Data, Element, Erls, ErlsPin, ErlsPlace, PinEnd};
use crate::erls::{ErlsBase, ErlsData};
use crate::model::Wiring;
use crate::spec::error::Problems;
use crate::spec::{ErlsLinkSpec, Fault, JointKind, JointSpec, PlaceRef};

impl<P: Data> Builder<P> {
    /// Reads all equivalent rigid links; a faulty one is left out, and what names it then says so.
    pub(super) fn read_erls(&mut self, entries: &Entries<'_>, problems: &mut Problems) {
        let parts: Vec<_> =
            entries.erls_links.iter().map(|e| problems.keep(self.read_erls_link(e))).collect();
        for (k, part) in parts.iter().enumerate() {
            // Each link stands on another; as many steps down as there are links lead to the ground.
            let mut at = part.as_ref().and_then(|p| p.parent);
            for _ in 0..parts.len() {
                at = at.and_then(|i| parts[i].as_ref()).and_then(|p| p.parent);
            }
            if at.is_some() {
                let fault = Fault::BaseCycle { link: entries.erls_links[k].name.clone() };
                problems.keep::<()>(Err(entries.erls_links[k].problem("base", fault)));
            }
        }
        self.erls = parts;
    }
    fn read_erls_link(&self, e: &Entry<'_, ErlsLinkSpec>) -> Outcome<ErlsPart<P>> {
        let spec = e.spec;
        let zero = P::zero();
        let (base, parent) = match &spec.base {
            PlaceRef::Ground(at) => (self.pair(e, "base", at)?, None),
            PlaceRef::Space(_) => {
                let (found, expected) = (3, "a pair [x, y], or the name of an erls-link".to_owned());
                return Err(e.problem("base", Fault::WrongLength { found, expected }));
            }
            PlaceRef::Name(text) => {
                let text = self.filled(e, "base", text)?;
                ([zero; 2], Some(self.erls_named(e, "base", &text)?))
            }
        };
        let length = self.positive(e, "length", "length", &spec.length)?;
        let count = self.scope.whole(&spec.elements, e.loops()).map_err(|f| e.problem("elements", f))?;
        let elements = usize::try_from(count).ok().filter(|_| (1..=MAX_ELEMENTS).contains(&count));
        let Some(elements) = elements else {
            return Err(e.problem("elements", Fault::ElementCount { count, most: MAX_ELEMENTS }));
        };
        let density = self.positive(e, "density", "density", &spec.density)?;
        let modulus = self.positive(e, "youngs_modulus", "Young's modulus", &spec.youngs_modulus)?;
        let [area, second_moment] = self.section(e, &spec.section, "the section of an erls-link")?;
        let damping = spec.damping.as_ref();
        let data = ErlsData {
            length,
            elements,
            mass_per_length: density * area,
            axial: modulus * area,
            bending: modulus * second_moment,
            alpha: self.not_negative(
                e,
                "damping.alpha",
                "damping",
                damping.and_then(|d| d.alpha.as_ref()),
            )?,
            beta: self.not_negative(e, "damping.beta", "damping", damping.and_then(|d| d.beta.as_ref()))?,
            payload: match &spec.payload {
                Some(_) => Some(self.not_negative(e, "payload", "payload", spec.payload.as_ref())?),
                None => None,
            },
        };
        Self::sound_products(e, [area, data.mass_per_length, data.axial, data.bending])?;
        let angle = self.value_or_zero(e, "angle", spec.angle.as_ref())?;
        Ok(ErlsPart { base, parent, angle, passive: spec.passive, data, link: None })
    }
    /// The number of a named link.
    fn erls_named(&self, e: &Head, key: &str, name: &str) -> Outcome<usize> {
        let wanted = "erls-link, or a point [x, y] of the ground";
        match self.names.get(name) {
            Some(n) if n.table == "erls-link" => Ok(n.index),
            Some(n) => {
                let fault = Fault::WrongReference { name: name.to_owned(), found: n.table, wanted };
                Err(e.problem(key, fault))
            }
            None => Err(e.problem(key, self.unknown(name, &["erls-link"], wanted))),
        }
    }

    /// Adds the coordinates of all links: first those on the ground, each after the link below it.
    pub(super) fn add_erls_blocks(&mut self, entries: &Entries<'_>) {
        let mut left: Vec<usize> = (0..self.erls.len()).collect();
        loop {
            let before = left.len();
            left.retain(|&k| {
                let Some(part) = &self.erls[k] else { return false };
                let (base, angle, passive, data) = (part.base, part.angle, part.passive, part.data);
                let below = match part.parent {
                    None => None,
                    Some(i) => match self.erls[i].as_ref().map(|p| p.link.clone()) {
                        Some(Some(link)) => Some(link),
                        // Not yet there, or faulty.
                        _ => return true,
                    },
                };
                let base = below.as_ref().map_or(ErlsBase::Ground(base), ErlsBase::Link);
                let link =
                    self.model.add_erls_blocks(&entries.erls_links[k].name, base, angle, passive, &data);
                if let Some(part) = &mut self.erls[k] {
                    part.link = Some(link);
                }
                false
            });
            if left.is_empty() || left.len() == before {
                return;
            }
        }
    }
    pub(super) fn erls_link(&mut self, k: usize, e: &Entry<'_, ErlsLinkSpec>) {
        if let Some(link) = self.erls[k].as_ref().and_then(|p| p.link.clone()) {
            self.model.add_erls_elements(e.owner(), &link);
        }
    }

    /// The link and node of a reference such as `arm.end`; none where it names no equivalent rigid link.
    pub(super) fn erls_node(&self, text: &str) -> Option<Result<(usize, usize), Fault>> {
        let (name, place) = text.split_once('.').map_or((text, None), |(n, p)| (n, Some(p)));
        let named = self.names.get(name).filter(|n| n.table == "erls-link")?;
        let Some(part) = &self.erls[named.index] else {
            // A faulty link has been reported; its base stands for all its nodes.
            return Some(Ok((named.index, 1)));
        };
        let nodes = part.data.elements + 1;
        Some(match place {
            None | Some("start") => Ok((named.index, 1)),
            Some("end") => Ok((named.index, nodes)),
            Some(text) => match node_number(text) {
                Some(node) if (1..=nodes).contains(&node) => Ok((named.index, node)),
                Some(node) => Err(Fault::NoSuchNode { node, nodes }),
                None => {
                    let (link, place) = (name.to_owned(), text.to_owned());
                    Err(Fault::UnknownLinkPlace { link, place, nearest: None })
                }
            },
        })
    }
    /// The last link whose angle moves a node of the ideal mechanism: a base is the end of the link below.
    fn moved_by(&self, (k, node): (usize, usize)) -> Option<usize> {
        if node > 1 { Some(k) } else { self.erls[k].as_ref()?.parent }
    }
    /// The place of a node.
    pub(super) fn erls_place(&self, wiring: &mut Wiring, (k, node): (usize, usize)) -> Option<ErlsPlace<P>> {
        let link = self.erls[k].as_ref()?.link.as_ref()?;
        Some(link.place(&self.model, wiring, node))
    }
    /// The orientation of a reference: the rigid link's, or that of a section.
    pub(super) fn erls_orientation(&self, text: &str) -> Option<Result<Orientation<P>, Fault>> {
        let (k, node) = match self.erls_node(text)? {
            Ok(found) => found,
            Err(fault) => return Some(Err(fault)),
        };
        let Some(link) = self.erls[k].as_ref().and_then(|p| p.link.as_ref()) else {
            return Some(Ok(Orientation::ground()));
        };
        let node = text.contains('.').then_some((k, node));
        Some(Ok(Orientation { block: Some(link.angle), erls: node, ..Orientation::ground() }))
    }

    /// A joint with an end on an equivalent rigid link; none where it has no such end.
    pub(super) fn erls_joint(&mut self, e: &Entry<'_, JointSpec>) -> Outcome<bool> {
        let ends = [("a", &e.spec.a), ("b", &e.spec.b)];
        let mut found = [None, None];
        for ((key, place), found) in ends.iter().zip(&mut found) {
            if let PlaceRef::Name(text) = place {
                let text = self.filled(e, key, text)?;
                *found = self.erls_node(&text).transpose().map_err(|f| e.problem(key, f))?;
            }
        }
        let (node, other, key) = match found {
            [None, None] => return Ok(false),
            [Some(a), b] => (a, b, "b"),
            [None, Some(b)] => (b, None, "a"),
        };
        if e.spec.kind != JointKind::Revolute {
            let kind = format!("a {} joint on an erls-link", e.spec.kind.name());
            return Err(e.problem("type", Fault::KeyNotFor { key: "type", kind }));
        }
        let mut wiring = Wiring::default();
        let Some(a) = self.erls_place(&mut wiring, node) else { return Ok(true) };
        if a.displacement.is_none() {
            return Err(e.problem("", Fault::NothingMoves));
        }
        let b = if let Some(other) = other {
            match self.erls_place(&mut wiring, other) {
                Some(b) if b == a => {
                    let thing = format!("erls-link '{}'", self.erls_name(node.0));
                    return Err(e.problem("b", Fault::SameThing { thing }));
                }
                Some(b) => PinEnd::Link(b),
                None => return Ok(true),
            }
        } else {
            let spot = self.definite(e, key, if key == "a" { &e.spec.a } else { &e.spec.b })?;
            match self.block_of(spot) {
                None => {
                    let [x, y, _] = self.position_of(spot);
                    PinEnd::Ground([x, y])
                }
                Some(_) => PinEnd::Place(self.place(&mut wiring, spot)),
            }
        };
        if !matches!(b, PinEnd::Place(_)) {
            self.closures.push(Closure { a: self.moved_by(node), b: other.and_then(|b| self.moved_by(b)) });
        }
        let element = Element::Erls(Box::new(Erls::Pin(ErlsPin { a, b })));
        self.add(e, element, wiring, Vec::new());
        Ok(true)
    }
    fn erls_name(&self, k: usize) -> String {
        let link = self.erls[k].as_ref().and_then(|p| p.link.as_ref());
        link.map_or_else(String::new, |link| self.model.coordinates().block(link.angle).name.clone())
    }
}
