//! Constraint rows along an orbit: those of each joint stay combinations of its own.
//!
//! ```text
//! Phi_q(t) exp(S t) = C(t) Phi_q(0) for the rows of each joint,   lambda(t) = C(t)^-T lambda(0)
//! ```
//!
//! The same displacements are then admissible all along, seen from the frame, and the reactions are carried along.

use super::generator::Rotation;
use super::tiles::Tiling;
use crate::error::LinearError;
use mb_algebra::{Dense, RankTolerance, Sparse, Svd, dense, norms};
use mb_model::Model;

/// The rows of one joint at the first point.
#[derive(Debug)]
pub(super) struct Group {
    first: usize,
    count: usize,
    /// Columns of nonzeros, ascending.
    columns: Vec<usize>,
    /// Of the transposed rows.
    svd: Svd,
    /// An orthonormal basis of the rows, as columns.
    span: Dense,
    /// Length of each row.
    sizes: Vec<f64>,
}

/// A row that is no combination of those of its joint at the first point, and by what share of itself.
pub(super) type Left = (usize, f64);

pub(super) fn groups(model: &Model, phi_q: &Sparse) -> Result<Vec<Group>, LinearError> {
    let mut out: Vec<Group> = Vec::new();
    for m in model.members().iter().filter(|m| m.rows > 0) {
        // Terms of one sum share their rows.
        if out.last().is_some_and(|g| g.first == m.row) {
            continue;
        }
        let rows: Vec<Vec<(usize, f64)>> = (m.row..m.row + m.rows).map(|i| row(phi_q, i)).collect();
        let mut columns: Vec<usize> = rows.iter().flatten().map(|(j, _)| *j).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut transposed = Dense::zeros(columns.len().max(m.rows), m.rows);
        for (i, row) in rows.iter().enumerate() {
            for (j, x) in row {
                transposed[(columns.partition_point(|c| c < j), i)] = *x;
            }
        }
        let sizes = (0..m.rows).map(|i| norms::two(&dense::column(&transposed, i))).collect();
        let svd = Svd::new(&transposed)?;
        let span = svd.range(RankTolerance::default());
        out.push(Group { first: m.row, count: m.rows, columns, svd, span, sizes });
    }
    Ok(out)
}

fn row(phi_q: &Sparse, i: usize) -> Vec<(usize, f64)> {
    phi_q.outer_view(i).map_or_else(Vec::new, |r| r.iter().map(|(j, x)| (j, *x)).collect())
}

/// The multipliers along the orbit: those of the first point carried along with the rows. `phi_q` by rows, at the later point.
pub(super) fn carried(
    groups: &[Group],
    tiling: &Tiling,
    phi_q: &Sparse,
    rotations: &[Option<Rotation>],
    lambda: &[f64],
    allowed: f64,
) -> Result<Result<Vec<f64>, Left>, LinearError> {
    let mut out = vec![0.0; lambda.len()];
    for g in groups {
        let mut c = Dense::zeros(g.count, g.count);
        for i in 0..g.count {
            let turned = tiling.row_turned(&row(phi_q, g.first + i), rotations);
            let mut own = vec![0.0; g.columns.len().max(g.count)];
            let (mut outside, mut size) = (0.0_f64, 0.0_f64);
            for (j, x) in turned {
                size = size.hypot(x);
                match g.columns.binary_search(&j) {
                    Ok(k) => own[k] = x,
                    Err(_) => outside = outside.hypot(x),
                }
            }
            let inside = dense::matvec(&g.span, &dense::matvec_transpose(&g.span, &own));
            let off: Vec<f64> = own.iter().zip(inside).map(|(b, p)| b - p).collect();
            let rest = outside.hypot(norms::two(&off));
            let combination = g.svd.min_norm_solve(&own, RankTolerance::default());
            let size = size.max(g.sizes[i]);
            if size > 0.0 && (rest > allowed * size || rest.is_nan()) {
                return Ok(Err((g.first + i, rest / size)));
            }
            for (j, x) in combination.into_iter().enumerate() {
                c[(i, j)] = x;
            }
        }
        // Of rows that depend on each other the shortest multipliers.
        let solved = Svd::new(&dense::transpose(&c))?;
        let own = solved.min_norm_solve(&lambda[g.first..g.first + g.count], RankTolerance::default());
        out[g.first..g.first + g.count].copy_from_slice(&own);
    }
    Ok(Ok(out))
}
