//! Integration tests of periodic motions.
#![expect(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod branch;
mod constant;
mod mathieu;
mod parameter;
mod pendulum;
mod space;
mod support;
mod van_der_pol;
