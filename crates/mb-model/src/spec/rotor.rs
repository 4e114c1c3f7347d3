//! Tables of rotors: bearings, and the rotations of a steady motion.

use super::value::{PlaceRef, Value, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A bearing: stiffness and damping across an axis, each a full 2 x 2 matrix that need not be symmetric, constant or
/// tabulated over a speed.
///
/// Its two directions are the x- and y-axis of the frame at `b`. The force on `a` is minus stiffness times displacement and
/// minus damping times velocity of `a` against `b`; along and about the axis nothing is held.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BearingSpec {
    /// Name.
    pub name: String,
    /// The place of the journal.
    pub a: PlaceRef,
    /// The place of the housing. `ground` means the place of the ground where `a` is at the start.
    pub b: PlaceRef,
    /// Direction of the axis in the axes of b's body. Default: its z-axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector>,
    /// Direction of the first of the two directions in the axes of b's body, with `axis`. Default: near the axis of b's body
    /// that is least along `axis`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<Vector>,
    /// Stiffness [[xx, xy], [yx, yy]], N/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[[Value; 2]; 2]>,
    /// Damping [[xx, xy], [yx, yy]], N s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<[[Value; 2]; 2]>,
    /// Speed at which `table` is read, rad/s: a parameter that a steady rotation has too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Value>,
    /// Stiffness and damping over the speed, in place of the constant ones: read by natural cubic splines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<BearingRowSpec>,
}

/// One row of the table of a bearing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BearingRowSpec {
    /// Speed, rad/s; rising from row to row.
    pub speed: Value,
    /// Stiffness [[xx, xy], [yx, yy]], N/m. Default: zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[[Value; 2]; 2]>,
    /// Damping [[xx, xy], [yx, yy]], N s/m. Default: zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<[[Value; 2]; 2]>,
}

/// A rotation of the steady motion of a model: of all that is behind a joint, or of the bodies named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SteadyRotationSpec {
    /// Name.
    pub name: String,
    /// The joint behind which everything turns: side a against side b about its free axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Names of points, bodies, beams, solids and flexible links that turn, in place of `joint`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<String>,
    /// Direction of the axis in the ground, with `bodies`. Default: z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector>,
    /// A place that the axis goes through at the start, with `bodies`. Default: the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<PlaceRef>,
    /// Speed, rad/s; rotations that carry the same body add. `"?"` is an unknown speed that `hold` determines, sought from
    /// 1 rad/s or from what follows the question mark, as in `"?W0"`.
    pub speed: Value,
    /// What has which value where speeds are unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hold: Vec<HoldSpec>,
}

/// A value that a coordinate or an output has in a steady motion whose speeds are unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldSpec {
    /// The coordinate, such as `arm.z`, or the output.
    pub of: String,
    /// Its value, in m or rad, or in the unit of the output.
    pub value: Value,
}

impl SteadyRotationSpec {
    /// Everything behind a joint turns.
    pub fn of_joint(name: impl Into<String>, joint: impl Into<String>, speed: impl Into<Value>) -> Self {
        Self { name: name.into(), joint: Some(joint.into()), speed: speed.into(), ..Self::default() }
    }
    /// Bodies turn about an axis through a place.
    pub fn of_bodies(
        name: impl Into<String>,
        bodies: &[&str],
        axis: impl Into<Vector>,
        through: impl Into<PlaceRef>,
        speed: impl Into<Value>,
    ) -> Self {
        Self {
            name: name.into(),
            joint: None,
            bodies: bodies.iter().map(|b| (*b).to_owned()).collect(),
            axis: Some(axis.into()),
            through: Some(through.into()),
            speed: speed.into(),
            hold: Vec::new(),
        }
    }
    /// The value from which an unknown speed is sought; none where the speed is given.
    pub fn sought_from(&self) -> Option<Value> {
        let Value::Expression(text) = &self.speed else { return None };
        let start = text.trim().strip_prefix('?')?.trim();
        Some(if start.is_empty() { 1.0.into() } else { start.into() })
    }
}
