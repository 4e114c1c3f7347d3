//! Arithmetic expressions as they stand in a model file: `"2*(a + b)"`, `"deg(30)"`.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = sign { ("*" | "/") sign }
//! sign    = ("-" | "+") sign | power
//! power   = atom [ "^" ["-"] whole number ]
//! atom    = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
//! ```
//!
//! Names are parameters, indices of `[[repeat]]`, `pi`, and `t` where a law of time may stand.
//! Depth and length are limited so that no text can exhaust the stack.

use crate::law::{Function, Term};
use std::fmt;

/// Most operators and calls in one expression.
const MAX_OPERATIONS: usize = 400;

/// A leaf of an expression: a number or a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// A number, never negative.
    Number(f64),
    /// A parameter, an index, `pi` or `t`.
    Name(String),
}

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionFault {
    /// Nothing where a value must stand.
    #[error("a number, a name or `(` is missing here")]
    MissingOperand,
    /// Two values side by side, or a stray character.
    #[error("`{found}` is not expected here; {}", remedy(found))]
    MissingOperator {
        /// What stands there.
        found: String,
    },
    /// A character that no expression has.
    #[error("`{found}` has no meaning in an expression")]
    Character {
        /// The character.
        found: char,
    },
    /// An opening parenthesis without its partner.
    #[error("`)` is missing")]
    Unclosed,
    /// A number that cannot be read.
    #[error("`{text}` is not a number")]
    Number {
        /// The text.
        text: String,
    },
    /// A power that is not a whole number.
    #[error("a power is a whole number between -64 and 64; write sqrt(x) for the square root")]
    Power,
    /// A function that does not exist.
    #[error("there is no function `{name}`; there are {}", Function::NAMES.map(|(name, _)| name).join(", "))]
    UnknownFunction {
        /// The name.
        name: String,
    },
    /// A function without its argument.
    #[error("the function `{name}` needs an argument in parentheses")]
    MissingArgument {
        /// The name.
        name: String,
    },
    /// A function with too few or too many arguments.
    #[error(
        "the function `{name}` takes {needed} argument(s) in parentheses, parted by commas; here are {found}"
    )]
    ArgumentCount {
        /// The name.
        name: String,
        /// How many it takes.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// Too long or too deeply nested.
    #[error("the expression has more than {MAX_OPERATIONS} operations; split it with parameters")]
    TooLong,
}

/// What to do about something that stands behind a value.
fn remedy(found: &str) -> &'static str {
    match found.chars().next() {
        Some(',') => "numbers are written with a decimal point, and lists as [1, 2]",
        Some(c) if c.is_alphabetic() => {
            "an operator such as `*` may be missing, and units are not written: values are in SI units (m, kg, s, N, rad)"
        }
        _ => "an operator such as `*` may be missing",
    }
}

/// An expression fault and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct ExpressionError {
    /// Byte offset in the text of the expression.
    pub offset: usize,
    /// What is wrong.
    pub fault: ExpressionFault,
}

/// Reads an expression.
pub fn parse(text: &str) -> Result<Term<Leaf>, ExpressionError> {
    let mut p = Parser { text, at: 0, operations: 0 };
    let term = p.sum()?;
    p.skip_space();
    match p.rest().chars().next() {
        None => Ok(term),
        Some(c) => Err(p.unexpected(c)),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    operations: usize,
}

type Parsed = Result<Term<Leaf>, ExpressionError>;

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }
    fn error(&self, fault: ExpressionFault) -> ExpressionError {
        ExpressionError { offset: self.at, fault }
    }
    fn unexpected(&self, c: char) -> ExpressionError {
        let known = c.is_alphanumeric() || "_.+-*/^(),".contains(c);
        if !known {
            return self.error(ExpressionFault::Character { found: c });
        }
        let word: String = self.rest().chars().take_while(|c| is_name_part(*c) || *c == '.').collect();
        let found = if word.is_empty() { c.to_string() } else { word };
        self.error(ExpressionFault::MissingOperator { found })
    }
    /// Takes one of `operators`, if it is next, and counts it.
    fn operator(&mut self, operators: &str) -> Result<Option<char>, ExpressionError> {
        self.skip_space();
        let Some(c) = self.rest().chars().next().filter(|c| operators.contains(*c)) else { return Ok(None) };
        self.operations += 1;
        if self.operations > MAX_OPERATIONS {
            return Err(self.error(ExpressionFault::TooLong));
        }
        self.at += 1;
        Ok(Some(c))
    }
    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        while let Some(c) = self.operator("+-")? {
            let (a, b) = (Box::new(left), Box::new(self.product()?));
            left = if c == '+' { Term::Sum(a, b) } else { Term::Difference(a, b) };
        }
        Ok(left)
    }
    fn product(&mut self) -> Parsed {
        let mut left = self.sign()?;
        while let Some(c) = self.operator("*/")? {
            let (a, b) = (Box::new(left), Box::new(self.sign()?));
            left = if c == '*' { Term::Product(a, b) } else { Term::Quotient(a, b) };
        }
        Ok(left)
    }
    fn sign(&mut self) -> Parsed {
        match self.operator("+-")? {
            Some('-') => Ok(Term::Negative(Box::new(self.sign()?))),
            Some(_) => self.sign(),
            None => self.power(),
        }
    }
    fn power(&mut self) -> Parsed {
        let base = self.atom()?;
        if self.operator("^")?.is_none() {
            return Ok(base);
        }
        self.skip_space();
        let start = self.at;
        let negative = self.rest().starts_with('-');
        self.at += usize::from(negative);
        let digits = self.rest().chars().take_while(|c| is_name_part(*c) || *c == '.').count();
        let n =
            self.rest().get(..digits).and_then(|d| d.parse::<i32>().ok()).filter(|n| (0..=64).contains(n));
        let Some(n) = n else {
            self.at = start;
            return Err(self.error(ExpressionFault::Power));
        };
        self.at += digits;
        Ok(Term::Power(Box::new(base), if negative { -n } else { n }))
    }
    fn atom(&mut self) -> Parsed {
        self.skip_space();
        let start = self.at;
        match self.rest().chars().next() {
            Some('(') => self.parenthesis(),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if is_name_start(c) => {
                let name: String = self.rest().chars().take_while(|c| is_name_part(*c)).collect();
                self.at += name.len();
                self.skip_space();
                let function = Function::named(&name);
                if self.rest().starts_with('(') {
                    let Some(function) = function else {
                        self.at = start;
                        return Err(self.error(ExpressionFault::UnknownFunction { name }));
                    };
                    let list = self.arguments()?;
                    let (needed, found) = (function.arguments(), list.len());
                    if needed != found {
                        self.at = start;
                        return Err(self.error(ExpressionFault::ArgumentCount { name, needed, found }));
                    }
                    return Ok(Term::Call(function, list));
                }
                if function.is_some() {
                    return Err(self.error(ExpressionFault::MissingArgument { name }));
                }
                Ok(Term::Leaf(Leaf::Name(name)))
            }
            Some(c) if !"+-*/^),".contains(c) => Err(self.unexpected(c)),
            _ => Err(self.error(ExpressionFault::MissingOperand)),
        }
    }
    fn parenthesis(&mut self) -> Parsed {
        let open = self.at;
        let _ = self.operator("(")?;
        let inner = self.sum()?;
        self.closed(open)?;
        Ok(inner)
    }
    /// The arguments of a function, in parentheses.
    fn arguments(&mut self) -> Result<Vec<Term<Leaf>>, ExpressionError> {
        let open = self.at;
        let _ = self.operator("(")?;
        let mut list = vec![self.sum()?];
        while self.operator(",")?.is_some() {
            list.push(self.sum()?);
        }
        self.closed(open)?;
        Ok(list)
    }
    /// Takes the parenthesis that closes the one at `open`.
    fn closed(&mut self, open: usize) -> Result<(), ExpressionError> {
        self.skip_space();
        match self.rest().chars().next() {
            Some(')') => {
                self.at += 1;
                Ok(())
            }
            Some(c) => Err(self.unexpected(c)),
            None => Err(ExpressionError { offset: open, fault: ExpressionFault::Unclosed }),
        }
    }
    fn number(&mut self) -> Parsed {
        let rest = self.rest().as_bytes();
        let digits = |from: usize| rest[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = digits(0);
        if rest.get(end) == Some(&b'.') {
            end += 1 + digits(end + 1);
        }
        if matches!(rest.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits((end + 1 + sign).min(rest.len()));
            if exponent > 0 {
                end += 1 + sign + exponent;
            }
        }
        let text = &self.rest()[..end];
        match text.parse::<f64>() {
            Ok(x) if x.is_finite() => {
                self.at += end;
                Ok(Term::Leaf(Leaf::Number(x)))
            }
            _ => Err(self.error(ExpressionFault::Number { text: text.to_owned() })),
        }
    }
}

/// True for the first character of a name in an expression.
pub(super) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}
/// True for a further character of a name in an expression.
pub(super) fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Function {
    /// Every function with its name in an expression.
    pub const NAMES: [(&'static str, Self); 16] = [
        ("sin", Self::Sin),
        ("cos", Self::Cos),
        ("tan", Self::Tan),
        ("asin", Self::Asin),
        ("acos", Self::Acos),
        ("atan", Self::Atan),
        ("atan2", Self::Atan2),
        ("sqrt", Self::Sqrt),
        ("exp", Self::Exp),
        ("ln", Self::Ln),
        ("abs", Self::Abs),
        ("min", Self::Min),
        ("max", Self::Max),
        ("sign", Self::Sign),
        ("if", Self::If),
        ("deg", Self::Deg),
    ];
    /// The function of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
    }
    /// Its name in an expression.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, f)| *f == self).map_or("", |(n, _)| n)
    }
}

impl fmt::Display for Term<Leaf> {
    /// Writes the expression so that it reads back as the same tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl Term<Leaf> {
    /// Writes with parentheses when the operator binds less than `level` asks for.
    fn write(&self, f: &mut fmt::Formatter<'_>, level: u8) -> fmt::Result {
        let own = match self {
            Self::Sum(..) | Self::Difference(..) => 1,
            Self::Product(..) | Self::Quotient(..) => 2,
            Self::Negative(_) => 3,
            Self::Power(..) => 4,
            Self::Leaf(_) | Self::Call(..) => 5,
        };
        if own < level {
            f.write_str("(")?;
        }
        match self {
            Self::Leaf(Leaf::Number(x)) => write!(f, "{x:?}")?,
            Self::Leaf(Leaf::Name(n)) => f.write_str(n)?,
            Self::Negative(a) => {
                f.write_str("-")?;
                a.write(f, 3)?;
            }
            Self::Sum(a, b) => pair(f, a, " + ", b, 1)?,
            Self::Difference(a, b) => pair(f, a, " - ", b, 1)?,
            Self::Product(a, b) => pair(f, a, "*", b, 2)?,
            Self::Quotient(a, b) => pair(f, a, "/", b, 2)?,
            Self::Power(a, n) => {
                a.write(f, 5)?;
                write!(f, "^{n}")?;
            }
            Self::Call(g, list) => {
                write!(f, "{}(", g.name())?;
                for (k, a) in list.iter().enumerate() {
                    f.write_str(if k > 0 { ", " } else { "" })?;
                    a.write(f, 0)?;
                }
                f.write_str(")")?;
            }
        }
        if own < level { f.write_str(")") } else { Ok(()) }
    }
}

/// A left-associative operator: the right side is put in parentheses at the same level.
fn pair(f: &mut fmt::Formatter<'_>, a: &Term<Leaf>, sign: &str, b: &Term<Leaf>, level: u8) -> fmt::Result {
    a.write(f, level)?;
    f.write_str(sign)?;
    b.write(f, level + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        parse(text).unwrap().eval(&|leaf| match leaf {
            Leaf::Number(x) => *x,
            Leaf::Name(n) => f64::from(u8::try_from(n.len()).unwrap()),
        })
    }
    fn is(text: &str, expected: f64) {
        assert!((value(text) - expected).abs() < 1e-15, "{text}");
    }
    fn fault(text: &str) -> (usize, ExpressionFault) {
        let e = parse(text).unwrap_err();
        (e.offset, e.fault)
    }

    #[test]
    fn operators_bind_as_in_arithmetic() {
        is("1 + 2*3 - 4/8", 6.5);
        is("8/2/2", 2.0);
        is("5-2-1", 2.0);
        is("-2^2", -4.0);
        is("2^-1 * (1+1)^3", 4.0);
        is("--3 + +1", 4.0);
        is("1e-1*10 + .5 + 2.E1", 21.5);
        is("sqrt(abs(-16))*ab", 8.0);
        is("deg(180)", core::f64::consts::PI);
    }

    #[test]
    fn functions_of_one_to_three_numbers() {
        use core::f64::consts::PI;
        is("asin(1/2) - pi2", PI / 6.0 - 3.0);
        is("acos(-1/2)", 2.0 * PI / 3.0);
        is("atan(-1)", -PI / 4.0);
        is("atan2(1, -1)", 3.0 * PI / 4.0);
        is("min(2, 1+3) - max(-1, -2)", 3.0);
        is("sign(-3) + sign(0) + 2*sign(1e-300)", 1.0);
        is("if(1 - 2, 1/0, if(1, 7, 8))", 7.0);
        is("if(0, 1, 2)", 2.0);
        assert!(
            value("asin(1.5)").is_nan()
                && value("min(asin(2), 1)").is_nan()
                && value("if(acos(2), 1, 2)").is_nan()
        );
    }

    #[test]
    fn faults_name_the_place() {
        use ExpressionFault as F;
        assert_eq!(fault(""), (0, F::MissingOperand));
        assert_eq!(fault("2*"), (2, F::MissingOperand));
        assert_eq!(fault("2L"), (1, F::MissingOperator { found: "L".into() }));
        assert_eq!(fault("(1+2"), (0, F::Unclosed));
        assert_eq!(fault("1)"), (1, F::MissingOperator { found: ")".into() }));
        assert_eq!(fault("x^0.5"), (2, F::Power));
        assert_eq!(fault("1 + foo(2)"), (4, F::UnknownFunction { name: "foo".into() }));
        assert_eq!(fault("sin + 1"), (4, F::MissingArgument { name: "sin".into() }));
        let count = |name: &str, needed, found| F::ArgumentCount { name: name.into(), needed, found };
        assert_eq!(fault("1 + atan2(1)"), (4, count("atan2", 2, 1)));
        assert_eq!(fault("sin(1, 2)"), (0, count("sin", 1, 2)));
        assert_eq!(fault("if(1, 2,)"), (8, F::MissingOperand));
        assert_eq!(fault("(1, 2)"), (2, F::MissingOperator { found: ",".into() }));
        assert_eq!(fault("1, 2"), (1, F::MissingOperator { found: ",".into() }));
        assert_eq!(fault("a ? b"), (2, F::Character { found: '?' }));
        assert_eq!(fault("1e999"), (0, F::Number { text: "1e999".into() }));
        assert_eq!(fault("."), (0, F::Number { text: ".".into() }));
        assert_eq!(fault(&"(".repeat(100_000)).1, F::TooLong);
        assert_eq!(fault(&"-".repeat(100_000)).1, F::TooLong);
        assert_eq!(fault(&"1+".repeat(100_000)).1, F::TooLong);
    }
}
