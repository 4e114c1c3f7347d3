//! Symmetric problems whose damping has low rank: the whole spectrum from the undamped one.
//!
//! ```text
//! K X = M X W, X^T M X = I,   X^T C X = U J U^T,  J = diag(+-1),  U k x p
//! (s^2 + w_i) z_i + s u_i^T y = 0,   J y = U^T z,   x = X z
//! ```
//!
//! Penalty formulations (gonzalez2017, Eq. (14)) and a few discrete dampers have p of the order of the constraints or
//! dampers. A companion matrix of size 2k costs 200 k^3 operations; here the undamped problem costs 10 k^3 and a root
//! O(k p^2) per step (function.rs). Starts come from the undamped roots, where modes that couple strongly are solved
//! together (starts.rs); all roots are then improved at once by the Ehrlich-Aberth iteration, in which they repel each
//! other, so that no two end at the same root (Bini and Noferini, Linear Algebra Appl. 439, 2013). What is found is
//! accepted when every root has converged, all differ, and the sums of s and of 1 / s are those of the coefficients; in
//! all other cases (defective pairs, dampers that couple most modes) the companion form takes over. Sizes: M, C, K k x k.

mod function;
mod low_rank;
mod starts;

use mb_algebra::{c64, dense};

use super::companion::Matrices;
use super::raw::Raw;
use super::symmetric::{self, Modes};
use crate::EigenError;
use crate::vectors::{Block, ZERO};
use function::Function;

/// Smaller problems are as fast in companion form.
const SMALLEST: usize = 60;
/// Steps of all roots at most.
const SWEEPS: usize = 40;
/// A step below this fraction of the root is the last: the iteration converges cubically.
const CONVERGED: f64 = 1e-10;
/// Steps that stay below this without shrinking further are rounding.
const ROUNDING: f64 = 1e-7;
/// Sweeps before a step may count as rounding.
const PATIENCE: usize = 5;
/// Roots closer than this fraction are not told apart.
const SAME: f64 = 1e-11;

/// A root on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    /// Im s = 0 for real roots, above 0 for others, whose conjugate is not listed.
    pub(super) s: c64,
    /// Last step relative to s.
    step: f64,
    done: bool,
}

impl Root {
    fn new(s: c64) -> Self {
        Self { s, step: f64::INFINITY, done: false }
    }

    fn real(&self) -> bool {
        self.s.im == 0.0
    }
}

/// All roots of a symmetric problem with regular M and K; none where its damping has no low rank or something is unsure.
pub(super) fn solve(given: &Matrices) -> Result<Option<Vec<Raw>>, EigenError> {
    let k = given.size();
    if k < SMALLEST {
        return Ok(None);
    }
    // Beyond this rank the function costs as much as the companion matrix.
    let most = (2 * k).isqrt();
    let Some(damping) = low_rank::factor(&given.c, most)? else { return Ok(None) };
    let Some(Modes { w, x }) = symmetric::modes(&given.m, &given.k)? else { return Ok(None) };
    let u = dense::mul_transpose(&x, &damping.f);
    let Some(starts) = starts::find(&w, &u, &damping.signs)? else { return Ok(None) };
    let function = Function::new(w, u, damping.signs);
    let mut roots: Vec<Root> = starts.into_iter().map(Root::new).collect();
    if !iterate(&function, &mut roots) || !function.sums_agree(&roots) || !distinct(&roots) {
        return Ok(None);
    }
    let s: Vec<c64> = roots.iter().map(|root| root.s).collect();
    let Some(z) = function.vectors(&s) else { return Ok(None) };
    let vectors = Block::new(k, &z).apply(&x);
    let raws = s.iter().enumerate().map(|(j, &s)| Raw::finite(s, vectors.column(j), None, s.im > 0.0));
    Ok(Some(raws.collect()))
}

/// Improves all roots; whether all have converged.
fn iterate(function: &Function, roots: &mut [Root]) -> bool {
    for sweep in 0..SWEEPS {
        let active: Vec<usize> = (0..roots.len()).filter(|&j| !roots[j].done).collect();
        if active.is_empty() {
            return true;
        }
        let at: Vec<c64> = active.iter().map(|&j| roots[j].s).collect();
        let slopes = function.logarithmic_slopes(&at);
        let mut moved = Vec::with_capacity(active.len());
        for (&j, slope) in active.iter().zip(slopes) {
            let Some(repulsion) = repulsion(roots, j) else { return false };
            // On a root the slope is infinite and the step zero.
            let step = slope.map_or(ZERO, |slope| (slope - repulsion).inv());
            moved.push((j, step));
        }
        for (j, step) in moved {
            let root = &mut roots[j];
            let real = root.real();
            let next = if real { c64::new(root.s.re - step.re, 0.0) } else { root.s - step };
            let size = step.norm() / root.s.norm();
            if !next.is_finite() || (!real && next.im <= 0.0) || next == ZERO {
                return false;
            }
            let stalled = sweep >= PATIENCE && size < ROUNDING && size > 0.25 * root.step;
            root.done = size <= CONVERGED || stalled;
            root.step = size;
            root.s = next;
        }
    }
    roots.iter().all(|root| root.done)
}

/// Sum of 1 / (s_j - s) over all other roots s; none when two coincide.
fn repulsion(roots: &[Root], j: usize) -> Option<c64> {
    let s = roots[j].s;
    let mut sum = ZERO;
    for (i, other) in roots.iter().enumerate() {
        if i != j {
            sum += (s - other.s).inv();
        }
        if !other.real() {
            sum += (s - other.s.conj()).inv();
        }
    }
    sum.is_finite().then_some(sum)
}

/// Whether no two roots coincide.
fn distinct(roots: &[Root]) -> bool {
    let mut order: Vec<c64> = roots.iter().map(|root| root.s).collect();
    order.sort_by(|a, b| a.norm_sqr().total_cmp(&b.norm_sqr()));
    order.iter().enumerate().all(|(i, a)| {
        let size = a.norm();
        let near = order[i + 1..].iter().take_while(|b| b.norm() <= size * (1.0 + 2.0 * SAME));
        near.into_iter().all(|b| (a - b).norm() > SAME * size)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{Dense, norms};

    /// A grounded chain of 64 unit masses with dampers (mass, constant) to the ground.
    fn chain(dampers: &[(usize, f64)]) -> Matrices {
        let k = 64;
        let stiffness = Dense::from_fn(k, k, |i, j| match i.abs_diff(j) {
            0 => 200.0,
            1 => -100.0,
            _ => 0.0,
        });
        let mut c = Dense::zeros(k, k);
        for &(i, value) in dampers {
            c[(i, i)] += value;
        }
        Matrices { m: dense::identity(k), c, k: stiffness }
    }

    #[test]
    fn dampers_at_both_ends_leave_small_residuals_and_the_right_sums() {
        for constant in [1e-3, 0.5] {
            let problem = chain(&[(0, constant), (40, 3.0 * constant)]);
            let raws = solve(&problem).unwrap().expect("weak dampers of rank two");
            let roots: usize = raws.iter().map(|raw| if raw.mirror { 2 } else { 1 }).sum();
            let sum: f64 = raws.iter().map(|raw| raw.value().re * if raw.mirror { 2.0 } else { 1.0 }).sum();
            assert_eq!(roots, 128);
            assert!((sum + 4.0 * constant).abs() < 1e-11);
            for raw in &raws {
                let s = raw.value();
                let [m, c, k] =
                    [&problem.m, &problem.c, &problem.k].map(|a| dense::matvec_complex(a, &raw.right));
                let rest: Vec<c64> = (0..64).map(|i| s * (s * m[i] + c[i]) + k[i]).collect();
                assert!(norms::two_complex(&rest) < 1e-11 * norms::two_complex(&raw.right), "{s}");
            }
        }
    }

    #[test]
    fn what_is_not_surely_right_is_left_to_the_companion_form() {
        // Every mode coupled to every other.
        assert!(solve(&chain(&[(0, 300.0)])).unwrap().is_none());
        // No damping, and damping of full rank.
        assert!(solve(&chain(&[])).unwrap().is_none());
        assert!(solve(&chain(&(0..64).map(|i| (i, 1.0)).collect::<Vec<_>>())).unwrap().is_none());
        // A critically damped mass beside the chain: a defective double root.
        let mut problem = chain(&[(5, 0.1)]);
        for j in 1..64 {
            (problem.k[(0, j)], problem.k[(j, 0)]) = (0.0, 0.0);
        }
        (problem.k[(0, 0)], problem.c[(0, 0)]) = (49.0, 14.0);
        assert!(solve(&problem).unwrap().is_none());
    }
}
