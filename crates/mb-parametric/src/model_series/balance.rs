//! The operating point in equilibrium, degree by degree.
//!
//! Unknowns are the coordinates that are no variables, the multipliers and the inputs that hold
//! the others; the equations r = 0, Phi = 0. Under constraints in motion the speeds and
//! accelerations that follow (following.rs) belong to the unknowns, Phi' = 0 and Phi'' = 0 to the
//! equations. Their matrix at the centre (jacobian.rs) is factored once. With the point exact
//! below a degree, the residual begins at that degree, and the products of its correction with
//! anything but the matrix of the centre are of higher degree still: each Newton step adds one
//! degree exactly.

use super::capacity::Moving;
use super::following::following_speeds;
use super::jacobian::{Change, Jacobian, Residual, Unknowns};
use super::steady;
use crate::ParametricError;
use crate::steady::SteadyRule;
use mb_algebra::{interrupt, norms};
use mb_model::{Data, Model, Point};
use mb_scalar::jet::{DynJet, Monomials};
use std::ops::Range;

/// Newton steps allowed at the centre.
const CENTRE_STEPS: usize = 30;
/// Residual allowed at the centre, relative to the forces at work.
const CENTRE_TOLERANCE: f64 = 1e-9;

/// Steps of up to this size, relative to the coordinates, leave the matrix as it is.
const CHORD: f64 = 1e-6;

/// The unknowns of the balance with the factored matrix of the centre.
pub(super) struct Balance {
    unknowns: Unknowns,
    pub(super) jacobian: Jacobian,
}

impl Unknowns {
    /// Checks that the problem is square, with as many inputs as coordinates are held.
    pub(super) fn new(
        model: &Model,
        held: &[usize],
        holding: &[usize],
        following: &[usize],
    ) -> Result<Self, ParametricError> {
        let unusable = holding.iter().any(|i| *i >= model.inputs().len());
        if held.len() != holding.len() || unusable {
            let names = |list: &[usize], name: &dyn Fn(usize) -> String| {
                let all: Vec<String> = list.iter().map(|i| name(*i)).collect();
                if all.is_empty() { "none".to_owned() } else { all.join(", ") }
            };
            return Err(ParametricError::HoldingInputs {
                held: names(held, &|i| model.coordinate_name(i)),
                inputs: names(holding, &|i| {
                    model.inputs().get(i).cloned().unwrap_or_else(|| format!("input {i}"))
                }),
            });
        }
        let free = (0..model.nv()).filter(|i| !held.contains(i)).collect();
        let (holding, following) = (holding.to_vec(), following.to_vec());
        Ok(Self { free, holding, constraints: model.nc(), following, steady: None })
    }

    /// With velocities that follow as a steady motion says.
    pub(super) fn in_motion(self, rule: Option<&SteadyRule>) -> Self {
        Self { steady: rule.cloned(), ..self }
    }

    /// Sets what follows from the configuration alone.
    fn follow(&self, model: &Model, at: &mut Point) {
        if let Some(rule) = &self.steady {
            rule.follow(model, at);
        }
    }

    /// What is not in balance at a point.
    fn residual(&self, model: &Model, at: &Point) -> Residual {
        let rates = if self.following.is_empty() {
            Default::default()
        } else {
            [model.phi_dot(&at.q, &at.v, at.t), model.phi_ddot(at)]
        };
        Residual { r: model.residual(at), phi: model.phi(&at.q, at.t), rates }
    }
}

impl Balance {
    /// Factors the matrix of a point that is in balance.
    pub(super) fn at(model: &Model, centre: &Point, unknowns: Unknowns) -> Result<Self, ParametricError> {
        let jacobian = Jacobian::new(model, centre, &unknowns)?;
        jacobian.check_isolated()?;
        Ok(Self { unknowns, jacobian })
    }

    /// Adds the terms of one degree to a point that is exact below it.
    pub(super) fn step<const CAP: usize>(
        &self,
        model: &Model<DynJet<CAP>>,
        point: &Point<DynJet<CAP>>,
        moving: &mut Moving<CAP>,
        table: &'static Monomials,
        terms: Range<usize>,
    ) where
        DynJet<CAP>: Data,
    {
        interrupt::check();
        let (r, phi) = (model.residual(point), model.phi(&point.q, point.t));
        interrupt::check();
        let rates: [Vec<DynJet<CAP>>; 2] = if self.unknowns.following.is_empty() {
            Default::default()
        } else {
            [model.phi_dot(&point.q, &point.v, point.t), model.phi_ddot(point)]
        };
        for term in terms {
            interrupt::check();
            let at = |list: &[DynJet<CAP>]| list.iter().map(|x| x.coefficients(table)[term]).collect();
            let residual = Residual { r: at(&r), phi: at(&phi), rates: [at(&rates[0]), at(&rates[1])] };
            let Change { free, lambda, u, v, a } = self.jacobian.correction(&self.unknowns, &residual);
            let mut unit = vec![0.0; table.len()];
            unit[term] = 1.0;
            let unit = DynJet::from_coefficients(table, &unit);
            let add = |x: &mut DynJet<CAP>, change: f64| *x += mb_scalar::Real::scale(unit, change);
            let Unknowns { free: coordinates, holding, following, .. } = &self.unknowns;
            for (list, numbers, changes) in [
                (&mut moving.delta, coordinates, free),
                (&mut moving.u, holding, u),
                (&mut moving.v, following, v),
                (&mut moving.a, following, a),
            ] {
                numbers.iter().zip(changes).for_each(|(&i, change)| add(&mut list[i], change));
            }
            moving.lambda.iter_mut().zip(lambda).for_each(|(x, change)| add(x, change));
        }
    }
}

/// The equilibrium near `start` with the `held` coordinates fixed by the inputs `holding`; the
/// velocities and accelerations of `start` act as given, so that it may be a dynamic one.
///
/// Under constraints as many speeds and accelerations as there are constraint rows follow from
/// the others; those that are not zero in `start`, and those of held coordinates, are kept as far
/// as they can be (see [`following_speeds`]).
///
/// # Errors
/// [`ParametricError::HoldingInputs`], [`ParametricError::RedundantConstraints`], and
/// [`ParametricError::NotBalanced`] when Newton's method finds none.
pub fn balanced_point(
    model: &Model,
    start: &Point,
    held: &[usize],
    holding: &[usize],
) -> Result<Point, ParametricError> {
    let given = (0..model.nv()).filter(|i| start.v[*i] != 0.0 || start.a[*i] != 0.0);
    let kept: Vec<usize> = given.chain(held.iter().copied()).collect();
    let moves = start.v.iter().chain(&start.a).any(|x| *x != 0.0);
    let following = if moves { following_speeds(model, start, &kept)? } else { Vec::new() };
    let mut point = start.clone();
    balance_centre(model, &mut point, &Unknowns::new(model, held, holding, &following)?)?;
    Ok(point)
}

/// Improves the centre to an isolated equilibrium with the held coordinates fixed.
pub(super) fn balance_centre(
    model: &Model,
    centre: &mut Point,
    unknowns: &Unknowns,
) -> Result<(), ParametricError> {
    let mut last = f64::INFINITY;
    let mut allowed = 0.0;
    let mut factored: Option<Jacobian> = None;
    unknowns.follow(model, centre);
    for step in 0..CENTRE_STEPS {
        let jacobian = match factored.take() {
            Some(nearby) => nearby,
            None => match Jacobian::new(model, centre, unknowns) {
                // A place that is none of the mechanism's says nothing of its constraints.
                Err(ParametricError::RedundantConstraints { .. })
                    if step > 0 && violated(model, centre, 1e3 * allowed) =>
                {
                    break;
                }
                other => other?,
            },
        };
        if step == 0 {
            jacobian.check_isolated()?;
        }
        allowed = CENTRE_TOLERANCE * jacobian.largest_constraint() * (1.0 + norms::max_abs_vec(&centre.q));
        let mut change = jacobian.correction(unknowns, &unknowns.residual(model, centre));
        let w = jacobian.frequency();
        let size = norms::max_abs_vec(&change.free)
            .max(norms::max_abs_vec(&change.v) / w)
            .max(norms::max_abs_vec(&change.a) / (w * w));
        if !size.is_finite() {
            break;
        }
        if unknowns.steady.is_some() {
            // In motion a step that turns far overshoots, as inertia forces are no linear functions of it.
            change.shorten(steady::part(model, unknowns, &change));
        }
        apply(model, centre, unknowns, &change);
        let reach = 1.0 + norms::max_abs_vec(&centre.q);
        // Rounding reached: small and no longer falling.
        if size <= 1e-15 * reach || (size <= 1e-9 * reach && size > 0.5 * last) {
            factored = Some(jacobian);
            break;
        }
        // The matrix of a place this near serves for the steps that are left.
        factored = (size <= CHORD * reach).then_some(jacobian);
        last = size;
    }
    if violated(model, centre, allowed) {
        let left = norms::max_abs_vec(&model.phi(&centre.q, centre.t));
        let reason =
            format!("the constraints cannot be met there: Newton's method leaves {left:.1e} of them");
        return Err(ParametricError::NotBalanced { reason, singular: false });
    }
    let residual = model.residual(centre);
    if let Some((equation, scale)) = off_balance(model, centre, &residual) {
        if unknowns.steady.is_some() && factored.is_some() {
            // Newton's method has arrived: what is left is along the motion, where springs hold it.
            return Err(steady::unbalanced(model, &residual));
        }
        let reason = format!(
            "Newton's method from the point given leaves a residual of {:.1e} in the equation of {}, while the forces at \
             work are of size {scale:.1e}",
            residual[equation].abs(),
            model.coordinate_name(equation)
        );
        return Err(ParametricError::NotBalanced { reason, singular: false });
    }
    match factored {
        Some(nearby) => nearby.check_isolated(),
        None => Jacobian::new(model, centre, unknowns)?.check_isolated(),
    }
}

/// The equation that is furthest off its balance, with the size of the forces at work; none where all hold within the tolerance and what
/// rounding of the coordinates does to stiff members.
fn off_balance(model: &Model, at: &Point, residual: &[f64]) -> Option<(usize, f64)> {
    let scale = model.force_scale(at);
    let allowed = CENTRE_TOLERANCE * scale;
    let is_off = |r: f64, own: f64| r.is_nan() || r.abs() > allowed + own;
    if !residual.iter().any(|r| is_off(*r, 0.0)) {
        return None;
    }
    let rounding = model.rounding_of_forces(at);
    let off = (0..residual.len()).filter(|i| is_off(residual[*i], rounding[*i]));
    off.max_by(|i, j| residual[*i].abs().total_cmp(&residual[*j].abs())).map(|i| (i, scale))
}

/// Whether a constraint is off by more than is allowed, or not finite.
fn violated(model: &Model, at: &Point, allowed: f64) -> bool {
    let left = norms::max_abs_vec(&model.phi(&at.q, at.t));
    left.is_nan() || left > allowed
}

/// Adds a change to a point.
fn apply(model: &Model, point: &mut Point, unknowns: &Unknowns, change: &Change) {
    let mut d = vec![0.0; model.nv()];
    unknowns.free.iter().zip(&change.free).for_each(|(&i, x)| d[i] = *x);
    point.q = model.coordinates().retract(&point.q, &d);
    point.lambda.iter_mut().zip(&change.lambda).for_each(|(x, change)| *x += change);
    for (list, numbers, changes) in [
        (&mut point.u, &unknowns.holding, &change.u),
        (&mut point.v, &unknowns.following, &change.v),
        (&mut point.a, &unknowns.following, &change.a),
    ] {
        numbers.iter().zip(changes).for_each(|(&i, change)| list[i] += change);
    }
    unknowns.follow(model, point);
}
