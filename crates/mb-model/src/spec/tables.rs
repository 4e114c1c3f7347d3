//! The tables of a model file, one struct each, field by field what the TOML says.

use super::spatial::MotionSpec;
use super::value::{PlaceRef, Value, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The system of units; there is one, and a file must say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Units {
    /// Metre, kilogram, second, newton, radian.
    #[default]
    #[serde(rename = "SI")]
    Si,
}

/// Proportional damping of one body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DampingSpec {
    /// Share of the mass matrix, 1/s.
    pub alpha: Value,
}

/// A point in the plane with coordinates x, y, or fixed in the ground.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointSpec {
    /// Name.
    pub name: String,
    /// Position at the start [x, y], m. A moving point without it starts next to its rods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[Value; 2]>,
    /// Velocity at the start of a motion, m/s. Default: zero; what is given need not satisfy the
    /// constraints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[Value; 2]>,
    /// True for a point of the ground.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fixed: bool,
    /// Mass concentrated in the point, kg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<Value>,
    /// Damping proportional to the point's mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
}

/// A straight rod with uniformly distributed mass between two points (natural coordinates).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RodSpec {
    /// Name.
    pub name: String,
    /// The points at its ends.
    pub ends: [String; 2],
    /// Mass, kg.
    pub mass: Value,
    /// Length, m. Default: the distance of the ends at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Value>,
    /// False to leave out the constraint of constant length.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub rigid: bool,
    /// Damping proportional to the rod's mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
}

impl Default for RodSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            ends: <[String; 2]>::default(),
            mass: Value::default(),
            length: None,
            rigid: true,
            damping: None,
        }
    }
}

/// A rigid body in the plane with the coordinates x, y of a reference point and an angle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// Name.
    pub name: String,
    /// Mass, kg. Not needed for a fixed body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<Value>,
    /// Moment of inertia about the centre of mass, kg m^2. Not needed for a fixed body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<Value>,
    /// Centre of mass in body axes, m. Default: the reference point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center_of_mass: Option<[Value; 2]>,
    /// Position of the reference point at the start, m. Without it the joints place the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[Value; 2]>,
    /// Angle of the body axes at the start, rad; write `"deg(30)"` for degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Value>,
    /// Velocity of the reference point at the start of a motion, m/s. Default: zero; what is given
    /// need not satisfy the constraints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[Value; 2]>,
    /// Angular velocity at the start of a motion, rad/s. Default: zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Value>,
    /// True for a body that is part of the ground.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fixed: bool,
    /// Damping proportional to the body's mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
    /// Named points in body axes, m.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub markers: BTreeMap<String, [Value; 2]>,
}

/// The equation that ties an angle coordinate to a line; each is singular somewhere else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AngleForm {
    /// dy - length sin(angle) = 0; singular where cos(angle) = 0.
    Sine,
    /// dx - length cos(angle) = 0; singular where sin(angle) = 0.
    Cosine,
    /// dy cos(angle) - dx sin(angle) = 0; singular nowhere, fixes the angle up to half a turn.
    #[default]
    Cross,
}

/// An angle coordinate: the inclination of the line between two places against the x-axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AngleSpec {
    /// Name.
    pub name: String,
    /// Where the line starts.
    pub from: PlaceRef,
    /// Where it ends.
    pub to: PlaceRef,
    /// The equation. Default: cross.
    #[serde(default)]
    pub form: AngleForm,
    /// Length of the line, m, for the sine and cosine forms. Default: that of the rod between
    /// the two points, or their distance at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Value>,
    /// The angle at the start, rad. Default: that of the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Value>,
}

/// Kinds of joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointKind {
    /// The two places coincide; in space the bodies turn about `axis` only.
    #[default]
    Revolute,
    /// The two places coincide and the bodies keep their relative orientation.
    Fixed,
    /// `a` slides along a line through `b`, and the bodies keep their relative orientation.
    Prismatic,
    /// `a` slides along a line through `b`.
    PointOnLine,
    /// The two places keep their distance.
    Distance,
    /// The two places coincide; every rotation is free (space).
    Spherical,
    /// `a` slides along a line through `b` and turns about it (space).
    Cylindrical,
    /// The two places coincide; a pin of b along `axis` and one of a along `axis_a` stay
    /// perpendicular (space).
    Universal,
    /// `a` stays in the plane through `b` perpendicular to `axis` and turns about it (space).
    Planar,
    /// What `locked` or `free` says (space).
    Generic,
}

impl JointKind {
    /// True for the kinds that exist in space only.
    pub fn needs_space(self) -> bool {
        matches!(self, Self::Spherical | Self::Cylindrical | Self::Universal | Self::Planar | Self::Generic)
    }
    /// The name in a model file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Revolute => "revolute",
            Self::Fixed => "fixed",
            Self::Prismatic => "prismatic",
            Self::PointOnLine => "point-on-line",
            Self::Distance => "distance",
            Self::Spherical => "spherical",
            Self::Cylindrical => "cylindrical",
            Self::Universal => "universal",
            Self::Planar => "planar",
            Self::Generic => "generic",
        }
    }
}

/// A joint between two places.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSpec {
    /// Name.
    pub name: String,
    /// Kind.
    #[serde(rename = "type")]
    pub kind: JointKind,
    /// The first place.
    pub a: PlaceRef,
    /// The second place. `ground` means the place of the ground where `a` is at the start.
    pub b: PlaceRef,
    /// Direction of the joint in the axes of b's body: the line, the axis of rotation, the
    /// normal of the plane. Not needed where a or b is a frame of a body in space, whose z-axis
    /// it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector>,
    /// The same direction in the axes of a's body; for a universal joint the pin of a. Default:
    /// that of b at the start (space).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis_a: Option<Vector>,
    /// The motions of a against b that a generic joint locks, along and about the axes of b.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked: Option<Vec<MotionSpec>>,
    /// The motions that a generic joint leaves free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<Vec<MotionSpec>>,
    /// Distance, m (distance). Default: the distance at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Value>,
    /// Angle of a's body minus that of b's body, rad (fixed, prismatic). Default: the
    /// difference of the angles that the bodies are given, zero where none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Value>,
}

/// A linear spring and damper along the line of two places.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringSpec {
    /// Name.
    pub name: String,
    /// One end.
    pub a: PlaceRef,
    /// The other end.
    pub b: PlaceRef,
    /// Stiffness, N/m. Absent for a pure damper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Value>,
    /// Natural length, m. Needed with a stiffness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub natural_length: Option<Value>,
    /// Damping, N s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Value>,
}

/// A torsional spring and damper between two bodies, angles or the ground in the plane, or about
/// the axis of a joint in space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorsionSpringSpec {
    /// Name.
    pub name: String,
    /// A body, an angle, or `ground` (plane).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub a: String,
    /// A body, an angle, or `ground` (plane).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub b: String,
    /// A joint in space with one free rotation, in place of a and b.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Stiffness, N m/rad. Absent for a pure damper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Value>,
    /// Angle of b minus angle of a at rest, or angle of the joint, rad. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub natural_angle: Option<Value>,
    /// Damping, N m s/rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Value>,
}

/// The axes that a force keeps its direction in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FrameSpec {
    /// Constant direction in the ground (dead force).
    #[default]
    Ground,
    /// Constant direction in the axes of the body it acts on.
    Follower,
}

/// A force on a place: either `vector`, or `direction` with `magnitude` and `input`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceSpec {
    /// Name.
    pub name: String,
    /// Where it acts: a place, or a joint in space with a free displacement, on whose a it acts
    /// along the axis, with its reaction on b.
    pub at: PlaceRef,
    /// The force [x, y] or [x, y, z], N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector: Option<Vector>,
    /// Its direction; the length does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Vector>,
    /// Its magnitude along the direction, N; may be a function of time t. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub magnitude: Option<Value>,
    /// The axes of `vector` or `direction`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frame: FrameSpec,
    /// Name of an input that adds to the magnitude. Forces and torques may share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

/// A torque on a body, an angle or a joint in space, with its reaction on another or the ground.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorqueSpec {
    /// Name.
    pub name: String,
    /// The body or angle it turns, or a joint in space with one free rotation, on whose a it acts
    /// about the axis, with its reaction on b.
    pub on: String,
    /// The body or angle that carries the reaction. Default: ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Its direction, on a body in space; the length does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<[Value; 3]>,
    /// The axes of `direction`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frame: FrameSpec,
    /// Magnitude, N m; may be a function of time t. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub magnitude: Option<Value>,
    /// Name of an input that adds to the magnitude.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

/// Quantities that can be driven or measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuantitySpec {
    /// Coordinate x of a place, m.
    #[default]
    X,
    /// Coordinate y of a place, m.
    Y,
    /// Coordinate z of a place, m.
    Z,
    /// Angle of a body or angle coordinate against another or the ground, or of a joint in
    /// space about its axis, rad.
    Angle,
    /// Displacement of a joint in space along its axis, m.
    Displacement,
    /// Distance of two places, m.
    Distance,
}

/// A driving constraint: a quantity follows a given function of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveSpec {
    /// Name.
    pub name: String,
    /// What is driven.
    pub quantity: QuantitySpec,
    /// A place; for an angle, a body, an angle or a joint in space; for a displacement, a joint
    /// in space.
    pub of: String,
    /// The other place (distance), or what the angle is measured from. Default: ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PlaceRef>,
    /// The function of time t, in m or rad.
    pub law: Value,
}

/// Quantities that an output can read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutputQuantity {
    /// Coordinate x of a place, m.
    #[default]
    X,
    /// Coordinate y of a place, m.
    Y,
    /// Coordinate z of a place, m.
    Z,
    /// Angle of a body or angle coordinate against another or the ground, or of a joint in
    /// space about its axis, rad.
    Angle,
    /// Displacement of a joint in space along its axis, m.
    Displacement,
    /// Distance of two places, m.
    Distance,
    /// Multiplier of a constraint row.
    Multiplier,
    /// Force of a joint or rod on the body of its first place, N.
    Force,
    /// Moment of a joint on the body of its first place, about that place, N m.
    Moment,
    /// Violation of a constraint row, in the unit of the row.
    Violation,
    /// Kinetic energy of the model, J.
    KineticEnergy,
    /// Potential energy of weight and springs, J.
    PotentialEnergy,
    /// Sum of kinetic and potential energy, J.
    Energy,
}

impl OutputQuantity {
    /// True for the energies, which are of the whole model.
    pub fn is_energy(self) -> bool {
        matches!(self, Self::KineticEnergy | Self::PotentialEnergy | Self::Energy)
    }
}

/// The axes that the components of a reaction are taken along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReactionFrame {
    /// The ground's.
    #[default]
    Ground,
    /// The axes of the joint: its frame on b in space; in the plane x along the line of a prismatic or
    /// point-on-line joint, else the axes of b's body. Of a rod or distance, x is the line from a
    /// to b.
    Joint,
}

/// A named output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputSpec {
    /// Name; outputs may share names with other things.
    pub name: String,
    /// What is read.
    pub quantity: OutputQuantity,
    /// A place; for an angle, a body, an angle or a joint in space; for a displacement, a joint
    /// in space; for a multiplier or a violation, a joint, rod, angle or drive; for a force or
    /// moment, a joint or rod. Energies have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// The other place (distance), or what the angle is measured from. Default: ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PlaceRef>,
    /// Which row's multiplier or violation: x, y, z, rotation x, rotation y, rotation z, length,
    /// angle, displacement or perpendicular; not needed when there is one. Of a force or moment,
    /// x, y or z; a moment in the plane is about z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<String>,
    /// The axes of a force or moment.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frame: ReactionFrame,
    /// 0 for the quantity, 1 for its rate, 2 for its acceleration.
    #[serde(default, skip_serializing_if = "is_default")]
    pub derivative: u8,
}

pub(super) fn yes() -> bool {
    true
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
pub(super) fn is_true(x: &bool) -> bool {
    *x
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_false(x: &bool) -> bool {
    !*x
}
fn is_default<T: Default + PartialEq>(x: &T) -> bool {
    *x == T::default()
}
