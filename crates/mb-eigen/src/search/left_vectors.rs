//! Left vectors of eigenvalues whose right ones are known, from a second run on the transposed problem and by inverse iteration.

use mb_algebra::{DenseC, c64};

use super::non_hermitian::{General, Shifted, Side};
use super::set::Set;
use crate::EigenError;
use crate::finding::SparseFinding;
use crate::krylov::scalar::norm;
use crate::problem::Problem;
use crate::transform::shift_invert::{Form, LinearForm};
use crate::tuning;

/// Distances, in units of the scale of frequencies, at which the vectors of an eigenvalue are sought where nearer ones
/// fail.
const BESIDE_CHAIN: [f64; 3] = [1e-6, 1e-5, 1e-4];

impl General<'_> {
    /// Left vectors for the right ones; those the second run did not give by inverse iteration.
    ///
    /// What has none, because the matrix is singular to rounding all around it, is taken out of the set and reported.
    pub(crate) fn match_left(
        &mut self,
        transposed: &Problem,
        shift: c64,
        set: &mut Set,
        left: &Side,
    ) -> Result<(), EigenError> {
        let k = set.tau.len();
        let mut y = DenseC::zeros(transposed.n, k);
        let mut mu = DenseC::zeros(transposed.rows.rank, k);
        let mut free: Vec<usize> = (0..left.tau.len()).collect();
        let mut found = Vec::with_capacity(k);
        for j in 0..k {
            let tau = set.tau[j];
            let distance = |i: usize| (left.tau[i] - tau).norm();
            let nearest = (0..free.len()).min_by(|&a, &b| distance(free[a]).total_cmp(&distance(free[b])));
            let close = tuning::CBRT_EPS * (tau - shift).norm();
            let (vector, multipliers) = match nearest {
                Some(at) if distance(free[at]) <= close => {
                    let i = free.swap_remove(at);
                    (left.x.col_as_slice(i).to_vec(), left.l.col_as_slice(i).to_vec())
                }
                _ => match self.inverse_iteration(transposed, tau, j) {
                    Ok(both) => both,
                    Err(EigenError::NoRegularShift { .. }) => {
                        set.reach = set.reach.min((tau - shift).norm());
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            };
            // The transposed problem gives the conjugate of y.
            y.col_as_slice_mut(j).iter_mut().zip(vector).for_each(|(y, v)| *y = v.conj());
            mu.col_as_slice_mut(j).iter_mut().zip(multipliers).for_each(|(m, v)| *m = v.conj());
            found.push(j);
        }
        set.left = Some((y, mu));
        if found.len() < k {
            (set.without_left, set.exhausted) = (k - found.len(), false);
            set.keep(&found);
            let reason = format!(
                "the matrix of the equations is singular to rounding all around {} eigenvalues, which are left out",
                set.without_left
            );
            self.findings.push(SparseFinding::Undecided { reason }.into());
        }
        Ok(())
    }

    /// Factors near a value of tau, further away where all near to it, as near to a chain at zero, are singular to rounding.
    fn factor_near(&mut self, tau: c64) -> Result<Shifted, EigenError> {
        let unit = if self.form == Form::Squared { self.gamma * self.gamma } else { self.gamma };
        let mut found = self.factor(tau * (1.0 + tuning::SQRT_EPS));
        for by in BESIDE_CHAIN {
            if !matches!(found, Err(EigenError::NoRegularShift { .. })) {
                break;
            }
            found = self.factor(tau + by * unit);
        }
        found
    }

    /// One vector of the transposed problem near a value of tau.
    fn inverse_iteration(
        &mut self,
        transposed: &Problem,
        tau: c64,
        salt: usize,
    ) -> Result<(Vec<c64>, Vec<c64>), EigenError> {
        let shifted = self.factor_near(tau)?;
        let operator = LinearForm {
            problem: transposed,
            form: self.form,
            tau: shifted.tau,
            gamma: self.gamma,
            solver: shifted.solver,
            transposed: true,
        };
        let mut z: DenseC = crate::krylov::scalar::start_block(operator.length(), 1, 0x1e + salt as u64);
        let mut l = DenseC::zeros(0, 0);
        for _ in 0..3 {
            let size = norm(z.col_as_slice(0));
            z.col_as_slice_mut(0).iter_mut().for_each(|v| *v /= size);
            (z, l) = operator.apply_refined(&z)?;
        }
        Ok((z.col_as_slice(0)[..transposed.n].to_vec(), l.col_as_slice(0).to_vec()))
    }
}
