//! Whether a committed page still says what the program computes.
//!
//! Two machines may differ by round-off, which can move the last digit shown by one. So numbers with a decimal point or
//! a power of ten may differ by one unit in their last place; whole numbers and all other text must be equal.

/// Whether a committed page is the one that the program writes: word by word, but for round-off of what is computed.
///
/// Computed values and their deviations stand in the fifth and sixth column of the tables; everything else comes from the
/// fixtures.
pub(crate) fn same_page(old: &str, new: &str) -> bool {
    const COMPUTED: [usize; 2] = [4, 5];
    let same_line = |(old, new): (&str, &str)| {
        let (a, b): (Vec<_>, Vec<_>) = (old.split(" | ").collect(), new.split(" | ").collect());
        if a.len() != 8 || b.len() != 8 {
            return old == new;
        }
        (0..8).all(|i| a[i] == b[i] || COMPUTED.contains(&i) && same_but_for_round_off(a[i], b[i]))
    };
    old.lines().count() == new.lines().count() && old.lines().zip(new.lines()).all(same_line)
}

/// Whether two texts are equal but for round-off in the last digit of their numbers.
pub(crate) fn same_but_for_round_off(old: &str, new: &str) -> bool {
    let (mut old, mut new) = (old, new);
    loop {
        let ((old_text, old_number, old_rest), (new_text, new_number, new_rest)) = (split(old), split(new));
        if old_text != new_text || !same_number(old_number, new_number) {
            return false;
        }
        if old_rest.is_empty() && new_rest.is_empty() {
            return true;
        }
        (old, new) = (old_rest, new_rest);
    }
}

/// Text before the first number, the number, and the rest.
fn split(text: &str) -> (&str, &str, &str) {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let start = bytes.iter().position(u8::is_ascii_digit).unwrap_or(bytes.len());
    let mut end = start + digits(start);
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if bytes.get(end) == Some(&b'e') {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let power = if end + 1 + sign <= bytes.len() { digits(end + 1 + sign) } else { 0 };
        if power > 0 {
            end += 1 + sign + power;
        }
    }
    (&text[..start], &text[start..end], &text[end..])
}

fn same_number(old: &str, new: &str) -> bool {
    if old == new {
        return true;
    }
    let shown_as_real = |n: &str| n.contains(['.', 'e']);
    if !(shown_as_real(old) && shown_as_real(new)) {
        return false;
    }
    let (Ok(a), Ok(b)) = (old.parse::<f64>(), new.parse::<f64>()) else { return false };
    // A little more than one unit, because the difference of two decimals is itself rounded.
    (a - b).abs() <= 1.001 * unit(old).max(unit(new))
}

/// One unit in the last place of a decimal string.
fn unit(number: &str) -> f64 {
    let (mantissa, power) = number.split_once('e').unwrap_or((number, "0"));
    let places = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    format!("1e-{places}").parse::<f64>().unwrap_or(0.0) * format!("1e{power}").parse::<f64>().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::{same_but_for_round_off, same_page};

    #[test]
    fn printed_values_of_a_page_are_exact() {
        let page = |printed: &str, computed: &str| {
            format!("# p\n\n| N = 1 | `x` |  | {printed} | {computed} | 0.01 | open | Why 1.5. |\n")
        };
        assert!(same_page(&page("1.25", "1.31"), &page("1.25", "1.32")));
        assert!(!same_page(&page("1.25", "1.31"), &page("1.26", "1.31")));
        assert!(!same_page(&page("1.25", "1.31"), &page("1.25", "1.31").replace("1.5", "1.6")));
    }

    #[test]
    fn one_unit_in_the_last_place_is_round_off() {
        assert!(same_but_for_round_off("a 1.25 b", "a 1.26 b"));
        assert!(!same_but_for_round_off("a 1.25 b", "a 1.27 b"));
        assert!(same_but_for_round_off("| 9.9e-7 |", "| 1.0e-6 |"));
        assert!(!same_but_for_round_off("| 9.9e-7 |", "| 1.2e-6 |"));
        assert!(same_but_for_round_off("-0.25±2.50i", "-0.24±2.51i"));
    }

    #[test]
    fn whole_numbers_and_words_must_be_equal() {
        assert!(!same_but_for_round_off("126 infinite", "125 infinite"));
        assert!(!same_but_for_round_off("1.25 rad", "1.25 deg"));
        assert!(!same_but_for_round_off("-1.25", "1.25"));
        assert!(!same_but_for_round_off("1.25", "1.25 and more"));
        assert!(!same_but_for_round_off("", "1"));
        assert!(same_but_for_round_off("", ""));
    }

    #[test]
    fn a_full_stop_and_a_letter_after_a_number_are_text() {
        assert!(same_but_for_round_off("N = 1. Then 2e", "N = 1. Then 2e"));
        assert!(!same_but_for_round_off("N = 1. Then 2e", "N = 2. Then 2e"));
        assert!(same_but_for_round_off("at 2.5e", "at 2.6e"));
    }
}
