//! The mass of a hexahedron.
//!
//! ```text
//! force on node a    sum over b of m_ab (a_b + alpha v_b) - m_a g
//! m_ab = integral of rho N_a N_b dV,   m_a = integral of rho N_a dV
//! ```
//!
//! Lumped: m_a on the diagonal in place of m_ab. Both hold the mass of the element, the consistent form its moments of
//! inertia too.

use super::super::{Data, Dependence, ElementLaw, Local};
use super::elastic::{BrickShape, MassForm};
use mb_scalar::Lift;
use std::sync::Arc;

/// The mass of one hexahedron, whose eight nodes are its blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct BrickInertia<P = f64> {
    /// The unstressed element; congruent elements share it.
    pub shape: Arc<BrickShape<P>>,
    /// How the mass is spread over the nodes.
    pub form: MassForm,
    /// Damping proportional to mass, 1/s.
    pub alpha: P,
}

impl<P: Data> ElementLaw<P> for BrickInertia<P> {
    fn dependence(&self) -> Dependence {
        Dependence { q: false, v: self.alpha != P::zero(), a: true, u: false }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let damped = self.alpha != P::zero();
        let motion = |i: usize| if damped { at.a[i] + at.v[i].times(self.alpha) } else { at.a[i] };
        for a in 0..8 {
            let weight = self.shape.weight[a];
            for k in 0..3 {
                let mut force = at.gravity[k].times(-weight);
                match self.form {
                    MassForm::Lumped => force += motion(3 * a + k).times(weight),
                    MassForm::Consistent => {
                        for b in 0..8 {
                            force += motion(3 * b + k).times(self.shape.mass[a][b]);
                        }
                    }
                }
                out[3 * a + k] += force;
            }
        }
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let mut sum = S::zero();
        for (x, weight) in at.q.chunks_exact(3).zip(&self.shape.weight) {
            let height = at.gravity[0] * x[0] + at.gravity[1] * x[1] + at.gravity[2] * x[2];
            sum -= height.times(*weight);
        }
        sum
    }
}
