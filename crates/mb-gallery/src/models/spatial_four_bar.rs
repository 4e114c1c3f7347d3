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
//! where ' is d/dtheta; hence M theta'' + M' theta'^2/2 + c (|B|')^2 theta' + V' = 0 with the
//! dashpot c next to the spring, and about an equilibrium
//!
//! ```text
//! M s^2 + c (|B|')^2 s + V'' = 0
//! ```
//!
//! Derived from the geometry and the energies, not from the model. A linkage that does not close at
//! an angle has no tips there.
//!
//! Paper: [flores2018] Fig. 1, Table 1.
//!
//! [flores2018]: ../../../../docs/references.bib

use super::{Eigenvalue, roots};
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
    /// Damping of a dashpot next to it, N s/m; the paper has none.
    pub damping: f64,
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
            damping: 0.0,
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
    /// The model: `models/spatial-four-bar.toml` with these data.
    ///
    /// # Errors
    /// None for the file as it is.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let text = crate::files::SPATIAL_FOUR_BAR;
        let mut spec = ModelSpec::from_toml(text)?;
        for (name, value) in [
            ("crank", self.crank),
            ("rocker", self.rocker),
            ("distance", self.distance),
            ("speed", self.speed),
            ("k", self.stiffness),
            ("l0", self.natural_length),
            ("c", self.damping),
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
    /// Configuration of the model at crank angle `theta`, the coupler turned as little as its line
    /// asks for since the start; `None` where the linkage does not close. Position (m) and Euler
    /// parameters of crank, coupler and rocker, 21 numbers.
    pub fn configuration(&self, theta: f64) -> Option<Vec<f64>> {
        let x = self.tips(theta)?;
        let (a, b) = (x.a[0], x.b[0]);
        let pivot = [0.0, self.distance, 0.0];
        let e = core::f64::consts::FRAC_1_SQRT_2;
        let axis_x = [1.0, 0.0, 0.0];
        let line = minus(b, a).map(|y| y / self.coupler());
        let start = [0.0, self.distance / self.coupler(), (self.rocker - self.crank) / self.coupler()];
        let poses = [
            ([0.0; 3], a, turn(axis_x, theta)),
            (a, b, product(between(start, line), turn(axis_x, -start[1].atan2(start[2])))),
            (
                pivot,
                b,
                product(turn([e, e, 0.0], x.psi[0]), turn([0.0, 0.0, 1.0], -core::f64::consts::FRAC_PI_4)),
            ),
        ];
        let pose = |(from, to, p): ([f64; 3], [f64; 3], [f64; 4])| {
            [0, 1, 2].map(|i| 0.5 * (from[i] + to[i])).into_iter().chain(p)
        };
        Some(poses.into_iter().flat_map(pose).collect())
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
    /// V(theta) in J and its first two derivatives by theta.
    fn potential_at(&self, x: &Tips) -> [f64; 3] {
        let [m1, m2, m3] = self.mass;
        let weight = |k: usize| 0.5 * self.gravity * ((m1 + m2) * x.a[k][2] + (m2 + m3) * x.b[k][2]);
        let [length, slope, bend] = Self::spring_at(x);
        let stretch = length - self.natural_length;
        [
            weight(0) + 0.5 * self.stiffness * stretch * stretch,
            weight(1) + self.stiffness * stretch * slope,
            weight(2) + self.stiffness * (slope * slope + stretch * bend),
        ]
    }
    /// Length of the spring in m and its first two derivatives by theta.
    fn spring_at(x: &Tips) -> [f64; 3] {
        let length = dot(x.b[0], x.b[0]).sqrt();
        let slope = dot(x.b[0], x.b[1]) / length;
        let bend = (dot(x.b[1], x.b[1]) + dot(x.b[0], x.b[2]) - slope * slope) / length;
        [length, slope, bend]
    }
    /// Energy of the one-parameter motion (the coupler without spin about its line), J.
    pub fn energy(&self, theta: f64, rate: f64) -> Option<f64> {
        let x = self.tips(theta)?;
        Some(0.5 * self.inertia_at(&x)[0] * rate * rate + self.potential_at(&x)[0])
    }
    /// theta'' of the motion, rad/s^2.
    pub fn acceleration(&self, theta: f64, rate: f64) -> Option<f64> {
        let x = self.tips(theta)?;
        let ([m, slope], [_, v, _]) = (self.inertia_at(&x), self.potential_at(&x));
        let [_, stretching, _] = Self::spring_at(&x);
        Some(-(0.5 * slope * rate * rate + self.damping * stretching * stretching * rate + v) / m)
    }
    /// Crank angle in rad of an equilibrium, by Newton's method on V' from `near`; `None` where it
    /// runs into an angle at which the linkage does not close or does not settle.
    pub fn equilibrium(&self, near: f64) -> Option<f64> {
        let mut theta = near;
        for _ in 0..50 {
            let [_, v, stiffness] = self.potential_at(&self.tips(theta)?);
            let step = -v / stiffness;
            if !step.is_finite() {
                return None;
            }
            theta += step.clamp(-0.3, 0.3);
            if step.abs() <= 4.0 * f64::EPSILON * theta.abs() {
                return Some(theta);
            }
        }
        None
    }
    /// The two eigenvalues of small motions about an equilibrium angle.
    pub fn eigenvalues(&self, theta: f64) -> Option<[Eigenvalue; 2]> {
        let x = self.tips(theta)?;
        let ([m, _], [_, _, k], [_, slope, _]) =
            (self.inertia_at(&x), self.potential_at(&x), Self::spring_at(&x));
        Some(roots(m, self.damping * slope * slope, k))
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

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
/// Euler parameters of a turn by `angle` about a unit axis.
fn turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let (s, c) = (0.5 * angle).sin_cos();
    [c, s * axis[0], s * axis[1], s * axis[2]]
}
/// Euler parameters of the shortest turn from one unit vector to another, not opposite one.
fn between(from: [f64; 3], to: [f64; 3]) -> [f64; 4] {
    let e0 = (0.5 * (1.0 + dot(from, to))).sqrt();
    let [x, y, z] = cross(from, to).map(|y| 0.5 * y / e0);
    [e0, x, y, z]
}
/// Euler parameters of the turn `q` followed by `p`, both about axes of the ground.
fn product(p: [f64; 4], q: [f64; 4]) -> [f64; 4] {
    let (u, v) = ([p[1], p[2], p[3]], [q[1], q[2], q[3]]);
    let w = cross(u, v);
    let vector = |i: usize| p[0] * v[i] + q[0] * u[i] + w[i];
    [p[0] * q[0] - dot(u, v), vector(0), vector(1), vector(2)]
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
            let slope = |t: f64| bar.potential_at(&bar.tips(t).unwrap())[1];
            let difference = (slope(theta + h) - slope(theta - h)) / (2.0 * h);
            assert!((difference - bar.potential_at(&x)[2]).abs() < 1e-6);
        }
        assert_eq!(bar.tips(0.0).map(|x| x.psi[0].abs() < 1e-15), Some(true));
    }

    /// The poses close the model's joints at every angle, and at the start are the model's own.
    #[test]
    fn configurations_satisfy_the_constraints() {
        let bar = SpatialFourBar::default();
        let model = bar.spec().unwrap().build().unwrap();
        for theta in [0.0, 0.4, 2.5, 3.6, 6.0] {
            let q = bar.configuration(theta).unwrap();
            assert!(largest(&model.phi(&q, 0.0)) < 1e-15, "{theta}: {:?}", model.phi(&q, 0.0));
            if theta == 0.0 {
                let apart: Vec<f64> = q.iter().zip(model.initial()).map(|(a, b)| a - b).collect();
                assert!(largest(&apart) < 1e-15, "{apart:?}");
            }
        }
    }

    /// A stable rest, found from hanging; the dashpot takes energy, so the eigenvalues lie on the left.
    #[test]
    fn the_crank_hangs_in_a_stable_equilibrium() {
        let bar = SpatialFourBar { damping: 3.0, ..SpatialFourBar::default() };
        let theta = bar.equilibrium(std::f64::consts::PI).unwrap();
        assert!(bar.acceleration(theta, 0.0).unwrap().abs() < 1e-13);
        let [s, _] = bar.eigenvalues(theta).unwrap();
        assert!(s.re < 0.0 && s.im > 0.0, "{theta} {s:?}");
        let free = SpatialFourBar { damping: 0.0, ..bar };
        assert!(free.eigenvalues(theta).unwrap()[0].re == 0.0);
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
