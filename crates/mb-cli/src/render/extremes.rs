//! Numbers of a model that overflow or vanish in products: what a failure of the numerics most often comes from.

use crate::args::Assignment;

/// Magnitudes beyond which a number is named.
const USUAL: std::ops::RangeInclusive<f64> = 1e-15..=1e14;
/// Most numbers that are named.
const FEW: usize = 3;

/// A sentence with the numbers of a model file and of `--set` that are far from all others, each with its place; none where there are none.
pub(super) fn named(content: &str, set: &[Assignment]) -> Option<String> {
    let given = set.iter().filter(|s| is_extreme(&s.value)).map(|s| format!("--set {}={}", s.name, s.value));
    let in_file = content.lines().enumerate().flat_map(|(k, line)| {
        let words = without_remark(line).split(|c: char| !(c.is_ascii_alphanumeric() || "+-._".contains(c)));
        words.filter(|word| is_extreme(word)).map(move |word| format!("{word} in line {}", k + 1))
    });
    let mut all: Vec<String> = given.chain(in_file).collect();
    all.dedup();
    all.truncate(FEW);
    (!all.is_empty()).then(|| {
        format!("numbers of this size overflow or vanish in products: {}; look at them first", all.join(", "))
    })
}

fn without_remark(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before)
}

fn is_extreme(word: &str) -> bool {
    let begins = word.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit());
    let number: Option<f64> = word.replace('_', "").parse().ok().filter(|_| begins);
    number.is_some_and(|x| x != 0.0 && !USUAL.contains(&x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_far_from_one_have_their_lines() {
        let text = "a = 1e-300 # 1e99\nb = [\"2*k + 1e99\", 2.1e11]\nname = \"e1e400\"\nc = 1_0\n";
        let set = [Assignment { name: "k".into(), value: "-1e60".into() }];
        assert_eq!(
            named(text, &set).unwrap(),
            "numbers of this size overflow or vanish in products: --set k=-1e60, 1e-300 in line 1, 1e99 in line 2; look at them first"
        );
        assert_eq!(named("a = 7850\n", &[]), None);
    }
}
