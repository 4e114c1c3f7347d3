//! Search for eigenvalues: the shift policy and the requests, for Hermitian and non-Hermitian problems.

pub(crate) mod biorthonormal;
pub(crate) mod early;
pub(crate) mod from_undamped;
pub(crate) mod gyroscopic_left;
pub(crate) mod hermitian;
pub(crate) mod hermitian_requests;
pub(crate) mod largest;
mod left_vectors;
pub(crate) mod mixed_precision;
pub(crate) mod non_hermitian;
pub(crate) mod non_hermitian_band;
pub(crate) mod non_hermitian_requests;
pub(crate) mod proportional;
pub(crate) mod real_shapes;
mod real_values;
pub(crate) mod selection;
pub(crate) mod set;
pub(crate) mod shift_to_cluster;
pub(crate) mod tally;
pub(crate) mod whole;
