//! The table of a beam in space.

use super::flexible::ElasticDampingSpec;
use super::section::SectionSpec;
use super::value::{PlaceRef, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Finite elements of a beam.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BeamElementSpec {
    /// Three nodes, quadratic, two strain points: the default.
    #[default]
    #[serde(rename = "quadratic")]
    Quadratic,
    /// Two nodes, linear, one strain point.
    #[serde(rename = "linear")]
    Linear,
}

/// How the stretch of a beam is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum AxialStrainSpec {
    /// By the length along the normal of the section: the default.
    #[default]
    #[serde(rename = "exact")]
    Exact,
    /// By half the growth of the squared length.
    #[serde(rename = "green-lagrange")]
    GreenLagrange,
}

/// Whether the sections of a beam stay perpendicular to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ShearSpec {
    /// They shear by the section's shear factors: the default.
    #[default]
    #[serde(rename = "flexible")]
    Flexible,
    /// They stay perpendicular, up to a shear stiffness of a million times 1/h^2 of bending in elements of length h: the
    /// limit of Euler and Bernoulli.
    #[serde(rename = "rigid")]
    Rigid,
}

/// A geometrically exact beam in space, straight or along an arc.
///
/// Its nodes are frames like bodies in space, x along the beam, y and z the axes of its section; they
/// are named `beam.start`, `beam.end`, `beam.node3` (from 1), `beam.marker`, and take all joints, bushings, springs,
/// forces, torques and outputs. An end given by coordinates is a node of its own; an end given as a spatial body, one of its
/// markers, or a node of a beam that stands before is rigidly part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeamSpec {
    /// Name.
    pub name: String,
    /// First end.
    pub from: PlaceRef,
    /// Last end.
    pub to: PlaceRef,
    /// A place that the beam goes through, m: it is an arc of a circle. Default: straight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<[Value; 3]>,
    /// Direction of the section's y-axis at the first end; only its part across the beam counts. Default: near the ground
    /// axis least along the beam.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<[Value; 3]>,
    /// Angle by which the unloaded section turns about the beam from the first end to the last, rad. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twist: Option<Value>,
    /// Number of finite elements, a whole number. Markers between nodes divide elements.
    pub elements: Value,
    /// Finite elements.
    #[serde(default, skip_serializing_if = "is_default")]
    pub element: BeamElementSpec,
    /// How stretch is measured.
    #[serde(default, skip_serializing_if = "is_default")]
    pub axial_strain: AxialStrainSpec,
    /// Whether sections shear.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shear: ShearSpec,
    /// Section.
    pub section: SectionSpec,
    /// Density, kg/m^3.
    pub density: Value,
    /// Young's modulus, Pa.
    pub youngs_modulus: Value,
    /// Poisson's ratio; either it or `shear_modulus` must be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poissons_ratio: Option<Value>,
    /// Shear modulus, Pa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shear_modulus: Option<Value>,
    /// Proportional damping: `alpha` (1/s) of the mass, `beta` (s) of the stiffness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<ElasticDampingSpec>,
    /// Named nodes by their arc length from the first end, m.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub markers: BTreeMap<String, Value>,
}

fn is_default<T: Default + PartialEq>(x: &T) -> bool {
    *x == T::default()
}

impl Default for BeamSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            from: PlaceRef::from(""),
            to: PlaceRef::from(""),
            through: None,
            y: None,
            twist: None,
            elements: Value::default(),
            element: BeamElementSpec::default(),
            axial_strain: AxialStrainSpec::default(),
            shear: ShearSpec::default(),
            section: SectionSpec::default(),
            density: Value::default(),
            youngs_modulus: Value::default(),
            poissons_ratio: None,
            shear_modulus: None,
            damping: None,
            markers: BTreeMap::new(),
        }
    }
}

impl BeamSpec {
    /// A straight beam of `elements` finite elements; density, moduli and section stand in
    /// `BeamSpec { density: .., ..BeamSpec::new(..) }`.
    pub fn new(
        name: impl Into<String>,
        from: impl Into<PlaceRef>,
        to: impl Into<PlaceRef>,
        elements: impl Into<Value>,
    ) -> Self {
        Self {
            name: name.into(),
            from: from.into(),
            to: to.into(),
            elements: elements.into(),
            ..Self::default()
        }
    }
}
