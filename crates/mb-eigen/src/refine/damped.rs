//! Several damped eigenpairs at once, held by constraints or by penalties, with real factors of the problem without either.
//!
//! ```text
//! r_j = (s_j^2 M + s_j C + K) x_j + Phi_q^T l_j,   e_j = Phi_q x_j,   q_j = D(s_j) e_j - l_j
//! s_j <- s_j - (x_j^T r_j + e_j^T q_j) / m_j,      m_j = x_j^T (2 s_j M + C) x_j + e_j^T D'(s_j) e_j
//! [K - sigma M  Phi_i^T; Phi_i  0] [d_j; h_j] = [r_j; D(s_j)^-1 q_j],   x_j <- x_j - d_j,   l_j <- l_j - h_j
//! ```
//!
//! An eigenpair of the undamped problem held by constraints is next to that of the problem with light damping or stiff penalties, and its
//! factors are available: no others are made. What holds the rows, D(s) = s^2 Xi + s Xi Theta + Xi Omega (springs.rs),
//! stands on the right-hand side exactly; without penalties e_j is to vanish, and stands there itself. As in block.rs
//! the shares of the modes i of the block are corrected by the residuals,
//!
//! ```text
//! x_i^T ((s_j^2 - s_i^2) M + (s_j - s_i) C) d_j = x_i^T r_j,   i /= j
//! ```
//!
//! and the steps are mixed (mixing.rs). Of another mode i a step leaves (w_j - sigma) / (w_i - sigma) and the share that damping has in
//! s^2 M + s C + K: heavy damping is left to the steps one by one. Vectors are pairs of real columns. Sizes: n unknowns, m rows, p eigenpairs;
//! a step solves for 2p right-hand sides.

use mb_algebra::{Dense, c64, dense};

use super::anderson::{Mixing, Step};
use super::penalty_operator::Springs;
use super::real_columns::{
    axpy, bilinear, column, columns, complex, copy, dot, entry, hermitian, joined, pair, pair_mut, put,
    put_columns, selected,
};
use super::{Doubled, GAIN, Products, add, rounded, sizes};
use crate::krylov::scalar::{Scalar, subtract};
use crate::numeric::double_double::{Term, sum_of_products};
use crate::problem::Problem;
use crate::problem::uncertified::Uncertified;
use crate::transform::factors::Shifted;
use crate::tuning;

/// An eigenpair as good as it got; real parts before imaginary ones.
struct Best {
    rho: f64,
    s: c64,
    x: Vec<f64>,
    l: Vec<f64>,
    e: Vec<f64>,
    residual: Vec<f64>,
    unheld: Vec<f64>,
}

/// Products with all vectors, real and imaginary parts side by side.
struct Images {
    /// M X, C X and Phi_q X.
    m: Dense,
    c: Dense,
    e: Dense,
    /// Xi E and Xi Theta E; without rows where there is no penalty.
    springs: [Dense; 2],
    /// K X + Phi_q^T L, and then the residuals.
    residual: Dense,
    /// What the constraint rows lack: D^-1 q, or e where there is no penalty.
    lack: Dense,
    /// q; zero where there is no penalty.
    unheld: Dense,
}

/// Forms of an eigenpair: x^T M x + e^T Xi e, x^T C x + e^T Xi Theta e, and m_j.
#[derive(Clone, Copy, Default)]
struct Forms {
    mass: c64,
    damping: c64,
    slope: c64,
}

/// All eigenpairs on their way.
struct Block<'a> {
    problem: &'a Problem<'a>,
    springs: Option<&'a Springs>,
    s: Vec<c64>,
    /// Rounded vectors, what rounding left of them, and multipliers of the rows as given.
    x: Dense,
    low: Dense,
    l: Dense,
    forms: Vec<Forms>,
    /// Residuals at which no more is gained that is used; known from the first step on.
    enough: Vec<f64>,
    best: Vec<Option<Best>>,
    idle: Vec<usize>,
}

/// Improves damped eigenpairs, started from others near to them; whether each got where the next step would gain nothing that is used.
/// With `springs` in place of the constraints, vectors and residuals are those of (x, e). `near`: factors without damping.
pub(super) fn refine(
    problem: &Problem,
    springs: Option<&Springs>,
    near: &Shifted,
    starts: &[Uncertified],
) -> Vec<Option<(Doubled, bool)>> {
    let p = starts.len();
    // A row that depends on others has a spring of its own, which the factors know nothing of.
    if p == 0 || (springs.is_some() && problem.rows.rank < problem.rows.m) {
        return starts.iter().map(|_| None).collect();
    }
    let mut block = Block::new(problem, springs, starts);
    let products = Products::new(problem);
    let weight: Vec<f64> = products.weight.iter().chain(&products.weight).copied().collect();
    let mut mixing: Vec<Mixing> = (0..p).map(|_| Mixing::default()).collect();
    let mut images = Images::none(problem, springs, p);
    let mut open: Vec<usize> = (0..p).collect();
    let mut masses = None;
    for _ in 0..tuning::STEPS {
        block.apply(&products, &mut images, &open);
        masses.get_or_insert_with(|| -> Vec<f64> {
            (0..p).map(|j| hermitian(pair(&block.x, j), pair(&images.m, j)).re).collect()
        });
        let Some(left) = block.measure(&mut images, &open) else { break };
        open = left;
        if open.is_empty() {
            break;
        }
        let Some([d, h]) = block.corrections(near, &images, &open) else { break };
        for (k, &j) in open.iter().enumerate() {
            let negative = |a: &Dense| -> Vec<f64> {
                column(a, 2 * k).iter().chain(column(a, 2 * k + 1)).map(|v| -v).collect()
            };
            let step = mixing[j].mix(Step { x: negative(&d), l: negative(&h) }, &weight);
            block.take(j, step);
        }
    }
    block.finish(masses, starts)
}

impl Images {
    /// Of no vectors yet.
    fn none(problem: &Problem, springs: Option<&Springs>, pairs: usize) -> Self {
        let (n, m, columns) = (problem.n, problem.rows.m, 2 * pairs);
        let held = if springs.is_some() { m } else { 0 };
        let zeros = |rows| Dense::zeros(rows, columns);
        Self {
            m: zeros(n),
            c: zeros(n),
            e: zeros(m),
            springs: [zeros(held), zeros(held)],
            residual: zeros(n),
            lack: zeros(m),
            unheld: zeros(m),
        }
    }
}

impl<'a> Block<'a> {
    fn new(problem: &'a Problem<'a>, springs: Option<&'a Springs>, starts: &[Uncertified]) -> Self {
        let p = starts.len();
        let columns = |rows: usize, of: fn(&Uncertified) -> &[c64]| {
            Dense::from_fn(rows, 2 * p, |i, k| {
                let z = of(&starts[k / 2])[i];
                if k % 2 == 0 { z.re } else { z.im }
            })
        };
        Self {
            problem,
            springs,
            s: starts.iter().map(|approx| approx.s).collect(),
            x: columns(problem.n, |approx| &approx.right),
            low: Dense::zeros(problem.n, 2 * p),
            l: columns(problem.rows.m, |approx| &approx.multipliers),
            forms: vec![Forms::default(); p],
            enough: Vec::new(),
            best: (0..p).map(|_| None).collect(),
            idle: vec![0; p],
        }
    }

    /// Products with the open eigenpairs.
    fn apply(&self, products: &Products<'_>, images: &mut Images, open: &[usize]) {
        let columns = columns(open);
        let [x, low, l] = [&self.x, &self.low, &self.l].map(|a| selected(a, &columns));
        let rows = &self.problem.rows.given;
        let e = sum_of_products(&[Term { a: rows.sparse(), x: &x, low: Some(&low) }]);
        put_columns(&mut images.m, self.problem.m.mul(&x), &columns);
        if !self.problem.c.is_zero() {
            put_columns(&mut images.c, products.damping(&x, &low), &columns);
        }
        if let Some(springs) = self.springs {
            put_columns(&mut images.springs[0], dense::mul(&springs.mass, &e), &columns);
            put_columns(&mut images.springs[1], dense::mul(&springs.damping, &e), &columns);
        }
        put_columns(&mut images.residual, products.stiffness(&x, &low, &l), &columns);
        put_columns(&mut images.lack, e.clone(), &columns);
        put_columns(&mut images.e, e, &columns);
    }

    /// Residuals and s of eigenpairs at its best; those that need another step. None where numbers went out of bounds.
    fn measure(&mut self, images: &mut Images, pairs: &[usize]) -> Option<Vec<usize>> {
        let mut open = Vec::with_capacity(pairs.len());
        let known = self.enough.len() == self.s.len();
        for &j in pairs {
            let rho = self.measure_one(j, images)?;
            if !known {
                let scale = (self.s[j] * self.forms[j].slope).norm();
                self.enough.push(
                    rounded(self.problem, sizes(&joined(&self.x, j)), scale).max(tuning::SOLVE_ROUNDINGS),
                );
            }
            let (before, enough) =
                (self.best[j].as_ref().map_or(f64::INFINITY, |best| best.rho), self.enough[j]);
            let gained = rho <= GAIN * before;
            self.idle[j] = if gained { 0 } else { self.idle[j] + 1 };
            if gained {
                let held = self.springs.is_some();
                let best = self.best[j].get_or_insert_with(Best::none);
                (best.rho, best.s) = (rho, self.s[j]);
                copy(&mut best.x, &self.x, j);
                copy(&mut best.l, &self.l, j);
                copy(&mut best.residual, &images.residual, j);
                if held {
                    copy(&mut best.e, &images.e, j);
                    copy(&mut best.unheld, &images.unheld, j);
                }
            }
            if rho > enough && self.idle[j] < tuning::FEW_STEPS {
                open.push(j);
            }
        }
        Some(open)
    }

    /// The weighted residual of an eigenpair relative to s m_j.
    fn measure_one(&mut self, j: usize, images: &mut Images) -> Option<f64> {
        let s = self.s[j];
        let damped = !self.problem.c.is_zero();
        let (x, mx, cx, e) = (pair(&self.x, j), pair(&images.m, j), pair(&images.c, j), joined(&images.e, j));
        let [re, im] = pair_mut(&mut images.residual, j)?;
        axpy([&mut *re, &mut *im], s * s, mx);
        if damped {
            axpy([&mut *re, &mut *im], s, cx);
        }
        let mut forms = Forms { mass: bilinear(x, mx), ..Forms::default() };
        if damped {
            forms.damping = bilinear(x, cx);
        }
        let mut unheld = Vec::new();
        let [mass_e, damping_e] = images.springs.each_ref().map(|a| joined(a, j));
        if let Some(springs) = self.springs {
            forms.mass += dot(&e, &mass_e);
            forms.damping += dot(&e, &damping_e);
            unheld = springs.force(s, &e);
            unheld.iter_mut().zip(joined(&self.l, j)).for_each(|(q, l)| *q -= l);
        }
        forms.slope = 2.0 * s * forms.mass + forms.damping;
        // The step to the root of the quadratic form, the second order included.
        let first = -(bilinear(x, [&*re, &*im]) + dot(&e, &unheld)) / forms.slope;
        let step = first - first * first * forms.mass / forms.slope;
        if !step.is_finite() {
            return None;
        }
        axpy([&mut *re, &mut *im], step * (2.0 * s + step), mx);
        if damped {
            axpy([&mut *re, &mut *im], step, cx);
        }
        for ((q, m), c) in unheld.iter_mut().zip(&mass_e).zip(&damping_e) {
            *q += step * ((2.0 * s + step) * m + c);
        }
        let s = s + step;
        let size = |x: f64, y: f64| x * x + y * y;
        let parts = x[0].iter().zip(x[1]).zip(re.iter().zip(im.iter()));
        let mut weighted: f64 = parts.map(|((a, b), (c, d))| (size(*a, *b) * size(*c, *d)).sqrt()).sum();
        weighted += e.iter().zip(&unheld).map(|(e, q)| (e.norm_sqr() * q.norm_sqr()).sqrt()).sum::<f64>();
        if let Some(springs) = self.springs {
            // A start without violations does not feel the force that is missing, but l feels the violations.
            let lack = springs.response(s, &unheld)?;
            let l = joined(&self.l, j);
            weighted += l.iter().zip(&lack).map(|(l, e)| (l.norm_sqr() * e.norm_sqr()).sqrt()).sum::<f64>();
            put(&mut images.lack, j, &lack);
            put(&mut images.unheld, j, &unheld);
        }
        let rho = weighted / (s.norm() * forms.slope.norm());
        (self.s[j], self.forms[j]) = (s, forms);
        rho.is_finite().then_some(rho)
    }

    /// d and h of the open eigenpairs, the shares of the modes of the block corrected.
    fn corrections(&self, near: &Shifted, images: &Images, open: &[usize]) -> Option<[Dense; 2]> {
        let rows = &self.problem.rows;
        let columns = columns(open);
        let (f, lack) = (selected(&images.residual, &columns), selected(&images.lack, &columns));
        let g = rows.independent_violations(&lack);
        let solved = near.solver.solve_both(&f, &g)?;
        let product = |a: &Dense, b: &Dense| f64::adjoint_product(a.as_ref(), b.as_ref());
        let mut of_mass = product(&images.m, &solved.x);
        let mut of_damping = if self.problem.c.is_zero() {
            Dense::zeros(self.x.ncols(), columns.len())
        } else {
            product(&images.c, &solved.x)
        };
        let mut force = product(&self.x, &f);
        if self.springs.is_some() {
            // Phi_q d is what the rows lack.
            of_mass += product(&images.springs[0], &lack);
            of_damping += product(&images.springs[1], &lack);
            force += product(&images.e, &selected(&images.unheld, &columns));
        }
        let mut wrong = Dense::zeros(self.x.ncols(), columns.len());
        for (k, &j) in open.iter().enumerate() {
            for i in 0..self.s.len() {
                let [mass, damping, force] = [&of_mass, &of_damping, &force].map(|a| entry(a, i, k));
                let share = self.wrong_share(i, j, [mass, damping, force]);
                wrong[(2 * i, 2 * k)] = share.re;
                wrong[(2 * i + 1, 2 * k + 1)] = share.re;
                wrong[(2 * i + 1, 2 * k)] = -share.im;
                wrong[(2 * i, 2 * k + 1)] = share.im;
            }
        }
        let right = |mut of: Dense, known: &Dense| {
            subtract(&mut of, known.as_ref(), wrong.as_ref());
            of
        };
        Some([right(solved.x, &self.x), right(rows.multipliers(&solved.l), &self.l)])
    }

    /// How much of x_i is too much in d_j; `[mass, damping, force]`: x_i^T M d_j, x_i^T C d_j and x_i^T r_j.
    fn wrong_share(&self, i: usize, j: usize, [mass, damping, force]: [c64; 3]) -> c64 {
        let (from, to, forms) = (self.s[i], self.s[j], self.forms[i]);
        if i == j {
            // The direction of x itself is the factors' to spoil, and of no use.
            return (2.0 * to * mass + damping) / forms.slope;
        }
        let gap = (to - from) * ((to + from) * forms.mass + forms.damping);
        // Gap between two eigenvalues, relative, below which their vectors are not distinguished by their residuals.
        if gap.norm() <= tuning::SLIGHT * 2.0 * to.norm_sqr() * forms.mass.norm() {
            return mass / forms.mass;
        }
        (((to - from) * ((to + from) * mass + damping)) - force) / gap
    }

    /// Adds a step to an eigenpair.
    fn take(&mut self, j: usize, step: &Step) {
        let n = self.x.nrows();
        for (k, step) in step.x.chunks_exact(n).enumerate() {
            let at = 2 * j + k;
            add(self.x.col_as_slice_mut(at), self.low.col_as_slice_mut(at), step);
        }
        let m = self.l.nrows();
        if m > 0 {
            for (k, step) in step.l.chunks_exact(m).enumerate() {
                self.l.col_as_slice_mut(2 * j + k).iter_mut().zip(step).for_each(|(l, d)| *l += d);
            }
        }
    }

    /// The eigenpairs that stayed what they were; `masses`: x^H M x at the start.
    fn finish(self, masses: Option<Vec<f64>>, starts: &[Uncertified]) -> Vec<Option<(Doubled, bool)>> {
        let Some(masses) = masses else { return self.best.iter().map(|_| None).collect() };
        let n = self.problem.n;
        let mut ends = Dense::zeros(n, 2 * starts.len());
        for (j, best) in self.best.iter().enumerate() {
            for (k, part) in best.iter().flat_map(|best| best.x.chunks_exact(n).enumerate()) {
                ends.col_as_slice_mut(2 * j + k).copy_from_slice(part);
            }
        }
        let inertia = self.problem.m.mul(&ends);
        let found = self.best.into_iter().zip(self.enough).zip(starts).zip(masses).enumerate();
        found
            .map(|(j, (((best, enough), start), before))| {
                let Best { rho, s, x, l, e, residual, unheld } = best?;
                let inertia = pair(&inertia, j);
                let own = hermitian(pair(&ends, j), inertia).re;
                let along = start.right.iter().zip(inertia[0].iter().zip(inertia[1]));
                let shared = along.map(|(x, (re, im))| x.conj() * c64::new(*re, *im)).sum::<c64>().norm_sqr();
                let near = (s - start.s).norm() <= tuning::MAINLY * start.s.norm();
                // Near a double real eigenvalue rounding leads across the axis, where the conjugate is.
                let above = !start.mirror || s.im > 0.0;
                // |cos|^2 between start and result, in terms of inertia, below which an eigenpair has become another one.
                let same =
                    near && above && own > 0.0 && before > 0.0 && shared >= tuning::MAINLY * own * before;
                let with = |a: &[f64], b: &[f64]| [complex(a), complex(b)].concat();
                let (x, residual) = (with(&x, &e), with(&residual, &unheld));
                let found = Doubled { x: x.into(), l: complex(&l).into(), s, residual: residual.into() };
                same.then_some((found, rho <= enough.max(tuning::EPS_2_3)))
            })
            .collect()
    }
}

impl Best {
    /// Of an eigenpair that has not been measured.
    fn none() -> Self {
        let [x, l, e, residual, unheld] = [(); 5].map(|()| Vec::new());
        Self { rho: f64::INFINITY, s: c64::default(), x, l, e, residual, unheld }
    }
}
