//! The polynomials of the modes asked for.

use super::choice::chosen;
use super::place::Place;
use super::quantity::{self, Quantity};
use super::region::{Region, extremes};
use crate::failure::{Failure, RequestError};
use crate::flow::{self, Settled};
use crate::render::modes::lines;
use crate::source::Loaded;
use mb_algebra::c64;
use mb_constraints::ConstraintRank;
use mb_eigen::{Class, DenseOptions, EigenError, quadratic};
use mb_model::Point;
use mb_parametric::{
    EigenpairSeries, ExpandOptions, ModelSeries, MultiIndexSet, ParametricError, StartingPair, Variable,
    expand, model_series,
};
use std::f64::consts::TAU;

/// Degrees beyond those that are kept, from which the error is estimated.
const AHEAD: usize = 2;
/// Terms that models are expanded to; the degrees ahead must fit too, or are fewer.
const MOST_TERMS: usize = 495;

/// One mode as polynomials.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// Its number, as `mb modes` shows it.
    pub number: usize,
    /// The polynomials, with degrees ahead of those that are kept.
    pub series: EigenpairSeries,
    /// Estimated convergence distance along each variable, in its unit; NaN when there are too few degrees.
    pub reach: Vec<f64>,
    /// Largest estimated error in the region, rad/s.
    pub region_error: Option<f64>,
}

/// The modes asked for as polynomials of the variables.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The variables, with names that read back.
    pub variables: Vec<Variable>,
    /// Their names.
    pub names: Vec<String>,
    /// Their values at the point of expansion.
    pub values: Vec<f64>,
    /// The equilibrium when the point of expansion is one that was searched.
    pub settled: Option<Settled>,
    /// Rank of the constraints there.
    pub rank: ConstraintRank,
    /// Matrices and operating point.
    pub series: ModelSeries,
    /// Degree of the polynomials that are kept.
    pub order: usize,
    /// Number of terms that are kept.
    pub terms: usize,
    /// Distances that the polynomials are meant for.
    pub region: Option<Region>,
    /// The modes.
    pub modes: Vec<Expanded>,
}

/// What is to be expanded.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// Degree of the polynomials.
    pub order: usize,
    /// Modes by number.
    pub modes: Option<&'a str>,
}

/// Frequency |s| / 2 pi in Hz and damping ratio -Re s / |s| of an eigenvalue.
pub fn frequency_and_damping(s: c64) -> [f64; 2] {
    let size = s.norm();
    [size / TAU, if size > 0.0 { -s.re / size } else { 0.0 }]
}

/// Changes of frequency (Hz) and damping ratio with a change of the eigenvalue, to first order.
pub fn first_order(s: c64, ds: c64) -> [f64; 2] {
    let size = s.norm();
    let growth = (s.conj() * ds).re / size;
    [growth / TAU, -ds.re / size + s.re * growth / (size * size)]
}

impl Expansion {
    /// Expands about a point of the model.
    ///
    /// # Errors
    /// [`Failure::Parametric`] with the mode; [`RequestError::BadModes`]; [`RequestError::RedundantRows`].
    pub fn new(
        place: &Place,
        variables: Vec<Variable>,
        (centre, settled): (Point, Option<Settled>),
        wanted: &Wanted<'_>,
    ) -> Result<Self, Failure> {
        let loaded = &place.loaded;
        let model = &loaded.model;
        flow::check_size(model, flow::MOST_ROWS)?;
        let rank = flow::rank_at(model, &centre.q, centre.t)?;
        if !rank.redundant.is_empty() {
            let redundant = rank.redundant.iter().map(|r| r.name.clone()).collect();
            return Err(RequestError::RedundantRows { rows: rank.rows, redundant }.into());
        }
        let kept = MultiIndexSet::total(variables.len(), wanted.order)?;
        let set = ahead(variables.len(), wanted.order)?.unwrap_or_else(|| kept.clone());
        let series = model_series(&loaded.spec, &centre, &variables, &set, &place.rule())?;
        let names: Vec<String> = variables.iter().map(|v| quantity::label(loaded, v)).collect();
        let at = series.point.centre().clone();
        let values =
            variables.iter().map(|v| quantity::value(loaded, v, &at)).collect::<Result<Vec<_>, _>>()?;
        let modes = expanded(&series, &set, wanted.modes)?;
        Ok(Self {
            variables,
            names,
            values,
            settled,
            rank,
            series,
            order: wanted.order,
            terms: kept.len(),
            region: None,
            modes,
        })
    }

    /// Judges the polynomials in a region.
    ///
    /// # Errors
    /// None for distances as many as variables.
    pub fn judge(&mut self, region: Region) -> Result<(), Failure> {
        let points = extremes(&region);
        for mode in &mut self.modes {
            let mut worst = 0.0_f64;
            for d in &points {
                let error = mode.series.evaluate(d, self.order)?.error;
                worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
            }
            mode.region_error = Some(worst);
        }
        self.region = Some(region);
        Ok(())
    }

    /// Keeps fewer degrees; the others stay to estimate the error from.
    pub fn keep(&mut self, order: usize) {
        let set = self.series.pencil.set();
        self.order = order.min(set.order());
        self.terms = set.homogeneous(self.order).end;
    }

    /// The largest estimated error in the region relative to the eigenvalue, over all modes.
    pub fn region_error(&self) -> f64 {
        let of = |mode: &Expanded| {
            let size = mode.series.eigenvalue_coefficients()[0].norm();
            mode.region_error.map_or(0.0, |error| error / size)
        };
        self.modes.iter().map(of).fold(0.0, f64::max)
    }

    /// Inputs that hold coordinates: names of both.
    pub fn held(&self, place: &Place) -> Vec<[String; 2]> {
        let model = &place.loaded.model;
        let pair = |(i, k): (&usize, &usize)| [model.coordinate_name(*i), model.inputs()[*k].clone()];
        place.held.iter().zip(&place.holding).map(pair).collect()
    }

    /// The multi-indices that are kept: the first ones of the set.
    pub fn exponents(&self) -> Vec<&[u8]> {
        self.series.pencil.set().iter().take(self.terms).collect()
    }

    /// Distances of a point from the point of expansion, for values of some variables by name.
    ///
    /// # Errors
    /// [`RequestError::NotAVariable`]; [`RequestError::NotANumber`].
    pub fn distance(&self, option: &'static str, text: &str) -> Result<Vec<f64>, RequestError> {
        let mut d = vec![0.0; self.names.len()];
        for part in text.split(',') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (name, value) = (name.trim(), value.trim());
            let i = self.names.iter().position(|n| n == name).ok_or_else(|| RequestError::NotAVariable {
                option,
                name: name.to_owned(),
                known: self.names.clone(),
            })?;
            d[i] = crate::start::finite(option, name, value)? - self.values[i];
        }
        Ok(d)
    }
}

/// The set with degrees ahead, as many as the expansion of models holds; none when it holds none.
fn ahead(parameters: usize, order: usize) -> Result<Option<MultiIndexSet>, ParametricError> {
    for more in (1..=AHEAD).rev() {
        match MultiIndexSet::total(parameters, order + more) {
            Ok(set) if set.len() <= MOST_TERMS => return Ok(Some(set)),
            Ok(_) | Err(ParametricError::TooManyTerms { .. }) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(None)
}

/// The modes at the point of expansion that were asked for, each expanded.
fn expanded(series: &ModelSeries, set: &MultiIndexSet, list: Option<&str>) -> Result<Vec<Expanded>, Failure> {
    let parameters = set.parameters();
    let centre = series.pencil.evaluate(&vec![0.0; parameters])?;
    let named = |source: EigenError| Failure::Eigen { formulation: "minimal".to_owned(), source };
    let spectrum = quadratic::solve(&centre, &DenseOptions::default()).map_err(named)?;
    let mut out = Vec::new();
    for line in chosen(&lines(&spectrum, false), list)? {
        let Some(s) = line.pair.value() else { continue };
        let failed = |source| Failure::Parametric { mode: Some(line.number), source };
        if line.pair.class == Class::Rigid {
            let (gap, condition) = (0.0, f64::INFINITY);
            return Err(failed(ParametricError::NotSimple { s, gap, condition }));
        }
        let start = StartingPair { s, vector: line.pair.right.clone() };
        let mode = expand(&series.pencil, &start, set, &ExpandOptions::default()).map_err(failed)?;
        let reach = (0..parameters)
            .map(|k| {
                let mut unit = vec![0.0; parameters];
                unit[k] = 1.0;
                let radius = mode.radius(&unit)?;
                Ok(radius.eigenvalue.unwrap_or(f64::NAN))
            })
            .collect::<Result<Vec<f64>, ParametricError>>()?;
        out.push(Expanded { number: line.number, series: mode, reach, region_error: None });
    }
    Ok(out)
}

/// The variables that names mean, each once.
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

/// A value of a variable as the model has it: what is given for it at a distance from the centre.
pub fn given(variables: &[Variable], values: &[f64]) -> super::Given {
    variables.iter().zip(values).map(|(v, x)| (Quantity::Variable(v.clone()), *x)).collect()
}
