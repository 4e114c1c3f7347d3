//! Where an expansion has to be accurate.

use crate::ParametricError;

/// Largest number of corners of a box that are checked.
const CORNERS: usize = 64;

/// A part of the space of parameters, as distances from the reference point.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// All points between two corners.
    Box {
        /// Smallest value of each parameter.
        lower: Vec<f64>,
        /// Largest value of each parameter.
        upper: Vec<f64>,
    },
    /// These points, in their order along a path.
    Path(Vec<Vec<f64>>),
}

impl Region {
    /// The box from `-half` to `half`.
    pub fn around(half: &[f64]) -> Self {
        let size = |sign: f64| half.iter().map(|x| sign * x.abs()).collect();
        Self::Box { lower: size(-1.0), upper: size(1.0) }
    }

    /// Checks sizes and values.
    pub(crate) fn check(&self, parameters: usize) -> Result<(), ParametricError> {
        let all: Vec<&Vec<f64>> = match self {
            Self::Box { lower, upper } => vec![lower, upper],
            Self::Path(points) => points.iter().collect(),
        };
        if all.is_empty() {
            return Err(ParametricError::WrongLength { what: "the path", expected: 1, found: 0 });
        }
        for point in all {
            if point.len() != parameters {
                let (what, found) = ("a point of the region", point.len());
                return Err(ParametricError::WrongLength { what, expected: parameters, found });
            }
            if let Some(parameter) = point.iter().position(|x| !x.is_finite()) {
                return Err(ParametricError::NonFinitePoint { parameter });
            }
        }
        if let Self::Box { lower, upper } = self
            && let Some(parameter) = (0..parameters).find(|&k| lower[k] > upper[k])
        {
            let (lower, upper) = (lower[parameter], upper[parameter]);
            return Err(ParametricError::EmptyRegion { parameter, lower, upper });
        }
        Ok(())
    }

    /// Where to expand: the middle of a box, the middle point of a path.
    pub fn centre(&self) -> Vec<f64> {
        match self {
            Self::Box { lower, upper } => {
                lower.iter().zip(upper).map(|(a, b)| f64::midpoint(*a, *b)).collect()
            }
            Self::Path(points) => points[points.len() / 2].clone(),
        }
    }

    /// Points to measure at: all of a path; of a box its corners, the middles of its faces and
    /// `inside` points spread evenly over it.
    pub(crate) fn samples(&self, inside: usize) -> Vec<Vec<f64>> {
        let (lower, upper) = match self {
            Self::Path(points) => return points.clone(),
            Self::Box { lower, upper } => (lower, upper),
        };
        let p = lower.len();
        let centre = self.centre();
        let mut all = Vec::new();
        for corner in 0..(1_usize << p.min(20)).min(CORNERS) {
            all.push((0..p).map(|k| if corner >> k & 1 == 1 { upper[k] } else { lower[k] }).collect());
        }
        for k in 0..p {
            for end in [lower[k], upper[k]] {
                let mut point = centre.clone();
                point[k] = end;
                all.push(point);
            }
        }
        for i in 1..=inside {
            all.push((0..p).map(|k| lower[k] + halton(i, prime(k)) * (upper[k] - lower[k])).collect());
        }
        all
    }

    /// Whether a point lies in a box, or is (almost) on the polygon of a path.
    pub fn contains(&self, d: &[f64]) -> bool {
        match self {
            Self::Box { lower, upper } => (0..d.len()).all(|k| {
                let slack = 1e-9 * (upper[k] - lower[k]);
                d[k] >= lower[k] - slack && d[k] <= upper[k] + slack
            }),
            Self::Path(points) => {
                let size = self.size();
                points.len() == 1 && scaled(&points[0], d, &size) < 1e-9
                    || points.windows(2).any(|ends| off_segment(ends, d, &size) < 1e-3)
            }
        }
    }

    /// Smallest and largest values of a box.
    pub(crate) fn ends(&self) -> Option<(&[f64], &[f64])> {
        match self {
            Self::Box { lower, upper } => Some((lower, upper)),
            Self::Path(_) => None,
        }
    }

    /// Extent in each parameter.
    pub(super) fn size(&self) -> Vec<f64> {
        let points = match self {
            Self::Box { lower, upper } => vec![lower, upper],
            Self::Path(points) => points.iter().collect(),
        };
        let p = points[0].len();
        let extent = |k: usize| {
            let values = || points.iter().map(|x| x[k]);
            values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
        };
        (0..p).map(extent).collect()
    }

    /// Two halves: a box cut across parameter `k`, a path cut in its middle; none where there is
    /// nothing to cut.
    pub(super) fn halves(&self, k: usize) -> Option<[Self; 2]> {
        match self {
            Self::Box { lower, upper } => {
                let middle = f64::midpoint(lower[k], upper[k]);
                if middle <= lower[k] || middle >= upper[k] {
                    return None;
                }
                let (mut below, mut above) = (upper.clone(), lower.clone());
                below[k] = middle;
                above[k] = middle;
                Some([
                    Self::Box { lower: lower.clone(), upper: below },
                    Self::Box { lower: above, upper: upper.clone() },
                ])
            }
            Self::Path(points) => {
                let half = points.len() / 2;
                let both = [Self::Path(points[..half].to_vec()), Self::Path(points[half..].to_vec())];
                (half > 0).then_some(both)
            }
        }
    }
}

/// Distance between two points in units of the region.
fn scaled(a: &[f64], b: &[f64], size: &[f64]) -> f64 {
    let unit = |k: usize| if size[k] > 0.0 { size[k] } else { 1.0 };
    (0..a.len()).map(|k| ((a[k] - b[k]) / unit(k)).powi(2)).sum::<f64>().sqrt()
}

/// Distance of a point from a segment, in units of the region.
fn off_segment(ends: &[Vec<f64>], d: &[f64], size: &[f64]) -> f64 {
    let unit = |k: usize| if size[k] > 0.0 { size[k] } else { 1.0 };
    let (mut along, mut length) = (0.0, 0.0);
    for k in 0..d.len() {
        let edge = (ends[1][k] - ends[0][k]) / unit(k);
        along += edge * (d[k] - ends[0][k]) / unit(k);
        length += edge * edge;
    }
    let share = if length > 0.0 { (along / length).clamp(0.0, 1.0) } else { 0.0 };
    let foot: Vec<f64> = ends[0].iter().zip(&ends[1]).map(|(a, b)| a + share * (b - a)).collect();
    scaled(&foot, d, size)
}

/// The i-th number of the van der Corput sequence.
fn halton(mut i: usize, base: usize) -> f64 {
    let (mut out, mut digit) = (0.0, 1.0);
    while i > 0 {
        digit /= base as f64;
        out += digit * (i % base) as f64;
        i /= base;
    }
    out
}

/// The k-th prime number from 0.
fn prime(k: usize) -> usize {
    (2..).filter(|n| (2..*n).all(|m| n % m != 0)).nth(k).unwrap_or(2)
}
