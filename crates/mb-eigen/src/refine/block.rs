//! Several undamped eigenpairs at once, with the factors a Krylov method found them with.
//!
//! ```text
//! r_j = K x_j + Phi_q^T l_j - w_j M x_j,   w_j <- w_j + x_j^T r_j / x_j^T M x_j,   x_j <- x_j - d_j
//! [K - sigma M  Phi_i^T; Phi_i  0] [d_j; .] = [r_j; 0],   then  x_i^T M d_j = x_i^T r_j / (w_i - w_j),  i /= j
//! ```
//!
//! The share of a mode i in the error of x_j comes out of the solve as (w_i - w_j) / (w_i - sigma) of itself. For the modes
//! of the block it is corrected by the residuals, so that it does not depend on sigma or on the accuracy of the factors; of the
//! others, which are further from sigma than these, each step leaves (w_j - sigma) / (w_i - sigma), and Anderson acceleration
//! (anderson.rs) removes the slowest. Below all w the factors are those of a definite matrix and have some digits more than near
//! an eigenvalue. Eigenpairs that do not converge are left to the steps one by one (real.rs). Sizes: n unknowns, m rows, p eigenpairs; a step
//! solves for p right-hand sides and multiplies K with p columns, eight at a time in memory that is reused.

use std::borrow::Cow;
use std::ops::Range;

use mb_algebra::{Dense, SymmetricEigen};

use super::anderson::{Mixing, Step};
use super::real::doubled;
use super::real_columns::column;
use super::{GAIN, Given, Improved, Products, add, rounded};
use crate::Shape;
use crate::krylov::scalar::{Scalar, turn};
use crate::krylov::tall_skinny::{gram, take};
use crate::numeric::double_double::Sums;
use crate::problem::Problem;
use crate::transform::factors::Shifted;
use crate::tuning;

/// An eigenpair as good as it got.
#[derive(Default)]
struct Best {
    rho: f64,
    w: f64,
    x: Vec<f64>,
    low: Vec<f64>,
    l: Vec<f64>,
    residual: Vec<f64>,
}

/// All eigenpairs on their way.
struct Block {
    w: Vec<f64>,
    /// x_j^T M x_j.
    mass: Vec<f64>,
    /// Rounded vectors, what rounding left of them, and multipliers of the rows as given.
    x: Dense,
    low: Dense,
    l: Dense,
    /// Residuals at which no more is gained that is used.
    enough: Vec<f64>,
    best: Vec<Option<Best>>,
    idle: Vec<usize>,
}

/// Vectors that are only deflated: they have converged, or are refined in a later group.
struct Deflated {
    w: Vec<f64>,
    x: Dense,
    l: Dense,
    mass: Vec<f64>,
}

/// Numbers in the vectors of all eigenpairs improved side by side, whose steps before are kept: 10 of these vectors for each eigenpair. What is more
/// takes its turn in groups, from the first eigenpair on; those of later groups have digits enough to be deflated.
const SIDE_BY_SIDE: usize = 6_000_000;

/// Improves the `wanted` ones of eigenpairs of an undamped problem, all real and the nearest to the shift; whether each got where the next
/// step would gain nothing that is used.
pub(super) fn refine(
    problem: &Problem,
    near: &Shifted,
    starts: &[Given<'_>],
    wanted: &[bool],
    enough: f64,
) -> Vec<Option<Improved>> {
    // Eigenpairs that take a step at once: as many right-hand sides as a solution takes.
    let most = (SIDE_BY_SIDE / (problem.n + problem.rows.m)).max(tuning::WIDTH);
    in_groups(problem, near, starts, wanted, enough, most)
}

/// The same, at most so many at a time.
pub(super) fn in_groups(
    problem: &Problem,
    near: &Shifted,
    starts: &[Given<'_>],
    wanted: &[bool],
    enough: f64,
    most: usize,
) -> Vec<Option<Improved>> {
    let wanted: Vec<usize> = (0..starts.len()).filter(|&j| wanted[j]).collect();
    let mut out: Vec<Option<Improved>> = starts.iter().map(|_| None).collect();
    let products = Products::new(problem);
    let most = most.min(wanted.len());
    let mut mixing: Vec<Mixing> = (0..most).map(|_| Mixing::default()).collect();
    let mut work = Work::new(problem, most.min(tuning::WIDTH));
    for group in wanted.chunks(most.max(1)) {
        let own: Vec<Given<'_>> = group.iter().map(|&j| starts[j]).collect();
        let others = (0..starts.len()).filter(|j| !group.contains(j));
        let others: Vec<Given<'_>> = others.map(|j| better(starts[j], out[j].as_ref())).collect();
        mixing.iter_mut().for_each(Mixing::restart);
        let found = Block::new(problem, &own, enough).zip(Deflated::new(problem, &others));
        let found = found.map(|(block, deflated)| {
            improve(&products, near, block, &deflated, (&mut work, &mut mixing)).finish(&own)
        });
        for (&j, found) in group.iter().zip(found.unwrap_or_default()) {
            out[j] = found;
        }
    }
    out
}

/// What is known of an eigenpair.
fn better<'a>(start: Given<'a>, found: Option<&'a Improved>) -> Given<'a> {
    found.map_or(start, |Improved { pair, .. }| Given { s: pair.s, x: &pair.x, l: &pair.l })
}

/// The steps of some eigenpairs with others.
fn improve(
    products: &Products<'_>,
    near: &Shifted,
    mut block: Block,
    deflated: &Deflated,
    (work, mixing): (&mut Work, &mut [Mixing]),
) -> Block {
    let problem = products.problem;
    block.untangle(problem, products);
    'steps: for _ in 0..tuning::STEPS {
        let pairs = block.unfinished();
        if pairs.is_empty() {
            break;
        }
        for pairs in pairs.chunks(tuning::WIDTH) {
            let Some(open) = block.measure(products, pairs, work) else { break 'steps };
            if block.correct(problem, near, deflated, &open, work).is_none() {
                break 'steps;
            }
            for (k, &j) in open.iter().enumerate() {
                let mixing = &mut mixing[j];
                let mut step = mixing.blank();
                let negative = |a| column(a, k).iter().map(|v| -v);
                step.set(negative(&work.dx), negative(&work.dl));
                block.take(j, mixing.mix(step, &products.weight));
            }
        }
    }
    block
}

/// Memory for the steps of some eigenpairs.
struct Work {
    /// Residuals.
    r: Dense,
    /// Products with M.
    m: Dense,
    /// Corrections of vectors, of multipliers of the independent rows at length one, and of those of the rows as given.
    dx: Dense,
    unit: Dense,
    dl: Dense,
    sums: Sums,
}

impl Work {
    fn new(problem: &Problem, width: usize) -> Self {
        let zeros = |rows: usize| Dense::zeros(rows, width);
        let (n, rows) = (problem.n, &problem.rows);
        let sums = Sums::default();
        Self { r: zeros(n), m: zeros(n), dx: zeros(n), unit: zeros(rows.rank), dl: zeros(rows.m), sums }
    }
}

/// Real vectors, multipliers and w of some eigenvalues.
fn real_parts(problem: &Problem, uncertified: &[Given<'_>]) -> (Vec<f64>, Dense, Dense) {
    let columns = |rows: usize, of: for<'a> fn(&Given<'a>) -> &'a Shape| {
        let parts: Vec<Cow<'_, [f64]>> = uncertified.iter().map(|approx| of(approx).real_parts()).collect();
        Dense::from_fn(rows, uncertified.len(), |i, j| parts[j][i])
    };
    let (x, l) = (columns(problem.n, |approx| approx.x), columns(problem.rows.m, |approx| approx.l));
    (uncertified.iter().map(|approx| -(approx.s * approx.s).re).collect(), x, l)
}

impl Deflated {
    /// None where a mass is not positive.
    fn new(problem: &Problem, uncertified: &[Given<'_>]) -> Option<Self> {
        let (w, x, l) = real_parts(problem, uncertified);
        let mass = masses(problem, &x);
        mass.iter().all(|mass| *mass > 0.0).then_some(Self { w, x, l, mass })
    }
}

impl Block {
    /// The starts, of mass one; none where a mass is not positive.
    fn new(problem: &Problem, starts: &[Given<'_>], least: f64) -> Option<Self> {
        let (n, p) = (problem.n, starts.len());
        let (w, mut x, mut l) = real_parts(problem, starts);
        let mut enough = Vec::with_capacity(p);
        for (j, mass) in masses(problem, &x).into_iter().enumerate() {
            if mass.is_nan() || mass <= 0.0 {
                return None;
            }
            enough.push(
                rounded(problem, starts[j].x.real_parts().iter().map(|x| x.abs()), 2.0 * w[j].abs() * mass)
                    .max(least),
            );
            for block in [&mut x, &mut l].into_iter().filter(|block| block.nrows() > 0) {
                block.col_as_slice_mut(j).iter_mut().for_each(|v| *v /= mass.sqrt());
            }
        }
        let (best, idle) = ((0..p).map(|_| None).collect(), vec![0; p]);
        Some(Self { w, mass: vec![1.0; p], x, low: Dense::zeros(n, p), l, enough, best, idle })
    }

    /// Separates modes of nearly equal w, which few digits leave mixed and steps that go by differences of w do not: by the
    /// forms of K and M on them.
    fn untangle(&mut self, problem: &Problem, products: &Products<'_>) {
        let near = |j: usize| (self.w[j] - self.w[j - 1]).abs() <= tuning::SLIGHT * self.w[j].abs();
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

    /// The eigenpairs that may take another step.
    fn unfinished(&self) -> Vec<usize> {
        let done = |j: usize| self.best[j].as_ref().is_some_and(|best| best.rho <= self.enough[j]);
        (0..self.w.len()).filter(|&j| !done(j) && self.idle[j] < tuning::FEW_STEPS).collect()
    }

    /// Brings w of some eigenpairs to its best; those that need another step, whose residuals come first. None where numbers went out of
    /// bounds.
    fn measure(&mut self, products: &Products<'_>, pairs: &[usize], work: &mut Work) -> Option<Vec<usize>> {
        products.stiffness_of(&mut work.sums, [&self.x, &self.low, &self.l], pairs, &mut work.r);
        let mut open = Vec::with_capacity(pairs.len());
        for (k, &j) in pairs.iter().enumerate() {
            let image = work.m.as_mut().subcols_mut(k, 1);
            products.problem.m.mul_into(self.x.as_ref().subcols(j, 1), image);
            let (mx, x, r) = (column(&work.m, k), column(&self.x, j), work.r.col_as_slice_mut(k));
            let (mass, w) = (dot(x, mx), &mut self.w[j]);
            self.mass[j] = mass;
            r.iter_mut().zip(mx).for_each(|(r, m)| *r -= *w * m);
            let step = dot(x, r) / mass;
            *w += step;
            r.iter_mut().zip(mx).for_each(|(r, m)| *r -= step * m);
            let weighted: f64 = x.iter().zip(&*r).map(|(x, r)| (x * r).abs()).sum();
            let rho = weighted / (2.0 * w.abs() * mass);
            if !rho.is_finite() {
                return None;
            }
            let before = self.best[j].as_ref().map_or(f64::INFINITY, |best| best.rho);
            let gained = rho <= GAIN * before;
            self.idle[j] = match gained {
                true => 0,
                // Where no further steps are needed one that gains nothing ends them: multipliers, which are not in
                // double-double precision, leave the residual at some roundings of the reactions.
                false if before <= tuning::EPS_2_3 => tuning::FEW_STEPS,
                false => self.idle[j] + 1,
            };
            if gained {
                let best = self.best[j].get_or_insert_default();
                (best.rho, best.w) = (rho, *w);
                let parts = [
                    (&mut best.x, x),
                    (&mut best.low, column(&self.low, j)),
                    (&mut best.l, column(&self.l, j)),
                    (&mut best.residual, r),
                ];
                for (to, from) in parts {
                    to.clear();
                    to.extend_from_slice(from);
                }
            }
            if rho > self.enough[j] && self.idle[j] < tuning::FEW_STEPS {
                let at = open.len();
                if at < k {
                    let (before, own) = work.r.as_mut().split_at_col_mut(k);
                    before.col_mut(at).copy_from(own.as_ref().col(0));
                }
                open.push(j);
            }
        }
        Some(open)
    }

    /// Corrections of the open eigenpairs from their residuals; none where there is no solution.
    fn correct(
        &self,
        problem: &Problem,
        near: &Shifted,
        deflated: &Deflated,
        open: &[usize],
        work: &mut Work,
    ) -> Option<()> {
        let Work { r, m, dx, unit, dl, .. } = work;
        let width = open.len();
        let f = r.as_ref().subcols(0, width);
        let (mut dx, mut unit) = (dx.as_mut().subcols_mut(0, width), unit.as_mut().subcols_mut(0, width));
        near.solver.solve_into(f, dx.as_mut(), unit.as_mut()).ok()?;
        problem.rows.multipliers_into(unit.as_ref(), dl);
        let mut dl = dl.as_mut().subcols_mut(0, width);
        problem.m.mul_into(dx.as_ref(), m.as_mut().subcols_mut(0, width));
        let image = m.as_ref().subcols(0, width);
        // What the solve got wrong: the shares of the modes of the block.
        let wrong = |w: &[f64], x: &Dense, mass: &[f64], same: bool| {
            let (share, force) = (gram(x.as_ref(), image), gram(x.as_ref(), f));
            Dense::from_fn(w.len(), width, |i, k| {
                let (j, gap) = (open[k], w[i] - self.w[open[k]]);
                let told = !(same && i == j) && gap.abs() > tuning::SLIGHT * w[i].abs().max(self.w[j].abs());
                (share[(i, k)] - if told { force[(i, k)] / gap } else { 0.0 }) / mass[i]
            })
        };
        let own = wrong(&self.w, &self.x, &self.mass, true);
        let of_others = wrong(&deflated.w, &deflated.x, &deflated.mass, false);
        for (x, l, wrong) in [(&self.x, &self.l, own), (&deflated.x, &deflated.l, of_others)] {
            take(x.as_ref(), dx.as_mut(), wrong.as_ref(), None);
            take(l.as_ref(), dl.as_mut(), wrong.as_ref(), None);
        }
        Some(())
    }

    /// Adds a step to an eigenpair.
    fn take(&mut self, j: usize, step: &Step) {
        add(self.x.col_as_slice_mut(j), self.low.col_as_slice_mut(j), &step.x);
        if self.l.nrows() > 0 {
            self.l.col_as_slice_mut(j).iter_mut().zip(&step.l).for_each(|(l, d)| *l += d);
        }
    }

    fn finish(self, starts: &[Given<'_>]) -> Vec<Option<Improved>> {
        drop((self.x, self.low, self.l));
        let ends = self.best.into_iter().zip(starts).zip(self.enough);
        ends.map(|((best, start), enough)| {
            let Best { rho, w, x, low, l, residual } = best?;
            let pair = doubled(start.s, w, [x, l, residual])?;
            Some(Improved { pair, low, enough: rho <= enough.max(tuning::EPS_2_3) })
        })
        .collect()
    }
}

/// x_j^T M x_j.
fn masses(problem: &Problem, x: &Dense) -> Vec<f64> {
    let mut image = Dense::zeros(x.nrows(), 1);
    let mass = |j: usize| {
        problem.m.mul_into(x.as_ref().subcols(j, 1), image.as_mut());
        dot(column(x, j), column(&image, 0))
    };
    (0..x.ncols()).map(mass).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
