//! Interpolation of positions and rotations along a beam element, and the strains it gives.
//!
//! ```text
//! r(s) = sum N_i r_i,   R(s) = R_m exp(theta),   theta(s) = sum N_i theta_i,   theta_i = log(R_m^T R_i)
//! y = R_m^T r',   Gamma = exp(theta)^T y,   kappa = T(theta) theta'
//! T v = v - c2 theta x v + c3 theta x (theta x v)
//! ```
//!
//! m is the first of two nodes or the middle of three, R_i the section frame of node i; c_k are the
//! functions of [`super::super::rotation::stumpff`] of |theta|^2. Rotations are interpolated as seen
//! from the element, so that the strains do not change under a rigid motion, however large.
//! Fails where neighbouring nodes turn against each other by half a turn.

use super::super::rotation::{
    conjugate, cotangent_term, cross, dot, normalized, product, rotation_vector, stumpff, turned_back,
};
use mb_scalar::{Lift, Real};
use nalgebra::Vector3;

/// Most nodes of an element.
pub(super) const MOST: usize = 3;

/// Shape functions of a beam element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Two nodes, linear, strains at the middle.
    Linear,
    /// Three nodes, quadratic, strains at the two Gauss points: free of shear and membrane locking.
    #[default]
    Quadratic,
}

impl Interpolation {
    /// Nodes of one element.
    pub const fn nodes(self) -> usize {
        match self {
            Self::Linear => 2,
            Self::Quadratic => 3,
        }
    }
    /// The node whose axes rotations are seen from.
    pub(super) const fn reference(self) -> usize {
        match self {
            Self::Linear => 0,
            Self::Quadratic => 1,
        }
    }
    /// Points on (-1, 1) and weights where strains are taken.
    pub(super) fn strain_points(self) -> &'static [(f64, f64)] {
        // 1/sqrt 3.
        const THIRD: f64 = 0.577_350_269_189_625_8;
        match self {
            Self::Linear => &[(0.0, 2.0)],
            Self::Quadratic => &[(-THIRD, 1.0), (THIRD, 1.0)],
        }
    }
    /// Points and weights where the mass is taken: exact for straight elements.
    pub(super) fn mass_points() -> &'static [(f64, f64)] {
        // sqrt(3/5).
        const OUTER: f64 = 0.774_596_669_241_483_4;
        &[(-OUTER, 5.0 / 9.0), (0.0, 8.0 / 9.0), (OUTER, 5.0 / 9.0)]
    }
    /// Shape functions and their derivatives at x on (-1, 1).
    pub(super) fn shape(self, x: f64) -> ([f64; MOST], [f64; MOST]) {
        match self {
            Self::Linear => ([0.5 * (1.0 - x), 0.5 * (1.0 + x), 0.0], [-0.5, 0.5, 0.0]),
            Self::Quadratic => {
                ([0.5 * x * (x - 1.0), 1.0 - x * x, 0.5 * x * (x + 1.0)], [x - 0.5, -2.0 * x, x + 0.5])
            }
        }
    }
}

/// A section of the natural shape of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamStation<P = f64> {
    /// Position of the centre line in ground axes, m.
    pub at: [P; 3],
    /// Euler parameters of the section axes, of length one: the first is along the beam.
    pub euler: [P; 4],
}

/// Nodes of an element in one configuration: positions, section axes, and rotations against the
/// reference node.
pub(super) struct Nodes<S> {
    pub(super) x: [Vector3<S>; MOST],
    /// Euler parameters of the reference node.
    pub(super) axes: [S; 4],
    pub(super) theta: [Vector3<S>; MOST],
}

impl<S: Real> Nodes<S> {
    pub(super) fn new(shape: Interpolation, x: [Vector3<S>; MOST], euler: [[S; 4]; MOST]) -> Self {
        let m = shape.reference();
        let zero = Vector3::from([S::zero(); 3]);
        let mut theta = [zero; MOST];
        for i in (0..shape.nodes()).filter(|i| *i != m) {
            theta[i] = rotation_vector(normalized(product(conjugate(euler[m]), euler[i])));
        }
        Self { x, axes: euler[m], theta }
    }
}

/// sum of weights times vectors.
pub(super) fn combined<P: Real, S: Lift<P>>(
    weights: &[P; MOST],
    of: &[Vector3<S>; MOST],
    n: usize,
) -> Vector3<S> {
    let mut sum = times(&of[0], weights[0]);
    for i in 1..n {
        sum += times(&of[i], weights[i]);
    }
    sum
}

/// A vector times a constant.
pub(super) fn times<P: Real, S: Lift<P>>(v: &Vector3<S>, by: P) -> Vector3<S> {
    v.map(|x| x.times(by))
}

/// A section between the nodes, with everything its strains and their variations are made of.
pub(super) struct Section<S> {
    pub(super) theta: Vector3<S>,
    pub(super) theta_s: Vector3<S>,
    /// r' in the axes of the reference node.
    pub(super) y: Vector3<S>,
    pub(super) c: [S; 5],
    pub(super) gamma: Vector3<S>,
    pub(super) kappa: Vector3<S>,
}

impl<S: Real> Section<S> {
    /// The section where the shape functions are `n` and their derivatives by arc length `dn`.
    pub(super) fn new<P: Real>(nodes: &Nodes<S>, n: &[P; MOST], dn: &[P; MOST], count: usize) -> Self
    where
        S: Lift<P>,
    {
        let y = turned_back(nodes.axes, &combined(dn, &nodes.x, count));
        let (theta, theta_s) = (combined(n, &nodes.theta, count), combined(dn, &nodes.theta, count));
        let c = stumpff(dot(&theta, &theta));
        let mut out = Self { theta, theta_s, y, c, gamma: y, kappa: theta_s };
        out.gamma = out.seen(&y);
        out.kappa = out.spin(&theta_s);
        out
    }
    /// exp(theta) v: from section axes to those of the reference node.
    pub(super) fn out(&self, v: &Vector3<S>) -> Vector3<S> {
        let once = cross(&self.theta, v);
        v + once * self.c[0] + cross(&self.theta, &once) * self.c[1]
    }
    /// exp(theta)^T v.
    pub(super) fn seen(&self, v: &Vector3<S>) -> Vector3<S> {
        let once = cross(&self.theta, v);
        v - once * self.c[0] + cross(&self.theta, &once) * self.c[1]
    }
    /// T(theta) v.
    pub(super) fn spin(&self, v: &Vector3<S>) -> Vector3<S> {
        let once = cross(&self.theta, v);
        v - once * self.c[1] + cross(&self.theta, &once) * self.c[2]
    }
    /// T(theta)^T v.
    pub(super) fn spin_transposed(&self, v: &Vector3<S>) -> Vector3<S> {
        let once = cross(&self.theta, v);
        v + once * self.c[1] + cross(&self.theta, &once) * self.c[2]
    }
    /// d(m . kappa)/d theta at constant m and theta'.
    ///
    /// With b = c2, c = c3 and their derivatives by |theta|^2,
    /// m . kappa = m . theta' - b theta . (theta' x m) + c ((m . theta)(theta . theta') - (m . theta') |theta|^2).
    pub(super) fn bend_gradient(&self, m: &Vector3<S>) -> Vector3<S> {
        let (t, d, c) = (&self.theta, &self.theta_s, &self.c);
        let slope = |k: usize| (c[k + 1].scale(k as f64) - c[k]).scale(0.5);
        let (b_x, c_x) = (slope(2), slope(3));
        let across = cross(d, m);
        let (mt, td, md, tt) = (dot(m, t), dot(t, d), dot(m, d), dot(t, t));
        let along =
            c_x.scale(2.0) * (mt * td - md * tt) - b_x.scale(2.0) * dot(t, &across) - (c[2] * md).scale(2.0);
        t * along + m * (c[2] * td) + d * (c[2] * mt) - across * c[1]
    }
}

/// T(theta)^-1 v = v + theta x v / 2 + g theta x (theta x v); with `sign` -1 its transpose.
pub(super) fn unspin<S: Real>(theta: &Vector3<S>, v: &Vector3<S>, sign: f64) -> Vector3<S> {
    let once = cross(theta, v);
    v + once.map(|x| x.scale(0.5 * sign)) + cross(theta, &once) * cotangent_term(dot(theta, theta))
}

/// T(theta)^-1 v and T(theta)^-T v.
pub(super) fn unspin_both<S: Real>(theta: &Vector3<S>, v: &Vector3<S>) -> [Vector3<S>; 2] {
    let once = cross(theta, v);
    let even = v + cross(theta, &once) * cotangent_term(dot(theta, theta));
    let odd = once.map(|x| x.scale(0.5));
    [even + odd, even - odd]
}
