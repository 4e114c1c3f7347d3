//! The elastic forces of a hexahedron.
//!
//! ```text
//! e = numbers(x) - numbers(X),   V = 1/2 e^T H e,   force on the nodes = (de/dx)^T H (e + beta e')
//! ```
//!
//! Damping proportional to stiffness, `beta`, works on the rates of strain, which no rigid motion makes.

use super::super::{Data, Dependence, ElementLaw, Local, Place};
use super::component::{Beside, Component};
use super::elastic::BrickShape;
use super::natural::{FACES, Gradients, STRAINS, node_at, volume};
use crate::outline::Stroke;
use mb_scalar::Lift;
use std::sync::Arc;

/// The elastic forces of one hexahedron, whose eight nodes are its blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct BrickStrain<P = f64> {
    /// The unstressed element; congruent elements share it.
    pub shape: Arc<BrickShape<P>>,
    /// Damping proportional to stiffness, s.
    pub beta: P,
    /// Its number in the mesh.
    pub number: usize,
    /// Which of its faces (xi = -1, 1, eta = -1, 1, zeta = -1, 1) bound the solid: those are drawn.
    pub outside: [bool; 6],
}

#[expect(clippy::inline_always, reason = "what is compiled for a processor must be in one piece")]
impl<P: Data> BrickStrain<P> {
    #[inline(always)]
    fn strains<T: Component<Product: Beside<P>>>(&self, gradients: &Gradients<T>) -> [T::Product; STRAINS] {
        let mut e = gradients.numbers();
        for (e, natural) in e.iter_mut().zip(&self.shape.natural) {
            *e = e.less(*natural);
        }
        e
    }
    /// Adds the forces on the nodes to `out`, for nodes at `q` with velocities `v` (24 numbers each).
    #[inline(always)]
    pub(crate) fn forces<T: Component<Product: Beside<P>>>(&self, q: &[T], v: &[T], out: &mut [T::Product]) {
        let gradients = Gradients::new(q);
        let mut e = self.strains(&gradients);
        if self.beta != P::zero() {
            let rates = gradients.rates(&Gradients::new(v));
            for (e, rate) in e.iter_mut().zip(rates) {
                *e += rate.times(self.beta);
            }
        }
        gradients.spread(&self.shape.elastic.times(&e), out);
    }
}

impl BrickStrain {
    /// The smallest det F of the integration points, with the node next to it (0 to 7), for nodes at `q` (24 numbers, m).
    pub fn smallest_volume_ratio(&self, q: &[f64]) -> (usize, f64) {
        let gradients = Gradients::new(q);
        let at = |g: usize| {
            let (now, before) = (gradients.volume(g), volume(&self.shape.natural, g));
            (node_at(g), now / before)
        };
        (1..8)
            .map(at)
            .fold(at(0), |least, next| if next.1.total_cmp(&least.1).is_lt() { next } else { least })
    }
}

impl<P: Data> ElementLaw<P> for BrickStrain<P> {
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: self.beta != P::zero(), a: false, u: false }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        self.forces(at.q, at.v, out);
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let e = self.strains(&Gradients::new(at.q));
        let mut sum = S::zero();
        for (e, s) in e.iter().zip(self.shape.elastic.times(&e)) {
            sum += *e * s;
        }
        sum.scale(0.5)
    }
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        let corner = |k: usize| Place::SpatialPoint { q: 3 * k, v: 3 * k };
        let faces = FACES.iter().zip(self.outside).filter(|(_, outside)| *outside);
        let corners: Vec<_> = faces.flat_map(|(face, _)| face.map(corner)).collect();
        (!corners.is_empty()).then_some((Stroke::Faces, corners))
    }
}
