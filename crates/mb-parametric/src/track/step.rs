//! From the modes at one point to the same modes at the next.

use super::mac::left_right_mac;
use crate::journal::{Reader, Writer};
use crate::polish::{CheckedPencil, PolishOptions, RefinedEigenpair, StartingEigenpair};
use crate::source::SeriesSource;
use crate::vectors::dot;
use crate::{MultiIndexSet, ParametricError, expand};
use mb_algebra::{c64, norms};

/// Modes that go on must have at least this MAC with where they came from.
const LEAST_MAC: f64 = 0.6;
/// How far near a coincidence modes are looked for, as a share of the step.
const ASIDE: f64 = 1e-3;
/// The way to a point may be halved so often.
const HALVINGS: u32 = 10;
/// A step goes on where the last one led to if it leaves that line by no more than this share of its length.
const ASTRAY: f64 = 1e-9;

/// Modes at a point, and what predicts them nearby.
pub(crate) struct Walker<'a, S: SeriesSource> {
    source: &'a S,
    polish: PolishOptions,
    /// Degree of the polynomial that predicts; 0 for the mode itself.
    order: usize,
    at: Vec<f64>,
    eigenpairs: Vec<RefinedEigenpair>,
    /// The point before and the modes there.
    before: Option<Modes>,
    predictor: Option<Predictor>,
}

/// A point and the modes there.
type Modes = (Vec<f64>, Vec<StartingEigenpair>);

/// What a step begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guess {
    /// The line through the last two points, or the last one.
    Line,
    /// Series about the point reached.
    Series,
}

/// Series about some point passed.
struct Predictor {
    centre: Vec<f64>,
    /// The modes there, from which the series follow.
    starts: Vec<StartingEigenpair>,
    series: Vec<crate::EigenpairSeries>,
}

/// Writes an eigenpair.
pub(super) fn write_pair(out: &mut Writer, pair: &RefinedEigenpair) {
    out.complex(pair.s);
    for list in [&pair.vector, &pair.multipliers, &pair.left, &pair.left_multipliers] {
        out.complex_list(list);
    }
    out.number(pair.gap).number(pair.condition).count(pair.iterations);
}

/// Reads an eigenpair.
pub(super) fn read_pair(from: &mut Reader<'_>) -> Option<RefinedEigenpair> {
    Some(RefinedEigenpair {
        s: from.complex()?,
        vector: from.complex_list()?,
        multipliers: from.complex_list()?,
        left: from.complex_list()?,
        left_multipliers: from.complex_list()?,
        gap: from.number()?,
        condition: from.number()?,
        iterations: from.count()?,
    })
}

/// Writes several pairs.
pub(super) fn write_pairs(out: &mut Writer, pairs: &[RefinedEigenpair]) {
    out.count(pairs.len());
    for pair in pairs {
        write_pair(out, pair);
    }
}

/// Reads several pairs.
pub(super) fn read_pairs(from: &mut Reader<'_>) -> Option<Vec<RefinedEigenpair>> {
    let count = from.count()?;
    (0..count).map(|_| read_pair(from)).collect()
}

/// Reads points with the modes there, none or one.
fn read_modes(from: &mut Reader<'_>) -> Option<Vec<Modes>> {
    let points = from.count()?;
    let mut one = || {
        let at = from.list()?;
        let count = from.count()?;
        let mut start = || Some(StartingEigenpair { s: from.complex()?, vector: from.complex_list()? });
        Some((at, (0..count).map(|_| start()).collect::<Option<Vec<_>>>()?))
    };
    (0..points.min(1)).map(|_| one()).collect()
}

impl<'a, S: SeriesSource> Walker<'a, S> {
    /// Starts with these modes, improved to rounding.
    pub(crate) fn new(
        source: &'a S,
        at: &[f64],
        starts: &[StartingEigenpair],
        order: usize,
        polish_options: PolishOptions,
    ) -> Result<Self, ParametricError> {
        let pencil = source.matrices(at)?;
        let checked = CheckedPencil::new(&pencil)?;
        let pairs = starts
            .iter()
            .map(|start| checked.polish(start, &polish_options))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            source,
            polish: polish_options,
            order,
            at: at.to_vec(),
            eigenpairs: pairs,
            before: None,
            predictor: None,
        })
    }

    /// Stands at modes that are known.
    pub(super) fn at(
        source: &'a S,
        at: &[f64],
        eigenpairs: &[RefinedEigenpair],
        order: usize,
        polish: PolishOptions,
    ) -> Self {
        let (at, eigenpairs) = (at.to_vec(), eigenpairs.to_vec());
        Self { source, polish, order, at, eigenpairs, before: None, predictor: None }
    }

    /// Writes where it stands, and what foretells from there.
    pub(super) fn write(&self, out: &mut Writer) {
        out.list(&self.at);
        write_pairs(out, &self.eigenpairs);
        let predictor = self.predictor.as_ref().map(|p| (&p.centre, &p.starts));
        let before = self.before.as_ref().map(|(at, starts)| (at, starts));
        for modes in [before, predictor] {
            out.count(usize::from(modes.is_some()));
            if let Some((at, starts)) = modes {
                out.list(at).count(starts.len());
                for start in starts {
                    out.complex(start.s).complex_list(&start.vector);
                }
            }
        }
    }

    /// A walker where another one was when it was written; what it foretells with is expanded again, from the same modes.
    pub(super) fn read(
        source: &'a S,
        from: &mut Reader<'_>,
        order: usize,
        polish: PolishOptions,
    ) -> Option<Self> {
        let (at, eigenpairs) = (from.list()?, read_pairs(from)?);
        let [before, predictor] = [read_modes(from)?.pop(), read_modes(from)?.pop()];
        let mut walker = Self { source, polish, order, at, eigenpairs, before, predictor: None };
        walker.predictor = predictor.and_then(|(centre, starts)| walker.expanded(centre, starts));
        Some(walker)
    }

    pub(crate) fn eigenpairs(&self) -> &[RefinedEigenpair] {
        &self.eigenpairs
    }

    pub(crate) fn starts(&self) -> Vec<StartingEigenpair> {
        self.eigenpairs
            .iter()
            .map(|pair| StartingEigenpair { s: pair.s, vector: pair.vector.clone() })
            .collect()
    }

    /// Goes to a point, in as many steps as it takes.
    ///
    /// Errors: [`ParametricError::TrackLost`] where a mode cannot be reported, those of the source.
    pub(crate) fn go(&mut self, to: &[f64]) -> Result<(), ParametricError> {
        let from = self.at.clone();
        let least = 0.5_f64.powi(i32::try_from(HALVINGS).unwrap_or(0));
        let (mut done, mut step) = (0.0_f64, 1.0_f64);
        let mut guess = Guess::Line;
        while done < 1.0 {
            let share = (done + step).min(1.0);
            let point: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + share * (b - a)).collect();
            match self.try_step(&point, guess)? {
                Ok(pairs) => {
                    self.before = Some((std::mem::replace(&mut self.at, point), self.starts()));
                    (self.eigenpairs, done, guess) = (pairs, share, Guess::Line);
                    step *= 2.0;
                }
                // A line, or a polynomial about a point far behind, may miss a narrow gap.
                Err(_) if guess == Guess::Line && self.order > 0 => guess = Guess::Series,
                Err(_) if step > least => step *= 0.5,
                Err(mode) => {
                    return Err(ParametricError::TrackLost { mode, s: self.eigenpairs[mode].s, point });
                }
            }
        }
        Ok(())
    }

    /// The modes at a point where they coincide: found a little beyond it, on the way from
    /// `from`, with eigenvalues moved back to first order.
    ///
    /// Errors: as [`Walker::go`].
    pub(crate) fn beside(
        &mut self,
        from: &[f64],
        to: &[f64],
    ) -> Result<Vec<RefinedEigenpair>, ParametricError> {
        let off: Vec<f64> = from.iter().zip(to).map(|(a, b)| ASIDE * (b - a)).collect();
        let point: Vec<f64> = to.iter().zip(&off).map(|(x, d)| x + d).collect();
        self.go(&point)?;
        let set = MultiIndexSet::total(self.source.parameters(), 1)?;
        let pencil = self.source.series(&point, &set)?;
        let back: Vec<f64> = off.iter().map(|x| -x).collect();
        let mut pairs = self.eigenpairs.clone();
        for (pair, start) in pairs.iter_mut().zip(self.starts()) {
            let options = crate::ExpandOptions { polish: self.polish, ..Default::default() };
            pair.s = expand(&pencil, &start, &set, &options)?.eigenvalue(&back)?;
        }
        Ok(pairs)
    }

    /// The modes at a point, or the first one that could not be reported.
    fn try_step(
        &mut self,
        to: &[f64],
        guess: Guess,
    ) -> Result<Result<Vec<RefinedEigenpair>, usize>, ParametricError> {
        let pencil = self.source.matrices(to)?;
        let guesses = match guess {
            Guess::Line => self.on_the_line(to),
            Guess::Series => self.predict(to)?,
        };
        let Ok(checked) = CheckedPencil::new(&pencil) else { return Ok(Err(0)) };
        let mut found: Vec<RefinedEigenpair> = Vec::with_capacity(guesses.len());
        for (mode, (guess, before)) in guesses.iter().zip(&self.eigenpairs).enumerate() {
            let Ok(pair) = checked.polish(guess, &self.polish) else { return Ok(Err(mode)) };
            let mac = left_right_mac(&pencil, &before.into(), &(&pair).into());
            // Two modes that were different stay so.
            let close = |other: &&RefinedEigenpair| (other.s - pair.s).norm() <= 1e-9 * pair.s.norm();
            let double = found
                .iter()
                .find(close)
                .is_some_and(|other| left_right_mac(&pencil, &other.into(), &(&pair).into()) > 0.5);
            if !(LEAST_MAC..=1.0 / LEAST_MAC).contains(&mac) || double {
                return Ok(Err(mode));
            }
            found.push(pair);
        }
        Ok(Ok(found))
    }

    /// Guesses at a point: where the last step led to, going on as far; else the modes passed last.
    fn on_the_line(&self, to: &[f64]) -> Vec<StartingEigenpair> {
        let Some((old, modes)) = self.before.as_ref().filter(|_| self.order > 0) else {
            return self.starts();
        };
        let (step, last): (Vec<f64>, Vec<f64>) =
            (0..to.len()).map(|k| (to[k] - self.at[k], self.at[k] - old[k])).unzip();
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let by = product(&step, &last) / product(&last, &last);
        let off = step.iter().zip(&last).map(|(s, l)| (s - by * l).abs()).fold(0.0, f64::max);
        if by.is_nan() || off > ASTRAY * norms::max_abs_vec(&step) {
            return self.starts();
        }
        let went_on = |(now, old): (&RefinedEigenpair, &StartingEigenpair)| {
            // In the phase and size in which it is nearest to what came after it.
            let conjugated: Vec<c64> = old.vector.iter().map(c64::conj).collect();
            let c = dot(&conjugated, &now.vector) / dot(&conjugated, &old.vector);
            let vector = now.vector.iter().zip(&old.vector).map(|(x, o)| x + (x - c * o) * by).collect();
            StartingEigenpair { s: now.s + (now.s - old.s) * by, vector }
        };
        self.eigenpairs.iter().zip(modes).map(went_on).collect()
    }

    /// Guesses at a point: from the polynomial where it can be trusted, else the modes passed last.
    fn predict(&mut self, to: &[f64]) -> Result<Vec<StartingEigenpair>, ParametricError> {
        self.expand_here();
        let Some(predictor) = &self.predictor else { return Ok(self.starts()) };
        let d: Vec<f64> = to.iter().zip(&predictor.centre).map(|(a, b)| a - b).collect();
        let evaluate = |series: &crate::EigenpairSeries| -> Result<_, ParametricError> {
            let at = series.evaluate(&d, series.order())?;
            let good = at.trusted && at.error < 0.1 * series.gap();
            Ok(good.then_some(StartingEigenpair { s: at.s, vector: at.vector }))
        };
        let guesses =
            predictor.series.iter().map(evaluate).collect::<Result<Option<Vec<_>>, ParametricError>>()?;
        Ok(guesses.unwrap_or_else(|| self.starts()))
    }

    /// Expands about the point reached; no predictor where that is not possible.
    fn expand_here(&mut self) {
        if self.predictor.as_ref().is_some_and(|p| p.centre == self.at) {
            return;
        }
        self.predictor = self.expanded(self.at.clone(), self.starts());
    }

    /// The series of modes at a point; none where they have none.
    fn expanded(&self, centre: Vec<f64>, starts: Vec<StartingEigenpair>) -> Option<Predictor> {
        let series = || -> Result<Vec<_>, ParametricError> {
            let set = MultiIndexSet::total(self.source.parameters(), self.order)?;
            let pencil = self.source.series(&centre, &set)?;
            let options = crate::ExpandOptions { polish: self.polish, ..Default::default() };
            starts.iter().map(|start| expand(&pencil, start, &set, &options)).collect()
        };
        series().ok().map(|series| Predictor { centre, starts, series })
    }
}
