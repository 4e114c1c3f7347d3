//! Where models come from, and what they are expanded in.

use crate::{MultiIndexSet, ParametricError};
use mb_model::{AnySource, Model, Point};
use std::fmt;

/// One variable of an expansion.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variable {
    /// A named parameter of the model, in its own unit.
    Parameter(String),
    /// A coordinate of the operating point, by the number of its tangent direction; m or rad.
    Coordinate(usize),
    /// A speed of the operating point, by number; m/s or rad/s.
    Speed(usize),
    /// An input, by number.
    Input(usize),
}

impl Variable {
    /// The variable in the words of the model, such as `parameter 'L'` or `speed of crank.angle`.
    pub fn name(&self, model: &Model) -> String {
        let coordinate = |i: &usize| {
            if *i < model.nv() { model.coordinate_name(*i) } else { format!("coordinate {i}") }
        };
        match self {
            Self::Parameter(name) => format!("parameter '{name}'"),
            Self::Coordinate(i) => format!("coordinate {}", coordinate(i)),
            Self::Speed(i) => format!("speed of {}", coordinate(i)),
            Self::Input(i) => match model.inputs().get(*i) {
                Some(name) => format!("input '{name}'"),
                None => format!("input {i}"),
            },
        }
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(name) => write!(f, "parameter '{name}'"),
            Self::Coordinate(i) => write!(f, "coordinate {i}"),
            Self::Speed(i) => write!(f, "speed {i}"),
            Self::Input(i) => write!(f, "input {i}"),
        }
    }
}

/// Checks sizes and names before anything is computed, on a model of the source at any values of the variables.
pub(super) fn check(
    source: &dyn AnySource,
    model: &Model,
    centre: &Point,
    variables: &[Variable],
    set: &MultiIndexSet,
) -> Result<(), ParametricError> {
    if variables.len() != set.parameters() {
        let (expected, found) = (set.parameters(), variables.len());
        return Err(ParametricError::WrongLength { what: "the list of variables", expected, found });
    }
    if let Some(row) = model.velocity_rows().iter().position(|v| *v) {
        return Err(ParametricError::VelocityRows { row: model.row_name(row) });
    }
    let sizes = [
        ("the configuration", centre.q.len(), model.nq()),
        ("the velocities", centre.v.len(), model.nv()),
        ("the accelerations", centre.a.len(), model.nv()),
        ("the multipliers", centre.lambda.len(), model.nc()),
        ("the inputs", centre.u.len(), model.inputs().len()),
    ];
    if let Some((what, found, expected)) = sizes.into_iter().find(|(_, found, expected)| found != expected) {
        return Err(ParametricError::WrongLength { what, expected, found });
    }
    for (k, variable) in variables.iter().enumerate() {
        let known = match variable {
            Variable::Parameter(name) => source.value_of(name)?.is_some(),
            Variable::Coordinate(i) | Variable::Speed(i) => *i < model.nv(),
            Variable::Input(i) => *i < model.inputs().len(),
        };
        if !known {
            return Err(ParametricError::UnknownVariable { variable: variable.to_string() });
        }
        if variables[..k].contains(variable) {
            return Err(ParametricError::RepeatedVariable { variable: variable.name(model) });
        }
    }
    Ok(())
}
