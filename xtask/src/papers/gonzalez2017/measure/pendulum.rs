//! The flexible double pendulum: first eigenvalues and elapsed times by each family.
//!
//! All families start from the closed form of the stretched hanging state, which is verified. Eigenvalues are compared
//! beyond what the reduction of a stiff problem keeps, so the first ones are polished by inverse iteration on the
//! unreduced matrices, on both sides of every comparison.
//!
//! Paper: [gonzalez2017] Sec. 5.2.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use std::time::Instant;

use mb_constraints::NullSpaceMethod;
use mb_eigen::descriptor::{self, DescriptorStructure, Transferred};
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_eigen::{DenseOptions, Eigenpair, Refinement, Spectrum, polish};
use mb_gallery::models::FlexibleDoublePendulum;
use mb_linear::formulation::minimal::minimal;
use mb_linear::formulation::unconstrained::{
    Penalty, UnconstrainedSystem, penalty_equilibrium, unconstrained,
};
use mb_linear::{Equilibrium, EquilibriumOptions, LinearizedSystem, OperatingPoint, linearize};
use mb_model::{BlockKind, Model};

use super::super::results::{Eigenvalue, Measured};
use super::spectra::words;

/// Eigenvalues that the tables ask for.
pub(crate) const FIRST: usize = 4;

/// What is measured for one number of elements.
#[derive(Debug, Clone)]
pub(crate) struct Pendulum {
    pub(crate) elements: u32,
    /// The first eigenvalues by MCS, RCS, UCS.
    pub(crate) s: [Measured<[Eigenvalue; FIRST]>; 3],
    /// Elapsed times by MCS, RCS, UCS, in s.
    pub(crate) elapsed: [Measured<f64>; 3],
    /// Numbers of eigenvalues by MCS, RCS, UCS: of the motion, and in addition to it.
    pub(crate) eigenvalues: [Measured<[usize; 2]>; 3],
}

/// What one family gives.
#[derive(Clone)]
struct Solved {
    pairs: Vec<Eigenpair>,
    /// Eigenvalues of the motion, and in addition to it.
    eigenvalues: [usize; 2],
}

impl Solved {
    fn of(spectrum: &Spectrum) -> Measured<Self> {
        let found = &spectrum.counts.found;
        let beside = found.infinite + found.spurious_transferred + found.spurious_penalty;
        Ok(Self { pairs: first_pairs(spectrum)?, eigenvalues: [found.motion(), beside] })
    }
}

pub(super) struct Prepared {
    pub(super) model: Model,
    pub(super) rest: Equilibrium,
    pub(super) at: OperatingPoint,
}

/// The paper's penalty parameters for the pendulum: alpha = 1e7, xi = 1, omega = 10.
pub(crate) fn factors() -> Penalty {
    Penalty::scalar(1e7, 1.0, 10.0)
}

pub(super) fn prepare(elements: u32, geometric_stiffness: bool) -> Measured<Prepared> {
    let pendulum =
        FlexibleDoublePendulum { elements, geometric_stiffness, ..FlexibleDoublePendulum::default() };
    let model = pendulum.spec().and_then(|spec| spec.build()).map_err(words)?;
    let rest =
        Equilibrium::verify(&model, pendulum.equilibrium(), &EquilibriumOptions::default()).map_err(words)?;
    Ok(Prepared { at: OperatingPoint::from(&rest), model, rest })
}

/// The frame angles and the elastic coordinates of all nodes but the clamped ones.
pub(super) fn independent(model: &Model) -> Vec<usize> {
    let blocks = model.coordinates().blocks();
    let mut chosen = Vec::new();
    for (k, block) in blocks.iter().enumerate() {
        match block.kind {
            BlockKind::PlanarPose => chosen.push(block.v + 2),
            // The node after the frame is the clamped one.
            BlockKind::ElasticNode if blocks[k - 1].kind == BlockKind::ElasticNode => {
                chosen.extend(block.v..block.v + 3);
            }
            _ => {}
        }
    }
    chosen
}

fn options() -> DenseOptions {
    DenseOptions { refinement: Refinement::InverseIteration { lowest: FIRST }, ..DenseOptions::default() }
}

/// The slowest oscillating pairs.
fn first_pairs(spectrum: &Spectrum) -> Measured<Vec<Eigenpair>> {
    let pairs: Vec<_> =
        spectrum.motion().filter(|p| p.value().is_some_and(|s| s.im > 0.0)).take(FIRST).cloned().collect();
    if pairs.len() == FIRST { Ok(pairs) } else { Err(format!("only {} oscillating modes", pairs.len())) }
}

fn values(pairs: &[Eigenpair]) -> Measured<[Eigenvalue; FIRST]> {
    let finite: Option<Vec<_>> =
        pairs.iter().map(|p| p.value().map(|s| Eigenvalue { re: s.re, im: s.im })).collect();
    let found = finite.and_then(|s| <[Eigenvalue; FIRST]>::try_from(s).ok());
    found.ok_or_else(|| "a mode has no finite eigenvalue".to_owned())
}

/// Eigenvalues and times of one pendulum.
pub(crate) fn measure(elements: u32, geometric_stiffness: bool) -> Pendulum {
    let prepared = match prepare(elements, geometric_stiffness) {
        Ok(prepared) => prepared,
        Err(why) => {
            return Pendulum {
                elements,
                s: [0; 3].map(|_| Err(why.clone())),
                elapsed: [0; 3].map(|_| Err(why.clone())),
                eigenvalues: [0; 3].map(|_| Err(why.clone())),
            };
        }
    };
    let (mcs, rcs, ucs) = (clocked(|| prepared.mcs()), clocked(|| prepared.rcs()), prepared.ucs(&factors()));
    let (ucs, ucs_elapsed) = match ucs {
        Ok((pairs, elapsed)) => (Ok(pairs), Ok(elapsed)),
        Err(why) => (Err(why.clone()), Err(why)),
    };
    let solved = [mcs.0, rcs.0, ucs];
    Pendulum {
        elements,
        s: solved.clone().map(|found| values(&found?.pairs)),
        elapsed: [mcs.1, rcs.1, ucs_elapsed],
        eigenvalues: solved.map(|found| Ok(found?.eigenvalues)),
    }
}

/// A result and its elapsed time in s.
fn clocked(work: impl FnOnce() -> Measured<Solved>) -> (Measured<Solved>, Measured<f64>) {
    let started = Instant::now();
    let result = work();
    let elapsed = started.elapsed().as_secs_f64();
    let time = result.as_ref().map(|_| elapsed).map_err(Clone::clone);
    (result, time)
}

impl Prepared {
    pub(super) fn linear(&self) -> LinearizedSystem {
        linearize(&self.model, &self.at)
    }

    pub(super) fn first_of_mcs(&self) -> Measured<[Eigenvalue; FIRST]> {
        values(&self.mcs()?.pairs)
    }

    pub(super) fn first_of_ucs(&self, factors: &Penalty) -> Measured<[Eigenvalue; FIRST]> {
        values(&self.ucs(factors)?.0.pairs)
    }

    /// Linearization and the whole spectrum with all vectors, on the coordinates that a user would choose.
    fn mcs(&self) -> Measured<Solved> {
        let chosen = NullSpaceMethod::CoordinateSelection(Some(independent(&self.model)));
        let system = minimal(&self.model, &self.linear(), &chosen).map_err(words)?;
        Solved::of(&mb_eigen::dense::solve(&system.pencil(), &options()).map_err(words)?)
    }

    fn rcs(&self) -> Measured<Solved> {
        let structure =
            DescriptorStructure { pencil: self.linear().pencil(), transferred: Transferred::default() };
        Solved::of(&descriptor::solve(&structure, &options()).map_err(words)?)
    }

    /// The penalty system with its first pairs polished, and the time of its linearization and whole spectrum in s.
    fn ucs(&self, factors: &Penalty) -> Measured<(Solved, f64)> {
        let penalty_at = penalty_equilibrium(&self.model, self.rest.point(), factors).map_err(words)?;
        let started = Instant::now();
        let system = unconstrained(&self.model, &penalty_at, factors).map_err(words)?;
        let pencil = system.pencil();
        let UnconstrainedSystem { m, c, k, phi_q, xi, .. } = system;
        let penalized = PenaltyPencil { m, c, k, phi_q, xi };
        let spectrum = penalty::solve(&penalized, &DenseOptions::default()).map_err(words)?;
        let elapsed = started.elapsed().as_secs_f64();
        let mut solved = Solved::of(&spectrum)?;
        let polished = |pair: &Eigenpair| polish(&pencil, pair, &DenseOptions::default()).map_err(words);
        solved.pairs = solved.pairs.iter().map(polished).collect::<Measured<_>>()?;
        Ok((solved, elapsed))
    }
}
