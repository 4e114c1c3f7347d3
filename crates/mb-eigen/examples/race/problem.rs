//! The cases of the race.
//!
//! ```text
//! chain   N bars of two ends each, joined and held at both ends by multipliers; unknowns 2 N + (N + 1)
//!         w_j = (k / m) (ground + 4 sin^2(j pi / (2 N))),  j = 1..N - 1
//! block   hexahedra with 8 nodes, one face clamped by multipliers; unknowns 3 p^3 + 3 p^2 for p nodes a side
//! ```

use std::fs;
use std::io;
use std::path::Path;

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, sparse};

use crate::{families, npy};

/// Stiffness k and mass m of a bar of the chains.
const STIFFNESS: f64 = 1e4;
const MASS: f64 = 2.0;
/// Stiffness that ties a mass of the grounded chains to the ground, as a fraction of k.
const GROUND: f64 = 1e-3;
/// Modes asked for.
pub(crate) const COUNT: usize = 20;

/// A family and its size.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Case {
    /// Bars; grounded or not.
    Chain { bars: usize, grounded: bool },
    /// Nodes along a side.
    Block { nodes: usize },
}

impl Case {
    /// The case of a name: family and number of unknowns.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        match (name.get(..1), name.get(1..)) {
            (Some("h"), Some(size)) => match size {
                "1e3" => Ok(Self::Block { nodes: 7 }),
                "1e4" => Ok(Self::Block { nodes: 15 }),
                "1e5" => Ok(Self::Block { nodes: 32 }),
                "3e5" => Ok(Self::Block { nodes: 46 }),
                _ => Err(format!("{name}: blocks are h1e3, h1e4, h1e5 and h3e5")),
            },
            (Some(family @ ("c" | "g")), Some(size)) => match size.parse::<f64>() {
                Ok(unknowns) if (10.0..1e8).contains(&unknowns) => {
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
                    let bars = unknowns as usize / 3;
                    Ok(Self::Chain { bars, grounded: family == "g" })
                }
                _ => Err(format!("{name}: a number of unknowns follows, as in {family}1e4")),
            },
            _ => Err(format!("{name}: the families are c and g (chains) and h (blocks)")),
        }
    }

    /// M, K and Phi_q.
    pub(crate) fn pencil(&self) -> QuadraticPencil<Sparse> {
        match *self {
            Self::Chain { bars, grounded } => chain(bars, if grounded { GROUND } else { 0.0 }),
            Self::Block { nodes } => families::hex_block(nodes - 1, true),
        }
    }

    /// The lowest w where a formula gives them.
    fn exact(&self) -> Vec<f64> {
        let Self::Chain { bars, grounded } = *self else { return Vec::new() };
        let ground = if grounded { GROUND } else { 0.0 };
        let w = |j: usize| {
            let sine = (j as f64 * std::f64::consts::FRAC_PI_2 / bars as f64).sin();
            STIFFNESS / MASS * (ground + 4.0 * sine * sine)
        };
        (1..=COUNT.min(bars - 1)).map(w).collect()
    }

    /// Shifts of w the others are given: zero, and for clusters one just below them; their best run counts.
    fn shifts(&self) -> Vec<f64> {
        match self {
            Self::Chain { grounded: true, .. } => vec![0.0, STIFFNESS / MASS * GROUND * (1.0 - 1e-6)],
            Self::Chain { .. } | Self::Block { .. } => vec![0.0],
        }
    }

    /// Writes matrices and description to a folder.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let pencil = self.pencil();
        fs::create_dir_all(folder)?;
        for (name, matrix) in [("k", &pencil.k), ("m", &pencil.m), ("g", &pencil.phi_q)] {
            npy::write_rows(folder, name, matrix)?;
        }
        let list = |values: Vec<f64>| values.iter().map(|v| format!("{v:e}")).collect::<Vec<_>>().join(", ");
        let text = format!(
            "{{\"unknowns\": {}, \"constraints\": {}, \"count\": {COUNT}, \"shifts\": [{}], \"exact\": [{}]}}\n",
            pencil.k.rows(),
            pencil.phi_q.rows(),
            list(self.shifts()),
            list(self.exact())
        );
        fs::write(folder.join("case.json"), text)
    }
}

/// Bars of stiffness k with m / 2 at both ends, tied to the ground by `ground` k per m; joints and ends by multipliers.
fn chain(bars: usize, ground: f64) -> QuadraticPencil<Sparse> {
    let n = 2 * bars;
    let mut m = Triplets::with_capacity(n, n, n);
    let mut k = Triplets::with_capacity(n, n, 2 * n);
    let mut phi_q = Triplets::with_capacity(bars + 1, n, n);
    for bar in 0..bars {
        let (left, right) = (2 * bar, 2 * bar + 1);
        for end in [left, right] {
            m.add(end, end, 0.5 * MASS);
            k.add(end, end, STIFFNESS * (1.0 + 0.5 * ground));
        }
        k.add(left, right, -STIFFNESS);
        k.add(right, left, -STIFFNESS);
        phi_q.add(bar, left, 1.0);
        phi_q.add(bar + 1, right, -1.0);
    }
    QuadraticPencil { m: m.to_sparse(), c: sparse::zeros(n, n), k: k.to_sparse(), phi_q: phi_q.to_sparse() }
}
