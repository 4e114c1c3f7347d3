//! Part of a spectrum as the command line asks for it.

use super::FormulationSpectrum;
use crate::args::{DriverArg, EngineArgs, ModesOutputArgs, SolverArgs, SymmetryArg};
use crate::engine;
use crate::failure::Failure;
use crate::matrices::{Matrices, MatrixProblem};
use crate::progress::Progress;
use mb_analysis::request::words;
use mb_eigen::EigenError;
use mb_eigen::sparse;
use mb_eigen::sparse::{Request, Shift, Solver, SparseExpert, SparseOptions, Structure};
use mb_engine::Problem;
use mb_linear::OperatingPoint;
use mb_model::Model;

pub use mb_analysis::part::*;

/// Options of the sparse layer from the command line: left vectors where they are shown, written or made use of.
pub fn options(args: &SolverArgs, output: &ModesOutputArgs) -> SparseOptions {
    SparseOptions {
        left_vectors: output.left || output.shares.participation,
        memory_limit: args.memory.map(bytes),
        expert: SparseExpert {
            solver: match args.solver {
                DriverArg::BuiltIn => Solver::BuiltIn,
                DriverArg::Arpack => Solver::Arpack,
            },
            structure: match args.symmetry {
                SymmetryArg::Detect => Structure::Detect,
                SymmetryArg::Symmetric => Structure::Symmetric,
                SymmetryArg::None => Structure::General,
            },
            shift: args.shift.map_or(Shift::Automatic, |p| Shift::At(p.0)),
            keeps_at_interrupt: true,
            ..Default::default()
        },
        ..SparseOptions::default()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive, and a conversion that saturates"
)]
fn bytes(gib: f64) -> u64 {
    (gib * 1_073_741_824.0) as u64
}

/// Eigenpairs of a linearized model by the distributed engine.
///
/// # Errors
/// As [`engine::solve`].
pub fn of_model_by_engine(
    model: &Model,
    at: &OperatingPoint,
    request: Request,
    options: &SparseOptions,
    args: &EngineArgs,
    progress: Progress,
) -> Result<FormulationSpectrum, Failure> {
    let words = words(&request);
    of_model_elsewhere(model, at, request, options, |problem, request| {
        let PartProblem { pencil, parts, options, .. } = problem;
        let problem = Problem { pencil, parts: parts.as_ref(), request, words: &words, options };
        engine::solve(&problem, args, progress)
    })
}

/// Eigenpairs of matrices by the distributed engine.
///
/// # Errors
/// As [`engine::solve`].
pub fn of_matrices_by_engine(
    matrices: &Matrices,
    request: Request,
    options: &SparseOptions,
    args: &EngineArgs,
    progress: Progress,
) -> Result<FormulationSpectrum, Failure> {
    let words = words(&request);
    let spectrum = engine::solve(&engine_problem(matrices, &request, &words, options)?, args, progress)?;
    let name = "second-order/slepc".to_owned();
    Ok(FormulationSpectrum { request: Some(request), ..FormulationSpectrum::new(name, spectrum) })
}

/// The problem that matrices are to the engine.
///
/// # Errors
/// [`EigenError::NotForEngine`] for a descriptor pair.
pub fn engine_problem<'a>(
    matrices: &'a Matrices,
    request: &'a Request,
    words: &'a str,
    options: &'a SparseOptions,
) -> Result<Problem<'a>, Failure> {
    match &matrices.problem {
        MatrixProblem::SecondOrder(pencil) => Ok(Problem { pencil, parts: None, request, words, options }),
        MatrixProblem::Descriptor(_) => {
            let source = EigenError::NotForEngine { what: "the pair E, A" };
            Err(Failure::Engine(source.into()))
        }
    }
}

/// Eigenpairs of matrices.
///
/// # Errors
/// [`Failure::Eigen`], and [`crate::failure::RequestError::NotSymmetric`] with the file.
pub fn of_matrices(
    matrices: &Matrices,
    request: Request,
    options: &SparseOptions,
) -> Result<FormulationSpectrum, Failure> {
    let all = request == Request::All;
    let (name, solved) = match &matrices.problem {
        MatrixProblem::SecondOrder(pencil) => ("second-order", sparse::solve(pencil, &request, options)),
        MatrixProblem::Descriptor(pencil) => {
            ("descriptor", sparse::solve_descriptor(pencil, &request, options))
        }
    };
    let name = format!("{name}/{}", if all { "dense" } else { "sparse" });
    let spectrum = solved.map_err(|e| matrices.explain(&name, e))?;
    Ok(FormulationSpectrum { request: (!all).then_some(request), ..FormulationSpectrum::new(name, spectrum) })
}
