//! Eigenpairs as polynomials of configuration and parameters.
//!
#![doc = include_str!("../README.md")]
//!
//! A mode of a machine is found once, at one position and one set of parameters; its frequency,
//! damping and shape nearby are then polynomials, and cost a few dozen multiplications instead
//! of a new eigenproblem.
//!
//! - [`MultiIndexSet`] says which monomials are kept; [`MatrixSeries`] holds matrices over it,
//!   dense or sparse, for instance from the jets of a model's residual.
//! - [`PencilSeries`] is `(s^2 M(x) + s C(x) + K(x)) phi + Phi_q(x)^T l = 0, Phi_q(x) phi = 0`, with
//!   matrices that need not be symmetric; [`PencilSeries::descriptor`] is `E y' = A y`.
//! - [`expand`] turns a simple eigenpair into an [`EigenpairSeries`], which estimates its own
//!   error; [`polish`] improves an eigenpair to rounding and decides whether it is simple.
//! - [`expand_to_accuracy`] chooses the order, the degrees of the single parameters and, where one is
//!   not enough, several centres, so that eigenvalues keep an accuracy over a [`Region`].
//! - [`expand_group`] expands close, repeated or defective eigenvalues together,
//!   [`expand_groups_to_accuracy`] to an accuracy.
//! - [`EigenpairSeries::check`] and [`EigenpairSeries::evaluate_corrected`] measure the error of a value and improve it with
//!   the exact matrices at its point; [`EigenpairSeries::radius`] and [`EigenpairSeries::meeting`] give how far
//!   the series reaches; [`EigenpairSeries::tolerance_spreads`] what uncertain parameters do.
//! - [`track()`] follows modes along a path and reports where they cross and veer; with a [`Journal`] it goes on where an earlier
//!   run was ended.
//! - [`model_series()`] gives that pencil for a whole model, in any mix of named parameters, coordinates,
//!   speeds and inputs, with the operating point kept in equilibrium or frozen.
//!
//! Source: Palomba and Vidoni, Applied Sciences 9 (2019) 5156, called `palomba2019` here.

mod bordered;
pub mod eigenpair_series;
mod error;
pub mod group;
pub mod journal;
mod matrix_series;
pub mod model_series;
mod multi_index;
mod pencil_series;
pub mod plan;
mod polish;
mod rank;
mod source;
pub mod steady;
mod storage;
pub mod track;
mod vectors;

pub use eigenpair_series::{
    Corrected, EigenpairSeries, ErrorBasis, Evaluation, ExceptionalPoint, ExpandOptions, Gauge, Radius,
    ResidualEstimate, ToleranceSpread, ToleranceSpreads, eigenvalues_at, expand, expand_all,
};
pub use error::ParametricError;
pub use group::{GroupEvaluation, GroupSeries, expand_group, group_values};
pub use journal::{Journal, NoJournal};
pub use matrix_series::MatrixSeries;
pub use model_series::{
    ModelSeries, PointRule, PointSeries, Variable, balanced_point, following_speeds, model_series,
    sparse_model_series,
};
pub use multi_index::{DegreeLimit, MultiIndexSet};
pub use pencil_series::{Completeness, PencilSeries};
pub use plan::{
    AccuracyOptions, Expansion, Piece, Region, expand_groups_kept, expand_groups_to_accuracy,
    expand_to_accuracy,
};
pub use polish::{CheckedPencil, PolishOptions, RefinedEigenpair, StartingEigenpair, polish};
pub use rank::{RankChange, rank_change, rank_change_within};
pub use source::{MovingModel, SeriesSource};
pub use steady::{SpeedOf, SteadyPart, SteadyRule};
pub use storage::Storage;
pub use track::{Encounter, EncounterKind, Track, TrackOptions, track, track_both_ways, track_kept};
