//! Joints and driving constraints.

use super::expand::{Entry, Head};
use super::frames::in_space;
use super::spots::{Orientation, Spot};
use super::{Builder, Outcome};
use crate::element::{
    AngleOf, Coincident, Data, Distance, Drive, Driven, Element, OnLine, Place, RelativeAngle,
};
use crate::law::{Term, TimeLaw, TimeLeaf};
use crate::model::Wiring;
use crate::spec::{DriveSpec, Fault, JointKind, JointSpec, PlaceRef, QuantitySpec};

impl<P: Data> Builder<P> {
    pub(super) fn joint(&mut self, e: &Entry<'_, JointSpec>) -> Outcome<()> {
        if self.erls_joint(e)? {
            return Ok(());
        }
        let kind = e.spec.kind;
        let a = self.definite(e, "a", &e.spec.a)?;
        let mut b = self.spot(e, "b", &e.spec.b)?;
        if b == Spot::Somewhere {
            // The place of the ground where a is at the start.
            if kind == JointKind::Distance {
                return Err(e.problem("b", Fault::GroundIsNowhere));
            }
            if !self.start_is_given(a) {
                return Err(e.problem("b", self.unknown_start("b", a)));
            }
            b = Spot::Ground(self.position_of(a));
        }
        if in_space(&[a, b]) {
            return self.joint_in_space(e, a, b);
        }
        check_keys(e)?;
        let coincides = matches!(kind, JointKind::Revolute | JointKind::Fixed);
        if coincides {
            self.check_coincidence(e, a, b)?;
        }
        if kind != JointKind::Distance {
            self.different(e, a, b)?;
        }
        match kind {
            JointKind::Spherical
            | JointKind::Cylindrical
            | JointKind::Universal
            | JointKind::Planar
            | JointKind::Generic => {
                let kind = format!("a {} joint", kind.name());
                return Err(e.problem("type", Fault::NeedsSpace { kind }));
            }
            JointKind::Revolute => self.coincide(e, a, b),
            JointKind::Fixed => {
                let relative = self.relative_angle(e, a, b)?;
                self.coincide(e, a, b);
                self.keep_angle(e, relative);
            }
            JointKind::Prismatic => {
                let relative = self.relative_angle(e, a, b)?;
                self.keep_angle(e, relative);
                self.on_line(e, a, b)?;
            }
            JointKind::PointOnLine => self.on_line(e, a, b)?,
            JointKind::Distance => {
                let length = self.length_or_start(e, e.spec.length.as_ref(), a, b)?;
                self.check_length(e, a, b, length)?;
                self.different(e, a, b)?;
                let mut wiring = Wiring::default();
                let (a, b) = (self.place(&mut wiring, a), self.place(&mut wiring, b));
                self.add(e, Element::Distance(Distance { a, b, length }), wiring, Vec::new());
            }
        }
        Ok(())
    }
    fn coincide(&mut self, e: &Entry<'_, JointSpec>, a: Spot<P>, b: Spot<P>) {
        let mut wiring = Wiring::default();
        let (a, b) = (self.place(&mut wiring, a), self.place(&mut wiring, b));
        self.add(e, Element::Coincident(Coincident { a, b }), wiring, Vec::new());
    }
    /// The orientations of both ends and the difference of their coordinates that is kept.
    fn relative_angle(
        &self,
        e: &Entry<'_, JointSpec>,
        a: Spot<P>,
        b: Spot<P>,
    ) -> Outcome<(Orientation<P>, Orientation<P>, P)> {
        for (key, spot) in [("a", a), ("b", b)] {
            if matches!(spot, Spot::Point(i) if !self.points[i].fixed) {
                return Err(e.problem(key, Fault::NoOrientation { key, thing: self.thing(spot) }));
            }
        }
        let given = |spot: Spot<P>| match spot {
            Spot::Body(i, _) => self.bodies[i].given_angle.unwrap_or_else(P::zero),
            Spot::Link(k, _) => self.bodies[self.flexible[k].body].given_angle.unwrap_or_else(P::zero),
            _ => P::zero(),
        };
        let (oa, ob) = (self.orientation_at(a), self.orientation_at(b));
        let kept = match &e.spec.angle {
            Some(value) => self.value(e, "angle", value)?,
            None => given(a) - given(b),
        };
        Ok((oa, ob, kept - oa.constant + ob.constant))
    }
    fn keep_angle(&mut self, e: &Entry<'_, JointSpec>, (a, b, offset): (Orientation<P>, Orientation<P>, P)) {
        let mut wiring = Wiring::default();
        let (a, b) = (self.angle_of(&mut wiring, a), self.angle_of(&mut wiring, b));
        self.add(e, Element::RelativeAngle(RelativeAngle { a, b, offset }), wiring, Vec::new());
    }
    /// Adds the line; `axis` was seen to be there.
    fn on_line(&mut self, e: &Entry<'_, JointSpec>, a: Spot<P>, b: Spot<P>) -> Outcome<()> {
        let Some(axis) = &e.spec.axis else { return Ok(()) };
        let axis = self.direction(e, "axis", "axis", &axis.components())?;
        if axis.z.value() != 0.0 {
            return Err(e.problem("axis", Fault::OutOfPlane { key: "axis" }));
        }
        let orientation = self.orientation_at(b);
        let axis = super::start::turned(orientation.constant, [axis.x, axis.y]);
        let mut wiring = Wiring::default();
        let (point, base) = (self.place(&mut wiring, a), self.place(&mut wiring, b));
        let frame = self.angle_of(&mut wiring, orientation);
        self.add(e, Element::OnLine(OnLine { point, base, frame, axis }), wiring, Vec::new());
        Ok(())
    }

    pub(super) fn drive(&mut self, e: &Entry<'_, DriveSpec>) -> Outcome<()> {
        let mut law = self.law(e, "law", Some(&e.spec.law))?;
        let mut wiring = Wiring::default();
        let quantity = match e.spec.quantity {
            QuantitySpec::Displacement => {
                no_from(e, e.spec.from.as_ref(), "a displacement")?;
                Driven::Displacement(Box::new(self.slide(e, "of", &e.spec.of, &mut wiring)?))
            }
            QuantitySpec::Angle if self.is_link(e, "of", &e.spec.of)? => {
                no_from(e, e.spec.from.as_ref(), "the angle of a joint")?;
                Driven::Rotation(Box::new(self.hinge(e, "of", &e.spec.of, &mut wiring)?))
            }
            QuantitySpec::Angle => {
                let (a, b, constant) = self.angle_pair(e, &e.spec.of, e.spec.from.as_ref(), &mut wiring)?;
                if constant != P::zero() {
                    // Fixed bodies are turned by constants, which the coordinates leave out.
                    let shift = Term::Leaf(TimeLeaf::Number(constant));
                    law = TimeLaw(Term::Difference(Box::new(law.0), Box::new(shift)));
                }
                Driven::Angle { a, b }
            }
            QuantitySpec::X | QuantitySpec::Y | QuantitySpec::Z => {
                no_from(e, e.spec.from.as_ref(), "a coordinate")?;
                let axis = match e.spec.quantity {
                    QuantitySpec::Y => 1,
                    QuantitySpec::Z => 2,
                    _ => 0,
                };
                let place = self.moving_place(e, &e.spec.of, &mut wiring)?;
                if axis == 2 && !matches!(place, Place::OnBody { .. } | Place::SpatialPoint { .. }) {
                    return Err(e.problem("of", Fault::NothingMoves));
                }
                Driven::Coordinate { place, axis }
            }
            QuantitySpec::Distance => {
                let (a, b) = self.place_pair(e, &e.spec.of, e.spec.from.as_ref(), &mut wiring)?;
                Driven::Distance { a, b }
            }
        };
        self.add(e, Element::Drive(Drive { quantity, law }), wiring, Vec::new());
        Ok(())
    }
}

/// What drives and outputs share: quantities of references `of` and `from`.
impl<P: Data> Builder<P> {
    /// Two angles, and the constant that the difference of their coordinates leaves out.
    pub(super) fn angle_pair(
        &self,
        e: &Head,
        of: &str,
        from: Option<&PlaceRef>,
        wiring: &mut Wiring,
    ) -> Outcome<(AngleOf<P>, AngleOf<P>, P)> {
        let a = self.orientation(e, "of", of)?;
        let b = match from {
            None => Orientation::ground(),
            Some(PlaceRef::Name(name)) => self.orientation(e, "from", name)?,
            Some(PlaceRef::Ground(_) | PlaceRef::Space(_)) => {
                let (found, expected) = ("a pair of coordinates", "a body or an angle");
                let fault = Fault::WrongType { found: found.to_owned(), expected: expected.to_owned() };
                return Err(e.problem("from", fault));
            }
        };
        self.turning(e, a, b)?;
        let angles = (self.angle_of(wiring, a), self.angle_of(wiring, b));
        Ok((angles.0, angles.1, a.constant - b.constant))
    }
    /// A place that has coordinates.
    pub(super) fn moving_place(&self, e: &Head, of: &str, wiring: &mut Wiring) -> Outcome<Place<P>> {
        let spot = self.definite(e, "of", &PlaceRef::from(of))?;
        if self.block_of(spot).is_none() {
            return Err(e.problem("of", Fault::NothingMoves));
        }
        Ok(self.place(wiring, spot))
    }
    /// Two places, at least one with coordinates.
    pub(super) fn place_pair(
        &self,
        e: &Head,
        of: &str,
        from: Option<&PlaceRef>,
        wiring: &mut Wiring,
    ) -> Outcome<(Place<P>, Place<P>)> {
        let Some(from) = from else {
            return Err(e.problem("", Fault::KeyNeeded { key: "from", kind: "a distance".to_owned() }));
        };
        let a = self.definite(e, "of", &PlaceRef::from(of))?;
        let b = self.definite(e, "from", from)?;
        self.different(e, a, b)?;
        Ok((self.place(wiring, a), self.place(wiring, b)))
    }
}

/// Refuses `from`.
pub(super) fn no_from(e: &Head, from: Option<&PlaceRef>, kind: &str) -> Outcome<()> {
    match from {
        None => Ok(()),
        Some(_) => Err(e.problem("from", Fault::KeyNotFor { key: "from", kind: kind.to_owned() })),
    }
}

/// Refuses keys without a meaning for the kind of the joint, and asks for those it needs.
fn check_keys(e: &Entry<'_, JointSpec>) -> Outcome<()> {
    use JointKind::{Distance, Fixed, PointOnLine, Prismatic};
    let (spec, kind) = (e.spec, format!("a {} joint", e.spec.kind.name()));
    let line = matches!(spec.kind, Prismatic | PointOnLine);
    let angle = matches!(spec.kind, Prismatic | Fixed);
    for (key, there, allowed) in [
        ("axis", spec.axis.is_some(), line),
        ("length", spec.length.is_some(), spec.kind == Distance),
        ("angle", spec.angle.is_some(), angle),
        ("axis_a", spec.axis_a.is_some(), false),
        ("locked", spec.locked.is_some(), false),
        ("free", spec.free.is_some(), false),
    ] {
        if there && !allowed && !spec.kind.needs_space() {
            return Err(e.problem(key, Fault::KeyNotFor { key, kind }));
        }
    }
    if line && spec.axis.is_none() {
        return Err(e.problem("", Fault::KeyNeeded { key: "axis", kind }));
    }
    Ok(())
}
