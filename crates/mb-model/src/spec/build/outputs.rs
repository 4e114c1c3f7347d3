//! Outputs.

use super::expand::{Entries, Entry};
use super::joints::no_from;
use super::{Builder, Outcome};
use crate::element::Data;
use crate::model::Wiring;
use crate::sensor::{Quantity, Reading};
use crate::spec::{Fault, OutputQuantity, OutputSpec};
use std::collections::HashMap;

/// Constraint rows by owner: index and axis of each.
pub(super) type Rows = HashMap<String, Vec<(usize, String)>>;

impl<P: Data> Builder<P> {
    /// The constraint rows of all members, when an output asks for one.
    pub(super) fn rows_by_owner(&self, entries: &Entries<'_>) -> Rows {
        let mut rows = Rows::new();
        if !entries.outputs.iter().any(|e| e.spec.quantity == OutputQuantity::Multiplier) {
            return rows;
        }
        for m in self.model.members() {
            let of = rows.entry(m.owner.clone()).or_default();
            of.extend((0..m.rows).map(|i| (m.row + i, m.element.row_axis(i))));
        }
        rows
    }
    pub(super) fn output(&mut self, e: &Entry<'_, OutputSpec>, rows: &Rows) -> Outcome<()> {
        let spec = e.spec;
        let mut wiring = Wiring::default();
        if spec.quantity != OutputQuantity::Multiplier && spec.axis.is_some() {
            let kind = "an output that is no multiplier".to_owned();
            return Err(e.problem("axis", Fault::KeyNotFor { key: "axis", kind }));
        }
        let quantity = match spec.quantity {
            OutputQuantity::Multiplier => return self.multiplier(e, rows),
            OutputQuantity::X | OutputQuantity::Y | OutputQuantity::Z => {
                no_from(e, spec.from.as_ref(), "a coordinate")?;
                let axis = match spec.quantity {
                    OutputQuantity::Y => 1,
                    OutputQuantity::Z => 2,
                    _ => 0,
                };
                let place = self.moving_place(e, &spec.of, &mut wiring)?;
                Quantity::Coordinate { place, axis }
            }
            OutputQuantity::Displacement => {
                no_from(e, spec.from.as_ref(), "a displacement")?;
                Quantity::Displacement(self.slide(e, "of", &spec.of, &mut wiring)?)
            }
            OutputQuantity::Angle if self.is_link(e, "of", &spec.of)? => {
                no_from(e, spec.from.as_ref(), "the angle of a joint")?;
                Quantity::Rotation(self.hinge(e, "of", &spec.of, &mut wiring)?)
            }
            OutputQuantity::Angle => {
                let (a, b, constant) = self.angle_pair(e, &spec.of, spec.from.as_ref(), &mut wiring)?;
                if constant != P::zero() {
                    return Err(e.problem("", Fault::TurnedGround { angle: constant.value() }));
                }
                Quantity::Angle { a, b }
            }
            OutputQuantity::Distance => {
                let (a, b) = self.place_pair(e, &spec.of, spec.from.as_ref(), &mut wiring)?;
                Quantity::Distance { a, b }
            }
        };
        let reading = match spec.derivative {
            0 => Reading::Value(quantity),
            1 => Reading::Rate(quantity),
            2 => Reading::Acceleration(quantity),
            found => return Err(e.problem("derivative", Fault::Derivative { found })),
        };
        self.model.add_sensor(e.name.clone(), reading, wiring.into_blocks());
        Ok(())
    }
    fn multiplier(&mut self, e: &Entry<'_, OutputSpec>, rows: &Rows) -> Outcome<()> {
        no_from(e, e.spec.from.as_ref(), "a multiplier")?;
        if e.spec.derivative != 0 {
            let kind = "a multiplier".to_owned();
            return Err(e.problem("derivative", Fault::KeyNotFor { key: "derivative", kind }));
        }
        let name = self.filled(e, "of", &e.spec.of)?;
        let Some(named) = self.names.get(&name) else {
            let tables = ["joint", "rod", "angle", "drive"];
            return Err(e.problem("of", self.unknown(&name, &tables, "joint, rod, angle or drive")));
        };
        let owner = format!("{} '{name}'", named.table);
        let Some(of) = rows.get(&owner).filter(|of| !of.is_empty()) else {
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
        self.model.add_sensor(e.name.clone(), Reading::Multiplier(row), Vec::new());
        Ok(())
    }
}
