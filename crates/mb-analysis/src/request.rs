//! A request in words.

use crate::number::six;
use mb_eigen::sparse::Request;

/// What was asked for, as the answer says it.
pub fn words(request: &Request) -> String {
    let modes = |n: usize| if n == 1 { "mode".to_owned() } else { format!("{n} modes") };
    match *request {
        Request::Lowest { count } => format!("the {} of lowest frequency", modes(count)),
        Request::Largest { count } => format!("the {} of highest frequency", modes(count)),
        Request::NearFrequency { hz, count } => format!("the {} nearest to {} Hz", modes(count), six(hz)),
        Request::NearPoint { s, count } => {
            let values = if count == 1 { "eigenvalue".to_owned() } else { format!("{count} eigenvalues") };
            let sign = if s.im < 0.0 { '-' } else { '+' };
            format!("the {values} nearest to {} {sign} {}i rad/s", six(s.re), six(s.im.abs()))
        }
        Request::Band { from_hz, to_hz, max_damping_ratio } => {
            let damping = max_damping_ratio
                .map_or_else(String::new, |z| format!(" with a damping ratio up to {}", six(z)));
            format!("all modes from {} to {} Hz{damping}", six(from_hz), six(to_hz))
        }
        Request::All => "all modes".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::c64;

    #[test]
    fn requests_are_said_in_words() {
        let near = Request::NearPoint { s: c64::new(-1.5, -20.0), count: 4 };
        assert_eq!(words(&near), "the 4 eigenvalues nearest to -1.50000 - 20.0000i rad/s");
        assert_eq!(words(&Request::Lowest { count: 1 }), "the mode of lowest frequency");
        let band = Request::Band { from_hz: 0.0, to_hz: 5.0, max_damping_ratio: Some(0.25) };
        assert_eq!(words(&band), "all modes from 0 to 5.00000 Hz with a damping ratio up to 0.250000");
    }
}
