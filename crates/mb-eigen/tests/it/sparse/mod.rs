//! Krylov path against the dense path, theory and closed forms.

mod agreement;
mod drivers;
pub(crate) mod random;
