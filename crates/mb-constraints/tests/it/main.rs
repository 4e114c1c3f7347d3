//! Integration tests of the constraint layer.
#![expect(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod assembly;
mod prop_null_space;
mod prop_saddle;
mod redundancy;
mod support;
