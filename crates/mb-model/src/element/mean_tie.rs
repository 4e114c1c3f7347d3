//! A frame that follows points in the mean: the share of one point.
//!
//! Points x_k with weights w_k of sum one, at Y_k from their mean in the axes of the frame at the start; the frame at x
//! with rotation R is where the sum of w_k |x_k - x - R Y_k|^2 is least:
//!
//! ```text
//! x = sum of w_k x_k,    sum of w_k Y_k x R^T (x_k - x) = 0
//! rows 1 to 3   x - sum of w_k x_k                                          = sum of w_k (x - x_k)
//! rows 4 to 6   -J^-1 sum of w_k Y_k x R^T (x_k - x),   J = sum of w_k (Y_k . Y_k I - Y_k Y_k^T)
//! ```
//!
//! where rows 4 to 6 are computed with the mean at the start in place of x: the sum of w_k Y_k is zero, and what does not
//! depend on x leaves no rounding where K has nothing. The rows are sums over the points, each of which is an element of its own with rows in common, so that a set of many
//! points costs no more than in proportion. Multipliers are force (ground axes) and moment (axes of the frame) on the
//! frame. What they do to the points is force w_k F and the moment's w_k R (J^-1 M x Y_k): together that force and moment
//! exactly, since no rigid motion of points and frame together changes the rows. The points stay free to move against
//! each other (constraint element RBE3 of finite element programs; here for rotations of any size).
//!
//! Fails for points on a line, where J is singular. With deformations as large as the set another rotation may be
//! stationary too.

use super::rotation::{cross, lifted, turned_back};
use super::{Data, ElementLaw, Local, Place};
use mb_scalar::Lift;
use nalgebra::{Matrix3, Vector3};

/// det J below this part of (tr J / 3)^3 is that of points on a line.
const ON_A_LINE: f64 = 1e-12;

/// The share of one point in the six rows that keep a frame in the mean of several.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanTie<P = f64> {
    /// First local configuration index of the frame, a pose.
    frame: usize,
    point: Place<P>,
    weight: P,
    /// w J^-1.
    share: [[P; 3]; 3],
    /// Y, m.
    arm: [P; 3],
    /// The mean at the start, m.
    start: [P; 3],
}

/// Mean of points and their spread about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mean<P> {
    pub(crate) weights: Vec<P>,
    pub(crate) center: [P; 3],
    /// Y_k in the axes of the frame.
    arms: Vec<Vector3<P>>,
    /// J^-1.
    inverse: [[P; 3]; 3],
}

impl<P: Data> Mean<P> {
    /// Of points at `x` with weights in proportion to `weights`, for a frame with Euler parameters `euler`; none for
    /// points on a line.
    pub(crate) fn new(x: &[[P; 3]], weights: &[P], euler: [P; 4]) -> Option<Self> {
        let mut total = P::zero();
        for weight in weights {
            total += *weight;
        }
        let weights: Vec<P> = weights.iter().map(|w| *w / total).collect();
        let mut center = [P::zero(); 3];
        for (x, w) in x.iter().zip(&weights) {
            for (c, x) in center.iter_mut().zip(x) {
                *c += *w * *x;
            }
        }
        let from_center = |x: &[P; 3]| Vector3::from([x[0] - center[0], x[1] - center[1], x[2] - center[2]]);
        let arms: Vec<_> = x.iter().map(|x| turned_back(euler, &from_center(x))).collect();
        let mut j = [[P::zero(); 3]; 3];
        for (y, w) in arms.iter().zip(&weights) {
            let square = y.x * y.x + y.y * y.y + y.z * y.z;
            for a in 0..3 {
                j[a][a] += *w * square;
                for b in 0..3 {
                    j[a][b] -= *w * y[a] * y[b];
                }
            }
        }
        let plain = Matrix3::from_fn(|a, b| j[a][b].value());
        let is_line = plain.determinant() <= ON_A_LINE * (plain.trace() / 3.0).powi(3);
        (!is_line).then(|| Self { weights, center, arms, inverse: inverse(&j) })
    }
    /// The share of each point, whose place is `point(k)`, for a frame at the local configuration index `frame`.
    pub(crate) fn tie(&self, k: usize, frame: usize, point: Place<P>) -> MeanTie<P> {
        let weight = self.weights[k];
        MeanTie {
            frame,
            point,
            weight,
            share: self.inverse.map(|row| row.map(|x| weight * x)),
            arm: self.arms[k].into(),
            start: self.center,
        }
    }
}

/// The inverse of a symmetric matrix.
fn inverse<P: Data>(a: &[[P; 3]; 3]) -> [[P; 3]; 3] {
    let [x, y, z] = a.map(Vector3::from);
    let columns = [cross(&y, &z), cross(&z, &x), cross(&x, &y)];
    let determinant = super::rotation::dot(&x, &columns[0]);
    columns.map(|c| [c.x / determinant, c.y / determinant, c.z / determinant])
}

impl<P: Data> MeanTie<P> {
    /// Whether its point is one of the ground.
    pub(crate) fn is_on_ground(&self) -> bool {
        matches!(self.point, Place::Ground(_))
    }
}

impl<P: Data> ElementLaw<P> for MeanTie<P> {
    fn rows(&self) -> usize {
        6
    }
    fn row_axis(&self, i: usize) -> String {
        ["x", "y", "z", "rotation x", "rotation y", "rotation z"][i].to_owned()
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let i = self.frame;
        let x = self.point.position(at.q);
        let euler = [at.q[i + 3], at.q[i + 4], at.q[i + 5], at.q[i + 6]];
        let turn = cross(&lifted(self.arm), &turned_back(euler, &(x - lifted(self.start))));
        for k in 0..3 {
            out[k] = (at.q[i + k] - x[k]).times(self.weight);
            let [a, b, c] = self.share[k];
            out[3 + k] = -(turn.x.times(a) + turn.y.times(b) + turn.z.times(c));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_is_the_inverse() {
        let a = [[3.0, 0.5, -0.2], [0.5, 2.0, 0.1], [-0.2, 0.1, 4.0]];
        let b = inverse(&a);
        for i in 0..3 {
            for k in 0..3 {
                let product: f64 = (0..3).map(|j| a[i][j] * b[j][k]).sum();
                assert!((product - f64::from(u8::from(i == k))).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn points_on_a_line_have_no_mean_rotation() {
        let line = [[0.0, 0.0, 0.0], [1.0, 2.0, 0.5], [2.0, 4.0, 1.0]];
        let euler = [1.0, 0.0, 0.0, 0.0];
        assert_eq!(Mean::new(&line, &[1.0; 3], euler), None);
        assert_eq!(Mean::new(&line[..1], &[1.0], euler), None);
        let mean = Mean::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[2.0, 1.0, 1.0], euler);
        assert_eq!(mean.map(|m| m.center), Some([0.25, 0.25, 0.0]));
    }
}
