//! Krylov path against the dense path, theory and closed forms.

mod agreement;
mod drivers;
mod largest;
pub(crate) mod random;
