//! Integration tests of the linearization layer.
#![expect(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod beam;
mod beam_joints;
mod beam_studies;
mod branches;
mod columns;
mod coupling;
mod equilibrium;
mod equilibrium_units;
mod flexible;
mod four_bar;
mod free_at_rest;
mod identity_formulations;
mod motion;
mod rolling;
mod rolling_states;
mod rotating;
mod solid;
mod space;
mod spools;
mod state_space;
mod steady;
mod steady_hidden;
mod steady_relatives;
mod steady_simulated;
mod steady_sought;
mod support;
mod zero_modes;
