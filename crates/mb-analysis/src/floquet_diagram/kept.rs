//! A periodic motion of a diagram as numbers of a checkpoint.

use super::Sample;
use mb_algebra::c64;
use mb_parametric::journal::{Reader, Writer};
use mb_periodic::{Class, Multiplier, Stability};
use std::cell::OnceCell;

const CLASSES: [Class; 6] =
    [Class::Trivial, Class::Ignorable, Class::Growing, Class::Neutral, Class::Decaying, Class::Unresolved];
const VERDICTS: [Stability; 4] =
    [Stability::Stable, Stability::Unstable, Stability::Undecided, Stability::Unresolved];

/// The place of a value in a list of all.
fn number<T: PartialEq>(all: &[T], one: &T) -> usize {
    all.iter().position(|other| other == one).unwrap_or(all.len())
}

/// A motion as numbers.
pub(super) fn written(sample: &Sample) -> Vec<f64> {
    let Sample { start: [q, v], period, multipliers, stability, .. } = sample;
    let mut out = Writer::default();
    out.list(q).list(v).number(*period).count(number(&VERDICTS, stability)).count(multipliers.len());
    for m in multipliers {
        out.complex(m.value).number(m.error).number(m.condition);
        out.count(usize::from(m.exponent.is_some())).complex(m.exponent.unwrap_or(c64::ZERO));
        out.count(number(&CLASSES, &m.class));
    }
    out.done()
}

/// The motion at a value that was written; none where the numbers are no such.
pub(super) fn read(value: f64, numbers: &[f64]) -> Option<Sample> {
    let mut from = Reader::new(numbers);
    let start = [from.list()?, from.list()?];
    let (period, stability) = (from.number()?, *VERDICTS.get(from.count()?)?);
    let multipliers = (0..from.count()?).map(|_| {
        let (value, error, condition) = (from.complex()?, from.number()?, from.number()?);
        let exponent = (from.count()? == 1, from.complex()?);
        let (exponent, class) = (exponent.0.then_some(exponent.1), *CLASSES.get(from.count()?)?);
        Some(Multiplier { value, error, condition, exponent, class, vector: Vec::new() })
    });
    let multipliers = multipliers.collect::<Option<_>>()?;
    from.is_done().then_some(Sample { value, start, period, multipliers, stability, logs: OnceCell::new() })
}
