//! Where polynomials are to be used: an interval of each variable.

/// Most corners of a region that are checked; of more variables only the ends of the axes.
const MOST_CORNERS: u32 = 10;

/// Distances from the point of expansion, lowest and highest of each variable.
pub type Region = Vec<[f64; 2]>;

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
pub(super) fn boxed(region: &Region) -> mb_parametric::Region {
    let end = |k: usize| region.iter().map(|r| r[k]).collect();
    mb_parametric::Region::Box { lower: end(0), upper: end(1) }
}

/// The interval of each variable.
pub(super) fn unboxed(region: &mb_parametric::Region) -> Option<Region> {
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

    #[test]
    fn corners_are_those_of_the_wide_variables() {
        let all = extremes(&vec![[-1.0, 2.0], [0.0, 0.0], [-3.0, 4.0]]);
        assert_eq!(all.len(), 4);
        assert!(all.contains(&vec![2.0, 0.0, -3.0]) && all.iter().all(|p| p[1] == 0.0));
    }
}
