//! Where expansions start: which modes are wanted, and their eigenpairs at the point of expansion.

use super::error::SeriesError;
use super::storage::Solved;
use crate::{AnalysisError, part};
use mb_algebra::{QuadraticPencil, c64};
use mb_eigen::{Class, EigenError, Spectrum};
use mb_parametric::{ParametricError, StartingEigenpair};

/// Modes to expand: the number that each is called by, and its index among the eigenpairs of the spectrum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// One by one.
    pub single: Vec<(usize, usize)>,
    /// Together.
    pub groups: Vec<Vec<(usize, usize)>>,
}

/// Which modes are wanted.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Modes that have to be found of a large model, the lowest ones.
    pub lowest: usize,
    /// All modes are wanted, or any of them may be.
    pub all: bool,
    /// Picks them from the spectrum at the centre.
    pub choose: &'a dyn Fn(&Spectrum) -> Result<Choice, SeriesError>,
}

/// Where expansions start: modes by number, and groups by their numbers and eigenvalues.
pub(super) struct Starts {
    pub(super) single: Vec<(usize, StartingEigenpair)>,
    pub(super) groups: Vec<(Vec<usize>, Vec<c64>)>,
}

/// The modes asked for.
pub(super) fn starts<A: Solved>(
    matrices: &QuadraticPencil<A>,
    wanted: &Wanted<'_>,
) -> Result<Starts, SeriesError> {
    let named = |source: EigenError| AnalysisError::Eigen { formulation: "minimal".to_owned(), source };
    let dof = matrices.m.size().0.saturating_sub(matrices.phi_q.size().0);
    let count = wanted.lowest.max(part::LOWEST).min(dof.max(1));
    let spectrum = A::spectrum(matrices, count).map_err(named)?;
    let chosen = (wanted.choose)(&spectrum)?;
    let mut single = Vec::new();
    for (number, index) in chosen.single {
        let pair = &spectrum.eigenpairs[index];
        let Some(s) = pair.value() else { continue };
        if pair.class == Class::Rigid {
            let source = ParametricError::NotSimple { s, gap: 0.0, condition: f64::INFINITY };
            return Err(SeriesError::Parametric { mode: Some(number), source });
        }
        single.push((number, StartingEigenpair { s, vector: pair.right.to_vec() }));
    }
    let group = |lines: Vec<(usize, usize)>| {
        let values = lines.iter().filter_map(|(_, index)| spectrum.eigenpairs[*index].value()).collect();
        (lines.into_iter().map(|(number, _)| number).collect(), values)
    };
    Ok(Starts { single, groups: chosen.groups.into_iter().map(group).collect() })
}
