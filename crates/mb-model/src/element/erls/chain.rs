//! The rigid links below a place, and the place itself.
//!
//! ```text
//! ideal position   x(s) = base + sum_(j < k) L_j e(q_j) + s e(q_k),   e(q) = (cos q, sin q)
//! position         r = x(s) + u
//! ```
//!
//! q_j are absolute angles, L_j the lengths of the rigid links and u the displacement of the node in ground axes. With S the
//! Jacobian of x, accelerations are S q'' + S' q' + u'' and a force f at the place has the generalized forces S^T f.

use super::super::{Data, Local};
use mb_scalar::{Lift, Real};

/// One rigid link of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidLink<P = f64> {
    /// Local index of its absolute angle.
    pub angle: usize,
    /// Length, m.
    pub length: P,
}

/// A chain of rigid links from a point of the ground; at least one link.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain<P = f64> {
    /// Where its first link starts, m.
    pub base: [P; 2],
    /// The links from the ground; the last one carries the place.
    pub links: Vec<RigidLink<P>>,
}

impl<P: Data> Chain<P> {
    /// Local index of the angle of the last link.
    pub fn angle(&self) -> usize {
        self.links.last().map_or(0, |link| link.angle)
    }

    /// Each link's angle with its share of the way to the distance `s` along the last one.
    fn arms<S: Lift<P>>(&self, s: S) -> impl Iterator<Item = (usize, S)> + '_ {
        let last = self.links.len().saturating_sub(1);
        self.links
            .iter()
            .enumerate()
            .map(move |(j, link)| (link.angle, if j == last { s } else { S::lift(link.length) }))
    }

    /// Position at the distance `s` along the last link, m.
    pub fn position<S: Lift<P>>(&self, q: &[S], s: S) -> [S; 2] {
        let mut sum = self.base.map(S::lift);
        for (j, length) in self.arms(s) {
            let (sin, cos) = q[j].sin_cos();
            sum[0] += length * cos;
            sum[1] += length * sin;
        }
        sum
    }

    /// S q'' + S' q' there: x and y in m/s^2, rotation in rad/s^2.
    pub fn acceleration<S: Lift<P>>(&self, at: &Local<'_, S>, s: S) -> [S; 3] {
        let mut sum = [S::zero(), S::zero(), at.a[self.angle()]];
        for (j, length) in self.arms(s) {
            let (sin, cos) = at.q[j].sin_cos();
            let centripetal = at.v[j] * at.v[j];
            sum[0] -= length * (sin * at.a[j] + cos * centripetal);
            sum[1] += length * (cos * at.a[j] - sin * centripetal);
        }
        sum
    }

    /// Adds S^T f for the force and the moment `f` there.
    pub fn push<S: Lift<P>>(&self, q: &[S], s: S, f: [S; 3], out: &mut [S]) {
        for (j, length) in self.arms(s) {
            let (sin, cos) = q[j].sin_cos();
            out[j] += length * (cos * f[1] - sin * f[0]);
        }
        out[self.angle()] += f[2];
    }
}

/// A node of a link: where it is on the ideal rigid link, and its displacement from there.
#[derive(Clone, Debug, PartialEq)]
pub struct ErlsPlace<P = f64> {
    /// The rigid links up to it.
    pub chain: Chain<P>,
    /// Distance along the last of them, m.
    pub station: P,
    /// First local index of its displacement (ux, uy); none where the ground holds it.
    pub displacement: Option<usize>,
}

impl<P: Data> ErlsPlace<P> {
    /// Position on the ideal rigid mechanism, m.
    pub fn ideal<S: Lift<P>>(&self, q: &[S]) -> [S; 2] {
        self.chain.position(q, S::lift(self.station))
    }

    /// Displacement from there in ground axes, m.
    pub fn displacement<S: Real>(&self, q: &[S]) -> [S; 2] {
        self.displacement.map_or([S::zero(); 2], |i| [q[i], q[i + 1]])
    }

    /// Position, m.
    pub fn position<S: Lift<P>>(&self, q: &[S]) -> [S; 2] {
        let (x, u) = (self.ideal(q), self.displacement(q));
        [x[0] + u[0], x[1] + u[1]]
    }
}
