//! Part of a spectrum as the command line asks for it.

use super::FormulationSpectrum;
use crate::args::{DriverArg, ModesOutputArgs, SolverArgs, SymmetryArg};
use crate::failure::Failure;
use crate::matrices::{Matrices, MatrixProblem};
use mb_eigen::sparse;
use mb_eigen::sparse::{Request, Shift, Solver, SparseExpert, SparseOptions, Structure};

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
