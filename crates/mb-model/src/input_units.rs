//! Units of the inputs, from the loads that they drive.

use crate::element::{Data, Effort, Element, Traction};
use crate::model::Model;

impl<P: Data> Model<P> {
    /// SI unit of each input; empty for an input that drives nothing, an element from outside, or loads of different units.
    pub fn input_units(&self) -> Vec<&'static str> {
        let mut out: Vec<Option<&'static str>> = vec![None; self.inputs().len()];
        for member in self.members() {
            let unit = match &member.element {
                Element::Force(_) => "N",
                Element::Torque(_) | Element::Moment(_) => "N m",
                Element::Motor(motor) => match motor.effort {
                    Effort::Torque(_) => "N m",
                    Effort::Force(_) => "N",
                },
                Element::FaceLoad(load) => match load.traction {
                    Traction::Pressure => "Pa",
                    Traction::Dead { .. } => "",
                },
                _ => "",
            };
            for input in &member.wires.inputs {
                let known = &mut out[*input];
                *known = Some(if known.is_none_or(|k| k == unit) { unit } else { "" });
            }
        }
        out.into_iter().map(Option::unwrap_or_default).collect()
    }
}
