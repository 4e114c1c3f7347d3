//! Notes of an analysis as whole sentences.

/// Notes as whole sentences.
pub fn all(notes: &[String]) -> Vec<String> {
    notes.iter().map(|note| one(note)).collect()
}

/// A note as a whole sentence: a capital in front, unless a name such as `crank.angle` or an option stands there, and a full stop.
pub fn one(note: &str) -> String {
    let first = note.split(' ').next().unwrap_or_default().trim_end_matches([':', ',']);
    let word = first.len() > 1 && first.chars().all(|c| c.is_ascii_lowercase());
    let (head, rest) = note.split_at(usize::from(word));
    let stop = if note.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{}{rest}{stop}", head.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::one;

    #[test]
    fn words_begin_with_a_capital_and_names_stay_as_they_are() {
        for (note, sentence) in [
            ("the motion is steady", "The motion is steady."),
            ("outputs: none", "Outputs: none."),
            ("crank.angle turns", "crank.angle turns."),
            ("--at starts near another", "--at starts near another."),
            ("4 rows", "4 rows."),
            ("It ends.", "It ends."),
        ] {
            assert_eq!(one(note), sentence);
        }
    }
}
