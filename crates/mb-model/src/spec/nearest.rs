//! The word a person may have meant.

/// The word of `words` nearest to `word`, if one is near: at most a third of it changed, and
/// not the whole of it.
///
/// Changes are a letter put in, taken out, replaced, or swapped with its neighbour.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let count = word.chars().count();
    let most = (count / 3).max(1).min(count.saturating_sub(1));
    words
        .into_iter()
        .filter(|w| w.chars().count().abs_diff(count) <= most)
        .map(|w| (distance(word, w), w))
        .filter(|(d, _)| *d <= most)
        .min()
        .map(|(_, w)| w.to_owned())
}

/// Damerau's edit distance (optimal string alignment), without regard to case.
fn distance(a: &str, b: &str) -> usize {
    let lower = |s: &str| s.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (a, b) = (lower(a), lower(b));
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect::<Vec<_>>(), vec![0; b.len() + 1]];
    for i in 1..=a.len() {
        // rows: before the last, the last, this one.
        rows[2][0] = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut d = (rows[1][j] + 1).min(rows[2][j - 1] + 1).min(rows[1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                d = d.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = d;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_word_is_found_only_when_near() {
        let words = ["length", "natural_length", "axis", "angle"];
        assert_eq!(nearest("lenght", words).as_deref(), Some("length"));
        assert_eq!(nearest("Angel", words).as_deref(), Some("angle"));
        assert_eq!(nearest("stiffness", words), None);
        assert_eq!((nearest("P", ["O"]), nearest("P", ["p"]).as_deref()), (None, Some("p")));
        assert_eq!((distance("abc", ""), distance("", "ab"), distance("ab", "ba")), (3, 2, 1));
    }
}
