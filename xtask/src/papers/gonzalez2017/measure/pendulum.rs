//! The flexible double pendulum: first eigenvalues and elapsed times by each family, sparsity.
//!
//! All families start from the closed form of the stretched hanging state, which is verified. Eigenvalues are compared
//! beyond what the reduction of a stiff problem keeps, so the first ones are polished by inverse iteration on the
//! unreduced matrices, on both sides of every comparison.
//!
//! Paper: [gonzalez2017] Sec. 5.2.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use std::time::Instant;

use mb_algebra::Dense;
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
/// Entries below this share of the diagonal's geometric mean count as zeros.
const ZERO_BELOW: f64 = 1e-12;

/// What is measured for one number of elements.
#[derive(Debug, Clone)]
pub(crate) struct Pendulum {
    pub(crate) elements: u32,
    /// The first eigenvalues by MCS, RCS, UCS.
    pub(crate) s: [Measured<[Eigenvalue; FIRST]>; 3],
    /// Elapsed times by MCS, RCS, UCS, in s.
    pub(crate) elapsed: [Measured<f64>; 3],
}

struct Prepared {
    model: Model,
    rest: Equilibrium,
    at: OperatingPoint,
}

/// The paper's penalty parameters for the pendulum: alpha = 1e7, xi = 1, omega = 10.
fn factors() -> Penalty {
    Penalty::scalar(1e7, 1.0, 10.0)
}

fn prepare(elements: u32, geometric_stiffness: bool) -> Measured<Prepared> {
    let pendulum =
        FlexibleDoublePendulum { elements, geometric_stiffness, ..FlexibleDoublePendulum::default() };
    let model = pendulum.spec().and_then(|spec| spec.build()).map_err(words)?;
    let rest =
        Equilibrium::verify(&model, pendulum.equilibrium(), &EquilibriumOptions::default()).map_err(words)?;
    Ok(Prepared { at: OperatingPoint::from(&rest), model, rest })
}

/// The frame angles and the elastic coordinates of all nodes but the clamped ones.
fn independent(model: &Model) -> Vec<usize> {
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
            let [s, elapsed] = [why.clone(), why];
            return Pendulum {
                elements,
                s: [0; 3].map(|_| Err(s.clone())),
                elapsed: [0; 3].map(|_| Err(elapsed.clone())),
            };
        }
    };
    let (mcs, rcs, ucs) = (clocked(|| prepared.mcs()), clocked(|| prepared.rcs()), prepared.ucs());
    let (ucs, ucs_elapsed) = match ucs {
        Ok((pairs, elapsed)) => (Ok(pairs), Ok(elapsed)),
        Err(why) => (Err(why.clone()), Err(why)),
    };
    Pendulum {
        elements,
        s: [mcs.0.and_then(|p| values(&p)), rcs.0.and_then(|p| values(&p)), ucs.and_then(|p| values(&p))],
        elapsed: [mcs.1, rcs.1, ucs_elapsed],
    }
}

/// A result and its elapsed time in s.
fn clocked(work: impl FnOnce() -> Measured<Vec<Eigenpair>>) -> (Measured<Vec<Eigenpair>>, Measured<f64>) {
    let started = Instant::now();
    let result = work();
    let elapsed = started.elapsed().as_secs_f64();
    let time = result.as_ref().map(|_| elapsed).map_err(Clone::clone);
    (result, time)
}

impl Prepared {
    fn linear(&self) -> LinearizedSystem {
        linearize(&self.model, &self.at)
    }

    /// Linearization and the whole spectrum with all vectors, on the coordinates that a user would choose.
    fn mcs(&self) -> Measured<Vec<Eigenpair>> {
        let chosen = NullSpaceMethod::CoordinateSelection(Some(independent(&self.model)));
        let system = minimal(&self.model, &self.linear(), &chosen).map_err(words)?;
        first_pairs(&mb_eigen::dense::solve(&system.pencil(), &options()).map_err(words)?)
    }

    fn rcs(&self) -> Measured<Vec<Eigenpair>> {
        let structure =
            DescriptorStructure { pencil: self.linear().pencil(), transferred: Transferred::default() };
        first_pairs(&descriptor::solve(&structure, &options()).map_err(words)?)
    }

    /// The first pairs of the penalty system, polished, and the time of its linearization and whole spectrum in s.
    fn ucs(&self) -> Measured<(Vec<Eigenpair>, f64)> {
        let penalty_at = penalty_equilibrium(&self.model, self.rest.point(), &factors()).map_err(words)?;
        let started = Instant::now();
        let system = unconstrained(&self.model, &penalty_at, &factors()).map_err(words)?;
        let pencil = system.pencil();
        let UnconstrainedSystem { m, c, k, phi_q, xi, .. } = system;
        let penalized = PenaltyPencil { m, c, k, phi_q, xi };
        let spectrum = penalty::solve(&penalized, &DenseOptions::default()).map_err(words)?;
        let elapsed = started.elapsed().as_secs_f64();
        let polished = |pair: &Eigenpair| polish(&pencil, pair, &DenseOptions::default()).map_err(words);
        let pairs = first_pairs(&spectrum)?.iter().map(polished).collect::<Measured<_>>()?;
        Ok((pairs, elapsed))
    }
}

/// Size, nonzeros, and nonzeros of the lower Cholesky factor of a mass matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) size: usize,
    pub(crate) nonzeros: usize,
    pub(crate) factor: usize,
}

/// Where a matrix has entries, and where its lower factor has.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) matrix: Vec<Vec<bool>>,
    pub(crate) factor: Vec<Vec<bool>>,
}

impl Pattern {
    pub(crate) fn counts(&self) -> Counts {
        let count = |p: &[Vec<bool>]| p.iter().flatten().filter(|x| **x).count();
        Counts { size: self.matrix.len(), nonzeros: count(&self.matrix), factor: count(&self.factor) }
    }
}

/// The patterns of M_r, M_q and M_p for five elements at the equilibrium.
pub(crate) fn patterns() -> Measured<[Pattern; 3]> {
    let prepared = prepare(5, false)?;
    let lin = prepared.linear();
    let chosen = NullSpaceMethod::CoordinateSelection(Some(independent(&prepared.model)));
    let reduced = minimal(&prepared.model, &lin, &chosen).map_err(words)?;
    let penalty_at =
        penalty_equilibrium(&prepared.model, prepared.rest.point(), &factors()).map_err(words)?;
    let penalized = unconstrained(&prepared.model, &penalty_at, &factors()).map_err(words)?;
    Ok([&reduced.m, &lin.m, &penalized.m].map(|m| {
        let matrix = pattern(m);
        let mut factor = filled(matrix.clone());
        for (i, row) in factor.iter_mut().enumerate() {
            row[i + 1..].fill(false);
        }
        Pattern { matrix, factor }
    }))
}

/// Where a symmetric matrix has entries that are no rounding.
fn pattern(m: &Dense) -> Vec<Vec<bool>> {
    let n = m.nrows();
    let limit = |i: usize, j: usize| ZERO_BELOW * (m[(i, i)].abs() * m[(j, j)].abs()).sqrt();
    (0..n).map(|i| (0..n).map(|j| m[(i, j)].abs() > limit(i, j)).collect()).collect()
}

/// The pattern with the fill of elimination in the order of the rows, whatever the numbers.
fn filled(mut pattern: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    let n = pattern.len();
    for k in 0..n {
        let below: Vec<usize> = (k + 1..n).filter(|i| pattern[*i][k]).collect();
        for i in &below {
            for j in &below {
                pattern[*i][*j] = true;
            }
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_of_an_arrow_is_full_from_the_head_and_none_from_the_tail() {
        let arrow = |head: usize| {
            (0..4)
                .map(|i| (0..4).map(|j| i == j || i == head || j == head).collect())
                .collect::<Vec<Vec<_>>>()
        };
        let count = |p: Vec<Vec<bool>>| filled(p).iter().flatten().filter(|x| **x).count();
        assert_eq!((count(arrow(0)), count(arrow(3))), (16, 10));
    }
}
