//! A beam element on an equivalent rigid link, the tip mass and the joint torque.
//!
//! ```text
//! F = m (dd + S qq + S' q') + 2 M_G d' + alpha m d' - loads        nodal forces of inertia and weight
//! E = k (d + beta d')                                              elastic ones
//! rows of the nodes: F + E,   rows of the angles: S^T F
//! ```
//!
//! d are the displacements of the two nodes in ground axes, S the Jacobian of the nodes of the
//! rigid links, m, k, M_G turned into ground axes by the link's angle. The elastic forces do no
//! work in a rigid motion, and turn with the link.

use mb_model::element::{Dependence, Local};
use mb_model::{Data, ElementLaw};
use mb_scalar::{Lift, Real};

/// Where a node of an element takes its displacement from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Clamped to the ground: no displacement.
    Ground,
    /// The tip of the link before: its displacement, but not its rotation.
    PreviousTip,
    /// A node of this link.
    Own,
}

/// A chain of rigid links up to this one: lengths of those before.
#[derive(Clone, Debug)]
pub(super) struct Chain<P> {
    pub(super) before: Vec<P>,
}

impl<P: Data> Chain<P> {
    /// Number of angles in the local coordinates, which stand first.
    fn angles(&self) -> usize {
        self.before.len() + 1
    }

    /// S qq + S' q' of the node at distance `s` along the last link: x, y, rotation.
    fn acceleration<S: Lift<P>>(&self, at: &Local<'_, S>, s: S) -> [S; 3] {
        let k = self.before.len();
        let mut sum = [S::zero(), S::zero(), at.a[k]];
        for j in 0..=k {
            let length = if j == k { s } else { S::lift(self.before[j]) };
            let (sin, cos) = at.q[j].sin_cos();
            let centripetal = at.v[j] * at.v[j];
            sum[0] -= length * (sin * at.a[j] + cos * centripetal);
            sum[1] += length * (cos * at.a[j] - sin * centripetal);
        }
        sum
    }

    /// Adds S^T F to the rows of the angles, for one node at distance `s`.
    fn work<S: Lift<P>>(&self, at: &Local<'_, S>, s: S, f: [S; 3], out: &mut [S]) {
        let k = self.before.len();
        for j in 0..=k {
            let length = if j == k { s } else { S::lift(self.before[j]) };
            let (sin, cos) = at.q[j].sin_cos();
            out[j] += length * (cos * f[1] - sin * f[0]);
        }
        out[k] += f[2];
    }
}

/// One Euler-Bernoulli element of a link.
#[derive(Clone, Debug)]
pub(super) struct Beam<P> {
    pub(super) chain: Chain<P>,
    /// Distance of its first node from the link's base, m.
    pub(super) start: P,
    /// Length, m.
    pub(super) length: P,
    /// Mass per length, kg/m.
    pub(super) line_density: P,
    /// Axial stiffness E A, N.
    pub(super) axial: P,
    /// Bending stiffness E J, N m^2.
    pub(super) bending: P,
    /// Damping: alpha of the mass, 1/s; beta of the stiffness, s.
    pub(super) alpha: P,
    pub(super) beta: P,
    /// What its first node is; the second is always a node of the link.
    pub(super) first: Node,
}

/// Entries of the bending parts over (w1, th1, w2, th2), with the length's powers left out.
const BENDING_STIFFNESS: [[f64; 4]; 4] =
    [[12.0, 6.0, -12.0, 6.0], [6.0, 4.0, -6.0, 2.0], [-12.0, -6.0, 12.0, -6.0], [6.0, 2.0, -6.0, 4.0]];
const BENDING_MASS: [[f64; 4]; 4] = [
    [156.0, 22.0, 54.0, -13.0],
    [22.0, 4.0, 13.0, -3.0],
    [54.0, 13.0, 156.0, -22.0],
    [-13.0, -3.0, -22.0, 4.0],
];
/// Places of w1, th1, w2, th2 and of u1, u2 among u1, w1, th1, u2, w2, th2.
const W: [usize; 4] = [1, 2, 4, 5];
const U: [usize; 2] = [0, 3];

impl<P: Data> Beam<P> {
    /// m x, consistent mass in the link's axes.
    fn mass<S: Lift<P>>(&self, x: &[S; 6]) -> [S; 6] {
        let (l, unit) = (S::lift(self.length), S::lift(self.line_density) * S::lift(self.length));
        let mut out = bending(BENDING_MASS, l, x).map(|y| y * unit.scale(1.0 / 420.0));
        for (i, j) in [(0, 1), (1, 0)] {
            out[U[i]] = unit.scale(1.0 / 6.0) * (x[U[i]].scale(2.0) + x[U[j]]);
        }
        out
    }

    /// k x, in the link's axes.
    fn stiffness<S: Lift<P>>(&self, x: &[S; 6]) -> [S; 6] {
        let l = S::lift(self.length);
        let unit = S::lift(self.bending) / (l * l * l);
        let mut out = bending(BENDING_STIFFNESS, l, x).map(|y| y * unit);
        let pull = S::lift(self.axial) / l * (x[3] - x[0]);
        (out[0], out[3]) = (-pull, pull);
        out
    }

    /// (G - m JJ) x with G = integral rho N^T J N and J a quarter turn, in the link's axes: half
    /// the Coriolis matrix for unit speed.
    fn gyroscopic<S: Lift<P>>(&self, x: &[S; 6]) -> [S; 6] {
        let l = S::lift(self.length);
        let unit = S::lift(self.line_density) * l;
        // Integrals of axial times bending shape functions, over (w1, th1, w2, th2).
        let sixtieth = |a: f64, b: f64, c: f64, d: f64| [a, b, c, d].map(|x| x / 60.0);
        let p = [sixtieth(21.0, 3.0, 9.0, -2.0), sixtieth(9.0, 2.0, 21.0, -3.0)];
        let mut out = [S::zero(); 6];
        for (a, row) in U.iter().zip(p) {
            for (b, (place, entry)) in W.iter().zip(row).enumerate() {
                let entry = if b % 2 == 1 { l.scale(entry) } else { S::cst(entry) } * unit;
                out[*a] -= entry * x[*place];
                out[*place] += entry * x[*a];
            }
        }
        let turned = [-x[1], x[0], S::zero(), -x[4], x[3], S::zero()];
        for (o, y) in out.iter_mut().zip(self.mass(&turned)) {
            *o -= y;
        }
        out
    }
}

/// A bending matrix times x, with the lengths its slopes carry.
fn bending<S: Real>(matrix: [[f64; 4]; 4], l: S, x: &[S; 6]) -> [S; 6] {
    let mut out = [S::zero(); 6];
    for (i, row) in matrix.iter().enumerate() {
        let mut sum = S::zero();
        for (j, entry) in row.iter().enumerate() {
            let y = if j % 2 == 1 { l * x[W[j]] } else { x[W[j]] };
            sum += y.scale(*entry);
        }
        out[W[i]] = if i % 2 == 1 { l * sum } else { sum };
    }
    out
}

/// Both nodes' vectors turned by the rotation (cos, sin).
fn turn<S: Real>(x: [S; 6], cos: S, sin: S) -> [S; 6] {
    [
        cos * x[0] - sin * x[1],
        sin * x[0] + cos * x[1],
        x[2],
        cos * x[3] - sin * x[4],
        sin * x[3] + cos * x[4],
        x[5],
    ]
}

impl<P: Data> Beam<P> {
    /// Where the first and second node's numbers stand in the local coordinates.
    fn places(&self) -> (usize, usize) {
        let angles = self.chain.angles();
        (angles, if self.first == Node::Ground { angles } else { angles + 3 })
    }

    /// The displacements of both nodes (or their rates) in ground axes.
    fn nodes<S: Real>(&self, list: &[S]) -> [S; 6] {
        let (a, b) = self.places();
        let zero = S::zero();
        let first = match self.first {
            Node::Ground => [zero; 3],
            Node::PreviousTip => [list[a], list[a + 1], zero],
            Node::Own => [list[a], list[a + 1], list[a + 2]],
        };
        [first[0], first[1], first[2], list[b], list[b + 1], list[b + 2]]
    }
}

impl<P: Data> ElementLaw<P> for Beam<P> {
    fn dependence(&self) -> Dependence {
        Dependence { u: false, ..Dependence::EVERYTHING }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let k = self.chain.before.len();
        let (sin, cos) = at.q[k].sin_cos();
        let start = S::lift(self.start);
        let ends = [start, start + S::lift(self.length)];
        let mut a = self.nodes(at.a);
        for (i, s) in ends.into_iter().enumerate() {
            for (x, rigid) in a[3 * i..].iter_mut().zip(self.chain.acceleration(at, s)) {
                *x += rigid;
            }
        }
        // All in the link's axes, where m, k and M_G are constant.
        let local = |x: [S; 6]| turn(x, cos, -sin);
        let (d, v, a) = (local(self.nodes(at.q)), local(self.nodes(at.v)), local(a));
        let alpha = S::lift(self.alpha);
        let mut damped = a;
        for (x, v) in damped.iter_mut().zip(&v) {
            *x += alpha * *v;
        }
        let mut f = self.mass(&damped);
        let spin = at.v[k].scale(2.0);
        for (f, g) in f.iter_mut().zip(self.gyroscopic(&v)) {
            *f += spin * g;
        }
        for (f, w) in f.iter_mut().zip(self.weight(at, cos, sin)) {
            *f -= w;
        }
        let beta = S::lift(self.beta);
        let mut stretched = d;
        for (x, v) in stretched.iter_mut().zip(&v) {
            *x += beta * *v;
        }
        let f = turn(f, cos, sin);
        let elastic = turn(self.stiffness(&stretched), cos, sin);
        for (i, s) in ends.into_iter().enumerate() {
            self.chain.work(at, s, [f[3 * i], f[3 * i + 1], f[3 * i + 2]], out);
        }
        let (first, second) = self.places();
        let kept = match self.first {
            Node::Ground => 0,
            Node::PreviousTip => 2,
            Node::Own => 3,
        };
        for i in 0..kept {
            out[first + i] += f[i] + elastic[i];
        }
        for i in 0..3 {
            out[second + i] += f[3 + i] + elastic[3 + i];
        }
    }
}

impl<P: Data> Beam<P> {
    /// Consistent nodal loads of the weight, in the link's axes.
    fn weight<S: Lift<P>>(&self, at: &Local<'_, S>, cos: S, sin: S) -> [S; 6] {
        let l = S::lift(self.length);
        let half = S::lift(self.line_density) * l.scale(0.5);
        let [gx, gy, _] = at.gravity;
        let along = half * (cos * gx + sin * gy);
        let across = half * (cos * gy - sin * gx);
        let moment = across * l.scale(1.0 / 6.0);
        [along, across, moment, along, across, -moment]
    }
}

/// A mass at the tip of the last link.
#[derive(Clone, Debug)]
pub(super) struct Payload<P> {
    pub(super) chain: Chain<P>,
    /// Length of the last link, m.
    pub(super) length: P,
    /// Mass, kg.
    pub(super) mass: P,
    /// Mass-proportional damping of the arm, 1/s, which the payload shares.
    pub(super) alpha: P,
}

impl<P: Data> ElementLaw<P> for Payload<P> {
    fn dependence(&self) -> Dependence {
        Dependence { u: false, ..Dependence::EVERYTHING }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let node = self.chain.angles();
        let (length, mass, alpha) = (S::lift(self.length), S::lift(self.mass), S::lift(self.alpha));
        let rigid = self.chain.acceleration(at, length);
        let mut f = [S::zero(); 3];
        for i in 0..2 {
            f[i] = mass * (at.a[node + i] + rigid[i] + alpha * at.v[node + i] - at.gravity[i]);
            out[node + i] += f[i];
        }
        self.chain.work(at, length, f, out);
    }
}

/// A motor in a joint: on the link's angle, its reaction on the link before and on its tip node.
#[derive(Clone, Debug)]
pub(super) struct Motor {
    /// True for the first joint, whose reaction the ground takes.
    pub(super) grounded: bool,
}

impl<P: Data> ElementLaw<P> for Motor {
    fn inputs(&self) -> usize {
        1
    }
    fn dependence(&self) -> Dependence {
        Dependence { u: true, ..Dependence::NOTHING }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        // Local coordinates: the angle; then the angle before and the tip node before.
        out[0] -= at.u[0];
        if !self.grounded {
            out[1] += at.u[0];
            out[4] += at.u[0];
        }
    }
}
