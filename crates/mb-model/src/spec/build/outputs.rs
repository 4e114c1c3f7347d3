//! Outputs.

use super::expand::{Entries, Entry, Head};
use super::joints::no_from;
use super::{Builder, Outcome};
use crate::coordinates::BlockKind;
use crate::element::Data;
use crate::model::Wiring;
use crate::sensor::{Component, EnergyKind, Quantity, Reaction, ReactionAxes, Reading};
use crate::spec::{Fault, OutputQuantity, OutputSpec, PlaceRef, QuantitySpec, ReactionFrame};
use std::collections::HashMap;

/// What outputs can ask of constraints, by owner.
#[derive(Default)]
pub(super) struct Rows {
    /// Index and axis of each row.
    rows: HashMap<String, Vec<(usize, String)>>,
    reactions: HashMap<String, Reaction>,
}

impl<P: Data> Builder<P> {
    /// The constraint rows of all members, when an output asks for one.
    pub(super) fn rows_by_owner(&self, entries: &Entries<'_>) -> Rows {
        let mut out = Rows::default();
        let asks = |q: &[OutputQuantity]| entries.outputs.iter().any(|e| q.contains(&e.spec.quantity));
        if asks(&[OutputQuantity::Multiplier, OutputQuantity::Violation]) {
            for m in self.model.members() {
                let of = out.rows.entry(m.owner.clone()).or_default();
                // Terms of a sum have rows in common.
                let new = (0..m.rows).filter(|i| of.last().is_none_or(|(row, _)| m.row + i > *row));
                of.extend(new.map(|i| (m.row + i, m.element.row_axis(i))).collect::<Vec<_>>());
            }
        }
        if asks(&[OutputQuantity::Force, OutputQuantity::Moment]) {
            out.reactions = self.model.reactions().into_iter().map(|r| (r.owner.clone(), r)).collect();
        }
        out
    }
    pub(super) fn output(&mut self, e: &Entry<'_, OutputSpec>, rows: &Rows) -> Outcome<()> {
        let spec = e.spec;
        let mut wiring = Wiring::default();
        let reaction = matches!(spec.quantity, OutputQuantity::Force | OutputQuantity::Moment);
        let row = matches!(spec.quantity, OutputQuantity::Multiplier | OutputQuantity::Violation);
        if !row && !reaction && spec.axis.is_some() {
            let kind = "an output that is no multiplier, violation, force or moment".to_owned();
            return Err(e.problem("axis", Fault::KeyNotFor { key: "axis", kind }));
        }
        if !reaction && spec.frame != ReactionFrame::Ground {
            let kind = "an output that is no force or moment".to_owned();
            return Err(e.problem("frame", Fault::KeyNotFor { key: "frame", kind }));
        }
        if (row || reaction || spec.quantity.is_energy()) && spec.derivative != 0 {
            let kind = "a multiplier, violation, force, moment or energy".to_owned();
            return Err(e.problem("derivative", Fault::KeyNotFor { key: "derivative", kind }));
        }
        if spec.quantity.is_energy() && !spec.of.is_empty() {
            return Err(e.problem("of", Fault::KeyNotFor { key: "of", kind: "an energy".to_owned() }));
        }
        if !spec.quantity.is_energy() && spec.of.is_empty() {
            return Err(e.problem("", Fault::KeyNeeded { key: "of", kind: "this output".to_owned() }));
        }
        let quantity = match spec.quantity {
            OutputQuantity::Multiplier => {
                return self.row_sensor(e, rows, "a multiplier", Reading::Multiplier);
            }
            OutputQuantity::Violation => return self.row_sensor(e, rows, "a violation", Reading::Violation),
            OutputQuantity::Force | OutputQuantity::Moment => return self.reaction_sensor(e, rows),
            OutputQuantity::KineticEnergy => return self.energy(e, EnergyKind::Kinetic),
            OutputQuantity::PotentialEnergy => return self.energy(e, EnergyKind::Potential),
            OutputQuantity::Energy => return self.energy(e, EnergyKind::Total),
            OutputQuantity::X => QuantitySpec::X,
            OutputQuantity::Y => QuantitySpec::Y,
            OutputQuantity::Z => QuantitySpec::Z,
            OutputQuantity::Displacement => QuantitySpec::Displacement,
            OutputQuantity::Angle => QuantitySpec::Angle,
            OutputQuantity::Distance => QuantitySpec::Distance,
        };
        let Some((quantity, constant)) =
            self.quantity(e, quantity, &spec.of, spec.from.as_ref(), &mut wiring)?
        else {
            return Ok(());
        };
        if constant != P::zero() {
            return Err(e.problem("", Fault::TurnedGround { angle: constant.value() }));
        }
        let reading = match spec.derivative {
            0 => Reading::Value(quantity),
            1 => Reading::Rate(quantity),
            2 => Reading::Acceleration(quantity),
            found => return Err(e.problem("derivative", Fault::Derivative { found })),
        };
        self.model.add_sensor(e.name.clone(), reading, wiring.into_blocks());
        Ok(())
    }
    /// A quantity of the configuration, and the constant that it leaves out; none where what it is of is faulty.
    pub(super) fn quantity(
        &self,
        e: &Head,
        quantity: QuantitySpec,
        of: &str,
        from: Option<&PlaceRef>,
        wiring: &mut Wiring,
    ) -> Outcome<Option<(Quantity<P>, P)>> {
        let found = match quantity {
            QuantitySpec::X | QuantitySpec::Y | QuantitySpec::Z => {
                no_from(e, from, "a coordinate")?;
                let axis = match quantity {
                    QuantitySpec::Y => 1,
                    QuantitySpec::Z => 2,
                    _ => 0,
                };
                let name = self.filled(e, "of", of)?;
                match self.erls_node(&name).transpose().map_err(|f| e.problem("of", f))? {
                    Some(node) if axis < 2 => match self.erls_place(wiring, node) {
                        Some(place) => Quantity::Node { place, axis },
                        None => return Ok(None),
                    },
                    Some(_) => return Err(e.problem("of", Fault::NothingMoves)),
                    None => Quantity::Coordinate { place: self.moving_place(e, of, wiring)?, axis },
                }
            }
            QuantitySpec::Displacement => {
                no_from(e, from, "a displacement")?;
                Quantity::Displacement(self.slide(e, "of", of, wiring)?)
            }
            QuantitySpec::Angle if self.is_link(e, "of", of)? => {
                no_from(e, from, "the angle of a joint")?;
                Quantity::Rotation(self.hinge(e, "of", of, wiring)?)
            }
            QuantitySpec::Angle => {
                let (a, b, constant) = self.angle_pair(e, of, from, wiring)?;
                return Ok(Some((Quantity::Angle { a, b }, constant)));
            }
            QuantitySpec::Distance => {
                let (a, b) = self.place_pair(e, of, from, wiring)?;
                Quantity::Distance { a, b }
            }
        };
        Ok(Some((found, P::zero())))
    }
    fn energy(&mut self, e: &Entry<'_, OutputSpec>, kind: EnergyKind) -> Outcome<()> {
        no_from(e, e.spec.from.as_ref(), "an energy")?;
        self.model.add_sensor(e.name.clone(), Reading::Energy(kind), Vec::new());
        Ok(())
    }
    /// The owner that an output of a constraint names.
    fn constraint_owner(&self, e: &Entry<'_, OutputSpec>, kind: &str) -> Outcome<String> {
        no_from(e, e.spec.from.as_ref(), kind)?;
        let name = self.filled(e, "of", &e.spec.of)?;
        let Some(named) = self.names.get(&name) else {
            let tables = ["joint", "rod", "angle", "coupling", "drive"];
            return Err(e.problem("of", self.unknown(&name, &tables, "joint, rod, angle, coupling or drive")));
        };
        Ok(format!("{} '{name}'", named.table))
    }
    fn row_sensor(
        &mut self,
        e: &Entry<'_, OutputSpec>,
        rows: &Rows,
        kind: &str,
        reading: fn(usize) -> Reading<P>,
    ) -> Outcome<()> {
        let owner = self.constraint_owner(e, kind)?;
        let Some(of) = rows.rows.get(&owner).filter(|of| !of.is_empty()) else {
            return Err(e.problem("of", Fault::NoRows { owner }));
        };
        let valid = || of.iter().map(|(_, a)| a.clone()).collect();
        let row = match (&e.spec.axis, of.as_slice()) {
            (None, [(row, _)]) => *row,
            (None, _) => return Err(e.problem("", Fault::SeveralRows { owner, valid: valid() })),
            (Some(axis), rows) => {
                let unknown = || Fault::UnknownRow { owner, axis: axis.clone(), valid: valid() };
                let found = rows.iter().find(|(_, a)| a == axis).map(|(row, _)| *row);
                found.ok_or_else(|| e.problem("axis", unknown()))?
            }
        };
        self.model.add_sensor(e.name.clone(), reading(row), Vec::new());
        Ok(())
    }
    fn reaction_sensor(&mut self, e: &Entry<'_, OutputSpec>, rows: &Rows) -> Outcome<()> {
        let moment = e.spec.quantity == OutputQuantity::Moment;
        let owner = self.constraint_owner(e, if moment { "a moment" } else { "a force" })?;
        let Some(reaction) = rows.reactions.get(&owner) else {
            return Err(e.problem("of", Fault::NoReaction { owner }));
        };
        let kind = self.model.coordinates().block(reaction.body).kind;
        let axes: &[&str] = match (kind, moment) {
            (BlockKind::Pose, _) | (BlockKind::SpatialPoint, false) => &["x", "y", "z"],
            (BlockKind::PlanarPoint | BlockKind::SpatialPoint, true) => {
                return Err(e.problem("of", Fault::NoReaction { owner }));
            }
            (_, true) => &["z"],
            (_, false) => &["x", "y"],
        };
        let axis = match (&e.spec.axis, axes) {
            (None, [_]) => "z",
            (None, _) => {
                let kind = if moment { "a moment" } else { "a force" }.to_owned();
                return Err(e.problem("", Fault::KeyNeeded { key: "axis", kind }));
            }
            (Some(axis), _) => {
                let unknown = || Fault::UnknownComponent {
                    owner,
                    axis: axis.clone(),
                    valid: axes.iter().map(|a| (*a).to_owned()).collect(),
                };
                axes.iter().find(|a| *a == axis).ok_or_else(|| e.problem("axis", unknown()))?
            }
        };
        let axes = match e.spec.frame {
            ReactionFrame::Ground => ReactionAxes::Ground,
            ReactionFrame::Joint => ReactionAxes::Joint,
        };
        let axis = ["x", "y", "z"].iter().position(|a| *a == axis).unwrap_or(0);
        let component = Component { reaction: reaction.clone(), moment, axis, axes };
        self.model.add_reaction_sensor(e.name.clone(), component);
        Ok(())
    }
}
