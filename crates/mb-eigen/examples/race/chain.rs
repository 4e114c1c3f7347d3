//! Bars in a row, joined and held at both ends by multipliers.
//!
//! ```text
//! unknowns 2 N + (N + 1),   w_j = (k / m) (ground + 4 sin^2(j pi / (2 N))),  j = 1..N - 1
//! ```

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};

/// Stiffness k and mass m of a bar.
const STIFFNESS: f64 = 1e4;
const MASS: f64 = 2.0;
/// Stiffness that ties a mass of the grounded chains to the ground, as a fraction of k.
const GROUND: f64 = 1e-3;

/// A chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    /// Number of bars N.
    pub(crate) bars: usize,
    /// Whether every mass is tied to the ground.
    pub(crate) grounded: bool,
}

impl Chain {
    /// By about so many unknowns and multipliers.
    pub(crate) const fn of_size(size: usize, grounded: bool) -> Self {
        Self { bars: size / 3, grounded }
    }

    const fn ground(self) -> f64 {
        if self.grounded { GROUND } else { 0.0 }
    }

    /// M, C, K and Phi_q; bars have m / 2 at both ends.
    pub(crate) fn pencil(self) -> QuadraticPencil<Sparse> {
        let (bars, n) = (self.bars, 2 * self.bars);
        let mut m = Triplets::with_capacity(n, n, n);
        let mut k = Triplets::with_capacity(n, n, 2 * n);
        let mut phi_q = Triplets::with_capacity(bars + 1, n, n);
        for bar in 0..bars {
            let (left, right) = (2 * bar, 2 * bar + 1);
            for end in [left, right] {
                m.add(end, end, 0.5 * MASS);
                k.add(end, end, STIFFNESS * (1.0 + 0.5 * self.ground()));
            }
            k.add(left, right, -STIFFNESS);
            k.add(right, left, -STIFFNESS);
            phi_q.add(bar, left, 1.0);
            phi_q.add(bar + 1, right, -1.0);
        }
        QuadraticPencil {
            m: m.to_sparse(),
            c: sparse::zeros(n, n),
            k: k.to_sparse(),
            phi_q: phi_q.to_sparse(),
        }
    }

    /// The `count` lowest w.
    pub(crate) fn exact(self, count: usize) -> Vec<f64> {
        let w = |j: usize| {
            let sine = (j as f64 * std::f64::consts::FRAC_PI_2 / self.bars as f64).sin();
            STIFFNESS / MASS * (self.ground() + 4.0 * sine * sine)
        };
        (1..=count.min(self.bars - 1)).map(w).collect()
    }

    /// Shifts of w the others are given: zero, and for clusters one just below them; their best run counts.
    pub(crate) fn shifts(self) -> Vec<f64> {
        if self.grounded { vec![0.0, STIFFNESS / MASS * GROUND * (1.0 - 1e-6)] } else { vec![0.0] }
    }
}
