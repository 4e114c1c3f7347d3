//! Just enough of Rust's lexical structure to separate code from comments and strings, and tests from the rest.

/// The text with comments, strings and character literals replaced by spaces; line breaks stay.
pub(crate) fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = bytes.to_vec();
    let mut i = 0;
    while i < bytes.len() {
        let end = skip_from(bytes, i);
        if end == i {
            i += 1;
            continue;
        }
        for byte in &mut out[i..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        i = end;
    }
    // Only whole comments and literals are blanked, so what stays is valid UTF-8.
    String::from_utf8_lossy(&out).into_owned()
}

/// End of the comment or literal that begins at `i`, or `i` when none does.
fn skip_from(b: &[u8], i: usize) -> usize {
    match b[i] {
        b'/' if b.get(i + 1) == Some(&b'/') => position(b, i, b'\n'),
        b'/' if b.get(i + 1) == Some(&b'*') => block_comment_end(b, i),
        b'"' => string_end(b, i + 1),
        b'r' if !follows_identifier(b, i) => raw_string_end(b, i).unwrap_or(i),
        b'\'' => char_end(b, i).unwrap_or(i),
        _ => i,
    }
}

fn position(b: &[u8], from: usize, wanted: u8) -> usize {
    b[from..].iter().position(|&c| c == wanted).map_or(b.len(), |n| from + n)
}

/// Whether the `r` at `i` only ends an identifier; in `br"..."` it does not.
fn follows_identifier(b: &[u8], i: usize) -> bool {
    let is_word = |at: usize| b[at].is_ascii_alphanumeric() || b[at] == b'_';
    match i {
        0 => false,
        _ if b[i - 1] == b'b' => i > 1 && is_word(i - 2),
        _ => is_word(i - 1),
    }
}

fn block_comment_end(b: &[u8], start: usize) -> usize {
    let (mut depth, mut i) = (0_usize, start);
    while i + 1 < b.len() {
        match (b[i], b[i + 1]) {
            (b'/', b'*') => depth += 1,
            (b'*', b'/') => depth -= 1,
            _ => {
                i += 1;
                continue;
            }
        }
        i += 2;
        if depth == 0 {
            return i;
        }
    }
    b.len()
}

fn string_end(b: &[u8], mut i: usize) -> usize {
    while i < b.len() {
        match b[i] {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    b.len()
}

fn raw_string_end(b: &[u8], start: usize) -> Option<usize> {
    let hashes = b[start + 1..].iter().take_while(|&&c| c == b'#').count();
    let open = start + 1 + hashes;
    if b.get(open) != Some(&b'"') {
        return None;
    }
    let mut i = open + 1;
    while i < b.len() {
        if b[i] == b'"' && b[i + 1..].iter().take(hashes).filter(|&&c| c == b'#').count() == hashes {
            return Some(i + 1 + hashes);
        }
        i += 1;
    }
    Some(b.len())
}

/// A character literal; a lifetime is none.
fn char_end(b: &[u8], start: usize) -> Option<usize> {
    if b.get(start + 1) == Some(&b'\\') {
        return Some((position(b, start + 3, b'\'') + 1).min(b.len()));
    }
    let width = match *b.get(start + 1)? {
        c if c < 0x80 => 1,
        c if c >= 0xf0 => 4,
        c if c >= 0xe0 => 3,
        _ => 2,
    };
    (b.get(start + 1 + width) == Some(&b'\'')).then_some(start + 2 + width)
}

/// Splits code (as [`code_only`] gives it) into production code and tests, each with the other blanked.
pub(crate) fn split_tests(place: &str, code: &str) -> (String, String) {
    let blank = |text: &str| text.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect::<String>();
    let is_test_file =
        place.contains("/tests/") || place.contains("/benches/") || place.ends_with("/tests.rs");
    if is_test_file {
        return (blank(code), code.to_owned());
    }
    let (mut production, mut tests, mut rest) = (String::new(), String::new(), code);
    while let Some(start) = rest.find("#[cfg(test)]") {
        let end = item_end(rest, start);
        production.push_str(&rest[..start]);
        production.push_str(&blank(&rest[start..end]));
        tests.push_str(&blank(&rest[..start]));
        tests.push_str(&rest[start..end]);
        rest = &rest[end..];
    }
    production.push_str(rest);
    tests.push_str(&blank(rest));
    (production, tests)
}

/// End of the item after an attribute: its closing brace, or a semicolon before any brace.
fn item_end(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (i, c) in code[start..].char_indices() {
        match c {
            ';' if depth == 0 => return start + i + 1,
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return start + i + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_and_lines_stay() {
        let text = "a // 1\nb /* 2 /* 3 */ 4 */ c \"5 \\\" 6\" d r#\"7 \" 8\"# e '9' '\\'' f<'x> g b\"h\"";
        let code = code_only(text);
        assert_eq!(code.lines().count(), 2);
        assert!(!code.bytes().any(|b| b.is_ascii_digit()), "{code}");
        for kept in ["a ", "b ", " c ", " d ", " e ", "f<'x>"] {
            assert!(code.contains(kept), "{kept} in {code}");
        }
        assert!(!code.contains('h'));
    }

    #[test]
    fn identifiers_that_end_in_r_open_no_raw_string() {
        assert_eq!(code_only("for x in r { br\"z\" }").trim_end(), "for x in r { b     }");
        assert_eq!(code_only("var \"z\" w"), "var     w");
    }

    #[test]
    fn tests_are_split_from_production_code() {
        let code = "fn a() { 1 }\n#[cfg(test)]\nmod tests { fn b() { 2 } }\nfn c() { 3 }\n";
        let (production, tests) = split_tests("crates/x/src/y.rs", code);
        assert!(production.contains('1') && production.contains('3') && !production.contains('2'));
        assert!(tests.contains('2') && !tests.contains('1') && !tests.contains('3'));
        assert_eq!(production.lines().count(), tests.lines().count());
        let (production, tests) = split_tests("crates/x/tests/it/y.rs", code);
        assert!(production.trim().is_empty() && tests.contains('3'));
        let (production, _) = split_tests("crates/x/src/y.rs", "#[cfg(test)]\nmod tests;\nfn a() {}");
        assert!(production.contains("fn a"));
    }
}
