//! Operating points: what a linearization may be taken at.
//!
//! A linearization about a point that satisfies neither rest nor motion is meaningless, so it
//! takes an [`OperatingPoint`], which only a verification makes.

use crate::equilibrium::Equilibrium;
use crate::error::LinearError;
use mb_algebra::norms;
use mb_constraints::{accelerations, largest, violations};
use mb_model::{Model, Point};

/// What kind of point it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// At rest: v = a = 0, no explicit time in the constraints' rates.
    Equilibrium,
    /// A point of a motion; the linear system holds there and then.
    Motion,
}

/// A verified point (q, v, a, lambda, u, t).
#[derive(Clone, Debug, PartialEq)]
pub struct OperatingPoint {
    point: Point,
    kind: PointKind,
}

impl OperatingPoint {
    /// Verifies a declared point: residual and constraints to second order must vanish.
    ///
    /// `tolerance` is relative to the forces at work and, for the constraints, to one unit of
    /// length or angle (per second, per second squared).
    ///
    /// # Errors
    /// [`LinearError::NotOnMotion`] names the worst equation by body and axis, or by constraint
    /// and axis; [`LinearError::WrongSize`].
    pub fn declared(model: &Model, point: Point, tolerance: f64) -> Result<Self, LinearError> {
        check_sizes(model, &point)?;
        let scale = force_scale(model, &point);
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
        if let Some((i, residual)) = largest(&model.residual(&point)) {
            // Not `>`, so that a NaN is refused too.
            if residual.is_nan() || residual > allowed {
                return Err(fail(model.coordinate_name(i), residual, allowed));
            }
        }
        for v in violations(model, &point) {
            let speed = norms::max_abs_vec(&point.v).max(1.0);
            for (order, value, unit) in [
                ("", v.position, 1.0),
                (", rate", v.velocity, speed),
                (", acceleration", v.acceleration, speed * speed),
            ] {
                if value.is_nan() || value.abs() > tolerance * unit.max(1.0) {
                    return Err(fail(format!("{}{order}", v.name), value.abs(), tolerance * unit));
                }
            }
        }
        let moving_constraints = model.phi_t(&point.q, point.t).iter().any(|x| *x != 0.0);
        let kind = if rest && !moving_constraints { PointKind::Equilibrium } else { PointKind::Motion };
        Ok(Self { point, kind })
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
    /// At rest or in motion.
    pub fn kind(&self) -> PointKind {
        self.kind
    }
}

impl From<&Equilibrium> for OperatingPoint {
    fn from(e: &Equilibrium) -> Self {
        Self { point: e.point().clone(), kind: PointKind::Equilibrium }
    }
}

/// The size of the forces at work: what a residual is small or large against.
///
/// In an unloaded model all forces are rounding; there the scale is what a millionth of a unit of
/// displacement or acceleration would take.
pub(crate) fn force_scale(model: &Model, point: &Point) -> f64 {
    let (m, k) = model.largest_entries(point);
    let floor = 1e-6 * (m + k);
    model.largest_force(point).max(floor).max(f64::MIN_POSITIVE)
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
