//! Spectra that the first derivatives of the constraints do not determine.
//!
//! At a singular configuration the multipliers are not unique, and the stiffness of the reactions depends on which are taken
//! ([`mb_linear::undetermined`]). The eigenvalues are then those of the smallest multipliers: nothing bounds their error.
//!
//! Nor does anything bound it where links turn whose elements are linear in the displacements: what centrifugal forces stiffen is
//! of second order in them.

use crate::error::AnalysisError;
use crate::spectra::{MOST_ROWS_WITH_SPURIOUS, rank_at};
use mb_algebra::norms;
use mb_eigen::sparse::SparseFinding;
use mb_eigen::{DenseOptions, Finding, MultiplierRange, Spectrum, dense};
use mb_linear::{Equilibrium, OperatingPoint, Undetermined, linearize};
use mb_model::element::{Element, Erls};
use mb_model::{BlockKind, Member, Model, Point};
use std::f64::consts::TAU;

/// Smallest pivot of the constraint rows below which a configuration is checked more closely.
const NEARLY_SINGULAR: f64 = 1e-4;

/// Takes the error bounds away and says why where the spectrum of a model, of a size that dense matrices can hold, depends on which
/// multipliers are taken, and where elements of a steady motion leave out terms that it needs.
///
/// # Errors
/// As [`super::rank`].
pub(crate) fn settle(
    model: &Model,
    at: &OperatingPoint,
    spectrum: &mut Spectrum,
) -> Result<(), AnalysisError> {
    for finding in undetermined(model, at)?.into_iter().chain(stiffening_left_out(model, at)) {
        let motion = spectrum.eigenpairs.iter_mut().filter(|pair| pair.class.is_motion());
        motion.for_each(|pair| pair.error_bound = f64::INFINITY);
        // What grows with some multipliers need not with others.
        let grows =
            |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::GrowingNotShown { .. } });
        spectrum.findings.retain(|finding| !grows(finding));
        spectrum.findings.push(finding);
    }
    Ok(())
}

/// The finding that links of a steady motion turn whose elements are linear in the displacements.
fn stiffening_left_out(model: &Model, at: &OperatingPoint) -> Option<Finding> {
    let v = &at.steady()?.point().v;
    let speed = |member: &Member| {
        let blocks = member.wires.blocks.iter().map(|id| model.coordinates().block(*id));
        blocks
            .filter(|block| block.kind == BlockKind::Angle)
            .map(|block| v[block.v].abs())
            .fold(0.0, f64::max)
    };
    let elastic = model
        .members()
        .iter()
        .filter(|m| matches!(&m.element, Element::Erls(e) if matches!(**e, Erls::Beam(_))));
    let turning: Vec<(&str, f64)> =
        elastic.map(|m| (m.owner.as_str(), speed(m))).filter(|(_, speed)| *speed > 0.0).collect();
    let fastest = turning.iter().map(|(_, speed)| *speed).reduce(f64::max)?;
    let mut links: Vec<String> = turning.into_iter().map(|(owner, _)| owner.to_owned()).collect();
    links.dedup();
    Some(Finding::StiffeningLeftOut { links, speed: fastest })
}

/// The finding that the spectrum depends on which multipliers are taken, with the constraint rows that they belong to.
///
/// # Errors
/// As [`super::rank`].
pub fn undetermined(model: &Model, at: &OperatingPoint) -> Result<Option<Finding>, AnalysisError> {
    let Some(found) = dependent(model, at)? else { return Ok(None) };
    let range = if at.steady().is_none() { over_sets(model, at.point(), &found) } else { None };
    Ok(Some(Finding::UndeterminedByConstraints { rows: found.rows, range }))
}

/// The same without what the eigenvalues are then.
///
/// # Errors
/// As [`super::rank`].
pub(crate) fn dependent(model: &Model, at: &OperatingPoint) -> Result<Option<Undetermined>, AnalysisError> {
    if model.nc() == 0 || model.nv() + model.nc() > MOST_ROWS_WITH_SPURIOUS {
        return Ok(None);
    }
    let point = at.point();
    let rank = rank_at(model, &point.q, point.t)?;
    let smallest = rank.decision.smallest_kept;
    if rank.rank() == rank.rows && smallest.is_none_or(|x| x > NEARLY_SINGULAR) {
        return Ok(None);
    }
    Ok(mb_linear::undetermined(model, point)?)
}

/// Coordinates and rows up to which eigenvalues are computed for other sets of multipliers, and how many sets of either sign.
const RANGE_UP_TO: usize = 150;
const SETS: i32 = 4;
/// Share of the forces at work that a set may leave: near a singular configuration sets balance themselves to the square root of rounding.
const BALANCED: f64 = 1e-5;

/// What the eigenvalues at rest are with lambda + x mu in place of lambda, for mu that balance themselves and x with which the largest
/// multiplier of both is the same.
fn over_sets(model: &Model, point: &Point, found: &Undetermined) -> Option<MultiplierRange> {
    let change = norms::max_abs_vec(&point.lambda);
    if model.nv() + model.nc() > RANGE_UP_TO || change == 0.0 {
        return None;
    }
    let options = DenseOptions { constraint_rank: found.tolerance, ..DenseOptions::default() };
    let (mut growths, mut frequencies) = (Vec::new(), Vec::new());
    for mu in &found.sets {
        let unit = change / norms::max_abs_vec(mu);
        for step in -SETS..=SETS {
            let x = unit * f64::from(step) / f64::from(SETS);
            let lambda = point.lambda.iter().zip(mu).map(|(l, mu)| l + x * mu).collect();
            let other =
                Equilibrium::with_multipliers(model, Point { lambda, ..point.clone() }, BALANCED).ok()?;
            let pencil = linearize(model, &OperatingPoint::from(&other)).pencil();
            let values = dense::solve(&pencil, &options).ok()?.motion_values();
            growths.push(values.iter().map(|s| s.re).reduce(f64::max)?);
            frequencies.push(values.iter().map(|s| s.norm()).reduce(f64::min)? / TAU);
        }
    }
    let ends = |x: &[f64]| Some([x.iter().copied().reduce(f64::min)?, x.iter().copied().reduce(f64::max)?]);
    Some(MultiplierRange { change, growth: ends(&growths)?, frequency_hz: ends(&frequencies)? })
}
