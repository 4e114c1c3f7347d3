//! Constraints that lose rank between an expansion point and another one.
//!
//! ```text
//! margin(x) = least / greatest pivot of Phi_q(x) with rows of length one,   zero where rank Phi_q < m
//! ```
//!
//! Where a linkage passes a singular configuration the margin falls to zero like a V and the multipliers need not be
//! finite: no series reaches beyond, and errors estimated from one side do not hold on the other. The series of Phi_q
//! says where on the way the margin is lowest; there the exact matrices are asked, by golden section, until the
//! margin has vanished or will not. In addition, `within.rs` searches for such places in a whole region. Models of more
//! than 250,000 numbers in Phi_q are not checked. Sizes: Phi_q m x n.

mod within;

pub use within::rank_change_within;

use crate::storage::Storage;
use crate::{ParametricError, PencilSeries, SeriesSource};
use mb_algebra::{Dense, RankQr, RankTolerance, norms, to_dense};

/// Largest m n that is checked.
const LIMIT: usize = 250_000;
/// Parts of the way at whose ends the series is asked.
const PARTS: usize = 12;
/// The series' margin must fall below this share of that at the start before the exact one is asked.
const SUSPECT: f64 = 0.25;
/// The rank has fallen where the margin is below this share of that at the start.
const VANISHED: f64 = 1e-6;
/// Width of the last bracket, as a share of the way.
const WIDTH: f64 = 1e-8;

/// A configuration in which the constraints depend on each other.
#[derive(Clone, Debug, PartialEq)]
pub struct RankChange {
    /// The point, as distance from the reference point of the source.
    pub at: Vec<f64>,
    /// Equations that depend on the others there, from 0.
    pub rows: Vec<usize>,
}

/// How far the rows are from depending on each other, with the first ones to do so.
pub(crate) struct Margin {
    pub(crate) size: f64,
    rows: Vec<usize>,
}

/// The margin of a Jacobian; none without rows or above the limit.
pub(crate) fn margin<A: Storage>(phi_q: &A) -> Result<Option<Margin>, ParametricError> {
    let (nc, n) = phi_q.size();
    if nc == 0 || n * nc > LIMIT {
        return Ok(None);
    }
    let mut rows = phi_q.nonzeros().map_or_else(|| Dense::zeros(nc, n), |a| to_dense(&a));
    for i in 0..nc {
        let size = norms::two(&mb_algebra::dense::row(&rows, i));
        if size > 0.0 {
            (0..n).for_each(|j| rows[(i, j)] /= size);
        }
    }
    let qr = RankQr::new(&rows, RankTolerance { relative: 1e-4 })?;
    let pivots = qr.pivot_magnitudes();
    let greatest = pivots.first().copied().unwrap_or(0.0);
    let least = if pivots.len() < nc { 0.0 } else { pivots.iter().copied().fold(f64::INFINITY, f64::min) };
    let size = if greatest > 0.0 { least / greatest } else { 0.0 };
    let mut rows = qr.redundant_rows();
    if rows.is_empty() {
        rows = qr.pivots().last().copied().into_iter().collect();
    }
    Ok(Some(Margin { size, rows }))
}

/// The first configuration on the straight way from `centre` to `centre + d` in which the constraints lose rank;
/// `pencil` is the series of `source` about the centre.
///
/// Errors: `d` of another length than the number of parameters, or not finite; those of a factorization.
pub fn rank_change<S: SeriesSource>(
    source: &S,
    pencil: &PencilSeries<S::Matrix>,
    centre: &[f64],
    d: &[f64],
) -> Result<Option<RankChange>, ParametricError> {
    let phi_q = &pencil.matrices().phi_q;
    let constant = phi_q.coefficients().iter().skip(1).all(|a| norms::max_abs(a) == 0.0);
    if constant {
        return Ok(None);
    }
    let mut series = Vec::with_capacity(PARTS + 1);
    for k in 0..=PARTS {
        let at: Vec<f64> = d.iter().map(|x| x * k as f64 / PARTS as f64).collect();
        let Some(margin) = margin(&phi_q.evaluate(&at)?)? else { return Ok(None) };
        series.push(margin.size);
    }
    let point = |t: f64| -> Vec<f64> { centre.iter().zip(d).map(|(c, x)| c + t * x).collect() };
    for k in 1..=PARTS {
        let lowest = series[k] <= series[k - 1] && series.get(k + 1).is_none_or(|next| series[k] <= *next);
        if !lowest || series[k] > SUSPECT * series[0] {
            continue;
        }
        let ends = [k - 1, (k + 1).min(PARTS)].map(|i| i as f64 / PARTS as f64);
        if let Some(found) = vanishes(source, &point, ends, series[0])? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The place between two shares of a way where the exact margin vanishes.
pub(crate) fn vanishes<S: SeriesSource>(
    source: &S,
    point: &impl Fn(f64) -> Vec<f64>,
    [mut low, mut high]: [f64; 2],
    start: f64,
) -> Result<Option<RankChange>, ParametricError> {
    // Where the constraints depend on each other to rounding there are no matrices, or no equilibrium.
    let exact = |t: f64| -> Result<(f64, Vec<usize>), ParametricError> {
        match source.matrices(&point(t)) {
            Ok(pencil) => {
                Ok(margin(&pencil.phi_q)?.map_or((f64::INFINITY, Vec::new()), |m| (m.size, m.rows)))
            }
            Err(ParametricError::RedundantConstraints { redundant, .. }) => Ok((0.0, redundant)),
            Err(ParametricError::NotBalanced { .. }) => Ok((f64::INFINITY, Vec::new())),
            Err(error) => Err(error),
        }
    };
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let inner = |low: f64, high: f64| [high - golden * (high - low), low + golden * (high - low)];
    let mut best = (f64::INFINITY, low, Vec::new());
    let mut keep = |t: f64, found: &(f64, Vec<usize>)| {
        if found.0 < best.0 {
            best = (found.0, t, found.1.clone());
        }
        best.0
    };
    for t in [low, high] {
        keep(t, &exact(t)?);
    }
    let [mut a, mut b] = inner(low, high);
    let (mut at_a, mut at_b) = (exact(a)?, exact(b)?);
    while high - low > WIDTH {
        if keep(a, &at_a).min(keep(b, &at_b)) <= VANISHED * start {
            break;
        }
        if at_a.0 <= at_b.0 {
            (high, b, at_b) = (b, a, at_a);
            a = inner(low, high)[0];
            at_a = exact(a)?;
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = inner(low, high)[1];
            at_b = exact(b)?;
        }
        // A smooth valley does not end: its floor is known long before the bracket is that narrow.
        if high - low < 1e-4 && best_of(&at_a, &at_b) > 0.05 * start {
            return Ok(None);
        }
    }
    let (size, t, rows) = best;
    Ok((size <= VANISHED * start).then(|| RankChange { at: point(t), rows }))
}

fn best_of(a: &(f64, Vec<usize>), b: &(f64, Vec<usize>)) -> f64 {
    a.0.min(b.0)
}
