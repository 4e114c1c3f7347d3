//! Krylov path against the dense path, theory and closed forms.

pub(crate) mod agreement;
mod bad_input;
mod crowded;
mod descriptor;
mod drivers;
mod edges;
mod everything;
mod invariance;
mod largest;
mod leaving_axis;
mod memory;
mod methods;
mod multiple;
pub(crate) mod random;
mod short;
