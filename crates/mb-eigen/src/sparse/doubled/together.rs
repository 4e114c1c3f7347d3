//! Several undamped pairs at once, with the factors a Krylov method found them with.
//!
//! ```text
//! r_j = K x_j + Phi_q^T l_j - w_j M x_j,   w_j <- w_j + x_j^T r_j / x_j^T M x_j,   x_j <- x_j - d_j
//! [K - sigma M  Phi_i^T; Phi_i  0] [d_j; .] = [r_j; 0],   then  x_i^T M d_j = x_i^T r_j / (w_i - w_j),  i /= j
//! ```
//!
//! The share of a mode i in the error of x_j comes out of the solve as (w_i - w_j) / (w_i - sigma) of itself. For the modes
//! at hand it is put right by what the residuals say, so that nothing in it depends on sigma or on the digits of the factors; of the
//! others, which are further from sigma than these, each step leaves (w_j - sigma) / (w_i - sigma), and mixing with the steps before
//! (mixing.rs) takes the slowest out. Below all w the factors are those of a definite matrix and have some digits more than beside
//! an eigenvalue. Pairs that do not get there are left to the steps one by one (real.rs). Sizes: n unknowns, m rows, p pairs; a step
//! solves for p right-hand sides and multiplies K with p columns.

use std::ops::Range;

use mb_algebra::{Dense, SymmetricEigen, c64};

use super::super::problem::Problem;
use super::super::shift_solve::Effort;
use super::super::symmetric::Shifted;
use super::mixing::{Mixing, Step};
use super::real::doubled;
use super::{Doubled, GAIN, Given, PATIENCE, Products, SMALL, STEPS, add, rounded};
use crate::krylov::scalar::{Scalar, pick, subtract, turn};

/// Distance of two w, relative, below which their vectors are not told apart by their residuals.
pub(crate) const APART: f64 = 1e-3;

/// A pair as good as it got.
struct Best {
    rho: f64,
    w: f64,
    x: Vec<f64>,
    l: Vec<f64>,
    residual: Vec<f64>,
}

/// All pairs on their way.
struct Block {
    w: Vec<f64>,
    /// Rounded vectors, what rounding left of them, and multipliers of the rows as given.
    x: Dense,
    low: Dense,
    l: Dense,
    /// Residuals at which no more is gained that is used.
    enough: Vec<f64>,
    best: Vec<Option<Best>>,
    idle: Vec<usize>,
}

/// Vectors that only lend themselves: they are good enough as they are.
struct Lent {
    w: Vec<f64>,
    x: Dense,
    l: Dense,
    mx: Dense,
    mass: Vec<f64>,
}

/// Improves the `wanted` ones of pairs of an undamped problem, all real and the nearest to the shift; whether each got where the next
/// step would gain nothing that is used.
pub(super) fn refine(
    problem: &Problem,
    beside: &Shifted,
    starts: &[Given<'_>],
    wanted: &[bool],
    enough: f64,
) -> Vec<Option<(Doubled, bool)>> {
    let of =
        |kind: bool| starts.iter().zip(wanted).filter(move |(_, w)| **w == kind).map(|(start, _)| *start);
    let own: Vec<Given<'_>> = of(true).collect();
    let found = improve(problem, beside, &own, &of(false).collect::<Vec<_>>(), enough);
    let mut found = found.unwrap_or_default().into_iter();
    wanted.iter().map(|wanted| if *wanted { found.next().flatten() } else { None }).collect()
}

/// The same for pairs that are all wanted, beside others that are not.
fn improve(
    problem: &Problem,
    beside: &Shifted,
    starts: &[Given<'_>],
    others: &[Given<'_>],
    enough: f64,
) -> Option<Vec<Option<(Doubled, bool)>>> {
    let p = starts.len();
    let mut block = Block::new(problem, starts, enough)?;
    let lent = Lent::new(problem, others)?;
    let products = Products::new(problem);
    block.untangle(problem, &products);
    let mut mixing: Vec<Mixing> = (0..p).map(|_| Mixing::default()).collect();
    for _ in 0..STEPS {
        let mx = problem.m.mul(&block.x);
        let mut r = products.stiffness(&block.x, &block.low, &block.l);
        let mass = masses(&block.x, &mx);
        let Some(open) = block.measure(&mx, &mass, &mut r) else { break };
        if open.is_empty() {
            break;
        }
        let f = pick(&r, &open);
        let Ok(solved) = beside.solver.solve(&f, false, Effort::Krylov) else { break };
        let (mut dx, mut dl) = (solved.x, problem.rows.multipliers(&solved.l));
        // What the solve got wrong: the shares of the modes at hand.
        let wrong = |w: &[f64], x: &Dense, mx: &Dense, mass: &[f64], same: bool| {
            let share = f64::adjoint_product(mx.as_ref(), dx.as_ref());
            let force = f64::adjoint_product(x.as_ref(), f.as_ref());
            Dense::from_fn(w.len(), open.len(), |i, k| {
                let (j, gap) = (open[k], w[i] - block.w[open[k]]);
                let told = !(same && i == j) && gap.abs() > APART * w[i].abs().max(block.w[j].abs());
                (share[(i, k)] - if told { force[(i, k)] / gap } else { 0.0 }) / mass[i]
            })
        };
        let own = wrong(&block.w, &block.x, &mx, &mass, true);
        let of_others = wrong(&lent.w, &lent.x, &lent.mx, &lent.mass, false);
        for (x, l, wrong) in [(&block.x, &block.l, own), (&lent.x, &lent.l, of_others)] {
            subtract(&mut dx, x.as_ref(), wrong.as_ref());
            subtract(&mut dl, l.as_ref(), wrong.as_ref());
        }
        for (k, &j) in open.iter().enumerate() {
            let negative = |a: &Dense| column(a, k).iter().map(|v| -v).collect();
            let step = mixing[j].mix(Step { x: negative(&dx), l: negative(&dl) }, &products.weight);
            block.take(j, &step);
        }
    }
    Some(block.finish(starts))
}

/// Real vectors, multipliers and w of some roots.
fn real_parts(problem: &Problem, roots: &[Given<'_>]) -> (Vec<f64>, Dense, Dense) {
    let columns = |rows: usize, of: for<'a> fn(&Given<'a>) -> &'a [c64]| {
        Dense::from_fn(rows, roots.len(), |i, j| of(&roots[j])[i].re)
    };
    let (x, l) = (columns(problem.n, |root| root.x), columns(problem.rows.m, |root| root.l));
    (roots.iter().map(|root| -(root.s * root.s).re).collect(), x, l)
}

impl Lent {
    /// None where a mass is not positive.
    fn new(problem: &Problem, roots: &[Given<'_>]) -> Option<Self> {
        let (w, x, l) = real_parts(problem, roots);
        let mx = problem.m.mul(&x);
        let mass = masses(&x, &mx);
        mass.iter().all(|mass| *mass > 0.0).then_some(Self { w, x, l, mx, mass })
    }
}

impl Block {
    /// The starts, of mass one; none where a mass is not positive.
    fn new(problem: &Problem, starts: &[Given<'_>], least: f64) -> Option<Self> {
        let (n, p) = (problem.n, starts.len());
        let (w, mut x, mut l) = real_parts(problem, starts);
        let mut enough = Vec::with_capacity(p);
        for (j, mass) in masses(&x, &problem.m.mul(&x)).into_iter().enumerate() {
            if mass.is_nan() || mass <= 0.0 {
                return None;
            }
            enough.push(rounded(problem, starts[j].x, 2.0 * w[j].abs() * mass).max(least));
            for block in [&mut x, &mut l].into_iter().filter(|block| block.nrows() > 0) {
                block.col_as_slice_mut(j).iter_mut().for_each(|v| *v /= mass.sqrt());
            }
        }
        let (best, idle) = ((0..p).map(|_| None).collect(), vec![0; p]);
        Some(Self { w, x, low: Dense::zeros(n, p), l, enough, best, idle })
    }

    /// Tells modes of nearly equal w apart, which few digits leave mixed and steps that go by differences of w do not: by the
    /// forms of K and M on them.
    fn untangle(&mut self, problem: &Problem, products: &Products<'_>) {
        let near = |j: usize| (self.w[j] - self.w[j - 1]).abs() <= APART * self.w[j].abs();
        let mut groups: Vec<Range<usize>> = Vec::new();
        for j in 1..self.w.len() {
            match groups.last_mut() {
                Some(group) if near(j) && group.end == j => group.end = j + 1,
                _ if near(j) => groups.push(j - 1..j + 1),
                _ => {}
            }
        }
        if groups.is_empty() {
            return;
        }
        let mx = problem.m.mul(&self.x);
        let force = products.stiffness(&self.x, &self.low, &self.l);
        for group in groups {
            let (first, size) = (group.start, group.len());
            let form = |of: &Dense| {
                f64::adjoint_product(self.x.as_ref().subcols(first, size), of.as_ref().subcols(first, size))
            };
            let (k, m, w) = (form(&force), form(&mx), self.w[first]);
            let h = Dense::from_fn(size, size, |i, j| {
                0.5 * ((k[(i, j)] - w * m[(i, j)]) + (k[(j, i)] - w * m[(j, i)]))
            });
            let Ok(eigen) = SymmetricEigen::new(&h) else { continue };
            for block in [&mut self.x, &mut self.l].into_iter().filter(|block| block.nrows() > 0) {
                turn(block.as_mut().subcols_mut(first, size), eigen.vectors.as_ref());
            }
            for (at, value) in group.zip(eigen.values) {
                self.w[at] = w + value;
            }
        }
    }

    /// Takes K X + Phi_q^T L, leaves residuals in its place and w at its best; the pairs that need another step.
    fn measure(&mut self, mx: &Dense, mass: &[f64], r: &mut Dense) -> Option<Vec<usize>> {
        let mut open = Vec::with_capacity(mass.len());
        for (j, &mass) in mass.iter().enumerate() {
            let (mx, x, r) = (column(mx, j), column(&self.x, j), r.col_as_slice_mut(j));
            let w = &mut self.w[j];
            r.iter_mut().zip(mx).for_each(|(r, m)| *r -= *w * m);
            let step = dot(x, r) / mass;
            *w += step;
            r.iter_mut().zip(mx).for_each(|(r, m)| *r -= step * m);
            let weighted: f64 = x.iter().zip(&*r).map(|(x, r)| (x * r).abs()).sum();
            let rho = weighted / (2.0 * w.abs() * mass);
            if !rho.is_finite() {
                return None;
            }
            let (before, enough) =
                (self.best[j].as_ref().map_or(f64::INFINITY, |best| best.rho), self.enough[j]);
            if before <= enough {
                continue;
            }
            let gained = rho <= GAIN * before;
            self.idle[j] = if gained { 0 } else { self.idle[j] + 1 };
            if gained {
                let l = column(&self.l, j).to_vec();
                self.best[j] = Some(Best { rho, w: *w, x: x.to_vec(), l, residual: r.to_vec() });
            }
            if rho > enough && self.idle[j] < PATIENCE {
                open.push(j);
            }
        }
        Some(open)
    }

    /// Adds a step to a pair.
    fn take(&mut self, j: usize, step: &Step) {
        add(self.x.col_as_slice_mut(j), self.low.col_as_slice_mut(j), &step.x);
        if self.l.nrows() > 0 {
            self.l.col_as_slice_mut(j).iter_mut().zip(&step.l).for_each(|(l, d)| *l += d);
        }
    }

    fn finish(self, starts: &[Given<'_>]) -> Vec<Option<(Doubled, bool)>> {
        let ends = self.best.into_iter().zip(starts).zip(self.enough);
        ends.map(|((best, start), enough)| {
            let Best { rho, w, x, l, residual } = best?;
            Some((doubled(start.s, w, &x, &l, &residual)?, rho <= enough.max(SMALL)))
        })
        .collect()
    }
}

/// x_j^T M x_j.
fn masses(x: &Dense, mx: &Dense) -> Vec<f64> {
    (0..x.ncols()).map(|j| dot(column(x, j), column(mx, j))).collect()
}

/// A column, of a matrix without rows too.
fn column(a: &Dense, j: usize) -> &[f64] {
    if a.nrows() > 0 { a.col_as_slice(j) } else { &[] }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
