//! Modes followed along a path of the parameters.
//!
//! At each sample a polynomial about a point passed before predicts every mode (the predictor),
//! Newton's method brings it to rounding with the exact matrices (the corrector), and the
//! left-right MAC with the mode before decides whether it is the same one; if not, the step is
//! halved. So a mode keeps its name where eigenvalues cross, and where they veer away from each
//! other the exchange of their shapes is found and reported.
//!
//! Samples at which two modes coincide to rounding have no vectors of their own; they are passed
//! at a small distance and marked.

mod encounter;
mod mac;
mod step;
mod watch;

pub use encounter::{Encounter, EncounterKind};
pub use mac::{Shape, left_right_mac, left_right_mac_matrix};
pub(crate) use step::Walker;
use watch::Watch;

use crate::journal::{Journal, NoJournal, Reader, Writer};
use crate::polish::{PolishOptions, RefinedEigenpair, StartingEigenpair};
use crate::{ParametricError, SeriesSource};
use mb_algebra::{Dense, Stopped, interrupt};
use std::f64::consts::TAU;

/// How modes are followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackOptions {
    /// Order of the predicting polynomial; 0 takes the mode before as it is. Default 2.
    pub order: usize,
    /// How modes are improved and judged.
    pub polish: PolishOptions,
}

impl Default for TrackOptions {
    fn default() -> Self {
        Self { order: 2, polish: PolishOptions::default() }
    }
}

/// Modes along a path.
#[derive(Clone, Debug)]
pub struct Track {
    /// The samples that were reached, as distances from the reference point.
    pub points: Vec<Vec<f64>>,
    /// The modes at each sample, in the order of the starts: `pairs[sample][mode]`.
    pub eigenpairs: Vec<Vec<RefinedEigenpair>>,
    /// Left-right MAC of all modes at each sample (rows) with those of the next (columns).
    pub mac: Vec<Dense>,
    /// Samples at which modes coincide; what stands there was found a thousandth of a step away
    /// and its eigenvalues were moved back by their derivatives.
    pub passed_beside: Vec<usize>,
    /// Crossings and veerings, in the order of the path.
    pub encounters: Vec<Encounter>,
    /// What ended the track from outside before the end of its path; the samples before that are here.
    pub stopped: Option<Stopped>,
    /// Why the samples next to the first and the last one have no modes: at most two errors, in the order of the work. Only
    /// [`track_both_ways`] goes on without them.
    pub failed: Vec<ParametricError>,
}

impl Track {
    /// |s| / 2 pi of one mode along the path, Hz.
    pub fn frequencies_hz(&self, mode: usize) -> Vec<f64> {
        self.eigenpairs.iter().map(|pairs| pairs[mode].s.norm() / TAU).collect()
    }

    /// -Re s / |s| of one mode along the path; 0 where s = 0.
    pub fn damping_ratios(&self, mode: usize) -> Vec<f64> {
        let ratio = |pairs: &Vec<RefinedEigenpair>| {
            let s = pairs[mode].s;
            if s.norm() > 0.0 { -s.re / s.norm() } else { 0.0 }
        };
        self.eigenpairs.iter().map(ratio).collect()
    }
}

/// Follows the modes `starts` (at the first sample) along `path`.
///
/// Errors: an empty path or list of starts, those of [`crate::polish`] at the first sample, those
/// of the source, [`ParametricError::TrackLost`] where no step is small enough to identify a mode, and
/// [`ParametricError::RankChanges`] where the constraints lose rank on the way.
pub fn track<S: SeriesSource>(
    source: &S,
    path: &[Vec<f64>],
    starts: &[StartingEigenpair],
    options: &TrackOptions,
) -> Result<Track, ParametricError> {
    track_kept(source, path, starts, options, &mut NoJournal)
}

/// As [`track()`]; samples that the `journal` has kept are taken from there, and those that are computed are kept.
///
/// Errors: as [`track()`].
pub fn track_kept<S: SeriesSource>(
    source: &S,
    path: &[Vec<f64>],
    starts: &[StartingEigenpair],
    options: &TrackOptions,
    journal: &mut dyn Journal,
) -> Result<Track, ParametricError> {
    if path.is_empty() {
        return Err(ParametricError::WrongLength { what: "the path", expected: 1, found: 0 });
    }
    let (passed, ended) = walked(source, path, starts, options, journal)?;
    let points = path[..passed.pairs.len()].to_vec();
    match ended {
        Some(Ended::Failed(error)) => Err(error),
        Some(Ended::Stopped(why)) => passed.into_track(source, points, Some(why), Vec::new()),
        None => passed.into_track(source, points, None, Vec::new()),
    }
}

/// As [`track_kept`] with starts at the sample `middle`, from there back to the first sample and on to the last one; with the number of
/// the first sample that was reached. The MAC of two samples before `middle` is that by the matrices of the earlier one. Where a sample
/// has no modes the track ends on that side, and [`Track::failed`] says why.
///
/// Errors: as [`track()`] at the sample `middle`.
///
/// # Panics
/// When the path has no sample `middle`.
pub fn track_both_ways<S: SeriesSource>(
    source: &S,
    path: &[Vec<f64>],
    middle: usize,
    starts: &[StartingEigenpair],
    options: &TrackOptions,
    journal: &mut dyn Journal,
) -> Result<(usize, Track), ParametricError> {
    let back: Vec<Vec<f64>> = path[..=middle].iter().rev().cloned().collect();
    let (passed, ended) = walked(source, &back, starts, options, journal)?;
    let first = middle + 1 - passed.pairs.len();
    let passed = passed.reversed();
    let mut failed = Vec::new();
    match ended {
        Some(Ended::Stopped(why)) => {
            let points = path[first..=middle].to_vec();
            return Ok((first, passed.into_track(source, points, Some(why), failed)?));
        }
        Some(Ended::Failed(error)) => failed.push(error),
        None => {}
    }
    let (path, middle) = (&path[first..], middle - first);
    let begin = |passed: &mut Passed| {
        let walker = Walker::at(source, &path[middle], &passed.pairs[middle], options.order, options.polish);
        let margins = (!passed.margins.is_empty()).then(|| passed.margins.clone());
        let watch = Watch::passed_before(source, path, margins);
        let mut way = Way { source, walker, watch };
        way.step(passed, path).map(|()| way)
    };
    let (passed, ended) = on_from(source, path, passed, &begin, options, journal)?;
    let points = path[..passed.pairs.len()].to_vec();
    let mut stopped = None;
    match ended {
        Some(Ended::Stopped(why)) => stopped = Some(why),
        Some(Ended::Failed(error)) => failed.push(error),
        None => {}
    }
    Ok((first, passed.into_track(source, points, stopped, failed)?))
}

/// What ends a track before the end of its path.
enum Ended {
    Stopped(Stopped),
    Failed(ParametricError),
}

/// The samples of a path from its first one on.
fn walked<S: SeriesSource>(
    source: &S,
    path: &[Vec<f64>],
    starts: &[StartingEigenpair],
    options: &TrackOptions,
    journal: &mut dyn Journal,
) -> Result<(Passed, Option<Ended>), ParametricError> {
    let begin = |passed: &mut Passed| Way::begin(source, path, starts, options, passed);
    on_from(source, path, Passed::default(), &begin, options, journal)
}

/// The samples after those passed; `begin` computes the first of them. An empty list of the journal is a sample that failed.
///
/// Errors: those of the first sample of all.
fn on_from<'a, S: SeriesSource>(
    source: &'a S,
    path: &'a [Vec<f64>],
    mut passed: Passed,
    begin: &dyn Fn(&mut Passed) -> Result<Way<'a, S>, ParametricError>,
    options: &TrackOptions,
    journal: &mut dyn Journal,
) -> Result<(Passed, Option<Ended>), ParametricError> {
    let (mut last, mut failed_before) = (None, false);
    while passed.pairs.len() < path.len() {
        let Some(numbers) = journal.recall() else { break };
        failed_before = numbers.is_empty();
        if failed_before || passed.take(&mut Reader::new(&numbers), source).is_none() {
            break;
        }
        last = Some(numbers);
    }
    let last = last.filter(|_| passed.pairs.len() < path.len());
    let mut way = last.and_then(|numbers| Way::on(source, path, &numbers, &passed, options));
    while passed.pairs.len() < path.len() {
        let step = interrupt::attempt(|| match way.take() {
            Some(mut on) => on.step(&mut passed, path).map(|()| on),
            None => begin(&mut passed),
        });
        match step {
            Ok(Err(error)) if passed.pairs.is_empty() => return Err(error),
            Ok(Err(error)) => {
                if !failed_before {
                    journal.keep(Vec::new());
                }
                return Ok((passed, Some(Ended::Failed(error))));
            }
            Ok(Ok(on)) => {
                let mut out = Writer::default();
                passed.write_last(&mut out, on.watch.last(), &source.learnt());
                on.walker.write(&mut out);
                passed.margins.extend(on.watch.last());
                journal.keep(out.done());
                way = Some(on);
            }
            Err(why) => return Ok((passed, Some(Ended::Stopped(why)))),
        }
    }
    Ok((passed, None))
}

/// The samples passed.
#[derive(Default)]
struct Passed {
    pairs: Vec<Vec<RefinedEigenpair>>,
    mac: Vec<Dense>,
    beside: Vec<usize>,
    margins: Vec<f64>,
}

impl Passed {
    /// The same samples the other way round.
    fn reversed(mut self) -> Self {
        let last = self.pairs.len().saturating_sub(1);
        self.pairs.reverse();
        self.mac = self.mac.iter().rev().map(|mac| mac.transpose().to_owned()).collect();
        self.beside = self.beside.iter().rev().map(|i| last - i).collect();
        self.margins.reverse();
        self
    }

    /// The track along `points`, with the encounters on it.
    fn into_track<S: SeriesSource>(
        self,
        source: &S,
        points: Vec<Vec<f64>>,
        stopped: Option<Stopped>,
        failed: Vec<ParametricError>,
    ) -> Result<Track, ParametricError> {
        let Self { pairs, mac, beside, .. } = self;
        let encounters = interrupt::finish(|| encounter::find(source, &points, &pairs))?;
        Ok(Track { points, eigenpairs: pairs, mac, passed_beside: beside, encounters, stopped, failed })
    }

    /// Writes the sample passed last; the state of the walker follows it.
    fn write_last(&self, out: &mut Writer, margin: Option<f64>, learnt: &[f64]) {
        let sample = self.pairs.len() - 1;
        step::write_pairs(out, &self.pairs[sample]);
        out.count(usize::from(self.beside.contains(&sample)));
        if let Some(mac) = self.mac.last() {
            out.square(mac);
        }
        out.list(margin.as_slice()).list(learnt);
    }

    /// Takes in a sample that was written; the reader then stands at the walker.
    fn take<S: SeriesSource>(&mut self, from: &mut Reader<'_>, source: &S) -> Option<()> {
        let sample = self.pairs.len();
        let pairs = step::read_pairs(from)?;
        let beside = from.count()? > 0;
        let mac = if sample > 0 { Some(from.square()?) } else { None };
        let (margin, learnt) = (from.list()?, from.list()?);
        self.pairs.push(pairs);
        self.mac.extend(mac);
        self.beside.extend(beside.then_some(sample));
        self.margins.extend(margin);
        source.learn(&learnt);
        Some(())
    }
}

/// What goes from sample to sample.
struct Way<'a, S: SeriesSource> {
    source: &'a S,
    walker: Walker<'a, S>,
    watch: Watch<'a, S>,
}

impl<'a, S: SeriesSource> Way<'a, S> {
    /// At the first sample.
    fn begin(
        source: &'a S,
        path: &'a [Vec<f64>],
        starts: &[StartingEigenpair],
        options: &TrackOptions,
        passed: &mut Passed,
    ) -> Result<Self, ParametricError> {
        let walker = Walker::new(source, &path[0], starts, options.order, options.polish)?;
        let watch = Watch::new(source, path)?;
        passed.pairs.push(walker.eigenpairs().to_vec());
        Ok(Self { source, walker, watch })
    }

    /// At the sample that was kept last.
    fn on(
        source: &'a S,
        path: &'a [Vec<f64>],
        numbers: &[f64],
        passed: &Passed,
        options: &TrackOptions,
    ) -> Option<Self> {
        let mut from = Reader::new(numbers);
        step::read_pairs(&mut from)?;
        from.count()?;
        if passed.pairs.len() > 1 {
            from.square()?;
        }
        // The margin, and what the source has learnt.
        from.list()?;
        from.list()?;
        let walker = Walker::read(source, &mut from, options.order, options.polish)?;
        let margins = (!passed.margins.is_empty()).then(|| passed.margins.clone());
        Some(Self { source, walker, watch: Watch::passed_before(source, path, margins) })
    }

    /// To the next sample. A step that is ended inside leaves the samples before it as they were.
    fn step(&mut self, passed: &mut Passed, path: &[Vec<f64>]) -> Result<(), ParametricError> {
        let sample = passed.pairs.len();
        let point = &path[sample];
        let (pairs, beside) = match self.walker.go(point) {
            Ok(()) => (self.walker.eigenpairs().to_vec(), false),
            Err(ParametricError::TrackLost { .. }) => (self.walker.beside(&path[sample - 1], point)?, true),
            Err(error) => return Err(self.watch.named(sample, error)),
        };
        let pencil = self.source.matrices(point)?;
        let mac = left_right_mac_matrix(&pencil, &passed.pairs[sample - 1], &pairs);
        self.watch.passed(sample, &pencil)?;
        passed.pairs.push(pairs);
        passed.mac.push(mac);
        passed.beside.extend(beside.then_some(sample));
        Ok(())
    }
}
