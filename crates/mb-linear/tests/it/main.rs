//! Integration tests of the linearization layer.

mod four_bar;
mod motion;
mod state_space;
mod support;
