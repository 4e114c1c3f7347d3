//! The table of an equivalent rigid link.

use super::flexible::ElasticDampingSpec;
use super::section::SectionSpec;
use super::value::{PlaceRef, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A slender elastic link in the plane whose displacements count from an ideal rigid mechanism (equivalent rigid-link
/// system): an absolute angle, and three numbers in ground axes for each node beyond its base.
///
/// Places on it, for revolute joints and for outputs: `link.end` and `link.node3` (nodes count from 1, the base). Angles:
/// `link` is that of the rigid link, `link.end` that of the section there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErlsLinkSpec {
    /// Name.
    pub name: String,
    /// What carries its base: a point `[x, y]` of the ground, or the name of the link whose end does.
    pub base: PlaceRef,
    /// Length, m.
    pub length: Value,
    /// Number of finite elements, a whole number.
    pub elements: Value,
    /// Density, kg/m^3.
    pub density: Value,
    /// Young's modulus, Pa.
    pub youngs_modulus: Value,
    /// Section.
    pub section: SectionSpec,
    /// Damping of the elastic velocities; `alpha` acts on the payload too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<ElasticDampingSpec>,
    /// Mass at its end, kg. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    /// True where a loop gives the angle of the rigid link: its base then turns elastically against it. In a loop all links
    /// are passive but the driven ones. Default: false; a link outside of loops turns freely by its angle.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passive: bool,
    /// Absolute angle at the start, rad; write `"deg(30)"` for degrees. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Value>,
}
