//! The ignorable motions of a model with velocity rows: displacements of the whole and turns of bodies in themselves that
//! change nothing but the place.
//!
//! ```text
//! a displacement e:   x = e               (positions of all blocks)
//! a turn e:           x = e x p, A^T e    dv = e x v, 0     da = e x a, 0
//! a turn u in itself: x = 0, u            dv = 0, w x u     da = 0, w' x u
//! M da + C dv + K x in the span of the reactions,   P x = 0,   [P; A] dv + Phi'_q x = 0    at many states of the motion
//! ```
//!
//! Combinations of these units that obey the equations of disturbances all along the motion, with exact blocks, are its
//! symmetries: what rolls on a plane comes back but for one of them, and they have multipliers of magnitude one, for every motion.

use crate::arc::Frame;
use crate::dynamics::{Dynamics, State};
use crate::error::PeriodicError;
use crate::group::{Displacement, Small, attitude, positions, times, transposed};
use mb_algebra::{Dense, GeneralEigen, RankTolerance, Svd, c64, dense, norms};
use mb_model::system::Blocks;
use mb_model::{BlockKind, Model};

/// One way to move the whole or a part.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Shift(usize),
    Turn(usize),
    /// A block in itself about one of its axes; an angle has one.
    Own(usize, usize),
}

/// Share of the size of the terms by which a symmetry may miss the equations.
const SYMMETRIC: f64 = 1e-9;

/// States of a motion at which symmetries are looked for.
const LOOKED_AT: usize = 8;

/// The ignorable motions of a model along one of its motions.
#[derive(Clone, Debug)]
pub(crate) struct Symmetries {
    units: Vec<Unit>,
    /// Coefficients, units x s.
    basis: Dense,
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Cuts singular values below a number.
fn below(cut: f64, svd: &Svd) -> RankTolerance {
    RankTolerance { relative: cut / svd.s.first().copied().unwrap_or(0.0) }
}

fn units(model: &Model) -> Vec<Unit> {
    let blocks = model.coordinates().blocks();
    // Displacements count from a place in the ground, which nothing may move.
    if blocks.iter().any(|b| b.kind == BlockKind::Displacement) {
        return Vec::new();
    }
    let planar = blocks.iter().any(|b| positions(b.kind) == 2);
    let mut out = Vec::new();
    if blocks.iter().any(|b| positions(b.kind) > 0) {
        out.extend((0..if planar { 2 } else { 3 }).map(Unit::Shift));
        out.extend((if planar { 2..3 } else { 0..3 }).map(Unit::Turn));
    }
    for (k, b) in blocks.iter().enumerate() {
        match b.kind {
            BlockKind::Pose => out.extend((0..3).map(|i| Unit::Own(k, i))),
            BlockKind::Angle | BlockKind::PlanarPose => out.push(Unit::Own(k, 0)),
            _ => {}
        }
    }
    out
}

/// x, dv, da of a unit at a state with accelerations.
fn field(model: &Model, unit: Unit, s: &State, a: &[f64]) -> [Vec<f64>; 3] {
    let n = model.nv();
    let mut out = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
    for (k, b) in model.coordinates().blocks().iter().enumerate() {
        let places = positions(b.kind);
        let of = |x: &[f64], first: usize| -> [f64; 3] {
            core::array::from_fn(|i| if i < places { x[first + i] } else { 0.0 })
        };
        let spin = |x: &[f64]| -> [f64; 3] { core::array::from_fn(|i| x[b.v + 3 + i]) };
        let axis = |j: usize| -> [f64; 3] { core::array::from_fn(|i| if i == j { 1.0 } else { 0.0 }) };
        match unit {
            Unit::Shift(i) if i < places => out[0][b.v + i] = 1.0,
            Unit::Turn(j) => {
                let e = axis(j);
                let parts = [cross(e, of(&s.q, b.q)), cross(e, of(&s.v, b.v)), cross(e, of(a, b.v))];
                for (out, part) in out.iter_mut().zip(parts) {
                    out[b.v..b.v + places].copy_from_slice(&part[..places]);
                }
                if b.kind == BlockKind::Pose {
                    let seen = times(&transposed(&attitude(b, &s.q)), e);
                    out[0][b.v + 3..b.v + 6].copy_from_slice(&seen);
                } else if b.kind == BlockKind::PlanarPose {
                    out[0][b.v + 2] = 1.0;
                }
            }
            Unit::Own(own, j) if own == k => {
                if b.kind == BlockKind::Pose {
                    let u = axis(j);
                    out[0][b.v + 3 + j] = 1.0;
                    out[1][b.v + 3..b.v + 6].copy_from_slice(&cross(spin(&s.v), u));
                    out[2][b.v + 3..b.v + 6].copy_from_slice(&cross(spin(a), u));
                } else {
                    out[0][b.v + b.kind.nv() - 1] = 1.0;
                }
            }
            _ => {}
        }
    }
    out
}

impl Symmetries {
    /// Those of the motion through states, of which some are looked at; none where the model has no velocity rows.
    ///
    /// # Errors
    /// As [`Dynamics::point`]; [`PeriodicError::Singular`].
    pub(crate) fn along(
        dynamics: &mut Dynamics<'_>,
        states: &[State],
        rate: f64,
    ) -> Result<Self, PeriodicError> {
        let model = dynamics.model;
        let rolls = model.velocity_rows().iter().any(|v| *v);
        let units = if rolls { units(model) } else { Vec::new() };
        let mut parts: Vec<Dense> = Vec::new();
        let some = states.iter().step_by(states.len().div_ceil(LOOKED_AT).max(1));
        for s in some.filter(|_| !units.is_empty()) {
            parts.extend(missed(dynamics, &units, s, rate)?);
        }
        let basis = if units.is_empty() || parts.is_empty() {
            Dense::zeros(units.len(), 0)
        } else {
            let refs: Vec<&Dense> = parts.iter().collect();
            let svd = Svd::new(&dense::vstack(&refs))?;
            svd.null_space(below(SYMMETRIC, &svd))
        };
        let mut out = Self { units, basis };
        // Combinations that move nothing at all are none.
        if out.count() > 0
            && let Some(s) = states.first()
        {
            let n = model.nv();
            let moves = |x: [Vec<f64>; 3]| x[0].iter().chain(&x[1]).copied().collect::<Vec<f64>>();
            let a = vec![0.0; n];
            let fields: Vec<Vec<f64>> = out.units.iter().map(|u| moves(field(model, *u, s, &a))).collect();
            let whole = dense::mul(&dense::from_columns(2 * n, &fields), &out.basis);
            let svd = Svd::new(&whole)?;
            let rank = svd.rank(RankTolerance { relative: 1e-9 }).rank;
            let kept: Vec<usize> = (0..rank).collect();
            out.basis = dense::mul(&out.basis, &dense::select_columns(&svd.v, &kept));
        }
        Ok(out)
    }
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.basis.ncols()
    }
    /// Their directions at a state in the coordinates of a frame, size x s.
    pub(crate) fn directions(&self, model: &Model, frame: &Frame, at: &State) -> Dense {
        let a = vec![0.0; model.nv()];
        let columns: Vec<Vec<f64>> = self
            .units
            .iter()
            .map(|u| {
                let [x, v, _] = field(model, *u, at, &a);
                frame.coordinates(&x, &v)
            })
            .collect();
        dense::mul(&dense::from_columns(frame.size(), &columns), &self.basis)
    }
    /// The small element with these coefficients of the symmetries.
    pub(crate) fn small(&self, model: &Model, c: &[f64]) -> Small {
        let blocks = model.coordinates().blocks().len();
        let mut out = Small { shift: [0.0; 3], turn: [0.0; 3], own: vec![[0.0; 3]; blocks] };
        for (unit, x) in self.units.iter().zip(dense::matvec(&self.basis, c)) {
            match unit {
                Unit::Shift(i) => out.shift[*i] += x,
                Unit::Turn(i) => out.turn[*i] += x,
                Unit::Own(k, i) => out.own[*k][*i] += x,
            }
        }
        out
    }
    /// What a period makes of the symmetries, s numbers of magnitude one: they are turned by the element that closes the motion.
    ///
    /// Displacements are a subspace of their own, so that a turn of the whole, whose centre moves, disturbs none of them.
    ///
    /// # Errors
    /// Eigenvalues that do not converge.
    pub(crate) fn multipliers(&self, g: &Displacement) -> Result<Vec<c64>, PeriodicError> {
        let rotated = self.rotated(g);
        let is_shift = |i: usize| matches!(self.units[i], Unit::Shift(_));
        let (count, all) = (self.count(), self.units.len());
        if count == 0 {
            return Ok(Vec::new());
        }
        let turning = Dense::from_fn(all, count, |i, j| if is_shift(i) { 0.0 } else { self.basis[(i, j)] });
        let svd = Svd::new(&turning)?;
        let cut = below(SYMMETRIC, &svd);
        let shifts = dense::mul(&self.basis, &svd.null_space(cut));
        let mut out = Vec::new();
        for part in [svd.range(cut), shifts] {
            if part.ncols() > 0 {
                let own = dense::mul_transpose(&part, &dense::mul(&rotated, &part));
                out.extend(GeneralEigen::values(&own)?);
            }
        }
        // The matrices are orthogonal: an angle of the size of rounding is none.
        let unit =
            |mu: &c64| if mu.im.abs() < 1e-14 { c64::new(mu.re.signum(), 0.0) } else { mu / mu.norm() };
        Ok(out.iter().map(unit).collect())
    }
    /// The matrix of g^-1 on the units, but for what turns make of displacements.
    fn rotated(&self, g: &Displacement) -> Dense {
        let back = transposed(&g.turn);
        Dense::from_fn(self.units.len(), self.units.len(), |i, j| match (self.units[i], self.units[j]) {
            (Unit::Shift(i), Unit::Shift(j)) | (Unit::Turn(i), Unit::Turn(j)) => back[i][j],
            (Unit::Own(k, i), Unit::Own(l, j)) if k == l => g.own[k][i][j],
            _ => 0.0,
        })
    }
}

/// What the units miss the equations of disturbances by at a state, in shares of the terms; rows of numbers by unit.
fn missed(
    dynamics: &mut Dynamics<'_>,
    units: &[Unit],
    s: &State,
    rate: f64,
) -> Result<Vec<Dense>, PeriodicError> {
    let model = dynamics.model;
    let point = dynamics.point(s.t, &s.q, &s.v)?;
    let fields: Vec<[Vec<f64>; 3]> = units.iter().map(|u| field(model, *u, s, &point.a)).collect();
    let part = |i: usize| {
        let columns: Vec<&Vec<f64>> = fields.iter().map(|f| &f[i]).collect();
        dense::from_columns(model.nv(), &columns)
    };
    let (x, dv, da) = (part(0), part(1), part(2));
    let Blocks { m, c, k, .. } = model.dense_blocks(&point);
    let rows = dynamics.constraints(s.t, &s.q)?;
    let (held, velocities) = (&rows.positions, rows.velocities());
    let free = velocities.free()?;
    let terms = [dense::mul(&m, &da), dense::mul(&c, &dv), dense::mul(&k, &x)];
    let mut out = Vec::new();
    let mut add = |terms: &[Dense], least: f64, seen: &dyn Fn(&Dense) -> Dense| {
        let size = terms.iter().map(norms::frobenius).fold(least, f64::max);
        if size > 0.0 {
            let sum = terms.iter().skip(1).fold(terms[0].clone(), |a, b| &a + b);
            out.push(dense::scale(size.recip(), &seen(&sum)));
        }
    };
    // Where no force acts all terms are rounding: against the inertia of a slow disturbance of the same size.
    let least = 1e-3 * rate * rate * norms::frobenius(&dense::mul(&m, &x));
    add(&terms, least, &|sum| dense::mul_transpose(&free, sum));
    add(&[dense::mul(&held.p, &x)], norms::frobenius(&held.p), &Clone::clone);
    let by_q = dynamics.rates_by_q(s.t, &s.q, &s.v);
    let least = rate * norms::frobenius(&velocities.p);
    add(&[dense::mul(&velocities.p, &dv), dense::mul(&by_q, &x)], least, &Clone::clone);
    Ok(out)
}
