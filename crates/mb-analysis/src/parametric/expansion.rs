//! The polynomials of the modes asked for, about one point or several.

use super::error::SeriesError;
use super::group::{ExpandedGroup, GroupValue};
use super::origin::Origin;
use super::piece::{Expanded, Piece, Value};
use super::region::{self, Region};
use super::starts::{Starts, Wanted, starts};
use super::steady::{self, SteadyCentre};
use super::storage::{Pencil, Solved, is_large};
use super::variable;
use crate::number::six;
use crate::{Settled, rank_at};
use mb_algebra::{Dense, Sparse, Stopped, c64, interrupt};
use mb_constraints::ConstraintRank;
use mb_model::{Model, Point};
use mb_parametric::journal::{Reader, Writer};
use mb_parametric::{
    AccuracyOptions, EigenpairSeries, ExpandOptions, Journal, ModelSeries, MovingModel, MultiIndexSet,
    ParametricError, PencilSeries, PointRule, RankChange, SeriesSource, StartingEigenpair, Variable,
    expand_all, expand_groups_kept, rank_change, rank_change_within,
};
use std::f64::consts::TAU;

/// Degrees beyond those that are kept, from which the error is estimated.
const AHEAD: usize = 2;
/// Terms that models are expanded to; the degrees ahead must fit too, or are fewer.
const MOST_TERMS: usize = 495;
/// Centres that an accuracy may need.
const MOST_CENTRES: usize = 16;

/// The modes asked for as polynomials of the variables.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The variables.
    pub variables: Vec<Variable>,
    /// Their names, which read back.
    pub names: Vec<String>,
    /// Their values at the point that is asked for.
    pub values: Vec<f64>,
    /// The equilibrium when that point is one that was searched.
    pub settled: Option<Settled>,
    /// The steady motion when that point is on one: eigenvalues are then exponents in its frame.
    pub steady: Option<SteadyCentre>,
    /// Rank of the constraints there.
    pub rank: ConstraintRank,
    /// Where the polynomials are to be used, as distances from there.
    pub region: Option<Region>,
    /// The pieces, one where one is enough.
    pub pieces: Vec<Piece>,
    /// What ended the work early; the modes and pieces that were finished are here, perhaps none.
    pub stopped: Option<Stopped>,
    /// The operating point that is asked for.
    point: Point,
}

/// The operating point to expand about, with the equilibrium or the steady motion it may come from.
#[derive(Clone, Debug)]
pub struct Centre {
    /// The point.
    pub point: Point,
    /// The equilibrium.
    pub settled: Option<Settled>,
    /// The steady motion.
    pub steady: Option<SteadyCentre>,
}

impl Centre {
    /// A point that is given by its variables.
    pub(super) const fn given(point: Point) -> Self {
        Self { point, settled: None, steady: None }
    }
    /// An equilibrium that was searched.
    pub(super) fn at_rest(settled: Settled) -> Self {
        Self { point: settled.equilibrium.point().clone(), settled: Some(settled), steady: None }
    }
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
    /// What is known before anything is expanded: names and values of the variables at the centre, rank of the constraints.
    ///
    /// # Errors
    /// [`SeriesError::RedundantRows`]; a parameter that cannot be evaluated.
    pub fn about(
        origin: &Origin<'_>,
        variables: Vec<Variable>,
        Centre { point, settled, steady }: Centre,
    ) -> Result<Self, SeriesError> {
        let (spec, model) = (origin.spec, origin.model);
        if steady.is_some() {
            steady::check_variables(model, &variables)?;
        } else if !origin.setting.instant {
            steady::check_rest(spec, model, &variables)?;
        }
        let rank = rank_at(model, &point.q, point.t)?;
        if !rank.redundant.is_empty() {
            let redundant = rank.redundant.iter().map(|r| r.name.clone()).collect();
            return Err(SeriesError::RedundantRows { rows: rank.rows, redundant });
        }
        let names: Vec<String> = variables.iter().map(|v| variable::label(spec, model, v)).collect();
        let value = |v| variable::value(spec, model, v, &point);
        let values = variables.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            variables,
            names,
            values,
            settled,
            steady,
            rank,
            region: None,
            pieces: Vec::new(),
            stopped: None,
            point,
        })
    }

    /// The model about the point that is asked for.
    fn source<'a, A: Solved>(&self, origin: &Origin<'a>) -> MovingModel<'a, A> {
        MovingModel::about(origin.spec, &self.point, &self.variables, self.rule(origin))
            .keeping(&origin.kept())
    }

    /// The frame of a steady motion, to end a heading with; empty at rest.
    pub fn seen_from(&self) -> String {
        let frame = self.steady.as_ref().and_then(SteadyCentre::frame);
        frame.map_or_else(String::new, |frame| format!(", seen from {frame}"))
    }

    /// What shows that polynomials in motion are exponents, in words.
    pub fn steadiness(&self) -> Option<String> {
        self.steady.as_ref()?.words()
    }

    /// What the operating point does while the variables move.
    pub fn rule(&self, origin: &Origin<'_>) -> PointRule {
        match &self.steady {
            Some(steady) => PointRule::Steady(Box::new(steady.rule.clone())),
            None => origin.rule(),
        }
    }

    /// Checks that motions beside the centre are steady in the same frame: polynomials show none but those of one frame.
    fn check_beside<A: Solved>(&self, origin: &Origin<'_>) -> Result<(), SeriesError> {
        let Some(steady) = &self.steady else { return Ok(()) };
        let source = self.source::<A>(origin);
        let sizes = steady::sizes(&source, &self.values)?;
        for share in steady::SHARES {
            let ratios = steady::RATIOS.iter().cycle();
            let d: Vec<f64> = sizes.iter().zip(ratios).map(|(x, ratio)| share * ratio * x).collect();
            // On one side of a value there may be no such model, as of a disc without thickness.
            let other: Vec<f64> = d.iter().map(|x| -x).collect();
            let model_at = |d: &[f64]| steady::model_at(origin.spec, &self.variables, &self.values, d);
            let (model, d) = match model_at(&d) {
                Ok(model) => (model, d),
                Err(_) => (model_at(&other)?, other),
            };
            let point = source.point(&d)?;
            let values = || steady::at_values(origin.model, &self.variables, &self.values, &d);
            steady.check_proportion([origin.model, &model], values)?;
            steady.witness().check(&model, &point, values)?;
        }
        Ok(())
    }

    /// Expands to an order about the centre; modes that the `journal` has kept are taken from there.
    ///
    /// # Errors
    /// [`SeriesError::Parametric`] with the mode; [`SeriesError::BadModes`].
    pub fn to_order(
        self,
        origin: &Origin<'_>,
        order: usize,
        wanted: &Wanted<'_>,
        journal: &mut dyn Journal,
    ) -> Result<Self, SeriesError> {
        let expanded = if is_large(origin.model, wanted.all) {
            self.about_one::<Sparse>(origin, order, wanted, journal)
        } else {
            self.about_one::<Dense>(origin, order, wanted, journal)
        };
        expanded.map_err(|error| origin.named(error))
    }

    fn about_one<A: Solved>(
        mut self,
        origin: &Origin<'_>,
        order: usize,
        wanted: &Wanted<'_>,
        journal: &mut dyn Journal,
    ) -> Result<Self, SeriesError> {
        let set = MultiIndexSet::total(self.variables.len(), order)?;
        let all = ahead(self.variables.len(), order)?.unwrap_or_else(|| set.clone());
        let centre = vec![0.0; self.values.len()];
        self.check_beside::<A>(origin)?;
        let ModelSeries { pencil, point, .. } = self.source::<A>(origin).model_series(&centre, &all)?;
        let Starts { single, groups } = starts(&pencil.evaluate(&centre)?, wanted)?;
        let (numbers, pairs): (Vec<usize>, Vec<StartingEigenpair>) = single.into_iter().unzip();
        let (mut modes, mut expanded_groups) = (Vec::with_capacity(pairs.len()), Vec::new());
        // What is expanded at once is kept at once.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for (numbers, pairs) in numbers.chunks(cores).zip(pairs.chunks(cores)) {
            match interrupt::attempt(|| fulls(&pencil, pairs, &all, journal)) {
                Err(why) => self.stopped = Some(why),
                Ok(fulls) => {
                    for (number, full) in numbers.iter().zip(fulls) {
                        let failed = |source| SeriesError::Parametric { mode: Some(*number), source };
                        let full = full.map_err(failed)?;
                        let kept = full.restricted(&set).map_err(failed)?;
                        modes.push(Expanded::new(*number, kept, full)?);
                    }
                }
            }
            if self.stopped.is_some() {
                break;
            }
        }
        for (numbers, values) in groups {
            if self.stopped.is_some() {
                break;
            }
            match interrupt::attempt(|| ExpandedGroup::new(&pencil, numbers, &values, &all, &set, journal)) {
                Err(why) => self.stopped = Some(why),
                Ok(group) => expanded_groups.push(group?),
            }
        }
        let groups = expanded_groups;
        let values = self.values.clone();
        let pencil = A::kept(pencil);
        self.pieces =
            vec![Piece { centre, values, point, pencil, all, order, set, region: None, modes, groups }];
        Ok(self)
    }

    /// Expands with as many centres and as low orders as keep a relative accuracy of the eigenvalues in a region.
    ///
    /// # Errors
    /// As [`Expansion::to_order`]; an accuracy that is not reached; [`SeriesError::RankChanges`].
    pub fn to_accuracy(
        self,
        origin: &Origin<'_>,
        accuracy: f64,
        region: Region,
        wanted: &Wanted<'_>,
        journal: &mut dyn Journal,
    ) -> Result<Self, SeriesError> {
        if is_large(origin.model, wanted.all) {
            return self.planned::<Sparse>(origin, accuracy, region, wanted, journal);
        }
        self.planned::<Dense>(origin, accuracy, region, wanted, journal)
    }

    fn planned<A: Solved>(
        mut self,
        origin: &Origin<'_>,
        accuracy: f64,
        region: Region,
        wanted: &Wanted<'_>,
        journal: &mut dyn Journal,
    ) -> Result<Self, SeriesError> {
        let source = self.source::<A>(origin);
        self.check_beside::<A>(origin)?;
        let matrices = source.matrices(&vec![0.0; self.values.len()])?;
        let Starts { single, groups } = starts(&matrices, wanted)?;
        let (numbers, pairs): (Vec<usize>, Vec<StartingEigenpair>) = single.into_iter().unzip();
        let (members, values): (Vec<Vec<usize>>, Vec<Vec<c64>>) = groups.into_iter().unzip();
        let options = AccuracyOptions { accuracy, max_centres: MOST_CENTRES, ..AccuracyOptions::default() };
        let named = |error| self.named(origin, error);
        let planned =
            expand_groups_kept(&source, &pairs, &values, &region::boxed(&region), &options, journal)
                .map_err(named)?;
        self.stopped = planned.stopped;
        for piece in planned.pieces {
            // The matrices of a centre whose modes are done belong to what is kept.
            let series = interrupt::finish(|| source.model_series(&piece.centre, &piece.all))?;
            let ModelSeries { pencil, point, .. } = series;
            let values: Vec<f64> = self.values.iter().zip(&piece.centre).map(|(x, d)| x + d).collect();
            let pairs = piece.eigenpairs.into_iter().zip(piece.full).zip(&numbers);
            let modes = pairs
                .map(|((kept, full), number)| Expanded::new(*number, kept, full))
                .collect::<Result<Vec<_>, _>>()?;
            let groups = piece.groups.into_iter().zip(piece.full_groups).zip(&members);
            let groups = groups
                .map(|((kept, full), numbers)| ExpandedGroup {
                    numbers: numbers.clone(),
                    kept,
                    full,
                    region_error: None,
                })
                .collect();
            let (order, set, all) = (piece.order, piece.set, piece.all);
            let (centre, region, pencil) = (piece.centre, region::unboxed(&piece.region), A::kept(pencil));
            self.pieces.push(Piece { centre, values, point, pencil, all, order, set, region, modes, groups });
        }
        interrupt::finish(|| self.judge(origin, region))?;
        Ok(self)
    }

    /// The configuration in which the constraints lose rank on the way to a distance from the point that the command line
    /// asks for, if there is one.
    ///
    /// # Errors
    /// A distance that is not finite.
    pub fn rank_change(&self, origin: &Origin<'_>, d: &[f64]) -> Result<Option<RankChange>, SeriesError> {
        match self.piece(d).pencil {
            Pencil::Dense(_) => self.rank_change_in::<Dense>(origin, d),
            Pencil::Sparse(_) => self.rank_change_in::<Sparse>(origin, d),
        }
    }

    fn rank_change_in<A: Solved>(
        &self,
        origin: &Origin<'_>,
        d: &[f64],
    ) -> Result<Option<RankChange>, SeriesError> {
        let piece = self.piece(d);
        let Some(pencil) = A::of(&piece.pencil) else { return Ok(None) };
        let off: Vec<f64> = d.iter().zip(&piece.centre).map(|(a, b)| a - b).collect();
        Ok(rank_change(&self.source::<A>(origin), pencil, &piece.centre, &off)?)
    }

    fn rank_change_within<A: Solved>(
        &self,
        origin: &Origin<'_>,
        region: &Region,
    ) -> Result<Option<RankChange>, SeriesError> {
        let piece = &self.pieces[0];
        let Some(pencil) = A::of(&piece.pencil) else { return Ok(None) };
        Ok(rank_change_within(&self.source::<A>(origin), pencil, &piece.centre, &region::boxed(region))?)
    }

    /// A rank change in words: values of the variables, and the rows that depend on others there.
    pub fn describe(&self, model: &Model, at: &[f64], rows: &[usize]) -> (String, Vec<String>) {
        let values = self.names.iter().zip(&self.values).zip(at);
        let at: Vec<String> = values.map(|((name, x), d)| format!("{name} = {}", six(x + d))).collect();
        (at.join(", "), rows.iter().map(|i| model.row_name(*i)).collect())
    }

    /// An error with the model's names.
    pub fn named(&self, origin: &Origin<'_>, error: ParametricError) -> SeriesError {
        let ParametricError::RankChanges { point, rows, .. } = error else { return error.into() };
        let (at, rows) = self.describe(origin.model, &point, &rows);
        SeriesError::RankChanges { at, rows }
    }

    /// Judges the polynomials in a region.
    ///
    /// # Errors
    /// [`SeriesError::RankChanges`] where the constraints lose rank in it.
    pub fn judge(&mut self, origin: &Origin<'_>, region: Region) -> Result<(), SeriesError> {
        // The plan of an accuracy has checked every piece already.
        if let [piece] = self.pieces.as_slice() {
            let found = match piece.pencil {
                Pencil::Dense(_) => self.rank_change_within::<Dense>(origin, &region)?,
                Pencil::Sparse(_) => self.rank_change_within::<Sparse>(origin, &region)?,
            };
            if let Some(RankChange { at, rows }) = found {
                let (at, rows) = self.describe(origin.model, &at, &rows);
                return Err(SeriesError::RankChanges { at, rows });
            }
        }
        for piece in &mut self.pieces {
            let part = piece.region.get_or_insert_with(|| region.clone());
            let points = region::extremes(part);
            for k in 0..piece.modes.len() {
                let mut worst = 0.0_f64;
                for d in &points {
                    let error = piece.value(k, d)?.error;
                    worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
                }
                piece.modes[k].region_error = Some(worst);
            }
            for k in 0..piece.groups.len() {
                let mut worst = 0.0_f64;
                for d in &points {
                    let error = piece.group(k, d)?.largest_error();
                    worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
                }
                piece.groups[k].region_error = Some(worst);
            }
        }
        self.region = Some(region);
        Ok(())
    }

    /// The piece that serves a point: the one with the nearest centre, measured by the size of the region.
    pub fn piece(&self, d: &[f64]) -> &Piece {
        let distance = |piece: &Piece| -> f64 {
            let inside = piece.region.as_ref().is_some_and(|r| region::contains(r, d));
            let size =
                |k: usize| self.region.as_ref().map_or(1.0, |r| (r[k][1] - r[k][0]).max(f64::MIN_POSITIVE));
            let off: f64 = (0..d.len()).map(|k| ((d[k] - piece.centre[k]) / size(k)).powi(2)).sum();
            if inside { off } else { off + 1e6 }
        };
        // There is always a piece.
        let best = self.pieces.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        best.unwrap_or(&self.pieces[0])
    }

    /// All modes at a distance from the point that is asked for.
    ///
    /// # Errors
    /// A distance that is not finite.
    pub fn evaluate(&self, d: &[f64]) -> Result<Vec<Value>, SeriesError> {
        let piece = self.piece(d);
        (0..piece.modes.len()).map(|k| piece.value(k, d)).collect()
    }

    /// All groups at a distance from the point that is asked for.
    ///
    /// # Errors
    /// A distance that is not finite.
    pub fn evaluate_groups(&self, d: &[f64]) -> Result<Vec<GroupValue>, SeriesError> {
        let piece = self.piece(d);
        (0..piece.groups.len()).map(|k| piece.group(k, d)).collect()
    }

    /// Numbers of the modes, of those that are expanded one by one.
    pub fn numbers(&self) -> Vec<usize> {
        self.pieces[0].modes.iter().map(|m| m.number).collect()
    }
}

/// The polynomials of some modes with all terms, kept or expanded at once.
fn fulls<A: Solved>(
    pencil: &PencilSeries<A>,
    pairs: &[StartingEigenpair],
    all: &MultiIndexSet,
    journal: &mut dyn Journal,
) -> Vec<Result<EigenpairSeries, ParametricError>> {
    let read = |numbers: Vec<f64>| EigenpairSeries::read(&mut Reader::new(&numbers), all);
    let mut out: Vec<_> =
        std::iter::from_fn(|| journal.recall().and_then(read)).take(pairs.len()).map(Ok).collect();
    for full in expand_all(pencil, &pairs[out.len()..], all, &ExpandOptions::default()) {
        if let Ok(full) = &full {
            let mut numbers = Writer::default();
            full.write(&mut numbers);
            journal.keep(numbers.done());
        }
        out.push(full);
    }
    out
}

/// The set with degrees ahead, as many as the expansion of models holds; none when it holds none.
fn ahead(parameters: usize, order: usize) -> Result<Option<MultiIndexSet>, ParametricError> {
    for more in (1..=AHEAD).rev() {
        match MultiIndexSet::total(parameters, order + more) {
            Ok(set) if set.len() <= MOST_TERMS => return Ok(Some(set)),
            Ok(_) | Err(ParametricError::TooManyTerms { .. } | ParametricError::OrderTooHigh { .. }) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(None)
}
