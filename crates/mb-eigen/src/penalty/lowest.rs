//! The lowest pairs of the mechanism in a large penalty problem.
//!
//! ```text
//! start    (s^2 M + s C + K) x + Phi_q^T l = 0,  Phi_q x = 0                     (sparse::solve)
//! problem  (s^2 M' + s C' + K') z + [Phi_q -I]^T l = 0,  [Phi_q -I] z = 0,  z = (x, e)
//!          M' = diag(M, Xi),  C' = diag(C, Xi Theta),  K' = diag(K, Xi Omega)
//! step     z <- S(sigma)^-1 ((s + sigma) M' + C') z,  s from the quotient of z,  S the shifted saddle-point matrix
//! ```
//!
//! With the violations e = Phi_q x as unknowns the penalty problem is a constrained one: l is the penalty force, nothing of
//! the size of Xi is added to M and K, and no matrix fills. The constrained problem differs from it by the error of the
//! penalty, so that every pair starts next to its own root; at the fixed point of the step z and the multipliers of the
//! solve are an exact eigenvector however far sigma is, and each step gains the factor |s - sigma| over the distance to
//! the next root. One factorization and two solves are the rule. In symmetric problems the start (x, 0), l goes to the
//! certificate first, which improves it in the same way with residuals in doubled precision: stiffnesses far above that of the
//! mode leave the factors few digits, and the steps above would end there.
//!
//! Fails where a root of the mechanism lies among those of the penalty: the finding of [`super::solve`] says so.
//! Sizes: M, C, K n x n, Phi_q m x n, Xi, Theta, Omega m x m, z of length n + m.

use mb_algebra::{DenseC, PenaltyBlocks, QuadraticPencil, c64, dense, norms, sparse};

use crate::krylov::scalar::norm;
use crate::pairing::mac;
use crate::sparse::certificate::{Certifier, Root};
use crate::sparse::matrix::{Matrix, norm_bound};
use crate::sparse::problem::Problem;
use crate::sparse::shift_solve::{Effort, ShiftSolve};
use crate::sparse::solve::solve_with;
use crate::sparse::{Request, SparseFinding, SparseOptions};
use crate::vectors::{ZERO, conjugate};
use crate::{Class, EigenError, Eigenpair, Finding, Spectrum, SpuriousOrigin, check};

/// Solves with one factorization at most.
const STEPS: usize = 12;
/// A change of s below this fraction is the last: the next one would be its square, times what a step gains.
const SETTLED: f64 = 1e-8;
/// Where a factorization is tried again when sigma is a root, relative to sigma: beside stiffnesses of 1e12 times that of the
/// mode, as those of long links, a matrix is singular to the last digit in a wide neighbourhood.
const ASIDE: [f64; 7] = [0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.02, 0.1];
/// Bar relative to |s| up to which a root needs no further steps.
const SURE: f64 = 1e-8;
/// |cos|^2 between start and result below which the iteration has left its root.
const SAME: f64 = 0.5;
/// Share of the penalty in the energy from which on a root is not clearly motion of the mechanism.
const CLEAR: f64 = 0.1;

/// The `count` modes of the mechanism with the smallest |s| in the penalty problem, with their conjugates.
///
/// Which modes these are is decided, and proved where the options ask for it, on the constrained problem. Vectors have
/// length n, multipliers are left out as in [`super::solve`]; `penalty_share` is set. Errors as [`crate::sparse::solve`].
pub fn lowest(blocks: &PenaltyBlocks, count: usize, options: &SparseOptions) -> Result<Spectrum, EigenError> {
    let (m, n) = blocks.phi_q.shape();
    for (name, a) in [("Xi", &blocks.xi), ("Theta", &blocks.theta), ("Omega", &blocks.omega)] {
        check::matrix(name, a, m, m)?;
    }
    let constrained = QuadraticPencil {
        m: blocks.m.clone(),
        c: blocks.c.clone(),
        k: blocks.k.clone(),
        phi_q: blocks.phi_q.clone(),
    };
    let (slack, parts) = (blocks.to_constrained(), blocks.constrained_parts());
    let problem = Problem::new(&slack, options)?.with_parts(parts.as_ref(), options)?;
    // An unsymmetric root is followed with both of its vectors.
    let (request, both) = (Request::Lowest { count }, !problem.symmetric);
    let start = solve_with(&constrained, blocks.k_parts.as_ref(), &request, options, both)?;
    let (mut roots, mut starts) = (Vec::with_capacity(start.pairs.len()), Vec::new());
    let mut second_of_chain = false;
    for pair in start.pairs.iter().filter(|pair| pair.alpha.im >= 0.0) {
        if pair.chain == 2 {
            second_of_chain = !second_of_chain;
            if !second_of_chain {
                continue;
            }
        }
        roots.push(extended(&problem, n, pair));
        starts.push(pair);
    }
    let pairs = certified(&problem, (n, options.left_vectors), roots, &starts)?;
    let measure = Measure::new(blocks);
    let pairs: Vec<Eigenpair> = pairs.into_iter().map(|pair| measure.on_coordinates(pair)).collect();
    let mut findings: Vec<Finding> = start.findings.into_iter().filter(|f| !of_the_constrained(f)).collect();
    findings.extend(overlap(&start.pairs, &pairs));
    Ok(Spectrum::partial(pairs, start.counts, findings))
}

/// Words on modes of the constrained problem that are not true of the roots returned.
fn of_the_constrained(finding: &Finding) -> bool {
    let details =
        |d: &SparseFinding| matches!(d, SparseFinding::Complete { .. } | SparseFinding::Shift { .. });
    matches!(finding, Finding::Sparse { detail } if details(detail))
        || matches!(finding, Finding::NearlyZeroStiffness { .. } | Finding::NoFreedom)
}

/// Says where roots left their starts, or cannot be told from penalty roots.
fn overlap(start: &[Eigenpair], found: &[Eigenpair]) -> Option<Finding> {
    let largest = found.iter().filter_map(|pair| pair.penalty_share).reduce(f64::max);
    let kept = |pair: &Eigenpair| start.iter().any(|s| mac(&s.right, &pair.right) > SAME);
    let unsure = largest.is_some_and(|share| share > CLEAR) || !found.iter().all(kept);
    unsure.then_some(Finding::PenaltyOverlap { largest_physical: largest, smallest_spurious: None })
}

/// The roots of the penalty problem next to `roots`, with their certificates.
///
/// In symmetric problems the certificate improves a start with residuals in doubled precision, which leads to the root itself;
/// what is left unsure then, and everything where left vectors differ, follows the steps above.
fn certified(
    problem: &Problem<'_>,
    (n, left_vectors): (usize, bool),
    mut roots: Vec<Root>,
    starts: &[&Eigenpair],
) -> Result<Vec<Eigenpair>, EigenError> {
    let certifier = Certifier::new(problem, left_vectors);
    let mut sure: Vec<Option<Eigenpair>> = vec![None; roots.len()];
    if problem.symmetric {
        let pairs = certifier.certify(roots.clone());
        let mut at = 0;
        for (root, sure) in roots.iter().zip(&mut sure) {
            let pair = &pairs[at];
            // A start that was good enough as it is knows nothing of its violations yet.
            let moved = pair.right[n..].iter().any(|e| *e != ZERO);
            if moved && pair.error_bar <= SURE * pair.value().map_or(0.0, c64::norm) {
                *sure = Some(pair.clone());
            }
            at += if root.mirror || (root.rigid && root.chain == 2) { 2 } else { 1 };
        }
        if sure.iter().all(Option::is_some) {
            return Ok(pairs);
        }
    }
    for ((root, start), sure) in roots.iter_mut().zip(starts).zip(&sure) {
        if sure.is_none() && !root.rigid {
            match follow(problem, root.clone(), start) {
                Ok(found) => *root = found,
                // The start stays, with a bar that says how far it may be off.
                Err(EigenError::NoRegularShift { .. }) if problem.symmetric => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(certifier.certify_others(roots, sure))
}

/// A pair of the constrained problem as a start for the penalty problem: x without violations.
fn extended(problem: &Problem<'_>, n: usize, start: &Eigenpair) -> Root {
    let s = start.value().unwrap_or(ZERO);
    let mut root = Root {
        s,
        right: with_violations(problem, &start.right),
        multipliers: start.multipliers.clone(),
        left: None,
        rigid: start.class == Class::Rigid,
        mirror: s.im > 0.0,
        opposite: false,
        chain: start.chain,
        curvature: 1.0,
    };
    if root.rigid {
        // A motion without resistance needs no reaction: it is a zero of both problems. One that needs a reaction is not,
        // and its bar says so.
        let x = DenseC::from_fn(problem.n, 1, |i, _| root.right[i]);
        let mx = problem.m.mul(&x);
        root.curvature = (0..n).map(|i| (root.right[i].conj() * mx[(i, 0)]).re).sum();
    }
    root
}

/// (x, 0).
fn with_violations(problem: &Problem<'_>, x: &[c64]) -> Vec<c64> {
    let mut z = x.to_vec();
    z.resize(problem.n, ZERO);
    z
}

/// The root of the penalty problem next to a start, from the steps above.
fn follow(problem: &Problem<'_>, mut root: Root, start: &Eigenpair) -> Result<Root, EigenError> {
    let unmoved = root.clone();
    let mut settled = false;
    let (sigma, solver) = factor(problem, root.s)?;
    let mut left = (!problem.symmetric).then(|| with_violations(problem, &conjugate(&start.left)));
    for step in 0..STEPS {
        let solved = |z: &[c64], transposed: bool| -> Result<_, EigenError> {
            let force = moved(problem, root.s, sigma, z, transposed);
            let solution = solver.solve(&force, transposed, Effort::Final)?;
            Ok(unit(&solution.x, &problem.rows.multipliers(&solution.l)))
        };
        let (z, l) = solved(&root.right, false)?;
        if let Some(v) = &mut left {
            let (turned, mu) = solved(v, true)?;
            root.left = Some((conjugate(&turned), conjugate(&mu)));
            *v = turned;
        }
        let next = quotient(problem, root.s, &z, left.as_deref().unwrap_or(&z));
        let change = (next - root.s).norm() / next.norm();
        (root.s, root.right, root.multipliers) = (next, z, l);
        if change <= SETTLED && step > 0 {
            settled = true;
            break;
        }
    }
    // Factors of such entries have few digits, the start has many more, and the certificate improves it.
    Ok(if settled || !problem.symmetric { root } else { unmoved })
}

/// Factors beside s, at sigma.
fn factor(problem: &Problem<'_>, s: c64) -> Result<(c64, std::sync::Arc<dyn ShiftSolve<c64>>), EigenError> {
    let mut last = None;
    for aside in ASIDE {
        let sigma = s * (1.0 + aside);
        match problem.factor_complex(sigma * sigma, sigma) {
            Ok(solver) => return Ok((sigma, solver)),
            Err(error) => last = Some(crate::error::only_here(error)?),
        }
    }
    let source = last.unwrap_or(mb_algebra::AlgebraError::Singular { index: 0, pivot: 0.0 });
    Err(EigenError::NoRegularShift { re: s.re, im: s.im, others: ASIDE.len() - 1, source })
}

/// ((s + sigma) M' + C') z.
fn moved(problem: &Problem<'_>, s: c64, sigma: c64, z: &[c64], transposed: bool) -> DenseC {
    let z = DenseC::from_fn(z.len(), 1, |i, _| z[i]);
    let apply = |a: &Matrix<'_>| {
        if transposed && !a.symmetric { a.mul_transpose(&z) } else { a.mul(&z) }
    };
    let (m, c) = (apply(&problem.m), apply(&problem.c));
    DenseC::from_fn(z.nrows(), 1, |i, _| (s + sigma) * m[(i, 0)] + c[(i, 0)])
}

/// A vector at length one, its multipliers on the same scale.
fn unit(z: &DenseC, l: &DenseC) -> (Vec<c64>, Vec<c64>) {
    let (z, l) = (z.col_as_slice(0), if l.nrows() > 0 { l.col_as_slice(0) } else { &[] });
    let by = norm(z).recip();
    (z.iter().map(|z| z * by).collect(), l.iter().map(|l| l * by).collect())
}

/// The root of v^T (s^2 M' + s C' + K') z next to s.
fn quotient(problem: &Problem<'_>, s: c64, z: &[c64], v: &[c64]) -> c64 {
    let column = DenseC::from_fn(z.len(), 1, |i, _| z[i]);
    let form = |a: &Matrix<'_>| -> c64 {
        let az = a.mul(&column);
        v.iter().enumerate().map(|(i, v)| v * az[(i, 0)]).sum()
    };
    let (m, c, k) = (form(&problem.m), form(&problem.c), form(&problem.k));
    let mut root = s;
    for _ in 0..4 {
        let step = ((root * m + c) * root + k) / (root * m * 2.0 + c);
        if !step.is_finite() {
            return s;
        }
        root -= step;
    }
    if s.im == 0.0 { c64::new(root.re, 0.0) } else { root }
}

/// What tells motion of the mechanism from that against the penalty.
struct Measure<'a> {
    blocks: &'a PenaltyBlocks,
    m: Matrix<'a>,
    /// Reciprocal lengths of the rows of Phi_q; zero for rows of zeros.
    by: Vec<f64>,
    /// Bound of the norm of Phi_q with rows of length one.
    norm: f64,
}

impl<'a> Measure<'a> {
    fn new(blocks: &'a PenaltyBlocks) -> Self {
        let mut squares = vec![0.0_f64; blocks.phi_q.rows()];
        for (v, (i, _)) in &blocks.phi_q {
            squares[i] += v * v;
        }
        let by: Vec<f64> =
            squares.into_iter().map(|s| if s > 0.0 { s.sqrt().recip() } else { 0.0 }).collect();
        let unit = sparse::mul(&sparse::diagonal(&by), &blocks.phi_q);
        Self { blocks, m: Matrix::new(&blocks.m, 0.0), by, norm: norm_bound(&unit) }
    }

    /// A pair of (x, e) as one of x: length one, left vector to match, share and violation of e.
    fn on_coordinates(&self, mut pair: Eigenpair) -> Eigenpair {
        let e = pair.right.split_off(self.blocks.m.rows());
        pair.left.truncate(self.blocks.m.rows());
        let size = norms::two_complex(&pair.right);
        let mx = self.m.mul(&DenseC::from_fn(pair.right.len(), 1, |i, _| pair.right[i]));
        let without: c64 = pair.right.iter().enumerate().map(|(i, x)| x.conj() * mx[(i, 0)]).sum();
        let xe = dense::matvec_complex(&self.blocks.xi, &e);
        let with: c64 = e.iter().zip(&xe).map(|(e, xe)| e.conj() * xe).sum();
        let sum = with.norm() + without.norm();
        pair.penalty_share = (sum > 0.0).then(|| with.norm() / sum);
        let square: f64 = e.iter().zip(&self.by).map(|(e, by)| e.norm_sqr() * by * by).sum();
        pair.constraint_violation = if square > 0.0 { square.sqrt() / (self.norm * size) } else { 0.0 };
        if pair.penalty_share.is_some_and(|share| share > 0.5) {
            pair.class = Class::Spurious { origin: SpuriousOrigin::Penalty };
        }
        pair.right.iter_mut().for_each(|x| *x /= size);
        pair.left.iter_mut().for_each(|y| *y *= size);
        pair.multipliers.clear();
        pair.left_multipliers.clear();
        pair
    }
}
