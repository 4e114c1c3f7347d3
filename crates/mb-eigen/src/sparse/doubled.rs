//! Undamped symmetric pairs whose residual drowns in rounding, with vectors and residuals in doubled precision.
//!
//! ```text
//! r = K x - w M x + Phi_q^T l,   w <- w + x^T r / x^T M x,   x <- x - d,   [K - sigma M  Phi_i^T; Phi_i  0] [d; .] = [r; 0]
//! ```
//!
//! with x = x_1 + x_2, the sums of r in doubled precision (compensated.rs) and sigma beside w: residual inverse iteration
//! (Neumaier, SIAM J. Numer. Anal. 22, 1985). The entries of a stiff link's K exceed the stiffness of its low modes by
//! h^-3 and more (1e12 at 10,000 elements), so that a vector rounded to double already leaves a residual of u |K| |x|, and
//! a bar that allows for it reaches zero. The factor is as bad, but a factor with two right digits gains two digits in each
//! step, for the residual has them all. What comes out is the root of the matrices as given. Whether these, rounded, are
//! still the ones that were meant is another matter (see [`super::SparseFinding::RoundedStiffness`]). Sizes: n unknowns, m
//! rows; a factorization and some 30 (nnz K + nnz M) operations a step.

use mb_algebra::{Dense, c64};

use super::certificate::Root;
use super::matrix::Matrix;
use super::problem::Problem;
use super::shift_solve::Effort;
use crate::compensated::Twofold;

/// Distances of sigma from w, relative to w: near enough to a neighbour of w, and, where the factor's own error is of the
/// order of the first, further away.
const ASIDE: [f64; 2] = [1e-3, 0.1];
/// Weighted residual relative to w x^T M x at which the next step would gain nothing that is used.
const ENOUGH: f64 = 1e-13;
/// Weighted residual relative to w x^T M x at which no second factor is needed.
const SMALL: f64 = 1e-10;
/// Steps at most.
const STEPS: usize = 30;
/// A residual that falls by less than this for so many steps is as small as it gets.
const GAIN: f64 = 0.7;
const PATIENCE: usize = 3;

/// A pair with the residual it leaves.
pub(crate) struct Doubled {
    /// x_1 of length one to a few roundings.
    pub(crate) x: Vec<f64>,
    /// Multipliers of the rows as given.
    pub(crate) l: Vec<f64>,
    pub(crate) w: f64,
    /// K x - w M x + Phi_q^T l for x_1 + x_2.
    pub(crate) residual: Vec<f64>,
}

/// Improves a pair that is real; none where there is no factor beside w or nothing is gained.
pub(crate) fn refine(problem: &Problem, root: &Root) -> Option<Doubled> {
    let real = |v: &[c64]| -> Option<Vec<f64>> {
        v.iter().all(|z| z.im == 0.0).then(|| v.iter().map(|z| z.re).collect())
    };
    let (x, l, w) = (real(&root.right)?, real(&root.multipliers)?, -(root.s * root.s).re);
    let mut best: Option<(f64, Doubled)> = None;
    for aside in ASIDE {
        let Some((rho, found)) = iterate(problem, w, w * (1.0 + aside), x.clone(), l.clone()) else {
            continue;
        };
        if best.as_ref().is_none_or(|(before, _)| rho < *before) {
            best = Some((rho, found));
        }
        if rho <= SMALL {
            break;
        }
    }
    best.map(|(_, found)| found)
}

/// The steps with one factor; the smallest weighted residual relative to w x^T M x, and its pair.
fn iterate(
    problem: &Problem,
    mut w: f64,
    sigma: f64,
    mut x: Vec<f64>,
    mut l: Vec<f64>,
) -> Option<(f64, Doubled)> {
    let solver = problem.factor(-sigma, 0.0).ok()?;
    let mut low = vec![0.0; x.len()];
    let mut best: Option<(f64, Doubled)> = None;
    let mut idle = 0;
    for _ in 0..STEPS {
        let mass = product(&problem.m, &x, &low);
        let mx: Vec<f64> = mass.iter().map(|y| y.value()).collect();
        let r = residual(problem, &x, &low, &l, w, &mass);
        let size = dot(&x, &mx);
        let step = dot(&x, &r) / size;
        w += step;
        let r: Vec<f64> = r.iter().zip(&mx).map(|(r, m)| r - step * m).collect();
        let rho = x.iter().zip(&r).map(|(x, r)| (x * r).abs()).sum::<f64>() / (w.abs() * size);
        if !(rho.is_finite() && w.is_finite()) {
            break;
        }
        let gained = best.as_ref().is_none_or(|(before, _)| rho <= GAIN * before);
        idle = if gained { 0 } else { idle + 1 };
        if idle == PATIENCE {
            break;
        }
        let f = Dense::from_fn(r.len(), 1, |i, _| r[i]);
        if gained {
            best = Some((rho, Doubled { x: x.clone(), l: l.clone(), w, residual: r }));
        }
        if rho <= ENOUGH {
            break;
        }
        let Ok(solved) = solver.solve(&f, false, Effort::Krylov) else { break };
        let mut d = solved.x.col_as_slice(0).to_vec();
        // The direction of x itself is the factor's to spoil, and of no use.
        let along = dot(&mx, &d) / size;
        d.iter_mut().zip(&x).for_each(|(d, x)| *d -= along * x);
        for ((x, low), d) in x.iter_mut().zip(&mut low).zip(&d) {
            let (sum, rest) = two_sum(*x, -d);
            (*x, *low) = two_sum(sum, rest + *low);
        }
        let dl = problem.rows.multipliers(&solved.l);
        l.iter_mut().zip(dl.col_as_slice(0)).for_each(|(l, d)| *l -= d);
    }
    best
}

/// K x - w M x + Phi_q^T l, rounded once.
fn residual(problem: &Problem, x: &[f64], low: &[f64], l: &[f64], w: f64, mass: &[Twofold]) -> Vec<f64> {
    let mut sums = product(&problem.k, x, low);
    for (sum, mass) in sums.iter_mut().zip(mass) {
        sum.add_scaled(*mass, -w);
    }
    for (row, l) in problem.rows.given.sparse().outer_iterator().zip(l) {
        for (j, a) in row.iter() {
            sums[j].add_product(*a, *l);
        }
    }
    sums.into_iter().map(Twofold::value).collect()
}

/// A (x + low), each entry in two parts.
fn product(a: &Matrix, x: &[f64], low: &[f64]) -> Vec<Twofold> {
    let row_sum = |row: sprs::CsVecView<'_, f64>| {
        let mut sum = Twofold::default();
        for (j, a) in row.iter() {
            sum.add_product(*a, x[j]);
            sum.add(0.0, a * low[j]);
        }
        sum
    };
    a.sparse().outer_iterator().map(row_sum).collect()
}

/// a + b and what rounding took from it.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
