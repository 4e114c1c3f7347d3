//! Printed numbers: strings whose digits are their tolerance.
//!
//! ```text
//! "1.8217"   stands for every x with   1.82165 <= x <= 1.82175
//! ```
//!
//! A published value is known to half a unit in its last printed place and to nothing better, so the string itself
//! carries the tolerance and no tolerance is ever written in code. Complex values keep one tolerance for each part; a
//! part that is not printed is zero to the places of the other. A conjugate pair is written `+-` or with the sign for
//! plus-minus, and accepts either member. A statement such as "remains below 3e-6" is written `< 3e-6`.

use std::fmt;
use std::str::FromStr;

use crate::error::GalleryError;

/// More digits than this no paper prints; the limit keeps the exact arithmetic inside `i128`.
const MAX_DIGITS: usize = 34;
/// Powers of ten beyond the range of `f64` are typing errors.
const MAX_EXPONENT: i32 = 300;

/// Rounding of a number that is read back from a model, where a few operations on inputs make it: relative to the number,
/// for zero to half a unit of its last place.
const ROUNDING: f64 = 1e-13;

/// Whether a number is another but for the rounding of a few operations, relative to that or to a size. Never for NaN.
pub(crate) fn agree_but_for_rounding(x: f64, wanted: f64, size: f64) -> bool {
    (x - wanted).abs() <= ROUNDING * wanted.abs().max(size)
}

/// A decimal number as printed: `digits * 10^exponent`, known to half a unit of its last digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    digits: i128,
    exponent: i32,
}

impl Decimal {
    /// The nearest `f64` to the printed value.
    pub fn value(self) -> f64 {
        nearest(self.digits, self.exponent)
    }

    /// Half a unit in the last printed place.
    pub fn half_unit(self) -> f64 {
        nearest(5, self.exponent - 1)
    }

    /// Power of ten of the last printed digit: -4 for `1.8217`.
    pub fn last_place(self) -> i32 {
        self.exponent
    }

    /// The closed interval that rounds to the printed digits; each end is the `f64` nearest to the exact decimal.
    pub fn interval(self) -> (f64, f64) {
        (nearest(10 * self.digits - 5, self.exponent - 1), nearest(10 * self.digits + 5, self.exponent - 1))
    }

    /// Whether `x` rounds to the printed digits (a tie at either end is accepted). Never true for NaN.
    pub fn accepts(self, x: f64) -> bool {
        let (low, high) = self.interval();
        low <= x && x <= high
    }

    /// Whether `x` is the printed value itself, but for the rounding of a few operations. Never true for NaN.
    pub fn is(self, x: f64) -> bool {
        agree_but_for_rounding(x, self.value(), self.half_unit())
    }

    /// The same value without its sign.
    #[must_use]
    pub fn abs(self) -> Self {
        Self { digits: self.digits.abs(), exponent: self.exponent }
    }

    /// Zero, known to the same place.
    fn zero_to_the_same_place(self) -> Self {
        Self { digits: 0, exponent: self.exponent }
    }
}

/// `digits * 10^exponent`, correctly rounded: the decimal-to-binary conversion of the standard library is exact.
fn nearest(digits: i128, exponent: i32) -> f64 {
    format!("{digits}e{exponent}").parse().unwrap_or(f64::NAN)
}

impl FromStr for Decimal {
    type Err = GalleryError;

    /// Reads `2.3e-5`, `-0.2424`, `7.6*10^-11` (also with a centred dot or a times sign), and the typographic minus.
    fn from_str(text: &str) -> Result<Self, GalleryError> {
        let fail = |why| GalleryError::NotANumber { text: text.to_owned(), why };
        let plain = normalise(text);
        let (mantissa, power) = match plain.split_once("*10^").or_else(|| plain.split_once('e')) {
            Some((mantissa, power)) => {
                (mantissa, power.parse::<i32>().map_err(|_| fail("the power of ten is not an integer"))?)
            }
            None => (plain.as_str(), 0),
        };
        let (negative, unsigned) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let all = format!("{whole}{fraction}");
        if whole.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) {
            return Err(fail("it needs digits, and at least one before the decimal point"));
        }
        if all.len() > MAX_DIGITS {
            return Err(fail("it has more than 34 digits"));
        }
        if power.abs() > MAX_EXPONENT {
            return Err(fail("its power of ten is beyond 300"));
        }
        let digits: i128 = all.parse().map_err(|_| fail("its digits do not form an integer"))?;
        let places = i32::try_from(fraction.len()).map_err(|_| fail("it has too many decimals"))?;
        Ok(Self { digits: if negative { -digits } else { digits }, exponent: power - places })
    }
}

/// One spelling for signs, powers and spaces.
fn normalise(text: &str) -> String {
    let spaceless: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    spaceless
        .replace('\u{2212}', "-")
        .replace('\u{b1}', "+-")
        .replace(['\u{b7}', '\u{d7}'], "*")
        .replace('E', "e")
}

/// How a printed value binds a computed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The computed value rounds to the printed digits.
    Equal,
    /// `< x`: the computed magnitude is strictly below the printed value.
    Below,
    /// `<= x`: the computed magnitude is at most the printed value.
    AtMost,
    /// `> x`: the computed value is strictly above the printed one; of a complex number its magnitude. A negative number is
    /// above no positive one, however large it is: a least eigenvalue of -1 is no proof of a definite matrix.
    Above,
}

/// A value that our program computed, to be compared with a printed one.
#[derive(Debug, Clone, PartialEq)]
pub enum Computed {
    /// A real number, in the unit of its column.
    Real(f64),
    /// A complex number, in the unit of its column.
    Complex {
        /// Real part.
        re: f64,
        /// Imaginary part.
        im: f64,
    },
    /// A word of a table of features.
    Word(String),
}

impl Computed {
    /// Real and imaginary part, or `None` for a word.
    pub fn parts(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Real(re) => Some((re, 0.0)),
            Self::Complex { re, im } => Some((re, im)),
            Self::Word(_) => None,
        }
    }
}

/// A printed value, real or complex, with its relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    text: String,
    relation: Relation,
    re: Decimal,
    im: Option<Decimal>,
    pair: bool,
}

impl Printed {
    /// The string as it stands in the fixture.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How the value binds a computed one.
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// Real part (for a real number: the number).
    pub fn re(&self) -> Decimal {
        self.re
    }

    /// Imaginary part; `None` for a real number.
    pub fn im(&self) -> Option<Decimal> {
        self.im
    }

    /// Whether the value was printed as a pair, with plus-minus.
    pub fn is_pair(&self) -> bool {
        self.pair
    }

    /// Distance of the computed value from the printed one: the larger of the two parts', in the column's unit.
    ///
    /// A member of a pair is compared with the nearer sign. `None` for a word.
    pub fn deviation(&self, computed: &Computed) -> Option<f64> {
        let (re, im) = self.fold(computed)?;
        let imaginary = self.im.map_or(im, |p| im - self.target(p).value());
        let real = re - if self.im.is_none() { self.target(self.re) } else { self.re }.value();
        Some(real.abs().max(imaginary.abs()))
    }

    /// Whether the computed value satisfies the printed one: its digits, or its inequality. Never true for NaN.
    pub fn accepts(&self, computed: &Computed) -> bool {
        let Some((re, im)) = self.fold(computed) else { return false };
        let magnitude = re.hypot(im);
        match (self.relation, self.im) {
            (Relation::Equal, None) => self.target(self.re).accepts(re) && im == 0.0,
            (Relation::Equal, Some(p)) => self.re.accepts(re) && self.target(p).accepts(im),
            (Relation::Below, _) => magnitude < self.re.value(),
            (Relation::AtMost, _) => magnitude <= self.re.value(),
            (Relation::Above, _) => (if im == 0.0 { re } else { magnitude }) > self.re.value(),
        }
    }

    /// Whether the computed value is the printed one itself: an input, which a computation starts from, is not rounded.
    pub fn is(&self, computed: &Computed) -> bool {
        let Some((re, im)) = self.fold(computed) else { return false };
        match (self.relation, self.im) {
            (Relation::Equal, None) => self.target(self.re).is(re) && im == 0.0,
            (Relation::Equal, Some(p)) => self.re.is(re) && self.target(p).is(im),
            _ => false,
        }
    }

    /// Whether the computed magnitude is at or below the printed one (its last place rounded up).
    pub fn bounds(&self, computed: &Computed) -> bool {
        let (printed_re, printed_im) =
            (self.re.abs().interval().1, self.im.map_or(0.0, |p| p.abs().interval().1));
        computed.parts().is_some_and(|(re, im)| re.abs() <= printed_re && im.abs() <= printed_im)
    }

    /// Brings the part that is printed with plus-minus to its positive member.
    fn fold(&self, computed: &Computed) -> Option<(f64, f64)> {
        let (re, im) = computed.parts()?;
        Some(match (self.pair, self.im) {
            (true, Some(_)) => (re, im.abs()),
            (true, None) => (re.abs(), im),
            (false, _) => (re, im),
        })
    }

    fn target(&self, part: Decimal) -> Decimal {
        if self.pair { part.abs() } else { part }
    }
}

impl FromStr for Printed {
    type Err = GalleryError;

    fn from_str(text: &str) -> Result<Self, GalleryError> {
        let plain = normalise(text);
        let (relation, value) = if let Some(rest) = plain.strip_prefix("<=") {
            (Relation::AtMost, rest)
        } else if let Some(rest) = plain.strip_prefix('<') {
            (Relation::Below, rest)
        } else if let Some(rest) = plain.strip_prefix('>') {
            (Relation::Above, rest)
        } else {
            (Relation::Equal, plain.as_str())
        };
        let name_the_whole = |e| match e {
            GalleryError::NotANumber { why, .. } => GalleryError::NotANumber { text: text.to_owned(), why },
            other => other,
        };
        let decimal = |part: &str| part.parse::<Decimal>().map_err(name_the_whole);

        let (re, im, pair) = if let Some(body) = value.strip_suffix('i') {
            let split = split_of_parts(body);
            let (pair, imaginary) = match body[split..].strip_prefix("+-") {
                Some(rest) => (true, rest),
                None => (false, &body[split..]),
            };
            let im = decimal(imaginary)?;
            let re = if split == 0 { im.zero_to_the_same_place() } else { decimal(&body[..split])? };
            (re, Some(im), pair)
        } else {
            match value.strip_prefix("+-") {
                Some(rest) => (decimal(rest)?, None, true),
                None => (decimal(value)?, None, false),
            }
        };
        if relation != Relation::Equal && im.is_some() {
            return Err(GalleryError::NotANumber {
                text: text.to_owned(),
                why: "an inequality holds for a real magnitude only",
            });
        }
        Ok(Self { text: text.to_owned(), relation, re, im, pair })
    }
}

/// Where the imaginary part begins in `re+-im`: the first sign that is neither leading nor a power's own.
fn split_of_parts(body: &str) -> usize {
    let bytes = body.as_bytes();
    (1..bytes.len())
        .find(|&i| {
            matches!(bytes[i], b'+' | b'-')
                && !matches!(bytes[i - 1], b'e' | b'^')
                && !(i == 1 && bytes[0] == b'+')
        })
        .unwrap_or(0)
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> Printed {
        text.parse().unwrap()
    }

    #[test]
    fn half_a_unit_in_the_last_place_is_the_tolerance() {
        let p = printed("1.25");
        assert!(p.accepts(&Computed::Real(1.245)));
        assert!(p.accepts(&Computed::Real(1.255)));
        assert!(!p.accepts(&Computed::Real(1.244)));
        assert!(!p.accepts(&Computed::Real(1.256)));
        assert!(!p.accepts(&Computed::Real(f64::NAN)));
        assert!(!p.accepts(&Computed::Word("1.25".to_owned())));
    }

    #[test]
    fn an_input_is_the_printed_number_itself() {
        let p = printed("0.3");
        assert!(p.accepts(&Computed::Real(0.26)) && !p.is(&Computed::Real(0.26)));
        assert!(p.is(&Computed::Real(0.1 + 0.2)));
        assert!(!p.is(&Computed::Real(0.3 + 1e-9)) && !p.is(&Computed::Real(f64::NAN)));
        assert!(printed("0").is(&Computed::Real(1e-16)) && !printed("0").is(&Computed::Real(1e-9)));
        assert!(!printed("< 3").is(&Computed::Real(3.0)));
    }

    #[test]
    fn trailing_zeros_tighten_the_tolerance() {
        assert!(printed("1.5").accepts(&Computed::Real(1.52)));
        assert!(!printed("1.50").accepts(&Computed::Real(1.52)));
    }

    #[test]
    fn powers_of_ten_have_one_meaning_in_every_spelling() {
        for text in ["2.3e-5", "2.3E-5", "2.3*10^-5", "2.3\u{b7}10^-5", "2.3 \u{d7} 10^-5", "2.3e\u{2212}5"] {
            let p = printed(text);
            assert_eq!((p.re().digits, p.re().last_place()), (23, -6), "{text}");
        }
    }

    #[test]
    fn a_pair_accepts_both_members_and_its_missing_part_is_zero_to_the_same_place() {
        let p = printed("+- 2.15i");
        assert!(p.is_pair());
        assert!(p.accepts(&Computed::Complex { re: 0.0, im: 2.151 }));
        assert!(p.accepts(&Computed::Complex { re: 1e-7, im: -2.151 }));
        assert!(!p.accepts(&Computed::Complex { re: 0.01, im: 2.151 }));
        assert_eq!(printed("\u{b1}2.15i"), Printed { text: "\u{b1}2.15i".to_owned(), ..p });
    }

    #[test]
    fn complex_parts_are_split_at_the_right_sign() {
        let p = printed("-0.24+-2.13i");
        assert_eq!((p.re().digits, p.im().unwrap().digits, p.is_pair()), (-24, 213, true));
        let p = printed("-1.5e-3 - 2.5e+1i");
        assert_eq!((p.re().digits, p.im().unwrap().digits, p.is_pair()), (-15, -25, false));
        assert!(p.accepts(&Computed::Complex { re: -0.0015, im: -25.0 }));
        assert!(!p.accepts(&Computed::Complex { re: -0.0015, im: 25.0 }));
        let p = printed("+2.5i");
        assert_eq!((p.re().digits, p.im().unwrap().digits, p.is_pair()), (0, 25, false));
    }

    #[test]
    fn a_real_answer_must_not_hide_an_imaginary_part() {
        assert!(!printed("1.0").accepts(&Computed::Complex { re: 1.0, im: 1e-9 }));
    }

    #[test]
    fn inequalities_are_strict_where_the_sentence_is() {
        assert!(printed("< 3e-6").accepts(&Computed::Real(-2.9e-6)));
        assert!(!printed("< 3e-6").accepts(&Computed::Real(3e-6)));
        assert!(printed("<= 3e-6").accepts(&Computed::Real(3e-6)));
        assert!(printed("> 2").accepts(&Computed::Real(2.5)));
        assert!(!printed("> 2").accepts(&Computed::Real(-2.5)));
        assert!(
            !printed("> 0").accepts(&Computed::Real(-1e-3)) && !printed("> 0").accepts(&Computed::Real(0.0))
        );
        assert!(printed("> 2").accepts(&Computed::Complex { re: -2.0, im: 1.0 }));
        assert!("< 3e-6i".parse::<Printed>().is_err());
    }

    #[test]
    fn deviation_is_the_larger_of_the_two_parts() {
        let d = printed("-0.25+-2.5i").deviation(&Computed::Complex { re: -0.5, im: -2.625 }).unwrap();
        assert!((d - 0.25).abs() < f64::EPSILON);
        let d = printed("+-3").deviation(&Computed::Real(-3.5)).unwrap();
        assert!((d - 0.5).abs() < f64::EPSILON);
    }

    #[test]
    fn what_no_paper_prints_is_refused_with_its_own_text() {
        for text in
            ["", "abc", "1.2.3", ".5", "--1", "1e", "1e5.5", "1e999", "nan", "inf", "i", "+-i", "1+i2"]
        {
            match text.parse::<Printed>() {
                Err(GalleryError::NotANumber { text: named, .. }) => assert_eq!(named, text),
                other => panic!("`{text}` gave {other:?}"),
            }
        }
        assert!("1".repeat(35).parse::<Printed>().is_err());
    }
}
