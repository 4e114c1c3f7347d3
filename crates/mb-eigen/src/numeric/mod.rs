//! Vectors, bilinear forms and scaling that every layer uses: products with the matrices as given, double-double sums, what
//! counts as zero, Rayleigh quotients.

pub(crate) mod check;
pub(crate) mod dependence;
pub(crate) mod double_double;
pub(crate) mod equilibrated;
pub(crate) mod long_rows;
pub(crate) mod matching;
pub(crate) mod operator;
pub(crate) mod rayleigh;
pub(crate) mod residues;
pub(crate) mod vanishing;
pub(crate) mod vectors;
