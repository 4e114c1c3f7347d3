//! The spectrum of a linearized model by each of the three families, from linearization to classed eigenvalues.

use mb_constraints::NullSpaceMethod;
use mb_eigen::descriptor::{self, DescriptorStructure, Transferred};
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_eigen::{DenseOptions, Spectrum};
use mb_linear::formulation::minimal::{MinimalSystem, minimal};
use mb_linear::formulation::unconstrained::{Penalty, PenaltyPoint, UnconstrainedSystem, unconstrained};
use mb_linear::{OperatingPoint, linearize};
use mb_model::Model;

use super::super::results::{Eigenvalue, Measured};

/// An error in its own words.
pub(crate) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// MCS on a basis found by the method.
pub(super) fn mcs(model: &Model, at: &OperatingPoint, method: &NullSpaceMethod) -> Measured<Spectrum> {
    of_minimal(&minimal(model, &linearize(model, at), method).map_err(words)?)
}

/// The spectrum of a reduced system.
pub(super) fn of_minimal(system: &MinimalSystem) -> Measured<Spectrum> {
    mb_eigen::dense::solve(&system.pencil(), &DenseOptions::default()).map_err(words)
}

/// RCS, with none, one or both of the Jacobians moved to E; constraints are eliminated by structure.
pub(crate) fn rcs(model: &Model, at: &OperatingPoint, transferred: Transferred) -> Measured<Spectrum> {
    let structure = DescriptorStructure { pencil: linearize(model, at).pencil(), transferred };
    descriptor::solve(&structure, &DenseOptions::default()).map_err(words)
}

/// UCS at the penalty system's own equilibrium.
pub(super) fn ucs(model: &Model, at: &PenaltyPoint, factors: &Penalty) -> Measured<Spectrum> {
    let UnconstrainedSystem { m, c, k, phi_q, xi, .. } = unconstrained(model, at, factors).map_err(words)?;
    penalty::solve(&PenaltyPencil { m, c, k, phi_q, xi }, &DenseOptions::default()).map_err(words)
}

/// The oscillating pairs among the motions, by their member with positive imaginary part, in ascending |s|.
pub(crate) fn pairs(spectrum: &Spectrum) -> Vec<Eigenvalue> {
    let upper = spectrum.motion_values().into_iter().filter(|s| s.im > 0.0);
    upper.map(|s| Eigenvalue { re: s.re, im: s.im }).collect()
}
