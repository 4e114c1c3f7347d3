//! Which values the parameters take: grids, lists, random and Latin hypercube designs.

/// An interval of one parameter, with the number of values on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The parameter.
    pub name: String,
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// Number of values, both ends included.
    pub count: usize,
}

impl Range {
    /// The k-th value, from + k (to - from) / (count - 1); both ends are exact.
    pub fn value(&self, k: usize) -> f64 {
        if k + 1 == self.count && self.count > 1 {
            return self.to;
        }
        let (way, steps) = (self.to - self.from, self.count.saturating_sub(1).max(1) as f64);
        // The product first: 7 of 0 to 100 in 100 steps is 7 then, and 0.07 times 100 is not.
        let product = k as f64 * way;
        self.from + if product.is_finite() { product / steps } else { k as f64 / steps * way }
    }
}

/// Why there is no design.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DesignError {
    /// No parameter varies.
    #[error("a sweep needs a parameter that varies.")]
    Empty,
    /// A parameter that is named twice.
    #[error("the parameter `{name}` is named twice.")]
    Twice {
        /// The name.
        name: String,
    },
    /// More cases than are worked on.
    #[error("the sweep has {cases} cases; at most {most} are worked on.")]
    TooMany {
        /// The number asked for, with a sign where it does not fit a number.
        cases: String,
        /// The limit.
        most: usize,
    },
}

/// Values of the parameters, case by case.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// The parameters.
    pub names: Vec<String>,
    /// Their values, one row for each case.
    pub points: Vec<Vec<f64>>,
    /// Of a grid, the number of values of each parameter, the last running fastest; empty for other designs.
    pub shape: Vec<usize>,
}

impl Design {
    /// Most cases of one sweep.
    pub const MOST: usize = 10_000_000;

    /// All combinations of the values of each range; the last range runs fastest.
    ///
    /// # Errors
    /// [`DesignError`].
    pub fn grid(ranges: &[Range]) -> Result<Self, DesignError> {
        // As many values as there are cases at most: a range that is too long is refused before it is written out.
        within(ranges.iter().try_fold(1_usize, |n, r| n.checked_mul(r.count)))?;
        let names: Vec<String> = ranges.iter().map(|r| r.name.clone()).collect();
        let axes: Vec<Vec<f64>> = ranges.iter().map(|r| (0..r.count).map(|k| r.value(k)).collect()).collect();
        Self::combinations(&names, &axes)
    }

    /// All combinations of the values of each parameter, `axes`; those of the last one run fastest.
    ///
    /// # Errors
    /// [`DesignError`].
    pub fn combinations(parameters: &[String], axes: &[Vec<f64>]) -> Result<Self, DesignError> {
        let names = names(parameters.iter().map(String::as_str))?;
        let shape: Vec<usize> = axes.iter().map(Vec::len).collect();
        let cases = within(shape.iter().try_fold(1_usize, |n, count| n.checked_mul(*count)))?;
        let row = |mut case: usize| -> Vec<f64> {
            let mut values = vec![0.0; axes.len()];
            for (value, axis) in values.iter_mut().zip(axes).rev() {
                *value = axis[case % axis.len()];
                case /= axis.len();
            }
            values
        };
        Ok(Self { names, points: (0..cases).map(row).collect(), shape })
    }

    /// Rows of values as they are given.
    ///
    /// # Errors
    /// [`DesignError`].
    pub fn list(parameters: &[String], points: Vec<Vec<f64>>) -> Result<Self, DesignError> {
        let names = names(parameters.iter().map(String::as_str))?;
        within(Some(points.len()))?;
        Ok(Self { names, points, shape: Vec::new() })
    }

    /// `cases` values drawn independently and evenly from the ranges, the same for the same seed.
    ///
    /// # Errors
    /// [`DesignError`].
    pub fn random(ranges: &[Range], cases: usize, seed: u64) -> Result<Self, DesignError> {
        let names = names(ranges.iter().map(|r| r.name.as_str()))?;
        within(Some(cases))?;
        let mut draws = Draws(seed);
        let between = |r: &Range, x: f64| r.from + x * (r.to - r.from);
        let points = (0..cases).map(|_| ranges.iter().map(|r| between(r, draws.unit())).collect()).collect();
        Ok(Self { names, points, shape: Vec::new() })
    }

    /// A Latin hypercube: each range is cut into `cases` equal parts, and every part holds one case.
    ///
    /// Source: M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979) 239-245.
    ///
    /// # Errors
    /// [`DesignError`].
    pub fn latin_hypercube(ranges: &[Range], cases: usize, seed: u64) -> Result<Self, DesignError> {
        let names = names(ranges.iter().map(|r| r.name.as_str()))?;
        within(Some(cases))?;
        let mut draws = Draws(seed);
        let mut points = vec![Vec::with_capacity(ranges.len()); cases];
        for range in ranges {
            for (point, part) in points.iter_mut().zip(draws.permutation(cases)) {
                let share = (part as f64 + draws.unit()) / cases as f64;
                point.push(range.from + share * (range.to - range.from));
            }
        }
        Ok(Self { names, points, shape: Vec::new() })
    }

    /// Number of cases.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// True when there is no case.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Pairs of cases that are neighbours along one axis of a grid of one or two parameters; none of other designs.
    pub fn edges(&self) -> Vec<[usize; 2]> {
        match *self.shape.as_slice() {
            [n] => (1..n).map(|k| [k - 1, k]).collect(),
            [rows, columns] => {
                let along =
                    (0..rows).flat_map(|i| (1..columns).map(move |j| [i * columns + j - 1, i * columns + j]));
                let across = (1..rows)
                    .flat_map(|i| (0..columns).map(move |j| [(i - 1) * columns + j, i * columns + j]));
                along.chain(across).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn names<'a>(given: impl Iterator<Item = &'a str>) -> Result<Vec<String>, DesignError> {
    let mut names: Vec<String> = Vec::new();
    for name in given {
        if names.iter().any(|known| known == name) {
            return Err(DesignError::Twice { name: name.to_owned() });
        }
        names.push(name.to_owned());
    }
    if names.is_empty() { Err(DesignError::Empty) } else { Ok(names) }
}

fn within(cases: Option<usize>) -> Result<usize, DesignError> {
    let told = cases.map_or_else(|| format!("more than {}", usize::MAX), |n| n.to_string());
    cases.filter(|n| *n <= Design::MOST).ok_or(DesignError::TooMany { cases: told, most: Design::MOST })
}

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014): small, and the same numbers on every machine.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Even on [0, 1): the upper 53 bits.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Fisher and Yates; the remainder's bias is below 1e-12 for the sizes of a sweep.
    fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for k in (1..n).rev() {
            let other = usize::try_from(self.next() % (k as u64 + 1)).unwrap_or(0);
            order.swap(k, other);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(name: &str, from: f64, to: f64, count: usize) -> Range {
        Range { name: name.to_owned(), from, to, count }
    }

    #[test]
    fn a_grid_has_every_combination_and_exact_ends() {
        let design = Design::grid(&[range("k", 500.0, 1500.0, 3), range("c", 0.0, 0.3, 4)]).unwrap();
        assert_eq!((design.len(), design.shape.as_slice()), (12, [3, 4].as_slice()));
        assert_eq!(design.points[0], [500.0, 0.0]);
        assert_eq!(design.points[3], [500.0, 0.3]);
        assert_eq!(design.points[11], [1500.0, 0.3]);
        let hundred = range("n", 0.0, 100.0, 101);
        assert!((0..101).all(|k| hundred.value(k).total_cmp(&(k as f64)).is_eq()));
        // 3 rows of 3 edges, 2 columns of 4 edges.
        assert_eq!(design.edges().len(), 17);
        assert!(design.edges().iter().all(|[a, b]| {
            let differs =
                design.points[*a].iter().zip(&design.points[*b]).filter(|(x, y)| x.total_cmp(y).is_ne());
            differs.count() == 1
        }));
    }

    #[test]
    fn a_latin_hypercube_has_one_case_in_every_part() {
        let ranges = [range("a", -1.0, 1.0, 0), range("b", 10.0, 20.0, 0)];
        let design = Design::latin_hypercube(&ranges, 50, 7).unwrap();
        for (k, range) in ranges.iter().enumerate() {
            let mut parts: Vec<f64> = design
                .points
                .iter()
                .map(|p| ((p[k] - range.from) / (range.to - range.from) * 50.0).floor())
                .collect();
            parts.sort_by(f64::total_cmp);
            assert_eq!(parts, (0..50).map(f64::from).collect::<Vec<_>>());
        }
        assert_eq!(design, Design::latin_hypercube(&ranges, 50, 7).unwrap());
        assert_ne!(design, Design::latin_hypercube(&ranges, 50, 8).unwrap());
    }

    #[test]
    fn random_values_fill_the_range_evenly() {
        let design = Design::random(&[range("a", 0.0, 2.0, 0)], 4000, 1).unwrap();
        let mean = design.points.iter().map(|p| p[0]).sum::<f64>() / 4000.0;
        // Standard deviation of the mean: 2 / sqrt(12 * 4000) = 0.0091.
        assert!((mean - 1.0).abs() < 0.04 && design.points.iter().all(|p| (0.0..2.0).contains(&p[0])));
    }

    #[test]
    fn wrong_designs_are_named() {
        assert_eq!(Design::grid(&[]), Err(DesignError::Empty));
        let twice = [range("k", 0.0, 1.0, 2), range("k", 0.0, 1.0, 2)];
        assert_eq!(Design::grid(&twice), Err(DesignError::Twice { name: "k".to_owned() }));
        let vast = [range("a", 0.0, 1.0, usize::MAX), range("b", 0.0, 1.0, 3)];
        assert!(matches!(Design::grid(&vast), Err(DesignError::TooMany { .. })));
    }
}
