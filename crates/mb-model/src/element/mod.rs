//! Elements: the laws a model is made of, each written once over the scalar.
//!
//! An element sees only the coordinates of its own blocks. It contributes
//!
//! ```text
//! residual   M a - f(q, v, t, u)      one number per local velocity
//! phi        Phi(q, t)                one number per position row
//! rates      A(q, t) v + b(q, t)      one number per velocity row
//! ```
//!
//! and nothing else: mass matrix, stiffness, damping, constraint Jacobian, reactions and their
//! derivatives come from differentiating these (see [`crate::system`]).

mod attitude;
mod beam;
pub(crate) mod brick;
mod bushing;
mod constraint;
mod coupling;
mod custom;
mod erls;
pub(crate) mod face_load;
mod force;
mod form;
mod hermite;
mod hinge;
mod inertia;
mod joint;
mod knife_edge;
mod link;
mod link_point;
mod mean_tie;
mod place;
mod profile;
mod quantity;
mod rolling;
pub(crate) mod rotation;
mod spatial_body;

pub use attitude::{Attitude, Hinge, JointFrame, Slide};
pub use beam::{AxialStrain, BeamInertia, BeamLaw, BeamStation, BeamStrain, Interpolation};
pub(crate) use brick::{Across, Along, NODES};
pub use brick::{
    BrickFormulation, BrickInertia, BrickShape, BrickStrain, MassForm, SolidMaterial, WrongBrick,
};
pub use bushing::Bushing;
pub use constraint::{AngleOfLine, Coincident, Distance, Drive, Driven, LineForm, OnLine, RelativeAngle};
pub use coupling::Coupling;
pub use custom::CustomElement;
pub use erls::{Chain, Erls, ErlsBeam, ErlsNode, ErlsPayload, ErlsPin, ErlsPlace, PinEnd, RigidLink};
pub use face_load::{FaceLoad, Traction};
pub use force::{Force, ForceFrame, Spring, Torque, TorsionSpring};
pub(crate) use form::{ConstantForm, SplitEntries};
pub use hinge::{Effort, HingeSpring, Moment, Motor};
pub use inertia::{PlanarBody, PointMass, Rod};
pub use joint::{Joint, Locked};
pub use knife_edge::KnifeEdge;
pub use link::{ElasticAxis, Held, LinkElement, ReferenceConditions};
pub use link_point::{LinkPoint, Slot};
pub(crate) use mean_tie::Mean;
pub use mean_tie::MeanTie;
pub use place::{AngleOf, Place};
pub use quantity::Quantity;
pub use rolling::{Rolling, Tread};
pub use spatial_body::SpatialBody;

pub use crate::data::Data;
use crate::outline::Stroke;
use mb_scalar::{Dual, Lift};
use std::sync::Arc;

/// The coordinates an element sees, in any scalar.
#[derive(Clone, Copy, Debug)]
pub struct Local<'a, S> {
    /// Configuration of the element's blocks, one after the other.
    pub q: &'a [S],
    /// Velocities.
    pub v: &'a [S],
    /// Accelerations.
    pub a: &'a [S],
    /// Time in s.
    pub t: S,
    /// The element's inputs.
    pub u: &'a [S],
    /// Acceleration of gravity in m/s^2.
    pub gravity: [S; 3],
}

/// What an element's residual depends on, so that needless sweeps are left out.
///
/// Saying `true` where nothing depends costs time only; `false` where something does is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one independent fact per argument of the residual")]
pub struct Dependence {
    /// On the configuration.
    pub q: bool,
    /// On the velocities.
    pub v: bool,
    /// On the accelerations (the element has mass).
    pub a: bool,
    /// On the inputs.
    pub u: bool,
}

impl Dependence {
    /// The residual is zero.
    pub const NOTHING: Self = Self { q: false, v: false, a: false, u: false };
    /// The residual depends on everything.
    pub const EVERYTHING: Self = Self { q: true, v: true, a: true, u: true };
}

/// A law of mechanics, written once over the scalar.
///
/// Implement it for a type of your own and wrap it as [`Element::custom`] to add an element
/// from outside this crate.
pub trait ElementLaw<P: Data> {
    /// Number of constraint rows.
    fn rows(&self) -> usize {
        0
    }
    /// How many of them, the last ones, are velocity rows A(q, t) v + b(q, t) = 0, which are not the rate of any Phi.
    fn velocity_rows(&self) -> usize {
        0
    }
    /// Name of constraint row `i`, such as `x` or `perpendicular`.
    fn row_axis(&self, i: usize) -> String {
        format!("{}", i + 1)
    }
    /// Number of inputs.
    fn inputs(&self) -> usize {
        0
    }
    /// What [`Self::residual`] depends on.
    fn dependence(&self) -> Dependence {
        Dependence::NOTHING
    }
    /// Whether the residual has no derivative by the velocities where these are zero: no damping, and velocity terms of
    /// inertia only. Saying `false` costs time only.
    fn undamped(&self) -> bool {
        false
    }
    /// Adds M a - f to `out` (one entry per local velocity).
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let _ = (at, out);
    }
    /// Potential energy in J of the forces that have one (weight, springs); `v`, `a` and `u` are
    /// not to be read.
    ///
    /// Forces that are left out here count as work done from outside in the energy balance.
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let _ = at;
        S::zero()
    }
    /// Writes Phi(q, t) to `out` (one entry per row, position rows first); `v`, `a` and `u` are not to be read.
    /// The entries of velocity rows are left as they are, zero.
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let _ = (at, out);
    }
    /// Writes A(q, t) v + b(q, t) to `out` (one entry per velocity row), affine in `v`; `a` and `u` are not to be read.
    fn rates<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let _ = (at, out);
    }
    /// How the element is drawn, and through which of its places; none when there is nothing to see.
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        None
    }
}

impl<P: Data, L: ElementLaw<P>> ElementLaw<P> for Box<L> {
    fn rows(&self) -> usize {
        (**self).rows()
    }
    fn velocity_rows(&self) -> usize {
        (**self).velocity_rows()
    }
    fn row_axis(&self, i: usize) -> String {
        (**self).row_axis(i)
    }
    fn inputs(&self) -> usize {
        (**self).inputs()
    }
    fn dependence(&self) -> Dependence {
        (**self).dependence()
    }
    fn undamped(&self) -> bool {
        (**self).undamped()
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        (**self).residual(at, out);
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        (**self).potential(at)
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        (**self).phi(at, out);
    }
    fn rates<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        (**self).rates(at, out);
    }
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        (**self).outline()
    }
}

/// The closed list of scalars that elements are evaluated in, over element data `P`: the data scalar
/// and three levels of dual numbers over it.
///
/// It leads to the functions of [`Data`], which are compiled once for each scalar.
pub trait Tower<P: Data>: Lift<P> {
    /// Adds the residual of an element to `out`.
    fn residual_of(e: &Element<P>, at: &Local<'_, Self>, out: &mut [Self]);
    /// Writes the constraint functions of an element to `out`.
    fn phi_of(e: &Element<P>, at: &Local<'_, Self>, out: &mut [Self]);
    /// Writes the velocity rows of an element to `out`.
    fn rates_of(e: &Element<P>, at: &Local<'_, Self>, out: &mut [Self]);
    /// Potential energy of an element.
    fn potential_of(e: &Element<P>, at: &Local<'_, Self>) -> Self;
}

macro_rules! tower {
    ($scalar:ty, $residual:ident, $phi:ident, $rates:ident, $potential:ident) => {
        impl<P: Data> Tower<P> for $scalar {
            #[inline]
            fn residual_of(e: &Element<P>, at: &Local<'_, Self>, out: &mut [Self]) {
                P::$residual(e, at, out);
            }
            #[inline]
            fn phi_of(e: &Element<P>, at: &Local<'_, Self>, out: &mut [Self]) {
                P::$phi(e, at, out);
            }
            #[inline]
            fn rates_of(e: &Element<P>, at: &Local<'_, Self>, out: &mut [Self]) {
                P::$rates(e, at, out);
            }
            #[inline]
            fn potential_of(e: &Element<P>, at: &Local<'_, Self>) -> Self {
                P::$potential(e, at)
            }
        }
    };
}
tower!(P, residual_0, phi_0, rates_0, potential_0);
tower!(Dual<P>, residual_1, phi_1, rates_1, potential_1);
tower!(Dual<Dual<P>>, residual_2, phi_2, rates_2, potential_2);
tower!(Dual<Dual<Dual<P>>>, residual_3, phi_3, rates_3, potential_3);

/// Calls `$body` with `$law` bound to the law inside the element; the custom one has its own arm.
macro_rules! each_law {
    ($element:expr, $law:ident => $body:expr, $custom:ident => $other:expr) => {
        match $element {
            Element::PointMass($law) => $body,
            Element::Rod($law) => $body,
            Element::PlanarBody($law) => $body,
            Element::SpatialBody($law) => $body,
            Element::Joint($law) => $body,
            Element::Rolling($law) => $body,
            Element::KnifeEdge($law) => $body,
            Element::Bushing($law) => $body,
            Element::BeamStrain($law) => $body,
            Element::BeamInertia($law) => $body,
            Element::BrickStrain($law) => $body,
            Element::BrickInertia($law) => $body,
            Element::FaceLoad($law) => $body,
            Element::MeanTie($law) => $body,
            Element::HingeSpring($law) => $body,
            Element::Motor($law) => $body,
            Element::Moment($law) => $body,
            Element::Link($law) => $body,
            Element::Erls($law) => $body,
            Element::ReferenceConditions($law) => $body,
            Element::Spring($law) => $body,
            Element::TorsionSpring($law) => $body,
            Element::Force($law) => $body,
            Element::Torque($law) => $body,
            Element::Coincident($law) => $body,
            Element::Distance($law) => $body,
            Element::RelativeAngle($law) => $body,
            Element::OnLine($law) => $body,
            Element::AngleOfLine($law) => $body,
            Element::Drive($law) => $body,
            Element::Coupling($law) => $body,
            Element::Custom($custom) => $other,
        }
    };
}

pub(crate) use each_law;

/// As [`each_law`] for the elements that have velocity rows; others do nothing.
macro_rules! each_rolling {
    ($element:expr, $law:ident => $body:expr, $custom:ident => $other:expr) => {
        match $element {
            Element::Rolling($law) => $body,
            Element::KnifeEdge($law) => $body,
            Element::Custom($custom) => $other,
            _ => {}
        }
    };
}

pub(crate) use each_rolling;

/// One element of a model. The list is closed; [`Element::Custom`] is the door for others.
#[derive(Clone, Debug)]
pub enum Element<P: Data = f64> {
    /// A mass concentrated in a point.
    PointMass(PointMass<P>),
    /// A slender rod with uniformly distributed mass between two points.
    Rod(Rod<P>),
    /// A rigid body in the plane.
    PlanarBody(PlanarBody<P>),
    /// A rigid body in space.
    SpatialBody(Box<SpatialBody<P>>),
    /// A joint in space: some relative motions of two frames locked.
    Joint(Box<Joint<P>>),
    /// A wheel or a ball that rolls on a plane without slip.
    Rolling(Box<Rolling<P>>),
    /// A point that does not move across a heading.
    KnifeEdge(Box<KnifeEdge<P>>),
    /// A stiffness and damping between two frames.
    Bushing(Box<Bushing<P>>),
    /// The elastic forces of a finite element of a beam in space.
    BeamStrain(Box<BeamStrain<P>>),
    /// The mass of a finite element of a beam in space.
    BeamInertia(Box<BeamInertia<P>>),
    /// The elastic forces of a hexahedron.
    BrickStrain(BrickStrain<P>),
    /// The mass of a hexahedron.
    BrickInertia(BrickInertia<P>),
    /// The share of a point in a frame that follows several in the mean.
    MeanTie(Box<MeanTie<P>>),
    /// A load on a face of a solid.
    FaceLoad(Box<FaceLoad<P>>),
    /// A torsional spring and damper about the axis of a joint in space.
    HingeSpring(Box<HingeSpring<P>>),
    /// A torque or force along the free motion of a joint in space.
    Motor(Box<Motor<P>>),
    /// A moment on a body in space.
    Moment(Moment<P>),
    /// A finite element of a flexible link.
    Link(LinkElement<P>),
    /// An element of an equivalent rigid-link system.
    Erls(Box<Erls<P>>),
    /// What ties the frame of a flexible link to it.
    ReferenceConditions(ReferenceConditions),
    /// A spring and damper along the line of two places.
    Spring(Spring<P>),
    /// A spring and damper between two angles.
    TorsionSpring(TorsionSpring<P>),
    /// A force on a place.
    Force(Force<P>),
    /// A torque on a body or between two.
    Torque(Torque<P>),
    /// Two places coincide.
    Coincident(Coincident<P>),
    /// Two places keep a distance.
    Distance(Distance<P>),
    /// Two angles keep a difference.
    RelativeAngle(RelativeAngle<P>),
    /// A place stays on a line.
    OnLine(OnLine<P>),
    /// An angle coordinate is that of the line through two places.
    AngleOfLine(AngleOfLine<P>),
    /// A quantity follows a given function of time.
    Drive(Drive<P>),
    /// A sum of quantities that stays what it is: gears, racks, belts.
    Coupling(Coupling<P>),
    /// An element from outside this crate.
    Custom(Arc<dyn CustomElement<P>>),
}

impl<P: Data> Element<P> {
    /// Wraps a law from outside this crate.
    pub fn custom(law: impl ElementLaw<P> + std::fmt::Debug + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(law))
    }
    /// Number of constraint rows.
    pub fn rows(&self) -> usize {
        each_law!(self, e => ElementLaw::<P>::rows(e), c => c.rows_0())
    }
    /// How many of them, the last ones, are velocity rows.
    pub fn velocity_rows(&self) -> usize {
        each_law!(self, e => ElementLaw::<P>::velocity_rows(e), c => c.velocity_rows_0())
    }
    /// Name of constraint row `i`.
    pub fn row_axis(&self, i: usize) -> String {
        each_law!(self, e => ElementLaw::<P>::row_axis(e, i), c => c.row_axis_0(i))
    }
    /// What constraint row `i` holds, in words: its name, and whose axes it lies along or a rotation is about.
    pub fn row_words(&self, i: usize) -> String {
        if let Self::Joint(joint) = self { joint.row_words(i) } else { self.row_axis(i) }
    }
    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        each_law!(self, e => ElementLaw::<P>::inputs(e), c => c.inputs_0())
    }
    /// What the residual depends on.
    pub fn dependence(&self) -> Dependence {
        each_law!(self, e => ElementLaw::<P>::dependence(e), c => c.dependence_0())
    }
    /// Whether the residual surely has no derivative by the velocities where these are zero.
    pub fn undamped(&self) -> bool {
        each_law!(self, e => ElementLaw::<P>::undamped(e), _c => false)
    }
    /// Adds M a - f to `out`.
    pub fn residual<S: Tower<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        S::residual_of(self, at, out);
    }
    /// How the element is drawn, and through which of its places.
    pub fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        each_law!(self, e => e.outline(), c => c.outline_0())
    }
    /// The places a and b that a constraint ties; none for other elements, drives and angles.
    pub fn ends(&self) -> Option<[Place<P>; 2]> {
        match self {
            Self::Coincident(e) => Some([e.a, e.b]),
            Self::Distance(e) => Some([e.a, e.b]),
            Self::OnLine(e) => Some([e.point, e.base]),
            Self::Joint(e) => Some([e.a.place, e.b.place]),
            Self::Rolling(e) => Some([e.wheel.place, e.plane.place]),
            Self::KnifeEdge(e) => Some([e.edge.place, e.plane.place]),
            _ => None,
        }
    }
    /// Potential energy of the element's conservative forces, J.
    pub fn potential<S: Tower<P>>(&self, at: &Local<'_, S>) -> S {
        S::potential_of(self, at)
    }
    /// True when all its forces have a potential, so that it does no work from outside.
    pub fn is_conservative(&self) -> bool {
        let none = P::zero();
        match self {
            Self::PointMass(e) => e.alpha == none,
            Self::Rod(e) => e.alpha == none,
            Self::PlanarBody(e) => e.alpha == none,
            Self::SpatialBody(e) => e.alpha == none,
            Self::BeamStrain(e) => !e.is_damped(),
            Self::BeamInertia(e) => !e.is_damped(),
            Self::BrickStrain(e) => e.beta == none,
            Self::BrickInertia(e) => e.alpha == none,
            Self::Spring(e) => e.damping == none,
            Self::TorsionSpring(e) => e.damping == none,
            Self::HingeSpring(e) => e.damping == none,
            Self::Joint(_)
            | Self::Rolling(_)
            | Self::KnifeEdge(_)
            | Self::MeanTie(_)
            | Self::Coincident(_)
            | Self::Distance(_)
            | Self::RelativeAngle(_)
            | Self::OnLine(_)
            | Self::AngleOfLine(_)
            | Self::ReferenceConditions(_)
            | Self::Coupling(_)
            | Self::Drive(_) => true,
            Self::Bushing(_)
            | Self::Motor(_)
            | Self::Moment(_)
            | Self::Link(_)
            | Self::Erls(_)
            | Self::FaceLoad(_)
            | Self::Force(_)
            | Self::Torque(_)
            | Self::Custom(_) => false,
        }
    }
    /// Writes Phi to `out`.
    pub fn phi<S: Tower<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        S::phi_of(self, at, out);
    }
    /// Writes A v + b to `out`.
    pub fn rates<S: Tower<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        S::rates_of(self, at, out);
    }
}

impl Element<f64> {
    /// The part of the stiffness that is the same at every point, where the element separates it.
    pub(crate) fn constant_form(&self) -> Option<ConstantForm> {
        match self {
            Self::Link(e) => Some(e.bending_form()),
            _ => None,
        }
    }
    /// As [`Element::residual`] in a scalar outside the closed list; false for elements from
    /// outside, which know only that list.
    pub(crate) fn residual_wide<S: Lift<f64>>(&self, at: &Local<'_, S>, out: &mut [S]) -> bool {
        each_law!(self, e => { ElementLaw::<f64>::residual(e, at, out); true }, _other => false)
    }
    /// As [`Element::phi`], likewise; false also for elements with velocity rows, of which Phi is not all.
    pub(crate) fn phi_wide<S: Lift<f64>>(&self, at: &Local<'_, S>, out: &mut [S]) -> bool {
        if matches!(self, Self::Rolling(_) | Self::KnifeEdge(_)) {
            return false;
        }
        each_law!(self, e => { ElementLaw::<f64>::phi(e, at, out); true }, _other => false)
    }
}
