//! Modes at a speed by Newton's method from those of its neighbours.
//!
//! The error bound of an eigenpair found is, to first order and with y^H (2 s M + C) x = 1,
//!
//! ```text
//! |y|^T ( |r| + c u (|s|^2 |M| + |s| |C| + |K|) |x| ) + what the motion changes,   r = (s^2 M + s C + K) x + Phi_q^T l
//! ```
//!
//! Small models are reduced to the null space R of Phi_q before, x = R z and y = R w, where the bound is
//!
//! ```text
//! |w|^T ( |R^T (s^2 M + s C + K) x| + c u |R|^T (|s|^2 |M| + |s| |C| + |K|) |x| ) + what the motion changes
//! ```

use super::follow::{COINCIDE, LIKE, ModePoint, Sample, turned};
use super::path::Path;
use super::stop::{Reduced, Stop};
use crate::moving::is_rounding;
use mb_algebra::{Dense, QuadraticPencil, Sparse, c64, dense};
use mb_parametric::track::left_right_mac;
use mb_parametric::{CheckedPencil, PolishOptions, RefinedEigenpair, StartingEigenpair};

/// Rounding errors of the sums of a residual, in units of rounding.
const ROUNDINGS: f64 = 16.0;

/// All modes by Newton's method from where they point to, but those of small models that are lost, and the others there are from where they
/// were; none where one of them is not the same, or two become one.
///
/// Near zeros that are known the equations without them are solved, in which nothing is as near as they are: these cost more.
pub(super) fn by_newton(
    path: &Path<'_>,
    stop: &Stop,
    last: &Sample,
    starts: &[Option<StartingEigenpair>],
) -> Option<(Vec<Option<ModePoint>>, Vec<ModePoint>)> {
    let all = |found: &(Vec<Option<ModePoint>>, Vec<ModePoint>), without_zeros: bool| {
        let modes = found.0.iter().flatten().chain(&found.1);
        last.total.is_none_or(|total| distinct(modes, without_zeros) == total)
    };
    // What modes do to each other where the motion is steady to some digits only asks for all of them.
    if stop.at.steady().is_some_and(|motion| !is_rounding(motion)) {
        return None;
    }
    let near =
        || solved(path, stop, &Solver::without_zeros(stop)?, last, starts).filter(|found| all(found, true));
    solved(path, stop, &Solver::new(stop)?, last, starts).filter(|found| all(found, false)).or_else(near)
}

/// The same with equations that are given, whether or not all are found.
fn solved(
    path: &Path<'_>,
    stop: &Stop,
    solver: &Solver<'_>,
    last: &Sample,
    starts: &[Option<StartingEigenpair>],
) -> Option<(Vec<Option<ModePoint>>, Vec<ModePoint>)> {
    let mut out: Vec<Option<ModePoint>> = Vec::with_capacity(starts.len());
    for (mode, start) in last.modes.iter().zip(starts) {
        if mode.is_none() && path.is_small() {
            out.push(None);
            continue;
        }
        let (mode, start) = (mode.as_ref()?, start.as_ref()?);
        let (found, expected) = one_by_newton(stop, solver, start)?;
        let alike =
            || (LIKE..=1.0 / LIKE).contains(&left_right_mac(&stop.pencil, &mode.shape(), &found.shape()));
        let double = |o: &ModePoint| (o.s - found.s).norm() <= COINCIDE * found.s.norm();
        if !(expected || alike()) || out.iter().flatten().any(double) {
            return None;
        }
        out.push(Some(found));
    }
    let from = |mode: &ModePoint| StartingEigenpair { s: mode.s, vector: mode.right.clone() };
    let others = last.others.iter().map(|mode| Some(one_by_newton(stop, solver, &from(mode))?.0));
    Some((out, others.collect::<Option<_>>()?))
}

/// Where mode `k` of neighbouring speeds, the nearest first, points to at the speed `w`: the polynomials through its eigenvalues and its vectors,
///
/// ```text
/// s(w) = sum_i L_i(w) s_i,   x(w) = sum_i L_i(w) c_i x_i,   L_i(w) = prod_{j != i} (w - w_j) / (w_i - w_j)
/// ```
///
/// with c_i that brings x_i nearest to the first vector: vectors have no size and phase of their own. Speeds count up to the first at
/// which the mode is not known, or oscillates where it did not.
pub(super) fn ahead(w: f64, neighbours: &[&Sample], k: usize) -> Option<StartingEigenpair> {
    let real = neighbours.first()?.modes.get(k)?.as_ref()?.is_real();
    let known = neighbours.iter().map_while(|sample| {
        let mode = sample.modes.get(k)?.as_ref()?;
        (mode.is_real() == real).then_some((sample.w, mode))
    });
    let mut points: Vec<(f64, &ModePoint)> = Vec::with_capacity(neighbours.len());
    for point in known {
        if points.iter().all(|(speed, _)| (speed - point.0).abs() > 0.0) {
            points.push(point);
        }
    }
    let first = &points.first()?.1.right;
    let dot = |a: &[c64], b: &[c64]| -> c64 { a.iter().zip(b).map(|(a, b)| a.conj() * b).sum() };
    let (mut s, mut vector) = (c64::ZERO, vec![c64::ZERO; first.len()]);
    for (i, (speed, mode)) in points.iter().enumerate() {
        let others = points.iter().enumerate().filter(|(j, _)| *j != i);
        let weight: f64 = others.map(|(_, (other, _))| (w - other) / (speed - other)).product();
        s += mode.s * weight;
        let c = dot(&mode.right, first) / dot(&mode.right, &mode.right) * weight;
        vector.iter_mut().zip(&mode.right).for_each(|(sum, x)| *sum += c * x);
    }
    Some(StartingEigenpair { s, vector })
}

/// Share of the distance to the next eigenvalue up to which an error bound leaves an eigenvalue alone, and one is where it was expected.
const APART: f64 = 0.1;

/// The equations that Newton's method solves: with the constraints, or of a small model without them.
enum Solver<'a> {
    Whole(CheckedPencil<'a, Sparse>),
    Reduced(&'a Reduced, CheckedPencil<'a, Dense>),
}

impl<'a> Solver<'a> {
    fn new(stop: &'a Stop) -> Option<Self> {
        match stop.reduced() {
            Some(reduced) => Self::reduced(reduced),
            None => Some(Self::Whole(CheckedPencil::new(&stop.pencil).ok()?)),
        }
    }
    fn without_zeros(stop: &'a Stop) -> Option<Self> {
        stop.without_zeros().and_then(Self::reduced)
    }
    fn reduced(reduced: &'a Reduced) -> Option<Self> {
        Some(Self::Reduced(reduced, CheckedPencil::new(&reduced.pencil).ok()?))
    }
    /// The eigenpair near a start in all coordinates with its error bound, and the distance to the next one.
    fn polish(&self, stop: &Stop, start: &StartingEigenpair) -> Option<(ModePoint, f64)> {
        let options = PolishOptions::default();
        let point = |s, error, right, left| ModePoint { s, error, whirl: None, right, left };
        // What the motion changes, where no bound has it yet.
        let moved = |s: c64, right: &[c64], left: &[c64]| {
            let left: Vec<c64> = left.iter().map(c64::conj).collect();
            stop.at.steady().map_or(0.0, |m| m.deviation().of_eigenvalue(s, right, &left))
        };
        match self {
            Self::Whole(pencil) => {
                let pair = pencil.polish(start, &options).ok()?;
                let of_rows = |residual: &[c64], size: &[f64]| rounded(&pair.left, residual, size);
                let own = of_residual(&stop.pencil, &pair, &of_rows);
                let error = own + moved(pair.s, &pair.vector, &pair.left);
                Some((point(pair.s, error, pair.vector, pair.left), pair.gap))
            }
            Self::Reduced(Reduced { zeros, whole, r, .. }, pencil) => {
                let vector = match zeros {
                    Some(zeros) => zeros.start(start.s, &start.vector)?,
                    None => start.vector.clone(),
                };
                let own = StartingEigenpair { s: start.s, vector: onto(r, &vector) };
                let mut pair = pencil.polish(&own, &options).ok()?;
                pair.vector = dense::matvec_complex(r, &pair.vector);
                let left = dense::matvec_complex(r, &pair.left);
                let of_rows = |residual: &[c64], size: &[f64]| {
                    let size: Vec<f64> = (0..r.ncols())
                        .map(|j| r.col_as_slice(j).iter().zip(size).map(|(r, size)| r.abs() * size).sum())
                        .collect();
                    rounded(&pair.left, &onto(r, residual), &size)
                };
                let own = of_residual(whole, &pair, &of_rows);
                let Some(zeros) = zeros else {
                    let error = own + moved(pair.s, &pair.vector, &left);
                    return Some((point(pair.s, error, pair.vector, left), pair.gap));
                };
                let conjugate = |x: &[c64]| x.iter().map(c64::conj).collect::<Vec<_>>();
                let all = zeros.back(pair.s, &pair.vector, &conjugate(&left), own);
                let found = point(pair.s, all.error_bound, all.right.to_vec(), conjugate(&all.left));
                Some((found, pair.gap))
            }
        }
    }
}

/// R^T x.
fn onto(r: &Dense, x: &[c64]) -> Vec<c64> {
    (0..r.ncols()).map(|j| x.iter().zip(r.col_as_slice(j)).map(|(x, r)| x * *r).sum()).collect()
}

/// |y|^T (|r| + c u size).
fn rounded(left: &[c64], residual: &[c64], size: &[f64]) -> f64 {
    left.iter()
        .zip(residual.iter().zip(size))
        .map(|(y, (r, size))| y.norm() * (r.norm() + ROUNDINGS * 0.5 * f64::EPSILON * size))
        .sum()
}

/// The eigenpair near a start, and whether no other eigenvalue is as near: the vector of a slow mode of what drifts changes as 1 / s, so that it
/// is not always like those before.
fn one_by_newton(stop: &Stop, solver: &Solver<'_>, start: &StartingEigenpair) -> Option<(ModePoint, bool)> {
    let (point, gap) = solver.polish(stop, start)?;
    if point.error.is_nan() || point.error >= APART * gap {
        return None;
    }
    let expected = (point.s - start.s).norm() <= APART * gap;
    Some((turned(point, stop.whirl()), expected))
}

/// What `of_rows` makes of the residual of an eigenpair with the sizes of what it is summed of (see the module).
fn of_residual(
    pencil: &QuadraticPencil<Sparse>,
    pair: &RefinedEigenpair,
    of_rows: &dyn Fn(&[c64], &[f64]) -> f64,
) -> f64 {
    let QuadraticPencil { m, c, k, phi_q } = pencil;
    let n = pair.vector.len();
    let (mut residual, mut size) = (vec![c64::ZERO; n], vec![0.0_f64; n]);
    let mut add = |a: &Sparse, factor: c64, x: &[c64], transposed: bool| {
        let terms: Vec<(c64, f64)> = x.iter().map(|x| factor * x).map(|x| (x, x.norm())).collect();
        for (value, (i, j)) in a {
            let (row, column) = if transposed { (j, i) } else { (i, j) };
            let (term, magnitude) = terms[column];
            residual[row] += term * *value;
            size[row] += magnitude * value.abs();
        }
    };
    add(m, pair.s * pair.s, &pair.vector, false);
    add(c, pair.s, &pair.vector, false);
    add(k, c64::ONE, &pair.vector, false);
    if !pair.multipliers.is_empty() {
        add(phi_q, c64::ONE, &pair.multipliers, true);
    }
    of_rows(&residual, &size)
}

/// How many eigenvalues some modes and their conjugates are for certain; apart from zero, unless they are those of equations without zeros.
pub(super) fn distinct<'a>(modes: impl Iterator<Item = &'a ModePoint>, without_zeros: bool) -> usize {
    let mut known: Vec<(c64, f64)> = Vec::new();
    for m in modes.filter(|m| without_zeros || m.s.norm() > m.error) {
        for s in [m.s, m.s.conj()].into_iter().take(if m.is_real() { 1 } else { 2 }) {
            let same = |(o, error): &(c64, f64)| (s - o).norm() <= COINCIDE * s.norm() + error + m.error;
            if !known.iter().any(same) {
                known.push((s, m.error));
            }
        }
    }
    known.len()
}
