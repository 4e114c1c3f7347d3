//! Velocity fields that strain nothing: what can be free of stiffness at an unloaded point, known from the geometry.
//!
//! ```text
//! K = sum of K_e,  K_e >= 0:   x^T K x = 0  only if  x^T K_e x = 0 for every element
//! ```
//!
//! A beam or solid element without stress gives energy to every motion but the six rigid ones of its nodes, so that elements
//! which share a node move as one rigid body, and not at all where one of them is held by the ground. The entries of an assembled K
//! may hide the soft modes of a slender or thin structure below their last places; this decision looks at no entry of K.

use super::sweep::{D1, Frame, outer};
use crate::coordinates::{Block, BlockId, BlockKind};
use crate::element::Element;
use crate::element::rotation::turned_back;
use crate::model::{Member, Model};
use crate::state::Point;
use mb_algebra::{Dense, Scatter, Sparse, SymmetricEigen, Triplets, dense, norms};
use nalgebra::Vector3;

/// Change of the configuration, relative to its largest number, whose forces are rounding: of a few operations in each.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
/// Asymmetry and negative eigenvalues of an element's stiffness, relative to its largest entry, that are rounding.
const SEMIDEFINITE: f64 = 1e-12;
/// Eigenvalues of an element's stiffness in even units, relative to its largest entry, from which on their vectors are known to ten digits.
const STRAINED: f64 = 1e-4;

impl Model<f64> {
    /// A basis Z, n x k, of the velocities that strain no beam and no solid: all with K x = 0 are among them.
    ///
    /// Rotations are about the middle of a body and scaled by its size, in m. None where that cannot be said: in motion; where an
    /// element is loaded, or its stiffness is not positive semi-definite; with nodes that are no points or frames in space.
    pub fn strainless(&self, point: &Point) -> Option<Sparse> {
        let still = |v: &[f64]| v.iter().all(|v| *v == 0.0);
        if !still(&point.v) || !still(&point.a) || self.has_velocity_rows() {
            return None;
        }
        let bodies = self.stiff_bodies()?;
        let columns: usize = bodies.iter().map(|body| body.freedom(self)).sum();
        if !self.members().iter().all(|m| self.is_passive(m, point)) {
            return None;
        }
        let mut z = Triplets::new(self.nv(), columns);
        let mut first = 0;
        for body in &bodies {
            body.fields(self, &point.q, first, &mut z);
            first += body.freedom(self);
        }
        Some(z.to_sparse())
    }

    /// Rows G, any x n, of the strains of all elements but beams and solids, of the size of one each: K x = 0 at an unloaded point where no
    /// stiffness is negative if and only if beams and solids are not strained and G x = 0.
    ///
    /// ```text
    /// D K_e D = sum of l_i g_i g_i^T,   rows g_i^T D^-1
    /// ```
    ///
    /// None where rounding leaves the rank of an element's stiffness open. For points of which [`Self::strainless`] says something.
    pub fn strain_rows(&self, point: &Point) -> Option<Sparse> {
        let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
        for m in self.members() {
            if matches!(m.element, Element::BeamStrain(_) | Element::BrickStrain(_))
                || !m.element.dependence().q
            {
                continue;
            }
            let k = self.stiffness_of(m, point);
            if norms::max_abs(&k) == 0.0 {
                continue;
            }
            let d = evening(&k);
            let even = Dense::from_fn(k.nrows(), k.ncols(), |i, j| d[i] * k[(i, j)] * d[j]);
            let eigen = SymmetricEigen::new(&dense::symmetric_part(&even)).ok()?;
            let largest = norms::max_abs(&even);
            for (i, value) in eigen.values.iter().enumerate().filter(|(_, v)| **v > SEMIDEFINITE * largest) {
                if *value < STRAINED * largest {
                    return None;
                }
                let row = m.wires.v_index.iter().zip(eigen.vectors.col_as_slice(i)).zip(&d);
                rows.push(row.map(|((v, g), d)| (*v, g / d)).collect());
            }
        }
        let mut out = Triplets::new(rows.len(), self.nv());
        for (i, row) in rows.iter().enumerate() {
            for (j, value) in row {
                out.add(i, *j, *value);
            }
        }
        Some(out.to_sparse())
    }

    /// Blocks that beams and solids make one body, and all others alone; none for nodes that are no points or frames in space.
    fn stiff_bodies(&self) -> Option<Vec<StiffBody>> {
        let blocks = self.coordinates().blocks();
        let mut parent: Vec<usize> = (0..blocks.len()).collect();
        let mut elastic = vec![false; blocks.len()];
        let mut held = vec![false; blocks.len()];
        for m in self.members() {
            let on_ground = match &m.element {
                Element::BeamStrain(beam) if beam.resists_all_strains() => beam.is_on_ground(),
                Element::BrickStrain(_) => false,
                _ => continue,
            };
            for id in &m.wires.blocks {
                if !matches!(blocks[id.0].kind, BlockKind::SpatialPoint | BlockKind::Pose) {
                    return None;
                }
                elastic[id.0] = true;
                held[id.0] |= on_ground;
                let (a, b) = (root(&mut parent, m.wires.blocks[0].0), root(&mut parent, id.0));
                parent[a.max(b)] = a.min(b);
            }
        }
        let mut of_root = vec![usize::MAX; blocks.len()];
        let mut out: Vec<StiffBody> = Vec::new();
        for i in 0..blocks.len() {
            let top = root(&mut parent, i);
            if of_root[top] == usize::MAX {
                of_root[top] = out.len();
                out.push(StiffBody { elastic: elastic[i], held: false, blocks: Vec::new() });
            }
            let body = &mut out[of_root[top]];
            body.held |= held[i];
            body.blocks.push(BlockId(i));
        }
        Some(out)
    }

    /// Whether no element exerts a force at a point, but for what rounding of the configuration does.
    ///
    /// With gravity the answer is no: a weight may be less than the rounding of a very stiff element's force, and is none the less
    /// carried by its support.
    pub fn is_unloaded(&self, point: &Point) -> bool {
        self.gravity.iter().all(|g| *g == 0.0) && self.members().iter().all(|m| self.exerts_nothing(m, point))
    }

    /// Whether an element exerts no force here, and has no stiffness that could take energy from others.
    fn is_passive(&self, m: &Member<f64>, point: &Point) -> bool {
        self.exerts_nothing(m, point)
            && (matches!(m.element, Element::BeamStrain(_) | Element::BrickStrain(_))
                || !m.element.dependence().q
                || is_semidefinite(&self.stiffness_of(m, point)))
    }

    /// Whether an element exerts no force here beyond rounding.
    fn exerts_nothing(&self, m: &Member<f64>, point: &Point) -> bool {
        let mut frame = Frame::<f64>::default();
        frame.gather(&m.wires, point, self.gravity);
        frame.residual(m);
        let force = norms::max_abs_vec(&frame.out);
        if force > 0.0 {
            // What rounding of the configuration does is no load.
            let largest = norms::max_abs_vec(&frame.q);
            // Sines and cosines of an angle that is zero are rounded too.
            let kinds = m.wires.blocks.iter().map(|id| self.coordinates().block(*id).kind);
            let sizes = kinds.flat_map(|kind| {
                let turns = move |i| kind == BlockKind::Angle || (kind == BlockKind::PlanarPose && i == 2);
                (0..kind.nq()).map(move |i| if turns(i) { largest.max(1.0) } else { largest })
            });
            for (i, (q, size)) in frame.q.iter_mut().zip(sizes).enumerate() {
                // No rigid motion, which would strain nothing.
                *q += ROUNDING * size * (((7 * i + 3) % 11) as f64 / 5.0 - 1.0);
            }
            let before = std::mem::take(&mut frame.out);
            frame.residual(m);
            let change = before.iter().zip(&frame.out).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
            if force > change {
                return false;
            }
        }
        true
    }

    /// The stiffness of an element at rest, by its local velocities.
    fn stiffness_of(&self, m: &Member<f64>, point: &Point) -> Dense {
        let n = m.wires.v_index.len();
        let mut out = Dense::zeros(n, n);
        let mut frame = Frame::<D1<f64>>::default();
        for j in 0..n {
            frame.gather(&m.wires, point, self.gravity);
            frame.step(&m.wires, self.coordinates(), j, outer::<f64>());
            frame.residual(m);
            out.col_as_slice_mut(j).iter_mut().zip(&frame.out).for_each(|(k, r)| *k = r.eps);
        }
        out
    }
}

/// The representative of a set, with the ways to it made shorter.
pub(super) fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

fn is_semidefinite(k: &Dense) -> bool {
    let largest = norms::max_abs(k);
    if largest == 0.0 {
        return true;
    }
    let d = evening(k);
    let even = Dense::from_fn(k.nrows(), k.ncols(), |i, j| d[i] * k[(i, j)] * d[j]);
    let definite = |e: SymmetricEigen| e.values.iter().all(|v| *v >= -SEMIDEFINITE * norms::max_abs(&even));
    dense::is_symmetric(&even, SEMIDEFINITE).is_ok()
        && SymmetricEigen::new(&dense::symmetric_part(&even)).is_ok_and(definite)
}

/// D of D K D with displacements and rotations in one size.
fn evening(k: &Dense) -> Vec<f64> {
    let least = f64::EPSILON * norms::max_abs(k);
    (0..k.nrows()).map(|i| k[(i, i)].abs().max(least).sqrt().recip()).collect()
}

/// Blocks that can only move as one rigid body, or one block alone.
struct StiffBody {
    elastic: bool,
    held: bool,
    blocks: Vec<BlockId>,
}

impl StiffBody {
    /// Columns of Z.
    fn freedom(&self, model: &Model<f64>) -> usize {
        match (self.elastic, self.held) {
            (true, true) => 0,
            (true, false) => 6,
            (false, _) => self.blocks.iter().map(|id| model.coordinates().block(*id).kind.nv()).sum(),
        }
    }

    /// Adds its columns, from `first` on.
    fn fields(&self, model: &Model<f64>, q: &[f64], first: usize, z: &mut Triplets) {
        let block = |id: &BlockId| model.coordinates().block(*id);
        if !self.elastic {
            let rows = self.blocks.iter().flat_map(|id| (0..block(id).kind.nv()).map(|i| block(id).v + i));
            rows.enumerate().for_each(|(j, row)| z.add(row, first + j, 1.0));
            return;
        }
        if self.held {
            return;
        }
        let place = |b: &Block| Vector3::new(q[b.q], q[b.q + 1], q[b.q + 2]);
        let sum = self.blocks.iter().fold(Vector3::zeros(), |sum: Vector3<f64>, id| sum + place(block(id)));
        let middle = sum / self.blocks.len() as f64;
        let size = self.blocks.iter().fold(0.0_f64, |size, id| size.max((place(block(id)) - middle).norm()));
        let size = if size > 0.0 { size } else { 1.0 };
        for b in self.blocks.iter().map(block) {
            for i in 0..3 {
                z.add(b.v + i, first + i, 1.0);
                let axis = Vector3::from_fn(|k, _| if k == i { size.recip() } else { 0.0 });
                let velocity = axis.cross(&(place(b) - middle));
                (0..3).for_each(|k| z.add(b.v + k, first + 3 + i, velocity[k]));
                if b.kind == BlockKind::Pose {
                    let euler = [q[b.q + 3], q[b.q + 4], q[b.q + 5], q[b.q + 6]];
                    let spin = turned_back(euler, &axis);
                    (0..3).for_each(|k| z.add(b.v + 3 + k, first + 3 + i, spin[k]));
                }
            }
        }
    }
}
