//! Springs, dampers, forces and torques.

use super::expand::Entry;
use super::spots::{Orientation, Spot};
use super::start::norm;
use super::{Builder, Outcome};
use crate::element::{Data, Element, Force, ForceFrame, Spring, Torque, TorsionSpring};
use crate::law::TimeLaw;
use crate::model::Wiring;
use crate::spec::{Fault, ForceSpec, FrameSpec, SpringSpec, TorqueSpec, TorsionSpringSpec};

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
        let a = self.orientation(e, "a", &spec.a)?;
        let b = self.orientation(e, "b", &spec.b)?;
        self.turning(e, a, b)?;
        if spec.stiffness.is_none() && spec.damping.is_none() {
            return Err(e.problem("", needs_one()));
        }
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
    pub(super) fn force(&mut self, e: &Entry<'_, ForceSpec>) -> Outcome<()> {
        let spec = e.spec;
        let spot = self.definite(e, "at", &spec.at)?;
        if self.block_of(spot).is_none() {
            return Err(e.problem("at", Fault::NothingMoves));
        }
        let (direction, magnitude) = self.direction_and_magnitude(e)?;
        let mut wiring = Wiring::default();
        let place = self.place(&mut wiring, spot);
        let frame = match (spec.frame, spot) {
            (FrameSpec::Ground, _) => ForceFrame::Ground,
            (FrameSpec::Follower, Spot::Body(..)) => {
                ForceFrame::Follower(self.angle_of(&mut wiring, self.orientation_at(spot)))
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
    fn direction_and_magnitude(&self, e: &Entry<'_, ForceSpec>) -> Outcome<([P; 2], TimeLaw<P>)> {
        let spec = e.spec;
        if let Some(vector) = &spec.vector {
            let second = if spec.magnitude.is_some() { "magnitude" } else { "direction" };
            let vector = self.pair(e, "vector", vector)?;
            let length = norm(vector);
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
        Ok((self.unit(e, "direction", direction)?, self.law(e, "magnitude", spec.magnitude.as_ref())?))
    }
    pub(super) fn torque(&mut self, e: &Entry<'_, TorqueSpec>) -> Outcome<()> {
        let spec = e.spec;
        let on = self.orientation(e, "on", &spec.on)?;
        let from = match &spec.from {
            Some(name) => self.orientation(e, "from", name)?,
            None => Orientation { block: None, constant: P::zero() },
        };
        self.turning(e, on, from)?;
        if spec.magnitude.is_none() && spec.input.is_none() {
            return Err(e.problem("", Fault::KeyNeeded { key: "magnitude", kind: "a torque".to_owned() }));
        }
        let magnitude = self.law(e, "magnitude", spec.magnitude.as_ref())?;
        let mut wiring = Wiring::default();
        let (on, from) = (self.angle_of(&mut wiring, on), self.angle_of(&mut wiring, from));
        let inputs = self.input(e, spec.input.as_ref())?;
        let has_input = !inputs.is_empty();
        self.add(e, Element::Torque(Torque { on, from, magnitude, has_input }), wiring, inputs);
        Ok(())
    }
}

fn needs_one() -> Fault {
    Fault::KeyNeeded { key: "stiffness", kind: "a spring without `damping`".to_owned() }
}
