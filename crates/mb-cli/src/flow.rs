//! The way from a model to its spectra ([`mb_analysis`]), with what the command line adds.

pub mod part;

pub use mb_analysis::*;
