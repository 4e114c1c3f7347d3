//! Tables of bodies in space and their orientations, field by field what the TOML says.

use super::tables::DampingSpec;
use super::value::{PlaceRef, Value, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A rigid body in space.
///
/// Its coordinates are the position of the reference point and four Euler parameters; its
/// velocities are the velocity of the reference point in ground axes and the angular velocity in
/// body axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpatialBodySpec {
    /// Name.
    pub name: String,
    /// Mass, kg. Not needed for a fixed body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<Value>,
    /// Moments of inertia [Jxx, Jyy, Jzz] about the centre of mass in body axes, kg m^2. Not
    /// needed for a fixed body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[Value; 3]>,
    /// The other entries [Jxy, Jxz, Jyz] of the inertia tensor, kg m^2: minus the integrals of
    /// x y, x z and y z over the mass. Default: zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub products_of_inertia: Option<[Value; 3]>,
    /// Centre of mass in body axes, m. Default: the reference point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center_of_mass: Option<[Value; 3]>,
    /// Position of the reference point at the start, m. Without it the joints place the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[Value; 3]>,
    /// Orientation of the body axes at the start. Default: along the ground axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<OrientationSpec>,
    /// Velocity of the reference point at the start of a motion, m/s. Default: zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[Value; 3]>,
    /// Angular velocity at the start of a motion in ground axes, rad/s. Default: zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<[Value; 3]>,
    /// True for a body that is part of the ground.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fixed: bool,
    /// Damping proportional to the body's mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<DampingSpec>,
    /// Named points in body axes, m.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub markers: BTreeMap<String, [Value; 3]>,
    /// Named points with axes of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub frames: BTreeMap<String, BodyFrameSpec>,
}

/// A named point of a body with axes of its own, for joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyFrameSpec {
    /// Its origin in body axes, m. Default: the reference point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[Value; 3]>,
    /// Its axes against those of the body.
    pub orientation: OrientationSpec,
}

/// An orientation, said in one of four ways: `axis` with `angle`, `euler_parameters`, `cardan`,
/// or two of the axes `x`, `y`, `z`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrientationSpec {
    /// Axis of one rotation; its length does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[Value; 3]>,
    /// Angle of the rotation about `axis`, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Value>,
    /// Euler parameters [e0, e1, e2, e3]; their length does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub euler_parameters: Option<[Value; 4]>,
    /// Cardan angles [a, b, c], rad: about x, then about the new y, then about the new z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cardan: Option<[Value; 3]>,
    /// Direction of the x-axis; its length does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<[Value; 3]>,
    /// Direction of the y-axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<[Value; 3]>,
    /// Direction of the z-axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<[Value; 3]>,
}

impl OrientationSpec {
    /// One rotation by `angle` (rad) about `axis`.
    pub fn rotation(axis: [impl Into<Value>; 3], angle: impl Into<Value>) -> Self {
        Self { axis: Some(axis.map(Into::into)), angle: Some(angle.into()), ..Self::default() }
    }
    /// The rotation with these Euler parameters.
    pub fn euler_parameters(p: [impl Into<Value>; 4]) -> Self {
        Self { euler_parameters: Some(p.map(Into::into)), ..Self::default() }
    }
}

impl SpatialBodySpec {
    /// A rigid body with the moments of inertia about its centre of mass, which is the reference
    /// point unless `center_of_mass` says otherwise.
    pub fn new(name: impl Into<String>, mass: impl Into<Value>, inertia: [impl Into<Value>; 3]) -> Self {
        Self {
            name: name.into(),
            mass: Some(mass.into()),
            inertia: Some(inertia.map(Into::into)),
            ..Self::default()
        }
    }
    /// Adds a named point in body axes.
    #[must_use]
    pub fn with_marker(mut self, name: impl Into<String>, at: [impl Into<Value>; 3]) -> Self {
        self.markers.insert(name.into(), at.map(Into::into));
        self
    }
    /// Sets the position at the start.
    #[must_use]
    pub fn starting(mut self, at: [impl Into<Value>; 3]) -> Self {
        self.at = Some(at.map(Into::into));
        self
    }
    /// Sets the orientation at the start.
    #[must_use]
    pub fn turned(mut self, orientation: OrientationSpec) -> Self {
        self.orientation = Some(orientation);
        self
    }
}

/// A bushing: stiffness and damping in all six relative motions of two frames, three
/// displacements and three rotations (rotation vector) of a against b in the axes of b.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BushingSpec {
    /// Name.
    pub name: String,
    /// The first place.
    pub a: PlaceRef,
    /// The second place. `ground` means the place of the ground where `a` is at the start.
    pub b: PlaceRef,
    /// Direction of the z-axis of the frame at b in the axes of b's body. Default: the axes of
    /// that body, or of the frame that b is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector>,
    /// Stiffnesses along and about the axes: N/m three times, N m/rad three times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[Value; 6]>,
    /// All of the stiffness matrix, row by row; it need not be symmetric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness_matrix: Option<[[Value; 6]; 6]>,
    /// Dampings along and about the axes: N s/m three times, N m s/rad three times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<[Value; 6]>,
    /// All of the damping matrix, row by row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping_matrix: Option<[[Value; 6]; 6]>,
    /// Force (N) and moment (N m) on a where both frames coincide. Default: zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preload: Option<[Value; 6]>,
}

impl BushingSpec {
    /// A bushing with these stiffnesses along and about the axes of b.
    pub fn new(
        name: impl Into<String>,
        a: impl Into<PlaceRef>,
        b: impl Into<PlaceRef>,
        stiffness: [impl Into<Value>; 6],
    ) -> Self {
        Self {
            name: name.into(),
            a: a.into(),
            b: b.into(),
            stiffness: Some(stiffness.map(Into::into)),
            ..Self::default()
        }
    }
}

/// A relative motion of two frames, for the masks of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MotionSpec {
    /// Displacement along x.
    #[serde(rename = "x")]
    X,
    /// Displacement along y.
    #[serde(rename = "y")]
    Y,
    /// Displacement along z.
    #[serde(rename = "z")]
    Z,
    /// Rotation about x.
    #[serde(rename = "rotation x")]
    RotationX,
    /// Rotation about y.
    #[serde(rename = "rotation y")]
    RotationY,
    /// Rotation about z.
    #[serde(rename = "rotation z")]
    RotationZ,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_false(x: &bool) -> bool {
    !*x
}
