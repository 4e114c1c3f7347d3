//! Responses against closed forms.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they are called from")]

mod direct;
mod peaks;
mod projection;
mod random;
mod support;
mod swept;
mod zeros;
