//! Configurations as increments of another one, q = q0 (+) d, and what moves with d.
//!
//! ```text
//! d' = v for what is linear,   d' = T^-1(d) w = w + d x w / 2 + f(|d|) d x (d x w) for rotations of bodies in space
//! f = 1 / a^2 - (1 + cos a) / (2 a sin a),   a = |d|
//! q0 (+) x0 (+) d = q0 (+) d (+) R(d)^T x0,      q0 (+) (d + e) = q0 (+) d (+) T(d) e      to first order
//! ```

use mb_model::{BlockKind, Model};
use mb_scalar::{Dual, Real};

/// A matrix of three rows and columns.
pub(crate) type Three = [[f64; 3]; 3];

/// The first velocities of the rotations of bodies in space; everything else is linear.
pub(crate) fn rotations(model: &Model) -> Vec<usize> {
    model.coordinates().blocks().iter().filter(|b| b.kind == BlockKind::Pose).map(|b| b.v + 3).collect()
}

fn cross<S: Real>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// T^-1(d) w.
fn rate<S: Real>(d: [S; 3], w: [S; 3]) -> [S; 3] {
    let a2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let f = if a2.value() < 1e-2 {
        // B_{2k} / (2k)! a^{2k-2} with alternating signs; the next term is below rounding.
        let terms = [1.0 / 12.0, 1.0 / 720.0, 1.0 / 30240.0, 1.0 / 1_209_600.0, 1.0 / 47_900_160.0];
        let mut sum = S::zero();
        for t in terms.into_iter().rev() {
            sum = sum * a2 + S::cst(t);
        }
        sum
    } else {
        let a = a2.sqrt();
        S::one() / a2 - (S::one() + a.cos()) / (a * a.sin()).scale(2.0)
    };
    let first = cross(d, w);
    let second = cross(d, first);
    core::array::from_fn(|i| w[i] + first[i].scale(0.5) + f * second[i])
}

/// T^-1(d) w.
pub(crate) fn increment_rate(d: [f64; 3], w: [f64; 3]) -> [f64; 3] {
    rate(d, w)
}

/// T^-1(d), and the derivative of T^-1(d) w by d.
pub(crate) fn increment_rate_by(d: [f64; 3], w: [f64; 3]) -> (Three, Three) {
    let (mut by_w, mut by_d) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
    for k in 0..3 {
        let seeded = |x: [f64; 3], seed: bool| -> [Dual<f64>; 3] {
            core::array::from_fn(|i| Dual::new(x[i], if seed && i == k { 1.0 } else { 0.0 }))
        };
        let (a, b) = (rate(seeded(d, false), seeded(w, true)), rate(seeded(d, true), seeded(w, false)));
        for i in 0..3 {
            by_w[i][k] = a[i].eps;
            by_d[i][k] = b[i].eps;
        }
    }
    (by_w, by_d)
}

/// The rotation matrix R(d) of the rotation vector d.
pub(crate) fn rotation(d: [f64; 3]) -> Three {
    let a2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let a = a2.sqrt();
    // sin a / a and (1 - cos a) / a^2 = 2 (sin(a/2) / a)^2.
    let (s, c) = if a < 1e-8 { (1.0, 0.5) } else { (a.sin() / a, 2.0 * ((0.5 * a).sin() / a).powi(2)) };
    let k = [[0.0, -d[2], d[1]], [d[2], 0.0, -d[0]], [-d[1], d[0], 0.0]];
    core::array::from_fn(|i| {
        core::array::from_fn(|j| {
            let square: f64 = (0..3).map(|l| k[i][l] * k[l][j]).sum();
            f64::from(u8::from(i == j)) + s * k[i][j] + c * square
        })
    })
}

/// The inverse of a matrix by its cofactors.
pub(crate) fn inverse(a: &Three) -> Three {
    let minor = |i: usize, j: usize| {
        let (p, q, r, s) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        a[p][r] * a[q][s] - a[p][s] * a[q][r]
    };
    let det: f64 = (0..3).map(|j| a[0][j] * minor(0, j)).sum();
    core::array::from_fn(|i| core::array::from_fn(|j| minor(j, i) / det))
}

/// d with from (+) d = to, nv numbers; rotations of bodies in space the short way round.
pub(crate) fn difference(model: &Model, to: &[f64], from: &[f64]) -> Vec<f64> {
    let mut d = vec![0.0; model.nv()];
    for b in model.coordinates().blocks() {
        if b.kind.is_linear() {
            for i in 0..b.kind.nv() {
                d[b.v + i] = to[b.q + i] - from[b.q + i];
            }
            continue;
        }
        for i in 0..3 {
            d[b.v + i] = to[b.q + i] - from[b.q + i];
        }
        // The vector and scalar part of conj(from) to.
        let (p, r) = (&from[b.q + 3..b.q + 7], &to[b.q + 3..b.q + 7]);
        let scalar: f64 = p.iter().zip(r).map(|(a, b)| a * b).sum();
        let turn = cross([p[1], p[2], p[3]], [r[1], r[2], r[3]]);
        let vector: [f64; 3] = core::array::from_fn(|i| p[0] * r[i + 1] - r[0] * p[i + 1] - turn[i]);
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        let sign = if scalar < 0.0 { -1.0 } else { 1.0 };
        let half = length.atan2(sign * scalar);
        let factor = if length > 0.0 { 2.0 * sign * half / length } else { 0.0 };
        for i in 0..3 {
            d[b.v + 3 + i] = factor * vector[i];
        }
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(p: [f64; 7], d: [f64; 3]) -> [f64; 7] {
        let mut q = p;
        BlockKind::Pose.retract(&mut q, &[0.0, 0.0, 0.0, d[0], d[1], d[2]]);
        q
    }

    const START: [f64; 7] = [0.0, 0.0, 0.0, 0.5, -0.1, 0.7, 0.5];

    /// q (+) (d + e) = q (+) d (+) T e and q (+) x (+) d = q (+) d (+) R^T x, against differences.
    #[test]
    fn tangents_follow_the_retraction() {
        let h = 1e-6;
        for scale in [1e-3, 0.05, 0.9, 2.0] {
            let d = [0.4 * scale, -0.7 * scale, 0.3 * scale];
            let t = inverse(&increment_rate_by(d, [0.0; 3]).0);
            let r = rotation(d);
            let (there, mut rate) = (moved(START, d), [0.0; 7]);
            for k in 0..3 {
                for (column, along) in
                    [([t[0][k], t[1][k], t[2][k]], true), ([r[k][0], r[k][1], r[k][2]], false)]
                {
                    let near = |sign: f64| {
                        let mut e = [0.0; 3];
                        e[k] = sign * h;
                        if along {
                            moved(START, core::array::from_fn(|i| d[i] + e[i]))
                        } else {
                            moved(moved(START, e), d)
                        }
                    };
                    BlockKind::Pose.rate(
                        &there,
                        &[0.0, 0.0, 0.0, column[0], column[1], column[2]],
                        &mut rate,
                    );
                    let (a, b) = (near(1.0), near(-1.0));
                    for i in 3..7 {
                        let length = |q: [f64; 7]| q[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
                        let slope = (a[i] / length(a) - b[i] / length(b)) * length(there) / (2.0 * h);
                        assert!((slope - rate[i]).abs() < 1e-8, "{scale} {k} {along}: {slope} {}", rate[i]);
                    }
                }
            }
        }
    }

    #[test]
    fn the_derivative_of_the_rate_of_an_increment_is_that_of_differences() {
        let (w, h) = ([0.3, 1.1, -0.4], 1e-6);
        for scale in [1e-3, 0.05, 0.9, 2.0] {
            let d = [0.4 * scale, -0.7 * scale, 0.3 * scale];
            let by_d = increment_rate_by(d, w).1;
            for k in 0..3 {
                let near = |sign: f64| {
                    let mut e = d;
                    e[k] += sign * h;
                    increment_rate(e, w)
                };
                let (a, b) = (near(1.0), near(-1.0));
                for i in 0..3 {
                    assert!(((a[i] - b[i]) / (2.0 * h) - by_d[i][k]).abs() < 1e-8);
                }
            }
        }
    }
}
