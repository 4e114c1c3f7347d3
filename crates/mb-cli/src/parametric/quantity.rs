//! What a name on the command line or in a path file means.

use crate::failure::RequestError;
use crate::source::Loaded;
use mb_analysis::parametric::variable;
use mb_parametric::Variable;

pub use mb_analysis::parametric::Quantity;
pub use mb_analysis::parametric::variable::{kind, unit};

/// The quantity of a name: with a prefix what it says, else the parameter, coordinate or input of that name.
///
/// # Errors
/// [`RequestError::NoSuchVariable`] with the nearest name.
pub fn quantity(loaded: &Loaded, option: &'static str, name: &str) -> Result<Quantity, RequestError> {
    variable::quantity(&loaded.spec, &loaded.model, name).map_err(|unknown| {
        let variable::UnknownVariable { name, nearest, known } = unknown;
        RequestError::NoSuchVariable { option, name, nearest, known }
    })
}

/// As [`quantity`], for what polynomials can be made in.
///
/// # Errors
/// [`RequestError::NoSuchVariable`]; [`RequestError::NoVariable`] for an acceleration.
pub fn variable(loaded: &Loaded, option: &'static str, name: &str) -> Result<Variable, RequestError> {
    match quantity(loaded, option, name)? {
        Quantity::Variable(variable) => Ok(variable),
        Quantity::Acceleration(_) => Err(RequestError::NoVariable { option, name: name.to_owned() }),
    }
}
