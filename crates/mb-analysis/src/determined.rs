//! Spectra that the first derivatives of the constraints do not determine.
//!
//! At a singular configuration the multipliers are not unique, and the stiffness of the reactions depends on which are taken
//! ([`mb_linear::undetermined`]). The eigenvalues are then those of the smallest multipliers: nothing bounds their error.

use crate::error::AnalysisError;
use crate::spectra::{MOST_ROWS_WITH_SPURIOUS, rank_at};
use mb_eigen::{Finding, Spectrum};
use mb_linear::OperatingPoint;
use mb_model::Model;

/// Smallest pivot of the constraint rows below which a configuration is checked more closely.
const NEARLY_SINGULAR: f64 = 1e-4;

/// Takes the error bounds away and says so where the spectrum of a model, of a size that dense matrices can hold, depends on which
/// multipliers are taken.
///
/// # Errors
/// As [`super::rank`].
pub(crate) fn settle(
    model: &Model,
    at: &OperatingPoint,
    spectrum: &mut Spectrum,
) -> Result<(), AnalysisError> {
    if let Some(finding) = undetermined(model, at)? {
        let motion = spectrum.eigenpairs.iter_mut().filter(|pair| pair.class.is_motion());
        motion.for_each(|pair| pair.error_bound = f64::INFINITY);
        spectrum.findings.push(finding);
    }
    Ok(())
}

/// The finding that the spectrum depends on which multipliers are taken, with the constraint rows that they belong to.
///
/// # Errors
/// As [`super::rank`].
pub fn undetermined(model: &Model, at: &OperatingPoint) -> Result<Option<Finding>, AnalysisError> {
    if model.nc() == 0 || model.nv() + model.nc() > MOST_ROWS_WITH_SPURIOUS {
        return Ok(None);
    }
    let point = at.point();
    let rank = rank_at(model, &point.q, point.t)?;
    let smallest = rank.decision.smallest_kept;
    if rank.rank() == rank.rows && smallest.is_none_or(|x| x > NEARLY_SINGULAR) {
        return Ok(None);
    }
    let found = mb_linear::undetermined(model, point)?;
    Ok(found.map(|found| Finding::UndeterminedByConstraints { rows: found.rows }))
}
