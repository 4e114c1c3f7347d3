//! The linearization at one speed of a Campbell diagram, with what is computed of it once.

use super::follow::{ModePoint, Sample};
use crate::error::AnalysisError;
use crate::spectra::Known;
use mb_algebra::{Dense, QuadraticPencil, RankQr, RankTolerance, Sparse, dense, sparse};
use mb_linear::steady::Whirl;
use mb_linear::{LinearizedSystem, OperatingPoint};
use mb_model::Model;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Entries of C + C^T and K - K^T compared with the largest up to which a system is reversible.
const REVERSIBLE: f64 = 1e-12;

/// The linearization at one speed.
pub(super) struct Stop {
    pub(super) model: Rc<Model>,
    pub(super) at: OperatingPoint,
    /// The dense blocks of a small model.
    pub(super) lin: Option<LinearizedSystem>,
    /// Its free turns and shifts, n x any.
    pub(super) known: Known,
    pub(super) pencil: QuadraticPencil<Sparse>,
    /// Angular velocity that lines of so many per revolution belong to, rad/s.
    pub(super) turn: f64,
    /// Whether eigenvalues come in fours, s, -s and their conjugates: K symmetric and C skew.
    pub(super) reversible: bool,
    /// All modes of a small model, once they are computed.
    pub(super) modes: OnceCell<Vec<ModePoint>>,
    /// Modes of a small model that were followed to it, each with the samples that they came from, the nearer first.
    followed: RefCell<Vec<[Sample; 3]>>,
    whirl: OnceCell<Option<Whirl>>,
    reduced: OnceCell<Option<Reduced>>,
}

/// The equations of a small model on what its constraints leave free, x = R z.
pub(super) struct Reduced {
    /// R, n x (n - r), orthonormal.
    pub(super) r: Dense,
    /// R^T M R, R^T C R, R^T K R, without constraints.
    pub(super) pencil: QuadraticPencil<Dense>,
}

impl Stop {
    pub(super) fn new(
        model: Rc<Model>,
        at: OperatingPoint,
        pencil: QuadraticPencil<Sparse>,
        turn: f64,
    ) -> Self {
        let reversible = is_its_transpose(&pencil.k, 1.0) && is_its_transpose(&pencil.c, -1.0);
        let (modes, whirl, followed, reduced) =
            (OnceCell::new(), OnceCell::new(), RefCell::default(), OnceCell::new());
        let known = Known::nothing(model.nv());
        Self { model, at, lin: None, known, pencil, turn, reversible, modes, followed, whirl, reduced }
    }
    /// With the dense blocks of a small model, if it is one, and its free turns and shifts.
    pub(super) fn with_blocks(self, lin: Option<LinearizedSystem>, known: Known) -> Self {
        Self { lin, known, ..self }
    }
    /// The modes that `follow` finds from two samples. Searches for different pairs of modes halve the same intervals, so that those of small
    /// models are kept.
    pub(super) fn followed(
        &self,
        from: [&Sample; 2],
        follow: impl FnOnce() -> Result<Sample, AnalysisError>,
    ) -> Result<Sample, AnalysisError> {
        if self.lin.is_none() {
            return follow();
        }
        let same = |[near, far, _]: &&[Sample; 3]| [near, far] == from;
        if let Some([.., found]) = self.followed.borrow().iter().find(same) {
            return Ok(found.clone());
        }
        let found = follow()?;
        self.followed.borrow_mut().push([from[0].clone(), from[1].clone(), found.clone()]);
        Ok(found)
    }
    /// The equations of a small model on what its constraints leave free.
    pub(super) fn reduced(&self) -> Option<&Reduced> {
        let of = || {
            let lin = self.lin.as_ref()?;
            let r = RankQr::new(&lin.phi_q, RankTolerance::default()).ok()?.null_space();
            let [m, c, k] = [&lin.m, &lin.c, &lin.k].map(|a| dense::mul_transpose(&r, &dense::mul(a, &r)));
            let phi_q = Dense::zeros(0, r.ncols());
            Some(Reduced { r, pencil: QuadraticPencil { m, c, k, phi_q } })
        };
        self.reduced.get_or_init(of).as_ref()
    }
    /// By what the sense of its modes is recognized.
    pub(super) fn whirl(&self) -> Option<&Whirl> {
        let of = || self.at.steady().and_then(|m| Whirl::of(&self.model, m));
        self.whirl.get_or_init(of).as_ref()
    }
}

/// Whether X is its own transpose times `sign`, up to rounding.
fn is_its_transpose(x: &Sparse, sign: f64) -> bool {
    let size = x.data().iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let off = sparse::add(1.0, x, -sign, &sparse::transpose(x));
    off.data().iter().all(|x| x.abs() <= REVERSIBLE * size)
}
