//! Speeds and accelerations under constraints: which ones follow from the others.
//!
//! ```text
//! Phi' = Phi_q v + Phi_t = 0,   Phi'' = Phi_q a + (terms in v) = 0
//! ```
//!
//! As many speeds as there are constraint rows follow from the others, and the accelerations of
//! the same coordinates. The others are given: they keep their values while the variables move,
//! but for those that are variables themselves. Which ones are given decides what "the same
//! motion" means at another configuration, hence a fixed preference: translations follow first,
//! then rotations, then elastic coordinates (whose speeds stay zero), and last what the caller
//! wants to keep. Within a kind the column of Phi_q that is furthest from those taken before
//! comes next (Gram-Schmidt with exchanges), so that the square block is well conditioned.
//!
//! Sizes: Phi_q m x n, m coordinates that follow. Fails where the rows of Phi_q depend on each
//! other.

use crate::ParametricError;
use mb_algebra::{Dense, RankQr, RankTolerance, norms};
use mb_model::{BlockKind, Model, Point};

/// Largest m n for which followers are chosen.
const LIMIT: usize = 4_000_000;
/// What must be left of a column next to those taken, relative to its length: first with room to
/// spare, then at all.
const LEFT: [f64; 2] = [0.05, 1e-9];

/// The coordinates whose speeds and accelerations follow from the constraints at `at`, ascending,
/// nc numbers; those of `kept` only where nothing else can follow.
///
/// Errors: [`ParametricError::RedundantConstraints`]; [`ParametricError::MovingConstraints`] for
/// models too large to choose in.
pub fn following_speeds(model: &Model, at: &Point, kept: &[usize]) -> Result<Vec<usize>, ParametricError> {
    let (n, nc) = (model.nv(), model.nc());
    if nc == 0 {
        return Ok(Vec::new());
    }
    if n * nc > LIMIT {
        return Err(ParametricError::MovingConstraints { constraints: nc, coordinates: n });
    }
    let mut columns = model.phi_q(&at.q, at.t).to_dense();
    for i in 0..nc {
        let size = norms::two(&mb_algebra::dense::row(&columns, i));
        if size > 0.0 {
            (0..n).for_each(|j| columns[(i, j)] /= size);
        }
    }
    full_rank(&columns)?;
    let kinds = kinds(model, kept);
    let sizes: Vec<f64> = (0..n).map(|j| norms::two(columns.col_as_slice(j))).collect();
    let mut taken: Vec<usize> = Vec::with_capacity(nc);
    for least in LEFT {
        for kind in 0..=KEPT {
            while taken.len() < nc {
                let left = |j: usize| norms::two(columns.col_as_slice(j));
                let best = (0..n)
                    .filter(|j| kinds[*j] == kind && !taken.contains(j))
                    .map(|j| (j, left(j)))
                    .filter(|(j, size)| *size > least * sizes[*j])
                    .max_by(|a, b| a.1.total_cmp(&b.1));
                let Some((j, size)) = best else { break };
                taken.push(j);
                project(&mut columns, j, size);
            }
        }
    }
    if taken.len() < nc {
        let redundant = (taken.len()..nc).collect();
        return Err(ParametricError::RedundantConstraints { rank: taken.len(), constraints: nc, redundant });
    }
    taken.sort_unstable();
    Ok(taken)
}

/// Rank of what the caller wants to keep.
const KEPT: u8 = 3;

/// How readily each coordinate follows, 0 first.
fn kinds(model: &Model, kept: &[usize]) -> Vec<u8> {
    let mut out = Vec::with_capacity(model.nv());
    for block in model.coordinates().blocks() {
        for i in 0..block.kind.nv() {
            out.push(match block.kind {
                BlockKind::PlanarPoint | BlockKind::SpatialPoint => 0,
                BlockKind::PlanarPose => u8::from(i == 2),
                BlockKind::Pose => u8::from(i >= 3),
                BlockKind::Angle => 1,
                BlockKind::ElasticNode | BlockKind::Displacement | BlockKind::Vector(_) => 2,
            });
        }
    }
    for &i in kept {
        out[i] = KEPT;
    }
    out
}

/// Takes the direction of column `j`, of length `size`, out of all columns.
fn project(columns: &mut Dense, j: usize, size: f64) {
    let unit: Vec<f64> = columns.col_as_slice(j).iter().map(|x| x / size).collect();
    for k in 0..columns.ncols() {
        let column = columns.col_as_slice_mut(k);
        let part: f64 = column.iter().zip(&unit).map(|(x, u)| x * u).sum();
        column.iter_mut().zip(&unit).for_each(|(x, u)| *x -= part * u);
    }
}

/// Refuses rows that depend on each other.
pub(super) fn full_rank(phi_q: &Dense) -> Result<(), ParametricError> {
    let qr = RankQr::new(phi_q, RankTolerance::default())?;
    if qr.rank() == phi_q.nrows() {
        return Ok(());
    }
    let (rank, constraints, redundant) = (qr.rank(), phi_q.nrows(), qr.redundant_rows());
    Err(ParametricError::RedundantConstraints { rank, constraints, redundant })
}
