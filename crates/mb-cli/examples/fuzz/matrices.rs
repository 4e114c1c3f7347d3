//! MatrixMarket files: right ones of all kinds, then with lines, words and numbers changed.

use super::expressions::disturb;
use super::random::Random;
use std::fmt::Write as _;

/// A file; mostly a matrix of `n` rows.
pub(crate) fn market(random: &mut Random, n: usize) -> String {
    let format = random.pick(&["coordinate", "coordinate", "array"]);
    let field = random.pick(&["real", "real", "real", "integer", "complex", "pattern"]);
    let symmetry = random.pick(&["general", "symmetric", "symmetric", "skew-symmetric", "hermitian"]);
    let mut text = format!("%%MatrixMarket matrix {format} {field} {symmetry}\n");
    if random.once_in(4) {
        text.push_str("% a comment\n");
    }
    let columns = if random.once_in(12) { random.below(2 * n + 2) } else { n };
    if format == "array" {
        let _ = writeln!(text, "{n} {columns}");
        for j in 0..columns {
            for i in 0..n {
                if symmetry == "general" || i >= j {
                    let _ = writeln!(text, "{}", entry(random, field, i, j));
                }
            }
        }
    } else {
        let entries = random.below(n * n.min(6) + 1) + n;
        let _ = writeln!(text, "{n} {columns} {entries}");
        for k in 0..entries {
            let (i, j) = if k < n { (k, k) } else { (random.below(n), random.below(columns)) };
            let (i, j) = if symmetry == "general" { (i, j) } else { (i.max(j), i.min(j)) };
            let _ = match field {
                "pattern" => writeln!(text, "{} {}", i + 1, j + 1),
                _ => writeln!(text, "{} {} {}", i + 1, j + 1, entry(random, field, i, j)),
            };
        }
    }
    if random.once_in(2) {
        for _ in 0..=random.below(2) {
            disturb(random, &mut text);
        }
    }
    if random.once_in(20) {
        // Sizes that no file of this length can have.
        let huge = random.pick(&[
            "100000 2 1",
            "4000000000 4000000000 1",
            "18446744073709551615 1 1",
            "3 3 99999999999",
        ]);
        text = format!("%%MatrixMarket matrix coordinate real general\n{huge}\n1 1 1.0\n");
    }
    text
}

fn entry(random: &mut Random, field: &str, i: usize, j: usize) -> String {
    let number = |random: &mut Random| {
        // Diagonals that are mostly positive make problems that can be solved.
        let x = if i == j && !random.once_in(6) { 1.0 + random.share() } else { random.number() };
        format!("{x:e}")
    };
    match field {
        "integer" => random.below(9).to_string(),
        "complex" => format!("{} {}", number(random), number(random)),
        _ => number(random),
    }
}
