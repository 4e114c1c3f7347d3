//! A uniform rod on a pin.
//!
//! ```text
//! (m L^2 / 3) angle'' + (m g L / 2) sin(angle) = 0,   s^2 = -+ 3 g / (2 L)
//! ```
//!
//! minus hanging, plus upright.

use super::{Eigenvalue, roots};
use mb_model::ModelSpec;
use mb_model::spec::{PointSpec, RodSpec, Value};

/// A uniform rod on a pin, hanging or upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodPendulum {
    /// Length, m.
    pub length: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Gravity along -y, m/s^2.
    pub gravity: f64,
    /// True when it stands on the pin.
    pub upright: bool,
}

impl RodPendulum {
    /// The model in natural coordinates, at its equilibrium.
    pub fn spec(&self) -> ModelSpec {
        let mut spec = ModelSpec::new(if self.upright { "upright rod pendulum" } else { "rod pendulum" });
        spec.gravity = vec![Value::from(0.0), Value::from("-g")];
        for (name, value) in [("L", self.length), ("m", self.mass), ("g", self.gravity)] {
            spec.parameters.insert(name.to_owned(), Value::from(value));
        }
        spec.points.push(PointSpec::fixed("O", [0.0, 0.0]));
        let end = if self.upright { "L" } else { "-L" };
        spec.points.push(PointSpec::moving("P", (0.0, end)));
        spec.rods.push(RodSpec { length: Some("L".into()), ..RodSpec::new("rod", ["O", "P"], "m") });
        spec
    }
    /// The two eigenvalues at the equilibrium.
    pub fn eigenvalues(&self) -> [Eigenvalue; 2] {
        let k = 1.5 * self.gravity / self.length;
        roots(1.0, 0.0, if self.upright { -k } else { k })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The description written in Rust is the one of the file.
    #[test]
    fn builder_and_file_agree() {
        for (upright, text) in
            [(false, crate::files::ROD_PENDULUM), (true, crate::files::ROD_PENDULUM_UPRIGHT)]
        {
            let ours = RodPendulum { length: 1.5, mass: 2.0, gravity: 9.81, upright }.spec();
            let mut file = ModelSpec::from_toml(text).unwrap();
            file.description = None;
            file.outputs.clear();
            assert_eq!(ours, file);
        }
    }

    /// Hanging and upright, the virtual work of gravity along the circle is that of the energy.
    #[test]
    fn residual_along_the_circle_is_the_torque_of_gravity() {
        let pendulum = RodPendulum { length: 1.2, mass: 3.0, gravity: 9.0, upright: false };
        let model = pendulum.spec().build().unwrap();
        for angle in [0.0_f64, 0.7, 2.0, core::f64::consts::PI] {
            let (s, c) = angle.sin_cos();
            let mut at = model.initial_point();
            at.q = vec![1.2 * s, -1.2 * c];
            let tangent = [1.2 * c, 1.2 * s];
            let work: f64 = model.applied_residual(&at).iter().zip(tangent).map(|(r, t)| r * t).sum();
            assert!((work - 3.0 * 9.0 * 0.6 * s).abs() < 1e-13);
        }
    }
}
