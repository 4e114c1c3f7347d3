//! Tables of contacts without slip: what rolls on a plane, and knife edges.

use super::value::{PlaceRef, Value, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A wheel, disc or ball that rolls on a plane without slip: it touches the plane, and the point of it that touches has the
/// velocity of the plane there.
///
/// With `axle` it is a disc of radius `radius` whose tread is a circle of radius `tread` in section; without `axle` a ball.
/// The largest distance of a disc's tread from the axle is `radius + tread`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RollingSpec {
    /// Name.
    pub name: String,
    /// The centre of the wheel, a place of a body in space.
    pub wheel: PlaceRef,
    /// A point of the plane. Default: the origin of the ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<PlaceRef>,
    /// Direction of the normal of the plane, to the side of the wheel, in the axes of its body. Default: z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal: Option<Vector>,
    /// Direction of the axle in the axes of the wheel's body. Without it the wheel is a ball.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axle: Option<Vector>,
    /// Radius, m.
    pub radius: Value,
    /// Radius of the tread in section, m. Default: zero, a thin disc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tread: Option<Value>,
    /// Height of the surface over the plane, m, as an expression of `x`, the distance (m) along `ahead` from the point `plane`, such
    /// as `0.05*cos(2*x)`; across the track it is the head of a rail. Default: the plane itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Value>,
    /// Direction in which the profile rises and falls, in the axes of the plane's body; its part along the plane counts. Default: x.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Vector>,
}

/// A knife edge (skate, blade, keel): a point of a body that does not move across a heading of the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnifeEdgeSpec {
    /// Name.
    pub name: String,
    /// The place of the edge, on a body.
    pub edge: PlaceRef,
    /// The heading of the edge in the axes of its body; its sense does not matter.
    pub heading: Vector,
    /// What the edge runs on: a place of a body, or of the ground. Default: the ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<PlaceRef>,
    /// Direction of the normal of the plane in the axes of its body. Default: z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal: Option<Vector>,
}
