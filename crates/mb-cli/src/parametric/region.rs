//! Where polynomials are to be used, as the command line says it.

use crate::args::Assignment;
use crate::failure::RequestError;
use mb_analysis::parametric::Region;

/// How a region is written.
const FORM: &str = "write NAME=LO..HI or NAME=P%, with finite numbers";

/// Reads `NAME=LO..HI` and `NAME=P%`; a variable without an interval stays where it is.
///
/// # Errors
/// [`RequestError::NotAVariable`]; [`RequestError::BadRegion`].
pub fn region(given: &[Assignment], names: &[String], centre: &[f64]) -> Result<Region, RequestError> {
    let mut out = vec![[0.0; 2]; names.len()];
    for Assignment { name, value } in given {
        let bad = |why: &str| RequestError::BadRegion {
            name: name.clone(),
            value: value.clone(),
            why: why.to_owned(),
        };
        let i = names.iter().position(|n| n == name).ok_or_else(|| RequestError::NotAVariable {
            option: "--region",
            name: name.clone(),
            known: names.to_vec(),
        })?;
        let number = |text: &str| crate::start::finite("--region", name, text.trim()).map_err(|_| bad(FORM));
        let [low, high] = if let Some(percent) = value.strip_suffix('%') {
            let percent = number(percent)?;
            if percent < 0.0 {
                return Err(bad("the share is negative"));
            }
            let half = percent / 100.0 * centre[i].abs();
            [-half, half]
        } else {
            let (low, high) = value.split_once("..").ok_or_else(|| bad(FORM))?;
            let (low, high) = (number(low)?, number(high)?);
            if low > high {
                return Err(bad("it ends below its begin"));
            }
            [low - centre[i], high - centre[i]]
        };
        if low > 0.0 || high < 0.0 {
            let why = format!("the point of expansion has {name} = {}", crate::render::six(centre[i]));
            return Err(bad(&why));
        }
        if low >= high {
            return Err(bad("it has no width"));
        }
        out[i] = [low, high];
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(given: &str) -> Result<Region, RequestError> {
        let names = ["k".to_owned(), "m".to_owned()];
        region(&[given.parse().unwrap()], &names, &[100.0, 2.0])
    }

    #[test]
    fn intervals_and_percentages() {
        assert_eq!(read("k=90..120").unwrap(), [[-10.0, 20.0], [0.0, 0.0]]);
        assert_eq!(read("m=10%").unwrap(), [[0.0, 0.0], [-0.2, 0.2]]);
        assert!(matches!(read("q=1..2"), Err(RequestError::NotAVariable { .. })));
        for wrong in ["k=90", "k=a..b", "k=110..120", "k=100..100"] {
            assert!(matches!(read(wrong), Err(RequestError::BadRegion { .. })), "{wrong}");
        }
    }
}
