//! Free turns and shifts of a steady motion: displacements that lead to another steady motion of the same kind, so that s = 0 exactly.
//!
//! One is the motion itself a moment later, y = v, where no constraint moves. Three more are tried: the turn of everything about the axis
//! of the frame, y = W x (p - c), shifts of everything, y = e, along the axes and along directions that nothing holds, and the spin of one body in the frame about its own axis. One is free
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

use super::frames::in_plane;
use super::generator::{Generator, in_ground, length, positions};
use super::scale::GOLDEN;
use super::search::Field;
use super::{STEADY, SteadyMotion};
use crate::linearize::LinearizedSystem;
use mb_algebra::{Dense, Sparse, Svd, dense, norms, sparse};
use mb_constraints::minimum_norm_multipliers;
use mb_model::{Block, BlockKind, Model, Point};

/// Share of the largest force and of the largest entry of K up to which what is left is rounding.
pub(super) const ROUNDING: f64 = 1e-11;

/// What is left at the point of the motion itself, and the forces there.
pub(super) struct Own {
    /// As [`SteadyMotion::left`] has it.
    pub(super) left: [f64; 3],
    forces: f64,
}

/// So many times what is left at the point itself may be left at displaced ones.
pub(super) const LEFT: f64 = 4.0;

/// Units in the last place that a computed direction may be off by.
const LAST_PLACES: f64 = 16.0;

/// Displaced points that are checked.
const PHASES: u32 = 5;

/// Force that rounding leaves for each unit of a displacement, of stiffnesses up to `size`: that of coordinates, which grow with it, and of
/// a direction that is no axis.
pub(super) fn slack(y: &[f64], size: f64) -> f64 {
    let rounded = y.iter().any(|x| ![0.0, 1.0].contains(&x.abs()));
    if rounded { LAST_PLACES * f64::EPSILON * size } else { LEFT * f64::EPSILON * size }
}

impl SteadyMotion {
    /// Free turns and shifts as columns, n x any and independent; `k` (n x n) and `phi_q` (m x n) are those of the motion in its frame.
    pub fn free_directions(&self, model: &Model, k: &Sparse, phi_q: &Sparse) -> Dense {
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
        let Some(own) = self.own(model) else { return Dense::zeros(n, 0) };
        let stiffless = |y: &[f64]| {
            let rest = minimum_norm_multipliers(rows, &sparse::matvec(k, y));
            rest.is_ok_and(|(_, rest)| norms::max_abs_vec(&rest) <= ROUNDING * size + LEFT * own.left[0])
        };
        let mut found: Vec<Vec<f64>> = Vec::new();
        let mut unit: Vec<Vec<f64>> = Vec::new();
        let mut take = |y: Vec<f64>| {
            let mut rest = y.clone();
            for other in &unit {
                let part = dense::dot(&rest, other);
                rest.iter_mut().zip(other).for_each(|(r, o)| *r -= part * o);
            }
            let length = norms::two(&rest);
            if length > STEADY * norms::two(&y) {
                unit.push(rest.iter().map(|r| r / length).collect());
                found.push(y);
            }
        };
        let shifts = self.shifts(model, |y| {
            let (_, held) = minimum_norm_multipliers(rows, &sparse::matvec(k, y)).ok()?;
            Some([(held, size), (sparse::matvec(rows, y), norms::max_abs(phi_q))])
        });
        let shifts = shifts.into_iter().map(|y| (slack(&y, size), y));
        for (slack, y) in shifts.chain(self.spins(model).into_iter().map(|y| (0.0, y))) {
            if admissible(&y) && stiffless(&y) && self.leads_to_steady(model, &y, [0.0; 3], slack, &own) {
                take(y);
            }
        }
        if let Some((y, rate)) = self.turn_of_all(model)
            && admissible(&y)
            && stiffless(&y)
            && self.leads_to_steady(model, &y, rate, 0.0, &own)
        {
            take(y);
        }
        if admissible(&along) && stiffless(&along) {
            take(along);
        }
        dense::from_columns(n, &found)
    }
    /// The linearization of the motion in its frame without what rounding leaves of K along the free turns and shifts, and these, n x any.
    pub fn freed(&self, model: &Model, lin: LinearizedSystem) -> (LinearizedSystem, Dense) {
        let (rows, stiffness) = (mb_algebra::to_sparse(&lin.phi_q), mb_algebra::to_sparse(&lin.k));
        let free = self.free_directions(model, &stiffness, &rows);
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
            let Ok((_, r)) = minimum_norm_multipliers(&rows, &dense::matvec(&k, &y)) else { continue };
            let Ok((_, l)) = minimum_norm_multipliers(&rows, &dense::matvec_transpose(&k, &y)) else {
                continue;
            };
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
            .map(|axis| {
                let mut y = vec![0.0; model.nv()];
                let absolute = |b: &&Block| b.kind != BlockKind::Displacement && positions(b.kind) > axis;
                for b in model.coordinates().blocks().iter().filter(absolute) {
                    y[b.v + axis] = 1.0;
                }
                y
            })
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
    /// Spins of single bodies in space about the axis that they turn about in the frame, which stand still in the frame.
    fn spins(&self, model: &Model) -> Vec<Vec<f64>> {
        let speed = self.fastest(model);
        let mut out = Vec::new();
        for (b, spin) in self.generator.spins() {
            if length(spin) > STEADY * speed {
                let mut y = vec![0.0; model.nv()];
                for i in 0..3 {
                    y[b.v + 3 + i] = spin[i] / length(spin);
                }
                out.push(y);
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
        let point = &self.point;
        let mut turn = Field::new(model, point, rate)?.of_frame(model, &point.q);
        for b in model.coordinates().blocks() {
            // Angles in the plane turn along; those of joints in space do not, nor do the elastic ones of a link.
            match b.kind {
                BlockKind::PlanarPose => turn[b.v + 2] = rate[2],
                BlockKind::Angle if in_plane(model) => turn[b.v] = rate[2],
                _ => {}
            }
        }
        Some((turn, rate))
    }
    /// Whether the equations hold after displacements of any size along `y`, the velocities of a motion in which positions turn with
    /// the rate given; `slack`: force that may be left for each unit of displacement; `own`: that of [`Self::own`].
    pub(super) fn leads_to_steady(
        &self,
        model: &Model,
        y: &[f64],
        rate: [f64; 3],
        slack: f64,
        own: &Own,
    ) -> bool {
        let point = &self.point;
        let carried = Point { v: y.to_vec(), ..point.clone() };
        let s = Generator::of_frame(model, &carried, rate);
        let fastest = s.speeds().fold(0.0, f64::max);
        let speed = if fastest > 0.0 { fastest } else { 1.0 };
        let Own { left: own, forces } = own;
        let allowed = [ROUNDING * forces + LEFT * own[0], ROUNDING + LEFT * own[1], ROUNDING + LEFT * own[2]];
        for phase in 1..=PHASES {
            let time = std::f64::consts::TAU * GOLDEN * f64::from(phase) / speed;
            let mut there = Point { q: s.along(&carried, time).q, ..point.clone() };
            there.v = s.carried_vector(time, &point.v);
            there.a = s.carried_vector(time, &point.a);
            let Some(left) = self.left(model, &there) else { return false };
            let allowed = [allowed[0] + slack * time, allowed[1], allowed[2]];
            if left.iter().zip(&allowed).any(|(left, allowed)| left.is_nan() || left > allowed) {
                return false;
            }
        }
        true
    }
    /// What is left at the point of the motion; none where the multipliers cannot be solved for.
    pub(super) fn own(&self, model: &Model) -> Option<Own> {
        Some(Own { left: self.left(model, &self.point)?, forces: self.forces })
    }
    /// What is left of the forces at a point whatever the multipliers, of the constraints, and of their rates compared with the speed.
    fn left(&self, model: &Model, there: &Point) -> Option<[f64; 3]> {
        let there = Point { lambda: vec![0.0; model.nc()], ..there.clone() };
        let missing: Vec<f64> = model.residual(&there).iter().map(|x| -x).collect();
        let rows: Sparse = model.phi_q(&there.q, there.t).to_sparse();
        let (_, rest) = minimum_norm_multipliers(&rows, &missing).ok()?;
        let rates = norms::max_abs_vec(&model.phi_dot(&there.q, &there.v, there.t));
        let speed = norms::max_abs_vec(&self.point.v).max(1.0);
        Some([norms::max_abs_vec(&rest), norms::max_abs_vec(&model.phi(&there.q, there.t)), rates / speed])
    }
}
