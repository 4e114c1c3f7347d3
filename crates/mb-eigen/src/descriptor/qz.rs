//! QZ on the descriptor pencil itself: the cross-check for small problems.
//!
//! ```text
//! beta A y = alpha E y,   beta w^H A = alpha w^H E,   y = (q, v, lambda)
//! ```
//!
//! Rows and columns are scaled by blocks first (units of time, of force, of the constraints), and directions that
//! both matrices annihilate are removed, since QZ on a singular pencil may return anything. Rounding spreads infinite
//! eigenvalues of index-3 constraints over large finite values (a flexible double pendulum showed 5e6 where the true
//! maximum is 4e5), so no fixed magnitude separates them: the theoretical number of largest |alpha| / beta are taken as infinite, the gap
//! is reported, and an eigenvalue left as physical must satisfy Phi_q q = 0 or the counts will not agree. Sizes: 2n +
//! m.

use mb_algebra::sorted::{ascending, descending};
use mb_algebra::{Dense, DescriptorPencil, Qz, RankQr, RankTolerance, c64, dense, norms};

use super::Transferred;
use crate::dense::Matrices;
use crate::dense::constraint_basis::{ConstraintBasis, zeros};
use crate::error::at;
use crate::numeric::check;
use crate::numeric::vectors;
use crate::numeric::vectors::{inner, norm_bound};
use crate::{
    Class, Counts, DenseOptions, EigenError, Eigenpair, ExpectedCounts, Finding, Method, Spectrum,
    SpuriousOrigin, tuning,
};

/// All 2n + m eigenvalues from E and A alone; n coordinates, m constraint rows in the layout of the module header.
///
/// Errors: sizes, entries that are not finite, QZ that does not converge.
pub fn solve_qz(
    pencil: &DescriptorPencil,
    n: usize,
    m: usize,
    options: &DenseOptions,
) -> Result<Spectrum, EigenError> {
    let size = 2 * n + m;
    if n == 0 {
        return Err(EigenError::Empty);
    }
    if pencil.e.nrows() != size {
        return Err(EigenError::DescriptorSize { n, m, expected: size, rows: pencil.e.nrows() });
    }
    check::matrix("E", &pencil.e, size, size)?;
    check::matrix("A", &pencil.a, size, size)?;
    let blocks = Blocks::of(pencil, n, m);
    let basis = ConstraintBasis::new(&blocks.phi_q, options.constraint_rank)?;
    let scaling = Scaling::new(&blocks, n, m);
    let (right, left, indeterminate) =
        compression(&scaling.apply(&pencil.a, true), &scaling.apply(&pencil.e, false))?;
    let between = |x: &Dense| dense::mul_transpose(&left, &dense::mul(x, &right));
    let a = between(&scaling.apply(&pencil.a, true));
    let e = between(&scaling.apply(&pencil.e, false));
    let qz = Qz::new(&a, &e, true).map_err(at("QZ of the descriptor pencil"))?;

    let expected = ExpectedCounts::descriptor(n, m, basis.rank(), blocks.transferred.count());
    let mut findings = basis.findings().to_vec();
    if indeterminate > 0 {
        findings.push(Finding::SingularPencil { indeterminate });
    }
    let mut pairs: Vec<Eigenpair> = (0..qz.alpha.len())
        .map(|j| {
            let lift = |basis: &Dense, x: &[c64], scale: &[f64]| {
                let mut y = dense::matvec_complex(basis, x);
                y.iter_mut().zip(scale).for_each(|(y, s)| *y *= s);
                y
            };
            let y = lift(&right, qz.right.col_as_slice(j), &scaling.columns);
            let w = qz.left.as_ref().map_or_else(Vec::new, |l| lift(&left, l.col_as_slice(j), &scaling.rows));
            pair(pencil, &basis, (qz.alpha[j], qz.beta[j]), scaling.gamma, &y, &w)
        })
        .collect();
    // Share of multipliers in the scaled vectors: one for the pure multiplier directions.
    let idle: Vec<f64> = (0..pairs.len())
        .map(|j| norms::two_complex(&dense::matvec_complex(&right, qz.right.col_as_slice(j))[2 * n..]))
        .collect();
    classify(&mut pairs, &idle, &expected, scaling.gamma, &mut findings);
    for j in 0..indeterminate {
        let y = right_null(&right, j, &scaling.columns)?;
        pairs.push(Eigenpair {
            class: Class::Indeterminate,
            ..pair(pencil, &basis, (vectors::ZERO, 0.0), 1.0, &y, &y)
        });
    }
    let counts = Counts { n, m, rank: basis.rank(), expected, ..Counts::default() };
    Ok(Spectrum::assemble(Method::Dense, pairs, counts, findings))
}

/// The blocks found in E and A.
struct Blocks {
    m: Dense,
    c: Dense,
    k: Dense,
    phi_q: Dense,
    transferred: Transferred,
}

impl Blocks {
    fn of(pencil: &DescriptorPencil, n: usize, m: usize) -> Self {
        let (e, a) = (&pencil.e, &pencil.a);
        let block = |x: &Dense, row: usize, col: usize, rows: usize, cols: usize| {
            Dense::from_fn(rows, cols, |i, j| x[(row + i, col + j)])
        };
        let in_e = block(e, 2 * n, 0, m, n);
        let phi_q_moved = norms::max_abs(&in_e) > 0.0;
        let phi_q = if phi_q_moved { in_e } else { dense::scale(-1.0, &block(a, 2 * n, 0, m, n)) };
        let phi_q_t = norms::max_abs(&block(e, n, 2 * n, n, m)) > 0.0;
        Self {
            m: block(e, n, n, n, n),
            c: dense::scale(-1.0, &block(a, n, n, n, n)),
            k: dense::scale(-1.0, &block(a, n, 0, n, n)),
            phi_q,
            transferred: Transferred { phi_q: phi_q_moved, phi_q_t },
        }
    }
}

/// Diagonal scaling by blocks, and the unit of frequency.
struct Scaling {
    rows: Vec<f64>,
    columns: Vec<f64>,
    gamma: f64,
}

impl Scaling {
    fn new(blocks: &Blocks, n: usize, m: usize) -> Self {
        let norm = norms::frobenius::<Dense>;
        let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
        let (mass, damping, stiffness) = (norm(&blocks.m), norm(&blocks.c), norm(&blocks.k));
        let gamma = Matrices::frequency(mass, damping, stiffness);
        let force = positive(stiffness.max(gamma * damping).max(gamma * gamma * mass));
        let lengths: Vec<f64> = (0..m).map(|i| positive(norms::two(&dense::row(&blocks.phi_q, i)))).collect();
        // A transferred Jacobian multiplies a rate: one more unit of time.
        let rate = |moved: bool| if moved { gamma } else { 1.0 };
        let (row_rate, column_rate) = (rate(blocks.transferred.phi_q), rate(blocks.transferred.phi_q_t));
        let mut rows = vec![gamma.recip(); n];
        rows.extend(vec![force.recip(); n]);
        rows.extend(lengths.iter().map(|l| (l * row_rate).recip()));
        let mut columns = vec![1.0; n];
        columns.extend(vec![gamma; n]);
        columns.extend(lengths.iter().map(|l| force / (l * column_rate)));
        Self { rows, columns, gamma }
    }

    /// Scaled A, or scaled E times gamma (so that the eigenvalue is sigma = s / gamma).
    fn apply(&self, x: &Dense, is_a: bool) -> Dense {
        let by = if is_a { 1.0 } else { self.gamma };
        Dense::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] * self.rows[i] * self.columns[j] * by)
    }
}

/// Bases that leave out what both matrices annihilate from the right and from the left, and the number left out.
fn compression(a: &Dense, e: &Dense) -> Result<(Dense, Dense, usize), EigenError> {
    let size = a.nrows();
    let tolerance = RankTolerance { relative: tuning::EPS_3_4 };
    let step = at("Compression of a singular pencil");
    let right = RankQr::new(&dense::vstack(&[a, e]), tolerance).map_err(&step)?;
    let left = RankQr::new(&dense::vstack(&[&dense::transpose(a), &dense::transpose(e)]), tolerance)
        .map_err(&step)?;
    let rank = right.rank().max(left.rank());
    if rank == size {
        return Ok((dense::identity(size), dense::identity(size), 0));
    }
    let keep =
        |qr: &RankQr| vectors::column_range(&dense::hstack(&[&qr.row_space(), &qr.null_space()]), 0, rank);
    Ok((keep(&right), keep(&left), size - rank))
}

/// Direction j that the compression left out, in the coordinates of the pencil.
fn right_null(right: &Dense, j: usize, scale: &[f64]) -> Result<Vec<c64>, EigenError> {
    let qr = RankQr::new(&dense::transpose(right), RankTolerance { relative: 0.0 })
        .map_err(at("Compression of a singular pencil"))?;
    let direction = qr.null_space();
    Ok(direction.col_as_slice(j).iter().zip(scale).map(|(v, s)| c64::new(v * s, 0.0)).collect())
}

/// One eigenvalue, certified on E and A as given; sigma = alpha / beta in units of gamma.
fn pair(
    pencil: &DescriptorPencil,
    basis: &ConstraintBasis,
    (alpha, beta): (c64, f64),
    gamma: f64,
    y: &[c64],
    w: &[c64],
) -> Eigenpair {
    let n = basis.n();
    // Both alpha and beta below this are indeterminate.
    let indeterminate = alpha.norm().max(beta) < tuning::SOLVE_ROUNDINGS;
    let size = (alpha.norm() * gamma).hypot(beta);
    let (alpha, beta) =
        if indeterminate { (vectors::ZERO, 0.0) } else { (alpha * gamma / size, beta / size) };
    let (ay, ey) = (dense::matvec_complex(&pencil.a, y), dense::matvec_complex(&pencil.e, y));
    let (norm_a, norm_e) = (norm_bound(&pencil.a), norm_bound(&pencil.e));
    let rest: Vec<c64> = ay.iter().zip(&ey).map(|(a, e)| a * beta - alpha * e).collect();
    let (length, left_length) = (norms::two_complex(y), norms::two_complex(w));
    let (rest, terms) = (norms::two_complex(&rest), (beta * norm_a + alpha.norm() * norm_e) * length);
    // Dedieu and Tisseur for a linear pencil: sqrt(|alpha|^2 |E|^2 + beta^2 |A|^2) |y| |w| / |w^H (beta E + conj(alpha) A) y|.
    let form = (inner(w, &ey) * beta + alpha.conj() * inner(w, &ay)).norm();
    let condition = (alpha.norm() * norm_e).hypot(beta * norm_a) * length * left_length / form;
    let backward_error = if rest > 0.0 { rest / terms.max(f64::MIN_POSITIVE) } else { 0.0 };
    let condition = if condition.is_finite() { condition } else { f64::INFINITY };
    let mut x = if beta * gamma >= alpha.norm() { y[..n].to_vec() } else { y[n..2 * n].to_vec() };
    let displacement = norms::two_complex(&x);
    let by = if displacement > 0.0 { displacement.recip() } else { 1.0 };
    // lambda belongs to the displacement q; where x was taken from v = s q the factor goes along.
    let s = if beta > 0.0 { alpha / beta } else { c64::new(1.0, 0.0) };
    let from_velocity = beta * gamma < alpha.norm() && beta > 0.0;
    let multiplier_by = if from_velocity { s * by } else { c64::new(by, 0.0) };
    vectors::scale(&mut x, c64::new(by, 0.0));
    let violation = basis.unit_rows().map_or(0.0, |phi| norms::two_complex(&dense::matvec_complex(phi, &x)));
    Eigenpair {
        alpha,
        beta,
        right: x.into(),
        multipliers: y[2 * n..].iter().map(|l| l * multiplier_by).collect(),
        left: if w.is_empty() { zeros(n) } else { w[n..2 * n].to_vec() }.into(),
        left_multipliers: if w.is_empty() { zeros(basis.m()) } else { w[2 * n..].to_vec() }.into(),
        backward_error,
        constraint_violation: if violation > 0.0 { violation / basis.unit_norm() } else { 0.0 },
        condition,
        error_bound: if beta > 0.0 {
            2.0 * condition * backward_error / (beta * beta)
        } else {
            f64::INFINITY
        },
        chain: 1,
        penalty_share: None,
        class: if indeterminate { Class::Indeterminate } else { Class::Physical },
    }
}

/// Classes by theoretical count, constraint violation and, at zero, the share of pure multipliers.
fn classify(
    pairs: &mut [Eigenpair],
    idle: &[f64],
    expected: &ExpectedCounts,
    gamma: f64,
    findings: &mut Vec<Finding>,
) {
    let inverse = |pair: &Eigenpair| pair.beta * gamma / pair.alpha.norm().max(f64::MIN_POSITIVE);
    let mut order: Vec<usize> =
        (0..pairs.len()).filter(|&j| pairs[j].class != Class::Indeterminate).collect();
    ascending(&mut order, |&i| inverse(&pairs[i]));
    let infinite = expected.infinite.min(order.len());
    let (large, small) = order.split_at(infinite);
    if let (Some(&last), Some(&first)) = (large.last(), small.first()) {
        let (largest_infinite, smallest_finite) = (inverse(&pairs[last]), inverse(&pairs[first]));
        findings.push(Finding::ClassifiedByMagnitude { largest_infinite, smallest_finite });
    }
    for &j in large {
        let pair = &mut pairs[j];
        pair.class = Class::Infinite;
        (pair.alpha, pair.beta, pair.error_bound) = (c64::new(1.0, 0.0), 0.0, f64::INFINITY);
    }
    // Zeros (in scaled units) may be spread by the cube root of rounding.
    let zero = |pair: &Eigenpair| pair.alpha.norm() <= tuning::EPS_1_4 * gamma * pair.beta;
    let (mut zeros, others): (Vec<usize>, Vec<usize>) = small.iter().partition(|&&j| zero(&pairs[j]));
    // True zeros keep the constraints; those of a transferred Jacobian do not, or have no displacement.
    let score = |j: usize| pairs[j].constraint_violation + idle[j];
    descending(&mut zeros, |&i| score(i));
    for (position, &j) in zeros.iter().enumerate() {
        pairs[j].class = if position < expected.spurious_transferred {
            Class::Spurious { origin: SpuriousOrigin::TransferredJacobian }
        } else {
            Class::Rigid
        };
    }
    for j in others {
        // Violation of the constraints above which a finite eigenvalue is no motion.
        if pairs[j].constraint_violation > tuning::CBRT_EPS {
            pairs[j].class = Class::Infinite;
        }
    }
}
