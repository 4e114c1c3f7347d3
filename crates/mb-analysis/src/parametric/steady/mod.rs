//! Steady motions to expand about: how their velocities follow from variables, and that motions near by are steady too.
//!
//! ```text
//! site -> frame W, velocities own -> speeds f_k of the variables -> q, lambda as polynomials -> M, C, K in the frame as polynomials
//! ```
//!
//! A motion that is steady at one point need not be so beside it: a parameter may make a bearing or a shaft unsymmetric. Polynomials
//! hold in the frame of the centre, so that motions at other values are looked at in that frame, whose matrices have to be constant there.

use super::error::SeriesError;
use crate::number::six;
use crate::site::{MotionOptions, Moving, Site, State, rotates};
use mb_algebra::QuadraticPencil;
use mb_linear::steady::{Looks, Spin};
use mb_linear::{Frame, FrameChoice, Instant, LinearError, OperatingPoint, SteadyMotion};
use mb_model::spec::{ModelSpec, Value};
use mb_model::{Model, Point};
use mb_parametric::{
    MatrixSeries, MovingModel, MultiIndexSet, ParametricError, SeriesSource, SpeedOf, SteadyPart, SteadyRule,
    Storage, Variable,
};

/// What may be left of an equation of motion, relative to the forces at work.
const TOLERANCE: f64 = 1e-9;

/// Shares of their sizes by which variables differ where motions are looked at beside a centre: a soft support beside stiff parts changes
/// by itself with the smaller ones.
pub(super) const SHARES: [f64; 3] = [1e-9, 1e-6, 1e-3];

/// What variables differ by, compared with each other: without a common measure, so that what is unsymmetric in one of them does not make
/// up for another.
pub(super) const RATIOS: [f64; 3] = [1.0, 0.618_034, -0.754_878];

/// Factors of speeds that differ by less are one.
const PROPORTION: f64 = 1e-12;

/// Angular velocities of a frame this near, relative to their size, are one.
const SAME: f64 = 1e-6;

/// A steady motion that polynomials are made about.
#[derive(Clone, Debug)]
pub struct SteadyCentre {
    /// The motion.
    pub site: Site,
    /// How its velocities follow.
    pub rule: SteadyRule,
}

/// The model's own motion where it turns, unless another one or an instant is asked for.
pub(super) fn own(model: &Model, asked: Option<&MotionOptions>) -> Option<MotionOptions> {
    asked.cloned().or_else(|| rotates(model).then(MotionOptions::default))
}

impl SteadyCentre {
    /// Of a motion that was found; none at rest.
    ///
    /// # Errors
    /// [`SeriesError::NoSteadySeries`].
    pub(super) fn new(
        model: &Model,
        options: &MotionOptions,
        moving: Moving,
    ) -> Result<Option<Self>, SeriesError> {
        let refused = |reason: &str| SeriesError::NoSteadySeries { reason: reason.to_owned() };
        let State::Lasting(at) = &moving.at else {
            return Err(refused("the matrices of an instant belong to no frame"));
        };
        let Some(motion) = at.steady() else { return Ok(None) };
        if !options.turning(model).1.is_empty() {
            return Err(refused("unknown speeds and inputs are solved for at one point alone"));
        }
        let rule = rule(model, options, motion)?;
        Ok(Some(Self { site: Site::Motion(Box::new(moving)), rule }))
    }

    /// The frame of the polynomials.
    pub fn frame(&self) -> Option<&Frame> {
        self.site.steady().map(SteadyMotion::frame)
    }

    /// What shows that the polynomials are exponents.
    pub(super) fn words(&self) -> Option<String> {
        let motion = self.site.steady()?;
        let deviation = motion.deviation();
        Some(format!(
            "the motion is steady, at the centre and beside it: at {} other points of the orbit of the centre the linearization, seen from {}, \
             is the same within {:.1e} of its entries; at other values the frame turns as the motion there does",
            deviation.points,
            motion.frame(),
            deviation.relative
        ))
    }

    /// Checks that the model's own velocities at other values are in proportion to those of the centre.
    ///
    /// Errors: [`ParametricError::NotSteady`].
    pub(super) fn check_proportion(
        &self,
        [here, there]: [&Model; 2],
        values: impl Fn() -> String,
    ) -> Result<(), ParametricError> {
        let lists = |model: &Model| {
            let point = self.site.point();
            match self.rule.parts.first().map(|part| &part.speed) {
                Some(SpeedOf::Initial(_)) => turning(model),
                Some(SpeedOf::Drive(_)) => model.phi_t(&point.q, point.t),
                _ => Vec::new(),
            }
        };
        let (here, there) = (lists(here), lists(there));
        let largest = (0..here.len()).max_by(|i, j| here[*i].abs().total_cmp(&here[*j].abs()));
        let Some(k) = largest else { return Ok(()) };
        let factor = there[k] / here[k];
        let off = |i: usize| (there[i] - factor * here[i]).abs() > PROPORTION * there[k].abs();
        if (0..here.len()).any(off) {
            return Err(ParametricError::NotSteady {
                when: format!("at {}", values()),
                reason: "speeds of the model change by different factors, which a [[steady-rotation]] for each can say".to_owned(),
            });
        }
        Ok(())
    }

    /// Checks that the motion at other values is steady in the same frame.
    pub(super) fn witness(&self) -> Witness {
        let frame = self.frame().cloned().unwrap_or(Frame::Ground);
        let choice = frame.choice();
        let turning = match frame {
            Frame::Turning { rate } => Some(rate),
            _ => None,
        };
        Witness { choice, turning }
    }
}

/// By what motions at other values are recognized as steady.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    choice: FrameChoice,
    /// The angular velocity of a frame without a body.
    turning: Option<[f64; 3]>,
}

impl Witness {
    /// Checks a motion; `values` says at which values it is.
    ///
    /// Errors: [`ParametricError::NotSteady`].
    pub(super) fn check(
        &self,
        model: &Model,
        point: &Point,
        values: impl Fn() -> String,
    ) -> Result<(), ParametricError> {
        let not_steady =
            |reason: String| ParametricError::NotSteady { when: format!("at {}", values()), reason };
        let looked = || -> Result<OperatingPoint, LinearError> {
            let at = Instant::declared(model, point.clone(), TOLERANCE)?;
            OperatingPoint::of_instant_looked(model, &at, &self.choice, Looks::Sampled)
        };
        let found = looked().map_err(|e| match e {
            LinearError::NotSteady(why) => not_steady(format!("seen from the frame of the centre, {why}")),
            other => not_steady(sentence(&other.to_string())),
        })?;
        let rate = found.steady().and_then(|motion| motion.frame().rate());
        match (self.turning, rate) {
            (Some(before), Some(now)) if !parallel(before, now) => {
                Err(not_steady("it is steady there in another frame".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

/// Whether the axis is the same.
fn parallel(a: [f64; 3], b: [f64; 3]) -> bool {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let size = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    (dot.abs() - size(a) * size(b)).abs() <= SAME * size(a) * size(b)
}

/// Without the full stop, to stand within another sentence.
fn sentence(text: &str) -> String {
    text.trim_end_matches('.').to_owned()
}

/// How velocities follow.
fn rule(model: &Model, options: &MotionOptions, motion: &SteadyMotion) -> Result<SteadyRule, SeriesError> {
    let refused = |reason: String| SeriesError::NoSteadySeries { reason };
    let Some(whole) = motion.velocities(model) else {
        let frame = motion.frame();
        let reason = format!("its velocities are not those of one frame that turns; it is seen from {frame}");
        return Err(refused(reason));
    };
    let own = Spin::of_model(model);
    let spins = if options.spins.is_empty() { &own } else { &options.spins };
    let driven = driven(model, motion.point());
    let parts = if spins.is_empty() || !options.velocities.is_empty() {
        let (speed, reference) = match driven {
            Some((row, rate)) => (SpeedOf::Drive(row), rate),
            None if options.velocities.is_empty() => initial(model),
            None => (SpeedOf::Fixed, 1.0),
        };
        vec![SteadyPart { speed, reference, rate: whole.rate, own: whole.own }]
    } else {
        let Some(shares) = motion.shares(model, spins) else {
            let reason = "the share of each of its spins in the frame is not known".to_owned();
            return Err(refused(reason));
        };
        let speed = |k: usize| match (options.spins.is_empty(), own.get(k)) {
            (true, Some(spin)) => (SpeedOf::Rotation(k), spin.speed),
            _ => (SpeedOf::Fixed, 1.0),
        };
        let one = |(k, share): (usize, mb_linear::steady::SteadyVelocities)| {
            let (speed, reference) = speed(k);
            SteadyPart { speed, reference, rate: share.rate, own: share.own }
        };
        // A rotation that stands still has no share that could grow.
        let turns = |part: &SteadyPart| part.reference != 0.0;
        shares.into_iter().enumerate().map(one).filter(turns).collect()
    };
    Ok(SteadyRule { centre: whole.centre, carried: whole.carried, parts })
}

/// The constraint row of the fastest drive with its rate; none where nothing is driven.
fn driven(model: &Model, point: &Point) -> Option<(usize, f64)> {
    let rates = model.phi_t(&point.q, point.t).into_iter().enumerate();
    rates.filter(|(_, rate)| *rate != 0.0).max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
}

/// The fastest turn that the model starts with, or else the fastest velocity.
fn initial(model: &Model) -> (SpeedOf, f64) {
    let blocks = model.coordinates().blocks().iter();
    let all = blocks.flat_map(|b| (0..b.kind.nv()).map(move |i| (b.kind.turns(i), b.v + i)));
    let velocity = model.initial_velocity();
    let moving = all.filter(|(_, i)| velocity[*i] != 0.0);
    let fastest =
        moving.max_by(|a, b| a.0.cmp(&b.0).then(velocity[a.1].abs().total_cmp(&velocity[b.1].abs())));
    fastest.map_or((SpeedOf::Fixed, 1.0), |(_, i)| (SpeedOf::Initial(i), velocity[i]))
}

/// The turns that a model starts with, or its velocities where nothing turns.
fn turning(model: &Model) -> Vec<f64> {
    let blocks = model.coordinates().blocks().iter();
    let turns = blocks.flat_map(|b| (0..b.kind.nv()).map(move |i| (b.kind.turns(i), b.v + i)));
    let velocity = model.initial_velocity();
    let list: Vec<f64> = turns.filter(|(turns, _)| *turns).map(|(_, i)| velocity[i]).collect();
    if list.iter().all(|v| *v == 0.0) { velocity.to_vec() } else { list }
}

/// Sizes of variables: their values, and of those that are zero the change at which the matrices change by as much as they are.
///
/// # Errors
/// Those of the series.
pub(super) fn sizes<A: Storage>(
    source: &MovingModel<'_, A>,
    values: &[f64],
) -> Result<Vec<f64>, ParametricError> {
    if values.iter().all(|x| *x != 0.0) {
        return Ok(values.to_vec());
    }
    let set = MultiIndexSet::total(values.len(), 2)?;
    let series = source.series(&vec![0.0; values.len()], &set)?;
    let QuadraticPencil { m, c, k, .. } = series.matrices();
    let size = |i: usize| {
        let term =
            |degree: u8| -> Vec<u8> { (0..values.len()).map(|j| if i == j { degree } else { 0 }).collect() };
        let one = |a: &MatrixSeries<A>, degree: u8| {
            let of =
                |degree| a.coefficient(&term(degree)).map_or(0.0, mb_algebra::norms::Norms::norm_max_abs);
            let (whole, change) = (of(0), of(degree));
            if change > 0.0 && whole > 0.0 {
                (whole / change).powf(f64::from(degree).recip())
            } else {
                f64::INFINITY
            }
        };
        let all = [m, c, k].into_iter().flat_map(|a| [one(a, 1), one(a, 2)]).fold(f64::INFINITY, f64::min);
        if all.is_finite() { all } else { 1.0 }
    };
    Ok(values.iter().enumerate().map(|(i, x)| if *x == 0.0 { size(i) } else { *x }).collect())
}

/// Refuses the speed of a rotation as a variable where it is zero: nothing says which frame moves along with what rests.
///
/// # Errors
/// [`SeriesError::NoSteadySeries`]; those of the model.
pub(super) fn check_rest(spec: &ModelSpec, model: &Model, variables: &[Variable]) -> Result<(), SeriesError> {
    if model.steady_rotations().is_empty() {
        return Ok(());
    }
    let speeds = |model: &Model| model.steady_rotations().iter().map(|r| r.speed).collect::<Vec<_>>();
    let values = spec.parameter_values()?;
    for variable in variables {
        let Variable::Parameter(name) = variable else { continue };
        let value = values.get(name).copied().unwrap_or_default();
        let step = if value == 0.0 { 1.0 } else { SHARES[1] * value };
        let there = model_at(spec, std::slice::from_ref(variable), &[value], &[step]);
        if there.is_ok_and(|there| speeds(&there) != speeds(model)) {
            let reason = format!(
                "nothing turns where {name} = {}; polynomials of its speed are made about a motion",
                six(value)
            );
            return Err(SeriesError::NoSteadySeries { reason });
        }
    }
    Ok(())
}

/// Refuses variables that a steady motion does not have.
///
/// # Errors
/// [`SeriesError::NoSteadySeries`].
pub(super) fn check_variables(model: &Model, variables: &[Variable]) -> Result<(), SeriesError> {
    let given = |v: &&Variable| matches!(v, Variable::Coordinate(_) | Variable::Speed(_));
    match variables.iter().find(given) {
        Some(v) => Err(SeriesError::NoSteadySeries {
            reason: format!(
                "{} follows from the speeds of what turns, and is no variable of its own",
                v.name(model)
            ),
        }),
        None => Ok(()),
    }
}

/// The model with the variables at a distance from the centre.
///
/// # Errors
/// Those of the model.
pub(super) fn model_at(
    spec: &ModelSpec,
    variables: &[Variable],
    values: &[f64],
    d: &[f64],
) -> Result<Model, ParametricError> {
    let mut spec = spec.clone();
    for ((variable, value), d) in variables.iter().zip(values).zip(d) {
        if let Variable::Parameter(name) = variable {
            spec.set_parameter(name, Value::Number(value + d))?;
        }
    }
    Ok(spec.build()?)
}

/// Values of variables in words.
pub(super) fn at_values(model: &Model, variables: &[Variable], values: &[f64], d: &[f64]) -> String {
    let one = |((v, x), d): ((&Variable, &f64), &f64)| {
        let name = match v {
            Variable::Parameter(name) => name.clone(),
            Variable::Coordinate(i) | Variable::Speed(i) => model.coordinate_name(*i),
            Variable::Input(i) => model.inputs().get(*i).cloned().unwrap_or_default(),
        };
        format!("{name} = {}", six(x + d))
    };
    variables.iter().zip(values).zip(d).map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
