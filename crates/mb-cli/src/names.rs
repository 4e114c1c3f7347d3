//! Names and units of coordinates, and numbers with their nouns.

pub use mb_analysis::names::*;

/// `1 body`, `2 bodies`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}
