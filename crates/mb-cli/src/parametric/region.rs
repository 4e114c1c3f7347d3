//! Where polynomials are to be used: an interval of each variable.

use crate::args::Assignment;
use crate::failure::RequestError;

/// Most corners of a region that are looked at; of more variables only the ends of the axes.
const MOST_CORNERS: u32 = 10;

/// How a region is written.
const FORM: &str = "write NAME=LO..HI or NAME=P%, with finite numbers";

/// Distances from the point of expansion, lowest and highest of each variable.
pub type Region = Vec<[f64; 2]>;

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
            let half = number(percent)?.abs() / 100.0 * centre[i].abs();
            [-half, half]
        } else {
            let (low, high) = value.split_once("..").ok_or_else(|| bad(FORM))?;
            [number(low)? - centre[i], number(high)? - centre[i]]
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

/// True when a distance lies in the region.
pub fn contains(region: &Region, d: &[f64]) -> bool {
    region.iter().zip(d).all(|([low, high], x)| {
        let slack = 1e-9 * (high - low);
        *x >= low - slack && *x <= high + slack
    })
}

/// The points where a polynomial is worst: the corners, or the ends of the axes when there are too many.
pub fn extremes(region: &Region) -> Vec<Vec<f64>> {
    let wide: Vec<usize> = (0..region.len()).filter(|i| region[*i][1] > region[*i][0]).collect();
    let centre = vec![0.0; region.len()];
    if u32::try_from(wide.len()).is_ok_and(|n| n <= MOST_CORNERS) {
        let corner = |bits: usize| {
            let mut point = centre.clone();
            for (k, i) in wide.iter().enumerate() {
                point[*i] = region[*i][(bits >> k) & 1];
            }
            point
        };
        return (0..1_usize << wide.len()).map(corner).collect();
    }
    let end = |i: usize, side: usize| {
        let mut point = centre.clone();
        point[i] = region[i][side];
        point
    };
    wide.iter().flat_map(|i| [end(*i, 0), end(*i, 1)]).collect()
}

/// The region as the library has it.
pub fn boxed(region: &Region) -> mb_parametric::Region {
    let end = |k: usize| region.iter().map(|r| r[k]).collect();
    mb_parametric::Region::Box { lower: end(0), upper: end(1) }
}

/// The interval of each variable.
pub fn unboxed(region: &mb_parametric::Region) -> Option<Region> {
    match region {
        mb_parametric::Region::Box { lower, upper } => {
            Some(lower.iter().zip(upper).map(|(a, b)| [*a, *b]).collect())
        }
        mb_parametric::Region::Path(_) => None,
    }
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

    #[test]
    fn corners_are_those_of_the_wide_variables() {
        let all = extremes(&vec![[-1.0, 2.0], [0.0, 0.0], [-3.0, 4.0]]);
        assert_eq!(all.len(), 4);
        assert!(all.contains(&vec![2.0, 0.0, -3.0]) && all.iter().all(|p| p[1] == 0.0));
    }
}
