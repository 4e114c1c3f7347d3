//! Modes of a model as polynomials of its variables, and along paths.
//!
//! ```text
//! names -> variables -> operating point -> M, C, K, Phi_q as polynomials -> eigenpairs as polynomials
//! ```
//!
//! [`Origin`] is the model and the rule its operating points follow; [`Expansion`] has the polynomials of the modes asked for,
//! about one point or as many as an accuracy needs; [`follow`] has the exact modes along a path.

mod error;
pub mod events;
mod expansion;
mod follow;
mod group;
mod group_track;
mod origin;
mod piece;
pub mod region;
mod starts;
mod steady;
mod storage;
pub mod variable;
mod walk;

pub use error::{SeriesError, wrong_parametric};
pub use expansion::{Centre, Expansion, first_order, frequency_and_damping};
pub use follow::{Followed, follow};
pub use group::{ExpandedGroup, GroupValue, close_groups, exact_values};
pub use group_track::{FollowedGroups, TrackedGroup, follow_groups};
pub use origin::{Given, Origin, Setting};
pub use piece::{Expanded, Piece, Value};
pub use region::Region;
pub use starts::{Choice, Wanted};
pub use steady::SteadyCentre;
pub use storage::{Pencil, Solved, is_large};
pub use variable::{Quantity, UnknownVariable};
pub use walk::Walk;
