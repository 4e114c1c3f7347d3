//! Lines and words of a text of bytes, with their places.

use super::MatrixMarketError;

/// Words longer than this are cut in messages.
const SHOWN: usize = 40;

/// A word with its place; columns count bytes from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Word<'_> {
    /// The word for a message: shortened, with anything unreadable replaced.
    pub(super) fn shown(&self) -> String {
        shown(self.bytes)
    }

    /// Reports that something else was expected here.
    pub(super) fn unexpected(&self, expected: &'static str) -> MatrixMarketError {
        MatrixMarketError::Unexpected { line: self.line, column: self.column, found: self.shown(), expected }
    }

    fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes).ok()
    }

    /// A number of rows, columns or entries, or an index; none when it is not of digits only.
    pub(super) fn whole(&self) -> Option<Whole> {
        let digits = self.bytes.strip_prefix(b"+").unwrap_or(self.bytes);
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let more = |n: usize, digit: &u8| n.checked_mul(10)?.checked_add(usize::from(digit - b'0'));
        Some(digits.iter().try_fold(0, more).map_or(Whole::Huge, Whole::Fits))
    }

    /// A floating-point number, infinities and NaN included; Fortran's exponent letter D is known.
    pub(super) fn real(&self) -> Option<f64> {
        let text = self.text()?;
        if let Ok(value) = text.parse() {
            return Some(value);
        }
        let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'd' | b'D'));
        let is_d = |c: char| matches!(c, 'd' | 'D');
        (plain && text.matches(is_d).count() == 1).then(|| text.replace(is_d, "e").parse().ok()).flatten()
    }

    /// A whole number as a floating-point one.
    pub(super) fn integer(&self) -> Option<f64> {
        let digits =
            self.bytes.strip_prefix(b"-").or_else(|| self.bytes.strip_prefix(b"+")).unwrap_or(self.bytes);
        (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then(|| self.real()).flatten()
    }
}

/// A whole number without sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// Within the range of indices.
    Fits(usize),
    /// Beyond it.
    Huge,
}

/// Bytes for a message.
pub(super) fn shown(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(4 * SHOWN)];
    let text = String::from_utf8_lossy(cut);
    let mut out: String = text.chars().take(SHOWN).map(|c| if c.is_control() { '?' } else { c }).collect();
    if out.len() < bytes.len() && text.chars().count().max(cut.len()) > SHOWN {
        out.push_str("...");
    }
    out
}

/// Lines of a text, comments and empty ones left out.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    /// Number of the line read last.
    pub(super) line: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        // Editors of some systems put a mark in front.
        Self { rest: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text), line: 0 }
    }

    /// Bytes that are left.
    pub(super) fn bytes(&self) -> usize {
        self.rest.len()
    }

    /// What is left in pieces of whole lines, each of about so many bytes.
    pub(super) fn pieces(&self, size: usize) -> Vec<Self> {
        let (mut rest, mut line) = (self.rest, self.line);
        let mut out = Vec::new();
        while !rest.is_empty() {
            let behind = rest.get(size..).and_then(|tail| tail.iter().position(|b| *b == b'\n'));
            let (own, after) = rest.split_at(behind.map_or(rest.len(), |n| size + n + 1));
            out.push(Self { rest: own, line });
            line += own.iter().map(|b| usize::from(*b == b'\n')).sum::<usize>();
            rest = after;
        }
        out
    }

    /// The next line whatever it holds, without its end.
    pub(super) fn any(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|b| *b == b'\n').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        self.line += 1;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The words of the next line that holds some.
    pub(super) fn next(&mut self) -> Option<Words<'a>> {
        while let Some(text) = self.any() {
            let words = Words { text, at: 0, line: self.line };
            if words.clone().next().is_some_and(|w| !w.bytes.starts_with(b"%")) {
                return Some(words);
            }
        }
        None
    }
}

/// The words of a line.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    text: &'a [u8],
    at: usize,
    pub(super) line: usize,
}

impl<'a> Words<'a> {
    /// The words of the first line.
    pub(super) fn of(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1 }
    }

    pub(super) fn next(&mut self) -> Option<Word<'a>> {
        let start = self.at + self.text[self.at..].iter().position(|b| !b.is_ascii_whitespace())?;
        let length = self.text[start..].iter().position(u8::is_ascii_whitespace);
        let end = length.map_or(self.text.len(), |n| start + n);
        self.at = end;
        Some(Word { bytes: &self.text[start..end], line: self.line, column: start + 1 })
    }

    /// The next word, which must be there.
    pub(super) fn need(&mut self, expected: &'static str) -> Result<Word<'a>, MatrixMarketError> {
        let ends = MatrixMarketError::LineEnds { line: self.line, column: self.text.len() + 1, expected };
        self.next().ok_or(ends)
    }

    /// Refuses further words.
    pub(super) fn end(&mut self) -> Result<(), MatrixMarketError> {
        self.next().map_or(Ok(()), |word| Err(word.unexpected("the end of the line")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Word<'_> {
        Word { bytes: text.as_bytes(), line: 1, column: 1 }
    }

    #[test]
    fn numbers_of_every_writing() {
        assert_eq!(word("1.5D-3").real(), Some(1.5e-3));
        assert_eq!((word("12").whole(), word("+7").whole()), (Some(Whole::Fits(12)), Some(Whole::Fits(7))));
        assert_eq!((word("-1").whole(), word("1.0").whole(), word("").whole()), (None, None, None));
        assert_eq!(word("99999999999999999999").whole(), Some(Whole::Huge));
        assert_eq!((word("-3").integer(), word("3.5").integer()), (Some(-3.0), None));
        assert!(word("NaN").real().is_some_and(f64::is_nan) && word("0d").real().is_none());
    }

    #[test]
    fn lines_and_columns_are_those_of_an_editor() {
        let mut lines = Lines::new(b"\xef\xbb\xbf% a\r\n\r\n  10 x\r\n");
        let mut words = lines.next().unwrap();
        let first = words.next().unwrap();
        assert_eq!((first.line, first.column, first.bytes), (3, 3, &b"10"[..]));
        assert_eq!(words.next().unwrap().column, 6);
        assert!(words.next().is_none() && lines.next().is_none());
    }
}
