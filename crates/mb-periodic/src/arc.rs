//! A part of a motion with the exact derivative of its end by its start, on the tangents of the constraints.
//!
//! ```text
//! x = R z,   dv = w0 V w + D z,   P R = 0,   R^T R = 1,   [P; A] V = 0,   V^T V = 1,   [P; A] D + Phi'_q R = 0,   V^T D = 0
//! z = R^T x,   w = V^T dv / w0
//! ```
//!
//! P are the position rows and A the velocity rows; without the latter V is R. A state has 2 (n - r) - k coordinates (z, w);
//! w0 = 2 pi / T gives both the same unit.

use crate::dynamics::{Dynamics, State};
use crate::error::PeriodicError;
use crate::geometry::difference;
use crate::group::Displacement;
use crate::step::{Directions, Stepper};
use mb_algebra::{Dense, Watch, dense};
use mb_model::Model;

/// Coordinates of the states near one state.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Orthonormal basis R of the admissible displacements, n x d.
    pub r: Dense,
    /// Orthonormal basis V of the changes of velocities that the rows allow, n x e.
    pub velocities: Dense,
    /// D, n x d.
    pub lift: Dense,
    /// w0, rad/s.
    pub rate: f64,
}

impl Frame {
    /// At a state on the constraints.
    ///
    /// # Errors
    /// [`PeriodicError::Singular`].
    pub fn new(dynamics: &Dynamics<'_>, at: &State, rate: f64) -> Result<Self, PeriodicError> {
        let rows = dynamics.constraints(at.t, &at.q)?;
        let r = rows.positions.free()?;
        let velocities = rows.velocities().free()?;
        let change = dense::mul(&dynamics.rates_by_q(at.t, &at.q, &at.v), &r);
        let lift = rows.velocities().held(&Dense::zeros(dynamics.n(), r.ncols()), Some(&change));
        Ok(Self { r, velocities, lift, rate })
    }
    /// That of the state that a displacement of the whole takes this one's to.
    pub(crate) fn turned(&self, model: &Model, by: &Displacement) -> Self {
        let of = |x: &Dense| by.turned(model, x);
        Self { r: of(&self.r), velocities: of(&self.velocities), lift: of(&self.lift), rate: self.rate }
    }
    /// Degrees of freedom d of the configuration.
    pub fn dof(&self) -> usize {
        self.r.ncols()
    }
    /// Coordinates of a state, d + e.
    pub fn size(&self) -> usize {
        self.r.ncols() + self.velocities.ncols()
    }
    /// The directions of all coordinates: d + e columns.
    pub fn directions(&self) -> Directions {
        let still = Dense::zeros(self.r.nrows(), self.velocities.ncols());
        Directions {
            x: dense::hstack(&[&self.r, &still]),
            v: dense::hstack(&[&self.lift, &dense::scale(self.rate, &self.velocities)]),
            parameter: false,
        }
    }
    /// (z, w) of a displacement x and a change of velocity v, d + e numbers.
    pub fn coordinates(&self, x: &[f64], v: &[f64]) -> Vec<f64> {
        let mut out = dense::matvec_transpose(&self.r, x);
        out.extend(dense::matvec_transpose(&self.velocities, v).iter().map(|x| x / self.rate));
        out
    }
    /// The coordinates of many directions, (d + e) x k.
    pub fn coordinates_of(&self, directions: &Directions) -> Dense {
        let z = dense::mul_transpose(&self.r, &directions.x);
        let w = dense::scale(self.rate.recip(), &dense::mul_transpose(&self.velocities, &directions.v));
        dense::vstack(&[&z, &w])
    }
    /// x and dv of coordinates (z, w).
    pub fn change(&self, y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (z, w) = y.split_at(self.dof());
        let w: Vec<f64> = w.iter().map(|x| x * self.rate).collect();
        let v = dense::matvec(&self.velocities, &w);
        let v = v.iter().zip(dense::matvec(&self.lift, z)).map(|(a, b)| a + b).collect();
        (dense::matvec(&self.r, z), v)
    }
    /// Coordinates of `to` as seen from `from`.
    pub fn gap(&self, dynamics: &Dynamics<'_>, to: &State, from: &State) -> Vec<f64> {
        let x = difference(dynamics.model, &to.q, &from.q);
        let v: Vec<f64> = to.v.iter().zip(&from.v).map(|(a, b)| a - b).collect();
        self.coordinates(&x, &v)
    }
    /// The state at coordinates `y`, on the constraints.
    ///
    /// # Errors
    /// [`PeriodicError::Singular`].
    pub fn moved(&self, dynamics: &Dynamics<'_>, from: &State, y: &[f64]) -> Result<State, PeriodicError> {
        let (x, v) = self.change(y);
        let mut q = dynamics.model.coordinates().retract(&from.q, &x);
        let mut v: Vec<f64> = from.v.iter().zip(v).map(|(a, b)| a + b).collect();
        dynamics.hold(from.t, &mut q, &mut v)?;
        Ok(State { t: from.t, q, v })
    }
}

/// A part of a motion.
#[derive(Clone, Debug)]
pub struct Arc {
    /// The state at its end.
    pub end: State,
    /// What became of the directions it began with.
    pub directions: Option<Directions>,
    /// The states at the ends of its steps, the start first.
    pub states: Vec<State>,
}

/// Follows a motion for `duration` seconds in `steps` equal steps.
///
/// # Errors
/// As [`Stepper::step`]; [`PeriodicError::Stopped`].
pub fn follow(
    stepper: &mut Stepper<'_>,
    from: &State,
    duration: f64,
    steps: usize,
    mut directions: Option<Directions>,
    watch: &Watch,
) -> Result<Arc, PeriodicError> {
    let mut states = vec![from.clone()];
    for k in 0..steps {
        watch.look()?;
        // Times without the rounding of a sum.
        let at = |k: usize| from.t + duration * k as f64 / steps as f64;
        let mut state = stepper.step(&states[k], duration / steps as f64, directions.as_mut())?;
        state.t = at(k + 1);
        states.push(state);
    }
    Ok(Arc { end: states[steps].clone(), directions, states })
}
