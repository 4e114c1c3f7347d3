//! The cases of the race.
//!
//! ```text
//! chain       N bars of two ends each, joined and held at both ends by multipliers; unknowns 2 N + (N + 1)
//!             w_j = (k / m) (ground + 4 sin^2(j pi / (2 N))),  j = 1..N - 1
//! block       hexahedra with 8 nodes, one face clamped by multipliers; unknowns 3 p^3 + 3 p^2 for p nodes a side
//! damped      the same, its halves damped in proportion to their stiffness, each by its own factor
//! gyroscopic  the same, spinning about the axis of the clamp
//! ```
//!
//! Of the first two the lowest w = -s^2 are asked for, of the others the s nearest to a point.

use std::fs;
use std::io;
use std::path::Path;

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, c64, sparse};
use mb_eigen::sparse::Request;

use crate::families::solid::Solid;
use crate::npy;

/// Stiffness k and mass m of a bar of the chains.
const STIFFNESS: f64 = 1e4;
const MASS: f64 = 2.0;
/// Stiffness that ties a mass of the grounded chains to the ground, as a fraction of k.
const GROUND: f64 = 1e-3;
/// Modes asked for, and eigenvalues near a point.
const LOWEST: usize = 20;
const NEAREST: usize = 10;
/// Damping over stiffness of the halves of a damped block, s.
const DAMPING: [f64; 2] = [4e-6, 1.6e-5];
/// Spin of a gyroscopic block, rad/s.
const SPIN: f64 = 800.0;
/// The point near which eigenvalues of damped blocks are sought, rad/s: among the first dozen modes.
const DAMPED_POINT: c64 = c64::new(-500.0, 10_000.0);
/// The same of gyroscopic blocks, which do not decay: near the axis, where no eigenvalue is hit.
const SPINNING_POINT: c64 = c64::new(100.0, 10_000.0);

/// A family and its size.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Case {
    /// Bounds; grounded or not.
    Chain { bars: usize, grounded: bool },
    /// A block, what acts on it, and the point near which its eigenvalues are sought; none for the lowest modes.
    Block { solid: Solid, point: Option<c64> },
}

impl Case {
    /// The case of a name: family and number of unknowns.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let at = |cells: [usize; 3]| Solid { cells, clamped: true, damping: [0.0; 2], spin: 0.0 };
        match (name.get(..1), name.get(1..)) {
            (Some(family @ ("h" | "d" | "y")), Some(size)) => {
                let cells = match size {
                    "1e3" => [6; 3],
                    "1e4" => [14; 3],
                    "1e5" => [31; 3],
                    "3e5" => [45; 3],
                    "1e6" => [756, 20, 20],
                    _ => {
                        return Err(format!(
                            "{name}: blocks are {family}1e3, 1e4, 1e5, 3e5 and 1e6 (slender)"
                        ));
                    }
                };
                let solid = at(cells);
                Ok(match family {
                    "d" => {
                        Self::Block { solid: Solid { damping: DAMPING, ..solid }, point: Some(DAMPED_POINT) }
                    }
                    "y" => Self::Block { solid: Solid { spin: SPIN, ..solid }, point: Some(SPINNING_POINT) },
                    _ => Self::Block { solid, point: None },
                })
            }
            (Some(family @ ("c" | "g")), Some(size)) => match size.parse::<f64>() {
                Ok(unknowns) if (10.0..1e8).contains(&unknowns) => {
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
                    let bars = unknowns as usize / 3;
                    Ok(Self::Chain { bars, grounded: family == "g" })
                }
                _ => Err(format!("{name}: a number of unknowns follows, as in {family}1e4")),
            },
            _ => Err(format!("{name}: the families are c and g (chains), h, d and y (blocks)")),
        }
    }

    /// M, C, K and Phi_q.
    pub(crate) fn pencil(&self) -> QuadraticPencil<Sparse> {
        match *self {
            Self::Chain { bars, grounded } => chain(bars, if grounded { GROUND } else { 0.0 }),
            Self::Block { solid, .. } => solid.pencil(),
        }
    }

    /// The point near which eigenvalues are sought.
    pub(crate) fn point(&self) -> Option<c64> {
        match *self {
            Self::Block { point, .. } => point,
            Self::Chain { .. } => None,
        }
    }

    /// What is asked.
    pub(crate) fn request(&self) -> Request {
        match self.point() {
            Some(s) => Request::NearPoint { s, count: self.count() },
            None => Request::Lowest { count: self.count() },
        }
    }

    /// Modes or eigenvalues asked for.
    fn count(&self) -> usize {
        if self.point().is_some() { NEAREST } else { LOWEST }
    }

    /// The lowest w where a formula gives them.
    fn exact(&self) -> Vec<f64> {
        let Self::Chain { bars, grounded } = *self else { return Vec::new() };
        let ground = if grounded { GROUND } else { 0.0 };
        let w = |j: usize| {
            let sine = (j as f64 * std::f64::consts::FRAC_PI_2 / bars as f64).sin();
            STIFFNESS / MASS * (ground + 4.0 * sine * sine)
        };
        (1..=LOWEST.min(bars - 1)).map(w).collect()
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
        for (name, matrix) in [("k", &pencil.k), ("m", &pencil.m), ("c", &pencil.c), ("g", &pencil.phi_q)] {
            npy::write_rows(folder, name, matrix)?;
        }
        let list = |values: Vec<f64>| values.iter().map(|v| format!("{v:e}")).collect::<Vec<_>>().join(", ");
        let text = format!(
            "{{\"unknowns\": {}, \"constraints\": {}, \"count\": {}, \"shifts\": [{}], \"point\": [{}], \"exact\": [{}]}}\n",
            pencil.k.rows(),
            pencil.phi_q.rows(),
            self.count(),
            list(self.shifts()),
            list(self.point().map_or_else(Vec::new, |s| vec![s.re, s.im])),
            list(self.exact())
        );
        fs::write(folder.join("case.json"), text)
    }
}

/// Bounds of stiffness k with m / 2 at both ends, tied to the ground by `ground` k per m; joints and ends by
/// multipliers.
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
