//! Rotations that a model's steady motion is made of.

use crate::configuration_names::Held;
use crate::coordinates::BlockId;
use crate::element::Data;

/// A rotation of the steady motion of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyRotation<P = f64> {
    /// Its name.
    pub name: String,
    /// What turns about which axis.
    pub carries: Carried<P>,
    /// Speed, rad/s; where it is unknown the one from which it is sought.
    pub speed: P,
    /// Whether the speed is unknown.
    pub is_sought: bool,
    /// What has which value where speeds are unknown.
    pub holds: Vec<(Held, P)>,
}

/// What a rotation carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Carried<P = f64> {
    /// Everything behind the joint of this name, side a against side b.
    Joint(String),
    /// The blocks of coordinates given.
    Blocks {
        /// Direction of the axis in the ground, of length one.
        axis: [P; 3],
        /// A place of the axis, m.
        through: [P; 3],
        /// The blocks.
        blocks: Vec<BlockId>,
    },
}

impl<P: Data> SteadyRotation<P> {
    /// Names of the bodies carried as one list, or the joint: for messages.
    pub fn words(&self, names: impl Fn(BlockId) -> String) -> String {
        match &self.carries {
            Carried::Joint(joint) => format!("joint '{joint}'"),
            Carried::Blocks { blocks, .. } => {
                let mut all: Vec<String> = blocks.iter().map(|b| names(*b)).collect();
                all.dedup();
                all.join(", ")
            }
        }
    }
}
