//! A hanging four-bar linkage of three beams, and its limit of rigid bars.
//!
//! ```text
//! V = g sum m_i (y of both ends)/2,   M(theta) = sum m_i ((|u|^2 + u . v + |v|^2)/3 + |u - v|^2 I/(A l_i^2))
//! s^2 = -V''/M at V' = 0
//! ```
//!
//! with u, v the derivatives of the ends of a bar by the crank's angle. As E grows the lowest frequency of the beams goes
//! to that of the bars, and the difference falls as 1/E.

use mb_model::spec::{AxialStrainSpec, BeamElementSpec};
use mb_model::{ModelError, ModelSpec};

/// The linkage of Yang et al. 2012 with the identified geometry, and the element their digits follow from as the default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamFourBar {
    /// Finite elements of each link.
    pub elements: u32,
    /// Their kind.
    pub element: BeamElementSpec,
    /// How stretch is measured.
    pub axial_strain: AxialStrainSpec,
    /// Young's modulus, Pa.
    pub youngs_modulus: f64,
    /// Gravity along -y, m/s^2.
    pub gravity: f64,
}

impl Default for BeamFourBar {
    fn default() -> Self {
        Self {
            elements: 10,
            element: BeamElementSpec::Linear,
            axial_strain: AxialStrainSpec::GreenLagrange,
            youngs_modulus: 2.06e11,
            gravity: 10.0,
        }
    }
}

/// Second moment of the section over its area, m^2.
const GYRATION: f64 = 100.0 / 12.0;
/// Lengths of crank, coupler and rocker, m.
const LENGTHS: [f64; 3] = [100.0, 100.0, 122.474_487_139_158_9];
/// Distance of the pivots, m.
const DISTANCE: f64 = 236.602_540_378_443_88;

impl BeamFourBar {
    /// The model: `models/beam-four-bar.toml` with these data; 20 constraint rows.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let text = crate::files::BEAM_FOUR_BAR;
        let mut spec = ModelSpec::from_toml(text)?;
        for (name, value) in
            [("n", f64::from(self.elements)), ("E", self.youngs_modulus), ("g", self.gravity)]
        {
            spec.set_parameter(name, value)?;
        }
        for beam in &mut spec.beams {
            beam.element = self.element;
            beam.axial_strain = self.axial_strain;
        }
        Ok(spec)
    }
    /// The crank's angle where rigid bars hang, and their frequency in rad/s.
    pub fn rigid(&self) -> (f64, f64) {
        // V' is found by bisection; below -1.21 the other two bars do not reach.
        let slope = |theta: f64| Bars::at(theta).slope;
        let (mut low, mut high) = (-1.1, -0.5);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if slope(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let theta = 0.5 * (low + high);
        let bars = Bars::at(theta);
        (theta, (self.gravity * bars.curvature / bars.mass).sqrt())
    }
}

/// Rigid bars of unit mass per length at one angle of the crank.
struct Bars {
    /// V' / g and V'' / g.
    slope: f64,
    curvature: f64,
    mass: f64,
}

impl Bars {
    fn at(theta: f64) -> Self {
        let [l1, l2, l3] = LENGTHS;
        let (sin, cos) = theta.sin_cos();
        let b = [l1 * cos, l1 * sin];
        let (b1, b2) = ([-b[1], b[0]], [-b[0], -b[1]]);
        // C below the line from B to D.
        let (dx, dy) = (DISTANCE - b[0], -b[1]);
        let s = dx.hypot(dy);
        let a = (l2 * l2 - l3 * l3 + s * s) / (2.0 * s);
        let h = (l2 * l2 - a * a).sqrt();
        let c = [b[0] + (a * dx + h * dy) / s, b[1] + (a * dy - h * dx) / s];
        // (C - B) . (C' - B') = 0 and (C - D) . C' = 0, and once more.
        let (p, q) = ([c[0] - b[0], c[1] - b[1]], [c[0] - DISTANCE, c[1]]);
        let dot = |x: [f64; 2], y: [f64; 2]| x[0] * y[0] + x[1] * y[1];
        let solve = |f: f64, g: f64| {
            let det = p[0] * q[1] - p[1] * q[0];
            [(f * q[1] - g * p[1]) / det, (p[0] * g - q[0] * f) / det]
        };
        let c1 = solve(dot(p, b1), 0.0);
        let relative = [c1[0] - b1[0], c1[1] - b1[1]];
        let c2 = solve(dot(p, b2) - dot(relative, relative), -dot(c1, c1));
        let ends = [([0.0; 2], b1), (b1, c1), (c1, [0.0; 2])];
        let mass: f64 = ends
            .iter()
            .zip(LENGTHS)
            .map(|((u, v), l)| {
                let d = [u[0] - v[0], u[1] - v[1]];
                l * ((dot(*u, *u) + dot(*u, *v) + dot(*v, *v)) / 3.0 + dot(d, d) * GYRATION / (l * l))
            })
            .sum();
        let along = |b: f64, c: f64| 0.5 * (l1 * b + l2 * (b + c) + l3 * c);
        Self { slope: along(b1[1], c1[1]), curvature: along(b2[1], c2[1]), mass }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_the_bars_are_those_of_their_heights() {
        let height = |theta: f64| Bars::at(theta).slope;
        for theta in [-1.1, -0.9, -0.6] {
            let h = 1e-5;
            let second = (height(theta + h) - height(theta - h)) / (2.0 * h);
            assert!((second / Bars::at(theta).curvature - 1.0).abs() < 1e-7);
        }
        let (theta, s) = BeamFourBar::default().rigid();
        assert!(Bars::at(theta).slope.abs() < 1e-9 && s > 0.0);
    }

    #[test]
    fn the_file_starts_where_the_bars_hang() {
        let linkage = BeamFourBar::default();
        let values = linkage.spec().unwrap().parameter_values().unwrap();
        assert!((values["theta"] - linkage.rigid().0).abs() < 1e-5);
        let lengths = [("l1", LENGTHS[0]), ("l2", LENGTHS[1]), ("l3", LENGTHS[2]), ("d", DISTANCE)];
        for (name, length) in lengths {
            assert!((values[name] - length).abs() < 1e-9);
        }
        let (x, y) = (values["xC"], values["yC"]);
        assert!(((x - values["xB"]).hypot(y - values["yB"]) - LENGTHS[1]).abs() < 1e-9);
        assert!(((x - DISTANCE).hypot(y) - LENGTHS[2]).abs() < 1e-9);
    }
}
