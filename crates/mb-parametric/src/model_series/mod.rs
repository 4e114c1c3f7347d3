//! The matrices of a model as polynomials of its parameters and of its operating point.
//!
//! The model is built and evaluated in jets ([`mb_scalar::jet::DynJet`]), so that M, C, K and
//! Phi_q come out as exact Taylor coefficients in any mix of [`Variable`]s: named parameters,
//! coordinates and speeds of the operating point, inputs.
//!
//! The operating point is expanded with them. When a robot's arm turns, its deflections turn
//! with it; freezing them (as palomba2019 does, Sec. 4) leaves an error that no order removes.
//! With [`PointRule::Balanced`] the coordinates that are not held, the multipliers and the
//! inputs that hold the point follow from
//!
//! ```text
//! r(q, v, a, lambda, u; x) = 0,   Phi(q; x) = 0,   Phi' = 0,   Phi'' = 0
//! ```
//!
//! order by order: a Newton step with the matrix of the centre, factored once, adds exactly one
//! degree. v and a keep their values but for the speeds that are variables: elastic deflections
//! are quasi-static. Under constraints, in motion, as many speeds and accelerations as there are
//! constraint rows follow from the others ([`following_speeds`]); the pencil is then the one of
//! the redundant coordinates at that instant, with Phi_q x = 0. Bodies in space that turn bring
//! the terms of their axes into C and K.
//!
//! With [`PointRule::Steady`] the point stays on a steady motion: v and a = S v follow from the configuration and from speeds
//! that may depend on variables (steady.rs), and the matrices are those of the frame that moves along,
//!
//! ```text
//! M y'' + (C + 2 M S) y' + (K + C S + M S^2) y + Phi_q^T l = 0,   Phi_q y = 0
//! ```
//!
//! whose eigenvalues are the exponents of the motion. That the motion is steady in this frame is for the caller to show.

mod balance;
mod capacity;
mod following;
mod jacobian;
mod moved;
mod point;
mod source;
mod steady;
mod turning;

pub use balance::balanced_point;
pub use capacity::Request;
pub(crate) use capacity::chosen_following;
pub(crate) use capacity::expand;
pub use following::following_speeds;
pub(crate) use moved::{matrices_of, moved, point_at};
pub use point::PointSeries;
pub use source::Variable;

use crate::multi_index::check_memory;
use crate::steady::SteadyRule;
use crate::{MultiIndexSet, ParametricError, PencilSeries, Storage};
use mb_algebra::{Dense, Sparse};
use mb_model::{AnySource, ModelSource, Point};
use std::collections::BTreeMap;

/// What the operating point does while the variables move.
#[derive(Clone, Debug, PartialEq)]
pub enum PointRule {
    /// It stays in (dynamic) equilibrium. Every coordinate that is a variable is held by one of
    /// the inputs numbered here, whose values follow too; all other coordinates and the
    /// multipliers are free. Default, without inputs.
    Balanced {
        /// Numbers of the inputs that hold the coordinates, as many as there are of these.
        holding: Vec<usize>,
    },
    /// As `Balanced`, with coordinates that keep their values although they are no variables: inputs hold these as well,
    /// one for each coordinate that is held.
    Held {
        /// Numbers of the coordinates that keep their values; those that are variables need not stand here.
        coordinates: Vec<usize>,
        /// Numbers of the inputs that hold them and the coordinates that are variables.
        holding: Vec<usize>,
    },
    /// It stays on a steady motion whose velocities follow from the configuration and from speeds; coordinates and multipliers
    /// are free, and the matrices are those of the frame that moves along.
    Steady(Box<SteadyRule>),
    /// Nothing moves but the variables themselves, as palomba2019 reads literally. The matrices
    /// then belong to a point that is no motion of the model.
    Frozen,
}

impl PointRule {
    /// Coordinates that keep their values, and the inputs that hold; none where nothing follows.
    pub(crate) fn holds(&self) -> Option<(&[usize], &[usize])> {
        match self {
            Self::Balanced { holding } => Some((&[], holding)),
            Self::Held { coordinates, holding } => Some((coordinates, holding)),
            Self::Steady(_) => Some((&[], &[])),
            Self::Frozen => None,
        }
    }

    /// How velocities follow in steady motion.
    pub(crate) fn steady(&self) -> Option<&SteadyRule> {
        if let Self::Steady(rule) = self { Some(rule) } else { None }
    }
}

impl Default for PointRule {
    fn default() -> Self {
        Self::Balanced { holding: Vec::new() }
    }
}

/// The series of a model: its matrices and the point they belong to.
#[derive(Clone, Debug)]
pub struct ModelSeries<A: Storage = Dense> {
    /// M, C, K and Phi_q, truncated to the set.
    pub pencil: PencilSeries<A>,
    /// The operating point.
    pub point: PointSeries,
    /// The variables in the order of the set's parameters.
    pub variables: Vec<Variable>,
    /// Largest residual of the equations of motion at the centre relative to the forces at work:
    /// rounding where the point was balanced; where it was frozen and this is not small, the
    /// matrices belong to no motion of the model.
    pub imbalance: f64,
}

/// Expands a model about `centre` in `variables`, over `set`.
///
/// With [`PointRule::Balanced`] the centre is first improved to equilibrium with the held
/// coordinates fixed. Distances are measured from the values the variables have at the centre,
/// in the variables' own units.
///
/// Errors: the model's own; [`ParametricError::UnknownVariable`] and
/// [`ParametricError::IdleVariable`] by name; [`ParametricError::CapacityExceeded`] above 495
/// terms; [`ParametricError::HoldingInputs`], [`ParametricError::SpeedFollows`] and
/// [`ParametricError::NotBalanced`] where the point cannot follow.
pub fn model_series(
    source: &(impl ModelSource + Sync),
    centre: &Point,
    variables: &[Variable],
    set: &MultiIndexSet,
    rule: &PointRule,
) -> Result<ModelSeries, ParametricError> {
    checked_series(source, &Request { centre, variables, set, rule, following: None })
}

/// The series in either storage.
pub(crate) fn checked_series<A: Storage>(
    source: &dyn AnySource,
    request: &Request<'_>,
) -> Result<ModelSeries<A>, ParametricError> {
    let Request { centre, variables, set, .. } = *request;
    source::check(source, &source.model_f64(&BTreeMap::new())?, centre, variables, set)?;
    if A::DENSE {
        let n = centre.v.len();
        let bytes = 8.0 * (3 * n * n + n * centre.lambda.len()) as f64 * set.len() as f64;
        check_memory("the dense matrices", set.len(), n, bytes)?;
    }
    A::model_series(source, request)
}

/// As [`model_series`] with sparse matrices, for large models.
///
/// Errors: as [`model_series`].
pub fn sparse_model_series(
    source: &(impl ModelSource + Sync),
    centre: &Point,
    variables: &[Variable],
    set: &MultiIndexSet,
    rule: &PointRule,
) -> Result<ModelSeries<Sparse>, ParametricError> {
    checked_series(source, &Request { centre, variables, set, rule, following: None })
}
