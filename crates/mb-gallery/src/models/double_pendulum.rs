//! Two uniform rods hanging from each other, about the hanging position.
//!
//! ```text
//! M = [m1 L1^2/3 + m2 L1^2,  m2 L1 L2/2;  sym., m2 L2^2/3]
//! K = g diag(m1 L1/2 + m2 L1,  m2 L2/2)
//! ```
//!
//! in the absolute angles of the rods, from their kinetic and potential energy.

use super::{Eigenvalue, roots};
use mb_model::{ModelError, ModelSpec};

/// Two uniform rods hanging from each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoublePendulum {
    /// Lengths, m, the upper first.
    pub length: [f64; 2],
    /// Masses, kg.
    pub mass: [f64; 2],
    /// Gravity along -y, m/s^2.
    pub gravity: f64,
}

impl Default for DoublePendulum {
    /// The data of the model file.
    fn default() -> Self {
        Self { length: [1.0, 0.8], mass: [2.0, 1.5], gravity: 9.81 }
    }
}

impl DoublePendulum {
    /// The model in reference-point coordinates: `models/double-pendulum-rigid.toml`.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let text = crate::files::DOUBLE_PENDULUM_RIGID;
        let mut spec = ModelSpec::from_toml(text)?;
        for (name, value) in [
            ("L1", self.length[0]),
            ("L2", self.length[1]),
            ("m1", self.mass[0]),
            ("m2", self.mass[1]),
            ("g", self.gravity),
        ] {
            spec.set_parameter(name, value)?;
        }
        Ok(spec)
    }
    /// Mass matrix and stiffness matrix in the two angles.
    pub fn matrices(&self) -> ([[f64; 2]; 2], [f64; 2]) {
        let ([l1, l2], [m1, m2]) = (self.length, self.mass);
        let coupling = 0.5 * m2 * l1 * l2;
        let m = [[(m1 / 3.0 + m2) * l1 * l1, coupling], [coupling, m2 * l2 * l2 / 3.0]];
        (m, [(0.5 * m1 + m2) * self.gravity * l1, 0.5 * m2 * self.gravity * l2])
    }
    /// The two eigenvalues with positive imaginary part, the slower first.
    pub fn eigenvalues(&self) -> [Eigenvalue; 2] {
        let (m, k) = self.matrices();
        // det(M x + K) = 0 with x = s^2 < 0.
        let a = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        let b = m[0][0] * k[1] + m[1][1] * k[0];
        roots(a, b, k[0] * k[1]).map(|x| Eigenvalue { re: 0.0, im: (-x.re).sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::form;
    use super::*;

    /// On the tangent of the two angles, the model's mass matrix is the closed form's, and its
    /// forces near the hanging position are K times the angles.
    #[test]
    fn model_and_energies_agree() {
        let pendulum = DoublePendulum { length: [1.1, 0.7], mass: [1.7, 2.2], gravity: 9.5 };
        let model = pendulum.spec().unwrap().build().unwrap();
        let (m, k) = pendulum.matrices();
        let ([l1, _], down) = (pendulum.length, -core::f64::consts::FRAC_PI_2);
        let at_angles = |a: f64, b: f64| {
            let mut at = model.initial_point();
            let (s, c) = (down + a).sin_cos();
            at.q = vec![0.0, 0.0, down + a, l1 * c, l1 * s, down + b];
            at
        };
        // Tangents of the two angles at the hanging position.
        let tangents = [[0.0, 0.0, 1.0, l1, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]];
        let hanging = at_angles(0.0, 0.0);
        for i in 0..2 {
            for j in 0..2 {
                let ours = form(&tangents[i], model.mass(&hanging).iter(), &tangents[j]);
                assert!((ours - m[i][j]).abs() < 1e-14);
            }
        }
        // Work of the forces along each angle, by central differences about the equilibrium:
        // on the manifold the tangent turns with the angle.
        let h = 1e-5;
        let work = |a: f64, b: f64| {
            let (s, c) = (down + a).sin_cos();
            let r = model.applied_residual(&at_angles(a, b));
            [r[2] - l1 * s * r[3] + l1 * c * r[4], r[5]]
        };
        for j in 0..2 {
            let d = if j == 0 { [h, 0.0] } else { [0.0, h] };
            let (plus, minus) = (work(d[0], d[1]), work(-d[0], -d[1]));
            for i in 0..2 {
                let expected = if i == j { k[i] } else { 0.0 };
                assert!(((plus[i] - minus[i]) / (2.0 * h) - expected).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn eigenvalues_satisfy_the_determinant() {
        let pendulum = DoublePendulum::default();
        let (m, k) = pendulum.matrices();
        for s in pendulum.eigenvalues() {
            let x = -s.im * s.im;
            let det = (m[0][0] * x + k[0]) * (m[1][1] * x + k[1]) - (m[0][1] * x).powi(2);
            assert!(det.abs() < 1e-12 * k[0] * k[1]);
        }
    }
}
