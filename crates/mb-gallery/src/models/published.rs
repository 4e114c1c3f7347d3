//! Mechanisms of public collections of test problems.
//!
//! Andrews' squeezer mechanism and the flexible slider-crank (Test Set for Initial Value Problem Solvers); the simple pendulum,
//! the N-four-bar mechanism, Bricard's mechanism and the flyball governor (IFToMM Library of
//! Computational Benchmark Problems, A01, A02, A04 and A05) and its spatial slider-crank; the heavy top of Brüls, Cardona and Arnold. Two have exact solutions: the first two of the
//! library are pendulums,
//!
//! ```text
//! simple pendulum   w^2 = g / L
//! N-four-bar        w^2 = (3 N / 2 + 1/2) g / (((N + 1) / 3 + N) l)
//! ```
//!
//! the linkage because its couplers are only translated; see [`super::FourBar`].

use super::PendulumMotion;
use core::f64::consts::FRAC_PI_2;
use mb_model::{ModelError, ModelSpec};

/// Andrews' squeezer mechanism: `models/andrews-squeezer.toml`; its reference state is
/// in `fixtures/andrews`.
///
/// # Errors
/// None for the file as it is.
pub fn andrews_squeezer() -> Result<ModelSpec, ModelError> {
    ModelSpec::from_toml(crate::files::ANDREWS_SQUEEZER)
}

/// Bricard's mechanism, a closed loop of six hinges with one redundant constraint everywhere:
/// `models/bricard.toml`; its reference state is in `fixtures/bricard`.
///
/// # Errors
/// None for the file as it is.
pub fn bricard() -> Result<ModelSpec, ModelError> {
    ModelSpec::from_toml(crate::files::BRICARD)
}

/// The heavy top of Lie group integrators: `models/heavy-top.toml`; its reference state is in `fixtures/heavy-top`.
///
/// # Errors
/// None for the file as it is.
pub fn heavy_top() -> Result<ModelSpec, ModelError> {
    ModelSpec::from_toml(crate::files::HEAVY_TOP)
}

/// The stiff flyball governor: `models/flyball-governor.toml`; its reference state is in `fixtures/flyball-governor`.
///
/// # Errors
/// None for the file as it is.
pub fn flyball_governor() -> Result<ModelSpec, ModelError> {
    ModelSpec::from_toml(crate::files::FLYBALL_GOVERNOR)
}

/// The planar slider-crank with an elastic rod: `models/flexible-slider-crank.toml`; its reference states are in
/// `fixtures/flexible-slider-crank`.
///
/// # Errors
/// None for the file as it is.
pub fn flexible_slider_crank() -> Result<ModelSpec, ModelError> {
    ModelSpec::from_toml(crate::files::FLEXIBLE_SLIDER_CRANK)
}

/// The rigid spatial slider-crank: `models/spatial-slider-crank.toml`; its reference state is in `fixtures/spatial-slider-crank`.
///
/// # Errors
/// None for the file as it is.
pub fn spatial_slider_crank() -> Result<ModelSpec, ModelError> {
    ModelSpec::from_toml(crate::files::SPATIAL_SLIDER_CRANK)
}

/// Vertices of the loop of [`bricard`] from the configuration of its five rods: six of three numbers.
pub fn bricard_vertices(q: &[f64]) -> [[f64; 3]; 6] {
    let mut out = [[0.0; 3]; 6];
    out[5] = [0.0, 0.0, 1.0];
    // The middle of each rod lies between its ends.
    for k in 0..5 {
        for axis in 0..3 {
            let middle = q[7 * k + axis];
            if k < 4 {
                out[k + 1][axis] = 2.0 * middle - out[k][axis];
            }
        }
    }
    out
}

/// A mass on a massless rod, released from the horizontal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimplePendulum;

impl SimplePendulum {
    /// The model: `models/simple-pendulum.toml`.
    ///
    /// # Errors
    /// None for the file as it is.
    pub fn spec(self) -> Result<ModelSpec, ModelError> {
        ModelSpec::from_toml(crate::files::SIMPLE_PENDULUM)
    }
    /// Position of the mass at time `t`, m, and the tension of the rod along y, N: the exact ones.
    pub fn at(self, t: f64) -> Option<([f64; 2], f64)> {
        let g = 9.81;
        let (x, v) = PendulumMotion { frequency: f64::sqrt(g), angle: -FRAC_PI_2, speed: 0.0 }.at(t)?;
        let tension = g * x.cos() + v * v;
        Some(([x.sin(), -x.cos()], tension * x.cos()))
    }
}

/// N four-bar loops without springs that turn, or swing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurningFourBar {
    /// Number of loops N.
    pub loops: u32,
    /// Angle of the cranks at the start against the x-axis, rad.
    pub start: f64,
    /// Speed of the cranks' tips at the start, clockwise, m/s.
    pub speed: f64,
}

impl Default for TurningFourBar {
    /// Two loops, upright, and 1 m/s.
    fn default() -> Self {
        Self { loops: 2, start: FRAC_PI_2, speed: 1.0 }
    }
}

impl TurningFourBar {
    /// The model: `models/n-four-bar-turning.toml`.
    ///
    /// # Errors
    /// None for the file as it is.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let text = crate::files::N_FOUR_BAR_TURNING;
        let mut spec = ModelSpec::from_toml(text)?;
        spec.set_parameter("N", f64::from(self.loops))?;
        spec.set_parameter("start", self.start)?;
        spec.set_parameter("v", self.speed)?;
        Ok(spec)
    }
    /// The cranks' angle from hanging, counterclockwise, as a motion.
    pub fn motion(&self) -> PendulumMotion {
        let n = f64::from(self.loops);
        let frequency = (9.81 * (1.5 * n + 0.5) / ((n + 1.0) / 3.0 + n)).sqrt();
        PendulumMotion { frequency, angle: self.start + FRAC_PI_2, speed: -self.speed }
    }
    /// The configuration of the model at time `t`: the tips of all cranks.
    pub fn at(&self, t: f64) -> Option<Vec<f64>> {
        let (x, _) = self.motion().at(t)?;
        Some((0..=self.loops).flat_map(|i| [f64::from(i) + x.sin(), -x.cos()]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact motion satisfies the constraints of the model and begins where the model does.
    #[test]
    fn exact_motion_keeps_the_linkage_closed() {
        for (loops, start) in [(1, FRAC_PI_2), (2, FRAC_PI_2), (5, -0.5), (3, 2.0)] {
            let bar = TurningFourBar { loops, start, speed: 1.0 };
            let model = bar.spec().unwrap().build().unwrap();
            for t in [0.0, 0.7, 3.0] {
                let q = bar.at(t).unwrap();
                assert!(model.phi(&q, 0.0).iter().all(|x| x.abs() < 1e-13));
            }
            let start = bar.at(0.0).unwrap();
            assert!(start.iter().zip(model.initial()).all(|(a, b)| (a - b).abs() < 1e-12));
            let soon = bar.at(1e-6).unwrap();
            for k in 0..model.nv() {
                let rate = (soon[k] - start[k]) / 1e-6;
                assert!((rate - model.initial_velocity()[k]).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn squeezer_closes_at_its_start() {
        let model = andrews_squeezer().unwrap().build().unwrap();
        assert_eq!((model.nv(), model.nc()), (21, 20));
        assert!(model.phi(model.initial(), 0.0).iter().all(|x| x.abs() < 1e-15));
    }
}
