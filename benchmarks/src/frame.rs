//! Beams in space: the frame of tubes at any size, and one row of Tables 2 and 3 of Yang et al. 2012.

use mb_eigen::Spectrum;
use mb_eigen::direct::{self, DirectAnalysis, DirectOptions};
use mb_eigen::sparse::{self, Request, SparseOptions};
use mb_gallery::models::{BeamCantilever, BeamFrame};
use mb_linear::{
    Equilibrium, EquilibriumOptions, OperatingPoint, SparseSystem, Stability, linearize_sparse, stability,
};
use mb_model::{Model, Point};
use std::error::Error;

/// A frame with `storeys` storeys of 40 girders, five elements to a member: 40 revolute joints and 3,900 coordinates a
/// storey.
///
/// # Errors
/// The errors of the model description.
pub fn frame(storeys: u32) -> Result<Model, Box<dyn Error>> {
    Ok(BeamFrame { storeys, ..BeamFrame::large() }.spec()?.build()?)
}

/// The frame at rest under its weight.
///
/// # Errors
/// The errors of the equilibrium.
pub fn at_rest(model: &Model) -> Result<Equilibrium, Box<dyn Error>> {
    Ok(Equilibrium::solve(model, model.initial(), &EquilibriumOptions::default())?)
}

/// Its stability.
///
/// # Errors
/// The errors of the factorization.
pub fn signs(model: &Model, rest: &Equilibrium) -> Result<Stability, Box<dyn Error>> {
    Ok(stability(model, rest)?)
}

/// A point near the start at which all blocks have all their entries.
pub fn bent(model: &Model) -> Point {
    let d: Vec<f64> = (0..model.nv()).map(|i| 1e-3 * ((7 * i % 11) as f64 - 5.0)).collect();
    let mut point = model.initial_point();
    point.q = model.coordinates().retract(&point.q, &d);
    point.lambda.fill(1.0);
    point
}

/// M, C, K and Phi_q at rest.
pub fn linearized(model: &Model, rest: &Equilibrium) -> SparseSystem {
    linearize_sparse(model, &OperatingPoint::from(rest))
}

/// The lowest modes.
///
/// # Errors
/// The errors of the eigenanalysis.
pub fn lowest(lin: &SparseSystem, count: usize) -> Result<Spectrum, Box<dyn Error>> {
    Ok(sparse::solve(&lin.pencil(), &Request::Lowest { count }, &SparseOptions::default())?)
}

/// The cantilever of Tables 2 and 3 with 20 elements.
///
/// # Errors
/// The errors of the model description.
pub fn cantilever(tension: f64) -> Result<Model, Box<dyn Error>> {
    Ok(BeamCantilever { tension, ..BeamCantilever::default() }.spec()?.build()?)
}

/// One row of the tables: equilibrium, linearization and the scaled direct eigenanalysis of six pairs.
///
/// # Errors
/// The errors of the equilibrium and the eigenanalysis.
pub fn table_row(model: &Model) -> Result<DirectAnalysis, Box<dyn Error>> {
    let lin = linearized(model, &at_rest(model)?);
    Ok(direct::solve(&lin.pencil(), 6, &DirectOptions { condition: false, ..DirectOptions::default() })?)
}
