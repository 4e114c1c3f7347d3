//! Symmetric problems whose damping has low rank in addition to a proportional part: the whole spectrum from the undamped one.
//!
//! ```text
//! K X = M X W, X^T M X = I,   C = a M + b K + D,   X^T D X = U J U^T,  J = diag(+-1),  U k x p
//! (s^2 + c_i s + w_i) z_i + s u_i^T y = 0,   c_i = a + b w_i,   J y = U^T z,   x = X z
//! ```
//!
//! Penalty formulations (gonzalez2017, Eq. (14)) and a few discrete dampers have p of the order of the constraints or
//! dampers; a and b (proportional.rs) are those of the structure's own damping, which misses the rows of floating frames
//! and penalties by a matrix of low rank. A companion matrix of size 2k costs 200 k^3 operations; here the undamped problem
//! costs 10 k^3 and an eigenvalue O(k p^2) per step (function.rs). Starts come from the undamped eigenvalues, where
//! modes that couple strongly are solved together (starts.rs); all eigenvalues are then improved at once by the
//! Ehrlich-Aberth iteration, in which they repel each other, so that no two end at the same eigenvalue (Bini and
//! Noferini, Linear Algebra Appl. 439, 2013). What is found is accepted when every eigenvalue has converged, all
//! differ, and the sums of s and of 1 / s are those of the coefficients; in all other cases (defective eigenpairs, dampers
//! that couple most modes) the companion form takes over. Sizes: M, C, K k x k.

mod function;
mod low_rank;
mod proportional;
mod starts;

use mb_algebra::sorted::ascending;
use mb_algebra::{QuadraticPencil, c64, dense, interrupt, norms};

use super::companion::Matrices;
use super::raw::Raw;
use super::symmetric;
use super::symmetric::Modes;
use crate::EigenError;
use crate::numeric::vectors::{Block, ZERO};
use crate::tuning;
use function::Function;
use low_rank::LowRank;
use proportional::Proportional;

/// An eigenvalue on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uncertified {
    /// Im s = 0 for real eigenvalues, above 0 for others, whose conjugate is not listed.
    pub(super) s: c64,
    /// Last step relative to s.
    step: f64,
    done: bool,
}

impl Uncertified {
    fn new(s: c64) -> Self {
        Self { s, step: f64::INFINITY, done: false }
    }

    fn real(&self) -> bool {
        self.s.im == 0.0
    }
}

/// All eigenvalues of a symmetric problem with regular M and K; none where its damping has no such form or something
/// is unsure.
///
/// `pencil` holds the matrices before any reduction, in whose entries proportional damping shows.
pub(super) fn solve(pencil: &QuadraticPencil, given: &Matrices) -> Result<Option<Vec<Raw>>, EigenError> {
    let k = given.size();
    // Smaller problems are as fast in companion form.
    if k < tuning::TINY {
        return Ok(None);
    }
    // Beyond this rank the function costs as much as the companion matrix.
    let most = (4 * k).isqrt();
    let Some((own, damping)) = split(pencil, given, most)? else { return Ok(None) };
    let Some(Modes { w, x }) = symmetric::modes(&given.m, &given.k)? else { return Ok(None) };
    let u = dense::mul_transpose(&x, &damping.f);
    // b^2 w above which the slow eigenvalue of a mode, one of many that gather at -1 / b, is closer to its neighbours than they can be
    // distinguished here.
    if w.iter().any(|w| own.stiffness * own.stiffness * w > (1.0 / tuning::SQRT_EPS)) {
        return Ok(None);
    }
    let Some(starts) = starts::find(&w, own, &u, &damping.signs)? else { return Ok(None) };
    let function = Function::new(own, w, u, damping.signs);
    let mut uncertified: Vec<Uncertified> = starts.into_iter().map(Uncertified::new).collect();
    if !iterate(&function, &mut uncertified) || !function.sums_agree(&uncertified) || !distinct(&uncertified)
    {
        return Ok(None);
    }
    let s: Vec<c64> = uncertified.iter().map(|approx| approx.s).collect();
    let Some(z) = function.vectors(&s) else { return Ok(None) };
    let vectors = Block::new(k, &z).apply(&x);
    let raws = s.iter().enumerate().map(|(j, &s)| Raw::finite(s, vectors.column(j), None, s.im > 0.0));
    Ok(Some(raws.collect()))
}

/// C as a proportional part and one of low rank; none where it is not of this form.
fn split(
    pencil: &QuadraticPencil,
    given: &Matrices,
    most: usize,
) -> Result<Option<(Proportional, LowRank)>, EigenError> {
    let size = norms::max_abs(&given.c);
    if size == 0.0 {
        return Ok(None);
    }
    if let Some(damping) = low_rank::factor(&given.c, size, most)? {
        return Ok(Some((Proportional::default(), damping)));
    }
    let Some(own) = Proportional::find(&pencil.m, &pencil.c, &pencil.k) else { return Ok(None) };
    let part = dense::add(own.mass, &given.m, own.stiffness, &given.k);
    let rest = dense::symmetric_part(&dense::add(1.0, &given.c, -1.0, &part));
    // Rounding of the larger of both is what may be left over.
    let size = size.max(norms::max_abs(&part));
    Ok(low_rank::factor(&rest, size, most)?.map(|damping| (own, damping)))
}

/// Improves all eigenvalues; whether all have converged.
fn iterate(function: &Function, uncertified: &mut [Uncertified]) -> bool {
    // Steps of all eigenvalues at most.
    for sweep in 0..tuning::STEPS {
        interrupt::check();
        let active: Vec<usize> = (0..uncertified.len()).filter(|&j| !uncertified[j].done).collect();
        if active.is_empty() {
            return true;
        }
        let at: Vec<c64> = active.iter().map(|&j| uncertified[j].s).collect();
        let slopes = function.logarithmic_slopes(&at);
        let mut moved = Vec::with_capacity(active.len());
        for (&j, slope) in active.iter().zip(slopes) {
            let Some(repulsion) = repulsion(uncertified, j) else { return false };
            // On an eigenvalue the slope is infinite and the step zero.
            let step = slope.map_or(ZERO, |slope| (slope - repulsion).inv());
            moved.push((j, step));
        }
        for (j, step) in moved {
            let approx = &mut uncertified[j];
            let real = approx.real();
            let next = if real { c64::new(approx.s.re - step.re, 0.0) } else { approx.s - step };
            let size = step.norm() / approx.s.norm();
            if !next.is_finite() || (!real && next.im <= 0.0) || next == ZERO {
                return false;
            }
            // Steps that stay below this without shrinking further are rounding.
            // Sweeps before a step may count as rounding.
            let stalled =
                sweep >= tuning::ATTEMPTS && size < tuning::SQRT_EPS && size > tuning::PARTLY * approx.step;
            // A step below this fraction of the eigenvalue is the last: the iteration converges cubically.
            approx.done = size <= tuning::EPS_2_3 || stalled;
            approx.step = size;
            approx.s = next;
        }
    }
    uncertified.iter().all(|approx| approx.done)
}

/// Sum of 1 / (s_j - s) over all other eigenvalues s; none when two coincide.
fn repulsion(uncertified: &[Uncertified], j: usize) -> Option<c64> {
    let s = uncertified[j].s;
    let mut sum = ZERO;
    for (i, other) in uncertified.iter().enumerate() {
        if i != j {
            sum += (s - other.s).inv();
        }
        if !other.real() {
            sum += (s - other.s.conj()).inv();
        }
    }
    sum.is_finite().then_some(sum)
}

/// Whether no two eigenvalues coincide.
fn distinct(uncertified: &[Uncertified]) -> bool {
    let mut order: Vec<c64> = uncertified.iter().map(|approx| approx.s).collect();
    ascending(&mut order, c64::norm_sqr);
    order.iter().enumerate().all(|(i, a)| {
        let size = a.norm();
        // Eigenvalues closer than this fraction are not distinguished.
        let near = order[i + 1..].iter().take_while(|b| b.norm() <= size * (1.0 + 2.0 * tuning::EPS_3_4));
        near.into_iter().all(|b| (a - b).norm() > tuning::EPS_3_4 * size)
    })
}

#[cfg(test)]
#[path = "../../../examples/cases/pendulum.rs"]
mod pendulum;

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::Dense;

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

    /// Without a reduction the matrices show what there is.
    fn solved(problem: &Matrices) -> Option<Vec<Raw>> {
        let (m, c, k) = (problem.m.clone(), problem.c.clone(), problem.k.clone());
        let phi_q = Dense::zeros(0, m.nrows());
        solve(&QuadraticPencil { m, c, k, phi_q }, problem).unwrap()
    }

    #[test]
    fn dampers_near_proportional_damping_leave_small_residuals_and_the_right_sums() {
        for (mass, stiffness) in [(0.02, 0.0), (0.0, 1e-4), (0.3, 2e-3), (0.0, 0.03)] {
            let mut problem = chain(&[(0, 0.2), (40, 0.5)]);
            problem.c = dense::add(1.0, &problem.c, mass, &problem.m);
            problem.c = dense::add(1.0, &problem.c, stiffness, &problem.k);
            let raws = solved(&problem).unwrap_or_else(|| panic!("{mass} {stiffness}"));
            let uncertified: usize = raws.iter().map(|raw| if raw.mirror { 2 } else { 1 }).sum();
            let sum: f64 = raws.iter().map(|raw| raw.value().re * if raw.mirror { 2.0 } else { 1.0 }).sum();
            let trace: f64 = (0..64).map(|i| problem.c[(i, i)]).sum();
            assert_eq!(uncertified, 128);
            assert!((sum + trace).abs() < 1e-11 * trace, "{sum} {trace}");
            for raw in &raws {
                let s = raw.value();
                let [m, c, k] =
                    [&problem.m, &problem.c, &problem.k].map(|a| dense::matvec_complex(a, &raw.right));
                let rest: Vec<c64> = (0..64).map(|i| s * (s * m[i] + c[i]) + k[i]).collect();
                let terms = s.norm_sqr() + s.norm() * norms::max_abs(&problem.c) + 400.0;
                assert!(norms::two_complex(&rest) < 1e-12 * terms * norms::two_complex(&raw.right), "{s}");
            }
        }
    }

    #[test]
    fn dampers_at_both_ends_leave_small_residuals_and_the_right_sums() {
        for constant in [1e-3, 0.5] {
            let problem = chain(&[(0, constant), (40, 3.0 * constant)]);
            let raws = solved(&problem).expect("weak dampers of rank two");
            let uncertified: usize = raws.iter().map(|raw| if raw.mirror { 2 } else { 1 }).sum();
            let sum: f64 = raws.iter().map(|raw| raw.value().re * if raw.mirror { 2.0 } else { 1.0 }).sum();
            assert_eq!(uncertified, 128);
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

    /// Two links of so many elements, their elastic coordinates damped in proportion and their frames not; reduced to the
    /// null space of `Phi_q`, or in penalty form.
    fn links(
        elements: usize,
        [mass, stiffness]: [f64; 2],
        penalty: Option<f64>,
    ) -> (QuadraticPencil, Matrices) {
        let mut pencil = pendulum::flexible_pendulum(elements).to_dense();
        let n = pencil.m.nrows();
        let elastic = |i: usize| i % (n / 2) > 2;
        let entry = |i: usize, j: usize| mass * pencil.m[(i, j)] + stiffness * pencil.k[(i, j)];
        let c = Dense::from_fn(n, n, |i, j| if elastic(i) && elastic(j) { entry(i, j) } else { 0.0 });
        pencil.c = c;
        if let Some(alpha) = penalty {
            let inner = dense::mul_transpose(&pencil.phi_q, &pencil.phi_q);
            pencil.m = dense::add(1.0, &pencil.m, alpha, &inner);
            pencil.c = dense::add(1.0, &pencil.c, 20.0 * alpha, &inner);
            pencil.k = dense::add(1.0, &pencil.k, 100.0 * alpha, &inner);
            pencil.phi_q = Dense::zeros(0, n);
        }
        let tolerance = mb_algebra::RankTolerance::default();
        let basis = crate::dense::constraint_basis::ConstraintBasis::new(&pencil.phi_q, tolerance).unwrap();
        let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(|a| dense::symmetric_part(&basis.reduce(a)));
        (pencil, Matrices { m, c, k })
    }

    #[test]
    fn links_whose_frames_are_not_damped_take_the_short_way() {
        for damping in [[0.0, 1e-6], [0.0, 8e-4], [0.01, 1e-4], [0.0, 1e-2], [0.01, 0.0]] {
            for penalty in [None, Some(1e7)] {
                let (pencil, given) = links(24, damping, penalty);
                let raws = solve(&pencil, &given).unwrap();
                let raws = raws.unwrap_or_else(|| panic!("{damping:?} {penalty:?}"));
                let k = given.m.nrows();
                let uncertified: usize = raws.iter().map(|raw| if raw.mirror { 2 } else { 1 }).sum();
                assert_eq!(uncertified, 2 * k);
                for raw in &raws {
                    let s = raw.value();
                    let [m, c, k] =
                        [&given.m, &given.c, &given.k].map(|a| dense::matvec_complex(a, &raw.right));
                    let rest: Vec<c64> =
                        m.iter().zip(&c).zip(&k).map(|((m, c), k)| s * (s * m + c) + k).collect();
                    let terms = s.norm_sqr() * norms::frobenius(&given.m)
                        + s.norm() * norms::frobenius(&given.c)
                        + norms::frobenius(&given.k);
                    let relative = norms::two_complex(&rest) / (terms * norms::two_complex(&raw.right));
                    assert!(relative < 1e-13, "{damping:?} {penalty:?} {s}: {relative:e}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_surely_right_is_left_to_the_companion_form() {
        // Every mode coupled to every other.
        assert!(solved(&chain(&[(0, 300.0)])).is_none());
        // No damping, and damping of full rank without proportion.
        assert!(solved(&chain(&[])).is_none());
        let irregular = |i: usize| 1.0 + ((i * i) % 7) as f64;
        assert!(solved(&chain(&(0..64).map(|i| (i, irregular(i))).collect::<Vec<_>>())).is_none());
        // A critically damped mass next to the chain: a defective double eigenvalue.
        let mut problem = chain(&[(5, 0.1)]);
        for j in 1..64 {
            (problem.k[(0, j)], problem.k[(j, 0)]) = (0.0, 0.0);
        }
        (problem.k[(0, 0)], problem.c[(0, 0)]) = (49.0, 14.0);
        assert!(solved(&problem).is_none());
    }
}
