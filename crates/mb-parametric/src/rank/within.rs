//! Constraints that lose rank somewhere in a region, on the straight ways from its expansion point or near them.
//!
//! A linkage whose lengths are variables too is singular at single points of the region, which no straight way meets, and
//! its margin falls to zero there like a cusp: there is no derivative to follow. Where the series about the centre shows
//! low margins the exact one is asked, and from the lowest a simplex goes down (Nelder and Mead, Computer Journal 7 (1965)
//! 308) until the margin has vanished or will not; places without an equilibrium stand as high as can be. Not found: what
//! the series does not show, because it lies beyond its convergence.

use super::{Margin, RankChange, margin, rank_change, vanishes};
use crate::plan::Region;
use crate::{MatrixSeries, ParametricError, PencilSeries, SeriesSource};
use mb_algebra::norms;
use mb_algebra::sorted::ascending;

/// Points inside a box at which the series is asked, for a small Jacobian.
const SAMPLES: usize = 384;
/// Work for all of them together, in numbers of Phi_q.
const WORK: usize = 4_000_000;
/// The series' margin must fall below this share of that at the centre before the exact one is asked.
const SUSPECT: f64 = 0.6;
/// Of those the lowest so many are asked for the exact one.
const LOOKED: usize = 40;
/// Places that simplices start from.
const STARTS: usize = 4;
/// Exact margins for each simplex and variable.
const ASKED: usize = 160;
/// A simplex that is not below this share of the margin at the centre after a quarter of them goes nowhere.
const HOPELESS: f64 = 0.1;
/// The rank has fallen where the margin is below this share of that at the centre.
const VANISHED: f64 = 1e-4;

/// A configuration in a region in which the constraints lose rank, none where none is found; `pencil` is the series of
/// `source` about `centre`, and the region is given by distances from the reference point, as `centre` is.
///
/// Errors: a region of other parameters; those of a factorization.
pub fn rank_change_within<S: SeriesSource>(
    source: &S,
    pencil: &PencilSeries<S::Matrix>,
    centre: &[f64],
    region: &Region,
) -> Result<Option<RankChange>, ParametricError> {
    region.check(source.parameters())?;
    let phi_q = &pencil.matrices().phi_q;
    let constant = phi_q.coefficients().iter().skip(1).all(|a| norms::max_abs(a) == 0.0);
    let Some(start) = margin(&phi_q.coefficients()[0])?.filter(|m| !constant && m.size > 0.0) else {
        return Ok(None);
    };
    let off = |x: &[f64]| -> Vec<f64> { x.iter().zip(centre).map(|(a, b)| a - b).collect() };
    for point in region.samples(0) {
        if let Some(found) = rank_change(source, pencil, centre, &off(&point))? {
            return Ok(Some(found));
        }
    }
    if let Region::Path(points) = region {
        return along(source, phi_q, centre, points, start.size);
    }
    let Some((lower, upper)) = region.ends() else { return Ok(None) };
    let search = Search { source, centre, lower: &off(lower), upper: &off(upper), start: start.size };
    let samples = SAMPLES.min(WORK / (phi_q.nrows() * phi_q.ncols()).max(1)).max(8);
    let mut open: Vec<(f64, Vec<f64>)> = Vec::new();
    for point in region.samples(samples) {
        let d = off(&point);
        if let Some(Margin { size, .. }) = margin(&phi_q.evaluate(&d)?)?
            && size <= SUSPECT * start.size
        {
            open.push((size, d));
        }
    }
    ascending(&mut open, |a| a.0);
    // Beyond the end of what can be reached there is no margin.
    let mut known: Vec<Corner> =
        open.into_iter().take(LOOKED).map(|(_, d)| search.ask(d)).collect::<Result<_, _>>()?;
    known.retain(|corner| corner.size.is_finite());
    ascending(&mut known, |a| a.size);
    known.truncate(STARTS);
    for corner in known {
        if let Some(found) = search.from(corner)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The polygon of a path, between its points too.
fn along<S: SeriesSource>(
    source: &S,
    phi_q: &MatrixSeries<S::Matrix>,
    centre: &[f64],
    points: &[Vec<f64>],
    start: f64,
) -> Result<Option<RankChange>, ParametricError> {
    let mut margins = Vec::with_capacity(points.len());
    for point in points {
        let d: Vec<f64> = point.iter().zip(centre).map(|(a, b)| a - b).collect();
        margins.push(margin(&phi_q.evaluate(&d)?)?.map_or(f64::INFINITY, |m| m.size));
    }
    for i in 0..points.len().saturating_sub(1) {
        let lowest = |k: usize| {
            let before = k == 0 || margins[k] <= margins[k - 1];
            before && margins.get(k + 1).is_none_or(|next| margins[k] <= *next)
        };
        if !(lowest(i) || lowest(i + 1)) || margins[i].min(margins[i + 1]) > 0.5 * start {
            continue;
        }
        let way = |t: f64| points[i].iter().zip(&points[i + 1]).map(|(a, b)| a + t * (b - a)).collect();
        if let Some(found) = vanishes(source, &way, [0.0, 1.0], start)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// A search in a box; places as distances from the centre.
struct Search<'a, S: SeriesSource> {
    source: &'a S,
    centre: &'a [f64],
    lower: &'a [f64],
    upper: &'a [f64],
    /// Margin at the centre.
    start: f64,
}

/// A corner of a simplex.
#[derive(Clone)]
struct Corner {
    d: Vec<f64>,
    size: f64,
    rows: Vec<usize>,
}

impl<S: SeriesSource> Search<'_, S> {
    /// The exact margin at a distance, which is brought into the box.
    fn ask(&self, mut d: Vec<f64>) -> Result<Corner, ParametricError> {
        for ((d, low), high) in d.iter_mut().zip(self.lower).zip(self.upper) {
            *d = d.clamp(*low, *high);
        }
        let at: Vec<f64> = self.centre.iter().zip(&d).map(|(a, b)| a + b).collect();
        let (size, rows) = match self.source.matrices(&at) {
            Ok(pencil) => margin(&pencil.phi_q)?
                .map_or((f64::INFINITY, Vec::new()), |Margin { size, rows }| (size, rows)),
            Err(ParametricError::RedundantConstraints { redundant, .. }) => (0.0, redundant),
            Err(ParametricError::NotBalanced { .. }) => (f64::INFINITY, Vec::new()),
            Err(error) => return Err(error),
        };
        Ok(Corner { d, size, rows })
    }

    /// The place that a simplex from a start finds.
    fn from(&self, start: Corner) -> Result<Option<RankChange>, ParametricError> {
        let wide: Vec<usize> = (0..start.d.len()).filter(|&k| self.upper[k] > self.lower[k]).collect();
        let mut simplex = self.about(start, &wide, 0.1)?;
        let most = ASKED * wide.len();
        let mut asked = simplex.len();
        loop {
            ascending(&mut simplex, |a| a.size);
            let best = &simplex[0];
            if best.size <= VANISHED * self.start {
                let at = self.centre.iter().zip(&best.d).map(|(a, b)| a + b).collect();
                return Ok(Some(RankChange { at, rows: best.rows.clone() }));
            }
            if asked > most || asked > most / 4 && best.size > HOPELESS * self.start {
                return Ok(None);
            }
            // Much smaller than the way that is left, at the wall of what can be reached: a new one about the best corner.
            let left = best.size / self.start;
            if self.extent(&simplex, &wide) < 0.05 * left * left {
                let edge = if asked % 2 == 0 { 0.5 * left } else { -0.2 * left };
                simplex = self.about(best.clone(), &wide, edge)?;
                asked += wide.len();
            } else {
                asked += self.down(&mut simplex)?;
            }
        }
    }

    /// A simplex about a corner, with edges of a share of the box.
    fn about(&self, corner: Corner, wide: &[usize], share: f64) -> Result<Vec<Corner>, ParametricError> {
        let first = corner.d.clone();
        let mut simplex = vec![corner];
        for &k in wide {
            let (mut d, step) = (first.clone(), share * (self.upper[k] - self.lower[k]));
            let inside = (self.lower[k]..=self.upper[k]).contains(&(d[k] + step));
            d[k] += if inside { step } else { -step };
            simplex.push(self.ask(d)?);
        }
        Ok(simplex)
    }

    /// The largest edge from the first corner, as a share of the box.
    fn extent(&self, simplex: &[Corner], wide: &[usize]) -> f64 {
        let edge = |corner: &Corner| -> f64 {
            let share = |&k: &usize| (corner.d[k] - simplex[0].d[k]).abs() / (self.upper[k] - self.lower[k]);
            wide.iter().map(share).fold(0.0, f64::max)
        };
        simplex[1..].iter().map(edge).fold(0.0, f64::max)
    }

    /// One step of a sorted simplex; how many margins it asked for.
    fn down(&self, simplex: &mut [Corner]) -> Result<usize, ParametricError> {
        let last = simplex.len() - 1;
        let middle: Vec<f64> = (0..simplex[0].d.len())
            .map(|k| simplex[..last].iter().map(|c| c.d[k]).sum::<f64>() / last as f64)
            .collect();
        let beyond = |factor: f64| -> Vec<f64> {
            middle.iter().zip(&simplex[last].d).map(|(m, w)| m + factor * (m - w)).collect()
        };
        let (far, farther, near) = (beyond(1.0), beyond(2.0), [beyond(0.5), beyond(-0.5)]);
        let reflected = self.ask(far)?;
        if reflected.size < simplex[0].size {
            let expanded = self.ask(farther)?;
            simplex[last] = if expanded.size < reflected.size { expanded } else { reflected };
            return Ok(2);
        }
        if reflected.size < simplex[last.saturating_sub(1)].size {
            simplex[last] = reflected;
            return Ok(1);
        }
        let [outside, inside] = near;
        let (contracted, limit) = if reflected.size < simplex[last].size {
            (self.ask(outside)?, reflected.size)
        } else {
            (self.ask(inside)?, simplex[last].size)
        };
        if contracted.size < limit {
            simplex[last] = contracted;
            return Ok(2);
        }
        let best = simplex[0].d.clone();
        for corner in &mut simplex[1..] {
            *corner = self.ask(best.iter().zip(&corner.d).map(|(b, c)| 0.5 * (b + c)).collect())?;
        }
        Ok(2 + last)
    }
}
