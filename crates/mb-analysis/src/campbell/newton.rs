//! Modes at a speed by Newton's method from those of its neighbours.
//!
//! The error bound of an eigenpair found is, to first order and with y^H (2 s M + C) x = 1,
//!
//! ```text
//! |y|^T ( |r| + c u (|s|^2 |M| + |s| |C| + |K|) |x| ) + what the motion changes,   r = (s^2 M + s C + K) x + Phi_q^T l
//! ```

use super::follow::{COINCIDE, LIKE, ModePoint, Sample, turned};
use super::path::{Path, Stop};
use mb_algebra::{QuadraticPencil, Sparse, c64};
use mb_parametric::track::left_right_mac;
use mb_parametric::{PolishOptions, RefinedEigenpair, StartingEigenpair, polish};

/// Rounding errors of the sums of a residual, in units of rounding.
const ROUNDINGS: f64 = 16.0;

/// All modes by Newton's method from where they point to, but those of small models that are lost; none where one of them is not the
/// same, or two become one.
pub(super) fn by_newton(
    path: &Path<'_>,
    stop: &Stop,
    w: f64,
    last: &Sample,
    before: Option<&Sample>,
    guesses: &[Option<c64>],
) -> Option<Vec<Option<ModePoint>>> {
    let mut out: Vec<Option<ModePoint>> = Vec::with_capacity(guesses.len());
    for (k, (mode, guess)) in last.modes.iter().zip(guesses).enumerate() {
        if mode.is_none() && path.is_small() {
            out.push(None);
            continue;
        }
        let (mode, guess) = (mode.as_ref()?, (*guess)?);
        let old = before.and_then(|b| Some((b.w, b.modes.get(k)?.as_ref()?)));
        let start = match old.filter(|(old, _)| (last.w - old).abs() > 0.0) {
            Some((old, far)) => extrapolated(&mode.right, &far.right, (w - last.w) / (last.w - old)),
            None => mode.right.clone(),
        };
        let found = one_by_newton(stop, guess, &start)?;
        let likeness = left_right_mac(&stop.pencil, &mode.shape(), &found.shape());
        let double = |o: &ModePoint| (o.s - found.s).norm() <= COINCIDE * found.s.norm();
        if !(LIKE..=1.0 / LIKE).contains(&likeness) || out.iter().flatten().any(double) {
            return None;
        }
        out.push(Some(found));
    }
    Some(out)
}

/// x + (x - c x_0) by, with c that brings the former vector x_0 nearest to x: vectors have no size and phase of their own.
fn extrapolated(x: &[c64], former: &[c64], by: f64) -> Vec<c64> {
    let dot = |a: &[c64], b: &[c64]| -> c64 { a.iter().zip(b).map(|(a, b)| a.conj() * b).sum() };
    let c = dot(former, x) / dot(former, former);
    x.iter().zip(former).map(|(x, f)| x + (x - c * f) * by).collect()
}

/// The eigenpair near a guess.
fn one_by_newton(stop: &Stop, s: c64, vector: &[c64]) -> Option<ModePoint> {
    let start = StartingEigenpair { s, vector: vector.to_vec() };
    let pair = polish(&stop.pencil, &start, &PolishOptions::default()).ok()?;
    let error = bound(stop, &pair);
    if error.is_nan() || error >= 0.1 * pair.gap {
        return None;
    }
    let point = ModePoint { s: pair.s, error, whirl: None, right: pair.vector, left: pair.left };
    Some(turned(point, stop.whirl()))
}

/// The error bound of an eigenpair (see the module).
fn bound(stop: &Stop, pair: &RefinedEigenpair) -> f64 {
    let QuadraticPencil { m, c, k, phi_q } = &stop.pencil;
    let n = pair.vector.len();
    let (mut residual, mut size) = (vec![c64::ZERO; n], vec![0.0_f64; n]);
    let mut add = |a: &Sparse, factor: c64, x: &[c64], transposed: bool| {
        for (value, (i, j)) in a {
            let (row, column) = if transposed { (j, i) } else { (i, j) };
            let term = factor * x[column] * *value;
            residual[row] += term;
            size[row] += term.norm();
        }
    };
    add(m, pair.s * pair.s, &pair.vector, false);
    add(c, pair.s, &pair.vector, false);
    add(k, c64::ONE, &pair.vector, false);
    add(phi_q, c64::ONE, &pair.multipliers, true);
    let own: f64 = pair
        .left
        .iter()
        .zip(residual.iter().zip(&size))
        .map(|(y, (r, size))| y.norm() * (r.norm() + ROUNDINGS * 0.5 * f64::EPSILON * size))
        .sum();
    let left: Vec<c64> = pair.left.iter().map(c64::conj).collect();
    let moved = stop.at.steady().map_or(0.0, |m| m.deviation().of_eigenvalue(pair.s, &pair.vector, &left));
    own + moved
}

/// How many eigenvalues apart from zero some modes and their conjugates are for certain.
pub(super) fn distinct<'a>(modes: impl Iterator<Item = &'a ModePoint>) -> usize {
    let mut known: Vec<(c64, f64)> = Vec::new();
    for m in modes.filter(|m| m.s.norm() > m.error) {
        let real = m.s.im.abs() <= m.error;
        for s in [m.s, m.s.conj()].into_iter().take(if real { 1 } else { 2 }) {
            let same = |(o, error): &(c64, f64)| (s - o).norm() <= COINCIDE * s.norm() + error + m.error;
            if !known.iter().any(same) {
                known.push((s, m.error));
            }
        }
    }
    known.len()
}
