//! Bodies in space that turn: velocities that are not rates of coordinates.
//!
//! The velocity w of a body in space is the angular velocity in its own axes, while a small change
//! d of its configuration is a rotation about them: dw = d' + w x d, dw' = d'' + w x d' + w' x d.
//! With T = [w x] and T' = [w' x] on the rotations of such bodies, zero elsewhere, the equations
//! in d and its true rates are
//!
//! ```text
//! M d'' + (C + M T) d' + (K + C T + M T') d
//! ```
//!
//! which is what `mb-linear` does for one point; here M, C, K and T are series. At rest nothing
//! changes.

use super::capacity::collect;
use crate::storage::Storage;
use crate::{MatrixSeries, MultiIndexSet, ParametricError};
use mb_algebra::{QuadraticPencil, Scatter, Triplets};
use mb_model::{BlockKind, Model, Point};
use mb_scalar::Real;
use mb_scalar::jet::{DynJet, Monomials};

/// [w x] on the rotations of every body in space.
fn crosses<S: Real>(model: &Model, v: &[S]) -> Triplets<S> {
    let mut out = Triplets::new(model.nv(), model.nv());
    let turning = model.coordinates().blocks().iter().filter(|block| block.kind == BlockKind::Pose);
    for i in turning.map(|block| block.v + 3) {
        for k in 0..3 {
            let (a, b) = (i + (k + 1) % 3, i + (k + 2) % 3);
            // Row a of w x d has w_b d_k, row b has -w_a d_k.
            out.add(a, i + k, v[b]);
            out.add(b, i + k, -v[a]);
        }
    }
    out
}

/// M, C + M T, K + C T + M T' and Phi_q of a model at one point.
pub(super) fn at_point<A: Storage>(model: &Model, point: &Point) -> QuadraticPencil<A> {
    let QuadraticPencil { m, c, k, phi_q } = A::of_model(model, point);
    let [rate, change] = [&point.v, &point.a].map(|v| A::from_entries(&crosses(model, v)));
    if [&rate, &change].iter().all(|t| t.norm_max_abs() == 0.0) {
        return QuadraticPencil { m, c, k, phi_q };
    }
    let plus = |a: &A, b: &A| A::sum(1.0, a, 1.0, b);
    let k = plus(&plus(&k, &c.product(&rate)), &m.product(&change));
    QuadraticPencil { c: plus(&c, &m.product(&rate)), m, k, phi_q }
}

/// The same for series.
pub(super) fn series<A: Storage, const CAP: usize>(
    model: &Model,
    point: &Point<DynJet<CAP>>,
    blocks: QuadraticPencil<MatrixSeries<A>>,
    set: &MultiIndexSet,
    table: &'static Monomials,
) -> Result<QuadraticPencil<MatrixSeries<A>>, ParametricError> {
    let [rate, change] = [&point.v, &point.a].map(|v| crosses(model, v));
    let rate: MatrixSeries<A> = collect(&rate, set, table)?;
    let change: MatrixSeries<A> = collect(&change, set, table)?;
    let is_zero = |t: &MatrixSeries<A>| t.coefficients().iter().all(|a| a.norm_max_abs() == 0.0);
    if is_zero(&rate) && is_zero(&change) {
        return Ok(blocks);
    }
    let QuadraticPencil { m, c, k, phi_q } = blocks;
    let k = k.plus_product(&c, &rate)?.plus_product(&m, &change)?;
    let c = c.plus_product(&m, &rate)?;
    Ok(QuadraticPencil { m, c, k, phi_q })
}
