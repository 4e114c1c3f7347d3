//! Chains of masses, springs and dampers, whose response is a continued fraction.

use mb_algebra::{Dense, QuadraticPencil, Scatter, Sparse, Triplets, c64, sparse};
use mb_response::Plant;

/// Masses in a row; spring and damper i stand before mass i, the first at the wall.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) masses: Vec<f64>,
    pub(crate) springs: Vec<f64>,
    pub(crate) dampers: Vec<f64>,
    pub(crate) loss: f64,
}

impl Chain {
    /// A bar of n equal pieces, held at one end: lowest frequency about pi / 2 rad/s.
    pub(crate) fn bar(n: usize) -> Self {
        let count = n as f64;
        Self { masses: vec![1.0 / count; n], springs: vec![count; n], dampers: vec![0.0; n], loss: 0.0 }
    }

    fn tied(&self, values: &[f64]) -> Sparse {
        let n = self.masses.len();
        let mut out = Triplets::new(n, n);
        for (i, x) in values.iter().enumerate() {
            out.add(i, i, *x);
            if i > 0 {
                out.add(i - 1, i - 1, *x);
                out.add(i, i - 1, -x);
                out.add(i - 1, i, -x);
            }
        }
        out.to_sparse()
    }

    pub(crate) fn pencil(&self) -> QuadraticPencil<Sparse> {
        QuadraticPencil {
            m: sparse::diagonal(&self.masses),
            c: self.tied(&self.dampers),
            k: self.tied(&self.springs),
            phi_q: sparse::zeros(0, self.masses.len()),
        }
    }

    /// Force on the mass `input`, displacement of the mass `output`.
    pub(crate) fn plant(&self, input: usize, output: usize) -> Plant {
        let n = self.masses.len();
        let f = Dense::from_fn(n, 1, |i, _| f64::from(u8::from(i == input)));
        let y = Dense::from_fn(1, n, |_, j| f64::from(u8::from(j == output)));
        Plant { loss: self.loss, ..Plant::displacement(self.pencil(), f, y) }
    }

    /// Displacement of the last mass under a unit force on it at s = i omega.
    ///
    /// The dynamic stiffness seen from the left of mass i: d_i = s^2 m_i + g_i d_(i-1) / (g_i + d_(i-1)) with g = k (1 + i eta) + s c.
    pub(crate) fn driving_point(&self, omega: f64) -> c64 {
        let s = c64::new(0.0, omega);
        let mut stiffness: Option<c64> = None;
        for i in 0..self.masses.len() {
            let g = c64::new(1.0, self.loss) * self.springs[i] + s * self.dampers[i];
            let before = stiffness.map_or(g, |d| g * d / (g + d));
            stiffness = Some(s * s * self.masses[i] + before);
        }
        stiffness.unwrap().inv()
    }
}
