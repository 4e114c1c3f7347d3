//! The invariant pair of a group at the expansion point.
//!
//! ```text
//! M X S^2 + C X S + K X + Phi_q^T L = 0,   Phi_q X = 0,   X: n x k,  S: k x k
//! ```
//!
//! First block inverse iteration near what is close of the group, on states (x, s x): repeated and defective
//! eigenvalues do not disturb it, because only the space counts. Then Newton's method with the
//! bordered systems of `columns`, to rounding. The pair is kept with (X; X S / omega) orthonormal
//! and S upper triangular.

use super::blocks::{Tall, add, inner, inverse_upper, largest, orthonormalize, times};
use super::columns::Columns;
use super::schur::schur;
use crate::ParametricError;
use crate::bordered::{Bordered, Parts};
use crate::storage::Storage;
use crate::vectors::{axpy, is_finite, zeros};
use mb_algebra::dense::mul_complex;
use mb_algebra::{AlgebraError, DenseC, QuadraticPencil, c64, norms};

/// Steps of inverse iteration.
const ITERATIONS: usize = 30;
/// Values closer than this share of the largest are iterated together.
const CLOSE: f64 = 0.02;
/// Newton steps.
const NEWTON: usize = 12;

/// An invariant pair with its multipliers.
#[derive(Clone, Debug)]
pub(super) struct Invariant {
    pub(super) x: Tall,
    pub(super) l: Tall,
    pub(super) s: DenseC,
    /// Unit of s in the norm of states, rad/s.
    pub(super) omega: f64,
}

/// The pair of the `values`, to rounding.
pub(super) fn invariant<A: Storage>(
    p: &QuadraticPencil<A>,
    values: &[c64],
) -> Result<Invariant, ParametricError> {
    let k = values.len();
    let centre = values.iter().sum::<c64>() / k as f64;
    let spread = values.iter().map(|s| (s - centre).norm()).fold(0.0, f64::max);
    let natural = (positive(norms::max_abs(&p.k)) / positive(norms::max_abs(&p.m))).sqrt();
    let omega = if centre.norm() + spread > 0.0 { centre.norm() + spread } else { natural * 1e-3 };
    let lost = || ParametricError::GroupNotSeparate { centre, count: k };
    let mut pair = begun(p, values, omega)?.ok_or_else(lost)?;
    let mut last = f64::INFINITY;
    for _ in 0..NEWTON {
        let columns = Columns::new(p, &pair)?;
        let step = columns.newton(p, &pair);
        let finite = step.x.iter().chain(&step.l).all(|c| is_finite(c));
        if !finite {
            return Err(lost());
        }
        add(&mut pair.x, c64::ONE, &step.x);
        add(&mut pair.l, c64::ONE, &step.l);
        pair.s = DenseC::from_fn(k, k, |i, j| pair.s[(i, j)] + step.s[(i, j)]);
        pair = pair.tidy().ok_or_else(lost)?;
        let change = step.x.iter().map(|c| norms::two_complex(c)).fold(0.0, f64::max);
        let now = change.max(largest(&step.s) / omega);
        if now <= 1e-14 || now > 0.5 * last && now < 1e-9 {
            return check_place(pair, values, centre, spread);
        }
        last = now;
    }
    Err(lost())
}

/// The pair that Newton's method starts from: values that are close are iterated together, others apart, so that a mode
/// outside a wide group does not come before its own.
fn begun<A: Storage>(
    p: &QuadraticPencil<A>,
    values: &[c64],
    omega: f64,
) -> Result<Option<Invariant>, ParametricError> {
    let (k, mut whole) = (values.len(), Invariant { x: vec![], l: vec![], s: DenseC::zeros(0, 0), omega });
    let mut open = values.to_vec();
    while let Some(first) = open.pop() {
        let mut close = vec![first];
        let mut next = 0;
        while next < close.len() {
            let s = close[next];
            let (joined, rest): (Vec<c64>, Vec<c64>) =
                open.into_iter().partition(|other| (other - s).norm() <= CLOSE * omega);
            close.extend(joined);
            open = rest;
            next += 1;
        }
        let centre = close.iter().sum::<c64>() / close.len() as f64;
        let spread = close.iter().map(|s| (s - centre).norm()).fold(0.0, f64::max);
        let Some(part) = iterate(p, centre, spread, omega, close.len())? else { return Ok(None) };
        if close.len() == k {
            return Ok(Some(part));
        }
        let before = whole.x.len();
        whole.s = DenseC::from_fn(before + close.len(), before + close.len(), |i, j| {
            match (i.checked_sub(before), j.checked_sub(before)) {
                (Some(i), Some(j)) => part.s[(i, j)],
                (None, None) => whole.s[(i, j)],
                _ => c64::ZERO,
            }
        });
        whole.x.extend(part.x);
        whole.l.extend(part.l);
    }
    Ok(whole.tidy())
}

/// The eigenvalues found must be those asked for, not others: one for each, nearer than they are apart.
fn check_place(
    pair: Invariant,
    values: &[c64],
    centre: c64,
    spread: f64,
) -> Result<Invariant, ParametricError> {
    let room = 0.25 * spread + 1e-3 * pair.omega;
    let mut open: Vec<c64> = (0..values.len()).map(|i| pair.s[(i, i)]).collect();
    for value in values {
        let distance = |i: &usize| (open[*i] - value).norm();
        let nearest = (0..open.len()).min_by(|i, j| distance(i).total_cmp(&distance(j)));
        match nearest.filter(|i| distance(i) <= room) {
            Some(i) => open.swap_remove(i),
            None => return Err(ParametricError::GroupNotSeparate { centre, count: values.len() }),
        };
    }
    Ok(pair)
}

impl Invariant {
    /// The same space with orthonormal states and triangular S.
    fn tidy(self) -> Option<Self> {
        let Self { mut x, l, s, omega } = self;
        let mut w = times(&x, &scaled(&s, 1.0 / omega));
        let r = orthonormalize(&mut x, &mut w)?;
        let back = inverse_upper(&r);
        let s = mul_complex(&mul_complex(&r, &s), &back);
        let (q, t) = schur(&s)?;
        Some(Self { x: times(&x, &q), l: times(&times(&l, &back), &q), s: t, omega })
    }
}

pub(super) fn scaled(s: &DenseC, factor: f64) -> DenseC {
    DenseC::from_fn(s.nrows(), s.ncols(), |i, j| s[(i, j)] * factor)
}

fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 1.0 }
}

/// Inverse iteration: A(sigma) x' + Phi_q^T l' = -(M w + C x + sigma M x), Phi_q x' = 0,
/// w' = x + sigma x'.
fn iterate<A: Storage>(
    p: &QuadraticPencil<A>,
    centre: c64,
    spread: f64,
    omega: f64,
    k: usize,
) -> Result<Option<Invariant>, ParametricError> {
    let (n, nc) = (p.m.size().0, p.phi_q.size().0);
    // Near the group, off every axis of symmetry.
    let sigma = centre + c64::cis(0.7) * (2.0 * spread + 1e-3 * omega);
    let factors = match Bordered::of_blocks(p, sigma, vec![], vec![], vec![], &[], None) {
        Ok(factors) => factors,
        Err(AlgebraError::Singular { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let noise =
        |i: usize, j: usize| c64::cis(1.7 * ((i * i + 3) % 1013) as f64 + 2.9 * ((i + 1) * (j + 1)) as f64);
    let mut x: Tall = (0..k).map(|j| (0..n).map(|i| noise(i, j)).collect()).collect();
    let mut w: Tall = (0..k).map(|j| (0..n).map(|i| noise(i + 7, j + k)).collect()).collect();
    let mut last = DenseC::zeros(k, k);
    let mut s = DenseC::zeros(k, k);
    for round in 0..ITERATIONS {
        if orthonormalize(&mut x, &mut w).is_none() {
            return Ok(None);
        }
        let (mut next_x, mut next_w, mut next_l) = (Vec::new(), Vec::new(), Vec::new());
        for (x, w) in x.iter().zip(&w) {
            // w stands for s x / omega.
            let mut image = zeros(n);
            p.m.add_product(c64::from(omega), w, &mut image);
            p.c.add_product(c64::ONE, x, &mut image);
            p.m.add_product(sigma, x, &mut image);
            for z in &mut image {
                *z = -*z;
            }
            let found = factors.solve(&Parts { x: image, l: zeros(nc), t: vec![] });
            let mut state = x.clone();
            axpy(&mut state, sigma, &found.x);
            for z in &mut state {
                *z /= omega;
            }
            next_x.push(found.x);
            next_l.push(found.l);
            next_w.push(state);
        }
        // T Y = Y H with 1 / (S - sigma) = H.
        let mut h = inner(&x, &next_x);
        let other = inner(&w, &next_w);
        for j in 0..k {
            for i in 0..k {
                h[(i, j)] += other[(i, j)];
            }
        }
        let Some(inverse) = inverse(&h) else { return Ok(None) };
        s = DenseC::from_fn(k, k, |i, j| inverse[(i, j)] + if i == j { sigma } else { c64::ZERO });
        let trace = |a: &DenseC| (0..k).map(|i| a[(i, i)]).sum::<c64>();
        let settled = (trace(&s) - trace(&last)).norm() <= 1e-13 * omega * k as f64;
        last = s.clone();
        if round + 1 == ITERATIONS || round > 2 && settled {
            // Multipliers follow from x' = T x, hence l of the new space divided by H.
            let l = times(&next_l, &inverse);
            let x = times(&next_x, &inverse);
            return Ok(Invariant { x, l, s, omega }.tidy());
        }
        (x, w) = (next_x, next_w);
    }
    Ok(Invariant { l: vec![zeros(nc); k], x, s, omega }.tidy())
}

/// The inverse of a small matrix; none where it is singular.
fn inverse(h: &DenseC) -> Option<DenseC> {
    let k = h.nrows();
    let lu = mb_algebra::LuComplex::new(h).ok()?;
    let unit = DenseC::from_fn(k, k, |i, j| if i == j { c64::ONE } else { c64::ZERO });
    Some(lu.solve_mat(&unit))
}
