//! The linearization at one speed of a Campbell diagram, with what is computed of it once.

use super::follow::{ModePoint, Sample};
use crate::error::AnalysisError;
use crate::spectra::Known;
use mb_algebra::{Dense, QuadraticPencil, RankQr, RankTolerance, Sparse, dense, sparse};
use mb_eigen::DenseOptions;
use mb_eigen::dense::{WithoutZeros, ZeroChain};
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
    without_zeros: OnceCell<Option<Reduced>>,
}

/// The equations of a small model on what its constraints leave free, x = R z.
pub(super) struct Reduced {
    /// The way to equations without zeros, where these are such.
    pub(super) zeros: Option<WithoutZeros>,
    /// The equations with their constraints.
    pub(super) whole: QuadraticPencil<Sparse>,
    /// R, n x (n - r), orthonormal.
    pub(super) r: Dense,
    /// R^T M R, R^T C R, R^T K R, without constraints.
    pub(super) pencil: QuadraticPencil<Dense>,
}

impl Reduced {
    fn of(
        zeros: Option<WithoutZeros>,
        given: &QuadraticPencil<Dense>,
        whole: &QuadraticPencil<Sparse>,
    ) -> Option<Self> {
        let QuadraticPencil { m, c, k, phi_q } = given;
        let r = RankQr::new(phi_q, RankTolerance::default()).ok()?.null_space();
        let [m, c, k] = [m, c, k].map(|a| dense::mul_transpose(&r, &dense::mul(a, &r)));
        let pencil = QuadraticPencil { m, c, k, phi_q: Dense::zeros(0, r.ncols()) };
        Some(Self { zeros, whole: whole.clone(), r, pencil })
    }
}

impl Stop {
    pub(super) fn new(
        model: Rc<Model>,
        at: OperatingPoint,
        pencil: QuadraticPencil<Sparse>,
        turn: f64,
    ) -> Self {
        let reversible = is_its_transpose(&pencil.k, 1.0) && is_its_transpose(&pencil.c, -1.0);
        let known = Known::nothing(model.nv());
        let (modes, followed, whirl) = (OnceCell::new(), RefCell::default(), OnceCell::new());
        let (reduced, without_zeros) = (OnceCell::new(), OnceCell::new());
        Self {
            model,
            at,
            lin: None,
            known,
            pencil,
            turn,
            reversible,
            modes,
            followed,
            whirl,
            reduced,
            without_zeros,
        }
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
        let of = || Reduced::of(None, &self.lin.as_ref()?.pencil(), &self.pencil);
        self.reduced.get_or_init(of).as_ref()
    }
    /// The same without the zeros that are known; none where there are none.
    pub(super) fn without_zeros(&self) -> Option<&Reduced> {
        let of = || {
            let given = self.lin.as_ref()?.pencil();
            let known = &self.known.zeros.directions;
            if known.ncols() == 0 {
                return None;
            }
            let off = self.known.off(&self.at, known.nrows());
            let chains = self.at.steady().map(|motion| motion.zero_chains(&self.model, &self.known.second));
            let chains = chains.into_iter().flatten().map(|[first, second]| ZeroChain { first, second });
            let chains: Vec<ZeroChain> = chains.collect();
            let zeros = WithoutZeros::new(
                &given,
                known,
                &chains,
                self.known.zeros.second(),
                &off,
                &DenseOptions::default(),
            )
            .ok()??;
            let without = zeros.pencil().clone();
            Reduced::of(Some(zeros), &without, &without.to_sparse())
        };
        self.without_zeros.get_or_init(of).as_ref()
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
