//! Velocities of a steady motion as a function of the configuration and of speeds that depend on variables.
//!
//! ```text
//! p' = W x (p - c),   w = A^T W + own,   v' = a = S v
//! W = sum_k f_k W_k,  own = sum_k f_k own_k,   f_k = (speed k) / (its value at the reference)
//! ```
//!
//! p: places in the ground's axes; w and own: angular velocities of bodies in their own axes, own of other coordinates their rates; A
//! the attitude. The axis through c and its direction stay where they are. The frame turns with W: S = [W x] on places, [(A^T W - w) x] on
//! rotations of bodies in space, zero elsewhere. One frame carries all; bodies in it may turn about axes of their own.

use mb_algebra::{Scatter, Triplets};
use mb_model::coordinates::Coordinates;
use mb_model::{Block, BlockKind, Data, Model, Point};
use mb_scalar::Real;

/// How velocities follow, in a frame that is known at a reference point.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyRule {
    /// A place of the axis that the frame turns about, m.
    pub centre: [f64; 3],
    /// Whether the frame carries a block of coordinates; the places of the others rest.
    pub carried: Vec<bool>,
    /// What turns with a speed of its own; velocities are the sum.
    pub parts: Vec<SteadyPart>,
}

/// Velocities that are in proportion to one speed.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyPart {
    /// The speed.
    pub speed: SpeedOf,
    /// Its value at the reference.
    pub reference: f64,
    /// Its share there of the angular velocity of the frame, rad/s, ground's axes.
    pub rate: [f64; 3],
    /// Its share there of the velocities compared with the frame, nv numbers.
    pub own: Vec<f64>,
}

/// What a speed follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpeedOf {
    /// Nothing: it stays.
    Fixed,
    /// The steady rotation of this number of the model.
    Rotation(usize),
    /// The velocity of this number that the model starts with.
    Initial(usize),
    /// The drive with this constraint row.
    Drive(usize),
}

type Vector<S> = [S; 3];

/// Number of positions of a block in the ground's axes.
const fn places(kind: BlockKind) -> usize {
    match kind {
        // Displacements turn with the frame as places do.
        BlockKind::PlanarPoint | BlockKind::PlanarPose | BlockKind::Displacement => 2,
        BlockKind::SpatialPoint | BlockKind::Pose => 3,
        BlockKind::Angle | BlockKind::ElasticNode | BlockKind::Vector(_) => 0,
    }
}

fn cross<S: Real>(a: Vector<S>, b: Vector<S>) -> Vector<S> {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

/// A^T w, with A the rotation of the Euler parameters of a block, whatever their length.
fn in_body<S: Real>(block: &Block, q: &[S], w: Vector<S>) -> Vector<S> {
    let [a, b, c, d] = [3, 4, 5, 6].map(|i| q[block.q + i]);
    let two = S::cst(2.0) / (a * a + b * b + c * c + d * d);
    // A^T w = w + 2 r x (r x w - a w) / (a^2 + r^T r).
    let r = [b, c, d];
    let inner = cross(r, w);
    let inner: Vector<S> = std::array::from_fn(|i| inner[i] - a * w[i]);
    let outer = cross(r, inner);
    std::array::from_fn(|i| w[i] + two * outer[i])
}

/// Angular velocity of the frame and velocities of a model.
pub(crate) struct Moved<S> {
    rate: Vector<S>,
    pub(crate) v: Vec<S>,
}

impl SteadyRule {
    /// Every speed compared with that at the reference.
    pub(crate) fn factors<P: Data>(&self, model: &Model<P>, q: &[P], t: P) -> Vec<P> {
        let one = |part: &SteadyPart| {
            let now = match part.speed {
                SpeedOf::Fixed => return P::one(),
                SpeedOf::Rotation(k) => model.steady_rotations()[k].speed,
                SpeedOf::Initial(i) => model.initial_velocity()[i],
                SpeedOf::Drive(row) => model.phi_t(q, t)[row],
            };
            now.scale(part.reference.recip())
        };
        self.parts.iter().map(one).collect()
    }

    /// Velocities and accelerations of a point in its configuration.
    pub(crate) fn follow<P: Data>(&self, model: &Model<P>, point: &mut Point<P>) {
        let factors = self.factors(model, &point.q, point.t);
        let moved = self.velocities(model.coordinates(), &point.q, &factors);
        point.a = moved.times(model.coordinates(), &point.q, &moved.v);
        point.v = moved.v;
    }

    /// Velocities in the configuration q where the speeds are `factors` times those of the reference.
    fn velocities<S: Real>(&self, coordinates: &Coordinates, q: &[S], factors: &[S]) -> Moved<S> {
        let mut rate = [S::zero(); 3];
        let mut v = vec![S::zero(); coordinates.nv()];
        for (part, factor) in self.parts.iter().zip(factors) {
            for (sum, share) in rate.iter_mut().zip(part.rate) {
                *sum += factor.scale(share);
            }
            for (sum, own) in v.iter_mut().zip(&part.own).filter(|(_, own)| **own != 0.0) {
                *sum += factor.scale(*own);
            }
        }
        for (block, _) in coordinates.blocks().iter().zip(&self.carried).filter(|(_, carried)| **carried) {
            let n = places(block.kind);
            // Displacements count from a place that turns along.
            let centre = if block.kind == BlockKind::Displacement { [0.0; 3] } else { self.centre };
            let arm: Vector<S> =
                std::array::from_fn(|i| (if i < n { q[block.q + i] } else { S::zero() }) - S::cst(centre[i]));
            let carried = cross(rate, arm);
            for i in 0..n {
                v[block.v + i] += carried[i];
            }
            if block.kind == BlockKind::Pose {
                let turned = in_body(block, q, rate);
                for i in 0..3 {
                    v[block.v + 3 + i] += turned[i];
                }
            }
        }
        Moved { rate, v }
    }

    /// The entries of S at a point of the motion.
    pub(crate) fn generator<P: Data>(&self, model: &Model<P>, point: &Point<P>) -> Triplets<P> {
        let factors = self.factors(model, &point.q, point.t);
        let moved = self.velocities(model.coordinates(), &point.q, &factors);
        let mut out = Triplets::new(model.nv(), model.nv());
        moved.entries(model.coordinates(), &point.q, |i, j, x| out.add(i, j, x));
        out
    }
}

impl<S: Real> Moved<S> {
    /// Calls with row, column and value of every entry of S.
    fn entries(&self, coordinates: &Coordinates, q: &[S], mut call: impl FnMut(usize, usize, S)) {
        for block in coordinates.blocks() {
            let mut turn = |first: usize, w: Vector<S>, size: usize| {
                for k in 0..size {
                    let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                    // Row a of w x d has w_b d_k, row b has -w_a d_k.
                    for (row, value) in [(a, w[b]), (b, -w[a])] {
                        if row < size {
                            call(first + row, first + k, value);
                        }
                    }
                }
            };
            turn(block.v, self.rate, places(block.kind));
            if block.kind == BlockKind::Pose {
                let seen = in_body(block, q, self.rate);
                turn(block.v + 3, std::array::from_fn(|i| seen[i] - self.v[block.v + 3 + i]), 3);
            }
        }
    }
    /// S x.
    fn times(&self, coordinates: &Coordinates, q: &[S], x: &[S]) -> Vec<S> {
        let mut out = vec![S::zero(); x.len()];
        self.entries(coordinates, q, |i, j, s| out[i] += s * x[j]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_turn_into_the_axes_of_a_body() {
        let mut coordinates = Coordinates::default();
        coordinates.push("b", BlockKind::Pose);
        let block = &coordinates.blocks()[0];
        // A turn of 2 atan(1/2) about x, of Euler parameters of any length: cos 3/5, sin 4/5.
        let q = [0.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0];
        let seen = in_body(block, &q, [0.0, 0.0, 5.0]);
        for (a, b) in seen.iter().zip([0.0, 4.0, 3.0]) {
            assert!((a - b).abs() < 1e-14, "{seen:?}");
        }
    }
}
