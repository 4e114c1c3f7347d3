//! Integration tests of periodic motions.
#![expect(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod mathieu;
mod pendulum;
mod space;
mod support;
