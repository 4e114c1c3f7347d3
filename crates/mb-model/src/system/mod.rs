//! Equations of motion of a model and their exact derivatives.
//!
//! ```text
//! r = M(q) a + Phi_q^T lambda + A^T mu - f(q, v, t, u) = 0,    Phi(q, t) = 0,    A(q, t) v + b(q, t) = 0
//! ```
//!
//! Every block below is a sum over elements of derivatives of the element's residual and
//! constraint functions, found by sweeps of dual numbers over the element's own coordinates;
//! derivatives by the configuration are taken along the tangent, q (+) d. The constraint
//! reaction Phi_q^T lambda is never written by an element: it is the derivative of
//! lambda . Phi, so its stiffness d(Phi_q^T lambda)/dq is always complete.
//!
//! All functions panic when the sizes of the point are not those of the model; use
//! [`Model::initial_point`] as the pattern.

mod bricks;
mod columns;
mod constraints;
mod elements;
mod energy;
mod falls;
mod force_scale;
mod lanes;
mod linearized;
mod links;
mod loads;
mod matrices;
mod mesh;
mod motion;
mod neighbours;
mod output;
mod parts;
mod rates;
mod reaction;
mod regions;
mod residual;
mod stepping;
mod strainless;
mod sweep;
mod turns;
mod velocity_rows;
mod workers;

pub use energy::Energies;
pub use falls::Fall;
pub use linearized::{Blocks, LinearizedBlocks};
pub use motion::MotionTerms;
pub use output::OutputMatrices;
pub use reaction::Wrench;
pub use stepping::SteppingTerms;
pub use turns::Turn;

use crate::element::Data;
use crate::model::{Member, Model};
use mb_algebra::{Triplets, interrupt};
use rayon::prelude::*;

/// Below this number of elements one thread is faster than sharing out the work.
const PARALLEL_FROM: usize = 4096;

/// Members after which work looks whether it is to end: with jets of many terms one takes milliseconds.
const LOOK_EVERY: usize = 8;

/// The members of a long loop, which an interrupt ends.
fn looked_after<T>(members: &[T]) -> impl Iterator<Item = &T> {
    members.chunks(LOOK_EVERY).flat_map(|some| {
        interrupt::check();
        some
    })
}

impl<P: Data> Model<P> {
    /// What elements say one after the other, in their order; large models use all cores.
    fn numbers<F>(&self, each: F) -> impl Iterator<Item = P> + use<P, F>
    where
        F: Fn(&mut sweep::Scratch<P>, &Member<P>, &mut Vec<P>) + Sync,
    {
        let part = |members: &[Member<P>]| {
            let (mut scratch, mut out) = (sweep::Scratch::default(), Vec::new());
            for m in looked_after(members) {
                each(&mut scratch, m, &mut out);
            }
            out
        };
        self.in_parts(part).into_iter().flatten()
    }
    /// What is made of consecutive elements, in their order whatever the number of threads; large models use all cores.
    fn in_parts<R: Send>(&self, part: impl Fn(&[Member<P>]) -> R + Sync) -> Vec<R> {
        if self.members().len() < PARALLEL_FROM {
            return vec![part(self.members())];
        }
        let scope = interrupt::scope_here();
        self.members().par_chunks(PARALLEL_FROM / 4).map(|some| scope.enter(|| part(some))).collect()
    }
    /// Collects the triplets of every element, in the order of the elements whatever the
    /// number of threads.
    fn collect(
        &self,
        rows: usize,
        cols: usize,
        each: impl Fn(&mut sweep::Scratch<P>, &Member<P>, &mut Triplets<P>) + Sync,
    ) -> Triplets<P> {
        let part = |members: &[Member<P>]| {
            let mut scratch = sweep::Scratch::default();
            let mut out = Triplets::with_capacity(rows, cols, 8 * members.len());
            for m in looked_after(members) {
                each(&mut scratch, m, &mut out);
            }
            out
        };
        let parts = self.in_parts(part);
        let mut out = Triplets::with_capacity(rows, cols, parts.iter().map(Triplets::len).sum());
        for p in parts {
            out.append(p);
        }
        out
    }
}
