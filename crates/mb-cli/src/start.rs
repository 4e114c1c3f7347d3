//! Where the analysis starts: start values, time, inputs.

use crate::args::{Assignment, StartArgs, StrategyArg};
use crate::failure::{Failure, RequestError};
use crate::flow::StartOptions;
use crate::names;
use mb_linear::Strategy;
use mb_model::Model;

/// Turns the options of the command line into those of the flow.
///
/// # Errors
/// [`RequestError`] for names that the model does not have and values that are not numbers.
pub fn options(model: &Model, args: &StartArgs) -> Result<StartOptions, Failure> {
    if !args.time.is_finite() {
        let value = args.time.to_string();
        return Err(RequestError::NotANumber { option: "--time", name: String::new(), value }.into());
    }
    let known = names::configuration(model);
    let mut given: Vec<(usize, f64)> = Vec::new();
    for at in &args.at {
        let values = match at.parse::<Assignment>() {
            Ok(a) => {
                let value = finite("--at", &a.name, &a.value)?;
                vec![(a.name, value)]
            }
            Err(_) => read_configuration("--at", at)?,
        };
        for (name, value) in values {
            let i = known.iter().position(|k| *k == name).ok_or_else(|| RequestError::NoSuchCoordinate {
                option: "--at",
                name: name.clone(),
                known: known.clone(),
            })?;
            given.retain(|(k, _)| *k != i);
            given.push((i, value));
        }
    }
    let mut inputs = vec![0.0; model.inputs().len()];
    for a in &args.input {
        let i =
            model.inputs().iter().position(|k| *k == a.name).ok_or_else(|| RequestError::NoSuchInput {
                option: "--input",
                name: a.name.clone(),
                known: model.inputs().to_vec(),
            })?;
        inputs[i] = finite("--input", &a.name, &a.value)?;
    }
    let strategy = strategy(args.strategy);
    Ok(StartOptions { given, solve: !args.no_solve, strategy, time: args.time, inputs })
}

/// The method that an option names.
pub fn strategy(arg: StrategyArg) -> Strategy {
    match arg {
        StrategyArg::Automatic => Strategy::Automatic,
        StrategyArg::Newton => Strategy::Newton,
        StrategyArg::Relaxation => Strategy::Relaxation,
    }
}

/// A finite number, or degrees as in `70deg`, given for a name with an option.
///
/// # Errors
/// [`RequestError::NotANumber`].
pub fn finite(option: &'static str, name: &str, value: &str) -> Result<f64, RequestError> {
    number(value).ok_or_else(|| RequestError::NotANumber {
        option,
        name: name.to_owned(),
        value: value.to_owned(),
    })
}

/// A finite number, or degrees as in `70deg`.
fn number(text: &str) -> Option<f64> {
    let value = match text.strip_suffix("deg") {
        Some(degrees) => degrees.trim_end().parse::<f64>().ok()?.to_radians(),
        None => text.parse::<f64>().ok()?,
    };
    value.is_finite().then_some(value)
}

/// A JSON object of numbers by name, or one that has it under `configuration`, at the top or
/// under `equilibrium` or the first of `equilibria`.
///
/// # Errors
/// [`RequestError::BadConfiguration`].
pub fn read_configuration(option: &'static str, path: &str) -> Result<Vec<(String, f64)>, Failure> {
    let bad = |reason: String| RequestError::BadConfiguration { option, path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|e| bad(e.to_string()))?;
    let document: serde_json::Value = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
    let places = ["/configuration", "/equilibrium/configuration", "/equilibria/0/configuration"];
    let found = places.iter().find_map(|p| document.pointer(p)).unwrap_or(&document);
    let object = found.as_object().ok_or_else(|| bad("it is not a JSON object".to_owned()))?;
    let entry = |(name, value): (&String, &serde_json::Value)| {
        let value = value.as_f64().ok_or_else(|| bad(format!("`{name}` is not a number")))?;
        Ok((name.clone(), value))
    };
    object.iter().map(entry).collect::<Result<_, RequestError>>().map_err(Failure::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_degrees() {
        assert_eq!(number("1e-3"), Some(1e-3));
        assert_eq!(number("-180deg"), Some(-std::f64::consts::PI));
        assert_eq!(number("90 deg"), Some(std::f64::consts::FRAC_PI_2));
        assert_eq!((number("nan"), number("inf"), number("L")), (None, None, None));
    }
}
