//! Verdicts on computed values, one for each cell of a table.
//!
//! A verdict says how a computed value stands to the value of the source, and never hides a disagreement: what is
//! explained carries its reason (`misprint`, `open`), what is not explained is `deviates`, and a value that was not
//! computed is `missing`. The last two make a check fail.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::printed::{Computed, Printed, Relation, agree_but_for_rounding};
use crate::table::{Cell, Judge, Note, Tolerance};

/// How a computed value stands to the value of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// Agrees to all printed digits, or to the stated tolerance of a value that was computed separately.
    Reproduced,
    /// Ours is at or below a printed error.
    Bound,
    /// A statement of the source holds: an inequality, a count, a word of a table of features.
    Claim,
    /// The printed value is proved wrong; ours agrees with the corrected value.
    Misprint,
    /// Does not agree; the reason is given and the question is open.
    Open,
    /// A printed number that the computation starts from, as printed: no result.
    Input,
    /// Shown with the printed value and not judged: elapsed times.
    Information,
    /// Does not agree, and nothing explains it.
    Deviates,
    /// The source has a value here and the program gave none.
    Missing,
}

impl Verdict {
    /// The stable name used in fixtures, records and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Bound => "bound",
            Self::Claim => "claim",
            Self::Misprint => "misprint",
            Self::Open => "open",
            Self::Input => "input",
            Self::Information => "information",
            Self::Deviates => "deviates",
            Self::Missing => "missing",
        }
    }

    /// Whether a check must fail on it whatever was recorded before.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Deviates | Self::Missing)
    }

    /// 0 for the best. Agreement to the digits is more than a bound, and a judged cell is more than a shown one.
    fn rank(self) -> u8 {
        match self {
            Self::Reproduced => 0,
            Self::Bound | Self::Claim => 1,
            Self::Misprint => 2,
            Self::Input | Self::Information => 3,
            Self::Open => 4,
            Self::Deviates => 5,
            Self::Missing => 6,
        }
    }

    /// Whether this verdict is worse than one recorded earlier for the same cell.
    pub fn is_worse_than(self, recorded: Self) -> bool {
        self.rank() > recorded.rank()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A verdict with what a reader needs to follow it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Distance of computed from printed, in the unit of the column; `None` for words and missing values.
    pub deviation: Option<f64>,
    /// Why, for a verdict that needs a reason.
    pub reason: Option<String>,
}

/// The verdict on a bare pair of values: `reproduced` or `claim` when the printed value accepts the computed one,
/// `deviates` otherwise.
pub fn verdict(printed: &Printed, computed: &Computed) -> Verdict {
    match (printed.accepts(computed), printed.relation()) {
        (true, Relation::Equal) => Verdict::Reproduced,
        (true, _) => Verdict::Claim,
        (false, _) => Verdict::Deviates,
    }
}

/// The verdict on one cell, as its column asks to be judged and with the notes the fixture holds for it.
///
/// `tolerance` is that of the column; it exists only where the values were not printed but computed separately.
pub fn judge(
    cell: &Cell,
    how: Judge,
    tolerance: Option<&Tolerance>,
    computed: Option<&Computed>,
) -> Judgement {
    let Some(value) = computed else {
        let reason = "the program gave no value".to_owned();
        return Judgement { verdict: Verdict::Missing, deviation: None, reason: Some(reason) };
    };
    let deviation = cell.number().and_then(|printed| printed.deviation(value));
    let plain = without_notes(cell, how, tolerance, value, deviation);
    let (verdict, reason) = match (plain, &cell.note) {
        (Verdict::Deviates, Some(Note::Misprint { corrected, reason })) => {
            let agrees = corrected.accepts(value);
            let why = format!("{reason} Corrected: {corrected}.");
            (if agrees { Verdict::Misprint } else { Verdict::Deviates }, Some(why))
        }
        (Verdict::Deviates, Some(Note::Open { reason })) => (Verdict::Open, Some(reason.clone())),
        (Verdict::Deviates, None) => (Verdict::Deviates, None),
        (other, Some(Note::Remark { reason })) => (other, Some(reason.clone())),
        (other, _) => (other, None),
    };
    Judgement { verdict, deviation, reason }
}

fn without_notes(
    cell: &Cell,
    how: Judge,
    tolerance: Option<&Tolerance>,
    value: &Computed,
    deviation: Option<f64>,
) -> Verdict {
    match how {
        Judge::Key | Judge::Text | Judge::Information => Verdict::Information,
        Judge::Input => {
            let same = match (cell.number(), value) {
                (Some(printed), value) => printed.is(value),
                (None, Computed::Word(word)) => *word == cell.text,
                (None, Computed::Real(x)) => {
                    cell.expression().is_some_and(|e| agree_but_for_rounding(*x, e, 0.0))
                }
                (None, Computed::Complex { .. }) => false,
            };
            if same { Verdict::Input } else { Verdict::Deviates }
        }
        Judge::Words => match value {
            Computed::Word(word) if *word == cell.text => Verdict::Claim,
            _ => Verdict::Deviates,
        },
        Judge::Digits | Judge::Claim | Judge::Bound => {
            let Some(printed) = cell.number() else { return Verdict::Deviates };
            let within = match (tolerance, deviation) {
                (Some(tolerance), Some(deviation)) => deviation <= tolerance.absolute,
                _ => printed.accepts(value),
            };
            match how {
                Judge::Claim if within => Verdict::Claim,
                _ if within => Verdict::Reproduced,
                Judge::Bound if printed.bounds(value) => Verdict::Bound,
                _ => Verdict::Deviates,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str, note: Option<Note>) -> Cell {
        Cell::number_of(text, note).unwrap()
    }

    fn judged(cell: &Cell, how: Judge, value: f64) -> Verdict {
        judge(cell, how, None, Some(&Computed::Real(value))).verdict
    }

    #[test]
    fn digits_reproduce_or_deviate() {
        let c = cell("1.82", None);
        assert_eq!(judged(&c, Judge::Digits, 1.823), Verdict::Reproduced);
        assert_eq!(judged(&c, Judge::Digits, 1.83), Verdict::Deviates);
        assert_eq!(judged(&c, Judge::Digits, f64::NAN), Verdict::Deviates);
        assert_eq!(judge(&c, Judge::Digits, None, None).verdict, Verdict::Missing);
    }

    #[test]
    fn a_misprint_must_agree_with_its_correction() {
        let note =
            Note::Misprint { corrected: "1.83".parse().unwrap(), reason: "Not an equilibrium.".to_owned() };
        let c = cell("1.82", Some(note));
        assert_eq!(judged(&c, Judge::Digits, 1.829), Verdict::Misprint);
        assert_eq!(judged(&c, Judge::Digits, 1.9), Verdict::Deviates);
        assert_eq!(judged(&c, Judge::Digits, 1.82), Verdict::Reproduced);
    }

    #[test]
    fn an_open_cell_is_open_only_while_it_disagrees() {
        let c = cell("464", Some(Note::Open { reason: "the paper's ordering is not known".to_owned() }));
        assert_eq!(judged(&c, Judge::Digits, 400.0), Verdict::Open);
        assert_eq!(judged(&c, Judge::Digits, 464.0), Verdict::Reproduced);
    }

    #[test]
    fn a_bound_is_an_upper_bound() {
        let c = cell("6.7e-11", None);
        assert_eq!(judged(&c, Judge::Bound, 1e-14), Verdict::Bound);
        assert_eq!(judged(&c, Judge::Bound, 6.71e-11), Verdict::Reproduced);
        assert_eq!(judged(&c, Judge::Bound, 1e-10), Verdict::Deviates);
    }

    #[test]
    fn an_input_is_the_printed_number_or_expression_itself() {
        assert_eq!(judged(&cell("0.3", None), Judge::Input, 0.1 + 0.2), Verdict::Input);
        assert_eq!(judged(&cell("0.3", None), Judge::Input, 0.26), Verdict::Deviates);
        let formula = Cell::words("10^4/12");
        assert_eq!(judged(&formula, Judge::Input, 1e4 / 12.0), Verdict::Input);
        assert_eq!(judged(&formula, Judge::Input, 833.3), Verdict::Deviates);
        assert_eq!(judged(&Cell::words("ode45"), Judge::Input, 45.0), Verdict::Deviates);
    }

    #[test]
    fn words_must_be_equal() {
        let c = Cell::words("Yes");
        let yes = Computed::Word("Yes".to_owned());
        let no = Computed::Word("No".to_owned());
        assert_eq!(judge(&c, Judge::Words, None, Some(&yes)).verdict, Verdict::Claim);
        assert_eq!(judge(&c, Judge::Words, None, Some(&no)).verdict, Verdict::Deviates);
    }

    #[test]
    fn a_stated_tolerance_replaces_the_digits() {
        let c = cell("1.5", None);
        let tolerance = Tolerance { absolute: 1e-3, reason: "two routes".to_owned() };
        let at = |x| judge(&c, Judge::Digits, Some(&tolerance), Some(&Computed::Real(x))).verdict;
        assert_eq!(at(1.5 + 0.9e-3), Verdict::Reproduced);
        assert_eq!(at(1.52), Verdict::Deviates);
    }

    #[test]
    fn every_failure_is_worse_than_every_other_verdict() {
        use Verdict::{Bound, Claim, Deviates, Information, Misprint, Missing, Open, Reproduced};
        for good in [Reproduced, Bound, Claim, Misprint, Open, Information] {
            for bad in [Deviates, Missing] {
                assert!(bad.is_failure() && !good.is_failure());
                assert!(bad.is_worse_than(good) && !good.is_worse_than(bad));
            }
        }
        assert!(Open.is_worse_than(Reproduced) && !Reproduced.is_worse_than(Reproduced));
    }
}
