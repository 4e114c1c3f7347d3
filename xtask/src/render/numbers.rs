//! How computed values are shown: to three digits more than the value they stand beside, never more than they are worth.

use mb_gallery::{Computed, Printed, Relation};

/// Digits shown beyond the printed ones.
const EXTRA_PLACES: i32 = 3;
/// Decimals of a number that has no printed partner.
const DEFAULT_PLACES: i32 = 6;

/// A computed value beside its printed one.
pub(crate) fn computed(printed: Option<&Printed>, tolerance: Option<f64>, value: &Computed) -> String {
    match *value {
        Computed::Word(ref word) => word.clone(),
        Computed::Real(x) => real(printed, tolerance, x),
        Computed::Complex { re, im } => {
            let places = decimals(printed, tolerance);
            let imaginary = format!("{:.places$}i", im.abs());
            let real = format!("{re:.places$}");
            let sign = if printed.is_some_and(Printed::is_pair) {
                "+-"
            } else if im < 0.0 {
                "-"
            } else {
                "+"
            };
            // A real part that rounds to zero at the places shown would only add a sign to it.
            let is_zero = !real.bytes().any(|b| (b'1'..=b'9').contains(&b)) && re.is_finite();
            if is_zero { format!("{sign}{imaginary}") } else { format!("{real}{sign}{imaginary}") }
        }
    }
}

fn real(printed: Option<&Printed>, tolerance: Option<f64>, x: f64) -> String {
    match printed {
        Some(p) if p.relation() != Relation::Equal => format!("{x:.1e}"),
        Some(p) if p.re().last_place() == 0 && p.re().value() != 0.0 && x.fract() == 0.0 => format!("{x:.0}"),
        Some(p) if p.re().value() != 0.0 && p.re().value().abs() < 1e-3 => format!("{x:.3e}"),
        _ => format!("{:.1$}", x + 0.0, decimals(printed, tolerance)),
    }
}

/// Decimals to show: down to the stated tolerance, else a few beyond the last printed place.
fn decimals(printed: Option<&Printed>, tolerance: Option<f64>) -> usize {
    let places = match (tolerance, printed) {
        (Some(t), _) => (0..17).find(|&p| 10_f64.powi(-p) <= t).unwrap_or(17),
        (None, Some(p)) => {
            let finest = p.im().map_or(p.re().last_place(), |im| im.last_place().min(p.re().last_place()));
            EXTRA_PLACES - finest
        }
        (None, None) => DEFAULT_PLACES,
    };
    usize::try_from(places).unwrap_or(0)
}

/// A deviation to two digits; empty beside an inequality, where it means nothing.
pub(crate) fn deviation(printed: Option<&Printed>, d: f64) -> String {
    match printed {
        Some(p) if p.relation() != Relation::Equal => String::new(),
        _ if d == 0.0 => "0".to_owned(),
        _ => format!("{d:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(printed: &str, value: &Computed) -> String {
        computed(Some(&printed.parse().unwrap()), None, value)
    }

    #[test]
    fn three_digits_more_than_printed() {
        assert_eq!(shown("1.5", &Computed::Real(1.0 / 3.0)), "0.3333");
        assert_eq!(shown("+-0.5i", &Computed::Complex { re: 1e-9, im: -1.0 / 3.0 }), "+-0.3333i");
        assert_eq!(shown("+-0.5i", &Computed::Complex { re: -0.25, im: 0.5 }), "-0.2500+-0.5000i");
        assert_eq!(shown("0.5-0.5i", &Computed::Complex { re: 0.5, im: -0.5 }), "0.5000-0.5000i");
    }

    #[test]
    fn counts_are_whole_and_bounds_have_two_digits() {
        assert_eq!(shown("126", &Computed::Real(126.0)), "126");
        assert_eq!(shown("126", &Computed::Real(125.5)), "125.500");
        assert_eq!(shown("< 3e-6", &Computed::Real(1.0 / 3e6)), "3.3e-7");
        assert_eq!(shown("Yes".replace("Yes", "1").as_str(), &Computed::Word("Yes".to_owned())), "Yes");
    }

    #[test]
    fn a_tolerance_sets_the_last_place() {
        let printed = "0.333333".parse().unwrap();
        assert_eq!(computed(Some(&printed), Some(1e-9), &Computed::Real(1.0 / 3.0)), "0.333333333");
    }

    #[test]
    fn a_nan_is_shown_as_one() {
        assert_eq!(shown("1.5", &Computed::Real(f64::NAN)), "NaN");
        assert!(shown("+-1.5i", &Computed::Complex { re: f64::NAN, im: 1.0 }).starts_with("NaN"));
    }

    #[test]
    fn zero_is_never_negative() {
        assert_eq!(shown("0", &Computed::Real(-0.0)), "0.000");
    }
}
