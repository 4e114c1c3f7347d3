//! Tables of solids and of loads on their faces.

use super::flexible::ElasticDampingSpec;
use super::spatial::OrientationSpec;
use super::value::{Value, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A block of equal elements from the origin of the solid's axes.
///
/// Nodes are numbered from 1, x first, then y, then z. Its faces are the sets `x-`, `x+`, `y-`, `y+`, `z-`, `z+`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockSpec {
    /// Lengths along x, y and z, m.
    pub size: [Value; 3],
    /// Numbers of elements along x, y and z.
    pub elements: [Value; 3],
}

/// Finite elements of a solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SolidElementSpec {
    /// Hexahedra with enhanced strain, free of locking: the default.
    #[default]
    #[serde(rename = "enhanced")]
    Enhanced,
    /// Hexahedra of displacements alone: stiff in bending.
    #[serde(rename = "full")]
    Full,
}

/// How the mass of a solid is spread over its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SolidMassSpec {
    /// By the shape functions: the default.
    #[default]
    #[serde(rename = "consistent")]
    Consistent,
    /// On the diagonal.
    #[serde(rename = "lumped")]
    Lumped,
}

/// An axis of the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AxisSpec {
    /// x.
    X,
    /// y.
    Y,
    /// z.
    Z,
}

/// A solid of 8-node hexahedra for large displacements: a `block`, or a `mesh` from a file next to the model file.
///
/// Its places are its nodes (`block.node12`), and the node sets that are rigid or averaged (`block.z+`). The material is
/// that of St. Venant and Kirchhoff: strains should stay small.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolidSpec {
    /// Name.
    pub name: String,
    /// A block of equal elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockSpec>,
    /// Name of a mesh file, as seen from the model file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// What the lengths of the mesh file are multiplied by to be in m. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Value>,
    /// Origin of the solid's axes, m. Default: that of the ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[Value; 3]>,
    /// Orientation of the solid's axes. Default: along the ground axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<OrientationSpec>,
    /// Density, kg/m^3.
    pub density: Value,
    /// Young's modulus, Pa.
    pub youngs_modulus: Value,
    /// Poisson's ratio, above -1 and below 1/2.
    pub poissons_ratio: Value,
    /// Finite elements.
    #[serde(default, skip_serializing_if = "is_default")]
    pub element: SolidElementSpec,
    /// How mass is spread.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mass: SolidMassSpec,
    /// Proportional damping.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<ElasticDampingSpec>,
    /// Node sets, or nodes such as `node12`, that are held where they are: three rows a node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<String>,
    /// Node sets or nodes that are held along some axes of the ground.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub held: BTreeMap<String, Vec<AxisSpec>>,
    /// Node sets that move as rigid bodies, so that joints, torques and beams can take hold of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rigid: Vec<String>,
    /// Node sets followed in the mean by a frame that joints, torques and beams can take hold of; they stay free to
    /// deform.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub averaged: Vec<String>,
}

/// A load on the outer faces of a solid between the nodes of a set: one of `force`, `traction`, `pressure`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SurfaceLoadSpec {
    /// Name.
    pub name: String,
    /// A node set of a solid, such as `block.z+`.
    pub on: String,
    /// Total force [x, y, z] in the ground, N, spread evenly over the unstressed area; its direction stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<Vector>,
    /// Force per unstressed area [x, y, z] in the ground, Pa; its direction stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traction: Option<Vector>,
    /// Pressure against the faces, Pa, which follows them; may be a function of time t.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<Value>,
    /// What `force` or `traction` is multiplied by; may be a function of time t. Default: 1, or 0 with an input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<Value>,
    /// Name of an input that adds to the factor, or to the pressure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

fn is_default<T: Default + PartialEq>(x: &T) -> bool {
    *x == T::default()
}
