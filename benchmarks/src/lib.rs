//! What the benchmarks measure: the paths of the N-loop four-bar linkage of [gonzalez2017], each from
//! a known equilibrium to eigenvalues, as in Table 1 of the paper; its flexible pendulum in [`pendulum`]; beams in
//! space in [`frame`].
//!
//! Run `cargo bench -p benchmarks`. Figures are noisy on shared machines: compare rows of one run.
//!
//! [gonzalez2017]: https://doi.org/10.1115/1.4035410

pub mod frame;
pub mod parametric;
pub mod pendulum;

use mb_constraints::NullSpaceMethod;
use mb_eigen::descriptor::{self, DescriptorStructure};
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_eigen::{DenseOptions, Spectrum};
use mb_gallery::models::{FourBar, SpatialFourBar, TurningFourBar, spatial_chain};
use mb_linear::formulation::minimal::minimal;
use mb_linear::formulation::unconstrained::{Penalty, PenaltyPoint, penalty_equilibrium, unconstrained};
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize};
use mb_model::{Model, Point};
use std::error::Error;

/// A linkage at rest, ready to be linearized.
#[derive(Debug)]
pub struct Case {
    model: Model,
    at: OperatingPoint,
    penalty: Penalty,
    penalty_at: PenaltyPoint,
    independent: NullSpaceMethod,
}

/// The model with `loops` loops.
///
/// # Errors
/// The errors of the model description.
pub fn linkage(loops: u32) -> Result<Model, Box<dyn Error>> {
    Ok(FourBar { loops, damping: 1.0, ..FourBar::default() }.spec()?.build()?)
}

/// The spatial four-bar of `flores2018`.
///
/// # Errors
/// The errors of the model description.
pub fn spatial_four_bar() -> Result<Model, Box<dyn Error>> {
    Ok(SpatialFourBar::default().spec()?.build()?)
}

/// The N-loop four-bar linkage without springs, released from rest at 60 degrees from hanging, and
/// its exact motion.
///
/// # Errors
/// The errors of the model description.
pub fn swinging_four_bar(loops: u32) -> Result<(TurningFourBar, Model), Box<dyn Error>> {
    let bar = TurningFourBar { loops, start: -core::f64::consts::FRAC_PI_6, speed: 0.0 };
    Ok((bar, bar.spec()?.build()?))
}

/// A chain of bodies in space, a little bent and moving, for evaluations alone: its constraints
/// hold to first order in the bend.
///
/// # Errors
/// The errors of the model description and of the assembly.
pub fn bent_chain(links: u32) -> Result<(Model, Point), Box<dyn Error>> {
    let model = spatial_chain(links)?.build()?;
    let start = model.initial().to_vec();
    let mut v = vec![0.0; model.nv()];
    for (i, body) in v.chunks_mut(6).enumerate() {
        body[3 + i % 2] = 0.3;
    }
    let v = mb_constraints::assemble_velocities(&model, &start, &v, 0.0)?;
    let d: Vec<f64> = v.iter().map(|v| 0.1 * v).collect();
    let q = model.coordinates().retract(&start, &d);
    let point = Point { q, v, ..model.initial_point() };
    Ok((model, point))
}

/// A point at the initial configuration with all multipliers nonzero, for assembly alone.
pub fn assembly_point(model: &Model) -> Point {
    let mut point = model.initial_point();
    point.lambda.fill(1.0);
    point
}

impl Case {
    /// Solves for both equilibria, which the paper's times leave out as well.
    ///
    /// # Errors
    /// The errors of the model and of the equilibrium.
    pub fn new(loops: u32) -> Result<Self, Box<dyn Error>> {
        let model = linkage(loops)?;
        let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default())?;
        let penalty = Penalty::scalar(1e6, 1.0, 10.0);
        let penalty_at = penalty_equilibrium(&model, rest.point(), &penalty)?;
        let phi = model.nv() - 1;
        let independent = NullSpaceMethod::CoordinateSelection(Some(vec![phi]));
        Ok(Self { at: OperatingPoint::from(&rest), model, penalty, penalty_at, independent })
    }
    /// MCS: linearization, projection by the angle, eigenvalues.
    ///
    /// # Errors
    /// The errors of the projection and the eigenanalysis.
    pub fn minimal(&self) -> Result<Spectrum, Box<dyn Error>> {
        let lin = linearize(&self.model, &self.at);
        let reduced = minimal(&self.model, &lin, &self.independent)?;
        Ok(mb_eigen::dense::solve(&reduced.pencil(), &DenseOptions::default())?)
    }
    /// RCS: linearization, all 2n + m eigenvalues of the descriptor pair by its structure.
    ///
    /// # Errors
    /// The errors of the eigenanalysis.
    pub fn redundant(&self) -> Result<Spectrum, Box<dyn Error>> {
        let pencil = linearize(&self.model, &self.at).pencil();
        let structure = DescriptorStructure { pencil, transferred: descriptor::Transferred::default() };
        Ok(descriptor::solve(&structure, &DenseOptions::default())?)
    }
    fn penalty_pencil(&self) -> Result<PenaltyPencil, Box<dyn Error>> {
        let u = unconstrained(&self.model, &self.penalty_at, &self.penalty)?;
        Ok(PenaltyPencil { m: u.m, c: u.c, k: u.k, phi_q: u.phi_q, xi: u.xi })
    }
    /// UCS: linearization and the physical pair only.
    ///
    /// # Errors
    /// The errors of the linearization and the eigenanalysis.
    pub fn unconstrained_physical(&self) -> Result<Spectrum, Box<dyn Error>> {
        Ok(penalty::physical_eigenpairs(&self.penalty_pencil()?, &DenseOptions::default())?)
    }
    /// UCS: linearization and all 2n eigenvalues, distinguished.
    ///
    /// # Errors
    /// The errors of the linearization and the eigenanalysis.
    pub fn unconstrained_all(&self) -> Result<Spectrum, Box<dyn Error>> {
        Ok(penalty::solve(&self.penalty_pencil()?, &DenseOptions::default())?)
    }
}

/// The example of the README is compiled here, where every crate is available.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The example of ARCHITECTURE.md, likewise.
#[cfg(doctest)]
#[doc = include_str!("../../ARCHITECTURE.md")]
struct Architecture;
