//! Whether what an answer says is true: error bounds, counts, completeness, classes.
//!
//! An eigenvalue that exists and was not returned is missing where it lies nearer to what was asked for than one that
//! was returned, or where fewer were returned than were asked for, or inside of a band. An answer that misses one must
//! say so.

use mb_algebra::c64;
use mb_eigen::sparse::{Completeness, Region, Request, SparseFinding};
use mb_eigen::{Class, CountedClass, Eigenpair, Finding, Spectrum, SpuriousOrigin, pairing};

use super::asked::{Answer, Form};
use super::{Known, Problem, penalties};

/// Whether all is there that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reach {
    Full,
    /// Something is missing, and a finding says so.
    Told(String),
    /// Something is missing, and a finding says that completeness was not proved.
    Unproved(String),
    /// Something is missing, and nothing says so.
    Silent(String),
}

/// What is to be said of one answer.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// An eigenvalue outside of its bound.
    pub(crate) uncovered: Option<String>,
    pub(crate) reach: Reach,
    /// Findings, counts and classes that are not true.
    pub(crate) wrong: Vec<String>,
    /// Whether completeness is claimed as proved, and whether it is said not to be.
    pub(crate) proved: bool,
    pub(crate) open: bool,
    pub(crate) eigenvalues: usize,
}

impl Verdict {
    /// What is wrong, if anything is.
    pub(crate) fn fault(&self) -> Option<String> {
        let silent = match &self.reach {
            Reach::Silent(why) => Some(format!("silently incomplete: {why}")),
            _ => None,
        };
        let faults: Vec<String> =
            self.uncovered.iter().cloned().chain(silent).chain(self.wrong.clone()).collect();
        (!faults.is_empty()).then(|| faults.join("; "))
    }
}

/// An answer against the eigenvalues that exist.
struct Case<'a> {
    problem: &'a Problem,
    answer: &'a Answer,
    spectrum: &'a Spectrum,
    /// Pairs with finite eigenvalues.
    found: Vec<&'a Eigenpair>,
    exact: Vec<Known>,
    /// The first so many of them are those of the mechanism.
    own: usize,
}

/// Judges one answer.
pub(crate) fn judge(problem: &Problem, answer: &Answer, spectrum: &Spectrum) -> Verdict {
    let finite = |pair: &&Eigenpair| {
        pair.class.is_motion() || pair.class == Class::Spurious { origin: SpuriousOrigin::Penalty }
    };
    let (exact, own) = match (&problem.penalty, answer.form) {
        (Some(penalty), Form::Penalty) => {
            let all = penalty.physical.iter().chain(&penalty.spurious).copied().collect();
            (all, penalty.physical.len())
        }
        _ => (problem.exact.clone(), problem.exact.len()),
    };
    let found = spectrum.eigenpairs.iter().filter(finite).collect();
    Case { problem, answer, spectrum, found, exact, own }.verdict()
}

impl Case<'_> {
    fn verdict(&self) -> Verdict {
        let matched = self.matched();
        let (uncovered, reach, mut wrong) = match &matched {
            Err(why) => (Some(why.clone()), Reach::Full, Vec::new()),
            Ok(partners) => {
                let missing: Vec<usize> = (0..self.own).filter(|j| !partners.contains(j)).collect();
                (None, self.reach(&missing, partners), self.classes(partners))
            }
        };
        wrong.extend(self.spectrum.findings.iter().filter_map(|finding| self.untrue(finding)));
        wrong.extend(self.counts());
        let proved = self.spectrum.completeness().any(Completeness::is_complete);
        Verdict { uncovered, reach, wrong, proved, open: self.is_open(), eigenvalues: self.found.len() }
    }

    /// Whether for each missing eigenvalue one of the penalty was returned, and a finding says that the two kinds
    /// cannot be distinguished.
    ///
    /// That holds for eigenvalues that share their energy with each other, and for those at one place, whose vectors
    /// are any mixture.
    fn exchanged(&self, missing: &[usize], partners: &[usize]) -> bool {
        let Some(penalty) = self.problem.penalty.as_ref().filter(|_| self.answer.form == Form::Penalty)
        else {
            return false;
        };
        let unclear = |pair: &Eigenpair| pair.penalty_share.is_some_and(|share| share > penalties::UNCLEAR);
        let stand =
            |(pair, j): &(&&Eigenpair, &usize)| pair.class.is_motion() && unclear(pair) && **j >= self.own;
        let bounds = || self.found.iter().zip(partners).filter(stand).map(|(pair, _)| pair.error_bound);
        let widest = bounds().fold(0.0, f64::max);
        let together = |j: usize| {
            let (s, error) = self.exact[j];
            self.exact[self.own..].iter().any(|(t, other)| (s - t).norm() <= error + other + widest)
        };
        let told = |finding: &Finding| matches!(finding, Finding::PenaltyOverlap { .. });
        self.spectrum.findings.iter().any(told)
            && bounds().count() >= missing.len()
            && missing.iter().all(|&j| penalty.mixed.contains(&j) || together(j))
    }

    /// For every eigenvalue found the exact one within its bound, each used once; else what does not fit.
    fn matched(&self) -> Result<Vec<usize>, String> {
        let values: Vec<c64> = self.found.iter().filter_map(|pair| pair.value()).collect();
        if values.len() < self.found.len() || values.len() > self.exact.len() {
            let (finite, all, exist) = (values.len(), self.found.len(), self.exact.len());
            return Err(format!("{finite} finite of {all} eigenvalues, {exist} exist"));
        }
        // The assignment of least distances may leave out a bound that another one serves: with 0 +- 1.5 and 0.7 found
        // for 0.7 and
        // 1.3, both eigenvalues found are within their bounds, but not of the nearest eigenvalues.
        self.within_error_bounds(&values).ok_or_else(|| self.outside(&values))
    }

    /// The first eigenvalue that lies outside its bound where each has the exact one that keeps all distances least.
    fn outside(&self, values: &[c64]) -> String {
        let eigenvalues: Vec<c64> = self.exact.iter().map(|(s, _)| *s).collect();
        // A NaN is not covered.
        let off = |&(i, j, distance): &(usize, usize, f64)| {
            let allowed = self.found[i].error_bound + self.exact[j].1;
            !matches!(distance.partial_cmp(&allowed), Some(order) if order.is_le())
        };
        let first = pairing::match_values(values, &eigenvalues).into_iter().find(off);
        first.map_or_else(
            || "some eigenvalue lies outside its error bound".to_owned(),
            |(i, j, distance)| {
                let Eigenpair { error_bound, condition, backward_error, .. } = self.found[i];
                format!(
                    "{} is {distance:e} from {}, bound {error_bound:e}, condition {condition:e}, backward {backward_error:e}",
                    values[i], eigenvalues[j]
                )
            },
        )
    }

    /// For every eigenvalue found an exact one within its bound, each used once, nearest ones first; none where there
    /// is no such assignment.
    ///
    /// Augmenting paths: Kuhn, Nav. Res. Logist. 2 (1955), section 3.
    fn within_error_bounds(&self, values: &[c64]) -> Option<Vec<usize>> {
        let distance = |i: usize, j: usize| (self.exact[j].0 - values[i]).norm();
        // Bounds that reach eigenvalues of several kinds, of the mechanism and of the penalty, zeros and others, are
        // read as the class says.
        let other_kind = |i: usize, j: usize| {
            let class = self.found[i].class;
            class.is_motion() != (j < self.own) || (self.exact[j].0.norm() == 0.0) != (class == Class::Rigid)
        };
        let reach: Vec<Vec<usize>> = (0..values.len())
            .map(|i| {
                let within = |j: &usize| distance(i, *j) <= self.found[i].error_bound + self.exact[*j].1;
                let mut reach: Vec<usize> = (0..self.exact.len()).filter(within).collect();
                let stands = |j: usize| (other_kind(i, j), distance(i, j));
                reach.sort_by(|j, k| {
                    let (a, b) = (stands(*j), stands(*k));
                    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
                });
                reach
            })
            .collect();
        let of_kind: Vec<Vec<usize>> = reach
            .iter()
            .enumerate()
            .map(|(i, reach)| reach.iter().copied().filter(|&j| !other_kind(i, j)).collect())
            .collect();
        let mut taken: Vec<Option<usize>> = vec![None; self.exact.len()];
        // Eigenvalues with the fewest choices come first, so that narrow bounds keep their nearest eigenvalues; as many as
        // can take one of their own kind, and what has been taken stays so when those that are left are placed.
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&i| reach[i].len());
        let left: Vec<usize> = order
            .into_iter()
            .filter(|&i| !place(i, &of_kind, &mut taken, &mut vec![false; self.exact.len()]))
            .collect();
        for i in left {
            if !place(i, &reach, &mut taken, &mut vec![false; self.exact.len()]) {
                return None;
            }
        }
        let mut partners = vec![0; values.len()];
        taken.iter().enumerate().for_each(|(j, i)| i.iter().for_each(|i| partners[*i] = j));
        Some(partners)
    }

    /// How far an eigenvalue is from what was asked for; none for a request without an order.
    fn key(&self, s: c64) -> Option<f64> {
        match self.answer.request {
            Request::Lowest { .. } => Some(s.norm()),
            Request::Largest { .. } => Some(-s.norm()),
            Request::NearFrequency { hz, .. } => {
                Some((c64::new(s.re, s.im.abs()) - c64::new(0.0, std::f64::consts::TAU * hz)).norm())
            }
            Request::NearPoint { s: point, .. } => Some((s - point).norm()),
            Request::Band { .. } | Request::All => None,
        }
    }

    /// Modes returned, or eigenvalues where each counts for itself.
    fn modes(&self) -> usize {
        if matches!(self.answer.request, Request::NearPoint { .. }) {
            return self.found.len();
        }
        // A pair in disguise does not show that nothing damps it: there each real eigenvalue is a mode by itself.
        let undamped = self.problem.is_undamped() && !self.answer.who.starts_with("hidden");
        let (mut i, mut out) = (0, 0);
        while let Some(pair) = self.found.get(i) {
            let s = pair.value().unwrap_or_default();
            let next = self.found.get(i + 1).and_then(|next| next.value());
            let together = match next {
                Some(next) if s.im > 0.0 => next == s.conj(),
                Some(next) if pair.class == Class::Rigid => pair.chain == 2 && next == s,
                Some(next) => undamped && s.re != 0.0 && (next + s).norm() <= 1e-9 * s.norm(),
                None => false,
            };
            i += if together { 2 } else { 1 };
            out += 1;
        }
        out
    }

    /// Whether a finding says that completeness is not proved.
    fn is_open(&self) -> bool {
        let open = |finding: &Finding| match finding {
            Finding::Sparse { detail } => {
                matches!(detail, SparseFinding::Unproved { .. } | SparseFinding::Undecided { .. })
            }
            _ => false,
        };
        self.spectrum.findings.iter().any(open)
    }

    fn reach(&self, missing: &[usize], partners: &[usize]) -> Reach {
        let Some(why) = self.lacks(missing, partners) else { return Reach::Full };
        let open = missing.len() <= self.open_at_infinity()
            && missing.iter().all(|j| self.exact[*j].0.norm() >= self.beyond());
        if self.spectrum.falls_short() || open || self.exchanged(missing, partners) {
            Reach::Told(why)
        } else if self.is_open() {
            Reach::Unproved(why)
        } else {
            Reach::Silent(why)
        }
    }

    /// Eigenvalues of which a finding says that they may be infinite or finite, and the |s| above which it says they are.
    fn open_at_infinity(&self) -> usize {
        let open = |finding: &Finding| match finding {
            Finding::InfiniteByRounding { eigenvalues, .. } => Some(*eigenvalues),
            _ => None,
        };
        self.spectrum.findings.iter().filter_map(open).max().unwrap_or(0)
    }

    /// Zero where it does not say.
    fn beyond(&self) -> f64 {
        let beyond = |finding: &Finding| match finding {
            Finding::InfiniteByRounding { beyond, .. } => Some(beyond.unwrap_or(0.0)),
            _ => None,
        };
        self.spectrum.findings.iter().filter_map(beyond).fold(f64::INFINITY, f64::min)
    }

    /// What is not there that was asked for.
    fn lacks(&self, missing: &[usize], partners: &[usize]) -> Option<String> {
        let names =
            || missing.iter().take(4).map(|j| self.exact[*j].0.to_string()).collect::<Vec<_>>().join(", ");
        match self.answer.request {
            Request::All => (!missing.is_empty()).then(|| format!("not found: {}", names())),
            Request::Band { from_hz, to_hz, max_damping_ratio } => {
                let undamped = self.problem.is_undamped();
                let searched = self.spectrum.findings.iter().find_map(|finding| match finding {
                    Finding::Sparse { detail: SparseFinding::BandCovered { damping_ratio } } => {
                        Some(*damping_ratio)
                    }
                    _ => None,
                });
                let most = max_damping_ratio.or(searched).filter(|_| !undamped);
                let inside = |j: &&usize| {
                    let (s, error) = self.exact[**j];
                    let edge =
                        |hz: f64, sign: f64| std::f64::consts::TAU * hz * (1.0 + sign * 1e-14) + sign * error;
                    let im = s.im.abs();
                    // Of undamped problems, those that do not oscillate stand at no frequency.
                    let oscillates = s.im != 0.0 || s.norm() == 0.0;
                    let within = edge(from_hz, -1.0) <= im && im <= edge(to_hz, 1.0);
                    let at_edge = error > 1e-9 * s.norm();
                    let light = most.is_none_or(|most| s.re.abs() + error <= most * s.norm() * (1.0 - 1e-12));
                    within && !at_edge && light && (oscillates || !undamped)
                };
                let lost = missing.iter().find(inside);
                lost.map(|j| format!("{} lies in the band", self.exact[*j].0))
            }
            _ => self.lacks_nearest(missing, partners),
        }
    }

    fn lacks_nearest(&self, missing: &[usize], partners: &[usize]) -> Option<String> {
        let count = match self.answer.request {
            Request::Lowest { count }
            | Request::Largest { count }
            | Request::NearFrequency { count, .. }
            | Request::NearPoint { count, .. } => count,
            Request::Band { .. } | Request::All => return None,
        };
        // Which modes are the lowest is decided on the mechanism without penalties.
        let penalized = self.answer.form == Form::Penalty;
        let place = |j: usize| if penalized { self.problem.exact.get(j) } else { self.exact.get(j) };
        let key = |j: usize| place(j).and_then(|(s, _)| self.key(*s)).unwrap_or(f64::INFINITY);
        let nearest = *missing.iter().min_by(|a, b| key(**a).total_cmp(&key(**b)))?;
        let (s, error) = *place(nearest)?;
        let modes = self.modes();
        if modes < count {
            return Some(format!("{modes} of {count} modes, {s} is not among them"));
        }
        let limit = key(nearest) + error;
        let beyond = self.found.iter().zip(partners).find(|(pair, j)| {
            let value = pair.value().unwrap_or_default();
            let own = if penalized { Some(key(**j)) } else { self.key(value) };
            own.is_some_and(|own| own - pair.error_bound > limit + 1e-13 * value.norm().max(s.norm()))
        })?;
        Some(format!("{} is returned, but {s} is not", beyond.0.value()?))
    }

    /// Rigid pairs stand at exact zeros, and all of those are called rigid.
    fn classes(&self, partners: &[usize]) -> Vec<String> {
        let mut out = Vec::new();
        let blurred = self.zero_by_rounding()
            || self.spectrum.findings.iter().any(|finding| {
                matches!(
                    finding,
                    Finding::NearlyZeroStiffness { .. }
                        | Finding::LongChain { at_infinity: false }
                        | Finding::StiffPenalty { .. }
                )
            });
        for (pair, j) in self.found.iter().zip(partners) {
            let zero = self.exact[*j].0.norm() == 0.0;
            // Where its bound reaches zero, an eigenvalue is not said to be none.
            let blurred = blurred || (zero && pair.value().is_some_and(|s| s.norm() <= pair.error_bound));
            if zero != (pair.class == Class::Rigid) && !blurred {
                out.push(format!("{:?} at {}", pair.class, self.exact[*j].0));
            }
        }
        out.truncate(1);
        out
    }

    /// Whether a finding says that the digits of K do not determine which eigenvalues are zero.
    fn zero_by_rounding(&self) -> bool {
        self.spectrum.findings.iter().any(|finding| matches!(finding, Finding::ZeroByRounding { .. }))
    }

    /// The widest error bound of what counts as zero where that finding says so: what is nearer to zero is not
    /// distinguished.
    fn blurred_zeros(&self) -> f64 {
        let rigid = self.found.iter().filter(|pair| pair.class == Class::Rigid);
        if self.zero_by_rounding() { rigid.map(|pair| pair.error_bound).fold(0.0, f64::max) } else { 0.0 }
    }

    /// Bounds of the number of exact eigenvalues that a test accepts, of which `test` says how far inside they are and
    /// how sure that is.
    fn number(&self, test: impl Fn(c64, f64) -> (f64, f64)) -> (usize, usize) {
        let (mut least, mut most) = (0, 0);
        for (s, error) in &self.exact[..self.own] {
            let (inside, sure) = test(*s, *error);
            least += usize::from(inside > sure);
            most += usize::from(inside >= -sure);
        }
        (least, most)
    }

    /// Modes with w = -s^2 in an interval: half of the eigenvalues.
    fn modes_between(&self, from: f64, to: f64) -> (usize, usize) {
        let (least, most) = self.number(|s, error| {
            let w = -(s * s).re;
            ((w - from).min(to - w), 2.0 * s.norm() * error + 4.0 * f64::EPSILON * w.abs())
        });
        (least / 2, most.div_ceil(2))
    }

    /// What is not true of a count.
    fn miscounted(&self, count: &Completeness) -> Option<String> {
        let undamped = self.problem.is_undamped() && self.answer.form == Form::Constrained;
        let (least, most) = match count.region {
            Region::Interval { from, to } if undamped => self.modes_between(from, to),
            Region::Above { limit } if undamped => {
                let (least, most) = self.number(|s, error| {
                    (s.norm_sqr() - limit, 2.0 * s.norm() * error + 4.0 * f64::EPSILON * s.norm_sqr())
                });
                (least / 2, most.div_ceil(2))
            }
            Region::Inside { re, im, radius, squared } => self.inside(c64::new(re, im), radius, squared),
            Region::Outside { radius, squared } => {
                let (least, most) = self.inside(c64::new(0.0, 0.0), radius, squared);
                let all = if squared { self.own / 2 } else { self.own };
                (all - most, all - least)
            }
            _ => return None,
        };
        let wrong = count.counted < least || count.counted > most;
        wrong.then(|| format!("{count}: there are {least} to {most}"))
    }

    /// What is not true of a finding.
    fn untrue(&self, finding: &Finding) -> Option<String> {
        let differs = |said: usize, (least, most): (usize, usize)| {
            (said < least || said > most).then(|| format!("{finding:?}, but there are {least} to {most}"))
        };
        let Finding::Sparse { detail } = finding else { return None };
        let undamped = self.problem.is_undamped() && self.answer.form == Form::Constrained;
        match *detail {
            SparseFinding::Completeness(count) => self.miscounted(&count),
            SparseFinding::FewerExist { exist, .. } => {
                let modes = self.modes();
                let all = self.found.len() + self.open_at_infinity() >= self.own && modes == exist;
                (!all).then(|| {
                    format!("{finding:?}, but {modes} modes are returned and {} eigenvalues exist", self.own)
                })
            }
            SparseFinding::EmptyBand { .. } => {
                let every: Vec<usize> = (0..self.own).collect();
                self.lacks(&every, &[]).map(|why| format!("{finding:?}: {why}"))
            }
            SparseFinding::MultipleCut { re, im, found, returned } => {
                let at = c64::new(re, im);
                let blurred = if at.norm() == 0.0 { self.blurred_zeros() } else { 0.0 };
                let same = |s: c64| (s - at).norm() <= 2e-6 * at.norm();
                let mut exist = self
                    .exact
                    .iter()
                    .filter(|(s, error)| same(*s) || (s - at).norm() <= error.max(blurred))
                    .count();
                if at.norm() == 0.0 && undamped {
                    exist /= 2;
                }
                let fits = returned < found && found <= exist;
                (!fits).then(|| format!("{finding:?}, but there are {exist}"))
            }
            SparseFinding::GrowingNotShown { counted, .. } => {
                // At least so many are said to grow.
                let (_, most) = self.number(|s, error| {
                    // One of two conjugates.
                    if s.im < 0.0 { (-1.0, 0.0) } else { (s.re, error.max(1e-9 * s.norm())) }
                });
                differs(counted, (0, most))
            }
            _ => None,
        }
    }

    /// Exact eigenvalues, or their squares, inside a circle.
    fn inside(&self, centre: c64, radius: f64, squared: bool) -> (usize, usize) {
        let (least, most) = self.number(|s, error| {
            let tau = if squared { s * s } else { s };
            let sure = if squared { 2.0 * s.norm() * error } else { error };
            (radius - (tau - centre).norm(), sure + 1e-13 * (tau.norm() + radius))
        });
        if squared { (least / 2, most.div_ceil(2)) } else { (least, most) }
    }

    /// Counts by theory and of what was found.
    fn counts(&self) -> Vec<String> {
        let mut out = Vec::new();
        let counts = &self.spectrum.counts;
        let mut same = |what: &str, said: usize, is: usize| {
            if said != is {
                out.push(format!("{what} {said} for {is}"));
            }
        };
        let motion = self.spectrum.motion().count();
        same("motion found", counts.found.motion(), motion);
        let hidden = self.answer.who.starts_with("hidden");
        if !hidden {
            same("rank", counts.rank, self.problem.rank);
        }
        let mismatch = |class: CountedClass| {
            let of =
                |finding: &Finding| matches!(finding, Finding::CountMismatch { class: c, .. } if *c == class);
            self.spectrum.findings.iter().any(of)
        };
        // The whole is counted by rank decisions, parts at least not below what exists; zero counts say that nothing is known.
        if counts.expected.total() == 0 {
            return out;
        }
        if self.answer.request == Request::All
            && !mismatch(CountedClass::Motion)
            && self.answer.form == Form::Constrained
        {
            let (said, exist) = (counts.expected.motion, self.exact.len());
            let surely = self.exact.iter().filter(|(s, _)| s.norm() < self.beyond()).count();
            let fits = surely <= said && said <= exist && exist <= said + self.open_at_infinity();
            same("motion expected", said, if fits { said } else { exist });
        } else if counts.expected.motion + self.open_at_infinity() < self.own {
            out.push(format!("motion expected {} of {}", counts.expected.motion, self.own));
        }
        out
    }
}

/// Gives eigenvalue i a place in its reach, moving others to another of theirs where need be.
fn place(i: usize, reach: &[Vec<usize>], taken: &mut [Option<usize>], seen: &mut [bool]) -> bool {
    for &j in &reach[i] {
        if std::mem::replace(&mut seen[j], true) {
            continue;
        }
        if taken[j].is_none_or(|other| place(other, reach, taken, seen)) {
            taken[j] = Some(i);
            return true;
        }
    }
    false
}
