//! Null spaces: rigid motions of symmetric problems, Jordan chains of the zero eigenvalue, and their deflation.

pub(crate) mod chains;
pub(crate) mod deflate;
mod departure;
pub(crate) mod evidence;
mod forms;
pub(crate) mod general;
mod orthonormal;
pub(crate) mod symmetric;
