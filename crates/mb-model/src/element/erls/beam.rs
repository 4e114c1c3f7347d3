//! An Euler-Bernoulli element of an equivalent rigid link.
//!
//! ```text
//! F = m (d'' + S q'' + S' q' + alpha d') + 2 M_G d' - loads        nodal forces of inertia and weight
//! E = k (d + beta d')                                              elastic ones
//! rows of the nodes: F + E,   rows of the angles: S^T F
//! ```
//!
//! d are the displacements and rotations of both nodes in ground axes, S the Jacobian of the nodes of the rigid links; m, k
//! and M_G = q' (G - m JJ) are constant in the axes of the link and turn with it. Elastic forces do no work in a motion of the
//! rigid links. Sizes: an angle for each link of the chain, and up to six numbers of the nodes.
//!
//! Paper: [palomba2019] Sec. 4.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use super::super::{Data, Local};
use super::Chain;
use mb_scalar::{Lift, Real};

/// Where a node of an element has its numbers among the local coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErlsNode {
    /// First index of its displacement (ux, uy); none where the ground holds it.
    pub displacement: Option<usize>,
    /// Index of its rotation; none where a motor holds it.
    pub rotation: Option<usize>,
}

impl ErlsNode {
    /// A node with all three numbers from local index `first` on.
    pub fn whole(first: usize) -> Self {
        Self { displacement: Some(first), rotation: Some(first + 2) }
    }

    /// Its numbers among `list`, zero where something holds them.
    fn of<S: Real>(self, list: &[S]) -> [S; 3] {
        let [x, y] = self.displacement.map_or([S::zero(); 2], |i| [list[i], list[i + 1]]);
        [x, y, self.rotation.map_or(S::zero(), |i| list[i])]
    }

    /// Adds to its rows.
    fn add<S: Real>(self, f: &[S], out: &mut [S]) {
        if let Some(i) = self.displacement {
            out[i] += f[0];
            out[i + 1] += f[1];
        }
        if let Some(i) = self.rotation {
            out[i] += f[2];
        }
    }
}

/// One element of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct ErlsBeam<P = f64> {
    /// The rigid links up to its own.
    pub chain: Chain<P>,
    /// Its nodes.
    pub nodes: [ErlsNode; 2],
    /// Distance of its first node from the link's base, m.
    pub start: P,
    /// Length, m.
    pub length: P,
    /// Mass per length, kg/m.
    pub mass_per_length: P,
    /// Axial stiffness E A, N.
    pub axial: P,
    /// Bending stiffness E J, N m^2.
    pub bending: P,
    /// Damping of the elastic velocities by the mass, 1/s.
    pub alpha: P,
    /// Damping of the elastic velocities by the stiffness, s.
    pub beta: P,
}

/// Entries of the bending stiffness over (w1, th1, w2, th2), with the length's powers left out.
const BENDING_STIFFNESS: [[f64; 4]; 4] =
    [[12.0, 6.0, -12.0, 6.0], [6.0, 4.0, -6.0, 2.0], [-12.0, -6.0, 12.0, -6.0], [6.0, 2.0, -6.0, 4.0]];
/// The same of 420 times the mass.
const BENDING_MASS: [[f64; 4]; 4] = [
    [156.0, 22.0, 54.0, -13.0],
    [22.0, 4.0, 13.0, -3.0],
    [54.0, 13.0, 156.0, -22.0],
    [-13.0, -3.0, -22.0, 4.0],
];
/// Places of w1, th1, w2, th2 and of u1, u2 among u1, w1, th1, u2, w2, th2.
const W: [usize; 4] = [1, 2, 4, 5];
const U: [usize; 2] = [0, 3];

impl<P: Data> ErlsBeam<P> {
    /// m x, consistent mass in the link's axes.
    fn mass<S: Lift<P>>(&self, x: &[S; 6]) -> [S; 6] {
        let (l, unit) = (S::lift(self.length), S::lift(self.mass_per_length) * S::lift(self.length));
        let mut out = bending(&BENDING_MASS, l, x).map(|y| y * unit.scale(1.0 / 420.0));
        for (i, j) in [(0, 1), (1, 0)] {
            out[U[i]] = unit.scale(1.0 / 6.0) * (x[U[i]].scale(2.0) + x[U[j]]);
        }
        out
    }

    /// k x, in the link's axes.
    fn stiffness<S: Lift<P>>(&self, x: &[S; 6]) -> [S; 6] {
        let l = S::lift(self.length);
        let unit = S::lift(self.bending) / (l * l * l);
        let mut out = bending(&BENDING_STIFFNESS, l, x).map(|y| y * unit);
        let pull = S::lift(self.axial) / l * (x[3] - x[0]);
        (out[0], out[3]) = (-pull, pull);
        out
    }

    /// (G - m JJ) x with G = integral rho N^T J N and J a quarter turn, in the link's axes: half the Coriolis matrix for
    /// unit speed.
    fn gyroscopic<S: Lift<P>>(&self, x: &[S; 6]) -> [S; 6] {
        let l = S::lift(self.length);
        let unit = S::lift(self.mass_per_length) * l;
        // Sixty times the integrals of axial times bending shape functions, over (w1, th1, w2, th2).
        let p = [[21.0, 3.0, 9.0, -2.0], [9.0, 2.0, 21.0, -3.0]];
        let mut out = [S::zero(); 6];
        for (a, row) in U.iter().zip(p) {
            for (b, (place, entry)) in W.iter().zip(row).enumerate() {
                let entry = entry / 60.0;
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

    /// Consistent nodal loads of the weight, in the link's axes.
    fn weight<S: Lift<P>>(&self, at: &Local<'_, S>, cos: S, sin: S) -> [S; 6] {
        let l = S::lift(self.length);
        let half = S::lift(self.mass_per_length) * l.scale(0.5);
        let [gx, gy, _] = at.gravity;
        let along = half * (cos * gx + sin * gy);
        let across = half * (cos * gy - sin * gx);
        let moment = across * l.scale(1.0 / 6.0);
        [along, across, moment, along, across, -moment]
    }

    /// The numbers of both nodes.
    fn both<S: Real>(&self, list: &[S]) -> [S; 6] {
        let [a, b] = self.nodes.map(|node| node.of(list));
        [a[0], a[1], a[2], b[0], b[1], b[2]]
    }

    /// Position at the fraction `xi` of the length, m: the displacement from the rigid link is linear along it and a cubic of
    /// Hermite across it,
    ///
    /// ```text
    /// r = x(s) + e (u1 (1 - xi) + u2 xi) + k x e (w1 h1 + th1 L h2 + w2 h3 + th2 L h4),   s = start + xi L
    /// h1 = 1 - 3 xi^2 + 2 xi^3,   h2 = xi - 2 xi^2 + xi^3,   h3 = 3 xi^2 - 2 xi^3,   h4 = xi^3 - xi^2
    /// ```
    pub(super) fn position<S: Lift<P>>(&self, q: &[S], xi: P) -> [S; 2] {
        let (sin, cos) = q[self.chain.angle()].sin_cos();
        let d = turn(self.both(q), cos, -sin);
        let (xi, l) = (S::lift(xi), S::lift(self.length));
        let (square, cube) = (xi * xi, xi * xi * xi);
        let step = square.scale(3.0) - cube.scale(2.0);
        let along = d[0] + xi * (d[3] - d[0]);
        let slopes = d[2] * (xi - square.scale(2.0) + cube) + d[5] * (cube - square);
        let across = d[1] + step * (d[4] - d[1]) + l * slopes;
        let [x, y] = self.chain.position(q, S::lift(self.start) + xi * l);
        [x + cos * along - sin * across, y + sin * along + cos * across]
    }

    /// Adds M a - f.
    pub(super) fn forces<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let k = self.chain.angle();
        let (sin, cos) = at.q[k].sin_cos();
        let start = S::lift(self.start);
        let ends = [start, start + S::lift(self.length)];
        let mut a = self.both(at.a);
        for (i, s) in ends.into_iter().enumerate() {
            for (x, rigid) in a[3 * i..].iter_mut().zip(self.chain.acceleration(at, s)) {
                *x += rigid;
            }
        }
        // All in the link's axes, where m, k and G are constant.
        let local = |x: [S; 6]| turn(x, cos, -sin);
        let (d, v, a) = (local(self.both(at.q)), local(self.both(at.v)), local(a));
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
        for (i, (s, node)) in ends.into_iter().zip(self.nodes).enumerate() {
            let own = [f[3 * i], f[3 * i + 1], f[3 * i + 2]];
            self.chain.push(at.q, s, own, out);
            node.add(&std::array::from_fn::<S, 3, _>(|j| own[j] + elastic[3 * i + j]), out);
        }
    }
}

/// A bending matrix times x, with the lengths its slopes carry.
fn bending<S: Real>(matrix: &[[f64; 4]; 4], l: S, x: &[S; 6]) -> [S; 6] {
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
