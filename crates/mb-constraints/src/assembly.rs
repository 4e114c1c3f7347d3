//! Assembly: the nearest configuration, velocities and accelerations that satisfy the constraints.
//!
//! Position: Gauss-Newton with shortest steps, q <- q (+) f d, Phi_q d = -Phi, halved until the violation is what the
//! derivative promises within a half,
//!
//! ```text
//! |Phi(q (+) f d) - (1 - f) Phi(q)| <= f |Phi(q)| / 2,   f = f1, f1/2, ..., f1/64
//! ```
//!
//! with f1 = 1 or what turns nothing by more than one radian, so that no step leaps over a configuration into another
//! branch; where no such step is found, as at a fold, a step that lessens the violation does. Velocity: v <- v + d with
//! Phi_q d = -(Phi_q v + Phi_t). Held coordinates keep their start value.

use crate::error::ConstraintError;
use crate::patterns::SaddlePatterns;
use crate::rank::constraint_rank;
use crate::saddle::Saddle;
use crate::violation::{allowed_violations, largest};
use mb_algebra::{RankTolerance, Scatter, Sparse, Triplets, Watch, norms, sparse};
use mb_model::{Model, Point};

/// Options of the assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct AssemblyOptions {
    /// Allowed violation of each row relative to its largest derivative times a unit step, compared with rounding of the
    /// coordinates.
    pub tolerance: f64,
    /// Steps before giving up.
    pub max_iterations: usize,
    /// Velocity indices of coordinates that stay as given.
    pub hold: Vec<usize>,
    /// What ends it from outside, checked once a step.
    pub watch: Watch,
}

impl Default for AssemblyOptions {
    /// Tolerance 1e-12, 100 steps, nothing held.
    fn default() -> Self {
        Self { tolerance: 1e-12, max_iterations: 100, hold: Vec::new(), watch: Watch::default() }
    }
}

/// An assembled configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// Configuration with Phi(q, t) = 0.
    pub q: Vec<f64>,
    /// Steps taken.
    pub iterations: usize,
    /// Largest violation left.
    pub violation: f64,
    /// Length of the way from the start, in the norm of the tangent.
    pub moved: f64,
}

/// Phi_q with the columns of held coordinates removed (made zero).
fn without_held(phi_q: &Sparse, hold: &[usize]) -> Sparse {
    let mut free = Triplets::new(phi_q.rows(), phi_q.cols());
    for (value, (row, col)) in phi_q {
        if !hold.contains(&col) {
            free.add(row, col, *value);
        }
    }
    free.to_sparse()
}

/// The shortest step d with Phi_q d = b.
fn shortest(phi_q: &Sparse, b: &[f64], patterns: &mut SaddlePatterns) -> Result<Vec<f64>, ConstraintError> {
    let n = phi_q.cols();
    Ok(Saddle::sparse_again(&sparse::identity(n), phi_q, patterns)?.solve(&vec![0.0; n], b).0)
}

/// Finds the configuration near `start` that satisfies the constraints at time `t`.
///
/// # Errors
/// [`ConstraintError::NotAssembled`] names the row that stays violated and the rows it
/// contradicts; [`ConstraintError::NotFinite`] names the element; [`ConstraintError::Stopped`].
pub fn assemble(
    model: &Model,
    start: &[f64],
    t: f64,
    options: &AssemblyOptions,
) -> Result<Assembled, ConstraintError> {
    let mut q = start.to_vec();
    let mut moved = 0.0;
    let mut patterns = SaddlePatterns::default();
    let mut phi = model.phi(&q, t);
    check_finite(model, &q, t, &phi)?;
    for iterations in 0..=options.max_iterations {
        options.watch.look()?;
        let phi_q = model.phi_q(&q, t).to_sparse();
        let violation = norms::max_abs_vec(&phi);
        if is_small(&phi, &phi_q, &model.coordinates().sizes(&q), options.tolerance) {
            return Ok(Assembled { q, iterations, violation, moved });
        }
        if iterations == options.max_iterations {
            break;
        }
        let rhs: Vec<f64> = phi.iter().map(|x| -x).collect();
        let free = if options.hold.is_empty() { phi_q } else { without_held(&phi_q, &options.hold) };
        let step = shortest(&free, &rhs, &mut patterns)?;
        let here = norms::two(&phi);
        let taken = |factor: f64| {
            let d: Vec<f64> = step.iter().map(|x| factor * x).collect();
            let q = model.coordinates().retract(&q, &d);
            let phi = model.phi(&q, t);
            (q, phi)
        };
        let promised = |factor: f64, trial: &[f64]| {
            let off: Vec<f64> = trial.iter().zip(&phi).map(|(new, old)| new - (1.0 - factor) * old).collect();
            norms::two(&off) <= 0.5 * factor * here
        };
        let lessened = |factor: f64, trial: &[f64]| norms::two(trial) <= (1.0 - 0.25 * factor) * here;
        let largest = 1.0 / model.coordinates().largest_turn(&step).max(1.0);
        let halves = |most: i32| (0..most).map(|k| largest * 0.5_f64.powi(k));
        let straight = halves(7).map(|f| (f, taken(f))).find(|(f, (_, phi))| promised(*f, phi));
        let found =
            straight.or_else(|| halves(20).map(|f| (f, taken(f))).find(|(f, (_, phi))| lessened(*f, phi)));
        let Some((factor, (next, next_phi))) = found else {
            return Err(not_assembled(model, &q, t, iterations, &phi, options));
        };
        moved += factor * norms::two(&step);
        (q, phi) = (next, next_phi);
    }
    Err(not_assembled(model, &q, t, options.max_iterations, &phi, options))
}

/// Whether each row is as small as [`allowed_violations`] says.
fn is_small(phi: &[f64], phi_q: &Sparse, sizes: &[f64], tolerance: f64) -> bool {
    let allowed = allowed_violations(phi_q, sizes, tolerance);
    phi.iter().zip(allowed).all(|(phi, allowed)| phi.abs() <= allowed)
}

fn check_finite(model: &Model, q: &[f64], t: f64, phi: &[f64]) -> Result<(), ConstraintError> {
    phi.iter().position(|x| !x.is_finite()).map_or(Ok(()), |_| {
        let point = Point { q: q.to_vec(), t, ..model.initial_point() };
        let owner = model.first_non_finite(&point).unwrap_or("a constraint").to_owned();
        Err(ConstraintError::NotFinite { owner })
    })
}

fn not_assembled(
    model: &Model,
    q: &[f64],
    time: f64,
    iterations: usize,
    phi: &[f64],
    options: &AssemblyOptions,
) -> ConstraintError {
    let (row, violation) = largest(phi).unwrap_or((0, 0.0));
    let mut contradiction = String::new();
    // The search stops short of the point where the rows become dependent, so look loosely.
    let others: Vec<String> = (0..phi.len())
        .filter(|i| *i != row && phi[*i].abs() > 0.1 * violation)
        .map(|i| model.row_name(i))
        .collect();
    if !others.is_empty() {
        contradiction = format!(", and so are {}", others.join(", "));
    }
    if let Ok(rank) = constraint_rank(model, q, time, RankTolerance { relative: 1e-3 }) {
        let rows: Vec<String> = rank
            .redundant
            .iter()
            .filter(|r| !r.depends_on.is_empty())
            .map(|r| format!("{} depends on {}", r.name, r.depends_on.join(", ")))
            .collect();
        if !rows.is_empty() {
            contradiction.push_str("; constraints contradict each other: ");
            contradiction.push_str(&rows.join("; "));
        } else if !options.hold.is_empty() {
            let held: Vec<String> = options.hold.iter().map(|i| model.coordinate_name(*i)).collect();
            contradiction.push_str("; held coordinates: ");
            contradiction.push_str(&held.join(", "));
        }
    }
    ConstraintError::NotAssembled { time, iterations, owner: model.row_name(row), violation, contradiction }
}

/// The velocities nearest to `start` that satisfy Phi_q v + Phi_t = 0.
///
/// # Errors
/// [`ConstraintError::VelocitiesContradict`] when there are none.
pub fn assemble_velocities(
    model: &Model,
    q: &[f64],
    start: &[f64],
    t: f64,
) -> Result<Vec<f64>, ConstraintError> {
    let phi_q = model.phi_q(q, t).to_sparse();
    let missing: Vec<f64> = model.phi_dot(q, start, t).iter().map(|x| -x).collect();
    let d = shortest(&phi_q, &missing, &mut SaddlePatterns::default())?;
    let v: Vec<f64> = start.iter().zip(&d).map(|(v, d)| v + d).collect();
    let left = model.phi_dot(q, &v, t);
    let scale = norms::max_abs_vec(&missing).max(norms::max_abs_vec(&v)).max(1.0);
    match largest(&left) {
        Some((row, violation)) if violation > 1e-9 * scale => {
            Err(ConstraintError::VelocitiesContradict { time: t, owner: model.row_name(row), violation })
        }
        _ => Ok(v),
    }
}

/// Accelerations and multipliers of the motion at (q, v, t, u).
///
/// ```text
/// [M Phi_q^T; Phi_q 0] [a; lambda] = [f; gamma],   gamma = -(Phi'' at a = 0)
/// ```
///
/// Redundant constraints get the shortest multipliers.
///
/// # Errors
/// Entries that are not finite, and a system that stays unsolved (mass missing in a free direction).
pub fn accelerations(model: &Model, point: &Point) -> Result<(Vec<f64>, Vec<f64>), ConstraintError> {
    let still = Point { a: vec![0.0; model.nv()], ..point.clone() };
    let f: Vec<f64> = model.applied_residual(&still).iter().map(|x| -x).collect();
    let gamma: Vec<f64> = model.phi_ddot(&still).iter().map(|x| -x).collect();
    if f.iter().chain(&gamma).any(|x| !x.is_finite()) {
        let owner = model.first_non_finite(point).unwrap_or("an element").to_owned();
        return Err(ConstraintError::NotFinite { owner });
    }
    let mass = model.mass(point).to_sparse();
    let phi_q = model.phi_q(&point.q, point.t).to_sparse();
    Ok(Saddle::sparse(&mass, &phi_q)?.solve(&f, &gamma))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{dense, to_sparse};

    #[test]
    fn a_row_far_from_the_origin_may_be_off_by_rounding_of_its_coordinates() {
        // (x_2 - x_1)^2 - 1 where x_2 is the number next to x_1 + 1.
        let phi_q = to_sparse(&dense::from_rows(&[&[-2.0, 2.0]]));
        for x in [1e5_f64, 3e7] {
            let next = f64::from_bits((x + 1.0).to_bits() + 1);
            let phi = [(next - x).powi(2) - 1.0];
            assert!(phi[0] > 1e-12 && is_small(&phi, &phi_q, &[x, next], 1e-12), "{phi:?}");
            assert!(!is_small(&[1e3 * phi[0]], &phi_q, &[x, next], 1e-12));
            assert!(!is_small(&phi, &phi_q, &[1.0, 2.0], 1e-12));
        }
        assert!(!is_small(&[f64::NAN], &phi_q, &[1.0, 2.0], 1e-12));
    }
}
