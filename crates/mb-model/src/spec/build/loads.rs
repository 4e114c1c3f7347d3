//! Springs, dampers, forces and torques.

use super::expand::Entry;
use super::spots::{Orientation, Spot};
use super::{Builder, Outcome};
use crate::element::{
    Attitude, Data, Effort, Element, Force, ForceFrame, HingeSpring, Moment, Motor, Spring, Torque,
    TorsionSpring,
};
use crate::law::TimeLaw;
use crate::model::Wiring;
use crate::spec::{Fault, ForceSpec, FrameSpec, PlaceRef, SpringSpec, TorqueSpec, TorsionSpringSpec};

impl<P: Data> Builder<P> {
    pub(super) fn spring(&mut self, e: &Entry<'_, SpringSpec>) -> Outcome<()> {
        let spec = e.spec;
        let a = self.definite(e, "a", &spec.a)?;
        let b = self.definite(e, "b", &spec.b)?;
        self.different(e, a, b)?;
        match (&spec.stiffness, &spec.natural_length, &spec.damping) {
            (Some(_), None, _) => {
                let kind = "a spring with a stiffness".to_owned();
                return Err(e.problem("", Fault::KeyNeeded { key: "natural_length", kind }));
            }
            (None, Some(_), _) => {
                let kind = "a damper without a stiffness".to_owned();
                return Err(e.problem("natural_length", Fault::KeyNotFor { key: "natural_length", kind }));
            }
            (None, _, None) => return Err(e.problem("", needs_one())),
            _ => {}
        }
        let stiffness = self.value_or_zero(e, "stiffness", spec.stiffness.as_ref())?;
        let damping = self.value_or_zero(e, "damping", spec.damping.as_ref())?;
        let natural_length =
            self.not_negative(e, "natural_length", "natural length", spec.natural_length.as_ref())?;
        let mut wiring = Wiring::default();
        let (a, b) = (self.place(&mut wiring, a), self.place(&mut wiring, b));
        let spring = Spring { a, b, stiffness, natural_length, damping };
        self.add(e, Element::Spring(spring), wiring, Vec::new());
        Ok(())
    }
    pub(super) fn torsion_spring(&mut self, e: &Entry<'_, TorsionSpringSpec>) -> Outcome<()> {
        let spec = e.spec;
        if spec.stiffness.is_none() && spec.damping.is_none() {
            return Err(e.problem("", needs_one()));
        }
        if let Some(joint) = &spec.joint {
            return self.hinge_spring(e, joint);
        }
        for (key, name) in [("a", &spec.a), ("b", &spec.b)] {
            if name.is_empty() {
                let kind = "a torsion-spring without `joint`".to_owned();
                return Err(e.problem("", Fault::KeyNeeded { key, kind }));
            }
        }
        let a = self.orientation(e, "a", &spec.a)?;
        let b = self.orientation(e, "b", &spec.b)?;
        self.turning(e, a, b)?;
        let stiffness = self.value_or_zero(e, "stiffness", spec.stiffness.as_ref())?;
        let damping = self.value_or_zero(e, "damping", spec.damping.as_ref())?;
        // Coordinates leave out the angles of fixed bodies.
        let natural_angle =
            self.value_or_zero(e, "natural_angle", spec.natural_angle.as_ref())? - b.constant + a.constant;
        let mut wiring = Wiring::default();
        let (a, b) = (self.angle_of(&mut wiring, a), self.angle_of(&mut wiring, b));
        let spring = TorsionSpring { a, b, stiffness, natural_angle, damping };
        self.add(e, Element::TorsionSpring(spring), wiring, Vec::new());
        Ok(())
    }
    fn hinge_spring(&mut self, e: &Entry<'_, TorsionSpringSpec>, joint: &str) -> Outcome<()> {
        let spec = e.spec;
        for (key, name) in [("a", &spec.a), ("b", &spec.b)] {
            if !name.is_empty() {
                return Err(e.problem(key, Fault::Exclusive { first: "joint", second: key }));
            }
        }
        let mut wiring = Wiring::default();
        let spring = HingeSpring {
            hinge: self.hinge(e, "joint", joint, &mut wiring)?,
            stiffness: self.value_or_zero(e, "stiffness", spec.stiffness.as_ref())?,
            natural_angle: self.value_or_zero(e, "natural_angle", spec.natural_angle.as_ref())?,
            damping: self.value_or_zero(e, "damping", spec.damping.as_ref())?,
        };
        self.add(e, Element::HingeSpring(Box::new(spring)), wiring, Vec::new());
        Ok(())
    }
    pub(super) fn force(&mut self, e: &Entry<'_, ForceSpec>) -> Outcome<()> {
        let spec = e.spec;
        if let PlaceRef::Name(joint) = &spec.at
            && self.is_link(e, "at", joint)?
        {
            return self.force_along(e, joint);
        }
        let spot = self.definite(e, "at", &spec.at)?;
        if self.block_of(spot).is_none() {
            return Err(e.problem("at", Fault::NothingMoves));
        }
        let (direction, magnitude) = self.direction_and_magnitude(e)?;
        let mut wiring = Wiring::default();
        let place = self.place(&mut wiring, spot);
        let frame = match (spec.frame, spot) {
            (FrameSpec::Ground, _) => ForceFrame::Ground,
            (FrameSpec::Follower, Spot::Body(..) | Spot::Solid(..) | Spot::Link(..)) => {
                ForceFrame::Follower(self.attitude_at(&mut wiring, spot))
            }
            (FrameSpec::Follower, _) => {
                return Err(e.problem("at", Fault::NoOrientation { key: "at", thing: self.thing(spot) }));
            }
        };
        let inputs = self.input(e, spec.input.as_ref())?;
        let has_input = !inputs.is_empty();
        let force = Force { place, direction, magnitude, frame, has_input };
        self.add(e, Element::Force(force), wiring, inputs);
        Ok(())
    }
    /// The direction, of length one wherever an input or a magnitude multiplies it.
    fn direction_and_magnitude(&self, e: &Entry<'_, ForceSpec>) -> Outcome<([P; 3], TimeLaw<P>)> {
        let spec = e.spec;
        if let Some(vector) = &spec.vector {
            let second = if spec.magnitude.is_some() { "magnitude" } else { "direction" };
            let vector = self.triple(e, "vector", &vector.components())?;
            let length = norm3(vector);
            if spec.magnitude.is_some() || (spec.direction.is_some() && length.value() > 0.0) {
                return Err(e.problem(second, Fault::Exclusive { first: "vector", second }));
            }
            if spec.input.is_none() {
                return Ok((vector, TimeLaw::constant(P::one())));
            }
            if length.value() > 0.0 {
                return Ok((vector.map(|x| x / length), TimeLaw::constant(length)));
            }
        }
        let Some(direction) = &spec.direction else {
            let kind =
                if spec.vector.is_some() { "an input on a zero force" } else { "a force without `vector`" };
            return Err(e.problem("", Fault::KeyNeeded { key: "direction", kind: kind.to_owned() }));
        };
        if spec.magnitude.is_none() && spec.input.is_none() {
            let kind = "a force with `direction`".to_owned();
            return Err(e.problem("", Fault::KeyNeeded { key: "magnitude", kind }));
        }
        let direction = self.direction(e, "direction", "direction", &direction.components())?;
        Ok((direction.into(), self.law(e, "magnitude", spec.magnitude.as_ref())?))
    }
    /// A force along the axis of a joint in space.
    fn force_along(&mut self, e: &Entry<'_, ForceSpec>, joint: &str) -> Outcome<()> {
        let spec = e.spec;
        for (key, there) in [
            ("vector", spec.vector.is_some()),
            ("direction", spec.direction.is_some()),
            ("frame", spec.frame != FrameSpec::Ground),
        ] {
            if there {
                let kind = "a force along a joint".to_owned();
                return Err(e.problem(key, Fault::KeyNotFor { key, kind }));
            }
        }
        if spec.magnitude.is_none() && spec.input.is_none() {
            let kind = "a force along a joint".to_owned();
            return Err(e.problem("", Fault::KeyNeeded { key: "magnitude", kind }));
        }
        let mut wiring = Wiring::default();
        let effort = Effort::Force(self.slide(e, "at", joint, &mut wiring)?);
        let magnitude = self.law(e, "magnitude", spec.magnitude.as_ref())?;
        let inputs = self.input(e, spec.input.as_ref())?;
        let has_input = !inputs.is_empty();
        let motor = Motor { effort, magnitude, has_input };
        self.add(e, Element::Motor(Box::new(motor)), wiring, inputs);
        Ok(())
    }
    pub(super) fn torque(&mut self, e: &Entry<'_, TorqueSpec>) -> Outcome<()> {
        let spec = e.spec;
        if spec.magnitude.is_none() && spec.input.is_none() {
            return Err(e.problem("", Fault::KeyNeeded { key: "magnitude", kind: "a torque".to_owned() }));
        }
        let magnitude = self.law(e, "magnitude", spec.magnitude.as_ref())?;
        if self.is_link(e, "on", &spec.on)? {
            return self.torque_about(e, magnitude);
        }
        if let Some(on) = self.solid_named(e, "on", &spec.on)? {
            return self.moment(e, on, magnitude);
        }
        only_in_space(e, "a torque in the plane")?;
        let on = self.orientation(e, "on", &spec.on)?;
        let from = match &spec.from {
            Some(name) => self.orientation(e, "from", name)?,
            None => Orientation::ground(),
        };
        self.turning(e, on, from)?;
        let mut wiring = Wiring::default();
        let (on, from) = (self.angle_of(&mut wiring, on), self.angle_of(&mut wiring, from));
        let inputs = self.input(e, spec.input.as_ref())?;
        let has_input = !inputs.is_empty();
        self.add(e, Element::Torque(Torque { on, from, magnitude, has_input }), wiring, inputs);
        Ok(())
    }
}

/// Torques in space.
impl<P: Data> Builder<P> {
    /// A torque about the axis of a joint in space.
    fn torque_about(&mut self, e: &Entry<'_, TorqueSpec>, magnitude: TimeLaw<P>) -> Outcome<()> {
        let kind = "a torque about a joint";
        only_in_space(e, kind)?;
        if e.spec.from.is_some() {
            return Err(e.problem("from", Fault::KeyNotFor { key: "from", kind: kind.to_owned() }));
        }
        let mut wiring = Wiring::default();
        let effort = Effort::Torque(self.hinge(e, "on", &e.spec.on, &mut wiring)?);
        let inputs = self.input(e, e.spec.input.as_ref())?;
        let has_input = !inputs.is_empty();
        let motor = Motor { effort, magnitude, has_input };
        self.add(e, Element::Motor(Box::new(motor)), wiring, inputs);
        Ok(())
    }
    /// A moment on a body in space.
    fn moment(&mut self, e: &Entry<'_, TorqueSpec>, on: Spot<P>, magnitude: TimeLaw<P>) -> Outcome<()> {
        let Some(direction) = &e.spec.direction else {
            let kind = "a torque on a spatial-body".to_owned();
            return Err(e.problem("", Fault::KeyNeeded { key: "direction", kind }));
        };
        let direction = self.direction(e, "direction", "direction", direction)?.into();
        let mut wiring = Wiring::default();
        if self.block_of(on).is_none() {
            return Err(e.problem("on", Fault::NothingMoves));
        }
        let on_attitude = self.attitude_at(&mut wiring, on);
        let from = match &e.spec.from {
            Some(name) => self.reaction_on(e, on, name, &mut wiring)?,
            None => Attitude::GROUND,
        };
        let frame = match e.spec.frame {
            FrameSpec::Ground => Attitude::GROUND,
            FrameSpec::Follower => on_attitude,
        };
        let inputs = self.input(e, e.spec.input.as_ref())?;
        let has_input = !inputs.is_empty();
        let moment = Moment { on: on_attitude, from, direction, frame, magnitude, has_input };
        self.add(e, Element::Moment(moment), wiring, inputs);
        Ok(())
    }
    /// What carries the reaction of a moment on `on`.
    fn reaction_on(
        &self,
        e: &Entry<'_, TorqueSpec>,
        on: Spot<P>,
        name: &str,
        wiring: &mut Wiring,
    ) -> Outcome<Attitude<P>> {
        if let Some(spot) = self.solid_named(e, "from", name)? {
            self.different(e, on, spot)?;
            return Ok(self.attitude_at(wiring, spot));
        }
        let orientation = self.orientation(e, "from", name)?;
        Ok(Attitude::Planar(self.angle_of(wiring, orientation)))
    }
    /// The body in space of this name, when there is one.
    fn solid_named(&self, e: &Entry<'_, TorqueSpec>, key: &str, text: &str) -> Outcome<Option<Spot<P>>> {
        let text = self.filled(e, key, text)?;
        let (base, place) = text.split_once('.').map_or((text.as_str(), None), |(b, p)| (b, Some(p)));
        match (self.names.get(base), place) {
            (Some(n), None) if n.table == "spatial-body" => Ok(Some(Spot::Solid(n.index, [P::zero(); 3]))),
            (Some(n), place) if n.table == "solid" => {
                let spot = self.solid_spot(n.index, base, place).map_err(|f| e.problem(key, f))?;
                if matches!(spot, Spot::Node(..)) {
                    let (key, thing) = ("on", self.thing(spot));
                    return Err(e.problem(key, Fault::NoOrientation { key, thing }));
                }
                Ok(Some(spot))
            }
            (Some(n), place) if n.table == "beam" => {
                self.beam_spot(n.index, base, place).map(Some).map_err(|f| e.problem(key, f))
            }
            _ => Ok(None),
        }
    }
}

/// Refuses the keys of a moment on a body in space.
fn only_in_space(e: &Entry<'_, TorqueSpec>, kind: &str) -> Outcome<()> {
    for (key, there) in
        [("direction", e.spec.direction.is_some()), ("frame", e.spec.frame != FrameSpec::Ground)]
    {
        if there {
            return Err(e.problem(key, Fault::KeyNotFor { key, kind: kind.to_owned() }));
        }
    }
    Ok(())
}

/// |v|
fn norm3<P: Data>([x, y, z]: [P; 3]) -> P {
    (x * x + y * y + z * z).sqrt()
}

fn needs_one() -> Fault {
    Fault::KeyNeeded { key: "stiffness", kind: "a spring without `damping`".to_owned() }
}
