//! Directions on which M, C and K vanish together make the pencil singular; the problem is solved on their complements.
//!
//! ```text
//! N: M N = C N = K N = 0,   L alike from the left;   L_c^T (s^2 M + s C + K) N_c with orthonormal complements
//! ```
//!
//! Every such direction adds two indeterminate eigenvalues. Sizes: k x p. A pencil singular from one side only is left
//! to QZ.

use mb_algebra::{Dense, QuadraticPencil, RankQr, RankTolerance, dense, norms};

use super::kernel::Kernel;
use super::raw::{Kind, Raw};
use super::{Lifts, Matrices, ReducedEigenvalues, solve_reduced};
use crate::error::at;
use crate::{DenseOptions, EigenError, Finding, tuning};

/// Directions on which M, C and K vanish together, from both sides.
pub(super) struct CommonNull {
    right: Dense,
    left: Dense,
}

/// What is left of a problem without its common null directions: matrices on orthonormal complements, these, and their lifts.
pub(super) struct LeftOver {
    pub(super) matrices: Matrices,
    right: Dense,
    left: Dense,
    pub(super) lift_right: Dense,
    pub(super) lift_left: Dense,
}

impl CommonNull {
    pub(super) fn find(
        pencil: &QuadraticPencil,
        reduced: &Matrices,
        lifts: Lifts<'_>,
        options: &DenseOptions,
    ) -> Result<Option<Self>, EigenError> {
        let unit = |a: &Dense| {
            let size = norms::max_abs(a);
            if size > 0.0 { dense::scale(size.recip(), a) } else { a.clone() }
        };
        let (m, c, k) = (unit(&reduced.m), unit(&reduced.c), unit(&reduced.k));
        let tolerance = RankTolerance { relative: tuning::EPS_3_4 };
        let step = at("Common null directions of M, C and K");
        let right = RankQr::new(&dense::vstack(&[&m, &c, &k]), tolerance).map_err(&step)?.null_space();
        let t = dense::transpose;
        let left =
            RankQr::new(&dense::vstack(&[&t(&m), &t(&c), &t(&k)]), tolerance).map_err(&step)?.null_space();
        // A pencil singular from one side only is left to QZ.
        let usable = right.ncols() > 0 && right.ncols() == left.ncols();
        // These ranks depend on units: common directions are null directions of the damping as well, by the rule that does not.
        let undamped = || Kernel::find(&reduced.c, lifts.of(&pencil.c), options.zero_tolerance);
        let usable = usable && right.ncols() <= undamped()?.dim();
        Ok(usable.then_some(Self { right, left }))
    }

    /// The problem on the complements.
    pub(super) fn left_over(
        &self,
        reduced: &Matrices,
        lifts: Lifts<'_>,
        options: &DenseOptions,
    ) -> Result<LeftOver, EigenError> {
        let complement = |a: &Dense| -> Result<Dense, EigenError> {
            let qr = RankQr::new(&dense::transpose(a), RankTolerance { relative: 0.0 });
            Ok(qr.map_err(at("Common null directions of M, C and K"))?.null_space())
        };
        let symmetric = [&reduced.m, &reduced.c, &reduced.k]
            .iter()
            .all(|a| dense::is_symmetric(a, options.symmetry_tolerance).is_ok());
        let right = complement(&self.right)?;
        // The same basis on both sides keeps symmetric matrices symmetric.
        let left = if symmetric { right.clone() } else { complement(&self.left)? };
        let between = |a: &Dense| dense::mul_transpose(&left, &dense::mul(a, &right));
        let through = |lift: Option<&Dense>, a: &Dense| lift.map_or_else(|| a.clone(), |r| dense::mul(r, a));
        Ok(LeftOver {
            matrices: Matrices { m: between(&reduced.m), c: between(&reduced.c), k: between(&reduced.k) },
            lift_right: through(lifts.right, &right),
            lift_left: through(lifts.left.or(lifts.right), &left),
            right,
            left,
        })
    }

    /// Solves on the complements and adds two indeterminate eigenvalues for every common direction.
    pub(super) fn deflate(
        &self,
        pencil: &QuadraticPencil,
        reduced: &Matrices,
        lifts: Lifts<'_>,
        shift: f64,
        options: &DenseOptions,
    ) -> Result<ReducedEigenvalues, EigenError> {
        let LeftOver { matrices, right, left, lift_right, lift_left } =
            self.left_over(reduced, lifts, options)?;
        let inner_lifts = Lifts { right: Some(&lift_right), left: Some(&lift_left) };
        let mut out = solve_reduced(pencil, &matrices, inner_lifts, shift, options)?;
        for raw in &mut out.raws {
            if raw.left.is_none() {
                raw.left = Some(crate::numeric::vectors::conjugate(&raw.right));
            }
        }
        out.raws = Raw::lifted(out.raws, Some(&right), Some(&left));
        for j in 0..self.right.ncols() {
            let (x, y) = (self.right.col_as_slice(j), self.left.col_as_slice(j));
            let raw = Raw::structural(Kind::Indeterminate, x, Some(y), 1, 0.0);
            out.raws.extend([raw.clone(), raw]);
        }
        let indeterminate = 2 * self.right.ncols();
        out.findings.push(Finding::SingularPencil { indeterminate });
        out.indeterminate += indeterminate;
        Ok(out)
    }
}
