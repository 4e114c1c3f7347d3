//! Numbers of the tables: six significant digits, two for errors.

/// `x` to six significant digits; scientific outside 1e-5 to 1e6.
pub fn six(x: f64) -> String {
    significant(x, 6)
}

/// All digits of `x`, with an exponent where zeros would fill a line.
pub fn short(x: f64) -> String {
    if x == 0.0 || (1e-5..1e15).contains(&x.abs()) { x.to_string() } else { format!("{x:e}") }
}

/// `x` to two significant digits in scientific form, for residuals and errors.
pub fn tiny(x: f64) -> String {
    if x == 0.0 { "0".to_owned() } else { format!("{x:.1e}") }
}

/// Shows as zero what is rounding compared with the largest number of a list (1e-14 of it, or of one).
pub fn rounding(list: &[f64]) -> impl Fn(f64) -> f64 {
    let cut = 1e-14 * list.iter().fold(1.0, |a: f64, x| a.max(x.abs()));
    move |x| if x.abs() <= cut { 0.0 } else { x }
}

fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    // The exponent after rounding, so that 999999.7 becomes 1.00000e6.
    let scientific = format!("{x:.*e}", digits - 1);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let limit = i32::try_from(digits).unwrap_or(i32::MAX);
    if !(-5..limit).contains(&exponent) {
        return scientific;
    }
    let decimals = usize::try_from(limit - 1 - exponent).unwrap_or(0);
    format!("{x:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_significant_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1.00000"),
            (-0.5, "-0.500000"),
            (2.0e5, "200000"),
            (1e6 - 0.3, "1.00000e6"),
            (1e-5, "0.0000100000"),
            (1e-6, "1.00000e-6"),
            (f64::INFINITY, "inf"),
        ];
        for (x, text) in cases {
            assert_eq!(six(x), text);
        }
    }
    #[test]
    fn numbers_as_they_were_written() {
        let cases = [(0.0, "0"), (-5.0, "-5"), (0.02, "0.02"), (1e-300, "1e-300"), (-2.5e40, "-2.5e40")];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
    }
}
