//! A frame of beams in space at any size, and what its supports and joints carry.
//!
//! Columns on a grid, clamped at their feet; girders rigidly fixed to the column they start from and on a revolute joint
//! at the next. With nx by ny bays, ns storeys and n quadratic elements to a member
//!
//! ```text
//! girders = revolute joints  j = ns (nx (ny + 1) + ny (nx + 1)),   columns  c = (nx + 1) (ny + 1)
//! coordinates   6 (c (2 n ns + 1) + 2 n j),   constraint rows   6 c + 5 j
//! ```
//!
//! and the feet together carry the weight, whatever bends.

use mb_model::{ModelError, ModelSpec};

/// A frame of tubes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamFrame {
    /// Bays along x and along y.
    pub bays: [u32; 2],
    /// Storeys.
    pub storeys: u32,
    /// Finite elements to a girder and to a storey of a column.
    pub elements: u32,
    /// Gravity along -z, m/s^2.
    pub gravity: f64,
}

impl Default for BeamFrame {
    fn default() -> Self {
        Self { bays: [2, 1], storeys: 2, elements: 2, gravity: 9.81 }
    }
}

/// Bays along x and y and height of a storey, m.
const SIZES: [f64; 3] = [6.0, 5.0, 3.5];
/// Outer and inner radii of columns and girders, m.
const TUBES: [[f64; 2]; 2] = [[0.3, 0.28], [0.2, 0.19]];
/// Density, kg/m^3.
const DENSITY: f64 = 7850.0;

impl BeamFrame {
    /// 1,000 revolute joints and 97,650 coordinates.
    pub fn large() -> Self {
        Self { bays: [4, 4], storeys: 25, elements: 5, ..Self::default() }
    }
    /// The model: `models/beam-frame.toml` with these data.
    pub fn spec(&self) -> Result<ModelSpec, ModelError> {
        let text = crate::files::BEAM_FRAME;
        let mut spec = ModelSpec::from_toml(text)?;
        let [x, y] = self.bays;
        for (name, value) in [
            ("nx", f64::from(x)),
            ("ny", f64::from(y)),
            ("ns", f64::from(self.storeys)),
            ("n", f64::from(self.elements)),
            ("g", self.gravity),
        ] {
            spec.set_parameter(name, value)?;
        }
        Ok(spec)
    }
    /// Girders along x and along y.
    pub fn girders(&self) -> [usize; 2] {
        let [x, y] = self.bays.map(|n| n as usize);
        let floors = self.storeys as usize;
        [floors * x * (y + 1), floors * y * (x + 1)]
    }
    /// Columns.
    pub fn columns(&self) -> usize {
        self.bays.iter().map(|n| *n as usize + 1).product()
    }
    /// Coordinates and constraint rows of the model.
    pub fn sizes(&self) -> (usize, usize) {
        let (girders, columns) = (self.girders().iter().sum::<usize>(), self.columns());
        let nodes = 2 * self.elements as usize;
        (6 * (columns * (nodes * self.storeys as usize + 1) + nodes * girders), 6 * columns + 5 * girders)
    }
    /// Weight of the whole, N: what the feet carry.
    pub fn weight(&self) -> f64 {
        let line = TUBES.map(|[outer, inner]| {
            DENSITY * core::f64::consts::PI * (outer * outer - inner * inner) * self.gravity
        });
        let [along_x, along_y] = self.girders().map(|n| n as f64);
        let columns = self.columns() as f64 * f64::from(self.storeys) * SIZES[2];
        line[0] * columns + line[1] * (along_x * SIZES[0] + along_y * SIZES[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_has_the_sizes_of_the_formulas() {
        let frames = [
            BeamFrame::default(),
            BeamFrame { bays: [1, 3], storeys: 3, elements: 1, ..BeamFrame::default() },
        ];
        for frame in frames {
            let model = frame.spec().unwrap().build().unwrap();
            assert_eq!((model.nv(), model.nc()), frame.sizes());
        }
        let (n, m) = BeamFrame::large().sizes();
        assert_eq!((n, m), (97_650, 5_150));
        assert_eq!(BeamFrame::large().girders().iter().sum::<usize>(), 1000);
    }

    #[test]
    fn lengths_and_sections_are_those_of_the_file() {
        let spec = BeamFrame::default().spec().unwrap();
        let values = spec.parameter_values().unwrap();
        assert_eq!(["a", "b", "h"].map(|name| values[name]).to_vec(), SIZES.to_vec());
        assert!((values["rho"] - DENSITY).abs() < 1e-9);
    }
}
