//! Two equal flexible links hanging from each other.
//!
//! At rest both hang along -y, stretched by their weight: with the axial force N(s) of the weight
//! below,
//!
//! ```text
//! upper  N = rho A g (2 L - s),  u(s) = rho g (2 L s - s^2/2) / E
//! lower  N = rho A g (L - s),    u(s) = rho g (L s - s^2/2) / E
//! ```
//!
//! Linear finite elements with consistent loads are exact at the nodes. As E grows the slow
//! modes go to those of the rigid double pendulum. Paper: [gonzalez2017] Sec. 4.2.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use super::DoublePendulum;
use core::f64::consts::{FRAC_PI_2, PI};
use mb_model::{ModelError, ModelSpec};

/// Two flexible links hanging from each other, with the paper's data as the default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlexibleDoublePendulum {
    /// Finite elements of each link.
    pub elements: u32,
    /// True when the axial force acts on the bending stiffness; the paper leaves it out.
    pub geometric_stiffness: bool,
    /// Length of each link, m.
    pub length: f64,
    /// Radius of the circular section, m.
    pub radius: f64,
    /// Young's modulus, Pa.
    pub youngs_modulus: f64,
    /// Density, kg/m^3.
    pub density: f64,
    /// Gravity along -y, m/s^2.
    pub gravity: f64,
}

impl Default for FlexibleDoublePendulum {
    /// The paper's data, five elements, with geometric stiffness.
    fn default() -> Self {
        Self {
            elements: 5,
            geometric_stiffness: true,
            length: 4.0,
            radius: 0.15,
            youngs_modulus: 1e8,
            density: 1500.0,
            gravity: 9.81,
        }
    }
}

impl FlexibleDoublePendulum {
    /// The model: `models/flexible-double-pendulum.toml` with these data. It has
    /// 6 n + 12 coordinates and 10 constraint rows for n elements.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let text = crate::files::FLEXIBLE_DOUBLE_PENDULUM;
        let mut spec = ModelSpec::from_toml(text)?;
        for (name, value) in [
            ("n", f64::from(self.elements)),
            ("l", self.length),
            ("r", self.radius),
            ("E", self.youngs_modulus),
            ("rho", self.density),
            ("g", self.gravity),
        ] {
            spec.set_parameter(name, value)?;
        }
        for link in &mut spec.flexible_links {
            link.geometric_stiffness = self.geometric_stiffness;
        }
        Ok(spec)
    }
    /// Stretch of the upper and the lower link at the arc length `s`, m.
    pub fn stretch(&self, s: f64) -> [f64; 2] {
        let load = self.density * self.gravity / self.youngs_modulus;
        [load * s * (2.0 * self.length - 0.5 * s), load * s * (self.length - 0.5 * s)]
    }
    /// The configuration at rest.
    pub fn equilibrium(&self) -> Vec<f64> {
        let mut q = Vec::new();
        let hinge = -(self.length + self.stretch(self.length)[0]);
        for (link, y) in [0.0, hinge].into_iter().enumerate() {
            q.extend([0.0, y, -FRAC_PI_2]);
            for k in 0..=self.elements {
                let s = self.length * f64::from(k) / f64::from(self.elements);
                q.extend([self.stretch(s)[link], 0.0, 0.0]);
            }
        }
        q
    }
    /// The same pendulum with rigid links, to which the two slow modes go as E grows.
    pub fn rigid(&self) -> DoublePendulum {
        let mass = self.density * PI * self.radius * self.radius * self.length;
        DoublePendulum { length: [self.length; 2], mass: [mass; 2], gravity: self.gravity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stretched_hanging_state_is_an_equilibrium() {
        for geometric_stiffness in [false, true] {
            let pendulum = FlexibleDoublePendulum { elements: 7, geometric_stiffness, ..Default::default() };
            let model = pendulum.spec().unwrap().build().unwrap();
            assert_eq!((model.nv(), model.nc()), (6 * 7 + 12, 10));
            let mut at = model.initial_point();
            at.q = pendulum.equilibrium();
            assert!(model.phi(&at.q, 0.0).iter().all(|x| x.abs() < 1e-15));
            // The hinges carry one and two links, the reference conditions nothing but the
            // clamping of the first node, whose force is that of the hinge above.
            let weight = pendulum.rigid().mass[0] * pendulum.gravity;
            for i in 0..model.nc() {
                let name = model.row_name(i);
                at.lambda[i] = match name.as_str() {
                    "joint 'O' (y)" => -2.0 * weight,
                    "joint 'P1' (y)" | "flexible-link 'lower' (reference node 1 x)" => weight,
                    "flexible-link 'upper' (reference node 1 x)" => 2.0 * weight,
                    _ => 0.0,
                };
            }
            let worst = model.residual(&at).iter().fold(0.0_f64, |m, r| m.max(r.abs()));
            assert!(worst < 1e-12 * pendulum.youngs_modulus, "{worst}");
        }
    }

    #[test]
    fn undeformed_links_have_the_inertia_of_rods() {
        let pendulum = FlexibleDoublePendulum::default();
        let model = pendulum.spec().unwrap().build().unwrap();
        let m = model.mass(&model.initial_point()).to_dense();
        let (mass, length) = (pendulum.rigid().mass[0], pendulum.length);
        assert!((m[(0, 0)] / mass - 1.0).abs() < 1e-14);
        assert!((m[(2, 2)] / (mass * length * length / 3.0) - 1.0).abs() < 1e-14);
        // Hanging along -y, turning moves the mass centre along +x.
        assert!((m[(0, 2)] / (0.5 * mass * length) - 1.0).abs() < 1e-14 && m[(1, 2)].abs() < 1e-10);
    }
}
