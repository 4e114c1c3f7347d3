//! What a name means: parameters, coordinates, speeds, inputs.

use crate::names;
use mb_model::spec::{ModelSpec, nearest};
use mb_model::{Model, Point};
use mb_parametric::Variable;

/// Prefixes that say what kind of quantity a name is.
const PARAMETER: &str = "parameter:";
const COORDINATE: &str = "coordinate:";
const SPEED: &str = "speed:";
const ACCELERATION: &str = "acceleration:";
const INPUT: &str = "input:";

/// Something that can be given a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// What polynomials can be made in.
    Variable(Variable),
    /// An acceleration of the motion, by coordinate number.
    Acceleration(usize),
}

/// A name that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVariable {
    /// The name.
    pub name: String,
    /// The one that may have been meant.
    pub nearest: Option<String>,
    /// The names there are.
    pub known: Vec<String>,
}

/// The quantity of a name: with a prefix what it says, else the parameter, coordinate or input of that name.
///
/// # Errors
/// [`UnknownVariable`] with the nearest name.
pub fn quantity(spec: &ModelSpec, model: &Model, name: &str) -> Result<Quantity, UnknownVariable> {
    let coordinates = model.coordinates().names();
    let coordinate = |name: &str| coordinates.iter().position(|n| n == name);
    let input = |name: &str| model.inputs().iter().position(|n| n == name);
    let parameter = |name: &str| spec.parameters.contains_key(name).then(|| name.to_owned());
    let known: [(&str, Vec<String>); 3] = [
        (PARAMETER, spec.parameters.keys().cloned().collect()),
        (COORDINATE, coordinates.clone()),
        (INPUT, model.inputs().to_vec()),
    ];
    let prefixed = [PARAMETER, COORDINATE, SPEED, ACCELERATION, INPUT]
        .into_iter()
        .find_map(|prefix| name.strip_prefix(prefix).map(|rest| (prefix, rest.trim())));
    let found = match prefixed {
        Some((PARAMETER, rest)) => parameter(rest).map(Variable::Parameter),
        Some((COORDINATE, rest)) => coordinate(rest).map(Variable::Coordinate),
        Some((SPEED, rest)) => coordinate(rest).map(Variable::Speed),
        Some((INPUT, rest)) => input(rest).map(Variable::Input),
        Some((_, rest)) => {
            if let Some(i) = coordinate(rest) {
                return Ok(Quantity::Acceleration(i));
            }
            None
        }
        None => parameter(name)
            .map(Variable::Parameter)
            .or_else(|| coordinate(name).map(Variable::Coordinate))
            .or_else(|| input(name).map(Variable::Input)),
    };
    found.map(Quantity::Variable).ok_or_else(|| {
        let (prefix, rest) = prefixed.unwrap_or(("", name));
        let fits = |kind: &str| match prefix {
            "" => true,
            SPEED | ACCELERATION => kind == COORDINATE,
            _ => kind == prefix,
        };
        let list: Vec<String> =
            known.iter().filter(|(kind, _)| fits(kind)).flat_map(|k| k.1.clone()).collect();
        let nearest = nearest(rest, list.iter().map(String::as_str)).map(|n| format!("{prefix}{n}"));
        UnknownVariable { name: name.to_owned(), nearest, known: list }
    })
}

/// The shortest name that [`quantity`] reads back.
pub fn label(spec: &ModelSpec, model: &Model, variable: &Variable) -> String {
    let (prefix, name) = match variable {
        Variable::Parameter(name) => (PARAMETER, name.clone()),
        Variable::Coordinate(i) => (COORDINATE, model.coordinate_name(*i)),
        Variable::Speed(i) => return format!("{SPEED}{}", model.coordinate_name(*i)),
        Variable::Input(i) => (INPUT, model.inputs().get(*i).cloned().unwrap_or_default()),
    };
    match quantity(spec, model, &name) {
        Ok(Quantity::Variable(found)) if found == *variable => name,
        _ => format!("{prefix}{name}"),
    }
}

/// `parameter`, `coordinate`, `speed` or `input`.
pub fn kind(variable: &Variable) -> &'static str {
    match variable {
        Variable::Parameter(_) => "parameter",
        Variable::Coordinate(_) => "coordinate",
        Variable::Speed(_) => "speed",
        Variable::Input(_) => "input",
    }
}

/// Its unit; empty where the model does not say.
pub fn unit(model: &Model, variable: &Variable) -> &'static str {
    match variable {
        Variable::Parameter(_) | Variable::Input(_) => "",
        Variable::Coordinate(i) => names::velocity_units(model)[*i],
        Variable::Speed(i) => match names::velocity_units(model)[*i] {
            "m" => "m/s",
            "rad" => "rad/s",
            _ => "",
        },
    }
}

/// Its value at a point of the model. The rotation of a body in space is counted from there.
///
/// # Errors
/// A parameter that cannot be evaluated.
pub fn value(
    spec: &ModelSpec,
    model: &Model,
    variable: &Variable,
    at: &Point,
) -> Result<f64, mb_model::ModelError> {
    Ok(match variable {
        Variable::Parameter(name) => spec.parameter_values()?.get(name).copied().unwrap_or_default(),
        Variable::Coordinate(i) => names::configuration_index(model, *i).map_or(0.0, |k| at.q[k]),
        Variable::Speed(i) => at.v[*i],
        Variable::Input(i) => at.u[*i],
    })
}
