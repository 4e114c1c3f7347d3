//! All blocks of the linearization in one pass over the elements.

use super::PARALLEL_FROM;
use super::bricks::{brick, inertia};
use super::columns::{Collect, ColumnSums, Columns};
use super::lanes::Room;
use super::matrices::By;
use super::mesh::Meshed;
use super::neighbours::Finding;
use super::regions::{Region, Regions};
use super::sweep::Scratch;
use super::workers::share_out;
use crate::element::Data;
use crate::model::{Member, Model};
use crate::state::Point;
use mb_algebra::{Dense, Scatter, Sparse, Triplets, interrupt};
use std::convert::Infallible;
use std::ops::Range;

/// M, C, K (nv x nv) and Phi_q (nc x nv) at one point.
///
/// ```text
/// M da + C dv + K dq + Phi_q^T dlambda = F du,   Phi_q dq = 0
/// ```
#[derive(Clone, Debug)]
pub struct Blocks<A> {
    /// Mass matrix.
    pub m: A,
    /// Damping matrix.
    pub c: A,
    /// Stiffness matrix with the constraint-reaction stiffness.
    pub k: A,
    /// Constraint Jacobian.
    pub phi_q: A,
}

/// The blocks as sparse matrices.
pub type LinearizedBlocks = Blocks<Sparse>;

/// Which blocks are wanted.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Wanted {
    All,
    /// All, but of the constant forms that elements distinguish K has only what multiples of `grid` leave of their
    /// entries.
    Parts {
        grid: f64,
    },
    /// M and K.
    Inertia,
    /// K and Phi_q.
    Statics,
}

impl Model<f64> {
    /// The blocks as sparse matrices; time and memory linear in the number of elements.
    pub fn blocks(&self, point: &Point) -> LinearizedBlocks {
        self.sparse_blocks(Wanted::All, point)
    }
    /// K and Phi_q alone, as [`Self::blocks`] has them: all that statics needs, for less than half the time.
    pub fn static_blocks(&self, point: &Point) -> (Sparse, Sparse) {
        let blocks = self.sparse_blocks(Wanted::Statics, point);
        (blocks.k, blocks.phi_q)
    }
    /// The blocks of one range of columns after the other, in their order, for which memory is that of a few regions: M, C and K n x width,
    /// Phi_q m x width.
    ///
    /// # Errors
    /// Those of `take`, which end it.
    pub fn blocks_by_columns<E>(
        &self,
        point: &Point,
        take: impl FnMut(LinearizedBlocks) -> Result<(), E>,
    ) -> Result<(), E> {
        self.blocks_in_turn(Wanted::All, point, take)
    }
    /// K and Phi_q alone, in the same way.
    pub fn static_blocks_by_columns(&self, point: &Point, mut take: impl FnMut(&Sparse, &Sparse)) {
        let taken = self.blocks_in_turn(Wanted::Statics, point, |blocks| {
            take(&blocks.k, &blocks.phi_q);
            Ok::<(), Infallible>(())
        });
        match taken {
            Ok(()) => {}
        }
    }
    fn blocks_in_turn<E>(
        &self,
        wanted: Wanted,
        point: &Point,
        mut take: impl FnMut(LinearizedBlocks) -> Result<(), E>,
    ) -> Result<(), E> {
        let at_once = 2 * rayon::current_num_threads();
        for regions in self.regions(wanted).all().chunks(at_once) {
            take(self.blocks_of_regions(wanted, point, regions.to_vec()))?;
        }
        Ok(())
    }
    /// The wanted blocks; those not wanted have no entries. Large models use all cores, one region of columns each.
    pub(super) fn sparse_blocks(&self, wanted: Wanted, point: &Point) -> LinearizedBlocks {
        self.blocks_of_regions(wanted, point, self.regions(wanted).all())
    }
    fn regions(&self, wanted: Wanted) -> Regions {
        if self.members().len() < PARALLEL_FROM {
            return Regions::one(self);
        }
        // Statics knows nothing of mass.
        let still = |m: &Member| m.rows == 0 && !m.element.dependence().q;
        Regions::of(self, |m| wanted != Wanted::Statics || !still(m))
    }
    /// The columns of consecutive regions.
    fn blocks_of_regions(&self, wanted: Wanted, point: &Point, regions: Vec<Region<'_>>) -> LinearizedBlocks {
        let (n, m) = (self.nv(), self.nc());
        let (with_m, with_c) =
            (wanted != Wanted::Statics, matches!(wanted, Wanted::All | Wanted::Parts { .. }));
        let one = |room: &mut Assembling, region: Region<'_>| {
            room.begin(n, m, region.columns.clone());
            let others = region.members.iter().map(|k| &self.members()[*k]);
            let others = others.filter(|m| brick(m).is_none() && inertia(m).is_none());
            self.plain_blocks_of(wanted, others, &region.columns, point, &mut room.room, &mut room.sums);
            let Blocks { m, c, k, phi_q } = room.sum();
            let mut meshed = |by, others| Meshed::new(self, &region, by, others, &mut room.finding);
            let m = meshed(with_m.then_some(By::Acceleration), m);
            let c = meshed(with_c.then_some(By::Velocity), c);
            let k = meshed(Some(By::Configuration), k);
            (m, c, k, phi_q)
        };
        let (mut ms, mut cs, mut ks, mut phi_qs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (m, c, k, phi_q) in share_out(regions, one) {
            ms.push(m);
            cs.push(c);
            ks.push(k);
            phi_qs.push(phi_q);
        }
        Blocks {
            m: Meshed::join(self, point, ms),
            c: Meshed::join(self, point, cs),
            k: Meshed::join(self, point, ks),
            phi_q: Columns::join(m, phi_qs),
        }
    }
    /// The largest magnitudes among the entries that single elements have in M and in K.
    pub fn largest_entries(&self, point: &Point) -> (f64, f64) {
        let part = |members: &[Member]| {
            let mut out = Blocks { m: Largest(0.0), c: Largest(0.0), k: Largest(0.0), phi_q: Largest(0.0) };
            self.plain_blocks_of(
                Wanted::Inertia,
                members,
                &(0..self.nv()),
                point,
                &mut Room::default(),
                &mut out,
            );
            (out.m.0, out.k.0)
        };
        let larger = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1.max(b.1));
        self.in_parts(part).into_iter().fold((0.0, 0.0), larger)
    }
    /// The blocks as dense matrices, for small models: elements add straight into place.
    pub fn dense_blocks(&self, point: &Point) -> Blocks<Dense> {
        let (n, m) = (self.nv(), self.nc());
        let mut out = Blocks {
            m: Dense::zeros(n, n),
            c: Dense::zeros(n, n),
            k: Dense::zeros(n, n),
            phi_q: Dense::zeros(m, n),
        };
        self.plain_blocks_of(Wanted::All, self.members(), &(0..n), point, &mut Room::default(), &mut out);
        out
    }
}

/// What a thread needs to assemble one region after another.
#[derive(Debug)]
struct Assembling {
    room: Room,
    sums: Blocks<ColumnSums>,
    finding: Finding,
}

impl Default for Assembling {
    fn default() -> Self {
        let none = ColumnSums::default;
        let sums = Blocks { m: none(), c: none(), k: none(), phi_q: none() };
        Self { room: Room::default(), sums, finding: Finding::default() }
    }
}

impl Assembling {
    /// Begins with the columns `own` of a model with `n` velocities and `m` constraint rows.
    fn begin(&mut self, n: usize, m: usize, own: Range<usize>) {
        for sums in [&mut self.sums.m, &mut self.sums.c, &mut self.sums.k] {
            sums.begin(n, own.clone());
        }
        self.sums.phi_q.begin(m, own);
    }
    fn sum(&mut self) -> Blocks<Columns> {
        let Blocks { m, c, k, phi_q } = &mut self.sums;
        Blocks { m: m.sum(), c: c.sum(), k: k.sum(), phi_q: phi_q.sum() }
    }
}

/// Keeps the largest magnitude of all entries.
struct Largest(f64);

impl Scatter<f64> for Largest {
    fn add(&mut self, _row: usize, _col: usize, value: f64) {
        self.0 = self.0.max(value.abs());
    }
}

impl Collect for Largest {}

impl<P: Data> Model<P> {
    /// The blocks as triplets in the model's own scalar; large models use all cores.
    pub fn block_triplets(&self, point: &Point<P>) -> Blocks<Triplets<P>> {
        let (n, m) = (self.nv(), self.nc());
        let part = |members: &[Member<P>]| {
            let room = members.iter().map(|m| m.wires.v_index.len().pow(2)).sum();
            let mut out = Blocks {
                m: Triplets::with_capacity(n, n, room),
                c: Triplets::new(n, n),
                k: Triplets::with_capacity(n, n, room),
                phi_q: Triplets::new(m, n),
            };
            let mut scratch = Scratch::default();
            for m in members {
                // With jets of many terms one takes tens of milliseconds.
                interrupt::check();
                self.blocks_of_member(Wanted::All, &mut scratch, m, &(0..n), point, &mut out);
            }
            out
        };
        let mut parts = self.in_parts(part).into_iter();
        let mut out = parts.next().unwrap_or_else(|| part(&[]));
        for p in parts {
            out.m.append(p.m);
            out.c.append(p.c);
            out.k.append(p.k);
            out.phi_q.append(p.phi_q);
        }
        out
    }
    /// Adds the columns `own` of the blocks of one element; other columns may come too.
    pub(super) fn blocks_of_member<A: Scatter<P>>(
        &self,
        wanted: Wanted,
        s: &mut Scratch<P>,
        m: &Member<P>,
        own: &Range<usize>,
        point: &Point<P>,
        out: &mut Blocks<A>,
    ) {
        let depends = m.element.dependence();
        if depends.a || depends.v || depends.q {
            s.d1.gather(&m.wires, point, self.gravity);
            if wanted != Wanted::Statics {
                self.sweep_residual(By::Acceleration, &mut s.d1, m, own, point, &mut out.m);
            }
            let still = || m.element.undamped() && m.wires.v_index.iter().all(|i| point.v[*i] == P::zero());
            if matches!(wanted, Wanted::All | Wanted::Parts { .. }) && !still() {
                self.sweep_residual(By::Velocity, &mut s.d1, m, own, point, &mut out.c);
            }
            self.sweep_residual(By::Configuration, &mut s.d1, m, own, point, &mut out.k);
        }
        let lambda = &point.lambda[m.row..m.row + m.rows];
        if m.wires.linear && m.velocity_rows == 0 && lambda.iter().any(|l| *l != P::zero()) {
            sweep_constraint(s, m, own, point, &mut out.k, &mut out.phi_q);
        } else {
            self.reaction_stiffness_of(s, m, own, (&point.q, point.t), &point.lambda, &mut out.k);
            self.phi_q_of(s, m, own, (&point.q, point.t), &mut out.phi_q);
        }
    }
}

/// Reaction stiffness and Jacobian of one element from the same sweep: the first derivative
/// stands next to the second.
fn sweep_constraint<P: Data, A: Scatter<P>>(
    s: &mut Scratch<P>,
    m: &Member<P>,
    own: &Range<usize>,
    point: &Point<P>,
    k: &mut A,
    phi_q: &mut A,
) {
    let lambda = &point.lambda[m.row..m.row + m.rows];
    let f = &mut s.d2;
    f.gather_q(&m.wires, &point.q, point.t);
    for (j, col) in m.wires.v_index.iter().enumerate() {
        f.q[j].eps.re = P::one();
        for (i, row) in m.wires.v_index.iter().enumerate().skip(j) {
            if !own.contains(col) && !own.contains(row) {
                continue;
            }
            f.q[i].re.eps = P::one();
            f.phi(m);
            f.q[i].re.eps = P::zero();
            let mut second = P::zero();
            for (r, (l, x)) in lambda.iter().zip(&f.out).enumerate() {
                second += *l * x.eps.eps;
                if i == j && x.eps.re != P::zero() {
                    phi_q.add(m.row + r, *col, x.eps.re);
                }
            }
            if second != P::zero() {
                k.add(*row, *col, second);
                if i != j {
                    k.add(*col, *row, second);
                }
            }
        }
        f.q[j].eps.re = P::zero();
    }
}
