//! The bordered system of an eigenpair or of a group of them.
//!
//! ```text
//! [ A(s)   Phi_q^T  B ] [ x ]   [ f ]      A(s) = s^2 M + s C + K
//! [ Phi_q  0        0 ] [ l ] = [ h ]      B: n x k,  G: k x n,  D: k x k
//! [ G      0        D ] [ t ]   [ g ]
//! ```
//!
//! For one eigenpair k = 1, B = A'(s) phi = (2 s M + C) phi, G = c^H, D = 0: the Jacobian of
//! (A(s) phi + Phi_q^T l, Phi_q phi, c^H phi - 1) in (phi, l, s). Newton's method solves with
//! it, and so does every degree of the series. It is regular exactly when s is a simple
//! eigenvalue, Phi_q has full row rank and c^H phi is not zero.
//!
//! Rows and columns are scaled so that stiffness, multipliers and the border are of the size of
//! one. Dense solves are refined once, sparse ones where the residual asks for it. Size n + m + k.

mod dense;
mod pseudo_inverse;
mod sparse;

pub(crate) use dense::dense_core;
pub(crate) use pseudo_inverse::PseudoInverse;
pub(crate) use sparse::sparse_core;

use crate::storage::Storage;
use crate::vectors::{axpy, dot, zeros};
use mb_algebra::{AlgebraError, LuComplex, QuadraticPencil, c64, norms};
use sparse::Eliminated;

/// A vector of the bordered system: unknowns (x, l, t) or right-hand side (f, h, g).
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// Length n.
    pub(crate) x: Vec<c64>,
    /// Length m.
    pub(crate) l: Vec<c64>,
    /// Length k.
    pub(crate) t: Vec<c64>,
}

impl Parts {
    fn minus(&self, other: &Self) -> Self {
        let minus = |a: &[c64], b: &[c64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        Self { x: minus(&self.x, &other.x), l: minus(&self.l, &other.l), t: minus(&self.t, &other.t) }
    }

    fn add(&mut self, step: &Self) {
        axpy(&mut self.x, c64::ONE, &step.x);
        axpy(&mut self.l, c64::ONE, &step.l);
        axpy(&mut self.t, c64::ONE, &step.t);
    }
}

/// The blocks of a bordered system, before scaling.
pub struct Frame<'a, A> {
    pub(crate) p: &'a QuadraticPencil<A>,
    pub(crate) s: c64,
    /// Columns of B.
    pub(crate) columns: &'a [Vec<c64>],
    /// Rows of G, conjugation done.
    pub(crate) rows: &'a [Vec<c64>],
    /// D by rows.
    pub(crate) corner: &'a [Vec<c64>],
    /// Magnitudes of A(s), Phi_q and B.
    pub(crate) size: [f64; 3],
    /// Right and left vectors that say which equations are dependent; the left one if known.
    pub(crate) vectors: &'a [Vec<c64>],
    pub(crate) left: Option<&'a [c64]>,
}

/// The factored matrix.
pub enum Core {
    /// All of it.
    Dense(LuComplex),
    /// A part of it that is as sparse as the pencil, and what takes it to the whole.
    Sparse(Box<Eliminated>),
}

/// The factored bordered system.
pub(crate) struct Bordered<'a, A: Storage> {
    p: &'a QuadraticPencil<A>,
    s: c64,
    n: usize,
    nc: usize,
    columns: Vec<Vec<c64>>,
    rows: Vec<Vec<c64>>,
    corner: Vec<Vec<c64>>,
    core: Core,
    size: [f64; 3],
}

/// B by columns, G and D by rows.
type Border = (Vec<Vec<c64>>, Vec<Vec<c64>>, Vec<Vec<c64>>);

/// A(s) x.
pub(crate) fn pencil_times<A: Storage>(p: &QuadraticPencil<A>, s: c64, x: &[c64]) -> Vec<c64> {
    let mut out = zeros(x.len());
    p.m.add_product(s * s, x, &mut out);
    p.c.add_product(s, x, &mut out);
    p.k.add_product(c64::ONE, x, &mut out);
    out
}

/// A'(s) x = (2 s M + C) x.
pub(crate) fn slope_times<A: Storage>(p: &QuadraticPencil<A>, s: c64, x: &[c64]) -> Vec<c64> {
    let mut out = zeros(x.len());
    p.m.add_product(2.0 * s, x, &mut out);
    p.c.add_product(c64::ONE, x, &mut out);
    out
}

/// |s|^2 |M| + |s| |C| + |K| for some norm.
pub(crate) fn size_of<A>(p: &QuadraticPencil<A>, s: c64, norm: impl Fn(&A) -> f64) -> f64 {
    sum_of_sizes([&p.m, &p.c, &p.k].map(norm), s)
}

fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 1.0 }
}

/// Sizes of the blocks of a pencil, for the many systems of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Norms |M|, |C|, |K|.
    frobenius: [f64; 3],
    /// Their largest entries, and that of Phi_q.
    largest: [f64; 3],
    rows: f64,
}

impl Sizes {
    pub(crate) fn of<A: Storage>(p: &QuadraticPencil<A>) -> Self {
        let blocks = [&p.m, &p.c, &p.k];
        Self {
            frobenius: blocks.map(norms::frobenius),
            largest: blocks.map(norms::max_abs),
            rows: norms::max_abs(&p.phi_q),
        }
    }
    /// |s|^2 |M| + |s| |C| + |K|.
    pub(crate) fn frobenius(&self, s: c64) -> f64 {
        sum_of_sizes(self.frobenius, s)
    }
}

fn sum_of_sizes([m, c, k]: [f64; 3], s: c64) -> f64 {
    s.norm_sqr() * m + s.norm() * c + k
}

/// Relative residual above which a sparse solution is refined.
const REFINE: f64 = 1e-15;
/// Steps of refinement by factors of another matrix nearby.
const STEPS: usize = 8;

impl<'a, A: Storage> Bordered<'a, A> {
    /// Factors the system of one eigenpair at `s` and `phi` with the gauge row `c` (both vectors
    /// of unit size); `left` is the left vector if it is known already.
    ///
    /// Errors: [`AlgebraError::Singular`] for an eigenvalue that is not simple.
    pub(crate) fn new(
        p: &'a QuadraticPencil<A>,
        s: c64,
        phi: &[c64],
        c: &[c64],
        left: Option<&[c64]>,
    ) -> Result<Self, AlgebraError> {
        Self::measured(p, &Sizes::of(p), s, [phi, c], left)
    }

    /// The same where the sizes of the pencil are known.
    pub(crate) fn measured(
        p: &'a QuadraticPencil<A>,
        sizes: &Sizes,
        s: c64,
        [phi, c]: [&[c64]; 2],
        left: Option<&[c64]>,
    ) -> Result<Self, AlgebraError> {
        let column = slope_times(p, s, phi);
        let row: Vec<c64> = c.iter().map(c64::conj).collect();
        let border = (vec![column], vec![row], vec![vec![c64::ZERO]]);
        Self::of_measured(p, sizes, s, border, &[phi.to_vec()], left)
    }

    /// Factors the system with the border (B by columns, G by rows, D by rows).
    ///
    /// Errors: [`AlgebraError::Singular`].
    pub(crate) fn of_blocks(
        p: &'a QuadraticPencil<A>,
        s: c64,
        columns: Vec<Vec<c64>>,
        rows: Vec<Vec<c64>>,
        corner: Vec<Vec<c64>>,
        vectors: &[Vec<c64>],
        left: Option<&[c64]>,
    ) -> Result<Self, AlgebraError> {
        Self::of_measured(p, &Sizes::of(p), s, (columns, rows, corner), vectors, left)
    }

    fn of_measured(
        p: &'a QuadraticPencil<A>,
        sizes: &Sizes,
        s: c64,
        (columns, rows, corner): Border,
        vectors: &[Vec<c64>],
        left: Option<&[c64]>,
    ) -> Result<Self, AlgebraError> {
        let (n, nc) = (p.m.size().0, p.phi_q.size().0);
        let largest = columns.iter().flatten().map(|z| z.norm()).fold(0.0, f64::max);
        let size = [positive(sum_of_sizes(sizes.largest, s)), positive(sizes.rows), positive(largest)];
        let frame = Frame { p, s, columns: &columns, rows: &rows, corner: &corner, size, vectors, left };
        let core = A::factor(&frame)?;
        Ok(Self { p, s, n, nc, columns, rows, corner, core, size })
    }

    /// The system of an eigenpair that lies near the one it was factored for, at a distance far below that to the next
    /// eigenvalue: sparse factors serve it too, with another border, and solutions are refined; a dense system is
    /// factored anew.
    ///
    /// Errors: as [`Bordered::new`].
    pub(crate) fn moved(
        mut self,
        s: c64,
        phi: &[c64],
        c: &[c64],
        left: Option<&[c64]>,
    ) -> Result<Self, AlgebraError> {
        let Core::Sparse(core) = self.core else { return Self::new(self.p, s, phi, c, left) };
        self.s = s;
        self.columns = vec![slope_times(self.p, s, phi)];
        self.rows = vec![c.iter().map(c64::conj).collect()];
        let core = core.rebordered(&self.columns, &self.rows, &self.corner, self.size)?;
        Ok(Self { core: Core::Sparse(Box::new(core)), ..self })
    }

    /// The solution for a right-hand side.
    pub(crate) fn solve(&self, rhs: &Parts) -> Parts {
        let mut x = self.solve_once(rhs);
        let residual = rhs.minus(&self.times(&x));
        if matches!(self.core, Core::Sparse(_)) && self.is_small(&residual, &x, rhs) {
            return x;
        }
        x.add(&self.solve_once(&residual));
        x
    }

    /// Whether a residual is rounding: relative to the solution and the right-hand side in each
    /// block of rows.
    fn is_small(&self, residual: &Parts, x: &Parts, rhs: &Parts) -> bool {
        let [a, p, b] = self.size;
        let norm = norms::two_complex;
        let forces = a * norm(&x.x) + p * norm(&x.l) + b * norm(&x.t) + norm(&rhs.x);
        let rates = p * norm(&x.x) + norm(&rhs.l);
        norm(&residual.x) <= REFINE * forces
            && norm(&residual.l) <= REFINE * rates
            && norm(&residual.t) <= REFINE * (norm(&x.x) + norm(&rhs.t))
    }

    /// Without refinement.
    fn solve_once(&self, rhs: &Parts) -> Parts {
        let [a, p, b] = self.size;
        let mut scaled = Vec::with_capacity(self.n + self.nc + rhs.t.len());
        scaled.extend(rhs.x.iter().map(|z| z / a));
        scaled.extend(rhs.l.iter().map(|z| z / p));
        scaled.extend_from_slice(&rhs.t);
        let y = match &self.core {
            Core::Dense(lu) => lu.solve(&scaled),
            Core::Sparse(part) => part.solve(&scaled),
        };
        let last = self.n + self.nc;
        Parts {
            x: y[..self.n].to_vec(),
            l: y[self.n..last].iter().map(|z| z * (a / p)).collect(),
            t: y[last..].iter().map(|z| z * (a / b)).collect(),
        }
    }

    /// The product of the unscaled matrix with (x, l, t).
    fn times(&self, y: &Parts) -> Parts {
        let mut x = pencil_times(self.p, self.s, &y.x);
        self.p.phi_q.add_product_transposed(c64::ONE, &y.l, &mut x);
        for (column, t) in self.columns.iter().zip(&y.t) {
            axpy(&mut x, *t, column);
        }
        let mut l = zeros(self.nc);
        self.p.phi_q.add_product(c64::ONE, &y.x, &mut l);
        let bottom = self.rows.iter().zip(&self.corner);
        let t = bottom.map(|(row, corner)| dot(row, &y.x) + dot(corner, &y.t)).collect();
        Parts { x, l, t }
    }

    /// z and mu with z^T A + mu^T Phi_q = 0, Phi_q z = 0 and z^T B = e_i, when the group's space
    /// is invariant (k = 1: z is the conjugated left eigenvector, z^T A' phi = 1).
    pub(crate) fn left(&self, i: usize) -> (Vec<c64>, Vec<c64>) {
        let mut t = zeros(self.columns.len());
        t[i] = c64::ONE;
        let found = self.solve_transposed(&Parts { x: zeros(self.n), l: zeros(self.nc), t });
        (found.x, found.l)
    }

    /// As [`Bordered::left`] by factors of another matrix nearby, refined until rounding stops it.
    pub(crate) fn left_refined(&self, i: usize) -> (Vec<c64>, Vec<c64>) {
        let mut t = zeros(self.columns.len());
        t[i] = c64::ONE;
        let rhs = Parts { x: zeros(self.n), l: zeros(self.nc), t };
        let mut y = self.solve_transposed(&rhs);
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            let step = self.solve_transposed(&rhs.minus(&self.times_transposed(&y)));
            let size = norms::two_complex(&step.x) / norms::two_complex(&y.x);
            if size.is_nan() || size > 0.5 * last {
                break;
            }
            y.add(&step);
            if size <= f64::EPSILON {
                break;
            }
            last = size;
        }
        (y.x, y.l)
    }

    /// The solution with the transposed matrix, without refinement.
    fn solve_transposed(&self, rhs: &Parts) -> Parts {
        let [a, p, b] = self.size;
        let last = self.n + self.nc;
        // The factored matrix has its rows scaled by 1/a, 1/p, 1 and its unknowns by 1, p/a, b/a.
        let mut scaled = Vec::with_capacity(last + rhs.t.len());
        scaled.extend_from_slice(&rhs.x);
        scaled.extend(rhs.l.iter().map(|z| z * (a / p)));
        scaled.extend(rhs.t.iter().map(|z| z * (a / b)));
        let u = match &self.core {
            Core::Dense(lu) => lu.solve_transpose(&scaled),
            Core::Sparse(part) => part.solve_transpose(&scaled),
        };
        Parts {
            x: u[..self.n].iter().map(|x| x / a).collect(),
            l: u[self.n..last].iter().map(|x| x / p).collect(),
            t: u[last..].to_vec(),
        }
    }

    /// The product of the transposed matrix with (x, l, t).
    fn times_transposed(&self, y: &Parts) -> Parts {
        let (p, s) = (self.p, self.s);
        let mut x = zeros(self.n);
        p.m.add_product_transposed(s * s, &y.x, &mut x);
        p.c.add_product_transposed(s, &y.x, &mut x);
        p.k.add_product_transposed(c64::ONE, &y.x, &mut x);
        p.phi_q.add_product_transposed(c64::ONE, &y.l, &mut x);
        for (row, t) in self.rows.iter().zip(&y.t) {
            axpy(&mut x, *t, row);
        }
        let mut l = zeros(self.nc);
        p.phi_q.add_product(c64::ONE, &y.x, &mut l);
        let of = |(j, column): (usize, &Vec<c64>)| {
            dot(column, &y.x) + self.corner.iter().zip(&y.t).map(|(row, t)| row[j] * t).sum::<c64>()
        };
        Parts { x, l, t: self.columns.iter().enumerate().map(of).collect() }
    }

    /// Estimated distance from `s` to the next eigenvalue: the smallest root t of
    /// det(B + t B') = 0, with B' = A'(s) in the leading block, by inverse iteration.
    ///
    /// The linearization is good when the distance is small against |s|, which is when it
    /// matters. Infinite when there is none.
    pub(crate) fn gap(&self) -> f64 {
        // Some vector without symmetry.
        let mut v: Vec<c64> = (0..self.n).map(|i| c64::cis(1.7 * (i * i % 1009) as f64 + 0.3)).collect();
        let mut growth = 0.0_f64;
        for step in 0..12 {
            let size = norms::two_complex(&v);
            if size == 0.0 || !size.is_finite() {
                break;
            }
            for z in &mut v {
                *z /= size;
            }
            let x = slope_times(self.p, self.s, &v);
            let rhs = Parts { x, l: zeros(self.nc), t: zeros(self.columns.len()) };
            v = self.solve_once(&rhs).x;
            let last = growth;
            growth = norms::two_complex(&v);
            if step > 3 && (growth - last).abs() < 0.01 * growth {
                break;
            }
        }
        if growth.is_nan() { 0.0 } else { growth.recip() }
    }
}

/// The right-hand side of a Newton step: minus the residual.
pub(crate) fn newton_rhs<A: Storage>(p: &QuadraticPencil<A>, s: c64, phi: &[c64], l: &[c64]) -> Parts {
    let mut residual = residual(p, s, phi, l);
    residual.x.iter_mut().chain(&mut residual.l).for_each(|z| *z = -*z);
    residual
}

/// (A(s) phi + Phi_q^T l, Phi_q phi, 0).
pub(crate) fn residual<A: Storage>(p: &QuadraticPencil<A>, s: c64, phi: &[c64], l: &[c64]) -> Parts {
    let mut x = pencil_times(p, s, phi);
    p.phi_q.add_product_transposed(c64::ONE, l, &mut x);
    let mut h = zeros(l.len());
    p.phi_q.add_product(c64::ONE, phi, &mut h);
    Parts { x, l: h, t: vec![c64::ZERO] }
}
