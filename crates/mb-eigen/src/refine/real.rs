//! The steps of double-double precision without damping, where eigenpairs are real.
//!
//! ```text
//! r = K x + Phi_q^T l - w M x,   w <- w + x^T r / x^T M x,   x <- x - d,   w = -s^2
//! [K - sigma M  Phi_i^T; Phi_i  0] [d; .] = [r; 0],   sigma near w
//! ```
//!
//! As in the module above, for half the work. The steps end where the residual is below what rounding of the entries of K
//! does, as far as that is known. Sizes: n unknowns, m rows.

use mb_algebra::{Dense, c64};

use super::anderson::{Mixing, Step};
use super::{ASIDE, Doubled, GAIN, Products, add, rounded};
use crate::Shape;
use crate::problem::Problem;
use crate::problem::uncertified::Uncertified;
use crate::transform::factors::Effort;
use crate::tuning;

/// An eigenpair on its way.
#[derive(Clone)]
struct Pair {
    w: f64,
    x: Vec<f64>,
    l: Vec<f64>,
    residual: Vec<f64>,
}

/// As [`super::refine`], of a real eigenpair.
pub(super) fn refine(problem: &Problem, approx: &Uncertified) -> Option<Doubled> {
    let start = Pair {
        w: -(approx.s * approx.s).re,
        x: approx.right.real_parts().into_owned(),
        l: approx.multipliers.real_parts().into_owned(),
        residual: Vec::new(),
    };
    let mass = dot(&start.x, &inertia(problem, &start.x));
    let enough = rounded(problem, start.x.iter().map(|x| x.abs()), 2.0 * start.w.abs() * mass.abs())
        .max(tuning::SOLVE_ROUNDINGS);
    let mut best: Option<(f64, Pair)> = None;
    for aside in ASIDE {
        let from = best.as_ref().map_or_else(|| start.clone(), |(_, found)| found.clone());
        let Some((rho, found)) = iterate(problem, from, aside, enough) else { continue };
        if best.as_ref().is_none_or(|(before, _)| rho < *before) {
            best = Some((rho, found));
        }
        if rho <= enough.max(tuning::EPS_2_3) {
            break;
        }
    }
    let (_, Pair { w, x, l, residual }) = best?;
    doubled(approx.s, w, [x, l, residual])
}

/// A better eigenpair in place of an eigenvalue, with its x, l and residual; none where it changed from oscillation to
/// growth, which makes it another one.
pub(super) fn doubled(approx: c64, w: f64, parts: [Vec<f64>; 3]) -> Option<Doubled> {
    if (w > 0.0) != (approx.re == 0.0) {
        return None;
    }
    let size = w.abs().sqrt();
    let s = match (w > 0.0, approx.im < 0.0 || approx.re < 0.0) {
        (true, false) => c64::new(0.0, size),
        (true, true) => c64::new(0.0, -size),
        (false, false) => c64::new(size, 0.0),
        (false, true) => c64::new(-size, 0.0),
    };
    let [x, l, residual] = parts.map(Shape::of_real);
    Some(Doubled { x, l, s, residual })
}

/// The steps with one factor; the smallest weighted residual relative to 2 w x^T M x, and its eigenpair.
fn iterate(problem: &Problem, mut pair: Pair, aside: f64, enough: f64) -> Option<(f64, Pair)> {
    let solver = problem.factor_roughly(-pair.w * (1.0 + aside).powi(2), 0.0).ok()?;
    let products = Products::new(problem);
    let mut low = Dense::zeros(pair.x.len(), 1);
    let mut mixing = Mixing::default();
    let mut best: Option<(f64, Pair)> = None;
    let mut idle = 0;
    for _ in 0..tuning::STEPS {
        let Some((mx, mass)) = settle(&products, &mut pair, &low) else { break };
        let weighted: f64 = pair.x.iter().zip(&pair.residual).map(|(x, r)| (x * r).abs()).sum();
        let rho = weighted / (2.0 * pair.w.abs() * mass.abs());
        if !rho.is_finite() {
            break;
        }
        let gained = best.as_ref().is_none_or(|(before, _)| rho <= GAIN * before);
        idle = if gained { 0 } else { idle + 1 };
        if idle == tuning::FEW_STEPS {
            break;
        }
        if gained {
            best = Some((rho, pair.clone()));
        }
        if rho <= enough {
            break;
        }
        let Ok(solved) = solver.solve(&single(&pair.residual), false, Effort::Krylov) else { break };
        let change = solved.x.col_as_slice(0);
        let multipliers = problem.rows.multipliers(&solved.l);
        let multipliers = if multipliers.nrows() > 0 { multipliers.col_as_slice(0) } else { &[] };
        // The direction of x itself is the factor's to spoil, and of no use.
        let along = dot(&mx, change) / mass;
        let opposite =
            |of: &[f64], d: &[f64]| of.iter().zip(d).map(|(x, d)| along * x - d).collect::<Vec<f64>>();
        let step = Step { x: opposite(&pair.x, change), l: opposite(&pair.l, multipliers) };
        let step = mixing.mix(step, &products.weight);
        add(&mut pair.x, low.col_as_slice_mut(0), &step.x);
        pair.l.iter_mut().zip(&step.l).for_each(|(l, d)| *l += d);
    }
    best
}

/// Brings w to its best for the vectors as they are, and the residual along; M x and x^T M x.
fn settle(products: &Products<'_>, pair: &mut Pair, low: &Dense) -> Option<(Vec<f64>, f64)> {
    let mx = inertia(products.problem, &pair.x);
    let force = products.stiffness(&single(&pair.x), low, &single(&pair.l));
    let mass = dot(&pair.x, &mx);
    let mut r: Vec<f64> = force.col_as_slice(0).iter().zip(&mx).map(|(k, m)| k - pair.w * m).collect();
    let step = dot(&pair.x, &r) / mass;
    if !step.is_finite() {
        return None;
    }
    pair.w += step;
    r.iter_mut().zip(&mx).for_each(|(r, m)| *r -= step * m);
    pair.residual = r;
    Some((mx, mass))
}

/// As [`super::measured`], of a real eigenpair.
pub(super) fn measured(products: &Products<'_>, s: c64, [x, low, l]: [&Shape; 3]) -> Option<Doubled> {
    let [x, low, l] = [x, low, l].map(|part| part.real_parts().into_owned());
    let mut pair = Pair { w: -(s * s).re, x, l, residual: Vec::new() };
    settle(products, &mut pair, &single(&low))?;
    doubled(s, pair.w, [pair.x, pair.l, pair.residual])
}

/// A column.
fn single(x: &[f64]) -> Dense {
    Dense::from_fn(x.len(), 1, |i, _| x[i])
}

/// M x, rounded.
fn inertia(problem: &Problem, x: &[f64]) -> Vec<f64> {
    let row = |row: sprs::CsVecView<'_, f64>| row.iter().map(|(j, m)| m * x[j]).sum();
    problem.m.sparse().outer_iterator().map(row).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
