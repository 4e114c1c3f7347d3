//! How computed values are shown: to three digits more than the value they stand next to, never more than they are worth.

use mb_gallery::{Computed, Printed, Relation};

/// Digits shown beyond the printed ones.
const EXTRA_PLACES: i32 = 3;
/// Values below this share of their limit are shown as such: rounding of a part in a thousand of a limit was once more, once less
/// than that on different machines.
const FAR_BELOW: f64 = 1e-2;
/// The same for deviations, as a share of half a unit of the last printed place.
const NO_DEVIATION: f64 = 1e-3;
/// Values from here on are shown to the digits of the printed one: whole numbers are not distinguished any more, and
/// condition numbers of this size change with rounding.
const HUGE: f64 = 1e15;
/// Decimals of a number that has no printed partner.
const DEFAULT_PLACES: i32 = 6;

/// What a computed value is shown next to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beside<'a> {
    /// The printed value, unless it is a word.
    pub(crate) printed: Option<&'a Printed>,
    /// The stated tolerance, for values that were computed separately.
    pub(crate) tolerance: Option<f64>,
    /// Whether the value is an elapsed time, which is worth the printed digits and no more.
    pub(crate) machine_dependent: bool,
}

impl Beside<'_> {
    /// A computed value as text.
    pub(crate) fn computed(self, value: &Computed) -> String {
        match *value {
            Computed::Word(ref word) => word.clone(),
            Computed::Real(x) => self.real(x),
            Computed::Complex { re, im } => self.complex(re, im),
        }
    }

    fn complex(self, re: f64, im: f64) -> String {
        let places = self.places();
        let sign = if self.printed.is_some_and(Printed::is_pair) {
            "+-"
        } else if im < 0.0 {
            "-"
        } else {
            "+"
        };
        let imaginary = format!("{sign}{:.places$}i", im.abs());
        // A real part that the source leaves out, and that is zero to its places, is left out here too.
        let left_out = self.printed.is_some_and(|p| p.re().value() == 0.0 && re.abs() <= p.re().half_unit());
        if left_out { imaginary } else { format!("{re:.places$}{imaginary}") }
    }

    fn real(self, x: f64) -> String {
        let places = self.places();
        match self.printed {
            // Far below its limit a value is round-off, whose digits mean nothing.
            Some(p) if is_upper_limit(p) && x.abs() < FAR_BELOW * p.re().value() => {
                format!("< {:.0e}", FAR_BELOW * p.re().value())
            }
            Some(p) if p.relation() != Relation::Equal => format!("{x:.1e}"),
            Some(p) if p.re().last_place() == 0 && x.fract() == 0.0 => format!("{:.0}", x + 0.0),
            Some(p) if x.is_finite() && x.abs() >= HUGE => format!("{x:.*e}", decimals(p)),
            Some(p) if p.re().value() != 0.0 && p.re().value().abs() < 1e-3 => format!("{x:.3e}"),
            _ => format!("{:.places$}", x + 0.0),
        }
    }

    /// Decimals to show.
    ///
    /// With a stated tolerance: the most of which two values within the tolerance differ by one unit at most.
    fn places(self) -> usize {
        let places = match (self.tolerance, self.printed) {
            (Some(t), _) => (0..17).rfind(|&p| 10_f64.powi(-p) >= 2.0 * t).unwrap_or(0),
            (None, Some(p)) => {
                let finest =
                    p.im().map_or(p.re().last_place(), |im| im.last_place().min(p.re().last_place()));
                if self.machine_dependent { -finest } else { EXTRA_PLACES - finest }
            }
            (None, None) => DEFAULT_PLACES,
        };
        usize::try_from(places).unwrap_or(0)
    }

    /// A deviation to two digits; empty next to an inequality, where it means nothing.
    pub(crate) fn deviation(self, d: f64) -> String {
        match self.printed {
            Some(p) if p.relation() != Relation::Equal => String::new(),
            _ if d == 0.0 => "0".to_owned(),
            // Without a stated tolerance, a deviation far below the last place is round-off.
            Some(p) if self.tolerance.is_none() && d < NO_DEVIATION * p.re().half_unit() => {
                format!("< {:.0e}", NO_DEVIATION * p.re().half_unit())
            }
            _ => format!("{d:.1e}"),
        }
    }
}

/// Digits of a printed number after its first.
#[expect(clippy::cast_possible_truncation, reason = "an exponent of a finite number")]
fn decimals(printed: &Printed) -> usize {
    let value = printed.re().value().abs();
    let first = if value > 0.0 { value.log10().floor() as i32 } else { 0 };
    usize::try_from(first - printed.re().last_place()).unwrap_or(0)
}

fn is_upper_limit(printed: &Printed) -> bool {
    matches!(printed.relation(), Relation::Below | Relation::AtMost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(printed: &str, value: &Computed) -> String {
        let printed = printed.parse().expect("a printed number");
        Beside { printed: Some(&printed), ..Beside::default() }.computed(value)
    }

    #[test]
    fn three_digits_more_than_printed() {
        assert_eq!(shown("1.5", &Computed::Real(1.0 / 3.0)), "0.3333");
        assert_eq!(shown("+-0.5i", &Computed::Complex { re: 1e-2, im: -1.0 / 3.0 }), "+-0.3333i");
        assert_eq!(shown("+-0.5i", &Computed::Complex { re: -0.25, im: 0.5 }), "-0.2500+-0.5000i");
        assert_eq!(shown("0.5-0.5i", &Computed::Complex { re: 0.5, im: -0.5 }), "0.5000-0.5000i");
    }

    #[test]
    fn counts_are_whole_and_bounds_have_two_digits() {
        assert_eq!(shown("126", &Computed::Real(126.0)), "126");
        assert_eq!(shown("126", &Computed::Real(125.5)), "125.500");
        assert_eq!(shown("0", &Computed::Real(-0.0)), "0");
        assert_eq!(shown("0", &Computed::Real(1e-30)), "0.000");
        assert_eq!(shown("< 3e-6", &Computed::Real(1.0 / 3e6)), "3.3e-7");
        assert_eq!(shown("< 1e-9", &Computed::Real(1e-15)), "< 1e-11");
    }

    #[test]
    fn a_tolerance_sets_the_last_place() {
        let printed = "0.333333".parse().unwrap();
        let beside = |tolerance| Beside {
            printed: Some(&printed),
            tolerance: Some(tolerance),
            machine_dependent: false,
        };
        assert_eq!(beside(1e-9).computed(&Computed::Real(1.0 / 3.0)), "0.33333333");
        assert_eq!(beside(5e-9).computed(&Computed::Real(1.0 / 3.0)), "0.33333333");
        assert_eq!(beside(6e-9).computed(&Computed::Real(1.0 / 3.0)), "0.3333333");
    }

    #[test]
    fn huge_values_have_the_digits_of_the_printed_one() {
        assert_eq!(shown("3.9409e22", &Computed::Real(5.6e16)), "5.6000e16");
        assert_eq!(shown("1.5", &Computed::Real(2e15)), "2.0e15");
        assert_eq!(shown("9.38e6", &Computed::Real(9.5e6)), "9500000");
    }

    #[test]
    fn a_nan_is_shown_as_one() {
        assert_eq!(shown("1.5", &Computed::Real(f64::NAN)), "NaN");
        assert!(shown("+-1.5i", &Computed::Complex { re: f64::NAN, im: 1.0 }).starts_with("NaN"));
    }

    #[test]
    fn round_off_is_not_shown_as_a_deviation() {
        let printed = "1.50".parse().unwrap();
        let beside = Beside { printed: Some(&printed), ..Beside::default() };
        assert_eq!(beside.deviation(1e-3), "1.0e-3");
        assert_eq!(beside.deviation(1e-12), "< 5e-6");
        assert_eq!(beside.deviation(0.0), "0");
    }
}
