//! Integration tests of the model layer.

mod identity_derivatives;
mod workshop;
