//! Words for people: no character that a terminal obeys, nothing too long to read.

/// Longest piece between two quotes that is shown whole, and what is shown of the ends of a longer one.
const LONGEST: usize = 80;
const ENDS: [usize; 2] = [50, 20];
/// Longest message that is shown whole, and the ends of a longer one.
const WHOLE: usize = 2000;
const ENDS_OF_ALL: [usize; 2] = [1200, 600];

/// True for characters that a terminal obeys or that change the order in which text is shown.
pub fn is_obeyed(c: char) -> bool {
    let turns = ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c);
    (c.is_control() && !matches!(c, '\n' | '\t')) || turns
}

/// The text with such characters written as escapes, and with the middle of long quotations left out.
pub fn legible(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) { clean.extend(c.escape_unicode()) } else { clean.push(c) }
    }
    if clean.len() <= LONGEST {
        return clean;
    }
    let mut out = String::with_capacity(clean.len());
    for (k, piece) in clean.split('`').enumerate() {
        if k > 0 {
            out.push('`');
        }
        if k % 2 == 1 {
            out.push_str(&shortened(piece, LONGEST, ENDS));
            continue;
        }
        // Names stand between other quotes, and have no spaces.
        for (j, word) in piece.split(' ').enumerate() {
            if j > 0 {
                out.push(' ');
            }
            out.push_str(&shortened(word, LONGEST, ENDS));
        }
    }
    shortened(&out, WHOLE, ENDS_OF_ALL)
}

/// A text of more than `longest` characters without its middle.
fn shortened(text: &str, longest: usize, [head, tail]: [usize; 2]) -> String {
    let count = text.chars().count();
    if count <= longest {
        return text.to_owned();
    }
    let first: String = text.chars().take(head).collect();
    let last: String = text.chars().skip(count - tail).collect();
    format!("{first} ... {last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_clean_and_short() {
        assert_eq!(legible("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(legible("the name `b\u{202e}c` is taken"), "the name `b\\u{202e}c` is taken");
        let long = "1+".repeat(50_000);
        let told = legible(&format!("in the expression `{long}`: it is too long"));
        assert!(
            told.starts_with("in the expression `1+1+") && told.ends_with("+`: it is too long"),
            "{told}"
        );
        assert!(told.len() < 200, "{told}");
        assert!(legible(&format!("joint '{}': both ends", "a".repeat(5000))).len() < 200);
        let prose = "words of some length ".repeat(20);
        assert_eq!(legible(&prose), prose);
        assert!(legible(&"words ".repeat(5000)).len() < 2200);
    }
}
