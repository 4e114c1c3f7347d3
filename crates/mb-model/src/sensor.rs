//! Sensors: named outputs of a model.
//!
//! A sensor reads a quantity of the configuration, or its first or second time derivative
//! along the motion, a multiplier, a component of a joint's reaction, an energy or the violation
//! of a constraint row. The derivatives come from the quantity itself.

use crate::coordinates::BlockId;
pub use crate::element::Quantity;

/// The reaction of a joint or rod on the body of its place a, at that place.
///
/// Made by [`crate::Model::reactions`].
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction {
    /// Whose it is, such as `joint 'elbow'`.
    pub owner: String,
    /// The members whose rows make it.
    pub(crate) members: Vec<usize>,
    /// The one of them that has the places a and b.
    pub(crate) held: usize,
    /// The block whose body it is read off: a's, or b's where a does not move.
    pub(crate) body: BlockId,
    /// True when `body` is b's: the reaction on a is the opposite.
    pub(crate) turned_around: bool,
}

/// The axes that the components of a reaction are taken along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReactionAxes {
    /// The ground's.
    #[default]
    Ground,
    /// The axes of the joint: its frame on b in space; in the plane x along the line of a prismatic or
    /// point-on-line joint, else the axes of b's body. Of a rod or distance, x is the line from a
    /// to b.
    Joint,
}

/// A component of a joint's reaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The reaction.
    pub reaction: Reaction,
    /// True for the moment about the place a in N m, false for the force in N.
    pub moment: bool,
    /// 0 for x, 1 for y, 2 for z.
    pub axis: usize,
    /// Along whose axes.
    pub axes: ReactionAxes,
}

/// Energies of the whole model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnergyKind {
    /// v^T M v / 2.
    Kinetic,
    /// Weight and springs.
    Potential,
    /// Their sum.
    Total,
}

/// What a sensor reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading<P = f64> {
    /// A quantity.
    Value(Quantity<P>),
    /// Its first time derivative.
    Rate(Quantity<P>),
    /// Its second time derivative.
    Acceleration(Quantity<P>),
    /// The multiplier of this constraint row.
    Multiplier(usize),
    /// A component of a joint's reaction.
    Reaction(Box<Component>),
    /// An energy of the whole model, J.
    Energy(EnergyKind),
    /// Phi of this constraint row, in the unit of the row.
    Violation(usize),
}

impl<P> Reading<P> {
    /// Unit; empty for multipliers and violations, whose units depend on the row (a row that
    /// holds lengths squared has a multiplier in N/m).
    pub fn unit(&self) -> &'static str {
        let rate = |q: &Quantity<P>, length: &'static str, angle: &'static str| {
            if q.unit() == "m" { length } else { angle }
        };
        match self {
            Self::Value(q) => q.unit(),
            Self::Rate(q) => rate(q, "m/s", "rad/s"),
            Self::Acceleration(q) => rate(q, "m/s^2", "rad/s^2"),
            Self::Reaction(c) if c.moment => "N m",
            Self::Reaction(_) => "N",
            Self::Energy(_) => "J",
            Self::Multiplier(_) | Self::Violation(_) => "",
        }
    }
}
