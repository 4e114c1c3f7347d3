//! Rotations by Euler parameters, and vectors in any scalar.
//!
//! Every function divides by the squared length of the parameters,
//!
//! ```text
//! R(p) x = x + 2 (e0 e x x + e x (e x x)) / (p . p),   p = (e0, e)
//! ```
//!
//! so that what is made of them does not depend on their length: a drift of the norm in a
//! simulation is no violation of any constraint. Fails for p = 0 only.

use mb_scalar::{Lift, Real};
use nalgebra::Vector3;

/// a x b.
pub(crate) fn cross<S: Real>(a: &Vector3<S>, b: &Vector3<S>) -> Vector3<S> {
    Vector3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}
/// a . b.
pub(crate) fn dot<S: Real>(a: &Vector3<S>, b: &Vector3<S>) -> S {
    a.x * b.x + a.y * b.y + a.z * b.z
}
/// A constant vector in the scalar `S`.
pub(crate) fn lifted<P: Copy, S: Lift<P>>(x: [P; 3]) -> Vector3<S> {
    Vector3::from(x.map(S::lift))
}
/// R(p) x.
pub(crate) fn turned<S: Real>(p: [S; 4], x: &Vector3<S>) -> Vector3<S> {
    let [e0, e1, e2, e3] = p;
    let e = Vector3::new(e1, e2, e3);
    let two = S::cst(2.0) / (e0 * e0 + dot(&e, &e));
    let t = cross(&e, x);
    let u = cross(&e, &t);
    Vector3::new(x.x + two * (e0 * t.x + u.x), x.y + two * (e0 * t.y + u.y), x.z + two * (e0 * t.z + u.z))
}
/// R(p)^T x.
pub(crate) fn turned_back<S: Real>(p: [S; 4], x: &Vector3<S>) -> Vector3<S> {
    turned(conjugate(p), x)
}
/// The parameters of the opposite rotation.
pub(crate) fn conjugate<S: Real>([a, b, c, d]: [S; 4]) -> [S; 4] {
    [a, -b, -c, -d]
}
/// The parameters of R(p) R(r).
pub(crate) fn product<S: Real>(p: [S; 4], r: [S; 4]) -> [S; 4] {
    [
        p[0] * r[0] - p[1] * r[1] - p[2] * r[2] - p[3] * r[3],
        p[0] * r[1] + p[1] * r[0] + p[2] * r[3] - p[3] * r[2],
        p[0] * r[2] - p[1] * r[3] + p[2] * r[0] + p[3] * r[1],
        p[0] * r[3] + p[1] * r[2] - p[2] * r[1] + p[3] * r[0],
    ]
}
/// The parameters scaled to length one.
pub(crate) fn normalized<S: Real>(p: [S; 4]) -> [S; 4] {
    let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]).sqrt();
    p.map(|x| x / length)
}
/// The parameters of the rotation with these columns, which must be orthonormal and right-handed.
///
/// The largest of the four is found first, so that no other is divided by a small number.
pub(crate) fn from_columns<S: Real>([x, y, z]: [Vector3<S>; 3]) -> [S; 4] {
    let trace = x.x + y.y + z.z;
    // Four times the squares, and the row of 4 p_i p_j that starts from each.
    let one = S::one();
    let candidates = [
        [one + trace, y.z - z.y, z.x - x.z, x.y - y.x],
        [y.z - z.y, one + x.x - y.y - z.z, x.y + y.x, z.x + x.z],
        [z.x - x.z, x.y + y.x, one - x.x + y.y - z.z, y.z + z.y],
        [x.y - y.x, z.x + x.z, y.z + z.y, one - x.x - y.y + z.z],
    ];
    let mut best = 0;
    for i in 1..4 {
        if candidates[i][i].value() > candidates[best][best].value() {
            best = i;
        }
    }
    normalized(candidates[best])
}
/// The parameters of the rotation by `angle` about the axis of length one.
pub(crate) fn about<S: Real>(axis: [S; 3], angle: S) -> [S; 4] {
    let (s, c) = angle.scale(0.5).sin_cos();
    [c, axis[0] * s, axis[1] * s, axis[2] * s]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: &Vector3<f64>, b: &Vector3<f64>) {
        assert!((a - b).norm() < 1e-14, "{a} {b}");
    }

    #[test]
    fn rotations_compose_and_do_not_feel_the_length() {
        let (p, r) = (about([0.6, 0.0, 0.8], 1.1), about([0.0, 1.0, 0.0], -0.7));
        let x = Vector3::new(0.3, -1.2, 0.5);
        near(&turned(product(p, r), &x), &turned(p, &turned(r, &x)));
        near(&turned(p.map(|e| 3.0 * e), &x), &turned(p, &x));
        near(&turned_back(p, &turned(p, &x)), &x);
        near(&turned(about([0.0, 0.0, 1.0], core::f64::consts::FRAC_PI_2), &Vector3::x()), &Vector3::y());
    }

    #[test]
    fn columns_give_the_parameters_back_in_every_branch() {
        for p in [[1.0, 0.2, -0.1, 0.3], [0.1, 1.0, 0.2, -0.3], [0.0, 0.2, 1.0, 0.1], [-0.1, 0.2, 0.1, 1.0]] {
            let columns = [Vector3::x(), Vector3::y(), Vector3::z()].map(|e| turned(p, &e));
            let back = from_columns(columns);
            for e in [Vector3::x(), Vector3::y(), Vector3::z()] {
                near(&turned(back, &e), &turned(p, &e));
            }
        }
    }
}
