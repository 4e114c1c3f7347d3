//! Modes followed along a path by their shapes.
//!
//! Left and right vectors of different eigenvalues of one pencil are orthogonal in the sense
//!
//! ```text
//! y_j^H ((s_j + s_k) M + C) x_k = 0
//! ```
//!
//! so with y_j, s_j from the sample before and x_k, s_k from this one the share
//!
//! ```text
//! |y_j^H ((s_j + s_k) M + C) x_k|^2 / (|y_j^H (2 s_j M + C) x_j| |y_k^H (2 s_k M + C) x_k|)
//! ```
//!
//! is near 1 for a mode and itself and near 0 for another, as long as a step is short. The largest shares are assigned
//! first, each candidate once.

use crate::failure::Failure;
use mb_algebra::{Dense, QuadraticPencil, c64};
use mb_eigen::{DenseOptions, Eigenpair, quadratic};
use std::f64::consts::TAU;

/// Shares below this leave open which mode is which.
pub const UNCERTAIN: f64 = 0.5;
/// Two modes veer when their shapes exchange at least this share across the narrowest place.
const EXCHANGE: f64 = 0.25;
/// A narrow place is one with at most this part of the gap at its sides.
const NARROW: f64 = 0.7;

/// A mode at one sample.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The eigenpair.
    pub pair: Eigenpair,
    /// Eigenvalue, rad/s.
    pub s: c64,
    /// Share in the mode of the sample before (towards the middle of the path); 1 in the middle.
    pub share: f64,
}

/// What happens between modes on the way.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Two frequencies pass each other, the shapes stay with them.
    Crossing {
        /// Numbers of the modes among those followed, from 0.
        modes: [usize; 2],
        /// Abscissa, by straight lines between the samples.
        at: f64,
    },
    /// Two frequencies come near and part again, while the shapes change places.
    Veering {
        /// Numbers of the modes among those followed, from 0.
        modes: [usize; 2],
        /// Abscissa of the sample with the smallest gap.
        at: f64,
        /// The smallest gap, Hz.
        gap_hz: f64,
        /// Share of the one's shape before in the other's after.
        exchange: f64,
    },
    /// A step in which a mode could not be told from others.
    Uncertain {
        /// Number of the mode among those followed, from 0.
        mode: usize,
        /// Abscissa of the sample.
        at: f64,
        /// Share in the mode of the sample before.
        share: f64,
    },
}

/// The eigenpairs of a sample that a mode may be: one of each conjugate pair.
///
/// # Errors
/// [`Failure::Eigen`].
pub fn candidates(pencil: &QuadraticPencil<Dense>) -> Result<Vec<Eigenpair>, Failure> {
    let named = |source| Failure::Eigen { formulation: "minimal".to_owned(), source };
    let spectrum = quadratic::solve(pencil, &DenseOptions::default()).map_err(named)?;
    let upper = |p: &Eigenpair| p.class.is_motion() && p.value().is_some_and(|s| s.im >= 0.0);
    Ok(spectrum.pairs.into_iter().filter(upper).collect())
}

/// The candidates that continue the modes of the sample before.
pub fn next(before: &[Followed], pencil: &QuadraticPencil<Dense>, candidates: &[Eigenpair]) -> Vec<Followed> {
    let form = |y: &[c64], s: c64, x: &[c64]| bilinear(y, &pencil.m, x) * s + bilinear(y, &pencil.c, x);
    let own: Vec<(c64, f64)> = candidates
        .iter()
        .map(|p| {
            let s = p.value().unwrap_or_default();
            (s, form(&p.left, 2.0 * s, &p.right).norm())
        })
        .collect();
    let mut shares: Vec<(f64, usize, usize)> = Vec::new();
    for (j, mode) in before.iter().enumerate() {
        let size = form(&mode.pair.left, 2.0 * mode.s, &mode.pair.right).norm();
        for (k, (candidate, (s, norm))) in candidates.iter().zip(&own).enumerate() {
            let cross = form(&mode.pair.left, mode.s + s, &candidate.right).norm();
            let share = cross * form(&candidate.left, mode.s + s, &mode.pair.right).norm() / (size * norm);
            shares.push((if share.is_finite() { share } else { 0.0 }, j, k));
        }
    }
    shares.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut found: Vec<Option<Followed>> = vec![None; before.len()];
    let mut taken = vec![false; candidates.len()];
    for (share, j, k) in shares {
        if found[j].is_none() && !taken[k] {
            taken[k] = true;
            found[j] = Some(Followed { pair: candidates[k].clone(), s: own[k].0, share: share.min(1.0) });
        }
    }
    // With fewer candidates than modes the last ones keep what they were, with no share in it.
    let lost = |mode: &Followed| Followed { share: 0.0, ..mode.clone() };
    found.into_iter().zip(before).map(|(f, mode)| f.unwrap_or_else(|| lost(mode))).collect()
}

/// y^H A x.
fn bilinear(y: &[c64], a: &Dense, x: &[c64]) -> c64 {
    (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| y[i].conj() * a[(i, j)]).sum::<c64>() * x[j]).sum()
}

/// |a^H b|^2 / (a^H a b^H b): the modal assurance criterion of two shapes.
pub fn mac(a: &[c64], b: &[c64]) -> f64 {
    let dot = |x: &[c64], y: &[c64]| -> c64 { x.iter().zip(y).map(|(x, y)| x.conj() * y).sum() };
    let size = dot(a, a).re * dot(b, b).re;
    if size > 0.0 { dot(a, b).norm_sqr() / size } else { 0.0 }
}

/// Crossings, veering and doubtful steps of modes at all samples.
pub fn events(along: &[f64], modes: &[Vec<Followed>]) -> Vec<Event> {
    let mut out = Vec::new();
    let count = modes.first().map_or(0, Vec::len);
    let frequency = |i: usize, k: usize| modes[i][k].s.norm() / TAU;
    for a in 0..count {
        for b in a + 1..count {
            let gap: Vec<f64> = (0..modes.len()).map(|i| frequency(i, b) - frequency(i, a)).collect();
            for i in 1..gap.len() {
                if gap[i - 1] * gap[i] < 0.0 {
                    let part = gap[i - 1] / (gap[i - 1] - gap[i]);
                    let at = along[i - 1] + part * (along[i] - along[i - 1]);
                    out.push(Event::Crossing { modes: [a, b], at });
                }
            }
            out.extend(veering(along, modes, [a, b], &gap));
        }
        for (i, sample) in modes.iter().enumerate().filter(|(_, m)| m[a].share < UNCERTAIN) {
            out.push(Event::Uncertain { mode: a, at: along[i], share: sample[a].share });
        }
    }
    out.sort_by(|a, b| abscissa(a).total_cmp(&abscissa(b)));
    out
}

fn abscissa(event: &Event) -> f64 {
    match event {
        Event::Crossing { at, .. } | Event::Veering { at, .. } | Event::Uncertain { at, .. } => *at,
    }
}

/// Places where the gap of two modes is narrow, not crossed, and their shapes change places.
fn veering(along: &[f64], modes: &[Vec<Followed>], [a, b]: [usize; 2], gap: &[f64]) -> Vec<Event> {
    let size: Vec<f64> = gap.iter().map(|g| g.abs()).collect();
    let mut out = Vec::new();
    for i in 1..size.len().saturating_sub(1) {
        if !(size[i] < size[i - 1] && size[i] <= size[i + 1]) {
            continue;
        }
        // To both sides as far as the gap grows, at most to three times of it.
        let side = |step: isize| {
            let mut at = i;
            while let Some(more) = at.checked_add_signed(step).filter(|k| *k < size.len()) {
                if size[more] < size[at] || size[at] > 3.0 * size[i] || gap[more] * gap[i] <= 0.0 {
                    break;
                }
                at = more;
            }
            at
        };
        let (left, right) = (side(-1), side(1));
        let narrow = size[i] <= NARROW * size[left].min(size[right]);
        let shape = |i: usize, k: usize| modes[i][k].pair.right.as_slice();
        let exchange = mac(shape(left, a), shape(right, b)).max(mac(shape(left, b), shape(right, a)));
        if narrow && exchange >= EXCHANGE {
            out.push(Event::Veering { modes: [a, b], at: along[i], gap_hz: size[i], exchange });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::dense::from_rows;

    /// Two unit masses on springs 1 and 1 + d, joined by a spring `coupling`.
    fn pair(d: f64, coupling: f64) -> QuadraticPencil<Dense> {
        QuadraticPencil {
            m: from_rows(&[[1.0, 0.0], [0.0, 1.0]]),
            c: from_rows(&[[0.02, 0.0], [0.0, 0.03]]),
            k: from_rows(&[[1.0 + coupling, -coupling], [-coupling, 1.0 + coupling + d]]),
            phi_q: Dense::zeros(0, 2),
        }
    }

    fn follow(coupling: f64, steps: usize) -> Vec<Event> {
        let along: Vec<f64> = (0..=steps).map(|i| -0.5 + i as f64 / steps as f64).collect();
        let first = candidates(&pair(along[0], coupling)).unwrap();
        let start = first.into_iter().map(|p| Followed { s: p.value().unwrap(), pair: p, share: 1.0 });
        let mut modes = vec![start.collect::<Vec<_>>()];
        for x in &along[1..] {
            let pencil = pair(*x, coupling);
            let found = next(&modes[modes.len() - 1], &pencil, &candidates(&pencil).unwrap());
            modes.push(found);
        }
        events(&along, &modes)
    }

    #[test]
    fn modes_without_coupling_cross() {
        let found = follow(0.0, 21);
        let [Event::Crossing { modes, at }] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(*modes, [0, 1]);
        assert!(at.abs() < 1e-3, "{at}");
    }

    #[test]
    fn coupled_modes_veer_and_change_shapes() {
        let found = follow(0.05, 80);
        let [Event::Veering { at, gap_hz, exchange, .. }] = found.as_slice() else { panic!("{found:?}") };
        // k = 1 and 1 + 2 coupling at d = 0.
        let exact = (1.1_f64.sqrt() - 1.0) / TAU;
        assert!(at.abs() < 1e-9 && (gap_hz - exact).abs() < 0.01 * exact && *exchange > 0.6, "{found:?}");
    }

    #[test]
    fn a_step_too_long_is_told() {
        let found = follow(0.05, 1);
        // From one end to the other both shapes are exchanged: followed by shape, the frequencies cross.
        assert!(matches!(found.as_slice(), [Event::Crossing { .. }]), "{found:?}");
    }
}
