//! The same analysis at many values of parameters: designs, cases, boundaries of stability.
//!
//! A [`Design`] lists the values; [`run`] solves the cases side by side and hands each over as it ends; a
//! [`Boundary`] is the place between two neighbouring cases where stability changes, solved for and not read off.

mod boundary;
mod case;
mod design;
mod periodic;
mod state;
mod table;
mod workers;

pub use boundary::{Boundary, Crossing, boundaries};
pub use case::{Case, CaseMode, CaseOptions, Verdict, looks, solve};
pub use design::{Design, DesignError, Range};
pub use periodic::solve_periodic;
pub use state::Taken;
pub use table::{Row, Table, TableError, column_of, in_words};
pub use workers::run;
