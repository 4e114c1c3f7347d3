//! Modes as polynomials: variables by name, operating points, expansions of the modes asked for.
//!
//! The way from a model file to the series of `mb-parametric`, which `mb parametric` and `mb track` share.

pub mod choice;
pub mod expansion;
pub mod group;
pub mod path;
pub mod place;
pub mod quantity;
pub mod region;
pub mod storage;
pub mod walk;

pub use choice::Wish;
pub use expansion::{Expanded, Expansion, Piece};
pub use group::{ExpandedGroup, GroupValue};
pub use path::Path;
pub use place::{Given, Place};
pub use quantity::Quantity;
pub use region::Region;
