//! What searches of all kinds have done, and what they report of it.

use mb_algebra::c64;

use crate::Finding;
use crate::finding::SparseFinding;
use crate::krylov::Ritz;
use crate::transform::factors::Work;

/// What one analysis has done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) factorizations: usize,
    /// Runs of the driver.
    pub(crate) searches: usize,
    /// Restarts of all of them.
    restarts: usize,
    pub(crate) largest_basis: usize,
}

impl Tally {
    /// Counts the restarts of a run; what the driver has to say of it.
    pub(crate) fn ran<V, M>(&mut self, ritz: &mut Ritz<V, M>) -> impl Iterator<Item = Finding> {
        self.restarts += ritz.restarts;
        std::mem::take(&mut ritz.remarks).into_iter().map(|remark| SparseFinding::from(remark).into())
    }

    /// What was done at a shift.
    pub(crate) fn at_shift(&self, shift: c64, work: &Work) -> impl Iterator<Item = Finding> {
        let (factorizations, solves, worst_residual) =
            (self.factorizations, work.solves, work.worst_residual);
        let (re, im) = (shift.re, shift.im);
        let done = SparseFinding::Shift { re, im, factorizations, solves, worst_residual };
        fell_back(work).into_iter().chain([done.into()])
    }

    /// Why there are fewer modes than asked for, where there are; `dof`: degrees of freedom.
    pub(crate) fn shortfall(
        &self,
        found: usize,
        wanted: usize,
        exhausted: bool,
        dof: usize,
    ) -> Option<Finding> {
        let finding = if exhausted {
            SparseFinding::FewerExist { wanted, exist: found, dof }
        } else {
            let (searches, restarts, basis) = (self.searches, self.restarts, self.largest_basis);
            SparseFinding::Converged { found, wanted, searches, restarts, basis }
        };
        (found < wanted).then(|| finding.into())
    }
}

/// That another method gave the factors, if it did.
pub(crate) fn fell_back(work: &Work) -> Option<Finding> {
    let (failed, used) = (work.failed.join("; "), work.method.clone());
    (!work.failed.is_empty()).then(|| SparseFinding::FactorizationFellBack { failed, used }.into())
}

/// That a shift moved.
pub(crate) fn moved(from: c64, to: c64) -> Finding {
    SparseFinding::ShiftMoved { from_re: from.re, from_im: from.im, to_re: to.re, to_im: to.im }.into()
}
