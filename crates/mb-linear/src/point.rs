//! Points that a linearization may be taken at: those of rest and steady motion, and instants of any motion.
//!
//! A linearization about a point that satisfies neither rest nor motion is meaningless, so it takes a point that only a
//! verification makes. An [`Instant`] satisfies the equations of motion there and then. An [`OperatingPoint`] does so for all
//! times with the same linearization: at rest, or carried along by a steady motion. Only the latter has exponents.
//!
//! Each equation of the balance of forces must be met up to a part of the largest force at work, or up to what
//! rounding of the coordinates themselves makes of it:
//!
//! ```text
//! |r_i| <= tolerance max |forces| + c u (sum_j |K_ij| |x_j| + sum_j |Phi_q,ji| |lambda_j|),   c = 8 units in the last place
//! ```
//!
//! Where the second part is needed, the point is an exact equilibrium of coordinates and multipliers that differ from
//! the given ones by c u relative (the componentwise backward error of Oettli and Prager, to first order): no numbers
//! of this precision are nearer to it. It is needed where members are so stiff that a change in the last place of a
//! coordinate takes a force of the size of the loads.

use crate::equilibrium::Equilibrium;
use crate::error::LinearError;
use crate::steady::{FrameChoice, Looks, PHASES, SteadyMotion, check_frame, looked_at};
use mb_algebra::norms;
use mb_constraints::{accelerations, allowed_violations, largest, violations};
use mb_model::{Model, Point};

/// What kind of point it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// At rest: v = a = 0, no explicit time in the constraints' rates.
    Equilibrium,
    /// On a steady motion, seen from the frame that moves along.
    Steady,
}

/// A verified point (q, v, a, lambda, u, t) of any motion; its linearization holds there and then.
#[derive(Clone, Debug, PartialEq)]
pub struct Instant {
    point: Point,
    rest: bool,
    /// The size of the forces at work.
    forces: f64,
}

impl Instant {
    /// Verifies a declared point: residual and constraints to second order must vanish.
    ///
    /// `tolerance` is relative to the forces at work and, for the constraints, to what a unit of
    /// length or angle changes in them, and to one (per second, per second squared).
    ///
    /// # Errors
    /// [`LinearError::NotOnMotion`] names the worst equation by body and axis, or by constraint
    /// and axis; [`LinearError::WrongSize`].
    pub fn declared(model: &Model, point: Point, tolerance: f64) -> Result<Self, LinearError> {
        check_sizes(model, &point)?;
        let scale = model.force_scale(&point);
        Self::within(model, point, tolerance, scale)
    }
    /// As [`Self::declared`] for a point of the right size whose scale of forces is known.
    pub(crate) fn within(
        model: &Model,
        point: Point,
        tolerance: f64,
        force_scale: f64,
    ) -> Result<Self, LinearError> {
        let rest = point.v.iter().chain(&point.a).all(|x| *x == 0.0);
        let expected = if rest { "an equilibrium" } else { "a point of a motion" };
        let fail = |equation, residual, tolerance| LinearError::NotOnMotion {
            expected,
            equation,
            residual,
            tolerance,
        };
        let allowed = tolerance * force_scale;
        let residual = model.residual(&point);
        // Not `>`, so that a NaN is refused too.
        if largest(&residual).is_some_and(|(_, worst)| worst.is_nan() || worst > allowed) {
            let rounding = model.rounding_of_forces(&point);
            let over: Vec<f64> =
                residual.iter().zip(&rounding).map(|(r, own)| r.abs() - allowed - own.max(0.0)).collect();
            let (i, worst) = worst_of(&over);
            if worst.is_nan() || worst > 0.0 {
                return Err(fail(model.coordinate_name(i), residual[i].abs(), allowed + rounding[i]));
            }
        }
        let speed = norms::max_abs_vec(&point.v).max(1.0);
        let sizes = model.coordinates().sizes(&point.q);
        let mut allowed: Option<Vec<f64>> = None;
        for v in violations(model, &point) {
            for (order, value, unit) in [
                ("", v.position, 1.0),
                (", rate", v.velocity, speed),
                (", acceleration", v.acceleration, speed * speed),
            ] {
                if value.abs() <= tolerance * unit {
                    continue;
                }
                // A row such as |d|^2 - l^2 changes by more than a unit for a step of one.
                let of_rows = || {
                    let phi_q = model.phi_q(&point.q, point.t).to_sparse();
                    allowed_violations(&phi_q, &sizes, tolerance)
                };
                let most = allowed.get_or_insert_with(of_rows)[v.row].max(tolerance) * unit;
                if value.is_nan() || value.abs() > most {
                    return Err(fail(format!("{}{order}", v.name), value.abs(), most));
                }
            }
        }
        let moving_constraints = model.phi_t(&point.q, point.t).iter().any(|x| *x != 0.0);
        Ok(Self { point, rest: rest && !moving_constraints, forces: force_scale })
    }
    /// The motion through (q, v) at time t with inputs u: accelerations and multipliers are
    /// solved for, then the point is verified.
    ///
    /// # Errors
    /// As [`Self::declared`], and those of [`accelerations`].
    pub fn of_motion(
        model: &Model,
        q: Vec<f64>,
        v: Vec<f64>,
        t: f64,
        u: Vec<f64>,
        tolerance: f64,
    ) -> Result<Self, LinearError> {
        let mut point = Point { q, v, t, u, ..model.initial_point() };
        check_sizes(model, &point)?;
        (point.a, point.lambda) = accelerations(model, &point)?;
        Self::declared(model, point, tolerance)
    }
    /// The point.
    pub fn point(&self) -> &Point {
        &self.point
    }
    /// The size of the forces at work.
    pub(crate) const fn forces(&self) -> f64 {
        self.forces
    }
    /// True at rest: v = a = 0, and no constraint moves.
    pub fn is_rest(&self) -> bool {
        self.rest
    }
}

/// A verified point of rest or of a steady motion: what has a spectrum of exponents.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatingPoint(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Rest(Box<Point>),
    Steady(Box<SteadyMotion>),
}

impl OperatingPoint {
    /// The rest or steady motion that an instant is a point of.
    ///
    /// # Errors
    /// The errors of [`crate::steady()`].
    pub fn of_instant(model: &Model, at: &Instant, frame: &FrameChoice) -> Result<Self, LinearError> {
        Self::looked_at(model, at, frame, PHASES)
    }
    /// As [`Self::of_instant`], a motion being analysed in so many phases of each speed.
    pub(crate) fn looked_at(
        model: &Model,
        at: &Instant,
        frame: &FrameChoice,
        phases: u32,
    ) -> Result<Self, LinearError> {
        if at.is_rest() {
            // All frames are the same; one that there is not is wrong all the same.
            check_frame(model, at.point(), frame)?;
            return Ok(Self(Kind::Rest(Box::new(at.point().clone()))));
        }
        Ok(Self(Kind::Steady(Box::new(looked_at(model, at, frame, phases)?))))
    }
    /// As [`Self::of_instant`], a motion being looked at as thoroughly as is said.
    ///
    /// # Errors
    /// As [`Self::of_instant`].
    pub fn of_instant_looked(
        model: &Model,
        at: &Instant,
        frame: &FrameChoice,
        looks: Looks,
    ) -> Result<Self, LinearError> {
        Self::looked_at(model, at, frame, looks.phases())
    }
    /// A motion of a family, verified with it.
    pub(crate) fn of_family(motion: SteadyMotion) -> Self {
        Self(Kind::Steady(Box::new(motion)))
    }
    /// Verifies a declared point of rest or steady motion.
    ///
    /// # Errors
    /// The errors of [`Instant::declared`] and [`Self::of_instant`].
    pub fn declared(model: &Model, point: Point, tolerance: f64) -> Result<Self, LinearError> {
        Self::of_instant(model, &Instant::declared(model, point, tolerance)?, &FrameChoice::Automatic)
    }
    /// The steady motion through (q, v) at time t with inputs u.
    ///
    /// # Errors
    /// The errors of [`Instant::of_motion`] and [`Self::of_instant`].
    pub fn of_motion(
        model: &Model,
        q: Vec<f64>,
        v: Vec<f64>,
        t: f64,
        u: Vec<f64>,
        tolerance: f64,
    ) -> Result<Self, LinearError> {
        let at = Instant::of_motion(model, q, v, t, u, tolerance)?;
        Self::of_instant(model, &at, &FrameChoice::Automatic)
    }
    /// The point.
    pub fn point(&self) -> &Point {
        match &self.0 {
            Kind::Rest(point) => point,
            Kind::Steady(motion) => motion.point(),
        }
    }
    /// At rest or in steady motion.
    pub fn kind(&self) -> PointKind {
        match self.0 {
            Kind::Rest(_) => PointKind::Equilibrium,
            Kind::Steady(_) => PointKind::Steady,
        }
    }
    /// The steady motion; none at rest.
    pub fn steady(&self) -> Option<&SteadyMotion> {
        match &self.0 {
            Kind::Rest(_) => None,
            Kind::Steady(motion) => Some(motion),
        }
    }
}

impl From<&Equilibrium> for OperatingPoint {
    fn from(e: &Equilibrium) -> Self {
        Self(Kind::Rest(Box::new(e.point().clone())))
    }
}

/// The first number that is none, else the largest, with its index; (0, 0) of nothing.
fn worst_of(x: &[f64]) -> (usize, f64) {
    let nan = x.iter().position(|x| x.is_nan());
    let worst = nan.or_else(|| (0..x.len()).max_by(|i, j| x[*i].total_cmp(&x[*j])));
    worst.map_or((0, 0.0), |i| (i, x[i]))
}

pub(crate) fn check_sizes(model: &Model, point: &Point) -> Result<(), LinearError> {
    let sizes = [
        ("configuration numbers", point.q.len(), model.nq()),
        ("velocities", point.v.len(), model.nv()),
        ("accelerations", point.a.len(), model.nv()),
        ("multipliers", point.lambda.len(), model.nc()),
        ("inputs", point.u.len(), model.inputs().len()),
    ];
    match sizes.into_iter().find(|(_, found, expected)| found != expected) {
        Some((what, found, expected)) => Err(LinearError::WrongSize { what, found, expected }),
        None => Ok(()),
    }
}
