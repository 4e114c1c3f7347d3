//! What moves a motion to one that is the same but for its place: a displacement of the whole and turns of bodies in themselves.
//!
//! ```text
//! g: p -> R p + s,   A -> R A S_b,   th -> th + c;     on changes: x -> R x, rotations in body axes r -> S_b^T r
//! ```
//!
//! R, s are common to all; S_b turns a body in space in its own axes (a wheel about its axle, a ball about anything) and c an
//! angle. What is before and what is behind a body's attitude do not disturb each other.

use crate::dynamics::State;
use crate::geometry::{Three, rotation};
use mb_algebra::Dense;
use mb_model::{Block, BlockKind, Model};

/// Coefficients of a small element: of the displacement, of the turn (in the ground's axes) and of every block in itself.
#[derive(Clone, Debug)]
pub(crate) struct Small {
    pub(crate) shift: [f64; 3],
    pub(crate) turn: [f64; 3],
    /// By block: turn in body axes; of an angle the first.
    pub(crate) own: Vec<[f64; 3]>,
}

/// A displacement of the whole and turns of bodies in themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Displacement {
    /// R, ground's axes.
    pub(crate) turn: Three,
    /// Where the origin of the ground goes, m.
    pub shift: [f64; 3],
    /// S_b by block.
    pub(crate) own: Vec<Three>,
    /// c by block, rad.
    pub(crate) angles: Vec<f64>,
}

pub(crate) const UNIT: Three = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub(crate) fn product(a: &Three, b: &Three) -> Three {
    core::array::from_fn(|i| core::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

pub(crate) fn times(a: &Three, x: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|i| (0..3).map(|k| a[i][k] * x[k]).sum())
}

pub(crate) fn transposed(a: &Three) -> Three {
    core::array::from_fn(|i| core::array::from_fn(|j| a[j][i]))
}

/// The rotation vector of a rotation matrix, rad.
pub(crate) fn vector(r: &Three) -> [f64; 3] {
    let e = quaternion(r);
    let length = (e[1] * e[1] + e[2] * e[2] + e[3] * e[3]).sqrt();
    let factor = if length > 0.0 { 2.0 * length.atan2(e[0]) / length } else { 0.0 };
    [factor * e[1], factor * e[2], factor * e[3]]
}

/// Euler parameters of a rotation matrix, the scalar first and not negative.
fn quaternion(r: &Three) -> [f64; 4] {
    // The largest of the four squares is taken for the divisor.
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares = [trace, r[0][0], r[1][1], r[2][2]];
    let k = (0..4).max_by(|a, b| squares[*a].total_cmp(&squares[*b])).unwrap_or(0);
    let mut e = [0.0; 4];
    if k == 0 {
        let s = 2.0 * (1.0 + trace).sqrt();
        e = [0.25 * s, (r[2][1] - r[1][2]) / s, (r[0][2] - r[2][0]) / s, (r[1][0] - r[0][1]) / s];
    } else {
        let (i, j, l) = (k - 1, k % 3, (k + 1) % 3);
        let s = 2.0 * (1.0 + r[i][i] - r[j][j] - r[l][l]).sqrt();
        e[0] = (r[l][j] - r[j][l]) / s;
        e[k] = 0.25 * s;
        e[j + 1] = (r[j][i] + r[i][j]) / s;
        e[l + 1] = (r[l][i] + r[i][l]) / s;
    }
    if e[0] < 0.0 { e.map(|x| -x) } else { e }
}

/// Product of Euler parameters.
fn joined(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    ]
}

/// V with exp of a screw (turn w, displacement s) moving the origin to V s.
fn screw(w: [f64; 3]) -> Three {
    let a2: f64 = w.iter().map(|x| x * x).sum();
    let a = a2.sqrt();
    // (1 - cos a) / a^2 and (a - sin a) / a^3.
    let (c, d) = if a < 1e-2 {
        (0.5 - a2 / 24.0 + a2 * a2 / 720.0, 1.0 / 6.0 - a2 / 120.0 + a2 * a2 / 5040.0)
    } else {
        (2.0 * ((0.5 * a).sin() / a).powi(2), (a - a.sin()) / (a2 * a))
    };
    let k = [[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]];
    let square = product(&k, &k);
    core::array::from_fn(|i| core::array::from_fn(|j| UNIT[i][j] + c * k[i][j] + d * square[i][j]))
}

impl Displacement {
    /// What moves nothing.
    pub(crate) fn identity(model: &Model) -> Self {
        let blocks = model.coordinates().blocks().len();
        Self { turn: UNIT, shift: [0.0; 3], own: vec![UNIT; blocks], angles: vec![0.0; blocks] }
    }
    /// The turn of the whole as a rotation vector, rad.
    pub fn turn(&self) -> [f64; 3] {
        vector(&self.turn)
    }
    /// The turns of bodies in themselves, by block: rotation vectors in body axes, or an angle and zeros; rad.
    pub fn own_turns(&self) -> Vec<[f64; 3]> {
        self.own
            .iter()
            .zip(&self.angles)
            .map(|(s, c)| if *c == 0.0 { vector(s) } else { [*c, 0.0, 0.0] })
            .collect()
    }
    /// A small one after this one.
    pub(crate) fn then(&mut self, model: &Model, small: &Small) {
        let (turn, v) = (rotation(small.turn), screw(small.turn));
        let (moved, shift) = (times(&turn, self.shift), times(&v, small.shift));
        self.turn = product(&turn, &self.turn);
        self.shift = core::array::from_fn(|i| moved[i] + shift[i]);
        for (k, b) in model.coordinates().blocks().iter().enumerate() {
            if b.kind == BlockKind::Pose {
                self.own[k] = product(&self.own[k], &rotation(small.own[k]));
            } else {
                self.angles[k] += small.own[k][0];
            }
        }
    }
    /// The state that it takes a state to.
    pub(crate) fn moved(&self, model: &Model, state: &State) -> State {
        let mut out = state.clone();
        let about = quaternion(&self.turn);
        let heading = 2.0 * about[3].atan2(about[0]);
        for (k, b) in model.coordinates().blocks().iter().enumerate() {
            let n = positions(b.kind);
            let of =
                |x: &[f64], first: usize| core::array::from_fn(|i| if i < n { x[first + i] } else { 0.0 });
            let (p, v) = (times(&self.turn, of(&state.q, b.q)), times(&self.turn, of(&state.v, b.v)));
            for i in 0..n {
                (out.q[b.q + i], out.v[b.v + i]) = (p[i] + self.shift[i], v[i]);
            }
            match b.kind {
                BlockKind::Pose => {
                    let e = core::array::from_fn(|i| state.q[b.q + 3 + i]);
                    let e = joined(joined(about, e), quaternion(&self.own[k]));
                    out.q[b.q + 3..b.q + 7].copy_from_slice(&e);
                    let w = core::array::from_fn(|i| state.v[b.v + 3 + i]);
                    out.v[b.v + 3..b.v + 6].copy_from_slice(&times(&transposed(&self.own[k]), w));
                }
                BlockKind::PlanarPose => out.q[b.q + 2] += heading + self.angles[k],
                BlockKind::Angle => out.q[b.q] += self.angles[k],
                _ => {}
            }
        }
        out
    }
    /// What it makes of changes, n rows; of velocities and forces too.
    pub(crate) fn turned(&self, model: &Model, x: &Dense) -> Dense {
        let mut out = x.clone();
        for (k, b) in model.coordinates().blocks().iter().enumerate() {
            let mut turn = |at: usize, n: usize, r: &Three| {
                for c in 0..x.ncols() {
                    for i in 0..n {
                        out[(at + i, c)] = (0..n).map(|j| r[i][j] * x[(at + j, c)]).sum();
                    }
                }
            };
            turn(b.v, positions(b.kind), &self.turn);
            if b.kind == BlockKind::Pose {
                turn(b.v + 3, 3, &transposed(&self.own[k]));
            }
        }
        out
    }
}

/// How many of a block's numbers are a position in the ground's axes.
pub(crate) const fn positions(kind: BlockKind) -> usize {
    match kind {
        BlockKind::PlanarPoint | BlockKind::PlanarPose => 2,
        BlockKind::SpatialPoint | BlockKind::Pose => 3,
        _ => 0,
    }
}

/// The attitude of a body in space, from its Euler parameters.
pub(crate) fn attitude(b: &Block, q: &[f64]) -> Three {
    let e: [f64; 4] = core::array::from_fn(|i| q[b.q + 3 + i]);
    let k = [[0.0, -e[3], e[2]], [e[3], 0.0, -e[1]], [-e[2], e[1], 0.0]];
    let square = product(&k, &k);
    core::array::from_fn(|i| core::array::from_fn(|j| UNIT[i][j] + 2.0 * (e[0] * k[i][j] + square[i][j])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_vectors_are_those_of_their_matrices() {
        for w in [[0.0, 0.0, 0.0], [1e-9, 2e-9, 0.0], [0.3, -0.8, 0.5], [0.0, 3.1, 0.0], [-2.9, 0.4, 0.2]] {
            let found = vector(&rotation(w));
            for i in 0..3 {
                assert!((found[i] - w[i]).abs() < 1e-14, "{found:?} {w:?}");
            }
        }
    }

    /// Many small screws make the large one.
    #[test]
    fn a_screw_is_the_product_of_small_ones() {
        let (w, s) = ([0.4, -0.9, 0.7], [1.0, 2.0, -0.5]);
        let parts = 4096_u32;
        let share = f64::from(parts).recip();
        let step = rotation(w.map(|x| share * x));
        let mut at = [0.0; 3];
        for _ in 0..parts {
            let half = times(&rotation(w.map(|x| 0.5 * share * x)), s);
            at = times(&step, at);
            at = core::array::from_fn(|i| at[i] + share * half[i]);
        }
        let whole = times(&screw(w), s);
        for i in 0..3 {
            assert!((whole[i] - at[i]).abs() < 1e-7, "{whole:?} {at:?}");
        }
    }
}
