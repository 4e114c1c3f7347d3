//! Integration tests of the program: text, JSON, errors, exit codes.

mod bad_input;
mod check;
mod equilibrium;
mod families;
mod generate;
mod modes;
mod program;
mod state_space;
mod support;
