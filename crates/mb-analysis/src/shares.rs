//! Which body moves, deforms and dissipates in the modes of a model, and what mass they carry in which direction.

use super::FormulationSpectrum;
use crate::error::AnalysisError;
use mb_eigen::Class;
use mb_eigen::modal::{
    Direction, EnergyShares, Group, Participation, energy_shares, participation as participation_of,
};
use mb_linear::{OperatingPoint, linearize_sparse};
use mb_model::Model;

/// What was asked for of a spectrum.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    /// Shares of the energy by body.
    pub energy: Option<EnergyShares>,
    /// Participation and effective mass by direction.
    pub participation: Option<Participation>,
}

/// What is said where a share of the strain energy is negative.
pub const NEGATIVE: &str = "negative shares of the strain energy are those of bodies that weights and constraint forces push away from \
                            their places; the shares of a mode add up to 100 %";
/// The least share that is shown as a negative one.
const SHOWN: f64 = -5e-4;

impl Shares {
    /// Whether a share of the strain energy is negative in the digits that are shown.
    pub fn has_negative(&self) -> bool {
        let modes = self.energy.iter().flat_map(|e| &e.modes);
        modes.filter_map(|m| m.strain.as_ref()).flatten().any(|share| *share <= SHOWN)
    }
}

/// Names of the axes.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Energy shares and participation of the modes of `result`, as far as asked for.
///
/// # Errors
/// [`AnalysisError::Eigen`].
pub fn shares(
    model: &Model,
    at: &OperatingPoint,
    result: &FormulationSpectrum,
    energy: bool,
    participation: bool,
) -> Result<Shares, AnalysisError> {
    if !energy && !participation {
        return Ok(Shares::default());
    }
    let pencil = linearize_sparse(model, at).into_pencil().0;
    let failed = |source| AnalysisError::Eigen { formulation: result.name.clone(), source };
    let pairs = &result.spectrum.eigenpairs;
    let coordinates = model.coordinates();
    let mut out = Shares::default();
    if energy {
        let bodies = coordinates.bodies().into_iter();
        let groups: Vec<Group> =
            bodies.map(|body| Group { name: body.name, coordinates: body.velocities }).collect();
        let mut energy = energy_shares(&pencil, pairs, &groups).map_err(failed)?;
        // A free motion stores nothing: what the bodies store cancels, and shares of the rounding that is left say nothing.
        for mode in energy.modes.iter_mut().filter(|mode| pairs[mode.eigenpair].class == Class::Rigid) {
            mode.strain = None;
        }
        out.energy = Some(energy);
    }
    if participation {
        let directions: Vec<Direction> = AXES
            .iter()
            .enumerate()
            .map(|(axis, name)| Direction { name: (*name).to_owned(), vector: coordinates.translation(axis) })
            .filter(|direction| direction.vector.iter().any(|x| *x != 0.0))
            .collect();
        out.participation = Some(participation_of(&pencil, pairs, &directions).map_err(failed)?);
    }
    Ok(out)
}
