//! Positions at the start of what is not given any.
//!
//! Points and bodies are placed one after the other, first those tied to two neighbours that
//! are placed already, then those tied to one, then the next in the file. The result is a
//! guess near the constraints, for the assembly to start from; nothing is checked here.

use super::Builder;
use super::expand::{Entries, Entry, Head};
use super::spots::Spot;
use crate::element::{Data, rotation};
use crate::link::LinkStation;
use crate::spec::{Fault, JointKind, PlaceRef, RodSpec, Value};
use nalgebra::Vector3;
use std::collections::VecDeque;

/// Direction of the first rod that hangs on one placed point only, rad: along no axis, so that
/// no linkage starts in line with itself by accident.
const DIRECTION: f64 = 1.0;

/// |d|
pub(super) fn norm<P: Data>(d: [P; 2]) -> P {
    (d[0] * d[0] + d[1] * d[1]).sqrt()
}
/// b - a
pub(super) fn between<P: Data>(a: [P; 2], b: [P; 2]) -> [P; 2] {
    [b[0] - a[0], b[1] - a[1]]
}
/// `local` in axes turned by `angle`.
pub(super) fn turned<P: Data>(angle: P, local: [P; 2]) -> [P; 2] {
    let (s, c) = angle.sin_cos();
    [c * local[0] - s * local[1], s * local[0] + c * local[1]]
}
fn plus<P: Data>(a: [P; 2], b: [P; 2]) -> [P; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

/// A tie between two places: coincident, at a distance, or merely near.
#[derive(Clone, Copy)]
struct Tie<P> {
    a: Spot<P>,
    b: Spot<P>,
    kind: TieKind<P>,
}

#[derive(Clone, Copy)]
enum TieKind<P> {
    Coincident,
    Distance(P),
    Near,
}

impl<P: Data> Builder<P> {
    /// Position of a place at the start, in the plane.
    pub(super) fn start_of(&self, spot: Spot<P>) -> [P; 2] {
        match spot {
            Spot::Point(i) => self.points[i].start,
            Spot::Body(..) | Spot::Link(..) => {
                let Some((i, local)) = self.on_body(spot) else { return [P::zero(); 2] };
                let body = &self.bodies[i];
                plus(body.start, turned(body.start_angle, local))
            }
            Spot::Somewhere | Spot::Ground(_) | Spot::Solid(..) | Spot::Node(..) => {
                let [x, y, _] = self.position_of(spot);
                [x, y]
            }
        }
    }
    /// Position of a place at the start.
    pub(super) fn position_of(&self, spot: Spot<P>) -> [P; 3] {
        match spot {
            Spot::Somewhere => [P::zero(); 3],
            Spot::Ground(at) => at,
            Spot::Node(k, node) => self.node_start(k, node),
            Spot::Point(_) | Spot::Body(..) | Spot::Link(..) => {
                let [x, y] = self.start_of(spot);
                [x, y, P::zero()]
            }
            Spot::Solid(i, local) => {
                let (s, arm) = (&self.solids[i], Vector3::from(local));
                let arm = rotation::turned(s.euler, &arm);
                [s.start[0] + arm.x, s.start[1] + arm.y, s.start[2] + arm.z]
            }
        }
    }
    /// Distance of two places at the start, m.
    pub(super) fn distance_of(&self, a: Spot<P>, b: Spot<P>) -> P {
        let (a, b) = (self.position_of(a), self.position_of(b));
        let d = Vector3::new(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
        rotation::dot(&d, &d).sqrt()
    }
    /// Body (or frame of a link) and position in its axes at the start, of a place on one.
    fn on_body(&self, spot: Spot<P>) -> Option<(usize, [P; 2])> {
        match spot {
            Spot::Body(i, local) => Some((i, local)),
            Spot::Link(k, station) => Some((self.flexible[k].body, [self.arc(k, station), P::zero()])),
            _ => None,
        }
    }
    /// Arc length of a place on link `k`.
    pub(super) fn arc(&self, k: usize, station: LinkStation<P>) -> P {
        let data = &self.flexible[k].data;
        match station {
            LinkStation::Frame => P::zero(),
            LinkStation::Node(i) => data.length.scale((i - 1) as f64 / data.elements as f64),
            LinkStation::Arc(s) => s,
        }
    }
    /// True when the position at the start is given, not worked out.
    pub(super) fn start_is_given(&self, spot: Spot<P>) -> bool {
        match spot {
            Spot::Somewhere => false,
            Spot::Ground(_) | Spot::Node(..) => true,
            Spot::Point(i) => self.points[i].given.is_some(),
            // Where the reference point is does not depend on the angle.
            Spot::Body(i, local) => {
                let body = &self.bodies[i];
                !body.guessed || (body.given.is_some() && local.iter().all(|x| x.value() == 0.0))
            }
            Spot::Solid(i, _) => !self.solids[i].guessed,
            Spot::Link(k, _) => !self.bodies[self.flexible[k].body].guessed,
        }
    }

    /// Why the position at the start of a place is not given.
    pub(super) fn unknown_start(&self, key: &'static str, spot: Spot<P>) -> Fault {
        let thing = self.thing(spot);
        match spot {
            Spot::Body(i, _) if self.bodies[i].given.is_some() => Fault::UnknownStartAngle { key, thing },
            Spot::Link(k, _) if self.bodies[self.flexible[k].body].given.is_some() => {
                Fault::UnknownStartAngle { key, thing }
            }
            _ => Fault::UnknownStart { key, thing },
        }
    }

    /// Places everything that has no position at the start.
    pub(super) fn place_parts(&mut self, entries: &Entries<'_>) {
        let open_body = |b: &super::BodyPart<P>| !b.fixed && (b.given.is_none() || b.given_angle.is_none());
        let count = self.points.len();
        let mut open: Vec<bool> = self.points.iter().map(|p| p.given.is_none()).collect();
        open.extend(self.bodies.iter().map(open_body));
        if !open.contains(&true) {
            return;
        }
        let ties = self.ties(entries);
        // A body at a given place waits for its angle only where a pin away from it can decide.
        let mut pinned = vec![false; self.bodies.len()];
        for spot in ties.iter().filter(|t| matches!(t.kind, TieKind::Coincident)).flat_map(|t| [t.a, t.b]) {
            if let Some((i, local)) = self.on_body(spot) {
                pinned[i] |= norm(local).value() > 0.0;
            }
        }
        for (i, body) in self.bodies.iter().enumerate() {
            open[count + i] &= body.given.is_none() || pinned[i];
        }
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); open.len()];
        for (k, tie) in ties.iter().enumerate() {
            for node in [self.node(tie.a), self.node(tie.b)].into_iter().flatten() {
                of[node].push(k);
            }
        }
        // Number of placed neighbours, and nodes in order of having one or two.
        let placed_at = |open: &[bool], me: usize, tie: &Tie<P>, b: &Self| {
            let other = if b.node(tie.a) == Some(me) { tie.b } else { tie.a };
            (!b.node(other).is_some_and(|n| open[n])).then_some(other)
        };
        let mut neighbours: Vec<usize> = (0..open.len())
            .map(|i| of[i].iter().filter(|k| placed_at(&open, i, &ties[**k], self).is_some()).count())
            .collect();
        let mut queues = [VecDeque::new(), VecDeque::new(), VecDeque::new()];
        for i in (0..open.len()).filter(|i| open[*i]) {
            queues[2 - neighbours[i].min(2)].push_back(i);
        }
        let mut alone = 0;
        while let Some(i) = queues.iter_mut().find_map(VecDeque::pop_front) {
            if !open[i] {
                continue;
            }
            let known: Vec<(Spot<P>, [P; 2], TieKind<P>)> = of[i]
                .iter()
                .filter_map(|k| {
                    let tie = &ties[*k];
                    let other = placed_at(&open, i, tie, self)?;
                    let own = if self.node(tie.a) == Some(i) { tie.a } else { tie.b };
                    Some((own, self.start_of(other), tie.kind))
                })
                .collect();
            if i < count {
                self.points[i].start = place_point(&known, &mut alone);
            } else {
                self.place_body(i - count, &known);
            }
            open[i] = false;
            for k in &of[i] {
                for n in [self.node(ties[*k].a), self.node(ties[*k].b)].into_iter().flatten() {
                    if open[n] {
                        neighbours[n] += 1;
                        queues[2 - neighbours[n].min(2)].push_back(n);
                    }
                }
            }
        }
    }
    /// Number of a point or body among both.
    fn node(&self, spot: Spot<P>) -> Option<usize> {
        match spot {
            Spot::Somewhere | Spot::Ground(_) | Spot::Solid(..) | Spot::Node(..) => None,
            Spot::Point(i) => Some(i),
            Spot::Body(i, _) => Some(self.points.len() + i),
            Spot::Link(k, _) => Some(self.points.len() + self.flexible[k].body),
        }
    }
    /// Ties of all rods and joints; what is faulty is left out here and reported later.
    fn ties(&self, entries: &Entries<'_>) -> Vec<Tie<P>> {
        let mut ties = Vec::new();
        for e in &entries.rods {
            let [a, b] = [0, 1].map(|i| self.definite(e, "ends", &rod_end(e, i)));
            if let (Ok(a), Ok(b)) = (a, b) {
                ties.push(Tie { a, b, kind: self.tie_length(e, e.spec.length.as_ref()) });
            }
        }
        for e in &entries.joints {
            let (Ok(a), Ok(b)) = (self.definite(e, "a", &e.spec.a), self.definite(e, "b", &e.spec.b)) else {
                continue;
            };
            let kind = match e.spec.kind {
                JointKind::Revolute | JointKind::Fixed | JointKind::Spherical | JointKind::Universal => {
                    TieKind::Coincident
                }
                JointKind::Distance => self.tie_length(e, e.spec.length.as_ref()),
                JointKind::Prismatic
                | JointKind::PointOnLine
                | JointKind::Cylindrical
                | JointKind::Planar
                | JointKind::Generic => TieKind::Near,
            };
            ties.push(Tie { a, b, kind });
        }
        ties
    }
    fn tie_length(&self, e: &Head, length: Option<&Value>) -> TieKind<P> {
        let length = length.and_then(|l| self.value(e, "length", l).ok());
        length.map_or(TieKind::Near, TieKind::Distance)
    }

    fn place_body(&mut self, i: usize, known: &[(Spot<P>, [P; 2], TieKind<P>)]) {
        let local_of = |own: Spot<P>| self.on_body(own).map_or([P::zero(); 2], |(_, local)| local);
        let coincident = |(own, at, kind): &(Spot<P>, [P; 2], TieKind<P>)| {
            matches!(kind, TieKind::Coincident).then(|| (local_of(*own), *at))
        };
        let pins: Vec<_> = known.iter().filter_map(coincident).collect();
        let any = known.first().map(|(own, at, _)| (local_of(*own), *at));
        let body = &mut self.bodies[i];
        // The angle: from the line through two pins, or through the reference point and a pin.
        let line = match (body.given, pins.first()) {
            (Some(at), _) => {
                pins.iter().map(|p| (between([P::zero(); 2], p.0), between(at, p.1))).next_back()
            }
            (None, Some(first)) => {
                pins.iter().skip(1).map(|p| (between(first.0, p.0), between(first.1, p.1))).next_back()
            }
            _ => None,
        };
        let turned_line = line.filter(|(l, d)| norm(*l).value() > 0.0 && norm(*d).value() > 0.0);
        if let (None, Some((l, d))) = (body.given_angle, turned_line) {
            body.start_angle = d[1].atan2(d[0]) - l[1].atan2(l[0]);
            body.guessed = true;
        }
        if body.given.is_none() {
            body.guessed = true;
            if let Some((local, at)) = pins.first().copied().or(any) {
                body.start = between(turned(body.start_angle, local), at);
            }
        }
    }
}

/// A rod's end as a reference to a place.
pub(super) fn rod_end(e: &Entry<'_, RodSpec>, i: usize) -> PlaceRef {
    PlaceRef::from(e.spec.ends[i].as_str())
}

fn place_point<P: Data>(known: &[(Spot<P>, [P; 2], TieKind<P>)], alone: &mut u32) -> [P; 2] {
    if let Some((_, at, _)) = known.iter().find(|k| matches!(k.2, TieKind::Coincident)) {
        return *at;
    }
    let circles: Vec<_> = known
        .iter()
        .filter_map(|(_, at, kind)| if let TieKind::Distance(r) = kind { Some((*at, *r)) } else { None })
        .collect();
    if let [(a, ra), (b, rb), ..] = circles.as_slice()
        && let Some(at) = intersection(*a, *ra, *b, *rb)
    {
        return at;
    }
    if let Some((at, r)) = circles.first() {
        // Each further one turns a little more, so that no two start in one place.
        let angle = P::cst(DIRECTION + f64::from(*alone));
        *alone = alone.wrapping_add(1);
        return plus(*at, turned(angle, [*r, P::zero()]));
    }
    known.first().map_or([P::zero(); 2], |k| k.1)
}

/// The point at the distances `ra` and `rb` from `a` and `b`, left of the line from a to b.
fn intersection<P: Data>(a: [P; 2], ra: P, b: [P; 2], rb: P) -> Option<[P; 2]> {
    let line = between(a, b);
    let d = norm(line);
    if d.value() <= 0.0 {
        return None;
    }
    let along = (d * d + ra * ra - rb * rb) / d.scale(2.0);
    let h2 = ra * ra - along * along;
    if !h2.is_finite() || h2.value() <= 0.0 {
        return None;
    }
    let e = line.map(|x| x / d);
    let h = h2.sqrt();
    Some([a[0] + along * e[0] - h * e[1], a[1] + along * e[1] + h * e[0]])
}
