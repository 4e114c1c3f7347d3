//! Spectral transformations: factorizations at a shift and the operators of the Krylov methods.

pub(crate) mod factors;
pub(crate) mod mass_inverse;
pub(crate) mod shift_invert;
pub(crate) mod shift_invert_symmetric;
