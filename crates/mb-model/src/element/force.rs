//! Force elements: springs, dampers, forces and torques.

use super::rotation::lifted;
use super::{AngleOf, Attitude, Data, Dependence, ElementLaw, Local, Place};
use crate::law::TimeLaw;
use crate::outline::Stroke;
use mb_scalar::Lift;

/// A linear spring and damper along the line from `a` to `b`.
///
/// ```text
/// d = b - a,  e = d / |d|,  tension T = k (|d| - l0) + c (e . d')
/// ```
///
/// T pulls `a` along e and `b` along -e. The line must not shrink to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring<P = f64> {
    /// One end.
    pub a: Place<P>,
    /// The other end.
    pub b: Place<P>,
    /// Stiffness k in N/m.
    pub stiffness: P,
    /// Natural length l0 in m.
    pub natural_length: P,
    /// Damping c in N s/m.
    pub damping: P,
}

impl<P: Data> ElementLaw<P> for Spring<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        let stroke = if self.stiffness == P::zero() { Stroke::Damper } else { Stroke::Spring };
        Some((stroke, vec![self.a, self.b]))
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: self.damping != P::zero(), a: false, u: false }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let d = self.b.position(at.q) - self.a.position(at.q);
        let length = (d.x * d.x + d.y * d.y + d.z * d.z).sqrt();
        let e = d / length;
        let mut tension = S::lift(self.stiffness) * (length - S::lift(self.natural_length));
        if self.damping != P::zero() {
            let rate = self.b.velocity(at.q, at.v) - self.a.velocity(at.q, at.v);
            tension += S::lift(self.damping) * (e.x * rate.x + e.y * rate.y + e.z * rate.z);
        }
        // The residual carries -f: end a is pulled by +T e, end b by -T e.
        let pull = e * tension;
        self.a.push(at.q, -pull, out);
        self.b.push(at.q, pull, out);
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let d = self.b.position(at.q) - self.a.position(at.q);
        let stretch = (d.x * d.x + d.y * d.y + d.z * d.z).sqrt() - S::lift(self.natural_length);
        S::lift(self.stiffness) * stretch * stretch.scale(0.5)
    }
}

/// A torsional spring and damper between two angles.
///
/// ```text
/// torque on b = -k (b - a - angle0) - c (b' - a'),  on a the opposite
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TorsionSpring<P = f64> {
    /// One angle.
    pub a: AngleOf<P>,
    /// The other angle.
    pub b: AngleOf<P>,
    /// Stiffness in N m/rad.
    pub stiffness: P,
    /// Relative angle at rest in rad.
    pub natural_angle: P,
    /// Damping in N m s/rad.
    pub damping: P,
}

impl<P: Data> ElementLaw<P> for TorsionSpring<P> {
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: self.damping != P::zero(), a: false, u: false }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let twist = self.b.angle(at.q) - self.a.angle(at.q) - S::lift(self.natural_angle);
        let rate = self.b.rate(at.v) - self.a.rate(at.v);
        let torque = S::lift(self.stiffness) * twist + S::lift(self.damping) * rate;
        self.b.twist(torque, out);
        self.a.twist(-torque, out);
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let twist = self.b.angle(at.q) - self.a.angle(at.q) - S::lift(self.natural_angle);
        S::lift(self.stiffness) * twist * twist.scale(0.5)
    }
}

/// The axes that a force keeps its direction in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForceFrame<P = f64> {
    /// A dead force: constant direction in the ground.
    Ground,
    /// A follower force: constant direction in the axes of this body.
    Follower(Attitude<P>),
}

/// A force on a place: magnitude(t) + u along a direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Force<P = f64> {
    /// Where it acts.
    pub place: Place<P>,
    /// Direction in the axes of `frame`; its length multiplies the magnitude.
    pub direction: [P; 3],
    /// Magnitude in N per unit of `direction`, as a function of time.
    pub magnitude: TimeLaw<P>,
    /// Dead or follower.
    pub frame: ForceFrame<P>,
    /// True when an input adds to the magnitude.
    pub has_input: bool,
}

impl<P: Data> ElementLaw<P> for Force<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        Some((Stroke::Load, vec![self.place]))
    }
    fn inputs(&self) -> usize {
        usize::from(self.has_input)
    }
    fn dependence(&self) -> Dependence {
        let turns = self.place.has_moment_arm() || self.frame != ForceFrame::Ground;
        Dependence { q: turns, v: false, a: false, u: self.has_input }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let direction = lifted(self.direction);
        let direction = match self.frame {
            ForceFrame::Ground => direction,
            ForceFrame::Follower(body) => body.turned(at.q, &direction),
        };
        let force = direction * amount(&self.magnitude, self.has_input, at);
        self.place.push(at.q, -force, out);
    }
}

/// A torque of magnitude(t) + u on `on`, with its reaction on `from`.
#[derive(Clone, Debug, PartialEq)]
pub struct Torque<P = f64> {
    /// The angle that is turned.
    pub on: AngleOf<P>,
    /// The angle that carries the reaction.
    pub from: AngleOf<P>,
    /// Magnitude in N m as a function of time.
    pub magnitude: TimeLaw<P>,
    /// True when an input adds to the magnitude.
    pub has_input: bool,
}

impl<P: Data> ElementLaw<P> for Torque<P> {
    fn inputs(&self) -> usize {
        usize::from(self.has_input)
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: false, v: false, a: false, u: self.has_input }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let torque = amount(&self.magnitude, self.has_input, at);
        self.on.twist(-torque, out);
        self.from.twist(torque, out);
    }
}

/// magnitude(t) plus the input, where there is one.
pub(super) fn amount<P: Data, S: Lift<P>>(magnitude: &TimeLaw<P>, has_input: bool, at: &Local<'_, S>) -> S {
    let value = magnitude.eval(at.t);
    if has_input { value + at.u[0] } else { value }
}
