//! The directions the constraints leave free, and the multipliers of the others.
//!
//! ```text
//! D Phi_q P-transposed pivots:  (D Phi_q)^T P = Q R,   D scales every row to length one
//! null space  R_0 = last n - r columns of Q,     Phi_q R_0 = 0,  R_0^T R_0 = I
//! multipliers l of minimum norm with Phi_q^T l = -b
//! ```
//!
//! gonzalez2017, Eq. (2) (velocity transformation) and Eq. (7). Sizes: Phi_q m x n, rank r, R_0 n x (n - r).
//! Of rows that depend on each other the shortest multipliers are taken (redundancy.rs).
//! The rank is a decision: with a pivot near the tolerance a finding says so.

mod redundancy;

use mb_algebra::{Dense, RankQr, RankTolerance, c64, compensated, dense, norms};

use crate::error::at;
use crate::numeric::dependence;
use crate::numeric::operator::Operator;
use crate::numeric::vectors::{Block, ZERO};
use crate::{EigenError, Finding, tuning};
use redundancy::Redundancy;

/// An orthonormal basis of the null space of Phi_q, and the map from forces to multipliers.
#[derive(Clone, Debug)]
pub(crate) struct ConstraintBasis {
    n: usize,
    m: usize,
    rank: usize,
    /// n x (n - r); absent when there are no constraint rows, where it is the identity.
    null: Option<Dense>,
    rows: Option<Rows>,
    findings: Vec<Finding>,
}

/// Most corrections of a vector of a basis.
const MOST_CORRECTIONS: usize = 3;

/// Constraint rows of length one with their factorization.
#[derive(Clone, Debug)]
struct Rows {
    given: Dense,
    unit: Dense,
    /// Bound of the 2-norm of `unit`.
    norm: f64,
    scale: Vec<f64>,
    qr: RankQr,
    redundancy: Option<Redundancy>,
}

impl ConstraintBasis {
    /// Decides the rank of an m x n Jacobian and takes an orthonormal null space.
    pub(crate) fn new(phi_q: &Dense, tolerance: RankTolerance) -> Result<Self, EigenError> {
        let (m, n) = phi_q.shape();
        if m == 0 {
            return Ok(Self::unconstrained(n));
        }
        let rows = Rows::new(phi_q, tolerance)?;
        let rank = rows.qr.rank();
        let null = rows.corrected(rows.qr.null_space());
        let findings = rows.findings(n);
        Ok(Self { n, m, rank, null: Some(null), rows: Some(rows), findings })
    }

    /// Takes the null space from the caller; its columns need not be orthonormal.
    pub(crate) fn with_null_space(
        phi_q: &Dense,
        basis: &Dense,
        tolerance: RankTolerance,
    ) -> Result<Self, EigenError> {
        let mut out = Self::new(phi_q, tolerance)?;
        let expected = out.n - out.rank;
        if basis.nrows() != out.n {
            return Err(EigenError::Shape {
                matrix: "R",
                rows: basis.nrows(),
                cols: basis.ncols(),
                expected_rows: out.n,
                expected_cols: expected,
            });
        }
        if let Some((row, col, value)) = dense::first_non_finite(basis) {
            return Err(EigenError::NonFinite { matrix: "R", row, col, value });
        }
        let qr = RankQr::new(&dense::transpose(basis), tolerance)
            .map_err(at("Orthonormalizing the given basis"))?;
        let violation = out.rows.as_ref().map_or(0.0, |rows| {
            norms::frobenius(&dense::mul(&rows.unit, basis))
                / (norms::frobenius(basis) * rows.norm).max(1e-300)
        });
        // Violation allowed in a basis given by the caller.
        if violation > tuning::SQRT_EPS {
            return Err(EigenError::NotANullSpace { violation, allowed: tuning::SQRT_EPS });
        }
        if qr.rank() != expected || basis.ncols() != expected {
            return Err(EigenError::IncompleteNullSpace {
                rank: qr.rank(),
                columns: basis.ncols(),
                expected,
            });
        }
        let null = qr.row_space();
        out.null = Some(out.rows.as_ref().map_or_else(|| null.clone(), |rows| rows.corrected(null.clone())));
        Ok(out)
    }

    /// The same constraints in other units: `phi_q` = Phi_q D. None where their rank is another one there.
    pub(crate) fn in_units(
        &self,
        phi_q: &Dense,
        tolerance: RankTolerance,
    ) -> Result<Option<Self>, EigenError> {
        if self.m == 0 {
            return Ok(Some(Self::unconstrained(self.n)));
        }
        let out = Self::new(phi_q, tolerance)?;
        Ok((out.rank == self.rank).then_some(out))
    }

    /// No constraints on n coordinates.
    pub(crate) fn unconstrained(n: usize) -> Self {
        Self { n, m: 0, rank: 0, null: None, rows: None, findings: Vec::new() }
    }

    pub(crate) fn n(&self) -> usize {
        self.n
    }

    pub(crate) fn m(&self) -> usize {
        self.m
    }

    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// The smallest pivot of the independent rows, which have length one; one without constraints.
    pub(crate) fn smallest_pivot(&self) -> f64 {
        self.rows.as_ref().and_then(|rows| rows.qr.decision().smallest_kept).unwrap_or(1.0)
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The null space basis R_0, n x (n - r); absent means the identity.
    pub(crate) fn null(&self) -> Option<&Dense> {
        self.null.as_ref()
    }

    /// R_0^T A R_0.
    pub(crate) fn reduce(&self, a: &Dense) -> Dense {
        match &self.null {
            None => a.clone(),
            Some(_) if norms::max_abs(a) == 0.0 => Dense::zeros(self.n - self.rank, self.n - self.rank),
            Some(r) => dense::mul_transpose(r, &Operator::new(a).apply(r)),
        }
    }

    /// Orthonormal basis of the rows of Phi_q, n x r; absent without constraints.
    pub(crate) fn row_space(&self) -> Option<Dense> {
        self.rows.as_ref().map(|rows| rows.qr.row_space())
    }

    /// Phi_q as given; absent without constraints.
    pub(crate) fn phi_q(&self) -> Option<&Dense> {
        self.rows.as_ref().map(|rows| &rows.given)
    }

    /// Rows of Phi_q scaled to length one; absent without constraints.
    pub(crate) fn unit_rows(&self) -> Option<&Dense> {
        self.rows.as_ref().map(|rows| &rows.unit)
    }

    /// Bound of the 2-norm of the unit rows, 0 without constraints.
    pub(crate) fn unit_norm(&self) -> f64 {
        self.rows.as_ref().map_or(0.0, |rows| rows.norm)
    }

    /// The r independent rows at length one, r x n; none without constraints.
    pub(crate) fn independent_unit_rows(&self) -> Dense {
        match &self.rows {
            None => Dense::zeros(0, self.n),
            Some(rows) => dense::select_rows(&rows.unit, &rows.qr.independent_rows()),
        }
    }

    /// The same rows as given.
    pub(crate) fn independent_rows(&self) -> Dense {
        match &self.rows {
            None => Dense::zeros(0, self.n),
            Some(rows) => dense::select_rows(&rows.given, &rows.qr.independent_rows()),
        }
    }

    /// Multipliers l of minimum norm with Phi_q^T l = -b on the range of Phi_q^T, for every column of a block.
    pub(crate) fn multipliers(&self, b: &Block, count: usize) -> Vec<Vec<c64>> {
        let Some(rows) = &self.rows else { return vec![Vec::new(); count] };
        (0..count).map(|j| rows.multipliers(&b.column(j))).collect()
    }

    /// Multipliers of the rows at length one: D^-1 l, so that Phi_q^T l = (D Phi_q)^T D^-1 l.
    pub(crate) fn to_unit_rows(&self, l: &[c64]) -> Vec<c64> {
        let Some(rows) = &self.rows else { return Vec::new() };
        l.iter().zip(&rows.scale).map(|(l, scale)| l / scale).collect()
    }

    /// Orthonormal null space of Phi_q^T in the space of multipliers, m x (m - r): multipliers without effect.
    pub(crate) fn idle_multipliers(&self) -> Result<Dense, EigenError> {
        let Some(rows) = &self.rows else { return Ok(Dense::zeros(0, 0)) };
        let Some(redundancy) = &rows.redundancy else { return Ok(Dense::zeros(self.m, 0)) };
        let out = redundancy.idle(self.m);
        let qr = RankQr::new(&dense::transpose(&out), RankTolerance { relative: 0.0 });
        Ok(qr.map_err(at("Orthonormalizing the multipliers without effect"))?.row_space())
    }

    /// Orthonormal basis of the range of Phi_q in the space of multipliers, m x r.
    pub(crate) fn active_multipliers(&self) -> Result<Dense, EigenError> {
        if self.rank == self.m {
            return Ok(dense::identity(self.m));
        }
        let idle = self.idle_multipliers()?;
        let qr = RankQr::new(&dense::transpose(&idle), RankTolerance { relative: 0.0 });
        Ok(qr.map_err(at("Finding the multipliers with effect"))?.null_space())
    }

    /// The shortest x with Phi_q x = d for consistent d.
    pub(crate) fn particular(&self, d: &[f64]) -> Vec<f64> {
        let Some(rows) = &self.rows else { return vec![0.0; self.n] };
        let scaled: Vec<f64> = d.iter().zip(&rows.scale).map(|(d, s)| d * s).collect();
        rows.qr.solve_independent_rows(&scaled)
    }
}

impl Rows {
    fn new(phi_q: &Dense, tolerance: RankTolerance) -> Result<Self, EigenError> {
        let (m, n) = phi_q.shape();
        let mut squares = vec![0.0_f64; m];
        let largest = norms::max_abs(phi_q);
        // Scaled against overflow; powers of two keep the digits.
        let guard = if largest > 0.0 { largest.log2().round().exp2() } else { 1.0 };
        for j in 0..n {
            for (square, v) in squares.iter_mut().zip(phi_q.col_as_slice(j)) {
                *square += (v / guard).powi(2);
            }
        }
        let length = |i: usize| squares[i].sqrt() * guard;
        let scale: Vec<f64> = (0..m).map(|i| if length(i) > 0.0 { length(i).recip() } else { 1.0 }).collect();
        let unit = Dense::from_fn(m, n, |i, j| phi_q[(i, j)] * scale[i]);
        let qr = RankQr::new(&unit, tolerance).map_err(at("Rank of the constraint Jacobian"))?;
        let redundancy = Redundancy::new(&qr, &scale)?;
        let norm = crate::numeric::vectors::norm_bound(&unit);
        Ok(Self { given: phi_q.clone(), unit, norm, scale, qr, redundancy })
    }

    /// The nearest basis of the null space, whose entries have digits of their own, those that the rows make zero included.
    ///
    /// ```text
    /// R <- R - Phi^+ (Phi R),   Phi R as if in double-double precision
    /// ```
    ///
    /// Rounding of an entry that is zero, times a large stiffness, would stand in R^T K R where a motion meets none.
    fn corrected(&self, mut null: Dense) -> Dense {
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CORRECTIONS {
            let d = self.qr.solve_independent_rows_of(&compensated::product(&self.unit, &null));
            let size = norms::max_abs(&d);
            if size == 0.0 || size.is_nan() || size > 0.5 * last {
                break;
            }
            last = size;
            null = dense::add(1.0, &null, -1.0, &d);
        }
        for j in 0..null.ncols() {
            let column = null.col_as_slice_mut(j);
            let least = f64::EPSILON * f64::EPSILON * norms::max_abs_vec(column);
            column.iter_mut().filter(|x| x.abs() <= least).for_each(|x| *x = 0.0);
        }
        null
    }

    fn findings(&self, n: usize) -> Vec<Finding> {
        let mut findings = Vec::new();
        let (rank, m) = (self.qr.rank(), self.unit.nrows());
        if rank < m {
            findings.push(Finding::RedundantConstraints {
                rows: self.qr.redundant_rows(),
                rank,
                constraints: m,
            });
        }
        let decision = self.qr.decision();
        let (kept, dropped) =
            (decision.smallest_kept.unwrap_or(1.0), decision.largest_dropped.unwrap_or(0.0));
        // Pivots (for rows of length one) between the tolerance and this deserve a word.
        if kept < tuning::SQRT_EPS || dependence::is_open(dropped, || self.departs()) {
            findings.push(Finding::UncertainConstraintRank {
                rank,
                smallest_kept: kept,
                largest_dropped: dropped,
            });
        }
        if rank == n {
            findings.push(Finding::NoFreedom);
        }
        findings
    }

    /// Whether a row that counts as redundant is none as written.
    fn departs(&self) -> bool {
        let (kept, dropped) = self.qr.pivots().split_at(self.qr.rank());
        let w = self.qr.dependence();
        let row = |i: usize| (0..self.given.ncols()).map(move |j| (j, self.given[(i, j)]));
        (0..dropped.len()).any(|i| {
            let own = std::iter::once((dropped[i], 1.0));
            let all: Vec<(usize, f64)> =
                own.chain(kept.iter().enumerate().map(|(j, row)| (*row, -w[(i, j)]))).collect();
            let rows = all.iter().map(|(place, by)| (by * self.scale[*place], row(*place)));
            dependence::departs(self.given.ncols(), rows, |place| self.scale[all[place].0])
        })
    }

    fn multipliers(&self, b: &[c64]) -> Vec<c64> {
        let real: Vec<f64> = b.iter().map(|z| -z.re).collect();
        let re = self.real_multipliers(&real);
        if b.iter().all(|z| z.im == 0.0) {
            return crate::numeric::vectors::complex(&re);
        }
        let imaginary: Vec<f64> = b.iter().map(|z| -z.im).collect();
        let im = self.real_multipliers(&imaginary);
        re.into_iter().zip(im).map(|(re, im)| c64::new(re, im)).collect()
    }

    fn real_multipliers(&self, b: &[f64]) -> Vec<f64> {
        let mut l = self.qr.solve_transpose(b);
        for (l, scale) in l.iter_mut().zip(&self.scale) {
            *l *= scale;
        }
        if let Some(redundancy) = &self.redundancy {
            redundancy.shorten(&mut l);
        }
        l
    }
}

/// The zero vector of length n.
pub(crate) fn zeros(n: usize) -> Vec<c64> {
    vec![ZERO; n]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::vectors::complex;

    fn basis(phi_q: &Dense) -> ConstraintBasis {
        ConstraintBasis::new(phi_q, RankTolerance::default()).unwrap()
    }

    #[test]
    fn redundant_rows_are_named_and_share_the_reaction() {
        // The second row doubles the first: the shortest multipliers of the force (0, -5) are (1, 2).
        let phi_q = dense::from_rows(&[&[0.0, 1.0], &[0.0, 2.0]]);
        let basis = basis(&phi_q);
        assert_eq!(basis.rank(), 1);
        assert!(matches!(&basis.findings()[0],
            Finding::RedundantConstraints { rows, rank: 1, constraints: 2 } if rows.len() == 1));
        let b = Block::new(2, &[complex(&[0.0, -5.0])]);
        let l = &basis.multipliers(&b, 1)[0];
        assert!((l[0].re - 1.0).abs() < 1e-15 && (l[1].re - 2.0).abs() < 1e-15, "{l:?}");
        let idle = basis.idle_multipliers().unwrap();
        assert!(norms::max_abs(&dense::mul_transpose(&phi_q, &idle)) < 1e-15);
        let active = basis.active_multipliers().unwrap();
        assert!(norms::max_abs(&dense::mul_transpose(&idle, &active)) < 1e-15);
    }

    #[test]
    fn rows_in_all_units_share_the_reaction_by_their_length() {
        // Row 1 is a sum of rows 0 and 2, and row 4 one of rows 3 and 5, in units of their own: of the two reactions of length one that the
        // first three can balance, the longest two rows take all but nothing.
        for [a, b] in [[1e10, 1.0], [1e-12, 1e9], [1.0, 1e16], [1e-15, 1e-15], [1e13, 1e-13]] {
            let phi_q = dense::from_rows(&[
                &[1.0, 0.0, 0.0, 0.0],
                &[a, a, 0.0, 0.0],
                &[0.0, b, 0.0, 0.0],
                &[0.0, 0.0, 1.0, 0.0],
                &[0.0, 0.0, a, b],
                &[0.0, 0.0, 0.0, 1.0],
            ]);
            let basis = basis(&phi_q);
            assert_eq!(basis.rank(), 4, "{a:e} {b:e}");
            let force = [3.0, -5.0, 2.0, 7.0];
            let l = &basis.multipliers(&Block::new(4, &[complex(&force)]), 1)[0];
            let l: Vec<f64> = l.iter().map(|l| l.re).collect();
            let rest = dense::matvec_transpose(&phi_q, &l);
            assert!(rest.iter().zip(force).all(|(r, f)| (r + f).abs() < 1e-9), "{a:e} {b:e}: {rest:?}");
            // Nothing shorter: orthogonal to what has no effect.
            let size = norms::two(&l);
            for idle in [[a, -1.0, a / b, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, a, -1.0, b]] {
                let form: f64 = idle.iter().zip(&l).map(|(x, l)| x * l).sum();
                assert!(form.abs() < 1e-9 * norms::two(&idle) * size, "{a:e} {b:e}: {form:e} {l:?}");
            }
        }
    }

    #[test]
    fn the_rank_does_not_depend_on_row_scales() {
        let phi_q = dense::from_rows(&[&[1e-14, 0.0, 0.0], &[0.0, 1e14, 1e14]]);
        let basis = basis(&phi_q);
        assert_eq!(basis.rank(), 2);
        assert!(basis.findings().is_empty());
    }

    /// (1, 1, 1) and (1 + d, 1 - d, 1).
    #[test]
    fn a_row_that_is_none_of_the_others_as_written_is_not_dropped_in_silence() {
        let uncertain = |d: f64| {
            let basis = basis(&dense::from_rows(&[&[1.0, 1.0, 1.0], &[1.0 + d, 1.0 - d, 1.0]]));
            assert_eq!(basis.rank(), 1);
            basis.findings().iter().any(|finding| matches!(finding, Finding::UncertainConstraintRank { .. }))
        };
        assert!(uncertain(2.0_f64.powi(-45)) && uncertain(2.0_f64.powi(-38)));
        assert!(!uncertain(f64::EPSILON) && !uncertain(0.0));
    }

    #[test]
    fn a_given_basis_is_checked() {
        let phi_q = dense::from_rows(&[&[1.0, 1.0, 0.0]]);
        let good = dense::from_rows(&[&[2.0, 0.0], &[-2.0, 0.0], &[1.0, 3.0]]);
        let wrong = dense::from_rows(&[&[2.0, 0.0], &[2.0, 0.0], &[1.0, 3.0]]);
        let short = dense::from_rows(&[&[2.0], &[-2.0], &[1.0]]);
        let with = |r: &Dense| ConstraintBasis::with_null_space(&phi_q, r, RankTolerance::default());
        assert!(with(&good).is_ok());
        assert!(matches!(with(&wrong), Err(EigenError::NotANullSpace { .. })));
        assert!(matches!(with(&short), Err(EigenError::IncompleteNullSpace { expected: 2, rank: 1, .. })));
        assert!(matches!(with(&dense::zeros(2, 2)), Err(EigenError::Shape { .. })));
    }

    #[test]
    fn a_row_of_zeros_is_redundant() {
        let basis = basis(&dense::from_rows(&[&[0.0, 0.0], &[1.0, 0.0]]));
        assert!(matches!(&basis.findings()[0],
            Finding::RedundantConstraints { rows, rank: 1, .. } if rows == &[0]));
    }
}
