//! A symmetric top on its tip, upright and spinning about its axis.
//!
//! With the inertia A = I1 + m h^2 across the axis at the tip, the small tilt as a complex number
//! z = x + i y obeys
//!
//! ```text
//! A z'' - i I3 spin z' - m g h z = 0,   s = i (I3 spin +- sqrt((I3 spin)^2 - 4 A m g h)) / (2 A)
//! ```
//!
//! and its conjugate; the fast eigenvalue is the nutation, I3 spin / A without weight. The model's
//! rotations are in the axes of the body, which turn with it: there every eigenvalue is less by
//! i spin.

use super::Eigenvalue;
use mb_model::{ModelError, ModelSpec};

/// A symmetric top on its tip, upright and spinning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Top {
    /// Mass, kg.
    pub mass: f64,
    /// Height of the mass centre over the tip, m.
    pub height: f64,
    /// Moments of inertia about the mass centre, kg m^2: across the axis and about it.
    pub inertia: [f64; 2],
    /// Spin about the axis, rad/s.
    pub spin: f64,
    /// Gravity along -z, m/s^2.
    pub gravity: f64,
}

impl Default for Top {
    /// The data of the model file.
    fn default() -> Self {
        Self { mass: 0.5, height: 0.06, inertia: [4e-4, 5e-4], spin: 120.0, gravity: 9.81 }
    }
}

impl Top {
    /// The model: `models/top.toml` with these data.
    ///
    /// # Errors
    /// For data that no body has.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let mut spec = ModelSpec::from_toml(crate::files::TOP)?;
        for (name, value) in [
            ("m", self.mass),
            ("h", self.height),
            ("I1", self.inertia[0]),
            ("I3", self.inertia[1]),
            ("spin", self.spin),
            ("g", self.gravity),
        ] {
            spec.set_parameter(name, value)?;
        }
        Ok(spec)
    }
    /// The two eigenvalues of the tilt z = x + i y seen from the ground, the nutation first.
    pub fn eigenvalues(&self) -> [Eigenvalue; 2] {
        let a = self.inertia[0] + self.mass * self.height * self.height;
        let momentum = self.inertia[1] * self.spin;
        let weight = self.mass * self.gravity * self.height;
        let root = momentum * momentum - 4.0 * a * weight;
        if root >= 0.0 {
            let fast = (momentum + root.sqrt().copysign(momentum)) / (2.0 * a);
            let slow = if fast == 0.0 { 0.0 } else { weight / (a * fast) };
            return [fast, slow].map(|im| Eigenvalue { re: 0.0, im });
        }
        let (re, im) = ((-root).sqrt() / (2.0 * a), momentum / (2.0 * a));
        [Eigenvalue { re, im }, Eigenvalue { re: -re, im }]
    }
    /// The same seen from the top, whose axes turn with it.
    pub fn eigenvalues_in_body_axes(&self) -> [Eigenvalue; 2] {
        self.eigenvalues().map(|s| Eigenvalue { im: s.im - self.spin, ..s })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_satisfy_their_equation_and_the_limit_of_no_weight() {
        for spin in [0.0, 20.0, 120.0, -300.0] {
            let top = Top { spin, ..Top::default() };
            let a = top.inertia[0] + top.mass * top.height * top.height;
            let weight = top.mass * top.gravity * top.height;
            for s in top.eigenvalues() {
                // A s^2 - i I3 spin s - m g h
                let momentum = top.inertia[1] * spin;
                let re = a * (s.re * s.re - s.im * s.im) + momentum * s.im - weight;
                let im = 2.0 * a * s.re * s.im - momentum * s.re;
                assert!(re.abs().max(im.abs()) < 1e-13, "{s:?}: {re} {im}");
            }
        }
        let free = Top { gravity: 0.0, height: 0.0, ..Top::default() };
        assert!((free.eigenvalues()[0].im - free.inertia[1] / free.inertia[0] * free.spin).abs() < 1e-12);
    }
}
