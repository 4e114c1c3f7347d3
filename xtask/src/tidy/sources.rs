//! Rules on Rust sources: headers, sizes, who touches files and terminals, reference values in tests.

use super::Findings;
use super::lexer::{code_only, split_tests};
use super::tree::SourceFile;

/// Longer files are listed.
const LISTED_LINES: usize = 500;
/// Longer files fail.
const FAILING_LINES: usize = 800;
/// Places that may read and write files and print.
const MAY_TOUCH_THE_WORLD: [&str; 4] = ["crates/mb-cli/", "crates/mb-gallery/", "xtask/", "benchmarks/"];
/// Example programs of a library, which show what it does.
const PROGRAMS: [&str; 2] = ["/examples/", "/benches/"];
/// Single files that may, with what for.
const EXCEPTIONS: [(&str, &str); 6] = [
    ("crates/saddle-ldlt/src/available.rs", "asks the system how much memory is left before a factorization"),
    (
        "crates/mb-analysis/src/checkpoint.rs",
        "keeps the steps of long runs in one way for the program and the Python package",
    ),
    (
        "crates/mb-engine/src/draft.rs",
        "names drafts of files and folders and removes abandoned ones in one way for all that writes them",
    ),
    (
        "crates/mb-engine/src/folder.rs",
        "writes and reads the folders of the engine in one way for the program and the Python package",
    ),
    (
        "crates/mb-engine/src/stream.rs",
        "keeps the lines of matrices that do not fit into memory beside the folder of the engine",
    ),
    ("crates/mb-engine/src/launch.rs", "runs the engine in one way for the program and the Python package"),
];
/// What touches files or the terminal.
const WORLDLY: [&str; 10] = [
    "std::fs",
    "fs::",
    "File::open",
    "File::create",
    "println!",
    "print!",
    "io::stdout",
    "io::stderr",
    "io::stdin",
    "dbg!",
];
/// Significant digits from which a literal in a test counts as a reference value.
const REFERENCE_DIGITS: usize = 5;
/// Constants of physics and conventions that are exact by definition.
const ALLOWED_LITERALS: [&str; 1] = ["9.80665"];

/// Applies the rules.
pub(crate) fn check(sources: &[SourceFile], findings: &mut Findings) {
    for source in sources {
        let place = &source.place;
        if !source.text.trim_start_matches('\u{feff}').trim_start().starts_with("//!") {
            findings.failures.push(format!("{place}: a module starts with `//!` and what it is for"));
        }
        let lines = source.text.lines().count();
        if lines > FAILING_LINES {
            findings.failures.push(format!("{place}: {lines} lines, more than {FAILING_LINES}; split it"));
        } else if lines > LISTED_LINES {
            findings.remarks.push(format!("{place}: {lines} lines, more than {LISTED_LINES}"));
        }
        let (production, tests) = split_tests(place, &code_only(&source.text));
        let is_exception = EXCEPTIONS.iter().any(|(file, _)| file == place);
        let is_program = PROGRAMS.iter().any(|folder| place.contains(folder));
        let may = MAY_TOUCH_THE_WORLD.iter().any(|allowed| place.starts_with(allowed));
        if !(is_exception || is_program || may) {
            worldly(place, &production, findings);
        }
        reference_values(place, &tests, findings);
    }
}

fn worldly(place: &str, production: &str, findings: &mut Findings) {
    for (number, line) in production.lines().enumerate() {
        if let Some(call) = WORLDLY.iter().find(|call| contains_word(line, call)) {
            let number = number + 1;
            findings
                .failures
                .push(format!("{place}:{number}: `{call}`; only the program, the gallery and xtask do that"));
        }
    }
}

/// Whether `word` occurs and is not the tail of a longer identifier.
fn contains_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(i, _)| !line[..i].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn reference_values(place: &str, tests: &str, findings: &mut Findings) {
    for (number, line) in tests.lines().enumerate() {
        for literal in float_literals(line) {
            if significant_digits(literal) >= REFERENCE_DIGITS && !ALLOWED_LITERALS.contains(&literal) {
                let number = number + 1;
                findings.failures.push(format!(
                    "{place}:{number}: `{literal}` in a test; a reference value belongs in fixtures/ with its source"
                ));
            }
        }
    }
}

/// Float literals of a line of code: digits with a point or a power of ten.
fn float_literals(line: &str) -> Vec<&str> {
    let bytes = line.as_bytes();
    let is_digit = |i: usize| bytes.get(i).is_some_and(|b| b.is_ascii_digit() || *b == b'_');
    let mut found = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i].is_ascii_alphabetic() || bytes[i] == b'_' {
            while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                i += 1;
            }
            continue;
        }
        if !bytes[i].is_ascii_digit() {
            i += 1;
            continue;
        }
        let (start, mut is_float) = (i, false);
        while is_digit(i) {
            i += 1;
        }
        if bytes.get(i) == Some(&b'.') && is_digit(i + 1) {
            (is_float, i) = (true, i + 1);
            while is_digit(i) {
                i += 1;
            }
        }
        let sign = usize::from(matches!(bytes.get(i + 1), Some(b'-' | b'+')));
        if matches!(bytes.get(i), Some(b'e' | b'E')) && is_digit(i + 1 + sign) {
            (is_float, i) = (true, i + 1 + sign);
            while is_digit(i) {
                i += 1;
            }
        }
        if is_float {
            found.push(&line[start..i]);
        }
    }
    found
}

/// Significant digits; none for a whole number written out, which is a count and not a measured value.
fn significant_digits(literal: &str) -> usize {
    let mantissa = literal.split(['e', 'E']).next().unwrap_or(literal);
    if mantissa == literal
        && mantissa.split_once('.').is_some_and(|(_, part)| part.bytes().all(|b| b == b'0'))
    {
        return 0;
    }
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').trim_end_matches('0').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings_of(place: &str, text: &str) -> Findings {
        let mut findings = Findings::default();
        check(&[SourceFile { place: place.to_owned(), text: text.to_owned() }], &mut findings);
        findings
    }

    #[test]
    fn literals_are_found_and_their_digits_counted() {
        let line = "assert(x1.0, 2.5e-3, 7_000.25, a[12345], 1e9, 0..5, y.0)";
        assert_eq!(float_literals(line), ["2.5e-3", "7_000.25", "1e9"]);
        assert_eq!(significant_digits("0.001250"), 3);
        assert_eq!(significant_digits("1e-12"), 1);
        assert_eq!(significant_digits("7_000_123.0"), 0);
    }

    #[test]
    fn a_reference_value_in_a_test_is_found_and_elsewhere_is_not() {
        // Put together here, because the rule reads this file too.
        let value = ["1.23", "456"].concat();
        let text = format!(
            "//! x\nconst A: f64 = {value};\n#[cfg(test)]\nmod tests {{ const B: f64 = {value}; }}\n"
        );
        let failures = findings_of("crates/x/src/lib.rs", &text).failures;
        assert_eq!(failures.len(), 1);
        assert!(failures[0].starts_with("crates/x/src/lib.rs:4"), "{failures:?}");
    }

    #[test]
    fn printing_is_for_the_program() {
        let text = "//! x\nfn a() { println!(); }\n// println!\n#[cfg(test)]\nmod tests { fn b() { println!(); } }\n";
        assert_eq!(findings_of("crates/x/src/lib.rs", text).failures.len(), 1);
        assert!(findings_of("crates/mb-cli/src/lib.rs", text).failures.is_empty());
        assert!(
            findings_of("crates/x/src/lib.rs", "//! x\nfn a() { offs::b(); reprint!(); }")
                .failures
                .is_empty()
        );
    }

    #[test]
    fn headers_and_lengths() {
        assert_eq!(findings_of("crates/x/src/lib.rs", "// x\n").failures.len(), 1);
        assert_eq!(
            findings_of("crates/x/src/lib.rs", &format!("//! x\n{}", "\n".repeat(600))).remarks.len(),
            1
        );
        assert_eq!(
            findings_of("crates/x/src/lib.rs", &format!("//! x\n{}", "\n".repeat(900))).failures.len(),
            1
        );
    }
}
