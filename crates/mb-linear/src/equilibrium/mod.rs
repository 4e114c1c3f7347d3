//! Static equilibrium of the constrained system.
//!
//! ```text
//! Phi_q^T lambda - f(q, 0, t, u) = 0,   Phi(q, t) = 0
//! ```
//!
//! The start is assembled; parts that fall, or that a torque turns, whatever their configuration end the search at once. Then Newton's method is tried on the full system, then load
//! continuation, then dynamic relaxation as long as it gets somewhere, then descent with inertia, then relaxation to the
//! end (see the modules). Whatever found it, the result has passed the same verification, carries the shortest multipliers where constraints are
//! redundant, and says whether it is stable.
//!
//! Paper: [gonzalez2017] Sec. 5 (static equilibrium configurations).
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

mod aside;
mod descent;
mod newton;
mod path;
mod pushed;
mod quiet;
mod relaxation;
mod search;
mod stability;
mod units;

pub use path::{Judge, LoadPath, LoadPathOptions, LoadStep, PathEnd, load_path, load_path_judged};
pub use search::{Scattered, SearchOptions, find_equilibria};
pub(crate) use stability::signs;
pub use stability::{Stability, stability};
pub(crate) use units::Units;

use crate::error::LinearError;
use crate::point::{Instant, check_sizes};
use mb_algebra::{Stopped, Watch, sparse};
use mb_constraints::{AssemblyOptions, SaddlePatterns, assemble, largest, minimum_norm_multipliers};
use mb_model::{Model, Point};
use std::time::Duration;

/// How often relaxation is sent on from an equilibrium that is unstable.
const STEPS_ASIDE: usize = 8;

/// Which methods may be used, tried in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Newton, then load continuation, then dynamic relaxation as long as it gets somewhere, descent with inertia, and
    /// relaxation to the end. Newton and continuation find the equilibrium nearest to the start, stable or not.
    Automatic,
    /// Newton's method only.
    Newton,
    /// Dynamic relaxation, then descent with inertia, each with Newton to polish: slides downhill to a stable equilibrium.
    /// From an unstable one, where no force pushes, it steps aside first.
    Relaxation,
}

/// Options of [`Equilibrium::solve`].
#[derive(Clone, Debug, PartialEq)]
pub struct EquilibriumOptions {
    /// Allowed residual relative to the forces at work.
    pub tolerance: f64,
    /// Iterations of each method before giving up.
    pub max_iterations: usize,
    /// Methods.
    pub strategy: Strategy,
    /// Time in s, for constraints and loads given as functions of it.
    pub time: f64,
    /// Inputs; empty means zero.
    pub inputs: Vec<f64>,
    /// How the start is assembled.
    pub assembly: AssemblyOptions,
    /// What ends the search from outside. Without a limit of its own a search gets one in proportion to the model.
    pub watch: Watch,
}

impl Default for EquilibriumOptions {
    /// Tolerance 1e-9, 200 iterations, automatic, t = 0, inputs zero.
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            max_iterations: 200,
            strategy: Strategy::Automatic,
            time: 0.0,
            inputs: Vec::new(),
            assembly: AssemblyOptions::default(),
            watch: Watch::default(),
        }
    }
}

/// Relaxation to the end, which repeats the steps of the shorter one and goes on from there.
const LONG: &str = "long dynamic relaxation";

/// A method: from a start to where it ended.
type Method =
    fn(&Model, &Point, &EquilibriumOptions, &mut SaddlePatterns) -> Result<newton::Outcome, LinearError>;

/// A verified equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    point: Point,
    /// Largest residual relative to the forces at work.
    pub residual: f64,
    /// Iterations over all methods tried.
    pub iterations: usize,
    /// The method that found it.
    pub found_by: &'static str,
}

impl Equilibrium {
    /// Finds an equilibrium near the configuration `start`.
    ///
    /// # Errors
    /// [`LinearError::Falls`] and [`LinearError::Turns`] where there is none; [`LinearError::NoEquilibrium`] names the worst equation; [`LinearError::InsideOut`] where every method ends in a
    /// state in which elements of solids are inside out; those of the assembly.
    pub fn solve(model: &Model, start: &[f64], options: &EquilibriumOptions) -> Result<Self, LinearError> {
        let options =
            &EquilibriumOptions { watch: options.watch.clone().or_within(budget(model)), ..options.clone() };
        let patterns = &mut SaddlePatterns::default();
        let found = Self::search(model, start, options, patterns, Self::of_bodies)?;
        if options.strategy == Strategy::Relaxation {
            found.downhill(model, options, patterns)
        } else {
            Ok(found)
        }
    }
    /// Itself, or what relaxation finds below where it is unstable.
    fn downhill(
        self,
        model: &Model,
        options: &EquilibriumOptions,
        patterns: &mut SaddlePatterns,
    ) -> Result<Self, LinearError> {
        let mut found = self;
        for attempt in 0..STEPS_ASIDE {
            let over = options.watch.look().is_err();
            if over || !matches!(stability(model, &found)?, Stability::Unstable { .. }) {
                break;
            }
            let Some(near) = aside::step_aside(model, &found, options, attempt)? else { break };
            let Ok(below) = Self::search(model, &near.q, options, patterns, Self::of_bodies) else { break };
            found = Self { iterations: found.iterations + below.iterations, ..below };
        }
        Ok(found)
    }
    /// The first state found that `accepted` lets pass, for one of several equilibria of a model, whose factors share their
    /// analysis; `accepted` may refuse states with elements inside out.
    fn search(
        model: &Model,
        start: &[f64],
        options: &EquilibriumOptions,
        patterns: &mut SaddlePatterns,
        accepted: fn(Self, &Model) -> Result<Self, LinearError>,
    ) -> Result<Self, LinearError> {
        let q = assemble(model, start, options.time, &options.assembly)?.q;
        at_standstill(model, &q, options.time)?;
        let units = Units::new(model, &q);
        let start = balanced(model, still(model, q, options)?, &units)?;
        pushed::refuse_runaways(model, &start)?;
        let mut tried: Vec<&'static str> = Vec::new();
        let mut iterations = 0;
        let mut best = start.clone();
        let mut refused = None;
        let mut leads_on = false;
        let over = model.turned_over(&start);
        let methods: &[(&'static str, Method)] = match options.strategy {
            Strategy::Automatic => &[
                ("Newton", newton::newton),
                ("load continuation", newton::continuation),
                ("dynamic relaxation", relaxation::relax_a_while),
                ("descent with inertia", descent::descend),
                (LONG, relaxation::relax),
            ],
            Strategy::Newton => &[("Newton", newton::newton)],
            Strategy::Relaxation => &[
                ("dynamic relaxation", relaxation::relax_a_while),
                ("descent with inertia", descent::descend),
                (LONG, relaxation::relax),
            ],
        };
        for (name, method) in methods {
            if *name == LONG && !leads_on {
                continue;
            }
            tried.push(name);
            let outcome = method(model, &start, options, patterns)?;
            iterations += outcome.iterations;
            leads_on |= outcome.leads_on;
            let point = shortest_multipliers(model, outcome.point)?;
            if let Ok(found) = Self::verified(model, point.clone(), options.tolerance) {
                // Steps that are too long lead where the rows are met the other way round.
                if let Some(joint) =
                    model.turned_over(&found.point).iter().find(|joint| !over.contains(joint))
                {
                    refused = Some(LinearError::TurnedOver { joint: (*joint).to_owned() });
                    continue;
                }
                match accepted(Self { iterations, found_by: name, ..found }, model) {
                    Ok(found) => return Ok(found),
                    Err(why) => refused = Some(why),
                }
            }
            if relative_residual(model, &point, &units) < relative_residual(model, &best, &units) {
                best = point;
            }
            match options.watch.look() {
                Ok(()) => {}
                Err(Stopped::TimeUp { .. }) => break,
                Err(asked) => return Err(asked.into()),
            }
        }
        if let Some(why) = refused {
            return Err(why);
        }
        let tried = tried.join(", ");
        let stopped = options.watch.look().err();
        let (equation, residual) = worst_equation(model, &best);
        let pushed = pushed::words(model, &start);
        Err(LinearError::NoEquilibrium { pushed, stopped, tried, iterations, equation, residual })
    }
    /// Accepts a configuration that is an equilibrium; multipliers are the shortest ones.
    ///
    /// # Errors
    /// [`LinearError::NotOnMotion`] names the worst equation by body and axis; [`LinearError::NoEquilibrium`] a motion that loads push and
    /// nothing holds; [`LinearError::InsideOut`].
    pub fn verify(model: &Model, q: Vec<f64>, options: &EquilibriumOptions) -> Result<Self, LinearError> {
        let point = shortest_multipliers(model, still(model, q, options)?)?;
        Self::verified(model, point, options.tolerance)?.of_bodies(model)
    }
    /// Accepts a point at rest with multipliers of the caller's choice (where constraints are
    /// redundant there are many).
    ///
    /// # Errors
    /// As [`Self::verify`].
    pub fn with_multipliers(model: &Model, point: Point, tolerance: f64) -> Result<Self, LinearError> {
        Self::verified(model, point, tolerance)?.of_bodies(model)
    }
    /// Itself where no element of a solid is inside out.
    fn of_bodies(self, model: &Model) -> Result<Self, LinearError> {
        let wrong = model.inside_out(self.q());
        let count = wrong.len();
        match wrong.into_iter().next() {
            Some(worst) => Err(LinearError::InsideOut { count, worst: Box::new(worst) }),
            None => Ok(self),
        }
    }
    fn verified(model: &Model, point: Point, tolerance: f64) -> Result<Self, LinearError> {
        check_sizes(model, &point)?;
        let scale = model.force_scale(&point);
        let point = Instant::within(model, point, tolerance, scale)?.point().clone();
        let (equation, worst) = largest(&model.residual(&point)).unwrap_or((0, 0.0));
        let pushed = pushed::unbalanced(model, &point, worst);
        if !pushed.is_empty() {
            let (tried, equation) = ("given".to_owned(), model.coordinate_name(equation));
            return Err(LinearError::NoEquilibrium {
                pushed,
                stopped: None,
                tried,
                iterations: 0,
                equation,
                residual: worst,
            });
        }
        Ok(Self { point, residual: worst / scale, iterations: 0, found_by: "given" })
    }
    /// The point: v = a = 0.
    pub fn point(&self) -> &Point {
        &self.point
    }
    /// The configuration.
    pub fn q(&self) -> &[f64] {
        &self.point.q
    }
    /// The multipliers.
    pub fn lambda(&self) -> &[f64] {
        &self.point.lambda
    }
}

/// Time of a search that nobody limits: a minute, and a share for every coordinate and constraint row.
fn budget(model: &Model) -> Duration {
    Duration::from_secs(60)
        + Duration::from_millis(50).saturating_mul(u32::try_from(model.nv() + model.nc()).unwrap_or(u32::MAX))
}

/// Refuses constraints that move at this time.
fn at_standstill(model: &Model, q: &[f64], time: f64) -> Result<(), LinearError> {
    let (rates, accelerations) = (model.phi_t(q, time), model.phi_tt(q, time));
    // Rounding of a law such as sin(2 pi t) at a standstill is no motion.
    let moves = |x: &f64| x.abs() > 1e-12;
    match rates.iter().zip(&accelerations).position(|(rate, acceleration)| moves(rate) || moves(acceleration))
    {
        Some(row) => Err(LinearError::Driven {
            owner: model.row_name(row),
            time,
            rate: rates[row],
            acceleration: accelerations[row],
        }),
        None => Ok(()),
    }
}

/// The point at rest in `q`.
fn still(model: &Model, q: Vec<f64>, options: &EquilibriumOptions) -> Result<Point, LinearError> {
    let mut point = Point { q, t: options.time, ..model.initial_point() };
    if !options.inputs.is_empty() {
        if options.inputs.len() != model.inputs().len() {
            return Err(LinearError::WrongSize {
                what: "inputs",
                found: options.inputs.len(),
                expected: model.inputs().len(),
            });
        }
        point.u.clone_from(&options.inputs);
    }
    Ok(point)
}

/// Replaces the multipliers by the shortest ones that balance the applied forces best, each equation within its own rounding where they
/// can: those of a result.
fn shortest_multipliers(model: &Model, point: Point) -> Result<Point, LinearError> {
    multipliers(model, point, None)
}

/// Replaces the multipliers by those that balance the applied forces best in units U in which a force and a moment are of one size,
/// on the way to an equilibrium: the least |U (Phi_q^T lambda - f)|.
fn balanced(model: &Model, point: Point, units: &Units) -> Result<Point, LinearError> {
    multipliers(model, point, Some(units.each()))
}

fn multipliers(model: &Model, mut point: Point, unit: Option<&[f64]>) -> Result<Point, LinearError> {
    let mut applied: Vec<f64> = model.applied_residual(&point).iter().map(|x| -x).collect();
    if applied.iter().any(|x| !x.is_finite()) {
        let owner = model.first_non_finite(&point).unwrap_or("an element").to_owned();
        return Err(mb_constraints::ConstraintError::NotFinite { owner }.into());
    }
    let mut phi_q = model.phi_q(&point.q, point.t).to_sparse();
    if let Some(unit) = unit {
        applied.iter_mut().zip(unit).for_each(|(f, u)| *f *= u);
        phi_q = sparse::mul(&phi_q, &sparse::diagonal(unit));
    }
    let (lambda, rest) = minimum_norm_multipliers(&phi_q, &applied)?;
    point.lambda = lambda;
    if unit.is_none() {
        quiet::correct(model, &mut point, &phi_q, &rest)?;
    }
    Ok(point)
}

/// Residual relative to the forces at work from which on methods that go downhill leave the rest to Newton's.
const NEAR: f64 = 1e-4;

/// Whether a point is so near to an equilibrium that Newton's method takes over. Forces are those at work alone: compared with what
/// a stiff beam would resist a small stretch with, its whole weight is nothing.
fn is_near(model: &Model, point: &Point, units: &Units, options: &EquilibriumOptions) -> bool {
    let residual = units.largest_moment(&model.residual(point));
    residual < NEAR * model.largest_force_in(point, units.each())
        || residual <= options.tolerance * units.moment_scale(model, point)
}

/// Largest residual relative to the forces at work.
fn relative_residual(model: &Model, point: &Point, units: &Units) -> f64 {
    units.largest_moment(&model.residual(point)) / units.moment_scale(model, point)
}

/// The equation that is furthest off, relative to its scale.
fn worst_equation(model: &Model, point: &Point) -> (String, f64) {
    let force = largest(&model.residual(point)).unwrap_or((0, 0.0));
    let row = largest(&model.phi(&point.q, point.t)).unwrap_or((0, 0.0));
    if row.1 > force.1 / model.force_scale(point) {
        (model.row_name(row.0), row.1)
    } else {
        (model.coordinate_name(force.0), force.1)
    }
}
