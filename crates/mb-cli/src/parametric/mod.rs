//! Modes as polynomials: variables by name, operating points, expansions of the modes asked for.
//!
//! From the command line to the series of [`mb_analysis::parametric`], which `mb parametric` and `mb track` share.

pub mod choice;
pub mod expansion;
pub mod path;
pub mod place;
pub mod quantity;
pub mod region;

pub use choice::Wish;
pub use expansion::{Expanded, Expansion, Piece};
pub use mb_analysis::parametric::{ExpandedGroup, GroupValue, Region};
pub use path::Path;
pub use place::Place;
pub use quantity::Quantity;
