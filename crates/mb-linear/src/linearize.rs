//! Linearization at an operating point: the exact blocks all formulations start from.
//!
//! ```text
//! M da + C dv + K dq + Phi_q^T dlambda = F du,   Phi_q dq = 0
//! ```
//!
//! with K = d(M a)/dq + d(Phi_q^T lambda)/dq - df/dq, C = -df/dv. Where bodies in space turn,
//! angular velocities are not rates of coordinates; the blocks then hold for the changes of the
//! coordinates and their true rates (see the module `turning`), so that C and K have more terms
//! than the model's own derivatives. In steady motion the changes are seen from the frame that moves along with the
//! generator S (module `steady`), dq = exp(S t) y, where the blocks are constant:
//!
//! ```text
//! M y'' + (C + 2 M S) y' + (K + C S + M S^2) y + Phi_q^T dlambda = F du,   Phi_q y = 0
//! ```
//!
//! With velocity rows A v + b = 0 it is the system on the admissible velocities (module `velocity_rows`), of the same form.
//!
//! Paper: [gonzalez2017] Eqs. (7)-(10).
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use crate::entries;
use crate::point::OperatingPoint;
use crate::steady::{Generator, SteadyMotion};
use crate::turning::Turning;
use crate::velocity_rows::Admissible;
use mb_algebra::{Dense, QuadraticPencil, Sparse, StiffnessParts, dense, sparse, to_sparse};
use mb_model::system::Blocks;
use mb_model::{Model, Point};

/// The blocks of the linearized equations of motion.
#[derive(Clone, Debug)]
pub struct LinearizedSystem<A = Dense> {
    /// Mass matrix M, n x n.
    pub m: A,
    /// Damping matrix C, n x n.
    pub c: A,
    /// Stiffness matrix K with the constraint-reaction stiffness, n x n.
    pub k: A,
    /// K as a sum whose large part is exact, where elements separate such a part (flexible links) and storage is sparse.
    pub k_parts: Option<StiffnessParts<A>>,
    /// Constraint Jacobian Phi_q, m x n.
    pub phi_q: A,
    /// Input matrix F, n x inputs.
    pub f: A,
}

/// A linearized system with sparse blocks.
pub type SparseSystem = LinearizedSystem<Sparse>;

impl LinearizedSystem<Dense> {
    /// Number of velocities n.
    pub fn n(&self) -> usize {
        self.m.nrows()
    }
    /// Number of constraint rows m.
    pub fn constraints(&self) -> usize {
        self.phi_q.nrows()
    }
    /// (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0.
    pub fn pencil(&self) -> QuadraticPencil<Dense> {
        QuadraticPencil { m: self.m.clone(), c: self.c.clone(), k: self.k.clone(), phi_q: self.phi_q.clone() }
    }
}

impl LinearizedSystem<Sparse> {
    /// (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0.
    pub fn pencil(&self) -> QuadraticPencil<Sparse> {
        QuadraticPencil { m: self.m.clone(), c: self.c.clone(), k: self.k.clone(), phi_q: self.phi_q.clone() }
    }
    /// The same with the parts of K, without copies: the matrices of a large model are most of its memory.
    pub fn into_pencil(self) -> (QuadraticPencil<Sparse>, Option<StiffnessParts>) {
        let Self { m, c, k, k_parts, phi_q, .. } = self;
        (QuadraticPencil { m, c, k, phi_q }, k_parts)
    }
}

/// Linearizes at rest or in steady motion, with dense blocks.
///
/// Rounding of K leaves zeros of what can be ignored in motion at the square root of rounding; [`SteadyMotion::freed`] takes that out.
pub fn linearize(model: &Model, at: &OperatingPoint) -> LinearizedSystem<Dense> {
    let point = at.point();
    if model.has_velocity_rows() {
        return on_admissible_velocities(model, at, None);
    }
    let Blocks { m, mut c, mut k, phi_q } = model.dense_blocks(point);
    if let Some(turning) = Turning::new(model, point) {
        (c, k) = turning.applied(&m, c, k);
    }
    if let Some(motion) = at.steady().filter(|motion| !motion.generator().is_zero()) {
        let s = motion.generator().sparse();
        let ms = dense::add_mul_sparse(Dense::zeros(m.nrows(), m.ncols()), 1.0, &m, &s);
        k = dense::add_mul_sparse(dense::add_mul_sparse(k, 1.0, &c, &s), 1.0, &ms, &s);
        c = dense::add_mul_sparse(c, 2.0, &m, &s);
    }
    let [m, c, k, phi_q] = [m, c, k, phi_q].map(entries::dense);
    LinearizedSystem { m, c, k, k_parts: None, phi_q, f: inputs(model, point) }
}

/// The blocks of one of a family of steady motions: dense ones made sparse where it is small. Rows of velocities take the same `weight` in
/// all of them.
pub(crate) fn pencil_of_family(
    model: &Model,
    at: &OperatingPoint,
    dense: bool,
    weight: Option<f64>,
) -> QuadraticPencil<Sparse> {
    let LinearizedSystem { m, c, k, phi_q, .. } = if model.has_velocity_rows() {
        on_admissible_velocities(model, at, weight)
    } else if dense {
        let lin = linearize(model, at);
        match at.steady() {
            Some(motion) => motion.freed(model, lin).0,
            None => lin,
        }
    } else {
        return linearize_sparse(model, at).into_pencil().0;
    };
    let [m, c, k, phi_q] = [m, c, k, phi_q].map(|x| to_sparse(&x));
    QuadraticPencil { m, c, k, phi_q }
}

/// With velocity rows: on the manifold of admissible velocities, where Phi_q is that of the position rows alone.
fn on_admissible_velocities(
    model: &Model,
    at: &OperatingPoint,
    weight: Option<f64>,
) -> LinearizedSystem<Dense> {
    let point = at.point();
    let f = inputs(model, point);
    let known = at.steady().and_then(SteadyMotion::system);
    let reduced =
        match known.filter(|system| weight.is_none_or(|weight| weight.total_cmp(&system.weight).is_eq())) {
            Some(system) => Ok(system.clone()),
            None => Admissible::new(model, point, at.steady().map(SteadyMotion::generator), weight),
        };
    if let Ok(Admissible { blocks: [m, c, k], phi_q, forces, .. }) = reduced {
        return LinearizedSystem { m, c, k, k_parts: None, phi_q, f: dense::mul(&forces, &f) };
    }
    // It has entries that are not finite, which every solver refuses by name.
    let Blocks { m, c, k, phi_q } = model.dense_blocks(point);
    LinearizedSystem { m, c, k, k_parts: None, phi_q, f }
}

/// F, n x inputs.
pub(crate) fn inputs(model: &Model, point: &Point) -> Dense {
    if model.inputs().is_empty() { Dense::zeros(model.nv(), 0) } else { model.input_matrix(point).to_dense() }
}

/// Linearizes at rest or in steady motion, with sparse blocks: time and memory linear in the elements.
pub fn linearize_sparse(model: &Model, at: &OperatingPoint) -> SparseSystem {
    let point = at.point();
    if model.has_velocity_rows() {
        let LinearizedSystem { m, c, k, phi_q, f, .. } = on_admissible_velocities(model, at, None);
        let [m, c, k, phi_q, f] = [m, c, k, phi_q, f].map(|x| to_sparse(&x));
        return LinearizedSystem { m, c, k, k_parts: None, phi_q, f };
    }
    let (Blocks { m, c, k, phi_q }, k_parts) = model.blocks_in_parts(point);
    let f = model.input_matrix(point).to_sparse();
    let zero = |s: &Generator| s.is_zero();
    let generator = at.steady().map(SteadyMotion::generator);
    if Turning::new(model, point).is_none() && generator.is_none_or(zero) {
        let [m, c, k, phi_q] = [m, c, k, phi_q].map(entries::sparse);
        return LinearizedSystem { m, c, k, k_parts, phi_q, f };
    }
    let none;
    let generator = if let Some(generator) = generator {
        generator
    } else {
        none = Generator::zero(model);
        &none
    };
    let [c, k] = in_frame(model, point, generator, [&m, &c, &k]);
    let [m, c, k, phi_q] = [m, c, k, phi_q].map(entries::sparse);
    LinearizedSystem { m, c, k, k_parts: None, phi_q, f }
}

/// C + 2 M S and K + C S + M S^2 of the model's own M, C, K, with the terms of bodies in space that turn.
pub(crate) fn in_frame(model: &Model, point: &Point, s: &Generator, [m, c, k]: [&Sparse; 3]) -> [Sparse; 2] {
    let (mut c, mut k) = (c.clone(), k.clone());
    if let Some(turning) = Turning::new(model, point) {
        (c, k) = turning.applied_sparse(m, &c, &k);
    }
    if !s.is_zero() {
        let s = s.sparse();
        let (ms, cs) = (sparse::mul(m, &s), sparse::mul(&c, &s));
        k = sparse::add(1.0, &sparse::add(1.0, &k, 1.0, &cs), 1.0, &sparse::mul(&ms, &s));
        c = sparse::add(1.0, &c, 2.0, &ms);
    }
    [c, k]
}
