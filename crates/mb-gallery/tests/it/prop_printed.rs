//! A printed string stands for exactly the values that round to it.

use mb_gallery::{Computed, Decimal, Printed, Verdict, verdict};
use proptest::prelude::*;

/// A decimal string with its exact integer digits and number of decimals.
fn decimal() -> impl Strategy<Value = (String, i64, u32)> {
    (-999_999_i64..=999_999, 0_u32..=6).prop_map(|(digits, places)| {
        let scale = 10_i64.pow(places);
        let sign = if digits < 0 { "-" } else { "" };
        let (whole, part) = (digits.abs() / scale, digits.abs() % scale);
        let text = if places == 0 {
            format!("{sign}{whole}")
        } else {
            format!("{sign}{whole}.{part:0width$}", width = places as usize)
        };
        (text, digits, places)
    })
}

proptest! {
    /// The ends of the interval are the doubles nearest to the exact decimals half a unit away.
    #[test]
    fn accepts_exactly_the_interval((text, digits, places) in decimal()) {
        let printed: Decimal = text.parse().unwrap();
        let end = |tenths: i64| -> f64 { format!("{tenths}e-{}", places + 1).parse().unwrap() };
        let (low, high) = (end(10 * digits - 5), end(10 * digits + 5));
        prop_assert!(printed.accepts(low) && printed.accepts(high));
        prop_assert!(!printed.accepts(low.next_down()) && !printed.accepts(high.next_up()));
        prop_assert!(printed.accepts(printed.value()));
    }

    /// Rounding any value to some digits gives a string that accepts the value.
    #[test]
    fn a_rounded_value_is_accepted_by_its_own_digits(x in -1e6_f64..1e6, places in 0_usize..9) {
        let text = format!("{x:.places$}");
        prop_assert_eq!(verdict(&text.parse().unwrap(), &Computed::Real(x)), Verdict::Reproduced);
        let power = format!("{x:.places$e}");
        prop_assert_eq!(verdict(&power.parse().unwrap(), &Computed::Real(x)), Verdict::Reproduced);
    }

    /// More than half a unit away is never accepted.
    #[test]
    fn a_value_one_unit_away_is_refused((text, digits, places) in decimal(), up in any::<bool>()) {
        let printed: Printed = text.parse().unwrap();
        let away: f64 = format!("{}e-{places}", if up { digits + 1 } else { digits - 1 }).parse().unwrap();
        prop_assert_eq!(verdict(&printed, &Computed::Real(away)), Verdict::Deviates);
    }

    /// A conjugate pair accepts both members or neither, and its parts are judged separately.
    #[test]
    fn a_pair_is_symmetric((re_text, re, re_places) in decimal(), (im_text, im, im_places) in decimal(), shift in -2_i64..=2) {
        prop_assume!(im > 0);
        let printed: Printed = format!("{re_text} +- {im_text}i").parse().unwrap();
        let re: f64 = format!("{re}e-{re_places}").parse().unwrap();
        let im: f64 = format!("{}e-{im_places}", im + shift).parse().unwrap();
        prop_assume!(im >= 0.0);
        let (upper, lower) = (Computed::Complex { re, im }, Computed::Complex { re, im: -im });
        prop_assert_eq!(printed.accepts(&upper), printed.accepts(&lower));
        prop_assert_eq!(printed.accepts(&upper), shift == 0);
        prop_assert_eq!(printed.deviation(&upper), printed.deviation(&lower));
    }

    /// Parsing never panics, whatever the text.
    #[test]
    fn any_text_parses_or_is_refused(text in "\\PC{0,24}") {
        let _outcome: Result<Printed, _> = text.parse();
    }

    /// Text made of the characters of numbers never panics either.
    #[test]
    fn number_like_text_parses_or_is_refused(text in "[-+0-9.eEi^*<>=±·× ]{0,16}") {
        if let Ok(printed) = text.parse::<Printed>() {
            prop_assert!(printed.re().value().is_finite());
        }
    }
}
