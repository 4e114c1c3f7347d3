//! What to do about each fault of an expression.

use super::expression::{ExpressionError, ExpressionFault};
use super::nearest;
use crate::law::Function;

/// Names that other languages have for functions, and what stands for them here.
const ELSEWHERE: [(&str, &str); 22] = [
    ("pi", "write `pi` without brackets"),
    ("log", "write `ln` for the natural logarithm"),
    ("log10", "write `ln(x)/ln(10)` for the logarithm to base 10"),
    ("log2", "write `ln(x)/ln(2)` for the logarithm to base 2"),
    ("arcsin", "write `asin`"),
    ("arccos", "write `acos`"),
    ("arctan", "write `atan`"),
    ("arctan2", "write `atan2`"),
    ("asn", "write `asin`"),
    ("acs", "write `acos`"),
    ("atn", "write `atan`"),
    ("tg", "write `tan`"),
    ("arctg", "write `atan`"),
    ("pow", POWER),
    ("power", POWER),
    ("sqr", POWER),
    ("square", POWER),
    ("fabs", "write `abs`"),
    ("sgn", "write `sign`"),
    ("signum", "write `sign`"),
    ("radians", "write `deg(x)` for an angle of x degrees"),
    ("rad", "angles are in rad; write `deg(x)` for an angle of x degrees"),
];

const POWER: &str = "write `x^2` for a power with a whole number, and `exp(y*ln(x))` for another one";

impl ExpressionError {
    /// What to do about it, and where.
    pub(super) fn help(&self, text: &str) -> String {
        let (before, after) = text.split_at_checked(self.offset).unwrap_or((text, ""));
        let place = format!("at character {} of the expression", before.chars().count() + 1);
        let remedy = match &self.fault {
            ExpressionFault::UnknownFunction { name } => meant(name),
            ExpressionFault::MissingOperand if before.ends_with('*') && after.starts_with('*') => {
                Some(POWER.to_owned())
            }
            ExpressionFault::Power => Some(POWER.to_owned()),
            ExpressionFault::MissingOperand if text.trim().is_empty() => {
                Some("write a number, or an expression of parameters such as `2*L/3`".to_owned())
            }
            ExpressionFault::MissingOperand => {
                Some("write what the operator is applied to, or leave it out".to_owned())
            }
            ExpressionFault::Character { .. } => {
                Some("an expression has numbers, names, `+ - * / ^`, parentheses and functions".to_owned())
            }
            ExpressionFault::Number { .. } => Some("numbers are written as `2.5` or `1e-3`".to_owned()),
            _ => None,
        };
        remedy.map_or_else(|| place.clone(), |remedy| format!("{remedy} ({place})"))
    }
}

/// What is meant by the name of a function that there is not.
fn meant(name: &str) -> Option<String> {
    let elsewhere = ELSEWHERE.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    elsewhere.map(|(_, remedy)| (*remedy).to_owned()).or_else(|| {
        let near = nearest(name, Function::NAMES.map(|(known, _)| known))?;
        Some(format!("did you mean `{near}`?"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::expression::parse;

    fn help(text: &str) -> String {
        parse(text).unwrap_err().help(text)
    }

    #[test]
    fn names_of_other_languages_lead_to_those_here() {
        for (text, words) in [
            ("1 + log(w)", "`ln`"),
            ("ArcTan(w)", "`atan`"),
            ("arcsin(w)", "`asin`"),
            ("arccos(w)", "`acos`"),
            ("arctan2(w, 1)", "`atan2`"),
            ("pow(w, 2)", "`x^2`"),
            ("power(w, 2)", "`x^2`"),
            ("w**2", "`x^2`"),
            ("w^0.5", "`exp(y*ln(x))`"),
            ("Sin(w)", "did you mean `sin`?"),
            ("sqt(w)", "did you mean `sqrt`?"),
        ] {
            assert!(help(text).contains(words), "{text}: {}", help(text));
        }
        assert_eq!(
            help("1 + log(w)"),
            "write `ln` for the natural logarithm (at character 5 of the expression)"
        );
        assert_eq!(help("bessel(w)"), "at character 1 of the expression");
    }
}
