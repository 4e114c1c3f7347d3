//! Integration tests of the model layer.

mod identity_derivatives;
mod spec_errors;
mod spec_fixtures;
mod workshop;
