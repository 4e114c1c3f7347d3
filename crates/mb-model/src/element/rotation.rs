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

/// Rotation vector of Euler parameters of length one, by the shorter way.
pub(crate) fn rotation_vector<S: Real>(e: [S; 4]) -> Vector3<S> {
    let e = if e[0].value() < 0.0 { e.map(|x| -x) } else { e };
    let v = Vector3::new(e[1], e[2], e[3]);
    let s2 = dot(&v, &v);
    // 2 asin(s) / s: its series, with (2k-1)!!^2 / (2k+1)! as coefficients, near zero, where the
    // root has no derivative.
    let factor = if s2.value() < 1e-3 {
        let mut sum = S::one();
        for k in (0..6).rev() {
            let n = 2.0 * f64::from(k) + 1.0;
            sum = S::one() + s2.scale(n * n / ((n + 1.0) * (n + 2.0))) * sum;
        }
        sum.scale(2.0)
    } else {
        let s = s2.sqrt();
        s.atan2(e[0]).scale(2.0) / s
    };
    v * factor
}

/// (1 - (x/2) cot(x/2)) / x^2 as a function of x^2.
pub(crate) fn cotangent_term<S: Real>(x2: S) -> S {
    if x2.value() < 1e-1 {
        // B_2k-coefficients of the cotangent: 1/12, 1/720, 1/30240, ...
        let terms = [1.0 / 12.0, 1.0 / 720.0, 1.0 / 30_240.0, 1.0 / 1_209_600.0, 1.0 / 47_900_160.0];
        let last = 691.0 / 1_307_674_368_000.0;
        terms.iter().rev().fold(S::cst(last), |sum, c| S::cst(*c) + x2 * sum)
    } else {
        let half = x2.sqrt().scale(0.5);
        let (s, c) = half.sin_cos();
        (S::one() - half * c / s) / x2
    }
}

/// The functions sin(x)/x, (1 - cos x)/x^2, (x - sin x)/x^3 and the next two, of y = x^2:
///
/// ```text
/// c_k(y) = sum over j of (-y)^j / (2 j + k)!,   c_k = 1/k! - y c_(k+2),   d c_k / dy = (k c_(k+2) - c_(k+1)) / 2
/// ```
///
/// Returns c_1 to c_5.
pub(crate) fn stumpff<S: Real>(y: S) -> [S; 5] {
    let (c4, c5);
    if y.value() < 1.0 {
        let series = |first: f64| {
            let mut sum = S::one();
            for k in (0..8).rev() {
                let a = first + 2.0 * f64::from(k);
                sum = S::one() - y.scale(1.0 / ((a + 1.0) * (a + 2.0))) * sum;
            }
            sum
        };
        c4 = series(4.0).scale(1.0 / 24.0);
        c5 = series(5.0).scale(1.0 / 120.0);
    } else {
        let x = y.sqrt();
        let (s, c) = x.sin_cos();
        c4 = (S::cst(0.5) - (S::one() - c) / y) / y;
        c5 = (S::cst(1.0 / 6.0) - (x - s) / (x * y)) / y;
    }
    let c3 = S::cst(1.0 / 6.0) - y * c5;
    let c2 = S::cst(0.5) - y * c4;
    [S::one() - y * c3, c2, c3, c4, c5]
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

    #[test]
    fn rotation_vector_is_axis_times_angle_on_both_sides_of_the_switch() {
        for angle in [1e-9, 0.03, 0.063, 0.0635, 1.0, 3.0] {
            let v = rotation_vector(about([0.6, 0.0, 0.8], angle));
            assert!((v - Vector3::new(0.6, 0.0, 0.8) * angle).norm() < 1e-15 * (1.0 + angle));
        }
    }

    #[test]
    fn cotangent_series_meets_the_closed_form() {
        let closed = |x: f64| (1.0 - 0.5 * x / (0.5 * x).tan()) / (x * x);
        for x2 in [0.09_f64, 0.0999] {
            assert!((cotangent_term(x2) / closed(x2.sqrt()) - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn stumpff_functions_meet_at_the_switch_and_obey_their_derivatives() {
        use mb_scalar::Dual;
        for y in [0.0_f64, 0.3, 1.0 - 1e-6, 1.0 + 1e-6, 7.0] {
            let c = stumpff(Dual::variable(y));
            let x = y.sqrt();
            if y > 0.0 {
                assert!((c[0].re - x.sin() / x).abs() < 1e-15);
                assert!((c[1].re - (1.0 - x.cos()) / y).abs() < 1e-15);
            }
            for k in 1..4 {
                let slope = 0.5 * (k as f64 * c[k + 1].re - c[k].re);
                assert!((c[k - 1].eps - slope).abs() < 1e-15, "c_{k} at {y}");
            }
        }
    }
}
