//! The flexible double pendulum of [gonzalez2017], from a known equilibrium: linearization and eigenpairs apart.
//!
//! The equilibrium is the closed form of the stretched hanging state, verified. Whole spectra are computed on the model
//! of the paper (without geometric stiffness), the first pairs on the default model.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

use mb_algebra::PenaltyBlocks;
use mb_eigen::descriptor::{self, DescriptorStructure};
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_eigen::sparse::{self, Request, SparseOptions};
use mb_eigen::{DenseOptions, Spectrum};
use mb_gallery::models::FlexibleDoublePendulum;
use mb_linear::formulation::unconstrained::{
    Penalty, PenaltyPoint, penalty_equilibrium, unconstrained, unconstrained_blocks,
};
use mb_linear::{
    Equilibrium, EquilibriumOptions, LinearizedSystem, OperatingPoint, SparseSystem, linearize,
    linearize_sparse,
};
use mb_model::Model;
use std::error::Error;

/// Eigenpairs asked for of large models.
const FIRST: usize = 4;

/// A pendulum at rest.
#[derive(Debug)]
pub struct Pendulum {
    model: Model,
    at: OperatingPoint,
    penalty: Penalty,
    penalty_at: PenaltyPoint,
}

impl Pendulum {
    /// The pendulum with `elements` finite elements in each link, at both equilibria.
    ///
    /// # Errors
    /// The errors of the model and of the equilibria.
    pub fn new(elements: u32, geometric_stiffness: bool) -> Result<Self, Box<dyn Error>> {
        let pendulum = FlexibleDoublePendulum { elements, geometric_stiffness, ..Default::default() };
        let model = pendulum.spec()?.build()?;
        let options = EquilibriumOptions::default();
        let rest = Equilibrium::verify(&model, pendulum.equilibrium(), &options)?;
        let penalty = Penalty::scalar(1e7, 1.0, 10.0);
        let penalty_at = penalty_equilibrium(&model, rest.point(), &penalty)?;
        Ok(Self { at: OperatingPoint::from(&rest), model, penalty, penalty_at })
    }
    /// The equilibrium by Newton's method from the undeformed links.
    ///
    /// # Errors
    /// The errors of the equilibrium.
    pub fn equilibrium(&self) -> Result<Equilibrium, Box<dyn Error>> {
        Ok(Equilibrium::solve(&self.model, self.model.initial(), &EquilibriumOptions::default())?)
    }
    /// M, C, K and Phi_q as sparse matrices.
    pub fn linearized(&self) -> SparseSystem {
        linearize_sparse(&self.model, &self.at)
    }
    /// M, C, K and Phi_q as dense matrices.
    pub fn linearized_dense(&self) -> LinearizedSystem {
        linearize(&self.model, &self.at)
    }
    /// The blocks of the penalty system at its own equilibrium.
    ///
    /// # Errors
    /// The errors of the penalty.
    pub fn linearized_penalty(&self) -> Result<PenaltyBlocks, Box<dyn Error>> {
        Ok(unconstrained_blocks(&self.model, &self.penalty_at, &self.penalty)?)
    }
    /// The dense penalty system at its own equilibrium.
    ///
    /// # Errors
    /// The errors of the penalty.
    pub fn penalty_pencil(&self) -> Result<PenaltyPencil, Box<dyn Error>> {
        let u = unconstrained(&self.model, &self.penalty_at, &self.penalty)?;
        Ok(PenaltyPencil { m: u.m, c: u.c, k: u.k, phi_q: u.phi_q, xi: u.xi })
    }
}

/// The first pairs of the constrained system, whose reduction to minimal coordinates and whose descriptor form share
/// them (MCS and RCS).
///
/// # Errors
/// The errors of the eigenanalysis.
pub fn first_constrained(lin: &SparseSystem) -> Result<Spectrum, Box<dyn Error>> {
    let lowest = Request::Lowest { count: FIRST };
    Ok(sparse::solve_in_parts(&lin.pencil(), lin.k_parts.as_ref(), &lowest, &SparseOptions::default())?)
}

/// The first pairs of the mechanism in the penalty system (UCS).
///
/// # Errors
/// The errors of the eigenanalysis.
pub fn first_unconstrained(blocks: &PenaltyBlocks) -> Result<Spectrum, Box<dyn Error>> {
    Ok(penalty::lowest(blocks, FIRST, &SparseOptions::default())?)
}

/// All 2 (n - r) eigenvalues with vectors (MCS).
///
/// # Errors
/// The errors of the eigenanalysis.
pub fn all_minimal(lin: &LinearizedSystem) -> Result<Spectrum, Box<dyn Error>> {
    Ok(mb_eigen::dense::solve(&lin.pencil(), &DenseOptions::default())?)
}

/// All 2n + m eigenvalues with vectors (RCS).
///
/// # Errors
/// The errors of the eigenanalysis.
pub fn all_redundant(lin: &LinearizedSystem) -> Result<Spectrum, Box<dyn Error>> {
    let structure =
        DescriptorStructure { pencil: lin.pencil(), transferred: descriptor::Transferred::default() };
    Ok(descriptor::solve(&structure, &DenseOptions::default())?)
}

/// All 2n eigenvalues with vectors (UCS).
///
/// # Errors
/// The errors of the eigenanalysis.
pub fn all_unconstrained(pencil: &PenaltyPencil) -> Result<Spectrum, Box<dyn Error>> {
    Ok(penalty::solve(pencil, &DenseOptions::default())?)
}
