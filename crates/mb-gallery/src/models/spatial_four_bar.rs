//! The spatial four-bar of the study on constraints violation, and its one-parameter motion.
//!
//! ```text
//! A = crank (0, -sin theta, cos theta),   B = C + rocker (sin psi e1 + cos psi z),
//! e1 = (1, -1, 0) / sqrt 2,               |B - A| = coupler gives psi(theta)
//! ```
//!
//! With one degree of freedom theta, the coupler's idle spin left out (its inertia is isotropic,
//! so the spin stays as it is), the kinetic energy is M(theta) theta'^2 / 2 with
//!
//! ```text
//! M = (J1 + m1 crank^2/4) + (J3 + m3 rocker^2/4) psi'^2 + m2 |A' + B'|^2/4 + J2 |A' - B'|^2/coupler^2
//! V = g (m1 A_z/2 + m2 (A_z + B_z)/2 + m3 B_z/2) + k (|B| - l0)^2/2
//! ```
//!
//! where ' is d/dtheta; hence M theta'' + M' theta'^2/2 + V' = 0. Derived from the geometry and
//! the energies, not from the model.

use mb_model::{ModelError, ModelSpec};

/// The spatial four-bar (revolute, spherical, spherical, revolute); lengths as deduced by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialFourBar {
    /// Length of the crank, m.
    pub crank: f64,
    /// Length of the rocker, m.
    pub rocker: f64,
    /// Distance of the two pivots along y, m.
    pub distance: f64,
    /// Masses of crank, coupler and rocker, kg.
    pub mass: [f64; 3],
    /// Isotropic moments of inertia of the three about their mass centres, kg m^2.
    pub inertia: [f64; 3],
    /// Stiffness of the spring from O to B, N/m.
    pub stiffness: f64,
    /// Its natural length, m.
    pub natural_length: f64,
    /// Gravity along -z, m/s^2.
    pub gravity: f64,
    /// Speed of the crank at the start, rad/s.
    pub speed: f64,
}

impl Default for SpatialFourBar {
    fn default() -> Self {
        Self {
            crank: 0.2,
            rocker: 0.7,
            distance: 0.4,
            mass: [0.5, 1.5, 0.15],
            inertia: [0.03, 0.02, 0.02],
            stiffness: 50.0,
            natural_length: 0.8,
            gravity: 9.81,
            speed: core::f64::consts::TAU,
        }
    }
}

impl SpatialFourBar {
    /// The lengths as they are printed (0.020, 0.064 and 0.070 m), all else unchanged; the
    /// distance of the pivots is what closes the linkage at the start.
    pub fn printed() -> Self {
        let (crank, coupler, rocker) = (0.020_f64, 0.064_f64, 0.070_f64);
        let height = rocker - crank;
        Self { crank, rocker, distance: (coupler * coupler - height * height).sqrt(), ..Self::default() }
    }
    /// The model: `fixtures/models/spatial-four-bar.toml` with these data.
    ///
    /// # Errors
    /// None for the file as it is.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let text = include_str!("../../../../fixtures/models/spatial-four-bar.toml");
        let mut spec = ModelSpec::from_toml(text)?;
        for (name, value) in [
            ("crank", self.crank),
            ("rocker", self.rocker),
            ("distance", self.distance),
            ("speed", self.speed),
            ("k", self.stiffness),
            ("l0", self.natural_length),
            ("g", self.gravity),
            ("m1", self.mass[0]),
            ("m2", self.mass[1]),
            ("m3", self.mass[2]),
            ("J1", self.inertia[0]),
            ("J2", self.inertia[1]),
            ("J3", self.inertia[2]),
        ] {
            spec.set_parameter(name, value)?;
        }
        Ok(spec)
    }
    /// Length of the coupler, m.
    pub fn coupler(&self) -> f64 {
        self.distance.hypot(self.rocker - self.crank)
    }
    /// The tips A and B at crank angle `theta` (zero at the start) with their first two
    /// derivatives by theta, and those of the rocker's angle psi; `None` where the linkage does
    /// not close.
    pub fn tips(&self, theta: f64) -> Option<Tips> {
        let (sin, cos) = theta.sin_cos();
        let (l1, l3, d) = (self.crank, self.rocker, self.distance);
        let a = [[0.0, -l1 * sin, l1 * cos], [0.0, -l1 * cos, -l1 * sin], [0.0, l1 * sin, -l1 * cos]];
        let e = core::f64::consts::FRAC_1_SQRT_2;
        // Closure: |C + l3 (s e1 + c z) - A|^2 = coupler^2, that is p s + q c = r.
        let to_a = [-a[0][0], d - a[0][1], -a[0][2]];
        let p = l3 * e * (to_a[0] - to_a[1]);
        let q = l3 * to_a[2];
        let r = 0.5 * (self.coupler().powi(2) - l3 * l3 - dot(to_a, to_a));
        let size = p.hypot(q);
        // The branch of the start, where psi = 0.
        let psi = p.atan2(q) + (r / size).acos() * if p.atan2(q) > 0.0 { -1.0 } else { 1.0 };
        if !psi.is_finite() {
            return None;
        }
        let (s, c) = psi.sin_cos();
        let b0 = [l3 * s * e, d - l3 * s * e, l3 * c];
        let b_psi = [l3 * c * e, -l3 * c * e, -l3 * s];
        let b_psi2 = [-l3 * s * e, l3 * s * e, -l3 * c];
        let ab = minus(b0, a[0]);
        // (B - A).(B_psi psi' - A') = 0, and its derivative.
        let slope = dot(ab, a[1]) / dot(ab, b_psi);
        let b1 = b_psi.map(|x| x * slope);
        let rate = minus(b1, a[1]);
        let bend = {
            let still = [0, 1, 2].map(|i| b_psi2[i] * slope * slope - a[2][i]);
            -(dot(rate, rate) + dot(ab, still)) / dot(ab, b_psi)
        };
        let b2 = [0, 1, 2].map(|i| b_psi2[i] * slope * slope + b_psi[i] * bend);
        Some(Tips { a, b: [b0, b1, b2], psi: [psi, slope, bend] })
    }
    /// M(theta) in kg m^2 and its derivative by theta.
    fn inertia_at(&self, x: &Tips) -> [f64; 2] {
        let ([m1, m2, m3], [j1, j2, j3]) = (self.mass, self.inertia);
        let (l1, l2, l3) = (self.crank, self.coupler(), self.rocker);
        let middle = [1, 2].map(|k| [0, 1, 2].map(|i| 0.5 * (x.a[k][i] + x.b[k][i])));
        let turning = [1, 2].map(|k| minus(x.b[k], x.a[k]).map(|y| y / l2));
        let rocker = j3 + m3 * l3 * l3 / 4.0;
        let fixed = j1 + m1 * l1 * l1 / 4.0;
        [
            fixed
                + rocker * x.psi[1] * x.psi[1]
                + m2 * dot(middle[0], middle[0])
                + j2 * dot(turning[0], turning[0]),
            2.0 * (rocker * x.psi[1] * x.psi[2]
                + m2 * dot(middle[0], middle[1])
                + j2 * dot(turning[0], turning[1])),
        ]
    }
    /// V(theta) in J and its derivative by theta.
    fn potential_at(&self, x: &Tips) -> [f64; 2] {
        let [m1, m2, m3] = self.mass;
        let weight = |k: usize| 0.5 * self.gravity * ((m1 + m2) * x.a[k][2] + (m2 + m3) * x.b[k][2]);
        let length = dot(x.b[0], x.b[0]).sqrt();
        let stretch = length - self.natural_length;
        [
            weight(0) + 0.5 * self.stiffness * stretch * stretch,
            weight(1) + self.stiffness * stretch * dot(x.b[0], x.b[1]) / length,
        ]
    }
    /// Energy of the one-parameter motion (the coupler without spin about its line), J.
    pub fn energy(&self, theta: f64, rate: f64) -> Option<f64> {
        let x = self.tips(theta)?;
        Some(0.5 * self.inertia_at(&x)[0] * rate * rate + self.potential_at(&x)[0])
    }
    /// theta'' of the motion, rad/s^2.
    pub fn acceleration(&self, theta: f64, rate: f64) -> Option<f64> {
        let x = self.tips(theta)?;
        let ([m, slope], [_, v]) = (self.inertia_at(&x), self.potential_at(&x));
        Some(-(0.5 * slope * rate * rate + v) / m)
    }
}

/// Positions of the tips A and B (m) and the rocker's angle psi (rad) with their first and second
/// derivatives by the crank angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tips {
    /// A, A', A''.
    pub a: [[f64; 3]; 3],
    /// B, B', B''.
    pub b: [[f64; 3]; 3],
    /// psi, psi', psi''.
    pub psi: [f64; 3],
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn largest(x: &[f64]) -> f64 {
        x.iter().fold(0.0, |m, x| m.max(x.abs()))
    }

    #[test]
    fn the_start_satisfies_the_constraints_in_position_and_velocity() {
        for bar in [SpatialFourBar::default(), SpatialFourBar::printed()] {
            let model = bar.spec().unwrap().build().unwrap();
            assert_eq!((model.nq(), model.nv(), model.nc()), (21, 18, 16));
            assert!(largest(&model.phi(model.initial(), 0.0)) < 1e-15);
            let rates = model.phi_dot(model.initial(), model.initial_velocity(), 0.0);
            assert!(largest(&rates) < 1e-14, "{rates:?}");
        }
    }

    /// The closure by hand: tips stay a coupler apart, and derivatives agree with differences.
    #[test]
    fn tips_keep_their_distance_and_their_derivatives() {
        let bar = SpatialFourBar::default();
        for theta in [0.0, 0.7, 2.0, 3.3, 5.1, 11.0] {
            let x = bar.tips(theta).unwrap();
            let d = minus(x.b[0], x.a[0]);
            assert!((dot(d, d).sqrt() - bar.coupler()).abs() < 1e-14);
            let h = 1e-5;
            let (plus, less) = (bar.tips(theta + h).unwrap(), bar.tips(theta - h).unwrap());
            for k in 0..2 {
                for i in 0..3 {
                    assert!(((plus.b[k][i] - less.b[k][i]) / (2.0 * h) - x.b[k + 1][i]).abs() < 1e-8);
                }
                assert!(((plus.psi[k] - less.psi[k]) / (2.0 * h) - x.psi[k + 1]).abs() < 1e-8);
            }
            let energy = |t: f64| bar.potential_at(&bar.tips(t).unwrap())[0];
            let difference = (energy(theta + h) - energy(theta - h)) / (2.0 * h);
            assert!((difference - bar.potential_at(&x)[1]).abs() < 1e-7);
        }
        assert_eq!(bar.tips(0.0).map(|x| x.psi[0].abs() < 1e-15), Some(true));
    }

    /// At the start the model's kinetic energy and its acceleration are those of the formulas.
    #[test]
    fn model_and_energies_agree_at_the_start() {
        let bar = SpatialFourBar::default();
        let model = bar.spec().unwrap().build().unwrap();
        let (at, v) = (model.initial_point(), model.initial_velocity());
        let kinetic = 0.5 * super::super::form(v, model.mass(&at).iter(), v);
        let x = bar.tips(0.0).unwrap();
        let expected = 0.5 * bar.inertia_at(&x)[0] * bar.speed * bar.speed;
        assert!((kinetic / expected - 1.0).abs() < 1e-14, "{kinetic} {expected}");
    }
}
