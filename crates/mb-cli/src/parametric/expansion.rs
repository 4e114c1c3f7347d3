//! The polynomials of the modes asked for, about one point or several.

use super::choice::chosen;
use super::place::Place;
use super::quantity;
use super::region::Region;
use crate::failure::{Failure, RequestError};
use crate::flow::{self, Settled};
use crate::render::modes::lines;
use crate::source::Loaded;
use mb_algebra::c64;
use mb_constraints::ConstraintRank;
use mb_eigen::{Class, DenseOptions, EigenError, quadratic};
use mb_model::Point;
use mb_model::spec::ModelSpec;
use mb_parametric::{
    AccuracyOptions, EigenpairSeries, ExpandOptions, ModelSeries, MovingModel, MultiIndexSet,
    ParametricError, SeriesSource, StartingPair, Variable, expand, expand_to_accuracy, model_series,
};
use std::f64::consts::TAU;

/// Degrees beyond those that are kept, from which the error is estimated.
const AHEAD: usize = 2;
/// Terms that models are expanded to; the degrees ahead must fit too, or are fewer.
const MOST_TERMS: usize = 495;
/// Centres that an accuracy may need.
const MOST_CENTRES: usize = 16;

/// One mode as polynomials.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// Its number at the point of expansion, as `mb modes` shows it.
    pub number: usize,
    /// The polynomials that are kept.
    pub kept: EigenpairSeries,
    /// The same with all terms that were expanded, which judge the others.
    pub full: EigenpairSeries,
    /// Estimated convergence distance along each variable, in its unit; NaN when there are too few degrees.
    pub reach: Vec<f64>,
    /// Largest estimated error in the region, rad/s.
    pub region_error: Option<f64>,
}

/// A mode at a point by its polynomials.
#[derive(Clone, Debug)]
pub struct Value {
    /// Eigenvalue, rad/s.
    pub s: c64,
    /// Shape, n components.
    pub vector: Vec<c64>,
    /// Estimated error of s, rad/s; infinite where the terms do not fall off.
    pub error: f64,
    /// False beyond the reach of the polynomial, where the value means nothing.
    pub trusted: bool,
}

/// Polynomials about one point.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Distance of the centre from the point that the command line asks for.
    pub centre: Vec<f64>,
    /// Values of the variables at the centre.
    pub values: Vec<f64>,
    /// Matrices and operating point.
    pub series: ModelSeries,
    /// Highest degree that is kept.
    pub order: usize,
    /// The terms that are kept.
    pub set: MultiIndexSet,
    /// Distances from the point that the command line asks for at which these are to be used; none without region.
    pub region: Option<Region>,
    /// The modes.
    pub modes: Vec<Expanded>,
}

/// The modes asked for as polynomials of the variables.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The variables.
    pub variables: Vec<Variable>,
    /// Their names, which read back.
    pub names: Vec<String>,
    /// Their values at the point that the command line asks for.
    pub values: Vec<f64>,
    /// The equilibrium when that point is one that was searched.
    pub settled: Option<Settled>,
    /// Rank of the constraints there.
    pub rank: ConstraintRank,
    /// Where the polynomials are to be used, as distances from there.
    pub region: Option<Region>,
    /// The pieces, one where one is enough.
    pub pieces: Vec<Piece>,
}

/// The operating point to expand about, with the equilibrium it may come from.
pub type Centre = (Point, Option<Settled>);

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
    /// What is known before anything is expanded.
    fn prepared(
        place: &Place,
        variables: Vec<Variable>,
        (point, settled): Centre,
    ) -> Result<(Self, MovingModel<'_, ModelSpec>), Failure> {
        let loaded = &place.loaded;
        let model = &loaded.model;
        flow::check_size(model, flow::MOST_ROWS)?;
        let rank = flow::rank_at(model, &point.q, point.t)?;
        if !rank.redundant.is_empty() {
            let redundant = rank.redundant.iter().map(|r| r.name.clone()).collect();
            return Err(RequestError::RedundantRows { rows: rank.rows, redundant }.into());
        }
        let names: Vec<String> = variables.iter().map(|v| quantity::label(loaded, v)).collect();
        let value = |v| quantity::value(loaded, v, &point);
        let values = variables.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        let source = MovingModel::new(&loaded.spec, &point, &variables, place.rule());
        let empty = Self { variables, names, values, settled, rank, region: None, pieces: Vec::new() };
        Ok((empty, source))
    }

    /// Expands to an order about a point of the model.
    ///
    /// # Errors
    /// [`Failure::Parametric`] with the mode; [`RequestError::BadModes`]; [`RequestError::RedundantRows`].
    pub fn to_order(
        place: &Place,
        variables: Vec<Variable>,
        centre: Centre,
        order: usize,
        modes: Option<&str>,
    ) -> Result<Self, Failure> {
        let point = centre.0.clone();
        let (mut out, _) = Self::prepared(place, variables, centre)?;
        let set = MultiIndexSet::total(out.variables.len(), order)?;
        let all = ahead(out.variables.len(), order)?.unwrap_or_else(|| set.clone());
        let series = model_series(&place.loaded.spec, &point, &out.variables, &all, &place.rule())?;
        let matrices = series.pencil.evaluate(&vec![0.0; out.variables.len()])?;
        let mut list = Vec::new();
        for (number, start) in starts(&matrices, modes)? {
            let failed = |source| Failure::Parametric { mode: Some(number), source };
            let full = expand(&series.pencil, &start, &all, &ExpandOptions::default()).map_err(failed)?;
            let kept = full.restricted(&set).map_err(failed)?;
            list.push(Expanded::new(number, kept, full)?);
        }
        let centre = vec![0.0; out.values.len()];
        let values = out.values.clone();
        out.pieces = vec![Piece { centre, values, series, order, set, region: None, modes: list }];
        Ok(out)
    }

    /// Expands with as many centres and as low orders as keep a relative accuracy of the eigenvalues in a region.
    ///
    /// # Errors
    /// As [`Expansion::to_order`]; a region that cannot be read; an accuracy that is not reached.
    pub fn to_accuracy(
        place: &Place,
        variables: Vec<Variable>,
        centre: Centre,
        accuracy: f64,
        region: impl Fn(&Self) -> Result<Region, RequestError>,
        modes: Option<&str>,
    ) -> Result<Self, Failure> {
        let (mut out, source) = Self::prepared(place, variables, centre)?;
        let region = region(&out)?;
        let matrices = source.matrices(&vec![0.0; out.values.len()])?;
        let starts = starts(&matrices, modes)?;
        // One mode that is not simple is told by its number.
        let pairs: Vec<StartingPair> = starts.iter().map(|(_, start)| start.clone()).collect();
        let options = AccuracyOptions { accuracy, max_centres: MOST_CENTRES, ..AccuracyOptions::default() };
        let area = boxed(&region);
        let planned = expand_to_accuracy(&source, &pairs, &area, &options)?;
        for piece in planned.pieces {
            let series = source.model_series(&piece.centre, piece.full[0].set())?;
            let values: Vec<f64> = out.values.iter().zip(&piece.centre).map(|(x, d)| x + d).collect();
            let pairs = piece.pairs.into_iter().zip(piece.full).zip(&starts);
            let modes = pairs
                .map(|((kept, full), (number, _))| Expanded::new(*number, kept, full))
                .collect::<Result<Vec<_>, _>>()?;
            let part = unboxed(&piece.region);
            let (order, set, centre) = (piece.order, piece.set, piece.centre);
            out.pieces.push(Piece { centre, values, series, order, set, region: part, modes });
        }
        out.judge(region)?;
        Ok(out)
    }

    /// Judges the polynomials in a region.
    ///
    /// # Errors
    /// None for distances as many as variables.
    pub fn judge(&mut self, region: Region) -> Result<(), Failure> {
        for piece in &mut self.pieces {
            let part = piece.region.get_or_insert_with(|| region.clone());
            let points = super::region::extremes(part);
            for k in 0..piece.modes.len() {
                let mut worst = 0.0_f64;
                for d in &points {
                    let error = value(piece, k, d)?.error;
                    worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
                }
                piece.modes[k].region_error = Some(worst);
            }
        }
        self.region = Some(region);
        Ok(())
    }

    /// The piece that serves a point: the one with the nearest centre, measured by the size of the region.
    pub fn piece(&self, d: &[f64]) -> &Piece {
        let distance = |piece: &Piece| -> f64 {
            let inside = piece.region.as_ref().is_some_and(|r| super::region::contains(r, d));
            let size =
                |k: usize| self.region.as_ref().map_or(1.0, |r| (r[k][1] - r[k][0]).max(f64::MIN_POSITIVE));
            let off: f64 = (0..d.len()).map(|k| ((d[k] - piece.centre[k]) / size(k)).powi(2)).sum();
            if inside { off } else { off + 1e6 }
        };
        // There is always a piece.
        let best = self.pieces.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        best.unwrap_or(&self.pieces[0])
    }

    /// All modes at a distance from the point that the command line asks for.
    ///
    /// # Errors
    /// A distance that is not finite.
    pub fn evaluate(&self, d: &[f64]) -> Result<Vec<Value>, Failure> {
        let piece = self.piece(d);
        (0..piece.modes.len()).map(|k| value(piece, k, d)).collect()
    }

    /// Numbers of the modes.
    pub fn numbers(&self) -> Vec<usize> {
        self.pieces[0].modes.iter().map(|m| m.number).collect()
    }

    /// Inputs that hold coordinates: names of both.
    pub fn held(&self, place: &Place) -> Vec<[String; 2]> {
        let model = &place.loaded.model;
        let pair = |(i, k): (&usize, &usize)| [model.coordinate_name(*i), model.inputs()[*k].clone()];
        place.held.iter().zip(&place.holding).map(pair).collect()
    }

    /// Distances of a point from the one that the command line asks for, for values of some variables by name.
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

impl Piece {
    /// What belongs to the terms that are kept, of a list over all that were expanded.
    pub fn kept(&self, list: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let all = self.series.pencil.set();
        self.set.iter().filter_map(|sigma| all.number(sigma)).map(|i| list[i].clone()).collect()
    }
}

impl Expanded {
    fn new(number: usize, kept: EigenpairSeries, full: EigenpairSeries) -> Result<Self, Failure> {
        let parameters = full.set().parameters();
        let along = |k: usize| {
            let mut unit = vec![0.0; parameters];
            unit[k] = 1.0;
            Ok(full.radius(&unit)?.eigenvalue.unwrap_or(f64::NAN))
        };
        let reach = (0..parameters).map(along).collect::<Result<Vec<f64>, ParametricError>>()?;
        Ok(Self { number, kept, full, reach, region_error: None })
    }
}

/// Mode `k` of a piece at a distance from the point that the command line asks for.
fn value(piece: &Piece, k: usize, d: &[f64]) -> Result<Value, Failure> {
    let Expanded { kept, full, .. } = &piece.modes[k];
    let off: Vec<f64> = d.iter().zip(&piece.centre).map(|(a, b)| a - b).collect();
    let at = kept.evaluate(&off, kept.order())?;
    let best = full.evaluate(&off, full.order())?;
    // What was left out, and what was never there.
    let error = (at.s - best.s).norm() + best.error;
    Ok(Value { s: at.s, vector: at.vector, error, trusted: best.trusted && error <= NO_USE * at.s.norm() })
}

/// An estimated error above this share of the eigenvalue says that the polynomial is of no use.
const NO_USE: f64 = 0.1;

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

/// The modes asked for, by number, to start from.
pub fn starts(
    matrices: &mb_algebra::QuadraticPencil,
    list: Option<&str>,
) -> Result<Vec<(usize, StartingPair)>, Failure> {
    let named = |source: EigenError| Failure::Eigen { formulation: "minimal".to_owned(), source };
    let spectrum = quadratic::solve(matrices, &DenseOptions::default()).map_err(named)?;
    let mut out = Vec::new();
    for line in chosen(&lines(&spectrum, false), list)? {
        let Some(s) = line.pair.value() else { continue };
        if line.pair.class == Class::Rigid {
            let source = ParametricError::NotSimple { s, gap: 0.0, condition: f64::INFINITY };
            return Err(Failure::Parametric { mode: Some(line.number), source });
        }
        out.push((line.number, StartingPair { s, vector: line.pair.right.clone() }));
    }
    Ok(out)
}

/// The region as the library has it.
fn boxed(region: &Region) -> mb_parametric::Region {
    let end = |k: usize| region.iter().map(|r| r[k]).collect();
    mb_parametric::Region::Box { lower: end(0), upper: end(1) }
}

/// The interval of each variable.
fn unboxed(region: &mb_parametric::Region) -> Option<Region> {
    match region {
        mb_parametric::Region::Box { lower, upper } => {
            Some(lower.iter().zip(upper).map(|(a, b)| [*a, *b]).collect())
        }
        mb_parametric::Region::Path(_) => None,
    }
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
