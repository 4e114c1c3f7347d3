//! Modes as polynomials about one point, and their values at others.

use super::error::SeriesError;
use super::group::{ExpandedGroup, GroupValue};
use super::region::Region;
use super::storage::Pencil;
use mb_algebra::c64;
use mb_parametric::{EigenpairSeries, MultiIndexSet, ParametricError, PointSeries};

/// An estimated error above this share of the eigenvalue says that the polynomial is of no use.
pub(super) const NO_USE: f64 = 0.1;

/// One mode as polynomials.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// Its number at the point of expansion, as its spectrum is counted.
    pub number: usize,
    /// The polynomials that are kept.
    pub kept: EigenpairSeries,
    /// The same with all terms that were expanded, against which the others are measured.
    pub full: EigenpairSeries,
    /// Estimated convergence distance along each variable, in its unit; NaN when there are too few degrees.
    pub reach: Vec<f64>,
    /// Largest estimated error in the region, rad/s.
    pub region_error: Option<f64>,
}

/// A mode at a point by its polynomials.
#[derive(Clone, Debug)]
pub struct Value {
    /// Eigenvalue, rad/s.
    pub s: c64,
    /// Shape, n components.
    pub vector: Vec<c64>,
    /// Estimated error of s, rad/s; infinite where the terms do not fall off.
    pub error: f64,
    /// False beyond the reach of the polynomial, where the value means nothing.
    pub trusted: bool,
}

/// Polynomials about one point.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Distance of the centre from the point that is asked for.
    pub centre: Vec<f64>,
    /// Values of the variables at the centre.
    pub values: Vec<f64>,
    /// The operating point.
    pub point: PointSeries,
    /// The matrices, to all degrees that were expanded.
    pub pencil: Pencil,
    /// All terms that were expanded.
    pub all: MultiIndexSet,
    /// Highest degree that is kept.
    pub order: usize,
    /// The terms that are kept.
    pub set: MultiIndexSet,
    /// Distances from the point that is asked for at which these are to be used; none without region.
    pub region: Option<Region>,
    /// The modes, one by one.
    pub modes: Vec<Expanded>,
    /// Modes that are expanded together.
    pub groups: Vec<ExpandedGroup>,
}

impl Piece {
    /// What belongs to the terms that are kept, of a list over all that were expanded.
    pub fn kept(&self, list: &[Vec<f64>]) -> Vec<Vec<f64>> {
        self.set.iter().filter_map(|sigma| self.all.number(sigma)).map(|i| list[i].clone()).collect()
    }

    /// Mode `k` at a distance from the point that is asked for.
    ///
    /// # Errors
    /// A distance that is not finite.
    pub fn value(&self, k: usize, d: &[f64]) -> Result<Value, SeriesError> {
        let Expanded { kept, full, .. } = &self.modes[k];
        let off: Vec<f64> = d.iter().zip(&self.centre).map(|(a, b)| a - b).collect();
        let at = kept.evaluate(&off, kept.order())?;
        let best = full.evaluate(&off, full.order())?;
        // What was left out, and what was never there.
        let error = (at.s - best.s).norm() + best.error;
        let trusted = best.trusted && error <= NO_USE * at.s.norm();
        Ok(Value { s: at.s, vector: at.vector, error, trusted })
    }

    /// Group `k` at a distance from the point that is asked for.
    ///
    /// # Errors
    /// A distance that is not finite.
    pub fn group(&self, k: usize, d: &[f64]) -> Result<GroupValue, SeriesError> {
        let off: Vec<f64> = d.iter().zip(&self.centre).map(|(a, b)| a - b).collect();
        Ok(self.groups[k].value(&off)?)
    }
}

impl Expanded {
    pub(super) fn new(
        number: usize,
        kept: EigenpairSeries,
        full: EigenpairSeries,
    ) -> Result<Self, SeriesError> {
        let parameters = full.set().parameters();
        let along = |k: usize| {
            let mut unit = vec![0.0; parameters];
            unit[k] = 1.0;
            Ok(full.radius(&unit)?.eigenvalue.unwrap_or(f64::NAN))
        };
        let reach = (0..parameters).map(along).collect::<Result<Vec<f64>, ParametricError>>()?;
        Ok(Self { number, kept, full, reach, region_error: None })
    }
}
