//! Loads on faces of solids.
//!
//! ```text
//! dead       force on node a = magnitude d A_a,   A_a = integral of N_a dA_0 over the unstressed face
//! pressure   force on node a = -p integral of N_a (dx/dxi x dx/deta) dxi deta,  of the face as it is
//! ```
//!
//! A pressure follows the face; its stiffness is the derivative of this integral, which 2 x 2 points give exactly.

use super::brick::natural::{POINT, dot};
use super::force::amount;
use super::rotation::cross;
use super::{Data, Dependence, ElementLaw, Local};
use crate::law::TimeLaw;
use mb_scalar::{Lift, Real};
use nalgebra::Vector3;

/// What acts on a face.
#[derive(Clone, Debug, PartialEq)]
pub enum Traction<P = f64> {
    /// Of constant direction in the ground.
    Dead {
        /// Force per unstressed area and unit of magnitude, Pa.
        direction: [P; 3],
        /// The parts A_a of the unstressed area, m^2.
        areas: [P; 4],
    },
    /// Against the outward normal; a unit of magnitude is 1 Pa.
    Pressure,
}

/// A load on a face with four nodes, anticlockwise seen from outside, which are its blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceLoad<P = f64> {
    /// What acts.
    pub traction: Traction<P>,
    /// How strongly, as a function of time.
    pub magnitude: TimeLaw<P>,
    /// True when an input adds to the magnitude.
    pub has_input: bool,
}

/// Signs of the natural coordinates of the nodes.
const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// Shape functions of the nodes and dx/dxi x dx/deta at the four points.
fn at_points<S: Real>(x: &[S]) -> [([f64; 4], Vector3<S>); 4] {
    CORNERS.map(|at| {
        let (xi, eta) = (POINT * at[0], POINT * at[1]);
        let zero = Vector3::from([S::zero(); 3]);
        let (mut along_xi, mut along_eta) = (zero, zero);
        for (a, c) in CORNERS.iter().enumerate() {
            let x = Vector3::new(x[3 * a], x[3 * a + 1], x[3 * a + 2]);
            along_xi += x.map(|x| x.scale(0.25 * c[0] * (1.0 + c[1] * eta)));
            along_eta += x.map(|x| x.scale(0.25 * c[1] * (1.0 + c[0] * xi)));
        }
        (CORNERS.map(|c| 0.25 * (1.0 + c[0] * xi) * (1.0 + c[1] * eta)), cross(&along_xi, &along_eta))
    })
}

/// The parts of the area of a face that belong to its nodes, m^2; `x` has its four nodes.
pub(crate) fn areas<P: Data>(x: &[[P; 3]; 4]) -> [P; 4] {
    let mut out = [P::zero(); 4];
    for (n, normal) in at_points(x.as_flattened()) {
        let normal: [P; 3] = normal.into();
        let area = dot(&normal, &normal).sqrt();
        for (out, n) in out.iter_mut().zip(n) {
            *out += area.scale(n);
        }
    }
    out
}

impl<P: Data> ElementLaw<P> for FaceLoad<P> {
    fn inputs(&self) -> usize {
        usize::from(self.has_input)
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: self.traction == Traction::Pressure, v: false, a: false, u: self.has_input }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let magnitude = amount(&self.magnitude, self.has_input, at);
        match &self.traction {
            Traction::Dead { direction, areas } => {
                for (a, area) in areas.iter().enumerate() {
                    for (k, d) in direction.iter().enumerate() {
                        out[3 * a + k] -= magnitude.times(*d * *area);
                    }
                }
            }
            Traction::Pressure => {
                for (n, normal) in at_points(at.q) {
                    for (a, n) in n.iter().enumerate() {
                        for k in 0..3 {
                            out[3 * a + k] += (normal[k] * magnitude).scale(*n);
                        }
                    }
                }
            }
        }
    }
}
