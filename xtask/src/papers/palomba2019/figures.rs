//! Figs. 3-5: errors of the polynomials along the path.
//!
//! ```text
//! eps_f = |f - f~| / f,   eps_xi = |xi - xi~| / xi,   1 - MAC       (palomba2019, Eqs. 30-33)
//! ```
//!
//! largest over the 51 samples, for orders 1 to 5, for three readings of the method:
//!
//! - literal: deflections, accelerations and inputs stay at their values at the centre, in the
//!   expansion and in the model it is compared with, as the paper says;
//! - literal against the motion: the same expansion against the model in its equilibrium at each
//!   sample;
//! - balanced: the equilibrium is part of the expansion, against the same;
//! - static: angles only, about the arm at rest in the middle of the path, against the arm at rest in the angles of
//!   each sample;
//! - reduced: balanced, but only terms in one angle and at most the first power of the speeds, 16 of them at order 5; what
//!   turns both links alike hardly acts, so the difference of the angles takes the place of the first.
//!
//! Paper: [palomba2019] Figs. 3-5.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::collections::BTreeMap;
use std::sync::OnceLock;

use mb_algebra::{Dense, QuadraticPencil, c64};
use mb_gallery::Computed;
use mb_gallery::models::ErlsArm;
use mb_model::{Model, ModelSource, Point};
use mb_parametric::{
    DegreeLimit, EigenpairSeries, MultiIndexSet, PointRule, PolishOptions, RefinedEigenpair,
    StartingEigenpair, Variable, balanced_point, model_series, polish,
};

use super::arm::{self, PAIRS};
use super::exact::{eigenpairs, mac};
use super::path::{SAMPLES, Sample, samples};
use crate::answers::Answers;

/// Highest order of the figures.
pub(super) const ORDERS: usize = 5;

/// Errors of one pair at one order, as fractions: one for each sample.
#[derive(Debug, Clone, Default)]
pub(super) struct Errors {
    pub(super) frequency: Vec<f64>,
    pub(super) damping: Vec<f64>,
    pub(super) mac: Vec<f64>,
}

impl Errors {
    /// Of the frequency.
    pub(super) fn frequency_of(&self) -> &Vec<f64> {
        &self.frequency
    }
    /// Of the damping ratio.
    pub(super) fn damping_of(&self) -> &Vec<f64> {
        &self.damping
    }
    /// 1 - MAC.
    pub(super) fn mac_of(&self) -> &Vec<f64> {
        &self.mac
    }
}

/// Errors by order (from 1) and pair.
pub(super) type ByOrder = Vec<[Errors; 3]>;

/// The exact eigenpairs of all samples.
type Exact = Vec<Vec<RefinedEigenpair>>;

/// What is measured along the path.
#[derive(Debug)]
pub(super) struct Measures {
    pub(super) path: Vec<Sample>,
    /// Eigenvalues in the equilibrium of each sample.
    pub(super) exact: Vec<Vec<c64>>,
    pub(super) literal: ByOrder,
    pub(super) literal_in_motion: ByOrder,
    pub(super) balanced: ByOrder,
    pub(super) at_rest: ByOrder,
    /// At the highest order only.
    pub(super) reduced: [Errors; 3],
    /// Terms of the reduced set.
    pub(super) reduced_terms: usize,
}

/// The measures, or why there are none.
#[derive(Debug)]
pub(super) struct Figures(pub(super) Result<Measures, String>);

impl Figures {
    /// Measures with the recovered parameters; once for all that ask.
    pub(super) fn measured() -> &'static Self {
        static MEASURED: OnceLock<Figures> = OnceLock::new();
        MEASURED.get_or_init(|| Self(measure(&ErlsArm::recovered())))
    }
}

fn measure(arm: &ErlsArm) -> Result<Measures, String> {
    let model = arm.model::<f64>(&BTreeMap::new()).map_err(|e| e.to_string())?;
    let path = samples([arm.links[0].length, arm.links[1].length]);
    let points = path.iter().map(|s| in_motion(arm, &model, s)).collect::<Result<Vec<_>, _>>()?;
    let centre = points[SAMPLES / 2].clone();
    let exact = follow(&model, &points)?;
    let [q1, q2] = arm::angles(arm);
    let frozen: Vec<Point> = path
        .iter()
        .map(|s| {
            let mut point = centre.clone();
            for (i, k) in [q1, q2].into_iter().enumerate() {
                (point.q[k], point.v[k]) = (s.q[i], s.qd[i]);
            }
            point
        })
        .collect();
    let exact_frozen = follow(&model, &frozen)?;
    let mid = path[SAMPLES / 2];
    let speeds =
        |s: &Sample| [s.q[0] - mid.q[0], s.q[1] - mid.q[1], s.qd[0] - mid.qd[0], s.qd[1] - mid.qd[1]];
    let all = arm::variables(arm);
    let complete = MultiIndexSet::total(all.len(), ORDERS).map_err(|e| e.to_string())?;
    let literal = expanded(arm, &centre, &all, &complete, &PointRule::Frozen)?;
    let held = PointRule::Balanced { holding: vec![0, 1] };
    let balanced = expanded(arm, &centre, &all, &complete, &held)?;

    // At rest: the angles alone are variables.
    let still = path.iter().map(|s| in_motion(arm, &model, &s.at_rest())).collect::<Result<Vec<_>, _>>()?;
    let exact_still = follow(&model, &still)?;
    let few = MultiIndexSet::total(2, ORDERS).map_err(|e| e.to_string())?;
    let at_rest = expanded(arm, &still[SAMPLES / 2], &all[..2], &few, &held)?;
    let angles = |s: &Sample| [s.q[0] - mid.q[0], s.q[1] - mid.q[1]];

    // No terms in the second angle; the speeds together at most linear.
    let limits = [
        DegreeLimit { parameters: vec![1], max_degree: 0 },
        DegreeLimit { parameters: vec![2, 3], max_degree: 1 },
    ];
    let narrow = MultiIndexSet::with_limits(all.len(), ORDERS, &limits).map_err(|e| e.to_string())?;
    let reduced = expanded(arm, &centre, &all, &narrow, &held)?;
    let between = |s: &Sample| {
        let [q1, q2, qd1, qd2] = speeds(s);
        [q1 - q2, 0.0, qd1, qd2]
    };
    let mut reduced = errors(&reduced, &path, between, &exact)?;
    Ok(Measures {
        literal: errors(&literal, &path, speeds, &exact_frozen)?,
        literal_in_motion: errors(&literal, &path, speeds, &exact)?,
        balanced: errors(&balanced, &path, speeds, &exact)?,
        at_rest: errors(&at_rest, &path, angles, &exact_still)?,
        reduced: reduced.pop().unwrap_or_default(),
        reduced_terms: narrow.len(),
        exact: exact.iter().map(|pairs| pairs.iter().map(|pair| pair.s).collect()).collect(),
        path,
    })
}

/// The three pairs as polynomials about a point.
fn expanded(
    arm: &ErlsArm,
    centre: &Point,
    variables: &[Variable],
    set: &MultiIndexSet,
    rule: &PointRule,
) -> Result<Vec<EigenpairSeries>, String> {
    let series = model_series(arm, centre, variables, set, rule).map_err(|e| e.to_string())?;
    eigenpairs(&series)
}

/// The dynamic equilibrium at a sample: quasi-static deflections, inputs solved for.
pub(super) fn in_motion(arm: &ErlsArm, model: &Model, sample: &Sample) -> Result<Point, String> {
    let held = arm::angles(arm);
    let mut start = model.initial_point();
    for (i, k) in held.into_iter().enumerate() {
        (start.q[k], start.v[k], start.a[k]) = (sample.q[i], sample.qd[i], sample.qdd[i]);
    }
    balanced_point(model, &start, &held, &[0, 1]).map_err(|e| e.to_string())
}

/// The matrices at a point.
pub(super) fn matrices(model: &Model, point: &Point) -> QuadraticPencil<Dense> {
    let blocks = model.dense_blocks(point);
    QuadraticPencil { m: blocks.m, c: blocks.c, k: blocks.k, phi_q: blocks.phi_q }
}

/// The three pairs at every point, followed from the middle to both ends.
fn follow(model: &Model, points: &[Point]) -> Result<Exact, String> {
    let middle = points.len() / 2;
    let first = arm::elastic_pairs(&matrices(model, &points[middle]))?;
    let next = |pairs: &[RefinedEigenpair], point: &Point| -> Result<Vec<RefinedEigenpair>, String> {
        let pencil = matrices(model, point);
        let improve = |pair: &RefinedEigenpair| {
            let start = StartingEigenpair { s: pair.s, vector: pair.vector.clone() };
            polish(&pencil, &start, &PolishOptions::default()).map_err(|e| e.to_string())
        };
        pairs.iter().map(improve).collect()
    };
    let mut exact = vec![first.clone(); points.len()];
    for i in middle + 1..points.len() {
        exact[i] = next(&exact[i - 1], &points[i])?;
    }
    for i in (0..middle).rev() {
        exact[i] = next(&exact[i + 1], &points[i])?;
    }
    Ok(exact)
}

/// Errors of all orders against the exact pairs.
fn errors<const P: usize>(
    series: &[EigenpairSeries],
    path: &[Sample],
    distance: impl Fn(&Sample) -> [f64; P],
    exact: &Exact,
) -> Result<ByOrder, String> {
    let mut all = vec![<[Errors; 3]>::default(); ORDERS];
    for (order, row) in all.iter_mut().enumerate() {
        for (k, out) in row.iter_mut().enumerate() {
            for (sample, pairs) in path.iter().zip(exact) {
                let at = series[k].evaluate(&distance(sample), order + 1).map_err(|e| e.to_string())?;
                let true_pair = &pairs[k];
                let relative = |f: fn(c64) -> f64| (f(at.s) - f(true_pair.s)).abs() / f(true_pair.s).abs();
                out.frequency.push(relative(c64::norm));
                out.damping.push(relative(|s| s.re / s.norm()));
                out.mac.push((1.0 - mac(&at.vector, &true_pair.vector)).max(0.0));
            }
        }
    }
    Ok(all)
}

/// The largest of a list; NaN where there is one.
pub(super) fn largest(list: &[f64]) -> f64 {
    list.iter().copied().max_by(f64::total_cmp).unwrap_or(f64::NAN)
}

/// The trajectory and the exact eigenvalues.
pub(super) fn path_answers(figures: &Figures) -> Answers {
    let mut answers = Answers::default();
    let Ok(measures) = &figures.0 else { return failed(figures) };
    for (sample, exact) in measures.path.iter().zip(&measures.exact) {
        let row = format!("t={}", (sample.t * 1e6).round() / 1e6);
        for i in 0..2 {
            answers.put(&row, &format!("q{}", i + 1), Ok(Computed::Real(sample.q[i])));
            answers.put(&row, &format!("qd{}", i + 1), Ok(Computed::Real(sample.qd[i])));
        }
        for (pair, s) in PAIRS.iter().zip(exact) {
            answers.put(&row, pair, Ok(Computed::Complex { re: s.re, im: s.im }));
        }
    }
    answers
}

/// Errors in percent by order.
pub(super) fn answers(figures: &Figures) -> Answers {
    let mut answers = Answers::default();
    let Ok(measures) = &figures.0 else { return failed(figures) };
    let readings = [
        ("literal", &measures.literal),
        ("literal against the motion", &measures.literal_in_motion),
        ("balanced", &measures.balanced),
    ];
    for (name, by_order) in readings {
        for (order, row) in by_order.iter().enumerate() {
            let label = format!("reading={name},order={}", order + 1);
            for (pair, errors) in PAIRS.iter().zip(row) {
                let mut put = |what: &str, x: f64| {
                    answers.put(&label, &format!("{what} {pair}"), Ok(Computed::Real(x)));
                };
                put("eps_f", 100.0 * largest(&errors.frequency));
                put("eps_xi", 100.0 * largest(&errors.damping));
                put("1-MAC", largest(&errors.mac));
            }
        }
    }
    answers
}

/// No answer has a value; the table shows its cells as missing.
fn failed(_: &Figures) -> Answers {
    Answers::default()
}
