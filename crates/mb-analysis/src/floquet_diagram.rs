//! Floquet exponents of periodic motions over a parameter, with the ends of the ranges in which disturbances grow.
//!
//! ```text
//! value -> model, period -> periodic motion near that of the neighbour -> multipliers mu -> s = (ln mu + 2 pi i k) / T
//! ```
//!
//! A multiplier leaves the whole number k open; it is zero at the first value, and at the others the one that continues the exponent. The
//! multipliers of neighbours are matched by the nearest to where the last two point. An end of a range is enclosed by halving, between a
//! value at which a multiplier is outside the unit circle by more than its error and one at which none is; ranges between two values are
//! looked for where multipliers meet or come out (`search`).

mod kept;
mod search;

use crate::error::AnalysisError;
use crate::periodic::{OrbitError, OrbitSearch, periodic_motion};
use crate::steps::{Numbers, Steps};
use mb_algebra::sorted::ascending;
use mb_algebra::{Stopped, c64};
use mb_model::ModelSpec;
use mb_model::spec::Value;
use mb_parametric::Journal;
use mb_periodic::{Class, Floquet, Multiplier, PeriodicError, Stability};
use search::{Log, Search};
use std::cell::OnceCell;
use std::f64::consts::TAU;

/// An exponent at a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponent {
    /// Growth 1/s and angular frequency rad/s.
    pub s: c64,
    /// Estimate of its error, 1/s.
    pub error: f64,
    /// What its multiplier says.
    pub class: Class,
}

/// A range of values in which disturbances grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grows {
    /// Where it begins, and half the width of an enclosure of that; none before the first value.
    pub from: Option<[f64; 2]>,
    /// Where it ends; none beyond the last value.
    pub to: Option<[f64; 2]>,
    /// Largest real part at the values computed in it, 1/s, and the value of that.
    pub growth: [f64; 2],
}

/// Exponents of periodic motions over a parameter.
#[derive(Clone, Debug)]
pub struct FloquetDiagram {
    /// Values of the parameter.
    pub values: Vec<f64>,
    /// Periods, s.
    pub periods: Vec<f64>,
    /// By mode, then by value; of a conjugate pair both. None where a multiplier is zero within its error.
    pub exponents: Vec<Vec<Option<Exponent>>>,
    /// Verdicts at the values.
    pub stability: Vec<Stability>,
    /// Ranges in which something grows, in the order of the values; none are solved for where the work was ended.
    pub grows: Vec<Grows>,
    /// Intervals in which growth was looked for and neither found nor seen to be absent: two multipliers meet there within their errors, or motions
    /// are not found, change too fast, or have vibrations that the steps do not resolve. In the order of the values.
    pub undecided: Vec<[f64; 2]>,
    /// Why the work ended before the last value or the ends of the ranges; what was computed until then is kept.
    pub ended: Option<Stopped>,
}

/// Halvings to the end of a range.
const HALVINGS: u32 = 36;

/// Follows periodic motions and their exponents over a parameter.
///
/// `search`: the period as an expression of parameters, or a guess of it, and where the search for the first motion starts. The motions found are
/// steps of `journal`, from which a later run with the same arguments takes them.
///
/// # Errors
/// [`OrbitError`] with the value at which it fails.
pub fn floquet_diagram(
    spec: &ModelSpec,
    parameter: &str,
    [from, to]: [f64; 2],
    samples: usize,
    search: &OrbitSearch,
    journal: &mut dyn Journal,
) -> Result<FloquetDiagram, OrbitError> {
    Steps::with(journal, |steps| diagram(&Over { spec, parameter, search, steps }, [from, to], samples))
}

fn diagram(family: &Over<'_>, [from, to]: [f64; 2], samples: usize) -> Result<FloquetDiagram, OrbitError> {
    let count = samples.max(2);
    let mut found: Vec<Sample> = Vec::new();
    let mut ended = None;
    // An error of work that was asked to end is that end, where there is something to keep.
    let over = |found: &[Sample]| family.search.options.watch.look().err().filter(|_| found.len() > 1);
    for k in 0..count {
        let value = from + (to - from) * k as f64 / (count - 1) as f64;
        match family.at(value, found.last()) {
            Ok(sample) => found.push(sample),
            Err(error) => {
                ended = Some(over(&found).ok_or(error)?);
                break;
            }
        }
    }
    let (grows, undecided) = match ended {
        Some(_) => (Vec::new(), Vec::new()),
        None => ranges(family, &found).or_else(|error| {
            ended = Some(over(&found).ok_or(error)?);
            Ok::<_, OrbitError>((Vec::new(), Vec::new()))
        })?,
    };
    Ok(FloquetDiagram {
        values: found.iter().map(|s| s.value).collect(),
        periods: found.iter().map(|s| s.period).collect(),
        exponents: followed(&found),
        stability: found.iter().map(|s| s.stability).collect(),
        grows,
        undecided,
        ended,
    })
}

/// Growth is clear of the error of its multiplier from so many times that on.
const CLEAR: f64 = 10.0;

/// A periodic motion at a value.
struct Sample {
    value: f64,
    /// Coordinates and velocities at its start.
    start: [Vec<f64>; 2],
    /// Its period, s.
    period: f64,
    /// Its multipliers, without their vectors.
    multipliers: Vec<Multiplier>,
    stability: Stability,
    /// The logarithms of its multipliers with their slopes, once they are asked for.
    logs: OnceCell<Vec<Log>>,
}

impl Sample {
    fn is_resolved(&self) -> bool {
        !self.multipliers.iter().any(|m| m.class == Class::Unresolved)
    }
    fn grows(&self) -> bool {
        self.multipliers.iter().any(|m| m.class == Class::Growing)
    }
    /// The value, the largest |mu| - 1 and the estimate of its error, where that is far smaller.
    fn excess(&self) -> Option<[f64; 3]> {
        let all = self.multipliers.iter().filter(|m| m.error.is_finite());
        let all = all.map(|m| (m.value.norm() - 1.0, m.error));
        let largest = all.max_by(|a, b| a.0.total_cmp(&b.0));
        largest
            .filter(|(excess, error)| *excess > CLEAR * error)
            .map(|(excess, error)| [self.value, excess, error])
    }
    /// The largest real part, 1/s.
    fn growth(&self) -> f64 {
        let of = |m: &Multiplier| m.exponent.map(|s| s.re);
        self.multipliers.iter().filter_map(of).fold(f64::NEG_INFINITY, f64::max)
    }
}

struct Over<'a> {
    spec: &'a ModelSpec,
    parameter: &'a str,
    search: &'a OrbitSearch,
    /// The motions, in the order in which they are asked for.
    steps: &'a Steps<'a>,
}

impl Over<'_> {
    /// The periodic motion at a value: one that was kept, else one that is sought from that of a neighbour, which is kept.
    fn at(&self, value: f64, near: Option<&Sample>) -> Result<Sample, OrbitError> {
        let whole = || self.search.options.watch.look().is_ok();
        let read = |numbers: &[f64]| kept::read(value, numbers);
        self.steps.next(|| self.sought(value, near), Numbers { written: kept::written, read }, whole)
    }
    /// The periodic motion at a value, sought from that of a neighbour.
    fn sought(&self, value: f64, near: Option<&Sample>) -> Result<Sample, OrbitError> {
        let at = |source: AnalysisError| {
            OrbitError::from(AnalysisError::AtSpeed { speed: value, source: Box::new(source) })
        };
        let mut spec = self.spec.clone();
        spec.set_parameter(self.parameter, Value::Number(value)).map_err(|e| at(e.into()))?;
        let model = spec.build().map_err(|e| at(e.into()))?;
        let mut search = self.search.clone();
        // What rolls moves at any speed: a neighbour's motion is one of this model too, and not that of its own speeds.
        let near = near.filter(|_| !model.velocity_rows().iter().any(|v| *v));
        if let Some([q, v]) = near.map(|n| &n.start) {
            search.given = q.iter().copied().enumerate().collect();
            search.velocities = v.iter().copied().enumerate().collect();
            search.settle = None;
            search.guess = near.map(|n| n.period);
        }
        let (orbit, floquet) =
            periodic_motion(&spec, &model, &search, &mut |_| {}).map_err(|error| match error {
                OrbitError::Analysis(source) => at(source),
                OrbitError::Periodic(source) => PeriodicError::At { value, source: Box::new(source) }.into(),
                other @ OrbitError::Period { .. } => other,
            })?;
        let start = orbit.states.first().map_or_else(Default::default, |s| [s.q.clone(), s.v.clone()]);
        let Floquet { period, stability, multipliers, .. } = floquet;
        let multipliers = multipliers.into_iter().map(|m| Multiplier { vector: Vec::new(), ..m }).collect();
        Ok(Sample { value, start, period, multipliers, stability, logs: OnceCell::new() })
    }
}

/// Exponents by mode, then by value.
fn followed(samples: &[Sample]) -> Vec<Vec<Option<Exponent>>> {
    let Some(first) = samples.first() else { return Vec::new() };
    let modes = first.multipliers.len();
    let mut out: Vec<Vec<Option<Exponent>>> = vec![Vec::with_capacity(samples.len()); modes];
    // Where each mode points to: value, exponent, of the last two.
    let mut last: Vec<Vec<(f64, c64)>> = vec![Vec::new(); modes];
    for sample in samples {
        let turn = TAU / sample.period;
        let multipliers = &sample.multipliers;
        let expected = |known: &[(f64, c64)]| -> Option<c64> {
            match known {
                [.., (w0, s0), (w1, s1)] => Some(*s1 + (*s1 - *s0) * ((sample.value - w1) / (w1 - w0))),
                [(_, s)] => Some(*s),
                [] => None,
            }
        };
        let continued = |s: c64, near: Option<c64>| match near {
            Some(near) => c64::new(s.re, s.im + turn * ((near.im - s.im) / turn).round()),
            None => s,
        };
        let off = |mode: usize, k: usize| match (multipliers[k].exponent, expected(&last[mode])) {
            (Some(s), Some(near)) => (continued(s, Some(near)) - near).norm(),
            // At first in their own order; what has no exponent comes last.
            (_, None) if mode == k => 0.0,
            (_, None) | (None, Some(_)) => f64::MAX,
        };
        let given = assigned([modes, multipliers.len()], off);
        for mode in 0..modes {
            let of = |k: usize| {
                let m = &multipliers[k];
                let s = continued(m.exponent?, expected(&last[mode]));
                // d(ln mu) = d mu / mu.
                let error = m.exponent_error(sample.period);
                Some(Exponent { s, error, class: m.class })
            };
            let point = given[mode].and_then(of);
            if let Some(point) = &point {
                last[mode].push((sample.value, point.s));
            }
            out[mode].push(point);
        }
    }
    out
}

/// For each of the first so many the one of the second that it takes, those least off first.
fn assigned([first, second]: [usize; 2], off: impl Fn(usize, usize) -> f64) -> Vec<Option<usize>> {
    let mut pairs: Vec<(f64, usize, usize)> =
        (0..first).flat_map(|i| (0..second).map(move |k| (i, k))).map(|(i, k)| (off(i, k), i, k)).collect();
    ascending(&mut pairs, |a| a.0);
    let (mut given, mut taken) = (vec![None; first], vec![false; second]);
    for (_, i, k) in pairs {
        if given[i].is_none() && !taken[k] {
            (given[i], taken[k]) = (Some(k), true);
        }
    }
    given
}

/// The ranges, with the intervals in which others were neither found nor seen to be absent.
fn ranges(family: &Over<'_>, samples: &[Sample]) -> Result<(Vec<Grows>, Vec<[f64; 2]>), OrbitError> {
    let search = Search::new(family, samples);
    let between: Vec<Vec<Sample>> =
        samples.windows(2).map(|pair| search.between(&pair[0], &pair[1])).collect::<Result<_, _>>()?;
    let last = samples.len() - 1;
    let with = samples[..last].iter().zip(&between).flat_map(|(s, more)| std::iter::once(s).chain(more));
    let samples: Vec<&Sample> = with.chain([&samples[last]]).collect();
    let mut out: Vec<Grows> = Vec::new();
    let mut open: Option<Grows> = None;
    for (k, sample) in samples.iter().enumerate() {
        if sample.grows() {
            let here = [sample.growth(), sample.value];
            match &mut open {
                Some(range) if range.growth[0] < here[0] => range.growth = here,
                Some(_) => {}
                None => {
                    let from =
                        k.checked_sub(1).map(|before| end(family, samples[before], sample)).transpose()?;
                    open = Some(Grows { from, to: None, growth: here });
                }
            }
        } else if let Some(mut range) = open.take() {
            range.to = Some(end(family, sample, samples[k - 1])?);
            out.push(range);
        }
    }
    out.extend(open);
    Ok((out, search.into_undecided()))
}

/// The end of a range between a value at which nothing grows and one at which something does.
fn end(family: &Over<'_>, quiet: &Sample, grown: &Sample) -> Result<[f64; 2], OrbitError> {
    let (mut still, mut grows) = (quiet.value, grown.value);
    let mut resolved = grown.excess();
    for _ in 0..HALVINGS {
        let middle = 0.5 * (still + grows);
        if middle.total_cmp(&still).is_eq() || middle.total_cmp(&grows).is_eq() {
            break;
        }
        let there = family.at(middle, Some(quiet))?;
        if there.grows() {
            grows = middle;
            resolved = there.excess().or(resolved);
        } else {
            still = middle;
        }
    }
    let end = 0.5 * (still + grows);
    // Growth below the error of its multiplier is not seen: by the slope of |mu| up to the nearest value at which it is clear of that, growth
    // begins so much earlier.
    let unseen = resolved.map_or(0.0, |[value, excess, error]| error * (value - end).abs() / excess);
    Ok([end, 0.5 * (grows - still).abs() + unseen])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::tests::Tape;
    use mb_algebra::{Dense, SymmetricEigen, Watch};
    use mb_parametric::NoJournal;

    /// A pendulum that stands upright on a pivot shaken by Y cos(W t).
    const UPRIGHT: &str = r#"
        units = "SI"
        name = "upright"
        gravity = [0, -9.81]
        parameters = { Y = 0.05, W = 60 }
        body = [
            { name = "pivot", mass = 1, inertia = 1, at = [0, "Y"], angle = 0 },
            { name = "rod", mass = 1, inertia = 0.1, center_of_mass = [0, 0.5], at = [0, "Y"], angle = 0 }]
        joint = [
            { name = "rail", type = "prismatic", a = "pivot", b = [0, 0], axis = [0, 1] },
            { name = "pin", type = "revolute", a = "rod", b = "pivot" }]
        drive = [{ name = "shake", quantity = "y", of = "pivot", law = "Y*cos(W*t)" }]
    "#;

    fn search() -> OrbitSearch {
        OrbitSearch { period: Some("2*pi/W".to_owned()), ..OrbitSearch::default() }
    }

    /// J theta'' = m l (g + y'') theta is Mathieu's equation x'' + (a - 2 q cos 2 tau) x = 0 with tau = W t / 2,
    ///
    /// a = -4 m l g / (J W^2), q = 2 m l Y / J, stable above a_0(q), the least eigenvalue of Hill's matrix of the even solutions of period pi.
    #[test]
    fn an_upright_pendulum_stands_above_the_limit_of_mathieus_equation() {
        let (j, ml, g, y) = (0.1 + 0.25, 0.5, 9.81, 0.05);
        let q = 2.0 * ml * y / j;
        let hill = Dense::from_fn(12, 12, |i, k| match (i, k) {
            (i, k) if i == k => 4.0 * (i * i) as f64,
            (0, 1) | (1, 0) => 2.0_f64.sqrt() * q,
            (i, k) if i.abs_diff(k) == 1 => q,
            _ => 0.0,
        });
        let least = SymmetricEigen::new(&hill).unwrap().values[0];
        let limit = (4.0 * ml * g / (j * -least)).sqrt();
        let spec = ModelSpec::from_toml(UPRIGHT).unwrap();
        let found = floquet_diagram(&spec, "W", [60.0, 90.0], 4, &search(), &mut NoJournal).unwrap();
        let [range] = found.grows.as_slice() else { panic!("{:?}", found.grows) };
        let [end, error] = range.to.unwrap();
        assert!(range.from.is_none() && error < 1e-6, "{range:?}");
        assert!((end - limit).abs() <= error + 1e-9 * limit, "{end} {error:e} {limit}");
        // Where it grows multipliers are real and one the inverse of the other, beyond they are on the unit circle.
        for (k, w) in found.values.iter().enumerate() {
            let at: Vec<Exponent> = found.exponents.iter().filter_map(|m| m[k]).collect();
            let sum: f64 = at.iter().map(|e| e.s.re).sum();
            assert!(at.len() == 2 && sum.abs() < 1e-7, "{w}: {at:?}");
            assert_eq!(at.iter().any(|e| e.class == Class::Growing), *w < limit, "{w}: {at:?}");
        }
    }

    /// Exponents of rest are those of the closed form whatever period is taken: those of a hanging pendulum over its length of time.
    #[test]
    fn frequencies_are_continued_through_the_fold_of_the_principal_branch() {
        let text = UPRIGHT
            .replace("center_of_mass = [0, 0.5]", "center_of_mass = [0, -0.5]")
            .replace("Y = 0.05", "Y = 0");
        let spec = ModelSpec::from_toml(&text).unwrap();
        // sqrt(m g l / J) = 3.74 rad/s folds where W / 2 is less.
        let found = floquet_diagram(&spec, "W", [9.0, 5.0], 9, &search(), &mut NoJournal).unwrap();
        let want = (0.5 * 9.81 / 0.35_f64).sqrt();
        for mode in &found.exponents {
            for (e, w) in mode.iter().zip(&found.values) {
                let e = e.unwrap();
                assert!((e.s.im.abs() - want).abs() < 1e-8, "{w}: {e:?}");
            }
        }
        assert!(found.grows.is_empty(), "{:?}", found.grows);
        // The pair passes through -1 where W is twice the frequency.
        let [[from, to]] = found.undecided[..] else { panic!("{:?}", found.undecided) };
        assert!((from - 2.0 * want).abs() < 1e-5 && (to - 2.0 * want).abs() < 1e-5, "{from} {to}");
    }

    /// Mathieu's equation grows between b_n(q) and a_n(q), eigenvalues of Hill's matrices of the odd and even solutions, which the
    /// samples miss all. Abramowitz and Stegun, Handbook of Mathematical Functions, 20.2.
    #[test]
    fn ranges_of_mathieus_equation_between_two_values_are_found() {
        let q = 0.5;
        let text = UPRIGHT.replace("center_of_mass = [0, 0.5]", "center_of_mass = [0, -0.5]").replace(
            "{ Y = 0.05, W = 60 }",
            "{ a = 1, q = 0.5, W = \"sqrt(4*0.5*9.81/(0.35*a))\", Y = \"0.35*q\" }",
        );
        let spec = ModelSpec::from_toml(&text).unwrap();
        // Numbers m of the functions cos(m x), sin(m x), what the first has on the diagonal besides, and beside the diagonal.
        let least = |numbers: [f64; 2], first: f64, beside: f64, k: usize| {
            let hill = Dense::from_fn(14, 14, |i, j| match (i, j) {
                (i, j) if i == j => {
                    (numbers[0] + numbers[1] * i as f64).powi(2) + if i == 0 { first } else { 0.0 }
                }
                (0, 1) | (1, 0) => beside,
                (i, j) if i.abs_diff(j) == 1 => q,
                _ => 0.0,
            });
            SymmetricEigen::new(&hill).unwrap().values[k]
        };
        let edges = [
            [least([1.0, 2.0], -q, q, 0), least([1.0, 2.0], q, q, 0)],
            [least([2.0, 2.0], 0.0, q, 0), least([0.0, 2.0], 0.0, 2.0_f64.sqrt() * q, 1)],
            [least([1.0, 2.0], -q, q, 1), least([1.0, 2.0], q, q, 1)],
        ];
        let found = floquet_diagram(&spec, "a", [0.3, 10.0], 3, &search(), &mut NoJournal).unwrap();
        assert!(found.stability.iter().all(|s| *s == Stability::Undecided) && found.undecided.is_empty());
        assert_eq!(found.grows.len(), edges.len(), "{:?}", found.grows);
        for (range, [b, a]) in found.grows.iter().zip(edges) {
            for ([end, error], edge) in [(range.from.unwrap(), b), (range.to.unwrap(), a)] {
                assert!(error < 1e-8 && (end - edge).abs() <= error + 1e-9 * edge, "{end} {error:e} {edge}");
            }
        }
    }

    /// Ends the work at many places and comes to the bits of the whole from the motions kept.
    #[test]
    fn a_diagram_that_was_ended_goes_on_with_the_same_bits() {
        let spec = ModelSpec::from_toml(UPRIGHT).unwrap();
        let found = |watch: &Watch, tape: &mut Tape| {
            let mut search = search();
            search.options.watch = watch.clone();
            floquet_diagram(&spec, "W", [60.0, 90.0], 4, &search, tape)
        };
        let (count, mut tape) = (Watch::new(), Tape::default());
        let whole = count.scope(|| format!("{:?}", found(&Watch::new(), &mut tape).unwrap())).unwrap();
        let mut parts = 0;
        for part in 1..12 {
            let (watch, mut first) = (Watch::after(count.steps() * part / 12), Tape::default());
            let ended = watch.scope(|| found(&watch, &mut first));
            parts += usize::from(ended.is_err() && !first.all.is_empty());
            let mut second = Tape::rewound(first.all);
            assert_eq!(format!("{:?}", found(&Watch::new(), &mut second).unwrap()), whole, "{part}");
            assert_eq!((second.left(), &second.all), (0, &tape.all), "{part}");
        }
        assert!(parts > 5 && tape.all.len() > 20, "{parts} {}", tape.all.len());
    }
}
