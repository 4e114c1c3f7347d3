//! The program `mb`.
fn main() {}
