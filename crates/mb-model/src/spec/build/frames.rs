//! Frames that joints in space hold on to, and the joints made of them.

use super::expand::{Entry, Head};
use super::solids::{unit, unturned};
use super::spots::Spot;
use super::{Builder, Outcome};
use crate::element::rotation::{
    about, conjugate, cross, dot, from_columns, normalized, product, turned, turned_back,
};
use crate::element::{Attitude, Data, Distance, Element, Hinge, Joint, JointFrame, Locked, Slide};
use crate::model::Wiring;
use crate::spec::{Fault, JointKind, JointSpec, MotionSpec, PlaceRef, Problem, Vector};
use nalgebra::Vector3;

/// A frame of a joint: its place, and its axes in the axes of the body there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grip<P> {
    spot: Spot<P>,
    axes: [P; 4],
}

impl<P: Data> Grip<P> {
    /// The frame whose axis `k` is along `n` (of length one) in the axes of the body.
    pub(super) fn along(spot: Spot<P>, n: Vector3<P>, k: usize) -> Self {
        Self { spot, axes: along(n, k, None) }
    }
    /// The frame whose z-axis is along `n` (of length one) and whose x-axis is near `x`.
    pub(super) fn towards(spot: Spot<P>, n: Vector3<P>, x: Vector3<P>) -> Self {
        Self { spot, axes: along(n, 2, Some(x)) }
    }
}

/// What a table says of its frames.
pub(super) struct Ask<'e> {
    pub(super) a: &'e PlaceRef,
    pub(super) b: &'e PlaceRef,
    /// z-axis in the axes of b's body.
    pub(super) axis: Option<&'e Vector>,
    /// Direction that its x-axis is near, in the axes of b's body.
    pub(super) x: Option<&'e Vector>,
    /// z-axis in the axes of a's body.
    pub(super) axis_a: Option<&'e Vector>,
    /// True when there must be an axis.
    pub(super) needs_axis: bool,
    /// True when the axes are pins: y of b and x of a.
    pub(super) pins: bool,
    /// Kind of the joint for messages.
    pub(super) kind: &'static str,
}

/// What later tables need of a joint in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<P> {
    a: Grip<P>,
    b: Grip<P>,
    locked: Locked,
}

impl<P: Data> Builder<P> {
    /// The orientation at the start of the body that a place is on, as Euler parameters.
    pub(super) fn start_euler(&self, spot: Spot<P>) -> [P; 4] {
        match spot {
            Spot::Solid(i, _) => self.solids[i].euler,
            Spot::Body(i, _) => about([P::zero(), P::zero(), P::one()], self.bodies[i].start_angle),
            Spot::Link(k, _) => {
                let angle = self.bodies[self.flexible[k].body].start_angle;
                about([P::zero(), P::zero(), P::one()], angle)
            }
            _ => unturned(),
        }
    }
    /// The orientation of the body that a place is on, as elements see it.
    pub(super) fn attitude_at(&self, wiring: &mut Wiring, spot: Spot<P>) -> Attitude<P> {
        match (spot, self.block_of(spot)) {
            (Spot::Solid(..) | Spot::Body(..), Some(id)) => self.model.attitude(wiring, id),
            (Spot::Link(..), Some(_)) => Attitude::Planar(self.angle_of(wiring, self.orientation_at(spot))),
            _ => Attitude::GROUND,
        }
    }
    /// A frame as elements see it: what is fixed becomes part of the ground.
    pub(super) fn frame(&self, wiring: &mut Wiring, grip: Grip<P>) -> JointFrame<P> {
        let place = self.place(wiring, grip.spot);
        let attitude = self.attitude_at(wiring, grip.spot);
        let fixed = self.block_of(grip.spot).is_none();
        let axes = if fixed { product(self.start_euler(grip.spot), grip.axes) } else { grip.axes };
        JointFrame::new(place, attitude, axes)
    }
    /// The axes that a reference brings: those of a named frame.
    fn named_axes(&self, e: &Head, key: &str, place: &PlaceRef) -> Outcome<Option<[P; 4]>> {
        let PlaceRef::Name(text) = place else { return Ok(None) };
        let text = self.filled(e, key, text)?;
        let Some((body, mark)) = text.split_once('.') else { return Ok(None) };
        Ok(self
            .names
            .get(body)
            .filter(|n| n.table == "spatial-body")
            .and_then(|n| self.solids[n.index].marks.get(mark))
            .and_then(|m| m.axes))
    }

    pub(super) fn joint_in_space(&mut self, e: &Entry<'_, JointSpec>, a: Spot<P>, b: Spot<P>) -> Outcome<()> {
        check_keys(e)?;
        if e.spec.kind == JointKind::Distance {
            let length = self.length_or_start(e, e.spec.length.as_ref(), a, b)?;
            self.check_length(e, a, b, length)?;
            self.different(e, a, b)?;
            let mut wiring = Wiring::default();
            let (a, b) = (self.place(&mut wiring, a), self.place(&mut wiring, b));
            self.add(e, Element::Distance(Distance { a, b, length }), wiring, Vec::new());
            return Ok(());
        }
        let locked = locked(e)?;
        if locked.translation == [true; 3] {
            self.check_coincidence(e, a, b)?;
        }
        self.different(e, a, b)?;
        if locked.rotation != [false; 3] {
            for (key, spot) in [("a", a), ("b", b)] {
                let turns = match spot {
                    Spot::Point(i) => self.points[i].fixed,
                    Spot::Node(..) => false,
                    _ => true,
                };
                if !turns {
                    return Err(e.problem(key, Fault::NoOrientation { key, thing: self.thing(spot) }));
                }
            }
        }
        let kind = e.spec.kind;
        let ask = Ask {
            a: &e.spec.a,
            b: &e.spec.b,
            axis: e.spec.axis.as_ref(),
            x: None,
            axis_a: e.spec.axis_a.as_ref(),
            needs_axis: needs_axis(kind, locked),
            pins: kind == JointKind::Universal,
            kind: kind.name(),
        };
        let (a, b) = self.grips(e, (a, b), &ask)?;
        let mut wiring = Wiring::default();
        let (frame_a, frame_b) = (self.frame(&mut wiring, a), self.frame(&mut wiring, b));
        let joint = Joint { a: frame_a, b: frame_b, locked };
        self.add(e, Element::Joint(Box::new(joint)), wiring, Vec::new());
        self.links.insert(e.name.clone(), Link { a, b, locked });
        Ok(())
    }
    /// The frames of both ends.
    pub(super) fn grips(
        &self,
        e: &Head,
        (a, b): (Spot<P>, Spot<P>),
        ask: &Ask<'_>,
    ) -> Outcome<(Grip<P>, Grip<P>)> {
        let named = [self.named_axes(e, "a", ask.a)?, self.named_axes(e, "b", ask.b)?];
        for (key, end, there, axes) in
            [("axis_a", "a", ask.axis_a.is_some(), named[0]), ("axis", "b", ask.axis.is_some(), named[1])]
        {
            if there && axes.is_some() {
                let kind = format!("a joint whose `{end}` is a frame with axes of its own");
                return Err(e.problem(key, Fault::KeyNotFor { key, kind }));
            }
        }
        let given = |key: &'static str, v: &Vector| self.direction(e, key, key, &v.components());
        let axis = ask.axis.map(|v| given("axis", v)).transpose()?;
        let x = ask.x.map(|v| given("x", v)).transpose()?;
        let axis_a = ask.axis_a.map(|v| given("axis_a", v)).transpose()?;
        let missing = |key: &'static str| {
            e.problem("", Fault::KeyNeeded { key, kind: format!("a {} joint in space", ask.kind) })
        };
        let (to_a, to_b) = (self.start_euler(a), self.start_euler(b));
        // The axes of one end that agree at the start with the given axes of the other.
        let seen =
            |from: [P; 4], to: [P; 4], axes: [P; 4]| normalized(product(conjugate(to), product(from, axes)));
        let axes_b = match (named[1], axis, named[0]) {
            (Some(axes), ..) => axes,
            (None, Some(n), _) => along(n, if ask.pins { 1 } else { 2 }, x),
            (None, None, Some(axes)) if !ask.pins => seen(to_a, to_b, axes),
            (None, None, _) if ask.needs_axis => return Err(missing("axis")),
            (None, None, _) => unturned(),
        };
        let axes_a = match (named[0], axis_a) {
            (Some(axes), _) => axes,
            (None, Some(n)) if ask.pins => along(n, 0, None),
            (None, Some(n)) => {
                let unit_x = Vector3::new(P::one(), P::zero(), P::zero());
                let x = turned_back(to_a, &turned(to_b, &turned(axes_b, &unit_x)));
                along(n, 2, Some(x))
            }
            (None, None) if ask.pins => return Err(missing("axis_a")),
            (None, None) => seen(to_b, to_a, axes_b),
        };
        if ask.pins {
            let pin = |to: [P; 4], axes: [P; 4], axis: usize| {
                let mut unit = [P::zero(); 3];
                unit[axis] = P::one();
                turned(to, &turned(axes, &Vector3::from(unit)))
            };
            // Where they are parallel the constraint has no derivative, so that no step assembles it.
            let across = cross(&pin(to_a, axes_a, 0), &pin(to_b, axes_b, 1));
            if dot(&across, &across).value() < PARALLEL {
                return Err(e.problem(if named[0].is_some() { "a" } else { "axis_a" }, Fault::ParallelPins));
            }
        }
        Ok((Grip { spot: a, axes: axes_a }, Grip { spot: b, axes: axes_b }))
    }

    /// The joint in space that a reference names.
    fn link(&self, e: &Head, key: &str, text: &str) -> Outcome<Option<Link<P>>> {
        let name = self.filled(e, key, text)?;
        if self.faulty.contains(&name) {
            return Err(e.problem(key, Fault::Consequence { of: name }));
        }
        Ok(self.links.get(&name).copied())
    }
    /// What is wrong with a reference to a joint in space with a free motion.
    fn no_free(&self, e: &Head, key: &str, text: &str, wanted: &'static str) -> Box<Problem> {
        let name = match self.filled(e, key, text) {
            Ok(name) => name,
            Err(problem) => return problem,
        };
        let fault = match self.names.get(&name) {
            Some(_) => {
                let in_plane = self.names.get(&name).is_some_and(|n| n.table == JOINT)
                    && !self.links.contains_key(&name);
                Fault::NoFreeMotion { joint: name, wanted, in_plane }
            }
            None => self.unknown(&name, &[JOINT], JOINT),
        };
        e.problem(key, fault)
    }
    /// True when the reference `of` is a joint in space.
    pub(super) fn is_link(&self, e: &Head, key: &str, text: &str) -> Outcome<bool> {
        self.link(e, key, text).map(|l| l.is_some())
    }
    /// The rotation about z of a joint in space that leaves it free.
    pub(super) fn hinge(&self, e: &Head, key: &str, text: &str, wiring: &mut Wiring) -> Outcome<Hinge<P>> {
        match self.link(e, key, text)? {
            Some(link) if link.locked.rotation == [true, true, false] => {
                Ok(Hinge { a: self.frame(wiring, link.a), b: self.frame(wiring, link.b) })
            }
            _ => Err(self.no_free(e, key, text, "rotation about one axis")),
        }
    }
    /// The displacement along z of a joint in space that leaves it free.
    pub(super) fn slide(&self, e: &Head, key: &str, text: &str, wiring: &mut Wiring) -> Outcome<Slide<P>> {
        let link = self.link(e, key, text)?;
        match link {
            Some(link) if link.locked.translation == [true, true, false] => {
                Ok(Slide { a: self.frame(wiring, link.a), b: self.frame(wiring, link.b) })
            }
            _ => Err(self.no_free(e, key, text, "displacement along one axis")),
        }
    }
}

/// Square of the sine of the angle below which two pins are parallel, a hundredth of a degree.
const PARALLEL: f64 = 3e-8;

/// The key of the tables of joints.
const JOINT: &str = "joint";

/// True when one of the places is on a body in space.
pub(super) fn in_space<P>(spots: &[Spot<P>; 2]) -> bool {
    spots.iter().any(|s| matches!(s, Spot::Solid(..) | Spot::Node(..)))
}

/// Axes with axis `k` along `n` (of length one), the next one near `hint` or near the ground axis
/// least along n.
fn along<P: Data>(n: Vector3<P>, k: usize, hint: Option<Vector3<P>>) -> [P; 4] {
    let across = |h: Vector3<P>| {
        let d = h - n * dot(&n, &h);
        (dot(&d, &d).value() > 1e-12).then(|| unit(d)).flatten()
    };
    let mut least = 0;
    for i in 1..3 {
        if n[i].value().abs() < n[least].value().abs() {
            least = i;
        }
    }
    let mut axis = [P::zero(); 3];
    axis[least] = P::one();
    let axis = Vector3::from(axis);
    let next = hint.and_then(across).or_else(|| across(axis)).unwrap_or(axis);
    let mut columns = [n; 3];
    columns[(k + 1) % 3] = next;
    columns[(k + 2) % 3] = cross(&n, &next);
    from_columns(columns)
}

/// True when the joint means nothing without a direction.
fn needs_axis(kind: JointKind, locked: Locked) -> bool {
    let all = |x: [bool; 3]| x == [true; 3] || x == [false; 3];
    kind != JointKind::Generic && !(all(locked.translation) && all(locked.rotation))
}

/// What the joint locks.
fn locked(e: &Entry<'_, JointSpec>) -> Outcome<Locked> {
    Ok(match e.spec.kind {
        JointKind::Spherical => Locked::SPHERICAL,
        JointKind::Revolute => Locked::REVOLUTE,
        JointKind::Universal => Locked::UNIVERSAL,
        JointKind::Prismatic => Locked::PRISMATIC,
        JointKind::Cylindrical => Locked::CYLINDRICAL,
        JointKind::Planar => Locked::PLANAR,
        JointKind::PointOnLine => Locked::ON_LINE,
        JointKind::Fixed => Locked::FIXED,
        JointKind::Distance | JointKind::Generic => {
            let (list, locks) = match (&e.spec.locked, &e.spec.free) {
                (Some(_), Some(_)) => {
                    return Err(e.problem("free", Fault::Exclusive { first: "locked", second: "free" }));
                }
                (Some(list), None) => (list, true),
                (None, Some(list)) => (list, false),
                (None, None) => {
                    let kind = "a generic joint".to_owned();
                    return Err(e.problem("", Fault::KeyNeeded { key: "locked", kind }));
                }
            };
            let of = |motions: [MotionSpec; 3]| motions.map(|m| list.contains(&m) == locks);
            let locked = Locked {
                translation: of([MotionSpec::X, MotionSpec::Y, MotionSpec::Z]),
                rotation: of([MotionSpec::RotationX, MotionSpec::RotationY, MotionSpec::RotationZ]),
            };
            if locked.count() == 0 {
                let key = if locks { "locked" } else { "free" };
                return Err(e.problem(key, Fault::LocksNothing));
            }
            locked
        }
    })
}

/// Refuses keys without a meaning for the kind of the joint.
fn check_keys(e: &Entry<'_, JointSpec>) -> Outcome<()> {
    use JointKind::{Distance, Generic, Spherical};
    let (spec, kind) = (e.spec, e.spec.kind);
    let axes = !matches!(kind, Distance | Spherical);
    for (key, there, allowed) in [
        ("axis", spec.axis.is_some(), axes),
        ("axis_a", spec.axis_a.is_some(), axes),
        ("length", spec.length.is_some(), kind == Distance),
        ("angle", spec.angle.is_some(), false),
        ("locked", spec.locked.is_some(), kind == Generic),
        ("free", spec.free.is_some(), kind == Generic),
    ] {
        if there && !allowed {
            let kind = format!("a {} joint in space", kind.name());
            return Err(e.problem(key, Fault::KeyNotFor { key, kind }));
        }
    }
    Ok(())
}
