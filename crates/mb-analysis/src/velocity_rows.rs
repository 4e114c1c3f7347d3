//! What a model with velocity rows knows of its infinite eigenvalues.
//!
//! Each independent velocity row takes away one finite eigenvalue of the system on the admissible velocities: the mass matrix is
//! singular along the direction that the row takes, and what is left of the damping there is rounding. Eigenvalues of these
//! directions are infinite whatever the last digits are; only others can be left open.

use crate::error::AnalysisError;
use mb_algebra::{Dense, RankQr, RankTolerance, Sparse, dense, to_dense};
use mb_constraints::normalized_rows;
use mb_eigen::{Finding, Spectrum};
use mb_linear::OperatingPoint;
use mb_model::{Model, Point};

/// Directions without stiffness that velocity rows make at rest: K acts on virtual displacements alone, of which there are fewer than of
/// admissible ones by the rank of these rows. `phi_q` has the position rows.
///
/// # Errors
/// As [`super::rank`].
pub(crate) fn zeros_at_rest(
    model: &Model,
    at: &OperatingPoint,
    phi_q: &Sparse,
) -> Result<usize, AnalysisError> {
    let point = at.point();
    let rates = || model.phi_dot_q(&point.q, &point.v, point.t);
    // Rows A v + b = 0 with a b that changes with the configuration hold it.
    if at.steady().is_some() || !model.has_velocity_rows() || rates().iter().any(|(_, _, x)| *x != 0.0) {
        return Ok(0);
    }
    beyond(model, point, &to_dense(phi_q))
}

/// How many of the velocity rows of a model are independent of the position rows and of each other.
///
/// # Errors
/// As [`super::rank`].
pub fn independent_velocity_rows(model: &Model, point: &Point) -> Result<usize, AnalysisError> {
    let velocity = model.velocity_rows();
    let position: Vec<usize> = (0..velocity.len()).filter(|i| !velocity[*i]).collect();
    beyond(model, point, &dense::select_rows(&model.phi_q(&point.q, point.t).to_dense(), &position))
}

/// The rank of all rows beyond that of `rows`.
fn beyond(model: &Model, point: &Point, rows: &Dense) -> Result<usize, AnalysisError> {
    let own = RankQr::new(&normalized_rows(rows), RankTolerance::default());
    let own = own.map_err(|e| AnalysisError::Linear(e.into()))?.rank();
    Ok(super::rank(model, point)?.rank().saturating_sub(own))
}

/// Takes the eigenvalues of velocity rows out of what the digits leave open.
pub(crate) fn settle(model: &Model, at: &OperatingPoint, spectrum: &mut Spectrum) {
    if !model.has_velocity_rows() {
        return;
    }
    // All rows with the velocity rows, less the position rows, which alone are in the matrices.
    if let Ok(all) = super::rank(model, at.point()) {
        let rows = all.rank().saturating_sub(spectrum.counts.rank);
        narrow(&mut spectrum.findings, rows);
    }
}

/// Of the eigenvalues left open at most those are so whose direction is none of the `known` ones.
fn narrow(findings: &mut Vec<Finding>, known: usize) {
    let infinite: usize = findings
        .iter()
        .map(|finding| if let Finding::SingularMass { infinite, .. } = finding { *infinite } else { 0 })
        .sum();
    let others = infinite.saturating_sub(known);
    findings.retain_mut(|finding| {
        let Finding::InfiniteByRounding { eigenvalues, .. } = finding else { return true };
        *eigenvalues = others.min(*eigenvalues);
        *eigenvalues > 0
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(eigenvalues: usize) -> Finding {
        Finding::InfiniteByRounding { eigenvalues, dropped: None, kept: None, beyond: None }
    }

    #[test]
    fn only_directions_of_no_velocity_row_stay_open() {
        for (infinite, known, before, after) in
            [(4, 4, 4, None), (1, 2, 1, None), (6, 4, 6, Some(2)), (6, 4, 1, Some(1)), (3, 0, 2, Some(2))]
        {
            let singular = Finding::SingularMass { directions: infinite, infinite };
            let mut findings = vec![singular.clone(), open(before)];
            narrow(&mut findings, known);
            let mut expected = vec![singular];
            expected.extend(after.map(open));
            assert_eq!(findings, expected, "{infinite} {known} {before}");
        }
    }
}
