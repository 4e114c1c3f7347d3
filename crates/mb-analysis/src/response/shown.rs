//! How a response is shown: units of its entries, its peaks as a table.

use super::{AtAll, ModelResponse};
use crate::number::{six, tiny};
use crate::tables::{columns, number, optional};
use mb_algebra::c64;
use mb_report::{Cell, Table};
use mb_response::Zeros;
use std::f64::consts::TAU;

impl ModelResponse {
    /// The unit of one entry, output over input; empty where one of them has none of its own.
    pub fn unit(&self, (output, input): (usize, usize)) -> String {
        quotient(&self.output_units[output], &self.input_units[input])
    }
    /// The unit of all entries; none where they differ.
    pub fn common_unit(&self) -> Option<String> {
        let entries = (0..self.outputs.len()).flat_map(|o| (0..self.inputs.len()).map(move |i| (o, i)));
        let mut units = entries.map(|at| self.unit(at));
        let first = units.next()?;
        units.all(|unit| unit == first).then_some(first)
    }
    /// The peaks by entry, in increasing frequency; an undamped pole has an infinite one.
    pub fn peak_table(&self) -> Table {
        let row = |peak: &mb_response::Peak| {
            let (output, input) = peak.entry;
            let size = peak.value.map(|(h, _)| h.norm());
            let share = peak.value.map(|(h, bound)| bound / h.norm()).filter(|share| share.is_finite());
            vec![
                Cell::Words(format!("{} / {}", self.outputs[output], self.inputs[input])),
                number(peak.omega / TAU),
                half_width(0.5 * (peak.within[1] - peak.within[0]) / TAU),
                size.map_or_else(|| Cell::Number(f64::INFINITY, "infinite".to_owned()), number),
                Cell::Words(self.unit(peak.entry)),
                optional(size.filter(|h| *h > 0.0).map(|h| 20.0 * h.log10())),
                share.map_or_else(|| optional(None), half_width),
            ]
        };
        Table {
            title: "Peaks".to_owned(),
            note: String::new(),
            columns: columns(&[
                ("response", ""),
                ("f", "Hz"),
                ("±", "Hz"),
                ("magnitude", ""),
                ("unit", ""),
                ("level", "dB"),
                ("relative error", ""),
            ]),
            rows: self.peaks.iter().map(row).collect(),
        }
    }

    /// Root mean squares of the outputs for random inputs, in the band and at all frequencies; without rows where nothing is random.
    pub fn mean_square_table(&self) -> Table {
        // Half of the relative error of the square.
        let root = |value: f64, error: f64| {
            [number(value.max(0.0).sqrt()), half_width(0.5 * error / value.max(f64::MIN_POSITIVE))]
        };
        let row = |(name, random): (&String, &super::RandomOutput)| {
            let all = match &random.all {
                AtAll::Known(v) => root(v.value, v.bound),
                AtAll::Infinite(_) => [Cell::Number(f64::INFINITY, "infinite".to_owned()), optional(None)],
                AtAll::Unknown(_) => [optional(None), optional(None)],
            };
            let band = root(random.band.value, random.band.error);
            std::iter::once(Cell::Words(name.clone())).chain(band).chain(all).collect()
        };
        Table {
            title: "Root mean squares".to_owned(),
            note: String::new(),
            columns: columns(&[
                ("output", ""),
                ("in the band", ""),
                ("relative error", ""),
                ("at all frequencies", ""),
                ("relative error", ""),
            ]),
            rows: self.outputs.iter().zip(&self.random).map(row).collect(),
        }
    }

    /// Poles and zeros of one entry, of each conjugate pair the upper one.
    pub fn zeros_table(&self, (output, input): (usize, usize), zeros: &Zeros) -> Table {
        let row = |root: Root| {
            let s = root.s;
            vec![Cell::Words(root.word.to_owned()), number(s.re), number(s.im), number(s.im / TAU)]
        };
        Table {
            title: format!("Poles and zeros of {} / {}", self.outputs[output], self.inputs[input]),
            note: format!("Gain {}; {}.", gain_in_words(zeros), product_in_words(zeros)),
            columns: columns(&[("", ""), ("re", "1/s"), ("im", "rad/s"), ("f", "Hz")]),
            rows: upper_roots(zeros).into_iter().map(row).collect(),
        }
    }
}

/// A pole or a zero as tables show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// "pole", "zero" or "cancelled".
    pub word: &'static str,
    /// Its place, rad/s.
    pub s: c64,
    /// Whether its conjugate is one too.
    pub paired: bool,
}

/// Poles, zeros and what cancels, of conjugate pairs the upper ones, by rising |s|.
pub fn upper_roots(zeros: &Zeros) -> Vec<Root> {
    let lists = [("pole", &zeros.poles), ("zero", &zeros.zeros), ("cancelled", &zeros.cancelled)];
    let of = |(word, list): (&'static str, &Vec<c64>)| {
        let paired = |s: c64| s.im.abs() > 0.0 && list.contains(&s.conj());
        let all = list.iter().map(|s| Root { word, s: *s, paired: paired(*s) });
        let mut upper: Vec<Root> = all.filter(|root| !(root.paired && root.s.im < 0.0)).collect();
        upper.sort_by(|a, b| a.s.norm().total_cmp(&b.s.norm()));
        upper
    };
    lists.into_iter().flat_map(of).collect()
}

/// The gain, with structural damping a complex number.
pub fn gain_in_words(zeros: &Zeros) -> String {
    let gain = zeros.gain;
    if gain.im.abs() > 0.0 {
        let sign = if gain.im < 0.0 { '-' } else { '+' };
        format!("{} {sign} {} i", six(gain.re), six(gain.im.abs()))
    } else {
        six(gain.re)
    }
}

/// How well poles, zeros and gain give the response.
pub fn product_in_words(zeros: &Zeros) -> String {
    let error = tiny(zeros.relative_error);
    if zeros.is_determined() {
        format!("the product of poles and zeros is within {error} of the response")
    } else {
        format!("NOT DETERMINED: the product of these poles and zeros differs from the response by {error}")
    }
}

/// An error, with two digits.
fn half_width(x: f64) -> Cell {
    Cell::Number(x, tiny(x))
}

/// `m/N` of `m` and `N`; what has products or quotients of its own stands in brackets.
fn quotient(output: &str, input: &str) -> String {
    if output.is_empty() || input.is_empty() {
        return String::new();
    }
    let [output, input] = [output, input]
        .map(|unit| if unit.contains([' ', '/']) { format!("({unit})") } else { unit.to_owned() });
    format!("{output}/{input}")
}

#[cfg(test)]
mod tests {
    use super::quotient;

    #[test]
    fn units_of_quotients() {
        assert_eq!(quotient("m", "N"), "m/N");
        assert_eq!(quotient("rad/s", "N m"), "(rad/s)/(N m)");
        assert_eq!(quotient("m", "m/s^2"), "m/(m/s^2)");
        assert_eq!(quotient("", "N"), "");
    }
}
