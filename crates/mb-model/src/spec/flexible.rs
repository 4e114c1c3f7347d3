//! The table of a flexible link.

use super::section::SectionSpec;
use super::tables::{is_true, yes};
use super::value::Value;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Proportional damping of the elastic velocities of a flexible link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElasticDampingSpec {
    /// Share of the mass matrix of the elastic coordinates, 1/s. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Value>,
    /// Share of the elastic stiffness matrix, s. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<Value>,
}

/// What ties the frame of a flexible link to it: `"tangent"`, `"chord"`, or a list of the elastic
/// coordinates that are zero, such as `["start.x", "start.y", "node5.y"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReferenceSpec {
    /// The frame is tangent to the link at its first node.
    #[default]
    Tangent,
    /// The frame starts at the first node and its x-axis goes through the last.
    Chord,
    /// These elastic coordinates are zero: a node (`start`, `end`, `node5`), a dot, and `x`, `y`
    /// or `rotation`.
    Conditions(Vec<String>),
}

impl Serialize for ReferenceSpec {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Tangent => s.serialize_str("tangent"),
            Self::Chord => s.serialize_str("chord"),
            Self::Conditions(list) => list.serialize(s),
        }
    }
}

struct ReferenceVisitor;

impl<'de> de::Visitor<'de> for ReferenceVisitor {
    type Value = ReferenceSpec;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"tangent\", \"chord\" or a list such as [\"start.x\", \"start.y\", \"end.y\"]")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<ReferenceSpec, E> {
        match text {
            "tangent" => Ok(ReferenceSpec::Tangent),
            "chord" => Ok(ReferenceSpec::Chord),
            "none" => Ok(ReferenceSpec::Conditions(Vec::new())),
            _ => Err(E::unknown_variant(text, &["tangent", "chord"])),
        }
    }
    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<ReferenceSpec, A::Error> {
        let mut list = Vec::new();
        while let Some(condition) = seq.next_element()? {
            list.push(condition);
        }
        Ok(ReferenceSpec::Conditions(list))
    }
}

impl<'de> Deserialize<'de> for ReferenceSpec {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(ReferenceVisitor)
    }
}

impl JsonSchema for ReferenceSpec {
    fn schema_name() -> Cow<'static, str> {
        "Reference".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The frame's ties: \"tangent\", \"chord\", or elastic coordinates that are zero, such as [\"start.x\", \"start.y\", \"end.y\"].",
            "anyOf": [
                { "enum": ["tangent", "chord"] },
                { "type": "array", "items": { "type": "string" } }
            ]
        })
    }
}

/// A slender elastic link in the plane, in a floating frame of reference: coordinates x, y,
/// angle of the frame and three elastic ones for each node.
///
/// Places on it: `link` (the origin of the frame), `link.start`, `link.end`, `link.node3`
/// (nodes count from 1), and `link.marker` at any arc length. Angles as well: that of the frame,
/// and those of the sections there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlexibleLinkSpec {
    /// Name.
    pub name: String,
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
    /// True (the default) when the axial force acts on the bending stiffness: tension stiffens,
    /// compression softens and buckles. False for the linear theory without it.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub geometric_stiffness: bool,
    /// What ties the frame to the link. Default: tangent.
    #[serde(default, skip_serializing_if = "is_tangent")]
    pub reference: ReferenceSpec,
    /// Damping of the elastic velocities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<ElasticDampingSpec>,
    /// Position of the frame at the start, m. Without it the joints place the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[Value; 2]>,
    /// Angle of the frame at the start, rad; write `"deg(30)"` for degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Value>,
    /// Named places by their arc length from the start, m.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub markers: BTreeMap<String, Value>,
}

fn is_tangent(reference: &ReferenceSpec) -> bool {
    *reference == ReferenceSpec::Tangent
}

impl Default for FlexibleLinkSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            length: Value::default(),
            elements: Value::default(),
            density: Value::default(),
            youngs_modulus: Value::default(),
            section: SectionSpec::default(),
            geometric_stiffness: true,
            reference: ReferenceSpec::Tangent,
            damping: None,
            at: None,
            angle: None,
            markers: BTreeMap::new(),
        }
    }
}

impl FlexibleLinkSpec {
    /// A link of `length` with `elements` finite elements; density, modulus and section stand
    /// in `FlexibleLinkSpec { density: .., ..FlexibleLinkSpec::new(..) }`.
    pub fn new(name: impl Into<String>, length: impl Into<Value>, elements: impl Into<Value>) -> Self {
        Self { name: name.into(), length: length.into(), elements: elements.into(), ..Self::default() }
    }
    /// Sets position and angle of the frame at the start.
    #[must_use]
    pub fn starting(mut self, at: impl Into<super::Pair>, angle: impl Into<Value>) -> Self {
        self.at = Some(at.into().0);
        self.angle = Some(angle.into());
        self
    }
}
