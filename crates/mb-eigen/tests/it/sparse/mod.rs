//! Krylov path against the dense path, theory and closed forms.

mod agreement;
pub(crate) mod random;
