//! Symmetric eigenpairs whose residual is lost in rounding, with vectors and residuals in double-double precision.
//!
//! ```text
//! r = (s^2 M + s C + K) x + Phi_q^T l,   s <- s - x^T r / x^T (2 s M + C) x,   x <- x - d
//! [sigma^2 M + sigma C + K  Phi_i^T; Phi_i  0] [d; .] = [r; 0]
//! ```
//!
//! with x = x_1 + x_2, the sums of K x and C x in double-double precision (double_double.rs) and sigma near s:
//! residual inverse iteration (Neumaier, SIAM J. Numer. Anal. 22, 1985); without damping all is real, in terms of w =
//! -s^2 (real.rs), and those nearest to a shift share its factors (block.rs); so do those next to undamped ones (damped.rs). The entries of a stiff link's K exceed the stiffness of its low modes by
//! h^-3 and more (1e12 at 10,000 elements), so that a vector rounded to double already leaves a residual of u |K| |x|, and
//! a bound that allows for it reaches zero. The factor is as bad, but a factor with two right digits gains two digits
//! in each step, for the residual has them all. What comes out is the eigenvalue of the
//! matrices as given. Whether these, rounded, are still the ones that were meant is another matter: they are where K is given
//! as a sum whose large part is exact ([`mb_algebra::StiffnessParts`]), else see
//! [`crate::sparse::SparseFinding::RoundedStiffness`]. Sizes: n unknowns, m
//! rows; a factorization and some 30 (nnz K + nnz M) operations a step.

use mb_algebra::compensated::two_sum;
use mb_algebra::{AlgebraError, Dense, DenseC, c64};

pub(crate) mod anderson;
pub(crate) mod block;
pub(crate) mod condensed;
pub(crate) mod damped;
pub(crate) mod penalty_operator;
pub(crate) mod real;
mod real_columns;
#[cfg(test)]
mod tests;

use crate::numeric::double_double::{Sums, Term, sum_of_products};
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::problem::uncertified::Uncertified;
use crate::transform::factors::Effort;
use crate::transform::factors::Shifted;
use crate::{Eigenpair, Shape, tuning};
use anderson::{Mixing, Step};
pub(crate) use penalty_operator::Springs;

/// Distances of sigma from s, relative to s: near enough to a neighbour of s, and, where the factor's own error is of the
/// order of the first, further away.
const ASIDE: [f64; 2] = [5e-4, 0.05];
/// A residual that falls by less than this for so many steps is as small as it gets.
const GAIN: f64 = 0.7;

/// An eigenpair with the residual it leaves.
pub(crate) struct Doubled {
    /// x_1 of length one to a few roundings.
    pub(crate) x: Shape,
    /// Multipliers of the rows as given.
    pub(crate) l: Shape,
    pub(crate) s: c64,
    /// (s^2 M + s C + K) x + Phi_q^T l for x_1 + x_2.
    pub(crate) residual: Shape,
}

/// An eigenpair that was improved together with others.
pub(crate) struct Improved {
    pub(crate) pair: Doubled,
    /// x_2.
    pub(crate) low: Vec<f64>,
    /// Whether it needs no further steps.
    pub(crate) enough: bool,
}

impl Improved {
    /// Without x_2.
    pub(crate) fn alone(self) -> (Doubled, bool) {
        (self.pair, self.enough)
    }
}

/// An eigenpair to start from, or to deflate.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) s: c64,
    pub(crate) x: &'a Shape,
    /// Multipliers of the rows as given.
    pub(crate) l: &'a Shape,
}

impl<'a> Given<'a> {
    /// What an eigenpair has.
    pub(crate) fn of(pair: &'a Eigenpair) -> Self {
        Self { s: pair.alpha / pair.beta, x: &pair.right, l: &pair.multipliers }
    }

    /// The same of an eigenvalue that has not been measured.
    pub(crate) fn of_uncertified(approx: &'a Uncertified) -> Self {
        Self { s: approx.s, x: &approx.right, l: &approx.multipliers }
    }
}

/// Improves the `wanted` ones of several eigenpairs of a symmetric problem at once, where they are real, with the factors `near`
/// them all, to a residual of `enough`.
pub(crate) fn refine_together(
    problem: &Problem,
    near: &Shifted,
    pairs: &[Given<'_>],
    wanted: &[bool],
    enough: f64,
) -> Vec<Option<Improved>> {
    let real = |pair: &Given<'_>| pair.x.is_real() && pair.l.is_real();
    if !problem.undamped() || !pairs.iter().all(real) {
        return pairs.iter().map(|_| None).collect();
    }
    block::refine(problem, near, pairs, wanted, enough)
}

/// Improves several pairs of a symmetric problem at once from pairs of the undamped one, with its factors `near`; each with word
/// whether it needs no further steps. With `springs` the rows are held by them, and eigenpairs are those of (x, Phi_q x).
pub(crate) fn refine_damped(
    problem: &Problem,
    springs: Option<&Springs>,
    near: &Shifted,
    uncertified: &[Uncertified],
) -> Vec<Option<(Doubled, bool)>> {
    damped::refine(problem, springs, near, uncertified)
}

/// Improves an eigenpair of a symmetric problem; none where there is no factor near s or nothing is gained.
pub(crate) fn refine(problem: &Problem, approx: &Uncertified) -> Option<Doubled> {
    if problem.undamped() && approx.right.is_real() && approx.multipliers.is_real() {
        return real::refine(problem, approx);
    }
    // Where damping is light, or acts on little, a real factor without its imaginary part does, for half the work.
    let kinds: &[Kind] = if problem.undamped() { &[Kind::Real] } else { &[Kind::Real, Kind::Complex] };
    let mut best: Option<(f64, Doubled)> = None;
    for (aside, kind) in ASIDE.into_iter().flat_map(|aside| kinds.iter().map(move |kind| (aside, *kind))) {
        let from = best.as_ref().map_or_else(
            || Start { s: approx.s, x: approx.right.to_vec(), l: approx.multipliers.to_vec() },
            |(_, found)| Start { s: found.s, x: found.x.to_vec(), l: found.l.to_vec() },
        );
        let Some((rho, found)) = iterate(problem, from, aside, kind) else { continue };
        if best.as_ref().is_none_or(|(before, _)| rho < *before) {
            best = Some((rho, found));
        }
        if rho <= tuning::EPS_2_3 {
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
    let solver = problem.factor_roughly(sigma * sigma, sigma)?;
    Ok(Box::new(move |r| {
        let f = DenseC::from_fn(r.len(), 1, |i, _| r[i]);
        let solved = solver.solve(&f, false, Effort::Krylov).ok()?;
        let l = problem.rows.multipliers(&solved.l);
        let column = |a: &DenseC| (0..a.nrows()).map(|i| a[(i, 0)]).collect();
        Some((column(&solved.x), column(&l)))
    }))
}

/// The steps with one factor; the smallest weighted residual relative to s x^T (2 s M + C) x, and its eigenpair.
fn iterate(problem: &Problem, start: Start, aside: f64, kind: Kind) -> Option<(f64, Doubled)> {
    let Start { mut s, x, l } = start;
    let solve = factor(problem, s * (1.0 + aside), kind).ok()?;
    let products = Products::new(problem);
    let weight: Vec<f64> = products.weight.iter().chain(&products.weight).copied().collect();
    let (mut x, mut l) = (parts(&x), parts(&l));
    let mut low = Dense::zeros(x.nrows(), 2);
    let mut mixing = Mixing::default();
    let mut best: Option<(f64, Doubled)> = None;
    let (mut idle, mut enough) = (0, None);
    // Steps at most.
    for _ in 0..tuning::STEPS {
        let (vector, multipliers) = (joined(&x), joined(&l));
        let Some(Settled { s: better, r, slope, d }) = settle(&products, s, &vector, [&x, &low, &l]) else {
            break;
        };
        s = better;
        let weighted: f64 = vector.iter().zip(&r).map(|(x, r)| (x.norm_sqr() * r.norm_sqr()).sqrt()).sum();
        let rho = weighted / (s.norm() * d.norm());
        if !rho.is_finite() {
            break;
        }
        let enough =
            // Weighted residual relative to s x^T (2 s M + C) x at which the next step would gain nothing that is used.
            *enough.get_or_insert_with(|| rounded(problem, sizes(&vector), (s * d).norm()).max(tuning::SOLVE_ROUNDINGS));
        let gained = best.as_ref().is_none_or(|(before, _)| rho <= GAIN * before);
        idle = if gained { 0 } else { idle + 1 };
        if idle == tuning::FEW_STEPS {
            break;
        }
        let solved = if rho <= enough { None } else { solve(&r) };
        if gained {
            let (x, l) = (vector.clone().into(), multipliers.clone().into());
            let found = Doubled { x, l, s, residual: r.into() };
            best = Some((rho, found));
        }
        let Some((dx, dl)) = solved else { break };
        // The direction of x itself is the factor's to spoil, and of no use.
        let along = dot(&slope, &dx) / d;
        let step = mixing
            .mix(Step { x: opposite(&dx, along, &vector), l: opposite(&dl, along, &multipliers) }, &weight);
        for (k, step) in step.x.chunks_exact(vector.len()).enumerate() {
            add(x.col_as_slice_mut(k), low.col_as_slice_mut(k), step);
        }
        if l.nrows() > 0 {
            for (k, step) in step.l.chunks_exact(multipliers.len()).enumerate() {
                l.col_as_slice_mut(k).iter_mut().zip(step).for_each(|(l, d)| *l += d);
            }
        }
    }
    best
}

/// s at its best for the vectors as they are.
struct Settled {
    s: c64,
    /// (s^2 M + s C + K) (x + low) + Phi_q^T l.
    r: Vec<c64>,
    /// (2 s M + C) x at the s before, and x^T of that.
    slope: Vec<c64>,
    d: c64,
}

/// The step to the root of the quadratic form, the second order included; `vector`: x as complex numbers.
fn settle(products: &Products<'_>, before: c64, vector: &[c64], [x, low, l]: [&Dense; 3]) -> Option<Settled> {
    let problem = products.problem;
    let mx = joined(&problem.m.mul(x));
    let cx = joined(&products.damping(x, low));
    let force = joined(&products.stiffness(x, low, l));
    let slope: Vec<c64> = mx.iter().zip(&cx).map(|(m, c)| before * m * 2.0 + c).collect();
    let (d, mass) = (dot(vector, &slope), dot(vector, &mx));
    let mut r: Vec<c64> =
        force.iter().zip(&cx).zip(&mx).map(|((k, c), m)| k + before * c + before * before * m).collect();
    let first = -dot(vector, &r) / d;
    let step = first - first * first * mass / d;
    if !(step.is_finite() && d.is_finite()) {
        return None;
    }
    let mut s = before + step;
    if problem.undamped() {
        // On one of the axes it stays there.
        s = if before.re == 0.0 { c64::new(0.0, s.im) } else { c64::new(s.re, 0.0) };
    }
    let taken = s - before;
    r.iter_mut().zip(&slope).zip(&mx).for_each(|((r, slope), m)| *r += taken * (slope + taken * m));
    Some(Settled { s, r, slope, d })
}

/// An eigenpair with vectors x + low that were refined elsewhere, measured here; l: multipliers of the rows as given.
pub(crate) fn measured(products: &Products<'_>, s: c64, [x, low, l]: [&Shape; 3]) -> Option<Doubled> {
    if products.problem.undamped() && [x, low, l].iter().all(|part| part.is_real()) {
        return real::measured(products, s, [x, low, l]);
    }
    let [high, rest, multipliers] = [x, low, l].map(|part| parts(part));
    let Settled { s, r, .. } = settle(products, s, x, [&high, &rest, &multipliers])?;
    Some(Doubled { x: x.clone(), l: l.clone(), s, residual: r.into() })
}

/// What rounding of the entries of K does to an eigenpair, relative to `scale` = |s x^T (2 s M + C) x|; zero where that is not known.
fn rounded(problem: &Problem, sizes: impl Iterator<Item = f64>, scale: f64) -> f64 {
    let Some(rounded) = problem.rounded_stiffness() else { return 0.0 };
    let sizes: Vec<f64> = sizes.collect();
    let terms: f64 = sizes.iter().zip(rounded.magnitude(&sizes)).map(|(x, k)| x * k).sum();
    let share = f64::EPSILON * terms / scale;
    if share.is_finite() { share } else { 0.0 }
}

/// Magnitudes of complex numbers.
fn sizes(x: &[c64]) -> impl Iterator<Item = f64> {
    x.iter().map(|x| x.norm_sqr().sqrt())
}

/// Real and imaginary parts as columns.
fn parts(z: &[c64]) -> Dense {
    Dense::from_fn(z.len(), 2, |i, k| if k == 0 { z[i].re } else { z[i].im })
}

fn joined(a: &Dense) -> Vec<c64> {
    (0..a.nrows()).map(|i| c64::new(a[(i, 0)], a[(i, 1)])).collect()
}

/// along x - d, real parts before imaginary ones.
fn opposite(d: &[c64], along: c64, x: &[c64]) -> Vec<f64> {
    let step: Vec<c64> = d.iter().zip(x).map(|(d, x)| along * x - d).collect();
    step.iter().map(|z| z.re).chain(step.iter().map(|z| z.im)).collect()
}

/// x + low += d.
fn add(x: &mut [f64], low: &mut [f64], d: &[f64]) {
    for ((x, low), d) in x.iter_mut().zip(low).zip(d) {
        let (high, rest) = two_sum(*x, *d);
        (*x, *low) = two_sum(high, rest + *low);
    }
}

/// Products in double-double precision, rounded at the end.
pub(crate) struct Products<'a> {
    problem: &'a Problem<'a>,
    /// Phi_q^T by rows.
    reactions: Matrix<'static>,
    /// Diagonal of M.
    weight: Vec<f64>,
}

impl<'a> Products<'a> {
    pub(crate) fn new(problem: &'a Problem<'a>) -> Self {
        let rows = problem.m.sparse();
        let weight = (0..problem.n).map(|i| rows.get(i, i).map_or(0.0, |m| m.max(0.0))).collect();
        Self { problem, reactions: problem.rows.given.transposed(), weight }
    }

    /// K (X + low) + Phi_q^T L, K as a sum where it is known as one.
    fn stiffness(&self, x: &Dense, low: &Dense, l: &Dense) -> Dense {
        let mut out = Dense::zeros(x.nrows(), x.ncols());
        let columns: Vec<usize> = (0..x.ncols()).collect();
        self.stiffness_of(&mut Sums::default(), [x, low, l], &columns, &mut out);
        out
    }

    /// The same for some columns of X, low and L, into the first columns of `out`.
    fn stiffness_of(&self, sums: &mut Sums, [x, low, l]: [&Dense; 3], columns: &[usize], out: &mut Dense) {
        let parts = self.problem.stiffness().iter().filter(|part| !part.is_zero());
        let mut terms: Vec<Term<'_>> =
            parts.map(|part| Term { a: part.sparse(), x, low: Some(low) }).collect();
        if l.nrows() > 0 || terms.is_empty() {
            terms.push(Term { a: self.reactions.sparse(), x: l, low: None });
        }
        sums.of_columns(&terms, columns, out);
    }

    /// C (X + low).
    fn damping(&self, x: &Dense, low: &Dense) -> Dense {
        let c = &self.problem.c;
        if c.is_zero() {
            return Dense::zeros(x.nrows(), x.ncols());
        }
        sum_of_products(&[Term { a: c.sparse(), x, low: Some(low) }])
    }
}

fn dot(a: &[c64], b: &[c64]) -> c64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
