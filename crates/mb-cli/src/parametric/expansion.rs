//! The expansion that the command line asks for ([`mb_analysis::parametric`]).

use super::choice::{Wish, chosen};
use super::place::Place;
use super::quantity;
use crate::failure::{Failure, RequestError};
use crate::render::modes::{Line, lines};
use crate::source::Loaded;
use mb_analysis::parametric::{Choice, SeriesError, Wanted};
use mb_parametric::Variable;

pub use mb_analysis::parametric::{
    Centre, Expanded, Expansion, Piece, Value, first_order, frequency_and_damping,
};

/// Does an expansion with the modes that are wished for.
///
/// # Errors
/// [`RequestError::BadModes`]; those of the expansion.
pub fn expanded(
    wish: &Wish<'_>,
    expand: impl FnOnce(&Wanted<'_>) -> Result<Expansion, SeriesError>,
) -> Result<Expansion, Failure> {
    let numbered = |line: &Line<'_>| (line.number, line.index);
    let choose = |spectrum: &mb_eigen::Spectrum| {
        let found = lines(spectrum, false);
        let chosen = chosen(&found, wish).map_err(|e| match e {
            RequestError::BadModes { list, why } => SeriesError::BadModes { list, why },
            other => SeriesError::BadModes { list: String::new(), why: other.to_string() },
        })?;
        let group = |group: &Vec<Line<'_>>| group.iter().map(numbered).collect();
        Ok(Choice {
            single: chosen.single.iter().map(numbered).collect(),
            groups: chosen.groups.iter().map(group).collect(),
        })
    };
    let lowest = wish.highest()?.unwrap_or(0);
    Ok(expand(&Wanted { lowest, all: wish.any(), choose: &choose })?)
}

/// Inputs that hold coordinates: names of both.
pub fn held(place: &Place) -> Vec<[String; 2]> {
    let (model, setting) = (&place.loaded.model, &place.setting);
    let pair = |(i, k): (&usize, &usize)| [model.coordinate_name(*i), model.inputs()[*k].clone()];
    setting.held.iter().zip(&setting.holding).map(pair).collect()
}

/// Distances of a point from the one that the command line asks for, for values of some variables by name.
///
/// # Errors
/// [`RequestError::NotAVariable`]; [`RequestError::NotANumber`].
pub fn distance(expansion: &Expansion, option: &'static str, text: &str) -> Result<Vec<f64>, RequestError> {
    let mut d = vec![0.0; expansion.names.len()];
    for part in text.split(',') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let (name, value) = (name.trim(), value.trim());
        let i = expansion.names.iter().position(|n| n == name).ok_or_else(|| RequestError::NotAVariable {
            option,
            name: name.to_owned(),
            known: expansion.names.clone(),
        })?;
        d[i] = crate::start::finite(option, name, value)? - expansion.values[i];
    }
    Ok(d)
}

/// The variables that names mean.
///
/// # Errors
/// [`RequestError::NoSuchVariable`], [`RequestError::NoVariable`].
pub fn variables(
    loaded: &Loaded,
    option: &'static str,
    names: &[String],
) -> Result<Vec<Variable>, RequestError> {
    names.iter().map(|name| quantity::variable(loaded, option, name.trim())).collect()
}
