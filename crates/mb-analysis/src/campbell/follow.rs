//! Modes from speed to speed, identified by their vectors.
//!
//! At a new speed each mode is sought where its last three speeds point to, by Newton's method on its eigenpair; where that
//! fails, or in a small model leaves out one of the eigenvalues that there are, all modes of the new speed are computed and each takes the
//! one most like itself ([`mb_parametric::track::left_right_mac`]). Where modes coincide they have no vectors of their own: the mode keeps those it
//! came with. An eigenvalue may pass through zero to the other side, so that its imaginary part may be negative.

use super::newton::{ahead, by_newton, distinct};
use super::path::{Look, Path};
use super::stop::Stop;
use crate::error::AnalysisError;
use crate::part;
use crate::spectra::{FormulationSpectrum, of_linear};
use mb_algebra::c64;
use mb_algebra::sorted::{ascending, descending};
use mb_constraints::NullSpaceMethod;
use mb_eigen::sparse::{Request, SparseOptions};
use mb_eigen::{Class, Eigenpair};
use mb_linear::Formulation;
use mb_linear::steady::Whirl;
use mb_parametric::track::{Shape, left_right_mac};

/// A mode at a speed.
#[derive(Clone, Debug, PartialEq)]
pub struct ModePoint {
    /// Eigenvalue in the frame of the diagram, 1/s and rad/s.
    pub s: c64,
    /// Error bound of it, rad/s.
    pub error: f64,
    /// From -1 (circles against the spin) to 1 (with it), seen from the ground; none in other frames and for real eigenvalues.
    pub whirl: Option<f64>,
    /// Shape, n numbers.
    pub right: Vec<c64>,
    /// Conjugated left vector, n numbers.
    pub(super) left: Vec<c64>,
}

impl ModePoint {
    pub(super) fn shape(&self) -> Shape<'_> {
        Shape { s: self.s, right: &self.right, left: &self.left }
    }
    /// Frequency seen in the frame, Hz.
    pub fn frequency_hz(&self) -> f64 {
        self.s.im.abs() / std::f64::consts::TAU
    }
    /// Whether it does not oscillate, as far as is known.
    pub(super) fn is_real(&self) -> bool {
        self.s.im.abs() <= self.error
    }
    /// Whether it neither grows nor decays for certain: of a reversible system what does not oscillate for certain either, since an eigenvalue
    /// alone on the imaginary axis stays there.
    pub(super) fn is_open(&self, reversible: bool) -> bool {
        (!reversible || self.is_real()) && self.s.re.abs() <= self.error
    }
    /// Whether another mode of a reversible system, whose energy has the other sign, may be the same within the error bounds of both: two that
    /// meet may grow.
    pub(super) fn may_have_met(&self, other: &Self) -> bool {
        self.energy() * other.energy() < 0.0 && (self.s - other.s).norm() <= self.error + other.error
    }
    /// The sign of the energy of an oscillation times that of its frequency.
    ///
    /// With y^H (2 s M + C) x = 1 and, in a reversible system, y = c x for an imaginary s: x^H (2 s M + C) x = 1 / conj(c) is
    /// imaginary, and has the sign asked for.
    pub(super) fn energy(&self) -> f64 {
        // z = conj(y) = conj(c) conj(x), so that z . x = conj(c) |x|^2 and 1 / conj(c) = |x|^2 / (z . x).
        let product: c64 = self.left.iter().zip(&self.right).map(|(z, x)| z * x).sum();
        -product.im.signum()
    }
    /// Whether it grows for certain; of a reversible system the opposite of a decaying one does too.
    pub(super) fn grows(&self, reversible: bool) -> bool {
        let re = if reversible { self.s.re.abs() } else { self.s.re };
        re > self.error
    }
}

/// Least likeness of a mode at two neighbouring speeds.
pub(super) const LIKE: f64 = 0.5;

/// A mode that none is like is sought up to this share of its eigenvalue away.
const FAR: f64 = 0.5;

/// Eigenvalues this near, relative to their size, coincide.
pub(super) const COINCIDE: f64 = 1e-6;

/// The modes of one speed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) w: f64,
    pub(super) turn: f64,
    pub(super) reversible: bool,
    pub(super) modes: Vec<Option<ModePoint>>,
    /// Eigenvalues of a small model that are none of these, one of each conjugate two: a mode that ceases to oscillate leaves two of which
    /// one is followed.
    pub(super) others: Vec<ModePoint>,
    /// The eigenvalue that grows fastest among all that were computed, with Re s > 0, and whether it does not oscillate.
    pub(super) growth: Option<(c64, bool)>,
    /// How many eigenvalues, no exact zeros, are open ([`ModePoint::is_open`]).
    pub(super) open: usize,
    /// How many eigenvalues that are no exact zeros have to be found at the next speed, where all of them do.
    pub(super) total: Option<usize>,
}

/// The modes followed, and what grows among all that were computed.
pub(super) struct Found {
    pub(super) modes: Vec<Option<ModePoint>>,
    pub(super) others: Vec<ModePoint>,
    pub(super) growth: Option<(c64, bool)>,
    pub(super) open: usize,
    pub(super) total: Option<usize>,
}

impl Sample {
    pub(super) fn new(w: f64, stop: &Stop, found: Found) -> Self {
        let Found { modes, others, growth, open, total } = found;
        Self { w, turn: stop.turn, reversible: stop.reversible, modes, others, growth, open, total }
    }
    /// Whether no eigenvalue but exact zeros is left out.
    pub(super) fn follows_all(&self) -> bool {
        self.total == Some(distinct(self.modes.iter().flatten(), false))
    }
    /// With one of the modes alone.
    pub(super) fn of_mode(&self, mode: usize) -> Self {
        Self { modes: vec![self.modes[mode].clone()], others: Vec::new(), total: None, ..*self }
    }
}

/// How many eigenvalues are open to grow or decay within their error bounds, of conjugate ones one.
fn open<'a>(all: impl Iterator<Item = &'a ModePoint>, reversible: bool) -> usize {
    let mut found: Vec<&ModePoint> = Vec::new();
    for m in all.filter(|m| m.s.norm() > 0.0 && m.is_open(reversible)) {
        let same = |o: &&ModePoint| {
            let conjugate = (o.s - m.s.conj()).norm() <= COINCIDE * m.s.norm() + o.error + m.error;
            m.s.im.abs() > m.error && conjugate
        };
        if !found.iter().any(same) {
            found.push(m);
        }
    }
    found.len()
}

/// The eigenvalue that grows fastest.
fn growth<'a>(all: impl Iterator<Item = &'a ModePoint>, reversible: bool) -> Option<(c64, bool)> {
    let grown = all.filter(|m| m.grows(reversible));
    let grown = grown.map(|m| (c64::new(m.s.re.abs(), m.s.im), m.is_real()));
    grown.max_by(|a, b| a.0.re.total_cmp(&b.0.re))
}

/// All speeds, rising or falling as they were asked for.
pub(super) struct Samples {
    pub(super) list: Vec<Sample>,
}

impl Samples {
    /// By mode, then by speed.
    pub(super) fn modes(&self) -> Vec<Vec<Option<ModePoint>>> {
        let count = self.list.first().map_or(0, |s| s.modes.len());
        (0..count).map(|k| self.list.iter().map(|s| s.modes[k].clone()).collect()).collect()
    }
}

impl Samples {
    /// Numbers of the modes that are among the `count` of lowest frequency at either end, and of those given.
    pub(super) fn lowest(&self, count: usize, given: &[usize]) -> Vec<usize> {
        let modes = self.list.first().map_or(0, |s| s.modes.len());
        let mut kept = given.to_vec();
        for sample in [self.list.first(), self.list.last()].into_iter().flatten() {
            let size = |k: &usize| sample.modes[*k].as_ref().map_or(f64::INFINITY, |m| m.s.norm());
            let mut order: Vec<usize> = (0..modes).filter(|k| size(k).is_finite()).collect();
            ascending(&mut order, size);
            kept.extend(order.into_iter().take(count));
        }
        kept.sort_unstable();
        kept.dedup();
        kept
    }
    /// With some of the modes alone.
    pub(super) fn of_modes(&self, kept: &[usize]) -> Self {
        let select = |s: &Sample| Sample {
            modes: kept.iter().map(|k| s.modes[*k].clone()).collect(),
            others: Vec::new(),
            total: None,
            ..s.clone()
        };
        Self { list: self.list.iter().map(select).collect() }
    }
}

/// Modes followed downwards from the last speed.
pub(super) struct Follow<'a> {
    path: &'a Path<'a>,
    count: usize,
    /// From the last speed down.
    done: Vec<Sample>,
}

impl<'a> Follow<'a> {
    pub(super) fn new(path: &'a Path<'a>, count: usize) -> Self {
        Self { path, count, done: Vec::new() }
    }
    /// Goes to the next speed.
    pub(super) fn go(&mut self, w: f64, looks: Look) -> Result<(), AnalysisError> {
        mb_algebra::interrupt::check();
        let stop = self.path.at(w, looks)?;
        let found = match self.done.last() {
            None => self.path.kept(|| self.first(&stop, w))?,
            Some(last) => {
                let before: Vec<&Sample> = self.done.iter().rev().skip(1).take(NEIGHBOURS - 1).collect();
                next(self.path, &stop, w, last, &before)?
            }
        };
        self.done.push(Sample::new(w, &stop, found));
        Ok(())
    }
    /// The modes that are followed, at the first speed.
    fn first(&self, stop: &Stop, w: f64) -> Result<Found, AnalysisError> {
        let every = complete(stop, self.count).map_err(|source| {
            let source = Box::new(source);
            AnalysisError::AtSpeed { speed: w, source }
        })?;
        let (growth, open) = (growth(every.iter(), stop.reversible), open(every.iter(), stop.reversible));
        let total = self.path.is_small().then_some(every.len());
        let modes = lowest(every, self.count).into_iter().map(Some).collect();
        Ok(Found { modes, others: Vec::new(), growth, open, total })
    }
    /// Puts the speeds in the order in which they were asked for.
    pub(super) fn rise(&mut self) {
        self.done.reverse();
    }
    /// Adds the lowest modes next to the first speed that are none of the modes followed, and follows them upwards.
    pub(super) fn complete_from_below(&mut self) -> Result<(), AnalysisError> {
        let Some(begin) = self.done.get(1.min(self.done.len() - 1)).map(|s| s.w) else { return Ok(()) };
        let first = usize::from(self.done.len() > 1);
        let stop = self.path.at(begin, Look::Between)?;
        let new: Vec<ModePoint> = lowest_of_all(self.path, &stop, self.count)?
            .modes
            .into_iter()
            .flatten()
            .filter(|m| !self.done[first].modes.iter().flatten().any(|o| same(o, m)))
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        let mut own: Vec<Vec<Option<ModePoint>>> = vec![Vec::new(); self.done.len()];
        own[first] = new.into_iter().map(Some).collect();
        let sample = |done: &[Sample], own: &[Vec<Option<ModePoint>>], k: usize| Sample {
            modes: own[k].clone(),
            others: Vec::new(),
            total: None,
            ..done[k].clone()
        };
        for k in first + 1..self.done.len() {
            let stop = self.path.at(self.done[k].w, Look::Between)?;
            let last = sample(&self.done, &own, k - 1);
            let before: Vec<Sample> =
                (first..k - 1).rev().take(NEIGHBOURS - 1).map(|i| sample(&self.done, &own, i)).collect();
            let before: Vec<&Sample> = before.iter().collect();
            own[k] = next(self.path, &stop, self.done[k].w, &last, &before)?.modes;
            known_apart(&mut own[k], &self.done[k]);
        }
        if first == 1 {
            let stop = self.path.at(self.done[0].w, Look::Between)?;
            own[0] = next(self.path, &stop, self.done[0].w, &sample(&self.done, &own, 1), &[])?.modes;
            known_apart(&mut own[0], &self.done[0]);
        }
        for (sample, own) in self.done.iter_mut().zip(own) {
            sample.modes.extend(own);
        }
        Ok(())
    }
    /// The speeds reached.
    pub(super) fn speeds(&self) -> Vec<f64> {
        self.done.iter().map(|sample| sample.w).collect()
    }
    pub(super) fn into_samples(self) -> Samples {
        Samples { list: self.done }
    }
}

/// Takes out what has become one of the modes followed, where it is reported.
fn known_apart(modes: &mut [Option<ModePoint>], followed: &Sample) {
    for mode in modes {
        *mode = mode.take().filter(|m| !followed.modes.iter().flatten().any(|o| same(o, m)));
    }
}

/// Whether two modes have one eigenvalue, or conjugate ones.
fn same(o: &ModePoint, m: &ModePoint) -> bool {
    let near = |s: c64| (s - m.s).norm() <= 1e-9 * m.s.norm() + o.error + m.error;
    near(o.s) || near(o.s.conj())
}

/// The modes of lowest frequency, one of each conjugate two, by rising frequency.
fn lowest(mut all: Vec<ModePoint>, count: usize) -> Vec<ModePoint> {
    all.retain(|m| m.s.im > m.error || m.is_real());
    ascending(&mut all, |a| a.s.norm());
    all.truncate(count);
    all
}

/// The `count` modes of lowest frequency as they are computed, one of each conjugate two, without the numbers of those followed.
pub(super) fn lowest_of_all(path: &Path<'_>, stop: &Stop, count: usize) -> Result<Found, AnalysisError> {
    path.kept(|| {
        let modes = lowest(all(stop, count)?, count).into_iter().map(Some).collect();
        Ok(Found { modes, others: Vec::new(), growth: None, open: 0, total: None })
    })
}

/// All modes of a small model, of a large one `count` of lowest frequency; with both of each conjugate two.
fn all(stop: &Stop, count: usize) -> Result<Vec<ModePoint>, AnalysisError> {
    let Some(lin) = &stop.lin else { return Ok(modes_of(stop, &computed(stop, count)?)) };
    if let Some(known) = stop.modes.get() {
        return Ok(known.clone());
    }
    let formulation = Formulation::Minimal(NullSpaceMethod::Qr);
    let found = of_linear(&stop.model, &stop.at, lin, &stop.known, &formulation)?;
    Ok(stop.modes.get_or_init(|| modes_of(stop, &found)).clone())
}

/// The same; an error where some are missing. Those at further speeds are followed from these.
fn complete(stop: &Stop, count: usize) -> Result<Vec<ModePoint>, AnalysisError> {
    if stop.lin.is_some() {
        return all(stop, count);
    }
    let found = computed(stop, count)?;
    match found.spectrum.findings.iter().find(|finding| finding.falls_short()) {
        Some(finding) => Err(AnalysisError::ModesMissing { reason: finding.to_string() }),
        None => Ok(modes_of(stop, &found)),
    }
}

/// `count` modes of lowest frequency of a large model.
fn computed(stop: &Stop, count: usize) -> Result<FormulationSpectrum, AnalysisError> {
    let options = SparseOptions { left_vectors: true, ..SparseOptions::default() };
    part::of_model(&stop.model, &stop.at, Request::Lowest { count }, &options)
}

fn modes_of(stop: &Stop, found: &FormulationSpectrum) -> Vec<ModePoint> {
    let one = |pair: &Eigenpair| -> Option<ModePoint> {
        if !pair.class.is_motion() || pair.class == Class::Rigid {
            return None;
        }
        let s = pair.value()?;
        let left = pair.left.iter().map(c64::conj).collect();
        Some(turned(
            ModePoint { s, error: pair.error_bound, whirl: None, right: pair.right.to_vec(), left },
            stop.whirl(),
        ))
    };
    found.spectrum.eigenpairs.iter().filter_map(one).collect()
}

/// With the sense in which it goes round.
pub(super) fn turned(mut m: ModePoint, whirl: Option<&Whirl>) -> ModePoint {
    if m.s.im.abs() > m.error {
        m.whirl = whirl.and_then(|w| w.sense(&m.right)).map(|x| x * m.s.im.signum());
    }
    m
}

/// Speeds that a mode is followed from.
const NEIGHBOURS: usize = 5;

/// The modes of `last` at the speed of `stop`; `before` are further neighbours, the nearest first.
pub(super) fn next(
    path: &Path<'_>,
    stop: &Stop,
    w: f64,
    last: &Sample,
    before: &[&Sample],
) -> Result<Found, AnalysisError> {
    path.kept(|| sought(path, stop, w, last, before))
}

fn sought(
    path: &Path<'_>,
    stop: &Stop,
    w: f64,
    last: &Sample,
    before: &[&Sample],
) -> Result<Found, AnalysisError> {
    let neighbours: Vec<&Sample> = std::iter::once(last).chain(before.iter().copied()).collect();
    let starts: Vec<_> = (0..last.modes.len()).map(|k| ahead(w, &neighbours, k)).collect();
    if let Some((modes, others)) = by_newton(path, stop, last, &starts) {
        let found = || modes.iter().flatten().chain(&others);
        let (growth, open) = (growth(found(), stop.reversible), open(found(), stop.reversible));
        return Ok(Found { modes, others, growth, open, total: last.total });
    }
    let guesses: Vec<Option<c64>> = starts.into_iter().map(|start| Some(start?.s)).collect();
    let candidates = all(stop, last.modes.len() + EXTRA)?;
    let (growth, open) =
        (growth(candidates.iter(), stop.reversible), open(candidates.iter(), stop.reversible));
    let total = path.is_small().then_some(candidates.len());
    let modes = alike(stop, last, &guesses, &candidates);
    let others = if total.is_some() { beside(&modes, candidates) } else { Vec::new() };
    Ok(Found { modes, others, growth, open, total })
}

/// The candidates that are none of the modes, one of each conjugate two.
fn beside(modes: &[Option<ModePoint>], candidates: Vec<ModePoint>) -> Vec<ModePoint> {
    let taken = |m: &ModePoint| modes.iter().flatten().any(|o| o.s == m.s || o.s == m.s.conj());
    candidates.into_iter().filter(|m| m.s.im >= 0.0 && m.s.norm() > m.error && !taken(m)).collect()
}

/// Modes beyond those followed that are computed where Newton's method fails.
const EXTRA: usize = 4;

/// Each mode takes the candidate most like it; where none is, the nearest one that is left.
fn alike(
    stop: &Stop,
    last: &Sample,
    guesses: &[Option<c64>],
    candidates: &[ModePoint],
) -> Vec<Option<ModePoint>> {
    let mut likeness: Vec<(f64, usize, usize)> = Vec::new();
    for (j, mode) in last.modes.iter().enumerate() {
        let Some(mode) = mode else { continue };
        for (k, candidate) in candidates.iter().enumerate() {
            let mac = left_right_mac(&stop.pencil, &mode.shape(), &candidate.shape());
            if mac >= LIKE {
                likeness.push((mac.min(1.0 / mac), j, k));
            }
        }
    }
    descending(&mut likeness, |a| a.0);
    let mut out: Vec<Option<usize>> = vec![None; last.modes.len()];
    let mut taken = vec![false; candidates.len()];
    // A mode takes its conjugate's place with it.
    let take = |taken: &mut Vec<bool>, k: usize| {
        taken[k] = true;
        let conjugate = candidates[k].s.conj();
        let other = (0..candidates.len()).find(|i| !taken[*i] && candidates[*i].s == conjugate && *i != k);
        if let Some(i) = other.filter(|_| conjugate != candidates[k].s) {
            taken[i] = true;
        }
    };
    for (_, j, k) in likeness {
        if out[j].is_none() && !taken[k] {
            out[j] = Some(k);
            take(&mut taken, k);
        }
    }
    for (j, guess) in guesses.iter().enumerate() {
        let (None, Some(guess)) = (out[j], guess) else { continue };
        let distance = |k: &usize| (candidates[*k].s - guess).norm();
        let left = (0..candidates.len()).filter(|k| !taken[*k] && distance(k) <= FAR * guess.norm());
        if let Some(k) = left.min_by(|a, b| distance(a).total_cmp(&distance(b))) {
            out[j] = Some(k);
            take(&mut taken, k);
        }
    }
    // Where all are known and one is left on either side, they belong together: a vector dominated by drift changes as 1 / s.
    let upper = |k: &usize| !taken[*k] && candidates[*k].s.im >= -candidates[*k].error;
    let rest: Vec<usize> = (0..candidates.len()).filter(upper).collect();
    let lost: Vec<usize> = (0..out.len()).filter(|j| out[*j].is_none() && last.modes[*j].is_some()).collect();
    if let ([j], [k], true) = (&lost[..], &rest[..], stop.lin.is_some() && last.total.is_some()) {
        out[*j] = Some(*k);
        take(&mut taken, *k);
    }
    // A mode that was lost, in a range of growth say, comes back as the lowest that is left.
    let mut left: Vec<usize> = (0..candidates.len()).filter(|k| !taken[*k]).collect();
    left.retain(|k| candidates[*k].s.im > candidates[*k].error || candidates[*k].s.re > candidates[*k].error);
    descending(&mut left, |a| candidates[*a].s.norm());
    for slot in &mut out {
        if slot.is_none() {
            *slot = left.pop();
        }
    }
    let double = |k: usize| {
        let s = candidates[k].s;
        candidates.iter().enumerate().any(|(i, o)| i != k && (o.s - s).norm() <= COINCIDE * s.norm())
    };
    let chosen = |(j, k): (usize, Option<usize>)| -> Option<ModePoint> {
        let k = k?;
        let mut point = candidates[k].clone();
        if let Some(mode) = last.modes[j].as_ref().filter(|_| double(k)) {
            (point.right, point.left) = (mode.right.clone(), mode.left.clone());
            point.whirl = mode.whirl;
        }
        Some(point)
    };
    out.into_iter().enumerate().map(chosen).collect()
}
