//! Which vibrations of a motion its steps resolve.
//!
//! The method damps what it does not resolve: an undamped vibration of many turns in a step has a multiplier of nearly zero then, however
//! often the steps are doubled. Frozen at states along the motion, a disturbance with the eigenvalue s is multiplied in a step of h by
//!
//! ```text
//! R(z) = P_(4,5)(z), the Pade approximation of exp(z), in place of exp(z),   z = s h
//! off in a period of N steps:   N |R(z) exp(-z) - 1|
//! ```
//!
//! Below a tenth that is the error that doubling the steps shows. What decays below rounding in a period needs no resolution.
//!
//! R: Hairer and Wanner, Solving Ordinary Differential Equations II, Sec. IV.3, Eqs. (3.30) and (3.31).

use crate::dynamics::{Derivatives, Dynamics, State};
use crate::error::PeriodicError;
use crate::step::STAGES;
use mb_algebra::{Dense, GeneralEigen, c64, norms};

/// States of a motion at which disturbances are frozen.
const PLACES: usize = 8;
/// Largest part of a multiplier that may be off.
const OFF: f64 = 0.1;
/// |z| that is resolved for sure: five stages are off by 1e-10 there.
const SURE: f64 = 0.5;

/// What steps are needed, and what they leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resolution {
    /// Steps in the period that resolve all that the most steps allowed do.
    pub(crate) steps: usize,
    /// Multipliers that no steps allowed resolve.
    pub(crate) unresolved: usize,
}

impl Resolution {
    /// For a motion of `period` seconds through `states`, from so many steps on.
    ///
    /// # Errors
    /// As [`Dynamics::derivatives`]; eigenvalues that do not converge.
    pub(crate) fn of(
        dynamics: &mut Dynamics<'_>,
        states: &[State],
        period: f64,
        steps: usize,
        most: usize,
    ) -> Result<Self, PeriodicError> {
        let mut out = Self { steps, unresolved: 0 };
        for state in states.iter().step_by(states.len().div_ceil(PLACES).max(1)) {
            let by = dynamics.derivatives(state.t, &state.q, &state.v)?;
            if fastest(&by) * period <= SURE * steps as f64 {
                continue;
            }
            let mut unresolved = 0;
            for s in GeneralEigen::values(&frozen(&by))? {
                match needed(s * period, steps, most) {
                    Some(needed) => out.steps = out.steps.max(needed),
                    None => unresolved += 1,
                }
            }
            out.unresolved = out.unresolved.max(unresolved);
        }
        Ok(out)
    }
}

/// [0, 1; a_q, a_v], 2 n x 2 n.
fn frozen(by: &Derivatives) -> Dense {
    let n = by.by_q.nrows();
    Dense::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
        (true, _) => f64::from(u8::from(j == i + n)),
        (false, true) => by.by_q[(i - n, j)],
        (false, false) => by.by_v[(i - n, j - n)],
    })
}

/// A bound of |s|: |s|^2 <= |a_q| + |s| |a_v|.
fn fastest(by: &Derivatives) -> f64 {
    let (q, v) = (norms::inf(&by.by_q), norms::inf(&by.by_v));
    0.5 * (v + (v * v + 4.0 * q).sqrt())
}

/// Steps that resolve s T, twice and twice again as many as given; none beyond the most.
fn needed(whole: c64, mut steps: usize, most: usize) -> Option<usize> {
    if whole.re < f64::EPSILON.ln() {
        return Some(steps);
    }
    loop {
        let z = whole / steps as f64;
        if steps as f64 * ((growth(z) * (-z).exp()) - 1.0).norm() <= OFF {
            return Some(steps);
        }
        if 2 * steps > most {
            return None;
        }
        steps *= 2;
    }
}

/// R(z).
fn growth(z: c64) -> c64 {
    let (k, j) = (STAGES - 1, STAGES);
    // sum_i (k + j - i)! d! / ((k + j)! i! (d - i)!) x^i, the next term from the one before.
    let sum = |d: usize, x: c64| {
        let (mut term, mut sum) = (c64::new(1.0, 0.0), c64::new(1.0, 0.0));
        for i in 0..d {
            term = term * x * ((d - i) as f64 / ((k + j - i) as f64 * (i + 1) as f64));
            sum += term;
        }
        sum
    };
    sum(k, z) / sum(j, -z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tableau::Tableau;
    use mb_algebra::Lu;

    /// R is what the method makes of y' = z y: the last stage of Y = 1 + z A Y, here for real z.
    #[test]
    fn growth_is_that_of_the_stages() {
        let tableau = Tableau::radau(STAGES).unwrap();
        for z in [-40.0, -3.0, -0.1, 0.2, 1.0] {
            let unit = |i, j| f64::from(u8::from(i == j));
            let lhs = Dense::from_fn(STAGES, STAGES, |i, j| unit(i, j) - z * tableau.a[(i, j)]);
            let end = Lu::new(&lhs).unwrap().solve(&[1.0; STAGES])[STAGES - 1];
            assert!((growth(c64::new(z, 0.0)).re - end).abs() <= 1e-13 * end.abs().max(1e-3), "{z}: {end}");
        }
        // Order nine: the error of exp(z) goes with the tenth power.
        let off = |z: f64| (growth(c64::new(0.0, z)) - c64::new(0.0, z).exp()).norm();
        let order = (off(1.0) / off(0.5)).log2();
        assert!((order - 10.0).abs() < 0.2, "{order}");
    }

    #[test]
    fn vibrations_need_steps_and_what_is_gone_does_not() {
        assert_eq!(needed(c64::new(0.0, 1.0), 32, 8192), Some(32));
        let many = needed(c64::new(1.0, 2000.0), 32, 8192).unwrap();
        assert!((512..=2048).contains(&many), "{many}");
        assert_eq!(needed(c64::new(0.0, 1e6), 32, 8192), None);
        assert_eq!(needed(c64::new(-1e6, 1e6), 32, 8192), Some(32));
    }
}
