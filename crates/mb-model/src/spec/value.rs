//! Values of a model file: a number, or an expression wherever a number stands.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt;

/// A number or an expression of parameters, such as `"L/2"` or `"-0.5*m*g"`.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// The text of an expression; see [`crate::spec::expression`].
    Expression(String),
}

impl Default for Value {
    fn default() -> Self {
        Self::Number(0.0)
    }
}
impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}
impl From<i32> for Value {
    fn from(x: i32) -> Self {
        Self::Number(f64::from(x))
    }
}
impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Expression(text.to_owned())
    }
}
impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Expression(text)
    }
}
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(x) => write!(f, "{x}"),
            Self::Expression(text) => f.write_str(text),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(x) => s.serialize_f64(*x),
            Self::Expression(text) => s.serialize_str(text),
        }
    }
}

struct ValueVisitor;

impl de::Visitor<'_> for ValueVisitor {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or an expression in quotes")
    }
    fn visit_f64<E>(self, x: f64) -> Result<Value, E> {
        Ok(Value::Number(x))
    }
    fn visit_i64<E>(self, x: i64) -> Result<Value, E> {
        Ok(Value::Number(x as f64))
    }
    fn visit_u64<E>(self, x: u64) -> Result<Value, E> {
        Ok(Value::Number(x as f64))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(ValueVisitor)
    }
}

impl schemars::JsonSchema for Value {
    fn inline_schema() -> bool {
        false
    }
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number, or an expression of parameters in quotes: \"L/2\", \"sqrt(2)\", \"deg(30)\".",
            "type": ["number", "string"]
        })
    }
}

/// A vector in the plane (z = 0) or in space.
#[derive(Clone, Debug, PartialEq)]
pub enum Vector {
    /// Two components, x and y.
    Plane([Value; 2]),
    /// Three components.
    Space([Value; 3]),
}

impl Vector {
    /// The components x, y, z.
    pub fn components(&self) -> [Value; 3] {
        match self {
            Self::Plane([x, y]) => [x.clone(), y.clone(), Value::default()],
            Self::Space(v) => v.clone(),
        }
    }
}
impl<V: Into<Value>> From<[V; 2]> for Vector {
    fn from(v: [V; 2]) -> Self {
        Self::Plane(v.map(Into::into))
    }
}
impl<V: Into<Value>> From<[V; 3]> for Vector {
    fn from(v: [V; 3]) -> Self {
        Self::Space(v.map(Into::into))
    }
}
impl<X: Into<Value>, Y: Into<Value>> From<(X, Y)> for Vector {
    fn from((x, y): (X, Y)) -> Self {
        Self::Plane([x.into(), y.into()])
    }
}
impl From<super::Pair> for Vector {
    fn from(pair: super::Pair) -> Self {
        Self::Plane(pair.0)
    }
}
impl Serialize for Vector {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plane(v) => v.serialize(s),
            Self::Space(v) => v.serialize(s),
        }
    }
}

/// What a list of components must be, in words.
pub(super) const COMPONENTS: &str = "two components [x, y] or three [x, y, z]";

struct VectorVisitor;

impl<'de> de::Visitor<'de> for VectorVisitor {
    type Value = Vector;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(COMPONENTS)
    }
    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Vector, A::Error> {
        let mut found: Vec<Value> = Vec::new();
        while let Some(x) = seq.next_element()? {
            found.push(x);
        }
        match <[Value; 2]>::try_from(found) {
            Ok(pair) => Ok(Vector::Plane(pair)),
            Err(found) => <[Value; 3]>::try_from(found)
                .map(Vector::Space)
                .map_err(|found| de::Error::invalid_length(found.len(), &COMPONENTS)),
        }
    }
}

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_seq(VectorVisitor)
    }
}

impl schemars::JsonSchema for Vector {
    fn schema_name() -> Cow<'static, str> {
        "Vector".into()
    }
    fn json_schema(g: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let item = g.subschema_for::<Value>();
        schemars::json_schema!({
            "description": "Components [x, y] in the plane or [x, y, z] in space.",
            "type": "array", "items": item, "minItems": 2, "maxItems": 3
        })
    }
}

/// A place of the model: the name of a point, a body (its reference point) or `body.marker`;
/// `ground`, where a joint has it; or coordinates in the ground.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaceRef {
    /// `point`, `body`, `body.marker` or `ground`.
    Name(String),
    /// Coordinates x, y in the ground, m; z is zero.
    Ground([Value; 2]),
    /// Coordinates x, y, z in the ground, m.
    Space([Value; 3]),
}

impl Default for PlaceRef {
    fn default() -> Self {
        Self::Name("ground".to_owned())
    }
}
impl From<&str> for PlaceRef {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}
impl From<String> for PlaceRef {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}
impl<V: Into<Value>> From<[V; 2]> for PlaceRef {
    fn from(at: [V; 2]) -> Self {
        Self::Ground(at.map(Into::into))
    }
}
impl<V: Into<Value>> From<[V; 3]> for PlaceRef {
    fn from(at: [V; 3]) -> Self {
        Self::Space(at.map(Into::into))
    }
}

impl Serialize for PlaceRef {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => s.serialize_str(name),
            Self::Ground(at) => at.serialize(s),
            Self::Space(at) => at.serialize(s),
        }
    }
}

struct PlaceVisitor;

impl<'de> de::Visitor<'de> for PlaceVisitor {
    type Value = PlaceRef;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a place such as \"A\" or \"body.marker\", or coordinates such as [x, y]")
    }
    fn visit_str<E>(self, name: &str) -> Result<PlaceRef, E> {
        Ok(PlaceRef::from(name))
    }
    fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<PlaceRef, A::Error> {
        VectorVisitor.visit_seq(seq).map(|v| match v {
            Vector::Plane(at) => PlaceRef::Ground(at),
            Vector::Space(at) => PlaceRef::Space(at),
        })
    }
}

impl<'de> Deserialize<'de> for PlaceRef {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(PlaceVisitor)
    }
}

impl schemars::JsonSchema for PlaceRef {
    fn schema_name() -> Cow<'static, str> {
        "Place".into()
    }
    fn json_schema(g: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let at = g.subschema_for::<Vector>();
        schemars::json_schema!({
            "description": "A point, a body, `body.marker`, `ground`, or coordinates [x, y] or [x, y, z] in the ground.",
            "anyOf": [{ "type": "string" }, at]
        })
    }
}
