//! Where modes cross and where they veer.
//!
//! Followed by their shapes, two modes cross when their frequencies change order. They veer when
//! their eigenvalues come close, part again without changing order, and leave with each other's
//! shape: the first before then resembles the second after. Which of the two happens depends on
//! which side of their (complex) meeting point the path passes.

use super::mac::left_right_mac;
use crate::polish::RefinedEigenpair;
use crate::{ParametricError, SeriesSource};
use mb_algebra::sorted::ascending;

/// A share of shape in the other mode that makes a veering.
const EXCHANGE: f64 = 0.3;

/// How much wider than at its narrowest the gap of a veering is on one side at least. Where half the gap is the hypotenuse of a
/// coupling and a distance, shapes change places by 1 - 1/r^2 while the gap widens by r on both sides: [`EXCHANGE`] at 1.2.
/// Shapes that change while the gap hardly does, as those of an arm that turns, are no veering.
const WIDENING: f64 = 1.2;

/// What two modes do to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncounterKind {
    /// The frequencies change order; the shapes stay.
    Crossing,
    /// The frequencies come close and part again; the shapes change places.
    Veering,
}

/// Two modes that cross or veer.
#[derive(Clone, Debug, PartialEq)]
pub struct Encounter {
    /// The two modes, by the numbers of their starts.
    pub modes: [usize; 2],
    /// What happens.
    pub kind: EncounterKind,
    /// Where, counted in samples from 0; between two samples as interpolated.
    pub sample: f64,
    /// The point there.
    pub point: Vec<f64>,
    /// |s_a - s_b| there, rad/s: at a crossing what the damping keeps apart, at a veering the
    /// narrowest gap.
    pub gap: f64,
    /// Left-right MAC of the first mode before with the second after: near 0 at a crossing, near
    /// 1 where a veering has exchanged the shapes altogether.
    pub exchange: f64,
}

/// All encounters of all modes with each other.
pub(super) fn find<S: SeriesSource>(
    source: &S,
    path: &[Vec<f64>],
    pairs: &[Vec<RefinedEigenpair>],
) -> Result<Vec<Encounter>, ParametricError> {
    let count = pairs.first().map_or(0, Vec::len);
    let mut found = Vec::new();
    for a in 0..count {
        for b in a + 1..count {
            for mut one in between(pairs, a, b) {
                let (before, after) = one.sides;
                let veering = one.encounter.kind == EncounterKind::Veering;
                if veering && !one.widens {
                    continue;
                }
                let pencil = source.matrices(&path[after])?;
                let exchange =
                    left_right_mac(&pencil, &(&pairs[before][a]).into(), &(&pairs[after][b]).into());
                one.encounter.exchange = exchange;
                if veering && exchange < EXCHANGE {
                    continue;
                }
                one.encounter.point = interpolated(path, one.encounter.sample);
                found.push(one.encounter);
            }
        }
    }
    ascending(&mut found, |x| x.sample);
    Ok(found)
}

/// A candidate and the samples on both sides at which the modes are apart again.
struct Candidate {
    encounter: Encounter,
    sides: (usize, usize),
    /// Whether the gap there is clearly wider on one of them.
    widens: bool,
}

/// What modes a and b do, judged by their eigenvalues alone.
fn between(pairs: &[Vec<RefinedEigenpair>], a: usize, b: usize) -> Vec<Candidate> {
    let order: Vec<f64> = pairs.iter().map(|p| p[a].s.im - p[b].s.im).collect();
    let gap: Vec<f64> = pairs.iter().map(|p| (p[a].s - p[b].s).norm()).collect();
    let size: Vec<f64> = pairs.iter().map(|p| p[a].s.norm().max(p[b].s.norm())).collect();
    let level = |i: usize| order[i].abs() <= 1e-9 * size[i];
    let candidate = |kind, sample: f64, gap_there: f64, at: (usize, usize)| {
        let (before, after) = sides(&gap, gap_there, at);
        Candidate {
            encounter: Encounter {
                modes: [a, b],
                kind,
                sample,
                point: Vec::new(),
                gap: gap_there,
                exchange: 0.0,
            },
            sides: (before, after),
            widens: gap[before].max(gap[after]) >= WIDENING * gap_there,
        }
    };
    let mut found = Vec::new();
    // The last sample at which one lay clearly above the other.
    let mut last: Option<usize> = None;
    for i in (0..order.len()).filter(|&i| !level(i)) {
        if let Some(before) = last.filter(|&before| order[before] * order[i] < 0.0) {
            let share = order[before] / (order[before] - order[i]);
            let sample = before as f64 + share * (i - before) as f64;
            let s = |mode: usize| pairs[before][mode].s * (1.0 - share) + pairs[i][mode].s * share;
            let there = (s(a) - s(b)).norm();
            found.push(candidate(EncounterKind::Crossing, sample, there, (before, i)));
        }
        last = Some(i);
    }
    for i in 1..gap.len().saturating_sub(1) {
        let narrowest = gap[i] < gap[i - 1] && gap[i] <= gap[i + 1];
        let same_order = order[i - 1] * order[i] > 0.0 && order[i] * order[i + 1] > 0.0;
        if narrowest && same_order {
            // The lowest point of the parabola through three samples.
            let bend = gap[i - 1] - 2.0 * gap[i] + gap[i + 1];
            let shift = if bend > 0.0 { 0.5 * (gap[i - 1] - gap[i + 1]) / bend } else { 0.0 };
            let lowest = gap[i] - 0.25 * (gap[i - 1] - gap[i + 1]) * shift;
            found.push(candidate(EncounterKind::Veering, i as f64 + shift, lowest.max(0.0), (i, i)));
        }
    }
    found
}

/// The nearest samples on both sides with three times the gap, or the ends of the path.
fn sides(gap: &[f64], there: f64, (before, after): (usize, usize)) -> (usize, usize) {
    let wide = |i: &usize| gap[*i] >= 3.0 * there;
    ((0..=before).rev().find(wide).unwrap_or(0), (after..gap.len()).find(wide).unwrap_or(gap.len() - 1))
}

/// The point at a fractional sample.
fn interpolated(path: &[Vec<f64>], sample: f64) -> Vec<f64> {
    let low = (0..path.len()).rev().find(|&i| i as f64 <= sample).unwrap_or(0);
    let high = (low + 1).min(path.len() - 1);
    let share = sample - low as f64;
    path[low].iter().zip(&path[high]).map(|(a, b)| a + share * (b - a)).collect()
}
