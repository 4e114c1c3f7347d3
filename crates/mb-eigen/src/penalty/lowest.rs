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
//! the next root. One factorization and two solves are the rule. Pairs of symmetric problems are improved first with residuals in
//! doubled precision: stiffnesses far above that of the mode leave the factors few digits, and the steps above would end
//! there. Where nothing but the penalty damps, all pairs go together, with the factors that the constrained problem was
//! solved with (`sparse/doubled/damped.rs`), else one by one in the certificate.
//!
//! Fails where a root of the mechanism lies among those of the penalty: the finding of [`super::solve`] says so.
//! Sizes: M, C, K n x n, Phi_q m x n, Xi, Theta, Omega m x m, z of length n + m.

use mb_algebra::{
    Dense, DenseC, Lu, PenaltyBlocks, QuadraticPencil, SymmetricEigen, c64, dense, norms, sparse,
};

use crate::krylov::scalar::{norm, product};
use crate::pairing::mac;
use crate::sparse::certificate::{Certifier, Root};
use crate::sparse::doubled::{self, Doubled, Springs};
use crate::sparse::matrix::{Matrix, norm_bound};
use crate::sparse::problem::Problem;
use crate::sparse::real_shapes::real_basis;
use crate::sparse::shift_solve::{Effort, ShiftSolve};
use crate::sparse::solve::{counts, goes_dense, solve_with, undamped};
use crate::sparse::{Request, SparseFinding, SparseOptions};
use crate::vectors::{ZERO, conjugate};
use crate::{Class, EigenError, Eigenpair, Finding, Shape, Spectrum, SpuriousOrigin, check};

/// Solves with one factorization at most.
const STEPS: usize = 12;
/// A change of s below this fraction is the last: the next one would be its square, times what a step gains.
const SETTLED: f64 = 1e-8;
/// Where a factorization is tried again when sigma is a root, relative to sigma: beside stiffnesses of 1e12 times that of the
/// mode, as those of long links, a matrix is singular to the last digit in a wide neighbourhood.
const ASIDE: [f64; 7] = [0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.02, 0.1];
/// Bar relative to |s| up to which a root needs no further steps.
const SURE: f64 = 1e-8;
/// The same of a pair that is as good as its entries have digits.
const AS_GOOD: f64 = 1e-6;
/// Residual, relative, of undamped pairs that are improved together from then on: their squares are the errors of their roots.
const ROUGH: f64 = 1e-3;
/// |cos|^2 between start and result below which the iteration has left its root.
const SAME: f64 = 0.5;
/// Distance, relative to |s|, within which modes of the constrained problem stand at one eigenvalue.
const TOGETHER: f64 = 1e-8;
/// Backward error above which a pair is none of the problem.
const NO_ROOT: f64 = 1e-6;
/// 1 - |cos|^2 between the vectors of two pairs at one root below which they are one.
const ONE_VECTOR: f64 = 1e-6;
/// Share of the penalty in the energy from which on a root is not clearly motion of the mechanism.
const CLEAR: f64 = 0.1;

/// The `count` modes of the mechanism with the smallest |s| in the penalty problem, with their conjugates.
///
/// Which modes these are is decided, and proved where the options ask for it, on the constrained problem. Vectors have
/// length n, multipliers are left out as in [`super::solve`]; `penalty_share` is set. Errors as [`crate::sparse::solve`].
pub fn lowest(blocks: &PenaltyBlocks, count: usize, options: &SparseOptions) -> Result<Spectrum, EigenError> {
    let m = blocks.phi_q.rows();
    for (name, a) in [("Xi", &blocks.xi), ("Theta", &blocks.theta), ("Omega", &blocks.omega)] {
        check::matrix(name, a, m, m)?;
    }
    let held = Problem::of([&blocks.m, &blocks.c, &blocks.k], &blocks.phi_q, options)?
        .with_parts(blocks.k_parts.as_ref(), options)?;
    let [damping, stiffness] = [&blocks.theta, &blocks.omega].map(|a| dense::mul(&blocks.xi, a));
    let problem = held.with_violations([&blocks.xi, &damping, &stiffness], options)?;
    let certifier = Certifier::new(&problem, options.left_vectors);
    let request = Request::Lowest { count };
    let started: Option<Started> =
        if problem.symmetric { from_undamped(&held, blocks, &request, options)? } else { None };
    let (starts, pairs, findings) = if let Some((starts, found, mut findings)) = started {
        let known = known(&certifier, &starts, &found);
        let pairs = certified(&problem, &certifier, starts.clone(), known)?;
        if held.rounded_stiffness().is_none() {
            findings.extend(certifier.findings());
        }
        (starts, pairs, findings)
    } else {
        // An unsymmetric root is followed with both of its vectors.
        let both = !problem.symmetric;
        let constrained = QuadraticPencil {
            m: blocks.m.clone(),
            c: blocks.c.clone(),
            k: blocks.k.clone(),
            phi_q: blocks.phi_q.clone(),
        };
        let start = solve_with(&constrained, blocks.k_parts.as_ref(), &request, options, both)?;
        let mut starts = of_pairs(&problem, &start.pairs);
        parted(&held, &blocks.xi, &mut starts);
        let pairs = certified(&problem, &certifier, starts.clone(), vec![None; starts.len()])?;
        (starts, pairs, start.findings)
    };
    let measure = Measure::new(blocks, &held.m);
    let pairs = measure.each_on_coordinates(pairs);
    let mut findings: Vec<Finding> = findings.into_iter().filter(|f| !of_the_constrained(f)).collect();
    findings.extend(overlap(&starts, &pairs));
    let (pairs, lost) = without_repeated(pairs);
    if lost > 0 {
        let (found, searches) = (count.saturating_sub(lost), 1);
        findings
            .push(SparseFinding::Converged { found, wanted: count, searches, restarts: 0, basis: 0 }.into());
    }
    Ok(Spectrum::partial(pairs, counts(&held), findings))
}

/// Roots of the undamped constrained problem, extended, those of the penalty problem next to them, and what there is to say; none where
/// the problem is of another kind, or that way fails.
fn from_undamped(
    held: &Problem<'_>,
    blocks: &PenaltyBlocks,
    request: &Request,
    options: &SparseOptions,
) -> Result<Option<Started>, EigenError> {
    let fits = held.symmetric && held.undamped() && held.dof() > 0 && request.count() != Some(0);
    let Some(springs) = Springs::new(blocks).filter(|_| fits && !goes_dense(held, request, options)) else {
        return Ok(None);
    };
    let driver = options.solver.driver()?;
    // What went wrong is told by the whole way.
    // Steps in doubled precision follow, which what the search has beyond that would save nothing.
    let search = SparseOptions { tolerance: options.tolerance.max(ROUGH), ..*options };
    let Ok(found) = undamped(held, request, &search, driver.as_ref()) else { return Ok(None) };
    let Some(beside) = found.aid.factors(held) else { return Ok(None) };
    // Of two opposite roots each has its own under penalties, which damp.
    let roots = found.roots.into_iter().flat_map(|root| {
        let one = Root { opposite: false, ..root };
        let other = root.opposite.then(|| Root { s: -one.s, ..one.clone() });
        std::iter::once(one).chain(other)
    });
    let mut roots: Vec<Root> = roots.collect();
    parted(held, &blocks.xi, &mut roots);
    let moving: Vec<Root> = roots.iter().filter(|root| !root.rigid).cloned().collect();
    let mut better = doubled::refine_damped(held, Some(&springs), &beside, &moving).into_iter();
    let improved = roots.iter().map(|root| if root.rigid { None } else { better.next().flatten() }).collect();
    let (n, size) = (held.n, held.n + held.rows.m);
    let starts = roots.into_iter().map(|root| extended(held, (n, size), root)).collect();
    Ok(Some((starts, improved, found.findings)))
}

/// Roots of the constrained problem with e = 0, those of the penalty problem where they were found with word whether they need no further
/// steps, and what there is to say.
type Started = (Vec<Root>, Vec<Option<(Doubled, bool)>>, Vec<Finding>);

/// The pairs that need no further steps.
fn known(
    certifier: &Certifier<'_>,
    roots: &[Root],
    found: &[Option<(Doubled, bool)>],
) -> Vec<Option<Eigenpair>> {
    let certify = |(root, found): (&Root, &Option<(Doubled, bool)>)| {
        let (found, _) = found.as_ref().filter(|(_, enough)| *enough)?;
        Some(certifier.certify_found(root, found)).filter(|pair| within(pair, AS_GOOD))
    };
    roots.iter().zip(found).map(certify).collect()
}

/// Whether a bar is that small beside |s|.
fn within(pair: &Eigenpair, share: f64) -> bool {
    pair.error_bar <= share * pair.value().map_or(0.0, c64::norm)
}

/// Turns the vectors of eigenvalues with several modes to those that penalties part.
///
/// A penalty moves a mode in proportion to l^H Xi^-1 l (factor.rs). Of several modes at one s any basis is as good for the constrained
/// problem; the penalty problem has roots beside s whose vectors diagonalize that form, and starts between them lead to either:
///
/// ```text
/// X^T M X = I,   Re(L^H Xi^-1 L) = U D U^T,   X <- X U,  L <- L U
/// ```
///
/// For spaces that real shapes span, in symmetric problems; others stay. Sizes: X n x g, L m x g.
fn parted(held: &Problem<'_>, xi: &Dense, roots: &mut [Root]) {
    let n = held.n;
    let fits = |root: &Root| !root.rigid && root.left.is_none();
    let Ok(factor) = Lu::new(xi) else { return };
    let mut done = vec![false; roots.len()];
    for first in 0..roots.len() {
        let near = |root: &Root| {
            let s = roots[first].s;
            (root.s - s).norm() <= TOGETHER * s.norm() && root.opposite == roots[first].opposite
        };
        let group: Vec<usize> =
            (first..roots.len()).filter(|&j| !done[j] && near(&roots[j]) && fits(&roots[j])).collect();
        for &j in &group {
            done[j] = true;
        }
        if group.len() < 2 {
            continue;
        }
        let g = group.len();
        let m = held.rows.m;
        let x = DenseC::from_fn(n, g, |i, j| roots[group[j]].right[i]);
        let l = DenseC::from_fn(m, g, |i, j| roots[group[j]].multipliers[i]);
        let Some((x, z)) = real_basis(held, &x) else { continue };
        let l = product(l.as_ref(), z.as_ref());
        let re = Dense::from_fn(m, g, |i, j| l[(i, j)].re);
        let im = Dense::from_fn(m, g, |i, j| l[(i, j)].im);
        let Ok(mass) = SymmetricEigen::new(&dense::mul_transpose(&x, &held.m.mul(&x))) else { continue };
        if mass.values.iter().any(|v| *v <= 0.0) {
            continue;
        }
        let own = Dense::from_fn(g, g, |i, j| mass.vectors[(i, j)] / mass.values[j].sqrt());
        let form = |l: &Dense| {
            let l = dense::mul(l, &own);
            dense::mul_transpose(&l, &factor.solve_mat(&l))
        };
        let sum = dense::add(1.0, &form(&re), 1.0, &form(&im));
        let even = Dense::from_fn(g, g, |i, j| 0.5 * (sum[(i, j)] + sum[(j, i)]));
        let Ok(turn) = SymmetricEigen::new(&even) else { continue };
        let by = dense::mul(&own, &turn.vectors);
        let (x, re, im) = (dense::mul(&x, &by), dense::mul(&re, &by), dense::mul(&im, &by));
        for (j, &at) in group.iter().enumerate() {
            let right: Vec<c64> = (0..n).map(|i| c64::new(x[(i, j)], 0.0)).collect();
            let l: Vec<c64> = (0..m).map(|i| c64::new(re[(i, j)], im[(i, j)])).collect();
            let rest: Vec<c64> = (n..roots[at].right.len()).map(|i| roots[at].right[i]).collect();
            roots[at].right = right.into_iter().chain(rest).collect::<Vec<c64>>().into();
            roots[at].multipliers = l.into();
        }
    }
}

/// Starts from pairs of the constrained problem.
fn of_pairs(problem: &Problem<'_>, pairs: &[Eigenpair]) -> Vec<Root> {
    let mut roots = Vec::with_capacity(pairs.len());
    let mut second_of_chain = false;
    for pair in pairs.iter().filter(|pair| pair.alpha.im >= 0.0) {
        if pair.chain == 2 {
            second_of_chain = !second_of_chain;
            if !second_of_chain {
                continue;
            }
        }
        let s = pair.value().unwrap_or(ZERO);
        let root = Root {
            s,
            right: pair.right.clone(),
            multipliers: pair.multipliers.clone(),
            left: (!problem.symmetric && pair.class != Class::Rigid)
                .then(|| (pair.left.clone(), pair.left_multipliers.clone())),
            rigid: pair.class == Class::Rigid,
            mirror: s.im > 0.0,
            opposite: false,
            chain: pair.chain,
            curvature: 1.0,
        };
        roots.push(extended(problem, (pair.right.len(), problem.n), root));
    }
    roots
}

/// The pairs without those that solve nothing, and without those that are one root found twice, from two starts of one eigenvalue that the penalty parts, and how many
/// modes that makes less.
fn without_repeated(pairs: Vec<Eigenpair>) -> (Vec<Eigenpair>, usize) {
    let mut out: Vec<Eigenpair> = Vec::with_capacity(pairs.len());
    let mut lost = 0;
    for pair in pairs {
        let same = |other: &Eigenpair| {
            let (s, t) = (pair.value().unwrap_or(ZERO), other.value().unwrap_or(ZERO));
            let near = (s - t).norm() <= pair.error_bar + other.error_bar + 1e-12 * s.norm();
            near && pair.chain == 1 && mac(&pair.right, &other.right) > 1.0 - ONE_VECTOR
        };
        // Steps that ended elsewhere leave most of the equations.
        if pair.backward_error > NO_ROOT || out.iter().any(same) {
            lost += usize::from(pair.alpha.im >= 0.0);
        } else {
            out.push(pair);
        }
    }
    (out, lost)
}

/// Words on modes of the constrained problem that are not true of the roots returned.
fn of_the_constrained(finding: &Finding) -> bool {
    let details = |d: &SparseFinding| {
        matches!(
            d,
            SparseFinding::Complete { .. }
                | SparseFinding::CompleteInside { .. }
                | SparseFinding::CompleteOutside { .. }
                | SparseFinding::MultipleCut { .. }
                | SparseFinding::Shift { .. }
        )
    };
    matches!(finding, Finding::Sparse { detail } if details(detail))
        || matches!(finding, Finding::NearlyZeroStiffness { .. } | Finding::NoFreedom)
}

/// Says where roots left their starts, or cannot be told from penalty roots.
fn overlap(starts: &[Root], found: &[Eigenpair]) -> Option<Finding> {
    let largest = found.iter().filter_map(|pair| pair.penalty_share).reduce(f64::max);
    let kept =
        |pair: &Eigenpair| starts.iter().any(|s| mac(&s.right[..pair.right.len()], &pair.right) > SAME);
    let unsure = largest.is_some_and(|share| share > CLEAR) || !found.iter().all(kept);
    unsure.then_some(Finding::PenaltyOverlap { largest_physical: largest, smallest_spurious: None })
}

/// The roots of the penalty problem next to `roots`, with their certificates; `known` where these are made.
///
/// In symmetric problems the certificate improves a start with residuals in doubled precision, which leads to the root itself;
/// what is left unsure then, and everything where left vectors differ, follows the steps above.
fn certified(
    problem: &Problem<'_>,
    certifier: &Certifier<'_>,
    mut roots: Vec<Root>,
    mut known: Vec<Option<Eigenpair>>,
) -> Result<Vec<Eigenpair>, EigenError> {
    let open: Vec<usize> = (0..roots.len()).filter(|&i| known[i].is_none() && !roots[i].rigid).collect();
    if problem.symmetric {
        let pairs = certifier.certify_alone(open.iter().map(|&i| roots[i].clone()).collect());
        for (&i, pair) in open.iter().zip(pairs) {
            // A start that was good enough as it is knows nothing of its violations yet.
            let moved = pair.right[problem.n - problem.rows.m..].iter().any(|e| *e != ZERO);
            known[i] = Some(pair).filter(|pair| moved && within(pair, SURE));
        }
    }
    for i in open.into_iter().filter(|&i| known[i].is_none()).collect::<Vec<_>>() {
        match follow(problem, roots[i].clone()) {
            Ok(found) => roots[i] = found,
            // The start stays, with a bar that says how far it may be off.
            Err(EigenError::NoRegularShift { .. }) if problem.symmetric => {}
            Err(error) => return Err(error),
        }
    }
    Ok(certifier.certify_others(roots, known))
}

/// A root of the constrained problem as a start for the penalty problem: x without violations, from n to `size` numbers.
fn extended(problem: &Problem<'_>, (n, size): (usize, usize), mut root: Root) -> Root {
    if root.rigid {
        // A motion without resistance needs no reaction: it is a zero of both problems. One that needs a reaction is not,
        // and its bar says so.
        let x = DenseC::from_fn(problem.n, 1, |i, _| root.right.get(i).copied().unwrap_or(ZERO));
        let mx = problem.m.mul(&x);
        root.curvature = (0..n).map(|i| (root.right[i].conj() * mx[(i, 0)]).re).sum();
    }
    root.right.edit(|x| x.resize(size, ZERO));
    if let Some((left, _)) = &mut root.left {
        left.edit(|y| y.resize(size, ZERO));
    }
    root
}

/// The root of the penalty problem next to a start, from the steps above.
fn follow(problem: &Problem<'_>, mut root: Root) -> Result<Root, EigenError> {
    let unmoved = root.clone();
    let mut settled = false;
    let (sigma, solver) = factor(problem, root.s)?;
    let mut left = root.left.as_ref().map(|(left, _)| conjugate(left));
    for step in 0..STEPS {
        let solved = |z: &[c64], transposed: bool| -> Result<_, EigenError> {
            let force = moved(problem, root.s, sigma, z, transposed);
            let solution = solver.solve(&force, transposed, Effort::Final)?;
            Ok(unit(&solution.x, &problem.rows.multipliers(&solution.l)))
        };
        let (z, l) = solved(&root.right, false)?;
        if let Some(v) = &mut left {
            let (turned, mu) = solved(v, true)?;
            root.left = Some((conjugate(&turned).into(), conjugate(&mu).into()));
            *v = turned;
        }
        let next = quotient(problem, root.s, &z, left.as_deref().unwrap_or(&z));
        let change = (next - root.s).norm() / next.norm();
        (root.s, root.right, root.multipliers) = (next, z.into(), l.into());
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
    m: &'a Matrix<'a>,
    /// Reciprocal lengths of the rows of Phi_q; zero for rows of zeros.
    by: Vec<f64>,
    /// Bound of the norm of Phi_q with rows of length one.
    norm: f64,
}

impl<'a> Measure<'a> {
    fn new(blocks: &'a PenaltyBlocks, m: &'a Matrix<'a>) -> Self {
        let mut squares = vec![0.0_f64; blocks.phi_q.rows()];
        for (v, (i, _)) in &blocks.phi_q {
            squares[i] += v * v;
        }
        let by: Vec<f64> =
            squares.into_iter().map(|s| if s > 0.0 { s.sqrt().recip() } else { 0.0 }).collect();
        let unit = sparse::mul(&sparse::diagonal(&by), &blocks.phi_q);
        Self { blocks, m, by, norm: norm_bound(&unit) }
    }

    /// Pairs of (x, e) as pairs of x; what is measured of one holds for its conjugate.
    fn each_on_coordinates(&self, pairs: Vec<Eigenpair>) -> Vec<Eigenpair> {
        let mut out: Vec<Eigenpair> = Vec::with_capacity(pairs.len());
        let mut before: Option<(c64, Shape)> = None;
        for pair in pairs {
            let of = before.take().filter(|(alpha, right)| {
                let opposite = |(x, y): (&c64, &c64)| *x == y.conj();
                pair.alpha == alpha.conj() && right.iter().zip(&pair.right).all(opposite)
            });
            if let (Some(_), Some(last)) = (of, out.last()) {
                let conjugate = last.conjugate();
                out.push(conjugate);
            } else {
                before = Some((pair.alpha, pair.right.clone()));
                out.push(self.on_coordinates(pair));
            }
        }
        out
    }

    /// A pair of (x, e) as one of x: length one, left vector to match, share and violation of e.
    fn on_coordinates(&self, mut pair: Eigenpair) -> Eigenpair {
        let n = self.blocks.m.rows();
        let mut e = Vec::new();
        pair.right.edit(|x| e = x.split_off(n));
        pair.left.edit(|y| y.truncate(n));
        let size = norms::two_complex(&pair.right);
        // x^H M x of a symmetric part: that of the real parts and that of the imaginary ones.
        let parts = Dense::from_fn(pair.right.len(), 2, |i, k| [pair.right[i].re, pair.right[i].im][k]);
        let mx = self.m.mul(&parts);
        let form = |k: usize| -> f64 {
            parts.col_as_slice(k).iter().zip(mx.col_as_slice(k)).map(|(x, mx)| x * mx).sum()
        };
        let without = form(0) + form(1);
        let xe = dense::matvec_complex(&self.blocks.xi, &e);
        let with: c64 = e.iter().zip(&xe).map(|(e, xe)| e.conj() * xe).sum();
        let sum = with.norm() + without.abs();
        pair.penalty_share = (sum > 0.0).then(|| with.norm() / sum);
        let square: f64 = e.iter().zip(&self.by).map(|(e, by)| e.norm_sqr() * by * by).sum();
        pair.constraint_violation = if square > 0.0 { square.sqrt() / (self.norm * size) } else { 0.0 };
        if pair.penalty_share.is_some_and(|share| share > 0.5) {
            pair.class = Class::Spurious { origin: SpuriousOrigin::Penalty };
        }
        pair.right.edit(|x| x.iter_mut().for_each(|x| *x /= size));
        pair.left.edit(|y| y.iter_mut().for_each(|y| *y *= size));
        (pair.multipliers, pair.left_multipliers) = (Shape::default(), Shape::default());
        pair
    }
}
