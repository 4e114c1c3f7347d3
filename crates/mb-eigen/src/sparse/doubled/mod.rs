//! Symmetric pairs whose residual drowns in rounding, with vectors and residuals in doubled precision.
//!
//! ```text
//! r = (s^2 M + s C + K) x + Phi_q^T l,   s <- s - x^T r / x^T (2 s M + C) x,   x <- x - d
//! [sigma^2 M + sigma C + K  Phi_i^T; Phi_i  0] [d; .] = [r; 0]
//! ```
//!
//! with x = x_1 + x_2, the sums of K x and C x in doubled precision (compensated.rs) and sigma beside s: residual inverse
//! iteration (Neumaier, SIAM J. Numer. Anal. 22, 1985); without damping all is real, in terms of w = -s^2
//! (real.rs), and those nearest to a shift share its factors (together.rs). The entries of a stiff link's K exceed the stiffness of its low modes by
//! h^-3 and more (1e12 at 10,000 elements), so that a vector rounded to double already leaves a residual of u |K| |x|, and
//! a bar that allows for it reaches zero. The factor is as bad, but a factor with two right digits gains two digits in each
//! step, for the residual has them all. What comes out is the root of the
//! matrices as given. Whether these, rounded, are still the ones that were meant is another matter: they are where K is given
//! as a sum whose large part is exact ([`mb_algebra::StiffnessParts`]), else see
//! [`super::SparseFinding::RoundedStiffness`]. Sizes: n unknowns, m
//! rows; a factorization and some 30 (nnz K + nnz M) operations a step.

use mb_algebra::{AlgebraError, Dense, DenseC, c64};

mod mixing;
mod real;
mod together;

use super::certificate::Root;
use super::matrix::Matrix;
use super::problem::Problem;
use super::shift_solve::Effort;
use super::symmetric::Shifted;
use crate::compensated::{Twofold, rows_times};
use crate::vectors::ZERO;

/// Distances of sigma from s, relative to s: near enough to a neighbour of s, and, where the factor's own error is of the
/// order of the first, further away.
const ASIDE: [f64; 2] = [5e-4, 0.05];
/// Weighted residual relative to s x^T (2 s M + C) x at which the next step would gain nothing that is used.
const ENOUGH: f64 = 1e-13;
/// The same at which no second factor is needed.
const SMALL: f64 = 1e-10;
/// Steps at most.
const STEPS: usize = 30;
/// A residual that falls by less than this for so many steps is as small as it gets.
const GAIN: f64 = 0.7;
const PATIENCE: usize = 3;

/// A pair with the residual it leaves.
pub(crate) struct Doubled {
    /// x_1 of length one to a few roundings.
    pub(crate) x: Vec<c64>,
    /// Multipliers of the rows as given.
    pub(crate) l: Vec<c64>,
    pub(crate) s: c64,
    /// (s^2 M + s C + K) x + Phi_q^T l for x_1 + x_2.
    pub(crate) residual: Vec<c64>,
}

/// Improves several pairs of a symmetric problem at once, where they are real, with the factors `beside` them; each with word
/// whether it needs no further steps.
pub(crate) fn refine_together(
    problem: &Problem,
    beside: &Shifted,
    roots: &[Root],
) -> Vec<Option<(Doubled, bool)>> {
    let real = |root: &Root| root.right.iter().chain(&root.multipliers).all(|z| z.im == 0.0);
    if !problem.undamped() || !roots.iter().all(real) {
        return roots.iter().map(|_| None).collect();
    }
    together::refine(problem, beside, roots)
}

/// Improves a pair of a symmetric problem; none where there is no factor beside s or nothing is gained.
pub(crate) fn refine(problem: &Problem, root: &Root) -> Option<Doubled> {
    if problem.undamped() && root.right.iter().chain(&root.multipliers).all(|z| z.im == 0.0) {
        return real::refine(problem, root);
    }
    // Where damping is light, or acts on little, a real factor without its imaginary part does, for half the work.
    let kinds: &[Kind] = if problem.undamped() { &[Kind::Real] } else { &[Kind::Real, Kind::Complex] };
    let mut best: Option<(f64, Doubled)> = None;
    for (aside, kind) in ASIDE.into_iter().flat_map(|aside| kinds.iter().map(move |kind| (aside, *kind))) {
        let from = best.as_ref().map_or_else(
            || Start { s: root.s, x: root.right.clone(), l: root.multipliers.clone() },
            |(_, found)| Start { s: found.s, x: found.x.clone(), l: found.l.clone() },
        );
        let Some((rho, found)) = iterate(problem, from, aside, kind) else { continue };
        if best.as_ref().is_none_or(|(before, _)| rho < *before) {
            best = Some((rho, found));
        }
        if rho <= SMALL {
            break;
        }
    }
    best.map(|(_, found)| found)
}

/// The matrix that is factored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Re(sigma^2) M + Re(sigma) C + K.
    Real,
    /// sigma^2 M + sigma C + K.
    Complex,
}

struct Start {
    s: c64,
    x: Vec<c64>,
    l: Vec<c64>,
}

/// d and the multipliers of a residual.
type Solve<'a> = Box<dyn Fn(&[c64]) -> Option<(Vec<c64>, Vec<c64>)> + 'a>;

/// Factors at sigma.
fn factor<'a>(problem: &'a Problem, sigma: c64, kind: Kind) -> Result<Solve<'a>, AlgebraError> {
    if kind == Kind::Real {
        let solver = problem.factor_roughly((sigma * sigma).re, sigma.re)?;
        return Ok(Box::new(move |r| {
            // Real and imaginary part side by side, the latter where there is one.
            let parts = if r.iter().all(|r| r.im == 0.0) { 1 } else { 2 };
            let f = Dense::from_fn(r.len(), parts, |i, j| if j == 0 { r[i].re } else { r[i].im });
            let solved = solver.solve(&f, false, Effort::Krylov).ok()?;
            let l = problem.rows.multipliers(&solved.l);
            let joined = |a: &Dense| -> Vec<c64> {
                (0..a.nrows()).map(|i| c64::new(a[(i, 0)], if parts > 1 { a[(i, 1)] } else { 0.0 })).collect()
            };
            Some((joined(&solved.x), joined(&l)))
        }));
    }
    let solver = problem.factor_complex_roughly(sigma * sigma, sigma)?;
    Ok(Box::new(move |r| {
        let f = DenseC::from_fn(r.len(), 1, |i, _| r[i]);
        let solved = solver.solve(&f, false, Effort::Krylov).ok()?;
        let l = problem.rows.multipliers(&solved.l);
        let column = |a: &DenseC| (0..a.nrows()).map(|i| a[(i, 0)]).collect();
        Some((column(&solved.x), column(&l)))
    }))
}

/// The steps with one factor; the smallest weighted residual relative to s x^T (2 s M + C) x, and its pair.
fn iterate(problem: &Problem, start: Start, aside: f64, kind: Kind) -> Option<(f64, Doubled)> {
    let Start { mut s, mut x, mut l } = start;
    let (undamped, oscillates) = (problem.undamped(), s.re == 0.0);
    let solve = factor(problem, s * (1.0 + aside), kind).ok()?;
    let mut low = vec![ZERO; x.len()];
    let mut best: Option<(f64, Doubled)> = None;
    let mut idle = 0;
    for _ in 0..STEPS {
        let mx = plain(&problem.m, &x);
        let cx = product(&problem.c, &x, &low);
        let kx = stiffness(problem, &x, &low);
        let force = reaction(problem, &l);
        // Inertia cancels in nothing: it is what is left of stiffness and reactions.
        let at = |s: c64| -> Vec<c64> {
            let inertia = s * s;
            let row = |i: usize| {
                let mut sum = kx.get(i).copied().unwrap_or_default();
                if !cx.is_empty() {
                    sum.add_scaled(&cx[i], s);
                }
                sum.add(&force[i]);
                sum.value() + inertia * mx[i]
            };
            (0..x.len()).map(row).collect()
        };
        let slope: Vec<c64> = if cx.is_empty() {
            mx.iter().map(|m| s * m * 2.0).collect()
        } else {
            mx.iter().zip(&cx).map(|(m, c)| s * m * 2.0 + c.value()).collect()
        };
        let (d, mass) = (dot(&x, &slope), dot(&x, &mx));
        // The step to the root of the quadratic form, the second order included.
        let mut r = at(s);
        let form = dot(&x, &r);
        let first = -form / d;
        let step = first - first * first * mass / d;
        if !(step.is_finite() && d.is_finite()) {
            break;
        }
        let before = s;
        s += step;
        if undamped {
            // On one of the axes it stays there.
            s = if oscillates { c64::new(0.0, s.im) } else { c64::new(s.re, 0.0) };
        }
        let taken = s - before;
        r.iter_mut().zip(&slope).zip(&mx).for_each(|((r, slope), m)| *r += taken * (slope + taken * m));
        let rho = x.iter().zip(&r).map(|(x, r)| x.norm() * r.norm()).sum::<f64>() / (s.norm() * d.norm());
        if !rho.is_finite() {
            break;
        }
        let gained = best.as_ref().is_none_or(|(before, _)| rho <= GAIN * before);
        idle = if gained { 0 } else { idle + 1 };
        if idle == PATIENCE {
            break;
        }
        let Some((mut change, dl)) = solve(&r) else { break };
        if gained {
            best = Some((rho, Doubled { x: x.clone(), l: l.clone(), s, residual: r }));
        }
        if rho <= ENOUGH {
            break;
        }
        // The direction of x itself is the factor's to spoil, and of no use.
        let along = dot(&slope, &change) / d;
        change.iter_mut().zip(&x).for_each(|(d, x)| *d -= along * x);
        for ((x, low), d) in x.iter_mut().zip(&mut low).zip(&change) {
            let (re, im) = (two_sum(x.re, -d.re), two_sum(x.im, -d.im));
            let (re, im) = (two_sum(re.0, re.1 + low.re), two_sum(im.0, im.1 + low.im));
            (*x, *low) = (c64::new(re.0, im.0), c64::new(re.1, im.1));
        }
        l.iter_mut().zip(&dl).for_each(|(l, d)| *l -= d);
    }
    best
}

/// A complex sum in two parts.
#[derive(Clone, Copy, Default)]
struct Sum {
    re: Twofold,
    im: Twofold,
}

impl Sum {
    fn add(&mut self, other: &Self) {
        self.add_scaled(other, c64::new(1.0, 0.0));
    }

    fn plus(mut self, other: Self) -> Self {
        self.re.join(other.re);
        self.im.join(other.im);
        self
    }

    fn add_scaled(&mut self, other: &Self, by: c64) {
        self.re.add_scaled(other.re, by.re);
        self.im.add_scaled(other.im, by.re);
        if by.im != 0.0 {
            self.re.add_scaled(other.im, -by.im);
            self.im.add_scaled(other.re, by.im);
        }
    }

    fn value(&self) -> c64 {
        c64::new(self.re.value(), self.im.value())
    }
}

/// A (x + low), each entry in two parts; empty for zero.
fn product(a: &Matrix, x: &[c64], low: &[c64]) -> Vec<Sum> {
    if a.is_zero() {
        return Vec::new();
    }
    let part = |v: &[c64], of: fn(&c64) -> f64| v.iter().map(of).collect::<Vec<f64>>();
    let re = rows_times(a.sparse(), &part(x, |z| z.re), &part(low, |z| z.re));
    let im = rows_times(a.sparse(), &part(x, |z| z.im), &part(low, |z| z.im));
    re.into_iter().zip(im).map(|(re, im)| Sum { re, im }).collect()
}

/// K (x + low), K as a sum where it is known as one.
fn stiffness(problem: &Problem, x: &[c64], low: &[c64]) -> Vec<Sum> {
    let mut parts = problem.stiffness().iter().map(|part| product(part, x, low));
    let first = parts.next().unwrap_or_default();
    parts.filter(|part| !part.is_empty()).fold(first, |sum, part| {
        if sum.is_empty() {
            return part;
        }
        sum.into_iter().zip(part).map(|(a, b)| a.plus(b)).collect()
    })
}

/// M x, rounded.
fn plain(m: &Matrix, x: &[c64]) -> Vec<c64> {
    let row = |row: sprs::CsVecView<'_, f64>| row.iter().map(|(j, a)| x[j] * *a).sum();
    m.sparse().outer_iterator().map(row).collect()
}

/// Phi_q^T l, each entry in two parts.
fn reaction(problem: &Problem, l: &[c64]) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); problem.n];
    for (row, l) in problem.rows.given.sparse().outer_iterator().zip(l) {
        for (j, a) in row.iter() {
            sums[j].re.add_product(*a, l.re);
            sums[j].im.add_product(*a, l.im);
        }
    }
    sums
}

/// a + b and what rounding took from it.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

fn dot(a: &[c64], b: &[c64]) -> c64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
