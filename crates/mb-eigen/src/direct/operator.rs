//! The inverse of the second matrix of (2.9) times the first, applied to blocks of vectors.
//!
//! ```text
//! T (y, v) = (-K_^-1 (C_ y + M_ v), y),    T Y = Y / r_
//! ```
//!
//! v is kept in units of a frequency, v = g v~, which (2.9) leaves at one: both halves then have one size. Only the
//! displacements of y and v enter, since M^ and C^ have no rows for multipliers. Sizes: y, v of length n + r.
//!
//! Zeros r = 0 with chains are taken out by a projector along their invariant subspace Z; V spans the left one:
//!
//! ```text
//! Z: (x, -a x);  for chains also (x_1, x - a x_1)         V: (-(a M + C)^T u, -M^T u);  for chains also
//!                                                            (-(a M + C)^T u_1 - M^T u, -M^T u_1)
//! ```

use mb_algebra::{Dense, DenseC, c64};

use super::factored::Factored;
use crate::EigenError;
use crate::krylov::Operator;
use crate::krylov::scalar::{hstack, norm};
use crate::null_space::chains::ZeroEigenvalues;
use crate::problem::Problem;
use crate::transform::shift_invert::Projector;

/// T of the problem or of its transpose.
pub(crate) struct StateOperator<'a> {
    /// The problem, transposed where `transposed`.
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) factored: &'a Factored,
    pub(crate) shift: f64,
    /// g, rad/s.
    pub(crate) unit: f64,
    pub(crate) transposed: bool,
    pub(crate) projector: Option<Projector>,
}

impl StateOperator<'_> {
    /// T Z.
    fn plain(&self, z: &Dense) -> Dense {
        let (n, size, p) = (self.factored.unknowns, self.factored.size(), z.ncols());
        let x = z.as_ref().subrows(0, n).to_owned();
        let momentum =
            Dense::from_fn(n, p, |i, j| self.unit * z[(size + i, j)] + 2.0 * self.shift * x[(i, j)]);
        let (inertia, damping) = (self.problem.m.mul(&momentum), self.problem.c.mul(&x));
        let force =
            Dense::from_fn(size, p, |i, j| if i < n { -(inertia[(i, j)] + damping[(i, j)]) } else { 0.0 });
        let next = self.factored.solve(&force, self.transposed);
        Dense::from_fn(2 * size, p, |i, j| if i < size { next[(i, j)] } else { z[(i - size, j)] / self.unit })
    }

    /// T Z for complex vectors, zeros taken out.
    pub(crate) fn apply_complex(&self, z: &DenseC) -> Result<DenseC, EigenError> {
        let p = z.ncols();
        let part = |i, j: usize| if j < p { z[(i, j)].re } else { z[(i, j - p)].im };
        let w = self.apply(&Dense::from_fn(z.nrows(), 2 * p, part))?;
        Ok(DenseC::from_fn(z.nrows(), p, |i, j| c64::new(w[(i, j)], w[(i, p + j)])))
    }

    /// The projector for the zeros of the problem; `mirrored` are those of its transpose, `transposed` the transposed
    /// problem. None where V and Z are not dual, which chains longer than two cause.
    pub(crate) fn projector_for(
        &self,
        zeros: &ZeroEigenvalues,
        mirrored: &ZeroEigenvalues,
        transposed: &Problem,
    ) -> Option<Projector> {
        let (a, n, size) = (self.shift, self.factored.unknowns, self.factored.size());
        let state = |top: &Dense, bottom: &Dense, by: f64| {
            Dense::from_fn(2 * size, top.ncols(), |i, j| match i {
                i if i < n => top[(i, j)],
                i if i >= size && i < size + n => by * bottom[(i - size, j)],
                _ => 0.0,
            })
        };
        let both = hstack(zeros.simple[0].x.as_ref(), zeros.double[0].x.as_ref());
        let (x, x_1) = (&zeros.double[0].x, &zeros.generalized);
        let next = mb_algebra::dense::add(1.0, x, -a, x_1);
        let (first, second) = (state(&both, &both, -a / self.unit), state(x_1, &next, self.unit.recip()));
        let mut z = hstack(first.as_ref(), second.as_ref());
        // Two applications fill in the multipliers of both halves.
        for _ in 0..2 {
            z = self.plain(&z);
            for j in 0..z.ncols() {
                let by = norm(z.col_as_slice(j)).max(f64::MIN_POSITIVE).recip();
                z.col_as_slice_mut(j).iter_mut().for_each(|v| *v *= by);
            }
        }
        let force = |u: &Dense| mb_algebra::dense::add(-a, &transposed.m.mul(u), -1.0, &transposed.c.mul(u));
        let both = hstack(mirrored.simple[0].x.as_ref(), mirrored.double[0].x.as_ref());
        let (u, u_1) = (&mirrored.double[0].x, &mirrored.generalized);
        let top = mb_algebra::dense::add(1.0, &force(u_1), -1.0, &transposed.m.mul(u));
        let first = state(&force(&both), &transposed.m.mul(&both), -self.unit);
        let second = state(&top, &transposed.m.mul(u_1), -self.unit);
        Projector::new(z, &hstack(first.as_ref(), second.as_ref()))
    }

    /// Growth of a vector under T when the Jordan chains of the infinite eigenvalue have died away: |1 / r_| of the nearest eigenvalue, roughly.
    pub(crate) fn growth(&self) -> Result<f64, EigenError> {
        let mut z: Dense = crate::krylov::scalar::start_block(self.size(), 1, 0x6f);
        let mut size = 0.0;
        for _ in 0..8 {
            z = self.apply(&z)?;
            size = norm(z.col_as_slice(0));
            if size == 0.0 || !size.is_finite() {
                break;
            }
            z.col_as_slice_mut(0).iter_mut().for_each(|v| *v /= size);
        }
        Ok(size)
    }
}

impl Operator<f64> for StateOperator<'_> {
    fn size(&self) -> usize {
        2 * self.factored.size()
    }

    fn apply(&self, v: &Dense) -> Result<Dense, EigenError> {
        let Some(projector) = &self.projector else { return Ok(self.plain(v)) };
        let mut v = v.clone();
        projector.apply(&mut v);
        let mut w = self.plain(&v);
        projector.apply(&mut w);
        Ok(w)
    }
}
