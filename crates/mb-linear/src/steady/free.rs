//! Free turns and shifts of a steady motion: displacements that lead to another steady motion of the same kind, so that s = 0 exactly.
//!
//! One is the motion itself a moment later, y = v, where no constraint moves. Three more are tried: the turn of everything about the axis
//! of the frame, y = W x (p - c), shifts of everything, y = e, along the axes and along directions that nothing holds, and spins of single bodies. One is free
//! where the equations hold as well after it, which is shown at displaced points, and where it stands still in the frame, S y = dy/dt. In theory
//!
//! ```text
//! r = (K + C S + M S^2) y + Phi_q^T l = 0
//! ```
//!
//! Rounding of the terms of that sum, which may be far larger than the sum, leaves an r, and the zero eigenvalues, which come in
//! chains, are off by its eigenvalue. What is left is therefore taken out of the stiffness, a change within the
//! rounding of its terms (l is what is left of K^T y, which is r but for rounding):
//!
//! ```text
//! K <- K - r y^T,   of a symmetric K: K - r y^T - y l^T + (y . r) y y^T,   |y| = 1
//! ```

use super::displaced::{Displaced, LEFT, ROUNDING};
use super::frames::in_plane;
use super::generator::{Generator, in_ground, length, positions};
use super::search::Field;
use super::{STEADY, SteadyMotion};
use crate::linearize::LinearizedSystem;
use mb_algebra::{Dense, Sparse, Svd, dense, norms, sparse};
use mb_constraints::MinimumNorm;
use mb_model::{BlockKind, Model, Point};
use std::borrow::Cow;

/// Units in the last place that a computed direction may be off by.
const LAST_PLACES: f64 = 16.0;

/// Force that rounding leaves for each unit of a displacement, of stiffnesses up to `size`: that of coordinates, which grow with it, and of
/// a direction that is no axis.
pub(super) fn slack(y: &[f64], size: f64) -> f64 {
    let rounded = y.iter().any(|x| ![0.0, 1.0].contains(&x.abs()));
    if rounded { LAST_PLACES * f64::EPSILON * size } else { LEFT * f64::EPSILON * size }
}

/// Second zeros of free directions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecondZeros {
    /// Of the motion itself, y = v, where it goes on in the same configuration at any speed: C v = 0.
    any_speed: bool,
    /// Of the shift across a motion that may take another course, in the ground's frame: turns x = W x p of everything about these axes with
    ///
    /// ```text
    /// y = W x v,   K x + C y = 0
    /// ```
    axes: Vec<usize>,
}

impl SecondZeros {
    /// How many there are.
    pub fn count(&self) -> usize {
        usize::from(self.any_speed) + self.axes.len()
    }
}

impl SteadyMotion {
    /// Which free directions are zeros twice, at least, where velocity rows keep no momentum that would show it.
    pub fn second_zeros(&self, model: &Model) -> SecondZeros {
        let mut found = SecondZeros::default();
        let Some(displaced) = Displaced::new(model, &self.point, self.forces) else { return found };
        found.any_speed = displaced.holds_at_any_speed();
        let turns = self.frame.rate().is_some_and(|rate| rate.iter().any(|x| *x != 0.0));
        let speed = norms::max_abs_vec(&self.point.v);
        for axis in (0..3).filter(|i| !turns && (*i == 2 || !in_plane(model))) {
            let (y, rate, across) = self.course(model, axis);
            if norms::max_abs_vec(&across) > STEADY * speed && displaced.leads_on(&y, rate, 0.0) {
                found.axes.push(axis);
            }
        }
        found
    }
    /// The turn of everything about an axis of the ground, x = W x p, W, and how the motion goes on across it, y = W x v.
    fn course(&self, model: &Model, axis: usize) -> (Vec<f64>, [f64; 3], Vec<f64>) {
        let rate = std::array::from_fn(|i| f64::from(u8::from(i == axis)));
        let y = turn(model, &self.point, &Field::about(model, rate), rate);
        let carried = Point { v: y.clone(), ..self.point.clone() };
        let across = Generator::of_frame(model, &carried, rate).times(&self.point.v);
        (y, rate, across)
    }
    /// The vectors y, x of second zeros, n each, K y = 0 and K x + C y = 0 but for reactions; of this motion or of another of the same kind.
    pub fn zero_chains(&self, model: &Model, zeros: &SecondZeros) -> Vec<[Vec<f64>; 2]> {
        let along = zeros.any_speed.then(|| [self.point.v.clone(), vec![0.0; self.point.v.len()]]);
        let across = zeros.axes.iter().map(|axis| {
            let (x, _, y) = self.course(model, *axis);
            [y, x]
        });
        along.into_iter().chain(across).collect()
    }
    /// Free turns and shifts as columns, n x any and independent; `k` (n x n) and `phi_q` (m x n) are those of the motion in its frame.
    pub fn free_directions(&self, model: &Model, k: &Sparse, phi_q: &Sparse) -> Dense {
        self.free_of(model, k, phi_q, factored(phi_q).as_ref())
    }
    /// The same, `factors` of the rows `phi_q`.
    fn free_of(&self, model: &Model, k: &Sparse, phi_q: &Sparse, factors: Option<&MinimumNorm<'_>>) -> Dense {
        let n = model.nv();
        let point = &self.point;
        if model.phi_t(&point.q, point.t).iter().any(|x| *x != 0.0) {
            return Dense::zeros(n, 0);
        }
        let (rows, size) = (phi_q, norms::max_abs(k));
        // What Newton's method has left of the motion itself is left of displacements too.
        let largest = norms::max_abs_vec(&point.v);
        let along: Vec<f64> = point.v.iter().map(|v| v / largest).collect();
        let of_rows = |y: &[f64]| norms::max_abs_vec(&sparse::matvec(rows, y));
        let parting = of_rows(&along).max(ROUNDING * norms::max_abs(phi_q));
        let admissible = |y: &[f64]| of_rows(y) <= LEFT * parting;
        let Some(displaced) = Displaced::new(model, point, self.forces) else { return Dense::zeros(n, 0) };
        let stiffless = |y: &[f64]| {
            let force = sparse::matvec(k, y);
            if force.iter().all(|f| *f == 0.0) {
                return true;
            }
            factors.is_some_and(|factors| {
                norms::max_abs_vec(&factors.solve(&force).1) <= ROUNDING * size + LEFT * displaced.force()
            })
        };
        let mut free = Directions::default();
        let shifts = self.shifts(model, |y| {
            let (_, held) = factors?.solve(&sparse::matvec(k, y));
            Some([(held, size), (sparse::matvec(rows, y), norms::max_abs(phi_q))])
        });
        let shifts = shifts.into_iter().map(|y| (slack(&y, size), y));
        for (slack, y) in shifts.chain(self.spins(model, k, phi_q).into_iter().map(|y| (0.0, y))) {
            if admissible(&y) && stiffless(&y) && displaced.leads_on(&y, [0.0; 3], slack) {
                free.take(y);
            }
        }
        if let Some((y, rate)) = self.turn_of_all(model)
            && admissible(&y)
            && stiffless(&y)
            && displaced.leads_on(&y, rate, 0.0)
        {
            free.take(y);
        }
        if admissible(&along) && stiffless(&along) {
            free.take(along);
        }
        free.columns(n)
    }
    /// The linearization of the motion in its frame without what rounding leaves of K along the free turns and shifts, and these, n x any.
    pub fn freed(&self, model: &Model, lin: LinearizedSystem) -> (LinearizedSystem, Dense) {
        let (rows, stiffness) = (mb_algebra::to_sparse(&lin.phi_q), mb_algebra::to_sparse(&lin.k));
        let factors = factored(&rows);
        let free = self.free_of(model, &stiffness, &rows, factors.as_ref());
        // What is taken out is rounding, which changes nothing of that.
        let symmetric = sparse::is_symmetric(&stiffness, ROUNDING).is_ok();
        let mut done: Vec<Vec<f64>> = Vec::new();
        let mut k = lin.k;
        for j in 0..free.ncols() {
            let mut y = dense::column(&free, j);
            for other in &done {
                let part = dense::dot(&y, other);
                for (y, o) in y.iter_mut().zip(other) {
                    *y -= part * o;
                }
            }
            let length = norms::two(&y);
            for y in &mut y {
                *y /= length;
            }
            let Some(factors) = &factors else { continue };
            let (_, r) = factors.solve(&dense::matvec(&k, &y));
            let (_, l) = factors.solve(&dense::matvec_transpose(&k, &y));
            let along = dense::dot(&y, &r);
            for j in 0..k.ncols() {
                let (of_r, of_y) = (y[j], if symmetric { l[j] - along * y[j] } else { 0.0 });
                if of_r != 0.0 || of_y != 0.0 {
                    let rest = r.iter().zip(&y);
                    k.col_as_slice_mut(j)
                        .iter_mut()
                        .zip(rest)
                        .for_each(|(k, (r, y))| *k -= r * of_r + y * of_y);
                }
            }
            done.push(y);
        }
        (LinearizedSystem { k, ..lin }, free)
    }
    /// Shifts of everything that stand still in the frame and that nothing holds: along the axes, then along what directions are left.
    ///
    /// `held`: forces and rates of rows that a shift makes, each with its size.
    fn shifts(&self, model: &Model, held: impl Fn(&[f64]) -> Option<[(Vec<f64>, f64); 2]>) -> Vec<Vec<f64>> {
        let speed = self.fastest(model);
        let axes: Vec<Vec<f64>> = (0..3)
            .map(|axis| shift(model, std::array::from_fn(|i| f64::from(u8::from(i == axis)))))
            .filter(|y| norms::max_abs_vec(y) > 0.0)
            .collect();
        // What holds each, compared with its size: columns whose null directions are free.
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for y in &axes {
            let Some(parts) = held(y) else { return Vec::new() };
            let parts = parts.into_iter().chain([(self.generator.times(y), speed)]);
            let shares = parts.flat_map(|(x, size)| {
                let size = if size > 0.0 { size } else { 1.0 };
                x.into_iter().map(move |x| x / size)
            });
            columns.push(shares.collect());
        }
        let Some(rows) = columns.first().map(Vec::len) else { return Vec::new() };
        let Ok(svd) = Svd::new(&dense::from_columns(rows, &columns)) else { return Vec::new() };
        let mut null: Vec<Vec<f64>> = Vec::new();
        let free: Vec<usize> = (0..axes.len()).filter(|j| svd.s[*j] <= STEADY).collect();
        // An axis has no rounding, so it comes first.
        let units = (0..axes.len()).map(|i| (0..axes.len()).map(|j| f64::from(u8::from(i == j))).collect());
        let share = |c: &Vec<f64>| -> f64 {
            free.iter().map(|j| (0..axes.len()).map(|i| c[i] * svd.v[(i, *j)]).sum::<f64>().powi(2)).sum()
        };
        null.extend(units.filter(|c: &Vec<f64>| (share(c) - 1.0).abs() <= STEADY));
        for j in free {
            let mut rest = dense::column(&svd.v, j);
            for other in &null {
                let part = dense::dot(&rest, other);
                rest.iter_mut().zip(other).for_each(|(r, o)| *r -= part * o);
            }
            let length = norms::two(&rest);
            if length > STEADY.sqrt() {
                null.push(rest.iter().map(|r| r / length).collect());
            }
        }
        let along = |c: &Vec<f64>| {
            let mut y = vec![0.0; model.nv()];
            for (axis, by) in axes.iter().zip(c) {
                y.iter_mut().zip(axis).for_each(|(y, x)| *y += by * x);
            }
            y
        };
        null.iter().map(along).filter(|y| self.stands_still(model, y)).collect()
    }
    /// Spins of single bodies that no constraint row feels and that stand still in the frame: in the plane, about the axis that a body in
    /// space turns about in the frame, and where it does not turn about those axes of its own that are free. What does not spin may be held by a
    /// spring far softer than the forces of the motion: nothing but the rounding of its own forces of inertia may hold it.
    fn spins(&self, model: &Model, k: &Sparse, phi_q: &Sparse) -> Vec<Vec<f64>> {
        let (speed, size, columns) = (self.fastest(model), norms::max_abs(phi_q), phi_q.to_csc());
        let turned = |v: usize, axis: &[f64]| {
            let mut y = vec![0.0; model.nv()];
            y[v..v + axis.len()].copy_from_slice(axis);
            y
        };
        let mass = model.mass(&self.point).to_sparse();
        let held = |y: &[f64]| {
            let inertia = speed * speed * norms::max_abs_vec(&sparse::matvec(&mass, y));
            norms::max_abs_vec(&sparse::matvec(k, y)) > LAST_PLACES * f64::EPSILON * inertia
        };
        let mut out: Vec<Vec<f64>> = Vec::new();
        let spinning: Vec<(usize, [f64; 3])> = self
            .generator
            .spins()
            .map(|(b, spin)| (b.v, spin))
            .filter(|(_, s)| length(*s) > STEADY * speed)
            .collect();
        for b in model.coordinates().blocks() {
            match b.kind {
                BlockKind::PlanarPose => out.extend(Some(turned(b.v + 2, &[1.0])).filter(|y| !held(y))),
                BlockKind::Pose => {
                    if let Some((v, spin)) = spinning.iter().find(|(v, _)| *v == b.v) {
                        out.push(turned(v + 3, &spin.map(|x| x / length(*spin))));
                    } else {
                        let axes = null_axes(&columns, b.v + 3, size);
                        out.extend(axes.iter().map(|axis| turned(b.v + 3, axis)).filter(|y| !held(y)));
                    }
                }
                _ => {}
            }
        }
        out.retain(|y| self.stands_still(model, y));
        out
    }
    /// The fastest rotation of the motion, rad/s.
    fn fastest(&self, model: &Model) -> f64 {
        let rates = model.coordinates().blocks().iter().map(|b| length(in_ground(b, &self.point)));
        rates.fold(0.0, f64::max)
    }
    /// S y = 0.
    fn stands_still(&self, model: &Model, y: &[f64]) -> bool {
        let change = norms::max_abs_vec(&self.generator.times(y));
        norms::max_abs_vec(y) > 0.0 && change <= ROUNDING * self.fastest(model).max(f64::MIN_POSITIVE)
    }
    /// The turn of everything that the frame carries about its axis, and the rate of the frame.
    fn turn_of_all(&self, model: &Model) -> Option<(Vec<f64>, [f64; 3])> {
        let rate = self.frame.rate().filter(|rate| rate.iter().any(|x| *x != 0.0))?;
        let field = Field::new(model, &self.point, rate)?;
        Some((turn(model, &self.point, &field, rate), rate))
    }
}

/// Factors of constraint rows; none where entries are not finite.
pub(super) fn factored(phi_q: &Sparse) -> Option<MinimumNorm<'_>> {
    MinimumNorm::new(Cow::Borrowed(phi_q)).ok()
}

/// Axes c with sum_i c_i Phi_q e_(first + i) = 0, of three columns of Phi_q (by columns), whose largest entry is `size`; those of coordinates
/// as they are.
fn null_axes(columns: &Sparse, first: usize, size: f64) -> Vec<[f64; 3]> {
    let mut gram = Dense::zeros(3, 3);
    for i in 0..3 {
        for j in 0..3 {
            if let (Some(a), Some(b)) = (columns.outer_view(first + i), columns.outer_view(first + j)) {
                gram[(i, j)] = a.dot(&b) / (size * size).max(f64::MIN_POSITIVE);
            }
        }
    }
    let Ok(svd) = Svd::new(&gram) else { return Vec::new() };
    let free = (0..3).filter(|j| svd.s[*j] <= STEADY * STEADY);
    let axes: Vec<[f64; 3]> = free.map(|j| [0, 1, 2].map(|i| svd.v[(i, j)])).collect();
    let snapped = |axis: &[f64; 3]| {
        let near = |i: usize| (axis[i].abs() - 1.0).abs() <= ROUNDING;
        (0..3).find(|i| near(*i)).map_or(*axis, |i| [0, 1, 2].map(|k| f64::from(u8::from(i == k))))
    };
    axes.iter().map(snapped).collect()
}

/// Directions that do not depend on each other.
#[derive(Default)]
pub(super) struct Directions {
    given: Vec<Vec<f64>>,
    /// Orthonormal, of the same span.
    unit: Vec<Vec<f64>>,
}

impl Directions {
    /// Adds a direction unless the others make it.
    pub(super) fn take(&mut self, y: Vec<f64>) {
        let mut rest = y.clone();
        for other in &self.unit {
            let part = dense::dot(&rest, other);
            rest.iter_mut().zip(other).for_each(|(r, o)| *r -= part * o);
        }
        let length = norms::two(&rest);
        if length > STEADY * norms::two(&y) {
            self.unit.push(rest.iter().map(|r| r / length).collect());
            self.given.push(y);
        }
    }
    /// As they were given.
    pub(super) fn into_given(self) -> Vec<Vec<f64>> {
        self.given
    }
    /// The same as columns, n x any.
    pub(super) fn columns(&self, n: usize) -> Dense {
        dense::from_columns(n, &self.given)
    }
}

/// The displacement of everything along a direction.
pub(super) fn shift(model: &Model, along: [f64; 3]) -> Vec<f64> {
    let mut y = vec![0.0; model.nv()];
    for b in model.coordinates().blocks().iter().filter(|b| b.kind != BlockKind::Displacement) {
        y[b.v..b.v + positions(b.kind)].copy_from_slice(&along[..positions(b.kind)]);
    }
    y
}

/// The turn of what the frame `field` carries, with the angles of what lies in the plane.
pub(super) fn turn(model: &Model, point: &Point, field: &Field, rate: [f64; 3]) -> Vec<f64> {
    let mut y = field.of_frame(model, &point.q);
    for b in model.coordinates().blocks() {
        // Angles in the plane turn along; those of joints in space do not, nor do the elastic ones of a link.
        match b.kind {
            BlockKind::PlanarPose => y[b.v + 2] = rate[2],
            BlockKind::Angle if in_plane(model) => y[b.v] = rate[2],
            _ => {}
        }
    }
    y
}

/// How many of the free directions `free`, n x any, share their vectors with a second zero, at least: those whose momentum nothing changes,
///
/// ```text
/// y^T K = 0 but for reactions,   y^T C y_i = 0 for all of `free`
/// ```
///
/// up to rounding of the sums. Momenta are left vectors of s = 0 and annihilate all y_i, so that zeros are as many more than directions.
pub fn lasting(free: &Dense, c: &Sparse, k: &Sparse, phi_q: &Sparse) -> usize {
    let magnitudes = c.map(|x| x.abs());
    let columns: Vec<Vec<f64>> = (0..free.ncols()).map(|j| dense::column(free, j)).collect();
    let size = norms::max_abs(k);
    let factors = factored(phi_q);
    let left = |force: &[f64]| {
        factors.as_ref().map_or(f64::INFINITY, |factors| norms::max_abs_vec(&factors.solve(force).1))
    };
    let sizes = |x: &[f64]| x.iter().map(|x| x.abs()).collect::<Vec<f64>>();
    let sum = |x: &[f64]| x.iter().map(|x| x.abs()).sum::<f64>();
    let all = sum(c.data());
    // Directions are known up to rounding of their largest entries.
    let off = |y: &[f64]| LAST_PLACES * f64::EPSILON * norms::max_abs_vec(y);
    let powerless = |y: &[f64], other: &[f64]| {
        let (of_other, of_y) = (sparse::matvec(c, other), sparse::matvec_transpose(c, y));
        let terms = dense::dot(&sizes(y), &sparse::matvec(&magnitudes, &sizes(other)));
        let directions = off(y) * sum(&of_other) + off(other) * sum(&of_y) + off(y) * off(other) * all;
        dense::dot(y, &of_other).abs() <= LAST_PLACES * f64::EPSILON * terms + directions
    };
    let lasts = |y: &&Vec<f64>| {
        let allowed = ROUNDING * size * norms::max_abs_vec(y) + LEFT * left(&sparse::matvec(k, y));
        left(&sparse::matvec_transpose(k, y)) <= allowed && columns.iter().all(|other| powerless(y, other))
    };
    columns.iter().filter(lasts).count()
}
