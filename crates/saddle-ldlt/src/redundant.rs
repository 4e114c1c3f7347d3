//! Rows of G that depend on others.
//!
//! The factorization with the identity for A does not depend on stiffness or shift, and is well conditioned but
//! for G itself: with (I + G^T G) the pivot of a row, relative to the numbers it is the difference of, is the
//! squared sine of its angle to the rows before it. A row found dependent is confirmed by its combination: with
//! the row r left out, [I, G^T; G, 0] [x; c] = [G_r^T; 0] gives x = 0 and G_r = c^T G, so y = e_r - c has
//! G^T y = 0. The y span the null space of G^T; multipliers of minimum norm are orthogonal to it.

use std::sync::Arc;

use super::ldl::AugmentedLdl;
use super::number::Number;
use super::refined_solve::{ScaledSolve, System};
use super::scaling::Scaling;
use super::symmetric_storage::{Half, Stored};
use super::tuning;
use super::{RedundantRow, SaddleAnalysis, SaddleError};
use mb_algebra::{AlgebraError, Sparse};

/// Largest |G^T y| of a combination taken for zero, with rows and y scaled to one.
const CONFIRMED: f64 = 1e-11;

/// Dependent rows of G.
#[derive(Clone, Debug, Default)]
pub(super) struct Dependent {
    /// Whether each row is left out.
    pub(super) dropped: Vec<bool>,
    pub(super) rows: Vec<RedundantRow>,
    /// Orthonormal basis of the null space of G^T, column by column; empty when it was not formed.
    basis: Vec<Vec<f64>>,
}

impl Dependent {
    pub(super) fn none(constraints: usize) -> Self {
        Self { dropped: vec![false; constraints], ..Self::default() }
    }

    /// Whether multipliers can be given minimum norm.
    pub(super) fn minimum_norm(&self) -> bool {
        self.basis.len() == self.rows.len()
    }

    /// Finds the dependent rows of G, with the scaling of a factorization.
    pub(super) fn find(
        analysis: &Arc<SaddleAnalysis>,
        g: &Sparse,
        scaling: &Scaling,
    ) -> Result<Self, AlgebraError> {
        let unit: Vec<f64> = scaling.unknowns.iter().map(|s| (s * s).recip()).collect();
        let unit = Half::diagonal(unit);
        let system = &System::with_scaling(Stored::Half(unit.clone()), g.clone(), scaling.clone());
        let (n, m) = (system.unknowns(), system.constraints());
        let mut dropped = vec![false; m];
        let first = factor(analysis, system, &unit, &dropped)?;
        let row = |u: u32| u as usize - n;
        for &u in &first.numeric.pivots.summary.null {
            dropped[row(u)] = true;
        }
        let doubtful = first.numeric.pivots.summary.doubtful.iter();
        let candidates: Vec<usize> = doubtful
            // Pivots below this are candidates: the sine of the angle is below 1e-5.
            .filter(|(u, ratio)| *u as usize >= n && *ratio <= tuning::DEPENDENT)
            .map(|&(u, _)| row(u))
            // Most combinations found; beyond, rows that are beyond doubt are left out without them.
            .take(tuning::CACHED)
            .collect();
        for &r in &candidates {
            dropped[r] = true;
        }
        let factor = if candidates.is_empty() { first } else { factor(analysis, system, &unit, &dropped)? };
        let all: Vec<usize> = (0..m).filter(|&r| dropped[r]).collect();
        let formed = all.len() <= tuning::CACHED;
        let mut found = Self { dropped, ..Self::default() };
        for r in all {
            let candidate = candidates.contains(&r);
            if !formed && !candidate {
                found.rows.push(RedundantRow { row: r, combination: Vec::new() });
                continue;
            }
            let y = combination(analysis, system, &factor, r);
            if candidate && defect(analysis, system, &y) > CONFIRMED {
                found.dropped[r] = false;
                continue;
            }
            // From the scaled rows to the given ones.
            let y: Vec<f64> = y.iter().zip(&system.scaling.rows).map(|(y, s)| y * s).collect();
            let own = y[r];
            let largest = y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
            // Coefficients below this are left out of a report.
            let listed = y.iter().enumerate().filter(|(_, y)| y.abs() > tuning::DOUBTFUL * largest);
            found
                .rows
                .push(RedundantRow { row: r, combination: listed.map(|(k, y)| (k, y / own)).collect() });
            if formed {
                found.basis.push(y);
            }
        }
        orthonormalize(&mut found.basis);
        Ok(found)
    }

    /// The dependent row that one right-hand side g of the constraints contradicts most, with
    /// |sum_k y_k g_k| / sum_k |y_k g_k| of its combination, if above `tolerance`.
    pub(super) fn contradiction<T: Number>(&self, g: &[T], tolerance: f64) -> Option<(usize, f64)> {
        let part = |row: &RedundantRow| {
            let (mut sum, mut size) = (T::default(), 0.0);
            for &(k, y) in &row.combination {
                let term = g.get(k).map_or(T::default(), |g| g.scaled(y));
                sum += term;
                size += term.size();
            }
            (row.row, if size > 0.0 { sum.size() / size } else { 0.0 })
        };
        self.rows.iter().map(part).filter(|(_, r)| *r > tolerance).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Gives the multipliers (`width` columns, row by row) minimum norm.
    pub(super) fn minimize<T: Number>(&self, l: &mut [T], width: usize) {
        for basis in &self.basis {
            for k in 0..width {
                let mut part = T::default();
                for (l, &q) in l[k..].iter().step_by(width).zip(basis) {
                    part += l.scaled(q);
                }
                for (l, &q) in l[k..].iter_mut().step_by(width).zip(basis) {
                    *l -= part.scaled(q);
                }
            }
        }
    }
}

/// Factors of [`unit`, G^T; G, 0], with delayed pivots where it takes them.
fn factor(
    analysis: &Arc<SaddleAnalysis>,
    system: &System<f64>,
    unit: &Half<f64>,
    dropped: &[bool],
) -> Result<AugmentedLdl<f64>, AlgebraError> {
    match AugmentedLdl::new(analysis, system, unit, dropped) {
        Err(AlgebraError::Saddle(SaddleError::LostPivot { .. })) => {
            AugmentedLdl::delayed(analysis, system, unit, dropped)
        }
        made => made,
    }
}

/// y = e_r - c with G^T y = 0, of scaled rows.
fn combination(
    analysis: &SaddleAnalysis,
    system: &System<f64>,
    factor: &AugmentedLdl<f64>,
    r: usize,
) -> Vec<f64> {
    let n = system.unknowns();
    let mut y = vec![0.0; system.constraints()];
    y[r] = 1.0;
    // The second pass is a step of refinement.
    for _ in 0..2 {
        let mut b = times_transpose(analysis, system, &y);
        b.resize(n + y.len(), 0.0);
        factor.solve(system, &mut b, 1, false);
        y.iter_mut().zip(&b[n..]).for_each(|(y, c)| *y -= c);
    }
    y
}

/// G^T y of scaled rows.
fn times_transpose(analysis: &SaddleAnalysis, system: &System<f64>, y: &[f64]) -> Vec<f64> {
    let mut at = 0;
    let column = |j: usize| {
        let rows = analysis.g_cols.row(j);
        let values = &system.scaling.by_col[at..at + rows.len()];
        at += rows.len();
        rows.iter().zip(values).map(|(&r, v)| v * y[r as usize]).sum()
    };
    (0..system.unknowns()).map(column).collect()
}

fn defect(analysis: &SaddleAnalysis, system: &System<f64>, y: &[f64]) -> f64 {
    let largest = y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
    times_transpose(analysis, system, y).iter().fold(0.0_f64, |m, x| m.max(x.abs())) / largest
}

/// Gram-Schmidt, twice.
fn orthonormalize(basis: &mut [Vec<f64>]) {
    for k in 0..basis.len() {
        let (done, rest) = basis.split_at_mut(k);
        let own = &mut rest[0];
        for _ in 0..2 {
            for q in done.iter() {
                let part: f64 = q.iter().zip(&*own).map(|(q, y)| q * y).sum();
                own.iter_mut().zip(q).for_each(|(y, q)| *y -= part * q);
            }
            let norm = mb_algebra::norms::two(own);
            for y in own.iter_mut() {
                *y /= norm;
            }
        }
    }
}
