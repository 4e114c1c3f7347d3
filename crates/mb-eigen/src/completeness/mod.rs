//! Completeness: whether an eigenvalue is missing, by inertia, by the phase of the determinant, or by random vectors.

pub(crate) mod contour;
pub(crate) mod growth;
pub(crate) mod inertia;
pub(crate) mod random_vectors;
pub(crate) mod randomized;
pub(crate) mod steps;
pub(crate) mod winding;
