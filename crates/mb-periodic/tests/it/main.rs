//! Integration tests of periodic motions.
#![expect(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod branch;
mod constant;
mod decayed;
mod fast;
mod flexible_rod;
mod fourier;
mod mathieu;
mod neimark_sacker;
mod parameter;
mod pendulum;
mod rolling;
mod slider_crank;
mod space;
mod support;
mod van_der_pol;
