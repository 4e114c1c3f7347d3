//! A cantilever under axial tension, of beam elements and as a continuum.
//!
//! ```text
//! EI y'''' - F y'' - rho A w^2 y = 0,   y = y' = 0 at 0,   y'' = 0 and y''' = a y' at l,   a = F / EI, b = rho A w^2 / EI
//! r1^2, r2^2 = (sqrt(a^2 + 4 b) +- a) / 2
//! 2 r1^2 r2^2 + (r1^4 + r2^4) cosh(r1 l) cos(r2 l) + r1 r2 (r1^2 - r2^2) sinh(r1 l) sin(r2 l) = 0
//! ```
//!
//! The last line is the determinant of the two conditions at l on y = A (cosh r1 x - cos r2 x) + B (sinh r1 x - r1/r2 sin r2 x);
//! printed as (4.2) it has a wrong sign in front of its last term. Paper: [yang2012] Eqs. (4.1), (4.2).
//!
//! [yang2012]: crate::models::BeamCantilever

use mb_model::spec::{AxialStrainSpec, BeamElementSpec};
use mb_model::{ModelError, ModelSpec};

/// The cantilever of Yang et al. 2012, with the element their digits follow from as the default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamCantilever {
    /// Finite elements.
    pub elements: u32,
    /// Their kind.
    pub element: BeamElementSpec,
    /// How stretch is measured.
    pub axial_strain: AxialStrainSpec,
    /// Dead force along the beam at its tip, N.
    pub tension: f64,
    /// Length, m.
    pub length: f64,
    /// Side of the square section, m.
    pub side: f64,
    /// Young's modulus, Pa.
    pub youngs_modulus: f64,
    /// Density, kg/m^3.
    pub density: f64,
}

impl Default for BeamCantilever {
    fn default() -> Self {
        Self {
            elements: 20,
            element: BeamElementSpec::Linear,
            axial_strain: AxialStrainSpec::GreenLagrange,
            tension: 0.0,
            length: 200.0,
            side: 10.0,
            youngs_modulus: 2.06e11,
            density: 7860.0,
        }
    }
}

impl BeamCantilever {
    /// The model: `models/beam-cantilever.toml` with these data. Linear elements have n + 1 nodes, quadratic
    /// ones 2 n + 1, of six coordinates each; six constraint rows clamp the first.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let text = crate::files::BEAM_CANTILEVER;
        let mut spec = ModelSpec::from_toml(text)?;
        for (name, value) in [
            ("n", f64::from(self.elements)),
            ("F", self.tension),
            ("L", self.length),
            ("b", self.side),
            ("E", self.youngs_modulus),
            ("rho", self.density),
        ] {
            spec.set_parameter(name, value)?;
        }
        for beam in &mut spec.beams {
            beam.element = self.element;
            beam.axial_strain = self.axial_strain;
        }
        Ok(spec)
    }
    /// EI, N m^2.
    pub fn bending(&self) -> f64 {
        self.youngs_modulus * self.side.powi(4) / 12.0
    }
    /// The lowest `count` bending frequencies of the Euler-Bernoulli continuum, Hz; each belongs to two modes.
    pub fn continuum_hz(&self, count: usize) -> Vec<f64> {
        let (ei, line) = (self.bending(), self.density * self.side * self.side);
        let a = self.tension / ei;
        // In terms of beta = w^(1/2) (line/ei)^(1/4), which grows by about pi / l from root to root.
        let value = |beta: f64| self.characteristic(a, beta.powi(4));
        let step = 0.05 / self.length;
        let mut found = Vec::with_capacity(count);
        let (mut low, mut at_low) = (step, value(step));
        while found.len() < count && low < 1e3 * count as f64 / self.length {
            let high = low + step;
            let at_high = value(high);
            if at_low * at_high <= 0.0 {
                let beta = super::bisect(&value, low, high);
                found.push(beta * beta * (ei / line).sqrt() / core::f64::consts::TAU);
            }
            (low, at_low) = (high, at_high);
        }
        found
    }
    /// The characteristic function over cosh(r1 l), for a and b.
    fn characteristic(&self, a: f64, b: f64) -> f64 {
        let root = (a * a + 4.0 * b).sqrt();
        // The smaller of the two squares without cancellation: their product is b.
        let large = 0.5 * (root + a.abs());
        let small = b / large;
        let (r1, r2) = if a >= 0.0 { (large, small) } else { (small, large) };
        let (r1, r2) = (r1.sqrt(), r2.sqrt());
        let (x, y) = (r1 * self.length, r2 * self.length);
        let product = r1 * r2;
        2.0 * product * product / x.cosh()
            + (r1.powi(4) + r2.powi(4)) * y.cos()
            + product * (r1 * r1 - r2 * r2) * x.tanh() * y.sin()
    }
    /// The force in N under which the column buckles: -pi^2 EI / (4 l^2), as a tension.
    pub fn buckling_tension(&self) -> f64 {
        -core::f64::consts::PI.powi(2) * self.bending() / (4.0 * self.length * self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::{PI, TAU};

    #[test]
    fn without_tension_the_roots_are_the_textbook_ones() {
        let beam = BeamCantilever::default();
        let unit = (beam.bending() / (beam.density * beam.side.powi(2))).sqrt() / beam.length.powi(2);
        for (n, f) in beam.continuum_hz(4).into_iter().enumerate() {
            let x = (f * TAU / unit).sqrt();
            // cos x cosh x = -1, near odd multiples of pi / 2.
            assert!((x.cos() + 1.0 / x.cosh()).abs() < 1e-11 * x.cosh().ln().max(1.0));
            assert!((x - PI * (n as f64 + 0.5)).abs() < 0.31);
        }
    }

    #[test]
    fn tension_raises_and_pressure_lowers_until_the_column_buckles() {
        let with = |share: f64| {
            let mut beam = BeamCantilever::default();
            beam.tension = -share * beam.buckling_tension();
            beam.continuum_hz(1)[0]
        };
        assert!(with(0.5) > with(0.0) && with(-0.5) < with(0.0));
        // Near buckling w^2 goes to zero in proportion to what is left.
        let ratio = with(-0.9999) / with(-0.9996);
        assert!((ratio - 0.5).abs() < 1e-3, "{ratio}");
    }

    #[test]
    fn strings_are_the_limit_of_much_tension() {
        let mut beam = BeamCantilever { side: 0.01, ..BeamCantilever::default() };
        beam.tension = 1e6;
        let c = (beam.tension / (beam.density * beam.side * beam.side)).sqrt();
        // Held at one end, free to slide across at the other: a quarter wave.
        assert!((beam.continuum_hz(1)[0] / (c / (4.0 * beam.length)) - 1.0).abs() < 1e-2);
    }
}
