//! The steps of doubled precision without damping, where pairs are real.
//!
//! ```text
//! r = K x + Phi_q^T l - w M x,   w <- w + x^T r / x^T M x,   x <- x - d,   w = -s^2
//! [K - sigma M  Phi_i^T; Phi_i  0] [d; .] = [r; 0],   sigma beside w
//! ```
//!
//! As in the module above, for half the work. The steps end where the residual is below what rounding of the entries of K
//! does, as far as that is known. Sizes: n unknowns, m rows.

use mb_algebra::{Dense, c64};

use super::super::certificate::Root;
use super::super::problem::Problem;
use super::super::shift_solve::Effort;
use super::{ASIDE, Doubled, ENOUGH, GAIN, PATIENCE, SMALL, STEPS, two_sum};
use crate::compensated::{Twofold, rows_times};

/// A pair on its way.
#[derive(Clone)]
struct Pair {
    w: f64,
    x: Vec<f64>,
    l: Vec<f64>,
    residual: Vec<f64>,
}

/// As [`super::refine`], of a real pair.
pub(super) fn refine(problem: &Problem, root: &Root) -> Option<Doubled> {
    let real = |z: &[c64]| z.iter().map(|z| z.re).collect::<Vec<f64>>();
    let start = Pair {
        w: -(root.s * root.s).re,
        x: real(&root.right),
        l: real(&root.multipliers),
        residual: Vec::new(),
    };
    let mass = dot(&start.x, &inertia(problem, &start.x));
    let enough = rounded(problem, start.w, &start.x, mass).max(ENOUGH);
    let mut best: Option<(f64, Pair)> = None;
    for aside in ASIDE {
        let from = best.as_ref().map_or_else(|| start.clone(), |(_, found)| found.clone());
        let Some((rho, found)) = iterate(problem, from, aside, enough) else { continue };
        if best.as_ref().is_none_or(|(before, _)| rho < *before) {
            best = Some((rho, found));
        }
        if rho <= enough.max(SMALL) {
            break;
        }
    }
    let (_, Pair { w, x, l, residual }) = best?;
    doubled(root, w, &x, &l, &residual)
}

/// A better pair in place of a root; none where it changed from oscillation to growth, which makes it another one.
pub(super) fn doubled(root: &Root, w: f64, x: &[f64], l: &[f64], residual: &[f64]) -> Option<Doubled> {
    if (w > 0.0) != (root.s.re == 0.0) {
        return None;
    }
    let size = w.abs().sqrt();
    let s = match (w > 0.0, root.s.im < 0.0 || root.s.re < 0.0) {
        (true, false) => c64::new(0.0, size),
        (true, true) => c64::new(0.0, -size),
        (false, false) => c64::new(size, 0.0),
        (false, true) => c64::new(-size, 0.0),
    };
    let [x, l, residual] = [x, l, residual].map(crate::vectors::complex);
    Some(Doubled { x, l, s, residual })
}

/// What rounding of the entries of K does to a pair of mass x^T M x, relative to 2 w x^T M x; zero where that is not known.
pub(super) fn rounded(problem: &Problem, w: f64, x: &[f64], mass: f64) -> f64 {
    let Some(rounded) = problem.rounded_stiffness() else { return 0.0 };
    let sizes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let terms: f64 = sizes.iter().zip(rounded.magnitude(&sizes)).map(|(x, k)| x * k).sum();
    let share = f64::EPSILON * terms / (2.0 * w.abs() * mass.abs());
    if share.is_finite() { share } else { 0.0 }
}

/// The steps with one factor; the smallest weighted residual relative to 2 w x^T M x, and its pair.
fn iterate(problem: &Problem, mut pair: Pair, aside: f64, enough: f64) -> Option<(f64, Pair)> {
    let solver = problem.factor_roughly(-pair.w * (1.0 + aside).powi(2), 0.0).ok()?;
    let mut low = vec![0.0; pair.x.len()];
    let mut best: Option<(f64, Pair)> = None;
    let mut idle = 0;
    for _ in 0..STEPS {
        let mx = inertia(problem, &pair.x);
        let force = elastic(problem, &pair, &low);
        let mass = dot(&pair.x, &mx);
        let mut r: Vec<f64> = force.iter().zip(&mx).map(|(k, m)| k.value() - pair.w * m).collect();
        let step = dot(&pair.x, &r) / mass;
        if !step.is_finite() {
            break;
        }
        pair.w += step;
        r.iter_mut().zip(&mx).for_each(|(r, m)| *r -= step * m);
        let weighted: f64 = pair.x.iter().zip(&r).map(|(x, r)| (x * r).abs()).sum();
        let rho = weighted / (2.0 * pair.w.abs() * mass.abs());
        if !rho.is_finite() {
            break;
        }
        let gained = best.as_ref().is_none_or(|(before, _)| rho <= GAIN * before);
        idle = if gained { 0 } else { idle + 1 };
        if idle == PATIENCE {
            break;
        }
        let f = Dense::from_fn(r.len(), 1, |i, _| r[i]);
        if gained {
            best = Some((rho, Pair { residual: r, ..pair.clone() }));
        }
        if rho <= enough {
            break;
        }
        let Ok(solved) = solver.solve(&f, false, Effort::Krylov) else { break };
        let change = solved.x.col_as_slice(0);
        // The direction of x itself is the factor's to spoil, and of no use.
        let along = dot(&mx, change) / mass;
        for ((x, low), d) in pair.x.iter_mut().zip(&mut low).zip(change) {
            let (high, rest) = two_sum(*x, along * *x - d);
            (*x, *low) = two_sum(high, rest + *low);
        }
        let multipliers = problem.rows.multipliers(&solved.l);
        if multipliers.nrows() > 0 {
            pair.l.iter_mut().zip(multipliers.col_as_slice(0)).for_each(|(l, d)| *l -= d);
        }
    }
    best
}

/// M x, rounded.
fn inertia(problem: &Problem, x: &[f64]) -> Vec<f64> {
    let row = |row: sprs::CsVecView<'_, f64>| row.iter().map(|(j, m)| m * x[j]).sum();
    problem.m.sparse().outer_iterator().map(row).collect()
}

/// K (x + low) + Phi_q^T l, each entry in two parts.
fn elastic(problem: &Problem, pair: &Pair, low: &[f64]) -> Vec<Twofold> {
    let mut parts = problem.stiffness().iter().map(|part| rows_times(part.sparse(), &pair.x, low));
    let mut sums = parts.next().unwrap_or_default();
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, part)| sum.join(part));
    }
    for (row, l) in problem.rows.given.sparse().outer_iterator().zip(&pair.l) {
        row.iter().for_each(|(j, a)| sums[j].add_product(*a, *l));
    }
    sums
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
