//! UCS: constraints replaced by penalties, and its own equilibrium.
//!
//! ```text
//! lambda = Xi (Phi'' + Theta Phi' + Omega Phi)
//! H3 = M a + Phi_q^T Xi (Phi'' + Theta Phi' + Omega Phi) - f = 0
//! ```
//!
//! Linearized with every term of Eq. (15):
//!
//! ```text
//! M_p = M + Phi_q^T Xi Phi_q
//! C_p = C + Phi_q^T Xi (Phi''_v + Theta Phi_q)
//! K_p = K(lambda) + Phi_q^T Xi (Phi''_q + Theta Phi'_q + Omega Phi_q)
//! ```
//!
//! where K(lambda) is the stiffness with the reaction stiffness of the penalty forces, and
//! Phi''_q, Phi''_v, Phi'_q collect the terms in Phi_qq, Phi_t and their rates. The point must
//! satisfy H3 = 0: at rest that is the equilibrium of the penalty system, where Phi does not
//! vanish, so it is solved for here.
//!
//! Paper: [gonzalez2017] Eqs. (11)-(15), (18); Xi, Theta and Omega are m x m (the paper prints
//! n x n).
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

mod blocks;

pub use blocks::unconstrained_blocks;

use crate::equilibrium::Units;
use crate::error::{LinearError, no_velocity_rows};
use crate::linearize::LinearizedSystem;
use crate::turning::Turning;
use mb_algebra::{Dense, Lu, QuadraticPencil, RankTolerance, Svd, dense, norms};
use mb_model::{Model, Point};

/// One of the matrices Xi, Theta, Omega: symmetric, m x m.
#[derive(Clone, Debug, PartialEq)]
pub enum Factor {
    /// x I.
    Scalar(f64),
    /// Diagonal, one number per constraint row.
    PerConstraint(Vec<f64>),
    /// A full symmetric matrix.
    Full(Dense),
}

impl Factor {
    /// The matrix, m x m.
    ///
    /// # Errors
    /// [`LinearError::BadPenalty`] for a wrong size, an unsymmetric or a non-finite matrix.
    pub fn matrix(&self, m: usize, which: &'static str) -> Result<Dense, LinearError> {
        let bad = |problem: String| LinearError::BadPenalty { which, problem };
        let matrix = match self {
            Self::Scalar(x) => dense::diagonal(&vec![*x; m]),
            Self::PerConstraint(d) if d.len() == m => dense::diagonal(d),
            Self::PerConstraint(d) => {
                return Err(bad(format!("has {} numbers, the model has {m} constraint rows", d.len())));
            }
            Self::Full(a) if a.shape() == (m, m) => a.clone(),
            Self::Full(a) => {
                let (rows, cols) = a.shape();
                return Err(bad(format!("is {rows} x {cols}, the model has {m} constraint rows")));
            }
        };
        if dense::first_non_finite(&matrix).is_some() {
            return Err(bad("has a number that is not finite".to_owned()));
        }
        if dense::is_symmetric(&matrix, 1e-12).is_err() {
            return Err(bad("is not symmetric".to_owned()));
        }
        Ok(matrix)
    }
}

/// The penalty: Xi (N per unit of violation and 1/s^2), Theta (1/s), Omega (1/s^2).
#[derive(Clone, Debug, PartialEq)]
pub struct Penalty {
    /// Penalty factors.
    pub xi: Factor,
    /// Damping of the violation.
    pub theta: Factor,
    /// Stiffness of the violation.
    pub omega: Factor,
}

impl Penalty {
    /// The paper's choice: Xi = alpha I, Theta = 2 xi omega I, Omega = omega^2 I.
    pub fn scalar(alpha: f64, xi: f64, omega: f64) -> Self {
        Self {
            xi: Factor::Scalar(alpha),
            theta: Factor::Scalar(2.0 * xi * omega),
            omega: Factor::Scalar(omega * omega),
        }
    }
}

/// Up to this many coordinates and rows in all the equilibrium is solved for with dense matrices.
const DENSE_UP_TO: usize = 400;

/// Xi, Theta, Omega as m x m matrices, checked.
#[derive(Clone, Debug)]
struct Matrices {
    xi: Dense,
    theta: Dense,
    omega: Dense,
}

impl Matrices {
    fn new(penalty: &Penalty, m: usize) -> Result<Self, LinearError> {
        let matrices = Self {
            xi: penalty.xi.matrix(m, "Xi")?,
            theta: penalty.theta.matrix(m, "Theta")?,
            omega: penalty.omega.matrix(m, "Omega")?,
        };
        if (0..m).any(|i| matrices.xi[(i, i)] <= 0.0) {
            let problem = "must be positive: a constraint without penalty is no constraint".to_owned();
            return Err(LinearError::BadPenalty { which: "Xi", problem });
        }
        Ok(matrices)
    }
    /// Xi (x2 + Theta x1 + Omega x0).
    fn forces(&self, x0: &[f64], x1: &[f64], x2: &[f64]) -> Vec<f64> {
        let (theta, omega) = (dense::matvec(&self.theta, x1), dense::matvec(&self.omega, x0));
        let sum: Vec<f64> = x2.iter().zip(theta).zip(omega).map(|((a, b), c)| a + b + c).collect();
        dense::matvec(&self.xi, &sum)
    }
}

/// A point of the penalty system: H3 = 0, with the penalty forces as multipliers.
#[derive(Clone, Debug, PartialEq)]
pub struct PenaltyPoint {
    /// The point; `lambda` holds Xi (Phi'' + Theta Phi' + Omega Phi).
    pub point: Point,
    /// Largest violation |Phi| that the penalty forces need.
    pub violation: f64,
    /// Iterations of the equilibrium.
    pub iterations: usize,
}

const PENALTY: &str = "penalty form at rest";
const OTHERS: &str = "Take the minimal or the redundant form.";

/// The equilibrium of the penalty system near an equilibrium of the constrained one.
///
/// Newton on q and the penalty forces w together, which stays well conditioned for stiff
/// penalties:
///
/// ```text
/// [K(w) Phi_q^T; Xi Omega Phi_q  -I] [dq; dw] = -[Phi_q^T w - f; Xi Omega Phi - w]
/// ```
///
/// # Errors
/// [`LinearError::NoEquilibrium`] when it does not converge; [`LinearError::BadPenalty`].
pub fn penalty_equilibrium(
    model: &Model,
    near: &Point,
    penalty: &Penalty,
) -> Result<PenaltyPoint, LinearError> {
    no_velocity_rows(model, PENALTY, OTHERS)?;
    let (n, m) = (model.nv(), model.nc());
    let matrices = Matrices::new(penalty, m)?;
    let stiffness = dense::mul(&matrices.xi, &matrices.omega);
    let mut point = near.clone();
    let units = Units::new(model, &near.q);
    let mut last = f64::INFINITY;
    let mut done = 0;
    for iterations in 0..60 {
        let (dq, dw) = if n + m <= DENSE_UP_TO {
            blocks::dense_correction(model, &point, &stiffness)?
        } else {
            blocks::correction(model, &point, &stiffness)?
        };
        let size = units.two(&dq);
        if !size.is_finite() {
            break;
        }
        done = iterations + 1;
        point.q = model.coordinates().retract(&point.q, &dq);
        for (w, d) in point.lambda.iter_mut().zip(&dw) {
            *w += d;
        }
        let reach = units.reach(model, &point.q);
        if size <= 1e-15 * reach || (size <= 1e-9 * reach && size > 0.5 * last) {
            let violation = norms::max_abs_vec(&model.phi(&point.q, point.t));
            return Ok(PenaltyPoint { point, violation, iterations: done });
        }
        last = size;
    }
    let residual = model.residual(&point);
    let (i, residual) = mb_constraints::largest(&residual).unwrap_or((0, 0.0));
    Err(LinearError::NoEquilibrium {
        pushed: String::new(),
        stopped: None,
        tried: "Newton on the penalty system".to_owned(),
        iterations: done,
        equation: model.coordinate_name(i),
        residual,
    })
}

fn solve_or_shortest(a: &Dense, b: &[f64]) -> Result<Vec<f64>, LinearError> {
    if let Ok(lu) = Lu::new(a)
        && lu.rcond() > 1e-15
    {
        return Ok(lu.solve(b));
    }
    Ok(Svd::new(a)?.min_norm_solve(b, RankTolerance { relative: 1e-13 }))
}

/// A declared point of motion of the penalty system; accelerations are solved for.
///
/// ```text
/// (M + Phi_q^T Xi Phi_q) a = f - Phi_q^T Xi (Phi''|a=0 + Theta Phi' + Omega Phi)
/// ```
///
/// # Errors
/// [`LinearError::BadPenalty`]; a singular mass matrix.
pub fn penalty_motion(model: &Model, at: &Point, penalty: &Penalty) -> Result<PenaltyPoint, LinearError> {
    let matrices = Matrices::new(penalty, model.nc())?;
    let mut point = Point { a: vec![0.0; model.nv()], ..at.clone() };
    let phi = model.phi(&point.q, point.t);
    let phi_dot = model.phi_dot(&point.q, &point.v, point.t);
    point.lambda = matrices.forces(&phi, &phi_dot, &model.phi_ddot(&point));
    let phi_q = model.phi_q(&point.q, point.t).to_dense();
    let mass =
        &model.mass(&point).to_dense() + &dense::mul_transpose(&phi_q, &dense::mul(&matrices.xi, &phi_q));
    let force: Vec<f64> = model.residual(&point).iter().map(|r| -r).collect();
    point.a = Lu::new(&mass)?.solve(&force);
    point.lambda = matrices.forces(&phi, &phi_dot, &model.phi_ddot(&point));
    let violation = norms::max_abs_vec(&phi);
    Ok(PenaltyPoint { point, violation, iterations: 0 })
}

/// M_p x'' + C_p x' + K_p x = F_p u.
#[derive(Clone, Debug)]
pub struct UnconstrainedSystem {
    /// M_p, n x n.
    pub m: Dense,
    /// C_p, n x n.
    pub c: Dense,
    /// K_p, n x n.
    pub k: Dense,
    /// F_p, n x inputs.
    pub f: Dense,
    /// The constraint Jacobian at the point, m x n, to distinguish true from spurious modes.
    pub phi_q: Dense,
    /// Xi, m x m.
    pub xi: Dense,
}

impl UnconstrainedSystem {
    /// The matrices as a problem without constraints.
    pub fn pencil(&self) -> QuadraticPencil<Dense> {
        QuadraticPencil {
            m: self.m.clone(),
            c: self.c.clone(),
            k: self.k.clone(),
            phi_q: Dense::zeros(0, self.m.nrows()),
        }
    }
}

/// Residual compared with the forces at work up to which a point is in balance.
const BALANCED: f64 = 1e-6;

/// Refuses a point where H3 does not vanish.
fn check_balance(model: &Model, point: &Point) -> Result<(), LinearError> {
    let Some((i, residual)) = mb_constraints::largest(&model.residual(point)) else { return Ok(()) };
    // What derivatives add to the scale is only needed where no force is at work.
    if residual <= BALANCED * model.largest_force(point) {
        return Ok(());
    }
    let tolerance = BALANCED * model.force_scale(point);
    if residual <= tolerance {
        return Ok(());
    }
    Err(LinearError::NotOnMotion {
        expected: "a point of the penalty system",
        equation: model.coordinate_name(i),
        residual,
        tolerance,
    })
}

/// M_p, C_p, K_p, F_p of the penalty system at an instant of its motion: what [`UnconstrainedSystem`] is at rest, but without
/// a way to a spectrum.
#[derive(Clone, Debug)]
pub struct UnconstrainedInstant {
    /// M_p, n x n.
    pub m: Dense,
    /// C_p, n x n.
    pub c: Dense,
    /// K_p, n x n.
    pub k: Dense,
    /// F_p, n x inputs.
    pub f: Dense,
}

/// Linearizes the penalty system at its own equilibrium.
///
/// # Errors
/// [`LinearError::NotOnMotion`] when the point does not satisfy H3 = 0, or is not at rest;
/// [`LinearError::BadPenalty`].
pub fn unconstrained(
    model: &Model,
    at: &PenaltyPoint,
    penalty: &Penalty,
) -> Result<UnconstrainedSystem, LinearError> {
    let point = &at.point;
    if let Some((i, speed)) = mb_constraints::largest(&point.v).filter(|(_, speed)| *speed > 0.0) {
        let equation = format!("the speed of {}", model.coordinate_name(i));
        return Err(LinearError::NotOnMotion {
            expected: "a rest of the penalty system",
            equation,
            residual: speed,
            tolerance: 0.0,
        });
    }
    let UnconstrainedInstant { m, c, k, f } = unconstrained_instant(model, at, penalty)?;
    let xi = Matrices::new(penalty, model.nc())?.xi;
    let phi_q = model.phi_q(&point.q, point.t).to_dense();
    Ok(UnconstrainedSystem { m, c, k, f, phi_q, xi })
}

/// Linearizes the penalty system at an instant of its motion, or at rest.
///
/// # Errors
/// [`LinearError::NotOnMotion`] when the point does not satisfy H3 = 0;
/// [`LinearError::BadPenalty`].
pub fn unconstrained_instant(
    model: &Model,
    at: &PenaltyPoint,
    penalty: &Penalty,
) -> Result<UnconstrainedInstant, LinearError> {
    no_velocity_rows(model, PENALTY, OTHERS)?;
    let matrices = Matrices::new(penalty, model.nc())?;
    let point = &at.point;
    check_balance(model, point)?;
    let blocks = model.dense_blocks(point);
    let phi_q = &blocks.phi_q;
    let xi_phi = dense::mul(&matrices.xi, phi_q);
    let moving = point.v.iter().chain(&point.a).any(|x| *x != 0.0)
        || model.phi_t(&point.q, point.t).iter().any(|x| *x != 0.0);
    let mut by_v = dense::mul(&matrices.theta, phi_q);
    let mut by_q = dense::mul(&matrices.omega, phi_q);
    if moving {
        let phi_dot_q = model.phi_dot_q(&point.q, &point.v, point.t).to_dense();
        by_v = &by_v + &model.phi_ddot_v(point).to_dense();
        by_q = &(&by_q + &model.phi_ddot_q(point).to_dense()) + &dense::mul(&matrices.theta, &phi_dot_q);
    }
    let f = if model.inputs().is_empty() {
        Dense::zeros(model.nv(), 0)
    } else {
        model.input_matrix(point).to_dense()
    };
    let m = &blocks.m + &dense::mul_transpose(phi_q, &xi_phi);
    let mut c = &blocks.c + &dense::mul_transpose(&xi_phi, &by_v);
    let mut k = &blocks.k + &dense::mul_transpose(&xi_phi, &by_q);
    if let Some(turning) = Turning::new(model, point) {
        (c, k) = turning.applied(&m, c, k);
    }
    Ok(UnconstrainedInstant { m, c, k, f })
}

/// The penalty system of a linearized constrained one, at the constrained equilibrium or in the frame of a steady motion.
///
/// Its stiffness takes the true multipliers, so only the shift of the equilibrium by the
/// violation is left out; good to first order in 1/Xi. For sizes where the full Newton solve
/// is not wanted.
///
/// # Errors
/// [`LinearError::BadPenalty`].
pub fn unconstrained_near(
    lin: &LinearizedSystem,
    penalty: &Penalty,
) -> Result<UnconstrainedSystem, LinearError> {
    let matrices = Matrices::new(penalty, lin.constraints())?;
    let xi_phi = dense::mul(&matrices.xi, &lin.phi_q);
    Ok(UnconstrainedSystem {
        m: &lin.m + &dense::mul_transpose(&lin.phi_q, &xi_phi),
        c: &lin.c + &dense::mul_transpose(&xi_phi, &dense::mul(&matrices.theta, &lin.phi_q)),
        k: &lin.k + &dense::mul_transpose(&xi_phi, &dense::mul(&matrices.omega, &lin.phi_q)),
        f: lin.f.clone(),
        phi_q: lin.phi_q.clone(),
        xi: matrices.xi,
    })
}
