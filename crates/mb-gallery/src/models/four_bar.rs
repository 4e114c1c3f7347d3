//! The N-loop four-bar linkage and its one degree of freedom.
//!
//! All cranks stay parallel at the angle phi, so the linkage moves as one:
//!
//! ```text
//! M = ((N + 1)/3 + N) m l^2
//! C = N c l^2 sin^2(phi/2)
//! V = ((N + 1)/2 + N) m g l sin(phi) + (N k / 2) d^2,   d = 2 l cos(phi/2) - l0
//! ```
//!
//! Each crank turns about its end (m l^2/3), each coupler is translated; a diagonal A_{i-1} B_i
//! is the base of an isosceles triangle with the apex angle pi - phi. Equilibrium is V' = 0,
//! and M s^2 + C s + V'' = 0. Paper: [gonzalez2017] Sec. 4.1.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use super::{Eigenvalue, roots};
use mb_model::{ModelError, ModelSpec};

/// The N-loop four-bar linkage with the paper's data as the default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FourBar {
    /// Number of loops N.
    pub loops: u32,
    /// Length of every rod, m.
    pub length: f64,
    /// Mass of every rod, kg.
    pub mass: f64,
    /// Stiffness of the diagonal springs, N/m.
    pub stiffness: f64,
    /// Their natural length, m.
    pub natural_length: f64,
    /// Damping along the diagonals, N s/m.
    pub damping: f64,
    /// Gravity along -y, m/s^2.
    pub gravity: f64,
}

impl Default for FourBar {
    fn default() -> Self {
        Self {
            loops: 1,
            length: 1.0,
            mass: 1.0,
            stiffness: 25.0,
            natural_length: core::f64::consts::SQRT_2,
            damping: 0.0,
            gravity: 9.81,
        }
    }
}

impl FourBar {
    /// The model: `models/n-four-bar.toml` with these data.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let mut spec = ModelSpec::from_toml(crate::files::N_FOUR_BAR)?;
        for (name, value) in [
            ("N", f64::from(self.loops)),
            ("l", self.length),
            ("m", self.mass),
            ("k", self.stiffness),
            ("l0", self.natural_length),
            ("c", self.damping),
            ("gy", -self.gravity),
        ] {
            spec.set_parameter(name, value)?;
        }
        Ok(spec)
    }
    /// Mass M of the one degree of freedom, kg m^2.
    pub fn mass_of_motion(&self) -> f64 {
        let n = f64::from(self.loops);
        ((n + 1.0) / 3.0 + n) * self.mass * self.length * self.length
    }
    /// Damping C, N m s.
    pub fn damping_of_motion(&self, phi: f64) -> f64 {
        let arm = self.length * (phi / 2.0).sin();
        f64::from(self.loops) * self.damping * arm * arm
    }
    /// First and second derivative of the potential energy V by phi, N m.
    pub fn potential_derivatives(&self, phi: f64) -> (f64, f64) {
        let n = f64::from(self.loops);
        let weight = (1.5 * n + 0.5) * self.mass * self.gravity * self.length;
        let (sin, cos) = (phi / 2.0).sin_cos();
        let nk = n * self.stiffness;
        let (stretch, rate, bend) =
            (2.0 * self.length * cos - self.natural_length, -self.length * sin, -0.5 * self.length * cos);
        (weight * phi.cos() + nk * stretch * rate, -weight * phi.sin() + nk * (rate * rate + stretch * bend))
    }
    /// The stable equilibrium angle in (pi/2, pi), by Newton's iteration on V' = 0 from the
    /// start of the model file; `None` when it does not converge.
    pub fn equilibrium(&self) -> Option<f64> {
        let mut phi = 2.0;
        for _ in 0..50 {
            let (first, second) = self.potential_derivatives(phi);
            let step = first / second;
            phi -= step;
            if step.abs() < 1e-15 * phi.abs() {
                return phi.is_finite().then_some(phi);
            }
        }
        None
    }
    /// The two eigenvalues at the angle `phi`.
    pub fn eigenvalues(&self, phi: f64) -> [Eigenvalue; 2] {
        roots(self.mass_of_motion(), self.damping_of_motion(phi), self.potential_derivatives(phi).1)
    }
    /// The configuration q of the model at the angle `phi`.
    pub fn configuration(&self, phi: f64) -> Vec<f64> {
        let (sin, cos) = phi.sin_cos();
        let points = (0..=self.loops).flat_map(|i| [(f64::from(i) + cos) * self.length, sin * self.length]);
        points.chain([phi]).collect()
    }
    /// dq/dphi of the model at the angle `phi`.
    pub fn tangent(&self, phi: f64) -> Vec<f64> {
        let (sin, cos) = phi.sin_cos();
        let points = (0..=self.loops).flat_map(|_| [-sin * self.length, cos * self.length]);
        points.chain([1.0]).collect()
    }
}

/// One loop stretched out along gravity, without spring, where the Jacobian loses rank; and the
/// squares s^2 of the eigenvalues on its two-dimensional null space, for the multipliers of
/// least norm: -6 g / 5 and -2 g. [gonzalez2017, Sec. 4.1]
///
/// Along the parallelogram M = (2/3 + 1) m l^2 and V'' = 2 m g l, which gives the first; the
/// second belongs to no motion of the rigid linkage.
pub fn singular_four_bar() -> Result<(ModelSpec, [f64; 2]), ModelError> {
    const GRAVITY: f64 = 9.81;
    let spec = ModelSpec::from_toml(crate::files::N_FOUR_BAR_SINGULAR)?;
    Ok((spec, [-1.2 * GRAVITY, -2.0 * GRAVITY]))
}

#[cfg(test)]
mod tests {
    use super::super::form;
    use super::*;
    use mb_model::Model;

    fn cases() -> impl Iterator<Item = (FourBar, Model)> {
        [1, 2, 5, 20].into_iter().map(|loops| {
            let bar = FourBar { loops, damping: 1.0, length: 1.3, mass: 0.8, ..FourBar::default() };
            (bar, bar.spec().unwrap().build().unwrap())
        })
    }
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    /// At every angle the model's forces do the work of the energy, along the parallelogram.
    #[test]
    fn residual_along_the_motion_is_the_derivative_of_the_energy() {
        for (bar, model) in cases() {
            for phi in [0.4, 1.1, 1.8, 2.3, 2.9] {
                let mut at = model.initial_point();
                at.q = bar.configuration(phi);
                let worst = model.phi(&at.q, 0.0).into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                assert!(worst < 1e-13);
                let tangent = bar.tangent(phi);
                let (work, expected) =
                    (dot(&model.applied_residual(&at), &tangent), bar.potential_derivatives(phi).0);
                assert!((work - expected).abs() < 1e-10, "{work} {expected}");
                // The tangent keeps the constraints.
                let rate =
                    model.phi_dot(&at.q, &tangent, 0.0).into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                assert!(rate < 1e-13);
            }
        }
    }

    /// R^T M R and R^T C R are the mass and damping of the one degree of freedom.
    #[test]
    fn mass_and_damping_are_those_of_one_degree_of_freedom() {
        for (bar, model) in cases() {
            for phi in [1.1, 2.3] {
                let mut at = model.initial_point();
                at.q = bar.configuration(phi);
                let tangent = bar.tangent(phi);
                let m = form(&tangent, model.mass(&at).iter(), &tangent);
                let c = form(&tangent, model.damping(&at).iter(), &tangent);
                assert!((m / bar.mass_of_motion() - 1.0).abs() < 1e-13);
                assert!((c / bar.damping_of_motion(phi) - 1.0).abs() < 1e-12);
            }
        }
    }

    /// V'' is the derivative of V', by central differences.
    #[test]
    fn second_derivative_of_the_energy_agrees_with_differences() {
        let bar = FourBar { loops: 3, ..FourBar::default() };
        for phi in [0.4, 1.1, 2.3] {
            let h = 1e-5;
            let difference =
                (bar.potential_derivatives(phi + h).0 - bar.potential_derivatives(phi - h).0) / (2.0 * h);
            assert!((difference - bar.potential_derivatives(phi).1).abs() < 1e-7);
        }
    }

    #[test]
    fn equilibrium_is_one_for_every_number_of_loops() {
        for loops in 1..=40 {
            let bar = FourBar { loops, ..FourBar::default() };
            let phi = bar.equilibrium().unwrap();
            let (first, second) = bar.potential_derivatives(phi);
            assert!(first.abs() < 1e-11 * second && second > 0.0);
            assert!(phi > core::f64::consts::FRAC_PI_2 && phi < core::f64::consts::PI);
        }
    }
}
