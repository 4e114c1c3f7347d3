//! Expressions: grown from the grammar, then cut, doubled and mixed.

use super::random::Random;
use mb_model::law::Function;

const LEAVES: [&str; 10] = ["a", "L", "pi", "t", "x_1", "0", "1", "2.5", "1e-3", "1e308"];
const PIECES: [&str; 22] = [
    "+",
    "-",
    "*",
    "/",
    "^",
    "(",
    ")",
    ",",
    " ",
    "sin",
    "atan2(",
    "if(",
    "^-64",
    "^64",
    "1e",
    ".",
    "e",
    "\u{b5}",
    "\u{1b}[31m",
    "1..2",
    "--",
    "((((",
];

/// An expression.
pub(crate) fn expression(random: &mut Random) -> String {
    let mut text = grown(random, 0);
    for _ in 0..random.below(3) {
        disturb(random, &mut text);
    }
    text
}

fn grown(random: &mut Random, depth: usize) -> String {
    let kind = if depth > 5 { 0 } else { random.below(8) };
    let mut sub = || grown(random, depth + 1);
    match kind {
        0 | 1 => {
            if random.once_in(3) {
                format!("{:?}", random.number())
            } else {
                LEAVES[random.below(LEAVES.len())].to_owned()
            }
        }
        2 => format!("-{}", sub()),
        3 => format!("({})", sub()),
        4 => {
            let (name, function) = Function::NAMES[random.below(Function::NAMES.len())];
            let arguments: Vec<String> =
                (0..function.arguments()).map(|_| grown(random, depth + 1)).collect();
            format!("{name}({})", arguments.join(", "))
        }
        5 => {
            let base = sub();
            format!("({base})^{}", random.below(9))
        }
        _ => {
            let (a, b) = (sub(), sub());
            format!("{a} {} {b}", ["+", "-", "*", "/"][random.below(4)])
        }
    }
}

/// Cuts, doubles or inserts a piece of a text.
pub(crate) fn disturb(random: &mut Random, text: &mut String) {
    let places: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
    let mut place = || places[random.below(places.len())];
    let (a, b) = (place(), place());
    let (from, to) = (a.min(b), a.max(b));
    match random.below(4) {
        0 => text.replace_range(from..to, ""),
        1 => {
            let piece = text[from..to].to_owned();
            text.insert_str(from, &piece);
        }
        2 => {
            let piece = text[from..to].repeat(1 + random.below(40));
            text.insert_str(to, &piece);
        }
        _ => text.insert_str(from, PIECES[random.below(PIECES.len())]),
    }
    // Long enough to reach every limit, short enough to be quick.
    if text.len() > 20_000 {
        let end = (0..=20_000).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(end);
    }
}
