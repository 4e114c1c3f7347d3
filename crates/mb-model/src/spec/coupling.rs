//! The table of a coupling: gears, racks, belts, screws, differentials, ropes.

use super::tables::QuantitySpec;
use super::value::{PlaceRef, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A coupling: the sum of quantities, each times its factor, keeps the value that it has at the start.
///
/// Two gears that mesh: the angles with their numbers of teeth as factors, of one sign outside, of opposite signs where one
/// gear is inside the other. A rack: the angle with the radius of the pinion, the displacement with -1. A belt that does not
/// slip: the angles with the radii of the pulleys, one of them negative. A screw: the angle with the lead by 2 pi, the
/// displacement with -1. A rope over pulleys: distances with the factor 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CouplingSpec {
    /// Name.
    pub name: String,
    /// The quantities, two or more.
    pub terms: Vec<CouplingTermSpec>,
}

/// A quantity of a coupling.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CouplingTermSpec {
    /// What is coupled.
    pub quantity: QuantitySpec,
    /// A place; for an angle, a body, an angle or a joint in space; for a displacement, a joint
    /// in space.
    pub of: String,
    /// The other place (distance), or what the angle is measured from. Default: ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PlaceRef>,
    /// The factor, such that all products have one unit. The factors of rotations of joints in space stand in ratios of whole
    /// numbers.
    pub factor: Value,
}
