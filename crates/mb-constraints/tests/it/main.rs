//! Integration tests of the constraint layer.

mod assembly;
mod motion;
mod prop_null_space;
mod prop_saddle;
mod redundancy;
mod support;
