//! References: places and angles that names stand for.

use super::expand::Head;
use super::{Builder, Outcome};
use crate::coordinates::BlockId;
use crate::element::{AngleOf, Data, Place};
use crate::link::LinkStation;
use crate::model::Wiring;
use crate::spec::nearest::nearest;
use crate::spec::{Fault, PlaceRef};

/// A place that a reference stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Spot<P> {
    /// The word `ground`.
    Somewhere,
    /// Coordinates in the ground.
    Ground([P; 3]),
    /// A point.
    Point(usize),
    /// A place of a body in the plane, in body axes.
    Body(usize, [P; 2]),
    /// A place of a body in space, in body axes.
    Solid(usize, [P; 3]),
    /// A node of a solid.
    Node(usize, usize),
    /// A place of a flexible link.
    Link(usize, LinkStation<P>),
}

/// An orientation that a reference stands for: a coordinate, or a constant angle in the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orientation<P> {
    pub(super) block: Option<BlockId>,
    /// The section of a flexible link whose frame the block is.
    pub(super) section: Option<(usize, LinkStation<P>)>,
    /// The node of an equivalent rigid link whose angle the block is.
    pub(super) erls: Option<(usize, usize)>,
    /// Angle of a fixed body against the ground; zero where there is a coordinate.
    pub(super) constant: P,
}

impl<P: Data> Orientation<P> {
    /// The ground's.
    pub(super) fn ground() -> Self {
        Self { block: None, section: None, erls: None, constant: P::zero() }
    }
}

const PLACES: [&str; 6] = ["point", "body", "spatial-body", "beam", "solid", "flexible-link"];
const ANGLES: [&str; 4] = ["body", "flexible-link", "erls-link", "angle"];

impl<P: Data> Builder<P> {
    /// The place of a reference, `ground` included.
    pub(super) fn spot(&self, e: &Head, key: &str, place: &PlaceRef) -> Outcome<Spot<P>> {
        let text = match place {
            PlaceRef::Ground(at) => {
                let [x, y] = self.pair(e, key, at)?;
                return Ok(Spot::Ground([x, y, P::zero()]));
            }
            PlaceRef::Space(at) => return Ok(Spot::Ground(self.triple(e, key, at)?)),
            PlaceRef::Name(text) => self.filled(e, key, text)?,
        };
        if text == "ground" {
            return Ok(Spot::Somewhere);
        }
        self.named_spot(&text).map_err(|f| e.problem(key, f))
    }
    /// The place of a reference that must say where it is.
    pub(super) fn definite(&self, e: &Head, key: &str, place: &PlaceRef) -> Outcome<Spot<P>> {
        match self.spot(e, key, place)? {
            Spot::Somewhere => Err(e.problem(key, Fault::GroundIsNowhere)),
            spot => Ok(spot),
        }
    }
    fn named_spot(&self, text: &str) -> Result<Spot<P>, Fault> {
        let (base, marker) = text.split_once('.').map_or((text, None), |(b, m)| (b, Some(m)));
        let wanted = "point, body or marker";
        let Some(named) = self.names.get(base) else {
            return Err(self.unknown(base, &PLACES, wanted));
        };
        match (named.table, marker) {
            ("point", None) => Ok(Spot::Point(named.index)),
            ("body", None) => Ok(Spot::Body(named.index, [P::zero(); 2])),
            ("body", Some(m)) => {
                let markers = &self.bodies[named.index].markers;
                let local = markers.get(m).ok_or_else(|| Fault::UnknownMarker {
                    body: base.to_owned(),
                    marker: m.to_owned(),
                    nearest: nearest(m, markers.keys().map(String::as_str)),
                })?;
                Ok(Spot::Body(named.index, *local))
            }
            ("spatial-body", None) => Ok(Spot::Solid(named.index, [P::zero(); 3])),
            ("spatial-body", Some(m)) => {
                let marks = &self.solids[named.index].marks;
                let mark = marks.get(m).ok_or_else(|| Fault::UnknownMarker {
                    body: base.to_owned(),
                    marker: m.to_owned(),
                    nearest: nearest(m, marks.keys().map(String::as_str)),
                })?;
                Ok(Spot::Solid(named.index, mark.at))
            }
            ("beam", place) => self.beam_spot(named.index, base, place),
            ("solid", place) => self.solid_spot(named.index, base, place),
            ("flexible-link", place) => self.link_spot(named.index, base, place),
            (found, None) => Err(Fault::WrongReference { name: text.to_owned(), found, wanted }),
            (found, Some(_)) => Err(Fault::WrongReference { name: base.to_owned(), found, wanted: "body" }),
        }
    }

    /// The coordinates a place moves with.
    pub(super) fn block_of(&self, spot: Spot<P>) -> Option<BlockId> {
        match spot {
            Spot::Somewhere | Spot::Ground(_) => None,
            Spot::Point(i) => self.points[i].block,
            Spot::Body(i, _) => self.bodies[i].block,
            Spot::Solid(i, _) => self.solids[i].block,
            Spot::Node(k, node) => self.node_block(k, node),
            Spot::Link(k, _) => self.bodies[self.flexible[k].body].block,
        }
    }
    /// The place as elements see it.
    pub(super) fn place(&self, wiring: &mut Wiring, spot: Spot<P>) -> Place<P> {
        if let Spot::Link(k, station) = spot
            && let Some(link) = self.flexible[k].link
        {
            return link.place(&self.model, wiring, station);
        }
        let local = match spot {
            Spot::Body(_, [x, y]) => [x, y, P::zero()],
            Spot::Solid(_, local) => local,
            _ => [P::zero(); 3],
        };
        match self.block_of(spot) {
            Some(id) => self.model.place_in_space(wiring, id, local),
            None => Place::Ground(self.position_of(spot)),
        }
    }
    /// The thing a place is on, in words.
    pub(super) fn thing(&self, spot: Spot<P>) -> String {
        let name = |table: &str, index: usize| {
            if let Some(id) = self.block_of(spot) {
                return format!("{table} '{}'", self.model.coordinates().block(id).name);
            }
            let of_it = |n: &super::Named| n.table == table && n.index == index;
            let found =
                if self.scope.may_search() { self.names.iter().find(|(_, n)| of_it(n)) } else { None };
            found.map_or_else(|| table.to_owned(), |(name, _)| format!("{table} '{name}'"))
        };
        match spot {
            Spot::Somewhere | Spot::Ground(_) => "the ground".to_owned(),
            Spot::Point(i) => name("point", i),
            Spot::Body(i, _) => name("body", i),
            Spot::Solid(i, _) if i >= self.own_solids => name("node", i),
            Spot::Solid(i, _) => name("spatial-body", i),
            Spot::Node(k, _) => name("node", k),
            Spot::Link(k, _) => name("flexible-link", k),
        }
    }
    /// Checks that two places can move against each other.
    pub(super) fn different(&self, e: &Head, a: Spot<P>, b: Spot<P>) -> Outcome<()> {
        let same = match (a, b) {
            (Spot::Point(i), Spot::Point(j))
            | (Spot::Body(i, _), Spot::Body(j, _))
            | (Spot::Solid(i, _), Spot::Solid(j, _)) => i == j,
            (Spot::Node(i, n), Spot::Node(j, m)) => i == j && n == m,
            // Places apart on one link move against each other.
            (Spot::Link(i, s), Spot::Link(j, t)) => i == j && (s == t || self.arc(i, s) == self.arc(j, t)),
            _ => false,
        };
        if same {
            return Err(e.problem("b", Fault::SameThing { thing: self.thing(a) }));
        }
        if self.block_of(a).is_none() && self.block_of(b).is_none() {
            return Err(e.problem("", Fault::NothingMoves));
        }
        Ok(())
    }

    /// The orientation of the body that a place is on; the ground's for points and the ground.
    pub(super) fn orientation_at(&self, spot: Spot<P>) -> Orientation<P> {
        match spot {
            Spot::Body(i, _) => self.orientation_of_body(i),
            Spot::Link(k, station) => self.orientation_of_link(k, station),
            _ => Orientation::ground(),
        }
    }
    fn orientation_of_body(&self, i: usize) -> Orientation<P> {
        let body = &self.bodies[i];
        let constant = if body.block.is_some() { P::zero() } else { body.start_angle };
        Orientation { block: body.block, constant, ..Orientation::ground() }
    }
    fn orientation_of_link(&self, k: usize, station: LinkStation<P>) -> Orientation<P> {
        let block = self.bodies[self.flexible[k].body].block;
        let section = (station != LinkStation::Frame).then_some((k, station));
        Orientation { block, section, ..Orientation::ground() }
    }
    /// The orientation of a reference to a body, an angle or the ground.
    pub(super) fn orientation(&self, e: &Head, key: &str, text: &str) -> Outcome<Orientation<P>> {
        let text = self.filled(e, key, text)?;
        if text == "ground" {
            return Ok(Orientation::ground());
        }
        if let Some(found) = self.erls_orientation(&text) {
            return found.map_err(|f| e.problem(key, f));
        }
        let wanted = "body or angle";
        let fault = match self.names.get(&text) {
            Some(n) if n.table == "body" => return Ok(self.orientation_of_body(n.index)),
            Some(n) if n.table == "angle" => {
                return Ok(Orientation { block: Some(self.angles[n.index]), ..Orientation::ground() });
            }
            Some(n) if n.table == "flexible-link" => {
                return Ok(self.orientation_of_link(n.index, LinkStation::Frame));
            }
            Some(n) => Fault::WrongReference { name: text, found: n.table, wanted },
            None => match text.split_once('.').map(|(base, place)| (self.names.get(base), base, place)) {
                Some((Some(n), base, place)) if n.table == "flexible-link" => {
                    match self.link_spot(n.index, base, Some(place)) {
                        Ok(spot) => return Ok(self.orientation_at(spot)),
                        Err(fault) => fault,
                    }
                }
                // A joint in space with one free rotation stands for its angle there.
                _ => self.unknown_of(&text, wanted, |name, n| {
                    ANGLES.contains(&n.table) || ["of", "on"].contains(&key) && self.links.contains_key(name)
                }),
            },
        };
        Err(e.problem(key, fault))
    }
    /// The orientation as elements see it, its constant left out.
    pub(super) fn angle_of(&self, wiring: &mut Wiring, o: Orientation<P>) -> AngleOf<P> {
        if let Some((k, station)) = o.section
            && let Some(link) = self.flexible[k].link
        {
            return link.angle(&self.model, wiring, station);
        }
        if let Some((k, node)) = o.erls
            && let Some(link) = self.erls[k].as_ref().and_then(|p| p.link.as_ref())
        {
            return link.section(&self.model, wiring, node);
        }
        o.block.map_or(AngleOf::Ground, |id| self.model.angle(wiring, id))
    }
    /// Checks that two orientations can turn against each other.
    pub(super) fn turning(&self, e: &Head, a: Orientation<P>, b: Orientation<P>) -> Outcome<()> {
        match (a.block, b.block) {
            (None, None) => Err(e.problem("", Fault::NothingMoves)),
            (Some(i), Some(j)) if i == j && a.section == b.section && a.erls == b.erls => {
                let block = self.model.coordinates().block(i);
                Err(e.problem("", Fault::SameThing { thing: format!("'{}'", block.name) }))
            }
            _ => Ok(()),
        }
    }
}
