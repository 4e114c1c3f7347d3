//! Integration tests of the program: text, JSON, errors, exit codes.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they are called from")]

mod bad_input;
mod beams;
mod bicycles;
#[cfg(unix)]
mod book;
mod browser;
mod campbell;
mod check;
mod counterparts;
mod engine;
mod equilibrium;
mod erls;
mod expansions;
mod families;
mod faults;
mod files;
mod free;
mod fuzz;
mod generate;
mod interrupt;
mod joints;
mod known;
mod large;
mod large_page;
mod links;
mod lost_signs;
mod manual;
mod matrices;
mod modes;
mod motion;
mod pages;
mod parametric;
mod periodic;
mod plot;
mod program;
mod refusals;
mod report;
mod response;
mod response_hardly_damped;
mod response_steady;
mod shares;
mod simulate;
mod simulate_failures;
mod solids;
mod solvers;
mod springs_in_a_ring;
mod state_space;
mod support;
mod sweep;
mod threats;
mod track;
mod views;
mod words;
mod zeros;
