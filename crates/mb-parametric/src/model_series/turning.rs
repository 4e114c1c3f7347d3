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
//! changes. In the frame of a steady motion d = exp(S t) y, so that of these blocks C + 2 M S and K + C S + M S^2 remain.

use super::PointRule;
use super::capacity::collect;
use crate::storage::Storage;
use crate::{MatrixSeries, MultiIndexSet, ParametricError};
use mb_algebra::{QuadraticPencil, Scatter, Triplets};
use mb_model::{BlockKind, Data, Model, Point};
use mb_scalar::jet::{DynJet, Monomials};

/// [w x] on the rotations of every body in space.
fn crosses<S: Data>(model: &Model<S>, v: &[S]) -> Triplets<S> {
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

/// M, C + M T, K + C T + M T' and Phi_q of a model at one point, in the frame of its motion where the rule says that it is steady.
pub(super) fn at_point<A: Storage>(model: &Model, point: &Point, rule: &PointRule) -> QuadraticPencil<A> {
    let mut blocks = A::of_model(model, point);
    let [rate, change] = [&point.v, &point.a].map(|v| A::from_entries(&crosses(model, v)));
    let plus = |a: &A, b: &A| A::sum(1.0, a, 1.0, b);
    if [&rate, &change].iter().any(|t| t.norm_max_abs() > 0.0) {
        let QuadraticPencil { m, c, k, phi_q } = blocks;
        let k = plus(&plus(&k, &c.product(&rate)), &m.product(&change));
        blocks = QuadraticPencil { c: plus(&c, &m.product(&rate)), m, k, phi_q };
    }
    let Some(steady) = rule.steady() else { return blocks };
    let s = A::from_entries(&steady.generator(model, point));
    let QuadraticPencil { m, c, k, phi_q } = blocks;
    let ms = m.product(&s);
    let k = plus(&plus(&k, &c.product(&s)), &ms.product(&s));
    QuadraticPencil { c: A::sum(1.0, &c, 2.0, &ms), m, k, phi_q }
}

/// The same for series.
pub(super) fn series<A: Storage, const CAP: usize>(
    model: &Model<DynJet<CAP>>,
    point: &Point<DynJet<CAP>>,
    rule: &PointRule,
    blocks: QuadraticPencil<MatrixSeries<A>>,
    set: &MultiIndexSet,
    table: &'static Monomials,
) -> Result<QuadraticPencil<MatrixSeries<A>>, ParametricError>
where
    DynJet<CAP>: Data,
{
    let [rate, change] = [&point.v, &point.a].map(|v| crosses(model, v));
    let rate: MatrixSeries<A> = collect(&rate, set, table)?;
    let change: MatrixSeries<A> = collect(&change, set, table)?;
    let is_zero = |t: &MatrixSeries<A>| t.coefficients().iter().all(|a| a.norm_max_abs() == 0.0);
    let QuadraticPencil { m, mut c, mut k, phi_q } = blocks;
    if !(is_zero(&rate) && is_zero(&change)) {
        k = k.plus_product(&c, &rate)?.plus_product(&m, &change)?;
        c = c.plus_product(&m, &rate)?;
    }
    if let Some(steady) = rule.steady() {
        let s: MatrixSeries<A> = collect(&steady.generator(model, point), set, table)?;
        let nothing = A::zero(m.nrows(), m.ncols());
        let ms = MatrixSeries::constant(set.clone(), &nothing)?.plus_product(&m, &s)?;
        k = k.plus_product(&c, &s)?.plus_product(&ms, &s)?;
        c = c.plus_product(&m, &s)?.plus_product(&m, &s)?;
    }
    Ok(QuadraticPencil { m, c, k, phi_q })
}
